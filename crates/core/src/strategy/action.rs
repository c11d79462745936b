//! Actions in words: what was done, and what the agent wants to do next.
//!
//! In: a scenario's step. Out: [`TakenAction`] (what a strategy may know afterwards) and [`Intent`]
//! (what the reader knows before: action, role, name, `within`). Invariant: neither names a node of
//! a capture.

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

/// What an action does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActionKind {
    /// Opens a URL.
    Goto,
    /// Clicks with the main button.
    Click,
    /// Clicks twice.
    DoubleClick,
    /// Clicks with the secondary button.
    RightClick,
    /// Moves the pointer over a node.
    Hover,
    /// Sets the value of a field at once.
    Fill,
    /// Types key by key.
    Type,
    /// Presses a key.
    Press,
    /// Chooses an option.
    Select,
    /// Checks or unchecks.
    Check,
    /// Hands files to a file input.
    Upload,
    /// Drags a node to another.
    Drag,
    /// Scrolls the page or a scroller.
    Scroll,
    /// Goes back in history.
    Back,
    /// Goes forward in history.
    Forward,
    /// Waits until something is there.
    WaitFor,
    /// Goes to another tab.
    SwitchTab,
    /// Closes the tab.
    CloseTab,
    /// Accepts or dismisses a dialog of the browser.
    Dialog,
}

impl ActionKind {
    /// Every kind, in the order of the documentation.
    pub const ALL: [Self; 19] = [
        Self::Goto,
        Self::Click,
        Self::DoubleClick,
        Self::RightClick,
        Self::Hover,
        Self::Fill,
        Self::Type,
        Self::Press,
        Self::Select,
        Self::Check,
        Self::Upload,
        Self::Drag,
        Self::Scroll,
        Self::Back,
        Self::Forward,
        Self::WaitFor,
        Self::SwitchTab,
        Self::CloseTab,
        Self::Dialog,
    ];

    /// Returns the name that scenarios and traces use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Goto => "goto",
            Self::Click => "click",
            Self::DoubleClick => "double_click",
            Self::RightClick => "right_click",
            Self::Hover => "hover",
            Self::Fill => "fill",
            Self::Type => "type",
            Self::Press => "press",
            Self::Select => "select",
            Self::Check => "check",
            Self::Upload => "upload",
            Self::Drag => "drag",
            Self::Scroll => "scroll",
            Self::Back => "back",
            Self::Forward => "forward",
            Self::WaitFor => "wait_for",
            Self::SwitchTab => "switch_tab",
            Self::CloseTab => "close_tab",
            Self::Dialog => "dialog",
        }
    }

    /// Returns the kind of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl fmt::Display for ActionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
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
