//! The time shown, and how it moves.

use crate::solver::{Flag, Motion, Sample};

/// Speeds in motion seconds a second.
const SPEEDS: [f64; 19] = [
    0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0,
    200.0, 500.0, 1000.0,
];
/// The place of 1 in [`SPEEDS`].
const NORMAL: usize = 9;
/// A motion that lasts longer than this at the speed 1 is played faster at first, seconds.
const LONG: f64 = 60.0;
/// One that is over sooner is played slower.
const SHORT: f64 = 2.0;
/// How long the last instant stays before the motion begins anew, seconds.
const REST: f64 = 1.0;
/// How long a failure is spoken of after it was passed, seconds of the wall.
const AFTER: f64 = 0.7;

/// Part of a step that is rounding.
const SLACK: f64 = 1e-6;

/// The time shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Playhead {
    /// Time of the motion.
    pub t: f64,
    /// Whether it moves by itself.
    pub playing: bool,
    speed: usize,
    /// Was the speed chosen for a part of the motion, as long as all of it is to be?
    provisional: bool,
    /// Seconds that it has stood at the end.
    rested: f64,
}

impl Default for Playhead {
    fn default() -> Self {
        Self {
            t: 0.0,
            playing: true,
            speed: NORMAL,
            provisional: false,
            rested: 0.0,
        }
    }
}

impl Playhead {
    /// Motion seconds a second.
    pub fn speed(&self) -> f64 {
        SPEEDS[self.speed]
    }

    /// The next higher speed, or lower.
    pub fn change_speed(&mut self, faster: bool) {
        self.provisional = false;
        self.speed = if faster {
            (self.speed + 1).min(SPEEDS.len() - 1)
        } else {
            self.speed.saturating_sub(1)
        };
    }

    /// At the start of another motion, of which this part of its time is there, at a speed that lets one watch it.
    pub fn begin(&mut self, motion: &Motion, part: f64) {
        let Some(ends) = motion.ends() else {
            return;
        };
        self.t = ends.0;
        self.rested = 0.0;
        self.pace(ends, part);
    }

    fn pace(&mut self, (start, end): (f64, f64), part: f64) {
        self.provisional = part < 1.0;
        self.speed = NORMAL;
        let lasts = (end - start).abs() / part;
        while lasts / self.speed() > LONG && self.speed + 1 < SPEEDS.len() {
            self.speed += 1;
        }
        while lasts > 0.0 && lasts / self.speed() < SHORT && self.speed > 0 {
            self.speed -= 1;
        }
    }

    /// More of the motion is there, or another that takes its place.
    pub fn extend(&mut self, motion: &Motion, part: f64) {
        if let Some(ends) = motion.ends().filter(|_| self.provisional) {
            self.pace(ends, part);
        }
        self.settle(motion);
    }

    /// Stays within the motion.
    fn settle(&mut self, motion: &Motion) {
        if let Some((start, end)) = motion.ends() {
            self.t = self.t.clamp(start.min(end), start.max(end));
        }
    }

    /// Moves to a time, as far as the motion goes.
    pub fn go(&mut self, motion: &Motion, t: f64) {
        self.t = t;
        self.rested = 0.0;
        self.settle(motion);
    }

    /// Lets `seconds` of the wall pass; whether the time shown has changed.
    ///
    /// It stops for one picture at each flag, so that the instant of a failure is seen, and begins
    /// anew after the end.
    pub fn pass(&mut self, motion: &Motion, seconds: f64) -> bool {
        let Some((start, end)) = motion.ends().filter(|_| self.playing) else {
            return false;
        };
        if start.total_cmp(&end).is_eq() {
            return false;
        }
        let way = (end - start).signum();
        let before = self.t;
        if (end - self.t) * way <= 0.0 {
            self.rested += seconds;
            if self.rested >= REST {
                self.rested = 0.0;
                self.t = start;
            }
        } else {
            let aim = self.t + way * seconds * self.speed();
            let passed = |t: f64| (t - before) * way > 0.0 && (aim - t) * way > 0.0;
            let first = events(motion)
                .filter(|&t| passed(t))
                .reduce(|a, b| if (b - a) * way < 0.0 { b } else { a });
            self.t = first.unwrap_or(aim);
            if (self.t - end) * way > 0.0 {
                self.t = end;
            }
        }
        self.t.to_bits() != before.to_bits()
    }

    /// Moves to the nearest sample: there every number is the solver's own, and none lies between two. A flag or an
    /// event is such a place too.
    pub fn rest_on_sample(&mut self, motion: &Motion) {
        if motion.known(self.t).is_none() {
            self.t = nearest(motion, self.t);
        }
    }

    /// One sample on or back, many of them for a leap; the flags between are not passed by.
    pub fn step(&mut self, motion: &Motion, steps: f64) {
        let Some((start, end)) = motion.ends() else {
            return;
        };
        let count = motion.samples.len().saturating_sub(1).max(1);
        // a plot is about as many dots wide as this: a step is seen
        let unit = (end - start) / (count as f64).min(200.0);
        let aim = self.t + steps * unit;
        let (low, high) = (self.t.min(aim), self.t.max(aim));
        let between = events(motion).filter(|&t| low < t && t < high);
        let first = between.reduce(|a, b| {
            if (b - self.t).abs() < (a - self.t).abs() {
                b
            } else {
                a
            }
        });
        let aim = first.filter(|_| steps.abs() <= 1.0).unwrap_or_else(|| {
            // the sample there, or where it is between two the one on this side: so a step back from a flag
            // and one on come to the flag again
            let near = nearest(motion, aim);
            let short = self::between(motion, aim).map_or(aim, |at| {
                let (a, b) = (at.a.t, at.b.t);
                if (a - self.t).abs() < (b - self.t).abs() {
                    a
                } else {
                    b
                }
            });
            if (near - aim).abs() <= SLACK * unit.abs() {
                near
            } else {
                short
            }
        });
        // behind the last sample there may be the place where the motion stopped
        let stays = aim.total_cmp(&self.t).is_eq();
        let onward = (end - start) * steps > 0.0;
        self.go(motion, if stays && onward { end } else { aim });
    }

    /// The flag after the time shown (or before it) in the direction of the motion.
    pub fn neighbour(&self, motion: &Motion, after: bool) -> Option<usize> {
        let (start, end) = motion.ends()?;
        let way = if (end < start) == after { -1.0 } else { 1.0 };
        let distance = |flag: usize| (motion.flags[flag].t - self.t) * way;
        (0..motion.flags.len())
            .filter(|&flag| distance(flag) > 0.0)
            .min_by(|&a, &b| distance(a).total_cmp(&distance(b)))
    }

    /// The flag at the very time shown.
    pub fn flag(&self, motion: &Motion) -> Option<usize> {
        let same = |flag: &Flag| flag.t.total_cmp(&self.t).is_eq();
        motion.flags.iter().position(same)
    }

    /// The flag that was passed a moment ago while the motion plays; what stands still is looked at
    /// exactly.
    pub fn passed(&self, motion: &Motion) -> Option<usize> {
        motion.ends().filter(|_| self.playing)?;
        let way = motion.way();
        let since = |flag: usize| (self.t - motion.flags[flag].t) * way / self.speed();
        (0..motion.flags.len())
            .filter(|&flag| 0.0 < since(flag) && since(flag) <= AFTER)
            .min_by(|&a, &b| since(a).total_cmp(&since(b)))
    }
}

/// When something happens: flags, releases, the stop.
fn events(motion: &Motion) -> impl Iterator<Item = f64> {
    let marks = motion.marks.iter().map(|mark| mark.t);
    motion.flags.iter().map(|flag| flag.t).chain(marks)
}

/// A piece of a motion: the samples before and after a time, and how far it is between them.
#[derive(Clone, Copy, Debug)]
pub struct Between<'a> {
    /// The sample before.
    pub a: &'a Sample,
    /// The sample after.
    pub b: &'a Sample,
    /// The number of `a`.
    pub place: usize,
    /// 0 at `a`, 1 at `b`.
    pub part: f64,
}

impl Between<'_> {
    /// What lies between two values, one a sample; where one is missing the other.
    pub fn of(&self, list: &[f64]) -> f64 {
        let a = list.get(self.place).copied().unwrap_or(f64::NAN);
        let b = list.get(self.place + 1).copied().unwrap_or(a);
        a * (1.0 - self.part) + b * self.part
    }
}

/// The time of the sample nearest to a time.
fn nearest(motion: &Motion, t: f64) -> f64 {
    between(motion, t).map_or(t, |at| if at.part > 0.5 { at.b.t } else { at.a.t })
}

/// The samples round a time.
pub fn between(motion: &Motion, t: f64) -> Option<Between<'_>> {
    let way = motion.way();
    let after = motion
        .samples
        .partition_point(|sample| (sample.t - t) * way <= 0.0);
    let b = motion.samples.get(after).or(motion.samples.last())?;
    let place = after.saturating_sub(1);
    let a = motion.samples.get(place)?;
    let part = if b.t.total_cmp(&a.t).is_eq() {
        0.0
    } else {
        ((t - a.t) / (b.t - a.t)).clamp(0.0, 1.0)
    };
    Some(Between { a, b, place, part })
}
