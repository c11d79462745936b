//! Entry points of the fuzz targets: each reads untrusted bytes and must not panic.

use crate::archive::Archive;
use crate::cdp::Pair;
use crate::limits::Limits;
use crate::playwright::attributes::Marked;
use crate::playwright::tree::{Tree, write};
use crate::{mind2web, playwright, script};
use browserlens_trace::Canonicalizer;
use std::io::Write;
use std::path::Path;

/// Limits under which a single input stays quick.
fn small() -> Limits {
    Limits {
        depth: 500,
        nodes: 20_000,
        page_bytes: 1 << 20,
        entry_bytes: 1 << 20,
        total_bytes: 4 << 20,
        column_page_bytes: 1 << 20,
        ..Limits::default()
    }
}

/// Reads lines of snapshot trees, and writes the page of the last.
pub fn playwright_tree(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let trees: Vec<Tree> = text.lines().map(|line| Tree::parse(line, &small()).unwrap_or_default()).collect();
    drop(write(&trees, Some("html"), &small(), &mut Marked::none()));
}

/// Reads a trace, whose two parts a zero byte separates, and reconstructs its pages.
pub fn playwright_trace(data: &[u8]) {
    let at = data.iter().position(|byte| *byte == 0).unwrap_or(data.len());
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let stored = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for (name, bytes) in [("trace.trace", &data[..at]), ("trace.network", data.get(at + 1..).unwrap_or(&[]))] {
        if zip.start_file(name, stored).is_err() || zip.write_all(bytes).is_err() {
            return;
        }
    }
    let Ok(bytes) = zip.finish() else { return };
    let path = Path::new("trace.zip");
    let Ok(archive) = Archive::from_bytes(path, bytes.into_inner(), small()) else { return };
    for plan in playwright::plans(path, archive, small()).unwrap_or_default() {
        for step in 0..plan.steps.len().min(20) {
            if let Ok(scene) = plan.pages.scene(step) {
                drop(scene.resources.answer(&scene.url));
            }
        }
    }
}

/// Reads a zip file and every entry of it.
pub fn archive(data: &[u8]) {
    let Ok(mut archive) = Archive::from_bytes(Path::new("trace.zip"), data.to_vec(), small()) else { return };
    let names: Vec<String> = archive.names().map(str::to_owned).collect();
    names.iter().for_each(|name| drop(archive.read(name)));
}

/// Reads a pair of answers of the browser's protocol, which a zero byte separates.
pub fn cdp(data: &[u8]) {
    let at = data.iter().position(|byte| *byte == 0).unwrap_or(data.len());
    let (Ok(snapshot), Ok(ax)) =
        (std::str::from_utf8(&data[..at]), std::str::from_utf8(data.get(at + 1..).unwrap_or(b"{\"nodes\":[]}")))
    else {
        return;
    };
    let marks = vec![("bid".to_owned(), "1".to_owned(), "target".to_owned())];
    let pair = Pair { snapshot, ax, screenshot: None, viewport: (800, 600), marks };
    if let Ok((capture, _)) = pair.capture(&mut Canonicalizer::new()) {
        drop(browserlens_core::page::Page::parse(&capture));
    }
}

/// Reads tasks of Mind2Web.
pub fn mind2web(data: &[u8]) {
    drop(mind2web::read_tasks_from(Path::new("train.json"), data, &small(), |plan| plan.pages.scene(0).map(drop)));
}

/// Reads rows of Multimodal-Mind2Web.
pub fn mind2web_rows(data: &[u8]) {
    let sources = vec![("train.parquet".into(), bytes::Bytes::copy_from_slice(data))];
    drop(mind2web::read_rows_from(sources, &small(), |plan, _| plan.pages.scene(0).map(drop)));
}

/// Parses HTML, and derives a capture of it.
pub fn derived(data: &[u8]) {
    let Ok(html) = std::str::from_utf8(data) else { return };
    crate::derive::try_one(html, &small());
}

/// Turns JSON into scenarios by every reader of scripts.
pub fn scripts(data: &[u8]) {
    if let Ok(value) = serde_json::from_slice(data) {
        script::try_all(Path::new("script.json"), &value);
    }
}

/// Reads a HAR file, and gives its requests to the steps of a trace.
pub fn har(data: &[u8]) {
    let Ok(value) = serde_json::from_slice(data) else { return };
    let Ok(mut visits) = crate::har::visits(Path::new("a.har"), &value) else { return };
    let count: usize = visits.iter().map(|visit| visit.events.len()).sum();
    let mut taken = |url: &str, is_last| crate::har::taken(&mut visits, url, is_last).len();
    assert_eq!(taken("http://shop.test/", false) + taken("", true), count, "each request goes with one step");
}
