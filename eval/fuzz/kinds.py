"""The kinds of damage, and the allowed answers: a sound capture, or one of the errors that a user sees."""

from __future__ import annotations

import json
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from fuzz.memory import MemoryFiles, Original, archive_of
from fuzz.raw import damage_bytes, damage_json
from fuzz.values import damage_rows, damage_value
from poolscope.base.errors import PoolscopeError
from poolscope.capture import DecodedCapture, load_schema, open_capture
from poolscope.capture.manifest import read_manifest
from poolscope.coverage.contradictions import find_contradictions
from poolscope.evidence.busy_connections import find_busy_connections
from poolscope.evidence.late_reasons import find_slow_clients, waits_for_clients
from poolscope.measures.activities import measure_activities
from poolscope.measures.calls import measure_calls
from poolscope.measures.earlier import find_earlier_calls
from poolscope.measures.late import find_late_requests
from poolscope.measures.requests import measure_requests, split_requests
from poolscope.measures.requests.held_up import find_pool_waits
from poolscope.measures.services import load_sockets
from poolscope.measures.socket_reads import read_waits
from poolscope.product.calls import calls_json
from poolscope.product.parts import request_parts
from poolscope.product.requests import requests_json

Rng = np.random.Generator
REFUSED, READ = "refused", "read"
WEB_KIND = "web"
WEB = ("requests", "earlier_requests", "calls", "earlier_calls", "sockets", "socket_io")
"""Tables of the requests that a process served and the calls that it made."""
SCRATCH = Path("/dev/shm") if Path("/dev/shm").is_dir() else Path(tempfile.gettempdir())


def table_bytes(original: Original, rng: Rng) -> str:
    """Damages the bytes of one table, then reads and checks it."""
    table = original.tables[int(rng.integers(len(original.tables)))]
    raw = damage_bytes(original.files[f"tables/{table}.npz"], rng)
    return _read(lambda: original.with_table(table, raw), table)


def table_values(original: Original, rng: Rng) -> str:
    """Damages values or rows of one table in a sound archive, then reads it, checks it, and compares it with the
    others."""
    table = original.tables[int(rng.integers(len(original.tables)))]
    damage = damage_value if rng.random() < 0.7 else damage_rows
    arrays, _ = damage(original.arrays(table), load_schema().tables[table], rng)
    return _read(lambda: original.with_table(table, archive_of(arrays)), table, find_contradictions)


def web(original: Original, rng: Rng) -> str:
    """Damages values or rows of one table of requests, calls or sockets, then computes the report's figures from them.
    The attribution is the sound capture's; `verdicts` computes it again."""
    tables = [name for name in original.tables if name in WEB]
    table = tables[int(rng.integers(len(tables)))]
    damage = damage_value if rng.random() < 0.7 else damage_rows
    arrays, _ = damage(original.arrays(table), load_schema().tables[table], rng)
    return _read(lambda: original.with_table(table, archive_of(arrays)), table, partial(_of_web, original))


def _of_web(original: Original, capture: DecodedCapture) -> None:
    attribution = replace(original.attribution)
    io = load_sockets(capture, attribution)
    requests = measure_requests(capture, attribution)
    if requests is not None and attribution.split is not None:
        parts = split_requests(requests, attribution) if requests.whole.any() else None
        requests_json(requests, parts, attribution.items, [], None)
        request_parts(requests, parts, capture.window[0])
        find_late_requests(requests)
        if io is not None:
            find_pool_waits(requests, io)
    activities = measure_activities(capture, attribution)
    find_busy_connections(capture, attribution, io, requests, activities)
    if requests is not None and capture.has("socket_io"):
        find_slow_clients(requests, waits_for_clients(capture, requests))
    read_waits(capture)
    calls_json(measure_calls(capture, attribution.items), find_earlier_calls(capture))


def truth(original: Original, rng: Rng) -> str:
    """Damages the workload's own readings."""
    raw = damage_bytes(original.files["truth.npz"], rng)
    manifest = read_manifest(original.files["capture.json"], original.path)
    return _read(
        lambda: DecodedCapture(original.path, MemoryFiles({"truth.npz": raw}), manifest), None, lambda c: c.truth()
    )


def manifest(original: Original, rng: Rng) -> str:
    """Damages capture.json. If it is accepted, compares it with the streams and reads its window."""
    raw = damage_json(original.files["capture.json"], rng)

    def opened() -> DecodedCapture:
        return DecodedCapture(original.path, MemoryFiles(original.files), read_manifest(raw, original.path))

    return _read(opened, "streams", lambda capture: (capture.window, capture.kernel_tier, json.dumps(capture.manifest)))


def zips(original: Original, rng: Rng) -> str:
    """Damages a zip of the capture, then opens it and reads two of its tables."""
    with tempfile.TemporaryDirectory(dir=SCRATCH) as folder:
        path = Path(folder) / "damaged.zip"
        path.write_bytes(damage_bytes(_small_zip(original), rng))
        return _read(lambda: open_capture(path), "work_items", lambda capture: capture.window)


KINDS: dict[str, Callable[[Original, Rng], str]] = {
    "table-bytes": table_bytes,
    "table-values": table_values,
    WEB_KIND: web,
    "truth": truth,
    "manifest": manifest,
    "zip": zips,
}


def _read(
    opened: Callable[[], DecodedCapture], table: str | None, then: Callable[[DecodedCapture], object] | None = None
) -> str:
    """Returns the result of one run. Errors other than Poolscope's are defects and go to the caller."""
    try:
        capture = opened()
        if table is not None:
            capture.stored(table)
        if then is not None:
            then(capture)
    except PoolscopeError as error:
        assert "\n" not in str(error), "an error is one line"
        return REFUSED
    return READ


_zips: dict[Path, bytes] = {}


def _small_zip(original: Original) -> bytes:
    """Returns the manifest and three tables, deflated: in a smaller zip more of the damage hits its structure."""
    if original.path not in _zips:
        with tempfile.TemporaryDirectory(dir=SCRATCH) as folder:
            path = Path(folder) / "small.zip"
            with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
                for name in ("capture.json", "tables/streams.npz", "tables/work_items.npz", "tables/pool_limits.npz"):
                    archive.writestr(f"x/{name}", original.files[name])
            _zips[original.path] = path.read_bytes()
    return _zips[original.path]
