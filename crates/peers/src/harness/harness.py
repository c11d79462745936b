"""Asks one other tool for what it shows of a page: `python harness.py PEER SCRIPT`, where SCRIPT is the tool's own
beside this folder, such as `browser_use/harness.py`.

In: requests, one JSON object a line, on stdin. Out: answers, one a line, on stdout; nothing else is ever written there,
because descriptor 1 is made a copy of stderr before anything is imported and the answers leave through a copy of the
old one. The watchdog ends whatever this process started (it carries a mark in its environment) when this process is
gone.
"""

import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import uuid

LIMIT_S = 55
HERE = os.path.dirname(os.path.abspath(__file__))
QUIET = {
    "ANONYMIZED_TELEMETRY": "false",
    "BROWSER_USE_CLOUD_SYNC": "false",
    "BROWSER_USE_VERSION_CHECK": "false",
    "BROWSER_USE_LOGGING_LEVEL": "warning",
    "DO_NOT_TRACK": "1",
    "NO_PROXY": "*",
    "no_proxy": "*",
}


class TooLate(BaseException):
    """Not an Exception, so that no library swallows it."""


def one_line(error: BaseException) -> str:
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error) or type(error).__name__)
    return " ".join(text.split())[:400]


def prepare() -> str:
    """Starts the watchdog; gives this process a home, a working folder and the mark. Returns the folder of temporary
    files."""
    folder = tempfile.mkdtemp(prefix="browserlens-peer-")
    mark = str(uuid.uuid4())
    prepare.watchdog = subprocess.Popen(
        ["/bin/sh", os.path.join(HERE, "watchdog.sh"), mark, folder],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        cwd="/",
    )
    for name in ("home", "work", "tmp"):
        os.mkdir(os.path.join(folder, name))
    for name in list(os.environ):
        if re.match(r"(XDG_|BROWSER_USE_|https?_proxy$|all_proxy$)", name, re.IGNORECASE):
            del os.environ[name]
    os.environ.update(
        QUIET, HOME=os.path.join(folder, "home"), TMPDIR=os.path.join(folder, "tmp"), BROWSERLENS_PEER=mark
    )
    tempfile.tempdir = None
    os.chdir(os.path.join(folder, "work"))
    return folder


def load(script: str):
    # The name is not the folder's: that is also the name of the tool's package.
    spec = importlib.util.spec_from_file_location("peer", os.path.join(HERE, "..", script))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main(peer: str, script: str) -> None:
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    folder = prepare()
    tool = None
    broken = ""

    def serve(method: str, params: dict):
        nonlocal tool
        if method == "close":
            return {}
        if method == "attach":
            if tool is not None:
                raise RuntimeError("already attached")
            tool = load(script).attach(folder=folder, **params)
            name, wanted = peer.rsplit("@", 1)
            if tool.version != wanted:
                raise RuntimeError(f"{peer} is asked for, version {tool.version} is installed")
            return {"tool": name, "version": tool.version}
        if broken:
            raise RuntimeError(f"the tool was left in the middle of a request: {broken}")
        if tool is None:
            raise RuntimeError("not attached")
        if method == "tools":
            raise RuntimeError("not an MCP server")
        if method != "observe":
            raise RuntimeError(f'{peer} has no "{method}"')
        if params.get("dialog"):
            raise RuntimeError("the tool waits for ever while a dialog is open")
        result = tool.observe()
        for output in result["outputs"]:
            if not output["text"].strip():
                raise RuntimeError(f'empty output of variant "{output["variant"]}"')
        return result

    def late(*_):
        raise TooLate(f"no answer within {LIMIT_S} s")

    signal.signal(signal.SIGALRM, late)
    for line in sys.stdin:
        if not line.strip():
            continue
        request = {}
        try:
            request = json.loads(line)
            signal.alarm(LIMIT_S)
            answer = {"ok": True, "result": serve(request["method"], request.get("params") or {})}
        except (Exception, TooLate) as error:
            if isinstance(error, TooLate):
                broken = one_line(error)
            answer = {"ok": False, "error": one_line(error)}
        finally:
            signal.alarm(0)
        answers.write(json.dumps({"id": request.get("id"), **answer}, ensure_ascii=True) + "\n")
        answers.flush()
        if request.get("method") == "close":
            break
    # No tidying up by the tools: they may do it in a browser that is not theirs. The watchdog ends what they started.
    prepare.watchdog.stdin.close()
    try:
        prepare.watchdog.wait(5)
    finally:
        os._exit(0)


if __name__ == "__main__":
    if len(sys.argv) != 3 or not os.path.exists(os.path.join(HERE, "..", sys.argv[2])):
        sys.exit("usage: python harness.py NAME@VERSION SCRIPT, such as browsergym@0.14.3 browsergym/harness.py")
    main(*sys.argv[1:])
