//! The tool: reads the current page ([`take`]) and says of it what the options ask for ([`answer_of`]).
//!
//! In: a [`PageSource`] (a live browser or a trace), a cache or none, [`ReadOptions`] and the time.
//! Out: text for an agent, and what it was made of. Invariant: the page is looked at first, so an
//! answer is never about what the page said before.
//!
//! The steps are those of the seed's hybrid: cache, structured extraction, graph if asked for,
//! retrieval if there is a query, else the text. An answer has at most
//! [`DEFAULT_CHARS`](crate::DEFAULT_CHARS) characters unless told otherwise; what is left out is
//! said with how to go on ([`Answer::left_out`]).

use crate::embed::{Embedder, Lexical};
use crate::graph::{ConceptError, ContentGraph, ContentId, HeadingMatch, around, summary};
use crate::retrieval::{DEFAULT_RELEVANCE, Hit, IndexError, SearchOptions, answer, rank_with, refusal};
use crate::{
    BehindEnd, BoilerplateIndex, Cache, CacheError, Extraction, NoSection, Outcome, ReadOptions, Reading, Section,
    content_hash, extract,
};
use browserlens_core::strategy::{PageSource, SourceError};
use std::sync::Arc;

/// Most characters of what `graph` gives.
const SUMMARY_CHARS: usize = 4_000;

/// Least similarity of the block of the graph that a query means.
const LEAST_LIKE: f32 = 0.5;

/// A page cannot be read as asked.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// There is no page.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The cache cannot be used.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// The section is not there.
    #[error(transparent)]
    NoSection(#[from] NoSection),
    /// Offset or skip lead behind the end.
    #[error(transparent)]
    BehindEnd(#[from] BehindEnd),
    /// Steps are counted from somewhere.
    #[error("`within` needs a place to count steps from")]
    NoPlace,
    /// The sections cannot be searched.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The concepts of the pages cannot be searched.
    #[error(transparent)]
    Concepts(#[from] ConceptError),
}

impl ReadError {
    /// Returns the next thing the reader should try.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Source(_) => "open the page again",
            Self::Cache(error) => error.hint(),
            Self::NoSection(_) => "name one of these, or read without `section`",
            Self::BehindEnd(_) => "begin before it, or read from the start",
            Self::NoPlace => "name a `section` or a `query` with it",
            Self::Index(error) => error.hint(),
            Self::Concepts(error) => error.hint(),
        }
    }
}

/// What outlives a page: who embeds, and what the pages read so far repeat.
#[derive(Clone)]
pub struct Searcher {
    embedder: Arc<dyn Embedder>,
    /// What the pages so far repeat.
    pub(crate) site: BoilerplateIndex,
}

browserlens_core::opaque_debug!(self: Searcher { embedder: self.embedder.id() });

impl Default for Searcher {
    fn default() -> Self {
        Self::new(Arc::new(Lexical::default()))
    }
}

impl Searcher {
    /// Makes one with an embedder, before any page was read.
    pub fn new(embedder: Arc<dyn Embedder>) -> Self {
        Self { embedder, site: BoilerplateIndex::default() }
    }

    /// Returns who embeds.
    pub fn embedder(&self) -> Arc<dyn Embedder> {
        Arc::clone(&self.embedder)
    }

    /// Returns how hits are searched for: one more than are shown, to know whether there is more.
    pub(crate) fn search(options: &ReadOptions) -> SearchOptions {
        let default = SearchOptions::default();
        let min_similarity = if options.min_relevance == Some(0.0) { 0.0 } else { default.min_similarity };
        let top_k = options.offset.saturating_add(options.limit()).saturating_add(1);
        SearchOptions { top_k, min_similarity, ..default }
    }

    /// Says the hits that the options ask for, of sections of which there are `of`, as `say` writes them; or that
    /// none of all is as sure as the options ask for.
    pub(crate) fn answer(
        &self,
        query: &str,
        hits: &[Hit],
        of: usize,
        options: &ReadOptions,
        say: impl FnOnce(&[Hit]) -> String,
    ) -> Result<Answer, ReadError> {
        let default = if self.embedder.is_built_in() { DEFAULT_RELEVANCE } else { 0.0 };
        if let Some(refusal) = refusal(query, hits, options.min_relevance.unwrap_or(default)) {
            return Ok(Answer::whole(refusal, of));
        }
        if options.offset > 0 && options.offset >= hits.len() {
            return Err(BehindEnd::Hits { offset: options.offset, of: hits.len() }.into());
        }
        let end = options.offset.saturating_add(options.limit()).min(hits.len());
        let next = (end < hits.len()).then_some(end);
        Ok(Answer { next, ..Answer::whole(say(&hits[options.offset..end]), of) })
    }

    /// Takes a page that was read, so that what all pages of its site repeat answers no query.
    pub fn add(&mut self, extraction: &Extraction) {
        self.site.add(extraction);
    }
}

/// What the tool says.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The text.
    pub text: String,
    /// The offset that goes on behind it; none if nothing is left.
    pub next: Option<usize>,
    /// How many sections there are to go through.
    pub of: usize,
    /// The characters to skip to go on behind it, and how many are left, where `next` does not go
    /// on.
    pub skip: Option<(usize, usize)>,
}

impl Answer {
    /// A text of which nothing is left out.
    pub(crate) fn whole(text: String, of: usize) -> Self {
        Self { text, next: None, of, skip: None }
    }

    /// Says what is left out and how to go on; `spell` writes an option as the door takes it.
    pub fn left_out(&self, spell: impl Fn(&str, usize) -> String) -> Option<String> {
        match (self.skip, self.next) {
            (Some((skip, behind)), _) => {
                Some(format!("… {behind} more characters; go on with {}", spell("skip", skip)))
            }
            (None, Some(next)) => Some(format!("{next} of {} sections; go on with {}", self.of, spell("offset", next))),
            (None, None) => None,
        }
    }
}

/// Reads the current page of a source. Without a cache, and with `nocache`, it is read anew; with
/// `nocache` a cache that is given learns of it.
///
/// # Errors
/// [`ReadError`]: no page, or a cache that cannot be used.
pub fn take(
    source: &mut dyn PageSource,
    cache: Option<&mut Cache>,
    searcher: &mut Searcher,
    options: &ReadOptions,
    now_ms: u64,
) -> Result<Reading, ReadError> {
    let (page, _) = source.page()?;
    let reading = match cache {
        Some(cache) if options.cache => cache.read(&page, options.cut, now_ms)?,
        Some(cache) => cache.read_anew(&page, options.cut, now_ms)?,
        None => {
            Reading { extraction: extract(&page, options.cut), hash: content_hash(&page), outcome: Outcome::Bypassed }
        }
    };
    searcher.add(&reading.extraction);
    Ok(reading)
}

/// Says of a page that was read what the options ask for: the answer to the query, else the graph's
/// short form, else sections in order.
///
/// # Errors
/// [`ReadError::NoSection`], or [`ReadError::Index`] for a query.
pub fn answer_of(extraction: &Extraction, searcher: &Searcher, options: &ReadOptions) -> Result<Answer, ReadError> {
    if options.graph || options.within.is_some() {
        return of_graph(extraction, searcher, options);
    }
    if let Some(query) = &options.query {
        let within: Vec<&Section> = match &options.section {
            None => extraction.sections.iter().collect(),
            Some(wanted) => extraction.under(extraction.find(wanted)?.position),
        };
        let mut own = searcher.site.own_sections(extraction);
        own.sections.retain(|part| within.binary_search_by_key(&part.position, |one| one.position).is_ok());
        let hits = rank_with(Arc::clone(&searcher.embedder), extraction, &own, query, &Searcher::search(options))?;
        return searcher.answer(query, &hits, within.len(), options, |hits| answer(query, hits));
    }
    extraction.part(options)
}

/// Says of the content graph what the options ask for: the page in short; a heading with what
/// stands under it; what lies within some steps of a heading, or of the block that a query
/// resembles most.
fn of_graph(extraction: &Extraction, searcher: &Searcher, options: &ReadOptions) -> Result<Answer, ReadError> {
    let graph = ContentGraph::of(&extraction.url, &extraction.title, &extraction.blocks);
    let of = extraction.sections.len();
    let Some((place, note)) = place_in(&graph, extraction, searcher, options)? else {
        return match (options.within, &options.query) {
            (_, Some(query)) => Ok(Answer::whole(crate::retrieval::no_content(query), of)),
            (Some(_), None) => Err(ReadError::NoPlace),
            (None, None) => Ok(Answer::whole(summary(&graph, SUMMARY_CHARS), of)),
        };
    };
    let around = around(&graph, place, options.within);
    Ok(Answer::whole(note + &around.to_text(&graph, options.most_chars().min(SUMMARY_CHARS)), of))
}

/// Finds the node that the options mean, and says if it is only the nearest; none if they name none
/// or nothing resembles the query.
///
/// # Errors
/// [`ReadError::NoSection`] if no heading resembles the section that is named.
pub fn place_in(
    graph: &ContentGraph,
    extraction: &Extraction,
    searcher: &Searcher,
    options: &ReadOptions,
) -> Result<Option<(ContentId, String)>, ReadError> {
    if let Some(wanted) = &options.section {
        let missing = match extraction.find(wanted) {
            Ok(section) => return Ok(Some((ContentId(section.blocks.start as u32), String::new()))),
            Err(missing) => missing,
        };
        // Else the heading that is spelled most like it.
        let under = graph.under(wanted).ok_or(missing)?;
        let nearest = matches!(under.matched, HeadingMatch::Nearest(_));
        let note = if nearest { "no such heading; the nearest:\n" } else { "" };
        return Ok(Some((under.heading, note.to_owned())));
    }
    let Some(query) = &options.query else { return Ok(None) };
    let found = graph.resembling(query, &*searcher.embedder, LEAST_LIKE, 1);
    let found = found.map_err(IndexError::from)?;
    Ok(found.first().map(|(id, _)| (*id, String::new())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CacheOptions, Cut};
    use browserlens_core::page::PageBuilder;

    fn extraction() -> Extraction {
        let page = PageBuilder::outline(
            r#"
            heading "Shop" tag=h1 level=1
              text "Shop"
            heading "Returns" tag=h2 level=2
              text "Returns"
            paragraph
              text "Send it back within thirty days and the money is paid back."
            heading "Shipping" tag=h2 level=2
              text "Shipping"
            paragraph
              text "Parcels leave the warehouse every morning."
            "#,
        );
        extract(&page, Cut::All)
    }

    fn said(options: &str) -> Answer {
        answer_of(&extraction(), &Searcher::default(), &options.parse().expect("options")).expect("an answer")
    }

    #[test]
    fn the_options_choose_what_is_said() {
        assert_eq!(
            said("").text,
            "# Shop\n\n## Returns\n\nSend it back within thirty days and the money is paid back.\n\n## \
                Shipping\n\nParcels leave the warehouse every morning."
        );
        assert!(said("returns").text.starts_with("## Returns\n\nSend it back"), "{:?}", said("returns"));
        assert_eq!(said("query=\"wombat\"").text, "No content found matching query: \"wombat\"");
        assert!(said("graph").text.contains("Returns"));
        insta::assert_snapshot!(said("graph section=returns").text, @r"
        0 heading: ## Returns
        1 paragraph: Send it back within thirty days and the money is paid back.
        ");
        insta::assert_snapshot!(said("section=shiping within=1").text, @r"
        no such heading; the nearest:
        0 heading: ## Shipping
        1 heading: # Shop
        1 paragraph: Send it back within thirty days and the money is paid back.
        1 paragraph: Parcels leave the warehouse every morning.
        ");
        assert!(answer_of(&extraction(), &Searcher::default(), &"within=1".parse().expect("options")).is_err());
        assert_eq!((said("limit=1").next, said("limit=1").of), (Some(1), 3));
        assert!(said("query=returns section=shipping").text.starts_with("No content found"));
        let error = answer_of(&extraction(), &Searcher::default(), &"section=prices".parse().expect("options"))
            .expect_err("none");
        assert!(error.to_string().starts_with("no section \"prices\""), "{error}");
    }

    #[test]
    fn hits_are_gone_through_by_offset() {
        let first = said("query=warehouse,money,parcels,days limit=1 min_relevance=0");
        assert_eq!(first.next, Some(1));
        let second = said("query=warehouse,money,parcels,days limit=1 offset=1 min_relevance=0");
        assert!(second.next.is_none() && second.text != first.text && second.text.starts_with("## "));
    }

    #[test]
    fn what_every_page_of_the_site_says_answers_no_query() {
        let page = |path: &str, own: &str| {
            let outline = format!(
                "heading \"Offers\" tag=h2 level=2\n  text \"Offers\"\nparagraph\n  text \"Parcels above thirty euros \
                    are sent for free.\"\nheading \"{own}\" tag=h2 level=2\n  text \"{own}\"\nparagraph\n  text \"All \
                    about {own} and parcels.\""
            );
            Extraction { url: format!("http://shop.test/{path}"), ..extract(&PageBuilder::outline(&outline), Cut::All) }
        };
        let options = "query=parcels min_relevance=0".parse().expect("options");
        let mut site = Searcher::default();
        let alone = answer_of(&page("a", "Apples"), &site, &options).expect("an answer").text;
        assert!(alone.contains("sent for free") && alone.contains("All about Apples"), "{alone}");
        for (path, own) in [("a", "Apples"), ("b", "Pears"), ("c", "Plums")] {
            site.add(&page(path, own));
        }
        let of_site = answer_of(&page("a", "Apples"), &site, &options).expect("an answer").text;
        assert!(!of_site.contains("sent for free") && of_site.contains("All about Apples"), "{of_site}");
        let whole = answer_of(&page("a", "Apples"), &site, &"".parse().expect("options")).expect("an answer").text;
        assert!(whole.contains("sent for free"), "it is left out of retrieval, not of the text");
    }

    #[test]
    fn a_cache_is_used_unless_it_is_not_wanted() {
        let trace = concat!(env!("CARGO_MANIFEST_DIR"), "/../../traces/docs-combine-three-documents.trace");
        let folder = tempfile::tempdir().expect("a folder");
        let mut cache = Cache::open(&folder.path().join("pages.cache"), CacheOptions::default()).expect("opens");
        let mut source = browserlens_trace::Trace::open(trace).expect("opens").into_pages().expect("has steps");
        let mut site = Searcher::default();
        let mut outcome = |options: &str, cache: Option<&mut Cache>| {
            let options = options.parse().expect("options");
            take(&mut source, cache, &mut site, &options, 0).expect("reads").outcome
        };
        assert_eq!(outcome("", Some(&mut cache)), Outcome::Miss);
        assert_eq!(outcome("limit=1", Some(&mut cache)), Outcome::Hit);
        assert_eq!(outcome("nocache", Some(&mut cache)), Outcome::Bypassed);
        assert_eq!(outcome("", None), Outcome::Bypassed);
    }
}
