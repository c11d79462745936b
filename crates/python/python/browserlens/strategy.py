"""Strategies of your own: a class with two methods, measured like any other.

    class Lister:
        name = "mine/lister"
        format = "playwright-aria"

        def start(self, task):
            self.seen = 0

        def observe(self, step):
            controls = [node for node in step.page.nodes if node.interactive and node.role]
            refs = {f"e{at}": node for at, node in enumerate(controls, 1)}
            lines = [f'- {node.role} "{node.name}" [ref={ref}]' for ref, node in refs.items()]
            return Observation("\\n".join(lines), refs=refs)

``start`` is called once a trace, ``observe`` once a step, in order, each on a new instance of the class a trace. An
optional third method, ``request(request)``, answers what the reader asks for; None says that there is no answer. What
the steps hold is described in ``crates/replay/PROTOCOL.md``: this module speaks that protocol.

A class may say more of itself: ``why`` (one line for reports), ``format`` (how its texts are parsed; default
``plain``), ``channel`` (how an agent acts on them; default ``ref``, for ``plain`` and ``markdown`` ``none``),
``version``, ``deterministic`` (equal steps give equal observations: then results are cached, which needs a
version), ``timeout`` (seconds for one answer, default 10), ``options`` (keyword arguments of the class).

It runs in a process of its own: one that raises or returns nonsense loses the step, one that hangs is ended
after its time-out, one that crashes takes nothing else with it.
Each is an error row that says so. Printing goes to standard error.

This file needs the standard library only and is also the program that runs in that process.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import json
import os
import pickle
import sys
import traceback
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["Declared", "Image", "Observation", "declare"]

#: Version of the protocol that this file speaks.
PROTOCOL = 1
#: The name under which this file lies beside the strategies.
RUNNER = "browserlens_strategy.py"
#: Attributes of a class that say something of the strategy.
NO_CHANNEL = ("plain", "markdown")


class Image(NamedTuple):
    """An image of an observation: PNG bytes, or the path of one of the step's, and the rectangle that it shows."""

    png: bytes | str
    space: dict[str, Any]


@dataclass
class Observation:
    """What an agent is shown at a step."""

    #: The text.
    text: str
    #: What the handles in the text mean: nodes, or their keys.
    refs: dict[str, Any] = field(default_factory=dict)
    #: ``full`` stands alone; ``delta`` adds to what was shown before.
    kind: str = "full"
    #: Why it is full.
    reason: str = ""
    #: Images, at most 16.
    images: list[Image] = field(default_factory=list)
    #: What was chosen, where there was a choice.
    representation: str | None = None


class Record(dict[str, Any]):
    """An object of the protocol; its fields are attributes, and one that is left out is None."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self.get(name)


class Declared(NamedTuple):
    """A class as the bench takes it: its name, an ``[[external]]`` table, and the files that have to lie beside it."""

    name: str
    toml: str
    files: dict[str, bytes]


def declare(cls: type | str) -> Declared:
    """Declares a class, or one by the words ``file.py:Class`` or ``package.module:Class``.

    The source of the class goes along, so that it can run on other machines; what it imports has to be installed there.
    """
    if isinstance(cls, str):
        cls = load(cls)
    for method in ("start", "observe"):
        if not callable(getattr(cls, method, None)):
            raise TypeError(f"{cls.__qualname__} is no strategy: it has no method {method!r}")
    said = {
        name: getattr(cls, name, None) for name in ("name", "why", "version", "options", "timeout", "format", "channel")
    }
    name = said["name"] or f"mine/{cls.__name__.lower()}"
    spec, files = _sources(cls)
    form = said["format"] or "plain"
    table: dict[str, Any] = {
        "name": name,
        "why": said["why"] or (inspect.getdoc(cls) or f"{cls.__qualname__}, written in Python").splitlines()[0],
        "command": ["python3", RUNNER, spec],
        "format": form,
        "channel": said["channel"] or ("none" if form in NO_CHANNEL else "ref"),
        "files": sorted(files),
        "timeout_ms": max(1, round(1000 * float(said["timeout"] or 10))),
        "options": dict(said["options"] or {}),
    }
    if said["version"] is not None:
        table["version"] = str(said["version"])
    if getattr(cls, "deterministic", False):
        table["deterministic"] = True
    files[RUNNER] = Path(__file__).read_bytes()
    toml = "[[external]]\n" + "".join(f"{key} = {_toml(value)}\n" for key, value in table.items())
    return Declared(name, toml, files)


def _sources(cls: type) -> tuple[str, dict[str, bytes]]:
    """Returns what the runner is told to load, and the files that it loads it from."""
    module = sys.modules.get(cls.__module__)
    package = getattr(module, "__package__", None) if cls.__module__ != "__main__" else None
    if package:
        return f"{cls.__module__}:{cls.__qualname__}", {}
    source = getattr(module, "__file__", None)
    if source and source.endswith(".py") and "<locals>" not in cls.__qualname__ and Path(source).is_file():
        name = Path(source).name
        return f"{name}:{cls.__qualname__}", {name: Path(source).read_bytes()}
    for pickler in ("cloudpickle", "ray.cloudpickle"):
        try:
            pickled = importlib.import_module(pickler).dumps(cls)
        except ImportError:
            continue
        name = f"{cls.__name__}.pickle"
        return name, {name: pickled}
    raise TypeError(
        f"{cls.__qualname__} stands in no file, so that it cannot be sent to a process of its own: "
        "put it into a file of its own, or install cloudpickle"
    )


def _toml(value: Any) -> str:
    if isinstance(value, (bool, int, float, str)):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_toml(str(key))} = {_toml(each)}' for key, each in value.items())}}}"
    raise TypeError(f"an option cannot be {value!r}: use texts, numbers, truth values, lists and dictionaries")


def load(spec: str) -> type:
    """Loads a class by the words ``file.py:Class``, ``package.module:Class`` or ``file.pickle``."""
    if spec.endswith(".pickle"):
        with open(spec, "rb") as file:
            loaded = pickle.load(file)
    else:
        place, _, name = spec.rpartition(":")
        if place.endswith(".py"):
            stem = Path(place).stem
            found = importlib.util.spec_from_file_location(stem, place)
            if found is None or found.loader is None or not Path(place).is_file():
                raise FileNotFoundError(f"{place}: there is no such file")
            module = importlib.util.module_from_spec(found)
            sys.modules[stem] = module
            found.loader.exec_module(module)
        else:
            module = importlib.import_module(place)
        loaded = module
        for part in name.split("."):
            loaded = getattr(loaded, part)
    if not isinstance(loaded, type):
        raise TypeError(f"{spec} is {loaded!r}: expected a class")
    return loaded


def _words(error: BaseException) -> str:
    """Says what was raised, and where in the strategy's own file."""
    text = "".join(traceback.format_exception_only(type(error), error)).strip()
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename).name != RUNNER]
    return f"{text} ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else text


class _Runner:
    """Answers the messages of one trace."""

    def __init__(self, spec: str) -> None:
        self.spec = spec
        self.strategy: Any = None
        #: Why the strategy did not start.
        self.failed: str | None = None
        self.folder = ""
        self.pictures = 0

    def answer(self, message: Record) -> dict[str, Any]:
        if message.type == "hello":
            return self.hello(message)
        if self.failed is not None:
            return {"type": "error", "step": message.step, "message": self.failed}
        try:
            if message.type == "request":
                return self.request(message)
            return self.observation(self.strategy.observe(message), message.step, "observe")
        except BaseException as error:
            return {"type": "error", "step": message.step, "message": _words(error)}

    def hello(self, message: Record) -> dict[str, Any]:
        self.folder = message.folder
        try:
            self.strategy = load(self.spec)(**message.options)
            self.strategy.start(message.task)
        except BaseException as error:
            self.failed = f"it did not start: {_words(error)}"
        requests = callable(getattr(self.strategy, "request", None))
        return {"type": "ready", "protocol": PROTOCOL, "requests": requests}

    def request(self, message: Record) -> dict[str, Any]:
        answer = self.strategy.request(message.request)
        if answer is None:
            return {"type": "unanswerable", "step": message.step, "reason": "the strategy has no answer"}
        return self.observation(answer, message.step, "request")

    def observation(self, said: Any, step: int, method: str) -> dict[str, Any]:
        if isinstance(said, str):
            said = {"text": said}
        elif not isinstance(said, dict):
            text = getattr(said, "text", None)
            if not isinstance(text, str):
                raise TypeError(f"{method} returned {type(said).__name__}: expected a text or an Observation")
            said = {
                name: getattr(said, name, None)
                for name in ("text", "refs", "kind", "reason", "images", "representation")
            }
        answer = {name: value for name, value in said.items() if value}
        answer.update(type="observation", step=step, text=said.get("text"))
        if not isinstance(answer["text"], str):
            raise TypeError(f"{method} returned a text that is {type(answer['text']).__name__}: expected a str")
        answer["text"].encode()
        if refs := answer.get("refs"):
            answer["refs"] = {str(handle): getattr(node, "key", None) or str(node) for handle, node in refs.items()}
        if images := answer.get("images"):
            answer["images"] = [self.image(*image) for image in images]
        return answer

    def image(self, png: bytes | str, space: dict[str, Any]) -> dict[str, Any]:
        if isinstance(png, bytes):
            self.pictures += 1
            path = Path(self.folder, f"{self.pictures}.png")
            path.write_bytes(png)
            png = str(path)
        return {"path": png, "space": space}


def main(spec: str) -> None:
    """Speaks the protocol over standard input and output until the input ends."""
    # What the strategy prints must not be taken for an answer.
    out = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    runner = _Runner(spec)
    for line in sys.stdin.buffer:
        answer = runner.answer(json.loads(line, object_hook=Record))
        try:
            text = json.dumps(answer)
        except (TypeError, ValueError) as error:
            text = json.dumps({"type": "error", "step": answer["step"], "message": f"the answer is no JSON: {error}"})
        out.write(text + "\n")
        out.flush()


if __name__ == "__main__":
    main(sys.argv[1])
