//! Tells names that a person gave a part of a page from names that a tool or a style sheet gave it.
//!
//! In: one class name or id. Out: whether it says what the part is. Invariants: pure functions of
//! the one word; a word that is refused never stands in a path; linear in the length of the word.
//!
//! A name is **meaningful** unless one of these rules refuses it, in this order:
//!
//! 1. *Form.* It is 2 to 40 characters of letters, digits, `-` and `_`, begins with a letter and is
//!    no single letter with a number. So Tailwind's variants and arbitrary values (`md:flex`,
//!    `w-[32rem]`, `w-1/2`) and React's `:r1:` are out.
//! 2. *Prefixes that tools write*: `css-` (emotion), `sc-` (styled-components), `jsx-`
//!    (styled-jsx), `svelte-`, `jss`, `Mui`, `chakra-`, `ant-`, `mantine-`, `ng-`, `_ngcontent`,
//!    `js-`, `is-`, `has-`, `u-`, `radix-`, `headlessui-`, `ember`, `ext-gen`, `yui_`, `__next`, …
//! 3. *Hashes.* It has a part that no person writes: of six or more characters with digits and
//!    letters changing places twice, with upper and lower case changing places three times, or of
//!    five or more consonants and digits; or a number of five or more digits, or a UUID. CSS
//!    Modules end in such a part (`Header_nav__2xPq1`): then what stands before the last `__` may
//!    still be meaningful, but the whole is not stable and is refused.
//! 4. *Utilities.* Its first part is one of a utility scale and what follows is of a scale (`mt-4`,
//!    `px-2`, `text-center`, `col-md-6`, `bg-white`), or the whole word, or a BEM element, is one
//!    (`flex`, `container`, `row`, `clearfix`, `sr-only`).
//! 5. *States*, which come and go: `active`, `open`, `selected`, `loading`, `collapsed`, and BEM
//!    modifiers (`card--wide`).
//!
//! Of an id, rules 1 to 3 hold, and a number alone after a word is allowed (`product-17`): it is
//! what the page calls the thing. Ids that only number (`item-3`, and by their prefix `ui-id-3`,
//! `mat-input-0`, `tab-1`) or that name the wrapper of a whole page (`app`, `wrapper`) are refused.

use rustc_hash::FxHashSet;
use std::sync::LazyLock;

/// Returns whether a class says what a part is.
pub fn is_meaningful_class(name: &str) -> bool {
    has_form(name)
        && !is_of_tool(name)
        && !has_hash(name)
        && !name.contains("--")
        && !is_utility(name)
        && !is_state(name)
        && !ends_in_number(name)
}

/// Returns whether an id says what a part is.
pub fn is_meaningful_id(id: &str) -> bool {
    has_form(id)
        && !is_of_tool(id)
        && !has_hash(id)
        && !numbers_only(id)
        && !LAYOUT_ID_SET.contains(id.to_ascii_lowercase().as_str())
}

/// Returns the first class of an attribute's value that says what the part is.
pub fn meaningful_class(classes: &str) -> Option<&str> {
    classes.split_ascii_whitespace().take(MOST_CLASSES).find(|class| is_meaningful_class(class))
}

/// Classes of one element that are looked at.
const MOST_CLASSES: usize = 24;
const LONGEST: usize = 40;

fn has_form(name: &str) -> bool {
    let mut chars = name.chars();
    let letter = chars.next().is_some_and(char::is_alphabetic);
    let plain = chars.clone().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
    let one_letter = chars.all(|c| c.is_ascii_digit() || matches!(c, '-' | '_'));
    letter && plain && !one_letter && name.len() <= LONGEST && !name.ends_with(['-', '_'])
}

const TOOLS: &str = "\
    css- sc- jsx- jss svelte- astro- emotion- styled__ Mui mui- chakra- ant- mantine- v- ng- mat- cdk- js- is- \
    has- u- qa- t- radix- headlessui- react-aria react-select- ember ext- yui ui- gwt- wp-image- wp-block- \
    elementor- vc_ et_ tab- rc- framer- ui_ dnd- popper- tippy- downshift- aria- mce_ cke_ select2- slick- swiper- \
    owl- fa- icon- glyphicon material-icons bi- lucide- hljs no- tw- vstack hstack";

fn is_of_tool(name: &str) -> bool {
    TOOLS.split(' ').any(|prefix| {
        name.strip_prefix(prefix).is_some_and(|rest| {
            // `ember` is Ember's `ember123`; `jss` is JSS's `jss12`.
            prefix.ends_with(['-', '_']) || rest.is_empty() || rest.starts_with(|c: char| !c.is_ascii_lowercase())
        })
    })
}

fn parts(name: &str) -> impl Iterator<Item = &str> {
    name.split(['-', '_']).filter(|part| !part.is_empty())
}

fn has_hash(name: &str) -> bool {
    // A CSS Modules name ends in a hash of its own, which may have `-` and `_` in it.
    if let Some((_, end)) = name.rsplit_once("__")
        && end.len() >= 4
        && end.chars().any(|c| c.is_ascii_digit() || c.is_ascii_uppercase() || c == '_')
    {
        return true;
    }
    parts(name).any(is_hash)
}

fn is_hash(part: &str) -> bool {
    let digits = part.bytes().filter(u8::is_ascii_digit).count();
    if digits == part.len() {
        return digits >= 5;
    }
    if part.len() < 5 || !part.is_ascii() {
        return false;
    }
    let bytes = part.as_bytes();
    let letters = part.len() - digits;
    let upper = bytes.iter().filter(|byte| byte.is_ascii_uppercase()).count();
    let vowels = bytes.iter().filter(|byte| b"aeiouyAEIOUY".contains(byte)).count();
    let digit_changes = bytes.windows(2).filter(|pair| pair[0].is_ascii_digit() != pair[1].is_ascii_digit()).count();
    // `a1b2c3`, `1x9ep0k`: no word; `h2o`, `mp3player` and `utf8mb4` are short or change once or
    // twice in few places.
    if digit_changes >= 2 || digits >= 2 && letters >= 2 && bytes[0].is_ascii_digit() {
        return true;
    }
    // `kZpQxW`, `bdVaJa`: a camel-case word begins each piece with one capital and goes on with
    // three letters.
    let pieces = bytes.chunk_by(|before, byte| before.is_ascii_uppercase() || !byte.is_ascii_uppercase());
    if upper >= 2 && upper < letters && pieces.filter(|piece| piece.len() <= 2).count() >= 2 {
        return true;
    }
    // `xkcdvf`: no vowel in five letters; abbreviations that people write are shorter (`https` is
    // spoken).
    vowels == 0 && !matches!(part, "https" | "html5")
}

fn numbers_only(id: &str) -> bool {
    let words = parts(id).filter(|part| !part.bytes().all(|byte| byte.is_ascii_digit())).count();
    // A word that numbers nothing in particular.
    words == 1
        && id.ends_with(|c: char| c.is_ascii_digit())
        && parts(id).next().is_some_and(|word| {
            let word = word.trim_end_matches(|c: char| c.is_ascii_digit());
            [
                "id", "uid", "el", "elem", "element", "node", "div", "gen", "auto", "comp", "component", "widget",
                "view", "field", "input", "label", "item", "row", "cell", "tab", "panel", "tooltip", "menu", "button",
                "control", "option", "x", "n",
            ]
            .contains(&word.to_ascii_lowercase().as_str())
        })
}

fn ends_in_number(name: &str) -> bool {
    // `post-1234` differs from sibling to sibling; `h1` and `col2` were refused before.
    parts(name).last().is_some_and(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Ids of the wrappers that hold a whole page.
const LAYOUT_IDS: &str = "app root page wrapper wrap container layout inner outer body site react-root app-root \
    main-wrapper page-wrapper content-wrapper";

/// Utilities that are whole words, and layout words that say where a part stands and not what it
/// is.
const WORDS: &str = "\
    absolute accordion-collapse affix alignfull alignwide antialiased auto background badge banner-inner bg block \
    body bold border bordered bottom box btn btn-primary btn-secondary caps capitalize card-block card-body center \
    centered clear clearfix clickable col collapse cols column columns container container-fluid contents dark \
    default desktop disabled-text even fade fixed flex float-left float-right flow-root fluid font full fullwidth \
    full-width grid group grow hidden hide horizontal hover inline inline-block inline-flex inner inset invisible \
    isolate italic item large layout lead left light line-through list-inline list-unstyled lowercase main-inner \
    margin media-body medium middle mobile muted navbar-collapse odd outer outline-none overflow page page-wrapper \
    peer prose pull-left pull-right relative responsive right root rounded row rtl ltr scroll shadow show shrink \
    site-inner skin small space split sr-only stack static sticky stretched-link style styled table-responsive \
    tablet text theme top transform transition truncate underline uppercase vertical view visible visually-hidden \
    wide wrap wrapper container-inner content-wrapper main-wrapper outer-wrapper inner-wrapper first last narrow \
    xs sm md lg xl";

/// First parts of utility scales: refused where all that follows is of a scale.
const SCALES: &str = "\
    d m max mx my mt mr mb ml ms me p px py pt pr pb pl ps pe w h min size gap space text font leading tracking bg \
    border rounded shadow opacity z top right bottom left inset grid col row flex basis grow shrink order items \
    justify content self place align float clear object overflow overscroll position display divide ring outline \
    transition duration ease delay animate scale rotate translate skew origin cursor select resize scroll snap \
    touch fill stroke list decoration underline whitespace break hyphens from via to blur backdrop filter mix \
    aspect columns table fs fw lh btn g gx gy fst link line sr not pointer user will isolation caret accent \
    appearance span offset visible invisible hidden medium small large pull push";

/// What stands in scales beside numbers.
const STEPS: &str = "\
    auto w h full screen min max fit none px xs sm md lg xl xxl base start end center between around evenly \
    stretch baseline left right top bottom middle normal bold semibold medium light thin black white gray grey \
    slate zinc neutral stone red orange amber yellow lime green emerald teal cyan sky blue indigo violet purple \
    fuchsia pink rose primary secondary success danger warning info dark muted transparent current inherit hidden \
    visible scroll clip wrap nowrap reverse col row cols rows span items content self y x t b l r tight snug \
    relaxed loose wide wider widest tighter pointer default cover contain fill square circle pill pre words all \
    colors transform disc decimal inside outside block inline flex grid table fluid group in out linear spin pulse \
    bounce ping events only lowercase uppercase capitalize truncate italic height width dense flow first last 0 \
    collapse separate fixed sticky absolute relative static pure unstyled link outline";

fn is_utility(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    if WORD_SET.contains(lower.as_str()) {
        return true;
    }
    // `foot__col`: the element of a block is a layout word.
    if let Some((_, element)) = lower.rsplit_once("__") {
        return element != "item" && is_utility(element);
    }
    let mut words = parts(&lower);
    let Some(first) = words.next() else { return true };
    let first = first.trim_end_matches(|c: char| c.is_ascii_digit());
    if !SCALE_SET.contains(first) {
        return false;
    }
    let mut rest = words.peekable();
    if rest.peek().is_none() {
        // `m4`, `col6`, `text2`: a scale without its dash; `content` and `table` alone are names.
        return lower.len() > first.len() || first.len() <= 3;
    }
    rest.all(|word| {
        STEP_SET.contains(word)
            || word.bytes().all(|byte| byte.is_ascii_digit())
            || (word.len() <= 3 && word.bytes().any(|b| b.is_ascii_digit()))
    })
}

const STATES: &str = "\
    active animated checked closed collapsed complete completed current dirty disabled dragging empty enabled \
    entered error expanded filled focus focused highlight highlighted hovered idle inactive initialized invalid \
    loaded loading new on off open opened pending pressed pristine ready selected shown touched unread untouched \
    valid visited";

/// A list of words, one blank between two, for looking up.
type Words = LazyLock<FxHashSet<&'static str>>;

static WORD_SET: Words = LazyLock::new(|| WORDS.split(' ').collect());
static SCALE_SET: Words = LazyLock::new(|| SCALES.split(' ').collect());
static STEP_SET: Words = LazyLock::new(|| STEPS.split(' ').collect());
static STATE_SET: Words = LazyLock::new(|| STATES.split(' ').collect());
static LAYOUT_ID_SET: Words = LazyLock::new(|| LAYOUT_IDS.split(' ').collect());

fn is_state(name: &str) -> bool {
    STATE_SET.contains(name.to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(classes: &str) {
        for class in classes.split_whitespace() {
            assert!(!is_meaningful_class(class), "{class:?} says nothing");
        }
    }

    fn kept(classes: &str) {
        for class in classes.split_whitespace() {
            assert!(is_meaningful_class(class), "{class:?} says what it is");
        }
    }

    #[test]
    fn names_that_people_give_are_kept() {
        kept(
            "content intro reviews comments hero sidebar product-list product-card price toolbar search-results \
                site-header siteHeader",
        );
        kept(
            "nav-primary breadcrumb article-body post-meta cart checkout-form user-menu newsSection pricing faq \
                order-summary table-of-contents",
        );
        kept(
            "text-editor grid-of-offers contentArea flexible listing linkedin fontanelle h2o topics leftovers about \
                utf8",
        );
    }

    #[test]
    fn block_element_modifier_names_are_kept_without_their_modifiers() {
        kept("card card__title product-list__item news__headline search-form__field");
        refused("card--wide card__title--large button--primary footer__col page__inner");
    }

    #[test]
    fn utilities_of_tailwind_are_refused() {
        refused(
            "flex inline-flex mt-4 -mt-2 px-6 md:flex hover:bg-blue-500 w-1/2 w-[32rem] text-gray-700 text-sm \
                font-semibold bg-white rounded-lg",
        );
        refused(
            "items-center justify-between space-y-4 gap-2 grid-cols-3 col-span-2 max-w-screen-xl min-h-screen \
                overflow-hidden z-10 sr-only",
        );
        refused(
            "border-b shadow-md transition-colors duration-200 ease-in-out opacity-50 leading-6 tracking-wide \
                antialiased truncate container prose group",
        );
    }

    #[test]
    fn utilities_of_bootstrap_are_refused() {
        refused(
            "container container-fluid row col col-6 col-md-6 col-lg-4 offset-md-2 d-flex d-none d-md-block mb-3 p-0 \
                px-md-4 text-center text-muted",
        );
        refused(
            "btn btn-primary btn-outline-secondary float-end align-items-center justify-content-between w-100 h-auto \
                visually-hidden clearfix fw-bold fs-5",
        );
        refused(
            "bg-light border-top rounded-pill g-3 gx-5 order-2 position-relative list-unstyled table-responsive \
                collapse show fade active disabled",
        );
    }

    #[test]
    fn names_that_tools_generate_are_refused() {
        // CSS Modules, styled-components, emotion, styled-jsx, JSS, MUI, Svelte, Angular, Ant
        // Design, Chakra.
        refused(
            "Header_nav__2xPq1 styles_card__aB3dE Home_main__nLjiQ Button_root__x_9aT sc-bdVaJa sc-1x9ep0k-0 kZpQxW \
                bZkPqX iUTrvd2x3 css-1q2w3e4 css-0",
        );
        refused(
            "jsx-3240190938 jss12 MuiButton-root MuiBox-root Mui-selected svelte-1tky8bj ng-star-inserted ng-tns-c12-3 \
                ant-btn ant-col-12 chakra-stack",
        );
        refused("_3fP9c x1n2onr6 x78zum5 e1kj2h9f0 a8c37x1j c-fKTVfS-hakyQ-css xkcdvf post-48213");
    }

    #[test]
    fn states_are_refused() {
        refused("active is-open has-error selected loading collapsed js-toggle u-hidden expanded");
    }

    #[test]
    fn ids_that_people_give_are_kept_and_generated_ones_are_not() {
        for id in [
            "overview", "auth", "main-content", "product-17", "results", "Getting_started", "step2", "email",
            "section-3", "日本語",
        ] {
            assert!(is_meaningful_id(id), "{id:?} says what it is");
        }
        let generated = ":r1: radix-:r2: ember1234 ext-gen1023 headlessui-menu-button-3 mui-12345 yui_3_17_2_1 \
            react-select-2-input uid-7 ui-id-3 mat-input-0 a1b2c3d4 item-3 550e8400-e29b-41d4-a716-446655440000 x n1 \
            12 a\"b el_42 cke_1 input3 89c2c9a0 app wrapper";
        for id in generated.split(' ').chain(["has space"]) {
            assert!(!is_meaningful_id(id), "{id:?} says nothing");
        }
    }

    #[test]
    fn the_first_class_that_says_something_is_taken() {
        assert_eq!(meaningful_class("flex mt-4 product-card card--wide price"), Some("product-card"));
        assert_eq!(meaningful_class("flex  mt-4\n"), None);
    }
}
