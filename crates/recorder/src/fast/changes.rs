//! What `script/patch.js` and the protocol say of changes in a frame.
//!
//! In: JSON text. Out: places in the old and the new order of nodes. Invariant: nothing here is trusted: who writes it in checks every place.

use super::said::Row;
use serde::Deserialize;

/// What changed in a frame.
#[derive(Deserialize)]
pub(super) struct Changes {
    pub(super) kind: String,
    #[serde(default)]
    pub(super) why: String,
    #[serde(default)]
    pub(super) count: usize,
    #[serde(default)]
    pub(super) runs: Vec<(i64, usize)>,
    #[serde(default)]
    pub(super) ups: Vec<(usize, i64)>,
    #[serde(default)]
    pub(super) fresh: Vec<(usize, i64, String, String)>,
    #[serde(default)]
    pub(super) roots: usize,
    #[serde(default)]
    pub(super) moved: Vec<(usize, f64, f64, f64, f64)>,
    #[serde(default)]
    pub(super) shifted: Vec<(usize, f64, f64)>,
    #[serde(default)]
    pub(super) texts: Vec<(usize, String, f64, f64, f64, f64)>,
    /// Parts of new drawings, those of drawings like them, and how far apart they lie.
    #[serde(default)]
    pub(super) twins: Vec<(usize, usize, f64, f64)>,
    #[serde(default)]
    pub(super) layers: Vec<NewLayers>,
    #[serde(default)]
    pub(super) rows: Vec<ChangedRow>,
    #[serde(default)]
    pub(super) sizes: Vec<(usize, [f64; 4], [f64; 4])>,
    #[serde(default, rename = "axRead")]
    pub(super) ax_read: Vec<usize>,
    #[serde(default)]
    pub(super) ax: Vec<Row>,
    #[serde(default)]
    pub(super) title: String,
    #[serde(default)]
    pub(super) scroll: [f64; 2],
}

/// Layers of a new subtree, and those of the sibling before it, in the order in which they are painted, by their place in the stack around both.
#[derive(Deserialize)]
pub(super) struct NewLayers {
    pub(super) root: usize,
    pub(super) end: usize,
    pub(super) beside: usize,
    pub(super) beside_end: usize,
    pub(super) ours: Vec<(String, Vec<usize>)>,
    pub(super) theirs: Vec<(String, Vec<usize>)>,
}

/// Place, attributes, styles (none without a box), whether it makes a layer, client and scroll box, value of an input and a textarea, checked, selected.
#[derive(Deserialize)]
pub(super) struct ChangedRow(
    pub(super) usize,
    pub(super) Vec<String>,
    pub(super) Option<Vec<String>>,
    pub(super) bool,
    pub(super) [f64; 4],
    pub(super) [f64; 4],
    pub(super) Option<String>,
    pub(super) Option<String>,
    pub(super) bool,
    pub(super) bool,
);

/// A node as the protocol describes it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Described {
    backend_node_id: i64,
    node_type: i64,
    #[serde(default)]
    children: Vec<Described>,
}

impl Described {
    /// Returns kind and backend node id of the node and all below it, in document order.
    pub(super) fn flat(self) -> Vec<(i64, i64)> {
        let mut found = Vec::new();
        let mut open = vec![self];
        while let Some(node) = open.pop() {
            found.push((node.node_type, node.backend_node_id));
            open.extend(node.children.into_iter().rev());
        }
        found
    }
}

