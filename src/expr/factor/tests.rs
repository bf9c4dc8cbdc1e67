use super::*;
use proptest::prelude::*;

const PLENTY: u64 = 20_000_000;

/// A polynomial in x, y, z, u, v, w (0 to 5) from text: terms such as `-3 x2 y z10`, joined by `+`.
fn poly(text: &str) -> Poly {
    let effort = Effort::new(PLENTY);
    let terms = text.split('+').map(|term| {
        term.split_whitespace().fold(Poly::one(), |all, word| {
            let (minus, word) = match word.strip_prefix('-') {
                Some(rest) => (true, rest),
                None => (false, word),
            };
            let part = match word.chars().next().and_then(|c| "xyzuvw".find(c)) {
                Some(v) => {
                    let power = word.get(1..).filter(|p| !p.is_empty()).unwrap_or("1");
                    let mut m = Monomial::from_elem(0, v + 1);
                    m[v] = power.parse().unwrap();
                    Poly::term(m, Number::ONE)
                }
                None if word.is_empty() => Poly::one(),
                None => Poly::constant(Number::parse(word).unwrap()),
            };
            let sign = if minus {
                Number::MINUS_ONE
            } else {
                Number::ONE
            };
            all.mul(&part, &effort).unwrap().scale(&sign)
        })
    });
    terms.fold(Poly::zero(), |sum, t| sum.add(&t))
}

fn product(parts: &[Poly]) -> Poly {
    let effort = Effort::new(PLENTY);
    parts
        .iter()
        .fold(Poly::one(), |all, p| all.mul(p, &effort).unwrap())
}

fn count(f: &Factored) -> u32 {
    f.factors.iter().map(|(_, k)| k).sum()
}

/// The factors of a product of irreducible polynomials are these.
fn comes_apart(parts: &[&str]) {
    let parts: Vec<Poly> = parts.iter().map(|t| poly(t)).collect();
    let found = factor(&product(&parts), &Effort::new(PLENTY)).unwrap();
    assert!(found.complete, "{parts:?}");
    for p in &parts {
        let p = p.primitive().1;
        assert!(found.factors.iter().any(|(f, _)| *f == p), "{p:?}");
    }
    assert_eq!(count(&found) as usize, parts.len());
}

fn irreducible(text: &str) {
    let p = poly(text);
    let found = factor(&p, &Effort::new(PLENTY)).unwrap();
    assert!(found.complete, "{text}");
    assert_eq!(count(&found), 1, "{text}: {found:?}");
}

/// The test polynomials of P. Wang (1978).
#[test]
fn polynomials_of_wang() {
    comes_apart(&["z + x y + 10", "x z + y + 30", "y z + x + 20"]);
    comes_apart(&["x3 z + x3 y + z + -11", "x2 z2 + x2 y2 + y + 90"]);
    comes_apart(&["y z3 + x y z + y2 + x3", "x z4 + x + z + x3 y2"]);
    comes_apart(&[
        "z2 + -1 x3 y + 3",
        "z2 + x y3",
        "z2 + x3 y4",
        "y4 z2 + x2 z + 5",
    ]);
    comes_apart(&[
        "z2 + x3 y4 + u2",
        "y2 z2 + x z2 + 3 u2 x3 y4 z + 19 y2",
        "u2 y4 z2 + x2 z + 5",
    ]);
    comes_apart(&[
        "w4 z3 + -1 x y2 z2 + -1 w4 x5 y6 + -1 w2 x3 y",
        "-1 x5 z3 + y z + x2 y3",
        "w4 z6 + y2 z3 + -1 w2 x2 y2 z2 + x5 z + -1 x4 y2 + -1 w3 x3 y",
    ]);
    comes_apart(&[
        "-15 y2 z16 + 29 w4 x12 z3 + 21 x3 z2 + 3 w15 y20",
        "-1 z31 + -1 w12 z20 + y18 + -1 y14 + x2 y2 + x21 + w2",
    ]);
    let repeated = product(&[
        poly("z + y + x + -3").pow(3, &Effort::new(PLENTY)).unwrap(),
        poly("z + y + x + -2").pow(2, &Effort::new(PLENTY)).unwrap(),
    ]);
    let found = factor(&repeated, &Effort::new(PLENTY)).unwrap();
    assert!(found.complete);
    let mut times: Vec<u32> = found.factors.iter().map(|(_, k)| *k).collect();
    times.sort_unstable();
    assert_eq!(times, [2, 3]);
}

#[test]
fn what_is_irreducible_is_said_to_be() {
    for text in [
        "x5 + -1 x + -1",
        "x4 + y4",
        "x4 + 1",
        "x2 + y2 + z2",
        "x3 + y3 + z3",
        "x3 + y3 + z3 + u3 + v3 + 1",
        "x4 + y4 + z4 + x y z",
        "x4 y4 + z4 + 2 x2 y2 + 3",
        "x2 y2 + 3 x2 + 2 y2 + 7",
        "x4 + -10 x2 y + y2",
        "x4 + y4 + z4 + -2 x2 y2 + 3 y2 z2 + -2 x2 z2",
        "x3 y2 + 2 x2 y3 + 5 x2 z2 + 7 y2 z3 + 11",
    ] {
        irreducible(text);
    }
    // Heron: four factors
    let heron = poly("x4 + y4 + z4 + -2 x2 y2 + -2 y2 z2 + -2 x2 z2");
    assert_eq!(count(&factor(&heron, &Effort::new(PLENTY)).unwrap()), 4);
}

/// x^n - y^n has a factor for each divisor of n; so has x^n - 1.
#[test]
fn cyclotomic_forms() {
    for n in 1..=12_u16 {
        for p in [
            poly(&format!("x{n} + -1 y{n}")),
            poly(&format!("y{n} + -1")),
        ] {
            let found = factor(&p, &Effort::new(PLENTY)).unwrap();
            assert!(found.complete);
            let divisors = (1..=n).filter(|d| n % d == 0).count();
            assert_eq!(count(&found) as usize, divisors, "{n}");
        }
        // no grading: x^n y^n - (z + 1)^n
        let effort = Effort::new(PLENTY);
        let power = |p: Poly| p.pow(u32::from(n), &effort).unwrap();
        let p = power(poly("x y")).sub(&power(poly("z + u + 1")));
        let found = factor(&p, &Effort::new(PLENTY)).unwrap();
        assert!(found.complete, "{n}");
        let divisors = (1..=n).filter(|d| n % d == 0).count();
        assert_eq!(count(&found) as usize, divisors, "{n}");
    }
}

fn determinant(matrix: &[Vec<Poly>]) -> Poly {
    let effort = Effort::new(PLENTY);
    let Some((first, rest)) = matrix.split_first() else {
        return Poly::one();
    };
    let mut sum = Poly::zero();
    for (c, entry) in first.iter().enumerate() {
        let minor: Vec<Vec<Poly>> = rest
            .iter()
            .map(|row| {
                let mut row = row.clone();
                row.remove(c);
                row
            })
            .collect();
        let term = entry.mul(&determinant(&minor), &effort).unwrap();
        sum = if c % 2 == 0 {
            sum.add(&term)
        } else {
            sum.sub(&term)
        };
    }
    sum
}

#[test]
fn determinants_come_out_as_their_factors() {
    let effort = Effort::new(PLENTY);
    for n in 2..=5_usize {
        let vandermonde: Vec<Vec<Poly>> = (0..n)
            .map(|i| {
                let power = |k| Poly::variable(i).pow(k as u32, &effort).unwrap();
                (0..n).map(power).collect()
            })
            .collect();
        let found = factor(&determinant(&vandermonde), &Effort::new(PLENTY)).unwrap();
        assert!(found.complete);
        assert_eq!(found.factors.len(), n * (n - 1) / 2);
        assert!(
            found
                .factors
                .iter()
                .all(|(f, k)| f.terms().len() == 2 && *k == 1)
        );
    }
    // circulants: a factor for each divisor of n
    for n in 2..=5_usize {
        let circulant: Vec<Vec<Poly>> = (0..n)
            .map(|i| (0..n).map(|j| Poly::variable((n + j - i) % n)).collect())
            .collect();
        let found = factor(&determinant(&circulant), &Effort::new(PLENTY)).unwrap();
        assert!(found.complete, "{n}");
        let divisors = (1..=n).filter(|d| n % d == 0).count();
        assert_eq!(found.factors.len(), divisors, "{n}");
    }
    let circulant = poly("x3 + y3 + z3 + -3 x y z");
    let found = factor(&circulant, &Effort::new(PLENTY)).unwrap();
    assert_eq!(found.factors[0].0, poly("x + y + z"));
    assert_eq!(
        found.factors[1].0,
        poly("x2 + y2 + z2 + -1 x y + -1 y z + -1 x z")
    );
    // a generic one is irreducible
    let generic: Vec<Vec<Poly>> = (0..3)
        .map(|i| (0..3).map(|j| Poly::variable(3 * i + j)).collect())
        .collect();
    let found = factor(&determinant(&generic), &Effort::new(PLENTY)).unwrap();
    assert!(found.complete);
    assert_eq!(found.factors.len(), 1);
    // so is a symmetric one, with squares
    let symmetric: Vec<Vec<Poly>> = (0..3_usize)
        .map(|i| {
            (0..3_usize)
                .map(|j| Poly::variable(i + j + 3 * i.min(j)))
                .collect()
        })
        .collect();
    let found = factor(&determinant(&symmetric), &Effort::new(PLENTY)).unwrap();
    assert!(found.complete);
}

#[test]
fn long_coefficients_are_lifted_digit_by_digit() {
    comes_apart(&[
        "123456789012345678901 x3 + 987654321098765432109 y3 z + 55555555555555555555555 + x y",
        "314159265358979323846 x3 z + 271828182845904523536 y3 + 7777777777777777777777 x + 3",
    ]);
}

#[test]
fn too_little_effort_is_said() {
    let p = product(&[
        poly("x3 y2 + 2 x2 z3 + 5 y2 + 1"),
        poly("7 x2 y3 + 2 x3 z2 + 5 z2 + 1"),
        poly("x + 1"),
    ]);
    for effort in [0, 1, 10, 50, 100, 200, 400, 800, 1600, 3200, 6400] {
        let found = factor(&p, &Effort::new(effort)).unwrap();
        let again = multiplied_out(&found, &Effort::new(PLENTY)).unwrap();
        assert_eq!(again, p);
        assert!(found.complete || count(&found) < 3);
    }
    assert!(factor(&p, &Effort::new(400_000)).unwrap().complete);
}

fn small_poly(variables: usize) -> impl Strategy<Value = Poly> {
    let exponents = proptest::collection::vec(0_u16..4, variables);
    proptest::collection::vec((exponents, -9_i64..10), 2..6).prop_map(|list| {
        Poly::from_terms(list.into_iter().map(|(e, k)| {
            (
                Monomial::from_vec(e),
                Number::from(if k == 0 { 1 } else { k }),
            )
        }))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn products_come_apart_into_at_least_their_factors(
        parts in (2_usize..6).prop_flat_map(|n| proptest::collection::vec(small_poly(n), 2..5)),
    ) {
        prop_assume!(parts.iter().all(|p| p.as_constant().is_none()));
        let p = product(&parts);
        let found = factor(&p, &Effort::new(PLENTY)).unwrap();
        prop_assert_eq!(multiplied_out(&found, &Effort::new(PLENTY)).unwrap(), p.clone());
        prop_assert!(found.complete);
        prop_assert!(count(&found) as usize >= parts.len());
        for (f, _) in &found.factors {
            prop_assert_eq!(&f.primitive().1, f);
            // irreducible by itself, and a factor of one of those given
            let again = factor(f, &Effort::new(PLENTY)).unwrap();
            prop_assert_eq!(count(&again), 1);
            prop_assert!(parts.iter().any(|q| q.div_exact(f, &Effort::new(PLENTY)).is_some()));
        }
        // the same factors whatever the variables are called
        let turned = |q: &Poly| {
            let n = 6;
            Poly::from_terms(q.terms().iter().map(|(m, k)| {
                let mut t = Monomial::from_elem(0, n);
                for (v, e) in m.iter().enumerate() {
                    t[n - 1 - v] = *e;
                }
                (t, k.clone())
            })).primitive().1
        };
        let other = factor(&turned(&p), &Effort::new(PLENTY)).unwrap();
        if !other.complete {
            return Ok(()); // the effort may end sooner in another order, and that is said
        }
        prop_assert_eq!(other.factors.len(), found.factors.len());
        for (f, k) in &found.factors {
            prop_assert!(other.factors.contains(&(turned(f), *k)));
        }
    }

    #[test]
    fn products_of_two_linear_forms_split(list in proptest::collection::vec(-3_i64..4, 6)) {
        let form = |k: &[i64]| Poly::variable(0).scale(&Number::from(k[0]))
            .add(&Poly::variable(1).scale(&Number::from(k[1])))
            .add(&Poly::constant(Number::from(k[2])));
        let parts = [form(&list[..3]), form(&list[3..])];
        prop_assume!(parts.iter().all(|p| p.as_constant().is_none()));
        let found = factor(&product(&parts), &Effort::new(PLENTY)).unwrap();
        prop_assert!(found.complete);
        prop_assert_eq!(count(&found), 2);
    }
}

#[test]
fn denominators_keep_their_differences() {
    let p = poly("x2 + -1 y2");
    let found = factor_to(&p, Depth::Contents, &Effort::new(PLENTY)).unwrap();
    assert_eq!(found.factors, [(p, 1)]);
    assert!(!found.complete);
}
