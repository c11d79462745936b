//! What tests of known ways share: the bundled recordings, and the secrets that those do not hold.

use std::path::{Path, PathBuf};

/// Passwords are placeholders in the knowledge; an agent is given them.
pub const SECRETS: [(&str, &str); 2] = [("portal", "quiet-lantern-83"), ("login", "river-otter-58")];

/// The bundled recordings with their variants.
pub fn traces() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces");
    let mut found = Vec::new();
    for folder in [root.clone(), root.join("variants")] {
        let files = std::fs::read_dir(folder).expect("traces").map(|entry| entry.expect("a file").path());
        found.extend(files.filter(|path| path.extension().is_some_and(|extension| extension == "trace")));
    }
    found.sort();
    found
}
