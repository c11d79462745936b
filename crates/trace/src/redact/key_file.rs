//! The user's own key of placeholders: a file of 32 bytes in their configuration.
//!
//! In: its path. Out: the key. Invariants: a key that exists is never replaced, and a new one is
//! readable by its owner alone; it appears whole or not at all, and of several processes that make
//! one at once all use the same.

use super::RedactionKey;
use crate::error::TraceError;
use std::io::{ErrorKind, Write};
use std::path::Path;

impl RedactionKey {
    /// Reads the key of a file, or makes a random one there if the file does not exist.
    ///
    /// # Errors
    /// [`Fault::Io`](crate::Fault::Io) if the file cannot be read or made, or does not hold exactly 32 bytes.
    pub fn load_or_make(path: &Path) -> Result<Self, TraceError> {
        let bytes = match std::fs::read(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                make(path).map_err(TraceError::io(path, "make the redaction key"))?;
                // Read back: another process may have been faster, and then its key counts.
                std::fs::read(path)
            }
            read => read,
        };
        let bytes = bytes.map_err(TraceError::io(path, "read the redaction key"))?;
        let key = <[u8; 32]>::try_from(bytes.as_slice()).map_err(|_| {
            let reason = format!("holds {} bytes, a key has 32", bytes.len());
            TraceError::io(path, "use the redaction key")(std::io::Error::new(ErrorKind::InvalidData, reason))
        })?;
        Ok(Self::Keyed(key))
    }
}

/// Puts a random key at a path where nothing is; does nothing if another process was faster.
fn make(path: &Path) -> std::io::Result<()> {
    let mut key = [0; 32];
    getrandom::fill(&mut key).map_err(std::io::Error::other)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    // Such a file is its owner's alone from the start.
    let mut file = tempfile::Builder::new().prefix(".redaction.key-").tempfile_in(folder)?;
    file.write_all(&key)?;
    // On the disk before it has its name: after a power cut too it is whole or not there.
    file.as_file().sync_all()?;
    match file.persist_noclobber(path) {
        Err(error) if error.error.kind() != ErrorKind::AlreadyExists => Err(error.error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(path: &Path) -> [u8; 32] {
        match RedactionKey::load_or_make(path).unwrap() {
            RedactionKey::Keyed(key) => key,
            RedactionKey::Fixed => panic!("a key file gives a key of its own"),
        }
    }

    #[test]
    fn a_key_is_made_once_and_read_ever_after() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b/redaction.key");
        let made = load(&path);
        assert_ne!(made, [0; 32]);
        assert_eq!(load(&path), made);
    }

    #[test]
    fn a_file_that_is_no_key_is_an_error_and_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("redaction.key");
        std::fs::write(&path, b"short").unwrap();
        let error = RedactionKey::load_or_make(&path).err().unwrap().to_string();
        assert!(error.ends_with("cannot use the redaction key: holds 5 bytes, a key has 32"), "{error}");
        assert_eq!(std::fs::read(&path).unwrap(), b"short");
    }

    #[test]
    fn of_many_who_make_a_key_at_once_all_use_the_same_and_nothing_else_is_left() {
        for _ in 0..50 {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("config/redaction.key");
            let start = std::sync::Barrier::new(16);
            let keys: Vec<[u8; 32]> = std::thread::scope(|scope| {
                let make = || {
                    start.wait();
                    load(&path)
                };
                let threads: Vec<_> = (0..16).map(|_| scope.spawn(make)).collect();
                threads.into_iter().map(|thread| thread.join().unwrap()).collect()
            });
            assert!(keys.iter().all(|key| *key == keys[0]));
            let names = std::fs::read_dir(path.parent().unwrap()).unwrap();
            let names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
            assert_eq!(names, ["redaction.key"]);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_new_key_is_readable_by_its_owner_alone() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("redaction.key");
        RedactionKey::load_or_make(&path).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
