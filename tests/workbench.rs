//! The real program in a real pseudo-terminal: what a user sees, and what is left of the terminal
//! afterwards. Every wait is for something on the screen, with a limit.
#![cfg(unix)]
// a helper of a test fails the test
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use std::{fs, thread};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

/// The longest wait for anything: a machine under load takes its time.
const LIMIT: Duration = Duration::from_secs(60);
const ROWS: NonZeroU16 = NonZeroU16::new(24).unwrap();
const COLUMNS: NonZeroU16 = NonZeroU16::new(80).unwrap();
/// Time between two looks at the screen.
const LOOK: Duration = Duration::from_millis(15);

/// What the program has written: as a screen, and byte by byte.
struct Seen {
    screen: vt100::Parser,
    bytes: Vec<u8>,
}

struct Session {
    /// `None` once it was hung up.
    master: Option<Box<dyn MasterPty + Send>>,
    input: Option<Box<dyn Write + Send>>,
    child: Box<dyn Child + Send + Sync>,
    seen: Arc<Mutex<Seen>>,
    folder: PathBuf,
}

impl Session {
    fn open(name: &str, arguments: &[&str]) -> Self {
        Self::open_in(name, arguments, "C.UTF-8")
    }

    fn open_in(name: &str, arguments: &[&str], locale: &str) -> Self {
        let folder =
            std::env::temp_dir().join(format!("holonom-pty-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let size = PtySize {
            rows: ROWS.get(),
            cols: COLUMNS.get(),
            pixel_width: 0,
            pixel_height: 0,
        };
        let pty = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_holonom"));
        command.args(arguments);
        command.cwd(&folder);
        for (name, value) in [("TERM", "xterm-256color"), ("LC_ALL", locale)] {
            command.env(name, value);
        }
        command.env_remove("NO_COLOR");
        let child = pty.slave.spawn_command(command).unwrap();
        let mut output = pty.master.try_clone_reader().unwrap();
        let input = pty.master.take_writer().unwrap();
        let seen = Arc::new(Mutex::new(Seen {
            screen: vt100::Parser::new(ROWS, COLUMNS, 0),
            bytes: Vec::new(),
        }));
        let shared = Arc::clone(&seen);
        thread::spawn(move || {
            let mut buffer = [0; 8192];
            while let Ok(count @ 1..) = output.read(&mut buffer) {
                let mut seen = shared.lock().unwrap();
                seen.screen.process(&buffer[..count]);
                seen.bytes.extend_from_slice(&buffer[..count]);
            }
        });
        Self {
            master: Some(pty.master),
            input: Some(input),
            child,
            seen,
            folder,
        }
    }

    fn screen(&self) -> String {
        self.seen.lock().unwrap().screen.screen().contents()
    }

    /// Waits until the screen is as wanted; the screen then.
    fn wait(&self, what: &str, wanted: impl Fn(&str) -> bool) -> String {
        let begin = Instant::now();
        loop {
            let screen = self.screen();
            if wanted(&screen) {
                return screen;
            }
            assert!(
                begin.elapsed() < LIMIT,
                "no {what} on the screen:\n{screen}"
            );
            thread::sleep(LOOK);
        }
    }

    fn wait_for(&self, text: &str) -> String {
        self.wait(text, |screen| screen.contains(text))
    }

    fn send(&mut self, keys: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(keys.as_bytes()).unwrap();
        input.flush().unwrap();
    }

    /// Whether the first line of the Theorem pane is dimmed.
    fn dimmed(&self) -> bool {
        let seen = self.seen.lock().unwrap();
        let screen = seen.screen.screen();
        let row = screen
            .contents()
            .lines()
            .position(|line| line.contains("det J[x₁]"));
        let row = row.expect("the Theorem pane is on the screen") as u16;
        let text = screen.contents_between(row, 0, row, 79);
        let col = text.chars().position(|symbol| symbol == 'd').unwrap() as u16;
        screen.cell(row, col).unwrap().dim()
    }

    /// Waits for the end of the program; its exit code.
    fn end(&mut self) -> u32 {
        let begin = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.exit_code();
            }
            assert!(
                begin.elapsed() < LIMIT,
                "it does not end:\n{}",
                self.screen()
            );
            thread::sleep(LOOK);
        }
    }

    /// The terminal is as it was: main screen, cursor shown, no paste mode, lines and echo.
    fn assert_sane(&self) {
        self.wait("main screen", |_| {
            !self.seen.lock().unwrap().screen.screen().alternate_screen()
        });
        let seen = self.seen.lock().unwrap();
        let screen = seen.screen.screen();
        assert!(!screen.hide_cursor() && !screen.bracketed_paste());
        drop(seen);
        let flags = self
            .master
            .as_ref()
            .and_then(|master| master.get_termios())
            .expect("a terminal has settings");
        let flags = format!("{:?}", flags.local_flags);
        assert!(
            flags.contains("ICANON") && flags.contains("ECHO"),
            "{flags}"
        );
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// The plot's part of the screen.
fn plot(screen: &str) -> String {
    let lines = screen.lines().skip_while(|line| !line.contains(" Plot "));
    lines.collect::<Vec<_>>().join("\n")
}

/// Puts the editor's cursor at the end of the line that begins so.
fn go_to_line(session: &mut Session, start: &str) {
    let place = |screen: &str| {
        let line = screen.lines().find(|line| line.contains(start))?;
        let digits: String = line.chars().skip(1).take(2).collect();
        digits.trim().parse::<usize>().ok()
    };
    let screen = session.wait(start, |screen| place(screen).is_some());
    let line = place(&screen).unwrap();
    // Ctrl-Home, down, End
    session.send("\u{1b}[1;5H");
    for _ in 1..line {
        session.send("\u{1b}[B");
    }
    session.send("\u{1b}[F");
}

#[test]
fn a_first_session() {
    let mut session = Session::open("session", &[]);
    // it opens on the bead, playing, and holds (a slow machine may see it the second time round)
    let screen = session.wait("verdict with what comes", |screen| {
        screen.contains("HOLDS for x₁ near")
            && screen.contains("fails at t 0.5949 (x₁ = 0); x₂ carries on")
    });
    for pane in [" System ", " Theorem ", " Plot "] {
        assert!(screen.contains(pane), "{screen}");
    }
    // the failure is passed (its instant is one picture long), and the motion goes on
    session.wait("failure", |screen| {
        screen.contains("FAILS for x₁ at t 0.5949: x₁ = 0, det = 0   x₂ carries on")
            || screen.contains("HOLDS for x₁ again   FAILED at t 0.5949 (x₁ = 0); x₂ carried on")
    });
    session.wait("motion after the failure", |screen| {
        screen.contains("HOLDS for x₁ near (-") && screen.contains("fails at t 1.7848")
    });
    // a parameter is edited, and the plot changes
    session.send(" ");
    let before = plot(&session.wait_for("paused"));
    session.send("e");
    session.wait_for("System (editing)");
    go_to_line(&mut session, "parameters: {m: 1, g: 9.81}");
    // before the brace, the number goes
    session.send("\u{1b}[D\u{7f}\u{7f}\u{7f}\u{7f}1.62");
    session.wait_for("g: 1.62}");
    let after = session.wait("another plot", |screen| {
        !screen.contains("ERROR") && plot(screen) != before && screen.contains("modified")
    });
    assert!(after.contains("HOLDS") || after.contains("FAILS"));
    assert!(!session.dimmed());
    // a broken expression: the error at its line, the last result dimmed
    session.send("\u{1b}[B\u{1b}[F + zz");
    let broken = session.wait("error", |screen| {
        screen.contains("ERROR line 8") && screen.contains("`zz`")
    });
    assert!(
        broken
            .lines()
            .any(|line| line.contains("8:") && line.contains("`zz`")),
        "{broken}"
    );
    session.wait("dimmed result", |_| session.dimmed());
    assert!(broken.contains("det J[x₁]") && plot(&broken).contains("▲"));
    // mended
    session.send("\u{7f}\u{7f}\u{7f}\u{7f}\u{7f}");
    session.wait("no error", |screen| {
        !screen.contains("ERROR") && screen.contains(" x₁ near")
    });
    session.wait("bright result", |_| !session.dimmed());
    // left: it asks
    session.send("\u{1b}");
    session.wait("browsing", |screen| !screen.contains("(editing)"));
    session.send("q");
    session.wait_for("unsaved changes");
    session.send("d");
    assert_eq!(session.end(), 0);
    session.assert_sane();
}

#[test]
fn a_file_is_edited_and_saved() {
    let mut session = Session::open("save", &["rotating_rod"]);
    session.wait_for("Bead on a rotating rod");
    session.send("s");
    session.wait_for("rotating_rod.yaml");
    session.send("\r");
    session.wait_for("saved as rotating_rod.yaml");
    session.send("e");
    session.wait_for("(editing)");
    session.send("# mine\r\u{13}");
    session.wait("saved", |screen| {
        screen.contains("saved as") && !screen.contains("modified")
    });
    let text = fs::read_to_string(session.folder.join("rotating_rod.yaml")).unwrap();
    assert!(
        text.starts_with("# mine\nname: Bead on a rotating rod\n"),
        "{text}"
    );
    assert_eq!(fs::read_dir(&session.folder).unwrap().count(), 1);
    session.send("\u{11}");
    assert_eq!(session.end(), 0);
    session.assert_sane();
}

#[test]
fn a_signal_leaves_a_sane_terminal_and_keeps_the_text() {
    let mut session = Session::open("signal", &[]);
    session.wait_for("HOLDS");
    session.send("e");
    session.wait_for("(editing)");
    session.send("# typed");
    session.wait_for("# typed");
    let id = session.child.process_id().unwrap().to_string();
    let sent = std::process::Command::new("kill")
        .args(["-TERM", &id])
        .status()
        .unwrap();
    assert!(sent.success());
    assert_eq!(session.end(), 128 + 15);
    session.assert_sane();
    let kept = session
        .folder
        .join(".bead_on_parabola.yaml.holonom-recover");
    assert!(fs::read_to_string(kept).unwrap().starts_with("# typed"));
}

#[test]
fn a_dropped_connection_ends_it_and_keeps_the_text() {
    let mut session = Session::open("hangup", &[]);
    session.wait_for("HOLDS");
    session.send("e# typed");
    session.wait_for("# typed");
    let id = session.child.process_id().unwrap().to_string();
    let sent = std::process::Command::new("kill")
        .args(["-HUP", &id])
        .status()
        .unwrap();
    assert!(sent.success());
    // nobody reads or writes any more
    session.input = None;
    session.master = None;
    assert_eq!(session.end(), 128 + 1);
    let kept = session
        .folder
        .join(".bead_on_parabola.yaml.holonom-recover");
    assert!(fs::read_to_string(kept).unwrap().starts_with("# typed"));
}

#[test]
fn a_paused_workbench_is_silent() {
    let mut session = Session::open("silent", &[]);
    session.wait_for("HOLDS");
    session.send(" ");
    session.wait_for("paused");
    let count = || session.seen.lock().unwrap().bytes.len();
    // the last picture may still be on its way
    let begin = Instant::now();
    let mut last = (count(), Instant::now());
    while last.1.elapsed() < Duration::from_secs(2) {
        assert!(begin.elapsed() < LIMIT, "it keeps writing");
        thread::sleep(LOOK);
        if count() != last.0 {
            last = (count(), Instant::now());
        }
    }
    session.send("q");
    assert_eq!(session.end(), 0);
    session.assert_sane();
}

#[test]
fn what_a_file_holds_cannot_steer_the_terminal() {
    let folder = std::env::temp_dir().join(format!("holonom-pty-hostile-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join("hostile.yaml");
    fs::write(
        &file,
        "name: a\u{1b}]0;OWNED\u{7}\u{1b}[31m\ncoordinates: [x]\n",
    )
    .unwrap();
    let mut session = Session::open("steer", &[&file.to_string_lossy()]);
    session.wait_for("ERROR");
    session.send("\u{11}");
    assert_eq!(session.end(), 0);
    let bytes = session.seen.lock().unwrap().bytes.clone();
    assert!(!bytes.windows(7).any(|piece| piece == b"\x1b]0;OWN"));
    fs::remove_dir_all(&folder).unwrap();
    session.assert_sane();
}

#[test]
fn without_a_terminal_it_prints_the_check() {
    let program = Path::new(env!("CARGO_BIN_EXE_holonom"));
    let output = std::process::Command::new(program)
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        output.status.success() && text.starts_with("HOLDS for x1"),
        "{text}"
    );
    assert!(!text.contains('\u{1b}'));
}

#[test]
fn a_derivation_is_as_on_paper_where_the_terminal_can_show_it() {
    let last = "Energy";
    let system = ["derive", "bead_on_parabola"];
    let paper = Session::open("paper", &system).wait_for(last);
    assert!(paper.contains("δx₁ = ────"), "{paper}");
    let asked = Session::open("asked", &[system[0], system[1], "--plain"]).wait_for(last);
    let simple = Session::open_in("simple", &system, "C").wait_for(last);
    for plain in [asked, simple] {
        assert!(plain.contains("dx1 = dx2/(2*x1)"), "{plain}");
    }
}
