//! The observation store: texts and images by content, so that equal ones are kept once.
//!
//! In: bytes. Out: their hash, and the bytes again. Layout: `ab/cdef…` below a folder; texts are
//! zstd-compressed, images (PNG) stored as they are. A blob is written to a temporary name and
//! renamed, so a killed run leaves no half blob; a blob that is read is checked against its hash.
//! Invariant: equal bytes have equal names on every machine; a blob is never changed.

use crate::error::ReplayError;
use browserlens_core::sync::locked;
use browserlens_trace::whole;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
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

browserlens_core::opaque_debug!(self: Packers {});

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
        locked(&self.0)
    }
}

/// How the names of texts end; those of images end otherwise, so that no text is taken for an image.
const TEXT: &str = "txt.zst";
const IMAGE: &str = "png";

/// Returns the name of some bytes: their BLAKE3 hash in hexadecimal digits.
pub fn content_hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

impl Store {
    /// Opens a store; the folder is made when the first blob is written.
    pub fn open(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), packers: Arc::default() }
    }

    fn path(&self, hash: &str, extension: &str) -> Result<PathBuf, ReplayError> {
        // Hashes also come from files: nothing else may become a path.
        if hash.len() != 64 || !hash.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
            return Err(ReplayError::damaged(&self.root)(format!("{hash:?} is no content hash")));
        }
        Ok(self.root.join(&hash[..2]).join(format!("{}.{extension}", &hash[2..])))
    }

    /// Stores a text and returns its hash.
    ///
    /// # Errors
    /// [`ReplayError::File`] if it cannot be written.
    pub fn put_text(&self, text: &str) -> Result<String, ReplayError> {
        let hash = content_hash(text.as_bytes());
        let path = self.path(&hash, TEXT)?;
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
        let path = self.path(&hash, IMAGE)?;
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
        let path = self.path(hash, TEXT)?;
        let packed = fs::read(&path).map_err(ReplayError::file(&path, "read the text"))?;
        let bytes = zstd::decode_all(&packed[..]).map_err(ReplayError::file(&path, "decompress the text"))?;
        let text = String::from_utf8(bytes).ok().filter(|text| content_hash(text.as_bytes()) == hash);
        text.ok_or_else(|| ReplayError::damaged(&path)("the text is not what its name says"))
    }

    /// Returns an image, as PNG bytes.
    ///
    /// # Errors
    /// [`ReplayError::File`] if it is not there, [`ReplayError::Damaged`] if it is not what its
    /// name says.
    pub fn image(&self, hash: &str) -> Result<Vec<u8>, ReplayError> {
        let path = self.path(hash, IMAGE)?;
        let png = fs::read(&path).map_err(ReplayError::file(&path, "read the image"))?;
        if content_hash(&png) != hash {
            return Err(ReplayError::damaged(&path)("the image is not what its name says"));
        }
        Ok(png)
    }

    /// Returns whether a text is there.
    pub fn has_text(&self, hash: &str) -> bool {
        self.path(hash, TEXT).is_ok_and(|path| path.exists())
    }

    /// Returns whether an image is there.
    pub fn has_image(&self, hash: &str) -> bool {
        self.path(hash, IMAGE).is_ok_and(|path| path.exists())
    }

    /// Brings blobs of another store into this one, by hard link where the file system can, else by
    /// copy.
    ///
    /// # Errors
    /// [`ReplayError::File`] if one is not there or cannot be written.
    pub fn adopt(&self, from: &Self, texts: &[String], images: &[String]) -> Result<(), ReplayError> {
        let both = texts.iter().map(|hash| (hash, TEXT)).chain(images.iter().map(|hash| (hash, IMAGE)));
        for (hash, extension) in both {
            let (source, target) = (from.path(hash, extension)?, self.path(hash, extension)?);
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

/// Reads a file of JSON; `action` says what was tried.
pub(crate) fn read_json<T: DeserializeOwned>(path: &Path, action: &'static str) -> Result<T, ReplayError> {
    let bytes = fs::read(path).map_err(ReplayError::file(path, action))?;
    serde_json::from_slice(&bytes).map_err(ReplayError::damaged(path))
}

/// Returns the JSON of what is to be written to a file.
pub(crate) fn to_json<T: Serialize>(value: &T, path: &Path) -> Result<Vec<u8>, ReplayError> {
    serde_json::to_vec(value).map_err(ReplayError::damaged(path))
}

/// Returns the entries of a folder whose names end so, sorted.
pub(crate) fn files_in(folder: &Path, extension: &str) -> Result<Vec<PathBuf>, ReplayError> {
    let listed = fs::read_dir(folder).and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
    let mut paths: Vec<PathBuf> = listed.map_err(ReplayError::file(folder, "list the folder"))?;
    paths.retain(|path| path.extension().is_some_and(|own| own == extension));
    paths.sort();
    Ok(paths)
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
        let path = store.path(&hash, TEXT).expect("a path");
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
        fs::remove_dir_all(&one.root).expect("removed");
        assert_eq!(two.text(&text).expect("read"), "shared");
        assert!(two.adopt(&one, &[content_hash(b"absent")], &[]).is_err());
    }
}
