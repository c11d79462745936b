//! What roles mean for the reference: which are fields, controls, cells, containers.

use crate::tree::StateSet;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// What a role means to R.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// Only its content counts.
    Transparent,
    /// A field.
    Field,
    /// Something to act on.
    Control,
    /// Takes the one text in it for its name.
    TextHolder,
    /// The same, and is there even when empty.
    Cell,
    /// An item of a list: its only content can stand for it.
    ListItem,
    /// There even when empty.
    Fixed,
    /// There when it holds something or has a name.
    Container,
    /// There when it has a name.
    NamedContainer,
    /// A picture, there when it has a name.
    Picture,
    /// What has nothing but a title: there when it holds nothing.
    Sign,
}

const MEANINGS: &[(Meaning, &str)] = &[
    (
        Meaning::Transparent,
        " generic none presentation GenericContainer LayoutTable LayoutTableRow LayoutTableCell LabelText Ignored \
         ScrollArea strong emphasis code mark subscript superscript time Abbr abbr StaticText \
         InlineTextBox ListMarker separator paragraph rowgroup RootWebArea WebArea Pre Legend Figcaption \
         HeaderAsNonLandmark FooterAsNonLandmark SectionHeader SectionFooter DescriptionListTerm \
         DescriptionListDetail scrollbar Ruby RubyAnnotation EmbeddedObject PluginObject Video Audio \
         graphics-document graphics-object graphics-symbol docAbstract text page clickable value volatile ",
    ),
    (Meaning::Field, " textbox searchbox combobox spinbutton Date DateTime InputTime "),
    (
        Meaning::Control,
        " button link checkbox radio listbox option menuitem menuitemcheckbox menuitemradio slider switch tab \
         treeitem DisclosureTriangle ColorWell MenuListPopup PopUpButton ",
    ),
    (
        Meaning::TextHolder,
        " heading alert status timer marquee caption tooltip term definition blockquote insertion deletion ",
    ),
    (Meaning::Cell, " cell gridcell columnheader rowheader "),
    (Meaning::ListItem, " listitem "),
    (Meaning::Fixed, " dialog alertdialog progressbar meter "),
    (
        Meaning::Container,
        " banner navigation main complementary contentinfo search table grid treegrid row article log menu menubar \
         toolbar tablist tabpanel tree radiogroup feed application math ",
    ),
    (Meaning::NamedContainer, " list group form region note DescriptionList Details Section "),
    (Meaning::Picture, " image img SvgRoot figure "),
];
const BLOCKS: &str = " paragraph list listitem group form region table row rowgroup cell article \
    DescriptionList DescriptionListTerm DescriptionListDetail term definition Pre blockquote separator \
    Figcaption figure heading Details Section Legend ";

static MEANING_OF: LazyLock<HashMap<&str, Meaning>> = LazyLock::new(|| {
    let roles =
        MEANINGS.iter().flat_map(|(meaning, roles)| roles.split_ascii_whitespace().map(move |role| (role, *meaning)));
    roles.collect()
});

pub(super) static BLOCK_ROLES: LazyLock<HashSet<&str>> = LazyLock::new(|| BLOCKS.split_ascii_whitespace().collect());

pub(super) fn meaning(role: &str) -> Option<Meaning> {
    MEANING_OF.get(role).copied()
}

pub(super) fn plain_word(role: &str) -> bool {
    let letters = role.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
    letters && role.starts_with(|c: char| c.is_ascii_alphabetic()) && StateSet::from_word(role).is_none()
}

pub(super) fn among(list: &str, word: &str) -> bool {
    !word.is_empty() && list.split_ascii_whitespace().any(|known| known == word)
}
