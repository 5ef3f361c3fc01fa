"""One recording, or one look: the collector runs as a separate process, and ends as it would from a terminal."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from poolscope.base.errors import ExitCode, PoolscopeError
from poolscope.recording.collector import environment

COLLECTORS_CODES = (
    ExitCode.USAGE,
    ExitCode.UNREADABLE,
    ExitCode.INTERNAL,
    ExitCode.COULD_NOT,
    ExitCode.NOT_RUNNABLE,
    ExitCode.NOT_FOUND,
    ExitCode.INTERRUPTED,
)
"""With these codes the collector has said why it failed, and they have the same meaning here (docs/exit-codes.md). Any
other code means that it was killed."""
RECORDED = ("complete", "incomplete", "cut")
"""States of a manifest in which the recording is over."""


@dataclass(frozen=True)
class Target:
    """The target of a recording: exactly one of the three."""

    pid: int | None = None
    name: str | None = None
    command: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """The name of the capture: the program's name, without folders and extension."""
        if self.pid is not None:
            return _name_of(self.pid) or f"process-{self.pid}"
        words = (self.name,) if self.name else self.command
        # `dotnet app.dll` is named after the app.
        word = next((w for w in words if w and Path(w).stem != "dotnet" and not w.startswith("-")), words[0] or "app")
        return Path(word).stem or "app"

    def words(self) -> list[str]:
        """Returns the collector's arguments for this target."""
        if self.pid is not None:
            return ["-p", str(self.pid)]
        return ["-n", self.name] if self.name else ["--", *self.command]


@dataclass(frozen=True)
class Recorded:
    """A finished recording."""

    folder: Path
    exit_code: int | None
    """The exit code of the launched command if it ended by itself. None if there was no command, or if it ended with
    the recording."""


def capture_folder(target: Target) -> Path:
    """Returns the default folder of a capture: in `traces` if that folder exists, otherwise in the current folder."""
    stamp = time.strftime("%Y%m%d-%H%M%S")
    name = f"{target.label}-{stamp}"
    return Path("traces") / name if Path("traces").is_dir() else Path(f"{name}.poolscope")


def record(
    collector: Path,
    target: Target,
    folder: Path,
    seconds: float | None = None,
    options: Sequence[str] = (),
    output: int | None = None,
    once_recorded: Callable[[], object] = lambda: None,
) -> Recorded:
    """Records `target` into `folder`, which must be new or empty, until the target ends, `seconds` are over, or a
    signal requests the end.

    `options` are passed unchanged to the verb `collect`. Output of the collector and the program goes to this process's
    output, or their stdout to the file descriptor `output`. `once_recorded` runs on another thread when the recording
    is over, while the collector decodes it. Raises PoolscopeError if there is no capture afterwards.
    """
    length = [] if seconds is None else ["--duration", str(max(round(seconds), 1))]
    words = [str(collector), "collect", "-o", str(folder), *length, *options, *target.words()]
    try:
        with _signals_for_the_collector() as forward, _watched(folder, once_recorded):
            process = subprocess.Popen(words, stdout=output, env=environment("record"))
            forward.append(process)
            code = process.wait()
    except OSError as problem:
        raise PoolscopeError(f"{collector} cannot be run: {problem.strerror}", ExitCode.UNREADABLE) from problem
    manifest = _manifest(folder)
    if manifest is None:
        if code in COLLECTORS_CODES:
            raise PoolscopeError("nothing was recorded", ExitCode(code), said=True)
        raise PoolscopeError(f"nothing was recorded: {_end(code)}", ExitCode.INTERNAL)
    own = manifest.get("target")
    # The collector ends with the command's exit code, but with its own if it ended the command.
    passed_on = isinstance(own, dict) and own.get("exit_code") == code
    return Recorded(folder, code if target.command and passed_on else None)


POLL_S = 0.1
"""The time between two looks for the end of the recording."""


@contextmanager
def _watched(folder: Path, once_recorded: Callable[[], object]) -> Iterator[None]:
    """Calls `once_recorded` on another thread if the recording in `folder` is over before the block ends."""
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(POLL_S):
            if _manifest(folder) is not None:
                # The caller meets a failure again, and the recording is whole.
                with suppress(Exception):
                    once_recorded()
                return

    threading.Thread(target=watch, name="poolscope-once-recorded").start()
    try:
        yield
    finally:
        ended.set()


@contextmanager
def _signals_for_the_collector() -> Iterator[list[subprocess.Popen[bytes]]]:
    """Passes SIGINT and SIGTERM on to the collector, both as SIGUSR1.

    A terminal sends Ctrl-C, and a service manager SIGTERM, to both processes; `kill` sends it only to this one, and
    nothing shows which it was. After either signal, the collector treats SIGUSR1 as the same request (StopRequest.cs).
    """
    running: list[subprocess.Popen[bytes]] = []

    def nothing(_number: int, _frame: FrameType | None) -> None:
        # Windows: Ctrl-C reaches both. SIG_IGN would not do: the collector and the program that it starts would inherit
        # it.
        pass

    def passed_on(_number: int, _frame: FrameType | None) -> None:
        for process in running:
            process.send_signal(signal.SIGUSR1)

    if sys.platform == "win32":
        before = {signal.SIGINT: signal.signal(signal.SIGINT, nothing)}
    else:
        before = {number: signal.signal(number, passed_on) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield running
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end(code: int) -> str:
    """Returns how the collector ended if it had no time to say why."""
    if code >= 0:
        return f"the collector ended with exit code {code}"
    try:
        return f"the collector was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"the collector was ended by signal {-code}"


def _manifest(folder: Path) -> dict[str, object] | None:
    """Reads capture.json of a finished recording. Returns None if there is none."""
    try:
        manifest = json.loads((folder / "capture.json").read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return manifest if isinstance(manifest, dict) and manifest.get("status") in RECORDED else None


def _name_of(pid: int) -> str | None:
    """Returns the name of a process as a file name, or None if it is unknown."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return None
    decoded = [word.decode("utf-8", "replace") for word in words if word]
    return Target(command=tuple(decoded)).label if decoded else None


def look_at_dump(collector: Path, dump: Path) -> dict[str, Any]:
    """Returns the output of `poolscope look --json` for a dump. Raises PoolscopeError if it fails."""
    return look_with(collector, [str(dump)], "report")


def look_with(collector: Path, words: Sequence[str], caller: str) -> dict[str, Any]:
    """Returns the output of `poolscope look --json` with these arguments. `caller` is the calling verb. Raises
    PoolscopeError if it fails."""
    try:
        command = [str(collector), "look", "--json", *words]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, errors="replace", env=environment(caller))
    except OSError as problem:
        raise PoolscopeError(f"{collector} cannot be run: {problem.strerror}", ExitCode.UNREADABLE) from problem
    if done.returncode in COLLECTORS_CODES:
        raise PoolscopeError("nothing was read", ExitCode(done.returncode), said=True)
    if done.returncode != 0:
        raise PoolscopeError(f"the collector ended with exit code {done.returncode}", ExitCode.INTERNAL)
    found: dict[str, Any] = json.loads(done.stdout)
    return found
