//! One client: what it was shown, what its refs mean, and what it looks at.
//!
//! In: a tool and its arguments. Out: an [`Answer`]. Invariants: nothing of one client is known to another; a ref is resolved on the page as it stands
//! when it is acted on, and never to another element than the one it was given for; what was observed is told once, in order.
//! Calls block: each client has a thread of its own ([`crate::worker`]).

use crate::answer::{Answer, Pending, fenced};
use crate::args::{self, ClickArg, FormatArg, ModeArg};
use crate::error::{ToolError, act_error};
use crate::knowledge::KnowledgeBase;
use crate::policy::Policy;
use crate::source::{Act, Opener, Source, Undone, taken};
use browserlens_inspect::{CursorKey, Inspector, Limits, UnixMillis};
use browserlens_knowledge::gaps::ExtrapolationRequest;
use browserlens_knowledge::protocol::AgentInstruction;
use browserlens_lens::format::escape;
use browserlens_lens::{LensOptions, Representation, RouterKind, lens_options};
use browserlens_page::{Capture, Flags, NodeKey, Page, PayloadKind};
use browserlens_reading::{ReadOptions, Searcher};
use browserlens_snapshot::{FindOptions, Format, GrepOptions, Mode, Session, SnapshotOptions, find, snapshot_in};
use browserlens_strategy::{
    ActionKind, CaptureImage, EventFilter, ImageSpace, NoClock, NodeHint, PageSource, Ref, Request, RequestParts,
    StepIndex, StepInput, TakenAction,
};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The strategy of a client that names none.
pub const DEFAULT_STRATEGY: &str = "lens/delta";
/// Most events that one look takes in.
const MOST_EVENTS: usize = 2_000;
/// Lines that `find` gives if not said otherwise.
const FIND_LIMIT: u32 = 20;
/// Most refs that are remembered in words, and the longest of their names in characters.
const MOST_KNOWN: usize = 20_000;
const LONGEST_NAME: usize = 60;
/// Longest time that `wait` lets go by, in milliseconds.
const LONGEST_WAIT_MS: u32 = 30_000;
/// How far `scroll` goes if not said otherwise, in CSS px.
const SCROLL: i32 = 600;

/// Is told of every action of a client, in order: the seam for recording a client's run.
pub trait Witness: Send {
    /// Comes before an action is carried out, with the page as it stands; the node is on it.
    fn before(&mut self, pages: &mut dyn PageSource, act: &Act);

    /// Comes after an action was carried out and the page settled. What was typed stands in it as it was typed. The first action of a browser, `goto`, has
    /// nothing before it.
    fn after(&mut self, pages: &mut dyn PageSource, act: &Act);
}

/// Makes the witness of a client, if its run is to be seen.
pub type WitnessMaker = dyn Fn() -> Option<Box<dyn Witness>> + Send + Sync;

/// What all clients share.
pub struct Shared {
    /// Opens what clients look at.
    pub opener: Box<dyn Opener>,
    /// Where browsers may go, and which files may be handed over.
    pub policy: Policy,
    /// What is known of websites.
    pub knowledge: KnowledgeBase,
    /// Where read pages are kept; none keeps nothing.
    pub reading_cache: Option<PathBuf>,
    /// What cursors are signed with.
    pub cursor_key: CursorKey,
    /// URL that a browser opens first; none waits for `navigate`.
    pub start_url: Option<String>,
    /// Who sees what clients do.
    pub witness: Option<Box<WitnessMaker>>,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").field("policy", &self.policy).finish_non_exhaustive()
    }
}

/// One client.
pub struct Client {
    shared: Arc<Shared>,
    source: Option<Box<dyn Source>>,
    session: Session,
    options: LensOptions,
    strategy: String,
    budget: Option<u32>,
    /// Number of the last observation that was told.
    step: u32,
    page: Option<Arc<Page>>,
    /// Whether the page on hand was looked at as it stands.
    is_current: bool,
    last_event: Option<u64>,
    pending: Pending,
    /// What refs were given for, in words; the oldest are forgotten.
    known: BTreeMap<Ref, String>,
    inspector: Inspector,
    searcher: Searcher,
    witness: Option<Box<dyn Witness>>,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").field("step", &self.step).field("strategy", &self.strategy).finish_non_exhaustive()
    }
}

impl Client {
    /// Makes a client that has looked at nothing.
    ///
    /// # Errors
    /// [`ToolError::Internal`] if the lens does not know its strategy.
    pub fn new(shared: Arc<Shared>) -> Result<Self, ToolError> {
        let options = options_of(DEFAULT_STRATEGY, None)?;
        let inspector = Inspector::new(Limits::default(), shared.cursor_key);
        let witness = shared.witness.as_ref().and_then(|make| make());
        Ok(Self {
            source: None,
            session: Session::with_options(options.clone()),
            options,
            strategy: DEFAULT_STRATEGY.to_owned(),
            budget: None,
            step: 0,
            page: None,
            is_current: false,
            last_event: None,
            pending: Pending::default(),
            known: BTreeMap::new(),
            inspector,
            searcher: Searcher::default(),
            witness,
            shared,
        })
    }

    /// Answers a call.
    ///
    /// # Errors
    /// [`ToolError`]: wrong arguments, an element or page that is not there, what is not allowed.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Result<Answer, ToolError> {
        args::check(tool, &arguments)?;
        let answer = self.answer(tool, arguments);
        if let Err(ToolError::BrowserGone(_)) = &answer {
            self.lose();
        }
        answer
    }

    fn answer(&mut self, tool: &str, arguments: Value) -> Result<Answer, ToolError> {
        match tool {
            "observe" => self.observe(&args::read(arguments)?),
            "expand" => self.expand(&args::read(arguments)?),
            "snapshot" => self.snapshot(&args::read(arguments)?),
            "read_text" => self.read_text(args::read(arguments)?),
            "find" => self.find(args::read(arguments)?),
            "get_console_messages" | "get_network_requests" | "get_dom_snapshot" => self.inspect(tool, arguments),
            "query_knowledge_for_agent" => self.knowledge(&args::read(arguments)?),
            "fill_action_gaps" => {
                let request: ExtrapolationRequest = args::read(arguments)?;
                json_answer(&self.shared.knowledge.gaps(&request)?)
            }
            "navigate" => self.navigate(args::read(arguments)?),
            "screenshot" => self.screenshot(&args::read(arguments)?),
            "tabs" => self.tabs(&args::read(arguments)?),
            "wait" => self.wait(args::read(arguments)?),
            _ => self.action(tool, arguments),
        }
    }

    fn action(&mut self, tool: &str, arguments: Value) -> Result<Answer, ToolError> {
        use ActionKind as K;
        let (kind, on, text) = match tool {
            "click" => {
                let click: args::Click = args::read(arguments)?;
                let kind = match click.kind {
                    ClickArg::Left => K::Click,
                    ClickArg::Right => K::RightClick,
                    ClickArg::Double => K::DoubleClick,
                };
                (kind, Some(click.reference.0), String::new())
            }
            "type" => {
                let typed: args::Type = args::read(arguments)?;
                let on = Some(typed.reference.0);
                self.do_it(if typed.keys { K::Type } else { K::Fill }, on, None, typed.text)?;
                if typed.submit {
                    self.do_it(K::Press, on, None, "Enter".to_owned())?;
                }
                return Ok(self.pending.take());
            }
            "select" => {
                let select: args::Select = args::read(arguments)?;
                (K::Select, Some(select.reference.0), select.option)
            }
            "hover" => (K::Hover, Some(args::read::<args::Hover>(arguments)?.reference.0), String::new()),
            "press" => {
                let press: args::Press = args::read(arguments)?;
                (K::Press, press.reference.map(|on| on.0), press.key)
            }
            "scroll" => {
                let scroll: args::Scroll = args::read(arguments)?;
                let by = if (scroll.x, scroll.y) == (0, 0) { (0, SCROLL) } else { (scroll.x, scroll.y) };
                (K::Scroll, scroll.reference.map(|on| on.0), format!("{}, {}", by.0, by.1))
            }
            "drag" => {
                let drag: args::Drag = args::read(arguments)?;
                self.do_it(K::Drag, Some(drag.from.0), Some(drag.to.0), String::new())?;
                return Ok(self.pending.take());
            }
            "upload" => {
                let upload: args::Upload = args::read(arguments)?;
                let files = self.shared.policy.files(&upload.files)?;
                (K::Upload, Some(upload.reference.0), files)
            }
            "back" | "forward" => {
                let args::Nothing {} = args::read(arguments)?;
                (if tool == "back" { K::Back } else { K::Forward }, None, String::new())
            }
            "dialog" => {
                let dialog: args::Dialog = args::read(arguments)?;
                let text = match (dialog.accept, dialog.text) {
                    (false, _) => "dismiss".to_owned(),
                    (true, Some(text)) if !text.is_empty() => text,
                    (true, _) => "accept".to_owned(),
                };
                (K::Dialog, None, text)
            }
            _ => return Err(ToolError::UnknownTool(tool.to_owned())),
        };
        self.do_it(kind, on, None, text)?;
        Ok(self.pending.take())
    }

    /// The browser ended: what was shown of it is no longer there. The source stays: it numbers nodes, also of the browser that is started next.
    fn lose(&mut self) {
        self.page = None;
        self.is_current = false;
        self.pending.clear();
        self.session.forget();
    }

    fn source(&mut self) -> Result<&mut Box<dyn Source>, ToolError> {
        if self.source.is_none() {
            let url = self.shared.start_url.clone();
            if let Some(url) = &url {
                self.shared.policy.url(url)?;
            }
            self.source = self.shared.opener.open(url.as_deref())?;
        }
        match self.source.as_mut() {
            Some(source) if source.is_alive() => Ok(source),
            Some(_) => Err(ToolError::BrowserGone("Chromium or the page's process ended".to_owned())),
            None => Err(ToolError::NotThere {
                message: "no page is open yet".to_owned(),
                hint: "call `navigate` with a URL",
            }),
        }
    }

    fn is_live(&self) -> bool {
        self.shared.opener.is_live()
    }

    /// Looks at the page as it stands; what is new is kept until it is told. `always` keeps also that nothing is new.
    fn look(&mut self, action: Option<&TakenAction>, always: bool) -> Result<(), ToolError> {
        let step = self.step;
        let last_event = self.last_event;
        let needs_pixels = self.options.marks
            || matches!(self.options.representation, Some(Representation::Vision | Representation::Hybrid))
            || (self.options.representation.is_none() && self.options.router != RouterKind::Cost);
        let source = self.source()?;
        // Pixels take a whole capture; what the lens reads else is known sooner.
        let mut page = source.pages().look()?;
        let mut capture = Arc::new(Capture::default());
        if needs_pixels || page.nodes().any(|node| node.flags().has(Flags::CANVAS) && node.is_visible()) {
            (page, capture) = source.pages().page()?;
        }
        let filter = EventFilter { parts: RequestParts::Line, ..EventFilter::default() };
        let events = source.pages().events(&filter, last_event, MOST_EVENTS)?;
        let second_look = if action.is_some() { source.earlier_second_look() } else { None };
        self.guard(&page)?;
        let screenshot = capture
            .screenshot()
            .map(|png| CaptureImage { png: Arc::clone(png), space: browserlens_trace::screenshot_space(&page) });
        let crops = crops(&page, &capture);
        let input = StepInput {
            step: StepIndex(step),
            page: &page,
            capture: &capture,
            earlier_second_look: second_look.as_ref(),
            action,
            events: &events,
            screenshot: screenshot.as_ref(),
            crops: &crops,
            peers: &[],
            clock: &NoClock,
        };
        let observation = self.session.observe(&input)?;
        self.pending.add(observation, always);
        self.learn();
        self.last_event = events.last().map(|event| event.position).or(last_event);
        self.page = Some(page);
        self.is_current = true;
        Ok(())
    }

    /// Remembers what refs were given for.
    fn learn(&mut self) {
        let Some(shown) = self.session.shown() else { return };
        for node in shown.nodes() {
            let Some(reference) = node.reference() else { continue };
            self.known.entry(reference).or_insert_with(|| {
                let name = node.name().chars().take(LONGEST_NAME).collect();
                said(&NodeHint { role: node.role().to_owned(), name, ..NodeHint::default() })
            });
        }
        while self.known.len() > MOST_KNOWN {
            self.known.pop_first();
        }
    }

    /// Refuses to show a page that a browser should not have come to.
    fn guard(&mut self, page: &Page) -> Result<(), ToolError> {
        if !self.is_live() {
            return Ok(());
        }
        if let Err(refused) = self.shared.policy.shown(page.url()) {
            if let Some(source) = self.source.as_mut() {
                let leave =
                    TakenAction { kind: ActionKind::Goto, node: None, text: "about:blank".to_owned(), error: None };
                drop(source.act(&Act { taken: leave, node: None, to: None }));
                source.refresh();
            }
            return Err(refused);
        }
        Ok(())
    }

    /// Sees to it that the page on hand is the one that is there now.
    fn catch_up(&mut self) -> Result<(), ToolError> {
        let is_live = self.is_live();
        let source = self.source()?;
        if is_live && source.is_live() {
            source.refresh();
        }
        if is_live || !self.is_current {
            self.look(None, false)?;
        }
        Ok(())
    }

    fn on_hand(&self) -> Result<&Arc<Page>, ToolError> {
        self.page.as_ref().ok_or_else(|| ToolError::Internal("no page was looked at".to_owned()))
    }

    fn observe(&mut self, wanted: &args::Observe) -> Result<Answer, ToolError> {
        let budget = match wanted.budget {
            None => self.budget,
            Some(0) => None,
            Some(tokens) => Some(tokens),
        };
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

    fn expand(&mut self, wanted: &args::Expand) -> Result<Answer, ToolError> {
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

    /// Runs something on a session that shows the page whole and has its refs, whatever the client's strategy leaves out.
    fn with_whole_page<T>(
        &mut self,
        what: impl FnOnce(&Session, &Page) -> Result<T, ToolError>,
    ) -> Result<T, ToolError> {
        self.catch_up()?;
        let is_whole = self.options.budget.is_none()
            && !matches!(self.options.representation, Some(Representation::Vision | Representation::Dom));
        if !is_whole {
            let whole = LensOptions {
                representation: Some(Representation::A11y),
                budget: None,
                marks: false,
                ..self.options.clone()
            };
            self.session.set_options(whole);
            self.pending.clear();
            self.look(None, false)?;
            self.pending.clear();
        }
        let page = self.on_hand()?;
        let found = what(&self.session, page);
        if !is_whole {
            // Refs stay; what is shown begins anew.
            self.session.set_options(self.options.clone());
            self.look(None, false)?;
        }
        found
    }

    fn snapshot(&mut self, wanted: &args::Snapshot) -> Result<Answer, ToolError> {
        let options = SnapshotOptions {
            selector: wanted.selector.clone(),
            max_depth: wanted.depth.map(|depth| depth as usize),
            grep: wanted
                .grep
                .as_ref()
                .map(|pattern| GrepOptions { pattern: pattern.clone(), ..GrepOptions::default() }),
            mode: wanted.mode.map(|mode| match mode {
                ModeArg::Interactive => Mode::Interactive,
                ModeArg::Outline => Mode::Outline,
                ModeArg::Content => Mode::Content,
            }),
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

    fn find(&mut self, wanted: args::Find) -> Result<Answer, ToolError> {
        let limit = wanted.limit.unwrap_or(FIND_LIMIT) as usize;
        let options = FindOptions { text: wanted.text, role: wanted.role, limit };
        self.with_whole_page(|session, _| Ok(Answer::text(find(session, &options))))
    }

    fn read_text(&mut self, wanted: args::ReadText) -> Result<Answer, ToolError> {
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

    fn inspect(&mut self, tool: &str, arguments: Value) -> Result<Answer, ToolError> {
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

    fn knowledge(&mut self, instruction: &AgentInstruction) -> Result<Answer, ToolError> {
        let page = self.page.clone();
        let id = instruction.knowledge_id.as_str();
        json_answer(&self.shared.knowledge.query(id, instruction, page.as_deref())?)
    }

    fn navigate(&mut self, wanted: args::Navigate) -> Result<Answer, ToolError> {
        if self.is_live() {
            self.shared.policy.url(&wanted.url)?;
        }
        if let Some(source) = self.source.as_mut().filter(|source| !source.is_alive()) {
            source.restart()?;
            self.lose();
        }
        if self.source.is_some() || !self.is_live() {
            self.do_it(ActionKind::Goto, None, None, wanted.url)?;
            return Ok(self.pending.take());
        }
        self.source = self.shared.opener.open(Some(&wanted.url))?;
        self.after(&Act { taken: taken(ActionKind::Goto, &wanted.url), node: None, to: None }, true)?;
        Ok(self.pending.take())
    }

    /// Carries out an action on what a ref means now, and looks at what came of it.
    fn do_it(&mut self, kind: ActionKind, on: Option<Ref>, to: Option<Ref>, text: String) -> Result<(), ToolError> {
        let source = self.source()?;
        let dialog = source.dialog();
        match dialog {
            Some(message) if !matches!(kind, ActionKind::Dialog | ActionKind::SwitchTab | ActionKind::CloseTab) => {
                let mut said = "a dialog is open: ".to_owned();
                escape::quote(&mut said, &message);
                return Err(ToolError::NotThere { message: said, hint: "answer it with `dialog` first" });
            }
            None if on.is_some() => self.catch_up()?,
            _ => {}
        }
        let node = on.map(|reference| self.node(reference)).transpose()?;
        let end = to.map(|reference| self.node(reference)).transpose()?;
        let words = node.map(|key| self.words(key));
        let what = words.as_ref().map_or_else(|| kind.to_string(), said);
        let act = Act { taken: TakenAction { kind, node: words, text, error: None }, node, to: end };
        let is_first = self.page.is_none();
        self.witnessed(|witness, pages| witness.before(pages, &act));
        let done = self.source()?.act(&act);
        done.map_err(|undone| self.explained(undone, what, on))?;
        self.after(&act, is_first)
    }

    /// Looks at what came of an action.
    fn after(&mut self, act: &Act, is_first: bool) -> Result<(), ToolError> {
        if !is_first {
            self.step += 1;
        }
        self.is_current = false;
        self.look(Some(&act.taken), true)?;
        self.witnessed(|witness, pages| witness.after(pages, act));
        Ok(())
    }

    fn witnessed(&mut self, tell: impl FnOnce(&mut dyn Witness, &mut dyn PageSource)) {
        if let (Some(witness), Some(source)) = (self.witness.as_mut(), self.source.as_mut()) {
            tell(witness.as_mut(), source.pages());
        }
    }

    /// Returns the node of a ref on the page as it stands.
    fn node(&self, reference: Ref) -> Result<NodeKey, ToolError> {
        let page = self.on_hand()?;
        match self.session.node(reference).filter(|key| page.find(*key).is_some()) {
            Some(key) => Ok(key),
            None if self.session.has_given(reference) => {
                let known = self.known.get(&reference).cloned();
                Err(ToolError::RefGone { reference, what: known.unwrap_or_else(|| "given long ago".to_owned()) })
            }
            None => Err(ToolError::UnknownRef { reference }),
        }
    }

    fn words(&self, key: NodeKey) -> NodeHint {
        let node = self.page.as_ref().and_then(|page| page.find(key));
        node.map_or_else(NodeHint::default, |node| NodeHint {
            role: node.role().to_owned(),
            name: node.name().to_owned(),
            within: None,
            nth: None,
        })
    }

    /// Says what was recorded, with the ref of what it was done on.
    fn recorded(&self, recorded: Option<Box<(TakenAction, Vec<NodeKey>)>>) -> String {
        let Some((taken, nodes)) = recorded.map(|recorded| *recorded) else { return "it ends at this step".to_owned() };
        let mut text = format!("it goes on with {}", taken.kind);
        if let Some(node) = &taken.node {
            text.push_str(" on ");
            text.push_str(&said(node));
            if let Some(reference) = nodes.iter().find_map(|key| self.session.reference(*key)) {
                text.push_str(&format!(" {reference}"));
            }
        }
        if !taken.text.is_empty() {
            text.push(' ');
            escape::quote(&mut text, &taken.text);
        }
        text
    }

    fn wait(&mut self, wanted: args::Wait) -> Result<Answer, ToolError> {
        if let Some(ms) = wanted.ms {
            self.source()?.wait(Duration::from_millis(u64::from(ms.min(LONGEST_WAIT_MS))))?;
        }
        match wanted.text.filter(|text| !text.is_empty()) {
            Some(text) => self.do_it(ActionKind::WaitFor, None, None, text)?,
            None if self.is_live() => {
                return self.observe(&args::Observe { full: false, budget: None, strategy: None });
            }
            None => self.do_it(ActionKind::WaitFor, None, None, String::new())?,
        }
        Ok(self.pending.take())
    }

    fn tabs(&mut self, wanted: &args::Tabs) -> Result<Answer, ToolError> {
        if let Some(url) = &wanted.open {
            if self.is_live() {
                self.shared.policy.url(url)?;
            }
            let is_first = self.page.is_none();
            let opened = self.source()?.open_tab(url);
            opened.map_err(|undone| self.explained(undone, "tabs".to_owned(), None))?;
            let act = Act { taken: taken(ActionKind::Goto, url), node: None, to: None };
            self.after(&act, is_first)?;
            return Ok(self.pending.take());
        }
        if let Some(index) = wanted.switch_to {
            self.do_it(ActionKind::SwitchTab, None, None, index.to_string())?;
            return Ok(self.pending.take());
        }
        if wanted.close {
            self.do_it(ActionKind::CloseTab, None, None, String::new())?;
            return Ok(self.pending.take());
        }
        let tabs = self.source()?.tabs()?;
        let mut text = if tabs.len() == 1 { "1 tab".to_owned() } else { format!("{} tabs", tabs.len()) };
        for tab in tabs {
            text.push_str(&format!("\n- {}{} ", tab.index, if tab.is_current { " current" } else { "" }));
            escape::bare(&mut text, &tab.url);
        }
        Ok(Answer::text(text))
    }

    fn screenshot(&mut self, wanted: &args::Screenshot) -> Result<Answer, ToolError> {
        self.catch_up()?;
        let key = wanted.reference.map(|reference| self.node(reference.0)).transpose()?;
        let picture = self.source()?.picture(key)?;
        let text = match picture.space {
            ImageSpace::Viewport(area) => format!("viewport {}×{}", area.width.round(), area.height.round()),
            ImageSpace::Document(area) => format!("{}×{}", area.width.round(), area.height.round()),
        };
        Ok(Answer { text, images: vec![picture.png] })
    }

    /// Says why an action was not carried out.
    fn explained(&self, undone: Undone, what: String, on: Option<Ref>) -> ToolError {
        match undone {
            Undone::Act(error) => act_error(error, what, on),
            Undone::NotRecorded(recorded) => ToolError::NotRecorded(self.recorded(recorded)),
            Undone::Other(error) => error,
        }
    }
}

/// Returns how the lens works for a strategy and a budget.
fn options_of(strategy: &str, budget: Option<u32>) -> Result<LensOptions, ToolError> {
    let known = || {
        let names = browserlens_lens::names().join(", ");
        ToolError::Arguments(format!("strategy: {strategy:?} is not known; there are {names}"))
    };
    let options = lens_options(strategy, &Value::Null).ok_or_else(known)?.map_err(|_| known())?;
    Ok(LensOptions { budget: budget.or(options.budget), ..options })
}

fn said(node: &NodeHint) -> String {
    let mut text = node.role.clone();
    if !node.name.is_empty() {
        text.push(' ');
        escape::quote(&mut text, &node.name);
    }
    text
}

fn crops(page: &Page, capture: &Capture) -> Vec<CaptureImage> {
    let owner = |frame: u32, backend: u32| {
        page.nodes().find(|node| {
            let key = node.key();
            (key.frame, key.backend) == (frame, backend)
        })
    };
    let images = capture.of_kind(PayloadKind::Crop).filter_map(|payload| {
        let owner = owner(payload.frame, payload.node)?;
        Some(CaptureImage { png: Arc::clone(&payload.body), space: ImageSpace::Document(owner.bounds()) })
    });
    images.collect()
}

fn json_answer(value: &impl serde::Serialize) -> Result<Answer, ToolError> {
    serde_json::to_string(value).map(Answer::text).map_err(|error| ToolError::Internal(error.to_string()))
}

fn now() -> UnixMillis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    UnixMillis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}
