//! What is written into a small mirror, and what is refused.

use super::{Mirror, MirrorOf};
use crate::capture::fast::changes::{Changes, Described, NewNode};
use browserlens_core::page::raw::Snapshot;
use serde_json::{Value, json};

/// A list of two items with a badge each, painted one after the other; the first item has generated
/// text.
fn snapshot(painted: [i64; 2]) -> Snapshot {
    let [first, second] = painted;
    let names = ["F", "#document", "UL", "LI", "B", "::before", "block"];
    let bounds: Vec<Value> = [0, 0, 0, 0, 0, 20, 20].iter().map(|y| json!([0, y, 100, 20])).collect();
    let json = json!({
        "strings": names,
        "documents": [{
            "documentURL": 0, "title": 0, "frameId": 0,
            "nodes": {
                "parentIndex": [-1, 0, 1, 2, 2, 1, 5],
                "nodeType": [9, 1, 1, 1, 1, 1, 1],
                "nodeName": [1, 2, 3, 5, 4, 3, 4],
                "nodeValue": [-1, -1, -1, -1, -1, -1, -1],
                "backendNodeId": [1, 2, 3, 4, 5, 6, 7],
                "attributes": [[], [], [], [], [], [], []],
            },
            "layout": {
                "nodeIndex": [0, 1, 2, 3, 4, 5, 6],
                "styles": [[], [6], [6], [6], [6], [6], [6]],
                "bounds": bounds,
                "text": [-1, -1, -1, -1, -1, -1, -1],
                "paintOrders": [1, 1, 1, 1, first, 1, second],
            },
        }],
    });
    serde_json::from_value(json).expect("reads")
}

fn mirror() -> Mirror {
    painted([2, 3])
}

fn painted(painted: [i64; 2]) -> Mirror {
    let kept = [(9, 9), (1, 2), (1, 2), (1, 1), (1, 2), (1, 1)];
    let hash = kept.iter().fold(0_i32, |hash, (kind, length)| hash.wrapping_mul(31) + kind * 131 + length);
    let of = MirrorOf { session: "S".into(), frame: "F".into(), loader: "L".into(), frames: "{}".into() };
    Mirror::of(&snapshot(painted), (kept.len(), hash), of).expect("what the script kept")
}

fn changes(said: Value) -> Changes {
    let mut all = json!({ "kind": "patch", "count": 6 });
    all.as_object_mut().expect("an object").extend(said.as_object().expect("an object").clone());
    serde_json::from_value(all).expect("reads")
}

fn told(backends: &[(i64, &[(&str, i64)])]) -> Vec<NewNode> {
    let generated = |parts: &[(&str, i64)]| parts.iter().map(|(name, id)| ((*name).to_owned(), *id)).collect();
    backends
        .iter()
        .map(|(backend, parts)| NewNode { kind: 1, backend: *backend, generated: generated(parts) })
        .collect()
}

/// Backend node ids, paint orders and tops, generated nodes included.
fn read(mirror: &Mirror) -> (Vec<i64>, Vec<i64>, Vec<f64>) {
    let snapshot = mirror.snapshot(Vec::new());
    let [document] = &snapshot.documents[..] else { panic!("one document") };
    let tops = document.layout.bounds.iter().map(|rect| rect.0[1]).collect();
    (document.nodes.backend_node_id.clone(), document.layout.paint_orders.clone(), tops)
}

#[test]
fn a_mirror_gives_the_snapshot_it_was_made_of() {
    let (backends, paints, tops) = read(&mirror());
    assert_eq!(backends, [1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(paints, [1, 1, 1, 1, 2, 1, 3]);
    assert_eq!(tops, [0.0, 0.0, 0.0, 0.0, 0.0, 20.0, 20.0]);
    let of = MirrorOf { session: "S".into(), frame: "F".into(), loader: "L".into(), frames: "{}".into() };
    assert!(Mirror::of(&snapshot([2, 3]), (6, 0), of).is_none(), "the script kept other nodes");
}

#[test]
fn what_is_rendered_anew_is_what_it_stands_for_with_other_ids() {
    let mut mirror = mirror();
    // The first item went and came again: places 2 and 3 stand for themselves.
    let anew = changes(json!({ "runs": [[0, 2], [-4, 2], [4, 2]] }));
    mirror.apply(anew, &told(&[(20, &[("::before", 21)]), (22, &[])])).expect("writes");
    let (backends, paints, _) = read(&mirror);
    assert_eq!(backends, [1, 2, 20, 21, 22, 6, 7]);
    assert_eq!(paints, [1, 1, 1, 1, 2, 1, 3]);
}

#[test]
fn items_in_another_order_are_painted_in_that() {
    let swapped = || {
        changes(json!({
            "runs": [[0, 2], [4, 2], [2, 2]], "ups": [[2, 1], [3, 2], [4, 1], [5, 4]], "repainted": [[2, 6, [[3, 5]]]],
        }))
    };
    let mut mirror = painted([2, 3]);
    mirror.apply(swapped(), &[]).expect("writes");
    let (backends, paints, _) = read(&mirror);
    assert_eq!(backends, [1, 2, 6, 7, 3, 4, 5]);
    assert_eq!(paints, [1, 1, 1, 2, 1, 1, 3]);
    let error = painted([3, 2]).apply(swapped(), &[]).expect_err("the second was painted before the first");
    assert_eq!(error, "layers of several levels");
}

#[test]
fn what_slid_takes_its_generated_text_along() {
    let mut mirror = mirror();
    mirror.apply(changes(json!({ "slid": [[2, 4, 0.0, 5.0]] })), &[]).expect("writes");
    assert_eq!(read(&mirror).2, [0.0, 0.0, 5.0, 5.0, 5.0, 20.0, 20.0]);
}

#[test]
fn changes_that_name_what_is_not_there_are_refused() {
    let refused = [
        (json!({ "slid": [[2, 9, 0.0, 1.0]] }), "a place that is none"),
        (json!({ "slid": [[4, 2, 0.0, 1.0]] }), "a place that is none"),
        (json!({ "moved": [[9, 0.0, 0.0, 1.0, 1.0]] }), "a place that is none"),
        (json!({ "repainted": [[2, 7, []]] }), "a place that is none"),
        (json!({ "repainted": [[2, 6, [[9]]]] }), "a layer without a box"),
        (json!({ "repainted": [[2, 6, [[3]]]] }), "other layers than are known"),
        (json!({ "count": 7 }), "another number of nodes"),
        (json!({ "runs": [[0, 2], [-4, 2], [4, 2]] }), "a node too few"),
        (json!({ "runs": [[0, 2], [2, 2], [2, 2]] }), "a node that stood nowhere"),
        (json!({ "runs": [[0, 2], [i64::MIN, 2], [4, 2]] }), "a node too few"),
        (json!({ "runs": [[0, 2], [2, 2], [4, 2]], "ups": [[2, 5]] }), "a node before what holds it"),
        (json!({ "runs": [[2, 2], [0, 2], [4, 2]] }), "a node before what holds it"),
        (json!({ "runs": [[0, 2], [-1, 2], [4, 2]] }), "a node too few"),
    ];
    for (said, why) in refused {
        assert_eq!(mirror().apply(changes(said.clone()), &[]), Err(why), "{said}");
    }
    let anew = || changes(json!({ "runs": [[0, 2], [-4, 2], [4, 2]] }));
    let without = mirror().apply(anew(), &told(&[(20, &[]), (22, &[])]));
    assert_eq!(without, Err("generated text that is not described"));
    let more = mirror().apply(anew(), &told(&[(20, &[("::before", 21)]), (22, &[]), (23, &[])]));
    assert_eq!(more, Err("new nodes are not told alike"));
}

#[test]
fn described_nodes_are_listed_in_document_order() {
    let described: Described = serde_json::from_value(json!({
        "backendNodeId": 1, "nodeType": 11, "nodeName": "#fragment",
        "children": [
            { "backendNodeId": 2, "nodeType": 1, "nodeName": "LI",
              "pseudoElements": [{ "backendNodeId": 3, "nodeType": 1, "nodeName": "::before" }],
              "children": [{ "backendNodeId": 4, "nodeType": 3, "nodeName": "#text" },
                  { "backendNodeId": 5, "nodeType": 1, "nodeName": "B" }] },
            { "backendNodeId": 6, "nodeType": 1, "nodeName": "LI" },
        ],
    }))
    .expect("reads");
    let listed = |child| {
        let mut found = Vec::new();
        described.flat(child, &mut found).then(|| found.iter().map(|node| node.backend).collect::<Vec<i64>>())
    };
    assert_eq!(listed(-1), Some(vec![1, 2, 4, 5, 6]));
    assert_eq!(listed(0), Some(vec![2, 4, 5]));
    assert_eq!(listed(1), Some(vec![6]));
    assert_eq!(listed(2), None);
    let mut found = Vec::new();
    assert!(described.flat(0, &mut found));
    assert_eq!(found[0].generated, [("::before".to_owned(), 3)]);
}
