//! `holonom map`.

use super::assertion::{Answer, AssertArgs, Subject};
use super::atlas::PartArgs;
use super::certificate::CertificateArgs;
use super::input::{SystemArgs, dependent};
use super::picture::{Picture, PictureArgs, PictureFormat};
use super::{CommandError, complain, interrupt, output};
use crate::analysis::{MapAnswer, Model, Part, no_variable};
use crate::certificate::{Certificate, Lacking};
use crate::expr::{Expr, until_cancelled};
use crate::plot::Charset;
use crate::report::{
    MapStyle, design_figure, design_json, design_text, map_figure, map_json, map_text,
};
use crate::system::Diagnostic;
use clap::Args;

/// Instructions that a map may cost.
const EFFORT: usize = 60_000_000;
/// Parts of the range of a parameter that are told apart.
const FINEST: usize = 256;
/// Boxes along and up in JSON, unless a size is given.
const BOXES: (usize, usize) = (160, 80);

/// Options of `map`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Boxes cover the constraint set; on each of them the sign of det J_D is either \
proven by interval arithmetic or reported as open. Where det J_D = 0 meets the set \
in isolated points, these are proven to exist and to be all.

In the plane of two parameters: where the choice works at every configuration, \
where it fails at some, and where there is no configuration.

Claim for --assert: \"never singular\" (proven that det J_D has no zero on the set \
in the box).

Exit code: 0 if it was done, 1 if a claim is not proven, 2 if the input cannot be \
used, 3 if something proven has no --certificate, 128 + N if signal N ended it: \
what was found until then is written.

Examples:
  holonom map bead_on_parabola
  holonom map bead_on_parabola --dependent x2 --box x1=-2:2,x2=-1:4
  holonom map product_and_sum --x x1 --y x3 --size 100x40
  holonom map slider_crank --dependent phi,x --x a --y l
  holonom map minimum_on_surface --levels
  holonom map pendulum --levels y -o figure.svg")]
pub struct MapArgs {
    /// The system
    #[command(flatten)]
    pub system: SystemArgs,
    /// The dependent coordinates, as many as there are constraints [default: the file's, or the best]
    #[arg(long, value_name = "NAME,...")]
    pub dependent: Option<String>,
    /// The coordinate (or parameter) on the horizontal axis [default: an independent one]
    #[arg(long, value_name = "NAME")]
    pub x: Option<String>,
    /// The coordinate (or parameter) on the vertical axis [default: a dependent one]
    #[arg(long, value_name = "NAME")]
    pub y: Option<String>,
    /// Level lines of an expression of coordinates [default: the potential, or the objective]
    #[arg(long, value_name = "EXPR", num_args = 0..=1, default_missing_value = "")]
    pub levels: Option<String>,
    /// Where
    #[command(flatten)]
    pub part: PartArgs,
    /// How it is drawn and where it goes
    #[command(flatten)]
    pub picture: PictureArgs,
    /// The evidence
    #[command(flatten)]
    pub certificate: CertificateArgs,
    /// What is to hold
    #[command(flatten)]
    pub assert: AssertArgs,
}

/// The constraint set as a picture.
pub fn map(args: &MapArgs) -> Result<u8, CommandError> {
    let model = args.system.still_model()?;
    let asked = dependent(&model.system, args.dependent.as_deref())?;
    let plane = [("--x", &args.x), ("--y", &args.y)].into_iter();
    let plane = plane.filter_map(|(option, name)| Some((option, name.as_deref()?.trim())));
    let plane: Vec<(&'static str, &str)> = plane.collect();
    let (model, within) = args.part.part(model, &plane)?;
    let (mut part, start, given) = (within.part, within.place, within.given);
    let chosen = model.choice(asked.as_deref(), (part.t, &start), &[]);
    let plane = args.plane(&model, &chosen)?;
    if args.levels.is_some() && !model.ranging_parameters().is_empty() {
        let why = "level lines are drawn for one value of each parameter";
        return Err(CommandError::option("--levels", why));
    }
    if plane.0.min(plane.1) >= model.coordinate_names().len() {
        if !args.assert.claims.is_empty() {
            let why = "the plane of parameters says nothing for each of them";
            return Err(CommandError::option("--assert", why));
        }
        model.widen(&mut part, &given);
        return args.design(&model, part, &chosen);
    }
    let claims = args.assert.read(&model, Subject::Map)?;
    let expression = args.levels.as_deref();
    let expression = expression
        .map(|text| level_expression(&model, text))
        .transpose()?;
    let picture = args.picture.open(&args.system, 1)?;
    let resolution = args.resolution(&picture);
    let answer = until_cancelled(interrupt::unfinished(), || {
        let levels = expression.map(|e| model.levels(&part, plane, (e, &start)));
        let part = levels.as_ref().map_or(part, |levels| levels.part.clone());
        let answer = model.map(part, &chosen, plane, resolution, EFFORT);
        MapAnswer { levels, ..answer }
    });
    if interrupt::called_off() && answer.paving.tiles.is_empty() && picture.has_place() {
        // what was there is worth more than nothing
        complain("interrupted: nothing is written");
        return Ok(claims.judged(Answer::Map(&answer))?.tell(0));
    }
    let look = MapStyle {
        resolution,
        in_pieces: picture.form == PictureFormat::Text && picture.charset != Charset::Ascii,
    };
    let marked = match answer.part.no_start {
        Some(_) => &[],
        None => start.as_slice(),
    };
    let figures = vec![map_figure(&model, &answer, look, marked)];
    let words = map_text(&model, &answer, output::width());
    interrupt::tell();
    let judged = claims.judged(Answer::Map(&answer))?;
    picture.show(figures, &words, || {
        judged.beside(interrupt::marked(map_json(&model, &answer)))
    })?;
    args.certificate
        .write(judged.tell(0), || Certificate::of_map(&model, &answer))
}

/// What level lines are drawn of.
fn level_expression(model: &Model, text: &str) -> Result<Expr, CommandError> {
    model.read_level(text).map_err(|error| {
        let found = Diagnostic::at("--levels", text, error.span, error.kind.to_string());
        CommandError::File(vec![found.with_help_if(error.help)])
    })
}

impl MapArgs {
    /// Where in the plane of two parameters the choice works.
    fn design(&self, model: &Model, part: Part, chosen: &[usize]) -> Result<u8, CommandError> {
        let picture = self.picture.open(&self.system, 1)?;
        let resolution = self.resolution(&picture);
        let parts = [resolution.0.min(FINEST), resolution.1.min(FINEST)];
        let answer = until_cancelled(interrupt::unfinished(), || {
            model.design(part, chosen, &parts)
        });
        let figures = vec![design_figure(model, &answer)];
        let words = design_text(model, &answer, output::width());
        interrupt::tell();
        let json = || interrupt::marked(design_json(model, &answer));
        picture.show(figures, &words, json)?;
        self.certificate.write(0, || Err(Lacking::Ranging))
    }

    /// Parts of the picture along and up that are told apart.
    fn resolution(&self, picture: &Picture) -> (usize, usize) {
        let (dots, size) = (picture.charset.dots(), picture.size);
        if picture.form != PictureFormat::Text && self.picture.size.is_none() {
            return BOXES;
        }
        (
            usize::from(size.0) * usize::from(dots.0),
            usize::from(size.1) * usize::from(dots.1),
        )
    }

    /// The coordinates along and up.
    fn plane(&self, model: &Model, chosen: &[usize]) -> Result<(usize, usize), CommandError> {
        let read = |name: &Option<String>| {
            let name = name.as_deref().map(str::trim);
            let names = model.variable_names();
            let place = |name| names.iter().position(|own| own == name);
            name.map(|name| place(name).ok_or_else(|| no_variable(&model.system, name)))
                .transpose()
        };
        let (x, y) = (read(&self.x)?, read(&self.y)?);
        let fail = |option, why: &str| CommandError::option(option, why);
        if x.is_some() && x == y {
            return Err(fail(
                "--y",
                "the coordinate that runs up is the one that runs along",
            ));
        }
        let plane = model.plane(chosen, (x, y));
        plane.ok_or_else(|| fail("map", "a system of one coordinate has no plane to draw"))
    }
}
