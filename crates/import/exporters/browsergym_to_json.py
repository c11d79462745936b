"""Exports a BrowserGym or AgentLab run to the folder that `browserlens import cdp` reads.

Run it in the environment that wrote the run: unpickling runs code of the pickle, so never do it with a run that you do
not trust.

    python browsergym_to_json.py RUN_FOLDER OUT_FOLDER

Writes axtrees/step-N.json, dom_snapshots/step-N.json, screenshots/step-N.png where the run has pictures, and
actions.json, which says for each step the action that led to it, its error, and the goal.
"""

import gzip
import json
import pickle
import re
import shutil
import sys
from pathlib import Path


def plain(value):
    """Numbers of NumPy become plain ones; what JSON does not know becomes its text."""
    if hasattr(value, "tolist"):
        return value.tolist()
    return str(value)


def main(run: Path, out: Path) -> None:
    steps = sorted(run.glob("step_*.pkl.gz"), key=lambda path: int(re.findall(r"\d+", path.name)[0]))
    if not steps:
        sys.exit(f"{run}: no step_N.pkl.gz")
    for folder in ("axtrees", "dom_snapshots", "screenshots"):
        (out / folder).mkdir(parents=True, exist_ok=True)
    actions = []
    for path in steps:
        number = int(re.findall(r"\d+", path.name)[0])
        with gzip.open(path, "rb") as file:
            step = pickle.load(file)
        seen = getattr(step, "obs", None) or {}
        if "axtree_object" not in seen or "dom_object" not in seen:
            print(f"{path.name}: no accessibility tree or no DOM snapshot, passed over", file=sys.stderr)
            continue
        name = f"step-{number}"
        (out / "axtrees" / f"{name}.json").write_text(json.dumps(seen["axtree_object"], default=plain), "utf-8")
        (out / "dom_snapshots" / f"{name}.json").write_text(json.dumps(seen["dom_object"], default=plain), "utf-8")
        picture = run / f"screenshot_step_{number}.png"
        if picture.exists():
            shutil.copyfile(picture, out / "screenshots" / f"{name}.png")
        actions.append({
            "step": number,
            "url": seen.get("url", ""),
            "goal": seen.get("goal", ""),
            "last_action": seen.get("last_action", ""),
            "last_action_error": seen.get("last_action_error", ""),
        })
    (out / "actions.json").write_text(json.dumps(actions, default=plain, indent=1), "utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), Path(sys.argv[2]))
