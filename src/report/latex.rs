//! The derivation as LaTeX (amsmath): its forms, one `align*` each.

use super::forms::forms;
use crate::analysis::{Derived, Model};

/// `derive --latex`.
pub fn derive_latex(model: &Model, derived: &Derived) -> String {
    let list = forms(model, derived, model.account());
    let texts: Vec<String> = list.iter().map(|form| form.latex(&model.system)).collect();
    texts.join("\n")
}
