//! CSS selectors over a page: what a [`Selector`] means.
//!
//! In: the text of a selector, a [`Page`]. Out: the elements that match, in document order. Parsing
//! and matching are Servo's (the crate `selectors`); here is the view of a page that it asks for.
//! Invariants: a selector that is no selector is an error with its place; matching sees each
//! document and each shadow tree by itself, as `querySelectorAll` does, and looks into all of them;
//! what is slotted is a child of the host.
//!
//! Beside the structural pseudo-classes, `:is`, `:where`, `:not` and `:has`, the states that a
//! capture tells are known: `:checked`, `:disabled`, `:enabled`, `:required`, `:focus`, `:any-link`
//! and `:link`. Names in attribute selectors match as in HTML; documents count as standards mode.

mod trees;

pub use trees::Trees;

use super::{NodeId, NodeKind, NodeRef, Page, States};
use cssparser::{Parser as CssParser, ToCss};
use precomputed_hash::PrecomputedHash;
use selectors::attr::{AttrSelectorOperation, CaseSensitivity, NamespaceConstraint};
use selectors::bloom::BloomFilter;
use selectors::context::{
    MatchingContext, MatchingForInvalidation, MatchingMode, NeedsSelectorFlags, QuirksMode, SelectorCaches,
};
use selectors::matching::{ElementSelectorFlags, matches_selector_list};
use selectors::parser::{NonTSPseudoClass, ParseRelative, PseudoElement, SelectorParseErrorKind};
use selectors::{Element, OpaqueElement, SelectorImpl, SelectorList};
use std::borrow::Borrow;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Longest selector, in bytes.
const LONGEST: usize = 4_096;

/// A text that is no CSS selector.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no CSS selector at character {at}: {reason}")]
pub struct MalformedSelector {
    /// Where, in characters from 1.
    pub at: usize,
    /// What is wrong there.
    pub reason: String,
}

/// A parsed list of CSS selectors.
#[derive(Clone)]
pub struct Selector {
    list: SelectorList<Css>,
}

impl fmt::Debug for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Selector").field(&self.list.to_css_string()).finish()
    }
}

impl std::str::FromStr for Selector {
    type Err = MalformedSelector;

    fn from_str(text: &str) -> Result<Self, MalformedSelector> {
        if text.len() > LONGEST {
            return Err(MalformedSelector { at: 1, reason: format!("longer than {LONGEST} bytes") });
        }
        let mut input = CssParser::new(text);
        let list = SelectorList::parse_disallow_pseudo(&Rules, &mut input, ParseRelative::No);
        list.map(|list| Self { list }).map_err(|error| {
            let place = input.current_source_location();
            MalformedSelector { at: place.column.max(1) as usize, reason: reason(&error.kind) }
        })
    }
}

fn reason(kind: &cssparser::ParseErrorKind<Wrong>) -> String {
    use cssparser::{BasicParseErrorKind as Basic, ParseErrorKind as Kind};
    let words = match kind {
        Kind::Basic(Basic::EndOfInput) => "it ends too early",
        Kind::Basic(_) => "this does not belong in a selector",
        Kind::Custom(Wrong(wrong)) => match wrong {
            SelectorParseErrorKind::EmptySelector => "a selector is expected",
            SelectorParseErrorKind::DanglingCombinator => "a combinator has nothing to combine with",
            SelectorParseErrorKind::UnsupportedPseudoClassOrElement => {
                "this pseudo-class or pseudo-element is not supported"
            }
            SelectorParseErrorKind::ClassNeedsIdent => "a name of a class is expected",
            SelectorParseErrorKind::NoQualifiedNameInAttributeSelector
            | SelectorParseErrorKind::InvalidQualNameInAttr => "a name of an attribute is expected",
            SelectorParseErrorKind::UnexpectedTokenInAttributeSelector
            | SelectorParseErrorKind::ExpectedBarInAttr
            | SelectorParseErrorKind::BadValueInAttr => "this is no value of an attribute",
            SelectorParseErrorKind::PseudoElementExpectedColon
            | SelectorParseErrorKind::PseudoElementExpectedIdent
            | SelectorParseErrorKind::NoIdentForPseudo => "a name of a pseudo-class is expected",
            SelectorParseErrorKind::ExpectedNamespace => "this namespace is not known",
            _ => "this does not belong in a selector",
        },
    };
    words.to_owned()
}

impl Selector {
    /// Returns the elements of a page that match, in document order.
    pub fn find(&self, page: &Page) -> Vec<NodeId> {
        let family = Family::of(page);
        let mut caches = SelectorCaches::default();
        let mut context = MatchingContext::new(
            MatchingMode::Normal,
            None,
            &mut caches,
            QuirksMode::NoQuirks,
            NeedsSelectorFlags::No,
            MatchingForInvalidation::No,
        );
        page.nodes()
            .filter(|node| node.kind() == NodeKind::Element)
            .filter(|node| {
                let element = Node { family: &family, id: node.id().0 };
                matches_selector_list(&self.list, element, &mut context)
            })
            .map(|node| node.id())
            .collect()
    }
}

const NONE: u32 = Trees::NONE;

/// Who is whose parent, child and sibling among the elements of a page, by the document and not by
/// the flat tree.
struct Family<'p> {
    page: &'p Page,
    /// One byte a node, for its address.
    address: Vec<u8>,
    trees: Trees,
    first: Vec<u32>,
    next: Vec<u32>,
    previous: Vec<u32>,
    /// Whether an element holds a text.
    filled: Vec<bool>,
}

impl<'p> Family<'p> {
    fn of(page: &'p Page) -> Self {
        let all = page.len();
        let mut family = Self {
            page,
            address: vec![0; all],
            trees: Trees::of(page),
            first: vec![NONE; all],
            next: vec![NONE; all],
            previous: vec![NONE; all],
            filled: vec![false; all],
        };
        let mut last = vec![NONE; all];
        // Elements without a parent are siblings where they share a shadow root.
        let mut last_in_root = vec![NONE; all];
        for node in page.nodes().skip(1) {
            let id = node.id().0;
            let (parent, host) = (family.trees.parent[id as usize], family.trees.host[id as usize]);
            if node.kind() == NodeKind::Text && parent != NONE {
                family.filled[parent as usize] |= !node.text().is_empty();
            }
            if node.kind() != NodeKind::Element {
                continue;
            }
            let before = match (parent, host) {
                (NONE, NONE) => continue,
                (NONE, host) => &mut last_in_root[host as usize],
                (parent, _) => {
                    if family.first[parent as usize] == NONE {
                        family.first[parent as usize] = id;
                    }
                    &mut last[parent as usize]
                }
            };
            if *before != NONE {
                family.next[*before as usize] = id;
                family.previous[id as usize] = *before;
            }
            *before = id;
        }
        family
    }
}

#[derive(Clone, Copy)]
struct Node<'f, 'p> {
    family: &'f Family<'p>,
    id: u32,
}

impl fmt::Debug for Node<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.node().fmt(f)
    }
}

impl<'p> Node<'_, 'p> {
    fn node(&self) -> NodeRef<'p> {
        self.family.page.node(NodeId(self.id))
    }

    fn at(&self, column: &[u32]) -> Option<Self> {
        let id = column[self.id as usize];
        (id != NONE).then_some(Self { family: self.family, id })
    }
}

impl Element for Node<'_, '_> {
    type Impl = Css;

    fn opaque(&self) -> OpaqueElement {
        OpaqueElement::new(&self.family.address[self.id as usize])
    }

    fn parent_element(&self) -> Option<Self> {
        self.at(&self.family.trees.parent)
    }

    fn parent_node_is_shadow_root(&self) -> bool {
        self.at(&self.family.trees.parent).is_none() && self.at(&self.family.trees.host).is_some()
    }

    fn containing_shadow_host(&self) -> Option<Self> {
        self.at(&self.family.trees.host)
    }

    fn is_pseudo_element(&self) -> bool {
        false
    }

    fn prev_sibling_element(&self) -> Option<Self> {
        self.at(&self.family.previous)
    }

    fn next_sibling_element(&self) -> Option<Self> {
        self.at(&self.family.next)
    }

    fn first_element_child(&self) -> Option<Self> {
        self.at(&self.family.first)
    }

    fn is_html_element_in_html_document(&self) -> bool {
        true
    }

    fn has_local_name(&self, local_name: &str) -> bool {
        self.node().tag() == local_name
    }

    fn has_namespace(&self, _: &str) -> bool {
        true
    }

    fn is_same_type(&self, other: &Self) -> bool {
        self.node().tag() == other.node().tag()
    }

    fn attr_matches(
        &self,
        _: &NamespaceConstraint<&Word>,
        local_name: &Word,
        operation: &AttrSelectorOperation<&Word>,
    ) -> bool {
        self.node().attribute(&local_name.0).is_some_and(|value| operation.eval_str(value))
    }

    fn match_non_ts_pseudo_class(&self, class: &State, _: &mut MatchingContext<'_, Css>) -> bool {
        let node = self.node();
        let states = node.states();
        let is_control =
            matches!(node.tag(), "button" | "input" | "select" | "textarea" | "option" | "optgroup" | "fieldset");
        match class {
            State::Checked => states.any(States::CHECKED.with(States::SELECTED)),
            State::Disabled => is_control && (states.has(States::DISABLED) || node.attribute("disabled").is_some()),
            State::Enabled => is_control && !states.has(States::DISABLED) && node.attribute("disabled").is_none(),
            State::Required => node.attribute("required").is_some(),
            State::Focus => states.has(States::FOCUSED),
            State::Link => self.is_link(),
        }
    }

    fn match_pseudo_element(&self, class: &Never, _: &mut MatchingContext<'_, Css>) -> bool {
        match *class {}
    }

    fn apply_selector_flags(&self, _: ElementSelectorFlags) {}

    fn is_link(&self) -> bool {
        matches!(self.node().tag(), "a" | "area") && self.node().attribute("href").is_some()
    }

    fn is_html_slot_element(&self) -> bool {
        self.node().tag() == "slot"
    }

    fn has_id(&self, id: &Word, case: CaseSensitivity) -> bool {
        self.node().attribute("id").is_some_and(|known| case.eq(known.as_bytes(), id.0.as_bytes()))
    }

    fn has_class(&self, name: &Word, case: CaseSensitivity) -> bool {
        self.node().classes().any(|class| case.eq(class.as_bytes(), name.0.as_bytes()))
    }

    fn has_custom_state(&self, _: &Word) -> bool {
        false
    }

    fn imported_part(&self, _: &Word) -> Option<Word> {
        None
    }

    fn is_part(&self, _: &Word) -> bool {
        false
    }

    fn is_empty(&self) -> bool {
        self.first_element_child().is_none() && !self.family.filled[self.id as usize]
    }

    fn is_root(&self) -> bool {
        self.at(&self.family.trees.parent).is_none() && self.at(&self.family.trees.host).is_none()
    }

    fn add_element_unique_hashes(&self, _: &mut BloomFilter) -> bool {
        false
    }
}

/// The words of a selector, and what is read of them.
#[derive(Clone, Debug)]
struct Css;

impl SelectorImpl for Css {
    type ExtraMatchingData<'a> = ();
    type AttrValue = Word;
    type Identifier = Word;
    type LocalName = Word;
    type NamespaceUrl = Word;
    type NamespacePrefix = Word;
    type BorrowedNamespaceUrl = str;
    type BorrowedLocalName = str;
    type NonTSPseudoClass = State;
    type PseudoElement = Never;
}

/// A word of a selector.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Word(String);

impl From<&str> for Word {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl Borrow<str> for Word {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for Word {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl PrecomputedHash for Word {
    fn precomputed_hash(&self) -> u32 {
        let mut hasher = DefaultHasher::new();
        self.0.hash(&mut hasher);
        hasher.finish() as u32
    }
}

impl ToCss for Word {
    fn to_css<W: fmt::Write>(&self, dest: &mut W) -> fmt::Result {
        cssparser::serialize_identifier(&self.0, dest)
    }
}

/// A pseudo-class that asks for a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Checked,
    Disabled,
    Enabled,
    Required,
    Focus,
    Link,
}

/// The names of states; of several the first is the one that is written.
const STATES: [(&str, State); 7] = [
    ("checked", State::Checked),
    ("disabled", State::Disabled),
    ("enabled", State::Enabled),
    ("required", State::Required),
    ("focus", State::Focus),
    ("link", State::Link),
    ("any-link", State::Link),
];

impl ToCss for State {
    fn to_css<W: fmt::Write>(&self, dest: &mut W) -> fmt::Result {
        STATES.iter().find(|(_, state)| state == self).map_or(Ok(()), |(name, _)| write!(dest, ":{name}"))
    }
}

impl NonTSPseudoClass for State {
    fn is_active_or_hover(&self) -> bool {
        false
    }

    fn is_user_action_state(&self) -> bool {
        *self == Self::Focus
    }
}

/// There are no pseudo-elements here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Never {}

impl ToCss for Never {
    fn to_css<W: fmt::Write>(&self, _: &mut W) -> fmt::Result {
        match *self {}
    }
}

impl PseudoElement for Never {}

struct Rules;

/// What is wrong with a selector.
struct Wrong(SelectorParseErrorKind);

impl From<SelectorParseErrorKind> for Wrong {
    fn from(kind: SelectorParseErrorKind) -> Self {
        Self(kind)
    }
}

impl<'i> selectors::Parser<'i> for Rules {
    type Impl = Css;
    type Error = Wrong;

    fn parse_is_and_where(&self) -> bool {
        true
    }

    fn parse_has(&self) -> bool {
        true
    }

    fn parse_nth_child_of(&self) -> bool {
        true
    }

    fn allow_forgiving_selectors(&self) -> bool {
        false
    }

    fn parse_non_ts_pseudo_class(&self, name: &str) -> Result<State, cssparser::ParseError<Wrong>> {
        let state = STATES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, state)| *state);
        state.ok_or_else(|| cssparser::ParseError::custom(SelectorParseErrorKind::UnsupportedPseudoClassOrElement))
    }
}

#[cfg(test)]
mod tests;
