//! What is written about a system, page by page: the texts of the commands `derive --explain`, `inverse`, `atlas`,
//! `derive --variation`, `vary`, `derive --statics` and `derive --code python`, made on the worker.
//!
//! What is dear to compute is kept from page to page, so that a terminal of another width costs the layout alone.

use crate::analysis::{
    AtlasAnswer, Derived, InverseRequest, Model, Overrides, RequestError, Returned, Shape, Size,
    VaryRequest,
};
use crate::certificate::Certificate;
use crate::expr::{Language, Style};
use crate::plot::{Charset, draw};
use crate::report::{
    Handout, Layout, Route, atlas_json, atlas_text, count, derive_code, inverse_json, inverse_text,
    number, vary_figures, vary_json, vary_text, write_json,
};
use std::fmt::Write;
use std::sync::atomic::AtomicBool;

use super::text::{clean, wrap};

/// The width of a text that goes into a file, as the commands have it.
const FILE: Layout = Layout {
    width: 80,
    style: Style::Plain,
};

/// Samples of a motion that is varied.
const SAMPLES: usize = 300;

/// What a page is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Page {
    /// The derivation step by step.
    #[default]
    Handout,
    /// The inverse functions at one place.
    Inverse,
    /// The constraint set covered by proven charts.
    Atlas,
    /// The equations from the action.
    Variation,
    /// The motion among the paths beside it.
    Beside,
    /// The equations at rest, the multipliers eliminated.
    Statics,
    /// A program that computes the motion.
    Program,
    /// What is proven, for others to check.
    Certificate,
}

impl Page {
    /// In the order in which they are leafed through.
    pub const ALL: [Self; 8] = [
        Self::Handout,
        Self::Inverse,
        Self::Atlas,
        Self::Program,
        Self::Variation,
        Self::Beside,
        Self::Statics,
        Self::Certificate,
    ];

    /// Its place among them, from 0.
    pub fn number(self) -> usize {
        let place = Self::ALL.iter().position(|page| *page == self);
        place.unwrap_or(0)
    }

    /// How it is called, and its file.
    #[rustfmt::skip] // a table
    pub fn about(self) -> About {
        let (title, noun, end, endings): (_, _, _, &[&str]) = match self {
            Self::Handout => ("Handout", "handout", "-handout", &["tex", "txt"]),
            Self::Inverse => ("Inverse functions", "inverse functions", "-inverse", &["txt", "json"]),
            Self::Atlas => ("Atlas", "atlas", "-atlas", &["txt", "json"]),
            Self::Variation => ("Variation of the path", "variation", "-variation", &["tex", "txt"]),
            Self::Beside => ("The paths beside the motion", "paths beside the motion", "-paths", &["txt", "json"]),
            Self::Statics => ("At rest, without multipliers", "equations at rest", "-statics", &["tex", "txt"]),
            Self::Program => ("Program in Python", "program", "", &["py"]),
            Self::Certificate => ("Certificate", "certificate", "-certificate", &["json"]),
        };
        About { title, noun, end, endings }
    }

    /// Is it about a motion, which an objective has not?
    fn moves(self) -> bool {
        matches!(
            self,
            Self::Handout | Self::Variation | Self::Beside | Self::Program
        )
    }

    /// Is it written as LaTeX, too?
    pub fn in_latex(self) -> bool {
        self.about().endings.contains(&"tex")
    }
}

/// How a page is called, and its file.
pub struct About {
    /// Its title.
    pub title: &'static str,
    /// What it is, in a sentence.
    pub noun: &'static str,
    /// The end of the name of its file.
    pub end: &'static str,
    /// The endings that this can have, the usual one first.
    pub endings: &'static [&'static str],
}

/// Which page is wanted, and how it is laid out.
#[derive(Clone, Debug, PartialEq)]
pub struct WantedPage {
    /// The text of the system.
    pub generation: u64,
    /// The page.
    pub page: Page,
    /// Its width in columns.
    pub width: usize,
    /// As on paper, or plain.
    pub style: Style,
    /// The dependent coordinates in force; `None` for those of the file, or else the program's own choice.
    pub dependent: Option<Vec<usize>>,
    /// Whether the atlas is made of these dependent coordinates alone, not of all choices.
    pub one_choice: bool,
    /// What is varied of the motion, and how far.
    pub varied: Option<Beside>,
    /// Where the inverse functions are looked at: t and the coordinates; `None` for the start.
    pub place: Option<(f64, Vec<f64>)>,
}

/// A variation of the motion that a page shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Beside {
    /// Which of the free coordinates with which of the shapes that have a name, counted through.
    pub number: usize,
    /// Its size, in halvings and doublings of a tenth of the way, two a step.
    pub notch: i32,
}

impl Beside {
    /// The largest and the smallest size.
    pub const NOTCHES: i32 = 8;
}

/// A page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Written {
    /// Its lines as they are shown, in the width that was wanted.
    pub lines: Vec<String>,
    /// The same as the command writes it to a file.
    pub text: String,
    /// As LaTeX, where it can be.
    pub latex: Option<String>,
    /// As JSON, where it can be.
    pub json: Option<String>,
}

impl Written {
    /// A text as it is shown, and as it goes into a file.
    fn of(wanted: &WantedPage, text: impl Fn(Layout) -> String) -> Self {
        let shown = Layout {
            width: wanted.width,
            style: wanted.style,
        };
        Self {
            lines: lines(&text(shown)),
            text: text(FILE),
            ..Self::default()
        }
    }

    /// What a file with this ending gets to hold.
    pub fn file(&self, ending: &str) -> Option<&str> {
        match ending {
            "tex" => self.latex.as_deref(),
            "json" => self.json.as_deref(),
            "txt" | "py" => Some(&self.text),
            _ => None,
        }
    }
}

/// What is kept from page to page of one text.
#[derive(Default)]
pub struct Writer {
    derived: Option<(Option<Vec<usize>>, Derived)>,
    /// That of the choice in force, and that of all.
    atlases: Vec<(Option<Vec<usize>>, AtlasAnswer)>,
}

impl Writer {
    /// One that has been told what is derived for these dependent coordinates.
    pub fn knowing(dependent: &[usize], derived: &Derived) -> Self {
        Self {
            derived: Some((Some(dependent.to_vec()), derived.clone())),
            atlases: Vec::new(),
        }
    }

    /// Writes a page; a sentence where there is none.
    pub fn write(&mut self, model: &Model, wanted: &WantedPage) -> Result<Written, String> {
        if model.system.objective && wanted.page.moves() {
            let noun = wanted.page.about().noun;
            return Err(format!("an `objective` has no motion, and no {noun}"));
        }
        match wanted.page {
            Page::Handout => Ok(self.derivation(model, wanted, Route::Report)),
            Page::Variation => Ok(self.derivation(model, wanted, Route::Action)),
            Page::Statics => Ok(self.derivation(model, wanted, Route::Rest)),
            Page::Inverse => inverse(model, wanted).map_err(|error| error.to_string()),
            Page::Atlas => Ok(self.atlas(model, wanted)),
            Page::Beside => beside(model, wanted),
            Page::Program => Ok(self.program(model, wanted)),
            Page::Certificate => certificate(model, wanted),
        }
    }

    /// The derivation for these dependent coordinates.
    fn derived(&mut self, model: &Model, dependent: Option<&[usize]>) -> &Derived {
        let kept = self.derived.take();
        let kept = kept.filter(|(of, _)| of.as_deref() == dependent);
        let make = || (dependent.map(<[usize]>::to_vec), model.derive(dependent));
        &self.derived.insert(kept.unwrap_or_else(make)).1
    }

    /// What is told of the derivation, in steps.
    fn derivation(&mut self, model: &Model, wanted: &WantedPage, route: Route) -> Written {
        let derived = self.derived(model, wanted.dependent.as_deref());
        let handout = Handout::new(model, derived, route);
        Written {
            latex: Some(handout.latex()),
            ..Written::of(wanted, |layout| handout.text(layout))
        }
    }

    fn program(&mut self, model: &Model, wanted: &WantedPage) -> Written {
        let derived = self.derived(model, wanted.dependent.as_deref());
        let text = derive_code(model, derived, Language::Python);
        Written {
            lines: lines(&text),
            text,
            ..Written::default()
        }
    }

    fn atlas(&mut self, model: &Model, wanted: &WantedPage) -> Written {
        let dependent = || wanted.dependent.clone();
        let only = wanted.one_choice.then(dependent).flatten();
        let known = self.atlases.iter().position(|(of, _)| *of == only);
        let made = if let Some(at) = known {
            self.atlases.swap_remove(at)
        } else {
            let (part, _) = model.part(&Overrides::default(), &[]);
            let atlas = model.atlas(part, only.as_deref());
            (only, atlas)
        };
        let written = Written {
            json: written_json(&atlas_json(model, &made.1)),
            ..Written::of(wanted, |layout| atlas_text(model, &made.1, layout))
        };
        self.atlases.push(made);
        written
    }
}

/// The inverse functions at a place: that of the start, or one where the motion or the probe is.
fn inverse(model: &Model, wanted: &WantedPage) -> Result<Written, RequestError> {
    let mut request = InverseRequest {
        dependent: wanted.dependent.clone(),
        ..InverseRequest::default()
    };
    if let Some((t, x)) = &wanted.place {
        let values = x.iter().copied().enumerate();
        let (near, at): (Vec<_>, Vec<_>) =
            values.partition(|(k, _)| wanted.dependent.iter().flatten().any(|d| d == k));
        request.near = near;
        request.at = Overrides {
            t: Some(*t),
            x: at,
            v: Vec::new(),
        };
    }
    let answer = model.inverse_at(&request)?;
    Ok(Written {
        json: written_json(&inverse_json(model, &answer)),
        ..Written::of(wanted, |layout| inverse_text(model, &answer, layout))
    })
}

/// What is proven of the system, its contents told, and how to verify it.
fn certificate(model: &Model, wanted: &WantedPage) -> Result<Written, String> {
    let made = Certificate::of_model(model, wanted.dependent.as_deref());
    let made = made.map_err(|why| format!("there is no certificate: {why}"))?;
    let mut text = String::from(
        "What is certified here, with evidence that others can check: E writes it to a file, and\n\n    python3 tools/certify.py FILE\n\nsays VERIFIED and what, or the first step that fails. It shares nothing with holonom.\n\nIn it\n",
    );
    for (kind, steps) in made.contents() {
        let _ = writeln!(text, "    {kind}: {}", count(steps, "step"));
    }
    if !made.lacking.is_empty() {
        text.push_str("\nNot in it\n");
    }
    for lacking in &made.lacking {
        let _ = writeln!(text, "    {lacking}");
    }
    let wrapped = text.lines().flat_map(|line| wrap(line, wanted.width));
    Ok(Written {
        lines: wrapped.collect(),
        json: written_json(&made),
        latex: None,
        text,
    })
}

/// The motion among the paths beside it: the slider, what is found, the paths and the action drawn.
fn beside(model: &Model, wanted: &WantedPage) -> Result<Written, String> {
    const ROWS: u16 = 14;
    let beside = wanted.varied.unwrap_or_default();
    let mut request = VaryRequest {
        size: Size::Part(0.1 * 2.0_f64.powf(0.5 * f64::from(beside.notch))),
        ..VaryRequest::default()
    };
    request.run.samples = Some(SAMPLES);
    let go = AtomicBool::new(false);
    let vary = |request: &VaryRequest| model.vary(request, &go).map_err(|error| error.to_string());
    let mut found = vary(&request)?;
    let all = 0..model.coordinate_names().len();
    let dependent = match &found.returned {
        Returned::ByG(list) => Some(list.clone()),
        Returned::Nearest => None,
    };
    let is_free = |k: &usize| !dependent.iter().flatten().any(|own| own == k);
    let free: Vec<usize> = all.filter(is_free).collect();
    if beside.number > 0 && !free.is_empty() {
        let count = Shape::NAMED.len();
        let coordinate = free[beside.number / count % free.len()];
        let (_, shape) = &Shape::NAMED[beside.number % count];
        request.variation = vec![(coordinate, shape.clone())];
        request.run.dependent = dependent;
        found = vary(&request)?;
    }
    let place = (beside.notch + Beside::NOTCHES) as usize;
    let steps = 2 * Beside::NOTCHES as usize;
    let size = found.curve.last().map_or(0.0, |at| at.epsilon);
    let (line, knob, charset) = match wanted.style {
        Style::Pretty => ("─", "●", Charset::Braille),
        Style::Plain | Style::Latex => ("-", "o", Charset::Ascii),
    };
    let slider = format!(
        "eps {}{knob}{}  {}",
        line.repeat(place),
        line.repeat(steps.saturating_sub(place)),
        number(size)
    );
    let mut written = Written {
        json: written_json(&vary_json(model, &found)),
        ..Written::of(wanted, |layout| vary_text(model, &found, layout))
    };
    written.lines.splice(..0, [slider, String::new()]);
    let width = wanted.width.clamp(20, 200) as u16;
    for figure in vary_figures(model, &found) {
        written.lines.push(String::new());
        let drawn = draw(&figure, width, ROWS, charset).to_text();
        written.lines.extend(lines(&drawn));
    }
    Ok(written)
}

fn lines(text: &str) -> Vec<String> {
    text.lines().map(clean).collect()
}

fn written_json(value: &impl serde::Serialize) -> Option<String> {
    let mut bytes = Vec::new();
    write_json(&mut bytes, value).ok()?;
    String::from_utf8(bytes).ok()
}
