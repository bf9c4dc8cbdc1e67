//! The loop: an event, the next state, what is to be done, and a picture if anything has changed.
//!
//! Three threads feed one channel: the keys, the signals, the worker. So input never waits for
//! drawing, and a terminal that has vanished can hold up nothing but itself.

use std::io::{self, Stdout, Write, stdout};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use crossterm::clipboard::CopyToClipboard;
use crossterm::event as terminal_event;
use crossterm::execute;
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;

use super::document::{self, Keeper, Source};
use super::event::Event;
use super::state::{Effect, Opening, State};
use super::terminal::{self, Taken};
use super::update::update;
use super::view::{self, Memory};
use super::worker::Worker;

/// Time between two pictures of a moving system.
const FRAME: Duration = Duration::from_millis(36);
/// A longer time between two ticks is no motion to be made up for.
const LONGEST_TICK: f64 = 0.25;
/// How long the program may take to end by itself after a signal.
const PATIENCE: Duration = Duration::from_millis(1500);

/// How the workbench ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ending {
    /// The signal that ended it, if one did.
    pub signal: Option<i32>,
    /// Where unsaved text was put.
    pub rescued: Option<PathBuf>,
}

/// Runs the workbench until it is left.
pub fn run(mut opening: Opening) -> io::Result<Ending> {
    let (sender, events) = channel();
    let keeper = Keeper::default();
    let taken = Taken::take()?;
    let worker = Worker::start(sender.clone())?;
    signals(&sender, &keeper)?;
    keys(&sender)?;
    let mut screen = Terminal::new(CrosstermBackend::new(stdout()))?;
    let size = screen.size()?;
    opening.size = (size.width, size.height);
    let (state, first) = State::open(opening);
    let mut app = App {
        state,
        worker,
        keeper: keeper.clone(),
        sender,
        screen: &mut screen,
        memory: Memory::default(),
    };
    let ended = catch_unwind(AssertUnwindSafe(|| app.go(first, &events)));
    let ended = ended.unwrap_or_else(|panic| {
        if let Some(path) = keeper.rescue() {
            let _ = writeln!(io::stderr(), "unsaved text is in {}", path.display());
        }
        resume_unwind(panic)
    });
    // whatever ended it without asking: nothing typed is lost
    let rescued = match &ended {
        Ok(None) => None,
        Ok(Some(_)) | Err(_) => keeper.rescue(),
    };
    if screen.show_cursor().is_err() {
        // the terminal is gone: dropped, this would complain to it
        std::mem::forget(screen);
    }
    drop(taken);
    Ok(Ending {
        signal: ended?,
        rescued,
    })
}

struct App<'a> {
    state: State,
    worker: Worker,
    keeper: Keeper,
    sender: Sender<Event>,
    screen: &'a mut Terminal<CrosstermBackend<Stdout>>,
    memory: Memory,
}

impl App<'_> {
    /// Until the end; the signal that made it, if one did.
    fn go(&mut self, first: Vec<Effect>, events: &Receiver<Event>) -> io::Result<Option<i32>> {
        let mut effects = first;
        let mut ticked = Instant::now();
        loop {
            for effect in effects.drain(..) {
                if let Effect::Quit(signal) = effect {
                    return Ok(signal);
                }
                self.carry_out(effect)?;
            }
            if self.state.changed {
                self.draw()?;
            }
            let event = if self.state.animated() {
                match events.recv_timeout(FRAME.saturating_sub(ticked.elapsed())) {
                    Err(RecvTimeoutError::Disconnected) => return Ok(None),
                    event => event.ok(),
                }
            } else {
                let event = events.recv().ok();
                ticked = Instant::now();
                event
            };
            // what came meanwhile is one picture
            for event in event.into_iter().chain(events.try_iter()) {
                effects.extend(update(&mut self.state, event));
            }
            if ticked.elapsed() >= FRAME {
                let seconds = ticked.elapsed().as_secs_f64().min(LONGEST_TICK);
                ticked = Instant::now();
                effects.extend(update(&mut self.state, Event::Tick(seconds)));
            }
        }
    }

    fn draw(&mut self) -> io::Result<()> {
        let (state, memory) = (&self.state, &mut self.memory);
        self.screen.draw(|frame| view::draw(state, frame, memory))?;
        self.state.changed = false;
        Ok(())
    }

    fn carry_out(&mut self, effect: Effect) -> io::Result<()> {
        let event = match effect {
            Effect::Analyse(request) => {
                self.worker.ask(request);
                return Ok(());
            }
            Effect::Keep => {
                let unsaved = self.state.modified.then(|| self.state.editor.text());
                self.keeper.keep(&self.state.document, unsaved);
                return Ok(());
            }
            Effect::Copy(text) => {
                execute!(stdout(), CopyToClipboard::to_clipboard_from(text))?;
                return Ok(());
            }
            Effect::Redraw => {
                self.screen.clear()?;
                self.state.changed = true;
                return Ok(());
            }
            Effect::Quit(_) => return Ok(()),
            Effect::Load(source) => Event::Loaded {
                text: load(&source),
                source,
            },
            Effect::Save {
                path,
                text,
                existing,
            } => Event::Saved {
                how: document::save(&path, &text, &existing)
                    .map_err(|error| format!("cannot save {}: {error}", path.to_string_lossy())),
                path,
                text,
            },
            Effect::Export {
                path,
                text,
                existing,
            } => Event::Exported {
                how: document::save(&path, &text, &existing)
                    .map_err(|error| format!("cannot write {}: {error}", path.to_string_lossy())),
                path,
                text,
            },
            Effect::List => Event::Listed(document::list(Path::new("."))),
        };
        // answered at once, in its turn: the loop takes it from the channel like any other
        let _ = self.sender.send(event);
        Ok(())
    }
}

fn load(source: &Source) -> Result<String, String> {
    match source {
        Source::BuiltIn(name) => match crate::system::find(name) {
            Some(known) => Ok(known.text.to_owned()),
            None => Err(format!("there is no built-in system {name}")),
        },
        Source::File(path) => document::read(path)
            .map_err(|error| format!("cannot read {}: {error}", path.to_string_lossy())),
        Source::Input => Err("standard input cannot be read again".to_owned()),
    }
}

/// Reads keys on a thread of their own: where the terminal has vanished, reading may never come back.
fn keys(sender: &Sender<Event>) -> io::Result<()> {
    let sender = sender.clone();
    thread::Builder::new()
        .name("keys".to_owned())
        .spawn(move || {
            loop {
                let event = match terminal_event::read() {
                    Ok(terminal_event::Event::Key(key)) => Event::Key(key),
                    Ok(terminal_event::Event::Paste(text)) => Event::Paste(text),
                    Ok(terminal_event::Event::Resize(width, height)) => {
                        Event::Resize(width, height)
                    }
                    Ok(_) => continue,
                    Err(_) => Event::InputLost,
                };
                let last = matches!(event, Event::InputLost);
                if sender.send(event).is_err() || last {
                    return;
                }
            }
        })?;
    Ok(())
}

/// Watches for the signals that end a program. Unsaved text is written at once; a program that does
/// not end by itself (its terminal is gone and takes no more) is ended.
#[cfg(unix)]
fn signals(sender: &Sender<Event>, keeper: &Keeper) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGHUP, SIGTERM, SIGINT])?;
    let (sender, keeper) = (sender.clone(), keeper.clone());
    thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || {
            if let Some(number) = signals.forever().next() {
                let _ = sender.send(Event::Signal(number));
                thread::sleep(PATIENCE);
                keeper.rescue();
                terminal::restore();
                std::process::exit(128 + number);
            }
        })?;
    Ok(())
}

#[cfg(not(unix))]
fn signals(_: &Sender<Event>, _: &Keeper) -> io::Result<()> {
    Ok(())
}
