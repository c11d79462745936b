//! Pages of given sizes, made of words.
//!
//! In: how many nodes and characters of text. Out: a [`Page`] of exactly so many nodes below its
//! body and about so much text: a header with a navigation, sections with headings of levels 2 and
//! 3, paragraphs with links and emphasis, lists, code, quotes and tables, a footer. Invariant: the
//! same sizes give the same page, on every machine.

#![allow(dead_code, missing_docs, reason = "the bench and the example use parts of it")]

use browserlens_core::page::capture::COMPUTED_STYLES;
use browserlens_core::page::{NodeSpec, Page, PageBuilder};

/// A page of the seed's "Benchmark Data", with what the seed estimated.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    pub name: &'static str,
    pub nodes: usize,
    pub text: usize,
    pub seed_ms: u32,
    pub seed_lost: &'static str,
}

pub const SIZES: [Size; 5] = [
    Size { name: "Simple blog", nodes: 500, text: 5_000, seed_ms: 20, seed_lost: "No" },
    Size { name: "News article", nodes: 2_000, text: 15_000, seed_ms: 50, seed_lost: "No" },
    Size { name: "Documentation", nodes: 5_000, text: 50_000, seed_ms: 150, seed_lost: "Yes (30KB lost)" },
    Size { name: "E-commerce", nodes: 10_000, text: 100_000, seed_ms: 300, seed_lost: "Yes (80KB lost)" },
    Size { name: "Long article", nodes: 15_000, text: 200_000, seed_ms: 500, seed_lost: "Yes (180KB lost)" },
];

const SUBJECTS: [&str; 40] = [
    "invoices", "batteries", "gardens", "bridges", "passwords", "violins", "harbours", "glaciers", "recipes",
    "tenants", "orchards", "satellites", "libraries", "vaccines", "bicycles", "lighthouses", "refunds", "museums",
    "turbines", "contracts", "penguins", "railways", "ceramics", "festivals", "elections", "aquariums", "keyboards",
    "mortgages", "volcanoes", "ferries", "archives", "pipelines", "sculptures", "tariffs", "monsoons", "beehives",
    "telescopes", "warehouses", "subscriptions", "dictionaries",
];

const ASPECTS: [&str; 24] = [
    "maintenance", "history", "pricing", "safety", "storage", "delivery", "insurance", "cleaning", "training",
    "repair", "planning", "inspection", "financing", "design", "transport", "migration", "reporting", "monitoring",
    "licensing", "testing", "staffing", "renewal", "disposal", "certification",
];

const WORDS: [&str; 96] = [
    "the", "a", "of", "and", "to", "in", "is", "for", "with", "that", "on", "are", "as", "by", "this", "from", "or",
    "an", "be", "at", "which", "it", "can", "has", "more", "when", "one", "all", "their", "also", "people", "year",
    "work", "part", "system", "number", "place", "group", "problem", "service", "company", "government", "question",
    "report", "change", "state", "community", "research", "public", "local", "common", "possible", "different",
    "large", "small", "early", "often", "usually", "several", "between", "during", "through", "about", "under",
    "before", "after", "without", "because", "however", "provide", "include", "require", "consider", "follow",
    "remain", "become", "result", "increase", "reduce", "measure", "result", "detail", "method", "example", "surface",
    "material", "average", "region", "season", "evening", "morning", "standard", "quality", "supply", "demand",
    "value",
];

struct Maker {
    builder: PageBuilder,
    display: usize,
    nodes: usize,
    text: usize,
    state: u64,
}

impl Maker {
    fn next(&mut self, below: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state % below as u64) as usize
    }

    fn open(&mut self, tag: &str, display: &'static str) {
        self.open_with(tag, display, Vec::new());
    }

    fn open_with(&mut self, tag: &str, display: &'static str, attributes: Vec<(&str, &str)>) {
        let level = tag.strip_prefix('h').and_then(|level| level.parse().ok()).unwrap_or(0);
        let role = if level > 0 { "heading" } else { "" };
        let styles: Vec<(u8, &str)> = COMPUTED_STYLES
            .iter()
            .enumerate()
            .map(|(at, _)| (at as u8, if at == self.display { display } else { "normal" }))
            .collect();
        self.builder.open(NodeSpec { tag, role, level, attributes, styles, ..NodeSpec::default() });
        self.nodes += 1;
    }

    fn close(&mut self) {
        self.builder.close();
    }

    fn text(&mut self, text: &str) {
        self.builder.text(text);
        self.nodes += 1;
        self.text += text.len();
    }

    fn element(&mut self, tag: &str, text: &str) {
        self.open(tag, if tag == "li" { "list-item" } else { "block" });
        self.text(text);
        self.close();
    }

    fn words(&mut self, length: usize, topic: &str) -> String {
        let mut text = String::with_capacity(length + 16);
        while text.len() < length {
            if !text.is_empty() {
                text.push(' ');
            }
            let at = self.next(WORDS.len() + 4);
            text.push_str(WORDS.get(at).unwrap_or(&topic));
        }
        text.push('.');
        text
    }

    fn navigation(&mut self) {
        self.open("nav", "block");
        self.open("ul", "block");
        for name in ["Home", "Products", "Guides", "Prices", "About us", "Contact"] {
            self.open("li", "list-item");
            self.open_with("a", "inline", vec![("href", "/x")]);
            self.text(name);
            self.close();
            self.close();
        }
        self.close();
        self.close();
    }

    fn section(&mut self, number: usize, paragraph: usize) {
        let (aspect, subject) = topic(number);
        let title = format!("The {aspect} of {subject}");
        self.open("section", "block");
        self.element(if number.is_multiple_of(4) { "h2" } else { "h3" }, &title);
        for _ in 0..2 {
            self.open("p", "block");
            let words = self.words(paragraph, subject);
            self.text(&words);
            self.open("strong", "inline");
            self.text(&format!(" {subject} {aspect} "));
            self.close();
            let words = self.words(paragraph / 2, aspect);
            self.text(&words);
            self.close();
        }
        match number % 5 {
            0 => {
                self.open("pre", "block");
                self.open("code", "inline");
                self.text(&format!("tool {aspect} --{subject}\ntool status"));
                self.close();
                self.close();
            }
            1 => {
                self.open("blockquote", "block");
                let words = self.words(paragraph / 3, subject);
                self.element("p", &words);
                self.close();
            }
            2 => {
                self.open("table", "table");
                for row in 0..3 {
                    self.open("tr", "table-row");
                    for column in 0..2 {
                        self.open("td", "table-cell");
                        self.text(&format!("{subject} {row}{column}"));
                        self.close();
                    }
                    self.close();
                }
                self.close();
            }
            _ => {
                self.open("ul", "block");
                for _ in 0..3 {
                    let words = self.words(paragraph / 8, aspect);
                    self.element("li", &words);
                }
                self.close();
            }
        }
        self.close();
    }
}

/// What section `number` is about; no two of the first 960 are the same.
pub fn topic(number: usize) -> (&'static str, &'static str) {
    // The step has no factor in common with 24, so that both lists are gone through in every
    // combination.
    (ASPECTS[(number * 7 + number / SUBJECTS.len()) % ASPECTS.len()], SUBJECTS[number % SUBJECTS.len()])
}

/// Nodes of a section; those of different kinds differ by a few.
const SECTION: usize = 17;

/// Builds a page of `nodes` nodes and about `text` characters of text.
pub fn page(url: &str, title: &str, nodes: usize, text: usize) -> Page {
    let display = COMPUTED_STYLES.iter().position(|name| *name == "display").unwrap_or_default();
    let mut maker =
        Maker { builder: PageBuilder::new(url, title), display, nodes: 0, text: 0, state: 0x9e37_79b9_7f4a_7c15 };
    maker.builder.open(NodeSpec { tag: "html", ..NodeSpec::default() });
    maker.builder.open(NodeSpec { tag: "body", ..NodeSpec::default() });
    maker.open("header", "block");
    maker.element("p", "Example site");
    maker.navigation();
    maker.close();
    maker.open("main", "block");
    maker.element("h1", title);
    // Nodes that real pages have and that say nothing, wrappers and icons, make up the difference:
    // about six of ten.
    let sections = (text / 700).clamp(3, nodes / (SECTION + 8));
    for number in 0..sections {
        let left = text.saturating_sub(maker.text) / (sections - number);
        maker.section(number, (left.saturating_sub(120) * 3 / 10).max(20));
        let fill = (nodes.saturating_sub(maker.nodes + 10) / (sections - number)).saturating_sub(SECTION + 4);
        for _ in 0..fill / 2 {
            maker.open("div", "block");
            maker.open("span", "inline");
            maker.close();
            maker.close();
        }
    }
    maker.close();
    maker.open("footer", "block");
    maker.element("p", "© Example Ltd.");
    maker.close();
    while maker.nodes < nodes {
        maker.open("div", "block");
        maker.close();
    }
    maker.builder.finish()
}

/// Where the page of a size stands.
pub fn address(size: Size) -> String {
    format!("https://example.test/{}", size.name.to_lowercase().replace(' ', "-"))
}
