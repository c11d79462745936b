//! `schema`: JSON Schemas of the files that are written by hand.

use crate::args::SchemaOf;
use crate::{Ended, output};
use browserlens_trace::scenario::{Written, schema};

pub(crate) fn run(of: SchemaOf) -> Ended {
    let schema = match of {
        SchemaOf::Tools => return super::inspect::tool_schemas(),
        SchemaOf::Scenario => schema(Written::Scenario),
        SchemaOf::Ask => schema(Written::Questions),
        SchemaOf::Exam => schema(Written::Exam),
        SchemaOf::Strategies => browserlens_replay::strategies::schema(),
        #[cfg(feature = "record")]
        SchemaOf::Tasks => browserlens_tasks::schema(),
    };
    output::pretty(schema.as_value())
}
