"""Captures whose requests are late while their work items start on time."""

from __future__ import annotations

from pathlib import Path

from synthetic_stacks import Stacks
from poolscope.product import analyse
from service import EPOLL, web_service
from synthetic import MS, CaptureBuilder

READER = 400


def in_one_item(folder: Path, share: bool = True, ready: int = 0) -> CaptureBuilder:
    """Builds twenty requests that begin in items of their own and wait. Then one item continues each of them for 100,
    one after another, and answers it; without `share` each has an item of its own. It waits for a core for `ready` of
    that time."""
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


def fired(builder):
    analysis = analyse(builder.write())
    return {f.id: f for f in analysis.findings}, analysis.verdict


def held(folder, by=READER, lay=1500, quick=40, often=5):
    """Builds quick requests, and `often` others whose bytes lie in their socket until one thread, which is in App.Bid
    meanwhile, reads them."""
    builder = web_service(folder, [20] * quick).thread(by, 100, ".NET Sockets")
    stacks = Stacks(builder)
    stack = stacks.stack("System.Threading.Thread.Sleep", "App.Bid")
    for n in range(often):
        at = 200 + 3500 // often * n
        read = at + lay
        builder.connection((at * MS, "arrived", 50), (read * MS, "read", 50, by), ((read + 2) * MS, "sent", 9, by))
        builder.request(at * MS + MS, by, (read + 1) * MS, by, connection=f"H{n}", path="/orders/9")
        stacks.snapshot(by, (at + 100) * MS, stack)
    for table in ("requests", "socket_io", "snapshots"):
        builder.rows[table].sort(key=lambda row: row.get("start", row.get("time")))
    return builder


def resumed(folder, name, by=91):
    """Builds quick requests, and three others that wait until a thread outside the pool queues the item that answers
    them. A thread of another process once had the same id."""
    builder = web_service(folder, [20] * 40).thread(by, 999, "a stranger's").thread(by, 100, name)

    def run(enqueue, dequeue, end, worker, queued_by):
        states = [("running", (end - dequeue) * MS)]
        builder.item(enqueue * MS, dequeue * MS, end * MS, worker, states, enqueue_tid=queued_by)

    for n in range(3):
        at, reader, caller, ender = 250 + 700 * n, 7000 + 3 * n, 7001 + 3 * n, 7002 + 3 * n
        run(at, at + 1, at + 3, reader, 90)
        run(at + 2, at + 3, at + 6, caller, reader)
        run(at + 1500, at + 1501, at + 1505, ender, by)
        builder.connection(
            ((at - 1) * MS, "arrived", 50),
            ((at + 2) * MS, "read", 50, reader),
            ((at + 1504) * MS, "sent", 9, ender),
        )
        builder.request((at + 4) * MS, caller, (at + 1503) * MS, ender, connection=f"R{n}", path="/orders/9")
    for table, key in (("work_items", "enqueue"), ("requests", "start"), ("socket_io", "time")):
        builder.rows[table].sort(key=lambda row, key=key: row[key])
    return builder


def working(folder, state="blocked", took=1500, long=3):
    """Builds forty quick requests and `long` slow ones that take `took` in this state. Each is one item."""
    builder = CaptureBuilder(folder, length=8000 * MS).thread(EPOLL, 100, ".NET Sockets")
    stack = Stacks(builder).stack("System.Threading.Thread.Sleep", "App.Price")
    for n in range(40 + long):
        at, lasts, tid = 10 + 100 * n, took if n % 15 == 14 and n // 15 < long else 20, 1000 + n
        states = [("running", MS), (state, (lasts - 2) * MS), ("running", MS)]
        builder.item(at * MS, at * MS, (at + lasts) * MS, tid, states, enqueue_tid=EPOLL, work_id=n)
        builder.connection(
            ((at - 1) * MS, "arrived", 50),
            (at * MS + MS // 2, "read", 50, tid),
            ((at + lasts - 1) * MS, "sent", 9, tid),
        )
        builder.request(
            at * MS + MS * 3 // 4, tid, (at + lasts) * MS - MS * 3 // 2, tid, connection=f"C{n}", path=f"/prices/{n}"
        )
        if lasts == took:
            builder.rows["snapshots"].append({"time": (at + 500) * MS, "tid": tid, "stack": stack})
    builder.rows["socket_io"].sort(key=lambda row: row["time"])
    return builder


def downloads(folder, full=1500, resumes=1500, slow=2, path="/prices"):
    """Builds requests of 20, but `slow` requests send the rest of their answers `resumes` later. Their connections are
    full for the first `full` of that time; the rest of it is the server's own."""
    builder = CaptureBuilder(folder, length=6_000 * MS).thread(EPOLL, 100, ".NET Sockets")
    for n in range(40):
        at, first, rest, is_slow = 10 + 100 * n, 1000 + n, 2000 + n, n % 15 == 14 and n // 15 < slow
        end = at + 5 + (resumes if is_slow else 0)
        builder.item(at * MS, at * MS, (at + 4) * MS, first, [("running", 4 * MS)], enqueue_tid=EPOLL, work_id=n)
        builder.item(
            end * MS, end * MS, (end + 4) * MS, rest, [("running", 4 * MS)], enqueue_tid=EPOLL, work_id=900 + n
        )
        transfers = [
            ((at - 1) * MS, "arrived", 50),
            (at * MS + MS // 2, "read", 50, first),
            ((at + 2) * MS, "sent", 9000, first),
        ]
        if is_slow and full:
            transfers += [((at + 3) * MS, "full", 0, first), ((at + 3 + full) * MS, "sent", 400, EPOLL)]
        builder.connection(*transfers, ((end + 1) * MS, "sent", 900, rest))
        route = f"{path}/{n}" if is_slow else f"/prices/{n}"
        builder.request((at + 1) * MS, first, (end + 2) * MS, rest, connection=f"C{n}", path=route)
    builder.rows["socket_io"].sort(key=lambda row: row["time"])
    return builder


def polled(folder, poll=(), silent=0):
    """Builds two late requests without a known cause, and a cache that answers at once on one connection. Only while
    these two wait, it is silent for `silent` ms. `poll`: the times of questions on another connection, and of their
    news."""
    builder = web_service(folder, [20] * 30 + [1500] * 2 + [20] * 10)
    builder.rows["socket_io"] = [r for r in builder.rows["socket_io"] if r["socket"] % 2 == 0]
    asked = [(20 + 100 * n, 22 + 100 * n) for n in range(55)]
    asked = [(sent, came) for sent, came in asked if not 3020 < sent < 3020 + silent]
    asked = [(sent, sent + silent if silent and sent == 3020 else came) for sent, came in asked]
    for pairs in (asked, poll) if poll else (asked,):
        transfers = [t for sent, came in pairs for t in ((sent * MS, "sent", 9, 3000), (came * MS, "arrived", 9))]
        builder.connection(*transfers, role="connected")
        builder.rows["sockets"][-1]["remote"] = "10.0.0.9:6379"
    builder.rows["socket_io"].sort(key=lambda row: row["time"])
    return builder
