//! Stand-in for the analysis until it lands: the bead on a parabola, integrated by hand.
#![allow(missing_docs)]

use std::sync::atomic::{AtomicBool, Ordering};

pub use crate::system::Diagnostic;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlagKind {
    Chart,
    Rank,
}

pub enum Broken {
    Text(Vec<Diagnostic>),
    Request(String),
    Cancelled,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    Chart,
    Rank,
    Smoothness,
}

#[derive(Clone, Debug, Default)]
pub struct Sample {
    pub t: f64,
    pub x: Vec<f64>,
    pub v: Vec<f64>,
    pub lambda: Vec<f64>,
    pub reaction: Vec<f64>,
    pub determinant: f64,
    pub energy: f64,
}

#[derive(Clone, Debug)]
pub struct Flag {
    pub t: f64,
    pub kind: FlagKind,
    pub from: Vec<usize>,
    pub to: Option<Vec<usize>>,
    pub x: Vec<f64>,
}

#[derive(Clone, Debug, Default)]
pub struct Motion {
    pub samples: Vec<Sample>,
    pub flags: Vec<Flag>,
    pub finished: bool,
    pub because: Option<String>,
    pub notes: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct SingularLine {
    pub equation: String,
    pub points: Option<Vec<Vec<f64>>>,
}

#[derive(Clone, Debug)]
pub struct BranchLine {
    pub condition: String,
    pub functions: Vec<(String, String)>,
}

#[derive(Clone, Debug)]
pub struct PlotData {
    pub title: String,
    pub x: (String, Vec<f64>),
    pub y: Vec<(String, Vec<f64>)>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drawing {
    pub points: Vec<[f64; 2]>,
    pub lines: Vec<Vec<[f64; 2]>>,
}

#[derive(Clone, Debug)]
pub struct Analysis {
    pub title: String,
    pub coordinates: Vec<String>,
    pub constraints: Vec<String>,
    pub parameters: Vec<(String, f64)>,
    pub dependent: Vec<usize>,
    pub independent: Vec<usize>,
    pub jacobian: Vec<Vec<String>>,
    pub determinant: Option<String>,
    pub singular: Vec<SingularLine>,
    pub branches: Vec<BranchLine>,
    pub equations: Vec<(String, String)>,
    pub motion: Motion,
    pub plots: Vec<PlotData>,
    pub notes: Vec<String>,
    pub until: f64,
    pub drawings: Vec<Drawing>,
}

#[derive(Clone, Debug)]
pub struct Look {
    pub jacobian: Vec<Vec<f64>>,
    pub rank: usize,
    pub determinant: f64,
    pub condition: Option<f64>,
    pub holds: bool,
    pub kind: Option<FailureKind>,
    pub because: String,
    pub alternatives: Vec<Vec<usize>>,
    pub branch: Option<usize>,
    pub distance: Option<f64>,
}

impl Analysis {
    pub fn look(&self, _t: f64, x: &[f64]) -> Look {
        let det = -2.0 * x[0];
        let holds = det.abs() > 1e-12;
        Look {
            jacobian: vec![vec![det, 1.0]],
            rank: 1,
            determinant: det,
            condition: holds.then_some(1.0),
            holds,
            kind: (!holds).then_some(FailureKind::Chart),
            because: "x1 = 0 makes the determinant zero".into(),
            alternatives: vec![vec![1]],
            branch: Some(usize::from(x[0] < 0.0)),
            distance: Some(det.abs() / (det * det + 1.0).sqrt()),
        }
    }

    pub fn columns(&self) -> Vec<String> {
        let names = "t x1 x2 x1' x2' lambda_wire det energy";
        names.split(' ').map(str::to_owned).collect()
    }

    pub fn column(&self, name: &str) -> Option<Vec<f64>> {
        let at = self.columns().iter().position(|c| c == name)?;
        let pick = |s: &Sample| match at {
            0 => s.t,
            1 | 2 => s.x[at - 1],
            3 | 4 => s.v[at - 3],
            5 => s.lambda[0],
            6 => s.determinant,
            _ => s.energy,
        };
        Some(self.motion.samples.iter().map(pick).collect())
    }
}

fn derivative(g: f64, x: f64, v: f64) -> f64 {
    -(4.0 * x * v * v + 2.0 * g * x) / (1.0 + 4.0 * x * x)
}

pub const BEAD: &str = "\
name: Bead on a parabolic wire
source: NRL Memorandum Report 6001, section 10
coordinates: [x1, x2]
parameters: {m: 1, g: 9.81}
lagrangian: 1/2*m*(x1'^2 + x2'^2) - m*g*x2
constraints:
  wire: x2 - x1^2
dependent: [x1]
start: {x1: 1, x2: 1, x1': 0, x2': 0}
run: {until: 10}
";

pub fn analyse(
    text: &str,
    file: &str,
    _set: &[(String, String)],
    cancel: &AtomicBool,
) -> Result<Analysis, Broken> {
    if let Some(at) = text.find("x3") {
        let error = Diagnostic::at(file, text, at..at + 2, "unknown name `x3`");
        return Err(Broken::Text(vec![error.with_help("did you mean `x2`?")]));
    }
    let g = text
        .split("g: ")
        .nth(1)
        .and_then(|rest| rest.split('}').next())
        .and_then(|number| number.trim().parse().ok());
    let Some(g) = g else {
        let error = Diagnostic::without_place(file, "there is no number g");
        return Err(Broken::Text(vec![error]));
    };
    let (mut x, mut v): (f64, f64) = (1.0, 0.0);
    let mut motion = Motion {
        finished: true,
        ..Motion::default()
    };
    let h = 0.001;
    for step in 0..=10_000_i32 {
        if cancel.load(Ordering::Relaxed) {
            return Err(Broken::Cancelled);
        }
        let t = f64::from(step) * h;
        if step % 10 == 0 {
            let a = derivative(g, x, v);
            motion.samples.push(Sample {
                t,
                x: vec![x, x * x],
                v: vec![v, 2.0 * x * v],
                lambda: vec![g + 2.0 * v * v + 2.0 * x * a],
                reaction: vec![0.0, 0.0],
                determinant: -2.0 * x,
                energy: 0.5 * (1.0 + 4.0 * x * x) * v * v + g * x * x,
            });
        }
        let before = x;
        let (k1, l1) = (v, derivative(g, x, v));
        let (k2, l2) = (
            v + h / 2.0 * l1,
            derivative(g, x + h / 2.0 * k1, v + h / 2.0 * l1),
        );
        let (k3, l3) = (
            v + h / 2.0 * l2,
            derivative(g, x + h / 2.0 * k2, v + h / 2.0 * l2),
        );
        let (k4, l4) = (v + h * l3, derivative(g, x + h * k3, v + h * l3));
        x += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
        v += h / 6.0 * (l1 + 2.0 * l2 + 2.0 * l3 + l4);
        if before * x < 0.0 {
            motion.flags.push(Flag {
                t: t + h * before / (before - x),
                kind: FlagKind::Chart,
                from: vec![0],
                to: Some(vec![1]),
                x: vec![0.0, 0.0],
            });
        }
    }
    let branch = |condition: &str, function: &str| BranchLine {
        condition: condition.into(),
        functions: vec![("x1".into(), function.into())],
    };
    Ok(Analysis {
        title: "Bead on a parabolic wire".into(),
        coordinates: vec!["x1".into(), "x2".into()],
        constraints: vec!["wire".into()],
        parameters: vec![("m".into(), 1.0), ("g".into(), g)],
        dependent: vec![0],
        independent: vec![1],
        jacobian: vec![vec!["-2 x1".into(), "1".into()]],
        determinant: Some("-2 x1".into()),
        singular: vec![SingularLine {
            equation: "x1 = 0".into(),
            points: Some(vec![vec![0.0, 0.0]]),
        }],
        branches: vec![
            branch("x1 > 0", "√(x2 - y_wire)"),
            branch("x1 < 0", "-√(x2 - y_wire)"),
        ],
        equations: vec![
            ("multiplier, eq. 4".into(), "λ_wire = -m x1″/(2 x1)".into()),
            (
                "reduced, eq. 2".into(),
                "m x2″ + m g + m x1″/(2 x1) = 0".into(),
            ),
        ],
        motion,
        plots: Vec::new(),
        notes: Vec::new(),
        until: 10.0,
        drawings: Vec::new(),
    })
}
