//! Where a text comes from and where it goes to: reading and saving.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// The name in the template, which is none yet.
const UNNAMED: &str = "New system";
/// The longest name of a file that is suggested, in characters.
const LONGEST_NAME: usize = 60;
/// Longer files are no systems; a little more than what the system room accepts, so that the
/// message about it comes from there.
const MAX_BYTES: u64 = (256 << 10) + 1;

/// Where the text came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Held in the program under this name; saved as a new file.
    BuiltIn(String),
    /// A file.
    File(PathBuf),
    /// Standard input; saved as a new file.
    Input,
    /// The template; saved as a new file.
    New,
}

/// A text as it is in its file.
#[derive(Clone, Debug, PartialEq, Eq)]
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

    /// What to call it on the screen and in messages: the file's name without its folder.
    pub fn name(&self) -> String {
        match &self.source {
            Source::BuiltIn(name) => name.clone(),
            Source::File(path) => match path.file_name() {
                Some(name) => name.to_string_lossy().into_owned(),
                None => path.to_string_lossy().into_owned(),
            },
            Source::Input => "standard input".to_owned(),
            Source::New => "new system".to_owned(),
        }
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
            Source::File(path) => path.to_string_lossy().into_owned(),
            Source::Input | Source::New => "system.yaml".to_owned(),
        }
    }
}

/// A name as that of a file: `Bead on a wire` is `bead_on_a_wire`.
fn file_name(name: &str) -> String {
    let words = name.split(|c: char| !c.is_alphanumeric());
    let words: Vec<String> = words
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    words.join("_").chars().take(LONGEST_NAME).collect()
}

/// Reads a text; what is not UTF-8 becomes U+FFFD, which no system file may contain unquoted.
pub fn read(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    // looked at before it is opened: opening a pipe may wait for ever
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no file"));
    }
    let file = File::open(path)?;
    file.take(MAX_BYTES).read_to_end(&mut bytes)?;
    Ok(match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    })
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

/// Writes the text to a temporary file beside `path`, makes it durable, and renames it: whatever
/// happens, `path` holds the old text or the new one.
pub fn save(path: &Path, text: &str, existing: &Existing) -> io::Result<Saved> {
    // a link stays a link: its target is replaced
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    match existing {
        Existing::Refuse if path.exists() => return Ok(Saved::Exists),
        Existing::Unchanged(known) => match fs::read(&path) {
            Ok(found) if found != known.as_bytes() => return Ok(Saved::Changed),
            _ => {}
        },
        Existing::Refuse | Existing::Replace => {}
    }
    let temporary = beside(&path, &format!("holonom-{}.tmp", std::process::id()))?;
    let written = write_new(&temporary, text)
        .and_then(|()| match fs::metadata(&path) {
            Ok(metadata) => fs::set_permissions(&temporary, metadata.permissions()),
            Err(_) => Ok(()),
        })
        .and_then(|()| fs::rename(&temporary, &path));
    if let Err(error) = written {
        let _ = fs::remove_file(&temporary);
        return Err(error);
    }
    if let Some(folder) = path.parent()
        && let Ok(folder) = File::open(folder)
    {
        // some file systems know no fsync of a folder; the file itself is safe
        let _ = folder.sync_all();
    }
    Ok(Saved::Done)
}

fn write_new(path: &Path, text: &str) -> io::Result<()> {
    let _ = fs::remove_file(path);
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// `.NAME.ending` in the folder of `path`.
pub fn beside(path: &Path, ending: &str) -> io::Result<PathBuf> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let name = format!(".{}.{ending}", name.to_string_lossy());
    Ok(path.with_file_name(name))
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
fn head(path: &Path) -> io::Result<String> {
    const HEAD: u64 = 4096;
    // what is not a file, such as a pipe, may never give anything
    if !fs::metadata(path)?.is_file() {
        return Ok(String::new());
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(HEAD).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn value(text: &str, key: &str) -> String {
    let found = text.lines().find_map(|line| line.strip_prefix(key));
    found.unwrap_or_default().trim().to_owned()
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
}
