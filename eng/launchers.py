"""The launchers in bin/: the commands as users type them, from any folder and through symbolic links."""

from __future__ import annotations

import shlex
from pathlib import Path

import dotnet
import repo

# -P keeps the current folder off the import path: it may contain a file named json.py.
PYTHON_OPTIONS = "-P -m poolscope"

UNIX = """\
#!/bin/sh
# Written by `eng/build.py setup`.
root=$(dirname -- "$(dirname -- "$(readlink -f -- "$0")")")
{setting}exec "$root/{program}"{options} "$@"
"""

WINDOWS = """\
@echo off
rem Written by `eng/build.py setup`.
{setting}"%~dp0..\\{program}"{options} %*
exit /b %ERRORLEVEL%
"""


def programs(*, windows: bool = repo.WINDOWS) -> dict[str, str]:
    """Returns the program behind each launcher, from the root of the repository."""
    return {
        "poolscope": ".venv/Scripts/python.exe" if windows else ".venv/bin/python",
        "poolscope-collect": repo.COLLECT.relative_to(repo.ROOT).as_posix(),
        "poolscope-workloads": repo.WORKLOADS.relative_to(repo.ROOT).as_posix(),
        "poolscope-service": repo.SERVICE.relative_to(repo.ROOT).as_posix(),
    }


def texts(*, windows: bool = repo.WINDOWS, dotnet_root: Path | None = None) -> dict[str, str]:
    """Returns the file name and text of every launcher. `dotnet_root` is for executables that do not find their runtime
    themselves."""
    result = {}
    for name, program in programs(windows=windows).items():
        options = f" {PYTHON_OPTIONS}" if name == "poolscope" else ""
        root = None if name == "poolscope" else dotnet_root
        if windows:
            setting = f'if not defined DOTNET_ROOT set "DOTNET_ROOT={root}"\n' if root else ""
            text = WINDOWS.format(setting=setting, program=program.replace("/", "\\"), options=options)
            result[f"{name}.cmd"] = text.replace("\n", "\r\n")
        else:
            default = shlex.quote(str(root))
            setting = f"export DOTNET_ROOT=${{DOTNET_ROOT:-{default}}}\n" if root else ""
            result[name] = UNIX.format(setting=setting, program=program, options=options)
    return result


def write(folder: Path = repo.BIN) -> None:
    """Writes the launchers for this platform, for the programs that exist."""
    folder.mkdir(exist_ok=True)
    there = {name for name, program in programs().items() if (folder.parent / program).exists()}
    for name, text in texts(dotnet_root=dotnet.root_to_name()).items():
        if name.removesuffix(".cmd") not in there:
            continue
        file = folder / name
        if not file.is_file() or file.read_bytes() != text.encode():
            file.write_bytes(text.encode())
        file.chmod(0o755)
