//! The one call: a page and options in, text out.
//!
//! In: a [`Page`], [`SnapshotOptions`], and for refs the [`RefLens`] that gave them. Out: a string.
//! Invariants: every mode in every format is defined or a clear error; no panic, whatever the page;
//! what nobody sees is written as an escape, but in HTML, which is given as it is and ends with a
//! comment that says how many such characters it holds.

use crate::blocks;
use crate::content::{self, ContentOptions, Header, Section};
use crate::grep::{Grep, GrepOptions};
use crate::interactive::{InteractiveOptions, RefLens, interactive};
use crate::options::{Format, Mode, SnapshotError, SnapshotOptions};
use crate::outline::{self, OutlineOptions};
use crate::path::Paths;
use browserlens_core::page::html::{self, HtmlOptions};
use browserlens_core::page::select::Selector;
use browserlens_core::page::text::{count_unseen, escaped};
use browserlens_core::page::{NodeId, NodeKind, NodeRef, Page};
use browserlens_core::strategy::Ref;
use std::sync::Arc;

/// Takes a snapshot of a page that stands alone: refs are those that the lens gives it as a first
/// page.
///
/// # Errors
/// [`SnapshotError`]: a selector, ref or pattern that is none or finds nothing; a mode that has not
/// the format, or in which an option does nothing.
pub fn snapshot(page: &Arc<Page>, options: &SnapshotOptions) -> Result<String, SnapshotError> {
    checked(options)?;
    if !options.needs_refs()? {
        return take(page, None, options);
    }
    // The lens is the slow part.
    let mut lens = RefLens::new();
    lens.look(page).map_err(|error| SnapshotError::Lens { reason: error.to_string() })?;
    take(page, Some(&lens), options)
}

/// Takes a snapshot of the page that a lens looked at last: refs are those of the lens.
///
/// # Errors
/// As [`snapshot`].
pub fn snapshot_in(lens: &RefLens, page: &Page, options: &SnapshotOptions) -> Result<String, SnapshotError> {
    take(page, Some(lens), options)
}

/// Returns the mode, if it has the format.
fn checked(options: &SnapshotOptions) -> Result<Mode, SnapshotError> {
    let (mode, format) = (options.mode()?, options.format);
    match (mode, format) {
        (Mode::Interactive, Format::Markdown) => return Err(SnapshotError::NoFormat { mode, format }),
        (Mode::Content, _) => return Ok(mode),
        _ => {}
    }
    // An option that is asked for does something or is refused.
    let in_html = (mode, format) == (Mode::Interactive, Format::Html);
    let useless = [
        ("max length", options.max_length.is_some()),
        ("include links", options.include_links && !in_html),
        ("include images", options.include_images && !in_html),
    ];
    match useless.into_iter().find(|(_, asked)| *asked) {
        Some((option, _)) => Err(SnapshotError::NoUse { option, mode, format }),
        None => Ok(mode),
    }
}

fn take(page: &Page, lens: Option<&RefLens>, options: &SnapshotOptions) -> Result<String, SnapshotError> {
    let mode = checked(options)?;
    let format = options.format;
    let compiled = |grep: &GrepOptions| {
        Grep::new(grep).map_err(|reason| SnapshotError::BadPattern { pattern: grep.pattern.clone(), reason })
    };
    let grep = options.grep.as_ref().map(compiled).transpose()?;
    let paths = Paths::of(page);
    let roots = options.selector.as_ref().map(|selector| roots(page, lens, selector)).transpose()?.unwrap_or_default();
    let told = options.grep.as_ref().map(GrepOptions::told);
    match mode {
        Mode::Interactive => {
            let nothing = RefLens::new();
            let what = InteractiveOptions {
                roots: &roots,
                max_depth: options.max_depth,
                grep: grep.as_ref(),
                style: options.refs,
            };
            let shown = interactive(page, &paths, lens.unwrap_or(&nothing), what)?;
            if format == Format::Tree {
                return Ok(plain(&shown.text));
            }
            let kept = controls(page, &shown.nodes);
            let html = HtmlOptions { kept: Some(&kept), ..html_options(options, true) };
            let mut html = html::write(page, &[NodeId::ROOT], html);
            html.extend(shown.cut.map(|cut| format!("\n<!-- cut: {cut} -->")));
            Ok(as_html(html))
        }
        Mode::Outline => {
            let what = OutlineOptions {
                roots: &roots,
                include_hidden: options.include_hidden,
                max_depth: options.max_depth,
                grep: grep.as_ref(),
                pattern: told.as_deref().unwrap_or_default(),
            };
            let built = outline::build(page, &paths, &what);
            if let (Some(choices), Some(grep)) = (built.missed, &grep) {
                return Err(grep.nothing(mode, choices));
            }
            let outline = built.outline;
            Ok(match format {
                Format::Tree => outline::write(&outline),
                Format::Html => as_html(outline::write_html(&outline)),
                Format::Markdown => plain(&outline::write_markdown(&outline)),
            })
        }
        Mode::Content => {
            let whole = if roots.is_empty() { vec![NodeId::ROOT] } else { roots };
            let by_path = grep.as_ref().map(|grep| matched(page, &paths, &whole, grep));
            if format == Format::Html {
                let html = html_options(options, options.include_links);
                let (Some(grep), Some(by_path)) = (&grep, by_path) else {
                    return Ok(as_html(html::write_within(page, &whole, html, options.max_length)));
                };
                let kept = blocks::kept(page, &paths, &whole, grep, by_path, options.include_hidden)
                    .map_err(|choices| grep.nothing(mode, choices))?;
                let html = HtmlOptions { kept: kept.mask.as_deref(), ..html };
                return Ok(as_html(html::write_within(page, &kept.roots, html, options.max_length)));
            }
            let content = ContentOptions {
                max_length: options.max_length,
                include_links: options.include_links,
                include_images: options.include_images,
                include_hidden: options.include_hidden,
            };
            let path = |node: NodeRef<'_>| paths.path_near(node.id()).to_string();
            let mut sections = match (&grep, by_path) {
                (Some(grep), Some(by_path)) => content::sections_kept(page, &whole, grep, &by_path, &content, path)
                    .map_err(|choices| grep.nothing(mode, choices))?,
                _ => content::sections(page, &whole, &content, path),
            };
            let mut cut = None;
            if let Some(deepest) = options.max_depth {
                let depth = |section: &Section| paths.path_near(section.node).steps.len();
                let (kept, deeper): (Vec<_>, Vec<_>) = sections.into_iter().partition(|one| depth(one) <= deepest);
                let words: usize = deeper.iter().map(Section::shown_words).sum();
                cut = deeper
                    .iter()
                    .map(depth)
                    .max()
                    .map(|all| format!("{} sections, {words} words left; max depth {all} shows all", deeper.len()));
                sections = kept;
            }
            if options.headings && format == Format::Markdown {
                content::tell_headings(page, &mut sections, &content);
            }
            let header = Header { grep: told.as_deref(), cut: cut.as_deref(), ..Header::of(page) };
            Ok(plain(&match format {
                Format::Markdown => content::write_markdown(&header, &sections),
                _ => content::write_tree(&header, &sections),
            }))
        }
    }
}

fn html_options(options: &SnapshotOptions, include_links: bool) -> HtmlOptions<'static> {
    HtmlOptions {
        include_hidden: options.include_hidden,
        include_links,
        include_images: options.include_images,
        max_depth: options.max_depth,
        kept: None,
    }
}

/// Returns what a selector finds, without what lies in another find.
fn roots(page: &Page, lens: Option<&RefLens>, selector: &str) -> Result<Vec<NodeId>, SnapshotError> {
    let text = selector.trim();
    if text.starts_with('@') {
        return node_of(lens, page, text).map(|node| vec![node.id()]);
    }
    let parsed: Selector =
        text.parse().map_err(|reason| SnapshotError::BadSelector { selector: selector.to_owned(), reason })?;
    let found = blocks::outermost(page, parsed.find(page));
    if found.is_empty() { Err(SnapshotError::NoMatch { selector: selector.to_owned() }) } else { Ok(found) }
}

/// Returns the element of a ref, such as `@e12`, on a page that the lens looked at.
///
/// # Errors
/// [`SnapshotError::BadRef`] if it is none, [`SnapshotError::RefGone`] if nothing on the page has it.
pub fn node_of<'p>(lens: Option<&RefLens>, page: &'p Page, reference: &str) -> Result<NodeRef<'p>, SnapshotError> {
    let number = reference.strip_prefix("@ref:").or_else(|| reference.strip_prefix("@e"));
    let read = number.and_then(|number| format!("@e{number}").parse::<Ref>().ok());
    let read = read.ok_or_else(|| SnapshotError::BadRef { selector: reference.to_owned() })?;
    let node = lens.and_then(|lens| lens.node(read)).and_then(|key| page.find(key));
    node.ok_or_else(|| SnapshotError::RefGone { selector: reference.to_owned(), what: known(lens) })
}

/// Says which refs there are.
fn known(lens: Option<&RefLens>) -> String {
    let refs = lens.map(RefLens::refs);
    match (refs.and_then(|refs| refs.keys().next()), refs.and_then(|refs| refs.keys().next_back())) {
        (Some(first), Some(last)) => format!("{first} to {last}"),
        _ => "none".to_owned(),
    }
}

/// Returns the outermost parts of `roots` whose paths the pattern keeps; of an inverted one, the
/// largest parts in and around which nothing matches.
pub(crate) fn matched(page: &Page, paths: &Paths<'_>, roots: &[NodeId], grep: &Grep) -> Vec<NodeId> {
    let mut matches = vec![0_u32; page.len() + 1];
    for node in paths.named() {
        let path = paths.path(node).map(|path| path.to_string()).unwrap_or_default();
        matches[node.index() + 1] = u32::from(grep.matches(&path));
    }
    for at in 1..matches.len() {
        matches[at] += matches[at - 1];
    }
    let mut found = Vec::new();
    for root in roots {
        let mut skip = 0;
        for node in page.node(*root).subtree() {
            let (id, end) = (node.id().0, node.end());
            if id < skip {
                continue;
            }
            let itself = matches[id as usize + 1] > matches[id as usize];
            let within = matches[end as usize] > matches[id as usize];
            let take = if grep.is_inverted() { !within } else { itself };
            if take || itself || !within {
                skip = end;
            }
            if take && node.kind() != NodeKind::Pseudo {
                found.push(node.id());
            }
        }
    }
    found
}

/// Which nodes interactive HTML shows: controls, the text in them, and what they stand in.
fn controls(page: &Page, nodes: &[NodeId]) -> Vec<bool> {
    let mut kept = vec![false; page.len()];
    let mut end = 0;
    for (at, id) in nodes.iter().enumerate() {
        let node = page.node(*id);
        for above in node.ancestors() {
            // Whatever is above a kept one is kept already.
            if std::mem::replace(&mut kept[above.id().index()], true) {
                break;
            }
        }
        // A control that holds other controls (a card, a grid) shows those and its own text; a
        // plain one all that is in it.
        if id.0 >= end {
            let holds = nodes.get(at + 1).is_some_and(|next| node.holds(*next));
            if !holds {
                end = node.end();
                kept[id.index()..end as usize].fill(true);
            }
        }
        kept[id.index()] = true;
    }
    kept
}

/// Text of a page with what nobody sees escaped.
fn plain(text: &str) -> String {
    without_end(escaped(text).into_owned())
}

/// HTML as it is, and how many characters in it nobody sees.
fn as_html(mut html: String) -> String {
    let unseen = count_unseen(&html);
    if unseen > 0 {
        html.push_str(&format!("\n<!-- unseen characters: {unseen} -->"));
    }
    without_end(html)
}

fn without_end(mut text: String) -> String {
    text.truncate(text.trim_end_matches('\n').len());
    text
}
