//! What is said of an equilibrium that is proven: the linearised motion enclosed on virtual displacements, and the theorems
//! that decide by it.

use super::{Candidate, Criterion, Kind, Proof, Reason, SecondVariation, Sides, Site, Stability};
use crate::expr::{Expr, Interval, Number};
use crate::geometry::independent_columns;
use crate::statics::bounds::{Enclosure, Ranges};
use crate::statics::enclosed::Enclosed;
use crate::statics::equations::{Damping, NearRest, Numbers};
use crate::statics::exponents::{self, Spectrum};
use crate::statics::flat::{Leading, Point};
use crate::statics::guess::guesses;
use crate::statics::numeric::diagonal_form;
use crate::statics::pencil::{self, Exact, Exponents, Pencil};
use crate::statics::value::Value;
use nalgebra::{DMatrix, DVector};

/// M, C and K on a basis of virtual displacements in fractions, where all is such at an exact equilibrium.
fn pencil_at(site: &Site, point: &Point) -> Option<Pencil> {
    let symbols = site.symbols;
    let (n, m) = (symbols.x.len(), symbols.multipliers.len());
    if symbols.holonomic != m {
        return None;
    }
    let fixed = Numbers::new(site.system, site.t).exact;
    let pool = symbols.pool;
    let at_t = |rows: &[Vec<Expr>]| {
        let flat: Vec<Expr> = rows.iter().flatten().copied().collect();
        pool.substitute_all(&flat, &fixed)
    };
    let mut list = at_t(&site.statics.mass);
    list.extend(at_t(&site.statics.damping));
    for e in symbols.balances() {
        list.extend(symbols.x.iter().map(|x| pool.derivative(e, *x)));
    }
    list.extend(symbols.gradients.iter().flatten());
    let values = symbols.values(&list, point)?;
    let exact = values.into_iter().map(|v| match v {
        Value::Number(number) => Some(number),
        _ => None,
    });
    let exact = exact.collect::<Option<Vec<Number>>>()?;
    let mut rows = exact.chunks(n.max(1)).map(<[Number]>::to_vec);
    let mut square = || -> Exact { rows.by_ref().take(n).collect() };
    let pencil = Pencil {
        mass: square(),
        damping: square(),
        stiffness: square(),
    };
    Some(pencil.on(&pencil::kernel(rows.collect(), n)))
}

/// What the exponents are in exact numbers, where the equilibrium and the matrices are exact.
fn exactly(site: &Site, candidate: &Candidate) -> Option<Exponents> {
    let known = candidate.point.and_then(|point| pencil_at(site, point));
    let pencil = known.or_else(|| {
        let guesses = guesses(site.symbols.field(), candidate.x, candidate.reach);
        guesses.into_iter().find_map(|guess| {
            let (found, point) = site.bounds.exact(site.symbols, guess)?;
            let inside = |(a, b): (&Interval, &Interval)| a.is_inside(*b);
            let own = candidate.proof?.x();
            let same = found.x().iter().zip(own).all(inside) && site.bounds.has_one_at_most(own);
            pencil_at(site, &point).filter(|_| same)
        })
    });
    pencil?.exponents()
}

/// The linearised motion at a proven equilibrium, on virtual displacements.
pub(super) struct Proven {
    /// the numbers that they were enclosed from
    ranges: Ranges,
    lambda: Vec<Interval>,
    /// a column a displacement; n rows
    basis: Enclosed,
    mass: Enclosed,
    damping: Enclosed,
    applied: Enclosed,
    stiffness: Enclosed,
}

/// A basis of the kernel of rows that are shown to be independent, [-J_D^-1 J_I; 1] in these units.
fn kernel(jacobian: &Enclosed, unit: &DVector<f64>) -> Option<Enclosed> {
    let (m, n) = jacobian.middle.shape();
    let chosen = independent_columns(&jacobian.middle, unit.as_slice());
    if chosen.len() != m {
        return None;
    }
    let free: Vec<usize> = (0..n).filter(|k| !chosen.contains(k)).collect();
    let power = |v: f64| 2.0_f64.powf(v.log2().round().clamp(-300.0, 300.0));
    let slopes = jacobian
        .columns(&chosen)
        .solve(&jacobian.columns(&free))?
        .neg();
    let mut basis = Enclosed::exact(DMatrix::zeros(n, free.len()));
    for (j, &k) in free.iter().enumerate() {
        let own = power(unit[k]);
        basis.middle[(k, j)] = own;
        for (i, &d) in chosen.iter().enumerate() {
            basis.middle[(d, j)] = slopes.middle[(i, j)] * own;
            basis.radius[(d, j)] = slopes.radius[(i, j)] * own;
        }
    }
    Some(basis)
}

impl Proven {
    pub(super) fn new(site: &Site, proof: &Enclosure, unit: &DVector<f64>) -> Option<Self> {
        let ranges = site.bounds.over(proof.x())?;
        let basis = kernel(&Enclosed::new(&ranges.jacobian)?, unit)?;
        Some(Self {
            mass: Enclosed::new(&ranges.mass)?.on(&basis),
            damping: Enclosed::new(&ranges.damping)?.on(&basis),
            applied: Enclosed::new(&ranges.applied)?.on(&basis),
            stiffness: ranges.stiffness(proof.lambda())?.on(&basis),
            lambda: proof.lambda().to_vec(),
            ranges,
            basis,
        })
    }

    /// The second variation, and where it is flat what follows.
    pub(super) fn form(&self, site: &Site, candidate: &Candidate) -> SecondVariation {
        let symmetric = self.stiffness.symmetric();
        let mut form = SecondVariation::enclosed(symmetric.inertia());
        let open = form.open.len();
        if open > 0 && open <= candidate.family {
            form.flat = open;
            form.open.clear();
            return form;
        }
        let Some(point) = candidate.point.filter(|_| open > 0) else {
            return form;
        };
        let free = self.told_apart_by(&symmetric, open);
        let Some(leading) = site.symbols.leading(point, &free) else {
            return form;
        };
        match leading {
            Leading::Positive(2) => form.positive += open,
            Leading::Negative(2) => form.negative += open,
            Leading::Both(2) if open == 2 => {
                form.positive += 1;
                form.negative += 1;
            }
            _ => {
                if leading.is_flat() {
                    form.flat = open;
                    form.open.clear();
                }
                form.leading = Some(leading);
                return form;
            }
        }
        form.open.clear();
        form
    }

    /// As many coordinates as there are open directions, which tell them apart.
    fn told_apart_by(&self, stiffness: &Enclosed, open: usize) -> Vec<usize> {
        let Some(eigen) = diagonal_form(&stiffness.middle) else {
            return Vec::new();
        };
        let mut order: Vec<usize> = (0..eigen.eigenvalues.len()).collect();
        order.sort_by(|a, b| {
            let size = |k: &usize| eigen.eigenvalues[*k].abs();
            size(a).total_cmp(&size(b))
        });
        order.truncate(open);
        let along = &self.basis.middle * eigen.eigenvectors.select_columns(&order);
        let n = along.nrows();
        // in units in which a displacement is about 1
        let unit: Vec<f64> = (0..n)
            .map(|k| 1.0 / self.basis.middle.row(k).amax().max(f64::MIN_POSITIVE))
            .map(|v| if v > 1e200 { 1.0 } else { v })
            .collect();
        independent_columns(&along.transpose(), &unit)
    }

    /// Does every motion lose energy to applied forces, and do these at least never add to it?
    fn dissipation(&self, site: &Site, candidate: &Candidate) -> (bool, bool) {
        let statics = site.statics;
        let complete = statics.damped != Damping::None
            && statics.near_rest == NearRest::Smooth
            && self.applied.symmetric().inertia().is_positive();
        let always = statics.damped != Damping::Unknown;
        (
            complete,
            always || complete && self.damps_beside(site, candidate),
        )
    }

    /// Do forces damp what leaves contact, too: on all that the other constraints allow?
    fn damps_beside(&self, site: &Site, candidate: &Candidate) -> bool {
        let sided = |b: &usize| site.system.is_one_sided(*b);
        if !candidate.rows.iter().any(sided) {
            return true;
        }
        if candidate.rows.len() != self.lambda.len() {
            return false;
        }
        let own = candidate.rows.iter().enumerate();
        let held: Vec<usize> = own
            .filter(|(_, b)| !sided(b))
            .map(|(place, _)| place)
            .collect();
        let unit = DVector::from_element(self.basis.middle.nrows(), 1.0);
        let forces = || {
            let jacobian = Enclosed::new(&self.ranges.jacobian)?.rows(&held);
            let applied = Enclosed::new(&self.ranges.applied)?;
            Some(applied.on(&kernel(&jacobian, &unit)?))
        };
        forces().is_some_and(|forces| forces.symmetric().inertia().is_positive())
    }

    fn spectrum(&self, reversible: bool) -> Spectrum {
        exponents::Motion {
            mass: &self.mass,
            damping: &self.damping,
            stiffness: &self.stiffness,
            reversible,
        }
        .spectrum()
    }

    pub(super) fn decide(
        &self,
        site: &Site,
        candidate: &Candidate,
        form: &SecondVariation,
    ) -> Stability {
        let statics = site.statics;
        let stable = |by| Stability::Stable(Proof(by));
        let unstable = |by| Stability::Unstable(Proof(by));
        if !self.mass.symmetric().inertia().is_positive() {
            return Stability::Degenerate(Reason::Mass);
        }
        let (complete, calm) = self.dissipation(site, candidate);
        let conservative = !statics.circulatory;
        let still = self.damping.vanishes();
        let open = form.flat + form.open.len();
        if conservative && calm && form.kind() == Kind::Minimum {
            let degree = form.leading.map_or(2, Leading::degree);
            return stable(Criterion::Minimum { degree });
        }
        if statics.near_rest != NearRest::Smooth {
            return Stability::Degenerate(Reason::Friction);
        }
        if conservative && form.negative > 0 {
            if still {
                return unstable(Criterion::Falls);
            }
            if open == 0 && form.negative % 2 == 1 {
                return unstable(Criterion::Odd);
            }
            if open == 0 && complete {
                return unstable(Criterion::Damped);
            }
        }
        if conservative && let Some(leading) = form.leading {
            let falls = form.negative > 0 || leading.falls();
            if falls && complete {
                return unstable(Criterion::DampedLater);
            }
            // gyroscopic forces turn no motion along one line
            let undisturbed = statics.natural || form.flat == 1 && form.negative == 0;
            if leading.falls() && undisturbed && statics.damped == Damping::None {
                let degree = leading.degree();
                return unstable(Criterion::FallsLater { degree });
            }
        }
        let reversible = conservative && statics.damped == Damping::None;
        let spectrum = if still && conservative {
            Spectrum::Open
        } else {
            self.spectrum(reversible)
        };
        match spectrum {
            Spectrum::Grows => return unstable(Criterion::Repelled),
            // what leaves contact does not move by these exponents
            Spectrum::Dies if form.sides == Sides::None => return stable(Criterion::Attracted),
            Spectrum::Dies | Spectrum::Swings | Spectrum::Open => {}
        }
        let exact = if spectrum == Spectrum::Open && statics.damped == Damping::None && open == 0 {
            exactly(site, candidate)
        } else {
            None
        };
        if exact == Some(Exponents::Grows) {
            return unstable(Criterion::Repelled);
        }
        Stability::Degenerate(if open > 0 {
            Reason::Flat
        } else if exact == Some(Exponents::Defective) {
            Reason::Defective
        } else if statics.circulatory {
            Reason::Circulatory
        } else if statics.damped != Damping::None {
            Reason::Damping
        } else if spectrum == Spectrum::Swings || exact == Some(Exponents::Swings) {
            Reason::Gyroscopic
        } else {
            Reason::Exponents
        })
    }

    /// With velocity constraints A x' = 0 besides. Each adds an exponent 0, along the family of equilibria, which is
    /// there where the others are not 0 (the implicit function theorem; Malkin).
    pub(super) fn rolling(&self, site: &Site, candidate: &Candidate) -> Stability {
        if !self.mass.symmetric().inertia().is_positive() {
            return Stability::Degenerate(Reason::Mass);
        }
        let statics = site.statics;
        let (_, calm) = self.dissipation(site, candidate);
        if calm && !statics.circulatory && self.is_lowest(site, candidate) == Some(true) {
            return Stability::Stable(Proof(Criterion::Minimum { degree: 2 }));
        }
        if statics.near_rest != NearRest::Smooth {
            return Stability::Degenerate(Reason::Friction);
        }
        match self.spectrum(false) {
            Spectrum::Grows => Stability::Unstable(Proof(Criterion::Repelled)),
            Spectrum::Dies if !self.stiffness.middle.is_empty() => {
                Stability::Stable(Proof(Criterion::Attracted))
            }
            _ => Stability::Degenerate(Reason::Rolling),
        }
    }

    /// Is the energy a strict minimum at rest on all of f = c, where velocity constraints hold nothing?
    fn is_lowest(&self, site: &Site, candidate: &Candidate) -> Option<bool> {
        let held = site.system.constraints.len();
        if candidate.rows.len() != self.lambda.len() {
            return None;
        }
        let mut rows = Vec::new();
        for (place, &b) in candidate.rows.iter().enumerate() {
            if b < held {
                rows.push(place);
            } else if !candidate.point?.lambda.get(place)?.is_zero() {
                return Some(false);
            }
        }
        let unit = DVector::from_element(self.basis.middle.nrows(), 1.0);
        let basis = kernel(&Enclosed::new(&self.ranges.jacobian)?.rows(&rows), &unit)?;
        let stiffness = self.ranges.stiffness(&self.lambda)?.on(&basis);
        Some(stiffness.symmetric().inertia().is_positive())
    }
}
