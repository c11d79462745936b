//! What a trace of one browser context says, read once.
//!
//! In: the lines of `<name>.trace` and `<name>.network`. Out: a [`Model`]: header, calls, snapshots
//! by frame, resources, what happened. Invariants: a line that cannot be read is a gap, the trace
//! goes on; a snapshot keeps its place in its frame's history even when it cannot be read, because
//! references count places.

use super::tree::Tree;
use super::upgrade::{Chain, NEWEST, OLDEST};
use crate::archive::Archive;
use crate::error::ImportError;
use crate::json::{Members, list, number, text};
use crate::limits::Limits;
use browserlens_core::page::Viewport;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap};

/// Lines that cannot be read and are named; of more only the number is.
const MOST_BAD_LINES: u32 = 100;

/// What the first line says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Header {
    pub(crate) browser: String,
    pub(crate) title: String,
    pub(crate) locale: String,
    pub(crate) timezone: String,
    pub(crate) scale: f32,
    pub(crate) viewport: Option<(u32, u32)>,
    pub(crate) recorded_at: Option<String>,
    pub(crate) options: Value,
}

/// One call of the API.
#[derive(Clone, Debug, Default)]
pub(crate) struct Call {
    pub(crate) id: String,
    pub(crate) class: String,
    pub(crate) method: String,
    pub(crate) params: Value,
    pub(crate) start: f64,
    pub(crate) error: Option<String>,
    pub(crate) point: Option<(f32, f32)>,
}

/// One snapshot of a frame.
#[derive(Clone, Debug)]
pub(crate) struct Snapshot {
    pub(crate) call: String,
    pub(crate) phase: String,
    pub(crate) page: String,
    pub(crate) url: String,
    pub(crate) doctype: Option<String>,
    pub(crate) viewport: (u32, u32),
    pub(crate) timestamp: f64,
    pub(crate) main: bool,
    /// URL, and the file or the number of snapshots before that has its content.
    pub(crate) overrides: Vec<(String, Result<String, usize>)>,
}

/// One request, as HAR has it.
#[derive(Clone, Debug)]
pub(crate) struct Resource {
    pub(crate) frame: String,
    pub(crate) time: f64,
    pub(crate) entry: Value,
}

impl Resource {
    pub(crate) fn url(&self) -> &str {
        self.entry["request"]["url"].as_str().unwrap_or("")
    }
}

/// What one context recorded.
#[derive(Debug, Default)]
pub(crate) struct Model {
    pub(crate) version: u64,
    pub(crate) header: Header,
    pub(crate) calls: Vec<Call>,
    /// Snapshots of each frame, oldest first, and their trees.
    pub(crate) frames: BTreeMap<String, Vec<Snapshot>>,
    pub(crate) trees: BTreeMap<String, Vec<Tree>>,
    /// Frame and place of each call's snapshots, by call and phase.
    pub(crate) by_call: HashMap<(String, String), Vec<(String, usize)>>,
    pub(crate) resources: Vec<Resource>,
    /// Console messages, dialogs, pages, downloads and errors, as they came.
    pub(crate) happened: Vec<Value>,
    /// Files of pictures by call and phase, where such were recorded.
    pub(crate) pictures: HashMap<(String, String), String>,
    /// Files of accessibility trees by call and phase, where such were recorded.
    pub(crate) aria: HashMap<(String, String), String>,
    /// Number of each page, in order of first sight: it is the tab's.
    pub(crate) pages: HashMap<String, u32>,
    /// Place of each call, by id; of calls with one id that of the last.
    by_id: HashMap<String, usize>,
    pub(crate) gaps: Vec<String>,
}

impl Model {
    /// Reads `<name>.trace` and the `.network` beside it.
    pub(crate) fn read(archive: &mut Archive, entry: &str, limits: &Limits) -> Result<Self, ImportError> {
        let mut model = Self { header: Header { scale: 1.0, ..Header::default() }, ..Self::default() };
        let mut chain = Chain::default();
        let mut bad_lines = 0;
        let stem = entry.strip_suffix(".trace").unwrap_or(entry).to_owned();
        let network = format!("{stem}.network");
        for name in [entry, network.as_str()] {
            let Some(bytes) = archive.read(name)? else { continue };
            let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
            for (number, line) in lines.enumerate() {
                let place = format!("entry {name:?}, line {}", number + 1);
                if line.len() as u64 > limits.line_bytes {
                    return Err(ImportError::too_large(archive.path(), place, "the line", limits.line_bytes));
                }
                let read = std::str::from_utf8(line)
                    .map_err(|_| "it is not UTF-8".to_owned())
                    .and_then(|line| model.line(line, &mut chain, limits));
                if let Err(reason) = read {
                    // The header decides how everything else is read.
                    if name == entry && number == 0 {
                        return Err(ImportError::malformed(archive.path(), place, reason));
                    }
                    bad_lines += 1;
                    if bad_lines <= MOST_BAD_LINES {
                        model.gaps.push(format!("{name}, line {}: {reason}", number + 1));
                    }
                }
                if let Some(found) = chain.version().filter(|version| *version > NEWEST) {
                    let (path, format, supported) = (archive.path().to_owned(), "playwright trace", "3 to 10");
                    return Err(ImportError::TooNew { path, format, found, supported });
                }
                if chain.version().is_some_and(|version| version < OLDEST) {
                    let reason = format!("its version is older than {OLDEST}");
                    return Err(ImportError::malformed(archive.path(), place, reason));
                }
            }
        }
        if bad_lines > MOST_BAD_LINES {
            model.gaps.push(format!("{bad_lines} lines cannot be read; {MOST_BAD_LINES} of them are named"));
        }
        model.version = chain.version().unwrap_or(0);
        model.calls.sort_by(|a, b| a.start.total_cmp(&b.start));
        model.resources.sort_by(|a, b| a.time.total_cmp(&b.time));
        Ok(model)
    }

    fn line(&mut self, line: &str, chain: &mut Chain, limits: &Limits) -> Result<(), String> {
        let said = |error: serde_json::Error| error.to_string();
        let mut event = Map::new();
        let mut tree = None;
        for (key, raw) in serde_json::from_str::<Members<'_>>(line).map_err(said)? {
            if key != "snapshot" {
                event.insert(key.into_owned(), serde_json::from_str(raw.get()).map_err(said)?);
                continue;
            }
            let mut snapshot = Map::new();
            for (key, raw) in serde_json::from_str::<Members<'_>>(raw.get()).map_err(said)? {
                if key == "html" {
                    // Trees are nested deeper than values may be.
                    tree = Some(Tree::parse(raw.get(), limits));
                } else {
                    snapshot.insert(key.into_owned(), serde_json::from_str(raw.get()).map_err(said)?);
                }
            }
            event.insert("snapshot".to_owned(), Value::Object(snapshot));
        }
        chain.upgrade(Value::Object(event)).map_or(Ok(()), |event| self.event(event, tree))
    }

    fn event(&mut self, event: Value, tree: Option<Result<Tree, String>>) -> Result<(), String> {
        if let Some(page) = event["pageId"].as_str().or(event["params"]["pageId"].as_str()) {
            self.page_number(page);
        }
        match text(&event, "type") {
            "context-options" => self.header = header(&event),
            "before" | "action" => {
                let mut call = Call {
                    id: text(&event, "callId").to_owned(),
                    class: text(&event, "class").to_owned(),
                    method: text(&event, "method").to_owned(),
                    params: event["params"].clone(),
                    start: number(&event, "startTime").unwrap_or(0.0),
                    ..Call::default()
                };
                call.end(&event);
                self.by_id.insert(call.id.clone(), self.calls.len());
                self.calls.push(call);
            }
            "input" | "after" => {
                let known = self.by_id.get(text(&event, "callId")).copied();
                if let Some(call) = known.and_then(|at| self.calls.get_mut(at)) {
                    call.end(&event);
                }
            }
            "frame-snapshot" => return self.snapshot(&event["snapshot"], tree),
            "resource-snapshot" => {
                let entry = event["snapshot"].clone();
                let time = number(&entry, "_monotonicTime").unwrap_or(0.0);
                self.resources.push(Resource { frame: text(&entry, "_frameref").to_owned(), time, entry });
            }
            "screenshot" => drop(self.pictures.insert(call_and_phase(&event), text(&event, "file").to_owned())),
            "aria-snapshot" => drop(self.aria.insert(call_and_phase(&event), text(&event, "file").to_owned())),
            "console" | "event" | "error" => self.happened.push(event),
            _ => {}
        }
        Ok(())
    }

    fn snapshot(&mut self, snapshot: &Value, tree: Option<Result<Tree, String>>) -> Result<(), String> {
        let frame = text(snapshot, "frameId").to_owned();
        let page = text(snapshot, "pageId").to_owned();
        self.page_number(&page);
        let side = |name: &str| number(&snapshot["viewport"], name).unwrap_or(0.0).clamp(0.0, 100_000.0) as u32;
        let overrides = list(snapshot, "resourceOverrides").iter().filter_map(|one| {
            let content = match (one["file"].as_str(), one["ref"].as_u64()) {
                (Some(file), _) => Ok(file.to_owned()),
                (None, ago) => Err(usize::try_from(ago?).ok()?),
            };
            Some((one["url"].as_str()?.to_owned(), content))
        });
        let read = Snapshot {
            call: text(snapshot, "callId").to_owned(),
            phase: text(snapshot, "phase").to_owned(),
            page,
            url: text(snapshot, "frameUrl").to_owned(),
            doctype: snapshot["doctype"].as_str().map(str::to_owned),
            viewport: (side("width"), side("height")),
            timestamp: number(snapshot, "timestamp").unwrap_or(0.0),
            main: snapshot["isMainFrame"] == true,
            overrides: overrides.collect(),
        };
        let (tree, failed) = match tree {
            Some(Ok(tree)) => (tree, None),
            Some(Err(reason)) => (Tree::default(), Some(reason)),
            None => (Tree::default(), Some("a snapshot has no tree".to_owned())),
        };
        let history = self.frames.entry(frame.clone()).or_default();
        if failed.is_none() {
            self.by_call
                .entry((read.call.clone(), read.phase.clone()))
                .or_default()
                .push((frame.clone(), history.len()));
        }
        history.push(read);
        self.trees.entry(frame).or_default().push(tree);
        failed.map_or(Ok(()), Err)
    }

    fn page_number(&mut self, page: &str) {
        if !self.pages.contains_key(page) {
            self.pages.insert(page.to_owned(), self.pages.len() as u32);
        }
    }

    pub(crate) fn snapshot_at(&self, frame: &str, place: usize) -> Option<&Snapshot> {
        self.frames.get(frame)?.get(place)
    }

    pub(crate) fn tab_of(&self, page: &str) -> u32 {
        self.pages.get(page).copied().unwrap_or(0)
    }

    /// Returns the viewport of the context, or of the first page that was seen.
    pub(crate) fn viewport(&self) -> Viewport {
        let seen = || self.frames.values().flatten().find(|snapshot| snapshot.main).map(|snapshot| snapshot.viewport);
        let usable = |(width, height): &(u32, u32)| is_shown(*width, *height, self.header.scale);
        match self.header.viewport.filter(usable).or_else(seen).filter(usable) {
            Some((width, height)) => Viewport { width, height, ..Viewport::default() },
            None => Viewport::default(),
        }
    }
}

/// Most pixels of a picture of the viewport: twice those of the largest screens.
const MOST_PIXELS: f64 = 7_680.0 * 4_320.0 * 2.0;

/// Returns whether a browser can show a viewport of this size, and a picture of it fits.
pub(super) fn is_shown(width: u32, height: u32, scale: f32) -> bool {
    let pixels = f64::from(width) * f64::from(height) * f64::from(scale) * f64::from(scale);
    (1..=16_384).contains(&width) && (1..=16_384).contains(&height) && pixels <= MOST_PIXELS
}

impl Call {
    fn end(&mut self, event: &Value) {
        if let Some(message) = event["error"]["message"].as_str().or(event["error"]["error"]["message"].as_str()) {
            self.error = Some(message.to_owned());
        }
        if let (Some(x), Some(y)) = (number(&event["point"], "x"), number(&event["point"], "y")) {
            self.point = Some((x as f32, y as f32));
        }
    }
}

fn call_and_phase(event: &Value) -> (String, String) {
    (text(event, "callId").to_owned(), text(event, "phase").to_owned())
}

fn header(event: &Value) -> Header {
    let options = &event["options"];
    let or = |value: &str, other: &str| if value.is_empty() { other.to_owned() } else { value.to_owned() };
    let side = |name: &str| number(&options["viewport"], name).map(|side| side.clamp(0.0, 100_000.0) as u32);
    let at = number(event, "wallTime").filter(|time| *time > 0.0);
    let version = text(event, "playwrightVersion");
    let browser = [text(event, "browserName"), text(event, "channel")].join(" ");
    Header {
        browser: match version.is_empty() {
            true => format!("{} (driven by Playwright)", browser.trim()),
            false => format!("{} (driven by Playwright {version})", browser.trim()),
        },
        title: text(event, "title").to_owned(),
        locale: or(text(options, "locale"), "en-US"),
        timezone: or(text(options, "timezoneId"), "UTC"),
        scale: number(options, "deviceScaleFactor").unwrap_or(1.0).clamp(0.25, 4.0) as f32,
        viewport: side("width").zip(side("height")),
        recorded_at: at.and_then(|at| chrono::DateTime::from_timestamp_millis(at as i64)).map(|at| at.to_rfc3339()),
        options: options.clone(),
    }
}
