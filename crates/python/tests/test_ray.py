"""Replay on Ray: a cluster of processes of this machine, a folder, a bucket, and everything that goes wrong."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ray = pytest.importorskip("ray", reason="browserlens[ray] is not installed")

import mine_lister  # noqa: E402
import pyarrow as pa  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402
from browserlens import ray as bl_ray  # noqa: E402
from browserlens._places import Place  # noqa: E402
from browserlens.errors import BrowserLensError, OptionsError  # noqa: E402
from browserlens.replay import replay as replay_here  # noqa: E402

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))
from cluster import Cluster  # noqa: E402

TRACES = Path(__file__).parents[3] / "traces"
NAMES = ("board-reserve-a-desk", "login-wrong-then-right", "portal-offer-for-a-shift")
STRATEGIES = ["read-text/visible", "raw/html"]
#: A cluster takes its time to start.
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster(workers=2) as cluster:
        yield cluster


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A folder of three traces with their scenarios; a fourth is the first again."""
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / "scenarios").symlink_to(TRACES / "scenarios")
    for name in NAMES:
        for suffix in (".trace", ".peers"):
            shutil.copy(TRACES / (name + suffix), folder)
    shutil.copy(TRACES / f"{NAMES[0]}.trace", folder / "again.trace")
    return folder


def replay(*arguments: object, **more: object) -> bl_ray.Summary:
    more.setdefault("progress", False)
    return bl_ray.replay(*arguments, **more)  # type: ignore[arg-type]


def table(out: Path, name: str = "measurements") -> pa.Table:
    found = pq.read_table(out / name)
    return found.sort_by([("trace", "ascending"), ("strategy", "ascending"), ("step", "ascending")])


def local_table(run: object) -> pa.Table:
    found = pa.table(run.measurements)  # type: ignore[attr-defined]
    return found.sort_by([("trace", "ascending"), ("strategy", "ascending"), ("step", "ascending")])


def test_rows_and_run_are_those_of_one_machine(cluster: Cluster, corpus: Path, tmp_path: Path) -> None:
    strategies = [*STRATEGIES, mine_lister.Lister]
    here = replay_here(corpus, strategies, tmp_path / "runs")
    summary = replay(corpus, strategies, tmp_path / "out", observations=True)
    assert (summary.traces, summary.done, summary.failed) == (4, 4, [])
    assert table(tmp_path / "out").equals(local_table(here))
    assert summary.rows == pa.table(here.measurements).num_rows
    merged = bl_ray.merge(tmp_path / "out", tmp_path / "merged", traces=corpus)
    assert merged.id == here.id, "the merged run has the bytes of the local one"
    assert (merged.folder / "run.json").read_bytes() == (here.folder / "run.json").read_bytes()
    row = pa.table(here.measurements).to_pylist()[0]
    at = row["trace"], row["strategy"], row["step"]
    assert merged.observation(*at) == here.observation(*at)
    assert {task["node"] for task in summary.tasks} == {
        node["NodeID"] for node in ray.nodes() if node["Resources"].get("CPU")
    }


def test_what_is_left_out_is_said(cluster: Cluster, corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    replay(corpus, STRATEGIES[0], out)
    assert not (out / "observations").exists()
    notes = bl_ray.merge(out, tmp_path / "merged").notes
    assert any("texts and images that the strategies showed" in note for note in notes)
    assert any("what other recordings make known" in note for note in notes)


def test_what_is_there_is_not_made_again(cluster: Cluster, corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    first = replay(corpus, STRATEGIES, out)
    parts = sorted((out / "parts").glob("*.part"))
    stamps = {part: part.stat().st_mtime_ns for part in parts}
    again = replay(corpus, STRATEGIES, out)
    assert (again.resumed, again.done, again.rows, again.tasks) == (4, 4, 0, [])
    parts[0].unlink()
    third = replay(corpus, STRATEGIES, out)
    assert (third.resumed, third.done, len(third.tasks)) == (3, 4, 1)
    assert {part: part.stat().st_mtime_ns for part in parts[1:]} == {part: stamps[part] for part in parts[1:]}
    assert table(out).num_rows == first.rows, "nothing twice"


def test_results_of_something_else_are_not_mixed_in(cluster: Cluster, corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    replay(corpus, STRATEGIES, out)
    with pytest.raises(OptionsError, match="parts of other traces, strategies or versions") as raised:
        replay(corpus, STRATEGIES[:1], out)
    assert "remove_others" in raised.value.hint
    summary = replay(corpus, STRATEGIES[:1], out, remove_others=True)
    assert table(out).num_rows == summary.rows
    assert set(table(out)["strategy"].to_pylist()) == {STRATEGIES[0]}


def test_a_damaged_trace_costs_its_own_row(cluster: Cluster, corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    whole = (corpus / f"{NAMES[1]}.trace").read_bytes()
    at = len(whole) // 2
    (corpus / "broken.trace").write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
    (corpus / "empty.trace").write_bytes(b"")
    summary = replay([corpus, tmp_path / "nowhere"], STRATEGIES[:1], out)
    assert (summary.traces, summary.done) == (6, 4)
    failed = {Path(failure.trace).name: failure for failure in summary.failed}
    assert set(failed) == {"broken.trace", "empty.trace", "nowhere"}
    assert all(failure.error and failure.hint for failure in summary.failed)
    files = [json.loads(path.read_text()) for path in (out / "failed").glob("*.json")]
    assert sorted(file["trace"] for file in files) == sorted(failure.trace for failure in summary.failed)
    assert "broken.trace" in str(summary)
    notes = bl_ray.merge(out, tmp_path / "merged").notes
    assert sum(note.startswith("Not replayed: ") for note in notes) == 3
    (corpus / "broken.trace").unlink()
    (corpus / "empty.trace").unlink()
    mended = replay(corpus, STRATEGIES[:1], out)
    assert (mended.resumed, mended.failed) == (4, [])
    assert not list((out / "failed").glob("*.json"))


def test_strategies_that_misbehave_cost_their_own_rows(cluster: Cluster, corpus: Path, tmp_path: Path) -> None:
    classes = [mine_lister.Raises, mine_lister.Garbage, mine_lister.Hangs, mine_lister.Dies]
    summary = replay(
        corpus / f"{NAMES[1]}.trace", [STRATEGIES[0], *classes], tmp_path / "out", scenarios=corpus / "scenarios"
    )
    assert (summary.done, summary.failed) == (1, [])
    rows = table(tmp_path / "out").to_pylist()
    wrong = {cls.name: [row for row in rows if row["strategy"] == cls.name and row["error"]] for cls in classes}
    assert all(wrong.values()) and summary.failed_rows == sum(map(len, wrong.values()))
    assert len(wrong["mine/raises"]) == 1
    assert not [row for row in rows if row["strategy"] == STRATEGIES[0] and row["error"]]


def test_nothing_to_replay_is_an_error_with_a_remedy(cluster: Cluster, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for place, words in (("empty", "no trace"), ("nowhere", "no such folder")):
        with pytest.raises(OptionsError, match=words) as raised:
            replay(tmp_path / place, STRATEGIES, tmp_path / "out")
        assert raised.value.hint


def test_a_bucket_is_read_and_written_like_a_folder(cluster: Cluster, corpus: Path, tmp_path: Path) -> None:
    moto = pytest.importorskip("moto.server", reason="moto is not installed")
    s3fs = pytest.importorskip("s3fs", reason="s3fs is not installed")
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        options = {"key": "k", "secret": "s", "client_kwargs": {"endpoint_url": f"http://{host}:{port}"}}
        bucket = s3fs.S3FileSystem(**options)
        bucket.mkdir("corpus")
        bucket.mkdir("results")
        bucket.put(
            [str(path) for path in sorted(corpus.glob("*.trace")) + sorted(corpus.glob("*.peers"))], "corpus/in/"
        )
        bucket.put(str(TRACES / "scenarios"), "corpus/in/scenarios", recursive=True)
        here = replay_here(corpus, STRATEGIES, tmp_path / "runs")
        given = ["s3://corpus/in", "s3://no-such-bucket/in"]
        summary = replay(given, STRATEGIES, "s3://results/out", observations=True, storage_options=options)
        assert (summary.traces, summary.done) == (4, 4)
        assert [failure.trace for failure in summary.failed] == ["s3://no-such-bucket/in"]
        merged = bl_ray.merge("s3://results/out", tmp_path / "merged", traces=corpus, storage_options=options)
        assert local_table(merged).equals(local_table(here))
        row = local_table(here).to_pylist()[0]
        at = row["trace"], row["strategy"], row["step"]
        assert merged.observation(*at) == here.observation(*at)
        found = pq.read_table("results/out/measurements", filesystem=bucket)
        assert found.num_rows == summary.rows
        again = replay(given, STRATEGIES, "s3://results/out", observations=True, storage_options=options)
        assert (again.resumed, again.rows) == (4, 0)
        with pytest.raises(OptionsError, match="no-such-bucket") as raised:
            replay("s3://no-such-bucket/in", STRATEGIES, tmp_path / "out", storage_options=options)
        assert raised.value.hint
    finally:
        server.stop()


def test_a_trace_that_takes_every_process_with_it_is_given_up(cluster: Cluster, corpus: Path, tmp_path: Path) -> None:
    place = Place(str(tmp_path / "out"), {})
    for _ in range(3):
        # A process that is lost leaves its mark, because nothing of it runs any more.
        bl_ray._Attempt(place, "part", retries=2).__enter__()
    with pytest.raises(BrowserLensError, match="its process was lost 3 times") as raised:
        bl_ray._Attempt(place, "part", retries=2).__enter__()
    assert raised.value.hint
    with bl_ray._Attempt(place, "part", retries=5):
        assert len(place.names("begun", "")) == 4
    assert not place.names("begun", "")
