//! Boxes that repeat: rows of a page that says so by nothing but how it looks.

use super::common::holds;
use super::on;
use serde_json::json;

/// Posts of a feed, whose controls are heard at the document; `more` adds some.
const FEED: &str = "<style>.post { display: flex } .up, .down, .dots { width: 12px; height: 12px; cursor: pointer }
    .more, .pick, .pick i { cursor: pointer; display: block } .menu { position: absolute; background: #fff }</style>
    <div class=pick id=pick>Sorted by: best</div><div class=pick id=tags><span>Drippers<i>✕</i></span>
    <span>Winter<i>✕</i></span> add</div><div id=feed></div><div class=more>View more</div><script>
    const post = (n) => `<div class=post><div><div class=up data-act=vote></div>${n}<div class=down data-act=vote>
      </div></div><div><a href=#p${n}>Post number ${n} of somebody who writes long titles</a> <p>by <a
      href=#u${n}>writer ${n}</a></p><div class=dots data-act=menu></div></div></div>`;
    const add = (from, to) => { for (let n = from; n < to; n++) feed.insertAdjacentHTML('beforeend', post(n)); };
    add(0, 60);
    document.addEventListener('click', (event) => {
      if (event.target.className === 'more') add(60, 760);
      if (event.target.id === 'pick') pick.insertAdjacentHTML('beforeend',
        '<div class=menu><div class=o>best</div><div class=o>top</div><div class=o>new</div></div>');
      if (event.target.className === 'o') pick.textContent = 'Sorted by: ' + event.target.textContent;
      if (event.target.tagName === 'I') event.target.parentNode.remove();
    });</script>";

#[tokio::test(flavor = "multi_thread")]
async fn boxes_that_repeat_are_rows_and_what_is_added_to_them_is_told_alone() {
    let (mut mcp, first) = on(FEED).await;
    holds(
        "the page",
        &first,
        &["× listitem (clickable \"vote up\" @", "clickable \"vote down\" .1", "clickable \"menu\" ."],
    );
    let told = mcp.call("click", json!({ "text": "View more" })).await;
    holds("what came", &told, &["[DELTA ", "× listitem (", "|60\n", "off-screen @m", "!FULL PAGE"]);
    let found = mcp.call("find", json!({ "text": "writer 3", "role": "link", "limit": 1 })).await;
    assert!(found.contains("in listitem") && !found.contains("listitem < listitem"), "{found}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_pops_up_from_a_control_and_what_takes_a_part_of_it_away_are_controls() {
    let (mut mcp, first) = on(FEED).await;
    holds("the page", &first, &["clickable \"✕\" @", "\"Drippers\"", "clickable \"Sorted by: best\" @e1"]);
    mcp.says("click", json!({ "ref": "@e1" }), &["clickable", "top", "!\"Sorted by: best best top new\""]).await;
    mcp.says("click", json!({ "text": "top" }), &["Sorted by: top"]).await;
    mcp.says("click", json!({ "text": "✕", "in": "Winter" }), &["REMOVED: text \"Winter\""]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_looked_for_in_vain_may_stand_where_nothing_was_loaded_yet() {
    let lazy = "<h2>Ferries</h2><div style='height:900px'></div>".repeat(3);
    let (mut mcp, _) = on(&lazy).await;
    mcp.says("find", json!({ "text": "Tuesdays" }), &["nothing found; 2 boxes outside of the viewport are empty"])
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn links_to_one_place_are_one_and_what_leads_nowhere_is_several() {
    let rows =
        "<p>Some words that come before the table, so that it does not begin the page: as many as two hundred and
      forty letters are read of what something is near, and what is looked for stands behind these, in the last row of
      the table below, whose first cell holds a number only.</p><table>
      <tr><td>10<td>max = 20<td><a href='javascript:void(0)' onclick='document.title = 10'>Note</a></tr>
      <tr><td>11<td>max = 60<td><a href='javascript:void(0)' onclick='document.title = 11'>Note</a></tr></table>
      <a href='#p2'>Older</a> <a href='/?2'>Next</a> <a href='/?2'>Next</a> <a href='#p2'>Older</a>";
    let (mut mcp, _) = on(rows).await;
    mcp.refuses("click", json!({ "text": "Note" }), &["2 found"]).await;
    mcp.refuses("click", json!({ "text": "Older" }), &["2 found"]).await;
    mcp.says("click", json!({ "text": "Note", "in": "11 max = 60" }), &["PAGE: 11"]).await;
    mcp.says("hover", json!({ "ref": "max = 60", "in": "11 max" }), &["[DELTA"]).await;
    mcp.says("click", json!({ "text": "Next" }), &["/?2"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_frame_has_scrolled_past_is_still_there() {
    let frame = "<style>body { overflow: hidden }</style><iframe title=Order width=600 height=300></iframe><script>
      document.querySelector('iframe').srcdoc = Array.from({ length: 30 }, (_, n) =>
        `<p style='height:60px;margin:0'><label>Part ${n + 1} <input></label></p>`).join('');</script>";
    let (mut mcp, first) = on(frame).await;
    holds("the page", &first, &["30 × textbox @: 1 Part 1 |"]);
    mcp.says("scroll", json!({ "ref": "@e1", "y": 1200 }), &["nothing changed"]).await;
    mcp.says("find", json!({ "text": "Part 1" }), &["11 found", "textbox \"Part 1\" @e1 in iframe \"Order\""]).await;
    let fields = json!({ "fields": [{ "ref": "@e1", "value": "bolt" }] });
    mcp.says("fill", fields, &["@e1 → value: \"bolt\""]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bar_that_is_dragged_says_where_it_is_and_how_large() {
    let plan = "<style>body { margin: 0 } #bar { position: absolute; left: 20px; top: 40px; width: 80px; height: 20px;
      background: #9cf; cursor: move } #edge { position: absolute; right: 0; width: 8px; height: 20px; background: #036;
      cursor: col-resize }</style><div id=bar tabindex=0><div id=edge title='length of the trip'></div></div><script>
      let drag; const size = () => ({ left: bar.offsetLeft, width: bar.offsetWidth });
      bar.onpointerdown = (event) => drag = { on: event.target.id, x: event.clientX, ...size() };
      document.onpointermove = (event) => { const by = event.clientX - drag?.x;
        if (drag?.on == 'bar') bar.style.left = drag.left + by + 'px';
        if (drag?.on == 'edge') bar.style.width = drag.width + by + 'px'; };
      document.onpointerup = () => drag = null;
      bar.onkeydown = ({ key }) => { if (key == 'ArrowRight') bar.style.width = size().width + 8 + 'px'; };</script>";
    let (mut mcp, _) = on(plan).await;
    for (at, by, told) in [
        ([40, 50], [100, 0], "80×20 at 20, 40 → 80×20 at 120, 40"),
        ([196, 50], [32, 0], "8×20 at 192, 40 → 8×20 at 224, 40"),
    ] {
        mcp.says("drag", json!({ "at": at, "by": by }), &[&format!("its box changed: {told}")]).await;
    }
    mcp.says("press", json!({ "key": "ArrowRight" }), &["its box changed: 112×20 at 120, 40 → 120×20"]).await;
    mcp.says("press", json!({ "key": "ArrowLeft" }), &["nothing changed", "!its box"]).await;
}
