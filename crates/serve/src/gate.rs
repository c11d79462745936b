//! What a request must be like before a tool is asked.
//!
//! In: headers and bodies. Out: passed on, or refused with status and reason. Invariants: a web
//! page cannot speak to the server (its Origin is refused, and a name that was made to mean this
//! machine is no allowed Host); on any address but loopback a token is needed; no body is larger or
//! deeper than allowed.

use axum::http::{HeaderMap, header};
use std::net::IpAddr;

/// Deepest nesting of JSON.
pub const DEEPEST: usize = 64;

/// Who may speak to the server.
#[derive(Clone, Debug, Default)]
pub struct Access {
    /// Token that requests must bear.
    pub token: Option<String>,
    /// Names under which the server may be addressed, beside addresses and `localhost`.
    pub host_names: Vec<String>,
    /// Origins of web pages that may speak to it, such as `https://app.example.com`.
    pub origins: Vec<String>,
    /// Whether only loopback addresses are listened on.
    pub only_loopback: bool,
}

/// Why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// HTTP status.
    pub status: u16,
    /// Kind, for programs.
    pub kind: &'static str,
    /// Reason.
    pub message: &'static str,
}

impl Access {
    /// Checks the headers of a request; `is_open` marks what needs no token.
    ///
    /// # Errors
    /// [`Refusal`].
    pub fn check(&self, headers: &HeaderMap, is_open: bool) -> Result<(), Refusal> {
        let refused = |status, kind, message| Err(Refusal { status, kind, message });
        let mut hosts = headers.get_all(header::HOST).iter();
        let host = hosts.next().and_then(|host| host.to_str().ok()).unwrap_or_default();
        if hosts.next().is_some() || !self.is_host(host) {
            return refused(403, "host", "this server is not addressed by that Host");
        }
        if headers.get_all(header::ORIGIN).iter().any(|origin| !self.is_origin(origin.to_str().unwrap_or_default())) {
            return refused(403, "origin", "web pages of that Origin may not speak to this server");
        }
        match &self.token {
            Some(token) if !is_open && !bears(headers, token) => refused(401, "token", "a bearer token is needed"),
            _ => Ok(()),
        }
    }

    fn is_host(&self, host: &str) -> bool {
        let name = match host.strip_prefix('[') {
            Some(rest) => rest.split(']').next().unwrap_or_default(),
            None => host
                .rsplit_once(':')
                .map_or(host, |(name, port)| if port.bytes().all(|byte| byte.is_ascii_digit()) { name } else { host }),
        };
        // What an address means cannot be changed by anybody's name server.
        match name.parse::<IpAddr>() {
            Ok(address) => address.is_loopback() || !self.only_loopback,
            Err(_) => {
                name.eq_ignore_ascii_case("localhost")
                    || self.host_names.iter().any(|known| known.eq_ignore_ascii_case(name))
            }
        }
    }

    fn is_origin(&self, origin: &str) -> bool {
        self.origins.iter().any(|known| known.eq_ignore_ascii_case(origin))
    }
}

/// Compares without telling by time where the first difference lies.
fn bears(headers: &HeaderMap, token: &str) -> bool {
    let given = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let Some((scheme, given)) = given.split_once(' ') else { return false };
    let (given, token) = (given.trim().as_bytes(), token.as_bytes());
    let differs = given.iter().zip(token).fold(0, |differs, (a, b)| differs | (a ^ b));
    scheme.eq_ignore_ascii_case("bearer") && given.len() == token.len() && differs == 0
}

/// Returns how deep JSON is nested, at most one more than [`DEEPEST`]; what is no JSON is its
/// parser's business.
pub fn depth(json: &[u8]) -> usize {
    let (mut depth, mut deepest, mut in_text, mut escaped) = (0_usize, 0, false, false);
    for byte in json {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            b'{' | b'[' if !in_text => {
                depth += 1;
                deepest = deepest.max(depth);
                if deepest > DEEPEST {
                    break;
                }
            }
            b'}' | b']' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn headers(pairs: &[(header::HeaderName, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.clone(), HeaderValue::from_str(value).expect("a value"))).collect()
    }

    #[test]
    fn a_rebound_name_and_a_foreign_page_are_refused() {
        let access = Access { only_loopback: true, ..Access::default() };
        let with = |host: &str| access.check(&headers(&[(header::HOST, host)]), false).map_err(|why| why.kind);
        for host in ["127.0.0.1:8080", "localhost:8080", "[::1]:8080", "LOCALHOST"] {
            assert_eq!(with(host), Ok(()), "{host}");
        }
        for host in
            ["evil.example", "evil.example:8080", "10.0.0.1:8080", "", "127.0.0.1.evil.example", "localhost.evil"]
        {
            assert_eq!(with(host), Err("host"), "{host}");
        }
        let page = headers(&[(header::HOST, "localhost"), (header::ORIGIN, "http://evil.example")]);
        assert_eq!(access.check(&page, false).map_err(|why| why.kind), Err("origin"));
        let null = headers(&[(header::HOST, "localhost"), (header::ORIGIN, "null")]);
        assert_eq!(access.check(&null, true).map_err(|why| why.kind), Err("origin"));
        let allowed = Access { origins: vec!["http://evil.example".to_owned()], ..access };
        assert_eq!(allowed.check(&page, false), Ok(()));
    }

    #[test]
    fn a_token_must_be_the_one() {
        let access = Access { token: Some("s3cret".to_owned()), ..Access::default() };
        let with = |value: &str| {
            let headers = headers(&[(header::HOST, "10.0.0.1"), (header::AUTHORIZATION, value)]);
            access.check(&headers, false).is_ok()
        };
        assert!(with("Bearer s3cret") && with("bearer s3cret"));
        for wrong in ["Bearer s3cre", "Bearer s3cret2", "Bearer S3CRET", "Basic s3cret", "s3cret", "Bearer "] {
            assert!(!with(wrong), "{wrong}");
        }
        assert!(access.check(&headers(&[(header::HOST, "10.0.0.1")]), true).is_ok(), "health is open");
    }

    #[test]
    fn depth_counts_what_is_no_text() {
        assert_eq!(depth(br#"{"a":["[[[\"{{",{}]}"#), 3);
        assert!(depth("[".repeat(1_000_000).as_bytes()) == DEEPEST + 1);
    }
}
