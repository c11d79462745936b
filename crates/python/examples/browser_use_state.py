"""browser-use with our observation in place of its own list of elements.

Through what browser-use offers for it: a `BrowserSession` of one's own whose state has another text, and an
action of one's own that takes our refs. Our lens looks at the tab that browser-use is on through Playwright,
over the same browser. Written for browser-use 0.13.

Run: `python browser_use_state.py` with a scripted model in place of a real one; it prints what that model was shown.
"""


import asyncio
import json
import os
import tempfile
from dataclasses import replace
from typing import Any

os.environ.setdefault("ANONYMIZED_TELEMETRY", "false")
os.environ.setdefault("BROWSER_USE_LOGGING_LEVEL", "error")

from browser_use import ActionResult, Agent, BrowserProfile, BrowserSession, Tools
from browser_use.browser.views import BrowserStateSummary
from browser_use.dom.views import SerializedDOMState
from browser_use.llm.views import ChatInvokeCompletion
from bundled_site import chromium
from playwright.async_api import Page, async_playwright

from browserlens import CHROMIUM_ARGS, LEGEND, BrowserLens

PAGE = (
    "data:text/html,<title>Shop</title><main><h1>Laptops</h1>"
    "<button onclick=\"document.querySelector('p').textContent='In the cart'\">Add to cart</button>"
    "<p>Empty</p></main>"
)


class LensState(SerializedDOMState):
    """browser-use's state of a page, told in our words."""

    text = ""

    def llm_representation(self, include_attributes: list[str] | None = None) -> str:
        return self.text


class LensSession(BrowserSession):
    """browser-use's session with a lens on it."""

    async def attend(self, playwright: Any) -> None:
        """Looks at the same browser through Playwright."""
        self._seen = await playwright.chromium.connect_over_cdp(self.cdp_url)
        self._lens = BrowserLens(budget=8000)

    async def front(self) -> Page:
        """The page that browser-use is on."""
        for context in self._seen.contexts:
            for page in context.pages:
                cdp = await context.new_cdp_session(page)
                info = await cdp.send("Target.getTargetInfo")
                await cdp.detach()
                if info["targetInfo"]["targetId"] == self.agent_focus_target_id:
                    return page
        raise LookupError("browser-use is on no page")

    async def get_browser_state_summary(self, *args: Any, **named: Any) -> BrowserStateSummary:
        summary = await super().get_browser_state_summary(*args, **named)
        observation = await self._lens.observe(await self.front())
        state = LensState(_root=summary.dom_state._root, selector_map=summary.dom_state.selector_map)
        state.text = observation.text
        return replace(summary, dom_state=state)

    async def point(self, ref: str) -> tuple[float, float]:
        return await self._lens.point(await self.front(), ref)


tools = Tools(exclude_actions=["click", "input"])


@tools.action("Click the element of a ref, such as @e12")
async def click_ref(ref: str, browser_session: BrowserSession) -> ActionResult:
    page = await browser_session.get_current_page()
    x, y = await browser_session.point(ref)
    mouse = await page.mouse
    await mouse.click(int(x), int(y))
    return ActionResult(extracted_content=f"clicked {ref}")


class Scripted:
    """A model that clicks the button and is done; it keeps what it was shown."""

    model = "scripted"
    _verified_api_keys = True
    provider = name = model_name = "scripted"

    def __init__(self) -> None:
        self.shown: list[str] = []

    async def ainvoke(self, messages: list[Any], output_format: Any = None, **_: Any) -> ChatInvokeCompletion[Any]:
        self.shown.append(messages[-1].text)
        if len(self.shown) == 1:
            ref = next(word for word in self.shown[0].split() if word.startswith("@e")).strip(",")
            action: dict[str, Any] = {"click_ref": {"ref": ref}}
        else:
            action = {"done": {"text": "In the cart", "success": True}}
        said = {"evaluation_previous_goal": "", "memory": "", "next_goal": "", "thinking": "", "action": [action]}
        return ChatInvokeCompletion(completion=output_format.model_validate_json(json.dumps(said)), usage=None)


async def main() -> list[str]:
    model = Scripted()
    with tempfile.TemporaryDirectory() as folder:
        async with async_playwright() as playwright:
            profile = BrowserProfile(
                executable_path=chromium(), headless=True, user_data_dir=folder, chromium_sandbox=False,
                args=CHROMIUM_ARGS, enable_default_extensions=False, highlight_elements=False,
            )
            session = LensSession(browser_profile=profile)
            await session.start()
            await session.attend(playwright)
            await session.navigate_to(PAGE)
            agent = Agent(
                task="Put the laptop into the cart", llm=model, browser_session=session, tools=tools, use_vision=False,
                extend_system_message=LEGEND, use_judge=False,
            )
            history = await agent.run(max_steps=3)
            await session.kill()
    if not history.is_done():
        raise SystemExit(f"the agent did not end: {history.errors()}")
    return model.shown


if __name__ == "__main__":
    for shown in asyncio.run(main()):
        print(shown[shown.find("<browser_state>"):][:1500], "\n")
