//! Choices of m of n.

use std::iter::successors;

/// The binomial coefficient, saturating.
pub fn binomial(n: usize, m: usize) -> usize {
    let mut value = 1_usize;
    for i in 0..m.min(n - m.min(n)) {
        match value.checked_mul(n - i) {
            Some(v) => value = v / (i + 1),
            None => return usize::MAX,
        }
    }
    value
}

/// All choices of m of n, each ascending, in lexicographic order; m is not above n.
pub fn combinations(n: usize, m: usize) -> impl Iterator<Item = Vec<usize>> {
    successors(Some((0..m).collect::<Vec<_>>()), move |last| {
        let mut next = last.clone();
        next_choice(&mut next, n).then_some(next)
    })
}

/// Goes on to the next choice of some of n, in that order; whether there is one.
pub fn next_choice(choice: &mut [usize], n: usize) -> bool {
    let m = choice.len();
    let Some(place) = (0..m).rev().find(|&i| choice[i] < n - m + i) else {
        return false;
    };
    choice[place] += 1;
    for i in place + 1..m {
        choice[i] = choice[i - 1] + 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binomials() {
        assert_eq!(binomial(5, 2), 10);
        assert_eq!(binomial(3, 0), 1);
        assert_eq!(binomial(4, 4), 1);
        assert_eq!(binomial(400, 200), usize::MAX);
    }
}
