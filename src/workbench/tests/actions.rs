//! A scene for every action of the table: where it begins, the key, and what is then seen.

use super::keys::in_context;
use super::*;
use crate::workbench::action::{self, Action, Context, Key, TABLE};
use crate::workbench::map;

const BEAD: &str = "bead_on_parabola";
const SIZE: (u16, u16) = (80, 24);
/// A surface: there is an up and a down on it.
const SPHERE: &str = "name: Sphere\ncoordinates: [x, y, z]\n\
                      lagrangian: 1/2*(x'^2 + y'^2 + z'^2) - z\n\
                      constraints: {ball: x^2 + y^2 + z^2 - 1}\n\
                      start: {x: 0.6, y: 0, z: -0.8, x': 0.1, y': 0.2}\nrun: {until: 2}\n";

/// A length that stands in the position of a body.
const ROD: &str = "name: Rod\ncoordinates: [th]\nparameters: {l: 2}\n\
                   bodies: {bob: {mass: 1, at: [l*sin(th), -l*cos(th)]}}\ngravity: [0, -9.81]\n\
                   start: {th: 1}\nrun: {until: 2}\n";

/// Where a scene begins.
#[derive(Clone, Copy)]
enum Begin {
    /// The bead at t 3.2, after these keys.
    Keys(&'static str),
    /// Another system, after these keys.
    System(&'static str, &'static str),
    /// Where keys have this meaning.
    In(Context),
}

/// What is seen after the key and was not before.
#[derive(Clone, Copy)]
enum Seen {
    /// A text on the screen.
    Text(&'static str),
    /// A text that has gone from the screen.
    Gone(&'static str),
    /// Something of the state, or outside.
    Is(fn(&Bench) -> bool),
    /// A number that has become larger.
    Rises(fn(&Bench) -> f64),
    /// A number that has become smaller.
    Falls(fn(&Bench) -> f64),
}

use Begin::{In, Keys, System};
use Seen::{Falls, Gone, Is, Rises, Text};

fn line(bench: &Bench) -> f64 {
    bench.state.editor.cursor().line as f64
}

fn column(bench: &Bench) -> f64 {
    bench.state.editor.cursor().column as f64
}

fn slider(bench: &Bench) -> f64 {
    bench.state.sliders[0].value
}

fn along(bench: &Bench) -> f64 {
    bench.state.position[map::plane(&bench.state).unwrap().0]
}

fn up(bench: &Bench) -> f64 {
    bench.state.position[map::plane(&bench.state).unwrap().1]
}

fn low(bench: &Bench) -> f64 {
    bench.state.plots.lens.window.0.unwrap().0
}

fn span(bench: &Bench) -> f64 {
    bench
        .state
        .plots
        .lens
        .window
        .0
        .map_or(10.0, |(lo, hi)| hi - lo)
}

fn shown(bench: &Bench) -> (String, Vec<String>) {
    let view = bench.state.plots.view().unwrap();
    (view.x.clone(), view.y.clone())
}

fn top(bench: &Bench) -> f64 {
    bench.state.scroll.system as f64
}

fn count(bench: &Bench) -> f64 {
    shown(bench).1.len() as f64
}

#[rustfmt::skip] // a table
const SCENES: &[(Action, Begin, &str, Seen)] = &[
    (Action::Edit, Keys(""), "e", Text("(editing)")),
    (Action::EndEdit, Keys("e"), "esc", Gone("(editing)")),
    (Action::Play, Keys(""), "space", Text("▶ 1x")),
    (Action::StepBack, Keys(""), "left", Text("t 3.150")),
    (Action::StepForward, Keys(""), "right", Text("t 3.250")),
    (Action::LeapBack, Keys(""), "H", Text("t 2.200")),
    (Action::LeapForward, Keys(""), "L", Text("t 4.200")),
    (Action::NextFlag, Keys(""), "n", Text("FAILS for x₁ at t 4.1645")),
    (Action::PreviousFlag, Keys(""), "N", Text("FAILS for x₁ at t 2.9746")),
    (Action::ToStart, Keys(""), "0", Text("t 0.000")),
    (Action::ToEnd, Keys(""), "$", Text("t 10.000")),
    (Action::Slower, Keys("space"), "-", Text("▶ 0.5x")),
    (Action::Faster, Keys("space"), "+", Text("▶ 2x")),
    (Action::NextPane, Keys(""), "tab", Text("┏ Theorem")),
    (Action::PreviousPane, Keys(""), "backtab", Text("┏ Plot")),
    (Action::Zoom, Keys(""), "z", Gone("┌ Plot")),
    (Action::ScrollUp, Keys("j j"), "k", Falls(top)),
    (Action::ScrollDown, Keys(""), "j", Gone(" 1 name: Bead")),
    (Action::PageUp, Keys("pgdn"), "pgup", Text(" 1 name: Bead")),
    (Action::PageDown, Keys(""), "pgdn", Gone(" 1 name: Bead")),
    (Action::HalfUp, Keys("ctrl-d"), "ctrl-u", Text(" 1 name: Bead")),
    (Action::HalfDown, Keys(""), "ctrl-d", Gone(" 1 name: Bead")),
    (Action::Top, Keys("G"), "g", Text(" 1 name: Bead")),
    (Action::Bottom, Keys(""), "G", Gone(" 1 name: Bead")),
    (Action::NextPlot, Keys(""), "v", Text("┌ Plot  2/")),
    (Action::Map, Keys(""), "m", Text("┏ Map")),
    (Action::Probe, Keys(""), ".", Text("at the probe")),
    (Action::EndProbe, Keys("."), "esc", Gone("at the probe")),
    (Action::ProbeOn, Keys("."), "right", Rises(along)),
    (Action::ProbeBack, Keys("."), "left", Falls(along)),
    (Action::ProbeFarOn, Keys("."), "L", Rises(along)),
    (Action::ProbeFarBack, Keys("."), "H", Falls(along)),
    (Action::ProbeUp, System(SPHERE, "."), "up", Rises(up)),
    (Action::ProbeDown, System(SPHERE, "."), "down", Falls(up)),
    (Action::Closer, Keys(""), "]", Falls(span)),
    (Action::Farther, Keys("] ]"), "[", Rises(span)),
    (Action::Before, Keys("]"), "<", Falls(low)),
    (Action::After, Keys("]"), ">", Rises(low)),
    (Action::Whole, Keys("]"), "w", Is(|b| b.state.plots.lens.window.0.is_none())),
    (Action::LogAxes, Keys(""), "S", Text("y is logarithmic")),
    (Action::Drift, Keys(""), "d", Text("curves show how they change")),
    (Action::Levels, Keys(""), "K", Text(" Level lines of ")),
    (Action::Aspect, Keys(""), "a", Text("both axes have the same scale")),
    (Action::Characters, Keys(""), "b", Text("drawn with blocks")),
    (Action::CopyPlot, Keys(""), "P", Is(|b| b.clipboard.contains('┤'))),
    (Action::CopyRow, Keys(""), "R", Is(|b| b.clipboard.starts_with("3.2\t"))),
    (Action::Export, Keys(""), "E", Text("Export the plot to a file")),
    (Action::Screen, Keys(""), "I", Text("Screenshot to a file")),
    (Action::NextForm, Keys(""), "f", Text("Equations 1/")),
    (Action::PreviousForm, Keys("f f"), "F", Text("Equations 1/")),
    (Action::CopyText, Keys(""), "C", Is(|b| b.clipboard.contains("lambda_wire = "))),
    (Action::CopyLatex, Keys(""), "T", Is(|b| b.clipboard.contains("\\end{align*}"))),
    (Action::NextY, Keys(""), "y", Is(|b| shown(b).1 == ["x2"])),
    (Action::PreviousY, Keys("y"), "Y", Is(|b| shown(b).1 == ["x1"])),
    (Action::NextX, Keys(""), "x", Is(|b| shown(b).0 == "x1")),
    (Action::PreviousX, Keys("x"), "X", Is(|b| shown(b).0 == "t")),
    (Action::Columns, Keys(""), "c", Text(" Columns ")),
    (Action::ToggleY, Keys("c down down down"), "space", Rises(count)),
    (Action::OnlyY, Keys("c down down"), "o", Is(|b| shown(b).1 == ["x2"])),
    (Action::SetX, Keys("c down"), "x", Is(|b| shown(b).0 == "x1")),
    (Action::Parameters, Keys(""), "p", Text(" Parameters ")),
    (Action::Less, Keys("p"), "left", Falls(slider)),
    (Action::More, Keys("p"), "right", Rises(slider)),
    (Action::LessFine, Keys("p"), "shift-left", Falls(slider)),
    (Action::MoreFine, Keys("p"), "shift-right", Rises(slider)),
    (Action::WriteValue, Keys("p right"), "enter", Text("is written into the text")),
    (Action::ResetValue, Keys("p right"), "u", Falls(slider)),
    (Action::FreeParameter, System(ROD, "p"), "f", Text("free_l")),
    (Action::NextChoice, Keys(""), "Q", Text("dependent: x2, written into the text")),
    (Action::Problems, Keys(""), "!", Text(" Problems ")),
    (Action::Methods, Keys(""), "D", Text(" Methods ")),
    (Action::Equilibria, Keys(""), "B", Text(" Equilibria ")),
    (Action::Range, Keys(""), "J", Text(" Range: m from ")),
    (Action::Report, Keys(""), "W", Text(" Report 1/8: Handout")),
    (Action::Certificate, Keys(""), "Z", Text(" Report 8/8: Certificate")),
    (Action::AllChoices, Keys("W f f"), "a", Gone("Atlas, all choices")),
    (Action::NextMode, System("double_pendulum", "B"), "right", Text("mode 2 of 2")),
    (Action::PreviousMode, System("double_pendulum", "B right"), "left", Text("mode 1 of 2")),
    (Action::Open, Keys(""), "o", Text(" Open ")),
    (Action::Open1, Keys("2"), "1", Text("holonom  bead_on_parabola")),
    (Action::Open2, Keys(""), "2", Text("holonom  rotating_rod")),
    (Action::Open3, Keys(""), "3", Text("holonom  product_and_sum")),
    (Action::New, Keys(""), "A", Text("new system")),
    (Action::External, Keys(""), "V", Text("modified")),
    (Action::Save, Keys(""), "s", Text(" Save as ")),
    (Action::SaveAs, Keys(""), "O", Text(" Save as ")),
    (Action::Reload, Keys(""), "r", Text("reloaded from disk")),
    (Action::Undo, Keys("e x esc"), "u", Gone("modified")),
    (Action::Redo, Keys("e x esc u"), "U", Text("modified")),
    (Action::Find, Keys(""), "/", Text(" Find ")),
    (Action::FindNext, Keys("/ x 2 enter"), "f3", Rises(|b| 100.0 * line(b) + column(b))),
    (Action::FindPrevious, Keys("/ x 2 enter f3"), "shift-f3", Falls(|b| 100.0 * line(b) + column(b))),
    (Action::Help, Keys(""), "?", Text(" Keys ")),
    (Action::Quit, Keys(""), "q", Is(|b| b.quit)),
    (Action::Redraw, Keys(""), "ctrl-l", Is(|b| b.redrawn)),
    (Action::Palette, Keys(""), ":", Text(" Commands ")),
    (Action::Theme, Keys(""), "t", Text("colours: light")),
    (Action::Mouse, Keys(""), "M", Is(|b| !b.mouse)),
    (Action::Suspend, Keys(""), "ctrl-z", Is(|b| b.suspended == 1)),
    (Action::Left, Keys("e right"), "left", Falls(column)),
    (Action::Right, Keys("e"), "right", Rises(column)),
    (Action::Up, Keys("e down"), "up", Falls(line)),
    (Action::Down, Keys("e"), "down", Rises(line)),
    (Action::WordLeft, Keys("e end"), "ctrl-left", Falls(column)),
    (Action::WordRight, Keys("e"), "ctrl-right", Rises(column)),
    (Action::LineStart, Keys("e end"), "home", Falls(column)),
    (Action::LineEnd, Keys("e"), "end", Rises(column)),
    (Action::TextStart, Keys("e down"), "ctrl-home", Falls(line)),
    (Action::TextEnd, Keys("e"), "ctrl-end", Rises(line)),
    (Action::Backspace, Keys("e x"), "backspace", Gone("xname")),
    (Action::Delete, Keys("e"), "del", Text(" 1 ame: Bead")),
    (Action::DeleteWord, Keys("e end"), "ctrl-w", Gone("parabolic wire")),
    (Action::DeleteToStart, Keys("E"), "ctrl-u", Gone("bead_on_parabola.svg")),
    (Action::DeleteToEnd, Keys("e"), "ctrl-k", Gone("name: Bead")),
    (Action::Enter, Keys("e"), "enter", Text(" 2 name: Bead")),
    (Action::Complete, Keys("e g"), "tab", Text("gravity: name")),
    (Action::CompleteBack, Keys("e g"), "backtab", Text("guess: name")),
    (Action::Close, Keys("?"), "esc", Gone(" Keys ")),
    (Action::Accept, Keys("o down"), "enter", Text("holonom  rotating_rod")),
    (Action::SaveAndLeave, Keys("e x esc q"), "s", Text(" Save as ")),
    (Action::Discard, Keys("e x esc q"), "d", Is(|b| b.quit)),
    (Action::Overwrite, Keys("E enter E enter"), "o", Text("wrote bead_on_parabola.svg")),
    (Action::Restore, In(Context::Recover), "r", Text("restored")),
    (Action::Forget, In(Context::Recover), "d", Text("is discarded")),
    (Action::ReadDisk, In(Context::Disk), "r", Text("1 theirs")),
    (Action::KeepMine, In(Context::Disk), "k", Gone(" Changed ")),
];

fn begin(from: Begin) -> Bench {
    let mut bench = match from {
        Keys(keys) => {
            let mut bench = Bench::paused(BEAD, SIZE, 3.2);
            bench.keys(keys);
            bench
        }
        System(text, keys) => {
            let mut bench = Bench::paused(text, SIZE, 0.5);
            bench.keys(keys);
            bench
        }
        In(context) => in_context(context, SIZE),
    };
    bench.outside = |text| Edited::Done(text + "# more\n");
    bench
}

#[test]
fn every_action_of_the_table_has_a_scene() {
    for binding in TABLE {
        let has = SCENES.iter().any(|(action, ..)| *action == binding.action);
        assert!(has, "{:?} has no scene", binding.action);
    }
}

#[test]
fn every_scene_shows_what_its_action_does() {
    for &(action, from, name, seen) in SCENES {
        let mut bench = begin(from);
        let pressed = Key::of(&key(name));
        let found = action::find(bench.state.context(), pressed);
        assert_eq!(found, Some(action), "{name} in {:?}", bench.state.context());
        let mut before = bench.again();
        let first = before.screen();
        bench.keys(name);
        let screen = bench.screen();
        let done = match seen {
            Text(text) => screen.contains(text) && !first.contains(text),
            Gone(text) => first.contains(text) && !screen.contains(text),
            Is(is) => is(&bench) && !is(&before),
            Rises(of) => of(&bench) > of(&before),
            Falls(of) => of(&bench) < of(&before),
        };
        assert!(done, "{action:?}: {name}\n{first}\n{screen}");
    }
}
