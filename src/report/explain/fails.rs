//! The last step of the handout: where the choice fails, as `check` has it.

use super::{ENTRIES, MOST_FACTORS};
use crate::analysis::{Check, Derived, Model, Overrides, flagged_to, size_of};
use crate::expr::Expr;
use crate::report::failure::along;
use crate::report::formula::{Form, Part, alike, styled, words};
use crate::report::text::{near_place, number, place};
use crate::report::theory::told;
use crate::theorem::{Failure, FailureKind, Points, Scope, SingularPoint, Whereabouts};

/// Where this choice fails, as `check` has it, and what carries on there.
pub(super) fn failure(model: &Model, derived: &Derived) -> Option<Form> {
    if !derived.inverse.exists() {
        return None;
    }
    let site = model.site(&Overrides::default()).ok()?;
    let check = model.check(site, Some(&derived.derivation.dependent), &[]);
    let mut sentence = Vec::new();
    if check.singular.is_empty() && check.determinant.complete {
        sentence.push(words("The determinant is never zero: this choice "));
        sentence.extend(told(
            if model.theorem.is_smooth() {
                "works everywhere."
            } else {
                "fails only where a constraint is not $C¹$."
            },
            [],
        ));
    }
    for entry in check.singular.iter().take(MOST_FACTORS) {
        let Some(factor) = entry.factor else { continue };
        if !sentence.is_empty() {
            sentence.push(words(" "));
        }
        sentence.extend(told("On the constraints {} = 0", [Part::Math(factor)]));
        if model.rheonomic() {
            let at = alike(format!("t = {}", number(check.site.t)));
            sentence.extend(told(", at {},", [at]));
        }
        match &entry.found.place {
            Whereabouts::Points(points) => {
                at_points(model, &check, (factor, points), &mut sentence);
            }
            Whereabouts::Family(dimension) => {
                let near = check.nearest_failure.as_ref();
                let near = near.filter(|near| near.factor == factor);
                sentence.push(match (dimension, near) {
                    (Some(dimension), _) => words(format!(" {}, where F fails", along(*dimension))),
                    (None, Some(_)) => words(" at points that are not all known"),
                    (None, None) => words(" perhaps at some points, which is not decided"),
                });
                if let Some(near) = near {
                    let place = near_place(&near.point, near.distance);
                    sentence.extend(told(", such as at {}: ", [alike(place)]));
                    let near = FailurePoint::new(&near.point, false);
                    carries_on(model, &check, &[near], &mut sentence);
                } else {
                    sentence.push(words("."));
                }
            }
            Whereabouts::Nowhere(_, Scope::Everywhere) => {
                sentence.push(words(" nowhere: there F does not fail."));
            }
            Whereabouts::Nowhere(_, Scope::Box) => {
                sentence.push(words(
                    " nowhere in the box that `check` searches (certified).",
                ));
            }
            Whereabouts::Unknown => sentence.push(words(
                " at no point that was found, though that there is none is not proven.",
            )),
            Whereabouts::NotSearched => sentence.push(words(
                ": the points were not looked for, as there are too many coordinates.",
            )),
        }
    }
    (!sentence.is_empty()).then(|| Form::new("Where it fails", sentence, Vec::new()))
}

/// The points at which a factor vanishes: in symbols where they are solved for and all of them are certified.
fn at_points(
    model: &Model,
    check: &Check,
    (factor, points): (Expr, &Points),
    sentence: &mut Vec<Part>,
) {
    if points.list.is_empty() {
        sentence.push(words(" perhaps in some small boxes, which is not decided."));
        return;
    }
    let certified = points.list.iter().all(|p| p.certified.is_some());
    let size = size_of(&check.site.x);
    let only = if points.only().is_some() { " only" } else { "" };
    let shown = points.list.iter().take(ENTRIES);
    let numbers = || -> Vec<String> {
        let text = |p: &SingularPoint| {
            if certified {
                place(&p.x)
            } else {
                near_place(&p.x, size)
            }
        };
        shown.clone().map(text).collect()
    };
    let symbols = (certified && points.only().is_some() && points.list.len() <= ENTRIES)
        .then(|| model.places_in_symbols(factor, &points.list))
        .flatten();
    sentence.push(words(format!(
        "{only} {} ",
        if certified { "at" } else { "near" }
    )));
    match symbols {
        Some(places) => sentence.push(styled(|style| places.text(style))),
        None => sentence.push(alike(numbers().join(", "))),
    }
    if points.list.len() > ENTRIES {
        let more = points.list.len() - ENTRIES;
        sentence.push(words(format!(" and at {more} points more")));
    }
    sentence.push(words(if certified {
        " (certified for the values of the file): "
    } else {
        " (estimated): "
    }));
    let places: Vec<FailurePoint> = points
        .list
        .iter()
        .map(|p| FailurePoint::new(&p.x, p.certified.is_some()))
        .collect();
    let kinds: Vec<Option<FailureKind>> = places.iter().map(|p| kind(model, check, p)).collect();
    let worst = kinds.iter().position(|k| *k == Some(FailureKind::Rank));
    match (worst, kinds.iter().all(|k| Some(k) == kinds.first())) {
        (_, true) => carries_on(model, check, &places, sentence),
        (Some(worst), false) => {
            sentence.extend(told("at {} ", [alike(near_place(places[worst].x, size))]));
            carries_on(model, check, &places[worst..=worst], sentence);
            sentence.push(words(" It is not so at all of them: `check` tells each."));
        }
        (None, false) => sentence.push(words(
            "not the same holds at all of them: `check` tells each.",
        )),
    }
}

/// A place where the determinant is zero, and what each of its coordinates is known to.
struct FailurePoint<'a> {
    x: &'a [f64],
    known_to: Vec<f64>,
}

impl<'a> FailurePoint<'a> {
    /// A place that is certified is known to its last digit.
    fn new(x: &'a [f64], certified: bool) -> Self {
        let known_to = if certified {
            vec![0.0; x.len()]
        } else {
            flagged_to(x)
        };
        Self { x, known_to }
    }
}

/// How the theorem fails at a place.
fn kind(model: &Model, check: &Check, place: &FailurePoint<'_>) -> Option<FailureKind> {
    let at = (check.site.t, place.x);
    let verdict =
        model
            .theorem
            .verdict(&model.system, at, &place.known_to, &check.verdict.dependent);
    verdict.failure.as_ref().map(Failure::kind)
}

/// What goes on at places where this choice fails in the same way.
fn carries_on(model: &Model, check: &Check, places: &[FailurePoint<'_>], sentence: &mut Vec<Part>) {
    let Some(first) = places.first() else { return };
    let t = check.site.t;
    match kind(model, check, first) {
        Some(FailureKind::Rank) => sentence.push(words(
            "there the gradients of the constraints are dependent, the constraints themselves fail, and no choice works.",
        )),
        Some(FailureKind::Smoothness) => sentence.push(words(
            "there a constraint is not continuously differentiable, and no choice works.",
        )),
        Some(FailureKind::Chart) | None => {
            let works = |choice: &Vec<usize>| {
                places.iter().all(|p| {
                    let (system, at) = (&model.system, (t, p.x));
                    let verdict = model.theorem.verdict(system, at, &p.known_to, choice);
                    verdict.holds()
                })
            };
            let ranking = model
                .theorem
                .choices(&model.system, t, first.x, &first.known_to);
            let Some(choice) = ranking.choices.into_iter().find(works) else {
                sentence.push(words(
                    "the chart fails there, the motion does not: another choice carries on.",
                ));
                return;
            };
            let one = words(if choice.len() == 1 { "one" } else { "ones" });
            sentence.extend(told(
                "the chart fails there, the motion does not, and {} can be the dependent {}.",
                [Part::Names(model.system.positions_of(&choice)), one],
            ));
        }
    }
}
