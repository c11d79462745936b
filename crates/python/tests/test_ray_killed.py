"""Replay on Ray while machines are lost."""

from __future__ import annotations

import shutil
import sys
import tempfile
import threading
from pathlib import Path

import pytest

ray = pytest.importorskip("ray", reason="browserlens[ray] is not installed")

import mine_lister  # noqa: E402
import pyarrow as pa  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402
from browserlens import _scratch  # noqa: E402
from browserlens import ray as bl_ray  # noqa: E402
from browserlens.replay import replay as replay_here  # noqa: E402

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))
from cluster import Cluster  # noqa: E402

TRACES = Path(__file__).parents[3] / "traces"
NAMES = ("board-reserve-a-desk", "login-wrong-then-right", "portal-offer-for-a-shift")
STRATEGIES = ["read-text/visible", "raw/html"]
ORDER = [("trace", "ascending"), ("strategy", "ascending"), ("step", "ascending")]


@pytest.mark.slow
def test_a_worker_node_killed_twice_loses_nothing_and_makes_nothing_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / "scenarios").symlink_to(TRACES / "scenarios")
    for at in range(24):
        shutil.copy(TRACES / f"{NAMES[at % 3]}.trace", folder / f"copy-{at:02}.trace")
    here = replay_here(folder, [*STRATEGIES, mine_lister.Lister], tmp_path / "runs")
    scratch = Path(tempfile.mkdtemp(prefix="bl-t-"))
    monkeypatch.setenv("TMPDIR", str(scratch))
    with Cluster(workers=2) as cluster:
        cluster.connect()
        killed: list[int] = []
        starting: list[threading.Thread] = []

        def look(done: int, of: int, row: dict) -> None:
            if len(killed) < 2 and done >= (6, 14)[len(killed)]:
                killed.append(done)
                for thread in starting:
                    thread.join()
                cluster.kill(cluster.nodes[0])
                starting.append(threading.Thread(target=cluster.add))
                starting[-1].start()

        summary = bl_ray.replay(folder, [*STRATEGIES, mine_lister.Lister], tmp_path / "out", progress=look)
        for thread in starting:
            thread.join()
        assert len(killed) == 2
        assert (summary.traces, summary.done, summary.failed) == (24, 24, [])
        found = pq.read_table(tmp_path / "out" / "measurements").sort_by(ORDER)
        assert found.equals(pa.table(here.measurements).sort_by(ORDER)), "nothing lost, nothing twice"
    assert list(scratch.glob("browserlens-worker-*/*")), "workers that were killed had folders"
    _scratch.sweep(scratch)
    assert not list(scratch.glob("*browserlens*")), "nothing of them is left anywhere else"
    shutil.rmtree(scratch)
