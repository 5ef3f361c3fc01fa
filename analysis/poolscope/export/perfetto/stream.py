"""The file: packets of one sequence, written as they come."""

from __future__ import annotations

from collections.abc import Iterable
from typing import IO

from poolscope.export.perfetto.messages import (
    CLOCK_MONOTONIC,
    CLOCK_REALTIME,
    NEEDS_STATE,
    STATE_CLEARED,
    Trace,
    TracePacket,
)

SEQUENCE = 1
"""Of the one writer of the file. 0 would mean none."""
PACKETS_AT_ONCE = 20_000
"""Packets held before they are written: half a megabyte."""


class PacketStream:
    """Writes packets. Every event's time is CLOCK_MONOTONIC ns: the first packet makes that the trace's own clock, so
    that no reader has to translate it."""

    def __init__(self, file: IO[bytes], start_ns: int, start_utc_ns: int | None) -> None:
        """Begins the stream. `start_utc_ns` is the wall clock at `start_ns`; None if unknown."""
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
        """Writes a track, with the fields of TrackDescriptor."""
        self._add(
            TracePacket(
                trusted_packet_sequence_id=SEQUENCE, sequence_flags=NEEDS_STATE, track_descriptor=track
            ).SerializeToString()
        )

    def intern(self, index: str, names: Iterable[str]) -> dict[str, int]:
        """Returns the ids of names in one of the interning indexes (a field of InternedData), and writes new ones
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
