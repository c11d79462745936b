//! `read`: a trace whole, in parts, by question and as a graph; its cache; and every error with its
//! exit code.

mod common;

use common::{Ran, browserlens, root, run, serve};
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Asks `sources… options…`.
fn read(line: &str) -> Ran {
    match line.find(" --") {
        None => run(&format!("page {line} text")),
        Some(at) => run(&format!("page {} text {}", &line[..at], &line[at..])),
    }
}

/// What is read of a trace without the cache.
fn said(line: &str) -> String {
    read(&format!("{line} --no-cache")).good()
}

/// The same of a trace of documents.
fn docs(options: &str) -> String {
    said(&format!("{DOCS} {options}"))
}

fn refused(line: &str) -> String {
    let ran = read(line);
    assert!(ran.out.is_empty());
    ran.ended()
}

const DOCS: &str = "traces/docs-combine-three-documents.trace";

#[test]
fn a_document_is_read_whole_in_parts_and_by_question() {
    let preview = docs("--preview");
    assert!(preview.lines().nth(2).is_some_and(|line| line.ends_with(" sections")), "{preview}");
    let whole = docs("");
    assert!(whole.contains("\n\n## "), "{whole}");
    // Sections one by one are the whole.
    let mut parts = Vec::new();
    loop {
        let part = read(&format!("{DOCS} --no-cache --limit 2 --offset {}", 2 * parts.len()));
        parts.push(part.out.trim_end().to_owned());
        if !part.err.contains("go on with --offset") {
            break;
        }
    }
    assert!(parts.len() > 1);
    assert_eq!(parts.join("\n\n"), whole.trim_end());
    let heading = whole.lines().find_map(|line| line.strip_prefix("## ")).expect("a heading");
    assert!(docs(&format!("--section '{heading}'")).starts_with(&format!("## {heading}\n")));
    let answer = docs(&format!("--query '{heading}' --limit 1"));
    assert!(answer.starts_with("## ") && answer.contains("(Relevance: "), "{answer}");
    assert_eq!(answer, docs(&format!("--options 'query=\"{heading}\" limit=1'")));
    assert_eq!(docs("--query 'quokka zeppelin'"), "No content found matching query: \"quokka zeppelin\"\n");
}

#[test]
fn an_endpoint_is_asked_for_each_vector_once() {
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&asked);
    let url = serve(move |request| {
        counted.fetch_add(1, Ordering::Relaxed);
        let body: serde_json::Value = serde_json::from_str(&request.body).unwrap_or_default();
        let texts = body["input"].as_array().map_or(0, Vec::len);
        let data: Vec<_> = (0..texts).map(|at| serde_json::json!({ "index": at, "embedding": [1, 0] })).collect();
        let answer = serde_json::json!({ "data": data, "model": "small" });
        ("200 OK\r\nContent-Type: application/json".to_owned(), answer.to_string().into_bytes())
    });
    let folder = tempfile::tempdir().expect("a folder");
    let line = format!(
        "--query returns --embeddings-url {url}/v1 --embeddings-model small --embeddings-dimension 2 \
         --embeddings-cache {}",
        folder.path().join("vectors").display()
    );
    let first = docs(&line);
    assert!(first.contains("(Relevance: "), "{first}");
    let paid = asked.load(Ordering::Relaxed);
    assert!(paid > 0);
    assert_eq!((docs(&line), asked.load(Ordering::Relaxed)), (first, paid));
    std::fs::write(folder.path().join("vectors"), "garbage ".repeat(100)).expect("writes");
    let error = refused(&format!("{DOCS} --no-cache {line}"));
    assert!(error.contains("this is no cache of vectors") || error.contains("not a database"), "{error}");
}

#[test]
fn a_document_is_drawn_in_every_format_and_in_part() {
    assert!(docs("--graph dot").starts_with("digraph"));
    assert!(docs("--graph svg").contains("<svg"));
    let whole = docs("--graph json");
    let json: serde_json::Value = serde_json::from_str(&whole).expect("JSON");
    assert!(json["nodes"].as_object().is_some_and(|nodes| nodes.len() > 5));
    // A part of it, around a heading.
    let heading = docs("").lines().find_map(|line| line.strip_prefix("## ").map(str::to_owned)).expect("one");
    let part = docs(&format!("--graph json --section '{heading}'"));
    assert!(part.contains(&heading) && part.len() < whole.len());
    let near = docs(&format!("--section '{heading}' --within 1"));
    assert!(near.starts_with(&format!("0 heading: ## {heading}\n1 ")), "{near}");
}

#[test]
fn several_pages_answer_together_and_name_themselves() {
    let shop = "traces/shop-laptop-to-cart.trace";
    let answer = said(&format!("{DOCS} {shop} --query 'how long is the warranty' --limit 1"));
    assert!(answer.contains("warranty") && answer.contains(&format!("; {shop} step ")), "{answer}");
    assert!(docs("--about producers").starts_with("# "));
    assert!(docs("--related Guides").starts_with("100 % "));
    let twice = said(&format!("{shop} --duplicates"));
    assert!(twice.contains("% the same: ") || twice.contains("on "));
}

#[test]
fn the_second_reading_comes_from_the_cache_and_a_damaged_one_is_made_anew() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("pages.cache").to_string_lossy().into_owned();
    let cached = || {
        let ran = read(&format!("{DOCS} --step 0 --cache {file}"));
        assert_eq!((ran.code, ran.out), (0, docs("")));
        ran.err.trim_end().to_owned()
    };
    assert_eq!((cached(), cached()), ("read anew".to_owned(), "from the cache".to_owned()));
    for suffix in ["-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{file}{suffix}"));
    }
    std::fs::write(&file, "this is no database, but was meant to be one").expect("writes");
    let status = cached();
    assert!(status.contains("damaged") && status.ends_with("made anew\nread anew"), "{status}");
    assert_eq!(cached(), "from the cache");
}

#[test]
fn processes_that_read_at_once_share_one_cache() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("pages.cache").to_string_lossy().into_owned();
    let round = || -> Vec<String> {
        let start = |step: usize| {
            let mut command = browserlens();
            command.args(["page", DOCS, "text", "--step", &step.to_string(), "--cache", &file, "--preview"]);
            command.current_dir(root()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts")
        };
        let started: Vec<_> = (0..6).map(start).collect();
        let end = |child: Child| {
            let ran = Ran::from(child.wait_with_output().expect("it ends"));
            assert_eq!(ran.code, 0, "{}", ran.err);
            ran.err.trim_end().to_owned()
        };
        started.into_iter().map(end).collect()
    };
    assert!(round().iter().all(|status| !status.contains("damaged")));
    assert!(round().iter().all(|status| status == "from the cache"));
}

/// Needs Chromium, which `./just test` installs.
#[test]
#[cfg(feature = "record")]
fn a_file_that_was_changed_is_read_anew() {
    let folder = tempfile::tempdir().expect("a folder");
    let (page, cache) = (folder.path().join("page.html"), folder.path().join("pages.cache"));
    let (page, cache) = (page.to_string_lossy().into_owned(), cache.to_string_lossy().into_owned());
    let told = |heading: &str| {
        std::fs::write(&page, format!("<title>t</title><h1>{heading}</h1><p>Some words.</p>")).expect("written");
        read(&format!("{page} --cache {cache}")).out
    };
    for heading in ["Before", "After"] {
        assert!(told(heading).contains(heading), "{heading}");
    }
}

#[test]
fn every_bad_input_is_one_clear_line_with_its_exit_code() {
    let lines = [
        "traces/no-such.trace",
        "DOCS --step 99",
        "DOCS --options limit=0",
        "DOCS --options limt=3",
        "DOCS --no-cache --section 99",
        "DOCS --cache Cargo.toml/pages.cache",
        "https://127.0.0.1:9/ --step 1",
        "DOCS --no-cache --offset 9999",
        "DOCS --no-cache --skip 9999999",
        "DOCS --no-cache --within 2",
        "DOCS --cache no-such-folder/pages.cache",
        "DOCS DOCS",
    ];
    let all = lines.map(|line| refused(&line.replace("DOCS", DOCS)));
    assert!(!root().join("no-such-folder").exists());
    insta::assert_snapshot!(all.join("\n\n"));
}

/// Serves the files of a bundled site; an address without an ending is a document.
#[cfg(feature = "record")]
fn serve_site(site: &str) -> String {
    let folder = root().join("traces/sites").join(site);
    serve(move |asked| {
        let path = asked.path.split('?').next().unwrap_or("/");
        let path = if path.ends_with('/') { format!("{path}index") } else { path.to_owned() };
        let file = folder.join(path.trim_start_matches('/'));
        let file = if file.extension().is_none() { file.with_extension("html") } else { file };
        let kind = match file.extension().and_then(|extension| extension.to_str()) {
            Some("css") => "text/css",
            Some("js") => "text/javascript",
            Some("svg") => "image/svg+xml",
            Some("json") => "application/json",
            _ => "text/html",
        };
        let (status, body) = std::fs::read(&file).map_or(("404 Not Found", Vec::new()), |body| ("200 OK", body));
        (format!("{status}\r\nContent-Type: {kind}; charset=utf-8"), body)
    })
}

/// Needs Chromium, which `./just test` installs.
#[test]
#[cfg(feature = "record")]
fn a_live_page_is_read_like_a_recorded_one() {
    let url = serve_site("docs") + "/guides/large-payloads";
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("pages.cache").to_string_lossy().into_owned();
    let cached = |options: &str| {
        let ran = read(&format!("{url} --cache {file} {options}"));
        assert_eq!(ran.code, 0, "{}", ran.err);
        (ran.out, ran.err.trim_end().to_owned())
    };
    let (whole, status) = cached("");
    assert!(status.ends_with("read anew"), "{status}");
    assert!(whole.contains("# Send large payloads") && whole.contains("Restart producers."), "{whole}");
    let (section, status) = cached("--section 'Turn it on'");
    assert!(status.starts_with("from the cache, as read ") && status.ends_with("--no-cache reads anew"), "{status}");
    assert!(section.starts_with("## Turn it on\n") && whole.contains(section.trim_end()), "{section}");
    let (answer, _) = cached("--query 'what decides the limit' --limit 1");
    assert!(answer.starts_with("## What decides the limit\n") && answer.contains("(Relevance: "), "{answer}");
    assert!(answer.len() < whole.len() / 3, "{} of {}", answer.len(), whole.len());
    assert!(said(&format!("{url} --graph dot")).starts_with("digraph"));
}
