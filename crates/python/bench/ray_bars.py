"""Measures replay on Ray on this machine: rows against a local run, two workers against one, machines lost,
memory and time per step as corpora grow.

    python crates/python/bench/ray_bars.py CORPUS                         rows, speed-up, lost machines
    python crates/python/bench/ray_bars.py CORPUS --large LARGE           and what grows with the corpus
    python crates/python/bench/ray_bars.py --large LARGE                  that alone

CORPUS and LARGE are folders as `browserlens lab corpus make` writes them; 2,000 and 100,000 steps are the
bars. Each worker is a Ray node of one processor. Wall times are only worth something on a machine that does
nothing else; processor times are printed beside them. Exit code 1: a bar was missed.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).parent))
from browserlens import ray as bl_ray  # noqa: E402
from browserlens._native import plan_trace, trace_files  # noqa: E402
from browserlens.replay import replay  # noqa: E402
from cluster import Cluster  # noqa: E402

#: Is told the name of a bar, whether it holds, and what was measured.
Bar = Callable[[str, bool, str], None]
ORDER = [("trace", "ascending"), ("strategy", "ascending"), ("step", "ascending")]
SPEED_UP = 1.7
WITHIN = 0.10


def busy() -> float:
    """Processor time of this machine since its start, of everything on it, in seconds."""
    return sum(map(int, Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:4])) / os.sysconf("SC_CLK_TCK")


def timed(work: Any) -> tuple[Any, dict[str, float]]:
    wall, all_cpu = time.monotonic(), busy()
    result = work()
    return result, {"wall_s": round(time.monotonic() - wall, 2), "machine_cpu_s": round(busy() - all_cpu, 2)}


def distributed(
    corpus: Path, strategies: list[str], out: Path, workers: int, kills: int = 0
) -> tuple[bl_ray.Summary, dict[str, Any]]:
    """One run on a fresh cluster, whose processes are warm: a first run over one trace is not counted."""
    with Cluster(workers=workers) as cluster:
        cluster.connect()
        first = trace_files(corpus)[:workers]
        bl_ray.replay(
            first, strategies, out.with_name(out.name + "-warm"), scenarios=corpus / "scenarios", progress=False
        )
        killed: list[int] = []
        starting: list[threading.Thread] = []

        def look(done: int, of: int, row: dict[str, Any]) -> None:
            if len(killed) < kills and done >= of * (len(killed) + 1) // (kills + 1):
                killed.append(done)
                for thread in starting:
                    thread.join()
                cluster.kill(cluster.nodes[0])
                starting.append(threading.Thread(target=cluster.add))
                starting[-1].start()

        summary, times = timed(lambda: bl_ray.replay(corpus, strategies, out, progress=look))
        for thread in starting:
            thread.join()
    tasks = summary.tasks
    return summary, {
        **times,
        "workers": workers,
        "killed_after": killed,
        "traces": summary.traces,
        "done": summary.done,
        "failed": len(summary.failed),
        "steps": summary.steps,
        "rows": summary.rows,
        "task_cpu_s": round(sum(task["cpu_seconds"] for task in tasks), 2),
        "cpu_ms_a_step": round(1000 * sum(task["cpu_seconds"] for task in tasks) / max(1, summary.steps), 3),
        "task_wall_ms_a_step": round(1000 * sum(task["seconds"] for task in tasks) / max(1, summary.steps), 3),
        "wall_ms_a_step": round(1000 * times["wall_s"] / max(1, summary.steps), 3),
    }


def memory(summary: bl_ray.Summary) -> list[dict[str, Any]]:
    """Of each worker process that did at least twenty tasks: memory in the second fifth of its tasks and
    in the last, in MiB.
    """
    found = []
    for pid in sorted({task["pid"] for task in summary.tasks}):
        sizes = [
            task["rss_kib"] / 1024
            for task in sorted(summary.tasks, key=lambda task: task["ended"])
            if task["pid"] == pid
        ]
        if len(sizes) >= 20:
            fifth = len(sizes) // 5
            early, late = statistics.median(sizes[fifth : 2 * fifth]), statistics.median(sizes[-fifth:])
            found.append(
                {
                    "pid": pid,
                    "tasks": len(sizes),
                    "early_mib": round(early, 1),
                    "late_mib": round(late, 1),
                    "peak_mib": round(max(sizes), 1),
                }
            )
    return found


def same(out: Path, local: pa.Table) -> bool:
    return bool(pq.read_table(out / "measurements").sort_by(ORDER).equals(local))


def steps_of(files: list[Path], folder: Path) -> int:
    """Steps of a corpus, by those of some of its traces."""
    some = files[:: max(1, len(files) // 20)]
    counted = [json.loads(plan_trace(path, folder / "scenarios"))["steps"] for path in some]
    return round(statistics.mean(counted) * len(files))


def spread(given: argparse.Namespace, strategies: list[str], scratch: Path, told: dict[str, Any], bar: Bar) -> None:
    """Rows, two workers, machines lost."""
    here, told["local"] = timed(lambda: replay(given.corpus, strategies, scratch / "runs", threads=1))
    local = pa.table(here.measurements).sort_by(ORDER)
    told["local"]["rows"] = local.num_rows
    for at in range(given.rounds):
        _, one = distributed(given.corpus, strategies, scratch / f"one-{at}", 1)
        _, two = distributed(given.corpus, strategies, scratch / f"two-{at}", 2)
        told["rounds"].append({"one": one, "two": two, "times_faster": round(one["wall_s"] / two["wall_s"], 3)})
        print(json.dumps(told["rounds"][-1]), flush=True)
    bar(
        "rows",
        same(scratch / "one-0", local) and same(scratch / "two-0", local),
        f"{local.num_rows} rows, equal to those of the local run",
    )
    gains = [each["times_faster"] for each in told["rounds"]]
    bar(
        "two workers",
        statistics.median(gains) >= SPEED_UP,
        f"{statistics.median(gains):.2f} × one worker (bar {SPEED_UP}), of {gains}",
    )
    _, lost = distributed(given.corpus, strategies, scratch / "lost", 2, kills=2)
    told["lost"] = lost
    whole = lost["done"] == lost["traces"] and not lost["failed"] and len(lost["killed_after"]) == 2
    bar(
        "a worker node lost twice",
        whole and same(scratch / "lost", local),
        f"after {lost['killed_after']} traces of {lost['traces']}; {lost['done']} done, "
        f"rows equal: {same(scratch / 'lost', local)}",
    )


def growth(given: argparse.Namespace, strategies: list[str], scratch: Path, told: dict[str, Any], bar: Bar) -> None:
    """Memory and time per step as the corpus grows."""
    few = scratch / "few"
    few.mkdir()
    (few / "scenarios").symlink_to((given.large / "scenarios").resolve())
    # Every n-th trace: what comes first in a corpus need not be like the rest.
    files = trace_files(given.large)
    counted = steps_of(files, given.large)
    for path in files[:: max(1, len(files) // max(1, round(len(files) * 1000 / max(1, counted))))]:
        (few / f"{path.parent.name}-{path.name}").symlink_to(path.resolve())
    _, small = distributed(few, strategies, scratch / "small", 2)
    summary, large = distributed(given.large, strategies, scratch / "large", 2)
    told["small"], told["large"], told["memory"] = small, large, memory(summary)
    print(json.dumps({"small": small, "large": large}), flush=True)
    ratio = large["cpu_ms_a_step"] / small["cpu_ms_a_step"]
    bar(
        "time per step",
        abs(ratio - 1) <= WITHIN,
        f"{large['cpu_ms_a_step']} ms of processor at {large['steps']} steps, "
        f"{small['cpu_ms_a_step']} ms at {small['steps']}: {ratio:.3f}",
    )
    for each in told["memory"]:
        bar(
            "memory",
            each["late_mib"] <= 1.05 * each["early_mib"] + 8,
            f"{each['early_mib']} MiB early, {each['late_mib']} MiB late, "
            f"{each['peak_mib']} MiB at most, over {each['tasks']} tasks",
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("corpus", type=Path, nargs="?")
    parser.add_argument("--large", type=Path, help="a corpus of 100,000 steps")
    parser.add_argument("--strategies", default="read-text/visible", help="names or patterns, joined by commas")
    parser.add_argument("--rounds", type=int, default=1, help="how often one and two workers are measured, in turns")
    parser.add_argument("--json", type=Path, help="write everything that was measured here")
    given = parser.parse_args()
    if not (given.corpus or given.large):
        parser.error("name a corpus")
    strategies = given.strategies.split(",")
    scratch = Path(tempfile.mkdtemp(prefix="bl-bars-"))
    told: dict[str, Any] = {"strategies": strategies, "rounds": []}
    missed: list[str] = []

    def bar(name: str, holds: bool, words: str) -> None:
        print(f"{'ok    ' if holds else 'MISSED'} {name}: {words}", flush=True)
        if not holds:
            missed.append(name)

    try:
        if given.corpus:
            spread(given, strategies, scratch, told, bar)
        if given.large:
            growth(given, strategies, scratch, told, bar)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
        if given.json:
            given.json.write_text(json.dumps(told, indent=1) + "\n")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
