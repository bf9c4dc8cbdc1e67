//! The journal: what is typed and not saved is in a file, whatever happens to the program.
//!
//! A document has a file of its own in `holonom/journal` in `XDG_STATE_HOME` (`~/.local/state`), private to
//! the user: one line that says whose text it is, then the text. It is written by a thread of its own
//! within [`SPACING`] of a change (temporary file, fsync, rename), so that neither keys nor pictures wait for
//! a disk; it is removed when the text is saved or given up. One that is found when a document is opened
//! was left by a program that was killed, hung up, or lost its power: it is offered back.
//!
//! Where that place takes nothing, because there is no such folder, no room or no permission, the next one is
//! tried (see [`Location`]), and where none does, the program says so as long as it is so.
//!
//! Where a disk takes its time, that is said too: what was typed [`LATE`] ago and is in no file yet is not kept.
//!
//! An editor of the user's own gets a copy that belongs to the document's slot: what is saved there and never comes
//! back, because one of the programs was killed, is offered like the rest. What comes back is written to the journal
//! before the copy goes and before the terminal is taken again: a hang-up ends both programs at once.
//!
//! Two programs may have the same document open: each locks a slot of the document, and what lies in a
//! slot that nobody locks belongs to nobody alive.

pub mod slot;

use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::document::{Document, Source};
use super::event::Event;
use crate::disk::{self, Refusal, Whole};
use slot::{Location, Slot};

pub use slot::{is_saved, lend};

/// The least time between two writes.
const SPACING: Duration = Duration::from_millis(300);
/// Time after which a text that no place took is tried again.
const AGAIN: Duration = Duration::from_secs(2);
/// Time after which a text that is in no file is told as not kept: with what it takes to draw that, less than a second.
const LATE: Duration = Duration::from_millis(600);
/// Time between two looks at that.
const LOOK: Duration = Duration::from_millis(100);
/// What is said of such a text.
const SLOW: &str = "the disk is slow";

/// Text that an earlier session left unsaved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// The text.
    pub text: String,
    /// How long ago it was written, as far as the clock knows.
    pub age: Option<Duration>,
}

/// What becomes of text that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovery {
    /// It is the text of this session now.
    Restored,
    /// It is not wanted.
    Discarded,
    /// It stays where it is, and is offered again.
    Later,
}

/// The journal of the document that is open.
#[derive(Clone)]
pub struct Journal {
    shared: Arc<Shared>,
}

struct Shared {
    /// Where journals may lie, the best place first.
    places: Vec<Location>,
    /// Held while a file is written; of the three the first to be taken, where more than one is.
    pen: Mutex<Pen>,
    desk: Mutex<Desk>,
    bell: Condvar,
    voice: Mutex<Voice>,
}

#[derive(Default)]
struct Desk {
    unsaved: Option<String>,
    dirty: bool,
    closed: bool,
    /// When the oldest text was put here that nobody has taken to write it.
    put: Option<Instant>,
    /// The same of the text that is being written.
    taken: Option<Instant>,
}

#[derive(Default)]
struct Pen {
    document: Option<Document>,
    slot: Option<Slot>,
    /// Copies that came back from another editor: they go once the text is in a file of its own.
    returned: Vec<PathBuf>,
}

#[derive(Default)]
struct Voice {
    /// Why nothing is kept at the moment.
    trouble: Option<String>,
    /// Who is told of it.
    told: Option<Sender<Event>>,
}

impl Voice {
    /// Remembers whether text is kept, and tells where that has changed.
    fn tell(&mut self, trouble: Option<String>) {
        if self.trouble == trouble {
            return;
        }
        self.trouble.clone_from(&trouble);
        if let Some(told) = &self.told {
            // nobody listens any more at the end of the program
            let _ = told.send(Event::Keeping(trouble));
        }
    }
}

impl Journal {
    /// A journal in the first of these folders that takes it, or beside the file; its thread ends with the program.
    /// Whether text is kept is told to `told`. What programs that were killed have left there is cleared away.
    pub fn start(folders: Vec<PathBuf>, told: Sender<Event>) -> io::Result<Self> {
        let journal = Self::without_thread(folders);
        journal.voice().told = Some(told);
        let writer = journal.clone();
        thread::Builder::new()
            .name("journal".to_owned())
            .spawn(move || {
                writer.sweep();
                writer.write_on();
            })?;
        let watch = journal.clone();
        thread::Builder::new()
            .name("journal watch".to_owned())
            .spawn(move || watch.look_on())?;
        Ok(journal)
    }

    fn sweep(&self) {
        let _pen = self.pen();
        for place in &self.shared.places {
            place.sweep();
        }
    }

    /// Says so while a text waits too long for its file: whatever writes it may be held up.
    fn look_on(&self) {
        let mut desk = self.desk();
        while !desk.closed {
            let Some(oldest) = desk.taken.or(desk.put) else {
                let woken = self.shared.bell.wait(desk);
                desk = woken.unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let mut voice = self.voice();
            if oldest.elapsed() >= LATE && voice.trouble.is_none() {
                voice.tell(Some(SLOW.to_owned()));
            }
            drop(voice);
            drop(desk);
            thread::sleep(LOOK);
            desk = self.desk();
        }
    }

    fn without_thread(folders: Vec<PathBuf>) -> Self {
        let folders = folders.into_iter().map(Location::Folder);
        Self {
            shared: Arc::new(Shared {
                places: folders.chain([Location::Beside]).collect(),
                desk: Mutex::default(),
                bell: Condvar::new(),
                pen: Mutex::default(),
                voice: Mutex::default(),
            }),
        }
    }

    fn desk(&self) -> MutexGuard<'_, Desk> {
        let desk = self.shared.desk.lock();
        desk.unwrap_or_else(PoisonError::into_inner)
    }

    fn pen(&self) -> MutexGuard<'_, Pen> {
        let pen = self.shared.pen.lock();
        pen.unwrap_or_else(PoisonError::into_inner)
    }

    fn voice(&self) -> MutexGuard<'_, Voice> {
        let voice = self.shared.voice.lock();
        voice.unwrap_or_else(PoisonError::into_inner)
    }

    fn write_on(&self) {
        loop {
            let again = self.voice().trouble.is_some();
            let mut desk = self.desk();
            while !desk.dirty && !desk.closed {
                if again && desk.unsaved.is_some() {
                    // the disk may have room again though nothing is typed
                    let waited = self.shared.bell.wait_timeout(desk, AGAIN);
                    desk = waited.unwrap_or_else(PoisonError::into_inner).0;
                    break;
                }
                let woken = self.shared.bell.wait(desk);
                desk = woken.unwrap_or_else(PoisonError::into_inner);
            }
            if desk.closed {
                return;
            }
            drop(desk);
            self.write(&mut self.pen());
            thread::sleep(SPACING);
        }
    }

    /// The document is another one, or has another name: what was kept of the one before is settled.
    /// Text of an earlier session of this document, where there is any: the newest.
    pub fn claim(&self, document: &Document) -> Option<Kept> {
        let mut pen = self.pen();
        {
            let mut desk = self.desk();
            (desk.unsaved, desk.dirty, desk.put) = (None, false, None);
        }
        if let Some(slot) = pen.slot.take().filter(|slot| !slot.found) {
            let _ = fs::remove_file(&slot.path);
        }
        pen.document = Some(document.clone());
        slot::sweep_beside(document);
        let places = self.shared.places.iter();
        let found = places.filter_map(|place| Slot::found(place, document));
        let newest = found.max_by_key(Slot::written);
        let Some(slot) = newest else {
            let trouble = self.settle(&mut pen).err();
            self.voice().tell(trouble);
            return None;
        };
        self.voice().tell(None);
        let text = slot.text();
        let written = slot.written();
        pen.slot = Some(slot);
        Some(Kept {
            text: text?,
            age: written.and_then(|time| time.elapsed().ok()),
        })
    }

    /// Whether another session that is alive has the same file open.
    pub fn is_shared(&self) -> bool {
        let pen = self.pen();
        let is_file = pen.document.as_ref().is_some_and(|d| d.path().is_some());
        is_file && pen.slot.as_ref().is_some_and(|slot| slot.shared)
    }

    /// Where an editor has saved what cannot be offered: it is no UTF-8 text, or too long.
    pub fn unread(&self) -> Option<PathBuf> {
        self.pen().slot.as_ref()?.unread()
    }

    /// Takes a place in which nothing lies yet, or says why there is none.
    fn settle(&self, pen: &mut Pen) -> Result<(), String> {
        let Some(document) = &pen.document else {
            return Ok(());
        };
        pen.slot = Some(self.first_place(Vec::new(), |place| Slot::empty(place, document))?);
        Ok(())
    }

    /// What the first place gives that refuses nothing; else why, beside what was refused before.
    fn first_place<T>(
        &self,
        mut refused: Vec<Refusal>,
        tried: impl Fn(&Location) -> Result<T, Refusal>,
    ) -> Result<T, String> {
        for place in &self.shared.places {
            match tried(place) {
                Ok(found) => return Ok(found),
                Err(refusal) => refused.push(refusal),
            }
        }
        Err(reason(&refused))
    }

    /// Remembers this text as unsaved, or that there is none; the file follows.
    pub fn keep(&self, unsaved: Option<String>) {
        let mut desk = self.desk();
        if unsaved.is_some() {
            desk.put.get_or_insert_with(Instant::now);
        }
        desk.unsaved = unsaved;
        desk.dirty = true;
        self.shared.bell.notify_all();
    }

    /// What becomes of the text that [`Self::claim`] found.
    pub fn decide(&self, verdict: Recovery) {
        let mut pen = self.pen();
        if verdict == Recovery::Later {
            self.set_aside(&mut pen);
            return;
        }
        let pen = &mut *pen;
        let (Some(slot), Some(document)) = (&mut pen.slot, &pen.document) else {
            return;
        };
        if !std::mem::take(&mut slot.found) {
            return;
        }
        if verdict == Recovery::Discarded {
            slot.give_up();
        } else {
            // where there is no room for it now it stays where the other editor has put it
            let _ = slot.take_over(&document.source);
        }
    }

    /// A place for the copy of the text that another editor gets, where there is one: none where such a copy lies
    /// already, with what nobody has taken back.
    pub fn copy(&self) -> Option<PathBuf> {
        let pen = self.pen();
        let slot = pen.slot.as_ref().filter(|slot| !slot.found)?;
        Some(slot.copy()).filter(|copy| !slot::is_saved(copy))
    }

    /// What another editor has saved in its copy is unsaved text, or none; the copy goes when that is in a file.
    pub fn take_back(&self, copy: PathBuf, unsaved: Option<String>) {
        let mut pen = self.pen();
        pen.returned.push(copy);
        self.keep(unsaved);
        self.write(&mut pen);
    }

    /// Clears a copy that another editor has got and never written to.
    pub fn forget_copy(&self) {
        let pen = self.pen();
        let copy = pen.slot.as_ref().map(Slot::copy);
        if let Some(copy) = copy.filter(|copy| !slot::is_saved(copy)) {
            let _ = fs::remove_file(copy);
        }
    }

    /// Leaves what was found where it is, and takes another place.
    fn set_aside(&self, pen: &mut Pen) {
        // held until there is another: that one is not to be the same
        let found = pen.slot.take_if(|slot| slot.found);
        if found.is_some() {
            let trouble = self.settle(pen).err();
            self.voice().tell(trouble);
        }
    }

    /// Brings the file up to date; where the text is, if it is unsaved and could be written.
    fn write(&self, pen: &mut Pen) -> Option<PathBuf> {
        let unsaved = {
            let mut desk = self.desk();
            desk.dirty = false;
            desk.taken = desk.put.take();
            desk.unsaved.clone()
        };
        let written = if let Some(text) = unsaved {
            // typed on without a word about what was found: both are kept
            self.set_aside(pen);
            self.put(pen, &text).map(Some)
        } else {
            if let Some(slot) = pen.slot.as_ref().filter(|slot| !slot.found) {
                let _ = fs::remove_file(&slot.path);
            }
            Ok(None)
        };
        if written.is_ok() {
            for copy in pen.returned.drain(..) {
                let _ = fs::remove_file(copy);
            }
        }
        let late = {
            let mut desk = self.desk();
            desk.taken = None;
            desk.put.is_some_and(|put| put.elapsed() >= LATE)
        };
        let mut voice = self.voice();
        match &written {
            Err(trouble) => voice.tell(Some(trouble.clone())),
            // what was typed meanwhile waits already
            Ok(_) if late => {}
            Ok(Some(_)) => voice.tell(None),
            Ok(None) if voice.trouble.as_deref() == Some(SLOW) => voice.tell(None),
            Ok(None) => {}
        }
        written.ok().flatten()
    }

    /// Writes the text into the slot that is held; where that takes it no more, into another.
    fn put(&self, pen: &mut Pen, text: &str) -> Result<PathBuf, String> {
        let Some(document) = pen.document.clone() else {
            return Err("there is no document".to_owned());
        };
        let mut refused = Vec::new();
        if let Some(slot) = &pen.slot {
            match slot.write(&document.source, text) {
                Ok(()) => return Ok(slot.path.clone()),
                Err(refusal) => refused.push(refusal),
            }
        }
        let slot = self.first_place(refused, |place| {
            let slot = Slot::empty(place, &document)?;
            slot.write(&document.source, text)?;
            Ok(slot)
        })?;
        let path = slot.path.clone();
        if let Some(old) = pen.slot.replace(slot) {
            // an earlier state of the same text
            let _ = fs::remove_file(&old.path);
        }
        Ok(path)
    }

    /// Writes at once what is unsaved; where it is. `Err` where it is nowhere, with the reason.
    pub fn rescue(&self) -> Result<Option<PathBuf>, String> {
        let mut pen = self.pen();
        let written = self.write(&mut pen);
        let trouble = self.voice().trouble.clone();
        match (written, trouble) {
            (Some(path), _) => Ok(Some(path)),
            (None, Some(trouble)) if self.desk().unsaved.is_some() => Err(trouble),
            (None, _) => Ok(None),
        }
    }

    /// Ends the journal of a session that nothing is left of; the file is up to date afterwards.
    pub fn close(&self) {
        let mut pen = self.pen();
        self.write(&mut pen);
        pen.slot = None;
        self.desk().closed = true;
        self.shared.bell.notify_all();
    }

    /// Other documents that have text left by an earlier session; by name.
    pub fn others(&self) -> Vec<Source> {
        let here = self.pen().document.as_ref().map(|d| d.source.clone());
        let mut sources: Vec<Source> = Vec::new();
        for source in self.shared.places.iter().flat_map(Location::left) {
            if !sources.contains(&source)
                && !here.as_ref().is_some_and(|here| slot::same(here, &source))
            {
                sources.push(source);
            }
        }
        sources
    }
}

/// Why a text is not kept, in the few words that a header has room for: where places refused it for several reasons
/// one that the user can do something about.
fn reason(refused: &[Refusal]) -> String {
    use io::ErrorKind::{PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull};
    let known = |refusal: &Refusal| {
        let error = match refusal {
            Refusal::Io(error) => error,
            Refusal::NoFolder => return None,
            other => return Some(other.to_string()),
        };
        let words = match error.kind() {
            StorageFull => "the disk is full",
            PermissionDenied => "no permission to write",
            ReadOnlyFilesystem => "the disk is read-only",
            QuotaExceeded => "the quota is used up",
            _ => return None,
        };
        Some(words.to_owned())
    };
    let any = || refused.first().map(Refusal::to_string);
    let words = refused.iter().find_map(known).or_else(any);
    words.unwrap_or_default()
}

/// Where programs keep what is not worth a place of its own: `holonom` in `XDG_STATE_HOME`.
pub fn state_folder() -> Option<PathBuf> {
    let state = folder_named("XDG_STATE_HOME")
        .or_else(|| Some(folder_named("HOME")?.join(".local/state")))?;
    Some(state.join("holonom"))
}

/// Where journals may lie, the best first: what is in `XDG_RUNTIME_DIR` ends with the user's last login.
pub fn folders() -> Vec<PathBuf> {
    let runtime = folder_named("XDG_RUNTIME_DIR").map(|folder| folder.join("holonom"));
    let all = state_folder().into_iter().chain(runtime);
    all.map(|folder| folder.join("journal")).collect()
}

/// What is not absolute is to be ignored, says the specification.
fn folder_named(name: &str) -> Option<PathBuf> {
    let path = PathBuf::from(std::env::var_os(name)?);
    path.is_absolute().then_some(path)
}

#[cfg(test)]
mod tests;
