//! The client against a local server that speaks the protocol, well and badly. No test sleeps but
//! the one of the time-out.

mod common;

use browserlens_llm::{
    Answer, Answers, ApiKey, Ask, BaseUrl, Cassette, Client, ClientOptions, EndpointError, LlmError, RetryPolicy,
};
use common::{Reply, Server, TestClock, completion, request};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

const KEY: &str = "sk-very-secret-0123456789";

fn options(server: &Server) -> ClientOptions {
    let url = BaseUrl::parse(&server.base_url()).expect("a local address");
    ClientOptions { timeout: Duration::from_secs(20), ..ClientOptions::new(url, ApiKey::new(KEY)) }
}

/// Asks once; the answer or error, the pauses in seconds, and how often the server was asked.
fn ask(replies: Vec<Reply>) -> (Result<Answer, LlmError>, Vec<u64>, usize) {
    let server = Server::start(replies);
    let clock = Arc::new(TestClock::default());
    let mut client = Client::with_clock(options(&server), clock.clone()).expect("a client");
    let answer = client.ask(&request("q"));
    (answer, clock.pauses(), server.requests().len())
}

fn content(answer: Result<Answer, LlmError>) -> String {
    match answer {
        Ok(Answer::Said(said)) => said.content,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_good_answer_comes_back_with_its_usage() {
    let server = Server::start(vec![completion("{\"a\":1}")]);
    let mut client = Client::with_clock(options(&server), Arc::new(TestClock::default())).expect("a client");
    let Ok(Answer::Said(said)) = client.ask(&request("q")) else { panic!("an answer") };
    assert_eq!((said.content.as_str(), said.finish_reason.as_str()), ("{\"a\":1}", "stop"));
    assert_eq!((said.prompt_tokens, said.completion_tokens), (Some(12), Some(3)));
    let seen = server.requests();
    assert!(seen[0].head.starts_with("POST /v1/chat/completions HTTP/1.1"), "{}", seen[0].head);
    assert!(seen[0].head.to_lowercase().contains(&format!("authorization: bearer {KEY}")), "{}", seen[0].head);
    assert_eq!(seen[0].body, request("q").canonical(), "what is hashed is what is sent");
}

#[test]
fn what_may_pass_is_tried_again_after_a_pause_and_at_most_five_times() {
    let broken = |status, said: &str| Reply::status(status, &format!("{{\"error\":{{\"message\":\"{said}\"}}}}"));
    let late = |pause| Reply::status(429, "{}").with("retry-after", pause);
    let times = |reply: &dyn Fn() -> Reply| (0..5).map(|_| reply()).collect::<Vec<_>>();
    let garbage = vec![
        Reply::status(200, "<html>busy</html>"),
        Reply::status(200, "{\"choices\":[{\"message\":{\"content\":\"ye"),
        broken(200, "upstream"),
        Reply::status(200, "{\"choices\":[]}"),
        completion("yes"),
    ];
    let too_late = "in 1 attempts, the last: status 429: {}; the endpoint asks for a pause of 7200 s";
    let noise = times(&|| Reply::status(200, "\u{0}\u{1}garbage"));
    for (replies, ends, waited) in [
        (vec![late("7"), completion("yes")], "yes", vec![7]),
        (vec![late("7200")], too_late, vec![]),
        (vec![broken(500, "oops"), broken(500, "oops"), broken(500, "oops"), completion("yes")], "yes", vec![1, 2, 4]),
        (times(&|| broken(503, "busy")), "no answer in 5 attempts, the last: status 503: busy", vec![1, 2, 4, 8]),
        (garbage, "yes", vec![1, 2, 4, 8]),
        (noise, "the last: the body is no chat completion: \u{0}\u{1}garbage", vec![1, 2, 4, 8]),
        (vec![Reply::Close, Reply::CutShort, completion("yes")], "yes", vec![1, 2]),
    ] {
        let (answer, pauses, asked) = ask(replies);
        let said = match answer {
            Ok(Answer::Said(said)) => said.content,
            Ok(refused) => panic!("{refused:?}"),
            Err(error) => {
                assert!(error.hint().contains("run again"));
                error.to_string()
            }
        };
        assert!(said.ends_with(ends), "{said}");
        assert_eq!((pauses.len() + 1, pauses), (asked, waited), "{said}");
    }
}

#[test]
fn an_answer_after_the_time_out_is_not_waited_for() {
    let server = Server::start(vec![Reply::Slow(Duration::from_secs(2)), completion("yes")]);
    let clock = Arc::new(TestClock::default());
    let options = ClientOptions { timeout: Duration::from_millis(150), ..options(&server) };
    let mut client = Client::with_clock(options.clone(), clock.clone()).expect("a client");
    assert_eq!(content(client.ask(&request("q"))), "yes");
    assert_eq!(clock.pauses(), [1]);
    let slow = Server::start((0..2).map(|_| Reply::Slow(Duration::from_secs(2))).collect());
    let options = ClientOptions {
        base_url: BaseUrl::parse(&slow.base_url()).expect("an address"),
        retry: RetryPolicy { attempts: 2, ..RetryPolicy::default() },
        ..options
    };
    let mut client = Client::with_clock(options, clock).expect("a client");
    let error = client.ask(&request("q")).expect_err("given up");
    assert!(error.to_string().contains("timeout"), "{error}");
    assert!(error.hint().contains("--timeout"));
}

#[test]
fn nobody_listening_is_no_answer_and_not_a_panic() {
    let server = Server::start(vec![]);
    let options = options(&server);
    drop(server);
    let mut client = Client::with_clock(options, Arc::new(TestClock::default())).expect("a client");
    assert!(matches!(client.ask(&request("q")), Err(LlmError::Endpoint(EndpointError::NoAnswer { attempts: 5, .. }))));
}

#[test]
fn a_wrong_key_model_or_parameter_is_not_tried_again() {
    for status in [400, 401, 403, 404, 422, 307] {
        let body = format!("{{\"error\":{{\"message\":\"no: {KEY}\",\"code\":\"x\"}}}}");
        let (answer, pauses, asked) =
            ask(vec![Reply::status(status, &body).with("location", "http://elsewhere.test/")]);
        let error = answer.expect_err("refused");
        assert!(matches!(&error, LlmError::Endpoint(EndpointError::Refused { .. })), "{error}");
        assert!(error.to_string().contains(&format!("status {status}: no: [key]")), "{error}");
        assert_eq!((pauses, asked), (vec![], 1));
    }
}

#[test]
fn nothing_left_to_spend_is_not_waited_for() {
    let (answer, pauses, _) =
        ask(vec![Reply::status(429, "{\"error\":{\"message\":\"quota\",\"type\":\"insufficient_quota\"}}")]);
    assert!(matches!(answer, Err(LlmError::Endpoint(EndpointError::Refused { status: 429, .. }))));
    assert_eq!(pauses, [0; 0]);
}

#[test]
fn a_request_that_is_too_long_has_its_refusal_as_answer() {
    let body =
        "{\"error\":{\"message\":\"maximum context length is 8192 tokens\",\"code\":\"context_length_exceeded\"}}";
    let (answer, ..) = ask(vec![Reply::status(400, body)]);
    let Ok(Answer::Refused { status, message }) = answer else { panic!("a refusal") };
    assert_eq!((status, message.as_str()), (400, "maximum context length is 8192 tokens"));
}

#[test]
fn the_rate_counts_attempts_too() {
    let server = Server::start(vec![completion("1"), Reply::status(500, "{}"), completion("2")]);
    let clock = Arc::new(TestClock::default());
    let options = ClientOptions { max_requests_per_minute: NonZeroU32::new(6), ..options(&server) };
    let mut client = Client::with_clock(options, clock.clone()).expect("a client");
    client.ask(&request("a")).expect("answered");
    client.ask(&request("b")).expect("answered");
    // Ten seconds lie between any two attempts; of the last ten, one is the pause after the error.
    assert_eq!(clock.pauses(), [10, 1, 9]);
}

#[test]
fn a_replay_equals_the_live_run_and_the_key_is_in_no_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.jsonl");
    let too_long = "{\"error\":{\"message\":\"too long\",\"code\":\"context_length_exceeded\"}}";
    let echo = completion(&format!("your key is {KEY}"));
    let server = Server::start(vec![echo, Reply::status(500, "{}"), completion("b"), Reply::status(400, too_long)]);
    let client = Client::with_clock(options(&server), Arc::new(TestClock::default())).expect("a client");
    let mut live = Answers::live(Cassette::open(&path, "p").expect("opens"), Box::new(client));
    let questions = ["a", "b", "c", "b"];
    let first: Vec<Answer> = questions.iter().map(|q| live.ask(&request(q)).expect("answered")).collect();
    assert_eq!(server.requests().len(), 4, "the second b came from the cassette");
    let mut replay = Answers::replayed(Cassette::open(&path, "p").expect("opens"));
    assert!(replay.cassette().len() == 3);
    let second: Vec<Answer> = questions.iter().map(|q| replay.ask(&request(q)).expect("answered")).collect();
    assert_eq!(first, second);
    let text = std::fs::read_to_string(&path).expect("reads");
    assert!(!text.contains(KEY) && text.contains("[key]"), "{text}");
    let error = replay.ask(&request("d")).expect_err("not asked before");
    assert!(error.to_string().contains("a.jsonl: no answer to request"), "{error}");
    assert!(error.hint().contains("--base-url"));
}

#[test]
fn a_failed_request_leaves_nothing_in_the_cassette() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.jsonl");
    let server = Server::start(vec![Reply::status(401, "{}")]);
    let client = Client::with_clock(options(&server), Arc::new(TestClock::default())).expect("a client");
    let mut live = Answers::live(Cassette::open(&path, "p").expect("opens"), Box::new(client));
    assert!(live.ask(&request("a")).is_err() && !path.exists());
}

#[test]
fn the_key_is_in_no_debug_output() {
    let server = Server::start(vec![]);
    let client = Client::with_clock(options(&server), Arc::new(TestClock::default())).expect("a client");
    assert!(!format!("{client:?}").contains("secret"));
}

fn gemini(server: &Server) -> Client {
    let url = BaseUrl::gemini(&server.base_url()).expect("a local address");
    let options = ClientOptions { timeout: Duration::from_secs(20), ..ClientOptions::new(url, ApiKey::new(KEY)) };
    Client::with_clock(options, Arc::new(TestClock::default())).expect("a client")
}

#[test]
fn gemini_is_asked_in_its_own_protocol_and_answers_in_ours() {
    let answer = concat!(
        r#"{"candidates":[{"content":{"parts":[{"text":"hm","thought":true},{"text":"{\"a\":"},{"text":"1}"}],"#,
        r#""role":"model"},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":7,"#,
        r#""candidatesTokenCount":3}}"#
    );
    let server = Server::start(vec![Reply::status(200, answer)]);
    let Ok(Answer::Said(said)) = gemini(&server).ask(&request("q")) else { panic!("an answer") };
    assert_eq!((said.content.as_str(), said.finish_reason.as_str()), ("{\"a\":1}", "stop"));
    assert_eq!((said.prompt_tokens, said.completion_tokens), (Some(7), Some(3)));
    let seen = &server.requests()[0];
    assert!(seen.head.starts_with("POST /v1/models/test-model:generateContent HTTP/1.1"), "{}", seen.head);
    assert!(seen.head.to_lowercase().contains(&format!("x-goog-api-key: {KEY}")), "{}", seen.head);
    assert!(!seen.head.to_lowercase().contains("authorization"), "{}", seen.head);
    let body: serde_json::Value = serde_json::from_str(&seen.body).expect("JSON");
    assert_eq!(body["systemInstruction"]["parts"][0]["text"], "rules");
    assert_eq!(body["contents"][0], serde_json::json!({ "role": "user", "parts": [{ "text": "q" }] }));
    assert_eq!(body["generationConfig"]["maxOutputTokens"], 32);
    assert_eq!(body["generationConfig"]["responseMimeType"], "application/json");
}

#[test]
fn gemini_blocks_and_errors_are_told_apart() {
    let blocked = Reply::status(200, r#"{"promptFeedback":{"blockReason":"SAFETY"}}"#);
    let server = Server::start(vec![blocked, Reply::status(400, r#"{"error":{"message":"API key not valid"}}"#)]);
    let mut client = gemini(&server);
    assert!(
        matches!(client.ask(&request("q")), Ok(Answer::Refused { status: 200, message }) if message.contains("SAFETY"))
    );
    let error = client.ask(&request("q")).expect_err("refused").to_string();
    assert!(error.contains("API key not valid") && !error.contains(KEY), "{error}");
    let mut other = request("q");
    other.model = "m/../../x?key=1".to_owned();
    assert!(client.ask(&other).expect_err("refused").to_string().contains("model's name"));
    assert_eq!(server.requests().len(), 2);
}
