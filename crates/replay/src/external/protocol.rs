//! The messages: one JSON object a line, in both directions.
//!
//! In: nothing; plain types. Out: the schemas in `schema/`, which a test makes of these types.
//! Invariants: a message names its `type`; what the command is sent may gain fields within a
//! version, so that it has to pass over those that it does not know; what the command sends may not
//! hold a field that is not known here, so that a misspelt one is an error and no silence.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Version of the protocol. It changes when a message that was right is right no more.
pub const PROTOCOL: u32 = 1;

/// What the command is sent.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ToCommand {
    /// First, once: answer with `ready`.
    Hello(Hello),
    /// A step of the trace: answer with `observation` or `error`.
    Step(Box<Step>),
    /// The reader asks about the page of the last step: answer with `observation` or
    /// `unanswerable`. Sent only to commands whose `ready` said so.
    Request(Asked),
}

/// What the command sends.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum FromCommand {
    /// Answers `hello`.
    Ready(Ready),
    /// Answers `step` and `request`: what the agent is shown.
    Observation(Observed),
    /// Answers `request`: there is nothing to show.
    Unanswerable(Unanswerable),
    /// Answers `step`: this step cannot be shown. It becomes an error row; the next step is asked
    /// all the same.
    Error(Refusal),
}

/// The handshake.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Hello {
    /// Version of the protocol.
    pub protocol: u32,
    /// Name of the strategy, so that one command can be several.
    pub strategy: String,
    /// The table `options` of its declaration.
    pub options: Map<String, Value>,
    /// What an agent knows before the first step.
    pub task: Task,
    /// A folder of the run's own, empty, removed when the run ends: the place for images of
    /// answers.
    pub folder: String,
}

/// What an agent knows before the first step.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Task {
    /// The goal in the user's words.
    pub goal: String,
    /// Locale, such as `en-US`.
    pub locale: String,
    /// The viewport.
    pub viewport: Viewport,
}

/// Size of the viewport.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Viewport {
    /// Width, in CSS px.
    pub width: u32,
    /// Height, in CSS px.
    pub height: u32,
    /// Device pixels per CSS px.
    pub scale: f32,
}

/// One step.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Step {
    /// Index; 0 is the first navigation. The answer repeats it.
    pub step: u32,
    /// The step before; none at step 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous: Option<Previous>,
    /// The action that led here; none at step 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<Action>,
    /// The page after the action settled.
    pub page: Page,
    /// The viewport as a PNG, where the trace has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub screenshot: Option<Picture>,
    /// Canvases and unlabelled images outside the viewport.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub crops: Vec<Picture>,
    /// What happened since the step before, in order, without bodies and headers of requests.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Event>,
    /// Keys of nodes that changed by themselves after the step *before* this one: clocks,
    /// carousels, advertisements.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changed_alone: Vec<String>,
}

/// The step before.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Previous {
    /// Its index.
    pub step: u32,
    /// Its URL.
    pub url: String,
    /// Its title.
    pub title: String,
    /// Path of its screenshot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub screenshot: Option<String>,
    /// Whether its observation was taken; where not, the agent was not shown it.
    pub shown: bool,
}

/// An action that was carried out.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Action {
    /// `goto`, `click`, `fill`, …
    pub kind: String,
    /// The node in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<Hint>,
    /// What was typed, chosen or pressed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// What went wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// A node in words.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Hint {
    /// Role.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub role: String,
    /// Accessible name.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// An ancestor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within: Option<Box<Self>>,
    /// Which one of several, counted from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nth: Option<u32>,
}

/// An image file and what it shows.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Picture {
    /// Path of the PNG; it is there until the step after the next one.
    pub path: String,
    /// Where its pixels lie.
    pub space: Space,
}

/// Where pixels lie.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Space {
    /// A part of the viewport.
    Viewport(Rect),
    /// A part of the document.
    Document(Rect),
}

/// A rectangle, in CSS px.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rect {
    /// Left edge.
    pub x: f32,
    /// Top edge.
    pub y: f32,
    /// Width.
    pub width: f32,
    /// Height.
    pub height: f32,
}

/// One event beside the page.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Event {
    /// `console`, `request`, `dialog`, `tab` or `download`.
    pub kind: String,
    /// Level of a console message, method of a request, kind of a dialog, what a tab did, state of
    /// a download.
    pub label: String,
    /// Message, or file name.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// URL.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub url: String,
    /// Status of a request; 0 if no response came.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// Why a request failed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub failure: String,
    /// Page time since the recording began, in milliseconds.
    pub at_ms: u64,
}

/// A page as one tree.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Page {
    /// URL of the main document.
    pub url: String,
    /// Its title.
    pub title: String,
    /// How far it is scrolled, in CSS px: right, down.
    pub scroll: [f32; 2],
    /// Width and height of its content, in CSS px.
    pub size: [f32; 2],
    /// Every node in document order, frames and shadow roots in place; the first is the root.
    /// Fields without a value are left out.
    pub nodes: Vec<Node>,
}

fn is_false(value: &bool) -> bool {
    !value
}

/// A node.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Node {
    /// Identity over the steps of the trace: what refs of observations name.
    pub key: String,
    /// Place of its parent in `nodes`; none for the root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<u32>,
    /// `document`, `element`, `text` or `pseudo`.
    pub kind: NodeKind,
    /// Tag in lower case; `#text`, `#document` or `::before` for other kinds.
    pub tag: String,
    /// Role in the accessibility tree.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub role: String,
    /// Accessible name.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Accessible description.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Value of a field; never that of a secret one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub value: String,
    /// Whether a field holds a value, secret ones included.
    #[serde(skip_serializing_if = "is_false")]
    pub filled: bool,
    /// Own text of a text node or pseudo-element, as rendered.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// `disabled`, `checked`, `unchecked`, `mixed`, `expanded`, `collapsed`, `selected`, `pressed`,
    /// `required`, `invalid`, `readonly`, `focused`, `modal`, `busy`, `current`, …
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub states: Vec<&'static str>,
    /// Level of a heading.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<u8>,
    /// Whether it can be seen, scrolling allowed.
    #[serde(skip_serializing_if = "is_false")]
    pub visible: bool,
    /// Whether it lies in the viewport.
    #[serde(skip_serializing_if = "is_false")]
    pub in_viewport: bool,
    /// Whether an agent can act on it: interactive by role, listener, pointer or editing, and able
    /// to take input.
    #[serde(skip_serializing_if = "is_false")]
    pub interactive: bool,
    /// Whether another element takes its clicks, however one scrolls.
    #[serde(skip_serializing_if = "is_false")]
    pub covered: bool,
    /// Whether the accessibility tree ignores it.
    #[serde(skip_serializing_if = "is_false")]
    pub ignored: bool,
    /// Bounding box in the document, in CSS px: x, y, width, height.
    #[serde(rename = "box", skip_serializing_if = "Option::is_none")]
    pub bounds: Option<[f32; 4]>,
    /// Order of painting.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paint_order: Option<u32>,
    /// Attributes that were captured.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub attributes: BTreeMap<String, String>,
}

/// What a node is.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NodeKind {
    /// A document.
    Document,
    /// An element.
    Element,
    /// A text node.
    Text,
    /// A pseudo-element with rendered content.
    Pseudo,
}

/// A request of the reader.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Asked {
    /// The step whose page it is about. The answer repeats it.
    pub step: u32,
    /// What is asked.
    pub request: Request,
}

/// What the reader may ask for.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Request {
    /// What an elided mark stands for.
    Expand {
        /// The handle as written.
        handle: String,
    },
    /// More of a list or a cut text, counted from 1.
    More {
        /// The handle as written.
        handle: String,
        /// First item.
        from: u32,
        /// Last item.
        to: u32,
    },
    /// A section by its heading or landmark.
    Section {
        /// Its name.
        name: String,
    },
    /// What matches words.
    Query {
        /// The words.
        text: String,
    },
}

/// The command's part of the handshake.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ready {
    /// Version of the protocol that the command speaks.
    pub protocol: u32,
    /// Version of what the command writes; where the declaration gives one too, both must be equal.
    #[serde(default)]
    pub version: Option<String>,
    /// Whether it answers requests; where not, none is sent.
    #[serde(default)]
    pub requests: bool,
}

/// What the agent is shown.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Observed {
    /// The step that was asked about.
    pub step: u32,
    /// The text, in the format of the declaration.
    pub text: String,
    /// Whether the text stands alone (`full`) or changes what was shown before (`delta`).
    #[serde(default)]
    pub kind: Kind,
    /// Why it is full, in words.
    #[serde(default)]
    pub reason: String,
    /// What the handles in the text mean: the handle as written, the `key` of a node of this step's
    /// page. Never shown; without it success is judged by words alone.
    #[serde(default)]
    pub refs: BTreeMap<String, String>,
    /// The images, at most 16.
    #[serde(default)]
    pub images: Vec<Image>,
    /// Name of the representation, if there was a choice.
    #[serde(default)]
    pub representation: Option<String>,
}

/// Whether an observation stands alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// It stands alone.
    #[default]
    Full,
    /// It changes what was shown before.
    Delta,
}

/// An image of an answer.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Image {
    /// Path of a PNG in the folder of the run: a path that was sent, or a file that the command
    /// wrote there.
    pub path: String,
    /// Where its pixels lie.
    pub space: Space,
}

/// Says that there is nothing to show.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Unanswerable {
    /// The step that was asked about.
    pub step: u32,
    /// Why.
    #[serde(default)]
    pub reason: String,
}

/// Says that a step cannot be shown.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Refusal {
    /// The step that was asked about.
    pub step: u32,
    /// Why.
    pub message: String,
}

/// Returns the published schemas: each file of the folder `schema` with its document.
pub fn schemas() -> [(&'static str, Value); 3] {
    fn schema<T: JsonSchema>() -> Value {
        SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>().to_value()
    }
    [
        ("to-command.json", schema::<ToCommand>()),
        ("from-command.json", schema::<FromCommand>()),
        ("page.json", schema::<Page>()),
    ]
}
