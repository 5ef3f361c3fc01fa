"""One step of the build: a command with one line of output, and a stamp that lets the next run skip it."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import repo

Command = Sequence[object]


def say(text: str) -> None:
    """Prints one line of progress at once, so that a redirected build can be followed too."""
    print(text, flush=True)


@contextmanager
def step(name: str) -> Iterator[None]:
    """Times a step and prints its line when it ends, whether it succeeded or not."""
    start = time.monotonic()
    try:
        yield
    except BaseException:
        say(f"{name}: failed ({time.monotonic() - start:.1f} s)")
        raise
    say(f"{name}: done ({time.monotonic() - start:.1f} s)")


def run(name: str, command: Command, *, env: dict[str, str] | None = None, cwd: Path = repo.ROOT) -> None:
    """Runs a command as a step: prints nothing of it if it succeeds, all of its output if it fails.

    The output goes through a file, not a pipe: a compiler server that outlives its command would keep a pipe open and
    the build waiting.
    """
    log = repo.CACHE / "logs" / f"{name.replace(' ', '-')}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    with step(name):
        with log.open("wb") as output:
            code = subprocess.run(
                [str(part) for part in command],
                cwd=cwd,
                env={**os.environ, **(env or {})},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            ).returncode
        if code != 0:
            sys.stdout.write(log.read_text(errors="replace"))
            raise repo.BuildError(f"{name} ended with exit code {code}: {' '.join(str(part) for part in command)}")


def call(command: Command, *, env: dict[str, str] | None = None, cwd: Path = repo.ROOT) -> int:
    """Runs a command with its output shown, and returns its exit code."""
    return subprocess.run([str(part) for part in command], cwd=cwd, env={**os.environ, **(env or {})}).returncode


def answers(command: Command, *, timeout: float) -> bool:
    """Returns whether a command succeeds within `timeout` seconds; its output is discarded."""
    try:
        return (
            subprocess.run(
                [str(part) for part in command],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=timeout,
            ).returncode
            == 0
        )
    except (OSError, subprocess.TimeoutExpired):
        return False


def digest(files: Iterable[Path], *words: str) -> str:
    """Hashes files (names and bytes) and words. The hash changes if an input of the step changes, and not with the
    clock."""
    total = hashlib.sha256()
    for file in files:
        total.update(os.path.relpath(file, repo.ROOT).encode() + b"\0")
        total.update(hashlib.sha256(file.read_bytes()).digest())
    for word in words:
        total.update(word.encode() + b"\0")
    return total.hexdigest()


def is_done(name: str, key: str, outputs: Sequence[Path], *, cache: Path = repo.CACHE) -> bool:
    """Returns whether a step succeeded before with the same key and its outputs still exist."""
    stamp = cache / "stamps" / name
    return stamp.is_file() and stamp.read_text() == key and all(output.exists() for output in outputs)


def once(name: str, key: str, outputs: Sequence[Path], work: Callable[[], None], *, cache: Path = repo.CACHE) -> bool:
    """Runs `work` unless it succeeded before with the same key and its outputs still exist.

    Returns whether it ran. A failure leaves no stamp, so the next run tries again.
    """
    if is_done(name, key, outputs, cache=cache):
        return False
    stamp = cache / "stamps" / name
    stamp.unlink(missing_ok=True)
    work()
    stamp.parent.mkdir(parents=True, exist_ok=True)
    stamp.write_text(key)
    return True
