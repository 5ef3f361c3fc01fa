"""Writes a capture folder from columns: a column that a table is not given is written as absent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from poolscope.capture import load_schema
from poolscope.capture.npz import write_table

from .pool_run import BASE, CPUS, MIN_THREADS, PID


def write(folder: Path, columns: dict[str, dict[str, Any]], length: int) -> None:
    (folder / "tables").mkdir(parents=True)
    rows = {}
    for name, schema in load_schema().tables.items():
        if name in ("item_parts", "request_parts"):
            continue
        given = columns.get(name, {})
        count = max((len(values) for values in given.values() if np.ndim(values)), default=0)
        rows[name] = count
        frame = {}
        for column in schema.columns:
            missing = None if column.type == "string" else 0 if column.type in ("enum", "flags") else -1
            values = given.get(column.name, np.nan if column.type == "float64" else missing)
            frame[column.name] = values if np.ndim(values) else [values] * count if values is None else values
        write_table(folder / "tables" / f"{name}.npz", schema, pd.DataFrame(frame, index=range(count)))
    (folder / "capture.json").write_text(json.dumps(_manifest(length) | {"tables": rows}))


def _manifest(length: int) -> dict[str, Any]:
    return {
        "format": 1,
        "tool": {"name": "poolscope-collect", "version": "0.1.0"},
        "status": "complete",
        "stop": "duration",
        "clock": {"id": "CLOCK_MONOTONIC", "start_ns": BASE, "start_utc": "2026-01-02T03:04:05.678Z"},
        "host": {
            "name": "synthetic",
            "os": "Linux",
            "kernel": "6.1.0",
            "architecture": "x64",
            "cpus_online": CPUS,
            "memory_bytes": 2**34,
        },
        "target": {
            "pid": PID,
            "name": "app",
            "command": ["app", "--serve"],
            "launched": False,
            "exit_code": None,
            "runtime": ".NET 10.0.12",
            "cpus_allowed": CPUS,
            "cpu_quota": None,
            "processor_count": CPUS,
            "min_threads": {"value": MIN_THREADS, "known": "default"},
            "max_threads": {"value": 32767, "known": "default"},
        },
        "phases": [{"name": "recording", "start_ns": BASE, "end_ns": BASE + length}],
        "streams": [],
        "refused": [],
    }
