//! The thread that looks at the world once a second: has another program written to the file, is the terminal
//! still there? Looking writes nothing to the terminal.

use std::fs::{self, Metadata};
use std::io::{self, IsTerminal, stdin};
use std::path::{Path, PathBuf};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, SystemTime};

use super::document;
use super::event::Event;

/// Time between two looks.
const LOOK: Duration = Duration::from_secs(1);

/// What is cheap to see of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    length: u64,
    written: Option<SystemTime>,
}

/// The file that is watched, and what of it was seen last (`None`: there was none).
#[derive(Clone, Debug, Default)]
struct Watched {
    path: Option<PathBuf>,
    stamp: Option<Stamp>,
    /// The text that is known to be in it.
    known: Option<String>,
    /// Whether it could not be read: that may end without a trace in the stamp.
    unreadable: bool,
}

/// The thread and the way to it.
#[derive(Clone, Default)]
pub struct Watch {
    watched: Arc<Mutex<Watched>>,
}

impl Watch {
    /// Starts the thread; what it sees goes to `events`.
    pub fn start(events: Sender<Event>) -> io::Result<Self> {
        let watch = Self::default();
        let watched = Arc::clone(&watch.watched);
        thread::Builder::new()
            .name("watch".to_owned())
            .spawn(move || {
                loop {
                    thread::sleep(LOOK);
                    let event = if stdin().is_terminal() {
                        look(&watched)
                    } else {
                        // hung up, and nobody has said so
                        Some(Event::InputLost)
                    };
                    if let Some(event) = event
                        && events.send(event).is_err()
                    {
                        return;
                    }
                }
            })?;
        Ok(watch)
    }

    /// This is the file now, where there is one, and this is what it holds.
    ///
    /// It holds nothing that is known where it is gone or cannot be read.
    pub fn follow(&self, path: Option<&Path>, known: Option<&str>) {
        let mut held = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        if held.path.as_deref() == path && held.known.as_deref() == known {
            return;
        }
        *held = Watched {
            path: path.map(Path::to_owned),
            // looked at once more: it may have changed since it was read
            stamp: None,
            known: known.map(str::to_owned),
            unreadable: false,
        };
    }
}

/// A look at the file; nobody waits for a disk that does not answer.
fn look(watched: &Mutex<Watched>) -> Option<Event> {
    let held = || watched.lock().unwrap_or_else(PoisonError::into_inner);
    let before = held().clone();
    let mut after = before.clone();
    let event = after.look();
    let mut held = held();
    // meanwhile it may have been saved, or another file opened
    if held.path != before.path || held.known != before.known {
        return None;
    }
    *held = after;
    event
}

impl Watched {
    /// What has changed since the last look.
    fn look(&mut self) -> Option<Event> {
        let path = self.path.clone()?;
        let found = fs::metadata(&path).ok().as_ref().map(stamp);
        let is_same = found == self.stamp && !self.unreadable;
        if is_same && (found.is_some() || self.known.is_none()) {
            return None;
        }
        self.stamp = found;
        let text = found.map(|_| document::read(&path)).transpose();
        let (known, unreadable) = (text.as_ref().ok().cloned().flatten(), text.is_err());
        // touched, or written as it was
        if (&known, unreadable) == (&self.known, self.unreadable) {
            return None;
        }
        (self.known, self.unreadable) = (known, unreadable);
        let text = text.map_err(|why| why.to_string());
        Some(Event::Disk { path, text })
    }
}

fn stamp(data: &Metadata) -> Stamp {
    Stamp {
        length: data.len(),
        written: data.modified().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_another_content_is_a_change() {
        let path = std::env::temp_dir().join(format!("holonom-watch-{}", std::process::id()));
        fs::write(&path, "one").unwrap();
        let watch = Watch::default();
        watch.follow(Some(&path), Some("one"));
        let look = || match look(&watch.watched) {
            Some(Event::Disk { text, .. }) => Some(text),
            _ => None,
        };
        assert_eq!(look(), None);
        assert_eq!(look(), None);
        // touched
        let file = fs::File::options().write(true).open(&path).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        assert_eq!(look(), None);
        // of the same length
        fs::write(&path, "two").unwrap();
        assert_eq!(look(), Some(Ok(Some("two".to_owned()))));
        assert_eq!(look(), None);
        fs::remove_file(&path).unwrap();
        assert_eq!(look(), Some(Ok(None)));
        assert_eq!(look(), None);
        // told once, also after the program knows of it
        watch.follow(Some(&path), None);
        assert_eq!(look(), None);
        fs::create_dir(&path).unwrap();
        let folder = Some(Err("it is a folder".to_owned()));
        assert_eq!(look(), folder);
        watch.follow(Some(&path), None);
        assert_eq!(look(), None);
        fs::remove_dir(&path).unwrap();
        fs::write(&path, "three").unwrap();
        assert_eq!(look(), Some(Ok(Some("three".to_owned()))));
        // it was read, then changed before it was followed
        watch.follow(Some(&path), Some("one"));
        assert_eq!(look(), Some(Ok(Some("three".to_owned()))));
        watch.follow(None, None);
        assert_eq!(look(), None);
        fs::remove_file(&path).unwrap();
    }
}
