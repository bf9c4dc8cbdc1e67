//! `holonom list` and `holonom show`.

use super::{CommandError, output, print_json, print_text};
use crate::report::{list_json, list_text, show_json};
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
#[command(after_help = "\
Examples:
  holonom show bead_on_parabola
  holonom show bead_on_parabola > my.yaml    a file to start from")]
pub struct ShowArgs {
    /// The name of a built-in system (see `holonom list`)
    pub name: String,
    /// Print one JSON object and nothing else
    #[arg(long)]
    pub json: bool,
}

/// The built-in systems.
pub fn list(args: &ListArgs) -> Result<u8, CommandError> {
    if args.json {
        print_json(&list_json(builtin()))?;
    } else {
        print_text(&list_text(builtin(), output::width()))?;
    }
    Ok(0)
}

/// A built-in system as its file.
pub fn show(args: &ShowArgs) -> Result<u8, CommandError> {
    let Some(system) = find(&args.name) else {
        // the loader knows the nearest name
        let error = load(&args.name, &mut std::io::empty()).err();
        return Err(match error {
            Some(error @ LoadError::NotFound { .. }) => error.into(),
            _ => CommandError::option(
                "show",
                format!(
                    "`{}` is not a built-in system; `holonom list` has them",
                    crate::system::quote(&args.name)
                ),
            ),
        });
    };
    if args.json {
        print_json(&show_json(system))?;
    } else {
        print_text(system.text)?;
    }
    Ok(0)
}
