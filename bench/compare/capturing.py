"""Making the captures that are not there yet."""

from __future__ import annotations

import json
import subprocess
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from whatif import quiet
from whatif.accuracy import DISTURBED
from whatif.capturing import COLLECT, PROGRAMS, RunFailed, drop, keep
from whatif.scenario import WORKLOADS

from .plan import Run, runs

LONGEST_S = 120
ATTEMPTS = 3
"""A run during which others used more than DISTURBED cores is made again, at most this often in all, and the quietest stays.
What the run measured has no say in it."""
NOTE = "bench.json"
"""Beside a capture: what the machine did meanwhile."""


@dataclass(frozen=True)
class Programs:
    """The commands that are run."""

    collect: Path = COLLECT
    workloads: Path = PROGRAMS[WORKLOADS]


def make(captures: Path, programs: Programs, seconds: float) -> int:
    """Makes the missing captures in their order for at most this long; returns how many are still missing.

    A run that fails is left out and tried again the next time.
    """
    until = time.monotonic() + seconds
    missing = [run for run in runs() if not (captures / run.folder).exists()]
    left = len(missing)
    for run in missing:
        if time.monotonic() >= until:
            break
        begin = time.monotonic()
        try:
            others = _quietest(captures / run.folder, run, programs)
        except RunFailed as error:
            print(f"{run.folder}: FAILED: {error}", flush=True)
            continue
        left -= 1
        print(f"{run.folder}: {time.monotonic() - begin:.1f} s, others used {others:.2f} cores", flush=True)
    return left


def _quietest(place: Path, run: Run, programs: Programs) -> float:
    """Keeps the quietest of up to ATTEMPTS runs; returns the cores that others used meanwhile. Raises RunFailed."""
    best = float("inf")
    for _ in range(ATTEMPTS):
        new = place.with_name(place.name + ".new")
        others = _record(new, run, programs)
        if others < best:
            best = others
            keep(new, place)
        else:
            drop(new)
        if best <= DISTURBED:
            break
    return best


def _record(new: Path, run: Run, programs: Programs) -> float:
    """Records one run; returns the cores that others used meanwhile."""
    drop(new)
    new.parent.mkdir(parents=True, exist_ok=True)
    command: list[str | Path] = [programs.collect, "collect", "-o", new, "--", programs.workloads, "run", *run.workload]
    before = quiet.counters()
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LONGEST_S, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise RunFailed(f"no end after {LONGEST_S} s") from error
    if done.returncode != 0:
        raise RunFailed((done.stderr.strip() or "no message").splitlines()[-1])
    others = quiet.others(before, quiet.counters())
    note = {**asdict(run), "others_cores": round(others, 3), "utc": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
    (new / NOTE).write_text(json.dumps(note) + "\n", "utf-8")
    return others
