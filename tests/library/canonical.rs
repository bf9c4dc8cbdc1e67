//! Equal expressions have one simplified form: an expression and what random identities make of it.
//!
//! The classes are those for which the normal form promises it: rational functions, with the sine and cosine
//! of one argument, with one square root.

#![allow(clippy::unwrap_used, clippy::format_collect, clippy::panic)]

use crate::random::{pool, read};
use proptest::prelude::*;

/// An expression that can be rewritten.
#[derive(Clone, PartialEq, Debug)]
enum Tree {
    Leaf(&'static str),
    Sum(Box<Tree>, Box<Tree>),
    Difference(Box<Tree>, Box<Tree>),
    Product(Box<Tree>, Box<Tree>),
    Quotient(Box<Tree>, Box<Tree>),
    Power(Box<Tree>, u32),
}

use Tree::{Difference, Leaf, Power, Product, Quotient, Sum};

fn pair(of: fn(Box<Tree>, Box<Tree>) -> Tree, a: &Tree, b: &Tree) -> Tree {
    of(Box::new(a.clone()), Box::new(b.clone()))
}

fn power(a: &Tree, n: u32) -> Tree {
    Power(Box::new(a.clone()), n)
}

impl Tree {
    fn text(&self) -> String {
        match self {
            Leaf(text) => (*text).to_owned(),
            Sum(a, b) => format!("({} + {})", a.text(), b.text()),
            Difference(a, b) => format!("({} - {})", a.text(), b.text()),
            Product(a, b) => format!("({}*{})", a.text(), b.text()),
            Quotient(a, b) => format!("({}/{})", a.text(), b.text()),
            Power(a, n) => format!("({})^{n}", a.text()),
        }
    }

    fn nodes(&self) -> usize {
        1 + match self {
            Leaf(_) => 0,
            Sum(a, b) | Difference(a, b) | Product(a, b) | Quotient(a, b) => a.nodes() + b.nodes(),
            Power(a, _) => a.nodes(),
        }
    }

    /// The tree with one of its nodes rewritten.
    fn rewritten(&self, place: usize, rule: usize, class: &Class) -> Tree {
        if place == 0 {
            return self.turned(rule, class);
        }
        let both = |of: fn(Box<Tree>, Box<Tree>) -> Tree, a: &Tree, b: &Tree| {
            if place <= a.nodes() {
                pair(of, &a.rewritten(place - 1, rule, class), b)
            } else {
                pair(of, a, &b.rewritten(place - 1 - a.nodes(), rule, class))
            }
        };
        match self {
            Leaf(_) => self.clone(),
            Sum(a, b) => both(Sum, a, b),
            Difference(a, b) => both(Difference, a, b),
            Product(a, b) => both(Product, a, b),
            Quotient(a, b) => both(Quotient, a, b),
            Power(a, n) => power(&a.rewritten(place - 1, rule, class), *n),
        }
    }

    /// The whole rewritten by an identity that fits it.
    fn turned(&self, rule: usize, class: &Class) -> Tree {
        let mut list = Vec::new();
        let one = Leaf("1");
        match self {
            Leaf(text) => {
                let own = class.identities.iter().filter(|(from, _)| from == text);
                list.extend(own.map(|(_, to)| Leaf(to)));
            }
            Sum(a, b) => {
                list.push(pair(Sum, b, a));
                list.push(pair(Difference, a, &pair(Product, &Leaf("(-1)"), b)));
                if let Sum(c, d) = &**a {
                    list.push(pair(Sum, c, &pair(Sum, d, b)));
                }
                if let (Quotient(p, q), Quotient(r, s)) = (&**a, &**b) {
                    let top = pair(Sum, &pair(Product, p, s), &pair(Product, r, q));
                    list.push(pair(Quotient, &top, &pair(Product, q, s)));
                }
                if let Quotient(p, q) = &**b {
                    list.push(pair(Quotient, &pair(Sum, &pair(Product, a, q), p), q));
                }
            }
            Difference(a, b) => {
                list.push(pair(Product, &Leaf("(-1)"), &pair(Difference, b, a)));
                if let (Power(c, 2), Power(d, 2)) = (&**a, &**b) {
                    list.push(pair(Product, &pair(Difference, c, d), &pair(Sum, d, c)));
                }
            }
            Product(a, b) => {
                list.push(pair(Product, b, a));
                if let Sum(c, d) = &**b {
                    list.push(pair(Sum, &pair(Product, a, c), &pair(Product, a, d)));
                }
                if let Difference(c, d) = &**b {
                    list.push(pair(Difference, &pair(Product, a, c), &pair(Product, a, d)));
                }
                if let Sum(c, d) = &**a {
                    list.push(pair(Sum, &pair(Product, c, b), &pair(Product, d, b)));
                }
                if let Quotient(c, d) = &**b {
                    list.push(pair(Quotient, &pair(Product, a, c), d));
                }
            }
            Quotient(a, b) => {
                list.push(pair(Product, &pair(Quotient, &one, b), a));
                if let Sum(c, d) = &**a {
                    list.push(pair(Sum, &pair(Quotient, c, b), &pair(Quotient, d, b)));
                }
            }
            Power(a, 2) => {
                list.push(pair(Product, a, a));
                if let Sum(c, d) = &**a {
                    let middle = pair(Product, &Leaf("2"), &pair(Product, c, d));
                    list.push(pair(Sum, &pair(Sum, &power(c, 2), &middle), &power(d, 2)));
                }
            }
            Power(a, n) => list.push(pair(Product, &power(a, n - 1), a)),
        }
        for &bit in class.bits {
            let bit = Leaf(bit);
            list.push(pair(Difference, &pair(Sum, self, &bit), &bit));
            list.push(pair(Quotient, &pair(Product, &bit, self), &bit));
        }
        for &unit in class.ones {
            list.push(pair(Product, self, &Leaf(unit)));
        }
        list[rule % list.len()].clone()
    }
}

/// A class of expressions.
struct Class {
    leaves: &'static [&'static str],
    /// what a leaf may be replaced by
    identities: &'static [(&'static str, &'static str)],
    /// what is added and taken away again, or multiplied with and divided by
    bits: &'static [&'static str],
    /// ways to write 1
    ones: &'static [&'static str],
    /// may the form differ where what was written is shorter?
    may_be_kept: bool,
}

const RATIONAL: Class = Class {
    leaves: &[
        "x",
        "y",
        "z",
        "2",
        "3",
        "(1/2)",
        "0.4",
        "(x - y)",
        "(x + y)",
        "(x^2 + 1)",
    ],
    identities: &[
        ("0.4", "(2/5)"),
        ("(x^2 + 1)", "((x + 1)^2 - 2*x)"),
        ("(x - y)", "((x^2 - y^2)/(x + y))"),
    ],
    bits: &["(x^2 + 1)", "(x - 2*y)", "z"],
    ones: &["((x + y)^2/(x^2 + 2*x*y + y^2))"],
    may_be_kept: false,
};

const CIRCULAR: Class = Class {
    leaves: &[
        "x", "y", "2", "3", "(1/2)", "sin(x)", "cos(x)", "sin(x)", "cos(x)", "tan(x)",
    ],
    identities: &[
        ("tan(x)", "(sin(x)/cos(x))"),
        ("tan(x)", "(sin(x)*cos(x)/(1 - sin(x)^2))"),
        ("sin(x)", "((1 - cos(x)^2)/sin(x))"),
    ],
    bits: &["sin(x)", "(y + cos(x))"],
    ones: &["(sin(x)^2 + cos(x)^2)", "(1/cos(x)^2 - tan(x)^2)"],
    may_be_kept: false,
};

const ROOT: Class = Class {
    leaves: &[
        "x",
        "y",
        "2",
        "3",
        "(1/2)",
        "(x + y)",
        "sqrt(x^2 + y)",
        "sqrt(x^2 + y)",
        "(x^2 + y)",
    ],
    identities: &[
        ("(x^2 + y)", "(sqrt(x^2 + y)^2)"),
        ("sqrt(x^2 + y)", "((y + x^2)/sqrt(x^2 + y))"),
        ("sqrt(x^2 + y)", "(sqrt(4*x^2 + 4*y)/2)"),
        ("sqrt(x^2 + y)", "((x^2 + y)^(3/2)/(x^2 + y))"),
    ],
    bits: &["sqrt(x^2 + y)", "(y + sqrt(x^2 + y))", "x"],
    ones: &["((sqrt(x^2 + y)^2 - x^2)/y)"],
    may_be_kept: true,
};

fn trees(class: &'static Class) -> BoxedStrategy<Tree> {
    prop::sample::select(class.leaves)
        .prop_map(Leaf)
        .prop_recursive(3, 10, 2, |inner| {
            let two = (inner.clone(), inner.clone());
            prop_oneof![
                4 => two.clone().prop_map(|(a, b)| pair(Sum, &a, &b)),
                2 => two.clone().prop_map(|(a, b)| pair(Difference, &a, &b)),
                4 => two.clone().prop_map(|(a, b)| pair(Product, &a, &b)),
                2 => two.prop_map(|(a, b)| pair(Quotient, &a, &b)),
                1 => (inner, 2..4_u32).prop_map(|(a, n)| power(&a, n)),
            ]
        })
        .boxed()
}

fn steps() -> impl Strategy<Value = Vec<(usize, usize)>> {
    prop::collection::vec((0..10_000_usize, 0..10_000_usize), 1..6)
}

fn one_form(tree: &Tree, steps: &[(usize, usize)], class: &Class) -> Result<(), TestCaseError> {
    let mut other = tree.clone();
    for &(place, rule) in steps {
        other = other.rewritten(place % other.nodes(), rule, class);
    }
    let (left, right) = (tree.text(), other.text());
    let (p, _) = pool();
    let (Some(l), Some(r)) = (read(&p, &left), read(&p, &right)) else {
        return Ok(());
    };
    if p.is_undefined(l) || p.is_undefined(r) {
        return Ok(());
    }
    let (a, b) = (p.simplify(l), p.simplify(r));
    if p.is_undefined(a) || p.is_undefined(b) {
        return Ok(());
    }
    prop_assert_eq!(p.is_zero(p.sub(l, r)), Some(true), "{} and {}", left, right);
    // what was written stays where the normal form is much longer
    let kept = a == l || b == r;
    prop_assert!(
        a == b || kept && class.may_be_kept,
        "{left} and {right}: {} and {}",
        p.print(a),
        p.print(b)
    );
    Ok(())
}

proptest! {
    #![proptest_config(crate::random::cases(1000))]

    #[test]
    fn rational_functions_have_one_form(tree in trees(&RATIONAL), steps in steps()) {
        one_form(&tree, &steps, &RATIONAL)?;
    }

    #[test]
    fn sines_and_cosines_have_one_form(tree in trees(&CIRCULAR), steps in steps()) {
        one_form(&tree, &steps, &CIRCULAR)?;
    }

    #[test]
    fn a_denominator_with_its_conjugate_is_one_without_roots(tree in trees(&RATIONAL)) {
        let (p, _) = pool();
        let (plain, whole) = (tree.text(), format!("({})*y*(x + 1)/((sqrt(x^2 + y) + x)*(sqrt(x^2 + y) - x)*(x + 1))", tree.text()));
        let (Some(l), Some(r)) = (read(&p, &plain), read(&p, &whole)) else { return Ok(()) };
        prop_assert_eq!(p.simplify(l), p.simplify(r), "{}: {}", plain, p.print(p.simplify(r)));
    }

    #[test]
    fn one_square_root_has_one_form(tree in trees(&ROOT), steps in steps()) {
        one_form(&tree, &steps, &ROOT)?;
    }
}
