//! What agents stumbled over in an ERP and a city's app, both of web components: texts in slots, components that
//! take the press of what they hold, icons that components name, lists that begin in an editor.

use super::on;
use serde_json::json;

const COMPONENTS: &str = "<x-item>Okafor Bearings Ltd</x-item><x-tab>Collected</x-tab>
    <button><x-icon name='trash-outline' aria-hidden=true></x-icon></button>
    <svg id=x7 aria-hidden=true aria-label=Decrease width=20 height=20 onclick='log(1)'></svg>
    <script>
      const component = (name, html) => customElements.define(name, class extends HTMLElement {
        constructor() { super(); this.attachShadow({ mode: 'open' }).innerHTML = html; }
      });
      component('x-item', '<ul><li tabindex=-1><span><slot></slot></span></li></ul>');
      component('x-tab', '<style>:host { display: block; position: relative; height: 40px } button { '
        + 'position: absolute; inset: 0; pointer-events: none }</style><button role=tab><slot></slot></button>');
      component('x-icon', '<svg width=16 height=16></svg>');
      document.addEventListener('click', (event) => log('pressed ' + event.target.localName));
    </script>";

#[tokio::test(flavor = "multi_thread")]
async fn texts_in_slots_are_pressed_and_so_is_what_leaves_the_pointer_to_its_component() {
    let (mut mcp, first) = on(COMPONENTS).await;
    assert!(first.contains("button ~\"trash\" @e") && first.contains("~\"Decrease\" @e"), "{first}");
    mcp.says("click", json!({ "text": "Okafor Bearings Ltd" }), &["pressed x-item"]).await;
    mcp.says("click", json!({ "text": "Collected", "role": "tab" }), &["pressed x-tab"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_that_begins_in_an_editor_is_told_though_it_says_nothing_yet() {
    let (mut mcp, _) = on("<button onmousedown='event.preventDefault()' onclick='begin()'>List</button>
        <div contenteditable role=textbox aria-label=Note><p><strong>Audit passed</strong></p><p><br></p></div>
        <script>const begin = () => {
          const list = document.createElement('ul'); list.innerHTML = '<li><p><br></p></li>';
          document.querySelector('p:last-child').replaceWith(list);
        };</script>")
    .await;
    mcp.says("click", json!({ "text": "List" }), &["^its formatting changed: +ul \"\", +li \"\"\n"]).await;
}

/// Draws itself anew under the first double click, which so is none.
const GRID: &str = "<div role=grid><div role=row style='display:flex'><div role=gridcell id=cell tabindex=-1
    style='width:80px; height:30px'>0</div><div role=gridcell style='width:80px'>5</div></div></div>
    <textarea id=over hidden aria-label=Editor style='position:absolute; width:80px; height:30px'></textarea>
    <script>
      let clicks = 0;
      cell.ondblclick = () => {
        if (!clicks++) return;
        over.style.left = cell.offsetLeft + 'px'; over.style.top = cell.offsetTop + 'px';
        over.hidden = false; over.value = cell.textContent; over.focus();
      };
      over.onkeydown = (event) => {
        if (event.key !== 'Enter') return;
        event.preventDefault(); cell.textContent = over.value; over.hidden = true;
      };
    </script>";

#[tokio::test(flavor = "multi_thread")]
async fn a_cell_that_is_no_field_is_set_by_each_tool_and_tried_once_more() {
    let (mut mcp, _) = on(GRID).await;
    mcp.call("find", json!({ "text": "0", "role": "gridcell" })).await;
    mcp.says("fill", json!({ "fields": [{ "ref": "@e1", "value": "12" }] }), &["@e1 set by a double", "\"12\""]).await;
    mcp.says("type", json!({ "ref": "@e1", "text": "48.90" }), &["\"48.90\""]).await;
}
