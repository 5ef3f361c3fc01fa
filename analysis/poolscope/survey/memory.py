"""How much memory there is for an analysis."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

SHARE = 0.8
"""For the free memory: other programs want some meanwhile, and what is needed is an estimate."""
CGROUPS = Path("/sys/fs/cgroup")


def free_bytes(proc: Path = Path("/proc"), cgroups: Path = CGROUPS) -> int | None:
    """Returns the bytes that an analysis may take: SHARE of what is free on the machine, in the control groups of this
    process (v2 and v1) and under its limit of address space, whichever is least. None if nothing shows it, as on other
    systems than Linux."""
    if not sys.platform.startswith("linux"):
        return None
    found = [*_of_machine(proc), *_of_cgroups(proc, cgroups), *_of_limit(proc)]
    return int(SHARE * max(min(found), 0)) if found else None


def _of_machine(proc: Path) -> Iterator[int]:
    for line in _text(proc / "meminfo").splitlines():
        if line.startswith("MemAvailable:"):
            yield int(line.split()[1]) * 1024


def _of_cgroups(proc: Path, cgroups: Path) -> Iterator[int]:
    """Yields what is free in each group from that of this process up to the root. Pages of files are given back on
    demand."""
    for line in _text(proc / "self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if not controllers:
            names, root = ("memory.max", "memory.current", "inactive_file"), cgroups
        elif "memory" in controllers.split(","):
            names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
            root = cgroups / "memory"
        else:
            continue
        group = root / path.lstrip("/")
        while True:
            limit, used = _text(group / names[0]).strip(), _text(group / names[1]).strip()
            if limit.isdigit() and used.isdigit():
                stat = dict(row.split() for row in _text(group / "memory.stat").splitlines())
                yield int(limit) - int(used) + int(stat.get(names[2], 0))
            if group == root or root not in group.parents:
                break
            group = group.parent


def _of_limit(proc: Path) -> Iterator[int]:
    """Yields what `ulimit -v` leaves."""
    import resource

    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    pages = _text(proc / "self/statm").split()
    if limit != resource.RLIM_INFINITY and pages:
        yield limit - int(pages[0]) * resource.getpagesize()


def _text(path: Path) -> str:
    try:
        return path.read_text("ascii", "replace")
    except OSError:
        return ""
