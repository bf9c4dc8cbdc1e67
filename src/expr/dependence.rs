//! What an expression depends on, proven. A derivative that is zero is no proof: those of `sign(x)` and of `atan(1/x)` are zero,
//! and both jump at x = 0.

use super::function::{Function, Smooth};
use super::number::Number;
use super::pool::{Expr, Node, Pool};
use rustc_hash::{FxHashMap, FxHashSet};

/// Does an expression contain what is asked about?
pub(super) type Contains<'a> = &'a dyn Fn(Expr) -> bool;

impl Pool {
    /// Has it the same value whatever these symbols are? It contains none of them, or its derivatives are zero and it does not
    /// jump.
    pub fn is_free_of(&self, e: Expr, symbols: &[Expr]) -> bool {
        if !self.contains_any(e, symbols) {
            return true;
        }
        let vanishes = |s: &Expr| self.is_zero(self.derivative(e, *s)) == Some(true);
        !self.may_jump(e, symbols) && symbols.iter().all(vanishes)
    }

    /// A sum of symbols, each times what none of them is in, and a rest without them: what each is times, and the rest. `None`
    /// where it is not that, as far as is seen when it is made `simple`: `x + sign(x)` has a constant slope and is not linear.
    pub fn linear_in(
        &self,
        e: Expr,
        symbols: &[Expr],
        simple: &dyn Fn(Expr) -> Expr,
    ) -> Option<(Vec<Expr>, Expr)> {
        let mut slopes = Vec::new();
        for s in symbols {
            let slope = simple(self.derivative(e, *s));
            if self.contains_any(slope, symbols) {
                return None;
            }
            slopes.push(slope);
        }
        let rest = self.without(e, symbols);
        let parts = slopes.iter().zip(symbols);
        let line = parts.map(|(slope, s)| self.mul(*slope, *s)).chain([rest]);
        let is_line = simple(self.sub(e, self.sum(line))) == self.zero();
        is_line.then_some((slopes, rest))
    }

    /// Is it in these symbols made of whole powers and of entire functions or quotients of such, so that what holds of it near
    /// one value of theirs holds everywhere?
    pub fn is_meromorphic_in(&self, e: Expr, symbols: &[Expr]) -> bool {
        let mut own = true;
        self.visit_with(e, symbols, &mut |_, node, has| match node {
            Node::Apply(f, _) => own &= f.row().meromorphic,
            Node::Product(_, factors) => {
                let whole = |x: Expr| self.as_number(x).is_some_and(|q| q.is_integer());
                own &= factors
                    .iter()
                    .all(|(base, x)| whole(*x) || !has(*base) && !has(*x));
            }
            Node::Number(_) | Node::Symbol(_) | Node::Sum(..) => {}
        });
        own
    }

    /// May it jump where these symbols change? A sign does, an angle, and what is not smooth beside a pole: `abs(x)/x`.
    pub fn may_jump(&self, e: Expr, symbols: &[Expr]) -> bool {
        self.may_jump_where(e, symbols, &[])
    }

    /// Functions at whose zeros it may jump as these symbols change: `x` of `sign(x)` and of `x/abs(x)`, `y` of an angle
    /// `atan2(y, x)`. Each once; it does not jump at all of them.
    pub fn jumps_at_zeros_of(&self, e: Expr, symbols: &[Expr]) -> Vec<Expr> {
        let mut found = Vec::new();
        if !self.may_jump(e, symbols) {
            return found;
        }
        self.visit_with(e, symbols, &mut |_, node, has| match node {
            Node::Apply(Function::Sign | Function::Atan2 | Function::Abs, args) => {
                found.extend(args.first().filter(|own| has(**own)));
            }
            Node::Apply(f, args) if f.smooth() == Smooth::BetweenPoles => {
                let zero = |own: &Expr| self.apply(Function::Cos, *own);
                found.extend(args.first().filter(|own| has(**own)).map(zero));
            }
            Node::Product(_, factors) => {
                let poles = factors.iter().filter(|(_, x)| self.may_fall(*x));
                found.extend(poles.map(|(base, _)| *base).filter(|base| has(*base)));
            }
            _ => {}
        });
        let mut seen = FxHashSet::default();
        found.retain(|own| seen.insert(*own));
        found
    }

    /// The same where these conditions are zero. A root or a power of what is zero in places only that do not divide the
    /// space left, as the distance of two points, is a smooth function all over it, and what goes to infinity there parts
    /// nothing; `x/sqrt(x^2 + y^2)` jumps under the condition that y is 0, and does not where y is 1.
    pub fn may_jump_where(&self, e: Expr, symbols: &[Expr], conditions: &[Expr]) -> bool {
        let (mut jumps, mut poles, mut bends) = (false, false, false);
        self.visit_with(e, symbols, &mut |_, node, has| match node {
            Node::Apply(f, _) => {
                jumps |= matches!(f, Function::Sign | Function::Atan2);
                poles |= f.smooth() == Smooth::BetweenPoles;
                bends |= !f.row().meromorphic;
            }
            Node::Product(_, factors) => {
                for (base, x) in factors.iter().filter(|(base, x)| has(*base) || has(*x)) {
                    let falls = has(*base) && self.may_fall(*x);
                    let whole = self.as_number(*x).is_some_and(|q| q.is_integer());
                    if (falls || !whole)
                        && (has(*x) || !self.parts_nothing(*base, symbols, conditions))
                    {
                        poles |= falls;
                        bends |= !whole;
                    }
                }
            }
            Node::Number(_) | Node::Symbol(_) | Node::Sum(..) => {}
        });
        jumps || poles && bends
    }

    /// Is it finite where it has a value, and positive there but for places that divide nothing where these conditions are zero?
    /// A sum of squares of linear forms and of what is not negative is zero where all forms are: where these are two more than
    /// conditions, or a condition is not zero then.
    fn parts_nothing(&self, e: Expr, symbols: &[Expr], conditions: &[Expr]) -> bool {
        if self.may_be_infinite(e, symbols) {
            return false;
        }
        if self.is_positive(e) {
            return true;
        }
        let Node::Sum(_, terms) = &*self.node(e) else {
            return false;
        };
        if !self.is_non_negative(e) {
            return false;
        }
        let mut there: FxHashMap<Expr, Expr> = FxHashMap::default();
        for (term, _) in terms {
            let (_, mut factors) = self.as_product(*term);
            factors.retain(|(base, _)| !self.is_positive(*base));
            if let [(base, x)] = factors.as_slice()
                && self.as_number(*x).is_some_and(|q| q.is_even())
                && let Some((symbol, value)) =
                    self.zero_of_form(self.substitute(*base, &there), symbols)
            {
                let by = FxHashMap::from_iter([(symbol, value)]);
                for own in there.values_mut() {
                    *own = self.substitute(*own, &by);
                }
                there.insert(symbol, value);
            }
        }
        let is_broken = |c: &Expr| self.is_not_zero(self.simplify(self.substitute(*c, &there)));
        there.len() >= 2 + conditions.len() || conditions.iter().any(is_broken)
    }

    /// A symbol of a linear form of these that is not constant, and what it is where the form is zero.
    fn zero_of_form(&self, form: Expr, symbols: &[Expr]) -> Option<(Expr, Expr)> {
        let slope = |s: &Expr| self.as_number(self.derivative(form, *s)).map(|q| (*s, q));
        let slopes: Option<Vec<(Expr, Number)>> = symbols.iter().map(slope).collect();
        let (symbol, slope) = slopes?.into_iter().find(|(_, slope)| !slope.is_zero())?;
        let rest = self.substitute(form, &FxHashMap::from_iter([(symbol, self.zero())]));
        Some((symbol, self.scale(rest, &slope.recip()?.neg())))
    }

    /// May it have poles where these symbols change?
    fn may_be_infinite(&self, e: Expr, symbols: &[Expr]) -> bool {
        let mut poles = false;
        self.visit_with(e, symbols, &mut |_, node, has| match node {
            Node::Apply(f, _) => {
                poles |= matches!(f.smooth(), Smooth::BetweenPoles | Smooth::Positive);
            }
            Node::Product(_, factors) => {
                poles |= factors
                    .iter()
                    .any(|(base, x)| self.may_fall(*x) && has(*base));
            }
            Node::Number(_) | Node::Symbol(_) | Node::Sum(..) => {}
        });
        poles
    }

    /// May this be an exponent of which a power is infinite where its base is zero?
    fn may_fall(&self, exponent: Expr) -> bool {
        self.as_number(exponent).is_none_or(|q| q.is_negative())
    }

    /// Are there functions in it?
    pub fn has_functions(&self, e: Expr) -> bool {
        self.any(&[e], |node| matches!(node, Node::Apply(..)))
    }

    /// May it jump next to where these symbols are zero? The others have the values `given`, or are not known.
    pub fn may_jump_at_zero(
        &self,
        e: Expr,
        symbols: &[Expr],
        given: &FxHashMap<Expr, Expr>,
    ) -> bool {
        let mut there = given.clone();
        there.extend(symbols.iter().map(|s| (*s, self.zero())));
        // is it something else there, for sure?
        let is_away = |e: Expr| {
            let value = self.as_number(self.substitute(e, &there));
            value.is_some_and(|v| !v.is_zero())
        };
        let vanishes = |e: Expr| self.substitute(e, &there) == self.zero();
        let mut jumping: FxHashSet<Expr> = FxHashSet::default();
        self.visit_with(e, symbols, &mut |own, node, has| {
            let mut inside = false;
            node.each_child(|child| inside |= jumping.contains(&child));
            let jumps = match node {
                Node::Apply(Function::Sign, args) => inside || !is_away(args[0]),
                Node::Apply(Function::Atan2, _) => true,
                Node::Product(_, factors) => {
                    let falls = |x: Expr| self.may_fall(x);
                    let mut falling = factors.iter().filter(|(base, x)| falls(*x) && has(*base));
                    let poles = falling.any(|(base, _)| !is_away(*base));
                    // what vanishes without a jump takes a sign along
                    let dies = |(base, x): &(Expr, Expr)| {
                        !falls(*x) && !jumping.contains(base) && vanishes(*base)
                    };
                    let dies = factors.iter().any(dies);
                    poles || inside && !dies
                }
                _ => inside,
            };
            if jumps {
                jumping.insert(own);
            }
        });
        jumping.contains(&e)
    }

    /// Shows every node that contains one of these symbols, and which others do.
    pub(super) fn visit_with(
        &self,
        e: Expr,
        symbols: &[Expr],
        see: &mut dyn FnMut(Expr, &Node, Contains<'_>),
    ) {
        let mut inside: FxHashSet<Expr> = symbols.iter().copied().collect();
        self.visit(&[e], &mut |e, node| {
            let mut contains = false;
            node.each_child(|child| contains |= inside.contains(&child));
            if contains {
                inside.insert(e);
                see(e, node, &|e| inside.contains(&e));
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use crate::expr::{Expr, Pool, SymbolKind};
    use crate::system::System;

    fn about(text: &str, ask: impl Fn(&Pool, Expr, &[Expr]) -> bool) -> bool {
        let file = format!("coordinates: [x, y]\nlagrangian: x'^2/2 + y'^2/2 - ({text})\n");
        let system = System::parse(&file, "test", &[]).expect("a system");
        let potential = system
            .pool
            .substitute(system.pool.neg(system.lagrangian), &system.at_rest());
        ask(&system.pool, potential, &[system.coordinates[0].x])
    }

    #[test]
    fn what_jumps_depends_on_what_it_jumps_with() {
        let free = |text| about(text, Pool::is_free_of);
        assert!(free("3*y") && free("sin(x)^2 + cos(x)^2 + y") && free("sign(y)"));
        for text in [
            "sign(x)",
            "y*sign(sin(x))",
            "abs(x)/x",
            "atan(x) + atan(1/x)",
            "x*y",
        ] {
            assert!(!free(text), "{text}");
        }
    }

    #[test]
    fn what_only_bends_does_not_jump() {
        let jumps = |text| about(text, Pool::may_jump);
        assert!(!jumps("abs(x)*x + sqrt(1 + x^2)") && !jumps("1/x"));
        assert!(jumps("sqrt(x^2 + y^2)/x") && jumps("sign(x - y)"));
        // in one direction a distance is a size
        assert!(jumps("1/sqrt(x^2 + y^2)") && !jumps("1/sqrt(1 + x^2 + y^2)"));
    }

    #[test]
    fn what_is_infinite_in_few_places_does_not_jump() {
        let ask = |text, level: Option<i64>| {
            let ask = |pool: &Pool, e: Expr, x: &[Expr]| {
                let y = pool.symbol("y", SymbolKind::Coordinate { index: 1, order: 0 });
                let level = level.map(|c| pool.sub(y, pool.number(c)));
                pool.may_jump_where(e, &[x[0], y], level.as_slice())
            };
            about(text, ask)
        };
        let jumps = |text| ask(text, None);
        for text in [
            "1/sqrt(x^2 + y^2)",
            "(x + y)/sqrt((x - y)^2 + 3*(2*x + y - 1)^4) + 1/x",
            "sqrt(1 + x^2)/y",
        ] {
            assert!(!jumps(text), "{text}");
        }
        // forms that depend on each other, what is no sum of squares, and a size beside its own zero
        for text in [
            "1/sqrt((x - y)^2 + (2*y - 2*x)^2)",
            "1/sqrt(x^2 - y^2)",
            "1/sqrt(x^2 + y^2) + abs(x)/x",
            "1/sqrt(x^2 + x^4)",
            "x/sqrt(x^2*y^2)",
            "1/(x*sqrt(y^2 + 1/x^2))",
            "x*sqrt(1 + 1/x^2)",
        ] {
            assert!(jumps(text), "{text}");
        }
        let cosine = "(x - 2)/sqrt((x - 2)^2 + y^2)";
        assert!(!jumps(cosine) && ask(cosine, Some(0)) && !ask(cosine, Some(1)));
        assert!(!ask("1/sqrt(2 + x^2 + y^2)", Some(0)));
    }
}
