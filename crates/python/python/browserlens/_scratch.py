"""Folders for what a process writes in passing, of which none outlives its use for long.

In: nothing. Out: folders below the system's folder for temporary files. Invariants: what a process wrote here
is removed when it ends, and where it was killed, by the next process that asks for a folder on that machine;
nothing of a process that runs is touched.

Why a lock on a file and not the id of the process in the name: ids are given again, and mean
something else in a container.
"""

from __future__ import annotations

import atexit
import fcntl
import os
import shutil
import tempfile
import time
from pathlib import Path

#: Folders of processes at work.
PREFIX = "browserlens-worker-"
#: Folders of processes that have not locked theirs yet, and for how long they may be at it, in seconds.
NEW, LATEST = ".browserlens-worker-", 600.0
LOCK = "lock"

#: The folder of this process, the file that is locked, and the process: one that was forked off has a
#: folder of its own.
_mine: tuple[Path, int, int] | None = None


def folder() -> Path:
    """The folder of this process."""
    global _mine
    if _mine is None or _mine[2] != os.getpid():
        below = Path(tempfile.gettempdir())
        sweep(below)
        made = Path(tempfile.mkdtemp(prefix=NEW, dir=below))
        held = os.open(made / LOCK, os.O_CREAT | os.O_RDWR, 0o600)
        fcntl.flock(held, fcntl.LOCK_EX)
        mine = below / (PREFIX + made.name.removeprefix(NEW))
        made.rename(mine)
        _mine = (mine, held, os.getpid())
        atexit.register(_end, _mine)
    return _mine[0]


def make(what: str) -> tempfile.TemporaryDirectory[str]:
    """A folder in that of this process, removed when it is no longer used."""
    return tempfile.TemporaryDirectory(prefix=f"{what}-", dir=folder())


def _end(mine: tuple[Path, int, int]) -> None:
    if os.getpid() == mine[2]:
        shutil.rmtree(mine[0], ignore_errors=True)


def sweep(below: Path) -> list[Path]:
    """Removes the folders of processes that are gone; returns those."""
    gone = []
    for path in below.glob(f"{NEW}*"):
        try:
            late = time.time() - path.stat().st_mtime > LATEST
        except FileNotFoundError:
            continue
        if late:
            gone.append(path)
    for path in below.glob(f"{PREFIX}*"):
        try:
            held = os.open(path / LOCK, os.O_RDWR)
        except OSError:  # Another one removes it, or it is somebody else's.
            continue
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            continue
        else:
            gone.append(path)
        finally:
            os.close(held)
    for path in gone:
        shutil.rmtree(path, ignore_errors=True)
    return gone
