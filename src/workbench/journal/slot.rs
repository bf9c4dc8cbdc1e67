//! Places for journals, and the slots in them: a slot is a file that one program alone writes to.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde_json::{Value, json};

use super::{Document, Refusal, Source, Whole, disk};
use crate::disk::beside;
use crate::system::spelled;
use crate::workbench::editor::MAX_TEXT;

/// Programs that may have the same document open and keep its text.
const SLOTS: usize = 16;
/// The longest first line of a journal: a path, each of its bytes escaped.
const MAX_HEADER: usize = 64 << 10;
/// The longest file that is read back; none that is written is longer (see [`MAX_TEXT`]), and one that is stays
/// where it is, whole.
const MAX_BYTES: usize = 2 * MAX_TEXT + MAX_HEADER;
/// What is written to see whether a place takes anything, bytes.
const PROBE: usize = 4096;
/// At most so many files of a folder are looked at.
const MAX_FILES: usize = 1000;
/// The ending of a text that lies beside its file.
const RECOVER: &str = "holonom-recover";
/// The ending of the copy that another editor gets: it is to know what kind of text that is.
const COPY: &str = "edit.yaml";

/// A place for journals.
#[derive(Debug)]
pub(super) enum Location {
    /// A folder for those of all documents, each with a first line that says whose text it is.
    Folder(PathBuf),
    /// `.NAME.holonom-recover` beside the document (of one that has no file yet: in the folder that the program
    /// was started in), the text as it is.
    Beside,
}

/// A place for the text of a document that this program alone writes to.
pub(super) struct Slot {
    pub(super) path: PathBuf,
    pub(super) lock: PathBuf,
    file: File,
    /// It holds the text of an earlier session, and nobody has decided about it.
    pub(super) found: bool,
    /// A program that is alive has the one before.
    pub(super) shared: bool,
    /// The text has a first line that says whose it is.
    headed: bool,
}

impl Drop for Slot {
    fn drop(&mut self) {
        // first the name, then the lock: see `Slot::take`
        let _ = fs::remove_file(&self.lock);
        let _ = self.file.unlock();
    }
}

impl Location {
    /// The paths of a document's slots.
    fn paths(&self, document: &Document) -> Vec<PathBuf> {
        match self {
            Self::Folder(folder) => {
                let name = name(&document.source);
                let path = |number| folder.join(format!("{name}-{number}.journal"));
                (0..SLOTS).map(path).collect()
            }
            Self::Beside => {
                let name = file(document);
                let ending = |number| match number {
                    0 => RECOVER.to_owned(),
                    _ => format!("{RECOVER}-{number}"),
                };
                let paths = (0..SLOTS).map(|number| beside(&name, &ending(number)).ok());
                paths.flatten().collect()
            }
        }
    }

    /// Clears what programs that were killed have left: temporary files, and locks that lock nothing.
    pub(super) fn sweep(&self) {
        let Self::Folder(folder) = self else { return };
        disk::sweep(folder, "");
        for path in files(folder, "lock") {
            // where a text lies another program may be about to look for it, and takes the lock itself
            let texts = ["journal", COPY].map(|ending| path.with_extension(ending));
            if !texts.iter().any(|text| text.exists()) {
                // taken and dropped it is gone
                drop(Slot::take(&texts[0], true));
            }
        }
    }

    /// The documents whose text was left in a folder.
    pub(super) fn left(&self) -> Vec<Source> {
        let Self::Folder(folder) = self else {
            return Vec::new();
        };
        let mut paths = files(folder, "journal");
        paths.sort();
        let left = paths.into_iter().filter_map(|path| {
            // a program that is alive keeps its lock
            Slot::take(&path, true)?;
            read(&path).ok()?.0
        });
        left.collect()
    }
}

/// The files of a folder with an ending.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.take(MAX_FILES).map(|e| e.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == ending));
    paths
}

impl Slot {
    /// A slot of a document in which an earlier session left something.
    pub(super) fn found(place: &Location, document: &Document) -> Option<Self> {
        let mut paths = place.paths(document).into_iter();
        let headed = matches!(place, Location::Folder(_));
        paths.find_map(|path| {
            // where nothing lies nothing is locked; a lock without a text was left by a program that was killed
            let there = |path: &Path| fs::symlink_metadata(path).is_ok();
            let others = ["lock", COPY].map(|ending| companion(&path, headed, ending));
            if !there(&path) && !others.iter().any(|path| there(path)) {
                return None;
            }
            Self::take(&path, headed).filter(|slot| slot.text().is_some())
        })
    }

    /// The first free slot of a document, in a place that takes what is written.
    pub(super) fn empty(place: &Location, document: &Document) -> Result<Self, Refusal> {
        if let Location::Folder(folder) = place {
            make_private(folder)?;
        }
        let headed = matches!(place, Location::Folder(_));
        let paths = place.paths(document);
        if let Some(path) = paths.first() {
            probe(path)?;
        }
        let mut shared = false;
        for path in paths {
            match Self::take(&path, headed) {
                Some(mut slot) if !slot.found => {
                    slot.shared = shared;
                    return Ok(slot);
                }
                Some(_) => {}
                None => shared = true,
            }
        }
        Err(Refusal::Io(io::ErrorKind::ResourceBusy.into()))
    }

    /// The slot, if nobody else has it.
    fn take(path: &Path, headed: bool) -> Option<Self> {
        let lock = companion(path, headed, "lock");
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt;
            // nobody makes it a link to something else, or a pipe that is waited for
            let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
            options.mode(0o600).custom_flags(flags.bits().cast_signed());
        }
        let file = options.open(&lock).ok()?;
        file.try_lock().ok()?;
        // between the two the one before may have removed the name: this would be a lock on nothing
        if !is_named(&file, &lock) {
            return None;
        }
        let mut slot = Self {
            path: path.to_owned(),
            lock,
            file,
            found: false,
            shared: false,
            headed,
        };
        slot.found = slot.text().is_some() || slot.is_unreadable();
        Some(slot)
    }

    /// The text in it: what another editor has saved in its copy and was not taken back, else what was kept.
    pub(super) fn text(&self) -> Option<String> {
        Some(self.newest()?.1)
    }

    fn newest(&self) -> Option<(Option<SystemTime>, String)> {
        // the copy began as what was kept, which may have been written once more when the program ended
        let copied = || Some((written(&self.copy()), self.copied()?));
        let kept = || Some((written(&self.path), self.kept()?));
        copied().or_else(kept)
    }

    fn kept(&self) -> Option<String> {
        if self.headed {
            return read(&self.path).ok().map(|(_, text)| text);
        }
        plain(&self.path)
    }

    /// What another editor has saved and nobody has taken back.
    fn copied(&self) -> Option<String> {
        let copy = self.copy();
        let bytes = disk::read(&copy, MAX_BYTES).ok()?;
        let text = String::from_utf8(bytes).ok().filter(|_| is_saved(&copy));
        text.filter(|text| !text.is_empty())
    }

    /// Where another editor has saved what is no text: it stays until the user does something about it.
    pub(super) fn unread(&self) -> Option<PathBuf> {
        let copy = self.copy();
        let is_empty = |copy: &Path| fs::metadata(copy).is_ok_and(|data| data.len() == 0);
        let is_lost = is_saved(&copy) && !is_empty(&copy) && self.copied().is_none();
        is_lost.then_some(copy)
    }

    /// Where another editor gets its copy.
    pub(super) fn copy(&self) -> PathBuf {
        companion(&self.path, self.headed, COPY)
    }

    /// What another editor has saved is kept as what is typed here is.
    pub(super) fn take_over(&self, source: &Source) -> Result<(), Refusal> {
        if self.copied().is_some() {
            if let Some(text) = self.text() {
                self.write(source, &text)?;
            }
            fs::remove_file(self.copy())?;
        }
        Ok(())
    }

    /// Gives up what lies in it.
    pub(super) fn give_up(&self) {
        let _ = fs::remove_file(&self.path);
        if self.unread().is_none() {
            let _ = fs::remove_file(self.copy());
        }
    }

    /// Something lies there that is too long to be read, or that may not be read: it is not to be overwritten.
    fn is_unreadable(&self) -> bool {
        match disk::head(&self.path, MAX_BYTES + 1) {
            Ok(bytes) => bytes.len() > MAX_BYTES,
            Err(Refusal::Io(error)) => error.kind() != io::ErrorKind::NotFound,
            Err(_) => true,
        }
    }

    /// When its text was written.
    pub(super) fn written(&self) -> Option<SystemTime> {
        self.newest()?.0
    }

    /// Puts a text of this document into it.
    pub(super) fn write(&self, source: &Source, text: &str) -> Result<(), Refusal> {
        if self.headed {
            write_private(&self.path, content(source, text).as_bytes())
        } else {
            write_private(&self.path, text.as_bytes())
        }
    }
}

/// The name of another file of a slot.
fn companion(path: &Path, headed: bool, ending: &str) -> PathBuf {
    if headed {
        return path.with_extension(ending);
    }
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    name.into()
}

fn written(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|data| data.modified()).ok()
}

/// A text without a first line that says whose it is.
fn plain(path: &Path) -> Option<String> {
    let bytes = disk::read(path, MAX_BYTES).ok()?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    (!text.is_empty()).then_some(text)
}

/// Makes the copy of a text that another editor gets, with a time stamp that no editor leaves.
pub fn lend(copy: &Path, text: &str) -> Result<(), Refusal> {
    write_private(copy, text.as_bytes())?;
    let file = File::options().write(true).open(copy)?;
    Ok(file.set_modified(SystemTime::UNIX_EPOCH)?)
}

/// Whether another editor has written to its copy.
pub fn is_saved(copy: &Path) -> bool {
    written(copy).is_some_and(|time| time != SystemTime::UNIX_EPOCH)
}

/// The file of a document, or what it would be called in the folder that the program was started in.
fn file(document: &Document) -> PathBuf {
    match &document.source {
        Source::File(path) => path.clone(),
        _ => document.suggestion().into(),
    }
}

/// Clears what killed programs have left beside a document: temporary files of saves, and of text kept there.
pub(super) fn sweep_beside(document: &Document) {
    let path = file(document);
    let folder = path.parent().unwrap_or(Path::new(""));
    for (before, ending) in [("", "holonom-"), (".", RECOVER)] {
        let hidden = beside(&path, ending).ok();
        if let Some(name) = hidden.as_deref().and_then(Path::file_name) {
            disk::sweep(folder, &format!("{before}{}", spelled(Path::new(name))));
        }
    }
}

/// Whether a place takes anything: a full disk makes files, and keeps nothing in them.
fn probe(path: &Path) -> Result<(), Refusal> {
    let mut whole = Whole::begin_private(path)?;
    // dropped, it is gone
    Ok(whole.file().write_all(&[b' '; PROBE])?)
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
pub(super) fn same(one: &Source, other: &Source) -> bool {
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

/// A name for the journals of a document: words for people, a number that tells it from others.
fn name(source: &Source) -> String {
    let (kind, bytes) = identity(source);
    let number = disk::fnv1a(&[kind.as_bytes(), &[0], &bytes].concat());
    let words: String = source
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
        Source::File(path) => json!({"holonom": 1, "file": spelled(&whole(path))}),
        Source::Input => json!({"holonom": 1, "input": true}),
        Source::New => json!({"holonom": 1, "new": true}),
    }
}

/// What a journal holds.
pub(in crate::workbench) fn content(source: &Source, text: &str) -> String {
    format!("{}\n{text}", header(source))
}

/// Whose text a journal holds, and the text.
pub(super) fn read(path: &Path) -> Result<(Option<Source>, String), Refusal> {
    let bytes = disk::read(path, MAX_BYTES)?;
    parsed(&bytes).ok_or_else(|| Refusal::Io(io::ErrorKind::InvalidData.into()))
}

/// The same of what a journal holds; `None` where that is damaged.
pub(in crate::workbench) fn parsed(bytes: &[u8]) -> Option<(Option<Source>, String)> {
    let content = String::from_utf8_lossy(bytes);
    let (first, text) = content.split_once('\n')?;
    let first: Value = serde_json::from_str(first).ok()?;
    first.get("holonom")?;
    let word = |key: &str| first.get(key).and_then(Value::as_str);
    let source = if let Some(name) = word("built_in") {
        Some(Source::BuiltIn(name.to_owned()))
    } else if let Some(path) = word("file") {
        Some(Source::File(PathBuf::from(path)))
    } else {
        first.get("new").map(|_| Source::New)
    };
    Some((source, text.to_owned()))
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
pub fn write_private(path: &Path, content: &[u8]) -> Result<(), Refusal> {
    let mut whole = Whole::begin_private(path)?;
    whole.file().write_all(content)?;
    Ok(whole.commit()?)
}
