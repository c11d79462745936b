//! A fast look that reads the page whole.
//!
//! In: the driver and what it knows of the tab. Out: a [`Look`], and what later looks write changes
//! into. Invariant: calls are sent before earlier answers are awaited, and what the browser answers
//! first is parsed while it works on the rest.

use super::accessibility::{AxRow, Collected, listeners};
use super::mirror::{HeardAt, Mirror, MirrorOf};
use super::order::Elements;
use super::{Coming, FastState, STYLES, Unkept, string_of, style_indices};
use crate::capture::{LOOK_LIMIT, Look, LookedFrame, mutations_of, snapshot_params};
use crate::driver::Driver;
use crate::messages::FrameInfo;
use crate::socket::{CallError, Pending, Reply};
use browserlens_core::page::PayloadKind;
use browserlens_core::page::raw::{Rect, Snapshot};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Instant;

/// What the script says of the nodes that it keeps.
#[derive(Deserialize)]
struct Kept {
    #[serde(default)]
    count: usize,
    #[serde(default)]
    hash: i32,
    /// Whether anything that it keeps may have changed since the look began.
    moved: bool,
}

/// Padding and scroll box of an element.
#[derive(Deserialize)]
struct Rects([f64; 4], [f64; 4]);

/// One frame under way.
struct FrameCalls {
    looked: LookedFrame,
    loader: String,
    /// What it says of itself, where nothing is known from a look before.
    stamp: Option<Pending>,
    /// Mutations counted before.
    begun: Option<Pending>,
    collected: Option<Pending>,
    listeners: Option<Pending>,
    elements: Option<Elements>,
    /// Row of each box whose padding and scroll box is asked for, and the answer.
    rows: Vec<usize>,
    rects: Option<Pending>,
    probe: Option<Pending>,
}

/// What a frame answered.
struct Answers {
    stamp: Option<String>,
    begun: Result<Reply, CallError>,
    listeners: Option<Reply>,
    collected: Option<Collected>,
    rects: Option<Vec<Rects>>,
    end: Result<Reply, CallError>,
}

fn read<T: DeserializeOwned>(reply: Result<Reply, CallError>) -> Option<T> {
    serde_json::from_str(&string_of(&reply.ok()?)).ok()
}

/// Awaits an answer; what was not asked has none.
async fn answer(pending: &mut Option<Pending>) -> Result<Reply, CallError> {
    match pending.take() {
        Some(pending) => pending.answer(LOOK_LIMIT).await,
        None => Err(CallError::Gone),
    }
}

impl FrameCalls {
    async fn answers(&mut self) -> Answers {
        Answers {
            stamp: answer(&mut self.stamp).await.ok().map(|stamp| string_of(&stamp)),
            begun: answer(&mut self.begun).await,
            listeners: answer(&mut self.listeners).await.ok(),
            collected: read(answer(&mut self.collected).await),
            rects: read(answer(&mut self.rects).await),
            end: answer(&mut self.probe).await,
        }
    }

    fn fits(&self, answers: &Answers) -> bool {
        self.elements.as_ref().zip(answers.collected.as_ref()).is_some_and(|(elements, read)| read.fits(elements))
    }
}

impl Driver {
    /// Looks at the current tab without what a live observation does not need.
    pub(crate) async fn fast_look(&self, fast: &mut FastState) -> Result<Look, CallError> {
        let mut look = Look::default();
        fast.mirror = None;
        fast.coming = None;
        // Parents come first, so that it is known of each frame whether its element is out of the
        // tree.
        let sessions = self.browser.read().sessions_of(self.tab);
        let mut hidden = HashSet::new();
        for (id, session) in &sessions {
            let Some(frames) = self.look_at_frames(&mut look, id, session).await? else { continue };
            let root = session.root_frame.clone();
            self.fast_session(fast, &mut look, &mut hidden, id, &root, frames).await?;
        }
        Ok(look)
    }

    fn ask_snapshot(&self, session: &str, with_rects: bool) -> Pending {
        let params = snapshot_params(&STYLES, with_rects);
        self.socket.send(Some(session), "DOMSnapshot.captureSnapshot", &params)
    }

    /// Reads one session.
    async fn fast_session(
        &self,
        fast: &mut FastState,
        look: &mut Look,
        hidden: &mut HashSet<(String, i64)>,
        session: &str,
        root: &str,
        frames: Vec<FrameInfo>,
    ) -> Result<(), CallError> {
        let fresh = !fast.stamps.keys().any(|(of, _)| of == session);
        let tells = fast.enabled.contains(session) || !fast.without.contains(session);
        // A page with one frame is kept, so that what changes can be written into it; others say
        // whether anything changed.
        let keeps = frames.len() == 1
            && self.frames_of_tab().len() == 1
            && tells
            && frames.first().is_some_and(|frame| fast.unkept.as_ref() != Some(&frame.loader_id));
        let mut worlds = Vec::new();
        for FrameInfo { id: frame, loader_id: loader, .. } in frames {
            match self.fast_world(fast, session, &frame, &loader).await {
                Ok(own_world) => {
                    let main_world = self.main_world(session, &frame);
                    worlds.push((LookedFrame { session: session.to_owned(), frame, own_world, main_world }, loader));
                }
                Err(error) => look.tear(error)?,
            }
        }
        let tells = fast.enabled.contains(session);
        let keeps = keeps && tells;
        let began = Instant::now();
        let begun: Vec<(Option<Pending>, Pending)> = worlds
            .iter()
            .map(|(looked, _)| {
                let ask = |expression: &str| self.ask_world(session, looked.own_world, expression);
                ((fresh && !keeps).then(|| ask("browserLensCollect.stamp()")), ask("browserLensPatch.begin()"))
            })
            .collect();
        // Padding and scroll boxes of all elements are half of a snapshot's time; those that say
        // anything are asked of the script.
        let snapshot = self.ask_snapshot(session, !tells);
        let metrics = self.socket.send(Some(session), "Page.getLayoutMetrics", &json!({}));
        let mut calls: Vec<FrameCalls> = worlds
            .into_iter()
            .zip(begun)
            .map(|((looked, loader), (stamp, begun))| FrameCalls {
                listeners: looked.main_world.as_ref().map(|world| self.ask_listeners(session, world)),
                collected: tells
                    .then(|| self.ask_world(session, looked.own_world, "JSON.stringify(browserLensCollect.collect())")),
                looked,
                loader,
                stamp,
                begun: Some(begun),
                elements: None,
                rows: Vec::new(),
                rects: None,
                probe: None,
            })
            .collect();
        let mut snapshot: Snapshot = self.answer(snapshot, LOOK_LIMIT).await?.read()?;
        for call in &mut calls {
            call.elements = Elements::of_frame(&snapshot, &call.looked.frame);
            let ask = |expression: &str| self.ask_world(session, call.looked.own_world, expression);
            if let (true, Some(elements)) = (tells, &call.elements) {
                let (places, rows): (Vec<usize>, Vec<usize>) = elements.with_rects(&snapshot).into_iter().unzip();
                call.rects = Some(ask(&format!("JSON.stringify(browserLensCollect.rects({places:?}))")));
                call.rows = rows;
            }
            call.probe = Some(ask("browserLensCollect.probe()"));
        }
        // Nobody waits for it: the browser notes where everything stands while the page is parsed.
        let kept = calls.first().filter(|_| keeps).and_then(|call| Some((call, call.elements.as_ref()?))).map(
            |(call, elements)| {
                let kept = format!("JSON.stringify(browserLensPatch.keep('{}'))", elements.box_kinds(&snapshot));
                self.ask_world(session, call.looked.own_world, &kept)
            },
        );
        let answered = async {
            let mut answers = Vec::new();
            for call in &mut calls {
                answers.push(call.answers().await);
            }
            (answers, metrics.answer(LOOK_LIMIT).await)
        };
        let (answers, metrics) = self.unless_interrupted(answered, LOOK_LIMIT).await?;
        look.timings.push(("fast".to_owned(), began.elapsed().as_micros() as u64));
        if tells && !write_rects(&mut snapshot, &calls, &answers) {
            snapshot = self.answer(self.ask_snapshot(session, true), LOOK_LIMIT).await?.read()?;
            for call in &mut calls {
                call.elements = Elements::of_frame(&snapshot, &call.looked.frame);
            }
        }
        snapshot.computed_styles = Some(style_indices());
        let snapshot = Arc::new(snapshot);
        look.columns.push((root.to_owned(), Arc::clone(&snapshot)));
        match metrics {
            Ok(reply) => look.push(PayloadKind::Metrics, root, reply.text()),
            Err(error) => look.tear(error)?,
        }
        let mut heard = None;
        for (call, answers) in calls.into_iter().zip(answers) {
            let loader = call.loader.clone();
            let rows = self.fast_frame(fast, look, hidden, call, answers).await?;
            heard = heard.or(rows.map(|rows| (loader, rows)));
        }
        let frames = look.payloads.iter().find(|payload| payload.kind == PayloadKind::Frames);
        if let (Some(kept), Some((loader, heard)), Some(frames), false) = (kept, heard, frames, look.torn) {
            let (session, frame, frames) = (session.to_owned(), root.to_owned(), frames.body.clone());
            let of = MirrorOf { session, frame, loader: loader.clone(), frames };
            let mirror = tokio::spawn(async move {
                let kept: Option<Kept> = read(kept.answer(LOOK_LIMIT).await);
                let kept = kept.ok_or(Unkept::Never)?;
                if kept.moved {
                    return Err(Unkept::Moved);
                }
                let mut mirror = Mirror::of(&snapshot, (kept.count, kept.hash), of).ok_or(Unkept::Never)?;
                mirror.hear(heard);
                Ok(mirror)
            });
            fast.coming = Some(Coming { loader, mirror });
        }
        fast.elsewhere = false;
        Ok(())
    }

    /// Takes over what one frame answered; returns what its elements are said to be, by their
    /// place, where the script saw those of the snapshot.
    async fn fast_frame(
        &self,
        fast: &mut FastState,
        look: &mut Look,
        hidden: &mut HashSet<(String, i64)>,
        call: FrameCalls,
        answers: Answers,
    ) -> Result<Option<HeardAt>, CallError> {
        let fits = call.fits(&answers);
        let FrameCalls { looked, loader, elements, .. } = call;
        let (session, frame) = (looked.session.clone(), looked.frame.clone());
        if let Some(stamp) = answers.stamp {
            fast.stamps.insert((session.clone(), frame.clone()), format!("{loader}|{stamp}"));
        }
        let holder = match elements.as_ref().and_then(|elements| elements.held_by) {
            Some(holder) => Some((session.clone(), holder)),
            None => look.owners.get(&frame).cloned(),
        };
        let is_hidden = holder.is_some_and(|holder| hidden.contains(&holder));
        let mut heard = None;
        if let (Some(elements), Some(read)) = (&elements, answers.collected) {
            // Counted among themselves: closed shadow trees, which scripts do not see, hold other
            // elements.
            let of_tree = read.hidden.iter().filter_map(|nth| elements.holders.get(*nth));
            let out = if is_hidden { elements.holders.iter().collect() } else { of_tree.collect::<Vec<_>>() };
            hidden.extend(out.into_iter().map(|holder| (session.clone(), *holder)));
            heard = fits.then(|| read.rows.into_iter().map(AxRow::heard).collect::<HeardAt>());
        }
        match (&heard, &elements) {
            _ if is_hidden => look.said.push((frame.clone(), Vec::new())),
            (Some(heard), Some(elements)) => {
                let of = |(place, heard): &(usize, Arc<_>)| Some((*elements.backends.get(*place)?, Arc::clone(heard)));
                look.said.push((frame.clone(), heard.iter().filter_map(of).collect()));
            }
            // The script sees another tree than the snapshot, or the browser does not say roles:
            // the protocol's own tree.
            _ => {
                if self.setup.tree_anew {
                    self.drop_tree(&session);
                }
                let params = json!({ "frameId": frame });
                look.read(self, &session, "Accessibility.getFullAXTree", &params, PayloadKind::Ax, &frame).await?;
            }
        }
        match answers.listeners.and_then(|reply| listeners(&reply, &elements.as_ref()?.backends)) {
            Some(body) => look.push(PayloadKind::Listeners, &frame, body),
            None => look.listeners(self, &looked).await?,
        }
        look.frames.push(looked);
        match (answers.begun, answers.end) {
            (Ok(begun), Ok(end)) => {
                let body = string_of(&end);
                let before = begun.value()["result"]["value"].as_u64();
                look.torn |= before.is_none() || before != mutations_of(&body);
                look.push(PayloadKind::Probe, &frame, body);
            }
            (Err(error), _) | (_, Err(error)) => look.tear(error)?,
        }
        Ok(heard.filter(|_| !is_hidden))
    }
}

/// Writes padding and scroll boxes that scripts read into the snapshot; returns whether every
/// frame's script saw the snapshot's elements.
fn write_rects(snapshot: &mut Snapshot, calls: &[FrameCalls], answers: &[Answers]) -> bool {
    for (call, answers) in calls.iter().zip(answers) {
        let (Some(elements), Some(rects)) = (&call.elements, &answers.rects) else { return false };
        if !call.fits(answers) || call.rows.len() != rects.len() {
            return false;
        }
        let layout = &mut snapshot.documents[elements.document].layout;
        layout.client_rects.resize(layout.node_index.len(), Rect::default());
        layout.scroll_rects.resize(layout.node_index.len(), Rect::default());
        for (row, Rects(client, scroll)) in call.rows.iter().zip(rects) {
            layout.client_rects[*row] = Rect::of(*client);
            layout.scroll_rects[*row] = Rect::of(*scroll);
        }
    }
    // A frame that nothing was asked of has boxes that nobody knows.
    calls.len() == snapshot.documents.len()
}
