//! How much of an input is read.
//!
//! In: nothing. Out: [`Limits`]. Invariant: whatever an archive promises about sizes, what counts
//! is what was really read.

/// Bounds on what an import reads and makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Entries in an archive.
    pub entries: u64,
    /// Bytes of one entry, unpacked.
    pub entry_bytes: u64,
    /// Bytes of all entries read, unpacked.
    pub total_bytes: u64,
    /// Unpacked bytes for each packed one, of entries larger than [`Limits::RATIO_FROM`].
    pub ratio: u64,
    /// Bytes of one line or record.
    pub line_bytes: u64,
    /// Bytes of one page of a column, unpacked.
    pub column_page_bytes: u64,
    /// Levels of a recorded tree.
    pub depth: usize,
    /// Nodes of one reconstructed page.
    pub nodes: usize,
    /// Bytes of one reconstructed page.
    pub page_bytes: usize,
}

impl Limits {
    /// Size from which on the ratio of an entry is looked at: a small file of blanks harms nobody.
    pub const RATIO_FROM: u64 = 8 << 20;
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            entries: 200_000,
            entry_bytes: 384 << 20,
            total_bytes: 8 << 30,
            ratio: 400,
            line_bytes: 64 << 20,
            column_page_bytes: 256 << 20,
            depth: 10_000,
            nodes: 1_000_000,
            page_bytes: 128 << 20,
        }
    }
}
