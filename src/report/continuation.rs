//! What `continue` says: branches of equilibria along a parameter, and where they turn, meet and lose their stability.

use super::json::{by_name, each, ends, expressions, object as object_of};
use super::text::{ENTRIES, Page, count, joined, left, linked, number, repeating, side, values};
use super::{title, zero};
use crate::analysis::{Model, Table, extremes};
use crate::plot::{self, Axis, Figure, MarkedPoint, PointKind, Series};
use crate::statics::{
    Assessment, Certificate, Continuation, Equilibrium, Node, Place, Point, Segment, Stability,
    Unfollowed, Unproven,
};
use crate::system::sanitize;
use serde_json::{Value, json};

/// Branches that are listed.
const TOLD: usize = 60;
/// Said of a branch of which neither is proven.
const UNDECIDED: &str = "not decided";
/// A place that is known to this part is told with all its digits.
const DIGITS: f64 = 1e-10;

/// Why nothing is followed.
pub fn unfollowed_words(why: Unfollowed) -> &'static str {
    match why {
        Unfollowed::Idle => "neither the equilibria nor their stability depend on it",
        Unfollowed::Exponent => {
            "it is in an exponent, which its value makes a whole number: with another value, the exponent varies"
        }
        Unfollowed::Negative => "the file tells it to be positive",
        Unfollowed::Moving => {
            "the constraints move, and no frame was found in which anything may rest: nothing can be followed"
        }
        Unfollowed::Rolling => {
            "velocity constraints leave a family of equilibria to drift along: there is no branch to follow"
        }
    }
}

fn place_words(place: Place) -> &'static str {
    match place {
        Place::End => "end",
        Place::Edge => "edge of the box",
        Place::Fold => "fold",
        Place::Pitchfork => "pitchfork",
        Place::Transcritical => "transcritical",
        Place::Meeting => "branch point",
        Place::Family => "family",
        Place::Hopf(_) => "Hopf point",
        Place::Flutter(_) => "frequencies meet",
        Place::Contact(_) => "contact",
        Place::Singular => "singular",
        Place::Parted(_) => "constraints part",
        Place::Kink => "kink",
        Place::Lost => "lost",
        Place::CalledOff => "called off",
    }
}

/// What is said of the stability of a piece: that of its middle.
fn word(middle: Option<&Equilibrium>) -> &'static str {
    match middle.map(|e| e.verdict.stability) {
        Some(Stability::Stable(_)) => "stable",
        Some(Stability::Unstable(_)) => "unstable",
        _ => UNDECIDED,
    }
}

fn parameter(model: &Model, found: &Continuation) -> String {
    let own = model.system.parameters.get(found.over.parameter);
    own.map_or_else(String::new, |p| p.name.clone())
}

/// What was not followed, and why there may be nothing to see.
pub fn continuation_notes(found: &Continuation) -> Vec<String> {
    let (skipped, lost) = (count(found.skipped, "equilibrium"), lost(found));
    let skipped = format!("{skipped} at the ends of the range not followed: families, or singular");
    let notes = [
        (found.skipped > 0, skipped.as_str()),
        (
            found.pieces.is_empty() && found.skipped == 0,
            "no equilibrium was found at the ends of the range nor inside it, to follow from there",
        ),
        (
            found.unfinished,
            "there are branches that were not followed to their ends",
        ),
        (
            lost > 0,
            "where a branch is lost it could not be followed further: it may end there with another, or go on",
        ),
    ];
    let said = notes.into_iter().filter(|(so, _)| *so);
    said.map(|(_, note)| note.to_owned()).collect()
}

/// The places, then the branches.
#[allow(clippy::too_many_lines)] // one page
pub fn continuation_text(model: &Model, found: &Continuation, width: usize) -> String {
    let mut page = Page::new(width);
    let name = parameter(model, found);
    let (from, to) = (number(found.over.from), number(found.over.to));
    let places: Vec<&Node> = bifurcations(found).collect();
    let families = found.pieces.iter().filter(|p| p.is_family(found));
    let branches = count(found.pieces.len() - families.count(), "branch");
    let turns = match lost(found) {
        0 => turns(&places, &name),
        // something may be where they were lost
        lost => format!(
            "{} found, {} lost",
            turns(&places, &name),
            count(lost, "end")
        ),
    };
    let proven = match &found.certificate {
        Some(Ok(_)) => "with what is proven below",
        _ => "not proven to be all",
    };
    let range = format!("{name} = {from} to {to}");
    let text = format!("{branches} of equilibria with {turns} along {range}: followed, {proven}");
    page.prose(0, &text);
    page.heading(&title(model));
    if let Some(rates) = &found.frame {
        let zero = model.system.pool.zero();
        let rates = model.coordinate_names().iter().zip(rates);
        let rates = rates.filter(|(_, rate)| **rate != zero);
        let rates =
            rates.map(|(name, rate)| format!("{name}' = {}", model.system.pool.print(*rate)));
        let rates = joined(rates);
        page.prose(2, &format!("at rest in the frame that moves with {rates}"));
    }
    if let Some(turning) = repeating(model, &found.periods) {
        page.prose(2, &format!("{turning}: told and counted over one turn"));
    }
    for note in continuation_notes(found) {
        page.prose(2, &format!("note: {note}"));
    }
    let names: Vec<&String> = model.coordinate_names().iter().take(ENTRIES).collect();
    if !places.is_empty() {
        page.gap();
        let mut rows = vec![vec![String::new(), name.clone()]];
        rows[0].extend(names.iter().map(|name| (*name).clone()));
        for node in &places {
            let range = (found.over.from, found.over.to);
            let p = rounded(node.at.p, node.blur, range);
            let p = p.map_or_else(|| exactly(node.at.p), number);
            let mut row = vec![format!("  {}", place_words(node.place)), p];
            let x = zero::of_unit_size(&node.at.x);
            let x = x.iter().zip(&found.region).take(ENTRIES);
            row.extend(x.map(|(v, side)| number(rounded(*v, node.blur, *side).unwrap_or(*v))));
            if let Some(frequency) = node.place.frequency() {
                row.push(format!("omega = {}", number(frequency)));
            }
            rows.push(row);
        }
        page.lines(&left(&rows));
    }
    if !found.pieces.is_empty() {
        page.gap();
        let mut rows = vec![vec![
            format!("  {name}"),
            String::new(),
            String::new(),
            "at a point inside".to_owned(),
        ]];
        for piece in found.pieces.iter().take(TOLD) {
            rows.push(row(model, found, piece));
        }
        page.lines(&left(&rows));
        if let more @ 1.. = found.pieces.len().saturating_sub(TOLD) {
            page.line(&format!("  and {more} more: --json has all"));
        }
        let open = found
            .pieces
            .iter()
            .filter(|p| word(p.middle.as_ref()) == UNDECIDED);
        let proven = match open.count() {
            0 => "Stability is proven at one point inside each branch and followed elsewhere.",
            open if open == found.pieces.len() => "Stability is proven on no branch.",
            _ => {
                "Where a stability is given it is proven at one point inside the branch and followed elsewhere."
            }
        };
        page.prose(2, proven);
    }
    if places.iter().any(|node| node.place == Place::Family) {
        page.prose(
            2,
            &format!("A family: at this one value of {name} the equilibria fill a curve, as far as it was followed; that it is a single value is not proven."),
        );
    }
    match &found.certificate {
        Some(Ok(certificate)) => certified(&mut page, model, found, certificate),
        Some(Err(why)) => {
            page.gap();
            let why = unproven_words(*why);
            page.prose(0, &format!("Nothing is proven of the whole range: {why}"));
        }
        None => {}
    }
    page.finish()
}

/// `2 bifurcations and a family at one value of w`.
fn turns(places: &[&Node], name: &str) -> String {
    let families = places.iter().filter(|node| node.place == Place::Family);
    let families = families.count();
    let families = match families {
        0 => None,
        1 => Some(format!("a family at one value of {name}")),
        more => Some(format!("{more} families, each at one value of {name}")),
    };
    let others = places.iter().filter(|node| node.place != Place::Family);
    let others = match (others.count(), &families) {
        (0, None) => Some("no bifurcation".to_owned()),
        (0, Some(_)) => None,
        (many, _) => Some(count(many, "bifurcation")),
    };
    linked(" and ", others.into_iter().chain(families))
}

/// What is proven of the whole range.
fn certified(page: &mut Page, model: &Model, found: &Continuation, certificate: &Certificate) {
    page.gap();
    let place = match found.periods.as_slice() {
        [] => "the box".to_owned(),
        periods => {
            let names = periods.iter().map(|(k, _)| &model.coordinate_names()[*k]);
            format!("the box, over one turn of {}", joined(names))
        }
    };
    page.prose(
        0,
        &if certificate.has_all() {
            format!(
                "Proven: all equilibria in {place}, and all values at which their number changes or dG/dx is singular"
            )
        } else {
            format!(
                "Proven: outside of the values that are not decided, the number of all equilibria in {place}"
            )
        },
    );
    let name = parameter(model, found);
    // what encloses zero so closely is zero
    let range = (found.over.from, found.over.to);
    let near = |p: f64| rounded(p, 0.0, range).unwrap_or(p);
    let mut stretches = certificate.stretches().iter().map(|stretch| {
        let (from, to) = stretch.ends();
        let all = stretch.count();
        // a change may begin where the range does
        (from < to).then(|| {
            vec![
                format!("  {} < {name} < {}", number(near(from)), number(near(to))),
                all.map_or("not counted".to_owned(), |k| count(k, "equilibrium")),
            ]
        })
    });
    let mut rows: Vec<Vec<String>> = stretches.next().into_iter().flatten().collect();
    for (change, stretch) in certificate.changes().iter().zip(stretches) {
        let p = change.p();
        let at = if p.width() <= 1e-9 * p.magnitude().max(1e-9) {
            format!("  {name} = {}", exactly(near(p.middle())))
        } else {
            format!("  {} <= {name} <= {}", exactly(p.lo), exactly(p.hi))
        };
        let pairs = model
            .coordinate_names()
            .iter()
            .zip(change.x())
            .take(ENTRIES);
        let pairs = pairs.map(|(name, own)| side(name, (own.lo, own.hi)));
        let what = match change.place() {
            Some(place) => place_words(place),
            None if change.is_proven() => "singular",
            None => "not decided",
        };
        rows.push(vec![at, format!("{what}, {}", joined(pairs))]);
        rows.extend(stretch);
    }
    page.lines(&left(&rows));
}

fn unproven_words(why: Unproven) -> &'static str {
    match why {
        Unproven::Constraints => "one-sided or redundant constraints",
        Unproven::Smooth => {
            "the equations are not shown to be smooth in all of the box; a smaller --box may do"
        }
        Unproven::Dependent => {
            "the gradients of the constraints are not shown to be independent in all of the box; a smaller --box may do"
        }
        Unproven::Large => "the determinant is too large",
        Unproven::Effort => {
            "equilibria in families, singular ones that are no points, or more boxes than the effort allows; a smaller --box may do"
        }
    }
}

fn certificate_json(model: &Model, certificate: &Certificate) -> Value {
    let stretches = each(certificate.stretches(), |stretch| {
        let (from, to) = stretch.ends();
        json!({"from": from, "to": to, "equilibria": stretch.count()})
    });
    json!({
        "complete": certificate.has_all(),
        "changes": each(certificate.changes(), |change| json!({
            "value": ends(&change.p()),
            "box": by_name(model.coordinate_names(), change.x().iter().map(ends)),
            "kind": change.place().as_ref().map(Place::name),
            "proven": change.is_proven(),
        })),
        "stretches": stretches,
    })
}

fn row(model: &Model, found: &Continuation, piece: &Segment) -> Vec<String> {
    let end = |node: usize| {
        let node = &found.nodes[node];
        let p = rounded(node.at.p, node.blur, (found.over.from, found.over.to));
        let p = p.unwrap_or(node.at.p);
        match node.place {
            Place::End => number(p),
            place => format!("{} {}", number(p), place_words(place)),
        }
    };
    let value = |node: &usize| found.nodes[*node].at.p;
    let mut ends = [piece.from, piece.to];
    ends.sort_by(|a, b| value(a).total_cmp(&value(b)));
    let to = if piece.is_family(found) {
        // from the family's place; what is at the other end is no other value
        ends.sort_by_key(|node| found.nodes[*node].place != Place::Family);
        format!("to the {}", place_words(found.nodes[ends[1]].place))
    } else {
        format!("to {}", end(ends[1]))
    };
    let middle = piece.points.get(piece.centre);
    let middle = middle.map_or_else(String::new, |point| {
        let x = zero::of_unit_size(&point.x);
        let at = format!("{} = {}", parameter(model, found), number(point.p));
        let x = values(model.coordinate_names(), &x).take(ENTRIES);
        joined([at].into_iter().chain(x))
    });
    vec![
        format!("  {}", end(ends[0])),
        to,
        word(piece.middle.as_ref()).to_owned(),
        middle,
    ]
}

/// A number without the digits that are not known of it, where this part of its range is not; none where all are known.
fn rounded(v: f64, blur: f64, (from, to): (f64, f64)) -> Option<f64> {
    let off = blur.max(4.0 * f64::EPSILON) * (to - from).abs();
    let unit = 10.0_f64.powf(off.log10().ceil());
    (off > DIGITS * v.abs()).then(|| (v / unit).round() * unit + 0.0)
}

/// With ten digits.
fn exactly(v: f64) -> String {
    if v != 0.0 && (v.abs() < 1e-3 || v.abs() >= 1e6) {
        format!("{v:e}")
    } else {
        plot::trimmed(&format!("{v:.10}")).to_owned()
    }
}

/// How many places there are at which branches were lost.
fn lost(found: &Continuation) -> usize {
    let lost = found.nodes.iter().filter(|node| node.place == Place::Lost);
    lost.count()
}

fn bifurcations(found: &Continuation) -> impl Iterator<Item = &Node> {
    found
        .nodes
        .iter()
        .filter(|node| node.place.is_bifurcation())
}

/// The interface's `continue` object.
pub fn continuation_json(model: &Model, found: &Continuation) -> Value {
    let names = model.coordinate_names();
    let places = each(&found.nodes, |node| {
        let mut object = json!({
            "kind": node.place.name(),
            "value": node.at.p,
            "point": by_name(names, &node.at.x),
            "multipliers": by_name(model.constraint_names(), &node.at.multipliers),
            "error": node.blur,
        });
        if let Some(frequency) = node.place.frequency() {
            object["frequency"] = json!(frequency);
        }
        object
    });
    let pieces = each(&found.pieces, |piece| {
        let verdict = piece.middle.as_ref().map(|e| &e.verdict);
        json!({
            "from": piece.from,
            "to": piece.to,
            "stability": verdict.map(|v| v.stability.name()),
            "stability_by": verdict.and_then(|v| v.stability.criterion()).map(|by| by.name()),
            "signature": verdict.map(Assessment::signature),
            "family": piece.is_family(found),
            "rows": each(&piece.points, row_of),
        })
    });
    let mut object = json!({
        "system": title(model),
        "parameter": parameter(model, found),
        "from": found.over.from,
        "to": found.over.to,
        "places": places,
        "columns": columns(model, found),
        "branches": pieces,
        "skipped": found.skipped,
        "unfinished": found.unfinished,
        "box": by_name(names, &found.region),
        "periods": object_of(found.periods.iter().map(|(k, period)| (&names[*k], period))),
    });
    match &found.certificate {
        Some(Ok(certificate)) => object["certificate"] = certificate_json(model, certificate),
        Some(Err(why)) => object["uncertified"] = json!(why.name()),
        None => {}
    }
    if let Some(rates) = &found.frame {
        object["frame"] = expressions(model, names, rates);
    }
    object
}

fn columns(model: &Model, found: &Continuation) -> Vec<String> {
    let mut columns = vec![parameter(model, found)];
    columns.extend(model.coordinate_names().iter().cloned());
    columns.extend(
        model
            .constraint_names()
            .iter()
            .map(|name| format!("lambda_{name}")),
    );
    columns
}

fn row_of(point: &Point) -> Vec<f64> {
    let rest = point.x.iter().chain(&point.multipliers);
    std::iter::once(&point.p).chain(rest).copied().collect()
}

/// All points: the number of the branch, the parameter, coordinates and multipliers, and 1 where it is stable at a point inside
/// of the branch, 0 where it is unstable.
pub fn continuation_table(model: &Model, found: &Continuation) -> Table {
    let mut all = vec!["branch".to_owned()];
    all.extend(columns(model, found));
    all.push("stable".to_owned());
    let pieces = found.pieces.iter().enumerate();
    let rows = pieces.flat_map(|(i, piece)| {
        let stable = match word(piece.middle.as_ref()) {
            "stable" => 1.0,
            "unstable" => 0.0,
            _ => f64::NAN,
        };
        piece.points.iter().map(move |point| {
            let mut row = vec![(i + 1) as f64];
            row.extend(row_of(point));
            row.push(stable);
            row
        })
    });
    Table {
        rows: rows.collect(),
        columns: all,
    }
}

/// These columns over the parameter, a picture each; where none is named, the coordinate that goes farthest.
pub fn continuation_figures(model: &Model, found: &Continuation, columns: &[usize]) -> Vec<Figure> {
    let usual = [usual_column(model, found)];
    let columns = if columns.is_empty() { &usual } else { columns };
    let each = columns.iter();
    each.map(|column| figure(model, found, *column)).collect()
}

/// The coordinate that goes farthest, from 1.
pub fn usual_column(model: &Model, found: &Continuation) -> usize {
    let reach = |k: &usize| {
        let points = found.pieces.iter().flat_map(|piece| &piece.points);
        let (low, high) = extremes(points.map(|point| point.x[*k]));
        high - low
    };
    let all = 0..model.coordinate_names().len();
    1 + all
        .rev()
        .max_by(|a, b| reach(a).total_cmp(&reach(b)))
        .unwrap_or(0)
}

/// A column over the parameter: stable drawn through, unstable dashed, what is not decided dotted.
fn figure(model: &Model, found: &Continuation, column: usize) -> Figure {
    let at = |point: &Point| {
        let value = row_of(point).get(column).copied();
        [point.p, value.unwrap_or(f64::NAN)]
    };
    let mut series = Vec::new();
    for (role, kind) in (0..).zip(["stable", "unstable", "not decided"]) {
        let own = found
            .pieces
            .iter()
            .filter(|piece| word(piece.middle.as_ref()) == kind);
        let mut points: Vec<[f64; 2]> = Vec::new();
        for piece in own {
            points.extend(piece.points.iter().map(at));
            points.push([f64::NAN; 2]);
        }
        if !points.is_empty() {
            series.push(Series::new(kind, points, role));
        }
    }
    let places = bifurcations(found)
        .map(|node| MarkedPoint::new(at(&node.at), PointKind::Anchor, place_words(node.place)));
    let name = columns(model, found).get(column).cloned();
    Figure {
        title: title(model),
        x: Axis::over(
            sanitize(&parameter(model, found)),
            (found.over.from, found.over.to),
        ),
        y: Axis::named(sanitize(&name.unwrap_or_default())),
        places: places.collect(),
        series,
        ..Figure::default()
    }
}
