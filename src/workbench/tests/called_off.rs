//! Long work on the real worker: what is typed meanwhile is answered first, and what is left is not finished.

use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use super::*;
use crate::workbench::equilibria::known;
use crate::workbench::worker::Worker;

/// Quickly analysed; to look for all its equilibria takes a thousand times as long.
const LONG: &str = "\
name: A bead, and more than it
coordinates: [x1, x2, a, b, c, d]
lagrangian: >-
  1/2*(x1'^2 + x2'^2 + a'^2 + b'^2 + c'^2 + d'^2) - 9.81*x2
  - sin(a*b + c) - cos(b*c + d*a) - sin(c*d*x1 + b)
constraints: {wire: x2 - x1^2}
dependent: [x1]
run: {until: 0.1, samples: 10}
start: {x1: 1}
";

/// A set of three dimensions, of which an atlas takes long.
const WIDE: &str = "\
name: Two constraints
coordinates: [x1, x2, a, b, c]
lagrangian: 1/2*(x1'^2 + x2'^2 + a'^2 + b'^2 + c'^2) - 9.81*x2
constraints: {wire: x2 - x1^2 + sin(a*b), other: x1*a + cos(a*b + c*x2) - c}
dependent: [x1, a]
run: {until: 0.1, samples: 10}
start: {x1: 1, a: 0.1, b: 0.2}
";

/// Longer than anything takes.
const PATIENCE: Duration = Duration::from_secs(120);

/// A workbench whose questions go to a worker of its own.
pub(super) struct Real {
    pub(super) bench: Bench,
    worker: Worker,
    answers: Receiver<Event>,
}

impl Real {
    pub(super) fn new(text: &str) -> Self {
        let (sender, answers) = channel();
        let mut real = Self {
            bench: Bench::new(text, (80, 24)),
            worker: Worker::start(sender).unwrap(),
            answers,
        };
        real.bench.answering = false;
        real
    }

    fn send(&mut self, event: Event) {
        for effect in update(&mut self.bench.state, event) {
            match effect {
                Effect::Analyse(request) => self.worker.ask(request),
                Effect::Ask(about, question) => self.worker.question(about, question),
                Effect::Withdraw(question) => self.worker.withdraw(&question),
                other => self.bench.carry_out(vec![other]),
            }
        }
    }

    pub(super) fn keys(&mut self, names: &str) {
        for name in names.split(' ').filter(|name| !name.is_empty()) {
            self.send(Event::Key(key(name)));
        }
    }

    /// Waits until the worker is at a question.
    pub(super) fn at(&self, question: fn(&Question) -> bool) {
        while !self.worker.at().as_ref().is_some_and(question) {
            std::thread::yield_now();
        }
    }

    /// The next that the worker says, parts of an answer aside.
    pub(super) fn hear(&mut self) {
        loop {
            let event = self.answers.recv_timeout(PATIENCE).unwrap();
            let part = match &event {
                Event::Answer(answer) => {
                    let found = answer.result.as_ref().ok();
                    found.is_some_and(|found| found.analysis.underway.is_some())
                }
                _ => false,
            };
            self.send(event);
            if !part {
                return;
            }
        }
    }

    /// x1 at the start of the motion that is shown.
    fn x1(&self) -> f64 {
        let analysis = self.bench.state.analysis.as_ref().unwrap();
        analysis.motion.samples[0].x[0]
    }
}

#[test]
fn an_edit_is_answered_while_equilibria_are_looked_for() {
    let mut real = Real::new(LONG);
    real.keys("B");
    real.at(|at| matches!(at, Question::Equilibria(_)));
    assert!(known(&real.bench.state).is_none());
    real.keys("esc e ctrl-end left left 5");
    assert!(real.bench.state.pending && real.x1() == 1.0);
    real.hear();
    // the first that is heard is the new verdict
    assert!(!real.bench.state.pending);
    assert_eq!(real.x1(), 15.0);
    let screen = real.bench.screen();
    assert!(screen.contains("HOLDS for x₁ near (15"), "{screen}");
    assert!(real.bench.state.equilibria.search.found.is_none());
}

#[test]
fn a_view_that_is_left_does_not_keep_the_worker() {
    let mut real = Real::new(LONG);
    real.keys("B");
    real.at(|at| matches!(at, Question::Equilibria(_)));
    real.keys("esc W");
    real.hear();
    // the first that is heard is the page
    let screen = real.bench.screen();
    assert!(screen.contains("1. The usual form"), "{screen}");
    assert!(real.bench.state.equilibria.search.found.is_none());
    // the search begins anew, and is not cut off by what was
    real.keys("esc B");
    real.hear();
    let found = known(&real.bench.state).unwrap();
    assert!(found.list.len() > 3);
}

#[test]
fn a_page_that_is_leafed_past_does_not_keep_the_worker() {
    let mut real = Real::new(WIDE);
    real.keys("W");
    real.hear();
    real.keys("f");
    real.hear();
    real.keys("f");
    real.at(|at| matches!(at, Question::Page(_)));
    real.keys("f");
    real.hear();
    // the first that is heard is the next page
    let screen = real.bench.screen();
    assert!(screen.contains("import math"), "{screen}");
    real.keys("F");
    assert!(real.bench.state.report.written().is_none());
}
