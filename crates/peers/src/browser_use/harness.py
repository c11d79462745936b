"""browser-use 0.13.14: the text about the page that its agent puts into the prompt, without the screenshot.

In: `BrowserSession.get_browser_state_summary`, which waits for nothing in the page's main world. Out:
`AgentMessagePrompt`'s description. Its event loop runs in a thread of its own, also between observations, because it
follows the browser's events.
"""

import asyncio
import importlib.metadata
import re
import threading
import time


def attach(endpoint: str, viewport: dict, target: str, folder: str) -> "BrowserUse":
    return BrowserUse(endpoint, target, folder)


class BrowserUse:
    version = importlib.metadata.version("browser-use")

    def __init__(self, endpoint: str, target: str, folder: str):
        from browser_use.agent.prompts import AgentMessagePrompt
        from browser_use.browser import BrowserProfile, BrowserSession
        from browser_use.browser.watchdogs.aboutblank_watchdog import AboutBlankWatchdog
        from browser_use.browser.watchdogs.popups_watchdog import PopupsWatchdog

        # No setting turns these two off: one draws an animation into blank tabs, the other answers every dialog, which
        # is the recorder's to do.
        for watchdog in (AboutBlankWatchdog, PopupsWatchdog):
            watchdog.attach_to_session = lambda self: None
        self._prompt = AgentMessagePrompt
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        profile = BrowserProfile(
            # It starts no browser here; "headful without a viewport" is what makes it leave the page's size alone.
            headless=False,
            no_viewport=True,
            keep_alive=True,
            highlight_elements=False,
            dom_highlight_elements=False,
            captcha_solver=False,
            downloads_path=f"{folder}/work",
        )
        self._session = BrowserSession(cdp_url=endpoint, browser_profile=profile)
        self._run(self._start(target))

    def _run(self, work, limit: float = 50):
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(limit)

    async def _start(self, target: str) -> None:
        await self._session.start()
        await self._session.get_or_create_cdp_session(target, focus=True)

    def observe(self) -> dict:
        began = time.perf_counter_ns()
        state = self._run(self._session.get_browser_state_summary(include_screenshot=False))
        prompt = self._prompt(browser_state_summary=state, file_system=None)
        text = prompt._get_browser_state_description()
        micros = (time.perf_counter_ns() - began) // 1000
        if error := getattr(state, "state_error", None):
            raise RuntimeError(error)
        refs = []
        for index in dict.fromkeys(re.findall(r"\[(\d+)\]", text)):
            node = state.dom_state.selector_map.get(int(index))
            if node is not None:
                # The frame of the document that holds the node, where the tool knows it.
                refs.append([index, node.backend_node_id, self._frame(node)])
        return {"outputs": [{"variant": "dom", "text": text, "micros": micros, "refs": refs}]}

    @staticmethod
    def _frame(node) -> str:
        while node is not None:
            if node.node_name in ("HTML", "html") and node.frame_id:
                return node.frame_id
            parent = node.parent_node
            # A frame's document knows its id; so does the element that holds it.
            if parent is not None and parent.node_name.upper() in ("IFRAME", "FRAME"):
                return parent.frame_id or ""
            node = parent
        return ""
