//! The hierarchy of headings of a markdown text, with the size of each section.
//!
//! In: text. Out: sections, each below the nearest heading of a lower level. Invariant: the
//! sections' ranges follow each other and cover the text from the first heading or path comment on.

use super::parse::{Comment, comment, extensions};
use super::tree::count_words;
use browserlens_core::tokens::{Encoding, Tokens};
use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use std::ops::Range;

/// A heading and what stands below it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// 1 to 6; 0 for text below a path comment or the document's start that has no heading of its
    /// own.
    pub level: u8,
    /// The heading's plain text.
    pub title: String,
    /// The semantic path that holds where the section begins.
    pub path: Option<String>,
    /// Where its own text stands, without the sections below it: byte range in the text.
    pub range: Range<usize>,
    /// Words of its own text, the heading included.
    pub words: usize,
    /// Tokens of its own text as it stands.
    pub tokens: Tokens,
    /// The sections below it, in order.
    pub sections: Vec<Section>,
}

/// Reads the hierarchy of headings of a text.
pub fn outline(text: &str, encoding: Encoding) -> Vec<Section> {
    let mut flat: Vec<Section> = Vec::new();
    let mut path: Option<String> = None;
    let mut depth = 0usize;
    let mut words = String::new();
    let mut title: Option<String> = None;
    let mut pending = false;
    // What an image shows is not read.
    let mut images = 0usize;
    for (event, range) in Parser::new_ext(text, extensions()).into_offset_iter() {
        let is_top = depth == 0;
        match &event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
        match &event {
            Event::Start(Tag::Image { .. }) => images += 1,
            Event::End(TagEnd::Image) => images = images.saturating_sub(1),
            _ => {}
        }
        match event {
            Event::Text(_) | Event::Code(_) if images > 0 => {}
            Event::Start(Tag::HtmlBlock) if is_top => {
                let mut rest = &text[range.clone()];
                let mut from = range.start;
                while let Some((said, after)) = comment(rest) {
                    if let Comment::Path(new) = said {
                        path = Some(new);
                        close(&mut flat, &mut words, from);
                        flat.push(Section { path: path.clone(), range: from..text.len(), ..Section::default() });
                        pending = true;
                    }
                    from = range.end - after.len();
                    rest = after;
                }
            }
            Event::Start(Tag::Heading { level, .. }) if is_top => {
                // A heading right below its path comment is the heading of that section.
                if !(pending && words.trim().is_empty()) {
                    close(&mut flat, &mut words, range.start);
                    flat.push(Section { path: path.clone(), range: range.start..text.len(), ..Section::default() });
                }
                if let Some(last) = flat.last_mut() {
                    last.level = level as u8;
                }
                pending = false;
                title = Some(String::new());
            }
            Event::End(TagEnd::Heading(_)) => {
                if let (Some(title), Some(last)) = (title.take(), flat.last_mut()) {
                    last.title = title;
                }
                words.push('\n');
            }
            Event::Start(_) | Event::End(_) | Event::SoftBreak | Event::HardBreak => {
                if matches!(event, Event::SoftBreak | Event::HardBreak)
                    || !matches!(
                        event,
                        Event::Start(Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Link { .. })
                            | Event::End(TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link)
                    )
                {
                    words.push(' ');
                }
                if let Some(title) = &mut title
                    && matches!(event, Event::SoftBreak | Event::HardBreak)
                {
                    title.push(' ');
                }
            }
            Event::Text(said) | Event::Code(said) => {
                if flat.is_empty() {
                    flat.push(Section { range: range.start..text.len(), ..Section::default() });
                }
                if let Some(title) = &mut title {
                    title.push_str(&said);
                }
                words.push_str(&said);
            }
            _ => {}
        }
    }
    close(&mut flat, &mut words, text.len());
    for section in &mut flat {
        section.tokens = encoding.count(&text[section.range.clone()]);
    }
    nest(flat)
}

fn close(flat: &mut [Section], words: &mut String, end: usize) {
    if let Some(last) = flat.last_mut() {
        last.range.end = end;
        last.words = count_words(words);
    }
    words.clear();
}

/// Nests sections by level; one without a heading stands at the top and ends nothing.
fn nest(flat: Vec<Section>) -> Vec<Section> {
    let mut top: Vec<Section> = Vec::new();
    let mut stack: Vec<Section> = Vec::new();
    let fold = |stack: &mut Vec<Section>, top: &mut Vec<Section>| {
        if let Some(done) = stack.pop() {
            match stack.last_mut() {
                Some(above) => above.sections.push(done),
                None => top.push(done),
            }
        }
    };
    for section in flat {
        while section.level > 0 && stack.last().is_some_and(|open| open.level >= section.level || open.level == 0) {
            fold(&mut stack, &mut top);
        }
        if section.level == 0 {
            match stack.last_mut() {
                Some(above) => above.sections.push(section),
                None => top.push(section),
            }
            continue;
        }
        stack.push(section);
    }
    while !stack.is_empty() {
        fold(&mut stack, &mut top);
    }
    top
}
