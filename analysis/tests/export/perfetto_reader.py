"""An independent reader of Perfetto traces. It decodes them with the published schema, and turns packets into slices,
flows and counters by the rules of Perfetto's trace processor. It shares no code with the exporter."""

from __future__ import annotations

import os
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

PUBLISHED = Path(__file__).parent / "perfetto_published.proto"


def published_trace_class():
    """Returns the message class perfetto.protos.Trace, compiled by protoc from the published declarations."""
    proto = Path(os.environ.get("POOLSCOPE_PERFETTO_PROTO", PUBLISHED)).resolve()
    with tempfile.TemporaryDirectory() as folder:
        compiled = Path(folder) / "set.pb"
        command = ["protoc", f"--proto_path={proto.parent}", "--include_imports"]
        subprocess.run([*command, f"--descriptor_set_out={compiled}", str(proto)], check=True, timeout=60)
        files = descriptor_pb2.FileDescriptorSet.FromString(compiled.read_bytes())
    pool = descriptor_pool.DescriptorPool()
    for file in files.file:
        pool.AddSerializedFile(file.SerializeToString())
    make = getattr(message_factory, "GetMessageClass", None) or message_factory.MessageFactory(pool).GetPrototype
    return make(pool.FindMessageTypeByName("perfetto.protos.Trace"))


def unknown_fields(message, path="trace"):
    """Yields the paths of fields that the schema does not define."""
    try:
        from google.protobuf import unknown_fields as module

        unknown = list(module.UnknownFieldSet(message))
    except ImportError:  # protobuf before 4.22
        unknown = list(message.UnknownFields())
    found = [f"{path}: {f.field_number}" for f in unknown]
    for descriptor, value in message.ListFields():
        if descriptor.message_type is None:
            continue
        for child in value if hasattr(value, "append") or hasattr(value, "add") else [value]:
            found += unknown_fields(child, f"{path}.{descriptor.name}")
    return found


@dataclass
class Slice:
    track: int
    name: str
    category: str
    start: int
    end: int | None = None
    """None if the slice is not finished."""
    depth: int = 0
    arguments: dict = field(default_factory=dict)
    flows_in: list = field(default_factory=list)
    flows_out: list = field(default_factory=list)


@dataclass
class Decoded:
    clocks: dict
    primary_clock: int
    tracks: dict = field(default_factory=dict)
    slices: list = field(default_factory=list)
    instants: list = field(default_factory=list)
    counters: dict = field(default_factory=dict)
    """List of (time, value) for each track."""
    flows: list = field(default_factory=list)
    """Pairs of slices (from, to)."""

    def on(self, name):
        """Returns the ids of the tracks of this name, ignoring the names of their parents."""
        return {uuid for uuid, track in self.tracks.items() if track.name == name}


def decode(path, trace_class):
    trace = trace_class.FromString(Path(path).read_bytes())
    assert unknown_fields(trace) == []
    state: dict = {}
    decoded = None
    opened: dict[int, list[Slice]] = {}
    pending: dict[int, Slice] = {}
    last = 0
    for packet in trace.packet:
        sequence = packet.trusted_packet_sequence_id
        assert sequence != 0
        if packet.sequence_flags & 1:
            state[sequence] = {"event_categories": {}, "event_names": {}, "debug_annotation_names": {}, "clock": 6}
            assert packet.first_packet_on_sequence
        if packet.sequence_flags & 2:
            assert sequence in state, "a reader would skip this packet"
        names = state[sequence]
        if packet.HasField("trace_packet_defaults"):
            names["clock"] = packet.trace_packet_defaults.timestamp_clock_id
        for index in ("event_categories", "event_names", "debug_annotation_names"):
            for entry in getattr(packet.interned_data, index):
                assert entry.iid not in names[index] and entry.iid != 0
                names[index][entry.iid] = entry.name
        kind = packet.WhichOneof("data")
        if kind == "clock_snapshot":
            snapshot = packet.clock_snapshot
            decoded = Decoded({c.clock_id: c.timestamp for c in snapshot.clocks}, snapshot.primary_trace_clock)
        elif kind == "track_descriptor":
            track = packet.track_descriptor
            assert track.uuid not in decoded.tracks and track.uuid != 0
            assert not track.parent_uuid or track.parent_uuid in decoded.tracks
            decoded.tracks[track.uuid] = track
        elif kind == "track_event":
            assert packet.sequence_flags & 2
            # A time of another clock would need a conversion, for which one snapshot is not enough.
            assert (packet.timestamp_clock_id or names["clock"]) == decoded.primary_clock
            assert packet.timestamp >= last, "in order of time"
            last = packet.timestamp
            _event(decoded, packet.timestamp, packet.track_event, names, opened, pending)
    return decoded


def _event(decoded, time, event, names, opened, pending):
    assert event.track_uuid in decoded.tracks
    counter = decoded.tracks[event.track_uuid].HasField("counter")
    kind = event.Type.Name(event.type)
    assert counter == (kind == "TYPE_COUNTER")
    if counter:
        decoded.counters.setdefault(event.track_uuid, []).append((time, event.counter_value))
        return
    stack = opened.setdefault(event.track_uuid, [])
    if kind == "TYPE_SLICE_END":
        stack.pop().end = time
        return
    category = " ".join(names["event_categories"][iid] for iid in event.category_iids)
    made = Slice(event.track_uuid, names["event_names"][event.name_iid], category, time, depth=len(stack))
    for given in event.debug_annotations:
        name = names["debug_annotation_names"][given.name_iid]
        assert name not in made.arguments
        made.arguments[name] = getattr(given, given.WhichOneof("value"))
    if kind == "TYPE_SLICE_BEGIN":
        stack.append(made)
        decoded.slices.append(made)
    else:
        assert kind == "TYPE_INSTANT"
        made.end = time
        decoded.instants.append(made)
    for flow in event.flow_ids:
        if flow in pending:  # the flow goes on
            decoded.flows.append((pending[flow], made))
        pending[flow] = made
        made.flows_out.append(flow)
    for flow in event.terminating_flow_ids:
        decoded.flows.append((pending.pop(flow), made))
        made.flows_in.append(flow)
