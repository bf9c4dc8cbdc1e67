//! How Python writes a program.

use super::{Entry, Function, Program, ROWS, SMALL, WIDTH};
use crate::analysis::Overrides;
use crate::report::text::{joined, only_if};
use crate::system::sanitize;

/// The functions that solve and integrate: the same for every system.
pub(super) const SOLVER: &str = include_str!("solver.py");

/// What an inverse function of an angle needs.
pub(super) const NEAREST: &str = "

def nearest(value, near, period):
    \"\"\"value, or a whole number of periods from it, whatever is nearest.\"\"\"
    return value + period*round((near - value)/period)
";

impl Program<'_> {
    /// `name = [parts]`, over several lines where it is long.
    pub(super) fn list(
        &mut self,
        (indent, head): (usize, &str),
        brackets: [&str; 2],
        parts: &[String],
    ) {
        let [open, close] = brackets;
        // a tuple of one needs its comma
        let comma = only_if(open == "(" && parts.len() == 1, ",");
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

    pub(super) fn python_header(&mut self, lines: &[String]) {
        self.out.push_str("\"\"\"");
        for line in lines {
            self.line(0, &text(line));
        }
        self.out.push_str("\"\"\"\n\nimport math\nimport sys\n\n");
    }

    pub(super) fn python_constants(&mut self, independent: &[usize]) {
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
        let independent: Vec<String> = independent.iter().map(usize::to_string).collect();
        self.line(0, "# constraints that are not redundant");
        self.list((0, "INDEPENDENT = "), ["(", ")"], &independent);
        self.line(0, "# one-sided constraints, whose multiplier can only push");
        let one_sided: Vec<String> = system.one_sided().iter().map(usize::to_string).collect();
        self.list((0, "ONE_SIDED = "), ["(", ")"], &one_sided);
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
                    let comma = only_if(list.len() == 1, ",");
                    format!("({}{comma})", joined(list.iter().map(|v| float(*v))))
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
        let breaks = model.breaks(&[system.start.t, system.run.until]);
        let breaks: Vec<String> = breaks.iter().map(|t| float(*t)).collect();
        self.line(
            0,
            "# times at which steps end: what depends on time changes suddenly there",
        );
        self.list((0, "BREAKS = "), ["(", ")"], &breaks);
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

    pub(super) fn python_open(&mut self, function: &Function<'_>) {
        let arguments = joined(function.arguments.iter().map(|a| self.argument(*a)));
        self.out.push_str("\n\n");
        self.line(0, &format!("def {}({arguments}):", function.name));
        self.line(1, &format!("\"\"\"{}\"\"\"", text(function.about)));
    }

    pub(super) fn python_matrix(&mut self, entries: &[Entry], rows: usize, columns: usize) {
        if columns <= SMALL {
            let row = |row: &[Entry]| format!("[{}]", joined(row.iter().map(|(_, value)| value)));
            let rows: Vec<String> = entries.chunks(columns.max(1)).map(row).collect();
            self.list((1, "return "), ["[", "]"], &rows);
            return;
        }
        let matrix = self.names.first_free(&["rows"]);
        self.line(
            1,
            &format!("{matrix} = [[0.0]*{columns} for _ in range({rows})]"),
        );
        for ([i, j], value) in entries {
            self.line(1, &format!("{matrix}[{i}][{j}] = {value}"));
        }
        self.line(1, &format!("return {matrix}"));
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
