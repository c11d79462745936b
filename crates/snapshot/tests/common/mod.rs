//! The pages of the design's examples.

#![allow(dead_code, reason = "each test uses some of it")]

use browserlens_core::page::{Flags, NodeSpec, Page, PageBuilder, Viewport};
use std::sync::Arc;

/// Words that say nothing, as many as are asked for.
pub fn words(n: usize) -> String {
    const WORDS: [&str; 12] =
        ["agents", "observe", "plan", "and", "act", "until", "the", "goal", "is", "met", "or", "abandoned"];
    (0..n).map(|at| WORDS[at % WORDS.len()]).collect::<Vec<_>>().join(" ")
}

/// A builder with a few short hands.
pub struct Html(pub PageBuilder);

impl Html {
    pub fn new(url: &str, title: &str) -> Self {
        let mut builder = PageBuilder::new(url, title);
        builder.viewport(Viewport { width: 1920, height: 1080, scale: 1.0 });
        let mut html = Self(builder);
        html.open("html", "", "", &[]);
        html.open("body", "", "", &[]);
        html
    }

    pub fn open(&mut self, tag: &str, role: &str, name: &str, attributes: &[(&str, &str)]) -> &mut Self {
        let level = tag.strip_prefix('h').and_then(|level| level.parse().ok()).unwrap_or(0);
        self.0.open(NodeSpec {
            tag,
            role,
            name,
            level,
            flags: Flags::BLOCK.with(Flags::IN_VIEWPORT),
            attributes: attributes.to_vec(),
            ..NodeSpec::default()
        });
        self
    }

    pub fn close(&mut self) -> &mut Self {
        self.0.close();
        self
    }

    pub fn element(&mut self, tag: &str, role: &str, text: &str) -> &mut Self {
        let name = if role == "heading" { text } else { "" };
        self.open(tag, role, name, &[]);
        self.0.text(text);
        self.close()
    }

    pub fn inline(&mut self, tag: &str, role: &str, text: &str, attributes: &[(&str, &str)]) -> &mut Self {
        self.0.open(NodeSpec {
            tag,
            role,
            name: if role == "link" { text } else { "" },
            attributes: attributes.to_vec(),
            ..NodeSpec::default()
        });
        self.0.text(text);
        self.close()
    }

    pub fn heading(&mut self, level: u8, text: &str) -> &mut Self {
        self.element(&format!("h{level}"), "heading", text)
    }

    pub fn p(&mut self, text: &str) -> &mut Self {
        self.element("p", "paragraph", text)
    }

    pub fn list(&mut self, tag: &str, items: &[String]) -> &mut Self {
        self.open(tag, "list", "", &[]);
        for item in items {
            self.element("li", "listitem", item);
        }
        self.close()
    }

    pub fn pre(&mut self, language: &str, code: &str) -> &mut Self {
        self.open("pre", "", "", &[]);
        self.inline("code", "code", code, &[("class", &format!("language-{language}"))]);
        self.close()
    }

    pub fn page(self) -> Arc<Page> {
        Arc::new(self.0.finish())
    }
}

/// The article of the design's first example: its counts are those of the example where they agree
/// with each other.
pub fn article() -> Arc<Page> {
    let mut html = Html::new("https://example.com/article", "Article Title");
    html.open("header", "banner", "", &[]);
    html.open("nav", "navigation", "Main menu", &[]);
    html.open("ul", "list", "", &[]);
    for link in ["Home", "News", "Guides", "Tools", "Papers", "Talks", "People", "Contact"] {
        html.open("li", "listitem", "", &[]).inline("a", "link", link, &[("href", "/x")]).close();
    }
    html.close().close();
    html.0.text(&words(37));
    html.close();
    html.open("main", "main", "", &[]).open("article", "article", "", &[]);
    html.heading(1, "Understanding AI Agents");
    html.open("section", "", "", &[("class", "intro")]);
    html.p(&words(160)).p(&words(160)).close();
    html.open("section", "", "", &[("class", "content mt-4")]);
    html.heading(2, "What are AI Agents?");
    for _ in 0..4 {
        html.p(&words(150));
    }
    let parts: Vec<String> = ["Perception", "Reasoning", "Action", "Learning", "Memory"]
        .iter()
        .map(|part| format!("{part}: {}", words(9)))
        .collect();
    html.list("ul", &parts);
    html.heading(2, "How They Work");
    for _ in 0..3 {
        html.p(&words(150));
    }
    html.pre("python", &(["step"; 44].join("\n") + "\n" + &words(249)));
    html.close();
    html.open("section", "", "", &[("class", "reviews")]);
    html.heading(2, "Reader Comments");
    for n in 1..=17 {
        html.open("article", "article", "", &[("class", "comment")]);
        html.p(&format!("Comment {n}")).p(&words(26)).close();
    }
    html.close().close().close();
    html.open("aside", "complementary", "", &[]);
    html.heading(3, "Related Articles");
    let related: Vec<String> = (0..4).map(|at| words(49 + usize::from(at < 2))).collect();
    html.list("ul", &related);
    html.close();
    html.open("footer", "contentinfo", "", &[]);
    html.0.text(&words(85));
    html.close();
    html.page()
}

/// The documentation of the design's example session.
pub fn documentation() -> Arc<Page> {
    let mut html = Html::new("https://docs.example.com/api", "API Reference");
    html.open("header", "banner", "", &[]).p("Example docs").close();
    html.open("main", "main", "", &[]);
    html.heading(1, "API Reference");
    html.open("section", "region", "overview", &[("id", "overview")]);
    html.heading(2, "Overview");
    html.p(
        "The Example API gives programs access to everything the platform can do. It is a REST service that speaks \
        JSON both ways.",
    );
    html.open("p", "paragraph", "", &[]);
    html.0.text("Base URL: ");
    html.inline("code", "code", "https://api.example.com/v1", &[]);
    html.close().close();
    html.open("section", "region", "authentication", &[("id", "auth")]);
    html.heading(2, "Authentication");
    html.pre("bash", "curl -H \"Authorization: Bearer YOUR_API_KEY\" \\\n  https://api.example.com/v1/users");
    html.close();
    html.open("section", "region", "endpoints", &[("id", "endpoints")]);
    html.heading(2, "Endpoints");
    for (name, what) in [("Users", "List, add and change users."), ("Orders", "Read orders.")] {
        html.heading(3, name).p(what);
    }
    html.close().close();
    html.open("footer", "contentinfo", "", &[]).p("All rights reserved").close();
    html.page()
}
