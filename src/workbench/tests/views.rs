//! Parameters, problems, methods, the balance of the energy.

use super::*;
use crate::workbench::action::Context;
use crate::workbench::dialog::{Dialog, Methods};
use crate::workbench::dialog::{Leads, problems};
use crate::workbench::layout::Pane;
use crate::workbench::parameters::stepped;
use insta::assert_snapshot;

const BEAD: &str = "bead_on_parabola";
const SIZE: (u16, u16) = (80, 24);

fn first_failure(bench: &Bench) -> f64 {
    bench.state.analysis.as_ref().unwrap().motion.flags[0].t
}

#[test]
fn a_parameter_is_a_slider_and_the_motion_follows() {
    let mut bench = Bench::paused(BEAD, SIZE, 3.2);
    let text = bench.state.editor.text();
    let before = first_failure(&bench);
    bench.keys("p down");
    for _ in 0..8 {
        bench.keys("right");
    }
    assert_snapshot!("parameters", bench.screen());
    let g = bench.parameter(1);
    assert!((10.0..20.0).contains(&g), "{g}");
    assert!((first_failure(&bench) / before - (9.81 / g).sqrt()).abs() < 1e-6);
    // the text is as it was, until it is told
    assert_eq!(bench.state.editor.text(), text);
    bench.keys("u");
    assert!((first_failure(&bench) - before).abs() < 1e-12 && bench.state.changes.set.is_empty());
    bench.keys("left shift-left enter");
    let g = bench.parameter(1);
    assert!(bench.state.editor.text().contains(&format!("g: {g}}}")));
    assert!(bench.state.changes.set.is_empty() && bench.state.modified && g < 9.81);
    bench.keys("enter");
    assert_eq!(
        bench.state.context(),
        crate::workbench::action::Context::Name
    );
    bench.keys("esc esc u");
    assert_eq!(bench.state.editor.text(), text);
}

#[test]
fn a_constraint_is_freed_among_the_parameters_and_the_motion_goes_on() {
    let mut bench = Bench::paused(BEAD, SIZE, 3.2);
    let before = bench.state.position.clone();
    bench.keys("p G f");
    let analysis = bench.state.analysis.clone().unwrap();
    assert_eq!(analysis.coordinates(), ["x1", "x2", "c_wire"]);
    assert!(bench.screen().contains("level, free"), "{}", bench.screen());
    let now = &bench.state.position;
    assert!((now[0] - before[0]).abs() < 1e-6, "{now:?} {before:?}");
    // there is nothing to turn at: the text has the level
    bench.keys("right");
    assert!(bench.state.changes.set.is_empty() && bench.state.notice.is_some());
    bench.keys("f");
    assert_eq!(
        bench.state.analysis.as_ref().unwrap().coordinates().len(),
        2
    );
    bench.keys("esc : f r e e enter");
    assert_eq!(bench.state.context(), Context::Parameters);
}

#[test]
fn a_key_held_down_waits_for_the_motion() {
    let mut bench = Bench::paused(BEAD, SIZE, 3.2);
    bench.keys("p");
    bench.answering = false;
    bench.keys("right");
    let under_way = bench.state.generation;
    bench.keys("right right right");
    assert_eq!(bench.state.generation, under_way);
    assert!(bench.state.pending && bench.state.overdue);
    bench.answering = true;
    let asked = bench.state.asked.clone().unwrap();
    bench.carry_out(vec![Effect::Analyse(asked)]);
    assert!(!bench.state.pending && !bench.state.overdue);
    let m = bench.parameter(0);
    assert!((m - bench.state.sliders[0].value).abs() < 1e-12 && m > 1.3);
}

#[test]
fn steps_fit_the_size_and_go_both_ways() {
    assert_eq!(stepped(9.81, 9.81, false, true), 9.9);
    assert_eq!(stepped(9.81, 9.81, false, false), 9.8);
    assert_eq!(stepped(9.81, 9.81, true, true), 9.82);
    assert_eq!(stepped(-9.81, -9.81, false, true), -9.8);
    assert_eq!(stepped(0.0, 0.0, false, true), 0.1);
    assert_eq!(stepped(0.0, 5.0, false, false), -0.1);
    assert_eq!(stepped(3e-7, 3e-7, false, true), 3.1e-7);
    assert_eq!(stepped(250_000.0, 250_000.0, false, true), 260_000.0);
    for base in [1.0, -3.7, 1e-9, 4e12] {
        let mut value = base;
        for _ in 0..200 {
            value = stepped(value, base, false, false);
        }
        let low = value;
        for _ in 0..400 {
            value = stepped(value, base, false, true);
        }
        assert!(low < base - base.abs() && value > base + base.abs());
    }
}

#[test]
fn values_are_written_where_they_stand() {
    for (parameters, then) in [
        ("{m: 1, g: 9.81}", "{m: 1, g: 9.9}"),
        (
            "\n  m: 1 # of gold\n  g: 9.81 # here",
            "\n  m: 1 # of gold\n  g: 9.9 # here",
        ),
        (
            "{mg: 4, \"g\": 9.81, m: g/9}",
            "{mg: 4, \"g\": 9.9, m: g/9}",
        ),
    ] {
        let text = |p: &str| {
            format!(
                "name: g: of\ncoordinates: [x, y]\nparameters: {p}\nlagrangian: 1/2*m*(x'^2 + y'^2) - m*g*y\nconstraints: {{w: y - x^2}}\nstart: {{x: 1}}\n"
            )
            .replace("name: g: of", "name: \"g: of\"")
        };
        let mut bench = Bench::new(&text(parameters), SIZE);
        assert!(
            bench.state.analysis.is_some(),
            "{parameters}: {:?}",
            bench.state.diagnostics
        );
        let place = bench
            .state
            .analysis
            .as_ref()
            .unwrap()
            .model()
            .system
            .parameters
            .iter()
            .position(|p| p.name == "g");
        bench.keys("p");
        for _ in 0..place.unwrap() {
            bench.keys("down");
        }
        bench.keys("right enter");
        assert_eq!(bench.state.editor.text(), text(then));
    }
}

#[test]
fn a_motion_that_cannot_begin_is_the_first_problem_and_the_footer_leads_there() {
    let text = "coordinates: [x, y]\nlagrangian: (x'^2 + y'^2)/2 - 1/(x - 1.5)\n\
                constraints: {rope: x^2 + y^2 = 6.25}\nstart: {x: 1.5, x': 0}\nguess: {y: -2}\n";
    let mut bench = Bench::new(text, SIZE);
    let footer = bench.screen().lines().last().unwrap().to_owned();
    assert!(footer.contains("! problems"), "{footer}");
    let first = problems(&bench.state)[0].what.clone();
    assert!(first.contains("divides by zero at t = 0"), "{first}");
    bench.keys("!");
    assert!(!bench.screen().contains("the text is sound"));
}

#[test]
fn problems_lead_to_their_places() {
    let mut bench = Bench::paused(BEAD, SIZE, 3.2);
    bench.keys("!");
    assert_snapshot!("problems", bench.screen());
    let all = problems(&bench.state);
    let flags = bench.state.analysis.as_ref().unwrap().motion.flags.len();
    assert!(all.len() >= flags && flags > 3);
    bench.keys("down down enter");
    assert!(bench.state.dialog.is_none());
    assert!(
        bench
            .state
            .playhead
            .flag(&bench.state.analysis.as_ref().unwrap().motion)
            == Some(2)
    );
    // an error of the text
    let mut bench = Bench::new(
        "name: A\u{1b}[31m\ncoordinates: [x]\nlagrangian: zz*x'^2\n",
        SIZE,
    );
    bench.keys("!");
    assert!(!bench.screen().contains('\u{1b}'));
    let problem = problems(&bench.state)[0].clone();
    bench.keys("enter");
    if let Leads::Text(place) = problem.leads {
        assert_eq!(
            (bench.state.editor.cursor(), bench.state.focus),
            (place, Pane::System)
        );
    }
    let free = "coordinates: [x]\nlagrangian: 1/2*x'^2\nstart: {x: 1, x': 0}\n";
    let mut bench = Bench::new(free, SIZE);
    bench.keys("!");
    bench.screen();
    bench.keys("enter esc");
    assert!(bench.state.dialog.is_none());
}

#[test]
fn methods_are_compared_when_they_are_looked_at() {
    let mut bench = Bench::paused(BEAD, SIZE, 3.2);
    assert!(bench.state.methods.found.is_none());
    bench.answering = false;
    bench.keys("D");
    assert!(bench.screen().contains("working") && bench.state.methods.asking.is_some());
    bench.keys("esc");
    // its answer never came: another text asks again
    bench.answering = true;
    bench.keys("e space backspace esc D");
    let screen = bench.screen();
    assert!(
        screen.contains("AGREE up to t = 10") && screen.contains("multipliers, tangents"),
        "{screen}"
    );
    // what is known stands below what was computed
    bench.keys(&"down ".repeat(40));
    let screen = bench.screen();
    assert!(
        screen.contains("computed") && screen.contains("is allowed"),
        "{screen}"
    );
    bench.keys(&"up ".repeat(80));
    let Some(Dialog::Methods(Methods { scroll })) = bench.state.dialog else {
        panic!("the view closed")
    };
    assert_eq!(scroll, 0);
    bench.keys("q");
    assert!(bench.state.dialog.is_none());
}

#[test]
fn an_optimum_is_told_to_have_no_motion_and_its_facts_are_held() {
    let mut bench = Bench::new("minimum_on_surface", SIZE);
    assert!(bench.screen().contains("`objective` has no motion"));
    assert!(bench.screen().contains("nothing to plot"));
    bench.keys("D");
    let screen = bench.screen();
    assert!(
        screen.contains("HOLD: all 6 expected facts") && !screen.contains("kinetic"),
        "{screen}"
    );
}

#[test]
fn the_energy_that_the_rod_gives_is_told() {
    let mut bench = Bench::paused("rotating_rod", (120, 38), 1.0);
    let screen = bench.screen();
    // H = (1/2) m (x3'^2 + w^2 x3^2), x3 = cosh t: dH/dt = sinh 2t, of which each constraint gives its part,
    // -lambda_b f_t,b
    let (power, part) = (2.0_f64.sinh(), 1.0_f64.sin().powi(2));
    for told in [
        format!("dH/dt = {power:.3}"),
        format!("along_x does {:.3}", power * part),
        format!("along_y does {:.3}", power * (1.0 - part)),
    ] {
        assert!(screen.contains(&told), "{told}\n{screen}");
    }
    // where there is less room, what is told is whole
    bench.send(Event::Resize(80, 24));
    let screen = bench.screen();
    assert!(
        screen.contains(&format!("└ dH/dt = {power:.3}; residual ")),
        "{screen}"
    );
    bench.keys("e");
    let mut bench = Bench::paused(BEAD, (120, 38), 1.0);
    assert!(bench.screen().contains("└ dH/dt = 0 ─"));
}

#[test]
fn views_are_drawn_at_every_size() {
    for system in [BEAD, "andrews", "rotating_rod", "a: [broken"] {
        let mut bench = Bench::new(system, SIZE);
        for keys in ["p right left", "esc ! down", "esc D", "esc z p L", "esc z"] {
            bench.keys(keys);
            for width in (0..=130).step_by(13).chain([1, 39, 40, 41, 76]) {
                for height in (0..=40).step_by(5).chain([1, 12, 13, 24]) {
                    bench.send(Event::Resize(width, height));
                    bench.screen();
                }
            }
            if system == "andrews" && keys == "esc ! down" {
                // three methods of that one take their time
                bench.keys("esc");
                break;
            }
        }
    }
}

#[test]
fn all_bars_have_one_length_whatever_was_changed() {
    let mut bench = Bench::paused("bead_on_parabola", (120, 30), 1.0);
    let lengths = |bench: &mut Bench| -> Vec<usize> {
        let screen = bench.screen();
        let own = screen.lines().filter_map(|line| line.split('┃').nth(1));
        let bars = own.map(|line| line.matches(['█', '░']).count());
        bars.filter(|length| *length > 3).collect()
    };
    bench.keys("p");
    let before = lengths(&mut bench);
    bench.keys("right");
    assert!(bench.screen().contains("was "), "{}", bench.screen());
    assert_eq!(lengths(&mut bench), before);
    assert!(before.len() > 1 && before.iter().all(|length| *length == before[0]));
}
