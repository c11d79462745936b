//! Carries out what a step does, by the driver or by a peer that acts itself.

use super::{Recording, Taker};
use crate::actions::{Deed, DragEnd};
use crate::aim::Undone;
use crate::capture_session::point_of;
use crate::error::RecordError;
use browserlens_core::page::NodeKey;
use browserlens_trace::scenario::{Action, Step, Target};
use std::path::Path;

impl Recording<'_> {
    pub(super) async fn carry_out(&mut self, name: &str, step: &Step, on: Option<NodeKey>) -> Result<(), RecordError> {
        let target = step.action.target();
        if let Action::WaitFor { on } = &step.action {
            let limit = self.limit(Some(step)).as_millis() as u64;
            return self.stage.wait_until(on, true, limit).await;
        }
        let deed = self.deed(name, step).await?;
        let limit = self.limit(Some(step));
        let acting = self.act(name, target, &deed, on, target.and_then(point_of));
        tokio::time::timeout(limit, acting).await.unwrap_or_else(|_| {
            let timeout_ms = limit.as_millis() as u64;
            Err(RecordError::TimedOut { step: self.stage.driver.step, action: name.to_owned(), timeout_ms })
        })
    }

    pub(super) async fn act(
        &mut self,
        name: &str,
        target: Option<&Target>,
        deed: &Deed,
        on: Option<NodeKey>,
        point: Option<(f32, f32)>,
    ) -> Result<(), RecordError> {
        let by_peer = match &mut self.taker {
            Taker::Peer(pass) => pass.act(self.stage, deed, on, point).await,
            Taker::Trace(_) => None,
        };
        let done = match by_peer {
            Some(done) => done,
            None => self.stage.act(deed, on, point).await,
        };
        let reason = match done {
            Ok(()) => return Ok(()),
            Err(Undone::Call(error)) => return Err(self.stage.driver.failure(&format!("acting ({name})"), error)),
            Err(Undone::Gone(key)) => format!("node {key} is not on the page any more"),
            Err(Undone::Impossible(reason)) => reason,
        };
        let (step, action) = (self.stage.driver.step, name.to_owned());
        let target = target.map(ToString::to_string).unwrap_or_default();
        Err(RecordError::NotActionable { step, action, target, reason })
    }

    async fn deed(&self, name: &str, step: &Step) -> Result<Deed, RecordError> {
        let text = || step.action.text().resolve(&*self.options.env);
        Ok(match &step.action {
            Action::Goto { url } => Deed::Goto { url: self.url(url)? },
            Action::Click { .. } => Deed::Click { times: 1, right: false, held: 0 },
            Action::DoubleClick { .. } => Deed::Click { times: 2, right: false, held: 0 },
            Action::RightClick { .. } => Deed::Click { times: 1, right: true, held: 0 },
            Action::Hover { .. } => Deed::Hover,
            Action::Fill { .. } => Deed::Fill { text: text()? },
            Action::Type { .. } => Deed::Type { text: text()? },
            Action::Press { key, .. } => Deed::Press { keys: vec![(key.clone(), 1)] },
            Action::Select { .. } => Deed::Select { labels: vec![text()?] },
            Action::Check { checked, .. } => Deed::Check { on: *checked },
            Action::Upload { files, .. } => {
                let folder = self.scenario.path.parent().unwrap_or(Path::new(""));
                let absolute = |file: &String| {
                    let path = folder.join(file);
                    std::path::absolute(&path).unwrap_or(path)
                };
                Deed::Upload { files: files.iter().map(absolute).collect() }
            }
            Action::Drag { to, .. } => {
                let node = self.stage.resolve(name, to, self.stage.current.as_ref()).await?;
                Deed::Drag { to: DragEnd::On { node, point: point_of(to) } }
            }
            Action::Scroll { by, .. } => Deed::Scroll { x: by.0, y: by.1 },
            Action::Back => Deed::History { by: -1 },
            Action::Forward => Deed::History { by: 1 },
            Action::SwitchTab { index } => Deed::SwitchTab { index: *index },
            Action::CloseTab => Deed::CloseTab,
            Action::Dialog { accept, text } => Deed::Dialog { accept: *accept, text: text.clone() },
            Action::WaitFor { .. } => {
                let scenario = self.scenario.name.clone();
                return Err(RecordError::Unusable { scenario, reason: "wait_for is no input".to_owned() });
            }
        })
    }
}
