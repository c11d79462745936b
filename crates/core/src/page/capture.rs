//! The capture contract: which payloads one capture holds, and what each is.
//!
//! In: nothing; the recorder fills a [`Capture`], the trace stores it. Out: the list of payload
//! kinds and of computed styles that every peer and strategy may rely on. Invariant: text payloads
//! are JSON results of CDP methods in canonical form (see the `trace` crate); a kind or a style is
//! only ever added, never renamed, so older traces stay readable.
//!
//! `DOMSnapshot.captureSnapshot` walks the flat tree: slotted nodes stand in their slot, closed
//! shadow roots are included and marked by `shadowRootType`, browser-internal ones are left out. So
//! one payload holds slot assignment, shadow root types, pseudo-elements, input values, checked and
//! selected states, boxes, paint order, scroll offsets and the text boxes; `DOM.getDocument` would
//! add nothing but its nesting, which CDP itself refuses beyond some 300 levels.

use crate::named;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The computed styles of every layout node, in the order of `captureSnapshot`'s style arrays.
pub const COMPUTED_STYLES: [&str; 32] = [
    "display", "visibility", "opacity", "position", "z-index", "overflow-x", "overflow-y", "clip", "clip-path",
    "transform", "pointer-events", "cursor", "user-select", "color", "background-color", "background-image",
    "font-size", "font-weight", "font-style", "text-transform", "text-decoration-line", "text-overflow",
    "white-space-collapse", "text-wrap-mode", "direction", "writing-mode", "float", "content-visibility",
    "list-style-type", "filter", "appearance", "content",
];

named! {
    /// What a payload is.
    pub enum PayloadKind {
        /// `Page.getFrameTree` of the session: frame ids, loader ids, URLs.
        Frames = "frames",
        /// `DOMSnapshot.captureSnapshot` of the session.
        Snapshot = "snapshot",
        /// `Accessibility.getFullAXTree` of one frame.
        Ax = "ax",
        /// `Page.getLayoutMetrics` of the session.
        Metrics = "metrics",
        /// `DOMDebugger.getEventListeners` of one frame's document, reduced to backend node id and
        /// event types.
        Listeners = "listeners",
        /// What a script in an isolated world read of one frame: [`FrameProbe`].
        Probe = "probe",
        /// PNG of the viewport.
        Screenshot = "screenshot",
        /// PNG of a node outside the viewport that text cannot tell: a canvas, an unlabelled image.
        Crop = "crop",
        /// What changed by itself after the capture: [`SecondLook`].
        SecondLook = "second_look",
    }
}

impl PayloadKind {
    /// Returns whether the body is JSON text (else PNG bytes).
    pub fn is_text(self) -> bool {
        !matches!(self, Self::Screenshot | Self::Crop)
    }
}

/// One payload of a capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payload {
    /// What it is.
    pub kind: PayloadKind,
    /// Recording-wide number of the frame it belongs to: of the session's root frame for `Frames`,
    /// `Snapshot` and `Metrics`, of the frame itself for `Ax`, `Listeners` and `Probe`; 0 for
    /// images of the whole viewport.
    pub frame: u32,
    /// Backend node id (renumbered) for `Crop`; 0 otherwise.
    pub node: u32,
    /// JSON text or PNG bytes.
    pub body: Arc<[u8]>,
}

/// Everything that was read from the browser at one step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Capture {
    /// The payloads, in the order in which they were read.
    pub payloads: Vec<Payload>,
}

impl Capture {
    /// Returns the payloads of a kind.
    pub fn of_kind(&self, kind: PayloadKind) -> impl Iterator<Item = &Payload> {
        self.payloads.iter().filter(move |payload| payload.kind == kind)
    }

    /// Returns the one payload of a kind and frame.
    pub fn get(&self, kind: PayloadKind, frame: u32) -> Option<&Payload> {
        self.of_kind(kind).find(|payload| payload.frame == frame)
    }

    /// Returns whether it holds the DOM and nothing that layout or accessibility tell: of a page
    /// that was imported without being rendered.
    pub fn is_dom_only(&self) -> bool {
        let has = |kind| self.of_kind(kind).next().is_some();
        has(PayloadKind::Snapshot) && !has(PayloadKind::Ax) && !has(PayloadKind::Metrics)
    }

    /// Returns the viewport's screenshot, as PNG bytes.
    pub fn screenshot(&self) -> Option<&Arc<[u8]>> {
        self.of_kind(PayloadKind::Screenshot).map(|payload| &payload.body).next()
    }
}

/// What the collector script read of one frame in an isolated world.
///
/// Elements are named by *path*: child-element indices from the document element, `s` for the step
/// into an open shadow root, joined by `/`; the document element itself is the empty path.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FrameProbe {
    /// `innerText` of the body.
    pub text: String,
    /// Path of the active element; none if the body is active.
    pub active: Option<String>,
    /// Whether the document has the focus.
    pub focused: bool,
    /// Scroll offset of the document, in CSS px.
    pub scroll: (f32, f32),
    /// Paths of indeterminate checkboxes.
    pub indeterminate: Vec<String>,
    /// Number of elements in the document, shadow trees included where open.
    pub elements: u32,
    /// `document.readyState`.
    pub ready_state: String,
    /// `document.documentElement.lang`.
    pub lang: String,
    /// Mutations counted by the frame's observer when the capture began and when it ended; a
    /// difference means *torn*.
    pub mutations: (u64, u64),
}

/// What changed on a page by itself in the ten seconds after a capture: evidence of noise.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SecondLook {
    /// How long the page was left alone, in page milliseconds.
    pub waited_ms: u32,
    /// Nodes that were in both looks, and which of their fields changed, in the order of the first
    /// look.
    #[serde(default)]
    pub changed: Vec<ChangedAlone>,
    /// Keys of nodes that came.
    #[serde(default, with = "keys")]
    pub added: Vec<crate::page::NodeKey>,
    /// Keys of nodes that went.
    #[serde(default, with = "keys")]
    pub removed: Vec<crate::page::NodeKey>,
    /// Nodes in the first look, for the dynamic-content ratio.
    pub nodes: u32,
}

impl SecondLook {
    /// Returns the dynamic-content ratio: share of the first look's nodes that changed, came or
    /// went, in 0..=1.
    pub fn dynamic_ratio(&self) -> f32 {
        if self.nodes == 0 {
            return 0.0;
        }
        let moved = self.changed.len() + self.added.len() + self.removed.len();
        (moved as f32 / self.nodes as f32).min(1.0)
    }

    /// Returns whether nothing changed by itself.
    pub fn is_quiet(&self) -> bool {
        self.changed.is_empty() && self.added.is_empty() && self.removed.is_empty()
    }
}

/// One node that changed by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedAlone {
    /// The node.
    #[serde(with = "key")]
    pub key: crate::page::NodeKey,
    /// Names of the fields: `role`, `name`, `value`, `text`, `states`, `description`.
    pub fields: Vec<String>,
}

/// Keys as texts, such as `1.2.30`.
mod key {
    use crate::page::NodeKey;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(key: &NodeKey, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(key)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<NodeKey, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(|()| D::Error::custom(format!("{text:?} is not a node key (frame.loader.node)")))
    }
}

mod keys {
    use crate::page::NodeKey;
    use serde::{Deserialize, Deserializer, Serializer};

    #[derive(Deserialize)]
    struct Key(#[serde(with = "super::key")] NodeKey);

    pub(super) fn serialize<S: Serializer>(keys: &[NodeKey], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(keys.iter().map(ToString::to_string))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<NodeKey>, D::Error> {
        Ok(Vec::<Key>::deserialize(deserializer)?.into_iter().map(|key| key.0).collect())
    }
}
