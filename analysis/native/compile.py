"""Compiles the native extension: `python compile.py FOLDER`.

Uses this machine's C++ compiler and builds for this Python and later ones. If it fails, it ends with one line that says
why. The build engine and the package's build hook run it.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

HERE = Path(__file__).resolve().parent
NAME = "extension.abi3.so"
OPTIONS = [
    "-std=c++17", "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-Wall", "-Wextra",
    # Numbers match Python's to the bit: no operations are contracted, and sin and cos are two calls.
    "-ffp-contract=off", "-fno-math-errno", "-fno-builtin-sin", "-fno-builtin-cos",
    # The same sources give the same bytes.
    "-s", "-Wl,--build-id=none",
]  # fmt: skip


def compiler() -> str | None:
    """Returns the C++ compiler. None if there is none, or on an unsupported platform."""
    return shutil.which(os.environ.get("CXX", "c++")) if sys.platform == "linux" else None


def lacking() -> str:
    """Returns what is missing here, or an empty text."""
    if compiler() is None:
        return "no C++ compiler"
    include = sysconfig.get_path("include")
    return "" if Path(include, "Python.h").is_file() else f"no Python.h in {include}"


def compile_into(folder: Path) -> str:
    """Puts the extension into the folder. Returns the reason if it fails, otherwise an empty text."""
    if why := lacking():
        return why
    # For every processor of this architecture, not only for this one.
    machine = ["-march=x86-64"] if platform.machine() == "x86_64" else []
    command = [str(compiler()), *OPTIONS, *machine, f"-I{sysconfig.get_path('include')}", "module.cpp"]
    ran = subprocess.run([*command, "-o", str(folder / NAME)], cwd=HERE, capture_output=True, text=True)
    # A compiler's first error explains more than its last line.
    errors = [line for line in ran.stderr.splitlines() if "error" in line]
    return (errors or ran.stderr.strip().splitlines() or ["no reason given"])[0] if ran.returncode else ""


if __name__ == "__main__":
    sys.exit(compile_into(Path(sys.argv[1])) or 0)
