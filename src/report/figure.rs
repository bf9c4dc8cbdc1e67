//! A plot of a motion as a figure: the same for the workbench, the page and the paper.

use super::json::{each, flags};
use super::text::joined;
use super::title;
use crate::analysis::{Model, PlotData, PlotNames, extremes};
use crate::expr::Style;
use crate::plot::{Aspect, Axis, Figure, LegendPlace, Look, Mark, MarkKind, Scale, Series, number};
use crate::solver::{FlagKind, Motion};
use crate::system::{Measured, sanitize};
use crate::theorem::SymbolicDeterminant;
use serde_json::{Value, json};

/// Curves that keep within this part of their size show how they change, not what they are.
///
/// It lies well above what an integration at any sensible tolerance adds to a constant, and well below
/// what a motion does to anything else.
const CONSTANT: f64 = 1e-6;

/// Digits of the value that a change is counted from.
const DIGITS: usize = 9;

/// Whether a curve is drawn as the change from its first value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Drift {
    /// Where all curves of the plot are constant but for a drift, such as the energy.
    #[default]
    Auto,
    /// Always.
    Change,
    /// Never.
    Values,
}

/// How a plot is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlotStyle {
    /// The scales of x and y.
    pub scales: (Scale, Scale),
    /// Values or changes.
    pub drift: Drift,
    /// The aspect, where it is asked for; else equal where x and y are those of a place.
    pub aspect: Option<Aspect>,
    /// Where the legend goes.
    pub legend: LegendPlace,
}

/// What is said of the flags of a motion.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlagWords {
    /// The dependent coordinates.
    pub chosen: String,
    /// What is zero at each flag: `x1 = 0`.
    pub zeros: Vec<String>,
    /// What else happens, and when: marked where its state is known.
    pub events: Vec<(f64, String)>,
}

impl FlagWords {
    /// The words in a style of writing.
    pub fn new(model: &Model, motion: &Motion, style: Style) -> Self {
        let pool = &model.system.pool;
        let coordinates = &model.system.coordinates;
        let chosen = motion.dependent.iter().filter_map(|&k| coordinates.get(k));
        let chosen = joined(chosen.map(|c| pool.print_as(c.x, style)));
        // a determinant may be dear, and there may be nothing to say
        let own = (!motion.flags.is_empty())
            .then(|| SymbolicDeterminant::new(&model.system, &model.equations, &motion.dependent));
        let zeros = motion.flags.iter().map(|flag| {
            let factors = own
                .iter()
                .flat_map(|own| flag.factors.iter().filter_map(|&i| own.factors.get(i)));
            joined(factors.map(|&e| format!("{} = 0", pool.print_as(e, style))))
        });
        Self {
            chosen,
            zeros: zeros.collect(),
            events: Vec::new(),
        }
    }
}

/// The longest words at a mark, in characters.
const TAG: usize = 24;

/// A plot of a motion.
pub fn figure(
    model: &Model,
    motion: &Motion,
    (data, words): (&PlotData, &FlagWords),
    style: PlotStyle,
) -> Figure {
    let change = changes(data, style);
    // what was measured stands at the times of the measurement alone
    let table = model.system.measured.as_ref();
    let measured =
        |name: &str| table.filter(|_| [name, &data.x.0].iter().any(|text| text.contains("data.")));
    let has = |table: &Measured, at: usize| {
        let sample = motion.samples.get(at);
        sample.is_some_and(|sample| table.row(sample.t).is_some())
    };
    let series = data.y.iter().zip(0_u8..).map(|((name, y), role)| {
        let first = first(y).filter(|_| change);
        let offset = first.unwrap_or(0.0);
        let own = measured(name);
        let points = data.x.1.iter().zip(y).zip(0..);
        let points = points.filter(|(_, at)| own.is_none_or(|table| has(table, *at)));
        let points = points.map(|((&x, &y), _)| [x, y - offset]);
        Series {
            look: own.map_or(Look::Joined, |_| Look::Points),
            ..Series::new(changed(&sanitize(name), offset), points.collect(), role)
        }
    });
    let names: Vec<String> = data.y.iter().map(|(name, _)| name.clone()).collect();
    let aspect = style.aspect.unwrap_or_else(|| {
        if !change && model.is_place(&data.x.0, &names) {
            Aspect::Equal
        } else {
            Aspect::Fill
        }
    });
    Figure {
        title: sanitize(&data.title),
        x: Axis {
            scale: style.scales.0,
            ..Axis::named(sanitize(&data.x.0))
        },
        y: Axis {
            scale: style.scales.1,
            ..Axis::default()
        },
        series: series.collect(),
        marks: marks(model, motion, data, words),
        places: Vec::new(),
        cursor: None,
        aspect,
        legend: style.legend,
    }
}

/// Is the change drawn? A drift has no logarithm: it may have either sign.
fn changes(data: &PlotData, style: PlotStyle) -> bool {
    let drifts = |y: &[f64]| {
        let (low, high) = extremes(y.iter().copied().filter(|v| v.is_finite()));
        let size = low.abs().max(high.abs());
        high > low && high - low <= CONSTANT * size
    };
    match style.drift {
        Drift::Change => true,
        Drift::Values => false,
        Drift::Auto => style.scales.1 == Scale::Linear && data.y.iter().all(|(_, y)| drifts(y)),
    }
}

/// The first value that is a number.
fn first(y: &[f64]) -> Option<f64> {
    y.iter().copied().find(|v| v.is_finite())
}

/// `energy - 9.81`
fn changed(name: &str, offset: f64) -> String {
    if offset == 0.0 {
        return name.to_owned();
    }
    let sign = if offset < 0.0 { '+' } else { '-' };
    format!("{name} {sign} {}", number(offset.abs(), DIGITS))
}

/// Flags, releases, and where the motion turned stiff.
fn marks(model: &Model, motion: &Motion, data: &PlotData, words: &FlagWords) -> Vec<Mark> {
    let coordinate = model.system.coordinate(data.x.0.trim());
    let names = PlotNames {
        x: data.x.0.clone(),
        ..PlotNames::default()
    };
    let across = model.plotted(None, &names);
    let exact = |t: f64| {
        let sample = std::slice::from_ref(motion.known(t)?);
        let values = model.evaluate(sample, across.as_deref()?);
        values.first()?.first().copied()
    };
    let place = |t: f64, x: &[f64]| match coordinate {
        Some(k) => x.get(k).copied(),
        None if data.x.0.trim() == "t" => Some(t),
        None => exact(t).or_else(|| value_at(motion, &data.x.1, t)),
    };
    let mark = |(t, x): (f64, &[f64]), label: String, tag: &str, kind: MarkKind| {
        let long = tag.chars().count() > TAG;
        Some(Mark {
            x: place(t, x)?,
            label: Some(label),
            tag: if long { String::new() } else { tag.to_owned() },
            kind,
        })
    };
    let flags = motion.flags.iter().enumerate().filter_map(|(i, flag)| {
        let zero = words.zeros.get(i).map_or("", String::as_str);
        match flag.kind {
            FlagKind::Chart => {
                let label = format!("the theorem fails for {}", words.chosen);
                mark((flag.t, &flag.x), label, zero, MarkKind::Failure)
            }
            FlagKind::Rank => {
                let label = if model.is_of_velocities(flag) {
                    "the rows of the velocity constraints are dependent"
                } else {
                    "the constraints' gradients are dependent"
                };
                let label = label.to_owned();
                mark((flag.t, &flag.x), label, "rank", MarkKind::Flag)
            }
        }
    });
    let names = model.constraint_names();
    let releases = motion.releases.iter().filter_map(|release| {
        let name = names.get(release.constraint)?;
        let at = (release.t, release.x.as_slice());
        mark(at, format!("{name} is released"), name, MarkKind::Event)
    });
    let stiff = motion.stiff_from.filter(|_| motion.work.len() > 1);
    let stiff = stiff.and_then(|t| {
        let label = "the implicit stepper takes over".to_owned();
        let sample = motion
            .samples
            .iter()
            .min_by(|a, b| (a.t - t).abs().total_cmp(&(b.t - t).abs()))?;
        mark((t, &sample.x), label, "stiff", MarkKind::Event)
    });
    let events = words.events.iter().filter_map(|(t, text)| {
        let sample = motion.known(*t)?;
        mark((*t, &sample.x), text.clone(), text, MarkKind::Event)
    });
    flags.chain(releases).chain(stiff).chain(events).collect()
}

/// A column at a time between samples.
fn value_at(motion: &Motion, column: &[f64], t: f64) -> Option<f64> {
    let samples = &motion.samples;
    let way = (samples.last()?.t - samples.first()?.t).signum();
    let after = samples.partition_point(|sample| (sample.t - t) * way <= 0.0);
    let place = after.checked_sub(1)?;
    let (a, from) = (*column.get(place)?, samples.get(place)?.t);
    let Some((b, to)) = column.get(after).zip(samples.get(after)) else {
        return Some(a);
    };
    let part = (t - from) / (to.t - from);
    Some(a * (1.0 - part) + b * part)
}

/// The plots as data, for `plot --json`: values that are not finite are `null`. `offset` is what the curve
/// is drawn less of.
pub fn plots_json(model: &Model, motion: &Motion, plots: &[(PlotData, Figure)]) -> Value {
    let list = each(plots, |(data, figure)| {
        let curves = data.y.iter().zip(&figure.series);
        let curves = each(curves, |((name, values), series)| {
            let drawn = series.label != sanitize(name);
            let offset = first(values).filter(|_| drawn).unwrap_or(0.0);
            json!({"name": name, "label": series.label, "offset": offset, "values": values})
        });
        let marks = each(
            &figure.marks,
            |mark| json!({"x": mark.x, "kind": mark.kind.name(), "label": mark.label, "tag": mark.tag}),
        );
        json!({
            "title": figure.title,
            "x": {"name": data.x.0, "scale": figure.x.scale.name(), "values": data.x.1},
            "y": {"scale": figure.y.scale.name(), "series": curves},
            "equal_aspect": figure.aspect == Aspect::Equal,
            "marks": marks,
        })
    });
    json!({
        "system": title(model),
        "method": motion.method.name(),
        "plots": list,
        "flags": flags(model, motion, None),
        "finished": motion.finished,
        "because": motion.because.as_ref().map(super::refusal_sentence),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Request;
    use crate::system::{System, find};
    use std::sync::atomic::AtomicBool;

    fn drawn(system: &str, x: &str, y: &[&str], style: PlotStyle) -> (PlotData, Figure) {
        let text = find(system).unwrap().text;
        let model = Model::new(System::parse(text, system, &[]).unwrap());
        let go = AtomicBool::new(false);
        let motion = model.simulate(&Request::default(), &go).unwrap();
        let names = PlotNames {
            title: String::new(),
            x: x.to_owned(),
            y: y.iter().map(|&y| y.to_owned()).collect(),
        };
        let data = model.plot_data(&motion, &names).unwrap();
        let words = FlagWords::new(&model, &motion, Style::Plain);
        let plot = figure(&model, &motion, (&data, &words), style);
        (data, plot)
    }

    #[test]
    fn a_drift_is_a_difference_and_no_flat_line() {
        let (data, plot) = drawn("bead_on_parabola", "t", &["energy"], PlotStyle::default());
        assert_eq!(plot.series[0].label, "energy - 9.81");
        let start = data.y[0].1[0];
        for (point, value) in plot.series[0].points.iter().zip(&data.y[0].1) {
            assert_eq!(point[1], value - start);
        }
        // beside something that moves it stays what it is, and so on demand
        let (_, plot) = drawn(
            "bead_on_parabola",
            "t",
            &["energy", "x1"],
            PlotStyle::default(),
        );
        assert_eq!(plot.series[0].label, "energy");
        let style = PlotStyle {
            drift: Drift::Values,
            ..PlotStyle::default()
        };
        let (_, plot) = drawn("bead_on_parabola", "t", &["energy"], style);
        assert_eq!(plot.series[0].points[0][1], start);
        let style = PlotStyle {
            drift: Drift::Change,
            ..PlotStyle::default()
        };
        let (_, plot) = drawn("bead_on_parabola", "t", &["-x1"], style);
        assert_eq!(plot.series[0].label, "-x1 + 1");
        assert_eq!(plot.series[0].points[0][1], 0.0);
    }

    #[test]
    fn marks_stand_where_the_theorem_fails_and_say_what_is_zero() {
        let (_, plot) = drawn("bead_on_parabola", "x1", &["x1'"], PlotStyle::default());
        assert!(!plot.marks.is_empty());
        for mark in &plot.marks {
            assert!(mark.x.abs() < 1e-3 && mark.tag == "x1 = 0", "{mark:?}");
            assert_eq!(mark.label.as_deref(), Some("the theorem fails for x1"));
        }
        assert_eq!(plot.aspect, Aspect::Fill);
    }

    #[test]
    fn a_path_in_the_plane_has_one_unit() {
        let (_, plot) = drawn("bead_on_parabola", "x1", &["x2"], PlotStyle::default());
        assert_eq!(plot.aspect, Aspect::Equal);
    }

    #[test]
    fn where_a_constraint_lets_go_is_an_event() {
        let (_, plot) = drawn("hemisphere", "t", &["t"], PlotStyle::default());
        let events = plot.marks.iter().filter(|m| m.kind == MarkKind::Event);
        assert_eq!(events.count(), 1);
    }
}
