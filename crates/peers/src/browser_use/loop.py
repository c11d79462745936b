"""browser-use's own loop: its agent, with its settings, asks the model that a loopback endpoint stands for.

In: one JSON object on standard input with goal, start, endpoint, chrome and steps. Out: nothing; what the endpoint is
asked is the record. The judge that reads a finished run is left out: it does not act.
"""

import asyncio
import json
import sys


async def main(told: dict) -> None:
    from browser_use import Agent, BrowserProfile, BrowserSession
    from browser_use.llm.openai.chat import ChatOpenAI

    model = ChatOpenAI(model=told["model"], base_url=told["endpoint"], api_key="none")
    profile = BrowserProfile(headless=True, executable_path=told["chrome"], chromium_sandbox=False)
    task = f"{told['goal']}\nIt begins at {told['start']}"
    agent = Agent(task=task, llm=model, browser_session=BrowserSession(browser_profile=profile), use_judge=False)
    await agent.run(max_steps=told["steps"])


asyncio.run(main(json.load(sys.stdin)))
