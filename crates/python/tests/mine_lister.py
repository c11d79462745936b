"""Strategies of the tests: one that works, and some that do not."""

import os
import time

from browserlens.strategy import Observation


class Lister:
    """Controls and texts, in the order of the page."""

    name = "mine/lister"
    format = "playwright-aria"
    version = "1"
    deterministic = True

    def __init__(self, limit=1000):
        self.limit = limit

    def start(self, task):
        self.goal = task.goal

    def observe(self, step):
        lines, refs = [], {}
        for node in step.page.nodes:
            if node.interactive and node.role and len(refs) < self.limit:
                refs[f"e{len(refs) + 1}"] = node
                lines.append(f'- {node.role} "{(node.name or "").replace(chr(34), "")}" [ref=e{len(refs)}]')
            elif node.kind in ("text", "pseudo") and node.visible and (node.text or "").strip():
                lines.append("- text: " + " ".join(node.text.split()))
        print("this is no answer")
        return Observation("\n".join(lines), refs=refs)


class Raises(Lister):
    """Fails at one step."""

    name, version = "mine/raises", "2"

    def observe(self, step):
        if step.step == 1:
            raise ValueError("no such thing")
        return super().observe(step)


class NeverStarts(Lister):
    """Fails before the first step."""

    name = "mine/never-starts"

    def start(self, task):
        raise RuntimeError("no goal")


class Garbage(Lister):
    """Returns what is no observation."""

    name = "mine/garbage"

    def observe(self, step):
        answers = [
            None,
            7,
            {"text": 1},
            {"text": "a", "kind": "odd"},
            {"text": "\ud800"},
            {"text": "a", "refs": {"e1": "9.9.9"}},
            object(),
        ]
        return answers[step.step % len(answers)]


class Hangs(Lister):
    """Stops answering, deaf to everything but being ended."""

    name = "mine/hangs"
    timeout = 1.0

    def observe(self, step):
        if step.step == 1:
            while True:
                time.sleep(3600)
        return super().observe(step)


class Dies(Lister):
    """Takes its process with it."""

    name = "mine/dies"

    def observe(self, step):
        os._exit(3)
