//! Claims of periods, drifts and "nowhere zero", and attempts to refute them.

use super::*;
use crate::expr::SymbolKind;
use crate::theorem::scattered;

fn coordinate(pool: &Pool, index: usize) -> Expr {
    pool.symbol(
        ["x", "y"][index],
        SymbolKind::Coordinate { index, order: 0 },
    )
}

fn value(pool: &Pool, e: Expr, at: [f64; 2]) -> f64 {
    pool.evaluate(e, &|kind| match kind {
        SymbolKind::Coordinate { index, .. } => at[index],
        _ => f64::NAN,
    })
}

/// splitmix64
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    fn pick(&mut self, list: &[Function]) -> Function {
        list[self.below(list.len() as u64) as usize]
    }

    /// A rational rate: halves, thirds, decimals.
    fn rate(&mut self) -> Number {
        let bottom = [1, 1, 1, 2, 3, 10][self.below(6) as usize];
        let top = 1 + self.below(4).cast_signed();
        Number::ratio(if self.below(3) == 0 { -top } else { top }, bottom).unwrap_or(Number::ONE)
    }

    /// What repeats in x by its making: functions of sines of rational multiples of x and of y.
    fn periodic(&mut self, pool: &Pool, depth: u32) -> Expr {
        use Function::{Abs, Atan, Cos, Cosh, Erf, Exp, Sin, Tan, Tanh};
        let [x, y] = [0, 1].map(|k| coordinate(pool, k));
        if depth == 0 {
            let mut angle = pool.scale(x, &self.rate());
            if self.below(3) == 0 {
                angle = pool.add(angle, pool.mul(y, pool.number(self.rate())));
            }
            return match self.below(8) {
                0 => y,
                1 => pool.number(self.rate()),
                2 => pool.apply(Tan, angle),
                _ => pool.apply(self.pick(&[Sin, Cos]), angle),
            };
        }
        let a = self.periodic(pool, depth - 1);
        match self.below(6) {
            0 => pool.add(a, self.periodic(pool, depth - 1)),
            1 => pool.mul(a, self.periodic(pool, depth - 1)),
            2 => pool.powi(a, 2 + self.below(2).cast_signed()),
            3 => {
                // a drift inside a sine that fits
                let angle = pool.add(pool.scale(x, &self.rate()), a);
                pool.apply(self.pick(&[Sin, Cos]), angle)
            }
            4 => pool.apply(
                self.pick(&[Abs, Atan, Cosh, Erf, Exp, Tanh]),
                pool.apply(Sin, a),
            ),
            _ => pool.apply(self.pick(&[Sin, Cos]), a),
        }
    }

    /// What repeats in x nearly, or looks as if it did, and does not.
    fn spoiled(&mut self, pool: &Pool) -> Expr {
        use Function::{Atan, Cos, Sin};
        let x = coordinate(pool, 0);
        let own = self.periodic(pool, 2);
        let small = pool.number(Number::ratio(1, 1_000_000_000).unwrap_or(Number::ONE));
        match self.below(7) {
            0 => pool.mul(x, pool.apply(Sin, x)),
            1 => pool.add(own, pool.mul(small, x)),
            2 => pool.add(own, pool.apply(Cos, pool.mul(x, pool.sqrt(pool.number(2))))),
            3 => pool.apply(Sin, pool.powi(x, 2)),
            4 => pool.mul(x, pool.sub(pool.apply(Sin, x), pool.apply(Cos, x))),
            5 => pool.add(own, pool.apply(Atan, x)),
            _ => pool.mul(
                pool.apply(Sin, x),
                pool.apply(Function::Exp, pool.mul(small, x)),
            ),
        }
    }
}

/// Is e(x + T) = e(x) refuted at some place? Many periods are taken: what nearly repeats is told so.
fn refuted(pool: &Pool, e: Expr, period: f64) -> bool {
    const TURNS: f64 = 65_536.0;
    (0..12).any(|place| {
        let [x, y] = [0, 1].map(|k| 6.0 * (scattered(place, k) - 0.5));
        // the change by the rounding of x at the far end
        let blur = TURNS * period * 1e-15;
        let near = value(pool, e, [x + blur, y]) - value(pool, e, [x - blur, y]);
        let (a, b) = (
            value(pool, e, [x, y]),
            value(pool, e, [x + TURNS * period, y]),
        );
        let size = a.abs().max(1.0);
        a.is_finite()
            && b.is_finite()
            && near.abs() < 1e-6 * size
            && (a - b).abs() > 1e3 * near.abs() + 1e-7 * size
    })
}

fn attack(seed: u64, rounds: u64) -> (usize, usize) {
    let mut random = Random(seed);
    let (mut found, mut planted) = (0, 0);
    for round in 0..rounds {
        let pool = Pool::new();
        let x = coordinate(&pool, 0);
        let depth = 1 + random.below(3) as u32;
        let e = random.periodic(&pool, depth);
        if pool.symbols_of(e).contains(&x) {
            planted += 1;
            if let Some(&(_, period)) = periods(&pool, &[e], &[x]).first() {
                found += 1;
                assert!(
                    !refuted(&pool, e, period),
                    "{round}: {} by {period}",
                    pool.print(e)
                );
            }
        }
        let e = random.spoiled(&pool);
        let claimed = periods(&pool, &[e], &[x]);
        assert_eq!(claimed, [], "{round}: {}", pool.print(e));
    }
    (found, planted)
}

#[test]
fn planted_periods_are_found_and_near_ones_are_not() {
    let (found, planted) = attack(1, 300);
    assert!(found * 10 > planted * 9, "{found} of {planted}");
}

#[test]
#[ignore = "a campaign; HOLONOM_SEED=n asks for other cases"]
fn no_false_period_in_a_campaign() {
    let seed = std::env::var("HOLONOM_SEED").ok();
    let seed = seed.and_then(|s| s.parse().ok()).unwrap_or(2);
    let (found, planted) = attack(seed, 20_000);
    println!("{found} of {planted} planted periods found");
    assert!(found * 10 > planted * 9, "{found} of {planted}");
}

#[test]
fn a_factor_beside_the_sine_is_seen() {
    let pool = Pool::new();
    let [x, y] = [0, 1].map(|k| coordinate(&pool, k));
    let sine = pool.apply(Function::Sin, x);
    let cosine = pool.apply(Function::Cos, x);
    for e in [
        pool.mul(x, sine),
        pool.mul(x, pool.sub(sine, cosine)),
        pool.div(sine, x),
        pool.pow(x, pool.powi(sine, 2)),
        pool.add(pool.mul(y, sine), pool.powi(x, 2)),
        pool.apply(Function::Sin, pool.mul(x, y)),
    ] {
        assert_eq!(periods(&pool, &[e], &[x]), [], "{}", pool.print(e));
    }
    let whole = pool.scale(pool.pi(), &Number::from(2));
    let by = |e| drift(&pool, e, x, whole).map(|d| pool.print(d));
    assert_eq!(by(pool.mul(x, pool.sub(sine, cosine))), None);
    assert_eq!(
        by(pool.add(pool.mul(x, y), sine)).as_deref(),
        Some("2*pi*y")
    );
    assert_eq!(
        by(pool.apply(Function::Sin, pool.add(x, sine))).as_deref(),
        Some("0")
    );
}

#[test]
fn what_cannot_vanish_does_not() {
    let mut random = Random(7);
    let text = "name: s\ncoordinates: [x, y]\nlagrangian: x'^2 + y'^2\n";
    for _ in 0..300 {
        let system = System::parse(text, "s.yaml", &[]);
        let Ok(system) = system else {
            panic!("the system is refused")
        };
        let pool = &system.pool;
        let depth = 1 + random.below(3) as u32;
        let e = pool.add(random.periodic(pool, depth), pool.number(random.rate()));
        if can_vanish(&system, e) {
            continue;
        }
        let values = (0..200).map(|i| {
            let at = [0, 1].map(|k| 20.0 * (scattered(i, k) - 0.5));
            value(pool, e, at)
        });
        let values: Vec<f64> = values.filter(|v| v.is_finite()).collect();
        let one_sign = values.iter().all(|v| *v > 0.0) || values.iter().all(|v| *v < 0.0);
        assert!(one_sign, "{}", pool.print(e));
    }
}
