//! The loop: an event, the next state, what is to be done, and a picture if anything has changed.
//!
//! Four threads feed one channel: the keys, the signals, the worker, the watch. So input never waits for
//! drawing, and a terminal that has vanished can hold up nothing but itself.

use std::collections::VecDeque;
use std::io::{self, IsTerminal, Write, stdin, stdout};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use crossterm::clipboard::CopyToClipboard;
use crossterm::execute;
use crossterm::terminal::size;

use super::document::{self, Source};
use super::event::Event;
use super::face::{self, Face};
use super::journal::{Journal, folders, state_folder};
use super::keyboard::{self, Keyboard};
use super::layout::bounded;
use super::outside::{self, AWAY};
use super::state::{Effect, Opening, Shown, State, Writing};
use super::terminal::{self, Taken};
use super::update::{SIGHUP, update};
use super::watch::Watch;
use super::worker::Worker;
use crate::disk::Refusal;
use crate::system::shown;

/// A longer time between two ticks is no motion to be made up for.
const LONGEST_TICK: f64 = 0.25;
/// How long the program may take to end by itself after a signal.
const PATIENCE: Duration = Duration::from_millis(1200);
/// How long a terminal that takes no more may take to be given back.
const LAST_WORDS: Duration = Duration::from_millis(300);

/// How the workbench ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ending {
    /// The signal that ended it, if one did.
    pub signal: Option<i32>,
    /// Where unsaved text was put.
    pub rescued: Option<PathBuf>,
    /// Why it could be put nowhere.
    pub lost: Option<String>,
}

impl Ending {
    /// An end that did not ask: what is unsaved is put where it can be.
    fn unasked(journal: &Journal) -> Self {
        let (rescued, lost) = match journal.rescue() {
            Ok(path) => (path, None),
            Err(why) => (None, Some(why)),
        };
        Self {
            signal: None,
            rescued,
            lost,
        }
    }

    /// What is to be said of the text after the terminal was given back.
    pub fn words(&self) -> Option<String> {
        let lost = |why: &String| format!("unsaved text could not be kept: {why}");
        let rescued = |path: &PathBuf| {
            let path = shown(path);
            format!(
                "unsaved text is in {path}; holonom offers it back when it opens the system again"
            )
        };
        let rescued = self.rescued.as_ref().map(rescued);
        rescued.or_else(|| self.lost.as_ref().map(lost))
    }
}

/// Runs the workbench until it is left.
pub fn run(mut opening: Opening) -> io::Result<Ending> {
    let (sender, events) = channel();
    opening.first_run = state_folder().is_some_and(|folder| !folder.exists());
    let journal = Journal::start(folders(), sender.clone())?;
    opening.mouse &= opening.shown != Shown::Lines;
    terminal::set_mouse(opening.mouse)?;
    terminal::set_lines(opening.shown == Shown::Lines);
    let taken = Taken::take()?;
    let worker = Worker::start(sender.clone())?;
    let watch = Watch::start(sender.clone())?;
    signals(&sender, &journal)?;
    let keyboard = Keyboard::start(sender.clone())?;
    let mut face = match opening.shown {
        Shown::Lines => Face::Lines(Box::default()),
        shown => Face::screen(bounded(size()?), shown == Shown::FewPictures)?,
    };
    opening.size = face.size(size()?);
    let (state, first) = State::open(opening);
    let mut app = App {
        state,
        worker,
        watch,
        keyboard,
        journal: journal.clone(),
        face: &mut face,
    };
    let ended = catch_unwind(AssertUnwindSafe(|| app.go(first, &events)));
    let ended = ended.unwrap_or_else(|panic| {
        if let Some(words) = Ending::unasked(&journal).words() {
            let _ = writeln!(io::stderr(), "{words}");
        }
        resume_unwind(panic)
    });
    // a terminal that is gone is a hang-up, whatever was told first: the signal, or that writing fails
    let ended = match ended {
        Err(_) if !stdin().is_terminal() => Ok(Some(SIGHUP)),
        ended => ended,
    };
    // whatever ended it without asking: nothing typed is lost
    let ending = match &ended {
        Ok(None) => {
            journal.forget_copy();
            Ending::default()
        }
        Ok(Some(_)) | Err(_) => Ending::unasked(&journal),
    };
    journal.close();
    face.close();
    drop(taken);
    Ok(Ending {
        signal: ended?,
        ..ending
    })
}

/// The end, and the signal that made it.
struct End(Option<i32>);

struct App<'a> {
    state: State,
    worker: Worker,
    watch: Watch,
    keyboard: Keyboard,
    journal: Journal,
    face: &'a mut Face,
}

impl App<'_> {
    /// Until the end; the signal that made it, if one did.
    fn go(&mut self, first: Vec<Effect>, events: &Receiver<Event>) -> io::Result<Option<i32>> {
        let mut ticked = Instant::now();
        if let Some(end) = self.carry_out_all(first)? {
            return Ok(end.0);
        }
        loop {
            if self.state.changed {
                self.draw()?;
            }
            let event = if self.state.animated() {
                match events.recv_timeout(self.face.frame().saturating_sub(ticked.elapsed())) {
                    Err(RecvTimeoutError::Disconnected) => return Ok(None),
                    event => event.ok(),
                }
            } else {
                let event = events.recv().ok();
                ticked = Instant::now();
                event
            };
            // what came meanwhile is one picture
            let mut waiting: VecDeque<Event> = event.into_iter().chain(events.try_iter()).collect();
            while let Some(event) = keyboard::next(&self.state, &mut waiting) {
                let effects = update(&mut self.state, event);
                if let Some(end) = self.carry_out_all(effects)? {
                    return Ok(end.0);
                }
            }
            let frame = self.face.frame();
            if ticked.elapsed() >= frame {
                let most = LONGEST_TICK.max(2.0 * frame.as_secs_f64());
                let seconds = ticked.elapsed().as_secs_f64().min(most);
                ticked = Instant::now();
                let effects = update(&mut self.state, Event::Tick(seconds));
                if let Some(end) = self.carry_out_all(effects)? {
                    return Ok(end.0);
                }
            }
        }
    }

    /// Does what is to be done, and what that leads to, before the next key: keys typed ahead of a list or a
    /// question are meant for it. The end, if that is what it comes to.
    fn carry_out_all(&mut self, effects: Vec<Effect>) -> io::Result<Option<End>> {
        let mut effects = VecDeque::from(effects);
        while let Some(effect) = effects.pop_front() {
            if let Effect::Quit(signal) = effect {
                return Ok(Some(End(signal)));
            }
            if let Some(event) = self.carry_out(effect)? {
                effects.extend(update(&mut self.state, event));
            }
        }
        Ok(None)
    }

    fn draw(&mut self) -> io::Result<()> {
        #[cfg(test)]
        super::tests::crash::on_demand(&self.state);
        let remark = self.face.show(&self.state)?;
        self.state.changed = false;
        if let Some(remark) = remark {
            self.state.note(remark);
        }
        Ok(())
    }

    /// Does it; what comes of it at once.
    fn carry_out(&mut self, effect: Effect) -> io::Result<Option<Event>> {
        match effect {
            Effect::Analyse(request) => self.worker.ask(request),
            Effect::Ask(about, question) => self.worker.question(about, question),
            Effect::Withdraw(question) => self.worker.withdraw(&question),
            Effect::Keep => {
                let unsaved = self.state.modified.then(|| self.state.editor.text());
                self.journal.keep(unsaved);
                self.follow();
            }
            Effect::Claim => {
                let kept = self.journal.claim(&self.state.document);
                self.follow();
                let others = self.journal.others();
                let shared = self.journal.is_shared();
                if let Some(copy) = self.journal.unread() {
                    let copy = shown(&copy);
                    self.state.complain(format!(
                        "{copy} holds what an editor saved and holonom could not read"
                    ));
                }
                return Ok(Some(Event::Recovered {
                    kept,
                    others,
                    shared,
                }));
            }
            Effect::Decide(verdict) => self.journal.decide(verdict),
            Effect::Mouse(wanted) => terminal::set_mouse(wanted)?,
            Effect::Suspend => self.suspend()?,
            Effect::External(text) => {
                terminal::restore();
                let (document, place) = (&self.state.document, self.journal.copy());
                let edit = || outside::edit(document, &text, place);
                let returned = self.keyboard.without(edit);
                // before the terminal is looked for: it may be gone, with all that is in memory only
                if let Some((text, copy)) = returned.edited.text().zip(returned.copy) {
                    let differs = text != self.state.document.saved;
                    self.journal
                        .take_back(copy, differs.then(|| text.to_owned()));
                }
                self.come_back()?;
                return Ok(Some(Event::Edited(returned.edited)));
            }
            // it cannot be told how to copy: what would be there is said
            Effect::Copy(text) if matches!(self.face, Face::Lines(_)) => {
                face::write(&format!("\r\n{}", text.trim_end().replace('\n', "\r\n")))?;
            }
            Effect::Copy(text) => execute!(stdout(), CopyToClipboard::to_clipboard_from(text))?,
            Effect::Redraw => self.come_back()?,
            Effect::Quit(_) => {}
            Effect::Load(source) => {
                let text = load(&source);
                return Ok(Some(Event::Loaded { source, text }));
            }
            Effect::Write(writing) => {
                let how = document::save(&writing.path, &writing.text, &writing.existing);
                let how = how.map_err(|error| cannot(&writing, &error, self.state.editing));
                return Ok(Some(Event::Written { writing, how }));
            }
            Effect::List => {
                let files = document::list(Path::new("."));
                let kept = self.journal.others();
                return Ok(Some(Event::Listed { files, kept }));
            }
        }
        Ok(None)
    }

    /// The watch knows what the file holds as far as the state does.
    fn follow(&self) {
        let state = &self.state;
        self.watch.follow(state.document.path(), state.on_disk());
    }

    /// Leaves the terminal to the shell, until the shell lets the program go on.
    fn suspend(&mut self) -> io::Result<()> {
        if !terminal::is_job() {
            self.state
                .note("there is no shell to go back to (undo is u, while editing Alt-U or Ctrl-_)");
            return Ok(());
        }
        terminal::restore();
        terminal::stop()?;
        self.come_back()
    }

    /// Takes the terminal again, whatever was done to it meanwhile.
    fn come_back(&mut self) -> io::Result<()> {
        // raw mode is set anew: the shell has set its own
        terminal::restore();
        terminal::enter()?;
        self.state.size = self.face.size(size()?);
        // all of it; `clear` would ask the terminal where the cursor is, and the answer is for the keys' thread
        self.face.anew(self.state.size)?;
        self.state.changed = true;
        Ok(())
    }
}

/// Why a file was not written, and the way out.
fn cannot(writing: &Writing, why: &Refusal, editing: bool) -> String {
    let what = if writing.then.is_some() {
        "save"
    } else {
        "write"
    };
    let way = match writing.then {
        _ if writing.prompt.is_some() => "give another name",
        Some(_) if editing => "Esc O saves under another name",
        Some(_) => "O saves under another name",
        None => "give another name",
    };
    format!("cannot {what} {}: {why}; {way}", shown(&writing.path))
}

fn load(source: &Source) -> Result<String, String> {
    match source {
        Source::BuiltIn(name) => match crate::system::find(name) {
            Some(known) => Ok(known.text.to_owned()),
            None => Err(format!("unknown built-in system {name}")),
        },
        Source::File(path) => {
            document::read(path).map_err(|error| format!("cannot read {}: {error}", shown(path)))
        }
        Source::New => Ok(crate::system::TEMPLATE.to_owned()),
        Source::Input => Err("standard input cannot be read again".to_owned()),
    }
}

/// Watches for the signals that stop or end a program. A program that does not end by itself (its terminal
/// is gone and takes no more) is ended, and its text is safe.
#[cfg(unix)]
fn signals(sender: &Sender<Event>, journal: &Journal) -> io::Result<()> {
    use signal_hook::consts::{
        SIGABRT, SIGALRM, SIGCONT, SIGHUP, SIGINT, SIGPROF, SIGQUIT, SIGTERM, SIGTSTP, SIGUSR1,
        SIGUSR2, SIGVTALRM, SIGXCPU, SIGXFSZ,
    };
    let watched = [
        SIGABRT, SIGALRM, SIGCONT, SIGHUP, SIGINT, SIGPROF, SIGQUIT, SIGTERM, SIGTSTP, SIGUSR1,
        SIGUSR2, SIGVTALRM, SIGXCPU, SIGXFSZ,
    ];
    let mut signals = signal_hook::iterator::Signals::new(watched)?;
    let (sender, journal) = (sender.clone(), journal.clone());
    thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || {
            for number in signals.forever() {
                let away = AWAY.load(Ordering::SeqCst);
                match number {
                    // the keys of an editor that has the terminal: both stop, the editor is interrupted
                    SIGTSTP if away => {
                        let _ = terminal::stop();
                    }
                    SIGCONT | SIGINT | SIGQUIT if away => {}
                    SIGTSTP => {
                        let _ = sender.send(Event::Suspend);
                    }
                    SIGCONT => {
                        let _ = sender.send(Event::Continued);
                    }
                    _ => {
                        let _ = sender.send(Event::Signal(number));
                        thread::sleep(PATIENCE);
                        let _ = journal.rescue();
                        // a terminal that takes no more would hold this up too
                        let last = thread::Builder::new().spawn(terminal::restore);
                        let begin = Instant::now();
                        while last.as_ref().is_ok_and(|thread| !thread.is_finished())
                            && begin.elapsed() < LAST_WORDS
                        {
                            thread::sleep(Duration::from_millis(10));
                        }
                        std::process::exit(128 + number);
                    }
                }
            }
        })?;
    Ok(())
}

#[cfg(not(unix))]
fn signals(_: &Sender<Event>, _: &Journal) -> io::Result<()> {
    Ok(())
}
