//! The right-hand side of a large system whose matrices are mostly zeros: its cost follows the entries
//! that M and J have, and grows linearly with a chain of links.
//!
//! In place of matrices that are dense even where M and J are not (B^T M B, an orthonormal basis
//! of ker J), all three methods find the part of the acceleration along ker J from one sparse system,
//!
//! ```text
//! a = a_0 + z,    [ M  J^T ] [ z  ]   [ -(M a_0 + h)  ]
//!                 [ J   0  ] [ mu ] = [ gamma - J a_0 ]
//! ```
//!
//! whose first rows say that no virtual displacement does work and whose last that z is one, and differ
//! in the rest:
//!
//! | method | a_0 | multipliers | back onto the constraints |
//! |---|---|---|---|
//! | `inverse` | [`J_D`^-1 gamma; 0] | lambda = `J_D`^-T `E_D` | only x_D moves |
//! | `multipliers` | 0 | lambda = -mu | dx = J^T (J J^T)^-1 r |
//! | `tangents` | J^T (J J^T)^-1 gamma | lambda = (J J^T)^-1 J E | the same |
//!
//! lambda of `tangents` is corrected once, (J J^T)^-1 J (E - J^T lambda), for what the square of
//! the condition number spoils; positions and velocities are by their iteration.

use super::dynamics::{ConstraintValue, Instant, Pattern};
use super::inverse::same_side;
use super::linearised::Stop;
use super::saddle::scales;
use crate::geometry::PIVOT_LOST;
use crate::sparse::{Fixed, TOGETHER};
use crate::system::Method;

/// Systems with at least so many coordinates and constraints together are worth it, by measurement.
const LARGE: usize = 16;
/// At most this part of the entries of the augmented matrix may be other than zero.
const DENSITY: f64 = 0.25;
/// Solutions in search of the largest entry of `J_D`^-1 `J_I`.
const SEARCH: usize = 3;
/// All entries, where they are more than so many, are looked at after so many steps: a search sees no block but its own.
const MANY: usize = 10_000;
const ALL_AFTER: u32 = 8;

/// An entry of J: its row and column.
type Entry = (usize, usize);

/// Workspace of a method for a large system.
#[derive(Debug, Clone)]
pub(super) struct Structured {
    n: usize,
    r: usize,
    /// M on and below the diagonal: places, where they stand in the dense matrix, values.
    mass: Vec<Entry>,
    mass_at: Vec<usize>,
    m: Vec<f64>,
    /// J, constraints in use only and by rows: the same.
    jacobian: Vec<Entry>,
    jacobian_at: Vec<usize>,
    j: Vec<f64>,
    saddle: Fixed,
    scale: Vec<f64>,
    unknowns: Vec<f64>,
    force: Vec<f64>,
    small: Vec<f64>,
    rest: Vec<f64>,
    projection: Projection,
}

/// How positions are brought onto the constraints.
#[derive(Debug, Clone)]
enum Projection {
    /// In a chart.
    Chart(Chart),
    /// By the shortest way; whether the method is `tangents`.
    Shortest(Gram, bool),
}

/// J J^T.
#[derive(Debug, Clone)]
struct Gram {
    factors: Fixed,
    /// Entry i is the sum of the products of these pairs of entries of J, from `starts[i]` on.
    starts: Vec<usize>,
    pairs: Vec<Entry>,
}

/// A choice of dependent coordinates.
#[derive(Debug, Clone)]
struct Chart {
    dependent: Vec<usize>,
    independent: Vec<usize>,
    /// The sign of det `J_D` on the branch in use; 0 before it is known.
    sign: f64,
    block: Fixed,
    /// The entries of J in the block.
    inside: Vec<usize>,
    /// The entries of `J_I`, an independent coordinate after the other: from `starts[i]` on.
    starts: Vec<usize>,
    outside: Vec<usize>,
    /// Some columns of `J_D`^-1 `J_I`, row by row.
    slopes: Vec<[f64; TOGETHER]>,
    /// The column where the last search for the largest entry ended.
    steepest: usize,
    /// Steps since all of them were looked at.
    searched: u32,
}

impl Gram {
    fn new(r: usize, n: usize, jacobian: &[Entry]) -> Self {
        let mut columns: Vec<Vec<usize>> = vec![Vec::new(); n];
        for (entry, &(_, k)) in jacobian.iter().enumerate() {
            columns[k].push(entry);
        }
        // entries of J that share a column
        let mut products: Vec<(Entry, Entry)> = Vec::new();
        for column in &columns {
            for &p in column {
                for &q in column {
                    products.push(((jacobian[p].0, jacobian[q].0), (p, q)));
                }
            }
        }
        products.sort_unstable();
        let mut places: Vec<Entry> = Vec::new();
        let (mut starts, mut pairs) = (Vec::new(), Vec::new());
        for (place, pair) in products {
            if places.last() != Some(&place) {
                places.push(place);
                starts.push(pairs.len());
            }
            pairs.push(pair);
        }
        starts.push(pairs.len());
        Self {
            factors: Fixed::new(r, &places),
            starts,
            pairs,
        }
    }

    fn factor(&mut self, j: &[f64]) -> Result<(), Stop> {
        let spans = self.starts.windows(2);
        for (value, span) in self.factors.values().iter_mut().zip(spans) {
            let pairs = self.pairs[span[0]..span[1]].iter();
            *value = pairs.map(|&(p, q)| j[p] * j[q]).sum();
        }
        regular(&mut self.factors)
    }
}

impl Chart {
    fn new(n: usize, dependent: &[usize], jacobian: &[Entry]) -> Self {
        let mut slot = vec![usize::MAX; n];
        for (i, &d) in dependent.iter().enumerate() {
            slot[d] = i;
        }
        let (mut inside, mut places) = (Vec::new(), Vec::new());
        let mut columns: Vec<Vec<usize>> = vec![Vec::new(); n];
        for (entry, &(b, k)) in jacobian.iter().enumerate() {
            if slot[k] == usize::MAX {
                columns[k].push(entry);
            } else {
                inside.push(entry);
                places.push((b, slot[k]));
            }
        }
        let independent: Vec<usize> = (0..n).filter(|&k| slot[k] == usize::MAX).collect();
        let (mut starts, mut outside) = (vec![0], Vec::new());
        for &k in &independent {
            outside.append(&mut columns[k]);
            starts.push(outside.len());
        }
        Self {
            dependent: dependent.to_vec(),
            independent,
            sign: 0.0,
            block: Fixed::new(dependent.len(), &places),
            inside,
            starts,
            outside,
            slopes: vec![[0.0; TOGETHER]; dependent.len()],
            steepest: 0,
            searched: ALL_AFTER,
        }
    }

    fn factor(&mut self, j: &[f64]) -> Result<(), Stop> {
        for (value, &entry) in self.block.values().iter_mut().zip(&self.inside) {
            *value = j[entry];
        }
        regular(&mut self.block)?;
        same_side(&mut self.sign, self.block.sign())
    }

    /// Column i of `J_D`^-1 `J_I`.
    fn slope(&mut self, i: usize, jacobian: &[Entry], j: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for &entry in &self.outside[self.starts[i]..self.starts[i + 1]] {
            out[jacobian[entry].0] = j[entry];
        }
        self.block.solve(out);
    }

    /// The largest entry of `J_D`^-1 `J_I`.
    fn stretch(&mut self, jacobian: &[Entry], j: &[f64]) -> f64 {
        let mut most = 0.0_f64;
        let mut first = 0;
        while first < self.independent.len() {
            let last = (first + TOGETHER).min(self.independent.len());
            self.slopes.fill([0.0; TOGETHER]);
            for i in first..last {
                for &entry in &self.outside[self.starts[i]..self.starts[i + 1]] {
                    self.slopes[jacobian[entry].0][i - first] = j[entry];
                }
            }
            self.block.solve_together(&mut self.slopes);
            for e in self.slopes.iter().flatten() {
                most = most.max(e.abs());
            }
            first = last;
        }
        most
    }

    /// An entry of `J_D`^-1 `J_I` that is the largest of its row and column, from where the last search
    /// ended: at most the largest of all, and mostly that.
    fn rough_stretch(&mut self, jacobian: &[Entry], j: &[f64], vector: &mut [f64]) -> f64 {
        if self.independent.is_empty() || self.dependent.is_empty() {
            return 0.0;
        }
        let mut most = 0.0_f64;
        for _ in 0..SEARCH {
            self.slope(self.steepest, jacobian, j, vector);
            let (row, size) = largest(vector);
            if size <= most {
                break;
            }
            most = size;
            vector.fill(0.0);
            vector[row] = 1.0;
            self.block.solve_transposed(vector);
            let mut best = (self.steepest, most);
            for (i, span) in self.starts.windows(2).enumerate() {
                let entries = self.outside[span[0]..span[1]].iter();
                let value: f64 = entries.map(|&e| j[e] * vector[jacobian[e].0]).sum();
                if value.abs() > best.1 {
                    best = (i, value.abs());
                }
            }
            if best.0 == self.steepest {
                break;
            }
            (self.steepest, most) = best;
        }
        most
    }
}

impl Structured {
    /// The workspace of a method for a system with this pattern, the constraints `rows` in use and
    /// `dependent` (as many) the first chart; none where dense matrices are quicker.
    pub(super) fn new(
        method: Method,
        (n, m): (usize, usize),
        pattern: &Pattern,
        rows: &[usize],
        dependent: &[usize],
    ) -> Option<Self> {
        let r = rows.len();
        let mut slot = vec![usize::MAX; m];
        for (i, &b) in rows.iter().enumerate() {
            slot[b] = i;
        }
        let used = pattern.jacobian.iter();
        let mut used: Vec<(Entry, usize)> = used
            .filter(|(b, _)| slot[*b] != usize::MAX)
            .map(|&(b, k)| ((slot[b], k), k * m + b))
            .collect();
        used.sort_unstable();
        let entries = 2 * (pattern.mass.len() + used.len());
        let size = n + r;
        if size < LARGE || entries as f64 > DENSITY * (size * size) as f64 {
            return None;
        }
        let (jacobian, jacobian_at): (Vec<Entry>, Vec<usize>) = used.into_iter().unzip();
        let mut saddle: Vec<Entry> = Vec::with_capacity(entries);
        for &(i, k) in &pattern.mass {
            saddle.push((i, k));
            if i != k {
                saddle.push((k, i));
            }
        }
        for &(b, k) in &jacobian {
            saddle.extend([(n + b, k), (k, n + b)]);
        }
        let projection = match method {
            Method::Inverse => Projection::Chart(Chart::new(n, dependent, &jacobian)),
            Method::Multipliers => Projection::Shortest(Gram::new(r, n, &jacobian), false),
            Method::Tangents => Projection::Shortest(Gram::new(r, n, &jacobian), true),
        };
        Some(Self {
            n,
            r,
            mass: pattern.mass.clone(),
            mass_at: pattern.mass.iter().map(|&(i, k)| k * n + i).collect(),
            m: vec![0.0; pattern.mass.len()],
            j: vec![0.0; jacobian.len()],
            jacobian,
            jacobian_at,
            saddle: Fixed::new(size, &saddle),
            scale: vec![1.0; size],
            unknowns: vec![0.0; size],
            force: vec![0.0; n],
            small: vec![0.0; r],
            rest: vec![0.0; r],
            projection,
        })
    }

    /// Goes over to another chart.
    pub(super) fn change_chart(&mut self, dependent: &[usize]) {
        self.projection = Projection::Chart(Chart::new(self.n, dependent, &self.jacobian));
    }

    /// The dependent and the independent coordinates, where there is a chart.
    pub(super) fn chart(&self) -> Option<(&[usize], &[usize])> {
        match &self.projection {
            Projection::Chart(chart) => Some((&chart.dependent, &chart.independent)),
            Projection::Shortest(..) => None,
        }
    }

    /// Whether accelerations and multipliers are solved for together.
    pub(super) fn is_whole(&self) -> bool {
        matches!(self.projection, Projection::Shortest(_, false))
    }

    /// Takes the Jacobian at a position; whether its entries are finite.
    pub(super) fn gather(&mut self, from: &ConstraintValue) -> bool {
        let dense = from.jacobian.as_slice();
        let mut finite = true;
        for (value, &at) in self.j.iter_mut().zip(&self.jacobian_at) {
            *value = dense[at];
            finite &= value.is_finite();
        }
        finite
    }

    /// Factors what brings positions onto the constraints.
    pub(super) fn factor(&mut self) -> Result<(), Stop> {
        match &mut self.projection {
            Projection::Chart(chart) => chart.factor(&self.j),
            Projection::Shortest(gram, _) => gram.factor(&self.j),
        }
    }

    /// A dx with J dx = r: r in the first entries of `dx`.
    pub(super) fn correction(&mut self, dx: &mut [f64]) {
        self.small.copy_from_slice(&dx[..self.r]);
        let Self {
            projection,
            small,
            jacobian,
            j,
            ..
        } = self;
        dx.fill(0.0);
        match projection {
            Projection::Chart(chart) => {
                chart.block.solve(small);
                for (&d, s) in chart.dependent.iter().zip(small.iter()) {
                    dx[d] = *s;
                }
            }
            Projection::Shortest(gram, _) => {
                gram.factors.solve(small);
                add_transposed((jacobian, j), small, 1.0, dx);
            }
        }
    }

    /// out = J v, row by row.
    pub(super) fn times_jacobian(&self, v: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for (&(b, k), j) in self.jacobian.iter().zip(&self.j) {
            out[b] += j * v[k];
        }
    }

    /// How much larger the determinant of another chart, one exchange away, is where the block was
    /// factored last; 1 without charts.
    pub(super) fn stretch(&mut self) -> f64 {
        match &mut self.projection {
            Projection::Chart(chart) => chart.stretch(&self.jacobian, &self.j),
            Projection::Shortest(..) => 1.0,
        }
    }

    /// The same after a step, now and then; else by a search.
    pub(super) fn stretch_in_turn(&mut self) -> f64 {
        let Projection::Chart(chart) = &mut self.projection else {
            return 1.0;
        };
        chart.searched = chart.searched % ALL_AFTER + 1;
        let entries = chart.dependent.len() * chart.independent.len();
        if chart.searched == 1 || entries <= MANY {
            self.stretch()
        } else {
            self.rough_stretch()
        }
    }

    /// The same by a search that need not find the largest, and costs no more than a few solutions.
    pub(super) fn rough_stretch(&mut self) -> f64 {
        match &mut self.projection {
            Projection::Chart(chart) => {
                chart.rough_stretch(&self.jacobian, &self.j, &mut self.rest)
            }
            Projection::Shortest(..) => 1.0,
        }
    }

    /// Accelerations, and multipliers, at the instant whose Jacobian was taken last (and, in a chart,
    /// whose `J_D` was factored).
    pub(super) fn solve(
        &mut self,
        (at, rows): (&Instant, &[usize]),
        a: &mut [f64],
        lambda: &mut [f64],
    ) -> Result<(), Stop> {
        let (n, r) = (self.n, self.r);
        let dense = at.mass.as_slice();
        for (value, &place) in self.m.iter_mut().zip(&self.mass_at) {
            *value = dense[place];
        }
        self.factor_saddle()?;
        for (s, &b) in self.small.iter_mut().zip(rows) {
            *s = at.gamma[b];
        }
        // a_0, and what of gamma it leaves
        a.fill(0.0);
        self.rest.copy_from_slice(&self.small);
        match &mut self.projection {
            Projection::Chart(chart) => {
                chart.block.solve(&mut self.small);
                for (&d, s) in chart.dependent.iter().zip(&self.small) {
                    a[d] = *s;
                }
            }
            Projection::Shortest(gram, true) => {
                gram.factor(&self.j)?;
                gram.factors.solve(&mut self.small);
                add_transposed((&self.jacobian, &self.j), &self.small, 1.0, a);
            }
            Projection::Shortest(_, false) => {}
        }
        for (&(b, k), j) in self.jacobian.iter().zip(&self.j) {
            self.rest[b] -= j * a[k];
        }
        self.forces(at, a);
        let (coordinate, row) = self.scale.split_at(n);
        let (z, mu) = self.unknowns.split_at_mut(n);
        for ((u, f), s) in z.iter_mut().zip(&self.force).zip(coordinate) {
            *u = -f * s;
        }
        for ((u, g), s) in mu.iter_mut().zip(&self.rest).zip(row) {
            *u = g * s;
        }
        self.saddle.solve(&mut self.unknowns);
        for ((e, u), s) in a.iter_mut().zip(&self.unknowns).zip(&self.scale) {
            *e += u * s;
        }
        if matches!(self.projection, Projection::Shortest(_, false)) {
            let mu = self.unknowns[n..].iter().zip(&self.scale[n..]);
            for (l, (u, s)) in lambda.iter_mut().zip(mu) {
                *l = -u * s;
            }
            return Ok(());
        }
        self.forces(at, a);
        match &mut self.projection {
            Projection::Chart(chart) => {
                for (l, &d) in lambda.iter_mut().zip(&chart.dependent) {
                    *l = self.force[d];
                }
                chart.block.solve_transposed(lambda);
            }
            Projection::Shortest(gram, _) => {
                lambda.fill(0.0);
                for _ in 0..2 {
                    self.small.fill(0.0);
                    for (&(b, k), j) in self.jacobian.iter().zip(&self.j) {
                        self.small[b] += j * self.force[k];
                    }
                    gram.factors.solve(&mut self.small);
                    let entries = (self.jacobian.as_slice(), self.j.as_slice());
                    add_transposed(entries, &self.small, -1.0, &mut self.force);
                    for (l, s) in lambda.iter_mut().zip(&self.small).take(r) {
                        *l += s;
                    }
                }
            }
        }
        Ok(())
    }

    /// self.force = M a + h.
    fn forces(&mut self, at: &Instant, a: &[f64]) {
        self.force.copy_from_slice(at.bias.as_slice());
        for (&(i, k), m) in self.mass.iter().zip(&self.m) {
            self.force[i] += m * a[k];
            if i != k {
                self.force[k] += m * a[i];
            }
        }
    }

    /// Factors the augmented matrix, scaled.
    fn factor_saddle(&mut self) -> Result<(), Stop> {
        let n = self.n;
        let mass = self.mass.iter().zip(&self.m);
        let diagonal = mass.filter(|((i, k), _)| i == k).map(|(at, m)| (at.0, *m));
        let entries = self.jacobian.iter().copied().zip(self.j.iter().copied());
        scales(n, diagonal, entries, &mut self.scale);
        let (coordinate, row) = self.scale.split_at(n);
        let mut slots = self.saddle.values().iter_mut();
        let mut put = |value: f64| {
            if let Some(slot) = slots.next() {
                *slot = value;
            }
        };
        for (&(i, k), m) in self.mass.iter().zip(&self.m) {
            let value = m * coordinate[i] * coordinate[k];
            put(value);
            if i != k {
                put(value);
            }
        }
        for (&(b, k), j) in self.jacobian.iter().zip(&self.j) {
            let value = j * row[b] * coordinate[k];
            put(value);
            put(value);
        }
        regular(&mut self.saddle)
    }
}

/// y += factor J^T lambda.
fn add_transposed((jacobian, j): (&[Entry], &[f64]), lambda: &[f64], factor: f64, y: &mut [f64]) {
    for (&(b, k), j) in jacobian.iter().zip(j) {
        y[k] += factor * j * lambda[b];
    }
}

fn regular(matrix: &mut Fixed) -> Result<(), Stop> {
    if matrix.factor() > PIVOT_LOST {
        Ok(())
    } else {
        Err(Stop::Singular)
    }
}

/// The place and the size of the largest entry.
fn largest(vector: &[f64]) -> (usize, f64) {
    let sizes = vector.iter().map(|e| e.abs()).enumerate();
    sizes.fold(
        (0, 0.0),
        |best, (i, size)| if size > best.1 { (i, size) } else { best },
    )
}
