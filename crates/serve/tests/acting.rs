//! What an agent is told of what it does, in Chromium: each action on a page made for it, notices,
//! dialogs, text that ticks, pages that never rest.

#[path = "acting/boxes.rs"]
mod boxes;
#[path = "acting/city.rs"]
mod city;
mod common;
#[path = "acting/forms.rs"]
mod forms;
#[path = "acting/intranet.rs"]
mod intranet;
#[path = "acting/portal.rs"]
mod portal;
#[path = "acting/studio.rs"]
mod studio;
#[path = "acting/time.rs"]
mod time;
#[path = "acting/widgets.rs"]
mod widgets;

use browserlens_session::Policy;
use common::{Mcp, holds, live, page};
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What the page has logged.
const LOG: &str = "document.getElementById('log').textContent";

/// Opens a page with this body; what it logs with `log(text)` is what its `log` says.
async fn on(body: &str) -> (Mcp, String) {
    let html = format!(
        "<!doctype html><meta charset=utf-8><title>Acting</title><body>{body}<p id=log aria-label=log role=note></p>\
         <script>const log = (text) => {{ document.getElementById('log').textContent += text + ' '; }};</script>"
    );
    let policy = Policy { loopback: true, evaluate: true, ..Policy::default() };
    let host = page(html).await;
    let mut mcp = Mcp::start(Arc::new(live(policy))).await;
    let first = mcp.call("navigate", json!({ "url": format!("http://{host}/") })).await;
    (mcp, first)
}

#[tokio::test(flavor = "multi_thread")]
async fn what_another_control_covers_in_the_middle_is_pressed_beside_it() {
    let (mut mcp, _) = on("<svg width=200 height=200><circle cx=100 cy=100 r=60 id=disc tabindex=0 role=button \
        aria-label=Disc></circle>\
         <text x=50 y=115 font-size=50 id=label tabindex=0 role=button aria-label=Label \
         textLength=100>Menu</text></svg>\
         <script>for (const id of ['disc', 'label']) document.getElementById(id).onclick = () => log(id)</script>")
    .await;
    for (name, says) in [("Disc", "disc "), ("Label", "disc label ")] {
        let control = mcp.find("button", name).await;
        mcp.call("click", json!({ "ref": control })).await;
        assert_eq!(mcp.value(LOG).await, json!(says));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_scrolling_brings_is_told_though_what_holds_the_scroller_clips_it() {
    let (_mcp, first) = on("<style>body { margin: 0 } .clip { overflow: hidden; height: 300px; position: relative } \
        .scrolls { overflow: auto; height: 100% } p { height: 200px }
        .wide { display: flex; height: 60px; width: 300px }
        .wide > span { flex: 0 0 200px } .chat { display: flex; flex-direction: column-reverse }</style>
        <div class=clip><div class=scrolls><p>Top<p>Middle<p>Bottom <a href=x>Deep</a>
          <span style='position:absolute;left:-9999px'>Aside</span></div>
          <div style='position:absolute;top:400px'>Below the clip</div></div>
        <div class=clip style='width:300px;height:60px'><div class='scrolls wide'><span>One</span><span>Two</span>\
        <span><button>Three</button></span></div></div>
        <div class=clip><div class='scrolls chat'><p>Newest<p>Older<p>Oldest</div></div>
        <div class=clip><iframe width=200 height=200 srcdoc='<p style=height:900px>Frame<p>Foot'></iframe></div>")
    .await;
    let shown =
        ["Top", "Middle", "Bottom", "Deep", "One", "Two", "Three", "Newest", "Older", "Oldest", "Frame", "Foot"];
    holds("the page", &first, &shown);
    holds("the page", &first, &["!Aside", "!Below the clip"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_scrolls_is_what_goes_on_in_that_direction() {
    let (mut mcp, _) = on("<style>body { margin: 0; height: 100vh; overflow: hidden }
        .main { height: 100%; overflow: auto }
        .wide { overflow-x: auto; width: 300px } .wide > div { width: 900px } .cell { width: 60px; overflow: hidden; \
        white-space: nowrap } .end { height: 3000px }</style>
        <div class=main><div class=wide><div><div class=cell>\
        <button>Press what is written here</button></div></div></div>
        <div class=end></div></div>")
    .await;
    const AT: &str = "['.main', '.wide', '.cell'].map((e) => document.querySelector(e)).flatMap((e) => [e.scrollLeft, \
                      e.scrollTop])";
    let cell = mcp.find("button", "Press what is written here").await;
    mcp.call("scroll", json!({ "ref": cell, "x": 200, "y": 0 })).await;
    assert_eq!(mcp.value(AT).await, json!([0, 0, 200, 0, 0, 0]));
    mcp.call("scroll", json!({ "ref": cell, "y": 300 })).await;
    mcp.call("scroll", json!({ "y": 500 })).await;
    assert_eq!(mcp.value(AT).await, json!([0, 800, 200, 0, 0, 0]));
    // What was scrolled out of view, to the left and up, is there still.
    assert_eq!(mcp.find("button", "Press what is written here").await, cell);
    mcp.value("document.querySelector('.wide').style.overflow = 'visible'").await;
    mcp.value("document.querySelector('.cell').style.overflow = 'visible'").await;
    mcp.value("document.querySelector('.wide > div').style.width = 'auto'").await;
    let why = ["nothing around it scrolls that way", "hint: "];
    mcp.refuses("scroll", json!({ "ref": cell, "x": 200, "y": 0 }), &why).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_point_of_the_viewport_is_clicked_where_nothing_has_a_ref() {
    let (mut mcp, _) = on("<style>body { margin: 0; height: 3000px } td { width: 90px; height: 40px; padding: 0 } \
        .over { position: absolute; left: 0; top: 1000px; width: 200px; height: 100px }</style>\
        <table style='position:absolute;left:0;top:1000px' cellspacing=0><tr><td>9:00<td></table><div class=over></div>\
        <script>scrollTo(0, 900); document.querySelector('.over').onmousedown = (e) => log(e.offsetX + ',' + \
        e.offsetY)</script>")
    .await;
    mcp.says("click", json!({ "at": [120, 130] }), &["120,30"]).await;
    mcp.refuses("click", json!({ "at": [-5, 130] }), &["nothing is there to click", "hint: "]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_secret_fields_held_is_masked_wherever_it_stands() {
    let (mut mcp, first) = on("<form action=/in><input name=u aria-label=User value=ada>\
         <input type=password name=p aria-label=Password value=hunter2secret>\
         <input type=password name=q aria-label=Other id=other><input type=hidden name=api_token value=sk-abcdef123456>\
         <button>Sign in</button></form><script>document.getElementById('other').value = 'river-otter-58'</script>")
    .await;
    let typed = mcp.find("textbox", "Other").await;
    let mut said = vec![first, mcp.call("type", json!({ "ref": typed, "text": "by hand 17" })).await];
    let went = mcp.says("click", json!({ "text": "Sign in" }), &["u=ada&p=••••••&q=••••••&api_token=••••••"]).await;
    said.push(went);
    for (tool, arguments) in [
        ("tabs", json!({})),
        ("observe", json!({ "full": true })),
        ("snapshot", json!({ "format": "html" })),
        ("get_network_requests", json!({ "includeRequestBodies": true })),
        ("get_summary", json!({})),
        ("get_html", json!({})),
        ("get_dom_snapshot", json!({})),
        ("evaluate", json!({ "expression": "location.href" })),
        ("back", json!({})),
        ("get_html", json!({ "includeHidden": true })),
    ] {
        said.push(mcp.call(tool, arguments).await);
    }
    for secret in ["hunter2secret", "river-otter-58", "by+hand", "by hand", "by%20hand", "sk-abcdef123456"] {
        assert!(said.iter().all(|said| !said.contains(secret)), "{secret}: {said:#?}");
    }
    mcp.refuses("navigate", json!({ "url": "http://a.test/?token=••••••" }), &["masked", "hint: "]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_does_not_resolve_is_an_error_that_says_so() {
    let (mut mcp, _) = on("<h1>Here</h1>").await;
    let url = json!({ "url": "http://no-such-host.invalid/" });
    mcp.refuses("navigate", url, &["does not resolve", "hint: check the URL"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_toast_that_came_and_went_is_told() {
    let (mut mcp, _) =
        on("<button onclick='toast(\"Successfully deployed\")'>Deploy</button><button onclick='say()'>Save</button>\
         <output id=state></output><script>
           const toast = (text) => { const it = document.createElement('div'); it.style = \
           'position:fixed;right:8px;bottom:8px';
             document.body.append(it); it.textContent = text; setTimeout(() => it.remove(), 150); };
           const say = () => { const it = document.getElementById('state'); it.textContent = 'Saving';
             setTimeout(() => { it.textContent = 'Saved “draft”'; }, 80); setTimeout(() => { it.textContent = ''; }, \
             180); };
         </script>")
        .await;
    mcp.says("click", json!({ "text": "Deploy" }), &["\n[NOTICE \"Successfully deployed\"]"]).await;
    mcp.says("click", json!({ "text": "Save" }), &["\n[NOTICE \"Saved “draft”\"]", "!deployed"]).await;
    // It is told once.
    mcp.says("press", json!({ "key": "Tab" }), &["!NOTICE"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_snapshot_has_at_most_20_000_characters_an_answer() {
    let (mut mcp, _) = on(&format!("<p>{}</p>", "A sentence of a long text. ".repeat(1_500))).await;
    for format in ["tree", "html", "markdown"] {
        let part = mcp.call("snapshot", json!({ "mode": "content", "format": format })).await;
        assert!(part.chars().count() <= 20_000 && part.contains("more characters; go on with skip"), "{part}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_read_is_said_again_until_something_is_done() {
    let words = "A sentence of a long text without headings. ".repeat(1_500);
    let (mut mcp, _) = on(&format!("<button onclick='log(\"pressed\")'>Press</button><p>{words}</p>")).await;
    let first = mcp.call("read_text", json!({})).await;
    assert!(first.chars().count() < 21_000 && first.contains("sections; go on with offset"), "{first}");
    let began = Instant::now();
    let again = mcp.call("read_text", json!({ "limit": 1 })).await;
    let took = began.elapsed();
    assert!(again.contains("as read 0 s ago; nocache reads anew") && again.chars().count() < 7_000, "{again}");
    assert!(took < Duration::from_millis(100), "{took:?}");
    mcp.call("click", json!({ "text": "Press" })).await;
    // It was acted on.
    mcp.says("read_text", json!({ "query": "pressed", "minRelevance": 0 }), &["!as read"]).await;
    mcp.value("location.reload()").await;
    mcp.says("read_text", json!({ "limit": 1 }), &["!as read"]).await;
    mcp.says("read_text", json!({ "limit": 1, "nocache": true }), &["!as read"]).await;
    mcp.refuses("read_text", json!({ "offset": 9_999 }), &["offset 9999 is behind the end: there are "]).await;
    mcp.refuses("read_text", json!({ "within": 2 }), &["needs a place"]).await;
    mcp.says("read_text", json!({ "query": "long text", "visited": true, "limit": 1 }), &["; http://"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_asked_of_all_pages_that_were_read_is_answered_from_them() {
    let (mut mcp, _) = on("<h1>Otters</h1><p>They eat <b>crayfish</b> in cold rivers all winter long.</p>").await;
    mcp.call("read_text", json!({})).await;
    let herons = "<title>Herons</title><h1>Herons</h1><p>Grey birds. Sometimes they move away when it freezes.</p>";
    let host = page(herons.to_owned()).await;
    mcp.call("navigate", json!({ "url": format!("http://{host}/") })).await;
    mcp.says("read_text", json!({ "related": "crayfish" }), &["100 % Acting http://", "!Herons"]).await;
    mcp.says("read_text", json!({ "related": "they move away" }), &["in its text: Herons http://"]).await;
    mcp.says("read_text", json!({ "about": "crayfish" }), &["cold rivers"]).await;
    mcp.says("read_text", json!({ "path": ["Otters", "crayfish"] }), &["Otters\n→ crayfish (under one heading"]).await;
    mcp.says("read_text", json!({ "path": ["Otters", "zeppelin"] }), &["no page has a concept like \"zeppelin\""])
        .await;
    assert!(!mcp.call("read_text", json!({ "duplicates": true })).await.is_empty());
    mcp.refuses("read_text", json!({ "about": "a", "query": "b" }), &["leave all but one out"]).await;
    mcp.refuses("read_text", json!({ "about": "a", "section": "1" }), &["several pages have no section"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dialog_is_told_the_moment_it_blocks() {
    let (mut mcp, _) = on("<button onclick='log(confirm(\"Delete “all”?\"))'>Delete</button>").await;
    let began = Instant::now();
    mcp.says("click", json!({ "text": "Delete", "role": "button" }), &["[DIALOG confirm \"Delete “all”?\" open]"])
        .await;
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    mcp.says("dialog", json!({ "accept": false }), &["false"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_has_no_ref_is_clicked_by_its_text_or_the_candidates_are_told() {
    let (mut mcp, _) = on("<div onclick='log(event.target.textContent)'><p>Alder <b>tree</b></p><p>Birch</p></div>\
         <section aria-label=First><button onclick='log(\"one\")'>Go</button></section>\
         <section aria-label=Second><button onclick='log(\"two\")'>Go</button></section>\
         <canvas width=100 height=50 onclick='log(event.offsetX + \",\" + event.offsetY)' style='border:1px solid' \
         aria-label=Board role=img></canvas>")
    .await;
    let told = mcp.call("click", json!({ "text": "Birch" })).await;
    assert!(told.contains("\"Birch\"") || told.contains("Birch "), "{told}");
    mcp.refuses(
        "click",
        json!({ "text": "Go", "role": "button" }),
        &["2 found: button \"Go\" @e", "hint: take one of these refs"],
    )
    .await;
    mcp.refuses("click", json!({ "text": "Oak" }), &["nothing on the page says \"Oak\"", "hint: call `find`"]).await;
    mcp.refuses("click", json!({}), &["`ref` or `text` is missing"]).await;
    let board = mcp.find("canvas", "Board").await;
    // A point of it, its border apart.
    mcp.says("click", json!({ "ref": board, "at": [31, 21] }), &["30,20"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn expressions_are_evaluated_only_where_the_server_allows_it() {
    let (mut mcp, _) = on("<p>Hello</p>").await;
    assert_eq!(mcp.value("({ a: [1, 'x'], b: null })").await, json!({ "a": [1, "x"], "b": null }));
    let long = mcp.call("evaluate", json!({ "expression": "'word '.repeat(100000)" })).await;
    assert!(long.len() < 100_000 && long.contains('…') && !long.contains("skip"), "cut: {}", long.len());
    mcp.refuses("evaluate", json!({ "expression": "nothing.there" }), &["nothing is not defined", "hint: "]).await;
    let mut strict = Mcp::start(Arc::new(live(Policy { loopback: true, ..Policy::default() }))).await;
    strict.refuses("evaluate", json!({ "expression": "1" }), &["refused: `evaluate`", "--allow-evaluate"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn elements_are_found_by_role_in_a_part_of_the_page_and_counted() {
    let rows: String = (0..30).map(|n| format!("<li><button>Pick {n}</button></li>")).collect();
    let (mut mcp, _) =
        on(&format!("<nav aria-label=Menu onclick='log(1)'>Ways <button>Home</button></nav><ul>{rows}</ul>")).await;
    let all = mcp.call("find", json!({ "role": "button" })).await;
    assert!(all.contains("31") && all.matches("\n- ").count() <= 21, "{all}");
    let menu = mcp.find("navigation", "Menu").await;
    mcp.says("find", json!({ "role": "button", "in": menu }), &["1 found", "Home", "!Pick"]).await;
    let all = mcp.call("find", json!({ "limit": 3 })).await;
    assert!(all.matches("\n- ").count() <= 4, "{all}");
    mcp.refuses("snapshot", json!({ "selector": "#nowhere" }), &["#nowhere", "hint: "]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_in_what_is_gone_or_was_never_given_is_refused_and_clicks_nothing() {
    let (mut mcp, _) =
        on("<section aria-label=Box id=box onclick='log(1)'>Ways <button>Inner</button></section><button \
            onclick='log(\"pressed\")'>Go</button>\
         <p onclick='log(\"pressed\")'>Birch</p>")
        .await;
    let section = mcp.find("", "Box").await;
    mcp.refuses("click", json!({ "text": "Birch", "in": section }), &[&format!("nothing in {section} says")]).await;
    mcp.value("document.getElementById('box').remove()").await;
    for (tool, wanted) in
        [("click", json!({ "text": "Birch", "in": section })), ("find", json!({ "text": "Go", "in": section }))]
    {
        mcp.refuses(tool, wanted, &[&section, "is not on the page any more", "hint: call `observe` or `find`"]).await;
    }
    // What took its place is named.
    mcp.call("observe", json!({})).await;
    let another = "<nav aria-label=Else><h2>Ahead</h2><section aria-label=Box onclick=log(1)>Away</section></nav>";
    mcp.value(&format!("document.body.insertAdjacentHTML('afterbegin', '{another}')")).await;
    let again = mcp.find("", "Box").await;
    mcp.refuses("click", json!({ "ref": section }), &[&section, &format!("; {again} is called so")]).await;
    for tool in ["click", "find"] {
        mcp.refuses(tool, json!({ "text": "Birch", "in": "@e9999" }), &["@e9999 was never given"]).await;
    }
    assert_eq!(mcp.value(LOG).await, json!(""));
}

#[tokio::test(flavor = "multi_thread")]
async fn candidates_that_no_observation_gives_refs_have_refs() {
    let (mut mcp, _) = on("<p>Birch</p><p>Birch</p>").await;
    let said = ["2 found: paragraph \"Birch\" @e1; paragraph \"Birch\" @e2\n", "hint: take one of these refs"];
    mcp.refuses("click", json!({ "text": "Birch" }), &said).await;
    mcp.call("click", json!({ "ref": "@e2" })).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_several_that_say_a_text_the_only_one_with_a_ref_is_meant() {
    let (mut mcp, _) = on("<p>Birch</p><button onclick='log(\"pressed\")'>Birch</button><p>Birch</p>").await;
    mcp.says("click", json!({ "text": "Birch" }), &["pressed"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn while_a_dialog_is_open_nothing_else_is_done_and_all_say_so() {
    let (mut mcp, _) = on("<button onclick='log(confirm(\"Sure?\"))'>Ask</button><p>Birch</p>").await;
    mcp.says(
        "evaluate",
        json!({ "expression": "alert('Hello')" }),
        &["^no value: a dialog is open: \"Hello\"; answer it with `dialog` first"],
    )
    .await;
    for (tool, wanted) in [
        ("click", json!({ "text": "Birch" })),
        ("evaluate", json!({ "expression": "1" })),
        ("press", json!({ "key": "Tab" })),
        ("wait", json!({ "text": "Oak", "ms": 1_000 })),
    ] {
        mcp.refuses(tool, wanted, &["a dialog is open: \"Hello\"", "hint: answer it with `dialog` first"]).await;
    }
    mcp.call("dialog", json!({ "accept": true })).await;
    assert_eq!(mcp.value("1 + 1").await, json!(2));
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_changed_is_said_of_the_action_and_not_of_what_was_before_it() {
    let (mut mcp, _) = on("<p id=note>One</p><button>Silent</button>").await;
    let silent = mcp.find("button", "Silent").await;
    mcp.call("click", json!({ "ref": silent })).await;
    mcp.value("setTimeout(() => { document.getElementById('note').textContent = 'Two'; }, 1200), 1").await;
    tokio::time::sleep(Duration::from_millis(1_700)).await;
    let told = mcp.call("click", json!({ "ref": silent })).await;
    assert!(told.contains("Two") && told.ends_with("nothing changed"), "{told}");
}

/// What teams ship whose pages say nothing of themselves: cells that listen, switches of classes, lists of boxes.
const SILENT: &str = r#"<style>.sw.on { background: green } .dd { position: relative; width: 9em; cursor: pointer }
    .dd .list { position: absolute; z-index: 2; background: #fff; display: none } .dd.open .list { display: block }
    .job { margin: 0 0 7px; height: 30px; cursor: pointer }</style>
  <table><tr><td>Ada</td><td>1,040</td></tr><tr><td>Bo</td><td>1,040</td></tr></table>
  <div class=sw style='cursor:pointer'>Parking</div><div class=lamp style='cursor:pointer'>Heating</div>
  <div class=dd><div class=now>Choose</div><div class=list><div>Sale</div><div>Abroad</div></div></div>
  <div class=note contenteditable>Bucket below.</div>
  <div class=jobs></div>
  <script>
    const $ = (selector) => document.querySelector(selector);
    $('table').addEventListener('dblclick', (e) => { e.target.textContent = 'edited'; });
    $('.sw').addEventListener('click', () => $('.sw').classList.toggle('on'));
    $('.lamp').addEventListener('click', () => $('.lamp').classList.toggle('lit'));
    $('.dd').addEventListener('click', (e) => {
      if (e.target.matches('.list div')) $('.now').textContent = e.target.textContent;
      $('.dd').classList.toggle('open');
    });
    let jobs = ['Tap drips', 'Light flickers', 'Boiler is cold'], dragged;
    const draw = () => {
      const row = (job) => `<div class=job draggable=true><span>${job}</span><small> B</small></div>`;
      $('.jobs').innerHTML = jobs.map(row).join('');
    };
    draw();
    $('.jobs').addEventListener('click', (e) => log(e.target.textContent));
    $('.jobs').addEventListener('dragstart', (e) => { dragged = e.target.firstChild.textContent; });
    $('.jobs').addEventListener('dragover', (e) => e.preventDefault());
    $('.jobs').addEventListener('drop', (e) => {
      const to = e.target.closest('.job');
      if (!to || to.firstChild.textContent === dragged) return;
      const box = to.getBoundingClientRect(), below = e.clientY > box.top + box.height / 2;
      jobs = jobs.filter((job) => job !== dragged);
      jobs.splice(jobs.indexOf(to.firstChild.textContent) + (below ? 1 : 0), 0, dragged);
      draw();
    });
  </script>"#;

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_says_nothing_of_itself_is_worked_with() {
    let (mut mcp, _) = on(SILENT).await;
    let twice = json!({ "text": "1,040", "kind": "double" });
    let said = mcp.try_call("click", twice.clone()).await.expect_err("which of them?");
    assert!(said.contains("near \"Bo") && said.contains("same row or card as `in`"), "{said}");
    mcp.says("find", json!({ "text": "1,040", "in": "Bo" }), &["1 found"]).await;
    mcp.call("click", json!({ "text": "1,040", "kind": "double", "in": "Bo" })).await;
    assert_eq!(
        mcp.value("[...document.querySelectorAll('td')].map((cell) => cell.textContent).join()").await,
        "Ada,1,040,Bo,edited"
    );
    let none = json!({ "text": "1,040", "in": "Cleo" });
    mcp.refuses("click", none, &["nothing in a row or card with \"Cleo\" says \"1,040\""]).await;
    // What only a class tells.
    let (parking, heating) = (mcp.find("", "Parking").await, mcp.find("", "Heating").await);
    mcp.says("click", json!({ "ref": parking }), &[" +active", "!its class"]).await;
    mcp.says("click", json!({ "ref": parking }), &[" -active"]).await;
    mcp.says("click", json!({ "ref": heating }), &["its class changed: +lit\n", "!nothing changed"]).await;
    mcp.says("click", json!({ "ref": heating }), &["its class changed: -lit\n"]).await;
    // A list without roles, closed and open.
    let list = mcp.find("", "Choose").await;
    mcp.call("select", json!({ "ref": list, "option": "Sale" })).await;
    mcp.call("click", json!({ "ref": list })).await;
    mcp.call("select", json!({ "ref": list, "option": "Abroad" })).await;
    assert_eq!(mcp.value("document.querySelector('.now').textContent").await, "Abroad");
    // Typing goes on where the text ends.
    let note = mcp.find("", "Bucket below.").await;
    mcp.call("type", json!({ "ref": note, "text": " Key is here.", "keys": true })).await;
    assert_eq!(mcp.value("document.querySelector('.note').textContent").await, "Bucket below. Key is here.");
    // Rows that are drawn anew keep their refs, and room between them is no place to drop.
    let [tap, light, boiler] =
        [mcp.find("", "Tap drips").await, mcp.find("", "Light").await, mcp.find("", "Boiler").await];
    mcp.call("drag", json!({ "from": boiler, "to": tap, "place": "before" })).await;
    mcp.call("drag", json!({ "from": light, "to": boiler, "place": "after" })).await;
    assert_eq!(mcp.value("jobs.join()").await, "Boiler is cold,Light flickers,Tap drips");
    mcp.call("click", json!({ "ref": tap })).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_is_again_as_it_was_is_said_to_be_so_and_not_unchanged() {
    let (mut mcp, first) = on("<button>Hours</button> <div style='cursor:pointer' onclick='0'>\
         <svg width=16 height=16><circle r=6></circle></svg></div> \
         <span>Joost</span> <ul></ul><script>\
         let week = 0; const draw = () => { week++; document.querySelector('ul').innerHTML = \
           ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'].map((day) => week % 2 \
             ? `<li><button>Open on ${day}</button><button>Closed on ${day}</button></li>` \
             : `<li>${day}: <a href=#${day}>hours of the ${day}</a></li>`).join(''); };\
         draw(); document.querySelector('button').onclick = draw;</script>")
    .await;
    // A text behind what has no name does not read like its name.
    assert!(first.contains("clickable @e2, \"Joost\""), "{first}");
    let hours = mcp.find("button", "Hours").await;
    mcp.call("click", json!({ "ref": hours })).await;
    mcp.call("click", json!({ "ref": hours })).await;
    let told = mcp.call("click", json!({ "ref": hours })).await;
    assert!(told.ends_with("from the page of step 1: 0 changes] it shows what it showed then"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn each_error_names_the_next_tool() {
    let (mut mcp, _) = on("<label>Code <input readonly value=x></label><label>When <input type=date></label>\
         <label>Size <select><option>Small<option>Large</select></label><button>Plain</button>\
         <div style='position:relative'><button>Under</button><div \
         style='position:absolute;inset:0;background:#fff'>Over it</div></div>")
    .await;
    let mut refs = Vec::new();
    for (role, name) in
        [("textbox", "Code"), ("", "When"), ("combobox", "Size"), ("button", "Plain"), ("button", "Under")]
    {
        refs.push(mcp.find(role, name).await);
    }
    let covers = "close what covers it";
    for (tool, wanted, hint) in [
        ("type", json!({ "ref": refs[0], "text": "y" }), "hint: call `find` for a field that takes text"),
        ("type", json!({ "ref": refs[1], "text": "tomorrow" }), "hint: call `type` with a value as the error says"),
        ("select", json!({ "ref": refs[2], "option": ["Small", "Large"] }), "hint: call `select` with one option"),
        ("select", json!({ "ref": refs[2], "option": "Huge" }), "name one of its options"),
        ("press", json!({ "ref": refs[3], "key": "Foo" }), "hint: call `press` with a key named as the error says"),
        ("fill", json!({ "fields": [{ "ref": refs[3], "value": true }] }), "hint: call `find` with role checkbox"),
        ("click", json!({ "ref": refs[4] }), covers),
    ] {
        let said = mcp.try_call(tool, wanted.clone()).await.expect_err(tool);
        assert!(said.contains(hint) && said.contains(covers) == (hint == covers), "{tool} {wanted}: {said}");
    }
    let says = ["#nowhere", "matches nothing", "hint: call `snapshot`"];
    mcp.refuses("get_dom_snapshot", json!({ "selector": "#nowhere" }), &says).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_hit_in_the_place_of_what_was_meant_is_told_first() {
    let (mut mcp, _) =
        on("<div style='position:relative;width:200px;height:60px'><button style='width:200px;height:60px' \
            onmousemove='veil()'>Pay</button></div>\
         <button onclick='log(\"pressed\")'>Plain</button><script>
           const veil = () => { if (document.getElementById('log').dataset.veiled) return; \
           document.getElementById('log').dataset.veiled = 1; const v = document.createElement('div'); v.id = 'veil'; \
           v.textContent = 'Load\u{202E}ing';
             v.style = 'position:fixed;inset:0;background:#eee'; document.body.append(v); setTimeout(() => v.remove(), \
             400); };
         </script>")
        .await;
    let pay = mcp.find("button", "Pay").await;
    let told = mcp.call("click", json!({ "ref": pay })).await;
    assert!(told.starts_with("hit <div id=\"veil\"") && !told.contains('\u{202e}'), "{told}");
    assert!(told.lines().next().is_some_and(|line| line.ends_with(" instead")), "{told}");
    mcp.says("click", json!({ "text": "Plain" }), &["^[DELTA", "pressed"]).await;
}
