//! The walk: streams the snapshot's arrays into the arena, frames in place.
//!
//! In: [`Parts`]. Out: a [`Page`]. Invariant: every node is opened once, below a node that was
//! opened before.

mod node;
mod order;
mod text;

use super::ax::AxTree;
use super::geometry::{self, ScrollBoxes, Style, reads_leftwards};
use super::raw::{Document, RareFlag, Snapshot};
use super::{ParseError, Parts, SessionSnapshot, viewport_of};
use crate::page::build::{NodeSpec, PageBuilder};
use crate::page::capture::COMPUTED_STYLES;
use crate::page::node::{BoxInDocument, Clickability, Flags, NodeId, NodeKind, ScrollOffset, States};
use crate::page::tree::{Frame, Page};
use foldhash::fast::RandomState;
use node::{Styles, attributes_of, bounds_of, clickability_of, paint_order, scrolled_of, shadow_of};
use order::drawn_order;
use std::borrow::Cow;
use std::collections::HashMap;
use text::{open_text, pseudo_text, value_of};

/// One document of a snapshot on its way into the arena.
struct Walk<'d, 'a> {
    of: &'d SessionSnapshot,
    snapshot: &'d Snapshot,
    has_code: bool,
    /// Which document of the snapshot it is.
    number: usize,
    document: &'d Document,
    frame: u32,
    ax: Option<&'d AxTree<'a>>,
    listeners: Option<&'d HashMap<u32, bool>>,
    layout_of: Vec<u32>,
    rare: Rare,
    styles: Vec<Styles<'d>>,
    /// Which of those a list of the snapshot means.
    styles_by_raw: HashMap<&'d [i64], usize, RandomState>,
    /// The nodes of the document's arrays as they are drawn, and which of these is next.
    order: Vec<usize>,
    cursor: usize,
    /// Snapshot indices of the open nodes, with the arena depth at which they stand.
    open: Vec<Open>,
    /// Where the document's origin lies, in main-document CSS px.
    origin: (f32, f32),
    /// Depth of the builder when the walk began.
    base: usize,
}

/// One document of one session's snapshot.
#[derive(Clone, Copy)]
struct Content<'d> {
    of: &'d SessionSnapshot,
    document: usize,
}

/// Where a document stands: its origin in main-document CSS px, what is passed on to it, the depth
/// of the builder.
struct DocumentPosition {
    origin: (f32, f32),
    style: Style,
    inherited: Flags,
    base: usize,
}

/// What an open node passes on to those below it.
#[derive(Clone)]
struct Open {
    index: i64,
    /// Arena node; none above the document.
    node: Option<NodeId>,
    /// Kind of shadow tree that the node itself lies in.
    shadow: Flags,
    is_slot: bool,
    style: Style,
    is_code: bool,
    inherited: Flags,
}

/// The sparse columns of a snapshot, to look nodes up in.
struct Rare {
    shadow: HashMap<usize, i64>,
    text_value: HashMap<usize, i64>,
    input_value: HashMap<usize, i64>,
    checked: Vec<usize>,
    selected: Vec<usize>,
    clickable: Vec<usize>,
    content_document: HashMap<usize, i64>,
}

fn sorted<'f>(flags: impl IntoIterator<Item = &'f RareFlag>) -> Vec<usize> {
    let mut list: Vec<usize> = flags.into_iter().flat_map(RareFlag::nodes).collect();
    list.sort_unstable();
    list
}

const NO_LAYOUT: u32 = u32::MAX;

impl<'d, 'a> Walk<'d, 'a> {
    fn new(decoded: &'d Parts<'a>, content: Content<'d>, place: DocumentPosition) -> Option<Self> {
        let Content { of, document: index } = content;
        let DocumentPosition { origin, style, inherited, base } = place;
        let snapshot = &*of.columns;
        let document = snapshot.documents.get(index)?;
        let frame = of.frame(index).unwrap_or(if index == 0 { of.session } else { 0 });
        let nodes = &document.nodes;
        let mut layout_of = vec![NO_LAYOUT; nodes.parent_index.len()];
        for (layout, node) in document.layout.node_index.iter().enumerate() {
            if let Some(slot) = usize::try_from(*node).ok().and_then(|node| layout_of.get_mut(node))
                && *slot == NO_LAYOUT
            {
                *slot = layout as u32;
            }
        }
        let rare = Rare {
            shadow: nodes.shadow_root_type.pairs().collect(),
            text_value: nodes.text_value.pairs().collect(),
            input_value: nodes.input_value.pairs().collect(),
            checked: sorted(&nodes.input_checked),
            selected: sorted(&nodes.option_selected),
            clickable: sorted([&nodes.is_clickable]),
            content_document: nodes.content_document_index.pairs().collect(),
        };
        let open =
            vec![Open { index: -1, node: None, shadow: Flags::NONE, is_slot: false, style, is_code: false, inherited }];
        Some(Self {
            of,
            snapshot,
            has_code: decoded.has_code,
            number: index,
            document,
            frame,
            ax: decoded.ax.get(&frame),
            listeners: decoded.listeners.get(&frame),
            layout_of,
            rare,
            styles: Vec::new(),
            styles_by_raw: HashMap::default(),
            order: drawn_order(nodes, snapshot),
            cursor: 0,
            open,
            origin,
            base,
        })
    }

    fn string(&self, index: i64) -> &'d str {
        self.snapshot.text(index)
    }

    /// The padding box of a layout node, where its content is clipped; in main-document CSS px.
    fn client_box(&self, layout: Option<usize>, bounds: BoxInDocument) -> Option<BoxInDocument> {
        let rect = self.document.layout.client_rects.get(layout?).copied().filter(|rect| rect.is_present())?;
        let [left, top, width, height] = rect.0.map(|number| number as f32);
        (width > 0.0 && height > 0.0).then_some(BoxInDocument { x: bounds.x + left, y: bounds.y + top, width, height })
    }

    fn scroll_boxes(&self, layout: Option<usize>, bounds: BoxInDocument, leftwards: bool) -> ScrollBoxes {
        let client = self.client_box(layout, bounds);
        let scrolled = layout.and_then(|layout| self.document.layout.scroll_rects.get(layout).copied());
        let content = client.zip(scrolled.filter(|rect| rect.is_present())).map(|(client, rect)| {
            let [x, y, width, height] = rect.0.map(|number| number as f32);
            // What begins at its end, as text from right to left and chats do, scrolls to below 0.
            let left = if leftwards { (width - client.width).max(0.0) } else { 0.0 };
            let top = if y <= 0.0 { (height - client.height).max(0.0) } else { 0.0 };
            // Boxes are as large as they are drawn, offsets as they are laid out.
            let (wide, high) = ((bounds.width / client.width).max(1.0), (bounds.height / client.height).max(1.0));
            BoxInDocument {
                x: client.x - (x + left) * wide,
                y: client.y - (y + top) * high,
                width: (width + left) * wide,
                height: (height + top) * high,
            }
        });
        ScrollBoxes { client, content }
    }

    /// Boxes of a child document are moved by its scroll offset; the main document's space is the
    /// document itself.
    fn frame_scroll(&self) -> ScrollOffset {
        if self.base == 0 { ScrollOffset::default() } else { scroll_of(self.document) }
    }

    /// Finds the computed styles of a layout node among those seen, or adds them.
    fn styles_of(&mut self, layout: Option<usize>) -> usize {
        let document = self.document;
        let raw = layout.and_then(|layout| document.layout.styles.get(layout)).map_or(&[][..], Vec::as_slice);
        if let Some(at) = self.styles_by_raw.get(raw) {
            return *at;
        }
        let some = self.snapshot.computed_styles.as_deref();
        let named = raw
            .iter()
            .take(COMPUTED_STYLES.len())
            .enumerate()
            .map(|(at, value)| (some.map_or(Some(at as u8), |some| some.get(at).copied()), self.string(*value)))
            .filter_map(|(style, value)| style.filter(|_| !value.is_empty()).map(|style| (style, value)))
            .collect();
        self.styles.push(Styles { named, known: None });
        self.styles_by_raw.insert(raw, self.styles.len() - 1);
        self.styles.len() - 1
    }
}

pub(super) fn assemble(decoded: &Parts<'_>) -> Result<Page, ParseError> {
    let main_number =
        decoded.frames.iter().find(|frame| frame.parent.is_none()).or(decoded.frames.first()).map(|frame| frame.number);
    let of = decoded
        .snapshots
        .iter()
        .find(|of| Some(of.session) == main_number)
        .or(decoded.snapshots.first())
        .ok_or(ParseError::Empty)?;
    let main = of.columns.documents.first().ok_or(ParseError::Empty)?;

    let mut builder = PageBuilder::bare();
    let metrics = decoded.metrics.as_ref();
    if let Some(metrics) = metrics {
        builder.viewport(viewport_of(metrics));
    }
    let scroll = metrics.map_or(scroll_of(main), |metrics| ScrollOffset {
        x: metrics.css_layout_viewport.page_x,
        y: metrics.css_layout_viewport.page_y,
    });
    let content_size = metrics.map_or((main.content_width as f32, main.content_height as f32), |metrics| {
        (metrics.css_content_size.width, metrics.css_content_size.height)
    });
    let size = builder.viewport_size();
    let root_style = Style::root(BoxInDocument { x: scroll.x, y: scroll.y, width: size.0, height: size.1 });
    let mut entered: Vec<(u32, usize)> = vec![(of.session, 0)];
    let mut walks: Vec<Walk<'_, '_>> = Vec::new();
    let content = Content { of, document: 0 };
    let place = DocumentPosition { origin: (0.0, 0.0), style: root_style, inherited: Flags::NONE, base: 0 };
    let walk = Walk::new(decoded, content, place).ok_or(ParseError::Empty)?;
    builder.open_frame(frame_of(decoded, &walk));
    builder.scroll(scroll, content_size.0, content_size.1);
    walks.push(walk);

    while let Some(walk) = walks.last_mut() {
        let Some(index) = walk.order.get(walk.cursor).copied() else {
            let depth = walk.base;
            builder.close_to(depth);
            walks.pop();
            if walks.is_empty() {
                break;
            }
            builder.close_frame();
            continue;
        };
        walk.cursor += 1;
        let Some(frame) = step(walk, index, &mut builder) else { continue };
        // The document of a frame comes right below its element, before the element's own
        // (fallback) children.
        let inner = child_document(decoded, walk, index, frame.backend)
            .filter(|content| !entered.contains(&(content.of.session, content.document)));
        let Some(content) = inner else {
            builder.flag(frame.id, Flags::OPAQUE);
            continue;
        };
        entered.push((content.of.session, content.document));
        let FrameElement { client, inherited, .. } = frame;
        let scroll = content.of.columns.documents.get(content.document).map(scroll_of).unwrap_or_default();
        let style = frame.style.for_frame(client, scroll);
        let place = DocumentPosition { origin: (client.x, client.y), style, inherited, base: builder.depth() };
        if let Some(walk) = Walk::new(decoded, content, place) {
            builder.open_frame(frame_of(decoded, &walk));
            walks.push(walk);
        }
    }
    let mut page = builder.finish();
    geometry::finish(&mut page);
    enable(&mut page);
    super::chosen::say_chosen(&mut page);
    Ok(page)
}

/// Takes `disabled` off native controls that the DOM says are enabled: the accessibility tree may
/// be older than a script's change.
fn enable(page: &mut Page) {
    let stale: Vec<usize> = page
        .nodes()
        .filter(|node| {
            node.states().has(States::DISABLED)
                && matches!(node.tag(), "button" | "input" | "select" | "textarea" | "option")
                && !std::iter::once(*node).chain(node.ancestors()).any(|above| {
                    above.attribute("aria-disabled") == Some("true")
                        || (above.attribute("disabled").is_some()
                            && (above.id() == node.id() || matches!(above.tag(), "fieldset" | "optgroup" | "select")))
                })
        })
        .map(|node| node.id().index())
        .collect();
    for index in stale {
        page.nodes.states[index].set(States::DISABLED, false);
    }
}

/// Finds the document that an `iframe` node shows: in the same snapshot, or in an out-of-process
/// one.
fn child_document<'d>(decoded: &'d Parts<'_>, walk: &Walk<'d, '_>, index: usize, backend: u32) -> Option<Content<'d>> {
    if let Some(document) = walk.rare.content_document.get(&index) {
        let document = usize::try_from(*document).ok()?;
        return Some(Content { of: walk.of, document });
    }
    let frame = decoded.frames.iter().find(|frame| frame.owner == Some((walk.frame, backend)))?;
    let of = decoded.snapshots.iter().find(|of| of.session == frame.number)?;
    Some(Content { of, document: 0 })
}

fn scroll_of(document: &Document) -> ScrollOffset {
    ScrollOffset { x: document.scroll_offset_x as f32, y: document.scroll_offset_y as f32 }
}

fn frame_of(decoded: &Parts<'_>, walk: &Walk<'_, '_>) -> Frame {
    let info = decoded.frames.iter().find(|frame| frame.number == walk.frame);
    let probe = decoded.probes.get(&walk.frame);
    Frame {
        number: walk.frame,
        loader: info.map_or(0, |info| info.loader),
        url: match walk.string(walk.document.document_url) {
            "" => info.map_or_else(String::new, |info| info.url.clone()),
            url => url.to_owned(),
        },
        title: walk.string(walk.document.title).to_owned(),
        owner: None,
        document: None,
        scroll: scroll_of(walk.document),
        rendered_text: probe.map_or_else(String::new, |probe| probe.text.clone()),
    }
}

/// A frame element that was opened, and where its document is seen.
struct FrameElement {
    id: NodeId,
    backend: u32,
    client: BoxInDocument,
    style: Style,
    inherited: Flags,
}

/// Opens one node of a document; returns it if it is a frame element.
fn step(walk: &mut Walk<'_, '_>, index: usize, builder: &mut PageBuilder) -> Option<FrameElement> {
    let nodes = &walk.document.nodes;
    let parent = nodes.parent_index[index];
    while walk.open.len() > 1 && walk.open.last().is_some_and(|open| open.index != parent) {
        // Hostile input may name a parent that is not open: stay at the deepest open node that is.
        if !walk.open.iter().any(|open| open.index == parent) {
            break;
        }
        walk.open.pop();
        builder.close();
    }
    let above = walk.open.last().cloned()?;

    let kind = match nodes.node_type.get(index).copied().unwrap_or(1) {
        1 => NodeKind::Element,
        3 => NodeKind::Text,
        9 => NodeKind::Document,
        _ => return None,
    };
    let raw_name = walk.string(nodes.node_name.get(index).copied().unwrap_or(-1));
    let kind = if kind == NodeKind::Element && raw_name.starts_with("::") { NodeKind::Pseudo } else { kind };
    if kind == NodeKind::Document && index > 0 {
        return None;
    }
    let layout = walk.layout_of.get(index).copied().unwrap_or(NO_LAYOUT);
    let layout = (layout != NO_LAYOUT).then_some(layout as usize);
    let backend = walk.of.backend(walk.number, index);

    if kind == NodeKind::Text {
        open_text(walk, index, layout, backend, &above, builder);
        return None;
    }
    let tag: Cow<'_, str> = match kind {
        NodeKind::Document => Cow::Borrowed("#document"),
        _ if raw_name.bytes().any(|byte| byte.is_ascii_uppercase()) => Cow::Owned(raw_name.to_ascii_lowercase()),
        _ => Cow::Borrowed(raw_name),
    };
    let attributes = attributes_of(walk, index);
    let get = |name: &str| attributes.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);

    let bounds = bounds_of(walk, layout);
    let styles = walk.styles_of(layout);
    let named = &walk.styles[styles].named;
    let boxes = walk.scroll_boxes(layout, bounds, reads_leftwards(named));
    let style = Style::of(&above.style, named, bounds, boxes, &tag).folding(tag == "details" && get("open").is_none());
    let mut flags = above.inherited;
    flags.set(Flags::CANVAS, tag == "canvas");
    let is_frame = matches!(tag.as_ref(), "iframe" | "frame");
    flags.set(Flags::IFRAME, is_frame);
    let shadow = shadow_of(walk, index, &above, builder);
    flags = flags.with(shadow);
    flags.set(Flags::ARIA_HIDDEN, above.inherited.has(Flags::ARIA_HIDDEN) || get("aria-hidden") == Some("true"));
    flags.set(Flags::INERT, above.inherited.has(Flags::INERT) || get("inert").is_some());
    flags.set(Flags::BLOCK, style.is_block());
    flags.set(Flags::NO_POINTER_EVENTS, style.no_pointer_events);
    let input_type = get("type").unwrap_or("text");
    let secret = tag == "input"
        && (input_type.eq_ignore_ascii_case("password")
            || get("autocomplete").is_some_and(|value| {
                value.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case("one-time-code"))
            }));
    flags.set(Flags::SECRET, secret);

    let ax = walk.ax.and_then(|tree| tree.get(backend)).filter(|_| kind != NodeKind::Pseudo);
    let heard = ax.filter(|node| !node.ignored);
    flags.set(Flags::AX_IGNORED, heard.is_none());
    let role = match kind {
        NodeKind::Document => "RootWebArea",
        _ => heard.map_or("", |node| node.role.as_ref()),
    };
    let (mut states, level) = heard.map_or((States::NONE, 0), |node| (node.states, node.level));
    let checkable = tag == "input" && ["checkbox", "radio"].iter().any(|kind| input_type.eq_ignore_ascii_case(kind));
    let on = walk.rare.checked.binary_search(&index).is_ok();
    if tag == "input" && (on && heard.is_some() || checkable && heard.is_none()) && !states.has(States::CHECKED_MIXED) {
        states = states.with(States::CHECKABLE);
        states.set(States::CHECKED, on);
        states.set(States::CHECKED_MIXED, get("aria-checked") == Some("mixed"));
    }
    if tag == "option" && heard.is_none() && walk.rare.selected.binary_search(&index).is_ok() {
        states = states.with(States::SELECTABLE).with(States::SELECTED);
    }
    states.set(States::CURRENT, get("aria-current").is_some_and(|value| !matches!(value, "" | "false")));
    let name = match kind {
        NodeKind::Document => walk.string(walk.document.title),
        // The browser calls a button that is a picture `Submit`, whatever it shows.
        _ if tag == "input"
            && get("type").is_some_and(|kind| kind.eq_ignore_ascii_case("image"))
            && ["alt", "title", "value", "aria-label", "aria-labelledby"].iter().all(|name| get(name).is_none()) =>
        {
            ""
        }
        _ => heard.map_or("", |node| node.name.as_ref()),
    };
    let description = heard.map_or("", |node| node.description.as_ref());
    let value =
        value_of(walk, index, &tag, input_type, secret, Cow::Borrowed(heard.map_or("", |node| node.value.as_ref())));
    if secret {
        builder.secret(get("value").unwrap_or_default());
        builder.secret(walk.rare.input_value.get(&index).map_or("", |value| walk.string(*value)));
    }
    let text = if kind == NodeKind::Pseudo { pseudo_text(walk, index, layout) } else { String::new() };
    if kind == NodeKind::Pseudo && text.trim().is_empty() {
        return None;
    }
    let clickability = if kind == NodeKind::Element {
        clickability_of(walk, index, backend, &tag, &attributes, &style, &above)
    } else {
        Clickability::NONE
    };
    let scrolled = scrolled_of(walk, layout, &style, &mut flags, kind);

    let visibility = style.visibility(kind, bounds, layout.is_some());
    flags.set(Flags::IN_VIEWPORT, layout.is_some() && style.shows(bounds));
    let spec = NodeSpec {
        kind,
        tag: &tag,
        role,
        name,
        description,
        value: &value,
        text: &text,
        backend,
        states,
        level,
        bounds,
        paint_order: paint_order(walk, layout),
        visibility,
        clickability,
        flags,
        attributes,
        styles: Vec::new(),
        scrolled,
    };
    let id = builder.open(spec);
    let Styles { named, known } = &mut walk.styles[styles];
    builder.style(named, known);
    let is_code = matches!(tag.as_ref(), "script" | "style" | "noscript" | "template");
    // Shadow membership is said per node, not inherited: slotted nodes inside are light again.
    let inherited = Flags(flags.0 & (Flags::ARIA_HIDDEN.0 | Flags::INERT.0));
    let shadow = Flags(shadow.0 & (Flags::IN_OPEN_SHADOW.0 | Flags::IN_CLOSED_SHADOW.0));
    let is_slot = tag == "slot";
    let open = Open { index: index as i64, node: Some(id), shadow, is_slot, style: style.clone(), is_code, inherited };
    walk.open.push(open);
    if !is_frame {
        return None;
    }
    let client = walk.client_box(layout, bounds).unwrap_or(bounds);
    Some(FrameElement { id, backend, client, style, inherited })
}
