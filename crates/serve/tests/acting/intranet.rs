//! Pages of offices: editors in frames, cells that are clicked, masks, pickers, dialogs that come by
//! themselves.

use super::common::holds;
use super::on;
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn the_text_of_an_editor_in_a_frame_is_a_field_that_is_called_as_the_frame_is() {
    let page = "<iframe title='Rich Text Area' srcdoc='<body contenteditable=true id=tinymce><p><br></p></body>'>
      </iframe>";
    let (mut mcp, first) = on(page).await;
    holds("the page", &first, &["iframe \"Rich Text Area\": textbox ~\"Rich Text Area\" @e1"]);
    let fields = json!({ "fields": [{ "text": "Rich Text Area", "value": "Lift B is closed" }] });
    mcp.says("fill", fields, &["@e1 set", "Lift B is closed"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn cells_without_a_word_are_found_with_refs_and_a_click_by_role_alone_is_no_guess() {
    let row = |name: &str| format!("<tr><td><a href=#>+</a><td class=pick><td>{name}</tr>");
    let rows: String = ["Elm", "Oak", "Fir"].into_iter().map(row).collect();
    let heads = "<tr><th>More<th>Pick<th>Room</tr>";
    let page = format!(
        "<style>td {{ width: 60px; height: 20px }}</style><table id=t>{heads}{rows}</table><p id=out></p><script>
        t.addEventListener('mousedown', (event) => {{ if (event.target.className === 'pick')
          out.textContent = 'picked ' + event.target.parentNode.innerText; }});</script>"
    );
    let (mut mcp, _) = on(&page).await;
    let found = mcp.call("find", json!({ "role": "cell", "in": "Oak" })).await;
    let empty = found.lines().find(|line| line.starts_with("- cell @e")).expect("a cell without a word");
    let cell = empty.split(' ').nth(2).expect("its ref").to_owned();
    mcp.refuses("click", json!({ "role": "cell", "in": "Oak" }), &["found: ", &cell, "one of these refs"]).await;
    mcp.says("click", json!({ "ref": cell }), &["picked +"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_dialog_covers_that_came_by_itself_says_which_and_how_it_is_answered() {
    let page = "<button id=save>Save</button><script>setTimeout(() => document.body.insertAdjacentHTML('beforeend',
      `<div style='position:fixed;inset:0;background:#0008'></div><div role=dialog aria-label='Session expires'
      style='position:fixed;top:200px;background:#fff'>Still there? <button>Stay signed in</button></div>`), 700);
      </script>";
    let (mut mcp, _) = on(page).await;
    tokio::time::sleep(std::time::Duration::from_millis(900)).await;
    let said = ["it is covered by <div>; open: dialog \"Session expires\", button \"Stay signed in\" @e2"];
    mcp.refuses("click", json!({ "ref": "@e1" }), &said).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn masks_are_filled_key_by_key_and_pickers_hear_that_a_key_came_up() {
    let page = "<input id=mask aria-label=Days value='_._'><input id=date aria-label=Date><input aria-label=Other>
      <script>
      let kept = '', digits = '';
      mask.addEventListener('beforeinput', (event) => {
        event.preventDefault();
        if (event.inputType.startsWith('delete') || mask.selectionEnd - mask.selectionStart > 1) digits = '';
        digits = (digits + (event.data ?? '').replace('.', '').slice(0, 1)).slice(0, 2);
        mask.value = `${digits[0] ?? '_'}.${digits[1] ?? '_'}`;
        mask.setSelectionRange(3, 3);
      });
      date.addEventListener('keyup', () => { kept = date.value; });
      date.addEventListener('blur', () => { date.value = kept; });</script>";
    let (mut mcp, _) = on(page).await;
    let fields = json!({ "fields": [{ "ref": "@e1", "value": "2.7" }, { "ref": "@e2", "value": "24.06.2025" },
        { "ref": "@e3", "value": "end" }] });
    mcp.says("fill", fields, &["1 Days |2.7\n", "2 Date |24.06.2025\n", "!shows", "!selected"]).await;
    let fields = json!({ "fields": [{ "ref": "@e1", "value": "3.75" }] });
    mcp.says("fill", fields, &["@e1 typed, and shows \"3.7\""]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_number_is_typed_once() {
    let (mut mcp, _) = on("<input type=password aria-label=PIN oninput='log(\"typed\")'>").await;
    let fields = json!({ "fields": [{ "ref": "@e1", "value": "1234" }] });
    mcp.says("fill", fields, &["@e1 set", "typed", "!typed typed", "!1234"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pictures_handles_and_parts_of_libraries_are_called_by_what_they_are() {
    let page = "<input type=image src=/img/find-supplier.gif width=20 height=20><div><span
      class='ui-slider-handle ui-state-default' tabindex=0
      style='display:inline-block;width:20px;height:20px'></span></div>
      <i class='jstree-icon jstree-checkbox' tabindex=0 onclick='1'
      style='display:inline-block;width:20px;height:20px'></i>
      <div class='opt sel' onclick='1'>16-inch</div><div class=opt onclick='1'>14-inch</div>";
    let (_, first) = on(page).await;
    holds("the page", &first, &["button ~\"find supplier\"", "~slider handle |", "~checkbox |", "16-inch [active]"]);
}
