"""Where `poolscope-collect` is, whether a command can be started at all, and verbs of the collector: there the command becomes
the collector, so that signals, streams and the exit code are its own."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NoReturn

from poolscope.base.errors import ExitCode, PoolscopeError


VARIABLE = "POOLSCOPE_COLLECT"
"""Names the collector if it is in none of the usual places."""
NAME = "poolscope-collect"
INSTALL = "dotnet tool install --global --source FOLDER poolscope-collect"


def find_collector() -> Path:
    """Returns the collector: the one that $POOLSCOPE_COLLECT names, else the first one beside this command, inside this
    package (wheels of a platform bring it), in this repository, on PATH, or among the user's .NET tools.

    Raises PoolscopeError if there is none, with the command that installs it.
    """
    if named := os.environ.get(VARIABLE):
        found = _runnable(Path(named))
        if found is None:
            raise PoolscopeError(f"{VARIABLE}={named}: no such program", ExitCode.USAGE)
        return found
    for place in _places():
        if found := _runnable(place / NAME):
            return found
    if on_path := shutil.which(NAME):
        return Path(on_path)
    tools = Path.home() / ".dotnet" / "tools"
    if found := _runnable(tools / NAME):
        return found
    raise PoolscopeError(
        f"{NAME} is not installed: `{INSTALL}` installs it, FOLDER being the one with the packages (docs/installing.md)",
        ExitCode.UNREADABLE,
    )


def _places() -> Iterator[Path]:
    """Yields the places: beside this command, in the package, and in the repository."""
    if sys.argv and sys.argv[0]:
        yield Path(sys.argv[0]).resolve().parent
    package = Path(__file__).resolve().parents[1]
    yield package / "collector"
    yield package.parents[1] / "bin"


def _runnable(path: Path) -> Path | None:
    """Returns the program at this path, with the ending that Windows asks for; None if there is none."""
    found = shutil.which(path.name, path=str(path.parent))
    return Path(found) if found else None


def must_be_runnable(word: str) -> None:
    """Raises PoolscopeError with the exit codes that `env` and `timeout` have: 127 if there is no such program, 126
    where the file is no program.

    A name without a folder is searched for on PATH, as a shell does.
    """
    if shutil.which(word) is not None:
        return
    if not os.path.exists(word):
        instead = f"; did you mean -p {word}?" if word.isdecimal() else ""
        raise PoolscopeError(f"there is no program {word}{instead}", ExitCode.NOT_FOUND)
    if os.path.isdir(word):
        raise PoolscopeError(f"{word} is a folder, not a program", ExitCode.NOT_RUNNABLE)
    if word.lower().endswith(".dll"):
        raise PoolscopeError(f"{word} is started by dotnet: put `dotnet` before it", ExitCode.NOT_RUNNABLE)
    if not os.path.dirname(word):
        raise PoolscopeError(
            f"there is no program {word} on PATH; did you mean {os.path.join(os.curdir, word)}?", ExitCode.NOT_FOUND
        )
    raise PoolscopeError(f"{word} is not executable", ExitCode.NOT_RUNNABLE)


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
