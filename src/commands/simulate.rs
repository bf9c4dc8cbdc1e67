//! `holonom simulate`.

use super::assertion::{Answer, AssertArgs, Claims, Judged, Subject};
use super::input::{SystemArgs, dependent, overrides, value};
use super::output::{self, Destination, Writer};
use super::{CommandError, interrupt, note, print_text, progress, unfinished};
use crate::analysis::{Model, Request, is_condition, split_columns};
use crate::disk;
use crate::report::{
    flag_lines, motion_notes, motion_text, write_csv, write_csv_header, write_csv_rows,
    write_motion_json,
};
use crate::solver::{Method, Motion, Stiff, watched};
use crate::system::{MAX_SAMPLES, System, quote};
use clap::Args;
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

/// The longest file of times, in bytes.
const LONGEST: usize = 16 << 20;

/// Flags that are told beside a table.
const FLAGS: usize = 12;

/// Options of a run.
#[derive(Args, Clone, Debug)]
pub struct RunArgs {
    /// The time to run to, not a duration; a time before the start's t runs backwards [default: the file's, or 10].
    /// Or a condition to stop at: x=0, or x<0 for the moment it becomes true
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    pub until: Option<String>,
    /// Relative tolerance of a step [default: the file's, or 1e-9]
    #[arg(long, value_name = "R", allow_hyphen_values = true)]
    pub rtol: Option<String>,
    /// Absolute tolerance of a step [default: the file's, or 1e-12]
    #[arg(long, value_name = "A", allow_hyphen_values = true)]
    pub atol: Option<String>,
    /// N gives N+1 equally spaced times, both ends included [default: the file's, or 1000]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub samples: Option<String>,
    /// Use the implicit stepper for stiff motions: always (also --stiff alone), never, or auto: from
    /// the moment the motion is found to be stiff [default: the file's, or auto]
    #[arg(long, value_name = "WHEN", num_args = 0..=1, require_equals = true, default_missing_value = "always")]
    pub stiff: Option<String>,
    /// Replace single start values (t, x1, "x1'"), before the start is made consistent
    #[arg(long, value_name = "NAME=VALUE,...", allow_hyphen_values = true)]
    pub at: Vec<String>,
    /// Replace single velocities of the start: x1=0 stands for x1'=0
    #[arg(long, value_name = "NAME=VALUE,...", allow_hyphen_values = true)]
    pub vel: Vec<String>,
    /// The dependent coordinates, as many as there are constraints
    #[arg(long, value_name = "NAME,...")]
    pub dependent: Option<String>,
}

impl RunArgs {
    /// The run asked for, which may end where something happens.
    pub fn settled(&self, model: &Model) -> Result<Request, CommandError> {
        let request = self.request(&model.system)?;
        let Some(text) = self.event() else {
            return Ok(request);
        };
        let ended = model.ended_by(request, text, interrupt::unfinished());
        ended.map_err(CommandError::of("--until"))
    }

    /// What is to end the run, where that is no time.
    pub fn event(&self) -> Option<&str> {
        self.until.as_deref().filter(|text| is_condition(text))
    }

    /// The run asked for, to a time.
    pub fn request(&self, system: &System) -> Result<Request, CommandError> {
        let number = |option: &'static str, text: &Option<String>| {
            let read = |text: &String| value(system, option, text);
            text.as_ref().map(read).transpose()
        };
        let within = |option, text, fits: fn(f64) -> bool, wanted: &str| match number(option, text)?
        {
            Some(v) if !fits(v) => {
                Err(CommandError::option(option, format!("{v} is not {wanted}")))
            }
            other => Ok(other),
        };
        let part = |v| v > 0.0 && v < 1.0;
        let whole = |v: f64| v.fract() == 0.0 && v >= 1.0 && v <= MAX_SAMPLES as f64;
        let tolerance = "between 0 and 1, such as 1e-9";
        let count = format!("a whole number between 1 and {MAX_SAMPLES}");
        let samples = within("--samples", &self.samples, whole, &count)?;
        Ok(Request {
            until: number("--until", &self.until.clone().filter(|t| !is_condition(t)))?,
            rtol: within("--rtol", &self.rtol, part, tolerance)?,
            atol: within("--atol", &self.atol, part, tolerance)?,
            samples: samples.map(|n| n as usize),
            stiff: self.stiff.as_deref().map(stiff).transpose()?,
            overrides: overrides(system, &self.at, &self.vel)?,
            dependent: dependent(system, self.dependent.as_deref())?,
            ..Request::default()
        })
    }
}

/// Options of `simulate`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Columns of the table: t, the coordinates, their velocities x1', the multipliers \
lambda_NAME, the constraint forces R_x1, det, energy, residual.

Claims for --assert: \"max(EXPR) < VALUE\" and \"min(EXPR) > VALUE\". They are held \
numerically, not proven: at all samples and between them, and again at a hundredth \
of the tolerances, with room for the difference.

Exit code: 0 if the motion reached its end, 1 if it met what --fail-on names or a \
claim does not hold, 2 if the input cannot be used, 3 if the motion could not be \
finished, 128 + N if signal N ended it; what was computed is written.

Examples:
  holonom simulate bead_on_parabola
  holonom simulate bead_on_parabola --set g=1.62 --csv > moon.csv
  holonom simulate bead_on_parabola --at x1=0.5,x2=0.25 --vel x1=1,x2=1
  holonom simulate bead_on_parabola --at \"x1'=2,x2'=4\" --until -3
  holonom simulate product_and_sum --method tangents --columns \"t,x1-x2,det\"
  holonom simulate pendulum --when x=0 --columns t,F_rod
  holonom simulate pendulum --until \"x<0\"
  holonom simulate pendulum --times 0,0.1,0.25 --csv
  holonom simulate my.yaml -o motion.json")]
pub struct SimulateArgs {
    /// The system
    #[command(flatten)]
    pub system: SystemArgs,
    /// The run
    #[command(flatten)]
    pub run: RunArgs,
    /// How the equations are solved: inverse, multipliers or tangents [default: the file's, or inverse]
    #[arg(long, value_name = "M")]
    pub method: Option<String>,
    /// Besides the motion, what happens if the chart of the dependent coordinates is never changed: columns
    /// held_x1, ..., held_residual. An illustration of the theorem's failure, not a result
    #[arg(long)]
    pub hold_chart: bool,
    /// Print CSV; flags and notes go to standard error
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
    /// Other columns: names, x1'', residual_velocity, power_R, power_Q, balance, action, or expressions
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub columns: Option<String>,
    /// Only the rows where something happens: x=0, or where x>0 or x<0 becomes true, each located to full accuracy
    #[arg(long, value_name = "EXPR=VALUE", allow_hyphen_values = true)]
    pub when: Vec<String>,
    /// Only the rows at these times: 0,0.1,0.25, or the numbers in a file
    #[arg(long, value_name = "T,...|FILE", allow_hyphen_values = true)]
    pub times: Option<String>,
    /// Exit with code 1 if the motion meets one of these: chart, rank (the theorem fails), event (a constraint is released)
    #[arg(long, value_name = "WHAT,...", value_delimiter = ',', value_parser = ["chart", "rank", "event"], hide_possible_values = true)]
    pub fail_on: Vec<String>,
    /// Write to a file instead: JSON with --json or a name ending in .json, CSV with --csv, .csv or .txt
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// What is to hold
    #[command(flatten)]
    pub assert: AssertArgs,
}

/// A trajectory. Exit code 3 where it could not be finished, 128 + N where signal N interrupted it; what was computed
/// is written.
pub fn simulate(args: &SimulateArgs) -> Result<u8, CommandError> {
    let form = args.form()?;
    let model = args.system.moving_model()?;
    let claims = args.assert.read(&model, Subject::Motion)?;
    let mut request = args.run.settled(&model)?;
    request.method = args.method.as_deref().map(method).transpose()?;
    let columns = args.columns.as_deref().map(split_columns);
    if columns.as_ref().is_some_and(Vec::is_empty) {
        return Err(CommandError::option("--columns", "names no column"));
    }
    // what cannot be read or written is said before the work
    let known = model.columns_known(columns.as_deref().unwrap_or_default());
    known.map_err(CommandError::of("--columns"))?;
    let destination = args.output.as_deref().map(Destination::open).transpose()?;
    let columns = columns.unwrap_or_else(|| model.columns());
    request.times = args.moments(&model, &request)?;
    let whole = args.hold_chart || args.picks() || Model::takes_all(&columns);
    let (motion, judged) = if form == TableFormat::Csv && !whole {
        match streamed(&model, &request, &columns, destination)? {
            Some(motion) => (motion, None),
            // nobody reads on
            None => return Ok(claims.judged(Answer::Motion(&model, &request))?.tell(0)),
        }
    } else {
        args.gathered((&model, &request), (&columns, &claims), destination)?
    };
    // the text says these itself, JSON on standard output holds them
    if form == TableFormat::Csv || args.output.is_some() {
        for line in flag_lines(&model, &motion, FLAGS) {
            note(&line);
        }
        if let Some(rest) = motion.flags.len().checked_sub(FLAGS + 1) {
            note(&format!("and {} more (--json has all)", rest + 1));
        }
        for text in motion_notes(&model, &motion) {
            note(&format!("note: {text}"));
        }
    }
    if let Some(because) = motion
        .because
        .as_ref()
        .filter(|_| form != TableFormat::Text)
    {
        unfinished(because);
    }
    let met = |what: &String| match what.as_str() {
        "event" => !motion.releases.is_empty(),
        kind => motion.flags.iter().any(|flag| flag.kind.name() == kind),
    };
    let done = if motion.finished {
        u8::from(args.fail_on.iter().any(met))
    } else {
        3
    };
    let judged = judged.map_or_else(|| claims.judged(Answer::Motion(&model, &request)), Ok);
    Ok(judged?.tell(done))
}

/// Runs it and writes row after row; `None` where the reader has gone away.
fn streamed(
    model: &Model,
    request: &Request,
    columns: &[String],
    destination: Option<Destination>,
) -> Result<Option<Motion>, CommandError> {
    let mut motion = None;
    let mut gone = false;
    let to_file = destination.is_some();
    let write: Box<Writer<'_>> = Box::new(|out| {
        let mut written = Ok(());
        let mut begun = false;
        let mut take = |values: &[Vec<f64>]| {
            // an empty result leaves a file as it was
            let some = values.iter().any(|column| !column.is_empty());
            if written.is_ok() && !begun && (some || !to_file) {
                begun = true;
                written = write_csv_header(out, columns);
            }
            if written.is_ok() {
                written = write_csv_rows(out, values);
            }
            if written.is_err() {
                // nobody takes the rest
                gone = true;
                interrupt::unfinished().store(true, Ordering::SeqCst);
            }
        };
        let progress = progress::reached();
        let cancel: &AtomicBool = interrupt::unfinished();
        motion = Some(watched(&progress, || {
            model.stream(request, columns, (cancel, &mut take))
        }));
        written
    });
    let result = output::write(destination, write);
    let motion = motion.transpose()?;
    result?;
    Ok(motion.filter(|_| !gone))
}

impl SimulateArgs {
    fn form(&self) -> Result<TableFormat, CommandError> {
        if self.system.json {
            return Ok(TableFormat::Json);
        }
        if self.csv {
            return Ok(TableFormat::Csv);
        }
        let Some(path) = &self.output else {
            return Ok(TableFormat::Text);
        };
        Ok(match output::ending(path, &["csv", "txt", "json"])? {
            Some("json") => TableFormat::Json,
            _ => TableFormat::Csv,
        })
    }

    /// Are only some rows wanted?
    fn picks(&self) -> bool {
        self.times.is_some() || !self.when.is_empty()
    }

    /// The times of the rows that are wanted, in the order of the motion.
    fn moments(&self, model: &Model, request: &Request) -> Result<Vec<f64>, CommandError> {
        let (from, until) = model.span(request);
        let mut list = match &self.times {
            Some(text) => times(&model.system, text)?,
            None => Vec::new(),
        };
        if let Some(t) = list.iter().find(|t| (**t - from) * (**t - until) > 0.0) {
            return Err(CommandError::option(
                "--times",
                format!("{t} is outside the motion, which goes from {from} to {until}"),
            ));
        }
        for text in &self.when {
            list.extend(happenings((model, request), text)?);
        }
        Ok(model.in_order(request, list))
    }

    /// Runs it and writes it as a whole; in JSON with what comes of the claims.
    fn gathered(
        &self,
        (model, request): (&Model, &Request),
        (columns, claims): (&[String], &Claims),
        destination: Option<Destination>,
    ) -> Result<(Motion, Option<Judged>), CommandError> {
        let go = interrupt::unfinished();
        let progress = progress::reached();
        let mut run = watched(&progress, || model.run(request, Some(columns), go))?;
        if self.hold_chart || !self.picks() {
            run.thin();
        }
        if self.hold_chart {
            model.hold_chart(request, &mut run, go)?;
        }
        if self.picks() {
            let rows = model.rows_at(&run.motion, &run.table, &request.times);
            run.table.rows = rows.into_iter().flatten().collect();
        }
        let form = self.form()?;
        if form == TableFormat::Text {
            print_text(&motion_text(model, &run, output::width()))?;
            return Ok((run.motion, None));
        }
        let json = form == TableFormat::Json;
        let judged = json
            .then(|| claims.judged(Answer::Motion(model, request)))
            .transpose()?;
        let beside = |object| match &judged {
            Some(judged) => judged.beside(object),
            None => object,
        };
        let write = |out: &mut dyn Write| match form {
            TableFormat::Json => write_motion_json(out, (model, &run), beside),
            TableFormat::Csv | TableFormat::Text => write_csv(out, &run.table),
        };
        // what was in a file is worth more than nothing
        if destination.is_none() || !run.table.rows.is_empty() {
            output::write(destination, Box::new(write))?;
        }
        Ok((run.motion, judged))
    }
}

/// How a motion is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TableFormat {
    Text,
    Json,
    Csv,
}

/// When something happens on a motion; where it does not, that is said.
pub(super) fn happenings(
    (model, request): (&Model, &Request),
    text: &str,
) -> Result<Vec<f64>, CommandError> {
    let fail = |why: String| CommandError::option("--when", why);
    if !is_condition(text) {
        let wanted = "EXPR=VALUE, EXPR>VALUE or EXPR<VALUE";
        return Err(CommandError::form("--when", text, wanted));
    }
    let condition = model.condition(text);
    let condition = condition.map_err(|error| fail(error.to_string()))?;
    let times = model.happens(request, &condition, interrupt::unfinished())?;
    if times.is_empty() {
        note(&format!(
            "`{}` does not happen after the start",
            quote(text)
        ));
    }
    Ok(times)
}

/// Times on the command line, or in a file with one or more a line.
fn times(system: &System, text: &str) -> Result<Vec<f64>, CommandError> {
    let parts = |text: &str| -> Result<Vec<f64>, CommandError> {
        let words = text.split([',', ' ', '\n', '\r', '\t']);
        let words = words.filter(|word| !word.is_empty());
        let list: Result<Vec<f64>, CommandError> =
            words.map(|word| value(system, "--times", word)).collect();
        match list {
            Ok(list) if list.is_empty() => Err(CommandError::option("--times", "names no time")),
            list => list,
        }
    };
    let path = std::path::Path::new(text);
    if !path.is_file() {
        return parts(text).map_err(|error| match error {
            CommandError::Option { option, why } => CommandError::option(
                option,
                format!("{why}; no file of that name is there either"),
            ),
            other => other,
        });
    }
    let content =
        disk::read(path, LONGEST).map_err(|error| CommandError::option("--times", error))?;
    parts(&String::from_utf8_lossy(&content))
}

/// The method of a name.
pub(super) fn method(name: &str) -> Result<Method, CommandError> {
    let known = Method::ALL.map(|method| method.name());
    Method::named(name)
        .ok_or_else(|| CommandError::unknown("--method", "not a method", name, known))
}

/// When the implicit stepper is used, by name.
fn stiff(name: &str) -> Result<Stiff, CommandError> {
    let known = Stiff::ALL.map(|stiff| stiff.name());
    Stiff::named(name).ok_or_else(|| CommandError::unknown("--stiff", "not a choice", name, known))
}
