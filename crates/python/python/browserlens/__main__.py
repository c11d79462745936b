"""The command `browserlens`, the same as the program's: `browserlens --help`."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import sysconfig

from . import _native


def _program() -> str:
    """What starts this command again: the script that was installed with the package."""
    beside = os.path.join(sysconfig.get_path("scripts"), "browserlens")
    for path in (os.path.abspath(sys.argv[0]), beside):
        if not path.endswith(".py") and os.access(path, os.X_OK):
            return path
    return shutil.which("browserlens") or beside


def main() -> int:
    """Runs the command with the arguments of this process; returns its exit code."""
    # Ctrl-C ends it at once, as it ends any program: Python would wait for it to return.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _native.command(["browserlens", *sys.argv[1:]], _program(), _native.__file__)


if __name__ == "__main__":
    sys.exit(main())
