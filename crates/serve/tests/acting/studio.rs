//! What agents stumbled over in a content studio and a control room: editors that hold controls, lists
//! under their labels, file choosers, pickers that wait for a key.

use super::common::holds;
use super::on;
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn an_editor_tells_the_controls_in_it_and_its_lines_as_they_are() {
    let editor = "<div role=textbox aria-label=Body contenteditable><p>First.</p><p>Second <a href=#x>link</a>.</p>
      <div contenteditable=false><img src=data:,><input placeholder='Write a caption'><button>Remove</button></div>
      </div>
      <div role=textbox aria-label=Style contenteditable><div>a {</div><div><br></div><div>}</div></div>
      <div role=dialog aria-label=Sure style='display:none;position:fixed;inset:0;background:#fff'><button>Yes</button>
      </div><button onclick=\"for (const e of document.querySelectorAll('[role=textbox]')) e.ariaHidden = true;
      document.querySelector('[role=dialog]').style.display = 'block'\">Ask</button>";
    let (mut mcp, first) = on(editor).await;
    let shows = [
        "textbox \"Body\" @e1 value: \"First.\\n\\nSecond link.\": textbox \"Write a caption\" @e2, button \"Remove\" \
         @e3",
        "textbox \"Style\" @e4 value: \"a {\\n\\n}\"",
    ];
    holds("the page", &first, &shows);
    mcp.says("fill", json!({ "fields": [{ "ref": "@e2", "value": "The harbour" }] }), &["@e2 set", "!@e1"]).await;
    // What lies behind a dialog stays as it is, and the dialog says that it is modal.
    mcp.says("click", json!({ "text": "Ask" }), &["dialog \"Sure\" modal", "!value: \"\"", "!covered"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_is_opened_at_its_box_and_not_at_its_label() {
    let list = "<style>.box { position: relative; width: 200px; height: 30px; border: 1px solid }
      input { position: absolute; inset: 0; opacity: 0 } .is { position: absolute; inset: 0 }</style>
      <label for=service>Service</label><div class=box onmousedown=\"list.hidden = !list.hidden;
      service.ariaExpanded = !list.hidden\"><span class=search><input id=service role=combobox readonly
      aria-expanded=false aria-controls=list></span><span class=is id=is>Standard</span></div>
      <div id=list role=listbox hidden><div role=option onclick=\"is.textContent = 'Express'; list.hidden = true;
      service.ariaExpanded = false\">Express</div></div>";
    let (mut mcp, _) = on(list).await;
    mcp.says(
        "fill",
        json!({ "fields": [{ "ref": "Service", "value": "Express" }] }),
        &["chosen", "value: \"Express\""],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn icons_with_handlers_are_called_by_their_class_and_changes_of_a_text_are_told_apart() {
    let icon = |name: &str| {
        format!(
            "<div class=ib onclick='1' style='display:inline-block;cursor:pointer'><svg class='lucide lucide-{name}'
            width=16 height=16 aria-hidden=true><path d='M2 8h12'></path><circle cx=8 cy=8 r=3></circle></svg></div>"
        )
    };
    let both = format!("<li>{}{}</li>", icon("eye"), icon("pencil"));
    let page = format!("<ul onclick='1'>{both}{both}</ul><p>They are <del>largely</del><ins>mostly</ins> copper.</p>");
    let (_, first) = on(&page).await;
    holds("the page", &first, &["eye", "pencil", "!circle", "deletion \"largely\", insertion \"mostly\""]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_click_that_asks_for_files_says_so() {
    let page = "<button onclick='file.click()'>Browse</button><input type=file id=file hidden><button>Else</button>";
    let (mut mcp, _) = on(page).await;
    mcp.says("click", json!({ "text": "Browse" }), &["it opened a file chooser", "`upload`"]).await;
    mcp.says("click", json!({ "text": "Else" }), &["!file chooser"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_field_that_takes_its_text_back_when_it_is_left_says_so() {
    let picker = "<label>From <input id=from value=17:30></label> <label>Until <input></label><script>
      let kept = from.value; from.onblur = () => from.value = kept;
      from.onkeydown = (event) => { if (event.key == 'Enter') kept = from.value; };</script>";
    let (mut mcp, _) = on(picker).await;
    let fields = json!([{ "ref": "@e1", "value": "18:15" }, { "ref": "@e2", "value": "19:00" }]);
    let told = "@e1 typed, and when it was left it showed \"17:30\"";
    mcp.says("fill", json!({ "fields": fields }), &[told, "with submit", "@e2 set"]).await;
    mcp.says("type", json!({ "ref": "@e1", "text": "18:15", "submit": true }), &["18:15"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_field_that_another_keeps_the_focus_from_says_which() {
    let range = "<input id=begin aria-label=Begin> <input aria-label=End onfocus='begin.focus()'>";
    let (mut mcp, _) = on(range).await;
    let refused = ["it stays in <input id=\"begin\">", "`press` Enter in that field"];
    mcp.refuses("fill", json!({ "fields": [{ "ref": "End", "value": "16:00" }] }), &refused).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_looked_for_may_be_a_state_or_lie_in_a_role_or_a_row_of_a_number() {
    let rows: String = [("Ada", "<button>More</button>"), ("Ben", ""), ("Cleo", "<button>More</button>")]
        .map(|(name, more)| {
            format!(
                "<tr><th scope=row>{name}<td>{more}<td><input type=checkbox aria-label=Read><td><input type=checkbox
                aria-label=Write checked>"
            )
        })
        .concat();
    let page = format!(
        "<a href=#m>Media</a><div role=menu><div role=menuitem tabindex=0>Media</div></div>
        <table><caption>Roles</caption>{rows}</table>
        <div style='position:absolute;left:300px;top:200px;width:20px;height:20px'>Pin</div>"
    );
    let (mut mcp, first) = on(&page).await;
    holds("the page", &first, &["3 × row"]);
    mcp.says("find", json!({ "text": "checked" }), &["nothing says that; 3 in that state", "checkbox \"Write\""]).await;
    mcp.says("click", json!({ "text": "Media", "in": "menu" }), &["FOCUS: @e2"]).await;
    mcp.says("find", json!({ "text": "Pin" }), &["\"Pin\" at 310, 210"]).await;
    let row = first.lines().find_map(|line| line.split_once(" Ben")).map(|(number, _)| format!("@e{number}"));
    let of_row = json!({ "in": row.unwrap_or_else(|| panic!("{first}")), "role": "checkbox" });
    mcp.says("find", of_row, &["2 found", "checkbox \"Read\"", "checkbox \"Write\""]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_dropped_on_the_wrong_side_says_so() {
    let sortable =
        "<ul id=list><li draggable=true>One</li><li draggable=true>Two</li><li draggable=true>Three</li></ul>
      <script>let held; list.ondragstart = (event) => held = event.target; list.ondragover = (e) => e.preventDefault();
      list.ondrop = (event) => event.target.after(held);</script>";
    let (mut mcp, _) = on(sortable).await;
    let drag = json!({ "from": "Three", "to": "One", "place": "before" });
    mcp.says("drag", drag, &["it stands after that now, not before it"]).await;
    mcp.says("drag", json!({ "from": "Two", "to": "One", "place": "after" }), &["!not "]).await;
}
