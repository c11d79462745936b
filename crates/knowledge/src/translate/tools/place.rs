//! Where the node of an action is.
//!
//! In: what is known of the node, and the page if there is one. Out: the node by number, selector
//! or words, and the place of it for a script. Invariant: with a page, the node was found on it;
//! without one, only what may be looked for late is left to a script.

use super::work::{Calls, Work, by_script, one};
use crate::model::ElementTarget;
use crate::translate::error::TranslateError;
use crate::translate::locate;
use crate::translate::resolve::{Wanted, parsed, resolve};
use crate::translate::script::{ElementLocator, Operation};
use browserlens_core::page::NodeRef;
use serde_json::Value;

/// How the node of an action is named to a tool.
pub(super) enum At<'p> {
    Node(NodeRef<'p>),
    Selector(String),
    Words(ElementTarget),
}

impl At<'_> {
    /// Adds how the node is named to the parameters of a tool: its index, or its selector; words cannot be told.
    pub(super) fn name_in(&self, parameters: &mut Value, prefix: &str) -> bool {
        match self {
            At::Node(node) => parameters[format!("{prefix}index")] = Value::from(node.key().backend),
            At::Selector(selector) => parameters[format!("{prefix}selector")] = Value::from(selector.as_str()),
            At::Words(_) => return false,
        }
        true
    }
}

impl<'p> Work<'_, 'p> {
    pub(super) fn at(&self) -> Result<At<'p>, TranslateError> {
        self.at_of(&Wanted::of(self.action))
    }

    pub(super) fn at_of(&self, wanted: &Wanted) -> Result<At<'p>, TranslateError> {
        if wanted.is_empty() {
            return Err(self.lacks("a node: `target`, `target_selector` or `index`"));
        }
        if let Some(page) = self.context.page {
            return resolve(page, self.kind, wanted).map(At::Node);
        }
        if let Some(selector) = &wanted.selector {
            parsed(selector)?;
            // Which of the two tells the node better is not known without a page; a stored selector
            // is of this very node.
            if self.is_seed() || self.context.late {
                return Ok(At::Selector(selector.clone()));
            }
        }
        match &wanted.target {
            Some(target) if self.context.late => Ok(At::Words(target.clone())),
            _ => Err(self.needs_page(wanted)),
        }
    }

    pub(super) fn needs_page(&self, wanted: &Wanted) -> TranslateError {
        TranslateError::NeedsPage { action_type: self.kind.name(), wanted: wanted.in_words() }
    }

    /// The node for a script.
    pub(super) fn place(&self, at: &At<'p>) -> Result<ElementLocator, TranslateError> {
        match at {
            At::Node(node) => {
                let (action_type, wanted) = (self.kind.name(), Wanted::of(self.action).in_words());
                let unreachable = |place| TranslateError::Unreachable { action_type, wanted, place };
                locate::path(*node).map(ElementLocator::Path).map_err(unreachable)
            }
            At::Selector(selector) => Ok(ElementLocator::Path(vec![selector.clone()])),
            At::Words(words) => Ok(ElementLocator::Words(words.clone())),
        }
    }

    /// What is waited for is not there yet: it is named as it is known, not by a page.
    pub(super) fn words_place(&self) -> Result<ElementLocator, TranslateError> {
        let wanted = Wanted::of(self.action);
        match (wanted.target, wanted.selector) {
            (Some(target), _) => Ok(ElementLocator::Words(target)),
            (None, Some(selector)) => parsed(&selector).map(|_| ElementLocator::Path(vec![selector])),
            (None, None) => self.needed("text", &[]).map(by_text),
        }
    }

    /// The selector of elements that are only listed.
    pub(super) fn selector(&self) -> Result<String, TranslateError> {
        let known = || self.action.target_selector.clone().filter(|text| !text.is_empty());
        let selector = self.needed("selector", &[]).or_else(|error| known().ok_or(error))?;
        parsed(&selector).map(|_| selector)
    }

    pub(super) fn index(&self, at: &At<'p>) -> Result<u32, TranslateError> {
        match at {
            At::Node(node) => Ok(node.key().backend),
            _ => Err(self.needs_page(&Wanted::of(self.action))),
        }
    }

    /// A call of a tool that takes an element, or a script where the tool cannot be told which.
    pub(super) fn with_element(
        &self,
        tool: &'static str,
        at: &At<'p>,
        more: Value,
        operation: Operation,
        values: Value,
    ) -> Calls {
        let mut parameters = more;
        let takes = self.is_seed() || !matches!(at, At::Selector(_));
        if takes && at.name_in(&mut parameters, "") {
            return one(tool, parameters);
        }
        self.scripted(operation, at, values)
    }

    /// A script that does something to the node.
    pub(super) fn scripted(&self, operation: Operation, at: &At<'p>, values: Value) -> Calls {
        by_script(operation, Some(&self.place(at)?), values)
    }
}

/// The place of whatever has a text.
pub(super) fn by_text(text: String) -> ElementLocator {
    ElementLocator::Words(ElementTarget { text, ..ElementTarget::default() })
}

/// A button that a page shows in place of its file input stands beside it: the tool wants the
/// input.
pub(super) fn file_input(node: NodeRef<'_>) -> NodeRef<'_> {
    let is_input = |node: &NodeRef<'_>| node.tag() == "input" && node.attribute("type") == Some("file");
    if is_input(&node) {
        return node;
    }
    std::iter::once(node)
        .chain(node.ancestors().take(3))
        .find_map(|around| around.descendants().find(is_input))
        .unwrap_or(node)
}
