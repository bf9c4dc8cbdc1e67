//! The functions of the grammar.

/// Where a function is continuously differentiable, by its argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Smooth {
    /// For every argument.
    Everywhere,
    /// Where it is not zero: there is a kink or a jump.
    NotZero,
    /// Where it is positive: there the domain ends.
    Positive,
    /// Strictly between -1 and 1: there the slope is infinite, and the domain ends.
    InsideUnit,
    /// Where its cosine is not zero: there are poles.
    BetweenPoles,
    /// Off the cut of `atan2`.
    OffCut,
}

/// What the sign of an argument does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Parity {
    /// f(-u) = -f(u).
    Odd,
    /// f(-u) = f(u).
    Even,
    /// Neither.
    Neither,
}

/// The values that a function has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Values {
    /// All, or those of no bounds that are of use.
    Any,
    /// From -1 to 1.
    Unit,
    /// From -pi/2 to pi/2.
    RightAngles,
    /// From 0 to pi.
    HalfTurn,
}

/// What is known of a function beside its numerics.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Row {
    /// Its name in the grammar.
    pub name: &'static str,
    /// Its command in LaTeX.
    pub latex: &'static str,
    /// Its name in Python.
    pub python: &'static str,
    /// How many arguments it takes.
    pub arity: usize,
    /// What the sign of its argument does.
    pub parity: Parity,
    /// Its period in half turns, where it has one.
    pub period: Option<i64>,
    /// Where it is continuously differentiable. Every proof rests on this.
    pub smooth: Smooth,
    /// The values it has.
    pub values: Values,
    /// Is it an entire function, or a quotient of two? Such have no branches and no kinks.
    pub meromorphic: bool,
}

macro_rules! table {
    ($($(#[$doc:meta])* $function:ident: $row:expr;)*) => {
        /// The functions of the grammar, `sqrt` aside (it is a power).
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum Function {
            $($(#[$doc])* $function,)*
        }

        impl Function {
            /// Every function.
            pub const ALL: [Self; [$(Self::$function),*].len()] = [$(Self::$function),*];

            /// What is known of it.
            pub const fn row(self) -> Row {
                match self {
                    $(Self::$function => $row,)*
                }
            }
        }
    };
}

/// A row: its three names, and what a function of one argument is if nothing else is said.
const fn row(name: &'static str, latex: &'static str, python: &'static str) -> Row {
    Row {
        name,
        latex,
        python,
        arity: 1,
        parity: Parity::Neither,
        period: None,
        smooth: Smooth::Everywhere,
        values: Values::Any,
        meromorphic: false,
    }
}

table! {
    /// Sine.
    Sin: Row {
        parity: Parity::Odd,
        period: Some(2),
        values: Values::Unit,
        meromorphic: true,
        ..row("sin", "\\sin", "math.sin")
    };
    /// Cosine.
    Cos: Row {
        parity: Parity::Even,
        period: Some(2),
        values: Values::Unit,
        meromorphic: true,
        ..row("cos", "\\cos", "math.cos")
    };
    /// Tangent.
    Tan: Row {
        parity: Parity::Odd,
        period: Some(1),
        smooth: Smooth::BetweenPoles,
        meromorphic: true,
        ..row("tan", "\\tan", "math.tan")
    };
    /// Inverse sine, on [-1, 1].
    Asin: Row {
        parity: Parity::Odd,
        smooth: Smooth::InsideUnit,
        values: Values::RightAngles,
        ..row("asin", "\\arcsin", "math.asin")
    };
    /// Inverse cosine, on [-1, 1].
    Acos: Row {
        smooth: Smooth::InsideUnit,
        values: Values::HalfTurn,
        ..row("acos", "\\arccos", "math.acos")
    };
    /// Inverse tangent.
    Atan: Row {
        parity: Parity::Odd,
        values: Values::RightAngles,
        ..row("atan", "\\arctan", "math.atan")
    };
    /// `atan2(y, x)`, with a cut along y = 0, x <= 0.
    Atan2: Row {
        arity: 2,
        smooth: Smooth::OffCut,
        ..row("atan2", "\\operatorname{atan2}", "math.atan2")
    };
    /// Hyperbolic sine.
    Sinh: Row {
        parity: Parity::Odd,
        meromorphic: true,
        ..row("sinh", "\\sinh", "math.sinh")
    };
    /// Hyperbolic cosine.
    Cosh: Row {
        parity: Parity::Even,
        meromorphic: true,
        ..row("cosh", "\\cosh", "math.cosh")
    };
    /// Hyperbolic tangent.
    Tanh: Row {
        parity: Parity::Odd,
        values: Values::Unit,
        meromorphic: true,
        ..row("tanh", "\\tanh", "math.tanh")
    };
    /// Error function.
    Erf: Row {
        parity: Parity::Odd,
        values: Values::Unit,
        meromorphic: true,
        ..row("erf", "\\operatorname{erf}", "math.erf")
    };
    /// Exponential.
    Exp: Row {
        meromorphic: true,
        ..row("exp", "\\exp", "math.exp")
    };
    /// Natural logarithm, on (0, inf).
    Log: Row {
        smooth: Smooth::Positive,
        ..row("log", "\\ln", "math.log")
    };
    /// Absolute value.
    Abs: Row {
        parity: Parity::Even,
        smooth: Smooth::NotZero,
        ..row("abs", "\\operatorname{abs}", "abs")
    };
    /// Sign: -1, 0 or 1.
    Sign: Row {
        parity: Parity::Odd,
        smooth: Smooth::NotZero,
        values: Values::Unit,
        ..row("sign", "\\operatorname{sign}", "sign")
    };
}

impl Function {
    /// Where it is continuously differentiable.
    pub fn smooth(self) -> Smooth {
        self.row().smooth
    }

    /// Its name in the grammar.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The function of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|f| f.name() == name)
    }

    /// How many arguments it takes.
    pub fn arity(self) -> usize {
        self.row().arity
    }

    /// Its value; NaN outside its domain.
    pub fn value(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Sin => a.sin(),
            Self::Cos => a.cos(),
            Self::Tan => a.tan(),
            Self::Asin => a.asin(),
            Self::Acos => a.acos(),
            Self::Atan => a.atan(),
            Self::Atan2 => a.atan2(b),
            Self::Sinh => a.sinh(),
            Self::Cosh => a.cosh(),
            Self::Tanh => a.tanh(),
            Self::Erf => libm::erf(a),
            Self::Exp => a.exp(),
            Self::Log => a.ln(),
            Self::Abs => a.abs(),
            Self::Sign => {
                if a == 0.0 {
                    0.0
                } else {
                    a.signum()
                }
            }
        }
    }
}
