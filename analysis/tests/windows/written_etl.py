"""Writes an .etl file byte by byte, from the layouts that Windows documents (WMI_BUFFER_HEADER, TRACE_LOGFILE_HEADER,
EVENT_HEADER and the MOF classes of the kernel's events), for tests of cases that no public file has."""

from __future__ import annotations

import struct
import uuid
from collections import defaultdict

FRAMEWORK = uuid.UUID("8e9f5090-2d75-4d03-8a81-e5afbf85daf1")
CLR = uuid.UUID("e13c0d23-ccbc-4e12-931b-d9cc2eee27e4")
PERF_FREQ = 10_000_000
BUFFER = 4 << 10
BUFFER_HEADER = 72
START_TIME = 133_000_000_000_000_000
FIRST = 50_000_000
"""Time stamp of the file's first event."""

PROCESS_EXISTS, THREAD_EXISTS, THREAD_NAME, SWITCH, READY = 0x0303, 0x0503, 0x0548, 0x0524, 0x0532
WAITING, READY_STATE = 5, 1


class EtlFile:
    """Events of a machine with two processors, in the order in which the caller adds them. Times are ticks of 100 ns
    since the first."""

    def __init__(self, pointer: int = 8, mode: int = 1) -> None:
        self.pointer, self.mode = pointer, mode
        self.filling: dict[int, bytes] = defaultdict(bytes)
        self.full: list[tuple[int, bytes]] = []
        self.last = 0

    def kernel(self, hook: int, time: int, cpu: int, payload: bytes, pid: int = -1, tid: int = -1, version: int = 2):
        """Adds a kernel event. Without a thread its header has no thread fields."""
        wide = self.pointer // 8
        if tid < 0:
            head = struct.pack("<HBBHHq", version, 16 + wide, 0xC0, 16 + len(payload), hook, FIRST + time)
        else:
            head = struct.pack(
                "<HBBHHiiqii", version, 1 + wide, 0xC0, 32 + len(payload), hook, tid, pid, FIRST + time, 0, 0
            )
        self._add(cpu, time, head + payload)

    def manifest(self, provider: uuid.UUID, number: int, time: int, cpu: int, pid: int, tid: int, payload: bytes):
        """Adds an event of a manifest or an EventSource."""
        head = struct.pack("<HBBHHiiq", 80 + len(payload), 18 + self.pointer // 8, 0xC0, 0, 0, tid, pid, FIRST + time)
        described = struct.pack("<HBBBBHQ", number, 0, 0, 4, 0, 0, 0)
        self._add(cpu, time, head + provider.bytes_le + described + bytes(8) + bytes(16) + payload)

    def process(self, pid: int, image: str, command: str):
        fields = self._pointers(1) + struct.pack("<IIIi", pid, 4, 1, 259) + self._pointers(1) + bytes(4)
        self.kernel(PROCESS_EXISTS, 0, 0, fields + bytes(4) + image.encode() + b"\0" + text(command), pid, 1, version=4)

    def thread(self, pid: int, tid: int, name: str):
        fields = struct.pack("<II", pid, tid) + self._pointers(7) + struct.pack("<I4B", 0, 8, 5, 2, 0)
        self.kernel(THREAD_EXISTS, 0, 0, fields, pid, tid, version=3)
        self.kernel(THREAD_NAME, 0, 0, struct.pack("<II", pid, tid) + text(name), pid, tid)

    def switch(self, time: int, cpu: int, old: int, state: int, new: int):
        """Adds a context switch on a core; thread 0 is its idle thread."""
        self.kernel(SWITCH, time, cpu, struct.pack("<IIbbBbBBBbII", new, old, 8, 8, 0, 0, 13, 1, state, 0, 0, 0))

    def ready(self, time: int, cpu: int, waker: int, pid: int, wakee: int):
        self.kernel(READY, time, cpu, struct.pack("<IbbBb", wakee, 1, 0, 0, 0), pid, waker)

    def content(self, rotate: int = 0) -> bytes:
        """Returns the file: the header's buffer, then the others in the order in which they filled. `rotate` of those
        lie at its end, as in a circular file."""
        events = self.full + sorted(self.filling.items())
        events = events[rotate:] + events[:rotate]
        return self._header(len(events) + 1) + b"".join(_buffer(cpu, buffer) for cpu, buffer in events)

    def _pointers(self, count: int) -> bytes:
        return bytes(count * self.pointer)

    def _add(self, cpu: int, time: int, event: bytes):
        event += bytes(-len(event) % 8)
        if BUFFER_HEADER + len(self.filling[cpu]) + len(event) > BUFFER:
            self.full.append((cpu, self.filling.pop(cpu)))
        self.filling[cpu] += event
        self.last = max(self.last, time)

    def _header(self, buffers: int) -> bytes:
        front = struct.pack("<IBBBBIIq", BUFFER, 10, 0, 1, 5, 20348, 2, START_TIME + self.last)
        front += struct.pack("<IIIIIIII", 156_250, 0, self.mode, buffers, 1, self.pointer, 0, 3000)
        front += self._pointers(2) + bytes(172)
        front += bytes(-len(front) % 8)
        payload = front + struct.pack("<qqqII", START_TIME - FIRST, PERF_FREQ, START_TIME, 1, 0) + text("made")
        head = struct.pack("<HBBHHiiqii", 2, 1 + self.pointer // 8, 0xC0, 32 + len(payload), 0, 1, 4, FIRST, 0, 0)
        return _buffer(0, head + payload + bytes(-len(payload) % 8), kind=4)


def text(value: str) -> bytes:
    """Returns zero-terminated UTF-16."""
    return value.encode("utf-16-le") + b"\0\0"


def _buffer(cpu: int, events: bytes, kind: int = 0) -> bytes:
    used = BUFFER_HEADER + len(events)
    head = struct.pack("<IIIIqqqHHIIHH", BUFFER, used, used, 0, START_TIME, 0, 0, cpu, 1, 3, used, 0x20, kind)
    return head + bytes(BUFFER_HEADER - len(head)) + events + b"\xff" * (BUFFER - used)
