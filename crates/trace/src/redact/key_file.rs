//! The user's own key of placeholders: a file of 32 bytes in their configuration.
//!
//! In: its path. Out: the key. Invariant: a key that exists is never replaced, and a new one is readable by its owner alone.

use super::RedactionKey;
use crate::error::TraceError;
use std::io::{ErrorKind, Write};
use std::path::Path;

impl RedactionKey {
    /// Reads the key of a file, or makes a random one there if the file does not exist.
    ///
    /// # Errors
    /// [`TraceError::Io`] if the file cannot be read or made, or does not hold exactly 32 bytes.
    pub fn load_or_make(path: &Path) -> Result<Self, TraceError> {
        match std::fs::read(path) {
            Ok(bytes) => {
                let key = <[u8; 32]>::try_from(bytes.as_slice()).map_err(|_| {
                    let reason = format!("holds {} bytes, a key has 32", bytes.len());
                    TraceError::io(path, "use the redaction key")(std::io::Error::new(ErrorKind::InvalidData, reason))
                })?;
                Ok(Self::Keyed(key))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                make(path).map_err(TraceError::io(path, "make the redaction key"))
            }
            Err(error) => Err(TraceError::io(path, "read the redaction key")(error)),
        }
    }
}

fn make(path: &Path) -> std::io::Result<RedactionKey> {
    let mut key = [0; 32];
    getrandom::fill(&mut key).map_err(std::io::Error::other)?;
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)?.write_all(&key)?;
    Ok(RedactionKey::Keyed(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_made_once_and_read_ever_after() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b/redaction.key");
        let load = || match RedactionKey::load_or_make(&path).unwrap() {
            RedactionKey::Keyed(key) => key,
            RedactionKey::Fixed => panic!("a key file gives a key of its own"),
        };
        let made = load();
        assert_ne!(made, [0; 32]);
        assert_eq!(load(), made);
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
}
