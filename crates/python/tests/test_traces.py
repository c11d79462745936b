"""Traces, pages and tables, without a browser."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pandas
import polars
import pyarrow
import pytest
from conftest import TRACES

import browserlens.replay
from browserlens import OptionsError, Pages, ReadError, SnapshotError, Trace, TraceError

DOCS = TRACES / "docs-combine-three-documents.trace"


@pytest.fixture(scope="module")
def trace() -> Trace:
    return Trace(DOCS)


def test_a_trace_tells_what_it_is(trace: Trace) -> None:
    assert len(trace) == 18 and trace.complete
    assert trace.meta["scenario"] == "docs/combine-three-documents"
    assert trace.meta["viewport"] == (1280, 800, 1.0)
    assert Path(trace.path) == DOCS


def test_tables_are_taken_by_polars_pandas_pyarrow_and_duckdb(trace: Trace) -> None:
    nodes = trace.page(0).nodes()
    by_polars = polars.DataFrame(nodes)
    by_arrow = pyarrow.table(nodes)
    by_pandas = pandas.DataFrame.from_arrow(nodes)
    by_duckdb = duckdb.sql("select count(*) from nodes").fetchall()
    links = by_polars.filter(polars.col("role") == "link").height
    assert by_polars.height == by_arrow.num_rows == len(by_pandas) == len(nodes) == by_duckdb[0][0]
    assert links == int((by_pandas["role"] == "link").sum()) > 10


def test_a_table_is_handed_over_without_a_copy(trace: Trace) -> None:
    nodes = trace.page(0).nodes()
    first, second = pyarrow.table(nodes), pyarrow.table(nodes)
    address = [table.column("x").chunk(0).buffers()[1].address for table in (first, second)]
    assert address[0] == address[1], "both look at the same memory"
    del nodes
    assert first.column("tag").to_pylist()[0] == second.column("tag").to_pylist()[0]


def test_steps_and_events_are_tables(trace: Trace) -> None:
    steps, events = pyarrow.table(trace.steps()), pyarrow.table(trace.events())
    assert steps.num_rows == len(trace) and steps.column("action").to_pylist()[0] in ("", "goto")
    assert set(events.column("kind").to_pylist()) <= {"console", "request", "dialog", "tab", "download"}


def test_a_trace_is_observed_step_by_step(trace: Trace) -> None:
    shown = trace.observe()
    assert [observation.step for observation in shown] == list(range(18))
    assert shown[0].kind == "full" and shown[0].text.startswith("[FULL PAGE STATE 0] Start")
    assert any(observation.kind == "delta" for observation in shown)
    assert shown[0].refs and all(key.startswith("@e") for key in shown[0].refs)
    assert shown[0].tokens() > 100
    small = trace.observe("lens/delta", json.dumps({"budget": 300}))
    assert max(observation.tokens() for observation in small) <= 300


def test_a_page_is_read_and_snapshotted(trace: Trace) -> None:
    page = trace.page(1)
    assert page.snapshot("outline").startswith("PAGE: http://docs.test/")
    assert "@ref" in page.snapshot() or "@e" in page.snapshot()
    assert "Tern is" in page.read_text()
    assert page.read_text("how do I install it", limit=1)
    assert "go on with offset=1" in page.read_text(limit=1)
    assert len(page.read_text(chars=500)) < 600
    with pytest.raises(ReadError):
        page.read_text(offset=9_999)


def test_pages_answer_together(trace: Trace) -> None:
    pages = Pages([trace.page(1), trace.page(17)], names=["one", "two"])
    assert len(pages) == 2 and "; one)" in pages.read_text("what is Tern", limit=1)
    assert isinstance(pages.duplicates(), str) and isinstance(pages.about("producers"), str)
    assert all(len(row) == 4 for row in pages.related("Tern"))
    with pytest.raises(OptionsError):
        Pages([trace.page(1)], names=[])


def test_a_trace_answers_what_the_network_said(trace: Trace) -> None:
    answer = json.loads(trace.inspect("get_network_requests", json.dumps({"pageSize": 2})))
    assert answer["count"] <= 2 and answer["data"]


def test_limits_are_those_of_the_environment(trace: Trace, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = json.loads(trace.inspect("get_html", json.dumps({"selector": "main"})))
    monkeypatch.setenv("BROWSERLENS_MAX_HTML_SIZE", "500")
    cut = json.loads(trace.inspect("get_html", json.dumps({"selector": "main"})))
    assert len(json.dumps(cut)) < len(json.dumps(whole))
    monkeypatch.setenv("BROWSERLENS_MAX_HTML_SIZE", "many")
    with pytest.raises(OptionsError, match="BROWSERLENS_MAX_HTML_SIZE"):
        trace.inspect("get_html")


def test_a_corrupt_trace_names_file_place_and_remedy(tmp_path: Path) -> None:
    whole = DOCS.read_bytes()
    cut = tmp_path / "cut.trace"
    cut.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(TraceError) as caught:
        Trace(cut)
    error = caught.value
    assert str(error) == error.text == f"{cut}: truncated: {len(whole) // 2} of {len(whole)} bytes are there"
    assert error.place.file == str(cut)
    assert error.hint.startswith("copy the file again, run `trace salvage`")
    assert isinstance(error, browserlens.BrowserLensError)

    flipped = bytearray(whole)
    flipped[len(flipped) // 2] ^= 0xFF
    altered = tmp_path / "altered.trace"
    altered.write_bytes(flipped)
    with pytest.raises(TraceError) as caught:
        Trace(altered).observe()
    assert str(altered) in caught.value.text and caught.value.hint


def test_what_is_no_trace_and_what_is_not_there_are_errors(trace: Trace, tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="no step 99") as caught:
        trace.page(99)
    assert caught.value.place.step == 99
    with pytest.raises(TraceError, match="not a trace"):
        Trace(Path(__file__))
    with pytest.raises(TraceError):
        Trace(tmp_path / "none.trace")


def test_wrong_arguments_say_what_there_is(trace: Trace) -> None:
    with pytest.raises(OptionsError, match="there are interactive, outline, content"):
        trace.page(0).snapshot("outlines")
    with pytest.raises(SnapshotError) as caught:
        trace.page(0).snapshot(selector="main >")
    assert caught.value.hint == "mend the selector at the place that is named"
    with pytest.raises(OptionsError) as wrong:
        trace.observe("lens/nothing")
    assert "lens/delta" in wrong.value.hint
    with pytest.raises(OptionsError):
        trace.observe("lens/delta", '{"budgit": 3}')
    with pytest.raises(OptionsError, match="not known|unknown|gpt"):
        trace.observe()[0].tokens("gpt-9")


def unseen(text: str) -> list[str]:
    """What nobody sees in a text: controls but line ends and tabs, tags, what has no width or turns the
    direction of text.
    """
    hidden = [(0x0, 0x8), (0xB, 0x1F), (0x7F, 0x9F), (0xAD, 0xAD), (0x200B, 0x200F)]
    hidden += [(0x2028, 0x202E), (0x2060, 0x206F), (0xFEFF, 0xFEFF), (0xE0000, 0xE0FFF)]
    return [hex(ord(char)) for char in text if any(first <= ord(char) <= last for first, last in hidden)]


def test_nothing_unseen_of_a_hostile_trace_comes_out(tmp_path: Path) -> None:
    hostile = Trace(TRACES / "hostile-moderate-a-post.trace")
    said = [repr(hostile), *(str(value) for value in hostile.meta.values())]
    tables = [hostile.steps(), hostile.events(), *(hostile.page(step).nodes() for step in range(len(hostile)))]
    run = browserlens.replay.replay(
        [TRACES / "hostile-moderate-a-post.trace"],
        ["lens/delta", "raw/html"],
        scenarios=TRACES / "scenarios",
        out=tmp_path / "out",
    )
    tables += [run.measurements, run.timings]
    for table in tables:
        for column in pyarrow.table(table).columns:
            said += [cell for cell in column.to_pylist() if isinstance(cell, str)]
    assert len(said) > 100 and {text: unseen(text) for text in said if unseen(text)} == {}
    assert any("\\u{202e}" in text for text in said), "the page has what nobody sees, and it stands as escapes"
