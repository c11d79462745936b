"""What a browser agent is shown of a page: the cheapest sufficient text, then only what changed."""

from __future__ import annotations

from ._native import LEGEND, Image, Observation, Page, Pages, Table, Trace
from .lens import CHROMIUM_ARGS, DEFAULT_BUDGET, BrowserLens
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
    "CHROMIUM_ARGS",
    "DEFAULT_BUDGET",
    "LEGEND",
    "BrowserLens",
    "BrowserLensError",
    "Image",
    "InspectError",
    "Observation",
    "OptionsError",
    "Page",
    "PageError",
    "Pages",
    "Place",
    "ReadError",
    "SnapshotError",
    "StrategyError",
    "Table",
    "Trace",
    "TraceError",
]
