//! From a node to the point where it is acted on.
//!
//! In: a node key, and what the point is wanted for. Out: a point in CSS px of the tab's viewport,
//! in whatever frame and process the node lives. Invariant: a point that is given out is reached by
//! the pointer, unless only a place was asked for.

use crate::capture::ParsedCapture;
use crate::driver::Driver;
use crate::socket::CallError;
use browserlens_core::page::NodeKey;
use browserlens_trace::Canonicalizer;
use chromiumoxide::cdp::browser_protocol::input::MouseButton;
use serde::Serialize;
use serde_json::{Value, json};

/// Why an action could not be done.
#[derive(Debug)]
pub(crate) enum Undone {
    Impossible(String),
    /// The node is not in the document any more.
    Gone(NodeKey),
    Call(CallError),
}

impl From<CallError> for Undone {
    fn from(error: CallError) -> Self {
        match error {
            // What the browser refuses to do with a node is about the node.
            CallError::Refused { message } => Self::Impossible(message),
            other => Self::Call(other),
        }
    }
}

pub(crate) fn impossible<T>(reason: impl Into<String>) -> Result<T, Undone> {
    Err(Undone::Impossible(reason.into()))
}

/// What the page was like before an action, to act within it.
pub(crate) struct Scene<'a> {
    pub(crate) seen: Option<&'a ParsedCapture>,
    pub(crate) canonicalizer: &'a Canonicalizer,
}

/// A node in the browser.
#[derive(Clone, Debug)]
pub(crate) struct Handle {
    pub(crate) session: String,
    pub(crate) frame: String,
    pub(crate) backend: i64,
    pub(crate) object: String,
    /// The recorder's world in which the object is.
    pub(crate) world: i64,
}

/// What a point of a node is wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Aim {
    /// To act on it: it must be enabled and reachable.
    Act,
    /// To touch it: it must be reachable.
    Touch,
    /// As a place only, such as the end of a drag: a point that is said may lie beside the node.
    Place,
}

impl Driver {
    pub(crate) async fn handle(&self, key: NodeKey, scene: &Scene<'_>) -> Result<Handle, Undone> {
        let gone = || Undone::Gone(key);
        let place = scene.seen.and_then(|seen| self.place_of(key, seen, scene.canonicalizer));
        let (frame, backend) = place.ok_or_else(gone)?;
        let session = frame.session.clone();
        let params =
            json!({ "backendNodeId": backend, "executionContextId": frame.own_world, "objectGroup": "browserlens" });
        let reply = match self.call(&session, "DOM.resolveNode", &params).await {
            Ok(reply) => reply.value(),
            Err(CallError::Refused { .. }) => return Err(gone()),
            Err(error) => return Err(Undone::Call(error)),
        };
        let object = reply["object"]["objectId"].as_str().ok_or_else(gone)?.to_owned();
        // A node that was taken out is kept by the page's scripts, or by the browser for a while.
        let there = self.call_on(&session, &object, "function () { return this.isConnected }", &[]).await?;
        if there.as_bool() == Some(false) {
            return Err(gone());
        }
        Ok(Handle { session, frame: frame.frame.clone(), backend, object, world: frame.own_world })
    }

    /// Asks the act script about an element.
    pub(crate) async fn ask(&self, handle: &Handle, name: &str, arguments: &[Value]) -> Result<Value, Undone> {
        let function = format!("function (...args) {{ return browserLensAct.{name}(this, ...args) }}");
        Ok(self.call_on(&handle.session, &handle.object, &function, arguments).await?)
    }

    /// Asks the act script whether something is so of an element.
    pub(crate) async fn is(&self, handle: &Handle, name: &str) -> Result<bool, Undone> {
        Ok(self.ask(handle, name, &[]).await?.as_bool() == Some(true))
    }

    /// Brings an element into view; nodes without a box refuse.
    pub(crate) async fn scroll_into_view(&self, handle: &Handle) {
        let node = json!({ "backendNodeId": handle.backend });
        drop(self.call(&handle.session, "DOM.scrollIntoViewIfNeeded", &node).await);
    }

    /// Brings an element into view and clicks it.
    pub(crate) async fn click(&mut self, handle: &Handle) -> Result<(), Undone> {
        let at = self.reach(handle, None, Aim::Act).await?;
        Ok(self.click_at(at, MouseButton::Left, 1).await?)
    }

    /// Brings an element into view and returns a point of it that the pointer reaches, in CSS px of
    /// the viewport.
    pub(crate) async fn reach(
        &self,
        handle: &Handle,
        point: Option<(f32, f32)>,
        aim: Aim,
    ) -> Result<(f64, f64), Undone> {
        self.show_frames(&handle.session).await?;
        // Where it has no box, locating it gives the reason.
        self.scroll_into_view(handle).await;
        self.ask(handle, "painted", &[]).await?;
        if let Ok(at) = self.locate(handle, point, aim).await? {
            return Ok(at);
        }
        // A bar that sticks to the edge may cover it there; in the middle it seldom does.
        self.ask(handle, "center", &[]).await?;
        self.ask(handle, "painted", &[]).await?;
        self.locate(handle, point, aim).await?.map_err(Undone::Impossible)
    }

    /// Returns a point of an element, or why the pointer does not reach it.
    pub(crate) async fn locate(
        &self,
        handle: &Handle,
        point: Option<(f32, f32)>,
        aim: Aim,
    ) -> Result<Result<(f64, f64), String>, Undone> {
        let found = self.ask(handle, "point", &[json!(point), json!(aim)]).await?;
        if let Some(reason) = found["reason"].as_str() {
            return Ok(Err(reason.to_owned()));
        }
        let (x, y) = (found["x"].as_f64().unwrap_or(0.0), found["y"].as_f64().unwrap_or(0.0));
        let (dx, dy) = self.frame_offset(handle).await?;
        Ok(Ok((x + dx, y + dy)))
    }

    /// Returns where the viewport of an element's frame lies in the tab's viewport.
    async fn frame_offset(&self, handle: &Handle) -> Result<(f64, f64), Undone> {
        let sessions = self.browser.read().sessions_of(self.tab);
        let (mut session, mut frame) = (handle.session.clone(), handle.frame.clone());
        let (mut dx, mut dy) = (0.0, 0.0);
        while let Some((_, known)) = sessions.iter().find(|(id, _)| *id == session) {
            // Boxes are told relative to the session's root frame, so one step leads from any frame
            // to that.
            if frame == known.root_frame {
                let Some(parent) = &known.parent else { break };
                session.clone_from(parent);
            }
            let owner = self.owner_of(&session, &frame).await?;
            let model = self.call(&session, "DOM.getBoxModel", &owner).await?.value();
            dx += model["model"]["content"][0].as_f64().unwrap_or(0.0);
            dy += model["model"]["content"][1].as_f64().unwrap_or(0.0);
            let holder = sessions.iter().find(|(id, _)| *id == session);
            frame = holder.map(|(_, known)| known.root_frame.clone()).unwrap_or_default();
        }
        Ok((dx, dy))
    }

    /// Returns which element holds a frame, as a call's parameters.
    async fn owner_of(&self, session: &str, frame: &str) -> Result<Value, CallError> {
        let owner = self.call(session, "DOM.getFrameOwner", &json!({ "frameId": frame })).await?.value();
        Ok(json!({ "backendNodeId": owner["backendNodeId"] }))
    }

    /// Brings the frames that hold a session's root frame into view, outermost first.
    pub(crate) async fn show_frames(&self, session: &str) -> Result<(), Undone> {
        let sessions = self.browser.read().sessions_of(self.tab);
        let mut chain = Vec::new();
        let mut at = session.to_owned();
        while let Some((_, known)) = sessions.iter().find(|(id, _)| *id == at) {
            let Some(parent) = known.parent.clone() else { break };
            chain.push((parent.clone(), known.root_frame.clone()));
            at = parent;
        }
        for (holder, frame) in chain.into_iter().rev() {
            let owner = self.owner_of(&holder, &frame).await?;
            self.call(&holder, "DOM.scrollIntoViewIfNeeded", &owner).await?;
        }
        Ok(())
    }

    pub(crate) async fn call_on_object(
        &self,
        session: &str,
        object: &str,
        function: &str,
    ) -> Result<Option<String>, Undone> {
        let params = json!({ "objectId": object, "functionDeclaration": function, "objectGroup": "browserlens" });
        let reply = self.call(session, "Runtime.callFunctionOn", &params).await?.value();
        Ok(reply["result"]["objectId"].as_str().map(str::to_owned))
    }
}
