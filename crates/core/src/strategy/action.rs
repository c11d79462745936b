//! Actions in words: what was done, and what the agent wants to do next.
//!
//! In: a scenario's step. Out: [`TakenAction`] (what a strategy may know afterwards) and [`Intent`]
//! (what the reader knows before: action, role, name, `within`). Invariant: neither names a node of
//! a capture.

use crate::named;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Index of a step in its trace; 0 is the first navigation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct StepIndex(pub u32);

impl fmt::Display for StepIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

named! {
    /// What an action does.
    pub enum ActionKind {
        /// Opens a URL.
        Goto = "goto",
        /// Clicks with the main button.
        Click = "click",
        /// Clicks twice.
        DoubleClick = "double_click",
        /// Clicks with the secondary button.
        RightClick = "right_click",
        /// Moves the pointer over a node.
        Hover = "hover",
        /// Sets the value of a field at once.
        Fill = "fill",
        /// Types key by key.
        Type = "type",
        /// Presses a key.
        Press = "press",
        /// Chooses an option.
        Select = "select",
        /// Checks or unchecks.
        Check = "check",
        /// Hands files to a file input.
        Upload = "upload",
        /// Drags a node to another.
        Drag = "drag",
        /// Scrolls the page or a scroller.
        Scroll = "scroll",
        /// Goes back in history.
        Back = "back",
        /// Goes forward in history.
        Forward = "forward",
        /// Waits until something is there.
        WaitFor = "wait_for",
        /// Goes to another tab.
        SwitchTab = "switch_tab",
        /// Closes the tab.
        CloseTab = "close_tab",
        /// Accepts or dismisses a dialog of the browser.
        Dialog = "dialog",
    }
}

/// A node in words: as much of it as a person would say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct NodeHint {
    /// Role; empty if not said.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub role: String,
    /// Accessible name; empty if not said.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// An ancestor, if said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<Box<NodeHint>>,
    /// Which one of several, counted from 0 in document order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nth: Option<u32>,
}

/// What the agent wants to do next: all that the reader knows beside the observations.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Intent {
    /// The action.
    pub action: ActionKind,
    /// The node to act on; none for actions without one (`goto`, `back`, …). Role and name are
    /// those of the acceptable action node itself, also where the scenario named it by CSS, text or
    /// point.
    pub node: Option<NodeHint>,
    /// What is typed, chosen or pressed; empty if nothing.
    #[serde(default)]
    pub text: String,
}

/// An action that was carried out.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TakenAction {
    /// The action.
    pub kind: ActionKind,
    /// The node it was carried out on, in words.
    pub node: Option<NodeHint>,
    /// What was typed, chosen or pressed (redacted); empty if nothing.
    #[serde(default)]
    pub text: String,
    /// What went wrong, if the action failed.
    #[serde(default)]
    pub error: Option<String>,
}
