//! The equations as a program: a module for Python 3 and its standard library alone.
//!
//! With M x'' + h = J^T lambda and J x'' = gamma the accelerations and the multipliers solve
//!
//! ```text
//! [ M  J^T ] [   x''   ]   [  -h   ]
//! [ J   0  ] [ -lambda ] = [ gamma ]
//! ```
//!
//! with W = [J; A] in the place of J where there are velocity constraints A x' + b = 0.
//!
//! The program has a function for each piece (`constraints`, `jacobian`, `mass`, `bias`, `gamma`), that solution
//! (`accelerations`), the closed forms where there are some (`multipliers`, `inverse_functions`), the `energy`,
//! and prints the motion as CSV where it is run. Parameters are constants of the module, under their names.

mod names;

use super::redundancy::{self, all_redundant};
use crate::analysis::{Derived, Model, Overrides, Redundancy};
use crate::expr::{Code, Expr};
use crate::system::sanitize;
use crate::theorem::{Branch, Relation};
use names::{Binding, PythonNames};
use std::fmt::Write;

/// Lines of code are broken to be no longer than this, where they are lists.
const WIDTH: usize = 100;
/// Matrices of more columns than this are filled in entry by entry.
const SMALL: usize = 6;
/// Coordinates are unpacked in one line up to this many.
const UNPACKED: usize = 8;
/// Equations quoted at the top: at most so many, and none longer than this.
const QUOTED: usize = 12;
const QUOTED_WIDTH: usize = 90;
/// Rows that the program prints.
const ROWS: usize = 50;

/// The functions that solve and integrate: the same for every system.
const SOLVER: &str = include_str!("solver.py");

/// What an inverse function of an angle needs.
const NEAREST: &str = "

def nearest(value, near, period):
    \"\"\"value, or a whole number of periods from it, whatever is nearest.\"\"\"
    return value + period*round((near - value)/period)
";

/// `derive --code python`.
pub fn derive_python(model: &Model, derived: &Derived) -> String {
    let mut names = PythonNames::new(&model.system);
    let arguments = Arguments {
        x: names.first_free(&["x", "q", "position"]),
        v: names.first_free(&["v", "qd", "velocity"]),
        a: names.first_free(&["a", "qdd", "acceleration"]),
        y: names.first_free(&["y", "level", "levels"]),
    };
    let mut module = Module {
        model,
        derived,
        redundancy: model.redundancy(),
        names,
        arguments,
        out: String::new(),
    };
    module.header();
    module.constants();
    module.pieces();
    module.closed_forms();
    module.out.push_str(SOLVER);
    module.out
}

/// The names of the vectors that functions take.
struct Arguments {
    x: String,
    v: String,
    a: String,
    y: String,
}

struct Module<'a> {
    model: &'a Model,
    derived: &'a Derived,
    redundancy: Option<Redundancy>,
    names: PythonNames,
    arguments: Arguments,
    out: String,
}

/// A function to be written.
struct Function<'a> {
    name: &'a str,
    arguments: &'a [&'a str],
    about: &'a str,
}

impl Module<'_> {
    fn line(&mut self, indent: usize, text: &str) {
        let _ = writeln!(self.out, "{}{text}", " ".repeat(4 * indent));
    }

    /// `name = [parts]`, over several lines where it is long.
    fn list(&mut self, (indent, head): (usize, &str), brackets: [&str; 2], parts: &[String]) {
        let [open, close] = brackets;
        // a tuple of one needs its comma
        let comma = if open == "(" && parts.len() == 1 {
            ","
        } else {
            ""
        };
        let whole = format!("{head}{open}{}{comma}{close}", parts.join(", "));
        if 4 * indent + whole.chars().count() <= WIDTH {
            self.line(indent, &whole);
            return;
        }
        self.line(indent, &format!("{head}{open}"));
        let mut line = String::new();
        for part in parts {
            if !line.is_empty()
                && 4 * indent + 6 + line.chars().count() + part.chars().count() > WIDTH
            {
                self.line(indent + 1, line.trim_end());
                line.clear();
            }
            line.push_str(part);
            line.push_str(", ");
        }
        self.line(indent + 1, line.trim_end());
        self.line(indent, close);
    }

    fn header(&mut self) {
        let model = self.model;
        let system = &model.system;
        self.line(0, &format!("\"\"\"{}", text(&system.name)));
        self.out.push('\n');
        self.out.push_str(
            "Equations of motion, for Python 3 and its standard library, in the sign convention\n\n\
             \x20   d/dt(dL/dx') - dL/dx = Q + J^T lambda,    f(x; t) = c,    J = df/dx\n\n\
             so that M x'' + h = J^T lambda is the force of constraint and J x'' = gamma.\n\
             Run as a program it prints the motion as CSV.\n",
        );
        if !system.velocity_constraints.is_empty() {
            self.out.push_str(
                "With velocity constraints A x' + b = 0, `jacobian` is W = [J; A], and so in all of these.\n",
            );
        }
        let constraints = system.constraints.iter().zip(model.constraint_names());
        let one_sided: Vec<&str> = constraints
            .filter(|(c, _)| c.side.is_some())
            .map(|(_, name)| name.as_str())
            .collect();
        if !one_sided.is_empty() {
            let names = text(&one_sided.join(", "));
            self.line(0, &format!("One-sided, but never released here: {names}."));
        }
        let shown: Vec<String> = self
            .derived
            .standard
            .iter()
            .map(|e| format!("{} = 0", system.pool.print(*e)))
            .collect();
        if shown.len() <= QUOTED && shown.iter().all(|line| line.len() <= QUOTED_WIDTH) {
            self.out.push('\n');
            for line in &shown {
                self.line(1, &text(line));
            }
        }
        if let Some(redundancy) = &self.redundancy {
            self.out.push('\n');
            let note = all_redundant(self.model, &redundancy.others, redundancy::Where::Start);
            let note = text(&note);
            self.line(0, &format!("{note}; here those of all others are 0."));
        }
        self.line(0, "\"\"\"");
        self.out.push_str("\nimport math\nimport sys\n\n");
    }

    fn constants(&mut self) {
        let model = self.model;
        let system = &model.system;
        let quoted = |list: &[String]| -> Vec<String> { list.iter().map(|n| string(n)).collect() };
        self.line(0, &format!("NAME = {}", string(&system.name)));
        self.list(
            (0, "COORDINATES = "),
            ["(", ")"],
            &quoted(model.coordinate_names()),
        );
        self.list(
            (0, "CONSTRAINTS = "),
            ["(", ")"],
            &quoted(model.multiplier_names()),
        );
        let independent = match &self.redundancy {
            Some(redundancy) => redundancy.rows.clone(),
            None => (0..system.constraints.len()).collect(),
        };
        let all = model.multiplier_names().len();
        let independent = independent.into_iter().chain(system.constraints.len()..all);
        let independent: Vec<usize> = independent.collect();
        let independent: Vec<String> = independent.iter().map(usize::to_string).collect();
        self.line(0, "# constraints that are not redundant");
        self.list((0, "INDEPENDENT = "), ["(", ")"], &independent);
        self.line(0, "# dependent coordinates");
        let dependent = &self.derived.derivation.dependent;
        let dependent: Vec<String> = dependent.iter().map(usize::to_string).collect();
        self.list((0, "DEPENDENT = "), ["(", ")"], &dependent);
        if !system.parameters.is_empty() {
            self.out.push('\n');
        }
        for p in &system.parameters {
            let line = format!("{} = {}", self.names.of(p.symbol), float(p.value));
            self.line(0, &line);
        }
        self.out.push('\n');
        match model.start(&Overrides::default()) {
            Ok(start) => {
                let numbers = |list: &[f64]| {
                    let parts: Vec<String> = list.iter().map(|v| float(*v)).collect();
                    let comma = if list.len() == 1 { "," } else { "" };
                    format!("({}{comma})", parts.join(", "))
                };
                self.line(0, "# time, coordinates, velocities");
                let parts = [float(start.t), numbers(&start.x), numbers(&start.v)];
                self.list((0, "START = "), ["(", ")"], &parts);
            }
            Err(error) => {
                self.line(0, &format!("# no start: {}", sanitize(&error.to_string())));
                self.line(0, "START = None");
            }
        }
        self.line(0, &format!("UNTIL = {}", float(system.run.until)));
        self.line(
            0,
            "# rows printed, and steps of the integration from one to the next",
        );
        self.line(0, &format!("ROWS = {ROWS}"));
        let unknowns = system.coordinates.len() + model.multiplier_names().len();
        let steps = (960 / unknowns.max(1)).clamp(16, 80);
        self.line(0, &format!("STEPS = {steps}"));
        self.out.push_str(
            "\n\ndef sign(u):\n    \"\"\"-1, 0 or 1.\"\"\"\n    return math.copysign(1.0, u) if u < 0 or u > 0 else u\n",
        );
    }

    /// The head of a function.
    fn function(&mut self, function: &Function<'_>) {
        self.names.restart();
        let arguments = function.arguments.join(", ");
        self.out.push_str("\n\n");
        self.line(0, &format!("def {}({arguments}):", function.name));
        self.line(1, &format!("\"\"\"{}\"\"\"", function.about));
    }

    /// Takes the values that code uses out of the arguments.
    fn unpack(&mut self, codes: &[&Code]) {
        let system = &self.model.system;
        let mut used: Vec<Expr> = codes.iter().flat_map(|c| c.symbols.clone()).collect();
        used.sort_unstable();
        used.dedup();
        let places: Vec<Binding> = used.iter().map(|e| Binding::of(system, *e)).collect();
        let of_order = |order: u8| -> (Vec<(usize, String)>, Vec<String>) {
            let mut some: Vec<(usize, String)> = Vec::new();
            for (e, place) in used.iter().zip(&places) {
                if let Binding::Coordinate(k, o) = place
                    && *o == order
                {
                    some.push((*k, self.names.of(*e)));
                }
            }
            some.sort_unstable();
            let symbol = |c: &crate::system::Coordinate| match order {
                0 => c.x,
                1 => c.v,
                _ => c.a,
            };
            let all = system.coordinates.iter().map(|c| self.names.of(symbol(c)));
            (some, all.collect())
        };
        let levels: Vec<(usize, String)> = used
            .iter()
            .zip(&places)
            .filter_map(|(e, place)| match place {
                Binding::Level(b) => Some((*b, self.names.of(*e))),
                _ => None,
            })
            .collect();
        let all_levels = system.constraints.iter().map(|c| self.names.of(c.level));
        let groups = [
            (self.arguments.x.clone(), of_order(0)),
            (self.arguments.v.clone(), of_order(1)),
            (self.arguments.a.clone(), of_order(2)),
            (self.arguments.y.clone(), (levels, all_levels.collect())),
        ];
        for (vector, (some, all)) in groups {
            if some.is_empty() {
                continue;
            }
            if all.len() <= UNPACKED {
                let comma = if all.len() == 1 { "," } else { "" };
                self.line(1, &format!("{}{comma} = {vector}", all.join(", ")));
            } else {
                for (k, name) in some {
                    self.line(1, &format!("{name} = {vector}[{k}]"));
                }
            }
        }
    }

    fn assignments(&mut self, indent: usize, code: &Code) {
        for assignment in &code.assignments {
            self.line(indent, assignment);
        }
    }

    /// A function that gives a list.
    fn vector(&mut self, function: &Function<'_>, values: &[Expr]) {
        self.function(function);
        let code = self.model.system.pool.python(values, &mut self.names);
        self.unpack(&[&code]);
        self.assignments(1, &code);
        self.list((1, "return "), ["[", "]"], &code.values);
    }

    /// A function that gives a matrix as a list of rows.
    fn matrix(&mut self, function: &Function<'_>, rows: &[Vec<Expr>], columns: usize) {
        self.function(function);
        let pool = &self.model.system.pool;
        let entries: Vec<(usize, usize, Expr)> = rows
            .iter()
            .enumerate()
            .flat_map(|(i, row)| row.iter().enumerate().map(move |(j, e)| (i, j, *e)))
            .filter(|(.., e)| columns <= SMALL || *e != pool.zero())
            .collect();
        let values: Vec<Expr> = entries.iter().map(|(.., e)| *e).collect();
        let code = pool.python(&values, &mut self.names);
        self.unpack(&[&code]);
        self.assignments(1, &code);
        if columns <= SMALL {
            let mut values = code.values.into_iter();
            let rows: Vec<String> = rows
                .iter()
                .map(|row| {
                    let row: Vec<String> = values.by_ref().take(row.len()).collect();
                    format!("[{}]", row.join(", "))
                })
                .collect();
            self.list((1, "return "), ["[", "]"], &rows);
            return;
        }
        let matrix = self.names.first_free(&["rows"]);
        self.line(
            1,
            &format!(
                "{matrix} = [[0.0]*{columns} for _ in range({})]",
                rows.len()
            ),
        );
        for ((i, j, _), value) in entries.iter().zip(&code.values) {
            self.line(1, &format!("{matrix}[{i}][{j}] = {value}"));
        }
        self.line(1, &format!("return {matrix}"));
    }

    /// The pieces of the equations.
    fn pieces(&mut self) {
        let model = self.model;
        let system = &model.system;
        let equations = &model.equations;
        let pool = &system.pool;
        let n = system.coordinates.len();
        let (x, v) = (self.arguments.x.clone(), self.arguments.v.clone());
        let position = ["t", x.as_str()];
        let state = ["t", x.as_str(), v.as_str()];
        let residuals: Vec<Expr> = system
            .constraints
            .iter()
            .map(|c| pool.sub(c.f, c.c))
            .collect();
        let right: Vec<Expr> = system.constraints.iter().map(|c| c.c).collect();
        let rolls = !system.velocity_constraints.is_empty();
        let mut rows = equations.gradients.clone();
        rows.extend(equations.velocity.rows.iter().cloned());
        let mut rates = equations.gamma.clone();
        rates.extend(&equations.velocity.gamma);
        let function = |name, arguments, about| Function {
            name,
            arguments,
            about,
        };
        self.vector(
            &function("right_sides", &[], "c of the constraints f(x; t) = c."),
            &right,
        );
        self.vector(
            &function("constraints", &position, "f(x; t) - c, one a constraint."),
            &residuals,
        );
        self.matrix(
            &function(
                "jacobian",
                &position,
                if rolls {
                    "W = [J; A], a row a constraint: J = df/dx, then A of the velocity constraints."
                } else {
                    "J = df/dx, a row a constraint."
                },
            ),
            &rows,
            n,
        );
        if rolls {
            self.vector(
                &function(
                    "velocity_constraints",
                    &state,
                    "A x' + b, one a velocity constraint.",
                ),
                &equations.velocity.speeds,
            );
        }
        self.matrix(
            &function("mass", &state, "M = d2L/dx'dx'."),
            &equations.mass,
            n,
        );
        self.vector(
            &function(
                "bias",
                &state,
                "h: the Euler-Lagrange expressions less applied forces are M x'' + h.",
            ),
            &equations.bias,
        );
        self.vector(
            &function(
                "gamma",
                &state,
                "gamma: the constraints differentiated twice are J x'' = gamma.",
            ),
            &rates,
        );
        self.function(&function("energy", &state, "sum x' dL/dx' - L."));
        let code = pool.python(&[equations.energy], &mut self.names);
        self.unpack(&[&code]);
        self.assignments(1, &code);
        self.line(1, &format!("return {}", code.values.join("")));
    }

    /// The conditions of a branch and its functions. A coordinate that repeats takes the value that is
    /// nearest to where it is.
    fn branch(&mut self, branch: &Branch) -> (Code, Code) {
        let system = &self.model.system;
        let pool = &system.pool;
        let conditions: Vec<Expr> = branch.conditions.iter().map(|c| c.expression).collect();
        let conditions = pool.python(&conditions, &mut self.names);
        let mut outputs = branch.functions.clone();
        let dependent = self.derived.derivation.dependent.iter().enumerate();
        let repeating: Vec<usize> = dependent
            .filter_map(|(place, &k)| {
                let period = branch.period(k)?;
                outputs.extend([system.coordinates[k].x, period]);
                Some(place)
            })
            .collect();
        let mut functions = pool.python(&outputs, &mut self.names);
        let extra = functions.values.split_off(branch.functions.len());
        for (place, pair) in repeating.into_iter().zip(extra.chunks(2)) {
            if let (Some(value), [x, period]) = (functions.values.get_mut(place), pair) {
                *value = format!("nearest({value}, {x}, {period})");
            }
        }
        (conditions, functions)
    }

    /// The multipliers and the inverse functions, where they have a closed form.
    fn closed_forms(&mut self) {
        let model = self.model;
        let system = &model.system;
        if system.constraints.is_empty() && system.velocity_constraints.is_empty() {
            return;
        }
        // with velocity constraints those of W: the others' multipliers would contain theirs
        let form = self
            .derived
            .whole
            .as_ref()
            .unwrap_or(&self.derived.derivation);
        let letter = if self.derived.whole.is_some() {
            "W"
        } else {
            "J"
        };
        let of_all = text(&model.names(&form.dependent).join(", "));
        let names = model.names(&self.derived.derivation.dependent);
        let dependent = text(&names.join(", "));
        let (x, v, a, y) = (
            self.arguments.x.clone(),
            self.arguments.v.clone(),
            self.arguments.a.clone(),
            self.arguments.y.clone(),
        );
        let rolls = !system.velocity_constraints.is_empty();
        let closed = !rolls || self.derived.whole.is_some();
        if let Some(multipliers) = form.multipliers.clone().filter(|_| closed) {
            let about = format!(
                "The multipliers in closed form, where det {letter}[{of_all}] is not zero."
            );
            let arguments = ["t", x.as_str(), v.as_str(), a.as_str()];
            let function = Function {
                name: "multipliers",
                arguments: &arguments,
                about: &about,
            };
            self.vector(&function, &multipliers);
        }
        let branches = self.derived.inverse.branches();
        if branches.is_empty() || system.constraints.is_empty() {
            return;
        }
        if branches.iter().any(|b| !b.periods.is_empty()) {
            self.out.push_str(NEAREST);
        }
        let about = format!(
            "The dependent coordinates {dependent} from {y} = f, the other coordinates and t; {x} chooses the branch."
        );
        let arguments = ["t", x.as_str(), y.as_str()];
        self.function(&Function {
            name: "inverse_functions",
            arguments: &arguments,
            about: &about,
        });
        let codes: Vec<(Code, Code)> = branches.iter().map(|b| self.branch(b)).collect();
        let all: Vec<&Code> = codes.iter().flat_map(|(c, f)| [c, f]).collect();
        self.unpack(&all);
        let mut always = false;
        for (branch, (conditions, functions)) in branches.iter().zip(&codes) {
            self.assignments(1, conditions);
            let tests: Vec<String> = branch
                .conditions
                .iter()
                .zip(&conditions.values)
                .map(|(c, value)| {
                    let relation = match c.relation {
                        Relation::Positive => ">",
                        Relation::Negative => "<",
                        Relation::NonZero => "!=",
                        Relation::AtLeast => ">=",
                        Relation::Zero => "==",
                    };
                    format!("{value} {relation} 0")
                })
                .collect();
            always |= tests.is_empty();
            let indent = if tests.is_empty() {
                1
            } else {
                self.line(1, &format!("if {}:", tests.join(" and ")));
                2
            };
            self.assignments(indent, functions);
            self.list((indent, "return "), ["[", "]"], &functions.values);
        }
        if !always {
            self.line(1, "raise ValueError(\"the position lies on no branch\")");
        }
    }
}

/// A text inside a string of Python.
fn text(text: &str) -> String {
    sanitize(text).replace('\\', "\\\\").replace('"', "\\\"")
}

fn string(content: &str) -> String {
    format!("\"{}\"", text(content))
}

/// A number that reads back as the same.
fn float(value: f64) -> String {
    if value.is_finite() {
        format!("{value:?}")
    } else {
        format!("float(\"{value}\")")
    }
}
