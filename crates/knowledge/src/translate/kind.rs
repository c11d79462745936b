//! The action types that are understood, and the names they go by.
//!
//! In: the `action_type` of an action, as a recording, a document or a language model spells it.
//! Out: an [`ActionType`]. Invariant: no name means two types; a name that is not known is an error
//! that names the nearest ones.

use super::TranslateError;

macro_rules! action_types {
    ($($(#[$meta:meta])* $variant:ident = $name:literal $(, $alias:literal)*;)+) => {
        /// What an action does.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum ActionType {
            $($(#[$meta])* $variant,)+
        }

        impl ActionType {
            /// Every action type, in the order of the documentation.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// Returns the name that is written.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }

            /// Returns the other names that are read.
            pub fn aliases(self) -> &'static [&'static str] {
                match self {
                    $(Self::$variant => &[$($alias,)*],)+
                }
            }
        }
    };
}

action_types! {
    /// Opens a URL in this tab.
    Navigate = "navigate", "goto", "go_to", "open", "open_url", "visit";
    /// Opens a URL in a new tab.
    NewTab = "new_tab", "open_tab";
    /// Asks a search engine.
    Search = "search", "search_google", "web_search";
    /// Goes back in history.
    GoBack = "go_back", "back";
    /// Goes forward in history.
    GoForward = "go_forward", "forward";
    /// Loads the page again.
    Refresh = "refresh", "reload";
    /// Waits for some seconds.
    Wait = "wait", "sleep", "pause";
    /// Waits until a node is there.
    WaitFor = "wait_for", "wait_for_element", "wait_for_text";
    /// Clicks with the main button.
    Click = "click", "tap", "left_click", "click_element";
    /// Clicks with the secondary button.
    RightClick = "right_click", "context_click";
    /// Clicks twice.
    DoubleClick = "double_click", "dblclick";
    /// Moves the pointer over a node.
    Hover = "hover", "mouse_over";
    /// Drags one node to another.
    DragDrop = "drag_drop", "drag", "drag_and_drop";
    /// Moves the focus to a field.
    Focus = "focus";
    /// Sets the text of a field.
    Input = "input", "fill", "input_text", "enter_text", "set_value";
    /// Types text behind what a field holds.
    Type = "type", "append_text";
    /// Types text key by key.
    TypeSlowly = "type_slowly", "type_sequentially";
    /// Empties a field.
    Clear = "clear", "clear_text";
    /// Presses a key or a chord.
    SendKeys = "send_keys", "press", "press_key", "key", "keyboard";
    /// Selects everything in a field.
    SelectAll = "select_all";
    /// Copies what is selected.
    Copy = "copy";
    /// Pastes the clipboard.
    Paste = "paste";
    /// Cuts what is selected.
    Cut = "cut";
    /// Undoes the last edit.
    Undo = "undo";
    /// Does the last undone edit again.
    Redo = "redo";
    /// Chooses an option of a list by its label.
    SelectDropdown = "select_dropdown", "select", "select_option", "select_dropdown_option", "choose";
    /// Lists the options of a list.
    DropdownOptions = "dropdown_options", "get_dropdown_options";
    /// Checks a box, a radio button or a switch.
    Check = "check";
    /// Takes the check off.
    Uncheck = "uncheck";
    /// Turns a check over, whatever it is.
    Toggle = "toggle";
    /// Hands a file to a file input.
    UploadFile = "upload_file", "upload", "attach_file";
    /// Fills several fields.
    FillForm = "fill_form";
    /// Sends a form.
    SubmitForm = "submit_form", "submit";
    /// Sets a form back.
    ResetForm = "reset_form", "reset";
    /// Scrolls the page or a scroller.
    Scroll = "scroll";
    /// Scrolls up.
    ScrollUp = "scroll_up";
    /// Scrolls down.
    ScrollDown = "scroll_down";
    /// Scrolls to the first character of the page.
    ScrollToTop = "scroll_to_top";
    /// Scrolls to the last character of the page.
    ScrollToBottom = "scroll_to_bottom";
    /// Scrolls until a node is in view.
    ScrollToElement = "scroll_to_element", "scroll_into_view";
    /// Scrolls to a text.
    FindText = "find_text", "scroll_to_text";
    /// Searches the text of the page.
    SearchPage = "search_page", "find_on_page";
    /// Lists the elements of a selector.
    FindElements = "find_elements";
    /// Plays a video.
    PlayVideo = "play_video", "play";
    /// Halts a video.
    PauseVideo = "pause_video";
    /// Goes to a time of a video.
    SeekVideo = "seek_video", "seek";
    /// Sets the volume of a video.
    AdjustVolume = "adjust_volume", "set_volume";
    /// Turns the sound of a video off or on.
    ToggleMute = "toggle_mute", "mute", "unmute";
    /// Takes a picture of the page.
    Screenshot = "screenshot", "take_screenshot";
    /// Saves the page as PDF.
    SaveAsPdf = "save_as_pdf", "print_pdf";
    /// Runs a script.
    Evaluate = "evaluate", "execute_script", "run_script";
    /// Reads something out of the page.
    Extract = "extract", "extract_content", "scrape";
    /// Goes to another tab.
    Switch = "switch", "switch_tab";
    /// Closes a tab.
    Close = "close", "close_tab";
    /// Accepts a dialog of the browser.
    AcceptDialog = "accept_dialog", "dialog_accept";
    /// Dismisses a dialog of the browser.
    DismissDialog = "dismiss_dialog", "dialog_dismiss";
    /// Answers a dialog of the browser, as `parameters` say.
    Dialog = "dialog", "handle_dialog";
    /// Ends the task.
    Done = "done", "finish";
}

impl ActionType {
    /// Returns the type of a name; case, blanks and hyphens do not matter.
    ///
    /// # Errors
    /// [`TranslateError::UnknownType`] with the nearest names.
    pub fn parse(name: &str) -> Result<Self, TranslateError> {
        let plain = |c: char| if c == '-' || c.is_whitespace() { '_' } else { c.to_ascii_lowercase() };
        let plain: String = name.trim().chars().map(plain).collect();
        let found = Self::ALL.iter().find(|kind| kind.name() == plain || kind.aliases().contains(&plain.as_str()));
        found.copied().ok_or_else(|| {
            let names = Self::ALL.iter().flat_map(|kind| [&[kind.name()], kind.aliases()].concat());
            TranslateError::UnknownType { name: super::shown(name), nearest: super::nearest::nearest(&plain, names, 3) }
        })
    }

    /// Returns whether a name is that of one of some types.
    pub(crate) fn is_one_of(name: &str, kinds: &[Self]) -> bool {
        Self::parse(name).is_ok_and(|kind| kinds.contains(&kind))
    }

    /// Returns whether the action has to name a node.
    pub fn needs_target(self) -> bool {
        use ActionType::*;
        [
            Click, RightClick, DoubleClick, Hover, DragDrop, Focus, Input, Clear, SelectDropdown, DropdownOptions,
            Check, Uncheck, Toggle, UploadFile, ScrollToElement, WaitFor,
        ]
        .contains(&self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_name_means_one_type() {
        let mut seen = BTreeSet::new();
        for kind in ActionType::ALL {
            for name in std::iter::once(&kind.name()).chain(kind.aliases()) {
                assert!(seen.insert(*name), "{name} stands twice");
                assert_eq!(ActionType::parse(name).unwrap(), *kind);
            }
        }
        assert!(ActionType::ALL.len() >= 40);
    }

    #[test]
    fn spelling_does_not_matter_and_a_wrong_name_has_near_ones() {
        assert_eq!(ActionType::parse(" Double-Click ").unwrap(), ActionType::DoubleClick);
        assert_eq!(ActionType::parse("Go Back").unwrap(), ActionType::GoBack);
        let error = ActionType::parse("clik").unwrap_err().to_string();
        assert!(error.contains("\"clik\"") && error.contains("click"), "{error}");
    }

    #[test]
    fn every_action_of_a_recording_has_a_type() {
        for kind in browserlens_core::strategy::ActionKind::ALL {
            ActionType::parse(kind.name()).unwrap();
        }
    }
}
