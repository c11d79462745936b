//! The packed pages of a trace: what replay loads instead of parsing JSON.
//!
//! In: a page parsed from a capture. Out: its packed bytes in the cache, keyed by the trace's hash,
//! the step and the packed format. A cache, never evidence: a missing, damaged or older one is
//! rebuilt from the trace. Invariant: what is loaded equals what parsing gives. Uncompressed,
//! because decompression would cost more than reading.

use crate::error::ReplayError;
use crate::store::write_atomically;
use browserlens_core::page::{PACKED_FORMAT_VERSION, Page};
use browserlens_trace::TraceHash;
use std::path::{Path, PathBuf};

/// The packed pages of one trace.
#[derive(Clone, Debug)]
pub struct PackedPages {
    folder: PathBuf,
}

impl PackedPages {
    /// Opens the packed pages of a trace below the cache's folder.
    pub fn open(cache: &Path, trace: TraceHash) -> Self {
        Self { folder: cache.join("pages").join(format!("v{PACKED_FORMAT_VERSION}")).join(trace.to_string()) }
    }

    fn path(&self, step: u32) -> PathBuf {
        self.folder.join(format!("{step:05}.page"))
    }

    /// Loads the page of a step; none if it is not there or cannot be unpacked.
    pub fn load(&self, step: u32) -> Option<Page> {
        Page::unpack(&std::fs::read(self.path(step)).ok()?).ok()
    }

    /// Keeps the page of a step.
    ///
    /// # Errors
    /// [`ReplayError::File`] if it cannot be written.
    pub fn keep(&self, step: u32, page: &Page) -> Result<(), ReplayError> {
        write_atomically(&self.path(step), &page.pack())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use browserlens_core::page::PageBuilder;

    #[test]
    fn a_kept_page_is_loaded_and_a_damaged_one_is_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let pages = PackedPages::open(folder.path(), TraceHash([7; 32]));
        let page = PageBuilder::outline("main\n  button \"Go\"");
        assert!(pages.load(0).is_none());
        pages.keep(0, &page).expect("kept");
        assert_eq!(pages.load(0), Some(page));
        std::fs::write(pages.path(0), b"nothing").expect("written");
        assert!(pages.load(0).is_none());
    }
}
