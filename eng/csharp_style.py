"""Checks C# style that the build does not: the order of `using` lines, and an unneeded `this.`.

Everything else in .editorconfig is an error of the build (EnforceCodeStyleInBuild), or of `dotnet format whitespace`.
The whole of `dotnet format` would load every project and run every analyzer of the build again, only for these two.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import repo

USING = re.compile(r"^(?P<wide>global )?using (?P<static>static )?(?:(?P<alias>\w+) = )?(?P<name>[\w.]+)(?P<rest>.*);$")
THIS = re.compile(r"\bthis\.\w")
NO_CODE = re.compile(r'//.*|"(?:\\.|[^"\\])*"')
"""Comments and strings in a line."""


@dataclass(frozen=True)
class Fault:
    file: Path
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.file.as_posix()}:{self.line}: {self.what}"


def _key(using: re.Match[str]) -> tuple[int, int, list[str]]:
    """Returns the sort key of a `using`, in Roslyn's order with dotnet_sort_system_directives_first."""
    name = using["alias"] or using["name"]
    kind = 2 if using["alias"] else 1 if using["static"] else 0
    parts = name.lower().split(".")
    return kind, int(kind == 2 or parts[0] != "system"), parts


def in_text(text: str, file: Path) -> Iterator[Fault]:
    """Yields every fault of one file."""
    before: re.Match[str] | None = None
    for number, line in enumerate(text.lstrip("\ufeff").splitlines(), 1):
        if using := USING.match(line):
            if before and before["wide"] == using["wide"] and _key(before) > _key(using):
                yield Fault(file, number, f"`using {using['name']}` belongs before `using {before['name']}`")
            before = using
        elif THIS.search(NO_CODE.sub("", line)):
            yield Fault(file, number, "`this.` is not needed")


def in_repository(names: list[str]) -> list[Fault]:
    """Returns every fault of the C# files in `names`, which are paths from the root of the repository."""
    files = [Path(name) for name in names if name.endswith(".cs") and (repo.ROOT / name).is_file()]
    return [fault for file in files for fault in in_text((repo.ROOT / file).read_text("utf-8"), file)]
