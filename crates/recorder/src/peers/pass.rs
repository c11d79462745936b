//! One pass of a peer: what is done at each step instead of writing a trace.
//!
//! In: the stage after an action settled. Out: rows for the peers' file. Invariant: the page is
//! looked at before the tool is asked, and compared with the trace's page of that step; only then
//! does what the tool says count.

use super::process::{Begun, Events, HarnessError, Observed, Output, Process, RawRef, Said};
use crate::actions::{Deed, DragEnd};
use crate::aim::Undone;
use crate::capture::ParsedCapture;
use crate::capture_session::CaptureSession;
use crate::step_writer::step_of;
use browserlens_core::page::{NodeKey, Page, States, Tri};
use browserlens_core::strategy::StepIndex;
use browserlens_peers::Harness;
use browserlens_trace::{Canonicalizer, PeerRow, PeerText, Redactor, Settled, StepRecord, Trace};
use serde_json::{Value, json};
use std::time::Duration;

/// One pass under way.
pub(crate) struct Pass {
    pub(super) peer: &'static Harness,
    pub(super) harness: Process,
    pub(super) trace: Trace,
    pub(super) limit: Duration,
    pub(crate) redactor: Redactor,
    pub(super) rows: Vec<PeerRow>,
    pub(super) failure: Option<String>,
    /// What the tool's own action is at, until it is asked what it shows.
    pub(super) acted: Option<Begun>,
    /// Actions that the tool could not do by itself, with its reason.
    pub(super) by_recorder: Vec<String>,
}

impl Pass {
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
        if point.is_some() {
            return Err(not_supported("its tools take no point inside a node"));
        }
        let node = on.and_then(|key| stage.current.as_ref()?.page.find(key));
        match (deed, node) {
            (Deed::Check { on }, Some(node)) if node.checked() == Some(if *on { Tri::True } else { Tri::False }) => {
                return Err(not_supported("nothing is to be done, and its tool would toggle"));
            }
            (Deed::Press { .. }, Some(node)) if !node.states().has(States::FOCUSED) => {
                return Err(not_supported("its tool presses keys only where the focus is"));
            }
            _ => {}
        }
        let mut params = in_the_protocol(deed).ok_or_else(|| not_supported("it has no such action"))?;
        if let Some(key) = on {
            params["ref"] = self.ref_of(stage, key).await?.into();
            let (role, name) = stage.described(key);
            params["element"] = format!("{role} {name:?}").into();
        }
        if let Deed::Drag { to: DragEnd::On { node: to, .. } } = deed {
            params["to_ref"] = self.ref_of(stage, *to).await?.into();
        }
        if let Some(key) = on {
            stage.bring_into_view(deed, key).await;
        }
        self.harness.begin("act", params, self.limit).await
    }

    /// Returns the tool's own handle of a node.
    async fn ref_of(&mut self, stage: &CaptureSession, key: NodeKey) -> Result<String, HarnessError> {
        let refused =
            |message: &str| HarnessError::Refused { method: "ref_of".to_owned(), message: message.to_owned() };
        let (frame, backend) = stage.canonicalizer.raw_backend(key).ok_or_else(|| refused("the node is gone"))?;
        let params = json!({ "backend": backend, "frame": frame });
        let answer: Value = self.harness.ask("ref_of", params, self.limit).await?;
        answer["ref"].as_str().map(str::to_owned).ok_or_else(|| refused("the tool gave the node no ref"))
    }

    /// Asks for everything that the tool shows at a step.
    pub(super) async fn look(
        &mut self,
        step: u32,
        dropped: Option<String>,
        blocked: bool,
        canonicalizer: &Canonicalizer,
    ) -> Result<(), HarnessError> {
        let outputs = match self.acted.take() {
            Some(begun) => {
                let said = self.harness.settled(begun, "act", self.limit).await?;
                vec![Output { variant: "incremental".to_owned(), said }]
            }
            None => {
                let params = json!({ "dialog": blocked });
                self.harness.ask::<Observed>("observe", params, self.limit).await?.outputs
            }
        };
        let row = |kind: PeerText, variant: String, said: Said| PeerRow {
            step,
            kind,
            variant,
            refs: if dropped.is_none() { keys_of(&said, canonicalizer) } else { Vec::new() },
            text: if dropped.is_none() { said.text } else { String::new() },
            micros: said.micros,
            dropped: dropped.clone(),
        };
        for Output { variant, said } in outputs {
            if said.text.trim().is_empty() {
                let (method, reason) = ("observe".to_owned(), format!("{variant} is empty"));
                return Err(HarnessError::Garbled { method, reason });
            }
            self.rows.push(row(PeerText::Observation, variant, said));
        }
        if self.peer.events {
            let events: Events = self.harness.ask("events", json!({}), self.limit).await?;
            for (kind, listed) in [(PeerText::Console, events.console), (PeerText::Network, events.network)] {
                self.rows.push(row(kind, kind.name().to_owned(), Said { refs: None, ..listed }));
            }
        }
        Ok(())
    }

    /// Returns why the page of the pass is not the trace's; none if it is.
    pub(super) fn difference(&mut self, step: u32, seen: &ParsedCapture, expected: &Page) -> Option<String> {
        let record = step_of(0, seen.capture.clone(), Settled::default());
        let mut record = StepRecord { index: StepIndex(step), ..record };
        self.redactor.redact_step(&mut record);
        match Page::parse(&record.capture) {
            Ok(page) if page.hash() == expected.hash() => None,
            Ok(page) => {
                let none = || "the page hash differs, and no node does".to_owned();
                Some(expected.first_difference(&page).unwrap_or_else(none))
            }
            Err(error) => Some(format!("the page of the pass does not parse: {error}")),
        }
    }
}

/// Returns an action as the harness takes it; none for what tools do not do.
fn in_the_protocol(deed: &Deed) -> Option<Value> {
    Some(match deed {
        Deed::Goto { url } => json!({ "kind": "goto", "url": url }),
        Deed::Click { times: 1, right: false, .. } => json!({ "kind": "click" }),
        Deed::Click { times: 2, right: false, .. } => json!({ "kind": "double_click" }),
        Deed::Click { right: true, .. } => json!({ "kind": "right_click" }),
        Deed::Hover => json!({ "kind": "hover" }),
        Deed::Fill { text } => json!({ "kind": "fill", "text": text }),
        Deed::Type { text } => json!({ "kind": "type", "text": text }),
        Deed::Press { keys } => json!({ "kind": "press", "key": keys.first()?.0 }),
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
fn keys_of(said: &Said, canonicalizer: &Canonicalizer) -> Vec<(String, NodeKey)> {
    let key = |(handle, backend, frame): &RawRef| {
        let frame = canonicalizer.known_frame(frame).or_else(|| frame.is_empty().then_some(1))?;
        Some((handle.clone(), canonicalizer.key(frame, (*backend)?)?))
    };
    said.refs.iter().flatten().filter_map(key).collect()
}
