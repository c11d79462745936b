"""The lens over Playwright: `observe`, `expand`, `snapshot`, `read_text`, `inspect`.

In: pages of Playwright's synchronous or asynchronous API. Out: observations, texts, pages. Invariants: pages
are read by the same code as a browser of the command line is, over one CDP session a page; nothing of the
browser is set, resized or closed; with an asynchronous page every method returns an awaitable, with a
synchronous one the result.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ._native import Lens as _Lens
from ._native import Observation, Table, looks
from .errors import OptionsError, PageError

if TYPE_CHECKING:
    import asyncio

#: Flags for Chromium with which pages are read fastest: roles and names without the whole accessibility tree.
CHROMIUM_ARGS = ["--enable-blink-features=ComputedAccessibilityInfo"]

#: Events that are listened to.
_EVENTS = (
    "Page.frameAttached",
    "Page.frameDetached",
    "Page.frameNavigated",
    "Page.navigatedWithinDocument",
    "Page.frameRequestedNavigation",
    "Page.frameStartedNavigating",
    "Page.frameStartedLoading",
    "Page.frameStoppedLoading",
    "Page.javascriptDialogOpening",
    "Page.javascriptDialogClosed",
    "Runtime.executionContextCreated",
    "Runtime.executionContextDestroyed",
    "Runtime.executionContextsCleared",
    "Runtime.consoleAPICalled",
    "Runtime.exceptionThrown",
    "Log.entryAdded",
    "Network.requestWillBeSent",
    "Network.requestWillBeSentExtraInfo",
    "Network.responseReceived",
    "Network.responseReceivedExtraInfo",
    "Network.dataReceived",
    "Network.loadingFinished",
    "Network.loadingFailed",
    "Inspector.targetCrashed",
)

#: Longest wait for calls before the event loop or Playwright is given a turn, in seconds.
_TURN = 0.25

_CLOSED = "open a page and observe that"


def _reason(error: BaseException) -> str:
    """The browser's own words, without Playwright's."""
    text = str(error).splitlines()[0] if str(error) else type(error).__name__
    return text.split("): ", 1)[1] if "Protocol error (" in text and "): " in text else text


def _is_closed(error: BaseException) -> bool:
    return (
        type(error).__name__ == "TargetClosedError"
        or "Target page, context or browser has been closed" in str(error)
    )


class _Link:
    """One page and the sessions for it and for its frames in other processes."""

    def __init__(self, number: int, page: Any, cdp: Any, is_async: bool) -> None:
        self.page = page
        self.cdp = cdp
        self.name = f"page{number}"
        self.is_async = is_async
        self.is_added = False
        self.is_gone = False
        self.target = ""
        self.frames: dict[int, tuple[str, Any]] = {}
        self.asked: set[int] = set()

    def closed(self) -> PageError:
        from .errors import Place

        url = str(getattr(self.page, "url", "")) or None
        return PageError("the page is closed", Place(url=url), _CLOSED)


class Transport:
    """What Playwright's CDP transport took in one piece of work."""

    def __init__(self) -> None:
        #: Calls sent.
        self.calls = 0
        self._spent = 0.0
        self._open = 0
        self._since = 0.0

    @property
    def seconds(self) -> float:
        """Seconds in which at least one call was under way."""
        # What is asked for last may be under way when the page is told.
        return self._spent + (time.perf_counter() - self._since if self._open else 0.0)

    def _begin(self) -> None:
        if self._open == 0:
            self._since = time.perf_counter()
        self._open += 1
        self.calls += 1

    def _end(self) -> None:
        self._open -= 1
        if self._open == 0:
            self._spent += time.perf_counter() - self._since


#: Tokens that an observation has at most unless told otherwise; the same as of the server.
DEFAULT_BUDGET = 2_000


class BrowserLens:
    """One reader of a browser: what it was shown, its refs, its place in the events.

    `strategy` is one of the family `lens/*`; `options` are its options. `budget` limits every observation to
    so many tokens; what is left out has a mark that `expand` brings, and `None` shows everything. A budget
    among the options wins. `bodies` keeps the bodies of answers for `inspect`: each costs a call.
    """

    def __init__(
        self,
        options: Mapping[str, Any] | None = None,
        *,
        strategy: str = "lens/delta",
        budget: int | None = DEFAULT_BUDGET,
        bodies: bool = False,
    ) -> None:
        chosen = dict(options or {})
        if budget is not None:
            chosen.setdefault("budget", budget)
        try:
            text = json.dumps(chosen)
        except (TypeError, ValueError) as error:
            raise OptionsError(f"options: {error}", hint="give what JSON can hold") from None
        self._native = _Lens(strategy, text, 1280, 800, 1.0, bodies)
        self._links: dict[int, _Link] = {}
        self._pages = 0
        self._sessions: dict[str, Any] = {}
        self._sending: set[asyncio.Task[None]] = set()
        self._busy = threading.Lock()
        self._turn: asyncio.Lock | None = None
        self._rows: list[dict[str, Any]] = []
        #: What Playwright's transport took in the last piece of work.
        self.transport = Transport()

    # What an agent calls.

    def observe(self, page: Any, *, full: bool = False, action: tuple[str, str] | None = None) -> Any:
        """Shows the page: in full first, then what changed. `full` shows everything again; `action` is what was
        just done, such as `("click", "")`, for strategies that say so.
        """
        return self._on(page, {"do": "observe", "full": full, "action": action})

    def expand(self, handle: str, first: int | None = None, last: int | None = None) -> Observation:
        """Shows what an elided mark of the last observation stands for, `@m3`; `first` and `last` are
        items of a list, counted from 1.
        """
        return self._alone({"do": "expand", "handle": handle, "from": first, "to": last})  # type: ignore[no-any-return]

    def attend(self, page: Any) -> Any:
        """Listens to a page from now on, so that the first observation tells what happened before it."""
        return self._on(page, {"do": "attend"})

    def page(self, page: Any) -> Any:
        """Reads the page as it stands, as a `Page`."""
        return self._on(page, {"do": "page"})

    def point(self, page: Any, ref: str) -> Any:
        """Scrolls to the element of a ref and returns where its middle is in the viewport, `(x, y)` in
        CSS px, for Playwright's mouse.
        """
        return self._on(page, {"do": "node", "reference": ref}, self._middle)

    def snapshot(
        self,
        page: Any,
        mode: str | None = None,
        *,
        format: str | None = None,
        grep: str | None = None,
        ignore_case: bool = False,
        invert: bool = False,
        fixed_strings: bool = False,
        context: int = 0,
        selector: str | None = None,
        max_depth: int | None = None,
        max_length: int | None = None,
        include_hidden: bool = False,
        include_links: bool = False,
        include_images: bool = False,
        refs: str | None = None,
    ) -> Any:
        """Lists what can be acted on (`interactive`), how the page is built (`outline`) or what it says
        (`content`); refs are those of the observations.

        `grep` searches paths, roles and text of every line; `context` adds so many lines before and after.
        `max_length` is the most characters a section of content; what is left is told. `refs` is `lens`
        (`@e5`) or `seed` (`@ref:5`).
        """
        options = {
            "mode": mode,
            "format": format,
            "grep": grep,
            "ignore_case": ignore_case,
            "invert": invert,
            "fixed_strings": fixed_strings,
            "context": context,
            "selector": selector,
            "max_depth": max_depth,
            "max_length": max_length,
            "include_hidden": include_hidden,
            "include_links": include_links,
            "include_images": include_images,
            "refs": refs,
        }
        return self._on(page, {"do": "snapshot", "options": options})

    def read_text(
        self,
        page: Any,
        query: str | None = None,
        *,
        section: str | None = None,
        graph: bool = False,
        limit: int | None = None,
        offset: int = 0,
        within: int | None = None,
        min_relevance: float | None = None,
        chars: int = 20_000,
        skip: int = 0,
    ) -> Any:
        """Reads the page's text: all of it, a section, or what answers a query; with `within`, what lies so many
        steps around a section or query in the content graph. At most `chars` characters (0 for all); what is
        left out is told, with how to go on.
        """
        job = {"query": query, "section": section, "graph": graph, "limit": limit, "offset": offset}
        more = {"within": within, "min_relevance": min_relevance, "chars": chars, "skip": skip}
        return self._on(page, {"do": "read_text", "reading": {**job, **more}})

    def inspect(self, page: Any, what: str, **query: Any) -> Any:
        """Asks the `console`, the `network`, the `dom`, `html`, `text` or a `summary`; arguments are those of
        the tools of the same names. Returns a dict.
        """
        tools = {
            "console": "get_console_messages",
            "network": "get_network_requests",
            "dom": "get_dom_snapshot",
            "html": "get_html",
            "text": "get_text",
            "summary": "get_summary",
        }
        if what not in tools:
            raise OptionsError(f"{what!r} cannot be inspected", hint=f"use one of {', '.join(tools)}")
        return self._on(page, {"do": "inspect", "tool": tools[what], "query": query}, json.loads)

    def measurements(self) -> Table:
        """An Arrow table, one row an observation: step, URL, kind, how the page was read,
        representation, images, tokens, calls, and microseconds in all, in compiled code, waiting for
        the browser and in Playwright's transport.
        """
        return looks(self._rows)

    def close(self) -> None:
        """Ends the lens; pages stay open."""
        self._native.close()
        self._links.clear()
        self._sessions.clear()

    def __enter__(self) -> BrowserLens:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> BrowserLens:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    # How work is done.

    def _on(self, page: Any, job: dict[str, Any], then: Any = None) -> Any:
        # Not imported before it is needed: it takes longer than all the rest.
        from inspect import iscoroutinefunction

        if iscoroutinefunction(getattr(page, "title", None)):
            return self._on_async(page, job, then)
        return self._on_sync(page, job, then)

    @staticmethod
    def _middle(found: tuple[list[list[float]], dict[str, float] | None]) -> tuple[float, float]:
        quads, frame = found
        if not quads:
            raise PageError("the element has no box", hint="observe again: it may be hidden now")
        quad = quads[0]
        left, top = (frame["x"], frame["y"]) if frame else (0.0, 0.0)
        return left + sum(quad[0::2]) / 4, top + sum(quad[1::2]) / 4

    def _done(self, result: Any, began: float) -> Any:
        if isinstance(result, Observation) and result.kind != "answer":
            total, timings = time.perf_counter() - began, result.timings
            self._rows.append({
                "step": result.step,
                "url": result.url,
                "kind": result.kind,
                "way": result.way,
                "representation": result.representation,
                "images": len(result.images),
                "tokens": result.tokens(),
                "calls": self.transport.calls,
                "total_us": round(total * 1e6),
                "native_us": timings.get("total", 0),
                "browser_us": timings.get("browser", 0),
                "transport_us": round(self.transport.seconds * 1e6),
            })
        return result

    def _alone(self, job: dict[str, Any]) -> Any:
        """Work that asks no browser."""
        with self._busy:
            self._native.begin(json.dumps(job))
            while self._native.wait(_TURN) is not None:
                pass
            return self._native.result()

    def _link(self, page: Any, cdp: Any, is_async: bool) -> _Link:
        self._pages += 1
        link = _Link(self._pages, page, cdp, is_async)
        self._links[id(page)] = link
        self._listen(link.name, cdp)
        page.on("close", lambda *_: setattr(link, "is_gone", True))
        return link

    def _forget(self, link: _Link) -> PageError:
        """Forgets a page that is closed, and says that it is."""
        if self._links.pop(id(link.page), None) is not None:
            for name in [*(name for name, _ in link.frames.values()), link.name]:
                self._sessions.pop(name, None)
                self._native.begin(json.dumps({"do": "remove_session", "session": name}))
                while self._native.wait(_TURN) is not None:
                    pass
                self._native.result()
        return link.closed()

    def _listen(self, name: str, cdp: Any) -> None:
        self._sessions[name] = cdp
        for event in _EVENTS:
            cdp.on(event, lambda params, event=event: self._native.event(name, event, params))

    # Synchronous pages.

    def _on_sync(self, page: Any, job: dict[str, Any], then: Any) -> Any:
        with self._busy:
            began = time.perf_counter()
            self.transport = Transport()
            link = self._links.get(id(page))
            if page.is_closed():
                raise self._forget(link or _Link(0, page, None, False))
            try:
                if link is None:
                    link = self._link(page, page.context.new_cdp_session(page), False)
                self._meet_sync(link)
                result = self._work_sync({**job, "session": link.name})
                if job["do"] == "node":
                    session, backend = json.loads(result)
                    cdp, node = self._sessions[session], {"backendNodeId": backend}
                    self._send_sync(cdp, "DOM.scrollIntoViewIfNeeded", node)
                    quads = self._send_sync(cdp, "DOM.getContentQuads", node)["quads"]
                    frame = next(
                        (frame for frame in page.frames if link.frames.get(id(frame), ("",))[0] == session), None
                    )
                    result = (quads, frame.frame_element().bounding_box() if frame else None)
            except Exception as error:
                if link is not None and (link.is_gone or page.is_closed()) or _is_closed(error):
                    raise self._forget(link or _Link(0, page, None, False)) from error
                raise
            return self._done(then(result) if then else result, began)

    def _send_sync(self, cdp: Any, method: str, params: dict[str, Any]) -> Any:
        transport = self.transport
        transport._begin()
        try:
            return cdp.send(method, params)
        finally:
            transport._end()

    def _meet_sync(self, link: _Link) -> None:
        """Tells the lens of the page and of its frames in other processes. Its one call also brings the
        events that came before it.
        """
        info = self._send_sync(link.cdp, "Target.getTargetInfo", {})["targetInfo"]
        if not link.is_added:
            self._work_sync({"do": "add_page", "session": link.name, "target": info["targetId"], "url": info["url"]})
            link.is_added = True
        for frame in list(link.page.frames)[1:]:
            if id(frame) in link.asked:
                continue
            link.asked.add(id(frame))
            try:
                cdp = link.page.context.new_cdp_session(frame)
            except Exception:  # It has no process of its own: Playwright says so by an error alone.
                continue
            name = f"{link.name}.{len(link.frames)}"
            self._listen(name, cdp)
            link.frames[id(frame)] = (name, cdp)
            tree = self._send_sync(cdp, "Page.getFrameTree", {})["frameTree"]["frame"]
            parent = link.frames.get(id(frame.parent_frame), (link.name, None))[0]
            job = {"do": "add_frame", "parent": parent, "session": name, "target": tree["id"], "url": tree["url"]}
            self._work_sync(job)

    def _work_sync(self, job: dict[str, Any]) -> Any:
        native = self._native
        native.begin(json.dumps(job))
        try:
            while (calls := native.wait(_TURN)) is not None:
                for number, session, method, params in calls:
                    cdp = self._sessions.get(session or "")
                    if cdp is None:
                        native.refuse(number, "no such session")
                        continue
                    try:
                        answer = self._send_sync(cdp, method, params)
                    except Exception as error:
                        native.refuse(number, _reason(error))
                    else:
                        native.answer(number, answer)
        except BaseException:
            native.give_up()
            raise
        return native.result()

    # Asynchronous pages.

    async def _on_async(self, page: Any, job: dict[str, Any], then: Any) -> Any:
        import asyncio

        self._turn = self._turn or asyncio.Lock()
        async with self._turn:
            began = time.perf_counter()
            self.transport = Transport()
            link = self._links.get(id(page))
            if page.is_closed():
                raise self._forget(link or _Link(0, page, None, True))
            try:
                if link is None:
                    link = self._link(page, await page.context.new_cdp_session(page), True)
                await self._meet_async(link)
                result = await self._work_async({**job, "session": link.name})
                if job["do"] == "node":
                    session, backend = json.loads(result)
                    cdp, node = self._sessions[session], {"backendNodeId": backend}
                    await self._send_async(cdp, "DOM.scrollIntoViewIfNeeded", node)
                    quads = (await self._send_async(cdp, "DOM.getContentQuads", node))["quads"]
                    frame = next(
                        (frame for frame in page.frames if link.frames.get(id(frame), ("",))[0] == session), None
                    )
                    box = await (await frame.frame_element()).bounding_box() if frame else None
                    result = (quads, box)
            except Exception as error:
                if link is not None and (link.is_gone or page.is_closed()) or _is_closed(error):
                    raise self._forget(link or _Link(0, page, None, True)) from error
                raise
            return self._done(then(result) if then else result, began)

    async def _send_async(self, cdp: Any, method: str, params: dict[str, Any]) -> Any:
        transport = self.transport
        transport._begin()
        try:
            return await cdp.send(method, params)
        finally:
            transport._end()

    async def _meet_async(self, link: _Link) -> None:
        info = (await self._send_async(link.cdp, "Target.getTargetInfo", {}))["targetInfo"]
        if not link.is_added:
            job = {"do": "add_page", "session": link.name, "target": info["targetId"], "url": info["url"]}
            await self._work_async(job)
            link.is_added = True
        for frame in list(link.page.frames)[1:]:
            if id(frame) in link.asked:
                continue
            link.asked.add(id(frame))
            try:
                cdp = await link.page.context.new_cdp_session(frame)
            except Exception:  # As above.
                continue
            name = f"{link.name}.{len(link.frames)}"
            self._listen(name, cdp)
            link.frames[id(frame)] = (name, cdp)
            tree = (await self._send_async(cdp, "Page.getFrameTree", {}))["frameTree"]["frame"]
            parent = link.frames.get(id(frame.parent_frame), (link.name, None))[0]
            job = {"do": "add_frame", "parent": parent, "session": name, "target": tree["id"], "url": tree["url"]}
            await self._work_async(job)

    async def _carry(self, number: int, session: str | None, method: str, params: dict[str, Any]) -> None:
        cdp = self._sessions.get(session or "")
        if cdp is None:
            self._native.refuse(number, "no such session")
            return
        try:
            answer = await self._send_async(cdp, method, params)
        except Exception as error:
            self._native.refuse(number, _reason(error))
        else:
            self._native.answer(number, answer)

    async def _work_async(self, job: dict[str, Any]) -> Any:
        import asyncio

        native, loop = self._native, asyncio.get_running_loop()
        native.begin(json.dumps(job))
        try:
            while (calls := await loop.run_in_executor(None, native.wait, _TURN)) is not None:
                for call in calls:
                    task = loop.create_task(self._carry(*call))
                    self._sending.add(task)
                    task.add_done_callback(self._sending.discard)
        except BaseException:
            # Also when the task that waits is cancelled.
            native.give_up()
            raise
        return native.result()


__all__ = ["CHROMIUM_ARGS", "BrowserLens", "Transport"]
