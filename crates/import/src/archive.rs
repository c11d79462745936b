//! A zip archive or a folder, read entry by entry.
//!
//! In: a path. Out: entries by name. Invariants: nothing is unpacked to disk, so no name can lead
//! anywhere; names that would (absolute, with `..`, with a drive) are refused all the same, because
//! whoever made them meant harm; sizes and ratios are those of what was really read.

use crate::error::ImportError;
use crate::limits::Limits;
use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Component, Path, PathBuf};

/// Levels of folders that are looked into.
const MOST_LEVELS: usize = 8;

/// What a zip file is read from.
trait Source: Read + Seek + Send {}

impl<T: Read + Seek + Send> Source for T {}

enum Container {
    /// Entries of a zip file, by name.
    Zip(Box<zip::ZipArchive<Box<dyn Source>>>),
    /// Files of a folder.
    Folder,
}

/// An archive that is open.
pub(crate) struct Archive {
    path: PathBuf,
    place: Container,
    /// Names, and where each is: index in the zip file.
    names: BTreeMap<String, usize>,
    limits: Limits,
    /// Bytes of all entries that were read, each counted once: pages of one recording load the same
    /// files again and again.
    read: u64,
    counted: HashSet<usize>,
}

browserlens_core::opaque_debug!(self: Archive { path: self.path, names: self.names.len() });

impl Archive {
    pub(crate) fn open(path: &Path, limits: Limits) -> Result<Self, ImportError> {
        let mut names = BTreeMap::new();
        if path.is_dir() {
            list(path, path, 0, &limits, &mut names)?;
            let place = Container::Folder;
            return Ok(Self { path: path.to_owned(), place, names, limits, read: 0, counted: HashSet::new() });
        }
        let mut file = File::open(path).map_err(ImportError::io(path, "open the file"))?;
        check_count(path, &mut file, &limits)?;
        Self::from_source(path, Box::new(BufReader::new(file)), limits)
    }

    /// Opens a zip file that is in memory.
    pub(crate) fn from_bytes(path: &Path, bytes: Vec<u8>, limits: Limits) -> Result<Self, ImportError> {
        Self::from_source(path, Box::new(std::io::Cursor::new(bytes)), limits)
    }

    fn from_source(path: &Path, source: Box<dyn Source>, limits: Limits) -> Result<Self, ImportError> {
        let mut names = BTreeMap::new();
        let zip = zip::ZipArchive::new(source).map_err(|error| no_zip(path, &error))?;
        if zip.len() as u64 > limits.entries {
            return Err(ImportError::too_large(path, "the archive", "its number of entries", limits.entries));
        }
        for index in 0..zip.len() {
            let Some(Ok(name)) = zip.name_for_index(index) else {
                return Err(ImportError::malformed(path, format!("entry {}", index + 1), "its name cannot be read"));
            };
            let bad = |reason: &str| Err(ImportError::malformed(path, format!("entry {name:?}"), reason));
            if !is_safe(&name) {
                return bad("its name leads out of the archive");
            }
            if name.ends_with('/') {
                continue;
            }
            if names.insert(name.to_string(), index).is_some() {
                return bad("it is there twice");
            }
        }
        let place = Container::Zip(Box::new(zip));
        Ok(Self { path: path.to_owned(), place, names, limits, read: 0, counted: HashSet::new() })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the names of all entries, in order.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.keys().map(String::as_str)
    }

    /// Reads an entry whole; none if it is not there.
    pub(crate) fn read(&mut self, name: &str) -> Result<Option<Vec<u8>>, ImportError> {
        let Some(index) = self.names.get(name).copied() else { return Ok(None) };
        let is_new = !self.counted.contains(&index);
        let left = if is_new { self.limits.total_bytes.saturating_sub(self.read) } else { u64::MAX };
        let limit = self.limits.entry_bytes.min(left);
        let place = || format!("entry {name:?}");
        let mut bytes = Vec::new();
        match &mut self.place {
            Container::Folder => {
                let path = self.path.join(name);
                let file = File::open(&path).map_err(ImportError::io(&path, "open the file"))?;
                file.take(limit + 1).read_to_end(&mut bytes).map_err(ImportError::io(&path, "read the file"))?;
            }
            Container::Zip(zip) => {
                let path = &self.path;
                let mut entry = zip
                    .by_index(index)
                    .map_err(|error| ImportError::malformed(path, place(), format!("it cannot be read: {error}")))?;
                let most = entry.compressed_size().saturating_mul(self.limits.ratio).max(Limits::RATIO_FROM);
                (&mut entry).take(limit.min(most) + 1).read_to_end(&mut bytes).map_err(|error| {
                    ImportError::malformed(path, place(), format!("it cannot be unpacked: {error}"))
                })?;
                if bytes.len() as u64 > most {
                    return Err(ImportError::too_large(path, place(), "its ratio of compression", self.limits.ratio));
                }
            }
        }
        if bytes.len() as u64 > limit {
            return Err(ImportError::too_large(&self.path, place(), "its size", limit));
        }
        if self.counted.insert(index) {
            self.read += bytes.len() as u64;
        }
        Ok(Some(bytes))
    }
}

/// Refuses an archive whose end promises too many entries, before their list is read into memory.
fn check_count(path: &Path, file: &mut (impl Read + Seek), limits: &Limits) -> Result<(), ImportError> {
    /// The last record, with the longest comment, and the one before it that large archives have.
    const TAIL: u64 = 22 + 65_535 + 20 + 56;
    let failed = ImportError::io(path, "read the file");
    let mut tail = Vec::new();
    let read = file.seek(SeekFrom::End(0)).and_then(|length| {
        file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
        file.take(TAIL).read_to_end(&mut tail)?;
        file.rewind()
    });
    read.map_err(failed)?;
    let number = |at: usize, bytes: usize| {
        let bytes = tail.get(at..at + bytes)?;
        Some(bytes.iter().rev().fold(0_u64, |number, byte| number << 8 | u64::from(*byte)))
    };
    let records = memchr::memmem::find_iter(&tail, b"PK\x05\x06").filter_map(|at| number(at + 10, 2));
    let large = memchr::memmem::find_iter(&tail, b"PK\x06\x06").filter_map(|at| number(at + 32, 8));
    // 65,535 means that the other record tells.
    let most = records.filter(|count| *count != 0xffff).chain(large).max().unwrap_or(0);
    if most > limits.entries {
        return Err(ImportError::too_large(path, "the archive", "its number of entries", limits.entries));
    }
    Ok(())
}

/// Lists the files below a folder; links are not followed.
fn list(
    root: &Path,
    folder: &Path,
    level: usize,
    limits: &Limits,
    names: &mut BTreeMap<String, usize>,
) -> Result<(), ImportError> {
    if level > MOST_LEVELS {
        return Ok(());
    }
    for entry in std::fs::read_dir(folder).map_err(ImportError::io(folder, "list the folder"))? {
        let entry = entry.map_err(ImportError::io(folder, "list the folder"))?;
        let kind = entry.file_type().map_err(ImportError::io(folder, "list the folder"))?;
        let path = entry.path();
        if kind.is_dir() {
            list(root, &path, level + 1, limits, names)?;
        } else if kind.is_file()
            && let Some(name) = path.strip_prefix(root).ok().and_then(Path::to_str)
        {
            if names.len() as u64 >= limits.entries {
                return Err(ImportError::too_large(root, "the folder", "its number of files", limits.entries));
            }
            names.insert(name.replace('\\', "/"), names.len());
        }
    }
    Ok(())
}

/// Returns whether a name stays below where it stands.
fn is_safe(name: &str) -> bool {
    let plain = |component| matches!(component, Component::Normal(_) | Component::CurDir);
    !name.is_empty()
        && !name.contains(['\\', '\0'])
        && name.as_bytes().get(1) != Some(&b':')
        && Path::new(name).components().all(plain)
}

fn no_zip(path: &Path, error: &zip::result::ZipError) -> ImportError {
    let mut head = [0; 2];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut head));
    let is_pickle = read.is_ok() && head[0] == 0x80 && (2..=5).contains(&head[1]);
    if is_pickle || path.extension().is_some_and(|extension| extension == "pkl") {
        return ImportError::Pickle(path.to_owned());
    }
    ImportError::malformed(path, "the archive", format!("it cannot be read as a zip file: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn zipped(entries: &[(&str, &[u8])]) -> tempfile::NamedTempFile {
        let mut file = tempfile::NamedTempFile::new().expect("a file");
        let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        for (name, bytes) in entries {
            zip.start_file(*name, zip::write::SimpleFileOptions::default()).expect("starts");
            zip.write_all(bytes).expect("writes");
        }
        file.write_all(zip.finish().expect("finishes").get_ref()).expect("writes");
        file
    }

    #[test]
    fn names_that_lead_out_are_refused() {
        for name in ["../x", "/etc/passwd", "a/../../x", "C:\\x", "a\\..\\x"] {
            assert!(!is_safe(name), "{name}");
        }
        assert!(is_safe("resources/a..b") && is_safe("./trace.trace") && is_safe("a/b"));
        let error = Archive::open(zipped(&[("../x", b"y")]).path(), Limits::default()).expect_err("refused");
        assert!(error.to_string().contains("leads out of the archive"), "{error}");
    }

    #[test]
    fn a_bomb_is_refused_before_it_is_unpacked() {
        let blanks = vec![b' '; 20 << 20];
        let file = zipped(&[("bomb", &blanks)]);
        let mut archive = Archive::open(file.path(), Limits::default()).expect("opens");
        let error = archive.read("bomb").expect_err("refused");
        assert!(error.to_string().contains("ratio"), "{error}");
        let mut archive = Archive::open(file.path(), Limits { entry_bytes: 100, ..Limits::default() }).expect("opens");
        assert!(archive.read("bomb").expect_err("refused").to_string().contains("its size"));
        let small = zipped(&[("a", b"12345678"), ("b", b"12345678")]);
        let mut archive = Archive::open(small.path(), Limits { total_bytes: 10, ..Limits::default() }).expect("opens");
        assert_eq!(archive.read("a").expect("fits").expect("is there").len(), 8);
        assert!(archive.read("b").is_err() && archive.read("c").expect("no error").is_none());
        // What was read once may be read again.
        assert!(archive.read("a").expect("fits").is_some() && archive.read("a").expect("fits").is_some());
    }

    #[test]
    fn an_archive_of_too_many_entries_is_refused_before_they_are_listed() {
        let names: Vec<String> = (0..30).map(|number| number.to_string()).collect();
        let entries: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b"x"[..])).collect();
        let limits = Limits { entries: 20, ..Limits::default() };
        let error = Archive::open(zipped(&entries).path(), limits).expect_err("too many");
        assert!(error.to_string().contains("its number of entries is over the limit of 20"), "{error}");
        let folder = tempfile::tempdir().expect("a folder");
        names.iter().for_each(|name| std::fs::write(folder.path().join(name), "x").expect("writes"));
        let error = Archive::open(folder.path(), limits).expect_err("too many");
        assert!(error.to_string().contains("its number of files is over the limit of 20"), "{error}");
    }

    #[test]
    fn a_truncated_or_foreign_file_says_what_it_is_not() {
        let whole = std::fs::read(zipped(&[("a", &[7; 5000])]).path()).expect("reads");
        let mut file = tempfile::NamedTempFile::new().expect("a file");
        file.write_all(&whole[..whole.len() / 2]).expect("writes");
        let error = Archive::open(file.path(), Limits::default()).expect_err("truncated");
        assert!(error.to_string().contains("zip"), "{error}");
        let mut pickle = tempfile::NamedTempFile::new().expect("a file");
        pickle.write_all(&[0x80, 4, b'c']).expect("writes");
        let error = Archive::open(pickle.path(), Limits::default()).expect_err("a pickle");
        assert!(matches!(error, ImportError::Pickle { .. }) && error.hint().contains("browsergym"));
    }
}
