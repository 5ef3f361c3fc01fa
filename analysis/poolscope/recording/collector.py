"""Finds `poolscope-collect`, checks that a command can be started, and runs verbs of the collector.

The command is replaced by the collector, so that signals, streams and the exit code are the collector's own.
"""

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
"""The variable that names the collector if it is in none of the usual places."""
NAME = "poolscope-collect"
INSTALL = "dotnet tool install --global --source FOLDER poolscope-collect"


def find_collector() -> Path:
    """Returns the collector that $POOLSCOPE_COLLECT names, or the first one found.

    The places are beside this command, inside this package (platform wheels contain it), in this repository, on PATH,
    and among the user's .NET tools. Raises PoolscopeError if there is none, with the command that installs it.
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
    """Returns the program at this path, with the extension that Windows needs, or None if there is none."""
    found = shutil.which(path.name, path=str(path.parent))
    return Path(found) if found else None


def must_be_runnable(word: str) -> None:
    """Raises PoolscopeError with the exit codes of `env` and `timeout`: 127 if there is no such program, 126 if the
    file is not executable.

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
"""The variable with the verb of `poolscope` that called the collector, or `poolscope` itself, so that the collector's
messages name that command. The collector does not pass the variable to the programs that it starts (CommandName.cs)."""
IGNORED_BY_PYTHON = ("SIGPIPE", "SIGXFSZ")
"""Signals that the interpreter ignores. A program that replaces it would inherit that."""
HINTS_S = 2.0
"""The timeout of completion, seconds: a later answer is useless to the user who pressed Tab."""


def environment(caller: str) -> dict[str, str]:
    """Returns this process's environment, extended for a collector that `caller` runs."""
    return {**os.environ, CALLER: caller}


def hand_over(collector: Path, words: Sequence[str]) -> NoReturn:
    """Replaces this process with the collector. On Windows, waits for the collector and ends with its exit code.

    `words` are the collector's arguments. Raises PoolscopeError if it cannot be run.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    command = [str(collector), *words]
    try:
        if sys.platform == "win32":
            # exec on Windows would return to the prompt at once. Ctrl-C reaches both processes; the collector decides
            # what it means.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            sys.exit(subprocess.run(command, env=environment("poolscope")).returncode)
        for name in IGNORED_BY_PYTHON:
            signal.signal(getattr(signal, name), signal.SIG_DFL)
        os.execve(collector, command, environment("poolscope"))
    except OSError as problem:
        raise PoolscopeError(f"{collector} cannot be run: {problem.strerror}", ExitCode.UNREADABLE) from problem


def suggestions(collector: Path, words: Sequence[str], incomplete: str) -> list[str]:
    """Returns the collector's completions of `incomplete` after these words. Empty if it does not answer."""
    line = " ".join([*words, incomplete])
    command = [str(collector), f"[suggest:{len(line)}]", line]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=HINTS_S)
    except (OSError, subprocess.TimeoutExpired):
        return []
    return [word for word in done.stdout.splitlines() if word.startswith(incomplete)] if done.returncode == 0 else []
