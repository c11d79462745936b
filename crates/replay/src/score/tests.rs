//! The score over a small page, worked by hand.

use super::*;
use crate::measure::{FactScore, FreshScore, RequiredScore};
use crate::reader::reading_of;
use browserlens_core::page::{BoxInViewport, PageBuilder};
use browserlens_core::strategy::{ActionKind, ImageSpace, Intent, ObservedImage};
use browserlens_trace::scenario::{Fact, PixelFact, StateFact, Target, TargetBy};

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
    handles: BTreeMap<String, NodeKey>,
    images: Vec<SeenImage>,
    channel: ActionChannel,
}

impl Case {
    fn new(reading: Reading, handles: &[(&str, u32)], channel: ActionChannel) -> Self {
        let handles = handles.iter().map(|(handle, backend)| ((*handle).to_owned(), key(*backend))).collect();
        Self { page: page(), index: PageIndex::default(), reading, handles, images: Vec::new(), channel }
    }

    fn with_screenshot(mut self) -> Self {
        let space = ImageSpace::Viewport(BoxInViewport { x: 0.0, y: 0.0, width: 1280.0, height: 800.0 });
        self.images.push(ObservedImage { png: Vec::new().into(), width: 1280, height: 800, space }.into());
        self
    }

    fn shown(&self) -> Shown<'_> {
        Shown::new(&self.page, &self.index, &self.reading, &self.handles, &self.images, self.channel)
    }

    fn target(&self, role: &str, name: &str, within: Option<&str>, acceptable: &[u32]) -> TargetScore {
        let within = within.map(|role| Box::new(NodeHint { role: role.into(), ..NodeHint::default() }));
        let node = NodeHint { role: role.into(), name: name.into(), within, nth: None };
        let intent = Intent { action: ActionKind::Click, node: Some(node), text: String::new() };
        let acceptable: Vec<NodeKey> = acceptable.iter().map(|backend| key(*backend)).collect();
        self.shown().target(Some(NextAction { intent: &intent, acceptable: &acceptable }))
    }
}

const CARTS: &str = "- navigation \"Main\":\n  - link \"Cart\" [ref=e1]\n- main:\n  - link \"Cart\" [ref=e2]\n  - \
    checkbox \"16 GB\" [checked] [ref=e3]\n  - text: Showing 3 of 142";

fn carts() -> Case {
    Case::new(reading_of("playwright-aria", CARTS), &[("e1", 10), ("e2", 20), ("e3", 30)], ActionChannel::Ref)
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
fn who_acts_on_the_text_in_a_clickable_element_acts_on_the_element() {
    let reading = reading_of("stagehand", "[0-1] main\n  [0-51] StaticText: Blocked\n");
    let mut case = Case::new(reading, &[("0-51", 51), ("0-1", 49)], ActionChannel::Ref);
    case.page = PageBuilder::outline("main #49\n  generic #50 clickable\n    text \"Blocked\" #51");
    assert_eq!(case.target("generic", "Blocked", None, &[50]).resolved, Some(true));
    assert_eq!(case.target("generic", "Blocked", None, &[49]).resolved, Some(false), "only what is right in it");
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
    assert_eq!(carts().shown().target(Some(next)), TargetScore::NOT_NEEDED, "what is waited for need not be there yet");
}

#[test]
fn a_wrong_handle_map_is_no_recall_by_words() {
    let case = Case::new(reading_of("playwright-aria", "- link \"Cart\" [ref=e1]"), &[("e1", 10)], ActionChannel::Ref);
    let score = case.target("link", "Cart", None, &[20]);
    assert!(!score.recall && score.resolved == Some(false));
}

#[test]
fn plain_text_recalls_but_cannot_address() {
    let case = Case::new(reading_of("plain", "Cart\nShowing 3 of 142"), &[], ActionChannel::None);
    let score = case.target("link", "Cart", None, &[10]);
    assert!(score.recall && !score.addressable && !score.is_actionable());
}

#[test]
fn without_a_map_role_and_name_address_and_nothing_is_resolved() {
    let case = Case::new(reading_of("playwright-aria", CARTS), &[], ActionChannel::RoleName);
    let score = case.target("checkbox", "16 GB", None, &[30]);
    assert!(score.is_actionable() && score.resolved.is_none());
}

#[test]
fn a_screenshot_shows_nodes_and_texts_that_lie_in_it() {
    let case = Case::new(reading_of("plain", ""), &[], ActionChannel::Point).with_screenshot();
    assert!(case.target("link", "Cart", None, &[20]).is_actionable());
    let fact = |text: &str| Fact { text: text.into(), pixels: None };
    let reading = case.shown().facts(&[fact("3 of 142"), fact("4 of 142")]);
    assert_eq!(reading.score, FactScore { total: 2, read: 1, by_pixels: 1 });
    assert_eq!(reading.read, [true, false]);
}

#[test]
fn a_mark_drawn_on_a_screenshot_points_at_its_node() {
    // Node 99 does not lie wholly in the image; its mark does.
    let case = Case::new(reading_of("plain", ""), &[("@e1", 99)], ActionChannel::Point);
    assert!(!case.target("button", "Go", None, &[99]).recall, "no image, no mark");
    let case = case.with_screenshot();
    assert!(case.target("button", "Go", None, &[99]).is_actionable());
    assert!(!case.target("button", "Go", None, &[98]).recall);
    let said =
        Case::new(reading_of("playwright-aria", "- link \"Cart\" [ref=e1]"), &[("e1", 99)], ActionChannel::Point)
            .with_screenshot();
    assert!(!said.target("button", "Go", None, &[99]).addressable, "a handle in the text is none in the image");
}

#[test]
fn a_drawn_fact_is_read_in_an_image_only() {
    let within = Target { by: TargetBy::Css { selector: "canvas".into(), point: None }, within: None, nth: None };
    let fact = Fact { text: "1,284".into(), pixels: Some(PixelFact { within, bounds: [20.0, 20.0, 60.0, 14.0] }) };
    assert_eq!(carts().shown().facts(std::slice::from_ref(&fact)).read, [false]);
    assert_eq!(carts().with_screenshot().shown().facts(&[fact]).score, FactScore { total: 1, read: 1, by_pixels: 1 });
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

#[test]
fn required_nodes_are_shown_by_handle_by_words_or_by_their_text() {
    let text = |text: &str| Target { by: TargetBy::Text(text.into()), within: None, nth: None };
    let main = Target { by: TargetBy::Role { role: "main".into(), name: None }, within: None, nth: None };
    let in_main = Target { within: Some(Box::new(main)), ..Target::role("link", "Cart") };
    let targets = [Target::role("checkbox", "16 GB"), in_main, text("Showing 3 of 142")];
    assert_eq!(carts().shown().required(&targets), RequiredScore { total: 3, shown: 3 });
    let short = "- navigation \"Main\":\n  - link \"Cart\" [ref=e1]\n- checkbox \"16 GB\"";
    let case = Case::new(reading_of("playwright-aria", short), &[("e1", 10)], ActionChannel::Ref);
    let score = case.shown().required(&targets);
    assert_eq!(
        (score, score.is_covered()),
        (RequiredScore { total: 3, shown: 1 }, Some(false)),
        "the handle means the other link"
    );
    assert_eq!(case.shown().required(&[]).is_covered(), None);
    let absent = [Target::role("button", "Nowhere")];
    assert_eq!(case.with_screenshot().shown().required(&absent).is_covered(), Some(false));
}

#[test]
fn what_lies_below_a_limited_view_costs_scrolls_and_what_cannot_be_told_costs_none() {
    let far = PageBuilder::outline(
        "main\n  link \"Far\" #50 box=0,4200,80,20 offscreen\n  text \"Deep words\" #51 box=0,2700,80,20 offscreen\n  \
            link \"Twin\" #52 box=0,10,80,20\n  link \"Twin\" #53 box=0,50,80,20",
    );
    let mut case = Case::new(
        reading_of("playwright-aria", "- link \"Twin\" [ref=e1]\n- link \"Twin\" [ref=e2]"),
        &[("e1", 52), ("e2", 53)],
        ActionChannel::Ref,
    );
    case.page = far;
    let band = Band::of(&case.page, 1_000.0);
    let shown = case.shown();
    let hint = |name: &str| NodeHint { role: "link".into(), name: name.into(), ..NodeHint::default() };
    let missing = |name: &str, backend: u32| {
        shown.missing_target(shown.node(&hint(name), &[key(backend)]), &[key(backend)], &band)
    };
    // The band ends at 1,800: 2,400 px are three viewports of 800, 900 px are two.
    assert_eq!(missing("Far", 50), Some(Missing::OffScreen(3)));
    assert_eq!(missing("Twin", 52), Some(Missing::Unreachable), "both are shown, and nothing tells them apart");
    assert_eq!(missing("Nowhere", 99), Some(Missing::Unreachable));
    let fact = |text: &str| Fact { text: text.into(), pixels: None };
    assert_eq!(shown.missing_fact(&fact("Deep words"), &band), Missing::OffScreen(2));
    assert_eq!(shown.missing_fact(&fact("no such words"), &band), Missing::Unreachable);
    assert_eq!(walk(&[Missing::OffScreen(3), Missing::OffScreen(2)]), 3);
}
