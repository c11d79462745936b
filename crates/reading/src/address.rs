//! The address of a page without what does not change the page.
//!
//! In: a URL. Out: its normal form. Invariants: normalising twice changes nothing; a text that is
//! no URL is its own normal form.
//!
//! Dropped: the fragment, a default port, user name and password, and the parameters of the query
//! that only say where a visitor came from: names that begin with `utm_`, and those of
//! [`TRACKING`]. Kept: everything else, in its order. Host and scheme are in lower case, the path
//! is as the `url` crate resolves it.

use url::Url;

/// Parameters that only track a visitor, beside `utm_…`.
pub const TRACKING: [&str; 20] = [
    "_ga", "_gl", "_hsenc", "_hsmi", "dclid", "fbclid", "gbraid", "gclid", "gclsrc", "igshid", "mc_cid", "mc_eid",
    "mkt_tok", "msclkid", "ttclid", "twclid", "vero_id", "wbraid", "wickedid", "yclid",
];

/// Returns the normal form of a URL.
pub fn normal_url(text: &str) -> String {
    let Ok(mut url) = Url::parse(text.trim()) else { return text.trim().to_owned() };
    url.set_fragment(None);
    // Refused for URLs that cannot have them, which then have none.
    let _ = (url.set_username(""), url.set_password(None));
    if let Some(query) = url.query() {
        let kept: Vec<&str> = query.split('&').filter(|pair| !pair.is_empty() && !is_tracking(pair)).collect();
        let kept = kept.join("&");
        url.set_query(Some(kept.as_str()).filter(|kept| !kept.is_empty()));
    }
    url.into()
}

fn is_tracking(pair: &str) -> bool {
    let name = pair.split('=').next().unwrap_or_default().to_ascii_lowercase();
    name.starts_with("utm_") || TRACKING.contains(&name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_does_not_change_the_page_is_dropped() {
        for (url, normal) in [
            ("HTTPS://Docs.Example.COM:443/A?b=1&utm_source=x&a=2&fbclid=y#top", "https://docs.example.com/A?b=1&a=2"),
            ("http://example.com?gclid=1", "http://example.com/"),
            ("http://me:secret@example.com:8080/a/../b", "http://example.com:8080/b"),
            ("data:text/html,<p>x", "data:text/html,<p>x"),
            (" no url ", "no url"),
        ] {
            assert_eq!(normal_url(url), normal);
        }
    }

    #[test]
    fn tracking_parameters_are_in_order() {
        assert!(TRACKING.is_sorted());
    }

    proptest! {
        #[test]
        fn normalising_twice_changes_nothing(
            url in concat!(
                r"(https?://[a-zA-Z.]{1,12}(:[0-9]{1,4})?(/[a-z.%]{0,5}){0,3}",
                r"(\?([a-z_=&%]{0,12}))?(#[a-z]{0,3})?|\PC{0,20})",
            ),
        ) {
            let once = normal_url(&url);
            prop_assert_eq!(normal_url(&once), once);
        }
    }
}
