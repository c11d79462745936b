//! The bundled recordings of other tools: every tool has output at every step of every scenario,
//! about the page of the trace.

use browserlens_trace::{PeerText, PeersFile, Trace, peers_path};
use std::path::{Path, PathBuf};

fn traces() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces");
    browserlens_replay::find_traces(&folder).expect("bundled traces")
}

const OUTPUTS: usize = 10;

#[test]
fn every_tool_has_output_at_every_step_of_every_scenario() {
    let (mut kept, mut dropped) = (0, 0);
    for path in traces() {
        let trace = Trace::open(&path).expect("opens");
        let file = PeersFile::open(&peers_path(&path)).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(file.trace(), trace.hash(), "{} is about another recording", file.path().display());
        for pass in file.passes() {
            assert_eq!(pass.failure, None, "{} on {}", pass.peer, file.scenario());
        }
        let variants = file.variants().expect("lists");
        assert_eq!(variants.len(), OUTPUTS, "{}", file.scenario());
        for variant in variants {
            let steps = variant.kept + variant.dropped;
            assert_eq!(steps, trace.len(), "{}/{} on {}", variant.peer, variant.variant, file.scenario());
            kept += variant.kept;
            dropped += variant.dropped;
        }
    }
    assert!(dropped * 50 < kept + dropped, "{dropped} of {} texts were dropped: 2 % is the most", kept + dropped);
}

#[test]
fn mcp_servers_tell_their_tools_console_and_requests() {
    for path in traces() {
        let file = PeersFile::open(&peers_path(&path)).expect("opens");
        let tools =
            file.passes().filter(|pass| pass.tools.as_ref().is_some_and(|tools| tools.starts_with("[{"))).count();
        assert_eq!(tools, 3, "{}: two versions of Playwright MCP, and chrome-devtools-mcp", file.scenario());
        let steps = Trace::open(&path).expect("opens").len();
        for step in 0..steps {
            let outputs = file.outputs(step).expect("reads");
            for kind in [PeerText::Console, PeerText::Network] {
                assert_eq!(outputs.iter().filter(|(_, row)| row.kind == kind).count(), 2, "step {step} {kind:?}");
            }
        }
    }
}
