"""The messages of Perfetto's trace format that an export writes, as classes of Google's protobuf library.

Names, numbers and types of the fields are those of protos/perfetto/trace in Perfetto's repository. Three fields that
are messages there are declared as bytes here: both have the same wire format, and a packet can then hold a message that
is already serialised. A million items make twelve million packets, and most of these differ only in their time.
"""

from __future__ import annotations

from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

PACKAGE = "poolscope.perfetto"

_Field = descriptor_pb2.FieldDescriptorProto
_TYPES = {
    "bool": _Field.TYPE_BOOL,
    "bytes": _Field.TYPE_BYTES,
    "double": _Field.TYPE_DOUBLE,
    "fixed64": _Field.TYPE_FIXED64,
    "int32": _Field.TYPE_INT32,
    "int64": _Field.TYPE_INT64,
    "string": _Field.TYPE_STRING,
    "uint32": _Field.TYPE_UINT32,
    "uint64": _Field.TYPE_UINT64,
}

# Enums are declared as integers, their wire type.
_MESSAGES: dict[str, dict[str, tuple[int, str]]] = {
    "Trace": {"packet": (1, "*bytes")},
    "TracePacket": {
        "clock_snapshot": (6, "ClockSnapshot"),
        "timestamp": (8, "uint64"),
        "trusted_packet_sequence_id": (10, "uint32"),
        "track_event": (11, "bytes"),
        "interned_data": (12, "InternedData"),
        "sequence_flags": (13, "uint32"),
        "trace_packet_defaults": (59, "TracePacketDefaults"),
        "track_descriptor": (60, "TrackDescriptor"),
        "first_packet_on_sequence": (87, "bool"),
    },
    "TracePacketDefaults": {"timestamp_clock_id": (58, "uint32")},
    "ClockSnapshot": {"clocks": (1, "*Clock"), "primary_trace_clock": (2, "int32")},
    "Clock": {"clock_id": (1, "uint32"), "timestamp": (2, "uint64")},
    "InternedData": {
        "event_categories": (1, "*InternedName"),
        "event_names": (2, "*InternedName"),
        "debug_annotation_names": (3, "*InternedName"),
    },
    "InternedName": {"iid": (1, "uint64"), "name": (2, "string")},
    "TrackDescriptor": {
        "uuid": (1, "uint64"),
        "name": (2, "string"),
        "process": (3, "ProcessDescriptor"),
        "thread": (4, "ThreadDescriptor"),
        "parent_uuid": (5, "uint64"),
        "counter": (8, "CounterDescriptor"),
        "child_ordering": (11, "int32"),
        "sibling_order_rank": (12, "int32"),
    },
    "ProcessDescriptor": {"pid": (1, "int32"), "process_name": (6, "string")},
    "ThreadDescriptor": {"pid": (1, "int32"), "tid": (2, "int32"), "thread_name": (5, "string")},
    "CounterDescriptor": {"unit": (3, "int32")},
    "TrackEvent": {
        "category_iids": (3, "*uint64"),
        "debug_annotations": (4, "*bytes"),
        "type": (9, "int32"),
        "name_iid": (10, "uint64"),
        "track_uuid": (11, "uint64"),
        "counter_value": (30, "int64"),
        "flow_ids": (47, "*fixed64"),
        "terminating_flow_ids": (48, "*fixed64"),
    },
    "DebugAnnotation": {
        "name_iid": (1, "uint64"),
        "bool_value": (2, "bool"),
        "uint_value": (3, "uint64"),
        "int_value": (4, "int64"),
        "double_value": (5, "double"),
        "string_value": (6, "string"),
    },
}
"""Message, then field: number and type. `*` marks a repeated field."""

SLICE_BEGIN, SLICE_END, INSTANT, COUNTER = 1, 2, 3, 4
"""TrackEvent.Type."""
CLOCK_REALTIME, CLOCK_MONOTONIC = 1, 3
"""BuiltinClock."""
STATE_CLEARED, NEEDS_STATE = 1, 2
"""TracePacket.SequenceFlags: the packet refers to nothing earlier; the packet needs earlier names and defaults."""
ORDER_EXPLICIT = 3
"""TrackDescriptor.ChildTracksOrdering: by sibling_order_rank."""
UNIT_COUNT = 2
"""CounterDescriptor.Unit."""


def _classes() -> dict[str, Any]:
    # Perfetto's files pack no `*uint64`: proto2 packs a field only if the declaration says so.
    file = descriptor_pb2.FileDescriptorProto(name="poolscope/perfetto.proto", package=PACKAGE, syntax="proto2")
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        for field, (number, kind) in fields.items():
            label = _Field.LABEL_REPEATED if kind.startswith("*") else _Field.LABEL_OPTIONAL
            kind = kind.removeprefix("*")
            added = message.field.add(name=field, number=number, label=label)
            if kind in _TYPES:
                added.type = _TYPES[kind]
            else:
                added.type = _Field.TYPE_MESSAGE
                added.type_name = f".{PACKAGE}.{kind}"
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    # protobuf 4.22 added GetMessageClass; protobuf 5 removed GetPrototype, which it replaces.
    make = getattr(message_factory, "GetMessageClass", None) or message_factory.MessageFactory(pool).GetPrototype
    return {name: make(pool.FindMessageTypeByName(f"{PACKAGE}.{name}")) for name in _MESSAGES}


_made = _classes()
Trace = _made["Trace"]
TracePacket = _made["TracePacket"]
InternedName = _made["InternedName"]
TrackDescriptor = _made["TrackDescriptor"]
TrackEvent = _made["TrackEvent"]
DebugAnnotation = _made["DebugAnnotation"]
