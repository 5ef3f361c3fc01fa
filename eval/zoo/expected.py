"""What each program must be reported: expected.json, fixed in the repository before a program is recorded."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("expected.json")
REAL_FILE = FILE.with_name("real.json")
"""Of the zoo with real parts."""
PLACES = (
    "process-stopped",
    "reader-held",
    "serial-continuations",
    "connection-busy",
    "stream-limit",
    "slow-service",
    "own-work",
    "client-side",
)
"""Verdicts that name where late requests or calls were, where the pool was well."""


@dataclass(frozen=True)
class Program:
    """One program of the zoo."""

    name: str
    kind: str
    """healthy or sick."""
    held_out: bool
    """Whether it was written after the rules were settled, and no rule has been changed for it since."""
    seconds: float
    """Length of a launched run."""
    onset_s: float
    """When its trouble begins, seconds after its start; 0 for a program that has none."""
    verdicts: dict[str, str]
    """Accepted verdicts; each with the reason why it is right beside the first, whose reason is empty."""
    attached_verdicts: dict[str, str]
    """Those that are right besides where the collector came after the onset."""
    framework_verdicts: dict[str, dict[str, str]]
    """Those that are right besides on one framework."""
    blamed: str | None
    """A regular expression that the blamed method matches; None: no method is at fault."""
    blame_from: str | None
    """Which table names the method: blame (who blocked), cpu (who computed), or verdict (the verdict's own finding)."""
    endpoint: str | None
    """A regular expression that the endpoint matches which the verdict or its finding names; None: no endpoint is at
    fault."""
    must_not: tuple[str, ...]
    """Rules that must not say anything loud about it."""
    attached: bool
    """Whether attaching is part of the matrix."""
    fully_starved: bool
    """Whether nothing is served from the onset on, for as long as it runs."""
    needs: str | None
    """What it needs around it: see surroundings.py."""
    servers: tuple[str, ...] = ()
    """The servers that it needs: see servers.py."""
    collect: tuple[str, ...] = ()
    """Options of `poolscope-collect collect` that it is recorded with."""
    runs: str = ""
    """The program that runs, if another entry records it with other options; empty: the one of this name."""

    def accepted(self, framework: str, attached: bool) -> set[str]:
        """Returns the ids of the verdicts that are right for such a run."""
        late = self.attached_verdicts if attached else {}
        return {*self.verdicts, *late, *self.framework_verdicts.get(framework, {})}


def load(file: Path = FILE) -> dict[str, Program]:
    """Returns the programs by name, the healthy ones first. Raises ValueError for a reason that is not written down."""
    content = json.loads(file.read_text("utf-8"))
    programs = {name: _program(name, entry) for name, entry in content["programs"].items()}
    for program in programs.values():
        others = [program.attached_verdicts, *program.framework_verdicts.values()]
        given = [
            *list(program.verdicts.values())[1:],
            *(reason for group in others for reason in group.values()),
        ]
        missing = [reason for reason in given if not content["reasons"].get(reason)]
        if missing:
            raise ValueError(f"{program.name}: no reason for a second verdict: {', '.join(map(repr, missing))}")
    return programs


def _program(name: str, entry: dict[str, Any]) -> Program:
    return Program(
        name=name,
        kind=entry["kind"],
        held_out=entry.get("held_out", False),
        seconds=entry["seconds"],
        onset_s=entry["onset_s"] or 0.0,
        verdicts=entry["verdicts"],
        attached_verdicts=entry.get("attached_verdicts", {}),
        framework_verdicts=entry.get("framework_verdicts", {}),
        blamed=entry["blamed"],
        blame_from=entry.get("blame_from"),
        endpoint=entry.get("endpoint"),
        must_not=tuple(entry["must_not"]),
        attached=entry["attached"],
        fully_starved=entry["fully_starved"],
        needs=entry.get("needs"),
        servers=tuple(entry.get("servers", ())),
        collect=tuple(entry.get("collect", ())),
        runs=entry.get("runs", ""),
    )
