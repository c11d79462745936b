//! What the model is told before it sees a page.
//!
//! In: a text with the placeholders `{{actions}}`, `{{target}}` and `{{legend}}`. Out: the system
//! message of a strategy. Invariant: the version is a hash of the text, so that a cassette of
//! another text is refused.

use super::error::LlmReadError;
use crate::store::content_hash;
use browserlens_core::strategy::{ActionChannel, ActionKind};
use std::path::Path;

const BUILT_IN: &str = include_str!("next_action.md");
const EXAM: &str = include_str!("exam.md");
const PLACEHOLDERS: [&str; 3] = ["actions", "target", "legend"];

/// A prompt and its version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    text: String,
    version: String,
}

impl Default for Prompt {
    fn default() -> Self {
        Self::of(BUILT_IN.to_owned())
    }
}

impl Prompt {
    fn of(text: String) -> Self {
        let version = content_hash(text.as_bytes())[..16].to_owned();
        Self { text, version }
    }

    /// Reads a prompt of the user's own.
    ///
    /// # Errors
    /// [`LlmReadError::Prompt`] if the file cannot be read, [`LlmReadError::Placeholder`] if it
    /// lacks one.
    pub fn load(path: &Path) -> Result<Self, LlmReadError> {
        let text =
            std::fs::read_to_string(path).map_err(|source| LlmReadError::Prompt { path: path.to_owned(), source })?;
        for placeholder in PLACEHOLDERS {
            if text.matches(&format!("{{{{{placeholder}}}}}")).count() != 1 {
                return Err(LlmReadError::Placeholder { path: path.to_owned(), placeholder });
            }
        }
        Ok(Self::of(text))
    }

    /// Returns the prompt of the exam.
    pub fn exam() -> Self {
        Self::of(EXAM.to_owned())
    }

    /// Returns the version: the beginning of the text's hash.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Returns the system message for a strategy.
    pub(crate) fn render(&self, channel: ActionChannel, legend: Option<&str>) -> String {
        let actions = ActionKind::ALL.map(ActionKind::name).join(", ");
        let text = self.text.replace("{{actions}}", &actions).replace("{{target}}", target_in_words(channel));
        with_legend(&text, legend)
    }

    /// Returns the system message of an exam.
    pub(crate) fn render_exam(&self, legend: Option<&str>) -> String {
        with_legend(&self.text, legend)
    }
}

/// The legend comes last, because it may hold anything.
fn with_legend(text: &str, legend: Option<&str>) -> String {
    let legend = legend.map_or_else(String::new, |legend| format!("How to read the observations:\n{}", legend.trim()));
    text.replace("{{legend}}", &legend).trim_end().to_owned()
}

fn target_in_words(channel: ActionChannel) -> &'static str {
    match channel {
        ActionChannel::Ref => {
            "the handle of the element to act on, exactly as the observation writes it, such as @e12, e12 or 12"
        }
        ActionChannel::Point => {
            "the point to act at, as x,y in pixels of the last image, counted from its upper left corner, such as \
                640,212"
        }
        ActionChannel::Selector | ActionChannel::RoleName | ActionChannel::None => {
            "the role and the accessible name of the element to act on, such as button \"Save\"; where several are \
                alike, with the role and name of what it lies in, such as button \"Save\" in region \"Address\""
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_prompt_has_every_placeholder_once() {
        for placeholder in PLACEHOLDERS {
            assert_eq!(BUILT_IN.matches(&format!("{{{{{placeholder}}}}}")).count(), 1, "{placeholder}");
        }
        let text = Prompt::default().render(ActionChannel::Ref, Some("refs act\n"));
        assert!(text.ends_with("How to read the observations:\nrefs act") && !text.contains("{{"), "{text}");
        assert!(text.contains("one of goto, click, double_click,") && text.contains("such as @e12"), "{text}");
    }

    #[test]
    fn another_text_is_another_version_and_a_lost_placeholder_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("own.md");
        std::fs::write(&path, "{{actions}} {{target}} {{legend}}").expect("written");
        let own = Prompt::load(&path).expect("loads");
        assert_ne!(own.version(), Prompt::default().version());
        assert_eq!(own.version().len(), 16);
        std::fs::write(&path, "{{actions}} {{legend}}").expect("written");
        let error = Prompt::load(&path).expect_err("refused");
        assert!(error.to_string().ends_with("own.md: the prompt has no {{target}}"), "{error}");
        assert!(Prompt::load(Path::new("/nowhere.md")).expect_err("refused").to_string().contains("/nowhere.md"));
    }
}
