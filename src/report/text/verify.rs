//! What `verify` says.

use super::page::Page;
use super::{number, only_if, size};
use crate::analysis::{Finding, Model, Scale};
use crate::report::notes::unjudged;
use crate::report::title;
use crate::system::{Claim, Known, KnownEquilibrium};

/// The verdict, then each known fact with how far the motion is from it.
pub fn verify_text(model: &Model, findings: &[Finding], width: usize) -> String {
    let mut page = Page::new(width);
    let open = findings.iter().filter(|f| f.is_open()).count();
    let failed = findings.iter().filter(|f| !f.holds).count() - open;
    let judged = only_if(open > 0, format!("; {open} could not be judged"));
    let verdict = match (failed, findings.len()) {
        (_, 0) => "NO FACTS to verify".to_owned(),
        (0, all) if open > 0 => {
            format!("UNDECIDED: {open} of the {all} expected facts could not be judged")
        }
        (0, 1) => "HOLDS: the one expected fact".to_owned(),
        (0, all) => format!("HOLD: all {all} expected facts"),
        (failed, all) => format!("FAIL: {failed} of the {all} expected facts{judged}"),
    };
    page.prose(0, &verdict);
    page.heading(&title(model));
    for (e, finding) in model.system.expectations.iter().zip(findings) {
        page.gap();
        let mark = match (finding.holds, finding.is_open()) {
            (true, _) => "holds",
            (false, true) => "open ",
            (false, false) => "FAILS",
        };
        page.prose_after(&format!("  {mark}  "), 9, &e.fact);
        if e.text != e.fact {
            page.prose_after(&" ".repeat(9), 11, &e.text);
        }
        if let Some(source) = &e.source {
            page.prose_after(&" ".repeat(9), 11, &format!("({source})"));
        }
        let at = only_if(!finding.t.is_nan(), format!(" at t = {:.4}", finding.t));
        let how = match (&finding.because, finding.values) {
            (Some(why), _) if finding.is_open() => {
                format!("not judged: {}", unjudged(model, why))
            }
            (Some(why), _) => unjudged(model, why),
            _ if finding.difference.is_nan() => format!("a side has no value{at}"),
            (None, values) => {
                let off = size(finding.difference);
                let allowed = size(e.within);
                let sides = values.map_or(String::new(), |[computed, known]| {
                    let (computed, known) = (number(computed), number(known));
                    format!("computed {computed}, known {known}{at}: ")
                });
                let to = match finding.scale {
                    Scale::Sides => "relative",
                    Scale::Terms => "relative to the terms that cancel",
                };
                match &e.claim {
                    Claim::Count(_) => sides.trim_end_matches(": ").to_owned(),
                    // it is so or not
                    Claim::Equilibrium(KnownEquilibrium {
                        known: Known::Place,
                        ..
                    }) if finding.difference == 0.0 => String::new(),
                    _ => format!("{sides}off by {off}, {to}; {allowed} is allowed"),
                }
            }
        };
        if !how.is_empty() {
            page.prose_after(&" ".repeat(9), 11, &how);
        }
    }
    page.finish()
}
