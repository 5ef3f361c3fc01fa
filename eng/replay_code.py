"""The replay loop as machine code for Linux x64, made of its Python sources by numba and the C compiler: in .cache for the
source tree, and in the wheel for that platform.

Compiling it takes 10 to 20 s, which nobody should have to wait for on the telephone. Without it numba compiles the loop when
that pays; without numba it runs as Python.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import repo
import steps

FOLDER = repo.CACHE / "replay"
RECIPE = Path(__file__).with_name("replay_loop")
RID = "linux-x64"
""".NET's name of the platform that it is for."""
REPLAY = repo.PYPROJECT.parent / "poolscope" / "replay"


def sources() -> list[Path]:
    """Returns all that decides the bytes of the file."""
    return sorted(
        (*RECIPE.iterdir(), *(REPLAY / "loop").glob("*.py"), REPLAY / "hill_climbing.py", REPLAY / "compiled.py")
    )


def set_up() -> bool:
    """Puts the file into .cache/replay unless it is there; returns whether it tried."""
    if not possible():
        return False

    def work() -> None:
        start = time.monotonic()
        shutil.rmtree(FOLDER, ignore_errors=True)
        FOLDER.mkdir(parents=True)
        if why := _make():
            steps.say(f"replay loop: not made beforehand ({why}); numba compiles it when that pays")
            return
        steps.say(f"replay loop: done ({time.monotonic() - start:.1f} s)")

    return steps.once("replay-loop", steps.digest([path for path in sources() if path.is_file()]), [FOLDER], work)


def possible() -> bool:
    """Returns whether this machine can make it."""
    return sys.platform == "linux" and platform.machine() == "x86_64" and shutil.which("cc") is not None


def made() -> Path | None:
    """Returns the file; None if it could not be made."""
    return next(FOLDER.glob("loop-*.so"), None)


def _make() -> str:
    """Makes the file; returns why not, or nothing."""
    with tempfile.TemporaryDirectory(dir=repo.CACHE) as folder:
        code = Path(folder, "loop.o")
        emitted = output([repo.venv_python(), RECIPE / "emit.py", code])
        if emitted.returncode != 0:
            return reason(emitted.stderr)
        # The same sources make the same bytes: no build id, no path.
        options = ["-shared", "-fPIC", "-O2", "-s", "-Wl,--build-id=none", "-Wl,--wrap=pow", "-Wl,-z,defs"]
        library = Path(folder, "loop.so")
        name = emitted.stdout.strip()
        link = ["cc", *options, f'-DNATIVE="{name}"', RECIPE / "link.c", code, "-lm", "-o", library]
        linked = output(link)
        if linked.returncode != 0:
            return reason(linked.stderr)
        ask = "from poolscope.replay.machine_code import file_name; print(file_name())"
        library.replace(FOLDER / output([repo.venv_python(), "-c", ask]).stdout.strip())
    return ""


def output(command: steps.Command) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(repo.PYPROJECT.parent)}
    words = [str(part) for part in command]
    return subprocess.run(words, cwd=repo.ROOT, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True)


def reason(text: str) -> str:
    """Returns the end of what a command said: the linker's very last line only says that there was an error."""
    return "; ".join(text.strip().splitlines()[-2:]) or "no reason given"
