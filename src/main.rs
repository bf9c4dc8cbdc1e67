//! The program: arguments and dispatch.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser};
use color_eyre::config::{HookBuilder, Theme};
use color_eyre::eyre::Result;
use holonom::commands::{self, CheckArgs, Command, CommandError, interrupt, progress};
use holonom::system::LoadError;
#[cfg(feature = "workbench")]
use holonom::workbench;
use std::io::IsTerminal;
use std::process::ExitCode;

/// A workbench for mechanical systems with constraints.
///
/// holonom derives the equations of motion, the Lagrange multipliers and the constraint forces, determines
/// where the Inverse Function Theorem allows the dependent coordinates to be written as functions of the
/// others and where it fails, and computes the motion. Without a command it opens the workbench on SYSTEM
/// (the first built-in system if none is named); if standard input or output is not a terminal it
/// prints what `check` prints.
#[derive(Parser, Debug)]
#[command(
    name = "holonom",
    version = env!("HOLONOM_VERSION"),
    about,
    args_conflicts_with_subcommands = true,
    max_term_width = 80,
    after_help = "\
SYSTEM is a file, - for standard input, or the name of a built-in system. A file
with the same name as a command or a built-in system is given with its folder:
holonom ./list

Exit code (COMMAND --help has the details):
  0  done; check: the theorem holds at the point
  1  done, and the answer is no: the theorem fails, the methods differ, a
     fact or a claim does not hold
  2  the input cannot be used: file, expression, option, start values
  3  the computation could not be finished; what was computed is still written

Examples:
  holonom                                 the workbench
  holonom my.yaml --set m=2               on a file, with another parameter
  holonom check bead_on_parabola --at x1=0,x2=0
  holonom derive bead_on_parabola
  holonom simulate bead_on_parabola --csv > bead.csv
  holonom plot bead_on_parabola --y x1,lambda_wire
  holonom show bead_on_parabola > my.yaml"
)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    open: OpenArgs,
}

#[derive(clap::Args, Debug)]
#[allow(clippy::struct_excessive_bools)] // switches of the command line
struct OpenArgs {
    /// A system file, - for standard input, or the name of a built-in system
    system: Option<String>,
    /// Change parameters, such as m=2,g=1.62
    #[arg(long, value_name = "NAME=VALUE,...", allow_hyphen_values = true)]
    set: Vec<String>,
    /// Measured values, a CSV file with a column t: they are drawn over the motion as data.NAME
    #[cfg(feature = "workbench")]
    #[arg(long, value_name = "FILE")]
    data: Option<std::path::PathBuf>,
    /// Do not open the workbench: print one JSON object, as `check` does
    #[arg(long)]
    json: bool,
    /// Draw with ASCII characters only
    #[cfg(feature = "workbench")]
    #[arg(long)]
    ascii: bool,
    /// Colours of the workbench: dark, light, contrast or mono (no colour) [default: depends on the terminal]
    #[cfg(feature = "workbench")]
    #[arg(
        long,
        value_name = "NAME",
        hide_possible_values = true,
        value_parser = workbench::Scheme::ALL.map(|scheme| scheme.name())
    )]
    theme: Option<String>,
    /// Report changes as lines of text, for a screen reader; the default if TERM is dumb
    #[cfg(feature = "workbench")]
    #[arg(long)]
    plain_ui: bool,
    /// Draw fewer pictures while something moves; automatic if the connection is slow
    #[cfg(feature = "workbench")]
    #[arg(long, conflicts_with = "plain_ui")]
    low_bandwidth: bool,
    /// Leave the mouse to the terminal, for selecting text
    #[cfg(feature = "workbench")]
    #[arg(long)]
    no_mouse: bool,
}

fn main() -> Result<ExitCode> {
    commands::answer(Arguments::command);
    let mut hooks = HookBuilder::default().display_env_section(false);
    if !std::io::stderr().is_terminal() {
        hooks = hooks.theme(Theme::new());
    }
    hooks.install()?;
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return Ok(usage(&suggested(error))),
    };
    if arguments.command.is_some() {
        interrupt::watch()?;
        progress::begin(first_word());
    }
    let result = match &arguments.command {
        Some(command) => command.run(Arguments::command),
        None => open(&arguments.open),
    };
    progress::end();
    Ok(match result {
        Ok(code) => ExitCode::from(interrupt::code().unwrap_or(code)),
        Err(error) => {
            commands::report_error(&error);
            // `holonom chek`: a word that is no system is perhaps a command
            if let CommandError::Load(LoadError::NotFound { nearest: None, .. }) = &error
                && arguments.command.is_none()
            {
                suggest(arguments.open.system.as_deref());
            }
            ExitCode::from(CommandError::CODE)
        }
    })
}

/// The command, for its line of progress.
fn first_word() -> String {
    let mut words = std::env::args();
    let names = Command::names();
    let named = words.find(|word| names.contains(word));
    named.unwrap_or_else(|| "holonom".to_owned())
}

/// The word after `--levels` that was meant as the system, and was taken for its expression.
fn taken_as_expression(error: &clap::Error) -> Option<String> {
    let missing = error.kind() == ErrorKind::MissingRequiredArgument;
    let mut words = std::env::args().skip_while(|word| word != "--levels");
    let word = words.nth(1).filter(|word| !word.starts_with('-'))?;
    missing.then(|| holonom::system::quote(&word))
}

/// What other programs call options that commands have here.
const OPTIONS: [(&str, &[&str]); 4] = [
    ("set", &["--param", "--params", "--parameter", "-p", "-D"]),
    (
        "until",
        &[
            "--end",
            "--t-end",
            "--tend",
            "--tmax",
            "--t-max",
            "--time",
            "--duration",
            "--stop",
            "-t",
            "-T",
        ],
    ),
    ("at", &["--start", "--initial", "--x0"]),
    ("rtol", &["--tol", "--tolerance"]),
];

/// The same with the option that was perhaps meant, where clap finds none that is near: `--al` for `--at`.
fn suggested(mut error: clap::Error) -> clap::Error {
    let mut words = std::env::args().skip(1);
    let command = Arguments::command();
    let command = words.next().and_then(|word| command.find_subcommand(word));
    let Some(ContextValue::String(unknown)) = error.get(ContextKind::InvalidArg) else {
        return error;
    };
    let Some(command) = command.filter(|_| error.kind() == ErrorKind::UnknownArgument) else {
        return error;
    };
    let known = || command.get_arguments().filter_map(clap::Arg::get_long);
    let called = |names: &&(&str, &[&str])| names.1.contains(&unknown.as_str());
    let synonym = OPTIONS.iter().find(called).map(|(meant, _)| *meant);
    let synonym = synonym.filter(|meant| known().any(|known| known == *meant));
    let near = synonym.or_else(|| {
        let unknown = unknown.strip_prefix("--")?;
        holonom::system::nearest(unknown, known())
    });
    // of what is printed the shell makes a file
    let to_file = ["-o", "--output", "--out"].contains(&unknown.as_str());
    if to_file && !known().any(|known| known == "output") {
        let tip = "the answer goes to standard output: write `> FILE` for a file".into();
        error.remove(ContextKind::SuggestedArg);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
    } else if let Some(near) = near {
        let near = ContextValue::String(format!("--{near}"));
        error.remove(ContextKind::Suggested);
        error.insert(ContextKind::SuggestedArg, near);
    }
    error
}

/// Help, the version, or what is wrong with the arguments.
fn usage(error: &clap::Error) -> ExitCode {
    let failed = ExitCode::from(CommandError::CODE);
    let words: Vec<String> = std::env::args().skip(1).collect();
    let names = Command::names();
    let first = words.first().filter(|word| !names.contains(word));
    if let Some(said) = first.and_then(|_| misplaced(error, &words)) {
        commands::complain(&format!("error: {said}"));
        commands::complain("For more information, try '--help'.");
        return failed;
    }
    // `holonom chek my.yaml`: the first word was read as a system
    if let Some(word) = first.filter(|word| !word.starts_with('-') && error.use_stderr()) {
        if error.kind() == ErrorKind::ArgumentConflict {
            let shown = holonom::system::quote(word);
            commands::complain(&format!("error: `{shown}` is not a command"));
            suggest(Some(word));
            commands::complain("For more information, try '--help'.");
        } else {
            let _ = error.print();
            suggest(Some(word));
        }
        return failed;
    }
    let printed = error.print();
    if let Some(word) = taken_as_expression(error) {
        commands::complain(&format!(
            "`--levels {word}` took `{word}` for the expression: write `holonom map {word} --levels`"
        ));
    }
    match printed {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            commands::complain(&format!(
                "error: could not write to standard output: {error}"
            ));
            failed
        }
        _ if error.use_stderr() => failed,
        _ => ExitCode::SUCCESS,
    }
}

/// What stands in the wrong place where the first of these words is no command: one that comes later, or a second system.
fn misplaced(error: &clap::Error, words: &[String]) -> Option<String> {
    if error.kind() != ErrorKind::ArgumentConflict {
        return None;
    }
    let names = Command::names();
    let quoted = |word: &String| holonom::system::quote(word);
    if let Some(command) = words.iter().position(|word| names.contains(word)) {
        let others = words.iter().enumerate().filter(|(k, _)| *k != command);
        let others: Vec<String> = others.map(|(_, word)| quoted(word)).collect();
        let (command, others) = (&words[command], others.join(" "));
        return Some(format!(
            "the command comes first: `holonom {command} {others}`"
        ));
    }
    let is_system = |word: &&String| {
        let known = holonom::system::find(word).is_some();
        known || std::path::Path::new(word).is_file()
    };
    let [first, second, ..] = words else {
        return None;
    };
    is_system(&first).then(|| {
        let [first, second] = [first, second].map(quoted);
        format!("one system at a time: `{first}` or `{second}`")
    })
}

fn suggest(word: Option<&str>) {
    if let Some(command) = word.and_then(commands::nearest_command) {
        commands::complain(&format!("did you mean the command `holonom {command}`?"));
    }
}

/// Opens the workbench; where there is no terminal prints what `check` prints.
fn open(args: &OpenArgs) -> Result<u8, CommandError> {
    #[cfg(feature = "workbench")]
    {
        let terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
        if terminal && !args.json {
            return workbench(args);
        }
        if let Some(path) = &args.data {
            commands::measured(path)?;
            commands::note(
                "note: there is no terminal to draw --data on; `holonom plot SYSTEM --data FILE` prints it",
            );
        }
    }
    let first = holonom::system::builtin()[0].name;
    if args.system.is_none() && !std::io::stdin().is_terminal() {
        commands::note(&format!(
            "note: no system is named, so this is {first}; use `-` to read a system from standard input"
        ));
    }
    commands::check(&CheckArgs::of_system(
        args.system.as_deref().unwrap_or(first),
        &args.set,
        args.json,
    ))
}

#[cfg(feature = "workbench")]
fn workbench(args: &OpenArgs) -> Result<u8, CommandError> {
    let first = holonom::system::builtin()[0].name;
    let name = args.system.as_deref().unwrap_or(first);
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    let options = workbench::Options {
        input: holonom::system::load(name, &mut std::io::stdin().lock())?,
        set: commands::pairs("--set", &args.set)?,
        measured: args
            .data
            .as_deref()
            .map(commands::measured)
            .transpose()?
            .map(std::sync::Arc::new),
        ascii: args.ascii,
        scheme: args.theme.as_deref().and_then(workbench::Scheme::named),
        mouse: !args.no_mouse,
        shown: match (args.plain_ui, args.low_bandwidth) {
            (true, _) => workbench::Shown::Lines,
            _ if dumb => workbench::Shown::Lines,
            (_, true) => workbench::Shown::FewPictures,
            _ => workbench::Shown::Screen,
        },
    };
    let ending = workbench::run(options).map_err(|error| CommandError::Write {
        place: "to the terminal".to_owned(),
        error: error.into(),
    })?;
    if let Some(words) = ending.words() {
        // where the terminal has gone there is nobody to tell
        let _ = std::io::Write::write_all(&mut std::io::stderr(), format!("{words}\n").as_bytes());
    }
    Ok(ending.signal.map_or(0, |signal| (128 + signal) as u8))
}
