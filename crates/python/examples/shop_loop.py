"""A loop on the bundled shop with real Playwright: observe, choose a ref from the text, act, observe what changed.

A model would stand where `choose` stands. Run: `python shop_loop.py`.
"""

from __future__ import annotations

import asyncio
import re

from bundled_site import Site, chromium
from playwright.async_api import Page, async_playwright

from browserlens import CHROMIUM_ARGS, BrowserLens


def choose(text: str, said: str) -> str:
    """The ref behind a text, as a model would read it; in a folded row a ref is a number behind a bar."""
    found = re.search(re.escape(said) + r"[^\n]*?(@e[0-9.]+)", text)
    if not found:
        raise SystemExit(f"{said!r} is not shown")
    return found.group(1)


async def main() -> list[str]:
    site = Site("shop")
    said: list[str] = []
    async with async_playwright() as playwright:
        args = [*CHROMIUM_ARGS, "--no-sandbox"]
        browser = await playwright.chromium.launch(executable_path=chromium(), args=args)
        context = await browser.new_context(viewport={"width": 1280, "height": 800})
        await context.route("**/*", site.route)
        page: Page = await context.new_page()
        async with BrowserLens(budget=8000) as lens:
            await page.goto(site.url)
            first = await lens.observe(page)
            said.append(first.text)
            print(f"{first.kind}: {first.tokens()} tokens")
            search = choose(first.text, 'textbox "Search"')

            # A ref is a point on the page for Playwright's mouse.
            await page.mouse.click(*await lens.point(page, search))
            await page.keyboard.type("laptop")
            typed = await lens.observe(page, action=("type", "laptop"))
            said.append(typed.text)
            print(f"{typed.kind}: {typed.tokens()} tokens\n{typed.text}")

            await page.keyboard.press("Enter")
            await page.wait_for_url("**/search**")
            listing = await lens.observe(page, action=("press", "Enter"))
            said.append(listing.text)
            print(f"{listing.kind}: {listing.tokens()} tokens")
            print(await lens.read_text(page, "how long is the warranty", limit=1))
            print((await lens.inspect(page, "summary"))["message"])
        await browser.close()
    return said


if __name__ == "__main__":
    asyncio.run(main())
