//! Which term of a file has no finite value at a place, or no finite derivatives there.
//!
//! The equations of motion need the values of the forces, the first derivatives of L by coordinates and the second by velocities and
//! coordinates, and those of the constraints. Subexpressions are looked at from the inside out: the first that is not finite while all
//! that it is made of are is the one to name.

use super::{Model, Overrides};
use crate::expr::{Expr, Function, Node, Tape};
use crate::solver::{Fault, Placed, Quantity, SolverError, Term};
use crate::system::{Diagnostic, Part};

/// More subexpressions than these are not looked at.
const MOST: usize = 4000;
/// Nor more derivatives.
const DERIVATIVES: usize = 20_000;

/// A part of the file with its expression.
struct Own {
    part: Part,
    e: Expr,
    place: Option<Box<Diagnostic>>,
    /// Do the equations need its derivatives?
    smooth: bool,
}

/// A state.
#[derive(Clone, Copy)]
pub(super) struct State<'a> {
    pub(super) t: f64,
    pub(super) x: &'a [f64],
    pub(super) v: &'a [f64],
}

impl Model {
    /// The same with the term of the file that is to blame for what is not finite at a state, where it is found.
    pub(super) fn blamed(&self, mut error: SolverError, state: State<'_>) -> SolverError {
        if let SolverError::NotFinite { what, .. } = &mut error
            && let Some(term) = self.undefined(what, state)
        {
            *what = Quantity::Term(Box::new(term));
        }
        error
    }

    /// The same for a start that cannot be made: at what is given of it and guessed.
    pub(super) fn blamed_at_start(&self, error: SolverError, overrides: &Overrides) -> SolverError {
        if !matches!(error, SolverError::NotFinite { .. }) {
            return error;
        }
        let given = self.given(overrides);
        let or = |list: &[Option<f64>], guess: &[f64]| -> Vec<f64> {
            let pairs = list.iter().zip(guess);
            pairs.map(|(own, guess)| own.unwrap_or(*guess)).collect()
        };
        let (x, v) = (or(&given.x, &given.guess_x), or(&given.v, &given.guess_v));
        let state = State {
            t: given.t,
            x: &x,
            v: &v,
        };
        self.blamed(error, state)
    }

    /// The expressions that a quantity is made of.
    fn made_of(&self, what: &Quantity) -> Vec<Own> {
        let constraints = |name: Option<&str>| -> Vec<Own> {
            let list = self.system.constraints.iter();
            let list = list.filter(|c| name.is_none_or(|name| c.name == name));
            let sides = list.flat_map(|c| [(c, c.typed.0), (c, c.typed.1)]);
            let own = sides.map(|(c, e)| Own {
                part: Part::Constraint(c.name.clone()),
                e,
                place: c.place.clone(),
                smooth: true,
            });
            own.collect()
        };
        let velocity = |name: Option<&str>| -> Vec<Own> {
            let list = self.system.velocity_constraints.iter();
            let list = list.filter(|c| name.is_none_or(|name| c.name == name));
            let parts = list.flat_map(|c| c.row.iter().chain([&c.b]).map(move |e| (c, *e)));
            let own = parts.map(|(c, e)| Own {
                part: Part::VelocityConstraint(c.name.clone()),
                e,
                place: None,
                smooth: false,
            });
            own.collect()
        };
        match what {
            Quantity::Constraint(name) | Quantity::Gradient(name) => constraints(Some(name)),
            Quantity::VelocityConstraint(name) => velocity(Some(name)),
            Quantity::Equations => {
                let written = self.system.written.iter().map(|own| Own {
                    part: own.part.clone(),
                    e: own.e,
                    place: Some(own.place.clone()),
                    smooth: !matches!(own.part, Part::Force(_)),
                });
                let bound = constraints(None).into_iter().chain(velocity(None));
                written.chain(bound).collect()
            }
            Quantity::StartTime | Quantity::Start(_) | Quantity::Term(_) => Vec::new(),
        }
    }

    /// The term to blame for a quantity that is not finite at a state.
    fn undefined(&self, what: &Quantity, state: State<'_>) -> Option<Term> {
        let list = self.made_of(what);
        for order in 0..=2 {
            for own in list.iter().filter(|own| own.smooth || order == 0) {
                let found = self.not_finite_in(own.e, order, state);
                if let Some((text, fault)) = found {
                    return Some(Term {
                        part: own.part.clone(),
                        text,
                        fault,
                        place: own.place.clone(),
                    });
                }
            }
        }
        None
    }

    /// The values of expressions at a state.
    fn at(&self, list: &[Expr], State { t, x, v }: State<'_>) -> Vec<f64> {
        let system = &self.system;
        let c = &system.coordinates;
        let parameters = &system.parameters;
        let symbols = c.iter().map(|c| c.x).chain(c.iter().map(|c| c.v));
        let symbols = symbols.chain([system.t]);
        let symbols: Vec<Expr> = symbols.chain(parameters.iter().map(|p| p.symbol)).collect();
        let inputs = x.iter().chain(v).copied().chain([t]);
        let inputs: Vec<f64> = inputs.chain(parameters.iter().map(|p| p.value)).collect();
        Tape::new(&system.pool, &symbols, list).values(&inputs)
    }

    /// The innermost subexpression whose derivatives of an order are not finite, and why.
    fn not_finite_in(&self, e: Expr, order: usize, state: State<'_>) -> Option<(String, Fault)> {
        let pool = &self.system.pool;
        let mut nodes = Vec::new();
        pool.visit(&[e], &mut |e, _| nodes.push(e));
        let c = &self.system.coordinates;
        let by: Vec<Expr> = c.iter().map(|c| c.x).chain(c.iter().map(|c| c.v)).collect();
        let each = by.len().pow(u32::try_from(order).unwrap_or(0));
        if nodes.len() > MOST || nodes.len() * each > DERIVATIVES {
            return None;
        }
        if order == 0 {
            let values = self.at(&nodes, state);
            let mut all = nodes.iter().zip(&values);
            let (&own, _) = all.find(|(_, value)| !value.is_finite())?;
            let fault = self.fault(own, state);
            return Some((pool.print(own), fault));
        }
        nodes.into_iter().find_map(|own| {
            if matches!(&*pool.node(own), Node::Number(_) | Node::Symbol(_)) {
                return None;
            }
            let mut list = vec![own];
            for _ in 0..order {
                let next = list.iter().flat_map(|&e| by.iter().map(move |&by| (e, by)));
                list = next.map(|(e, by)| pool.derivative(e, by)).collect();
            }
            let values = self.at(&list, state);
            let finite = values.iter().all(|value| value.is_finite());
            (!finite).then(|| (pool.print(own), Fault::Derivative(order)))
        })
    }

    /// Why a subexpression is not finite that is made of finite ones.
    fn fault(&self, own: Expr, state: State<'_>) -> Fault {
        let pool = &self.system.pool;
        let placed = |e: Expr| -> Placed {
            let value = self.at(&[e], state).first().copied().unwrap_or(f64::NAN);
            Placed {
                name: pool.print(e),
                value,
            }
        };
        match &*pool.node(own) {
            Node::Product(_, factors) => {
                let factors = factors.iter().map(|&(base, by)| (placed(base), placed(by)));
                let factors: Vec<(Placed, Placed)> = factors.collect();
                let mut zero = factors.iter();
                let zero = zero.find(|(base, by)| base.value == 0.0 && by.value < 0.0);
                if let Some((base, _)) = zero {
                    return Fault::Division(base.name.clone());
                }
                let broken = |by: f64| by.fract() != 0.0;
                let mut roots = factors.into_iter();
                match roots.find(|(base, by)| base.value < 0.0 && broken(by.value)) {
                    Some((base, _)) => Fault::Root(base),
                    None => Fault::Overflow,
                }
            }
            Node::Apply(Function::Exp, _) | Node::Sum(..) => Fault::Overflow,
            Node::Apply(_, args) => Fault::Function(args.first().map(|&e| placed(e))),
            Node::Number(_) | Node::Symbol(_) => Fault::Function(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Request;
    use crate::system::System;
    use std::sync::atomic::AtomicBool;

    /// The term that is to blame for a start without a motion.
    fn blamed(rest: &str) -> Term {
        let text = format!("coordinates: [x, y]\nparameters: {{m: 2, g: 9.81}}\n{rest}\n");
        let model = Model::new(System::parse(&text, "test.yaml", &[]).unwrap());
        let motion = model.simulate(&Request::default(), &AtomicBool::new(false));
        let because = match motion {
            Ok(motion) => motion.because.unwrap(),
            Err(crate::analysis::RequestError::Solver(error)) => error,
            Err(other) => panic!("{other:?}"),
        };
        let SolverError::NotFinite {
            what: Quantity::Term(term),
            ..
        } = because
        else {
            panic!("{because:?}");
        };
        *term
    }

    #[test]
    fn the_term_that_is_not_finite_at_the_start_is_named_with_its_line() {
        let kinetic = "kinetic: m*(x'^2 + y'^2)/2\n";
        let division = blamed(&format!(
            "{kinetic}potential: m*g/(x - 1.5)\nstart: {{x: 1.5}}"
        ));
        assert_eq!(division.part, Part::Key("potential"));
        assert!(matches!(&division.fault, Fault::Division(by) if by == "2*x - 3"));
        assert_eq!(division.place.unwrap().line, 4);
        let root = blamed(&format!(
            "{kinetic}forces: {{y: m*sqrt(x - 1)}}\nstart: {{x: 0}}"
        ));
        assert_eq!(root.part, Part::Force("y".to_owned()));
        assert!(
            matches!(&root.fault, Fault::Root(of) if of.value == -1.0),
            "{root:?}"
        );
        let log = blamed(&format!("{kinetic}forces: {{x: log(y)}}\nstart: {{x: 0}}"));
        assert!(
            matches!(&log.fault, Fault::Function(Some(of)) if of.value == 0.0),
            "{log:?}"
        );
        let slope = blamed(&format!("{kinetic}potential: sqrt(x)\nstart: {{x: 0}}"));
        assert_eq!(
            (slope.fault, slope.text.as_str()),
            (Fault::Derivative(1), "sqrt(x)")
        );
        let held = blamed(&format!(
            "{kinetic}constraints: {{wall: 1/x + y = 3}}\nstart: {{x: 0}}"
        ));
        assert_eq!(held.part, Part::Constraint("wall".to_owned()));
        assert!(
            matches!(&held.fault, Fault::Division(by) if by == "x"),
            "{held:?}"
        );
    }
}
