"""What the tests share: the system's Chromium, a page, the repository."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

# A home of the tests' own, before anything is started: nothing of whoever runs them is read or written.
HOME = tempfile.TemporaryDirectory(prefix="browserlens-home-", ignore_cleanup_errors=True)
for name in [name for name in os.environ if name.startswith("XDG_")]:
    del os.environ[name]
os.environ["HOME"] = HOME.name

ROOT = Path(__file__).resolve().parents[3]
TRACES = ROOT / "traces"
sys.path.insert(0, str(ROOT / "crates/python/examples"))

from bundled_site import chromium  # noqa: E402

from browserlens import CHROMIUM_ARGS  # noqa: E402

PRODUCTS = "".join(
    f'<li><a href="/p/{n}">Laptop {n}</a> <span>${n * 7 + 500}</span> <button>Add {n} to cart</button></li>'
    for n in range(40)
)
# A backslash keeps a line end out of the page.
SHOP = f"""<!doctype html><title>Shop</title><header><nav><a href="/">Home</a></nav></header><main><h1>Laptops</h1>
<label>Search <input name=q></label>\
<button id=go onclick="document.querySelector('#said').textContent = 'Nothing found'">Go</button>
<p id=said>Enter a term</p><ul>{PRODUCTS}</ul>\
<h2>Returns</h2><p>Send it back within thirty days and the money is paid back.</p></main>"""


def args(roles: bool = True) -> list[str]:
    return [*(CHROMIUM_ARGS if roles else []), "--no-sandbox"]


@pytest.fixture(scope="session")
def playwright() -> Iterator[Any]:
    """Playwright's synchronous API: a thread can have it once."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="session")
def browser(playwright: Any) -> Iterator[Any]:
    browser = playwright.chromium.launch(executable_path=chromium(), args=args(), timeout=120_000)
    yield browser
    browser.close()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(120_000)
    context.route("http://shop.test/**", lambda route: route.fulfill(body=SHOP, content_type="text/html"))
    page = context.new_page()
    yield page
    context.close()


@pytest.fixture
def shop(page: Any) -> Any:
    page.goto("http://shop.test/")
    return page
