//! `derive --solve`: the accelerations and the multipliers, explicitly.

use crate::analysis::Model;
use crate::report::forms::multipliers;
use crate::report::formula::{Form, Formula, Left, words};
use crate::report::text::only_if;
use crate::report::theory::told;

/// The solution, or that there is none to be read.
pub(super) fn steps(model: &Model) -> Vec<Form> {
    let system = &model.system;
    let constrained = !model.multiplier_names().is_empty();
    let Some(solved) = model.solved() else {
        let text = "They are not written out: the formulas are too long to read, or the constraints are redundant. `derive --code` and `simulate` solve numerically.";
        return vec![Form::new("Accelerations", vec![words(text)], Vec::new())];
    };
    let text = if constrained {
        "The equations of motion are linear in the accelerations and the multipliers, and so are the constraints differentiated twice. Solved for both, in positions and velocities on the constraints:"
    } else {
        "The equations of motion are linear in the accelerations. Solved for them:"
    };
    let pairs = system.coordinates.iter().zip(&solved.accelerations);
    let formulas = pairs.map(|(c, e)| Formula::new(Left::Symbol(c.a), *e));
    let mut list = vec![Form::new(
        "Accelerations",
        told(text, []),
        formulas.collect(),
    )];
    if constrained {
        let formulas = multipliers(model, &solved.multipliers);
        list.push(Form::new("Multipliers", Vec::new(), formulas));
    }
    let pool = &system.pool;
    if pool.as_number(solved.determinant).is_none() {
        let of = only_if(
            constrained,
            ", for the masses and the constraints together,",
        );
        let text =
            format!("All of this holds where the determinant of these equations{of} is not zero:");
        let formula = Formula::new(Left::Letter("D", "D"), solved.determinant);
        list.push(Form::new("Where", told(&text, []), vec![formula]));
    }
    list
}
