//! A map of the constraint set: a figure, a sentence, JSON.
//!
//! The boxes of a paving become lines through the middles of those that touch, a series for each sign of
//! the determinant: drawn so, the signs are told apart by the pattern of the line as well as by colour. A
//! box that is larger than the picture shows is drawn as its outline.

use super::atlas::{box_json, plural, point, point_json, region_text};
use super::text::{Page, names, number};
use super::title;
use crate::analysis::{MapAnswer, Model};
use crate::interval::Region;
use crate::plot::{Aspect, Axis, Figure, Place, PointKind, Series};
use crate::theorem::{Mark, Tile};
use serde_json::{Value, json};

/// A box longer than this many parts of the picture is drawn as its outline.
const LONG: f64 = 3.0;
/// At most so many neighbours of a box are joined to it: on a surface there are many.
const NEIGHBOURS: usize = 24;
/// Singular points told in a sentence, and marked with their place.
const POINTS: usize = 6;
/// Digits of a place beside its sign.
const DIGITS: usize = 3;

/// The boxes by what is proven of them, in the order of the series.
const KINDS: usize = 3;

fn kind(mark: Mark) -> usize {
    match mark {
        Mark::Regular(true) => 0,
        Mark::Regular(false) => 1,
        Mark::Singular | Mark::Undecided => 2,
    }
}

/// The picture, with `resolution` parts along and up; `start` is marked where it is on the set.
pub fn map_figure(
    model: &Model,
    map: &MapAnswer,
    resolution: (usize, usize),
    start: &[f64],
) -> Figure {
    let (along, up) = map.plane;
    let (x, y) = (map.part.region[along], map.part.region[up]);
    let chosen = names(&model.names(&map.dependent));
    let det = if map.dependent.is_empty() {
        "the constraint set".to_owned()
    } else {
        format!("det J[{chosen}]")
    };
    let labels = match map.dependent.is_empty() {
        true => [det.clone(), det, String::new()],
        false => [
            format!("{det} > 0"),
            format!("{det} < 0"),
            "not decided".to_owned(),
        ],
    };
    let step = [
        (x.1 - x.0) / resolution.0.max(1) as f64,
        (y.1 - y.0) / resolution.1.max(1) as f64,
    ];
    let series = (0..KINDS).zip(labels).filter_map(|(role, label)| {
        let tiles: Vec<&Tile> = map
            .paving
            .tiles
            .iter()
            .filter(|t| kind(t.mark) == role)
            .collect();
        (!tiles.is_empty()).then(|| Series {
            label,
            points: lines(&tiles, map.plane, step),
            role: role as u8,
        })
    });
    let series: Vec<Series> = series.collect();
    let name = |k: usize| model.names(&[k]).concat();
    let aspect = if model.is_place(&name(along), &[name(up)]) {
        Aspect::Equal
    } else {
        Aspect::Fill
    };
    Figure {
        title: title(model),
        x: Axis {
            label: name(along),
            range: Some(x),
            ..Axis::default()
        },
        y: Axis {
            label: name(up),
            range: Some(y),
            ..Axis::default()
        },
        series,
        places: places(model, map, start),
        aspect,
        ..Figure::default()
    }
}

/// The singular points and the start.
fn places(model: &Model, map: &MapAnswer, start: &[f64]) -> Vec<Place> {
    let (along, up) = map.plane;
    let mut list: Vec<Place> = Vec::new();
    let proven = map.singular.iter().flat_map(|roots| &roots.proven);
    for root in proven {
        let at = [root[along].middle(), root[up].middle()];
        let digits = |v: f64| crate::plot::number(if v.abs() < 1e-12 { 0.0 } else { v }, DIGITS);
        list.push(Place {
            at,
            kind: PointKind::Failure,
            label: Some("det = 0".to_owned()),
            tag: format!("({}, {})", digits(at[0]), digits(at[1])),
        });
    }
    // points that lie over each other say their place once
    for k in (0..list.len()).rev() {
        let tag = list[k].tag.clone();
        if list[..k].iter().any(|other| other.tag == tag) || k >= 2 * POINTS {
            list[k].tag.clear();
        }
    }
    if model.is_on_constraints(map.part.t, start) {
        list.push(Place {
            at: [start[along], start[up]],
            kind: PointKind::Body,
            label: Some("start".to_owned()),
            tag: String::new(),
        });
    }
    list
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
        let corners = [
            (x.lo, y.lo),
            (x.hi, y.lo),
            (x.hi, y.hi),
            (x.lo, y.hi),
            (x.lo, y.lo),
        ];
        points.extend(corners.map(|(x, y)| [x, y]));
        points.push(GAP);
    }
    let middle = |k: usize| {
        let sides = &small[k].sides;
        [sides[along].middle(), sides[up].middle()]
    };
    let mut joined = neighbours(&small, along);
    // from the ends of the lines first
    let mut order: Vec<usize> = (0..small.len()).collect();
    order.sort_by_key(|k| joined[*k].len() != 1);
    for first in order {
        let alone = joined[first].is_empty();
        let drawn = points.iter().rev().take(1).any(|p| *p == middle(first));
        if alone && !drawn && small[first].sides.len() < usize::MAX {
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

/// Which boxes touch which, each in their order.
fn neighbours(tiles: &[&Tile], along: usize) -> Vec<Vec<usize>> {
    let mut joined: Vec<Vec<usize>> = vec![Vec::new(); tiles.len()];
    let mut order: Vec<usize> = (0..tiles.len()).collect();
    order.sort_by(|a, b| {
        let lo = |k: usize| tiles[k].sides[along].lo;
        lo(*a).total_cmp(&lo(*b)).then(a.cmp(b))
    });
    let touch = |a: &Region, b: &Region| a.iter().zip(b).all(|(p, q)| !p.meet(*q).is_empty());
    for (place, &a) in order.iter().enumerate() {
        let mine = &tiles[a].sides;
        for &b in &order[place + 1..] {
            let other = &tiles[b].sides;
            if other[along].lo > mine[along].hi || joined[a].len() >= NEIGHBOURS {
                break;
            }
            if touch(mine, other) {
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
    let held = if model.rheonomic() {
        format!(" at t = {}", number(map.part.t))
    } else {
        String::new()
    };
    if map.dependent.is_empty() {
        return vec!["No constraints: every point of the box is allowed.".to_owned()];
    }
    if all == 0 && map.paving.complete {
        return vec![format!(
            "The constraint set has no point in the box{held} (certified)."
        )];
    }
    let holds = if all == 1 { "holds" } else { "hold" };
    let mut list = vec![format!(
        "{} {holds} all of the constraint set in {}{}.",
        plural(all, "box"),
        region_text(model, &map.part),
        if map.paving.complete {
            " (certified)"
        } else {
            " (certified), but the effort did not suffice to make all as small as is drawn"
        }
    )];
    let regular = tiles
        .iter()
        .filter(|t| matches!(t.mark, Mark::Regular(_)))
        .count();
    let function = match map.dependent.len() {
        1 => format!("{chosen} is a function"),
        _ => format!("{chosen} are functions"),
    };
    let on = match all - regular {
        0 if all == 1 => "On it".to_owned(),
        0 => format!("On each of the {all}"),
        _ if regular == 0 => "On none of them it is proven that".to_owned(),
        _ => format!("On each of {regular} of them"),
    };
    let rest = match all - regular {
        0 => String::new(),
        1 => "; 1 is not decided".to_owned(),
        some => format!("; {some} are not decided"),
    };
    list.push(format!(
        "{on} {function} of the others and det J[{chosen}] has no zero (certified){rest}."
    ));
    list.extend(singular(map, &chosen));
    list
}

/// Where the determinant vanishes, for sets of one dimension.
fn singular(map: &MapAnswer, chosen: &str) -> Option<String> {
    let roots = map.singular.as_ref()?;
    let exact = |k: &Region| point(&k.iter().map(|side| side.middle()).collect::<Vec<f64>>());
    let shown: Vec<String> = roots.proven.iter().take(POINTS).map(exact).collect();
    let more = roots.proven.len().saturating_sub(POINTS);
    let more = if more > 0 {
        format!(" and at {more} more points")
    } else {
        String::new()
    };
    let open = match roots.undecided.len() {
        0 => String::new(),
        some => format!("; {} not decided", plural(some, "box")),
    };
    Some(match (shown.is_empty(), roots.complete) {
        (true, true) if roots.undecided.is_empty() => {
            format!("det J[{chosen}] vanishes nowhere on the set in the box (certified).")
        }
        (true, true) => format!(
            "det J[{chosen}] vanishes on the set in the box at most in {} (certified).",
            plural(roots.undecided.len(), "small box")
        ),
        (true, false) => {
            "Where the determinant vanishes on the set was not found: the effort did not suffice."
                .to_owned()
        }
        (false, complete) => {
            let only = if complete { " only" } else { "" };
            let rest = if complete {
                ""
            } else {
                "; the search did not come to its end"
            };
            format!(
                "det J[{chosen}] = 0 on the set{only} at {}{more} (certified){open}{rest}.",
                shown.join(", ")
            )
        }
    })
}

/// The boxes and the singular points as data.
pub fn map_json(model: &Model, map: &MapAnswer) -> Value {
    let n = model.coordinate_names().len();
    let ranges = |region: &Region| -> Vec<(f64, f64)> {
        region
            .iter()
            .take(n)
            .map(|side| (side.lo, side.hi))
            .collect()
    };
    let boxes = map.paving.tiles.iter().map(|tile| {
        let (mark, sign) = match tile.mark {
            Mark::Regular(true) => ("regular", Some(1)),
            Mark::Regular(false) => ("regular", Some(-1)),
            Mark::Singular => ("singular", None),
            Mark::Undecided => ("undecided", None),
        };
        json!({
            "box": box_json(model, &ranges(&tile.sides)),
            "mark": mark,
            "sign": sign,
            "inhabited": tile.inhabited,
        })
    });
    let singular = map.singular.as_ref().map(|roots| {
        let proven = roots.proven.iter().map(|root| {
            let middle: Vec<f64> = root.iter().map(|side| side.middle()).collect();
            json!({
                "point": point_json(model, &middle),
                "box": box_json(model, &ranges(root)),
                "certified": true,
            })
        });
        let open = roots.undecided.iter().map(|sides| {
            json!({"point": null, "box": box_json(model, &ranges(sides)), "certified": false})
        });
        proven.chain(open).collect::<Vec<_>>()
    });
    json!({
        "system": title(model),
        "t": map.part.t,
        "box": box_json(model, &map.part.region),
        "dependent": model.names(&map.dependent),
        "plane": model.names(&[map.plane.0, map.plane.1]),
        "complete": map.paving.complete,
        "boxes": boxes.collect::<Vec<_>>(),
        "singular": singular,
        "singular_complete": map.singular.as_ref().map(|roots| roots.complete),
    })
}
