//! What `equilibria` says.

use super::lists::nouns;
use super::page::Page;
use super::table::{column, laid_out, matrix, rows};
use super::{
    ENTRIES, count, joined, left_out, names, number, only_if, repeating, show, side, sides, some,
    values,
};
use crate::analysis::Model;
use crate::expr::SymbolKind;
use crate::report::zero::{self, Shown};
use crate::report::{
    assessment_word, criterion_words, form_words, note_words, reason_words, title,
};
use crate::statics::{Assessment, Equilibria, Equilibrium, Holds, Kind, Reason, Stability};
use crate::theorem::value_at;
use nalgebra::DMatrix;

/// Equilibria of which more than a line of the table is told.
const TOLD: usize = 40;
/// A reason that so many have is told once, below.
const COMMON: usize = 3;
/// Undecided boxes that are listed.
const BOXES: usize = 4;

/// How much of it is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Depth {
    /// The table.
    Table,
    /// Mode shapes and matrices of the linearised motion too.
    Linearised,
}

/// How many there are and whether that is all, then the table.
pub fn equilibria_text(model: &Model, found: &Equilibria, depth: Depth, width: usize) -> String {
    let mut page = Page::new(width);
    verdict(&mut page, model, found);
    page.heading(&title(model));
    for note in &found.notes {
        page.prose(2, &format!("note: {}", note_words(model, *note)));
    }
    // what the motion knows of comes before the places that stand still
    let relative = !found.relative.is_empty();
    if relative {
        page.gap();
        page.prose(0, &relative_words(model, found));
        of_list(&mut page, model, &found.relative, depth);
        if !found.list.is_empty() {
            page.gap();
            page.prose(0, "At rest, the constraints held as they are at this time:");
        }
    }
    of_list(&mut page, model, &found.list, depth);
    page.finish()
}

fn of_list(page: &mut Page, model: &Model, list: &[Equilibrium], depth: Depth) {
    if list.is_empty() {
        return;
    }
    let common = common(model, list);
    let once: Vec<Reason> = common.iter().map(|(reason, _)| *reason).collect();
    let in_columns = table(page, model, list, &once);
    for (place, e) in list.iter().take(TOLD).enumerate() {
        let remarks = remarks(model, e, &once);
        if in_columns && !remarks.is_empty() {
            page.prose_after(&format!("  {}. ", place + 1), 5, &remarks);
        }
        if depth == Depth::Linearised && !model.system.objective {
            linearised(page, model, place, e);
        }
    }
    for (reason, places) in common {
        let places = joined(places.iter().map(|place| (place + 1).to_string()));
        page.prose(2, &format!("{places}: {}", reason_words(reason)));
    }
}

/// Why the stability of an equilibrium is not decided.
fn unjudged(model: &Model, e: &Equilibrium) -> Option<Reason> {
    match e.verdict.stability {
        Stability::Degenerate(reason) if !model.system.objective => Some(reason),
        _ => None,
    }
}

/// Reasons that several in the table have, and which those are.
fn common(model: &Model, list: &[Equilibrium]) -> Vec<(Reason, Vec<usize>)> {
    let mut all: Vec<(Reason, Vec<usize>)> = Vec::new();
    for (place, e) in list.iter().take(TOLD).enumerate() {
        let Some(reason) = unjudged(model, e) else {
            continue;
        };
        match all.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, places)) => places.push(place),
            None => all.push((reason, vec![place])),
        }
    }
    all.retain(|(_, places)| places.len() >= COMMON);
    all
}

fn relative_words(model: &Model, found: &Equilibria) -> String {
    let noun = count(found.relative.len(), "relative equilibrium");
    let Some(frame) = &found.frame else {
        return format!(
            "{noun}: independent coordinates at rest while the constraints move (there may be others); V is minus the Lagrangian in these coordinates, at rest"
        );
    };
    let zero = model.system.pool.zero();
    let names = model.coordinate_names().iter().zip(&frame.rates);
    let rates = names.filter(|(_, rate)| **rate != zero);
    let rates = joined(rates.map(|(name, rate)| format!("{name}' = {}", show(model, *rate))));
    let not = only_if(!frame.complete, "not ");
    let complete = only_if(
        found.relative.iter().all(Equilibrium::certified),
        format!(", {not}proven to be all in the box"),
    );
    format!(
        "{noun}{complete}: at rest in the frame that moves with {rates}; V is minus the Lagrangian of what rests in it"
    )
}

fn verdict(page: &mut Page, model: &Model, found: &Equilibria) {
    let noun = if model.system.objective {
        "extremal point"
    } else {
        "equilibrium"
    };
    let families = found.list.iter().filter(|e| e.of_a_family()).count();
    let alone = found.list.len() - families;
    let of_families = match families {
        1 => "1 family of ".to_owned(),
        k => format!("{k} families of "),
    } + &nouns(2, noun);
    let number_of = match (alone, families) {
        (_, 0) => count(alone, noun),
        (0, _) => of_families,
        _ => format!("{} and {of_families}", count(alone, noun)),
    };
    // where it is not so, the row says "estimated"
    let exist = match found.list.as_slice() {
        list if list.is_empty() || list.iter().any(|e| !e.certified()) => "",
        [_] => "certified to exist, ",
        _ => "each certified to exist, ",
    };
    let not = only_if(!found.complete(), "not ");
    let frozen = found.list.iter().filter(|e| e.verdict.frozen).count();
    let verdict = match (found.list.len(), frozen) {
        (0, _) => format!("No {noun}: {not}proven that there is none in the box"),
        (all, frozen) if frozen == all => format!(
            "{} in balance at this instant: {exist}{not}proven to be all in the box; constraints or forces change with time, so {} in balance",
            count(all, "configuration"),
            if all == 1 {
                "it does not remain"
            } else {
                "none remains"
            }
        ),
        (_, 0) => format!("{number_of}: {exist}{not}proven to be all in the box"),
        (_, frozen) => format!(
            "{number_of}, {frozen} of them at this instant only: {exist}{not}proven to be all in the box"
        ),
    };
    page.prose(0, &verdict);
    let region = some(sides(model.coordinate_names(), &found.region), ENTRIES);
    let system = &model.system;
    let mut pushes = system.forces.iter().chain([&system.lagrangian]);
    let pushed = pushes.any(|e| system.pool.symbols_of(*e).contains(&system.t));
    let time = only_if(
        found.t != 0.0 || model.rheonomic() || pushed,
        format!(", t = {}", number(found.t)),
    );
    page.prose(2, &format!("{region}{time}"));
    if let Some(turning) = repeating(model, &found.periods) {
        page.prose(2, &turning);
    }
    undecided(page, model, found.left.undecided());
    places(
        page,
        model,
        &found.undefined,
        (
            "not counted",
            "the Lagrangian, a constraint or a derivative is not defined or not smooth there",
        ),
    );
    places(
        page,
        model,
        &found.singular,
        (
            "singular, no equilibrium",
            "the constraints are dependent there, and no finite multipliers hold the forces",
        ),
    );
}

/// The boxes that could not be decided.
fn undecided(page: &mut Page, model: &Model, list: &[Vec<(f64, f64)>]) {
    if list.is_empty() {
        return;
    }
    let parts = list.iter().map(|part| {
        let sides = model.coordinate_names().iter().zip(part).take(ENTRIES);
        let sides = sides.map(|(name, ends)| side(name, *ends));
        format!("({})", joined(sides))
    });
    page.prose(2, &format!("undecided: {}", some(parts, BOXES)));
}

/// Places that are no equilibria, and why.
fn places(page: &mut Page, model: &Model, list: &[Vec<f64>], (what, why): (&str, &str)) {
    for x in list.iter().take(BOXES) {
        let x = zero::of_unit_size(x);
        let point = joined(values(model.coordinate_names(), &x).take(ENTRIES));
        page.prose(2, &format!("{what}: {point}: {why}"));
    }
    left_out(page, 2, list.len().saturating_sub(BOXES));
}

/// What is said of an equilibrium in a word.
fn word(model: &Model, e: &Equilibrium) -> String {
    let own = assessment_word(&e.verdict, model.system.objective);
    // that it exists is proven, its stability is numbers
    if e.certified() && e.is_judged_alone() && e.verdict.stability.criterion().is_some() {
        format!("{own} there")
    } else if e.certified() {
        own.to_owned()
    } else {
        format!("{own}, estimated")
    }
}

/// A line each in columns, where they fit; else each in words, with what is remarked.
fn table(page: &mut Page, model: &Model, all: &[Equilibrium], once: &[Reason]) -> bool {
    page.gap();
    let list: Vec<&Equilibrium> = all.iter().take(TOLD).collect();
    let shown: Vec<Shown> = list.iter().map(|e| Shown::of(e)).collect();
    let mut columns: Vec<Vec<String>> = Vec::new();
    let mut add = |head: &str, of: &dyn Fn(&Shown) -> f64| {
        let values: Vec<f64> = shown.iter().map(of).collect();
        columns.push(column(head, &values));
    };
    for (k, name) in model.coordinate_names().iter().enumerate() {
        add(name, &|e| e.x[k]);
    }
    for (b, name) in model.multiplier_names().iter().enumerate() {
        add(&format!("lambda_{name}"), &|e| e.multipliers[b]);
    }
    let value = if model.system.objective {
        "objective"
    } else {
        "V = -L"
    };
    let heads = (1..=list.len()).map(|i| format!("  {i}."));
    let heads: Vec<String> = std::iter::once(String::new()).chain(heads).collect();
    let words: Vec<String> = std::iter::once(String::new())
        .chain(list.iter().map(|e| word(model, e)))
        .collect();
    let reactions: Vec<Vec<String>> = model
        .coordinate_names()
        .iter()
        .enumerate()
        .filter(|_| !model.multiplier_names().is_empty() && !model.system.objective)
        .map(|(k, name)| {
            let values: Vec<f64> = shown.iter().map(|e| e.reaction[k]).collect();
            column(&format!("R_{name}"), &values)
        })
        .collect();
    let values: Vec<f64> = list.iter().map(|e| e.verdict.potential).collect();
    let whole = model.system.pool.magnitude(model.system.lagrangian);
    let terms = list.iter().map(|e| {
        value_at(&model.system, whole, &|kind| match kind {
            SymbolKind::Coordinate { index, order: 0 } => e.x[index],
            _ => 0.0,
        })
    });
    let terms: Vec<f64> = terms.collect();
    let worth = column(value, &zero::of_terms(&values, &terms));
    // as much as fits: all, without the value, without the reactions
    let wide = |extra: &[&Vec<String>]| -> Vec<String> {
        let all = std::iter::once(&heads).chain(&columns);
        let all = all.chain(extra.iter().copied()).chain([&words]);
        let all: Vec<Vec<String>> = all.cloned().collect();
        laid_out(&rows(&all), |at| at == 0 || at + 1 == all.len())
    };
    let with_reactions: Vec<&Vec<String>> = reactions.iter().collect();
    let mut with_all = with_reactions.clone();
    with_all.push(&worth);
    for extra in [&with_all[..], &with_reactions[..], &[&worth][..], &[][..]] {
        let lines = wide(extra);
        if page.fits(&lines) {
            page.lines(&lines);
            left_out(page, 2, all.len().saturating_sub(TOLD));
            return true;
        }
    }
    one_by_one(page, model, (&list, &shown), once);
    left_out(page, 2, all.len().saturating_sub(TOLD));
    false
}

/// Each in words, with what is remarked.
fn one_by_one(
    page: &mut Page,
    model: &Model,
    (list, shown): (&[&Equilibrium], &[Shown]),
    once: &[Reason],
) {
    for (i, (e, numbers)) in list.iter().zip(shown).enumerate() {
        let mut parts: Vec<String> = Vec::new();
        let mut say = |names: &[String], prefix: &str, x: &[f64]| {
            let list = values(names, x).map(|value| format!("{prefix}{value}"));
            let list = some(list, 2 * ENTRIES);
            parts.extend(Some(list).filter(|list| !list.is_empty()));
        };
        say(model.coordinate_names(), "", &numbers.x);
        say(model.multiplier_names(), "lambda_", &numbers.multipliers);
        let mut text = format!("{}: {}", word(model, e), parts.join(", "));
        let remarks = remarks(model, e, once);
        if !remarks.is_empty() {
            text.push_str("; ");
            text.push_str(&remarks);
        }
        page.prose_after(&format!("  {}. ", i + 1), 5, &text);
    }
}

/// What the second variation and the linearised motion say; but for reasons that are told `once`.
fn remarks(model: &Model, e: &Equilibrium, once: &[Reason]) -> String {
    let verdict = &e.verdict;
    let mut parts: Vec<String> = Vec::new();
    let of = match verdict.kind() {
        // of numbers that are no proof nothing is claimed
        _ if verdict.form.is_estimate() => "estimated second variation",
        _ if verdict.form.is_maximum_in_contact() => "a maximum along the constraints",
        Kind::Minimum => "a minimum",
        Kind::Maximum => "a maximum",
        Kind::Saddle => "a saddle",
        // one negative direction is enough to be none
        Kind::Degenerate if verdict.signature()[2] > 0 => "no minimum",
        Kind::Degenerate => "not decided by the second variation",
    };
    // held as the constraints are at this time: that says nothing of staying
    let timed = model.rheonomic() && e.at_rest.is_none();
    if !timed {
        // positions beside it may be reached all the same, and V may be lower there
        let among = if model.system.velocity_constraints.is_empty() {
            ""
        } else {
            " on the virtual displacements"
        };
        parts.push(format!("{of}{among} {}", form_words(&verdict.form)));
    }
    if !timed && verdict.form.is_maximum_in_contact() {
        let value = if model.system.objective {
            "the objective"
        } else {
            "V"
        };
        parts.push(format!("{value} rises where contact is lost"));
    }
    if let Some(rests) = &e.at_rest
        && !rests.is_empty()
        && rests.len() < e.x.len()
    {
        parts.push(format!("{} at rest", names(&model.names(rests))));
    }
    let reason = unjudged(model, e).filter(|reason| !once.contains(reason));
    parts.extend(reason.map(|reason| reason_words(reason).to_owned()));
    let by = verdict.stability.criterion().and_then(criterion_words);
    parts.extend(by.filter(|_| !model.system.objective && !timed));
    if !e.released.is_empty() {
        let released = model.constraints_named(&e.released);
        parts.push(format!("{} not in contact", names(&released)));
    }
    if let Some(along) = &e.along {
        let moving: Vec<String> = model
            .coordinate_names()
            .iter()
            .zip(along.direction())
            .filter(|(_, v)| **v != 0.0)
            .map(|(name, _)| name.clone())
            .collect();
        let seems = only_if(!along.is_proven(), ", as it seems");
        let moving = names(&moving);
        let (wide, one) = match along.dimension() {
            Some(dimension) if dimension > 1 => {
                (format!(" of {dimension} dimensions"), ", for one")
            }
            _ => (String::new(), ""),
        };
        let family = format!("one of a family{wide}{seems}");
        parts.push(format!("{family}: it continues along {moving}{one}"));
        if along.is_proven() {
            match along.holds() {
                Holds::Same => {}
                Holds::There if verdict.stability.criterion().is_none() => {}
                Holds::There => {
                    parts.push("judged at this point, not all along the family".to_owned());
                }
                Holds::Changes => {
                    parts.push("other points of the family have another verdict".to_owned());
                }
            }
        }
    }
    if !model.system.objective && !timed {
        small_motions(verdict, &mut parts);
    }
    parts.join("; ")
}

/// What swings for ever, what grows, and the exponents where those two do not say all.
fn small_motions(verdict: &Assessment, parts: &mut Vec<String>) {
    let swings = || verdict.modes.iter().filter(|m| m.exponent.0 == 0.0);
    let frequencies = joined(swings().take(ENTRIES).map(|m| number(m.frequency)));
    if !frequencies.is_empty() {
        parts.push(format!("omega = {frequencies} rad per unit of time"));
    }
    parts.extend(rates(verdict, number));
}

/// How what is left alone grows or decays: what grows where nothing damps, else the exponents, unless frequencies say all.
pub fn rates(verdict: &Assessment, number: fn(f64) -> String) -> Vec<String> {
    let mut parts = Vec::new();
    let rates = joined(verdict.growth.iter().take(ENTRIES).map(|s| number(*s)));
    if !rates.is_empty() {
        parts.push(format!("grows like exp(s*t), s = {rates}"));
    }
    let Some(exponents) = &verdict.exponents else {
        return parts;
    };
    // one of a pair of conjugates
    let told = || exponents.iter().filter(|(_, im)| *im >= 0.0);
    let swings = verdict.modes.iter().filter(|m| m.exponent.0 == 0.0);
    if told().count() == swings.count() {
        return parts;
    }
    if told().all(|e| *e == (0.0, 0.0)) {
        parts.push("all exponents are 0".to_owned());
        return parts;
    }
    let list = told().take(ENTRIES).map(|(re, im)| {
        if *im == 0.0 {
            number(*re)
        } else if *re == 0.0 {
            format!("+-{}i", number(*im))
        } else {
            format!("{} +- {}i", number(*re), number(*im))
        }
    });
    parts.push(format!("exponents {}", joined(list)));
    parts
}

fn linearised(page: &mut Page, model: &Model, place: usize, e: &Equilibrium) {
    let l = &e.verdict.linearisation;
    let d = l.mass.nrows();
    page.gap();
    page.line(&format!(
        "  {}. M u'' + C u' + K u = 0, x = point + sum u_i b_i",
        place + 1
    ));
    if d > ENTRIES {
        page.line(&format!(
            "     {d} degrees of freedom: --json has the matrices"
        ));
        return;
    }
    let show = |page: &mut Page, head: &str, m: &DMatrix<f64>| {
        let entries = zero::without_rounding(m.as_slice());
        // each entry by itself: symmetric ones are written alike
        let columns = entries.chunks(m.nrows().max(1));
        let columns: Vec<Vec<String>> = columns
            .map(|column| column.iter().map(|v| number(*v)).collect())
            .collect();
        for (i, line) in matrix(&rows(&columns)).iter().enumerate() {
            let head = if i == 0 { head } else { "" };
            page.line(&format!("     {head:<4}{line}"));
        }
    };
    show(page, "M", &l.mass);
    if l.damping.amax() > 0.0 {
        show(page, "C", &l.damping);
    }
    show(page, "K", &l.stiffness);
    for j in 0..d {
        let direction: Vec<f64> = l.basis.column(j).iter().copied().collect();
        let direction = zero::without_rounding(&direction);
        let parts = parts(model, direction.into_iter().map(number));
        page.prose_after(&format!("     b_{} ", j + 1), 9, &parts);
    }
    for m in &e.verdict.modes {
        let entries: Vec<f64> = m.shape.iter().flat_map(|(re, im)| [*re, *im]).collect();
        let entries = zero::without_rounding(&entries);
        let shape = entries.chunks(2).map(|entry| match entry {
            [re, im] if *im != 0.0 => {
                let sign = if *im < 0.0 { "-" } else { "+" };
                format!("{} {sign} {}i", number(*re), number(im.abs()))
            }
            [re, ..] => number(*re),
            [] => String::new(),
        });
        let text = parts(model, shape);
        page.prose_after(&format!("     mode {}: ", number(m.frequency)), 9, &text);
    }
}

fn parts(model: &Model, values: impl Iterator<Item = String>) -> String {
    let pairs = model.coordinate_names().iter().zip(values);
    joined(pairs.map(|(name, v)| format!("{name} {v}")))
}
