//! What is asked, and what is given.

use crate::expr::Expr;
use crate::mechanics::{Equations, Holonomy};
use crate::statics::bounds::Enclosure;
use crate::statics::stability::Assessment;
use crate::system::System;
use crate::theorem::Theorem;

/// Of what equilibria are looked for.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The system.
    pub system: &'a System,
    /// Its equations.
    pub equations: &'a Equations,
    /// The theorem, prepared for it.
    pub theorem: &'a Theorem,
    /// Which velocity constraints are holonomic ones in disguise.
    pub holonomy: &'a [Holonomy],
    /// Of constraints that are redundant everywhere, a largest set that is independent.
    pub independent: Option<&'a [usize]>,
    /// Multipliers of one-sided constraints that have been solved for, in the coordinates that are left: they must push.
    pub pushes: &'a [Expr],
}

impl Subject<'_> {
    /// Asks of a system that has no velocity constraints, and no redundant ones; `pushes` as in the subject.
    pub fn alone<T>(system: &System, pushes: &[Expr], ask: impl FnOnce(&Subject) -> T) -> T {
        let equations = Equations::new(system);
        ask(&Subject {
            system,
            equations: &equations,
            theorem: &Theorem::new(system, &equations),
            holonomy: &[],
            independent: None,
            pushes,
        })
    }
}

/// Where and when.
#[derive(Clone, Debug)]
pub struct Around {
    /// The time.
    pub t: f64,
    /// What the default box lies round: 10 max(1, |x|) each way.
    pub centre: Vec<f64>,
    /// Ranges of coordinates that are given.
    pub region: Vec<(usize, (f64, f64))>,
}

named! {
    /// What the reader should know.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum Note {
        /// Where the forces balance depends on t, which is held.
        Held = "held",
        /// So many constraints are one-sided: only configurations in which all of them act were examined.
        OneSided(usize) = "one_sided",
        /// An objective beside one-sided constraints: only places where they keep it from being less were looked at.
        Least = "least",
        /// The potential or a constraint may have a step, or forces have no value at rest: only zeros of equations were looked for.
        Steps = "steps",
        /// Forces jump at rest, as dry friction does, and may hold it elsewhere too: only where it needs none of them was looked for.
        Friction = "friction",
        /// Only so many of those found are told, those of least potential.
        LowestOnly(usize) = "lowest_only",
        /// Some constraints are redundant; multipliers are those of least norm.
        Redundant = "redundant",
        /// A system of so many unknowns is not searched.
        TooLarge(usize) = "too_large",
        /// A large system: looked for downhill and uphill and by turning what was found; there are others.
        Large = "large",
    }
}

/// An equilibrium.
#[derive(Clone, Debug)]
pub struct Equilibrium {
    /// The coordinates.
    pub x: Vec<f64>,
    /// One a constraint, d(-L)/dc, then one a velocity constraint.
    pub multipliers: Vec<f64>,
    /// R = J^T lambda + A^T mu.
    pub reaction: Vec<f64>,
    /// That it exists, and where; of a relative equilibrium, in the coordinates at rest. `None` where it was found by
    /// Newton's method only.
    pub proof: Option<Enclosure>,
    /// It does not stand alone: a direction in which equilibria go on.
    pub along: Option<Along>,
    /// One-sided constraints that do not act there.
    pub released: Vec<usize>,
    /// The coordinates that are at rest where the others are moved by constraints; `None` where all are.
    pub at_rest: Option<Vec<usize>>,
    /// What it is like; of the Lagrangian in the coordinates at rest where others move.
    pub verdict: Assessment,
}

impl Equilibrium {
    /// Is it proven to exist?
    pub fn certified(&self) -> bool {
        self.proof.is_some()
    }

    /// Are no others near? Proven where it is proven to exist; else none were met.
    pub fn stands_alone(&self) -> bool {
        let form = &self.verdict.form;
        // of forces without potential the form is half the truth
        self.along.is_none() && (form.stands_alone() || form.is_estimate())
    }

    /// Is it one of a family of which it is not proven that all members are as stable?
    pub fn is_judged_alone(&self) -> bool {
        let along = self.along.as_ref();
        along.is_some_and(|along| along.holds != Holds::Same)
    }

    /// Is it proven to be one of a family?
    pub fn of_a_family(&self) -> bool {
        self.along.as_ref().is_some_and(Along::is_proven)
    }
}

/// A frame that moves along a symmetry.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The velocities of what is at rest in it, one a coordinate.
    pub rates: Vec<Expr>,
    /// Are the equilibria in it proven to be all in the box?
    pub complete: bool,
}

named! {
    /// Of which members of a family the verdict is proven that is told of one.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum Holds {
        /// All of them.
        Same = "same",
        /// That one: others were not judged, or not decided.
        There = "unknown",
        /// That one, and another one has another verdict.
        Changes = "changes",
    }
}

/// A direction in which equilibria go on.
#[derive(Clone, Debug, PartialEq)]
pub struct Along {
    pub(super) direction: Vec<f64>,
    pub(super) holds: Holds,
    /// How many directions there are, where it is proven that there are others in all of them.
    dimension: Option<usize>,
}

impl Along {
    /// Found by following solutions in numbers.
    pub(in crate::statics) fn estimated(direction: Vec<f64>) -> Self {
        Self {
            direction,
            holds: Holds::There,
            dimension: None,
        }
    }

    /// A tangent of a set of solutions that is proven to be one of so many dimensions.
    pub(super) fn proven(direction: Vec<f64>, dimension: usize) -> Self {
        Self {
            dimension: Some(dimension),
            ..Self::estimated(direction)
        }
    }

    /// The same in other coordinates.
    pub(in crate::statics) fn moved(&self, onto: impl Fn(&[f64]) -> Vec<f64>) -> Self {
        Self {
            direction: onto(&self.direction),
            ..self.clone()
        }
    }

    /// A tangent of the family.
    pub fn direction(&self) -> &[f64] {
        &self.direction
    }

    /// Is it proven that there are others, as near as one likes? Else they were met by following them.
    pub fn is_proven(&self) -> bool {
        self.dimension.is_some()
    }

    /// Of which members the verdict is proven.
    pub fn holds(&self) -> Holds {
        self.holds
    }

    /// How many dimensions the family has, where it is proven to be one.
    pub fn dimension(&self) -> Option<usize> {
        self.dimension
    }
}

/// What a search has left over. Made by the search only: that nothing is left is the evidence for "all".
#[derive(Clone, Debug)]
pub struct Left {
    pub(super) undecided: Vec<Vec<(f64, f64)>>,
    pub(super) unsearched: bool,
}

impl Left {
    /// Boxes that could not be decided, a range a coordinate.
    pub fn undecided(&self) -> &[Vec<(f64, f64)>] {
        &self.undecided
    }

    /// Is it proven that there is nothing besides what was found?
    pub fn is_nothing(&self) -> bool {
        self.undecided.is_empty() && !self.unsearched
    }
}

/// All that was found.
#[derive(Clone, Debug)]
pub struct Equilibria {
    /// In the order of their coordinates.
    pub list: Vec<Equilibrium>,
    /// Relative equilibria of a system whose constraints move: independent coordinates are at rest, or all are in a
    /// frame that moves. Without a frame it is not said that there are no others.
    pub relative: Vec<Equilibrium>,
    /// The frame in which those are at rest, where a symmetry gives one.
    pub frame: Option<Frame>,
    /// What is left over of the box.
    pub left: Left,
    /// Places where the equations seemed to hold but L, f or a derivative of theirs is not defined, or not smooth: poles,
    /// edges and kinks. Nothing is said of them.
    pub undefined: Vec<Vec<f64>>,
    /// Singular configurations that were met: the gradients of the constraints are dependent and no finite
    /// multipliers hold the forces.
    pub singular: Vec<Vec<f64>>,
    /// The box.
    pub region: Vec<(f64, f64)>,
    /// Coordinates that are angles, with their period.
    pub periods: Vec<(usize, f64)>,
    /// The time.
    pub t: f64,
    /// What the reader should know.
    pub notes: Vec<Note>,
}

impl Equilibria {
    /// Is it proven that there are no others in the box? Where the equations are not smooth there may be.
    pub fn complete(&self) -> bool {
        self.left.is_nothing() && self.undefined.is_empty()
    }
}
