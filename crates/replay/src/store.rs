//! The observation store: texts and images by content, so that equal ones are kept once.
//!
//! In: bytes. Out: their hash, and the bytes again. Layout: `ab/cdef…` below a folder; texts are
//! zstd-compressed, images (PNG) stored as they are. A blob is written to a temporary name and
//! renamed, so a killed run leaves no half blob; a blob that is read is checked against its hash.
//! Invariant: equal bytes have equal names on every machine; a blob is never changed.

use crate::error::ReplayError;
use browserlens_trace::whole;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use zstd::bulk::Compressor;

/// Content-addressed blobs below one folder.
#[derive(Clone, Debug)]
pub struct Store {
    root: PathBuf,
    packers: Arc<Packers>,
}

/// Compressors that nobody uses at the moment. Their tables are larger than most texts: as many are
/// made as threads write at once.
#[derive(Default)]
struct Packers(Mutex<Vec<Compressor<'static>>>);

impl std::fmt::Debug for Packers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Packers").finish_non_exhaustive()
    }
}

impl Packers {
    fn pack(&self, text: &[u8]) -> std::io::Result<Vec<u8>> {
        let free = self.lock().pop();
        let mut packer = match free {
            Some(packer) => packer,
            // A quick level: a run writes some thousand texts, and few of them are ever read again.
            None => Compressor::new(1)?,
        };
        let packed = packer.compress(text);
        self.lock().push(packer);
        packed
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Compressor<'static>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a blob holds; texts and images have names that differ, so that no text is taken for an
/// image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Text,
    Image,
}

impl Kind {
    fn extension(self) -> &'static str {
        match self {
            Self::Text => "txt.zst",
            Self::Image => "png",
        }
    }
}

/// Returns the name of some bytes: their BLAKE3 hash in hexadecimal digits.
pub fn content_hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

impl Store {
    /// Opens a store; the folder is made when the first blob is written.
    pub fn open(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), packers: Arc::default() }
    }

    /// Returns the folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    fn path(&self, hash: &str, kind: Kind) -> Option<PathBuf> {
        // Hashes also come from files: nothing else may become a path.
        let valid = hash.len() == 64 && hash.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        valid.then(|| self.root.join(&hash[..2]).join(format!("{}.{}", &hash[2..], kind.extension())))
    }

    fn bad_hash(&self, hash: &str) -> ReplayError {
        ReplayError::Damaged { path: self.root.clone(), reason: format!("{hash:?} is no content hash") }
    }

    /// Stores a text and returns its hash.
    ///
    /// # Errors
    /// [`ReplayError::File`] if it cannot be written.
    pub fn put_text(&self, text: &str) -> Result<String, ReplayError> {
        let hash = content_hash(text.as_bytes());
        let path = self.path(&hash, Kind::Text).ok_or_else(|| self.bad_hash(&hash))?;
        if !path.exists() {
            let packed = self.packers.pack(text.as_bytes()).map_err(ReplayError::file(&path, "compress the text"))?;
            write_atomically(&path, &packed)?;
        }
        Ok(hash)
    }

    /// Stores an image and returns its hash.
    ///
    /// # Errors
    /// [`ReplayError::File`] if it cannot be written.
    pub fn put_image(&self, png: &[u8]) -> Result<String, ReplayError> {
        let hash = content_hash(png);
        let path = self.path(&hash, Kind::Image).ok_or_else(|| self.bad_hash(&hash))?;
        if !path.exists() {
            write_atomically(&path, png)?;
        }
        Ok(hash)
    }

    /// Returns a text.
    ///
    /// # Errors
    /// [`ReplayError::File`] if it is not there, [`ReplayError::Damaged`] if it is not what its
    /// name says.
    pub fn text(&self, hash: &str) -> Result<String, ReplayError> {
        let path = self.path(hash, Kind::Text).ok_or_else(|| self.bad_hash(hash))?;
        let packed = fs::read(&path).map_err(ReplayError::file(&path, "read the text"))?;
        let bytes = zstd::decode_all(&packed[..]).map_err(ReplayError::file(&path, "decompress the text"))?;
        let damaged =
            || ReplayError::Damaged { path: path.clone(), reason: "the text is not what its name says".to_owned() };
        if content_hash(&bytes) != hash {
            return Err(damaged());
        }
        String::from_utf8(bytes).map_err(|_| damaged())
    }

    /// Returns an image, as PNG bytes.
    ///
    /// # Errors
    /// [`ReplayError::File`] if it is not there, [`ReplayError::Damaged`] if it is not what its
    /// name says.
    pub fn image(&self, hash: &str) -> Result<Vec<u8>, ReplayError> {
        let path = self.path(hash, Kind::Image).ok_or_else(|| self.bad_hash(hash))?;
        let png = fs::read(&path).map_err(ReplayError::file(&path, "read the image"))?;
        if content_hash(&png) != hash {
            return Err(ReplayError::Damaged { path, reason: "the image is not what its name says".to_owned() });
        }
        Ok(png)
    }

    /// Returns whether a text is there.
    pub fn has_text(&self, hash: &str) -> bool {
        self.path(hash, Kind::Text).is_some_and(|path| path.exists())
    }

    /// Returns whether an image is there.
    pub fn has_image(&self, hash: &str) -> bool {
        self.path(hash, Kind::Image).is_some_and(|path| path.exists())
    }

    /// Brings blobs of another store into this one, by hard link where the file system can, else by
    /// copy.
    ///
    /// # Errors
    /// [`ReplayError::File`] if one is not there or cannot be written.
    pub fn adopt(&self, from: &Self, texts: &[String], images: &[String]) -> Result<(), ReplayError> {
        let both = texts.iter().map(|hash| (hash, Kind::Text)).chain(images.iter().map(|hash| (hash, Kind::Image)));
        for (hash, kind) in both {
            let (Some(source), Some(target)) = (from.path(hash, kind), self.path(hash, kind)) else {
                return Err(self.bad_hash(hash));
            };
            if target.exists() {
                continue;
            }
            make_parent(&target)?;
            if fs::hard_link(&source, &target).is_err() && !target.exists() {
                let bytes = fs::read(&source).map_err(ReplayError::file(&source, "read the blob"))?;
                write_atomically(&target, &bytes)?;
            }
        }
        Ok(())
    }
}

fn make_parent(path: &Path) -> Result<(), ReplayError> {
    match path.parent() {
        Some(parent) => fs::create_dir_all(parent).map_err(ReplayError::file(parent, "make the folder")),
        None => Ok(()),
    }
}

/// Writes a file so that a reader finds it whole or not at all; its folder is made where it is
/// missing.
///
/// # Errors
/// [`ReplayError::File`] if it cannot be written; nothing is left behind then.
pub(crate) fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), ReplayError> {
    let written = match whole::replace(path, bytes) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            make_parent(path)?;
            whole::replace(path, bytes)
        }
        written => written,
    };
    written.map_err(ReplayError::file(path, "write the file"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_are_kept_once_and_read_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(folder.path());
        let hash = store.put_text("- button \"Go\"").expect("stored");
        assert_eq!(store.put_text("- button \"Go\"").expect("stored"), hash);
        assert_eq!(store.text(&hash).expect("read"), "- button \"Go\"");
        assert!(store.has_text(&hash) && !store.has_image(&hash));
        let image = store.put_image(b"not really a png").expect("stored");
        assert_eq!(store.image(&image).expect("read"), b"not really a png");
    }

    #[test]
    fn a_damaged_or_missing_blob_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(folder.path());
        let hash = store.put_text("whole").expect("stored");
        let path = store.path(&hash, Kind::Text).expect("a path");
        fs::write(&path, zstd::encode_all(&b"other"[..], 3).expect("packed")).expect("written");
        let error = store.text(&hash).expect_err("damaged").to_string();
        assert!(error.contains("not what its name says") && error.contains(&hash[2..]), "{error}");
        assert!(store.text("../../etc/passwd").is_err());
        assert!(matches!(store.image(&hash), Err(ReplayError::File { .. })));
    }

    #[test]
    fn blobs_are_adopted_by_another_store() {
        let folder = tempfile::tempdir().expect("a folder");
        let (one, two) = (Store::open(folder.path().join("one")), Store::open(folder.path().join("two")));
        let text = one.put_text("shared").expect("stored");
        two.adopt(&one, std::slice::from_ref(&text), &[]).expect("adopted");
        fs::remove_dir_all(one.root()).expect("removed");
        assert_eq!(two.text(&text).expect("read"), "shared");
        assert!(two.adopt(&one, &[content_hash(b"absent")], &[]).is_err());
    }
}
