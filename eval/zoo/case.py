"""One run of the matrix: the program, its framework, and the way of recording."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from poolscope.base.runtimes import TESTED
from zoo.expected import Program

FRAMEWORKS = tuple(f"net{version}.0" for version in sorted(TESTED, key=lambda version: (version != 10, -version)))
"""The first one is recorded three times."""
ATTACH_AFTER_S = {"attached": 5.0, "starved": 30.0}
"""Seconds from the onset to the attach."""
ATTACHED_FOR_S = 8.0
"""Length of an attached capture."""
SLACK_S = 8.0
"""Additional run time of the program: attaching takes a second or two, and more on a busy machine."""


@dataclass(frozen=True)
class Case:
    """One run."""

    program: Program
    framework: str
    mode: str
    number: int
    spin: bool

    @property
    def id(self) -> str:
        """The name of the run's files."""
        beside = "-spin" if self.spin else ""
        return f"{self.program.name}-{self.framework}-{self.mode}{beside}-{self.number}"

    @property
    def seconds(self) -> float:
        """Length of the program's run."""
        if self.mode == "launched":
            return self.program.seconds
        return self.program.onset_s + ATTACH_AFTER_S[self.mode] + ATTACHED_FOR_S + SLACK_S


def matrix(
    programs: list[Program],
    frameworks: list[str],
    runs: int | None,
    modes: list[str],
    spin: bool,
) -> Iterator[Case]:
    """Yields the runs. `runs` is the number of each; None: three on the first framework, one on the others."""
    for program in programs:
        for framework in frameworks:
            count = runs or (3 if framework == FRAMEWORKS[0] else 1)
            for mode in modes:
                if (mode == "attached" and not program.attached) or (mode == "starved" and not program.fully_starved):
                    continue
                # A second attach shows nothing new and takes twice as long.
                for number in range(1, (count if mode == "launched" or runs else 1) + 1):
                    yield Case(program, framework, mode, number, spin)
