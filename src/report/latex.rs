//! The derivation as LaTeX (amsmath): its forms, one `align*` each.

use super::forms::forms;
use super::text::linked;
use crate::analysis::{Derived, Model};

/// `derive --latex`.
pub fn derive_latex(model: &Model, derived: &Derived) -> String {
    let list = forms(model, derived, model.account());
    linked("\n", list.iter().map(|form| form.latex(&model.system)))
}
