//! Scoring: what an agent could do and read with what it was shown.
//!
//! In: the shown state as read, the handles' map, the shown images; and, from the trace and the scenario, the next action and the
//! facts. Out: [`TargetScore`], [`FreshScore`], [`FactScore`]. Invariant: the reader chose before anything here was known to it.
//!
//! * *Recall*: a node of the shown state has a handle that means an acceptable node; or, where it has no handle or the map is not known, it is
//!   what role and name say; or the acceptable node lies uncovered in a shown image; or, in plain text, its name can be read.
//! * *Addressable*: the same through the strategy's channel alone.
//! * *Discriminable*: the reader's rules leave one candidate, or only acceptable ones.
//! * *Resolved*: the handle of the reader's choice means an acceptable node; none where the map is not known.

use crate::measure::{FactScore, FreshScore, TargetScore, count};
use crate::pixels;
use crate::reader::{Haystack, ReadNode, Reading, find, text};
use crate::steps::{NextAction, resolve};
use browserlens_page::{BoxInDocument, Flags, NodeId, NodeKey, NodeKind, Page};
use browserlens_scenario::{Fact, StateFact};
use browserlens_strategy::{ActionChannel, NodeHint, ObservedImage};
use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};

/// The page's own text with its boxes, and its nodes by key; made once a step, when first needed.
#[derive(Default)]
pub(crate) struct PageIndex {
    text: OnceCell<(Haystack, Vec<NodeId>)>,
    keys: OnceCell<HashMap<NodeKey, NodeId>>,
}

impl PageIndex {
    fn text(&self, page: &Page) -> &(Haystack, Vec<NodeId>) {
        self.text.get_or_init(|| {
            let mut haystack = Haystack::default();
            let mut owners = Vec::new();
            for node in page.nodes().filter(|node| node.is_visible()) {
                let words = match node.kind() {
                    NodeKind::Text | NodeKind::Pseudo => node.text(),
                    NodeKind::Element if browserlens_page::role::is_text_field(node.role()) => node.value(),
                    _ => "",
                };
                if haystack.push(words) {
                    owners.push(node.id());
                }
            }
            (haystack, owners)
        })
    }

    fn node(&self, page: &Page, key: NodeKey) -> Option<NodeId> {
        self.keys.get_or_init(|| page.nodes().map(|node| (node.key(), node.id())).collect()).get(&key).copied()
    }
}

/// What is shown at a step.
pub(crate) struct Shown<'a> {
    pub page: &'a Page,
    pub index: &'a PageIndex,
    pub reading: &'a Reading,
    pub haystack: &'a Haystack,
    pub handles: &'a BTreeMap<String, NodeKey>,
    pub images: &'a [ObservedImage],
    pub channel: ActionChannel,
}

impl Shown<'_> {
    /// Scores the reader's search for the next action's node.
    pub fn target(&self, next: Option<NextAction<'_>>) -> TargetScore {
        let Some(next) = next else { return TargetScore::NOT_NEEDED };
        let Some(hint) = next.hint() else { return TargetScore::NOT_NEEDED };
        let found = find(self.reading, hint);
        let choice = found.choice().and_then(|index| self.reading.nodes.get(index));
        let is_acceptable = |node: &ReadNode| self.key(node).is_some_and(|key| next.acceptable.contains(&key));
        let by_handle = !self.handles.is_empty() && self.reading.nodes.iter().any(is_acceptable);
        // Words count where no handle contradicts them.
        let by_words = found.candidates.iter().any(|index| {
            self.reading.nodes.get(*index).is_some_and(|node| self.key(node).is_none() || is_acceptable(node))
        });
        let by_pixels = !self.images.is_empty() && next.acceptable.iter().any(|key| self.is_in_image(*key));
        let by_text = self.channel == ActionChannel::None && !hint.name.is_empty() && self.haystack.holds(&hint.name);
        let has_handle = found
            .candidates
            .iter()
            .any(|index| self.reading.nodes.get(*index).is_some_and(|node| node.handle.is_some()));
        let addressable = match self.channel {
            ActionChannel::Ref if self.handles.is_empty() => has_handle,
            ActionChannel::Ref => by_handle,
            ActionChannel::Selector => by_words,
            ActionChannel::RoleName => by_words && (!hint.name.is_empty() || found.is_single()),
            ActionChannel::Point => by_pixels,
            ActionChannel::None => false,
        };
        let single = found.is_single()
            || (!found.candidates.is_empty()
                && found.candidates.iter().all(|index| self.reading.nodes.get(*index).is_some_and(is_acceptable)));
        let by_point = self.channel == ActionChannel::Point;
        TargetScore {
            needed: true,
            recall: by_handle || by_words || by_pixels || by_text,
            addressable,
            // In pixels the place itself singles a node out.
            discriminable: addressable && if by_point { by_pixels } else { single },
            resolved: if by_point {
                None
            } else {
                choice.and_then(|node| self.key(node)).map(|key| next.acceptable.contains(&key))
            },
        }
    }

    fn key(&self, node: &ReadNode) -> Option<NodeKey> {
        node.handle.as_ref().and_then(|handle| self.handles.get(handle)).copied()
    }

    fn is_in_image(&self, key: NodeKey) -> bool {
        self.index.node(self.page, key).is_some_and(|id| pixels::is_shown(self.page, self.images, self.page.node(id)))
    }

    /// Counts the facts that can be read.
    pub fn facts(&self, facts: &[Fact]) -> FactScore {
        let mut score = FactScore { total: count(facts.len()), ..FactScore::default() };
        for fact in facts {
            if self.haystack.holds(&fact.text) {
                score.read += 1;
            } else if !self.images.is_empty() && self.is_fact_in_image(fact) {
                score.read += 1;
                score.by_pixels += 1;
            }
        }
        score
    }

    fn is_fact_in_image(&self, fact: &Fact) -> bool {
        if let Some(drawn) = &fact.pixels {
            let [x, y, width, height] = drawn.bounds;
            return resolve(&drawn.within, self.page).into_iter().any(|id| {
                let node = self.page.node(id);
                let within = node.bounds();
                let bounds = BoxInDocument { x: within.x + x, y: within.y + y, width, height };
                pixels::is_readable(self.page, self.images, node, bounds, height)
            });
        }
        let (haystack, owners) = self.index.text(self.page);
        haystack.places(&fact.text).into_iter().any(|(first, last)| {
            owners.get(first..=last).is_some_and(|owners| {
                owners.iter().all(|id| {
                    let node = self.page.node(*id);
                    pixels::is_readable(self.page, self.images, node, node.bounds(), pixels::text_height(node))
                })
            })
        })
    }

    /// Compares the states that the step names with what is shown of them.
    pub fn fresh(&self, states: &[StateFact]) -> FreshScore {
        let mut score = FreshScore::default();
        for fact in states {
            match self.is_shown_right(fact) {
                Some(true) => score.right += 1,
                Some(false) => score.wrong += 1,
                None => score.missing += 1,
            }
        }
        score
    }

    fn is_shown_right(&self, fact: &StateFact) -> Option<bool> {
        let node = self.node_of(fact)?;
        let value = fact.value.as_ref().and_then(|value| {
            let is_secret =
                resolve(&fact.on, self.page).into_iter().any(|id| self.page.node(id).flags().has(Flags::SECRET));
            if is_secret {
                return match value.as_str() {
                    "filled" => Some(!node.value.is_empty() || node.states.iter().any(|state| state == "filled")),
                    "empty" => Some(node.value.is_empty() && !node.states.iter().any(|state| state == "filled")),
                    _ => None,
                };
            }
            Some(text::normalize(&node.value) == text::normalize(value))
        });
        let state = fact.state.as_ref().and_then(|state| shows_state(node, state));
        match (fact.value.is_some(), fact.state.is_some()) {
            (true, true) => Some(value? && state?),
            (true, false) => value,
            (false, true) => state,
            (false, false) => None,
        }
    }

    fn node_of(&self, fact: &StateFact) -> Option<&ReadNode> {
        let keys: Vec<NodeKey> = resolve(&fact.on, self.page).into_iter().map(|id| self.page.node(id).key()).collect();
        let by_key = self.reading.nodes.iter().find(|node| self.key(node).is_some_and(|key| keys.contains(&key)));
        by_key.or_else(|| {
            let id = resolve(&fact.on, self.page).first().copied()?;
            let node = self.page.node(id);
            let hint = NodeHint { role: node.role().to_owned(), name: node.name().to_owned(), ..NodeHint::default() };
            let found = find(self.reading, &hint);
            let index = found.is_single().then(|| found.choice()).flatten()?;
            self.reading.nodes.get(index)
        })
    }
}

/// Returns whether a node is shown in a state; none if the text does not say.
///
/// Tools name a state where it is on; so the absence of `checked` or `disabled` tells that it is off, but the absence of a state that
/// they may not write at all (`focused`, `invalid`, …) tells nothing.
fn shows_state(node: &ReadNode, state: &str) -> Option<bool> {
    let (positive, wanted) = match state {
        "unchecked" => ("checked", false),
        "collapsed" => ("expanded", false),
        "enabled" => ("disabled", false),
        "unselected" => ("selected", false),
        "unpressed" => ("pressed", false),
        "valid" => ("invalid", false),
        "filled" => return Some(!node.value.is_empty()),
        "empty" => return Some(node.value.is_empty()),
        state => (state, true),
    };
    let shown = node.states.iter().find_map(|shown| {
        let (name, value) = shown.split_once('=').unwrap_or((shown, "true"));
        if name == positive {
            return Some(value != "false");
        }
        let negative = matches!(
            (name, positive),
            ("unchecked", "checked")
                | ("collapsed", "expanded")
                | ("enabled", "disabled")
                | ("unselected", "selected")
                | ("unpressed", "pressed")
        );
        negative.then_some(false)
    });
    match shown {
        Some(on) => Some(on == wanted),
        None if !wanted => Some(true),
        None if matches!(positive, "checked" | "disabled") => Some(false),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::{aria, plain};
    use browserlens_page::{BoxInViewport, PageBuilder};
    use browserlens_scenario::{PixelFact, Target, TargetBy};
    use browserlens_strategy::{ActionKind, ImageSpace, Intent};

    fn page() -> Page {
        PageBuilder::outline(
            r#"
            navigation "Main"
              link "Cart" #10 box=0,0,80,20
            main
              link "Cart" #20 box=0,40,80,20
              checkbox "16 GB" checked #30 box=0,80,20,20
              text "Showing 3 of 142" box=0,120,200,16
              Canvas "Grid" tag=canvas #40 box=0,200,600,400
            "#,
        )
    }

    fn key(backend: u32) -> NodeKey {
        NodeKey { frame: 1, loader: 1, backend }
    }

    struct Case {
        page: Page,
        index: PageIndex,
        reading: Reading,
        haystack: Haystack,
        handles: BTreeMap<String, NodeKey>,
        images: Vec<ObservedImage>,
        channel: ActionChannel,
    }

    impl Case {
        fn new(reading: Reading, handles: &[(&str, u32)], channel: ActionChannel) -> Self {
            let haystack = reading.haystack();
            let handles = handles.iter().map(|(handle, backend)| ((*handle).to_owned(), key(*backend))).collect();
            Self { page: page(), index: PageIndex::default(), reading, haystack, handles, images: Vec::new(), channel }
        }

        fn with_screenshot(mut self) -> Self {
            let space = ImageSpace::Viewport(BoxInViewport { x: 0.0, y: 0.0, width: 1280.0, height: 800.0 });
            self.images.push(ObservedImage { png: Vec::new().into(), width: 1280, height: 800, space });
            self
        }

        fn shown(&self) -> Shown<'_> {
            Shown {
                page: &self.page,
                index: &self.index,
                reading: &self.reading,
                haystack: &self.haystack,
                handles: &self.handles,
                images: &self.images,
                channel: self.channel,
            }
        }

        fn target(&self, role: &str, name: &str, within: Option<&str>, acceptable: &[u32]) -> TargetScore {
            let within = within.map(|role| Box::new(NodeHint { role: role.into(), ..NodeHint::default() }));
            let node = NodeHint { role: role.into(), name: name.into(), within, nth: None };
            let intent = Intent { action: ActionKind::Click, node: Some(node), text: String::new() };
            let acceptable: Vec<NodeKey> = acceptable.iter().map(|backend| key(*backend)).collect();
            self.shown().target(Some(NextAction { intent: &intent, acceptable: &acceptable }))
        }
    }

    const CARTS: &str = "- navigation \"Main\":\n  - link \"Cart\" [ref=e1]\n- main:\n  - link \"Cart\" [ref=e2]\n  - checkbox \"16 GB\" [checked] [ref=e3]\n  - text: Showing 3 of 142";

    fn carts() -> Case {
        Case::new(aria::parse(CARTS), &[("e1", 10), ("e2", 20), ("e3", 30)], ActionChannel::Ref)
    }

    #[test]
    fn the_right_one_of_two_namesakes_is_resolved_by_its_path() {
        let score = carts().target("link", "Cart", Some("main"), &[20]);
        assert_eq!(
            score,
            TargetScore { needed: true, recall: true, addressable: true, discriminable: true, resolved: Some(true) }
        );
        let score = carts().target("link", "Cart", Some("main"), &[10]);
        assert_eq!((score.discriminable, score.resolved), (true, Some(false)), "the reader takes the other one");
    }

    #[test]
    fn namesakes_without_a_path_are_not_discriminable_unless_both_will_do() {
        let one = carts().target("link", "Cart", None, &[20]);
        assert!(one.addressable && !one.discriminable && !one.is_actionable());
        let both = carts().target("link", "Cart", None, &[10, 20]);
        assert!(both.is_actionable());
    }

    #[test]
    fn an_absent_node_is_not_recalled_and_a_nodeless_action_is_addressable() {
        let score = carts().target("button", "Go", None, &[99]);
        assert!(!score.recall && !score.addressable && score.resolved.is_none());
        assert_eq!(carts().shown().target(None), TargetScore::NOT_NEEDED);
        let intent = Intent { action: ActionKind::Back, node: None, text: String::new() };
        let next = NextAction { intent: &intent, acceptable: &[] };
        assert!(carts().shown().target(Some(next)).is_actionable());
        let node = Some(NodeHint { role: "status".into(), name: "Saved".into(), ..NodeHint::default() });
        let waited = Intent { action: ActionKind::WaitFor, node, text: String::new() };
        let next = NextAction { intent: &waited, acceptable: &[key(99)] };
        assert_eq!(
            carts().shown().target(Some(next)),
            TargetScore::NOT_NEEDED,
            "what is waited for need not be there yet"
        );
    }

    #[test]
    fn a_wrong_handle_map_is_no_recall_by_words() {
        let case = Case::new(aria::parse("- link \"Cart\" [ref=e1]"), &[("e1", 10)], ActionChannel::Ref);
        let score = case.target("link", "Cart", None, &[20]);
        assert!(!score.recall && score.resolved == Some(false));
    }

    #[test]
    fn plain_text_recalls_but_cannot_address() {
        let case = Case::new(plain::parse("Cart\nShowing 3 of 142"), &[], ActionChannel::None);
        let score = case.target("link", "Cart", None, &[10]);
        assert!(score.recall && !score.addressable && !score.is_actionable());
    }

    #[test]
    fn without_a_map_role_and_name_address_and_nothing_is_resolved() {
        let case = Case::new(aria::parse(CARTS), &[], ActionChannel::RoleName);
        let score = case.target("checkbox", "16 GB", None, &[30]);
        assert!(score.is_actionable() && score.resolved.is_none());
    }

    #[test]
    fn a_screenshot_shows_nodes_and_texts_that_lie_in_it() {
        let case = Case::new(plain::parse(""), &[], ActionChannel::Point).with_screenshot();
        assert!(case.target("link", "Cart", None, &[20]).is_actionable());
        let fact = |text: &str| Fact { text: text.into(), pixels: None };
        let score = case.shown().facts(&[fact("3 of 142"), fact("4 of 142")]);
        assert_eq!(score, FactScore { total: 2, read: 1, by_pixels: 1 });
    }

    #[test]
    fn a_drawn_fact_is_read_in_an_image_only() {
        let within = Target { by: TargetBy::Css { selector: "canvas".into(), point: None }, within: None, nth: None };
        let fact = Fact { text: "1,284".into(), pixels: Some(PixelFact { within, bounds: [20.0, 20.0, 60.0, 14.0] }) };
        assert_eq!(carts().shown().facts(std::slice::from_ref(&fact)).read, 0);
        assert_eq!(carts().with_screenshot().shown().facts(&[fact]), FactScore { total: 1, read: 1, by_pixels: 1 });
    }

    #[test]
    fn states_are_right_wrong_or_not_shown() {
        let fact = |role: &str, name: &str, state: &str| StateFact {
            on: Target::role(role, name),
            value: None,
            state: Some(state.into()),
        };
        let states = [
            fact("checkbox", "16 GB", "checked"),
            fact("checkbox", "16 GB", "unchecked"),
            fact("checkbox", "16 GB", "focused"),
            fact("button", "Go", "disabled"),
        ];
        assert_eq!(carts().shown().fresh(&states), FreshScore { right: 1, wrong: 1, missing: 2 });
    }
}
