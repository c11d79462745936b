"""Strategies written in Python, in a replay on this machine."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import mine_lister
import pyarrow as pa
import pytest
from browserlens.errors import OptionsError, TraceError
from browserlens.replay import Run, replay, select
from browserlens.strategy import Declared, declare

TRACES = Path(__file__).parents[3] / "traces"
TRACE = TRACES / "login-wrong-then-right.trace"


def rows(run: Run) -> list[dict]:
    return pa.table(run.measurements).to_pylist()


def of(run: Run, strategy: str) -> list[dict]:
    return [row for row in rows(run) if row["strategy"] == strategy]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Every strategy of the tests beside one of the bundled ones, over one trace."""
    out = tmp_path_factory.mktemp("runs")
    classes = [getattr(mine_lister, name) for name in ("Lister", "Raises", "NeverStarts", "Garbage", "Hangs", "Dies")]
    return replay(TRACE, ["lens/full", *classes], out)


def test_a_class_is_measured_like_any_other_strategy(run: Run) -> None:
    own, bundled = of(run, "mine/lister"), of(run, "lens/full")
    assert len(own) == len(bundled) > 3
    assert all(row["error"] is None and row["text_o200k"] > 0 and row["refs_shown"] > 0 for row in own)
    assert all(row["target_resolved"] in (True, None) for row in own)
    assert any(row["target_resolved"] for row in own), "its refs are checked against the page"
    text = run.observation("login/wrong-then-right", "mine/lister", 0)
    assert text is not None and "[ref=e1]" in text
    assert "this is no answer" not in text, "what it prints is no answer"


def test_one_that_raises_loses_the_step_alone(run: Run) -> None:
    found = of(run, "mine/raises")
    assert [row["step"] for row in found if row["error"]] == [1]
    assert "ValueError: no such thing (mine_lister.py, line " in found[1]["error"]


def test_one_that_does_not_start_says_why_at_every_step(run: Run) -> None:
    found = of(run, "mine/never-starts")
    assert found and all("RuntimeError: no goal" in row["error"] for row in found)


def test_garbage_is_an_error_of_its_step(run: Run) -> None:
    errors = [row["error"] for row in of(run, "mine/garbage")]
    assert all(errors)
    assert "observe returned NoneType: expected a text or an Observation" in errors[0]
    assert "observe returned int" in errors[1]
    assert "a text that is int" in errors[2]


def test_one_that_hangs_is_ended_and_the_rest_goes_on(run: Run) -> None:
    found = of(run, "mine/hangs")
    assert found[0]["error"] is None
    assert "1" in found[1]["error"] and all(row["error"] for row in found[1:])
    assert not [row for row in of(run, "lens/full") if row["error"]]
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert "mine_lister.py:Hangs" not in listed, "its process is gone"


def test_one_that_dies_is_a_row_that_says_so(run: Run) -> None:
    found = of(run, "mine/dies")
    assert found and all(row["error"] for row in found)


def test_a_run_says_what_it_is(run: Run) -> None:
    assert run.traces == ["login/wrong-then-right"]
    assert run.strategies[0] == "lens/full" and len(run.strategies) == 7
    again = Run.load(run.folder)
    assert again.id == run.id and pa.table(again.measurements).equals(pa.table(run.measurements))
    assert pa.table(run.timings).num_rows == len(rows(run))


def test_a_class_is_named_by_words_and_takes_options(tmp_path: Path) -> None:
    class Short(mine_lister.Lister):
        options = {"limit": 2}

    words = f"{mine_lister.__file__}:Lister"
    found = replay(TRACE, words, tmp_path)
    assert found.strategies == ["mine/lister"]
    declared = declare(words)
    assert declared.name == "mine/lister" and set(declared.files) == {"mine_lister.py", "browserlens_strategy.py"}
    assert 'options = {"limit" = 2}' in options_of(Short)


def options_of(cls: type) -> str:
    cls.__qualname__ = "Lister"
    declared: Declared = declare(cls)
    return declared.toml


def test_the_same_source_is_the_same_strategy_everywhere(tmp_path: Path) -> None:
    copy = tmp_path / "mine_lister.py"
    copy.write_bytes(Path(mine_lister.__file__).read_bytes())
    assert declare(f"{copy}:Lister") == declare(mine_lister.Lister), "nothing in it tells the machine or the folder"


def test_what_is_no_strategy_is_refused_with_a_remedy(tmp_path: Path) -> None:
    class Half:
        def start(self, task: object) -> None: ...

    with pytest.raises(TypeError, match="no method 'observe'"):
        select([Half])
    with pytest.raises(OptionsError, match="no strategy matches 'lens/nothing'") as raised:
        select(["lens/nothing"])
    assert "lens/full" in raised.value.hint
    with pytest.raises(OptionsError, match="own"):
        taken = tmp_path / "taken.py"
        taken.write_text(
            "class Taken:\n    name = 'lens/mine'\n    def start(self, task): ...\n"
            "    def observe(self, step): return ''\n"
        )
        replay(TRACE, f"{taken}:Taken", tmp_path)


def test_a_trace_that_cannot_be_read_is_an_exception_with_its_place(tmp_path: Path) -> None:
    broken = tmp_path / "broken.trace"
    broken.write_bytes(TRACE.read_bytes()[:5000])
    with pytest.raises(TraceError) as raised:
        replay(broken, "lens/full", tmp_path)
    assert raised.value.place.file == str(broken) and raised.value.hint


def test_a_class_without_a_file_is_sent_by_value(tmp_path: Path) -> None:
    if not any(importlib.util.find_spec(name) for name in ("cloudpickle", "ray")):
        pytest.skip("classes without a file need cloudpickle")
    script = (
        "import sys\n"
        "from browserlens.replay import replay\n"
        "class Here:\n"
        "    name = 'mine/here'\n"
        "    def start(self, task): pass\n"
        "    def observe(self, step): return step.page.title or 'untitled'\n"
        "print(replay(sys.argv[1], Here, sys.argv[2]).observation('login/wrong-then-right', 'mine/here', 0))\n"
    )
    said = subprocess.run(
        [sys.executable, "-c", script, str(TRACE), str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert said.stdout.strip()
