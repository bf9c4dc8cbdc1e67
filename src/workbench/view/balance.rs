//! The balance of the energy at the time shown: who gives how much, and what is left over.
//!
//! ```text
//! dH/dt = 3.2: rod does 3.2; residual 2e-12
//! ```
//!
//! The numbers stand alone: a system file has no units, so a power has none that could be named.

use super::named;
use crate::expr::Expr;
use crate::report::joined;
use crate::workbench::playhead::between;
use crate::workbench::state::State;
use crate::workbench::text::short;

/// The constraints that are named one by one; of more the sum is told.
const NAMED: usize = 3;

/// The balance in a sentence, from all that there is to say to the least; none where there is no motion.
pub fn texts(state: &State) -> Vec<String> {
    told(state).unwrap_or_default()
}

fn told(state: &State) -> Option<Vec<String>> {
    let analysis = state.analysis.as_ref()?;
    let at = between(&analysis.motion, state.playhead.t)?;
    let closure = analysis.closure.as_ref()?;
    let now = &state.moment.as_ref()?.sample;
    let power = |of: Expr| analysis.at(now, &[of]).into_iter().sum::<f64>();
    let model = analysis.model();
    let zero = model.system.pool.zero();
    let terms = &closure.terms;
    let powers = [
        (terms.forces, "forces do"),
        (terms.constraints, "constraints do"),
        (terms.explicit, "time in L gives"),
    ];
    let sums: Vec<(String, f64)> = powers
        .into_iter()
        .filter(|(term, _)| *term != zero)
        .map(|(term, words)| (words.to_owned(), power(term)))
        .collect();
    let sum: f64 = sums.iter().map(|(_, value)| value).sum();
    let left_over = at.of(&closure.residual).abs();
    let mut residual = if left_over == 0.0 {
        "; residual 0".to_owned()
    } else {
        format!("; residual {left_over:.0e}")
    };
    if closure.is_doubtful() {
        residual.push_str(" (too few samples to tell)");
    }
    if sums.is_empty() && !closure.is_doubtful() {
        // its residual is the change of the energy in the header
        return Some(vec!["dH/dt = 0".to_owned()]);
    }
    if sums.is_empty() {
        return Some(vec![format!("dH/dt = 0{residual}")]);
    }
    // the constraints one by one, in the place of their sum
    let by_name: Vec<(String, f64)> = closure
        .shares
        .iter()
        .map(|(place, share)| {
            let name = model.multiplier_names().get(*place);
            let name = name.map_or("a constraint", String::as_str);
            (format!("{} does", named(state, name)), power(*share))
        })
        .collect();
    let mut each = Vec::new();
    for part in &sums {
        if part.0 == "constraints do" && (1..=NAMED).contains(&by_name.len()) {
            each.extend(by_name.iter().cloned());
        } else {
            each.push(part.clone());
        }
    }
    let said = |parts: &[(String, f64)]| {
        let parts = parts.iter();
        let parts = joined(parts.map(|(words, value)| format!("{words} {}", short(*value))));
        format!("dH/dt = {}: {parts}{residual}", short(sum))
    };
    let least = format!("dH/dt = {}{residual}", short(sum));
    Some(vec![said(&each), said(&sums), least])
}
