//! Where a text comes from and where it goes to: reading and saving.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::disk::{self, Refusal, Target, Whole};
use crate::report::linked;
use crate::system::{MAX_FILE, decode, spelled, text_of};

/// The name in the template, which is none yet.
const UNNAMED: &str = "New system";
/// The longest name of a file that is suggested, in characters.
const LONGEST_NAME: usize = 60;
/// Where the text came from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Source {
    /// Held in the program under this name; saved as a new file.
    BuiltIn(String),
    /// A file.
    File(PathBuf),
    /// Standard input; saved as a new file.
    Input,
    /// The template; saved as a new file.
    #[default]
    New,
}

impl Source {
    /// What to call it: the file's name without its folder.
    pub fn name(&self) -> String {
        match self {
            Self::BuiltIn(name) => name.clone(),
            Self::File(path) => match path.file_name() {
                Some(name) => spelled(name.as_ref()),
                None => spelled(path),
            },
            Self::Input => "standard input".to_owned(),
            Self::New => "new system".to_owned(),
        }
    }
}

/// A text as it is in its file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    /// Where it came from.
    pub source: Source,
    /// What its source holds, as far as is known.
    pub saved: String,
}

impl Document {
    /// The file, where there is one.
    pub fn path(&self) -> Option<&Path> {
        match &self.source {
            Source::File(path) => Some(path),
            Source::BuiltIn(_) | Source::Input | Source::New => None,
        }
    }

    /// What to call it on the screen and in messages.
    pub fn name(&self) -> String {
        self.source.name()
    }

    /// A name for a new file, after the name that the text gives its system.
    pub fn suggestion_for(&self, text: &str) -> String {
        if !matches!(self.source, Source::Input | Source::New) {
            return self.suggestion();
        }
        let named = text.lines().find_map(|line| line.strip_prefix("name:"));
        let own = named.map(str::trim).filter(|name| *name != UNNAMED);
        match own.map(file_name) {
            Some(name) if !name.is_empty() => format!("{name}.yaml"),
            _ => self.suggestion(),
        }
    }

    /// A name for a new file.
    pub fn suggestion(&self) -> String {
        match &self.source {
            Source::BuiltIn(name) => format!("{name}.yaml"),
            Source::File(path) => spelled(path),
            Source::Input | Source::New => "system.yaml".to_owned(),
        }
    }
}

/// A name as that of a file: `Bead on a wire` is `bead_on_a_wire`.
fn file_name(name: &str) -> String {
    let words = name.split(|c: char| !c.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty()).map(str::to_lowercase);
    linked("_", words).chars().take(LONGEST_NAME).collect()
}

/// Reads a text; what is not UTF-8 is refused with its place, as a command refuses it: shown with other characters it
/// would be saved with them.
pub fn read(path: &Path) -> Result<String, Refusal> {
    let bytes = disk::read(path, MAX_FILE)?;
    let text = decode(&bytes, "").map_err(|at| Refusal::NotText {
        line: at.line,
        column: at.column,
    })?;
    Ok(text.to_owned())
}

/// What a save may do to a file that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Existing {
    /// There must be none.
    Refuse,
    /// It may be replaced if it holds this text.
    Unchanged(String),
    /// It may be replaced: the user said so.
    Replace,
}

/// How a save ended, where it did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Saved {
    /// The file holds the text.
    Done,
    /// Nothing was written: there is such a file.
    Exists,
    /// Nothing was written: the file holds something else than what was read from it.
    Changed,
}

/// Writes the text, whole or not at all. What is no regular file, what cannot be compared with what is known of
/// it, and what is write-protected is refused.
pub fn save(path: &Path, text: &str, existing: &Existing) -> Result<Saved, Refusal> {
    let target = Target::find(path)?.regular()?;
    match existing {
        Existing::Refuse if target.exists() => return Ok(Saved::Exists),
        Existing::Unchanged(known) if target.exists() => {
            match disk::read(target.path(), known.len()) {
                Ok(found) if found == known.as_bytes() => {}
                Ok(_) | Err(Refusal::TooLong { .. }) => return Ok(Saved::Changed),
                Err(Refusal::Io(error)) => return Err(Refusal::Unreadable(error)),
                Err(other) => return Err(other),
            }
        }
        Existing::Refuse | Existing::Unchanged(_) | Existing::Replace => {}
    }
    let mut whole = Whole::begin(&target)?;
    whole.file().write_all(text.as_bytes())?;
    whole.commit()?;
    Ok(Saved::Done)
}

/// A system file of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// The file, seen from the folder.
    pub path: PathBuf,
    /// What it says of itself: the values of these keys, empty where they are not written plainly.
    pub title: String,
    /// Where it is from.
    pub source: String,
}

/// The system files of a folder, by name; at most 500.
pub fn list(folder: &Path) -> Vec<Listing> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries
        .take(10_000)
        .map(|entry| PathBuf::from(entry.file_name()))
        .filter(|path| {
            let ending = path.extension().and_then(|ending| ending.to_str());
            matches!(ending, Some("yaml" | "yml"))
        })
        .collect();
    files.sort();
    files.truncate(500);
    let listing = |path: PathBuf| {
        let head = head(&folder.join(&path)).unwrap_or_default();
        Listing {
            title: value(&head, "name: "),
            source: value(&head, "source: "),
            path,
        }
    };
    files.into_iter().map(listing).collect()
}

/// The beginning of a file.
fn head(path: &Path) -> Result<String, Refusal> {
    const HEAD: usize = 4096;
    let bytes = disk::head(path, HEAD)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// What a line says of a key, as YAML reads it; as it stands where that is no YAML.
fn value(text: &str, key: &str) -> String {
    let found = text.lines().find(|line| line.starts_with(key));
    let line = found.unwrap_or_default();
    text_of(line).unwrap_or_else(|| line[key.len().min(line.len())..].trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder of its own, removed at the end.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("holonom-{name}-{}", std::process::id()));
            fs::create_dir_all(&path).unwrap();
            Self(path)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_title_is_told_without_its_quotes() {
        let title = |text: &str| value(text, "name: ");
        assert_eq!(title("name: \"Hello: world\"\n"), "Hello: world");
        assert_eq!(title("name: 'It'\n"), "It");
        assert_eq!(title("name: 'It''s' # mine\n"), "It's");
        assert_eq!(title("name: \"a\\e[31mred \\u00e9\"\n"), "a\u{1b}[31mred é");
        assert_eq!(title("name: \"\n"), "\"");
        assert_eq!(title("coordinates: [x]\n"), "");
    }

    #[test]
    fn saving_never_overwrites_unasked() {
        let folder = Folder::new("save");
        let path = folder.0.join("a.yaml");
        assert_eq!(save(&path, "one", &Existing::Refuse).unwrap(), Saved::Done);
        assert_eq!(
            save(&path, "two", &Existing::Refuse).unwrap(),
            Saved::Exists
        );
        let known = Existing::Unchanged("one".to_owned());
        assert_eq!(save(&path, "two", &known).unwrap(), Saved::Done);
        assert_eq!(save(&path, "three", &known).unwrap(), Saved::Changed);
        assert_eq!(read(&path).unwrap(), "two");
        assert_eq!(
            save(&path, "three", &Existing::Replace).unwrap(),
            Saved::Done
        );
        assert_eq!(read(&path).unwrap(), "three");
        assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 1);
        fs::write(folder.0.join("b.yaml"), "name: A title\nsource: A book\n").unwrap();
        let listed = list(&folder.0);
        assert_eq!(listed[0].path, PathBuf::from("a.yaml"));
        assert_eq!(
            (listed[1].title.as_str(), listed[1].source.as_str()),
            ("A title", "A book")
        );
        assert!(save(&folder.0.join("no/such"), "", &Existing::Refuse).is_err());
    }

    #[test]
    fn a_text_in_another_encoding_is_refused_with_its_place() {
        let folder = Folder::new("latin");
        let path = folder.0.join("a.yaml");
        fs::write(&path, b"name: x\n# M\xfcller\n").unwrap();
        let refused = read(&path).unwrap_err().to_string();
        assert_eq!(
            refused,
            "line 2, column 4 is not UTF-8 text: save it as UTF-8"
        );
    }

    #[cfg(unix)]
    #[test]
    fn permissions_and_links_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = Folder::new("links");
        let path = folder.0.join("a.yaml");
        let link = folder.0.join("b.yaml");
        fs::write(&path, "one").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        symlink(&path, &link).unwrap();
        save(&link, "two", &Existing::Replace).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(read(&path).unwrap(), "two");
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[cfg(unix)]
    #[test]
    fn nothing_is_saved_over_what_cannot_be_compared() {
        use std::os::unix::fs::PermissionsExt;
        let folder = Folder::new("mode");
        let path = folder.0.join("a.yaml");
        fs::write(&path, "one").unwrap();
        let mode = |mode| fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        mode(0o000);
        // whoever may read everything is told that it is write-protected
        let refused = save(&path, "two", &Existing::Unchanged("one".to_owned()));
        assert!(
            matches!(refused, Err(Refusal::Unreadable(_) | Refusal::Protected)),
            "{refused:?}"
        );
        mode(0o444);
        let refused = save(&path, "two", &Existing::Replace);
        assert!(matches!(refused, Err(Refusal::Protected)), "{refused:?}");
        assert_eq!(read(&path).unwrap(), "one");
        assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 1);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn devices_pipes_and_links_to_nothing_are_never_replaced() {
        use std::os::unix::fs::symlink;
        let folder = Folder::new("special");
        let pipe = folder.0.join("pipe.yaml");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        let (device, nothing) = (folder.0.join("zero.yaml"), folder.0.join("b.yaml"));
        symlink("/dev/zero", &device).unwrap();
        symlink("/no/such/file", &nothing).unwrap();
        for existing in [
            Existing::Refuse,
            Existing::Unchanged("one".to_owned()),
            Existing::Replace,
        ] {
            for path in [&pipe, &device, &folder.0] {
                let refused = save(path, "two", &existing);
                assert!(
                    matches!(refused, Err(Refusal::NotRegular | Refusal::Folder)),
                    "{refused:?}"
                );
            }
            let refused = save(&nothing, "two", &existing);
            assert!(matches!(refused, Err(Refusal::DanglingLink)), "{refused:?}");
        }
        for link in [&device, &nothing] {
            assert!(fs::symlink_metadata(link).unwrap().is_symlink());
        }
        assert!(matches!(read(&pipe), Err(Refusal::NotRegular)));
        assert!(matches!(read(&device), Err(Refusal::NotRegular)));
        // regular, and cannot be read at its start
        let refused = save(
            Path::new("/proc/self/mem"),
            "two",
            &Existing::Unchanged("one".to_owned()),
        );
        assert!(
            matches!(refused, Err(Refusal::Unreadable(_))),
            "{refused:?}"
        );
    }

    #[test]
    fn a_save_clears_what_killed_ones_have_left_and_nothing_else() {
        let folder = Folder::new("left");
        let path = folder.0.join("a.yaml");
        // no program has such a number; of another file; of a program that is alive
        let alive = OpenFile::locked(&folder.0.join(".a.yaml.holonom-4194306.tmp"));
        for name in [
            ".a.yaml.holonom-4194305.tmp",
            ".b.yaml.holonom-4194305.tmp",
            ".a.yaml.holonom-recover",
        ] {
            fs::write(folder.0.join(name), "half").unwrap();
        }
        save(&path, "two", &Existing::Refuse).unwrap();
        let mut left: Vec<_> = fs::read_dir(&folder.0)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        let wanted = [
            ".a.yaml.holonom-4194306.tmp",
            ".a.yaml.holonom-recover",
            ".b.yaml.holonom-4194305.tmp",
            "a.yaml",
        ];
        assert_eq!(left, wanted);
        drop(alive);
        // a name as long as a name can be
        let long = folder.0.join("x".repeat(255));
        assert_eq!(save(&long, "two", &Existing::Refuse).unwrap(), Saved::Done);
    }

    /// A temporary file of a program that lives.
    struct OpenFile(#[allow(dead_code)] fs::File);

    impl OpenFile {
        fn locked(path: &Path) -> Self {
            let file = fs::File::create(path).unwrap();
            file.lock().unwrap();
            Self(file)
        }
    }
}
