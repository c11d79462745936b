use super::*;
use crate::testing::{Step, on_small_stack, outline, payload, style};
use browserlens_core::page::{NodeSpec, PageBuilder, Payload, PayloadKind};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::HashMap;

/// Builds a snapshot payload: nodes as (parent, type, name, value, attributes, box), backend ids
/// counted from 1.
#[derive(Default)]
pub(super) struct Shot {
    strings: Vec<String>,
    known: HashMap<String, usize>,
    nodes: Vec<Value>,
    layout: Vec<Value>,
    texts: Vec<Value>,
    clickable: Vec<usize>,
}

impl Shot {
    pub fn new() -> Self {
        let mut shot = Self::default();
        shot.string("F1");
        shot.node(-1, 9, "#document", "", &[]);
        shot
    }

    fn string(&mut self, text: &str) -> usize {
        let next = self.strings.len();
        let at = *self.known.entry(text.to_owned()).or_insert(next);
        if at == next {
            self.strings.push(text.to_owned());
        }
        at
    }

    fn node(&mut self, parent: i64, kind: u8, name: &str, value: &str, attributes: &[(&str, &str)]) -> i64 {
        let (name, value) = (self.string(name), self.string(value));
        let attributes: Vec<usize> =
            attributes.iter().flat_map(|(name, value)| [self.string(name), self.string(value)]).collect();
        self.nodes.push(json!([parent, kind, name, value, attributes]));
        self.nodes.len() as i64 - 1
    }

    /// Adds an element with a box and its styles (all others are empty).
    pub fn element(
        &mut self,
        parent: i64,
        tag: &str,
        attributes: &[(&str, &str)],
        bounds: [f64; 4],
        styles: &[(&str, &str)],
    ) -> i64 {
        let at = self.node(parent, 1, &tag.to_uppercase(), "", attributes);
        let all = browserlens_core::page::capture::COMPUTED_STYLES.map(|name| {
            let given = styles.iter().find(|(style, _)| *style == name).map(|(_, value)| *value);
            self.string(given.unwrap_or(if name == "display" { "block" } else { "" }))
        });
        self.layout.push(json!([at, all.to_vec(), bounds, -1]));
        at
    }

    pub fn text(&mut self, parent: i64, text: &str, lines: &[(usize, usize, f64)]) -> i64 {
        let at = self.node(parent, 3, "#text", text, &[]);
        let shown = self.string(text);
        let row = self.layout.len();
        self.layout.push(json!([at, [], [0, 0, 50, 10], shown]));
        self.texts.extend(lines.iter().map(|(start, length, top)| json!([row, [0, top, 50, 10], start, length])));
        at
    }

    pub fn clickable(&mut self, at: i64) {
        self.clickable.push(at as usize);
    }

    pub fn payload(&self) -> Payload {
        let column = |rows: &[Value], at: usize| rows.iter().map(|row| row[at].clone()).collect::<Vec<_>>();
        let body = json!({ "strings": self.strings, "documents": [{ "frameId": 0,
            "nodes": { "parentIndex": column(&self.nodes, 0), "nodeType": column(&self.nodes, 1),
                "nodeName": column(&self.nodes, 2), "nodeValue": column(&self.nodes, 3),
                "attributes": column(&self.nodes, 4),
                "backendNodeId": (1..=self.nodes.len()).collect::<Vec<_>>(),
                "isClickable": { "index": self.clickable } },
            "layout": { "nodeIndex": column(&self.layout, 0), "styles": column(&self.layout, 1),
                "bounds": column(&self.layout, 2), "text": column(&self.layout, 3) },
            "textBoxes": { "layoutIndex": column(&self.texts, 0), "bounds": column(&self.texts, 1),
                "start": column(&self.texts, 2), "length": column(&self.texts, 3) } }] });
        payload(PayloadKind::Snapshot, 1, body.to_string())
    }
}

/// An accessibility node: id = backend, role, name, children.
fn ax(id: u32, role: &str, name: &str, children: &[u32]) -> Value {
    json!({ "nodeId": id.to_string(), "ignored": false, "role": { "value": role }, "name": { "value": name },
        "backendDOMNodeId": id, "childIds": children.iter().map(ToString::to_string).collect::<Vec<_>>() })
}

/// A node with properties.
fn with(mut node: Value, properties: &[(&str, Value)]) -> Value {
    let property = |(name, value): &(&str, Value)| json!({ "name": name, "value": { "value": value } });
    node["properties"] = properties.iter().map(property).collect();
    node
}

fn valued(mut node: Value, value: Value) -> Value {
    node["value"] = json!({ "value": value });
    node
}

fn ignored(id: u32, children: &[u32], reason: &str) -> Value {
    let mut node = ax(id, "none", "", children);
    node["ignored"] = json!(true);
    node["ignoredReasons"] = json!([{ "name": reason, "value": { "value": true } }]);
    node.as_object_mut().expect("an object").remove("name");
    node
}

fn payloads(shot: &Shot, nodes: &[Value]) -> Vec<Payload> {
    vec![shot.payload(), payload(PayloadKind::Ax, 1, json!({ "nodes": nodes }).to_string())]
}

fn step(shot: &Shot, nodes: &[Value]) -> Step {
    let mut builder = PageBuilder::new("https://test.test/", "Test");
    builder.document(1, 1);
    Step::new(builder.finish()).with_payloads(payloads(shot, nodes))
}

const PAGE: [f64; 4] = [0.0, 0.0, 1280.0, 800.0];

/// A newsletter form, as the tests of other strategies use it too.
pub(crate) fn example() -> Step {
    let mut shot = Shot::new();
    let html = shot.element(0, "html", &[], PAGE, &[]);
    let body = shot.element(html, "body", &[], PAGE, &[]);
    let heading = shot.element(body, "h1", &[], [0.0, 0.0, 200.0, 20.0], &[]);
    shot.text(heading, "Newsletter", &[(0, 10, 0.0)]);
    let paragraph = shot.element(body, "p", &[], [0.0, 30.0, 100.0, 20.0], &[]);
    shot.text(paragraph, "Sent once a month,\nfree", &[(0, 10, 30.0), (10, 8, 40.0), (18, 5, 40.0)]);
    let label = shot.element(body, "label", &[], [0.0, 60.0, 100.0, 20.0], &[]);
    let agree = shot.element(label, "input", &[("type", "checkbox")], [0.0, 60.0, 10.0, 10.0], &[]);
    let button = shot.element(body, "button", &[], [0.0, 900.0, 100.0, 20.0], &[]);
    let span = shot.element(button, "span", &[], [0.0, 900.0, 100.0, 20.0], &[("display", "inline")]);
    shot.text(span, "Go", &[(0, 2, 900.0)]);
    shot.clickable(agree);
    shot.clickable(button);
    let root = [("focused", json!(true)), ("url", json!("https://test.test/"))];
    let checked = [("focusable", json!(true)), ("checked", json!("false"))];
    step(
        &shot,
        &[
            with(ax(1, "RootWebArea", "Test", &[2]), &root),
            ignored(2, &[3], "uninteresting"),
            ignored(3, &[4, 6, 8, 10], "uninteresting"),
            with(ax(4, "heading", "Newsletter", &[5]), &[("level", json!(1))]),
            ax(5, "StaticText", "Newsletter", &[]),
            ax(6, "paragraph", "", &[7]),
            ax(7, "StaticText", "Sent once a month, free", &[]),
            ignored(8, &[9], "labelFor"),
            with(ax(9, "checkbox", "It's \"me\"", &[]), &checked),
            with(ax(10, "button", "Go", &[12]), &[("disabled", json!(true))]),
            ax(12, "StaticText", "Go", &[]),
        ],
    )
}

fn observe(step: &Step) -> String {
    step.observe(&mut BrowserGymRun::default()).text
}

#[test]
fn a_form_reads_as_the_tool_writes_it() {
    insta::assert_snapshot!(observe(&example()), @r#"
    RootWebArea 'Test', focused, url='https://test.test/'
    	[2] heading 'Newsletter', visible
    		InlineTextBox 'Newsletter'
    	[3] paragraph '', visible
    		StaticText 'Sent once a month, free'
    			InlineTextBox 'Sent once'
    			InlineTextBox 'a month,'
    			InlineTextBox 'free'
    	[4] LabelText '', visible
    		[5] checkbox 'It\'s "me"', clickable, visible, checked='false'
    	[6] button 'Go', clickable, disabled=True
    		StaticText 'Go'
    			InlineTextBox 'Go'
    "#);
}

#[test]
fn bids_are_handles_of_the_elements_that_are_written() {
    let observation = example().observe(&mut BrowserGymRun::default());
    let refs: Vec<String> = observation.refs.iter().map(|target| format!("{} {}", target.handle, target.key)).collect();
    assert_eq!(refs, ["2 1.1.4", "3 1.1.6", "4 1.1.8", "5 1.1.9", "6 1.1.10"]);
}

#[test]
fn elements_that_are_not_in_the_tree_at_all_come_up_where_the_document_has_them() {
    let mut shot = Shot::new();
    let body = shot.element(0, "body", &[], PAGE, &[]);
    let table = shot.element(body, "table", &[], PAGE, &[]);
    let rows = shot.element(table, "tbody", &[], PAGE, &[]);
    let row = shot.element(rows, "tr", &[], PAGE, &[]);
    shot.element(body, "canvas", &[], PAGE, &[]);
    let hidden = shot.element(body, "div", &[("aria-hidden", "true")], PAGE, &[]);
    shot.element(hidden, "p", &[], PAGE, &[]);
    assert_eq!((table, row), (2, 4));
    let step = step(
        &shot,
        &[
            ax(1, "RootWebArea", "Test", &[2]),
            ignored(2, &[3], "uninteresting"),
            ax(3, "table", "", &[5]),
            ax(5, "row", "", &[]),
        ],
    );
    insta::assert_snapshot!(observe(&step), @r"
    RootWebArea 'Test'
    	[1] table '', visible
    		[2] rowgroup '', visible
    			[3] row '', visible
    	[4] Canvas '', visible
    ");
}

#[test]
fn ordered_lists_count_zero_as_the_marks_write_the_value() {
    let mut shot = Shot::new();
    let list = shot.element(0, "ol", &[], PAGE, &[]);
    for value in [None, Some(("value", "7"))] {
        let item = shot.element(list, "li", value.as_slice(), PAGE, &[("list-style-type", "decimal")]);
        shot.node(item, 1, "::marker", "", &[]);
    }
    let page = {
        let mut builder = PageBuilder::new("https://test.test/", "Test");
        for backend in [3, 5] {
            let styles = vec![style("list-style-type", "decimal")];
            builder.leaf(NodeSpec { tag: "li", backend, styles, ..NodeSpec::default() });
        }
        builder.finish()
    };
    let nodes = [
        ax(1, "RootWebArea", "Test", &[2]),
        ax(2, "list", "", &[3, 5]),
        ax(3, "listitem", "", &[4]),
        ax(4, "ListMarker", "1. ", &[]),
        ax(5, "listitem", "", &[6]),
        ax(6, "ListMarker", "7. ", &[]),
    ];
    insta::assert_snapshot!(observe(&Step::new(page).with_payloads(payloads(&shot, &nodes))), @r"
    RootWebArea 'Test'
    	[0] list '', visible
    		[1] listitem '', visible
    			ListMarker '0.'
    		[2] listitem '', visible
    			ListMarker '7.'
    ");
}

#[test]
fn a_box_that_a_scroller_clips_is_not_visible() {
    let mut shot = Shot::new();
    let scroller =
        shot.element(0, "div", &[], [0.0, 0.0, 100.0, 100.0], &[("overflow-x", "auto"), ("overflow-y", "auto")]);
    for (top, position) in [(0.0, "static"), (51.0, "static"), (60.0, "static"), (60.0, "absolute")] {
        shot.element(scroller, "p", &[], [0.0, top, 100.0, 98.0], &[("position", position)]);
    }
    let names: Vec<Value> = (3..=6).map(|id| ax(id, "paragraph", "", &[])).collect();
    let mut nodes = vec![ax(1, "RootWebArea", "Test", &[3, 4, 5, 6])];
    nodes.extend(names);
    insta::assert_snapshot!(observe(&step(&shot, &nodes)), @r"
    RootWebArea 'Test'
    	[1] paragraph '', visible
    	[2] paragraph '', visible
    	[3] paragraph ''
    	[4] paragraph '', visible
    ");
}

#[test]
fn texts_of_two_directions_are_boxes_of_their_own_and_collapsed_blanks_are_not() {
    let mut shot = Shot::new();
    let paragraph = shot.element(0, "p", &[], PAGE, &[("white-space-collapse", "collapse")]);
    shot.text(paragraph, "חדר 9\n  ב", &[(5, 1, 0.0), (8, 1, 0.0), (4, 1, 0.0), (0, 4, 0.0)]);
    let pre = shot.element(0, "pre", &[], PAGE, &[("white-space-collapse", "preserve")]);
    shot.text(pre, "a  b\nc", &[(0, 4, 0.0), (4, 1, 0.0), (5, 1, 20.0)]);
    let step = step(
        &shot,
        &[
            ax(1, "RootWebArea", "Test", &[2, 4]),
            ax(2, "paragraph", "", &[3]),
            ax(3, "StaticText", "חדר 9 ב", &[]),
            ax(4, "paragraph", "", &[5]),
            ax(5, "StaticText", "a  b\nc", &[]),
        ],
    );
    insta::assert_snapshot!(observe(&step), @r"
    RootWebArea 'Test'
    	[0] paragraph '', visible
    		StaticText 'חדר 9 ב'
    			InlineTextBox 'ב'
    			InlineTextBox '9'
    			InlineTextBox 'חדר'
    	[1] paragraph '', visible
    		StaticText 'a  b\nc'
    			InlineTextBox 'a  b'
    			InlineTextBox ''
    			InlineTextBox 'c'
    ");
}

#[test]
fn values_texts_and_control_characters_stay_on_their_line() {
    let shot = Shot::new();
    let value = json!("line one\n\"x\" it's \u{0}\u{202e}");
    let step = step(
        &shot,
        &[
            ax(1, "RootWebArea", "a\nb", &[2, 3, 4]),
            valued(ax(2, "textbox", "Notes", &[]), value),
            valued(ax(3, "spinbutton", "Seats", &[]), json!(5)),
            ax(4, "LineBreak", "\n", &[]),
        ],
    );
    insta::assert_snapshot!(observe(&step), @r#"
    RootWebArea 'a\nb'
    	textbox 'Notes' value='line one\n"x" it\'s \x00\u202e'
    	spinbutton 'Seats' value=5
    	InlineTextBox ''
    "#);
}

#[test]
fn generic_and_nameless_nodes_are_passed_over_unless_they_have_something_to_say() {
    let mut shot = Shot::new();
    shot.element(0, "div", &[], PAGE, &[]);
    let live = [("atomic", json!(false)), ("live", json!("polite"))];
    let step = step(
        &shot,
        &[
            ax(1, "RootWebArea", "Test", &[2]),
            with(ax(2, "generic", "", &[3]), &live),
            with(ax(3, "generic", "named", &[4]), &[("level", json!(1))]),
            ax(4, "StaticText", "med", &[]),
        ],
    );
    insta::assert_snapshot!(observe(&step), @r"
    RootWebArea 'Test'
    	[0] generic, visible, live='polite'
    		InlineTextBox 'med'
    ");
}

#[test]
fn a_capture_without_a_payload_is_an_error_that_names_it() {
    for (payloads, what) in [(Vec::new(), "DOM snapshot"), (vec![Shot::new().payload()], "accessibility tree")] {
        let step = Step::new(outline("main")).with_payloads(payloads);
        let error = step.try_observe(&mut BrowserGymRun::default()).expect_err("nothing to show");
        assert_eq!(error.to_string(), format!("step 0: the capture has no {what}, which {NAME} reads"));
    }
}

#[test]
fn a_tree_ten_thousand_deep_is_written_on_a_small_stack() {
    let mut shot = Shot::new();
    let mut parent = 0;
    for _ in 0..10_000 {
        parent = shot.element(parent, "p", &[], PAGE, &[]);
    }
    // Every other element is missing in the tree.
    let nodes: Vec<Value> = (0..5_000).map(|at| ax(2 * at + 1, "generic", "", &[2 * at + 3])).collect();
    let step = step(&shot, &nodes);
    // The root, and what is missing.
    assert_eq!(on_small_stack(2 << 20, move || observe(&step)).lines().count(), 5_001);
}

proptest! {
    #[test]
    fn any_tree_is_written_without_a_panic(
        parents in prop::collection::vec((-2i64..12, 0usize..9, any::<String>()), 0..12),
        links in prop::collection::vec((0u32..14, 0usize..8, prop::collection::vec(0u32..14, 0..4), any::<String>()),
            0..14),
    ) {
        let mut shot = Shot::new();
        for (parent, tag, text) in &parents {
            let tag = ["p", "tbody", "tr", "iframe", "ol", "li", "canvas", "x-y", "label"][*tag];
            shot.element(*parent, tag, &[("id", text)], [0.0, -5.0, f64::MAX, 1e300], &[]);
            shot.text(*parent, text, &[(0, text.len(), 0.0), (3, 900, 1.0)]);
        }
        let roles = ["StaticText", "Iframe", "paragraph", "ListMarker", "LineBreak", "generic", "none", "row"];
        let nodes: Vec<Value> = links.iter().map(|(id, role, children, name)| {
            if roles[*role] == "none" { ignored(*id, children, "uninteresting") } else {
                ax(*id, roles[*role], name, children) }
        }).collect();
        _ = step(&shot, &nodes).try_observe(&mut BrowserGymRun::default());
    }

    #[test]
    fn broken_payloads_are_missing_ones(cut in 0usize..400) {
        let mut shot = Shot::new();
        shot.element(0, "p", &[], PAGE, &[]);
        let mut broken = shot.payload();
        broken.body = broken.body[..cut.min(broken.body.len() - 1)].into();
        let step = Step::new(outline("main")).with_payloads(vec![broken]);
        prop_assert!(step.try_observe(&mut BrowserGymRun::default()).is_err());
    }
}
