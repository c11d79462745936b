//! Redaction of events: headers, URLs, bodies, messages.

use super::Redactor;
use super::names::{is_sensitive, is_sensitive_header, normal};
use super::shapes::Source;
use crate::json::{JsonError, Token, rewrite, unescape};
use browserlens_core::strategy::{Event, EventKind, RequestEvent};

impl Redactor {
    /// Replaces the secrets of one event: what is secret by its name or its shape, and what was
    /// learned.
    pub fn redact_event(&self, event: &mut Event) {
        let texts: &mut [&mut String] = match &mut event.kind {
            EventKind::Request(request) => return self.redact_request(request),
            EventKind::Console(message) => &mut [&mut message.text, &mut message.url, &mut message.stack],
            EventKind::Dialog(dialog) => &mut [&mut dialog.message, &mut dialog.typed],
            EventKind::Tab(tab) => &mut [&mut tab.url, &mut tab.title],
            EventKind::Download(download) => &mut [&mut download.url, &mut download.file_name],
        };
        texts.iter_mut().for_each(|text| self.redact_string(text));
    }

    fn redact_request(&self, request: &mut RequestEvent) {
        self.redact_string(&mut request.url);
        self.redact_string(&mut request.failure);
        for (name, value) in request.request_headers.iter_mut().chain(&mut request.response_headers) {
            *value = self.header(name, value);
        }
        for body in [&mut request.request_body, &mut request.response_body].into_iter().flatten() {
            *body = self.body(body);
        }
    }

    fn header(&self, name: &str, value: &str) -> String {
        match normal(name).as_str() {
            "authorization" | "proxyauthorization" => match value.split_once(' ') {
                Some((scheme, credentials)) => format!("{scheme} {}", self.hide(credentials)),
                None => self.hide(value),
            },
            "cookie" => value.split(';').map(|pair| self.cookie(pair)).collect::<Vec<_>>().join(";"),
            // CDP joins several of them by line ends.
            "setcookie" => {
                let line = |line: &str| match line.split_once(';') {
                    Some((pair, attributes)) => {
                        format!("{};{}", self.cookie(pair), self.text(attributes, Source::Message))
                    }
                    None => self.cookie(line),
                };
                value.split('\n').map(line).collect::<Vec<_>>().join("\n")
            }
            _ if is_sensitive_header(name) => self.hide(value),
            _ => self.text(value, Source::Message).into_owned(),
        }
    }

    /// Hides the value of `name=value`; the name stays.
    fn cookie(&self, pair: &str) -> String {
        match pair.split_once('=') {
            Some((name, value)) => format!("{name}={}", self.hide(value)),
            None => self.hide(pair),
        }
    }

    fn body(&self, body: &str) -> String {
        if body.trim_start().starts_with(['{', '[', '"'])
            && let Ok(json) = self.json_body(body)
        {
            return json;
        }
        self.text(body, Source::Message).into_owned()
    }

    /// Redacts the values of a JSON body: wholly under a sensitive name, else what is secret in
    /// them. Blanks go.
    fn json_body(&self, body: &str) -> Result<String, JsonError> {
        // Depth of the outermost member with a sensitive name that is being read: all below it is
        // secret.
        let mut secret_below: Option<usize> = None;
        rewrite(body, |scanner, token, writer| {
            let depth = scanner.depth();
            let is_secret = secret_below.is_some();
            match token {
                Token::Key(key) if !is_secret && is_sensitive(&unescape(key)) => {
                    secret_below = Some(depth);
                    writer.token(token);
                }
                Token::Text(raw) => {
                    let text = unescape(raw);
                    let redacted =
                        if is_secret { self.hide(&text) } else { self.text(&text, Source::Message).into_owned() };
                    if redacted == text {
                        writer.token(token);
                    } else {
                        writer.text(&redacted);
                    }
                }
                Token::Plain(number) if is_secret && number.starts_with(|first: char| first.is_ascii_digit()) => {
                    if self.placeholders.are_masks() {
                        writer.text(&self.hide(number));
                    } else {
                        writer.token(Token::Plain(&self.hide_number(number)));
                    }
                }
                token => writer.token(token),
            }
            // The member is over once its value, read at its own depth, is.
            let begins = matches!(token, Token::Key(_) | Token::OpenObject | Token::OpenArray);
            if !begins && secret_below.is_some_and(|level| depth <= level) {
                secret_below = None;
            }
            Ok(())
        })
    }

    /// A number has no zero in front, and stays a number.
    fn hide_number(&self, number: &str) -> String {
        let whole = number.find(|character: char| !character.is_ascii_digit()).unwrap_or(number.len());
        let hidden = self.hide(&number[..whole]);
        let hidden = if whole > 1 && hidden.starts_with('0') { format!("7{}", &hidden[1..]) } else { hidden };
        format!("{hidden}{}", &number[whole..])
    }
}
