//! `derive --code`: the program runs, in python3 or compiled, and gives the numbers of the crate.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use holonom::analysis::{Derived, Model, Request};
use holonom::expr::Language;
use holonom::report::derive_code;
use holonom::solver::{Motion, Sample};
use holonom::system::{System, builtin};
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// What both evaluate from the same expressions may differ by, relative.
const SAME: f64 = 1e-9;
/// What a Runge-Kutta method of order 4 with some thousand steps may miss by.
const RUNGE_KUTTA: f64 = 2e-5;
/// What the extrapolation in C and the motion may differ by, relative.
const EXTRAPOLATED: f64 = 1e-9;

/// Reads states, evaluates every function of the module at them, writes the answers.
const DRIVER: &str = r#"
import importlib.util, json, sys
spec = importlib.util.spec_from_file_location("module", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
answers = []
def attempt(name, *arguments):
    if not hasattr(module, name):
        return None
    try:
        return getattr(module, name)(*arguments)
    except (ArithmeticError, ValueError) as error:
        return str(error)
for t, x, v, a in json.load(sys.stdin):
    second, forces = module.accelerations(t, x, v)
    J = module.jacobian(t, x)
    answers.append({
        "accelerations": second,
        "reactions": [sum(J[b][k]*forces[b] for b in range(len(J))) for k in range(len(x))],
        "constraints": module.constraints(t, x),
        "gamma": [sum(j*s for j, s in zip(row, a)) - g for row, g in zip(J, module.gamma(t, x, v))],
        "energy": module.energy(t, x, v),
        "multipliers": attempt("multipliers", t, x, v, a),
        "inverse": attempt("inverse_functions", t, x, module.right_sides()),
        "dependent": module.DEPENDENT,
    })
json.dump(answers, sys.stdout)
"#;

/// The same in C; the program itself where it is given an argument.
const C_DRIVER: &str = r#"
static void list(const char *name, int some, int n, const double values[])
{
    printf("\"%s\": ", name);
    if (!some) {
        printf("null, ");
        return;
    }
    for (int i = 0; i < n; i++)
        printf("%s%.17g", i ? ", " : "[", values[i]);
    printf(n ? "], " : "[], ");
}

int main(int count, char **words)
{
    if (count > 1 && words[1])
        return motion_main();
    printf("[");
    for (int i = 0; i < STATES; i++) {
        const double t = STATE[i][0], *x = STATE[i] + 1, *v = x + N, *a = v + N;
        double second[N], forces[M + 1], R[N] = {0}, J[M + 1][N], f[M + 1] = {0}, rest[M + 1] = {0}, c[M + 1] = {0};
        accelerations(t, x, v, second, forces);
        jacobian(t, x, J);
        constraints(t, x, f);
        gamma_(t, x, v, rest);
        right_sides(c);
        for (int b = 0; b < M; b++) {
            rest[b] = -rest[b];
            for (int k = 0; k < N; k++) {
                R[k] += J[b][k]*forces[b];
                rest[b] += J[b][k]*a[k];
            }
        }
        printf(i ? ", {" : "{");
        list("accelerations", 1, N, second);
        list("reactions", 1, N, R);
        list("constraints", 1, HOLONOMIC, f);
        list("gamma", 1, M, rest);
#ifdef MULTIPLIERS
        multipliers(t, x, v, a, f);
        list("multipliers", 1, M, f);
#endif
#ifdef INVERSE
        list("inverse", inverse_functions(t, x, c, f), HOLONOMIC, f);
#endif
        printf("\"dependent\": [");
        for (int b = 0; b < HOLONOMIC; b++)
            printf(b ? ", %d" : "%d", DEPENDENT[b]);
        printf("], \"energy\": %.17g}", energy(t, x, v));
    }
    printf("]\n");
    return 0;
}
"#;

/// A file of its own for a test, removed at the end.
struct File(PathBuf);

impl File {
    fn new(name: &str, text: &str) -> Self {
        // tests run side by side in one process, and two of them may take the same system
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("holonom-{}-{number}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, text).unwrap();
        Self(path)
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Runs python3, `-I`: nothing of the surroundings can stand in for the standard library.
fn python(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new("python3")
        .arg("-I")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("this test needs python3 on the path: {error}"));
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).unwrap();
    drop(stdin);
    child.wait_with_output().unwrap()
}

fn succeeded(output: &Output, name: &str) -> String {
    let error = String::from_utf8_lossy(&output.stderr);
    // no warning either
    assert!(
        output.status.success() && error.is_empty(),
        "{name}: {error}"
    );
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    let list = value.as_array().unwrap_or_else(|| panic!("{value}"));
    list.iter().map(|v| v.as_f64().unwrap()).collect()
}

fn size(list: &[f64]) -> f64 {
    list.iter().fold(1.0, |most: f64, v| most.max(v.abs()))
}

fn agree(what: &str, got: &[f64], wanted: &[f64], tolerance: f64) {
    assert_eq!(got.len(), wanted.len(), "{what}");
    let room = tolerance * size(wanted).max(size(got));
    for (a, b) in got.iter().zip(wanted) {
        assert!((a - b).abs() <= room, "{what}: {got:?} and {wanted:?}");
    }
}

/// A system by its text, as Python and as a motion of 50 intervals.
struct Case {
    name: String,
    model: Model,
    derived: Derived,
    motion: Motion,
    program: String,
    module: File,
    language: Language,
}

/// Is there a C compiler? Where there is none, what is compiled is not tried.
fn compiler() -> Option<&'static str> {
    let runs = |name: &&str| Command::new(name).arg("--version").output().is_ok();
    ["cc", "gcc", "clang"].into_iter().find(runs)
}

/// A program from C without a warning, removed at the end.
fn compiled(name: &str, text: &str) -> File {
    let program = File::new(name, "");
    let source = File::new(&format!("{name}.c"), text);
    let output = Command::new(compiler().unwrap())
        .args("-std=c99 -Wall -Wextra -pedantic -Werror -O1 -o".split(' '))
        .args([&program.0, &source.0])
        .arg("-lm")
        .output()
        .unwrap();
    succeeded(&output, name);
    program
}

impl Case {
    fn new(name: &str, text: &str) -> Self {
        let model = Model::new(System::parse(text, name, &[]).unwrap());
        let request = Request {
            samples: Some(50),
            rtol: Some(1e-13),
            ..Request::default()
        };
        let mut motion = model.simulate(&request, &AtomicBool::new(false)).unwrap();
        assert!(motion.finished, "{name}");
        // the module keeps to one-sided constraints: it is the motion's until one is released
        if let Some(release) = motion.releases.first().map(|r| r.t) {
            motion.samples.retain(|s| s.t < release);
            assert!(motion.samples.len() > 10, "{name}");
        }
        Self {
            module: File::new("none", ""),
            name: name.to_owned(),
            derived: model.derive(None),
            model,
            motion,
            program: String::new(),
            language: Language::Python,
        }
    }

    /// Every function in a language, and the table that it prints.
    fn run(&mut self, language: Language, table: bool) {
        self.language = language;
        self.program = derive_code(&self.model, &self.derived, language);
        self.module = match language {
            Language::Python => File::new(&format!("{}.py", self.name), &self.program),
            Language::C => compiled(&self.name, &self.driven()),
        };
        self.functions();
        if table {
            self.table();
        }
    }

    /// The states at which functions are looked at.
    fn some(&self) -> Vec<&Sample> {
        self.motion.samples.iter().step_by(7).collect()
    }

    /// The program in C with a driver.
    fn driven(&self) -> String {
        let rows = self.some().into_iter().map(|s| {
            let numbers = std::iter::once(&s.t).chain(&s.x).chain(&s.v).chain(&s.a);
            let numbers: Vec<String> = numbers.map(|v| format!("{v:?}")).collect();
            format!("{{{}}}", numbers.join(", "))
        });
        let rows: Vec<String> = rows.collect();
        let has = |head: &str, name: &str| {
            if self.program.contains(head) {
                format!("#define {name}\n")
            } else {
                String::new()
            }
        };
        format!(
            "#define main motion_main\n{}\n#undef main\nenum {{ STATES = {}, HOLONOMIC = {} }};\nconst double STATE[STATES][1 + 3*N] = {{{}}};\n{}{}{C_DRIVER}",
            self.program,
            rows.len(),
            self.model.system.constraints.len(),
            rows.join(",\n"),
            has("void multipliers(", "MULTIPLIERS"),
            has("int inverse_functions(", "INVERSE"),
        )
    }

    /// Runs the program: prints its table, or the answers of its driver.
    fn answered(&self, table: bool) -> String {
        let output = match self.language {
            Language::Python if table => python(&[self.path()], ""),
            Language::Python => {
                let states = self.some().into_iter();
                let states: Vec<Value> = states.map(|s| json!([s.t, s.x, s.v, s.a])).collect();
                python(&["-c", DRIVER, self.path()], &json!(states).to_string())
            }
            Language::C => Command::new(&self.module.0)
                .args(table.then_some("table"))
                .output()
                .unwrap(),
        };
        if table && !self.motion.releases.is_empty() {
            // it ends where a one-sided constraint is released
            let said = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(1), "{}: {said}", self.name);
            assert_eq!(said.lines().count(), 1, "{}: {said}", self.name);
            assert!(said.contains("would have to pull"), "{}: {said}", self.name);
            return String::from_utf8(output.stdout).unwrap();
        }
        succeeded(&output, &self.name)
    }

    fn path(&self) -> &str {
        self.module.0.to_str().unwrap()
    }

    /// Every function at the states of the motion.
    fn functions(&self) {
        let some = self.some();
        let answers: Value = serde_json::from_str(&self.answered(false)).unwrap();
        let mut closed = 0;
        let determinants = some.iter().map(|s| s.determinant.abs());
        let usual = determinants.fold(0.0, f64::max);
        for (s, answer) in some.iter().zip(answers.as_array().unwrap()) {
            let what = |piece: &str| format!("{} at t = {}: {piece}", self.name, s.t);
            let at = |piece: &str| numbers(&answer[piece]);
            agree(&what("x''"), &at("accelerations"), &s.a, SAME);
            agree(&what("R"), &at("reactions"), &s.reaction, SAME);
            let residual = size(&at("constraints")) - 1.0;
            assert!(residual <= s.residual + 1e-12, "{}", what("f - c"));
            agree(
                &what("J x'' - gamma"),
                &at("gamma"),
                &vec![0.0; s.lambda.len()],
                SAME * size(&s.a),
            );
            let energy = answer["energy"].as_f64().unwrap();
            agree(&what("energy"), &[energy], &[s.energy], SAME);
            // closed forms divide by the determinant
            if s.determinant.abs() < 1e-2 * usual {
                continue;
            }
            if answer["multipliers"].is_array() {
                agree(&what("lambda"), &at("multipliers"), &s.lambda, 1e-7);
                closed += 1;
            }
            if answer["inverse"].is_array() {
                let dependent = at("dependent");
                let wanted: Vec<f64> = dependent.iter().map(|k| s.x[*k as usize]).collect();
                agree(&what("g"), &at("inverse"), &wanted, 1e-7);
                closed += 1;
            }
        }
        let expected = self.derived.derivation.multipliers.is_some();
        let constrained = !self.model.system.constraints.is_empty();
        assert!(
            closed > 0 || !expected || !constrained,
            "{}: no closed form was tried",
            self.name
        );
    }

    /// The table it prints where it is run.
    fn table(&self) {
        let text = self.answered(true);
        let tolerance = match self.language {
            Language::Python => RUNGE_KUTTA,
            Language::C => EXTRAPOLATED,
        };
        let mut lines = text.lines();
        let mut wanted: Vec<String> = vec!["t".to_owned()];
        wanted.extend(self.model.coordinate_names().iter().cloned());
        wanted.extend(
            self.model
                .multiplier_names()
                .iter()
                .map(|c| format!("lambda_{c}")),
        );
        wanted.push("energy".to_owned());
        let names = self.model.coordinate_names().iter();
        wanted.extend(names.map(|name| format!("{name}'")));
        assert_eq!(lines.next().unwrap(), wanted.join(","));
        let rows: Vec<Vec<f64>> = lines
            .map(|line| line.split(',').map(|v| v.parse().unwrap()).collect())
            .collect();
        assert_eq!(rows.len(), self.motion.samples.len(), "{}", self.name);
        let n = self.model.coordinate_names().len();
        for (row, s) in rows.iter().zip(&self.motion.samples) {
            let what = format!("{} at t = {}", self.name, s.t);
            agree(&what, &row[..1], &[s.t], 1e-11);
            agree(&what, &row[1..=n], &s.x, tolerance);
            let (rest, rates) = row.split_at(row.len() - n);
            agree(&what, &rest[rest.len() - 1..], &[s.energy], tolerance);
            agree(&what, rates, &s.v, 10.0 * tolerance);
        }
    }
}

/// In both languages; in C where there is a compiler. Python takes half a second for a table.
fn run(name: &str, text: &str, in_python: bool) {
    let mut case = Case::new(name, text);
    case.run(Language::Python, in_python);
    if compiler().is_some() {
        case.run(Language::C, true);
    }
}

/// All of these side by side, as many at a time as there are cores; the tables of some in Python too.
fn run_all(list: &[(&str, String)], in_python: impl Fn(&str) -> bool + Sync) {
    let next = AtomicUsize::new(0);
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                while let Some((name, text)) = list.get(next.fetch_add(1, Ordering::Relaxed)) {
                    run(name, text, in_python(name));
                }
            });
        }
    });
}

fn file(name: &str) -> String {
    let path = format!("{}/tests/systems/{name}.yaml", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap()
}

/// The built-in systems that move.
fn built_in() -> Vec<(&'static str, String)> {
    // an objective has no motion, and the command says so
    let moves = |text: &str| !text.contains("\nobjective:");
    let all = builtin().iter().filter(|s| moves(s.text));
    all.map(|s| (s.name, s.text.to_owned())).collect()
}

/// Those of the tests.
fn others() -> Vec<(&'static str, String)> {
    let names = [
        "chain_of_ten",
        "dependent_on_the_set",
        "double_pendulum",
        "doubled_constraint",
        "driven",
        "free_particle",
        "held_twice",
        "moving_wire",
        "pendulum_on_cart",
        "rod_on_wires",
        "slider_crank",
        "torus",
    ];
    names.map(|name| (name, file(name))).into()
}

#[test]
fn built_in_systems_run_as_programs() {
    let first: Vec<&str> = builtin().iter().take(3).map(|s| s.name).collect();
    run_all(&built_in(), |name| first.contains(&name));
}

#[test]
fn other_systems_run_as_programs() {
    run_all(&others(), |_| false);
}

#[test]
#[ignore = "half a minute of Python"]
fn all_tables_in_python_are_those_of_the_motions() {
    run_all(&[built_in(), others()].concat(), |_| true);
}

/// It went through the flat position without a word, on index-1 equations.
#[test]
fn a_program_ends_where_the_equations_become_singular() {
    let ends = |name: &str, text: &str, in_c: bool| {
        let model = Model::new(System::parse(text, name, &[]).unwrap());
        let derived = model.derive(None);
        let mut outputs = Vec::new();
        let program = derive_code(&model, &derived, Language::Python);
        let module = File::new(&format!("{name}.py"), &program);
        outputs.push(python(&[module.0.to_str().unwrap()], ""));
        if in_c && compiler().is_some() {
            let binary = compiled(name, &derive_code(&model, &derived, Language::C));
            outputs.push(Command::new(&binary.0).output().unwrap());
        }
        for output in outputs {
            let said = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(1), "{name}: {said}");
            assert!(said.contains("singular"), "{name}: {said}");
        }
    };
    // the steps of the other come so close that it goes on as it should
    ends("parallelogram", &file("parallelogram"), false);
    ends("cusp", &file("cusp"), true);
    ends("equal_crank", &file("equal_crank"), false);
}

/// Words of the languages, the programs' own names, and letters that Python takes for the same one.
#[test]
fn hostile_names_run_in_programs() {
    let text = r#"
name: "a */ \"\"\" ??/ + __import__('os').abort() + '\\ \n \u0007 \\"
coordinates: [x, class, __import__, gamma, θ, ϑ]
parameters: {math: 2, w1: 0.5, lambda: 3, t1: 1, mass: 1.5, _: 2, abs_: 1, µ: 1, μ: 2, self: 1, n_: 1, main: 1, reversed: 2, double: 1, y0: 1, linux: 1, NULL: 2}
kinetic: 1/2*math*(x'^2 + class'^2) + 1/2*mass*(__import__'^2 + gamma'^2) + 1/2*lambda*θ'^2 + 1/2*_*ϑ'^2
potential: math*9.81*class + w1*x^2 + mass*gamma^2/2 + µ*θ^2/2 + μ*ϑ^2 + self*abs(x + 10) + reversed*gamma + double*y0*linux*NULL*x^4
constraints:
  is: class - x^2*t1
  import: __import__ - sin(x)*n_*main
  v: gamma - abs_*x - sqrt(x^2 + 1)
start: {x: 1, x': 0.3, θ: 1, θ': 0, ϑ: 0.5, ϑ': 0.2}
run: {until: 1}
"#;
    run("hostile", text, true);
}

/// The equations are the same whatever the unit of mass.
#[test]
fn heavy_and_light_bodies_run_in_programs() {
    for (name, mass, length) in [
        ("heavy", "1e24", "1"),
        ("light", "9e-31", "1e-9"),
        ("dust", "1e-18", "1"),
    ] {
        let text = format!(
            "coordinates: [x, y]\nparameters: {{m: {mass}, l: {length}, g: {length}}}\n\
             lagrangian: m*(x'^2 + y'^2)/2 - m*g*y\nconstraints: {{rod: x^2 + y^2 = l^2}}\n\
             start: {{x: 0.6*l, y: -0.8*l, x': 0}}\nrun: {{until: 1, samples: 10}}\n"
        );
        run(name, &text, true);
    }
}

#[test]
fn a_coordinate_named_x_keeps_its_name() {
    let text = "coordinates: [x, v, a]\nkinetic: (x'^2 + v'^2 + a'^2)/2\npotential: 9.81*v\nconstraints: {y: v - x^2}\nstart: {x: 1, x': 0, a: 0, a': 1}\nrun: {until: 1}\n";
    let model = Model::new(System::parse(text, "x", &[]).unwrap());
    let program = derive_code(&model, &model.derive(None), Language::Python);
    assert!(program.contains("def mass(t, q, qd):"), "{program}");
    assert!(program.contains("    x, v, a = q\n"), "{program}");
    run("named_x", text, true);
}

#[test]
fn functions_of_every_kind_run_in_programs() {
    let text = r"
coordinates: [u, w]
parameters: {k: 0.7}
kinetic: 1/2*(u'^2 + w'^2)*(1 + u^2)
potential: >-
  sin(u)*cos(w) + tan(u/3) + asin(u/9) + acos(u/9) + atan(w) + atan2(w + 3, u + 2) + sinh(u/5)*cosh(w/5)
  + tanh(w) + erf(u*w) + exp(u/4) + log(u + 5) + abs(u + 9) + sign(u + 9)*w + sqrt(u + 4) + (u + 4)^(3/2) + (u + 4)^(-1/2)
  + (u + 4)^(1/3) + 2^(1/3)*u + (w + 6)^k + 1e-5*u^7/(3*w + 11)^2 + pi*u*w/7 + k^w
start: {u: 0.4, w: 0.2, u': 0.1, w': -0.3}
run: {until: 1}
";
    run("functions", text, true);
}

#[test]
fn programs_step_over_no_pulse() {
    let text = r#"
coordinates: [x, y]
lagrangian: (x'^2 + y'^2)/2 - x^2/2
constraints: {wire: "y - x/2 - tanh((t - 0.5)/0.01)/9"}
forces: {x: "1e4*(sign(t - 0.71) - sign(t - 0.7105)) + 40*exp(-((t - 0.3)/1e-3)^2) - sign(t - 0.777)"}
start: {x: 0.4, x': 0.1}
run: {until: 1}
"#;
    run("pulses", text, true);
}

#[test]
fn programs_step_over_no_kink() {
    let forces = [
        // one that acts in half of the time, and a spring that is stiffer when pressed
        ("half_wave", "max(0, sin(7*t))"),
        ("two_springs", "-100*max(0, x) - 5*min(0, x)"),
    ];
    for (name, force) in forces {
        let text = format!(
            "coordinates: [x]\nlagrangian: x'^2/2\nforces: {{x: \"{force}\"}}\nstart: {{x: 1, x': 0}}\n"
        );
        run(name, &text, false);
    }
}

#[test]
fn where_l_may_jump_stands_at_the_top_of_a_program() {
    let header = |potential: &str| {
        let text = format!("coordinates: [x]\nlagrangian: x'^2/2 - {potential}\nstart: {{x: 0}}\n");
        let model = Model::new(System::parse(&text, "jump", &[]).unwrap());
        derive_code(&model, &model.derive(None), Language::C)
    };
    assert!(header("step(x - 1)").contains("L may jump at zeros of: x - 1."));
    assert!(!header("abs(x - 1)").contains("may jump"));
}

#[test]
fn a_start_that_cannot_be_made_is_said() {
    let text = "coordinates: [x, y]\nkinetic: (x'^2 + y'^2)/2\nconstraints: {c: x^2 + y^2 + 1}\nstart: {x: 0}\n";
    let model = Model::new(System::parse(text, "none", &[]).unwrap());
    let module = File::new(
        "none",
        &derive_code(&model, &model.derive(None), Language::Python),
    );
    let output = python(&[module.0.to_str().unwrap()], "");
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.starts_with("no start satisfies"), "{error}");
}
