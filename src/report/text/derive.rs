//! What `derive` says.

use super::formula::{Formula, ToFormula};
use super::page::{Layout, Page};
use super::table::left;
use super::{ENTRIES, branches, inverse_heading, left_out, names, show};
use crate::analysis::{Derived, Model, condition_text};
use crate::expr::{Expr, Style};
use crate::report::title;
use crate::theorem::{InBranch, SymbolicDeterminant};

/// The equations, group by group.
pub fn derive_text(model: &Model, derived: &Derived, layout: Layout) -> String {
    let mut page = Page::laid_out(layout, &model.system.pool);
    let system = &model.system;
    let d = &derived.derivation;
    page.title(&title(model));
    let dependent = model.names(&d.dependent);
    let independent = model.names(&d.independent);
    let constrained = !system.constraints.is_empty();
    if constrained {
        let independent = if independent.is_empty() {
            "none".to_owned()
        } else {
            independent.join(", ")
        };
        page.prose_after("  dependent    ", 15, &dependent.join(", "));
        page.prose_after("  independent  ", 15, &independent);
    } else {
        page.line("  no constraints: every coordinate is independent");
    }
    for note in &derived.notes {
        page.prose(2, &format!("note: {note}"));
    }
    page.heading("Lagrangian");
    page.expression(2, "L = ", &show(model, system.lagrangian), "");
    if constrained {
        page.heading("Constraints");
        let lines: Vec<Line> = system
            .constraints
            .iter()
            .map(|c| {
                let head = format!("{}: ", c.name);
                Line::new(&head, show(model, c.f), &show(model, c.c))
            })
            .collect();
        group(&mut page, 2, &lines);
        page.heading("Usual form: d/dt(dL/dx') - dL/dx - Q - J^T lambda = 0");
    } else {
        page.heading("Equations of motion: d/dt(dL/dx') - dL/dx - Q = 0");
    }
    group(&mut page, 2, &zero(model, &derived.standard));
    if constrained {
        constrained_forms(&mut page, model, derived);
    }
    page.heading("Energy");
    page.group_of(1);
    page.expression(2, "H = ", &show(model, model.equations.energy), "");
    page.finish()
}

fn constrained_forms(page: &mut Page, model: &Model, derived: &Derived) {
    let d = &derived.derivation;
    let dependent = model.names(&d.dependent);
    if let Some(list) = &d.multipliers {
        let where_ = if d.dependent.len() == model.system.constraints.len() {
            validity(model, &d.dependent, page.style())
        } else {
            String::new()
        };
        page.heading(&format!("Multipliers{where_}"));
        group(page, 2, &multipliers(model, list));
    }
    if let Some(list) = d.reduced.as_ref().filter(|list| !list.is_empty()) {
        page.heading("Reduced equations");
        group(page, 2, &zero(model, list));
    }
    page.heading(inverse_heading(model));
    branches(
        page,
        model,
        &dependent,
        (derived.inverse.branches(), &|_| false),
    );
    if let Some(list) = &derived.in_branches {
        independent(page, model, list);
    }
    stepwise(page, model, derived);
    displacements(page, model, derived);
}

/// A line `head + expression = right`.
struct Line<'a> {
    head: String,
    text: Formula<'a>,
    tail: Formula<'a>,
}

impl<'a> Line<'a> {
    fn new(head: &str, text: Formula<'a>, right: &(impl ToFormula<'a> + ?Sized)) -> Self {
        Self {
            head: head.to_owned(),
            text,
            tail: right.to_formula().on_the_right(),
        }
    }
}

fn zero<'a>(model: &'a Model, list: &[Expr]) -> Vec<Line<'a>> {
    list.iter()
        .map(|e| Line::new("", show(model, *e), "0"))
        .collect()
}

fn multipliers<'a>(model: &'a Model, list: &[Expr]) -> Vec<Line<'a>> {
    model
        .constraint_names()
        .iter()
        .zip(list)
        .map(|(name, e)| Line {
            head: format!("lambda_{name} = "),
            text: show(model, *e),
            tail: "".to_formula(),
        })
        .collect()
}

fn group(page: &mut Page, indent: usize, lines: &[Line<'_>]) {
    page.group_of(lines.len());
    let heads: Vec<usize> = lines.iter().map(|l| l.head.chars().count()).collect();
    let widest = heads.iter().copied().max().unwrap_or(0);
    for (line, head) in lines.iter().zip(heads).take(ENTRIES) {
        // names before a colon line up
        let head = if line.head.ends_with(": ") {
            format!("{}{}", line.head, " ".repeat(widest - head))
        } else {
            line.head.clone()
        };
        page.equation(indent, &head, &line.text, &line.tail);
    }
    left_out(page, indent, lines.len().saturating_sub(ENTRIES));
}

/// `, where det J[x1] = -2*x1 is not zero`; nothing where it never is zero.
fn validity(model: &Model, dependent: &[usize], style: Style) -> String {
    let det = SymbolicDeterminant::new(&model.system, &model.equations, dependent);
    let shown = det.factors.iter().map(|f| show(model, *f).text(style));
    let factors: Vec<String> = shown.collect();
    match factors.as_slice() {
        [] => String::new(),
        [one] => format!(", where {one} is not 0"),
        several if several.len() <= 4 => format!(", where {} are not 0", several.join(", ")),
        _ => format!(", where det J[{}] is not 0", names(&model.names(dependent))),
    }
}

/// The equations in the independent coordinates, branches with the same ones together.
fn independent(page: &mut Page, model: &Model, list: &[InBranch]) {
    page.heading("In the independent coordinates alone");
    let mut groups: Vec<(Vec<String>, &InBranch)> = Vec::new();
    for b in list {
        let condition = condition_text(&model.system, &b.conditions, page.style());
        let same = groups
            .iter_mut()
            .find(|(_, g)| g.equations == b.equations && g.multipliers == b.multipliers);
        match same {
            Some((conditions, _)) => conditions.push(condition),
            None => groups.push((vec![condition], b)),
        }
    }
    for (conditions, b) in groups {
        let mut indent = 2;
        if !b.conditions.is_empty() {
            let condition = conditions.join(", and where ");
            page.formula_prose("  ", 4, &format!("where {condition}"));
            indent = 4;
        }
        group(page, indent, &zero(model, &b.equations));
        group(page, indent, &multipliers(model, &b.multipliers));
    }
}

/// Salas' construction: a step a constraint.
fn stepwise(page: &mut Page, model: &Model, derived: &Derived) {
    let steps = &derived.derivation.stepwise;
    if steps.is_empty() {
        return;
    }
    page.heading("One constraint at a time; all multipliers but the last are provisional");
    page.group_of(steps.len());
    let style = page.style();
    let rows: Vec<Vec<String>> = steps
        .iter()
        .take(ENTRIES)
        .enumerate()
        .map(|(i, s)| {
            let name = &model.constraint_names()[s.constraint];
            vec![
                page.say(&format!("  {}. {name}", i + 1)),
                page.say(&format!(
                    "eliminates {}",
                    model.coordinate_names()[s.eliminates]
                )),
                format!("pivot {}", show(model, s.pivot).text(style)),
                page.say(&format!("lambda_{name} = ")),
            ]
        })
        .collect();
    let multipliers: Vec<Formula<'_>> = steps
        .iter()
        .take(ENTRIES)
        .map(|s| show(model, s.multiplier))
        .collect();
    let whole: Vec<Vec<String>> = rows
        .iter()
        .zip(&multipliers)
        .map(|(row, multiplier)| {
            let mut row = row.clone();
            if let Some(last) = row.last_mut() {
                last.push_str(&multiplier.text(style));
            }
            row
        })
        .collect();
    let lines = left(&whole);
    let flat = multipliers.iter().all(Formula::is_flat);
    if (style == Style::Plain || flat) && page.fits(&lines) {
        page.lines(&lines);
    } else {
        for (row, multiplier) in rows.iter().zip(&multipliers) {
            let step = row[0].trim_start();
            if style == Style::Plain {
                let head = format!("{step}  {}  ", row[1]);
                page.shown_equation((2, &head), &row[2].to_formula(), "");
            } else {
                let step = format!("{step}: {}, {}", row[1], row[2]);
                page.formula_prose("  ", 5, &step);
            }
            page.shown_equation((5, &row[3]), multiplier, "");
        }
    }
    left_out(page, 2, steps.len().saturating_sub(ENTRIES));
}

/// d'Alembert's virtual displacements: the dependent ones by the independent ones.
fn displacements(page: &mut Page, model: &Model, derived: &Derived) {
    let d = &derived.derivation;
    let Some(rows) = d.displacements.as_ref() else {
        return;
    };
    if d.independent.is_empty() || d.dependent.is_empty() {
        return;
    }
    page.heading("Virtual displacements (d'Alembert)");
    page.group_of(d.dependent.len());
    let pool = &model.system.pool;
    let differential = |k: usize| pool.differential(&model.coordinate_names()[k], k);
    for (k, row) in d.dependent.iter().zip(rows).take(ENTRIES) {
        let terms: Vec<Expr> = row
            .iter()
            .zip(&d.independent)
            .filter(|(e, _)| **e != pool.zero())
            .map(|(e, k)| pool.mul(*e, differential(*k)))
            .collect();
        let head = format!("{} = ", show(model, differential(*k)).text(page.style()));
        page.shown_equation((2, &head), &Formula::of_terms(pool, terms), "");
    }
    left_out(page, 2, d.dependent.len().saturating_sub(ENTRIES));
}
