"""What agents did, from records of their runs: rows for a table, and two sets of runs side by side.

In: ``*.run`` files, as ``browserlens agents import`` writes them. Out: dicts, which polars and pandas make a
table of. ``browserlens agents`` prints the same numbers with their intervals.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ._native import agent_runs
from .errors import OptionsError

__all__ = ["compare", "runs"]

#: What is compared: second ÷ first, geometric means over tasks.
COMPARED = ("calls", "answered", "read", "new")


def runs(
    places: str | os.PathLike[str] | Iterable[str | os.PathLike[str]], *, encoding: str = "o200k_base"
) -> list[dict[str, Any]]:
    """One dict a run of these records, or of the records of these folders: who did what, and what it cost.

    Tokens are ``answered`` (the tool's answers), ``read`` (the context summed over the turns) and ``new`` (of
    that, read for the first time); ``errors`` counts refused calls by kind.
    """
    named = [Path(places)] if isinstance(places, (str, os.PathLike)) else [Path(each) for each in places]
    files: list[str | os.PathLike[str]] = []
    for place in named:
        found = sorted(place.glob("*.run")) if place.is_dir() else [place]
        if not found:
            raise OptionsError(
                f"{place}: holds no run record",
                hint="turn transcripts into records: browserlens agents import FILE --out FOLDER",
            )
        files += found
    return agent_runs(files, encoding)


def compare(first: Sequence[dict[str, Any]], second: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Two sets of runs on the tasks that both have; of several runs of a task the mean counts.

    ``success`` counts the tasks that both finish, the first alone, the second alone, neither, of those that were
    judged in every run; ``ratios`` are second ÷ first, geometric means over tasks, None where a number is 0.
    """

    def by_task(rows: Sequence[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
        tasks: dict[str, list[dict[str, Any]]] = {}
        for row in rows:
            tasks.setdefault(row["task"], []).append(row)
        return tasks

    one, other = by_task(first), by_task(second)
    both = sorted(one.keys() & other.keys())
    success = {"both": 0, "first": 0, "second": 0, "neither": 0}
    names = {(True, True): "both", (True, False): "first", (False, True): "second", (False, False): "neither"}
    for task in both:
        if all(row["success"] is not None for row in one[task] + other[task]):
            success[names[all(row["success"] for row in one[task]), all(row["success"] for row in other[task])]] += 1

    def ratio(column: str) -> float | None:
        def mean(rows: list[dict[str, Any]]) -> float:
            return float(sum(row[column] for row in rows)) / len(rows)

        pairs = [(mean(other[task]), mean(one[task])) for task in both]
        if not pairs or any(a == 0 or b == 0 for a, b in pairs):
            return None
        return math.exp(sum(math.log(a / b) for a, b in pairs) / len(pairs))

    return {
        "tasks": both,
        "only_first": sorted(one.keys() - other.keys()),
        "only_second": sorted(other.keys() - one.keys()),
        "success": success,
        "ratios": {column: ratio(column) for column in COMPARED},
    }
