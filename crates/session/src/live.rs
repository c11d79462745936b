//! A live browser for each session: its own Chromium, or a tab of its own in one that runs.
//!
//! In: options. Out: an [`Opener`] whose sources are browsers. Invariants: a session's browser ends
//! with the session, and one that somebody else started stays; after a restart no node is taken for
//! one of before.

use crate::error::{ToolError, act_error, with_causes};
use crate::policy::Policy;
use crate::proxy::{OwnPages, Proxy};
use crate::source::{Act, DragTo, Opener, Setting, Source, TabLine, Undone, taken};
use browserlens_core::page::NodeKey;
use browserlens_core::strategy::{ActionKind, Actor as _, CaptureImage, PageSource, SourceError};
use browserlens_recorder::{AttachTab, DragEnd, LiveBrowser, LiveOptions, RecordError, Wait};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Starts a Chromium for each session, or attaches to one that runs.
#[derive(Debug)]
pub struct LiveOpener {
    options: LiveOptions,
    attach: Option<(String, AttachTab)>,
    /// A bundled site, by the folder of all and its name.
    site: Option<(PathBuf, String)>,
    /// Ends after the browsers that go through it: sessions hold the opener.
    proxy: Option<Proxy>,
}

impl LiveOpener {
    /// Takes how browsers are started. Unless private networks are allowed, they go through a proxy
    /// that checks every connection.
    ///
    /// # Errors
    /// If that proxy cannot be started.
    pub fn new(options: LiveOptions, policy: &Policy) -> io::Result<Self> {
        let proxy = if policy.private { None } else { Some(Proxy::start(policy.clone())?) };
        let options = LiveOptions { proxy: proxy.as_ref().map(Proxy::url), ..options };
        Ok(Self { options, attach: None, site: None, proxy })
    }

    /// Makes a source of a browser that is there already.
    pub(crate) fn opened(browser: LiveBrowser, options: LiveOptions) -> Box<dyn Source> {
        Box::new(LiveSource { browser, options, own: None })
    }

    /// Takes a bundled site, which each session gets served under its host names and on the clock of
    /// recordings: what is done in it is as in a recording.
    pub fn on_site(sites: PathBuf, site: String, options: LiveOptions) -> Self {
        Self { options, attach: None, site: Some((sites, site)), proxy: None }
    }

    /// Takes the address of a browser that runs, such as `http://127.0.0.1:9222`, and which tab of
    /// it each session gets. Its connections are its own: what it is led to is only checked when it
    /// is there.
    pub fn attached(address: String, tab: AttachTab, options: LiveOptions) -> Self {
        Self { options, attach: Some((address, tab)), site: None, proxy: None }
    }
}

impl Opener for LiveOpener {
    fn is_live(&self) -> bool {
        true
    }

    fn open(&self, url: Option<&str>) -> Result<Option<Box<dyn Source>>, ToolError> {
        let own = self.proxy.as_ref().map(Proxy::own_pages);
        if let (Some(own), Some(url)) = (&own, url) {
            own.goes_to(url);
        }
        let options = &self.options;
        let (browser, goes_to) = match (&self.attach, &self.site, url) {
            (Some((address, tab)), _, url) => (LiveBrowser::attach(address, tab, options), url),
            (None, Some((sites, site)), Some(_)) => (LiveBrowser::open_site(sites, site, "/", options), url),
            (None, None, Some(url)) => (LiveBrowser::open(url, options), None),
            (None, _, None) => return Ok(None),
        };
        let mut browser = browser.map_err(opening)?;
        if let Some(url) = goes_to {
            let done = browser.act(&taken(ActionKind::Goto, url), None);
            done.map_err(|error| act_error(error, ActionKind::Goto, String::new(), None))?;
        }
        if let Some(why) = own.as_ref().and_then(|own| own.why_not(&browser.url())) {
            return Err(ToolError::NotThere {
                message: format!("the page cannot be opened: {}: {why}", browser.url()),
                hint: "check the URL, then call `navigate` again",
            });
        }
        Ok(Some(Box::new(LiveSource { browser, options: self.options.clone(), own })))
    }
}

fn opening(error: RecordError) -> ToolError {
    match error {
        RecordError::NotActionable { reason, .. } => ToolError::NotThere {
            message: format!("the page cannot be opened: {reason}"),
            hint: "check the URL, then call `navigate` again",
        },
        error => ToolError::NoBrowser { message: with_causes(&error), hint: error.hint() },
    }
}

#[derive(Debug)]
struct LiveSource {
    browser: LiveBrowser,
    options: LiveOptions,
    /// Where to tell on which page it is, if it goes through a proxy.
    own: Option<Arc<OwnPages>>,
}

impl LiveSource {
    fn goes_to(&self, url: &str) {
        if let Some(own) = &self.own {
            own.goes_to(url);
        }
    }

    fn carry_out(&mut self, act: &Act) -> Result<(), Undone> {
        match (act.taken.kind, act.node, act.to) {
            (ActionKind::Drag, Some(from), Some(to)) => {
                let end = match to {
                    DragTo::On(node) => DragEnd::On { node, point: None },
                    DragTo::Before(node) => DragEnd::Beside { node, after: false },
                    DragTo::After(node) => DragEnd::Beside { node, after: true },
                    DragTo::By(x, y) => DragEnd::By(x, y),
                };
                Ok(self.browser.drag(from, end, act.at)?)
            }
            (ActionKind::Dialog, ..) => {
                let (accept, text) = match act.taken.text.as_str() {
                    "dismiss" => (false, None),
                    "accept" => (true, None),
                    text => (true, Some(text)),
                };
                Ok(self.browser.answer_dialog(accept, text)?)
            }
            (_, node, _) => match node.zip(act.at) {
                Some((node, at)) => Ok(self.browser.act_at(&act.taken, node, at)?),
                None => Ok(self.browser.act(&act.taken, node)?),
            },
        }
    }

    /// Says why a page that was gone to is not there, where the proxy answered in its place.
    fn reached(&self) -> Result<(), Undone> {
        let url = self.browser.url();
        match self.own.as_ref().and_then(|own| own.why_not(&url)) {
            None => Ok(()),
            Some(why) => Err(Undone::Other(ToolError::NotPossible {
                tool: "navigate",
                reason: format!("{url} cannot be opened: {why}"),
            })),
        }
    }

    fn is_here(&self) {
        if let Some(own) = &self.own {
            own.is_on(&self.browser.url());
        }
    }
}

impl Source for LiveSource {
    fn browser(&mut self) -> Option<&mut LiveBrowser> {
        Some(&mut self.browser)
    }

    fn pages(&mut self) -> &mut dyn PageSource {
        self.is_here();
        &mut self.browser
    }

    fn setting(&mut self) -> Setting {
        let browser = self.browser.browser_name().to_owned();
        if !self.browser.is_attached() {
            let LiveOptions { viewport, locale, timezone, .. } = self.options.clone();
            return Setting { viewport: Some(viewport), locale, timezone, browser };
        }
        // Somebody else started it: what its page shows is all that is known.
        let viewport = self.browser.look().ok().map(|page| page.viewport());
        Setting { viewport, browser, ..Setting::default() }
    }

    fn is_live(&self) -> bool {
        true
    }

    fn connects_unchecked(&self) -> bool {
        self.browser.is_attached()
    }

    fn is_alive(&self) -> bool {
        self.browser.is_alive()
    }

    fn is_kept(&mut self) -> bool {
        self.browser.is_attached() && self.browser.open_tabs().iter().any(|tab| tab.current && tab.kept)
    }

    fn hit_instead(&mut self) -> Option<String> {
        self.browser.hit_instead()
    }

    fn asks_for_files(&mut self) -> bool {
        self.browser.asks_for_files()
    }

    fn place_of(&mut self, node: NodeKey, words: &str) -> Option<[f32; 2]> {
        self.browser.place_of_words(node, words)
    }

    fn selected_text(&mut self) -> Option<(String, String)> {
        self.browser.selected_text()
    }

    fn document(&self) -> Option<(String, String)> {
        // In a browser of somebody else, others act on the same document.
        if self.browser.is_attached() { None } else { self.browser.document() }
    }

    fn refresh(&mut self) {
        self.browser.refresh();
    }

    fn restart(&mut self) -> Result<(), ToolError> {
        self.is_here();
        self.browser.restart().map_err(opening)
    }

    fn dialog(&mut self) -> Option<String> {
        self.browser.dialog().map(|dialog| dialog.message)
    }

    fn act(&mut self, act: &Act) -> Result<(), Undone> {
        if act.taken.kind == ActionKind::Goto {
            self.goes_to(&act.taken.text);
        }
        let done = self.carry_out(act);
        self.is_here();
        done?;
        if act.taken.kind == ActionKind::Goto {
            return self.reached();
        }
        Ok(())
    }

    fn wait(&mut self, time: Duration) -> Result<(), ToolError> {
        self.browser.wait(&Wait::Time(time))?;
        Ok(())
    }

    fn is_network_quiet(&mut self) -> Result<bool, ToolError> {
        Ok(self.browser.is_network_quiet()?)
    }

    fn evaluate(&mut self, expression: &str) -> Result<serde_json::Value, ToolError> {
        self.browser.evaluate(expression).map_err(|error| match error {
            SourceError::Failed { context, cause } => ToolError::NotThere {
                message: format!("{context}: {cause}"),
                hint: "correct the expression; `observe` shows what the page is now",
            },
            other => other.into(),
        })
    }

    fn open_tab(&mut self, url: &str) -> Result<(), Undone> {
        self.goes_to(url);
        self.browser.new_tab(url)?;
        self.reached()
    }

    fn tabs(&mut self) -> Result<Vec<TabLine>, ToolError> {
        let tabs = self.browser.open_tabs().into_iter();
        Ok(tabs.map(|tab| TabLine { index: tab.index, url: tab.url, is_current: tab.current }).collect())
    }

    fn picture(&mut self, of: Option<NodeKey>) -> Result<CaptureImage, ToolError> {
        Ok(self.browser.screenshot(of)?)
    }
}
