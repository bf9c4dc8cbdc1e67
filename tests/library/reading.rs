//! What is printed is what a book would print: forms of equations, and that no word of a handout is false.

#![allow(clippy::unwrap_used)]

use holonom::analysis::{InverseRequest, Model, Overrides};
use holonom::expr::Style;
use holonom::report::{
    Handout, Layout, Route, check_text, derive_text, derive_text_in_full, equilibria_text,
    inverse_text,
};
use holonom::system::{System, builtin, find};
use holonom::theorem::in_groups;

const PAGE: Layout = Layout {
    width: 80,
    style: Style::Plain,
};

fn library(name: &str) -> Model {
    let text = find(name).unwrap().text;
    Model::new(System::parse(text, name, &[]).unwrap())
}

fn system(text: &str) -> Model {
    Model::new(System::parse(text, "test.yaml", &[]).unwrap())
}

fn derived(model: &Model) -> String {
    derive_text(model, &model.derive(None), PAGE)
}

/// As one line, with single blanks.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn explained(model: &Model) -> String {
    flat(&Handout::new(model, &model.derive(None), Route::Report).text(PAGE))
}

const HELIX: &str = "coordinates: [x, y, z]\nparameters: {m: 1, R: 1, h: 0.3, g: 9.81}\nlagrangian: 1/2*m*(x'^2 + y'^2 + z'^2) - m*g*z\nconstraints:\n  a: x = R*cos(z/h)\n  b: y = R*sin(z/h)\ndependent: [x, y]\nstart: {z: 0, z': 0}\n";
const TABLE: &str = "coordinates: [r, theta, z]\nparameters: {m1: 1, m2: 2, l: 2, g: 9.81}\nlagrangian: 1/2*m1*(r'^2 + r^2*theta'^2) + 1/2*m2*z'^2 - m2*g*z\nconstraints:\n  string: r - z = l\ndependent: [z]\nstart: {r: 1, theta: 0, r': 0, theta': 3}\n";
const CYCLOID: &str = "coordinates: [x, y, phi]\nparameters: {m: 1, a: 1, g: 9.81}\nlagrangian: 1/2*m*(x'^2 + y'^2) - m*g*y\nconstraints:\n  across: x = a*(phi + sin(phi))\n  up: y = a*(1 - cos(phi))\ndependent: [x, y]\nstart: {phi: 1, phi': 0}\n";
const CONE: &str = "coordinates: [x, y, z]\nparameters: {m: 1, g: 9.81, alpha: 0.5}\nlagrangian: 1/2*m*(x'^2 + y'^2 + z'^2) - m*g*z\nconstraints:\n  cone: x^2 + y^2 = z^2*tan(alpha)^2\ndependent: [z]\nstart: {x: 0.5, y: 0, x': 0, y': 1.5}\nguess: {z: 1}\n";

#[test]
fn each_acceleration_is_written_once() {
    for (text, line) in [
        (HELIX, "m*((1 + R^2/h^2)*z'' + g) = 0"),
        (TABLE, "(m1 + m2)*r'' - m1*r*theta'^2 + m2*g = 0"),
        (CYCLOID, "m*a*(x''*(1 + cos(phi)) + sin(phi)*(y'' + g)) = 0"),
    ] {
        let shown = derived(&system(text));
        assert!(shown.contains(line), "{shown}");
    }
    let rolling = derived(&library("rolling_disc"));
    assert!(rolling.contains("  3*m*r^2*theta''/2 = 0"), "{rolling}");
}

#[test]
fn kinetic_and_potential_energy_stand_apart() {
    let pendulum = derived(&library("pendulum"));
    for line in [
        "where y > 0\n    L_1 = m*l^2*x'^2/(2*(l^2 - x^2)) - m*g*sqrt(l^2 - x^2)",
        "where y < 0\n    L_1 = m*l^2*x'^2/(2*(l^2 - x^2)) + m*g*sqrt(l^2 - x^2)",
        "H = m*(x'^2 + y'^2)/2 + m*g*y",
    ] {
        assert!(pendulum.contains(line), "{pendulum}");
    }
    let cycloid = derived(&system(CYCLOID));
    let line = "L_1 = m*a^2*phi'^2*(1 + cos(phi)) - m*a*g*(1 - cos(phi))";
    assert!(cycloid.contains(line), "{cycloid}");
}

#[test]
fn constraints_are_printed_as_they_were_typed() {
    let cycloid = derived(&system(CYCLOID));
    assert!(
        cycloid.contains("  up:     y = a*(1 - cos(phi))"),
        "{cycloid}"
    );
    let ladder = flat(&derived(&library("ladder")));
    let line = "wall: x - l*cos(theta)/2 >= 0, lambda_wall >= 0 while in contact";
    assert!(ladder.contains(line), "{ladder}");
}

#[test]
fn positive_lengths_need_no_absolute_values() {
    for name in ["geodesic_ellipsoid", "minimum_on_surface", "salas_curve"] {
        let shown = derived(&library(name));
        assert!(!shown.contains("abs("), "{shown}");
        assert!(shown.contains("  for          "), "{shown}");
    }
    let set = [("a".to_owned(), "-1".to_owned())];
    let text = find("salas_curve").unwrap().text;
    let errors = System::parse(text, "salas_curve", &set).unwrap_err();
    assert!(
        errors[0].message.contains("declared positive"),
        "{errors:?}"
    );
}

#[test]
fn a_momentum_of_a_cyclic_coordinate_tells_what_changes_it() {
    let shown = derived(&library("bead_on_parabola"));
    let line = "x1 is cyclic, but p_x1' = -2*lambda_wire*x1";
    assert!(shown.contains(line), "{shown}");
}

#[test]
fn the_handout_fails_where_check_certifies() {
    let four_bar = explained(&library("four_bar"));
    assert!(
        four_bar.contains("the constraints themselves fail, and no choice works."),
        "{four_bar}"
    );
    assert!(!four_bar.contains("e-9") && !four_bar.contains("the motion does not"));
    let pendulum = explained(&library("pendulum"));
    let places = "On the constraints y = 0 only at (-l, 0), (l, 0) (certified";
    assert!(pendulum.contains(places), "{pendulum}");
    for name in [
        "double_pendulum",
        "spherical_pendulum",
        "geodesic_torus",
        "pendulum_on_cart",
    ] {
        let shown = explained(&library(name));
        assert!(shown.contains("where F fails"), "{shown}");
    }
    let cone = explained(&system(CONE));
    assert!(cone.contains("the constraints themselves fail"), "{cone}");
}

#[test]
fn the_handout_defines_what_it_uses() {
    let shown = explained(&library("bead_on_parabola"));
    for part in [
        "F(x1, x2) = (x2 - x1^2, x2)",
        "J_D its columns of x_D",
        "dx1/dy_wire = -1/(2*x1)",
        "R_x1 = -2*lambda_wire*x1",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let model = library("bead_on_parabola");
    let latex = Handout::new(&model, &model.derive(None), Route::Report).latex();
    assert!(latex.contains("\\paragraph{2. The map $F$.}"), "{latex}");
}

#[test]
fn a_point_off_the_constraints_is_not_headed_by_holds() {
    let model = library("pendulum");
    let at = Overrides {
        x: vec![(0, 0.3), (1, 0.3)],
        ..Overrides::default()
    };
    let check = model.check(model.site(&at).unwrap(), None, &[]);
    let shown = check_text(&model, &check, 80);
    assert!(shown.starts_with("OFF the constraints"), "{shown}");
    assert!(!shown.contains("Nearest failure"), "{shown}");
}

#[test]
fn the_apex_of_a_cone_is_on_it() {
    let text = "coordinates: [x, y, z]\nlagrangian: (x'^2 + y'^2 + z'^2)/2 - z\nconstraints: {c: z = sqrt(x^2 + y^2)}\nstart: {x: 1, y: 0}\n";
    let model = Model::new(System::parse(text, "cone", &[]).unwrap());
    let at = Overrides {
        x: vec![(0, 0.0), (1, 0.0), (2, 0.0)],
        ..Overrides::default()
    };
    let check = model.check(model.site(&at).unwrap(), None, &[]);
    assert!(check.off.is_empty() && !check.verdict.holds());
}

#[test]
fn a_pivot_of_parameters_tells_what_they_keep_from() {
    let shown = derived(&library("block_on_incline"));
    assert!(shown.contains("fails only if cos(alpha) = 0"), "{shown}");
    let text = "coordinates: [x, y]\nparameters: {alpha: 0}\nlagrangian: 1/2*(x'^2 + y'^2)\nconstraints: {slope: y - x*tan(alpha)}\ndependent: [y]\nstart: {x: 0}\n";
    let shown = derived(&system(text));
    assert!(!shown.contains("fails"), "{shown}");
}

#[test]
fn a_page_folds_whole_and_says_how_to_have_the_rest() {
    for name in ["catenary", "four_bar", "double_pendulum"] {
        let model = library(name);
        let shown = derived(&model);
        assert!(
            shown.lines().count() <= 154,
            "{name}: {}",
            shown.lines().count()
        );
        assert!(!shown.contains("more characters"), "{shown}");
        if name == "catenary" {
            assert!(shown.contains("--full"), "{shown}");
        }
        let all = derive_text_in_full(&model, &model.derive(None), PAGE);
        assert!(
            !all.contains("--full") && all.contains("One constraint at a time"),
            "{all}"
        );
    }
}

#[test]
fn nothing_with_one_constraint_is_said_twice() {
    let shown = derived(&library("pendulum"));
    assert_eq!(
        shown.matches("lambda_rod = m*(y'' + g)/(2*y)").count(),
        1,
        "{shown}"
    );
    let model = library("pendulum");
    let check = model.check(model.site(&Overrides::default()).unwrap(), None, &[]);
    assert!(!check_text(&model, &check, 80).contains("condition"));
}

#[test]
fn equilibria_tell_signs_rates_and_what_moves_first() {
    let model = library("pendulum");
    let found = model.equilibria(&holonom::analysis::Where::default());
    let shown = flat(&equilibria_text(
        &model,
        &found,
        holonom::report::Depth::Table,
        80,
    ));
    assert!(
        shown.contains("(1 positive, 0 zero, 0 negative); omega = 3.13209 rad"),
        "{shown}"
    );
    assert!(
        shown.contains("grows like exp(s*t), s = 3.13209"),
        "{shown}"
    );
    let model = library("rotating_hoop");
    let found = model.equilibria(&holonom::analysis::Where::default());
    let shown = flat(&equilibria_text(
        &model,
        &found,
        holonom::report::Depth::Table,
        80,
    ));
    let (first, last) = shown.split_once("At rest, the constraints held").unwrap();
    assert!(
        first.contains("4 relative equilibria, proven to be all"),
        "{shown}"
    );
    assert!(
        !last.contains("a minimum") && !last.contains("omega"),
        "{shown}"
    );
}

#[test]
fn energies_stand_apart_where_factors_are_numbers_or_a_wire_moves() {
    for (name, lines) in [
        (
            "rotating_rod",
            [
                "L_1 = m*(x3'^2 + w^2*x3^2)/2",
                "H_1 = m*(x3'^2 - w^2*x3^2)/2",
            ],
        ),
        (
            "four_bar",
            [
                "L = (m1 + 3*m2)*r^2*a'^2/6 + m2*d*b'*(3*r*a'*cos(a - b) + d*b')/6",
                "- g*(m2*d*sin(b) + r*((m1 + 2*m2)*sin(a) + m3*sin(c)))/2",
            ],
        ),
        (
            "bead_on_moving_wire",
            [
                "L_1 = m*(x'^2 + k^2*(x' - u)^2)/2 + m*g*k*(u*t - x)",
                "H = m*(x'^2 + y'^2)/2 + m*g*y",
            ],
        ),
        (
            "double_pendulum",
            [
                "H = m1*(x1'^2 + y1'^2)/2 + m2*(x2'^2 + y2'^2)/2 + g*(m1*y1 + m2*y2)",
                "m1*(y1'' + g) - 2*lambda_rod1*y1",
            ],
        ),
        ("lever", ["(m1*l1^2 + m2*l2^2)*theta'^2", ""]),
    ] {
        let shown = flat(&derived(&library(name)));
        for line in lines {
            assert!(shown.contains(line), "{line}: {shown}");
        }
    }
}

#[test]
fn squares_are_written_as_squares() {
    let hoop = derived(&library("rotating_hoop"));
    assert!(hoop.contains("sin(w*t)^2"), "{hoop}");
    assert!(!hoop.contains("1 - cos(w*t)^2"), "{hoop}");
    let double = derived(&library("double_pendulum"));
    assert!(double.contains("l2^2 - (y1 - y2)^2"), "{double}");
    assert!(!double.contains("(y1 - y2 - l2)"), "{double}");
}

#[test]
fn one_line_for_two_branches_says_what_each_of_them_says() {
    let mut seen = 0;
    for own in builtin() {
        let model = library(own.name);
        let derived = model.derive(None);
        let pool = &model.system.pool;
        let list = derived.in_branches.as_deref().unwrap_or_default();
        for alike in in_groups(pool, list) {
            for (conditions, sign) in [(&alike.upper, 1), (&alike.lower, -1)] {
                let Some(first) = conditions.first() else {
                    continue;
                };
                let there = list.iter().find(|b| b.conditions == *first).unwrap();
                let by = [(pool.plus_minus(), pool.number(sign))]
                    .into_iter()
                    .collect();
                let written = &alike.equations;
                let both = written.equations.iter().chain(&written.multipliers);
                let of_branch = there.equations.iter().chain(&there.multipliers);
                for (e, own) in both.zip(of_branch) {
                    let e = pool.substitute(*e, &by);
                    let shown = pool.print(*own);
                    assert_eq!(pool.is_zero(pool.sub(e, *own)), Some(true), "{shown}");
                }
            }
            seen += usize::from(!alike.lower.is_empty());
        }
    }
    assert!(seen >= 6, "{seen}");
}

fn at_rest(model: &Model) -> String {
    let found = model.equilibria(&holonom::analysis::Where::default());
    let depth = holonom::report::Depth::Table;
    flat(&equilibria_text(model, &found, depth, 80))
}

#[test]
fn nothing_grows_by_rounding() {
    // a line of equilibria: no rate is other than zero
    assert!(!at_rest(&library("lever")).contains("grows"));
    // at the cusps of a cycloid nothing has inertia
    let cycloid = at_rest(&system(CYCLOID));
    assert!(cycloid.contains("omega = 1.56605"), "{cycloid}");
    assert!(!cycloid.contains("grows"), "{cycloid}");
    // what spirals away does not swing for ever
    let charged = "coordinates: [x, y, z]\nparameters: {m: 1, g: 9.81, q: 1, B: 2, R: 1}\nlagrangian: m/2*(x'^2 + y'^2 + z'^2) + q*B/2*(x*y' - y*x') - m*g*z\nconstraints: {sphere: x^2 + y^2 + z^2 = R^2}\ndependent: [z]\nstart: {x: 0.6, y: 0, z: -0.8}\n";
    let charged = at_rest(&system(charged));
    let swings = "omega = 2.28786, 4.28786 rad per unit of time 2.";
    assert!(charged.contains(swings), "{charged}");
    let spirals = "(Lyapunov); exponents 2.96816 +- 1i";
    assert!(charged.contains(spirals), "{charged}");
}

#[test]
fn a_multiplier_that_may_be_zero_shows_no_rounding() {
    let andrews = at_rest(&library("andrews"));
    assert!(andrews.contains("lambda_g3 = 0"), "{andrews}");
    assert!(!andrews.contains("e-1"), "{andrews}");
}

#[test]
fn families_are_counted_as_such_and_periods_told_together() {
    let rod = at_rest(&library("rotating_rod"));
    let counted = "1 equilibrium and 1 family of equilibria, 1 of them at this instant only: ";
    assert!(rod.starts_with(counted), "{rod}");
    let cart = at_rest(&library("pendulum_on_cart"));
    assert!(cart.starts_with("2 families of equilibria: "), "{cart}");
    let bar = at_rest(&library("four_bar"));
    assert!(bar.contains(" a, b, c repeat with period 2*pi "), "{bar}");
}

#[test]
fn rest_under_forces_that_change_is_told_for_its_time() {
    let pushed = at_rest(&system(
        "coordinates: [x]\nlagrangian: x'^2/2 - (x - cos(t))^2/2\n",
    ));
    assert!(pushed.contains("<= x <= 10, t = 0"), "{pushed}");
}

#[test]
fn along_a_curve_is_said_where_it_is_proven() {
    let shown = |model: &Model| {
        let check = model.check(model.site(&Overrides::default()).unwrap(), None, &[]);
        flat(&check_text(model, &check, 80))
    };
    let sphere = shown(&library("spherical_pendulum"));
    let curve = "zero where z = 0 on the constraints along a curve";
    assert!(sphere.contains(curve), "{sphere}");
    // it is the tip alone, which a set along which F fails would not be
    let cone = shown(&system(CONE));
    let open = "zero where z = 0 not decided where on the constraints";
    assert!(cone.contains(open), "{cone}");
}

#[test]
fn long_branches_fold_to_the_one_at_hand() {
    let model = library("catenary");
    let check = model.check(model.site(&Overrides::default()).unwrap(), None, &[]);
    let shown = check_text(&model, &check, 80);
    assert!(shown.lines().count() <= 50, "{shown}");
    let kept = "> where y1*x2 < x1*y2 and y2*x3 + d*y3 < x2*y3 + d*y2";
    assert!(shown.contains(kept), "{shown}");
    let folded = "... and 3 more branches (derive --full has all)";
    assert!(shown.contains(folded), "{shown}");
    let whole = derive_text_in_full(&model, &model.derive(None), PAGE);
    assert!(!whole.contains("more branches"), "{whole}");
}

#[test]
fn levels_beside_coordinates_called_y_are_c_on_paper() {
    let on_paper = |name: &str, style| {
        let model = library(name);
        let page = Layout { width: 80, style };
        Handout::new(&model, &model.derive(None), Route::Report).text(page)
    };
    let pendulum = on_paper("pendulum", Style::Pretty);
    assert!(pendulum.contains("c_rod = x² + y² = l²"), "{pendulum}");
    assert!(on_paper("pendulum", Style::Plain).contains("y_rod = x^2 + y^2"));
    assert!(on_paper("hemisphere", Style::Pretty).contains("y_surface"));
}

#[test]
fn what_has_nothing_to_say_says_so() {
    assert!(at_rest(&library("block_on_incline")).starts_with("No equilibrium: proven that"));
    let model = library("chaplygin_sleigh");
    let answer = model.inverse_at(&InverseRequest::default()).unwrap();
    let shown = inverse_text(&model, &answer, PAGE);
    let nothing = "no constraint binds positions: there is nothing to invert";
    assert!(shown.contains(nothing), "{shown}");
    assert!(!shown.contains("Newton"), "{shown}");
}

/// Where a determinant is zero nowhere the theorem may fail all the same.
#[test]
fn the_handout_keeps_what_is_not_smooth_out_of_n() {
    let told = |f: &str| {
        let text = format!(
            "coordinates: [x, y]\nkinetic: (x'^2 + y'^2)/2\npotential: y\nconstraints: {{c: y = {f}}}\ndependent: [y]\nguess: {{x: 1}}\n"
        );
        explained(&system(&text))
    };
    let smooth = told("x^2");
    assert!(
        smooth.contains("N is the whole configuration space")
            && smooth.contains("this choice works everywhere")
    );
    for f in ["abs(x)", "sqrt(x)", "log(x)"] {
        let text = told(f);
        assert!(
            text.contains("N is the set where the constraints are C^1."),
            "{text}"
        );
        assert!(
            text.contains("fails only where a constraint is not C^1."),
            "{text}"
        );
    }
}
