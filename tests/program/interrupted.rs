//! Commands that are stopped, refused, or killed: what stands on the disk afterwards, and what is said.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::fs;
use std::path::Path;
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use crate::folder::{Folder, said};

/// The longest wait for anything: a machine under load takes its time.
const LIMIT: Duration = Duration::from_secs(60);

/// Waits until something has been written beside the file that is to be.
fn wait_for_a_beginning(folder: &Folder) {
    let begin = Instant::now();
    let begun = |path: &Path| fs::metadata(path).is_ok_and(|data| data.len() > 0);
    while !folder
        .names()
        .iter()
        .any(|name| name.contains(".holonom-") && begun(&folder.0.join(name)))
    {
        assert!(begin.elapsed() < LIMIT, "{:?}", folder.names());
        thread::sleep(Duration::from_millis(5));
    }
}

fn signal(child: &Child, name: &str) {
    let id = child.id().to_string();
    let status = Command::new("kill").args([name, &id]).status();
    assert!(status.unwrap().success());
}

/// A run that takes minutes, with a row often enough to see it begin.
const LONG: [&str; 7] = [
    "simulate",
    "pendulum",
    "--until",
    "1e6",
    "--samples",
    "1000000",
    "--csv",
];

#[test]
fn an_interrupted_run_writes_what_is_computed() {
    let folder = Folder::new("signal");
    let mut signals = vec![("-INT", 130), ("-TERM", 143), ("-HUP", 129)];
    // what these tests run under may ignore it, as nohup does, and so do programs started here then
    signals.retain(|(name, _)| *name != "-HUP" || !hangup_is_ignored());
    for (name, code) in signals {
        fs::write(folder.0.join("a.csv"), "old\n").unwrap();
        let mut arguments = LONG.to_vec();
        arguments.extend(["-o", "a.csv"]);
        let child = folder.command(&arguments).spawn().unwrap();
        wait_for_a_beginning(&folder);
        signal(&child, name);
        let (ended, _, err) = said(&child.wait_with_output().unwrap());
        assert_eq!(ended, code, "{err}");
        assert!(err.contains("not finished: cancelled at t = "), "{err}");
        let text = fs::read_to_string(folder.0.join("a.csv")).unwrap();
        assert!(text.starts_with("t,x,y,") && text.lines().count() > 100);
        assert!(text.ends_with('\n'));
        let last: f64 = text
            .lines()
            .last()
            .unwrap()
            .split(',')
            .next()
            .unwrap()
            .parse()
            .unwrap();
        assert!(last > 10.0, "{last}");
        assert_eq!(folder.names(), ["a.csv"]);
    }
}

/// Whether this process ignores a hangup, as far as the system says.
fn hangup_is_ignored() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let list = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = list.and_then(|list| u64::from_str_radix(list.trim(), 16).ok());
    mask.is_some_and(|mask| mask & 1 == 1)
}

/// `nohup` and what it stands for stays what it is.
#[test]
#[cfg(target_os = "linux")]
fn a_hangup_that_is_ignored_does_not_end_a_run() {
    let folder = Folder::new("nohup");
    let mut arguments = LONG.to_vec();
    arguments.extend(["-o", "a.csv"]);
    let program = folder.command(&arguments);
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' HUP; exec \"$0\" \"$@\""]);
    shell.arg(program.get_program()).args(program.get_args());
    shell.current_dir(&folder.0);
    shell
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    let child = shell.spawn().unwrap();
    wait_for_a_beginning(&folder);
    signal(&child, "-HUP");
    thread::sleep(Duration::from_millis(300));
    signal(&child, "-TERM");
    let (code, _, err) = said(&child.wait_with_output().unwrap());
    assert_eq!(code, 143, "{err}");
}

#[test]
fn what_is_nothing_unfinished_is_not_written() {
    let folder = Folder::new("nothing");
    fs::write(folder.0.join("a.svg"), "old").unwrap();
    // a map of a system that takes its time
    let arguments = ["map", "rolling_disc", "-o", "a.svg", "--size", "400x400"];
    let child = folder.command(&arguments).spawn().unwrap();
    let begin = Instant::now();
    while folder.names().len() < 2 {
        assert!(begin.elapsed() < LIMIT);
        thread::sleep(Duration::from_millis(2));
    }
    signal(&child, "-INT");
    let (code, out, err) = said(&child.wait_with_output().unwrap());
    assert_eq!((code, out.as_str()), (130, ""), "{err}");
    let text = fs::read_to_string(folder.0.join("a.svg")).unwrap();
    // as far as it came
    match err.as_str() {
        "interrupted: nothing is written\n" => assert_eq!(text, "old"),
        "interrupted: what was found until then is written\n" => {
            assert!(text.starts_with("<svg ") && text.ends_with("</svg>\n"));
        }
        _ => panic!("{err}"),
    }
    assert_eq!(folder.names(), ["a.svg"]);
}

/// Four links with a spring between every two: its equilibria are a long search.
const SEARCH: &str = "coordinates: [a, b, c, d, e, f]
parameters: {k: 9}
lagrangian: 1/2*(a'^2 + b'^2 + c'^2 + d'^2 + e'^2 + f'^2) - (sin(a*b + c) + cos(b*c - d)*a + sin(d*e)*f + cos(a + f*e)*b + a*c*sin(e - b))
constraints: {s: a^2 + b^2 + c^2 + d^2 + e^2 + f^2 = k, r: a*d + sin(b*e) = c*f/3}
guess: {a: 1, b: 1, c: 1, d: -1, e: 2, f: 1}
run: {until: 1e6, rtol: 1e-12, samples: 1000}
expect:
  - {fact: the sphere is kept, identity: a^2 + b^2 + c^2 + d^2 + e^2 + f^2 = k, within: 1e-6}
";

#[test]
fn interrupted_answers_are_what_was_found_and_say_so() {
    let folder = Folder::new("answers");
    fs::write(folder.0.join("a.yaml"), SEARCH).unwrap();
    for (arguments, name, code) in [
        (vec!["equilibria", "a.yaml", "--json"], "-INT", 130),
        (vec!["equilibria", "a.yaml"], "-TERM", 143),
        (
            vec!["continue", "a.yaml", "--over", "k=8:10", "--json"],
            "-INT",
            130,
        ),
        (
            vec!["continue", "a.yaml", "--over", "k=8:10", "--certify"],
            "-TERM",
            143,
        ),
        (vec!["compare", "a.yaml", "--json"], "-INT", 130),
        (vec!["compare", "a.yaml"], "-INT", 130),
        (vec!["verify", "a.yaml", "--json"], "-TERM", 143),
        (vec!["verify", "a.yaml"], "-INT", 130),
        (
            vec!["map", "a.yaml", "--json", "--size", "1000x1000"],
            "-INT",
            130,
        ),
    ] {
        let child = folder.command(&arguments).spawn().unwrap();
        // long enough for the handlers to stand, and less than the search takes
        thread::sleep(Duration::from_millis(400));
        signal(&child, name);
        let (ended, out, err) = said(&child.wait_with_output().unwrap());
        assert_eq!(ended, code, "{arguments:?}: {err}");
        if arguments.contains(&"--json") {
            let object: serde_json::Value = serde_json::from_str(&out).unwrap();
            let partial = object["interrupted"] == true || object["because"].is_string();
            assert!(partial, "{arguments:?}: {out:.200}");
            assert!(object["complete"] != true && object["agree"] != true);
        } else {
            let told = out.contains("cancelled at t") || err.contains("until then is written");
            assert!(
                told && !out.contains("AGREE") && !out.contains("FAIL"),
                "{out}{err}"
            );
        }
    }
}

#[test]
fn what_a_killed_run_left_is_cleared_by_the_next() {
    let folder = Folder::new("killed");
    let mut arguments = LONG.to_vec();
    arguments.extend(["-o", "a.csv"]);
    let mut child = folder.command(&arguments).spawn().unwrap();
    wait_for_a_beginning(&folder);
    // another program that writes there is let be
    let (code, _, err) = folder.run(&["simulate", "pendulum", "-q", "-o", "a.csv"]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert_eq!(folder.names().len(), 2);
    signal(&child, "-KILL");
    child.wait().unwrap();
    assert_eq!(folder.names().len(), 2);
    folder.run(&["simulate", "pendulum", "-o", "a.csv"]);
    assert_eq!(folder.names(), ["a.csv"]);
}

#[test]
fn a_run_that_yields_nothing_leaves_the_old_file() {
    let folder = Folder::new("old");
    let old = || fs::read_to_string(folder.0.join("a.csv")).unwrap();
    fs::write(folder.0.join("a.csv"), "old").unwrap();
    // the energy has no value at the start
    let text = "coordinates: [x]\nlagrangian: 1/2*x'^2 + log(x)\nstart: {x: 0, x': 1}\n";
    fs::write(folder.0.join("a.yaml"), text).unwrap();
    for form in ["--csv", "--json"] {
        let (code, _, err) = folder.run(&["simulate", "a.yaml", form, "-o", "a.csv"]);
        assert!(code == 2 || code == 3, "{err}");
        assert_eq!(old(), "old");
    }
    let (code, ..) = folder.run(&["simulate", "pendulum", "--at", "x=9", "-o", "a.csv"]);
    assert_eq!((code, old().as_str()), (2, "old"));
    assert_eq!(folder.names(), ["a.csv", "a.yaml"]);
}

#[test]
fn a_link_to_nothing_is_refused_and_one_to_a_file_is_followed() {
    use std::os::unix::fs::symlink;
    let folder = Folder::new("links");
    symlink("/no/such/file", folder.0.join("a.csv")).unwrap();
    symlink("real.csv", folder.0.join("b.csv")).unwrap();
    fs::write(folder.0.join("real.csv"), "old").unwrap();
    let (code, _, err) = folder.run(&["simulate", "pendulum", "-o", "a.csv"]);
    assert_eq!(code, 2);
    assert!(err.contains("a link to a file that is not there"), "{err}");
    assert_eq!(folder.run(&["simulate", "pendulum", "-o", "b.csv"]).0, 0);
    for name in ["a.csv", "b.csv"] {
        let data = fs::symlink_metadata(folder.0.join(name)).unwrap();
        assert!(data.is_symlink());
    }
    assert_ne!(
        fs::read_to_string(folder.0.join("real.csv")).unwrap(),
        "old"
    );
}

#[test]
fn a_pipe_that_nobody_writes_to_is_no_system() {
    let folder = Folder::new("pipe");
    let pipe = folder.0.join("a.yaml");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let (code, _, err) = folder.run(&["check", "a.yaml"]);
    assert_eq!(code, 2);
    assert!(err.contains("a pipe that nobody writes to"), "{err}");
    // one that is written to is, be it late
    let child = folder.command(&["check", "a.yaml"]).spawn().unwrap();
    thread::sleep(Duration::from_millis(200));
    let text = fs::read(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/systems/pendulum.yaml"
    ));
    fs::write(&pipe, text.unwrap()).unwrap();
    let (code, out, err) = said(&child.wait_with_output().unwrap());
    assert!(code == 0 && out.starts_with("HOLDS"), "{out}{err}");
}

#[test]
fn tolerances_are_bounded_as_in_the_file() {
    let folder = Folder::new("rtol");
    for command in ["simulate", "plot", "compare"] {
        for (option, value) in [
            ("--rtol", "1"),
            ("--rtol", "-1"),
            ("--atol", "7"),
            ("--atol", "0"),
        ] {
            let (code, out, err) = folder.run(&[command, "pendulum", option, value, "--json"]);
            assert_eq!(
                (code, out.as_str()),
                (2, ""),
                "{command} {option} {value}: {err}"
            );
            assert!(err.contains("between 0 and 1"), "{err}");
        }
        let (code, _, err) = folder.run(&[command, "pendulum", "--rtol", "nan"]);
        assert_eq!(code, 2);
        assert!(err.contains("--rtol: `nan`: unknown name"), "{err}");
    }
}

#[test]
fn values_that_overflow_break_nothing_and_are_not_called_unsmooth() {
    let folder = Folder::new("overflow");
    for run in [
        "check minimum_on_surface --at y=1e155",
        "check salas_curve --at x=1e160",
        "check salas_curve --at x=-1e308",
        "check pendulum --set l=1e300",
        "inverse salas_curve --at x=1e300",
        "equilibria minimum_on_surface --at y=1e300 --linearise",
        "simulate pendulum --set g=1e308",
        "simulate pendulum --set g=1e155",
        "simulate pendulum --until 1e155",
    ] {
        let words: Vec<&str> = run.split(' ').collect();
        let (code, out, err) = folder.run(&words);
        assert!((0..=4).contains(&code), "{run}: {code} {err}");
        let both = out + &err;
        assert!(
            !both.contains("panicked") && !both.contains("C^1"),
            "{run}: {both}"
        );
    }
}

#[test]
fn the_end_of_a_name_says_what_a_file_holds_or_is_refused() {
    let folder = Folder::new("ending");
    for (command, name, known) in [
        ("simulate", "a.png", ".csv, .txt, .json"),
        ("plot", "a.pdf", ".svg, .json, .txt"),
        ("map", "a.xlsx", ".svg, .json, .txt"),
    ] {
        let (code, _, err) = folder.run(&[command, "pendulum", "-o", name]);
        assert!(code == 2 && err.contains(known), "{err}");
    }
    assert!(folder.names().is_empty());
    // what is asked for by an option needs no ending
    assert_eq!(
        folder
            .run(&["simulate", "pendulum", "--csv", "-o", "a.dat"])
            .0,
        0
    );
    assert_eq!(folder.run(&["plot", "pendulum", "--svg", "-o", "b"]).0, 0);
    assert_eq!(folder.names(), ["a.dat", "b"]);
}

#[test]
fn rows_on_their_way_are_those_of_the_whole() {
    let folder = Folder::new("rows");
    for system in [
        "pendulum",
        "rotating_rod",
        "ladder",
        "hoop_on_incline",
        "hemisphere",
    ] {
        let run = ["simulate", system, "--samples", "9000", "-q"];
        let with = |more: &[&str]| folder.run(&[run.as_slice(), more].concat());
        let streamed = with(&["--csv"]);
        // the balance takes all samples: nothing is written before the end
        let columns = streamed.1.lines().next().unwrap();
        let all = format!("{columns},power_R,residual_velocity");
        let on_the_way = with(&["--csv", "--columns", &all]);
        let gathered = with(&["--csv", "--columns", &format!("{all},balance")]);
        assert_eq!(streamed.0, gathered.0);
        assert_eq!(on_the_way.1.lines().count(), gathered.1.lines().count());
        for ((a, b), c) in streamed
            .1
            .lines()
            .zip(on_the_way.1.lines())
            .zip(gathered.1.lines())
        {
            assert!(
                b.starts_with(a) && c.starts_with(b),
                "{system}: {a} {b} {c}"
            );
        }
    }
}

#[test]
fn a_run_that_does_not_come_to_its_end_tells_one_time() {
    let folder = Folder::new("end");
    let (code, out, _) = folder.run(&["simulate", "pendulum", "--until", "1e9", "--rtol", "1e-6"]);
    assert_eq!(code, 3, "{out}");
    let first = out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(first.starts_with("STOPPED: the last "), "{out}");
    assert!(first.contains("the last sample is that at t = 0"), "{out}");
    assert!(out.contains("at the start;"), "{out}");
}
