//! The program: arguments and dispatch.

use clap::{Parser, Subcommand};
use color_eyre::eyre::Result;
use holonom::commands::{
    self, CheckArgs, CommandError, CompareArgs, DeriveArgs, ListArgs, ShowArgs, SimulateArgs,
};
use holonom::workbench;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;

/// A workbench for mechanical systems with constraints.
///
/// With no command it opens the workbench on SYSTEM; where standard input or output is no terminal it
/// prints what `check` prints.
#[derive(Parser, Debug)]
#[command(
    name = "holonom",
    version,
    about,
    args_conflicts_with_subcommands = true
)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    open: OpenArgs,
}

#[derive(clap::Args, Debug)]
struct OpenArgs {
    /// A system file, `-` for standard input, or the name of a built-in system
    system: Option<String>,
    /// Change parameters, such as m=2,g=1.62
    #[arg(long, value_name = "NAME=VALUE,...")]
    set: Vec<String>,
    /// Where nothing is shown: print one JSON object
    #[arg(long)]
    json: bool,
    /// Draw with ASCII characters only
    #[arg(long)]
    ascii: bool,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// The Jacobian and the Inverse Function Theorem at a point
    Check(CheckArgs),
    /// The equations of motion, the inverse functions and the multipliers in closed form
    Derive(DeriveArgs),
    /// A trajectory
    Simulate(SimulateArgs),
    /// Every method on the same start: how far they differ
    Compare(CompareArgs),
    /// The built-in systems
    List(ListArgs),
    /// A built-in system as its file
    Show(ShowArgs),
}

fn main() -> Result<ExitCode> {
    color_eyre::config::HookBuilder::default()
        .display_env_section(false)
        .install()?;
    let arguments = Arguments::parse();
    let result = match &arguments.command {
        Some(Command::Check(args)) => commands::check(args),
        Some(Command::Derive(args)) => commands::derive(args),
        Some(Command::Simulate(args)) => commands::simulate(args),
        Some(Command::Compare(args)) => commands::compare(args),
        Some(Command::List(args)) => commands::list(args),
        Some(Command::Show(args)) => commands::show(args),
        None => open(&arguments.open),
    };
    Ok(match result {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            commands::report_error(&error);
            ExitCode::from(CommandError::CODE)
        }
    })
}

/// Opens the workbench; where there is no terminal prints what `check` prints.
fn open(args: &OpenArgs) -> Result<u8, CommandError> {
    let terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    if terminal && !args.json {
        return workbench(args);
    }
    commands::check(&CheckArgs::of_system(
        args.system
            .as_deref()
            .unwrap_or(holonom::system::builtin()[0].name),
        &args.set,
        args.json,
    ))
}

fn workbench(args: &OpenArgs) -> Result<u8, CommandError> {
    let first = holonom::system::builtin()[0].name;
    let name = args.system.as_deref().unwrap_or(first);
    let options = workbench::Options {
        input: holonom::system::load(name, &mut std::io::stdin().lock())?,
        set: commands::pairs("--set", &args.set)?,
        ascii: args.ascii,
    };
    let ending = workbench::run(options).map_err(|error| CommandError::Write {
        place: "to the terminal".to_owned(),
        error,
    })?;
    if let Some(path) = ending.rescued {
        // where the terminal has gone there is nobody to tell
        let _ = writeln!(std::io::stderr(), "unsaved text is in {}", path.display());
    }
    Ok(ending.signal.map_or(0, |signal| (128 + signal) as u8))
}
