//! Forms: fields, options, keys, what is dragged, and what stops a form.

use super::*;
use serde_json::Value;

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
        mcp.says("click", json!({ "text": own }), &["!not sent"]).await;
    }
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
    let size = mcp.find("combobox", "Size").await;
    mcp.says("select", json!({ "ref": size, "option": "Large" }), &["Large"]).await;
    mcp.refuses("select", json!({ "ref": size, "option": "Huge" }), &[&size, "Small", "Large", "hint: "]).await;
    let trees = mcp.find("listbox", "Trees").await;
    mcp.says("select", json!({ "ref": trees, "option": ["Alder", "Cedar"] }), &["Alder+Cedar"]).await;
    let town = mcp.find("combobox", "Town").await;
    // Filtered by typing.
    mcp.says("select", json!({ "ref": town, "option": "Town 37" }), &["chose-Town 37"]).await;
    mcp.refuses("select", json!({ "ref": town, "option": "Atlantis" }), &[&town, "hint: "]).await;
    // A text that only searches the list is not chosen; one that it offers is, and what cannot be typed.
    let fill = |value: &str| json!({ "fields": [{ "ref": town, "value": value }] });
    let open = format!("^{town} typed; its list is open: `select` chooses from it\n[DELTA");
    mcp.says("fill", fill("Town"), &[&open, "option"]).await;
    mcp.says("fill", fill("Town 2"), &[&format!("^{town} chosen\n[DELTA"), "chose-Town 2"]).await;
    mcp.call("evaluate", json!({ "expression": "field.readOnly = true" })).await;
    mcp.says("fill", fill("Town 21"), &[&format!("^{town} chosen\n"), "chose-Town 21"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_option_of_a_list_that_unfolds_is_pressed_where_it_comes_to_rest() {
    let (mut mcp, _) = on("<style>#list { transform-origin: top; width: 200px; margin: 0; padding: 0 }
           #list.opens { animation: unfold 400ms 40ms both } @keyframes unfold { from { transform: scaleY(0); \
         opacity: 0 } }
           li { height: 34px; list-style: none } #popup { height: 0 }</style>
         <input role=combobox readonly aria-label=House aria-controls=list aria-expanded=false>
         <div id=popup><ul role=listbox id=list hidden>\
         <li role=option>Alder<li role=option>Birch<li role=option>Cedar<li role=option>Elm<li role=option>Fir</ul>\
         </div>
         <script>const field = document.querySelector('input'), list = document.getElementById('list');
           const show = (on) => { list.hidden = !on; list.className = on ? 'opens' : ''; field.ariaExpanded = on; };
           field.onclick = () => show(list.hidden);
           list.onclick = (event) => { field.value = event.target.textContent; show(false); };</script>")
    .await;
    let house = mcp.find("combobox", "House").await;
    for tree in ["Fir", "Cedar", "Birch", "Elm", "Alder"] {
        mcp.call("select", json!({ "ref": house, "option": tree })).await;
        assert_eq!(mcp.value("field.value").await, json!(tree));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_path_through_a_tree_leaves_open_what_is_open() {
    let (mut mcp, _) = on("<input role=combobox readonly aria-label=Centre aria-controls=tree aria-expanded=false>
         <div id=tree role=tree hidden></div><script>
           const field = document.querySelector('input'), tree = document.getElementById('tree');
           const show = (on) => { tree.hidden = !on; field.ariaExpanded = on; };
           field.onclick = () => show(tree.hidden);
           const node = (into, name, below) => {
             const item = document.createElement('div'); item.role = 'treeitem'; into.append(item);
             const label = document.createElement('div'); label.role = 'option'; label.textContent = name;
             item.append(label);
             const group = document.createElement('div'); group.role = 'group'; group.hidden = true; item.append(group);
             if (below.length) item.ariaExpanded = 'false';
             label.onclick = (event) => {
               event.stopPropagation();
               if (!below.length) { field.value = name; show(false); return; }
               group.hidden = !group.hidden; item.ariaExpanded = String(!group.hidden);
             };
             below.forEach(([name, below]) => node(group, name, below));
           };
           node(tree, 'Homes', [['North', [['N1', []], ['N2', []]]], ['South', [['S1', []]]]]);
           node(tree, 'Shops', []);</script>")
    .await;
    let centre = mcp.find("combobox", "Centre").await;
    for (path, leaf) in [("Homes / North / N2", "N2"), ("Homes / South / S1", "S1"), ("Homes / North / N1", "N1")] {
        mcp.call("select", json!({ "ref": centre, "option": path })).await;
        assert_eq!(mcp.value("field.value").await, json!(leaf), "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_switch_without_a_box_is_pressed_where_it_is_drawn() {
    let (mut mcp, _) = on("<label for=pets>Pets</label><div id=drawn><input id=pets type=checkbox role=switch \
         style='position:absolute;opacity:0;width:0;height:0;margin:0'>\
         <span style='display:inline-block;width:40px;height:20px;background:#ccc'></span></div><script>
           let on = false; const field = document.getElementById('pets');
           document.getElementById('drawn').onclick = (event) => { event.preventDefault(); on = !on;
             queueMicrotask(() => { field.checked = on; }); };</script>")
    .await;
    let pets = mcp.find("switch", "Pets").await;
    for on in [true, false, true] {
        mcp.call("fill", json!({ "fields": [{ "ref": pets, "value": on }] })).await;
        assert_eq!(mcp.value("[on, field.checked]").await, json!([on, on]));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_within_lists_take_a_path_also_where_what_is_chosen_lies_over_the_field() {
    let (mut mcp, _) = on("<div style='position:relative; width:200px'><span><span><input role=combobox readonly \
         aria-label=Berth aria-controls=lists aria-expanded=false style='opacity:0; width:180px'></span></span>\
         <span id=now style='position:absolute; inset:0; background:#fff'>None</span></div>\
         <div id=lists hidden><ul role=menu></ul><ul role=menu></ul></div>\
         <div role=slider tabindex=0 aria-label=Speed aria-valuenow=7 aria-valuemin=0 aria-valuemax=12 \
         style='width:90px; height:9px'></div>\
         <script>
           const field = document.querySelector('input'), lists = document.getElementById('lists');
           const now = document.getElementById('now'), show = (on) => { lists.hidden = !on; field.ariaExpanded = on; };
           const fill = (list, names, chosen) => list.replaceChildren(...names.map((name) => {
             const item = document.createElement('li'); item.role = 'menuitemcheckbox'; item.textContent = name;
             item.onclick = () => chosen(name); return item; }));
           const berths = { North: ['N1', 'N2'], East: ['E1', 'E2'] };
           fill(lists.children[0], Object.keys(berths), (basin) => fill(lists.children[1], berths[basin], (berth) => {
             now.textContent = basin + ' / ' + berth; show(false); }));
           now.parentElement.onmousedown = (event) => { event.preventDefault(); show(lists.hidden); };
         </script>")
    .await;
    let berth = mcp.find("combobox", "Berth").await;
    mcp.says("select", json!({ "ref": berth, "option": "East / E2" }), &["East / E2"]).await;
    assert_eq!(mcp.value("now.textContent").await, "East / E2");
    mcp.call("select", json!({ "ref": berth, "option": ["North", "N1"] })).await;
    assert_eq!(mcp.value("now.textContent").await, "North / N1");
    mcp.refuses("select", json!({ "ref": berth, "option": "East / E9" }), &["E9", "of lists within lists"]).await;
    // A slider that neither the pointer nor keys move says so, and what moves others.
    let speed = mcp.find("slider", "Speed").await;
    let nine = json!({ "fields": [{ "ref": speed, "value": "9" }] });
    mcp.refuses("fill", nine, &["it is a slider and stays at 7", "ArrowRight"]).await;
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
        refs.push(mcp.find(role, name).await);
    }
    let field = |nth: usize, value: Value| json!({ "ref": refs[nth], "value": value });
    let fields = json!([field(0, json!("Ada")), field(1, json!(36)), field(2, json!(true)), field(3, json!("Large"))]);
    let told = mcp.call("fill", json!({ "fields": fields })).await;
    for (nth, said) in [(0, "set"), (1, "set"), (2, "checked"), (3, "chosen")] {
        assert!(told.contains(&format!("{} {said}\n", refs[nth])), "{told}");
    }
    // What came of all fields is told once.
    assert!(told.matches("\n[").count() == 1 && told.contains("value: \"Ada\""), "{told}");
    let now = "[...document.querySelectorAll('input, select')].map((f) => f.type === 'checkbox' ? f.checked : f.value)";
    assert_eq!(mcp.value(now).await, json!(["Ada", "36", true, "Large", ""]));
    let fields = json!([field(0, json!("Eve")), field(4, json!("x")), field(5, json!("still"))]);
    let told = mcp.call("fill", json!({ "fields": fields })).await;
    assert!(told.starts_with(&format!("{} set\n{} was not set: ", refs[0], refs[4])), "{told}");
    assert!(told.contains(&format!("\n{} set\n", refs[5])), "{told}");
    assert_eq!(mcp.value("document.querySelector('textarea').value").await, json!("still"));
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_go_to_what_has_the_focus_and_as_often_as_is_said() {
    let (mut mcp, _) =
        on("<label>Level <input type=range min=0 max=100 value=0 oninput='log(this.value)'></label><label>Name \
            <input></label>")
        .await;
    let level = mcp.find("slider", "Level").await;
    mcp.says("press", json!({ "ref": level, "key": "ArrowRight", "times": 19 }), &["19"]).await;
    assert_eq!(mcp.value("document.querySelector('[type=range]').value").await, json!("19"));
    let name = mcp.find("textbox", "Name").await;
    mcp.call("click", json!({ "ref": name })).await;
    mcp.call("type", json!({ "text": "Ada" })).await;
    mcp.call("press", json!({ "key": "Backspace", "times": 2 })).await;
    assert_eq!(mcp.value("document.querySelectorAll('input')[1].value").await, json!("A"));
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
    holds("the page", &first, &["Alder", "Birch", "Cedar", "Dogwood", "Card"]);
    let mut refs = Vec::new();
    for name in ["Alder", "Birch", "Cedar", "Dogwood", "Card", "Bin", "Pad"] {
        refs.push(mcp.find("", name).await);
    }
    mcp.says("drag", json!({ "from": refs[0], "to": refs[2], "place": "after" }), &["Birch-Cedar-Alder-Dogwood"]).await;
    mcp.says("drag", json!({ "from": refs[3], "to": refs[1], "place": "before" }), &["Dogwood-Birch-Cedar-Alder"])
        .await;
    mcp.says("drag", json!({ "from": refs[4], "to": refs[5] }), &["dropped-card"]).await;
    mcp.says("drag", json!({ "from": refs[6], "by": [60, 30], "at": [20, 20] }), &["line-20,20-80,50"]).await;
    mcp.refuses("drag", json!({ "from": refs[0] }), &["`to` or `by` is missing"]).await;
    mcp.refuses("drag", json!({ "by": [1, 1] }), &["`from` or `at` is missing"]).await;
    // By what they say, and by a point of the viewport alone.
    mcp.says("drag", json!({ "from": "Cedar", "to": "Dogwood", "place": "before" }), &["Cedar-Dogwood-Birch-Alder"])
        .await;
    let middle = "(() => { const r = list.lastElementChild.getBoundingClientRect(); return [r.x + 50, r.y + 9]; })()";
    let at = mcp.value(middle).await;
    mcp.says("drag", json!({ "at": at, "by": [0, -200] }), &["Alder-Cedar-Dogwood-Birch"]).await;
    mcp.refuses("drag", json!({ "from": refs[6], "at": [-5, 5], "by": [9, 9] }), &["outside of its box (200×100)"])
        .await;
}

/// Two lists that are sorted as libraries do it: by grips, with a placeholder that makes room in
/// the list over which the pointer is.
const TWO_LISTS: &str = "<style>li{height:30px} ul{min-height:30px;padding:0;width:240px} \
    .grip{cursor:move;padding:6px}</style>\
    <ul id=a><li><span class=grip>⋮</span> <span>One</span><li><span class=grip>⋮</span> <span>Two</span>\
    <li><span class=grip>⋮</span> <span>Three</span></ul>\
    <ul id=b><li><span class=grip>⋮</span> <span>Four</span><li><span class=grip>⋮</span> <span>Five</span></ul>
    <script>
      const lists = [...document.querySelectorAll('ul')];
      const words = () => log(lists.map((list) => list.innerText.match(/[A-Z]\\w+/g).join('-')).join(' '));
      onpointerdown = (down) => {
        if (!down.target.matches('.grip')) return;
        down.preventDefault();
        const item = down.target.parentElement, room = document.createElement('li');
        item.before(room);
        Object.assign(item.style, { position: 'absolute', pointerEvents: 'none' });
        onpointermove = (move) => {
          item.style.top = move.clientY + 'px';
          const y = move.clientY, inside = (box) => y >= box.top && y <= box.bottom;
          const over = [...document.querySelectorAll('li')].find((one) => one !== item && one !== room
            && inside(one.getBoundingClientRect()));
          if (!over) return;
          const box = over.getBoundingClientRect();
          over[y > box.top + box.height / 2 ? 'after' : 'before'](room);
        };
        onpointerup = () => { onpointermove = onpointerup = null; room.replaceWith(item); item.style = ''; words(); };
      };
    </script>";

#[tokio::test(flavor = "multi_thread")]
async fn what_has_a_grip_is_dragged_by_it_into_another_list_too() {
    let (mut mcp, first) = on(TWO_LISTS).await;
    let grips: Vec<String> = (1..=5).map(|number| format!("@e{number}")).collect();
    assert!(first.contains("5") && !first.contains("@e6"), "{first}");
    let beside = |from: usize, to: usize, place: &str| json!({ "from": grips[from], "to": grips[to], "place": place });
    mcp.says("drag", beside(0, 1, "after"), &["Two-One-Three Four-Five"]).await;
    mcp.says("drag", beside(2, 1, "before"), &["Three-Two-One Four-Five"]).await;
    mcp.says("drag", beside(1, 4, "after"), &["Three-One Four-Five-Two"]).await;
    mcp.says("drag", beside(0, 3, "before"), &["Three One-Four-Five-Two"]).await;
    mcp.says("drag", beside(4, 2, "before"), &["Five-Three One-Four-Two"]).await;
    // By what they say: the item is what moves.
    mcp.says("drag", json!({ "from": grips[3], "to": "Three", "place": "after" }), &["Five-Three-Four One-Two"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_field_that_a_dialog_keeps_from_the_focus_is_said_to_be_covered() {
    let (mut mcp, _) = on("<input aria-label=Search><div id=news style='position:fixed;inset:0;background:#fff'>News \
        <button id=got>Got it</button></div><script>addEventListener('focusin', (event) => {
          if (!news.contains(event.target)) got.focus();
        });</script>")
    .await;
    let field = mcp.find("textbox", "Search").await;
    mcp.refuses("type", json!({ "ref": field, "text": "x" }), &["it is covered by <div id=\"news\">"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_field_in_the_box_of_a_combobox_is_filled() {
    let (mut mcp, first) = on("<div role=combobox aria-label=City aria-expanded=false><input role=textbox value=Oslo \
        onchange='log(`to-${value}`)'></div>")
    .await;
    assert!(first.contains("combobox \"City\" collapsed: textbox @e"), "{first}");
    let field = mcp.find("textbox", "").await;
    mcp.says("fill", json!({ "fields": [{ "ref": field, "value": "Rome" }] }), &["value: \"Rome\""]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_is_held_while_one_clicks_and_a_grip_has_a_ref() {
    let held = "log(`held-${event.shiftKey}-${event.ctrlKey}`)";
    let (mut mcp, first) = on(&format!(
        "<button onclick='{held}'>Row</button><ul><li><span style='cursor:move' title=Drag>⋮⋮</span> Alder</ul>"
    ))
    .await;
    assert!(first.contains("clickable \"Drag\" @e2 \"Alder\""), "{first}");
    mcp.says("click", json!({ "text": "Row", "kind": "shift" }), &["held-true-false"]).await;
    mcp.says("click", json!({ "text": "Row", "kind": "control" }), &["held-false-true"]).await;
    mcp.says("click", json!({ "text": "Row" }), &["held-false-false"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_number_chooses_an_option_and_a_form_that_stops_tells_what_the_page_is_like() {
    let (mut mcp, _) = on("<label>Name <input oninput='log(\"named\")'></label><label>Count \
            <select><option>1<option>2<option>3</select></label>\
         <label>Gone <select onfocus='log(1)' onmousedown='log(\"touched\")' disabled><option>1</select></label>")
    .await;
    let name = mcp.find("textbox", "Name").await;
    let count = mcp.find("combobox", "Count").await;
    let gone = mcp.find("combobox", "Gone").await;
    mcp.says("fill", json!({ "fields": [{ "ref": count, "value": 3 }] }), &[&format!("^{count} chosen\n")]).await;
    assert_eq!(mcp.value("document.querySelector('select').value").await, json!("3"));
    let fields = json!([{ "ref": name, "value": "Ada" }, { "ref": gone, "value": 1 }]);
    mcp.says(
        "fill",
        json!({ "fields": fields }),
        &[&format!("^{name} set\n{gone} was not set: {gone} (combobox \"Gone\")"), "\nhint: ", "\n[DELTA", "named"],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_form_takes_back_is_told_at_its_end() {
    let (mut mcp, _) = on("<input aria-label=From onblur='if (!this.value.includes(\".\")) this.value = \"\"'>
        <input aria-label=Mail onblur='this.ariaInvalid = !this.value.includes(\"@\")'><input aria-label=Note>
        <input role=combobox aria-label=Lamp aria-expanded=false aria-controls=lamps onblur='this.value = \"\"'
          oninput='setTimeout(() => { lamps.hidden = false; this.ariaExpanded = \"true\" }, 700)'>
        <div id=lamps role=listbox hidden><div role=option onmousedown='event.preventDefault(); log(\"took M18\");
          lamps.hidden = true'>M18</div></div>")
    .await;
    let fields = [("Lamp", "M18"), ("From", "2027-03-08"), ("Mail", "ada"), ("Note", "calm")];
    let fields = fields.map(|(field, value)| json!({ "ref": field, "value": value }));
    let says =
        [" chosen\n", "took M18", " typed, and shows nothing now\n", " set, and the page calls it invalid\n", " set\n"];
    mcp.says("fill", json!({ "fields": fields }), &says).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn enter_that_only_begins_a_line_is_told() {
    let (mut mcp, _) =
        on("<textarea aria-label=Note></textarea><textarea aria-label=Chat onkeydown=\"if (event.key === \
         'Enter') { event.preventDefault(); log('sent ' + this.value); this.value = ''; }\"></textarea>")
        .await;
    for (name, told) in [("Note", "Enter only began a line in @e"), ("Chat", "!began")] {
        let field = mcp.find("textbox", name).await;
        mcp.says("type", json!({ "ref": field, "text": "hello", "submit": true }), &[told]).await;
    }
}
