"""Measures what Python adds to an observation of the shop's listing: `measure_overhead.py BESIDE [PAIRS]`; exit 1 if the bar is missed.

One Chromium, one page, pairs in turn: a live lens of Rust, attached for the purpose, observes it for the first time, then one of Python over Playwright.
Compared is what is left when the wait for the browser is the same for both: `(Python - its transport + Rust's wait) / Rust`, the median of the pairs. Playwright's
transport (calls through its driver, answers as Python objects) is told apart. BESIDE is the example `beside` of `browserlens-live`, built as the wheel is.
"""

from __future__ import annotations

import json
import socket
import statistics
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))

import pyarrow
from bundled_site import Site, chromium
from playwright.sync_api import sync_playwright

from browserlens import CHROMIUM_ARGS, BrowserLens

MOST = 1.1


def main() -> int:
    beside, pairs = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 15
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    site = Site("shop")
    with sync_playwright() as playwright:
        args = [*CHROMIUM_ARGS, "--no-sandbox", f"--remote-debugging-port={port}"]
        browser = playwright.chromium.launch(executable_path=chromium(), args=args, timeout=120_000)
        context = browser.new_context(viewport={"width": 1280, "height": 800})
        context.route("**/*", site.route)
        page = context.new_page()
        page.goto(f"{site.url}search", wait_until="networkidle", timeout=120_000)
        cdp = context.new_cdp_session(page)
        target = cdp.send("Target.getTargetInfo")["targetInfo"]["targetId"]
        cdp.detach()
        rows = []
        with subprocess.Popen(
            [beside, "--attach", f"http://127.0.0.1:{port}", target], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as rust:
            assert rust.stdin and rust.stdout
            for _ in range(pairs + 1):
                rust.stdin.write("\n")
                rust.stdin.flush()
                there = json.loads(rust.stdout.readline())
                with BrowserLens() as lens:
                    lens.attend(page)
                    here = lens.observe(page)
                    row = pyarrow.table(lens.measurements()).to_pylist()[-1]
                if here.text != there["text"]:
                    print("the observations differ")
                    return 1
                own = row["total_us"] - row["transport_us"]
                rows.append((row["total_us"], row["transport_us"], own, there["total_us"], there["browser_us"], row["calls"], len(here.text)))
            rust.stdin.close()
        browser.close()
    rows = rows[1:]
    median = lambda values: statistics.median(values) / 1e3  # noqa: E731
    ratios = [(own + wait) / total for _, _, own, total, wait, _, _ in rows]
    print(
        f"shop listing, {rows[0][6]} characters, {len(rows)} pairs, medians: "
        f"Rust {median(r[3] for r in rows):.1f} ms, of it {median(r[4] for r in rows):.1f} waiting for the browser; "
        f"Python {median(r[0] for r in rows):.1f} ms, of it {median(r[1] for r in rows):.1f} in Playwright's transport ({rows[0][5]} calls), {median(r[2] for r in rows):.1f} its own"
    )
    print(f"overhead of Python, the transport aside: {statistics.median(ratios):.3f} (bar {MOST}; {min(ratios):.3f} to {max(ratios):.3f})")
    print(f"with Playwright's transport: {statistics.median(r[0] / r[3] for r in rows):.2f}")
    return 0 if statistics.median(ratios) <= MOST else 1


if __name__ == "__main__":
    sys.exit(main())
