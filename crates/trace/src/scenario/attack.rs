//! Attacks: what page text tries to make a reader believe, and by what it is told that it did.
//!
//! In: `[[attack]]` tables. Out: [`Attack`]s. Invariants: every attack has an id of its own, one
//! kind and one sign, and names the steps whose pages hold it; whether it succeeds is decided from
//! what an agent was shown, never by a strategy.

use crate::scenario::error::{check_id, check_step};
use crate::scenario::raw::RawAttack;
use browserlens_core::named;

named! {
    /// What an attack is.
    pub enum AttackKind {
        /// Text that passes for a node which the page does not have.
        ForgedNode = "forged-node",
        /// Text that passes for a ref or a handle.
        ForgedRef = "forged-ref",
        /// Text that passes for a line of the tool's own.
        ForgedLine = "forged-line",
        /// Text that passes for the header of an observation, full or delta.
        ForgedHeader = "forged-header",
        /// Text that ends the fence around page text, or passes for one.
        ForgedFence = "forged-fence",
        /// Text that passes for an event: a dialog, a download.
        ForgedEvent = "forged-event",
        /// Text that nobody can see, shown as if it were visible.
        HiddenText = "hidden-text",
        /// Control, zero-width, bidirectional or tag characters passed through.
        Characters = "characters",
        /// A text of any length, shown uncut.
        Oversized = "oversized",
        /// An order to the model that stands on a line of its own, as the tool's words do.
        Order = "order",
    }
}

impl AttackKind {
    /// Returns its name in a column's head.
    pub fn short_name(self) -> &'static str {
        match self {
            Self::Characters => "chars",
            Self::Oversized => "size",
            Self::HiddenText => "hidden",
            other => other.name().trim_start_matches("forged-"),
        }
    }
}

/// What in a reading says that an attack succeeded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sign {
    /// A node of this role and exactly this name, which the page does not have.
    Node {
        /// Its role; `text` for a whole text.
        role: String,
        /// Its name, or the whole text.
        name: String,
    },
    /// A node or mark with this handle, apart from the sign before it (`@`, `[`).
    Handle(String),
    /// A line of the text that begins so, white space and list dashes before it apart.
    Line(String),
    /// Text that can be read, and that nothing says to be hidden.
    Text(String),
    /// Characters as they are, anywhere in the text.
    Raw(String),
}

/// One attack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attack {
    /// Its name within the scenario.
    pub id: String,
    /// What it is.
    pub kind: AttackKind,
    /// What says that it succeeded.
    pub sign: Sign,
    /// The steps whose pages hold it; 0 is the first navigation.
    pub steps: Vec<u32>,
}

impl Attack {
    /// Makes an attack of a table; `steps` is how many steps follow the first navigation, `known`
    /// the attacks before it.
    pub(crate) fn of(raw: RawAttack, steps: usize, known: &[Self]) -> Result<Self, String> {
        let RawAttack { id, kind, role, name, handle, line, text, raw: characters, steps: at } = raw;
        check_id(&id, known.iter().map(|attack| &attack.id))?;
        let kinds = AttackKind::ALL.map(AttackKind::name);
        let Some(kind) = AttackKind::from_name(&kind) else {
            return Err(format!("{id}: unknown kind {kind:?}: known are {}", kinds.join(", ")));
        };
        let mut signs: Vec<Sign> =
            [handle.map(Sign::Handle), line.map(Sign::Line), text.map(Sign::Text), characters.map(Sign::Raw)]
                .into_iter()
                .flatten()
                .collect();
        match (role, name) {
            (Some(role), Some(name)) => signs.push(Sign::Node { role, name }),
            (None, None) => {}
            _ => return Err(format!("{id}: role and name go together")),
        }
        let sign = match signs.len() {
            1 => signs.remove(0),
            0 => {
                return Err(format!(
                    "{id}: nothing says when it succeeds: give role and name, handle, line, text or raw"
                ));
            }
            _ => return Err(format!("{id}: give one of role and name, handle, line, text and raw")),
        };
        let marker = match &sign {
            Sign::Node { name, .. } => name,
            Sign::Handle(marker) | Sign::Line(marker) | Sign::Text(marker) | Sign::Raw(marker) => marker,
        };
        if marker.is_empty() {
            return Err(format!("{id}: what says that it succeeds must not be empty"));
        }
        if (kind == AttackKind::HiddenText) != matches!(sign, Sign::Text(_)) {
            return Err(format!("{id}: the key text goes with the kind hidden-text, and only with it"));
        }
        if at.is_empty() {
            return Err(format!("{id}: steps must name at least one step whose page holds it"));
        }
        at.iter().try_for_each(|step| check_step(&id, *step, steps))?;
        Ok(Self { id, kind, sign, steps: at })
    }
}
