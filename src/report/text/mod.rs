//! The answers as text for people.
//!
//! The verdict comes first. Lines keep to the width of the page where they can: prose breaks at blanks,
//! expressions at the operators that bind least, long lists end with what was left out.

mod account;
mod check;
mod compare;
mod derive;
mod equilibria;
mod form;
mod inverse;
mod list;
mod lists;
mod math;
mod motion;
mod number;
mod page;
mod start;
mod table;
mod validity;
mod verify;

pub(super) use check::near_place;
pub use check::{check_text, proven_sides, rank_words, solvable_words};
pub use compare::compare_text;
pub use derive::{derive_text, derive_text_in_full};
pub use equilibria::{Depth, equilibria_text, rates};
pub(in crate::report) use form::form;
pub use inverse::inverse_text;
pub use list::list_text;
pub(in crate::report) use lists::{between, side, sides, some, values};
pub use lists::{count, joined, linked, only_if, place};
pub use motion::{flag_lines, motion_text};
pub use number::{exact, number};
pub use page::{Layout, prose};
pub(in crate::report) use table::{aligned, column, left, rows};
pub(in crate::report) use validity::{validity, validity_parts};
pub use verify::verify_text;

use crate::analysis::Model;
use crate::expr::{Expr, Extent, Style};
use crate::report::effort_words;
use crate::report::formula::condition_text;
use crate::theorem::{Branch, Inverse};
use math::Math;
pub(super) use page::Page;

/// Entries of a list that are shown; what is left out is counted.
pub(super) const ENTRIES: usize = 12;
/// Branches of the inverse functions that are shown where each takes lines of its own.
const BRANCHES: usize = 4;
/// Inverse functions of more characters are shown on one branch.
const LONG: usize = 1_200;
/// A list of names longer than this is cut in its middle, in columns.
const NAMES: usize = 24;

/// Said in the place of inverse functions.
const NO_INVERSE: &str = "none: J_D is singular at every configuration";

/// Names in a sentence, cut in the middle where they are many: `x1, x2, ..., x50`.
pub(super) fn names(list: &[String]) -> String {
    let whole = list.join(", ");
    match list {
        [first, second, .., last] if whole.len() > NAMES && list.len() > 3 => {
            format!("{first}, {second}, ..., {last}")
        }
        _ => whole,
    }
}

/// `theta, phi repeat with period 2*pi`; nothing where nothing does.
pub(super) fn repeating(model: &Model, periods: &[(usize, f64)]) -> Option<String> {
    let mut groups: Vec<(f64, Vec<String>)> = Vec::new();
    for (k, period) in periods {
        let name = model.coordinate_names()[*k].clone();
        match groups.iter_mut().find(|(known, _)| known == period) {
            Some((_, own)) => own.push(name),
            None => groups.push((*period, vec![name])),
        }
    }
    let groups = groups.iter().map(|(period, own)| {
        let verb = if own.len() == 1 { "repeats" } else { "repeat" };
        let turn = if *period == std::f64::consts::TAU {
            "2*pi".to_owned()
        } else {
            number(*period)
        };
        format!("{} {verb} with period {turn}", names(own))
    });
    let text = joined(groups);
    (!text.is_empty()).then_some(text)
}

/// `x1 carries on`, `x1, x3 carry on`.
fn carry_on(list: &[String]) -> String {
    let verb = if list.len() == 1 { "carries" } else { "carry" };
    format!("{} {verb} on", names(list))
}

/// The line that stands for what a list leaves out.
pub(super) fn left_out(page: &mut Page, indent: usize, number: usize) {
    if number > 0 {
        page.prose(indent, &format!("... and {number} more (--json has all)"));
    }
}

/// The same of something with a name.
pub(super) fn left_out_of(page: &mut Page, indent: usize, number: usize, noun: &str) {
    if number > 0 {
        let nouns = lists::nouns(number, noun);
        page.prose(
            indent,
            &format!("... and {number} more {nouns} (--json has all)"),
        );
    }
}

/// The heading of the inverse functions.
fn inverse_heading(model: &Model) -> &'static str {
    if model.rheonomic() {
        "Inverse functions x_D = g(y, x_I; t), y = f"
    } else {
        "Inverse functions x_D = g(y, x_I), y = f"
    }
}

/// A small quantity: `1.2e-13`, `0`.
pub(super) fn size(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let text = format!("{value:.1e}");
    text.strip_suffix("e0").unwrap_or(&text).to_owned()
}

/// An expression, to be written in the style of a page; as it stands it is plain text.
pub(super) fn show(model: &Model, e: Expr) -> Math<'_> {
    Math::new(&model.system.pool, e)
}

/// Whether a branch is the one at the point looked at.
type Holds<'a> = &'a dyn Fn(&Branch) -> bool;

/// The period with which a dependent coordinate repeats on a branch: ` (mod 2*pi)`.
fn turns(model: &Model, branch: &Branch, name: &str, style: Style) -> String {
    let period = model.system.coordinate(name).and_then(|k| branch.period(k));
    period.map_or(String::new(), |period| {
        format!(" (mod {})", show(model, period).text(style))
    })
}

/// Says where the effort for a question did not suffice.
fn extent(page: &mut Page, list: &[Extent]) {
    if list.contains(&Extent::CutShort) {
        page.prose(
            2,
            "note: the work limit of one question was reached before all was simplified and tried",
        );
    }
}

/// The inverse functions, branch by branch; `here` says which branch holds at the point looked at.
fn branches(
    page: &mut Page,
    model: &Model,
    dependent: &[String],
    (inverse, here): (&Inverse, Holds<'_>),
) {
    let list = match inverse {
        Inverse::Closed(list) => list,
        Inverse::Numeric(extent) => {
            page.line(&format!(
                "  no closed form found{}: Newton's method gives their values",
                effort_words(*extent)
            ));
            return;
        }
        Inverse::Nowhere => {
            page.prose(2, NO_INVERSE);
            return;
        }
    };
    let style = page.style();
    let marked = |b: &Branch| if list.len() > 1 && here(b) { ">" } else { " " };
    let condition = |b: &Branch| {
        if b.conditions.is_empty() {
            String::new()
        } else {
            let text = condition_text(&model.system, &b.conditions, style);
            format!("where {text}")
        }
    };
    // on paper a tall function takes lines of its own
    let flat = |b: &Branch| {
        let shown = b.functions.iter().map(|g| show(model, *g));
        style == Style::Plain || shown.into_iter().all(|g| g.is_flat())
    };
    let side_by_side = dependent.len() == 1 && list.iter().all(flat);
    let side_by_side: Option<Vec<String>> = side_by_side.then(|| {
        let rows: Vec<Vec<String>> = list
            .iter()
            .filter_map(|b| {
                let g = show(model, *b.functions.first()?).text(style);
                let g = format!("{g}{}", turns(model, b, &dependent[0], style));
                Some(vec![
                    format!("{} {} = {g}", marked(b), page.say(&dependent[0])),
                    condition(b),
                ])
            })
            .collect();
        table::left(&rows)
    });
    if let Some(lines) = side_by_side.filter(|lines| page.fits(lines)) {
        page.lines(&lines);
        return;
    }
    // the one that holds here is always among those shown, and of long ones the only one
    let own = list.iter().position(here);
    let mut shown: Vec<usize> = (0..list.len().min(BRANCHES)).collect();
    if let (Some(own), Some(last)) = (own, shown.last_mut()) {
        *last = own.max(*last);
    }
    let functions = list.iter().flat_map(|b| &b.functions);
    let lengths = functions.map(|g| model.system.pool.cost(*g).characters as usize);
    let length = lengths.fold(0, usize::saturating_add);
    let folds = length > LONG && list.len() > 1 && !page.is_in_full();
    if folds {
        shown = vec![own.unwrap_or(0)];
    }
    for b in shown.iter().filter_map(|&place| list.get(place)) {
        let indent = if b.conditions.is_empty() { 2 } else { 4 };
        if !b.conditions.is_empty() {
            page.formula_prose(&format!("{} ", marked(b)), 4, &condition(b));
        }
        for (name, g) in dependent.iter().zip(&b.functions).take(ENTRIES) {
            let tail = turns(model, b, name, style);
            page.expression(indent, &format!("{name} = "), show(model, *g), &tail);
        }
        left_out(page, indent, b.functions.len().saturating_sub(ENTRIES));
    }
    if folds {
        let others = match list.len() - 1 {
            1 => "1 more branch".to_owned(),
            more => format!("{more} more branches"),
        };
        page.prose(2, &format!("... and {others} (derive --full has all)"));
    } else {
        left_out_of(page, 2, list.len().saturating_sub(BRANCHES), "branch");
    }
}
