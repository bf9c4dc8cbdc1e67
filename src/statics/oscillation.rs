//! A small oscillation about an equilibrium, to be looked at.
//!
//! ```text
//! x(phi) = x0 + eps Re(u e^(i phi))      u the shape of the mode, its largest entry 1
//! ```
//!
//! then back to f = c by Newton's method of least norm. eps is as large as can well be seen: what is drawn
//! moves by a part of its own size, an angle by a part of its period, and where the constraints do not follow
//! that far it is halved until they do.

/// Pictures of one oscillation.
pub const PHASES: usize = 32;
/// What is drawn moves by this part of its size.
const SEEN: f64 = 0.15;
/// An angle moves by this part of its period at most.
const TURN: f64 = 0.06;
/// The amplitude is halved so often at most.
const HALVINGS: usize = 10;
/// The way back to the constraints may be this part of the amplitude.
const AWAY: f64 = 0.6;
/// Pieces of a wire an amplitude,
const WIRE: usize = 8;
/// and amplitudes that it is drawn to on each side.
const BEYOND: usize = 3;
/// A step by which it is found out how far a picture moves, in units of max(1, |x|).
const TRIAL: f64 = 1e-4;

/// What is to be seen.
#[derive(Clone, Debug, PartialEq)]
pub struct Oscillated {
    /// The time.
    pub t: f64,
    /// The equilibrium.
    pub x: Vec<f64>,
    /// Real and imaginary part of the shape, one a coordinate; empty for a picture that does not move.
    pub shape: Vec<(f64, f64)>,
    /// Coordinates that are angles, with their period.
    pub periods: Vec<(usize, f64)>,
}

/// An oscillation in positions.
#[derive(Clone, Debug, PartialEq)]
pub struct Positions {
    /// The amplitude of the coordinate that moves most; 0 where nothing moves.
    pub amplitude: f64,
    /// On the constraints, at equal steps of the phase; one where nothing moves.
    pub list: Vec<Vec<f64>>,
    /// Where constraints leave one degree of freedom: the curve that they leave, beyond both ends of the swing.
    pub wire: Vec<Vec<f64>>,
}

/// A position in units of the coordinates, to be brought back to the constraints.
type Back<'a> = dyn Fn(&[f64], Vec<f64>) -> Option<Vec<f64>> + 'a;
/// The places of each of some positions.
type Drawn<'a> = dyn Fn(&[Vec<f64>]) -> Vec<Vec<[f64; 2]>> + 'a;

/// Where it swings.
pub struct Surroundings<'a> {
    /// How many constraints there are.
    pub constraints: usize,
    /// The way back to them; `None` where it is not found.
    pub back: &'a Back<'a>,
    /// The places in the plane of the picture that belong to positions.
    pub drawn: &'a Drawn<'a>,
}

/// The positions of an oscillation.
pub fn positions(wanted: &Oscillated, around: &Surroundings) -> Positions {
    let still = || Positions {
        amplitude: 0.0,
        list: vec![wanted.x.clone()],
        wire: Vec::new(),
    };
    if wanted.shape.len() != wanted.x.len() {
        return still();
    }
    let mut amplitude = visible(wanted, around);
    for _ in 0..HALVINGS {
        if !(amplitude.is_finite() && amplitude > 0.0) {
            break;
        }
        let list = (0..PHASES).map(|i| swung(wanted, around, amplitude, phase(i)));
        if let Some(list) = list.collect::<Option<Vec<_>>>() {
            return Positions {
                amplitude,
                list,
                wire: wire(wanted, around, amplitude),
            };
        }
        amplitude /= 2.0;
    }
    still()
}

fn wire(wanted: &Oscillated, around: &Surroundings, amplitude: f64) -> Vec<Vec<f64>> {
    let n = wanted.x.len();
    if n < 2 || around.constraints + 1 != n {
        return Vec::new();
    }
    let side = |sign: f64| {
        let steps = (1..=WIRE * BEYOND).map_while(move |step| {
            let far = sign * amplitude * step as f64 / WIRE as f64;
            swung(wanted, around, far, 0.0)
        });
        steps.collect::<Vec<_>>()
    };
    let mut positions = side(-1.0);
    positions.reverse();
    positions.push(wanted.x.clone());
    positions.extend(side(1.0));
    positions
}

/// The position at a phase; `None` where the constraints are too far from it.
fn swung(
    wanted: &Oscillated,
    around: &Surroundings,
    amplitude: f64,
    phase: f64,
) -> Option<Vec<f64>> {
    let (sin, cos) = phase.sin_cos();
    let by: Vec<f64> = wanted
        .shape
        .iter()
        .map(|(re, im)| amplitude * (re * cos - im * sin))
        .collect();
    let straight: Vec<f64> = wanted.x.iter().zip(&by).map(|(x, d)| x + d).collect();
    if around.constraints == 0 {
        return Some(straight);
    }
    let amplitude = amplitude.abs();
    let units = vec![amplitude; by.len()];
    let back = (around.back)(&units, straight.clone())?;
    let away = back
        .iter()
        .zip(&straight)
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, f64::max);
    (away <= AWAY * amplitude).then_some(back)
}

/// The amplitude with which the picture moves by a part of its size.
fn visible(wanted: &Oscillated, around: &Surroundings) -> f64 {
    let top = wanted.x.iter().fold(1.0_f64, |top, v| top.max(v.abs()));
    let trial = TRIAL * top;
    let moved: Vec<Vec<f64>> = [0.0, 0.25]
        .iter()
        .map(|turn| {
            let (sin, cos) = (turn * std::f64::consts::TAU).sin_cos();
            let parts = wanted.x.iter().zip(&wanted.shape);
            parts
                .map(|(x, (re, im))| x + trial * (re * cos - im * sin))
                .collect()
        })
        .collect();
    let mut positions = vec![wanted.x.clone()];
    positions.extend(moved);
    let places = (around.drawn)(&positions);
    let mut amplitude = f64::INFINITY;
    if let Some((first, others)) = places.split_first() {
        let size = size_of(first).max(if first.len() < 2 { top } else { 0.0 });
        let mut moves = 0.0_f64;
        for (a, b) in others.iter().flat_map(|o| first.iter().zip(o)) {
            moves = moves.max((a[0] - b[0]).hypot(a[1] - b[1]) / trial);
        }
        if moves > 1e-6 && size > 0.0 {
            amplitude = SEEN * size / moves;
        }
    }
    for &(k, period) in &wanted.periods {
        let part = wanted.shape.get(k).map_or(0.0, |(re, im)| re.hypot(*im));
        if part > 0.0 {
            amplitude = amplitude.min(TURN * period / part);
        }
    }
    if amplitude.is_finite() {
        amplitude
    } else {
        // along the line of sight: nothing of it is seen, whatever the amplitude
        SEEN * top
    }
}

/// The phase of a picture.
fn phase(index: usize) -> f64 {
    std::f64::consts::TAU * index as f64 / PHASES as f64
}

/// The longer side of the box round places.
fn size_of(places: &[[f64; 2]]) -> f64 {
    let side = |k: usize| {
        let values = places.iter().map(|p| p[k]).filter(|v| v.is_finite());
        let ends = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| {
            (lo.min(v), hi.max(v))
        });
        (ends.1 - ends.0).max(0.0)
    };
    side(0).max(side(1))
}
