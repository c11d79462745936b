//! One reader: what it was shown, its refs, and its tools, over any source of pages.
//!
//! In: a [`PageSource`], live or recorded. Out: observations, snapshots, text, and what the browser
//! tells. Invariants: what it observes is what [`browserlens_live::Session`] observes; snapshots
//! have the refs of the observations; looking at a page in another way changes nothing of what the
//! reader was told.

use crate::errors::{Raised, Result};
use browserlens_core::page::{NodeKey, Page};
use browserlens_core::strategy::{Observation, PageSource, Ref, Request, SourceId, TakenAction};
use browserlens_inspect::{CursorKey, Inspector, Limits, UnixMillis};
use browserlens_lens::{LensOptions, Representation, lens_options};
use browserlens_live::Sight;
use browserlens_reading::{ReadOptions, Searcher};
use browserlens_snapshot::{Session, SnapshotOptions, snapshot_in};
use browserlens_trace::Mask;
use serde_json::Value;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

pub(crate) struct Reader {
    strategy: String,
    options: LensOptions,
    session: Session,
    step: u32,
    last_event: Option<u64>,
    page: Option<Arc<Page>>,
    inspector: Inspector,
    /// What was seen of secrets: what is said of a live page passes it.
    mask: Mask,
    is_live: bool,
    searcher: Searcher,
}

impl Reader {
    /// Begins with a strategy of the family `lens/*`, with options as `traces/strategies.toml` has
    /// them.
    pub(crate) fn new(strategy: &str, options: &Value) -> Result<Self> {
        let known = || browserlens_lens::names().join(", ");
        let options = lens_options(strategy, options)
            .ok_or_else(|| {
                Raised::options(format!("strategy {strategy:?} is not known"), &format!("use one of {}", known()))
            })?
            .map_err(|error| {
                Raised::options(format!("strategy {strategy:?}: {error}"), "see the options of crates/lens/GRAMMAR.md")
            })?;
        let key =
            CursorKey::random().map_err(|error| Raised::options(format!("no random numbers: {error}"), "try again"))?;
        Ok(Self {
            strategy: strategy.to_owned(),
            session: Session::with_options(options.clone()),
            options,
            step: 0,
            last_event: None,
            page: None,
            inspector: Inspector::new(limits()?, key),
            mask: Mask::default(),
            is_live: false,
            searcher: Searcher::default(),
        })
    }

    pub(crate) fn page(&self) -> Option<&Arc<Page>> {
        self.page.as_ref()
    }

    /// The step of the last observation.
    pub(crate) fn step(&self) -> u32 {
        self.step.saturating_sub(1)
    }

    /// Returns the node that a ref means.
    pub(crate) fn node(&self, reference: &str) -> Result<NodeKey> {
        let hint = "use a ref of the last observation, as it is written there, such as @e12";
        let bare = reference.trim().trim_matches(|c| matches!(c, '[' | ']'));
        let written =
            if bare.starts_with('@') { bare.to_owned() } else { format!("@e{}", bare.trim_start_matches('e')) };
        let parsed: Ref = written
            .parse()
            .map_err(|error: browserlens_core::strategy::MalformedRef| Raised::page(error.to_string(), hint))?;
        self.session.node(parsed).ok_or_else(|| Raised::page(format!("{parsed} was not shown in this session"), hint))
    }

    /// Forgets what was told: the next observation is full; refs keep what they mean.
    pub(crate) fn forget(&mut self) {
        self.session.forget();
    }

    pub(crate) fn observe(&mut self, source: &mut dyn PageSource, action: Option<&TakenAction>) -> Result<Observation> {
        let sight = Sight::take(source, &self.strategy, &mut self.last_event)?;
        let mut observation = self.session.observe(&sight.input(self.step, action))?;
        self.mask.learn_page(&sight.page);
        self.is_live = matches!(source.identity(), SourceId::Live(_));
        if self.is_live {
            self.mask.mask(&mut observation.text);
        }
        self.step += 1;
        self.page = Some(sight.page);
        Ok(observation)
    }

    pub(crate) fn expand(&mut self, handle: &str, from: Option<u32>, to: Option<u32>) -> Result<Observation> {
        let handle = handle.to_owned();
        let request = match (from, to) {
            (None, None) => Request::Expand { handle },
            (from, to) => Request::More { handle, from: from.unwrap_or(1), to: to.unwrap_or(u32::MAX) },
        };
        let mut observation = self.session.request(&request)?;
        if self.is_live {
            self.mask.mask(&mut observation.text);
        }
        Ok(observation)
    }

    /// Takes a snapshot of the page as it stands, on a session that shows it whole.
    pub(crate) fn snapshot(&mut self, source: &mut dyn PageSource, options: &SnapshotOptions) -> Result<String> {
        // Its events are not told by it: the next observation tells them.
        let mut after = self.last_event;
        let whole = LensOptions {
            representation: Some(Representation::A11y),
            budget: None,
            marks: false,
            ..self.options.clone()
        };
        let sight = Sight::take(source, "lens/a11y", &mut after)?;
        let input = sight.input(self.step, None);
        let page = Arc::clone(&sight.page);
        self.mask.learn_page(&page);
        let mut text = self.session.aside(whole, &input, |session| snapshot_in(session, &page, options))??;
        self.mask.mask(&mut text);
        Ok(text)
    }

    pub(crate) fn read_text(&mut self, source: &mut dyn PageSource, options: &ReadOptions) -> Result<String> {
        let (answer, _) = browserlens_reading::read(source, None, &mut self.searcher, options, now().0)?;
        self.mask.learn_page(&*source.look()?);
        let mut text = crate::page::told(answer);
        self.mask.mask(&mut text);
        Ok(text)
    }

    /// Asks the console, the network or the DOM; the answer is JSON.
    pub(crate) fn inspect(&mut self, source: &mut dyn PageSource, tool: &str, query: Value) -> Result<String> {
        let mut answer = self.inspector.call(source, tool, query, now())?.to_string();
        self.mask.learn_page(&*source.look()?);
        self.mask.mask(&mut answer);
        Ok(answer)
    }
}

/// The limits of inspection, as the environment sets them.
fn limits() -> Result<Limits> {
    let mut limits = Limits::default();
    let set = limits.add_env(|name| std::env::var(name).ok());
    set.map_err(|error| Raised::options(error.to_string(), "give a number within the bounds"))?;
    Ok(limits)
}

fn now() -> UnixMillis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    UnixMillis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}
