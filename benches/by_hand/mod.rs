//! Systems written by hand: what a file is measured against.

use holonom::solver::{ConstraintValue, Dynamics, Instant, Pattern};

const G: f64 = 9.81;

/// The bead on x2 = x1^2, m = 1, by hand.
pub struct Bead;

impl Dynamics for Bead {
    fn coordinates(&self) -> usize {
        2
    }
    fn constraints(&self) -> usize {
        1
    }
    fn constraint(&self, _t: f64, x: &[f64], out: &mut ConstraintValue) {
        out.residual[0] = x[1] - x[0] * x[0];
        out.scale[0] = x[1].abs() + x[0] * x[0] + f64::MIN_POSITIVE;
        out.f_t[0] = 0.0;
        out.jacobian[(0, 0)] = -2.0 * x[0];
        out.jacobian[(0, 1)] = 1.0;
    }
    fn instant(&self, t: f64, x: &[f64], v: &[f64], out: &mut Instant) {
        self.constraint(t, x, &mut out.constraint);
        out.mass.fill_with_identity();
        out.bias[0] = 0.0;
        out.bias[1] = 9.81;
        out.gamma[0] = 2.0 * v[0] * v[0];
        out.energy = 0.5 * (v[0] * v[0] + v[1] * v[1]) + 9.81 * x[1];
    }
    fn factors(&self, _t: f64, x: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.push(x[0]);
    }
}

/// x1 x2 x3 = 1/2, x1 + x2 = 3, m = k = 1, by hand.
pub struct ProductAndSum;

impl Dynamics for ProductAndSum {
    fn coordinates(&self) -> usize {
        3
    }
    fn constraints(&self) -> usize {
        2
    }
    fn constraint(&self, _t: f64, x: &[f64], out: &mut ConstraintValue) {
        let product = x[0] * x[1] * x[2];
        out.residual[0] = product - 0.5;
        out.residual[1] = x[0] + x[1] - 3.0;
        out.scale[0] = product.abs() + 0.5;
        out.scale[1] = x[0].abs() + x[1].abs() + 3.0;
        out.f_t.fill(0.0);
        out.jacobian[(0, 0)] = x[1] * x[2];
        out.jacobian[(0, 1)] = x[0] * x[2];
        out.jacobian[(0, 2)] = x[0] * x[1];
        out.jacobian[(1, 0)] = 1.0;
        out.jacobian[(1, 1)] = 1.0;
        out.jacobian[(1, 2)] = 0.0;
    }
    fn instant(&self, t: f64, x: &[f64], v: &[f64], out: &mut Instant) {
        self.constraint(t, x, &mut out.constraint);
        out.mass.fill_with_identity();
        let mut energy = 0.0;
        for k in 0..3 {
            out.bias[k] = x[k];
            energy += 0.5 * (v[k] * v[k] + x[k] * x[k]);
        }
        out.gamma[0] = -2.0 * (x[2] * v[0] * v[1] + x[1] * v[0] * v[2] + x[0] * v[1] * v[2]);
        out.gamma[1] = 0.0;
        out.energy = energy;
    }
    fn factors(&self, _t: f64, x: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.push(x[2]);
        out.push(x[0] - x[1]);
    }
}

/// The pendulum x^2 + y^2 = 1, m = 1, by hand.
pub struct Pendulum;

impl Dynamics for Pendulum {
    fn coordinates(&self) -> usize {
        2
    }
    fn constraints(&self) -> usize {
        1
    }
    fn constraint(&self, _t: f64, x: &[f64], out: &mut ConstraintValue) {
        let square = x[0] * x[0] + x[1] * x[1];
        out.residual[0] = square - 1.0;
        out.scale[0] = square + 1.0;
        out.f_t[0] = 0.0;
        out.jacobian[(0, 0)] = 2.0 * x[0];
        out.jacobian[(0, 1)] = 2.0 * x[1];
    }
    fn instant(&self, t: f64, x: &[f64], v: &[f64], out: &mut Instant) {
        self.constraint(t, x, &mut out.constraint);
        let square = v[0] * v[0] + v[1] * v[1];
        out.mass.fill_with_identity();
        out.bias[0] = 0.0;
        out.bias[1] = G;
        out.gamma[0] = -2.0 * square;
        out.energy = 0.5 * square + G * x[1];
    }
    fn factors(&self, _t: f64, x: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.push(x[1]);
    }
}

/// Masses of 1 on rods of length 1, hung from the origin: x1, y1, x2, y2, ... by hand, with the ordinates
/// dependent.
pub struct Chain {
    links: usize,
    pattern: Pattern,
}

impl Chain {
    /// A chain of so many links.
    pub fn new(links: usize) -> Self {
        let columns = |b: usize| (2 * b).saturating_sub(2)..2 * b + 2;
        let jacobian = (0..links).flat_map(|b| columns(b).map(move |k| (b, k)));
        let pattern = Pattern {
            mass: (0..2 * links).map(|k| (k, k)).collect(),
            jacobian: jacobian.collect(),
        };
        Self { links, pattern }
    }

    /// Both differences of a rod, of positions or velocities.
    fn rod(x: &[f64], b: usize) -> (f64, f64) {
        match b.checked_sub(1) {
            Some(a) => (x[2 * b] - x[2 * a], x[2 * b + 1] - x[2 * a + 1]),
            None => (x[0], x[1]),
        }
    }
}

impl Dynamics for Chain {
    fn coordinates(&self) -> usize {
        2 * self.links
    }
    fn constraints(&self) -> usize {
        self.links
    }
    fn constraint(&self, _t: f64, x: &[f64], out: &mut ConstraintValue) {
        for b in 0..self.links {
            let (dx, dy) = Self::rod(x, b);
            let square = dx * dx + dy * dy;
            out.residual[b] = square - 1.0;
            out.scale[b] = square + 1.0;
            out.f_t[b] = 0.0;
            out.jacobian[(b, 2 * b)] = 2.0 * dx;
            out.jacobian[(b, 2 * b + 1)] = 2.0 * dy;
            if b > 0 {
                out.jacobian[(b, 2 * b - 2)] = -2.0 * dx;
                out.jacobian[(b, 2 * b - 1)] = -2.0 * dy;
            }
        }
    }
    fn instant(&self, t: f64, x: &[f64], v: &[f64], out: &mut Instant) {
        self.constraint(t, x, &mut out.constraint);
        let mut energy = 0.0;
        for b in 0..self.links {
            let (dx, dy) = Self::rod(v, b);
            out.gamma[b] = -2.0 * (dx * dx + dy * dy);
            out.bias[2 * b] = 0.0;
            out.bias[2 * b + 1] = G;
            out.mass[(2 * b, 2 * b)] = 1.0;
            out.mass[(2 * b + 1, 2 * b + 1)] = 1.0;
            energy += 0.5 * (v[2 * b] * v[2 * b] + v[2 * b + 1] * v[2 * b + 1]);
            energy += G * x[2 * b + 1];
        }
        out.energy = energy;
    }
    fn pattern(&self) -> Option<&Pattern> {
        Some(&self.pattern)
    }
    fn factors(&self, _t: f64, x: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.extend((0..self.links).map(|b| Self::rod(x, b).1));
    }
}

/// Andrews' squeezing mechanism, from the formulas of the Test Set for IVP Solvers.
pub struct Andrews;

const M: [f64; 8] = [
    0.0, 0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498,
];
const I: [f64; 8] = [
    0.0, 2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5,
];
const A: [f64; 2] = [-0.06934, -0.00227];
const B: [f64; 2] = [-0.03635, 0.03273];
const C: [f64; 2] = [0.014, 0.072];
const C0: f64 = 4530.0;
const L0: f64 = 0.07785;
const D: f64 = 0.028;
const DA: f64 = 0.0115;
const E: f64 = 0.02;
const EA: f64 = 0.01421;
const RR: f64 = 0.007;
const RA: f64 = 0.00092;
const SS: f64 = 0.035;
const SA: f64 = 0.01874;
const SB: f64 = 0.01043;
const SC: f64 = 0.018;
const SD: f64 = 0.02;
const TA: f64 = 0.02308;
const TB: f64 = 0.00916;
const U: f64 = 0.04;
const UA: f64 = 0.01228;
const UB: f64 = 0.00449;
const ZF: f64 = 0.02;
const ZT: f64 = 0.04;
const FA: f64 = 0.01421;
const MOM: f64 = 0.033;

impl Dynamics for Andrews {
    fn coordinates(&self) -> usize {
        7
    }
    fn constraints(&self) -> usize {
        6
    }
    fn constraint(&self, _t: f64, q: &[f64], out: &mut ConstraintValue) {
        let [be, th, ga, ph, de, om, ep] = [q[0], q[1], q[2], q[3], q[4], q[5], q[6]];
        let (sbe, cbe) = be.sin_cos();
        let (sbt, cbt) = (be + th).sin_cos();
        let (sga, cga) = ga.sin_cos();
        let (spd, cpd) = (ph + de).sin_cos();
        let (sde, cde) = de.sin_cos();
        let (soe, coe) = (om + ep).sin_cos();
        let (sep, cep) = ep.sin_cos();
        let (x, y) = (RR * cbe - D * cbt, RR * sbe - D * sbt);
        let terms = [
            [SS * sga, B[0], 0.0],
            [-SS * cga, B[1], 0.0],
            [E * spd, ZT * cde, A[0]],
            [-E * cpd, ZT * sde, A[1]],
            [ZF * coe, U * sep, A[0]],
            [ZF * soe, -U * cep, A[1]],
        ];
        for (b, term) in terms.iter().enumerate() {
            let (first, size) = if b % 2 == 0 {
                (x, (RR * cbe).abs() + (D * cbt).abs())
            } else {
                (y, (RR * sbe).abs() + (D * sbt).abs())
            };
            out.residual[b] = first - term[0] - term[1] - term[2];
            out.scale[b] = size + term.iter().map(|e| e.abs()).sum::<f64>();
            out.f_t[b] = 0.0;
        }
        let j = &mut out.jacobian;
        for b in [0, 2, 4] {
            j[(b, 0)] = -RR * sbe + D * sbt;
            j[(b, 1)] = D * sbt;
            j[(b + 1, 0)] = RR * cbe - D * cbt;
            j[(b + 1, 1)] = -D * cbt;
        }
        j[(0, 2)] = -SS * cga;
        j[(1, 2)] = -SS * sga;
        j[(2, 3)] = -E * cpd;
        j[(2, 4)] = -E * cpd + ZT * sde;
        j[(3, 3)] = -E * spd;
        j[(3, 4)] = -E * spd - ZT * cde;
        j[(4, 5)] = ZF * soe;
        j[(4, 6)] = ZF * soe - U * cep;
        j[(5, 5)] = -ZF * coe;
        j[(5, 6)] = -ZF * coe - U * sep;
    }
    fn instant(&self, t: f64, q: &[f64], v: &[f64], out: &mut Instant) {
        self.constraint(t, q, &mut out.constraint);
        let [be, th, ga, ph, de, om, ep] = [q[0], q[1], q[2], q[3], q[4], q[5], q[6]];
        let (sth, cth) = th.sin_cos();
        let (sph, cph) = ph.sin_cos();
        let (som, com) = om.sin_cos();
        let (sga, cga) = ga.sin_cos();
        let (g, h) = (E - EA, ZF - FA);
        let m = &mut out.mass;
        m[(0, 0)] = M[1] * RA * RA + M[2] * (RR * RR - 2.0 * DA * RR * cth + DA * DA) + I[1] + I[2];
        m[(1, 0)] = M[2] * (DA * DA - DA * RR * cth) + I[2];
        m[(1, 1)] = M[2] * DA * DA + I[2];
        m[(2, 2)] = M[3] * (SA * SA + SB * SB) + I[3];
        m[(3, 3)] = M[4] * g * g + I[4];
        m[(4, 3)] = M[4] * (g * g + ZT * g * sph) + I[4];
        m[(4, 4)] = M[4] * (ZT * ZT + 2.0 * ZT * g * sph + g * g)
            + M[5] * (TA * TA + TB * TB)
            + I[4]
            + I[5];
        m[(5, 5)] = M[6] * h * h + I[6];
        m[(6, 5)] = M[6] * (h * h - U * h * som) + I[6];
        m[(6, 6)] =
            M[6] * (h * h - 2.0 * U * h * som + U * U) + M[7] * (UA * UA + UB * UB) + I[6] + I[7];
        for (i, k) in [(1, 0), (4, 3), (6, 5)] {
            m[(k, i)] = m[(i, k)];
        }
        let mut kinetic = 0.0;
        for k in 0..7 {
            for i in 0..7 {
                kinetic += 0.5 * v[i] * m[(i, k)] * v[k];
            }
        }
        let (x, y) = (
            SD * cga + SC * sga + B[0] - C[0],
            SD * sga - SC * cga + B[1] - C[1],
        );
        let length = x.hypot(y);
        let pull = C0 * (length - L0) / length;
        let bias = &mut out.bias;
        bias[0] = -MOM + M[2] * DA * RR * v[1] * (v[1] + 2.0 * v[0]) * sth;
        bias[1] = -M[2] * DA * RR * v[0] * v[0] * sth;
        bias[2] = pull * (x * (SC * cga - SD * sga) + y * (SD * cga + SC * sga));
        bias[3] = -M[4] * ZT * g * v[4] * v[4] * cph;
        bias[4] = M[4] * ZT * g * v[3] * (v[3] + 2.0 * v[4]) * cph;
        bias[5] = M[6] * U * h * v[6] * v[6] * com;
        bias[6] = -M[6] * U * h * v[5] * (v[5] + 2.0 * v[6]) * com;
        out.energy = kinetic + 0.5 * C0 * (length - L0) * (length - L0);

        let (sbe, cbe) = be.sin_cos();
        let (sbt, cbt) = (be + th).sin_cos();
        let (spd, cpd) = (ph + de).sin_cos();
        let (sde, cde) = de.sin_cos();
        let (soe, coe) = (om + ep).sin_cos();
        let (sep, cep) = ep.sin_cos();
        let square = |w: f64| w * w;
        let (bt, pd, oe) = (
            square(v[0] + v[1]),
            square(v[3] + v[4]),
            square(v[5] + v[6]),
        );
        let (x, y) = (
            RR * cbe * square(v[0]) - D * cbt * bt,
            RR * sbe * square(v[0]) - D * sbt * bt,
        );
        out.gamma[0] = x - SS * sga * square(v[2]);
        out.gamma[1] = y + SS * cga * square(v[2]);
        out.gamma[2] = x - E * spd * pd - ZT * cde * square(v[4]);
        out.gamma[3] = y + E * cpd * pd - ZT * sde * square(v[4]);
        out.gamma[4] = x - ZF * coe * oe - U * sep * square(v[6]);
        out.gamma[5] = y - ZF * soe * oe + U * cep * square(v[6]);
    }
    fn factors(&self, _t: f64, q: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.extend([(q[0] + q[1] - q[2]).cos(), q[3].cos(), q[5].cos()]);
    }
}

/// A chain of unit masses on unit rods as a file, the rods at angles that grow from `first` by `bend`
/// from the vertical.
pub fn chain_file(links: usize, first: f64, bend: f64) -> String {
    let join = |each: &dyn Fn(usize) -> String, between: &str| {
        let parts: Vec<String> = (1..=links).map(each).collect();
        parts.join(between)
    };
    let rods = join(
        &|i| match i {
            1 => "  rod1: {f: x1^2 + y1^2, c: 1}".to_owned(),
            _ => format!(
                "  rod{i}: {{f: (x{i} - x{0})^2 + (y{i} - y{0})^2, c: 1}}",
                i - 1
            ),
        },
        "\n",
    );
    let place = |i: usize| {
        (1..=i).fold((0.0, 0.0), |(x, y), j| {
            let angle = first + bend * (j - 1) as f64;
            (x + angle.sin(), y - angle.cos())
        })
    };
    format!(
        "coordinates: [{}]\nparameters: {{g: 9.81}}\nkinetic: {}\npotential: {}\nconstraints:\n{rods}\n\
         dependent: [{}]\nstart: {{{}}}\n",
        join(&|i| format!("x{i}, y{i}"), ", "),
        join(&|i| format!("(x{i}'^2 + y{i}'^2)/2"), " + "),
        join(&|i| format!("g*y{i}"), " + "),
        join(&|i| format!("y{i}"), ", "),
        join(
            &|i| {
                let (x, y) = place(i);
                format!("x{i}: {x:?}, y{i}: {y:?}")
            },
            ", "
        ),
    )
}
