"""Whether a command can be started at all, said before anything is recorded."""

from __future__ import annotations

import os
import shutil

from poolscope.base.errors import ExitCode, PoolscopeError


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
