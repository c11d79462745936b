//! A fast look at the current tab, for live observation: what a page is parsed from, without listeners' code, pixels and the accessibility
//! tree's JSON.
//!
//! In: the driver. Out: a [`Look`] whose accessibility payloads were made from what a script in an isolated world read: Chromium's own role
//! and accessible name of each element (`computedRole`, `computedName`), and the states as its tree reads them. Elements are joined with the
//! snapshot by their place in the flat tree, which both walk; where the two do not agree (closed shadow roots) or the browser lacks
//! the feature (one that somebody else started), that frame's tree is asked for over the protocol.
//! Invariant: everything else is the snapshot itself, so that a page of a fast look differs from a whole one's in no box, style or text.
//! `Accessibility.enable` must be in force: without it each `computedRole` builds the tree anew.

use crate::driver::Driver;
use crate::live::new_session;
use crate::look::{LOOK_LIMIT, Look, LookedFrame, RawPayload};
use crate::messages::FrameTree;
use crate::mirror::{Changes, Described, Heard, Mirror};
use crate::socket::{CallError, Pending, Reply};
use browserlens_page::PayloadKind;
use browserlens_page::capture::COMPUTED_STYLES;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Instant;

/// What is known of the tab from one fast look to the next.
#[derive(Debug, Default)]
pub(crate) struct FastState {
    /// Own worlds by session, frame and document.
    worlds: HashMap<(String, String, String), i64>,
    /// Sessions whose accessibility tree is kept up, so that reading roles is cheap.
    enabled: HashSet<String>,
    /// Sessions of a browser without `computedRole`.
    without: HashSet<String>,
    /// What each frame said of itself at the last look, by session and frame.
    stamps: BTreeMap<(String, String), String>,
    /// The page as it was read last, where what changes can be written into it.
    mirror: Option<Mirror>,
    /// Document of which that cannot be done.
    unkept: Option<String>,
    /// Whether another kind of look was taken since.
    elsewhere: bool,
    /// Name of our worlds, once there is one: one world by one name is shared by all who look at a page, and what one has read of what
    /// changed the other would not be told.
    world_name: Option<String>,
    /// How the last fast look came about.
    pub(crate) way: LookWay,
}

/// How a fast look came about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum LookWay {
    /// The page was read whole; why, where it had been read before.
    #[default]
    Whole,
    /// The same, after what changed could not be told apart.
    Again(String),
    /// What changed was read, and written into what was known.
    Patched,
    /// Nothing had changed.
    Unchanged,
}

impl FastState {
    /// Says that the page was looked at by other means.
    pub(crate) fn forget(&mut self) {
        self.stamps.clear();
        self.elsewhere = true;
    }

    fn world_name(&mut self) -> &str {
        self.world_name.get_or_insert_with(|| {
            let [a, b, c, d, ..] = new_session("world");
            format!("browserlens-{:08x}", u32::from_le_bytes([a, b, c, d]))
        })
    }

    /// Forgets what the last fast look saw: the next reads the page whole.
    pub(crate) fn forget_all(&mut self) {
        self.stamps.clear();
        self.mirror = None;
    }
}

/// What was found before a page is read.
pub(crate) enum Found {
    /// Nothing changed.
    Same,
    /// Read so far as it changed.
    Look(Box<Look>),
    /// It must be read whole.
    Unknown,
}

/// States in the order of the script's bits, with the name of the property.
const STATES: [&str; 24] = [
    "disabled",
    "",
    "checked",
    "",
    "",
    "pressed",
    "",
    "",
    "expanded",
    "",
    "selected",
    "required",
    "invalid",
    "readonly",
    "focused",
    "focusable",
    "modal",
    "multiline",
    "multiselectable",
    "hasPopup",
    "busy",
    "editable",
    "",
    "",
];
const CHECKABLE: u32 = 1 << 1;
const CHECKED: u32 = 1 << 2;
const CHECKED_MIXED: u32 = 1 << 3;
const PRESSABLE: u32 = 1 << 4;
const PRESSED: u32 = 1 << 5;
const PRESSED_MIXED: u32 = 1 << 6;
const EXPANDABLE: u32 = 1 << 7;
const EXPANDED: u32 = 1 << 8;
const SELECTABLE: u32 = 1 << 9;
const SELECTED: u32 = 1 << 10;
const LIVE_POLITE: u32 = 1 << 22;
const LIVE_ASSERTIVE: u32 = 1 << 23;

/// What the script read of one frame.
#[derive(Deserialize)]
struct Collected<'a> {
    count: usize,
    hash: i32,
    #[serde(borrow)]
    rows: Vec<Row<'a>>,
    /// Which of the frame elements the tree leaves out.
    hidden: Vec<usize>,
}

/// Index, role, name, description, value, states, level.
#[derive(Deserialize)]
struct Row<'a>(
    usize,
    #[serde(borrow)] Cow<'a, str>,
    #[serde(borrow)] Cow<'a, str>,
    #[serde(borrow)] Cow<'a, str>,
    #[serde(borrow)] Cow<'a, str>,
    u32,
    u32,
);

impl Row<'_> {
    fn heard(&self) -> (usize, Heard) {
        let Self(index, role, name, description, value, bits, level) = self;
        let owned = |text: &str| text.to_owned();
        let (role, name, description, value) = (owned(role), owned(name), owned(description), owned(value));
        (*index, Heard { role, name, description, value, bits: *bits, level: *level })
    }
}

/// What the script says of the nodes that it keeps.
#[derive(Deserialize)]
struct Kept {
    count: usize,
    hash: i32,
}

/// What of a snapshot tells which backend node id the elements have, in order.
#[derive(Deserialize)]
struct Order<'a> {
    documents: Vec<OrderedDocument>,
    #[serde(borrow)]
    strings: Vec<Cow<'a, str>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OrderedDocument {
    #[serde(default)]
    frame_id: i64,
    nodes: OrderedNodes,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OrderedNodes {
    node_type: Vec<i64>,
    node_name: Vec<i64>,
    backend_node_id: Vec<i64>,
    #[serde(default)]
    content_document_index: Contents,
}

/// Which nodes hold which documents of the snapshot.
#[derive(Default, Deserialize)]
struct Contents {
    #[serde(default)]
    index: Vec<usize>,
    #[serde(default)]
    value: Vec<usize>,
}

/// Backend node ids of a frame's elements in flat-tree order, and the hash of their names.
struct Elements {
    backends: Vec<i64>,
    hash: i32,
    /// Those of them that hold frames.
    holders: Vec<i64>,
    /// The element that holds this frame, where it is in the same process.
    held_by: Option<i64>,
}

impl Order<'_> {
    fn of_frame(&self, frame: &str) -> Option<Elements> {
        let name = |index: i64| usize::try_from(index).ok().and_then(|index| self.strings.get(index)).map(Cow::as_ref);
        let at = self.documents.iter().position(|document| name(document.frame_id) == Some(frame))?;
        let nodes = &self.documents[at].nodes;
        let held_by = self.documents.iter().find_map(|document| {
            let holders = &document.nodes.content_document_index;
            let held = holders.value.iter().position(|held| *held == at)?;
            document.nodes.backend_node_id.get(*holders.index.get(held)?).copied()
        });
        let backends = Vec::with_capacity(nodes.node_type.len());
        let mut found = Elements { backends, hash: 0, holders: Vec::new(), held_by };
        for ((kind, called), backend) in nodes.node_type.iter().zip(&nodes.node_name).zip(&nodes.backend_node_id) {
            let called = name(*called).unwrap_or("");
            if *kind != 1 || called.starts_with("::") {
                continue;
            }
            let first = called.chars().next().map_or(0, |first| first.to_ascii_lowercase() as i32);
            let length = called.encode_utf16().count() as i32;
            found.hash = found.hash.wrapping_mul(31).wrapping_add(length.wrapping_mul(131)).wrapping_add(first);
            found.backends.push(*backend);
            if called.eq_ignore_ascii_case("iframe") || called.eq_ignore_ascii_case("frame") {
                found.holders.push(*backend);
            }
        }
        Some(found)
    }
}

#[derive(Serialize)]
struct AxOut<'a> {
    nodes: Vec<AxNodeOut<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AxNodeOut<'a> {
    node_id: String,
    ignored: bool,
    role: ValueOut<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<ValueOut<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<ValueOut<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<ValueOut<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    properties: Vec<PropertyOut>,
    #[serde(rename = "backendDOMNodeId")]
    backend: i64,
}

impl<'a> AxNodeOut<'a> {
    fn of(index: usize, backend: i64, [role, name, description, value]: [&'a str; 4], bits: u32, level: u32) -> Self {
        let text = |text: &'a str| (!text.is_empty()).then_some(ValueOut { value: text });
        Self {
            node_id: index.to_string(),
            ignored: false,
            role: ValueOut { value: role },
            name: text(name),
            description: text(description),
            value: text(value),
            properties: properties(bits, level),
            backend,
        }
    }
}

#[derive(Serialize)]
struct ValueOut<'a> {
    value: &'a str,
}

#[derive(Serialize)]
struct PropertyOut {
    name: &'static str,
    value: Value,
}

fn property(name: &'static str, value: impl Into<Value>) -> PropertyOut {
    PropertyOut { name, value: json!({ "value": value.into() }) }
}

fn properties(bits: u32, level: u32) -> Vec<PropertyOut> {
    let has = |bit: u32| bits & bit != 0;
    let mut list = Vec::new();
    for (at, name) in STATES.iter().enumerate() {
        let bit = 1 << at;
        if !name.is_empty() && has(bit) && bit & (CHECKED | PRESSED | EXPANDED | SELECTED) == 0 {
            list.push(property(name, true));
        }
    }
    let tri = |on: bool, mixed: bool| {
        if mixed {
            "mixed"
        } else if on {
            "true"
        } else {
            "false"
        }
    };
    if has(CHECKABLE) {
        list.push(property("checked", tri(has(CHECKED), has(CHECKED_MIXED))));
    }
    if has(PRESSABLE) {
        list.push(property("pressed", tri(has(PRESSED), has(PRESSED_MIXED))));
    }
    if has(EXPANDABLE) {
        list.push(property("expanded", has(EXPANDED)));
    }
    if has(SELECTABLE) {
        list.push(property("selected", has(SELECTED)));
    }
    if has(LIVE_POLITE) {
        list.push(property("live", "polite"));
    }
    if has(LIVE_ASSERTIVE) {
        list.push(property("live", "assertive"));
    }
    if level > 0 {
        list.push(property("level", level));
    }
    list
}

/// Writes the accessibility payload of a frame from what the script read; none where it does not fit the snapshot.
fn ax_payload(collected: &Collected<'_>, elements: &Elements) -> Option<String> {
    if collected.count != elements.backends.len() || collected.hash != elements.hash {
        return None;
    }
    let nodes = collected
        .rows
        .iter()
        .filter_map(|row| {
            let backend = elements.backends.get(row.0).copied()?;
            Some(AxNodeOut::of(row.0, backend, [&row.1, &row.2, &row.3, &row.4], row.5, row.6))
        })
        .collect();
    serde_json::to_string(&AxOut { nodes }).ok()
}

/// One frame under way.
struct FrameCalls {
    session: String,
    frame: String,
    own_world: i64,
    main_world: Option<String>,
    loader: String,
    /// What it says of itself, where nothing is known from a look before.
    stamp: Option<Pending>,
    /// Mutations counted before.
    begun: Pending,
    collected: Option<Pending>,
    listeners: Option<Pending>,
}

/// The styles that what is made of a page reads; each that is asked for costs about a fiftieth of the snapshot.
const STYLES: [&str; 19] = [
    "display",
    "visibility",
    "opacity",
    "position",
    "overflow-x",
    "overflow-y",
    "clip",
    "clip-path",
    "transform",
    "pointer-events",
    "cursor",
    "color",
    "background-color",
    "background-image",
    "white-space-collapse",
    "direction",
    "content-visibility",
    "filter",
    "content",
];

fn style_indices() -> Vec<usize> {
    STYLES.iter().filter_map(|name| COMPUTED_STYLES.iter().position(|known| known == name)).collect()
}

/// Says in a snapshot which styles of the capture contract its rows hold.
fn with_styles_named(snapshot: &str) -> String {
    let indices = style_indices();
    match snapshot.strip_prefix('{') {
        Some(rest) => format!("{{\"computedStyles\":{indices:?},{rest}"),
        None => snapshot.to_owned(),
    }
}

const SCRIPTS: &str = concat!(
    include_str!("script/probe.js"),
    ";\n",
    include_str!("script/act.js"),
    ";\n",
    include_str!("script/collect.js"),
    ";\n",
    include_str!("script/patch.js")
);

/// Elements with a listener of the pointer, by their place among all elements in flat-tree order, in the main world.
const LISTENERS: &str = include_str!("script/listeners.js");

impl Driver {
    /// Finds out what changed in the current tab since the last fast look.
    pub(crate) async fn find_changes(&self, fast: &mut FastState) -> Result<Found, CallError> {
        fast.way = LookWay::Whole;
        if let Some(mirror) = fast.mirror.take() {
            return match self.patched(fast, mirror).await {
                Ok(Some((mirror, look))) => {
                    fast.mirror = Some(mirror);
                    fast.way = if look.is_some() { LookWay::Patched } else { LookWay::Unchanged };
                    Ok(look.map_or(Found::Same, |look| Found::Look(Box::new(look))))
                }
                Ok(None) => Ok(Found::Unknown),
                Err(error @ (CallError::Gone | CallError::Crashed(_) | CallError::Dialog)) => Err(error),
                Err(error) => {
                    fast.way = LookWay::Again(error.to_string());
                    Ok(Found::Unknown)
                }
            };
        }
        if self.is_unchanged(fast).await? {
            fast.way = LookWay::Unchanged;
            return Ok(Found::Same);
        }
        Ok(Found::Unknown)
    }

    /// Writes what changed into what is known of the page; no mirror if it must be read whole, no look if nothing changed.
    async fn patched(
        &self,
        fast: &mut FastState,
        mut mirror: Mirror,
    ) -> Result<Option<(Mirror, Option<Look>)>, CallError> {
        let frames = self.frames_of_tab();
        let [(session, frame, loader, main_world)] = &frames[..] else {
            fast.way = LookWay::Again("frames came".to_owned());
            return Ok(None);
        };
        let world = fast.worlds.get(&(session.clone(), frame.clone(), loader.clone())).copied();
        let known = (&mirror.session, &mirror.frame, &mirror.loader) == (session, frame, loader);
        let (Some(own_world), true) = (world, known) else { return Ok(None) };
        let began = Instant::now();
        let asked = json!({ "expression": "JSON.stringify(browserLensPatch.patch())", "contextId": own_world, "returnByValue": true });
        let told = self.socket.send(Some(session), "Runtime.evaluate", &asked);
        // Sent with it, should there be something new: under way and back is what a small change takes longest.
        let roots: Vec<Pending> = (0..2).map(|root| self.ask_new(session, own_world, root)).collect();
        let told = tokio::select! {
            biased;
            told = told.answer(LOOK_LIMIT) => string_of(&told?),
            why = self.interrupted(LOOK_LIMIT) => return Err(why),
        };
        let changes: Changes = serde_json::from_str(&told).map_err(|error| CallError::Unreadable(error.to_string()))?;
        if changes.kind == "whole" {
            fast.way = LookWay::Again(changes.why);
            return Ok(None);
        }
        if changes.kind == "same" && !fast.elsewhere {
            return Ok(Some((mirror, None)));
        }
        let listeners = main_world.as_ref().map(|world| self.ask_listeners(session, world));
        let metrics = self.socket.send(Some(session), "Page.getLayoutMetrics", &json!({}));
        let probe = self.ask_world(session, own_world, "browserLensCollect.probe()");
        if changes.kind == "patch" {
            let described = self.describe_new(session, own_world, roots, changes.roots).await?;
            if let Err(reason) = mirror.apply(&changes, &described) {
                fast.way = LookWay::Again(reason.to_owned());
                return Ok(None);
            }
        }
        let answered = async { (metrics.answer(LOOK_LIMIT).await, probe.answer(LOOK_LIMIT).await) };
        let (metrics, probe) = tokio::select! {
            biased;
            answered = answered => answered,
            why = self.interrupted(LOOK_LIMIT) => return Err(why),
        };
        let mut look = Look::default();
        let mut push = |kind: PayloadKind, body: String| {
            look.payloads.push(RawPayload { kind, frame: frame.clone(), body });
        };
        let unwritable = || CallError::Unreadable("what is known cannot be written".to_owned());
        push(PayloadKind::Frames, mirror.frames.clone());
        push(PayloadKind::Snapshot, mirror.snapshot(&style_indices()).ok_or_else(unwritable)?);
        push(PayloadKind::Metrics, metrics?.text().to_owned());
        let nodes = mirror
            .heard()
            .enumerate()
            .map(|(index, (backend, heard))| {
                let said = [heard.role.as_str(), &heard.name, &heard.description, &heard.value];
                AxNodeOut::of(index, backend, said, heard.bits, heard.level)
            })
            .collect();
        push(PayloadKind::Ax, serde_json::to_string(&AxOut { nodes }).map_err(|_| unwritable())?);
        push(PayloadKind::Probe, string_of(&probe?));
        if let Some(listeners) = listeners {
            let elements = Elements { backends: mirror.elements(), hash: 0, holders: Vec::new(), held_by: None };
            let heard = heard(&listeners.answer(LOOK_LIMIT).await?, &elements);
            push(PayloadKind::Listeners, heard.ok_or_else(unwritable)?);
        }
        look.timings.push(("fast".to_owned(), began.elapsed().as_micros() as u64));
        look.frames.push(LookedFrame {
            session: session.clone(),
            frame: frame.clone(),
            own_world,
            main_world: main_world.clone(),
        });
        fast.elsewhere = false;
        Ok(Some((mirror, Some(look))))
    }

    /// Returns kind and backend node id of each new node, in document order.
    /// `objects` are the first of them.
    async fn describe_new(
        &self,
        session: &str,
        world: i64,
        mut objects: Vec<Pending>,
        roots: usize,
    ) -> Result<Vec<(i64, i64)>, CallError> {
        if roots == 0 {
            return Ok(Vec::new());
        }
        #[derive(Deserialize)]
        struct Answer {
            node: Described,
        }
        objects.extend((objects.len()..roots).map(|root| self.ask_new(session, world, root)));
        let mut asked: Vec<Pending> = Vec::new();
        for object in objects.into_iter().take(roots) {
            let object = object.answer(LOOK_LIMIT).await?.value();
            let params = json!({ "objectId": object["result"]["objectId"], "depth": -1 });
            asked.push(self.socket.send(Some(session), "DOM.describeNode", &params));
        }
        let mut found = Vec::new();
        for pending in asked {
            found.extend(pending.answer(LOOK_LIMIT).await?.read::<Answer>()?.node.flat());
        }
        drop(self.socket.send(
            Some(session),
            "Runtime.releaseObjectGroup",
            &json!({ "objectGroup": "browserlens-new" }),
        ));
        Ok(found)
    }

    /// Asks for one of the roots of what is new, as an object.
    fn ask_new(&self, session: &str, world: i64, root: usize) -> Pending {
        let expression = format!("globalThis.browserLensNew?.[{root}]");
        let params = json!({ "expression": expression, "contextId": world, "objectGroup": "browserlens-new" });
        self.socket.send(Some(session), "Runtime.evaluate", &params)
    }

    fn ask_listeners(&self, session: &str, world: &str) -> Pending {
        let params = json!({ "expression": LISTENERS, "uniqueContextId": world, "includeCommandLineAPI": true, "returnByValue": true, "silent": true });
        self.socket.send(Some(session), "Runtime.evaluate", &params)
    }

    /// Says whether anything that a look reads has changed in the current tab since the last fast look.
    async fn is_unchanged(&self, fast: &mut FastState) -> Result<bool, CallError> {
        if fast.stamps.is_empty() {
            return Ok(false);
        }
        let frames = self.frames_of_tab();
        let mut calls = Vec::new();
        for (session, frame, loader, _) in &frames {
            let world = match self.fast_world(fast, session, frame, loader).await {
                Ok(world) => world,
                Err(error @ CallError::Gone) => return Err(error),
                Err(_) => return Ok(false),
            };
            calls.push(self.ask_world(session, world, "browserLensCollect.stamp()"));
        }
        let mut stamps = BTreeMap::new();
        for ((session, frame, loader, _), call) in frames.iter().zip(calls) {
            let answer = match call.answer(LOOK_LIMIT).await {
                // The frame went away with the page that held it, or its document did.
                Err(CallError::Refused { .. }) => {
                    fast.worlds.retain(|(of, known, _), _| of != session || known != frame);
                    fast.forget();
                    return Ok(false);
                }
                answer => answer?,
            };
            let stamp = answer.value()["result"]["value"].as_str().map(str::to_owned);
            let stamp = format!("{loader}|{}", stamp.unwrap_or_default());
            stamps.insert((session.clone(), frame.clone()), stamp);
        }
        // A stamp that begins anew each time says that something moves.
        let moves = stamps.values().any(|stamp| stamp.ends_with("|moves"));
        let same = !moves && !stamps.is_empty() && fast.stamps == stamps;
        fast.stamps = stamps;
        Ok(same)
    }

    fn ask_world(&self, session: &str, world: i64, expression: &str) -> Pending {
        let params = json!({ "expression": expression, "contextId": world, "returnByValue": true });
        self.socket.send(Some(session), "Runtime.evaluate", &params)
    }

    /// Session, frame, document and main world of every frame of the current tab.
    fn frames_of_tab(&self) -> Vec<(String, String, String, Option<String>)> {
        let state = self.world.read();
        let mut found = Vec::new();
        for (id, _) in state.sessions_of(self.tab) {
            let mut frames: Vec<_> = state.frames.iter().filter(|((of, _), _)| *of == id).collect();
            frames.sort_by_key(|((_, frame), _)| frame.clone());
            found.extend(frames.into_iter().map(|((session, frame), data)| {
                (session.clone(), frame.clone(), data.loader.clone(), data.context.clone())
            }));
        }
        found
    }

    async fn fast_world(
        &self,
        fast: &mut FastState,
        session: &str,
        frame: &str,
        loader: &str,
    ) -> Result<i64, CallError> {
        let key = (session.to_owned(), frame.to_owned(), loader.to_owned());
        if let Some(world) = fast.worlds.get(&key) {
            return Ok(*world);
        }
        if !fast.enabled.contains(session) && !fast.without.contains(session) {
            let asked = json!({ "expression": "'computedRole' in Element.prototype", "returnByValue": true });
            let has = self.call(session, "Runtime.evaluate", &asked).await?.value()["result"]["value"] == true;
            if has {
                drop(self.socket.send(Some(session), "Accessibility.enable", &json!({})));
                // New nodes are described with the blanks between them.
                drop(self.socket.send(Some(session), "DOM.enable", &json!({ "includeWhitespace": "all" })));
                fast.enabled.insert(session.to_owned());
            } else {
                fast.without.insert(session.to_owned());
            }
        }
        let params = json!({ "frameId": frame, "worldName": fast.world_name(), "grantUniveralAccess": false });
        let reply = self.call(session, "Page.createIsolatedWorld", &params).await?;
        let world = reply.value()["executionContextId"]
            .as_i64()
            .ok_or_else(|| CallError::Unreadable("no context id".to_owned()))?;
        // Calls of one session are answered in order: what is asked of the world comes after its script.
        let script = json!({ "expression": SCRIPTS, "contextId": world });
        drop(self.socket.send(Some(session), "Runtime.evaluate", &script));
        if fast.enabled.contains(session) {
            // Builds the tree: until something asks for all of it, each role asked for would build a tree of its own.
            drop(self.socket.send(Some(session), "Accessibility.getRootAXNode", &json!({ "frameId": frame })));
        }
        fast.worlds.retain(|(of, known, _), _| of != session || known != frame);
        fast.worlds.insert(key, world);
        Ok(world)
    }

    /// Looks at the current tab without what a live observation does not need.
    pub(crate) async fn fast_look(&self, fast: &mut FastState) -> Result<Look, CallError> {
        let mut look = Look::default();
        // Parents come first, so that it is known of each frame whether its element is out of the tree.
        let sessions = self.world.read().sessions_of(self.tab);
        let mut hidden = HashSet::new();
        for (id, session) in &sessions {
            let Some(tree) = self.look_at_frames(&mut look, id, session).await? else { continue };
            let root = session.root_frame.clone();
            self.fast_session(fast, &mut look, &mut hidden, id, &root, tree).await?;
        }
        Ok(look)
    }

    /// Reads one session: every call is sent before the first answer is awaited.
    async fn fast_session(
        &self,
        fast: &mut FastState,
        look: &mut Look,
        hidden: &mut HashSet<(String, i64)>,
        session: &str,
        root: &str,
        tree: FrameTree,
    ) -> Result<(), CallError> {
        let mut frames = Vec::new();
        let mut open = vec![tree];
        while let Some(node) = open.pop() {
            frames.push((node.frame.id, node.frame.loader));
            open.extend(node.children.into_iter().rev());
        }
        let fresh = !fast.stamps.keys().any(|(of, _)| of == session);
        // A page with one frame is kept, so that what changes can be written into it; others say whether anything changed.
        let keeps = frames.len() == 1
            && self.frames_of_tab().len() == 1
            && fast.enabled.contains(session)
            && frames.first().is_some_and(|(_, loader)| fast.unkept.as_ref() != Some(loader));
        let mut calls = Vec::new();
        for (frame, loader) in frames {
            let own_world = match self.fast_world(fast, session, &frame, &loader).await {
                Ok(world) => world,
                Err(error) => {
                    look.tear(error)?;
                    continue;
                }
            };
            let key = (session.to_owned(), frame.clone());
            let main_world = self.world.read().frames.get(&key).and_then(|known| known.context.clone());
            let listeners = main_world.as_ref().map(|world| self.ask_listeners(session, world));
            let stamp = (fresh && !keeps).then(|| self.ask_world(session, own_world, "browserLensCollect.stamp()"));
            let begun = self.ask_world(session, own_world, "browserLens.begin()");
            let collected = fast
                .enabled
                .contains(session)
                .then(|| self.ask_world(session, own_world, "JSON.stringify(browserLensCollect.collect())"));
            calls.push(FrameCalls {
                session: session.to_owned(),
                frame,
                own_world,
                main_world,
                loader,
                stamp,
                begun,
                collected,
                listeners,
            });
        }
        let snapshot = json!({
            "computedStyles": STYLES, "includePaintOrder": true, "includeDOMRects": true,
            "includeTextColorOpacities": false, "includeBlendedBackgroundColors": false,
        });
        let began = Instant::now();
        let snapshot = self.socket.send(Some(session), "DOMSnapshot.captureSnapshot", &snapshot);
        let metrics = self.socket.send(Some(session), "Page.getLayoutMetrics", &json!({}));
        let kept = calls
            .first()
            .filter(|_| keeps)
            .map(|frame| self.ask_world(session, frame.own_world, "JSON.stringify(browserLensPatch.keep())"));
        let probes: Vec<Pending> =
            calls.iter().map(|frame| self.ask_world(session, frame.own_world, "browserLensCollect.probe()")).collect();
        let answered = async {
            let mut answers = Vec::new();
            for call in &mut calls {
                let stamp = match call.stamp.take() {
                    Some(pending) => Some(pending.answer(LOOK_LIMIT).await),
                    None => None,
                };
                let begun = std::mem::replace(&mut call.begun, Pending::never()).answer(LOOK_LIMIT).await;
                let listeners = match call.listeners.take() {
                    Some(pending) => Some(pending.answer(LOOK_LIMIT).await),
                    None => None,
                };
                let collected = match call.collected.take() {
                    Some(pending) => Some(pending.answer(LOOK_LIMIT).await),
                    None => None,
                };
                answers.push((stamp, begun, listeners, collected));
            }
            let snapshot = snapshot.answer(LOOK_LIMIT).await;
            let metrics = metrics.answer(LOOK_LIMIT).await;
            let kept = match kept {
                Some(pending) => pending.answer(LOOK_LIMIT).await.ok(),
                None => None,
            };
            let mut ends = Vec::new();
            for probe in probes {
                ends.push(probe.answer(LOOK_LIMIT).await);
            }
            (answers, snapshot, metrics, kept, ends)
        };
        let (answers, snapshot, metrics, kept, ends) = tokio::select! {
            biased;
            answered = answered => answered,
            why = self.interrupted(LOOK_LIMIT) => return Err(why),
        };
        look.timings.push(("fast".to_owned(), began.elapsed().as_micros() as u64));
        let snapshot = snapshot?;
        let order: Option<Order<'_>> = snapshot.read().ok();
        let mut mirror = None;
        if let (Some(kept), Some(call)) = (kept, calls.first()) {
            let kept: Option<Kept> = serde_json::from_str(&string_of(&kept)).ok();
            let frames = look.payloads.iter().find(|payload| payload.kind == PayloadKind::Frames);
            mirror = kept.zip(frames).and_then(|(kept, frames)| {
                let of = (session, call.frame.as_str(), call.loader.as_str());
                Mirror::of(snapshot.text(), (kept.count, kept.hash), of, &frames.body)
            });
            if mirror.is_none() {
                fast.unkept = Some(call.loader.clone());
            }
        }
        look.payloads.push(RawPayload {
            kind: PayloadKind::Snapshot,
            frame: root.to_owned(),
            body: with_styles_named(snapshot.text()),
        });
        match metrics {
            Ok(reply) => look.payloads.push(RawPayload {
                kind: PayloadKind::Metrics,
                frame: root.to_owned(),
                body: reply.text().to_owned(),
            }),
            Err(error) => look.tear(error)?,
        }
        for ((call, (stamp, begun, listeners, collected)), end) in calls.into_iter().zip(answers).zip(ends) {
            if let Some(Ok(stamp)) = stamp {
                let stamp = format!("{}|{}", call.loader, string_of(&stamp));
                fast.stamps.insert((session.to_owned(), call.frame.clone()), stamp);
            }
            let elements = order.as_ref().and_then(|order| order.of_frame(&call.frame));
            let said = collected.and_then(Result::ok).map(|reply| string_of(&reply));
            let read: Option<Collected<'_>> = said.as_deref().and_then(|text| serde_json::from_str(text).ok());
            let ax = elements.as_ref().zip(read.as_ref()).and_then(|(elements, read)| ax_payload(read, elements));
            let holder = match elements.as_ref().and_then(|elements| elements.held_by) {
                Some(holder) => Some((session.to_owned(), holder)),
                None => look.owners.get(&call.frame).cloned(),
            };
            let is_hidden = holder.is_some_and(|holder| hidden.contains(&holder));
            match (&mut mirror, &read) {
                (Some(mirror), Some(read)) if ax.is_some() => mirror.hear(read.rows.iter().map(Row::heard)),
                _ => mirror = None,
            }
            let ax = if is_hidden { Some(r#"{"nodes":[]}"#.to_owned()) } else { ax };
            if let (Some(elements), Some(read)) = (&elements, &read) {
                // Counted among themselves: closed shadow trees, which scripts do not see, hold other elements.
                let of_tree = read.hidden.iter().filter_map(|nth| elements.holders.get(*nth));
                let out = if is_hidden { elements.holders.iter().collect() } else { of_tree.collect::<Vec<_>>() };
                hidden.extend(out.into_iter().map(|holder| (session.to_owned(), *holder)));
            }
            match ax {
                Some(body) => {
                    look.payloads.push(RawPayload { kind: PayloadKind::Ax, frame: call.frame.clone(), body });
                }
                // The script sees another tree than the snapshot, or the browser does not say roles: the protocol's own tree.
                None => {
                    if self.setup.tree_anew {
                        self.drop_tree(session);
                    }
                    let params = json!({ "frameId": call.frame });
                    let method = "Accessibility.getFullAXTree";
                    look.read(self, session, method, &params, PayloadKind::Ax, &call.frame).await?;
                }
            }
            let looked = LookedFrame {
                session: call.session,
                frame: call.frame.clone(),
                own_world: call.own_world,
                main_world: call.main_world,
            };
            let heard = listeners.and_then(Result::ok).and_then(|reply| heard(&reply, elements.as_ref()?));
            match heard {
                Some(body) => {
                    look.payloads.push(RawPayload { kind: PayloadKind::Listeners, frame: call.frame.clone(), body });
                }
                None => look.listeners(self, &looked).await?,
            }
            look.frames.push(looked);
            match (begun, end) {
                (Ok(begun), Ok(end)) => {
                    let body = string_of(&end);
                    let before = begun.value()["result"]["value"].as_u64();
                    let after =
                        serde_json::from_str::<Value>(&body).ok().and_then(|probe| probe["mutations"][1].as_u64());
                    look.torn |= before.is_none() || before != after;
                    look.payloads.push(RawPayload { kind: PayloadKind::Probe, frame: call.frame, body });
                }
                (Err(error), _) | (_, Err(error)) => look.tear(error)?,
            }
        }
        fast.mirror = mirror.filter(|_| !look.torn);
        fast.elsewhere = false;
        Ok(())
    }
}

fn string_of(reply: &Reply) -> String {
    #[derive(Deserialize)]
    struct Outer {
        result: Inner,
    }
    #[derive(Deserialize)]
    struct Inner {
        #[serde(default)]
        value: Value,
    }
    match reply.read::<Outer>() {
        Ok(Outer { result: Inner { value: Value::String(text) } }) => text,
        _ => String::new(),
    }
}

/// The listeners payload of a frame; none where the main world saw other elements than the snapshot.
fn heard(reply: &Reply, elements: &Elements) -> Option<String> {
    let value = reply.value();
    let said = &value["result"]["value"];
    if said["count"].as_u64() != Some(elements.backends.len() as u64) {
        return None;
    }
    let nodes: Option<Vec<Value>> = said["found"]
        .as_array()?
        .iter()
        .map(|entry| {
            let backend = elements.backends.get(usize::try_from(entry[0].as_u64()?).ok()?)?;
            Some(json!({ "node": backend, "types": entry[1] }))
        })
        .collect();
    serde_json::to_string(&json!({ "listeners": nodes? })).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_nodes_of_the_tree_only_where_both_saw_the_same_elements() {
        let snapshot = r#"{"documents":[{"frameId":0,"nodes":{"nodeType":[9,1,1,3,1],"nodeName":[1,2,3,4,5],"backendNodeId":[1,2,3,4,5]}}],
            "strings":["F","\#document","HTML","BODY","\#text","::before"]}"#
            .replace("\\#", "#");
        let order: Order<'_> = serde_json::from_str(&snapshot).expect("reads");
        let elements = order.of_frame("F").expect("the frame");
        assert_eq!(elements.backends, [2, 3], "neither text nor pseudo-elements");
        let hash = (4 * 131 + i32::from(b'h')) * 31 + 4 * 131 + i32::from(b'b');
        assert_eq!(elements.hash, hash);
        let text = format!(r#"{{"count":2,"hash":{hash},"rows":[[1,"checkbox","Gift","","",6,0]],"hidden":[]}}"#);
        let collected: Collected<'_> = serde_json::from_str(&text).expect("reads");
        let ax = ax_payload(&collected, &elements).expect("fits");
        assert!(ax.contains(r#""role":{"value":"checkbox"},"name":{"value":"Gift"}"#), "{ax}");
        assert!(ax.contains(r#""checked","value":{"value":"true"}"#) && ax.contains(r#""backendDOMNodeId":3"#), "{ax}");
        let other = Collected { count: 3, ..collected };
        assert!(ax_payload(&other, &elements).is_none());
    }
}
