//! `derive --solve`: the accelerations and the multipliers, explicitly.

use crate::analysis::{Model, Unsolved};
use crate::report::forms::multipliers;
use crate::report::formula::{Form, Formula, Left, words};
use crate::report::text::only_if;
use crate::report::theory::told;

/// A formula of more operations than this is written where everything is asked for.
const READABLE: usize = 300;

/// The solution, or why it is not written.
pub(super) fn steps(model: &Model, full: bool) -> Vec<Form> {
    let system = &model.system;
    let constrained = !model.multiplier_names().is_empty();
    let solved = match model.solved() {
        Ok(solved) => solved,
        Err(why) => {
            let why = match why {
                Unsolved::Redundant => {
                    "constraints are redundant, so that the multipliers are not unique"
                }
                Unsolved::Long => "the formulas are too long",
            };
            return not_written(why);
        }
    };
    let longest = solved.longest(&system.pool);
    if !full && longest > READABLE {
        return not_written(&format!(
            "the longest formula has {longest} operations (--full writes it)"
        ));
    }
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

fn not_written(why: &str) -> Vec<Form> {
    let text = format!(
        "They are not written out: {why}. `derive --code` and `simulate` solve numerically."
    );
    vec![Form::new("Accelerations", vec![words(text)], Vec::new())]
}
