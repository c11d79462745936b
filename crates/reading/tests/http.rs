//! The embedder of an endpoint against a local server that speaks the protocol, well and badly. No
//! test sleeps but the one of the time-out.

#[path = "../../llm/tests/common/mod.rs"]
mod common;

use browserlens_llm::{ApiKey, BaseUrl, Client, ClientOptions, EndpointError};
use browserlens_reading::embed::{EmbedError, Embedder, Http, HttpOptions};
use browserlens_reading::retrieval::{By, Index, SearchOptions};
use common::{Reply, Server, TestClock};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

const KEY: &str = "sk-very-secret-0123456789";

/// Answers each text by a vector of `N` numbers, which say its length and first byte; in reverse
/// order.
fn vectors<const N: usize>(request: &str) -> String {
    let request: Value = serde_json::from_str(request).expect("JSON");
    let texts: Vec<String> = serde_json::from_value(request["input"].clone()).expect("texts");
    let vector = |(index, text): (usize, &String)| {
        let first = f64::from(text.bytes().next().unwrap_or(1));
        let vector: Vec<f64> = (0..N).map(|at| if at == 0 { text.len() as f64 } else { first }).collect();
        json!({ "object": "embedding", "index": index, "embedding": vector })
    };
    let data: Vec<Value> = texts.iter().enumerate().rev().map(vector).collect();
    json!({ "object": "list", "data": data, "model": "tiny-embed" }).to_string()
}

fn good() -> Reply {
    Reply::Said(vectors::<2>)
}

fn options(server: &Server) -> HttpOptions {
    let url = BaseUrl::parse(&server.base_url()).expect("an address");
    let client = ClientOptions { timeout: Duration::from_secs(20), ..ClientOptions::new(url, ApiKey::new(KEY)) };
    HttpOptions::new(client, "tiny-embed", 2)
}

fn embedder(options: HttpOptions) -> (Http, Arc<TestClock>) {
    let clock = Arc::new(TestClock::default());
    let client = Client::with_clock(options.client.clone(), clock.clone()).expect("a client");
    (Http::with_client(options, client), clock)
}

fn error(replies: Vec<Reply>) -> (EmbedError, Vec<u64>, usize) {
    let server = Server::start(replies);
    let (embedder, clock) = embedder(options(&server));
    let error = embedder.embed(&["one", "two"]).expect_err("no vectors");
    (error, clock.pauses(), server.requests().len())
}

fn body(data: &str) -> Reply {
    Reply::status(200, &format!("{{\"data\":[{data}]}}"))
}

#[test]
fn texts_come_back_as_unit_vectors_in_their_order_batch_by_batch() {
    let server = Server::start(vec![good(), good()]);
    let options = HttpOptions { batch: 2, asks_for_dimension: true, ..options(&server) };
    let (embedder, _) = embedder(options);
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
    let asked = server.requests();
    assert_eq!(asked.len(), 2);
    assert!(asked[0].head.starts_with("POST /v1/embeddings HTTP/1.1"), "{}", asked[0].head);
    assert!(asked[0].head.to_lowercase().contains(&format!("authorization: bearer {KEY}")));
    let body: Value = serde_json::from_str(&asked[0].body).expect("JSON");
    assert_eq!(
        (&body["input"], &body["model"], &body["dimensions"]),
        (&json!(["a", "bbbb"]), &json!("tiny-embed"), &json!(2))
    );
}

#[test]
fn the_id_tells_endpoint_model_and_dimension_and_nothing_tells_the_key() {
    let server = Server::start(vec![Reply::status(401, &format!("{{\"error\":{{\"message\":\"bad key {KEY}\"}}}}"))]);
    let (embedder, _) = embedder(options(&server));
    assert_eq!(embedder.id(), format!("http/1/{}/embeddings/tiny-embed/2", server.base_url()));
    let error = embedder.embed(&["x"]).expect_err("refused");
    let said = format!("{error} {error:?} {embedder:?}");
    assert!(said.contains("401") && said.contains("[key]") && !said.contains(KEY), "{said}");
}

#[test]
fn errors_that_pass_are_waited_for() {
    let server = Server::start(vec![
        Reply::status(429, "{\"error\":{\"message\":\"slow down\"}}"),
        Reply::status(500, "oops"),
        Reply::status(200, "<html>busy</html>"),
        Reply::Close,
        good(),
    ]);
    let (embedder, clock) = embedder(options(&server));
    assert_eq!(embedder.embed(&["one"]).expect("the fifth attempt").len(), 1);
    assert_eq!((clock.pauses(), server.requests().len()), (vec![1, 2, 4, 8], 5));
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
    let server = Server::start(vec![Reply::Slow(Duration::from_secs(3)), good()]);
    let mut options = options(&server);
    options.client.timeout = Duration::from_millis(200);
    let (embedder, clock) = embedder(options);
    assert_eq!(embedder.embed(&["one"]).expect("the second attempt").len(), 1);
    assert_eq!(clock.pauses(), [1]);
}

#[test]
fn wrong_vectors_are_not_taken() {
    let (dimension, _, asked) = error(vec![Reply::Said(vectors::<3>)]);
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

#[test]
fn an_index_is_searched_by_the_vectors_of_an_endpoint() {
    let server = Server::start(vec![good(), good()]);
    let (embedder, _) = embedder(options(&server));
    let mut index = Index::new(Arc::new(embedder));
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
