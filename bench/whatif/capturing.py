"""Running a program under the collector."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from .scenario import SERVICE, STUCK_AFTER_S, WORKLOADS, Change, Program, Scenario

ROOT = Path(__file__).resolve().parents[2]
_BUILT = ROOT / "artifacts" / "bin"
COLLECT = _BUILT / "Poolscope.Collect" / "release" / "poolscope-collect"
PROGRAMS = {
    WORKLOADS: _BUILT / "Poolscope.Workloads" / "release" / WORKLOADS,
    SERVICE: _BUILT / "Poolscope.Service" / "release" / SERVICE,
}
CAPTURES = ROOT / "traces" / "whatif-check"

LONGEST_S = 240

# A changed run provides only its work items, so it is recorded as lightly as they allow.
LIGHT = ("--kernel", "none", "--no-waits", "--snapshots", "0")


class RunFailed(Exception):
    """The collector or the program ended badly; the message is its last line."""


def slug(text: str) -> str:
    """Returns the folder name for a change's name."""
    return "".join(c if c.isalnum() else "-" for c in text.lower())


def folder_of(scenario: str, change: Change | None, number: int = 0) -> Path:
    """Returns the folder of a run's capture; without a change the baseline's."""
    return CAPTURES / scenario / (f"{slug(change.name)}-{number}" if change else "baseline")


def command_of(program: Program) -> list[str]:
    """Returns the program's command line on this machine."""
    pin = [] if program.cpus is None else ["taskset", "-c", program.cpu_list()]
    return [*pin, str(PROGRAMS[program.name]), "run", *program.arguments]


def record(scenario: Scenario, change: Change | None, number: int) -> Path:
    """Runs a scenario, or a change of it, for real; returns the capture, which is not in its final place yet.

    Raises RunFailed.
    """
    place = folder_of(scenario.name, change, number)
    new = place.with_name(place.name + ".new")
    shutil.rmtree(new, ignore_errors=True)
    new.parent.mkdir(parents=True, exist_ok=True)
    program = change.program if change else scenario.baseline
    options = LIGHT if change else ()
    if change and change.deadlock:
        # The program never ends. The recording ends, and then the collector ends the program.
        options = (*options, "--duration", str(round(STUCK_AFTER_S)))
    command = [str(COLLECT), "collect", *options, "-o", str(new), "--", *command_of(program)]
    run(command, LONGEST_S, dict(program.environment))
    return new


def run(command: list[str], longest_s: float | None = None, environment: Mapping[str, str] | None = None) -> str:
    """Runs a command to its end and returns its stderr. Raises RunFailed if it fails or takes longer."""
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=longest_s,
            check=False,
            env={**os.environ, **(environment or {})},
        )
    except subprocess.TimeoutExpired as error:
        raise RunFailed(f"no end after {longest_s} s") from error
    except OSError as error:
        raise RunFailed(str(error)) from error
    if done.returncode != 0:
        raise RunFailed((done.stderr.strip() or "no message").splitlines()[-1])
    return done.stderr


def keep(new: Path, place: Path) -> None:
    """Moves a capture to its final place, replacing an earlier one."""
    shutil.rmtree(place, ignore_errors=True)
    new.rename(place)


def drop(new: Path) -> None:
    """Removes an unwanted capture."""
    shutil.rmtree(new, ignore_errors=True)
