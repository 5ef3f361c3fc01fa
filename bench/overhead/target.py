"""The recorded process: a workload that reports its finished items and its CPU time."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from . import paths

END_SECONDS = 30


@dataclass(frozen=True)
class Reading:
    """Totals since the process began. `cpu_ns`: utime + stime of all its threads, like getrusage."""

    items: int
    wall_ns: int
    user_ns: int
    system_ns: int

    @property
    def cpu_ns(self) -> int:
        return self.user_ns + self.system_ns

    def since(self, before: Reading) -> Reading:
        """Returns the difference between two readings."""
        return Reading(
            self.items - before.items,
            self.wall_ns - before.wall_ns,
            self.user_ns - before.user_ns,
            self.system_ns - before.system_ns,
        )


class Target:
    """A program that answers each line with a reading; it begins at the first `read`."""

    def __init__(
        self, command: Sequence[str], cpu: int | None = None, environment: Iterable[tuple[str, str]] = ()
    ) -> None:
        """Starts the process, on CPU `cpu` alone if given."""
        pin = None if cpu is None else lambda: os.sched_setaffinity(0, {cpu})
        self._process = subprocess.Popen(
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            preexec_fn=pin,
            env={**os.environ, **dict(environment)},
        )
        self.pid = self._process.pid

    def read(self) -> Reading:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the workload ended with exit code {self._process.wait()}")
        return Reading(**json.loads(line))

    def finish(self) -> dict[str, Any]:
        """Waits for the end of a workload that ends by itself, and returns its summary."""
        assert self._process.stdout is not None
        summary: dict[str, Any] = json.loads(self._process.stdout.read())
        self.close()
        return summary

    def close(self) -> None:
        """Ends the workload if it still runs."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()


def silent_cpus(folder: str) -> int | None:
    """Returns the number of CPUs whose idle task fires no tracepoint here; None if the scheduler may not be
    recorded."""
    ask = [str(paths.SCHEDULER_ONLY), folder]
    said = subprocess.run(ask, stdin=subprocess.DEVNULL, capture_output=True, text=True).stdout
    return int(said.rsplit(":", 1)[1]) if "silent CPUs:" in said else None


def cpu_of(pid: int) -> int:
    """Returns utime + stime of a process and its ended threads, ns, in steps of a clock tick (10 ms); 0 if it has
    gone."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            fields = file.read().rsplit(")", 1)[1].split()
    except (OSError, IndexError):
        return 0
    return (int(fields[11]) + int(fields[12])) * 1_000_000_000 // os.sysconf("SC_CLK_TCK")
