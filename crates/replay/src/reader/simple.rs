//! The simple reader of the lens' text: what a small model or a hasty person makes of it.
//!
//! In: the texts of a run in order. Out: a [`Reading`] of what it believes to be shown. It does
//! what the legend says, literally: it splits lines, knows refs, quoted names, states and rows with
//! their head, and finds what a change is about by the ref, name or owner that the change names. It
//! counts no positions, and knows nothing from before the last whole telling. Invariants: nothing
//! of the lens is used; a text that it does not understand changes nothing and crashes nothing.
//!
//! The strict reader ([`super::lens_text`]) recovers every shown state exactly. The distance
//! between the two says how much of the notation must be followed to the letter.

mod notation;

pub use notation::steps;

use super::{ReadNode, Reading};
use browserlens_peers::read::tags;
use notation::{
    Own, Part, Token, field, filled, handle, is_states, item, parts, repeated, set, statement, tokens, told, unescaped,
};
use std::collections::HashMap;

/// How much of the text below an item is taken for its name, in bytes.
const NAME_LIMIT: usize = 400;

/// What the simple reader believes.
#[derive(Debug, Default)]
pub struct SimpleText {
    head: Vec<String>,
    events: Vec<String>,
    items: Vec<Item>,
    /// The item that was told last with a handle: no other with it is shown.
    by_handle: HashMap<String, usize>,
    patterns: HashMap<String, Vec<Part>>,
    /// The step that it is at, as the text numbers it.
    step: String,
    /// What it believed at earlier steps: a delta may change one of these pages.
    earlier: HashMap<String, (Vec<Item>, usize)>,
    /// How many lines there were since the last whole telling.
    lines: usize,
    /// The item that what is told now is in.
    base: Option<usize>,
    /// The items told now that more may follow in, innermost last, each after its depth.
    open: Vec<(usize, usize)>,
    /// The pattern of the rows that may follow, after what they are in.
    pattern: Option<(Option<usize>, Vec<Part>)>,
}

#[derive(Clone, Debug, Default)]
struct Item {
    role: String,
    name: String,
    value: String,
    states: Vec<String>,
    handle: Option<String>,
    parent: Option<usize>,
    is_gone: bool,
    /// The lines that told it.
    lines: Vec<usize>,
}

impl SimpleText {
    /// Reads the next text, which tells everything anew or not.
    pub fn read(&mut self, text: &str, is_whole: bool) {
        if is_whole || text.starts_with("[DELTA") {
            let now = (std::mem::take(&mut self.items), std::mem::take(&mut self.lines));
            let step = std::mem::take(&mut self.step);
            let (from, to) = steps(text);
            self.step = to.to_owned();
            if is_whole {
                self.patterns.clear();
            } else {
                let base = (from != step).then(|| self.earlier.get(from).cloned()).flatten();
                (self.items, self.lines) = base.unwrap_or_else(|| now.clone());
            }
            self.earlier.insert(step, now);
            let shown = self.items.iter().enumerate().filter(|(_, item)| !item.is_gone);
            self.by_handle = shown.filter_map(|(at, item)| Some((item.handle.clone()?, at))).collect();
        }
        self.events.clear();
        self.open.clear();
        (self.base, self.pattern) = (None, None);
        let mut changing = false;
        for (number, line) in text.lines().enumerate() {
            self.lines += 1;
            if number == 0 {
                self.head_of(line);
                continue;
            }
            let Some((word, rest)) = statement(line) else {
                if line.starts_with('[') {
                    self.events.extend(tokens(line).into_iter().filter_map(|token| match token {
                        Token::Quoted(text) => Some(text),
                        _ => None,
                    }));
                } else if let Some(rest) = line.strip_prefix("- ").filter(|_| changing) {
                    self.change(rest);
                } else {
                    self.telling(line);
                }
                continue;
            };
            self.open.clear();
            self.pattern = None;
            changing = word == "CHANGED";
            match word {
                "CHANGED" => self.change(rest),
                "REMOVED" => self.removed(rest),
                "FOCUS" => self.focus(rest),
                "PAGE" => self.page(rest),
                "ADDED in" | "NOW in" => {
                    let (locator, alone) = told(rest);
                    self.base = self.find(&locator);
                    if word == "NOW in" {
                        self.clear_below(self.base);
                    }
                    if !alone.is_empty() {
                        self.telling(&format!("  - {alone}"));
                    }
                }
                "ORDER in" => self.order(rest, (" (−", "): ")),
                "REMOVED in" => self.order(rest, (": ", "; left: ")),
                _ => self.base = None,
            }
        }
    }

    /// Returns what the items say that a line told, lines counted since the last whole telling: of
    /// a row, what its pattern adds.
    pub fn said_on(&self, line: usize) -> Vec<String> {
        let items = self.items.iter().filter(|item| item.lines.contains(&line));
        items.flat_map(|item| [&item.name, &item.value].into_iter().chain(&item.states)).cloned().collect()
    }

    /// Returns the lines that told the item with a handle, counted since the last whole telling.
    pub fn lines_of(&self, handle: &str) -> Vec<usize> {
        self.with_handle(handle).map(|at| self.items[at].lines.clone()).unwrap_or_default()
    }

    fn with_handle(&self, handle: &str) -> Option<usize> {
        self.by_handle.get(handle).copied().filter(|at| !self.items[*at].is_gone)
    }

    /// Returns what it believes to be shown.
    pub fn reading(&self) -> Reading {
        let mut reading = Reading::default();
        reading.nodes.extend(self.head.iter().chain(&self.events).map(ReadNode::loose));
        let mut at: Vec<Option<usize>> = vec![None; self.items.len()];
        for (index, item) in self.items.iter().enumerate().filter(|(_, item)| !item.is_gone) {
            at[index] = Some(reading.nodes.len());
            let parent = item.parent.and_then(|parent| at[parent]);
            if item.role == "text" {
                reading.nodes.push(ReadNode { parent, ..ReadNode::loose(&item.name) });
                continue;
            }
            let mut node = ReadNode {
                role: if item.role == "clickable" { "generic".to_owned() } else { item.role.clone() },
                name: item.name.clone(),
                value: item.value.clone(),
                states: item.states.clone(),
                handle: item.handle.clone(),
                parent,
                ..ReadNode::default()
            };
            if node.name.is_empty() && (node.handle.is_some() || tags::is_named_by_content(&node.role)) {
                node.name = self.text_below(index);
                node.named_by_content = true;
            }
            reading.nodes.push(node);
        }
        reading
    }

    fn text_below(&self, index: usize) -> String {
        let mut words = Vec::new();
        let mut length = 0;
        for (below, item) in self.items.iter().enumerate().skip(index + 1) {
            if length > NAME_LIMIT {
                break;
            }
            if !item.is_gone && !item.name.is_empty() && self.holds(index, below) {
                words.push(item.name.as_str());
                length += item.name.len();
            }
        }
        words.join(" ")
    }

    fn holds(&self, above: usize, below: usize) -> bool {
        // A parent was told before what is in it.
        let parent = |at: &usize| self.items[*at].parent.filter(|next| next < at);
        std::iter::successors(self.items[below].parent, parent).any(|at| at == above)
    }

    fn head_of(&mut self, line: &str) {
        if let Some((_, head)) = line.strip_prefix("[FULL PAGE STATE").and_then(|rest| rest.split_once(']')) {
            self.page(head);
        }
    }

    fn page(&mut self, head: &str) {
        self.head = head.split(" | ").map(|part| unescaped(part.trim_start_matches('|').trim())).collect();
    }

    fn push(&mut self, item: Item) -> usize {
        let line = self.lines - 1;
        if let Some(handle) = &item.handle {
            // What is told anew takes the place of what was told before.
            if let Some(before) = self.with_handle(handle) {
                self.drop(before);
            }
            self.by_handle.insert(handle.clone(), self.items.len());
        }
        self.items.push(Item { lines: vec![line], ..item });
        self.items.len() - 1
    }

    fn drop(&mut self, at: usize) {
        self.items[at].is_gone = true;
        self.clear_below(Some(at));
    }

    /// Everything below an item is gone; of the page if there is none.
    fn clear_below(&mut self, above: Option<usize>) {
        for at in 0..self.items.len() {
            let is_gone = match above {
                None => true,
                Some(above) => at > above && self.holds(above, at),
            };
            self.items[at].is_gone |= is_gone;
        }
    }

    /// A line of a telling: an item, what is in it, or a row.
    fn telling(&mut self, line: &str) {
        let trimmed = line.trim_start_matches(' ');
        let mut depth = line.len() - trimmed.len();
        let mut content = trimmed;
        // Deep lines say their level.
        if let Some((level, rest)) = trimmed.strip_prefix('(').and_then(|rest| rest.split_once(") ")) {
            depth = level.parse::<usize>().map_or(depth, |level| level * 2);
            content = rest;
        }
        let Some(content) = content.strip_prefix("- ") else {
            if let Some((parent, parts)) = self.pattern.take() {
                self.row(line, parent, &parts);
                self.pattern = Some((parent, parts));
            }
            return;
        };
        self.pattern = None;
        self.open.retain(|(level, _)| *level < depth);
        let parent = self.open.last().map_or(self.base, |(_, at)| Some(*at));
        if let Some(at) = self.run(content, parent) {
            self.open.push((depth, at));
        }
    }

    /// Items beside and in one another on one line; the innermost that more may follow in.
    fn run(&mut self, content: &str, parent: Option<usize>) -> Option<usize> {
        let mut at = parent;
        let mut innermost = None;
        let mut rest = content;
        while !rest.is_empty() {
            if let Some(repeated) = repeated(rest) {
                self.group(repeated, at);
                break;
            }
            let (item, used, ends) = item(rest);
            rest = rest[used..].trim_start();
            let Some(mut item) = item else { continue };
            item.parent = at;
            let pushed = self.push(item);
            if ends == Some(Token::Colon) {
                at = Some(pushed);
                innermost = at;
            }
        }
        innermost
    }

    /// `link @: 1 Home |2 About`, or `article "{1}" (…):` with rows to follow.
    fn group(&mut self, text: &str, parent: Option<usize>) {
        if let Some(head) = text.strip_suffix(':') {
            let parts = match head.strip_prefix("like ") {
                Some(known) => self.patterns.get(known.trim()).cloned().unwrap_or_default(),
                None => parts(&mut tokens(head).into_iter()),
            };
            self.pattern = Some((parent, parts));
            return;
        }
        let Some((head, leaves)) = text.split_once(": ") else { return };
        let mut words = head.split(' ');
        let role = words.next().unwrap_or_default().to_owned();
        let shared: Vec<String> = words.clone().filter(|word| *word != "@").map(str::to_owned).collect();
        let has_refs = words.any(|word| word == "@");
        for leaf in leaves.split(" |") {
            let mut leaf = leaf.trim();
            let mut item = Item { role: role.clone(), states: shared.clone(), parent, ..Item::default() };
            if has_refs {
                let (first, rest) = leaf.split_once(' ').unwrap_or((leaf, ""));
                item.handle = handle(first);
                leaf = rest;
            }
            if let Some((name, own)) = leaf.strip_suffix(']').and_then(|leaf| leaf.rsplit_once('[')) {
                leaf = name.trim_end();
                // Behind the states, the column that it stands in.
                let own = own.split_once(", ").map_or(own, |(own, _)| own);
                own.split(' ').for_each(|state| set(&mut item.states, state));
            }
            item.name = field(leaf.strip_prefix('~').unwrap_or(leaf));
            self.push(item);
        }
    }

    /// A row: the number of its ref, and its fields.
    fn row(&mut self, line: &str, parent: Option<usize>, parts: &[Part]) {
        let digits = line.find(|c: char| !c.is_ascii_digit()).unwrap_or(line.len());
        let (number, mut rest) = line.split_at(digits);
        let mut refs: Vec<Option<String>> = Vec::new();
        if !number.is_empty() {
            refs.push(Some(format!("@e{number}")));
        }
        rest = rest.strip_prefix('|').unwrap_or(rest).trim_start();
        while let Some((word, after)) = rest.split_once(' ').or((!rest.is_empty()).then_some((rest, "")))
            && (word == "-" || word.starts_with("@e"))
        {
            refs.push(handle(word));
            rest = after;
        }
        let fields: Vec<String> = rest.split(" |").map(|text| field(text.trim())).collect();
        if let Some(Some(first)) = refs.first() {
            self.patterns.insert(first.clone(), parts.to_vec());
        }
        self.instance(parts, parent, &refs, &fields);
    }

    fn instance(&mut self, parts: &[Part], parent: Option<usize>, refs: &[Option<String>], fields: &[String]) {
        let said = |column: usize| fields.get(column.wrapping_sub(1)).map_or("", String::as_str);
        for part in parts {
            let is_there = part.columns.iter().all(|(kind, column)| match kind {
                '?' => !said(*column).is_empty(),
                '-' => said(*column) != "-",
                '+' => said(*column) == "+",
                _ => true,
            });
            if !is_there {
                continue;
            }
            let otherwise = part.columns.iter().filter(|(kind, _)| *kind == '/').map(|(_, column)| said(*column));
            let mut item = Item {
                role: part.role.clone(),
                name: filled(&part.name, fields),
                states: part.states.clone(),
                value: part.value.as_deref().map(|value| filled(value, fields)).unwrap_or_default(),
                parent,
                ..Item::default()
            };
            for other in otherwise.filter(|other| !other.is_empty()) {
                if is_states(other) {
                    item.states = other.split(' ').map(str::to_owned).collect();
                } else if let Some(handle) = handle(other).filter(|_| other.starts_with("@e")) {
                    item.handle = Some(handle);
                } else {
                    other.clone_into(&mut item.name);
                }
            }
            let own = refs.first().cloned().flatten();
            item.handle = item.handle.or_else(|| match part.own {
                Own::None => None,
                Own::Row => own,
                Own::Part(part) => own.map(|own| format!("{own}.{part}")),
                Own::Listed(number) => refs.get(number.wrapping_sub(1)).cloned().flatten(),
            });
            if item.role == "text" && item.name.is_empty() {
                continue;
            }
            let at = self.push(item);
            self.instance(&part.children, Some(at), refs, fields);
        }
    }

    /// Finds what a locator means.
    fn find(&self, locator: &[Token]) -> Option<usize> {
        let word = |token: &Token| match token {
            Token::Word(word) => Some(word.clone()),
            _ => None,
        };
        let quoted_after = |name: &str| {
            let at = locator.iter().position(|token| *token == Token::Word(name.to_owned()))?;
            locator[at + 1..].iter().take(2).find_map(|token| match token {
                Token::Quoted(text) => Some(text.as_str()),
                _ => None,
            })
        };
        let of = locator.iter().position(|token| *token == Token::Word("of".to_owned()));
        let own = &locator[..of.unwrap_or(locator.len())];
        let by_handle = |tokens: &[Token]| {
            let handle = tokens.iter().filter_map(word).find(|word| word.starts_with("@e"))?;
            self.with_handle(&handle)
        };
        if own.iter().filter_map(word).any(|word| word.starts_with("@e")) {
            return by_handle(own);
        }
        // It counts no positions.
        if own.iter().filter_map(word).any(|word| word.starts_with('#') && word != "#1") {
            return None;
        }
        let role = own.first().and_then(word).unwrap_or_else(|| "text".to_owned());
        let name = match own.get(1) {
            Some(Token::Quoted(name)) => Some(name.as_str()),
            _ => own.first().and_then(|token| match token {
                Token::Quoted(name) => Some(name.as_str()),
                _ => None,
            }),
        };
        let is_cut = own.get(2).is_some_and(|token| *token == Token::Word("…".to_owned()));
        let is_it = |at: usize| {
            let item = &self.items[at];
            if item.is_gone || item.role != role {
                return false;
            }
            match (name, quoted_after("holding")) {
                (Some(name), _) if is_cut && item.name.is_empty() => self.text_below(at).starts_with(name),
                (Some(name), _) if is_cut => item.name.starts_with(name),
                (Some(name), _) => item.name == name || (item.name.is_empty() && self.text_below(at) == name),
                (None, Some(first)) => self.text_below(at).starts_with(first),
                (None, None) => true,
            }
        };
        let first = match of {
            None => 0,
            Some(of) => match by_handle(&locator[of..]) {
                Some(owner) => owner + 1,
                None => {
                    let name = quoted_after("of")?;
                    self.items.iter().position(|item| !item.is_gone && item.name.starts_with(name))? + 1
                }
            },
        };
        (first..self.items.len()).find(|at| is_it(*at))
    }

    /// `button "Save" @e5 → "Saved" +disabled`.
    fn change(&mut self, text: &str) {
        let tokens = tokens(text);
        let is_change = |at: usize| match &tokens[at] {
            Token::Word(word) => {
                word == "→"
                    || (word == "value" && tokens.get(at + 1) == Some(&Token::Colon))
                    || (word.len() > 1 && (word.starts_with('+') || (word.starts_with('-') && at > 0)))
            }
            _ => false,
        };
        let end = (0..tokens.len()).find(|at| is_change(*at)).unwrap_or(tokens.len());
        let Some(at) = self.find(&tokens[..end]) else { return };
        let line = self.lines - 1;
        let item = &mut self.items[at];
        item.lines.push(line);
        let mut is_value = false;
        // What of a long value is replaced stands between ellipses.
        let is_part =
            tokens[end..].windows(2).any(|pair| matches!(pair, [Token::Word(word), Token::Quoted(_)] if word == "…"));
        let mut replaced = is_part.then_some(None);
        for token in &tokens[end..] {
            match token {
                Token::Word(word) if word == "value" => is_value = true,
                Token::Quoted(text) if is_value => match &mut replaced {
                    Some(Some(old)) => item.value = item.value.replacen(*old, text, 1),
                    Some(old) => *old = Some(text.as_str()),
                    None => item.value.clone_from(text),
                },
                Token::Quoted(text) => item.name.clone_from(text),
                Token::Word(word) if word.starts_with(['+', '-']) => set(&mut item.states, word),
                _ => {}
            }
        }
    }

    /// `button "2" @e145, "3" @e146, status "Saved"`; what follows without a role has that of the
    /// one before.
    fn removed(&mut self, text: &str) {
        let mut role = "text".to_owned();
        for mut locator in tokens(text).split(|token| *token == Token::Comma).map(<[Token]>::to_vec) {
            match locator.first() {
                Some(Token::Word(word)) if !word.starts_with('@') => role.clone_from(word),
                Some(Token::Quoted(_)) => locator.insert(0, Token::Word(role.clone())),
                _ => {}
            }
            if let Some(at) = self.find(&locator) {
                self.drop(at);
            }
        }
    }

    /// `table "Orders" (− 40 × row): @e5 @e7-@e9`: what went stands between two marks, behind them
    /// the children that are left, if some went.
    fn order(&mut self, text: &str, (begin, end): (&str, &str)) {
        let Some((place, listed)) = text.rsplit_once(end) else { return };
        let Some((place, gone)) = place.split_once(begin) else { return };
        let Some(above) = self.find(&tokens(place)) else { return };
        self.removed(gone);
        let mut kept: Vec<(usize, usize)> = Vec::new();
        let first = self.items.iter().position(|item| !item.is_gone && item.parent == Some(above));
        for range in listed.split(' ') {
            let (from, to) = range.split_once('-').unwrap_or((range, range));
            // Positions are not counted, so nothing is known to be gone.
            let child = |handle: &str| self.child(above, self.with_handle(handle)?);
            // The first is the first, which is no counting.
            let from = if from == "1" { first } else { child(from) };
            let (Some(from), Some(to)) = (from, child(to)) else { return };
            kept.push((from, to));
        }
        for at in above + 1..self.items.len() {
            let is_kept = |at: usize| kept.iter().any(|(from, to)| (*from..=*to).contains(&at));
            if self.child(above, at).is_some_and(|child| !is_kept(child)) {
                self.items[at].is_gone = true;
            }
        }
    }

    /// The child of an item that holds another, or is it.
    fn child(&self, above: usize, below: usize) -> Option<usize> {
        let parent = |at: &usize| self.items[*at].parent.filter(|next| next < at);
        std::iter::successors(Some(below), parent).find(|at| self.items[*at].parent == Some(above))
    }

    fn focus(&mut self, text: &str) {
        let found = self.find(&tokens(text));
        for (at, item) in self.items.iter_mut().enumerate() {
            item.states.retain(|state| state != "focused");
            if Some(at) == found {
                item.states.push("focused".to_owned());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(texts: &[&str]) -> Reading {
        let mut reader = SimpleText::default();
        texts.iter().for_each(|text| reader.read(text, text.starts_with("[FULL")));
        reader.reading()
    }

    fn names(reading: &Reading, role: &str) -> Vec<(Option<String>, String)> {
        let nodes = reading.nodes.iter().filter(|node| node.role == role);
        nodes.map(|node| (node.handle.clone(), node.name.clone())).collect()
    }

    const FULL: &str = "[FULL PAGE STATE 0] Shop | https://shop.test/\n- main:\n  - heading \"Tea\", \"of 142\" \
        \"kinds\"\n  - 2 × link @: 1 Home |2 ~about us [current]\n  - 2 × article \"{1}\" (link \"{1}\" @, button \
        \"Buy {1}\" .1, \"{2}\", \"Sold out\" ?{3}):\n3 Green |4.90\n4 Black |5.10 | x\n- contentinfo: textbox \
        \"Mail\" @e5 value: \"a@b\"";

    #[test]
    fn lines_refs_names_states_and_rows_are_read() {
        let reading = read(&[FULL]);
        let handle = |text: &str| Some(text.to_owned());
        assert_eq!(
            names(&reading, "link"),
            [
                (handle("@e1"), "Home".into()),
                (handle("@e2"), "about us".into()),
                (handle("@e3"), "Green".into()),
                (handle("@e4"), "Black".into())
            ]
        );
        assert_eq!(names(&reading, "button")[1], (handle("@e4.1"), "Buy Black".into()));
        let haystack = reading.haystack();
        assert!(haystack.holds("of 142 kinds") && haystack.holds("5.10") && haystack.holds("a@b"));
        let buy = reading.nodes.iter().position(|node| node.name == "Buy Green").expect("is read");
        let path: Vec<&str> = reading.path(buy).map(|node| node.role.as_str()).collect();
        assert_eq!(path, ["article", "main"]);
        assert_eq!(reading.nodes.iter().filter(|node| node.text == "Sold out").count(), 1);
    }

    #[test]
    fn changes_are_found_by_ref_name_and_owner() {
        let delta = "[DELTA 0→1]\nCHANGED: textbox \"Mail\" @e5 → value: \"c@d\" +invalid\n- text \"5.10\" of @e4 \
            \"Black\" → \"6.00\"\nREMOVED: text \"kinds\"\nADDED in main between @e3 \"x\" and @e4:\n  - alert: \"Not \
            saved\"\nNOW in contentinfo (− status \"Old\" @e4): 1 × like @e3:\n7 White |9.00\nFOCUS: @e7";
        let reading = read(&[FULL, delta]);
        let haystack = reading.haystack();
        for told in ["6.00", "Not saved", "9.00", "Buy White"] {
            assert!(haystack.holds(told), "{told}");
        }
        for gone in ["5.10", "kinds", "c@d"] {
            assert!(!haystack.holds(gone), "{gone}");
        }
    }

    #[test]
    fn what_is_replaced_in_a_value_leaves_the_rest_of_it() {
        let reading = read(&[FULL, "[DELTA 0→1]\nCHANGED: textbox \"Mail\" @e5 value: …\"a@\"… → \"c@\""]);
        assert!(reading.haystack().holds("c@b"));
    }

    #[test]
    fn positions_are_not_counted() {
        let reading = read(&[FULL, "[DELTA 0→1]\nCHANGED: link #2 → \"Other\"\nORDER in main: 2 1"]);
        assert!(!reading.haystack().holds("Other"));
        let reading = read(&[FULL, "[DELTA 0→1]\nORDER in main (− article \"Black\"): @e1-@e3"]);
        assert!(!reading.haystack().holds("Buy Black") && reading.haystack().holds("Buy Green"));
        let reading = read(&[FULL, "[DELTA 0→1]\nREMOVED in main: article \"Black\"; left: @e1-@e3"]);
        assert!(!reading.haystack().holds("Buy Black") && reading.haystack().holds("Buy Green"));
    }

    proptest! {
        #[test]
        fn any_text_is_read(texts in prop::collection::vec("(\\[(FULL PAGE STATE|DELTA \
            0→1)\\].{0,20}\n)?((CHANGED|REMOVED( in)?|ORDER in|NOW in|FOCUS)[: ])?[\\PC\n\"@:|×{}() -]{0,80}", 0..4)) {
            let mut reader = SimpleText::default();
            for text in &texts {
                reader.read(text, text.starts_with("[FULL"));
            }
            let reading = reader.reading();
            let mut nodes = reading.nodes.iter().enumerate();
            prop_assert!(nodes.all(|(at, node)| node.parent.is_none_or(|parent| parent < at)));
        }
    }
}
