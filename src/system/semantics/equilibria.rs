//! Entries of `expect` that speak of equilibria, or of the extrema of an objective.

use super::Builder;
use super::expect::{EXPECTATION, Subject, shown};
use super::fields::Fields;
use super::symbols::Symbols;
use crate::system::expect::{Claim, Known, KnownEquilibrium};
use crate::system::quote;
use crate::system::schema::{Node, Value};

/// Keys of entries about a place of rest.
const OWN: [&str; 7] = [
    "equilibrium",
    "equilibria",
    "extremum",
    "extrema",
    "stability",
    "kind",
    "frequencies",
];
/// Keys that speak of a motion.
const MOVING: [&str; 4] = ["identity", "constant", "at", "when"];

/// Words for what becomes of a system that is moved a little.
const STABILITIES: [&str; 3] = ["stable", "unstable", "degenerate"];
/// Words for the second variation.
const KINDS: [&str; 4] = ["minimum", "maximum", "saddle", "degenerate"];

const HELP: &str = "write `equilibrium: {x: 0}` with `stability`, `frequencies`, or `value` and `is`; `equilibria: 2` for their number";
const HELP_OBJECTIVE: &str = "an objective has no motion: write `extremum: {x: 0}` with `kind`, or with `value` and `is`; `extrema: 2` for their number";

/// Is an entry about rest, or in a file that has no motion?
pub(super) fn is_about_rest(fields: &Fields, subject: Subject) -> bool {
    let has = |keys: &[&str]| keys.iter().any(|key| fields.entry(key).is_some());
    has(&OWN) || subject == Subject::Objective && (has(&MOVING) || has(&["value"]))
}

impl Builder<'_> {
    /// Such an entry with its text; `None` after an error.
    pub(super) fn rest(
        &mut self,
        fields: &Fields,
        symbols: &Symbols,
        subject: Subject,
    ) -> Option<(Claim, String)> {
        let (one, all, help) = match subject {
            Subject::Motion => ("equilibrium", "equilibria", HELP),
            Subject::Objective => ("extremum", "extrema", HELP_OBJECTIVE),
        };
        let present = OWN.into_iter().find_map(|key| fields.entry(key));
        let value = fields.entry("value");
        let moving = MOVING.into_iter().find_map(|key| fields.entry(key));
        let Some((first, _)) = present else {
            let (key, _) = moving.or(value)?;
            let message = format!("`{}` needs an `extremum` beside it, or a motion", key.value);
            return self.refuse_with(key.span.clone(), message, help);
        };
        if let Some((key, _)) = moving {
            let message = format!("`{}` is about a motion, not about rest", key.value);
            return self.refuse_with(key.span.clone(), message, help);
        }
        let (point, number) = (fields.entry(one), fields.entry(all));
        match (point, number) {
            (Some((_, node)), None) => self.at_rest(fields, symbols, node, (one, help)),
            (None, Some((_, node))) => {
                let others = OWN.into_iter().chain(["value", "is"]).filter(|k| *k != all);
                if let Some((key, _)) = others.into_iter().find_map(|k| fields.entry(k)) {
                    let message = format!("`{}` and `{all}` cannot stand together", key.value);
                    return self.refuse_with(key.span.clone(), message, help);
                }
                let what = format!("`{all}`");
                let v = self.value(node, &what, "a number of them")?;
                if v < 0.0 || v.fract() != 0.0 || v > 1e6 {
                    let message = format!("{what} must be a whole number, not {v}");
                    return self.refuse(node.span.clone(), message);
                }
                #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
                // whole, in range
                let count = v as usize;
                Some((Claim::Count(count), format!("{all}: {count}")))
            }
            _ => {
                let message = format!("`{}` needs one of `{one}` and `{all}`", first.value);
                self.refuse_with(first.span.clone(), message, help)
            }
        }
    }

    fn at_rest(
        &mut self,
        fields: &Fields,
        symbols: &Symbols,
        node: &Node,
        (one, help): (&str, &str),
    ) -> Option<(Claim, String)> {
        let (place, mut text) = self.place_of_rest(node, symbols, one)?;
        let stability = match fields.get("stability") {
            Some(node) => Some(self.word(node, "stability", &STABILITIES)?),
            None => None,
        };
        let kind = match fields.get("kind") {
            Some(node) => Some(self.word(node, "kind", &KINDS)?),
            None => None,
        };
        for word in [stability, kind].into_iter().flatten() {
            text = format!("{text}: {word}");
        }
        let known = match (
            fields.entry("value"),
            fields.entry("is"),
            fields.entry("frequencies"),
        ) {
            (None, None, None) => Known::Place,
            (Some((_, value)), Some((_, is)), None) => {
                text = format!("{} = {} {text}", shown(value), shown(is));
                let left = self.expression(value, "`value`", EXPECTATION);
                let right = self.expression(is, "`is`", EXPECTATION);
                Known::Value {
                    value: left?,
                    is: right?,
                }
            }
            (None, None, Some((_, list))) => {
                let items = self.list(list, "`frequencies`", "a list such as `[sqrt(g/l)]`")?;
                let values: Vec<Option<f64>> = items
                    .iter()
                    .map(|item| self.known(item, "a frequency", "a frequency"))
                    .collect();
                let told: Vec<String> = items.iter().map(shown).collect();
                text = format!("frequencies {} {text}", told.join(", "));
                Known::Frequencies(values.into_iter().collect::<Option<Vec<f64>>>()?)
            }
            (Some((key, _)), _, Some(_))
            | (Some((key, _)), None, None)
            | (None, Some((key, _)), _) => {
                let message = "`value` needs `is`, and no `frequencies` beside it";
                return self.refuse_with(key.span.clone(), message, help);
            }
        };
        let nothing = matches!(known, Known::Place) && stability.is_none() && kind.is_none();
        if place.is_empty() && nothing {
            return self.refuse_with(node.span.clone(), "nothing is stated of them", help);
        }
        let rest = KnownEquilibrium {
            place,
            stability,
            kind,
            known,
        };
        Some((Claim::Equilibrium(rest), text))
    }

    /// `{x: 0, y: -l}` or `every`.
    fn place_of_rest(
        &mut self,
        node: &Node,
        symbols: &Symbols,
        one: &str,
    ) -> Option<(Vec<(usize, f64)>, String)> {
        if let Value::Scalar(scalar) = &node.value
            && scalar.value.trim() == "every"
        {
            return Some((Vec::new(), format!("at every {one}")));
        }
        let what = format!("`{one}`");
        let names = symbols.names();
        let before = self.errors.len();
        let given = self.fields(node, &what, &names)?;
        if self.errors.len() > before {
            return None;
        }
        let mut place = Vec::new();
        let mut told = Vec::new();
        for (k, name) in names.iter().enumerate() {
            if let Some(node) = given.get(name) {
                let v = self.known(node, &format!("`{}`", quote(name)), "a coordinate")?;
                place.push((k, v));
                told.push(format!("{name} = {}", shown(node)));
            }
        }
        if place.is_empty() {
            let help = format!("name coordinates, or write `{one}: every`");
            return self.refuse_with(node.span.clone(), format!("{what} names none"), help);
        }
        Some((place, format!("at the {one} {}", told.join(", "))))
    }

    /// A value that is known. Where the parameters leave it undefined it is NaN: what does not ask for it goes on.
    fn known(&mut self, node: &Node, what: &str, place: &'static str) -> Option<f64> {
        let value = self.any_value(node, what, place)?;
        Some(value.unwrap_or(f64::NAN))
    }

    /// One of these words; `None` after an error.
    fn word(&mut self, node: &Node, key: &str, words: &[&'static str]) -> Option<&'static str> {
        let expected = format!("one of {}", words.join(", "));
        let scalar = self.scalar(node, &format!("`{key}`"), &expected)?;
        let found = words.iter().find(|w| **w == scalar.value.trim());
        if found.is_none() {
            let message = format!("`{key}` must be {expected}, not `{}`", quote(&scalar.value));
            self.fail(node.span.clone(), message);
        }
        found.copied()
    }
}
