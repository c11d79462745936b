//! Peers' files: what is written is read again, secrets are not, and damage is named.

use browserlens_core::page::NodeKey;
use browserlens_trace::{
    Fault, PeerPass, PeerRow, PeerText, PeersFile, RedactionKey, RedactionOptions, Redactor, TraceError, TraceHash,
    peers_path, write_peers,
};
use std::path::{Path, PathBuf};

const HASH: TraceHash = TraceHash([7; 32]);

fn row(step: u32, kind: PeerText, variant: &str, text: &str) -> PeerRow {
    PeerRow {
        step,
        kind,
        variant: variant.to_owned(),
        text: text.to_owned(),
        micros: 40 + u64::from(step),
        dropped: None,
        refs: vec![(format!("e{step}"), NodeKey { frame: 1, loader: 2, backend: 30 + step })],
    }
}

fn passes() -> Vec<PeerPass> {
    let long = |step: u32| format!("- main:\n{}", format!("  - link \"Read {step}\" [ref=e4]\n").repeat(500));
    let mut rows: Vec<PeerRow> = (0..12).map(|step| row(step, PeerText::Observation, "full", &long(step))).collect();
    rows.push(PeerRow { dropped: Some("node 4 differs".to_owned()), text: String::new(), ..rows[3].clone() });
    rows.push(row(3, PeerText::Console, "console", "no messages"));
    vec![
        PeerPass {
            peer: "playwright-mcp@0.0.83".to_owned(),
            browser: "Chrome/156".to_owned(),
            failure: None,
            tools: Some("[{\"name\":\"browser_snapshot\"}]".to_owned()),
            rows,
        },
        PeerPass {
            peer: "stagehand@3.7.3".to_owned(),
            browser: "Chrome/156".to_owned(),
            failure: Some("step 0: it ended".to_owned()),
            tools: None,
            rows: Vec::new(),
        },
    ]
}

fn redactor(known: &[&str]) -> Redactor {
    let known = known.iter().map(|text| (*text).to_owned()).collect();
    Redactor::new(RedactionOptions { key: RedactionKey::Fixed, known, public: Vec::new() })
}

fn written(known: &[&str], passes: &[PeerPass]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("temporary folder");
    let path = peers_path(&folder.path().join("shop.trace"));
    write_peers(&path, HASH, "shop/lamp", passes, &redactor(known)).expect("writes");
    (folder, path)
}

#[test]
fn what_is_written_is_read_again_whole_and_step_by_step() {
    let (_folder, path) = written(&[], &passes());
    assert!(path.ends_with("shop.peers"));
    let file = PeersFile::open(&path).expect("opens");
    assert_eq!((file.trace(), file.scenario()), (HASH, "shop/lamp"));
    assert_eq!(file.whole_passes().expect("reads"), passes());
    let outputs = file.outputs(3).expect("reads");
    assert_eq!(outputs.len(), 3);
    assert!(outputs.iter().all(|(peer, _)| *peer == "playwright-mcp@0.0.83"));
    assert_eq!(file.outputs(11).expect("reads")[0].1, passes()[0].rows[11]);
    let variants = file.variants().expect("lists");
    assert_eq!((variants.len(), variants[0].kept, variants[0].dropped), (1, 12, 1));
    assert_eq!(file.dropped().expect("lists").into_values().next(), Some(vec![(3, "node 4 differs".to_owned())]));
    assert!(std::fs::metadata(&path).expect("metadata").len() < 40_000, "texts build on those of the step before");
}

#[test]
fn equal_passes_make_equal_files() {
    let (_one, first) = written(&[], &passes());
    let (_other, second) = written(&[], &passes());
    assert_eq!(std::fs::read(first).expect("reads"), std::fs::read(second).expect("reads"));
}

#[test]
fn known_secrets_stand_in_no_byte() {
    let mut passes = passes();
    passes[0].rows[0].text = "textbox: correct horse battery".to_owned();
    passes[1].failure = Some("it printed correct horse battery".to_owned());
    let (_folder, path) = written(&["correct horse battery"], &passes);
    let file = PeersFile::open(&path).expect("opens");
    let text = file.outputs(0).expect("reads").remove(0).1.text;
    assert_eq!(text.len(), "textbox: correct horse battery".len());
    assert!(text.starts_with("textbox: ") && !text.contains("horse"), "{text}");
    let bytes = std::fs::read(&path).expect("reads");
    assert!(!bytes.windows(13).any(|window| window == b"correct horse"));
}

#[test]
fn a_file_that_stands_there_is_kept_until_the_new_one_is_whole() {
    let (folder, path) = written(&[], &passes());
    write_peers(&path, TraceHash([8; 32]), "shop/lamp", &passes()[1..], &redactor(&[])).expect("writes");
    let file = PeersFile::open(&path).expect("opens");
    assert_eq!((file.trace(), file.passes().count()), (TraceHash([8; 32]), 1));
    assert_eq!(std::fs::read_dir(folder.path()).expect("lists").count(), 1, "nothing is left beside it");
}

fn error_of(path: &Path) -> TraceError {
    match PeersFile::open(path) {
        Err(error) => error,
        Ok(file) => file.whole_passes().expect_err("damage is noticed when it is read"),
    }
}

#[test]
fn each_kind_of_damage_is_named() {
    let (folder, path) = written(&[], &passes());
    let whole = std::fs::read(&path).expect("reads");
    let try_with = |bytes: &[u8]| {
        let damaged = folder.path().join("damaged.peers");
        std::fs::write(&damaged, bytes).expect("writes");
        error_of(&damaged)
    };
    assert!(try_with(b"hello").to_string().contains("not a peers' file"));
    assert!(matches!(try_with(&whole[..60]).fault, Fault::Truncated { .. }));
    let mut newer = whole.clone();
    newer[63] = 9;
    assert!(matches!(try_with(&newer).fault, Fault::TooNew { found: 9, supported: 1, .. }));
    let mut other = whole.clone();
    other[70] ^= 1;
    assert!(matches!(try_with(&other).fault, Fault::NotPeers { .. }));
    for needle in [&b"stagehand@3.7.3"[..], b"node 4 differs"] {
        let mut flipped = whole.clone();
        let at = flipped.windows(needle.len()).position(|window| window == needle).expect("stands in the file");
        flipped[at] ^= 1;
        let error = try_with(&flipped).to_string();
        assert!(error.contains("does not match its seal"), "{error}");
    }
    let half = try_with(&whole[..whole.len() / 2]);
    assert!(half.to_string().contains("damaged.peers"), "{half}");
    assert!(!half.hint().is_empty());
}

#[test]
fn flipped_bytes_give_an_error_or_the_whole_content() {
    let (folder, path) = written(&[], &passes());
    let whole = std::fs::read(&path).expect("reads");
    let damaged = folder.path().join("damaged.peers");
    for at in (0..whole.len()).step_by(97) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x41;
        std::fs::write(&damaged, &bytes).expect("writes");
        if let Ok(file) = PeersFile::open(&damaged)
            && let Ok(read) = file.whole_passes()
        {
            assert_eq!(read, passes(), "byte {at}");
        }
    }
}
