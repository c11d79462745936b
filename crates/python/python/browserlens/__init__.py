"""What a browser agent is shown of a page: the cheapest sufficient text, then only what changed."""

from __future__ import annotations

from ._native import Image, Observation, Page, Table, Trace
from .errors import (
    BrowserLensError,
    InspectError,
    OptionsError,
    PageError,
    Place,
    ReadError,
    SnapshotError,
    StrategyError,
    TraceError,
)

__all__ = [
    "BrowserLensError",
    "Image",
    "InspectError",
    "Observation",
    "OptionsError",
    "Page",
    "PageError",
    "Place",
    "ReadError",
    "SnapshotError",
    "StrategyError",
    "Table",
    "Trace",
    "TraceError",
]
