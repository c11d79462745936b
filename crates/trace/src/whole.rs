//! Files that appear whole or not at all.
//!
//! In: bytes and a path. Out: a file. Invariants: whoever reads the path finds the file that stood
//! there or the new one, never a part; of several that write at once each writes a file of its own,
//! and one of them stays; what failed leaves nothing behind. Why not a name with the process id:
//! two machines, or two containers, that share a folder may have the same one.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use tempfile::{NamedTempFile, TempPath};

/// Puts a file at a path, in the place of what stands there. What is no regular file, such as a
/// terminal or a pipe, is written to; a link stays one, and access rights stay as they are.
///
/// # Errors
/// That of the file system; what stood there is untouched then.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let stands = match fs::metadata(path) {
        Ok(stands) if !stands.is_file() => return fs::write(path, bytes),
        Ok(stands) => Some(stands.permissions()),
        Err(_) => None,
    };
    let path = if stands.is_some() { fs::canonicalize(path)? } else { path.to_owned() };
    let made = made(&path, bytes)?;
    if let Some(permissions) = stands {
        // Some file systems have none: that keeps nobody from the text.
        let _ = fs::set_permissions(&made, permissions);
    }
    made.persist(&path).map_err(|failed| failed.error)
}

/// Puts a file at a path, in the place of what stands there, as the only program that writes there
/// does it: no look at what that is.
///
/// # Errors
/// That of the file system; what stood there is untouched then.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    made(path, bytes)?.persist(path).map_err(|failed| failed.error)
}

/// Puts a file at a path where nothing is.
///
/// # Errors
/// [`ErrorKind::AlreadyExists`] if something is there, also if another process was faster; others
/// of the file system.
pub fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if fs::symlink_metadata(path).is_ok() {
        return Err(ErrorKind::AlreadyExists.into());
    }
    made(path, bytes)?.persist_noclobber(path).map_err(|failed| failed.error)
}

/// Waits until nobody else has a folder, and has it until the result is dropped: for several files
/// that belong together. None where folders cannot be locked.
///
/// The folder itself is what is locked, so nothing is left in it, and a process that is killed
/// locks nothing.
///
/// # Errors
/// That of the file system, if the folder cannot be opened.
pub fn locked(folder: &Path) -> io::Result<Option<File>> {
    if !cfg!(unix) {
        return Ok(None);
    }
    let folder = File::open(folder)?;
    match folder.lock() {
        Ok(()) => Ok(Some(folder)),
        Err(error) if error.kind() == ErrorKind::Unsupported => Ok(None),
        Err(error) => Err(error),
    }
}

fn made(path: &Path, bytes: &[u8]) -> io::Result<TempPath> {
    let mut file = beside(path, ".tmp")?;
    file.write_all(bytes)?;
    Ok(file.into_temp_path())
}

/// Makes an empty file beside a path, hidden and under a name that nobody else has; it goes when
/// the result is dropped.
pub(crate) fn beside(path: &Path, suffix: &str) -> io::Result<NamedTempFile> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Room for what makes it unique, in names that may have 255 bytes.
    let name: String = path.file_name().unwrap_or_default().to_string_lossy().chars().take(40).collect();
    let name = format!(".{name}.");
    // As any new file is made: who may read it, is the user's to say.
    tempfile::Builder::new().prefix(&name).suffix(suffix).make_in(folder, |at| File::create_new(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn many_may_write_one_file_at_once_and_every_look_finds_a_whole_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        let of = |digit: u8| vec![digit; 300_000];
        write(&path, &of(0)).unwrap();
        std::thread::scope(|scope| {
            for digit in 0..6 {
                let path = &path;
                scope.spawn(move || (0..10).for_each(|_| write(path, &of(digit)).unwrap()));
            }
            for _ in 0..100 {
                let found = fs::read(&path).unwrap();
                assert!(found.len() == 300_000 && found.iter().all(|byte| *byte == found[0]));
            }
        });
        assert_eq!(names(folder.path()), ["a.txt"]);
    }

    #[test]
    fn of_many_that_make_a_new_file_one_is_first_and_the_others_are_told() {
        for _ in 0..20 {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("a.txt");
            let start = std::sync::Barrier::new(8);
            let made: usize = std::thread::scope(|scope| {
                let one = || {
                    start.wait();
                    match write_new(&path, &[7; 100_000]) {
                        Ok(()) => 1,
                        Err(error) => {
                            assert_eq!(error.kind(), ErrorKind::AlreadyExists);
                            0
                        }
                    }
                };
                let threads: Vec<_> = (0..8).map(|_| scope.spawn(one)).collect();
                threads.into_iter().map(|thread| thread.join().unwrap()).sum()
            });
            assert_eq!((made, fs::read(&path).unwrap().len()), (1, 100_000));
            assert_eq!(names(folder.path()), ["a.txt"]);
        }
    }

    #[test]
    fn what_failed_leaves_nothing_and_what_stood_there() {
        let folder = tempfile::tempdir().unwrap();
        let taken = folder.path().join("taken");
        fs::create_dir(&taken).unwrap();
        assert!(write(&taken, b"x").is_err() && replace(&taken, b"x").is_err() && write_new(&taken, b"x").is_err());
        assert!(write(&folder.path().join("none/a.txt"), b"x").is_err());
        assert_eq!(names(folder.path()), ["taken"]);
        let long = folder.path().join("l".repeat(250));
        write(&long, b"x").unwrap();
        assert_eq!(fs::read(&long).unwrap(), b"x");
    }

    #[cfg(unix)]
    #[test]
    fn links_pipes_and_access_rights_stay_what_they_are() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("a.txt"), folder.path().join("link"));
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        std::os::unix::fs::symlink("a.txt", &link).unwrap();
        write(&link, b"new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        write(Path::new("/dev/null"), b"gone").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }
}
