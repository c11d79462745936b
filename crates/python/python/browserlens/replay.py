"""Replay on this machine: strategies over recorded pages, without browser, network or model.

In: traces, strategies (names and patterns of the bundled ones or of a file, and classes of your own). Out: a
stored :class:`Run`, which ``browserlens bench --from`` makes a report of.
"""

from __future__ import annotations

import datetime
import fnmatch
import os
import platform
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from ._native import Run, Strategies, replay_traces, trace_files
from .errors import OptionsError
from .strategy import declare, load

__all__ = ["Run", "Selected", "replay", "select"]



class Selected(NamedTuple):
    """Strategies that can be built anywhere: texts, files that lie beside the second of them, and names."""

    #: The text of the file of strategies; None for the bundled one.
    text: str | None
    #: Where it stands.
    path: str
    #: ``[[external]]`` tables of classes.
    classes: str
    #: The files that these need.
    files: dict[str, bytes]
    #: What is replayed.
    names: list[str]

    def build(self, folder: str | os.PathLike[str], names: list[str] | None = None) -> Strategies:
        """Builds the strategies; the files of classes are written into ``folder``."""
        path_of_python()
        for name, content in self.files.items():
            Path(folder, name).write_bytes(content)
        sources: list[tuple[str | None, str | os.PathLike[str]]] = [
            (self.text, self.path),
            (self.classes, Path(folder, "strategies.toml")),
        ]
        return Strategies(sources, self.names if names is None else names)


def path_of_python() -> None:
    """Lets ``python3`` mean this Python: strategies of other machines have the same command, and the same cache key."""
    folder = os.path.dirname(sys.executable)
    path = os.environ.get("PATH", "")
    if folder and path.split(os.pathsep)[0] != folder:
        os.environ["PATH"] = folder + os.pathsep + path


def _is_class(each: str) -> bool:
    """Tells ``file.py:Class`` from a strategy's name, which may have a colon too."""
    place, colon, _ = each.rpartition(":")
    return bool(colon) and (place.endswith(".py") or "/" not in place)


def select(
    strategies: str | type | Iterable[str | type], strategies_file: str | os.PathLike[str] | None = None
) -> Selected:
    """Chooses strategies by name, by pattern (``*`` stands for anything) and by class."""
    wanted = [strategies] if isinstance(strategies, (str, type)) else list(strategies)
    patterns = [each for each in wanted if isinstance(each, str) and not _is_class(each)]
    declared = [
        declare(load(each) if isinstance(each, str) else each)
        for each in wanted
        if not (isinstance(each, str) and not _is_class(each))
    ]
    text = Path(strategies_file).read_text(encoding="utf-8") if strategies_file else None
    path = os.path.abspath(strategies_file) if strategies_file else "strategies.toml"
    files = {name: content for each in declared for name, content in each.files.items()}
    for each in declared:
        for name, content in each.files.items():
            if files[name] != content:
                raise OptionsError(
                    f"{name}: two strategies come from different files of this name",
                    hint="give one of the files another name",
                )
    names: list[str] = []
    if patterns:
        known = Strategies([(text, Path(path))]).names
        for pattern in patterns:
            if not fnmatch.filter(known, pattern):
                raise OptionsError(f"no strategy matches {pattern!r}", hint=f"known: {', '.join(known)}")
        names = [name for name in known if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)]
    names += [each.name for each in declared]
    return Selected(text, path, "\n".join(each.toml for each in declared), files, names)


def now() -> str:
    """The time, as timing rows have it."""
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def machine() -> str:
    """This machine, as timing rows have it."""
    return f"{os.cpu_count()} × {platform.processor() or platform.machine()}, {sys.platform}"


def replay(
    traces: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    strategies: str | type | Iterable[str | type] = "lens/*",
    out: str | os.PathLike[str] = "reports/runs",
    *,
    scenarios: str | os.PathLike[str] | None = None,
    strategies_file: str | os.PathLike[str] | None = None,
    cache: str | os.PathLike[str] | None = None,
    threads: int = 0,
    encoding: str = "o200k_base",
) -> Run:
    """Replays strategies over the traces of a folder, or over these files, and stores the run below ``out``.

    Scenarios are looked for in ``scenarios`` below the folder of the traces, unless another is named. Results
    are kept in ``cache``, where one is named.
    """
    places = [Path(traces)] if isinstance(traces, (str, os.PathLike)) else [Path(each) for each in traces]
    files = [file for place in places for file in trace_files(place)]
    folder = places[0] if places and places[0].is_dir() else (places[0].parent if places else Path())
    selected = select(strategies, strategies_file)
    with tempfile.TemporaryDirectory(prefix="browserlens-") as scratch:
        beside = Path(scratch, "strategies")
        beside.mkdir()
        return replay_traces(
            files,
            selected.build(beside),
            Path(scenarios) if scenarios else folder / "scenarios",
            Path(out),
            Path(cache) if cache else Path(scratch, "cache"),
            threads=threads,
            encoding=encoding,
            date=now(),
            machine=machine(),
        )
