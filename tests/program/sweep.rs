//! Many runs: their table, its parts, and what is there after an early end.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use crate::folder::{Folder, words};

/// A command line in a folder.
fn run(folder: &Folder, line: &str) -> (i32, String, String) {
    folder.run(&words(line))
}

/// The numbers of a column of a table without quoted commas.
fn column(table: &str, name: &str) -> Vec<f64> {
    let mut lines = table.lines();
    let at = lines.next().unwrap().split(',').position(|n| n == name);
    let at = at.unwrap_or_else(|| panic!("{name}: {table}"));
    lines
        .map(|line| line.split(',').nth(at).unwrap().parse().unwrap_or(f64::NAN))
        .collect()
}

/// K(k) by the arithmetic-geometric mean.
fn elliptic(k: f64) -> f64 {
    let (mut a, mut b) = (1.0_f64, (1.0 - k * k).sqrt());
    for _ in 0..40 {
        (a, b) = (f64::midpoint(a, b), (a * b).sqrt());
    }
    std::f64::consts::PI / (2.0 * a)
}

#[test]
fn the_period_against_the_amplitude_is_the_elliptic_integral() {
    let folder = Folder::new("period");
    fs::write(
        folder.0.join("p.yaml"),
        "coordinates: [x, y]\nparameters: {g: 9.81, l: 1, a: 1}\nlagrangian: 1/2*(x'^2 + y'^2) - g*y\n\
         constraints: {rod: {f: x^2 + y^2, c: l^2}}\nstart: {x: l*sin(a), y: -l*cos(a), x': 0, y': 0}\nrun: {until: 12}\n",
    )
    .unwrap();
    let (code, table, _) = run(
        &folder,
        "sweep p.yaml --over a=0.05:3:12 --rtol 1e-12 --report \"period(x)\"",
    );
    assert_eq!(code, 0);
    let (a, periods) = (column(&table, "a"), column(&table, "period(x)"));
    assert_eq!(a.len(), 12);
    for (a, found) in a.iter().zip(&periods) {
        let known = 4.0 * elliptic((a / 2.0).sin()) / 9.81_f64.sqrt();
        assert!(
            (found - known).abs() < 1e-9 * known,
            "{a}: {found}, {known}"
        );
    }
}

#[test]
fn a_run_that_does_not_go_has_no_verdict_and_rest_is_counted_once() {
    let folder = Folder::new("rest");
    fs::write(
        folder.0.join("b.yaml"),
        "coordinates: [x, y]\nparameters: {m: 1}\nlagrangian: 1/2*m*(x'^2 + y'^2) - m*9.81*y\n\
         constraints: {wire: y = x^2}\nstart: {x: 0, y: 0, x': 0}\nrun: {until: 1}\n",
    )
    .unwrap();
    let (_, table, _) = run(
        &folder,
        "sweep b.yaml --over m=0:1:2 --report count(x=0),count(x=1)",
    );
    let rows: Vec<&str> = table.lines().skip(1).collect();
    assert!(
        rows[0].starts_with("0,3,,0,,,,no kinetic energy"),
        "{table}"
    );
    assert_eq!(rows[1], "1,0,HOLDS,0,,1,0,");
}

#[test]
fn a_linkage_that_cannot_close_further_fails_once() {
    let folder = Folder::new("closes");
    fs::write(
        folder.0.join("f.yaml"),
        "coordinates: [alpha, beta]\nparameters: {a: 1, b: 2, l: 3.5, d: 1, h: 2, w: 5}\n\
         lagrangian: alpha'^2/20 + beta'^2/10\nconstraints:\n  \
         coupler: (a*cos(alpha) - d)^2 + (a*sin(alpha) - b*cos(beta) - h)^2 + (b*sin(beta))^2 = l^2\n  \
         drive: alpha = w*t\nguess: {beta: 1.5}\nrun: {until: 3}\n",
    )
    .unwrap();
    for method in ["inverse", "multipliers", "tangents"] {
        let line = format!("sweep f.yaml --over l=3,3.4,3.5 --method {method}");
        let (_, table, _) = run(&folder, &line);
        assert_eq!(column(&table, "exit"), [0.0, 3.0, 3.0], "{method}: {table}");
        let failures = column(&table, "failures");
        assert_eq!(failures, [0.0, 1.0, 1.0], "{method}: {table}");
    }
}

#[test]
fn reductions_are_those_of_the_known_motion() {
    let folder = Folder::new("known");
    // x = sin(w t)
    fs::write(
        folder.0.join("o.yaml"),
        "coordinates: [x]\nparameters: {w: 2}\nlagrangian: 1/2*x'^2 - 1/2*w^2*x^2\nstart: {x: 0, x': w}\nrun: {until: 3}\n",
    )
    .unwrap();
    let report = "max(x),min(x),mean(x),end(x),at(t=1, x),when(x=1/2, t),count(x=1/2),period(x)";
    let (code, text, _) = run(
        &folder,
        &format!("sweep o.yaml --over w=2,3,5 --rtol 1e-12 --json --report \"{report}\""),
    );
    assert_eq!(code, 0);
    let rows: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    for (row, w) in rows.iter().zip([2.0_f64, 3.0, 5.0]) {
        assert_eq!(row["place"]["w"], w);
        let pi = std::f64::consts::PI;
        let crossings = (0..20).flat_map(|k| {
            let turn = 2.0 * pi * f64::from(k);
            [(pi / 6.0 + turn) / w, (5.0 * pi / 6.0 + turn) / w]
        });
        let known = [
            ("max(x)", 1.0),
            ("min(x)", if w * 3.0 > 1.5 * pi { -1.0 } else { f64::NAN }),
            ("mean(x)", (1.0 - (w * 3.0).cos()) / (3.0 * w)),
            ("end(x)", (w * 3.0).sin()),
            ("at(t=1, x)", w.sin()),
            ("when(x=1/2, t)", pi / 6.0 / w),
            (
                "count(x=1/2)",
                crossings.filter(|t| *t < 3.0).count() as f64,
            ),
            ("period(x)", if w > 4.5 { 2.0 * pi / w } else { f64::NAN }),
        ];
        for (name, known) in known.into_iter().filter(|(_, known)| !known.is_nan()) {
            let found = row["values"][name].as_f64().unwrap_or(f64::NAN);
            assert!(
                (found - known).abs() < 1e-9,
                "{name} at {w}: {found}, {known}"
            );
        }
    }
    // by themselves they need no samples; where a motion stops on its way they do
    let few = "sweep o.yaml --over w=2,3,5 --rtol 1e-12 --json --report \"end(x),at(t=1, x)\"";
    for line in run(&folder, few).1.lines() {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let w = row["place"]["w"].as_f64().unwrap();
        for (name, t) in [("end(x)", 3.0), ("at(t=1, x)", 1.0)] {
            let found = row["values"][name].as_f64().unwrap();
            assert!(
                (found - (w * t).sin()).abs() < 1e-10,
                "{name} at {w}: {found}"
            );
        }
    }
    fs::write(
        folder.0.join("stops.yaml"),
        "coordinates: [x]\nparameters: {a: 1}\nlagrangian: 1/2*x'^2 - a*log(1 - x)\nstart: {x: 0, x': 3}\nrun: {until: 3}\n",
    )
    .unwrap();
    let sweep = "sweep stops.yaml --over a=1,2 --report end(x)";
    let few = column(&run(&folder, sweep).1, "end(x)");
    let all = column(&run(&folder, &format!("{sweep},mean(x)")).1, "end(x)");
    assert_eq!(few, all);
    assert!(few[0] > 0.9, "{few:?}");
}

#[test]
fn parts_and_threads_make_the_same_bytes() {
    let folder = Folder::new("parts");
    for (ending, flag) in [("csv", ""), ("jsonl", "--json")] {
        let sweep = format!(
            "sweep bead_on_parabola --over g=1:20:13 --over x1=-1,0.5 --until 1 --samples 20 {flag} --report max(x1)"
        );
        let (code, whole, _) = run(&folder, &format!("{sweep} --threads 1"));
        assert_eq!(code, 0);
        assert_eq!(run(&folder, &format!("{sweep} --threads 3")).1, whole);
        for i in 1..=4 {
            let part = format!("{sweep} --shard {i}/4 -o part{i}.{ending}");
            assert_eq!(run(&folder, &part).0, 0);
        }
        let name = |i: u32| format!("part{i}.{ending}");
        let all = format!("gather {} {} {} {}", name(3), name(1), name(4), name(2));
        assert_eq!(run(&folder, &all), (0, whole.clone(), String::new()));
        // one that is missing, twice, cut short, or of another sweep
        let (code, out, err) = run(&folder, &format!("gather {} {}", name(1), name(4)));
        assert!(
            code == 2 && out.is_empty() && err.contains("missing: 2, 3"),
            "{err}"
        );
        let (code, _, err) = run(&folder, &format!("{all} {}", name(2)));
        assert!(code == 2 && err.contains("the same part"), "{err}");
        let kept = folder.read(&name(2));
        fs::write(folder.0.join(name(2)), &kept[..kept.len() - 7]).unwrap();
        fs::write(folder.0.join("old.csv"), "old\n").unwrap();
        let (code, _, err) = run(&folder, &format!("{all} -o old.csv"));
        assert!(code == 2 && err.contains("--resume"), "{err}");
        assert_eq!(folder.read("old.csv"), "old\n");
        let other = format!("{sweep} --rtol 1e-6 --shard 2/4 -o {}", name(2));
        assert_eq!(run(&folder, &other).0, 0);
        let (code, _, err) = run(&folder, &all);
        assert!(code == 2 && err.contains("another sweep"), "{err}");
    }
}

#[test]
fn what_was_killed_goes_on_without_a_row_lost_or_twice() {
    let folder = Folder::new("resume");
    let sweep = "sweep bead_on_parabola --over g=1:20:37 --until 1 --samples 20 --report max(x1) -o runs.csv";
    assert_eq!(run(&folder, sweep).0, 0);
    let whole = folder.read("runs.csv");
    let part = folder.0.join("runs.csv.part");
    for cut in [
        0,
        10,
        whole.len() / 3,
        whole.len() / 2,
        whole.len() - 1,
        whole.len(),
    ] {
        fs::remove_file(folder.0.join("runs.csv")).unwrap();
        fs::write(&part, &whole[..cut]).unwrap();
        let (code, _, err) = run(&folder, &format!("{sweep} --resume"));
        assert_eq!(
            (code, folder.read("runs.csv")),
            (0, whole.clone()),
            "{cut}: {err}"
        );
        assert!(!part.exists());
    }
    // the rows of another sweep are not taken
    fs::write(&part, whole.replace("\n1,", "\n1.5,")).unwrap();
    fs::write(&part, &whole[..whole.len() / 2]).unwrap();
    let (code, _, err) = run(
        &folder,
        &format!("{} --resume", sweep.replace("1:20:37", "1:21:37")),
    );
    assert!(code == 2 && err.contains("another sweep"), "{err}");
    assert_eq!(folder.read("runs.csv"), whole);
    // of one that is finished nothing else is left, and it is named itself
    fs::remove_file(&part).unwrap();
    let (code, _, err) = run(
        &folder,
        &format!("{} --resume", sweep.replace("1:20:37", "1:21:37")),
    );
    assert!(
        code == 2 && err.contains("another sweep") && !err.contains(".part"),
        "{err}"
    );
    assert_eq!(folder.read("runs.csv"), whole);
    assert!(!part.exists());
}

#[test]
fn rows_of_the_system_as_it_was_are_not_gone_on_with() {
    let folder = Folder::new("resume-edited");
    let file = folder.0.join("o.yaml");
    let text = "coordinates: [x]\nparameters: {k: 1}\nlagrangian: x'^2/2 - k*x^2/2\nstart: {x: 1}\nrun: {until: 20}\n";
    fs::write(&file, text).unwrap();
    let sweep = "sweep o.yaml --over x=1:2:9 --report max(x),period(x) -o runs.csv";
    assert_eq!(run(&folder, sweep).0, 0);
    let whole = folder.read("runs.csv");
    let part = folder.0.join("runs.csv.part");
    fs::write(&part, &whole[..whole.len() / 2]).unwrap();
    fs::write(&file, text.replace("x^2/2\nstart", "x^2\nstart")).unwrap();
    let (code, _, err) = run(&folder, &format!("{sweep} --resume"));
    assert!(code == 2 && err.contains("another sweep"), "{err}");
    let (code, _, err) = run(&folder, &format!("{sweep} --until 3 --resume"));
    assert!(code == 2 && err.contains("another sweep"), "{err}");
    // nor where the first and the last row fail whatever the system is
    let text = "coordinates: [x, y]\nparameters: {g: 1, l: 1}\nlagrangian: (x'^2 + y'^2)/2 - g*y\nconstraints: {r: x^2 + y^2 = l^2}\n\
        start: {x: 0.6, y: -0.8}\nrun: {until: 2}\n";
    fs::write(&file, text).unwrap();
    let sweep = "sweep o.yaml --over l=2,1,1,2,1,1,1 --report end(x) -o rods.csv";
    assert_eq!(run(&folder, sweep).0, 0);
    let whole = folder.read("rods.csv");
    let lines: Vec<&str> = whole.lines().take(5).collect();
    fs::write(folder.0.join("rods.csv.part"), lines.join("\n") + "\n").unwrap();
    fs::write(&file, text.replace("g*y", "2*g*y")).unwrap();
    let (code, _, err) = run(&folder, &format!("{sweep} --resume"));
    assert!(code == 2 && err.contains("another sweep"), "{err}");
}

#[test]
fn an_extremum_beside_the_first_or_the_last_sample_and_a_release_are_found() {
    let folder = Folder::new("ends");
    // z = v t - g t^2/2, to the end and back
    for (until, v) in [(10.0, 1.0), (-10.0, -1.0)] {
        let text = format!(
            "coordinates: [z]\nparameters: {{g: 9.81}}\nlagrangian: z'^2/2 - g*z\nstart: {{z: 0, z': {v}}}\nrun: {{until: {until}}}\n"
        );
        fs::write(folder.0.join("stone.yaml"), text).unwrap();
        let report = "max(z),min(-z),count(z=0.05)";
        for samples in [7, 20, 333] {
            let command =
                format!("sweep stone.yaml --over g=9.81 --samples {samples} --report \"{report}\"");
            let (_, table, _) = run(&folder, &command);
            let top = 0.5 / 9.81;
            for (name, known) in [("max(z)", top), ("min(-z)", -top), ("count(z=0.05)", 2.0)] {
                let found = column(&table, name)[0];
                assert!((found - known).abs() < 1e-8, "{name} {samples}: {found}");
            }
        }
    }
    // it leaves the ball where y = 2/3 of the height it began at
    fs::write(
        folder.0.join("ball.yaml"),
        "coordinates: [x, y]\nparameters: {g: 9.81}\nlagrangian: (x'^2 + y'^2)/2 - g*y\nconstraints: {ball: {f: x^2 + y^2, c: 1, side: \">=\"}}\n\
         start: {x: 0.1, x': 0}\nguess: {y: 1}\nrun: {until: 3}\n",
    )
    .unwrap();
    for samples in [6, 50, 1000] {
        let sweep = format!("sweep ball.yaml --over g=9.81 --samples {samples}");
        let of = |report: &str| {
            let (_, table, _) = run(&folder, &format!("{sweep} --report \"{report}\""));
            let row = table.lines().nth(1).unwrap().to_owned();
            let field = row.rsplit(',').nth(1).unwrap();
            field.parse::<f64>().unwrap()
        };
        let (y, count) = (of("when(lambda_ball=0, y)"), of("count(lambda_ball=0)"));
        assert!(
            (y - 2.0 / 3.0 * 0.99_f64.sqrt()).abs() < 1e-7,
            "{samples}: {y}"
        );
        assert_eq!(count, 1.0, "{samples}");
    }
}

#[test]
fn a_signal_leaves_the_rows_that_are_done() {
    let folder = Folder::new("signal");
    let sweep = "sweep double_pendulum --over g=1:20:4000 --until 20 --threads 1 -o runs.csv";
    let mut child = folder.command(&words(sweep)).spawn().unwrap();
    let part = folder.0.join("runs.csv.part");
    let begin = Instant::now();
    while fs::read_to_string(&part).map_or(0, |text| text.lines().count()) < 3 {
        assert!(begin.elapsed() < Duration::from_secs(60));
        thread::sleep(Duration::from_millis(5));
    }
    let kill = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(kill.unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let rows = folder.read("runs.csv");
    assert!(rows.ends_with('\n') && rows.lines().count() > 2 && !part.exists());
    // every row is one that was run to its end
    assert!(
        rows.lines()
            .skip(1)
            .all(|row| row.split(',').nth(1) == Some("0")),
        "{rows}"
    );
}

#[test]
fn a_run_that_fails_is_a_row_with_its_reason() {
    let folder = Folder::new("fails");
    let (code, table, _) = run(&folder, "sweep pendulum --over l=1,0,2 --until 1");
    assert_eq!(code, 0);
    let rows: Vec<&str> = table.lines().skip(1).collect();
    assert_eq!(rows.len(), 3);
    assert!(
        rows[0].starts_with("1,0,") && rows[2].starts_with("2,0,"),
        "{table}"
    );
    assert!(rows[1].starts_with("0,3,FAILS,"), "{table}");
    assert!(rows[1].rsplit(',').next().unwrap().len() > 10, "{table}");
}

#[test]
fn a_time_beyond_the_end_is_told_in_the_row() {
    let folder = Folder::new("beyond");
    let (code, table, _) = run(
        &folder,
        "sweep pendulum --over l=1,2 --until 1 --report at(t=100,x)",
    );
    assert_eq!(code, 0);
    for row in table.lines().skip(1) {
        assert!(row.contains("the motion goes from t = 0 to 1"), "{table}");
    }
}

#[test]
fn runs_are_drawn_or_read_from_a_table() {
    let folder = Folder::new("drawn");
    let drawn =
        "sweep pendulum --random 20 --over g=1:2 --over l=log:0.1:10 --until 0.1 --samples 2";
    let (code, one, _) = run(&folder, drawn);
    assert_eq!((code, one.lines().count()), (0, 21));
    assert_eq!(run(&folder, drawn).1, one);
    assert_ne!(run(&folder, &format!("{drawn} --seed 1")).1, one);
    // a longer Sobol sample begins with the shorter one, and has a value in each part
    let sobol = format!("{drawn} --design sobol");
    let longer = run(&folder, &sobol.replace("20", "32")).1;
    assert!(longer.starts_with(&run(&folder, &sobol).1));
    let mut parts: Vec<usize> = column(&longer, "g")
        .into_iter()
        .map(|g| ((g - 1.0) * 32.0) as usize)
        .collect();
    parts.sort_unstable();
    assert!(parts.into_iter().eq(0..32));
    fs::write(folder.0.join("runs.csv"), "g,l\n1,2\n3,4\n").unwrap();
    let (code, table, _) = run(
        &folder,
        "sweep pendulum --rows runs.csv --until 0.1 --samples 2",
    );
    assert_eq!(code, 0);
    assert_eq!(
        (column(&table, "g"), column(&table, "l")),
        (vec![1.0, 3.0], vec![2.0, 4.0])
    );
}

#[test]
fn what_cannot_be_swept_is_said_before_the_first_run() {
    let folder = Folder::new("bad");
    fs::write(folder.0.join("old.csv"), "old\n").unwrap();
    fs::write(folder.0.join("bad.csv"), "g\n1\nx\n").unwrap();
    for (options, said) in [
        ("--over g=20:1:3", "below the second"),
        ("--over g=1:2", "how many"),
        ("--over g=", "empty"),
        ("--over q=1,2", "neither a parameter nor a start value"),
        ("--over g", "NAME=RANGE"),
        ("--over g=1,2 --over g=3", "varied twice"),
        ("--over g=log:-1:1:3", "one sign"),
        ("--over g=1,b", "`b`"),
        ("--over g=1,2 --report x", "min(X)"),
        ("--over g=1,2 --report max(q)", "`q`"),
        ("--over g=1,2 --report when(x,y)", "A=B"),
        ("--over g=1,2 --shard 5/4", "not a shard"),
        ("--over g=1:2 --random 0", "0"),
        (
            "--over g=1:2 --random 4 --design grid",
            "neither latin nor sobol",
        ),
        ("--random 3", "--over"),
        ("--rows bad.csv", "line 3"),
        ("--rows none.csv", "none.csv"),
        ("", "nothing is varied"),
    ] {
        let (code, out, err) = run(&folder, &format!("sweep pendulum {options} -o old.csv"));
        assert_eq!((code, out.as_str()), (2, ""), "{options}: {err}");
        assert!(err.contains(said), "{options}: {err}");
        assert_eq!(folder.read("old.csv"), "old\n", "{options}");
    }
    let (code, _, err) = run(&folder, "sweep minimum_on_surface --over a=1,2");
    assert!(code == 2 && err.contains("no motion"), "{err}");
}

#[test]
fn a_job_array_has_a_task_a_part() {
    let folder = Folder::new("slurm");
    let mut command = folder.command(&words(
        "sweep pendulum --over g=1:20:40 --until 1 --report \"at(t=1/2, x)\" -o runs.csv --slurm 4",
    ));
    // whatever is installed here, nothing is submitted
    let output = command.env("PATH", "/nonexistent").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let script = folder.read("runs.slurm");
    assert!(
        script.contains("#SBATCH --array=1-4") && script.contains("'at(t=1/2, x)'"),
        "{script}"
    );
    for i in 1..=4 {
        let run = Command::new("/bin/sh")
            .arg("runs.slurm")
            .env("SLURM_ARRAY_TASK_ID", i.to_string())
            .current_dir(&folder.0)
            .output();
        assert!(run.unwrap().status.success());
    }
    let parts: Vec<String> = (1..=4).map(|i| format!("runs.{i}-of-4.csv")).collect();
    let (code, joined, err) = run(&folder, &format!("gather {}", parts.join(" ")));
    assert_eq!(code, 0, "{err}");
    let whole = run(
        &folder,
        "sweep pendulum --over g=1:20:40 --until 1 --report \"at(t=1/2, x)\"",
    );
    assert_eq!(joined, whole.1);
}

#[test]
fn what_a_motion_comes_to_does_not_hang_on_its_samples() {
    let folder = Folder::new("reductions");
    // y = t (t - 1) (t - 2), x = t
    fs::write(
        folder.0.join("cubic.yaml"),
        "coordinates: [x, y]\nparameters: {a: 0}\nlagrangian: 1/2*(x'^2 + y'^2)\nforces: {y: 6*t - 6}\n\
         start: {x: 0, x': 1, y: 0, y': 2}\nrun: {until: 3}\n",
    )
    .unwrap();
    let wanted = [
        ("min(y)", -2.0 / 27.0_f64.sqrt()),
        ("max(y)", 6.0),
        ("mean(y)", 0.75),
        ("count((x-1)^2=0)", 1.0),
        ("count(abs(x-1)=0)", 1.0),
        ("count(y=0)", 3.0),
    ];
    let report: Vec<&str> = wanted.iter().map(|w| w.0).collect();
    for samples in [6, 10, 51, 1000] {
        let command = format!(
            "sweep cubic.yaml --over a=0 --samples {samples} --report \"{}\"",
            report.join(",")
        );
        let (code, table, _) = run(&folder, &command);
        assert_eq!(code, 0);
        for (name, known) in wanted {
            let found = column(&table, name)[0];
            assert!(
                (found - known).abs() < 1e-6,
                "{name} {samples}: {found}, {known}"
            );
        }
    }
    fs::write(
        folder.0.join("wave.yaml"),
        "coordinates: [x]\nparameters: {a: 0}\nlagrangian: 1/2*(x'^2 - x^2)\nstart: {x: 0, x': 1}\nrun: {until: 10}\n",
    )
    .unwrap();
    for samples in [20, 200] {
        let command = format!(
            "sweep wave.yaml --over a=0 --samples {samples} --report \"period(x),mean(x^2)\""
        );
        let (_, table, _) = run(&folder, &command);
        let (period, mean) = (
            column(&table, "period(x)")[0],
            column(&table, "mean(x^2)")[0],
        );
        assert!(
            (period - std::f64::consts::TAU).abs() < 1e-5,
            "{samples}: {period}"
        );
        let known = 0.5 - 20.0_f64.sin() / 40.0;
        assert!((mean - known).abs() < 1e-5, "{samples}: {mean}");
        // jumps, kinks, and what is much faster than samples are
        let known = [
            ("mean(sign(x))", 0.4 * std::f64::consts::PI - 1.0),
            ("mean(abs(x))", 0.7 + 10.0_f64.cos() / 10.0),
            ("mean(sin(200*t)^2)", 0.5 - 4000.0_f64.sin() / 8000.0),
        ];
        let command = format!(
            "sweep wave.yaml --over a=0 --samples {samples} --report \"{}\"",
            known.map(|(name, _)| name).join(",")
        );
        let (_, table, _) = run(&folder, &command);
        for (name, known) in known {
            let found = column(&table, name)[0];
            assert!(
                (found - known).abs() < 1e-6,
                "{name} {samples}: {found}, {known}"
            );
        }
    }
}

#[test]
fn each_run_of_a_sweep_ends_where_something_happens() {
    let folder = Folder::new("event");
    fs::write(
        folder.0.join("o.yaml"),
        "coordinates: [x]\nparameters: {w: 1}\nlagrangian: (x'^2 - w^2*x^2)/2\nstart: {x: 1}\nrun: {until: 3}\n",
    )
    .unwrap();
    let (code, text, errors) = run(
        &folder,
        "sweep o.yaml --over w=1,2 --until x=0 --report end(t)",
    );
    assert_eq!(code, 0, "{errors}");
    for (t, w) in column(&text, "end(t)").iter().zip([1.0, 2.0]) {
        assert!((t - std::f64::consts::FRAC_PI_2 / w).abs() < 1e-9, "{text}");
    }
    // a row tells where it does not happen
    let (_, text, _) = run(
        &folder,
        "sweep o.yaml --over w=0.1,1 --until x=0 --report end(t)",
    );
    assert!(text.contains("does not happen"), "{text}");
    assert_eq!(
        run(
            &folder,
            "sweep o.yaml --over w=1 --until y=0 --report end(t)"
        )
        .0,
        2
    );
}

#[test]
fn many_times_of_failure_do_not_fill_a_cell() {
    let folder = Folder::new("failures");
    let line = "sweep bead_on_parabola --over m=1,2 --until 200";
    let (code, table, _) = run(&folder, line);
    assert_eq!(code, 0);
    let failures = column(&table, "failures");
    for (row, count) in table.lines().skip(1).zip(failures) {
        let times: Vec<&str> = row.split(',').nth(4).unwrap().split(' ').collect();
        assert_eq!(times.len(), 101, "{row}");
        assert_eq!(times[100], format!("+{}", count - 100.0));
    }
}
