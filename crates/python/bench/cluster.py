"""A Ray cluster of processes of this machine: a head without processors, and worker nodes that can be killed.

Everything listens on the loopback device. Processes are ended by their ids, which are those of the
descendants of what was started here.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

#: Where everything listens: a loopback address that Ray does not take for "this machine", which it
#: would look up the outer address of.
HOST = "127.0.0.2"
#: Bytes of the object store of a node: tasks hand over rows of some hundred bytes.
OBJECT_STORE = 80 << 20


def free_port() -> int:
    """A port that nobody listens at."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def _descendants(pid: int) -> list[int]:
    """The process and everything that it started, directly or not."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text()
            except OSError:
                continue
            children.setdefault(int(stat.rpartition(")")[2].split()[1]), []).append(int(entry.name))
    found, todo = [], [pid]
    while todo:
        found.append(todo.pop())
        todo += children.get(found[-1], [])
    return found


class Cluster:
    """A head and worker nodes."""

    def __init__(self, workers: int, cpus: float = 1) -> None:
        # Ray's sockets lie there, and their paths may not be long.
        self.folder = tempfile.mkdtemp(prefix="bl-ray-")
        self.address = f"{HOST}:{free_port()}"
        self.cpus = cpus
        self.seen: set[int] = set()
        self.log = Path(self.folder, "start.log").open("ab")
        self.nodes: list[subprocess.Popen[bytes]] = []
        self.head = self._start(
            "--head",
            f"--port={self.address.split(':')[1]}",
            "--num-cpus=0",
            "--include-dashboard=false",
            f"--temp-dir={self.folder}/ray",
        )
        try:
            self._wait(0)
            for _ in range(workers):
                self.add()
        except BaseException:
            self.stop()
            raise

    def _start(self, *arguments: str) -> subprocess.Popen[bytes]:
        command = [
            sys.executable, "-m", "ray.scripts.scripts", "start", "--block",
            f"--node-ip-address={HOST}", "--disable-usage-stats",
            f"--object-store-memory={OBJECT_STORE}", "--min-worker-port=0", "--max-worker-port=0",
            f"--dashboard-agent-listen-port={free_port()}",
            *arguments,
        ]  # fmt: skip
        folder = os.path.dirname(sys.executable)
        environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
        environment.pop("RAY_ADDRESS", None)
        return subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, env=environment, start_new_session=True
        )

    def _wait(self, nodes: int, seconds: float = 300) -> None:
        """Waits until so many worker nodes can be asked for processors."""
        import ray

        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if nodes == 0:
                with socket.socket() as probe:
                    if probe.connect_ex((HOST, int(self.address.split(":")[1]))) == 0:
                        return
            else:
                self.connect()
                if sum(node["Alive"] and node["Resources"].get("CPU", 0) > 0 for node in ray.nodes()) >= nodes:
                    return
            if any(process.poll() is not None for process in [*self.nodes, self.head]):
                break
            time.sleep(0.2)
        raise TimeoutError(f"the cluster did not come up: {Path(self.folder, 'start.log').read_text()[-2000:]}")

    def connect(self) -> None:
        """Connects this process."""
        import ray

        if not ray.is_initialized():
            ray.init(address=self.address, log_to_driver=False, _node_ip_address=HOST)

    def add(self) -> subprocess.Popen[bytes]:
        """Starts a worker node and waits for it."""
        node = self._start(f"--address={self.address}", f"--num-cpus={self.cpus}")
        self.nodes.append(node)
        self._wait(len(self.nodes))
        return node

    def kill(self, node: subprocess.Popen[bytes]) -> None:
        """Kills a worker node with everything that runs on it."""
        self.nodes.remove(node)
        self._end(node)

    def _end(self, node: subprocess.Popen[bytes]) -> None:
        self.seen.update(_descendants(node.pid))
        for pid in _descendants(node.pid)[::-1]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        node.wait()

    def stop(self) -> None:
        """Ends everything."""
        import ray

        ray.shutdown()
        for node in [*self.nodes, self.head]:
            self._end(node)
        self.nodes.clear()
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
