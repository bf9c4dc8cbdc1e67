//! `holonom list` and `holonom show`.

use super::{CommandError, json_text, print};
use crate::report::{list_json, list_text};
use crate::system::{LoadError, builtin, find, load};
use clap::Args;

/// Options of `list`.
#[derive(Args, Clone, Debug)]
pub struct ListArgs {
    /// Print one JSON object and nothing else
    #[arg(long)]
    pub json: bool,
}

/// Options of `show`.
#[derive(Args, Clone, Debug)]
pub struct ShowArgs {
    /// The name of a built-in system
    pub name: String,
}

/// The built-in systems.
pub fn list(args: &ListArgs) -> Result<u8, CommandError> {
    print(&if args.json {
        json_text(&list_json(builtin()))
    } else {
        list_text(builtin())
    })?;
    Ok(0)
}

/// A built-in system as its file.
pub fn show(args: &ShowArgs) -> Result<u8, CommandError> {
    match find(&args.name) {
        Some(system) => print(system.text)?,
        None => {
            // the loader knows the nearest name
            let error = load(&args.name, &mut std::io::empty()).err();
            return Err(error.map_or_else(
                || CommandError::Option {
                    option: "show",
                    why: "that is a file, not a built-in system".to_owned(),
                },
                |e: LoadError| e.into(),
            ));
        }
    }
    Ok(0)
}
