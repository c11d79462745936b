//! What an agent is told of what it does, in Chromium: each action on a page made for it, notices,
//! dialogs, text that ticks, pages that never rest.

mod common;

use browserlens_serve::Policy;
use common::{Mcp, live, page};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};

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

/// Returns the ref of the one element of this role and name.
async fn reference(mcp: &mut Mcp, role: &str, name: &str) -> String {
    let found = mcp.call("find", json!({ "text": name, "role": role })).await;
    let start = found.find("@e").unwrap_or_else(|| panic!("no ref: {found}"));
    found[start..].split_whitespace().next().expect("a ref").to_owned()
}

async fn value(mcp: &mut Mcp, expression: &str) -> Value {
    let said = mcp.call("evaluate", json!({ "expression": expression })).await;
    serde_json::from_str(said.lines().next().expect("a line")).unwrap_or_else(|error| panic!("{error}: {said}"))
}

async fn refused(mcp: &mut Mcp, tool: &str, arguments: Value, parts: &[&str]) {
    let said = mcp.try_call(tool, arguments).await.expect_err(tool);
    for part in parts {
        assert!(said.contains(part), "{tool}: {part:?} is missing: {said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_another_control_covers_in_the_middle_is_pressed_beside_it() {
    let (mut mcp, _) = on("<svg width=200 height=200><circle cx=100 cy=100 r=60 id=disc tabindex=0 role=button aria-label=Disc></circle>\
         <text x=50 y=115 font-size=50 id=label tabindex=0 role=button aria-label=Label textLength=100>Menu</text></svg>\
         <script>for (const id of ['disc', 'label']) document.getElementById(id).onclick = () => log(id)</script>")
    .await;
    for (name, says) in [("Disc", "disc "), ("Label", "disc label ")] {
        let control = reference(&mut mcp, "button", name).await;
        mcp.call("click", json!({ "ref": control })).await;
        assert_eq!(value(&mut mcp, "document.getElementById('log').textContent").await, json!(says));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_secret_fields_held_is_masked_wherever_it_stands() {
    let (mut mcp, first) = on("<form action=/in><input name=u aria-label=User value=ada>\
         <input type=password name=p aria-label=Password value=hunter2secret>\
         <input type=password name=q aria-label=Other id=other><input type=hidden name=api_token value=sk-abcdef123456>\
         <button>Sign in</button></form><script>document.getElementById('other').value = 'river-otter-58'</script>")
    .await;
    let typed = reference(&mut mcp, "textbox", "Other").await;
    let mut said = vec![first, mcp.call("type", json!({ "ref": typed, "text": "by hand 17" })).await];
    let went = mcp.call("click", json!({ "text": "Sign in" })).await;
    assert!(went.contains("u=ada&p=••••••&q=••••••&api_token=••••••"), "{went}");
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
    refused(&mut mcp, "navigate", json!({ "url": "http://a.test/?token=••••••" }), &["masked", "hint: "]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_does_not_resolve_is_an_error_that_says_so() {
    let (mut mcp, _) = on("<h1>Here</h1>").await;
    let url = json!({ "url": "http://no-such-host.invalid/" });
    refused(&mut mcp, "navigate", url, &["does not resolve", "hint: check the URL"]).await;
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
    let told = mcp.call("click", json!({ "text": "Deploy" })).await;
    assert!(told.contains("\n[NOTICE \"Successfully deployed\"]"), "{told}");
    let told = mcp.call("click", json!({ "text": "Save" })).await;
    assert!(told.contains("\n[NOTICE \"Saved “draft”\"]") && !told.contains("deployed"), "{told}");
    let told = mcp.call("press", json!({ "key": "Tab" })).await;
    assert!(!told.contains("NOTICE"), "it is told once: {told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_that_the_browser_does_not_send_says_which_field_it_wants() {
    let (mut mcp, _) = on("<form action='/sent'><label>Full name <input name=who required></label>\
         <label>Age <input name=age type=number required></label><button>Send</button></form>\
         <form action='/sent' onsubmit='return false'><input aria-label=Code required><button>Own words</button></form>\
         <input id=quiet required><button onclick='log(quiet.checkValidity())'>Check</button>\
         <script>document.forms[1].addEventListener('invalid', (event) => { event.preventDefault(); log('own'); }, \
         true)</script>")
    .await;
    let told = mcp.call("click", json!({ "text": "Send" })).await;
    let said = told.lines().find(|line| line.starts_with("[NOTICE ")).unwrap_or_else(|| panic!("{told}"));
    assert!(said.starts_with("[NOTICE \"not sent: Full name: ") && said.ends_with(" (and 1 more)\"]"), "{said}");
    // A page that tells in words of its own, or only asks, is left to it.
    for own in ["Own words", "Check"] {
        let told = mcp.call("click", json!({ "text": own })).await;
        assert!(!told.contains("not sent"), "{own}: {told}");
    }
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
    let after = mcp.call("read_text", json!({ "query": "pressed", "minRelevance": 0 })).await;
    assert!(!after.contains("as read"), "it was acted on: {after}");
    value(&mut mcp, "location.reload()").await;
    let reloaded = mcp.call("read_text", json!({ "limit": 1 })).await;
    assert!(!reloaded.contains("as read"), "{reloaded}");
    let anew = mcp.call("read_text", json!({ "limit": 1, "nocache": true })).await;
    assert!(!anew.contains("as read"), "{anew}");
    refused(&mut mcp, "read_text", json!({ "offset": 9_999 }), &["offset 9999 is behind the end: there are "]).await;
    refused(&mut mcp, "read_text", json!({ "within": 2 }), &["needs a place"]).await;
    let visited = mcp.call("read_text", json!({ "query": "long text", "visited": true, "limit": 1 })).await;
    assert!(visited.contains("; http://"), "{visited}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_asked_of_all_pages_that_were_read_is_answered_from_them() {
    let (mut mcp, _) = on("<h1>Otters</h1><p>They eat <b>crayfish</b> in cold rivers all winter long.</p>").await;
    mcp.call("read_text", json!({})).await;
    let herons = "<title>Herons</title><h1>Herons</h1><p>Grey birds. Sometimes they move away when it freezes.</p>";
    let host = page(herons.to_owned()).await;
    mcp.call("navigate", json!({ "url": format!("http://{host}/") })).await;
    let told = mcp.call("read_text", json!({ "related": "crayfish" })).await;
    assert!(told.contains("100 % Acting http://") && !told.contains("Herons"), "{told}");
    let told = mcp.call("read_text", json!({ "related": "they move away" })).await;
    assert!(told.contains("in its text: Herons http://"), "{told}");
    let told = mcp.call("read_text", json!({ "about": "crayfish" })).await;
    assert!(told.contains("cold rivers"), "{told}");
    let told = mcp.call("read_text", json!({ "path": ["Otters", "crayfish"] })).await;
    assert!(told.contains("Otters\n→ crayfish (under one heading"), "{told}");
    let told = mcp.call("read_text", json!({ "path": ["Otters", "zeppelin"] })).await;
    assert!(told.contains("no page has a concept like \"zeppelin\""), "{told}");
    assert!(!mcp.call("read_text", json!({ "duplicates": true })).await.is_empty());
    refused(&mut mcp, "read_text", json!({ "about": "a", "query": "b" }), &["leave all but one out"]).await;
    refused(&mut mcp, "read_text", json!({ "about": "a", "section": "1" }), &["several pages have no section"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn how_much_of_a_page_changes_by_itself_is_known_once_it_was_looked_at_twice() {
    let (mut mcp, _) =
        on("<p>Stays</p><p id=n>0</p><script>setInterval(() => { n.textContent = +n.textContent + 1; }, \
         50);</script>")
        .await;
    let first = mcp.call("observe", json!({ "why": true })).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    let second = mcp.call("observe", json!({ "why": true })).await;
    let share =
        second.split_once("dynamic share: ").and_then(|(_, rest)| rest.split_once(" %")).map(|(share, _)| share);
    let share: f32 = share.unwrap_or_else(|| panic!("{first}\n{second}")).parse().expect("a number");
    assert!(share > 0.0 && share < 50.0, "{second}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dialog_is_told_the_moment_it_blocks() {
    let (mut mcp, _) = on("<button onclick='log(confirm(\"Delete “all”?\"))'>Delete</button>").await;
    let began = Instant::now();
    let told = mcp.call("click", json!({ "text": "Delete", "role": "button" })).await;
    assert!(told.contains("[DIALOG confirm \"Delete “all”?\" open]"), "{told}");
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    let told = mcp.call("dialog", json!({ "accept": false })).await;
    assert!(told.contains("false"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn text_that_only_ticks_makes_no_answer_and_comes_with_the_next() {
    let (mut mcp, first) =
        on("<p id=left>Time left: 99893</p><button>Silent</button><button onclick='log(\"pressed\")'>Loud</button>\
         <script>let left = 99893; setInterval(() => { document.getElementById('left').textContent = 'Time left: ' + \
         --left; }, 90);</script>")
        .await;
    assert!(first.contains("Time left: 998"), "{first}");
    let silent = reference(&mut mcp, "button", "Silent").await;
    let loud = reference(&mut mcp, "button", "Loud").await;
    // The first action sees it change by itself; from then on it is known.
    mcp.call("click", json!({ "ref": silent })).await;
    for _ in 0..3 {
        tokio::time::sleep(Duration::from_millis(200)).await;
        let told = mcp.call("click", json!({ "ref": silent })).await;
        assert!(told.contains("nothing changed") && !told.contains("Time left"), "{told}");
        assert_eq!(told.matches("[DELTA").count(), 1, "{told}");
    }
    let told = mcp.call("click", json!({ "ref": loud })).await;
    assert!(told.contains("pressed") && told.contains("Time left: "), "{told}");
    assert_eq!(told.matches("[DELTA").count(), 1, "{told}");
    // Who looks, sees.
    let before = mcp.call("observe", json!({ "full": true })).await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_ne!(
        mcp.call("observe", json!({ "full": true })).await.split_once('\n').map(|told| told.1.to_owned()),
        before.split_once('\n').map(|told| told.1.to_owned())
    );
    let told = mcp.call("wait", json!({ "text": "Time left: 99", "ms": 3_000 })).await;
    assert!(told.starts_with("[DELTA"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_never_rests_is_not_waited_for() {
    let (mut mcp, _) = on("<div id=box style='width:20px;height:20px;background:red'></div><button \
            onclick='log(\"pressed\")'>Loud</button>\
         <script>let n = 0; setInterval(() => { document.getElementById('box').style.width = (20 + n++ % 50) + 'px'; \
         fetch('/poll?' + n).catch(() => {}); }, 60);</script>")
    .await;
    let loud = reference(&mut mcp, "button", "Loud").await;
    let mut times = Vec::new();
    for _ in 0..5 {
        let began = Instant::now();
        let told = mcp.call("click", json!({ "ref": loud })).await;
        assert!(told.contains("pressed"), "{told}");
        times.push(began.elapsed());
    }
    times.sort();
    // Own unrest is waited for 500 ms; the rest is the machine, of which one of five may be
    // unlucky.
    assert!(times[2] < Duration::from_millis(2_000), "{times:?}");
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
    refused(
        &mut mcp,
        "click",
        json!({ "text": "Go", "role": "button" }),
        &["2 found: button \"Go\" @e", "hint: call `click` with one of these refs"],
    )
    .await;
    refused(&mut mcp, "click", json!({ "text": "Oak" }), &["nothing on the page says \"Oak\"", "hint: call `find`"])
        .await;
    refused(&mut mcp, "click", json!({}), &["`ref` or `text` is missing"]).await;
    let board = reference(&mut mcp, "canvas", "Board").await;
    let told = mcp.call("click", json!({ "ref": board, "at": [31, 21] })).await;
    assert!(told.contains("30,20"), "a point of it, its border apart: {told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn options_are_chosen_in_any_list() {
    let (mut mcp, _) = on("<label>Size <select onchange='log(this.value)'><option>Small<option>Large</select></label>\
         <label>Trees <select multiple onchange='log([...this.selectedOptions].map((o) => \
         o.value).join(\"+\"))'><option>Alder<option>Birch<option>Cedar</select></label>\
         <div><input role=combobox aria-label=Town aria-controls=towns aria-expanded=false><ul role=listbox id=towns \
         hidden></ul></div>\
         <script>
           const field = document.querySelector('[role=combobox]'), list = document.getElementById('towns');
           const towns = Array.from({ length: 60 }, (_, n) => 'Town ' + n);
           const open = () => { list.hidden = false; field.ariaExpanded = 'true';
             list.replaceChildren(...towns.filter((town) => town.includes(field.value)).slice(0, 8).map((town) => {
               const item = document.createElement('li'); item.role = 'option'; item.textContent = town;
               item.onclick = () => { field.value = town; list.hidden = true; field.ariaExpanded = 'false'; \
               log('chose-' + town); };
               return item; })); };
           field.onclick = open; field.oninput = open;
         </script>")
    .await;
    let size = reference(&mut mcp, "combobox", "Size").await;
    let told = mcp.call("select", json!({ "ref": size, "option": "Large" })).await;
    assert!(told.contains("Large"), "{told}");
    refused(&mut mcp, "select", json!({ "ref": size, "option": "Huge" }), &[&size, "Small", "Large", "hint: "]).await;
    let trees = reference(&mut mcp, "listbox", "Trees").await;
    let told = mcp.call("select", json!({ "ref": trees, "option": ["Alder", "Cedar"] })).await;
    assert!(told.contains("Alder+Cedar"), "{told}");
    let town = reference(&mut mcp, "combobox", "Town").await;
    let told = mcp.call("select", json!({ "ref": town, "option": "Town 37" })).await;
    assert!(told.contains("chose-Town 37"), "filtered by typing: {told}");
    refused(&mut mcp, "select", json!({ "ref": town, "option": "Atlantis" }), &[&town, "hint: "]).await;
    // A text that only searches the list is not chosen; a list that cannot be typed into is.
    let fill = |value: &str| json!({ "fields": [{ "ref": town, "value": value }] });
    let told = mcp.call("fill", fill("Town 2")).await;
    assert!(told.starts_with(&format!("{town} typed; its list is open: `select` chooses from it\n")), "{told}");
    mcp.call("evaluate", json!({ "expression": "field.readOnly = true" })).await;
    let told = mcp.call("fill", fill("Town 21")).await;
    assert!(told.starts_with(&format!("{town} chosen\n")) && told.contains("chose-Town 21"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_is_filled_in_one_call_as_far_as_it_goes() {
    let (mut mcp, _) = on(
        "<label>Name <input></label><label>Age <input type=number></label><label><input type=checkbox> Agree</label>\
         <label>Size <select><option>Small<option>Large</select></label><label>Code <input \
         disabled></label><label>Note <textarea></textarea></label>",
    )
    .await;
    let mut refs = Vec::new();
    for (role, name) in [
        ("textbox", "Name"),
        ("spinbutton", "Age"),
        ("checkbox", "Agree"),
        ("combobox", "Size"),
        ("textbox", "Code"),
        ("textbox", "Note"),
    ] {
        refs.push(reference(&mut mcp, role, name).await);
    }
    let field = |nth: usize, value: Value| json!({ "ref": refs[nth], "value": value });
    let fields = json!([field(0, json!("Ada")), field(1, json!(36)), field(2, json!(true)), field(3, json!("Large"))]);
    let told = mcp.call("fill", json!({ "fields": fields })).await;
    for (nth, said) in [(0, "set"), (1, "set"), (2, "checked"), (3, "chosen")] {
        assert!(told.contains(&format!("{} {said}\n", refs[nth])), "{told}");
    }
    let now = "[...document.querySelectorAll('input, select')].map((f) => f.type === 'checkbox' ? f.checked : f.value)";
    assert_eq!(value(&mut mcp, now).await, json!(["Ada", "36", true, "Large", ""]));
    let fields = json!([field(0, json!("Eve")), field(4, json!("x")), field(5, json!("never"))]);
    let told = mcp.call("fill", json!({ "fields": fields })).await;
    assert!(told.contains(&format!("{} set\n{} was not set, and none after it: ", refs[0], refs[4])), "{told}");
    assert_eq!(value(&mut mcp, "document.querySelector('textarea').value").await, json!(""));
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_go_to_what_has_the_focus_and_as_often_as_is_said() {
    let (mut mcp, _) =
        on("<label>Level <input type=range min=0 max=100 value=0 oninput='log(this.value)'></label><label>Name \
            <input></label>")
        .await;
    let level = reference(&mut mcp, "slider", "Level").await;
    let told = mcp.call("press", json!({ "ref": level, "key": "ArrowRight", "times": 19 })).await;
    assert!(told.contains("19"), "{told}");
    assert_eq!(value(&mut mcp, "document.querySelector('[type=range]').value").await, json!("19"));
    let name = reference(&mut mcp, "textbox", "Name").await;
    mcp.call("click", json!({ "ref": name })).await;
    mcp.call("type", json!({ "text": "Ada" })).await;
    mcp.call("press", json!({ "key": "Backspace", "times": 2 })).await;
    assert_eq!(value(&mut mcp, "document.querySelectorAll('input')[1].value").await, json!("A"));
}

const SORTABLE: &str = "<ul id=list \
    style='width:200px;padding:0;touch-action:none'><li>Alder</li><li>Birch</li><li>Cedar</li><li>Dogwood</li></ul>
    <div id=zone draggable=true ondragstart='event.dataTransfer.setData(\"text\", \"card\")'>Card</div>
    <div id=bin role=group aria-label=Bin tabindex=0 style='width:90px;height:40px;background:#eee' \
    ondragover='event.preventDefault()' ondrop='log(\"dropped-\" + event.dataTransfer.getData(\"text\"))'></div>
    <canvas id=pad role=img aria-label=Pad width=200 height=100 style='touch-action:none' tabindex=0></canvas>
    <script>
      const list = document.getElementById('list');
      for (const item of list.children) { item.style = 'height:30px;cursor:grab'; item.onpointerdown = (down) => {
        down.preventDefault(); let moves = 0;
        document.onpointermove = (move) => { if (++moves < 3) return;
          const at = [...list.children].find((other) => other !== item && move.clientY < \
          other.getBoundingClientRect().top + 15);
          list.insertBefore(item, at ?? null); };
        document.onpointerup = () => { document.onpointermove = document.onpointerup = null; \
        log([...list.children].map((one) => one.textContent).join('-')); };
      }; }
      const pad = document.getElementById('pad'); let from = null;
      pad.onpointerdown = (event) => { from = [event.offsetX, event.offsetY]; };
      pad.onpointerup = (event) => { log('line-' + from.join(',') + '-' + [event.offsetX, event.offsetY].join(',')); };
    </script>";

#[tokio::test(flavor = "multi_thread")]
async fn what_is_dragged_moves_as_a_hand_moves_it() {
    let (mut mcp, first) = on(SORTABLE).await;
    for name in ["Alder", "Birch", "Cedar", "Dogwood", "Card"] {
        assert!(first.contains(name), "{first}");
    }
    let mut refs = Vec::new();
    for name in ["Alder", "Birch", "Cedar", "Dogwood", "Card", "Bin", "Pad"] {
        refs.push(reference(&mut mcp, "", name).await);
    }
    let told = mcp.call("drag", json!({ "from": refs[0], "to": refs[2], "place": "after" })).await;
    assert!(told.contains("Birch-Cedar-Alder-Dogwood"), "{told}");
    let told = mcp.call("drag", json!({ "from": refs[3], "to": refs[1], "place": "before" })).await;
    assert!(told.contains("Dogwood-Birch-Cedar-Alder"), "{told}");
    let told = mcp.call("drag", json!({ "from": refs[4], "to": refs[5] })).await;
    assert!(told.contains("dropped-card"), "{told}");
    let told = mcp.call("drag", json!({ "from": refs[6], "by": [60, 30], "at": [20, 20] })).await;
    assert!(told.contains("line-20,20-80,50"), "{told}");
    refused(&mut mcp, "drag", json!({ "from": refs[0] }), &["`to` or `by` is missing"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_waited_for_is_told_as_soon_as_it_is_so() {
    let (mut mcp, _) =
        on("<button onclick='start()'>Start</button><label><input type=checkbox disabled> Agree</label><p \
            id=state>Loading</p>\
         <script>const start = () => setTimeout(() => { document.getElementById('state').innerHTML = 'All <b>done</b> \
         ' + Math.random();
           document.querySelector('input').disabled = false; }, 2500);</script>")
        .await;
    let agree = reference(&mut mcp, "checkbox", "Agree").await;
    let began = Instant::now();
    let late = mcp.call("wait", json!({ "text": "All done", "ms": 400 })).await;
    assert!(late.starts_with("the text did not appear within 400 ms\n"), "{late}");
    assert!(began.elapsed() < Duration::from_secs(4), "{:?}", began.elapsed());
    for wanted in
        [json!({ "text": "all done" }), json!({ "gone": "Loading" }), json!({ "ref": agree, "state": "enabled" })]
    {
        let here = value(&mut mcp, "location.href").await;
        mcp.call("navigate", json!({ "url": here })).await;
        let agree = reference(&mut mcp, "checkbox", "Agree").await;
        let wanted = if wanted.get("ref").is_some() { json!({ "ref": agree, "state": "enabled" }) } else { wanted };
        mcp.call("click", json!({ "text": "Start" })).await;
        let began = Instant::now();
        let told = mcp.call("wait", wanted.clone()).await;
        assert!(told.contains("done") && !told.contains("within"), "{wanted}: {told}");
        assert!(began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
    }
    refused(&mut mcp, "wait", json!({ "state": "enabled" }), &["`state` needs `ref`"]).await;
    mcp.call("wait", json!({ "network": true, "ms": 5_000 })).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn expressions_are_evaluated_only_where_the_server_allows_it() {
    let (mut mcp, _) = on("<p>Hello</p>").await;
    assert_eq!(value(&mut mcp, "({ a: [1, 'x'], b: null })").await, json!({ "a": [1, "x"], "b": null }));
    let long = mcp.call("evaluate", json!({ "expression": "'word '.repeat(100000)" })).await;
    assert!(long.len() < 100_000 && long.contains('…') && !long.contains("skip"), "cut: {}", long.len());
    refused(&mut mcp, "evaluate", json!({ "expression": "nothing.there" }), &["nothing is not defined", "hint: "])
        .await;
    let mut strict = Mcp::start(Arc::new(live(Policy { loopback: true, ..Policy::default() }))).await;
    refused(&mut strict, "evaluate", json!({ "expression": "1" }), &["refused: `evaluate`", "--allow-evaluate"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn elements_are_found_by_role_in_a_part_of_the_page_and_counted() {
    let rows: String = (0..30).map(|n| format!("<li><button>Pick {n}</button></li>")).collect();
    let (mut mcp, _) =
        on(&format!("<nav aria-label=Menu onclick='log(1)'>Ways <button>Home</button></nav><ul>{rows}</ul>")).await;
    let all = mcp.call("find", json!({ "role": "button" })).await;
    assert!(all.contains("31") && all.matches("\n- ").count() <= 21, "{all}");
    let menu = reference(&mut mcp, "navigation", "Menu").await;
    let one = mcp.call("find", json!({ "role": "button", "in": menu })).await;
    assert!(one.contains("1 found") && one.contains("Home") && !one.contains("Pick"), "{one}");
    let all = mcp.call("find", json!({ "limit": 3 })).await;
    assert!(all.matches("\n- ").count() <= 4, "{all}");
    refused(&mut mcp, "snapshot", json!({ "selector": "#nowhere" }), &["#nowhere", "hint: "]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_in_what_is_gone_or_was_never_given_is_refused_and_clicks_nothing() {
    let (mut mcp, _) =
        on("<section aria-label=Box id=box onclick='log(1)'>Ways <button>Inner</button></section><button \
            onclick='log(\"pressed\")'>Go</button>\
         <p onclick='log(\"pressed\")'>Birch</p>")
        .await;
    let section = reference(&mut mcp, "", "Box").await;
    refused(&mut mcp, "click", json!({ "text": "Birch", "in": section }), &[&format!("nothing in {section} says")])
        .await;
    value(&mut mcp, "document.getElementById('box').remove()").await;
    for (tool, wanted) in
        [("click", json!({ "text": "Birch", "in": section })), ("find", json!({ "text": "Go", "in": section }))]
    {
        refused(&mut mcp, tool, wanted, &[&section, "is not on the page any more", "hint: call `observe` or `find`"])
            .await;
    }
    for tool in ["click", "find"] {
        refused(&mut mcp, tool, json!({ "text": "Birch", "in": "@e9999" }), &["@e9999 was never given"]).await;
    }
    assert_eq!(value(&mut mcp, "document.getElementById('log').textContent").await, json!(""));
}

#[tokio::test(flavor = "multi_thread")]
async fn candidates_without_refs_are_told_with_what_they_lie_in_and_another_way() {
    let (mut mcp, _) = on("<p>Birch</p><p>Birch</p>").await;
    refused(
        &mut mcp,
        "click",
        json!({ "text": "Birch" }),
        &["2 found: paragraph \"Birch\"; paragraph \"Birch\"\n", "hint: call `click` with more of the text", "`at`"],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_several_that_say_a_text_the_only_one_with_a_ref_is_meant() {
    let (mut mcp, _) = on("<p>Birch</p><button onclick='log(\"pressed\")'>Birch</button><p>Birch</p>").await;
    let told = mcp.call("click", json!({ "text": "Birch" })).await;
    assert!(told.contains("pressed"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_gone_is_not_waited_for_and_what_took_its_place_is() {
    let (mut mcp, _) = on("<div id=box><button>Next</button></div><button id=other>Other</button><script>
           const replace = () => { const b = document.createElement('button'); b.textContent = 'Next'; b.disabled = \
           true;
             document.getElementById('box').replaceChildren(b); setTimeout(() => { b.disabled = false; }, 1500); };
         </script>")
    .await;
    let next = reference(&mut mcp, "button", "Next").await;
    value(&mut mcp, "setTimeout(replace, 300), 1").await;
    let began = Instant::now();
    let told = mcp.call("wait", json!({ "ref": next, "state": "disabled", "ms": 10_000 })).await;
    assert!(!told.contains("within"), "{told}");
    let told = mcp.call("wait", json!({ "ref": next, "state": "enabled", "ms": 10_000 })).await;
    assert!(
        !told.contains("within") && began.elapsed() > Duration::from_millis(1_200),
        "{:?}: {told}",
        began.elapsed()
    );
    let other = reference(&mut mcp, "button", "Other").await;
    value(&mut mcp, "document.getElementById('other').remove()").await;
    refused(&mut mcp, "wait", json!({ "ref": other, "state": "enabled" }), &[&other, "is not on the page any more"])
        .await;
    let told = mcp.call("wait", json!({ "ref": other, "state": "gone", "ms": 5_000 })).await;
    assert!(!told.contains("within"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_network_is_waited_for_and_not_what_moves() {
    let (mut mcp, _) = on("<div id=box style='width:20px;height:20px;background:red'></div><script>let n = 0;
           setInterval(() => { document.getElementById('box').style.width = (20 + n++ % 50) + 'px'; }, 60);</script>")
    .await;
    let told = mcp.call("wait", json!({ "network": true, "ms": 4_000 })).await;
    assert!(!told.contains("within"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn while_a_dialog_is_open_nothing_else_is_done_and_all_say_so() {
    let (mut mcp, _) = on("<button onclick='log(confirm(\"Sure?\"))'>Ask</button><p>Birch</p>").await;
    let told = mcp.call("evaluate", json!({ "expression": "alert('Hello')" })).await;
    assert!(told.starts_with("no value: a dialog is open: \"Hello\"; answer it with `dialog` first"), "{told}");
    for (tool, wanted) in [
        ("click", json!({ "text": "Birch" })),
        ("evaluate", json!({ "expression": "1" })),
        ("press", json!({ "key": "Tab" })),
        ("wait", json!({ "text": "Oak", "ms": 1_000 })),
    ] {
        refused(&mut mcp, tool, wanted, &["a dialog is open: \"Hello\"", "hint: answer it with `dialog` first"]).await;
    }
    mcp.call("dialog", json!({ "accept": true })).await;
    assert_eq!(value(&mut mcp, "1 + 1").await, json!(2));
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_changed_is_said_of_the_action_and_not_of_what_was_before_it() {
    let (mut mcp, _) = on("<p id=note>One</p><button>Silent</button>").await;
    let silent = reference(&mut mcp, "button", "Silent").await;
    mcp.call("click", json!({ "ref": silent })).await;
    value(&mut mcp, "setTimeout(() => { document.getElementById('note').textContent = 'Two'; }, 1200), 1").await;
    tokio::time::sleep(Duration::from_millis(1_700)).await;
    let told = mcp.call("click", json!({ "ref": silent })).await;
    assert!(told.contains("Two") && told.ends_with("nothing changed"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_number_chooses_an_option_and_a_form_that_stops_tells_what_the_page_is_like() {
    let (mut mcp, _) = on("<label>Name <input oninput='log(\"named\")'></label><label>Count \
            <select><option>1<option>2<option>3</select></label>\
         <label>Gone <select onfocus='log(1)' onmousedown='log(\"touched\")' disabled><option>1</select></label>")
    .await;
    let name = reference(&mut mcp, "textbox", "Name").await;
    let count = reference(&mut mcp, "combobox", "Count").await;
    let gone = reference(&mut mcp, "combobox", "Gone").await;
    let told = mcp.call("fill", json!({ "fields": [{ "ref": count, "value": 3 }] })).await;
    assert!(told.starts_with(&format!("{count} chosen\n")), "{told}");
    assert_eq!(value(&mut mcp, "document.querySelector('select').value").await, json!("3"));
    let fields = json!([{ "ref": name, "value": "Ada" }, { "ref": gone, "value": 1 }]);
    let told = mcp.call("fill", json!({ "fields": fields })).await;
    assert!(
        told.starts_with(&format!("{name} set\n{gone} was not set, and none after it: {gone} (combobox \"Gone\")")),
        "{told}"
    );
    assert!(told.contains("\nhint: ") && told.contains("\n[DELTA") && told.contains("named"), "{told}");
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
        refs.push(reference(&mut mcp, role, name).await);
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
    refused(
        &mut mcp,
        "get_dom_snapshot",
        json!({ "selector": "#nowhere" }),
        &["#nowhere", "matches nothing", "hint: call `snapshot`"],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_counter_that_is_set_is_told_and_keys_learn_what_ticks() {
    let (mut mcp, _) = on("<p id=left>Time left: 99893</p><button onclick='left = 500; show()'>Set</button>\
         <script>let left = 99893; const show = () => { document.getElementById('left').textContent = 'Time left: ' + \
         left; };
           setInterval(() => { left--; show(); }, 90);</script>")
    .await;
    mcp.call("press", json!({ "key": "Shift" })).await;
    for _ in 0..3 {
        tokio::time::sleep(Duration::from_millis(200)).await;
        let told = mcp.call("press", json!({ "key": "Shift" })).await;
        assert!(told.contains("nothing changed") && !told.contains("Time left"), "{told}");
    }
    let told = mcp.call("click", json!({ "text": "Set" })).await;
    assert!(told.contains("Time left: 4") || told.contains("Time left: 500"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn tips_that_rotate_make_no_answer_also_where_each_is_a_new_node() {
    let (mut mcp, _) = on("<div id=tips><p>Save often</p></div><button onclick='tip(\"Saved\")'>Save</button>\
         <script>const all = ['Ask us', 'Save often']; let n = 0;
           const tip = (text) => { const p = document.createElement('p'); p.textContent = text; \
           document.getElementById('tips').replaceChildren(p); };
           const turn = () => tip(all[n++ % 2]);</script>")
    .await;
    for _ in 0..3 {
        // It turns while nobody acts.
        value(&mut mcp, "setTimeout(turn, 700), 1").await;
        tokio::time::sleep(Duration::from_millis(1_200)).await;
        mcp.call("find", json!({ "text": "Save" })).await;
    }
    mcp.call("observe", json!({})).await;
    value(&mut mcp, "setTimeout(turn, 700), 1").await;
    tokio::time::sleep(Duration::from_millis(1_200)).await;
    let told = mcp.call("press", json!({ "key": "Shift" })).await;
    assert!(told.contains("nothing changed") && !told.contains("Ask us") && !told.contains("often"), "{told}");
    let told = mcp.call("click", json!({ "text": "Save", "role": "button" })).await;
    assert!(told.contains("Saved"), "{told}");
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
    let pay = reference(&mut mcp, "button", "Pay").await;
    let told = mcp.call("click", json!({ "ref": pay })).await;
    assert!(told.starts_with("hit <div id=\"veil\"") && !told.contains('\u{202e}'), "{told}");
    assert!(told.lines().next().is_some_and(|line| line.ends_with(" instead")), "{told}");
    let told = mcp.call("click", json!({ "text": "Plain" })).await;
    assert!(told.starts_with("[DELTA") && told.contains("pressed"), "{told}");
}
