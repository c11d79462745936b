//! How an import is done.

use crate::limits::Limits;
use browserlens_trace::RedactionKey;
use std::path::PathBuf;

/// How an import is done.
#[derive(Clone, Debug)]
pub struct ImportOptions {
    /// Folder of the traces.
    pub out: PathBuf,
    /// Whether traces that stand there are replaced.
    pub force: bool,
    /// Whether pages are rendered anew in Chromium, where the source does not have what strategies
    /// read.
    pub render: bool,
    /// Chromium; looked for in `$CHROME` and on `PATH` if not said.
    pub chrome: Option<PathBuf>,
    /// Pages that are rendered at once.
    pub pages: u32,
    /// A HAR file whose requests go into the traces.
    pub har: Option<PathBuf>,
    /// Licence of the source, as its publisher states it.
    pub licence: String,
    /// Key of the placeholders of secrets.
    pub redaction_key: RedactionKey,
    /// Bounds on what is read.
    pub limits: Limits,
}

impl ImportOptions {
    /// Returns options that write to `out` and leave everything else as it is by default.
    pub fn new(out: impl Into<PathBuf>) -> Self {
        Self {
            out: out.into(),
            force: false,
            render: true,
            chrome: None,
            pages: 2,
            har: None,
            licence: String::new(),
            redaction_key: RedactionKey::Fixed,
            limits: Limits::default(),
        }
    }
}
