//! Bodies: their positions give the kinetic energy, their weight a part of the potential one.
//!
//! ```text
//! L = sum  m |dr/dt|^2 / 2  +  I (dangle/dt)^2 / 2  +  m gravity . r   - V
//! ```

use super::Builder;
use super::fields::Fields;
use super::symbols::Symbols;
use crate::expr::{Expr, Node as ExprNode, Number};
use crate::system::names::{Context, Reach};
use crate::system::schema::{Node, Value};
use crate::system::{Body, Part, Rotation, quote};

/// The most components of a position.
const MAX_COMPONENTS: usize = 3;

/// The most operands in the derivatives of all positions.
const MAX_COST: u64 = 5_000_000;

const MASS: Context = Context::new("a mass", Reach::Parameters);
const INERTIA: Context = Context::new("a moment of inertia", Reach::Parameters);
const POSITION: Context = Context::new("a position", Reach::Configuration);
const ANGLE: Context = Context::new("an angle", Reach::Configuration);

/// The keys of a body.
pub const BODY_KEYS: [&str; 4] = ["mass", "at", "inertia", "angle"];

impl Builder<'_> {
    /// The part of L that bodies and gravity give, and the bodies.
    pub fn of_bodies(
        &mut self,
        fields: &Fields,
        node: &Node,
        symbols: &Symbols,
    ) -> Option<(Expr, Vec<Body>)> {
        let gravity = match fields.entry("gravity") {
            Some((key, node)) => {
                let place = Context::new("gravity", Reach::Time);
                Some((key, self.vector(node, "`gravity`", place)?))
            }
            None => None,
        };
        let expected = "a table such as `{bead: {mass: m, at: [x, y]}}`";
        let entries = self.table(node, "`bodies`", expected)?;
        if entries.is_empty() {
            return self.refuse(
                node.span.clone(),
                "`bodies` must describe at least one body",
            );
        }
        let rates = symbols.coordinates.iter().map(|c| (c.x, c.v));
        let rates: Vec<(Expr, Expr)> = rates.chain([(symbols.t, self.pool.one())]).collect();
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
            return self.refuse_with(
                node.span.clone(),
                message,
                "write `kinetic` in place of `bodies`",
            );
        }
        let pool = &self.pool;
        let mut terms = Vec::new();
        for body in &bodies {
            let squares = body.at.iter().map(|&r| {
                let rate = pool.total_derivative(r, &rates);
                pool.powi(rate, 2)
            });
            let squares = pool.sum(squares);
            terms.push(pool.product([pool.number(Number::HALF), body.mass, squares]));
            if let Some(rotation) = &body.rotation {
                let rate = pool.total_derivative(rotation.angle, &rates);
                let square = pool.powi(rate, 2);
                terms.push(pool.product([pool.number(Number::HALF), rotation.inertia, square]));
            }
            if let Some((_, gravity)) = &gravity {
                let parts = gravity.iter().zip(&body.at);
                let height = pool.sum(parts.map(|(&g, &r)| pool.mul(g, r)));
                terms.push(pool.mul(body.mass, height));
            }
        }
        Some((pool.sum(terms), bodies))
    }

    /// A bound on the operands that the derivatives of all positions have together: that of a product is a sum of
    /// as many products.
    fn cost(&self, bodies: &[Body], variables: usize) -> u64 {
        let angles = bodies.iter().filter_map(|b| b.rotation.as_ref());
        let positions: Vec<Expr> = bodies
            .iter()
            .flat_map(|b| b.at.iter().copied())
            .chain(angles.map(|rotation| rotation.angle))
            .collect();
        let mut cost = 0_u64;
        self.pool.visit(&positions, &mut |e, node| {
            let operands = match node {
                ExprNode::Product(_, factors) => {
                    let symbols = self.meter.size(&self.pool, e).min(variables as u64);
                    (factors.len() as u64).pow(2).saturating_mul(symbols)
                }
                ExprNode::Sum(_, terms) => terms.len() as u64,
                ExprNode::Number(_) | ExprNode::Symbol(_) | ExprNode::Apply(..) => 1,
            };
            cost = cost.saturating_add(operands);
        });
        cost
    }

    fn body(&mut self, name: &str, node: &Node) -> Option<Body> {
        let what = format!("the body `{name}`");
        let before = self.errors.len();
        let fields = self.fields(node, &what, &BODY_KEYS)?;
        let (Some(mass), Some(at)) = (fields.get("mass"), fields.get("at")) else {
            let missing = fields.get("mass").map_or("mass", |_| "at");
            // a key with a slip has been reported
            if self.errors.len() == before {
                let message = format!("{what} has no `{missing}`");
                self.fail_with(node.span.clone(), message, "write `{mass: m, at: [x, y]}`");
            }
            return None;
        };
        let mass = self.expression(mass, "`mass`", MASS);
        let at_place = at.span.clone();
        let components = self.vector(at, "`at`", POSITION);
        for &e in components.iter().flatten() {
            self.write_down(Part::Body(name.to_owned()), e, at);
        }
        let at = components;
        let rotation = match (fields.entry("inertia"), fields.entry("angle")) {
            (None, None) => None,
            (Some((_, inertia)), Some((_, angle))) => {
                let inertia = self.expression(inertia, "`inertia`", INERTIA);
                let angle = self.expression(angle, "`angle`", ANGLE);
                Some(Rotation {
                    inertia: inertia?,
                    angle: angle?,
                })
            }
            (Some((key, _)), None) | (None, Some((key, _))) => {
                let help = "write `inertia: I, angle: th`";
                let message = match key.value.as_str() {
                    "inertia" => format!("{what} has `inertia` and no `angle`"),
                    _ => format!("{what} has an `angle` and no `inertia`"),
                };
                return self.refuse_with(key.span.clone(), message, help);
            }
        };
        let at = at?;
        if rotation.is_some() && at.len() == MAX_COMPONENTS {
            let help = "a body in space turns about three axes: write `kinetic`";
            let message = format!("{what} has `inertia` and `angle`: it must be planar");
            return self.refuse_with(at_place, message, help);
        }
        Some(Body {
            name: name.to_owned(),
            mass: mass?,
            at,
            rotation,
        })
    }

    /// A list of one to three expressions.
    fn vector(&mut self, node: &Node, what: &str, place: Context) -> Option<Vec<Expr>> {
        if let (Value::Scalar(scalar), "`gravity`") = (&node.value, what)
            && !node.is_nothing()
        {
            let text = scalar.value.trim();
            let is_word = |text: &str| {
                text.chars()
                    .all(|c| c.is_alphanumeric() || c == '.' || c == '_')
            };
            let help = match text.strip_prefix('-') {
                Some(rest) if is_word(rest) => format!("write `[0, {text}]`: gravity is a vector"),
                None if is_word(text) => format!("write `[0, -{text}]`: gravity is a vector"),
                _ => "write `[0, -g]`: gravity is a vector".to_owned(),
            };
            let message = format!("{what} must be a list of components, not {}", node.kind());
            return self.refuse_with(node.span.clone(), message, help);
        }
        let items = self.list(node, what, "a list of components such as `[x, y]`")?;
        if items.is_empty() || items.len() > MAX_COMPONENTS {
            let message = format!(
                "{what} must have 1 to {MAX_COMPONENTS} components, not {}",
                items.len()
            );
            return self.refuse(node.span.clone(), message);
        }
        let parts = items
            .iter()
            .map(|item| self.expression(item, "a component", place));
        // every component is read, so that every error is seen
        let parts: Vec<Option<Expr>> = parts.collect();
        parts.into_iter().collect()
    }
}
