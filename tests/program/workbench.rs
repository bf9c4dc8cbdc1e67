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
    /// Nobody looks any more: the connection is dropped.
    deaf: bool,
}

pub(crate) struct Session {
    /// `None` once it was hung up.
    master: Option<Box<dyn MasterPty + Send>>,
    input: Option<Box<dyn Write + Send>>,
    child: Box<dyn Child + Send + Sync>,
    seen: Arc<Mutex<Seen>>,
    /// The folder that it works in.
    folder: PathBuf,
    /// The folder that holds all it writes.
    own: PathBuf,
    /// Another session takes over what it has written.
    pub(crate) stays: bool,
}

impl Session {
    fn open(name: &str, arguments: &[&str]) -> Self {
        Self::open_in(name, arguments, "C.UTF-8")
    }

    fn open_in(name: &str, arguments: &[&str], locale: &str) -> Self {
        let own = std::env::temp_dir().join(format!("holonom-pty-{name}-{}", std::process::id()));
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_holonom"));
        command.args(arguments);
        command.env("LC_ALL", locale);
        Self::start(own, command)
    }

    pub(crate) fn start(own: PathBuf, command: CommandBuilder) -> Self {
        Self::start_sized(own, command, (COLUMNS, ROWS))
    }

    /// A program in the folder `work` of a folder of its own; what it keeps for itself is in `state`.
    pub(crate) fn start_sized(
        own: PathBuf,
        mut command: CommandBuilder,
        (columns, rows): (NonZeroU16, NonZeroU16),
    ) -> Self {
        let folder = own.join("work");
        fs::create_dir_all(&folder).unwrap();
        let size = PtySize {
            rows: rows.get(),
            cols: columns.get(),
            pixel_width: 0,
            pixel_height: 0,
        };
        let pty = native_pty_system().openpty(size).unwrap();
        command.cwd(&folder);
        let term = command.get_env("TERM_HERE").map(ToOwned::to_owned);
        command.env("TERM", term.unwrap_or("xterm-256color".into()));
        if command.get_env("KEPT_NOWHERE").is_some() {
            command.cwd("/proc");
            command.env_remove("XDG_RUNTIME_DIR");
            command.env("XDG_STATE_HOME", "/proc/none");
        } else if command
            .get_env("XDG_STATE_HOME")
            .is_none_or(|folder| folder != "relative")
        {
            command.env("XDG_STATE_HOME", own.join("state"));
        }
        if command.get_env("LC_ALL").is_none() {
            command.env("LC_ALL", "C.UTF-8");
        }
        for name in ["VISUAL", "COLORFGBG"] {
            command.env_remove(name);
        }
        if command.get_env("KEEP_NO_COLOR").is_none() {
            command.env_remove("NO_COLOR");
        }
        let child = pty.slave.spawn_command(command).unwrap();
        let mut output = pty.master.try_clone_reader().unwrap();
        let input = pty.master.take_writer().unwrap();
        let seen = Arc::new(Mutex::new(Seen {
            screen: vt100::Parser::new(rows, columns, 0),
            bytes: Vec::new(),
            deaf: false,
        }));
        let shared = Arc::clone(&seen);
        thread::spawn(move || {
            let mut buffer = [0; 8192];
            while let Ok(count @ 1..) = output.read(&mut buffer) {
                let mut seen = shared.lock().unwrap();
                if seen.deaf {
                    return;
                }
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
            own,
            stays: false,
        }
    }

    /// The same program again, after this one has ended.
    fn again(mut self, arguments: &[&str]) -> Self {
        self.stays = true;
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_holonom"));
        command.args(arguments);
        Self::start(self.own.clone(), command)
    }

    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.process_id().unwrap().to_string();
        let mut kill = std::process::Command::new("kill");
        assert!(kill.args([name, &id]).status().unwrap().success());
    }

    /// Drops the connection: nobody holds the other side of the terminal any more.
    fn hang_up(&mut self) {
        self.seen.lock().unwrap().deaf = true;
        // the reader wakes up once more, and leaves
        self.send(" ");
        self.input = None;
        self.master = None;
    }

    /// The journals that lie about.
    fn journals(&self) -> Vec<PathBuf> {
        let folder = self.own.join("state/holonom/journal");
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let paths = entries.map(|entry| entry.path());
        paths
            .filter(|path| path.extension().is_some_and(|e| e == "journal"))
            .collect()
    }

    /// Waits until a journal holds this; it does within two seconds.
    fn wait_for_journal(&self, text: &str) {
        let begin = Instant::now();
        let holds = |path: &PathBuf| fs::read_to_string(path).is_ok_and(|t| t.contains(text));
        while !self.journals().iter().any(holds) {
            assert!(
                begin.elapsed() < Duration::from_secs(2),
                "{text} is not kept"
            );
            thread::sleep(LOOK);
        }
    }

    pub(crate) fn screen(&self) -> String {
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

    pub(crate) fn wait_for(&self, text: &str) -> String {
        self.wait(text, |screen| screen.contains(text))
    }

    pub(crate) fn send(&mut self, keys: &str) {
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
        // what stands beside it may have a d too
        let before = text.split("det J").next().unwrap();
        let col = before.chars().count() as u16;
        screen.cell(row, col).unwrap().dim()
    }

    /// The same, where the screen cannot be looked at.
    pub(crate) fn end_unseen(&mut self) -> u32 {
        let begin = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.exit_code();
            }
            assert!(begin.elapsed() < LIMIT, "it does not end");
            thread::sleep(LOOK);
        }
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
        if !self.stays {
            let _ = fs::remove_dir_all(&self.own);
        }
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
    let broken = session.wait("error, and its line", |screen| {
        let mut lines = screen.lines();
        let told = lines.any(|line| line.contains("8:") && line.contains("`zz`"));
        screen.contains("ERROR line 8") && told
    });
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
fn a_range_is_computed_and_a_point_of_it_taken() {
    let mut session = Session::open("range", &["rotating_hoop"]);
    session.wait("motion", |screen| {
        screen.contains("HOLDS") || screen.contains("FAILS")
    });
    session.send(" J");
    session.wait_for("Range: R from 0.1 to 2");
    session.send("e");
    session.wait_for("NAME=FROM:TO");
    session.send("\u{1}\u{b}w=0:6 equilibria\r");
    session.wait_for("pitchfork");
    session.wait_for("1 bifurcation");
    session.send("N");
    session.wait_for("w = 3.132, ");
    session.send("\r");
    session.wait_for("w = 3.13209");
    session.send("q");
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
    session.signal("-TERM");
    assert_eq!(session.end(), 128 + 15);
    session.assert_sane();
    session.wait_for("unsaved text is in");
    session.wait_for_journal("# typed");
    // offered back, and restored
    let mut session = session.again(&[]);
    session.wait_for("unsaved text of an earlier session");
    session.send("r");
    session.wait("restored", |screen| {
        screen.contains("# typed") && screen.contains("modified")
    });
    // once it is saved there is nothing left to be offered
    session.send("s\r");
    session.wait_for("saved as");
    session.send("q");
    assert_eq!(session.end(), 0);
    assert!(session.journals().is_empty());
}

#[test]
fn a_dropped_connection_ends_it_and_keeps_the_text() {
    let mut session = Session::open("hangup", &[]);
    session.wait_for("HOLDS");
    session.send("e# typed");
    session.wait_for("# typed");
    let begin = Instant::now();
    session.hang_up();
    assert_eq!(session.end(), 128 + 1);
    assert!(
        begin.elapsed() < Duration::from_secs(2),
        "{:?}",
        begin.elapsed()
    );
    session.wait_for_journal("# typed");
    let session = session.again(&[]);
    session.wait_for("unsaved text of an earlier session");
}

#[test]
fn kill_loses_nothing() {
    let mut session = Session::open("kill", &[]);
    session.wait_for("HOLDS");
    session.send("A");
    session.wait_for("new system");
    session.send("e# typed");
    session.wait_for("# typed");
    session.wait_for_journal("# typed");
    session.send(" and more");
    session.wait_for("# typed and more");
    thread::sleep(Duration::from_secs(2));
    session.signal("-KILL");
    session.end();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(&session.journals()[0]).unwrap().permissions();
        assert_eq!(mode.mode() & 0o777, 0o600);
    }
    // the next start is on another system: it says so, and the list has it
    let mut session = session.again(&["pendulum"]);
    session.wait_for("new system has unsaved changes");
    session.send("og\r");
    session.wait_for("unsaved text of an earlier session");
    // put off, it is offered again
    session.send("\u{1b}");
    session.wait("no question", |screen| !screen.contains("earlier session"));
    session.send("q");
    assert_eq!(session.end(), 0);
    let mut session = session.again(&[]);
    session.wait_for("new system has unsaved changes");
    session.send("og\r");
    session.wait_for("unsaved text of an earlier session");
    session.send("r");
    session.wait_for("# typed and more");
    session.send("\u{11}d");
    assert_eq!(session.end(), 0);
    assert!(session.journals().is_empty());
}

#[test]
#[ignore = "watches a terminal for seconds: the second job of .ci/run"]
fn a_terminal_that_takes_no_more_holds_nothing_up() {
    let mut session = Session::open("stuck", &[]);
    session.wait_for("HOLDS");
    session.send("e# typed");
    session.wait_for("# typed");
    // nobody reads: the pictures of the motion fill the line, and then drawing waits for ever
    let held = session.seen.clone();
    let held = held.lock().unwrap();
    thread::sleep(Duration::from_secs(4));
    let begin = Instant::now();
    session.signal("-TERM");
    assert_eq!(session.end_unseen(), 128 + 15);
    assert!(
        begin.elapsed() < Duration::from_secs(2),
        "{:?}",
        begin.elapsed()
    );
    drop(held);
    session.wait_for_journal("# typed");
}

#[test]
fn it_stops_and_goes_on_in_a_shell() {
    let own = std::env::temp_dir().join(format!("holonom-pty-job-{}", std::process::id()));
    let mut command = CommandBuilder::new("sh");
    let program = env!("CARGO_BIN_EXE_holonom");
    let script = format!(
        "set -m; '{program}'; stty -a | tr ' ' '\\n' | grep -E '^-?(icanon|echo)$'; \
                          read x; fg; echo code $?"
    );
    command.args(["-c", &script]);
    let mut session = Session::start(own, command);
    session.wait_for("HOLDS");
    session.send("e# typed");
    session.wait_for("# typed");
    {
        session.send("\u{1a}");
        session.wait("the shell", |screen| {
            screen.lines().any(|line| line.trim() == "icanon")
        });
        session.assert_sane();
        session.send("\r");
        session.wait("the workbench", |screen| {
            screen.contains("# typed") && screen.contains("(editing)")
        });
        // it takes keys as before
        session.send("x");
        session.wait_for("# typedx");
    }
    session.send("\u{11}d");
    session.wait_for("code 0");
    assert_eq!(session.end(), 0);
}

#[test]
fn stopped_and_continued_from_outside_it_is_drawn_anew() {
    let mut session = Session::open("continued", &[]);
    session.wait_for("HOLDS");
    session.send(" ");
    session.wait_for("paused");
    // there is no shell: the key does not leave it stopped for ever
    session.send("\u{1a}");
    session.wait_for("there is no shell");
    // a picture anew on a key, and at another size
    session.send("\u{c}");
    let size = PtySize {
        rows: 30,
        cols: 110,
        pixel_width: 0,
        pixel_height: 0,
    };
    session
        .seen
        .lock()
        .unwrap()
        .screen
        .screen_mut()
        .set_size(NonZeroU16::new(30).unwrap(), NonZeroU16::new(110).unwrap());
    session.master.as_ref().unwrap().resize(size).unwrap();
    session.wait("the last line at its new place", |screen| {
        screen
            .lines()
            .nth(29)
            .is_some_and(|line| line.contains("? help"))
    });
    let before = session.seen.lock().unwrap().bytes.len();
    session.signal("-STOP");
    session.signal("-CONT");
    session.wait("new picture", |_| {
        session.seen.lock().unwrap().bytes.len() > before
    });
    session.send("q");
    assert_eq!(session.end(), 0);
    session.assert_sane();
}

#[test]
fn another_editor_has_the_terminal_and_gives_it_back() {
    let own = std::env::temp_dir().join(format!("holonom-pty-editor-{}", std::process::id()));
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_holonom"));
    // it reads a line from the terminal: the keys are its own
    let script = "editor() { printf 'speak: '; read -r line; echo \"# $line\" >> \"$1\"; }; editor";
    command.env("EDITOR", script);
    let mut session = Session::start(own, command);
    session.wait_for("HOLDS");
    session.send(" V");
    session.wait_for("speak: ");
    session.assert_sane();
    session.send("quite another\r");
    session.wait("modified", |screen| {
        screen.contains("modified") && screen.contains("HOLDS")
    });
    session.send("e\u{1b}[1;5F");
    session.wait_for("# quite another");
    session.send("\u{11}d");
    assert_eq!(session.end(), 0);
    session.assert_sane();
    let folder = session.own.join("state/holonom/journal");
    assert_eq!(fs::read_dir(folder).unwrap().count(), 0);
}

/// A program whose editor saves a line and waits for a key, and for its end.
fn with_an_editor_that_dies(name: &str) -> Session {
    let then = "printf 'speak: '; read -r line; kill -9 $$";
    with_an_editor(name, then)
}

/// A program whose editor saves a line, and does what is told.
fn with_an_editor(name: &str, then: &str) -> Session {
    let own = std::env::temp_dir().join(format!("holonom-pty-{name}-{}", std::process::id()));
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_holonom"));
    let script = format!("edit() {{ echo '# saved' >> \"$1\"; {then}; }}; edit");
    command.env("EDITOR", script);
    let mut session = Session::start(own, command);
    session.wait_for("HOLDS");
    session.send(" V");
    session.wait_for("speak: ");
    session
}

#[test]
fn what_an_editor_saved_before_it_died_is_not_lost() {
    let mut session = with_an_editor_that_dies("dead-editor");
    session.send("\r");
    session.wait_for("modified");
    session.send("e\u{1b}[1;5F");
    session.wait_for("# saved");
    session.send("\u{11}d");
    assert_eq!(session.end(), 0);
    session.assert_sane();
}

#[test]
fn what_an_editor_saved_after_the_program_was_killed_is_offered() {
    let mut session = with_an_editor_that_dies("lone-editor");
    session.signal("-KILL");
    session.end();
    let mut session = session.again(&[]);
    session.wait_for("unsaved text of an earlier session");
    session.send("r");
    session.wait_for("modified");
    session.send("e\u{1b}[1;5F");
    session.wait_for("# saved");
    session.send("\u{11}d");
    assert_eq!(session.end(), 0);
    let folder = session.own.join("state/holonom/journal");
    assert_eq!(fs::read_dir(folder).unwrap().count(), 0);
}

/// Restores what the next session offers, and looks for the line that an editor had saved.
fn assert_saved_is_offered(session: Session) {
    let mut session = session.again(&[]);
    session.wait_for("unsaved text of an earlier session");
    session.send("r");
    session.wait_for("modified");
    session.send("e\u{1b}[1;5F");
    session.wait_for("# saved");
    session.send("\u{11}d");
    assert_eq!(session.end(), 0);
}

#[test]
fn what_an_editor_saved_outlives_a_connection_that_drops() {
    // it ends by the signal, well, or badly; later than the program
    for (name, then) in [
        ("hup-dies", "printf 'speak: '; read -r line"),
        ("hup-well", "trap 'exit 0' HUP; printf 'speak: '; sleep 9"),
        ("hup-badly", "trap 'exit 1' HUP; printf 'speak: '; sleep 9"),
        ("hup-stays", "trap '' HUP; printf 'speak: '; sleep 3"),
    ] {
        let mut session = with_an_editor(name, then);
        session.hang_up();
        assert_eq!(session.end(), 128 + 1, "{name}");
        assert_saved_is_offered(session);
    }
}

#[test]
fn what_an_editor_saved_outlives_a_signal_to_all_programs_of_a_terminal() {
    let mut session = with_an_editor("term-all", "printf 'speak: '; read -r line");
    let group = format!("-{}", session.child.process_id().unwrap());
    let mut kill = std::process::Command::new("kill");
    let killed = kill.args(["-TERM", "--", &group]).status();
    assert!(killed.unwrap().success());
    assert_eq!(session.end(), 128 + 15);
    session.assert_sane();
    assert_saved_is_offered(session);
}

#[test]
fn what_an_editor_saved_in_latin_1_is_refused_and_stays() {
    let then = "printf 'speak: '; read -r line; printf '# M\\374ller\\n' >> \"$1\"; wc -l < \"$1\" > lines";
    let mut session = with_an_editor("latin", then);
    session.send("\r");
    let screen = session.wait_for("is not UTF-8 text");
    let lines = fs::read_to_string(session.folder.join("lines")).unwrap();
    let place = format!("line {}, column 4", lines.trim());
    assert!(
        screen.contains(&place) && !screen.contains("modified"),
        "{screen}"
    );
    let folder = session.own.join("state/holonom/journal");
    let copy = || {
        let entries = fs::read_dir(&folder).unwrap().flatten();
        let mut paths = entries.map(|entry| entry.path());
        paths.find(|path| path.to_string_lossy().ends_with(".edit.yaml"))
    };
    let path = copy().expect("the copy stays");
    assert!(fs::read(path).unwrap().ends_with(b"# M\xfcller\n"));
    session.send("q");
    assert_eq!(session.end(), 0);
    assert!(copy().is_some());
    let session = session.again(&[]);
    session.wait_for("holds what an editor saved");
}

#[test]
fn a_file_changed_by_another_program_is_noticed() {
    let mut session = Session::open("changed", &["pendulum"]);
    session.wait_for("HOLDS");
    session.send(" s\r");
    session.wait_for("saved as pendulum.yaml");
    let file = session.folder.join("pendulum.yaml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("# theirs\n{text}")).unwrap();
    session.wait_for("was changed by another program");
    session.send("r");
    session.wait_for("1 # theirs");
    session.send("q");
    assert_eq!(session.end(), 0);
}

#[test]
fn without_colour_errors_and_choices_are_still_seen() {
    let own = std::env::temp_dir().join(format!("holonom-pty-mono-{}", std::process::id()));
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_holonom"));
    command.env("NO_COLOR", "1");
    command.env("KEEP_NO_COLOR", "1");
    let mut session = Session::start(own, command);
    session.wait_for("HOLDS");
    session.send(" o");
    session.wait_for(" Open ");
    let marked = |session: &Session, what: fn(&vt100::Cell) -> bool| {
        let seen = session.seen.lock().unwrap();
        let screen = seen.screen.screen();
        let cells = (0..ROWS.get()).flat_map(|row| (0..COLUMNS.get()).map(move |col| (row, col)));
        let cells = cells.filter_map(|(row, col)| screen.cell(row, col));
        let cells: Vec<_> = cells.collect();
        let plain = |c: &&vt100::Cell| {
            c.fgcolor() == vt100::Color::Default && c.bgcolor() == vt100::Color::Default
        };
        assert!(cells.iter().all(plain));
        cells
            .into_iter()
            .filter(|c| what(c))
            .map(|c| c.contents().to_owned())
            .collect::<String>()
    };
    session.wait("choice", |_| {
        marked(&session, vt100::Cell::inverse).contains("bead_on_parabola")
    });
    session.send("\u{1b}");
    session.wait("browsing", |screen| !screen.contains(" Open "));
    session.send("ex");
    session.wait_for("ERROR");
    session.wait("error", |_| {
        marked(&session, vt100::Cell::underline).contains("xname")
            && marked(&session, vt100::Cell::inverse).contains("ERROR")
    });
    session.send("\u{11}d");
    assert_eq!(session.end(), 0);
}

#[test]
fn a_paste_is_text_and_one_step_and_the_mouse_is_heard() {
    let mut session = Session::open("paste", &[]);
    session.wait_for("HOLDS");
    assert!(
        session
            .seen
            .lock()
            .unwrap()
            .screen
            .screen()
            .mouse_protocol_mode()
            != vt100::MouseProtocolMode::None
    );
    session.send(" e");
    session.wait_for("(editing)");
    // what would be commands is text, also what would end the paste in a text of two lines
    session.send("\u{1b}[200~# one :q\r# two\u{11}\r\u{1b}[201~");
    session.wait_for("# two");
    session.send("\u{1f}");
    session.wait("as before", |screen| {
        !screen.contains("# one") && screen.contains("built in")
    });
    // a click into the plot: it has the keys, and the time
    session.send("\u{1b}[<0;40;18M\u{1b}[<0;40;18m");
    session.wait("time", |screen| {
        !screen.contains("(editing)") && screen.contains("paused") && !screen.contains("t 0.0")
    });
    // off: the terminal selects
    session.send("M");
    session.wait("no mouse", |_| {
        let seen = session.seen.lock().unwrap();
        seen.screen.screen().mouse_protocol_mode() == vt100::MouseProtocolMode::None
    });
    session.send("q");
    assert_eq!(session.end(), 0);
    session.assert_sane();
}

/// CPU time of a process in clock ticks.
#[cfg(target_os = "linux")]
fn ticks(session: &Session) -> u64 {
    let id = session.child.process_id().unwrap();
    let text = fs::read_to_string(format!("/proc/{id}/stat")).unwrap();
    let after = text.rsplit(')').next().unwrap();
    let field = |at: usize| {
        after
            .split_whitespace()
            .nth(at)
            .unwrap()
            .parse::<u64>()
            .unwrap()
    };
    // utime and stime, fields 14 and 15 of proc_pid_stat(5)
    field(11) + field(12)
}

#[test]
#[ignore = "watches a terminal for seconds: the second job of .ci/run"]
fn a_paused_workbench_is_silent() {
    let mut session = Session::open("silent", &[]);
    session.wait_for("HOLDS");
    session.send(" ");
    session.wait_for("paused");
    let count = || session.seen.lock().unwrap().bytes.len();
    // the last picture may still be on its way
    thread::sleep(Duration::from_secs(1));
    let before = count();
    #[cfg(target_os = "linux")]
    let worked = ticks(&session);
    thread::sleep(Duration::from_secs(10));
    assert_eq!(count(), before);
    // a tick is 10 ms: the file and the terminal are looked at, and that is all
    #[cfg(target_os = "linux")]
    assert!(ticks(&session) - worked <= 1);
    session.send("q");
    assert_eq!(session.end(), 0);
    session.assert_sane();
}

/// The time that the first line shows.
fn time(screen: &str) -> Option<f64> {
    let first = screen.lines().next()?;
    let (_, after) = first.split_once(" t ")?;
    after.split_whitespace().next()?.parse().ok()
}

#[test]
#[ignore = "watches a terminal for seconds: the second job of .ci/run"]
fn a_playing_plot_of_three_series_is_cheap_to_send() {
    const SECONDS: f64 = 4.0;
    /// Bytes a second: an upper bound, which a machine under load only keeps the better.
    const BOUND: f64 = 40_000.0;
    /// That many pictures have to come, or nothing was measured.
    const PICTURES: usize = 3;
    let own = std::env::temp_dir().join(format!("holonom-pty-bytes-{}", std::process::id()));
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_holonom"));
    command.arg("product_and_sum");
    let size = (NonZeroU16::new(100).unwrap(), NonZeroU16::new(30).unwrap());
    let mut session = Session::start_sized(own, command, size);
    session.wait("the three series, playing", |screen| {
        ["HOLDS", "x₁", "x₂", "x₃"]
            .iter()
            .all(|part| screen.contains(part))
            && time(screen) > Some(0.0)
    });
    // among the other panes; alone; drawn close, so that it runs under the playhead
    for keys in ["", "\t\t\t\tz", "]]"] {
        session.send(keys);
        let here = format!("after {keys:?}");
        // the picture that the keys ask for is no part of the playing
        thread::sleep(Duration::from_millis(500));
        let begin = Instant::now();
        let count = || session.seen.lock().unwrap().bytes.len();
        let before = count();
        let mut times = vec![time(&session.screen()).unwrap()];
        while begin.elapsed().as_secs_f64() < SECONDS || times.len() <= PICTURES {
            assert!(
                begin.elapsed() < LIMIT,
                "{here}: it does not play: {times:?}"
            );
            thread::sleep(LOOK);
            let now = time(&session.screen()).unwrap_or_default();
            if times.last() != Some(&now) {
                times.push(now);
            }
        }
        let rate = (count() - before) as f64 / begin.elapsed().as_secs_f64();
        println!("{here}: {rate:.0} bytes/s, {} times shown", times.len());
        assert!(rate < BOUND, "{here}: {rate} bytes a second");
        let screen = session.screen();
        let braille = '\u{2801}'..='\u{28ff}';
        let dots = screen.chars().filter(|c| braille.contains(c));
        assert!(
            dots.count() > 100 && rate > 0.0,
            "{here}: nothing is drawn\n{screen}"
        );
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
fn a_dumb_terminal_is_told_the_workbench_in_lines() {
    let own = std::env::temp_dir().join(format!("holonom-pty-dumb-{}", std::process::id()));
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_holonom"));
    command.arg("bead_on_parabola");
    command.env("TERM_HERE", "dumb");
    let mut session = Session::start(own, command);
    session.wait_for("?: help, q: quit");
    // what plays is silent but for the verdict; what stands is told
    session.wait_for("HOLDS for x1");
    session.send(" n");
    session.wait_for("FAILS for x1");
    session.send("\t");
    session.wait_for("Theorem:");
    session.wait_for("det J[x1] = -2 x1");
    // by a typed command, and by a key
    session.send(":equilibria\r");
    session.wait_for("stable, minimum");
    session.wait_for("certified");
    session.send("\u{1b}");
    session.wait("the pane again", |screen| {
        let after = screen.rsplit("Equilibria:").next();
        after.is_some_and(|after| after.contains("Theorem:"))
    });
    session.send("\t\t\t");
    session.wait_for("now, least -1.000 at t");
    session.send("p");
    session.wait_for("> m");
    session.send("\u{1b}[B");
    session.wait_for("> g");
    // a value that is typed stands in its line
    session.send("4");
    session.send(".5");
    session.wait_for("4.5");
    session.send("\r");
    session.wait_for("was 9.81");
    session.send("q");
    session.send("e");
    session.wait_for("> 1 name");
    session.send("\u{1b}[B");
    session.wait_for("> 2 source");
    session.send("# mine");
    session.wait_for("# mine");
    session.send("\u{11}");
    session.wait_for("Leave:");
    session.send("d");
    assert_eq!(session.end(), 0);
    let seen = session.seen.lock().unwrap();
    assert!(!seen.bytes.contains(&0x1b));
}

#[test]
#[ignore = "watches a terminal for seconds: the second job of .ci/run"]
fn a_slow_line_gets_less_than_5_kb_a_second_while_it_plays() {
    let mut session = Session::open("slow", &["bead_on_parabola", "--low-bandwidth"]);
    session.wait_for("x1");
    session.send("0 0");
    let count = |session: &Session| session.seen.lock().unwrap().bytes.len();
    let later = |t: f64| {
        move |screen: &str| {
            let clock = screen
                .lines()
                .next()
                .and_then(|line| line.split("  t ").nth(1));
            let now = clock.and_then(|clock| clock.split(" /").next()?.trim().parse::<f64>().ok());
            now.is_some_and(|now| now > t)
        }
    };
    session.send(" ");
    session.wait("t 0.5", later(0.5));
    let (begin, before) = (Instant::now(), count(&session));
    session.wait("t 2", later(2.0));
    let seconds = begin.elapsed().as_secs_f64();
    let sent = (count(&session) - before) as f64;
    assert!(sent < 5000.0 * seconds, "{sent} bytes in {seconds} s");
    session.send("q");
    assert_eq!(session.end(), 0);
}

#[test]
#[ignore = "watches a terminal for seconds: the second job of .ci/run"]
fn a_line_that_lags_gets_fewer_pictures_by_itself() {
    let mut session = Session::open("lags", &["bead_on_parabola"]);
    session.wait_for("x1");
    // nobody reads for a while
    let seen = Arc::clone(&session.seen);
    let mut held = false;
    for longer in 0..6 {
        let hold = seen.lock().unwrap();
        // where others compute too, it takes longer to fill what the line holds
        thread::sleep(Duration::from_millis(2500 + 1500 * longer));
        drop(hold);
        thread::sleep(LOOK);
        held = session.screen().contains("the line is slow");
        if held {
            break;
        }
        session.send("mz");
    }
    assert!(held, "{}", session.screen());
    session.send("q");
    assert_eq!(session.end(), 0);
}

#[test]
fn measured_values_lie_over_the_motion() {
    let file = std::env::temp_dir().join(format!("holonom-pty-{}.csv", std::process::id()));
    fs::write(&file, "t,x\n0.1,0.9\n0.5,0.5\n0.9,-0.5\n").unwrap();
    let given = file.to_str().unwrap();
    let mut session = Session::open("measured", &["pendulum", "--data", given]);
    session.wait_for("data.x");
    session.send("\u{11}");
    session.end();
    fs::remove_file(file).unwrap();
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

#[test]
fn a_terminal_of_any_size_is_drawn_on() {
    let own = std::env::temp_dir().join(format!("holonom-pty-huge-{}", std::process::id()));
    fs::create_dir_all(&own).unwrap();
    let size = PtySize {
        rows: u16::MAX,
        cols: u16::MAX,
        pixel_width: 0,
        pixel_height: 0,
    };
    let pty = native_pty_system().openpty(size).unwrap();
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_holonom"));
    command.cwd(&own);
    command.env("TERM", "xterm-256color");
    command.env("LC_ALL", "C.UTF-8");
    command.env("XDG_STATE_HOME", own.join("state"));
    let mut child = pty.slave.spawn_command(command).unwrap();
    let mut output = pty.master.try_clone_reader().unwrap();
    let mut input = pty.master.take_writer().unwrap();
    let (sender, seen) = std::sync::mpsc::channel();
    thread::spawn(move || {
        let (mut buffer, mut bytes) = (vec![0; 65536], Vec::new());
        while let Ok(count @ 1..) = output.read(&mut buffer) {
            bytes.extend_from_slice(&buffer[..count]);
            if bytes.windows(5).any(|window| window == b"HOLDS") {
                let _ = sender.send(());
            }
            // the beginning of the next one
            bytes.drain(..bytes.len().saturating_sub(4));
        }
    });
    seen.recv_timeout(LIMIT).expect("it is drawn");
    input.write_all(b"q").unwrap();
    let status = child.wait().unwrap();
    assert!(status.success(), "{status:?}");
    fs::remove_dir_all(&own).unwrap();
}

#[test]
fn every_signal_that_ends_a_program_gives_the_terminal_back() {
    for (name, number) in [
        ("-QUIT", 3),
        ("-ABRT", 6),
        ("-USR1", 10),
        ("-USR2", 12),
        ("-ALRM", 14),
        ("-XCPU", 24),
    ] {
        if cfg!(not(target_os = "linux")) {
            return; // they have other numbers
        }
        let mut session = Session::open(&format!("signal{name}"), &[]);
        session.wait_for("HOLDS for");
        session.send(" ex");
        session.wait_for("modified");
        session.signal(name);
        assert_eq!(session.end(), 128 + number, "{name}");
        session.assert_sane();
        session.wait_for("unsaved text is in");
    }
}

#[test]
fn a_start_in_a_terminal_that_a_killed_program_left_begins_with_nothing() {
    let mut session = Session::open("cleared", &[]);
    session.wait_for("HOLDS for");
    session.signal("-KILL");
    session.end();
    let seen = session.seen.lock().unwrap();
    let at = |wanted: &[u8]| {
        let mut windows = seen.bytes.windows(wanted.len());
        windows.position(|window| window == wanted)
    };
    // the terminal is on its other screen already: entering that again would clear nothing
    let clear = at(b"\x1b[2J").expect("it clears the screen");
    assert!(at(b"\x1b[?1049h").unwrap() < clear && clear < at(b"holonom").unwrap());
}

#[test]
fn where_nothing_can_be_kept_the_header_says_so_from_the_start() {
    if !Path::new("/proc/self").exists() {
        return;
    }
    let own = std::env::temp_dir().join(format!("holonom-pty-kept-{}", std::process::id()));
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_holonom"));
    // nobody makes files there
    command.env("KEPT_NOWHERE", "1");
    let mut session = Session::start(own, command);
    let screen = session.wait_for("HOLDS for");
    assert!(
        screen.lines().next().unwrap().contains("not kept: "),
        "{screen}"
    );
    session.send(" ex");
    session.wait_for("has no key");
    session.signal("-TERM");
    assert_eq!(session.end(), 128 + 15);
    session.wait_for("unsaved text could not be kept: ");
}

#[test]
fn the_name_of_a_file_reaches_no_terminal_raw() {
    let name = "a\u{1b}]0;title\u{7}.yaml";
    let own = std::env::temp_dir().join(format!("holonom-pty-raw-{}", std::process::id()));
    fs::create_dir_all(own.join("work")).unwrap();
    let text = holonom::system::find("pendulum").unwrap().text;
    fs::write(own.join("work").join(name), text).unwrap();
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_holonom"));
    command.arg(name);
    // so that it is kept beside the file, and its name is told
    command.env("XDG_STATE_HOME", "relative");
    command.env_remove("HOME");
    command.env_remove("XDG_RUNTIME_DIR");
    let mut session = Session::start(own, command);
    session.wait_for("HOLDS for");
    session.send(" ex");
    session.wait_for("modified");
    session.signal("-TERM");
    assert_eq!(session.end(), 128 + 15);
    session.wait_for("unsaved text is in");
    let seen = session.seen.lock().unwrap();
    let title = b"\x1b]0;";
    assert!(
        !seen
            .bytes
            .windows(title.len())
            .any(|window| window == title)
    );
}

#[test]
fn a_text_kept_beside_its_file_is_offered_back() {
    let own = std::env::temp_dir().join(format!("holonom-pty-beside-{}", std::process::id()));
    fs::create_dir_all(own.join("work")).unwrap();
    let text = holonom::system::find("pendulum").unwrap().text;
    fs::write(own.join("work/a.yaml"), text).unwrap();
    let start = || {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_holonom"));
        command.arg("a.yaml");
        command.env("XDG_STATE_HOME", "relative");
        command.env_remove("HOME");
        command.env_remove("XDG_RUNTIME_DIR");
        Session::start(own.clone(), command)
    };
    let mut first = start();
    first.wait_for("HOLDS for");
    first.send(" e# typed\r");
    first.wait_for("# typed");
    let kept = own.join("work/.a.yaml.holonom-recover");
    let begin = Instant::now();
    while !fs::read_to_string(&kept).is_ok_and(|text| text.contains("# typed")) {
        assert!(begin.elapsed() < LIMIT);
        thread::sleep(LOOK);
    }
    first.signal("-KILL");
    first.end();
    first.stays = true;
    drop(first);
    let mut second = start();
    second.wait_for("unsaved text of an earlier session");
    second.send("r");
    second.wait_for("# typed");
    second.send("s");
    second.wait_for("saved as a.yaml");
    second.send("q");
    assert_eq!(second.end(), 0);
    let saved = fs::read_to_string(own.join("work/a.yaml")).unwrap();
    assert!(saved.contains("# typed"));
    assert_eq!(fs::read_dir(own.join("work")).unwrap().count(), 1);
}

#[test]
fn a_file_that_became_a_pipe_is_not_waited_for() {
    let own = std::env::temp_dir().join(format!("holonom-pty-fifo-{}", std::process::id()));
    let path = own.join("work/a.yaml");
    fs::create_dir_all(own.join("work")).unwrap();
    fs::write(&path, holonom::system::find("pendulum").unwrap().text).unwrap();
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_holonom"));
    command.arg("a.yaml");
    let mut session = Session::start(own, command);
    session.wait_for("HOLDS for");
    session.send(" e# typed\r");
    session.wait_for("# typed");
    fs::remove_file(&path).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&path).status();
    assert!(made.unwrap().success());
    session.send("\u{13}");
    session
        .wait_for("cannot save a.yaml: it is not a regular file; Esc O saves under another name");
    session.send("z");
    session.wait("a key after it", |screen| !screen.contains("cannot save"));
}

#[test]
fn a_long_command_says_how_far_it_has_come_and_takes_it_back() {
    let run = ["simulate", "pendulum", "--until", "1e6", "-o", "a.csv"];
    let mut session = Session::open("progress", &run);
    session.wait("how far it is", |screen| {
        screen.contains("simulate: ") && screen.contains(" left")
    });
    // Ctrl-C
    session.send("\u{3}");
    assert_eq!(session.end(), 130);
    let screen = session.wait_for("not finished: cancelled at t = ");
    assert!(!screen.contains(" left"), "{screen}");
    assert!(session.folder.join("a.csv").exists());
}
