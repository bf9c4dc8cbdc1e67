//! The exponents of M u'' + C u' + K u = 0 in exact numbers, where with s also -s is one.
//!
//! ```text
//! p(s) = det(s^2 M + s C + K) = q(s^2),     r = q / gcd(q, q')
//! ```
//!
//! r has the different roots of q. All exponents are imaginary where all its roots are real and negative (C. Sturm's count);
//! else one has a positive real part. The matrix A of the first-order form then has as many modes as exponents where its
//! minimal polynomial has no multiple root, so where r(A^2) = 0; if not, a small motion grows like t.

use crate::expr::{Number, reduced};

/// More degrees of freedom are not looked at.
const MOST: usize = 8;

/// Entries a row.
pub type Exact = Vec<Vec<Number>>;

/// What the exponents are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exponents {
    /// One has a positive real part.
    Grows,
    /// All are imaginary, and have as many modes as they are multiple.
    Swings,
    /// All are imaginary, and one has fewer modes than it is multiple.
    Defective,
}

/// M, C and K.
pub struct Pencil {
    /// M.
    pub mass: Exact,
    /// C.
    pub damping: Exact,
    /// K.
    pub stiffness: Exact,
}

impl Pencil {
    /// The same on displacements B u.
    #[must_use]
    pub fn on(&self, basis: &Exact) -> Self {
        let turned = transposed(basis);
        let on = |m: &Exact| product(&turned, &product(m, basis));
        Self {
            mass: on(&self.mass),
            damping: on(&self.damping),
            stiffness: on(&self.stiffness),
        }
    }

    /// What the exponents are; `None` where with s not also -s is one, one is zero, M is singular, or there are too many.
    pub fn exponents(&self) -> Option<Exponents> {
        let d = self.mass.len();
        if d == 0 || d > MOST {
            return None;
        }
        let first_order = self.first_order()?;
        let p = characteristic(&first_order)?;
        if p.iter().skip(1).step_by(2).any(|c| !c.is_zero()) {
            return None;
        }
        let q: Vec<Number> = p.into_iter().step_by(2).collect();
        if q.first()?.is_zero() {
            return None;
        }
        let chain = sturm(&q);
        let (r, _) = divided(&q, chain.last()?);
        if negative_roots(&chain) + 1 < r.len() {
            return Some(Exponents::Grows);
        }
        let square = product(&first_order, &first_order);
        let zero = value(&r, &square).iter().flatten().all(Number::is_zero);
        Some(if zero {
            Exponents::Swings
        } else {
            Exponents::Defective
        })
    }

    /// [0 1; -M^-1 K, -M^-1 C].
    fn first_order(&self) -> Option<Exact> {
        let d = self.mass.len();
        let rows = self.mass.iter().zip(&self.stiffness).zip(&self.damping);
        let rows = rows.map(|((m, k), c)| {
            let right = k.iter().chain(c).map(Number::neg);
            m.iter().cloned().chain(right).collect()
        });
        let solved = reduced(rows);
        if solved.len() < d || solved.iter().any(|(place, _)| *place >= d) {
            return None;
        }
        let upper = (0..d).map(|i| {
            let one = |j| {
                if j == d + i {
                    Number::ONE
                } else {
                    Number::ZERO
                }
            };
            (0..2 * d).map(one).collect()
        });
        let lower = solved.into_iter();
        let lower = lower.map(|(_, row)| row.into_iter().skip(d).collect());
        Some(upper.chain(lower).collect())
    }
}

/// A basis of the kernel of rows of n entries, a column a vector.
pub fn kernel(rows: Exact, n: usize) -> Exact {
    let rows = reduced(rows);
    let own = |k: usize| rows.iter().find(|(place, _)| *place == k);
    let free: Vec<usize> = (0..n).filter(|k| own(*k).is_none()).collect();
    let entry = |k: usize, f: usize| match own(k) {
        Some((_, row)) => row[f].neg(),
        None if k == f => Number::ONE,
        None => Number::ZERO,
    };
    (0..n)
        .map(|k| free.iter().map(|f| entry(k, *f)).collect())
        .collect()
}

fn transposed(a: &Exact) -> Exact {
    let columns = a.first().map_or(0, Vec::len);
    (0..columns)
        .map(|j| a.iter().map(|row| row[j].clone()).collect())
        .collect()
}

fn product(a: &Exact, b: &Exact) -> Exact {
    let columns = transposed(b);
    let dot = |row: &[Number], column: &[Number]| {
        let parts = row
            .iter()
            .zip(column)
            .filter(|(u, v)| !u.is_zero() && !v.is_zero());
        parts.fold(Number::ZERO, |sum, (u, v)| sum.add(&u.mul(v)))
    };
    a.iter()
        .map(|row| columns.iter().map(|column| dot(row, column)).collect())
        .collect()
}

/// Adds a number to the diagonal.
fn shifted(mut a: Exact, by: &Number) -> Exact {
    for (i, row) in a.iter_mut().enumerate() {
        row[i] = row[i].add(by);
    }
    a
}

/// det(s - A), lowest power first (Faddeev and LeVerrier).
fn characteristic(a: &Exact) -> Option<Vec<Number>> {
    let n = a.len();
    let mut list = vec![Number::ONE];
    let mut last: Exact = vec![vec![Number::ZERO; n]; n];
    for k in 1..=n {
        last = shifted(last, list.last()?);
        last = product(a, &last);
        let trace = (0..n).fold(Number::ZERO, |sum, i| sum.add(&last[i][i]));
        let part = Number::ratio(-1, i64::try_from(k).ok()?)?;
        list.push(trace.mul(&part));
    }
    list.reverse();
    Some(list)
}

fn trimmed(mut p: Vec<Number>) -> Vec<Number> {
    while p.last().is_some_and(Number::is_zero) {
        p.pop();
    }
    p
}

fn derivative(p: &[Number]) -> Vec<Number> {
    let powers = (1_i64..).filter_map(|k| Number::ratio(k, 1));
    p.iter()
        .skip(1)
        .zip(powers)
        .map(|(c, k)| c.mul(&k))
        .collect()
}

/// Quotient and remainder by a polynomial that is not zero.
fn divided(p: &[Number], by: &[Number]) -> (Vec<Number>, Vec<Number>) {
    let mut rest = trimmed(p.to_vec());
    let mut quotient = vec![Number::ZERO; (rest.len() + 1).saturating_sub(by.len())];
    let inverse = by.last().and_then(Number::recip).unwrap_or(Number::ZERO);
    while rest.len() >= by.len() {
        let shift = rest.len() - by.len();
        let Some(top) = rest.last() else { break };
        let factor = top.mul(&inverse);
        for (place, c) in by.iter().enumerate() {
            rest[shift + place] = rest[shift + place].sub(&factor.mul(c));
        }
        quotient[shift] = factor;
        rest.pop();
        rest = trimmed(rest);
    }
    (quotient, rest)
}

/// Sturm's chain of a polynomial; the last of it is what it has in common with its derivative.
fn sturm(p: &[Number]) -> Vec<Vec<Number>> {
    let mut chain = vec![p.to_vec(), derivative(p)];
    while let [.., a, b] = chain.as_slice()
        && !b.is_empty()
    {
        let (_, rest) = divided(a, b);
        chain.push(rest.iter().map(Number::neg).collect());
    }
    chain.retain(|c| !c.is_empty());
    chain
}

/// How many different negative roots a polynomial has that is not zero at 0, by its chain.
fn negative_roots(chain: &[Vec<Number>]) -> usize {
    let changes = |signs: Vec<bool>| signs.windows(2).filter(|w| w[0] != w[1]).count();
    let far = chain.iter().filter_map(|c| {
        let odd = c.len() % 2 == 0;
        c.last().map(|top| top.is_negative() != odd)
    });
    let at_zero = chain
        .iter()
        .filter_map(|c| c.first())
        .filter(|c| !c.is_zero());
    changes(far.collect()).saturating_sub(changes(at_zero.map(Number::is_negative).collect()))
}

/// A polynomial of a matrix.
fn value(p: &[Number], a: &Exact) -> Exact {
    let n = a.len();
    let start: Exact = vec![vec![Number::ZERO; n]; n];
    let horner = |sum: Exact, c: &Number| shifted(product(&sum, a), c);
    p.iter().rev().fold(start, horner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exact(rows: &[&[i64]]) -> Exact {
        let whole = |v: &i64| Number::ratio(*v, 1).unwrap();
        rows.iter().map(|r| r.iter().map(whole).collect()).collect()
    }

    fn identity(n: usize) -> Exact {
        shifted(vec![vec![Number::ZERO; n]; n], &Number::ONE)
    }

    /// K = -1 and a gyroscopic term of this size in each of some planes.
    fn planes(turns: &[i64]) -> Pencil {
        let n = 2 * turns.len();
        let mut damping = vec![vec![Number::ZERO; n]; n];
        for (i, w) in turns.iter().enumerate() {
            let w = Number::ratio(*w, 10).unwrap();
            damping[2 * i][2 * i + 1] = w.neg();
            damping[2 * i + 1][2 * i] = w;
        }
        let minus = |m: Exact| -> Exact {
            m.iter()
                .map(|r| r.iter().map(Number::neg).collect())
                .collect()
        };
        Pencil {
            mass: identity(n),
            damping,
            stiffness: minus(identity(n)),
        }
    }

    #[test]
    fn multiple_exponents_are_told_by_their_modes() {
        let cases = [
            (vec![20], Exponents::Defective),
            (vec![25], Exponents::Swings),
            (vec![25, 25], Exponents::Swings),
            (vec![25, 20], Exponents::Defective),
            (vec![19], Exponents::Grows),
            (vec![19, 19], Exponents::Grows),
            (vec![19, 20], Exponents::Grows),
        ];
        for (turns, wanted) in cases {
            let plain = planes(&turns);
            assert_eq!(plain.exponents(), Some(wanted), "{turns:?}");
            // in other coordinates
            let n = 2 * turns.len();
            let mut basis = identity(n);
            for i in 1..n {
                basis[i][i - 1] = Number::ratio(3, 7).unwrap();
                basis[0][i] = Number::ratio(-2, 5).unwrap();
            }
            assert_eq!(plain.on(&basis).exponents(), Some(wanted), "{turns:?}");
        }
    }

    #[test]
    fn what_is_damped_or_flat_is_left_to_others() {
        let mut damped = planes(&[25]);
        damped.damping[0][0] = Number::ONE;
        assert_eq!(damped.exponents(), None);
        let mut flat = planes(&[25]);
        flat.stiffness = exact(&[&[0, 0], &[0, -1]]);
        assert_eq!(flat.exponents(), None);
        // a circulatory force alone
        let pushed = Pencil {
            mass: identity(2),
            damping: exact(&[&[0, 0], &[0, 0]]),
            stiffness: exact(&[&[1, 2], &[-2, 1]]),
        };
        assert_eq!(pushed.exponents(), Some(Exponents::Grows));
        let sheared = Pencil {
            stiffness: exact(&[&[1, 2], &[0, 1]]),
            ..pushed
        };
        assert_eq!(sheared.exponents(), Some(Exponents::Defective));
    }

    #[test]
    fn kernels_are_exact() {
        let rows = exact(&[&[1, 2, 3], &[2, 4, 6]]);
        let basis = kernel(rows.clone(), 3);
        assert_eq!(basis[0].len(), 2);
        assert!(product(&rows, &basis).iter().flatten().all(Number::is_zero));
    }
}
