//! What a view asks of the worker: one question of a kind at a time, and the last answer.

use super::state::Effect;
use super::worker::Question;

/// What is asked, and what came, and of what; what came of something else is never taken for what is wanted.
#[derive(Clone)]
pub struct Inquiry<W, A> {
    /// What the worker has been asked and has not answered.
    pub asking: Option<W>,
    /// What came last, and of what.
    pub found: Option<(W, A)>,
}

impl<W, A> Default for Inquiry<W, A> {
    fn default() -> Self {
        let (asking, found) = (None, None);
        Self { asking, found }
    }
}

impl<W: Clone + PartialEq, A> Inquiry<W, A> {
    /// Asks for it in the place of what was asked before; `None` where it is there, or asked for already.
    pub fn begin(&mut self, wanted: W) -> Option<W> {
        let is_known = self.of(&wanted).is_some() || self.asking.as_ref() == Some(&wanted);
        (!is_known).then(|| self.asking.insert(wanted).clone())
    }

    /// Nobody looks any more: what was asked is taken back.
    pub fn leave(&mut self, question: fn(W) -> Question) -> Option<Effect> {
        let asked = self.asking.take()?;
        Some(Effect::Withdraw(question(asked)))
    }

    /// The worker has answered.
    pub fn answered(&mut self, of: &W) {
        self.asking.take_if(|asked| asked == of);
    }

    /// What there is of what is wanted.
    pub fn of(&self, wanted: &W) -> Option<&A> {
        let (of, answer) = self.found.as_ref()?;
        (of == wanted).then_some(answer)
    }
}
