use super::view::{ElementKind, PageView};
use super::*;
use crate::model::{ContentType, ScreenDefinition};
use crate::recognise::Recogniser;
use crate::validate::validate;
use browserlens_core::page::{NodeKey, Page, PageBuilder};
use browserlens_core::strategy::{ActionKind, Intent, NodeHint, StepIndex, TakenAction};
use browserlens_trace::ActionRecord;
use std::collections::BTreeSet;

fn page(url: &str, title: &str, outline: &str) -> Page {
    let mut builder = PageBuilder::new(url, title);
    builder.add_outline(outline);
    builder.finish()
}

/// A product document; some have reviews, some a choice of storage, as real ones do.
fn product(number: usize, dialog: bool) -> Page {
    let reviews = if number.is_multiple_of(3) {
        ""
    } else {
        "  heading \"Customer reviews\" tag=h2 class=\"reviews\" level=2 box=0,200,100,20\n"
    };
    let storage =
        if number.is_multiple_of(2) { "  radio \"1 TB\" tag=input name=\"storage\" box=0,220,100,20\n" } else { "" };
    let ask = if dialog {
        format!(
            "dialog \"Remove item {number}?\" modal tag=dialog open=\"\" class=\"ask\" box=0,0,300,200\n  button \
                \"Keep it\" tag=button box=0,0,50,20\n  button \"Remove\" tag=button box=60,0,50,20\n"
        )
    } else {
        String::new()
    };
    let outline = format!(
        "banner tag=header class=\"top\" box=0,0,900,40\n  link \"Cart ({number})\" tag=a href=\"/cart\" \
            class=\"cart\" box=0,0,50,20\n\
main tag=main class=\"main\" box=0,40,900,900\n  heading \"Laptop {number}\" tag=h1 class=\"name\" level=1 \
box=0,40,100,20\n  heading \"Details\" tag=h2 class=\"details\" level=2 box=0,60,100,20\n\
\x20 button \"Add to cart\" tag=button id=\"add\" class=\"btn main\" box=0,80,100,20\n  spinbutton \"Quantity\" \
tag=input name=\"quantity\" class=\"qty\" box=0,100,100,20\n  link \"Back to results\" tag=a href=\"/search\" \
class=\"back\" box=0,120,100,20\n{reviews}{storage}{ask}"
    );
    page(&format!("https://shop.test/product?sku={}", 84000 + number), &format!("Laptop {number} | Shop"), &outline)
}

fn cart() -> Page {
    let outline = "banner tag=header class=\"top\" box=0,0,900,40\n  link \"Cart (1)\" tag=a href=\"/cart\" \
        class=\"cart\" box=0,0,50,20\nmain tag=main class=\"main\" box=0,40,900,900\n  heading \"Your cart\" tag=h1 \
        class=\"title\" level=1 box=0,40,100,20\n  textbox \"Coupon code\" tag=input name=\"coupon\" class=\"coupon\" \
        box=0,60,100,20\n  link \"Proceed to checkout\" tag=a href=\"/checkout\" class=\"go\" box=0,80,100,20\n";
    page("https://shop.test/cart", "Your cart | Shop", outline)
}

fn clicked(kind: ActionKind, role: &str, name: &str, text: &str, target: Option<NodeKey>) -> ActionRecord {
    let node = Some(NodeHint { role: role.to_owned(), name: name.to_owned(), within: None, nth: None });
    ActionRecord {
        taken: TakenAction { kind, node: node.clone(), text: text.to_owned(), error: None },
        intent: Intent { action: kind, node, text: text.to_owned() },
        target,
        acceptable: target.into_iter().collect(),
        resolved_in: StepIndex(0),
        point: None,
    }
}

fn key(page: &Page, name: &str) -> NodeKey {
    page.nodes().find(|node| node.name() == name).unwrap().key()
}

fn shop() -> Recording {
    let mut recording = Recording::new("shop", "aa", "shop/many", "look at everything");
    for number in 0..142 {
        recording.push(number as u32, &product(number, false), None);
    }
    recording.push(142, &cart(), None);
    recording.push(143, &product(7, true), None);
    recording.push(144, &product(20, true), None);
    recording
}

fn screens(knowledge: &Knowledge) -> Vec<&ScreenDefinition> {
    knowledge.screens.values().collect()
}

#[test]
fn a_hundred_and_forty_two_products_are_one_screen_and_a_dialog_over_them_is_a_state_of_it() {
    let knowledge = extract("k", &[shop()]);
    assert_eq!(knowledge.screens.len(), 3, "{:?}", screens(&knowledge).iter().map(|s| &s.name).collect::<Vec<_>>());
    let product = knowledge.screens.values().find(|screen| screen.name == "Product").unwrap();
    assert_eq!(product.provenance.len(), 142);
    assert_eq!(product.url_patterns, [r"^https?://shop\.test/product/?(?:[?#].*)?$"]);
    let values: Vec<&str> =
        product.state_signature.required_indicators.iter().filter_map(|indicator| indicator.value.as_deref()).collect();
    assert_eq!(values, ["Details", "Quantity", "Add to cart", "Back to results"]);
    assert!(product.forms.iter().any(|form| form.fields.iter().any(|field| field.name == "Quantity")));
    let dialog = knowledge.screens.values().find(|screen| screen.parent_screen_id.is_some()).unwrap();
    assert_eq!(dialog.parent_screen_id.as_ref(), Some(&product.screen_id));
    assert_eq!(dialog.name, "Dialog: Remove item #?");
    assert!(dialog.state_signature.required_indicators.iter().any(|it| it.value.as_deref() == Some("Keep it")));
    assert!(knowledge.screens.values().all(|screen| screen.content_type == ContentType::WebUi && screen.is_actionable));
    validate(&knowledge, &BTreeSet::new()).unwrap();
}

#[test]
fn a_product_never_seen_is_recognised_and_so_is_the_dialog_over_it() {
    let knowledge = extract("k", &[shop()]);
    let recogniser = Recogniser::new(&knowledge).unwrap();
    let found = recogniser.page(&product(999, false));
    assert_eq!(found.screen_name.as_deref(), Some("Product"), "{found:?}");
    let found = recogniser.page(&product(998, true));
    assert_eq!(found.screen_name.as_deref(), Some("Dialog: Remove item #?"), "{found:?}");
}

#[test]
fn what_is_typed_into_a_secret_field_is_a_placeholder_wherever_it_is_typed() {
    let outline = "main tag=main class=\"m\" box=0,0,900,900\n  textbox \"Password\" secret tag=input \
        type=\"password\" id=\"pw\" box=0,0,100,20\n  textbox \"Hint\" tag=input id=\"hint\" box=0,20,100,20\n  button \
        \"Go\" tag=button box=0,40,100,20\n";
    let form = page("https://a.test/", "Sign in", outline);
    let mut recording = Recording::new("a", "bb", "a/sign-in", "sign in with tulip-42-tulip");
    recording.push(0, &form, None);
    let password = clicked(ActionKind::Fill, "textbox", "Password", "tulip-42-tulip", Some(key(&form, "Password")));
    recording.push(1, &form, Some((&password, &form)));
    let hint = clicked(ActionKind::Fill, "textbox", "Hint", "it is tulip-42-tulip!", Some(key(&form, "Hint")));
    recording.push(2, &form, Some((&hint, &form)));
    let told = crate::json::to_json(&extract("k", &[recording])).unwrap();
    assert!(!told.contains("tulip"), "{told}");
    assert!(
        told.contains("\"text\": \"{{secret:Password}}\"") && told.contains("\"text\": \"it is {{secret:Password}}!\""),
        "{told}"
    );
}

#[test]
fn a_click_says_which_state_it_turned() {
    let menu = |state: &str| {
        let outline =
            format!("main tag=main box=0,0,900,900\n  button \"Guides\" {state} tag=button #31 box=0,0,100,20");
        page("https://a.test/", "A site", &outline)
    };
    let parameters = |before: &Page, after: &Page| {
        let mut recording = Recording::new("a", "ee", "a/open", "open");
        recording.push(0, before, None);
        let click = clicked(ActionKind::Click, "button", "Guides", "", Some(key(before, "Guides")));
        recording.push(1, after, Some((&click, before)));
        extract("k", &[recording]).tasks.values().next().unwrap().steps[1].action.parameters.clone()
    };
    let told = |name: &str, is: bool| std::collections::BTreeMap::from([(name.to_owned(), serde_json::json!(is))]);
    assert_eq!(parameters(&menu("collapsed"), &menu("expanded")), told("expanded", true));
    assert_eq!(parameters(&menu("expanded"), &menu("collapsed")), told("expanded", false));
    assert_eq!(parameters(&menu("unpressed"), &menu("pressed")), told("pressed", true));
    assert!(parameters(&menu("expanded"), &menu("expanded")).is_empty());
}

#[test]
fn ways_count_how_often_an_action_led_where() {
    let (one, two, three) = (product(1, false), product(2, false), product(3, true));
    let add = |page: &Page| clicked(ActionKind::Click, "button", "Add to cart", "", Some(key(page, "Add to cart")));
    let mut recording = Recording::new("shop", "cc", "shop/add", "add");
    recording.push(0, &one, None);
    recording.push(1, &cart(), Some((&add(&one), &one)));
    recording.push(2, &two, None);
    recording.push(3, &cart(), Some((&add(&two), &two)));
    recording.push(4, &one, None);
    recording.push(5, &three, Some((&add(&one), &one)));
    let knowledge = extract("k", &[recording]);
    let mut ways: Vec<(u32, f64)> =
        knowledge.transitions.values().map(|way| (way.count, way.metadata.confidence)).collect();
    ways.sort_by_key(|way| std::cmp::Reverse(way.0));
    assert_eq!(ways, [(2, 2.0 / 3.0), (1, 1.0 / 3.0)]);
    assert_eq!(knowledge.actions.values().filter(|action| action.action_type == "click").count(), 1);
    let task = knowledge.tasks.values().next().unwrap();
    assert_eq!(task.steps.len(), 6);
    assert_eq!(task.success_criteria.screen_id, task.steps[5].expected_screen_id);
}

#[test]
fn hostile_names_are_escaped_wherever_they_are_used() {
    let outline = "main tag=main class=\"m\" box=0,0,900,900\n  heading \".*|(a+)+$ <img src=x>\" tag=h1 level=1 \
        box=0,0,100,20\n  button \"x\\\"]{}; body { display: none\" tag=button aria-label=\"x]{}; a\" \
        box=0,40,100,20\n";
    let hostile = page("https://a.test/a.*b/(c|d)+?q=.*&x=[a-z]", "(((", outline);
    let mut recording = Recording::new("a", "dd", "a/b", "");
    recording.push(0, &hostile, None);
    let button = hostile.nodes().find(|node| node.tag() == "button").unwrap();
    let click = clicked(ActionKind::Click, "button", button.name(), "", Some(button.key()));
    recording.push(1, &hostile, Some((&click, &hostile)));
    let knowledge = extract("k", &[recording]);
    validate(&knowledge, &BTreeSet::new()).unwrap();
    let screen = knowledge.screens.values().next().unwrap();
    let pattern = regex::Regex::new(&screen.url_patterns[0]).unwrap();
    assert!(pattern.is_match(hostile.url()));
    assert!(!pattern.is_match("https://a.test/aXXb/c"));
    let selectors = knowledge.actions.values().filter_map(|action| action.target_selector.as_deref());
    assert_eq!(selectors.collect::<Vec<_>>(), ["button[aria-label=\"x]{}; a\"]"]);
}

#[test]
fn what_varies_in_a_heading_is_left_out_and_what_is_pressed_in_a_switch_tells_a_view() {
    let mut recording = Recording::new("desk", "t", "desk/offers", "");
    let form = "heading \"Post\" level=1 tag=h1 box=0,0,200,20\ntextbox \"Name\" tag=input box=0,30,100,20\nbutton \
        \"Sign up\" tag=button box=0,60,100,20";
    let mut step = 0;
    for name in ["Ada", "Grace"] {
        recording.push(step, &page("http://desk.test/", "Post", form), None);
        let done = format!(
            "heading \"Post\" level=1 tag=h1 box=0,0,200,20\nheading \"Thank you, {name}.\" level=2 tag=h2 \
                box=0,30,200,20\nparagraph tag=p box=0,60,100,20\n  text \"Bye\""
        );
        recording.push(step + 1, &page("http://desk.test/", "Post", &done), None);
        step += 2;
    }
    let knowledge = extract("k", &[recording]);
    let thanks = page(
        "http://desk.test/",
        "Post",
        "heading \"Post\" level=1 tag=h1 box=0,0,200,20\nheading \"Thank you, Mary.\" level=2 tag=h2 \
            box=0,30,200,20\nparagraph tag=p box=0,60,100,20\n  text \"Bye\"",
    );
    let recogniser = Recogniser::new(&knowledge).unwrap();
    let found = recogniser.page(&thanks);
    assert_eq!(found.matched_indicators[0].value.as_deref(), Some("Thank you,"), "{found:?} {knowledge:?}");
    assert_ne!(recogniser.page(&page("http://desk.test/", "Post", form)).screen_id, found.screen_id);

    let view = |pressed: &str, more: &str| {
        let one = |name: &str| {
            let on = name == pressed;
            let state = if on { "pressed" } else { "unpressed" };
            format!("  button \"{name}\" tag=button {state} box=0,0,50,20\n")
        };
        let outline = format!("group \"Show\" tag=div box=0,0,200,20\n{}{}{more}", one("Open"), one("Mine"));
        PageView::of(&page("http://desk.test/rota", "Rota", &outline))
    };
    let pressed = |view: &PageView| -> Vec<String> {
        let all = view.elements.iter().filter(|it| it.kind == ElementKind::Pressed);
        all.map(|it| it.name.clone()).collect()
    };
    assert_eq!(pressed(&view("Mine", "")), ["Mine"]);
    assert_eq!(pressed(&view("", "")), Vec::<String>::new(), "none of them");
    let loud = "  button \"Loud\" tag=button pressed box=0,0,50,20\n";
    assert_eq!(pressed(&view("Mine", loud)), Vec::<String>::new(), "several may be pressed");
}
