//! `plot --data`: measured columns over the motion, by name.

#![allow(clippy::unwrap_used, clippy::panic)]

use assert_cmd::Command;
use serde_json::Value;
use std::path::PathBuf;

/// A file of its own for a test, removed at the end.
struct File(PathBuf);

impl File {
    fn new(name: &str, text: &str) -> Self {
        let name = format!("holonom-measured-{}-{name}.csv", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, text).unwrap();
        Self(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn said(words: &[&str]) -> (Option<i32>, String, String) {
    let mut program = Command::cargo_bin("holonom").unwrap();
    let output = program.args(words).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

/// A pendulum measured at times between its samples, half a millimetre off.
fn measured(name: &str) -> File {
    let times = "0.0314,0.2718,1.437,1.99";
    let words = ["simulate", "pendulum", "--times", times, "--csv"];
    let (_, table, _) = said(&[&words[..], &["--columns", "t,x,y"]].concat());
    let rows = table.lines().skip(1).map(|row| {
        let row: Vec<f64> = row.split(',').map(|v| v.parse().unwrap()).collect();
        format!("{},{},\n", row[0], row[1] + 5e-4)
    });
    let text: String = rows.collect();
    File::new(name, &format!("t [s], x [m], y [m]\n{text}"))
}

#[test]
fn the_residual_is_taken_at_the_times_of_the_data() {
    let file = measured("the_residual_is_taken_at_the_times_of_the_data");
    let columns = "x,data.x,x - data.x,data.y";
    let (code, out, err) = said(&[
        "plot",
        "pendulum",
        "--data",
        file.path(),
        "--y",
        columns,
        "--json",
        "--until",
        "2",
    ]);
    assert_eq!(code, Some(0), "{err}");
    let object: Value = serde_json::from_str(&out).unwrap();
    let series = |k: usize| {
        let values = &object["plots"][0]["y"]["series"][k]["values"];
        let list = values.as_array().unwrap().iter();
        list.map(Value::as_f64).collect::<Vec<_>>()
    };
    let times = object["plots"][0]["x"]["values"].as_array().unwrap();
    let at = times.iter().map(|t| t.as_f64().unwrap());
    assert!(at.clone().is_sorted() && at.clone().any(|t| t == 1.437));
    let off: Vec<f64> = series(2).into_iter().flatten().collect();
    assert_eq!(off.len(), 4);
    for value in off {
        assert!((value + 5e-4).abs() < 1e-9, "{value}");
    }
    // the motion itself has no gap, and an empty column has nothing
    assert!(series(0).iter().all(Option::is_some));
    assert!(series(3).iter().all(Option::is_none));
}

#[test]
fn columns_of_the_same_name_are_drawn_with_their_residual() {
    let file = measured("columns_of_the_same_name_are_drawn_with_their_residual");
    let words = ["plot", "pendulum", "--ascii", "--until", "2", "--data"];
    let (code, out, err) = said(&[&words[..], &[file.path()]].concat());
    assert_eq!(code, Some(0), "{err}");
    assert!(
        out.contains("data.x") && out.contains("x - data.x"),
        "{out}"
    );
    // measured values are points, not joined
    let words = ["plot", "pendulum", "--until", "2", "--data", file.path()];
    let svg = std::env::temp_dir().join(format!("holonom-points-{}.svg", std::process::id()));
    let (code, _, err) = said(&[&words[..], &["-o", svg.to_str().unwrap()]].concat());
    assert_eq!(code, Some(0), "{err}");
    let drawn = std::fs::read_to_string(&svg).unwrap();
    std::fs::remove_file(&svg).unwrap();
    // four of x in each of two plots, and in each legend one of x and one of y, which has no values
    assert_eq!(drawn.matches("<circle").count(), 2 * 4 + 2 * 2, "{drawn}");
    // without `--until` as far as was measured
    let late = File::new("late", "t,x\n12.5,0.1\n");
    let words = ["plot", "pendulum", "--json", "--data", late.path()];
    let (_, out, _) = said(&words);
    let object: Value = serde_json::from_str(&out).unwrap();
    let times = object["plots"][0]["x"]["values"].as_array().unwrap();
    assert_eq!(times.last().unwrap().as_f64(), Some(12.5));
}

#[test]
fn what_is_wrong_with_data_is_located() {
    let file = File::new("wrong", "t,x\n0,1\n0.5,l\n");
    let (code, _, err) = said(&["plot", "pendulum", "--data", file.path()]);
    assert_eq!(code, Some(2));
    assert!(
        err.contains("line 3, column `x`: `l` is not a number"),
        "{err}"
    );
    let (code, _, err) = said(&["plot", "pendulum", "--data", "nowhere.csv"]);
    assert_eq!(code, Some(2));
    assert!(err.starts_with("error: --data: nowhere.csv"), "{err}");
    let file = measured("what_is_wrong_with_data_is_located");
    let words = ["plot", "pendulum", "--y", "data.z", "--data", file.path()];
    let (code, _, err) = said(&words);
    assert_eq!(code, Some(2));
    assert!(err.contains("data.z") && err.contains("data.x"), "{err}");
}

#[test]
fn rows_beside_the_motion_and_columns_without_a_name_are_told() {
    let text = "t;x;x error\n-1;0,5;0\n";
    let file = File::new("decimal", text);
    let (code, _, err) = said(&["plot", "pendulum", "--data", file.path()]);
    assert_eq!(code, Some(2));
    assert!(err.contains("decimals are written with a point"), "{err}");
    let file = File::new(
        "beside",
        "t\tx\tx error\n-1\t0.5\t0\n1\t0.5\t0\n3\t0.5\t0\n",
    );
    let words = ["plot", "pendulum", "--until", "2", "--data", file.path()];
    let (code, _, err) = said(&words);
    assert_eq!(code, Some(0));
    assert!(err.contains("`x error`"), "{err}");
    assert!(err.contains("1 before t = 0, 1 after t = 2, of 3"), "{err}");
}
