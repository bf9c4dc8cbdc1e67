//! An atlas of the constraint set, as text and as JSON.

use super::json::{by_name, each, point_json};
use super::redundancy::nowhere;
use super::text::{
    Layout, Page, between, count, joined, left_out, left_out_of, names, number, place, sides, some,
};
use super::{title, zero};
use crate::analysis::{AtlasAnswer, LeftOver, Model, NoChoice, Part, extremes};
use crate::expr::rounded;
use serde_json::{Value, json};
use std::fmt::Write;

/// Pieces of a choice, and boxes left, that are told one by one.
const ENTRIES: usize = 12;
/// Lines that the pieces of a choice may take, and those of all together; then their number is told.
const LINES: usize = 12;
const ALL_LINES: usize = 36;
/// Digits of a box that is left, rounded outward.
const DIGITS: i32 = 3;
/// Digits of an end of a piece. Most ends have been moved to a number of few digits, and proven there; one that could
/// not be is told rounded inward, to as many as are needed to lose
const END_DIGITS: std::ops::RangeInclusive<i32> = 5..=9;
/// at most this part of the piece.
const LOST: f64 = 1e-3;

/// A range a coordinate.
pub(super) type Sides = [(f64, f64)];

/// The choices with their pieces, and what they leave.
pub fn atlas_text(model: &Model, atlas: &AtlasAnswer, layout: Layout) -> String {
    let mut page = Page::laid_out(layout, &model.system.pool);
    if let Some(found) = &atlas.nowhere {
        page.prose(0, &nowhere(model, &found.redundancy));
        page.gap();
        page.title(&title(model));
        page.prose_after("  box  ", 7, &region_text(model, &atlas.part));
        page.gap();
        page.prose(0, &how_far(found));
        return page.finish();
    }
    let pieces: usize = atlas.charts.iter().map(|chart| chart.pieces.len()).sum();
    let choices = count(atlas.charts.len(), "choice");
    let pieces = count(pieces, "piece");
    page.prose(0, &format!("{choices} of dependent coordinates, {pieces}"));
    page.gap();
    page.title(&title(model));
    page.prose_after("  box  ", 7, &region_text(model, &atlas.part));
    let mut told = 0;
    let mut is_cut = false;
    for (place, chart) in atlas.charts.iter().enumerate() {
        if place == ENTRIES {
            page.gap();
            left_out_of(&mut page, 0, atlas.charts.len() - ENTRIES, "choice");
            break;
        }
        let brief = told >= ALL_LINES;
        if !brief {
            page.gap();
        }
        if chart.dependent.is_empty() {
            page.prose(
                0,
                if model.system.velocity_constraints.is_empty() {
                    "No constraints: every coordinate is independent."
                } else {
                    "No constraint binds positions: no coordinate depends on the others."
                },
            );
            continue;
        }
        let chosen = names(&model.names(&chart.dependent));
        if brief {
            let pieces = count(chart.pieces.len(), "piece");
            page.prose(0, &format!("{chosen}   {pieces} (--json has all)"));
            continue;
        }
        match chart.determinant {
            Some(det) => {
                let det = super::text::show(model, det);
                page.expression(0, &format!("{chosen}   det J[{chosen}] = "), det, "");
            }
            None => page.prose(0, &chosen),
        }
        let mut shown = 0;
        let mut lines = 0;
        for piece in &chart.pieces {
            let short = inward(piece, &atlas.part.region);
            let text = sides_text(model, &short, &atlas.part.region);
            let own = 1 + text.len() / layout.width.saturating_sub(4).max(20);
            if shown > 0 && lines + own > LINES {
                break;
            }
            page.prose_after("  ", 4, &text);
            is_cut |= &short != piece;
            lines += own;
            shown += 1;
        }
        left_out(&mut page, 2, chart.pieces.len() - shown);
        told += lines;
        if told >= ALL_LINES {
            page.gap();
        }
    }
    left(&mut page, model, atlas);
    page.gap();
    page.prose(0, &conclusion(model, atlas, is_cut));
    page.finish()
}

fn redundant_names(model: &Model, found: &NoChoice) -> Vec<String> {
    let names = model.multiplier_names();
    let others = found.redundancy.others.iter();
    others
        .filter_map(|r| names.get(r.constraint).cloned())
        .collect()
}

/// Where no choice works, as far as it is known.
fn how_far(found: &NoChoice) -> String {
    if found.proven {
        return "The determinant of every choice is zero everywhere (certified).".to_owned();
    }
    let points = match found.looked {
        1 => "at the one point".to_owned(),
        more => format!("at all {more} points"),
    };
    format!(
        "This is so {points} of the constraint set examined in the box; that no choice works anywhere in it is not proven. No pieces were looked for."
    )
}

/// What the pieces do not cover.
fn left(page: &mut Page, model: &Model, atlas: &AtlasAnswer) {
    if atlas.left.is_empty() {
        return;
    }
    page.heading("Left");
    let chosen = match atlas.charts.as_slice() {
        [one] => names(&model.names(&one.dependent)),
        _ => String::new(),
    };
    let mut told: Vec<&Vec<f64>> = Vec::new();
    for at in atlas.left.iter().filter_map(|l| l.fails_at.as_ref()) {
        if !told.contains(&at) {
            told.push(at);
        }
    }
    for at in told.iter().take(ENTRIES) {
        let at = point(at);
        page.prose_after("  ", 4, &format!("{chosen} fails at {at} (certified)"));
    }
    left_out(page, 2, told.len().saturating_sub(ENTRIES));
    let open: Vec<&LeftOver> = atlas.left.iter().filter(|l| l.fails_at.is_none()).collect();
    if open.len() <= ENTRIES {
        for one in open {
            let text = box_text(model, &one.sides, &atlas.part.region);
            page.prose_after("  ", 4, &format!("not decided: {text}"));
        }
        return;
    }
    let hull: Vec<(f64, f64)> = (0..atlas.part.region.len())
        .map(|k| extremes(open.iter().flat_map(|l| [l.sides[k].0, l.sides[k].1])))
        .collect();
    let text = box_text(model, &hull, &atlas.part.region);
    let all = open.len();
    page.prose_after("  ", 4, &format!("{all} boxes not decided, all in {text}"));
}

/// The last line: what is proven of the whole. Where ends were `cut` short, inward, each piece as told is still
/// proven, but only the pieces with all their digits cover what they are said to.
fn conclusion(model: &Model, atlas: &AtlasAnswer, cut: bool) -> String {
    let (they, together) = match atlas.charts.iter().map(|c| c.pieces.len()).sum::<usize>() {
        0 => ("no piece was found; ", ""),
        1 => ("", "This one piece covers"),
        _ => ("", "Together these pieces cover"),
    };
    if !they.is_empty()
        && !atlas.left.is_empty()
        && let Some(redundancy) = model.redundancy()
    {
        return nowhere(model, &redundancy);
    }
    let mut text = match (atlas.complete, atlas.left.is_empty()) {
        (false, _) => format!(
            "The work limit was reached: {they}not everything outside the pieces was examined."
        ),
        (true, true) if they.is_empty() => {
            format!("{together} all of the constraint set in the box (certified).")
        }
        (true, true) => "The constraint set has no point in the box (certified).".to_owned(),
        (true, false) if !they.is_empty() => {
            "No piece was found: what is left holds all of the constraint set in the box (certified)."
                .to_owned()
        }
        (true, false) => {
            format!("{together} the constraint set in the box but for what is left (certified).")
        }
    };
    if cut {
        text.push_str(
            " The ends printed here are rounded inward; what covers the set are the ends with all digits (--json has them).",
        );
    }
    if atlas.more {
        text.push_str(" Not all choices were tried.");
    }
    if model.rheonomic() {
        let _ = write!(
            text,
            " The constraints move: all this is for t = {}.",
            number(atlas.part.t)
        );
    }
    let whole = atlas.periods.iter().filter(|(k, period)| {
        let (lo, hi) = atlas.part.region[*k];
        hi - lo >= period * (1.0 - 1e-12)
    });
    let turning: Vec<String> = whole.map(|(k, _)| model.names(&[*k]).concat()).collect();
    match turning.as_slice() {
        [] => {}
        [one] => {
            let _ = write!(text, " {one} repeats after a turn.");
        }
        more => {
            let _ = write!(text, " {} repeat after a turn.", more.join(", "));
        }
    }
    text
}

/// `-2 <= x1 <= 2, -1 <= x2 <= 4, t = 0.5`
pub(super) fn region_text(model: &Model, part: &Part) -> String {
    let region = some(sides(model.variable_names(), &part.region), ENTRIES);
    if model.rheonomic() {
        format!("{region}, t = {} (held)", number(part.t))
    } else {
        region
    }
}

/// The sides that do not span the whole region: `x1 >= 0.35, -1 <= x2 <= 0.5`.
fn sides_text(model: &Model, sides: &Sides, whole: &Sides) -> String {
    let list = sides.iter().zip(whole).zip(model.variable_names());
    let text = joined(list.filter_map(|(((lo, hi), (least, most)), name)| {
        let ends = [(lo, lo > least), (hi, hi < most)];
        between(
            name,
            ends.map(|(end, shown)| shown.then(|| format!("{end:?}"))),
        )
    }));
    match text.as_str() {
        "" => "all of the box".to_owned(),
        _ => text,
    }
}

/// Has this number no more digits than an end may have?
fn few(v: f64) -> bool {
    let text = format!("{v:e}");
    let mantissa = text.split('e').next().unwrap_or_default();
    mantissa.chars().filter(char::is_ascii_digit).count() <= *END_DIGITS.end() as usize
}

/// A piece with ends of few digits, inside of it; the ends of the region stay.
fn inward(piece: &Sides, whole: &Sides) -> Vec<(f64, f64)> {
    let side = |(&(lo, hi), &(least, most)): (&(f64, f64), &(f64, f64))| {
        let (keep_lo, keep_hi) = (lo <= least || few(lo), hi >= most || few(hi));
        let mut ends = END_DIGITS.map(|digits| {
            let low = if keep_lo {
                lo
            } else {
                rounded(lo, digits, true)
            };
            let high = if keep_hi {
                hi
            } else {
                rounded(hi, digits, false)
            };
            (low, high)
        });
        let enough = |(low, high): &(f64, f64)| high - low >= (1.0 - LOST) * (hi - lo);
        ends.find(enough).unwrap_or((lo, hi))
    };
    piece.iter().zip(whole).map(side).collect()
}

/// A box that is left, rounded outward.
pub(super) fn box_text(model: &Model, sides: &Sides, whole: &Sides) -> String {
    let wide: Vec<(f64, f64)> = sides
        .iter()
        .map(|(lo, hi)| (outward(*lo, false), outward(*hi, true)))
        .collect();
    sides_text(model, &wide, whole)
}

/// A number of few digits at or beyond this one, also where one of few digits is a rounding away on the other side.
fn outward(v: f64, upward: bool) -> f64 {
    /// Many times a rounding, and far below the digits shown.
    const ASIDE: f64 = 1e-9;
    let near = rounded(v, DIGITS, upward);
    if few(near) {
        return near;
    }
    let aside = if upward { ASIDE } else { -ASIDE };
    rounded(v + aside * v.abs(), DIGITS, upward)
}

/// A proven point: what is zero by all but rounding reads so.
pub(super) fn point(x: &[f64]) -> String {
    place(&zero::proven(x))
}

/// A box by the names of the coordinates.
pub(super) fn box_json(model: &Model, sides: &Sides) -> Value {
    by_name(model.variable_names(), sides)
}

/// The same as data, nothing rounded.
pub fn atlas_json(model: &Model, atlas: &AtlasAnswer) -> Value {
    json!({
        "system": title(model),
        "t": atlas.part.t,
        "no_start": atlas.part.no_start.as_ref().map(ToString::to_string),
        "box": box_json(model, &atlas.part.region),
        "complete": atlas.complete && atlas.left.is_empty(),
        "charts": each(&atlas.charts, |chart| json!({
            "dependent": model.names(&chart.dependent),
            "determinant": chart.determinant.map(|det| model.system.pool.print(det)),
            "pieces": each(&chart.pieces, |piece| box_json(model, piece)),
        })),
        "left": each(&atlas.left, |one| json!({
            "box": box_json(model, &one.sides),
            "fails_at": one.fails_at.as_ref().map(|at| point_json(model, at)),
        })),
        "boxes": atlas.boxes,
        "more": atlas.more,
        "all_looked_at": atlas.complete,
        "no_choice": atlas.nowhere.as_ref().map(|found| json!({
            "redundant": redundant_names(model, found),
            "looked": found.looked,
            "proven": found.proven,
        })),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const WHOLE: (f64, f64) = (-1e3, 1e3);

    #[test]
    fn ends_of_few_digits_stay_and_others_go_inward() {
        let one = |lo, hi| inward(&[(lo, hi)], &[WHOLE])[0];
        assert_eq!(one(-3.041_586_458_166_775_4, -1.571), (-3.0415, -1.571));
        assert_eq!(one(1.1e-9, 0.5), (1.1e-9, 0.5));
        assert_eq!(one(0.25, 0.25), (0.25, 0.25));
        assert_eq!(one(0.123_456_789_012, 0.124), (0.123_457, 0.124));
        // where few digits would lose too much all are told
        let thin = (0.123_456_789_012, 0.123_456_999_987);
        assert_eq!(one(thin.0, thin.1), thin);
        // the ends of the region are those of the region
        let turn = (-std::f64::consts::PI, std::f64::consts::PI);
        assert_eq!(inward(&[turn], &[turn]), [turn]);
        let half = (turn.0, 1.234_567_890_123);
        assert_eq!(inward(&[half], &[turn]), [(turn.0, 1.2345)]);
    }

    #[test]
    fn a_box_that_is_left_has_ends_of_few_digits() {
        assert_eq!(outward(-13.200_000_000_000_001, false), -13.3);
        assert_eq!(outward(13.200_000_000_000_001, true), 13.3);
        assert_eq!(outward(-13.2, false), -13.2);
        assert_eq!(outward(-13.199_999_9, false), -13.2);
    }

    proptest! {
        #[test]
        fn what_is_told_is_inside_of_what_is_proven(a in -1e3..1e3_f64, b in -1e3..1e3_f64) {
            let (lo, hi) = (a.min(b), a.max(b));
            let (low, high) = inward(&[(lo, hi)], &[WHOLE])[0];
            prop_assert!(lo <= low && low <= high && high <= hi);
            prop_assert!(high - low >= (1.0 - 2.0 * LOST) * (hi - lo));
        }
    }
}
