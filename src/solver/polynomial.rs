//! Polynomials with given values and derivatives at both ends (Hermite's), and those of Legendre.

/// The polynomial of degree 5 with these values and derivatives at 0 and 1, and its own two derivatives.
pub(super) fn quintic(s: f64, [p, v, a]: [f64; 3], [q, w, b]: [f64; 3]) -> [f64; 3] {
    let (way, speed, rate) = ((q - p) - v - 0.5 * a, w - v - a, b - a);
    let cube = 10.0 * way - 4.0 * speed + 0.5 * rate;
    let fourth = -15.0 * way + 7.0 * speed - rate;
    let fifth = 6.0 * way - 3.0 * speed + 0.5 * rate;
    [
        p + s * (v + s * (0.5 * a + s * (cube + s * (fourth + s * fifth)))),
        v + s * (a + s * (3.0 * cube + s * (4.0 * fourth + s * 5.0 * fifth))),
        a + s * (6.0 * cube + s * (12.0 * fourth + s * 20.0 * fifth)),
    ]
}

/// The polynomial of degree 3 with these values and derivatives at 0 and 1, and its own derivative.
pub(super) fn cubic(s: f64, [p, v]: [f64; 2], [q, w]: [f64; 2]) -> [f64; 2] {
    let (way, speed) = ((q - p) - v, w - v);
    let square = 3.0 * way - speed;
    let cube = speed - 2.0 * way;
    [
        p + s * (v + s * (square + s * cube)),
        v + s * (2.0 * square + s * 3.0 * cube),
    ]
}

/// `P_0` to `P_(N-1)` at z.
pub(super) fn legendre<const N: usize>(z: f64) -> [f64; N] {
    let mut p = [1.0; N];
    for k in 1..N {
        let below = if k > 1 { p[k - 2] } else { 0.0 };
        p[k] = ((2 * k - 1) as f64 * z * p[k - 1] - (k - 1) as f64 * below) / k as f64;
    }
    p
}

#[cfg(test)]
mod tests {
    use super::quintic;

    #[test]
    fn the_quintic_reproduces_polynomials_of_degree_five_and_their_derivatives() {
        for power in 0..=5 {
            let p = f64::from(power);
            let at = |s: f64| -> [f64; 3] {
                let term = |less: i32, factor: f64| {
                    if power >= less {
                        factor * s.powi(power - less)
                    } else {
                        0.0
                    }
                };
                [term(0, 1.0), term(1, p), term(2, p * (p - 1.0))]
            };
            for s in [0.0, 0.2, 0.7, 1.0] {
                let found = quintic(s, at(0.0), at(1.0));
                for (value, known) in found.iter().zip(at(s)) {
                    assert!((value - known).abs() < 1e-13, "{power} {s} {found:?}");
                }
            }
        }
    }
}
