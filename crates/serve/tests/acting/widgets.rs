//! Acting on what pages draw themselves: lists that draw a part, texts, sliders, trees, menus that
//! open as one points at them or stand elsewhere, lists that take new entries, components with shadow
//! trees, icons, and states that only a style or a class tells.

use super::common::holds;
use super::{LOG, on};
use serde_json::json;

/// Lists that draw what one scrolls to: a grid that counts its rows, a list that counts nothing,
/// and a feed that loads ten items a quarter of a second after its end is near.
const DRAWN_AS_NEEDED: &str = "<style>.box { height: 200px; overflow: auto } .box > div { position: relative }
  .box [data-at] { position: absolute }</style>
<div class=box id=grid role=grid aria-label=Orders aria-rowcount=400><div style=height:12000px></div></div>
<div class=box id=list><div style=height:20000px></div></div>
<div class=box id=feed></div>
<script>
  const draws = (box, size, of) => {
    const draw = () => {
      const from = Math.floor(box.scrollTop / size), rows = [];
      for (let i = from; i < Math.min(from + 12, 400); i++)
        rows.push(`<div data-at=${i} style=top:${i * size}px ${of(i)}</div>`);
      box.firstChild.innerHTML = rows.join('');
    };
    box.onscroll = draw;
    draw();
  };
  draws(grid, 30, (i) => `role=row><span role=gridcell>Order ${i * 7}</span>`);
  draws(list, 50, (i) => `>Entry ${i * 3}`);
  let count = 0, waits = false;
  const load = () => {
    for (let i = 0; i < 10 && count < 60; i++) feed.insertAdjacentHTML('beforeend', `<p>News ${count++}</p>`);
    waits = false;
  };
  load();
  feed.onscroll = () => {
    if (waits || feed.scrollTop + 400 < feed.scrollHeight) return;
    waits = true;
    setTimeout(load, 250);
  };
</script>";

#[tokio::test(flavor = "multi_thread")]
async fn a_list_that_draws_a_part_says_so_and_is_scrolled_until_a_text_comes() {
    let (mut mcp, first) = on(DRAWN_AS_NEEDED).await;
    let partial: Vec<&str> = first.lines().filter(|line| line.contains(" partial")).map(str::trim).collect();
    assert!(matches!(partial[..], [grid, list] if grid.contains("Orders") && list.contains("Entry 0")), "{first}");
    let found = mcp.call("find", json!({ "text": "Order 2100" })).await;
    assert!(found.starts_with("nothing found in what is drawn; `scroll` with `until` draws more of grid"), "{found}");

    let grid = mcp.find("grid", "Orders").await;
    for (asked, says) in [
        (json!({ "ref": grid, "until": "Order 2100" }), &["^the text is there, scrolled 1", "Order", "|2100"][..]),
        (json!({ "ref": grid, "until": "Order 2100" }), &["^the text is there, scrolled 0 times\n"]),
        (json!({ "ref": grid, "y": -600, "until": "order 70" }), &["^the text is there, scrolled"]),
        // The row that is named goes as one scrolls: what is around it is scrolled on.
        (json!({ "ref": "Entry 3", "until": "Entry 999" }), &["^the text is there, scrolled", "Entry 999"]),
        (json!({ "ref": "News 3", "until": "News 55" }), &["^the text is there, scrolled", "News 55"]),
        (json!({ "ref": "News 3", "until": "News 60" }), &["^the text did not appear: scrolled", ", to the end"]),
    ] {
        mcp.says("scroll", asked, says).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn words_are_clicked_and_selected_where_they_stand_in_a_text() {
    let (mut mcp, _) = on("<style>p { width: 600px }</style>
        <div contenteditable id=editor aria-label=Story aria-autocomplete=list>
          <p>He folds down each <b>couch</b>ette with one hand,
          tucks in the sheet with the other.</p><p>Breakfast at Villach</p></div>
        <p id=plain>One <span>two</span> three</p><label>Note <textarea id=note>alpha beta gamma</textarea></label>
        <script>plain.onclick = (e) => log(document.caretRangeFromPoint(e.clientX, e.clientY).startContainer.data)
        </script>")
    .await;
    const SELECTED: &str = "getSelection().toString()";
    mcp.says("click", json!({ "text": "couchette", "kind": "double" }), &["^selected: \"couchette\"\n"]).await;
    let told = mcp.call("select", json!({ "ref": "Story", "option": "each couchette with" })).await;
    assert!(told.starts_with("selected: \"each couchette with\"\n"), "{told}");
    assert_eq!(mcp.value(SELECTED).await, json!("each couchette with"));
    let words = json!({ "ref": "Story", "option": "no such words" });
    mcp.refuses("select", words, &["its text does not say \"no such words\""]).await;
    mcp.call("click", json!({ "text": "three" })).await;
    assert!(mcp.value(LOG).await.as_str().is_some_and(|log| log.contains("three")));
    mcp.says("select", json!({ "ref": "Note", "option": "beta" }), &["^selected: \"beta\"\n"]).await;
    mcp.call("type", json!({ "text": "BETA" })).await;
    assert_eq!(mcp.value("note.value").await, json!("alpha BETA gamma"));
}

#[tokio::test(flavor = "multi_thread")]
async fn sliders_that_a_page_draws_are_set_to_a_value() {
    let (mut mcp, _) = on("<style>.track { width: 200px; height: 20px; background: #ccc }</style>
        <div class=track role=slider tabindex=0 aria-label=Stars aria-valuemin=0 aria-valuemax=5 aria-valuenow=0></div>
        <div style='width:300px;background:#eee'><div id=thumb role=slider tabindex=0 aria-label=Volume aria-valuemin=0
          aria-valuemax=100 aria-valuenow=50 style='width:16px;height:16px;background:#333'></div></div>
        <script>
          const set = (e, v) => { e.ariaValueNow = Math.max(e.ariaValueMin, Math.min(e.ariaValueMax, v));
            log(e.ariaLabel + e.ariaValueNow); };
          document.querySelector('.track').onclick = (e) =>
            set(e.target, Math.ceil((e.clientX - e.target.getBoundingClientRect().x) / 40));
          for (const e of document.querySelectorAll('[role=slider]')) e.onkeydown = (k) => {
            const by = { ArrowRight: 1, ArrowLeft: -1 }[k.key];
            if (by) set(e, Number(e.ariaValueNow) + by * (e === thumb ? 5 : 1));
          };
        </script>")
    .await;
    mcp.says("fill", json!({ "fields": [{ "ref": "Stars", "value": 4 }] }), &[" set\n", "value: \"4\""]).await;
    assert_eq!(mcp.value(LOG).await, json!("Stars4 "), "one press, as by hand");
    mcp.call("fill", json!({ "fields": [{ "ref": "Volume", "value": "35" }] })).await;
    assert_eq!(mcp.value("thumb.ariaValueNow").await, json!("35"));
    for (value, says) in [("37", "37 is none of its values"), ("400", "from 0 to 100"), ("loud", "it is a slider at")] {
        mcp.refuses("fill", json!({ "fields": [{ "ref": "Volume", "value": value }] }), &[says]).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_path_leads_through_a_tree_whose_nodes_are_chosen_by_a_press() {
    let (mut mcp, _) = on("<div role=combobox tabindex=0 aria-label=Desk aria-expanded=false
        aria-haspopup=tree id=desk>None</div><div id=tree role=tree hidden></div>
        <script>
          const leaves = { Nature: ['Science', 'Travel'], Culture: ['Books'] };
          const open = new Set();
          const draw = () => {
            tree.innerHTML = Object.entries(leaves).map(([name, below]) => `<div role=treeitem
              aria-expanded=${open.has(name)}>
              <button tabindex=-1 aria-hidden=true class=toggle data-of=${name}>▸</button><span>${name}</span>
              ${open.has(name) ? below.map((one) => `<div role=treeitem><span>${one}</span></div>`).join('') : ''}
              </div>`).join('');
          };
          desk.onclick = () => { tree.hidden = false; desk.ariaExpanded = true; draw(); };
          tree.onclick = (e) => {
            const of = e.target.dataset.of;
            if (of) { open.has(of) ? open.delete(of) : open.add(of); return draw(); }
            const leaf = e.target.closest('[role=treeitem]').querySelector('span').textContent;
            log(leaf);
            desk.textContent = leaf;
            tree.hidden = true;
            desk.ariaExpanded = false;
          };
        </script>")
    .await;
    let told = mcp.call("select", json!({ "ref": "Desk", "option": "Nature / Travel" })).await;
    assert_eq!(mcp.value(LOG).await, json!("Travel "), "{told}");
    let path = json!({ "ref": "Desk", "option": "Nature / Sports" });
    mcp.refuses("select", path, &["; opened were [\"Nature\"]", "!chosen were"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn several_options_in_one_text_are_chosen_where_several_may_be() {
    let (mut mcp, _) =
        on("<div role=combobox tabindex=0 aria-label=Issues aria-expanded=false aria-controls=list id=box>-</div>
        <div id=list role=listbox aria-multiselectable=true hidden></div>
        <script>
          box.onclick = () => { list.hidden = !list.hidden; box.ariaExpanded = !list.hidden; };
          for (const one of ['May 2026', 'June 2026', 'July 2026']) {
            const e = document.createElement('div');
            [e.role, e.textContent, e.ariaSelected] = ['option', one, false];
            e.onclick = () => { e.ariaSelected = e.ariaSelected !== 'true'; log(one); };
            list.append(e);
          }
        </script>")
        .await;
    let told = mcp.call("select", json!({ "ref": "Issues", "option": "May 2026, July 2026" })).await;
    assert_eq!(mcp.value(LOG).await, json!("May 2026 July 2026 "), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_closed_in_a_menu_that_opens_as_one_points_at_it_is_found_and_opened_by_its_word() {
    let (mut mcp, first) =
        on("<style>li > ul { display: none; position: absolute; background: #fff } li:hover > ul { display: block }
          ul { list-style: none }</style>
        <header><ul><li><span>Desk</span><ul><li><a href=#d>Overview</a></ul>
          <li><span>Production</span><ul><li><a href=#c>Calendar</a><li><span>Registers</span><ul>
            <li><a href=#a>Asset library</a></ul></ul></ul></header>
        <p>Text of the page</p>")
        .await;
    assert!(
        first.contains("2 × clickable collapsed") || first.contains("clickable \"Production\" @e2 collapsed"),
        "{first}"
    );
    let found = mcp.call("find", json!({ "text": "asset lib" })).await;
    assert!(found.contains("closed: \"Asset library\" in \"Registers\" in \"Production\" @e"), "{found}");
    let closed = "closed: \"Asset library\" in \"Registers\" in \"Production\"";
    mcp.refuses("click", json!({ "text": "Asset library" }), &[closed]).await;
    for word in ["Production", "Registers"] {
        mcp.call("click", json!({ "text": word })).await;
    }
    let told = mcp.call("click", json!({ "text": "Asset library" })).await;
    assert_eq!(mcp.value("location.hash").await, json!("#a"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_moves_in_a_shadow_tree_is_waited_for_and_ids_are_of_their_tree() {
    let (mut mcp, _) = on("<two-fields></two-fields><script>
        customElements.define('one-field', class extends HTMLElement { connectedCallback() {
          this.attachShadow({ mode: 'open' }).innerHTML =
            `<label id=label for=input>${this.title}</label><input id=input aria-labelledby=label>`;
          this.removeAttribute('title');
        } });
        customElements.define('two-fields', class extends HTMLElement { connectedCallback() {
          this.attachShadow({ mode: 'open' }).innerHTML = `<button id=shut>Shut</button>
            <div id=box role=dialog aria-label=Form>
            <one-field title=Format></one-field><one-field title=Issues></one-field></div>`;
          const box = this.shadowRoot.getElementById('box');
          this.shadowRoot.getElementById('shut').onclick = async () => {
            box.ariaHidden = 'true';
            await box.animate([{ opacity: 1 }, { opacity: 0 }], 400).finished;
            box.hidden = true;
          };
        } });</script>")
    .await;
    let hidden = |to: &str| {
        let form = "document.querySelector('two-fields').shadowRoot.getElementById('box')";
        json!({ "expression": format!("{form}.ariaHidden = {to}") })
    };
    // Named by its own tree under aria-hidden too.
    mcp.says("evaluate", hidden("'true'"), &["!→ \"Format\""]).await;
    mcp.call("evaluate", hidden("null")).await;
    mcp.says("click", json!({ "text": "Shut" }), &["REMOVED: dialog \"Form\""]).await;
}

const MENUS: &str = "<style>[role=menu] { position: absolute; background: #fff; width: 120px }
      [role=menuitem] { height: 24px }</style>
    <button id=more aria-haspopup=menu aria-expanded=false aria-label=More style='margin-left: 200px'>…</button>
    <div id=menu role=menu hidden style='left: 60px; top: 60px'></div>
    <div id=inner role=menu hidden style='left: 180px; top: 60px'></div>
    <script>
      let x = 0, way = 'left';
      const close = () => { menu.hidden = inner.hidden = true; more.ariaExpanded = false;
        more.removeAttribute('aria-controls'); };
      const item = (name, on) => {
        const e = document.createElement('div');
        [e.role, e.textContent, e.onclick] = ['menuitem', name, on];
        return e;
      };
      const group = (name, below) => {
        const e = item(name, () => {
          inner.replaceChildren(...below.map((one) => item(one, () => { log(one); close(); })));
          inner.hidden = false;
          e.ariaExpanded = true;
          e.setAttribute('aria-controls', 'inner');
        });
        [e.ariaHasPopup, e.ariaExpanded] = ['menu', false];
        // As menus do it that let the pointer go over to what they opened: they look which way it goes.
        e.onpointermove = (move) => { if (move.clientX !== x) way = move.clientX > x ? 'right' : 'left';
          x = move.clientX; };
        e.onpointerleave = () => { if (way !== 'right') { inner.hidden = true; e.ariaExpanded = false; } };
        return e;
      };
      more.onclick = () => {
        menu.replaceChildren(group('Nurses', ['Kofi', 'Elin']), group('Vets', ['Mei']), item('Nobody', () => close()));
        menu.hidden = false;
        more.ariaExpanded = true;
        more.setAttribute('aria-controls', 'menu');
      };
    </script>";

#[tokio::test(flavor = "multi_thread")]
async fn a_path_leads_through_menus_that_stand_elsewhere_and_the_pointer_is_seen_to_go_there() {
    let (mut mcp, _) = on(MENUS).await;
    let told = mcp.call("select", json!({ "ref": "More", "option": "Nurses / Elin" })).await;
    assert_eq!(mcp.value(LOG).await, json!("Elin "), "{told}");
    for text in ["More", "Nurses", "Kofi"] {
        mcp.call("click", json!({ "text": text })).await;
    }
    assert_eq!(mcp.value(LOG).await, json!("Elin Kofi "));
    mcp.refuses("select", json!({ "ref": "More", "option": "Nurses" }), &["\"Nurses\" only opens more"]).await;
}

const CREATES: &str = "<style>.box { position: relative; height: 32px; width: 200px; border: 1px solid }
      input { border: 0; width: 90%; height: 20px } .list { position: absolute; top: 34px; left: 0; right: 0;
      background: #fff; z-index: 1 } .list div { height: 60px }</style>
    <span>Breed</span>
    <div class=box><div id=said class=css-1-placeholder>Choose or type</div>
      <input id=field role=combobox aria-expanded=false aria-autocomplete=list tabindex=0>
      <div id=list class=list role=listbox hidden></div></div>
    <label style='display: block; width: 150px'><input type=checkbox>Fasted</label>
    <script>
      const draw = () => {
        const typed = field.value.trim();
        const known = ['Husky', 'Poodle'].filter((one) => one.toLowerCase().includes(typed.toLowerCase()));
        const names = known.length ? known : [`Create \"${typed}\"`];
        list.replaceChildren(...names.map((name) => {
          const e = document.createElement('div');
          [e.role, e.textContent] = ['option', name];
          e.onmousedown = (down) => { down.preventDefault(); log(name); said.className = 'css-1-singleValue';
            said.textContent = known.length ? name : typed; field.value = ''; field.style.opacity = 0; shut(); };
          return e;
        }));
        list.hidden = false;
        field.ariaExpanded = true;
      };
      const shut = () => { list.hidden = true; field.ariaExpanded = false; };
      field.onmousedown = draw;
      field.oninput = draw;
      field.onkeydown = (e) => { if (e.key === 'Escape') shut(); };
    </script>";

#[tokio::test(flavor = "multi_thread")]
async fn a_list_takes_a_new_entry_and_its_field_is_there_still() {
    let (mut mcp, first) = on(CREATES).await;
    assert!(first.contains("combobox ~\"Choose or type\" @e1") && !first.contains("value: \"Choose"), "{first}");
    let told = mcp.call("select", json!({ "ref": "@e1", "option": "Lynx" })).await;
    assert_eq!(mcp.value(LOG).await, json!("Create \"Lynx\" "), "{told}");
    mcp.says("find", json!({ "role": "combobox" }), &["combobox ~\"Breed\" @e1", "value: \"Lynx\""]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_chooses_from_the_list_that_lies_over_its_next_field() {
    let (mut mcp, _) = on(CREATES).await;
    let fields = json!([{ "ref": "@e1", "value": "Pood" }, { "ref": "Fasted", "value": true }]);
    mcp.says("fill", json!({ "fields": fields }), &["@e1 chosen\n", "@e2 checked\n"]).await;
    assert_eq!(mcp.value(LOG).await, json!("Poodle "));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_box_that_only_a_class_ticks_is_filled_and_what_shows_otherwise_says_so() {
    let (mut mcp, first) = on("<style>.tick { cursor: pointer; width: 200px } .off { cursor: not-allowed }</style>
        <div class=tick onclick='this.classList.toggle(\"checked\")'>Fasted</div>
        <div class=tick onclick='this.classList.toggle(\"pri\")'>15:30</div>
        <div class='tick off' onclick='0'>14:00</div>
        <button class=mini><svg width=20 height=20 class='lucide lucide-bell-ring'>
        <path d='M0 0h20v20z'/></svg></button>
        <button class=mini data-variant=plain><svg width=20 height=20 class='lucide lucide-x'>
        <path d='M0 0h9v9z'/></svg>
        </button>
        <a href=/staff/rota><svg width=20 height=20 class=lucide><path d='M0 0h20v20z'/></svg></a>
        <button role=combobox aria-expanded=false data-placeholder>Insurer</button>
        <label>Send at <input oninput='this.value = \"DD/MM/YYYY\"'></label>
        <canvas aria-label=Sheet width=90 height=40 onclick='0'></canvas>")
    .await;
    let says = ["bell ring", "close", "rota", "Insurer", "disabled", "!lucide", "!value: \"Insurer\""];
    holds("the page", &first, &says);
    for (value, says) in [(true, "pressed; it is on"), (true, "is on already"), (false, "pressed; it is off")] {
        mcp.says("fill", json!({ "fields": [{ "ref": "Fasted", "value": value }] }), &[says]).await;
    }
    let both = json!([{ "ref": "Fasted", "value": false }, { "ref": "15:30", "value": false }]);
    let told = mcp.call("fill", json!({ "fields": both })).await;
    assert_eq!(told.matches("hint: ").count(), 1, "{told}");
    mcp.says("click", json!({ "text": "15:30" }), &["its class changed: +pri", "!nothing changed"]).await;
    let told = mcp.call("fill", json!({ "fields": [{ "ref": "Send at", "value": "2026-03-30" }] })).await;
    assert!(told.contains("typed, and shows \"DD/MM/YYYY\""), "{told}");
    let told = mcp.call("drag", json!({ "from": "Sheet", "at": [5, 5], "by": [40, 10] })).await;
    assert!(told.contains("what a canvas draws is in no text"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_formatted_otherwise_in_an_editor_is_told() {
    let (mut mcp, _) = on("<button onmousedown='event.preventDefault()'
        onclick='document.execCommand(\"bold\")'>B</button>
        <div contenteditable role=textbox aria-label=Notes>Bring <b>water</b> along</div>
        <script>getSelection().selectAllChildren(document.querySelector('b'))</script>")
    .await;
    mcp.says("click", json!({ "text": "B" }), &["^its formatting changed: -b \"water\"\n"]).await;
    mcp.says("press", json!({ "key": "Control+b" }), &["^its formatting changed: +b \"water\"\n"]).await;
    mcp.says("press", json!({ "key": "End" }), &["!formatting", "nothing changed"]).await;
}

/// A list that is not seen while nothing is chosen, one whose options are pressed to be chosen and
/// again to be not, a closed component, a grid whose cells become fields, and a box that clips.
const COMPONENTS: &str = "<style>[role=listbox] { list-style: none } .is-selected { font-weight: bold }</style>
<span id=trip role=combobox tabindex=0 aria-expanded=false style='display:block; height:30px; opacity:0'>&nbsp;</span>
<label for=trip style='position:absolute; top:20px'>Trip</label>
<ul role=listbox id=trips hidden><li role=option>Kyoto<li role=option>Puglia</ul>
<div role=combobox id=tags tabindex=0 aria-label=Tags aria-expanded=false>walking, volcano</div>
<ul role=listbox id=all hidden><li role=option class=is-selected>walking<li role=option class=is-selected>volcano<li
  role=option>whales</ul>
<kardo-picker></kardo-picker>
<div role=grid aria-label=Rates><div role=row><div role=gridcell id=net tabindex=-1>Net 80</div><div role=gridcell
  id=out tabindex=-1>Suite</div></div></div>
<div id=winter style='cursor:pointer; width:200px'><span>Winter sports</span><em></em></div>
<div style='overflow:hidden; height:40px'><p style='height:60px'>June</p><button id=done>Select</button></div>
<script>
  const opens = (box, list, press) => {
    const show = (is) => { list.hidden = !is; box.ariaExpanded = `${is}`; };
    box.onclick = () => show(list.hidden);
    for (const one of list.children) one.onclick = () => press(one, show);
  };
  opens(trip, trips, (one, show) => { trip.textContent = one.textContent; trip.style.opacity = 1; show(false); });
  opens(tags, all, (one) => {
    one.classList.toggle('is-selected');
    tags.textContent = [...all.querySelectorAll('.is-selected')].map((e) => e.textContent.trim()).join(', ');
  });
  customElements.define('kardo-picker', class extends HTMLElement {
    connectedCallback() {
      const root = this.attachShadow({ mode: 'closed' });
      root.innerHTML = '<div style=cursor:pointer>Fjord</div>';
      root.firstChild.onclick = (event) => event.target.classList.toggle('active');
    }
  });
  net.ondblclick = () => {
    net.innerHTML = `<input aria-label=Editor value='${net.textContent}'>`;
    net.firstChild.focus();
    net.firstChild.onkeydown = (event) => {
      if (event.key === 'Enter') { event.preventDefault(); net.textContent = event.target.value; }
    };
  };
  winter.onclick = () => winter.lastChild.classList.toggle('on');
  done.onclick = () => { document.title = 'Selected'; };
</script>";

#[tokio::test(flavor = "multi_thread")]
async fn lists_grids_and_boxes_of_components_are_used_as_they_are_meant() {
    let (mut mcp, first) = on(COMPONENTS).await;
    assert!(first.contains("combobox \"Trip\" @e1 collapsed"), "{first}");
    mcp.says("select", json!({ "ref": "Trip", "option": "Puglia" }), &["value: \"Puglia\""]).await;
    // One that is chosen stays so.
    let tags = json!([{ "ref": "Tags", "value": ["walking", "whales"] }]);
    mcp.says("fill", json!({ "fields": tags }), &["value: \"walking, volcano, whales\""]).await;
    mcp.says("click", json!({ "text": "Fjord" }), &["!instead", "+active"]).await;
    let told = mcp.call("fill", json!({ "fields": [{ "ref": "Winter sports", "value": true }] })).await;
    assert!(told.contains("pressed; it is on") && told.contains("+active") && !told.contains("self-check"), "{told}");
    let cells = json!([{ "ref": "Net 80", "value": "95" }, { "ref": "Suite", "value": "x" }]);
    let told = mcp.says("fill", json!({ "fields": cells }), &["set by a double click and Enter", "→ \"95\""]).await;
    assert!(told.contains("was not set: ") && told.contains("it takes no text"), "{told}");
    let found = mcp.call("find", json!({ "text": "Select" })).await;
    assert!(found.contains("1 outside of what its box shows: `click` by that text scrolls there"), "{found}");
    mcp.says("click", json!({ "text": "Select" }), &["PAGE: Selected"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_editor_is_read_by_lines_and_changed_by_words_and_keys() {
    let (mut mcp, first) = on("<div contenteditable role=textbox aria-label=Notes><p>Two doubles on set.</p>
        <ul><li>Signs</li><li>Checks</li></ul></div><input aria-label=Code autocomplete=one-time-code>")
    .await;
    holds("the page", &first, &["value: \"Two doubles on set.\\n\\nSigns\\nChecks\""]);
    mcp.says("select", json!({ "ref": "Notes", "option": "Two" }), &["^selected: \"Two\"\n"]).await;
    mcp.says("type", json!({ "text": "Three" }), &["value: \"Three doubles on set.\\n\\nSigns\\nChecks\""]).await;
    mcp.says("press", json!({ "key": "ArrowLeft" }), &["^caret: \"Thre|e doubles on set.\"\n", "nothing changed"])
        .await;
    let keys = json!({ "key": "End Home ArrowRight*6 Shift+ArrowRight*7" });
    mcp.says("press", keys, &["^selected: \"doubles\"\n"]).await;
    mcp.says("press", json!({ "key": "Ctrl+b" }), &["its formatting changed: +b \"doubles\""]).await;
    mcp.refuses("press", json!({ "key": "Home Entr" }), &["\"Entr\" is no key"]).await;
    mcp.refuses("press", json!({ "key": "Home ArrowLeft*500" }), &["at most 500 keys"]).await;
    mcp.call("evaluate", json!({ "expression": "document.activeElement.blur()" })).await;
    mcp.says("type", json!({ "text": "lost" }), &["^nothing has the focus", "nothing changed"]).await;
    // Where the caret is in a secret is none of anybody's business.
    mcp.says("type", json!({ "ref": "Code", "text": "774411" }), &["!774411"]).await;
    mcp.says("press", json!({ "key": "ArrowLeft*3" }), &["!caret", "!774", "!411"]).await;
    mcp.says("press", json!({ "key": "Shift+Home" }), &["!selected", "!774"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_page_sends_is_told_and_what_a_menu_does_to_the_row_that_it_was_opened_from() {
    let (mut mcp, _) =
        on("<div class=row><span>Generator</span><button onclick='menu.hidden = false'>More</button></div>
        <div role=menu id=menu hidden><div role=menuitem tabindex=0>Snooze</div></div>
        <script>menu.firstElementChild.onclick = async () => {
          menu.remove();
          await Promise.all(['/kept?id=7', '/asked'].map((url, at) => fetch(url, { method: at ? 'GET' : 'POST' })));
          document.querySelector('.row').className = 'row css-1a2b3c snoozed';
        }</script>")
        .await;
    mcp.says("click", json!({ "text": "More" }), &["menuitem \"Snooze\"", "!sent: "]).await;
    let says = ["sent: POST /kept 200\n", "the class of what it is in changed: +snoozed\n", "!/asked", "!css-"];
    mcp.says("click", json!({ "text": "Snooze" }), &says).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_open_dialog_sets_aside_stays_as_it_was_told() {
    let (mut mcp, first) = on("<style>.away { opacity: 0 }</style><div id=root><h1>Crew</h1>
        <div role=grid tabindex=-1 aria-rowcount=90><div role=presentation style='height:90px; overflow:auto'>
          <div role=row><div role=gridcell tabindex=-1>Ada</div><div role=gridcell tabindex=-1>410</div>
            <div role=gridcell tabindex=-1><button onclick='ask()'>Review</button></div></div>
          <div role=row><div role=gridcell tabindex=-1>Bo</div><div role=gridcell tabindex=-1>395</div>
            <div role=gridcell tabindex=-1><button>Review</button></div></div></div></div>
        <label>Rate <input type=range class=away value=8></label> <label><input type=checkbox class=away>Urgent</label>
        <div role=combobox tabindex=0 aria-label=Rows aria-expanded=false>100</div>
        <div role=combobox tabindex=0 aria-label=Kind aria-expanded=false>&#8203;</div></div>
        <script>const ask = () => { root.setAttribute('aria-hidden', 'true');
          document.body.insertAdjacentHTML('beforeend', `<div role=dialog aria-modal=true aria-label=Review
          style='position:fixed; inset:40px; height:60px; width:200px'><div style='position:relative'><input
          aria-label=Note><fieldset aria-hidden=true style='position:absolute; inset:0'><legend>Note</legend></fieldset>
          </div></div>`); }</script>")
    .await;
    holds("the page", &first, &["grid @", "partial", "slider", "checkbox \"Urgent\"", "value: \"100\"", "!200b"]);
    let says = ["dialog \"Review\" modal", "textbox \"Note\"", "!REMOVED", "!NOW in", "!CHANGED", "!group", "!Ada"];
    mcp.says("click", json!({ "text": "Review", "in": "Ada" }), &says).await;
}
