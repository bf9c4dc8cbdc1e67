//! How a state comes to its user: as a screen, or in lines.

use std::cell::Cell;
use std::io::{self, Write, stdout};
use std::rc::Rc;
use std::time::{Duration, Instant};

use crossterm::terminal::size;
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;
use ratatui::{Terminal, TerminalOptions, Viewport};

use super::spoken::{self, Said};
use super::state::State;
use super::view::{self, Memory};

/// Time between two pictures of a moving system.
const FRAME: Duration = Duration::from_millis(36);
/// Bytes a second that a slow line gets while something moves.
const BUDGET: f64 = 4000.0;
/// A picture that takes longer than this to be taken by the terminal came over a slow line.
const LAG: Duration = Duration::from_millis(150);

/// What a picture cost.
#[derive(Clone, Copy, Debug, Default)]
struct Cost {
    bytes: usize,
    waited: Duration,
}

/// The terminal, and what it cost to write to it.
struct Metered {
    out: Box<dyn Write>,
    cost: Rc<Cell<Cost>>,
}

impl Metered {
    fn metered<T>(&mut self, work: impl FnOnce(&mut dyn Write) -> io::Result<T>) -> io::Result<T> {
        let begin = Instant::now();
        let done = work(self.out.as_mut());
        let mut cost = self.cost.get();
        cost.waited += begin.elapsed();
        self.cost.set(cost);
        done
    }
}

impl Write for Metered {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.metered(|out| out.write(bytes))?;
        let mut cost = self.cost.get();
        cost.bytes += written;
        self.cost.set(cost);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.metered(|out| out.flush())
    }
}

/// The screen.
pub struct Screen {
    terminal: Terminal<CrosstermBackend<Metered>>,
    /// The part of the terminal that is drawn.
    area: Rect,
    memory: Memory,
    /// What the last picture cost.
    cost: Rc<Cell<Cost>>,
    /// Whether pictures are made to be few.
    slow: bool,
}

/// How a state comes to its user.
pub enum Face {
    /// As a screen.
    Screen(Box<Screen>),
    /// In lines.
    Lines(Box<Said>),
}

fn area((width, height): (u16, u16)) -> Rect {
    Rect::new(0, 0, width, height)
}

impl Face {
    /// A screen of this size; `slow` is one on a slow line.
    pub fn screen(size: (u16, u16), slow: bool) -> io::Result<Self> {
        Self::on(Box::new(stdout()), size, slow)
    }

    fn on(out: Box<dyn Write>, size: (u16, u16), slow: bool) -> io::Result<Self> {
        let area = area(size);
        let options = TerminalOptions {
            viewport: Viewport::Fixed(area),
        };
        let cost = Rc::default();
        let out = Metered {
            out,
            cost: Rc::clone(&cost),
        };
        let terminal = Terminal::with_options(CrosstermBackend::new(out), options)?;
        Ok(Self::Screen(Box::new(Screen {
            terminal,
            area,
            memory: Memory::default(),
            cost,
            slow,
        })))
    }

    /// Shows the state; a remark where the line has turned out to be slow.
    pub fn show(&mut self, state: &State) -> io::Result<Option<&'static str>> {
        match self {
            Self::Screen(screen) => screen.draw(state),
            Self::Lines(said) => {
                let width = size()
                    .ok()
                    .map(|(width, _)| width)
                    .filter(|width| *width > 0);
                let width = width.unwrap_or(spoken::SIZE.0);
                let text = said.say(state, usize::from(width));
                write(&text)?;
                Ok(None)
            }
        }
    }

    /// Time from one picture of a moving system to the next.
    pub fn frame(&self) -> Duration {
        match self {
            Self::Screen(screen) if screen.slow => {
                let bytes = screen.cost.get().bytes;
                FRAME.max(Duration::from_secs_f64(bytes as f64 / BUDGET))
            }
            _ => FRAME,
        }
    }

    /// The terminal may show anything: all of the next picture is new.
    pub fn anew(&mut self, size: (u16, u16)) -> io::Result<()> {
        match self {
            Self::Screen(screen) => {
                screen.area = area(size);
                screen.terminal.resize(screen.area)
            }
            Self::Lines(said) => {
                said.forget();
                Ok(())
            }
        }
    }

    /// The size of what is shown on a terminal of this size.
    pub fn size(&self, terminal: (u16, u16)) -> (u16, u16) {
        match self {
            Self::Screen(_) => super::layout::bounded(terminal),
            Self::Lines(_) => spoken::SIZE,
        }
    }

    /// The end.
    pub fn close(self) {
        match self {
            Self::Screen(mut screen) => {
                if screen.terminal.show_cursor().is_err() {
                    // the terminal is gone: dropped, this would complain to it
                    std::mem::forget(screen);
                }
            }
            Self::Lines(_) => {
                let _ = write("\r\n");
            }
        }
    }
}

/// Writes text as it is.
pub fn write(text: &str) -> io::Result<()> {
    let mut out = stdout();
    out.write_all(text.as_bytes())?;
    out.flush()
}

impl Screen {
    fn draw(&mut self, state: &State) -> io::Result<Option<&'static str>> {
        let area = area(state.size);
        if area != self.area {
            self.terminal.resize(area)?;
            self.area = area;
        }
        self.cost.take();
        let memory = &mut self.memory;
        self.terminal
            .draw(|frame| view::draw(state, frame, memory))?;
        let lags = !self.slow && self.cost.get().waited > LAG;
        self.slow |= lags;
        Ok(lags.then_some("the line is slow: fewer pictures while something moves"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workbench::event::Event;
    use crate::workbench::tests::Bench;

    #[test]
    fn a_slow_line_gets_less_than_5_kb_a_second_while_it_plays() {
        for (system, size) in [
            ("bead_on_parabola", (80, 24)),
            ("double_pendulum", (120, 40)),
        ] {
            let mut bench = Bench::paused(system, size, 0.0);
            let mut face = Face::on(Box::new(io::sink()), size, true).unwrap();
            face.show(&bench.state).unwrap();
            bench.keys("space");
            let (mut bytes, mut seconds) = (0, 0.0);
            while seconds < 2.0 {
                let frame = face.frame().as_secs_f64();
                bench.send(Event::Tick(frame));
                face.show(&bench.state).unwrap();
                let Face::Screen(screen) = &face else {
                    unreachable!()
                };
                bytes += screen.cost.get().bytes;
                seconds += frame;
            }
            let t = bench.state.playhead.t;
            assert!(t > 0.5, "{system}: {t}");
            let rate = bytes as f64 / seconds;
            assert!(
                (100.0..5000.0).contains(&rate),
                "{system}: {rate} bytes a second"
            );
        }
    }
}
