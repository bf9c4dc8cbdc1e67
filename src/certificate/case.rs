//! Equations in unknowns, for some of which expressions are put: what is then in no equation is free.

use super::claims::{Alone, Matrix, Sides};
use super::plain;
use crate::expr::{Expr, Interval, Node, Pool};
use crate::interval::{Equations, Names, Region, Scratch};
use nalgebra::DMatrix;
use rustc_hash::FxHashMap;

/// Values are put for unknowns if they are no larger than this.
const SHORT: usize = 60;

/// An unknown of which an equation gives the value wherever its slope is not zero.
pub struct Choice {
    /// The equation.
    pub row: usize,
    /// The unknown.
    pub k: usize,
    value: Expr,
    /// As it is written.
    pub text: String,
    /// The slope and the value.
    bounds: Equations,
}

impl Choice {
    /// Does the equation give the value everywhere on a part?
    pub fn holds(&self, part: &[Interval], work: &mut Scratch) -> bool {
        let (values, smooth) = self.bounds.values(part, work);
        smooth && !values[0].contains(0.0) && values.iter().all(|v| v.is_bounded())
    }
}

/// Equations in unknowns.
pub struct Case<'a> {
    pool: &'a Pool,
    unknowns: &'a [Expr],
    rounded: &'a [(Expr, Interval)],
    /// What values are written in, where any are to be put: then all is multiplied out.
    plain: Option<&'a plain::Names>,
    /// All of them, those that have come to be zero too.
    list: Vec<Expr>,
    /// The unknowns for which a value is put, with that and how it is written.
    pub puts: Vec<(usize, Expr, String)>,
    /// Those that are not zero, in the unknowns that they have.
    pub equations: Equations,
    /// The places of these equations and unknowns among all.
    pub names: Names,
}

impl<'a> Case<'a> {
    /// Nothing is put yet.
    pub fn new(
        (pool, rounded): (&'a Pool, &'a [(Expr, Interval)]),
        unknowns: &'a [Expr],
        plain: Option<&'a plain::Names>,
        mut list: Vec<Expr>,
    ) -> Self {
        if plain.is_some() {
            let flat = |e: &mut Expr| *e = pool.multiplied_out(*e);
            list.iter_mut().for_each(flat);
        }
        let none = |e: &Expr| *e == pool.zero();
        let rows: Vec<usize> = (0..list.len()).filter(|i| !none(&list[*i])).collect();
        let present = |u: &Expr| list.iter().any(|e| pool.symbols_of(*e).contains(u));
        let own: Vec<usize> = (0..unknowns.len())
            .filter(|k| present(&unknowns[*k]))
            .collect();
        let of: Vec<Expr> = own.iter().map(|k| unknowns[*k]).collect();
        let left: Vec<Expr> = rows.iter().map(|i| list[*i]).collect();
        let slope = |e: Expr, x: Expr| pool.multiplied_out(pool.derivative(e, x));
        let row = |e: &Expr| of.iter().map(|x| slope(*e, *x)).collect();
        let slopes: Vec<Vec<Expr>> = left.iter().map(row).collect();
        Self {
            pool,
            unknowns,
            rounded,
            plain,
            puts: Vec::new(),
            equations: Equations::with_gradients(pool, &of, rounded, &left, &slopes),
            names: Names {
                unknowns: own,
                equations: rows,
                all: list.len(),
            },
            list,
        }
    }

    /// The places of these unknowns among all.
    pub fn own(&self) -> &[usize] {
        &self.names.unknowns
    }

    /// The same with a value put.
    pub fn put(&self, choice: &Choice) -> Self {
        let pool = self.pool;
        let by = FxHashMap::from_iter([(self.unknowns[choice.k], choice.value)]);
        let of = |e: Expr| pool.multiplied_out(pool.substitute(e, &by));
        let list = self.list.iter().map(|e| pool.substitute(*e, &by)).collect();
        let common = (pool, self.rounded);
        let mut next = Self::new(common, self.unknowns, self.plain, list);
        let known = self.puts.iter().filter_map(|(k, e, _)| {
            let e = of(*e);
            Some((*k, e, self.text(e)?))
        });
        let new = (choice.k, choice.value, choice.text.clone());
        next.puts = known.chain([new]).collect();
        next
    }

    /// How a value is written, where it can be.
    fn text(&self, e: Expr) -> Option<String> {
        self.plain?.text(self.pool, e).ok()
    }

    /// Is the same put, for the same?
    pub fn is_of(&self, root: &Root) -> bool {
        let known = |(k, e, _): &(usize, Expr, String)| {
            root.puts
                .iter()
                .any(|(other, own, _)| k == other && e == own)
        };
        root.puts.len() == self.puts.len() && self.puts.iter().all(known)
    }

    /// Of which unknowns equations that are linear in them give values without multipliers (those after so many unknowns).
    pub fn choices(&self, coordinates: usize) -> Vec<Choice> {
        let pool = self.pool;
        let of: Vec<Expr> = self.own().iter().map(|k| self.unknowns[*k]).collect();
        let mut found = Vec::new();
        for &row in &self.names.equations {
            let e = self.list[row];
            for &k in self.own() {
                let x = self.unknowns[k];
                let Some((slopes, rest)) = pool.linear_in(e, &[x], &|e| pool.multiplied_out(e))
                else {
                    continue;
                };
                let slope = slopes[0];
                if slope == pool.zero() {
                    continue;
                }
                let value = pool.simplify(pool.neg(pool.div(rest, slope)));
                // an identity that was used on the way is none to the checker, and it cancels nothing
                let by = FxHashMap::from_iter([(x, value)]);
                if pool.size(value) > SHORT
                    || pool.contains_any(value, &self.unknowns[coordinates..])
                    || self.has_quotients(value)
                    || self.has_quotients(e)
                    || pool.multiplied_out(pool.substitute(e, &by)) != pool.zero()
                {
                    continue;
                }
                if let Some(text) = self.text(value) {
                    let bounds = Equations::new(pool, &of, self.rounded, &[slope, value]);
                    found.push(Choice {
                        row,
                        k,
                        value,
                        text,
                        bounds,
                    });
                }
            }
        }
        found
    }

    /// Are there divisions by unknowns, or roots of them?
    fn has_quotients(&self, e: Expr) -> bool {
        let divides = |(base, exponent): &(Expr, Expr)| {
            let n = self.pool.as_number(*exponent);
            let whole = n.is_some_and(|n| n.is_integer() && !n.is_negative());
            !whole && self.pool.contains_any(*base, self.unknowns)
        };
        let pool = self.pool;
        pool.any(
            &[e],
            |node| matches!(node, Node::Product(_, factors) if factors.iter().any(divides)),
        )
    }

    /// A box of the own unknowns as one of all, the others as they are in `whole`.
    pub fn lifted(&self, part: &[Interval], whole: &[Interval]) -> Region {
        let mut all = whole.to_vec();
        for (k, side) in self.own().iter().zip(part) {
            all[*k] = *side;
        }
        all
    }

    /// The sides of the own unknowns.
    pub fn projected(&self, all: &[Interval]) -> Region {
        self.own().iter().map(|k| all[*k]).collect()
    }

    /// The equations with the own unknowns in another order.
    pub fn in_order(&self, own: &[usize]) -> Equations {
        let of: Vec<Expr> = own.iter().map(|k| self.unknowns[self.own()[*k]]).collect();
        let equations = self.names.equations.iter();
        let left: Vec<Expr> = equations.map(|i| self.list[*i]).collect();
        Equations::new(self.pool, &of, self.rounded, &left)
    }

    /// A solution as it is written; of the own unknowns these are sought, the others given.
    pub fn told(&self, root: &Root) -> Alone {
        let mut of_all = DMatrix::zeros(root.weights.nrows(), self.names.all);
        for (&i, own) in self.names.equations.iter().zip(root.weights.column_iter()) {
            of_all.set_column(i, &own);
        }
        let puts = self.puts.iter().map(|(k, _, text)| (*k, text.clone()));
        Alone {
            wide: Sides(root.alone.clone()),
            at: Sides(root.at.clone()),
            a: Matrix(of_all),
            put: puts.collect(),
            over: root.over.clone(),
        }
    }

    /// The sides of all unknowns, with bounds of the values in their places.
    pub fn filled(&self, all: &[Interval]) -> Region {
        let values: Vec<Expr> = self.puts.iter().map(|(_, e, _)| *e).collect();
        let bounds = Equations::new(self.pool, self.unknowns, self.rounded, &values);
        let (found, _) = bounds.values(all, &mut Scratch::default());
        let mut all = all.to_vec();
        for ((k, ..), side) in self.puts.iter().zip(found) {
            all[*k] = side;
        }
        all
    }
}

/// A solution that is alone in a box, for all values of what is free or given.
pub struct Root {
    /// Where it is the only one, by unknown.
    pub alone: Region,
    /// Where it is.
    pub at: Region,
    /// The same with bounds of the values that are put.
    pub place: Region,
    /// A of Krawczyk's operator.
    pub weights: DMatrix<f64>,
    /// The unknowns that are given.
    pub over: Vec<usize>,
    /// The unknowns that are neither sought nor put.
    pub free: Vec<usize>,
    /// What is put.
    pub puts: Vec<(usize, Expr, String)>,
    /// As it is written.
    pub told: Option<Alone>,
}
