"""Measures a wheel as its users meet it: `measure_wheel.py WHEEL FOLDER [--given]`; exit 1 if a bar is missed.

Installs it by pip alone into a fresh environment in FOLDER and opens a page by the command that it brings. Says how
large it is (a bar only for what is given to users: `--given`), how long its import and a start of the command take
(medians of nine after one that warms the files up), and how long it is from `pip install` to the first observation.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

MOST_BYTES = 30_000_000
MOST_MS = 150.0
MOST_SECONDS = 60.0
IMPORT = "import time; began = time.perf_counter(); import browserlens; print((time.perf_counter() - began) * 1e3)"


def first_observation(wheel: Path, folder: Path) -> float:
    """Seconds from `pip install` to the first observation of a page, by two commands in a home that is empty."""
    with tempfile.TemporaryDirectory() as home:
        page = Path(home, "page.html")
        page.write_text("<title>First</title><h1>First</h1><button>Buy</button>")
        environment = {**os.environ, "HOME": home, "XDG_RUNTIME_DIR": home, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
        command = folder / "bin" / "browserlens"
        began = time.perf_counter()
        subprocess.run([folder / "bin" / "pip", "install", "--quiet", "--no-index", wheel], check=True, env=environment)
        opened = [command, "page", "open", page.as_uri()]
        try:
            told = subprocess.run(opened, check=True, env=environment, stdout=subprocess.PIPE, text=True).stdout
            seconds = time.perf_counter() - began
        finally:
            subprocess.run([command, "page", "close", "--all"], env=environment, stdout=subprocess.DEVNULL)
    assert 'button "Buy" @e' in told, told
    return seconds


def millis(command: list[str]) -> list[float]:
    """What a command prints as milliseconds, else what it takes; ten times, without the first."""
    told = []
    for _ in range(10):
        began = time.perf_counter()
        said = subprocess.check_output(command, text=True)
        took = (time.perf_counter() - began) * 1e3
        told.append(float(said) if command[-1] == IMPORT else took)
    return told[1:]


def main() -> int:
    wheel, folder, is_given = Path(sys.argv[1]), Path(sys.argv[2]), "--given" in sys.argv
    shutil.rmtree(folder, ignore_errors=True)
    venv.create(folder, with_pip=True)
    seconds = first_observation(wheel, folder)
    imported = millis([str(folder / "bin" / "python"), "-I", "-c", IMPORT])
    started = millis([str(folder / "bin" / "browserlens"), "--version"])
    size, median = wheel.stat().st_size, statistics.median(imported)
    bar = f" (bar {MOST_BYTES / 1e6:.0f})" if is_given else ""
    print(
        f"wheel: {size / 1e6:.1f} MB{bar}; "
        f"import: {median:.1f} ms (bar {MOST_MS:.0f}; {min(imported):.1f} to {max(imported):.1f})"
    )
    print(f"command: {statistics.median(started):.1f} ms to start ({min(started):.1f} to {max(started):.1f})")
    print(f"pip install and page open: {seconds:.1f} s (bar {MOST_SECONDS:.0f})")
    return 0 if (size < MOST_BYTES or not is_given) and median < MOST_MS and seconds < MOST_SECONDS else 1


if __name__ == "__main__":
    sys.exit(main())
