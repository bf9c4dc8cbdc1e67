//! What is done to the time shown.

use crate::solver::Motion;
use crate::workbench::action::Action;
use crate::workbench::playhead::Playhead;
use crate::workbench::state::State;
use crate::workbench::text::trimmed;

/// Samples passed by a leap.
const LEAP: f64 = 20.0;

/// What the keys do to it; false where they do something else.
pub(super) fn act(state: &mut State, action: Action) -> bool {
    match action {
        Action::Play => play(state),
        Action::StepBack => step(state, -1.0),
        Action::StepForward => step(state, 1.0),
        Action::LeapBack => step(state, -LEAP),
        Action::LeapForward => step(state, LEAP),
        Action::NextFlag | Action::PreviousFlag => to_flag(state, action == Action::NextFlag),
        Action::ToStart | Action::ToEnd => travel(state, |head, motion| {
            if let Some((start, end)) = motion.ends() {
                let to_start = action == Action::ToStart;
                head.go(motion, if to_start { start } else { end });
            }
        }),
        Action::Slower | Action::Faster => {
            state.playhead.change_speed(action == Action::Faster);
            if !state.playhead.playing {
                state.note(format!("speed {}x", trimmed(state.playhead.speed())));
            }
        }
        _ => return false,
    }
    true
}

fn to_flag(state: &mut State, after: bool) {
    let analysis = state.analysis.clone();
    let motion = analysis.as_ref().map(|analysis| &analysis.motion);
    let Some(motion) = motion.filter(|motion| motion.ends().is_some()) else {
        return;
    };
    match state.playhead.neighbour(motion, after) {
        Some(flag) => travel(state, |head, motion| head.go(motion, motion.flags[flag].t)),
        None if motion.flags.is_empty() => state.note("the theorem fails nowhere on the way"),
        None => {
            let holds = state.look.as_ref().is_none_or(|look| look.verdict.holds());
            state.note(match (after, holds) {
                (true, true) => "it fails no more from here to the end",
                (true, false) => "it fails here, and at no other place from here to the end",
                (false, true) => "it does not fail before",
                (false, false) => "it fails here, and at no other place before",
            });
        }
    }
}

fn step(state: &mut State, samples: f64) {
    travel(state, |head, motion| head.step(motion, samples));
}

/// Time passes.
pub(super) fn tick(state: &mut State, seconds: f64) {
    if let Some(analysis) = state.analysis.clone()
        && state.playhead.pass(&analysis.motion, seconds)
    {
        state.look_again();
        state.plots.follow(state.playhead.t);
        state.changed = true;
    }
}

/// Play or pause; from the end of the motion it begins anew.
fn play(state: &mut State) {
    state.playhead.playing = !state.playhead.playing;
    state.map.probe = None;
    let analysis = state.analysis.clone();
    let motion = analysis.as_ref().map(|analysis| &analysis.motion);
    if let (false, Some(motion)) = (state.playhead.playing, motion) {
        state.playhead.rest_on_sample(motion);
        state.look_again();
    }
    let span = motion.and_then(Motion::ends);
    if let (true, Some((start, end))) = (state.playhead.playing, span)
        && state.playhead.t.total_cmp(&end).is_eq()
    {
        state.playhead.t = start;
        state.look_again();
    }
}

/// Moves the time shown by hand: it no longer moves by itself.
pub(in crate::workbench) fn travel(state: &mut State, how: impl FnOnce(&mut Playhead, &Motion)) {
    if let Some(analysis) = state.analysis.clone() {
        state.playhead.playing = false;
        state.map.probe = None;
        how(&mut state.playhead, &analysis.motion);
        state.look_again();
    }
}
