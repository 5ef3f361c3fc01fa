"""Writes Perfetto's trace format: worker threads, items and their flows, counters and changes of the pool
(docs/export.md)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from poolscope.base import words
from poolscope.base.arrays import IntArray
from poolscope.capture.manifest import utc_ns_at_start
from poolscope.export.formats import Source, Written
from poolscope.export.perfetto.items import ItemEvents
from poolscope.export.perfetto.requests import request_events
from poolscope.export.perfetto.stream import BEGINS, ENDS, Encoder, Events, PacketStream, end, merged
from poolscope.export.perfetto.tracks import Tracks, lanes
from poolscope.html.escape import visible
from poolscope.measures.activities import ACTIVITY_PARTS, Activities
from poolscope.product.activities import operations_of

from . import pool

GROUP = "Activities"
LANE = "activities"
CATEGORY = "activity"


def activity_events(source: Source, tracks: Tracks, encoder: Encoder) -> list[Events]:
    """Returns the slices of the activities; the first source holds their beginnings. Empty if no activity was
    recorded."""
    activities = source.activities
    if activities is None:
        return []
    base = source.capture.window[0]
    start = np.maximum(activities.begun, 0)
    # A slice of length zero would end before it begins.
    stop = np.maximum(np.where(activities.end < 0, activities.stop, activities.end), start + 1)
    of_lane = lanes(start, stop)
    group = tracks.of_process(GROUP)
    track = [tracks.below(group, LANE) for _ in range(int(of_lane.max()) + 1)]
    given = _Arguments(activities, encoder)
    names, code = operations_of(activities)
    shown = encoder.names([visible(f"{operation} ({source_name})") for source_name, operation in names])
    category = encoder.category(CATEGORY)
    ends = [end(one) for one in track]

    def begin(rows: IntArray) -> list[bytes]:
        return [
            encoder.begin(track[lane], shown[which], category, given(row))
            for row, lane, which in zip(rows.tolist(), of_lane[rows].tolist(), code[rows].tolist())
        ]

    def finish(rows: IntArray) -> list[bytes]:
        return [ends[lane] for lane in of_lane[rows].tolist()]

    return [Events(start + base, BEGINS, begin), Events(stop + base, ENDS, finish)]


class _Arguments:
    """The annotations of each activity."""

    def __init__(self, activities: Activities, encoder: Encoder) -> None:
        self._activities, self._encoder = activities, encoder
        names = ("activity", "duration_ns", "duration_is_at_least", "began_before", "trace_id", "span_id", "item")
        self._key = dict(zip(names, encoder.keys(*names)))
        self._part_keys = encoder.keys(*(f"{name}_ns" for name in ACTIVITY_PARTS))
        self._parts = np.stack([activities.part[name] for name in ACTIVITY_PARTS], axis=1)
        self._place = np.full(activities.count, -1, dtype=np.int64)
        self._place[activities.whole] = np.arange(len(activities.whole))
        self._duration, self._open = activities.duration, activities.open

    def __call__(self, row: int) -> list[bytes]:
        encoder, key, activities = self._encoder, self._key, self._activities
        given = [encoder.argument(key["activity"], int(activities.id[row]))]
        if activities.begun[row] < 0:
            given.append(encoder.argument(key["began_before"], True))
        else:
            given.append(encoder.argument(key["duration_ns"], int(self._duration[row])))
        if self._open[row]:
            given.append(encoder.argument(key["duration_is_at_least"], True))
        if self._place[row] >= 0:
            parts = self._parts[self._place[row]].tolist()
            given += [encoder.argument(k, ns) for k, ns in zip(self._part_keys, parts) if ns]
        if activities.item[row] >= 0:
            given.append(encoder.argument(key["item"], int(activities.item[row])))
        for name, ids in (("trace_id", activities.trace), ("span_id", activities.span)):
            if isinstance(ids[row], str):
                given.append(encoder.argument(key[name], visible(ids[row])))
        return given


NO_KERNEL = "Without a kernel stream, the causes of waits and the states of threads are unknown and left out."


def write(source: Source, output: Path, view: str | None) -> Written:
    """Writes the trace. Raises the errors of `attribute`."""
    capture, attribution = source.capture, source.attribution
    executions = attribution.executions
    clock = capture.manifest["clock"]
    with output.open("wb") as file:
        stream = PacketStream(file, int(clock["start_ns"]), utc_ns_at_start(clock))
        encoder = Encoder(stream)
        items = ItemEvents(capture, attribution, executions, encoder)
        tracks = Tracks(stream, capture, items.workers, items.enqueuers)
        counters = pool.counters(capture, attribution, tracks)
        changes = pool.changes(capture, tracks, encoder)
        suspended = pool.suspensions(capture, tracks, encoder)
        throttled = pool.throttles(capture, tracks, encoder)
        lost = pool.losses(capture, tracks, encoder)
        requests, drawn = request_events(source, executions, tracks, encoder)
        activities = activity_events(source, tracks, encoder)
        states = pool.states(capture, attribution, executions, tracks, encoder)
        sources = [
            *items.events(tracks),
            *states,
            *counters,
            changes,
            *suspended,
            *throttled,
            *lost,
            *requests,
            *activities,
        ]
        for times, events in merged(sources):
            stream.events(times, events)
        stream.flush()
    counts = {
        "items": len(items.started),
        "enqueues": len(items.seen),
        "flows": int(items.flows.sum()),
        "blocked or waiting": _first(states),
        "counter values": sum(len(c.time) for c in counters),
        "goal changes": len(changes.time),
        "suspensions": _first(suspended),
        "quota throttles": _first(throttled),
        "gaps": _first(lost),
        "carried items": items.carried,
        "requests": drawn["requests"],
        "request steps": drawn["steps"],
        "request flows": drawn["flows"],
        "activities": _first(activities),
        "tracks": tracks.count,
    }
    notes = [] if attribution.split else [NO_KERNEL]
    if items.timeless:
        notes.append(f"Neither enqueue nor start was seen of {words.items(items.timeless)}: left out.")
    return Written(counts, notes)


def _first(sources: list[Events]) -> int:
    """Returns the number of slices: the first source holds their beginnings."""
    return len(sources[0].time) if sources else 0
