//! `holonom new`.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::{CommandError, note, print_text};
use crate::disk::unmade;
use crate::system::{TEMPLATE, quote, spelled};
use clap::Args;

/// Options of `new`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  holonom new my.yaml && holonom my.yaml
  holonom new > my.yaml")]
pub struct NewArgs {
    /// The file to write; standard output if none is named. An existing file is left alone
    pub file: Option<PathBuf>,
}

/// A system file to begin with, explained line by line.
pub fn new(args: &NewArgs) -> Result<u8, CommandError> {
    let Some(path) = &args.file else {
        print_text(TEMPLATE)?;
        return Ok(0);
    };
    let name = quote(&spelled(path));
    let file = OpenOptions::new().write(true).create_new(true).open(path);
    let mut file = match file {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            return Err(CommandError::option(
                "new",
                format!("`{name}` exists and is left as it is; give another name"),
            ));
        }
        file => file.map_err(|error| cannot(path, error))?,
    };
    let written = file.write_all(TEMPLATE.as_bytes());
    let written = written.and_then(|()| file.sync_all());
    written.map_err(|error| {
        // a piece of it would be found and left as it is the next time
        let _ = fs::remove_file(path);
        cannot(path, error)
    })?;
    note(&format!("wrote {name}"));
    Ok(0)
}

fn cannot(path: &Path, error: std::io::Error) -> CommandError {
    CommandError::Write {
        place: format!("`{}`", quote(&spelled(path))),
        error: unmade(path, error),
    }
}
