//! Where a system can stay.

use super::{Model, Overrides};
use crate::expr::asked;
use crate::statics::{Around, Equilibria, Subject, equilibria};

/// Where equilibria are looked for.
#[derive(Clone, Debug, Default)]
pub struct Where {
    /// The time, and where the default box lies.
    pub overrides: Overrides,
    /// Ranges of coordinates.
    pub region: Vec<(usize, f64, f64)>,
}

impl Model {
    /// The equilibria at one time in a box: where it is not given 10 max(1, |x|) each way round the start. Called
    /// off (see [`crate::effort::cancelled`]) it gives what it has, and says that this is not all.
    pub fn equilibria(&self, wanted: &Where) -> Equilibria {
        let ((t, centre), _) = self.around(&wanted.overrides);
        let redundancy = self.redundancy();
        let subject = Subject {
            system: &self.system,
            equations: &self.equations,
            theorem: &self.theorem,
            holonomy: self.holonomy(),
            independent: redundancy.as_ref().map(|r| r.rows.as_slice()),
        };
        let region = wanted.region.clone();
        asked(|| equilibria(&subject, &Around { t, centre, region })).0
    }
}
