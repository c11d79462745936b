//! The few CSS selectors that a pixel fact needs at replay, where there is no browser.
//!
//! In: `tag`, `#id`, `.class`, `[attr]`, `[attr=value]`, compounds of these, joined by blanks (descendant) or `>` (child), and
//! lists with commas. Out: the nodes of a page. Invariant: a selector outside this subset is refused by name, never half understood.

use browserlens_page::{NodeId, NodeKind, NodeRef, Page};

/// A selector that replay does not understand.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the selector {selector:?} is not understood at replay: at {rest:?}")]
pub struct UnknownSelector {
    /// The selector.
    pub selector: String,
    /// Where it stops being understood.
    pub rest: String,
}

/// A parsed selector list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selector {
    complex: Vec<Vec<(Combinator, Compound)>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Combinator {
    Descendant,
    Child,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Compound {
    tag: Option<String>,
    tests: Vec<Test>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Test {
    Class(String),
    Has(String),
    Is(String, String),
}

impl std::str::FromStr for Selector {
    type Err = UnknownSelector;
    fn from_str(text: &str) -> Result<Self, UnknownSelector> {
        let mut complex = Vec::new();
        let mut steps = Vec::new();
        let mut combinator = Combinator::Descendant;
        let mut rest = text.trim();
        let refuse = |rest: &str| UnknownSelector { selector: text.to_owned(), rest: rest.to_owned() };
        loop {
            let (compound, after) = compound(rest).ok_or_else(|| refuse(rest))?;
            steps.push((combinator, compound));
            let gap = after.trim_start();
            if gap.is_empty() {
                complex.push(steps);
                return Ok(Self { complex });
            }
            if let Some(next) = gap.strip_prefix(',') {
                complex.push(std::mem::take(&mut steps));
                combinator = Combinator::Descendant;
                rest = next.trim_start();
            } else if let Some(next) = gap.strip_prefix('>') {
                combinator = Combinator::Child;
                rest = next.trim_start();
            } else if gap.len() < after.len() {
                combinator = Combinator::Descendant;
                rest = gap;
            } else {
                return Err(refuse(after));
            }
        }
    }
}

fn word(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_'))).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

fn compound(text: &str) -> Option<(Compound, &str)> {
    let mut compound = Compound::default();
    let mut rest = text;
    if let Some(after) = rest.strip_prefix('*') {
        rest = after;
    } else if let Some((tag, after)) = word(rest) {
        compound.tag = Some(tag.to_lowercase());
        rest = after;
    }
    loop {
        if let Some((class, after)) = rest.strip_prefix('.').and_then(word) {
            compound.tests.push(Test::Class(class.to_owned()));
            rest = after;
        } else if let Some((id, after)) = rest.strip_prefix('#').and_then(word) {
            compound.tests.push(Test::Is("id".to_owned(), id.to_owned()));
            rest = after;
        } else if let Some(inside) = rest.strip_prefix('[') {
            let (name, after) = word(inside)?;
            let (test, after) = match after.strip_prefix('=') {
                None => (Test::Has(name.to_owned()), after),
                Some(value) => {
                    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
                    let (value, after) = match quote {
                        Some(quote) => value[1..].split_once(quote)?,
                        None => value.split_at(value.find(']')?),
                    };
                    (Test::Is(name.to_owned(), value.to_owned()), after)
                }
            };
            compound.tests.push(test);
            rest = after.strip_prefix(']')?;
        } else {
            break;
        }
    }
    (rest.len() < text.len()).then_some((compound, rest))
}

impl Compound {
    fn matches(&self, node: NodeRef<'_>) -> bool {
        node.kind() == NodeKind::Element
            && self.tag.as_ref().is_none_or(|tag| tag == node.tag())
            && self.tests.iter().all(|test| match test {
                Test::Class(class) => node
                    .attribute("class")
                    .is_some_and(|classes| classes.split_whitespace().any(|known| known == class)),
                Test::Has(name) => node.attribute(name).is_some(),
                Test::Is(name, value) => node.attribute(name) == Some(value),
            })
    }
}

impl Selector {
    /// Returns the matching elements in document order.
    pub fn find(&self, page: &Page) -> Vec<NodeId> {
        page.nodes()
            .filter(|node| self.complex.iter().any(|steps| ends_in(steps, *node)))
            .map(|node| node.id())
            .collect()
    }
}

fn ends_in(steps: &[(Combinator, Compound)], node: NodeRef<'_>) -> bool {
    let Some(((mut combinator, last), before)) = steps.split_last().map(|((c, last), before)| ((*c, last), before))
    else {
        return false;
    };
    if !last.matches(node) {
        return false;
    }
    let mut at = vec![node];
    for (outer, compound) in before.iter().rev() {
        let mut above: Vec<NodeRef<'_>> = match combinator {
            Combinator::Child => {
                at.iter().filter_map(NodeRef::parent).filter(|parent| compound.matches(*parent)).collect()
            }
            Combinator::Descendant => {
                at.iter().flat_map(NodeRef::ancestors).filter(|ancestor| compound.matches(*ancestor)).collect()
            }
        };
        above.sort_by_key(|node| node.id());
        above.dedup();
        if above.is_empty() {
            return false;
        }
        at = above;
        combinator = *outer;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use browserlens_page::PageBuilder;
    use proptest::prelude::*;

    fn names(selector: &str) -> Vec<String> {
        let page = PageBuilder::outline(
            r#"
            generic class="kpi big" data-kpi="spend"
              generic
                Canvas "one" tag=canvas
            generic class="kpi" data-kpi="left"
              Canvas "two" tag=canvas
            Canvas "three" tag=canvas id="grid"
            "#,
        );
        let found = selector.parse::<Selector>().expect("the selector is understood").find(&page);
        found.into_iter().map(|id| page.node(id).name().to_owned()).collect()
    }

    #[test]
    fn ids_classes_attributes_and_ancestors_are_understood() {
        assert_eq!(names("canvas#grid"), ["three"]);
        assert_eq!(names(".kpi[data-kpi=spend] canvas"), ["one"]);
        assert_eq!(names(".kpi > canvas"), ["two"]);
        assert_eq!(names(".kpi[data-kpi=\"left\"] canvas, #grid"), ["two", "three"]);
        assert_eq!(names("canvas[id]"), ["three"]);
        assert!(names("a canvas").is_empty());
        assert_eq!(names(".big > div > canvas"), ["one"]);
        assert_eq!(names(".big > div canvas"), ["one"], "the nearest div is not the only one tried");
    }

    #[test]
    fn what_is_not_understood_is_refused_by_name() {
        for bad in ["", "canvas:nth-child(2)", "a + b", "[x", "a,", "> a", "[x~=y]"] {
            let error = bad.parse::<Selector>().expect_err(bad);
            assert_eq!(error.selector, bad);
        }
    }

    proptest! {
        #[test]
        fn any_text_is_parsed_or_refused(text in ".{0,30}|[a-z#.\\[\\]=\"> ,]{0,30}") {
            let _ = text.parse::<Selector>();
        }
    }
}
