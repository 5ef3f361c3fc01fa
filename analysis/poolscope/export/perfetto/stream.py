"""The file: packets of one sequence, events of several tables merged by time, and the encoding of an event.

Packets are written as they come, and events are merged piece by piece. Only the events of one piece exist as bytes at a
time; otherwise only the capture's tables and a few columns are in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import IO

import numpy as np

from poolscope.base.arrays import AnyArray, IntArray
from poolscope.export.perfetto.messages import (
    CLOCK_MONOTONIC,
    CLOCK_REALTIME,
    COUNTER,
    INSTANT,
    NEEDS_STATE,
    SLICE_BEGIN,
    SLICE_END,
    STATE_CLEARED,
    DebugAnnotation,
    Trace,
    TracePacket,
    TrackEvent,
)

EVENTS_AT_ONCE = 200_000

ENDS, INSTANTS, BEGINS, COUNTS = range(4)
"""The order of events at the same nanosecond: a thread ends an item before it begins the next, and an item that starts
at once was still queued before."""


@dataclass(frozen=True)
class Events:
    """Events of one kind."""

    time: IntArray
    """Shape (events,), ns of the capture's clock, in any order."""
    rank: int
    """ENDS, INSTANTS, BEGINS or COUNTS."""
    encode: Callable[[IntArray], list[bytes]]
    """Returns the TrackEvents of these events (indexes into `time`)."""
    order: IntArray | None = None
    """The order among events of one time and rank, shape (events,). None keeps the order of `time`."""


def merged(sources: list[Events]) -> Iterator[tuple[list[int], list[bytes]]]:
    """Yields all events in order of time, in pieces: times and TrackEvents."""
    sources = [source for source in sources if len(source.time)]
    if not sources:
        return
    sorts = [np.argsort(source.time, kind="stable") for source in sources]
    times = [source.time[order] for source, order in zip(sources, sorts)]
    done = [0] * len(sources)
    for until in _cuts(times):
        chosen: list[IntArray] = []
        for i, time in enumerate(times):
            stop = int(np.searchsorted(time, until, side="right"))
            chosen.append(sorts[i][done[i] : stop])
            done[i] = stop
        yield _piece(sources, chosen)


def _cuts(times: list[AnyArray]) -> list[int]:
    """Returns the last times of pieces of about EVENTS_AT_ONCE events. All events of one time are in one piece."""
    total = sum(map(len, times))
    pieces = max(1, -(-total // EVENTS_AT_ONCE))
    # Samples every source in proportion to its size, which is enough to find times that divide the events evenly.
    step = max(1, EVENTS_AT_ONCE // 256)
    sample = np.sort(np.concatenate([time[::step] for time in times]))
    inner = sample[(np.arange(1, pieces) * len(sample)) // pieces]
    last = max(int(time[-1]) for time in times)
    return [*map(int, np.unique(inner[inner < last])), last]


def _piece(sources: list[Events], chosen: list[IntArray]) -> tuple[list[int], list[bytes]]:
    time = np.concatenate([source.time[rows] for source, rows in zip(sources, chosen)])
    rank = np.concatenate([np.full(len(rows), source.rank) for source, rows in zip(sources, chosen)])
    among = np.concatenate(
        [rows if source.order is None else source.order[rows] for source, rows in zip(sources, chosen)]
    )
    encoded: list[bytes] = []
    for source, rows in zip(sources, chosen):
        encoded += source.encode(rows)
    order = np.lexsort((among, rank, time))
    return time[order].tolist(), [encoded[i] for i in order.tolist()]


SEQUENCE = 1
"""The sequence id of the file's only writer. 0 would mean no sequence."""
PACKETS_AT_ONCE = 20_000
"""The number of packets held before a write: half a megabyte."""


class PacketStream:
    """Writes packets. Event times are CLOCK_MONOTONIC ns: the first packet makes this the clock of the trace, so that
    no reader has to convert times."""

    def __init__(self, file: IO[bytes], start_ns: int, start_utc_ns: int | None) -> None:
        """Begins the stream. `start_utc_ns` is the wall-clock time at `start_ns`, None if unknown."""
        self._file = file
        self._pending: list[bytes] = []
        self._names: dict[str, dict[str, int]] = {
            "event_categories": {},
            "event_names": {},
            "debug_annotation_names": {},
        }
        first = TracePacket(
            trusted_packet_sequence_id=SEQUENCE, sequence_flags=STATE_CLEARED, first_packet_on_sequence=True
        )
        first.trace_packet_defaults.timestamp_clock_id = CLOCK_MONOTONIC
        first.clock_snapshot.primary_trace_clock = CLOCK_MONOTONIC
        first.clock_snapshot.clocks.add(clock_id=CLOCK_MONOTONIC, timestamp=start_ns)
        if start_utc_ns is not None:
            first.clock_snapshot.clocks.add(clock_id=CLOCK_REALTIME, timestamp=start_utc_ns)
        self._add(first.SerializeToString())

    def describe(self, **track: object) -> None:
        """Writes the description of a track, with the fields of TrackDescriptor."""
        self._add(
            TracePacket(
                trusted_packet_sequence_id=SEQUENCE, sequence_flags=NEEDS_STATE, track_descriptor=track
            ).SerializeToString()
        )

    def intern(self, index: str, names: Iterable[str]) -> dict[str, int]:
        """Returns the ids of names in one of the interning indexes (a field of InternedData). Writes new names
        first."""
        known = self._names[index]
        added = [name for name in dict.fromkeys(names) if name not in known]
        for name in added:
            known[name] = len(known) + 1
        if added:
            packet = TracePacket(trusted_packet_sequence_id=SEQUENCE, sequence_flags=NEEDS_STATE)
            entries = getattr(packet.interned_data, index)
            for name in added:
                entries.add(iid=known[name], name=name)
            self._add(packet.SerializeToString())
        return known

    def events(self, times: list[int], events: list[bytes]) -> None:
        """Writes serialised TrackEvents at their times, ns, in order."""
        packet = TracePacket(trusted_packet_sequence_id=SEQUENCE, sequence_flags=NEEDS_STATE)
        serialise = packet.SerializeToString
        for begin in range(0, len(times), PACKETS_AT_ONCE):
            chunk = slice(begin, begin + PACKETS_AT_ONCE)
            for time, event in zip(times[chunk], events[chunk]):
                packet.timestamp = time
                packet.track_event = event
                self._pending.append(serialise())
            self.flush()

    def flush(self) -> None:
        self._file.write(Trace(packet=self._pending).SerializeToString())
        self._pending.clear()

    def _add(self, packet: bytes) -> None:
        self._pending.append(packet)


Value = bool | int | float | str


class Encoder:
    """Encodes events whose names are interned in one stream."""

    def __init__(self, stream: PacketStream) -> None:
        self._stream = stream
        self._event = TrackEvent()
        self._annotation = DebugAnnotation()

    def names(self, names: list[str]) -> list[int]:
        """Returns the ids of event names."""
        known = self._stream.intern("event_names", names)
        return [known[name] for name in names]

    def keys(self, *names: str) -> list[int]:
        """Returns the ids of annotation names."""
        known = self._stream.intern("debug_annotation_names", names)
        return [known[name] for name in names]

    def category(self, name: str) -> int:
        return self._stream.intern("event_categories", [name])[name]

    def begin(
        self,
        track: int,
        name: int,
        category: int,
        arguments: list[bytes],
        flow: int | None = None,
        starts: int | None = None,
    ) -> bytes:
        """Encodes the beginning of a slice. The flow `flow` ends here, and the flow `starts` begins here."""
        event = self._start(SLICE_BEGIN, track, name, category, arguments)
        if flow is not None:
            event.terminating_flow_ids.append(flow)
        if starts is not None:
            event.flow_ids.append(starts)
        serialised: bytes = event.SerializeToString()
        return serialised

    def instant(
        self,
        track: int,
        name: int,
        category: int,
        arguments: list[bytes],
        flow: int | None = None,
        ends: int | None = None,
    ) -> bytes:
        """Encodes an instant. The flow `flow` begins or continues here; the flow `ends` ends here."""
        event = self._start(INSTANT, track, name, category, arguments)
        if flow is not None:
            event.flow_ids.append(flow)
        if ends is not None:
            event.terminating_flow_ids.append(ends)
        serialised: bytes = event.SerializeToString()
        return serialised

    def argument(self, key: int, value: Value) -> bytes:
        """Encodes an annotation. Integers must not be negative."""
        annotation = self._annotation
        annotation.Clear()
        annotation.name_iid = key
        if isinstance(value, bool):
            annotation.bool_value = value
        elif isinstance(value, int):
            annotation.uint_value = value
        elif isinstance(value, float):
            annotation.double_value = value
        else:
            annotation.string_value = value
        serialised: bytes = annotation.SerializeToString()
        return serialised

    def _start(self, kind: int, track: int, name: int, category: int, arguments: list[bytes]) -> TrackEvent:
        event = self._event
        event.Clear()
        event.type = kind
        event.track_uuid = track
        event.name_iid = name
        event.category_iids.append(category)
        event.debug_annotations.extend(arguments)
        return event


def end(track: int) -> bytes:
    """Encodes the end of the track's innermost open slice."""
    serialised: bytes = TrackEvent(type=SLICE_END, track_uuid=track).SerializeToString()
    return serialised


def count(track: int, value: int) -> bytes:
    """Encodes the value of a counter from here on."""
    serialised: bytes = TrackEvent(type=COUNTER, track_uuid=track, counter_value=value).SerializeToString()
    return serialised
