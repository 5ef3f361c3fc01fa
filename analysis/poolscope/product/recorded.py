"""The contents of a recording besides its work items, in the form of analysis.json.

These are the card of the capture, the part that was analysed, the kinds of events, the runtime's counters, and
contended locks and other waits by stack.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import cast

import numpy as np
import pandas as pd

from poolscope.attribution import Attribution
from poolscope.base.arrays import FloatArray
from poolscope.base.sketch import ALPHA
from poolscope.base.units import NS_PER_S
from poolscope.blame.stacks import StackNames, stack_names
from poolscope.capture import DecodedCapture
from poolscope.capture.part import Part
from poolscope.capture.schema import enum, load_schema
from poolscope.contract.analysis_json import (
    CapacityJson,
    CaptureCardJson,
    CountersJson,
    EventCountJson,
    EventsJson,
    LookJson,
    PartJson,
    ThreadWaitJson,
    ThreadWaitsJson,
)
from poolscope.coverage.gaps import without_work_items
from poolscope.executions.capacity import cores_over_time
from poolscope.measures.counted_waits import WaitBounds, intervals, longest_stall, wait_bounds
from poolscope.measures.quota import stolen_share
from poolscope.naming import is_user, own_index
from poolscope.naming.choice import kind_of, user_method


def capture_card(capture: DecodedCapture) -> CaptureCardJson:
    """Returns the card of the capture, from the manifest, and the window in which items were recorded."""
    start, stop = capture.window
    manifest = capture.manifest
    streams = capture.table("streams")
    return {
        "name": capture.path.name,
        "status": manifest.get("status"),
        "stop": manifest.get("stop"),
        "start_utc": manifest["clock"]["start_utc"],
        "window_ns": [start, stop],
        "seconds": round((stop - start) / NS_PER_S, 6),
        "host": manifest["host"],
        "target": manifest["target"],
        "tool": manifest["tool"],
        "labels": [{"key": key, "value": value} for key, value in sorted((manifest.get("labels") or {}).items())],
        "made_from": manifest.get("made_from"),
        "look": _look(manifest.get("look")),
        "look_at_end": _look(manifest.get("look_at_end")),
        "refused": manifest.get("refused") or [],
        "capacity": _capacity(capture),
        "stolen_share": _stolen_share(capture),
        "streams": [
            {
                "file": str(s.file),
                "tier": str(s.tier),
                "events": int(s.events),
                "bytes": int(s.bytes),
                "lost": int(s.lost),
            }
            for s in streams.itertuples()
        ],
    }


def _look(look: Mapping[str, object] | None) -> LookJson | None:
    """Returns a manifest's look in the form of analysis.json, which leaves out `time_ns`."""
    if look is None:
        return None
    return cast(LookJson, {key: look[key] for key in LookJson.__annotations__})


def _stolen_share(capture: DecodedCapture) -> float | None:
    share, (start, stop) = stolen_share(capture), capture.window
    return None if share is None else round(float(share.integral(0.0, stop - start)) / max(stop - start, 1), 6)


def _capacity(capture: DecodedCapture) -> list[CapacityJson]:
    """Returns how much CPU the target may use, and from when on. One entry if that never changed or was not watched."""
    cores = cores_over_time(capture)
    return [
        {"from_s": round(float(t) / NS_PER_S, 6), "cores": round(float(c), 6)}
        for t, c in zip(cores.time, cores.value, strict=True)
    ]


MOST_EVENTS = 400
"""More kinds of events than any recording of the runtime's own providers has."""


def events_json(capture: DecodedCapture) -> EventsJson | None:
    """Returns the counts of events, or None if Poolscope recorded the capture, or an earlier version decoded it."""
    table = capture.table("event_counts") if capture.has("event_counts") else None
    if table is None or table.empty:
        return None
    unused = enum("event_counts", "used", "nothing")
    # Some kinds have several ids, one for each counter's type, for example.
    kinds = table.groupby(["provider", "name", "used"], sort=False, observed=True, as_index=False)["count"].sum()
    shown = kinds.nlargest(MOST_EVENTS, "count", keep="first").sort_index()
    left_out = int(table["count"].sum() - shown["count"].sum())
    uses = load_schema().tables["event_counts"].column("used").values
    rows: list[EventCountJson] = [
        {
            "provider": str(provider),
            "event": str(name),
            "count": int(count),
            "used": None if used == unused else uses[used],
        }
        for provider, name, count, used in zip(shown["provider"], shown["name"], shown["count"], shown["used"])
    ]
    return {
        "total": int(table["count"].sum()),
        "used": int(table["count"][table["used"] != unused].sum()),
        "rows": rows,
        "rows_left_out": len(kinds) - len(shown),
        "events_left_out": left_out,
    }


ROWS = 20
MOST_FRAMES = 24
CONTENTION = enum("waits", "kind", "contention")

Wait = tuple[int, int, int]
"""Thread, length in ns, stack (-1 if none)."""


def thread_waits_json(capture: DecodedCapture, attribution: Attribution) -> ThreadWaitsJson | None:
    """Returns the waits by method, or None if the runtime reported no wait inside the window."""
    if not capture.has("waits"):
        return None
    start, stop = capture.window
    table = capture.table("waits")
    begun, end = table["start"].to_numpy(), table["end"].to_numpy()
    open_ = end < 0
    begun, end = np.maximum(begun, start), np.minimum(np.where(open_, stop, end), stop)
    inside = (begun < stop) & (end > begun)
    if not inside.any():
        return None
    length = (end - begun)[inside]
    lock = table["kind"].to_numpy()[inside] == CONTENTION
    tid, stack = table["tid"].to_numpy()[inside], table["stack"].to_numpy()[inside]
    names = stack_names(capture, attribution) if capture.has("stacks", "frames") else None
    groups: dict[tuple[bool, str, str | None], list[Wait]] = defaultdict(list)
    told: dict[tuple[bool, int], tuple[bool, str, str | None]] = {}
    for of, ns, at, is_lock in zip(tid.tolist(), length.tolist(), stack.tolist(), lock.tolist(), strict=True):
        key = told.get((is_lock, at))
        if key is None:
            path = names.path(at) if names is not None and at >= 0 else []
            key = told[is_lock, at] = (is_lock, kind_of(path, is_lock), user_method(path))
        groups[key].append((of, ns, at))
    ranked = sorted(
        groups.items(), key=lambda g: (not g[0][0], not is_user(g[0][2]), -sum(ns for _, ns, _ in g[1]), str(g[0][2]))
    )
    return {
        "locks": int(lock.sum()),
        "locks_s": _seconds(int(length[lock].sum())),
        "waits": int((~lock).sum()),
        "waits_s": _seconds(int(length[~lock].sum())),
        "threads": len(np.unique(tid)),
        "open": int(open_[inside].sum()),
        "rows": [_row(key, waits, names) for key, waits in ranked[:ROWS]],
        "rows_left_out": len(ranked[ROWS:]),
    }


def _row(key: tuple[bool, str, str | None], waits: list[Wait], names: StackNames | None) -> ThreadWaitJson:
    lock, kind, method = key
    by_stack: dict[int, int] = defaultdict(int)
    for _, ns, stack in waits:
        by_stack[stack] += ns
    stack = max(by_stack, key=lambda s: (by_stack[s], -s))
    known = names is not None and stack >= 0
    at = own_index(names.path(stack)) if names is not None and known else -1
    return {
        "kind": kind,
        "lock": lock,
        "method": method,
        "own": names is not None and at >= 0 and at in names.own(stack),
        "count": len(waits),
        "threads": len({tid for tid, _, _ in waits}),
        "thread_s": _seconds(sum(ns for _, ns, _ in waits)),
        "longest_s": _seconds(max(ns for _, ns, _ in waits)),
        "stack": names.shown(stack)[:MOST_FRAMES] if names is not None and known else [],
    }


def _seconds(ns: int) -> float:
    return round(ns / NS_PER_S, 6)


def part_json(part: Part, items: int) -> PartJson:
    """Returns `part` of analysis.json. `items` is the number of analysed items."""
    recorded = part.recorded
    count = recorded.waits.count
    return {
        "from_s": round((part.start - recorded.start) / NS_PER_S, 6),
        "to_s": round((part.stop - recorded.start) / NS_PER_S, 6),
        "chosen": "named" if part.named else "longest_waits",
        "items_share": round(min(items / count, 1.0), 6) if count else None,
        "late_wait_share": None if part.late_share is None else round(part.late_share, 6),
        "recording": {
            "seconds": round((recorded.stop - recorded.start) / NS_PER_S, 6),
            "items": count,
            "late": recorded.late,
            "wait_ms": recorded.waits.summary_ms(),
            "percentile_error": ALPHA,
        },
        "needed_bytes": recorded.needed,
        "allowed_bytes": recorded.allowed,
    }


MOST_POINTS = 1_000


def counters_json(capture: DecodedCapture) -> CountersJson | None:
    """Returns `counters`, or None if work items were recorded, or if no counter of the pool was."""
    if without_work_items(capture.manifest) is None or not capture.has("pool_counters"):
        return None
    start, stop = capture.window
    rows = capture.table("pool_counters")
    rows = rows[(rows["time"] >= start) & (rows["time"] <= stop)]
    rows = rows[(rows[["queue_length", "completed", "threads"]] >= 0).any(axis=1)]
    if rows.empty:
        return None
    time = (rows["time"].to_numpy() - start) / NS_PER_S
    read = intervals(rows, start)
    bounds, stall = wait_bounds(read), longest_stall(read)
    queue = rows["queue_length"].to_numpy(dtype=np.float64)
    queue = queue[queue >= 0]
    return {
        "readings": len(rows),
        "interval_s": round(float(np.median(np.diff(time))), 6) if len(time) > 1 else None,
        "seconds": [round(float(at[-1]), 4) for at in _groups(time)],
        "queue": _whole(rows["queue_length"]),
        "threads": _whole(rows["threads"]),
        "completed_per_s": _points(_rates(rows), np.nanmean),
        "queue_mean": round(float(queue.mean()), 3) if len(queue) else None,
        "queue_peak": int(queue.max()) if len(queue) else None,
        "completed": int(read.completed.sum()),
        "stall": None
        if stall is None
        else {"from_s": round(stall.from_s, 4), "to_s": round(stall.to_s, 4), "queued": stall.queued},
        "wait_ms": {"least": bounds.least, "most": bounds.most} if isinstance(bounds, WaitBounds) else None,
        "no_bounds": None if isinstance(bounds, WaitBounds) else bounds,
    }


def _rates(rows: pd.DataFrame) -> FloatArray:
    """Returns the items that ended per second; NaN if not reported."""
    completed = rows["completed"].to_numpy(dtype=np.float64)
    length = (rows["time"] - rows["since"]).to_numpy(dtype=np.float64) / NS_PER_S
    told = (completed >= 0) & (length > 0)
    return np.where(told, completed / np.where(told, length, 1.0), np.nan)


def _groups(values: FloatArray) -> list[FloatArray]:
    """Splits values into one array for each point of the chart."""
    return np.array_split(values, min(len(values), MOST_POINTS))


def _whole(column: pd.Series) -> list[int | None]:
    values = column.to_numpy(dtype=np.float64)
    points = _points(np.where(values < 0, np.nan, values), np.nanmax)
    return [None if point is None else int(point) for point in points]


def _points(values: FloatArray, of_group: Callable[[FloatArray], float]) -> list[float | None]:
    return [
        None if np.isnan(group).all() else round(float(of_group(group[~np.isnan(group)])), 3)
        for group in _groups(values)
    ]
