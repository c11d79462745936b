"""Folders of processes: gone with them, however they end."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("fcntl", reason="files are locked by fcntl")

from browserlens import _scratch  # noqa: E402

#: Makes a folder, says where, and ends when its input does.
WORK = (
    "import sys\nfrom browserlens import _scratch\nprint(_scratch.make('part').name, flush=True)\n"
    "kept = _scratch.make('kept')\nprint(kept.name, flush=True)\nsys.stdin.read()\n"
)


class Worker:
    """A process that has a folder below `below`."""

    def __init__(self, below: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", WORK],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "TMPDIR": str(below)},
        )
        assert self.process.stdout
        self.dropped, self.kept = (Path(self.process.stdout.readline().strip()) for _ in range(2))

    def end(self, kill: bool) -> None:
        if kill:
            self.process.kill()
        assert self.process.stdin and self.process.stdout
        self.process.stdin.close()
        self.process.wait(60)
        self.process.stdout.close()


def test_a_process_that_ends_leaves_nothing(tmp_path: Path) -> None:
    worker = Worker(tmp_path)
    assert worker.kept.is_dir() and not worker.dropped.exists()
    assert worker.kept.parent.parent == tmp_path
    worker.end(kill=False)
    assert not list(tmp_path.iterdir())


def test_what_a_killed_process_left_goes_with_the_next_one_and_what_runs_stays(tmp_path: Path) -> None:
    runs, killed = Worker(tmp_path), Worker(tmp_path)
    killed.end(kill=True)
    assert killed.kept.is_dir(), "nobody could remove it"
    (tmp_path / "browserlens-worker-strange").mkdir()
    (tmp_path / ".browserlens-worker-new").mkdir()
    os.utime(tmp_path / ".browserlens-worker-new", (1, 1))
    (tmp_path / "other").mkdir()
    following = Worker(tmp_path)
    assert not killed.kept.parent.exists()
    assert runs.kept.is_dir() and following.kept.is_dir()
    assert (tmp_path / "browserlens-worker-strange").is_dir() and (tmp_path / "other").is_dir()
    assert not (tmp_path / ".browserlens-worker-new").exists(), "it was killed before it had a lock"
    runs.end(kill=False)
    following.end(kill=False)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["browserlens-worker-strange", "other"]


def test_a_process_that_is_forked_off_has_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_scratch.tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(_scratch, "_mine", None)
    mine = _scratch.folder()
    assert _scratch.folder() == mine and mine.parent == tmp_path
    _, held, pid = _scratch._mine or (None, -1, -1)
    monkeypatch.setattr(_scratch, "_mine", (mine, held, pid + 1))
    assert _scratch.folder() != mine and mine.is_dir(), "the other one still holds it"
