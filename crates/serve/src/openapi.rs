//! The OpenAPI document.
//!
//! In: the tools. Out: a document of version 3.1 whose schemas are those of the arguments' types.
//! Invariant: every status that a path can answer with is in it.

use browserlens_session::{AgentInstruction, AgentResponse, Policy, allowed, schema_of};
use serde_json::{Map, Value, json};

/// Takes from a schema what it says of itself: in this document all are of one kind.
fn bare(mut schema: Value) -> Value {
    schema.as_object_mut().and_then(|schema| schema.remove("$schema"));
    schema
}

/// Statuses of refusals: those of every path, then those of some.
const REFUSALS: [(&str, &str); 13] = [
    ("400", "The request is wrong"),
    ("401", "A bearer token is needed"),
    ("403", "Not allowed"),
    ("404", "There is no such thing"),
    ("405", "The path does not take that method"),
    ("408", "The body did not come in time"),
    ("413", "The body is too large"),
    ("415", "The body is not JSON"),
    ("429", "Too many at once"),
    ("500", "A mistake of the server"),
    ("504", "It took too long"),
    ("409", "The page as it stands has not what is asked for, or too many clients are there"),
    ("503", "The browser is gone, or none starts"),
];
const OF_EVERY_PATH: usize = 11;

/// Returns the refusals of a path; `acts` where a browser is needed.
fn refused(acts: bool) -> Map<String, Value> {
    let some = if acts { &REFUSALS[..] } else { &REFUSALS[..OF_EVERY_PATH] };
    let named = |status: &str| json!({ "$ref": format!("#/components/responses/{status}") });
    some.iter().map(|(status, _)| ((*status).to_owned(), named(status))).collect()
}

fn with(mut responses: Map<String, Value>, status: &str, why: &str, schema: Option<Value>) -> Value {
    let mut answer = json!({ "description": why });
    if let Some(schema) = schema {
        answer["content"] = json!({ "application/json": { "schema": schema } });
    }
    responses.insert(status.to_owned(), answer);
    Value::Object(responses)
}

/// Returns the document of a server.
pub(crate) fn document(needs_token: bool, policy: &Policy) -> Value {
    let mut paths = json!({});
    let ok = |why: &str, schema: Value| with(refused(false), "200", why, Some(schema));
    paths["/health"] = json!({ "get": { "operationId": "health", "summary": "Whether the server is \
        up", "security": [],
        "responses": ok("It is",
            json!({ "type": "object", "required": ["status"], "properties": { "status": { "const": "ok" } } })) } });
    let text = |why: &str| {
        let mut responses = Value::Object(refused(false));
        responses["200"] =
            json!({ "description": why, "content": { "text/plain": { "schema": { "type": "string" } } } });
        responses
    };
    let name = |name: &str| {
        json!([{ "name": name, "in": "path", "required": true,
            "schema": { "type": "string", "minLength": 1, "maxLength": 100 } }])
    };
    paths["/"] = json!({ "get": { "operationId": "help", "summary": "How to begin, how pages are shown, what to call",
        "responses": text("The guide") } });
    paths["/help"] = json!({ "get": { "operationId": "help_too", "summary": "The same",
        "responses": text("The guide") } });
    paths["/help/{tool}"] = json!({ "get": { "operationId": "help_of_tool", "summary": "What a tool takes",
        "parameters": name("tool"), "responses": text("Its arguments") } });
    paths["/metrics"] = json!({ "get": { "operationId": "metrics", "summary": "Counters in Prometheus' format",
        "responses": text("Counters") } });
    paths["/openapi.json"] = json!({ "get": { "operationId": "openapi", "summary": "This document",
        "responses": ok("It", json!({ "type": "object" })) } });
    let session =
        json!({ "type": "object", "required": ["session"], "properties": { "session": { "type": "string" } } });
    let nothing = json!({ "type": "object", "additionalProperties": false });
    paths["/v1/sessions"] = json!({ "post": { "operationId": "begin_session",
            "summary": "Begins a session: a client with what it was shown, and its own browser",
        "requestBody": { "required": false, "content": { "application/json": { "schema": nothing } } },
        "responses": with(refused(true), "201", "The session",
            Some(session)) } });
    paths["/v1/sessions/{id}"] = json!({ "delete": { "operationId": "end_session",
        "summary": "Ends a session and its browser",
        "parameters": name("id"),
        "responses": with(refused(false), "204", "It ended", None) } });
    for tool in allowed(policy) {
        let arguments = bare(tool.arguments);
        let required = arguments.get("required").is_some();
        let answer = json!({ "$ref": "#/components/schemas/Answer" });
        let operation = json!({
            "operationId": tool.name,
            "summary": tool.why,
            "parameters": [{ "name": "Browserlens-Session", "in": "header", "required": true,
                "schema": { "type": "string", "minLength": 1, "maxLength": 100 } }],
            "requestBody": { "required": required, "content": { "application/json": { "schema": arguments } } },
            "responses": with(refused(true), "200", "What the tool says", Some(answer)),
        });
        paths[format!("/v1/{}", tool.name)] = json!({ "post": operation });
    }
    paths["/knowledge/{id}/query"] = json!({ "post": { "operationId": "query_knowledge",
        "summary": "Asks a body of knowledge",
        "parameters": name("id"),
        "requestBody": { "required": true,
            "content": { "application/json": { "schema": bare(schema_of::<AgentInstruction>()) } } },
        "responses": ok("What is known", bare(schema_of::<AgentResponse>())) } });
    let error = json!({ "type": "object", "required": ["error"], "properties": { "error": { "type": "object",
        "required": ["kind", "message", "hint"],
        "properties": { "kind": { "type": "string" }, "message": { "type": "string" },
            "hint": { "type": "string" } } } } });
    let image = json!({ "type": "object", "required": ["mime_type", "base64"],
        "properties": { "mime_type": { "const": "image/png" },
            "base64": { "type": "string", "contentEncoding": "base64" } } });
    let answer = json!({ "type": "object", "required": ["images", "done", "untrusted"], "properties": {
        "text": { "type": "string", "description": "What the tool says; names and text of the page in it are the \
            page's" },
        "json": { "type": "object", "description": "The same of tools that answer in JSON, in place of text" },
        "images": { "type": "array", "items": image }, "done": { "type": "boolean", "description": "False where a part \
            was not done, as the text says" }, "untrusted": { "const": true } } });
    let refusal = |(status, why): &(&str, &str)| {
        let error = json!({ "schema": { "$ref": "#/components/schemas/Error" } });
        ((*status).to_owned(), json!({ "description": why, "content": { "application/json": error } }))
    };
    let responses: Map<String, Value> = REFUSALS.iter().map(refusal).collect();
    let mut components = json!({ "schemas": { "Error": error, "Answer": answer }, "responses": responses });
    let mut document = json!({
        "openapi": "3.1.0",
        "info": { "title": "BrowserLens", "version": env!("CARGO_PKG_VERSION"), "description": "Pages for agents: \
            observations, deltas, actions by ref. `GET /` tells how to begin and how pages are shown" },
        "paths": paths,
    });
    if needs_token {
        components["securitySchemes"] = json!({ "token": { "type": "http", "scheme": "bearer" } });
        document["security"] = json!([{ "token": [] }]);
    }
    document["components"] = components;
    document
}
