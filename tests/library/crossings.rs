//! Wires that cross themselves: there the gradient vanishes and no choice of dependent coordinates works. A bead
//! goes straight on along its own branch; where no branch goes on (a cusp) the motion ends and says so.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::format_push_string
)]

use holonom::analysis::{Model, Overrides, Request};
use holonom::solver::{Flag, FlagKind, Method, Motion, Sample, SolverError, Stiff};
use holonom::system::{System, builtin};
use std::sync::atomic::AtomicBool;

/// A free unit mass on a wire through the origin, in every method and with both steppers.
fn each(wire: &str, start: &str, until: f64, look: impl Fn(&Motion, &str)) {
    let text = format!(
        "coordinates: [x, y]\nlagrangian: 1/2*(x'^2 + y'^2)\nconstraints: {{wire: {wire}}}\nstart: {{{start}}}\nrun: {{until: {until}}}\n"
    );
    let model = Model::new(System::parse(&text, "test", &[]).unwrap());
    for method in Method::ALL {
        for stiff in [Stiff::Never, Stiff::Always] {
            let request = Request {
                method: Some(method),
                stiff: Some(stiff),
                ..Request::default()
            };
            let motion = model.simulate(&request, &AtomicBool::new(false)).unwrap();
            look(&motion, &format!("{wire} {method} {stiff:?}"));
        }
    }
}

/// It went on to the end, past these instants, at constant speed and on the wire.
fn went_on(motion: &Motion, instants: &[f64], what: &str) {
    assert_eq!(motion.because, None, "{what}");
    let ranks: Vec<f64> = motion
        .flags
        .iter()
        .filter(|flag| flag.kind == FlagKind::Rank)
        .map(|flag| flag.t)
        .collect();
    assert_eq!(ranks.len(), instants.len(), "{what}: {ranks:?}");
    for (found, known) in ranks.iter().zip(instants) {
        assert!((found - known).abs() < 1e-6, "{what}: {ranks:?}");
    }
    for sample in &motion.samples {
        assert!(
            sample.residual < 1e-12,
            "{what}: {} at {}",
            sample.residual,
            sample.t
        );
    }
}

#[test]
fn straight_lines_that_cross_are_gone_along_without_a_turn() {
    // two lines, three lines, a line and a curve that touches it: the free motion on the line is exact
    for (wire, start, velocity) in [
        ("x*y", "x: 1, y: 0, x': -1, y': 0", [-1.0, 0.0]),
        ("x*y*(x - y)", "x: 1, y: 1, x': -1, y': -1", [-1.0, -1.0]),
        ("y*(y - x^3)", "x: 1, y: 0, x': -1, y': 0", [-1.0, 0.0]),
    ] {
        each(wire, start, 3.0, |motion, what| {
            went_on(motion, &[1.0], what);
            for sample in &motion.samples {
                for (x, v) in sample.x.iter().zip(&velocity) {
                    let begin = if *v == 0.0 { 0.0 } else { 1.0 };
                    let exact = begin + v * sample.t;
                    assert!(
                        (x - exact).abs() < 1e-7,
                        "{what}: {:?} at {}",
                        sample.x,
                        sample.t
                    );
                }
            }
        });
    }
}

#[test]
fn a_loop_is_gone_round_and_left_along_the_other_branch() {
    // y^2 = x^2 (x + 1): x = s^2 - 1, y = s (s^2 - 1) goes on through both crossings, s = 1 and s = -1
    each(
        "y^2 - x^2*(x + 1)",
        "x: 1, y: 1.4142135623730951, x': -1",
        6.0,
        |motion, what| {
            assert_eq!(motion.because, None, "{what}");
            let mut s = 2.0_f64.sqrt();
            for sample in &motion.samples {
                // the parameter goes down all the way
                let now = if sample.x[0].abs() > 1e-3 {
                    sample.x[1] / sample.x[0]
                } else {
                    continue;
                };
                assert!(now < s + 1e-9, "{what}: {now} after {s} at {}", sample.t);
                s = now;
            }
            assert!(s < -1.2, "{what}: {s}");
        },
    );
}

/// (y - sin(x))^3 + (y - sin(x)) (y - 3/10)^4 multiplied out: on y = sin(x) the gradient vanishes at y = 0.3 only, and next to it
/// what cancels in f hides from where on.
const HIDDEN: &str = "y^5 - y^4*sin(x) - 6/5*y^4 + 6/5*y^3*sin(x) + 77/50*y^3 - 177/50*y^2*sin(x) - 27/250*y^2 \
                      + 3*y*sin(x)^2 + 27/250*y*sin(x) + 81/10000*y - sin(x)^3 - 81/10000*sin(x)";

#[test]
fn a_gradient_that_vanishes_behind_the_rounding_of_f_is_flagged() {
    let text = format!(
        "coordinates: [x, y]\nlagrangian: 1/2*(x'^2 + y'^2) - 9.81*y\nconstraints: {{c: \"{HIDDEN}\"}}\n\
         start: {{x: 0.9074853880485145, x': -0.5911595026048937}}\nguess: {{y: 0.78}}\nrun: {{until: 0.5}}\n"
    );
    let model = Model::new(System::parse(&text, "test", &[]).unwrap());
    let go = AtomicBool::new(false);
    for method in Method::ALL {
        let request = Request {
            method: Some(method),
            ..Request::default()
        };
        let motion = model.simulate(&request, &go).unwrap();
        // the time at which the bead on y = sin(x) is there, from one coordinate
        let met = |flag: &Flag| flag.kind == FlagKind::Rank && (flag.t - 0.414_868).abs() < 2e-3;
        assert!(
            motion.flags.iter().any(met),
            "{method}: {:?}",
            motion.because
        );
    }
    // what is lost there is no chaos
    let compared = model.compare(&Request::default(), &go).unwrap();
    assert!(compared.singular && !compared.chaotic, "{}", compared.until);
}

#[test]
fn a_singular_configuration_is_passed_in_any_units() {
    // (u^2 + y^2 - 4) ((u^2 + y^2 - 4)^2 + (y + sin(u)/5)^2) with u = x/k: on the circle the gradient vanishes where the other factor
    // does, and the way back onto the circle by either coordinate alone is no good there
    let ends = |k: f64, method: Method| {
        let text = format!(
            "coordinates: [x, y]\nparameters: {{k: {k:?}}}\ndefine: {{u: x/k}}\n\
             lagrangian: (1 + u^2/2)*(x'/k)^2/2 + y'^2/2 - 2*u^2 - y^2/2 - 9.81*y\n\
             constraints: {{c: (u^2 + y^2 - 4)*((u^2 + y^2 - 4)^2 + (y + sin(u)/5)^2)}}\n\
             forces: {{y: -0.1*y'}}\nstart: {{x: {:?}, x': {:?}}}\nguess: {{y: 1.55}}\nrun: {{until: 4, samples: 4}}\n",
            -1.259_106_400_331_878_6 * k,
            0.619_834_096_576_648 * k,
        );
        let model = Model::new(System::parse(&text, "units", &[]).unwrap());
        let request = Request {
            method: Some(method),
            ..Request::default()
        };
        let motion = model.simulate(&request, &AtomicBool::new(false)).unwrap();
        assert!(motion.finished, "{k} {method}: {:?}", motion.because);
        let ranks = motion.flags.iter().filter(|f| f.kind == FlagKind::Rank);
        let times: Vec<f64> = ranks.map(|flag| flag.t).collect();
        let last = motion.samples.last().unwrap();
        (times, [last.x[0] / k, last.x[1], last.v[0] / k, last.v[1]])
    };
    let (times, wanted) = ends(1.0, Method::Inverse);
    assert_eq!(times.len(), 2, "{times:?}");
    for k in [1.0, 64.0, 1e3, 1e6, 1e-6] {
        for method in Method::ALL {
            let (own, found) = ends(k, method);
            let what = format!("{k} {method}: {own:?} {found:?}");
            assert_eq!(own.len(), 2, "{what}");
            for (a, b) in own.iter().zip(&times) {
                assert!((a - b).abs() < 1e-5, "{what}");
            }
            for (a, b) in found.iter().zip(&wanted) {
                assert!((a - b).abs() < 1e-5, "{what} for {wanted:?}");
            }
        }
    }
}

#[test]
fn at_a_cusp_nothing_goes_on() {
    // y^2 = x^3 comes to the origin and has no smooth continuation
    each("y^2 - x^3", "x: 1, y: 1, x': -1", 3.0, |motion, what| {
        let Some(SolverError::RankLost { t, .. }) = &motion.because else {
            panic!("{what}: {:?}", motion.because);
        };
        // arc length (13^(3/2) - 8)/27 at the speed sqrt(1 + 9/4)
        let known = (13.0_f64.powf(1.5) - 8.0) / 27.0 / 3.25_f64.sqrt();
        assert!((t - known).abs() < 1e-5, "{what}: {t} for {known}");
        assert_eq!(motion.flags.last().unwrap().kind, FlagKind::Rank);
        assert!(
            motion
                .because
                .as_ref()
                .unwrap()
                .to_string()
                .contains("no smooth way on")
        );
        assert!(motion.samples.iter().all(|sample| sample.t <= known + 1e-9));
    });
}

/// Numbers that look random and are the same each time.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn between(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * self.next()
    }

    fn below(&mut self, count: usize) -> usize {
        ((self.next() * count as f64) as usize).min(count - 1)
    }
}

/// A random system that is known to pass singular configurations smoothly. Its motion is that on p = 0, m smooth
/// functions with independent gradients; its constraints are f = G Q(x) H p, with constant regular G and H and Q the
/// diagonal of functions q that vanish on the way: on p = 0 the Jacobian of f is G Q H that of p, which loses as many
/// ranks as q vanish. Some q only touch zero there: the branches that meet agree in velocity.
struct Hidden {
    coordinates: Vec<String>,
    kinetic: String,
    p: Vec<String>,
    start: Vec<f64>,
    speed: Vec<f64>,
}

impl Hidden {
    fn new(random: &mut Random) -> Self {
        let m = 1 + random.below(3);
        let free = 1 + random.below(2);
        let n = m + free;
        let coordinates: Vec<String> = (0..n).map(|k| format!("x{k}")).collect();
        let mut kinetic: Vec<String> = (0..n)
            .map(|k| format!("{:.3}*x{k}'^2", random.between(0.4, 1.5)))
            .collect();
        for k in 1..n {
            kinetic.push(format!(
                "{:.3}*x{}'*x{k}'",
                random.between(-0.3, 0.3),
                k - 1
            ));
        }
        for k in 0..n {
            kinetic.push(format!("{:.3}*x{k}", random.between(-1.5, 1.5)));
            kinetic.push(format!("(-{:.3})*x{k}^2", random.between(0.1, 1.0)));
        }
        let p = (0..m)
            .map(|b| {
                let mut sum = format!("x{b}");
                for k in m..n {
                    let [a, c, d] = [0.8, 0.6, 0.5].map(|size| random.between(-size, size));
                    sum += &format!(" + ({a:.3})*x{k} + ({c:.3})*x{k}^2 + ({d:.3})*sin(1.3*x{k})");
                }
                if b > 0 {
                    sum += &format!(" + ({:.3})*x{}*x{m}", random.between(-0.5, 0.5), b - 1);
                }
                sum
            })
            .collect();
        let mut start = vec![0.0; n];
        let mut speed = vec![0.0; n];
        for k in m..n {
            start[k] = random.between(-0.5, 0.5);
            speed[k] = random.between(0.6, 1.8) * if random.next() < 0.5 { -1.0 } else { 1.0 };
        }
        Self {
            coordinates,
            kinetic: kinetic.join(" + "),
            p,
            start,
            speed,
        }
    }

    fn free(&self) -> std::ops::Range<usize> {
        self.p.len()..self.coordinates.len()
    }

    fn text(&self, constraints: &[String], start: &str) -> String {
        let rows: Vec<String> = constraints
            .iter()
            .enumerate()
            .map(|(b, f)| format!("  c{b}: {f}\n"))
            .collect();
        format!(
            "coordinates: [{}]\nlagrangian: {}\nconstraints:\n{}start: {{{start}}}\n",
            self.coordinates.join(", "),
            self.kinetic,
            rows.concat()
        )
    }

    /// The motion on p = 0.
    fn known(&self, until: f64) -> Motion {
        let given: Vec<String> = self
            .free()
            .map(|k| format!("x{k}: {}, x{k}': {}", self.start[k], self.speed[k]))
            .collect();
        run(
            &self.text(&self.p, &given.join(", ")),
            (until, 1e-12, 100 * FINER),
            Method::Tangents,
        )
    }

    /// The constraints f, and where their rank drops on the known motion.
    fn constraints(&self, random: &mut Random, known: &Motion) -> (Vec<String>, Vec<Zero>) {
        let m = self.p.len();
        let count = self.coordinates.len();
        let mut zeros = Vec::new();
        let q: Vec<String> = (0..m)
            .map(|b| {
                if b > 0 && random.next() < 0.4 {
                    return "1".to_owned();
                }
                let again = b > 0 && random.next() < 0.3;
                let place = if again { 50 } else { 25 + random.below(50) };
                let at = &known.samples[FINER * if b == 0 { 50 } else { place }];
                let away: Vec<String> = (0..count)
                    .map(|k| format!("(x{k} - ({}))", at.x[k]))
                    .collect();
                let speed: f64 = at.v.iter().map(|v| v * v).sum();
                let mut way: Vec<f64> = (0..count).map(|_| random.between(-1.0, 1.0)).collect();
                let along: f64 = way.iter().zip(&at.v).map(|(w, v)| w * v).sum();
                let touch = random.next() < 0.2;
                if touch {
                    // square to the motion: q touches zero
                    way.iter_mut()
                        .zip(&at.v)
                        .for_each(|(w, v)| *w -= along / speed * v);
                } else if along.abs() < 0.3 * speed.sqrt() {
                    way.iter_mut()
                        .zip(&at.v)
                        .for_each(|(w, v)| *w += v / speed.sqrt());
                }
                let mut q: Vec<String> = way
                    .iter()
                    .zip(&away)
                    .map(|(w, a)| format!("({w})*{a}"))
                    .collect();
                let bend = if touch {
                    1.5
                } else {
                    random.between(-0.3, 0.3)
                };
                q.extend(away.iter().map(|a| format!("({bend:.3})*{a}^2")));
                let (t, at) = (at.t, at.x.clone());
                zeros.push(Zero { t, at, way, bend });
                q.join(" + ")
            })
            .collect();
        let mix = |random: &mut Random, b: usize, c: usize| {
            if b == c {
                1.0
            } else {
                random.between(-0.4, 0.4)
            }
        };
        let inner: Vec<String> = (0..m)
            .map(|b| {
                let terms: Vec<String> = (0..m)
                    .map(|c| format!("({:.3})*({})", mix(random, b, c), self.p[c]))
                    .collect();
                format!("({})*({})", q[b], terms.join(" + "))
            })
            .collect();
        let f = (0..m)
            .map(|b| {
                let terms: Vec<String> = (0..m)
                    .map(|c| format!("({:.3})*({})", mix(random, b, c), inner[c]))
                    .collect();
                terms.join(" + ")
            })
            .collect();
        zeros.sort_by(|a, b| a.t.total_cmp(&b.t));
        (f, zeros)
    }
}

/// Zeros are one where what lies between them is below this many times the tolerance.
const UNSEEN: f64 = 100.0;
/// Samples of the known motion to one of the motion.
const FINER: usize = 20;

/// A planted zero of q = way (x - at) + bend (x - at)^2.
struct Zero {
    t: f64,
    at: Vec<f64>,
    way: Vec<f64>,
    bend: f64,
}

impl Zero {
    fn q(&self, x: &[f64]) -> f64 {
        let parts = x.iter().zip(&self.at).zip(&self.way);
        parts
            .map(|((x, at), way)| (x - at) * (way + self.bend * (x - at)))
            .sum()
    }

    /// Whether the motion, which is known to `blur`, may as well meet it at the time t: all the way between q is nothing
    /// beside what that moves it by.
    fn may_be_at(&self, t: f64, known: &Motion, blur: f64) -> bool {
        let between = |s: &&Sample| (s.t - t) * (s.t - self.t) <= 0.0;
        let within = blur * self.way.iter().map(|w| w.abs()).sum::<f64>();
        let mut on_the_way = known.samples.iter().filter(between);
        on_the_way.all(|s| self.q(&s.x).abs() <= within)
    }
}

fn run(text: &str, (until, rtol, samples): (f64, f64, usize), method: Method) -> Motion {
    let model = Model::new(System::parse(text, "test", &[]).unwrap());
    let request = Request {
        method: Some(method),
        until: Some(until),
        rtol: Some(rtol),
        samples: Some(samples),
        ..Request::default()
    };
    model.simulate(&request, &AtomicBool::new(false)).unwrap()
}

/// What came of a random system.
#[derive(Default)]
struct Passed {
    /// How far the motion is from the known one, in units of the tolerance.
    parts: f64,
    /// Zeros told as one with others: so near to them that the tolerance does not tell them apart.
    merged: usize,
}

/// A motion beside the known one; or what went wrong.
fn attacked(seed: u64) -> Result<Passed, String> {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1771);
    for _ in 0..3 {
        random.next();
    }
    let hidden = Hidden::new(&mut random);
    let until = 2.0;
    let known = hidden.known(until);
    if known.because.is_some() || known.samples.len() < 100 * FINER + 1 {
        return Ok(Passed::default());
    }
    let (f, zeros) = hidden.constraints(&mut random, &known);
    let first = &known.samples[0];
    let given: Vec<String> = (0..first.x.len())
        .map(|k| format!("x{k}: {}, x{k}': {}", first.x[k], first.v[k]))
        .collect();
    let text = hidden.text(&f, &given.join(", "));
    let rtol = 10_f64.powf(-random.between(4.0, 12.5));
    let method = Method::ALL[random.below(3)];
    let motion = run(&text, (until, rtol, 100), method);
    let times: Vec<f64> = zeros.iter().map(|zero| zero.t).collect();
    let what = || format!("seed {seed} {method} {rtol:.1e}\n{text}");
    if let Some(because) = &motion.because {
        return Err(format!("stops: {because} (of {times:?})\n{}", what()));
    }
    let mut worst = 0.0_f64;
    for (a, b) in motion
        .samples
        .iter()
        .zip(known.samples.iter().step_by(FINER))
    {
        for (x, y) in a.x.iter().chain(&a.v).zip(b.x.iter().chain(&b.v)) {
            worst = worst.max((x - y).abs() / y.abs().max(1.0));
        }
    }
    let ranks: Vec<f64> = motion
        .flags
        .iter()
        .filter(|flag| flag.kind == FlagKind::Rank)
        .map(|flag| flag.t)
        .collect();
    let mut merged = 0;
    for zero in &zeros {
        let time = zero.t;
        if ranks.iter().any(|t| (t - time).abs() < 1e-3 + 1e3 * rtol) {
            continue;
        }
        if !ranks
            .iter()
            .any(|t| zero.may_be_at(*t, &known, UNSEEN * (rtol + 1e-11)))
        {
            return Err(format!(
                "no flag at {time}: {ranks:?}, off {worst:.1e}\n{}",
                what()
            ));
        }
        merged += 1;
    }
    let parts = worst / (rtol + 1e-11);
    if parts > 1e4 {
        let parted = motion
            .samples
            .iter()
            .zip(known.samples.iter().step_by(FINER))
            .find(|(a, b)| {
                a.x.iter()
                    .zip(&b.x)
                    .any(|(x, y)| (x - y).abs() > 30.0 * (rtol + 1e-11))
            });
        return Err(format!(
            "off by {worst:.1e} = {parts:.0} rtol; parted {:?} flags {ranks:?} planted {times:?} steps {}\n{}",
            parted.map(|p| p.0.t),
            motion.steps,
            what()
        ));
    }
    Ok(Passed { parts, merged })
}

#[test]
fn random_systems_pass_their_singular_configurations_along_their_known_motion() {
    for seed in 0..24 {
        attacked(seed).unwrap();
    }
}

#[test]
fn zeros_that_are_close_together_or_only_touched_are_passed_at_tight_tolerances() {
    // each of these stopped, went astray or missed a zero, where a passage ended next to the next zero, was tried too
    // near to its own, or was refused for what rounding leaves of it
    for seed in [3135, 3259, 60319, 70542, 260_151, 260_235, 260_956, 730_599] {
        attacked(seed).unwrap();
    }
    // in the core of one passage: told as one they were fewer than there are
    for seed in [771_105, 771_305, 771_492, 772_298] {
        attacked(seed).unwrap();
    }
}

/// Beside it the velocity is that of the motion, where a position known to a loose tolerance gives the gradients any direction.
#[test]
fn a_sample_beside_one_goes_on_with_the_motion_at_a_loose_tolerance() {
    attacked(7_150_276).unwrap();
}

/// One that seems to lie far ahead is waited for, and a nearer one shortens the steps meanwhile.
#[test]
fn one_that_is_nearer_than_the_one_waited_for_is_passed_too() {
    for seed in [2891, 91_408] {
        attacked(seed).unwrap();
    }
}

#[test]
fn rows_that_vanish_whole_are_dependent_whenever_the_motion_is_to_end() {
    // a parallelogram turns with its coupler level: where both cranks lie along it, all entries of one row are zero
    let text = "coordinates: [p, q, r]\nlagrangian: 1/2*(p'^2 + q'^2 + r'^2)\n\
         constraints: {a: cos(p) + 1.5*cos(q) - cos(r) = 1.5, b: sin(p) + 1.5*sin(q) - sin(r) = 0}\n\
         start: {p: 1, q: 0, r: 1, p': 1, q': 0, r': 1}\n";
    let flat = [1.0, 2.0].map(|k| k * std::f64::consts::PI - 1.0);
    for until in [5.3, 5.5, 6.0, 6.1, 6.5, 7.0] {
        for method in Method::ALL {
            let motion = run(text, (until, 1e-9, 100), method);
            let told = motion.flags.iter().map(|flag| (flag.kind, flag.t));
            let told: Vec<(FlagKind, f64)> = told.collect();
            assert_eq!(told.len(), 2, "{method} {until}: {told:?}");
            for ((kind, t), flat) in told.iter().zip(flat) {
                assert_eq!(*kind, FlagKind::Rank, "{method} {until}: {told:?}");
                assert!((t - flat).abs() < 1e-7, "{method} {until}: {told:?}");
            }
        }
    }
}

#[test]
fn beside_a_contact_of_third_order_no_motion_changes_to_the_other_wire() {
    // y = x^2 and y = x^2 - x^3/2: to be told apart they have to be seen from far enough
    for (start, speed) in [
        (-0.841, 0.5),
        (-0.7, 0.3),
        (-1.0, 1.0),
        (-0.5, 2.0),
        (0.9, -0.4),
    ] {
        let text = format!(
            "coordinates: [x, y]\nlagrangian: (x'^2 + y'^2)/2 - 2*y\n\
             constraints: {{w: \"(y - x^2)*(y - x^2 + x^3/2)\"}}\n\
             start: {{x: {start}, y: {}, x': {speed}, y': {}}}\n",
            start * start,
            2.0 * start * speed
        );
        for method in Method::ALL {
            let motion = run(&text, (8.0, 1e-9, 100), method);
            for s in &motion.samples {
                let off = s.x[1] - s.x[0] * s.x[0];
                assert!(off.abs() < 1e-9, "{text} {method} at {}: {off}", s.t);
            }
        }
    }
}

#[test]
fn each_of_many_singular_configurations_in_one_passage_is_told() {
    // cranks that turn against each other, driven by a constant torque against drag: all but a polynomial, so that one
    // passage goes past dozens of the configurations cos th = 0
    for (k, b, until) in [
        (2.0, 0.05, 6.0),
        (10.0, 0.3, 6.0),
        (20.0, 0.1, 6.0),
        (2.5, 0.07, 8.0),
    ] {
        let (start, speed) = (0.688, 1.0);
        let text = format!(
            "coordinates: [th, ph]\nlagrangian: th'^2/2 + ph'^2/4 - {k}*th\nconstraints: {{c: sin(th) - sin(ph)}}\n\
             forces: {{th: \"-{b}*th'\"}}\nstart: {{th: {start}, ph: pi - {start}, th': {speed}, ph': -{speed}}}\n"
        );
        // 3/2 th'' = -k - b th'
        let (rate, limit) = (b / 1.5, -k / b);
        let th = |t: f64| start + limit * t - (speed - limit) * f64::exp_m1(-rate * t) / rate;
        let places = 100_000;
        let at = |i: u32| until * f64::from(i) / f64::from(places);
        let met = |i: u32| {
            let (before, after) = (th(at(i)).cos(), th(at(i + 1)).cos());
            let part = before / (before - after);
            (before * after < 0.0).then(|| at(i) + part * (at(i + 1) - at(i)))
        };
        let instants: Vec<f64> = (0..places).filter_map(met).collect();
        for method in Method::ALL {
            let motion = run(&text, (until, 1e-9, 20), method);
            went_on(&motion, &instants, &format!("{text} {method}"));
        }
    }
}

#[test]
fn a_flat_linkage_of_ten_loops_is_told_once() {
    // ten ranks are lost at once: eleven cranks in a row, joined by ten bars
    let pair =
        |f: &dyn Fn(usize) -> String, from: usize| -> Vec<String> { (from..=10).map(f).collect() };
    let names = pair(&|i| format!("x{i}, y{i}"), 0).join(", ");
    let cranks = pair(&|i| format!("1/6*(x{i}'^2 + y{i}'^2) - 9.81*y{i}/2"), 0);
    let bars = pair(
        &|i| {
            let a = i - 1;
            format!(
                "1/6*(x{a}'^2 + x{a}'*x{i}' + x{i}'^2 + y{a}'^2 + y{a}'*y{i}' + y{i}'^2) - 9.81*(y{a} + y{i})/2"
            )
        },
        1,
    );
    let held = pair(&|i| format!("c{i}: (x{i} - {i})^2 + y{i}^2 = 1"), 0).join(", ");
    let joined = pair(
        &|i| format!("b{i}: (x{i} - x{0})^2 + (y{i} - y{0})^2 = 1", i - 1),
        1,
    );
    let start = pair(&|i| format!("x{i}: {i}, y{i}: 1, x{i}': 1, y{i}': 0"), 0).join(", ");
    let text = format!(
        "coordinates: [{names}]\nlagrangian: {} + {}\nconstraints: {{{held}, {}}}\nstart: {{{start}}}\n",
        cranks.join(" + "),
        bars.join(" + "),
        joined.join(", ")
    );
    for rtol in [1e-4, 1e-6, 1e-8, 1e-9] {
        let motion = run(&text, (0.9, rtol, 4), Method::Tangents);
        assert_eq!(motion.because, None);
        assert_eq!(motion.flags.len(), 1, "{rtol}: {:?}", motion.flags);
        assert!((motion.flags[0].t - 0.720_308).abs() < 1e-5);
    }
    // within a loose tolerance the joints are flat one after the other
    for method in Method::ALL {
        let motion = run(&text, (3.3, 1e-4, 4), method);
        assert_eq!(motion.because, None);
        let times: Vec<f64> = motion.flags.iter().map(|flag| flag.t).collect();
        assert_eq!(times.len(), 4, "{method}: {times:?}");
    }
}

#[test]
fn a_passage_is_tried_where_it_stands_and_a_swing_without_one_pays_little_for_the_lookout() {
    let text = builtin()
        .iter()
        .find(|b| b.name == "four_bar")
        .map(|b| b.text)
        .unwrap();
    let model = Model::new(System::parse(text, "test", &[]).unwrap());
    let evaluations = |speed: f64, rtol: f64| {
        let request = Request {
            overrides: Overrides {
                v: vec![(0, speed)],
                ..Overrides::default()
            },
            until: Some(10.0),
            rtol: Some(rtol),
            samples: Some(1),
            ..Request::default()
        };
        let motion = model.simulate(&request, &AtomicBool::new(false)).unwrap();
        assert!(motion.finished);
        (motion.evaluations, motion.steps + motion.rejected)
    };
    // 19 times flat: 3,200, 6,600 and 10,600 here; twice to four times that where tries fail
    for (rtol, most) in [(1e-5, 5_000), (1e-9, 10_000), (1e-12, 16_000)] {
        let (found, _) = evaluations(7.0, rtol);
        assert!(found < most, "{rtol}: {found}");
    }
    // twelve evaluations a step, and a try at the beginning
    let (found, steps) = evaluations(0.0, 1e-9);
    assert!(found < 17 * steps, "{found} in {steps} steps");
}

#[test]
#[ignore = "minutes; a thousand systems"]
fn a_thousand_random_systems_pass_their_singular_configurations() {
    let first: u64 = std::env::var("SEED")
        .ok()
        .and_then(|s| s.parse().ok())
        .unwrap_or(1000);
    let mut wrong = Vec::new();
    let (mut worst, mut merged) = (0.0_f64, 0);
    for seed in first
        ..first
            + std::env::var("COUNT")
                .ok()
                .and_then(|s| s.parse().ok())
                .unwrap_or(1000)
    {
        match attacked(seed) {
            Ok(passed) => {
                worst = worst.max(passed.parts);
                merged += passed.merged;
            }
            Err(why) => {
                println!("{why}\n");
                wrong.push(seed);
            }
        }
    }
    println!("worst {worst:.0} rtol, {merged} zeros told as one with others");
    assert!(wrong.is_empty(), "{} wrong: {wrong:?}", wrong.len());
}
