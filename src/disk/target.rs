//! What stands at the place where a file is to be written.

use super::{Refusal, fnv1a};
use std::fs::{self, Metadata};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Names of files may be 255 bytes long on most systems; what is put before and behind one has room above this.
const LONGEST: usize = 180;

/// A place for a file: links followed, and what is there.
#[derive(Debug)]
pub struct Target {
    path: PathBuf,
    known: Option<Metadata>,
}

impl Target {
    /// Looks at a place. Nothing is opened.
    pub fn find(path: &Path) -> Result<Self, Refusal> {
        let link = match fs::symlink_metadata(path) {
            Ok(data) => data.is_symlink(),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                // a file in a folder that is there, for all that is known now
                path.file_name().ok_or(Refusal::NoName)?;
                return Ok(Self {
                    path: path.to_owned(),
                    known: None,
                });
            }
            Err(error) => return Err(error.into()),
        };
        let real = match fs::canonicalize(path) {
            Ok(real) => real,
            Err(error) if link && error.kind() == ErrorKind::NotFound => {
                // /dev/stdout names a pipe that has no name; other such links lead nowhere
                fs::metadata(path).map_err(|_| Refusal::DanglingLink)?;
                path.to_owned()
            }
            Err(error) => return Err(error.into()),
        };
        let known = fs::metadata(&real)?;
        if known.is_dir() {
            return Err(Refusal::Folder);
        }
        Ok(Self {
            path: real,
            known: Some(known),
        })
    }

    /// The same place, if a regular file can stand or stands there.
    pub fn regular(self) -> Result<Self, Refusal> {
        if self.is_special() {
            return Err(Refusal::NotRegular);
        }
        Ok(self)
    }

    /// Whether a device, a pipe or a socket stands there.
    pub fn is_special(&self) -> bool {
        self.known.as_ref().is_some_and(|known| !known.is_file())
    }

    /// Whether something stands there.
    pub fn exists(&self) -> bool {
        self.known.is_some()
    }

    /// Whether nobody may write to what stands there.
    pub fn is_protected(&self) -> bool {
        let known = self.known.as_ref();
        known.is_some_and(|known| known.permissions().readonly())
    }

    /// Where it is, links followed.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn known(&self) -> Option<&Metadata> {
        self.known.as_ref()
    }
}

/// `.NAME.ending` in the folder of `path`; the name shortened where it would be too long.
pub fn beside(path: &Path, ending: &str) -> Result<PathBuf, Refusal> {
    let name = path.file_name().ok_or(Refusal::NoName)?;
    let mut hidden = std::ffi::OsString::from(".");
    if name.len() <= LONGEST {
        hidden.push(name);
    } else {
        hidden.push(format!("{:016x}", fnv1a(name.as_encoded_bytes())));
    }
    hidden.push(format!(".{ending}"));
    Ok(path.with_file_name(hidden))
}
