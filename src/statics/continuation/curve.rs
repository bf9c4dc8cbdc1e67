//! The equations of statics along a parameter, in numbers: G(y) = 0 with y = (x, lambda, p), one equation fewer than
//! unknowns.
//!
//! All is done in parts of a unit for each unknown and each equation, so that units change nothing. The length of a way counts
//! coordinates and the parameter; the multipliers follow from these.

use super::redundant::Redundant;
use crate::expr::{Expr, Pool, SymbolKind, Tape};
use crate::geometry::{LeastNorm, null_vectors};
use crate::statics::equations::{Statics, squares};
use crate::statics::numeric::diagonal_form;
use crate::statics::stability::Motion;
use crate::system::System;
use crate::theorem::{arguments, inputs};
use nalgebra::{Complex, DMatrix, DVector};
use rustc_hash::FxHashMap;
use std::cell::{Cell, OnceCell};

/// Newton steps back to the curve.
const STEPS: usize = 12;
/// A step of this part of the units is the last.
const LAST: f64 = 1e-14;
/// Newton's method has found a point where its last step is shorter.
pub(super) const FOUND: f64 = 1e-8;
/// Gradients are dependent where a singular value is below this part of the largest.
const RANK: f64 = 1e-10;
/// An eigenvalue of the stiffness below this part of the unit of work is zero.
const ROUNDED: f64 = 1e-12;
/// What a one-sided constraint carries, or how far off its side is, is nothing below this part of the units.
const CARRIES: f64 = 1e-11;
/// Where all slopes vanish together, this part of the largest work along the branch is the unit.
const FAINT: f64 = 1e-3;

/// det(J J^T) of gradients of length 1 below this is rounding.
const SPANNED: f64 = 1e-12;
/// Where gradients are more than this part as independent as where a branch began, the work is one of the branch.
const MEASURED: f64 = 0.1;

/// The equations compiled.
pub(super) struct Curve {
    /// Coordinates,
    pub(super) n: usize,
    /// and constraints that act.
    pub(super) m: usize,
    /// Which these are.
    pub(super) rows: Vec<usize>,
    /// What is a long way along each coordinate, and along the parameter.
    pub(super) width: DVector<f64>,
    pool: Pool,
    equations: Vec<Expr>,
    unknowns: Vec<Expr>,
    inputs: Vec<Expr>,
    /// numbers for the inputs, those of the unknowns to be filled in
    arguments: Vec<f64>,
    places: Vec<usize>,
    tape: Tape,
    /// places of dG/dy that are not identically zero
    pattern: Vec<(usize, usize)>,
    /// M and C
    motion: Tape,
    /// of one-sided constraints: which multipliers there are, and f - c of those that are let go, each with its slopes by x and p
    pushing: Vec<usize>,
    gaps: Tape,
    /// whose they are
    sided: Vec<usize>,
    /// all constraints in force, where they are more
    redundant: Option<Redundant>,
    /// does anything of all this depend on the parameter?
    pub(super) depends: bool,
    /// is K not symmetric?
    circulatory: bool,
    /// does the linearised motion have a C, or a K that is not symmetric?
    acts: bool,
    second: OnceCell<Second>,
    /// the largest work at the points of the branch that is followed
    largest: Cell<f64>,
}

/// d2(psi.G)/dy2 compiled.
struct Second {
    tape: Tape,
    pattern: Vec<(usize, usize)>,
}

/// The equations at a point, in the units there.
#[derive(Clone)]
pub(super) struct Local {
    /// G.
    pub(super) values: DVector<f64>,
    /// dG/dy, a row an equation.
    pub(super) slopes: DMatrix<f64>,
    /// The units of the equations (1 over them),
    pub(super) rows: DVector<f64>,
    /// of the unknowns,
    pub(super) columns: DVector<f64>,
    /// and of work;
    energy: f64,
    /// the largest work there is.
    work: f64,
}

impl Local {
    /// The unit of work there.
    pub(super) fn energy(&self) -> f64 {
        self.energy
    }

    /// Is an eigenvalue of the stiffness there zero but for rounding?
    pub(super) fn is_nothing(&self, eigenvalue: f64) -> bool {
        eigenvalue.abs() <= ROUNDED * self.energy
    }
}

/// A point that Newton's method has found.
pub(super) struct Corrected {
    /// The unknowns.
    pub(super) y: DVector<f64>,
    /// The equations there.
    pub(super) local: Local,
    /// How long all steps were together.
    pub(super) moved: f64,
}

impl Curve {
    /// Compiles the equations of these constraints, of all in force, at one time along a parameter.
    pub(super) fn new(
        (system, statics): (&System, &Statics),
        (rows, all, t): (&[usize], &[usize], f64),
        parameter: usize,
        width: DVector<f64>,
    ) -> Option<Self> {
        let pool = &system.pool;
        let (n, m) = (system.coordinates.len(), rows.len());
        let p = system.parameters.get(parameter)?.symbol;
        let mut made: FxHashMap<Expr, Expr> = FxHashMap::default();
        for other in system.parameters.iter().skip(parameter + 1) {
            let written = pool.substitute(other.written, &made);
            if pool.symbols_of(written).contains(&p) {
                made.insert(other.symbol, written);
            }
        }
        let symbols: Vec<Expr> = system.multipliers().collect();
        let multipliers: Vec<Expr> = rows.iter().map(|b| symbols[*b]).collect();
        let mut equations: Vec<Expr> = (0..n)
            .map(|k| {
                let pushed = rows.iter().zip(&multipliers);
                let pushed = pushed.map(|(b, l)| pool.mul(*l, statics.gradients[*b][k]));
                pool.sub(statics.force[k], pool.sum(pushed))
            })
            .collect();
        for b in rows {
            let c = system.constraints.get(*b)?;
            equations.push(pool.sub(c.f, c.c));
        }
        let equations = pool.substitute_all(&equations, &made);
        let pushing = (0..m)
            .filter(|place| system.is_one_sided(rows[*place]))
            .map(|place| n + place);
        let free = system.residuals().enumerate();
        let free = free.filter(|(b, _)| system.is_one_sided(*b) && !rows.contains(b));
        let (free, gaps): (Vec<usize>, Vec<Expr>) = free.unzip();
        let acting = rows.iter().copied().filter(|b| system.is_one_sided(*b));
        let gaps = pool.substitute_all(&gaps, &made);
        let x = system.coordinates.iter().map(|c| c.x);
        let sides: Vec<Expr> = x.clone().chain([p]).collect();
        let each = |gap: &Expr| [vec![*gap], pool.jacobian(&[*gap], &sides).concat()].concat();
        let gaps: Vec<Expr> = gaps.iter().flat_map(each).collect();
        let unknowns: Vec<Expr> = x.chain(multipliers.iter().copied()).chain([p]).collect();
        let mut inputs = inputs(system);
        let mut arguments = arguments(system, t, &vec![0.0; n], &[]);
        inputs.extend(&multipliers);
        arguments.resize(inputs.len(), 0.0);
        let place = |u: &Expr| inputs.iter().position(|e| e == u);
        let places: Option<Vec<usize>> = unknowns.iter().map(place).collect();
        // dG/dy behind G
        let (pattern, slopes) = pool.nonzero(&pool.jacobian(&equations, &unknowns));
        let list = [equations.clone(), slopes].concat();
        let mut damping = statics.damping.iter().flatten();
        let acts = statics.circulatory || damping.any(|e| *e != pool.zero());
        let motion = pool.substitute_all(&statics.inertia(), &made);
        let redundant = (rows.len() < all.len()).then(|| {
            let residuals: Vec<Expr> = system.residuals().collect();
            let levels = all.iter().map(|b| residuals[*b]);
            let gradients = all.iter().flat_map(|b| statics.gradients[*b].clone());
            let balance = levels.chain(statics.force.iter().copied());
            let balance: Vec<Expr> = balance.chain(gradients).collect();
            let balance = pool.substitute_all(&balance, &made);
            Redundant::new((pool, &inputs), (all, rows.len()), &balance)
        });
        // M alone makes no equilibrium stable or unstable
        let mut parts = equations.iter().chain(motion.iter().filter(|_| acts));
        let depends = parts.any(|e| pool.symbols_of(*e).contains(&p));
        Some(Self {
            tape: Tape::new(pool, &inputs, &list),
            motion: Tape::new(pool, &inputs, &motion),
            gaps: Tape::new(pool, &inputs, &gaps),
            pushing: pushing.collect(),
            sided: acting.chain(free).collect(),
            pool: pool.clone(),
            places: places?,
            n,
            m,
            rows: rows.to_vec(),
            width,
            equations,
            unknowns,
            inputs,
            arguments,
            pattern,
            circulatory: statics.circulatory,
            acts,
            redundant,
            depends,
            second: OnceCell::new(),
            largest: Cell::new(0.0),
        })
    }

    /// x, lambda and p, and G in symbols.
    pub(super) fn symbols(&self) -> (Vec<Expr>, &[Expr]) {
        (self.unknowns.clone(), &self.equations)
    }

    /// The unknowns at coordinates, multipliers (one a constraint of the system) and a value of the parameter.
    pub(super) fn gathered(&self, x: &[f64], multipliers: &[f64], p: f64) -> DVector<f64> {
        let own = self.rows.iter().map(|b| multipliers[*b]);
        let list = x.iter().copied().chain(own).chain([p]);
        DVector::from_vec(list.collect())
    }

    /// How many unknowns there are.
    pub(super) fn size(&self) -> usize {
        self.unknowns.len()
    }

    fn arguments(&self, y: &DVector<f64>) -> Vec<f64> {
        let mut arguments = self.arguments.clone();
        for (place, v) in self.places.iter().zip(y.iter()) {
            arguments[*place] = *v;
        }
        arguments
    }

    /// The equations at a point; `None` where they have no finite value.
    pub(super) fn at(&self, y: &DVector<f64>) -> Option<Local> {
        let (n, m, size) = (self.n, self.m, self.size());
        let values = self.tape.values(&self.arguments(y));
        if values.iter().any(|v| !v.is_finite()) {
            return None;
        }
        let mut slopes = DMatrix::zeros(size - 1, size);
        for (&(i, j), v) in self.pattern.iter().zip(values.iter().skip(size - 1)) {
            slopes[(i, j)] = *v;
        }
        // all in virtual work: that of the largest term along the widths is 1
        let mut columns = DVector::from_element(size, 1.0);
        columns.rows_mut(0, n).copy_from(&self.width.rows(0, n));
        columns[size - 1] = self.width[n];
        let positive = |v: f64| if v > 0.0 && v.is_finite() { v } else { 1.0 };
        let mut work = 0.0_f64;
        for i in 0..n {
            for j in (0..n).chain([size - 1]) {
                work = work.max((slopes[(i, j)] * columns[i] * columns[j]).abs());
            }
            for b in n..n + m {
                work = work.max((slopes[(i, b)] * columns[i] * y[b]).abs());
            }
        }
        let energy = positive(work.max(FAINT * self.largest()));
        let mut rows = DVector::zeros(size - 1);
        for i in 0..n {
            rows[i] = columns[i] / energy;
        }
        for b in n..n + m {
            let along = (0..n).map(|k| (slopes[(b, k)] * columns[k]).abs());
            rows[b] = 1.0 / positive(along.fold(0.0, f64::max));
            columns[b] = energy * rows[b];
        }
        for i in 0..size - 1 {
            for j in 0..size {
                slopes[(i, j)] *= rows[i] * columns[j];
            }
        }
        let values = DVector::from_fn(size - 1, |i, _| values[i] * rows[i]);
        Some(Local {
            values,
            slopes,
            rows,
            columns,
            energy,
            work,
        })
    }

    /// d2(psi.G)/dy2 in the units of a point.
    pub(super) fn bent(&self, y: &DVector<f64>, local: &Local, psi: &DVector<f64>) -> DMatrix<f64> {
        let size = self.size();
        let second = self.second.get_or_init(|| self.second());
        let mut arguments = self.arguments(y);
        arguments.extend(psi.component_mul(&local.rows).iter());
        let mut matrix = DMatrix::zeros(size, size);
        let values = second.tape.values(&arguments);
        for (&(i, j), v) in second.pattern.iter().zip(&values) {
            let v = v * local.columns[i] * local.columns[j];
            matrix[(i, j)] = v;
            matrix[(j, i)] = v;
        }
        matrix
    }

    fn second(&self) -> Second {
        let pool = &self.pool;
        // names that no file can use
        let psi: Vec<Expr> = (0..self.equations.len())
            .map(|i| pool.symbol(&format!("psi#{i}"), SymbolKind::Other(usize::MAX / 4 - i)))
            .collect();
        let pairs = psi.iter().zip(&self.equations);
        let whole = pool.sum(pairs.map(|(u, e)| pool.mul(*u, *e)));
        let unknowns = self.unknowns.iter().enumerate();
        let rows: Vec<Vec<Expr>> = unknowns
            .flat_map(|(i, u)| pool.jacobian(&[pool.derivative(whole, *u)], &self.unknowns[..=i]))
            .collect();
        let (pattern, list) = pool.nonzero(&rows);
        let inputs: Vec<Expr> = self.inputs.iter().chain(&psi).copied().collect();
        Second {
            tape: Tape::new(pool, &inputs, &list),
            pattern,
        }
    }

    /// Newton's method from a guess, in the plane through it that `border` (in parts of the units) stands on.
    pub(super) fn correct(&self, guess: &DVector<f64>, border: &DVector<f64>) -> Option<Corrected> {
        let size = self.size();
        let mut y = guess.clone();
        let mut local = self.at(&y)?;
        let (mut moved, mut last) = (0.0, f64::INFINITY);
        for _ in 0..STEPS {
            let mut right = DVector::zeros(size);
            right.rows_mut(0, size - 1).copy_from(&local.values);
            let off = (&y - guess).component_div(&local.columns);
            right[size - 1] = border.dot(&off);
            let step = bordered(&local.slopes, border).lu().solve(&right)?;
            let length = self.length(&step);
            if !length.is_finite() || length > 1.0 {
                return None;
            }
            y -= step.component_mul(&local.columns);
            local = self.at(&y)?;
            moved += length;
            if length <= LAST || length >= 0.5 * last && last < FOUND {
                return Some(Corrected { y, local, moved });
            }
            last = length;
        }
        (last < FOUND).then_some(Corrected { y, local, moved })
    }

    /// The length of a way in parts of the units.
    pub(super) fn length(&self, way: &DVector<f64>) -> f64 {
        (way.rows(0, self.n).norm_squared() + way[self.size() - 1].powi(2)).sqrt()
    }

    /// A way without its multipliers: what planes stand on.
    pub(super) fn border(&self, way: &DVector<f64>) -> DVector<f64> {
        let mut border = way.clone();
        border.rows_mut(self.n, self.m).fill(0.0);
        border
    }

    /// The tangent on the side of `border`, of length 1, and the sign of det [dG/dy; border].
    pub(super) fn tangent(
        &self,
        local: &Local,
        border: &DVector<f64>,
    ) -> Option<(DVector<f64>, f64)> {
        let size = self.size();
        let mut right = DVector::zeros(size);
        right[size - 1] = 1.0;
        let lu = bordered(&local.slopes, border).lu();
        let mut way = lu.solve(&right)?;
        let length = self.length(&way);
        if !(length.is_finite() && length > 0.0) {
            return None;
        }
        way /= length;
        let signs: f64 = lu.u().diagonal().iter().map(|v| v.signum()).product();
        Some((way, signs * lu.p().determinant::<f64>()))
    }

    /// The direction of the parameter, or of a coordinate.
    pub(super) fn axis(&self, k: usize) -> DVector<f64> {
        let mut axis = DVector::zeros(self.size());
        axis[k] = 1.0;
        axis
    }

    /// What must not be negative, in parts of the units: multipliers of one-sided constraints, and f - c of those that are let
    /// go.
    pub(super) fn loads(&self, y: &DVector<f64>, local: &Local) -> Vec<f64> {
        let pushes = self.pushing.iter().map(|k| y[*k] / local.columns[*k]);
        let gaps = self.gaps.values(&self.arguments(y));
        let gaps = gaps.chunks(self.n + 2).map(|gap| {
            let along = gap[1..].iter().zip(&self.width);
            let size = along.map(|(v, w)| (v * w).abs()).fold(0.0, f64::max);
            gap[0] / if size > 0.0 { size } else { 1.0 }
        });
        pushes.chain(gaps).collect()
    }

    /// The same, where what may be rounding is 0.
    pub(super) fn contacts(&self, y: &DVector<f64>, local: &Local) -> Vec<f64> {
        let nothing = |v: f64| if v.abs() <= CARRIES { 0.0 } else { v };
        self.loads(y, local).into_iter().map(nothing).collect()
    }

    /// A constraint that those of the equations do not imply at a point.
    pub(super) fn parted(&self, y: &DVector<f64>) -> Option<usize> {
        let redundant = self.redundant.as_ref()?;
        redundant.parted(&self.arguments(y), &self.width)
    }

    /// Other constraints whose equations to take at a point, as their gradients are far from dependent there.
    pub(super) fn others(&self, y: &DVector<f64>) -> Option<Vec<usize>> {
        let redundant = self.redundant.as_ref()?;
        let arguments = |x: &[f64]| {
            let mut y = y.clone();
            y.rows_mut(0, self.n).copy_from_slice(x);
            self.arguments(&y)
        };
        let x = &y.as_slice()[..self.n];
        let found = redundant.others(&arguments, (x, &self.width))?;
        (found != self.rows).then_some(found)
    }

    /// The multipliers at a point by their constraints: of least norm where they are not unique.
    pub(super) fn multipliers(&self, y: &DVector<f64>) -> Vec<(usize, f64)> {
        if let Some(redundant) = &self.redundant {
            return redundant.multipliers(&self.arguments(y), &self.width);
        }
        let own = y.rows(self.n, self.m);
        self.rows.iter().copied().zip(own.iter().copied()).collect()
    }

    /// The constraints that these are of.
    pub(super) fn sided(&self) -> &[usize] {
        &self.sided
    }

    /// The displacements that the constraints allow, a column each, in units.
    fn displacements(&self, local: &Local) -> Option<DMatrix<f64>> {
        let levels = local.slopes.view((self.n, 0), (self.m, self.n));
        null_vectors(&levels.into_owned(), RANK)
    }

    /// What the constraints' gradients span at two points has this in common: the product of the cosines between, and its sign
    /// another where they came to be dependent an odd number of times on the way. `None` where they are so nearly dependent that
    /// this is rounding.
    pub(super) fn alike(&self, one: &Local, other: &Local) -> Option<f64> {
        let levels = |local: &Local| {
            let all = local.slopes.view((self.n, 0), (self.m, self.n));
            let mut all = all.into_owned();
            all.row_iter_mut().for_each(|mut row| {
                row.normalize_mut();
            });
            all
        };
        let (one, other) = (levels(one), levels(other));
        let shared = |a: &DMatrix<f64>, b: &DMatrix<f64>| (a * b.transpose()).determinant();
        let own = [shared(&one, &one), shared(&other, &other)];
        let is_clear = own.iter().all(|size| *size > SPANNED);
        is_clear.then(|| shared(&one, &other) / (own[0] * own[1]).sqrt())
    }

    /// How independent the constraints' gradients are at a point: their least singular value, in parts of that at another.
    pub(super) fn independence(&self, there: &Local, from: &Local) -> f64 {
        let least = |local: &Local| {
            let levels = DMatrix::from_fn(self.n, self.m, |k, b| {
                let row = self.n + b;
                local.slopes[(row, k)] * from.rows[row] / local.rows[row]
            });
            let sizes = LeastNorm::new(&levels)?.sizes();
            sizes.into_iter().reduce(f64::min)
        };
        let both = least(there).zip(least(from)).filter(|_| self.m > 0);
        both.map_or(1.0, |(there, from)| there / from)
    }

    /// Are the constraints' gradients independent at a point?
    pub(super) fn is_regular(&self, local: &Local) -> bool {
        // a level that moves with the parameter, but with no coordinate, holds nothing
        let moved = local.slopes.column(self.size() - 1);
        let holds = moved.rows(self.n, self.m).amax() < RANK.recip();
        let displacements = self.displacements(local).filter(|_| holds);
        displacements.is_some_and(|null| null.ncols() + self.m == self.n)
    }

    /// The eigenvalues of the stiffness along them, ascending, in one unit of work for all of the curve; where it is not
    /// symmetric its singular values. None of it where it could not be computed.
    pub(super) fn stiffness(&self, local: &Local) -> Vec<f64> {
        let null = self.displacements(local);
        let Some(null) = null.filter(|null| null.ncols() > 0) else {
            return Vec::new();
        };
        let all = local.slopes.view((0, 0), (self.n, self.n));
        let stiffness = null.transpose() * all * &null * local.energy;
        let mut list = if self.circulatory {
            LeastNorm::new(&stiffness).map_or_else(Vec::new, |factors| factors.sizes())
        } else {
            let symmetric = (&stiffness + stiffness.transpose()) * 0.5;
            let form = diagonal_form(&symmetric);
            form.map_or_else(Vec::new, |form| form.eigenvalues.iter().copied().collect())
        };
        list.sort_by(f64::total_cmp);
        list
    }

    /// The largest work at the points of the branch that is followed, but next to where the gradients become dependent.
    pub(super) fn largest(&self) -> f64 {
        self.largest.get()
    }

    /// Takes up a branch of which this is known: what others have is nothing to it.
    pub(super) fn take_up(&self, largest: f64) {
        self.largest.set(largest);
    }

    /// Takes a point of a branch for one.
    pub(super) fn note(&self, local: &Local) {
        self.largest.set(self.largest().max(local.work));
    }

    /// Takes a point of a branch for one where the gradients are about as independent as at another.
    pub(super) fn note_beside(&self, local: &Local, begun: &Local) {
        if self.independence(local, begun) > MEASURED {
            self.note(local);
        }
    }

    /// The exponents of the linearised motion where it has a C or forces without potential; else the stiffness tells all, and none
    /// is given. What has a positive real part grows. `None` where they could not be computed.
    pub(super) fn exponents(&self, y: &DVector<f64>, local: &Local) -> Option<Vec<Complex<f64>>> {
        if !self.acts {
            return None;
        }
        let (n, null) = (self.n, self.displacements(local)?);
        if null.ncols() == 0 {
            return Some(Vec::new());
        }
        let [mass, damping] = squares(&self.motion.values(&self.arguments(y)), n);
        let raw = |i: usize, j: usize| local.slopes[(i, j)] / (local.rows[i] * local.columns[j]);
        let basis = DMatrix::from_fn(n, null.ncols(), |i, j| null[(i, j)] * local.columns[i]);
        let stiffness = DMatrix::from_fn(n, n, raw);
        Motion::new([&mass, &damping, &stiffness], &basis).exponents()
    }
}

fn bordered(slopes: &DMatrix<f64>, border: &DVector<f64>) -> DMatrix<f64> {
    let size = border.len();
    let mut matrix = DMatrix::zeros(size, size);
    matrix.rows_mut(0, size - 1).copy_from(slopes);
    matrix.row_mut(size - 1).copy_from(&border.transpose());
    matrix
}
