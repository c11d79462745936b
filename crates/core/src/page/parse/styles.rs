//! Where a computed style stands in a capture: its index in the capture contract.
//!
//! Invariant: known when this compiles; a name that is not there does not compile.

use crate::page::capture::COMPUTED_STYLES;

pub(super) const DISPLAY: usize = style("display");
pub(super) const VISIBILITY: usize = style("visibility");
pub(super) const OPACITY: usize = style("opacity");
pub(super) const POSITION: usize = style("position");
pub(super) const OVERFLOW_X: usize = style("overflow-x");
pub(super) const OVERFLOW_Y: usize = style("overflow-y");
pub(super) const CLIP: usize = style("clip");
pub(super) const CLIP_PATH: usize = style("clip-path");
pub(super) const TRANSFORM: usize = style("transform");
pub(super) const POINTER_EVENTS: usize = style("pointer-events");
pub(super) const CURSOR: usize = style("cursor");
pub(super) const COLOUR: usize = style("color");
pub(super) const BACKGROUND_COLOUR: usize = style("background-color");
pub(super) const BACKGROUND_IMAGE: usize = style("background-image");
pub(super) const WHITE_SPACE: usize = style("white-space-collapse");
pub(super) const DIRECTION: usize = style("direction");
pub(super) const CONTENT_VISIBILITY: usize = style("content-visibility");
pub(super) const FILTER: usize = style("filter");

const fn style(name: &str) -> usize {
    let mut index = 0;
    // All names are in lower case; no other comparison of texts is possible when this compiles.
    while !COMPUTED_STYLES[index].eq_ignore_ascii_case(name) {
        index += 1;
    }
    index
}
