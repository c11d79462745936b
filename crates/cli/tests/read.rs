//! `read`: a trace whole, in parts, by question and as a graph; its cache; and every error with its
//! exit code.

mod common;

use common::{browserlens, root};
use std::process::Output;

/// Asks `[sources…, options…]`.
fn read(arguments: &[&str]) -> Output {
    let sources = arguments.iter().take_while(|word| !word.starts_with('-')).count();
    let asked = match sources {
        0 => [&["read"], arguments].concat(),
        some => [&["page"], &arguments[..some], &["text"], &arguments[some..]].concat(),
    };
    browserlens().args(asked).current_dir(root()).env("NO_COLOR", "1").output().expect("the command starts")
}

/// What is read of a trace without the cache.
fn said(arguments: &[&str]) -> String {
    let output = read(&[arguments, &["--no-cache"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn refused(arguments: &[&str]) -> String {
    let output = read(arguments);
    assert!(output.stdout.is_empty());
    format!("exit {}\n{}", output.status.code().unwrap_or(-1), String::from_utf8_lossy(&output.stderr).trim_end())
}

const DOCS: &str = "traces/docs-combine-three-documents.trace";

#[test]
fn a_document_is_read_whole_in_parts_and_by_question() {
    let preview = said(&[DOCS, "--preview"]);
    assert!(preview.lines().nth(2).is_some_and(|line| line.ends_with(" sections")), "{preview}");
    let whole = said(&[DOCS]);
    assert!(whole.contains("\n\n## "), "{whole}");
    // Sections one by one are the whole.
    let mut parts = Vec::new();
    loop {
        let output = read(&[DOCS, "--no-cache", "--limit", "2", "--offset", &(2 * parts.len()).to_string()]);
        parts.push(String::from_utf8_lossy(&output.stdout).trim_end().to_owned());
        let status = String::from_utf8_lossy(&output.stderr).into_owned();
        if !status.contains("go on with --offset") {
            break;
        }
    }
    assert!(parts.len() > 1);
    assert_eq!(parts.join("\n\n"), whole.trim_end());
    let heading = whole.lines().find_map(|line| line.strip_prefix("## ")).expect("a heading");
    assert!(said(&[DOCS, "--section", heading]).starts_with(&format!("## {heading}\n")));
    let answer = said(&[DOCS, "--query", heading, "--limit", "1"]);
    assert!(answer.starts_with("## ") && answer.contains("(Relevance: "), "{answer}");
    assert_eq!(answer, said(&[DOCS, "--options", &format!("query=\"{heading}\" limit=1")]));
    assert_eq!(said(&[DOCS, "--query", "quokka zeppelin"]), "No content found matching query: \"quokka zeppelin\"\n");
}

#[test]
fn a_document_is_drawn_in_every_format() {
    assert!(said(&[DOCS, "--graph", "dot"]).starts_with("digraph"));
    assert!(said(&[DOCS, "--graph", "svg"]).contains("<svg"));
    let json: serde_json::Value = serde_json::from_str(&said(&[DOCS, "--graph", "json"])).expect("JSON");
    assert!(json["nodes"].as_object().is_some_and(|nodes| nodes.len() > 5));
}

#[test]
fn a_part_of_the_graph_is_drawn_around_a_heading() {
    let whole = said(&[DOCS, "--graph", "json"]);
    let heading = said(&[DOCS]).lines().find_map(|line| line.strip_prefix("## ").map(str::to_owned)).expect("one");
    let part = said(&[DOCS, "--graph", "json", "--section", &heading]);
    assert!(part.contains(&heading) && part.len() < whole.len());
    let near = said(&[DOCS, "--section", &heading, "--within", "1"]);
    assert!(near.starts_with(&format!("0 heading: ## {heading}\n1 ")), "{near}");
}

#[test]
fn several_pages_answer_together_and_name_themselves() {
    let shop = "traces/shop-laptop-to-cart.trace";
    let answer = said(&[DOCS, shop, "--query", "how long is the warranty", "--limit", "1"]);
    assert!(answer.contains("warranty") && answer.contains(&format!("; {shop} step ")), "{answer}");
    assert!(said(&[DOCS, "--about", "producers"]).starts_with("# "));
    assert!(said(&[DOCS, "--related", "Guides"]).starts_with("100 % "));
    assert!(said(&[shop, "--duplicates"]).contains("% the same: ") || said(&[shop, "--duplicates"]).contains("on "));
}

#[test]
fn the_second_reading_comes_from_the_cache_and_a_damaged_one_is_made_anew() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("pages.cache").to_string_lossy().into_owned();
    let cached = || {
        let output = read(&[DOCS, "--cache", &file]);
        assert_eq!(output.status.code(), Some(0));
        assert_eq!(String::from_utf8_lossy(&output.stdout), said(&[DOCS]));
        String::from_utf8_lossy(&output.stderr).trim_end().to_owned()
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
            browserlens()
                .args(["page", DOCS, "text", "--step", &step.to_string(), "--cache", &file, "--preview"])
                .current_dir(root())
                .stdout(std::process::Stdio::piped())
                .stderr(std::process::Stdio::piped())
                .spawn()
                .expect("the command starts")
        };
        let started: Vec<_> = (0..6).map(start).collect();
        let end = |child: std::process::Child| {
            let output = child.wait_with_output().expect("it ends");
            assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
            String::from_utf8_lossy(&output.stderr).trim_end().to_owned()
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
        let output = read(&[&page, "--cache", &cache]);
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    for heading in ["Before", "After"] {
        assert!(told(heading).contains(heading), "{heading}");
    }
}

#[test]
fn every_bad_input_is_one_clear_line_with_its_exit_code() {
    let all = [
        refused(&["traces/no-such.trace"]),
        refused(&[DOCS, "--step", "99"]),
        refused(&[DOCS, "--options", "limit=0"]),
        refused(&[DOCS, "--options", "limt=3"]),
        refused(&[DOCS, "--no-cache", "--section", "99"]),
        refused(&[DOCS, "--cache", "Cargo.toml/pages.cache"]),
        refused(&["https://127.0.0.1:9/", "--step", "1"]),
        refused(&[DOCS, "--no-cache", "--offset", "9999"]),
        refused(&[DOCS, "--no-cache", "--skip", "9999999"]),
        refused(&[DOCS, "--no-cache", "--within", "2"]),
        refused(&[DOCS, "--cache", "no-such-folder/pages.cache"]),
        refused(&[DOCS, DOCS]),
    ];
    assert!(!root().join("no-such-folder").exists());
    insta::assert_snapshot!(all.join("\n\n"));
}

/// Serves the files of a bundled site on the loopback; an address without an ending is a document.
#[cfg(feature = "record")]
fn serve(site: &str) -> String {
    use std::io::{Read, Write};
    let folder = root().join("traces/sites").join(site);
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = format!("http://{}", listener.local_addr().expect("is bound"));
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { continue };
            let mut asked = [0; 4096];
            let read = stream.read(&mut asked).unwrap_or(0);
            let asked = String::from_utf8_lossy(&asked[..read]).into_owned();
            let path = asked.split(' ').nth(1).unwrap_or("/").split('?').next().unwrap_or("/").to_owned();
            let path = if path.ends_with('/') { path + "index" } else { path };
            let file = folder.join(path.trim_start_matches('/'));
            let file = if file.extension().is_none() { file.with_extension("html") } else { file };
            let kind = match file.extension().and_then(|extension| extension.to_str()) {
                Some("css") => "text/css",
                Some("js") => "text/javascript",
                Some("svg") => "image/svg+xml",
                Some("json") => "application/json",
                _ => "text/html",
            };
            let (status, body) = match std::fs::read(&file) {
                Ok(body) => ("200 OK", body),
                Err(_) => ("404 Not Found", Vec::new()),
            };
            let head = format!(
                "HTTP/1.1 {status}\r\nContent-Type: {kind}; charset=utf-8\r\nContent-Length: {}\r\nConnection: \
                    close\r\n\r\n",
                body.len()
            );
            let _ = stream.write_all(&[head.as_bytes(), &body].concat());
        }
    });
    address
}

/// Needs Chromium, which `./just test` installs.
#[test]
#[cfg(feature = "record")]
fn a_live_page_is_read_like_a_recorded_one() {
    let url = serve("docs") + "/guides/large-payloads";
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("pages.cache").to_string_lossy().into_owned();
    let cached = |arguments: &[&str]| {
        let output = read(&[&[url.as_str(), "--cache", &file], arguments].concat());
        let status = String::from_utf8_lossy(&output.stderr).trim_end().to_owned();
        assert_eq!(output.status.code(), Some(0), "{status}");
        (String::from_utf8_lossy(&output.stdout).into_owned(), status)
    };
    let (whole, status) = cached(&[]);
    assert!(status.ends_with("read anew"), "{status}");
    assert!(whole.contains("# Send large payloads") && whole.contains("Restart producers."), "{whole}");
    let (section, status) = cached(&["--section", "Turn it on"]);
    assert!(status.starts_with("from the cache, as read ") && status.ends_with("--no-cache reads anew"), "{status}");
    assert!(section.starts_with("## Turn it on\n") && whole.contains(section.trim_end()), "{section}");
    let (answer, _) = cached(&["--query", "what decides the limit", "--limit", "1"]);
    assert!(answer.starts_with("## What decides the limit\n") && answer.contains("(Relevance: "), "{answer}");
    assert!(answer.len() < whole.len() / 3, "{} of {}", answer.len(), whole.len());
    assert!(said(&[&url, "--graph", "dot"]).starts_with("digraph"));
}
