//! Has pages rendered by the recorder and writes them as they come.
//!
//! In: a [`Plan`]. Out: its trace. Invariant: pages are shown by the recorder's own browser with
//! the network cut; nothing but a scene's documents and resources can be loaded.

use crate::error::ImportError;
use crate::options::ImportOptions;
use crate::plan::{Marks, Plan};
use crate::playwright::aria::missing;
use crate::scene::{Resources, Scene};
use crate::write::{Captured, Writing};
use browserlens_core::sync::locked;
use browserlens_recorder::{RecordError, RenderAnswer, RenderAnswers, RenderOptions, RenderScene, render_scenes};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// Applies the state that HTML cannot say, and removes what tells of it. Returns how many nodes are
/// marked.
const PREPARE: &str = include_str!("prepare.js");

struct Answers {
    documents: HashMap<String, String>,
    resources: Arc<dyn Resources>,
}

impl RenderAnswers for Answers {
    fn answer(&self, url: &str) -> Option<RenderAnswer> {
        if let Some(html) = self.documents.get(url) {
            return Some(RenderAnswer {
                status: 200,
                mime: "text/html; charset=utf-8".to_owned(),
                location: None,
                body: html.as_bytes().to_vec(),
            });
        }
        let answer = self.resources.answer(url)?;
        // A frame that was not recorded must not show what its URL gave: its scripts are part of
        // what made it.
        Some(RenderAnswer { status: answer.status, mime: answer.mime, location: answer.location, body: answer.body })
    }
}

/// A page to be rendered, what could not be reconstructed of it, and its recorded accessibility
/// tree.
type Staged = (RenderScene, Vec<String>, Option<Vec<u8>>);

fn staged(scene: Scene) -> Staged {
    let answers = Answers { documents: scene.documents, resources: scene.resources };
    let staged = RenderScene {
        url: scene.url,
        answers: Arc::new(answers),
        prepare: PREPARE.to_owned(),
        defined: scene.defined,
        viewport: scene.viewport,
        screenshot: scene.screenshot,
    };
    (staged, scene.gaps, scene.aria)
}

pub(crate) fn render(
    plan: &Plan,
    input: &Path,
    out: &Path,
    options: &ImportOptions,
) -> Result<(u32, u32, Vec<String>), ImportError> {
    let failed = |source: RecordError| ImportError::Render { path: input.to_owned(), source: Box::new(source) };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(ImportError::io(input, "start the browser's threads"))?;
    let rendering = RenderOptions {
        chrome: options.chrome.clone(),
        viewport: plan.viewport,
        locale: plan.locale.clone(),
        timezone: plan.timezone.clone(),
        pages: options.pages,
        secrets: plan.secrets.clone(),
        ..RenderOptions::default()
    };
    let mut writing = None;
    let mut gaps: HashMap<usize, (Vec<String>, Option<Vec<u8>>)> = HashMap::new();
    let gaps_of = std::sync::Mutex::new(&mut gaps);
    let written = runtime.block_on(render_scenes(
        plan.steps.len(),
        &rendering,
        |step| {
            let (staged, gaps, aria) = staged(plan.pages.scene(step)?);
            locked(&gaps_of).insert(step, (gaps, aria));
            Ok(staged)
        },
        |step, page| {
            if writing.is_none() {
                let key = options.redaction_key.clone();
                writing = Some(Writing::create(plan, out, Some(&page.browser), key, options.force)?);
            }
            let (mut gaps, aria) = locked(&gaps_of).remove(&step).unwrap_or_default();
            match aria.map(|tree| missing(&tree, &page.page)) {
                Some(Some((all, lacking))) if !lacking.is_empty() => gaps.push(format!(
                    "step {step}: {} of {all} controls and headings of the recorded accessibility tree are not on the \
                        rendered page, such as {}",
                    lacking.len(),
                    lacking.iter().take(3).cloned().collect::<Vec<_>>().join(", ")
                )),
                Some(None) => gaps.push(format!("step {step}: its recorded accessibility tree cannot be read")),
                _ => {}
            }
            if !page.missed.is_empty() {
                gaps.push(format!("{} resources were not recorded", page.missed.len()));
            }
            let marks: Marks = page.marks;
            let (capture, quiet, timings) = (page.capture, page.quiet, page.timings);
            let captured = Captured { capture, page: page.page, marks, quiet, timings, gaps };
            writing.as_mut().map_or(Ok(()), |writing| writing.step(captured))
        },
        failed,
    ));
    let Some(writing) = writing else {
        written?;
        return Err(ImportError::empty(input, "it has no steps"));
    };
    writing.finish(true, written)
}
