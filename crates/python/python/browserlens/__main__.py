"""`python -m browserlens`: the command that the package installs."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig


def main() -> None:
    """Becomes the command, with the arguments of this process."""
    beside = os.path.join(sysconfig.get_path("scripts"), "browserlens")
    program = beside if os.access(beside, os.X_OK) else shutil.which("browserlens")
    if program is None:
        sys.exit("browserlens: its command is not installed; install the wheel again")
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    main()
