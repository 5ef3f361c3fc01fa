"""The versions of .NET that Poolscope is tested on."""

from __future__ import annotations

import re

TESTED = (8, 9, 10, 11)
"""Major versions that the live tests and the zoo record, oldest first. A check compares `eng/zoo_runs.py`, which runs
without this package, with it."""


def major(runtime: str | None) -> int | None:
    """Returns 10 for ".NET 10.0.12"; None if unknown, and for .NET Framework and .NET Core."""
    found = re.match(r"\.NET (\d+)\.", runtime or "")
    return int(found[1]) if found else None


def untested(runtime: str | None) -> str | None:
    """Returns a sentence if a runtime is newer than every tested version; None otherwise."""
    version = major(runtime)
    if version is None or version <= TESTED[-1]:
        return None
    tested = f"{', '.join(map(str, TESTED[:-1]))} and {TESTED[-1]}"
    return f"Poolscope was tested on .NET {tested}, not on .NET {version}: its events may mean something else."
