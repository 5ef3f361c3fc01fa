"""The surroundings of some programs: a CPU quota, a name server that never answers, an environment variable."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from zoo.failed import RunFailed

CGROUPS = Path("/sys/fs/cgroup")
PERIOD_US = 100_000
"""The kernel's default."""
EMPTY_WITHIN_S = 5.0
"""Maximum time that a cgroup keeps a process that has just ended."""


@contextmanager
def around(need: str | None) -> Iterator[list[str]]:
    """Provides the surroundings; yields the words before the program's command. Raises RunFailed."""
    if need is None:
        yield []
    elif need == "half-a-core":
        with _quota(0.5) as words:
            yield words
    elif need == "mute-dns":
        with _name_server("127.0.0.77") as words:
            yield words
    elif need == "many-threads":
        yield ["env", "DOTNET_ThreadPool_ForceMinWorkerThreads=1C"]
    elif need == "inline-completions":
        yield ["env", "DOTNET_SYSTEM_NET_SOCKETS_INLINE_COMPLETIONS=1"]
    else:
        raise RunFailed(f"unknown need '{need}'")


@contextmanager
def _quota(cores: float) -> Iterator[list[str]]:
    parent = CGROUPS / "cpu" if (CGROUPS / "cpu").is_dir() else CGROUPS
    group = parent / f"poolscope-zoo-{os.getpid()}"
    try:
        group.mkdir()
        quota = int(cores * PERIOD_US)
        if parent == CGROUPS:
            (group / "cpu.max").write_text(f"{quota} {PERIOD_US}")
        else:
            (group / "cpu.cfs_period_us").write_text(str(PERIOD_US))
            (group / "cpu.cfs_quota_us").write_text(str(quota))
    except OSError as problem:
        raise RunFailed(f"a CPU quota needs root and a writable cgroup with the cpu controller: {problem}") from problem
    try:
        yield ["sh", "-c", f'echo $$ > {group}/cgroup.procs && exec "$0" "$@"']
    finally:
        _remove(group)


def _remove(group: Path) -> None:
    until = time.monotonic() + EMPTY_WITHIN_S
    while True:
        try:
            group.rmdir()
            return
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)


@contextmanager
def _name_server(address: str) -> Iterator[list[str]]:
    """Yields words that give the program its own resolv.conf in its own mount namespace; the program starts the server
    itself."""
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as file:
        file.write(f"nameserver {address}\noptions timeout:1 attempts:1\n")
        file.flush()
        yield [
            "unshare",
            "-m",
            "sh",
            "-c",
            f'mount --bind {file.name} /etc/resolv.conf && exec "$0" "$@"',
        ]
