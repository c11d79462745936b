//! The embedder of an endpoint against a local server that speaks the protocol, well and badly. No
//! test sleeps but the one of the time-out.

use browserlens_llm::{ApiKey, BaseUrl, Client, ClientOptions, Clock, EndpointError};
use browserlens_reading::embed::{EmbedError, Embedder, Http, HttpOptions, VectorCache};
use browserlens_reading::retrieval::{By, Index, SearchOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const KEY: &str = "sk-very-secret-0123456789";

/// What the server does with one request.
enum Reply {
    /// Answers each text by a vector of this many numbers, which say its length and first byte; in
    /// reverse order.
    Vectors(usize),
    Status(u16, String),
    Slow(Duration),
    Close,
}

struct Server {
    address: std::net::SocketAddr,
    seen: Arc<Mutex<Vec<(String, serde_json::Value)>>>,
}

impl Server {
    /// One reply a request, in order; then vectors of two numbers.
    fn start(replies: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let seen = Arc::new(Mutex::new(Vec::new()));
        let seen_by_thread = Arc::clone(&seen);
        std::thread::spawn(move || {
            let mut replies = replies.into_iter();
            for stream in listener.incoming().flatten() {
                let reply = replies.next().unwrap_or(Reply::Vectors(2));
                let seen = Arc::clone(&seen_by_thread);
                std::thread::spawn(move || serve(stream, reply, &seen));
            }
        });
        Self { address, seen }
    }

    fn options(&self) -> HttpOptions {
        let url = BaseUrl::parse(&format!("http://{}/v1", self.address)).expect("an address");
        let client = ClientOptions { timeout: Duration::from_secs(20), ..ClientOptions::new(url, ApiKey::new(KEY)) };
        HttpOptions::new(client, "tiny-embed", 2)
    }

    fn embedder(&self, options: HttpOptions, cache: Option<VectorCache>) -> (Http, Arc<TestClock>) {
        let clock = Arc::new(TestClock::default());
        let client = Client::with_clock(options.client.clone(), clock.clone()).expect("a client");
        (Http::with_client(options, client, cache), clock)
    }

    fn asked(&self) -> Vec<(String, serde_json::Value)> {
        self.seen.lock().expect("no panic").clone()
    }
}

fn serve(mut stream: TcpStream, reply: Reply, seen: &Mutex<Vec<(String, serde_json::Value)>>) {
    let mut reader = BufReader::new(&stream);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 || line.trim().is_empty() {
            break;
        }
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    if reader.read_exact(&mut body).is_err() {
        return;
    }
    let body: serde_json::Value = serde_json::from_slice(&body).unwrap_or_default();
    let texts: Vec<String> = serde_json::from_value(body["input"].clone()).unwrap_or_default();
    seen.lock().expect("no panic").push((head, body));
    let (status, body) = match reply {
        Reply::Close => return,
        Reply::Slow(pause) => {
            std::thread::sleep(pause);
            (200, vectors(&texts, 2))
        }
        Reply::Vectors(dimension) => (200, vectors(&texts, dimension)),
        Reply::Status(status, body) => (status, body),
    };
    let head = format!("HTTP/1.1 {status} Reply\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", body.len());
    // The client may have gone: that is its right.
    let _ = stream.write_all((head + &body).as_bytes());
}

fn vectors(texts: &[String], dimension: usize) -> String {
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

/// Time that passes only by pauses.
#[derive(Default)]
struct TestClock(Mutex<Vec<Duration>>);

impl TestClock {
    fn pauses(&self) -> Vec<u64> {
        self.0.lock().expect("no panic").iter().map(Duration::as_secs).collect()
    }
}

impl Clock for TestClock {
    fn now(&self) -> Duration {
        self.0.lock().expect("no panic").iter().sum()
    }

    fn sleep(&self, pause: Duration) {
        self.0.lock().expect("no panic").push(pause);
    }
}

fn error(replies: Vec<Reply>) -> (EmbedError, Vec<u64>, usize) {
    let server = Server::start(replies);
    let (embedder, clock) = server.embedder(server.options(), None);
    let error = embedder.embed(&["one", "two"]).expect_err("no vectors");
    (error, clock.pauses(), server.asked().len())
}

fn body(data: &str) -> Reply {
    Reply::Status(200, format!("{{\"data\":[{data}]}}"))
}

#[test]
fn texts_come_back_as_unit_vectors_in_their_order_batch_by_batch() {
    let server = Server::start(Vec::new());
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
    let server = Server::start(vec![Reply::Status(401, format!("{{\"error\":{{\"message\":\"bad key {KEY}\"}}}}"))]);
    let (embedder, _) = server.embedder(server.options(), None);
    assert_eq!(embedder.id(), format!("http/1/http://{}/v1/embeddings/tiny-embed/2", server.address));
    let error = embedder.embed(&["x"]).expect_err("refused");
    let said = format!("{error} {error:?} {embedder:?}");
    assert!(said.contains("401") && said.contains("[key]") && !said.contains(KEY), "{said}");
}

#[test]
fn errors_that_pass_are_waited_for() {
    let server = Server::start(vec![
        Reply::Status(429, "{\"error\":{\"message\":\"slow down\"}}".to_owned()),
        Reply::Status(500, "oops".to_owned()),
        Reply::Status(200, "<html>busy</html>".to_owned()),
        Reply::Close,
    ]);
    let (embedder, clock) = server.embedder(server.options(), None);
    assert_eq!(embedder.embed(&["one"]).expect("the fifth attempt").len(), 1);
    assert_eq!((clock.pauses(), server.asked().len()), (vec![1, 2, 4, 8], 5));
}

#[test]
fn errors_that_stay_are_told() {
    let (broken, pauses, asked) = error((0..5).map(|_| Reply::Status(503, "down".to_owned())).collect());
    assert!(broken.to_string().ends_with("no answer in 5 attempts, the last: status 503: down"), "{broken}");
    assert_eq!((pauses.len(), asked), (4, 5));
    let (garbage, ..) =
        error((0..5).map(|_| Reply::Status(200, "{\"data\":[{\"embedding\":[NaN]}]}".to_owned())).collect());
    assert!(garbage.to_string().contains("the body is no list of embeddings"), "{garbage}");
    let (missing, ..) = error(vec![Reply::Status(404, "{\"error\":{\"message\":\"no such model\"}}".to_owned())]);
    assert!(matches!(missing, EmbedError::Endpoint(EndpointError::Refused { status: 404, .. })), "{missing}");
    let long = "{\"error\":{\"message\":\"too long\",\"code\":\"context_length_exceeded\"}}";
    let (long, _, asked) = error(vec![Reply::Status(400, long.to_owned())]);
    assert!(matches!(long, EmbedError::Endpoint(EndpointError::Refused { status: 400, .. })) && asked == 1, "{long}");
}

#[test]
fn an_answer_after_the_time_out_is_not_waited_for() {
    let too_late = Duration::from_secs(60);
    let server = Server::start(vec![Reply::Slow(too_late)]);
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
    let (dimension, _, asked) = error(vec![Reply::Vectors(3)]);
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
    let server = Server::start(vec![Reply::Vectors(2), Reply::Vectors(3)]);
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
    let server = Server::start(Vec::new());
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
    let server = Server::start(Vec::new());
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
