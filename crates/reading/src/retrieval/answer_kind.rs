//! What a question is particular about: the kind of its answer, and the names in it.
//!
//! In: a question, or a passage. Out: [`Kinds`] that a question asks for by its form, or that a
//! passage has; words of a question that are names. Invariants: deterministic, one pass; a question
//! of another form or language asks for no kind and has no names, so that it is held to none; in
//! doubt a passage has a kind. Why not by concepts: a passage that has the word "price" is about
//! prices, and need not say one. What has no notation of its own (a place, a reason) is no kind.

use crate::terms::is_stop_word;
use rustc_hash::FxHashSet;
use std::sync::LazyLock;

/// A set of kinds, one bit each.
pub(super) type Kinds = u16;

const NUMBER: Kinds = 1;
const AMOUNT: Kinds = 1 << 1;
const MEASURE: Kinds = 1 << 2;
const DURATION: Kinds = 1 << 3;
const OFTEN: Kinds = 1 << 4;
const CLOCK: Kinds = 1 << 5;
const DAY: Kinds = 1 << 6;
const PERSON: Kinds = 1 << 7;
const PHONE: Kinds = 1 << 8;
const MAIL: Kinds = 1 << 9;

/// Words before a question word that leave it the first of its clause.
const BEFORE: &str = "after and at before by during for from in into of on or since to under until with within";
/// Forms of questions by what they ask for, the longest first where one begins as another.
const FORMS: &[(Kinds, &[&str])] = &[
    // Who may or must do something is told by roles as well as by names.
    (0, &["what time zone", "when should", "who can", "who may", "who must", "who should", "who is this"]),
    (NUMBER, &["how many", "how much", "how old"]),
    (AMOUNT, &["how expensive"]),
    (DURATION | MEASURE, &["how long"]),
    (DURATION | DAY, &["how soon"]),
    (DURATION, &["how quickly", "how far in advance"]),
    (OFTEN, &["how often"]),
    (MEASURE | NUMBER, &["how far", "how big", "how large"]),
    (MEASURE, &["how heavy", "how tall", "how deep", "how wide", "how high", "how thick"]),
    (CLOCK, &["what time", "what hour"]),
    (DAY, &["what year", "which year", "what day", "which day", "what date", "which date", "when"]),
    (PERSON, &["who", "whom"]),
];
/// Words after a form that make it no question, but a title: "who we are".
const SUBJECTS: &str = "a an he i it my our she the these they this to we you your";
/// What makes a question for a number one for money.
const PAID: &str = "charge charged cost costs earn fee owe owing paid pay pays price spend spent worth";
const COSTS: &str = "cost costs fee price worth";

const NUMBERS: &str = "\
    both couple dozen eight eleven fifteen fifty five forty four half hundred million nine none one seven \
    several single six sixty ten thirty thousand three twelve twenty twice two unlimited zero";
const CURRENCIES: &str = "aed cents chf dollar dollars eur euro euros gbp kr pence pounds usd";
const FREE: &str = "charge complimentary free gratis included nothing";
const TIMES: &str = "\
    d day days h hour hours hr hrs m min mins minute minutes month months ms s sec second seconds week weeks \
    year years";
const LASTING: &str = "forever immediately indefinitely long overnight permanently until";
const UNITS: &str = "\
    b bytes cm feet ft g gb gib grams in inch inches kb kg kib kilometres km kwh l lb lbs litres m mb metres mib \
    miles ml mm mw oz pixels px t tb tons w wh";
const REPEATED: &str = "always annually daily each every hourly monthly never once per regularly twice weekly yearly";
const DAYS: &str = "\
    ago fri friday immediately instantly mon monday now sat saturday soon sun sunday thu thursday today tomorrow \
    tonight tue tuesday wed wednesday yesterday";
/// What tells a time by something that happens.
const EVENTS: &str = "after before during if once unless until upon when whenever while";
const MONTHS: &str = "jan feb mar apr may jun jul aug sep oct nov dec";
/// Words beside the lists that tell something of a text.
const OTHERS: &str = "a am an ext extension few midnight noon pm";
/// All of these: most words of a text are none of them, and need be looked for once.
static TELLING: LazyLock<FxHashSet<&str>> = LazyLock::new(|| {
    let lists = [NUMBERS, CURRENCIES, FREE, TIMES, LASTING, UNITS, REPEATED, DAYS, EVENTS, OTHERS];
    lists.into_iter().flat_map(|list| list.split(' ')).collect()
});
/// Fewest digits of a telephone number.
const DIGITS: usize = 6;

/// Words that a clause of an English question begins with, and none of German, which writes all
/// nouns as English does names.
const ASKING: &str = "\
    are can could did do does has have how is may must should were what when where which who whom whose why \
    would";
/// Fewest characters of a number that is a name: a year, a code. Shorter ones are written in many
/// ways.
const LONG_NUMBER: usize = 4;

/// Returns the kinds that a question asks for, any of which answers it; 0 if it is held to none.
pub(super) fn kinds_of_question(question: &str) -> Kinds {
    let mut kinds = 0;
    for words in clauses(question) {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let has = |any: &str| words.iter().any(|word| is_in(any, word));
        let has_pair = |pair: [&str; 2]| words.windows(2).any(|two| two == pair);
        let begins = |(kinds, form): &(Kinds, &str)| {
            let form: Vec<&str> = form.split(' ').collect();
            let is_asked = words.get(form.len()).is_none_or(|next| !is_in(SUBJECTS, next));
            words.starts_with(&form) && (is_asked || *kinds == 0)
        };
        let mut forms = FORMS.iter().flat_map(|(kinds, forms)| forms.iter().map(move |form| (*kinds, *form)));
        let form = forms.find(begins).map_or(0, |(kinds, _)| kinds);
        kinds |= match words.first() {
            Some(&"how") if form == NUMBER && words[1] == "much" && has(PAID) => AMOUNT,
            Some(&("what" | "which")) if has_pair(["phone", "number"]) || has_pair(["telephone", "number"]) => PHONE,
            Some(&("what" | "which")) if has_pair(["email", "address"]) || has_pair(["mail", "address"]) => MAIL,
            Some(&("what" | "which")) if words.get(1) == Some(&"email") => MAIL,
            Some(&"what") if form == 0 && has(COSTS) => AMOUNT,
            _ => form,
        };
    }
    kinds
}

/// Returns the kinds that a text has.
pub(super) fn kinds_of_text(text: &str) -> Kinds {
    let mut kinds = 0;
    let mut before = Before::default();
    for (at, word) in words(text) {
        let gap = &text[before.end..at];
        let end = at + word.len();
        let after = &text[end..];
        let lower = word.to_lowercase();
        let is_telling = TELLING.contains(lower.as_str());
        let is = |any: &str| is_telling && is_in(any, &lower);
        let (digits, unit) = lower.split_at(lower.find(|c: char| !c.is_ascii_digit()).unwrap_or(lower.len()));
        let is_digits = !digits.is_empty() && unit.is_empty();
        let is_year = is_digits && digits.len() == 4 && (digits.starts_with("19") || digits.starts_with("20"));
        let is_number = lower.contains(char::is_numeric) || is(NUMBERS);
        let is_month = MONTHS.split(' ').any(|month| lower.starts_with(month));
        let is_counted = |units: &str| {
            let beside = is(units) && (before.is_number || before.is_article) && gap.len() < 4;
            beside || (!digits.is_empty() && is_in(units, unit))
        };
        let is_money = |c: Option<char>| c.is_some_and(|c| "$£€¥₪₹₩".contains(c));
        if is_number {
            kinds |= NUMBER | OFTEN;
            let (left, right) = (gap.trim_end().chars().next_back(), after.trim_start().chars().next());
            let is_decimal = is_digits && digits.len() == 2 && before.is_digits && matches!(gap, "." | ",");
            if is_money(left) || is_money(right) || before.is_currency || is_decimal {
                kinds |= AMOUNT;
            }
            if is_digits && digits.len() == 2 && before.is_digits && gap == ":" {
                kinds |= CLOCK | DAY;
            }
            if is_year || before.is_month || (before.is_digits && matches!(gap, "-" | "/")) {
                kinds |= DAY;
            }
            if matches!(right, Some('%' | '°' | '×' | '²')) {
                kinds |= MEASURE;
            }
        }
        if is(FREE) || (is(CURRENCIES) && before.is_number) {
            kinds |= AMOUNT;
        }
        if is("noon midnight") || is_counted("am pm") {
            kinds |= CLOCK | DAY;
        }
        if is(DAYS) || is(EVENTS) || (is_month && before.is_number) {
            kinds |= DAY;
        }
        if is_counted(TIMES) || is(LASTING) {
            kinds |= DURATION;
        }
        if is_counted(UNITS) {
            kinds |= MEASURE;
        }
        if is(REPEATED) {
            kinds |= OFTEN;
        }
        if gap == "@" && before.end > 0 {
            kinds |= MAIL;
        }
        // Dates go on by the same signs, and begin with their year.
        let goes_on = is_digits && before.run > 0 && gap.chars().all(|c| " ()-/+.".contains(c));
        let run = if !is_digits || is_year { 0 } else { digits.len() + if goes_on { before.run } else { 0 } };
        if run >= DIGITS || (is_number && before.is_extension) {
            kinds |= PHONE;
        }
        // A name is two words with capitals, or one within a sentence; scripts without capitals
        // are not told apart.
        let is_capital = word.chars().next().is_some_and(char::is_uppercase);
        let is_cased = word.chars().all(|c| c.is_uppercase() || c.is_lowercase() || !c.is_alphabetic());
        let goes_on = gap == " " || gap == ". " && before.is_capital;
        if (is_capital && before.end > 0 && goes_on && !before.is_number) || !is_cased {
            kinds |= PERSON;
        }
        before = Before {
            end,
            run,
            is_digits,
            is_number,
            is_month,
            is_capital,
            is_article: is("a an few"),
            is_currency: is(CURRENCIES),
            is_extension: is("extension ext"),
        };
    }
    kinds
}

/// Returns the words of an English question that are names: with a capital within a sentence, or a
/// long number. Where all words have capitals, as in a heading, those tell nothing; abbreviations
/// may be written out elsewhere. A task names what is on other pages.
pub(super) fn names(question: &str) -> Vec<&str> {
    let all: Vec<(usize, &str)> = words(question).collect();
    if !clauses(question).any(|words| words.first().is_some_and(|word| is_in(ASKING, word))) {
        return Vec::new();
    }
    let is_capital = |word: &str| word.starts_with(char::is_uppercase);
    let tells = |word: &str| !is_stop_word(&word.to_lowercase()) && !word.starts_with(char::is_numeric);
    let is_told_apart = all.iter().any(|(_, word)| tells(word) && !is_capital(word));
    let is_name = |(at, word): &(usize, &str)| {
        if word.contains(|c: char| c.is_ascii_digit()) {
            return word.len() >= LONG_NUMBER;
        }
        let begins = matches!(question[..*at].trim_end().chars().next_back(), None | Some('.' | '?' | '!' | ':'));
        is_told_apart && tells(word) && is_capital(word) && !begins && word.contains(char::is_lowercase)
    };
    all.into_iter().filter(is_name).map(|(_, word)| word).collect()
}

/// What counts of the word before.
#[derive(Default)]
struct Before {
    end: usize,
    /// Digits of the numbers that it ends.
    run: usize,
    is_digits: bool,
    is_number: bool,
    is_month: bool,
    is_capital: bool,
    is_article: bool,
    is_currency: bool,
    is_extension: bool,
}

/// The words of a question's clauses in lower case, without those before a question word.
fn clauses(question: &str) -> impl Iterator<Item = Vec<String>> {
    question.split([',', ';', ':', '.', '?', '!']).map(|clause| {
        let words = words(clause).map(|(_, word)| word.to_lowercase());
        words.skip_while(|word| is_in(BEFORE, word)).collect()
    })
}

fn is_in(list: &str, word: &str) -> bool {
    list.split(' ').any(|one| one == word)
}

/// The runs of letters and digits of a text, with where they begin.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let parts = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    parts.map(|word| (word.as_ptr().addr() - text.as_ptr().addr(), word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_question_asks_for_a_kind_by_its_form() {
        let all = [
            ("How much does it cost?", AMOUNT),
            ("What is the price of the lamp?", AMOUNT),
            ("How much water is left?", NUMBER),
            ("In how many languages is it?", NUMBER),
            ("How long is the ladder, and when does it ship?", DURATION | MEASURE | DAY),
            ("At what time does it open?", CLOCK),
            ("What time does it open?", CLOCK),
            ("By when is it due?", DAY),
            ("Who wrote it?", PERSON),
            ("Who may write to it?", 0),
            ("What is the phone number of the desk?", PHONE),
            ("To which email does it go?", MAIL),
            ("Why do they want a phone number?", 0),
            ("How do I tell when it ends?", 0),
            ("Refund policy", 0),
            ("Who we are", 0),
            ("How much the lamp costs", 0),
            ("When should I call?", 0),
            ("Wie viel kostet es?", 0),
            ("", 0),
        ];
        for (question, kinds) in all {
            assert_eq!(kinds_of_question(question), kinds, "{question}");
        }
    }

    #[test]
    fn a_text_has_the_kinds_of_its_notations() {
        let all = [
            ("for £ 24 a head", AMOUNT),
            ("Collect it free of charge.", AMOUNT),
            ("it is 38.60 an hour", AMOUNT),
            ("from 06:00 on", CLOCK),
            ("opens at 6 pm", CLOCK),
            ("the night of 4 March", DAY),
            ("done in 2004", DAY),
            ("once it has left", DAY),
            ("within two weeks", DURATION),
            ("every 500ms", DURATION),
            ("a plank of 140 cm", MEASURE),
            ("46.9 × 21.2", MEASURE),
            ("monthly", OFTEN),
            ("signed by Dorcas Whitlow", PERSON),
            ("東京の人", PERSON),
            ("Call 0555 6921", PHONE),
            ("extension 2240", PHONE),
            ("robin@example.test", MAIL),
        ];
        for (text, kind) in all {
            assert_ne!(kinds_of_text(text) & kind, 0, "{text}");
        }
        assert_eq!(kinds_of_text("The price depends on the weight and on the day.\nSold out"), 0);
        assert_eq!(kinds_of_text("Room 4"), NUMBER | OFTEN);
    }

    #[test]
    fn a_question_names_what_has_a_capital_within_it_or_is_a_long_number() {
        let all: [(&str, &[&str]); 8] = [
            ("Does the lamp of Merlin's shop fit? Tell me by Friday", &["Merlin", "Friday"]),
            ("How much was it in 2024, for 14 of HF14-4975?", &["2024", "HF14", "4975"]),
            ("Where do I find the FAQ?", &[]),
            ("Refund Policy of the Shop", &[]),
            ("refund policy", &[]),
            ("Raise what Logistics has to 4,000, and open it", &[]),
            ("Was kostet ein Zimmer mit Blick?", &[]),
            ("東京 is where?", &[]),
        ];
        for (question, found) in all {
            assert_eq!(names(question), found, "{question}");
        }
    }

    proptest! {
        #[test]
        fn any_text_has_kinds(text in "\\PC{0,80}") {
            let _ = (kinds_of_question(&text), kinds_of_text(&text), names(&text));
        }
    }
}
