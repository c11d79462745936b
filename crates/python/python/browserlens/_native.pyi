"""Types of the compiled part."""

import os
from pathlib import Path
from typing import Any, Final, final

__all__ = [
    "LEGEND",
    "Image",
    "Lens",
    "Observation",
    "Page",
    "Pages",
    "Part",
    "Run",
    "Strategies",
    "Table",
    "Trace",
    "looks",
    "merge_parts",
    "plan_trace",
    "replay_traces",
    "scenario_of",
    "trace_files",
    "agent_runs",
    "command",
]

LEGEND: Final[str]

@final
class Image:
    """A picture of an observation."""

    @property
    def png(self) -> bytes:
        """PNG bytes."""
    @property
    def width(self) -> int:
        """Width in pixels."""
    @property
    def height(self) -> int:
        """Height in pixels."""
    @property
    def area(self) -> tuple[str, float, float, float, float]:
        """Where its pixels lie, in CSS px: `viewport` or `document`, x, y, width, height."""
    def base64(self) -> str:
        """The PNG in base64."""
    def data_url(self) -> str:
        """The PNG as a `data:` URL."""

@final
class Observation:
    """What an agent is shown of a page."""

    @property
    def text(self) -> str:
        """The text for the model."""
    @property
    def kind(self) -> str:
        """`full`, `delta` or `answer`."""
    @property
    def reason(self) -> str | None:
        """Why it is full; None for other kinds."""
    @property
    def representation(self) -> str | None:
        """The representation that it was made from: `a11y`, `dom`, `vision`, `hybrid`."""
    @property
    def step(self) -> int:
        """Step of the reader, from 0."""
    @property
    def url(self) -> str:
        """URL of the page."""
    @property
    def way(self) -> str:
        """How the page was read: `whole`, `patched`, `unchanged`, or `again: <why>`; empty where no
        browser was asked.
        """
    @property
    def refs(self) -> dict[str, str]:
        """The refs in the text, and the node that each means: `{"@e12": "0.1.57"}`."""
    @property
    def images(self) -> list[Image]:
        """The pictures."""
    @property
    def timings(self) -> dict[str, int]:
        """How long each part took, in microseconds."""
    def tokens(self, encoding: str = "o200k_base") -> int:
        """Counts the tokens of the text; images are not counted."""

@final
class Table:
    """A table of Arrow columns; polars, pandas, pyarrow and DuckDB take it as it is."""

    @property
    def column_names(self) -> list[str]:
        """Names of the columns."""
    def __len__(self) -> int: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class Page:
    """A page: one capture as one tree."""

    @property
    def url(self) -> str:
        """Address of the document."""
    @property
    def title(self) -> str:
        """Title of the document."""
    @property
    def viewport(self) -> tuple[int, int, float]:
        """Width and height of the viewport in CSS px, and device pixels a CSS px."""
    @property
    def scroll(self) -> tuple[float, float]:
        """How far the document is scrolled, in CSS px."""
    def __len__(self) -> int: ...
    def nodes(self) -> Table:
        """Every node in document order, as an Arrow table."""
    def snapshot(
        self,
        mode: str | None = None,
        *,
        format: str | None = None,
        grep: str | None = None,
        ignore_case: bool = False,
        invert: bool = False,
        fixed_strings: bool = False,
        context: int = 0,
        selector: str | None = None,
        max_depth: int | None = None,
        max_length: int | None = None,
        include_hidden: bool = False,
        include_links: bool = False,
        include_images: bool = False,
        refs: str | None = None,
    ) -> str:
        """Lists what can be acted on, the outline or the content; refs are those that the lens gives the
        page as a first one.
        """
    def chunks(
        self,
        max_tokens: int = ...,
        *,
        overlap: int = 0,
        breadcrumbs: bool = True,
        selector: str | None = None,
        grep: str | None = None,
    ) -> str:
        """Cuts the page's content into chunks for a vector store: documents as JSON, one a line."""
    def read_text(
        self,
        query: str | None = None,
        *,
        section: str | None = None,
        graph: bool = False,
        limit: int | None = None,
        offset: int = 0,
        within: int | None = None,
        min_relevance: float | None = None,
        chars: int = ...,
        skip: int = 0,
    ) -> str:
        """Reads the page's text: all of it, a section, or what answers a query; with `within`, what lies so many
        steps around a section or query in the content graph. At most `chars` characters (0 for all); what is
        left out is told, with how to go on.
        """

@final
class Pages:
    """Pages that are answered from together; names stand in answers for their addresses."""

    def __new__(cls, pages: list[Page], names: list[str] | None = None) -> Pages: ...
    def __len__(self) -> int: ...
    def read_text(
        self,
        query: str,
        *,
        limit: int | None = None,
        offset: int = 0,
        min_relevance: float | None = None,
    ) -> str:
        """Gives the sections of all pages that answer a query, best first, each with the name of its page."""
    def related(self, what: str, *, similarity: float = 0.7, limit: int = 10) -> list[tuple[str, str, str, float]]:
        """Gives the pages that have a concept like this, most similar first: address, title, concept and similarity."""
    def path(self, start: str, end: str) -> list[str] | None:
        """Gives the concepts on the shortest path from one to another; None if there is no path of at
        most five steps.
        """
    def about(self, what: str, *, chars: int = 20_000) -> str:
        """Gives what all pages say about something, each text once, in at most so many characters."""
    def duplicates(self) -> str:
        """Gives what the pages say twice: pages that are alike, and texts that stand on several."""

@final
class Trace:
    """A recording of one run of one scenario."""

    def __new__(cls, path: str | os.PathLike[str]) -> Trace: ...
    @property
    def path(self) -> Path:
        """The file."""
    @property
    def meta(self) -> dict[str, Any]:
        """Scenario, goal, browser and the like."""
    @property
    def hash(self) -> str:
        """Hash of the file, in hexadecimal digits."""
    @property
    def complete(self) -> bool:
        """Whether the recording came to its end."""
    def __len__(self) -> int: ...
    def page(self, step: int) -> Page:
        """The page after a step."""
    def steps(self) -> Table:
        """The steps, as an Arrow table."""
    def events(self) -> Table:
        """Console messages, requests, dialogs, tabs and downloads, as an Arrow table."""
    def observe(self, strategy: str = "lens/delta", options: str = "{}") -> list[Observation]:
        """What a strategy of the lens says at every step; options are JSON."""
    def inspect(self, tool: str, query: str = "{}", step: int | None = None) -> str:
        """Asks console, network or DOM as they stand at a step; query and answer are JSON."""

@final
class Lens:
    """The lens over pages that somebody else holds: `begin` work, send what `wait` gives and hand in what comes,
    until it gives None; then `result`.
    """

    def __new__(cls, strategy: str, options: str, width: int, height: int, scale: float, bodies: bool) -> Lens: ...
    def begin(self, job: str) -> None:
        """Begins a piece of work, given as JSON."""
    def wait(self, seconds: float) -> list[tuple[int, str | None, str, dict[str, Any]]] | None:
        """Waits for calls to send, at most so many seconds; None when the work is done."""
    def answer(self, id: int, result: object) -> None:
        """Hands in the answer of a call; it may not be changed afterwards."""
    def refuse(self, id: int, message: str) -> None:
        """Says that a call failed."""
    def event(self, session: str, method: str, params: object) -> None:
        """Hands in an event of a session."""
    def result(self) -> Any:
        """Returns what came of the work, or raises why nothing did."""
    def give_up(self) -> None:
        """Gives up the work that is under way, so that the next can begin."""
    def close(self) -> None:
        """Ends the lens; the browser and its pages stay as they are."""

@final
class Strategies:
    """Strategies that were read and built."""

    def __new__(
        cls, sources: list[tuple[str | None, str | os.PathLike[str]]], names: list[str] | None = None
    ) -> Strategies: ...
    @property
    def names(self) -> list[str]:
        """Their names, in the order of the texts."""
    def decide(self, planned: list[str]) -> str:
        """Decides for planned traces what they decide together: ids and strategies in play; as JSON."""
    def part_name(self, planned: str, id: str, encoding: str) -> str:
        """The name of the part of a planned trace."""

@final
class Part:
    """What came of one trace."""

    def __new__(
        cls,
        trace: str | os.PathLike[str],
        id: str,
        scenarios_dir: str | os.PathLike[str],
        strategies: Strategies,
        cache_dir: str | os.PathLike[str],
        *,
        encoding: str = "o200k_base",
        date: str = "",
        machine: str = "",
    ) -> Part: ...
    @property
    def measurements(self) -> Table:
        """The rows of measurements."""
    @property
    def timings(self) -> Table:
        """The rows of timings."""
    @property
    def steps(self) -> int:
        """How many steps the trace has."""
    @property
    def rows(self) -> int:
        """How many rows there are."""
    @property
    def failed_rows(self) -> int:
        """How many of them are errors."""
    def to_bytes(self) -> bytes:
        """The part as bytes."""
    def keep_observations(self, store: str | os.PathLike[str]) -> None:
        """Brings what was shown into a store."""

@final
class Run:
    """A stored run."""

    @staticmethod
    def load(folder: str | os.PathLike[str]) -> Run:
        """Loads a run from its folder."""
    @property
    def folder(self) -> Path:
        """The folder of the run."""
    @property
    def id(self) -> str:
        """Its id: a hash of everything but timings."""
    @property
    def traces(self) -> list[str]:
        """The ids of its traces."""
    @property
    def strategies(self) -> list[str]:
        """The names of its strategies."""
    @property
    def notes(self) -> list[str]:
        """What is to be said of it, such as what it leaves out."""
    @property
    def measurements(self) -> Table:
        """One row a trace, strategy and step."""
    @property
    def timings(self) -> Table:
        """Latencies, one row a trace, strategy and step."""
    def observation(self, trace: str, strategy: str, step: int) -> str | None:
        """What a strategy showed at a step; None if it failed there or there is no such row."""

def command(arguments: list[str], program: str, file: str) -> int:
    """Runs the command `browserlens` and returns its exit code."""

def agent_runs(files: list[str | os.PathLike[str]], encoding: str = "o200k_base") -> list[dict[str, Any]]:
    """Reads run records: a dict each, with what the run cost under an encoding."""

def trace_files(path: str | os.PathLike[str]) -> list[Path]:
    """The traces below a folder, sorted."""

def plan_trace(trace: str | os.PathLike[str], scenarios_dir: str | os.PathLike[str]) -> str:
    """What has to be known of a trace before it is decided what a run does with it; as JSON."""

def scenario_of(trace: str | os.PathLike[str]) -> str:
    """The name of a trace's scenario."""

def looks(rows: list[dict[str, Any]]) -> Table:
    """Makes a table of what observations took, one row each; rows are dicts that have every column."""

def merge_parts(
    parts: str | os.PathLike[str],
    out_dir: str | os.PathLike[str],
    cache_dir: str | os.PathLike[str],
    *,
    observations: str | os.PathLike[str] | None = None,
    traces: list[Path] | None = None,
    scenarios_dir: str | os.PathLike[str] | None = None,
    notes: list[str] = ...,
) -> Run:
    """Puts the parts of a folder together and stores the run."""

def replay_traces(
    traces: list[Path],
    strategies: Strategies,
    scenarios_dir: str | os.PathLike[str],
    out_dir: str | os.PathLike[str],
    cache_dir: str | os.PathLike[str],
    *,
    threads: int = 0,
    encoding: str = "o200k_base",
    date: str = "",
    machine: str = "",
) -> Run:
    """Replays strategies over traces on this machine and stores the run."""
