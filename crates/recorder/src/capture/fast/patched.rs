//! A fast look that reads what changed and writes it into what was read before.
//!
//! In: the page as it was read last. Out: a [`Look`] at the page as it is now, or none if nothing
//! changed. Invariant: where it cannot be told what a change reaches, nothing is patched and the
//! page is read whole.

use super::changes::{Changes, Described, NewNode};
use super::mirror::Mirror;
use super::{FastState, Found, LookWay, string_of, style_indices};
use crate::capture::{LOOK_LIMIT, Look, LookedFrame};
use crate::driver::Driver;
use crate::socket::{CallError, Pending};
use browserlens_core::page::PayloadKind;
use serde::Deserialize;
use serde_json::json;
use std::sync::Arc;
use std::time::Instant;

impl Driver {
    /// Writes what changed into what is known of the page, and keeps that unless the page must be
    /// read whole.
    pub(super) async fn patched(&self, fast: &mut FastState, mut mirror: Mirror) -> Result<Found, CallError> {
        let frames = self.frames_of_tab();
        let [(session, frame, loader, main_world)] = &frames[..] else {
            fast.way = LookWay::Again("frames came".to_owned());
            return Ok(Found::Unknown);
        };
        let world = fast.worlds.get(&(session.clone(), frame.clone(), loader.clone())).copied();
        let known = (&mirror.of.session, &mirror.of.frame, &mirror.of.loader) == (session, frame, loader);
        let (Some(own_world), true) = (world, known) else { return Ok(Found::Unknown) };
        let began = Instant::now();
        let told = self.ask_world(session, own_world, "JSON.stringify(browserLensPatch.patch())");
        // Sent with it, should there be something new: under way and back is what a small change
        // takes longest.
        let roots: Vec<Pending> = (0..2).map(|root| self.ask_new(session, own_world, root)).collect();
        let told = string_of(&self.answer(told, LOOK_LIMIT).await?);
        let changes: Changes = serde_json::from_str(&told).map_err(|error| CallError::Unreadable(error.to_string()))?;
        if !matches!(changes.kind.as_str(), "same" | "patch") {
            fast.way = LookWay::Again(changes.why);
            return Ok(Found::Unknown);
        }
        if changes.kind == "same" && !fast.elsewhere {
            (fast.mirror, fast.way) = (Some(mirror), LookWay::Unchanged);
            return Ok(Found::Same);
        }
        // What is new is asked for first: it is written in while the browser works on the rest.
        let described = self.ask_described(session, own_world, roots, changes.objects).await?;
        let listeners = main_world.as_ref().map(|world| self.ask_listeners(session, world));
        let metrics = self.socket.send(Some(session), "Page.getLayoutMetrics", &json!({}));
        let probe = self.ask_world(session, own_world, "browserLensCollect.probe()");
        if changes.kind == "patch" {
            let described = self.new_nodes(session, described, &changes).await?;
            if let Err(reason) = mirror.apply(changes, &described) {
                fast.way = LookWay::Again(reason.to_owned());
                return Ok(Found::Unknown);
            }
        }
        let mut look = Look::default();
        look.columns.push((frame.clone(), Arc::new(mirror.snapshot(style_indices()))));
        look.said.push((frame.clone(), mirror.heard()));
        let answered = async {
            let listeners = match listeners {
                Some(pending) => Some(pending.answer(LOOK_LIMIT).await),
                None => None,
            };
            (metrics.answer(LOOK_LIMIT).await, probe.answer(LOOK_LIMIT).await, listeners)
        };
        let (metrics, probe, listeners) = self.unless_interrupted(answered, LOOK_LIMIT).await?;
        look.push(PayloadKind::Frames, frame, mirror.of.frames.as_str());
        look.push(PayloadKind::Metrics, frame, metrics?.text());
        look.push(PayloadKind::Probe, frame, string_of(&probe?));
        if let Some(reply) = listeners {
            let body = super::accessibility::listeners(&reply?, &mirror.elements());
            let other = || CallError::Unreadable("listeners of other elements".to_owned());
            look.push(PayloadKind::Listeners, frame, body.ok_or_else(other)?);
        }
        look.timings.push(("fast".to_owned(), began.elapsed().as_micros() as u64));
        let (session, frame, main_world) = (session.clone(), frame.clone(), main_world.clone());
        look.frames.push(LookedFrame { session, frame, own_world, main_world });
        fast.elsewhere = false;
        (fast.mirror, fast.way) = (Some(mirror), LookWay::Patched);
        Ok(Found::Look(Box::new(look)))
    }

    /// Asks for all that is in the objects that hold what is new; `objects` are the first of them.
    async fn ask_described(
        &self,
        session: &str,
        world: i64,
        mut objects: Vec<Pending>,
        count: usize,
    ) -> Result<Vec<Pending>, CallError> {
        objects.extend((objects.len()..count).map(|object| self.ask_new(session, world, object)));
        let mut asked = Vec::new();
        for object in objects.into_iter().take(count) {
            let object = object.answer(LOOK_LIMIT).await?.value();
            let params = json!({ "objectId": object["result"]["objectId"], "depth": -1 });
            asked.push(self.socket.send(Some(session), "DOM.describeNode", &params));
        }
        Ok(asked)
    }

    /// Returns the new nodes, in document order.
    async fn new_nodes(
        &self,
        session: &str,
        asked: Vec<Pending>,
        changes: &Changes,
    ) -> Result<Vec<NewNode>, CallError> {
        #[derive(Deserialize)]
        struct Answer {
            node: Described,
        }
        let mut described = Vec::new();
        for pending in asked {
            described.push(pending.answer(LOOK_LIMIT).await?.read::<Answer>()?.node);
        }
        let mut found = Vec::new();
        for (object, child) in &changes.roots {
            if !described.get(*object).is_some_and(|node| node.flat(*child, &mut found)) {
                return Err(CallError::Unreadable("a new node that is not described".to_owned()));
            }
        }
        if !described.is_empty() {
            let released = json!({ "objectGroup": "browserlens-new" });
            drop(self.socket.send(Some(session), "Runtime.releaseObjectGroup", &released));
        }
        Ok(found)
    }

    /// Asks for one of the roots of what is new, as an object.
    fn ask_new(&self, session: &str, world: i64, root: usize) -> Pending {
        let expression = format!("globalThis.browserLensNew?.[{root}]");
        let params = json!({ "expression": expression, "contextId": world, "objectGroup": "browserlens-new" });
        self.socket.send(Some(session), "Runtime.evaluate", &params)
    }
}
