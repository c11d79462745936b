//! What is chosen in the lists that pages make themselves.

use crate::page::node::Visibility;
use crate::page::tree::{NodeRef, Page};

/// Highest box around the field of a combobox that says what is chosen, in CSS px.
const HIGHEST_BOX: f32 = 60.0;
/// In how many boxes around a combobox its label is looked for, and most nodes of such a box.
const BOXES_OF_LABEL: usize = 3;
const NEAR: u32 = 100;

/// Gives a combobox that is a button the text in it as its value, and one whose field cannot be seen
/// that of the box around it: what is chosen. The browser gives it to comboboxes of any other tag,
/// with the label that is drawn in them. What a placeholder asks for is no value, and what is chosen
/// no name.
pub(super) fn say_chosen(page: &mut Page) {
    let said = |node: NodeRef<'_>| match node.tag() {
        _ if !node.value().is_empty() => node.value().to_owned(),
        "button" => node.visible_text(),
        "input" if node.visibility() == Visibility::Transparent => {
            let boxes = node.boxes_of_field().take_while(|above| above.bounds().height <= HIGHEST_BOX);
            boxes.map(|above| above.visible_text()).find(|text| !text.is_empty()).unwrap_or_default()
        }
        // Under `aria-hidden`, as behind many dialogs, the browser gives neither role nor value.
        "div" | "span" if node.role().is_empty() => node.visible_text(),
        _ => String::new(),
    };
    let found: Vec<(usize, String, String)> = page
        .nodes()
        .filter(|node| node.tag() != "select" && node.role_or_attribute() == "combobox")
        .filter_map(|node| {
            let (mut name, mut value) = (node.name().to_owned(), said(node));
            if node.value().is_empty() && value == name {
                value.clear();
            }
            if node.placeholder().is_some_and(|asked| asked == value) {
                value.clear();
            } else if !matches!(node.tag(), "input" | "button") {
                if name.is_empty() || value.trim() == name {
                    name = label_of(node).unwrap_or_default();
                }
                value = without_label(value.trim(), &name).to_owned();
            }
            (name != node.name() || value != node.value()).then_some((node.id().index(), name, value))
        })
        .collect();
    for (index, name, value) in found {
        page.nodes.name[index] = page.strings.push(&name);
        page.nodes.value[index] = page.strings.push(&value);
    }
}

/// Returns what the label says that is drawn in a combobox, or stands in the boxes around it and is
/// for it.
fn label_of(combobox: NodeRef<'_>) -> Option<String> {
    let id = combobox.attribute("id");
    let is_for = |node: &NodeRef<'_>| node.tag() == "label" && id.is_some() && node.attribute("for") == id;
    let within = combobox.descendants().find(|node| node.tag() == "label" && node.is_visible());
    let label = within.or_else(|| {
        let boxes = combobox.ancestors().take(BOXES_OF_LABEL).take_while(|above| above.end() - above.id().0 <= NEAR);
        boxes.flat_map(|above| above.descendants()).find(is_for)
    })?;
    Some(label.visible_text().trim_end_matches(['*', ' ']).to_owned()).filter(|text| !text.is_empty())
}

/// Returns a value without the label that is drawn before or after it, which may end in the sign of
/// what is required.
fn without_label<'t>(value: &'t str, label: &str) -> &'t str {
    if label.is_empty() {
        return value;
    }
    if let Some(rest) = value.strip_prefix(label).filter(|rest| !rest.starts_with(char::is_alphanumeric)) {
        return rest.trim_start_matches('*').trim();
    }
    let before = value.trim_end_matches(['*', ' ']).strip_suffix(label);
    before.filter(|rest| rest.is_empty() || rest.ends_with(' ')).map_or(value, str::trim)
}
