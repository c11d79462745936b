//! URL patterns of a screen.
//!
//! In: the URLs at which a screen was seen. Out: regular expressions that match them and others of
//! their form. Invariants: every literal is escaped; every pattern begins with `^https?://` and the
//! host, so that none is generic; parts that differ between pages, or look like ids, match one path
//! segment.

use std::collections::{BTreeMap, BTreeSet};
use url::{Origin, Url};

/// One URL, taken apart.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Parts {
    /// Host, with the port if one is written.
    pub host: String,
    /// Path segments, still percent-encoded, without a last empty one; those of a hash route follow
    /// after `#`.
    pub segments: Vec<String>,
    pub query: BTreeMap<String, String>,
}

impl Parts {
    /// Takes a URL apart; none if it is not one of a website.
    pub(crate) fn of(url: &str) -> Option<Self> {
        let url = Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
        let host = url.host_str()?.to_owned();
        let host = url.port().map_or(host.clone(), |port| format!("{host}:{port}"));
        let split = |path: &str| -> Vec<String> {
            path.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect()
        };
        let mut segments = split(url.path());
        // Applications that route by fragment write a path into it.
        if let Some(route) =
            url.fragment().and_then(|fragment| fragment.strip_prefix('!').unwrap_or(fragment).strip_prefix('/'))
        {
            segments.push("#".to_owned());
            segments.extend(split(route.split('?').next().unwrap_or("")));
        }
        let query = url.query_pairs().map(|(key, value)| (key.into_owned(), value.into_owned())).collect();
        Some(Self { host, segments, query })
    }

    /// Returns host and path as one text.
    pub(crate) fn path(&self) -> String {
        format!("{}/{}", self.host, self.segments.join("/"))
    }

    /// Returns the values in the URL that name one thing among many: those of the query and
    /// segments that look like ids.
    pub(crate) fn values(&self) -> impl Iterator<Item = &str> {
        let ids = self.segments.iter().filter(|segment| looks_like_id(segment)).map(String::as_str);
        ids.chain(self.query.values().map(String::as_str))
    }
}

/// Returns whether a segment names one thing among many: a number, a version, a hash, an id.
pub(crate) fn looks_like_id(segment: &str) -> bool {
    let name = segment.rsplit_once('.').map_or(segment, |(name, _)| name);
    let digits = name.bytes().filter(u8::is_ascii_digit).count();
    let is_hex = name.len() >= 12 && name.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    is_hex || (digits > 0 && digits * 3 >= name.len()) || (digits > 0 && name.contains(['-', '_', '%']))
}

/// Returns the origin of a URL; none of what is no URL.
pub(crate) fn origin_of(url: &str) -> Option<Origin> {
    Url::parse(url).ok().map(|url| url.origin())
}

/// Returns whether two URLs have one origin.
pub(crate) fn same_origin(one: &str, other: &str) -> bool {
    origin_of(one).is_some_and(|one| Some(one) == origin_of(other))
}

const ANY_SEGMENT: &str = "/[^/?#]+";

/// What has to stand in the query: a key, with its value if that is always the same.
pub(crate) type QueryNeeds = BTreeMap<String, Option<String>>;

/// Returns the patterns of the URLs, one for each host and number of segments; `lang` of each page,
/// since a segment may be its language.
pub(crate) fn patterns(urls: &BTreeSet<(String, String)>, needs: &QueryNeeds) -> Vec<String> {
    /// Host, number of segments, and where the hash route begins.
    type Form = (String, usize, Option<usize>);
    let mut by_form: BTreeMap<Form, Vec<(Parts, &str)>> = BTreeMap::new();
    for (url, lang) in urls {
        if let Some(parts) = Parts::of(url) {
            let hash = parts.segments.iter().position(|segment| segment == "#");
            by_form.entry((parts.host.clone(), parts.segments.len(), hash)).or_default().push((parts, lang));
        }
    }
    by_form.into_iter().map(|((host, len, _), urls)| pattern(&host, len, &urls, needs)).collect()
}

fn pattern(host: &str, len: usize, urls: &[(Parts, &str)], needs: &QueryNeeds) -> String {
    let mut written = format!("^https?://{}", regex::escape(host));
    let mut in_fragment = false;
    for at in 0..len {
        match literal(urls, at) {
            Some("#") => {
                written.push_str("/?(?:\\?[^#]*)?#!?");
                in_fragment = true;
            }
            Some(literal) => written.push_str(&format!("/{}", regex::escape(literal))),
            None => written.push_str(ANY_SEGMENT),
        }
    }
    if in_fragment {
        written.push_str("/?(?:\\?.*)?$");
        return written;
    }
    written.push_str("/?");
    if needs.is_empty() {
        written.push_str("(?:[?#].*)?$");
        return written;
    }
    // Keys stand in the order in which URLs of a form are written: sorted here, so one key is asked
    // for at most.
    let Some((key, value)) = needs.iter().next() else { return written };
    let value = value.as_deref().map_or_else(|| "[^&#]+".to_owned(), |value| regex::escape(&encoded(value)));
    written.push_str(&format!("\\?(?:[^#]*&)?{}={value}(?:[&#].*)?$", regex::escape(&encoded(key))));
    written
}

/// Returns what a position of the path always holds; none where it may hold any segment.
fn literal<'u>(urls: &'u [(Parts, &str)], at: usize) -> Option<&'u str> {
    let mut values = urls.iter().map(|(parts, _)| parts.segments[at].as_str());
    let first = values.next().unwrap_or("");
    let same = values.all(|value| value == first);
    // `<html lang="he">` at `/he/rooms`: the segment is the language, and there will be others.
    let is_language = |value: &str, lang: &str| {
        !lang.is_empty()
            && (value.eq_ignore_ascii_case(lang)
                || lang.split('-').next().is_some_and(|l| value.eq_ignore_ascii_case(l)))
    };
    let is_any =
        !same || looks_like_id(first) || urls.iter().all(|(parts, lang)| is_language(&parts.segments[at], lang));
    (!is_any).then_some(first)
}

fn encoded(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

/// Paths that texts write when they mean a tag.
const GENERIC_PATHS: [&str; 7] = ["/div", "/span", "/p", "/a", "/button", "/input", "/form"];

/// Returns patterns for the URLs that a text names, most specific first; generic and short paths
/// are left out.
pub(crate) fn patterns_in_text(text: &str) -> Vec<String> {
    let mut found: BTreeSet<String> = BTreeSet::new();
    for (start, _) in text.match_indices("http") {
        let rest = &text[start..];
        if !rest.starts_with("http://") && !rest.starts_with("https://") {
            continue;
        }
        let end = rest.find(|c: char| {
            c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '>' | ')' | ']' | '`' | '|' | '{' | '}')
        });
        let url = rest[..end.unwrap_or(rest.len())].trim_end_matches(['.', ',', ';', ':', '!', '?', '*', '_']);
        let Some(parts) = Parts::of(url) else { continue };
        let path = format!("/{}", parts.segments.join("/"));
        if path.len() > 1 && (path.len() <= 3 || GENERIC_PATHS.contains(&path.as_str())) {
            continue;
        }
        found.extend(patterns(&[(url.to_owned(), String::new())].into(), &QueryNeeds::new()));
    }
    let mut found: Vec<String> = found.into_iter().collect();
    // The set is sorted already.
    found.sort_by_key(|pattern| std::cmp::Reverse(pattern.len()));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use regex::Regex;

    fn patterns_of(urls: &[(&str, &str)]) -> Vec<String> {
        let urls = urls.iter().map(|(url, lang)| ((*url).to_owned(), (*lang).to_owned())).collect();
        patterns(&urls, &QueryNeeds::new())
    }

    #[test]
    fn a_literal_page_is_matched_with_any_query_and_no_other() {
        let found = patterns_of(&[("https://shop.test/cart", "en")]);
        assert_eq!(found, [r"^https?://shop\.test/cart/?(?:[?#].*)?$"]);
        let pattern = Regex::new(&found[0]).unwrap();
        assert!(pattern.is_match("http://shop.test/cart/?a=1#x"));
        assert!(!pattern.is_match("http://shop.test/cartoon"));
        assert!(!pattern.is_match("http://shopXtest/cart"));
    }

    #[test]
    fn what_differs_looks_like_an_id_or_is_the_language_matches_one_segment() {
        assert_eq!(
            patterns_of(&[("http://a.test/u/mara", ""), ("http://a.test/u/tom", "")]),
            [r"^https?://a\.test/u/[^/?#]+/?(?:[?#].*)?$"]
        );
        assert_eq!(
            patterns_of(&[("http://a.test/releases/4-1-4", "")]),
            [r"^https?://a\.test/releases/[^/?#]+/?(?:[?#].*)?$"]
        );
        assert_eq!(
            patterns_of(&[("http://a.test/he/rooms", "he")]),
            [r"^https?://a\.test/[^/?#]+/rooms/?(?:[?#].*)?$"]
        );
    }

    #[test]
    fn a_route_in_the_fragment_is_a_path() {
        let found = patterns_of(&[("http://a.test/#/inbox/12", "")]);
        let pattern = Regex::new(&found[0]).unwrap();
        assert!(pattern.is_match("http://a.test/#/inbox/13"));
        assert!(!pattern.is_match("http://a.test/#/outbox/13"));
    }

    #[test]
    fn a_needed_parameter_has_to_stand_in_the_query() {
        let urls = BTreeSet::from([("http://a.test/?view=week".to_owned(), String::new())]);
        let needs = QueryNeeds::from([("view".to_owned(), Some("week".to_owned()))]);
        let pattern = Regex::new(&patterns(&urls, &needs)[0]).unwrap();
        assert!(pattern.is_match("http://a.test/?q=1&view=week&x=2"));
        assert!(!pattern.is_match("http://a.test/?view=weekend"));
        assert!(!pattern.is_match("http://a.test/?preview=week"));
    }

    #[test]
    fn urls_of_a_text_are_specific_and_generic_paths_are_not_taken() {
        let text = "Open [the page](https://app.example.co/dashboard). See https://app.example.co/div, \
            http://x.test/ab and *http://y.test/*";
        assert_eq!(
            patterns_in_text(text),
            [r"^https?://app\.example\.co/dashboard/?(?:[?#].*)?$", r"^https?://y\.test/?(?:[?#].*)?$"]
        );
    }
}
