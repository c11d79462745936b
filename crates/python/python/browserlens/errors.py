"""Exceptions: one class an area, each with what the command line says: text, place and hint."""

from __future__ import annotations

from typing import NamedTuple


class Place(NamedTuple):
    """Where something went wrong; what is not known is None."""

    file: str | None = None
    table: str | None = None
    row: int | None = None
    step: int | None = None
    url: str | None = None


class BrowserLensError(Exception):
    """Something that BrowserLens could not do."""

    #: What went wrong, in one line.
    text: str
    #: Where.
    place: Place
    #: The next thing to try.
    hint: str

    def __init__(self, text: str, place: Place | None = None, hint: str = "") -> None:
        super().__init__(text, place, hint)
        self.text = text
        self.place = place or Place()
        self.hint = hint
        if hint and hasattr(self, "add_note"):
            self.add_note(f"hint: {hint}")

    def __str__(self) -> str:
        return self.text


class TraceError(BrowserLensError):
    """A trace cannot be read or trusted."""


class PageError(BrowserLensError):
    """A page is closed, blocked, or cannot be read."""


class StrategyError(BrowserLensError):
    """The lens cannot write an observation, or not answer a request."""


class SnapshotError(BrowserLensError):
    """A snapshot cannot be taken as asked."""


class ReadError(BrowserLensError):
    """A text cannot be read as asked."""


class InspectError(BrowserLensError):
    """Console, network or DOM cannot be queried as asked."""


class OptionsError(BrowserLensError):
    """An argument is wrong."""
