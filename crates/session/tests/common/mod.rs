//! Holds two pages against each other in every field that the lens reads.

#![allow(dead_code, reason = "the test and the example use a part of it each")]

use browserlens_core::page::{BoxInDocument, Flags, NodeKind, NodeRef, Page, States, Viewport, Visibility};
use browserlens_core::strategy::{PageAlone, Task};
use browserlens_lens::build;
use browserlens_recorder::{FastLook, RecordOptions, record};
use browserlens_trace::scenario::Scenario;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// States of a node that no part of the lens reads. Which node is focused it asks the page, and
/// that is compared: of a frame and what is focused in it, both of which a fast look calls focused,
/// that is the latter.
const UNREAD: States = States(
    States::MULTILINE.0 | States::MULTISELECTABLE.0 | States::HAS_POPUP.0 | States::EDITABLE.0 | States::FOCUSED.0,
);

pub fn traces() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces")
}

/// How often a field differs, and the first case.
#[derive(Default)]
pub struct Differences {
    pub nodes: u64,
    pub steps: u32,
    pub by_field: BTreeMap<&'static str, (u64, String)>,
    /// Steps whose observation by `lens/a11y` is another.
    pub other_text: Vec<String>,
    pub fallbacks: u32,
    /// Tag and both roles, where they differ.
    pub roles: BTreeMap<String, u32>,
    pub micros: (u64, u64),
}

impl Differences {
    fn note(&mut self, field: &'static str, whole: String, fast: String, at: NodeRef<'_>, of: &str) {
        let entry = self.by_field.entry(field).or_default();
        entry.0 += 1;
        if entry.0 == 1 {
            let path: Vec<&str> = at.ancestors().take(4).map(|above| above.tag()).collect();
            let shown = |text: String| text.chars().take(120).collect::<String>();
            entry.1 = format!("{of}: {at:?} in {path:?}: whole {}, fast {}", shown(whole), shown(fast));
        }
    }

    pub fn add(&mut self, look: &FastLook, scenario: &str) {
        let of = format!("{scenario} step {}", look.step);
        self.steps += 1;
        self.fallbacks += look.fallbacks;
        self.micros = (self.micros.0 + look.micros.0, self.micros.1 + look.micros.1);
        let (whole, fast) = (&look.whole, &look.fast);
        if whole.len() != fast.len() {
            self.note("nodes", whole.len().to_string(), fast.len().to_string(), whole.root(), &of);
            return;
        }
        for (a, b) in whole.nodes().zip(fast.nodes()) {
            self.nodes += 1;
            self.compare(a, b, &of);
        }
        let page = |page: &Page| {
            format!("{:?} {:?} {:?} {}", page.viewport(), page.scroll(), page.content_size(), page.title())
        };
        let focused = |page: &Page| page.focused().map(|node| node.id());
        if focused(whole) != focused(fast) {
            self.note("focused", format!("{:?}", whole.focused()), format!("{:?}", fast.focused()), whole.root(), &of);
        }
        if page(whole) != page(fast) {
            self.note("page", page(whole), page(fast), whole.root(), &of);
        }
        let (one, other) = (text_of(whole), text_of(fast));
        if one != other {
            let first = one.lines().zip(other.lines()).find(|(a, b)| a != b).unwrap_or(("", ""));
            self.other_text.push(format!("{of}: whole {:?}, fast {:?}", first.0, first.1));
        }
    }

    fn compare(&mut self, a: NodeRef<'_>, b: NodeRef<'_>, of: &str) {
        macro_rules! same {
            ($name:literal, $get:expr) => {{
                let get = $get;
                let (x, y) = (get(a), get(b));
                if x != y {
                    self.note($name, format!("{x:?}"), format!("{y:?}"), a, of);
                }
            }};
        }
        same!("kind", |n: NodeRef<'_>| n.kind());
        same!("key", |n: NodeRef<'_>| n.key());
        same!("depth", |n: NodeRef<'_>| n.depth());
        same!("tag", |n: NodeRef<'_>| n.tag().to_owned());
        same!("text", |n: NodeRef<'_>| n.text().to_owned());
        same!("value", |n: NodeRef<'_>| n.value().to_owned());
        // What is not rendered may have boxes all the same, from when it was; nothing reads them.
        if !(is_drawn(a) && nearly(a.bounds(), b.bounds())) {
            same!("bounds", |n: NodeRef<'_>| Some(n.bounds()).filter(|_| n.visibility() != Visibility::NotRendered));
        }
        same!("visibility", |n: NodeRef<'_>| n.visibility());
        same!("attributes", |n: NodeRef<'_>| n
            .attributes()
            .map(|(k, v)| (k.to_owned(), v.to_owned()))
            .collect::<Vec<_>>());
        same!("covered by", |n: NodeRef<'_>| n.covered_by().map(|cover| cover.id()));
        if a.kind() != NodeKind::Element {
            return;
        }
        let silent = |n: NodeRef<'_>| matches!(n.role(), "generic" | "") && n.name().is_empty();
        let flags = |n: NodeRef<'_>| Flags(n.flags().0 & !Flags::AX_IGNORED.0);
        same!("flags", flags);
        same!("clickability", |n: NodeRef<'_>| n.clickability());
        // The snapshot tells these of what is out of the tree, and the lens shows them.
        same!("selected", |n: NodeRef<'_>| n.selected());
        same!("checked", |n: NodeRef<'_>| n.checked());
        if silent(a) && silent(b) {
            // Nameless generics: the browser's tree lists some of them, the lens shows none for it.
            same!("role of a nameless generic", |n: NodeRef<'_>| n.role().to_owned());
            return;
        }
        same!("role", |n: NodeRef<'_>| n.role().to_owned());
        if a.role() != b.role() {
            *self.roles.entry(format!("<{}> {:?} / {:?}", a.tag(), a.role(), b.role())).or_default() += 1;
        }
        same!("name", |n: NodeRef<'_>| n.name().to_owned());
        same!("description", |n: NodeRef<'_>| n.description().to_owned());
        same!("level", |n: NodeRef<'_>| n.level());
        same!("states", |n: NodeRef<'_>| States(n.states().0 & !UNREAD.0));
    }

    /// Fields that differ, but for the role of nameless generics.
    pub fn telling(&self) -> Vec<String> {
        let telling = self.by_field.iter().filter(|(field, _)| **field != "role of a nameless generic");
        telling.map(|(field, (count, first))| format!("{field}: {count}; first: {first}")).collect()
    }
}

/// Whether a node is a shape in a drawing: nothing reads where exactly.
fn is_drawn(node: NodeRef<'_>) -> bool {
    node.ancestors().any(|above| above.tag() == "svg")
}

/// The browser rounds boxes to a 64th of a px, by where they stand.
fn nearly(a: BoxInDocument, b: BoxInDocument) -> bool {
    let apart = [a.x - b.x, a.y - b.y, a.width - b.width, a.height - b.height];
    apart.iter().all(|apart| apart.abs() <= 1.0 / 32.0)
}

/// Returns what the lens says of a page in full.
fn text_of(page: &Arc<Page>) -> String {
    let strategy = build("lens/a11y", &serde_json::Value::Null).expect("known").expect("no options");
    let mut run = strategy.start(&Task { goal: String::new(), viewport: Viewport::default(), locale: String::new() });
    let alone = PageAlone::default();
    let input = alone.input(0, page);
    run.observe(&input).expect("the lens reads it").text
}

/// Runs a scenario in Chromium and returns both pages of each step.
pub fn looks_of(scenario: &Path) -> Vec<FastLook> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("runtime");
    let folder = tempfile::tempdir().expect("temporary folder");
    let looks = Arc::new(Mutex::new(Vec::new()));
    let mut options = RecordOptions::new(traces().join("sites"), folder.path().join("a.trace"));
    // Some pages change while they are left alone, and the next step needs that.
    options.second_look = scenario.to_string_lossy().contains("live");
    options.fast_looks = Some(Arc::clone(&looks));
    let scenario = Scenario::load(scenario).expect("a scenario");
    runtime.block_on(record(&scenario, &options)).unwrap_or_else(|error| panic!("{}: {error}", scenario.name));
    let mut looks = looks.lock().expect("nobody panicked");
    std::mem::take(&mut *looks)
}
