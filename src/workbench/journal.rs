//! The journal: what is typed and not saved is in a file, whatever happens to the program.
//!
//! A document has a file of its own in `holonom/journal` in `XDG_STATE_HOME` (`~/.local/state`), private to
//! the user: one line that says whose text it is, then the text. It is written by a thread of its own
//! within [`SPACING`] of a change (temporary file, fsync, rename), so that neither keys nor pictures wait for
//! a disk; it is removed when the text is saved or given up. One that is found when a document is opened
//! was left by a program that was killed, hung up, or lost its power: it is offered back.
//!
//! Two programs may have the same document open: each locks a slot of the document, and what lies in a
//! slot that nobody locks belongs to nobody alive.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::document::{Document, Source, beside};

/// The least time between two writes.
const SPACING: Duration = Duration::from_millis(300);
/// Programs that may have the same document open and keep its text.
const SLOTS: usize = 16;
/// The longest journal that is read, bytes.
const MAX_BYTES: u64 = 1 << 20;
/// At most so many files of the folder are looked at.
const MAX_FILES: usize = 1000;

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
pub enum Verdict {
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
    /// Where journals lie, if there is a place for them.
    folder: Option<PathBuf>,
    desk: Mutex<Desk>,
    bell: Condvar,
    /// Held while a file is written; taken before `desk`, never after it.
    pen: Mutex<Pen>,
}

#[derive(Default)]
struct Desk {
    unsaved: Option<String>,
    dirty: bool,
    closed: bool,
}

#[derive(Default)]
struct Pen {
    document: Option<Document>,
    slot: Option<Slot>,
}

/// A place for the text of a document that this program alone writes to.
struct Slot {
    path: PathBuf,
    lock: PathBuf,
    file: File,
    /// It holds the text of an earlier session, and nobody has decided about it.
    found: bool,
}

impl Drop for Slot {
    fn drop(&mut self) {
        // first the name, then the lock: see `Slot::take`
        let _ = fs::remove_file(&self.lock);
        let _ = self.file.unlock();
    }
}

impl Journal {
    /// A journal in this folder; its thread ends with the program.
    pub fn start(folder: Option<PathBuf>) -> io::Result<Self> {
        let journal = Self::without_thread(folder);
        let writer = journal.clone();
        thread::Builder::new()
            .name("journal".to_owned())
            .spawn(move || writer.write_on())?;
        Ok(journal)
    }

    fn without_thread(folder: Option<PathBuf>) -> Self {
        Self {
            shared: Arc::new(Shared {
                folder,
                desk: Mutex::default(),
                bell: Condvar::new(),
                pen: Mutex::default(),
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

    fn write_on(&self) {
        loop {
            let mut desk = self.desk();
            while !desk.dirty && !desk.closed {
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
    /// Text of an earlier session of this document, where there is any.
    pub fn claim(&self, document: &Document) -> Option<Kept> {
        let mut pen = self.pen();
        {
            let mut desk = self.desk();
            (desk.unsaved, desk.dirty) = (None, false);
        }
        if let Some(slot) = pen.slot.take().filter(|slot| !slot.found) {
            let _ = fs::remove_file(&slot.path);
        }
        pen.document = Some(document.clone());
        let folder = self.shared.folder.as_ref()?;
        make_private(folder).ok()?;
        pen.slot = Slot::choose(folder, &document.source, true);
        let slot = pen.slot.as_ref().filter(|slot| slot.found)?;
        let (_, text) = read(&slot.path).ok()?;
        let age = fs::metadata(&slot.path).and_then(|data| data.modified());
        Some(Kept {
            text,
            age: age.ok().and_then(|time| time.elapsed().ok()),
        })
    }

    /// Remembers this text as unsaved, or that there is none; the file follows.
    pub fn keep(&self, unsaved: Option<String>) {
        let mut desk = self.desk();
        desk.unsaved = unsaved;
        desk.dirty = true;
        self.shared.bell.notify_one();
    }

    /// What becomes of the text that [`Self::claim`] found.
    pub fn decide(&self, verdict: Verdict) {
        let mut pen = self.pen();
        if verdict == Verdict::Later {
            self.set_aside(&mut pen);
            return;
        }
        let Some(slot) = pen.slot.as_mut().filter(|slot| slot.found) else {
            return;
        };
        slot.found = false;
        if verdict == Verdict::Discarded {
            let _ = fs::remove_file(&slot.path);
        }
    }

    /// Leaves what was found where it is, and takes another place.
    fn set_aside(&self, pen: &mut Pen) {
        if pen.slot.take_if(|slot| slot.found).is_some()
            && let Some((folder, document)) = self.shared.folder.as_ref().zip(pen.document.as_ref())
        {
            pen.slot = Slot::choose(folder, &document.source, false);
        }
    }

    /// Brings the file up to date; where the text is, if it is unsaved and could be written.
    fn write(&self, pen: &mut Pen) -> Option<PathBuf> {
        let unsaved = {
            let mut desk = self.desk();
            desk.dirty = false;
            desk.unsaved.clone()
        };
        if unsaved.is_some() {
            // typed on without a word about what was found: both are kept
            self.set_aside(pen);
        }
        let slot = pen.slot.as_ref().filter(|slot| !slot.found)?;
        let Some(text) = unsaved else {
            let _ = fs::remove_file(&slot.path);
            return None;
        };
        let source = &pen.document.as_ref()?.source;
        let content = format!("{}\n{text}", header(source));
        write_private(&slot.path, content.as_bytes()).ok()?;
        Some(slot.path.clone())
    }

    /// Writes at once what is unsaved; where it is. Where there is no place for journals, or no room in it,
    /// it goes to `.NAME.holonom-recover` beside its file (of a built-in system: into the folder that the
    /// program was started in).
    pub fn rescue(&self) -> Option<PathBuf> {
        let mut pen = self.pen();
        let written = self.write(&mut pen);
        if written.is_some() {
            return written;
        }
        let text = self.desk().unsaved.clone()?;
        let name = PathBuf::from(pen.document.as_ref()?.suggestion());
        let path = beside(&name, "holonom-recover").ok()?;
        write_private(&path, text.as_bytes()).ok()?;
        Some(path)
    }

    /// Ends the journal of a session that nothing is left of; the file is up to date afterwards.
    pub fn close(&self) {
        let mut pen = self.pen();
        self.write(&mut pen);
        pen.slot = None;
        self.desk().closed = true;
        self.shared.bell.notify_one();
    }

    /// Other documents that have text left by an earlier session; by name.
    pub fn others(&self) -> Vec<Source> {
        let here = self.pen().document.as_ref().map(|d| d.source.clone());
        let Some(folder) = &self.shared.folder else {
            return Vec::new();
        };
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> = entries.take(MAX_FILES).map(|e| e.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|e| e == "journal"));
        paths.sort();
        let mut sources = Vec::new();
        for path in paths {
            // a program that is alive keeps its lock
            let free = Slot::take(&path, &path.with_extension("lock")).is_some();
            if let (true, Ok((Some(source), _))) = (free, read(&path))
                && !sources.contains(&source)
                && !here.as_ref().is_some_and(|here| same(here, &source))
            {
                sources.push(source);
            }
        }
        sources
    }
}

impl Slot {
    /// The first free place of a document: one in which something was left, if that is wanted and there is
    /// one; else an empty one.
    fn choose(folder: &Path, source: &Source, found: bool) -> Option<Self> {
        let name = name(source);
        let mut empty = None;
        for number in 0..SLOTS {
            let path = folder.join(format!("{name}-{number}.journal"));
            let Some(slot) = Self::take(&path, &path.with_extension("lock")) else {
                continue;
            };
            if !slot.found {
                empty.get_or_insert(slot);
            } else if found {
                return Some(slot);
            }
        }
        empty
    }

    /// The place, if nobody else has it.
    fn take(path: &Path, lock: &Path) -> Option<Self> {
        let file = private().truncate(false).open(lock).ok()?;
        file.try_lock().ok()?;
        // between the two the one before may have removed the name: this would be a lock on nothing
        if !is_named(&file, lock) {
            return None;
        }
        Some(Self {
            path: path.to_owned(),
            lock: lock.to_owned(),
            file,
            found: read(path).is_ok(),
        })
    }
}

#[cfg(unix)]
fn is_named(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let number = |data: fs::Metadata| (data.dev(), data.ino());
    file.metadata().map(number).ok() == fs::metadata(path).map(number).ok()
}

#[cfg(not(unix))]
fn is_named(_: &File, _: &Path) -> bool {
    true
}

/// Whether two sources are the same document.
fn same(one: &Source, other: &Source) -> bool {
    identity(one) == identity(other)
}

/// What tells documents apart: files by where they really are.
fn identity(source: &Source) -> (&'static str, Vec<u8>) {
    match source {
        Source::BuiltIn(name) => ("built_in", name.clone().into_bytes()),
        Source::File(path) => ("file", whole(path).into_os_string().into_encoded_bytes()),
        Source::Input => ("input", Vec::new()),
        Source::New => ("new", Vec::new()),
    }
}

fn whole(path: &Path) -> PathBuf {
    fs::canonicalize(path)
        .or_else(|_| std::path::absolute(path))
        .unwrap_or_else(|_| path.to_owned())
}

/// A name for the journals of a document: words for people, a number (FNV-1a) that tells it from others.
fn name(source: &Source) -> String {
    let (kind, bytes) = identity(source);
    let all = kind.bytes().chain([0]).chain(bytes);
    let number = all.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let document = Document {
        source: source.clone(),
        saved: String::new(),
    };
    let words: String = document
        .name()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .take(40)
        .collect();
    format!("{words}-{number:016x}")
}

/// The first line of a journal.
fn header(source: &Source) -> Value {
    match source {
        Source::BuiltIn(name) => json!({"holonom": 1, "built_in": name}),
        Source::File(path) => json!({"holonom": 1, "file": whole(path).to_string_lossy()}),
        Source::Input => json!({"holonom": 1, "input": true}),
        Source::New => json!({"holonom": 1, "new": true}),
    }
}

/// Whose text a journal holds, and the text.
fn read(path: &Path) -> io::Result<(Option<Source>, String)> {
    let mut bytes = Vec::new();
    if !fs::metadata(path)?.is_file() {
        return Err(io::ErrorKind::InvalidData.into());
    }
    File::open(path)?.take(MAX_BYTES).read_to_end(&mut bytes)?;
    let content = String::from_utf8_lossy(&bytes);
    let (first, text) = content.split_once('\n').ok_or(io::ErrorKind::InvalidData)?;
    let first: Value = serde_json::from_str(first)?;
    if first.get("holonom").is_none() {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let word = |key: &str| first.get(key).and_then(Value::as_str);
    let source = if let Some(name) = word("built_in") {
        Some(Source::BuiltIn(name.to_owned()))
    } else if let Some(path) = word("file") {
        Some(Source::File(PathBuf::from(path)))
    } else {
        first.get("new").map(|_| Source::New)
    };
    Ok((source, text.to_owned()))
}

/// A file that only its owner may read.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// A folder that only its owner may look into.
fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Writes a private file: whatever happens, it holds the old content or the new one.
pub fn write_private(path: &Path, content: &[u8]) -> io::Result<()> {
    let temporary = path.with_extension(format!("{}.tmp", std::process::id()));
    let _ = fs::remove_file(&temporary);
    let written = private()
        .create_new(true)
        .open(&temporary)
        .and_then(|mut file| {
            file.write_all(content)?;
            file.sync_all()
        })
        .and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
        return written;
    }
    if let Some(folder) = path.parent()
        && let Ok(folder) = File::open(folder)
    {
        let _ = folder.sync_all();
    }
    Ok(())
}

/// Where programs keep what is not worth a place of its own: `holonom` in `XDG_STATE_HOME`.
pub fn state_folder() -> Option<PathBuf> {
    // what is not absolute is to be ignored, says the specification
    let set = |name| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    let state = set("XDG_STATE_HOME").or_else(|| Some(set("HOME")?.join(".local/state")))?;
    Some(state.join("holonom"))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let name = format!("holonom-journal-{name}-{}", std::process::id());
            let path = std::env::temp_dir().join(name);
            fs::create_dir_all(&path).unwrap();
            Self(path)
        }

        /// A program that was started and writes when it is told to.
        fn program(&self) -> Journal {
            Journal::without_thread(Some(self.0.join("state")))
        }

        fn journals(&self) -> usize {
            let entries = fs::read_dir(self.0.join("state")).unwrap().flatten();
            let is = |e: &fs::DirEntry| e.path().extension().is_some_and(|e| e == "journal");
            entries.filter(is).count()
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn bead() -> Document {
        Document {
            source: Source::BuiltIn("bead".to_owned()),
            saved: String::new(),
        }
    }

    /// Ends a program as kill -9 does: locks are gone, files stay.
    fn kill(journal: &Journal) {
        if let Some(slot) = journal.pen().slot.take() {
            let lock = slot.lock.clone();
            drop(slot);
            fs::write(lock, "").unwrap();
        }
    }

    #[test]
    fn what_was_typed_is_offered_to_the_next_program_and_to_no_other() {
        let folder = Folder::new("offered");
        let first = folder.program();
        assert_eq!(first.claim(&bead()), None);
        first.keep(Some("typed\r\n\u{e9}".to_owned()));
        let path = first.rescue().unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
        }
        // the first one lives: what it keeps is its own
        let second = folder.program();
        assert_eq!(second.claim(&bead()), None);
        second.keep(Some("another".to_owned()));
        assert_ne!(second.rescue().unwrap(), path);
        assert!(second.others().is_empty());
        kill(&first);
        kill(&second);
        // another document is not asked about it, but told of it
        let mut other = bead();
        other.source = Source::File(folder.0.join("a.yaml"));
        let third = folder.program();
        assert_eq!(third.claim(&other), None);
        assert_eq!(third.others(), [bead().source]);
        // one after the other
        assert_eq!(third.claim(&bead()).unwrap().text, "typed\r\n\u{e9}");
        third.decide(Verdict::Discarded);
        third.close();
        let fourth = folder.program();
        assert_eq!(fourth.claim(&bead()).unwrap().text, "another");
        fourth.decide(Verdict::Restored);
        fourth.keep(Some("another one".to_owned()));
        fourth.rescue();
        kill(&fourth);
        let fifth = folder.program();
        assert_eq!(fifth.claim(&bead()).unwrap().text, "another one");
        fifth.decide(Verdict::Discarded);
        fifth.close();
        assert_eq!(fs::read_dir(folder.0.join("state")).unwrap().count(), 0);
    }

    #[test]
    fn what_is_not_decided_stays() {
        let folder = Folder::new("later");
        let first = folder.program();
        first.claim(&bead());
        first.keep(Some("old".to_owned()));
        first.rescue();
        kill(&first);
        // nothing said, nothing typed; then something typed; then put off
        let second = folder.program();
        assert!(second.claim(&bead()).is_some());
        second.keep(None);
        second.close();
        let third = folder.program();
        assert!(third.claim(&bead()).is_some());
        third.keep(Some("new".to_owned()));
        third.rescue();
        assert_eq!(folder.journals(), 2);
        third.keep(None);
        third.close();
        let fourth = folder.program();
        assert_eq!(fourth.claim(&bead()).unwrap().text, "old");
        fourth.decide(Verdict::Later);
        fourth.keep(Some("new".to_owned()));
        fourth.rescue();
        fourth.keep(None);
        fourth.close();
        assert_eq!(folder.program().claim(&bead()).unwrap().text, "old");
    }

    #[test]
    fn what_is_saved_or_left_is_forgotten() {
        let folder = Folder::new("saved");
        let journal = folder.program();
        journal.claim(&bead());
        journal.keep(Some("typed".to_owned()));
        assert!(journal.rescue().is_some());
        assert_eq!(folder.journals(), 1);
        journal.keep(None);
        assert_eq!(journal.rescue(), None);
        assert_eq!(folder.journals(), 0);
        // another document: the text of the one before was saved or given up
        journal.keep(Some("typed".to_owned()));
        journal.rescue();
        let mut other = bead();
        other.source = Source::New;
        assert_eq!(journal.claim(&other), None);
        assert_eq!(folder.journals(), 0);
    }

    #[test]
    fn the_thread_writes_soon() {
        let folder = Folder::new("thread");
        let journal = Journal::start(Some(folder.0.join("state"))).unwrap();
        journal.claim(&bead());
        for text in ["a", "ab", "abc"] {
            journal.keep(Some(text.to_owned()));
        }
        let path = journal.pen().slot.as_ref().unwrap().path.clone();
        let begin = std::time::Instant::now();
        while !read(&path).is_ok_and(|(_, text)| text == "abc") {
            assert!(begin.elapsed() < Duration::from_secs(30));
            thread::sleep(Duration::from_millis(10));
        }
        journal.close();
    }

    #[test]
    fn without_a_place_for_journals_it_goes_beside_the_file() {
        let folder = Folder::new("beside");
        let journal = Journal::without_thread(None);
        let mut document = bead();
        document.source = Source::File(folder.0.join("a.yaml"));
        assert_eq!(journal.claim(&document), None);
        assert_eq!(journal.rescue(), None);
        journal.keep(Some("typed".to_owned()));
        let path = folder.0.join(".a.yaml.holonom-recover");
        assert_eq!(journal.rescue(), Some(path.clone()));
        assert_eq!(fs::read_to_string(path).unwrap(), "typed");
    }

    #[test]
    fn damaged_journals_are_passed_over() {
        let folder = Folder::new("damaged");
        let journal = folder.program();
        journal.claim(&bead());
        journal.keep(Some("typed".to_owned()));
        let path = journal.rescue().unwrap();
        kill(&journal);
        for content in ["", "\n", "{\"holonom\":1}", "[]\ntext", "{}\ntext"] {
            fs::write(&path, content).unwrap();
            let next = folder.program();
            assert_eq!(next.claim(&bead()), None, "{content:?}");
            assert!(next.others().is_empty());
            kill(&next);
        }
    }
}
