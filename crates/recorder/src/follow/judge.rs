//! Tells an agent's scripted event from one that the page itself sends.
//!
//! In: untrusted events, each with the scripts on whose stack it was sent. Out: those that whoever
//! drives the browser sent by script (Playwright's `selectOption`, browser-use's way to empty a
//! field). Invariant: a page cannot make an event that passes. What counts is the whole stack:
//! every script on it was compiled in an isolated world, where no page script runs, or it is a lone
//! function expression without a URL that no script compiled, which only the browser's protocol can
//! call: a page that has such text compiled (`setTimeout("…")`) gets a function that it cannot
//! reach. What the protocol evaluates as a plain expression in the page's own world looks like a
//! page's timer and does not count.

use crate::browser_state::BrowserState;
use crate::follow::signal::ListenerMessage;
use crate::messages::ScriptParsed;
use crate::socket::Socket;
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet, VecDeque};
use std::time::{Duration, Instant};

/// A page that is being captured answers late.
const LIMIT: Duration = Duration::from_secs(10);
/// Most events of one document that wait for their stack.
const MOST_WAITING: usize = 32;

/// Untrusted events that wait for their stack.
#[derive(Default)]
pub(crate) struct Judge {
    waiting: HashMap<(String, i64), VecDeque<ListenerMessage>>,
    /// Scripts that are the page's, by session: one that sends without end is not asked about
    /// again.
    pages: HashSet<(String, String)>,
}

impl Judge {
    pub(crate) fn wait(&mut self, session: String, context: i64, said: ListenerMessage) {
        let waiting = self.waiting.entry((session, context)).or_default();
        waiting.push_back(said);
        if waiting.len() > MOST_WAITING {
            waiting.pop_front();
        }
    }

    /// A session has a new document: another process may number its scripts anew.
    pub(crate) fn forget(&mut self, session: &str) {
        self.pages.retain(|(of, _)| of != session);
    }

    /// Returns the event that waited longest in a document, if its stack shows that no page script
    /// sent it.
    pub(crate) async fn judge(
        &mut self,
        socket: &Socket,
        browser: &BrowserState,
        session: &str,
        context: i64,
        scripts: &[String],
    ) -> Option<ListenerMessage> {
        let key = (session.to_owned(), context);
        let waiting = self.waiting.get_mut(&key)?;
        let event = waiting.pop_front()?;
        if waiting.is_empty() {
            self.waiting.remove(&key);
        }
        // Nobody's script: the browser itself sent it, asked by the protocol (files of an upload).
        if scripts.is_empty() {
            return Some(event);
        }
        if scripts.iter().any(|script| self.pages.contains(&(session.to_owned(), script.clone()))) {
            return None;
        }
        // The debugger is on only while it is asked: it would slow the page's scripts.
        let calls = [("Debugger.enable", json!({})), ("Debugger.setSkipAllPauses", json!({ "skip": true }))]
            .map(|(method, params)| socket.send(Some(session), method, &params));
        for call in calls {
            drop(call.answer(LIMIT).await);
        }
        let received = socket.received();
        let deadline = Instant::now() + LIMIT;
        browser.wait_for(deadline, |state| (state.handled >= received || state.gone).then_some(())).await;
        let mut by_driver = true;
        for script in scripts {
            let known = browser.watch.get().and_then(|watch| watch.script(session, script));
            let is_default =
                |known: &ScriptParsed| known.execution_context_aux_data.as_ref().is_some_and(|aux| aux.is_default);
            if known.is_some_and(|known| is_default(&known) && !known.url.is_empty()) {
                self.pages.insert((session.to_owned(), script.clone()));
            }
            by_driver = by_driver && is_of_driver(socket, browser, session, context, script).await;
        }
        drop(socket.send(Some(session), "Debugger.disable", &json!({})));
        if let Some(watch) = browser.watch.get() {
            watch.forget();
        }
        by_driver.then_some(event)
    }
}

async fn is_of_driver(socket: &Socket, browser: &BrowserState, session: &str, context: i64, id: &str) -> bool {
    let Some(script) = browser.watch.get().and_then(|watch| watch.script(session, id)) else { return false };
    if script.execution_context_aux_data.as_ref().is_some_and(|aux| !aux.is_default) {
        return script.execution_context_id != context;
    }
    if !script.url.is_empty() || script.stack_trace.is_some() || script.execution_context_aux_data.is_none() {
        return false;
    }
    let reply = socket.call(Some(session), "Debugger.getScriptSource", &json!({ "scriptId": id }), LIMIT).await;
    let Ok(source) = reply.map(|reply| reply.value()["scriptSource"].as_str().unwrap_or_default().to_owned()) else {
        return false;
    };
    let Some(forms) = only_a_function(&source) else { return false };
    for form in forms {
        let params =
            json!({ "expression": form, "sourceURL": "", "persistScript": false, "executionContextId": context });
        let reply = socket.call(Some(session), "Runtime.compileScript", &params, LIMIT).await;
        if !reply.is_ok_and(|reply| reply.value().get("exceptionDetails").unwrap_or(&Value::Null).is_null()) {
            return false;
        }
    }
    true
}

/// Returns two programs that both compile only if a source is one function expression in
/// parentheses and nothing else: as a method of an object nothing but a comma may follow it, as a
/// method of a class nothing with a comma.
fn only_a_function(source: &str) -> Option<[String; 2]> {
    let inner = source.trim().strip_prefix('(')?.strip_suffix(')')?.trim();
    let (asynchronous, rest) = match inner.strip_prefix("async") {
        Some(rest) if rest.starts_with(char::is_whitespace) => ("async ", rest.trim_start()),
        _ => ("", inner),
    };
    let rest =
        rest.strip_prefix("function").filter(|rest| rest.starts_with(|c: char| c.is_whitespace() || c == '('))?;
    let rest = rest.trim_start();
    let named = rest.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_' || c == '$').trim_start();
    if !named.starts_with('(') {
        return None;
    }
    Some([format!("({{ {asynchronous}m{named} }})"), format!("(class {{ {asynchronous}m{named} }})")])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_function_expression_is_taken_apart() {
        let [object, class] = only_a_function("(\n function () { return 1 } )").expect("a function");
        assert_eq!(object, "({ m() { return 1 } })");
        assert_eq!(class, "(class { m() { return 1 } })");
        assert!(only_a_function("(async function named(a) { })").expect("a function")[0].starts_with("({ async m(a)"));
        for other in ["fire()", "(fire())", "(() => fire())", "(function* () {})", "function () {}", "(functional())"] {
            assert!(only_a_function(other).is_none(), "{other}");
        }
    }
}
