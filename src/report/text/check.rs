//! What `check` says.

use super::extent;
use super::motion::LONG_FACTOR;
use super::page::Page;
use super::table::{headed, left, numbers, rows};
use super::validity::validity;
use super::{
    ENTRIES, between, branches, count, exact, inverse_heading, joined, left_out, linked, names,
    number, only_if, place, repeating, show, sides, some, values,
};
use crate::analysis::{Check, Model, NearestFailure, SingularEntry, Site, Solvable, size_of};
use crate::expr::SymbolKind;
use crate::report::failure::along;
use crate::report::notes::site_notes;
use crate::report::refusal::kept_words;
use crate::report::{failure_sentence, holonomic_notes, title, zero};
use crate::theorem::{
    Branch, FARTHEST, Failure, FailureKind, Neighbourhood, Scope, Verdict, Whereabouts, value_at,
};
use std::fmt::Write;

/// Points of a singular set that are listed.
const POINTS: usize = 6;
/// Alternatives that are listed.
const ALTERNATIVES: usize = 6;
/// Sides of a proven box that are listed.
const SIDES: usize = 4;
/// A symbolic determinant of more factors is left to its factors.
const FACTORS: usize = 6;

/// The verdict first, then what it rests on.
pub fn check_text(model: &Model, check: &Check, width: usize) -> String {
    let mut page = Page::new(width);
    let long = LongFactors::of(model, check);
    verdict(&mut page, model, (check, &long));
    page.heading(&title(model));
    for note in site_notes(model, &check.site) {
        page.prose(2, &format!("note: {note}"));
    }
    extent(&mut page, &[model.extent, check.extent]);
    if let Some(assembly) = &check.site.assembly {
        super::start::positions(&mut page, &model.system, assembly);
    }
    velocities(&mut page, model, check);
    if model.system.constraints.is_empty() {
        return page.finish();
    }
    jacobian(&mut page, model, check);
    determinant(&mut page, model, (check, &long));
    inverse(&mut page, model, check);
    page.finish()
}

/// Factors of the determinant that are too long for a sentence: there they are called `factor 1`, and are written once, with
/// the determinant. The longest comes first, as it may contain others.
struct LongFactors(Vec<String>);

impl LongFactors {
    fn of(model: &Model, check: &Check) -> Self {
        let listed = check.singular.iter().take(ENTRIES).filter_map(|s| s.factor);
        let near = check.nearest_failure.iter().map(|near| near.factor);
        let mut list: Vec<String> = Vec::new();
        for factor in listed.chain(near) {
            let text = show(model, factor).to_string();
            if text.len() > LONG_FACTOR && !list.contains(&text) {
                list.push(text);
            }
        }
        list.sort_by_key(|text| std::cmp::Reverse(text.len()));
        Self(list)
    }

    /// A text with their names in their place.
    fn named(&self, text: &str) -> String {
        let factors = self.0.iter().zip(1..);
        factors.fold(text.to_owned(), |text, (factor, number)| {
            text.replace(factor, &format!("factor {number}"))
        })
    }

    /// What the names stand for.
    fn write(&self, page: &mut Page) {
        for (factor, number) in self.0.iter().zip(1..) {
            let head = format!("factor {number} of det J = ");
            page.expression(2, &head, factor.as_str(), "");
        }
    }
}

/// The velocity constraints: they bind no position, and the verdict knows nothing of them.
fn velocities(page: &mut Page, model: &Model, check: &Check) {
    let list = &model.system.velocity_constraints;
    if list.is_empty() {
        return;
    }
    let (verb, which) = if list.len() == 1 {
        ("takes", "")
    } else {
        ("take", "s")
    };
    let named = joined(list.iter().map(|c| c.name.clone()));
    page.prose(
        2,
        &format!("the verdict is about positions: the velocity constraint{which} {named} {verb} no part in it"),
    );
    for own in check
        .velocities
        .iter()
        .filter(|own| !own.dependent.is_empty())
    {
        let depend = model.names(&own.dependent).join("', ");
        let where_ = validity(model, &own.columns, page.style());
        let is_zero = zero::of_unit_size(&[own.determinant]) == [0.0];
        let here = only_if(is_zero, " (not here)");
        page.prose(
            2,
            &format!(
                "W = [J; A] has rank {} of {} here; `derive` takes {depend}' as dependent{where_}{here}",
                own.rank, own.rows
            ),
        );
    }
    for note in holonomic_notes(model, page.style()) {
        page.prose(2, &note);
    }
}

fn verdict(page: &mut Page, model: &Model, (check, long): (&Check, &LongFactors)) {
    let verdict = &check.verdict;
    if model.system.constraints.is_empty() {
        let free = if model.system.velocity_constraints.is_empty() {
            "HOLDS: there are no constraints, every coordinate is independent"
        } else {
            "HOLDS: no constraint binds positions, so that no coordinate depends on the others; their velocities are bound"
        };
        page.prose(0, free);
        return;
    }
    let chosen = names(&model.names(&verdict.dependent));
    let head = match verdict.failure.as_ref().map(Failure::kind) {
        None => format!("HOLDS for {chosen}"),
        Some(FailureKind::Chart) => format!("FAILS for {chosen}"),
        Some(FailureKind::Rank) => "FAILS for every choice (rank)".to_owned(),
        Some(FailureKind::Smoothness) => "FAILS: not C^1 (smoothness)".to_owned(),
    };
    let on_level =
        |where_: &str| format!("{where_}; on the level set through the point the theorem {head}");
    let head = match (check.off.is_empty(), check.clear.as_slice()) {
        (true, []) => head,
        (true, clear) => on_level(&format!("NOT IN CONTACT with {}", named(model, clear))),
        (false, _) => on_level("OFF the constraints"),
    };
    let x = &check.site.x;
    let time = only_if(
        check.site.t != 0.0 || model.rheonomic(),
        format!(", t = {}", number(check.site.t)),
    );
    let short = format!(
        "{head} at ({}) = {}{time}",
        model.coordinate_names().join(", "),
        place(x)
    );
    if page.fits(std::slice::from_ref(&short)) {
        page.line(&short);
    } else {
        page.prose(0, &head);
        let values = some(values(model.coordinate_names(), x), 2 * ENTRIES);
        page.prose_after("  ", 5, &format!("at {values}{time}"));
    }
    off(page, model, check);
    let Some(f) = &verdict.failure else {
        if let Some(n) = &check.neighbourhood {
            page.prose(2, &certified(model, check, n));
        }
        if let Some(near) = check
            .nearest_failure
            .as_ref()
            .filter(|_| check.off.is_empty() && check.clear.is_empty())
        {
            page.prose(2, &long.named(&nearest(model, near)));
        }
        return;
    };
    let why = capitalized(&failure_sentence(model, check, f));
    page.prose(2, &long.named(&why));
    match f.kind() {
        FailureKind::Chart => {
            let others = f.alternatives.iter().take(ALTERNATIVES);
            let others = others.map(|a| names(&model.names(a)));
            let more = match f.alternatives.len().saturating_sub(ALTERNATIVES) {
                _ if f.more => Some("and others".to_owned()),
                0 => None,
                rest => Some(format!("and {rest} more")),
            };
            if f.alternatives.len() + usize::from(f.more) > 1 {
                let others = linked("; ", others.chain(more));
                page.prose(2, &format!("These work, best first: {others}"));
            }
        }
        FailureKind::Rank | FailureKind::Smoothness => {}
    }
}

/// A sentence with a capital, unless it begins with a formula.
fn capitalized(text: &str) -> String {
    let mut text = text.to_owned();
    let word = text.chars().take_while(char::is_ascii_lowercase).count();
    if word > 0
        && !text.starts_with("det ")
        && let Some(first) = text.get_mut(..1)
    {
        first.make_ascii_uppercase();
    }
    text
}

/// Where the theorem fails next, and how far that is.
fn nearest(model: &Model, near: &NearestFailure) -> String {
    let how = if near.is_nearest {
        "Nearest failure"
    } else {
        "A failure"
    };
    let at = only_if(
        near.point.len() <= ENTRIES,
        format!(" at {}", near_place(&near.point, near.distance)),
    );
    format!(
        "{how}: {} = 0{at}, {} away.",
        show(model, near.factor),
        number(near.distance)
    )
}

/// `(1, 0)`: a place that Newton's method found in a neighbourhood of this size, without what it left of a zero.
pub(in crate::report) fn near_place(x: &[f64], size: f64) -> String {
    place(&zero::near(x, size))
}

/// The sides of a proven box, of coordinates of these names and t; ends that reach as far as was looked are left out.
pub fn proven_sides(coordinates: &[String], n: &Neighbourhood) -> Vec<String> {
    let names = coordinates.iter().map(String::as_str).chain(["t"]);
    let sides = names.zip(n.sides.iter().zip(&n.open_ended));
    let own = sides.filter_map(|(name, ((lo, hi), open))| {
        let ends = [(lo, open.0), (hi, open.1)];
        between(name, ends.map(|(end, open)| (!open).then(|| exact(*end))))
    });
    own.collect()
}

/// The proven box as a sentence; sides that reach as far as was looked are left out.
fn certified(model: &Model, check: &Check, n: &Neighbourhood) -> String {
    let sides = proven_sides(model.coordinate_names(), n);
    let chosen = names(&model.names(&check.verdict.dependent));
    let (a, functions) = if check.verdict.dependent.len() == 1 {
        ("is", "a function")
    } else {
        ("are", "functions")
    };
    let region = match sides.len() {
        0 => {
            format!(
                "everywhere within {FARTHEST} max(1, |x|) of the point (the limit of the search)"
            )
        }
        few if few <= SIDES => format!("for {}", sides.join(", ")),
        many => format!(
            "for {} and so on, {} sides more (--json has all)",
            sides[..SIDES].join(", "),
            many - SIDES
        ),
    };
    format!("Certified: {chosen} {a} {functions} of the others (F is one-to-one) {region}.")
}

/// By how much the point is off the constraints, and what room there is to those that are not in contact.
fn off(page: &mut Page, model: &Model, check: &Check) {
    let told = |list: &[(usize, f64)]| {
        let list = list.iter().take(ENTRIES).map(|(b, by)| {
            let by = if by.is_finite() {
                number(*by)
            } else {
                "a number too large to tell".to_owned()
            };
            format!("{} by {by}", model.constraint_names()[*b])
        });
        joined(list)
    };
    let (misses, clear) = (told(&check.off), told(&check.clear));
    if !misses.is_empty() {
        page.prose(2, &format!("The point misses {misses}."));
        if let Some(kept) = kept_words(&check.site.kept) {
            page.prose(2, &format!("{kept}."));
        }
    }
    if !clear.is_empty() {
        page.prose(
            2,
            &format!(
                "One-sided and clear of contact: {clear}. What is not in contact binds nothing."
            ),
        );
    }
}

/// The constraints of a list, by name.
fn named(model: &Model, list: &[(usize, f64)]) -> String {
    let list: Vec<usize> = list.iter().map(|(b, _)| *b).collect();
    names(&model.constraints_named(&list))
}

/// `rank 1 of 2`, or that there is none.
pub fn rank_words(verdict: &Verdict, constraints: usize) -> String {
    verdict.rank().map_or_else(
        || "rank not defined here".to_owned(),
        |rank| format!("rank {rank} of {constraints}"),
    )
}

/// The Jacobian: symbols and values side by side, one above the other, or, where it is too wide, the
/// entries that are not zero.
fn jacobian(page: &mut Page, model: &Model, check: &Check) {
    let value = &check.verdict.local.value;
    let (m, n) = value.shape();
    let rank = rank_words(&check.verdict, m);
    page.gap();
    if m <= ENTRIES && n <= 2 * ENTRIES {
        let symbols: Vec<Vec<String>> = model
            .equations
            .jacobian
            .iter()
            .map(|row| row.iter().map(|e| show(model, *e).to_string()).collect())
            .collect();
        let shown: Vec<Vec<f64>> = value
            .row_iter()
            .map(|row| zero::without_rounding(&row.iter().copied().collect::<Vec<_>>()))
            .collect();
        let columns: Vec<Vec<String>> = (0..n)
            .map(|k| numbers(&shown.iter().map(|row| row[k]).collect::<Vec<_>>()))
            .collect();
        let values = rows(&columns);
        let names = model.coordinate_names();
        let (left_part, right_part) = (headed(names, &symbols), headed(names, &values));
        let mut heads = vec!["J = df/dx".to_owned()];
        heads.extend(
            model
                .constraint_names()
                .iter()
                .map(|name| format!("  {name}")),
        );
        let laid_out = |parts: &[&[String]]| -> Vec<String> {
            let rows: Vec<Vec<String>> = heads
                .iter()
                .enumerate()
                .map(|(i, head)| {
                    let mut row = vec![head.clone()];
                    for (p, part) in parts.iter().enumerate() {
                        if p > 0 {
                            row.push(if i == 1 { "=" } else { "" }.to_owned());
                        }
                        row.push(part[i].clone());
                    }
                    row.push(only_if(i == heads.len() - 1, rank.clone()));
                    row
                })
                .collect();
            left(&rows)
        };
        let beside = laid_out(&[&left_part, &right_part]);
        if page.fits(&beside) {
            page.lines(&beside);
            return;
        }
        let mut stacked: Vec<Vec<String>> = Vec::new();
        for (head, row) in heads.iter().zip(&left_part) {
            stacked.push(vec![head.clone(), row.clone()]);
        }
        for (i, row) in right_part.iter().enumerate().skip(1) {
            let head = if i == 1 { "  =" } else { "" };
            let mut cells = vec![head.to_owned(), row.clone()];
            if i == m {
                cells.push(rank.clone());
            }
            stacked.push(cells);
        }
        let stacked = left(&stacked);
        if page.fits(&stacked) {
            page.lines(&stacked);
            return;
        }
    }
    page.line("J = df/dx, by its entries that are not zero");
    let zero = model.system.pool.zero();
    for (b, row) in model.equations.jacobian.iter().enumerate().take(ENTRIES) {
        let values: Vec<f64> = value.row(b).iter().copied().collect();
        let values = zero::without_rounding(&values);
        let entries = row.iter().zip(values).enumerate();
        let entries = entries.filter(|(_, (e, _))| **e != zero);
        let entries = entries.map(|(k, (e, value))| {
            let (symbols, value) = (show(model, *e).to_string(), number(value));
            let equal = if symbols == value {
                value
            } else {
                format!("{symbols} = {value}")
            };
            format!("{}: {equal}", model.coordinate_names()[k])
        });
        let head = format!("{}  ", model.constraint_names()[b]);
        page.expression(2, &head, joined(entries).as_str(), "");
    }
    left_out(page, 2, m.saturating_sub(ENTRIES));
    page.line(&format!("  {rank}"));
}

fn determinant(page: &mut Page, model: &Model, (check, long): (&Check, &LongFactors)) {
    let verdict = &check.verdict;
    let det = &check.determinant;
    let chosen = names(&model.names(&verdict.dependent));
    page.gap();
    let head = format!("det J[{chosen}] = ");
    if det.vanishes {
        page.line(&format!("{head}0 everywhere: this choice never works"));
        return;
    }
    let value = number(verdict.determinant);
    let condition = verdict.condition.map_or("infinite".to_owned(), number);
    // of a single number it is always 1
    let tail = only_if(
        verdict.dependent.len() > 1,
        format!("     condition {condition}"),
    );
    let whole = det.whole.filter(|_| det.factors.len() <= FACTORS);
    let whole = whole.map(|e| show(model, e).to_string());
    let named = whole.as_deref().map(|text| long.named(text));
    // what stands here in full needs not be written again
    let alone = det.factors.len() == 1 && !long.0.is_empty() && whole.is_some() && whole == named;
    match named {
        Some(text) => {
            let equal = only_if(text != value, format!(" = {value}"));
            page.expression(0, &head, text.as_str(), &format!("{equal}{tail}"));
        }
        None => page.line(&format!("{head}{value}{tail}")),
    }
    if check.singular.is_empty() && det.complete {
        let rough = !model.theorem.is_smooth();
        let that = only_if(rough, " that the constraints are C^1");
        page.line(&format!("  it vanishes nowhere{that}"));
    }
    let mut rows = Vec::new();
    for entry in check.singular.iter().take(ENTRIES) {
        let Some(factor) = entry.factor else { continue };
        rows.push(vec![
            format!(
                "  zero where {} = 0",
                long.named(&show(model, factor).to_string())
            ),
            met(model, &check.site, entry),
        ]);
    }
    let lines = left(&rows);
    if page.fits(&lines) {
        page.lines(&lines);
    } else {
        for row in &rows {
            let text = format!("{}: {}", row[0].trim_start(), row[1]);
            page.prose_after("  ", 6, &text);
        }
    }
    left_out(page, 2, check.singular.len().saturating_sub(ENTRIES));
    let of_box = |entry: &SingularEntry| match &entry.found.place {
        Whereabouts::Nowhere(_, scope) => *scope == Scope::Box,
        Whereabouts::Points(_) | Whereabouts::Unknown => true,
        Whereabouts::Family(_) | Whereabouts::NotSearched => false,
    };
    if check.singular.iter().any(of_box) {
        page.prose_after("  ", 4, &format!("in the box {}", searched(model, check)));
    }
    if alone {
        page.line("  factor 1 is det J but for a number");
    } else {
        long.write(page);
    }
    if !det.complete {
        page.line("  not fully factored");
    }
}

/// `-10 <= x1 <= 10, -10 <= x2 <= 10`.
fn searched(model: &Model, check: &Check) -> String {
    some(sides(model.coordinate_names(), &check.searched), POINTS)
}

/// Where a factor meets the constraint set: at this time, where the constraints move.
fn met(model: &Model, site: &Site, entry: &SingularEntry) -> String {
    let found = &entry.found;
    let size = size_of(&site.x);
    let mut text = match &found.place {
        Whereabouts::Family(Some(dimension)) => format!("on the constraints {}", along(*dimension)),
        Whereabouts::Family(None) => "not decided where on the constraints".to_owned(),
        Whereabouts::NotSearched => "not searched for points: too many coordinates".to_owned(),
        Whereabouts::Unknown => "none found on the constraints (not proven)".to_owned(),
        Whereabouts::Nowhere(..) => "nowhere on the constraints".to_owned(),
        Whereabouts::Points(points) if points.list.is_empty() => format!(
            "on the constraints {}in {} (not decided)",
            if points.no_others.is_some() {
                "at most "
            } else {
                "perhaps "
            },
            count(points.undecided.len(), "small box")
        ),
        Whereabouts::Points(points) => {
            let of = |certified: bool| {
                let those = points.list.iter();
                let those = those.filter(|p| p.certified.is_some() == certified);
                let shown = |x: &[f64]| {
                    if certified {
                        place(x)
                    } else {
                        near_place(x, size)
                    }
                };
                some(those.map(|p| shown(&p.x)), POINTS)
            };
            let (certain, estimated) = (of(true), of(false));
            let only = only_if(points.no_others.is_some(), "only ");
            match (certain.is_empty(), estimated.is_empty()) {
                (false, true) => format!("on the constraints {only}at {certain} (certified)"),
                (true, _) => format!("on the constraints {only}near {estimated} (estimated)"),
                (false, false) => format!(
                    "on the constraints {only}at {certain} (certified) and near {estimated} (estimated)"
                ),
            }
        }
    };
    if model.rheonomic() && found.is_listed() {
        let _ = write!(text, " (t = {})", number(site.t));
    }
    if let Some(repeating) = repeating(model, &found.periods)
        && !found.points().is_empty()
    {
        let _ = write!(text, "; {repeating}");
    }
    text
}

fn inverse(page: &mut Page, model: &Model, check: &Check) {
    let system = &model.system;
    page.heading(inverse_heading(model));
    let here = |branch: &Branch| {
        branch.conditions.iter().all(|c| {
            let value = value_at(system, c.expression, &|kind| match kind {
                SymbolKind::Coordinate { index, order: 0 } => check.site.x[index],
                SymbolKind::Time => check.site.t,
                _ => f64::NAN,
            });
            c.admits(value)
        })
    };
    let dependent = model.names(&check.verdict.dependent);
    branches(page, model, &dependent, (&check.inverse, &here));
    choices(page, model, check);
}

/// How a choice of dependent coordinates inverts.
pub fn solvable_words(kind: Solvable) -> &'static str {
    match kind {
        Solvable::Linear => "linear",
        Solvable::Closed => "closed form",
        Solvable::Numeric => "Newton's method",
    }
}

/// Which choices of dependent coordinates invert, and how.
fn choices(page: &mut Page, model: &Model, check: &Check) {
    let all = &check.choices;
    if all.list.len() < 2 {
        return;
    }
    let mut kinds: Vec<String> = Vec::new();
    for kind in Solvable::ALL {
        let own = all.list.iter().filter(|c| c.inverse == kind);
        let own = joined(own.map(|c| match c.dependent.as_slice() {
            [_] => names(&model.names(&c.dependent)),
            _ => format!("({})", names(&model.names(&c.dependent))),
        }));
        if !own.is_empty() {
            kinds.push(format!("{own} {}", solvable_words(kind)));
        }
    }
    if all.more {
        kinds.push("and others".to_owned());
    }
    page.gap();
    page.prose_after("Choices  ", 9, &kinds.join("; "));
    if check.is_own_choice && check.verdict.holds() {
        let chosen = names(&model.names(&check.verdict.dependent));
        let is = if check.verdict.dependent.len() == 1 {
            "is"
        } else {
            "are"
        };
        let words = format!("none was requested: {chosen} {is} the best conditioned here");
        page.prose_after("         ", 9, &words);
    }
    if check.regular_everywhere {
        let all = if all.more {
            "some choice"
        } else {
            "at least one of them"
        };
        let words = format!("at every configuration {all} works");
        page.prose_after("         ", 9, &words);
    }
}
