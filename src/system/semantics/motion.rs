//! The Lagrangian, written in one of three ways, and the applied forces.

use super::fields::Fields;
use super::symbols::Symbols;
use super::{Builder, EXAMPLE};
use crate::expr::Expr;
use crate::system::names::{Context, Reach, did_you_mean};
use crate::system::schema::Node;
use crate::system::{Body, Part, Written, quote};

/// Where a force stands.
pub(super) const FORCE: Context = Context::new("a force", Reach::State);
/// Where Rayleigh's function stands.
const DISSIPATION: Context = Context::new("the dissipation", Reach::State);
/// Where the Lagrangian stands, or a part of it.
pub(super) const LAGRANGIAN: Context = Context::new("the Lagrangian", Reach::State);

/// What a freed parameter's rate would add to terms of velocities is not known.
const POTENTIAL_OF_FREED: Context = Context::new(
    "the potential of a system with a freed parameter",
    Reach::Configuration,
);

impl Builder<'_> {
    /// L = T - V, whatever way it is written, and the bodies where it is given by them; T may lack
    /// any coordinate.
    pub fn lagrangian(
        &mut self,
        document: &Node,
        fields: &Fields,
        symbols: &Symbols,
    ) -> Option<(Expr, Vec<Body>)> {
        self.refuse_mixtures(fields)?;
        if let Some(node) = fields.get("lagrangian") {
            let lagrangian = self.expression(node, "`lagrangian`", LAGRANGIAN)?;
            self.write_down(Part::Key("lagrangian"), lagrangian, node);
            return Some((lagrangian, Vec::new()));
        }
        if let Some(node) = fields.get("objective") {
            let place = Context::new("an objective", Reach::Configuration);
            let objective = self.expression(node, "`objective`", place)?;
            return Some((self.pool.neg(objective), Vec::new()));
        }
        let potential = match fields.get("potential") {
            Some(node) => {
                let place = if self.freeing {
                    POTENTIAL_OF_FREED
                } else {
                    LAGRANGIAN
                };
                let potential = self.expression(node, "`potential`", place);
                if let Some(potential) = potential {
                    self.write_down(Part::Key("potential"), potential, node);
                }
                potential
            }
            None => Some(self.pool.zero()),
        };
        if let Some(node) = fields.get("kinetic") {
            let kinetic = self.expression(node, "`kinetic`", LAGRANGIAN)?;
            self.write_down(Part::Key("kinetic"), kinetic, node);
            return Some((self.pool.sub(kinetic, potential?), Vec::new()));
        }
        let Some((key, node)) = fields.entry("bodies") else {
            let (place, message) = match fields.entry("potential") {
                Some((key, _)) => (key.span.clone(), "`potential` needs `kinetic` or `bodies`"),
                None => (
                    document.span.start..document.span.start,
                    "the file has no Lagrangian",
                ),
            };
            if self.errors.is_empty() {
                let help =
                    "write `lagrangian: T - V`, or `kinetic: T` with `potential: V`, or `bodies`";
                self.fail_with(place, message, help);
            }
            return None;
        };
        let (lagrangian, bodies) = self.of_bodies(fields, node, symbols)?;
        let lagrangian = self.pool.sub(lagrangian, potential?);
        if self.meter.size(&self.pool, lagrangian) > crate::expr::MAX_SIZE {
            return self.refuse(
                key.span.clone(),
                "the kinetic energy of these bodies becomes too large",
            );
        }
        Some((lagrangian, bodies))
    }

    /// `lagrangian`, or `kinetic` with `potential`, or `bodies` with `gravity` and `potential`.
    fn refuse_mixtures(&mut self, fields: &Fields) -> Option<()> {
        const CLASHES: [(&str, &str); 14] = [
            ("objective", "lagrangian"),
            ("objective", "kinetic"),
            ("objective", "bodies"),
            ("objective", "potential"),
            ("objective", "gravity"),
            ("objective", "forces"),
            ("objective", "dissipation"),
            ("objective", "velocity_constraints"),
            ("lagrangian", "kinetic"),
            ("lagrangian", "bodies"),
            ("lagrangian", "potential"),
            ("lagrangian", "gravity"),
            ("kinetic", "bodies"),
            ("kinetic", "gravity"),
        ];
        for (a, b) in CLASHES {
            if let (Some((first, _)), Some((second, _))) = (fields.entry(a), fields.entry(b)) {
                let later = if first.span.start < second.span.start {
                    second
                } else {
                    first
                };
                let ways = "`lagrangian`, or `kinetic` with `potential`, or `bodies` with `gravity` and `potential`";
                let help = if a == "objective" {
                    format!(
                        "an optimum has `objective` with `constraints` alone; a motion has {ways}"
                    )
                } else {
                    format!("write {ways}")
                };
                let message = format!("`{a}` and `{b}` cannot stand together");
                return self.refuse_with(later.span.clone(), message, help);
            }
        }
        if let Some((gravity, _)) = fields.entry("gravity")
            && fields.entry("bodies").is_none()
        {
            let help = "add `bodies`, or write the weight into `lagrangian`";
            return self.refuse_with(gravity.span.clone(), "`gravity` needs `bodies`", help);
        }
        Some(())
    }

    /// Keeps what the equations of motion are made of, and where it stands.
    pub(super) fn write_down(&mut self, part: Part, e: Expr, node: &Node) {
        let place = Box::new(self.source.error(node.span.clone(), ""));
        self.written.push(Written { part, e, place });
    }

    /// The applied forces by coordinate: those that are given, and -dF/dx' of Rayleigh's function F, the `dissipation` (Goldstein,
    /// Classical Mechanics, 1.5).
    pub fn forces(&mut self, fields: &Fields, symbols: &Symbols) -> Vec<Expr> {
        let mut forces = vec![self.pool.zero(); symbols.coordinates.len()];
        let expected = "a table by coordinate such as `{x: -b*x'}`";
        for (key, node) in self.table_of(fields, "forces", expected) {
            let Some(index) = symbols.coordinate(&key.value) else {
                self.no_coordinate(&key.value, key.span.clone(), symbols);
                continue;
            };
            if let Some(force) = self.expression(node, "a force", FORCE) {
                forces[index] = force;
                self.write_down(Part::Force(key.value.clone()), force, node);
            }
        }
        let Some((_, node)) = fields.entry("dissipation") else {
            return forces;
        };
        let Some(rayleigh) = self.expression(node, "the dissipation", DISSIPATION) else {
            return forces;
        };
        let mut moves = false;
        for (force, own) in forces.iter_mut().zip(&symbols.coordinates) {
            let rate = self.pool.derivative(rayleigh, own.v);
            if rate != self.pool.zero() {
                moves = true;
                *force = self.pool.sub(*force, rate);
                self.write_down(Part::Force(own.name.clone()), *force, node);
            }
        }
        if !moves {
            let message = "the dissipation depends on no velocity: there is no force";
            let help = "with `dissipation: 1/2*c*x'^2` the force on `x` is -c*x'";
            self.refuse_with::<()>(node.span.clone(), message, help);
        }
        forces
    }

    /// Reports a name that is no coordinate.
    pub fn no_coordinate(&mut self, name: &str, span: std::ops::Range<usize>, symbols: &Symbols) {
        if self.is_full() {
            return;
        }
        let known = symbols.names();
        let message = format!("unknown coordinate `{}`", quote(name));
        let help = did_you_mean(name, known.iter().copied());
        let help = help.unwrap_or_else(|| match known.len() {
            ..=12 => format!("the coordinates are {}", known.join(", ")),
            _ => EXAMPLE.to_owned(),
        });
        self.fail_with(span, message, help);
    }
}
