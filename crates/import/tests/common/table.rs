//! Parquet files in the layout of Multimodal-Mind2Web.

#![allow(dead_code, reason = "each test file uses a part of it")]

use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use std::sync::Arc;

/// The columns as they are published, in their order.
pub const SCHEMA: &str = "message schema {
  optional binary action_uid (STRING); optional binary raw_html (STRING); optional binary cleaned_html (STRING); \
  optional binary operation (STRING);
  optional group pos_candidates (LIST) { repeated group list { optional binary element (STRING); } }
  optional group neg_candidates (LIST) { repeated group list { optional binary element (STRING); } }
  optional binary website (STRING); optional binary domain (STRING); optional binary subdomain (STRING); optional \
  binary annotation_id (STRING);
  optional binary confirmed_task (STRING); optional group screenshot { optional binary bytes; optional binary path \
  (STRING); }
  optional group action_reprs (LIST) { repeated group list { optional binary element (STRING); } }
  optional binary target_action_index (STRING); optional binary target_action_reprs (STRING); }";

/// One row; what is none is null.
#[derive(Clone, Default)]
pub struct Row {
    pub task: Option<Vec<u8>>,
    pub goal: String,
    pub index: String,
    pub uid: String,
    pub html: Option<Vec<u8>>,
    pub operation: String,
    pub candidates: Vec<String>,
    pub screenshot: Option<Vec<u8>>,
    pub reprs: Vec<String>,
}

impl Row {
    pub fn click(task: &str, index: usize, html: &str, on: &str) -> Self {
        let candidate = format!(
            "{{\"tag\":\"button\",\"attributes\":\"{{}\
                }\",\"is_original_target\":true,\"is_top_level_target\":true,\"backend_node_id\":\"{on}\"}}"
        );
        Self {
            task: Some(task.as_bytes().to_vec()),
            goal: format!("do {task}"),
            index: index.to_string(),
            uid: format!("u{index}"),
            html: Some(html.as_bytes().to_vec()),
            operation: "{\"original_op\":\"CLICK\",\"value\":\"\",\"op\":\"CLICK\"}".to_owned(),
            candidates: vec![candidate],
            screenshot: None,
            reprs: vec!["[button] Go -> CLICK".to_owned(); 2],
        }
    }

    fn value(&self, column: &str) -> Option<Vec<u8>> {
        let text = |text: &str| Some(text.as_bytes().to_vec());
        match column {
            "action_uid" => text(&self.uid),
            "raw_html" => self.html.clone(),
            "operation" => text(&self.operation),
            "annotation_id" => self.task.clone(),
            "confirmed_task" => text(&self.goal),
            "screenshot.bytes" => self.screenshot.clone(),
            "target_action_index" => text(&self.index),
            "website" => text("united"),
            "domain" => text("Travel"),
            "subdomain" => text("Airlines"),
            _ => None,
        }
    }

    fn list(&self, column: &str) -> &[String] {
        match column {
            "pos_candidates" => &self.candidates,
            "action_reprs" => &self.reprs,
            _ => &[],
        }
    }
}

/// Writes groups of rows.
pub fn table_of(schema: &str, groups: &[Vec<Row>], compression: Compression, dictionary: bool) -> Vec<u8> {
    let properties = WriterProperties::builder()
        .set_compression(compression)
        .set_dictionary_enabled(dictionary)
        .set_data_page_row_count_limit(2)
        .set_write_batch_size(1)
        .build();
    let schema = Arc::new(parse_message_type(schema).expect("a schema"));
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties)).expect("a writer");
    for rows in groups {
        let mut group = writer.next_row_group().expect("a group");
        let schema = group_columns(&mut group, rows);
        assert!(schema > 0);
        group.close().expect("closes");
    }
    writer.into_inner().expect("writes")
}

fn group_columns(group: &mut parquet::file::writer::SerializedRowGroupWriter<'_, Vec<u8>>, rows: &[Row]) -> usize {
    let mut count = 0;
    while let Some(mut column) = group.next_column().expect("a column") {
        let (mut values, mut levels, mut repeats): (Vec<ByteArray>, Vec<i16>, Vec<i16>) = Default::default();
        let mut typed = false;
        {
            use parquet::column::writer::ColumnWriter;
            if let ColumnWriter::ByteArrayColumnWriter(writer) = column.untyped() {
                let descriptor = writer.get_descriptor().clone();
                let path = descriptor.path().parts().to_vec();
                let most = descriptor.max_def_level();
                for row in rows {
                    if descriptor.max_rep_level() == 0 {
                        let value = row.value(&path.join("."));
                        levels.push(if value.is_some() { most } else { 0 });
                        values.extend(value.map(ByteArray::from));
                        continue;
                    }
                    let list = row.list(&path[0]);
                    if list.is_empty() {
                        levels.push(1);
                        repeats.push(0);
                    }
                    for (at, text) in list.iter().enumerate() {
                        levels.push(most);
                        repeats.push(i16::from(at > 0));
                        values.push(ByteArray::from(text.as_str()));
                    }
                }
                typed = true;
                let repeats = (descriptor.max_rep_level() > 0).then_some(&repeats[..]);
                let levels = (most > 0).then_some(&levels[..]);
                column.typed::<ByteArrayType>().write_batch(&values, levels, repeats).expect("writes");
            }
        }
        if !typed {
            let levels = vec![1; rows.len()];
            let numbers: Vec<i64> = (0..rows.len() as i64).collect();
            column.typed::<parquet::data_type::Int64Type>().write_batch(&numbers, Some(&levels), None).expect("writes");
        }
        column.close().expect("closes");
        count += 1;
    }
    count
}

/// Writes groups of rows as the publisher does.
pub fn table(groups: &[Vec<Row>]) -> Vec<u8> {
    table_of(SCHEMA, groups, Compression::SNAPPY, true)
}
