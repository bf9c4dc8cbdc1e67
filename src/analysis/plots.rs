//! What is plotted against what: the plots that a system proposes, and any other by the names of its columns.

use super::{Model, RequestError};
use crate::expr::Expr;
use crate::solver::Motion;

/// At most this many curves are drawn by default.
const CURVES: usize = 3;

/// A plot by its columns: names of the motion, or expressions of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlotNames {
    /// The title that the file gives; empty without.
    pub title: String,
    /// The column of the horizontal axis.
    pub x: String,
    /// The columns of the curves.
    pub y: Vec<String>,
}

/// A plot to draw: what runs along, and series over it.
#[derive(Clone, Debug)]
pub struct PlotData {
    /// Its title, if it has one.
    pub title: String,
    /// What runs along: name and values.
    pub x: (String, Vec<f64>),
    /// Series: name and values.
    pub y: Vec<(String, Vec<f64>)>,
}

impl Model {
    /// The plots that the file proposes.
    pub fn file_plots(&self) -> Vec<PlotNames> {
        let plots = self.system.plots.iter().map(|plot| PlotNames {
            title: plot.title.clone().unwrap_or_default(),
            x: plot.x.text.clone(),
            y: plot.y.iter().map(|y| y.text.clone()).collect(),
        });
        plots.collect()
    }

    /// What was measured over the motion, and what the motion is off by: the columns that are called as the motion's.
    pub fn measured_plots(&self) -> Vec<PlotNames> {
        let columns = self.system.measured_columns();
        let names = columns.filter_map(|(name, _)| Some(name.strip_prefix("data.")?.to_owned()));
        let names = names.filter(|name| self.output(name).is_ok());
        let names: Vec<String> = names.take(CURVES).collect();
        let plot = |title: &str, y: Vec<String>| PlotNames {
            title: title.to_owned(),
            x: "t".to_owned(),
            y,
        };
        if names.is_empty() {
            return Vec::new();
        }
        let both = names.iter().flat_map(|n| [n.clone(), format!("data.{n}")]);
        let off = names.iter().map(|n| format!("{n} - data.{n}"));
        vec![
            plot("motion and measurement", both.collect()),
            plot("residual", off.collect()),
        ]
    }

    /// All coordinates over time, those that the theorem speaks of first.
    pub fn coordinates_plot(&self, dependent: &[usize]) -> PlotNames {
        let others = (0..self.coordinate_names().len()).filter(|k| !dependent.contains(k));
        let order: Vec<usize> = dependent.iter().copied().chain(others).collect();
        PlotNames {
            title: String::new(),
            x: "t".to_owned(),
            y: self.names(&order),
        }
    }

    /// The plots that say most about any system: coordinates over time ([`Self::coordinates_plot`]); the first two against each other; multipliers, determinant and energy.
    pub fn common_plots(&self, dependent: &[usize]) -> Vec<PlotNames> {
        let names = self.coordinate_names();
        let mut list = Vec::new();
        let mut add = |x: &str, y: Vec<String>| {
            let y: Vec<String> = y.into_iter().take(CURVES).collect();
            if !y.is_empty() {
                list.push(PlotNames {
                    title: String::new(),
                    x: x.to_owned(),
                    y,
                });
            }
        };
        add("t", self.coordinates_plot(dependent).y);
        if let [first, second, ..] = names {
            add(first, vec![second.clone()]);
        }
        let constraints = self.constraint_names();
        let multipliers = self.multiplier_names().iter();
        let multipliers = multipliers.map(|name| format!("lambda_{name}"));
        add("t", multipliers.collect());
        if !constraints.is_empty() {
            add("t", vec!["det".to_owned()]);
        }
        add("t", vec!["energy".to_owned()]);
        list
    }

    /// The values of a plot along a motion.
    pub fn plot_data(&self, motion: &Motion, plot: &PlotNames) -> Result<PlotData, RequestError> {
        let mut columns = vec![plot.x.clone()];
        columns.extend(plot.y.iter().cloned());
        let mut values = self.column_values(&motion.samples, &columns)?.into_iter();
        Ok(PlotData {
            title: plot.title.clone(),
            x: (plot.x.clone(), values.next().unwrap_or_default()),
            y: plot.y.iter().cloned().zip(values).collect(),
        })
    }

    /// The values of a plot of the file, by its number.
    pub fn file_plot(&self, motion: &Motion, number: usize) -> Option<PlotData> {
        let plot = self.system.plots.get(number)?;
        let exprs: Vec<Expr> = std::iter::once(&plot.x)
            .chain(&plot.y)
            .map(|own| own.expr)
            .collect();
        let mut values = self.evaluate(&motion.samples, &exprs).into_iter();
        let names: Vec<&str> = plot.y.iter().map(|y| y.text.as_str()).collect();
        let heading = || format!("{} · {}", names.join(", "), plot.x.text);
        Some(PlotData {
            title: plot.title.clone().unwrap_or_else(heading),
            x: (plot.x.text.clone(), values.next()?),
            y: plot.y.iter().map(|y| y.text.clone()).zip(values).collect(),
        })
    }

    /// What is drawn in a plot, across and then up: one of the file's by its number, or columns; `None` where these
    /// are no expressions of a state.
    pub fn plotted(&self, given: Option<usize>, plot: &PlotNames) -> Option<Vec<Expr>> {
        if let Some(own) = given.and_then(|at| self.system.plots.get(at)) {
            let y = own.y.iter().map(|y| y.expr);
            return Some(std::iter::once(own.x.expr).chain(y).collect());
        }
        let columns = std::iter::once(&plot.x).chain(&plot.y);
        columns.map(|text| self.output(text).ok()).collect()
    }

    /// Whether x and y of a plot are the two coordinates of a place: of a body, or of a point that the file
    /// draws. Then one unit has to be as long across as it is up.
    pub fn is_place(&self, x: &str, y: &[String]) -> bool {
        let read = |text: &str| self.output(text).ok();
        let Some(x) = read(x) else { return false };
        let planar = |at: &[Expr]| match at {
            &[across, up] => Some([across, up]),
            _ => None,
        };
        let bodies = self
            .system
            .bodies
            .iter()
            .filter_map(|body| planar(&body.at));
        let picture = self.system.picture.iter();
        let places: Vec<[Expr; 2]> = picture
            .flat_map(|picture| picture.points.iter().copied())
            .chain(bodies)
            .collect();
        let known = |y: &String| read(y).is_some_and(|y| places.contains(&[x, y]));
        !y.is_empty() && y.iter().all(known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::{System, find};

    #[test]
    fn the_two_coordinates_of_a_point_make_a_place() {
        let text = find("bead_on_parabola").unwrap().text;
        let model = Model::new(System::parse(text, "bead", &[]).unwrap());
        let place = |x: &str, y: &str| model.is_place(x, &[y.to_owned()]);
        assert!(place("x1", "x2"));
        assert!(!place("x2", "x1") && !place("t", "x1") && !place("x1", "x1'"));
        assert!(!place("x1", "nonsense +"));
    }
}
