//! A small recording, made from raw payloads of the shape that Chromium gives.
#![allow(dead_code, missing_docs, clippy::unwrap_used, reason = "shared by test files that each use a part")]

pub mod planted;

use browserlens_core::page::{Capture, NodeKey, Payload, PayloadKind, Viewport};
use browserlens_core::strategy::*;
use browserlens_trace::*;
use std::path::Path;
use std::sync::Arc;

pub const PNG: &[u8] = b"\x89PNG\r\n\x1a\nnot really";

pub fn meta() -> TraceMeta {
    TraceMeta {
        scenario: "test/login".into(),
        goal: "Log in".into(),
        site: Some("login".into()),
        source: TraceSource::Recorded,
        viewport: Viewport::default(),
        locale: "en-US".into(),
        timezone: "UTC".into(),
        browser: "Chromium 156".into(),
        tool: "browserlens 0.1.0".into(),
        recorded_at: None,
    }
}

/// A form with a text, a field for a name, a field whose attributes and value are given, and an
/// iframe.
pub struct RawPage<'a> {
    pub ids: i64,
    pub heading: &'a str,
    pub field: &'a [(&'a str, &'a str)],
    pub value: &'a str,
    pub url: &'a str,
}

impl Default for RawPage<'_> {
    fn default() -> Self {
        Self {
            ids: 10,
            heading: "Sign in",
            field: &[("type", "password"), ("name", "pw")],
            value: "",
            url: "http://login.test/",
        }
    }
}

pub struct RawPayloads {
    pub main: String,
    pub frames: String,
    pub snapshot: String,
    pub ax: String,
    pub listeners: String,
}

fn quote(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

impl RawPage<'_> {
    pub fn payloads(&self) -> RawPayloads {
        let ids = self.ids;
        let (main, inner) = (format!("MAIN{ids}"), format!("INNER{ids}"));
        let frames = format!(
            r#"{{ "frameTree": {{ "frame": {{"id":"{main}","loaderId":"LM{ids}","url":{url},
              "domainAndRegistry":""}}, "childFrames":[{{"frame":{{"id":"{inner}","parentId":"{main}",
              "loaderId":"LI{ids}","url":"about:srcdoc"}}}}]}}}}"#,
            url = quote(self.url)
        );
        let mut strings: Vec<String> = Vec::new();
        let mut index = |text: &str| -> usize {
            strings.iter().position(|known| known == text).unwrap_or_else(|| {
                strings.push(text.to_owned());
                strings.len() - 1
            })
        };
        let url = index(self.url);
        let frame = index(&main);
        let names: Vec<usize> =
            ["#document", "HTML", "BODY", "H1", "#text", "INPUT", "IFRAME"].iter().map(|name| index(name)).collect();
        let heading = index(self.heading);
        let attributes: Vec<usize> =
            self.field.iter().flat_map(|(name, value)| [*name, *value]).map(&mut index).collect();
        let value = if self.value.is_empty() { -1 } else { index(self.value) as i64 };
        let inner_frame = index(&inner);
        let backends: Vec<i64> = (0..7).map(|node| ids * 7 + node * 3).collect();
        let snapshot = format!(
            r#"{{"documents":[{{"documentURL":{url},"title":-1,"frameId":{frame},
              "nodes":{{"parentIndex":[-1,0,1,2,3,2,2],"nodeType":[9,1,1,1,3,1,1],"nodeName":{names:?},
              "nodeValue":[-1,-1,-1,-1,{heading},-1,-1],"backendNodeId":{backends:?},
              "attributes":[[],[],[],[],[],{attributes:?},[]],"textValue":{{"index":[],"value":[]}},
              "inputValue":{{"index":[5],"value":[{value}]}},"contentDocumentIndex":{{"index":[6],
              "value":[1]}}}},"layout":{{"nodeIndex":[4],"styles":[[]],"bounds":[[0,0,100,20]],
              "text":[{heading}]}},"scrollOffsetX":0,"scrollOffsetY":0}},{{"documentURL":{url},
              "frameId":{inner_frame},"nodes":{{"parentIndex":[-1],"nodeType":[9],"nodeName":[{document}],
              "backendNodeId":[{inner_backend}],"attributes":[[]]}},"layout":{{"nodeIndex":[],"text":[]}}}}],
              "strings":{strings}}}"#,
            document = names[0],
            inner_backend = ids * 7 + 100,
            strings = serde_json::to_string(&strings).unwrap()
        );
        let inline = -1000 - ids;
        let ax = format!(
            r#"{{"nodes":[{{"nodeId":"{root}","ignored":false,"role":{{"type":"internalRole",
              "value":"RootWebArea"}},"name":{{"type":"computedString","value":"T"}},
              "properties":[{{"name":"url","value":{{"type":"string","value":{url}}}}}],"childIds":["{h1}",
              "{field}"],"backendDOMNodeId":{root},"frameId":"{main}"}},{{"nodeId":"{h1}","ignored":false,
              "role":{{"type":"role","value":"heading"}},"name":{{"type":"computedString","value":{heading}}},
              "parentId":"{root}","childIds":["{text}"],"backendDOMNodeId":{h1}}},{{"nodeId":"{text}",
              "ignored":false,"role":{{"type":"internalRole","value":"StaticText"}},
              "name":{{"type":"computedString","value":{heading}}},"parentId":"{h1}","childIds":["{inline}"],
              "backendDOMNodeId":{text}}},{{"nodeId":"{inline}","ignored":false,"role":{{"type":"internalRole",
              "value":"InlineTextBox"}},"parentId":"{text}","childIds":[]}},{{"nodeId":"{field}","ignored":false,
              "role":{{"type":"role","value":"textbox"}},"name":{{"type":"computedString","value":"Code"}},
              "value":{{"type":"string","value":{value}}},"properties":[{{"name":"labelledby",
              "value":{{"type":"nodeList","relatedNodes":[{{"backendDOMNodeId":{h1},"idref":"h"}}]}}}}],
              "parentId":"{root}","childIds":["-{anon}"],"backendDOMNodeId":{field}}},{{"nodeId":"-{anon}",
              "ignored":false,"role":{{"type":"internalRole","value":"StaticText"}},
              "name":{{"type":"computedString","value":{value}}},"parentId":"{field}","childIds":[]}}]}}"#,
            root = backends[0],
            h1 = backends[3],
            text = backends[4],
            field = backends[5],
            anon = ids + 5000,
            heading = quote(self.heading),
            url = quote(self.url),
            value = quote(self.value)
        );
        let listeners = format!(
            r#"{{"listeners":[{{"type":"click","useCapture":false,"backendNodeId":{field}}},{{"type":"focus",
              "backendNodeId":{field}}},{{"type":"click","backendNodeId":{h1}}},{{"type":"click",
              "backendNodeId":{field}}},{{"type":"click","backendNodeId":{other}}}]}}"#,
            field = backends[5],
            h1 = backends[3],
            other = ids * 7 + 100
        );
        RawPayloads { main, frames, snapshot, ax, listeners }
    }

    pub fn capture(&self, canonicalizer: &mut Canonicalizer) -> Capture {
        let raw = self.payloads();
        let frames = canonicalizer.frames(&raw.frames, None).unwrap();
        let snapshot = canonicalizer.snapshot(&raw.snapshot).unwrap();
        let ax = canonicalizer.ax(&raw.main, &raw.ax).unwrap();
        let listeners = canonicalizer.listeners(&raw.main, &raw.listeners).unwrap();
        let probe = format!(r#"{{"text":{},"scroll":[0.0,0.0]}}"#, quote(self.heading));
        let text = |kind, frame, body: &str| Payload { kind, frame, node: 0, body: Arc::from(body.as_bytes()) };
        Capture {
            payloads: vec![
                text(PayloadKind::Frames, 1, &frames),
                text(PayloadKind::Snapshot, 1, &snapshot),
                text(PayloadKind::Ax, 1, &ax),
                text(PayloadKind::Listeners, 1, &listeners),
                text(PayloadKind::Probe, 1, &probe),
                Payload { kind: PayloadKind::Screenshot, frame: 0, node: 0, body: Arc::from(PNG) },
                text(PayloadKind::SecondLook, 1, r#"{"waited_ms":10000,"nodes":7}"#),
            ],
        }
    }
}

/// The key of the page's field.
pub const FIELD: NodeKey = NodeKey { frame: 1, loader: 1, backend: 6 };

pub fn action(kind: ActionKind, text: &str, step: u32) -> ActionRecord {
    let node = NodeHint { role: "textbox".into(), name: "Code".into(), ..NodeHint::default() };
    ActionRecord {
        taken: TakenAction { kind, node: Some(node.clone()), text: text.into(), error: None },
        intent: Intent { action: kind, node: Some(node), text: text.into() },
        target: Some(FIELD),
        acceptable: vec![FIELD, NodeKey { frame: 1, loader: 1, backend: 4 }],
        resolved_in: StepIndex(step - 1),
        point: Some((1.5, 2.0)),
    }
}

pub fn event(position: u64, step: u32, kind: EventKind) -> Event {
    Event { position, step, tab: 0, at_ms: position * 10, kind }
}

pub fn request(url: &str) -> RequestEvent {
    RequestEvent {
        id: 1,
        method: "GET".into(),
        url: url.into(),
        resource_type: "Fetch".into(),
        status: 200,
        ..RequestEvent::default()
    }
}

pub fn console(level: &str, text: &str) -> ConsoleMessage {
    ConsoleMessage { level: level.into(), text: text.into(), ..ConsoleMessage::default() }
}

pub fn step(index: u32, capture: Capture) -> StepRecord {
    let kinds = [
        EventKind::Console(console("error", &format!("Größe {index}"))),
        EventKind::Request(Box::new(RequestEvent {
            response_body: Some(format!("body {index}")),
            ..request("http://login.test/api")
        })),
        EventKind::Dialog(DialogEvent {
            kind: DialogKind::Confirm,
            message: "Sure?".into(),
            accepted: Some(true),
            typed: String::new(),
        }),
        EventKind::Tab(TabEvent { what: "opened".into(), url: "http://login.test/t".into(), title: "T".into() }),
        EventKind::Download(DownloadEvent {
            url: "http://login.test/d".into(),
            file_name: "d.csv".into(),
            bytes: 12,
            state: "completed".into(),
        }),
    ];
    StepRecord {
        index: StepIndex(index),
        tab: 0,
        action: (index > 0).then(|| action(ActionKind::Click, "", index)),
        capture,
        events: (u64::from(index) * 10..).zip(kinds).map(|(position, kind)| event(position, index, kind)).collect(),
        entities: vec![(FIELD, "field/password".into())],
        timings: vec![("DOMSnapshot.captureSnapshot".into(), 1234)],
        settled: Settled { quiet: true, waited_ms: 500, reason: "quiet".into() },
        torn_retries: 0,
    }
}

/// A heading that makes payloads long enough to fill pages.
pub fn heading(index: u32) -> String {
    let words: Vec<String> = (0..400).map(|word| format!("{:x}", (word * 7919 + 13) ^ (word << 7))).collect();
    format!("Step {index} {}", words.join(" "))
}

pub fn steps(count: u32) -> Vec<StepRecord> {
    let mut canonicalizer = Canonicalizer::new();
    (0..count)
        .map(|index| {
            let heading = heading(index);
            step(index, RawPage { heading: &heading, ..RawPage::default() }.capture(&mut canonicalizer))
        })
        .collect()
}

pub fn redactor() -> Redactor {
    Redactor::new(RedactionOptions::default())
}

/// Writes steps and leaves the trace unfinished.
pub fn begin(path: &Path, redactor: Redactor, steps: &[StepRecord]) -> TraceWriter {
    let mut writer = TraceWriter::create(path, &meta(), redactor).unwrap();
    steps.iter().for_each(|step| writer.write_step(step.clone()).unwrap());
    writer
}

pub fn write(path: &Path, steps: &[StepRecord]) {
    begin(path, redactor(), steps).finish(Outcome::Complete).unwrap();
}

/// Writes a trace whose large tables get chunks for searches.
pub fn write_searched(path: &Path, steps: &[StepRecord], options: SearchOptions) {
    let mut writer = begin(path, redactor(), steps);
    writer.set_search(options);
    writer.finish(Outcome::Complete).unwrap();
}
