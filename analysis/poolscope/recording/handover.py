"""Verbs of the collector: the command becomes the collector, so that signals, streams and the exit code are its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from poolscope.base.errors import ExitCode, PoolscopeError

CALLER = "POOLSCOPE_CALLER"
"""Tells the collector which verb of `poolscope` called it, or `poolscope` itself: it then names that command in what it
says. It keeps the variable from the programs that it starts (CommandName.cs)."""
IGNORED_BY_PYTHON = ("SIGPIPE", "SIGXFSZ")
"""Signals that the interpreter ignores; what a program ignores, the one that takes its place would ignore too."""
HINTS_S = 2.0
"""Completion gives up after this long: an answer that comes later is of no use to who pressed Tab."""


def environment(caller: str) -> dict[str, str]:
    """Returns this process's environment for a collector that `caller` runs."""
    return {**os.environ, CALLER: caller}


def hand_over(collector: Path, words: Sequence[str]) -> NoReturn:
    """Replaces this process by the collector with these arguments. On Windows, waits for it and ends with its exit code.

    Raises PoolscopeError if it cannot be run.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    command = [str(collector), *words]
    try:
        if sys.platform == "win32":
            # Its exec would give the prompt back at once. Ctrl-C reaches both: the collector decides what it means.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            sys.exit(subprocess.run(command, env=environment("poolscope")).returncode)
        for name in IGNORED_BY_PYTHON:
            signal.signal(getattr(signal, name), signal.SIG_DFL)
        os.execve(collector, command, environment("poolscope"))
    except OSError as problem:
        raise PoolscopeError(f"{collector} cannot be run: {problem.strerror}", ExitCode.UNREADABLE) from problem


def suggestions(collector: Path, words: Sequence[str], incomplete: str) -> list[str]:
    """Returns what the collector offers in place of `incomplete` after these words; nothing if it does not answer."""
    line = " ".join([*words, incomplete])
    command = [str(collector), f"[suggest:{len(line)}]", line]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=HINTS_S)
    except (OSError, subprocess.TimeoutExpired):
        return []
    return [word for word in done.stdout.splitlines() if word.startswith(incomplete)] if done.returncode == 0 else []
