"""What a Perfetto export holds, and writing it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from poolscope.base import words
from poolscope.capture.wall_clock import utc_ns_at_start
from poolscope.export.perfetto import pool
from poolscope.export.perfetto.activities import activity_events
from poolscope.export.perfetto.encode import Encoder
from poolscope.export.perfetto.items import ItemEvents
from poolscope.export.perfetto.requests import request_events
from poolscope.export.perfetto.sources import Events, merged
from poolscope.export.perfetto.stream import PacketStream
from poolscope.export.perfetto.tracks import Tracks
from poolscope.export.source import Source
from poolscope.export.writer import Written

NO_KERNEL = "Without a kernel stream, the causes of waits and the states of threads are unknown and left out."


def write(source: Source, output: Path, view: str | None) -> Written:
    """Writes the trace. Raises as `attribute` does."""
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
    """Returns how many slices these are: the first source begins them."""
    return len(sources[0].time) if sources else 0
