"""The examples run, and show what they are there for."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import greenlet
import playwright
import pytest
from conftest import ROOT

import browserlens

EXAMPLES = ROOT / "crates/python/examples"
#: The Python that has browser-use, and the packages that it sees.
CLIENTS = os.environ.get("BROWSERLENS_CLIENTS", str(ROOT / ".tools/peers/venv/bin/python"))

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def run(code: str, python: str = sys.executable) -> str:
    # The package and Playwright alone, not what is installed beside them: the other Python has packages of its own.
    alone = EXAMPLES / ".alone"
    alone.mkdir(exist_ok=True)
    for package in (browserlens, greenlet, playwright):
        folder = Path(package.__file__).parent
        link = alone / folder.name
        if link.is_symlink():
            link.unlink()
        link.symlink_to(folder)
    env = {**os.environ, "PYTHONPATH": f"{EXAMPLES}{os.pathsep}{alone}"}
    done = subprocess.run([python, "-c", code], env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


def test_the_loop_observes_acts_and_sees_what_changed() -> None:
    said = json.loads(
        run("import asyncio, json, shop_loop; print(json.dumps(asyncio.run(shop_loop.main())))").splitlines()[-1]
    )
    first, typed, listing = said
    assert first.startswith("[FULL PAGE STATE 0]") and typed.startswith("[DELTA") and len(typed) < len(first) / 4
    assert "laptop" in typed
    assert "search" in listing.splitlines()[0] and "142" in listing or "laptop" in listing.lower()


def test_one_observation_is_a_message_of_both_apis() -> None:
    out = run("import json, chat_messages; print(json.dumps(chat_messages.main()))")
    openai, anthropic = json.loads(out.splitlines()[-1])
    assert [message["role"] for message in openai] == ["system", "user"]
    text, *images = openai[1]["content"]
    assert text["type"] == "text" and "[FULL PAGE STATE 0" in text["text"]
    assert images and all(image["image_url"]["url"].startswith("data:image/png;base64,") for image in images)
    assert [block["type"] for block in anthropic["messages"][0]["content"]] == ["image"] * len(images) + ["text"]
    assert anthropic["messages"][0]["content"][-1]["text"] == text["text"]
    assert anthropic["system"][0]["text"] == openai[0]["content"]


@pytest.mark.skipif(not Path(CLIENTS).exists(), reason="scripts/install-peers browser-use")
def test_browser_use_shows_its_model_our_observation() -> None:
    code = "import asyncio, json, browser_use_state; print(json.dumps(asyncio.run(browser_use_state.main())))"
    first, second = json.loads(run(code, CLIENTS).splitlines()[-1])
    assert 'button "Add to cart" @e' in first and "[FULL PAGE STATE 0]" in first
    assert "]<button" not in first, "its own list of elements is not there"
    assert "In the cart" in second, "the action took our ref"
