"""Folders and buckets: listed, read from, written to.

In: URLs and paths that fsspec opens. Out: names, files of this machine, errors in words. Invariants: a file
is written whole or not at all; what the network or another machine may have spoilt is tried again, what is
not there or not allowed is not.
"""

from __future__ import annotations

import os
import posixpath
import time
import uuid
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import fsspec  # type: ignore[import-untyped,import-not-found,unused-ignore]

from ._native import scenario_of
from .errors import BrowserLensError

#: How long to wait before what was not reached is tried again, in seconds, doubled each time.
FIRST_WAIT = 0.5
#: Folders of recordings that only knowledge is made of.
VARIANTS = "variants"


class Place:
    """A folder of a file system; its parts are named by paths below it."""

    def __init__(self, url: str, options: dict[str, Any]) -> None:
        self.fs, self.root = fsspec.core.url_to_fs(url, **options)
        self.is_local = "file" in (self.fs.protocol if isinstance(self.fs.protocol, tuple) else (self.fs.protocol,))

    def path(self, *parts: str) -> str:
        return posixpath.join(self.root, *parts)

    def put(self, content: bytes, *parts: str) -> None:
        """Writes a file whole or not at all."""
        path = self.path(*parts)
        if not self.is_local:
            tried(lambda: self.fs.pipe_file(path, content))
            return
        os.makedirs(os.path.dirname(path), exist_ok=True)
        # Not by the process id alone: another machine, or container, may have the same one.
        temporary = Path(posixpath.dirname(path), f".{posixpath.basename(path)}.{uuid.uuid4().hex}.tmp")
        try:
            temporary.write_bytes(content)
            os.replace(temporary, path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise

    def has(self, *parts: str) -> bool:
        """Tells whether a file or a folder is there now."""
        self.fs.invalidate_cache()
        return bool(tried(lambda: self.fs.exists(self.path(*parts))))

    def names(self, folder: str, suffix: str) -> set[str]:
        """Lists the files of a folder by name, without the suffix."""
        # What a file system remembers of a folder is not what other machines have written since.
        self.fs.invalidate_cache()
        try:
            found = self.fs.ls(self.path(folder), detail=False)
        except FileNotFoundError:
            return set()
        names = (posixpath.basename(path) for path in found)
        return {name.removesuffix(suffix) for name in names if name.endswith(suffix) and not name.startswith(".")}


def tried(work: Callable[[], Any], times: int = 4) -> Any:
    """Tries again what other machines or the network may have spoilt; what is not there or not allowed stays so."""
    wait = FIRST_WAIT
    for left in reversed(range(times)):
        try:
            return work()
        except (FileNotFoundError, PermissionError, IsADirectoryError, NotADirectoryError):
            raise
        except Exception:
            if not left:
                raise
            time.sleep(wait)
            wait *= 2
    raise AssertionError("unreachable")


def words(error: BaseException) -> tuple[str, str]:
    """Returns what happened and what to try."""
    if isinstance(error, BrowserLensError):
        return error.text, error.hint
    return f"{type(error).__name__}: {error}", "check the place and its access rights, and run again"


def listed(place: str, options: dict[str, Any]) -> list[str]:
    """Returns the URLs of the traces of a place, sorted."""
    fs, root = fsspec.core.url_to_fs(place, **options)
    if root.endswith(".trace"):
        if not tried(lambda: fs.exists(root)):
            raise FileNotFoundError(f"{place}: no such trace")
        return [place]
    if not tried(lambda: fs.exists(root)):
        raise FileNotFoundError(f"{place}: no such folder")
    base = root.rstrip("/")
    found = sorted(
        path
        for path in tried(lambda: fs.find(base))
        if path.endswith(".trace") and VARIANTS not in path[len(base) :].split("/")[:-1]
    )
    if not found:
        raise FileNotFoundError(f"{place}: no trace (*.trace) here")
    return [fs.unstrip_protocol(path) if "://" in place else path for path in found]


class Fetched:
    """A trace, what lies beside it and its scenario, as files of this machine."""

    def __init__(self, item: dict[str, Any], options: dict[str, Any], folder: str) -> None:
        fs, path = fsspec.core.url_to_fs(item["trace"], **options)
        local = "file" in (fs.protocol if isinstance(fs.protocol, tuple) else (fs.protocol,))
        if local:
            self.trace = Path(path)
        else:
            self.trace = Path(folder, posixpath.basename(path))
            tried(lambda: fs.get_file(path, str(self.trace)))
            beside = path.removesuffix(".trace") + ".peers"
            try:
                tried(lambda: fs.get_file(beside, str(self.trace.with_suffix(".peers"))))
            except FileNotFoundError:
                pass
        scenarios_fs, scenarios = fsspec.core.url_to_fs(item["scenarios"], **options)
        if "file" in (scenarios_fs.protocol if isinstance(scenarios_fs.protocol, tuple) else (scenarios_fs.protocol,)):
            self.scenarios = Path(scenarios)
            return
        self.scenarios = Path(folder, "scenarios")
        name = scenario_of(self.trace)
        there = self.scenarios / f"{name}.toml"
        there.parent.mkdir(parents=True, exist_ok=True)
        # Questions stand beside a scenario.
        for suffix in (".toml", ".ask.toml"):
            try:
                tried(
                    partial(
                        scenarios_fs.get_file, posixpath.join(scenarios, name + suffix), str(there.with_suffix(suffix))
                    )
                )
            except FileNotFoundError:
                pass
