//! `holonom gather`.

use super::CommandError;
use super::output::{self, Destination};
use super::sweep::MARK;
use crate::analysis::Shard;
use crate::disk::Refusal;
use crate::report::joined;
use crate::system::shown;
use clap::Args;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

/// Options of `gather`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
The result is, byte for byte, what a single run of the sweep would have written. Exit code 2 \
if a part is missing, truncated or from another sweep; nothing is written then.

Examples:
  holonom gather runs.*-of-16.csv -o runs.csv")]
pub struct GatherArgs {
    /// The files of all parts, in any order
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Write to a file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// What a part says of itself in its first line.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub(super) struct Part {
    /// The form of the file.
    pub sweep: u32,
    /// A number that is another one for another sweep.
    pub plan: String,
    /// The rows of all parts.
    pub rows: u64,
    /// Which part it is, from 1, and of how many.
    pub shard: [u64; 2],
}

impl Part {
    /// `None` where the line is no such one.
    pub fn read(line: &str) -> Option<Self> {
        serde_json::from_str(line.strip_prefix(MARK).unwrap_or(line)).ok()
    }
}

struct PartFile<'a> {
    path: &'a Path,
    part: Part,
    /// The names of the columns; none in JSON.
    columns: Option<String>,
}

fn wrong(path: &Path, why: impl ToString) -> CommandError {
    CommandError::option(shown(path), why)
}

impl<'a> PartFile<'a> {
    /// Reads a part through: is it whole?
    fn read(path: &'a Path) -> Result<Self, CommandError> {
        let failed = |error: io::Error| wrong(path, Refusal::from(error));
        let mut reader = BufReader::new(File::open(path).map_err(failed)?);
        let mut line = String::new();
        reader.read_line(&mut line).map_err(failed)?;
        let is_csv = line.starts_with(MARK);
        let part = Part::read(&line)
            .ok_or_else(|| wrong(path, "it is not part of a sweep (one is made with --shard)"))?;
        let shard = Shard::read(&format!("{}/{}", part.shard[0], part.shard[1]));
        let shard = shard.map_err(|error| wrong(path, error))?;
        let mut columns = None;
        if is_csv {
            line.clear();
            reader.read_line(&mut line).map_err(failed)?;
            columns = Some(line.clone());
        }
        let (mut rows, mut whole, mut bytes) = (0, true, Vec::new());
        loop {
            bytes.clear();
            if reader.read_until(b'\n', &mut bytes).map_err(failed)? == 0 {
                break;
            }
            whole = bytes.ends_with(b"\n");
            rows += 1;
        }
        let runs = shard.of(part.rows);
        let wanted = runs.end - runs.start;
        if rows != wanted || !whole {
            let cut = if whole {
                ""
            } else {
                ", the last one not to its end"
            };
            let why = format!("{rows} of its {wanted} rows are there{cut}: end it with --resume");
            return Err(wrong(path, why));
        }
        Ok(Self {
            path,
            part,
            columns,
        })
    }

    /// Writes its rows.
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut reader = BufReader::new(File::open(self.path)?);
        let heads = if self.columns.is_some() { 2 } else { 1 };
        for _ in 0..heads {
            reader.skip_until(b'\n')?;
        }
        io::copy(&mut reader, out).map(drop)
    }
}

/// Joins the parts of a sweep.
pub fn gather(args: &GatherArgs) -> Result<u8, CommandError> {
    let files = args.files.iter().map(|path| PartFile::read(path));
    let mut files = files.collect::<Result<Vec<_>, _>>()?;
    files.sort_by_key(|file| file.part.shard[0]);
    let Some(first) = files.first() else {
        return Ok(0);
    };
    let n = first.part.shard[1];
    for (k, file) in files.iter().enumerate() {
        let same = Part {
            shard: [file.part.shard[0], n],
            ..first.part.clone()
        };
        if file.part != same || file.columns != first.columns {
            let why = format!("it is of another sweep than {}", shown(first.path));
            return Err(wrong(file.path, why));
        }
        if k > 0 && files[k - 1].part.shard[0] == file.part.shard[0] {
            let why = format!("it is the same part as {}", shown(files[k - 1].path));
            return Err(wrong(file.path, why));
        }
    }
    let there = |i: &u64| files.iter().any(|file| file.part.shard[0] == *i);
    let missing = joined((1..=n).filter(|i| !there(i)));
    if !missing.is_empty() {
        let why = format!("of {n} parts these are missing: {missing}");
        return Err(CommandError::option("gather", why));
    }
    let to = args.output.as_deref().map(Destination::open).transpose()?;
    let write = |out: &mut dyn Write| {
        out.write_all(first.columns.as_deref().unwrap_or_default().as_bytes())?;
        files.iter().try_for_each(|file| file.write(out))
    };
    output::write(to, Box::new(write))?;
    Ok(0)
}
