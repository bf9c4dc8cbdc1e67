//! Singular configurations on the way: passed along the smooth continuation, or not at all.

use super::systems::*;
use super::*;
use std::f64::consts::PI;

/// The parallelogram turning at rate one from upright: the exact state at t.
fn exact(t: f64) -> ([f64; 4], [f64; 4]) {
    let (s, c) = t.sin_cos();
    ([s, c, 2.0 + s, c], [c, -s, c, -s])
}

#[test]
fn a_parallelogram_passes_its_flat_positions_in_every_method() {
    for dependent in [[1, 2, 3], [0, 1, 2]] {
        let case = Case::new(parallelogram(), Some(&dependent));
        let (x, v) = exact(0.3);
        for (method, stiff) in each() {
            for tolerance in [1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12] {
                let mut options = with(stiff, options(20.0, method, tolerance));
                options.samples = 400;
                let motion = case.run(&x, &v, &options);
                let mut error = 0.0_f64;
                for sample in &motion.samples {
                    let (x, v) = exact(sample.t + 0.3);
                    error = error.max(apart(&sample.x, &x)).max(apart(&sample.v, &v));
                    assert!(sample.residual < 1e-14, "{method} {stiff:?} {tolerance:e}");
                }
                println!(
                    "{method} {stiff:?} {tolerance:e}: {error:.1e} {} steps {} rejected {} evaluations {:?}",
                    motion.steps, motion.rejected, motion.evaluations, motion.because
                );
                assert_eq!(motion.because, None, "{method} {stiff:?} {tolerance:e}");
                assert!(
                    error < 100.0 * tolerance,
                    "{method} {stiff:?} {tolerance:e}: {error:e}"
                );
                let ranks: Vec<f64> = motion
                    .flags
                    .iter()
                    .filter(|flag| flag.kind == FlagKind::Rank)
                    .map(|flag| flag.t)
                    .collect();
                let flat: Vec<f64> = (0..6).map(|k| PI * (0.5 + f64::from(k)) - 0.3).collect();
                assert_eq!(ranks.len(), 6, "{:?}", motion.flags);
                assert!(apart(&ranks, &flat) < 100.0 * tolerance, "{ranks:?}");
            }
        }
    }
}
