"""Captures whose requests are late while their work items start on time."""

from __future__ import annotations

from pathlib import Path

from service import EPOLL
from synthetic import MS, CaptureBuilder


def in_one_item(folder: Path, share: bool = True, ready: int = 0) -> CaptureBuilder:
    """Twenty requests begin in items of their own and wait. One item then goes on with each of them for 100, one after another,
    and answers it; or (not `share`) each in an item of its own. For `ready` of that time it waits for a core."""
    builder = CaptureBuilder(folder, length=6000 * MS).thread(EPOLL, 100, ".NET Sockets")
    if share:
        states = [
            ("running", MS),
            ("blocked", (1999 - ready) * MS),
            *[("ready", ready * MS)] * (ready > 0),
            ("running", MS),
        ]
        builder.item(1000 * MS, 1000 * MS, 3001 * MS, 300, states)
    for n in range(20):
        at, ends = 100 + 10 * n, 1000 + 100 * (n + 1)
        tid, sender = 1000 + n, 300 if share else 2000 + n
        builder.item(at * MS, at * MS, (at + 4) * MS, tid, [("running", 4 * MS)], enqueue_tid=EPOLL, work_id=900 + n)
        if not share:
            builder.item(
                (ends - 2) * MS, (ends - 2) * MS, (ends + 1) * MS, sender, [("running", 3 * MS)], enqueue_tid=EPOLL
            )
        builder.connection(
            ((at - 1) * MS, "arrived", 50), ((at + 1) * MS, "read", 50, tid), (ends * MS, "sent", 9, sender)
        )
        builder.request((at + 2) * MS, tid, ends * MS - MS // 2, sender, connection=f"C{n}")
    return builder
