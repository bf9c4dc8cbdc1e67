//! What a file expects, and what came of it: the `verify` object.

use super::each;
use crate::analysis::{Finding, Model, Unjudged};
use crate::report::notes::unjudged;
use crate::report::title;
use serde_json::{Value, json};

/// What the file expects and whether the motion agrees.
pub fn verify_json(model: &Model, findings: &[Finding]) -> Value {
    let expectations = model.system.expectations.iter().zip(findings);
    json!({
        "system": title(model),
        "expectations": each(expectations, |(e, f)| json!({
            "fact": e.fact,
            "source": e.source,
            "statement": e.text,
            "holds": f.holds,
            "computed": f.values.map(|[computed, _]| computed),
            "known": f.values.map(|[_, known]| known),
            "difference": f.difference,
            "relative_to": f.scale.name(),
            "within": e.within,
            "t": f.t,
            "because": f.because.as_ref().map(|why| unjudged(model, why)),
            "reason": f.because.as_ref().map(Unjudged::name),
        })),
        "holds": findings.iter().all(|f| f.holds),
    })
}
