//! One pass of a peer: what is done at each step instead of writing a trace.
//!
//! In: the stage after an action settled. Out: rows for the peers' file. Invariant: the page is
//! looked at before the tool is asked, and compared with the trace's page of that step; only then
//! does what the tool says count.

use super::process::{Begun, Events, HarnessError, Observed, Output, Process, Reply};
use crate::actions::{Deed, DragEnd};
use crate::aim::Undone;
use crate::capture::ParsedCapture;
use crate::capture_session::CaptureSession;
use browserlens_core::page::{NodeKey, Page, States, Tri};
use browserlens_core::strategy::StepIndex;
use browserlens_peers::Harness;
use browserlens_trace::{Canonicalizer, PeerRow, PeerText, Redactor, Settled, StepRecord, Trace};
use serde_json::json;
use std::time::Duration;

/// One pass under way.
pub(crate) struct Pass {
    pub(super) peer: &'static Harness,
    harness: Option<Process>,
    pub(super) trace: Trace,
    limit: Duration,
    pub(crate) redactor: Redactor,
    rows: Vec<PeerRow>,
    pub(super) failure: Option<String>,
    /// What the tool's own action is at, until it is asked what it shows.
    acted: Option<Begun>,
    /// Actions that the tool could not do by itself, with its reason.
    by_recorder: Vec<String>,
}

/// What a pass leaves.
pub(crate) struct PassEnd {
    pub(crate) rows: Vec<PeerRow>,
    pub(crate) failure: Option<String>,
    pub(crate) redactor: Redactor,
    pub(crate) by_recorder: Vec<String>,
}

impl Pass {
    pub(crate) fn new(
        peer: &'static Harness,
        harness: Process,
        trace: Trace,
        limit: Duration,
        redactor: Redactor,
    ) -> Self {
        Self {
            peer,
            harness: Some(harness),
            trace,
            limit,
            redactor,
            rows: Vec::new(),
            failure: None,
            acted: None,
            by_recorder: Vec::new(),
        }
    }

    /// Lets the tool close and returns what it said.
    pub(crate) async fn end(mut self) -> PassEnd {
        if let Some(harness) = self.harness.take() {
            harness.close().await;
        }
        PassEnd { rows: self.rows, failure: self.failure, redactor: self.redactor, by_recorder: self.by_recorder }
    }

    /// Asks the tool's own action tools to do it; `None` if they cannot and the recorder has to.
    pub(crate) async fn act(
        &mut self,
        stage: &CaptureSession,
        deed: &Deed,
        on: Option<NodeKey>,
        point: Option<(f32, f32)>,
    ) -> Option<Result<(), Undone>> {
        if !self.peer.acts {
            return None;
        }
        let begun = self.begin(stage, deed, on, point).await;
        match begun {
            Ok(begun) => {
                self.acted = Some(begun);
                Some(Ok(()))
            }
            // The harness itself is gone: nothing can be asked any more.
            Err(error @ (HarnessError::Hung { .. } | HarnessError::Ended { .. })) => {
                self.failure.get_or_insert(format!("step {}: {error}", stage.driver.step));
                Some(Err(Undone::Impossible(error.to_string())))
            }
            Err(error) => {
                self.by_recorder.push(format!("step {}: {error}", stage.driver.step));
                None
            }
        }
    }

    async fn begin(
        &mut self,
        stage: &CaptureSession,
        deed: &Deed,
        on: Option<NodeKey>,
        point: Option<(f32, f32)>,
    ) -> Result<Begun, HarnessError> {
        let not_supported = |what: &str| HarnessError::Refused { method: "act".to_owned(), message: what.to_owned() };
        let Some(harness) = self.harness.as_mut() else { return Err(not_supported("the tool is gone")) };
        if point.is_some() {
            return Err(not_supported("its tools take no point inside a node"));
        }
        let node = on.and_then(|key| stage.current.as_ref()?.page.find(key));
        match deed {
            Deed::Check { on }
                if node.is_some_and(|node| node.checked() == Some(if *on { Tri::True } else { Tri::False })) =>
            {
                return Err(not_supported("nothing is to be done, and its tool would toggle"));
            }
            Deed::Press { .. } if node.is_some_and(|node| !node.states().has(States::FOCUSED)) => {
                return Err(not_supported("its tool presses keys only where the focus is"));
            }
            _ => {}
        }
        let mut params = in_the_protocol(deed).ok_or_else(|| not_supported("it has no such action"))?;
        if let Some(key) = on {
            params["ref"] = ref_of(harness, stage, key, self.limit).await?.into();
            let (role, name) = stage.described(key);
            params["element"] = format!("{role} {name:?}").into();
        }
        if let Deed::Drag { to: DragEnd::On { node: to, .. } } = deed {
            params["to_ref"] = ref_of(harness, stage, *to, self.limit).await?.into();
        }
        if let Some(key) = on {
            stage.bring_into_view(deed, key).await;
        }
        harness.begin("act", params, self.limit).await
    }

    /// Asks for everything that the tool shows at a step.
    pub(super) async fn look(
        &mut self,
        step: u32,
        dropped: Option<String>,
        blocked: bool,
        canonicalizer: &Canonicalizer,
    ) -> Result<(), HarnessError> {
        let Some(harness) = self.harness.as_mut() else { return Ok(()) };
        let observed = match self.acted.take() {
            Some(begun) => {
                let reply = match begun {
                    Begun::Answered(reply) => reply,
                    Begun::Acted(id) => harness.settled(id, "act", self.limit).await?,
                };
                let garbled = |error: serde_json::Error| HarnessError::Garbled {
                    method: "act".to_owned(),
                    reason: error.to_string(),
                };
                let reply: Reply = serde_json::from_value(reply).map_err(garbled)?;
                let variant = "incremental".to_owned();
                let refs = reply.refs.unwrap_or_default();
                Observed { outputs: vec![Output { variant, text: reply.text, micros: reply.micros, refs: Some(refs) }] }
            }
            None => {
                let observed = harness.ask("observe", json!({ "dialog": blocked }), self.limit).await?;
                let garbled = |error: serde_json::Error| HarnessError::Garbled {
                    method: "observe".to_owned(),
                    reason: error.to_string(),
                };
                serde_json::from_value(observed).map_err(garbled)?
            }
        };
        for output in observed.outputs {
            if output.text.trim().is_empty() {
                let (method, reason) = ("observe".to_owned(), format!("{} is empty", output.variant));
                return Err(HarnessError::Garbled { method, reason });
            }
            let refs = if dropped.is_none() { keys_of(&output, canonicalizer) } else { Vec::new() };
            self.rows.push(PeerRow {
                step,
                kind: PeerText::Observation,
                variant: output.variant,
                text: if dropped.is_none() { output.text } else { String::new() },
                micros: output.micros,
                dropped: dropped.clone(),
                refs,
            });
        }
        if !self.peer.events {
            return Ok(());
        }
        let events: Events = harness.ask_for("events", self.limit).await?;
        for (kind, listed) in [(PeerText::Console, events.console), (PeerText::Network, events.network)] {
            self.rows.push(PeerRow {
                step,
                kind,
                variant: kind.name().to_owned(),
                text: if dropped.is_none() { listed.text } else { String::new() },
                micros: listed.micros,
                dropped: dropped.clone(),
                refs: Vec::new(),
            });
        }
        Ok(())
    }

    /// Returns why the page of the pass is not the trace's; none if it is.
    pub(super) fn difference(&mut self, step: u32, seen: &ParsedCapture, expected: &Page) -> Option<String> {
        let mut record = StepRecord {
            index: StepIndex(step),
            tab: 0,
            action: None,
            capture: seen.capture.clone(),
            events: Vec::new(),
            entities: Vec::new(),
            timings: Vec::new(),
            settled: Settled::default(),
            torn_retries: 0,
        };
        self.redactor.redact_step(&mut record);
        match Page::parse(&record.capture) {
            Ok(page) if page.hash() == expected.hash() => None,
            Ok(page) => Some(
                expected
                    .first_difference(&page)
                    .unwrap_or_else(|| "the page hash differs, and no node does".to_owned()),
            ),
            Err(error) => Some(format!("the page of the pass does not parse: {error}")),
        }
    }
}

async fn ref_of(
    harness: &mut Process,
    stage: &CaptureSession,
    key: NodeKey,
    limit: Duration,
) -> Result<String, HarnessError> {
    let refused = |message: &str| HarnessError::Refused { method: "ref_of".to_owned(), message: message.to_owned() };
    let (frame, backend) = stage.canonicalizer.raw_backend(key).ok_or_else(|| refused("the node is gone"))?;
    let params = json!({ "backend": backend, "frame": frame });
    let answer = harness.ask("ref_of", params, limit).await?;
    answer["ref"].as_str().map(str::to_owned).ok_or_else(|| refused("the tool gave the node no ref"))
}

/// Returns an action as the harness takes it; none for what tools do not do.
fn in_the_protocol(deed: &Deed) -> Option<serde_json::Value> {
    Some(match deed {
        Deed::Goto { url } => json!({ "kind": "goto", "url": url }),
        Deed::Click { times: 1, right: false } => json!({ "kind": "click" }),
        Deed::Click { times: 2, right: false } => json!({ "kind": "double_click" }),
        Deed::Click { right: true, .. } => json!({ "kind": "right_click" }),
        Deed::Hover => json!({ "kind": "hover" }),
        Deed::Fill { text } => json!({ "kind": "fill", "text": text }),
        Deed::Type { text } => json!({ "kind": "type", "text": text }),
        Deed::Press { key, .. } => json!({ "kind": "press", "key": key }),
        Deed::Select { labels } => json!({ "kind": "select", "option": labels.first() }),
        Deed::Check { on } => json!({ "kind": "check", "checked": on }),
        Deed::Upload { files } => json!({ "kind": "upload", "files": files }),
        Deed::Drag { to: DragEnd::On { point: None, .. } } => json!({ "kind": "drag" }),
        Deed::History { by: -1 } => json!({ "kind": "back" }),
        Deed::Dialog { accept, text } => json!({ "kind": "dialog", "accept": accept, "text": text }),
        _ => return None,
    })
}

/// Returns what handles mean, in the numbers of the recording.
fn keys_of(output: &Output, canonicalizer: &Canonicalizer) -> Vec<(String, NodeKey)> {
    output
        .refs
        .iter()
        .flatten()
        .filter_map(|(handle, backend, frame)| {
            let backend = (*backend)?;
            let frame = canonicalizer.known_frame(frame).or_else(|| frame.is_empty().then_some(1))?;
            Some((handle.clone(), canonicalizer.key(frame, backend)?))
        })
        .collect()
}
