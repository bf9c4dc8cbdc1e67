//! The Lagrangian, written in one of three ways, and the applied forces.

use super::fields::{Fields, Place};
use super::symbols::Symbols;
use super::{Builder, EXAMPLE};
use crate::expr::{Expr, Node as ExprNode, Number};
use crate::system::names::{Reach, nearest};
use crate::system::quote;
use crate::system::schema::Node;

/// The most components of a position.
const MAX_COMPONENTS: usize = 3;

/// The most operands in the derivatives of all positions.
const MAX_COST: u64 = 5_000_000;

const LAGRANGIAN: Place = Place {
    name: "the Lagrangian",
    reach: Reach::State,
};

/// The position of a body and its mass.
struct Body {
    mass: Expr,
    at: Vec<Expr>,
}

impl Builder<'_> {
    /// L = T - V, whatever way it is written; T may lack any coordinate.
    pub fn lagrangian(
        &mut self,
        document: &Node,
        fields: &Fields,
        symbols: &Symbols,
    ) -> Option<Expr> {
        self.refuse_mixtures(fields)?;
        if let Some(node) = fields.get("lagrangian") {
            return self.expression(node, "`lagrangian`", LAGRANGIAN);
        }
        let potential = match fields.get("potential") {
            Some(node) => self.expression(node, "`potential`", LAGRANGIAN),
            None => Some(self.pool.zero()),
        };
        if let Some(node) = fields.get("kinetic") {
            let kinetic = self.expression(node, "`kinetic`", LAGRANGIAN)?;
            return Some(self.pool.sub(kinetic, potential?));
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
        let lagrangian = self.of_bodies(fields, node, symbols)?;
        let lagrangian = self.pool.sub(lagrangian, potential?);
        if self.meter.size(&self.pool, lagrangian) > crate::expr::MAX_SIZE {
            self.fail(
                key.span.clone(),
                "the kinetic energy of these bodies becomes too large",
            );
            return None;
        }
        Some(lagrangian)
    }

    /// `lagrangian`, or `kinetic` with `potential`, or `bodies` with `gravity` and `potential`.
    fn refuse_mixtures(&mut self, fields: &Fields) -> Option<()> {
        const CLASHES: [(&str, &str); 6] = [
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
                self.fail_with(
                    later.span.clone(),
                    format!("`{a}` and `{b}` cannot stand together"),
                    "write `lagrangian`, or `kinetic` with `potential`, or `bodies` with `gravity` and `potential`",
                );
                return None;
            }
        }
        if let Some((gravity, _)) = fields.entry("gravity")
            && fields.entry("bodies").is_none()
        {
            let help = "add `bodies`, or write the weight into `lagrangian`";
            self.fail_with(gravity.span.clone(), "`gravity` needs `bodies`", help);
            return None;
        }
        Some(())
    }

    /// sum 1/2 m |dr/dt|^2 + m gravity . r
    fn of_bodies(&mut self, fields: &Fields, node: &Node, symbols: &Symbols) -> Option<Expr> {
        let gravity = match fields.entry("gravity") {
            Some((key, node)) => {
                let place = Place {
                    name: "gravity",
                    reach: Reach::Time,
                };
                Some((key, self.vector(node, "`gravity`", place)?))
            }
            None => None,
        };
        let expected = "a table such as `{bead: {mass: m, at: [x, y]}}`";
        let entries = self.table(node, "`bodies`", expected)?;
        if entries.is_empty() {
            self.fail(
                node.span.clone(),
                "`bodies` must describe at least one body",
            );
            return None;
        }
        let rates: Vec<(Expr, Expr)> = symbols
            .coordinates
            .iter()
            .map(|c| (c.x, c.v))
            .chain([(symbols.t, self.pool.one())])
            .collect();
        let mut bodies = Vec::new();
        let before = self.errors.len();
        for (key, node) in entries {
            let Some(body) = self.body(&quote(&key.value), node) else {
                continue;
            };
            if let Some((gravity_key, gravity)) = &gravity
                && gravity.len() != body.at.len()
            {
                let message = format!(
                    "the position of `{}` has {} components, `gravity` has {}",
                    quote(&key.value),
                    body.at.len(),
                    gravity.len()
                );
                let line = 1 + self.source.text[..gravity_key.span.start]
                    .matches('\n')
                    .count();
                let help = format!("`gravity` stands in line {line}; give both the same number");
                self.fail_with(key.span.clone(), message, help);
                continue;
            }
            bodies.push(body);
        }
        if self.errors.len() > before {
            return None;
        }
        if self.cost(&bodies, rates.len()) > MAX_COST {
            let message = "these positions are too large to take their velocities";
            self.fail_with(
                node.span.clone(),
                message,
                "write `kinetic` in place of `bodies`",
            );
            return None;
        }
        let pool = &self.pool;
        let mut terms = Vec::new();
        for body in bodies {
            let squares = body.at.iter().map(|&r| {
                let rate = pool.total_derivative(r, &rates);
                pool.powi(rate, 2)
            });
            let squares = pool.sum(squares);
            terms.push(pool.product([pool.number(Number::HALF), body.mass, squares]));
            if let Some((_, gravity)) = &gravity {
                let parts = gravity.iter().zip(&body.at);
                let height = pool.sum(parts.map(|(&g, &r)| pool.mul(g, r)));
                terms.push(pool.mul(body.mass, height));
            }
        }
        Some(pool.sum(terms))
    }

    /// A bound on the operands that the derivatives of all positions have together: that of a product is a sum of
    /// as many products.
    fn cost(&self, bodies: &[Body], variables: usize) -> u64 {
        let positions: Vec<Expr> = bodies.iter().flat_map(|b| b.at.iter().copied()).collect();
        let mut cost = 0_u64;
        self.pool.visit(&positions, &mut |e, node| {
            let operands = match node {
                ExprNode::Product { factors, .. } => {
                    let symbols = self.meter.size(&self.pool, e).min(variables as u64);
                    (factors.len() as u64).pow(2).saturating_mul(symbols)
                }
                ExprNode::Sum { terms, .. } => terms.len() as u64,
                ExprNode::Number(_) | ExprNode::Symbol(_) | ExprNode::Apply(..) => 1,
            };
            cost = cost.saturating_add(operands);
        });
        cost
    }

    fn body(&mut self, name: &str, node: &Node) -> Option<Body> {
        let what = format!("the body `{name}`");
        let before = self.errors.len();
        let fields = self.fields(node, &what, &["mass", "at"], &["inertia", "angle"])?;
        let (Some(mass), Some(at)) = (fields.get("mass"), fields.get("at")) else {
            let missing = if fields.get("mass").is_none() {
                "mass"
            } else {
                "at"
            };
            // a key with a slip has been reported
            if self.errors.len() == before {
                let message = format!("{what} has no `{missing}`");
                self.fail_with(node.span.clone(), message, "write `{mass: m, at: [x, y]}`");
            }
            return None;
        };
        let mass = self.expression(
            mass,
            "`mass`",
            Place {
                name: "a mass",
                reach: Reach::Parameters,
            },
        );
        let at = self.vector(
            at,
            "`at`",
            Place {
                name: "a position",
                reach: Reach::Configuration,
            },
        );
        Some(Body {
            mass: mass?,
            at: at?,
        })
    }

    /// A list of one to three expressions.
    fn vector(&mut self, node: &Node, what: &str, place: Place) -> Option<Vec<Expr>> {
        let items = self.list(node, what, "a list of components such as `[x, y]`")?;
        if items.is_empty() || items.len() > MAX_COMPONENTS {
            let message = format!(
                "{what} must have 1 to {MAX_COMPONENTS} components, not {}",
                items.len()
            );
            self.fail(node.span.clone(), message);
            return None;
        }
        let parts = items
            .iter()
            .map(|item| self.expression(item, "a component", place));
        // every component is read, so that every error is seen
        let parts: Vec<Option<Expr>> = parts.collect();
        parts.into_iter().collect()
    }

    /// The applied forces by coordinate.
    pub fn forces(&mut self, fields: &Fields, symbols: &Symbols) -> Vec<Expr> {
        let mut forces = vec![self.pool.zero(); symbols.coordinates.len()];
        let Some(node) = fields.get("forces") else {
            return forces;
        };
        let expected = "a table by coordinate such as `{x: -b*x'}`";
        for (key, node) in self.table(node, "`forces`", expected).unwrap_or_default() {
            let Some(index) = symbols.coordinate(&key.value) else {
                self.no_coordinate(&key.value, key.span.clone(), symbols);
                continue;
            };
            let place = Place {
                name: "a force",
                reach: Reach::State,
            };
            if let Some(force) = self.expression(node, "a force", place) {
                forces[index] = force;
            }
        }
        forces
    }

    /// Reports a name that is no coordinate.
    pub fn no_coordinate(&mut self, name: &str, span: std::ops::Range<usize>, symbols: &Symbols) {
        if self.is_full() {
            return;
        }
        let known: Vec<&str> = symbols
            .coordinates
            .iter()
            .map(|c| c.name.as_str())
            .collect();
        let message = format!("there is no coordinate `{}`", quote(name));
        let help = match nearest(name, known.iter().copied()) {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None if known.len() > 12 => EXAMPLE.to_owned(),
            None => format!("the coordinates are {}", known.join(", ")),
        };
        self.fail_with(span, message, help);
    }
}
