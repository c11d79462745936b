//! Gaps: what was done between two known actions, where no recording says it.
//!
//! In: a [`Knowledge`](crate::Knowledge). Out: [`ActionGap`]s, and an [`ExtrapolationResult`] with
//! what was inferred, which [`store`] adds. Invariants: other recordings are asked before a
//! language model; what was observed is never changed, only added to; everything that is added is
//! marked as inferred, with how sure it is and why; a step that no recording shows is never sure
//! enough to be stored; an answer of a model is data until every part of it was checked.
//!
//! Which part should I use?
//! - all of it: [`fill_gaps`]
//! - the gaps alone: [`identify`]; one gap from recordings: [`by_recordings`]; one by a model:
//!   [`by_model`]
//! - how well it does: [`recall`]

mod again;
mod alike;
mod answer;
mod evidence;
mod fill;
mod holes;
mod identify;
pub(crate) mod meant;
mod messages;
mod model;
mod recordings;
mod store;
pub(crate) mod values;

/// Whatever answers as a language model would: what [`fill_gaps`] and [`by_model`] ask.
pub use browserlens_llm::Ask;
pub use evidence::FromRecordings;
pub use fill::fill_gaps;
pub use holes::{Hole, HoleCount, MOST_REMOVED, Recall, recall};
pub use identify::identify;
pub use messages::{
    ActionGap, ExtrapolationRequest, ExtrapolationResult, InferredAction, InferredTransition, LEAST_CONFIDENCE,
    MOST_INVENTED, USUAL_CONFIDENCE,
};
pub use model::{PROMPT_VERSION, by_model, request};
pub use recordings::by_recordings;
pub use store::{Stored, store};
