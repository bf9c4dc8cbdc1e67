//! The built-in systems, and reading a system from wherever the user points.

use super::diagnostic::{Diagnostic, quote};
use super::names::nearest;
use super::schema::MAX_FILE;
use crate::disk::{self, Refusal};
use std::io::{self, Read};
use std::path::Path;

/// A system file held in the binary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Builtin {
    /// The name that stands for it on the command line.
    pub name: &'static str,
    /// What it belongs to, for the list.
    pub group: &'static str,
    /// What it shows, in a few words.
    pub shows: &'static str,
    /// The file.
    pub text: &'static str,
}

/// Files of `systems/` by their names, in groups, each with what it shows.
macro_rules! held {
    ($($group:literal: $($name:literal => $shows:literal),*;)*) => {
        [$($(Builtin {
            name: $name,
            group: $group,
            shows: $shows,
            text: include_str!(concat!("../../systems/", $name, ".yaml")),
        }),*),*]
    };
}

/// The report's three first; in each group from the simple to the large.
const BUILTIN: [Builtin; 33] = held![
    "The report's examples":
        "bead_on_parabola" => "at x1 = 0 the theorem fails for x1; the motion continues",
        "rotating_rod" => "constraints that depend on time, and forces that do work",
        "product_and_sum" => "two constraints with two roots; a failure on the way";
    "Pendulums":
        "pendulum" => "two choices, each with its failures; two equilibria",
        "spherical_pendulum" => "conserved energy and angular momentum; bounds of height",
        "conical_pendulum" => "a bob on a level circle, at the one speed for its angle",
        "pendulum_on_cart" => "the momentum along the rail is kept; an ellipse",
        "double_pendulum" => "a determinant with one factor per rod; chaotic motion";
    "Hoops and surfaces":
        "hemisphere" => "a one-sided constraint: the particle leaves the surface",
        "rotating_hoop" => "a constraint with time; Jacobi's integral is conserved",
        "hoop_radius_freed" => "the normal force: the multiplier that holds the radius",
        "geodesic_torus" => "free motion on a torus; Clairaut's relation",
        "geodesic_ellipsoid" => "free motion on an ellipsoid; Joachimsthal's constant";
    "Rolling and blades: constraints on velocities":
        "hoop_on_incline" => "rolling without slipping, which here can be integrated",
        "knife_edge" => "a skate on a slope: it moves along a cycloid",
        "chaplygin_sleigh" => "a sleigh on one blade: all motions end straight ahead",
        "rolling_disc" => "an upright disc rolls without slipping, on a circle";
    "Machines and linkages":
        "atwood_machine" => "two weights over a pulley; the tension of each side",
        "ladder" => "one-sided constraints: the falling top leaves the wall",
        "slider_crank" => "the theorem fails at the dead centres; the crank turns on",
        "four_bar" => "a parallelogram, with a flat position of lower rank",
        "andrews" => "a standard test: seven angles and six constraints";
    "From statics to Lagrange":
        "lever" => "balance at every angle; multipliers give the loads",
        "catenary" => "a hanging chain at rest; the tension in each link",
        "block_on_plane" => "a rope pulls a block along a floor; the normal force",
        "block_on_incline" => "the multiplier is the normal force, m*g*cos(alpha)",
        "bead_on_wire" => "equilibrium of a bead under wind and weight",
        "bead_on_moving_wire" => "a moving wire does work on its bead",
        "reaction_of_surface" => "the reaction of a bowl on a sliding particle",
        "minimum_on_surface" => "no motion: a constrained optimum and its multiplier";
    "One constraint, two, and coupled masses":
        "salas_curve" => "lambda in closed form for a curve, here an ellipse",
        "salas_two_constraints" => "a sphere and a plane, eliminated one after the other",
        "gekeler_coupled_mass" => "a mass matrix that couples the velocities";
];

/// The built-in systems; the first is the default.
pub fn builtin() -> &'static [Builtin] {
    &BUILTIN
}

/// The built-in system of a name.
pub fn find(name: &str) -> Option<&'static Builtin> {
    BUILTIN.iter().find(|b| b.name == name)
}

impl Builtin {
    /// Its title.
    pub fn title(&self) -> String {
        self.line("name").unwrap_or_else(|| self.name.to_owned())
    }

    /// Where it is from.
    pub fn source(&self) -> Option<String> {
        self.line("source")
    }

    /// The rest of a top-level line `key: …`; the built-in files write these keys plainly.
    fn line(&self, key: &str) -> Option<String> {
        self.text.lines().find_map(|line| {
            let rest = line.strip_prefix(key)?.strip_prefix(": ")?;
            Some(rest.trim().to_owned())
        })
    }
}

/// The text of a system file and what to call it in messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// The file, `standard input`, or the name of a built-in system.
    pub file: String,
    /// The text.
    pub text: String,
}

/// Why there is no text to read.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// Neither a file nor a built-in system.
    #[error("`{name}` is neither a file nor a built-in system; {}", match .nearest {
        Some(known) => format!("did you mean `{known}`?"),
        None => format!("{}`holonom list` names the built-in systems, `holonom new my.yaml` begins a file", alike(name)),
    })]
    NotFound {
        /// What was asked for, sanitised.
        name: String,
        /// The nearest built-in name.
        nearest: Option<&'static str>,
    },
    /// The file cannot be read.
    #[error("cannot read {file}: {error}")]
    Io {
        /// The file, sanitised.
        file: String,
        /// The reason.
        error: Refusal,
    },
    /// It is no text or too long.
    #[error("{0}")]
    Content(#[from] Diagnostic),
}

/// The built-in systems with a word in their names: `there are rotating_rod, rotating_hoop; `.
fn alike(word: &str) -> String {
    let names = BUILTIN
        .iter()
        .map(|b| b.name)
        .filter(|name| name.contains(word));
    let names: Vec<&str> = names.take(6).collect();
    if names.is_empty() || word.len() < 3 {
        return String::new();
    }
    format!("there are {}; ", names.join(", "))
}

/// Reads the system that an argument names: `-` for standard input, a built-in system, or a file. At most
/// [`MAX_FILE`] bytes are read.
pub fn load(argument: &str, standard_input: &mut dyn Read) -> Result<Input, LoadError> {
    if argument == "-" {
        let file = "standard input";
        return limited(standard_input, file);
    }
    if let Some(known) = find(argument) {
        return Ok(Input {
            file: known.name.to_owned(),
            text: known.text.to_owned(),
        });
    }
    let path = Path::new(argument);
    let failed = |error| LoadError::Io {
        file: quote(argument),
        error,
    };
    match disk::open(path) {
        Ok(mut file) => limited(&mut *file, argument),
        Err(Refusal::Io(error)) if error.kind() == io::ErrorKind::NotFound => {
            Err(LoadError::NotFound {
                name: quote(argument),
                nearest: nearest(argument, BUILTIN.map(|b| b.name)),
            })
        }
        Err(error) => Err(failed(error)),
    }
}

fn limited(from: &mut dyn Read, file: &str) -> Result<Input, LoadError> {
    let mut bytes = Vec::new();
    let limit = MAX_FILE as u64 + 1;
    from.take(limit)
        .read_to_end(&mut bytes)
        .map_err(|error| LoadError::Io {
            file: quote(file),
            error: error.into(),
        })?;
    if bytes.len() > MAX_FILE {
        let message = format!("a system file may have at most {} KiB", MAX_FILE / 1024);
        return Err(Diagnostic::without_place(file, message).into());
    }
    Ok(Input {
        file: file.to_owned(),
        text: decode(&bytes, file)?.to_owned(),
    })
}

/// The text of bytes; a diagnostic at the first place that is not UTF-8.
pub fn decode<'a>(bytes: &'a [u8], file: &str) -> Result<&'a str, Diagnostic> {
    std::str::from_utf8(bytes).map_err(|error| {
        let good = error.valid_up_to();
        let line_end = bytes[good..]
            .iter()
            .position(|b| *b == b'\n')
            .map_or(bytes.len(), |i| good + i)
            .min(good + 200);
        let start = bytes[..good]
            .iter()
            .rposition(|b| *b == b'\n')
            .map_or(0, |i| i + 1);
        // the text as far as it is one, with the rest of the line as it can be shown
        let mut text = String::from_utf8_lossy(&bytes[..start]).into_owned();
        text.push_str(&String::from_utf8_lossy(&bytes[start..line_end]));
        let utf16 = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
        let help = if utf16 {
            "the file seems to be UTF-16: save it as UTF-8"
        } else {
            "save the file as UTF-8"
        };
        Diagnostic::at(file, &text, good..good + 3, "this is not UTF-8 text").with_help(help)
    })
}

#[cfg(test)]
mod tests {
    use super::super::System;
    use super::*;

    #[test]
    fn the_built_in_systems_are_read() {
        for known in builtin() {
            let system = System::parse(known.text, known.name, &[]);
            let system = system.unwrap_or_else(|e| panic!("{}", e[0]));
            assert_eq!(system.name, known.title());
            assert_eq!(system.source, known.source());
            assert!(system.about.is_some() && !known.shows.is_empty());
            // an objective has no motion to show
            assert!(
                system.objective || !system.plots.is_empty() && system.picture.is_some(),
                "{}",
                known.name
            );
        }
        assert_eq!(builtin()[0].name, "bead_on_parabola");
    }

    #[test]
    fn a_system_is_found_by_its_name_as_a_file_or_on_standard_input() {
        let none = &mut io::empty();
        assert_eq!(load("rotating_rod", none).unwrap().text, BUILTIN[1].text);
        assert_eq!(load("-", &mut "a: 1".as_bytes()).unwrap().text, "a: 1");
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/systems/product_and_sum.yaml");
        assert_eq!(load(file, none).unwrap().text, BUILTIN[2].text);
        let error = load("rotating_rods", none).unwrap_err().to_string();
        assert!(error.ends_with("did you mean `rotating_rod`?"), "{error}");
        assert!(load("/", none).is_err());
        assert!(load("no\0such", none).is_err());
    }

    #[test]
    fn reading_is_bounded() {
        let error = load("-", &mut io::repeat(b'a')).unwrap_err().to_string();
        assert!(error.contains("at most 1024 KiB"), "{error}");
    }

    #[test]
    fn bytes_that_are_no_text_have_a_place() {
        let error = decode(b"a: 1\nb: \xff\xfe\nc: 2", "f").unwrap_err();
        assert_eq!((error.line, error.column), (2, 4));
        assert!(
            decode(b"\xff\xfea\0", "f")
                .unwrap_err()
                .help
                .unwrap()
                .contains("UTF-16")
        );
    }
}
