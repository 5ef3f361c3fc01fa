"""The expected verdicts of each program: expected.json, committed before a program is recorded."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("expected.json")
REAL_FILE = FILE.with_name("real.json")
"""The same for the zoo with real parts."""
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
"""Verdicts that name the place of late requests or calls while the pool was healthy."""


@dataclass(frozen=True)
class Program:
    """One program of the zoo."""

    name: str
    kind: str
    """healthy or sick."""
    held_out: bool
    """Whether it was written after the rules were settled, with no rule changed for it since."""
    seconds: float
    """Length of a launched run."""
    onset_s: float
    """Begin of its fault, seconds after its start; 0 for a program without one."""
    verdicts: dict[str, str]
    """Accepted verdicts, each with the reason why it is right beside the first, whose reason is empty."""
    attached_verdicts: dict[str, str]
    """Additional right verdicts if the collector attached after the onset."""
    framework_verdicts: dict[str, dict[str, str]]
    """Additional right verdicts on one framework."""
    blamed: str | None
    """A regular expression that the blamed method matches; None: no method is at fault."""
    blame_from: str | None
    """The table that names the method: blame (who blocked), cpu (who computed), or verdict (the verdict's own
    finding)."""
    endpoint: str | None
    """A regular expression for the endpoint that the verdict or its finding names; None: no endpoint is at fault."""
    must_not: tuple[str, ...]
    """Rules that must give no severe finding about it."""
    attached: bool
    """Whether the matrix includes an attach."""
    fully_starved: bool
    """Whether nothing is served from the onset to the end."""
    needs: str | None
    """The surroundings that it needs: see surroundings.py."""
    servers: tuple[str, ...] = ()
    """The servers that it needs: see servers.py."""
    collect: tuple[str, ...] = ()
    """Options of `poolscope-collect collect` for its recording."""
    runs: str = ""
    """The program to run if another entry records it with other options; empty: the one of this name."""

    def accepted(self, framework: str, attached: bool) -> set[str]:
        """Returns the ids of the right verdicts for such a run."""
        late = self.attached_verdicts if attached else {}
        return {*self.verdicts, *late, *self.framework_verdicts.get(framework, {})}


def load(file: Path = FILE) -> dict[str, Program]:
    """Returns the programs by name, the healthy ones first. Raises ValueError if a reason is missing."""
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
