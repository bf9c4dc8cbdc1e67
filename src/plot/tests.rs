//! Whole pictures, as text, and what holds for all of them.

use super::*;
use proptest::prelude::*;

fn sampled(n: usize, end: f64, f: impl Fn(f64) -> f64) -> Vec<[f64; 2]> {
    (0..=n)
        .map(|i| {
            let t = end * i as f64 / n as f64;
            [t, f(t)]
        })
        .collect()
}

fn series(label: &str, role: u8, points: Vec<[f64; 2]>) -> Series {
    Series::new(label, points, role)
}

fn axis(label: &str) -> Axis {
    Axis {
        label: label.to_owned(),
        ..Axis::default()
    }
}

fn failure(x: f64) -> Mark {
    Mark {
        x,
        label: Some("the theorem fails for x1".to_owned()),
        tag: String::new(),
        kind: MarkKind::Failure,
    }
}

fn bead() -> Figure {
    Figure {
        x: axis("t"),
        series: vec![series("x1", 0, sampled(400, 10.0, |t| (2.7 * t).cos()))],
        marks: (0..9)
            .map(|k| failure((f64::from(k) + 0.5) * std::f64::consts::PI / 2.7))
            .collect(),
        cursor: Some(3.2),
        ..Figure::default()
    }
}

/// All character sets, one below the other.
fn everywhere(figure: &Figure, width: u16, height: u16) -> String {
    [
        Charset::Braille,
        Charset::Blocks,
        Charset::Sextants,
        Charset::Ascii,
    ]
    .map(|charset| draw(figure, width, height, charset).to_text())
    .join("\n")
}

#[test]
fn a_sextant_shows_its_dots() {
    // Unicode 13, chart U+1FB00: BLOCK SEXTANT-1, -2, -12, -235, -23456, and the four from elsewhere
    let signs = [
        0, 0b1, 0b10, 0b11, 0b1_0110, 0b11_1110, 0b1_0101, 0b10_1010, 0b11_1111,
    ];
    let drawn: Vec<char> = signs.map(|dots| Charset::Sextants.symbol(dots, ' ')).into();
    let known = [
        ' ',
        '\u{1FB00}',
        '\u{1FB01}',
        '\u{1FB02}',
        '\u{1FB14}',
        '\u{1FB3B}',
        '▌',
        '▐',
        '█',
    ];
    assert_eq!(drawn, known);
    let all: std::collections::BTreeSet<char> = (0..64)
        .map(|dots| Charset::Sextants.symbol(dots, ' '))
        .collect();
    assert_eq!(all.len(), 64);
}

#[test]
fn a_short_axis_has_two_numbers_at_least() {
    let figure = Figure {
        x: axis("x"),
        series: vec![series("v", 0, sampled(400, 10.0, |t| 4.4 * t.sin()))],
        legend: LegendPlace::Outside,
        ..Figure::default()
    };
    let text = draw(&figure, 60, 7, Charset::Ascii).to_text();
    let numbers: Vec<f64> = text
        .lines()
        .filter_map(|line| line.split('+').next()?.trim().parse().ok())
        .collect();
    assert_eq!(numbers, [4.0, 0.0, -4.0], "{text}");
}

#[test]
fn bead_with_marks_and_cursor() {
    insta::assert_snapshot!(everywhere(&bead(), 78, 11));
}

#[test]
fn bead_as_in_a_pane() {
    let figure = Figure {
        x: Axis::default(),
        legend: LegendPlace::Outside,
        ..bead()
    };
    insta::assert_snapshot!(everywhere(&figure, 78, 7));
    insta::assert_debug_snapshot!(legend(&figure, Charset::Braille));
}

#[test]
fn spike_of_one_sample_in_a_million() {
    let wave = |count| sampled(count, 10.0, |t| 0.05 * (40.0 * t).sin());
    let many = wave(100_000);
    // Dashed lines have gaps; the spike stands in them too.
    for role in 0..4 {
        for charset in [Charset::Braille, Charset::Blocks, Charset::Ascii] {
            for shift in 0..12 {
                let mut points = many.clone();
                let at = 63_712 + shift * 700;
                points[at][1] = 1.0;
                let figure = Figure {
                    series: vec![series("", role, points)],
                    ..Figure::default()
                };
                let canvas = draw(&figure, 60, 8, charset);
                let frame = canvas.frame().unwrap();
                let col = frame.column_at_x(at as f64 / 1e4).unwrap();
                let row = frame.row_at_y(1.0).unwrap();
                let cell = canvas.cell(col, row).unwrap();
                assert_eq!(cell.style, CellStyle::Series(role), "{charset:?} {shift}");
            }
        }
    }
    let mut points = wave(1_000_000);
    points[637_123][1] = 1.0;
    let figure = Figure {
        title: "one sample in a million".to_owned(),
        x: axis("t [s]"),
        series: vec![series("v", 0, points)],
        ..Figure::default()
    };
    insta::assert_snapshot!(everywhere(&figure, 60, 12));
}

#[test]
fn gap_where_there_is_no_number() {
    let figure = Figure {
        x: axis("t"),
        y: axis("lambda"),
        series: vec![series(
            "lambda",
            0,
            sampled(300, 6.0, |t| {
                if (2.0..3.0).contains(&t) {
                    f64::NAN
                } else {
                    t * t
                }
            }),
        )],
        ..Figure::default()
    };
    insta::assert_snapshot!(everywhere(&figure, 60, 10));
}

#[test]
fn two_crossing_series() {
    let figure = Figure {
        title: "Two beads".to_owned(),
        x: axis("t"),
        series: vec![
            series("x1", 0, sampled(500, 10.0, f64::cos)),
            series("x2", 1, sampled(500, 10.0, |t| 0.8 * t.sin())),
            series("x3", 2, sampled(500, 10.0, |t| 0.1 * t - 0.5)),
        ],
        ..Figure::default()
    };
    insta::assert_snapshot!(everywhere(&figure, 72, 16));
}

#[test]
fn coinciding_series_both_show_in_ascii() {
    let points = sampled(50, 1.0, |t| t);
    let figure = Figure {
        series: vec![series("a", 0, points.clone()), series("b", 1, points)],
        ..Figure::default()
    };
    let text = draw(&figure, 40, 10, Charset::Ascii).to_text();
    assert!(text.contains("*o"), "{text}");
}

#[test]
fn a_flat_line_is_flat() {
    let energy = |t: f64| 9.81 + 4e-16 * (50.0 * t).sin();
    let figure = Figure {
        x: axis("t"),
        y: axis("H"),
        series: vec![series("H", 0, sampled(200, 10.0, energy))],
        ..Figure::default()
    };
    insta::assert_snapshot!(everywhere(&figure, 60, 8));
}

#[test]
fn phase_circle_is_round() {
    let circle: Vec<_> = (0..=200)
        .map(|i| f64::from(i) * std::f64::consts::TAU / 200.0)
        .map(|a| [2.0 * a.cos(), 2.0 * a.sin()])
        .collect();
    let figure = Figure {
        x: axis("x1"),
        y: axis("x1'"),
        series: vec![series("x1'", 0, circle)],
        aspect: Aspect::Equal,
        ..Figure::default()
    };
    for charset in [Charset::Braille, Charset::Blocks, Charset::Ascii] {
        let canvas = draw(&figure, 60, 18, charset);
        let frame = canvas.frame().unwrap();
        let across = frame.column_at_x(2.0).unwrap() - frame.column_at_x(-2.0).unwrap();
        let up = frame.row_at_y(-2.0).unwrap() - frame.row_at_y(2.0).unwrap();
        assert!(across.abs_diff(2 * up) <= 2, "{across} across, {up} up");
    }
    insta::assert_snapshot!(everywhere(&figure, 60, 18));
}

#[test]
fn numbers_far_from_one() {
    let figure = Figure {
        title: "Drift".to_owned(),
        x: axis("t"),
        y: axis("H - H(0)"),
        series: vec![series(
            "H - H(0)",
            0,
            sampled(300, 2e5, |t| 3e-12 * (t / 2e4).sin()),
        )],
        ..Figure::default()
    };
    insta::assert_snapshot!(draw(&figure, 64, 11, Charset::Braille).to_text());
}

#[test]
fn logarithmic_axes() {
    // a power law is a straight line, its zero a gap; the residual of a solver spans decades
    let law = Figure {
        x: Axis {
            scale: Scale::Log,
            ..axis("n")
        },
        y: Axis {
            scale: Scale::Log,
            ..axis("error")
        },
        series: vec![
            series("order 2", 0, sampled(1000, 1000.0, |n| 3.0 / (n * n))),
            series("order 1", 1, sampled(1000, 1000.0, |n| 3.0 / n)),
        ],
        ..Figure::default()
    };
    insta::assert_snapshot!(everywhere(&law, 60, 14));
    let residual = Figure {
        y: Axis {
            scale: Scale::Log,
            ..axis("residual")
        },
        series: vec![series(
            "residual",
            0,
            sampled(400, 10.0, |t| {
                (10_f64.powf(-16.0 + t) * (3.0 * t).sin()).max(0.0)
            }),
        )],
        ..Figure::default()
    };
    insta::assert_snapshot!(everywhere(&residual, 60, 12));
    let nothing = Figure {
        series: vec![series("", 0, vec![[0.0, 0.0], [1.0, -1.0]])],
        ..residual
    };
    let text = draw(&nothing, 60, 8, Charset::Ascii).to_text();
    assert!(text.contains("no positive numbers"), "{text}");
}

#[test]
fn marks_have_their_words_beside_them() {
    let mark = |x: f64, tag: &str, label: &str, kind| Mark {
        x,
        label: Some(label.to_owned()),
        tag: tag.to_owned(),
        kind,
    };
    let figure = Figure {
        marks: vec![
            mark(
                1.0,
                "x1 = 0",
                "the theorem fails for x1, x2",
                MarkKind::Failure,
            ),
            mark(
                1.2,
                "x1 - x2 = 0",
                "the theorem fails for x1, x2",
                MarkKind::Failure,
            ),
            mark(4.0, "rank", "the gradients are dependent", MarkKind::Flag),
            mark(6.5, "bowl", "bowl lets go", MarkKind::Event),
            mark(9.9, "a very long word", "bowl lets go", MarkKind::Event),
        ],
        cursor: None,
        ..bead()
    };
    insta::assert_snapshot!(everywhere(&figure, 90, 14));
}

#[test]
fn marks_of_one_column_are_one() {
    let mut figure = bead();
    figure.cursor = None;
    figure.marks = vec![
        failure(5.0),
        Mark {
            kind: MarkKind::Event,
            ..failure(5.0)
        },
        failure(5.001),
        failure(f64::NAN),
        failure(11.0),
    ];
    let canvas = draw(&figure, 78, 8, Charset::Ascii);
    let col = canvas.frame().unwrap().column_at_x(5.0).unwrap();
    let axis = canvas.to_text().lines().rev().nth(1).unwrap().to_owned();
    assert_eq!(axis.matches(['^', 'v']).count(), 1);
    assert_eq!(axis.chars().nth(usize::from(col)), Some('^'));
}

#[test]
fn an_empty_plot_says_why() {
    let nothing = |points| {
        let figure = Figure {
            series: vec![series("x1", 0, points)],
            ..Figure::default()
        };
        draw(&figure, 60, 8, Charset::Ascii).to_text()
    };
    assert!(nothing(vec![]).contains("no samples"));
    assert!(nothing(vec![[0.0, f64::NAN]; 3]).contains("no finite numbers"));
    let mut zoomed = bead();
    zoomed.x.range = Some((20.0, 30.0));
    let text = draw(&zoomed, 60, 8, Charset::Ascii).to_text();
    assert!(text.contains("nothing in this range"), "{text}");
    // One point is a dot.
    assert!(nothing(vec![[1.0, 2.0]]).contains('*'));
}

#[test]
fn a_zoom_between_two_samples_shows_the_line() {
    let figure = Figure {
        x: Axis {
            range: Some((0.4, 0.6)),
            ..Axis::default()
        },
        series: vec![series("", 0, vec![[0.0, 0.0], [1.0, 1.0]])],
        ..Figure::default()
    };
    let text = draw(&figure, 40, 9, Charset::Ascii).to_text();
    assert!(text.matches('*').count() > 20, "{text}");
}

#[test]
fn rows_have_few_pieces() {
    let canvas = draw(&bead(), 100, 30, Charset::Braille);
    for row in 0..canvas.height() {
        assert!(canvas.runs(row).len() <= 24, "{:?}", canvas.runs(row));
    }
    // Without cursor a row of curve is two: axis and curve.
    let mut calm = bead();
    calm.cursor = None;
    let canvas = draw(&calm, 100, 30, Charset::Braille);
    for row in 1..28 {
        assert!(canvas.runs(row).len() <= 2, "{:?}", canvas.runs(row));
    }
}

#[test]
fn pendulum_on_a_wire() {
    let wire: Vec<_> = (-30..=30)
        .map(|i| f64::from(i) / 20.0)
        .map(|x| [x, x * x])
        .collect();
    let scene = Scene {
        points: vec![
            ScenePoint {
                at: [-1.0, 1.0],
                kind: PointKind::Body,
            },
            ScenePoint {
                at: [0.0, 0.0],
                kind: PointKind::Failure,
            },
            ScenePoint {
                at: [-0.4, 2.0],
                kind: PointKind::Anchor,
            },
        ],
        polylines: vec![
            Polyline {
                points: wire,
                ..Polyline::default()
            },
            Polyline {
                points: vec![[-0.4, 2.0], [-1.0, 1.0]],
                role: 1,
            },
            Polyline {
                points: vec![[0.5, 1.5], [1.0, 1.5], [1.0, 2.0], [0.5, 2.0], [0.5, 1.5]],
                role: 2,
            },
        ],
        trail: (0..20)
            .map(|i| [-1.0 + f64::from(i) * 0.05, 0.3 + f64::from(i) * 0.05])
            .collect(),
        ..Scene::default()
    };
    let text = [Charset::Braille, Charset::Blocks, Charset::Ascii]
        .map(|charset| draw_scene(&scene, 58, 14, charset).to_text())
        .join("\n");
    insta::assert_snapshot!(text);
}

#[test]
fn the_axes_of_a_picture_take_one_row() {
    let points = [[-1.0, 0.0], [0.0, 0.5], [1.0, 1.0]].map(|at| ScenePoint {
        at,
        kind: PointKind::Body,
    });
    let scene = Scene {
        points: points.to_vec(),
        axes: Some(["x₁".to_owned(), "R - r cos(θ)".to_owned()]),
        ..Scene::default()
    };
    let mut text = String::new();
    for (width, height) in [(58, 10), (38, 8), (29, 6), (16, 5), (15, 5), (16, 4)] {
        for charset in [Charset::Braille, Charset::Ascii] {
            let canvas = draw_scene(&scene, width, height, charset);
            let frame = canvas.frame().unwrap();
            let axes = u16::from(width > 15 && height > 4);
            assert_eq!(frame.rows + axes, height);
            // a unit up is as long as one across: a cell is twice as high as it is wide
            let dots = |cells: u16, dots: u16| f64::from(cells * dots - 1);
            let (across, down) = charset.dots();
            let unit = [
                dots(frame.cols, across) / frame.x.span(),
                dots(frame.rows, down) * charset.dot_aspect() / frame.y.span(),
            ];
            assert!((unit[0] / unit[1] - 1.0).abs() < 1e-9, "{unit:?}");
            // and the bodies stand where the frame says
            for point in &points {
                let (col, row) = (frame.column_at_x(point.at[0]), frame.row_at_y(point.at[1]));
                let cell = canvas.cell(col.unwrap(), row.unwrap()).unwrap();
                assert_eq!(cell.style, CellStyle::Body);
            }
            text += &canvas.to_text();
            text += "=\n";
        }
    }
    insta::assert_snapshot!(text);
}

#[test]
fn bars_are_clamped_and_honest() {
    let ascii = |fraction| bar(fraction, 8, Charset::Ascii);
    assert_eq!(ascii(0.0), "--------");
    assert_eq!(ascii(1e-9), "#-------");
    assert_eq!(ascii(0.5), "####----");
    assert_eq!(ascii(0.999), "#######-");
    assert_eq!(ascii(7.0), "########");
    assert_eq!(ascii(f64::NAN), "--------");
    assert_eq!(ascii(f64::NEG_INFINITY), "--------");
    assert_eq!(bar(0.7, 4, Charset::Braille), "███░");
    assert_eq!(bar(0.7, 0, Charset::Braille), "");
}

fn any_number() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => -10.0..10.0_f64,
        1 => any::<f64>(),
        1 => prop::sample::select(vec![
            f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0,
            1e308, -1e308, f64::MAX, 5e-324, -5e-324, 1e-300, 1.0, 1.0 + f64::EPSILON,
        ]),
    ]
}

fn any_points() -> impl Strategy<Value = Vec<[f64; 2]>> {
    prop::collection::vec([any_number(), any_number()], 0..12)
}

fn any_axis() -> impl Strategy<Value = Axis> {
    let label = prop::sample::select(vec![
        "",
        "t",
        "角速度",
        "a name that is rather long",
        "a\nb",
    ]);
    let scale = prop::sample::select(vec![Scale::Linear, Scale::Linear, Scale::Log]);
    let range = prop::option::of((any_number(), any_number()));
    (label, range, scale).prop_map(|(label, range, scale)| Axis {
        label: label.to_owned(),
        range,
        scale,
    })
}

fn any_charset() -> impl Strategy<Value = Charset> {
    prop::sample::select(vec![
        Charset::Braille,
        Charset::Blocks,
        Charset::Sextants,
        Charset::Ascii,
    ])
}

prop_compose! {
    fn any_figure()(
        title in prop::sample::select(vec!["", "Title", "角角角"]),
        x in any_axis(),
        y in any_axis(),
        curves in prop::collection::vec((any_points(), any::<u8>()), 0..4),
        marks in prop::collection::vec(any_number(), 0..3),
        cursor in prop::option::of(any_number()),
        equal in any::<bool>(),
    ) -> Figure {
        Figure {
            title: title.to_owned(),
            x,
            y,
            series: curves.into_iter().map(|(points, role)| series("q", role, points)).collect(),
            marks: marks.into_iter().map(failure).collect(),
            places: Vec::new(),
            cursor,
            aspect: if equal { Aspect::Equal } else { Aspect::Fill },
            legend: LegendPlace::Inside,
        }
    }
}

/// Every row is exactly as wide as the canvas, in cells, in runs, and as text at most.
fn check_rows(canvas: &Canvas, width: u16, height: u16) {
    use unicode_width::UnicodeWidthStr;
    assert_eq!((canvas.width(), canvas.height()), (width, height));
    for row in 0..height {
        let runs = canvas.runs(row);
        let columns: usize = runs.iter().map(|(text, _)| text.width()).sum();
        assert_eq!(columns, usize::from(width), "{runs:?}");
    }
    let text = canvas.to_text();
    assert_eq!(text.lines().count(), usize::from(height));
    assert!(text.lines().all(|line| line.width() <= usize::from(width)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_figure_at_any_size(
        figure in any_figure(), width in 0_u16..=60, height in 0_u16..=20, charset in any_charset(),
    ) {
        check_rows(&draw(&figure, width, height, charset), width, height);
    }

    #[test]
    fn any_scene_at_any_size(
        curves in prop::collection::vec((any_points(), any::<u8>()), 0..3),
        points in any_points(),
        trail in any_points(),
        bounds in prop::option::of(([any_number(), any_number()], [any_number(), any_number()])),
        axes in prop::option::of(["[a-zλ二₁]{0,9}", "[a-zλ二₁]{0,40}"]),
        width in 0_u16..=60, height in 0_u16..=20, charset in any_charset(),
    ) {
        let scene = Scene {
            points: points.into_iter().map(|at| ScenePoint { at, kind: PointKind::Body }).collect(),
            polylines: curves.into_iter()
                .map(|(points, role)| Polyline { points, role }).collect(),
            trail,
            bounds,
            axes,
        };
        check_rows(&draw_scene(&scene, width, height, charset), width, height);
    }

    #[test]
    fn a_tick_stands_at_its_number(
        lo in -100.0..100.0_f64, span in 0.01..1000.0_f64, width in 30_u16..=120,
        charset in any_charset(),
    ) {
        let figure = Figure {
            x: Axis { range: Some((lo, lo + span)), ..Axis::default() },
            series: vec![series("", 0, vec![[lo, 0.0], [lo + span, 1.0]])],
            legend: LegendPlace::Outside,
            ..Figure::default()
        };
        let canvas = draw(&figure, width, 8, charset);
        let frame = canvas.frame().unwrap();
        let sign = if charset == Charset::Ascii { '+' } else { '┬' };
        let ticks: Vec<u16> = (frame.left..width)
            .filter(|&col| canvas.cell(col, 6).unwrap().symbol == sign)
            .collect();
        // Numbers with their first column and their length.
        let labels: String = canvas.row(7).iter().map(|cell| cell.symbol).collect();
        let mut col = 0;
        let mut found = 0;
        for word in labels.split(' ') {
            let size = word.len() as u16;
            if size > 0 {
                let tick = col + size / 2;
                prop_assert!(ticks.contains(&tick), "{}", canvas.to_text());
                let value: f64 = word.parse().unwrap();
                let middle = frame.x_at_column(tick).unwrap();
                let cell = frame.x.span() * f64::from(frame.dots.0)
                    / (f64::from(frame.cols * frame.dots.0) - 1.0);
                prop_assert!((value - middle).abs() <= cell * 0.500_001 + 1e-9 * span);
                found += 1;
            }
            col += size + 1;
        }
        prop_assert!(found >= 1, "{}", canvas.to_text());
    }
}

#[test]
fn samples_that_are_not_joined_have_a_sign_each() {
    let figure = Figure {
        x: axis("t"),
        series: vec![
            series("x", 0, sampled(400, 10.0, f64::cos)),
            Series {
                look: Look::Points,
                ..series("data.x", 1, sampled(5, 10.0, f64::cos))
            },
        ],
        ..Figure::default()
    };
    let drawn = draw(&figure, 60, 12, Charset::Braille).to_text();
    // one of them in the legend
    assert_eq!(drawn.matches('◇').count(), 1 + 6, "{drawn}");
    let mut alone = figure.clone();
    alone.series.remove(0);
    let drawn = draw(&alone, 60, 12, Charset::Ascii).to_text();
    assert_eq!(drawn.matches('o').count(), 6, "{drawn}");
}

#[test]
fn areas_fill_the_field_with_the_signs_of_the_legend() {
    let quarter = |role: u8| {
        let (x, y) = (f64::from(role % 2), f64::from(role / 2));
        Series {
            look: Look::Filled,
            ..series("area", role, vec![[x, y], [x + 1.0, y + 1.0]])
        }
    };
    let figure = Figure {
        x: Axis::over("x", (0.0, 2.0)),
        y: Axis::over("y", (0.0, 2.0)),
        series: (0..4).map(quarter).collect(),
        legend: LegendPlace::Outside,
        ..Figure::default()
    };
    for charset in [
        Charset::Braille,
        Charset::Blocks,
        Charset::Sextants,
        Charset::Ascii,
    ] {
        let drawn = draw(&figure, 60, 20, charset).to_text();
        for entry in legend(&figure, charset) {
            let mut signs = entry.sample.chars().filter(|c| *c != ' ');
            assert!(
                signs.all(|c| drawn.matches(c).count() > 9),
                "{entry:?}\n{drawn}"
            );
        }
        // from edge to edge
        let field: Vec<&str> = drawn.lines().take(18).collect();
        let ends = [field[0], field[17]].map(|line| line.chars().last());
        assert!(
            ends.iter()
                .all(|end| end.is_some_and(|c| !c.is_ascii_digit())),
            "{drawn}"
        );
    }
}
