//! The equations as a program, for Python 3 or C99 and its standard library alone.
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
//!
//! What is written is walked through once, here; how a language writes it is in a file of its own, as is what every
//! program of that language ends in.

mod c;
mod names;
mod python;

use super::redundancy::{self, all_redundant};
use crate::analysis::{Derived, Model};
use crate::expr::{Code, Expr, Language};
use crate::report::text::joined;
use crate::solver::Redundant;
use crate::system::sanitize;
use crate::theorem::{Branch, Relation};
use names::ProgramNames;
use rustc_hash::FxHashSet;
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

/// `derive --code`.
pub fn derive_code(model: &Model, derived: &Derived, language: Language) -> String {
    let mut names = ProgramNames::new(&model.system, language);
    let arguments = Arguments {
        x: names.first_free(&["x", "q", "position"]),
        v: names.first_free(&["v", "qd", "velocity"]),
        a: names.first_free(&["a", "qdd", "acceleration"]),
        y: names.first_free(&["y", "level", "levels"]),
        out: names.first_free(&["out", "result"]),
    };
    let mut program = Program {
        model,
        derived,
        redundancy: model.redundancy_of_all(),
        names,
        arguments,
        language,
        out: String::new(),
    };
    program.header();
    program.constants();
    program.pieces();
    program.closed_forms();
    program.out.push_str(match language {
        Language::Python => python::SOLVER,
        Language::C => c::SOLVER,
    });
    program.out
}

/// The names of the vectors that functions take.
struct Arguments {
    x: String,
    v: String,
    a: String,
    y: String,
    /// Where C puts what a function gives.
    out: String,
}

struct Program<'a> {
    model: &'a Model,
    derived: &'a Derived,
    /// The constraints in use, of all, and those that follow from them.
    redundancy: Option<(Vec<usize>, Vec<Redundant>)>,
    names: ProgramNames,
    arguments: Arguments,
    language: Language,
    out: String,
}

/// What a function takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Argument {
    Time,
    /// The coordinates, or their derivative of this order.
    State(u8),
    /// The values of the constraints.
    Levels,
}

const POSITION: &[Argument] = &[Argument::Time, Argument::State(0)];
const STATE: &[Argument] = &[Argument::Time, Argument::State(0), Argument::State(1)];
const MOTION: &[Argument] = &[
    Argument::Time,
    Argument::State(0),
    Argument::State(1),
    Argument::State(2),
];
const INVERSE: &[Argument] = &[Argument::Time, Argument::State(0), Argument::Levels];

/// What a function gives.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gives {
    Number,
    List,
    Matrix,
    /// A list, or that there is none.
    Perhaps,
}

/// A function to be written.
struct Function<'a> {
    name: &'a str,
    arguments: &'static [Argument],
    gives: Gives,
    about: &'a str,
}

/// A place in a matrix, and what stands there.
type Entry = ([usize; 2], String);

impl Program<'_> {
    fn line(&mut self, indent: usize, text: &str) {
        let _ = writeln!(self.out, "{}{text}", " ".repeat(4 * indent));
    }

    /// What stands at the top, line by line.
    fn header(&mut self) {
        let model = self.model;
        let system = &model.system;
        let (language, run) = match self.language {
            Language::Python => ("Python 3", "Run as a program it prints the motion as CSV."),
            Language::C => (
                "C99",
                "Compiled (cc -O2 motion.c -o motion -lm) and run it prints the motion as CSV.",
            ),
        };
        let mut lines: Vec<String> = vec![system.name.clone(), String::new()];
        lines.extend([
            format!(
                "Equations of motion, for {language} and its standard library, in the sign convention"
            ),
            String::new(),
            "    d/dt(dL/dx') - dL/dx = Q + J^T lambda,    f(x; t) = c,    J = df/dx".to_owned(),
            String::new(),
            "so that M x'' + h = J^T lambda is the force of constraint and J x'' = gamma.".to_owned(),
            run.to_owned(),
        ]);
        if !system.velocity_constraints.is_empty() {
            lines.push(
                "With velocity constraints A x' + b = 0, `jacobian` is W = [J; A], and so in all of these."
                    .to_owned(),
            );
        }
        let constraints = system.constraints.iter().zip(model.constraint_names());
        let one_sided = constraints.filter(|(c, _)| c.side.is_some());
        let one_sided = joined(one_sided.map(|(_, name)| name));
        if !one_sided.is_empty() {
            lines.push(format!(
                "One-sided: {one_sided}. The program ends where one would have to pull."
            ));
        }
        let jumps = system
            .pool
            .jumps_at_zeros_of(system.lagrangian, &system.positions());
        if !jumps.is_empty() {
            let zeros = joined(jumps.iter().map(|g| system.pool.print(*g)));
            lines.push(format!(
                "L may jump at zeros of: {zeros}. The program goes over them unchanged; behind one where momenta \
                 would have to be exchanged, its motion is none."
            ));
        }
        let shown: Vec<String> = self
            .derived
            .standard
            .iter()
            .map(|e| format!("    {} = 0", system.pool.print(*e)))
            .collect();
        if shown.len() <= QUOTED && shown.iter().all(|line| line.len() <= QUOTED_WIDTH + 4) {
            lines.push(String::new());
            lines.extend(shown);
        }
        if let Some((_, others)) = &self.redundancy {
            let note = all_redundant(model, others, redundancy::Where::Start);
            lines.extend([
                String::new(),
                format!("{note}; here those of all others are 0."),
            ]);
        }
        let lines: Vec<String> = lines.iter().map(|line| sanitize(line)).collect();
        match self.language {
            Language::Python => self.python_header(&lines),
            Language::C => self.c_header(&lines),
        }
    }

    fn constants(&mut self) {
        let independent: Vec<usize> = match &self.redundancy {
            Some((rows, _)) => rows.clone(),
            None => (0..self.model.multiplier_names().len()).collect(),
        };
        match self.language {
            Language::Python => self.python_constants(&independent),
            Language::C => self.c_constants(&independent),
        }
    }

    fn code(&mut self, values: &[Expr]) -> Code {
        let pool = &self.model.system.pool;
        pool.code(values, self.language, &mut self.names)
    }

    /// The name of what a function takes.
    fn argument(&self, argument: Argument) -> &str {
        match argument {
            Argument::Time => "t",
            Argument::State(0) => &self.arguments.x,
            Argument::State(1) => &self.arguments.v,
            Argument::State(_) => &self.arguments.a,
            Argument::Levels => &self.arguments.y,
        }
    }

    /// The head of a function.
    fn open(&mut self, function: &Function<'_>) {
        self.names.restart();
        match self.language {
            Language::Python => self.python_open(function),
            Language::C => self.c_open(function),
        }
    }

    fn close(&mut self) {
        if self.language == Language::C {
            self.line(0, "}");
        }
    }

    /// Takes the values that code uses out of the arguments.
    fn unpack(&mut self, function: &Function<'_>, codes: &[&Code]) {
        let system = &self.model.system;
        let used: FxHashSet<Expr> = codes.iter().flat_map(|c| c.symbols.clone()).collect();
        for &argument in function.arguments {
            let symbols: Vec<Expr> = match argument {
                Argument::Time => Vec::new(),
                Argument::State(0) => system.positions(),
                Argument::State(1) => system.coordinates.iter().map(|c| c.v).collect(),
                Argument::State(_) => system.coordinates.iter().map(|c| c.a).collect(),
                Argument::Levels => system.constraints.iter().map(|c| c.level).collect(),
            };
            let all: Vec<String> = symbols.iter().map(|e| self.names.of(*e)).collect();
            let some: Vec<usize> = (0..symbols.len())
                .filter(|k| used.contains(&symbols[*k]))
                .collect();
            let vector = self.argument(argument).to_owned();
            let used = !some.is_empty() || argument == Argument::Time && used.contains(&system.t);
            match self.language {
                Language::C if !used => self.line(1, &format!("(void){vector};")),
                _ if some.is_empty() => {}
                Language::Python if all.len() <= UNPACKED => {
                    let comma = if all.len() == 1 { "," } else { "" };
                    self.line(1, &format!("{}{comma} = {vector}", all.join(", ")));
                }
                _ => {
                    for k in some {
                        self.assign(1, &format!("{} = {vector}[{k}]", all[k]));
                    }
                }
            }
        }
    }

    /// `name = value`, said for the first time.
    fn assign(&mut self, indent: usize, assignment: &str) {
        match self.language {
            Language::Python => self.line(indent, assignment),
            Language::C => self.line(indent, &format!("const double {assignment};")),
        }
    }

    fn assignments(&mut self, indent: usize, code: &Code) {
        for assignment in &code.assignments {
            self.assign(indent, assignment);
        }
    }

    /// What a function gives as a list.
    fn give(&mut self, indent: usize, gives: Gives, values: &[String]) {
        match (self.language, gives) {
            (Language::Python, Gives::Number) => {
                self.line(indent, &format!("return {}", values.concat()));
            }
            (Language::C, Gives::Number) => {
                self.line(indent, &format!("return {};", values.concat()));
            }
            (Language::Python, _) => self.list((indent, "return "), ["[", "]"], values),
            (Language::C, _) => self.c_fill(indent, values),
        }
    }

    /// A function that gives a list.
    fn vector(&mut self, function: &Function<'_>, values: &[Expr]) {
        self.open(function);
        let code = self.code(values);
        self.unpack(function, &[&code]);
        self.assignments(1, &code);
        self.give(1, function.gives, &code.values);
        self.close();
    }

    /// A function that gives a matrix as a list of rows.
    fn matrix(&mut self, function: &Function<'_>, rows: &[Vec<Expr>], columns: usize) {
        self.open(function);
        let zero = self.model.system.pool.zero();
        let entries: Vec<([usize; 2], Expr)> = rows
            .iter()
            .enumerate()
            .flat_map(|(i, row)| row.iter().enumerate().map(move |(j, e)| ([i, j], *e)))
            .filter(|(_, e)| columns <= SMALL || *e != zero)
            .collect();
        let values: Vec<Expr> = entries.iter().map(|(_, e)| *e).collect();
        let code = self.code(&values);
        self.unpack(function, &[&code]);
        self.assignments(1, &code);
        let entries: Vec<Entry> = entries.iter().map(|(at, _)| *at).zip(code.values).collect();
        match self.language {
            Language::Python => self.python_matrix(&entries, rows.len(), columns),
            Language::C => self.c_matrix(&entries, rows.len(), columns),
        }
        self.close();
    }

    /// The pieces of the equations.
    fn pieces(&mut self) {
        let model = self.model;
        let system = &model.system;
        let equations = &model.equations;
        let n = system.coordinates.len();
        let residuals: Vec<Expr> = system.residuals().collect();
        let right: Vec<Expr> = system.constraints.iter().map(|c| c.c).collect();
        let rolls = !system.velocity_constraints.is_empty();
        let mut rows = equations.gradients.clone();
        rows.extend(equations.velocity.rows.iter().cloned());
        let mut rates = equations.gamma.clone();
        rates.extend(&equations.velocity.gamma);
        let function = |name, arguments, about| Function {
            name,
            arguments,
            gives: Gives::List,
            about,
        };
        let matrix = |name, arguments, about| Function {
            gives: Gives::Matrix,
            ..function(name, arguments, about)
        };
        self.vector(
            &function("right_sides", &[], "c of the constraints f(x; t) = c."),
            &right,
        );
        self.vector(
            &function("constraints", POSITION, "f(x; t) - c, one a constraint."),
            &residuals,
        );
        self.matrix(
            &matrix(
                "jacobian",
                POSITION,
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
                    STATE,
                    "A x' + b, one a velocity constraint.",
                ),
                &equations.velocity.speeds,
            );
        }
        self.matrix(
            &matrix("mass", STATE, "M = d2L/dx'dx'."),
            &equations.mass,
            n,
        );
        self.vector(
            &function(
                "bias",
                STATE,
                "h: the Euler-Lagrange expressions less applied forces are M x'' + h.",
            ),
            &equations.bias,
        );
        self.vector(
            &function(
                "gamma",
                STATE,
                "gamma: the constraints differentiated twice are J x'' = gamma.",
            ),
            &rates,
        );
        let energy = Function {
            gives: Gives::Number,
            ..function("energy", STATE, "sum x' dL/dx' - L.")
        };
        self.vector(&energy, &[equations.energy]);
    }

    /// The conditions of a branch and its functions. A coordinate that repeats takes the value that is
    /// nearest to where it is.
    fn branch(&mut self, branch: &Branch) -> (Code, Code) {
        let system = &self.model.system;
        let conditions: Vec<Expr> = branch.conditions.iter().map(|c| c.expression).collect();
        let conditions = self.code(&conditions);
        let mut outputs = branch.functions.clone();
        let dependent = self.derived.derivation.dependent.iter().enumerate();
        let repeating: Vec<usize> = dependent
            .filter_map(|(place, &k)| {
                let period = branch.period(k)?;
                outputs.extend([system.coordinates[k].x, period]);
                Some(place)
            })
            .collect();
        let mut functions = self.code(&outputs);
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
        let (form, letter) = match &self.derived.whole {
            Some(whole) => (whole, "W"),
            None => (&self.derived.derivation, "J"),
        };
        let of_all = model.names(&form.dependent).join(", ");
        let rolls = !system.velocity_constraints.is_empty();
        let closed = !rolls || self.derived.whole.is_some();
        if let Some(multipliers) = form.multipliers.clone().filter(|_| closed) {
            let about = format!(
                "The multipliers in closed form, where det {letter}[{of_all}] is not zero."
            );
            let function = Function {
                name: "multipliers",
                arguments: MOTION,
                gives: Gives::List,
                about: &about,
            };
            self.vector(&function, &multipliers);
        }
        if !system.constraints.is_empty() {
            self.inverse_functions();
        }
    }

    /// The dependent coordinates as functions, branch by branch.
    fn inverse_functions(&mut self) {
        let derived = self.derived;
        let branches = derived.inverse.branches();
        if branches.is_empty() {
            return;
        }
        let dependent = joined(self.model.names(&derived.derivation.dependent));
        if branches.iter().any(|b| !b.periods.is_empty()) {
            self.out.push_str(match self.language {
                Language::Python => python::NEAREST,
                Language::C => c::NEAREST,
            });
        }
        let (x, y) = (&self.arguments.x, &self.arguments.y);
        let about = format!(
            "The dependent coordinates {dependent} from {y} = f, the other coordinates and t; {x} chooses the branch."
        );
        let function = Function {
            name: "inverse_functions",
            arguments: INVERSE,
            gives: Gives::Perhaps,
            about: &about,
        };
        self.open(&function);
        let codes: Vec<(Code, Code)> = branches.iter().map(|b| self.branch(b)).collect();
        let all: Vec<&Code> = codes.iter().flat_map(|(c, f)| [c, f]).collect();
        self.unpack(&function, &all);
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
            let indent = match (tests.is_empty(), self.language) {
                (true, _) => 1,
                (false, Language::Python) => {
                    self.line(1, &format!("if {}:", tests.join(" and ")));
                    2
                }
                (false, Language::C) => {
                    self.line(1, &format!("if ({}) {{", tests.join(" && ")));
                    2
                }
            };
            self.assignments(indent, functions);
            self.give(indent, function.gives, &functions.values);
            if self.language == Language::C {
                self.line(indent, "return 1;");
                if indent > 1 {
                    self.line(1, "}");
                }
            }
        }
        match self.language {
            _ if always => {}
            Language::Python => {
                self.line(1, "raise ValueError(\"the position lies on no branch\")");
            }
            Language::C => self.line(1, "return 0;"),
        }
        self.close();
    }
}
