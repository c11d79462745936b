//! The tools that only look: observations, snapshots, searches, text, what the browser tells, and what is known.
//!
//! In: typed arguments. Out: answers. Invariant: nothing here acts on a page.

use super::{Client, options_of};
use crate::answer::{Answer, fenced};
use crate::args::{self, FormatArg, ModeArg};
use crate::error::ToolError;
use browserlens_inspect::UnixMillis;
use browserlens_knowledge::protocol::AgentInstruction;
use browserlens_reading::ReadOptions;
use browserlens_snapshot::{FindOptions, Format, GrepOptions, Mode, SnapshotOptions, find, snapshot_in};
use browserlens_strategy::{ImageSpace, Request};
use serde_json::Value;
use std::time::{SystemTime, UNIX_EPOCH};

/// Lines that `find` gives if not said otherwise.
const FIND_LIMIT: u32 = 20;

impl Client {
    pub(super) fn observe(&mut self, wanted: &args::Observe) -> Result<Answer, ToolError> {
        let budget = wanted.budget.or(self.budget);
        let strategy = wanted.strategy.clone().unwrap_or_else(|| self.strategy.clone());
        if budget != self.budget || strategy != self.strategy {
            let options = options_of(&strategy, budget)?;
            (self.options, self.budget, self.strategy) = (options.clone(), budget, strategy);
            self.session.set_options(options);
            self.pending.clear();
        } else if wanted.full {
            self.session.forget();
            self.pending.clear();
        }
        if self.pending.is_empty() && self.page.is_some() {
            self.step += 1;
        }
        let source = self.source()?;
        if source.is_live() {
            source.refresh();
        }
        let always = self.pending.is_empty();
        self.look(None, always)?;
        Ok(self.pending.take())
    }

    pub(super) fn expand(&mut self, wanted: &args::Expand) -> Result<Answer, ToolError> {
        let handle = wanted.handle.clone();
        let request = match (wanted.from, wanted.to) {
            (None, None) => Request::Expand { handle },
            (from, to) => Request::More { handle, from: from.unwrap_or(1), to: to.unwrap_or(u32::MAX) },
        };
        let observation = self.session.request(&request)?;
        let mut answer = self.pending.take();
        if !answer.text.is_empty() {
            answer.text.push('\n');
        }
        answer.text.push_str(&observation.text);
        answer.images.extend(observation.images.into_iter().map(|image| image.png));
        Ok(answer)
    }

    pub(super) fn snapshot(&mut self, wanted: &args::Snapshot) -> Result<Answer, ToolError> {
        let options = SnapshotOptions {
            selector: wanted.selector.clone(),
            max_depth: wanted.depth.map(|depth| depth as usize),
            grep: wanted
                .grep
                .as_ref()
                .map(|pattern| GrepOptions { pattern: pattern.clone(), ..GrepOptions::default() }),
            mode: match (wanted.mode, wanted.format) {
                (Some(ModeArg::Interactive), _) => Some(Mode::Interactive),
                (Some(ModeArg::Outline), _) => Some(Mode::Outline),
                // Controls have no Markdown: who asks for it wants what is there to be read.
                (Some(ModeArg::Content), _) | (None, Some(FormatArg::Markdown)) => Some(Mode::Content),
                (None, _) => None,
            },
            format: match wanted.format {
                None | Some(FormatArg::Tree) => Format::Tree,
                Some(FormatArg::Html) => Format::Html,
                Some(FormatArg::Markdown) => Format::Markdown,
            },
            ..SnapshotOptions::default()
        };
        let is_quoted = options.mode()? != Mode::Content && options.format == Format::Tree;
        let text = self.with_whole_page(|session, page| Ok(snapshot_in(session, page, &options)?))?;
        Ok(Answer::text(if is_quoted { text } else { fenced(&text)? }))
    }

    pub(super) fn find(&mut self, wanted: args::Find) -> Result<Answer, ToolError> {
        let limit = wanted.limit.unwrap_or(FIND_LIMIT) as usize;
        let options = FindOptions { text: wanted.text, role: wanted.role, limit };
        self.with_whole_page(|session, _| Ok(Answer::text(find(session, &options))))
    }

    pub(super) fn read_text(&mut self, wanted: args::ReadText) -> Result<Answer, ToolError> {
        let options = ReadOptions {
            query: wanted.query.filter(|query| !query.trim().is_empty()),
            section: wanted.section.filter(|section| !section.trim().is_empty()),
            graph: wanted.graph,
            cache: !wanted.nocache,
            limit: wanted.limit.map(|limit| limit as usize),
            offset: wanted.offset.unwrap_or(0) as usize,
            ..ReadOptions::default()
        };
        let mut cache = match &self.shared.reading_cache {
            None => None,
            Some(path) => Some(
                browserlens_reading::Cache::open(path, browserlens_reading::CacheOptions::default())
                    .map_err(|error| ToolError::from(browserlens_reading::ReadError::from(error)))?,
            ),
        };
        let mut searcher = std::mem::take(&mut self.searcher);
        let read = (|| {
            let source = self.source()?;
            source.refresh();
            let read = browserlens_reading::read(source.pages(), cache.as_mut(), &mut searcher, &options, now().0)?;
            let page = source.pages().look()?;
            self.guard(&page)?;
            Ok::<_, ToolError>(read)
        })();
        self.searcher = searcher;
        let (answer, _) = read?;
        let mut text = fenced(&answer.text)?;
        if let Some(next) = answer.next {
            text.push_str(&format!("\n{} of {} sections; go on with offset {next}", next, answer.of));
        }
        Ok(Answer::text(text))
    }

    pub(super) fn inspect(&mut self, tool: &str, arguments: Value) -> Result<Answer, ToolError> {
        let source = self.source()?;
        source.refresh();
        let page = source.pages().look()?;
        self.guard(&page)?;
        let Some(source) = self.source.as_mut() else { return Err(ToolError::Internal("no source".to_owned())) };
        let mut arguments = arguments;
        args::whole(&mut arguments);
        let value = self.inspector.call(source.pages(), tool, arguments, now())?;
        Ok(Answer::text(browserlens_inspect::compact(value).to_string()))
    }

    pub(super) fn knowledge(&mut self, instruction: &AgentInstruction) -> Result<Answer, ToolError> {
        let page = self.page.clone();
        let id = instruction.knowledge_id.as_str();
        json_answer(&self.shared.knowledge.query(id, instruction, page.as_deref())?)
    }

    pub(super) fn screenshot(&mut self, wanted: &args::Screenshot) -> Result<Answer, ToolError> {
        self.catch_up()?;
        let key = wanted.reference.map(|reference| self.node(reference.0)).transpose()?;
        let picture = self.source()?.picture(key)?;
        let text = match picture.space {
            ImageSpace::Viewport(area) => format!("viewport {}×{}", area.width.round(), area.height.round()),
            ImageSpace::Document(area) => format!("{}×{}", area.width.round(), area.height.round()),
        };
        Ok(Answer { text, images: vec![picture.png] })
    }
}

/// Writes a value as JSON.
pub(super) fn json_answer(value: &impl serde::Serialize) -> Result<Answer, ToolError> {
    serde_json::to_string(value).map(Answer::text).map_err(|error| ToolError::Internal(error.to_string()))
}

fn now() -> UnixMillis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    UnixMillis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}
