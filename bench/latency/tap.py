"""Records the TCP segments with data on the loopback interface, as a separate program: `python tap.py FILE`.

It prints a line when it listens, and ends when its standard input is closed. Then it writes FILE, a pcap file of IP
packets with times in ns of CLOCK_REALTIME, and prints a Tapped as JSON. It needs root, or CAP_NET_RAW and
CAP_NET_ADMIN.

Every packet passes loopback twice, sent and received. The tap keeps the received copy, which the kernel stamps 2
microseconds after the sent one and before TCP sees it. Only sockets of all protocols (ETH_P_ALL) get it at that time. A
socket of ETH_P_IP gets its copy, and the stamp, after TCP has done its work (measured on Linux 6.18: 6 microseconds
later).
"""

from __future__ import annotations

import ctypes
import json
import select
import socket
import struct
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

INTERFACE = "lo"
ETH_P_ALL, ETH_P_IP, PACKET_OUTGOING = 3, 0x0800, 4
# From linux/if_packet.h and asm-generic/socket.h, because Python lacks them.
SOL_PACKET, PACKET_STATISTICS = 263, 6
SO_ATTACH_FILTER, SO_RCVBUFFORCE, SO_TIMESTAMPNS = 26, 33, 35

ROOM_BYTES = 128 * 1024 * 1024
"""Buffer of the socket: about 50,000 small packets, each with the kernel's own data."""
NAP_S = 0.1
"""Interval between reads: waking for each packet would take a core from the measured programs."""
LONGEST_PACKET = 65535
PCAP_HEADER = struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, LONGEST_PACKET, 101)
"""The header of a file with times in ns and packets that begin with IP (LINKTYPE_RAW)."""

# Keeps received packets of IPv4 and TCP with data or SYN. The packet begins with its IP header; the kernel's extra
# fields are at SKF_AD_OFF.
_SKF_AD_OFF = 0xFFFFF000
_FILTER = [
    (0x28, 0, 0, _SKF_AD_OFF),  # A = protocol of the packet
    (0x15, 0, 14, ETH_P_IP),  # another: drop
    (0x20, 0, 0, _SKF_AD_OFF + 4),  # A = its kind
    (0x15, 12, 0, PACKET_OUTGOING),  # sent: drop
    (0x30, 0, 0, 9),  # A = protocol
    (0x15, 0, 10, socket.IPPROTO_TCP),  # not TCP: drop
    (0xB1, 0, 0, 0),  # X = length of the IP header
    (0x50, 0, 0, 13),  # A = TCP flags
    (0x45, 8, 0, 2),  # SYN: keep
    (0x50, 0, 0, 12),  # A = length of the TCP header in its upper four bits, in words
    (0x74, 0, 0, 2),
    (0x54, 0, 0, 0x3C),
    (0x0C, 0, 0, 0),  # A = both headers
    (0x07, 0, 0, 0),  # X = A
    (0x28, 0, 0, 2),  # A = length of the packet
    (0x2D, 1, 0, 0),  # longer than its headers: keep
    (0x06, 0, 0, 0),
    (0x06, 0, 0, LONGEST_PACKET),
]


@dataclass(frozen=True)
class Tapped:
    """The tap's report on its recording. `lost`: packets without room in the buffer. `before` and `after`:
    CLOCK_REALTIME less CLOCK_MONOTONIC at its begin and end, ns."""

    packets: int
    lost: int
    before: int
    after: int


def clock_offset(tries: int = 50) -> int:
    """Measures CLOCK_REALTIME less CLOCK_MONOTONIC, ns, off by at most half of the quickest of `tries` readings."""
    quickest, offset = sys.maxsize, 0
    for _ in range(tries):
        begin = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        real = time.clock_gettime_ns(time.CLOCK_REALTIME)
        end = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        if end - begin < quickest:
            quickest, offset = end - begin, real - (begin + end) // 2
    return offset


def open_tap() -> socket.socket:
    """Returns a socket that gets the packets of the filter. Raises PermissionError without the rights."""
    tap = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, 0)
    program = b"".join(struct.pack("HBBI", *instruction) for instruction in _FILTER)
    buffer = ctypes.create_string_buffer(program)
    tap.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, struct.pack("HP", len(_FILTER), ctypes.addressof(buffer)))
    tap.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, ROOM_BYTES)
    tap.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
    tap.setblocking(False)
    # The socket gets packets from here on, all of them through the filter.
    tap.bind((INTERFACE, ETH_P_ALL))
    return tap


def read_waiting(tap: socket.socket, into: list[tuple[bytes, bytes]]) -> None:
    """Takes all waiting packets, each with its time, a timespec of 16 bytes."""
    room = socket.CMSG_SPACE(16)
    while True:
        try:
            data, ancillary, _, _ = tap.recvmsg(LONGEST_PACKET, room)
        except BlockingIOError:
            return
        stamps = [value for level, kind, value in ancillary if (level, kind) == (socket.SOL_SOCKET, SO_TIMESTAMPNS)]
        into.append((stamps[0], data))


def write_pcap(file: Path, packets: list[tuple[bytes, bytes]]) -> None:
    """Writes packets with their times (the kernel's timespec)."""
    with file.open("wb") as out:
        out.write(PCAP_HEADER)
        for stamp, data in packets:
            seconds, nanoseconds = struct.unpack("qq", stamp)
            out.write(struct.pack("<IIII", seconds, nanoseconds, len(data), len(data)) + data)


def main(file: Path) -> None:
    tap = open_tap()
    # The kernel begins to stamp packets in a worker thread shortly after the first socket requests it. Until then a
    # packet gets the time of its read.
    time.sleep(NAP_S)
    before = clock_offset()
    print("listens", flush=True)
    packets: list[tuple[bytes, bytes]] = []
    while not select.select([sys.stdin], [], [], NAP_S)[0]:
        read_waiting(tap, packets)
    read_waiting(tap, packets)
    _, lost = struct.unpack("II", tap.getsockopt(SOL_PACKET, PACKET_STATISTICS, 8))
    write_pcap(file, packets)
    print(json.dumps(asdict(Tapped(len(packets), lost, before, clock_offset()))), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
