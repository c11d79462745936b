//! What `read` is given.

use clap::{ArgGroup, Args, ValueEnum};
use std::path::PathBuf;

/// How a content graph is written.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum GraphFormat {
    /// Graphviz' language
    Dot,
    /// JSON
    Json,
    /// A picture
    Svg,
}

/// Where pages are kept if not said otherwise.
pub(crate) const DEFAULT_CACHE: &str = ".cache/pages.cache";

#[derive(Args)]
#[command(group = ArgGroup::new("together").conflicts_with_all(["query", "section", "graph", "within", "preview"]))]
pub(crate) struct ReadArgs {
    /// A trace, a file of HTML, or the URL of a live page; several are answered from together
    #[arg(value_name = "TRACE|FILE|URL", required = true)]
    pub sources: Vec<String>,
    /// The step of the trace; 0 is the first navigation. Where pages are answered from together,
    /// all pages of a trace are unless this is said
    #[arg(long, value_name = "K")]
    pub step: Option<u32>,
    /// Answer this: the sections that say it, best first
    #[arg(long, value_name = "TEXT")]
    pub query: Option<String>,
    /// Read this section, by number or heading, and what lies under it
    #[arg(long, value_name = "SECTION")]
    pub section: Option<String>,
    /// Write the content graph of the page, or with --section of what is under that heading
    #[arg(long, value_name = "FORMAT", conflicts_with_all = ["query", "preview"])]
    pub graph: Option<GraphFormat>,
    /// Give what lies within so many steps of --section, or of what resembles --query, in the
    /// content graph
    #[arg(long, value_name = "N", conflicts_with = "preview")]
    pub within: Option<std::num::NonZeroUsize>,
    /// Give the pages that have something to do with this
    #[arg(long, value_name = "TEXT", group = "together")]
    pub related: Option<String>,
    /// Give the shortest path from one concept to another, over all pages
    #[arg(long, value_names = ["FROM", "TO"], num_args = 2, group = "together")]
    pub path: Option<Vec<String>>,
    /// Give what all pages say about this, each text once
    #[arg(long, value_name = "TEXT", group = "together")]
    pub about: Option<String>,
    /// Give what pages say twice: pages that are alike, and texts that stand on several
    #[arg(long, group = "together")]
    pub duplicates: bool,
    /// Say what there is to read: headings with numbers and sizes
    #[arg(long, conflicts_with_all = ["query", "section"])]
    pub preview: bool,
    /// Give at most this many sections; a query gives 3 unless said otherwise
    #[arg(long, value_name = "N")]
    pub limit: Option<std::num::NonZeroUsize>,
    /// Pass over this many sections
    #[arg(long, value_name = "N")]
    pub offset: Option<usize>,
    /// Give at most this many characters; 0 gives all, 20,000 are given unless said otherwise
    #[arg(long, value_name = "N")]
    pub chars: Option<usize>,
    /// Pass over this many characters
    #[arg(long, value_name = "N")]
    pub skip: Option<usize>,
    /// Begin sections at headings of the levels 1 to 3 only
    #[arg(long)]
    pub h3: bool,
    /// Say that nothing answers a query where no section has this probability, from 0 to 1; 0.6
    /// unless said otherwise
    #[arg(long, value_name = "X", value_parser = share)]
    pub min_relevance: Option<f32>,
    /// With --related, give concepts that are at least this similar, from 0 to 1
    #[arg(long, value_name = "X", value_parser = share, requires = "related")]
    pub similarity: Option<f32>,
    /// Take options in one line as an agent writes them: 'query=… limit=5 nocache'
    #[arg(long, value_name = "OPTIONS")]
    pub options: Option<String>,
    /// Find sections by vectors of the OpenAI-compatible endpoint at this URL, not by the built-in
    /// ones
    #[arg(long, value_name = "URL", requires_all = ["embeddings_model", "embeddings_dimension", "query"])]
    pub embeddings_url: Option<String>,
    /// Ask the endpoint for this model
    #[arg(long, value_name = "NAME")]
    pub embeddings_model: Option<String>,
    /// Expect vectors of so many numbers
    #[arg(long, value_name = "N")]
    pub embeddings_dimension: Option<std::num::NonZeroUsize>,
    /// Take the key of the endpoint from this environment variable
    #[arg(long, value_name = "NAME", default_value = "OPENAI_API_KEY")]
    pub embeddings_key_env: String,
    /// Keep the endpoint's vectors in this file, and ask for none twice
    #[arg(long, value_name = "FILE", requires = "embeddings_url")]
    pub embeddings_cache: Option<PathBuf>,
    /// Find sections by vectors of the sentence-transformers model in this folder (builds with the
    /// feature `local`)
    #[arg(long, value_name = "FOLDER", requires = "query", conflicts_with = "embeddings_url")]
    pub embeddings_folder: Option<PathBuf>,
    /// Keep what pages say in this file, and answer from it for five minutes without opening a page
    #[arg(long, value_name = "FILE", default_value = DEFAULT_CACHE)]
    pub cache: PathBuf,
    /// Read anew, and keep nothing
    #[arg(long, alias = "nocache")]
    pub no_cache: bool,
    #[command(flatten)]
    pub live: super::LiveArgs,
}

fn share(text: &str) -> Result<f32, String> {
    let number = text.parse::<f32>().ok().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "expected a number from 0 to 1".to_owned())
}
