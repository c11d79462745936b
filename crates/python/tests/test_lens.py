"""The lens over real Playwright pages, synchronous and asynchronous."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import duckdb
import polars
import pyarrow
import pytest
from bundled_site import chromium
from conftest import SHOP, args

from browserlens import BrowserLens, InspectError, OptionsError, PageError, StrategyError

pytestmark = pytest.mark.browser


def ref_of(text: str, said: str) -> str:
    found = re.search(re.escape(said) + r"[^\n]*?(@e[0-9.]+)", text)
    assert found, f"{said!r} is not shown in {text}"
    return found.group(1)


def test_the_first_observation_is_full_and_the_next_says_what_changed(shop: Any) -> None:
    lens = BrowserLens()
    first = lens.observe(shop)
    assert first.kind == "full" and first.text.startswith("[FULL PAGE STATE 0] Shop | http://shop.test/")
    shop.click("#go")
    second = lens.observe(shop, action=("click", ""))
    assert second.kind == "delta" and "Nothing found" in second.text
    assert len(second.text) < len(first.text) / 3
    assert lens.observe(shop).way == "unchanged"
    again = lens.observe(shop, full=True)
    assert again.kind == "full" and "Nothing found" in again.text


def test_measurements_are_an_arrow_table_that_stays_as_it_was(shop: Any) -> None:
    lens = BrowserLens()
    none = pyarrow.table(lens.measurements())
    shown = [lens.observe(shop) for _ in range(2)]
    looks = lens.measurements()
    by_arrow, by_polars = pyarrow.table(looks), polars.DataFrame(looks)
    rows = by_arrow.to_pylist()
    assert none.num_rows == 0 and none.schema == by_arrow.schema
    assert [row["kind"] for row in rows] == ["full", "delta"] and [row["step"] for row in rows] == [0, 1]
    assert [row["way"] for row in rows] == [each.way for each in shown] and rows[1]["way"] == "unchanged"
    assert by_polars["tokens"].to_list() == [each.tokens() for each in shown]
    assert rows[0]["url"] == "http://shop.test/" and rows[0]["calls"] > 2
    assert all(0 < row["transport_us"] < row["total_us"] for row in rows)
    assert duckdb.sql("select max(total_us) from looks").fetchall() == [(max(row["total_us"] for row in rows),)]
    twice = [pyarrow.table(looks).column("total_us").chunk(0).buffers()[1].address for _ in range(2)]
    assert twice[0] == twice[1], "both look at the same memory"
    lens.observe(shop)
    assert len(looks) == 2 and len(lens.measurements()) == 3


def test_a_ref_is_acted_on_where_its_element_is(shop: Any) -> None:
    lens = BrowserLens()
    first = lens.observe(shop)
    shop.mouse.click(*lens.point(shop, ref_of(first.text, 'button "Go"')))
    assert shop.inner_text("#said") == "Nothing found"
    with pytest.raises(PageError, match="was not shown in this session") as caught:
        lens.point(shop, "@e9999")
    assert caught.value.hint.startswith("use a ref of the last observation")


def test_what_is_left_out_is_expanded(shop: Any) -> None:
    lens = BrowserLens(budget=150)
    first = lens.observe(shop)
    assert first.tokens() <= 150
    handle = re.search(r"@m\d+", first.text)
    assert handle
    more = lens.expand(handle.group(0))
    assert more.kind == "answer" and more.text
    with pytest.raises(StrategyError) as caught:
        lens.expand("@m999")
    assert caught.value.hint


def test_snapshots_have_the_refs_of_observations(shop: Any) -> None:
    lens = BrowserLens()
    ref = ref_of(lens.observe(shop).text, 'button "Go"')
    assert ref.removeprefix("@e") in lens.snapshot(shop, "interactive", grep="Go|go|main")
    assert "Laptops" in lens.snapshot(shop, "outline")
    assert lens.snapshot(shop, "content", selector="h2").count("Laptop 3") == 0
    assert lens.observe(shop).way == "unchanged", "a snapshot tells the reader nothing"


def test_text_is_read_and_asked(shop: Any) -> None:
    lens = BrowserLens()
    assert "Send it back within thirty days" in lens.read_text(shop)
    assert "thirty days" in lens.read_text(shop, "how long can I return something", limit=1)


def test_console_network_and_dom_are_inspected(shop: Any) -> None:
    lens = BrowserLens()
    lens.observe(shop)
    shop.evaluate("console.error('out of stock')")
    shop.evaluate("fetch('/api/stock').then(r => r.text())")
    console = lens.inspect(shop, "console")
    assert [row["text"] for row in console["data"]] == ["out of stock"]
    assert any("/api/stock" in row["url"] for row in lens.inspect(shop, "network")["data"])
    assert "Laptops" in str(lens.inspect(shop, "dom", selector="h1"))
    with pytest.raises(InspectError) as caught:
        lens.inspect(shop, "console", pageSize="many")
    assert caught.value.hint.startswith("correct the field")
    with pytest.raises(OptionsError):
        lens.inspect(shop, "cookies")


def test_two_pages_are_one_readers_and_their_refs_stay_apart(shop: Any) -> None:
    lens = BrowserLens()
    first = lens.observe(shop)
    other = shop.context.new_page()
    other.goto("http://shop.test/other")
    other.evaluate("document.title = 'Other'")
    second = lens.observe(other)
    assert "http://shop.test/other" in second.text
    mine, others = set(first.refs.values()), set(second.refs.values())
    assert not mine & others, "nodes of two pages have keys of their own"
    assert "Shop" in lens.observe(shop, full=True).text.splitlines()[0]


def test_a_frame_of_another_site_is_read(page: Any) -> None:
    page.context.route(
        "http://pay.test/**", lambda route: route.fulfill(body="<button>Pay now</button>", content_type="text/html")
    )
    page.goto("http://shop.test/")
    page.evaluate(
        "document.body.insertAdjacentHTML('afterbegin', '<iframe src=http://pay.test/ title=Payment></iframe>')"
    )
    page.frame_locator("iframe").get_by_text("Pay now").wait_for()
    lens = BrowserLens()
    shown = lens.observe(page)
    ref = ref_of(shown.text, 'button "Pay now"')
    x, y = lens.point(page, ref)
    box = page.frame_locator("iframe").get_by_text("Pay now").bounding_box()
    assert box["x"] <= x <= box["x"] + box["width"] and box["y"] <= y <= box["y"] + box["height"]


def test_a_closed_page_says_so(shop: Any) -> None:
    lens = BrowserLens()
    lens.observe(shop)
    shop.close()
    with pytest.raises(PageError) as caught:
        lens.observe(shop)
    error = caught.value
    assert (error.text, error.hint) == ("the page is closed", "open a page and observe that")
    assert error.place.url == "http://shop.test/"
    with pytest.raises(PageError, match="the page is closed"):
        lens.observe(shop)
    other = shop.context.new_page()
    other.goto("http://shop.test/")
    assert "Laptops" in lens.observe(other, full=True).text


def test_a_page_that_navigates_while_it_is_observed_is_shown_as_one_or_the_other(page: Any) -> None:
    script = (
        "let n = +location.hash.slice(1); if (n < 40) setTimeout(() => { location.href = '/' + n + '#' + (n + 1) }, 20)"
    )
    body = SHOP.replace("</main>", f"</main><script>{script}</script>")
    page.context.route("http://hop.test/**", lambda route: route.fulfill(body=body, content_type="text/html"))
    lens = BrowserLens()
    page.goto("http://hop.test/#0", wait_until="commit")
    seen = 0
    for _ in range(6):
        try:
            shown = lens.observe(page)
        except PageError as error:
            assert error.hint and error.text
        else:
            seen += 1
            assert shown.text
    page.wait_for_url("**/39#40")
    page.wait_for_load_state()
    last = lens.observe(page, full=True)
    assert last.url == "http://hop.test/39#40" and "Returns" in last.text
    assert seen, "not every look fails"


def test_a_browser_that_does_not_say_roles_is_read_all_the_same(shop: Any) -> None:
    playwright = shop.context.browser.browser_type
    with_roles = BrowserLens().observe(shop).text
    plain = playwright.launch(executable_path=chromium(), args=args(roles=False), timeout=120_000)
    try:
        context = plain.new_context(viewport={"width": 1280, "height": 800})
        context.route("**/*", lambda route: route.fulfill(body=SHOP, content_type="text/html"))
        page = context.new_page()
        page.goto("http://shop.test/", timeout=120_000)
        assert BrowserLens().observe(page).text == with_roles
    finally:
        plain.close()


def test_asynchronous_pages_say_the_same(shop: Any) -> None:
    expected = BrowserLens().observe(shop).text

    async def run() -> None:
        from playwright.async_api import async_playwright

        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=chromium(), args=args(), timeout=120_000)
            context = await browser.new_context(viewport={"width": 1280, "height": 800})
            await context.route("**/*", lambda route: route.fulfill(body=SHOP, content_type="text/html"))
            page = await context.new_page()
            await page.goto("http://shop.test/", timeout=120_000)
            async with BrowserLens() as lens:
                assert (await lens.observe(page)).text == expected
                beats = 0

                async def beat() -> None:
                    nonlocal beats
                    while True:
                        await asyncio.sleep(0.001)
                        beats += 1

                ticking = asyncio.create_task(beat())
                await page.click("#go")
                both = await asyncio.gather(lens.observe(page, full=True), lens.read_text(page))
                ticking.cancel()
                assert "Nothing found" in both[0].text and "thirty days" in both[1]
                assert beats > 5, "the event loop goes on while a page is read"
                assert (await lens.inspect(page, "summary"))["count"] >= 0
                # One that is cancelled in the middle leaves nothing behind.
                look = asyncio.ensure_future(lens.observe(page, full=True))
                # It waits for its first answer of the browser then.
                await asyncio.sleep(0)
                look.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await look
                assert (await lens.observe(page, full=True)).text.startswith("[FULL PAGE STATE")
                assert "thirty days" in await lens.read_text(page)
                await page.close()
                with pytest.raises(PageError, match="the page is closed"):
                    await lens.observe(page)
            await browser.close()

    # Playwright's synchronous API runs a loop on this thread.
    import threading

    failed: list[BaseException] = []

    def alone() -> None:
        try:
            asyncio.run(run())
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=alone)
    thread.start()
    thread.join()
    if failed:
        raise failed[0]
