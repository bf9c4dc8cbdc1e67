//! A file that appears whole or not at all.

use super::{Refusal, Target, beside, unmade};
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// At most so many entries of a folder are looked at for what was left behind.
const MOST: usize = 10_000;
/// The ending of temporary files.
const ENDING: &str = ".tmp";
/// What stands before the number of the program that writes one.
const MARK: &str = ".holonom-";

/// The temporary files of this program, for an end that does not come back to where they are written.
static OPEN: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn open_files() -> MutexGuard<'static, Vec<PathBuf>> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Who may read a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Readers {
    /// As of the file that stands there, or as the user's umask says.
    AsBefore,
    /// Its owner alone.
    Owner,
}

/// A file being written beside its place.
#[derive(Debug)]
pub struct Whole {
    place: PathBuf,
    temporary: PathBuf,
    file: File,
}

impl Whole {
    /// Begins a file in the place of another, with the permissions of that one; clears what programs that were
    /// killed have left beside it.
    pub fn begin(target: &Target) -> Result<Self, Refusal> {
        if target.is_special() {
            return Err(Refusal::NotRegular);
        }
        if target.is_protected() {
            return Err(Refusal::Protected);
        }
        let whole = Self::begin_as(target.path(), Readers::AsBefore, target.known())?;
        if let Some((folder, name)) = whole.place.parent().zip(whole.temporary.file_name()) {
            let name = name.to_str().unwrap_or_default();
            if let Some(own) = name.rfind(MARK).and_then(|at| name.get(..at + MARK.len())) {
                sweep(folder, own);
            }
        }
        if let Some(known) = target.known() {
            // before there is anything to read in it
            whole.file.set_permissions(known.permissions())?;
        }
        Ok(whole)
    }

    /// Begins a file that its owner alone may read.
    pub fn begin_private(path: &Path) -> Result<Self, Refusal> {
        Self::begin_as(path, Readers::Owner, None)
    }

    fn begin_as(
        place: &Path,
        readers: Readers,
        known: Option<&fs::Metadata>,
    ) -> Result<Self, Refusal> {
        let temporary = beside(place, &format!("holonom-{}.tmp", std::process::id()))?;
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        if readers == Readers::Owner || known.is_some() {
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        }
        #[cfg(not(unix))]
        let _ = (readers, known);
        let file = match options.open(&temporary) {
            // a program that was killed had the number that is ours now
            Err(error) if error.kind() == ErrorKind::AlreadyExists && nobody_locks(&temporary) => {
                fs::remove_file(&temporary)?;
                options.open(&temporary)
            }
            opened => opened,
        }
        .map_err(|error| unmade(place, error))?;
        open_files().push(temporary.clone());
        // where a file system knows no locks, the number of the program has to do
        let _ = file.try_lock();
        Ok(Self {
            place: place.to_owned(),
            temporary,
            file,
        })
    }

    /// What is written to.
    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Makes it durable and puts it in its place: whatever happens, that holds the old content or the new one.
    pub fn commit(self) -> io::Result<()> {
        self.file.sync_all()?;
        fs::rename(&self.temporary, &self.place)?;
        if let Some(folder) = self.place.parent()
            && let Ok(folder) = File::open(folder)
        {
            // some file systems know no fsync of a folder; the file itself is safe
            let _ = folder.sync_all();
        }
        Ok(())
    }
}

impl Drop for Whole {
    fn drop(&mut self) {
        let mut open = open_files();
        if let Some(at) = open.iter().position(|path| *path == self.temporary) {
            open.swap_remove(at);
            // gone already where it was put in its place
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

/// Removes the temporary files of this program, which is about to end without coming back to them.
pub fn abandon() {
    for path in open_files().drain(..) {
        let _ = fs::remove_file(path);
    }
}

/// Removes the temporary files of a folder that programs which were killed have left, of those whose names begin so.
pub fn sweep(folder: &Path, beginning: &str) {
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries.take(MOST) {
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        let number = name.strip_suffix(ENDING).and_then(|rest| {
            let at = rest.rfind(MARK)?;
            rest.get(at + MARK.len()..)?.parse::<u32>().ok()
        });
        let Some(number) = number.filter(|_| name.starts_with(beginning)) else {
            continue;
        };
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if is_file && !is_other_program(number) && nobody_locks(&entry.path()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// A lock goes with its program, whoever else has got its number since.
fn nobody_locks(path: &Path) -> bool {
    let file = OpenOptions::new().write(true).open(path);
    file.is_ok_and(|file| file.try_lock().is_ok())
}

/// Whether another program that is alive has this number.
#[cfg(unix)]
fn is_other_program(number: u32) -> bool {
    use rustix::process::{Pid, test_kill_process};
    let pid = i32::try_from(number).ok().and_then(Pid::from_raw);
    let alive = |pid| test_kill_process(pid) != Err(rustix::io::Errno::SRCH);
    number != std::process::id() && pid.is_some_and(alive)
}

#[cfg(not(unix))]
fn is_other_program(_: u32) -> bool {
    false
}
