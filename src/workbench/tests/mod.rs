//! Tests of state, keys and screen: events go in, what the state asks for is done here without threads
//! or disk, and the screen is read as text.

mod actions;
mod bursts;
mod called_off;
pub mod crash;
mod editing;
mod equilibria;
mod every;
mod files;
mod keys;
mod maps;
mod motion;
mod mouse;
mod pictures;
mod plots;
mod ranges;
mod report;
mod screens;
mod sizes;
mod spoken;
mod themes;
mod typing;
mod verdicts;
mod views;

use std::cell::{self, RefCell};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io::{self, Write};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::backend::{Backend, ClearType, CrosstermBackend, WindowSize};
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::{Position, Rect, Size};
use ratatui::{Terminal, TerminalOptions, Viewport};

use super::document::{Existing, Saved, Source};
use super::event::Event;
use super::journal::{Kept, Recovery};
use super::outside::Edited;
use super::state::{Effect, Opening, Shown, State};
use super::theme::{Scheme, Theme};
use super::update::update;
use super::view::{self, Memory};
use super::worker::{Answer, Known, Question};
use crate::plot::Charset;
use crate::system::{Diagnostic, find};

const COLOUR: Theme = Theme {
    scheme: Scheme::Dark,
    charset: Charset::Braille,
};

/// A workbench without a terminal.
#[allow(clippy::struct_excessive_bools)] // what was seen to happen, each by itself
pub struct Bench {
    pub state: State,
    /// Files that can be read and written.
    disk: BTreeMap<PathBuf, String>,
    /// Whether the worker answers.
    answering: bool,
    /// What came of it.
    quit: bool,
    clipboard: String,
    /// Text that an earlier session left; what was decided about it.
    kept: Option<String>,
    verdict: Option<Recovery>,
    /// Text that is unsaved, as the journal was told.
    journal: Option<String>,
    /// What the user's own editor makes of a text.
    outside: fn(String) -> Edited,
    suspended: usize,
    mouse: bool,
    redrawn: bool,
    /// Questions that were taken back.
    withdrawn: Vec<Question>,
    memory: Memory,
    /// What the worker has at hand.
    known: Rc<RefCell<Known>>,
}

impl Bench {
    /// The value of a parameter in the last analysis.
    fn parameter(&self, number: usize) -> f64 {
        let analysis = self.state.analysis.as_ref().unwrap();
        analysis.model().system.parameters[number].value
    }

    fn new(system: &str, size: (u16, u16)) -> Self {
        let text = find(system).map_or(system, |known| known.text).to_owned();
        let source = match find(system) {
            Some(known) => Source::BuiltIn(known.name.to_owned()),
            None => Source::File("mine.yaml".into()),
        };
        let (state, first) = State::open(Opening {
            source,
            text: text.clone(),
            changes: crate::system::Changes::default(),
            theme: COLOUR,
            size,
            mouse: true,
            first_run: false,
            shown: Shown::Screen,
        });
        let mut bench = Self {
            state,
            disk: BTreeMap::from([("mine.yaml".into(), text)]),
            answering: true,
            quit: false,
            clipboard: String::new(),
            kept: None,
            verdict: None,
            journal: None,
            outside: Edited::Done,
            suspended: 0,
            mouse: true,
            redrawn: false,
            withdrawn: Vec::new(),
            memory: Memory::default(),
            known: Rc::default(),
        };
        bench.carry_out(first);
        bench
    }

    /// The same, with a life of its own.
    fn again(&self) -> Self {
        Self {
            state: self.state.clone(),
            disk: self.disk.clone(),
            clipboard: self.clipboard.clone(),
            kept: self.kept.clone(),
            journal: self.journal.clone(),
            withdrawn: Vec::new(),
            memory: Memory::default(),
            known: Rc::clone(&self.known),
            ..*self
        }
    }

    /// All that a key could change.
    fn outcome(&mut self) -> impl PartialEq + use<> {
        let screen = self.buffer();
        let outside = (
            self.disk.clone(),
            self.quit,
            self.clipboard.clone(),
            self.suspended,
            self.mouse,
        );
        let (cursor, document) = (self.state.editor.cursor(), self.state.document.clone());
        (
            screen,
            outside,
            cursor,
            document,
            self.state.context(),
            self.verdict,
        )
    }

    /// One that opens paused at this time.
    pub fn paused(system: &str, size: (u16, u16), t: f64) -> Self {
        let mut bench = Self::new(system, size);
        bench.keys("space");
        bench.go_to(t);
        bench
    }

    /// Looks at another time of a motion that is paused.
    pub fn go_to(&mut self, t: f64) {
        self.state.playhead.t = t;
        self.state.look_again();
        // what is asked where nothing moves
        self.send(Event::Tick(0.0));
    }

    pub fn send(&mut self, event: Event) {
        let effects = update(&mut self.state, event);
        self.carry_out(effects);
    }

    #[allow(clippy::too_many_lines)] // a list: an effect, what it does here
    fn carry_out(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            let event = match effect {
                Effect::Analyse(request) if self.answering => {
                    let cancel = AtomicBool::new(false);
                    let mut known = self.known.borrow_mut();
                    match known.analyse(&request, &cancel, &mut |_| {}) {
                        Some(answer) => Event::Answer(answer),
                        None => continue,
                    }
                }
                Effect::Ask(about, question) if self.answering => {
                    let cancel = AtomicBool::new(false);
                    let mut known = self.known.borrow_mut();
                    match known.reply(&about, question, &cancel, &mut |_| {}) {
                        Some(reply) => Event::Replied(reply),
                        None => continue,
                    }
                }
                Effect::Analyse(_) | Effect::Ask(..) => continue,
                Effect::Withdraw(question) => {
                    self.withdrawn.push(question);
                    continue;
                }
                Effect::Redraw => {
                    self.redrawn = true;
                    continue;
                }
                Effect::Keep => {
                    let unsaved = self.state.modified.then(|| self.state.editor.text());
                    self.journal = unsaved;
                    continue;
                }
                Effect::Claim => {
                    self.journal = None;
                    let kept = self.kept.take().map(|text| Kept { text, age: None });
                    Event::Recovered {
                        kept,
                        others: Vec::new(),
                        shared: false,
                    }
                }
                Effect::Decide(verdict) => {
                    self.verdict = Some(verdict);
                    continue;
                }
                Effect::External(text) => Event::Edited((self.outside)(text)),
                Effect::Suspend => {
                    self.suspended += 1;
                    continue;
                }
                Effect::Mouse(wanted) => {
                    self.mouse = wanted;
                    continue;
                }
                Effect::Copy(text) => {
                    self.clipboard = text;
                    continue;
                }
                Effect::Quit(_) => {
                    self.quit = true;
                    continue;
                }
                Effect::Load(source) => {
                    let text = match &source {
                        Source::BuiltIn(name) => find(name).map(|known| known.text.to_owned()),
                        Source::File(path) => self.disk.get(path).cloned(),
                        Source::New => Some(crate::system::TEMPLATE.to_owned()),
                        Source::Input => None,
                    };
                    Event::Loaded {
                        source,
                        text: text.ok_or_else(|| "cannot read".to_owned()),
                    }
                }
                Effect::Write(writing) => {
                    if writing.path.starts_with("/nonexist") {
                        let how = Err("its folder does not exist".to_owned());
                        self.send(Event::Written { writing, how });
                        continue;
                    }
                    let how = match (self.disk.get(&writing.path), &writing.existing) {
                        (Some(_), Existing::Refuse) => Saved::Exists,
                        (Some(found), Existing::Unchanged(known)) if found != known => {
                            Saved::Changed
                        }
                        _ => {
                            let (path, text) = (writing.path.clone(), writing.text.clone());
                            self.disk.insert(path, text);
                            Saved::Done
                        }
                    };
                    Event::Written {
                        writing,
                        how: Ok(how),
                    }
                }
                Effect::List => Event::Listed {
                    files: Vec::new(),
                    kept: Vec::new(),
                },
            };
            self.send(event);
        }
    }

    /// Presses keys: names separated by blanks, such as `e ctrl-s esc`; other words are single keys.
    pub fn keys(&mut self, names: &str) {
        for name in names.split(' ').filter(|name| !name.is_empty()) {
            self.send(Event::Key(key(name)));
        }
    }

    /// Types text.
    fn write(&mut self, text: &str) {
        for symbol in text.chars() {
            let event = KeyEvent::new(KeyCode::Char(symbol), KeyModifiers::NONE);
            self.send(Event::Key(event));
        }
    }

    /// Empties the line that is typed into.
    fn clear_line(&mut self) {
        for _ in 0..60 {
            self.keys("backspace");
        }
    }

    /// Bytes that a terminal gets in so many seconds of play, after the first picture.
    fn bytes_while_playing(&mut self, seconds: f64) -> usize {
        /// Time between two pictures, as the program has it.
        const FRAME: f64 = 0.036;
        let (width, height) = self.state.size;
        let counter = Counter::default();
        let options = TerminalOptions {
            viewport: Viewport::Fixed(Rect::new(0, 0, width, height)),
        };
        let backend = CrosstermBackend::new(counter.clone());
        let mut terminal = Terminal::with_options(backend, options).unwrap();
        let mut first = 0;
        for frame in 0..=(seconds / FRAME) as usize {
            if frame > 0 {
                self.send(Event::Tick(FRAME));
            }
            let (state, memory) = (&self.state, &mut self.memory);
            terminal
                .draw(|frame| view::draw(state, frame, memory))
                .unwrap();
            if frame == 0 {
                first = counter.0.get();
            }
        }
        counter.0.get() - first
    }

    /// The screen.
    fn buffer(&mut self) -> Buffer {
        self.draw_on(self.state.size, Buffer::clone)
    }

    /// Draws it for a terminal of this size, whatever size the state knows of, and looks at it.
    fn draw_on<T>(&mut self, size: (u16, u16), look: impl FnOnce(&Buffer) -> T) -> T {
        let Ok(mut terminal) = Terminal::new(Blind(size.into()));
        let (state, memory) = (&self.state, &mut self.memory);
        let Ok(drawn) = terminal.draw(|frame| view::draw(state, frame, memory));
        look(drawn.buffer)
    }

    /// The screen as text.
    fn screen(&mut self) -> String {
        let buffer = self.buffer();
        let width = usize::from(buffer.area.width).max(1);
        let row = |cells: &[Cell]| {
            let text: String = cells.iter().map(Cell::symbol).collect();
            text.trim_end().to_owned()
        };
        let mut rows: Vec<String> = buffer.content.chunks(width).map(row).collect();
        // the drift of the energy is rounding, another one on another machine
        if let Some(first) = rows.first_mut()
            && let Some((before, _)) = first.split_once("E ")
        {
            *first = format!("{before}E ~");
        }
        // so is the residual of its balance
        for row in &mut rows {
            if let Some((before, rest)) = row.clone().split_once("residual ") {
                let end = rest.find([' ', ')']).unwrap_or(rest.len());
                let blank = "~".repeat(end);
                *row = format!("{before}residual {blank}{}", &rest[end..]);
            }
        }
        rows.join("\n")
    }
}

/// A terminal that shows nothing: what is drawn for it is looked at before it is sent.
struct Blind(Size);

impl Backend for Blind {
    type Error = Infallible;

    fn draw<'a, I>(&mut self, _: I) -> Result<(), Infallible>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        Ok(())
    }

    fn hide_cursor(&mut self) -> Result<(), Infallible> {
        Ok(())
    }

    fn show_cursor(&mut self) -> Result<(), Infallible> {
        Ok(())
    }

    fn get_cursor_position(&mut self) -> Result<Position, Infallible> {
        Ok(Position::ORIGIN)
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, _: P) -> Result<(), Infallible> {
        Ok(())
    }

    fn clear(&mut self) -> Result<(), Infallible> {
        Ok(())
    }

    fn clear_region(&mut self, _: ClearType) -> Result<(), Infallible> {
        Ok(())
    }

    fn size(&self) -> Result<Size, Infallible> {
        Ok(self.0)
    }

    fn window_size(&mut self) -> Result<WindowSize, Infallible> {
        Ok(WindowSize {
            columns_rows: self.0,
            pixels: Size::ZERO,
        })
    }

    fn flush(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}

/// Counts what is written.
#[derive(Clone, Default)]
struct Counter(Rc<cell::Cell<usize>>);

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.set(self.0.get() + bytes.len());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn key(name: &str) -> KeyEvent {
    let (modifiers, name) = match name.split_once('-') {
        Some(("ctrl", rest)) => (KeyModifiers::CONTROL, rest),
        Some(("shift", rest)) => (KeyModifiers::SHIFT, rest),
        _ => (KeyModifiers::NONE, name),
    };
    let code = match name {
        "space" => KeyCode::Char(' '),
        "enter" => KeyCode::Enter,
        "esc" => KeyCode::Esc,
        "tab" => KeyCode::Tab,
        "backtab" => KeyCode::BackTab,
        "left" => KeyCode::Left,
        "right" => KeyCode::Right,
        "up" => KeyCode::Up,
        "down" => KeyCode::Down,
        "home" => KeyCode::Home,
        "end" => KeyCode::End,
        "pgup" => KeyCode::PageUp,
        "pgdn" => KeyCode::PageDown,
        "backspace" => KeyCode::Backspace,
        "del" => KeyCode::Delete,
        "f1" => KeyCode::F(1),
        "f3" => KeyCode::F(3),
        single => KeyCode::Char(single.chars().next().unwrap()),
    };
    KeyEvent::new(code, modifiers)
}
