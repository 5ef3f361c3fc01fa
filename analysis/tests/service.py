"""A web service written by hand, whose requests call another service."""

from __future__ import annotations

from synthetic import MS, CaptureBuilder

EPOLL, FIRST, SECOND = 90, 1, 2
ENGINE = 7
"""The runtime's socket engine is one object that is queued again and again."""
STEP = 100
"""ms from one request to the next."""


def web_service(folder, took, path="/orders/{n}", remote=None):
    """Builds a request every 100 ms on its own connection; each waits for an answer for its time in `took`, ms."""
    length = (STEP * len(took) + max(took) + 100) * MS
    builder = CaptureBuilder(folder, length=length).thread(EPOLL, 100, ".NET Sockets")
    for number, wait in enumerate(took):
        at = STEP * number + 10
        reader, caller, ender = (1000 + 3 * number + n for n in range(3))
        _run(builder, at, at + 1, at + 3, reader, EPOLL)
        _run(builder, at + 2, at + 3, at + 6, caller, reader)
        end = at + 5 + wait
        _run(builder, end, end + 1, end + 4, ender, EPOLL)
        _run(builder, end + 3, end + 4, end + 6, caller, ender)
        builder.connection(
            ((at - 1) * MS, "arrived", 50), ((at + 2) * MS, "read", 50, reader), ((end + 5) * MS, "sent", 9, caller)
        )
        builder.connection(
            ((at + 5) * MS, "sent", 54, caller),
            (end * MS, "arrived", 88),
            ((end + 2) * MS, "read", 88, ender),
            role="connected",
        )
        if remote:
            builder.rows["sockets"][-1]["remote"] = remote
        builder.request(
            (at + 4) * MS, caller, (end + 3) * MS, ender, connection=f"C{number}", path=path.format(n=number)
        )
    return builder


def pooled(folder, connections=2, requests=40, query=300, every=100, rest=0):
    """Builds a request every `every` ms. Each asks a database over the first free connection, and gives that to the
    next request `rest` ms after the answer. That request goes on in an item queued by the answer's item."""
    builder = CaptureBuilder(folder, length=(every + query + rest) * (requests + 1) * MS).thread(
        EPOLL, 100, ".NET Sockets"
    )
    free = [0] * connections
    transfers: list[list[tuple]] = [[] for _ in range(connections)]
    giver: list[int | None] = [None] * connections
    for number in range(requests):
        at = every * number + 10
        reader, caller, ender = (1000 + 3 * number + n for n in range(3))
        _run(builder, at, at + 1, at + 3, reader, EPOLL)
        _run(builder, at + 2, at + 3, at + 6, caller, reader)
        mine = min(range(connections), key=lambda c: free[c])
        asks, sender = at + 5, caller
        if free[mine] + 2 > at:
            asks, sender = free[mine] + 2, 5000 + number
            _run(builder, free[mine], free[mine] + 1, asks + 1, sender, giver[mine])
        end = asks + query
        _run(builder, end, end + 1, end + 5 + rest, ender, EPOLL)
        transfers[mine] += [
            (asks * MS, "sent", 54, sender),
            (end * MS, "arrived", 88),
            ((end + 2) * MS, "read", 88, ender),
        ]
        builder.connection(
            ((at - 1) * MS, "arrived", 50), ((at + 2) * MS, "read", 50, reader), ((end + 4) * MS, "sent", 9, ender)
        )
        builder.request((at + 4) * MS, caller, (end + 3) * MS, ender, connection=f"C{number}", path=f"/orders/{number}")
        free[mine], giver[mine] = end + 4 + rest, ender
    for own in transfers:
        builder.connection(*own, role="connected")
        builder.rows["sockets"][-1]["remote"] = "10.0.0.9:5432"
    builder.rows["socket_io"].sort(key=lambda row: row["time"])
    return builder


def _run(builder, enqueue, dequeue, end, worker, by):
    states = [("running", (end - dequeue) * MS)]
    work_id = ENGINE if by == EPOLL else -1
    builder.item(enqueue * MS, dequeue * MS, end * MS, worker, states, enqueue_tid=by, work_id=work_id)
