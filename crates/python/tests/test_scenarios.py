"""Every step of the bundled scenarios, observed through Playwright and by a live lens of Rust at the same
moment: the same, to the letter.

The recorder carries the scenario out; `beside` (an example of `browserlens-session`) observes each page and waits while
Playwright, attached to the same browser, observes it too. `BROWSERLENS_SCENARIOS=all` runs all of them, else a few.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from conftest import ROOT, TRACES

from browserlens import BrowserLens

BESIDE = os.environ.get("BROWSERLENS_BESIDE", str(ROOT / "target/debug/examples/beside"))
ALL = sorted(
    path for path in (TRACES / "scenarios").glob("*/*.toml") if not path.name.endswith((".ask.toml", ".exam.toml"))
)
FEW = ("newsletter-signup", "wrong-then-right", "sign-off-a-release")

pytestmark = pytest.mark.browser


def chosen() -> list[Path]:
    if os.environ.get("BROWSERLENS_SCENARIOS") == "all":
        return ALL
    return [path for path in ALL if path.stem in FEW]


def page_of(browser: Any, target: str) -> Any:
    for context in browser.contexts:
        for page in context.pages:
            cdp = context.new_cdp_session(page)
            found = cdp.send("Target.getTargetInfo")["targetInfo"]["targetId"]
            cdp.detach()
            if found == target:
                return page
    raise AssertionError(f"Playwright has no page {target}")


def test_there_are_scenarios() -> None:
    assert len(ALL) >= 14


@pytest.mark.skipif(not Path(BESIDE).exists(), reason="cargo build -p browserlens-session --example beside")
@pytest.mark.parametrize("scenario", chosen(), ids=lambda path: path.stem)
def test_observations_are_those_of_the_live_lens(scenario: Path, playwright: Any) -> None:
    command = [BESIDE, str(scenario)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as beside:
        assert beside.stdin and beside.stdout
        lens, browser, pages, steps, rows = BrowserLens(budget=None), None, {}, 0, []
        try:
            for line in beside.stdout:
                told = json.loads(line)
                if "end" in told:
                    assert told["error"] is None, told["error"]
                    break
                assert "error" not in told, told
                if browser is None:
                    browser = playwright.chromium.connect_over_cdp(told["address"], timeout=120_000)
                target = told["target"]
                if target not in pages:
                    pages[target] = page_of(browser, target)
                if told["step"] < 0:
                    # From here on both hear the same events.
                    lens.attend(pages[target])
                else:
                    mine = lens.observe(pages[target])
                    assert mine.text == told["text"], f"step {told['step']}: {mine.way}, there {told['way']}"
                    assert mine.kind == told["kind"]
                    assert [image.base64() for image in mine.images] == told["images"], f"images of step {told['step']}"
                    steps += 1
                    last = pyarrow.table(lens.measurements()).to_pylist()[-1]
                    rows.append((told["total_us"], told["browser_us"], last["total_us"], last["transport_us"]))
                beside.stdin.write("\n")
                beside.stdin.flush()
        finally:
            beside.kill()
    print(f"{scenario.stem}: {steps} steps, {rows}")
    assert steps > 1
