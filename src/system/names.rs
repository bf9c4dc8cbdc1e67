//! The names of a system, and which of them an expression may use where it stands.

use super::Named;
use crate::expr::{self, Expr, NameError, SymbolKind};
use rustc_hash::FxHashMap;

/// The longest name, in characters.
pub const MAX_NAME: usize = 100;

/// What an expression contains, or may contain; each includes those before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Reach {
    /// Numbers and parameters.
    Parameters,
    /// The time as well.
    Time,
    /// Coordinates as well.
    Configuration,
    /// Velocities as well.
    State,
    /// Accelerations, multipliers, constraint forces and the other outputs as well.
    Outputs,
}

impl Reach {
    /// What a symbol of this kind is.
    pub fn of(kind: Option<SymbolKind>) -> Self {
        match kind {
            Some(SymbolKind::Parameter(_) | SymbolKind::Pi) | None => Self::Parameters,
            Some(SymbolKind::Time) => Self::Time,
            Some(SymbolKind::Coordinate { order: 0, .. }) => Self::Configuration,
            Some(SymbolKind::Coordinate { order: 1, .. }) => Self::State,
            Some(_) => Self::Outputs,
        }
    }

    /// What it adds to those before it.
    pub fn adds(self) -> &'static str {
        match self {
            Self::Parameters => "parameters",
            Self::Time => "the time",
            Self::Configuration => "coordinates",
            Self::State => "velocities",
            Self::Outputs => "outputs",
        }
    }

    fn allowed(self) -> &'static str {
        match self {
            Self::Parameters => "numbers and parameters",
            Self::Time => "t and parameters",
            Self::Configuration => "coordinates, t and parameters",
            Self::State => "coordinates, velocities, t and parameters",
            Self::Outputs => "the names and outputs of the system",
        }
    }
}

#[derive(Debug)]
struct Entry {
    name: String,
    expr: Expr,
    reach: Reach,
    /// The velocity and the acceleration, where this is a coordinate.
    rates: Option<[Expr; 2]>,
    /// Does the file define it as an abbreviation?
    definition: bool,
    /// The value of a freed parameter, of parameters.
    held: Option<Expr>,
}

/// The names that are known so far, in the order of their declaration.
#[derive(Debug, Default)]
pub struct Table {
    entries: Vec<Entry>,
    index: FxHashMap<String, usize>,
    /// Names that the file declares further down.
    pub later: Vec<String>,
}

impl Table {
    /// Adds a name.
    pub fn add(&mut self, name: &str, expr: Expr, reach: Reach) {
        self.insert(name, expr, reach, None);
    }

    /// Adds a coordinate with its velocity and acceleration.
    pub fn add_coordinate(&mut self, name: &str, position: Expr, rates: [Expr; 2]) {
        self.insert(name, position, Reach::Configuration, Some(rates));
    }

    /// Adds an abbreviation for an expression of that reach.
    pub fn define(&mut self, name: &str, expr: Expr, reach: Reach) {
        self.insert(name, expr, reach, None);
        if let Some(entry) = self.entries.last_mut() {
            entry.definition = true;
        }
    }

    /// Says what value a freed parameter has where numbers are worked out.
    pub fn hold(&mut self, name: &str, value: Expr) {
        if let Some(&place) = self.index.get(name) {
            self.entries[place].held = Some(value);
        }
    }

    /// The abbreviations of the file.
    pub fn definitions(&self) -> Vec<Named> {
        let own = self.entries.iter().filter(|entry| entry.definition);
        let named = |entry: &Entry| Named {
            name: entry.name.clone(),
            expr: entry.expr,
        };
        own.map(named).collect()
    }

    /// Does the file use this name?
    pub fn knows(&self, name: &str) -> bool {
        self.index.contains_key(name)
    }

    /// Is it a freed parameter?
    pub fn is_freed(&self, name: &str) -> bool {
        let place = self.index.get(name);
        place.is_some_and(|place| self.entries[*place].held.is_some())
    }

    /// What the abbreviation of that name contains, where there is one.
    pub fn definition(&self, name: &str) -> Option<Reach> {
        let entry = &self.entries[*self.index.get(name)?];
        entry.definition.then_some(entry.reach)
    }

    fn insert(&mut self, name: &str, expr: Expr, reach: Reach, rates: Option<[Expr; 2]>) {
        self.index.insert(name.to_owned(), self.entries.len());
        self.entries.push(Entry {
            name: name.to_owned(),
            expr,
            reach,
            rates,
            definition: false,
            held: None,
        });
    }

    /// The names up to a reach.
    fn usable(&self, reach: Reach) -> impl Iterator<Item = &str> {
        let entries = self.entries.iter();
        entries
            .filter(move |entry| entry.reach <= reach)
            .map(|entry| entry.name.as_str())
    }
}

/// Where an expression stands, in words, and what it may contain.
#[derive(Clone, Copy, Debug)]
pub struct Context {
    /// `a constraint`.
    pub name: &'static str,
    /// What may stand there.
    pub reach: Reach,
}

impl Context {
    /// A kind of place.
    pub const fn new(name: &'static str, reach: Reach) -> Self {
        Self { name, reach }
    }

    /// Says that a name has no place there.
    pub fn refuses(self, name: String) -> NameError {
        NameError::NotHere {
            name,
            place: self.name,
            allowed: self.reach.allowed(),
        }
    }
}

/// The names as seen from one kind of place.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    /// All names.
    pub table: &'a Table,
    /// That place.
    pub place: Context,
    /// What a freed parameter is there.
    pub freed: Freed,
}

/// What a freed parameter is where it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Freed {
    /// A coordinate: in what describes the system.
    Coordinate,
    /// Its value: where a number is worked out, such as that of a start.
    Value,
}

impl Scope<'_> {
    /// The expression of a name with so many primes.
    pub fn resolve(&self, name: &str, primes: usize) -> Result<Expr, NameError> {
        let full = || crate::system::quote(&format!("{name}{}", "'".repeat(primes.min(4))));
        let not_here = || self.place.refuses(full());
        let Some(&place) = self.table.index.get(name) else {
            if self.table.later.iter().any(|later| later == name) {
                return Err(NameError::Later { name: full() });
            }
            return Err(NameError::Unknown {
                name: full(),
                help: self.help(name, primes),
            });
        };
        let entry = &self.table.entries[place];
        match (primes, entry.rates) {
            (0, _) if self.freed == Freed::Value && entry.held.is_some() => {
                entry.held.ok_or_else(not_here)
            }
            (0, _) if entry.reach <= self.place.reach => Ok(entry.expr),
            (0, _) => Err(not_here()),
            (_, None) => Err(NameError::NotACoordinate {
                name: crate::system::quote(name),
            }),
            (1, Some([velocity, _])) if self.place.reach >= Reach::State => Ok(velocity),
            (1, Some(_)) => Err(not_here()),
            (2, Some([_, acceleration])) if self.place.reach >= Reach::Outputs => Ok(acceleration),
            (_, Some(_)) => Err(NameError::Primes { name: full() }),
        }
    }

    /// What to try in place of an unknown name.
    fn help(&self, name: &str, primes: usize) -> Option<String> {
        if name == "π" {
            return Some("write `pi`".to_owned());
        }
        let moves = |name: &str| {
            let place = self.table.index.get(name);
            place.is_some_and(|place| self.table.entries[*place].rates.is_some())
        };
        if let Some(velocity) = velocity_meant(name, moves) {
            return Some(velocity);
        }
        let known: Vec<&str> = self.table.usable(self.place.reach).chain(["pi"]).collect();
        let known = || known.iter().copied();
        let is_known = |name: &str| known().any(|known| known == name);
        let full = format!("{name}{}", "'".repeat(primes.min(4)));
        let product = expr::product_of_names(&full, is_known);
        let written = |product: String| format!("write `{product}` for a product");
        let (sure, product) = match product {
            Some((product, true)) => (Some(written(product)), None),
            Some((product, false)) => (None, Some(written(product))),
            None => (None, None),
        };
        let meant = body_meant(name, known(), &[]).or(sure);
        let meant = meant.or_else(|| did_you_mean(name, known()));
        meant.or(product).or_else(|| {
            let known: Vec<&str> = known().collect();
            (known.len() <= 12).then(|| format!("the names known here are {}", known.join(", ")))
        })
    }
}

/// What an unknown name needs that is the force of a constraint, `F_rod`, and a body, `F_rod_bob`; unless another name is nearer.
/// `bodies` are those of the file with their positions.
pub fn body_meant<'a>(
    name: &str,
    known: impl Iterator<Item = &'a str> + Clone,
    bodies: &[(&str, String)],
) -> Option<String> {
    let near = nearest(name, known.clone());
    let of_force = |force: &str| -> Option<&str> {
        let rest = name.strip_prefix(force).filter(|_| force.starts_with("F_"));
        rest?.strip_prefix('_')
    };
    let is_of = |rest: &str, body: &str| {
        let part = rest.strip_prefix(body);
        part.is_some_and(|part| part.is_empty() || part.starts_with('_'))
    };
    let whole = |whole: &str| format!("`{whole}` goes over all coordinates together");
    let own = bodies.iter().find_map(|(body, place)| {
        let mut forces = known.clone();
        let force = forces.find(|force| of_force(force).is_some_and(|rest| is_of(rest, body)))?;
        Some((force, body, place))
    });
    if let Some((force, body, place)) = own {
        return Some(format!(
            "{}: for the force on the body `{body}` its position must be coordinates themselves, and it is {place}",
            whole(force)
        ));
    }
    let mut known = known.filter(|force| near.is_none_or(|near| near == *force));
    let force = known.find(|force| of_force(force).is_some())?;
    Some(format!(
        "{}: the force on a body needs `bodies` in the file, whose positions are coordinates themselves",
        whole(force)
    ))
}

/// Letters with a dot above that are one character.
const DOTTED: [(&str, &str); 12] = [
    ("ẋ", "x"),
    ("ẏ", "y"),
    ("ż", "z"),
    ("ṙ", "r"),
    ("ṡ", "s"),
    ("ṗ", "p"),
    ("ȧ", "a"),
    ("ḃ", "b"),
    ("ċ", "c"),
    ("ḣ", "h"),
    ("ṅ", "n"),
    ("ẇ", "w"),
];

/// What stands before the name of a coordinate elsewhere, and after it, where its velocity is meant.
const BEFORE: [&str; 8] = ["d", "D", "v_", "v", "V", "d_", "dot_", "dot"];
const AFTER: [&str; 10] = ["_dot", "dot", "_d", "d", "_p", "p", "_t", "’", "′", "´"];

/// How to write the velocity that an unknown name stands for elsewhere: `dx`, `vx`, `x_dot`, `xdot`, `xp`, `ẋ`, `x’`.
pub fn velocity_meant(name: &str, is_coordinate: impl Fn(&str) -> bool) -> Option<String> {
    let dotted = DOTTED
        .iter()
        .find_map(|(dotted, plain)| Some(format!("{plain}{}", name.strip_prefix(dotted)?)));
    let before = BEFORE.iter().filter_map(|with| name.strip_prefix(with));
    let after = AFTER.iter().filter_map(|with| name.strip_suffix(with));
    let mut parts = before.chain(after).chain(dotted.as_deref());
    let meant = parts.find(|part| is_coordinate(part))?;
    Some(format!("write `{meant}'` for the velocity of `{meant}`"))
}

/// The nearest known name as a question, where there is one.
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    nearest(name, known).map(|nearest| format!("did you mean `{nearest}`?"))
}

/// What to say of a name that is not known: the nearest, or else what there is.
pub fn nearest_or_all<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    /// So many are told.
    const TOLD: usize = 16;
    let known: Vec<&str> = known.into_iter().collect();
    if let Some(guess) = did_you_mean(name, known.iter().copied()) {
        return guess;
    }
    let shown: Vec<String> = known
        .iter()
        .take(TOLD)
        .map(|name| super::quote(name))
        .collect();
    match known.len() {
        0 => "there are none".to_owned(),
        count if count > TOLD => {
            format!("available: {} and {} more", shown.join(", "), count - TOLD)
        }
        _ => format!("available: {}", shown.join(", ")),
    }
}

/// The nearest known name: one that a slip of the keyboard could have turned into `name`.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = name.chars().count();
    if length > MAX_NAME {
        return None;
    }
    let slips = match length {
        0 | 1 => 0,
        2..=5 => 1,
        6..=8 => 2,
        _ => 3,
    };
    let lower = name.to_lowercase();
    known
        .into_iter()
        .filter_map(|candidate| {
            let distance = if candidate.to_lowercase() == lower {
                0
            } else {
                strsim::damerau_levenshtein(candidate, name)
            };
            (distance <= slips && candidate != name).then_some((distance, candidate))
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Why a name may not be given to a coordinate, a parameter or a definition.
pub fn reserved(name: &str) -> Option<String> {
    let why = match name {
        "t" => "the time",
        "pi" => "the number pi",
        "det" => "the determinant",
        "energy" => "the energy",
        "residual" => "the residual of the constraints",
        _ if expr::is_function(name) => "a function",
        _ if name.starts_with("lambda_") => "a multiplier",
        _ if name.starts_with("R_") => "a force of constraint",
        _ => return None,
    };
    Some(format!("`{name}` is reserved: it stands for {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_a_slip_away() {
        let known = ["coordinates", "constraints", "m", "x1", "x2"];
        assert_eq!(nearest("constrants", known), Some("constraints"));
        assert_eq!(nearest("M", known), Some("m"));
        assert_eq!(nearest("x3", known), Some("x1"));
        assert_eq!(nearest("z", known), None);
        assert_eq!(nearest("potential", known), None);
    }

    #[test]
    fn velocities_of_other_notations_are_known() {
        let meant = |name: &str| velocity_meant(name, |name| ["x", "th"].contains(&name));
        for name in [
            "dx", "Dx", "d_x", "vx", "Vx", "v_x", "dotx", "xdot", "x_dot", "xd", "xp", "x_t", "ẋ",
            "x’",
        ] {
            let help = "write `x'` for the velocity of `x`";
            assert_eq!(meant(name).as_deref(), Some(help), "{name}");
        }
        assert_eq!(meant("y"), None);
        assert_eq!(meant("xy"), None);
        assert_eq!(
            meant("thd").as_deref(),
            Some("write `th'` for the velocity of `th`")
        );
    }
}
