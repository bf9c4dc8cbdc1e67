//! The thread that computes: the newest request counts, a newer one cancels it.
//!
//! A request is begun at once; while keys come faster than answers, the one being worked on is
//! cancelled and those between are never begun. So there is no delay to wait out, and no queue.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::{io, thread};

use super::event::Event;
use crate::analysis::{self, Analysis, Broken};
use crate::system::Diagnostic;

/// Symbolic work recurses as deep as the expressions are.
const STACK: usize = 64 << 20;

/// Said where the analysis of a text ended in a panic: the workbench and the text live on.
const BROKEN: &str =
    "the analysis of this system broke off: an error of the program, please report it";

/// A text to be analysed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Counts the requests; the answer carries it.
    pub generation: u64,
    /// The text.
    pub text: String,
    /// What to call it in messages.
    pub file: String,
    /// Parameters set on the command line.
    pub set: Vec<(String, String)>,
}

/// What became of a request.
pub struct Answer {
    /// That of the request.
    pub generation: u64,
    /// The analysis, or what is wrong with the text.
    pub result: Result<Box<Analysis>, Vec<Diagnostic>>,
}

#[derive(Default)]
struct Desk {
    next: Option<Request>,
    /// Set to give up the request being worked on.
    cancel: Arc<AtomicBool>,
    closed: bool,
}

/// The thread and the way to it.
pub struct Worker {
    desk: Arc<(Mutex<Desk>, Condvar)>,
}

impl Worker {
    /// Starts the thread; answers go to `answers`.
    pub fn start(answers: Sender<Event>) -> io::Result<Self> {
        let desk = Arc::new((Mutex::new(Desk::default()), Condvar::new()));
        let at = Arc::clone(&desk);
        thread::Builder::new()
            .name("analysis".to_owned())
            .stack_size(STACK)
            .spawn(move || work(&at, &answers))?;
        Ok(Self { desk })
    }

    /// Asks for an analysis in the place of any other.
    pub fn ask(&self, request: Request) {
        let (desk, bell) = &*self.desk;
        let mut desk = desk.lock().unwrap_or_else(PoisonError::into_inner);
        desk.cancel.store(true, Ordering::Relaxed);
        desk.next = Some(request);
        bell.notify_one();
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let (desk, bell) = &*self.desk;
        let mut desk = desk.lock().unwrap_or_else(PoisonError::into_inner);
        desk.cancel.store(true, Ordering::Relaxed);
        desk.closed = true;
        bell.notify_one();
    }
}

fn work(desk: &(Mutex<Desk>, Condvar), answers: &Sender<Event>) {
    let (desk, bell) = desk;
    loop {
        let mut held = desk.lock().unwrap_or_else(PoisonError::into_inner);
        let (request, cancel) = loop {
            if held.closed {
                return;
            }
            if let Some(request) = held.next.take() {
                held.cancel = Arc::default();
                break (request, Arc::clone(&held.cancel));
            }
            held = bell.wait(held).unwrap_or_else(PoisonError::into_inner);
        };
        drop(held);
        let done = catch_unwind(AssertUnwindSafe(|| {
            analysis::analyse(&request.text, &request.file, &request.set, &cancel)
        }));
        if cancel.load(Ordering::Relaxed) {
            continue;
        }
        let told = |message: &str| Err(vec![Diagnostic::without_place(&request.file, message)]);
        let result = match done {
            Ok(Ok(analysis)) => Ok(Box::new(analysis)),
            Ok(Err(Broken::Text(diagnostics))) => Err(diagnostics),
            Ok(Err(Broken::Request(error))) => told(&error.to_string()),
            Ok(Err(Broken::Cancelled)) => continue,
            Err(_) => told(BROKEN),
        };
        let answer = Answer {
            generation: request.generation,
            result,
        };
        if answers.send(Event::Answer(answer)).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use super::*;
    use crate::system::builtin;

    #[test]
    fn the_newest_request_is_answered() {
        let (sender, answers) = channel();
        let worker = Worker::start(sender).unwrap();
        for generation in 1..=50 {
            worker.ask(Request {
                generation,
                text: builtin()[0].text.to_owned(),
                file: "bead".to_owned(),
                set: Vec::new(),
            });
        }
        let mut seen = 0;
        while seen < 50 {
            let event = answers.recv_timeout(Duration::from_secs(60)).unwrap();
            let Event::Answer(answer) = event else {
                panic!("the worker only answers")
            };
            assert!(answer.generation > seen && answer.result.is_ok());
            seen = answer.generation;
        }
        drop(worker);
        // the thread has ended, and with it its end of the channel
        assert!(answers.recv_timeout(Duration::from_secs(60)).is_err());
    }
}
