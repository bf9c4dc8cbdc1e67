//! Files: opened, saved, changed by another program, left; text that an earlier session kept.

use insta::assert_snapshot;

use super::editing::edit_behind;
use super::*;
use crate::workbench::dialog::{Asked, Dialog, Prompt, Question, Systems};
use crate::workbench::document::{Document, Listing};
use crate::workbench::state::{Then, Writing};

const BEAD: &str = "bead_on_parabola";
const SIZE: (u16, u16) = (80, 24);

#[test]
fn a_file_is_saved_and_reloaded() {
    let mut bench = Bench::new(find(BEAD).unwrap().text, SIZE);
    edit_behind(&mut bench, "9.81");
    bench.write("5");
    bench.keys("ctrl-s");
    assert!(bench.disk[&PathBuf::from("mine.yaml")].contains("9.815"));
    assert!(!bench.state.modified);
    bench.write("5");
    bench.keys("esc r d");
    assert!(!bench.state.editor.text().contains("9.8155"));
    assert!(bench.state.editor.text().contains("9.815"));
}

#[test]
fn a_file_changed_by_another_is_not_overwritten_unasked() {
    let mut bench = Bench::new(find(BEAD).unwrap().text, SIZE);
    bench.disk.insert("mine.yaml".into(), "theirs".into());
    edit_behind(&mut bench, "9.81");
    bench.write("5");
    bench.keys("esc s");
    assert!(matches!(
        bench.state.dialog,
        Some(Dialog::Question(Question::Overwrite {
            changed: true,
            writing: Writing { then: Some(_), .. }
        }))
    ));
    bench.keys("esc");
    assert_eq!(bench.disk[&PathBuf::from("mine.yaml")], "theirs");
    bench.keys("s o");
    assert!(bench.disk[&PathBuf::from("mine.yaml")].contains("9.815"));
    assert!(!bench.state.modified);
}

#[test]
fn a_name_below_the_home_is_saved_there() {
    let home = PathBuf::from(std::env::var_os("HOME").expect("a home"));
    let mut bench = Bench::new(BEAD, SIZE);
    bench.keys("s");
    bench.write("~/xy");
    bench.keys("enter");
    assert!(bench.disk.contains_key(&home.join("xy.yaml")));
}

#[test]
fn a_name_that_the_disk_refuses_is_asked_again() {
    let mut bench = Bench::new(BEAD, SIZE);
    for (keys, name) in [("O", "/nonexist/a.yaml"), ("E", "/nonexist/a.svg")] {
        bench.keys(keys);
        bench.write(name);
        bench.keys("enter");
        let screen = bench.screen();
        assert!(screen.contains("its folder does not exist"), "{screen}");
        let line = match &bench.state.dialog {
            Some(Dialog::Prompt(prompt)) => prompt.line.text.clone(),
            _ => panic!("closed: {screen}"),
        };
        // what is typed next goes on with it
        assert_eq!(line, name);
        bench.write("x");
        bench.keys("esc");
        assert!(bench.state.dialog.is_none());
    }
    // a save on leaving still leaves once there is a place
    let mut bench = Bench::new(BEAD, SIZE);
    bench.keys("e x ctrl-q s");
    bench.write("/nonexist/a.yaml");
    bench.keys("enter");
    assert!(!bench.quit);
    bench.clear_line();
    bench.write("b.yaml");
    bench.keys("enter");
    assert!(bench.quit && bench.disk.contains_key(&PathBuf::from("b.yaml")));
}

#[test]
fn a_built_in_system_is_saved_under_a_name() {
    let mut bench = Bench::new(BEAD, SIZE);
    bench.keys("s");
    assert!(
        matches!(&bench.state.dialog, Some(Dialog::Prompt(Prompt { asked: Asked::Name(_), line, .. })) if line.text == "bead_on_parabola.yaml")
    );
    for _ in 0.."bead_on_parabola.yaml".len() {
        bench.keys("backspace");
    }
    bench.keys("enter");
    assert!(bench.state.notice.is_some() && bench.state.dialog.is_some());
    bench.write("mine.yamlq");
    bench.keys("left del enter");
    // it exists
    assert!(matches!(
        bench.state.dialog,
        Some(Dialog::Question(Question::Overwrite {
            changed: false,
            writing: Writing { then: Some(_), .. }
        }))
    ));
    bench.keys("o");
    assert_eq!(
        bench.state.document.source,
        Source::File("mine.yaml".into())
    );
}

#[test]
fn leaving_unsaved_text_asks() {
    let mut bench = Bench::new(find(BEAD).unwrap().text, SIZE);
    edit_behind(&mut bench, "9.81");
    bench.write("5");
    bench.keys("esc q esc");
    assert!(!bench.quit);
    bench.keys("q s");
    assert!(bench.quit && bench.disk[&PathBuf::from("mine.yaml")].contains("9.815"));

    let mut bench = Bench::new(BEAD, SIZE);
    bench.keys("e x ctrl-q d");
    assert!(bench.quit);

    let mut bench = Bench::new(BEAD, SIZE);
    bench.keys("q");
    assert!(bench.quit);
}

#[test]
fn systems_are_opened_by_number_and_from_the_list() {
    let mut bench = Bench::new(BEAD, SIZE);
    bench.keys("2");
    assert_eq!(bench.state.document.name(), "rotating_rod");
    assert_eq!(
        bench.state.analysis.as_ref().unwrap().coordinates().len(),
        3
    );
    bench.keys("o down enter");
    assert_eq!(bench.state.document.name(), "product_and_sum");
    bench.keys("e x esc 1");
    assert!(matches!(
        bench.state.dialog,
        Some(Dialog::Question(Question::Leave { .. }))
    ));
    bench.keys("d");
    assert_eq!(bench.state.document.name(), BEAD);
    assert!(bench.state.playhead.playing);
}

#[test]
fn text_of_an_earlier_session_is_offered() {
    let found = |text: &str| {
        let mut bench = Bench::new(BEAD, SIZE);
        bench.send(Event::Recovered {
            kept: Some(Kept {
                text: text.to_owned(),
                age: None,
            }),
            others: Vec::new(),
            shared: false,
        });
        bench
    };
    let own = find(BEAD).unwrap().text;
    let kept = own.replace("g: 9.81", "g: 1.62");
    let mut bench = found(&kept);
    assert!(
        bench
            .screen()
            .contains("unsaved text of an earlier session")
    );
    assert!(
        bench
            .screen()
            .contains("It differs from line 7 on: parameters")
    );
    bench.keys("r");
    assert_eq!(bench.state.editor.text(), kept);
    assert_eq!(bench.verdict, Some(Recovery::Restored));
    assert!(bench.state.modified && bench.journal.as_deref() == Some(kept.as_str()));
    bench.keys("u");
    assert_eq!(bench.state.editor.text(), own);
    assert_eq!(bench.journal, None);
    for (key, verdict) in [("d", Recovery::Discarded), ("esc", Recovery::Later)] {
        let mut bench = found(&kept);
        // nothing else is done meanwhile
        bench.keys("e x q enter");
        assert_eq!(bench.verdict, None);
        bench.keys(key);
        assert_eq!(bench.verdict, Some(verdict));
        assert_eq!(bench.state.editor.text(), own);
    }
    // the same text is no question
    let bench = found(own);
    assert!(bench.state.dialog.is_none() && bench.verdict == Some(Recovery::Discarded));
    // that of another document is told
    let mut bench = Bench::new(BEAD, SIZE);
    bench.send(Event::Recovered {
        kept: None,
        others: vec![Source::File("/a/other.yaml".into())],
        shared: false,
    });
    assert!(bench.screen().contains("other.yaml has unsaved changes"));
}

#[test]
fn a_file_changed_on_disk_is_asked_about() {
    let own = find(BEAD).unwrap().text;
    let theirs = own.replace("g: 9.81", "g: 1.62");
    let changed = |bench: &mut Bench, text: Option<&str>| {
        bench.send(Event::Disk {
            path: "mine.yaml".into(),
            text: Ok(text.map(str::to_owned)),
        });
    };
    let mut bench = Bench::new(own, SIZE);
    changed(&mut bench, Some(&theirs));
    assert!(
        bench
            .screen()
            .contains("mine.yaml was changed by another program")
    );
    bench.keys("r");
    assert_eq!(bench.state.editor.text(), theirs);
    assert!(!bench.state.modified);
    bench.keys("u");
    assert!(bench.state.editor.text() == own && bench.state.modified);
    // the text as it is: saving it is no surprise then
    let mut bench = Bench::new(own, SIZE);
    bench.disk.insert("mine.yaml".into(), theirs.clone());
    changed(&mut bench, Some(&theirs));
    bench.keys("k");
    assert!(bench.state.modified && bench.journal.as_deref() == Some(own));
    bench.keys("s");
    assert_eq!(bench.disk[&PathBuf::from("mine.yaml")], own);
    // who types is not interrupted, and is asked afterwards
    let mut bench = Bench::new(own, SIZE);
    bench.keys("e x");
    changed(&mut bench, Some(&theirs));
    assert!(bench.state.dialog.is_none());
    bench.write("rk");
    assert!(bench.state.editor.text().starts_with("xrk"));
    assert!(bench.screen().contains("changed on disk"));
    bench.keys("esc");
    assert!(bench.screen().contains("unsaved changes of its own"));
    bench.keys("esc");
    // put off, it is not forgotten: it is told, it is asked after the next edit, and saving asks
    assert!(bench.state.dialog.is_none() && bench.screen().contains("changed on disk"));
    assert_eq!(bench.state.on_disk(), Some(theirs.as_str()));
    bench.keys("e esc");
    assert!(bench.screen().contains("unsaved changes of its own"));
    bench.keys("esc");
    bench.disk.insert("mine.yaml".into(), theirs.clone());
    bench.keys("s");
    assert!(matches!(
        bench.state.dialog,
        Some(Dialog::Question(Question::Overwrite {
            changed: true,
            writing: Writing { then: Some(_), .. }
        }))
    ));
    // gone, or as it is here
    let mut bench = Bench::new(own, SIZE);
    changed(&mut bench, None);
    assert!(bench.screen().contains("mine.yaml is gone from the disk"));
    // the text is nowhere else now, and is not left without a question
    assert!(bench.state.modified && bench.journal.as_deref() == Some(own));
    bench.keys("q");
    assert!(matches!(
        bench.state.dialog,
        Some(Dialog::Question(Question::Leave { then: Then::Quit }))
    ));
    bench.keys("esc e x");
    let text = bench.state.editor.text();
    changed(&mut bench, Some(&text));
    assert!(!bench.state.modified && bench.state.disk.is_none());
    // what is as it was asks no more
    let mut bench = Bench::new(own, SIZE);
    changed(&mut bench, Some(&theirs));
    changed(&mut bench, Some(own));
    assert!(bench.state.dialog.is_none() && !bench.screen().contains("on disk"));
}

#[test]
fn a_file_that_is_gone_or_a_folder_is_told_as_long_as_it_is_so() {
    let own = find(BEAD).unwrap().text;
    let first = |bench: &mut Bench| bench.screen().lines().next().unwrap().to_owned();
    for modified in [false, true] {
        let mut bench = Bench::new(own, SIZE);
        bench.keys(if modified { "e x esc" } else { "" });
        bench.send(Event::Disk {
            path: "mine.yaml".into(),
            text: Ok(None),
        });
        bench.keys("tab");
        assert!(first(&mut bench).contains("gone from the disk"));
        assert_eq!(bench.state.on_disk(), None);
        bench.send(Event::Disk {
            path: "mine.yaml".into(),
            text: Err("it is a folder".to_owned()),
        });
        bench.keys("tab");
        let line = first(&mut bench);
        assert!(line.contains("on disk: it is a folder"), "{line}");
        bench.keys("!");
        let screen = bench.screen();
        assert!(
            screen.contains("mine.yaml on disk: it is a folder"),
            "{screen}"
        );
        // it is there again, as the text is here
        let text = bench.state.editor.text();
        bench.send(Event::Disk {
            path: "mine.yaml".into(),
            text: Ok(Some(text)),
        });
        let line = first(&mut bench);
        assert!(!line.contains("disk") && !bench.state.modified, "{line}");
    }
    // saved anew it is there
    let mut bench = Bench::new(own, SIZE);
    bench.send(Event::Disk {
        path: "mine.yaml".into(),
        text: Ok(None),
    });
    bench.disk.remove(&PathBuf::from("mine.yaml"));
    bench.keys("s");
    assert!(!first(&mut bench).contains("disk") && !bench.state.modified);
}

#[test]
fn a_save_that_failed_is_among_the_problems_until_one_succeeds() {
    let mut bench = Bench::new(BEAD, SIZE);
    bench.keys("O");
    bench.write("/nonexist/a.yaml");
    bench.keys("enter esc !");
    let screen = bench.screen();
    assert!(screen.contains("its folder does not exist"), "{screen}");
    bench.keys("esc O");
    bench.write("here.yaml");
    bench.keys("enter !");
    let screen = bench.screen();
    assert!(!screen.contains("its folder"), "{screen}");
}

#[test]
fn another_editor_is_one_step_of_undo() {
    let mut bench = Bench::new(BEAD, SIZE);
    let own = bench.state.editor.text();
    bench.outside = |text| Edited::Done(text.replace("9.81", "1.62"));
    bench.keys("V");
    assert!(bench.state.editor.text().contains("g: 1.62") && bench.state.modified);
    bench.keys("u");
    assert_eq!(bench.state.editor.text(), own);
    bench.outside = |_| Edited::Broken {
        saved: None,
        why: "vi ended badly".to_owned(),
    };
    bench.keys("V");
    assert!(bench.screen().contains("vi ended badly"));
    assert_eq!(bench.state.editor.text(), own);
    // what it had saved is not lost with it
    bench.outside = |text| Edited::Broken {
        saved: Some(text.replace("9.81", "1.62")),
        why: "vi ended badly".to_owned(),
    };
    bench.keys("V");
    assert!(bench.screen().contains("vi ended badly"));
    assert!(bench.state.editor.text().contains("g: 1.62") && bench.state.modified);
    bench.keys("u");
    assert_eq!(bench.state.editor.text(), own);
}

#[test]
fn a_new_system_begins_with_the_template() {
    let mut bench = Bench::new(BEAD, SIZE);
    bench.keys("A");
    assert_eq!(bench.state.document.source, Source::New);
    assert!(bench.state.analysis.is_some() && bench.state.diagnostics.is_empty());
    assert!(bench.screen().contains("HOLDS"));
    bench.keys("s enter");
    assert!(bench.disk.contains_key(&PathBuf::from("system.yaml")));
    bench.keys("1 o n");
    assert_eq!(bench.state.document.source, Source::New);
    // unsaved text is not lost by it
    bench.keys("e x esc A");
    assert!(matches!(
        bench.state.dialog,
        Some(Dialog::Question(Question::Leave { .. }))
    ));
}

#[test]
fn undo_reaches_across_a_save_and_a_paste_is_one_step() {
    let mut bench = Bench::new(find(BEAD).unwrap().text, SIZE);
    let own = bench.state.editor.text();
    bench.keys("e");
    bench.send(Event::Paste("# one\n# two\n".to_owned()));
    bench.keys("ctrl-s");
    assert!(!bench.state.modified && bench.journal.is_none());
    bench.keys("ctrl-7");
    assert_eq!(bench.state.editor.text(), own);
    assert!(bench.state.modified && bench.journal.is_some());
    bench.keys("ctrl-r");
    assert!(!bench.state.modified && bench.journal.is_none());
}

#[test]
fn a_paste_where_nothing_is_typed_is_not_dropped_without_a_word() {
    let mut bench = Bench::new(BEAD, SIZE);
    let own = bench.state.editor.text();
    for keys in ["", "B", "W", "?"] {
        bench.keys(keys);
        bench.send(Event::Paste("q\n".to_owned()));
        let screen = bench.screen();
        assert!(screen.contains("a paste is not taken here"), "{screen}");
        bench.keys("esc");
    }
    assert_eq!(bench.state.editor.text(), own);
}

#[test]
fn a_suggested_name_is_typed_over_and_gets_its_ending() {
    // as a stranger does: save, a name, Enter
    let mut bench = Bench::new(BEAD, SIZE);
    bench.keys("s");
    bench.write("cubic");
    bench.keys("enter");
    assert_eq!(
        bench.state.document.source,
        Source::File("cubic.yaml".into())
    );
    assert!(bench.screen().contains("saved as cubic.yaml"));
    // who moves in it wants to keep it
    let mut bench = Bench::new(BEAD, SIZE);
    bench.keys("s home");
    bench.write("my_");
    bench.keys("enter");
    assert_eq!(bench.state.document.name(), "my_bead_on_parabola.yaml");
    // under another name it is another file, and the first stays as it was
    let before = bench.state.editor.text();
    bench.keys("e x esc O");
    bench.write("other.yml");
    bench.keys("enter");
    assert_eq!(bench.state.document.name(), "other.yml");
    assert!(!bench.state.modified);
    assert_eq!(
        bench.disk[&PathBuf::from("my_bead_on_parabola.yaml")],
        before
    );
    // its own name is a save as any other
    bench.keys("e x esc O enter");
    assert!(bench.state.dialog.is_none() && !bench.state.modified);
}

#[test]
fn a_new_file_is_named_after_its_system() {
    let new = |text: &str| {
        let document = Document {
            source: Source::New,
            saved: String::new(),
        };
        document.suggestion_for(text)
    };
    assert_eq!(new("name: Bead on a cubic\n"), "bead_on_a_cubic.yaml");
    assert_eq!(new("# x\nname: \"J's rod, 2nd\"\n"), "j_s_rod_2nd.yaml");
    assert_eq!(new("name: New system\n"), "system.yaml");
    assert_eq!(new("name: ../..\n"), "system.yaml");
    assert_eq!(new(""), "system.yaml");
    assert!(new(&format!("name: {}\n", "x".repeat(500))).len() < 100);
}

#[test]
fn the_words_of_vi_save_and_leave() {
    let mut bench = Bench::new(find(BEAD).unwrap().text, SIZE);
    edit_behind(&mut bench, "9.81");
    bench.write("5");
    bench.keys("esc :");
    bench.write("w");
    bench.keys("enter");
    assert!(!bench.state.modified && !bench.quit);
    bench.keys("e x ctrl-z backspace esc :");
    bench.write("wq");
    assert!(bench.screen().contains("and leave the program"));
    bench.keys("enter");
    assert!(bench.quit);
    assert!(bench.disk[&PathBuf::from("mine.yaml")].contains("9.815"));
}

/// The chooser with files in the folder.
fn chooser_with_files(size: (u16, u16)) -> Bench {
    let file = |name: &str, title: &str| Listing {
        path: name.into(),
        title: title.to_owned(),
        source: String::new(),
    };
    let mut bench = Bench::paused("bead_on_parabola", size, 0.0);
    bench.send(Event::Listed {
        files: vec![file("alpha.yaml", "My own"), file("mine.yaml", "Loop")],
        kept: Vec::new(),
    });
    bench
}

#[test]
fn files_of_the_folder_stand_before_the_built_in_systems() {
    let mut bench = chooser_with_files((80, 24));
    assert_snapshot!("files_first", bench.screen());
    bench.keys("g j enter");
    assert_eq!(bench.state.document.name(), "mine.yaml");
}

#[test]
fn the_chooser_is_filtered_by_name_and_title() {
    let mut bench = chooser_with_files((80, 24));
    bench.keys("/");
    bench.write("LOOP mi");
    let screen = bench.screen();
    assert!(screen.contains("mine.yaml") && !screen.contains("alpha.yaml"));
    assert!(!screen.contains("Built in") && screen.contains("Files of this folder"));
    bench.write("zzz");
    assert!(bench.screen().contains("no matching system"));
    bench.keys("enter");
    assert!(bench.state.dialog.is_some());
    // back to all of them
    bench.keys("esc");
    assert!(matches!(
        &bench.state.dialog,
        Some(Dialog::Systems(Systems { filter: None, .. }))
    ));
    bench.keys("/");
    bench.write("pendulum");
    assert_snapshot!("filtered", bench.screen());
    // what was chosen stays chosen
    bench.keys("down esc");
    let Some(Dialog::Systems(Systems {
        entries, chosen, ..
    })) = &bench.state.dialog
    else {
        panic!("closed");
    };
    let name = entries[*chosen].name.clone();
    assert!(name.contains("pendulum"), "{name}");
    bench.keys("enter");
    assert_eq!(bench.state.document.name(), name);
}

#[test]
fn a_click_on_a_heading_chooses_nothing_and_below_it_the_line() {
    let mut bench = chooser_with_files((80, 24));
    let screen = bench.screen();
    let row = |text: &str| screen.lines().position(|line| line.contains(text)).unwrap() as u16;
    let chosen = |bench: &Bench| match bench.state.dialog {
        Some(Dialog::Systems(Systems { chosen, .. })) => chosen,
        _ => usize::MAX,
    };
    let click = |bench: &mut Bench, row: u16| {
        bench.send(Event::Mouse(crossterm::event::MouseEvent {
            kind: crossterm::event::MouseEventKind::Down(crossterm::event::MouseButton::Left),
            column: 20,
            row,
            modifiers: KeyModifiers::NONE,
        }));
    };
    assert_eq!(chosen(&bench), 2);
    click(&mut bench, row("Built in"));
    assert_eq!(chosen(&bench), 2);
    click(&mut bench, row("mine.yaml"));
    assert_eq!(chosen(&bench), 1);
    click(&mut bench, row("alpha.yaml"));
    assert_eq!(chosen(&bench), 0);
}
