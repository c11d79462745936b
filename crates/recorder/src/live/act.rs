//! Acting on a live page: actions on nodes by key, tabs, dialogs, waiting.
//!
//! In: an action and the key of a node. Out: done and settled, or why not. Invariants: an action is
//! carried out on the node of its key or not at all; one that failed has done nothing, or its error
//! says what it did, and the page has settled after that too.

use super::{LiveBrowser, gone};
use crate::actions::{Deed, DragEnd};
use crate::aim::Undone;
use crate::error::RecordError;
use crate::input::held_keys;
use browserlens_core::page::NodeKey;
use browserlens_core::strategy::{ActError, ActionKind, Actor, SourceError, TakenAction};
use browserlens_trace::scenario::{Target, TargetBy};
use std::path::PathBuf;
use std::time::Duration;

/// Most keys of one press, each as often as it is pressed.
const MOST_KEYS: u64 = 500;

/// What is waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wait {
    /// Until a text can be seen.
    Text(String),
    /// Until a text can be seen no more.
    Gone(String),
    /// For a while.
    Time(Duration),
}

const NOWHERE: NodeKey = NodeKey { frame: 0, loader: 0, backend: 0 };

impl LiveBrowser {
    pub(super) fn open_url(&mut self, url: &str) -> Result<(), RecordError> {
        let goto = Deed::Goto { url: url.to_owned() };
        drop(self.runtime.block_on(self.stage.driver.note_unrest(&goto)));
        if let Err(undone) = self.runtime.block_on(self.stage.act(&goto, None, None)) {
            let (target, reason) = match undone {
                Undone::Impossible(reason) => (String::new(), reason),
                Undone::Gone(key) => (key.to_string(), "it is gone".to_owned()),
                Undone::Call(error) => return Err(self.stage.driver.failure("opening the page", error)),
            };
            return Err(RecordError::NotActionable { step: self.step, action: "goto".to_owned(), target, reason });
        }
        self.runtime.block_on(self.stage.settle(true)).map(drop)
    }

    /// Waits until a text is there or gone, or for a while; returns whether it came about in time.
    ///
    /// # Errors
    /// [`SourceError`] if the page is gone.
    pub fn wait(&mut self, wait: &Wait) -> Result<bool, SourceError> {
        self.stale = true;
        let (text, there) = match wait {
            Wait::Text(text) => (text, true),
            Wait::Gone(text) => (text, false),
            Wait::Time(time) => {
                let driver = &self.stage.driver;
                // Made inside: a timer belongs to the runtime that is entered when it is made.
                self.ask("waiting", async {
                    if driver.controlled() {
                        // The page's clock stands still unless it is moved.
                        let ms = u32::try_from(time.as_millis()).unwrap_or(u32::MAX);
                        return driver.advance(ms, 50).await.map(drop);
                    }
                    tokio::time::sleep(*time).await;
                    Ok(())
                })?;
                return Ok(true);
            }
        };
        let target = Target { by: TargetBy::Text(text.clone()), within: None, nth: None };
        let limit = self.options.timeout.as_millis() as u64;
        match self.runtime.block_on(self.stage.wait_until(&target, there, limit)) {
            Ok(()) => Ok(true),
            Err(RecordError::TimedOut { .. }) => Ok(false),
            Err(error) => Err(gone(error)),
        }
    }

    /// Drags a node onto another, beside it, or by an offset.
    ///
    /// # Errors
    /// [`ActError`] if one of them is gone or cannot be reached; nothing was dragged then.
    pub fn drag(&mut self, from: NodeKey, to: DragEnd, at: Option<(f32, f32)>) -> Result<(), ActError> {
        match to {
            DragEnd::On { node, .. } | DragEnd::Beside { node, .. } => self.look_again(&[from, node])?,
            DragEnd::By(..) => self.look_again(&[from])?,
        }
        self.carry_out(&Deed::Drag { to }, Some(from), at)
    }

    /// Acts on a node at a point of it, in CSS px from the upper left corner of its box.
    ///
    /// # Errors
    /// As [`Actor::act`].
    pub fn act_at(&mut self, action: &TakenAction, node: NodeKey, at: (f32, f32)) -> Result<(), ActError> {
        self.act_on(action, Some(node), Some(at))
    }

    /// Returns whether the current tab asks nothing of the network, but for what its page asks for
    /// again and again by itself.
    ///
    /// # Errors
    /// [`SourceError`] if the page is gone.
    pub fn is_network_quiet(&mut self) -> Result<bool, SourceError> {
        let driver = &self.stage.driver;
        driver.is_network_quiet().map_err(driver.failed("waiting")).map_err(gone)
    }

    /// Returns what the last action hit, if that was a click and hit neither what was meant, nor
    /// something in it, nor its label or, of a label, its field: in a few words, such as
    /// `<div id="veil"> "Loading"`. None also where the page is another since, or cannot say.
    pub fn hit_instead(&mut self) -> Option<String> {
        self.runtime.block_on(self.stage.driver.hit_instead())
    }

    /// Returns whether the last click opened a file chooser, which nobody sees.
    pub fn asks_for_files(&mut self) -> bool {
        self.runtime.block_on(self.stage.driver.asks_for_files())
    }

    /// Returns where in a node its text says some words, in CSS px from the upper left corner of its
    /// box, and brings them into view; none if it does not say them.
    pub fn place_of_words(&mut self, node: NodeKey, words: &str) -> Option<[f32; 2]> {
        self.look_again(&[node]).ok()?;
        let stage = &self.stage;
        let place = self.runtime.block_on(stage.driver.place_of_words(node, &stage.scene(), words))?;
        let part = |at: usize| Some(place[at].as_f64()? as f32);
        Some([part(0)?, part(1)?])
    }

    /// Returns what is selected of a text that can be edited and has the focus: `selected` and the
    /// text; or `caret` and its line, with a bar where the caret is.
    pub fn selected_text(&mut self) -> Option<(String, String)> {
        self.runtime.block_on(self.stage.driver.selected_text())
    }

    /// Opens a tab, makes it the current one and opens a URL in it.
    ///
    /// # Errors
    /// [`ActError`] if the browser is gone or the URL cannot be opened.
    pub fn new_tab(&mut self, url: &str) -> Result<(), ActError> {
        let opened = self.runtime.block_on(self.stage.driver.new_tab());
        opened.map_err(self.stage.driver.failed("opening a tab")).map_err(gone)?;
        self.carry_out(&Deed::Goto { url: url.to_owned() }, None, None)
    }

    /// Answers the dialog that blocks the current tab; `text` is what a prompt is answered with.
    ///
    /// # Errors
    /// [`ActError`] if no dialog is open.
    pub fn answer_dialog(&mut self, accept: bool, text: Option<&str>) -> Result<(), ActError> {
        self.carry_out(&Deed::Dialog { accept, text: text.map(str::to_owned) }, None, None)
    }

    /// Makes sure that the page is known as it stands, and that the nodes are on it.
    fn look_again(&mut self, nodes: &[NodeKey]) -> Result<(), ActError> {
        if !nodes.is_empty() && !self.stage.is_blocked() {
            // The page may have moved on since it was looked at.
            self.runtime.block_on(self.stage.fast_look()).map_err(gone)?;
        }
        let Some(seen) = self.stage.current.as_ref() else { return Ok(()) };
        match nodes.iter().find(|key| self.stage.driver.place_of(**key, seen, &self.stage.canonicalizer).is_none()) {
            Some(key) => Err(ActError::NodeGone { key: *key }),
            None => Ok(()),
        }
    }

    fn carry_out(&mut self, deed: &Deed, node: Option<NodeKey>, at: Option<(f32, f32)>) -> Result<(), ActError> {
        let (stage, timeout) = (&mut self.stage, self.options.timeout);
        // Whatever keeps it from being noted shows when the page is acted on.
        drop(self.runtime.block_on(stage.driver.note_unrest(deed)));
        let done = self.runtime.block_on(async { tokio::time::timeout(timeout, stage.act(deed, node, at)).await });
        let error = match done {
            Ok(Ok(())) => {
                self.acted()?;
                return self.confirm(deed, node);
            }
            Ok(Err(Undone::Impossible(reason))) => not_actionable(node, reason),
            Ok(Err(Undone::Gone(key))) => ActError::NodeGone { key },
            Ok(Err(Undone::Call(error))) => gone(self.stage.driver.failure("acting", error)).into(),
            Err(_) => not_actionable(node, format!("it took longer than {timeout:?}")),
        };
        self.left();
        Err(error)
    }

    /// Leaves a page on which an action failed: settled, if something was done to it; what else
    /// fails shows at the next action.
    fn left(&mut self) {
        let began = self.stage.driver.browser.read().input.is_some();
        if began {
            self.stale = true;
            drop(self.runtime.block_on(self.stage.settle(true)));
            self.take_events();
        } else {
            drop(self.runtime.block_on(self.stage.driver.end_watch()));
            self.stage.driver.unrest = None;
        }
    }

    /// Makes sure that what was checked is, where the page took the click and may have done
    /// something else.
    fn confirm(&mut self, deed: &Deed, node: Option<NodeKey>) -> Result<(), ActError> {
        let (Deed::Check { on }, Some(key)) = (deed, node) else { return Ok(()) };
        if self.stage.is_blocked() {
            return Ok(());
        }
        let failed = self.runtime.block_on(self.stage.driver.check_failed(key, *on, &self.stage.scene()));
        failed.map_or(Ok(()), |reason| Err(not_actionable(node, reason)))
    }

    /// Acts on a node, at a point of it if one is said.
    fn act_on(&mut self, action: &TakenAction, node: Option<NodeKey>, at: Option<(f32, f32)>) -> Result<(), ActError> {
        let deed = self.deed(action).map_err(|reason| not_actionable(node, reason))?;
        self.look_again(node.as_slice())?;
        self.carry_out(&deed, node, at)
    }

    fn acted(&mut self) -> Result<(), ActError> {
        self.step += 1;
        self.stage.driver.step = self.step;
        self.stale = true;
        // A dialog stays open: the caller answers it with the next action.
        self.runtime.block_on(self.stage.settle(true)).map_err(gone)?;
        self.take_events();
        Ok(())
    }

    fn deed(&self, action: &TakenAction) -> Result<Deed, String> {
        let text = action.text.clone();
        let number = |text: &str| text.trim().parse::<f32>().map_err(|_| format!("{text:?} is no number"));
        Ok(match action.kind {
            ActionKind::Goto => Deed::Goto { url: text },
            ActionKind::Click => Deed::Click { times: 1, right: false, held: held_keys(&text) },
            ActionKind::DoubleClick => Deed::Click { times: 2, right: false, held: 0 },
            ActionKind::RightClick => Deed::Click { times: 1, right: true, held: 0 },
            ActionKind::Hover => Deed::Hover,
            ActionKind::Fill => Deed::Fill { text },
            ActionKind::Type => Deed::Type { text },
            ActionKind::Press => {
                // As they are written one after the other, or pressed several times: `Home ArrowDown*19`.
                let times = |word: &str| {
                    let times = word.rsplit_once('*').and_then(|(key, times)| Some((key, times.parse().ok()?)));
                    let (key, times) = times.filter(|(key, _)| !key.is_empty()).unwrap_or((word, 1));
                    (key.to_owned(), times)
                };
                let keys: Vec<(String, u32)> = text.split_whitespace().map(times).collect();
                if keys.iter().map(|(_, times)| u64::from(*times)).sum::<u64>() > MOST_KEYS {
                    return Err(format!("at most {MOST_KEYS} keys are pressed at once"));
                }
                Deed::Press { keys: if keys.is_empty() { vec![(text, 1)] } else { keys } }
            }
            ActionKind::Select => Deed::Select { labels: text.split('\n').map(str::to_owned).collect() },
            ActionKind::Check => Deed::Check { on: text != "false" },
            ActionKind::Upload => Deed::Upload { files: text.split(", ").map(PathBuf::from).collect() },
            ActionKind::Scroll => {
                let (x, y) = text.split_once(',').ok_or("scroll takes \"x, y\" in CSS px as its text")?;
                Deed::Scroll { x: number(x)?, y: number(y)? }
            }
            ActionKind::Back => Deed::History { by: -1 },
            ActionKind::Forward => Deed::History { by: 1 },
            ActionKind::SwitchTab => {
                Deed::SwitchTab { index: text.trim().parse().map_err(|_| format!("{text:?} is no number of a tab"))? }
            }
            ActionKind::CloseTab => Deed::CloseTab,
            ActionKind::Dialog => match text.as_str() {
                "dismiss" => Deed::Dialog { accept: false, text: None },
                "accept" | "" => Deed::Dialog { accept: true, text: None },
                _ => Deed::Dialog { accept: true, text: Some(text) },
            },
            ActionKind::Drag | ActionKind::WaitFor => return Err(format!("{} has a method of its own", action.kind)),
        })
    }
}

impl Actor for LiveBrowser {
    fn act(&mut self, action: &TakenAction, node: Option<NodeKey>) -> Result<(), ActError> {
        if action.kind != ActionKind::WaitFor {
            return self.act_on(action, node, None);
        }
        if !self.wait(&Wait::Text(action.text.clone()))? {
            let reason = format!("{:?} did not appear within {:?}", action.text, self.options.timeout);
            return Err(not_actionable(None, reason));
        }
        drop(self.runtime.block_on(self.stage.driver.note_unrest(&Deed::Scroll { x: 0.0, y: 0.0 })));
        self.acted()
    }
}

fn not_actionable(node: Option<NodeKey>, reason: String) -> ActError {
    ActError::NotActionable { key: node.unwrap_or(NOWHERE), reason }
}
