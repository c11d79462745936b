//! What `inspect` tells of a live page: bodies of every kind, rows that keep coming, and no
//! secrets.

use axum::body::{Body, Bytes};
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use axum::response::{Html, IntoResponse};
use axum::routing::{get, post};
use browserlens_core::strategy::{ActionKind, Actor, PageSource, TakenAction};
use browserlens_inspect::{ConsoleQuery, CursorKey, Inspector, Limits, NetworkQuery, NetworkRow, TOOLS, UnixMillis};
use browserlens_recorder::{LiveBrowser, LiveOptions};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;

const NOW: UnixMillis = UnixMillis(1_800_000_000_000);
const HUGE: usize = 100 << 20;
/// `{"zipped":[1,2,3]}`.
const ZIPPED: [u8; 38] = [
    0x1f, 0x8b, 0x8, 0x0, 0x0, 0x0, 0x0, 0x0, 0x2, 0x3, 0xab, 0x56, 0xaa, 0xca, 0x2c, 0x28, 0x48, 0x4d, 0x51, 0xb2,
    0x8a, 0x36, 0xd4, 0x31, 0xd2, 0x31, 0x8e, 0xad, 0x5, 0x0, 0x27, 0x73, 0xcd, 0x6, 0x12, 0x0, 0x0, 0x0,
];

const PAGE: &str = r#"<!doctype html><title>Bodies</title>
<label>Word <input type="password" id="word"></label><button id="sign">Sign</button><button id="more">More</button>
<p id="said">busy</p><script>
const ask = (path, options) =>
  fetch(path, options).then((r) => r.arrayBuffer()).then((b) => b.byteLength, (e) => e.name);
const streamed = async () => await (await fetch('/endless')).body.getReader().read();
const huge = async () => {
  const reader = (await fetch('/huge')).body.getReader();
  for (;;) if ((await reader.read()).done) break;
};
(async () => {
  for (const path of ['/json', '/zipped', '/latin', '/binary', '/posing', '/nothing', '/cut', '/long']) await ask(path);
  await streamed(); await huge();
  document.getElementById('said').textContent = 'done';
})();
document.getElementById('sign').onclick = async () => {
  const password = document.getElementById('word').value;
  const headers = { 'Content-Type': 'application/json', Authorization: 'Bearer planted-token-4711' };
  await ask('/echo', { method: 'POST', headers, body: JSON.stringify({ user: 'ada', password }) });
  await ask('/json?access_token=planted-key-1234&page=2');
  console.error('signed in with', { password, deep: { list: [1, 2] } });
  console.warn('a warning', [1, { two: 2 }]);
  document.getElementById('said').textContent = 'signed in';
};
let n = 0;
document.getElementById('more').onclick = () => { for (let k = 0; k < 25; k++) console.error('row ' + n++); };
</script>"#;

async fn serve() -> u16 {
    let typed = |kind: &'static str, bytes: Vec<u8>| async move { ([(CONTENT_TYPE, kind)], bytes) };
    let chunks = |count: usize, stop: bool| {
        let chunk = Bytes::from(vec![b'x'; 1 << 20]);
        let chunks = futures::stream::iter((0..count).map(move |_| Ok::<_, Infallible>(chunk.clone())));
        let open = futures::stream::poll_fn(
            move |_| {
                if stop { std::task::Poll::Ready(None) } else { std::task::Poll::Pending }
            },
        );
        Body::from_stream(futures::StreamExt::chain(chunks, open))
    };
    let app = axum::Router::new()
        .route("/", get(|| async { Html(PAGE) }))
        .route("/favicon.ico", get(|| async { "" }))
        .route("/json", get(move || typed("application/json", br#"{"items":[{"id":1},{"id":2,"tag":"b"}]}"#.to_vec())))
        .route(
            "/zipped",
            get(|| async { ([(CONTENT_TYPE, "application/json"), (CONTENT_ENCODING, "gzip")], ZIPPED.to_vec()) }),
        )
        .route("/latin", get(move || typed("text/plain; charset=iso-8859-1", b"Gr\xf6\xdfe".to_vec())))
        .route("/binary", get(move || typed("application/octet-stream", vec![0, 159, 146, 150])))
        .route("/posing", get(move || typed("text/plain", vec![0xff, 0xfe, 0, 1, 2, 3, 0x80, 0x81])))
        .route("/nothing", get(|| async { axum::http::StatusCode::NO_CONTENT }))
        .route(
            "/cut",
            get(|| async {
                let parts = [Ok(Bytes::from("half of")), Err(std::io::Error::other("the connection ends here"))];
                ([(CONTENT_TYPE, "text/plain")], Body::from_stream(futures::stream::iter(parts))).into_response()
            }),
        )
        .route("/long", get(move || typed("text/plain", "line\n".repeat(5_000).into_bytes())))
        .route("/echo", post(|body: String| async move { ([(CONTENT_TYPE, "application/json")], body) }))
        .route("/endless", get(move || async move { ([(CONTENT_TYPE, "text/plain")], chunks(1, false)) }))
        .route("/huge", get(move || async move { ([(CONTENT_TYPE, "text/plain")], chunks(HUGE >> 20, true)) }));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("its address").port();
    tokio::spawn(async move { axum::serve(listener, app).await });
    port
}

/// Most memory that this process ever had, in bytes.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches(" kB").trim().parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
}

fn act(live: &mut LiveBrowser, kind: ActionKind, text: &str, on: Option<&str>) {
    let node = on.map(|name| {
        let (page, _) = live.page().expect("a page");
        page.nodes()
            .find(|node| node.name() == name && ["button", "textbox"].contains(&node.role()))
            .expect("the control")
            .key()
    });
    live.act(&TakenAction { kind, node: None, text: text.to_owned(), error: None }, node).expect("acted");
}

#[test]
fn a_live_page_tells_sizes_of_every_body_shows_no_garbage_and_pages_while_rows_come() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("runtime");
    let port = runtime.block_on(serve());
    let before = peak();
    let mut live = LiveBrowser::open(&format!("http://127.0.0.1:{port}/"), &LiveOptions::default()).expect("opens");
    act(&mut live, ActionKind::WaitFor, "done", None);
    let inspector = Inspector::new(Limits::default(), CursorKey::new(b"test"));

    let query = NetworkQuery {
        include_response_bodies: Some(true),
        include_request_bodies: Some(true),
        failed_first: Some(false),
        ..NetworkQuery::default()
    };
    let answer = inspector.network(&mut live, &query, NOW).expect("requests");
    let rows: BTreeMap<&str, &NetworkRow> = answer
        .data
        .iter()
        .filter_map(|row| row.url.split_once(&format!(":{port}")).map(|(_, path)| (path, row)))
        .collect();
    let said = |path: &str| {
        let row = rows.get(path).unwrap_or_else(|| panic!("{path} of {:?}", rows.keys()));
        let body = row.response_body.clone().unwrap_or_default();
        (row.status, body.bytes, body.text, body.note.unwrap_or_default())
    };
    let text = |path: &str| said(path).2.unwrap_or_else(|| panic!("{path}: {:?}", said(path)));
    assert_eq!(text("/json"), r#"{"items":[{"id":1},{"id":2,"tag":"b"}]}"#);
    assert_eq!(text("/zipped"), r#"{"zipped":[1,2,3]}"#, "as the page saw it, not as it came");
    assert_eq!(text("/latin"), "Größe", "by the charset that the server names");
    assert!(said("/binary").2.is_none() && said("/binary").3.contains("is no text"), "{:?}", said("/binary"));
    assert!(said("/posing").2.is_none() && !said("/posing").3.is_empty(), "{:?}", said("/posing"));
    assert_eq!((said("/nothing").0, said("/nothing").1, said("/nothing").2), (204, 0, None));
    assert!(said("/cut").2.is_none() && !rows["/cut"].failure.is_empty(), "{:?}", rows["/cut"]);
    let long = said("/long");
    assert_eq!((long.1, long.2.map(|text| text.len())), (25_000, Some(10_240)));
    let huge = said("/huge");
    assert!(huge.1 >= HUGE as u64 && huge.2.is_none() && huge.3.contains("not kept"), "{huge:?}");
    if let (Some(before), Some(after)) = (before, peak()) {
        assert!(after - before < (HUGE / 2) as u64, "{} MB more than before", (after - before) >> 20);
    }
    if let Some(endless) = rows.get("/endless") {
        assert!(endless.response_body.as_ref().is_none_or(|body| body.text.is_none()), "{endless:?}");
    }

    let shape =
        NetworkQuery { body_path: Some("$.items[*].id".to_owned()), search_term: Some("/json".to_owned()), ..query };
    let shape = inspector.network(&mut live, &shape, NOW).expect("by path");
    assert_eq!(shape.data[0].response_body.as_ref().and_then(|body| body.json.clone()), Some(vec![json!(1), json!(2)]));

    act(&mut live, ActionKind::Fill, "planted-word-0815", Some("Word"));
    act(&mut live, ActionKind::Click, "", Some("Sign"));
    act(&mut live, ActionKind::WaitFor, "signed in", None);
    // Nothing that was planted is in any answer.
    for tool in TOOLS {
        let mut arguments = json!({});
        if tool == "get_network_requests" {
            arguments = json!({ "includeRequestBodies": true, "includeResponseBodies": true, "pageSize": 200 });
        }
        let answer = inspector.call(&mut live, tool, arguments, NOW).expect("an answer").to_string();
        assert!(!answer.contains("planted"), "{tool}: {answer}");
        assert!(!answer.contains("[object Object]"), "{tool}: {answer}");
    }

    // Rows come while they are paged through: each exactly once, what came later by its own cursor.
    act(&mut live, ActionKind::Click, "", Some("More"));
    let mut seen = BTreeSet::new();
    let search = Some("row ".to_owned());
    let mut query = ConsoleQuery { search_term: search, page_size: Some(7), ..ConsoleQuery::default() };
    let (mut pages, mut newer) = (0, None);
    loop {
        let answer = inspector.console(&mut live, &query, NOW).expect("messages");
        answer.data.iter().for_each(|row| assert!(seen.insert(row.text.clone()), "{} comes twice", row.text));
        newer = answer.newer.map(|newer| newer.cursor).or(newer);
        pages += 1;
        act(&mut live, ActionKind::Click, "", Some("More"));
        match answer.next_cursor {
            Some(next) => query.cursor = Some(next),
            None => match newer.take() {
                Some(next) if pages < 12 => query.cursor = Some(next),
                _ => break,
            },
        }
    }
    assert!(seen.len() >= 50, "{} rows in {pages} pages", seen.len());
    let numbers: BTreeSet<usize> = seen.iter().filter_map(|text| text.strip_prefix("row ")?.parse().ok()).collect();
    assert_eq!(numbers, (0..seen.len()).collect(), "none is left out");
}
