//! A fast look at the current tab, for live observation: what a page is parsed from, without
//! listeners' code, pixels and the accessibility tree's JSON.
//!
//! In: the driver. Out: a [`Look`] whose accessibility rows are what a script in an isolated world
//! read: Chromium's own role and accessible name of each element (`computedRole`, `computedName`),
//! and the states as its tree reads them. Elements are joined with the snapshot by their place in
//! the flat tree, which both walk; where the two do not agree (closed shadow roots) or the browser
//! lacks the feature (one that somebody else started), that frame's tree is asked for over the
//! protocol. Invariant: everything else is the snapshot itself, so that a page of a fast look
//! differs from a whole one's in no box, style or text. `Accessibility.enable` must be in force:
//! without it each `computedRole` builds the tree anew. `whole` reads a page, `patched` what
//! changed since, `mirror` is what that is written into.

mod accessibility;
mod changes;
mod mirror;
mod order;
mod patched;
mod whole;

use crate::browser_state::Frame;
use crate::capture::{LOOK_LIMIT, Look};
use crate::driver::Driver;
use crate::session_id::new_session;
use crate::socket::{CallError, Pending, Reply};
use browserlens_core::page::capture::COMPUTED_STYLES;
use mirror::Mirror;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use std::collections::{BTreeMap, HashMap, HashSet};
use tokio::task::JoinHandle;

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
    /// The same, while it is made of what was read.
    coming: Option<Coming>,
    /// Document of which that cannot be done.
    unkept: Option<String>,
    /// Whether another kind of look was taken since.
    elsewhere: bool,
    /// Name of our worlds, once there is one: one world by one name is shared by all who look at a
    /// page, and what one has read of what changed the other would not be told.
    world_name: Option<String>,
    /// How the last fast look came about.
    pub(crate) way: LookWay,
}

/// A mirror under way: the browser notes where everything stands while the page is parsed.
#[derive(Debug)]
struct Coming {
    loader: String,
    mirror: JoinHandle<Result<Mirror, Unkept>>,
}

impl Drop for Coming {
    fn drop(&mut self) {
        self.mirror.abort();
    }
}

/// Why there is no mirror.
#[derive(Debug)]
enum Unkept {
    /// The page went on meanwhile.
    Moved,
    /// No mirror of this document can be kept.
    Never,
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
        self.coming = None;
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

/// The styles that what is made of a page reads; each that is asked for costs about a fiftieth of
/// the snapshot.
const STYLES: [&str; 19] = [
    "display", "visibility", "opacity", "position", "overflow-x", "overflow-y", "clip", "clip-path", "transform",
    "pointer-events", "cursor", "color", "background-color", "background-image", "white-space-collapse", "direction",
    "content-visibility", "filter", "content",
];

/// Which styles of the capture contract the rows of a fast look hold.
fn style_indices() -> Vec<u8> {
    let of = |name: &&str| COMPUTED_STYLES.iter().position(|known| known == name).and_then(|at| u8::try_from(at).ok());
    STYLES.iter().filter_map(of).collect()
}

/// What our worlds are given.
const SCRIPTS: [&str; 6] = [
    include_str!("../../script/probe.js"),
    include_str!("../../script/act.js"),
    include_str!("../../script/collect.js"),
    include_str!("../../script/sheets.js"),
    include_str!("../../script/layers.js"),
    include_str!("../../script/patch.js"),
];

/// Elements with a listener of the pointer, by their place among all elements in flat-tree order,
/// in the main world.
const LISTENERS: &str = include_str!("../../script/listeners.js");

impl Driver {
    /// Finds out what changed in the current tab since the last fast look.
    pub(crate) async fn find_changes(&self, fast: &mut FastState) -> Result<Found, CallError> {
        fast.way = LookWay::Whole;
        if let Some(mut coming) = fast.coming.take() {
            match self.unless_interrupted(&mut coming.mirror, LOOK_LIMIT).await? {
                Ok(Ok(mirror)) => fast.mirror = Some(mirror),
                Ok(Err(Unkept::Never)) => fast.unkept = Some(coming.loader.clone()),
                Ok(Err(Unkept::Moved)) | Err(_) => {}
            }
        }
        if let Some(mirror) = fast.mirror.take() {
            return match self.patched(fast, mirror).await {
                Err(error) if !matches!(error, CallError::Gone | CallError::Crashed(_) | CallError::Dialog) => {
                    fast.way = LookWay::Again(error.to_string());
                    Ok(Found::Unknown)
                }
                found => found,
            };
        }
        if self.is_unchanged(fast).await? {
            fast.way = LookWay::Unchanged;
            return Ok(Found::Same);
        }
        Ok(Found::Unknown)
    }

    fn ask_listeners(&self, session: &str, world: &str) -> Pending {
        let params = json!({ "expression": LISTENERS, "uniqueContextId": world, "includeCommandLineAPI": true,
            "returnByValue": true, "silent": true });
        self.socket.send(Some(session), "Runtime.evaluate", &params)
    }

    /// Says whether anything that a look reads has changed in the current tab since the last fast
    /// look.
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
        let state = self.browser.read();
        let mut found = Vec::new();
        for (id, _) in state.sessions_of(self.tab) {
            let frames: BTreeMap<&String, &Frame> = state.frames_of(&id).collect();
            let told = |(frame, data): (&String, &Frame)| {
                (id.clone(), frame.clone(), data.loader.clone(), data.context.clone())
            };
            found.extend(frames.into_iter().map(told));
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
        let world = self.new_world(session, frame, fast.world_name()).await?;
        // Calls of one session are answered in order: what is asked of the world comes after its
        // script.
        let script = json!({ "expression": SCRIPTS.join(";\n"), "contextId": world });
        drop(self.socket.send(Some(session), "Runtime.evaluate", &script));
        if fast.enabled.contains(session) {
            // Builds the tree: until something asks for all of it, each role asked for would build
            // a tree of its own.
            drop(self.socket.send(Some(session), "Accessibility.getRootAXNode", &json!({ "frameId": frame })));
        }
        fast.worlds.retain(|(of, known, _), _| of != session || known != frame);
        fast.worlds.insert(key, world);
        Ok(world)
    }
}

/// The text that a script answered.
fn string_of(reply: &Reply) -> String {
    value_of(reply).unwrap_or_default()
}

/// What a script answered.
fn value_of<T: DeserializeOwned>(reply: &Reply) -> Option<T> {
    #[derive(Deserialize)]
    struct Answer<T> {
        result: Told<T>,
    }
    #[derive(Deserialize)]
    struct Told<T> {
        value: T,
    }
    reply.read::<Answer<T>>().ok().map(|answer| answer.result.value)
}
