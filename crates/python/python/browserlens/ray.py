"""Replay on Ray: as many traces as there are machines for, one task a trace.

In: folders or buckets of traces (anything that fsspec opens), strategies as :mod:`browserlens.replay`
takes them. Out: below ``out``

- ``measurements/*.parquet`` and ``timings/*.parquet``: one file a trace, columns and cells as a run
  on one machine has them;
- ``parts/*.part``: what :func:`merge` makes a run of, and ``browserlens bench --from`` a report;
- ``observations/``: what was shown, where that is asked for;
- ``failed/*.json``: one a trace that could not be replayed.

Rules: a part is written last and under a name that tells everything that its rows depend on, so what is there
is not made again, and what is made twice is written once; a trace that cannot be read, and a strategy that
fails, cost their own rows only.
"""

from __future__ import annotations

import hashlib
import json
import os
import posixpath
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from . import _scratch
from . import replay as _local
from ._native import Part, Run, Strategies, merge_parts, plan_trace, trace_files
from .errors import BrowserLensError, OptionsError
from .replay import Selected, select

try:
    import pyarrow  # type: ignore[import-untyped,import-not-found,unused-ignore]
    import pyarrow.parquet  # type: ignore[import-untyped,import-not-found,unused-ignore]
    import ray  # type: ignore[import-not-found,unused-ignore]
    import ray.data  # type: ignore[import-not-found,unused-ignore]

    from ._places import Fetched, Place, listed, words
except ImportError as error:  # pragma: no cover
    raise ImportError("browserlens.ray needs more packages: pip install 'browserlens[ray]'") from error

__all__ = ["Failure", "Summary", "merge", "replay"]


class Failure(NamedTuple):
    """A trace that was not replayed, or a place that could not be listed."""

    trace: str
    error: str
    hint: str


@dataclass
class Summary:
    """What came of a replay."""

    #: Where everything lies.
    out: str
    #: Traces that were found.
    traces: int = 0
    #: Of those, the ones whose parts are there now.
    done: int = 0
    #: Of those, the ones whose parts were there before.
    resumed: int = 0
    #: Steps of the traces that were replayed now.
    steps: int = 0
    #: Rows that were written now.
    rows: int = 0
    #: Of those, the ones that are errors of strategies.
    failed_rows: int = 0
    #: Wall time, in seconds.
    seconds: float = 0.0
    #: Processor time of the tasks, in seconds.
    cpu_seconds: float = 0.0
    #: What was not replayed.
    failed: list[Failure] = field(default_factory=list)
    #: One row a task: trace, part, steps, seconds, memory, node and process.
    tasks: list[dict[str, Any]] = field(default_factory=list)

    def __str__(self) -> str:
        text = (
            f"{self.done} of {self.traces} traces done ({self.resumed} before), "
            f"{self.steps} steps and {self.rows} rows in {self.seconds:.1f} s"
            f" ({self.cpu_seconds:.1f} s of processors); "
            f"{self.failed_rows} rows are errors of strategies, {len(self.failed)} traces failed"
        )
        return "\n".join([text, *(f"failed: {failure.trace}: {failure.error}" for failure in self.failed)])


class _Job(NamedTuple):
    """What all tasks of a replay are told."""

    selected: Selected
    names: list[str]
    out: str
    observations: bool
    encoding: str
    date: str
    options: dict[str, Any]
    retries: int


#: The strategies of the job that this process works for, built once.
_built: dict[str, tuple[tempfile.TemporaryDirectory[str], Strategies]] = {}


def _strategies(job: _Job) -> Strategies:
    _local.path_of_python()
    key = hashlib.sha256(repr((job.selected, job.names)).encode()).hexdigest()
    if key not in _built:
        _built.clear()
        folder = _scratch.make("strategies")
        # Classes run in processes of their own, which leave their files here too.
        os.environ["TMPDIR"] = os.fspath(_scratch.folder())
        _built[key] = (folder, job.selected.build(folder.name, job.names))
    return _built[key][1]


def _plan(item: dict[str, Any], options: dict[str, Any]) -> dict[str, Any]:
    """One task: looks at one trace."""
    planned = error = hint = ""
    try:
        with _scratch.make("plan") as folder:
            fetched = Fetched(item, options, folder)
            planned = plan_trace(fetched.trace, fetched.scenarios)
    except Exception as raised:
        error, hint = words(raised)
    return {**item, "planned": planned, "error": error, "hint": hint}


def _memory() -> int:
    """Memory of this process now, in KiB; its peak where the system does not tell."""
    try:
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1])
    except OSError:
        pass
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _cpu() -> float:
    """Processor time of this process and of those that it waited for, in seconds."""
    return sum(
        usage.ru_utime + usage.ru_stime
        for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


class _Attempt:
    """A mark that a part was begun: it stays where a process is lost, so that a trace that takes every process
    with it is given up in the end.
    """

    def __init__(self, place: Place, part: str, retries: int) -> None:
        self.place, self.part, self.retries = place, part, retries

    def __enter__(self) -> None:
        begun = sorted(name for name in self.place.names("begun", "") if name.startswith(f"{self.part}."))
        if len(begun) > self.retries:
            raise BrowserLensError(
                f"its process was lost {len(begun)} times",
                hint="look into Ray's log for what ended it: often there was too little memory",
            )
        self.place.put(b"", "begun", f"{self.part}.{len(begun)}")

    def __exit__(self, *_: object) -> None:
        for name in self.place.names("begun", ""):
            if name.startswith(f"{self.part}."):
                self.place.fs.rm_file(self.place.path("begun", name))


def _replay(item: dict[str, Any], job: _Job) -> dict[str, Any]:
    """One task: replays one trace and writes what came of it."""
    began, cpu = time.monotonic(), _cpu()
    row: dict[str, Any] = {
        "trace": item["trace"], "id": item["id"], "part": item["part"],
        "steps": 0, "rows": 0, "failed_rows": 0, "error": "", "hint": "",
    }  # fmt: skip
    try:
        place = Place(job.out, job.options)
        # A task that is run again after its machine was lost finds what it had written.
        if not place.has("parts", f"{item['part']}.part"):
            with _Attempt(place, item["part"], job.retries), _scratch.make("part") as folder:
                row.update(_write(item, job, place, folder))
    except Exception as raised:
        row["error"], row["hint"] = words(raised)
    context = ray.get_runtime_context()
    row.update(
        seconds=time.monotonic() - began,
        cpu_seconds=_cpu() - cpu,
        rss_kib=_memory(),
        node=context.get_node_id(),
        pid=os.getpid(),
        ended=time.time(),
    )
    return row


def _write(item: dict[str, Any], job: _Job, place: Place, folder: str) -> dict[str, Any]:
    fetched = Fetched(item, job.options, folder)
    cache = Path(folder, "cache")
    part = Part(
        fetched.trace,
        item["id"],
        fetched.scenarios,
        _strategies(job),
        cache,
        encoding=job.encoding,
        date=job.date,
        machine=_local.machine(),
    )
    if job.observations:
        if place.is_local:
            part.keep_observations(Path(place.path("observations")))
        else:
            kept = Path(folder, "observations")
            part.keep_observations(kept)
            for path in sorted(kept.glob("*/*")):
                to = path.relative_to(kept).parts
                if not place.has("observations", *to):
                    place.put(path.read_bytes(), "observations", *to)
    for name, table in (("measurements", part.measurements), ("timings", part.timings)):
        buffer = pyarrow.BufferOutputStream()
        pyarrow.parquet.write_table(pyarrow.table(table), buffer, compression="zstd")
        place.put(buffer.getvalue().to_pybytes(), name, f"{item['part']}.parquet")
    # The part comes last: where it is, everything else is.
    place.put(bytes(part.to_bytes()), "parts", f"{item['part']}.part")
    return {"steps": part.steps, "rows": part.rows, "failed_rows": part.failed_rows}


def _each(
    items: list[dict[str, Any]], work: Callable[..., Any], told: dict[str, Any], num_cpus: float, a_task: int = 1
) -> Iterator[dict[str, Any]]:
    """Yields a row an item as they come. Ray runs again what was on a machine that it lost; an item that
    it gives up has no row.
    """
    context = ray.data.DataContext.get_current()
    before = context.max_errored_blocks, context.execution_options.preserve_order
    context.max_errored_blocks, context.execution_options.preserve_order = -1, False
    context.enable_progress_bars, bars = False, context.enable_progress_bars
    # What Ray reserves for operators that compete is of no use to a single one, and short tasks would wait
    # for one another: two machines would be no faster than one.
    context.op_resource_reservation_enabled, reserved = False, context.op_resource_reservation_enabled
    try:
        blocks = max(1, -(-len(items) // a_task))
        rows = ray.data.from_items(items, override_num_blocks=blocks)
        yield from rows.map(work, fn_kwargs=told, num_cpus=num_cpus).iter_rows()
    finally:
        context.max_errored_blocks, context.execution_options.preserve_order = before
        context.enable_progress_bars, context.op_resource_reservation_enabled = bars, reserved


def _failed_name(trace: str) -> str:
    return hashlib.sha256(trace.encode()).hexdigest()[:16]


def replay(
    traces: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    strategies: str | type | Iterable[str | type],
    out: str | os.PathLike[str],
    *,
    scenarios: str | os.PathLike[str] | None = None,
    strategies_file: str | os.PathLike[str] | None = None,
    observations: bool = False,
    encoding: str = "o200k_base",
    num_cpus: float = 1.0,
    retries: int = 5,
    remove_others: bool = False,
    progress: bool | Callable[[int, int, dict[str, Any]], None] = True,
    storage_options: dict[str, Any] | None = None,
) -> Summary:
    """Replays strategies over traces, one task a trace, on the Ray cluster that is connected, or on this machine.

    ``traces`` are folders, buckets or files, as paths or URLs of fsspec; their scenarios lie in ``scenarios``
    below each, unless another place is named. ``out`` is a folder or a bucket that all machines reach; what
    is there of these traces and strategies is not made again. Results of other traces or strategies in
    ``out`` are an error, unless ``remove_others`` removes them. ``progress`` prints a line to standard error,
    or is called with what is done, of how much, and the row of the task.
    """
    began = time.monotonic()
    options = storage_options or {}
    selected = select(strategies, strategies_file)
    summary = Summary(out=os.fspath(out))
    place = Place(summary.out if "://" in summary.out else os.path.abspath(summary.out), options)
    job_out = summary.out if "://" in summary.out else os.path.abspath(summary.out)
    items = []
    for given in [traces] if isinstance(traces, (str, os.PathLike)) else traces:
        where = os.fspath(given)
        where = where if "://" in where else os.path.abspath(where)
        try:
            found = listed(where, options)
        except Exception as raised:
            summary.failed.append(Failure(where, *words(raised)))
            continue
        folder = where if not where.endswith(".trace") else posixpath.dirname(where)
        beside = os.fspath(scenarios) if scenarios else posixpath.join(folder, "scenarios")
        items += [
            {"trace": trace, "scenarios": beside if "://" in beside else os.path.abspath(beside)} for trace in found
        ]
    summary.traces = len(items)
    if not items:
        first = (
            summary.failed[0] if summary.failed else Failure("", "no traces were given", "name a folder or a bucket")
        )
        raise OptionsError(
            first.error if first.trace in first.error else f"{first.trace}: {first.error}", hint=first.hint
        )
    if not ray.is_initialized():
        (
            ray.init(log_to_driver=False)
            if "RAY_ADDRESS" in os.environ
            else ray.init(log_to_driver=False, include_dashboard=False)
        )

    planned, lost = [], {item["trace"]: item for item in items}
    for row in _each(items, _plan, {"options": options}, num_cpus, a_task=8):
        lost.pop(row["trace"], None)
        if row["error"]:
            summary.failed.append(Failure(row["trace"], row["error"], row["hint"]))
        else:
            planned.append(row)
    planned.sort(key=lambda row: row["trace"])
    todo: list[dict[str, Any]] = []
    with _scratch.make("strategies") as beside:
        all_strategies = selected.build(beside)
        decided = (
            json.loads(all_strategies.decide([row["planned"] for row in planned]))
            if planned
            else {"ids": [], "strategies": selected.names}
        )
        in_play = selected.build(beside, decided["strategies"])
        for row, trace_id in zip(planned, decided["ids"], strict=True):
            what = json.loads(row["planned"])
            part = in_play.part_name(row["planned"], trace_id, encoding)
            todo.append(
                {
                    "trace": row["trace"],
                    "scenarios": row["scenarios"],
                    "id": trace_id,
                    "part": part,
                    "bytes": what["bytes"],
                }
            )
    there = place.names("parts", ".part")
    _others(place, there - {item["part"] for item in todo}, remove_others)
    summary.resumed = sum(item["part"] in there for item in todo)
    summary.done = summary.resumed
    # The largest first: what is begun last is over soon.
    left = sorted((item for item in todo if item["part"] not in there), key=lambda item: -item["bytes"])
    lost |= {item["trace"]: item for item in left}
    # What an earlier call left behind is forgotten: each call tries anew.
    for name in place.names("begun", ""):
        place.fs.rm_file(place.path("begun", name))
    job = _Job(selected, decided["strategies"], job_out, observations, encoding, _local.now(), options, retries)
    for row in _each(left, _replay, {"job": job}, num_cpus) if left else ():
        lost.pop(row["trace"], None)
        summary.tasks.append(row)
        if row["error"]:
            summary.failed.append(Failure(row["trace"], row["error"], row["hint"]))
        else:
            summary.done += 1
            summary.steps += row["steps"]
            summary.rows += row["rows"]
            summary.failed_rows += row["failed_rows"]
        summary.cpu_seconds += row["cpu_seconds"]
        _tell(progress, summary, row)
    for trace in sorted(lost):
        summary.failed.append(
            Failure(
                trace,
                "Ray gave up its task",
                "look into Ray's log for what ended it: often there was too little memory",
            )
        )
    summary.failed.sort()
    _note_failures(place, summary)
    summary.seconds = time.monotonic() - began
    if progress is True:
        print(file=sys.stderr)
    return summary


def _tell(progress: bool | Callable[[int, int, dict[str, Any]], None], summary: Summary, row: dict[str, Any]) -> None:
    if callable(progress):
        progress(summary.done + len(summary.failed), summary.traces, row)
    elif progress:
        print(
            f"\r{summary.done} of {summary.traces} traces, {summary.steps} steps, {len(summary.failed)} failed",
            end="",
            file=sys.stderr,
            flush=True,
        )


def _others(place: Place, parts: set[str], remove: bool) -> None:
    """Keeps parts of one run from being read as parts of another."""
    if parts and not remove:
        raise OptionsError(
            f"{place.root}: holds {len(parts)} parts of other traces, strategies or versions, such as {min(parts)}",
            hint="name another folder, or pass remove_others=True",
        )
    for part in parts:
        # The part goes first: what lies there without one is written anew.
        for path in (("parts", f"{part}.part"), ("measurements", f"{part}.parquet"), ("timings", f"{part}.parquet")):
            if place.has(*path):
                place.fs.rm_file(place.path(*path))


def _note_failures(place: Place, summary: Summary) -> None:
    """Writes one file a failed trace, and removes those of traces that did not fail this time."""
    now = {_failed_name(failure.trace): failure for failure in summary.failed}
    for name in place.names("failed", ".json") - set(now):
        place.fs.rm_file(place.path("failed", f"{name}.json"))
    for name, failure in now.items():
        place.put(json.dumps(failure._asdict()).encode(), "failed", f"{name}.json")
    what = {key: value for key, value in asdict(summary).items() if key not in ("tasks", "failed")}
    place.put(
        json.dumps({**what, "failed": [failure._asdict() for failure in summary.failed]}, indent=1).encode(),
        "summary.json",
    )


def merge(
    out: str | os.PathLike[str],
    runs: str | os.PathLike[str] = "reports/runs",
    *,
    traces: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] | None = None,
    scenarios: str | os.PathLike[str] | None = None,
    storage_options: dict[str, Any] | None = None,
) -> Run:
    """Puts the parts that :func:`replay` wrote together and stores the run below ``runs``: ``browserlens bench
    --from`` makes a report of it.

    With the ``traces`` (files of this machine), what only a view of all of them gives is measured too. What
    is left out, and which traces failed, the run and its report say.
    """
    url = os.fspath(out) if "://" in os.fspath(out) else os.path.abspath(out)
    place = Place(url, storage_options or {})
    notes = []
    for name in sorted(place.names("failed", ".json")):
        failure = json.loads(place.fs.cat_file(place.path("failed", f"{name}.json")))
        notes.append(f"Not replayed: {failure['trace']}: {failure['error']}")
    files: list[Path] | None = None
    if traces is not None:
        given = [traces] if isinstance(traces, (str, os.PathLike)) else list(traces)
        files = [file for each in given for file in trace_files(Path(each))]
        scenarios = scenarios or (Path(given[0]) if Path(given[0]).is_dir() else Path(given[0]).parent) / "scenarios"
    with _scratch.make("merge") as scratch:
        root = Path(place.root)
        if not place.is_local:
            root = Path(scratch, "out")
            for folder in ("parts", "observations"):
                if place.has(folder):
                    place.fs.get(place.path(folder), str(root / folder), recursive=True)
        if not (root / "parts").is_dir():
            raise OptionsError(f"{url}: holds no parts", hint="name the folder that browserlens.ray.replay wrote into")
        store = root / "observations"
        return merge_parts(
            root / "parts",
            Path(runs),
            Path(scratch, "cache"),
            observations=store if store.is_dir() else None,
            traces=files,
            scenarios_dir=Path(scenarios) if scenarios else None,
            notes=notes,
        )
