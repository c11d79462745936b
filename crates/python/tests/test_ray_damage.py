"""Damaged traces among a thousand: each is a row that says what is wrong, and every other trace has its rows."""

from __future__ import annotations

import shutil
import sqlite3
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

ray = pytest.importorskip("ray", reason="browserlens[ray] is not installed")

import pyarrow.parquet as pq  # noqa: E402
from browserlens import ray as bl_ray  # noqa: E402

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))
from cluster import Cluster  # noqa: E402

TRACES = Path(__file__).parents[3] / "traces"
WHOLE = TRACES / "tiny-newsletter-signup.trace"
MANY = 1000


def sql(*statements: str) -> Callable[[Path], None]:
    def run(path: Path) -> None:
        with sqlite3.connect(path) as database:
            database.execute("PRAGMA foreign_keys = OFF")
            for statement in statements:
                database.execute(statement)
        database.close()

    return run


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0x10
    path.write_bytes(content)


def foreign(path: Path) -> None:
    path.unlink()
    sql("CREATE TABLE t (x)")(path)


#: How a trace is damaged, and words of its row.
DAMAGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "altered": (sql("CREATE TABLE extra (x)"), "the file was changed after it was finished"),
    "changed-row": (sql("UPDATE action SET intent = '{}' WHERE step = 1"), "table action, row 1"),
    "empty": (lambda path: path.write_bytes(b""), "not a trace: the file is empty"),
    "flipped-byte": (flip, "table "),
    "foreign": (foreign, "not a trace: "),
    "link-to-nothing": (lambda path: (path.unlink(), path.symlink_to("nowhere.trace")), "No such file"),
    "missing-row": (
        sql("DELETE FROM step WHERE number = 2", "DELETE FROM payload WHERE step = 2"),
        "table step, row 2 is missing",
    ),
    "newer": (sql("PRAGMA user_version = 99"), "trace format 99, this build reads up to "),
    "text": (lambda path: path.write_bytes(b"no trace"), "it is not an SQLite file"),
    "truncated": (
        lambda path: path.write_bytes(WHOLE.read_bytes()[:50_000]),
        f"truncated: 50000 of {WHOLE.stat().st_size} bytes are there",
    ),
}


@pytest.mark.slow
def test_damaged_traces_among_a_thousand_are_rows_and_the_rest_goes_on(tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / "scenarios").symlink_to(TRACES / "scenarios")
    for at in range(MANY - len(DAMAGE)):
        (folder / f"whole-{at:03}.trace").symlink_to(WHOLE)
    for at, (name, (damage, _)) in enumerate(DAMAGE.items()):
        path = folder / f"whole-{at * 90:03}-{name}.trace"
        shutil.copy(WHOLE, path)
        damage(path)
    with Cluster(workers=2) as cluster:
        cluster.connect()
        summary = bl_ray.replay(folder, "read-text/visible", tmp_path / "out", progress=False)
    spans = sorted((task["ended"] - task["seconds"], task["ended"]) for task in summary.tasks)
    side_by_side = sum(later[0] < earlier[1] for earlier, later in pairwise(spans))
    assert side_by_side > len(spans) / 4, "two workers work at the same time, however short their tasks are"
    failed = {Path(failure.trace).stem.split("-", 2)[2]: failure for failure in summary.failed}
    assert (summary.traces, summary.done, set(failed)) == (MANY, MANY - len(DAMAGE), set(DAMAGE))
    for name, (_, words) in DAMAGE.items():
        assert words in failed[name].error and failed[name].hint, failed[name]
        assert name in failed[name].error, "it names the file"
    rows = pq.read_table(tmp_path / "out" / "measurements")
    ids = rows["trace"].to_pylist()
    assert rows.num_rows == summary.rows and summary.failed_rows == 0
    assert (
        len(set(ids)) == MANY - len(DAMAGE)
        and len(set(zip(ids, rows["step"].to_pylist(), strict=True))) == rows.num_rows
    )
    run = bl_ray.merge(tmp_path / "out", tmp_path / "merged")
    assert sum(note.startswith("Not replayed: ") for note in run.notes) == len(DAMAGE)
