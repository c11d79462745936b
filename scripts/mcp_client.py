"""A client of `browserlens serve` over standard input and output: what an agent sees, and no more.

In: how the server is started. Out: `Server.call(tool, **arguments)` gives the text of the answer; an error of a tool is
a `ToolError` with its text.
"""
import itertools
import json
import subprocess
import time


class ToolError(Exception):
    """A tool answered with an error; its text says what is wrong and what to do."""


class Server:
    """One server process, which is one client with one browser; `calls` lists (tool, arguments, answer, milliseconds,
    is an error)."""

    def __init__(self, program, *arguments, verb="serve", stderr=subprocess.DEVNULL):
        self.process = subprocess.Popen(
            [str(program), *([verb] if verb else []), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            encoding="utf-8",
        )
        self.numbers = itertools.count(1)
        self.calls = []
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "script", "version": "1"}}
        self.hello = self.ask("initialize", hello)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def ask(self, method, params):
        number = next(self.numbers)
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        for line in self.process.stdout:
            said = json.loads(line)
            if said.get("id") == number:
                if "error" in said:
                    raise ToolError(said["error"]["message"])
                return said["result"]
        raise ToolError(f"the server ended with {self.process.wait()} while it was asked for {method}")

    def call(self, tool, **arguments):
        """Calls a tool; `from_` and `in_` stand for arguments that are words of Python."""
        arguments = {name.rstrip("_"): value for name, value in arguments.items()}
        began = time.monotonic()
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})
        text = "\n".join(part["text"] for part in result["content"] if part["type"] == "text")
        self.calls.append((tool, arguments, text, (time.monotonic() - began) * 1000, bool(result.get("isError"))))
        if result.get("isError"):
            raise ToolError(text)
        return text

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
