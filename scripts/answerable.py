#!/usr/bin/env python3
"""Whether a calibrated score tells questions that a page answers from those that it does not.

    scripts/answerable.py target/release/browserlens

Fits a logistic regression on the bundled questions (`traces/scenarios/*/*.ask.toml`), leaving one
site out at a time, and prints for the site left out: the Brier score, and which share of the
questions without an answer is refused where 95 % of the others of the fitted sites are kept.
Questions without an answer are those that say so, and those of the other sites, asked here.
"""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KEPT = 0.95
STOP = set(
    "a an and any are as at be been by can could did do does for from get had has have how i if in is it its me my much "
    "many no not of on one or our so some somebody something than that the their them there they this to up us was we "
    "what when where which who will with would you your long often".split()
)


def stem(word: str) -> str:
    for ending in ("ing", "ies", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def stems(text: str) -> list[str]:
    words = re.findall(r"[^\W_]+", text.lower())
    return [stem(word) for word in words if word not in STOP]


class Page:
    """A page in passages, each with the headings above it."""

    def __init__(self, program: str, trace: Path, step: int) -> None:
        self.program, self.trace, self.step = program, trace, step
        graph = json.loads(self.run("--graph", "json"))
        trail: dict[int, str] = {}
        self.passages: list[set[str]] = []
        for node in graph["nodes"].values():
            if level := node.get("level"):
                trail = {above: text for above, text in trail.items() if above < level} | {level: node["text"]}
                continue
            above = " ".join(trail.values())
            for start in range(0, len(node["text"]), 400):
                self.passages.append(set(stems(above + " " + node["text"][max(0, start - 40) : start + 400])))
        self.on: dict[str, int] = {}
        for passage in self.passages:
            for word in passage:
                self.on[word] = self.on.get(word, 0) + 1

    def run(self, *arguments: str) -> str:
        command = [self.program, "read", str(self.trace), "--step", str(self.step), "--no-cache", *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def rarity(self, word: str) -> float:
        total, on = len(self.passages), self.on.get(word, 0)
        return math.log(1 + (total - on + 0.5) / (on + 0.5))

    def features(self, question: str) -> list[float]:
        """How much of the question, weighed by rarity, stands in the best passage, in what the tool answers, on the
        page; how rare the rarest word is that is missing; how long the question is."""
        asked = sorted(set(stems(question)))
        if not asked:
            return [0.0] * 5
        weights = {word: self.rarity(word) for word in asked}
        whole = sum(weights.values()) or 1.0

        def held(words: set[str] | dict[str, int]) -> float:
            return sum(weight for word, weight in weights.items() if word in words) / whole

        best = max((held(passage) for passage in self.passages), default=0.0)
        answer = held(set(stems(self.run("--query", question, "--similarity", "0"))))
        missing = max((weight for word, weight in weights.items() if word not in self.on), default=0.0)
        return [best, answer, held(self.on), missing / (self.rarity("\0") or 1.0), math.log(len(asked))]


def fit(rows: list[list[float]], labels: list[int]) -> list[float]:
    """Weights of a logistic regression with a little L2; both classes weigh the same."""
    weights = [0.0] * (len(rows[0]) + 1)
    share = sum(labels) / len(labels)
    for _ in range(4_000):
        gradient = [0.0] * len(weights)
        for row, label in zip(rows, labels, strict=True):
            off = (predict(weights, row) - label) * (0.5 / share if label else 0.5 / (1 - share))
            for at, value in enumerate([1.0, *row]):
                gradient[at] += off * value / len(rows)
        weights = [w - 0.5 * (g + (0.002 * w if at else 0)) for at, (w, g) in enumerate(zip(weights, gradient, strict=True))]
    return weights


def predict(weights: list[float], row: list[float]) -> float:
    return 1 / (1 + math.exp(-sum(w * x for w, x in zip(weights, [1.0, *row], strict=True))))


def main() -> None:
    program = str(Path(sys.argv[1]).resolve())
    page = cache(lambda trace, step: Page(program, trace, step))
    asked = []
    for file in sorted((ROOT / "traces/scenarios").glob("*/*.ask.toml")):
        site, scenario = file.parent.name, file.name.removesuffix(".ask.toml")
        trace = ROOT / f"traces/{site}-{scenario}.trace"
        for question in tomllib.loads(file.read_text(encoding="utf-8"))["ask"]:
            asked.append((site, trace, question["step"], question["ask"], "text" in question))
    first = {site: (trace, step) for site, trace, step, _, _ in reversed(asked)}
    rows = []
    for site, trace, step, question, answered in asked:
        rows.append((site, site, page(trace, step).features(question), int(answered), "said" if answered else "absent"))
        for other in first:
            if other != site:
                rows.append((other, site, page(*first[other]).features(question), 0, "of another site"))
    everything = {"said": [0, 0], "absent": [0, 0], "of another site": [0, 0]}
    for held_out in sorted(first):
        known = [(row, label) for site, of, row, label, _ in rows if held_out not in (site, of)]
        weights = fit([row for row, _ in known], [label for _, label in known])
        kept = sorted(predict(weights, row) for row, label in known if label)
        threshold = kept[int((1 - KEPT) * len(kept))]
        here = [(predict(weights, row), label, kind) for site, of, row, label, kind in rows if site == held_out]
        own = [(p, label) for p, label, kind in here if kind != "of another site"]
        brier = sum((p - label) ** 2 for p, label in own) / len(own)
        base = sum(label for _, label in own) / len(own)
        print(f"{held_out}: Brier {brier:.3f} of its own questions, {base * (1 - base):.3f} by always saying {base:.2f}")
        for kind, count in everything.items():
            of_kind = [p for p, _, other in here if other == kind]
            refused = sum(p < threshold for p in of_kind)
            count[0] += refused
            count[1] += len(of_kind)
            print(f"  {kind}: {refused} of {len(of_kind)} refused")
    print("all:", ", ".join(f"{kind} {refused} of {of} refused" for kind, (refused, of) in everything.items()))


main()
