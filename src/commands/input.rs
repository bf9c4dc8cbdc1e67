//! What the commands have in common: the system and values on the command line.

use super::{CommandError, print_json, print_text, progress};
use crate::analysis::{Model, Overrides, Where, dependent_indices, split_columns};
use crate::disk;
use crate::expr::parse;
use crate::system::{
    Changes, Context, Input, Measured, Reach, System, load, nearest, quote, shown, velocity_meant,
};
use crate::theorem::value_at;
use clap::Args;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

/// No table of runs is longer, bytes.
pub(super) const LONGEST_TABLE: usize = 256 << 20;

/// The system and how its answer is wanted.
#[derive(Args, Clone, Debug, Default)]
pub struct SystemArgs {
    /// A system file, - for standard input, or the name of a built-in system
    pub system: String,
    /// Change parameters, such as m=2,g=1.62
    #[arg(long, value_name = "NAME=VALUE,...", allow_hyphen_values = true)]
    pub set: Vec<String>,
    /// Turn lengths or radii into coordinates: each is held at its value by a constraint free_NAME, whose
    /// multiplier is the force that holds it
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub free: Vec<String>,
    /// Print one JSON object and nothing else
    #[arg(long)]
    pub json: bool,
    /// Suppress progress and notes
    #[arg(short, long)]
    pub quiet: bool,
}

impl SystemArgs {
    /// Writes the answer as it is wanted.
    pub fn answer(
        &self,
        json: impl FnOnce() -> Value,
        text: impl FnOnce() -> String,
    ) -> Result<(), CommandError> {
        if self.json {
            print_json(&json())
        } else {
            print_text(&text())
        }
    }

    /// The model for a command that needs a motion: an optimum has none.
    pub fn moving_model(&self) -> Result<Model, CommandError> {
        self.measured_model(None)
    }

    /// The same beside what was measured.
    pub fn measured_model(&self, data: Option<Arc<Measured>>) -> Result<Model, CommandError> {
        let (system, ..) = self.read()?;
        let system = system
            .beside(data)
            .with_start()
            .map_err(CommandError::File)?;
        let model = Model::new(system);
        if model.system.objective {
            return Err(CommandError::NoMotion);
        }
        Ok(model)
    }

    /// Reads and prepares the system, whose start can be evaluated.
    pub fn model(&self) -> Result<Model, CommandError> {
        let (system, ..) = self.read()?;
        let system = system.with_start().map_err(CommandError::File)?;
        Ok(Model::new(system))
    }

    /// The same for a command that can do without a start.
    pub fn still_model(&self) -> Result<Model, CommandError> {
        Ok(Model::new(self.read()?.0))
    }

    /// The same for one that lets a parameter vary.
    pub fn model_over(&self, parameter: &str) -> Result<Model, CommandError> {
        let varies = Some(parameter.to_owned());
        Ok(Model::new(self.read_over(varies)?.0))
    }

    /// The system with what it is made of.
    pub fn read(&self) -> Result<(System, Input, Changes), CommandError> {
        self.read_over(None)
    }

    fn read_over(&self, varies: Option<String>) -> Result<(System, Input, Changes), CommandError> {
        if self.quiet {
            progress::be_quiet();
        }
        let input = load(&self.system, &mut std::io::stdin().lock())?;
        let changes = Changes {
            set: pairs("--set", &self.set)?,
            free: names(self.free.iter().map(String::as_str)),
            varies,
            measured: None,
        };
        let system = System::changed(&input.text, &input.file, &changes);
        Ok((system.map_err(CommandError::File)?, input, changes))
    }
}

/// Measured values in a file.
pub fn measured(path: &Path) -> Result<Measured, CommandError> {
    let fail = |why: String| CommandError::option("--data", format!("{}: {why}", shown(path)));
    let bytes = disk::read(path, LONGEST_TABLE).map_err(|error| fail(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| fail("it is not UTF-8".to_owned()))?;
    Measured::parse(&text).map_err(|error| fail(error.to_string()))
}

/// The names of a list, without what is empty.
fn names<'a>(list: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let names = list.into_iter().map(|name| name.trim().to_owned());
    names.filter(|name| !name.is_empty()).collect()
}

/// Splits `a=1,b=atan2(1, 2)` into pairs.
pub fn pairs(option: &'static str, list: &[String]) -> Result<Vec<(String, String)>, CommandError> {
    list.iter()
        .flat_map(|part| split_columns(part))
        .map(|part| match part.split_once('=') {
            Some((name, value)) if !name.trim().is_empty() && !value.trim().is_empty() => {
                Ok((name.trim().to_owned(), value.trim().to_owned()))
            }
            _ => Err(CommandError::form(option, &part, "NAME=VALUE")),
        })
        .collect()
}

/// Where a number stands on the command line.
const VALUE: Context = Context::new("a value", Reach::Parameters);

/// A number on the command line: any expression of numbers and parameters, such as pi/4.
pub fn value(system: &System, option: &'static str, text: &str) -> Result<f64, CommandError> {
    let fail = |why: String| CommandError::option(option, why);
    let shown = quote(text);
    let names = |name: &str, primes: usize| {
        system.resolve((name, primes), VALUE, |name| {
            let known = system.parameters.iter().map(|p| p.name.as_str());
            Some(match nearest(name, known) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "a value may use numbers, pi and parameters".to_owned(),
            })
        })
    };
    let e = parse(&system.pool, text, &names).map_err(|e| {
        fail(match e.help {
            Some(help) => format!("`{shown}`: {}; {help}", e.kind),
            None => format!("`{shown}`: {}", e.kind),
        })
    })?;
    let v = value_at(system, e, &|_| f64::NAN);
    if v.is_finite() {
        Ok(v)
    } else {
        Err(fail(format!("`{shown}` is not a finite number")))
    }
}

/// Start values that replace those of the file: `--at` and `--vel`.
pub fn overrides(
    system: &System,
    at: &[String],
    velocities: &[String],
) -> Result<Overrides, CommandError> {
    let mut list: Vec<(String, f64)> = Vec::new();
    let mut all = Overrides::default();
    for (option, given, primes) in [("--at", at, ""), ("--vel", velocities, "'")] {
        for (name, text) in pairs(option, given)? {
            let name = match primes {
                "" => name,
                primes => format!("{}{primes}", name.trim_end_matches('\'')),
            };
            if list.iter().any(|(known, _)| *known == name) {
                let why = format!("`{}` is given twice", quote(&name));
                return Err(CommandError::option(option, why));
            }
            let moves = |name: &str| system.coordinate(name).is_some();
            let velocity = velocity_meant(&name, moves).filter(|_| !moves(&name));
            if let Some(help) = velocity {
                let why = format!(
                    "`{}` is not a coordinate of this system; {help}",
                    quote(&name)
                );
                return Err(CommandError::option(option, why));
            }
            list.push((name, value(system, option, &text)?));
        }
        // each option answers for its own names
        all = Overrides::new(system, &list).map_err(CommandError::of(option))?;
    }
    Ok(all)
}

/// The dependent coordinates asked for: `x1,x2`.
pub fn dependent(system: &System, list: Option<&str>) -> Result<Option<Vec<usize>>, CommandError> {
    let Some(list) = list else { return Ok(None) };
    let list = dependent_indices(system, &names(list.split(',')))
        .map_err(CommandError::of("--dependent"))?;
    Ok(Some(list))
}

/// Where equilibria are looked for.
#[derive(Args, Clone, Debug)]
pub struct WhereArgs {
    /// Where to look [default: 10 max(1, |x|) each way from the start]
    #[arg(
        long = "box",
        value_name = "NAME=LOW:HIGH,...",
        allow_hyphen_values = true
    )]
    pub region: Vec<String>,
    /// The time, t=1; coordinates move the default box
    #[arg(long, value_name = "NAME=VALUE,...", allow_hyphen_values = true)]
    pub at: Vec<String>,
}

impl WhereArgs {
    /// The box and the place as numbers.
    pub fn read(&self, system: &System) -> Result<Where, CommandError> {
        Ok(Where {
            overrides: overrides(system, &self.at, &[])?,
            region: region(system, &self.region)?,
        })
    }
}

/// Search boxes: `x1=-2:2,x2=0:1`.
pub fn region(system: &System, list: &[String]) -> Result<Given, CommandError> {
    let sides = sides(system, "--box", list)?.into_iter();
    let sides = sides.map(|(name, side)| {
        let place = crate::analysis::coordinate(system, &name);
        Ok((place.map_err(CommandError::of("--box"))?, side))
    });
    sides.collect()
}

/// Sides of a search box by variable.
pub type Given = Vec<(usize, (f64, f64))>;

/// Search boxes that may name parameters: they range, after those of `first` that are parameters.
pub fn ranges(
    model: Model,
    list: &[String],
    first: &[(&'static str, &str)],
) -> Result<(Model, Given), CommandError> {
    let sides = sides(&model.system, "--box", list)?;
    let system = &model.system;
    let names = sides.iter().map(|(name, _)| ("--box", name.as_str()));
    let mut parameters: Vec<usize> = Vec::new();
    for (option, name) in first.iter().copied().chain(names) {
        if system.coordinate(name).is_some() {
            continue;
        }
        let place = system.parameters.iter().position(|p| p.name == name);
        let unknown = || CommandError::of(option)(crate::analysis::no_variable(system, name));
        let place = place.ok_or_else(unknown)?;
        if !parameters.contains(&place) {
            parameters.push(place);
        }
    }
    let model = model.ranging(&parameters);
    let place = |name: &str| model.variable_names().iter().position(|own| own == name);
    let given = sides
        .iter()
        .filter_map(|(name, side)| Some((place(name)?, *side)));
    let given: Given = given.collect();
    let positive = model.system.pool.told_positive();
    for (k, ..) in given.iter().filter(|(_, (lo, _))| *lo <= 0.0) {
        let of = k.checked_sub(model.coordinate_names().len());
        let p = of.and_then(|of| model.system.parameters.get(*parameters.get(of)?));
        if let Some(p) = p.filter(|p| positive.contains(&p.symbol)) {
            return Err(CommandError::option(
                "--box",
                format!("`{}` is declared positive, and its range is not", p.name),
            ));
        }
    }
    Ok((model, given))
}

/// A name and its range.
pub type Side = (String, (f64, f64));

/// Names with their ranges.
pub fn sides(
    system: &System,
    option: &'static str,
    list: &[String],
) -> Result<Vec<Side>, CommandError> {
    pairs(option, list)?
        .into_iter()
        .map(|(name, text)| {
            let fail =
                |why: &str| CommandError::option(option, format!("`{}`: {why}", quote(&text)));
            let (lo, hi) = text
                .split_once(':')
                .ok_or_else(|| fail("wanted LOW:HIGH"))?;
            let (lo, hi) = (value(system, option, lo)?, value(system, option, hi)?);
            if lo < hi {
                Ok((name, (lo, hi)))
            } else {
                Err(fail("the low end must be below the high end"))
            }
        })
        .collect()
}
