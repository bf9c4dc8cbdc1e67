//! A horizontal bar: how much of something there is.

use super::charset::Charset;

/// A bar of `width` cells of which `fraction` (clamped to 0..1; not a number counts as 0) is
/// filled: `█████░░░`, `#####---`.
///
/// A fraction strictly between 0 and 1 is never shown as one of them where there are two cells:
/// "nearly failed" must not look like "failed".
pub fn bar(fraction: f64, width: usize, charset: Charset) -> String {
    let fraction = if fraction.is_nan() {
        0.0
    } else {
        fraction.clamp(0.0, 1.0)
    };
    let mut filled = (fraction * width as f64).round() as usize;
    if width >= 2 && fraction > 0.0 && fraction < 1.0 {
        filled = filled.clamp(1, width - 1);
    }
    let filled = filled.min(width);
    let full = charset.pick('█', '#');
    let empty = charset.pick('░', '-');
    std::iter::repeat_n(full, filled)
        .chain(std::iter::repeat_n(empty, width - filled))
        .collect()
}
