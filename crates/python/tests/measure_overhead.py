"""Measures what Python adds to an observation of the shop's listing: `measure_overhead.py BESIDE
[PAIRS]`; exit 1 if the bar is missed.

One Chromium, one page, pairs in turn, for Playwright's synchronous and asynchronous API: a live lens of Rust,
attached for the purpose, observes it for the first time, then one of Python over Playwright. Compared is what
is left when the wait for the browser is the same for both: `(Python - its transport + Rust's wait) / Rust`,
the median of the pairs; waiting is the time in which at least one call is under way. Playwright's transport
(calls through its driver, answers as Python objects) is told apart. BESIDE is the example `beside` of
`browserlens-session`, built as the wheel is.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import socket
import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))

import pyarrow
from bundled_site import Site, chromium
from playwright.async_api import async_playwright
from playwright.sync_api import sync_playwright

from browserlens import CHROMIUM_ARGS, BrowserLens

MOST = 1.1
SITE = Site("shop")
VIEW = {"width": 1280, "height": 800}


def launch() -> tuple[str, dict[str, Any]]:
    """The address of a browser, and how it is launched."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    args = [*CHROMIUM_ARGS, "--no-sandbox", f"--remote-debugging-port={port}"]
    return f"http://127.0.0.1:{port}", {"executable_path": chromium(), "args": args, "timeout": 120_000}


class Rust:
    """A program that observes a tab when it is told to."""

    def __init__(self, program: subprocess.Popen[str]) -> None:
        self.program = program

    def observe(self) -> dict[str, Any]:
        assert self.program.stdin and self.program.stdout
        self.program.stdin.write("\n")
        self.program.stdin.flush()
        return json.loads(self.program.stdout.readline())  # type: ignore[no-any-return]


@contextmanager
def rust(beside: str, address: str, target: str) -> Iterator[Rust]:
    with subprocess.Popen(
        [beside, "--attach", address, target], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as program:
        yield Rust(program)
        assert program.stdin
        program.stdin.close()


def compared(there: dict[str, Any], here: Any, lens: BrowserLens) -> dict[str, Any]:
    if here.text != there["text"]:
        sys.exit("the observations differ")
    row = pyarrow.table(lens.measurements()).to_pylist()[-1]
    own = row["total_us"] - row["transport_us"]
    return {
        **row,
        "own_us": own, "rust_us": there["total_us"], "wait_us": there["browser_us"], "characters": len(here.text),
        "ratio": (own + there["browser_us"]) / there["total_us"],
    }  # fmt: skip


def synchronous(beside: str, pairs: int) -> list[dict[str, Any]]:
    rows = []
    address, how = launch()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**how)
        context = browser.new_context(viewport=VIEW)
        context.route("**/*", SITE.route)
        page = context.new_page()
        page.goto(f"{SITE.url}search", wait_until="networkidle", timeout=120_000)
        cdp = context.new_cdp_session(page)
        target = cdp.send("Target.getTargetInfo")["targetInfo"]["targetId"]
        cdp.detach()
        with rust(beside, address, target) as there:
            for _ in range(pairs + 1):
                told = there.observe()
                with BrowserLens() as lens:
                    lens.attend(page)
                    rows.append(compared(told, lens.observe(page), lens))
        browser.close()
    return rows[1:]


async def asynchronous(beside: str, pairs: int) -> list[dict[str, Any]]:
    rows = []
    address, how = launch()

    async def answer(route: Any) -> None:
        done = SITE.route(route)
        assert inspect.isawaitable(done)
        await done

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(**how)
        context = await browser.new_context(viewport=VIEW)
        await context.route("**/*", answer)
        page = await context.new_page()
        await page.goto(f"{SITE.url}search", wait_until="networkidle", timeout=120_000)
        cdp = await context.new_cdp_session(page)
        target = (await cdp.send("Target.getTargetInfo"))["targetInfo"]["targetId"]
        await cdp.detach()
        with rust(beside, address, target) as there:
            for _ in range(pairs + 1):
                # Nothing else is under way meanwhile: the loop may stand still.
                told = there.observe()
                async with BrowserLens() as lens:
                    await lens.attend(page)
                    rows.append(compared(told, await lens.observe(page), lens))
        await browser.close()
    return rows[1:]


def main() -> int:
    beside, pairs = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 15
    missed = 0
    for api, rows in (
        ("synchronous", synchronous(beside, pairs)),
        ("asynchronous", asyncio.run(asynchronous(beside, pairs))),
    ):
        middle = {name: statistics.median(row[name] for row in rows) / 1e3 for name in rows[0] if name.endswith("_us")}
        ratios = [row["ratio"] for row in rows]
        ratio = statistics.median(ratios)
        missed += ratio > MOST
        print(
            f"{api} Playwright, shop listing, {rows[0]['characters']} characters, {len(rows)} pairs, medians: "
            f"Rust {middle['rust_us']:.1f} ms, of it {middle['wait_us']:.1f} waiting for the browser; "
            f"Python {middle['total_us']:.1f} ms, of it {middle['transport_us']:.1f} in Playwright's transport "
            f"({rows[0]['calls']} calls), {middle['own_us']:.1f} its own"
        )
        print(
            f"overhead of Python, the transport aside: {ratio:.3f} (bar {MOST}; {min(ratios):.3f} to {max(ratios):.3f})"
        )
        print(f"with Playwright's transport: {statistics.median(row['total_us'] / row['rust_us'] for row in rows):.2f}")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
