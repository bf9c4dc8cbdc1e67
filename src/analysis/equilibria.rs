//! Where a system can stay, at one value of its parameters and along one of them.

use super::{Model, Overrides};
use crate::expr::asked;
use crate::statics::{
    Around, Continuation, Equilibria, Over, Subject, Unfollowed, equilibria, follow,
};

/// Where equilibria are looked for.
#[derive(Clone, Debug, Default)]
pub struct Where {
    /// The time, and where the default box lies.
    pub overrides: Overrides,
    /// Ranges of coordinates.
    pub region: Vec<(usize, (f64, f64))>,
}

impl Model {
    /// The equilibria at one time in a box: where it is not given 10 max(1, |x|) each way round the start. Called
    /// off (see [`crate::effort::cancelled`]) it gives what it has, and says that this is not all.
    pub fn equilibria(&self, wanted: &Where) -> Equilibria {
        let around = self.box_of(wanted);
        self.subject(None, |subject| asked(|| equilibria(subject, &around)).0)
    }

    /// The branches of equilibria along a parameter, in the same box; what there is of them is told on the way.
    ///
    /// # Errors
    ///
    /// There is nothing to follow.
    pub fn continuation(
        &self,
        wanted: &Where,
        over: Over,
        tell: &mut dyn FnMut(&Continuation),
    ) -> Result<Continuation, Unfollowed> {
        let varies = self.system.parameters.get(over.parameter);
        if varies.is_some_and(|p| self.system.is_in_exponent(p.symbol)) {
            return Err(Unfollowed::Exponent);
        }
        let around = self.box_of(wanted);
        self.subject(Some(over.parameter), |subject| {
            follow(subject, over, &around, tell)
        })
    }

    fn box_of(&self, wanted: &Where) -> Around {
        let ((t, centre), _) = self.around(&wanted.overrides);
        let region = wanted.region.clone();
        Around { t, centre, region }
    }

    /// Asks of the system; where time goes with the parameters that are zero but for one that varies, of the system without it.
    fn subject<T>(&self, varies: Option<usize>, ask: impl FnOnce(&Subject) -> T) -> T {
        let redundancy = self.redundancy();
        if redundancy.is_none()
            && let Some(still) = self.system.without_time(varies)
        {
            return Subject::alone(&still, &[], ask);
        }
        ask(&Subject {
            system: &self.system,
            equations: &self.equations,
            theorem: &self.theorem,
            holonomy: self.holonomy(),
            independent: redundancy.as_ref().map(|r| r.rows.as_slice()),
            pushes: &[],
        })
    }
}
