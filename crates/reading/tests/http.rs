//! The embedder of an endpoint against a local server that speaks the protocol, well and badly. No
//! test sleeps but the one of the time-out.

#[path = "../../llm/tests/common/mod.rs"]
mod endpoint;

use browserlens_llm::{ApiKey, BaseUrl, Client, ClientOptions, EndpointError};
use browserlens_reading::embed::{EmbedError, Embedder, Http, HttpOptions, VectorCache};
use browserlens_reading::retrieval::{By, Index, SearchOptions};
use endpoint::{Reply, Server, TestClock};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

const KEY: &str = "sk-very-secret-0123456789";

/// A server of vectors.
struct Vectors(Server);

impl Vectors {
    /// One reply a request, in order; then vectors of two numbers.
    fn start(mut replies: Vec<Reply>) -> Self {
        replies.extend((0..8).map(|_| two()));
        Self(Server::start(replies))
    }

    fn options(&self) -> HttpOptions {
        let url = BaseUrl::parse(&self.0.base_url()).expect("an address");
        let client = ClientOptions { timeout: Duration::from_secs(20), ..ClientOptions::new(url, ApiKey::new(KEY)) };
        HttpOptions::new(client, "tiny-embed", 2)
    }

    fn embedder(&self, options: HttpOptions, cache: Option<VectorCache>) -> (Http, Arc<TestClock>) {
        let clock = Arc::new(TestClock::default());
        let client = Client::with_clock(options.client.clone(), clock.clone()).expect("a client");
        (Http::with_client(options, client, cache), clock)
    }

    /// Heads and bodies of the requests.
    fn asked(&self) -> Vec<(String, serde_json::Value)> {
        let body = |text: &str| serde_json::from_str(text).unwrap_or_default();
        self.0.requests().into_iter().map(|seen| (seen.head, body(&seen.body))).collect()
    }
}

fn two() -> Reply {
    Reply::Said(|body| vectors(body, 2))
}

fn three() -> Reply {
    Reply::Said(|body| vectors(body, 3))
}

/// Answers each text by a vector of this many numbers, which say its length and first byte; in
/// reverse order.
fn vectors(body: &str, dimension: usize) -> String {
    let body: serde_json::Value = serde_json::from_str(body).unwrap_or_default();
    let texts: Vec<String> = serde_json::from_value(body["input"].clone()).unwrap_or_default();
    let data: Vec<serde_json::Value> = texts
        .iter()
        .enumerate()
        .rev()
        .map(|(index, text)| {
            let first = f64::from(text.bytes().next().unwrap_or(1));
            let vector: Vec<f64> = (0..dimension).map(|at| if at == 0 { text.len() as f64 } else { first }).collect();
            serde_json::json!({ "object": "embedding", "index": index, "embedding": vector })
        })
        .collect();
    serde_json::json!({ "object": "list", "data": data, "model": "tiny-embed" }).to_string()
}

fn error(replies: Vec<Reply>) -> (EmbedError, Vec<u64>, usize) {
    let server = Vectors::start(replies);
    let (embedder, clock) = server.embedder(server.options(), None);
    let error = embedder.embed(&["one", "two"]).expect_err("no vectors");
    (error, clock.pauses(), server.asked().len())
}

fn body(data: &str) -> Reply {
    Reply::status(200, &format!("{{\"data\":[{data}]}}"))
}

#[test]
fn texts_come_back_as_unit_vectors_in_their_order_batch_by_batch() {
    let server = Vectors::start(Vec::new());
    let options = HttpOptions { batch: 2, asks_for_dimension: true, ..server.options() };
    let (embedder, _) = server.embedder(options, None);
    let texts = ["a", "bbbb", "", "cc", "  "];
    let found = embedder.embed(&texts).expect("vectors");
    for (text, vector) in texts.iter().zip(&found) {
        if text.trim().is_empty() {
            assert_eq!(vector, &[0.0, 0.0], "a blank text is not sent");
            continue;
        }
        let (x, y) = (text.len() as f32, f32::from(text.as_bytes()[0]));
        let length = (x * x + y * y).sqrt();
        assert!((vector[0] - x / length).abs() < 1e-6 && (vector[1] - y / length).abs() < 1e-6, "{text}: {vector:?}");
    }
    let asked = server.asked();
    assert_eq!(asked.len(), 2);
    assert!(asked[0].0.starts_with("POST /v1/embeddings HTTP/1.1"), "{}", asked[0].0);
    assert!(asked[0].0.to_lowercase().contains(&format!("authorization: bearer {KEY}")));
    assert_eq!(asked[0].1["input"], serde_json::json!(["a", "bbbb"]));
    assert_eq!((asked[0].1["model"].as_str(), asked[0].1["dimensions"].as_u64()), (Some("tiny-embed"), Some(2)));
}

#[test]
fn the_id_tells_endpoint_model_and_dimension_and_nothing_tells_the_key() {
    let server = Vectors::start(vec![Reply::status(401, &format!("{{\"error\":{{\"message\":\"bad key {KEY}\"}}}}"))]);
    let (embedder, _) = server.embedder(server.options(), None);
    assert_eq!(embedder.id(), format!("http/1/{}/embeddings/tiny-embed/2", server.0.base_url()));
    let error = embedder.embed(&["x"]).expect_err("refused");
    let said = format!("{error} {error:?} {embedder:?}");
    assert!(said.contains("401") && said.contains("[key]") && !said.contains(KEY), "{said}");
}

#[test]
fn errors_that_pass_are_waited_for() {
    let server = Vectors::start(vec![
        Reply::status(429, "{\"error\":{\"message\":\"slow down\"}}"),
        Reply::status(500, "oops"),
        Reply::status(200, "<html>busy</html>"),
        Reply::Close,
    ]);
    let (embedder, clock) = server.embedder(server.options(), None);
    assert_eq!(embedder.embed(&["one"]).expect("the fifth attempt").len(), 1);
    assert_eq!((clock.pauses(), server.asked().len()), (vec![1, 2, 4, 8], 5));
}

#[test]
fn errors_that_stay_are_told() {
    let (broken, pauses, asked) = error((0..5).map(|_| Reply::status(503, "down")).collect());
    assert!(broken.to_string().ends_with("no answer in 5 attempts, the last: status 503: down"), "{broken}");
    assert_eq!((pauses.len(), asked), (4, 5));
    let (garbage, ..) = error((0..5).map(|_| Reply::status(200, "{\"data\":[{\"embedding\":[NaN]}]}")).collect());
    assert!(garbage.to_string().contains("the body is no list of embeddings"), "{garbage}");
    let (missing, ..) = error(vec![Reply::status(404, "{\"error\":{\"message\":\"no such model\"}}")]);
    assert!(matches!(missing, EmbedError::Endpoint(EndpointError::Refused { status: 404, .. })), "{missing}");
    let long = "{\"error\":{\"message\":\"too long\",\"code\":\"context_length_exceeded\"}}";
    let (long, _, asked) = error(vec![Reply::status(400, long)]);
    assert!(matches!(long, EmbedError::Endpoint(EndpointError::Refused { status: 400, .. })) && asked == 1, "{long}");
}

#[test]
fn an_answer_after_the_time_out_is_not_waited_for() {
    let too_late = Duration::from_secs(60);
    let server = Vectors::start(vec![Reply::Slow(too_late)]);
    let mut options = server.options();
    // Long enough for the second answer on a machine that has much else to do.
    options.client.timeout = Duration::from_secs(2);
    let (embedder, clock) = server.embedder(options, None);
    let asked = Instant::now();
    assert_eq!(embedder.embed(&["one"]).expect("the second attempt").len(), 1);
    assert!(asked.elapsed() < too_late);
    assert_eq!(clock.pauses(), [1]);
}

#[test]
fn wrong_vectors_are_not_taken() {
    let (dimension, _, asked) = error(vec![three()]);
    assert!(matches!(dimension, EmbedError::Dimension { expected: 2, found: 3 }), "{dimension}");
    assert_eq!(asked, 1, "it would not be another one next time");
    let (count, ..) = error(vec![body("{\"index\":0,\"embedding\":[1,2]}")]);
    assert!(matches!(count, EmbedError::Count { expected: 2, found: 1 }), "{count}");
    let (null, ..) = error(vec![body("{\"index\":0,\"embedding\":[1,2]},{\"index\":1,\"embedding\":[null,2]}")]);
    assert!(matches!(null, EmbedError::NotFinite { at: 1 }), "{null}");
    let (endless, ..) = error(vec![body("{\"index\":0,\"embedding\":[1e300,2]},{\"index\":1,\"embedding\":[1,2]}")]);
    assert!(matches!(endless, EmbedError::NotFinite { at: 0 }), "{endless}");
    let twice = || body("{\"index\":0,\"embedding\":[1,2]},{\"index\":0,\"embedding\":[1,2]}");
    let (twice, ..) = error((0..5).map(|_| twice()).collect());
    assert!(twice.to_string().contains("no list of embeddings"), "{twice}");
}

fn cache(path: &Path) -> Option<VectorCache> {
    Some(VectorCache::open(path).expect("a cache"))
}

#[test]
fn what_was_paid_for_is_not_asked_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("vectors");
    // The second batch fails: the first is kept all the same.
    let server = Vectors::start(vec![two(), three()]);
    let options = HttpOptions { batch: 1, ..server.options() };
    let (embedder, _) = server.embedder(options.clone(), cache(&path));
    embedder.embed(&["one", "two"]).expect_err("a wrong dimension");
    drop(embedder);
    let (embedder, _) = server.embedder(options.clone(), cache(&path));
    let first = embedder.embed(&["one", "two"]).expect("vectors");
    assert_eq!(
        server.asked().iter().map(|asked| asked.1["input"][0].clone()).collect::<Vec<_>>(),
        ["one", "two", "two"]
    );
    assert_eq!(embedder.embed(&["one", "two"]).expect("from the cache"), first);
    assert_eq!(server.asked().len(), 3);
    drop(embedder);
    let (other, _) = server.embedder(HttpOptions { model: "other".to_owned(), ..options }, cache(&path));
    other.embed(&["one"]).expect("vectors");
    assert_eq!(server.asked().len(), 4, "another model's vectors are others");
    let file = std::fs::read(&path).expect("reads");
    assert!(!file.windows(KEY.len()).any(|window| window == KEY.as_bytes()), "the key is not kept");
}

#[test]
fn a_cache_that_is_something_else_is_refused_and_a_short_row_is_asked_for_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("vectors");
    let server = Vectors::start(Vec::new());
    let (embedder, _) = server.embedder(server.options(), cache(&path));
    embedder.embed(&["one"]).expect("vectors");
    drop(embedder);
    let db = rusqlite::Connection::open(&path).expect("opens");
    db.execute("update vector set numbers = x'0000'", []).expect("damages");
    drop(db);
    let (embedder, _) = server.embedder(server.options(), cache(&path));
    assert_eq!(embedder.embed(&["one"]).expect("vectors")[0].len(), 2);
    assert_eq!(server.asked().len(), 2);
    let other = folder.path().join("other");
    rusqlite::Connection::open(&other).expect("opens").execute_batch("create table x (y)").expect("a table");
    let error = VectorCache::open(&other).expect_err("refused");
    assert!(error.to_string().contains("this is no cache of vectors"), "{error}");
    std::fs::write(&other, "garbage ".repeat(100)).expect("writes");
    assert!(VectorCache::open(&other).is_err());
}

#[test]
fn an_index_is_searched_by_the_vectors_of_an_endpoint() {
    let server = Vectors::start(Vec::new());
    let (embedder, _) = server.embedder(server.options(), None);
    let mut index = Index::in_memory(Arc::new(embedder)).expect("opens");
    let section = browserlens_reading::Section {
        heading: "Returns".to_owned(),
        part: 0,
        level: 2,
        content: "Within 30 days.".to_owned(),
        xpath: String::new(),
        position: 0,
        trail: Vec::new(),
        blocks: 0..0,
    };
    index.add("a", &[section], &[]).expect("adds");
    let options = SearchOptions { by: By::Vectors, ..SearchOptions::default() };
    let hits = index.search("Refunds", &options).expect("searches");
    assert_eq!(hits.len(), 1);
    assert!((f64::from(hits[0].similarity) - hits[0].score).abs() < 1e-6, "the cosine itself: {hits:?}");
}
