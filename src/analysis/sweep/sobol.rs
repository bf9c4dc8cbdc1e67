//! Points of a Sobol sequence: of any 2^k in a row from the first, each of 2^k equal parts of an axis has one.
//!
//! Coordinate j of point n is the sum modulo 2 of those direction numbers v_k for which bit k of the Gray code of n is set:
//! v_k = m_k / 2^k, where the m_k go on by a primitive polynomial of degree s with inner coefficients a,
//! m_k = 2 a_1 m_{k-1} ^ ... ^ 2^{s-1} a_{s-1} m_{k-s+1} ^ 2^s m_{k-s} ^ m_{k-s}. A seed turns bits of an axis round
//! (a digital shift), which keeps all of that. Numbers: S. Joe and F. Y. Kuo, Constructing Sobol sequences with better
//! two-dimensional projections, SIAM J. Sci. Comput. 30 (2008), the file new-joe-kuo-6.21201.

/// Binary digits of a coordinate: those of a double.
const DIGITS: u32 = 53;

/// a and the m_1, m_2, … of the second and of each further axis; the first has m_k = 1.
const NUMBERS: [(u64, &[u64]); 20] = [
    (0, &[1]),
    (1, &[1, 3]),
    (1, &[1, 3, 1]),
    (2, &[1, 1, 1]),
    (1, &[1, 1, 3, 3]),
    (4, &[1, 3, 5, 13]),
    (2, &[1, 1, 5, 5, 17]),
    (4, &[1, 1, 5, 5, 5]),
    (7, &[1, 1, 7, 11, 19]),
    (11, &[1, 1, 5, 1, 1]),
    (13, &[1, 1, 1, 3, 11]),
    (14, &[1, 3, 5, 5, 31]),
    (1, &[1, 3, 3, 9, 7, 49]),
    (13, &[1, 1, 1, 15, 21, 21]),
    (16, &[1, 3, 1, 13, 27, 49]),
    (19, &[1, 1, 1, 15, 7, 5]),
    (22, &[1, 3, 1, 15, 13, 25]),
    (25, &[1, 1, 5, 5, 19, 61]),
    (1, &[1, 3, 7, 11, 23, 15, 103]),
    (4, &[1, 3, 7, 13, 13, 15, 69]),
];

/// No more axes have numbers.
pub const MOST_AXES: usize = NUMBERS.len() + 1;

/// The coordinate of the first `count` points on an axis, in [0, 1); `shift` turns bits round. Empty beyond the axes that
/// have numbers.
pub fn coordinates(axis: usize, count: u32, shift: u64) -> Vec<f64> {
    let Some(directions) = directions(axis) else {
        return Vec::new();
    };
    let mut bits = shift >> (u64::BITS - DIGITS);
    let unit = (-f64::from(DIGITS)).exp2();
    (1..=u64::from(count))
        .map(|next| {
            let value = bits as f64 * unit;
            bits ^= directions[next.trailing_zeros() as usize];
            value
        })
        .collect()
}

/// v_k 2^53 of an axis.
fn directions(axis: usize) -> Option<Vec<u64>> {
    let (a, first): (u64, &[u64]) = match axis.checked_sub(1) {
        None => (0, &[]),
        Some(place) => *NUMBERS.get(place)?,
    };
    let (s, digits) = (first.len(), DIGITS as usize);
    let mut m = first.to_vec();
    for k in s..digits {
        let inner = (1..s).filter(|i| a >> (s - 1 - i) & 1 == 1);
        let own = match s {
            0 => 1,
            _ => m[k - s] << s ^ m[k - s],
        };
        let next = inner.fold(own, |sum, i| sum ^ m[k - i] << i);
        m.push(next);
    }
    let shifted = m.iter().enumerate();
    Some(shifted.map(|(k, m)| m << (digits - 1 - k)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_points_are_those_of_joe_and_kuo() {
        // points 5 to 8 as other programs have them, axis by axis
        let known = [
            "3751", "3751", "5173", "7315", "3751", "1573", "3715", "7351", "7351", "5137", "7315",
            "3751",
        ];
        for (axis, eighths) in known.into_iter().enumerate() {
            let list = coordinates(axis, 8, 0);
            assert_eq!(list[0], 0.0);
            assert_eq!(list[1], 0.5);
            let first = f64::from(eighths.chars().next().unwrap().to_digit(10).unwrap()) / 8.0;
            assert_eq!(list[4], first, "axis {axis}");
        }
    }

    #[test]
    fn each_part_of_an_axis_has_one_point_whatever_the_seed() {
        for axis in 0..MOST_AXES {
            for shift in [0, 0x9e37_79b9_7f4a_7c15] {
                let list = coordinates(axis, 1024, shift);
                let mut parts: Vec<usize> = list.iter().map(|v| (v * 1024.0) as usize).collect();
                parts.sort_unstable();
                assert!(parts.into_iter().eq(0..1024), "axis {axis}");
            }
        }
        assert!(coordinates(MOST_AXES, 4, 0).is_empty());
    }
}
