//! What is plotted against what.

use crate::analysis::{Analysis, PlotNames};
use crate::plot::{Aspect, Figure, Scale, extent};
use crate::report::{Drift, PlotStyle};

/// A zoom keeps this part of what was seen.
const CLOSER: f64 = 0.5;
/// A pan moves by this part of what is seen.
const STEP: f64 = 0.25;

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

    /// `x1, x2 over t`
    pub fn title(&self) -> String {
        format!("{} over {}", self.y.join(", "), self.x)
    }
}

/// The two ends of an axis; all of it where there are none.
type Ends = Option<(f64, f64)>;

/// What of a plot is seen, and how.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Lens {
    /// What of x and of y is seen.
    pub window: (Ends, Ends),
    /// Scales, drift, aspect.
    pub style: PlotStyle,
}

/// A change of what is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shift {
    /// Less of it, larger.
    Closer,
    /// More of it.
    Farther,
    /// What is before.
    Back,
    /// What comes after.
    On,
}

impl Lens {
    /// Changes what of x, or of y, is seen: closer round `centre`, which keeps its place, or farther, or beside
    /// it. `figure` is the plot as it is seen, `whole` all of it.
    pub fn shift(
        &mut self,
        up: bool,
        shift: Shift,
        (figure, whole): (&Figure, &Figure),
        centre: f64,
    ) {
        let (scale, (lo, hi)) = seen(figure, up);
        let centre = scale.along(centre);
        let centre = if centre > lo && centre < hi {
            centre
        } else {
            lo + (hi - lo) / 2.0
        };
        let about = |part: f64| (centre - (centre - lo) * part, centre + (hi - centre) * part);
        let way = STEP * (hi - lo);
        let (lo, hi) = match shift {
            Shift::Closer => about(CLOSER),
            Shift::Farther => about(1.0 / CLOSER),
            Shift::Back => (lo - way, hi - way),
            Shift::On => (lo + way, hi + way),
        };
        let (_, (first, last)) = seen(whole, up);
        // what holds it all is all of it
        let all = shift == Shift::Farther && lo <= first && hi >= last;
        if let Some(window) = window(scale, (lo, hi)) {
            *self.ends(up) = (!all).then_some(window);
        }
    }

    /// What of x, or of y, is seen.
    fn ends(&mut self, up: bool) -> &mut Ends {
        if up {
            &mut self.window.1
        } else {
            &mut self.window.0
        }
    }

    /// All of it again.
    pub fn fit(&mut self) {
        self.window = (None, None);
    }

    /// One unit for both axes, or each its own; `now` is what is seen.
    pub fn turn_aspect(&mut self, now: Aspect) -> &'static str {
        let (aspect, words) = match now {
            Aspect::Fill => (Aspect::Equal, "both axes have the same scale"),
            Aspect::Equal => (Aspect::Fill, "each axis has its own scale"),
        };
        self.style.aspect = Some(aspect);
        words
    }

    /// Moves what is seen by parts of itself: of x to later, of y upwards.
    pub fn pan(&mut self, figure: &Figure, (across, up): (f64, f64)) {
        for (upwards, part) in [(false, across), (true, up)] {
            let (scale, (lo, hi)) = seen(figure, upwards);
            let way = (hi - lo) * part;
            if let Some(window) = window(scale, (lo + way, hi + way)).filter(|_| part != 0.0) {
                *self.ends(upwards) = Some(window);
            }
        }
    }
}

/// What of x, or of y, is seen of a figure, along its scale.
fn seen(figure: &Figure, up: bool) -> (Scale, (f64, f64)) {
    let (x, y) = extent(figure);
    let (scale, range) = if up {
        (figure.y.scale, y)
    } else {
        (figure.x.scale, x)
    };
    (scale, (scale.along(range.lo), scale.along(range.hi)))
}

/// The values at two places along a scale, where they are a range.
fn window(scale: Scale, (lo, hi): (f64, f64)) -> Ends {
    let (lo, hi) = (scale.value(lo), scale.value(hi));
    (lo.is_finite() && hi.is_finite() && lo < hi).then_some((lo, hi))
}

/// The plots of a system, one of which is shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plots {
    /// All of them.
    pub views: Vec<View>,
    /// The one shown.
    pub current: usize,
    /// What of it is seen.
    pub lens: Lens,
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
        self.lens = Lens::default();
    }

    /// The same plots of a changed system, as far as it still has them.
    pub fn settle(&mut self, analysis: &Analysis) {
        let known = analysis.columns();
        let shown = self.view().cloned();
        let lens = self.lens;
        self.views = defaults(analysis);
        self.own = false;
        self.current = 0;
        let Some(view) = shown else { return };
        if let Some(same) = self.views.iter().position(|v| *v == view) {
            self.current = same;
            self.lens = lens;
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
        self.lens = Lens::default();
    }

    /// A view by its number.
    pub fn choose(&mut self, view: usize) {
        if view < self.views.len() && view != self.current {
            self.current = view;
            self.lens = Lens::default();
        }
    }

    /// The lens of a view that is seen beside the one shown: the same time, where time is the axis of both.
    pub fn lens_of(&self, view: usize) -> Lens {
        if view == self.current {
            return self.lens;
        }
        let over_time = |at: usize| self.views.get(at).is_some_and(|view| view.x == "t");
        let mut lens = Lens::default();
        if over_time(view) && over_time(self.current) {
            lens.window.0 = self.lens.window.0;
            lens.style.scales.0 = self.lens.style.scales.0;
        }
        lens
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
        let step = |at: usize| (at + if after { 1 } else { count - 1 }) % count;
        let mut next = at.map_or(0, step);
        // a column against itself says nothing
        let itself = |name: &String| {
            if across {
                view.y.len() == 1 && view.y.first() == Some(name)
            } else {
                view.x == *name
            }
        };
        if known.get(next).is_some_and(itself) {
            next = step(next);
        }
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

    /// Plots this column alone.
    pub fn only(&mut self, name: &str) {
        if let Some(view) = self.view() {
            self.show(View::columns(&view.x, vec![name.to_owned()]));
        }
    }

    /// Plots against this column.
    pub fn across(&mut self, name: &str) {
        if let Some(view) = self.view() {
            self.show(View::columns(name, view.y.clone()));
        }
    }

    /// Shows a view of the user's own, in the one place that there is for it: after the defaults.
    fn show(&mut self, view: View) {
        let view = match self.view() {
            Some(before) => apart(view, before),
            None => view,
        };
        if self.own {
            self.views.pop();
        }
        self.own = true;
        self.current = self.views.len();
        self.views.push(view);
        // other columns have other ranges
        self.lens.fit();
    }

    /// Turns the page when the time shown has left the window of a plot over time.
    pub fn follow(&mut self, t: f64) {
        let over_time = self.view().is_some_and(|view| view.x == "t");
        if let (true, Some((lo, hi)), Scale::Linear) =
            (over_time, self.lens.window.0, self.lens.style.scales.0)
            && !(lo..=hi).contains(&t)
        {
            let pages = ((t - lo) / (hi - lo)).floor();
            self.lens.window.0 = Some((lo + pages * (hi - lo), hi + pages * (hi - lo)));
        }
    }

    /// Logarithmic axes: none, y, x, both; what it is now.
    pub fn next_scales(&mut self) -> &'static str {
        let (scales, words) = match self.lens.style.scales {
            (Scale::Linear, Scale::Linear) => ((Scale::Linear, Scale::Log), "y is logarithmic"),
            (Scale::Linear, Scale::Log) => ((Scale::Log, Scale::Linear), "x is logarithmic"),
            (Scale::Log, Scale::Linear) => ((Scale::Log, Scale::Log), "x and y are logarithmic"),
            (Scale::Log, Scale::Log) => ((Scale::Linear, Scale::Linear), "both axes are linear"),
        };
        self.lens.style.scales = scales;
        self.lens.fit();
        words
    }

    /// Values, changes from the start, or by itself what says more; what it is now.
    pub fn next_drift(&mut self) -> &'static str {
        let (drift, words) = match self.lens.style.drift {
            Drift::Auto => (Drift::Change, "curves show how they change from the start"),
            Drift::Change => (Drift::Values, "curves show their values"),
            Drift::Values => (
                Drift::Auto,
                "constants show their drift, other curves their values",
            ),
        };
        self.lens.style.drift = drift;
        self.lens.fit();
        words
    }
}

/// No column is the only one against itself: the axes change places, or time is across.
fn apart(mut view: View, before: &View) -> View {
    if view.y != [view.x.as_str()] {
        return view;
    }
    if before.x != view.x {
        view.y = vec![before.x.clone()];
    } else if view.x != "t" {
        "t".clone_into(&mut view.x);
    } else if let Some(other) = before.y.iter().find(|y| **y != view.x) {
        view.x.clone_from(other);
    }
    view
}

/// So many coordinates are shown over time where the file has no plots.
const FIRST: usize = 4;

/// What was measured, the file's plots, then those that say most about any system.
fn defaults(analysis: &Analysis) -> Vec<View> {
    let own = analysis.model().system.plots.iter();
    let given = own.enumerate().map(|(at, plot)| View {
        x: plot.x.text.clone(),
        y: plot.y.iter().map(|own| own.text.clone()).collect(),
        given: Some(at),
    });
    let measured = analysis.model().measured_plots().into_iter();
    let measured = measured.map(|plot| View::columns(&plot.x, plot.y));
    let mut views: Vec<View> = measured.chain(given).collect();
    if analysis.model().system.plots.is_empty() {
        let first = analysis.coordinates().iter().take(FIRST);
        views.push(View::columns("t", first.cloned().collect()));
    }
    for PlotNames { x, y, .. } in analysis.model().common_plots(&analysis.dependent) {
        if !views.iter().any(|view| view.x == x && view.y == y) {
            views.push(View::columns(&x, y));
        }
    }
    views
}
