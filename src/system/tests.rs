//! Each valid way of writing, and the properties of reading anything at all.

use super::*;
use crate::expr::parse;
use proptest::prelude::*;

fn system(text: &str) -> System {
    System::parse(text, "test.yaml", &[])
        .unwrap_or_else(|e| panic!("{}", e.iter().map(Diagnostic::render).collect::<String>()))
}

/// The expression of a text in the names of a system.
fn expr(system: &System, text: &str) -> Expr {
    let names = |name: &str, primes: usize| {
        let name = format!("{name}{}", "'".repeat(primes));
        Ok(system.pool.lookup(&name).unwrap())
    };
    parse(&system.pool, text, &names).unwrap()
}

const HEAD: &str = "coordinates: [x, y]\nparameters: {m: 1, g: 9.81, l: 2}\n";

#[test]
fn what_is_declared_further_down_is_no_built_in_name() {
    let text = |parameters: &str| {
        format!("coordinates: [x]\nparameters: {{{parameters}}}\nlagrangian: x'^2/2 - a*x\n")
    };
    let system = System::parse(&text("a: 30*deg"), "test", &[]).expect("a system");
    assert!((system.parameters[0].value - std::f64::consts::FRAC_PI_6).abs() < 1e-15);
    let system = System::parse(&text("deg: 2, a: 30*deg"), "test", &[]).expect("a system");
    assert!((system.parameters[1].value - 60.0).abs() < 1e-15);
    let refused = System::parse(&text("a: 30*deg, deg: 2"), "test", &[]).expect_err("no system");
    assert!(
        format!("{refused:?}").contains("further down"),
        "{refused:?}"
    );
}

#[test]
fn the_three_ways_to_a_lagrangian_agree() {
    let ways = [
        "lagrangian: 1/2*m*(x'^2 + y'^2) - m*g*y",
        "kinetic: m*(x'^2 + y'^2)/2\npotential: m*g*y",
        "bodies: {bead: {mass: m, at: [x, y]}}\ngravity: [0, -g]",
        "bodies: {bead: {mass: m, at: [x, y]}}\npotential: m*g*y",
        "define: {T: 1/2*m*(x'^2 + y'^2), V: m*g*y}\nlagrangian: T - V",
    ];
    for way in ways {
        let s = system(&format!("{HEAD}{way}\n"));
        assert_eq!(
            s.lagrangian,
            expr(&s, "1/2*m*(x'^2 + y'^2) - m*g*y"),
            "{way}"
        );
    }
    let s = system("coordinates: [x]\nkinetic: x'^2");
    assert_eq!(s.lagrangian, expr(&s, "x'^2"));
}

#[test]
fn a_body_moves_with_its_coordinates_and_with_time() {
    let s = system(
        "coordinates: [s, a]\nparameters: {m: 2, l: 1, w: 3}\n\
         bodies:\n  bob:\n    mass: m\n    at: [s + l*sin(a), -l*cos(a)]\n  \
         slider: {mass: 1, at: [s*cos(w*t), 0]}\n",
    );
    let expected = "1/2*m*((s' + l*cos(a)*a')^2 + (l*sin(a)*a')^2) \
                    + 1/2*(s'*cos(w*t) - s*w*sin(w*t))^2";
    assert_eq!(s.lagrangian, expr(&s, expected));
}

#[test]
fn constraints_are_written_in_three_ways() {
    let s = system(&format!(
        "{HEAD}lagrangian: x'^2\nconstraints:\n  a: x^2 + y^2 = l^2 + 1\n  b: {{f: y - x^2, c: 2*l, side: \">=\"}}\n"
    ));
    let [a, b] = s.constraints.as_slice() else {
        panic!()
    };
    assert_eq!(a.f, expr(&s, "x^2 + y^2"));
    assert_eq!((a.c, a.c_value), (expr(&s, "l^2 + 1"), 5.0));
    assert_eq!(a.level, s.pool.lookup("y_a").unwrap());
    assert_eq!(a.multiplier, s.pool.lookup("lambda_a").unwrap());
    assert_eq!(a.side, None);
    assert_eq!(b.f, expr(&s, "y - x^2"));
    assert_eq!((b.c_value, b.side), (4.0, Some(Side::AtLeast)));
    let s = system(&format!(
        "{HEAD}lagrangian: x'^2\nconstraints: {{a: l = x*y, b: y - sin(t)*x}}\n"
    ));
    assert_eq!(s.constraints[0].f, expr(&s, "l - x*y"));
    assert_eq!(s.constraints[0].c, s.pool.zero());
    assert_eq!(s.constraints[1].f, expr(&s, "y - sin(t)*x"));
}

#[test]
fn numbers_are_exact() {
    let s =
        system("coordinates: [x]\nlagrangian: x'^2 - 9.81*x + 0.0617138900142764496435948458001\n");
    let printed = s.pool.print(s.lagrangian);
    assert!(printed.contains("9.81"), "{printed}");
    let s = system(
        "coordinates: [x]\nlagrangian: x'^2\nstart: {x: -0.0617138900142764496435948458001}",
    );
    #[allow(clippy::excessive_precision)]
    let expected = -0.061_713_890_014_276_449_643_594_845_800_1;
    assert_eq!(s.start.x, [Some(expected)]);
}

#[test]
fn parameters_follow_those_above_and_what_is_set() {
    let text = "coordinates: [x]\nparameters: {m: 1, k: 2*m, w: sqrt(k/m) + pi - pi}\n\
                lagrangian: m*x'^2\nconstraints: {a: x = w}\nstart: {x: w}\nguess: {x: 2*k}\n";
    let s = System::parse(text, "f", &[("m".to_owned(), "8/2".to_owned())]).unwrap();
    assert_eq!(s.parameter_values(), [4.0, 8.0, 2.0_f64.sqrt()]);
    assert_eq!(s.start.x, [Some(2.0_f64.sqrt())]);
    assert_eq!(s.guess.x, [16.0]);
    let errors = |name: &str, value: &str| {
        let set = [(name.to_owned(), value.to_owned())];
        System::parse(text, "f", &set).unwrap_err()[0].render()
    };
    assert_eq!(
        errors("M", "1"),
        "error: the system has no parameter `M`\n --> --set:1:1\n  |\n1 | M=1\n  | ^\n  = help: did you mean `m`?\n"
    );
    assert_eq!(
        errors("k", "2*"),
        "error: the expression ends where a number, a name or `(` should follow\n --> --set:1:5\n  |\n1 | k=2*\n  |     ^\n"
    );
    assert!(errors("k", "1/x").contains("cannot be used in a parameter"));
    assert!(errors("k", "exp(1000)").contains("not a finite number"));
}

#[test]
fn a_parameter_is_exact_where_it_is_made_of_whole_numbers() {
    let text = "coordinates: [x]\nparameters: {a: 1/3, b: 0.1234567890123456789, c: 2*a, w: sqrt(2), v: w*w, d: a + w}\n\
                lagrangian: x'^2\n";
    let s = system(text);
    let exact: Vec<Option<String>> = s
        .parameters
        .iter()
        .map(|p| p.exact.as_ref().map(ToString::to_string))
        .collect();
    let known = |text: &str| Some(text.to_owned());
    assert_eq!(exact[0], known("1/3"));
    assert!(exact[1].is_some());
    assert_eq!(exact[2], known("2/3"));
    assert_eq!(exact[3..], [None, None, None]);
}

#[test]
fn the_rest_of_a_file_has_defaults() {
    let s = system("coordinates: [x]\nlagrangian: x'^2");
    assert_eq!(s.run, Run::default());
    assert_eq!((s.run.until, s.run.samples), (10.0, 1000));
    assert_eq!(
        s.start,
        Start {
            t: 0.0,
            x: vec![None],
            v: vec![None],
            faults: Vec::new(),
            place: s.start.place.clone(),
        }
    );
    assert_eq!(
        (s.name.as_str(), s.dependent, s.picture.is_none()),
        ("test", None, true)
    );
    assert_eq!(s.forces, [s.pool.zero()]);
}

/// What digits cancel in is bounded by what it is made of; its double may be none of the digits that are left.
#[test]
fn parameters_are_bounded_by_what_they_are_made_of() {
    let parameters = "{a: 1e12*(exp(1) - 2.718281828459045), b: (sqrt(2) + sqrt(3))^2 - 5 - 2*sqrt(6), \
                      c: 2*a + pi/4, d: 0.1, e: 3}";
    let text = format!("coordinates: [x]\nparameters: {parameters}\nlagrangian: x'^2");
    let s = system(&text);
    let a = 2.353_602_874_713_526_6e-4;
    let exact = [a, 0.0, 2.0 * a + std::f64::consts::FRAC_PI_4, 0.1, 3.0];
    let bounds = s.parameter_bounds();
    for ((p, bounds), exact) in s.parameters.iter().zip(&bounds).zip(exact) {
        assert!(
            bounds.contains(exact) && bounds.contains(p.value),
            "{}: {bounds:?}",
            p.name
        );
        assert!(bounds.width() < 0.05, "{}: {bounds:?}", p.name);
    }
    assert_eq!((bounds[4].lo, bounds[4].hi), (3.0, 3.0));
}

#[test]
fn forces_of_a_dissipation_are_its_slopes_along_velocities() {
    let of = |more: &str| {
        System::parse(
            &format!("{HEAD}lagrangian: x'^2 + y'^2\n{more}"),
            "t.yaml",
            &[],
        )
    };
    let s = of("forces: {y: -m*g}\ndissipation: 1/2*g*(x' - y')^2 + m*abs(x')\n").unwrap();
    assert_eq!(s.forces[0], expr(&s, "-g*(x' - y') - m*sign(x')"));
    assert_eq!(s.forces[1], expr(&s, "-m*g - g*(y' - x')"));
    for (more, why) in [
        ("dissipation: g*x^2\n", "depends on no velocity"),
        ("damping: 2*x'\n", "`dissipation: 1/2*c*x'^2`"),
        ("rayleigh: x'^2\n", "`dissipation`"),
    ] {
        let errors = of(more).err().unwrap();
        let told = format!("{} {:?}", errors[0].message, errors[0].help);
        assert!(told.contains(why), "{told}");
    }
}

#[test]
fn everything_else_is_read() {
    let s = system(&format!(
        "{HEAD}name: \"Bell\\x07\"\nlagrangian: x'^2\nforces: {{y: -g*y'}}\nconstraints: {{a: x*y}}\ndependent: [y]\n\
         start: {{t: 1, x: 1, x': 2/3}}\nguess: {{y': -1}}\n\
         run: {{until: -3, method: tangents, rtol: 1e-6, atol: 1e-8, samples: 10, stiff: never}}\n\
         plots:\n- x: t\n  y: [x, lambda_a, R_y, 2*det, energy, residual]\n- {{y: x'}}\n\
         picture: {{points: [[x, y]], lines: [[[0, 0], [x, sin(t)]]]}}\n"
    ));
    assert_eq!(s.name, "Bell\\u{7}");
    assert_eq!(s.forces[1], expr(&s, "-g*y'"));
    assert_eq!(s.dependent, Some(vec![1]));
    assert_eq!(
        s.start,
        Start {
            t: 1.0,
            x: vec![Some(1.0), None],
            v: vec![Some(2.0 / 3.0), None],
            faults: Vec::new(),
            place: s.start.place.clone(),
        }
    );
    assert_eq!((s.guess.x, s.guess.v), (vec![0.0, 0.0], vec![0.0, -1.0]));
    let run = Run {
        until: -3.0,
        method: Method::Tangents,
        rtol: 1e-6,
        atol: 1e-8,
        samples: 10,
        stiff: Stiff::Never,
    };
    assert_eq!(s.run, run);
    assert_eq!(s.plots[0].y[3].text, "2*det");
    assert_eq!(s.plots[1].x.expr, s.t);
    assert_eq!(s.outputs[1].kind, OutputKind::Reaction(1));
    assert_eq!(s.plots[0].y[2].expr, s.outputs[1].symbol);
    assert_eq!(
        s.picture.map(|p| (p.points.len(), p.lines[0].len())),
        Some((1, 2))
    );
}

/// The place of the only error, as the text that it covers.
fn place(text: &str) -> String {
    let errors = System::parse(text, "f", &[]).unwrap_err();
    assert_eq!(errors.len(), 1, "{errors:?}");
    text[errors[0].span.clone()].to_owned()
}

#[test]
fn the_place_in_an_expression_is_a_place_in_the_file() {
    let ways = [
        "lagrangian: x'^2 + bad*x",
        "lagrangian: 'x''^2 + bad*x'",
        "lagrangian: \"x'^2 \\x2b\\u0020bad*x\"",
        "lagrangian: x'^2\n  + 1\n\n  # not a comment: it ends the value",
        "lagrangian: x'^2 +\n\n    bad*x",
        "lagrangian: |\n  x'^2\n    + bad\n  *x\n",
        "lagrangian: >-\n\n  x'^2\n  + bad*x\n",
        "{lagrangian: x'^2 + [bad], coordinates: [x]}",
    ];
    for way in ways {
        let text = format!("\u{feff}coordinates: [x] # é\r\n{way}");
        if way.contains('#') {
            assert!(System::parse(&text, "f", &[]).is_ok());
        } else if !way.starts_with('{') {
            assert_eq!(place(&text), "bad", "{way}");
        }
    }
    assert_eq!(place("{lagrangian: x'^2 + bad*x, coordinates: [x]}"), "bad");
    assert_eq!(
        place("coordinates: [x]\nlagrangian: x'^2\nconstraints: {a: x = bad}"),
        "bad"
    );
    assert_eq!(
        place("coordinates: [x]\nlagrangian: x'^2\nconstraints: {a: {f: x + x', c: 1}}"),
        "x'"
    );
    assert_eq!(
        place("coordinates: [x]\nlagrangian: x'^2\nstart: {x: 1 + x}"),
        "x"
    );
    assert_eq!(
        place("coordinates: [x]\nlagrangian: x'^2\nstart: {z: 1}"),
        "z"
    );
}

const SEEDS: [&str; 4] = [
    include_str!("../../systems/bead_on_parabola.yaml"),
    include_str!("../../systems/product_and_sum.yaml"),
    "coordinates: [x, y]\ndefine:\n  h: >-\n    y +\n    1\nlagrangian: \"x'^2 \\u002b h\"\nconstraints:\n- a\n",
    "{coordinates: [x], lagrangian: 'x''^2', start: {x: 1, x': -1}, run: {until: 3}}\n",
];

fn check(bytes: &[u8]) {
    if let Err(errors) = System::read(bytes, "f", &[]) {
        assert!(!errors.is_empty() && errors.len() <= 20);
        for error in errors {
            assert!(error.span.start <= error.span.end);
            assert!(error.span.end <= bytes.len() + 3);
            let lines = bytes.split(|b| *b == b'\n').count();
            assert!(error.line <= lines);
            let shown = error.render();
            assert!(
                shown.chars().all(|c| c == '\n' || !c.is_control()),
                "{shown:?}"
            );
        }
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        check(&bytes);
    }

    #[test]
    fn any_text_of_structure_is_read_or_refused(text in "[a-c:,{}\\[\\]'\"|>#&*! \n\r\t\\\\?x1^()/+0.-]{0,60}") {
        check(text.as_bytes());
        check(format!("coordinates: [a]\nlagrangian: {text}").as_bytes());
    }

    #[test]
    fn mutated_files_are_read_or_refused(
        seed in 0..SEEDS.len(),
        edits in proptest::collection::vec((any::<prop::sample::Index>(), 0..4_u8, any::<prop::sample::Index>()), 1..6),
    ) {
        const PIECES: [&str; 24] = [
            "\n", "  ", "\t", ":", ": ", "- ", "[", "]", "{", "}", "'", "\"", "#", "&a", "*a", "|", ">", "=", "^", "(",
            ")", "1e999", "\u{1b}", "é",
        ];
        let mut text: Vec<char> = SEEDS[seed].chars().collect();
        for (place, what, piece) in edits {
            let at = place.index(text.len());
            let piece: Vec<char> = piece.get(&PIECES).chars().collect();
            match what {
                0 => { text.remove(at); }
                1 => { text.splice(at..at, piece); }
                2 => { text.splice(at..=at, piece); }
                _ => { let part: Vec<char> = text[at..(at + 12).min(text.len())].to_vec(); text.splice(at..at, part); }
            }
        }
        let text: String = text.into_iter().collect();
        check(text.as_bytes());
    }
}

#[test]
fn a_text_that_says_too_much_is_refused_once_with_its_place() {
    let sum = (0..3000).map(|k| format!("sin({k}*x)")).collect::<Vec<_>>();
    let sum = sum.join(" + ");
    let lines: Vec<String> = (0..15).map(|k| format!("  d{k}: {sum}\n")).collect();
    let lines = lines.concat();
    let text = format!("coordinates: [x]\ndefine:\n{lines}lagrangian: x'^2 - d14\n");
    assert!(text.len() > 1 << 19);
    let errors = System::parse(&text, "long", &[]).unwrap_err();
    assert_eq!(errors.len(), 1);
    assert!(
        errors[0].message.contains("80000 operands together"),
        "{}",
        errors[0].message
    );
    assert!(errors[0].line > 3);
    // comments cost nothing
    let comments = "# a comment\n".repeat(85_000);
    let text = format!("{comments}coordinates: [x]\nlagrangian: x'^2\n");
    assert!(System::parse(&text, "long", &[]).is_ok());
}

#[test]
fn an_expression_that_a_comma_cuts_is_told_to_need_quotes() {
    let cut = [
        "forces: {x: atan2(y, x)}",
        "constraints: {c: {f: atan2(y, x), c: 1}}",
        "picture: {points: [[x, atan2(y, x)]]}",
        "forces: {x: if(t<1, 1, 0)}",
        "forces: {x: (1 + atan2(y,\n  x))}",
    ];
    for text in cut {
        let text = format!("{HEAD}lagrangian: x'^2\n{text}\n");
        let errors = System::parse(&text, "f", &[]).unwrap_err();
        let help = errors[0].help.as_deref().unwrap_or_default();
        assert!(help.ends_with("put the expression in quotes"), "{text}");
        assert_eq!(errors.len(), 1, "{text}");
    }
    let errors = System::parse("start: {x: 0,5}", "f", &[]).unwrap_err();
    assert!(errors[0].help.as_deref().unwrap().contains("decimal point"));
}

#[test]
fn a_velocity_written_in_another_way_is_told_as_it_is_written_here() {
    for (text, help) in [
        ("dx^2", "write `x'` for the velocity of `x`"),
        ("dx/dt", "write `x'` for the velocity of `x`"),
        ("theta_dot", "write `theta'` for the velocity of `theta`"),
        ("thetadot", "write `theta'` for the velocity of `theta`"),
        ("ẋ", "write `x'` for the velocity of `x`"),
        ("θ\u{307}", "write `'`"),
        ("x'^2 - |x|", "write `abs(…)`"),
        // no velocity of anything here
        ("xs", "did you mean `x`?"),
    ] {
        let text = format!("coordinates: [x, theta, θ]\nlagrangian: \"{text}\"\n");
        let errors = System::parse(&text, "f", &[]).unwrap_err();
        assert_eq!(errors[0].help.as_deref(), Some(help), "{text}");
    }
}

#[test]
fn a_run_goes_at_least_as_far_as_was_measured() {
    let changes = Changes {
        measured: Some(Measured::parse("t,x\n-1,0\n12.5,0\n").unwrap().into()),
        ..Changes::default()
    };
    let until = |run: &str| {
        let text = format!("coordinates: [x]\nlagrangian: x'^2\n{run}\n");
        System::changed(&text, "f", &changes).unwrap().run.until
    };
    let runs = [
        "",
        "run: {until: 3}",
        "run: {until: 20}",
        "run: {until: -0.5}",
    ];
    assert_eq!(runs.map(until), [12.5, 12.5, 20.0, -1.0]);
}

/// The template without the lines of these keys, and with these of its comments as lines.
fn template_with(keys: &[&str], without: &[&str]) -> String {
    let mut text = String::new();
    let mut dropped = false;
    for line in crate::system::TEMPLATE.lines() {
        let begins =
            |keys: &[&str], line: &str| keys.iter().any(|k| line.starts_with(&format!("{k}:")));
        if !line.starts_with([' ', '#']) {
            dropped = begins(without, line);
        }
        let comment = line.strip_prefix("# ");
        let own = comment
            .filter(|own| begins(keys, own) || keys == ["expect"] && own.starts_with("  - "));
        if !dropped || own.is_some() {
            text += own.unwrap_or(line);
            text += "\n";
        }
    }
    text
}

#[test]
fn the_template_explains_every_key_and_its_comments_are_lines_that_work() {
    let energies: (&[&str], &[&str]) = (&["kinetic", "potential"], &["lagrangian"]);
    let bodies: (&[&str], &[&str]) = (&["bodies", "gravity"], &["lagrangian"]);
    for key in super::FILE_KEYS {
        let commented = format!("\n# {key}: ");
        let there = crate::system::TEMPLATE.contains(&format!("\n{key}:"));
        let offered = crate::system::TEMPLATE.contains(&commented) || key == "expect";
        assert!(there || offered, "{key}");
        let (keys, without) = match key {
            "kinetic" | "potential" => energies,
            "bodies" | "gravity" => bodies,
            "objective" => (&[key][..], &["lagrangian"][..]),
            // what is there gives way
            _ => (&[key][..], &[key][..]),
        };
        if offered {
            let text = template_with(keys, without);
            assert_ne!(text, crate::system::TEMPLATE);
            let read = System::parse(&text, "template.yaml", &[]);
            assert!(read.is_ok(), "{key}: {:?}\n{text}", read.err());
        }
    }
}

#[test]
fn a_whole_exponent_is_a_number_until_its_parameter_varies() {
    let text = "coordinates: [x]\nparameters: {n: 2, k: 3*n, m: 4}\nlagrangian: m/2*x'^2 - sqrt(x^n) - n*x^(k/n)\n";
    let read = |n: &str| System::parse(text, "test", &[("n".to_owned(), n.to_owned())]).unwrap();
    let system = read("2");
    assert_eq!(
        system.lagrangian,
        expr(&system, "m/2*x'^2 - abs(x) - n*x^3")
    );
    let changes = [
        ("2", 3.0, false),
        ("2", 2.5, false),
        ("2.5", 3.0, false),
        ("2.5", 3.5, true),
        ("2", 2.0, true),
    ];
    for (n, value, expected) in changes {
        assert_eq!(
            read(n).set_parameters(&[(0, value)]),
            expected,
            "{n} -> {value}"
        );
    }
    let inside = |k: usize| system.is_in_exponent(system.parameters[k].symbol);
    assert!(inside(0) && inside(1) && !inside(2));
}
