//! What agents stumbled over in an insurer's portal and a mail suite: lists that unfold, toggles and
//! sliders that components draw, what a dialog hides from readers of the screen, clocks.

use super::common::holds;
use super::on;
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn of_a_list_that_unfolds_the_option_is_chosen_and_not_the_middle_of_the_list() {
    let list = "<style>@keyframes in { from { opacity: 0; transform: scaleY(.8) } } .open { animation: in .2s }
      .pane { position: fixed; top: 40px; width: 300px } mat-option { display: block; height: 48px }</style>
      <div id=policy role=combobox aria-label=Policy aria-expanded=false tabindex=0>&nbsp;</div><div id=pane></div>
      <script>const names = ['MF-778 — Motor, Octavia', 'MF-779 — Motor, Panda', 'HH-204 — Household'];
      policy.onclick = () => {
        policy.ariaExpanded = true;
        pane.innerHTML = '<div class=pane><div role=listbox class=open>' + names.map((name) => `<mat-option role=option>
          <span>${name}</span></mat-option>`).join('') + '</div></div>';
        for (const one of pane.querySelectorAll('mat-option')) one.onclick = () => {
          policy.textContent = one.textContent.trim(); policy.ariaExpanded = false; pane.innerHTML = '';
        };
      };</script>";
    let (mut mcp, _) = on(list).await;
    let choose = |option: &str| json!({ "ref": "Policy", "option": option });
    mcp.says("select", choose("MF-778 — Motor, Octavia"), &["value: \"MF-778 — Motor, Octavia\""]).await;
    // A word that only one has names it; a part of a word does not.
    mcp.says("select", choose("Household"), &["value: \"HH-204 — Household\""]).await;
    mcp.refuses("select", choose("hold"), &["none of its options say \"hold\"; it has", "name one of its options"])
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn toggles_and_sliders_that_a_component_draws_are_one_control_each_with_their_values() {
    let page = "<style>input { opacity: 0; position: absolute; inset: 0; margin: 0; width: 100%; height: 100% }
      .box, .slider { position: relative; width: 40px; height: 40px } .row { display: flex; height: 40px }</style>
      <div class=row><span>Desktop</span><div class=box><i onclick='1' style='position:absolute;inset:0'></i>
      <input type=checkbox></div></div><div class=row><span>Digest</span><div class=box>
      <input type=checkbox></div></div>
      <div class=row><span>Volume</span><div class=slider><input type=range max=6000 step=100 value=500></div></div>";
    let (mut mcp, first) = on(page).await;
    let shows = [
        "checkbox ~\"Desktop\" @e1 unchecked, checkbox ~\"Digest\" @e2 unchecked",
        "slider ~\"Volume\" @e3 value: \"500\"",
        "!clickable",
    ];
    holds("the page", &first, &shows);
    mcp.says("fill", json!({ "fields": [{ "ref": "@e1", "value": true }] }), &["@e1 checked", "+checked"]).await;
    let wrong = json!({ "fields": [{ "ref": "@e3", "value": "950" }] });
    let said = mcp.try_call("fill", wrong).await.unwrap_or_else(|error| error);
    assert!(said.contains("it takes a number from 0 to 6000, in steps of 100"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn behind_a_dialog_fields_keep_their_values_and_names() {
    let page = "<main><div role=combobox tabindex=0 aria-expanded=false aria-label=Line><span>Travel, Cyber</span>
      <svg aria-hidden=true width=9 height=9></svg></div>
      <select aria-label=Rows><option>8<option selected>25</select>
      <input type=checkbox aria-label=All aria-checked=mixed>
      <div role=tablist><div role=tab aria-selected=true tabindex=0><i aria-hidden=true>create</i>Policy</div></div>
      <button onclick=\"document.querySelector('main').ariaHidden = true; asks.hidden = false\">Ask</button></main>
      <div id=asks role=dialog aria-modal=true aria-label=Sure hidden style='position:fixed;top:9em'>
      <button>Yes</button></div><script>document.querySelector('input').indeterminate = true</script>";
    let (mut mcp, first) = on(page).await;
    holds("the page", &first, &["combobox \"Line\" @e1 collapsed value: \"Travel, Cyber\""]);
    let told = mcp.says("click", json!({ "text": "Ask" }), &["dialog \"Sure\"", "button \"Yes\""]).await;
    for untrue in ["value: \"\"", "unchecked", "create Policy"] {
        assert!(!told.contains(untrue), "{untrue}: {told}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_lies_over_the_numbers_of_a_clock_takes_the_press_and_a_text_is_scrolled_into_view() {
    let page = "<div style='position:relative;width:200px;height:200px'><div id=face style='position:absolute;inset:0;
      z-index:1'></div><div role=listbox aria-label=Hours><span role=option style='position:absolute;top:20px;left:90px'
      >12</span><span role=option style='position:absolute;top:90px;left:160px'>15</span></div></div><p id=says>none</p>
      <script>face.onclick = (event) => { says.textContent = event.offsetX > 140 ? 'at 15' : 'at 12'; };</script>
      <section id=terms style='height:100px;overflow:auto' tabindex=0><p style='height:900px'>Terms</p><p>The end</p>
      </section><button id=accept disabled>Accept</button>
      <script>terms.onscroll = () => { accept.disabled = terms.scrollTop < 700; };</script>";
    let (mut mcp, _) = on(page).await;
    mcp.says("click", json!({ "text": "15", "role": "option" }), &["\"at 15\""]).await;
    mcp.says("scroll", json!({ "ref": "Terms", "until": "The end" }), &["the text is there", "-disabled"]).await;
}
