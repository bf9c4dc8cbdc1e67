//! The commands, in the order of the help page.

use super::{
    CommandError, atlas, check, compare, completions, continuation, derive, equilibria, gather,
    inverse, library, man, map, new, plot, schema, simulate, sweep, vary, verify,
};
use clap::Subcommand;

/// A command with its arguments.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// The Jacobian and the Inverse Function Theorem at a point
    Check(check::CheckArgs),
    /// The equations of motion, the inverse functions and the multipliers in closed form
    Derive(derive::DeriveArgs),
    /// The dependent coordinates as functions: their value, derivatives and certificate at one place
    Inverse(inverse::InverseArgs),
    /// A trajectory, with the times at which the theorem fails
    Simulate(simulate::SimulateArgs),
    /// A motion as plots, in characters or as SVG
    Plot(plot::PlotArgs),
    /// Choices of dependent coordinates that together cover the constraint set, with proof
    Atlas(atlas::AtlasArgs),
    /// A picture of the constraint set: where a choice works and where it fails, with proof
    Map(map::MapArgs),
    /// All methods from the same start: how far they differ
    Compare(compare::CompareArgs),
    /// The motion among neighbouring paths: the action, its slope and curvature, conjugate points
    Vary(vary::VaryArgs),
    /// Where the system can rest: equilibria, multipliers, reactions and stability
    Equilibria(equilibria::EquilibriaArgs),
    /// Equilibria along a parameter: where branches turn, meet and lose stability
    Continue(continuation::ContinueArgs),
    /// The known facts stated in the file, checked against the motion
    Verify(verify::VerifyArgs),
    /// Many motions: a table of parameters and start values with the outcome of each
    Sweep(sweep::SweepArgs),
    /// The parts of a sweep, joined
    Gather(gather::GatherArgs),
    /// The built-in systems
    List(library::ListArgs),
    /// A built-in system as its file
    Show(library::ShowArgs),
    /// A system file to start from, explained line by line
    New(new::NewArgs),
    /// A script that completes names and options in a shell
    Completions(completions::CompletionsArgs),
    /// The manual pages
    Man(man::ManArgs),
    /// The JSON schema of what a command prints
    Schema(schema::SchemaArgs),
}

impl Command {
    /// Runs it, and says how the program is to end; `program` is what it is a command of.
    pub fn run(&self, program: fn() -> clap::Command) -> Result<u8, CommandError> {
        match self {
            Self::Check(args) => check::check(args),
            Self::Derive(args) => derive::derive(args),
            Self::Inverse(args) => inverse::inverse(args),
            Self::Simulate(args) => simulate::simulate(args),
            Self::Plot(args) => plot::plot(args),
            Self::Atlas(args) => atlas::atlas(args),
            Self::Map(args) => map::map(args),
            Self::Compare(args) => compare::compare(args),
            Self::Vary(args) => vary::vary(args),
            Self::Continue(args) => continuation::continuation(args),
            Self::Equilibria(args) => equilibria::equilibria(args),
            Self::Verify(args) => verify::verify(args),
            Self::Sweep(args) => sweep::sweep(args),
            Self::Gather(args) => gather::gather(args),
            Self::List(args) => library::list(args),
            Self::Show(args) => library::show(args),
            Self::New(args) => new::new(args),
            Self::Completions(args) => completions::completions(args),
            Self::Man(args) => man::man(args, program()),
            Self::Schema(args) => schema::schema(args),
        }
    }

    /// The names of all.
    pub fn names() -> Vec<String> {
        let all = Self::augment_subcommands(clap::Command::default());
        let names = all.get_subcommands();
        names.map(|own| own.get_name().to_owned()).collect()
    }
}
