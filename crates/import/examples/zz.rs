//! x
#![allow(warnings)]
use browserlens_page::{Capture, PayloadKind};
use browserlens_strategy::StepIndex;
use std::io::Write;
use std::time::Instant;
fn compress(body: &[u8], prefix: &[u8], level: i32, ldm: bool) -> usize {
    let mut e = if prefix.is_empty() { zstd::stream::write::Encoder::new(Vec::new(), level).unwrap() } else { zstd::stream::write::Encoder::with_ref_prefix(Vec::new(), level, prefix).unwrap() };
    let span = (body.len() + prefix.len()).max(1 << 10) as u64;
    e.window_log((u64::BITS - span.leading_zeros()).clamp(10, 30)).unwrap();
    if ldm { e.long_distance_matching(true).unwrap(); }
    e.set_pledged_src_size(Some(body.len() as u64)).unwrap();
    e.write_all(body).unwrap();
    e.finish().unwrap().len()
}
fn main() {
    seeds();
    for name in ["shop-laptop-to-cart", "portal-hr-request", "table-edit-cell"] {
        let path = format!("{}/../../traces/{name}.trace", env!("CARGO_MANIFEST_DIR"));
        let Ok(trace) = browserlens_trace::Trace::open(&path) else { continue };
        for kind in [PayloadKind::Snapshot, PayloadKind::Ax] {
            let bodies: Vec<Vec<u8>> = (0..trace.len()).map(|s| { let c: Capture = trace.capture(StepIndex(s)).unwrap(); c.of_kind(kind).next().unwrap().body.to_vec() }).collect();
            println!("{name} {kind:?} {} bodies {} bytes", bodies.len(), bodies.iter().map(Vec::len).sum::<usize>());
            for (level, key, ldm) in [(9, 1, false), (9, 8, true), (9, 8, false), (6, 8, true), (5, 8, false), (3, 8, true), (3, 8, false), (1, 8, true), (3, 1, false)] {
                let t = Instant::now();
                let mut sum = 0;
                for (i, b) in bodies.iter().enumerate() { let p: &[u8] = if i % key == 0 { &[] } else { &bodies[i - 1] }; sum += compress(b, p, level, ldm); }
                println!("  level {level} key {key} ldm {ldm}: {:?} {sum} bytes", t.elapsed());
            }
        }
    }
}
#[path = "../tests/common/table.rs"]
mod table;
#[allow(dead_code)]
fn seeds() {
    use parquet::basic::Compression::*;
    const S: &str = "message schema { optional binary raw_html (STRING); optional binary operation (STRING); optional group pos_candidates (LIST) { repeated group list { optional binary element (STRING); } } optional binary annotation_id (STRING); optional binary target_action_index (STRING); }";
    for (n, c, d) in [("plain", UNCOMPRESSED, false), ("snappy", SNAPPY, true)] {
        let rows = vec![vec![table::Row::click("a", 0, "<p>a</p><button backend_node_id=\"7\">Go</button>", "7"), table::Row::click("a", 1, "<p>b</p>", "7"), table::Row::click("b", 0, "<p>c</p>", "8")]];
        let b = table::table_of(S, &rows, c, d);
        println!("{n} {}", b.len());
        std::fs::write(format!("{}/fuzz/seeds/mind2web_rows/{n}", env!("CARGO_MANIFEST_DIR")), b).unwrap();
    }
}
