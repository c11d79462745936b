"""The package is typed, and the stubs say what is there."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import browserlens
from browserlens import _native

FOLDER = Path(browserlens.__file__).parent

USE = '''
from browserlens import BrowserLens, Observation, Page, Table, Trace, TraceError

def told(path: str) -> int:
    try:
        trace = Trace(path)
    except TraceError as error:
        return len(error.hint) + (error.place.step or 0)
    page: Page = trace.page(0)
    nodes: Table = page.nodes()
    shown: list[Observation] = trace.observe()
    lens = BrowserLens({"budget": 100}, strategy="lens/delta")
    answer: Observation = lens.expand("@m1")
    rows: Table = lens.measurements()
    return len(rows) + len(nodes) + shown[0].tokens() + answer.tokens()
'''


def mypy(*arguments: str) -> str:
    done = subprocess.run([sys.executable, "-m", *arguments], capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def test_the_package_passes_the_type_checker(tmp_path: Path) -> None:
    # Not where it is installed: the checker would take what lies beside it for modules of its own.
    copy = shutil.copytree(FOLDER, tmp_path / "browserlens", ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    assert not mypy("mypy", "--strict", "--no-incremental", str(copy))


def test_a_program_that_uses_it_passes_and_a_wrong_one_does_not(tmp_path: Path) -> None:
    right, wrong = tmp_path / "right.py", tmp_path / "wrong.py"
    right.write_text(USE)
    wrong.write_text(USE.replace('trace.page(0)', 'trace.page("first")'))
    assert not mypy("mypy", "--strict", "--no-incremental", str(right))
    assert 'incompatible type "str"; expected "int"' in mypy("mypy", "--strict", "--no-incremental", str(wrong))


def test_the_stubs_say_what_the_module_has() -> None:
    assert not mypy("mypy.stubtest", "browserlens._native", "--concise", "--ignore-disjoint-bases")
    assert (FOLDER / "py.typed").exists()


def test_everything_public_is_documented() -> None:
    for name in browserlens.__all__:
        assert getattr(browserlens, name).__doc__, name
    for kind in (
        _native.Observation,
        _native.Page,
        _native.Trace,
        _native.Table,
        _native.Image,
        _native.Lens,
        browserlens.BrowserLens,
    ):
        for name, member in vars(kind).items():
            if not name.startswith("_"):
                assert getattr(member, "__doc__", None), f"{kind.__name__}.{name}"
