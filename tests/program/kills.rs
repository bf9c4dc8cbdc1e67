//! kill -9 at random moments, while text is typed and while it is saved, on a disk with room, on one that fills up
//! and on one that is read-only: no text that was on the screen for a second is lost, unless the screen said
//! `not kept`; a saved file is the old one or the new one.
//!
//! ```text
//! HOLONOM_KILLS=500 HOLONOM_SEED=1 cargo test --release --test program kills:: -- --ignored --nocapture
//! ```
//!
//! Full and read-only disks are mounted, so that needs the rights to do it; without them they are left out, and said.
// a helper of a test fails the test
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use portable_pty::CommandBuilder;

use crate::workbench::Session;

/// Text that has been seen for so long is to survive.
const OLD: Duration = Duration::from_secs(1);
/// Time between two looks at the screen.
const LOOK: Duration = Duration::from_millis(5);
/// Programs at the same time.
const THREADS: u64 = 6;
/// Bytes of a disk that fills up.
const SMALL: usize = 256 << 10;

const REST: &str = "name: A\ncoordinates: [x]\nlagrangian: 1/2*x'^2\nstart: {x: 1, x': 0}\n";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Disk {
    Room,
    Full,
    ReadOnly,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Work {
    Typing,
    Saving,
}

struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) % end
    }
}

/// A folder on such a disk, unmounted at the end.
struct Mounted(PathBuf, Disk);

impl Mounted {
    fn new(disk: Disk) -> Option<Self> {
        // campaigns on several kinds of disk run side by side
        static MOUNTED: AtomicU64 = AtomicU64::new(0);
        let number = MOUNTED.fetch_add(1, Ordering::SeqCst);
        let name = format!("holonom-kills-{}-{number}", std::process::id());
        let path = env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        let mounted = Self(path, disk);
        if disk != Disk::Room {
            let size = format!("size={SMALL}");
            let words = ["-t", "tmpfs", "-o", &size, "tmpfs"];
            let done = Command::new("mount").args(words).arg(&mounted.0).status();
            done.ok().filter(std::process::ExitStatus::success)?;
        }
        fs::create_dir_all(mounted.0.join("work")).unwrap();
        fs::write(mounted.0.join("work/a.yaml"), REST).unwrap();
        if disk == Disk::ReadOnly {
            mounted.again("ro");
        }
        Some(mounted)
    }

    fn again(&self, how: &str) {
        let how = format!("remount,{how}");
        let done = Command::new("mount")
            .args(["-o", &how])
            .arg(&self.0)
            .status();
        assert!(done.unwrap().success());
    }

    /// Fills it up but for some bytes, and a little more or less.
    fn fill(&self, left: usize) {
        let filled = fs::metadata(self.0.join("filler")).map_or(0, |data| data.len() as usize);
        let wanted = SMALL.saturating_sub(left);
        // it is refused where it does not fit: then there is no room at all
        let _ = fs::write(self.0.join("filler"), vec![0; wanted.max(filled)]);
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        if self.1 == Disk::Room {
            let _ = fs::remove_dir_all(&self.0);
        } else {
            let _ = Command::new("umount").arg("-l").arg(&self.0).status();
            let _ = fs::remove_dir(&self.0);
        }
    }
}

/// The last of the numbers that stand in a row from 1 on.
fn last(text: &str) -> u64 {
    let words = text.split_whitespace().skip_while(|word| *word != "w1");
    let words = words.filter(|word| *word != "#");
    let numbers = words.map_while(|word| word.strip_prefix('w')?.parse::<u64>().ok());
    numbers
        .zip(1..)
        .take_while(|(a, b)| a == b)
        .last()
        .map_or(0, |(_, b)| b)
}

/// All files below a folder, with what they hold.
fn texts(folder: &Path) -> Vec<(PathBuf, String)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut all = Vec::new();
    for path in entries.map(|entry| entry.path()) {
        if path.is_dir() {
            all.extend(texts(&path));
        } else if let Ok(text) = fs::read_to_string(&path) {
            all.push((path, text));
        }
    }
    all
}

/// What came of a run.
struct Outcome {
    /// The last number that was to be kept, was kept, and was on the screen.
    wanted: u64,
    kept: u64,
    seen: u64,
    announced: bool,
    screen: String,
}

/// Types numbers until a moment comes, kills the program, and looks for them.
fn run(disk: Disk, work: Work, number: u64, random: &mut Random) -> Option<Outcome> {
    let mounted = Mounted::new(disk)?;
    let own = &mounted.0;
    let program = env::var_os("HOLONOM_BIN").unwrap_or(env!("CARGO_BIN_EXE_holonom").into());
    let mut command = CommandBuilder::new(program);
    command.arg("a.yaml");
    command.env_remove("XDG_RUNTIME_DIR");
    let size: (u16, u16) = [(80, 24), (41, 13), (120, 38)][random.below(3) as usize];
    let size = (size.0.try_into().unwrap(), size.1.try_into().unwrap());
    if disk == Disk::Full && random.below(2) == 0 {
        mounted.fill(random.below(16 << 10) as usize);
    }
    let mut session = Session::start_sized(own.clone(), command, size);
    session.stays = true;
    session.wait_for("coordinates");
    session.send(" e");
    session.wait_for("editing");
    session.send("# ");
    let end = Instant::now() + Duration::from_millis(200 + random.below(2800));
    let fills = Instant::now() + Duration::from_millis(random.below(3000));
    let mut seen = vec![(Instant::now(), 0)];
    let (mut typed, mut next, mut filled) = (0, Instant::now(), false);
    while Instant::now() < end {
        if disk == Disk::Full && !filled && Instant::now() >= fills {
            filled = true;
            mounted.fill(random.below(3) as usize * 5000);
        }
        if Instant::now() >= next {
            typed += 1;
            session.send(&format!("w{typed} "));
            if typed % 8 == 0 {
                session.send("\r# ");
            }
            if work == Work::Saving && random.below(3) == 0 {
                session.send("\u{13}");
            }
            next = Instant::now() + Duration::from_millis(5 + random.below(60));
        }
        thread::sleep(LOOK);
        let screen = session.screen();
        let shown = screen
            .split_whitespace()
            .filter_map(|w| w.strip_prefix('w')?.parse::<u64>().ok());
        // the newest may be half drawn
        let top = shown.filter(|n| *n < typed).max().unwrap_or(0);
        if top > seen.last().map_or(0, |(_, n)| *n) {
            seen.push((Instant::now(), top));
        }
    }
    let now = Instant::now();
    let screen = session.screen();
    session.signal("-KILL");
    session.end_unseen();
    let old = seen.iter().filter(|(when, _)| *when + OLD <= now);
    let files = texts(own);
    let of_text = files
        .iter()
        .filter(|(path, _)| !path.to_string_lossy().ends_with(".tmp"));
    let kept = of_text.map(|(_, text)| last(text)).max().unwrap_or(0);
    let saved = fs::read_to_string(own.join("work/a.yaml")).unwrap();
    let whole = saved.ends_with(REST) && (saved.len() == REST.len() || saved.starts_with("# w1 "));
    assert!(whole, "{disk:?} {work:?} {number}: torn\n{saved}");
    let outcome = Outcome {
        wanted: old.map(|(_, n)| *n).max().unwrap_or(0),
        kept,
        seen: seen.last().map_or(0, |(_, n)| *n),
        announced: screen.contains("not kept"),
        screen,
    };
    // what a killed program kept is offered by the next, whatever the disk
    let in_journal = files.iter().any(|(path, text)| {
        let name = path.to_string_lossy();
        (name.ends_with(".journal") || name.ends_with("-recover")) && last(text) > last(&saved)
    });
    drop(session);
    if in_journal && number.is_multiple_of(5) {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_holonom"));
        command.arg("a.yaml");
        command.env_remove("XDG_RUNTIME_DIR");
        let mut session = Session::start(own.clone(), command);
        session.stays = true;
        session.wait_for("unsaved text of an earlier session");
    }
    Some(outcome)
}

fn campaign(disk: Disk, work: Work) {
    let number_of = |name: &str, else_| {
        env::var(name)
            .ok()
            .and_then(|n| n.parse().ok())
            .unwrap_or(else_)
    };
    let (kills, seed) = (number_of("HOLONOM_KILLS", 20), number_of("HOLONOM_SEED", 1));
    let next = AtomicU64::new(0);
    let lost = AtomicU64::new(0);
    let told = AtomicU64::new(0);
    let left_out = AtomicU64::new(0);
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::SeqCst);
                    if number >= kills {
                        return;
                    }
                    let mut random =
                        Random(((seed << 32) | (number + 1)).wrapping_mul(0x9e37_79b9_7f4a_7c15));
                    let Some(outcome) = run(disk, work, number, &mut random) else {
                        left_out.fetch_add(1, Ordering::SeqCst);
                        return;
                    };
                    told.fetch_add(outcome.announced.into(), Ordering::SeqCst);
                    if outcome.kept < outcome.wanted && !outcome.announced {
                        lost.fetch_add(1, Ordering::SeqCst);
                        println!(
                            "{disk:?} {work:?} {number}: seen {} kept {} of {}\n{}",
                            outcome.seen, outcome.kept, outcome.wanted, outcome.screen
                        );
                    }
                }
            });
        }
    });
    if left_out.into_inner() > 0 {
        println!("{disk:?} {work:?}: left out, no disk can be mounted here");
        return;
    }
    let (lost, told) = (lost.into_inner(), told.into_inner());
    println!(
        "{disk:?} {work:?}: {kills} kills, seed {seed}: {lost} lost, {told} with `not kept` on the screen"
    );
    assert_eq!(lost, 0);
}

macro_rules! campaigns {
    ($($name:ident: $disk:ident $work:ident;)*) => {$(
        #[test]
        #[ignore = "kills the program hundreds of times"]
        fn $name() {
            campaign(Disk::$disk, Work::$work);
        }
    )*};
}

campaigns! {
    typing_on_a_disk_with_room: Room Typing;
    typing_on_a_disk_that_fills_up: Full Typing;
    typing_on_a_disk_that_is_read_only: ReadOnly Typing;
    saving_on_a_disk_with_room: Room Saving;
    saving_on_a_disk_that_fills_up: Full Saving;
    saving_on_a_disk_that_is_read_only: ReadOnly Saving;
}
