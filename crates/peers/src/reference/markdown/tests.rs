use super::*;
use crate::testing::{Step, on_small_stack, outline, style};
use browserlens_core::page::{NodeSpec, PageBuilder};
use proptest::prelude::*;
use serde_json::json;

fn shown(body: &str) -> String {
    Step::new(outline(body)).observe(&mut MarkdownPage).text
}

#[test]
fn a_page_reads_as_markdown() {
    let page = r#"
        heading tag=h1
          text "Sign in"
        paragraph tag=p
          text "Use your *work* account. "
          link tag=a href="/guide (new)"
            text "Read the guide"
        list tag=ul
          listitem tag=li
            text "One"
          listitem tag=li
            text "Two"
        table tag=table
          rowgroup tag=tbody
            row tag=tr
              cell tag=td
                text "Seats"
              cell tag=td
                text "3"
            row tag=tr
              rowheader tag=th
                text "Price"
              cell tag=td
                text "$5"
        image tag=img alt="A [red] bike" src="/bike.png"
        image tag=img alt="" src="/line.png"
        generic tag=label
          text "Email"
        textbox tag=input type="email" value="ann@acme.test"
        textbox tag=input type="password" value="hunter2" secret
        textbox tag=input type="text" placeholder="Seats"
        textbox tag=input type="text"
        checkbox tag=input type="checkbox" checked
        text "Remember me"
        combobox tag=select
          option tag=option selected
            text "Admin" hidden
          option tag=option
            text "Owner" hidden
        button tag=button
          text "Sign in"
        paragraph tag=p hidden
          text "Wrong password" hidden
        generic tag=pre
          text "a  b"
    "#;
    insta::assert_snapshot!(shown(page), @r"
    # Sign in

    Use your \*work\* account. [Read the guide](/guide%20%28new%29)

    - One
    - Two

    | Seats | 3  |
    | ----- | -- |
    | Price | $5 |

    ![A  red  bike](/bike.png) Email [ann@acme.test] [___] [Seats] [___] [x] Remember me [Admin] [Sign in]

    ```
    a  b
    ```
    ");
}

#[test]
fn buttons_without_text_and_hidden_fields_leave_nothing() {
    assert_eq!(shown("button tag=button\ntextbox tag=input type=\"hidden\" value=\"x\""), "");
}

#[test]
fn links_without_text_are_no_links_and_boxes_on_a_line_stand_apart() {
    let mut builder = PageBuilder::new("https://test.test/", "Test");
    builder.open(NodeSpec { tag: "p", ..NodeSpec::default() });
    for (text, value) in [("", "inline"), ("One", "flex"), ("Two", "flex"), ("th", "inline"), ("ree", "inline")] {
        let attributes = vec![("href", "/x")];
        builder.open(NodeSpec { tag: "a", attributes, styles: vec![style("display", value)], ..NodeSpec::default() });
        builder.text(text);
        builder.close();
    }
    let text = Step::new(builder.finish()).observe(&mut MarkdownPage).text;
    assert_eq!(text, "[One](/x) [Two](/x) [th](/x)[ree](/x)");
}

#[test]
fn what_is_typed_into_a_password_field_is_dots() {
    let mut builder = PageBuilder::new("https://test.test/", "Test");
    let attributes = vec![("type", "password")];
    builder.open(NodeSpec { tag: "input", value: "hunter2", attributes, ..NodeSpec::default() });
    assert_eq!(Step::new(builder.finish()).observe(&mut MarkdownPage).text, "[•••••••]");
}

#[test]
fn there_are_no_options() {
    let error = strategy(&json!({ "links": true })).err().expect("is refused");
    assert_eq!(error.to_string(), "option \"links\": is not known; known are none");
}

#[test]
fn a_page_nested_ten_thousand_deep_is_written_on_a_small_stack() {
    let mut builder = PageBuilder::new("https://test.test/", "Test");
    for depth in 0..10_000 {
        let tag = ["div", "ul", "li", "b", "table", "tr", "td", "blockquote", "a"][depth % 9];
        builder.open(NodeSpec { tag, attributes: vec![("href", "/x")], ..NodeSpec::default() });
    }
    builder.text("deep");
    let step = Step::new(builder.finish());
    assert!(on_small_stack(2 << 20, move || step.observe(&mut MarkdownPage).text).contains("deep"));
}

proptest! {
    #[test]
    fn any_text_and_attribute_is_written_without_a_panic(text in any::<String>(), href in any::<String>(),
        tag in "[a-z0-9:!?<-]{1,8}") {
        let mut builder = PageBuilder::new("https://test.test/", "Test");
        builder.open(NodeSpec { tag: "a", attributes: vec![("href", &href), ("alt", &text)], ..NodeSpec::default() });
        builder.open(NodeSpec { tag: &tag, attributes: vec![("alt", &text), ("src", &href), ("value", &text)],
            ..NodeSpec::default() });
        builder.text(&text);
        Step::new(builder.finish()).observe(&mut MarkdownPage);
    }
}
