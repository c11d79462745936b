"""What is handed to the lens and what it asks for, without a browser: the test answers the calls itself."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from browserlens import BrowserLens, BrowserLensError

#: Longer than what is written at once.
LONG = "x" * 40_000


@pytest.fixture
def native() -> Iterator[Any]:
    with BrowserLens() as lens:
        yield lens._native


def worked(
    native: Any, job: dict[str, Any], answer: Callable[[str, dict[str, Any]], Any]
) -> list[tuple[str, dict[str, Any]]]:
    """Does a piece of work to its end; returns what it called."""
    called = []
    native.begin(json.dumps(job))
    end = time.monotonic() + 60
    while (calls := native.wait(0.25)) is not None:
        assert time.monotonic() < end, f"the work does not end after {called}"
        for number, _, method, params in calls:
            called.append((method, params))
            try:
                native.answer(number, answer(method, params))
            except LookupError as error:
                native.refuse(number, str(error))
    return called


def added(native: Any) -> None:
    worked(native, {"do": "add_page", "session": "page1", "target": "T", "url": "http://shop.test/"}, lambda *_: {})
    native.result()


def tree(method: str, _: dict[str, Any]) -> Any:
    if method == "Page.getFrameTree":
        return {
            "frameTree": {
                "frame": {
                    "id": "T",
                    "loaderId": "L",
                    "url": "http://shop.test/",
                    "securityOrigin": "http://shop.test",
                    "mimeType": "text/html",
                }
            }
        }
    raise LookupError(f"{method} is not known here")


def test_calls_come_with_their_parameters_as_objects(native: Any) -> None:
    added(native)
    called = worked(native, {"do": "observe", "session": "page1", "full": False, "action": None}, tree)
    asked = dict(called)
    assert asked["Page.getFrameTree"] == {}
    assert (
        asked["Runtime.evaluate"]["returnByValue"] is True and "computedRole" in asked["Runtime.evaluate"]["expression"]
    )
    json.dumps(called)
    with pytest.raises(BrowserLensError):
        native.result()


@pytest.mark.parametrize("text", ["short", LONG])
def test_an_answer_that_is_no_json_ends_the_work_with_an_error(native: Any, text: str) -> None:
    added(native)
    job = {"do": "observe", "session": "page1", "full": False, "action": None}
    answer = {"frameTree": [text, {1, 2}]}
    if text == LONG:
        assert [method for method, _ in worked(native, job, lambda *_: answer)]
        with pytest.raises(BrowserLensError, match="set is no JSON|no JSON"):
            native.result()
    else:
        native.begin(json.dumps(job))
        ((number, _, _, _),) = native.wait(30)
        with pytest.raises(TypeError, match="set is no JSON"):
            native.answer(number, answer)
        native.give_up()
    assert not [method for method, _ in worked(native, {"do": "attend", "session": "page1"}, tree)]
    native.result()


def test_work_that_is_given_up_leaves_no_answer_waiting(native: Any) -> None:
    added(native)
    job = json.dumps({"do": "observe", "session": "page1", "full": False, "action": None})
    for _ in range(20):
        native.begin(job)
        ((number, _, _, _),) = native.wait(30)
        native.answer(number, {"frameTree": [LONG] * 50})
        native.give_up()
        native.event("page1", "Page.frameNavigated", {"frame": {"id": "T", "url": LONG}})
        assert not [method for method, _ in worked(native, {"do": "attend", "session": "page1"}, tree)]
        native.result()


def threads() -> set[str]:
    """Threads of lenses in this process, by their ids; one that ends meanwhile is none."""
    found = set()
    for task in Path("/proc/self/task").glob("*"):
        try:
            if (task / "comm").read_text().startswith("browserlens"):
                found.add(task.name)
        except OSError:
            pass
    return found


def comes(is_so: Callable[[], bool]) -> bool:
    """Whether something comes to be so within half a minute."""
    end = time.monotonic() + 30
    while not is_so() and time.monotonic() < end:
        time.sleep(0.01)
    return is_so()


def test_what_comes_after_a_lens_is_closed_is_passed_over() -> None:
    before = threads()
    lens = BrowserLens()
    native = lens._native
    added(native)
    # A thread names itself once it runs, and those of other lenses may end meanwhile.
    assert not sys.platform.startswith("linux") or comes(lambda: bool(threads() - before))
    ours = threads() - before
    lens.close()
    native.event("page1", "Page.frameNavigated", {})
    native.answer(1, {"a": LONG})
    native.refuse(2, "late")
    with pytest.raises(BrowserLensError, match="the lens is closed"):
        native.begin(json.dumps({"do": "attend", "session": "page1"}))
    assert comes(lambda: not ours & threads()), "its threads end"
