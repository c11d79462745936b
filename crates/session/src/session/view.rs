//! What somebody sees who looks on: the viewport as it is drawn, and where the refs lie in it.
//!
//! In: the session's page. Out: a [`View`]. Invariant: nothing that the session knows or is told
//! changes by it.

use super::act::blocked;
use super::{Session, said};
use crate::answer::Answer;
use crate::error::ToolError;
use browserlens_core::page::text::escaped_line;
use browserlens_core::strategy::ImageSpace;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Most bytes of what was done by hand that are told afterwards.
const MOST_BY_HAND: usize = 40_000;

/// Most refs that are drawn.
const MOST_REFS: usize = 400;

/// A page as somebody sees it who looks on; lengths in CSS px of the viewport.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct View {
    /// The title.
    pub title: String,
    /// The URL.
    pub url: String,
    /// Width of the viewport.
    pub width: f32,
    /// Its height.
    pub height: f32,
    /// The refs whose elements lie in it.
    pub refs: Vec<SeenRef>,
}

/// Where a ref lies.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SeenRef {
    /// The ref, such as `@e7`.
    pub handle: String,
    /// What it is.
    pub words: String,
    /// Left, top, width and height.
    pub at: [f32; 4],
}

impl Session {
    /// Returns the page as it was looked at last, with a picture of it as it is now.
    ///
    /// # Errors
    /// [`ToolError`] if no page is open, a dialog blocks it, or it gives no picture.
    pub fn view(&mut self) -> Result<(View, Arc<[u8]>), ToolError> {
        let nothing = || ToolError::NotThere {
            message: "no page is open yet".to_owned(),
            hint: "wait until the agent opens one",
        };
        let page = self.page.clone().ok_or_else(nothing)?;
        let source = self.source.as_mut().ok_or_else(nothing)?;
        if let Some(message) = source.dialog() {
            return Err(blocked(&message));
        }
        let picture = source.picture(None)?;
        let (width, height) = match picture.space {
            ImageSpace::Viewport(area) => (area.width, area.height),
            ImageSpace::Document(area) => (area.width, area.height),
        };
        let mut refs: Vec<SeenRef> = Vec::new();
        for (reference, key) in self.lens.refs() {
            let Some(node) = page.find(*key).filter(|node| node.is_visible() && node.in_viewport()) else { continue };
            let at = node.bounds().to_viewport(page.scroll());
            if !node.bounds().is_empty() && refs.len() < MOST_REFS {
                let words = escaped_line(&said(&self.words(*key))).into_owned();
                refs.push(SeenRef { handle: reference.to_string(), words, at: [at.x, at.y, at.width, at.height] });
            }
        }
        let [title, url] = [page.title(), page.url()].map(|text| self.masked(escaped_line(text).into_owned()));
        Ok((View { title, url, width, height, refs }, picture.png))
    }

    /// Keeps what came of something that a person did for the session, whose shown state it changed.
    pub fn note_by_hand(
        &mut self,
        tool: &str,
        arguments: &str,
        answer: Result<Answer, ToolError>,
    ) -> Result<Answer, ToolError> {
        if let Ok(Answer { text, images, is_json: false, .. }) = &answer {
            self.by_hand.text.push_str(&format!("[BY HAND: {tool} {}]\n{text}\n", escaped_line(arguments)));
            self.by_hand.images.extend(images.iter().cloned());
        }
        if self.by_hand.text.len() > MOST_BY_HAND {
            // The next observation is whole.
            self.lens.forget();
            self.by_hand = Answer::text("[BY HAND: much was done; call `observe`]\n");
        }
        answer
    }

    /// Tells the session first what was done by hand since its last answer.
    pub fn told_by_hand(&mut self, answer: Result<Answer, ToolError>) -> Result<Answer, ToolError> {
        let mut answer = answer?;
        if !answer.is_json && !self.by_hand.text.is_empty() {
            let before = std::mem::take(&mut self.by_hand);
            answer.text.insert_str(0, &before.text);
            answer.images.splice(0..0, before.images);
        }
        Ok(answer)
    }

    /// Returns a text without the secrets that this session saw.
    pub fn masked(&mut self, mut text: String) -> String {
        self.mask.mask(&mut text);
        text
    }
}
