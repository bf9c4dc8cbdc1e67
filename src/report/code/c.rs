//! How C writes a program. Parameters are members of one structure: there the name of a library is in nobody's way.

use super::{Argument, Entry, Function, Gives, Program, ROWS, SMALL};
use crate::analysis::Overrides;
use crate::report::text::joined;
use crate::system::{Parameter, sanitize};
use std::fmt::Write;

/// The functions that solve and integrate: the same for every system.
pub(super) const SOLVER: &str = include_str!("solver.c");

/// What an inverse function of an angle needs.
pub(super) const NEAREST: &str = "
/* value, or a whole number of periods from it, whatever is nearest. */
double nearest(double value, double place, double period)
{
    return value + period*round((place - value)/period);
}
";

impl Program<'_> {
    pub(super) fn c_header(&mut self, lines: &[String]) {
        for (i, line) in lines.iter().enumerate() {
            let begin = if i == 0 { "/*" } else { " *" };
            let line = format!("{begin} {}", comment(line));
            self.line(0, line.trim_end());
        }
        self.out
            .push_str(" */\n\n#include <math.h>\n#include <stdio.h>\n\n");
    }

    pub(super) fn c_constants(&mut self, independent: &[usize]) {
        let model = self.model;
        let system = &model.system;
        let (n, m) = (system.coordinates.len(), model.multiplier_names().len());
        let k = independent.len();
        let sizes = [
            format!("N = {n}, /* coordinates */"),
            format!("M = {m}, /* constraints */"),
            format!(
                "POSITIONAL = {}, /* constraints on positions, which come first */",
                system.constraints.len()
            ),
            format!(
                "ANY_ONE_SIDED = {}, /* is there one whose multiplier can only push? */",
                u8::from(!system.one_sided().is_empty())
            ),
            format!(
                "CONSERVES = {}, /* is the energy a constant? */",
                u8::from(!model.energy_terms().is_any(&system.pool))
            ),
            format!("K = {k}, /* constraints that are not redundant */"),
            format!("ROWS = {ROWS} /* printed after the first */"),
        ];
        self.line(0, "enum {");
        for size in sizes {
            self.line(1, &size);
        }
        self.line(0, "};\n");
        let strings =
            |names: &[String]| -> Vec<String> { names.iter().map(|name| string(name)).collect() };
        let numbers =
            |list: &[usize]| -> Vec<String> { list.iter().map(usize::to_string).collect() };
        self.line(0, &format!("const char NAME[] = {};", string(&system.name)));
        let coordinates = strings(model.coordinate_names());
        self.array("const char *const COORDINATES[N]", &coordinates);
        let constraints = strings(model.multiplier_names());
        self.array("const char *const CONSTRAINTS[M + 1]", &constraints);
        self.array("const int INDEPENDENT[M + 1]", &numbers(independent));
        let one_sided = system
            .constraints
            .iter()
            .map(|c| usize::from(c.side.is_some()));
        let one_sided = numbers(&one_sided.collect::<Vec<_>>());
        self.array("const int ONE_SIDED[M + 1]", &one_sided);
        let dependent = numbers(&self.derived.derivation.dependent);
        self.array("const int DEPENDENT[M + 1]", &dependent);
        if !system.parameters.is_empty() {
            let of = |p: &Parameter| self.names.of(p.symbol);
            let list = system.parameters.iter();
            let declared: Vec<String> = list.map(|p| format!("double {};", of(p))).collect();
            let list = system.parameters.iter();
            let valued = list.map(|p| format!(".{} = {},", of(p), float(p.value)));
            let valued: Vec<String> = valued.collect();
            self.line(0, "\nstruct {");
            for line in &declared {
                self.line(1, line);
            }
            self.line(0, "} parameters = {");
            for line in &valued {
                self.line(1, line);
            }
            self.line(0, "};");
        }
        let floats = |list: &[f64]| -> Vec<String> { list.iter().map(|v| float(*v)).collect() };
        match model.start(&Overrides::default()) {
            Ok(start) => {
                self.line(0, "\n/* the start: time, coordinates, velocities */");
                self.line(0, "enum { STARTS = 1 };");
                self.line(0, &format!("const double START = {};", float(start.t)));
                self.array("const double START_X[N]", &floats(&start.x));
                self.array("const double START_V[N]", &floats(&start.v));
            }
            Err(error) => {
                let why = comment(&sanitize(&error.to_string()));
                self.line(0, &format!("\n/* no start: {why} */"));
                self.line(0, "enum { STARTS = 0 };");
                self.line(0, "const double START = 0.0, START_X[N], START_V[N];");
            }
        }
        let until = float(system.run.until);
        self.line(0, &format!("const double UNTIL = {until};"));
        let breaks = floats(&model.breaks(&[system.start.t, system.run.until]));
        self.line(
            0,
            "\n/* times at which steps end: what depends on time changes suddenly there */",
        );
        self.line(0, &format!("enum {{ BREAK_COUNT = {} }};", breaks.len()));
        self.array("const double BREAKS[BREAK_COUNT + 1]", &breaks);
        self.out.push_str(
            "\n/* -1, 0 or 1. */\ndouble sign(double u)\n{\n    return u > 0 ? 1.0 : u < 0 ? -1.0 : u;\n}\n",
        );
    }

    /// `head = {parts};`, a part a line where there are many.
    fn array(&mut self, head: &str, parts: &[String]) {
        if parts.is_empty() {
            self.line(0, &format!("{head} = {{0}};"));
            return;
        }
        self.list((0, &format!("{head} = ")), ["{", "};"], parts);
    }

    pub(super) fn c_open(&mut self, function: &Function<'_>) {
        let out = &self.arguments.out;
        let given = match function.gives {
            Gives::Number => None,
            Gives::List | Gives::Perhaps => Some(format!("double {out}[]")),
            Gives::Matrix => Some(format!("double {out}[][N]")),
        };
        let taken = function.arguments.iter().map(|argument| match argument {
            Argument::Time => "double t".to_owned(),
            vector => format!("const double {}[]", self.argument(*vector)),
        });
        let arguments = joined(taken.chain(given));
        let (kind, about) = match function.gives {
            Gives::Number => ("double", ""),
            Gives::List | Gives::Matrix => ("void", ""),
            Gives::Perhaps => ("int", " 0 where there is none."),
        };
        let name = match function.name {
            // POSIX has a function of that name
            "gamma" => "gamma_",
            name => name,
        };
        let head = format!("{kind} {name}({arguments})");
        self.line(0, &format!("\n/* {}{about} */", comment(function.about)));
        self.line(0, &format!("{head}\n{{"));
    }

    /// The values of a list.
    pub(super) fn c_fill(&mut self, indent: usize, values: &[String]) {
        let out = self.arguments.out.clone();
        if values.is_empty() {
            self.line(indent, &format!("(void){out};"));
        }
        for (k, value) in values.iter().enumerate() {
            self.line(indent, &format!("{out}[{k}] = {value};"));
        }
    }

    pub(super) fn c_matrix(&mut self, entries: &[Entry], rows: usize, columns: usize) {
        let out = self.arguments.out.clone();
        if rows == 0 {
            self.line(1, &format!("(void){out};"));
        } else if columns > SMALL {
            self.line(1, &format!("for (int i = 0; i < {rows}; i++)"));
            self.line(2, "for (int j = 0; j < N; j++)");
            self.line(3, &format!("{out}[i][j] = 0.0;"));
        }
        for ([i, j], value) in entries {
            self.line(1, &format!("{out}[{i}][{j}] = {value};"));
        }
    }
}

/// A text inside a comment.
fn comment(text: &str) -> String {
    text.replace("*/", "* /")
        .replace("/*", "/ *")
        .replace("??", "? ?")
        .replace('\\', "/")
}

/// A string; what is not ASCII by its bytes, each of which a program takes as it is.
fn string(content: &str) -> String {
    let mut text = String::from("\"");
    for byte in sanitize(content).bytes() {
        match byte {
            b'\\' | b'"' | b'?' => text.extend(['\\', char::from(byte)]),
            0x20..0x7f => text.push(char::from(byte)),
            other => {
                let _ = write!(text, "\\{other:03o}");
            }
        }
    }
    text.push('"');
    text
}

/// A number that reads back as the same.
fn float(value: f64) -> String {
    if value.is_nan() {
        "NAN".to_owned()
    } else if value.is_finite() {
        format!("{value:?}")
    } else {
        format!("{}INFINITY", if value < 0.0 { "-" } else { "" })
    }
}
