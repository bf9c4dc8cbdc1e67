//! Programs that end at the wrong moment, one after the other.

use std::path::Path;

use super::*;

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let name = format!("holonom-journal-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// A program that was started and writes when it is told to.
    fn program(&self) -> Journal {
        Journal::without_thread(vec![self.0.join("state")])
    }

    fn journals(&self) -> usize {
        let entries = fs::read_dir(self.0.join("state")).unwrap().flatten();
        let is = |e: &fs::DirEntry| e.path().extension().is_some_and(|e| e == "journal");
        entries.filter(is).count()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn bead() -> Document {
    Document {
        source: Source::BuiltIn("bead".to_owned()),
        saved: String::new(),
    }
}

#[test]
fn a_file_that_two_sessions_have_open_is_told_to_the_second() {
    let folder = Folder::new("shared");
    let mut document = bead();
    document.source = Source::File(folder.0.join("a.yaml"));
    let programs = [folder.program(), folder.program()];
    for program in &programs {
        assert_eq!(program.claim(&document), None);
    }
    assert_eq!(programs.each_ref().map(Journal::is_shared), [false, true]);
    programs[0].close();
    assert_eq!(programs[1].claim(&document), None);
    assert!(!programs[1].is_shared());
    // what has no file is saved as a new one
    for program in [&folder.program(), &folder.program()] {
        program.claim(&bead());
        assert!(!program.is_shared());
    }
}

/// Ends a program as kill -9 does: locks are gone, files stay.
fn kill(journal: &Journal) {
    if let Some(slot) = journal.pen().slot.take() {
        let lock = slot.lock.clone();
        drop(slot);
        fs::write(lock, "").unwrap();
    }
}

#[test]
fn what_was_typed_is_offered_to_the_next_program_and_to_no_other() {
    let folder = Folder::new("offered");
    let first = folder.program();
    assert_eq!(first.claim(&bead()), None);
    first.keep(Some("typed\r\n\u{e9}".to_owned()));
    let path = first.rescue().unwrap().unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
    }
    // the first one lives: what it keeps is its own
    let second = folder.program();
    assert_eq!(second.claim(&bead()), None);
    second.keep(Some("another".to_owned()));
    assert_ne!(second.rescue().unwrap().unwrap(), path);
    assert!(second.others().is_empty());
    kill(&first);
    kill(&second);
    // another document is not asked about it, but told of it
    let mut other = bead();
    other.source = Source::File(folder.0.join("a.yaml"));
    let third = folder.program();
    assert_eq!(third.claim(&other), None);
    assert_eq!(third.others(), [bead().source]);
    // one after the other
    assert_eq!(third.claim(&bead()).unwrap().text, "typed\r\n\u{e9}");
    third.decide(Recovery::Discarded);
    third.close();
    let fourth = folder.program();
    assert_eq!(fourth.claim(&bead()).unwrap().text, "another");
    fourth.decide(Recovery::Restored);
    fourth.keep(Some("another one".to_owned()));
    fourth.rescue().unwrap();
    kill(&fourth);
    let fifth = folder.program();
    assert_eq!(fifth.claim(&bead()).unwrap().text, "another one");
    fifth.decide(Recovery::Discarded);
    fifth.close();
    assert_eq!(fs::read_dir(folder.0.join("state")).unwrap().count(), 0);
}

#[test]
fn what_is_not_decided_stays() {
    let folder = Folder::new("later");
    let first = folder.program();
    first.claim(&bead());
    first.keep(Some("old".to_owned()));
    first.rescue().unwrap();
    kill(&first);
    // nothing said, nothing typed; then something typed; then put off
    let second = folder.program();
    assert!(second.claim(&bead()).is_some());
    second.keep(None);
    second.close();
    let third = folder.program();
    assert!(third.claim(&bead()).is_some());
    third.keep(Some("new".to_owned()));
    third.rescue().unwrap();
    assert_eq!(folder.journals(), 2);
    third.keep(None);
    third.close();
    let fourth = folder.program();
    assert_eq!(fourth.claim(&bead()).unwrap().text, "old");
    fourth.decide(Recovery::Later);
    fourth.keep(Some("new".to_owned()));
    fourth.rescue().unwrap();
    fourth.keep(None);
    fourth.close();
    assert_eq!(folder.program().claim(&bead()).unwrap().text, "old");
}

#[test]
fn what_is_saved_or_left_is_forgotten() {
    let folder = Folder::new("saved");
    let journal = folder.program();
    journal.claim(&bead());
    journal.keep(Some("typed".to_owned()));
    assert!(journal.rescue().unwrap().is_some());
    assert_eq!(folder.journals(), 1);
    journal.keep(None);
    assert_eq!(journal.rescue(), Ok(None));
    assert_eq!(folder.journals(), 0);
    // another document: the text of the one before was saved or given up
    journal.keep(Some("typed".to_owned()));
    journal.rescue().unwrap();
    let mut other = bead();
    other.source = Source::New;
    assert_eq!(journal.claim(&other), None);
    assert_eq!(folder.journals(), 0);
}

#[test]
fn the_thread_writes_soon() {
    let folder = Folder::new("thread");
    let (sender, _told) = std::sync::mpsc::channel();
    let journal = Journal::start(vec![folder.0.join("state")], sender).unwrap();
    journal.claim(&bead());
    for text in ["a", "ab", "abc"] {
        journal.keep(Some(text.to_owned()));
    }
    let path = journal.pen().slot.as_ref().unwrap().path.clone();
    let begin = std::time::Instant::now();
    while !slot::read(&path).is_ok_and(|(_, text)| text == "abc") {
        assert!(begin.elapsed() < Duration::from_secs(30));
        thread::sleep(Duration::from_millis(10));
    }
    journal.close();
}

#[test]
fn without_a_place_for_journals_it_goes_beside_the_file() {
    let folder = Folder::new("beside");
    let journal = Journal::without_thread(Vec::new());
    let mut document = bead();
    document.source = Source::File(folder.0.join("a.yaml"));
    assert_eq!(journal.claim(&document), None);
    assert_eq!(journal.rescue(), Ok(None));
    journal.keep(Some("typed".to_owned()));
    let path = folder.0.join(".a.yaml.holonom-recover");
    assert_eq!(journal.rescue(), Ok(Some(path.clone())));
    assert_eq!(fs::read_to_string(path).unwrap(), "typed");
}

#[test]
fn damaged_journals_are_passed_over() {
    let folder = Folder::new("damaged");
    let journal = folder.program();
    journal.claim(&bead());
    journal.keep(Some("typed".to_owned()));
    let path = journal.rescue().unwrap().unwrap();
    kill(&journal);
    for content in ["", "\n", "{\"holonom\":1}", "[]\ntext", "{}\ntext"] {
        fs::write(&path, content).unwrap();
        let next = folder.program();
        assert_eq!(next.claim(&bead()), None, "{content:?}");
        assert!(next.others().is_empty());
        kill(&next);
    }
}

#[test]
fn where_the_first_place_takes_nothing_the_next_one_does() {
    let folder = Folder::new("places");
    // a file where the folder should be
    fs::write(folder.0.join("state"), "").unwrap();
    let places = || vec![folder.0.join("state"), folder.0.join("runtime")];
    let first = Journal::without_thread(places());
    assert_eq!(first.claim(&bead()), None);
    assert_eq!(first.voice().trouble, None);
    first.keep(Some("typed".to_owned()));
    let path = first.rescue().unwrap().unwrap();
    assert_eq!(path.parent().unwrap(), folder.0.join("runtime"));
    // it fills up: the text goes on beside the file, and is offered from there
    let mut document = bead();
    document.source = Source::File(folder.0.join("a.yaml"));
    first.claim(&document);
    fs::remove_dir_all(folder.0.join("runtime")).unwrap();
    fs::write(folder.0.join("runtime"), "").unwrap();
    first.keep(Some("typed on".to_owned()));
    let path = first.rescue().unwrap().unwrap();
    assert_eq!(path, folder.0.join(".a.yaml.holonom-recover"));
    kill(&first);
    let second = Journal::without_thread(places());
    assert_eq!(second.claim(&document).unwrap().text, "typed on");
    second.decide(Recovery::Restored);
    second.keep(Some("typed on and on".to_owned()));
    second.rescue().unwrap();
    second.keep(None);
    second.close();
    assert!(!path.exists());
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 2);
}

#[test]
fn where_no_place_takes_it_the_reason_is_told_until_one_does() {
    let folder = Folder::new("nowhere");
    let (sender, told) = std::sync::mpsc::channel();
    let journal = Journal::without_thread(vec![folder.0.join("state")]);
    journal.voice().told = Some(sender);
    fs::write(folder.0.join("state"), "").unwrap();
    let mut document = bead();
    document.source = Source::File(folder.0.join("no/such/a.yaml"));
    // before anything is typed
    assert_eq!(journal.claim(&document), None);
    let Ok(Event::Keeping(Some(why))) = told.try_recv() else {
        panic!("nothing is said")
    };
    journal.keep(Some("typed".to_owned()));
    assert_eq!(journal.rescue(), Err(why));
    assert!(told.try_recv().is_err(), "said once");
    fs::remove_file(folder.0.join("state")).unwrap();
    assert!(journal.rescue().unwrap().is_some());
    assert!(matches!(told.try_recv(), Ok(Event::Keeping(None))));
    journal.keep(None);
    journal.close();
}

#[test]
fn of_several_reasons_the_one_that_helps_is_told() {
    use io::ErrorKind::{NotFound, ReadOnlyFilesystem, StorageFull};
    let refused = |kinds: &[io::ErrorKind]| {
        let refused = kinds.iter().map(|kind| Refusal::Io((*kind).into()));
        reason(&refused.collect::<Vec<_>>())
    };
    let read_only = "the disk is read-only";
    assert_eq!(refused(&[NotFound, ReadOnlyFilesystem]), read_only);
    assert_eq!(refused(&[ReadOnlyFilesystem, StorageFull]), read_only);
    assert_eq!(refused(&[NotFound]), "it does not exist");
}

#[test]
fn a_long_text_comes_back_whole_and_one_that_is_too_long_stays_where_it_is() {
    let folder = Folder::new("long");
    let long = "\u{1}x".repeat(super::super::editor::MAX_TEXT / 2);
    let first = folder.program();
    first.claim(&bead());
    first.keep(Some(long.clone()));
    let path = first.rescue().unwrap().unwrap();
    kill(&first);
    let second = folder.program();
    assert!(second.claim(&bead()).unwrap().text == long);
    second.decide(Recovery::Restored);
    second.keep(Some(long));
    second.rescue().unwrap();
    kill(&second);
    // of a program that knew no bound
    let mut longer = fs::read(&path).unwrap();
    longer.resize(4 << 20, b'x');
    fs::write(&path, &longer).unwrap();
    let third = folder.program();
    assert_eq!(third.claim(&bead()), None);
    third.keep(Some("typed".to_owned()));
    assert_ne!(third.rescue().unwrap().unwrap(), path);
    assert!(fs::read(&path).unwrap() == longer);
}

#[test]
fn what_killed_programs_leave_is_cleared_at_a_start() {
    let folder = Folder::new("sweep");
    let state = folder.0.join("state");
    fs::create_dir_all(&state).unwrap();
    // no program has such a number
    fs::write(state.join(".a-0.journal.holonom-4194305.tmp"), "half").unwrap();
    fs::write(state.join("a-0.lock"), "").unwrap();
    fs::write(state.join("b-0.journal"), "").unwrap();
    for place in &folder.program().shared.places {
        place.sweep();
    }
    let left: Vec<PathBuf> = fs::read_dir(&state)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    assert_eq!(left, [state.join("b-0.journal")]);
}

#[test]
fn what_killed_programs_leave_beside_a_file_is_cleared_when_it_is_opened() {
    let folder = Folder::new("beside-sweep");
    let left = [
        ".a.yaml.holonom-4194305.tmp",
        "..a.yaml.holonom-recover.holonom-4194305.tmp",
        "..a.yaml.holonom-recover-1.holonom-4194305.tmp",
        ".b.yaml.holonom-4194305.tmp",
    ];
    for name in left {
        fs::write(folder.0.join(name), "half").unwrap();
    }
    let journal = folder.program();
    let mut document = bead();
    document.source = Source::File(folder.0.join("a.yaml"));
    assert_eq!(journal.claim(&document), None);
    let there = left.map(|name| folder.0.join(name).exists());
    assert_eq!(there, [false, false, false, true]);
}

#[test]
fn text_is_found_while_a_start_clears_up() {
    let folder = Folder::new("race");
    let long = "# a line\n".repeat(super::super::editor::MAX_TEXT / 9);
    let first = folder.program();
    first.claim(&bead());
    first.keep(Some(long));
    first.rescue().unwrap();
    kill(&first);
    let (sender, _told) = std::sync::mpsc::channel();
    for _ in 0..50 {
        let next = Journal::start(vec![folder.0.join("state")], sender.clone()).unwrap();
        // as long as a first picture takes
        thread::sleep(Duration::from_micros(200));
        assert!(next.claim(&bead()).is_some());
        kill(&next);
        next.close();
    }
}

#[test]
fn a_disk_that_takes_its_time_is_told_as_one_that_takes_nothing() {
    let folder = Folder::new("slow");
    let (sender, told) = std::sync::mpsc::channel();
    let journal = Journal::start(vec![folder.0.join("state")], sender).unwrap();
    assert_eq!(journal.claim(&bead()), None);
    // what writes is held up
    let pen = journal.pen();
    journal.keep(Some("typed".to_owned()));
    let next = || match told.recv() {
        Ok(Event::Keeping(trouble)) => trouble,
        _ => panic!("nothing is said"),
    };
    assert_eq!(next().as_deref(), Some(SLOW));
    drop(pen);
    assert_eq!(next(), None);
    assert_eq!(folder.journals(), 1);
    journal.keep(None);
    journal.close();
}

/// A document that was lent to another editor, which has saved this; both programs are killed then.
fn lent(first: &Journal, document: &Document, saved: Option<&str>) -> PathBuf {
    first.claim(document);
    first.keep(Some("typed".to_owned()));
    first.rescue().unwrap();
    let copy = first.copy().unwrap();
    lend(&copy, "typed").unwrap();
    if let Some(saved) = saved {
        fs::write(&copy, saved).unwrap();
        // never overwritten by the next
        assert_eq!(first.copy(), None);
    }
    kill(first);
    copy
}

#[test]
fn what_another_editor_saved_is_offered_where_it_never_came_back() {
    let folder = Folder::new("lent");
    let mut file = bead();
    file.source = Source::File(folder.0.join("a.yaml"));
    for (document, places) in [(bead(), 1), (file, 0)] {
        let program = || Journal::without_thread(vec![folder.0.join("state"); places]);
        let copy = lent(&program(), &document, Some("saved there"));
        let second = program();
        assert_eq!(second.claim(&document).unwrap().text, "saved there");
        second.decide(Recovery::Later);
        kill(&second);
        let third = program();
        assert_eq!(third.claim(&document).unwrap().text, "saved there");
        third.decide(Recovery::Restored);
        assert!(!copy.exists());
        kill(&third);
        // it is kept as what is typed is
        let fourth = program();
        assert_eq!(fourth.claim(&document).unwrap().text, "saved there");
        fourth.decide(Recovery::Discarded);
        fourth.close();
        assert_eq!(program().claim(&document), None);
    }
}

#[test]
fn a_copy_that_no_editor_saved_is_no_text() {
    let folder = Folder::new("untouched");
    lent(&folder.program(), &bead(), None);
    let second = folder.program();
    assert_eq!(second.claim(&bead()).unwrap().text, "typed");
    second.decide(Recovery::Discarded);
    second.close();
    assert_eq!(fs::read_dir(folder.0.join("state")).unwrap().count(), 0);
}

#[test]
fn what_an_editor_saved_outlives_a_program_that_ends_while_it_is_open() {
    let folder = Folder::new("both");
    let program = folder.program();
    program.claim(&bead());
    program.keep(Some("typed".to_owned()));
    program.rescue().unwrap();
    let copy = program.copy().unwrap();
    lend(&copy, "typed").unwrap();
    fs::write(&copy, "saved there").unwrap();
    // at a signal all is written once more, and later than the copy
    std::thread::sleep(Duration::from_millis(20));
    program.rescue().unwrap();
    kill(&program);
    let second = folder.program();
    assert_eq!(second.claim(&bead()).unwrap().text, "saved there");
}

#[test]
fn what_comes_back_from_an_editor_is_kept_before_its_copy_goes() {
    let folder = Folder::new("back");
    let program = folder.program();
    program.claim(&bead());
    let copy = program.copy().unwrap();
    lend(&copy, "").unwrap();
    fs::write(&copy, "saved there").unwrap();
    program.take_back(copy.clone(), Some("saved there".to_owned()));
    assert!(!copy.exists());
    kill(&program);
    let second = folder.program();
    assert_eq!(second.claim(&bead()).unwrap().text, "saved there");
    second.decide(Recovery::Discarded);
    // where it is in no file the copy stays, until it is
    let nowhere = Journal::without_thread(vec!["/proc/none".into()]);
    let mut document = bead();
    document.source = Source::File("/proc/none/a.yaml".into());
    nowhere.claim(&document);
    let copy = folder.0.join("copy");
    fs::write(&copy, "saved there").unwrap();
    nowhere.take_back(copy.clone(), Some("saved there".to_owned()));
    assert!(copy.exists());
    nowhere.keep(None);
    nowhere.close();
    assert!(!copy.exists());
}

#[test]
fn what_an_editor_saved_in_another_encoding_is_not_offered_and_stays() {
    let folder = Folder::new("latin");
    let copy = lent(&folder.program(), &bead(), Some("saved there"));
    fs::write(&copy, b"# M\xfcller\n").unwrap();
    let second = folder.program();
    assert_eq!(second.claim(&bead()).unwrap().text, "typed");
    assert_eq!(second.unread(), Some(copy.clone()));
    second.decide(Recovery::Discarded);
    second.close();
    assert_eq!(fs::read(&copy).unwrap(), b"# M\xfcller\n");
}
