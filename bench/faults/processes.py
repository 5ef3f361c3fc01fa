"""The recorded program and the collector, observed from outside through /proc alone."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
_BUILT = ROOT / "artifacts" / "bin"
COLLECT = _BUILT / "Poolscope.Collect" / "release" / "poolscope-collect"
TARGET = _BUILT / "Poolscope.Collect.Tests.Target" / "release" / "Poolscope.Collect.Tests.Target.dll"

# Longest wait for an expected event. On a machine short of cores a .NET process takes seconds to start.
PATIENCE_S = 30.0

# A program that prints every 20 ms is stuck if it prints nothing for this long.
SILENCE_S = 10.0


def target(verb: str, milliseconds: int) -> list[str]:
    """Returns the command line of a program to record; each line of its output shows that it is alive."""
    return ["dotnet", str(TARGET), verb, str(milliseconds)]


class Program:
    """A process whose lines of output are counted as they arrive."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str] | None = None, **popen: Any) -> None:
        self.process = subprocess.Popen(
            [str(word) for word in command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **(environment or {})},
            **popen,
        )
        self.lines: list[str] = []
        self.errors: list[str] = []
        self._readers = [
            threading.Thread(target=self._read, args=pair, daemon=True)
            for pair in ((self.process.stdout, self.lines), (self.process.stderr, self.errors))
        ]
        for reader in self._readers:
            reader.start()

    @staticmethod
    def _read(pipe: Any, lines: list[str]) -> None:
        for line in pipe:
            lines.append(line.rstrip("\n"))

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def ended(self) -> bool:
        return self.process.poll() is not None

    @property
    def silent_for_good(self) -> bool:
        """Whether no process holds its output open any more, neither the program nor those that it started."""
        return not any(reader.is_alive() for reader in self._readers)

    def goes_on(self) -> bool:
        """Returns whether it prints more lines from now on."""
        before = len(self.lines)
        return wait_until(lambda: len(self.lines) > before + 1, SILENCE_S)

    def finish(self, timeout: float = PATIENCE_S) -> int:
        """Waits for its end and for its last line; returns the exit code."""
        code = self.process.wait(timeout)
        for reader in self._readers:
            reader.join(1)
        return code

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


def collector(*arguments: object, environment: Mapping[str, str] | None = None, **popen: Any) -> Program:
    """Starts poolscope-collect."""
    return Program([str(COLLECT), *map(str, arguments)], environment, **popen)


def wait_until(holds: Callable[[], bool], seconds: float = PATIENCE_S) -> bool:
    """Returns whether a condition becomes true within `seconds`."""
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def alive(pid: int) -> bool:
    """Returns whether a process runs; one that has ended and was not waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except (OSError, IndexError):
        return False


def thread_names(pid: int) -> list[str]:
    """Returns the names of a process's threads; none if it is gone."""
    names = []
    for thread in Path(f"/proc/{pid}/task").glob("*/comm"):
        try:
            names.append(thread.read_text().strip())
        except OSError:
            pass
    return names


def status(pid: int, name: str) -> str:
    """Returns a line of /proc/PID/status without its name, or `?` if the process is gone."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        return next(" ".join(line.split()[1:]) for line in lines if line.startswith(name + ":"))
    except (OSError, StopIteration):
        return "?"


def suspended(pid: int) -> bool:
    """Returns whether a .NET process waits at its start: the runtime creates its finalizer thread right after that."""
    names = thread_names(pid)
    return ".NET EventPipe" in names and ".NET Finalizer" not in names


def sessions(pid: int) -> int:
    """Returns the number of open event sessions in a .NET process: each has a thread, and one more thread takes
    commands."""
    return max(0, sum(name.startswith(".NET EventPipe") for name in thread_names(pid)) - 1)


def children(pid: int) -> list[int]:
    """Returns the running processes that a process has started."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(")", 1)[1].split()
        except (OSError, IndexError):
            continue
        if int(fields[1]) == pid and fields[0] not in "ZX":
            found.append(int(stat.parent.name))
    return found


def leftovers() -> set[str]:
    """Returns the folders of launches in the temporary folder: six random letters. Folders of tests have a word before
    these."""
    return {path.name for path in Path("/tmp").glob("poolscope-??????")}


def end(pid: int) -> None:
    """Kills a process that a scenario started, if it still exists."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
