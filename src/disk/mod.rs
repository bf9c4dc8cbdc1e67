//! Files: read without waiting for ever, written whole or not at all, and nothing left lying about.
//!
//! Both faces write through [`Whole`]: the content goes to a temporary file beside its place, is made durable, and
//! is renamed. What stands at the place is looked at first ([`Target`]): a link is followed to its file, or refused
//! where there is none; a device, a pipe or a folder is never replaced. A temporary file is locked as long as its
//! program lives; one that nobody locks was left by a program that was killed, and is cleared by the next that
//! writes there.

mod read;
mod target;
mod whole;

pub use read::{head, open, read};
pub use target::{Target, beside};
pub use whole::{Whole, abandon, sweep};

use std::io;
use std::path::Path;

/// Why a file is neither read nor written.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// A folder stands there.
    #[error("it is a folder")]
    Folder,
    /// Something else than a folder stands there.
    #[error("it is not a folder")]
    NotFolder,
    /// The folder that it is to be written into is not there.
    #[error("its folder does not exist")]
    NoFolder,
    /// A device, a pipe or a socket stands there.
    #[error("it is not a regular file")]
    NotRegular,
    /// A link stands there, to a file that does not exist.
    #[error("it is a link to a file that is not there")]
    DanglingLink,
    /// The path names no file: it ends in `..`, or is empty.
    #[error("this is not a file name")]
    NoName,
    /// Nobody may write to it.
    #[error("it is write-protected")]
    Protected,
    /// What it holds cannot be compared with what is known of it.
    #[error("it cannot be read to see whether it has changed: {}", words(.0))]
    Unreadable(io::Error),
    /// It holds more than is read.
    #[error("it is longer than {} KiB", .limit / 1024)]
    TooLong {
        /// The bound, bytes.
        limit: usize,
    },
    /// What it holds is no text.
    #[error("line {line}, column {column} is not UTF-8 text: save it as UTF-8")]
    NotText {
        /// Line of the first place, from 1.
        line: usize,
        /// Its column in characters, from 1.
        column: usize,
    },
    /// A pipe that nobody writes to.
    #[error("it is a pipe that nobody writes to")]
    Silent,
    /// What the system says.
    #[error("{}", words(.0))]
    Io(#[from] io::Error),
}

/// What the system says, without its number of the error.
fn words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "it does not exist".to_owned(),
        io::ErrorKind::NotADirectory => "a part of its path is not a folder".to_owned(),
        io::ErrorKind::IsADirectory => Refusal::Folder.to_string(),
        _ => {
            let said = error.to_string();
            let number = said.find(" (os error ");
            number.map_or(said.as_str(), |at| &said[..at]).to_owned()
        }
    }
}

/// The refusal of a file that was to be made: what is missing then is its folder, or a folder such as `/proc` takes none.
pub fn unmade(path: &Path, error: io::Error) -> Refusal {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    match error.kind() {
        io::ErrorKind::NotFound if folder.is_some_and(|folder| !folder.exists()) => {
            Refusal::NoFolder
        }
        io::ErrorKind::NotFound => Refusal::Io(io::ErrorKind::PermissionDenied.into()),
        _ => Refusal::Io(error),
    }
}

/// A number that tells bytes apart, the same in every version of this program: FNV-1a of 64 bits.
pub fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
