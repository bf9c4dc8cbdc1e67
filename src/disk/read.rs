//! Reading that ends: no pipe and no device is waited for by a program that draws a screen.

use super::Refusal;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// How long a pipe is waited for until somebody opens it for writing.
const PATIENCE: Duration = Duration::from_millis(1500);
/// Time between two looks at it.
const LOOK: Duration = Duration::from_millis(20);

/// The content of a regular file of at most `limit` bytes; anything else is refused without waiting.
pub fn read(path: &Path, limit: usize) -> Result<Vec<u8>, Refusal> {
    let bytes = head(path, limit + 1)?;
    if bytes.len() > limit {
        return Err(Refusal::TooLong { limit });
    }
    Ok(bytes)
}

/// The first bytes of a regular file.
pub fn head(path: &Path, count: usize) -> Result<Vec<u8>, Refusal> {
    // looked at after it is opened: nothing else can come in its place in between
    let file = without_waiting(path)?;
    let data = file.metadata()?;
    if data.is_dir() {
        return Err(Refusal::Folder);
    }
    if !data.is_file() {
        return Err(Refusal::NotRegular);
    }
    let mut bytes = Vec::new();
    file.take(count as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Opens whatever the user points at, for a program that may wait for it: a pipe too (`<(…)` of a shell is one),
/// as soon as somebody writes to it, but not one that nobody opens for writing.
pub fn open(path: &Path) -> Result<Box<dyn Read>, Refusal> {
    let mut file = without_waiting(path)?;
    let data = file.metadata()?;
    if data.is_dir() {
        return Err(Refusal::Folder);
    }
    if data.is_file() {
        return Ok(Box::new(file));
    }
    let begin = Instant::now();
    let mut first = [0; 1];
    loop {
        match file.read(&mut first) {
            // no writer yet, or one that has written nothing; a device at its end
            Ok(0) if begin.elapsed() < PATIENCE && is_pipe(&data) => thread::sleep(LOOK),
            Ok(0) if is_pipe(&data) => return Err(Refusal::Silent),
            Ok(count) => {
                wait_again(&file)?;
                let head = io::Cursor::new(first).take(count as u64);
                return Ok(Box::new(head.chain(file)));
            }
            // somebody has it open: what comes is worth waiting for
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                wait_again(&file)?;
                return Ok(Box::new(file));
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
}

#[cfg(unix)]
fn without_waiting(path: &Path) -> io::Result<File> {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt;
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(path)
}

#[cfg(not(unix))]
fn without_waiting(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).open(path)
}

/// From here on reading waits for what is to come.
#[cfg(unix)]
fn wait_again(file: &File) -> io::Result<()> {
    use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
    let flags = fcntl_getfl(file)?;
    Ok(fcntl_setfl(file, flags - OFlags::NONBLOCK)?)
}

#[cfg(not(unix))]
fn wait_again(_: &File) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn is_pipe(data: &std::fs::Metadata) -> bool {
    std::os::unix::fs::FileTypeExt::is_fifo(&data.file_type())
}

#[cfg(not(unix))]
fn is_pipe(_: &std::fs::Metadata) -> bool {
    false
}
