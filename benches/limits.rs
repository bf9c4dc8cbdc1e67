//! How far the solver is from code written by hand: for each system the cheapest run whose error at the end is below a
//! bound, of the best of our methods and of a right-hand side written by hand on a library's DOP853, in one run.
//!
//! By hand: the system's own coordinates with multipliers in closed form, and beside it an independent coordinate where there
//! is one degree of freedom (another problem, of half the size); a tridiagonal system of multipliers for the chain, a dense
//! augmented matrix for Andrews' mechanism. Nothing by hand looks at the constraints or for failures; ours tells when they are,
//! as in a sweep, and not what the state is there. The reference states are good to 18 digits (a quadruple-precision
//! extrapolation).

#![allow(clippy::needless_range_loop)] // formulas by their indices, as one writes them by hand

#[allow(dead_code)] // what is measured in other benches
mod by_hand;

use by_hand::{Andrews, chain_file};
use holonom::analysis::{Model, Overrides};
use holonom::solver::{
    Beginning, ConstraintValue, Corrected, Dynamics, Evaluations, Instant, Landed, Method, Motion,
    Options, Pattern, Pivots, Problem, ProjectionStep, Quick, Start, Stiff, Tableau, VelocityValue,
    simulate,
};
use holonom::system::{System, builtin};
use ode_solvers::{Dop853, OutputType, SVector};
use std::hint::black_box;
use std::sync::atomic::AtomicBool;

const G: f64 = 9.81;
/// The error at the end that is asked for.
const ERROR: f64 = 2e-7;
/// Runs of which the least time counts.
const RUNS: usize = 25;

/// The least time of some runs, in seconds.
fn least(mut run: impl FnMut()) -> f64 {
    let one = || {
        let begin = std::time::Instant::now();
        run();
        begin.elapsed().as_secs_f64()
    };
    std::iter::repeat_with(one)
        .take(RUNS)
        .fold(f64::INFINITY, f64::min)
}

/// Tolerances that are tried.
fn tolerances() -> impl Iterator<Item = f64> {
    (8..=26).map(|half| 10_f64.powf(-0.5 * f64::from(half)))
}

/// The largest difference of positions.
fn apart(x: &[f64], reference: &[f64]) -> f64 {
    x.iter()
        .zip(reference)
        .fold(0.0, |most, (a, b)| f64::max(most, (a - b).abs()))
}

/// The cheapest run that is good enough: seconds, and what was run.
#[derive(Default)]
struct Best(Option<(f64, String)>);

impl Best {
    /// Tries a run: what it is called, its error, and what it costs.
    fn offer(&mut self, name: String, error: f64, seconds: impl FnOnce() -> f64) {
        if error < ERROR {
            let seconds = seconds();
            if self.0.as_ref().is_none_or(|(best, _)| seconds < *best) {
                self.0 = Some((seconds, name));
            }
        }
    }
}

/// A right-hand side by hand.
struct ByHand<const N: usize>(fn(&SVector<f64, N>) -> SVector<f64, N>);

impl<const N: usize> ode_solvers::System<f64, SVector<f64, N>> for &ByHand<N> {
    fn system(&self, _t: f64, y: &SVector<f64, N>, dy: &mut SVector<f64, N>) {
        *dy = (self.0)(y);
    }
}

/// The end of a run by hand.
fn end<const N: usize>(
    f: &ByHand<N>,
    (start, until): (SVector<f64, N>, f64),
    rtol: f64,
) -> Option<SVector<f64, N>> {
    let mut stepper = Dop853::new(f, 0.0, until, until, start, rtol, rtol);
    stepper.set_output(OutputType::Sparse);
    stepper.integrate().ok()?;
    stepper.y_out().last().copied()
}

/// A system of the table.
struct Case<'a> {
    name: &'a str,
    text: String,
    until: f64,
    by_hand: Vec<Hand<'a>>,
    reference: &'a [f64],
}

/// Positions read off a state.
type Positions<const N: usize> = fn(&SVector<f64, N>) -> Vec<f64>;

/// What is written by hand, in these coordinates.
struct Hand<'a> {
    coordinates: &'a str,
    /// The cheapest run that is good enough: seconds, and its tolerance.
    best: Best,
    /// Seconds of an evaluation.
    each: f64,
}

impl<'a> Hand<'a> {
    /// Runs from a state to a time; `positions` are read off a state.
    fn new<const N: usize>(
        coordinates: &'a str,
        f: fn(&SVector<f64, N>) -> SVector<f64, N>,
        (start, until): (SVector<f64, N>, f64),
        (positions, reference): (Positions<N>, &[f64]),
    ) -> Self {
        let (by_hand, mut best) = (ByHand(f), Best::default());
        for rtol in tolerances() {
            let run = || end(&by_hand, (start, until), rtol);
            if let Some(y) = run() {
                let error = apart(&positions(&y), reference);
                best.offer(format!("{rtol:.0e}"), error, || {
                    least(|| {
                        black_box(run());
                    })
                });
            }
        }
        let many = least(|| {
            for _ in 0..1000 {
                black_box(f(black_box(&start)));
            }
        });
        Self {
            coordinates,
            best,
            each: 1e-3 * many,
        }
    }
}

fn compare(case: &Case<'_>) {
    let Ok(system) = System::parse(&case.text, "bench", &[]) else {
        println!("{}: cannot be read", case.name);
        return;
    };
    let model = Model::new(system);
    let Ok(start) = model.start(&Overrides::default()) else {
        println!("{}: no start", case.name);
        return;
    };
    let dependent = model.choice(None, (start.t, &start.x), &start.correction);
    let compiled = model.compiled(&dependent);
    let problem = model.problem(&compiled, &dependent);
    let go_on = AtomicBool::new(false);
    let mut ours: Option<Run> = None;
    let wanted = std::env::args().nth(2).filter(|w| !w.starts_with('-'));
    let wanted = |method: &Method| wanted.as_ref().is_none_or(|w| *w == method.to_string());
    for method in Method::ALL.into_iter().filter(wanted) {
        let mut own: Option<Run> = None;
        for rtol in tolerances() {
            let options = Options {
                until: case.until,
                method,
                samples: 1,
                stiff: Stiff::Never,
                rtol,
                atol: rtol,
                brief: true,
                ..Options::default()
            };
            let run = || simulate(&problem, &start, &options, &go_on);
            let motion = run();
            let last = motion.samples.last();
            if last.is_none_or(|last| apart(&last.x, case.reference) >= ERROR) {
                continue;
            }
            let seconds = least(|| drop(black_box(run())));
            if own.as_ref().is_none_or(|best| seconds < best.seconds) {
                own = Some(Run {
                    seconds,
                    options,
                    evaluations: motion.evaluations,
                    steps: motion.steps,
                });
            }
        }
        let Some(own) = own else { continue };
        println!(
            "    {:<20} {:>8.1} us, {:>6.0} ns an evaluation ({} of them, {} steps)",
            own.name(),
            1e6 * own.seconds,
            1e9 * own.seconds / own.evaluations as f64,
            own.evaluations,
            own.steps
        );
        if ours.as_ref().is_none_or(|best| own.seconds < best.seconds) {
            ours = Some(own);
        }
    }
    let Some(ours) = ours else { return };
    parts(&problem, &start, &ours);
    for hand in &case.by_hand {
        let Some((seconds, rtol)) = &hand.best.0 else {
            continue;
        };
        println!(
            "{:<16} best {:>7.1} us ({})   by hand in {} {:>6.1} us (rtol {rtol}, f {:.0} ns)   ratio {:.2}",
            case.name,
            1e6 * ours.seconds,
            ours.name(),
            hand.coordinates,
            1e6 * seconds,
            1e9 * hand.each,
            ours.seconds / seconds
        );
    }
}

/// A run of ours.
struct Run {
    seconds: f64,
    options: Options,
    evaluations: usize,
    steps: usize,
}

impl Run {
    fn name(&self) -> String {
        format!("{} {:.0e}", self.options.method, self.options.rtol)
    }
}

/// Prints what the time of a run is spent on.
fn parts(problem: &Problem<'_>, start: &Start, run: &Run) {
    let go_on = AtomicBool::new(false);
    let time = |problem: &Problem<'_>, options: &Options| {
        least(|| drop(black_box(simulate(problem, start, options, &go_on))))
    };
    let blind = Unwatched(problem.dynamics);
    let unwatched = Problem {
        dynamics: &blind,
        ..problem.clone()
    };
    let at_once = Options {
        until: 1e-9 * run.options.until,
        ..run.options.clone()
    };
    let begin = time(problem, &at_once);
    let watching = run.seconds - time(&unwatched, &run.options);
    let (solve, back) = evaluations(problem, run.options.method, start);
    let rest = run.seconds - begin - watching - run.evaluations as f64 * solve;
    let steps = run.steps as f64;
    let part = |seconds: f64| 100.0 * seconds / run.seconds;
    println!(
        "    of that: right-hand side {:.0} % ({:.0} ns each), back onto the constraints {:.0} %, watching {:.0} %, \
         beginning {:.0} %, the rest {:.0} %",
        part(run.evaluations as f64 * solve),
        1e9 * solve,
        part(2.0 * steps * back),
        part(watching),
        part(begin),
        part(rest - 2.0 * steps * back),
    );
}

/// Seconds that accelerations and a way back take, by the system's own code if there is any.
fn evaluations(problem: &Problem<'_>, method: Method, start: &Start) -> (f64, f64) {
    let chart = problem.dependent.as_deref();
    let Some(mut quick) = problem
        .dynamics
        .quick(chart.filter(|_| method == Method::Inverse))
    else {
        return (0.0, 0.0);
    };
    let at = || (0.0, black_box(&start.x[..]), black_box(&start.v[..]));
    let many = |run: &mut dyn FnMut()| 1e-3 * least(|| (0..1000).for_each(|_| run()));
    let solve = many(&mut || {
        quick.place(at());
        black_box(quick.accelerations());
    });
    let back = many(&mut || {
        quick.place(at());
        black_box(quick.corrections());
    });
    (solve, back)
}

/// A system that nothing is watched of.
struct Unwatched<'a>(&'a dyn Dynamics);

/// Its code, without the determinant that is watched.
struct Unasked(Box<dyn Quick>);

impl Dynamics for Unwatched<'_> {
    fn coordinates(&self) -> usize {
        self.0.coordinates()
    }

    fn constraints(&self) -> usize {
        self.0.constraints()
    }

    fn velocity_constraints(&self) -> usize {
        self.0.velocity_constraints()
    }

    fn velocity(&self, t: f64, x: &[f64], out: &mut VelocityValue) {
        self.0.velocity(t, x, out);
    }

    fn constraint(&self, t: f64, x: &[f64], out: &mut ConstraintValue) {
        self.0.constraint(t, x, out);
    }

    fn instant(&self, t: f64, x: &[f64], v: &[f64], out: &mut Instant) {
        self.0.instant(t, x, v, out);
    }

    fn quick(&self, chart: Option<&[usize]>) -> Option<Box<dyn Quick>> {
        Some(Box::new(Unasked(self.0.quick(chart)?)))
    }

    fn may_kink(&self) -> bool {
        false
    }

    fn may_lose_rank(&self) -> bool {
        false
    }

    fn pattern(&self) -> Option<&Pattern> {
        self.0.pattern()
    }

    fn factors(&self, _t: f64, _x: &[f64], out: &mut Vec<f64>) {
        out.clear();
    }
}

impl Quick for Unasked {
    fn place(&mut self, at: (f64, &[f64], &[f64])) {
        self.0.place(at);
    }

    fn state(&self) -> [&[f64]; 2] {
        self.0.state()
    }

    fn accelerations(&mut self) -> Option<[&[f64]; 3]> {
        self.0.accelerations()
    }

    fn stage(&mut self) -> Option<&[f64]> {
        self.0.stage()
    }

    fn is_balanced(&mut self) -> bool {
        self.0.is_balanced()
    }

    fn has_stages(&self, method: &'static Tableau, corrections: [usize; 2]) -> bool {
        self.0.has_stages(method, corrections)
    }

    fn stages<'a>(
        &mut self,
        from: Beginning<'a>,
        corrections: [usize; 2],
    ) -> Option<Evaluations<'a>> {
        let found = self.0.stages(from, corrections)?;
        Some(Evaluations {
            factors: &[],
            ..found
        })
    }

    fn landed(&self) -> Option<Landed<'_>> {
        self.0.landed()
    }

    fn land(&mut self, at: (f64, &[f64], &[f64])) -> Option<Landed<'_>> {
        self.0.land(at)
    }

    fn pivots(&self) -> Pivots<'_> {
        self.0.pivots()
    }

    fn factors(&self) -> &[f64] {
        &[]
    }

    fn pivots_at(&mut self, t: f64, x: &[f64]) -> Option<Pivots<'_>> {
        self.0.pivots_at(t, x)
    }

    fn corrections(&mut self) -> Option<ProjectionStep<'_>> {
        self.0.corrections()
    }

    fn correct(&mut self, what: Corrected) {
        self.0.correct(what);
    }
}

/// x2 = x1^2 in x1.
fn bead(y: &SVector<f64, 2>) -> SVector<f64, 2> {
    let (x, v) = (y[0], y[1]);
    SVector::from([v, -x * (4.0 * v * v + 2.0 * G) / (1.0 + 4.0 * x * x)])
}

/// The same in x1 and x2: lambda = (g + 2 x1'^2)/(1 + 4 x1^2).
fn bead_in_the_plane(y: &SVector<f64, 4>) -> SVector<f64, 4> {
    let lambda = (G + 2.0 * y[2] * y[2]) / (1.0 + 4.0 * y[0] * y[0]);
    SVector::from([y[2], y[3], -2.0 * y[0] * lambda, lambda - G])
}

/// x1 x2 x3 = 1/2, x1 + x2 = 3 in x1, m = k = 1.
fn product_and_sum(y: &SVector<f64, 2>) -> SVector<f64, 2> {
    let (x, v) = (y[0], y[1]);
    let w = x * (3.0 - x);
    let (slope, bend) = (3.0 - 2.0 * x, -2.0);
    let x3 = 0.5 / w;
    let by = -x3 * slope / w;
    let curve = x3 * (2.0 * slope * slope / (w * w) - bend / w);
    // kinetic (2 + by^2) v^2 / 2, potential (x^2 + (3 - x)^2 + x3^2) / 2
    SVector::from([
        v,
        -(by * curve * v * v + x - (3.0 - x) + x3 * by) / (2.0 + by * by),
    ])
}

/// The same in x1, x2 and x3: J J^T lambda = gamma + J x, two by two.
fn product_and_sum_in_space(y: &SVector<f64, 6>) -> SVector<f64, 6> {
    let (x, v) = ([y[0], y[1], y[2]], [y[3], y[4], y[5]]);
    let j = [x[1] * x[2], x[0] * x[2], x[0] * x[1]];
    let gamma = -2.0 * (v[0] * v[1] * x[2] + v[0] * v[2] * x[1] + v[1] * v[2] * x[0]);
    let (a, b) = (j[0] * j[0] + j[1] * j[1] + j[2] * j[2], j[0] + j[1]);
    let right = [gamma + j[0] * x[0] + j[1] * x[1] + j[2] * x[2], x[0] + x[1]];
    let det = 2.0 * a - b * b;
    let product = (2.0 * right[0] - b * right[1]) / det;
    let sum = (a * right[1] - b * right[0]) / det;
    SVector::from([
        v[0],
        v[1],
        v[2],
        j[0] * product + sum - x[0],
        j[1] * product + sum - x[1],
        j[2] * product - x[2],
    ])
}

/// The pendulum in its angle from the horizontal.
fn pendulum(y: &SVector<f64, 2>) -> SVector<f64, 2> {
    SVector::from([y[1], -G * y[0].cos()])
}

/// The same in x and y: the rod pulls with (v^2 - g y)/r^2 times (x, y).
fn pendulum_in_the_plane(y: &SVector<f64, 4>) -> SVector<f64, 4> {
    let square = y[0] * y[0] + y[1] * y[1];
    let pull = (y[2] * y[2] + y[3] * y[3] - G * y[1]) / square;
    SVector::from([y[2], y[3], -pull * y[0], -pull * y[1] - G])
}

/// A chain of N links in Cartesian coordinates (S = 4 N), its multipliers from a tridiagonal system.
fn chain<const N: usize, const S: usize>(y: &SVector<f64, S>) -> SVector<f64, S> {
    let half = 2 * N;
    let mut d = [[0.0; 2]; N];
    let mut gamma = [0.0; N];
    for b in 0..N {
        for k in 0..2 {
            let (i, before) = (2 * b + k, (2 * b + k).wrapping_sub(2));
            let (x, v) = if b == 0 {
                (y[i], y[half + i])
            } else {
                (y[i] - y[before], y[half + i] - y[half + before])
            };
            d[b][k] = x;
            gamma[b] -= v * v;
        }
    }
    // S tau = gamma - d . (g_b - g_(b-1)), S tridiagonal
    let mut diagonal = [0.0; N];
    let mut above = [0.0; N];
    let mut tau = gamma;
    tau[0] += G * d[0][1];
    for b in 0..N {
        let square = d[b][0] * d[b][0] + d[b][1] * d[b][1];
        diagonal[b] = if b == 0 { square } else { 2.0 * square };
        if b + 1 < N {
            above[b] = -(d[b][0] * d[b + 1][0] + d[b][1] * d[b + 1][1]);
        }
    }
    for b in 1..N {
        let factor = above[b - 1] / diagonal[b - 1];
        diagonal[b] -= factor * above[b - 1];
        tau[b] -= factor * tau[b - 1];
    }
    tau[N - 1] /= diagonal[N - 1];
    for b in (0..N - 1).rev() {
        tau[b] = (tau[b] - above[b] * tau[b + 1]) / diagonal[b];
    }
    let mut dy = SVector::zeros();
    for b in 0..N {
        for k in 0..2 {
            let i = 2 * b + k;
            dy[i] = y[half + i];
            let next = if b + 1 < N {
                tau[b + 1] * d[b + 1][k]
            } else {
                0.0
            };
            dy[half + i] = tau[b] * d[b][k] - next - if k == 1 { G } else { 0.0 };
        }
    }
    dy
}

/// Andrews' mechanism with a dense augmented matrix, eliminated with row exchanges.
fn andrews(y: &SVector<f64, 14>) -> SVector<f64, 14> {
    thread_local!(static AT: std::cell::RefCell<Instant> = std::cell::RefCell::new(Instant::of(&Andrews)));
    AT.with_borrow_mut(|at| {
        let (x, v) = y.as_slice().split_at(7);
        Andrews.instant(0.0, x, v, at);
        let mut a = [[0.0; 14]; 13];
        for i in 0..7 {
            for k in 0..7 {
                a[i][k] = at.mass[(i, k)];
            }
            a[i][13] = -at.bias[i];
        }
        for b in 0..6 {
            for k in 0..7 {
                let j = at.constraint.jacobian[(b, k)];
                a[7 + b][k] = j;
                a[k][7 + b] = j;
            }
            a[7 + b][13] = at.gamma[b];
        }
        for c in 0..13 {
            let mut best = c;
            for i in c + 1..13 {
                if a[i][c].abs() > a[best][c].abs() {
                    best = i;
                }
            }
            a.swap(c, best);
            let top = a[c];
            for row in a.iter_mut().skip(c + 1) {
                let factor = row[c] / top[c];
                if factor != 0.0 {
                    for k in c + 1..14 {
                        row[k] -= factor * top[k];
                    }
                }
            }
        }
        for c in (0..13).rev() {
            let mut sum = a[c][13];
            for k in c + 1..13 {
                sum -= a[c][k] * a[k][13];
            }
            a[c][13] = sum / a[c][c];
        }
        let mut dy = SVector::zeros();
        for k in 0..7 {
            dy[k] = v[k];
            dy[7 + k] = a[k][13];
        }
        dy
    })
}

/// The first M of a state.
fn first<const M: usize, const N: usize>(y: &SVector<f64, N>) -> Vec<f64> {
    y.as_slice()[..M].to_vec()
}

fn held(name: &str) -> String {
    let mut all = builtin().iter();
    all.find(|b| b.name == name)
        .map_or_else(String::new, |b| b.text.to_owned())
}

#[allow(clippy::too_many_lines)] // a table of systems
fn main() {
    let only = std::env::args().nth(1).unwrap_or_default();
    let asked = |name: &str| only.is_empty() || only.starts_with('-') || name.contains(&only);
    if asked("bead") {
        let (until, end) = (10.0, [0.435_419_160_771_776_45, 0.189_589_845_567_198_07]);
        let plane = SVector::from([1.0, 1.0, 0.0, 0.0]);
        let one = SVector::from([1.0, 0.0]);
        compare(&Case {
            name: "bead",
            text: held("bead_on_parabola"),
            until,
            by_hand: vec![
                Hand::new(
                    "x1, x2",
                    bead_in_the_plane,
                    (plane, until),
                    (first::<2, 4>, &end),
                ),
                Hand::new(
                    "x1",
                    bead,
                    (one, until),
                    (|y| vec![y[0], y[0] * y[0]], &end),
                ),
            ],
            reference: &end,
        });
    }
    if asked("product and sum") {
        let (until, end) = (
            10.0,
            [
                0.280_804_669_022_670_26,
                2.719_195_330_977_329_6,
                0.654_825_033_469_082_6,
            ],
        );
        let x1 = 2.822_875_655_532_295_4;
        let space = SVector::from([x1, 3.0 - x1, 1.0, 0.0, 0.0, 0.0]);
        let one = SVector::from([x1, 0.0]);
        compare(&Case {
            name: "product and sum",
            text: "coordinates: [x1, x2, x3]\nkinetic: (x1'^2 + x2'^2 + x3'^2)/2\n\
                   potential: (x1^2 + x2^2 + x3^2)/2\n\
                   constraints: {product: x1*x2*x3 = 1/2, sum: x1 + x2 = 3}\n\
                   dependent: [x1, x2]\nstart: {x1: (3 + sqrt(7))/2, x2: (3 - sqrt(7))/2, x3: 1}\n"
                .to_owned(),
            until,
            by_hand: vec![
                Hand::new(
                    "x1, x2, x3",
                    product_and_sum_in_space,
                    (space, until),
                    (first::<3, 6>, &end),
                ),
                Hand::new(
                    "x1",
                    product_and_sum,
                    (one, until),
                    (
                        |y| vec![y[0], 3.0 - y[0], 0.5 / (y[0] * (3.0 - y[0]))],
                        &end,
                    ),
                ),
            ],
            reference: &end,
        });
    }
    if asked("pendulum") {
        let (until, end) = (10.0, [0.275_087_462_576_116_9, -0.961_419_205_099_125]);
        let plane = SVector::from([1.0, 0.0, 0.0, 0.0]);
        compare(&Case {
            name: "pendulum",
            text: "coordinates: [x, y]\nparameters: {g: 9.81}\nkinetic: (x'^2 + y'^2)/2\npotential: g*y\n\
                   constraints: {rod: {f: x^2 + y^2, c: 1}}\ndependent: [y]\nstart: {x: 1, y: 0}\n"
                .to_owned(),
            until,
            by_hand: vec![
                Hand::new("x, y", pendulum_in_the_plane, (plane, until), (first::<2, 4>, &end)),
                Hand::new(
                    "an angle",
                    pendulum,
                    (SVector::zeros(), until),
                    (|y| vec![y[0].cos(), y[0].sin()], &end),
                ),
            ],
            reference: &end,
        });
    }
    if asked("chain of 10") {
        let mut start = SVector::<f64, 40>::zeros();
        for b in 0..10 {
            start[2 * b] = (b + 1) as f64;
        }
        compare(&Case {
            name: "chain of 10",
            text: chain_file(10, std::f64::consts::FRAC_PI_2, 0.0)
                .replace("6.123233995736766e-17", "0"),
            until: 5.0,
            by_hand: vec![Hand::new(
                "x, y of each",
                chain::<10, 40>,
                (start, 5.0),
                (first::<20, 40>, &CHAIN_10),
            )],
            reference: &CHAIN_10,
        });
    }
    if asked("andrews") {
        let start = SVector::from_column_slice(&[
            -0.061_713_890_014_276_45,
            0.0,
            0.455_279_819_163_070_4,
            0.222_668_390_165_885_9,
            0.487_364_979_543_842_56,
            -0.222_668_390_165_885_9,
            1.230_547_444_549_821_2,
            0.0,
            0.0,
            0.0,
            0.0,
            0.0,
            0.0,
            0.0,
        ]);
        let end = [
            15.810_771_195_153_707,
            -15.756_371_058_411_839,
            0.040_822_240_119_645_8,
            -0.534_730_116_342_079_6,
            0.524_409_965_879_954,
            0.534_730_116_342_079_6,
            1.048_080_741_041_938,
        ];
        compare(&Case {
            name: "andrews",
            text: held("andrews"),
            until: 0.03,
            by_hand: vec![Hand::new(
                "all angles",
                andrews,
                (start, 0.03),
                (first::<7, 14>, &end),
            )],
            reference: &end,
        });
    }
    if asked("large") {
        evaluation::<50, 200>();
        evaluation::<200, 800>();
        evaluation::<500, 2000>();
        evaluation::<1000, 4000>();
    }
    if asked("fekete") {
        fekete();
    }
}

/// What an evaluation costs in a straight chain that swings, no link of which comes to lie level.
fn evaluation<const N: usize, const S: usize>() {
    let mut y = SVector::<f64, S>::zeros();
    for b in 0..N {
        y[2 * b] = (b + 1) as f64;
    }
    let hand = least(|| {
        black_box(chain::<N, S>(black_box(&y)));
    });
    let text = chain_file(N, 0.3, 0.001);
    // what a longer run costs more: all but the beginning
    let run = |until: f64| {
        let once = |_| motion(&text, Method::Multipliers, (until, 1e-7));
        (0..5).filter_map(once).min_by(|a, b| a.0.total_cmp(&b.0))
    };
    let (Some(short), Some(long)) = (run(0.3), run(0.9)) else {
        return;
    };
    let more = long.1.evaluations - short.1.evaluations;
    println!(
        "chain of {N:<9} by hand {:>8.2} us an evaluation   multipliers {:>8.2} us alone, {:>8.2} with all that belongs to a step",
        1e6 * hand,
        1e6 * alone(&text).unwrap_or_default(),
        1e6 * (long.0 - short.0) / more as f64,
    );
}

/// The seconds of an evaluation of a system with multipliers, at its start.
fn alone(text: &str) -> Option<f64> {
    let model = Model::new(System::parse(text, "bench", &[]).ok()?);
    let start = model.start(&Overrides::default()).ok()?;
    let dependent = model.choice(None, (start.t, &start.x), &start.correction);
    let compiled = model.compiled(&dependent);
    let problem = model.problem(&compiled, &dependent);
    Some(evaluations(&problem, Method::Multipliers, &start).0)
}

/// The seconds of a run, and the motion.
fn motion(text: &str, method: Method, (until, rtol): (f64, f64)) -> Option<(f64, Motion)> {
    let model = Model::new(System::parse(text, "bench", &[]).ok()?);
    let start = model.start(&Overrides::default()).ok()?;
    let dependent = model.choice(None, (start.t, &start.x), &start.correction);
    let compiled = model.compiled(&dependent);
    let problem = model.problem(&compiled, &dependent);
    let options = Options {
        until,
        method,
        samples: 1,
        rtol,
        atol: rtol,
        ..Options::default()
    };
    let go_on = AtomicBool::new(false);
    let begin = std::time::Instant::now();
    let motion = simulate(&problem, &start, &options, &go_on);
    Some((begin.elapsed().as_secs_f64(), motion))
}

/// Fekete's problem (Test Set for IVP Solvers, Mazzia and Magherini): twenty points that repel each other on a sphere, with
/// friction, to t = 1000.
fn fekete() {
    use std::f64::consts::PI;
    let point = |i: usize| {
        let i = i as f64 + 1.0;
        let (a, b) = match i {
            ..4.0 => (2.0 * PI * i / 3.0 + PI / 13.0, 3.0 * PI / 8.0),
            ..11.0 => (2.0 * PI * (i - 3.0) / 7.0 + PI / 29.0, PI / 8.0),
            ..17.0 => (2.0 * PI * (i - 10.0) / 6.0 + PI / 7.0, -2.0 * PI / 15.0),
            _ => (2.0 * PI * (i - 17.0) / 4.0 + PI / 17.0, -3.0 * PI / 10.0),
        };
        [a.cos() * b.cos(), a.sin() * b.cos(), b.sin()]
    };
    let all = |each: &dyn Fn(usize) -> String, between: &str| {
        (0..20).map(each).collect::<Vec<_>>().join(between)
    };
    let pairs = |i: usize| {
        let each = |j| format!("log((x{i} - x{j})^2 + (y{i} - y{j})^2 + (z{i} - z{j})^2)/2");
        (0..i).map(each).collect::<Vec<_>>()
    };
    let potential: Vec<String> = (0..20).flat_map(pairs).collect();
    let text = format!(
        "coordinates: [{}]\nkinetic: {}\npotential: -({})\nconstraints:\n{}\nforces:\n{}\nstart:\n{}\n",
        all(&|i| format!("x{i}, y{i}, z{i}"), ", "),
        all(&|i| format!("(x{i}'^2 + y{i}'^2 + z{i}'^2)/2"), " + "),
        potential.join(" + "),
        all(&|i| format!("  s{i}: x{i}^2 + y{i}^2 + z{i}^2 = 1"), "\n"),
        all(
            &|i| format!("  x{i}: -x{i}'/2\n  y{i}: -y{i}'/2\n  z{i}: -z{i}'/2"),
            "\n"
        ),
        all(
            &|i| {
                let [x, y, z] = point(i);
                format!("  x{i}: {x:?}\n  y{i}: {y:?}\n  z{i}: {z:?}")
            },
            "\n"
        ),
    );
    for method in [Method::Inverse, Method::Multipliers] {
        let Some((seconds, motion)) = motion(&text, method, (1000.0, 1e-10)) else {
            continue;
        };
        let end = motion.samples.last().map_or(&[][..], |last| &last.x);
        let reference = [
            -0.407_026_338_033_320_2,
            0.346_375_877_279_180_2,
            0.845_194_245_003_042_9,
        ];
        println!(
            "Fekete             {method}: {seconds:.2} s to t = 1000, {} evaluations, the first point off by {:.1e}",
            motion.evaluations,
            apart(&end[..3.min(end.len())], &reference)
        );
    }
}

/// The chain of ten at t = 5.
const CHAIN_10: [f64; 20] = [
    0.498_260_820_913_660_86,
    -0.867_027_193_542_650_6,
    1.085_424_801_674_614_9,
    -1.676_495_203_841_359,
    1.644_999_462_892_34,
    -2.505_275_149_618_926_7,
    2.313_811_033_305_894_3,
    -3.248_707_112_397_603,
    2.933_368_469_022_353,
    -4.033_658_438_180_575,
    3.354_680_290_458_001_3,
    -4.940_574_282_743_110_5,
    3.526_165_333_082_267,
    -5.925_761_006_240_821,
    4.338_398_312_943_424,
    -5.342_427_836_923_435,
    5.193_555_672_146_793,
    -5.860_796_326_513_919,
    5.527_089_397_261_213,
    -4.918_058_158_085_749,
];
