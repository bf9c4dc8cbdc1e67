//! The mouse: clicks, drags, the wheel.

use super::*;
use crate::workbench::dialog::{Dialog, Systems};
use crate::workbench::editor::TextPosition;
use crate::workbench::layout::Pane;
use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};

const BEAD: &str = "bead_on_parabola";
const SIZE: (u16, u16) = (80, 24);

/// What a click at the first cell that shows this text does.
fn mouse(bench: &mut Bench, kind: MouseEventKind, (column, row): (u16, u16)) {
    bench.send(Event::Mouse(MouseEvent {
        kind,
        column,
        row,
        modifiers: KeyModifiers::NONE,
    }));
}

const LEFT: MouseEventKind = MouseEventKind::Down(MouseButton::Left);

#[test]
fn a_click_gives_keys_and_puts_the_cursor() {
    let mut bench = Bench::paused(BEAD, SIZE, 0.0);
    let system = bench.state.layout().inner(Pane::System).unwrap();
    let theorem = bench.state.layout().inner(Pane::Theorem).unwrap();
    mouse(&mut bench, LEFT, (theorem.x, theorem.y));
    assert_eq!(bench.state.focus, Pane::Theorem);
    // `parameters: {m: 1`: line 7, before the brace, behind a gutter of three
    let brace = (system.x + 3 + 12, system.y + 6);
    mouse(&mut bench, LEFT, brace);
    assert_eq!(bench.state.focus, Pane::System);
    assert!(!bench.state.editing);
    assert_eq!(
        bench.state.editor.cursor(),
        TextPosition {
            line: 6,
            column: 12
        }
    );
    mouse(&mut bench, LEFT, brace);
    assert!(bench.state.editing);
    bench.write("!");
    assert!(bench.state.editor.lines()[6].starts_with("parameters: !{m"));
    // behind the end of a line is its end, below the text is the last line
    mouse(&mut bench, LEFT, (system.x + 30, system.y + 5));
    assert_eq!(
        bench.state.editor.cursor(),
        TextPosition {
            line: 5,
            column: 21
        }
    );
    mouse(&mut bench, LEFT, (theorem.x, theorem.y));
    assert!(!bench.state.editing);
    // what the terminal has is not ours
    bench.keys("M");
    assert!(!bench.mouse);
    mouse(&mut bench, LEFT, brace);
    assert_eq!(bench.state.focus, Pane::Theorem);
}

#[test]
fn the_mouse_moves_time_and_plot() {
    let mut bench = Bench::paused(BEAD, SIZE, 0.0);
    let plot = bench.state.layout().inner(Pane::Plot).unwrap();
    let (_, frame) = view::plot::framed(&bench.state).unwrap();
    let first = plot.x + frame.left;
    mouse(&mut bench, LEFT, (first + frame.cols - 1, plot.y + 1));
    assert_eq!(bench.state.focus, Pane::Plot);
    assert!((bench.state.playhead.t - 10.0).abs() < 0.2);
    let drag = MouseEventKind::Drag(MouseButton::Left);
    mouse(&mut bench, drag, (0, 0));
    assert!(bench.state.playhead.t < 0.2);
    mouse(&mut bench, drag, (first + frame.cols / 2, 0));
    let t = bench.state.playhead.t;
    assert!((t - 5.0).abs() < 0.2, "{t}");
    let up = MouseEventKind::Up(MouseButton::Left);
    mouse(&mut bench, up, (0, 0));
    mouse(&mut bench, drag, (0, 0));
    assert_eq!(bench.state.playhead.t, t);
    // the wheel: closer, and what is under the pointer stays there
    let here = (first + frame.cols / 4, plot.y + 1);
    let under = |bench: &Bench| {
        let (_, frame) = view::plot::framed(&bench.state).unwrap();
        let cell = frame.x.span() / f64::from(frame.cols);
        (frame.x_at_column(here.0 - plot.x).unwrap(), cell)
    };
    let before = under(&bench);
    mouse(&mut bench, MouseEventKind::ScrollUp, here);
    let after = under(&bench);
    assert!((after.0 - before.0).abs() < before.1 && (after.1 * 2.0 - before.1).abs() < 0.01);
    // dragged: the plot goes with the hand
    let right = MouseEventKind::Down(MouseButton::Right);
    mouse(&mut bench, right, here);
    mouse(
        &mut bench,
        MouseEventKind::Drag(MouseButton::Right),
        (here.0 + 10, here.1),
    );
    let moved = under(&bench);
    assert!(
        (after.0 - moved.0 - 10.0 * after.1).abs() < after.1,
        "{moved:?}"
    );
    mouse(&mut bench, MouseEventKind::Up(MouseButton::Right), here);
    mouse(&mut bench, MouseEventKind::ScrollDown, here);
    mouse(&mut bench, MouseEventKind::ScrollDown, here);
    assert_eq!(bench.state.plots.lens.window.0, None);
    // a phase portrait: the nearest point of the curve
    bench.keys("v v home");
    assert_eq!(bench.state.plots.view().unwrap().x, "x1");
    let (_, frame) = view::plot::framed(&bench.state).unwrap();
    mouse(
        &mut bench,
        LEFT,
        (plot.x + frame.left + frame.cols / 2, plot.y + frame.top),
    );
    let x1 = bench.state.position[0];
    assert!(bench.state.playhead.t > 0.0 && x1.abs() < 0.3, "{x1}");
}

#[test]
fn a_click_on_the_map_takes_the_probe_along() {
    let mut bench = Bench::paused("pendulum", (120, 36), 0.0);
    bench.keys("m .");
    let (start, t) = (bench.state.position.clone(), bench.state.playhead.t);
    let inner = view::plot::field(&bench.state).unwrap();
    let (_, frame) = view::plot::framed(&bench.state).unwrap();
    let place = |x: f64, y: f64| {
        let (column, row) = (frame.column_at_x(x).unwrap(), frame.row_at_y(y).unwrap());
        (inner.x + column, inner.y + row)
    };
    let there = |bench: &Bench, x: f64, y: f64| {
        let at = &bench.state.position;
        assert!(bench.state.map.probe.is_some());
        assert!((at[0].hypot(at[1]) - 1.0).abs() < 1e-12, "{at:?}");
        // as far as a row is high
        assert!((at[0] - x).hypot(at[1] - y) < 0.15, "{at:?}");
    };
    mouse(&mut bench, LEFT, place(-0.8, 0.6));
    there(&bench, -0.8, 0.6);
    assert!(bench.screen().contains("at the probe"));
    // dragged, beside the curve too
    let drag = MouseEventKind::Drag(MouseButton::Left);
    mouse(&mut bench, drag, place(0.7, 0.8));
    there(&bench, 0.66, 0.75);
    mouse(&mut bench, MouseEventKind::Up(MouseButton::Left), (0, 0));
    bench.keys("esc");
    assert_eq!((bench.state.playhead.t, &bench.state.position), (t, &start));
}

/// The places of a sign on the screen.
fn places_of(bench: &mut Bench, sign: &str) -> Vec<(u16, u16)> {
    let buffer = bench.buffer();
    let all = buffer.content.iter().enumerate();
    let found = all.filter(|(_, cell)| cell.symbol() == sign);
    found.map(|(at, _)| buffer.pos_of(at)).collect()
}

#[test]
fn a_click_on_a_range_chooses_the_point_and_the_wheel_zooms_there() {
    use crate::workbench::range::chosen;
    for size in [SIZE, (120, 36)] {
        let mut bench = Bench::paused(super::ranges::HOOP, size, 0.0);
        bench.keys("J");
        // the last is that of the diagram, the first that of its legend
        let place = *places_of(&mut bench, "○").last().unwrap();
        mouse(&mut bench, LEFT, place);
        let (at, what) = chosen(&bench.state).unwrap();
        assert_eq!(what, "pitchfork");
        assert!(bench.screen().contains("w = 1, q = 0, pitchfork"));
        let drag = MouseEventKind::Drag(MouseButton::Left);
        mouse(&mut bench, drag, (place.0 + 20, place.1));
        let (on, what) = chosen(&bench.state).unwrap();
        assert!(
            on[0] > at[0] + 0.3 && on[1].abs() < 1e-9 && what == "unstable",
            "{on:?}"
        );
        mouse(&mut bench, MouseEventKind::Up(MouseButton::Left), place);
        mouse(&mut bench, drag, place);
        assert_eq!(chosen(&bench.state).unwrap().0, on);
        // what is under the pointer stays there
        let span = |bench: &Bench| bench.state.ranges.ends.1 - bench.state.ranges.ends.0;
        let before = span(&bench);
        mouse(&mut bench, MouseEventKind::ScrollUp, place);
        assert!((span(&bench) - 0.5 * before).abs() < 1e-12);
        let now = *places_of(&mut bench, "○").last().unwrap();
        assert!(now.0.abs_diff(place.0) <= 2, "{now:?} {place:?}");
        mouse(&mut bench, MouseEventKind::ScrollDown, place);
        assert!((span(&bench) - before).abs() < 1e-12);
        // beside the diagram nothing is chosen
        mouse(&mut bench, LEFT, (0, 0));
        mouse(&mut bench, MouseEventKind::ScrollUp, (0, 0));
        assert!((span(&bench) - before).abs() < 1e-12);
        assert!(matches!(bench.state.dialog, Some(Dialog::Range(_))));
    }
}

#[test]
fn the_wheel_scrolls_what_it_is_over() {
    let mut bench = Bench::paused(BEAD, SIZE, 0.0);
    let system = bench.state.layout().inner(Pane::System).unwrap();
    bench.keys("tab");
    mouse(&mut bench, MouseEventKind::ScrollDown, (system.x, system.y));
    assert!(bench.state.scroll.system > 0 && bench.state.focus == Pane::Theorem);
    mouse(&mut bench, MouseEventKind::ScrollUp, (system.x, system.y));
    assert_eq!(bench.state.scroll.system, 0);
    bench.keys("o");
    mouse(&mut bench, MouseEventKind::ScrollDown, (0, 0));
    assert!(matches!(
        bench.state.dialog,
        Some(Dialog::Systems(Systems { chosen: 1, .. }))
    ));
    // no place of the screen, no size of it, no button is too much
    for size in [(0, 0), (40, 12), (200, 60)] {
        bench.keys("esc");
        bench.send(Event::Resize(size.0, size.1));
        for kind in [
            LEFT,
            MouseEventKind::Down(MouseButton::Middle),
            MouseEventKind::Drag(MouseButton::Left),
            MouseEventKind::Moved,
            MouseEventKind::ScrollLeft,
            MouseEventKind::ScrollDown,
            MouseEventKind::ScrollUp,
        ] {
            for place in [(0, 0), (39, 11), (5, 5), (60, 30), (u16::MAX, u16::MAX)] {
                mouse(&mut bench, kind, place);
            }
        }
    }
}
