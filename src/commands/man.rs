//! `holonom man`.

use super::{CommandError, note, output};
use crate::disk::Refusal;
use crate::system::shown;
use clap::{Args, Command};
use clap_mangen::{Man, generate_to};
use std::path::{Path, PathBuf};

/// Options of `man`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  holonom man | man -l -
  holonom man ~/.local/share/man/man1")]
pub struct ManArgs {
    /// The folder for the pages of all commands; without it the page of the program is printed
    pub folder: Option<PathBuf>,
    /// Suppress notes
    #[arg(short, long)]
    pub quiet: bool,
}

/// The manual pages.
pub fn man(args: &ManArgs, command: Command) -> Result<u8, CommandError> {
    let Some(folder) = &args.folder else {
        output::print(Box::new(|out| {
            // a page needs it as a writer of known size
            let mut page = Vec::new();
            Man::new(command).render(&mut page)?;
            out.write_all(&page)
        }))?;
        return Ok(0);
    };
    written(folder, command).map_err(|error| CommandError::Write {
        place: shown(folder),
        error,
    })?;
    if args.quiet {
        return Ok(0);
    }
    note(&format!("wrote the pages to {}", shown(folder)));
    Ok(0)
}

fn written(folder: &Path, command: Command) -> Result<(), Refusal> {
    if folder.exists() && !folder.is_dir() {
        return Err(Refusal::NotFolder);
    }
    std::fs::create_dir_all(folder)?;
    Ok(generate_to(command, folder)?)
}
