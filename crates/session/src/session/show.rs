//! The tools that only look: observations, snapshots, searches, text, what the browser tells, and
//! what is known.
//!
//! In: typed arguments. Out: answers. Invariant: nothing here acts on a page.

use super::act::blocked;
use super::{DEFAULT_READING, Session, options_of, written};
use crate::answer::{Answer, fenced};
use crate::args::{self, FormatArg, GrepArg, ModeArg, RefsArg};
use crate::error::ToolError;
use browserlens_core::page::text::{count_unseen, escaped, escaped_json};
use browserlens_core::strategy::ImageSpace;
use browserlens_core::tokens::{Encoding, Tokens};
use browserlens_inspect::UnixMillis;
use browserlens_reading::graph::{Together, answer_together, concepts};
use browserlens_reading::{DEFAULT_CHARS, Extraction, Mark, ReadOptions};
use browserlens_snapshot::chunk::{ChunkOptions, DEFAULT_MAX as DEFAULT_CHUNK, documents};
use browserlens_snapshot::{FindOptions, Format, GrepOptions, Mode, RefStyle, SnapshotOptions, find, snapshot_in};
use serde_json::Value;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// Lines that `find` gives if not said otherwise.
const FIND_LIMIT: u32 = 20;
/// Most characters of an answer to read whose client names no budget; fences and the way to go on
/// have room beside them.
const READING_CHARS: usize = DEFAULT_CHARS - 200;
/// The longest token of the encoding, in bytes.
const MOST_BYTES_OF_A_TOKEN: usize = 128;

impl Session {
    /// Begins the step of the next observation.
    pub(super) fn begin_step(&mut self) -> Result<(), ToolError> {
        if self.pending.is_empty() && self.page.is_some() {
            self.step += 1;
        }
        let source = self.source()?;
        if source.is_live() {
            source.refresh();
        }
        Ok(())
    }

    pub(super) fn observe(&mut self, wanted: &args::Observe) -> Result<Answer, ToolError> {
        let budget = wanted.budget.or(self.budget);
        let strategy = wanted.strategy.clone().unwrap_or_else(|| self.strategy.clone());
        if budget != self.budget || strategy != self.strategy {
            let options = options_of(&strategy, budget)?;
            (self.options, self.budget, self.strategy) = (options.clone(), budget, strategy);
            self.lens.set_options(options);
            self.pending.clear();
        } else if wanted.full {
            self.lens.forget();
            self.pending.clear();
        }
        let always = self.pending.is_empty();
        self.begin_step()?;
        self.look(None, always)?;
        let mut answer = self.pending.take();
        // It may have been told long ago, and still nothing else can be done.
        if let Some(message) = self.source()?.dialog().filter(|_| !answer.text.contains("\n[DIALOG ")) {
            let blocked = blocked(&message);
            answer.text.insert_str(0, &format!("{}; {}\n", blocked.message(), blocked.hint()));
        }
        if let Some(why) = self.lens.why().filter(|_| wanted.why) {
            answer.text.push_str("\n[WHY]\n");
            answer.text.push_str(&escaped(&why));
        }
        Ok(answer)
    }

    pub(super) fn expand(&mut self, wanted: &args::Expand) -> Result<Answer, ToolError> {
        let observation = self.expansion(&wanted.handle, wanted.from, wanted.to)?;
        let mut answer = self.pending.take();
        if !answer.text.is_empty() {
            answer.text.push('\n');
        }
        answer.text.push_str(&escaped(&observation.text));
        answer.images.extend(observation.images.into_iter().map(|image| image.png));
        Ok(answer)
    }

    pub(super) fn snapshot(&mut self, wanted: &args::Snapshot) -> Result<Answer, ToolError> {
        let grep = match wanted.grep.as_ref().map(grep_options) {
            Some(mut grep) => {
                grep.ignore_case |= wanted.ignore_case;
                grep.invert |= wanted.invert;
                grep.fixed_strings |= wanted.fixed_strings;
                grep.context = wanted.context.map_or(grep.context, |lines| lines as usize);
                Some(grep)
            }
            None if wanted.ignore_case || wanted.invert || wanted.fixed_strings || wanted.context.is_some() => {
                let said = "grep is missing, which ignoreCase, invert, fixedStrings and context belong to";
                return Err(ToolError::Arguments(said.to_owned()));
            }
            None => None,
        };
        let options = SnapshotOptions {
            selector: wanted.selector.clone(),
            max_depth: wanted.depth.map(|depth| depth as usize),
            grep,
            max_length: wanted.max_length.map(|length| length as usize),
            include_links: wanted.include_links,
            include_images: wanted.include_images,
            include_hidden: wanted.include_hidden,
            refs: match wanted.refs {
                None | Some(RefsArg::Lens) => RefStyle::Lens,
                Some(RefsArg::Seed) => RefStyle::Seed,
            },
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
        let skip = wanted.skip.unwrap_or(0) as usize;
        let budget = wanted.budget.or(self.budget);
        let is_quoted = options.mode()? != Mode::Content && options.format == Format::Tree;
        let text = self.with_whole_page(|lens, page| Ok(snapshot_in(lens, page, &options)?))?;
        if options.format == Format::Html {
            return Ok(Answer::as_it_is(fenced(&html_within(&text, budget, skip))?));
        }
        let text = within_budget(&text, budget, skip);
        Ok(Answer::text(&if is_quoted { text } else { fenced(&text)? }))
    }

    pub(super) fn chunks(&mut self, wanted: &args::Chunks) -> Result<Answer, ToolError> {
        let taken = SnapshotOptions {
            selector: wanted.selector.clone(),
            grep: wanted.grep.as_ref().map(grep_options),
            include_links: wanted.include_links,
            include_images: wanted.include_images,
            headings: true,
            format: Format::Markdown,
            ..SnapshotOptions::of(Mode::Content)
        };
        let chunks = ChunkOptions {
            breadcrumbs: !wanted.no_breadcrumbs,
            overlap: Tokens(wanted.overlap.unwrap_or(0)),
            ..ChunkOptions::of(Tokens(wanted.max_tokens.unwrap_or(DEFAULT_CHUNK)))
        };
        let found = self.with_whole_page(|lens, page| {
            let text = snapshot_in(lens, page, &taken)?;
            documents(&text, page.url(), chunks).map_err(|error| ToolError::Arguments(format!("maxTokens: {error}")))
        })?;
        let offset = wanted.offset.unwrap_or(0) as usize;
        if offset > 0 && offset >= found.len() {
            return Err(ToolError::NotThere {
                message: format!("offset {offset}: there are {} chunks", found.len()),
                hint: "call `chunks` with a smaller offset, or without",
            });
        }
        // Whole documents, as many as there is room for.
        let mut left = match self.budget {
            Some(0) => usize::MAX,
            budget => budget.unwrap_or(DEFAULT_READING) as usize,
        };
        let mut room = if self.budget.is_some() { usize::MAX } else { READING_CHARS };
        let most = wanted.limit.map_or(usize::MAX, |limit| limit as usize);
        let mut lines = Vec::new();
        for document in found.iter().skip(offset).take(most) {
            let line = document.json();
            let cost = Encoding::O200kBase.count(&line).0 as usize;
            let line = escaped_json(&line).into_owned();
            let chars = line.chars().count() + 1;
            if (cost > left || chars > room) && !lines.is_empty() {
                break;
            }
            (left, room) = (left.saturating_sub(cost), room.saturating_sub(chars));
            lines.push(line);
        }
        let next = offset + lines.len();
        if next < found.len() {
            // A line of JSON too: who reads lines of JSON must not stumble over it.
            let of = found.len();
            lines.push(serde_json::json!({ "more": of - next, "of": of, "offset": next }).to_string());
        }
        Ok(Answer::as_it_is(lines.join("\n")))
    }

    pub(super) fn find(&mut self, wanted: args::Find) -> Result<Answer, ToolError> {
        let limit = wanted.limit.unwrap_or(FIND_LIMIT) as usize;
        let (within, beside) = self.scope(wanted.within)?;
        let options = FindOptions { text: wanted.text, role: wanted.role, within, beside, limit };
        self.with_whole_page(|lens, page| Ok(Answer::text(&find(lens, page, &options))))
    }

    pub(super) fn read_text(&mut self, wanted: args::ReadText) -> Result<Answer, ToolError> {
        let together = together(&wanted)?;
        let options = ReadOptions {
            query: wanted.query.filter(|query| !query.trim().is_empty()),
            section: wanted.section.filter(|section| !section.trim().is_empty()),
            graph: wanted.graph,
            cache: !wanted.nocache,
            limit: wanted.limit.map(|limit| limit as usize),
            offset: wanted.offset.unwrap_or(0) as usize,
            min_relevance: wanted.min_relevance,
            within: wanted.within.map(|steps| steps as usize),
            // Who names a budget takes it in the place of the limit in characters.
            chars: if self.budget.is_some() { 0 } else { DEFAULT_CHARS },
            skip: wanted.skip.unwrap_or(0) as usize,
            ..ReadOptions::default()
        };
        if options.min_relevance.is_some_and(|least| !(0.0..=1.0).contains(&least)) {
            return Err(ToolError::Arguments("minRelevance: expected a number from 0 to 1".to_owned()));
        }
        let of_many = wanted.visited || together.is_some();
        if of_many && (options.section.is_some() || options.graph || options.within.is_some()) {
            let said = "several pages have no section, graph or steps in common; leave these out";
            return Err(ToolError::Arguments(said.to_owned()));
        }
        let (extraction, ago) = self.extraction(&options)?;
        let answer = match (&options.query, together) {
            (_, Some(asked)) => {
                let pages = self.visited.pages();
                answer_together(&pages, &asked, wanted.similarity, &self.searcher, &options)?
            }
            (Some(query), None) if of_many => {
                let pages: Vec<_> = self.visited.pages().into_iter().map(|(name, page, _)| (name, page)).collect();
                browserlens_reading::answer_of_many(&pages, query, &self.searcher, &options)?
            }
            (None, None) if of_many => return Err(ToolError::Arguments("visited: it needs a query".to_owned())),
            _ => browserlens_reading::answer_of(&extraction, &self.searcher, &options)?,
        };
        // What answers a query, and a graph, is made whole: its beginning is passed over here.
        let whole = of_many || options.query.is_some() || options.graph;
        let (passed, before) = if whole { (options.skip, 0) } else { (0, options.skip) };
        let (part, cut) = part_of(&answer.text, self.budget, passed, usize::MAX);
        let cut = cut.map(|(next, behind)| (before + next, behind + answer.skip.map_or(0, |(_, left)| left)));
        let mut text = fenced(&go_on(part.to_owned(), cut))?;
        let left_out = answer.left_out(|option, value| format!("{option} {value}")).filter(|_| cut.is_none());
        let ago = ago.map(|ms| format!("as read {} s ago; nocache reads anew", ms / 1_000));
        for line in left_out.into_iter().chain(ago) {
            text.push('\n');
            text.push_str(&line);
        }
        Ok(Answer::text(&text))
    }

    /// Reads the page, or gives what was read of it within five minutes if it is the same document
    /// and nothing was done to it since; then with how many milliseconds ago.
    pub(super) fn extraction(&mut self, options: &ReadOptions) -> Result<(Arc<Extraction>, Option<u64>), ToolError> {
        if let Some(mark) = self.mark().filter(|_| options.cache)
            && let Some((extraction, ago)) = self.visited.latest(&mark, options.cut, now().0)
        {
            return Ok((extraction, Some(ago).filter(|_| self.is_live())));
        }
        self.source()?;
        let before = self.mark();
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
            let read = browserlens_reading::take(source.pages(), cache.as_mut(), &mut searcher, options, now().0)?;
            let page = source.pages().look()?;
            self.guard(&page)?;
            Ok::<_, ToolError>((read, page))
        })();
        self.searcher = searcher;
        let (read, page) = read?;
        let extraction = Arc::new(read.extraction);
        // A page that was replaced while it was read has no mark that is sure.
        if let Some(mark) = self.mark().filter(|mark| before.as_ref() == Some(mark)) {
            let concepts = concepts(&page, &extraction.blocks);
            self.visited.keep(mark, options.cut, (Arc::clone(&extraction), concepts), now().0);
        }
        Ok((extraction, None))
    }

    /// What tells the page as it stands from any other, without a look at it.
    fn mark(&self) -> Option<Mark> {
        let source = self.source.as_ref().filter(|source| source.is_alive())?;
        let (url, document) = source.document()?;
        Some(Mark { url, document, state: self.touched })
    }

    pub(super) fn inspected(&mut self, tool: &str, mut query: Value) -> Result<Value, ToolError> {
        // No CSS begins with it.
        let reference = query["selector"].as_str().map(str::trim).filter(|given| given.starts_with('@'));
        let node = match reference.map(written).transpose()? {
            Some(reference) => {
                self.catch_up()?;
                Some(self.node(reference)?)
            }
            None => None,
        };
        let source = self.source()?;
        source.refresh();
        let page = source.pages().look()?;
        self.guard(&page)?;
        let Some(source) = self.source.as_mut() else { return Err(ToolError::Internal("no source".to_owned())) };
        args::whole(&mut query);
        Ok(self.inspector.call_below(source.pages(), tool, query, node, now())?)
    }

    pub(super) fn inspect(&mut self, tool: &str, arguments: Value) -> Result<Answer, ToolError> {
        let json = browserlens_inspect::compact(self.inspected(tool, arguments)?).to_string();
        // Only bodies and HTML hold unseen characters, and say so.
        Ok(match tool {
            "get_network_requests" | "get_html" => Answer { is_json: true, ..Answer::as_it_is(json) },
            _ => Answer::json(&json),
        })
    }

    pub(super) fn screenshot(&mut self, wanted: &args::Screenshot) -> Result<Answer, ToolError> {
        self.catch_up()?;
        let key = wanted.reference.map(|reference| self.node(reference.0)).transpose()?;
        let picture = self.source()?.picture(key)?;
        let mut text = match picture.space {
            ImageSpace::Viewport(area) => format!("viewport {}×{}", area.width.round(), area.height.round()),
            ImageSpace::Document(area) => format!("{}×{}", area.width.round(), area.height.round()),
        };
        let mut png = Arc::clone(&picture.png);
        if wanted.annotate {
            let Some((annotated, refs)) = self.lens.annotated(&picture) else {
                return Err(ToolError::NotThere {
                    message: "the picture cannot be read, so no refs were drawn in".to_owned(),
                    hint: "ask without `annotate`, or look again",
                });
            };
            png = annotated;
            let _ = write!(text, ", refs drawn: {refs}");
        }
        Ok(Answer { images: vec![png], ..Answer::text(&text) })
    }
}

/// What is asked of all pages read so far.
fn together(wanted: &args::ReadText) -> Result<Option<Together>, ToolError> {
    let asked = [
        wanted.related.clone().map(Together::Related),
        wanted.path.clone().map(|[from, to]| Together::Path(from, to)),
        wanted.about.clone().map(Together::About),
        wanted.duplicates.then_some(Together::Duplicates),
    ];
    let mut asked: Vec<Together> = asked.into_iter().flatten().collect();
    if asked.len() > 1 || (!asked.is_empty() && wanted.query.is_some()) {
        let said = "related, path, about, duplicates and query each ask something else; leave all but one out";
        return Err(ToolError::Arguments(said.to_owned()));
    }
    Ok(asked.pop())
}

fn grep_options(grep: &GrepArg) -> GrepOptions {
    match grep {
        GrepArg::Pattern(pattern) => GrepOptions::from(pattern.as_str()),
        GrepArg::Options(options) => options.clone(),
    }
}

/// Returns a text from a character on, as much as there is room for, cut at a line end if there is
/// one; what is left out is said with how to go on.
fn within_budget(text: &str, budget: Option<u32>, skip: usize) -> String {
    let (part, next) = part_of(text, budget, skip, READING_CHARS);
    go_on(part.to_owned(), next)
}

/// Returns what there is room for of a text, and how many characters are left out.
pub(super) fn part_within(text: &str, budget: Option<u32>) -> (&str, usize) {
    let (part, next) = part_of(text, budget, 0, usize::MAX);
    (part, next.map_or(0, |(_, behind)| behind))
}

/// Cuts HTML, whose last line says how many unseen characters it holds, to a part that says how
/// many of them are in it.
fn html_within(html: &str, budget: Option<u32>, skip: usize) -> String {
    let html = if count_unseen(html) == 0 { html } else { html.rsplit_once('\n').map_or(html, |(html, _)| html) };
    let (part, next) = part_of(html, budget, skip, READING_CHARS);
    let part = match count_unseen(part) {
        0 => part.to_owned(),
        unseen => format!("{part}\n<!-- unseen characters: {unseen} -->"),
    };
    go_on(part, next)
}

/// Returns what there is room for of a text from a character on, and the character to go on with if
/// something is left; without a budget, at most so many characters.
fn part_of(text: &str, budget: Option<u32>, skip: usize, chars: usize) -> (&str, Option<(usize, usize)>) {
    let rest = text.char_indices().nth(skip).map_or("", |(at, _)| &text[at..]);
    let chars = if budget.is_some() { usize::MAX } else { chars };
    let room = rest.char_indices().nth(chars).map_or(rest.len(), |(at, _)| at);
    let most = match budget {
        Some(0) => usize::MAX,
        budget => budget.unwrap_or(DEFAULT_READING) as usize,
    };
    let count = |text: &str| Encoding::O200kBase.count(text).0 as usize;
    let (mut left, mut end) = (most, 0);
    for line in rest.split_inclusive('\n') {
        // A token is at most some characters: what is far too long is not counted.
        let cost = if line.len() > left.saturating_mul(MOST_BYTES_OF_A_TOKEN) { usize::MAX } else { count(line) };
        if cost > left || end + line.len() > room {
            break;
        }
        left -= cost;
        end += line.len();
    }
    if end == 0 && !rest.is_empty() {
        // One line that is longer than all there is room for: its beginning.
        end = rest.char_indices().nth(most.max(1)).map_or(rest.len(), |(at, _)| at).min(room);
    }
    let (part, behind) = rest.split_at(end);
    let next = (!behind.is_empty()).then(|| (skip + part.chars().count(), behind.chars().count()));
    (part, next)
}

fn go_on(mut part: String, next: Option<(usize, usize)>) -> String {
    if let Some((next, behind)) = next {
        let line = if part.ends_with('\n') { "" } else { "\n" };
        part.push_str(&format!("{line}… {behind} more characters; go on with skip {next}"));
    }
    part
}

/// Writes a value as JSON.
pub(super) fn json_answer(value: &impl serde::Serialize) -> Result<Answer, ToolError> {
    serde_json::to_string(value).map(|json| Answer::json(&json)).map_err(|error| ToolError::Internal(error.to_string()))
}

fn now() -> UnixMillis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    UnixMillis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_answer_to_read_has_a_most_of_characters_unless_a_budget_is_named() {
        for text in ["word ".repeat(20_000), "word\n".repeat(20_000)] {
            let part = within_budget(&text, None, 0);
            assert!(part.chars().count() <= DEFAULT_CHARS && part.contains("; go on with skip "), "{part}");
            assert!(within_budget(&text, Some(0), 0) == text);
        }
    }

    proptest! {
        /// What is cut is said with how to go on; going on gives all of it, once.
        #[test]
        fn parts_of_a_text_joined_are_the_text(text in "(\\PC{0,40}\n?){0,12}", budget in 1..60u32) {
            let (mut skip, mut whole) = (0, String::new());
            loop {
                let (part, next) = part_of(&text, Some(budget), skip, usize::MAX);
                whole.push_str(part);
                let Some((at, behind)) = next else { break };
                prop_assert!(at > skip);
                prop_assert_eq!(at + behind, text.chars().count());
                skip = at;
            }
            prop_assert_eq!(whole, text);
        }
    }
}
