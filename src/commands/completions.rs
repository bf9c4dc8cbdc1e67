//! `holonom completions`, and what a shell asks back while somebody types: its script calls the program, which knows
//! the built-in systems, and the names of the system that stands on the line.

use super::{CommandError, output};
use crate::solver::Method;
use crate::system::{Changes, Input, OutputKind, System, builtin, load};
use clap::{Arg, Args, Command};
use clap_complete::CompleteEnv;
use clap_complete::engine::{
    ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter as _,
};
use clap_complete::env::Shells;
use std::ffi::OsStr;
use std::path::Path;

/// Set by the script, to the name of the shell.
const ASKED: &str = "HOLONOM_COMPLETE";

/// Options of `completions`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
The script asks the program itself: for commands and options, built-in systems and \
files, and the parameters, coordinates and columns of the system on the line.

Examples:
  source <(holonom completions bash)                    in ~/.bashrc
  source <(holonom completions zsh)                     in ~/.zshrc
  holonom completions fish > ~/.config/fish/completions/holonom.fish")]
pub struct CompletionsArgs {
    /// The shell: bash, elvish, fish, powershell or zsh
    #[arg(
        value_name = "SHELL",
        hide_possible_values = true,
        value_parser = ["bash", "elvish", "fish", "powershell", "zsh"]
    )]
    pub shell: String,
}

/// The script for a shell.
pub fn completions(args: &CompletionsArgs) -> Result<u8, CommandError> {
    let shells = Shells::builtins();
    output::print(Box::new(|out| match shells.completer(&args.shell) {
        Some(shell) => shell.write_registration(ASKED, "holonom", "holonom", "holonom", out),
        None => Ok(()),
    }))?;
    Ok(0)
}

/// Answers a shell, where it is one that asks, and ends the program.
pub fn answer(command: fn() -> Command) {
    if std::env::var_os(ASKED).is_some() {
        CompleteEnv::with_factory(|| named(command()))
            .var(ASKED)
            .complete();
    }
}

/// The same command, whose arguments know what to propose.
fn named(command: Command) -> Command {
    let name = command.get_name().to_owned();
    let command = command.mut_args(|arg| proposing(&name, arg));
    command.mut_subcommands(named)
}

/// An argument of a command, with what the command takes for it.
fn proposing(command: &str, arg: Arg) -> Arg {
    let kind = match (command, arg.get_id().as_str()) {
        (_, "system") => return arg.add(ArgValueCompleter::new(systems)),
        (_, "set") | ("continue", "over") => Kind::Parameters,
        (_, "free") => Kind::Freed,
        ("map", "x" | "y" | "region") | ("check" | "atlas", "region") => Kind::Ranging,
        (_, "dependent" | "vel" | "along" | "near" | "region") => Kind::Coordinates,
        ("inverse", "y") => Kind::Constraints,
        ("inverse", "at") => Kind::Configuration,
        (_, "at") => Kind::Start,
        (_, "over") => Kind::Varied,
        ("continue", "y") => Kind::Statics,
        (_, "columns" | "x" | "y" | "when") => Kind::Columns,
        (_, "method") => Kind::Methods,
        _ => return arg,
    };
    let valued = arg.get_value_names().unwrap_or_default();
    let valued = valued.iter().any(|name| name.starts_with("NAME="));
    let end = if valued { "=" } else { "" };
    arg.add(ArgValueCompleter::new(move |typed: &OsStr| {
        let typed = typed.to_str().unwrap_or_default();
        let last = typed.rfind([',', ';']).map_or(0, |at| at + 1);
        let (before, begun) = typed.split_at(last);
        let names = kind.names().into_iter();
        let names = names.filter(|name| name.starts_with(begun));
        names
            .map(|name| CompletionCandidate::new(format!("{before}{name}{end}")))
            .collect()
    }))
}

/// Built-in systems, and files.
fn systems(typed: &OsStr) -> Vec<CompletionCandidate> {
    let begun = typed.to_str().unwrap_or_default();
    let own = builtin().iter().filter(|b| b.name.starts_with(begun));
    let own = own.map(|b| CompletionCandidate::new(b.name).help(Some(b.shows.into())));
    let yaml = |path: &Path| {
        let ending = path.extension().and_then(OsStr::to_str);
        matches!(ending, Some("yaml" | "yml"))
    };
    own.chain(PathCompleter::any().filter(yaml).complete(typed))
        .collect()
}

/// What an argument names.
#[derive(Clone, Copy)]
enum Kind {
    Parameters,
    /// Parameters and levels of constraints that can become coordinates.
    Freed,
    Coordinates,
    /// Coordinates and parameters.
    Ranging,
    Constraints,
    /// t and coordinates.
    Configuration,
    /// t, coordinates and velocities.
    Start,
    /// Parameters and the start.
    Varied,
    /// Coordinates and multipliers of an equilibrium.
    Statics,
    Columns,
    Methods,
}

impl Kind {
    fn names(self) -> Vec<String> {
        if matches!(self, Self::Methods) {
            return Method::ALL.iter().map(|m| m.name().to_owned()).collect();
        }
        let Some((input, system)) = on_the_line() else {
            return Vec::new();
        };
        let own = || system.coordinates.iter().map(|c| c.name.clone());
        let speeds = || own().map(|name| format!("{name}'"));
        let parameters = || system.parameters.iter().map(|p| p.name.clone());
        let constraints = || system.constraints.iter().map(|c| c.name.clone());
        let start = || std::iter::once("t".to_owned()).chain(own()).chain(speeds());
        match self {
            Self::Parameters => parameters().collect(),
            Self::Freed => parameters()
                .chain(constraints())
                .filter(|name| is_freed(&input, name))
                .collect(),
            Self::Coordinates => own().collect(),
            Self::Ranging => own().chain(parameters()).collect(),
            Self::Constraints => constraints().collect(),
            Self::Configuration => std::iter::once("t".to_owned()).chain(own()).collect(),
            Self::Start => start().collect(),
            Self::Varied => parameters().chain(start()).collect(),
            Self::Statics => own()
                .chain(constraints().map(|name| format!("lambda_{name}")))
                .collect(),
            Self::Columns => {
                let moving = system.velocity_constraints.iter().map(|c| c.name.clone());
                let all: Vec<String> = constraints().chain(moving).collect();
                let of_each = |letters: &'static str| {
                    let names = all.iter();
                    names.map(move |name| format!("{letters}_{name}"))
                };
                let whole = OutputKind::OF_SYSTEM.map(|(name, _)| name.to_owned());
                start()
                    .chain(of_each("lambda"))
                    .chain(of_each("F"))
                    .chain(own().map(|name| format!("R_{name}")))
                    .chain(whole)
                    .collect()
            }
            Self::Methods => Vec::new(),
        }
    }
}

/// Can this parameter, or the level of this constraint, be made a coordinate?
fn is_freed(input: &Input, name: &str) -> bool {
    let changes = Changes {
        free: vec![name.to_owned()],
        ..Changes::default()
    };
    System::changed(&input.text, &input.file, &changes).is_ok()
}

/// The system that the line names, and its text: the first word that is one.
fn on_the_line() -> Option<(Input, System)> {
    let words = std::env::args().skip_while(|word| word != "--").skip(2);
    let mut words = words.filter(|word| !word.starts_with('-'));
    words.find_map(|word| {
        let input = load(&word, &mut std::io::empty()).ok()?;
        let system = System::parse(&input.text, &input.file, &[]).ok()?;
        Some((input, system))
    })
}
