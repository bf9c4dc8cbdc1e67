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
    let names: fn(&Line) -> Vec<String> = match (command, arg.get_id().as_str()) {
        (_, "system") => return arg.add(ArgValueCompleter::new(systems)),
        (_, "method") => return arg.add(ArgValueCompleter::new(methods)),
        (_, "set") | ("continue", "over") => Line::parameters,
        (_, "free") => Line::freed,
        ("map", "x" | "y" | "region") | ("check" | "atlas", "region") => {
            |line| [line.coordinates(), line.parameters()].concat()
        }
        (_, "dependent" | "vel" | "along" | "near" | "region") => Line::coordinates,
        ("inverse", "y") => Line::constraints,
        ("inverse", "at") => |line| [vec!["t".to_owned()], line.coordinates()].concat(),
        (_, "at") => Line::start,
        (_, "over") => |line| [line.parameters(), line.start()].concat(),
        ("continue", "y") => {
            |line| [line.coordinates(), of_each("lambda", &line.constraints())].concat()
        }
        (_, "columns" | "x" | "y" | "when") => Line::columns,
        _ => return arg,
    };
    let valued = arg.get_value_names().unwrap_or_default();
    let valued = valued.iter().any(|name| name.starts_with("NAME="));
    let end = if valued { "=" } else { "" };
    arg.add(ArgValueCompleter::new(move |typed: &OsStr| {
        let names = Line::of_arguments().map_or_else(Vec::new, |line| names(&line));
        begun(typed, &names, end)
    }))
}

/// Those of the names that the last one typed begins, with what is typed before it.
fn begun(typed: &OsStr, names: &[String], end: &str) -> Vec<CompletionCandidate> {
    let typed = typed.to_str().unwrap_or_default();
    let last = typed.rfind([',', ';']).map_or(0, |at| at + 1);
    let (before, begun) = typed.split_at(last);
    let names = names.iter().filter(|name| name.starts_with(begun));
    names
        .map(|name| CompletionCandidate::new(format!("{before}{name}{end}")))
        .collect()
}

fn methods(typed: &OsStr) -> Vec<CompletionCandidate> {
    begun(typed, &Method::ALL.map(|m| m.name().to_owned()), "")
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

/// The system that the line names, and its text.
struct Line {
    input: Input,
    system: System,
}

impl Line {
    /// Of the first word that names a system.
    fn of_arguments() -> Option<Self> {
        let words = std::env::args().skip_while(|word| word != "--").skip(2);
        let mut words = words.filter(|word| !word.starts_with('-'));
        words.find_map(|word| {
            let input = load(&word, &mut std::io::empty()).ok()?;
            let system = System::parse(&input.text, &input.file, &[]).ok()?;
            Some(Self { input, system })
        })
    }

    fn coordinates(&self) -> Vec<String> {
        let own = self.system.coordinates.iter();
        own.map(|c| c.name.clone()).collect()
    }

    fn parameters(&self) -> Vec<String> {
        let own = self.system.parameters.iter();
        own.map(|p| p.name.clone()).collect()
    }

    fn constraints(&self) -> Vec<String> {
        let own = self.system.constraints.iter();
        own.map(|c| c.name.clone()).collect()
    }

    /// t, coordinates and velocities.
    fn start(&self) -> Vec<String> {
        let own = self.coordinates();
        let speeds = own.iter().map(|name| format!("{name}'")).collect();
        [vec!["t".to_owned()], own, speeds].concat()
    }

    /// Parameters and levels of constraints that can become coordinates.
    fn freed(&self) -> Vec<String> {
        let is_freed = |name: &String| {
            let changes = Changes {
                free: vec![name.clone()],
                ..Changes::default()
            };
            System::changed(&self.input.text, &self.input.file, &changes).is_ok()
        };
        let mut names = [self.parameters(), self.constraints()].concat();
        names.retain(is_freed);
        names
    }

    fn columns(&self) -> Vec<String> {
        let moving = self.system.velocity_constraints.iter();
        let all: Vec<String> = (self.constraints().into_iter())
            .chain(moving.map(|c| c.name.clone()))
            .collect();
        let whole = OutputKind::OF_SYSTEM.map(|(name, _)| name.to_owned());
        let (lambda, f) = (of_each("lambda", &all), of_each("F", &all));
        let r = of_each("R", &self.coordinates());
        [self.start(), lambda, f, r, whole.to_vec()].concat()
    }
}

/// `lambda_rod`, one a name.
fn of_each(letters: &str, names: &[String]) -> Vec<String> {
    names
        .iter()
        .map(|name| format!("{letters}_{name}"))
        .collect()
}
