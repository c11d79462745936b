//! The lens over a live browser: observe in full first, then only what changed, and act by the refs
//! that were shown.
//!
//! In: a URL, or the address of a browser that runs. Out:
//! [`Observation`](browserlens_core::strategy::Observation)s, and actions carried out on the node of a
//! ref. Invariants: a [`Session`] is one reader: its shown state, its refs and its position in the
//! events are its own, so that several can look at one page; a ref that it was not shown, whose
//! node is gone, covered or of another document is an error that says which, and nothing was done
//! to that node.
//!
//! ```no_run
//! use browserlens_live::{Action, LiveLens, LiveError};
//! use browserlens_recorder::LiveOptions;
//!
//! # fn main() -> Result<(), LiveError> {
//! let mut lens = LiveLens::open("https://shop.test/", &LiveOptions::default())?;
//! let full = lens.observe()?;
//! assert!(full.text.starts_with("[FULL PAGE STATE"));
//! // An agent reads the refs from the text.
//! lens.act(&Action::Type { reference: "@e5".to_owned(), text: "laptop".to_owned() })?;
//! lens.act(&Action::Click { reference: "@e6".to_owned() })?;
//! let delta = lens.observe()?;
//! println!("{}", delta.text);
//! # Ok(())
//! # }
//! ```

mod action;
mod error;
mod live_lens;
mod session;

pub use action::{Action, DropAt, TabAction};
pub use error::LiveError;
pub use live_lens::LiveLens;
pub use session::{Session, Sight};
