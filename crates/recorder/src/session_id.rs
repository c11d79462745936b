//! Numbers of sessions, and names that a page cannot guess.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// A number that no other session has: of this process, this moment, and how many there were
/// before.
pub(crate) fn new_session(url: &str) -> [u8; 16] {
    static OPENED: AtomicU64 = AtomicU64::new(0);
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let mut hasher = blake3::Hasher::new();
    hasher.update(url.as_bytes());
    hasher.update(&since_epoch.as_nanos().to_le_bytes());
    hasher.update(&std::process::id().to_le_bytes());
    hasher.update(&OPENED.fetch_add(1, Ordering::Relaxed).to_le_bytes());
    let mut session = [0; 16];
    hasher.finalize_xof().fill(&mut session);
    session
}
