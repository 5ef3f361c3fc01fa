"""The watched service, loads on it, and the watcher with its figures in /proc."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from overhead.service import cpu_clock

ROOT = Path(__file__).resolve().parents[2]
_BUILT = ROOT / "artifacts" / "bin"
COLLECT = _BUILT / "Poolscope.Collect" / "release" / "poolscope-collect"
SERVICE = _BUILT / "Poolscope.Service" / "release" / "poolscope-service"
END_S = 60.0
"""Longest wait for a process after it is asked to end; a watcher finishes its capture first."""


class Service:
    """The bundled service and its database, without a load."""

    def __init__(self, db_ms: int) -> None:
        """Starts the service, and returns when it listens. `db_ms` is the duration of a query."""
        command = [str(SERVICE), "serve", "--fault", "none", "--db-ms", str(db_ms)]
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        self.pid = self._process.pid
        self._clock = cpu_clock(self.pid)
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.strip().endswith("/async"):
                self.address = line.strip().removesuffix("/async")
                return
        raise RuntimeError(f"the service ended with exit code {self._process.wait()}")

    def cpu_s(self) -> float:
        """Returns the CPU time so far, ended threads included."""
        return time.clock_gettime_ns(self._clock) / 1e9

    def load(
        self, endpoint: str, rate: int, seconds: float, seed: int = 1, log: Path | None = None
    ) -> subprocess.Popen[str]:
        """Starts the bundled load generator on an endpoint such as /async, for whole seconds; it prints its report as
        JSON on stdout. `log` gets a line for each request."""
        words = [f"{self.address}{endpoint}", "--rate", rate, "--duration", round(seconds), "--seed", seed, "--json"]
        words += ["--log", log] if log else []
        return subprocess.Popen(
            [str(SERVICE), "load", *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True
        )

    def close(self) -> None:
        self._process.terminate()
        self._process.wait(END_S)


@dataclass(frozen=True)
class Usage:
    """The resources that a process uses at one time."""

    at: float
    """Seconds of the monotonic clock."""
    cpu_s: float
    """CPU time so far."""
    rss_mb: float
    files: int
    """Open files."""
    threads: int
    written_mb: float
    """MB written so far, to any file."""


def usage(pid: int) -> Usage:
    """Reads /proc; raises OSError if the process is gone."""
    proc = Path("/proc") / str(pid)
    fields = dict(line.split(":", 1) for line in (proc / "status").read_text().splitlines() if ":" in line)
    written = dict(line.split(": ") for line in (proc / "io").read_text().splitlines())
    return Usage(
        time.monotonic(),
        time.clock_gettime_ns(cpu_clock(pid)) / 1e9,
        int(fields["VmRSS"].split()[0]) / 1024,
        len(os.listdir(proc / "fd")),
        int(fields["Threads"]),
        int(written["wchar"]) / 1e6,
    )


class Watcher:
    """`poolscope-collect watch --json` on a process. `lines`: its output so far."""

    def __init__(self, pid: int, folder: Path, *options: str) -> None:
        command = [str(COLLECT), "watch", "-p", str(pid), "-o", str(folder), "--json", *options]
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        self.pid = self._process.pid
        self.folder = folder
        self.lines: list[dict[str, Any]] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def events(self, kind: str) -> list[dict[str, Any]]:
        """Returns the lines of an event: fired, captured, failed or warning."""
        return [line for line in self.lines if line.get("event") == kind]

    def wait_until_watching(self) -> None:
        """Returns when it shows its first state; raises RuntimeError if it ends."""
        while not any(line.get("state") == "watching" for line in list(self.lines)):
            if self._process.poll() is not None:
                raise RuntimeError(f"the watcher ended with exit code {self._process.returncode}")
            time.sleep(0.1)

    def disk_mb(self) -> float:
        """Returns the size of its folder."""
        total = 0
        for path, _, names in os.walk(self.folder):
            for name in names:
                try:
                    total += os.lstat(os.path.join(path, name)).st_size
                except FileNotFoundError:
                    continue
        return total / 1e6

    def close(self) -> int:
        """Asks it to end and returns its exit code."""
        self._process.send_signal(signal.SIGTERM)
        code = self._process.wait(END_S)
        self._reader.join(END_S)
        return code

    def kill(self) -> None:
        self._process.kill()
        self._process.wait(END_S)

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.lines.append(json.loads(line))
