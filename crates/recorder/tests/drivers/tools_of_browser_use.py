"""An agent without a model: browser-use's own tools, called one after the other. In: ENDPOINT URL THINK_SECONDS FILE
FOLDER."""

import asyncio
import os
import sys
import traceback

endpoint, url, think, file, folder = sys.argv[1:]
os.environ.update(
    ANONYMIZED_TELEMETRY="false", BROWSER_USE_CLOUD_SYNC="false", BROWSER_USE_VERSION_CHECK="false", HOME=folder
)
os.environ.update(BROWSER_USE_LOGGING_LEVEL="warning", NO_PROXY="*", no_proxy="*")

from browser_use.browser import BrowserProfile, BrowserSession  # noqa: E402
from browser_use.filesystem.file_system import FileSystem  # noqa: E402
from browser_use.tools.service import Tools  # noqa: E402


async def main() -> None:
    profile = BrowserProfile(
        headless=False, no_viewport=True, keep_alive=True, highlight_elements=False, captcha_solver=False
    )
    session = BrowserSession(cdp_url=endpoint, browser_profile=profile)
    await session.start()
    tools = Tools()

    async def index(id: str) -> int:
        await session.get_browser_state_summary(include_screenshot=False)
        for number, node in (await session.get_selector_map()).items():
            if node.attributes.get("id") == id:
                return number
        raise SystemExit(f"no element {id} in the tool's list")

    async def act(tool: str, **params) -> None:
        extra = {"available_file_paths": [file], "file_system": FileSystem(folder)} if tool == "upload_file" else {}
        result = await getattr(tools, tool)(browser_session=session, **params, **extra)
        if result.error:
            raise SystemExit(f"{tool}: {result.error}")
        await asyncio.sleep(float(think))

    await act("navigate", url=url, new_tab=False)
    await act("input", index=await index("name"), text="Ann Lee", clear=True)
    await act("input", index=await index("secret"), text="hunter2-and-more", clear=True)
    await act("select_dropdown", index=await index("size"), text="Large")
    await act("click", index=await index("terms"))
    await act("upload_file", index=await index("file"), path=file)
    await act("click", index=await index("inner"))
    await act("scroll", down=True, pages=0.5)
    await act("click", index=await index("next"))
    await act("go_back")
    await act("send_keys", keys="Escape")
    os._exit(0)


# Its threads would keep a program alive that only returns.
try:
    asyncio.run(main())
except BaseException:
    traceback.print_exc()
    sys.stderr.flush()
    os._exit(1)
