"""Captures out of other tools' files: the collector makes them."""

from __future__ import annotations

import subprocess
from pathlib import Path

from poolscope.base.errors import ExitCode, PoolscopeError
from poolscope.capture.archive import MANIFEST
from poolscope.recording.run import COLLECTORS_CODES

ENDING = ".nettrace"
MAGIC = (b"Nettrace", b"\x14\0\0\0!FastSerialization.1")
"""How a .nettrace begins, and how its forerunner .netperf does, of which the collector says what it is."""
FOLDER = ".poolscope"


def is_trace(path: Path) -> bool:
    """Whether a path is a .nettrace file of its own, by its name or its first bytes. A capture folder, a zip, or a stream of
    a capture is none."""
    if not path.is_file() or (path.parent / MANIFEST).is_file():
        return False
    if path.suffix.lower() == ENDING:
        return True
    try:
        with open(path, "rb") as file:
            return file.read(len(MAGIC[1])).startswith(MAGIC)
    except OSError:
        return False


def made_folder(trace: Path) -> Path:
    """Returns the folder that the collector makes of a trace: beside it, by its name."""
    return trace.with_name((trace.stem if trace.suffix.lower() == ENDING else trace.name) + FOLDER)


def make_capture(collector: Path, trace: Path, scheduler: Path | None) -> Path:
    """Makes a capture of a .nettrace and, where there is one, of the perf.data that was recorded beside it, or of the text of
    that. Returns its folder.

    What the collector says goes to stderr. Raises PoolscopeError where none can be made; then nothing is left behind.
    """
    folder = made_folder(trace)
    beside = [] if scheduler is None else ["--scheduler", str(scheduler)]
    try:
        code = subprocess.run(
            [str(collector), "decode", str(trace), "-o", str(folder), *beside], check=False
        ).returncode
    except OSError as problem:
        raise PoolscopeError(f"{collector} cannot be run: {problem.strerror}", ExitCode.UNREADABLE) from problem
    if code in COLLECTORS_CODES:
        raise PoolscopeError("the trace was not decoded", ExitCode(code), said=True)
    if code != 0:
        raise PoolscopeError(f"{trace} was not decoded: the collector ended with exit code {code}", ExitCode.INTERNAL)
    return folder
