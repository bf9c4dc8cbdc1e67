//! What `inverse` says: g at given values.

use super::form::domain;
use super::page::{Layout, Page};
use super::table::{aligned, left};
use super::{
    ENTRIES, branches, count, exact, inverse_heading, joined, number, only_if, place, sides, some,
    values,
};
use crate::analysis::{InverseAnswer, InverseValue, Model, Nowhere};
use crate::expr::Interval;
use crate::report::domain::broken_words;
use crate::report::{title, zero};
use crate::theorem::Branch;

/// The value first, what is certified of it, the other solutions, then the derivatives.
pub fn inverse_text(model: &Model, answer: &InverseAnswer, layout: Layout) -> String {
    let mut page = Page::laid_out(layout, &model.system.pool);
    let dependent = model.names(&answer.dependent);
    page.line(&title(model));
    if dependent.is_empty() {
        page.line("  no constraint binds positions: there is nothing to invert");
        return page.finish();
    }
    page.prose(2, &format!("at {}", given(model, answer)));
    page.gap();
    match &answer.found {
        Some(found) => {
            for (name, v) in dependent.iter().zip(&found.value) {
                let name = page.say(name);
                page.line(&format!("  {name} = {}", exact(*v)));
            }
            page.prose(2, &certainty(answer, found));
        }
        None if !answer.inverse.exists() => {
            let chosen = super::names(&dependent);
            let text = format!("there is no g: det J[{chosen}] is 0 at every configuration");
            page.prose(2, &text);
        }
        None => page.prose(2, &nothing(model, answer)),
    }
    for words in broken_words(model, answer, page.style()) {
        page.prose(2, &words);
    }
    others(&mut page, model, answer);
    excluded(&mut page, model, answer);
    page.heading(inverse_heading(model));
    let place_of = |b: &Branch| {
        answer
            .inverse
            .branches()
            .iter()
            .position(|own| std::ptr::eq(own, b))
    };
    let branch = answer.found.as_ref().and_then(|found| found.branch);
    let here = |b: &Branch| branch.is_some() && place_of(b) == branch;
    branches(&mut page, model, &dependent, (&answer.inverse, &here));
    if let Some(found) = &answer.found {
        if let Some(own) = found.domain.as_ref().filter(|_| !dependent.is_empty()) {
            page.heading("Domain of g: F[N]");
            domain(&mut page, model, own);
        }
        derivatives(&mut page, model, answer, found);
        level_variations(&mut page, model, found);
    }
    page.finish()
}

/// `y_wire = 0.1, x2 = 2`.
fn given(model: &Model, answer: &InverseAnswer) -> String {
    let levels = values(model.constraint_names(), &answer.y).map(|level| format!("y_{level}"));
    let names = model.names(&answer.independent);
    let time = model.rheonomic();
    let time = time.then(|| format!("t = {}", number(answer.t)));
    let list = levels.chain(values(&names, &answer.at)).chain(time);
    some(list, 2 * ENTRIES)
}

/// Nothing was found: as far as that is proven.
fn nothing(model: &Model, answer: &InverseAnswer) -> String {
    let names = || super::names(&model.names(&answer.dependent));
    match answer.nowhere {
        Some(Nowhere::Proven) => {
            format!(
                "g has no value there: no solution, whatever {} (certified)",
                names()
            )
        }
        Some(Nowhere::NotReal) => "g has no value there: its closed forms are not real".to_owned(),
        None if answer.complete => format!(
            "no solution with {} (certified); beyond that nothing is known",
            searched(model, answer)
        ),
        None => "no solution found (not proven that there is none)".to_owned(),
    }
}

fn certainty(answer: &InverseAnswer, found: &InverseValue) -> String {
    let Some(sides) = &found.enclosure else {
        return "estimated: found by Newton's method, not proven".to_owned();
    };
    let off = sides
        .iter()
        .map(|(lo, hi)| 0.5 * Interval::new(*lo, *hi).width())
        .fold(0.0, f64::max);
    let others = match (answer.others.len(), answer.complete) {
        (0, true) => ", and no other in the region searched",
        (_, true) => ", and no other than those below",
        _ => "",
    };
    if off == 0.0 {
        return format!("certified: it is exact{others}");
    }
    format!(
        "certified: there is a solution within {} of this{others}",
        super::size(off)
    )
}

/// `-9 <= x1 <= 11`.
fn searched(model: &Model, answer: &InverseAnswer) -> String {
    let names = model.names(&answer.dependent);
    joined(sides(&names, &answer.region).take(ENTRIES))
}

fn others(page: &mut Page, model: &Model, answer: &InverseAnswer) {
    if answer.others.is_empty() {
        return;
    }
    let names = model.names(&answer.dependent);
    let single = names.len() == 1;
    let short = |x: &[f64]| if single { number(x[0]) } else { place(x) };
    // six digits do not always tell solutions apart
    let found = answer.found.as_ref().map(|found| short(&found.value));
    let all = answer.others.iter().map(|x| short(x)).chain(found);
    let all: Vec<String> = all.collect();
    let alike = (1..all.len()).any(|k| all[k..].contains(&all[k - 1]));
    let digits = |x: &Vec<f64>| {
        if !alike {
            return short(x);
        }
        let values: Vec<String> = x.iter().map(|v| exact(*v)).collect();
        if single {
            values.concat()
        } else {
            format!("({})", values.join(", "))
        }
    };
    let shown = answer.others.iter().take(ENTRIES);
    let shown = joined(shown.map(digits));
    let names = match names.as_slice() {
        [name] => name.clone(),
        all => format!("({})", all.join(", ")),
    };
    let more = answer.others.len().saturating_sub(ENTRIES);
    let tail = only_if(more > 0, format!(" and {more} more"));
    let solutions = count(answer.others.len(), "other solution");
    let sides = searched(model, answer);
    page.prose(
        2,
        &format!("{solutions} in {sides}: {names} = {shown}{tail}"),
    );
}

/// Where f ends or has a pole.
fn excluded(page: &mut Page, model: &Model, answer: &InverseAnswer) {
    let names = model.names(&answer.dependent).join(", ");
    for (pole, what) in [(true, "f has a pole"), (false, "the domain of f ends")] {
        let places = answer.excluded.iter().filter(|e| e.pole == pole);
        let shown = joined(places.take(ENTRIES).map(|e| place(&e.value)));
        if !shown.is_empty() {
            let text = format!("no solution, as {what} there: ({names}) = {shown}");
            page.prose(2, &text);
        }
    }
}

fn derivatives(page: &mut Page, model: &Model, answer: &InverseAnswer, found: &InverseValue) {
    let (Some(by_y), Some(by_x), Some(by_t)) = (&found.by_y, &found.by_x, &found.by_t) else {
        page.gap();
        page.prose(
            2,
            "J_D is singular there: g has no derivative (the theorem fails)",
        );
        return;
    };
    page.heading("Derivatives dg/dy = J_D^-1, dg/dx_I = -J_D^-1 J_I");
    if by_y.ncols() + by_x.ncols() > 2 * ENTRIES || by_y.nrows() > ENTRIES {
        page.line("  too many for a table (--json has all)");
        return;
    }
    let rheonomic = model.rheonomic();
    let mut head = vec!["  by".to_owned()];
    head.extend(
        model
            .constraint_names()
            .iter()
            .map(|name| format!("y_{name}")),
    );
    head.extend(model.names(&answer.independent));
    if rheonomic {
        head.push("t".to_owned());
    }
    let mut rows = vec![head];
    for (i, name) in model.names(&answer.dependent).iter().enumerate() {
        let mut row = vec![format!("  {name}")];
        let (of_y, of_x) = (by_y.row(i), by_x.row(i));
        let entries = || of_y.iter().chain(of_x.iter()).copied();
        let shown = zero::without_rounding(&entries().collect::<Vec<f64>>());
        row.extend(shown.into_iter().map(number));
        if rheonomic {
            row.push(number(by_t[i]));
        }
        rows.push(row);
    }
    said(page, &mut rows);
    page.lines(&aligned(&rows));
}

fn level_variations(page: &mut Page, model: &Model, found: &InverseValue) {
    if found.variations.is_empty() {
        return;
    }
    let value = if model.system.objective {
        "(objective)"
    } else {
        "V"
    };
    page.heading(&format!(
        "Each level moved a little, {}",
        if model.system.objective {
            "the others held: lambda = d(objective)/dy"
        } else {
            "at rest: lambda = dV/dy"
        }
    ));
    let mut rows = vec![vec![
        "  constraint".to_owned(),
        "by".to_owned(),
        "lambda".to_owned(),
        format!("d{value}/dy"),
    ]];
    for variation in found.variations.iter().take(ENTRIES) {
        rows.push(vec![
            format!("  {}", model.constraint_names()[variation.constraint]),
            format!("+-{}", number(variation.by)),
            number(variation.multiplier),
            variation.rate.map_or("not found".to_owned(), number),
        ]);
    }
    said(page, &mut rows);
    page.lines(&left(&rows));
}

/// The cells of a table as the page shows them.
fn said(page: &Page, rows: &mut [Vec<String>]) {
    for cell in rows.iter_mut().flatten() {
        *cell = page.say(cell);
    }
}
