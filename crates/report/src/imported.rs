//! Imported traces: whose recordings they are, under which licence, and how other tools are
//! compared on them.
//!
//! In: the origins of the traces of a run. Out: a table and a sentence; none where every trace was
//! recorded here. Invariant: each imported trace has its own line, with its source and licence as
//! they were told; what is not known is said so.

use crate::ReportInput;
use crate::text_table::TextTable;
use browserlens_replay::Origin;

/// How to read results on imported traces.
const IN_WORDS: &str = "These pages are other people's recordings. What other tools show of them is made by our \
    re-implementations: the tools themselves never saw these pages. Pages that were rendered come from recorded \
    markup, with scripts off and the network cut; on pages that were not rendered, strategies that read layout or \
    accessibility have error rows.";

/// The imported traces of a run.
pub(crate) struct Imported<'a> {
    traces: Vec<(&'a str, &'a Origin)>,
}

impl<'a> Imported<'a> {
    /// Lists the imported traces; none if there is none.
    pub fn of(input: &ReportInput<'a>) -> Option<Self> {
        let traces: Vec<_> =
            input.traces.iter().filter_map(|info| Some((info.id.as_str(), info.origin.as_ref()?))).collect();
        (!traces.is_empty()).then_some(Self { traces })
    }

    /// Returns where each trace comes from.
    pub fn table(&self) -> TextTable {
        let mut table = TextTable::new(["trace", "source", "licence", "format", "pages", "importer"]);
        for (trace, origin) in &self.traces {
            let licence = if origin.licence.is_empty() { "not known" } else { &origin.licence };
            let pages = match origin.format.as_str() {
                _ if origin.rendered => "rendered anew",
                "cdp pairs" | "weblinx 1.1" => "as recorded",
                _ => "not rendered",
            };
            let cells = [trace, origin.source.as_str(), licence, &origin.format, pages, &origin.importer];
            table.row(cells.map(str::to_owned).to_vec());
        }
        table
    }

    /// Returns how to read results on them.
    pub fn in_words(&self) -> &'static str {
        IN_WORDS
    }
}
