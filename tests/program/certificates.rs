//! Certificates of the built-in systems, verified by `tools/certify.py` and broken by `tests/certificates/break.py`.

#![allow(clippy::unwrap_used, clippy::panic)]

use assert_cmd::Command;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Broken certificates in the default run, and in the large one.
const FEW: usize = 300;
const MANY: usize = 10_000;

/// What is proven of a system and has no certificate, a command, a system and the reason a line; the commands say so.
fn is_known_to_lack(command: &str, system: &str) -> bool {
    let list = std::fs::read_to_string(root("tests/certificates/lacking.txt")).unwrap();
    let start = format!("{command} {system}: ");
    list.lines().any(|line| line.starts_with(&start))
}

/// A folder of its own, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("holonom-certificates-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn root(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn has_python() -> bool {
    let found = std::process::Command::new("python3")
        .arg("--version")
        .output();
    let found = found.is_ok_and(|output| output.status.success());
    if !found {
        eprintln!("skipped: there is no python3");
    }
    found
}

/// What a command says on standard error, and its certificate where there is one.
fn certificate(command: &str, system: &str, folder: &Path) -> (String, Option<PathBuf>) {
    let path = folder.join(format!("{command}-{system}.json"));
    let mut run = Command::cargo_bin("holonom").unwrap();
    run.args([command, system, "--certificate"]).arg(&path);
    if command == "map" {
        // as coarse as a terminal
        run.args(["--size", "12x6"]);
    }
    let output = run.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let found = path.is_file().then_some(path);
    (said, found)
}

fn python(script: &str, arguments: &[String]) -> String {
    let mut run = std::process::Command::new("python3");
    run.arg("-I").arg(root(script)).args(arguments);
    let output = run.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let shown: String = said.chars().take(2000).collect();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{script}: {shown} {errors}");
    said
}

/// A system whose maps and atlases take a quarter of a minute each to verify: in the default run it is left to the
/// smaller certificates.
const LARGE: &str = "andrews";

/// The certificates of a command that there are for the built-in systems of this kind, verified; and whatever is said to
/// be lacking is known.
fn verified(command: &str, folder: &Path, of: impl Fn(&str) -> bool) -> Vec<String> {
    let mut paths = Vec::new();
    for system in holonom::system::builtin()
        .iter()
        .filter(|system| of(system.name))
    {
        let (said, path) = certificate(command, system.name, folder);
        let lacks = said.contains("no simple reason") || said.contains("beyond what");
        let known = is_known_to_lack(command, system.name);
        assert!(!lacks || known, "{command} {}: {said}", system.name);
        paths.extend(path.map(|path| path.to_string_lossy().into_owned()));
    }
    let said = python("tools/certify.py", &paths);
    assert_eq!(said.matches("VERIFIED: ").count(), paths.len(), "{said}");
    assert!(!said.contains("NOT VERIFIED"), "{said}");
    paths
}

#[test]
fn what_check_proves_is_verified() {
    if has_python() {
        verified("check", &Folder::new().0, |_| true);
    }
}

/// `certify.py FILE | head` says nothing of the pipe, and its exit code is that of the certificate.
#[test]
fn a_checker_whose_reader_has_gone_keeps_its_exit_code() {
    if !has_python() {
        return;
    }
    let folder = Folder::new();
    let (_, path) = certificate("check", "bead_on_parabola", &folder.0);
    let good = path.unwrap();
    let bad = folder.0.join("bad.json");
    std::fs::write(&bad, "{}").unwrap();
    for (path, code) in [(good, 0), (bad, 1)] {
        let mut run = std::process::Command::new("python3");
        run.arg("-I")
            .arg(root("tools/certify.py"))
            .args([&path, &path]);
        run.stdout(std::process::Stdio::piped());
        run.stderr(std::process::Stdio::piped());
        let mut child = run.spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), &*errors), (Some(code), ""));
    }
}

/// y is in no constraint: the zeros of det J_D are told for all of its values.
#[test]
fn a_coordinate_that_no_constraint_has_is_free() {
    if !has_python() {
        return;
    }
    let folder = Folder::new();
    let [file, path] = ["free.yaml", "free.json"].map(|name| folder.0.join(name));
    let text = "coordinates: [x, y, z]\nkinetic: (x'^2 + y'^2 + z'^2)/2\npotential: z^2 + exp(y)\n\
                constraints: {f: 1.78*x*z - 1.49*x^2 = -1.2}\nstart: {y: 0}\nguess: {x: 0.6, z: -0.8}\n";
    std::fs::write(&file, text).unwrap();
    let mut run = Command::cargo_bin("holonom").unwrap();
    run.arg("check").arg(&file).arg("--certificate").arg(&path);
    let output = run.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let said = python("tools/certify.py", &[path.to_string_lossy().into_owned()]);
    assert!(said.contains("det J_D = 0"), "{said}");
}

#[test]
fn a_compressed_certificate_is_read() {
    if !has_python() {
        return;
    }
    let folder = Folder::new();
    let (_, path) = certificate("inverse", "pendulum", &folder.0);
    let path = path.unwrap();
    let mut pack = std::process::Command::new("python3");
    let packed = pack.args(["-I", "-m", "gzip"]).arg(&path).status().unwrap();
    assert!(packed.success());
    std::fs::remove_file(&path).unwrap();
    let said = python("tools/certify.py", &[format!("{}.gz", path.display())]);
    assert!(said.starts_with("VERIFIED: "), "{said}");
}

#[test]
fn what_equilibria_proves_is_verified() {
    if has_python() {
        verified("equilibria", &Folder::new().0, |_| true);
    }
}

/// Where unknowns are put away one after the other the checker has the equations in the same words: multiplied out, with
/// functions of arguments that are written in other orders and with other signs.
#[test]
fn what_is_proven_of_families_is_verified() {
    if !has_python() {
        return;
    }
    let folder = Folder::new();
    let systems = [
        // a factor that is not in sight once values are put
        (
            "[phi, s, x, y]",
            "9.81*y",
            "{yoke: s - 2*cos(phi)/5, rod: {f: (x - s)^2 + y^2, c: 0.81}}",
        ),
        // sin(u^2 - x) and sin(x - u^2)
        (
            "[q, u, x, y]",
            "u^3/3 - u",
            "{a: x - (u^2 - q), b: y - 2*sin(q)/3}",
        ),
        // arguments that come to be shorter
        (
            "[q, u, x, y]",
            "(u - 1)^2",
            "{a: x - (u^2 - q), b: y - cos(q)}",
        ),
        // and to vanish
        (
            "[q, u, x, y]",
            "(u - 1)^2",
            "{a: x - q*u, b: y - sin(x - q*u) - cos(q)}",
        ),
        ("[q, u, x]", "(x - (u^2 - q))^2 + (u^2 - 1)^2/4", "{}"),
    ];
    for (number, (coordinates, potential, constraints)) in systems.iter().enumerate() {
        let [file, path] = ["yaml", "json"].map(|end| folder.0.join(format!("{number}.{end}")));
        let names = coordinates.trim_matches(['[', ']']).split(", ");
        let kinetic: Vec<String> = names.map(|name| format!("{name}'^2/2")).collect();
        let text = format!(
            "coordinates: {coordinates}\nkinetic: {}\npotential: {potential}\nconstraints: {constraints}\n",
            kinetic.join(" + ")
        );
        std::fs::write(&file, text).unwrap();
        let mut run = Command::cargo_bin("holonom").unwrap();
        run.arg("equilibria")
            .arg(&file)
            .arg("--certificate")
            .arg(&path);
        let output = run.output().unwrap();
        assert!(output.status.success(), "{number}: {output:?}");
        let said = python("tools/certify.py", &[path.to_string_lossy().into_owned()]);
        assert!(
            said.contains("for every") && said.contains("exactly these"),
            "{number}: {said}"
        );
    }
}

#[test]
fn what_is_proven_where_bounds_are_wide_is_verified() {
    if !has_python() {
        return;
    }
    let folder = Folder::new();
    let of = [
        // charges, whose force and its slope have squares of a difference
        ("1/sqrt((a - b)^2 + 1/16) + (a^2 + b^2)/2", "{}"),
        (
            "1/((a + b)^2 + 1/8) - sqrt(1 + (a - 2*b)^2) + (a^2 + b^2)",
            "{}",
        ),
        // functions that are bounded, or rise, made of others that are not
        ("tanh(a + 2*b) - tanh(3*b - a)/2 + (a^2 + b^2)/2", "{}"),
        ("tan(a/2 - b/4) - a + b^2 + a^2", "{}"),
        ("cosh(a - b) - 2*sinh(a*b) + a^2", "{}"),
        ("(a - 1)^2 + b", "{w: b = tanh(2*a)}"),
        ("(a - 1)^2 + a*b", "{w: b = atan(2*a)/2}"),
        // quotients, which have no common denominator where they are multiplied out
        ("a^2 + b", "{w: b/(1 + b^2) = -0.34}"),
        ("a + b^2", "{w: 2*atan(a) + a^2 = 1.96}"),
        // sizes of products, whose sign their factors tell, and squares of sizes
        (
            "1.13*a^2 + 1.81*b^2 + 0.18*a*b + 0.67*a - 0.81*b + 0.26*abs(a*(0.37 - 0.44*a - 0.88*b))",
            "{}",
        ),
        (
            "1.5*a^2 + 1.78*b^2 - 0.2*a - 1.39*b + 0.06*abs(a^2 - b*(0.44 - 0.53*a - 0.81*b))",
            "{}",
        ),
        (
            "0.9*a^2 + 1.5*b^2 + 0.8*a - 1.3*b + 1.5*abs(a*(0.9*a - 0.3*b - 0.3)) + (0.2*a - 0.1*b + abs(0.2*a - 0.1*b + 0.04) + 0.04)^2",
            "{}",
        ),
    ];
    for (number, (potential, constraints)) in of.iter().enumerate() {
        let file = folder.0.join(format!("{number}.yaml"));
        let text = format!(
            "coordinates: [a, b]\nkinetic: (a'^2 + b'^2)/2\npotential: {potential}\nconstraints: {constraints}\nguess: {{a: 0.3, b: 0.4}}\n"
        );
        std::fs::write(&file, text).unwrap();
        let commands = if *constraints == "{}" {
            &["equilibria"][..]
        } else {
            &["equilibria", "check"]
        };
        for command in commands {
            let path = folder.0.join(format!("{number}-{command}.json"));
            let mut program = Command::cargo_bin("holonom").unwrap();
            program.args([
                command,
                file.to_str().unwrap(),
                "--box",
                "a=-1.4:1.4,b=-1.5:1.5",
            ]);
            program.args(["--certificate", path.to_str().unwrap(), "-q"]);
            program.assert().success();
            python("tools/certify.py", &[path.to_str().unwrap().to_owned()]);
        }
    }
}

/// Boxes reach past poles, the ends of domains and the cut of atan2; a claim is about what is defined in them.
#[test]
fn what_is_proven_past_the_end_of_a_domain_is_verified() {
    if !has_python() {
        return;
    }
    let folder = Folder::new();
    // with the level at x = 0.5, y = 0.7
    let constraints = [
        ("sqrt(x + 3) + y", 2.571),
        ("(x + 3)^(2/3) + y", 3.005),
        ("(x + 3)^(-1.5) + y", 0.853),
        ("(x + 3)^(y/4)", 1.245),
        ("log(x + 4)", 1.504),
        ("1/(x + 2) + y", 1.1),
        ("tan(x) + y", 1.246),
        ("asin(x/5) + y", 0.8),
        ("acos(x/5) + y", 2.171),
        ("atan2(y, 3 + x)", 0.197),
        ("atan2(x, 3 + y)", 0.134),
        ("atan2(y, x)", 0.951),
    ];
    let potentials = [
        "1/x + 2*x + y^2",
        "y^2 - 1/(x + 2.5) + x/2",
        "x*log(y) + (x - 1)^2 + y^2",
        "atan2(y, x) + x + y",
        "asin(x/3) + x^2 + y^2",
        "0.3*x - tan(x/2) + y^2",
    ];
    let head = "coordinates: [x, y]\nkinetic: (x'^2 + y'^2)/2\n";
    let mut files: Vec<(String, &[&str])> = Vec::new();
    for (f, level) in constraints {
        let rest =
            format!("constraints: {{c: {{f: \"{f}\", c: {level}}}}}\nguess: {{x: 0.5, y: 0.7}}\n");
        // an atlas of all x comes to every pole, and one of all angles to the origin, where it ends
        let commands: &[&str] = match f {
            "tan(x) + y" | "atan2(y, x)" => &["check", "inverse"],
            _ => &["check", "inverse", "atlas"],
        };
        files.push((format!("{head}{rest}"), commands));
    }
    for potential in potentials {
        files.push((format!("{head}potential: {potential}\n"), &["equilibria"]));
    }
    let mut paths = Vec::new();
    for (number, (text, commands)) in files.iter().enumerate() {
        let file = folder.0.join(format!("{number}.yaml"));
        std::fs::write(&file, text).unwrap();
        for command in *commands {
            let path = folder.0.join(format!("{number}-{command}.json"));
            let mut run = Command::cargo_bin("holonom").unwrap();
            run.args([command, file.to_str().unwrap(), "-q", "--certificate"]);
            match *command {
                "equilibria" => run.args([path.to_str().unwrap(), "--box", "x=-4:4,y=-4:4"]),
                "atlas" => run.arg(&path),
                _ => run.arg(&path).args(["--dependent", "x"]),
            };
            let output = run.output().unwrap();
            assert!(path.is_file(), "{command} {text}: {output:?}");
            paths.push(path.to_string_lossy().into_owned());
        }
    }
    let said = python("tools/certify.py", &paths);
    assert_eq!(said.matches("VERIFIED: ").count(), paths.len(), "{said}");
}

/// The sides of `x in [low, high], y in [low, high]`.
fn sides(line: &str) -> Vec<(f64, f64)> {
    let number = |text: &str| text.parse::<f64>().unwrap();
    let side = |rest: &str| {
        let (low, high) = rest.split(']').next()?.split_once(", ")?;
        Some((number(low), number(high)))
    };
    line.split(" in [").skip(1).filter_map(side).collect()
}

/// `tests/sympy/equilibria.json` has the solutions that exact algebra isolates: the program counts as many, and each lies in
/// a box of its own that the checker tells.
#[test]
fn the_equilibria_of_polynomials_are_those_of_exact_algebra() {
    if !has_python() {
        return;
    }
    let folder = Folder::new();
    let known = include_str!("../sympy/equilibria.json").replace("**", "^");
    let known: serde_json::Value = serde_json::from_str(&known).unwrap();
    for (number, system) in known["systems"].as_array().unwrap().iter().enumerate() {
        let [file, path] = ["yaml", "json"].map(|end| folder.0.join(format!("{number}.{end}")));
        let [potential, constraint] = ["potential", "constraint"].map(|key| system[key].as_str());
        let constraint = constraint.map_or(String::new(), |f| {
            format!("constraints: {{f: {f} = 0}}\nguess: {{x: 0.5, y: 0.5}}\n")
        });
        let text = format!(
            "coordinates: [x, y]\nkinetic: (x'^2 + y'^2)/2\npotential: {}\n{constraint}",
            potential.unwrap()
        );
        std::fs::write(&file, text).unwrap();
        let solutions = system["solutions"].as_array().unwrap();
        let mut run = Command::cargo_bin("holonom").unwrap();
        run.arg("equilibria")
            .arg(&file)
            .args(["--box", "x=-3:3,y=-3:3"]);
        run.arg("--assert")
            .arg(format!("count = {}", solutions.len()));
        let output = run.arg("--certificate").arg(&path).output().unwrap();
        assert!(output.status.success(), "{number}: {output:?}");
        let said = python("tools/certify.py", &[path.to_string_lossy().into_owned()]);
        let told: Vec<_> = said
            .lines()
            .filter(|l| l.starts_with("  x in ["))
            .map(sides)
            .collect();
        assert!(
            said.contains(&format!("exactly these ({})", solutions.len())),
            "{number}: {said}"
        );
        for solution in solutions {
            let point = solution.as_array().unwrap().iter();
            let point: Vec<f64> = point
                .map(|v| v.as_str().unwrap().parse().unwrap())
                .collect();
            let holds = |box_: &&Vec<(f64, f64)>| {
                box_.iter()
                    .zip(&point)
                    .all(|((lo, hi), v)| lo <= v && v <= hi)
            };
            assert_eq!(
                told.iter().filter(holds).count(),
                1,
                "{number}: {point:?} {said}"
            );
        }
    }
}

#[test]
fn what_atlas_proves_is_verified() {
    if has_python() {
        verified("atlas", &Folder::new().0, |name| name != LARGE);
    }
}

#[test]
fn what_map_proves_is_verified() {
    if has_python() {
        verified("map", &Folder::new().0, |name| name != LARGE);
    }
}

#[test]
#[ignore = "half a minute of Python; .ci/run asks for it"]
fn what_large_maps_and_atlases_prove_is_verified() {
    if has_python() {
        for command in ["atlas", "map"] {
            let all = verified(command, &Folder::new().0, |name| name == LARGE);
            assert_eq!(all.len(), 1, "{command}");
        }
    }
}

#[test]
fn what_inverse_proves_is_verified() {
    if has_python() {
        verified("inverse", &Folder::new().0, |_| true);
    }
}

/// Those that are small: breaking one has it verified again.
fn broken(count: usize, seed: &str) {
    let folder = Folder::new();
    let mut arguments = vec![count.to_string(), seed.to_owned()];
    for command in ["check", "equilibria", "atlas", "inverse"] {
        for system in [
            "pendulum",
            "double_pendulum",
            "slider_crank",
            "four_bar",
            "rotating_hoop",
            "salas_curve",
            "lever",
            "ladder",
            "pendulum_on_cart",
        ] {
            let (_, path) = certificate(command, system, &folder.0);
            let small = |p: &PathBuf| std::fs::metadata(p).unwrap().len() < 30_000;
            arguments.extend(path.filter(small).map(|p| p.to_string_lossy().into_owned()));
        }
    }
    let said = python("tests/certificates/break.py", &arguments);
    assert!(said.contains(" 0 wrong"), "{said}");
    println!("{said}");
}

#[test]
fn broken_certificates_are_refused() {
    if has_python() {
        broken(FEW, "1");
    }
}

#[test]
#[ignore = "some minutes"]
fn ten_thousand_broken_certificates_are_refused() {
    let seed = std::env::var("SEED").unwrap_or_else(|_| "2".to_owned());
    broken(MANY, &seed);
}

/// What is not proven has exit code 1, what cannot be read 2.
#[test]
fn an_assertion_has_an_exit_code() {
    let cases = [
        (0, "atlas pendulum", "covers"),
        (1, "atlas pendulum --dependent y", "covers"),
        (
            0,
            "atlas slider_crank --set a=0.5",
            "holds for theta over 0:2*pi",
        ),
        (
            1,
            "atlas slider_crank --set a=1.3",
            "holds for theta over 0:2*pi",
        ),
        (2, "atlas pendulum", "count = 2"),
        (0, "equilibria double_pendulum", "count = 4"),
        (0, "equilibria double_pendulum", "count = 1 stable"),
        (1, "equilibria double_pendulum", "count = 3"),
        (1, "equilibria double_pendulum", "count = 4 stable"),
        // what rests where the constraints move on does not stay
        (0, "equilibria rotating_hoop", "count = 4"),
        (0, "equilibria rotating_hoop", "count = 2 stable"),
        (1, "equilibria rotating_rod", "count = 1"),
        (1, "map pendulum --dependent y", "never singular"),
        (0, "map bead_on_parabola --dependent x2", "never singular"),
        (
            2,
            "map slider_crank --x a --y l --box a=0.5:1.5,l=0.5:1",
            "never singular",
        ),
        (0, "simulate pendulum --csv", "max(abs(F_rod)) < 50"),
        (1, "simulate pendulum --csv", "max(abs(F_rod)) < 1"),
        (1, "simulate pendulum --csv", "min(abs(x)) > 0"),
        (
            1,
            "simulate pendulum --csv",
            "max(1 - abs(x - 0.123456)) < 1",
        ),
        (0, "simulate pendulum --csv", "min(abs(x)) > -1e-3"),
        (1, "simulate pendulum --csv --samples 1", "min(y) > -0.999"),
        (0, "simulate pendulum --csv --samples 1", "min(y) > -1.001"),
        (2, "simulate pendulum --csv", "sometimes"),
    ];
    for (wanted, command, claim) in cases {
        let mut run = Command::cargo_bin("holonom").unwrap();
        run.args(command.split(' ')).args(["--assert", claim]);
        let code = run.output().unwrap().status.code();
        assert_eq!(code, Some(wanted), "{command}: {claim}");
    }
}
