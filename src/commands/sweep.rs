//! `holonom sweep`.

use super::gather::Part;
use super::input::{LONGEST_TABLE, SystemArgs, value};
use super::output::{self, ending};
use super::simulate::{RunArgs, method};
use super::{CommandError, complain, interrupt, note, print_text, progress};
use crate::analysis::{
    Axis, ColumnReduction, Design, Drawn, Model, Overrides, Plan, PlanError, Range, RangeFault,
    RangedAxis, Shard, Sweep, SweepRow, Unreduced, Waiting, read_table, split_columns,
};
use crate::disk::{self, Refusal, Target};
use crate::report::{
    blank_words, sweep_columns, write_csv_header, write_sweep_csv, write_sweep_json,
};
use crate::system::{System, quote, shown, spelled};
use clap::Args;
use rayon::ThreadPool;
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use serde_json::json;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Runs that each thread has at a time, at most.
const EACH: u64 = 64;
/// The rows of this time are written at once.
const AT_ONCE: Duration = Duration::from_millis(100);
/// What a thread may put on its stack: expressions may be deep.
const STACK: usize = 16 << 20;

/// Options of `sweep`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
One row per run: what is varied, exit (the exit code of `simulate`), verdict (whether \
the theorem holds all the way), failures and failure_times (at most 100, then +N), \
what --report names, reason. Ranges are FROM:TO:COUNT (both ends included), \
log:FROM:TO:COUNT or a list 1,2,5. Reductions of a column X: min(X), max(X), \
mean(X), end(X), at(t=T, X), when(A=B, X) at the first time when A = B, count(A=B), \
period(X).

Exit code: 0 if every run has its row, including any that failed, 2 if the input \
cannot be used, 128 + N if signal N ended it: the finished rows are written, and \
--resume continues from there.

Examples:
  holonom sweep pendulum --over g=5:20:100 --report \"period(x)\"
  holonom sweep pendulum --over l=log:0.5:2:9 --over m=1,2 --report \"max(y')\"
  holonom sweep my.yaml --over l=1:2:50 --report \"at(t=2, y)\" -o runs.csv
  holonom sweep my.yaml --random 1000 --seed 7 --over \"x'=-1:1\" -o runs.csv
  holonom sweep my.yaml --random 1024 --design sobol --over l=1:2 -o runs.csv
  holonom sweep my.yaml --over l=1:2:100000 --shard 3/16 -o runs.3-of-16.csv
  holonom sweep my.yaml --over l=1:2:100000 --slurm 16 -o runs.csv")]
pub struct SweepArgs {
    /// The system
    #[command(flatten)]
    pub system: SystemArgs,
    /// A parameter or a start value (t, x1, "x1'") and its values; several are combined, each with each
    #[arg(long, value_name = "NAME=RANGE", allow_hyphen_values = true)]
    pub over: Vec<String>,
    /// Runs from a CSV file: a header of names, then one run per line
    #[arg(long, value_name = "FILE", conflicts_with_all = ["over", "random"])]
    pub rows: Option<PathBuf>,
    /// N runs drawn from the ranges FROM:TO or log:FROM:TO
    #[arg(long, value_name = "N", requires = "over", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..))]
    pub random: Option<u32>,
    /// How they are distributed: latin (a hypercube) or sobol (a sequence, its bits shifted) [default: latin]
    #[arg(long, value_name = "D", requires = "random")]
    pub design: Option<String>,
    /// The seed of the sample [default: 0]
    #[arg(
        long,
        value_name = "S",
        requires = "random",
        allow_negative_numbers = true
    )]
    pub seed: Option<u64>,
    /// What is kept of each motion: reductions of columns
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub report: Vec<String>,
    /// How each is run
    #[command(flatten)]
    pub run: RunArgs,
    /// How the equations are solved: inverse, multipliers or tangents [default: the file's, or inverse]
    #[arg(long, value_name = "M")]
    pub method: Option<String>,
    /// Threads [default: all cores]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// The i-th of n parts of the runs, each in its own file; `gather` joins them
    #[arg(long, value_name = "I/N")]
    pub shard: Option<String>,
    /// Continue the file of an earlier run that was interrupted
    #[arg(long, requires = "output")]
    pub resume: bool,
    /// Write a Slurm job array of N tasks next to the output, and submit it if sbatch is available
    #[arg(long, value_name = "N", requires = "output", conflicts_with_all = ["shard", "resume"], value_parser = clap::value_parser!(u32).range(1..))]
    pub slurm: Option<u32>,
    /// Write to a file: one object per line with --json or a name ending in .jsonl, otherwise CSV
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

impl From<PlanError> for CommandError {
    fn from(error: PlanError) -> Self {
        Self::option("--over", error)
    }
}

/// A table of many runs. Exit code 128 + N where it was interrupted; the rows that are done are written.
pub fn sweep(args: &SweepArgs) -> Result<u8, CommandError> {
    let (sweep, unreduced) = args.read()?;
    let shard = args.shard.as_deref().map(Shard::read).transpose();
    let shard = shard.map_err(|error| CommandError::option("--shard", error))?;
    let json = args.is_json()?;
    if let (Some(n), Some(path)) = (args.slurm, &args.output) {
        return slurm(n, path);
    }
    let answer = SweepOutput {
        head: head(&sweep, shard, json),
        runs: match shard {
            Some(shard) => shard.of(sweep.plan.length()),
            None => 0..sweep.plan.length(),
        },
        sweep,
        unreduced,
        json,
    };
    let threads = rayon::ThreadPoolBuilder::new()
        .num_threads(args.threads.map_or(0, usize::from))
        .stack_size(STACK)
        .build();
    let threads = threads.map_err(|error| CommandError::option("--threads", error))?;
    match &args.output {
        Some(path) => answer.to_file(path, args.resume, &threads)?,
        None => output::print(Box::new(|out| {
            write_lines(out, &answer.head)?;
            answer.rows(out, 0, &threads)
        }))?,
    }
    Ok(0)
}

impl SweepArgs {
    fn is_json(&self) -> Result<bool, CommandError> {
        let Some(path) = &self.output else {
            return Ok(self.system.json);
        };
        if path
            .extension()
            .is_some_and(|end| end.eq_ignore_ascii_case("json"))
        {
            let lines = shown(&path.with_extension("jsonl"));
            let why = format!(
                "a sweep writes one object per line, which is not a JSON file; name it {lines}, or a .csv"
            );
            return Err(CommandError::option("-o", why));
        }
        let named = ending(path, &["csv", "txt", "jsonl", "ndjson"])?;
        Ok(self.system.json || matches!(named, Some("jsonl" | "ndjson")))
    }

    /// What is asked for, looked through before the first run.
    fn read(&self) -> Result<(Sweep, Vec<Unreduced>), CommandError> {
        let (system, input, changes) = self.system.read()?;
        let model = Model::new(system);
        if model.system.objective {
            return Err(CommandError::NoMotion);
        }
        let mut request = self.run.request(&model.system)?;
        request.method = self.method.as_deref().map(method).transpose()?;
        let sweep = Sweep {
            plan: self.plan(&model.system)?,
            text: input.text,
            file: input.file,
            changes,
            request,
            event: self.run.event().map(str::to_owned),
            waiting: Waiting::default(),
            report: self.report.iter().flat_map(|l| split_columns(l)).collect(),
        };
        let reductions = sweep.reductions(&model)?;
        let unreduced = reductions.iter().map(ColumnReduction::unreduced).collect();
        if let Some(event) = &sweep.event {
            model
                .condition(event)
                .map_err(CommandError::of("--until"))?;
        }
        Ok((sweep, unreduced))
    }

    fn design(&self) -> Result<Design, CommandError> {
        match self.design.as_deref() {
            None | Some("latin") => Ok(Design::Latin),
            Some("sobol") => Ok(Design::Sobol),
            Some(other) => Err(CommandError::option(
                "--design",
                format!("`{}` is neither latin nor sobol", quote(other)),
            )),
        }
    }

    fn plan(&self, system: &System) -> Result<Plan, CommandError> {
        if let Some(path) = &self.rows {
            return rows(system, path);
        }
        let mut ranges = Vec::new();
        for text in &self.over {
            let (name, range) = text
                .split_once('=')
                .ok_or_else(|| CommandError::form("--over", text, "NAME=RANGE"))?;
            let name = name.trim();
            let is_parameter = is_parameter(system, "--over", name)?;
            let range = Range::read(range, &|text| value(system, "--over", text))?;
            ranges.push(RangedAxis {
                name: name.to_owned(),
                is_parameter,
                range,
            });
        }
        if let Some(count) = self.random {
            let drawn = Drawn {
                count,
                seed: self.seed.unwrap_or(0),
                design: self.design()?,
            };
            return Ok(Plan::random(ranges, drawn)?);
        }
        let axis = |own: RangedAxis| match own.range {
            Range::Values(values) => Ok(Axis {
                name: own.name,
                is_parameter: own.is_parameter,
                values,
            }),
            Range::Between(..) => Err(PlanError::Range {
                text: own.name,
                why: RangeFault::NoCount,
            }),
        };
        let axes: Result<Vec<Axis>, PlanError> = ranges.into_iter().map(axis).collect();
        Ok(Plan::grid(axes?)?)
    }
}

/// Whether a name that is varied is a parameter; if not, it is a start value.
fn is_parameter(system: &System, option: &'static str, name: &str) -> Result<bool, CommandError> {
    if system.parameters.iter().any(|p| p.name == name) {
        return Ok(true);
    }
    if Overrides::new(system, &[(name.to_owned(), 0.0)]).is_ok() {
        return Ok(false);
    }
    let parameters = system.parameters.iter().map(|p| p.name.as_str());
    let coordinates = system.coordinates.iter().map(|c| c.name.as_str());
    Err(CommandError::unknown(
        option,
        "neither a parameter nor a start value",
        name,
        parameters.chain(coordinates),
    ))
}

/// The runs of a table.
fn rows(system: &System, path: &Path) -> Result<Plan, CommandError> {
    let wrong = |why: String| CommandError::option(shown(path), why);
    let bytes = disk::read(path, LONGEST_TABLE).map_err(|error| wrong(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| wrong("it is not UTF-8".to_owned()))?;
    let mut axes = Vec::new();
    for (name, values) in read_table(&text).map_err(|error| wrong(error.to_string()))? {
        axes.push(Axis {
            is_parameter: is_parameter(system, "--rows", &name)?,
            name,
            values,
        });
    }
    Plan::rows(axes).map_err(|error| wrong(error.to_string()))
}

/// The lines before the rows: what part it is, where it is one, and the names of the columns.
fn head(sweep: &Sweep, shard: Option<Shard>, json: bool) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(shard) = shard {
        let part = json!(Part {
            sweep: 1,
            plan: format!("{:016x}", fingerprint(sweep)),
            rows: sweep.plan.length(),
            shard: [shard.i, shard.n],
        });
        lines.push(format!("{}{part}", if json { "" } else { MARK }));
    }
    if !json {
        let mut line = Vec::new();
        // writing to memory does not fail
        let _ = write_csv_header(&mut line, &sweep_columns(sweep));
        lines.push(String::from_utf8_lossy(&line).trim_end().to_owned());
    }
    lines
}

/// What a line that says which part a CSV file is begins with.
pub(super) const MARK: &str = "# ";

/// A number that is another one for another sweep.
fn fingerprint(sweep: &Sweep) -> u64 {
    let parts = format!(
        "{}\n{:?}\n{:?}\n{:?}\n{:?}\n{:?}",
        sweep.text, sweep.changes, sweep.plan, sweep.request, sweep.report, sweep.event
    );
    disk::fnv1a(parts.as_bytes())
}

fn write_lines(out: &mut dyn Write, lines: &[String]) -> io::Result<()> {
    lines.iter().try_for_each(|line| writeln!(out, "{line}"))
}

/// What is to be written.
struct SweepOutput {
    sweep: Sweep,
    /// Why a column of the report may be empty.
    unreduced: Vec<Unreduced>,
    json: bool,
    head: Vec<String>,
    runs: std::ops::Range<u64>,
}

impl SweepOutput {
    /// Does the runs after the first `done`, and writes them in the order of the plan.
    fn rows(&self, out: &mut dyn Write, done: u64, threads: &ThreadPool) -> io::Result<()> {
        let cancel = interrupt::unfinished();
        let count = self.runs.end - self.runs.start;
        let width = threads.current_num_threads() as u64;
        let (mut next, mut size) = (self.runs.start + done, width);
        let mut blank = vec![0; self.unreduced.len()];
        while next < self.runs.end && !interrupt::called_off() {
            let part = next..self.runs.end.min(next + size);
            let begin = Instant::now();
            let runs = part.clone().into_par_iter();
            let rows: Vec<SweepRow> =
                threads.install(|| runs.map(|number| self.sweep.run(number, cancel)).collect());
            for row in rows {
                if row.outcome.is_cancelled() {
                    return out.flush();
                }
                self.write_row(out, &row)?;
                if row.outcome.code() == 0 {
                    for (blank, value) in blank.iter_mut().zip(&row.values) {
                        *blank += u64::from(!value.is_finite());
                    }
                }
            }
            out.flush()?;
            next = part.end;
            progress::done(next - self.runs.start, count);
            if begin.elapsed() < AT_ONCE {
                size = (2 * size).min(EACH * width);
            }
        }
        let told = self.sweep.report.iter().zip(&self.unreduced).zip(blank);
        for ((text, why), runs) in told.filter(|(_, runs)| *runs > 0) {
            note(&blank_words(text, runs, *why));
        }
        Ok(())
    }

    /// Writes to a file, row by row beside its place, where the rows of a killed run are found again.
    fn to_file(&self, path: &Path, resume: bool, threads: &ThreadPool) -> Result<(), CommandError> {
        let failed = |error: Refusal| CommandError::Write {
            place: shown(path),
            error,
        };
        let target = Target::find(path).map_err(failed)?;
        if target.is_special() {
            let device = OpenOptions::new().write(true).open(target.path());
            let mut device = BufWriter::new(device.map_err(|e| failed(e.into()))?);
            let written = write_lines(&mut device, &self.head);
            let written = written.and_then(|()| self.rows(&mut device, 0, threads));
            return written.map_err(|error| failed(error.into()));
        }
        if !resume && let Some(part) = self.other_part(target.path()) {
            let why = format!("it has part {part} of this sweep: give each part a file of its own");
            return Err(CommandError::option(shown(path), why));
        }
        let beside = part_file(target.path());
        let finished = resume && !beside.exists() && target.path().exists();
        if finished {
            // a copy: what is there stays until there is more
            std::fs::copy(target.path(), &beside).map_err(|e| failed(e.into()))?;
        }
        let (mut file, done) = if resume && beside.exists() {
            let told = if finished { target.path() } else { &beside };
            let found = self.found(&beside, told);
            if found.is_err() && finished {
                // nothing is left of what was refused but what was there
                let _ = std::fs::remove_file(&beside);
            }
            found?
        } else {
            let file = File::create(&beside).map_err(|e| failed(e.into()))?;
            let mut file = BufWriter::new(file);
            write_lines(&mut file, &self.head).map_err(|e| failed(e.into()))?;
            (file, 0)
        };
        if done > 0 {
            note(&format!("going on after {done} rows"));
        }
        let written = self.rows(&mut file, done, threads);
        let written = written.and_then(|()| file.get_ref().sync_all());
        let written = written.and_then(|()| std::fs::rename(&beside, target.path()));
        written.map_err(|error| failed(error.into()))?;
        if interrupt::called_off() {
            complain("interrupted: the finished rows are written; --resume continues from there");
        }
        Ok(())
    }

    /// Which other part of this sweep a file has, `1 of 16`.
    fn other_part(&self, path: &Path) -> Option<String> {
        let own = Part::read(self.head.first()?)?;
        let mut line = String::new();
        let file = File::open(path).ok()?;
        BufReader::new(file).read_line(&mut line).ok()?;
        let there = Part::read(&line).filter(|part| part.plan == own.plan)?;
        (there.shard != own.shard).then(|| format!("{} of {}", there.shard[0], there.shard[1]))
    }

    /// The rows of an earlier run: the file, open after the last whole one, and how many there are. `told` is the file that an error
    /// names.
    fn found(&self, path: &Path, told: &Path) -> Result<(BufWriter<File>, u64), CommandError> {
        let wrong = |why: &str| CommandError::option(shown(told), why);
        let failed = |error: io::Error| wrong(&Refusal::from(error).to_string());
        let file = OpenOptions::new().read(true).write(true).open(path);
        let mut reader = BufReader::new(file.map_err(failed)?);
        let (mut good, mut count) = (0_u64, 0_u64);
        let length = self.runs.end - self.runs.start;
        let (mut checked, mut last) = (Vec::new(), None);
        let mut line = Vec::new();
        while reader.read_until(b'\n', &mut line).map_err(failed)? > 0 && line.ends_with(b"\n") {
            good += line.len() as u64;
            let text = line.trim_ascii_end();
            match self.head.get(count as usize) {
                Some(head) if head.as_bytes() != text => {
                    return Err(wrong("it belongs to another sweep"));
                }
                Some(_) => {}
                None => {
                    let row = count - self.head.len() as u64;
                    let line = (self.runs.start + row, text.to_vec());
                    // some at the beginning, few later
                    if row == 0 || row.is_power_of_two() {
                        checked.push(line.clone());
                    }
                    last = Some(line);
                }
            }
            count += 1;
            line.clear();
        }
        let done = count.saturating_sub(self.head.len() as u64);
        let mut same = done <= length;
        for (number, line) in checked.into_iter().chain(last) {
            if same {
                same = self.is_made_again(&line, number).map_err(failed)?;
            }
        }
        if !same {
            return Err(wrong("it belongs to another sweep"));
        }
        let mut file = reader.into_inner();
        file.set_len(good).map_err(failed)?;
        file.seek(SeekFrom::End(0)).map_err(failed)?;
        let mut file = BufWriter::new(file);
        let head = self.head.get(count as usize..).unwrap_or_default();
        write_lines(&mut file, head).map_err(failed)?;
        Ok((file, done))
    }

    /// Is a line that of this run, to the byte? It is made again: the system may be another one by now.
    fn is_made_again(&self, line: &[u8], number: u64) -> io::Result<bool> {
        let row = self.sweep.run(number, interrupt::unfinished());
        let mut own = Vec::new();
        self.write_row(&mut own, &row)?;
        Ok(row.outcome.is_cancelled() || own.trim_ascii_end() == line)
    }

    fn write_row(&self, out: &mut dyn Write, row: &SweepRow) -> io::Result<()> {
        if self.json {
            write_sweep_json(out, &self.sweep, row)
        } else {
            write_sweep_csv(out, row)
        }
    }
}

/// Where the rows stand while there are more to come.
fn part_file(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    PathBuf::from(name)
}

/// A name with something before its ending: `runs.3-of-16.csv`.
fn with_part(path: &Path, part: &str) -> PathBuf {
    match path.extension() {
        Some(ending) => {
            let mut name = std::ffi::OsString::from(part);
            name.push(".");
            name.push(ending);
            path.with_extension(name)
        }
        None => path.with_extension(part),
    }
}

/// A word of a shell.
fn word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-=:,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

/// Writes a job array for Slurm, and submits it where that can be done.
fn slurm(n: u32, path: &Path) -> Result<u8, CommandError> {
    let mut given = std::env::args().skip(1);
    let mut words = Vec::new();
    while let Some(argument) = given.next() {
        match argument.as_str() {
            "--slurm" | "-o" | "--output" => drop(given.next()),
            _ if argument.starts_with("--slurm=") || argument.starts_with("--output=") => {}
            _ if argument.starts_with("-o") => {}
            _ => words.push(word(&argument)),
        }
    }
    let program =
        std::env::current_exe().map_or_else(|_| "holonom".to_owned(), |path| word(&spelled(&path)));
    // the number of the task stands outside of the quotes
    let part = with_part(path, &format!("SLURM_TASK_NUMBER-of-{n}"));
    let part = word(&spelled(&part));
    let quote = if part.starts_with('\'') { "'" } else { "" };
    let task = format!("{quote}\"$SLURM_ARRAY_TASK_ID\"{quote}");
    let part = part.replace("SLURM_TASK_NUMBER", &task);
    let script = format!(
        "#!/bin/sh\n\
         #SBATCH --job-name=holonom\n\
         #SBATCH --array=1-{n}\n\
         #SBATCH --cpus-per-task=1\n\
         #SBATCH --requeue\n\
         #SBATCH --open-mode=append\n\
         # a task that was killed goes on where it was: run it again\n\
         exec {program} {} --threads \"${{SLURM_CPUS_PER_TASK:-1}}\" --shard \"$SLURM_ARRAY_TASK_ID/{n}\" --resume -o {part}\n",
        words.join(" "),
    );
    let file = path.with_extension("slurm");
    let destination = output::Destination::open(&file)?;
    destination.write(Box::new(|out| out.write_all(script.as_bytes())))?;
    let parts = with_part(path, &format!("*-of-{n}"));
    let joined = format!(
        "holonom gather {} -o {}",
        spelled(&parts),
        word(&spelled(path))
    );
    let said = match std::process::Command::new("sbatch").arg(&file).output() {
        Ok(answer) if answer.status.success() => {
            String::from_utf8_lossy(&answer.stdout).trim().to_owned()
        }
        Ok(answer) => {
            return Err(CommandError::option(
                "--slurm",
                format!(
                    "sbatch refuses {}: {}",
                    shown(&file),
                    crate::system::sanitize(String::from_utf8_lossy(&answer.stderr).trim())
                ),
            ));
        }
        Err(_) => format!("sbatch is not here: submit {} where it is", shown(&file)),
    };
    print_text(&format!(
        "wrote {}\n{}\nwhen all tasks have ended: {}\n",
        shown(&file),
        crate::system::sanitize(&said),
        crate::system::sanitize(&joined),
    ))?;
    Ok(0)
}
