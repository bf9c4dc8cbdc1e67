//! The balance of the energy at the time shown: who gives how much, and what is left over.
//!
//! ```text
//! dH/dt = 3.2: rod does 3.2; residual 2e-12
//! ```
//!
//! The numbers stand alone: a system file has no units, so a power has none that could be named.

use std::fmt::Write;

use crate::workbench::playhead::between;
use crate::workbench::state::State;
use crate::workbench::text::short;

/// The constraints that are named one by one; of more the sum is told.
const NAMED: usize = 3;

/// The balance in one sentence; `None` where there is no motion.
pub fn text(state: &State) -> Option<String> {
    let analysis = state.analysis.as_ref()?;
    let at = between(&analysis.motion, state.playhead.t)?;
    let closure = analysis.closure()?;
    let now = |list: &[f64]| {
        let a = list.get(at.place).copied().unwrap_or(f64::NAN);
        let b = list.get(at.place + 1).copied().unwrap_or(a);
        a * (1.0 - at.part) + b * at.part
    };
    let model = analysis.model();
    let zero = model.system.pool.zero();
    let terms = &closure.terms;
    let [forces, constraints, explicit] = &closure.powers;
    let mut parts: Vec<(String, f64)> = Vec::new();
    if terms.forces != zero {
        parts.push(("forces do".to_owned(), now(forces)));
    }
    if closure.shares.len() <= NAMED {
        for (place, power) in &closure.shares {
            let name = model.multiplier_names().get(*place);
            let name = name.map_or("a constraint", String::as_str);
            parts.push((format!("{name} does"), now(power)));
        }
    } else {
        parts.push(("constraints do".to_owned(), now(constraints)));
    }
    if terms.explicit != zero {
        parts.push(("time in L gives".to_owned(), now(explicit)));
    }
    let mut text = if parts.is_empty() {
        "dH/dt = 0".to_owned()
    } else {
        let sum: f64 = parts.iter().map(|(_, value)| value).sum();
        let each: Vec<String> = parts
            .iter()
            .map(|(words, value)| format!("{words} {}", short(*value)))
            .collect();
        format!("dH/dt = {}: {}", short(sum), each.join(", "))
    };
    let _ = write!(text, "; residual {:.0e}", now(&closure.residual).abs());
    if closure.is_doubtful() {
        text.push_str(" (too few samples to tell)");
    }
    Some(text)
}
