//! What `script/patch.js` and the protocol say of changes in a frame.
//!
//! In: JSON text. Out: places in the old and the new order of nodes. Invariant: nothing here is
//! trusted: who writes it in checks every place.

use super::accessibility::AxRow;
use serde::Deserialize;

/// What changed in a frame.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Changes {
    pub(super) kind: String,
    pub(super) why: String,
    pub(super) count: usize,
    /// From where the nodes come: an old place and how many; -1 for new ones; two less than minus
    /// the old place for what is rendered anew.
    pub(super) runs: Vec<(i64, usize)>,
    pub(super) ups: Vec<(usize, i64)>,
    pub(super) fresh: Vec<(usize, i64, String, String)>,
    /// How many objects are to be described.
    pub(super) objects: usize,
    /// The roots of what is new, in document order: which object, and which of its child nodes (the
    /// object itself if negative).
    pub(super) roots: Vec<(usize, i64)>,
    /// What is rendered anew in another order.
    pub(super) repainted: Vec<Repainted>,
    pub(super) moved: Vec<(usize, f64, f64, f64, f64)>,
    /// Ranges of nodes that moved as one, and how far.
    pub(super) slid: Vec<(usize, usize, f64, f64)>,
    pub(super) shifted: Vec<(usize, f64, f64)>,
    pub(super) texts: Vec<(usize, String, f64, f64, f64, f64)>,
    /// Parts of new drawings, those of drawings like them, and how far apart they lie.
    pub(super) drawings: Vec<(usize, usize, f64, f64)>,
    pub(super) layers: Vec<NewLayers>,
    pub(super) rows: Vec<ChangedRow>,
    pub(super) sizes: Vec<(usize, [f64; 4], [f64; 4])>,
    #[serde(rename = "axRead")]
    pub(super) ax_read: Vec<usize>,
    pub(super) ax: Vec<AxRow>,
    pub(super) title: String,
    pub(super) scroll: [f64; 2],
}

/// Layers of a new subtree, and those of the sibling before it, in the order in which they are
/// painted, by their place in the stack around both.
#[derive(Deserialize)]
pub(super) struct NewLayers {
    pub(super) root: usize,
    pub(super) end: usize,
    pub(super) beside: usize,
    pub(super) beside_end: usize,
    pub(super) ours: Vec<(String, Vec<usize>)>,
    pub(super) theirs: Vec<(String, Vec<usize>)>,
}

/// First node, end, and the layers between them by level, in the order in which they are painted
/// now.
#[derive(Deserialize)]
pub(super) struct Repainted(pub(super) usize, pub(super) usize, pub(super) Vec<Vec<usize>>);

/// Place, attributes, styles (none without a box), whether it makes a layer, client and scroll box,
/// value of an input and a textarea, checked, selected, whether styles may have changed.
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
    pub(super) bool,
);

/// A new node: kind, backend node id, and name and id of what is generated in it.
pub(super) struct NewNode {
    pub(super) kind: i64,
    pub(super) backend: i64,
    pub(super) generated: Vec<(String, i64)>,
}

/// A node as the protocol describes it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Described {
    backend_node_id: i64,
    node_type: i64,
    node_name: String,
    #[serde(default)]
    children: Vec<Described>,
    #[serde(default)]
    pseudo_elements: Vec<Described>,
}

impl Described {
    /// Adds the node, or one of its children, and all below that, in document order; says whether
    /// there is one.
    pub(super) fn flat(&self, child: i64, found: &mut Vec<NewNode>) -> bool {
        let root = usize::try_from(child).map_or(Some(self), |child| self.children.get(child));
        let mut open: Vec<&Self> = root.into_iter().collect();
        while let Some(node) = open.pop() {
            let generated = node.pseudo_elements.iter().map(|part| (part.node_name.clone(), part.backend_node_id));
            found.push(NewNode { kind: node.node_type, backend: node.backend_node_id, generated: generated.collect() });
            open.extend(node.children.iter().rev());
        }
        root.is_some()
    }
}
