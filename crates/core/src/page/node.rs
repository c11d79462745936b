//! The vocabulary of one node: ids, kinds, states, visibility, boxes.
//!
//! In: nothing; plain types that the parser fills and everything else reads. Invariant: the numeric
//! values of the bit sets and enums are part of the packed format; changing one bumps
//! [`crate::page::PACKED_FORMAT_VERSION`].

use serde::{Deserialize, Serialize};
use std::fmt;

/// Index of a node in its page's arena; arena order is document order across frames and shadow
/// roots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The root of every page.
    pub const ROOT: Self = Self(0);

    /// Returns the index as `usize`.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Ordinal of a frame in its page; 0 is the main frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct FrameId(pub u16);

/// Identity of a node over captures of one recording: frame, document (loader) and backend node id.
///
/// A backend node id alone is not unique across out-of-process frames. All three numbers are the
/// recording's own, assigned in order of first sight, so equal pages get equal keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct NodeKey {
    /// Recording-wide number of the frame.
    pub frame: u32,
    /// Recording-wide number of the document (CDP loader id) in that frame.
    pub loader: u32,
    /// Backend node id, renumbered for the recording.
    pub backend: u32,
}

impl fmt::Display for NodeKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.frame, self.loader, self.backend)
    }
}

impl std::str::FromStr for NodeKey {
    type Err = ();
    fn from_str(text: &str) -> Result<Self, ()> {
        let mut parts = text.split('.').map(|part| part.parse::<u32>().map_err(drop));
        let mut next = || parts.next().unwrap_or(Err(()));
        let key = Self { frame: next()?, loader: next()?, backend: next()? };
        if parts.next().is_some() { Err(()) } else { Ok(key) }
    }
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum NodeKind {
    /// A document: the page's root, or the content of a frame below its `iframe` element.
    Document,
    /// An element.
    Element,
    /// A text node.
    Text,
    /// A pseudo-element with rendered content (`::before`, `::marker`, …); its text is that
    /// content.
    Pseudo,
}

/// A value that can be on, off or in between.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Tri {
    /// Off.
    False,
    /// On.
    True,
    /// Partly on (`aria-checked="mixed"`, an indeterminate checkbox).
    Mixed,
}

/// Declares a set of flags, each with the number of its bit.
#[macro_export]
macro_rules! bit_set {
    ($(#[$meta:meta])* $name:ident : $repr:ty { $($(#[$doc:meta])* $flag:ident = $bit:expr),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
        pub struct $name(pub $repr);

        impl $name {
            $($(#[$doc])* pub const $flag: Self = Self(1 << $bit);)+

            /// The empty set.
            pub const NONE: Self = Self(0);

            /// Returns whether every flag of `other` is set.
            pub fn has(self, other: Self) -> bool {
                self.0 & other.0 == other.0
            }

            /// Returns whether any flag of `other` is set.
            pub fn any(self, other: Self) -> bool {
                self.0 & other.0 != 0
            }

            /// Sets the flags of `other` if `on`.
            pub fn set(&mut self, other: Self, on: bool) {
                if on { self.0 |= other.0 } else { self.0 &= !other.0 }
            }

            /// Returns the flags of both.
            #[must_use]
            pub fn with(self, other: Self) -> Self {
                Self(self.0 | other.0)
            }
        }
    };
}

bit_set! {
    /// States of a node, from the accessibility tree (ARIA) and the DOM.
    States: u32 {
        /// Disabled.
        DISABLED = 0,
        /// Has a checked state (whether on is in `CHECKED` / `CHECKED_MIXED`).
        CHECKABLE = 1,
        /// Checked.
        CHECKED = 2,
        /// Checked: mixed.
        CHECKED_MIXED = 3,
        /// Can be expanded (whether it is, is in `EXPANDED`).
        EXPANDABLE = 4,
        /// Expanded.
        EXPANDED = 5,
        /// Has a selected state.
        SELECTABLE = 6,
        /// Selected.
        SELECTED = 7,
        /// Has a pressed state (toggle button).
        PRESSABLE = 8,
        /// Pressed.
        PRESSED = 9,
        /// Pressed: mixed.
        PRESSED_MIXED = 10,
        /// Required.
        REQUIRED = 11,
        /// Invalid.
        INVALID = 12,
        /// Read-only.
        READONLY = 13,
        /// Has the focus.
        FOCUSED = 14,
        /// Can have the focus.
        FOCUSABLE = 15,
        /// Modal.
        MODAL = 16,
        /// Live region: polite.
        LIVE_POLITE = 17,
        /// Live region: assertive.
        LIVE_ASSERTIVE = 18,
        /// Multi-line (text area).
        MULTILINE = 19,
        /// Multi-selectable.
        MULTISELECTABLE = 20,
        /// Opens a popup (menu, dialog, listbox, …).
        HAS_POPUP = 21,
        /// Busy.
        BUSY = 22,
        /// Editable.
        EDITABLE = 23,
        /// Marks the current item (`aria-current`).
        CURRENT = 24,
        /// Visited or otherwise settable only by the browser; reserved.
        RESERVED = 25,
    }
}

bit_set! {
    /// Why a node can be clicked.
    Clickability: u8 {
        /// Its role is interactive.
        ROLE = 0,
        /// It has a click, mouse or pointer listener.
        LISTENER = 1,
        /// Its computed cursor says that it is pressed or dragged (a pointer, a hand, a cross), and
        /// its parent's does not say the same.
        POINTER = 2,
        /// It is `contenteditable`.
        EDITABLE = 3,
        /// It has a `tabindex` of 0 or more.
        TABINDEX = 4,
        /// It has an `on…` attribute for mouse or key, or is `draggable`.
        HANDLER = 5,
    }
}

bit_set! {
    /// What else is true of a node.
    Flags: u32 {
        /// A `canvas` element.
        CANVAS = 0,
        /// An `iframe` or `frame` element.
        IFRAME = 1,
        /// A host of an open shadow root.
        SHADOW_HOST_OPEN = 2,
        /// A host of a closed shadow root.
        SHADOW_HOST_CLOSED = 3,
        /// Lies in an open shadow tree.
        IN_OPEN_SHADOW = 4,
        /// Lies in a closed shadow tree.
        IN_CLOSED_SHADOW = 5,
        /// A frame whose content CDP did not give.
        OPAQUE = 6,
        /// Ignored by the accessibility tree, or absent from it.
        AX_IGNORED = 7,
        /// Under `aria-hidden`.
        ARIA_HIDDEN = 8,
        /// Lies in the viewport.
        IN_VIEWPORT = 9,
        /// A value that must never be shown (password, one-time code).
        SECRET = 10,
        /// Under an `inert` subtree, or behind an open modal dialog.
        INERT = 11,
        /// A block-level box (starts a line of its own).
        BLOCK = 12,
        /// Slotted: its parent is the slot it is assigned to.
        SLOTTED = 13,
        /// Scrolls its own content.
        SCROLLER = 14,
        /// `pointer-events: none`.
        NO_POINTER_EVENTS = 15,
        /// Text under an opaque element, however one scrolls.
        PAINTED_OVER = 16,
        /// Text in the colour of what is behind it.
        CAMOUFLAGED = 17,
        /// Can be acted on, but another element takes the clicks, however one scrolls.
        COVERED = 18,
        /// A list that draws only a part of its items: the others come as one scrolls.
        PARTIAL = 19,
    }
}

/// Whether a node can be seen, and if not, why not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Visibility {
    /// Rendered with a visible box, or text in one.
    Visible,
    /// Not rendered: `display: none` on it or above it, a closed `details`, or no layout box at
    /// all.
    NotRendered,
    /// `visibility: hidden` or `collapse`.
    Hidden,
    /// `opacity: 0` (or the filter) on it or above it; of text, also no colour, or that of the
    /// element's own background.
    Transparent,
    /// A box without area.
    ZeroSize,
    /// Clipped away (`clip`, `clip-path`, or an ancestor's overflow).
    Clipped,
    /// Placed outside of what scrolling can reach (negative coordinates).
    Unreachable,
}

impl Visibility {
    /// Returns whether the node can be seen (scrolling allowed).
    pub fn is_visible(self) -> bool {
        self == Self::Visible
    }
}

/// A rectangle in CSS px of the main frame's document: origin at the document's top left, not the
/// viewport's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BoxInDocument {
    /// Left edge.
    pub x: f32,
    /// Top edge.
    pub y: f32,
    /// Width.
    pub width: f32,
    /// Height.
    pub height: f32,
}

/// A rectangle in CSS px of the viewport: origin at the viewport's top left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BoxInViewport {
    /// Left edge.
    pub x: f32,
    /// Top edge.
    pub y: f32,
    /// Width.
    pub width: f32,
    /// Height.
    pub height: f32,
}

/// How far a document is scrolled, in CSS px.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScrollOffset {
    /// To the right.
    pub x: f32,
    /// Down.
    pub y: f32,
}

/// How wide a gap between two texts is a blank, as a share of the line's height.
const NARROWEST_BLANK: f32 = 0.12;

impl BoxInDocument {
    /// Returns whether a text stands on one line with the text before it, parted by a margin as wide
    /// as a blank: they are two words, though nothing is between them in the document.
    pub fn is_apart_from(self, before: Self) -> bool {
        let is_line = |a: f32, b: f32| a > 0.0 && a < b * 1.6;
        let least = before.height.min(self.height);
        let gap = (self.x - before.right()).max(before.x - self.right());
        is_line(before.height, self.height)
            && is_line(self.height, before.height)
            && (before.y - self.y).abs() < least / 2.0
            && gap > least * NARROWEST_BLANK
    }

    /// Moves the box into viewport space. Shape: one rectangle; unit: CSS px.
    pub fn to_viewport(self, scroll: ScrollOffset) -> BoxInViewport {
        BoxInViewport { x: self.x - scroll.x, y: self.y - scroll.y, width: self.width, height: self.height }
    }

    /// Returns the area in square CSS px.
    pub fn area(self) -> f32 {
        self.width.max(0.0) * self.height.max(0.0)
    }

    /// Returns whether the box has no area.
    pub fn is_empty(self) -> bool {
        self.area() <= 0.0
    }

    /// Returns the right edge.
    pub fn right(self) -> f32 {
        self.x + self.width
    }

    /// Returns the bottom edge.
    pub fn bottom(self) -> f32 {
        self.y + self.height
    }

    /// Returns the middle of the box, as (x, y).
    pub fn center(self) -> (f32, f32) {
        (self.x + self.width / 2.0, self.y + self.height / 2.0)
    }

    /// Returns what two boxes share; the result may be empty.
    pub fn intersection(self, other: Self) -> Self {
        let x = self.x.max(other.x);
        let y = self.y.max(other.y);
        let width = (self.right().min(other.right()) - x).max(0.0);
        let height = (self.bottom().min(other.bottom()) - y).max(0.0);
        Self { x, y, width, height }
    }

    /// Returns whether `point` lies in the box.
    pub fn contains(self, (x, y): (f32, f32)) -> bool {
        x >= self.x && x < self.right() && y >= self.y && y < self.bottom()
    }

    /// Returns whether `other` lies wholly inside the box, to within `slack` px.
    pub fn contains_box(self, other: Self, slack: f32) -> bool {
        other.x >= self.x - slack
            && other.y >= self.y - slack
            && other.right() <= self.right() + slack
            && other.bottom() <= self.bottom() + slack
    }
}

/// Width and height of the viewport in CSS px, and the device scale.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Viewport {
    /// Width, in CSS px.
    pub width: u32,
    /// Height, in CSS px.
    pub height: u32,
    /// Device pixels per CSS px.
    #[serde(default = "one")]
    pub scale: f32,
}

fn one() -> f32 {
    1.0
}

impl Default for Viewport {
    fn default() -> Self {
        Self { width: 1280, height: 800, scale: 1.0 }
    }
}
