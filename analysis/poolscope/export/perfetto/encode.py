"""Serialised TrackEvents: the same bytes are made once, and what differs from event to event is set again."""

from __future__ import annotations

from poolscope.export.perfetto.messages import (
    COUNTER,
    INSTANT,
    SLICE_BEGIN,
    SLICE_END,
    DebugAnnotation,
    TrackEvent,
)
from poolscope.export.perfetto.stream import PacketStream

Value = bool | int | float | str


class Encoder:
    """Makes events whose names are interned in one stream."""

    def __init__(self, stream: PacketStream) -> None:
        self._stream = stream
        self._event = TrackEvent()
        self._annotation = DebugAnnotation()

    def names(self, names: list[str]) -> list[int]:
        """Returns the ids of event names."""
        known = self._stream.intern("event_names", names)
        return [known[name] for name in names]

    def keys(self, *names: str) -> list[int]:
        """Returns the ids of annotations' names."""
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
        """Encodes the beginning of a slice; `flow` ends here, and the flow `starts` begins."""
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
        """Encodes an instant; `flow` begins here, or goes on if it had begun; the flow `ends` ends."""
        event = self._start(INSTANT, track, name, category, arguments)
        if flow is not None:
            event.flow_ids.append(flow)
        if ends is not None:
            event.terminating_flow_ids.append(ends)
        serialised: bytes = event.SerializeToString()
        return serialised

    def argument(self, key: int, value: Value) -> bytes:
        """Encodes an annotation; integers are not negative."""
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
    """Encodes the end of the innermost open slice of the track."""
    serialised: bytes = TrackEvent(type=SLICE_END, track_uuid=track).SerializeToString()
    return serialised


def count(track: int, value: int) -> bytes:
    """Encodes a counter's value from here on."""
    serialised: bytes = TrackEvent(type=COUNTER, track_uuid=track, counter_value=value).SerializeToString()
    return serialised
