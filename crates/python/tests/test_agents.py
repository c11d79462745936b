"""Records of runs as rows, and two sets of them side by side."""

from __future__ import annotations

from pathlib import Path

import pytest

from browserlens import agents
from browserlens.errors import OptionsError, TraceError

RUNS = Path(__file__).parents[3] / "traces" / "runs-miniwob"


def of(tool: str) -> list[dict[str, object]]:
    return [row for row in agents.runs(RUNS) if str(row["tool"]).startswith(tool)]


def test_the_rows_are_those_of_the_command() -> None:
    ours = of("browserlens")
    assert len(agents.runs(RUNS)) == 36 and len(ours) == 12
    assert sum(bool(row["success"]) for row in ours) == 10
    # As the command tells them: 9.8 calls and 9,813 tokens read a run.
    assert round(sum(row["calls"] for row in ours) / 12, 1) == 9.8
    assert round(sum(row["read"] for row in ours) / 12) == 9_813


def test_two_sets_are_paired_by_task() -> None:
    compared = agents.compare(of("browserlens"), of("@playwright"))
    assert len(compared["tasks"]) == 12 and compared["only_first"] == []
    assert sum(compared["success"].values()) == 12
    assert compared["ratios"]["calls"] > 1.0
    assert agents.compare([], of("browserlens"))["ratios"]["read"] is None


def test_what_cannot_be_read_says_why(tmp_path: Path) -> None:
    with pytest.raises(OptionsError, match="holds no run record"):
        agents.runs(tmp_path)
    wrong = tmp_path / "a.run"
    wrong.write_text("{}")
    with pytest.raises(TraceError, match="no run record"):
        agents.runs(wrong)
