"""Sick programs of the zoo whose fix is a setting or an await: the runs of each, unchanged and with the fix.

No event of a capture is the truth: the clients of a web program, or the items of another one, measure the time
themselves.
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .capturing import COLLECT, ROOT, RunFailed, drop, run

PROGRAM = ROOT / "artifacts" / "zoo" / "net10.0" / "zoo"
LONGEST_RUN_S = 45
"""Maximum length of a run. A program ends earlier, once all its work is done."""
CLIENT, ITEMS = "client", "items"
"""The two clocks that measure durations."""


@dataclass(frozen=True)
class ZooProgram:
    """A program, and the end of its load (seconds from its start; the fault begins after two)."""

    name: str
    clock: str
    load_until_s: float = 5
    dedicated: bool = False
    """Whether it has a form in which each item has its own thread (`--dedicated`)."""

    def command(self, *options: str) -> list[str]:
        """Returns the program's command line with these options."""
        base = ["--seconds", str(LONGEST_RUN_S), "--load-until", str(self.load_until_s), "--clock"]
        return [str(PROGRAM), self.name, *base, *options]


PROGRAMS = (
    ZooProgram("checkout-result", CLIENT, load_until_s=3.2),
    ZooProgram("payments-getresult", CLIENT, load_until_s=3.5),
    ZooProgram("customer-database", CLIENT, load_until_s=4),
    ZooProgram("legacy-bridge", CLIENT),
    ZooProgram("login-gate", CLIENT, load_until_s=4),
    ZooProgram("search-api", CLIENT),
    ZooProgram("warehouse-sync", CLIENT, load_until_s=4),
    ZooProgram("partner-gateway", ITEMS, load_until_s=8),
    ZooProgram("geocode-limiter", ITEMS, load_until_s=2.4),
    ZooProgram("robot-control", ITEMS),
    ZooProgram("scale-import", ITEMS, dedicated=True),
    ZooProgram("pdf-converter", ITEMS),
)


@dataclass(frozen=True)
class Clock:
    """The measurements of clients or items in one run, in ms."""

    begun: int
    done: int
    mean_ms: float
    p99_ms: float


@dataclass(frozen=True)
class Kept:
    """Paths of a program's runs: the recorded one with its capture, and those with a fix."""

    folder: Path

    @property
    def capture(self) -> Path:
        return self.folder / "baseline"

    @property
    def baseline(self) -> Path:
        """The output of the recorded run, which exists only if the run is complete."""
        return self.folder / "baseline.log"

    def fixed(self, fix: str, number: int) -> Path:
        """Returns the output of a run with a fix."""
        return self.folder / f"{fix.replace(':', '-')}-{number}.log"


def record(program: ZooProgram, kept: Kept, under: str) -> None:
    """Records the program unchanged. `under`: words before the command. Raises RunFailed."""
    drop(kept.capture)
    _run(
        [*shlex.split(under), str(COLLECT), "collect", "-o", str(kept.capture), "--", *program.command()], kept.baseline
    )


def run_fixed(program: ZooProgram, options: Sequence[str], log: Path, under: str) -> None:
    """Runs the program with a fix, without Poolscope. Raises RunFailed."""
    _run([*shlex.split(under), *program.command(*options)], log)


def _run(command: list[str], log: Path) -> None:
    log.parent.mkdir(parents=True, exist_ok=True)
    # There is no limit for the wait for a quiet machine; the program has its own.
    told = run(command)
    new = log.with_suffix(".tmp")
    new.write_text(told, "utf-8")
    os.replace(new, log)


def read_clock(log: Path, clock: str) -> Clock:
    """Reads the clock's line of a run. Raises RunFailed if there is none."""
    for line in log.read_text("utf-8").splitlines():
        if line.startswith('{"clock"') and (told := json.loads(line))["clock"] == clock:
            return Clock(told["begun"], told["done"], told["mean_ms"], told["p99_ms"])
    raise RunFailed(f"{log} has no line of the clock '{clock}'")


def options_of(fix: str, label: str, program: ZooProgram) -> tuple[str, ...] | None:
    """Returns the options that apply a fix of analysis.json to the program, or None if the program has none for it."""
    kind, _, number = fix.partition(":")
    if kind == "threads" and number:
        return ("--min-threads", number)
    if kind == "max-threads" and number:
        both = ("--min-threads", number) if "minimum" in label else ()
        return (*both, "--max-threads", number)
    if kind == "dedicated" and program.dedicated:
        return ("--dedicated",)
    return ("--fixed",) if kind == "await" else None
