//! What takes time: waiting, text that ticks, pages that never rest.

use super::*;

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
async fn text_that_only_ticks_makes_no_answer_and_comes_with_the_next() {
    let (mut mcp, first) =
        on("<p id=left>Time left: 99893</p><button>Silent</button><button onclick='log(\"pressed\")'>Loud</button>\
         <script>let left = 99893; setInterval(() => { document.getElementById('left').textContent = 'Time left: ' + \
         --left; }, 90);</script>")
        .await;
    assert!(first.contains("Time left: 998"), "{first}");
    let silent = mcp.find("button", "Silent").await;
    let loud = mcp.find("button", "Loud").await;
    // The first action sees it change by itself; from then on it is known.
    mcp.call("click", json!({ "ref": silent })).await;
    for _ in 0..3 {
        tokio::time::sleep(Duration::from_millis(200)).await;
        let told = mcp.says("click", json!({ "ref": silent }), &["nothing changed", "!Time left"]).await;
        assert_eq!(told.matches("[DELTA").count(), 1, "{told}");
    }
    let told = mcp.says("click", json!({ "ref": loud }), &["pressed", "Time left: "]).await;
    assert_eq!(told.matches("[DELTA").count(), 1, "{told}");
    // Who looks, sees.
    let before = mcp.call("observe", json!({ "full": true })).await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_ne!(
        mcp.call("observe", json!({ "full": true })).await.split_once('\n').map(|told| told.1.to_owned()),
        before.split_once('\n').map(|told| told.1.to_owned())
    );
    let told = mcp.call("wait", json!({ "text": "Time left: 99", "ms": 3_000 })).await;
    assert!(told.strip_prefix("the text is there\n").unwrap_or(&told).starts_with("[DELTA"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_never_rests_is_not_waited_for() {
    let (mut mcp, _) = on("<div id=box style='width:20px;height:20px;background:red'></div><button \
            onclick='log(\"pressed\")'>Loud</button>\
         <script>let n = 0; setInterval(() => { document.getElementById('box').style.width = (20 + n++ % 50) + 'px'; \
         fetch('/poll?' + n).catch(() => {}); }, 60);</script>")
    .await;
    let loud = mcp.find("button", "Loud").await;
    // What it asks for is its own once it asked for it twice while nothing was done.
    tokio::time::sleep(Duration::from_millis(500)).await;
    let mut times = Vec::new();
    for _ in 0..5 {
        let began = Instant::now();
        mcp.says("click", json!({ "ref": loud }), &["pressed"]).await;
        times.push(began.elapsed());
    }
    times.sort();
    // Own unrest is waited for 500 ms; the rest is the machine, of which one of five may be
    // unlucky.
    assert!(times[2] < Duration::from_millis(2_000), "{times:?}");
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
    let agree = mcp.find("checkbox", "Agree").await;
    let began = Instant::now();
    mcp.says("wait", json!({ "text": "All done", "ms": 400 }), &["^the text did not appear within 400 ms\n"]).await;
    assert!(began.elapsed() < Duration::from_secs(4), "{:?}", began.elapsed());
    for wanted in
        [json!({ "text": "all done" }), json!({ "gone": "Loading" }), json!({ "ref": agree, "state": "enabled" })]
    {
        let here = mcp.value("location.href").await;
        mcp.call("navigate", json!({ "url": here })).await;
        let agree = mcp.find("checkbox", "Agree").await;
        let wanted = if wanted.get("ref").is_some() { json!({ "ref": agree, "state": "enabled" }) } else { wanted };
        mcp.call("click", json!({ "text": "Start" })).await;
        let began = Instant::now();
        mcp.says("wait", wanted.clone(), &["done", "!within"]).await;
        assert!(began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
    }
    // Nothing is new any more: that it is so is said.
    let met = ["^the text is there, the text is gone", "!within"];
    mcp.says("wait", json!({ "text": "All done", "gone": "Loading" }), &met).await;
    mcp.refuses("wait", json!({ "state": "enabled" }), &["`state` needs `ref`"]).await;
    mcp.call("wait", json!({ "network": true, "ms": 5_000 })).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_gone_is_not_waited_for_and_what_took_its_place_is() {
    let (mut mcp, _) = on("<div id=box><button>Next</button></div><button id=other>Other</button><script>
           const replace = () => { const b = document.createElement('button'); b.textContent = 'Next'; b.disabled = \
           true;
             document.getElementById('box').replaceChildren(b); setTimeout(() => { b.disabled = false; }, 1500); };
         </script>")
    .await;
    let next = mcp.find("button", "Next").await;
    mcp.value("setTimeout(replace, 300), 1").await;
    let began = Instant::now();
    mcp.says("wait", json!({ "ref": next, "state": "disabled", "ms": 10_000 }), &["!within"]).await;
    let told = mcp.call("wait", json!({ "ref": next, "state": "enabled", "ms": 10_000 })).await;
    assert!(
        !told.contains("within") && began.elapsed() > Duration::from_millis(1_200),
        "{:?}: {told}",
        began.elapsed()
    );
    let other = mcp.find("button", "Other").await;
    mcp.value("document.getElementById('other').remove()").await;
    mcp.refuses("wait", json!({ "ref": other, "state": "enabled" }), &[&other, "is not on the page any more"]).await;
    mcp.says("wait", json!({ "ref": other, "state": "gone", "ms": 5_000 }), &["!within"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_network_is_waited_for_and_not_what_moves() {
    let (mut mcp, _) = on("<div id=box style='width:20px;height:20px;background:red'></div><script>let n = 0;
           setInterval(() => { document.getElementById('box').style.width = (20 + n++ % 50) + 'px'; }, 60);</script>")
    .await;
    mcp.says("wait", json!({ "network": true, "ms": 4_000 }), &["!within"]).await;
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
        mcp.says("press", json!({ "key": "Shift" }), &["nothing changed", "!Time left"]).await;
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
        mcp.value("setTimeout(turn, 700), 1").await;
        tokio::time::sleep(Duration::from_millis(1_200)).await;
        mcp.call("find", json!({ "text": "Save" })).await;
    }
    mcp.call("observe", json!({})).await;
    mcp.value("setTimeout(turn, 700), 1").await;
    tokio::time::sleep(Duration::from_millis(1_200)).await;
    mcp.says("press", json!({ "key": "Shift" }), &["nothing changed", "!Ask us", "!often"]).await;
    mcp.says("click", json!({ "text": "Save", "role": "button" }), &["Saved"]).await;
}
