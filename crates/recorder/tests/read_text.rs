//! The text baseline beside the same script run in Chromium, on every document of the bundled
//! sites.

mod common;

use browserlens_core::page::Page;
use browserlens_core::strategy::{ActionKind, Actor, PageSource, TakenAction};
use browserlens_reading::{Cut, READ_TEXT_SCRIPT, extract, read_text};
use browserlens_recorder::{LiveBrowser, LiveOptions};
use common::{Served, serve, sites};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Documents that one browser reads; larger sites are read by several at once.
const IN_ONE_BROWSER: usize = 14;

/// The HTML files of a site, by their paths below it.
fn documents(site: &str) -> Vec<String> {
    fn files(folder: &Path, found: &mut Vec<PathBuf>) {
        let mut entries: Vec<PathBuf> =
            std::fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path()).collect();
        entries.sort();
        for entry in entries {
            if entry.is_dir() {
                files(&entry, found);
            } else if entry.extension().is_some_and(|extension| extension == "html") {
                found.push(entry);
            }
        }
    }
    let root = sites().join(site);
    let mut found = Vec::new();
    files(&root, &mut found);
    found.iter().map(|file| file.strip_prefix(&root).expect("below it").to_string_lossy().into_owned()).collect()
}

/// Ends every timer of the page, so that it stands still: how fast a machine captures decides
/// nothing then.
const STAND_STILL: &str =
    "(() => { for (let id = setTimeout(() => {}, 1e9); id > 0; id--) clearTimeout(id); return true; })()";

/// Reads a document both ways; the page is captured before and after the script, for it may change
/// in between. Returns the page that was read, too.
fn both(live: &mut LiveBrowser) -> (String, String, Arc<Page>) {
    let mut last = None;
    for _ in 0..8 {
        live.evaluate(STAND_STILL).expect("ends the timers");
        let (before, capture) = live.page().expect("a page");
        let Value::String(script) = live.evaluate(READ_TEXT_SCRIPT).expect("reads") else { panic!("no text") };
        let ours = read_text(&capture, before.frames()[0].number).expect("reads");
        if ours == script {
            return (ours, script, before);
        }
        let (after, _) = live.page().expect("a page");
        // Only a page that stands still can differ.
        if before.hash() == after.hash() {
            return (ours, script, before);
        }
        last = Some((ours, script, before));
    }
    last.expect("eight rounds")
}

/// Asks the browser what stands at the xpath of each section's heading, and returns those where
/// something else does.
fn lost_headings(live: &mut LiveBrowser, page: &Page) -> Vec<String> {
    let extraction = extract(page, Cut::All);
    // An xpath of the page's own document; what lies in frames and shadow trees no xpath reaches.
    let own: Vec<_> = extraction
        .sections
        .iter()
        .filter(|section| section.part == 0 && section.level > 0 && !section.xpath.starts_with('#'))
        .collect();
    let xpaths: Vec<&str> = own.iter().map(|section| section.xpath.as_str()).collect();
    let script = format!(
        "{}.map((xpath) => {{
            const found = document.evaluate(xpath, document, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE, null);
            return found.snapshotLength === 1 ? found.snapshotItem(0).innerText : null;
        }})",
        serde_json::to_string(&xpaths).expect("a list of strings")
    );
    let found = live.evaluate(&script).expect("evaluates");
    let plain = |text: &str| text.split_whitespace().collect::<String>();
    let mut lost = Vec::new();
    for (section, found) in own.iter().zip(found.as_array().expect("a list")) {
        if found.as_str().map(plain).as_deref() != Some(plain(&section.heading).as_str()) {
            lost.push(format!("{} has {found} and not {:?}", section.xpath, section.heading));
        }
    }
    lost
}

/// Reads documents of a site one after the other in a browser; returns what differs, and how many
/// bytes were read.
fn differences(server: &Served, documents: &[String]) -> (Vec<String>, usize) {
    let url = |path: &str| server.url(path);
    // Both ways are compared only where the page stands still, so it need not have been quiet for
    // long before.
    let options = LiveOptions { quiet: Duration::from_millis(100), ..LiveOptions::default() };
    let mut live = LiveBrowser::open(&url(&documents[0]), &options).expect("opens");
    let mut wrong = Vec::new();
    let mut read = 0;
    for (at, document) in documents.iter().enumerate() {
        let goto = TakenAction { kind: ActionKind::Goto, node: None, text: url(document), error: None };
        if at > 0
            && let Err(error) = live.act(&goto, None)
        {
            panic!("{document}: {error}");
        }
        let (ours, script, page) = both(&mut live);
        read += script.len();
        wrong.extend(lost_headings(&mut live, &page).into_iter().map(|lost| format!("{document}: {lost}")));
        if ours != script {
            let at = ours.bytes().zip(script.bytes()).take_while(|(a, b)| a == b).count();
            let near = |text: &str| {
                let at = text.floor_char_boundary(at);
                text[text.floor_char_boundary(at.saturating_sub(40))
                    ..text.floor_char_boundary((at + 60).min(text.len()))]
                    .to_owned()
            };
            wrong.push(format!("{document} at {at}:\n  ours   {:?}\n  script {:?}", near(&ours), near(&script)));
        }
    }
    (wrong, read)
}

fn compare(site: &str) {
    let server = serve(site);
    let documents = documents(site);
    assert!(!documents.is_empty(), "{site} has no documents");
    // Most of the time goes by while pages come to rest.
    let parts: Vec<(Vec<String>, usize)> = std::thread::scope(|scope| {
        let readers: Vec<_> =
            documents.chunks(IN_ONE_BROWSER).map(|part| scope.spawn(|| differences(&server, part))).collect();
        readers.into_iter().map(|reader| reader.join().expect("no panic")).collect()
    });
    let read: usize = parts.iter().map(|(_, read)| read).sum();
    let wrong: Vec<String> = parts.into_iter().flat_map(|(wrong, _)| wrong).collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), documents.len(), wrong.join("\n"));
    assert!(read > 0, "{site}: nothing was read");
}

#[test]
fn every_case_of_an_offset_parent() {
    let html = r#"data:text/html,<!doctype html><body>directly in the body
        <p>a paragraph
           of   two lines</p>
        <p style="text-transform:uppercase">in capitals</p>
        <div style="position:fixed">of a fixed box <b>and in it</b></div>
        <div style="transform:translateX(1px)"><div style="position:fixed">fixed to a transformed box</div></div>
        <div style="filter:blur(0px)"><div style="position:fixed">fixed to a filtered box</div></div>
        <div style="display:contents">without a box <i>but this has one</i></div>
        <div style="display:none">not rendered<span>nor this</span></div>
        <div style="visibility:hidden">hidden, with a box</div>
        <svg><title>title of a picture</title><text y="9">drawn</text></svg>
        <svg style="display:none"><title>of one that is not rendered</title></svg>
        <details><summary>more</summary>folded text<p>in a paragraph</p></details>
        <details open><summary>less</summary>unfolded text</details>
        <select><option>one<option>two</select><select size=3><option>three<option>four</select>
        <canvas>instead of a canvas<b>bold</b></canvas>
        <noscript>no script</noscript><template>template</template><script>1</script><style>p{}</style>
        <x-card><span>slotted</span></x-card>
        <script>document.querySelector('x-card').attachShadow({mode:'open'})
          .innerHTML='<p>in the shadow</p><slot></slot>'</script>
        <iframe srcdoc="in a frame"></iframe>
        <table><tr><td>a cell<th>a header</table>"#;
    let mut live = LiveBrowser::open(html, &LiveOptions::default()).expect("opens");
    let (ours, script, _) = both(&mut live);
    assert_eq!(ours, script);
    assert!(script.contains("title of a picture") && !script.contains("in the shadow"), "{script}");
}

macro_rules! sites {
    ($($site:ident),+ $(,)?) => {
        $(#[test]
        fn $site() {
            compare(stringify!($site));
        })+

        /// A site that is added must be compared, too.
        #[test]
        fn every_site_is_among_them() {
            let compared = [$(stringify!($site)),+];
            for entry in std::fs::read_dir(sites()).expect("sites").flatten() {
                let name = entry.file_name().to_string_lossy().into_owned();
                if name == "_shared" || name == "fixtures" || !entry.path().is_dir() {
                    continue;
                }
                assert!(compared.contains(&name.as_str()), "{name} is missing");
            }
        }
    };
}

sites!(board, docs, hostile, intl, live, login, portal, results, sheet, shop, spa, table, tiny);
