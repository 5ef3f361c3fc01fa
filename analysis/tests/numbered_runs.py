"""Runs made of numbers, for tests of the conclusions of a comparison."""

from __future__ import annotations

from typing import Any

import numpy as np
from poolscope.compare.quantity import QUANTITIES
from poolscope.compare.run import ComparedRun

CONDITIONS: dict[str, str | int | float | bool | None] = {
    "command": "app",
    "runtime": ".NET 10.0.12",
    "architecture": "x64",
    "host": "box",
    "kernel": "6.1.0",
    "cores": 2,
    "quota": 0,
    "min_threads": 2,
    "max_threads": 10,
    "pool": "runtime",
    "items": 100,
    "arrivals": 50.0,
    "launched": True,
    "tier": "tracepoint",
    "collector": "poolscope-collect 0.1.0",
}


def run(values=None, *, level=100.0, name="run", start="2026-01-02T03:04:05Z", spread=0.0, **changed):
    """Returns a run in which every quantity is `level` ms, except those in `values`."""
    known = {q.key: level for q in QUANTITIES} | (values or {})
    fields: dict[str, Any] = {
        "items": 100,
        "verdict": "injection-delay",
        "at_least": frozenset(),
        "unknown": {},
        **changed,
    }
    conditions = CONDITIONS | fields.pop("conditions", {})
    return ComparedRun(
        name=name,
        start_utc=start,
        values=known,
        spread=dict.fromkeys(known, spread),
        conditions=conditions,
        waits={"injection": level},
        curve=(),
        **fields,
    )


def noisy(draw: np.random.Generator, sd: float, level: float = 100.0):
    """Returns a run with one random factor common to all values and one for each value."""
    common = draw.normal(0, sd)
    return run({q.key: level * float(np.exp(common + draw.normal(0, sd / 3))) for q in QUANTITIES})
