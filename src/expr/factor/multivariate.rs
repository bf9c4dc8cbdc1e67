//! Irreducible factors of polynomials in several variables.
//!
//! P. Wang's way (An improved multivariate polynomial factoring algorithm, Math. Comp. 32, 1978): all
//! variables but a main one are given integer values, the image is factored, the factors of the
//! leading coefficient are dealt out to the images by the primes in their values, and the images are
//! lifted back. The lifting goes variable by variable: the polynomials are sampled at points of a
//! geometric sequence, each sample (two variables) is lifted by Hensel's method modulo a large prime,
//! and the coefficients follow from the monomials seen one variable before (M. Monagan, B. Tuncer,
//! Using sparse interpolation in Hensel lifting, CASC 2016; T. Chen, M. Monagan, 2020). Larger
//! coefficients are lifted further, digit by digit. The result is believed when it multiplies out.

use super::univariate::{
    self, Degrees, Whole, cofactors, content, degrees_of, reduced, residue, small_primes,
};
use super::{Factored, factor};
use crate::effort::Effort;
use crate::expr::modular::{
    Dense, Field, LARGE_PRIMES, Sampler, Sequence, Skeleton, Sparse, bases, image, in_order,
    residues, symmetric, tail_evaluated,
};
use crate::expr::number::Number;
use crate::expr::poly::{Monomial, Poly};
use dashu_base::{BitTest, Gcd};
use dashu_int::IBig;

/// Images modulo small primes that are looked at for the degrees which factors may have.
const IMAGES: usize = 6;
/// Integer points that are tried.
const ATTEMPTS: u64 = 40;
/// Points that are lifted from.
const LIFTS: usize = 6;
/// The values tried first are at most this.
const FIRST_VALUES: u64 = 12;

/// The irreducible factors of a primitive square-free polynomial without content in any variable, and
/// whether they are certain not to split further. `None` when out of effort.
pub(super) fn irreducibles(p: &Poly, effort: &Effort) -> Option<(Vec<Poly>, bool)> {
    let variables = p.variables();
    let lead_of = |v: usize| p.coefficients(v).pop().unwrap_or_default();
    let main = *variables
        .iter()
        .min_by_key(|&&v| (p.degree(v), lead_of(v).terms().len()))?;
    let mut others: Vec<usize> = variables.into_iter().filter(|v| *v != main).collect();
    others.sort_by_key(|v| p.degree(*v));
    let mut order = vec![main];
    order.extend(others);
    let mut problem = Problem {
        p,
        order,
        degrees: Degrees::all(usize::from(p.degree(main))),
        sequence: Sequence::new(p.terms().len() as u64),
        effort,
    };
    problem.look_at_images()?;
    if problem.degrees.irreducible() {
        return Some((vec![p.clone()], true));
    }
    problem.split()
}

/// The images of factors at a point.
struct Point {
    values: Vec<i64>,
    /// p at the point is this times the product of the images
    content: IBig,
    images: Vec<Whole>,
}

/// What the leading coefficients of the factors are.
struct Leads {
    /// in the variables of the ring, one a factor
    leads: Vec<Poly>,
    /// their product is this times the lead of p
    ratio: Number,
}

struct Problem<'a> {
    p: &'a Poly,
    /// the main variable, then the others in the order of lifting
    order: Vec<usize>,
    degrees: Degrees,
    sequence: Sequence,
    effort: &'a Effort,
}

impl Problem<'_> {
    fn degree(&self) -> usize {
        usize::from(self.p.degree(self.order[0]))
    }

    /// Factors images at random points modulo small primes: the degree of a factor is a sum of degrees
    /// of factors of each image.
    fn look_at_images(&mut self) -> Option<()> {
        for q in small_primes().take(IMAGES) {
            let field = Field::new(q);
            let sparse = residues(self.p, &self.order, field)?;
            let points = bases(field, self.order.len(), &mut self.sequence);
            let degree = self.degree();
            self.effort
                .spend_words(sparse.len() * self.order.len() + 4 * degree * degree)?;
            let image = image(&sparse, 0, &points, field);
            if image.len() != self.degree() + 1 || !field.is_square_free(&image) {
                continue;
            }
            let parts = field.by_degree(&field.poly_monic(&image), self.effort)?;
            self.degrees.restrict(&degrees_of(&parts));
            if self.degrees.irreducible() {
                break;
            }
        }
        Some(())
    }

    fn split(&mut self) -> Option<(Vec<Poly>, bool)> {
        let lead = self.p.coefficients(self.order[0]).pop()?;
        let lead = factor(&lead, self.effort)?;
        let mut fewest = usize::MAX;
        let mut lifts = 0;
        // the first point waits for a second opinion: an image may have too many factors
        let mut waiting: Option<(Point, Leads)> = None;
        for attempt in 0..ATTEMPTS {
            let Some((point, leads)) = self.point(&lead, attempt) else {
                continue;
            };
            let count = point.images.len();
            let degrees: Vec<usize> = point.images.iter().map(|u| u.len() - 1).collect();
            self.degrees.restrict(&degrees);
            if count == 1 || self.degrees.irreducible() {
                return Some((vec![self.p.clone()], true));
            }
            let first = fewest == usize::MAX;
            if count < fewest || (count == fewest && waiting.is_none()) {
                (fewest, waiting) = (count, Some((point, leads)));
            }
            if first && attempt + 1 < ATTEMPTS {
                continue;
            }
            let Some((point, leads)) = waiting.take() else {
                continue;
            };
            let field = Field::new(LARGE_PRIMES[lifts % LARGE_PRIMES.len()]);
            if let Some(factors) = self.lifted(field, &point, &leads) {
                return Some((factors, true));
            }
            lifts += 1;
            if lifts == LIFTS {
                break;
            }
        }
        self.effort.spend(0)?;
        Some((vec![self.p.clone()], false))
    }

    /// Chooses a point; `None` too where it does not serve.
    fn point(&mut self, lead: &Factored, attempt: u64) -> Option<(Point, Leads)> {
        let range = FIRST_VALUES + 8 * attempt;
        let values: Vec<i64> = self.order[1..]
            .iter()
            .map(|_| {
                let draw = self.sequence.next();
                let size = (2 + (draw >> 1) % range).cast_signed();
                if draw & 1 == 0 { size } else { -size }
            })
            .collect();
        self.effort.spend(self.p.terms().len())?;
        let image = self.at(self.p, &values)?;
        if image.len() != self.degree() + 1 {
            return None;
        }
        let field = Field::new(LARGE_PRIMES[0]);
        let trace = reduced(&image, field.prime());
        if trace.len() != image.len() || !field.is_square_free(&trace) {
            return None;
        }
        let content = content(&image);
        let mut at_leads = Vec::with_capacity(lead.factors.len());
        for (f, _) in &lead.factors {
            at_leads.extend(self.at(f, &values)?);
        }
        let unit = lead.unit.integer()?;
        if at_leads.len() != lead.factors.len() || !distinguished(&(&unit * &content), &at_leads) {
            return None;
        }
        let bare: Whole = image.iter().map(|k| k / &content).collect();
        let split = univariate::irreducibles(&bare, self.effort)?;
        if !split.complete {
            return None;
        }
        let point = Point {
            values,
            content,
            images: split.factors,
        };
        let leads = self.leads(lead, &unit, &at_leads, &point)?;
        Some((point, leads))
    }

    /// The polynomial in the main variable that is left at a point.
    fn at(&self, p: &Poly, values: &[i64]) -> Option<Whole> {
        let tables: Vec<Vec<IBig>> = self.order[1..]
            .iter()
            .zip(values)
            .map(|(&v, &x)| {
                let mut list = vec![IBig::ONE];
                for e in 0..usize::from(p.degree(v)) {
                    list.push(&list[e] * x);
                }
                list
            })
            .collect();
        let mut dense = vec![IBig::ZERO; usize::from(p.degree(self.order[0])) + 1];
        for (m, k) in p.terms() {
            let exponent = |v: usize| usize::from(m.get(v).copied().unwrap_or(0));
            let mut value = k.integer()?;
            for (&v, table) in self.order[1..].iter().zip(&tables) {
                if exponent(v) > 0 {
                    value *= &table[exponent(v)];
                }
            }
            dense[exponent(self.order[0])] += value;
        }
        while dense.last() == Some(&IBig::ZERO) {
            dense.pop();
        }
        Some(dense)
    }

    /// Deals out the factors of the leading coefficient: each has a prime in its value that no other
    /// has, so the lead of an image tells which of them belong to it.
    fn leads(
        &self,
        lead: &Factored,
        unit: &IBig,
        at_leads: &[IBig],
        point: &Point,
    ) -> Option<Leads> {
        let mut leads = Vec::new();
        let mut used = vec![0; at_leads.len()];
        let mut constants = IBig::ONE;
        for u in &point.images {
            let mut rest = u.last()? * &point.content;
            let mut part = Poly::one();
            for (j, value) in at_leads.iter().enumerate().rev() {
                let mut times = 0;
                while &rest % value == IBig::ZERO {
                    rest /= value;
                    times += 1;
                }
                used[j] += times;
                if used[j] > lead.factors[j].1 {
                    return None;
                }
                let power = lead.factors[j].0.pow(times, self.effort)?;
                part = part.mul(&power, self.effort)?;
            }
            // a multiple of the numeric factor of this lead
            let constant = IBig::from(rest.gcd(unit));
            constants *= &constant;
            leads.push(part.scale(&Number::from_integer(constant)));
        }
        let all = used.iter().zip(&lead.factors).all(|(k, (_, l))| k == l);
        let ratio = Number::from_integer(constants).div(&lead.unit)?;
        (all && ratio.is_integer()).then_some(Leads { leads, ratio })
    }

    /// The factors with these images; `None` too where there are none, or the point is unlucky.
    fn lifted(&mut self, field: Field, point: &Point, leads: &Leads) -> Option<Vec<Poly>> {
        let target = self.p.scale(&leads.ratio);
        let mut sequence = self.sequence.clone();
        let lift = Lift {
            field,
            order: &self.order,
            target: &target,
            leads: &leads.leads,
            effort: self.effort,
        };
        let found = lift.run(point, &mut sequence);
        self.sequence = sequence;
        Some(found?.into_iter().map(|f| f.primitive().1).collect())
    }
}

/// Has each value a prime that divides neither `others` nor a value before it? (P. Wang)
fn distinguished(others: &IBig, values: &[IBig]) -> bool {
    let mut parts = vec![others.clone()];
    for value in values {
        let mut own = value.clone();
        if own == IBig::ZERO {
            return false;
        }
        for part in parts.iter().rev() {
            loop {
                let common = IBig::from((&own).gcd(part));
                if common == IBig::ONE {
                    break;
                }
                own /= common;
            }
        }
        if own.bit_len() < 2 {
            return false;
        }
        parts.push(own);
    }
    true
}

/// Images of factors on their way to polynomials.
struct Lift<'a> {
    field: Field,
    order: &'a [usize],
    /// the product of the factors with these leads
    target: &'a Poly,
    leads: &'a [Poly],
    effort: &'a Effort,
}

impl Lift<'_> {
    fn run(&self, point: &Point, sequence: &mut Sequence) -> Option<Vec<Poly>> {
        let field = self.field;
        let mut points = vec![0];
        points.extend(point.values.iter().map(|x| field.residue_of(*x)));
        let target = residues(self.target, self.order, field)?;
        let leads: Option<Vec<Sparse>> = self
            .leads
            .iter()
            .map(|l| residues(l, self.order, field))
            .collect();
        let leads = leads?;
        let mut known: Vec<Sparse> = Vec::new();
        for (u, lead) in point.images.iter().zip(&leads) {
            let wanted = image(lead, 0, &points, field);
            let have = residue(u.last()?, field.prime());
            let unit = field.mul(*wanted.first()?, field.recip(have)?);
            known.push(
                field
                    .poly_scale(&reduced(u, field.prime()), unit)
                    .into_iter()
                    .enumerate()
                    .filter(|(_, k)| *k != 0)
                    .map(|(e, k)| (Monomial::from_elem(e as u16, 1), k))
                    .collect(),
            );
        }
        for j in 1..self.order.len() {
            known = self.one_more(j, &target, &leads, &known, &points, sequence)?;
        }
        self.digits(&known, sequence)
    }

    /// Lifts from j variables to j + 1.
    fn one_more(
        &self,
        j: usize,
        target: &Sparse,
        leads: &[Sparse],
        known: &[Sparse],
        points: &[u64],
        sequence: &mut Sequence,
    ) -> Option<Vec<Sparse>> {
        let field = self.field;
        let bases = bases(field, j - 1, sequence);
        self.effort.spend(target.len() * 2)?;
        let target = tail_evaluated(target, j + 1, points, field);
        let leads: Vec<Sparse> = leads
            .iter()
            .map(|l| tail_evaluated(l, j + 1, points, field))
            .collect();
        let mut tips = self.samplers(&leads, &bases);
        let work = tips.iter().map(Sampler::cost).sum();
        let shift = points[j];
        let lifted = |rows: Vec<Dense>, images: &[Dense]| {
            let rows = shifted(field, &rows, shift);
            let tips: Vec<Dense> = tips
                .iter_mut()
                .map(|s| {
                    let rows = s.step();
                    let column = rows.iter().map(|row| row.first().copied().unwrap_or(0));
                    field.poly_shift(&column.collect::<Dense>(), shift)
                })
                .collect();
            let found = hensel(field, &rows, images, &tips, self.effort)?;
            let back = found.iter().map(|f| shifted(field, f, field.neg(shift)));
            Some(back.collect())
        };
        let mut next = self.fitted((known, &target, &bases), work, lifted)?;
        for ((factor, lead), known) in next.iter_mut().zip(&leads).zip(known) {
            factor.extend(lead.iter().map(|(m, k)| {
                let mut m = m.clone();
                m[0] = top(known);
                (m, *k)
            }));
        }
        Some(next)
    }

    /// Polynomials with the monomials that the known ones have below their leads, fitted to values at points: of what is left
    /// of `whole` and of the known ones at a point, `solve` makes the values of each, in `work` operations on words. `None`
    /// too where monomials cannot be told apart.
    fn fitted(
        &self,
        (known, whole, bases): (&[Sparse], &Sparse, &[u64]),
        work: usize,
        mut solve: impl FnMut(Vec<Dense>, &[Dense]) -> Option<Vec<Vec<Dense>>>,
    ) -> Option<Vec<Sparse>> {
        let skeleton = |factor| Skeleton::new(self.field, &below(factor), bases, self.effort);
        let skeletons = known.iter().map(skeleton);
        let skeletons = skeletons.collect::<Option<Vec<Skeleton>>>()?;
        let count = skeletons.iter().map(Skeleton::points).max()?.max(1);
        let mut whole = Sampler::new(self.field, whole, bases);
        let mut images = self.samplers(known, bases);
        let mut samples: Vec<Vec<Vec<Dense>>> = vec![Vec::new(); known.len()];
        for _ in 0..count {
            let others: usize = images.iter().map(Sampler::cost).sum();
            self.effort.spend_words(whole.cost() + others + work)?;
            let images = images.iter_mut().map(|s| s.step().pop());
            let images: Vec<Dense> = images.map(Option::unwrap_or_default).collect();
            let found = solve(whole.step(), &images)?;
            for (list, rows) in samples.iter_mut().zip(found) {
                list.push(rows);
            }
        }
        let pairs = skeletons.iter().zip(&samples);
        pairs
            .map(|(skeleton, list)| skeleton.fitted(self.field, list, self.effort))
            .collect()
    }

    fn samplers(&self, list: &[Sparse], bases: &[u64]) -> Vec<Sampler> {
        let sampler = |f| Sampler::new(self.field, f, bases);
        list.iter().map(sampler).collect()
    }

    /// From residues to integers: g_i with prod g_i = target, a digit of the prime at a time.
    fn digits(&self, known: &[Sparse], sequence: &mut Sequence) -> Option<Vec<Poly>> {
        let field = self.field;
        let prime = IBig::from(field.prime());
        let main = self.order[0];
        let mut factors: Vec<Poly> = Vec::with_capacity(known.len());
        for (f, lead) in known.iter().zip(self.leads) {
            let lead = lead.mul(
                &Poly::variable(main).pow(u32::from(top(f)), self.effort)?,
                self.effort,
            )?;
            factors.push(self.integers(&below(f), &IBig::ONE).add(&lead));
        }
        let bits = |p: &Poly| {
            let lengths = p.terms().iter().filter_map(|(_, k)| k.integer());
            lengths.map(|k| k.bit_len()).max().unwrap_or(0)
        };
        // a factor's coefficients are hardly ever longer than those of the product and its degrees
        let degrees: usize = self
            .order
            .iter()
            .map(|v| usize::from(self.target.degree(*v)))
            .sum();
        let most = (bits(self.target) + degrees) / (field.bits() - 1) + 1;
        let mut power = prime.clone();
        for digit in 0..=most {
            let product = self.product(&factors)?;
            let error = self.target.sub(&product);
            if error.is_zero() {
                return Some(factors);
            }
            if digit == most {
                break;
            }
            let inverse = Number::from_integer(power.clone()).recip()?;
            let error = error.scale(&inverse);
            // no multiple of the power: not the factors
            let error = residues(&error, self.order, field)?;
            let change = self.corrections(known, &error, sequence)?;
            for (f, c) in factors.iter_mut().zip(&change) {
                *f = f.add(&self.integers(c, &power));
            }
            power *= &prime;
        }
        None
    }

    /// The product, the short factors first.
    fn product(&self, factors: &[Poly]) -> Option<Poly> {
        let mut list: Vec<&Poly> = factors.iter().collect();
        list.sort_by_key(|f| f.terms().len());
        list.into_iter()
            .try_fold(Poly::one(), |all, f| all.mul(f, self.effort))
    }

    /// Residues of least size times a number.
    fn integers(&self, p: &Sparse, factor: &IBig) -> Poly {
        let prime = IBig::from(self.field.prime());
        Poly::from_terms(p.iter().map(|(m, k)| {
            let k = symmetric(IBig::from(*k), &prime);
            (in_order(m, self.order), Number::from_integer(k * factor))
        }))
    }

    /// c_i with sum c_i prod_{j != i} g_j = error modulo the prime, their monomials among those of g_i.
    fn corrections(
        &self,
        known: &[Sparse],
        error: &Sparse,
        sequence: &mut Sequence,
    ) -> Option<Vec<Sparse>> {
        let field = self.field;
        let bases = bases(field, self.order.len() - 1, sequence);
        let degree: usize = known.iter().map(|f| usize::from(top(f))).sum();
        let work = 8 * degree * degree + 200;
        let digit = |mut rows: Vec<Dense>, images: &[Dense]| {
            let row = rows.pop().unwrap_or_default();
            let cofactors = cofactors(field, images)?;
            let pairs = images.iter().zip(&cofactors);
            let rests = pairs.map(|(u, s)| field.poly_rest(&field.poly_mul(&row, s), u));
            rests.map(|rest| Some(vec![rest?])).collect()
        };
        let mut change = self.fitted((known, error, &bases), work, digit)?;
        for (m, _) in change.iter_mut().flatten() {
            // there is no variable after the last
            m.truncate(self.order.len());
        }
        Some(change)
    }
}

/// The degree in the main variable.
fn top(p: &Sparse) -> u16 {
    p.iter().map(|(m, _)| m[0]).max().unwrap_or(0)
}

/// The terms below that degree.
fn below(p: &Sparse) -> Sparse {
    let top = top(p);
    p.iter().filter(|(m, _)| m[0] < top).cloned().collect()
}

/// The rows (by powers of the second variable z) of a polynomial in which z is replaced by z + s.
fn shifted(field: Field, rows: &[Dense], s: u64) -> Vec<Dense> {
    let mut result = rows.to_vec();
    for start in 0..result.len() {
        for k in (start..result.len() - 1).rev() {
            let add = field.poly_scale(&result[k + 1], s);
            result[k] = field.poly_add(&result[k], &add);
        }
    }
    result
}

/// Lifts the factors at z = 0 of a polynomial in x and z (rows: powers of z), whose leads (in z) are
/// known, to factors whose product it is; `None` too where there are none.
fn hensel(
    field: Field,
    rows: &[Dense],
    images: &[Dense],
    leads: &[Dense],
    effort: &Effort,
) -> Option<Vec<Vec<Dense>>> {
    let degree: usize = images.iter().map(|u| u.len().saturating_sub(1)).sum();
    let count = images.len();
    effort.spend_words(
        8 * degree * degree + 200 * count + rows.len() * rows.len() * degree * degree * count / 4,
    )?;
    // products of the first factors, of none first, by powers of z
    let mut products: Vec<Vec<Dense>> = vec![vec![Dense::new(); rows.len()]; count + 1];
    products.first_mut()?.first_mut()?.push(1);
    for (m, u) in images.iter().enumerate() {
        products[m + 1][0] = field.poly_mul(&products[m][0], u);
    }
    if rows.first() != Some(&products[count][0]) {
        return None;
    }
    let cofactors = cofactors(field, images)?;
    let mut factors: Vec<Vec<Dense>> = images.iter().map(|u| vec![u.clone()]).collect();
    for k in 1..rows.len() {
        for ((f, u), lead) in factors.iter_mut().zip(images).zip(leads) {
            let mut next = Dense::new();
            if let Some(&tip) = lead.get(k)
                && tip != 0
            {
                next.resize(u.len(), 0);
                next[u.len() - 1] = tip;
            }
            f.push(next);
        }
        for m in 0..count {
            products[m + 1][k] = (0..=k).fold(Dense::new(), |sum, s| {
                let part = field.poly_mul(&products[m][s], &factors[m][k - s]);
                field.poly_add(&sum, &part)
            });
        }
        let error = field.poly_sub(&rows[k], &products[count][k]);
        if error.is_empty() {
            continue;
        }
        if error.len() > degree {
            return None;
        }
        let mut change = Dense::new();
        for m in 0..count {
            let digit = field.poly_rest(&field.poly_mul(&error, &cofactors[m]), &images[m])?;
            change = field.poly_add(
                &field.poly_mul(&change, &images[m]),
                &field.poly_mul(&products[m][0], &digit),
            );
            factors[m][k] = field.poly_add(&factors[m][k], &digit);
            products[m + 1][k] = field.poly_add(&products[m + 1][k], &change);
        }
    }
    // of the right degree the product is right, not only modulo a power of z
    let reached: usize = factors
        .iter()
        .map(|f| f.iter().rposition(|row| !row.is_empty()).unwrap_or(0))
        .sum();
    (reached < rows.len()).then_some(factors)
}
