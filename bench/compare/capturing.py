"""Makes the captures that do not exist yet."""

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
"""Maximum number of runs in place of a disturbed one, during which other programs used more than DISTURBED cores. The
quietest run is kept, whatever it measured."""
NOTE = "bench.json"
"""File beside a capture with the machine's state during it."""


@dataclass(frozen=True)
class Programs:
    """The commands of a run."""

    collect: Path = COLLECT
    workloads: Path = PROGRAMS[WORKLOADS]


def make(captures: Path, programs: Programs, seconds: float) -> int:
    """Makes the missing captures in order for at most `seconds`; returns how many are still missing.

    A failed run is left out and tried again the next time.
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
    """Keeps the quietest of up to ATTEMPTS runs; returns the cores that other programs used meanwhile. Raises
    RunFailed."""
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
    """Records one run; returns the cores that other programs used meanwhile."""
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
