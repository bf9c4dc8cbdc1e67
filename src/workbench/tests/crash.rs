//! A panic in the middle of it: the terminal is as it was, its message is read, and the text is kept.
//!
//! The tests run this program again, in a terminal, with one test that is the workbench itself; a word in the
//! text makes its drawing panic, in the tests of the library only.

use crate::workbench::state::State;

/// The word that breaks it.
const WORD: &str = "it-breaks-here";

/// Breaks off where the text asks for it.
pub fn on_demand(state: &State) {
    assert!(!state.editor.text().contains(WORD), "broken on demand");
}

#[cfg(unix)]
mod in_a_terminal {
    use super::super::{COLOUR, find};
    use super::WORD;
    use crate::workbench::app;
    use crate::workbench::document::Source;
    use crate::workbench::state::{Opening, Shown};
    use std::io::{IsTerminal, Read, Write};
    use std::num::NonZeroU16;
    use std::sync::{Arc, Mutex};
    use std::time::{Duration, Instant};
    use std::{env, fs, io, thread};

    use portable_pty::{CommandBuilder, PtySize, native_pty_system};

    const LIMIT: Duration = Duration::from_secs(60);

    #[test]
    #[ignore = "the workbench itself: run by the test below, in a terminal"]
    fn workbench() {
        if !io::stdin().is_terminal() {
            return;
        }
        let ending = app::run(Opening {
            source: Source::BuiltIn("bead_on_parabola".to_owned()),
            text: find("bead_on_parabola").unwrap().text.to_owned(),
            changes: crate::system::Changes::default(),
            theme: COLOUR,
            size: (0, 0),
            mouse: true,
            first_run: false,
            shown: Shown::Screen,
        });
        println!("ended without a panic: {ending:?}");
    }

    #[test]
    fn a_panic_leaves_a_sane_terminal_and_keeps_the_text() {
        let own = env::temp_dir().join(format!("holonom-crash-{}", std::process::id()));
        fs::create_dir_all(&own).unwrap();
        let size = PtySize {
            rows: 24,
            cols: 80,
            pixel_width: 0,
            pixel_height: 0,
        };
        let pty = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(env::current_exe().unwrap());
        let name = "workbench::tests::crash::in_a_terminal::workbench";
        command.args([
            name,
            "--exact",
            "--ignored",
            "--nocapture",
            "--test-threads=1",
        ]);
        command.cwd(&own);
        command.env("TERM", "xterm-256color");
        command.env("LC_ALL", "C.UTF-8");
        command.env("XDG_STATE_HOME", &own);
        command.env("RUST_BACKTRACE", "0");
        command.env_remove("NO_COLOR");
        let mut child = pty.slave.spawn_command(command).unwrap();
        let mut output = pty.master.try_clone_reader().unwrap();
        let mut input = pty.master.take_writer().unwrap();
        let (rows, columns) = (NonZeroU16::new(24).unwrap(), NonZeroU16::new(80).unwrap());
        let seen = Arc::new(Mutex::new(vt100::Parser::new(rows, columns, 0)));
        let shared = Arc::clone(&seen);
        thread::spawn(move || {
            let mut buffer = [0; 8192];
            while let Ok(count @ 1..) = output.read(&mut buffer) {
                shared.lock().unwrap().process(&buffer[..count]);
            }
        });
        let wait = |wanted: &dyn Fn(&vt100::Screen) -> bool| {
            let begin = Instant::now();
            while !wanted(seen.lock().unwrap().screen()) {
                let screen = seen.lock().unwrap().screen().contents();
                assert!(begin.elapsed() < LIMIT, "{screen}");
                thread::sleep(Duration::from_millis(15));
            }
        };
        wait(&|screen| screen.alternate_screen() && screen.contents().contains("HOLDS"));
        // half a word is no word
        input
            .write_all(format!(" e{}", &WORD[..5]).as_bytes())
            .unwrap();
        wait(&|screen| screen.contents().contains(&WORD[..5]));
        input.write_all(&WORD.as_bytes()[5..]).unwrap();
        let status = child.wait().unwrap();
        assert!(!status.success());
        wait(&|screen| {
            let text = screen.contents();
            !screen.alternate_screen() && text.contains("broken on demand")
        });
        wait(&|screen| screen.contents().contains("unsaved text is in"));
        let seen = seen.lock().unwrap();
        let screen = seen.screen();
        assert!(!screen.hide_cursor() && !screen.bracketed_paste());
        assert_eq!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None);
        let flags = format!("{:?}", pty.master.get_termios().unwrap().local_flags);
        assert!(
            flags.contains("ICANON") && flags.contains("ECHO"),
            "{flags}"
        );
        let journals = fs::read_dir(own.join("holonom/journal")).unwrap();
        let texts = journals.map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap());
        let texts: Vec<String> = texts.collect();
        assert!(texts.iter().any(|text| text.contains(WORD)), "{texts:?}");
        fs::remove_dir_all(own).unwrap();
    }
}
