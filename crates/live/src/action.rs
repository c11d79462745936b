//! What an agent can do on a live page.
//!
//! In: nothing. Out: the list of actions. Invariant: an element is named by a ref that was shown,
//! never by a position.

use browserlens_recorder::Wait;
use std::path::PathBuf;

/// One action.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Opens a URL in the current tab.
    Navigate {
        /// The URL.
        url: String,
    },
    /// Clicks.
    Click {
        /// Ref of the element.
        reference: String,
    },
    /// Clicks twice.
    DoubleClick {
        /// Ref of the element.
        reference: String,
    },
    /// Clicks with the secondary button.
    RightClick {
        /// Ref of the element.
        reference: String,
    },
    /// Moves the pointer over an element.
    Hover {
        /// Ref of the element.
        reference: String,
    },
    /// Replaces the text of a field.
    Type {
        /// Ref of the field.
        reference: String,
        /// The new text.
        text: String,
    },
    /// Types into a field key by key, after what is there.
    TypeKeys {
        /// Ref of the field.
        reference: String,
        /// The text.
        text: String,
    },
    /// Presses a key or a chord, such as `Enter` or `Control+A`.
    Press {
        /// Ref of the element that is focused before; none presses where the focus is.
        reference: Option<String>,
        /// The key, named as in `KeyboardEvent.key`.
        key: String,
    },
    /// Chooses an option of a select element by its label.
    Select {
        /// Ref of the select element.
        reference: String,
        /// Label of the option.
        option: String,
    },
    /// Checks or unchecks.
    Check {
        /// Ref of the checkbox, radio or switch.
        reference: String,
        /// The state it shall have.
        on: bool,
    },
    /// Scrolls the page, or the scroller that an element is in.
    Scroll {
        /// Ref of an element in the scroller; none scrolls the page.
        reference: Option<String>,
        /// CSS px to the right.
        x: f32,
        /// CSS px downwards.
        y: f32,
    },
    /// Drags an element.
    Drag {
        /// Ref of the element.
        from: String,
        /// Where it is dropped.
        to: DropAt,
    },
    /// Hands files to a file input, or to a button that opens a file chooser.
    Upload {
        /// Ref of the input or button.
        reference: String,
        /// The files.
        files: Vec<PathBuf>,
    },
    /// Goes back in history.
    Back,
    /// Goes forward in history.
    Forward,
    /// Waits.
    Wait(Wait),
    /// Does something with tabs.
    Tab(TabAction),
    /// Answers the dialog that blocks the page.
    Dialog {
        /// Whether it is accepted.
        accept: bool,
        /// What a prompt is answered with.
        text: Option<String>,
    },
}

/// Where a drag ends.
#[derive(Clone, Debug, PartialEq)]
pub enum DropAt {
    /// On the element of this ref.
    On(String),
    /// Before it, in its row or column.
    Before(String),
    /// After it.
    After(String),
    /// So many CSS px to the right and downwards.
    By(f32, f32),
}

/// What is done with tabs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TabAction {
    /// Opens one and goes to it.
    New {
        /// Its URL.
        url: String,
    },
    /// Goes to one.
    Switch {
        /// Its number.
        index: u32,
    },
    /// Closes one.
    Close {
        /// Its number; none closes the current one.
        index: Option<u32>,
    },
}

impl Action {
    /// Returns the name of the action.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Navigate { .. } => "navigate",
            Self::Click { .. } => "click",
            Self::DoubleClick { .. } => "double_click",
            Self::RightClick { .. } => "right_click",
            Self::Hover { .. } => "hover",
            Self::Type { .. } => "type",
            Self::TypeKeys { .. } => "type_keys",
            Self::Press { .. } => "press",
            Self::Select { .. } => "select",
            Self::Check { .. } => "check",
            Self::Scroll { .. } => "scroll",
            Self::Drag { .. } => "drag",
            Self::Upload { .. } => "upload",
            Self::Back => "back",
            Self::Forward => "forward",
            Self::Wait(_) => "wait",
            Self::Tab(TabAction::New { .. }) => "new_tab",
            Self::Tab(TabAction::Switch { .. }) => "switch_tab",
            Self::Tab(TabAction::Close { .. }) => "close_tab",
            Self::Dialog { .. } => "dialog",
        }
    }
}
