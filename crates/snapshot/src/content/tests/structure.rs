//! Lists, tables, quotes, figures, links and marks.

use super::*;

#[test]
fn documentation_of_an_interface_as_markdown() {
    let mut builder = PageBuilder::new("https://docs.example.com/api", "API Reference");
    builder.add_outline(
        r#"
        main tag=main
          heading "API Reference" tag=h1 level=1
            text "API Reference"
          region "overview" tag=section id="overview"
            heading "Overview" tag=h2 level=2
              text "Overview"
            paragraph
              text "Everything can be done by program."
            paragraph
              text "Base URL: "
              generic tag=code
                text "https://api.example.com/v1"
          region "authentication" tag=section id="auth"
            heading "Authentication" tag=h2 level=2
              text "Authentication"
            paragraph
              text "Send your key in the "
              generic tag=code
                text "Authorization"
              text " header:"
            generic tag=div class="highlight-bash"
              generic tag=pre
                text "curl -H \"Authorization: Bearer KEY\" \\\n  https://api.example.com/v1/users"
        "#,
    );
    let page = builder.finish();
    insta::assert_snapshot!(markdown(&page), @r####"
    <!-- source: https://docs.example.com/api -->
    <!-- xpath: /main -->

    # API Reference

    <!-- xpath: /main/section#overview -->

    ## Overview

    Everything can be done by program.

    Base URL: `https://api.example.com/v1`

    <!-- xpath: /main/section#auth -->

    ## Authentication

    Send your key in the `Authorization` header:

    ```bash
    curl -H "Authorization: Bearer KEY" \
      https://api.example.com/v1/users
    ```

    <!-- end: 26 words extracted -->
    "####);
    let grepped: Vec<Section> = all(&page, &ContentOptions::default())
        .into_iter()
        .filter(|section| section.path.contains("section#auth"))
        .collect();
    let header = Header { grep: Some("section#auth"), ..Header::of(&page) };
    insta::assert_snapshot!(write_tree(&header, &grepped), @r####"
    PAGE: https://docs.example.com/api | API Reference
    CONTENT: sections=1 words=14 grep=section#auth

    SECTION /main/section#auth [14 words]
      HEADING level=2 "Authentication"
      TEXT "Send your key in the Authorization header:"
      CODE [bash, 2 lines]
        curl -H "Authorization: Bearer KEY" \
          https://api.example.com/v1/users
    "####);
}

#[test]
fn lists_nest_number_and_tick() {
    insta::assert_snapshot!(body(r#"
        list
          listitem
            text "one"
            list tag=ol start="4"
              listitem
                text "four"
              listitem
                paragraph
                  text "five"
                paragraph
                  text "and more"
          listitem
            checkbox "done" type="checkbox" checked
            text " done"
          listitem
            checkbox "open" type="checkbox" unchecked
            text " open"
          listitem hidden
            text "hidden" hidden
        "#), @r####"
        - one

          4. four

          5. five

             and more

        - [x] done

        - [ ] open
        "####);
}

#[test]
fn tables_have_a_header_and_spans_leave_empty_cells() {
    insta::assert_snapshot!(body(r#"
        table
          generic tag=caption
            text "Sales"
          row
            columnheader tag=th
              text "Year"
            columnheader tag=th colspan="2"
              text "Sums | totals"
          row
            cell rowspan="2"
              text "2024"
            cell
              text "one"
            cell
              paragraph
                text "first"
              list
                listitem
                  text "second"
          row
            cell
              text "two"
            cell
              generic tag=code
                text "a|b"
        "#), @r####"
        Sales

        | Year | Sums \| totals | |
        | --- | --- | --- |
        | 2024 | one | first<br>second |
        | | two | a\|b |
        "####);
}

#[test]
fn a_layout_table_is_text() {
    let mut builder = PageBuilder::new("https://test.test/", "Test");
    builder.open(NodeSpec { tag: "table", role: "LayoutTable", ..NodeSpec::default() });
    builder.open(NodeSpec { tag: "tr", role: "LayoutTableRow", ..NodeSpec::default() });
    for text in ["left", "right"] {
        builder.open(NodeSpec { tag: "td", role: "LayoutTableCell", ..NodeSpec::default() });
        builder.text(text);
        builder.close();
    }
    insta::assert_snapshot!(markdown(&builder.finish()), @r####"
    <!-- source: https://test.test/ -->
    <!-- xpath: / -->

    left

    right

    <!-- end: 2 words extracted -->
    "####);
}

#[test]
fn quotes_figures_definitions_rules_links_and_marks() {
    insta::assert_snapshot!(body(r#"
        generic tag=blockquote
          paragraph
            text "To be"
            generic tag=br
            text "or not."
        generic tag=figure
          image tag=img src="/tide.png" alt="A tide chart"
          generic tag=figcaption
            text "Tides in May"
        generic tag=hr
        generic tag=dl
          generic tag=dt
            text "Ebb"
          generic tag=dd
            text "The tide goes out."
          generic tag=dd
            text "Also: to decline."
          generic tag=dt
            text "Flood"
          generic tag=dd
            text "The tide comes in."
        paragraph
          text "See "
          link tag=a href="/tides?a=1&b=(2)"
            generic tag=em
              text "the "
            text "tides"
          text ", not "
          generic tag=del
            text "winds"
          text "."
        link tag=a href="javascript:void(0)"
          text "Nothing"
        "#), @r####"
        > To be\
        > or not.

        ![A tide chart](/tide.png)\
        Tides in May

        ---

        Ebb
        : The tide goes out.
        : Also: to decline.

        Flood
        : The tide comes in.

        See [_the_ tides](/tides?a=1&b=%282%29), not ~~winds~~.

        Nothing
        "####);
}

#[test]
fn links_and_images_are_left_out_unless_asked_for() {
    let page = PageBuilder::outline(
        r#"
        paragraph
          link tag=a href="/x"
            text "there"
          image tag=img src="/y.png" alt="picture"
          text " and back"
        "#,
    );
    assert!(markdown(&page).contains("\nthere and back\n"));
}
