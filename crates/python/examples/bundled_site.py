"""Serves a bundled site to Playwright without a server: requests are answered from its folder.

In: the name of a site below `traces/sites`. Out: a handler for `context.route`. Invariant: nothing else is
answered, so nothing leaves the machine.
"""

from __future__ import annotations

import mimetypes
import shutil
import sys
import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

SITES = Path(__file__).resolve().parents[3] / "traces" / "sites"


def chromium() -> str:
    """Where the system's Chromium is."""
    for name in ("chromium", "chromium-browser", "google-chrome", "chrome"):
        if found := shutil.which(name):
            return found
    sys.exit("no Chromium is on PATH")


class Site:
    """One bundled site."""

    def __init__(self, name: str) -> None:
        self.folder = SITES / name
        self.told = tomllib.loads((self.folder / "site.toml").read_text(encoding="utf-8"))
        self.url = f"http://{self.told['hosts'][0]}/"

    def answer(self, method: str, url: str) -> dict[str, Any]:
        """What the site answers to a request, as `Route.fulfill` takes it."""
        path = unquote(urlsplit(url).path)
        for route in self.told.get("route", []):
            if route["path"] == path and route.get("method", "GET") == method:
                body = (self.folder / route["file"]).read_bytes() if "file" in route else route.get("body", "")
                content_type = route.get("type", "text/html; charset=utf-8")
                return {"status": route.get("status", 200), "content_type": content_type, "body": body}
        below = (
            SITES / "_shared" / path.removeprefix("/_shared/")
            if path.startswith("/_shared/")
            else self.folder / path.strip("/")
        )
        for file in (below, below.with_name(below.name + ".html"), below / "index.html"):
            if file.is_file() and file.resolve().is_relative_to(SITES) and file.name != "site.toml":
                kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
                return {"status": 200, "content_type": kind, "body": file.read_bytes()}
        return {"status": 404, "content_type": "text/html", "body": "<!doctype html><title>404</title><p>Not found</p>"}

    def route(self, route: Any) -> Any:
        """Answers a request of Playwright's synchronous or asynchronous API."""
        request = route.request
        return route.fulfill(**self.answer(request.method, request.url))
