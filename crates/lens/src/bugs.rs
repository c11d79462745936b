//! Deliberate bugs, for tests that prove that the tests see them.
//!
//! In: a [`Bug`] and work to do with it. Out: what the work gives while the lens has that bug.
//! Invariants: the switch is of this thread alone and ends with the work, panics included; without
//! it (in a build for users, see `build.rs`) every check is a constant `false`.

/// A bug that a test can turn on; each breaks one promise of the lens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bug {
    /// The check of a text before it is sent accepts everything.
    BlindCheck,
    /// Differences from the page are not counted.
    BlindReference,
    /// What cannot be seen is shown.
    ShowsHidden,
    /// Texts that begin with a dollar sign are left out.
    DropsText,
    /// Checkboxes get no ref.
    LosesRefs,
    /// What is elided has no mark.
    HidesUnmarked,
    /// A mark counts one item more than it stands for.
    CountsOneMore,
    /// A cut name says one character less than is missing.
    CutsOneShort,
    /// A changed item is not told.
    DropsChange,
    /// States that went are not told.
    DropsOff,
    /// Removed items are not told.
    DropsRemoved,
    /// A moved item lands one place too far.
    MisplacesMoved,
    /// The order of children is told the wrong way round.
    Misorders,
    /// The focus is not told.
    DropsFocus,
    /// Title and URL are not told when they change.
    DropsPage,
    /// A delta says that it starts from the last state, whichever it was made from.
    WrongBase,
    /// Two rows of a group are exchanged.
    FoldsWrongRow,
    /// Quotes in page text are not escaped.
    LeavesQuotes,
    /// Refs and handles in page text are not escaped.
    LeavesRefs,
    /// Line ends in page text are not escaped.
    LeavesLineEnds,
    /// Characters that nobody sees are not escaped.
    LeavesUnseen,
    /// Brackets and bars in title and URL are not escaped.
    LeavesBrackets,
    /// A text may cost a tenth more than the budget, and one token.
    OverBudget,
    /// The same node is taken for the same entity.
    Rebinds,
    /// Whatever looks alike is taken for the same entity.
    TrustsAlike,
    /// All new refs of a text have one number.
    DuplicateRef,
    /// Numbers of refs are given again.
    ReusesNumbers,
    /// A ref leads to the node before.
    WrongTarget,
    /// Two marks have one handle.
    ReusesHandles,
    /// A mark gets another handle in each step.
    ForgetsHandles,
    /// What is hidden is not marked volatile.
    HidesSilently,
    /// Passes hide alerts and what can be acted on.
    HidesUrgent,
    /// Passes hide states.
    HidesStates,
    /// Passes that are off hide nevertheless.
    IgnoresSwitches,
    /// Alerts and dialogs come last where a budget bites.
    RanksUrgentLast,
    /// A request for some items brings their neighbours.
    BringsOthers,
    /// What happened beside the page is not told.
    DropsEvents,
    /// A change that cannot be applied leaves its traces.
    AppliesHalf,
    /// Signals of another document are taken for those of this one.
    StaleSignals,
}

impl Bug {
    /// Every bug.
    pub fn all() -> impl Iterator<Item = Self> {
        const ALL: [Bug; 39] = [
            Bug::BlindCheck,
            Bug::BlindReference,
            Bug::ShowsHidden,
            Bug::DropsText,
            Bug::LosesRefs,
            Bug::HidesUnmarked,
            Bug::CountsOneMore,
            Bug::CutsOneShort,
            Bug::DropsChange,
            Bug::DropsOff,
            Bug::DropsRemoved,
            Bug::MisplacesMoved,
            Bug::Misorders,
            Bug::DropsFocus,
            Bug::DropsPage,
            Bug::WrongBase,
            Bug::FoldsWrongRow,
            Bug::LeavesQuotes,
            Bug::LeavesRefs,
            Bug::LeavesLineEnds,
            Bug::LeavesUnseen,
            Bug::LeavesBrackets,
            Bug::OverBudget,
            Bug::Rebinds,
            Bug::TrustsAlike,
            Bug::DuplicateRef,
            Bug::ReusesNumbers,
            Bug::WrongTarget,
            Bug::ReusesHandles,
            Bug::ForgetsHandles,
            Bug::HidesSilently,
            Bug::HidesUrgent,
            Bug::HidesStates,
            Bug::IgnoresSwitches,
            Bug::RanksUrgentLast,
            Bug::BringsOthers,
            Bug::DropsEvents,
            Bug::AppliesHalf,
            Bug::StaleSignals,
        ];
        ALL.into_iter()
    }
}

#[cfg(deliberate_bugs)]
mod switch {
    use super::Bug;
    use std::cell::Cell;

    thread_local! {
        static ON: Cell<u64> = const { Cell::new(0) };
    }

    struct Restore(u64);

    impl Drop for Restore {
        fn drop(&mut self) {
            ON.set(self.0);
        }
    }

    /// Does work while the lens has these bugs.
    pub fn with<T>(bugs: &[Bug], work: impl FnOnce() -> T) -> T {
        let _restore = Restore(ON.get());
        ON.set(bugs.iter().fold(ON.get(), |on, bug| on | 1 << *bug as u64));
        work()
    }

    /// Whether the lens has a bug now.
    pub(crate) fn has(bug: Bug) -> bool {
        ON.get() & (1 << bug as u64) != 0
    }
}

#[cfg(deliberate_bugs)]
pub(crate) use switch::has;
#[cfg(deliberate_bugs)]
pub use switch::with;

/// Whether the lens has a bug now: in a build for users it never has.
#[cfg(not(deliberate_bugs))]
pub(crate) const fn has(_: Bug) -> bool {
    false
}

/// The budget that texts are held to.
pub(crate) fn budget(of: u32) -> u32 {
    if has(Bug::OverBudget) { of + of / 10 + 1 } else { of }
}

/// The step that a delta says that it starts from.
pub(crate) fn base(from: u32, last: Option<u32>) -> u32 {
    if has(Bug::WrongBase) { last.unwrap_or(from) } else { from }
}

/// The item whose node a ref leads to.
pub(crate) fn target(item: u32) -> u32 {
    if has(Bug::WrongTarget) { item.saturating_sub(1) } else { item }
}
