//! Loads sqlite-vec, which is linked in, into one connection.
//!
//! In: a connection. Out: the same connection, with the `vec_*` functions and the `vec0` table.
//! Invariant: no other connection of the process changes. The one place of this crate with
//! `unsafe`: an extension is reached by a C function.

use rusqlite::{Connection, ffi};
use std::ffi::{CStr, c_char, c_int};

/// What SQLite calls an extension with. The crate `sqlite-vec` declares its function without
/// arguments.
type Entry = unsafe extern "C" fn(*mut ffi::sqlite3, *mut *mut c_char, *const ffi::sqlite3_api_routines) -> c_int;

/// Registers sqlite-vec with a connection.
#[expect(
    unsafe_code,
    reason = "sqlite-vec is a C library: rusqlite has no safe call for an extension that is linked in"
)]
pub(super) fn register(db: &Connection) -> rusqlite::Result<()> {
    let mut message: *mut c_char = std::ptr::null_mut();
    // SAFETY: `sqlite3_vec_init` has the signature `Entry` in sqlite-vec.c. The handle is open for
    // as long as `db` is borrowed, and used by this thread alone, because `Connection` is not
    // `Sync`. Built with SQLITE_CORE, the function does not read its third argument.
    let code = unsafe {
        let entry = std::mem::transmute::<unsafe extern "C" fn(), Entry>(sqlite_vec::sqlite3_vec_init);
        entry(db.handle(), &raw mut message, std::ptr::null())
    };
    if code == ffi::SQLITE_OK {
        return Ok(());
    }
    let said = (!message.is_null()).then(|| {
        // SAFETY: a message that is not null was made by sqlite3_mprintf: it ends with a zero byte
        // and is ours to free, once.
        unsafe {
            let said = CStr::from_ptr(message).to_string_lossy().into_owned();
            ffi::sqlite3_free(message.cast());
            said
        }
    });
    Err(rusqlite::Error::SqliteFailure(ffi::Error::new(code), said))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_connection_knows_vectors_and_the_others_do_not() {
        let db = Connection::open_in_memory().expect("opens");
        register(&db).expect("registers");
        register(&db).expect("registers twice");
        let version: String = db.query_row("select vec_version()", [], |row| row.get(0)).expect("a version");
        assert_eq!(version, "v0.1.9");
        let other = Connection::open_in_memory().expect("opens");
        assert!(other.query_row("select vec_version()", [], |row| row.get::<_, String>(0)).is_err());
    }
}
