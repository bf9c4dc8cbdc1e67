//! What a run needs: dependent coordinates, start, guess, times and tolerances.

use super::fields::Fields;
use super::symbols::Symbols;
use super::{Builder, keys};
use crate::system::names::{did_you_mean, velocity_meant};
use crate::system::schema::{Node, Scalar, Value};
use crate::system::{Guess, MAX_SAMPLES, Method, Run, Start, Stiff, Unvalued, ValueOf, quote};

/// The keys of `run`.
pub const RUN_KEYS: [&str; 6] = ["until", "method", "rtol", "atol", "samples", "stiff"];

impl Builder<'_> {
    /// The dependent coordinates that the file chooses.
    pub fn dependent(&mut self, fields: &Fields, symbols: &Symbols) -> Option<Vec<usize>> {
        let (_, node) = fields.entry("dependent")?;
        let items = self.list(node, "`dependent`", "a list of coordinates such as `[x]`")?;
        let mut chosen = Vec::new();
        let before = self.errors.len();
        for item in items {
            let Some(scalar) = self.scalar(item, "a dependent coordinate", "a name") else {
                continue;
            };
            match symbols.coordinate(&scalar.value) {
                Some(index) if chosen.contains(&index) => {
                    let message = format!("the coordinate `{}` appears twice", scalar.value);
                    self.fail(scalar.span.clone(), message);
                }
                Some(index) => chosen.push(index),
                None => self.no_coordinate(&scalar.value, scalar.span.clone(), symbols),
            }
        }
        let (m, given) = (symbols.constraints.len(), items.len());
        if self.errors.len() == before && given != m {
            let message = format!(
                "`dependent` names {given} of the coordinates, and the number of constraints is {m}"
            );
            let help = "each constraint makes one coordinate dependent: name as many, or leave the choice out";
            self.fail_with(node.span.clone(), message, help);
        }
        Some(chosen)
    }

    /// What is given of the start.
    pub fn start(&mut self, fields: &Fields, symbols: &Symbols) -> Start {
        let n = symbols.coordinates.len();
        let mut start = Start {
            t: 0.0,
            x: vec![None; n],
            v: vec![None; n],
            faults: Vec::new(),
            place: fields
                .get("start")
                .map(|node| self.source.error(node.span.clone(), "")),
        };
        let expected = "a table such as `{t: 0, x: 1, x': 0}`";
        for (key, node) in self.table_of(fields, "start", expected) {
            let to = (&mut start, ValueOf::Start as fn(Unvalued) -> ValueOf);
            if key.value == "t" {
                let value = self.start_value(node, "the time of the start", Unvalued::Time, to);
                start.t = value.unwrap_or(0.0);
            } else {
                self.state_value(key, node, symbols, to);
            }
        }
        start
    }

    /// Where the search for the rest of the start begins; its faults are those of the start.
    pub fn guess(&mut self, fields: &Fields, symbols: &Symbols, start: &mut Start) -> Guess {
        let n = symbols.coordinates.len();
        let mut guess = Start {
            x: vec![None; n],
            v: vec![None; n],
            ..Start::default()
        };
        let expected = "a table such as `{y: -1}`";
        for (key, node) in self.table_of(fields, "guess", expected) {
            self.state_value(key, node, symbols, (&mut guess, ValueOf::Guess));
        }
        start.faults.append(&mut guess.faults);
        let filled = |list: Vec<Option<f64>>| list.into_iter().map(Option::unwrap_or_default);
        Guess {
            x: filled(guess.x).collect(),
            v: filled(guess.v).collect(),
        }
    }

    /// One value of a coordinate or a velocity.
    fn state_value(
        &mut self,
        key: &Scalar,
        node: &Node,
        symbols: &Symbols,
        (start, place): (&mut Start, fn(Unvalued) -> ValueOf),
    ) {
        let name = key.value.trim_end_matches('\'');
        let primes = key.value.len() - name.len();
        let Some(index) = symbols.coordinate(name) else {
            let moves = |name: &str| symbols.coordinate(name).is_some();
            match velocity_meant(name, moves) {
                Some(help) => {
                    let message = format!("unknown coordinate `{}`", quote(&key.value));
                    self.fail_with(key.span.clone(), message, help);
                }
                None => self.no_coordinate(&key.value, key.span.clone(), symbols),
            }
            return;
        };
        if primes > 1 {
            let message = format!(
                "`{}` cannot be given: accelerations follow from the forces",
                quote(&key.value)
            );
            self.fail(key.span.clone(), message);
            return;
        }
        let what = format!("the value of `{}`", key.value);
        if primes == 0 {
            let of = Unvalued::Coordinate(index);
            start.x[index] = self.start_value(node, &what, of, (start, place));
        } else {
            let of = Unvalued::Velocity(index);
            start.v[index] = self.start_value(node, &what, of, (start, place));
        }
    }

    /// A value that is finite; else its fault is kept.
    fn start_value(
        &mut self,
        node: &Node,
        what: &str,
        of: Unvalued,
        (start, place): (&mut Start, fn(Unvalued) -> ValueOf),
    ) -> Option<f64> {
        if let Value::Mapping(_) = &node.value {
            let message = format!("{what} must be an expression, not {}", node.kind());
            let help = "a first guess of what is solved for has a table of its own: `guess: {NAME: VALUE}`";
            return self.refuse_with(node.span.clone(), message, help);
        }
        let value = self.any_value(node, what, "a start value")?;
        self.was_for(place(of));
        value.map_err(|fault| start.faults.push((of, fault))).ok()
    }

    /// What the value is for that was worked out last.
    fn was_for(&mut self, place: ValueOf) {
        if let Some((last, _)) = self.worked_out.last_mut() {
            *last = place;
        }
    }

    /// How to run the system.
    pub fn run(&mut self, fields: &Fields) -> Run {
        let mut run = Run::default();
        let Some(node) = fields.get("run") else {
            return run;
        };
        if let Value::Scalar(value) = &node.value
            && !node.is_nothing()
        {
            let expected = "a table such as `{until: 10, samples: 500}`";
            let help = keys::until(value);
            let none = self.wrong_kind_with(node, ("`run`", expected), Some(help));
            return none.unwrap_or(run);
        }
        let Some(fields) = self.fields(node, "`run`", &RUN_KEYS) else {
            return run;
        };
        if let Some(node) = fields.get("until")
            && let Some(until) = self.value(node, "`until`", "`run`")
        {
            self.was_for(ValueOf::Until);
            run.until = until;
        }
        for (name, tolerance) in [("rtol", &mut run.rtol), ("atol", &mut run.atol)] {
            if let Some(node) = fields.get(name)
                && let Some(value) = self.value(node, &format!("`{name}`"), "`run`")
            {
                if value > 0.0 && value < 1.0 {
                    *tolerance = value;
                } else {
                    let message = format!("`{name}` must be between 0 and 1, such as 1e-9");
                    self.fail(node.span.clone(), message);
                }
            }
        }
        if let Some(node) = fields.get("samples")
            && let Some(value) = self.value(node, "`samples`", "`run`")
        {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // whole and bounded
            if value.fract() == 0.0 && value >= 1.0 && value <= MAX_SAMPLES as f64 {
                run.samples = value as usize;
            } else {
                let message = format!("`samples` must be a whole number from 1 to {MAX_SAMPLES}");
                self.fail(node.span.clone(), message);
            }
        }
        if let Some(node) = fields.get("method") {
            let known = Method::ALL.map(|method| (method.name(), method));
            if let Some(method) = self.choice(node, "method", ("a name such as `inverse`", &known))
            {
                run.method = method;
            }
        }
        if let Some(node) = fields.get("stiff") {
            let known = Stiff::ALL.map(|stiff| (stiff.name(), stiff));
            if let Some(stiff) = self.choice(node, "stiff", ("auto, always or never", &known)) {
                run.stiff = stiff;
            }
        }
        run
    }

    /// One of a few names.
    fn choice<T: Copy>(
        &mut self,
        node: &Node,
        key: &str,
        (expected, known): (&str, &[(&'static str, T)]),
    ) -> Option<T> {
        let scalar = self.scalar(node, &format!("`{key}`"), expected)?;
        let found = known.iter().find(|(name, _)| *name == scalar.value);
        if let Some((_, choice)) = found {
            return Some(*choice);
        }
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        let (message, list) = if key == "method" {
            let message = format!("unknown method `{}`", quote(&scalar.value));
            (message, format!("the methods are {}", names.join(", ")))
        } else {
            let message = format!("`{}` is not a value of `{key}`", quote(&scalar.value));
            (message, format!("write {}", names.join(", ")))
        };
        let help = did_you_mean(&scalar.value, names).unwrap_or(list);
        self.refuse_with(scalar.span.clone(), message, help)
    }
}
