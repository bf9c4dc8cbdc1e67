//! The thread that computes: the newest request counts, a newer one calls off what is being worked on.
//!
//! A request is begun at once; while keys come faster than answers, the one being worked on is
//! called off and those between are never begun. So there is no delay to wait out, and no queue. Questions
//! about the text that is shown (a map, the methods compared) come after that, one of a kind; a question is called
//! off where another text is to be analysed, where a newer one of its kind is asked, and where it is taken back.

use std::mem::discriminant;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;
use std::{io, thread};

use super::equilibria::WantedOscillation;
use super::event::Event;
use super::formulas::{Printed, PrintedForm};
use super::map::Wanted;
use super::nearest::{Failure, RegularPoint};
use super::range::{RangeAnswer, WantedRange};
use super::writing::{WantedPage, Writer, Written};
use crate::analysis::{
    self, Analysis, Broken, Finding, MapAnswer, Model, Oscillation, RequestError, Where,
};
use crate::expr::Style;
use crate::expr::until_cancelled;
use crate::report::{forms, functions, refusal_advice, refusal_in_file, summary};
use crate::solver::{Comparison, SolverError};
use crate::statics::Equilibria;
use crate::system::{Changes, Diagnostic, System};

/// Symbolic work recurses as deep as the expressions are.
const STACK: usize = 64 << 20;

/// What takes longer is shown in parts.
const PATIENCE: Duration = Duration::from_millis(150);

/// Said where the analysis of a text ended in a panic: the workbench and the text live on.
const BROKEN: &str =
    "the analysis of this system broke off: an error of the program, please report it";

/// A text to be analysed.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Counts the requests; the answer carries it.
    pub generation: u64,
    /// The text.
    pub text: String,
    /// What to call it in messages.
    pub file: String,
    /// What is changed of the system that the text describes.
    pub changes: Changes,
}

impl Request {
    /// Does it describe the same system?
    fn is_alike(&self, other: &Self) -> bool {
        self.text == other.text && self.changes == other.changes
    }

    /// The system.
    fn read(&self) -> Result<System, Vec<Diagnostic>> {
        System::changed(&self.text, &self.file, &self.changes)
    }

    /// What became of it.
    pub fn answer(&self, result: Result<Analysed, Trouble>) -> Answer {
        Answer {
            generation: self.generation,
            result,
        }
    }
}

/// What became of a request.
pub struct Answer {
    /// That of the request.
    pub generation: u64,
    /// The analysis, or what is wrong.
    pub result: Result<Analysed, Trouble>,
}

/// An analysis, with what its panes show that takes algebra.
pub struct Analysed {
    /// The analysis.
    pub analysis: Box<Analysis>,
    /// The equations, form by form.
    pub forms: Vec<PrintedForm>,
    /// Those worth reading at a glance, each with its label, on one line.
    pub summary: Vec<(String, String)>,
    /// The inverse functions.
    pub functions: Vec<Printed>,
}

impl Analysed {
    pub fn of(analysis: Analysis) -> Self {
        let (model, derived) = (analysis.model(), &analysis.derived);
        let system = &model.system;
        let summary = summary(model, derived).into_iter();
        let functions = functions(model, derived);
        let forms = forms(model, derived, model.account()).into_iter();
        Self {
            functions: functions.iter().map(|f| Printed::of(f, system)).collect(),
            summary: summary
                .map(|(label, f)| (label, f.line(system, Style::Pretty)))
                .collect(),
            forms: forms.map(|form| PrintedForm::of(form, system)).collect(),
            analysis: Box::new(analysis),
        }
    }
}

/// Why there is no analysis.
#[derive(Clone, Debug, PartialEq)]
pub enum Trouble {
    /// The text is no system.
    Text(Vec<Diagnostic>),
    /// It is one, but there is no start: what needs none can be asked about all the same.
    Start(Vec<Diagnostic>),
}

impl Trouble {
    /// That the start cannot be made, at its place in the text where it has one.
    pub fn of_start(request: &Request, error: &RequestError) -> Self {
        if let Some(faults) = refusal_in_file(error) {
            return Self::Start(faults);
        }
        let (file, text) = (&request.file, &request.text);
        let (message, help) = match error {
            RequestError::Solver(error) => (error.to_string(), refusal_advice(error)),
            other => (other.to_string(), None),
        };
        let key = "start";
        let lines = text.split_inclusive('\n').scan(0, |at, line| {
            let from = *at;
            *at += line.len();
            Some((from, line))
        });
        let mut places = lines.filter(|(_, line)| {
            let rest = line.strip_prefix(key).map(str::trim_start);
            rest.is_some_and(|rest| rest.starts_with(':'))
        });
        let diagnostic = match places.next() {
            Some((from, _)) => Diagnostic::at(file, text, from..from + key.len(), message),
            None => Diagnostic::without_place(file, message),
        };
        Self::Start(vec![Diagnostic { help, ..diagnostic }])
    }
}

/// What is asked about a text that has been analysed.
#[derive(Clone, Debug, PartialEq)]
pub enum Question {
    /// A map of the constraint set.
    Map(Wanted),
    /// The methods against each other, in the text of this request.
    Methods(u64),
    /// The failure of the theorem nearest to a place.
    Nearest(RegularPoint),
    /// The equilibria, in the text of this request.
    Equilibria(u64),
    /// How it swings about one of them.
    Oscillation(WantedOscillation),
    /// A parameter over a range.
    Range(WantedRange),
    /// A page of what is written about it.
    Page(WantedPage),
}

impl Question {
    /// Of each kind one is open at most.
    fn is_of_kind(&self, other: &Self) -> bool {
        discriminant(self) == discriminant(other)
    }
}

/// What became of a question, and of which.
pub enum Found {
    /// The map; none where its making broke off.
    Map(Wanted, Option<Box<MapAnswer>>),
    /// The methods against each other, and the motion against what is known of it.
    Methods(u64, Box<Methods>),
    /// The equilibria; none where the search broke off.
    Equilibria(u64, Option<Box<Equilibria>>),
    /// A mode in pictures; none where that broke off.
    Oscillation(WantedOscillation, Option<Box<Oscillation>>),
    /// The failure nearest to a place, if there is one.
    Nearest(RegularPoint, Option<Failure>),
    /// A parameter over a range; there may be more to come.
    Range(WantedRange, Box<RangeAnswer>),
    /// A page; a sentence where there is none.
    Page(WantedPage, Result<Box<Written>, String>),
}

/// How the motion stands against itself and against what is known.
pub struct Methods {
    /// The methods, or why there is nothing to compare.
    pub compared: Result<Comparison, String>,
    /// What the text expects.
    pub findings: Vec<Finding>,
}

#[derive(Default)]
struct Desk {
    next: Option<Request>,
    /// Questions, the newest of a kind in the place of those before.
    questions: Vec<(Request, Question)>,
    /// Set to call off what is being worked on.
    cancel: Arc<AtomicBool>,
    /// The question that is being worked on.
    working: Option<Question>,
    closed: bool,
}

impl Desk {
    /// Drops the questions of its kind, also the one that is being worked on.
    fn call_off(&mut self, question: &Question) {
        self.questions.retain(|(_, old)| !old.is_of_kind(question));
        if self
            .working
            .as_ref()
            .is_some_and(|at| at.is_of_kind(question))
        {
            self.cancel.store(true, Ordering::Relaxed);
        }
    }
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
        // they were about another text
        desk.questions.clear();
        bell.notify_one();
    }

    /// Asks something about a text, after what is being worked on; a question of the same kind is called off.
    pub fn question(&self, about: Request, question: Question) {
        let (desk, bell) = &*self.desk;
        let mut desk = desk.lock().unwrap_or_else(PoisonError::into_inner);
        desk.call_off(&question);
        desk.questions.push((about, question));
        bell.notify_one();
    }

    /// The question that is being worked on.
    #[cfg(test)]
    pub fn at(&self) -> Option<Question> {
        self.desk.0.lock().unwrap().working.clone()
    }

    /// Takes a question back: nobody waits for the answer any more.
    pub fn withdraw(&self, question: &Question) {
        let (desk, _) = &*self.desk;
        let mut desk = desk.lock().unwrap_or_else(PoisonError::into_inner);
        desk.call_off(question);
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
    let mut known = Known::default();
    loop {
        let mut held = desk.lock().unwrap_or_else(PoisonError::into_inner);
        held.working = None;
        // a text to be analysed, or a question about one
        let (request, question) = loop {
            if held.closed {
                return;
            }
            if let Some(request) = held.next.take() {
                break (request, None);
            }
            if !held.questions.is_empty() {
                let (about, question) = held.questions.remove(0);
                break (about, Some(question));
            }
            held = bell.wait(held).unwrap_or_else(PoisonError::into_inner);
        };
        held.working.clone_from(&question);
        let cancel = Arc::<AtomicBool>::default();
        held.cancel = Arc::clone(&cancel);
        drop(held);
        let event = match question {
            None => {
                let mut tell = |part| drop(answers.send(Event::Answer(part)));
                let done = catch_unwind(AssertUnwindSafe(|| {
                    let analyse = || known.analyse(&request, &cancel, &mut tell);
                    until_cancelled(&cancel, analyse)
                }));
                let answer = done.unwrap_or_else(|_| {
                    known = Known::default();
                    let why = Diagnostic::without_place(&request.file, BROKEN);
                    Some(request.answer(Err(Trouble::Text(vec![why]))))
                });
                let newest = !cancel.load(Ordering::Relaxed);
                answer.filter(|_| newest).map(Event::Answer)
            }
            Some(question) => {
                let mut tell = |part| {
                    if !cancel.load(Ordering::Relaxed) {
                        drop(answers.send(Event::Replied(part)));
                    }
                };
                let reply = catch_unwind(AssertUnwindSafe(|| {
                    let answer = || known.reply(&request, question.clone(), &cancel, &mut tell);
                    until_cancelled(&cancel, answer)
                }));
                let reply = reply.unwrap_or_else(|_| {
                    known = Known::default();
                    Some(broken(question))
                });
                let cancelled = cancel.load(Ordering::Relaxed);
                if cancelled {
                    // what the model remembers may be cut off too
                    known = Known::default();
                }
                reply.filter(|_| !cancelled).map(Event::Replied)
            }
        };
        if event.is_some_and(|event| answers.send(event).is_err()) {
            return;
        }
    }
}

/// Where a question ended in a panic.
fn broken(question: Question) -> Found {
    let why = BROKEN.to_owned();
    match question {
        Question::Map(wanted) => Found::Map(wanted, None),
        Question::Equilibria(of) => Found::Equilibria(of, None),
        Question::Oscillation(wanted) => Found::Oscillation(wanted, None),
        Question::Nearest(place) => Found::Nearest(place, None),
        Question::Range(wanted) => Found::Range(wanted, Box::new(RangeAnswer::none(why))),
        Question::Page(wanted) => Found::Page(wanted, Err(why)),
        Question::Methods(of) => {
            let (compared, findings) = (Err(why), Vec::new());
            Found::Methods(of, Box::new(Methods { compared, findings }))
        }
    }
}

/// The text that was analysed or asked about last, prepared: what was read and derived of it once serves every
/// question.
#[derive(Default)]
pub struct Known {
    of: Option<(Request, Model, Writer)>,
}

impl Known {
    /// Analyses a text; `None` where that was called off. Where it takes long, what there is of it is told on the way.
    pub fn analyse(
        &mut self,
        request: &Request,
        cancel: &AtomicBool,
        tell: &mut dyn FnMut(Answer),
    ) -> Option<Answer> {
        self.of = None;
        let whole = request.read().map_err(Broken::Text).and_then(|system| {
            let mut tell = |part| tell(request.answer(Ok(Analysed::of(part))));
            Analysis::in_parts(system, cancel, (PATIENCE, &mut tell))
        });
        let result = match whole {
            Ok(analysis) => {
                let (model, derived) = (analysis.model(), &analysis.derived);
                let writer = Writer::knowing(&analysis.dependent, derived);
                self.of = Some((request.clone(), model.clone(), writer));
                Ok(Analysed::of(analysis))
            }
            Err(Broken::Text(diagnostics)) => Err(Trouble::Text(diagnostics)),
            Err(Broken::Request(error)) => Err(Trouble::of_start(request, &error)),
            Err(Broken::Cancelled) => return None,
        };
        Some(request.answer(result))
    }

    /// The answer to a question; `None` where the text is none that can be asked about. Where it takes long, what there
    /// is of it is told on the way.
    pub fn reply(
        &mut self,
        about: &Request,
        question: Question,
        cancel: &AtomicBool,
        tell: &mut dyn FnMut(Found),
    ) -> Option<Found> {
        let known = self.of.as_ref();
        if !known.is_some_and(|(known, ..)| known.is_alike(about)) {
            let model = Model::new(about.read().ok()?);
            self.of = Some((about.clone(), model, Writer::default()));
        }
        let (_, model, writer) = self.of.as_mut()?;
        Some(match question {
            Question::Map(wanted) => {
                let answer = wanted.map(model);
                Found::Map(wanted, Some(Box::new(answer)))
            }
            Question::Equilibria(of) => {
                let equilibria = model.equilibria(&Where::default());
                Found::Equilibria(of, Some(Box::new(equilibria)))
            }
            Question::Oscillation(wanted) => {
                let oscillation = model.oscillation(&wanted.swung);
                Found::Oscillation(wanted, Some(Box::new(oscillation)))
            }
            Question::Nearest(place) => {
                let failure = place.failure(model);
                Found::Nearest(place, failure)
            }
            Question::Range(wanted) => {
                let mut tell = |part| tell(Found::Range(wanted.clone(), Box::new(part)));
                let answer = wanted.answer(model, cancel, &mut tell);
                Found::Range(wanted, Box::new(answer))
            }
            Question::Page(wanted) => {
                let written = writer.write(model, &wanted);
                Found::Page(wanted, written.map(Box::new))
            }
            Question::Methods(of) => {
                let compared = if model.system.objective {
                    Err(SolverError::Objective.into())
                } else {
                    model.compare(&analysis::Request::default(), cancel)
                };
                let methods = Methods {
                    compared: compared.map_err(|error| error.to_string()),
                    // where there is no motion the comparison has said why
                    findings: model.verify(cancel).unwrap_or_default(),
                };
                Found::Methods(of, Box::new(methods))
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

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
                changes: Changes::default(),
            });
        }
        let mut seen = 0;
        while seen < 50 {
            let event = answers.recv_timeout(Duration::from_secs(60)).unwrap();
            let Event::Answer(answer) = event else {
                panic!("the worker only answers")
            };
            let analysis = answer.result.ok().unwrap().analysis;
            assert!(answer.generation > seen);
            if analysis.underway.is_none() {
                seen = answer.generation;
            }
        }
        drop(worker);
        // the thread has ended, and with it its end of the channel
        assert!(answers.recv_timeout(Duration::from_secs(60)).is_err());
    }
}
