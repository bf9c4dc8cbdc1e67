//! A map of the constraint set: a figure, a sentence, JSON.
//!
//! The boxes of a paving become lines through the middles of those that touch, a series for each sign of
//! the determinant: drawn so, the signs are told apart by the pattern of the line as well as by colour. A
//! box that is larger than the picture shows is drawn as its outline.

use super::atlas::{box_json, point};
use super::json::{by_name, each, ends as range, object, point_json};
use super::redundancy::nowhere;
use super::text::{Page, count, joined, names, number, only_if, place, some, values};
use super::title;
use crate::analysis::{LevelLine, Levels, MapAnswer, Model, Slice};
use crate::interval::{Region, Roots, apart, middles, representative};
use crate::plot::{Aspect, Axis, Figure, Look, MarkedPoint, PointKind, Series};
use crate::theorem::{Mark, Tile};
use serde_json::{Value, json};
use std::fmt::Write;

/// A box longer than this many parts of the picture is drawn as its outline.
const LONG: f64 = 3.0;
/// At most so many neighbours of a box are joined to it: on a surface there are many.
const NEIGHBOURS: usize = 24;
/// Singular points told in a sentence, and marked with their place.
const POINTS: usize = 6;
/// Digits of a place beside its sign.
const DIGITS: usize = 3;

/// A piece of the line of one sign and the gap after it, in parts of the picture.
const DASH: (f64, f64) = (9.0, 4.0);

/// How a map is drawn.
#[derive(Clone, Copy, Debug)]
pub struct MapStyle {
    /// Parts of the picture along and up that are told apart.
    pub resolution: (usize, usize),
    /// Is the line of det J_D < 0 in pieces? The steps of a line of characters are too short for a
    /// pattern; vectors have one.
    pub in_pieces: bool,
}

/// A point that is so many sizes of a box away from it is on the same piece.
const NEAR: f64 = 2.0;

/// Boxes by what is proven of them, in the order of the series.
const KINDS: u8 = 4;

/// Level lines, after the series that the workbench adds; those that touch the constraint set are strong.
pub const TOUCHING: u8 = KINDS + 3;
/// The others.
pub const LEVEL: u8 = KINDS + 4;

fn kind(mark: Mark) -> u8 {
    match mark {
        Mark::Regular(true) => 0,
        Mark::Regular(false) => 1,
        Mark::Undecided => 2,
        Mark::Singular => 3,
    }
}

/// The picture; `start` is marked where there is one and it is on the set.
pub fn map_figure(model: &Model, map: &MapAnswer, look: MapStyle, start: &[f64]) -> Figure {
    let resolution = look.resolution;
    let (along, up) = map.plane;
    let (x, y) = (map.part.region[along], map.part.region[up]);
    let chosen = names(&model.names(&map.dependent));
    let [above, below] = [">", "<"].map(|sign| format!("det J[{chosen}] {sign} 0"));
    let labels = if map.dependent.is_empty() {
        ["the constraint set", "", "", ""]
    } else {
        [above.as_str(), &below, "not decided", "det = 0"]
    };
    // single points have a sign
    let single = map.singular.iter().any(|roots| !roots.proven.is_empty());
    let step = steps(map, resolution);
    let series = (0..KINDS).zip(labels).filter_map(|(role, label)| {
        let tiles: Vec<&Tile> = map
            .paving
            .tiles
            .iter()
            .filter(|t| kind(t.mark) == role)
            .collect();
        let signed = single && role == kind(Mark::Singular);
        let shown = !tiles.is_empty() && !signed;
        shown.then(|| {
            // all of the box is its outline: what is filled hides all that is drawn on it
            let mut points = match map.dependent.as_slice() {
                [] => outline((x, y)).to_vec(),
                _ => lines(&tiles, map.plane, step),
            };
            if role == kind(Mark::Regular(false)) && look.in_pieces {
                points = pieces(&points, step);
            }
            Series::new(label, points, role)
        })
    });
    let mut series: Vec<Series> = series.collect();
    series.extend(
        map.levels
            .iter()
            .flat_map(|levels| level_series(model, levels, step)),
    );
    let name = |k: usize| model.names(&[k]).concat();
    let aspect = if model.is_place(&name(along), &[name(up)]) {
        Aspect::Equal
    } else {
        Aspect::Fill
    };
    // one series has no legend
    let heading = match series.as_slice() {
        [one] if !map.dependent.is_empty() => format!("{}: {}", title(model), one.label),
        _ => title(model),
    };
    Figure {
        title: heading,
        x: Axis::over(name(along), x),
        y: Axis::over(name(up), y),
        series,
        places: places(model, map, start),
        aspect,
        ..Figure::default()
    }
}

/// What level lines are of: `V`, or the expression.
fn level_name(model: &Model, levels: &Levels) -> String {
    match (levels.of_value, model.system.objective) {
        (true, true) => "objective".to_owned(),
        (true, false) => "V".to_owned(),
        (false, _) => levels.expression.clone(),
    }
}

/// Level lines: in pieces, whole where they touch the constraint set.
fn level_series(model: &Model, levels: &Levels, step: [f64; 2]) -> Vec<Series> {
    const GAP: [f64; 2] = [f64::NAN; 2];
    let name = level_name(model, levels);
    let points = |line: &LevelLine| -> Vec<[f64; 2]> {
        let drawn = line
            .segments
            .iter()
            .filter(|segment| line.touches || is_on(segment, step))
            // where it goes through a corner of the grid
            .filter(|[a, b]| a != b);
        drawn.flat_map(|[a, b]| [*a, *b, GAP]).collect()
    };
    let touches = match levels.slice {
        Slice::Whole | Slice::Held => "touches",
        Slice::Through => "through its place",
    };
    let (strong, others): (Vec<&LevelLine>, Vec<&LevelLine>) =
        levels.lines.iter().partition(|line| line.touches);
    let mut list: Vec<Series> = strong
        .into_iter()
        .map(|line| {
            let label = format!("{name} = {} {touches}", number(line.value));
            Series {
                look: Look::Whole,
                ..Series::new(label, points(line), TOUCHING)
            }
        })
        .collect();
    if !others.is_empty() {
        let values: Vec<String> = others.iter().map(|line| number(line.value)).collect();
        let shown = match values.as_slice() {
            [first, .., last] => format!("{first} ... {last}"),
            [one] => one.clone(),
            [] => String::new(),
        };
        let points = others.into_iter().flat_map(points).collect();
        list.push(Series {
            look: Look::Pieces,
            ..Series::new(format!("{name} = {shown}"), points, LEVEL)
        });
    }
    list
}

/// Is this piece of a broken line drawn? By where it lies, so that pieces that join are drawn alike.
fn is_on([a, b]: &[[f64; 2]; 2], step: [f64; 2]) -> bool {
    let place = |k: usize| (0.5 * (a[k] + b[k]) / (step[k] * DASH.1)).floor();
    (place(0) + place(1)).rem_euclid(2.0) < 1.0
}

/// The singular points and the start.
fn places(model: &Model, map: &MapAnswer, start: &[f64]) -> Vec<MarkedPoint> {
    let (along, up) = map.plane;
    // where other coordinates are held
    let is_seen = |x: &[f64]| {
        let mut sides = x.iter().zip(&map.part.region);
        sides.all(|(v, (lo, hi))| lo < hi || v == lo)
    };
    let mut list: Vec<MarkedPoint> = Vec::new();
    let proven = map.singular.iter().flat_map(|roots| &roots.proven);
    for root in proven {
        let at = [root[along].middle(), root[up].middle()];
        let digits = |v: f64| crate::plot::number(if v.abs() < 1e-12 { 0.0 } else { v }, DIGITS);
        list.push(MarkedPoint {
            tag: format!("({}, {})", digits(at[0]), digits(at[1])),
            ..MarkedPoint::new(at, PointKind::Failure, "det = 0")
        });
    }
    let touching = map.levels.iter().flat_map(|levels| &levels.touching);
    for touch in touching.filter(|touch| is_seen(&touch.x)) {
        let at = [touch.x[along], touch.x[up]];
        list.push(MarkedPoint {
            tag: number(touch.value),
            ..MarkedPoint::new(at, PointKind::Anchor, "touched")
        });
    }
    // points that lie over each other say their place once
    for k in (0..list.len()).rev() {
        let tag = list[k].tag.clone();
        if list[..k].iter().any(|other| other.tag == tag) || k >= 2 * POINTS {
            list[k].tag.clear();
        }
    }
    if start.len() == map.part.region.len()
        && is_seen(start)
        && model.is_on_constraints(map.part.t, start)
    {
        let at = [start[along], start[up]];
        list.push(MarkedPoint::new(at, PointKind::Body, "start"));
    }
    list
}

/// The sides of a rectangle, all round.
fn outline((x, y): ((f64, f64), (f64, f64))) -> [[f64; 2]; 5] {
    [[x.0, y.0], [x.1, y.0], [x.1, y.1], [x.0, y.1], [x.0, y.0]]
}

/// Lines through the middles of boxes that touch, gaps between them; outlines of large ones.
fn lines(tiles: &[&Tile], (along, up): (usize, usize), step: [f64; 2]) -> Vec<[f64; 2]> {
    const GAP: [f64; 2] = [f64::NAN; 2];
    let mut points = Vec::new();
    let (large, small): (Vec<&Tile>, Vec<&Tile>) = tiles.iter().copied().partition(|tile| {
        tile.sides[along].width() > LONG * step[0] || tile.sides[up].width() > LONG * step[1]
    });
    for tile in large {
        let (x, y) = (tile.sides[along], tile.sides[up]);
        points.extend(outline(((x.lo, x.hi), (y.lo, y.hi))));
        points.push(GAP);
    }
    let middle = |k: usize| {
        let sides = &small[k].sides;
        [sides[along].middle(), sides[up].middle()]
    };
    let mut joined = neighbours(&small, along);
    let had: Vec<bool> = joined.iter().map(|list| !list.is_empty()).collect();
    // from the ends of the lines first
    let mut order: Vec<usize> = (0..small.len()).collect();
    order.sort_by_key(|k| joined[*k].len() != 1);
    for first in order {
        let alone = !had[first];
        if alone {
            points.extend([middle(first), GAP]);
        }
        while !joined[first].is_empty() {
            let mut at = first;
            points.push(middle(at));
            while let Some(next) = joined[at].first().copied() {
                joined[at].remove(0);
                joined[next].retain(|k| *k != at);
                points.push(middle(next));
                at = next;
            }
            points.push(GAP);
        }
    }
    points
}

/// Lines cut in pieces of the length of [`DASH`].
fn pieces(points: &[[f64; 2]], step: [f64; 2]) -> Vec<[f64; 2]> {
    let mut list: Vec<[f64; 2]> = Vec::new();
    let mut gone = 0.0;
    let mut last: Option<[f64; 2]> = None;
    for &point in points {
        if point.iter().any(|v| v.is_nan()) {
            (gone, last) = (0.0, None);
            list.push(point);
            continue;
        }
        if let Some(before) = last {
            let part = |k: usize| ((point[k] - before[k]) / step[k]).abs();
            gone += part(0).max(part(1));
        }
        last = Some(point);
        let is_drawn = gone % (DASH.0 + DASH.1) <= DASH.0;
        list.push(if is_drawn { point } else { [f64::NAN; 2] });
    }
    list
}

/// The boxes on which the theorem holds, in connected pieces: on a curve each is a branch of g.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Components {
    /// The piece of each box; none where the theorem is not shown to hold.
    of: Vec<Option<usize>>,
    /// The line of each piece.
    pub lines: Vec<Vec<[f64; 2]>>,
    /// The sign of the determinant on each piece.
    pub signs: Vec<i8>,
}

impl Components {
    /// The pieces of a map, drawn with this resolution.
    pub fn new(map: &MapAnswer, resolution: (usize, usize)) -> Self {
        let tiles: Vec<&Tile> = map.paving.tiles.iter().collect();
        let step = steps(map, resolution);
        let joined = neighbours(&tiles, map.plane.0);
        let mut of: Vec<Option<usize>> = vec![None; tiles.len()];
        let (mut lines, mut signs) = (Vec::new(), Vec::new());
        for first in 0..tiles.len() {
            let mark = tiles[first].mark;
            let Mark::Regular(positive) = mark else {
                continue;
            };
            if of[first].is_some() {
                continue;
            }
            signs.push(if positive { 1 } else { -1 });
            let piece = lines.len();
            let mut queue = vec![first];
            let mut own = Vec::new();
            while let Some(at) = queue.pop() {
                if of[at].is_some() || tiles[at].mark != mark {
                    continue;
                }
                of[at] = Some(piece);
                own.push(at);
                queue.extend(&joined[at]);
            }
            own.sort_unstable();
            let own: Vec<&Tile> = own.into_iter().map(|k| tiles[k]).collect();
            lines.push(self::lines(&own, map.plane, step));
        }
        Self { of, lines, signs }
    }

    /// The piece that a point is on: that of the box which holds it, or is nearest to it and near.
    pub fn at(&self, map: &MapAnswer, x: &[f64]) -> Option<usize> {
        // in sizes of the box
        let far = |tile: &Tile| {
            let sides = tile.sides.iter().zip(x);
            let out = sides.map(|(side, v)| {
                let out = (side.lo - v).max(v - side.hi).max(0.0);
                if out == 0.0 { 0.0 } else { out / side.width() }
            });
            out.fold(0.0, f64::max)
        };
        let tiles = map.paving.tiles.iter().zip(&self.of);
        let near = tiles
            .filter_map(|(tile, piece)| Some((far(tile), (*piece)?)))
            .filter(|(far, _)| *far <= NEAR);
        near.min_by(|a, b| a.0.total_cmp(&b.0))
            .map(|(_, piece)| piece)
    }
}

/// The length of a step of the picture along and up.
fn steps(map: &MapAnswer, resolution: (usize, usize)) -> [f64; 2] {
    let part = |k: usize, parts: usize| {
        let (lo, hi) = map.part.region[k];
        (hi - lo) / parts.max(1) as f64
    };
    [
        part(map.plane.0, resolution.0),
        part(map.plane.1, resolution.1),
    ]
}

/// Which boxes touch which, each in their order.
fn neighbours(tiles: &[&Tile], along: usize) -> Vec<Vec<usize>> {
    let mut joined: Vec<Vec<usize>> = vec![Vec::new(); tiles.len()];
    let mut order: Vec<usize> = (0..tiles.len()).collect();
    order.sort_by(|a, b| {
        let lo = |k: usize| tiles[k].sides[along].lo;
        lo(*a).total_cmp(&lo(*b)).then(a.cmp(b))
    });
    for (place, &a) in order.iter().enumerate() {
        let mine = &tiles[a].sides;
        for &b in &order[place + 1..] {
            let other = &tiles[b].sides;
            if other[along].lo > mine[along].hi || joined[a].len() >= NEIGHBOURS {
                break;
            }
            if !apart(mine, other) {
                joined[a].push(b);
                joined[b].push(a);
            }
        }
    }
    joined
}

/// What is proven, in words.
pub fn map_text(model: &Model, map: &MapAnswer, width: usize) -> String {
    let mut page = Page::new(width);
    page.gap();
    for sentence in sentences(model, map) {
        page.prose(0, &sentence);
    }
    page.finish()
}

fn sentences(model: &Model, map: &MapAnswer) -> Vec<String> {
    let tiles = &map.paving.tiles;
    let all = tiles.len();
    let chosen = names(&model.names(&map.dependent));
    let held = only_if(model.rheonomic(), format!(" at t = {}", number(map.part.t)));
    if map.dependent.is_empty() {
        return vec!["No constraints: every point of the box is allowed.".to_owned()];
    }
    if all == 0 && map.paving.complete {
        return vec![format!(
            "The constraint set has no point in the box{held} (certified)."
        )];
    }
    let holds = if all == 1 { "holds" } else { "hold" };
    let others = (0..map.part.region.len()).filter(|k| *k != map.plane.0 && *k != map.plane.1);
    let others = others.map(|k| {
        let (name, (lo, hi)) = (model.names(&[k]).concat(), map.part.region[k]);
        if lo < hi {
            format!("{} <= {name} <= {}", number(lo), number(hi))
        } else {
            format!("{name} = {}", number(lo))
        }
    });
    let with = match some(others, POINTS) {
        none if none.is_empty() => none,
        others => format!(" with {others}"),
    };
    let fine = only_if(
        !map.paving.complete,
        ", but the work limit was reached before all were as small as the picture shows",
    );
    let mut list = vec![format!(
        "{} {holds} all of the constraint set in the box{with}{held} (certified){fine}.",
        count(all, "box"),
    )];
    let regular = tiles
        .iter()
        .filter(|t| matches!(t.mark, Mark::Regular(_)))
        .count();
    let function = match map.dependent.len() {
        1 => format!("{chosen} is a function"),
        _ => format!("{chosen} are functions"),
    };
    let zero = tiles.iter().filter(|t| t.mark == Mark::Singular).count();
    let open = all - regular - zero;
    let mut rest = String::new();
    if zero > 0 {
        let _ = write!(rest, "; on {zero} it has one on the set (certified)");
    }
    if open > 0 {
        let are = if open == 1 { "is" } else { "are" };
        let _ = write!(rest, "; {open} {are} not decided");
    }
    let on = match regular {
        0 => "On none".to_owned(),
        _ if regular == all => format!("On all {all}"),
        some => format!("On {some}"),
    };
    let redundant = (open == all).then(|| model.redundancy()).flatten();
    list.push(match redundant {
        Some(found) => nowhere(model, &found),
        None => format!(
            "{on} of them {function} of the others and det J[{chosen}] has no zero (certified){rest}."
        ),
    });
    list.extend(singular(map, &chosen));
    list.extend(map.levels.as_ref().map(|levels| level_words(model, levels)));
    list
}

/// Where level lines touch the set.
fn level_words(model: &Model, levels: &Levels) -> String {
    let name = level_name(model, levels);
    let (held, at): (Vec<usize>, Vec<f64>) = levels.held.iter().copied().unzip();
    let held = joined(values(&model.names(&held), &at));
    let held = match (held.is_empty(), levels.slice) {
        (true, _) => held,
        (false, Slice::Held) => format!("; the map is cut at {held}"),
        (false, _) => format!(", drawn with {held}"),
    };
    let through = match levels.slice {
        Slice::Through => format!(
            " With {} constraints the set has no curve in this plane where the other coordinates are held: a line that touches is drawn with those of its place, and need not touch what is drawn there.",
            model.system.constraints.len()
        ),
        Slice::Whole | Slice::Held => String::new(),
    };
    let touching = levels.touching.iter();
    let certified = only_if(
        touching.clone().take(POINTS).all(|touch| touch.certified),
        " (certified)",
    );
    let touching = touching.map(|touch| {
        let family = only_if(touch.of_a_family, " and the family that it is one of");
        let (value, at) = (number(touch.value), point(&touch.x));
        format!("{name} = {value} at {at}{family}")
    });
    let shown = some(touching, POINTS);
    if levels.lines.is_empty() && levels.touching.is_empty() {
        return format!("No level line of {name} runs through the box.");
    }
    match (levels.complete, shown.is_empty()) {
        (None, _) => format!("Level lines of {name}{held}; there is no constraint to touch."),
        (Some(true), true) => {
            format!("No level line of {name} touches the set in the box (certified){held}.")
        }
        (Some(false), true) => format!("No level line of {name} was found to touch the set{held}."),
        (Some(complete), false) => {
            let only = if complete { "only " } else { "" };
            format!("A level line touches the set {only}where {shown}{certified}{held}.{through}")
        }
    }
}

/// Where the determinant vanishes, for sets of one dimension.
fn singular(map: &MapAnswer, chosen: &str) -> Option<String> {
    let roots = map.singular.as_ref()?;
    let exact = |k: &Region| place(&representative(k));
    let shown = joined(roots.proven.iter().take(POINTS).map(exact));
    let more = roots.proven.len().saturating_sub(POINTS);
    let more = only_if(more > 0, format!(" and at {more} more points"));
    let open = roots.undecided.len();
    Some(match (shown.is_empty(), roots.complete()) {
        (true, true) if roots.undecided.is_empty() => {
            format!("det J[{chosen}] vanishes nowhere on the set in the box (certified).")
        }
        (true, true) => format!(
            "det J[{chosen}] vanishes on the set in the box at most in {} (certified).",
            count(roots.undecided.len(), "small box")
        ),
        (true, false) => {
            "Where the determinant vanishes on the set was not found: the work limit was reached."
                .to_owned()
        }
        (false, complete) => {
            let only = if complete { " only" } else { "" };
            let open = match open {
                0 => String::new(),
                some => format!(" and perhaps in {}", count(some, "small box")),
            };
            let rest = if complete {
                ""
            } else {
                "; the search did not come to its end"
            };
            format!(
                "det J[{chosen}] = 0 on the set{only} at {shown}{more} (certified){open}{rest}."
            )
        }
    })
}

/// The boxes and the singular points as data.
pub fn map_json(model: &Model, map: &MapAnswer) -> Value {
    let sides = |region: &Region| by_name(model.variable_names(), region.iter().map(range));
    let boxes = each(&map.paving.tiles, |tile| {
        let (mark, sign) = match tile.mark {
            Mark::Regular(true) => ("regular", Some(1)),
            Mark::Regular(false) => ("regular", Some(-1)),
            Mark::Singular => ("singular", None),
            Mark::Undecided => ("undecided", None),
        };
        json!({
            "box": sides(&tile.sides),
            "mark": mark,
            "sign": sign,
            "inhabited": tile.inhabited,
        })
    });
    let singular = map.singular.as_ref().map(|roots| {
        let proven = roots.proven.iter().map(|root| (root, true));
        let all = proven.chain(roots.undecided.iter().map(|root| (root, false)));
        each(all, |(root, certified)| {
            let middle = middles(root);
            let point = certified.then(|| point_json(model, &middle));
            json!({"point": point, "box": sides(root), "certified": certified})
        })
    });
    json!({
        "system": title(model),
        "t": map.part.t,
        "no_start": map.part.no_start.as_ref().map(ToString::to_string),
        "box": box_json(model, &map.part.region),
        "dependent": model.names(&map.dependent),
        "plane": model.names(&[map.plane.0, map.plane.1]),
        "complete": map.paving.complete,
        "boxes": boxes,
        "singular": singular,
        "levels": map.levels.as_ref().map(|levels| levels_json(model, levels)),
        "singular_complete": map.singular.as_ref().map(Roots::has_all),
    })
}

fn levels_json(model: &Model, levels: &Levels) -> Value {
    let names = model.coordinate_names();
    let held = levels.held.iter().map(|(k, v)| (&names[*k], v));
    json!({
        "expression": levels.expression,
        "held": object(held),
        "lines": each(&levels.lines, |l| json!({
            "value": l.value, "touches": l.touches, "segments": l.segments,
        })),
        "touching": each(&levels.touching, |t| json!({
            "point": point_json(model, &t.x), "value": t.value, "certified": t.certified, "family": t.of_a_family,
        })),
        "complete": levels.complete,
        "cut": levels.slice.name(),
    })
}
