"""Looks at programs of the zoo with a fully starved pool, and compares the queue by method with the program's own
count."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from zoo.expected import load

from .targets import CENSUS, COLLECT, ZOO, running

AFTER_S = 30.0
"""Time from the onset to the look."""
SLACK_S = 60.0
UNKNOWN = re.compile(r" \((lambda|a method of it)\)$")
"""The end of a name that the look knows only by its object's class."""


def run(framework: str) -> list[dict[str, Any]]:
    """Starts every fully starved program at once, because they wait and do not compute, and looks at each in turn."""
    programs = [program for program in load().values() if program.fully_starved]
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="poolscope-look-") as folder, ExitStack() as stack:
        begun = time.monotonic()
        started = []
        for program in programs:
            census = Path(folder) / program.name
            command = [str(ZOO / framework / "zoo"), program.name, "--seconds", str(AFTER_S + SLACK_S)]
            environment = {**os.environ, "DOTNET_STARTUP_HOOKS": str(CENSUS), "POOLSCOPE_CENSUS": str(census)}
            started.append((program, census, stack.enter_context(running(command, environment, wait=False))))
        time.sleep(max(0.0, begun + max(program.onset_s for program in programs) + AFTER_S - time.monotonic()))
        for program, census, process in started:
            row = _look(process.pid, census)
            right = row["verdict"] in program.accepted(framework, attached=True)
            rows.append({"program": program.name, "framework": framework, **row, "verdict_right": right})
            print(json.dumps(rows[-1]), flush=True)
    return rows


def _look(pid: int, census: Path) -> dict[str, Any]:
    begin = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1_000_000
    command = [str(COLLECT), "look", "-p", str(pid), "--json"]
    look = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    end = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1_000_000
    time.sleep(0.6)
    lines = [json.loads(line) for line in census.read_text("utf-8").splitlines() if line.endswith("}")]
    near = [line["items"] for line in lines if begin - 300 <= line["at_ms"] <= end + 300]
    items = {item["method"]: 0 for item in look["queue"]["items"]}
    for item in look["queue"]["items"]:
        items[item["method"]] += item["count"]
    return {
        "verdict": look["verdict"]["id"],
        "length": look["queue"]["length"],
        "counts": len(near),
        **compare(items, near),
    }


def compare(looked: Mapping[str, int], own: Sequence[Mapping[str, int]]) -> dict[str, Any]:
    """Returns how far the look's counts lie outside the range of the program's own counts around it; the queue grows
    meanwhile. `off` is the sum over methods, as a share of the program's items."""
    names = {name for counts in own for name in counts}
    told: Counter[str] = Counter()
    for method, count in looked.items():
        told[_as_counted(method, names)] += count
    off, rows = 0, {}
    for name in sorted({*names, *told}):
        seen = [counts.get(name, 0) for counts in own]
        least, most = min(seen, default=0), max(seen, default=0)
        off += max(0, told[name] - most, least - told[name])
        rows[name] = {"look": told[name], "own": [least, most]}
    total = max((sum(counts.values()) for counts in own), default=0)
    return {"off": off / total if total else None, "items": rows}


def _as_counted(method: str, names: set[str]) -> str:
    """Finds the program's name for a method. A class alone stands for its only queued method."""
    plain = _without_type_arguments(method)
    if plain in names:
        return plain
    if UNKNOWN.search(plain):
        owner = UNKNOWN.sub("", plain)
        candidates = [name for name in names if name.startswith(f"{owner}.")]
        if len(candidates) == 1:
            return candidates[0]
    return plain


def _without_type_arguments(method: str) -> str:
    before = None
    while before != method:
        before, method = method, re.sub(r"<[^<>]*>", "", method)
    return method


def totals(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Counts over programs and runtimes."""
    known = [row["off"] for row in rows if row["off"] is not None]
    return {
        "looks": len(rows),
        "within_2_percent": sum(value <= 0.02 for value in known),
        "off_max": max(known, default=None),
        "verdict_right": sum(row["verdict_right"] for row in rows),
    }
