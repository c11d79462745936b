"""Measures a wheel: its size, and how long a fresh Python takes to import it. `measure_wheel.py WHEEL PYTHON`; exit 1 if a bar is missed.

The import is timed in processes of their own, without the start of Python itself; the median of nine after one that warms the files up.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
from pathlib import Path

MOST_BYTES = 30_000_000
MOST_MS = 150.0
CODE = "import time; began = time.perf_counter(); import browserlens; print((time.perf_counter() - began) * 1e3)"


def main() -> int:
    wheel, python = Path(sys.argv[1]), sys.argv[2]
    times = [float(subprocess.check_output([python, "-I", "-c", CODE], text=True)) for _ in range(10)][1:]
    size, millis = wheel.stat().st_size, statistics.median(times)
    print(f"wheel: {size / 1e6:.1f} MB (bar {MOST_BYTES / 1e6:.0f}); import: {millis:.1f} ms (bar {MOST_MS:.0f}; {min(times):.1f} to {max(times):.1f})")
    return 0 if size < MOST_BYTES and millis < MOST_MS else 1


if __name__ == "__main__":
    sys.exit(main())
