//! What is plotted against what.

use crate::analysis::Analysis;

/// At most this many curves are drawn by default.
const CURVES: usize = 3;

/// One plot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// Column of the horizontal axis.
    pub x: String,
    /// Columns of the curves.
    pub y: Vec<String>,
    /// Its number in the file's `plots`, where it comes from there: its columns may be expressions.
    pub given: Option<usize>,
}

impl View {
    fn columns(x: &str, y: Vec<String>) -> Self {
        Self {
            x: x.to_owned(),
            y,
            given: None,
        }
    }

    /// `x1, x2 · t`
    pub fn title(&self) -> String {
        format!("{} · {}", self.y.join(", "), self.x)
    }
}

/// The plots of a system, one of which is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plots {
    /// All of them.
    pub views: Vec<View>,
    /// The one shown.
    pub current: usize,
    /// Counts the changes, so that a drawing knows when it is out of date.
    pub version: u64,
    /// Whether the last view is the user's own.
    own: bool,
}

impl Plots {
    /// The view shown.
    pub fn view(&self) -> Option<&View> {
        self.views.get(self.current)
    }

    /// The plots that a system asks for, or those that say most about any.
    pub fn begin(&mut self, analysis: &Analysis) {
        self.views = defaults(analysis);
        self.own = false;
        self.current = 0;
        self.version += 1;
    }

    /// The same plots of a changed system, as far as it still has them.
    pub fn settle(&mut self, analysis: &Analysis) {
        let known = analysis.columns();
        let shown = self.view().cloned();
        self.views = defaults(analysis);
        self.own = false;
        self.current = 0;
        self.version += 1;
        let Some(view) = shown else { return };
        if let Some(same) = self.views.iter().position(|v| *v == view) {
            self.current = same;
        } else if view.given.is_none() && known.contains(&view.x) {
            let y: Vec<String> = view
                .y
                .iter()
                .filter(|y| known.contains(y))
                .cloned()
                .collect();
            if !y.is_empty() {
                self.show(View::columns(&view.x, y));
            }
        }
    }

    /// The next view.
    pub fn next(&mut self) {
        self.current = (self.current + 1) % self.views.len().max(1);
        self.version += 1;
    }

    /// Another column up the page, or across it.
    pub fn cycle(&mut self, analysis: &Analysis, across: bool, after: bool) {
        let known = analysis.columns();
        let Some(view) = self.view().filter(|_| !known.is_empty()) else {
            return;
        };
        let now = if across {
            Some(&view.x)
        } else {
            view.y.first()
        };
        let at = now.and_then(|now| known.iter().position(|name| name == now));
        let count = known.len();
        let next = match at {
            Some(at) => (at + if after { 1 } else { count - 1 }) % count,
            None => 0,
        };
        let mut view = View::columns(&view.x, view.y.clone());
        if across {
            view.x.clone_from(&known[next]);
        } else {
            view.y = vec![known[next].clone()];
        }
        view.y.retain(|name| known.contains(name));
        if view.y.is_empty() {
            view.y.push(known[0].clone());
        }
        if !known.contains(&view.x) {
            view.x.clone_from(&known[0]);
        }
        self.show(view);
    }

    /// Adds a curve or takes it away; the last one stays.
    pub fn toggle(&mut self, name: &str) {
        let Some(view) = self.view() else { return };
        let mut view = View::columns(&view.x, view.y.clone());
        match view.y.iter().position(|y| y == name) {
            Some(at) if view.y.len() > 1 => {
                view.y.remove(at);
            }
            Some(_) => return,
            None => view.y.push(name.to_owned()),
        }
        self.show(view);
    }

    /// Plots against this column.
    pub fn across(&mut self, name: &str) {
        if let Some(view) = self.view() {
            self.show(View::columns(name, view.y.clone()));
        }
    }

    /// Shows a view of the user's own, in the one place that there is for it: after the defaults.
    fn show(&mut self, view: View) {
        if self.own {
            self.views.pop();
        }
        self.own = true;
        self.current = self.views.len();
        self.views.push(view);
        self.version += 1;
    }
}

/// The file's plots; else the coordinates over time, the first two against each other, multipliers,
/// determinant and energy.
fn defaults(analysis: &Analysis) -> Vec<View> {
    let given = analysis.plots.iter().enumerate().map(|(at, plot)| View {
        x: plot.x.0.clone(),
        y: plot.y.iter().map(|(name, _)| name.clone()).collect(),
        given: Some(at),
    });
    let mut views: Vec<View> = given.collect();
    let known = analysis.columns();
    let mut add = |x: &str, y: Vec<String>| {
        let y: Vec<String> = y
            .into_iter()
            .filter(|y| known.contains(y))
            .take(CURVES)
            .collect();
        let view = View::columns(x, y);
        let double = |v: &View| v.x == view.x && v.y == view.y;
        if !view.y.is_empty() && known.iter().any(|name| name == x) && !views.iter().any(double) {
            views.push(view);
        }
    };
    // the dependent coordinates are those that the theorem speaks of
    let order = analysis.dependent.iter().chain(&analysis.independent);
    let names = order.filter_map(|&k| analysis.coordinates.get(k).cloned());
    add("t", names.collect());
    if let [first, second, ..] = analysis.coordinates.as_slice() {
        add(first, vec![second.clone()]);
    }
    let multipliers = analysis
        .constraints
        .iter()
        .map(|name| format!("lambda_{name}"));
    add("t", multipliers.collect());
    if !analysis.constraints.is_empty() {
        add("t", vec!["det".to_owned()]);
    }
    add("t", vec!["energy".to_owned()]);
    views
}
