//! What `snapshot` and `chunks` are given.

use clap::Args;

/// Which lines are shown.
#[derive(Args)]
pub(crate) struct GrepArgs {
    /// Show only what matches by its semantic path, or by the role or text of its line; `a|b` is
    /// either, `/main/` the direct children of main
    #[arg(long, value_name = "PATTERN")]
    pub grep: Option<String>,
    /// Match upper and lower case alike
    #[arg(long, requires = "grep")]
    pub ignore_case: bool,
    /// Show what does not match
    #[arg(long, requires = "grep")]
    pub invert: bool,
    /// Take the pattern for plain text
    #[arg(long, requires = "grep")]
    pub fixed_strings: bool,
    /// Show so many lines before and after each that matches
    #[arg(long, value_name = "N", requires = "grep", default_value_t = 0)]
    pub context: usize,
}

/// How a live page is opened.
#[derive(Args)]
pub(crate) struct LiveArgs {
    /// Use this Chromium for a live page
    #[cfg(feature = "record")]
    #[arg(long, value_name = "FILE")]
    pub chrome: Option<std::path::PathBuf>,
    /// Start Chromium without its sandbox
    #[cfg(feature = "record")]
    #[arg(long)]
    pub no_sandbox: bool,
}

#[derive(Args)]
pub(crate) struct ChunksArgs {
    /// A trace, the URL of a live page, or a file of HTML or markdown
    #[arg(value_name = "TRACE|URL|FILE")]
    pub source: String,
    /// The step of the trace; 0 is the first navigation
    #[arg(long, value_name = "K")]
    pub step: Option<u32>,
    /// Most tokens of a chunk, breadcrumbs and overlap included (o200k_base)
    #[arg(long, value_name = "N", default_value_t = browserlens_snapshot::chunk::DEFAULT_MAX)]
    pub max_tokens: u32,
    /// Repeat so many tokens of the chunk before
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub overlap: u32,
    /// Leave out the headings above
    #[arg(long)]
    pub no_breadcrumbs: bool,
    /// Cut only this: a CSS selector, or a ref
    #[arg(long, value_name = "SELECTOR")]
    pub selector: Option<String>,
    #[command(flatten)]
    pub grep: GrepArgs,
    /// Tell where links lead
    #[arg(long)]
    pub include_links: bool,
    /// Tell images
    #[arg(long)]
    pub include_images: bool,
    #[command(flatten)]
    pub live: LiveArgs,
}

#[derive(Args)]
pub(crate) struct SnapshotArgs {
    /// A trace, the URL of a live page, or a file of HTML
    #[arg(value_name = "TRACE|URL|FILE", required = true)]
    pub source: String,
    /// The step of the trace; 0 is the first navigation. Refs are those of a session that saw all
    /// steps up to it
    #[arg(long, value_name = "K")]
    pub step: Option<u32>,
    /// Show interactive, outline or content
    #[arg(long, value_name = "MODE")]
    pub mode: Option<browserlens_snapshot::Mode>,
    /// Write tree, html or markdown
    #[arg(long, value_name = "FORMAT", default_value = "tree")]
    pub format: browserlens_snapshot::Format,
    /// Show only this: a CSS selector, or a ref such as @e5 or @ref:5
    #[arg(long, value_name = "SELECTOR")]
    pub selector: Option<String>,
    #[command(flatten)]
    pub grep: GrepArgs,
    /// Show nesting down to this depth
    #[arg(long, alias = "depth", value_name = "N")]
    pub max_depth: Option<usize>,
    /// Show hidden nodes too
    #[arg(long)]
    pub include_hidden: bool,
    /// Cut each section of content after this many characters, and say how many are left
    #[arg(long, value_name = "N")]
    pub max_length: Option<usize>,
    /// Tell where links lead, in content
    #[arg(long)]
    pub include_links: bool,
    /// Tell images, in content
    #[arg(long)]
    pub include_images: bool,
    /// Write refs like the lens (@e5) or like the seed (@ref:5)
    #[arg(long, value_name = "STYLE", default_value = "lens")]
    pub refs: browserlens_snapshot::RefStyle,
    /// Deprecated: --mode interactive
    #[arg(long, hide = true)]
    pub interactive: bool,
    /// Deprecated: --mode outline
    #[arg(long, hide = true)]
    pub all: bool,
    #[command(flatten)]
    pub live: LiveArgs,
}
