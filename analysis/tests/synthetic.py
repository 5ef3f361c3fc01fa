"""Captures made of tables written by hand, for tests of the analysis alone. Times are ns."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from functools import cache
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
from poolscope.capture import load_schema, open_capture
from poolscope.capture.npz import write_table
from poolscope.capture.schema import enum, flag

MS = 1_000_000
BASE = 1_000_000_000_000
"""Start of the window, not 0: a real clock never starts there."""

MANIFEST = {
    "format": 1,
    "tool": {"name": "poolscope-collect", "version": "0.1.0"},
    "status": "complete",
    "stop": "target-exit",
    "clock": {"id": "CLOCK_MONOTONIC", "start_ns": BASE, "start_utc": "2026-01-02T03:04:05.678Z"},
    "host": {
        "name": "box",
        "os": "Linux",
        "kernel": "6.1.0",
        "architecture": "x64",
        "cpus_online": 2,
        "memory_bytes": 2**34,
    },
    "target": {
        "pid": 100,
        "name": "app",
        "command": ["app", "--serve"],
        "launched": True,
        "exit_code": 0,
        "runtime": ".NET 10.0.12",
        "cpus_allowed": 2,
        "cpu_quota": None,
        "processor_count": 2,
        "min_threads": {"value": 2, "known": "default"},
        "max_threads": {"value": 32767, "known": "default"},
    },
    "phases": [],
    "streams": [],
    "refused": [],
}


COMPLETED = enum("work_items", "end_known", "task_completed")


class CaptureBuilder:
    """Collects rows and writes a capture folder."""

    def __init__(
        self, folder, *, length, limits=(2, 32767), launched=True, kernel=True, lost=0, cut=False, tier="tracepoint"
    ):
        self.folder = folder
        self.length = length
        self.kernel = kernel
        self.tier = tier
        self.rows: dict[str, list[dict]] = {name: [] for name in load_schema().tables}
        self.born = {}
        self.as_given = False
        """Whether states stay as given, even if an event contradicts them."""
        self.manifest = json.loads(json.dumps(MANIFEST))
        self.manifest["target"]["launched"] = launched
        self.manifest["target"]["max_threads"]["value"] = limits[1]
        stream = {"tier": "eventpipe", "start": 0, "end": length, "events": 10_000, "bytes": 1, "cut": int(cut)}
        if tier == "etw":  # runtime and kernel in one file
            self.rows["streams"].append({**stream, "file": "tp.etl.zip", "tier": tier, "lost": lost})
        else:
            self.rows["streams"].append({"file": "runtime.nettrace", "lost": lost, **stream})
        if kernel and tier != "etw":
            self.rows["streams"].append({**stream, "file": "sched.perf.data", "tier": tier, "lost": 0, "cut": 0})
        self.rows["pool_limits"].append({"time": 0, "min": limits[0], "max": limits[1], "known": 0})

    def item(
        self,
        enqueue,
        dequeue=-1,
        end=-1,
        worker=-1,
        states=(),
        enqueue_tid=100,
        flags=(),
        work_id=-1,
        parent=-1,
    ):
        """Adds one item. `states` are (name, duration) from its dequeue on, and go to `thread_states` of its worker."""
        bits = 0
        for name in flags:
            bits |= flag("work_items", name)
        if enqueue < 0:
            bits |= flag("work_items", "censored_start")
        if dequeue < 0:
            bits |= flag("work_items", "queued_at_end")
        elif end < 0:
            bits |= flag("work_items", "running_at_end")
        self.rows["work_items"].append(
            {
                "enqueue": enqueue,
                "dequeue": dequeue,
                "end": end,
                "enqueue_tid": enqueue_tid,
                "worker_tid": worker,
                "kind": 0,
                "work_id": work_id,
                "parent": parent,
                "flags": bits,
            }
        )
        at = dequeue
        for name, duration in states:
            self.state(worker, at, at + duration, name)
            at += duration
        return self

    def state(self, tid, start, end, name):
        row = {"tid": tid, "start": start, "end": end, "state": enum("thread_states", "state", name), "resolution": 0}
        self.rows["thread_states"].append(row)
        return self

    def thread(self, tid, pid, name):
        self.rows["threads"].append({"tid": tid, "pid": pid, "name": name})
        return self

    def contention(self, tid, start, end, lock=1, owner=-1):
        kind = enum("waits", "kind", "contention")
        row = {"tid": tid, "start": start, "end": end, "kind": kind, "object": lock, "owner_tid": owner}
        self.rows["waits"].append(row)
        return self

    def loss(self, start, end, count, stream="runtime.nettrace", what="eventpipe_lost"):
        """Adds a gap and raises the stream's own count."""
        row = {"stream": stream, "start": start, "end": end, "count": count, "what": enum("losses", "what", what)}
        self.rows["losses"].append(row)
        for told in self.rows["streams"]:
            if told["file"] == stream:
                told["lost"] += max(count, 0)
        return self

    def cores(self, time, cores):
        row = {"time": time, "cores": float(cores), "cpus_allowed": int(cores), "limited_by": 0}
        self.rows["capacity"].append(row)
        return self

    def stolen(self, share, *readings):
        """Records that the host took this share of the processor time between each two readings."""
        for start, end in pairwise(readings):
            took = int(share * (end - start) * self.manifest["host"]["cpus_online"])
            self.rows["lost_cpu"].append({"start": start, "end": end, "stolen": took, "interrupts": 0})
        return self

    def wait(self, tid, start, end, kind="monitor_wait"):
        row = {"tid": tid, "start": start, "end": end, "kind": enum("waits", "kind", kind), "object": 0}
        self.rows["waits"].append(row)
        return self

    def timer(self, due, fired, *, timer_id=42, item=-1, due_in=1000, period=-1, known=True, sent_tid=-1):
        """Adds a timer callback; times in ns, `due_in` and `period` in ms. `item` is its item's row once all are
        sorted."""
        row = {"timer_id": timer_id, "fired": fired, "tid": 200, "item": item}
        if known:
            sent = max(due - due_in * MS, 0)
            row |= {"sent": sent, "due_in": due_in, "period": period, "due": due, "sent_tid": sent_tid}
        self.rows["timers"].append(row)
        return self

    def task_wait(self, tid, start, task=1, behavior="synchronous"):
        number = enum("task_waits", "behavior", behavior)
        self.rows["task_waits"].append({"tid": tid, "task_id": task, "start": start, "behavior": number})
        return self

    def change(self, time, goal, reason="Starvation"):
        number = enum("pool_changes", "reason", reason)
        self.rows["pool_changes"].append({"time": time, "goal": goal, "reason": number, "throughput": 0.0})
        return self

    def suspension(self, start, end, reason=1):
        """Adds a suspension. `reason` is the runtime's number; 1 collects garbage, 0 is any other."""
        self.rows["suspensions"].append({"start": start, "end": end, "reason": reason})
        return self

    def snapshots(self):
        """Marks the recording as one with snapshots of all stacks."""
        runtime = self.rows["streams"][0]
        self.rows["streams"].append({**runtime, "file": "snapshots", "lost": 0})
        return self

    def wakeup(self, time, waker, wakee):
        row = {"time": time, "cpu": 0, "event": 0, "waker_tid": waker, "wakee_tid": wakee, "target_cpu": 0}
        self.rows["wakeups"].append(row)
        return self

    def connection(self, *transfers, role="accepted", unread_at=-1, opened=-1):
        """Adds a TCP connection of the target: (time, direction, bytes), and the thread for a read or send."""
        sockets = self.rows["sockets"]
        row = {
            "id": len(sockets),
            "role": enum("sockets", "role", role),
            "local": "127.0.0.1:80",
            "remote": "127.0.0.1:9",
            "unread_at": unread_at,
            "opened": opened,
        }
        sockets.append(row)
        for time, direction, size, *tid in transfers:
            said = {"time": time, "socket": row["id"], "direction": enum("socket_io", "direction", direction)}
            self.rows["socket_io"].append({**said, "bytes": size, "tid": tid[0] if tid else -1})
        return self

    def reported(self, *reports, role="accepted"):
        """Adds a TCP connection of the target as Windows reports it: (time, received or transmitted, bytes)."""
        number = len(self.rows["sockets"])
        ends = {"local": "127.0.0.1:80", "remote": "127.0.0.1:9"}
        self.rows["sockets"].append({"id": number, "role": enum("sockets", "role", role), **ends})
        for time, report, size in reports:
            said = {"time": time, "socket": number, "report": enum("socket_reports", "report", report), "bytes": size}
            self.rows["socket_reports"].append(said)
        return self

    def request(self, start, tid, left=-1, left_tid=-1, connection="C1", path="/a", method="GET", protocol="HTTP/1.1"):
        """Adds a request that begins on a thread, and leaves the application on the same thread or another."""
        said = {"connection": connection, "protocol": protocol, "method": method, "path": path}
        times = {"start": start, "handler_start": start, "handler_end": left, "end": left}
        self.rows["requests"].append({**said, **times, "tid": tid, "handler_end_tid": left_tid, "end_tid": left_tid})
        return self

    def earlier_request(self, end, path="/a"):
        """Adds a request that began before the recording and left the application in it."""
        said = {"connection": "C0", "protocol": "HTTP/1.1", "method": "GET", "path": path}
        self.rows["earlier_requests"].append({**said, "end": end, "end_tid": 1})
        return self

    def earlier_call(self, time, tid=1, status=200):
        """Adds a call that began before the recording. At `time` the head of its answer had been read."""
        self.rows["earlier_calls"].append({"time": time, "tid": tid, "status": status})
        return self

    def call(
        self,
        start,
        end=-1,
        tid=1,
        path="/a",
        host="shop",
        port=443,
        waited=-1,
        taken=None,
        connection=-1,
        made=-1,
        **more,
    ):
        """Adds a call through HttpClient that waited this long for a connection. `taken`: when and on which thread it
        got one."""
        left, left_tid = taken or (-1, -1)
        outcome = enum("calls", "outcome", "open" if end < 0 else more.pop("outcome", "answered"))
        said = {"scheme": "https", "host": host, "port": port, "path": path, "protocol": "HTTP/1.1", "outcome": outcome}
        queue = {"queue_wait": waited, "left_queue": left, "left_queue_tid": left_tid}
        wire = {"sent": start if left < 0 else left, "connection": connection, "connection_made": made}
        times = {"start": start, "end": end, "tid": tid, "end_tid": tid if end >= 0 else -1}
        self.rows["calls"].append({**said, **queue, **wire, **times, "status": 200 if end >= 0 else -1, **more})
        return self

    def activity(self, start, end=-1, tid=1, end_tid=None, left=-1, source="shop", name="pack", span=None, parent=None):
        """Adds an activity. A `start` of -1: it began before the recording. `left`: when its thread changed to another
        activity."""
        ends = (tid if end_tid is None else end_tid) if end >= 0 else -1
        times = {"start": start, "end": end, "tid": tid if start >= 0 else -1, "end_tid": ends, "thread_left": left}
        number = len(self.rows["activities"])
        ids = {"trace_id": f"{number:032x}", "span_id": span or f"{number + 1:016x}", "parent_span_id": parent}
        self.rows["activities"].append({"source": source, "name": name, **times, **ids})
        return self

    def _part_states(self):
        """Splits a state at each event that its thread wrote, which it cannot do while it is blocked."""
        told = {(r["tid"], r[name]) for r in self.rows["waits"] for name in ("start", "end") if r.get(name, -1) >= 0}
        told |= {(r["tid"], r["start"]) for r in self.rows["task_waits"]}
        told |= {(r["enqueue_tid"], r["enqueue"]) for r in self.rows["work_items"]}
        by_tid = defaultdict(list)
        for tid, time in sorted(told):
            by_tid[tid].append(time)
        parted = []
        for row in self.rows["thread_states"]:
            inside = [time for time in by_tid[row["tid"]] if row["start"] < time < row["end"]]
            for start, end in zip([row["start"], *inside], [*inside, row["end"]]):
                if start == end:
                    continue
                parted.append({**row, "start": start, "end": end})
        self.rows["thread_states"] = parted

    def write(self):
        """Writes capture.json and every table, and opens the capture."""
        tables = self.folder / "tables"
        tables.mkdir(parents=True, exist_ok=True)
        (self.folder / "capture.json").write_text(json.dumps(self.manifest))
        workers = Counter(r["worker_tid"] for r in self.rows["work_items"] if r["worker_tid"] >= 0)
        self.rows["workers"] = [{"tid": t, "start": self.born.get(t, -1)} for t in sorted({*workers, *self.born})]
        self.rows["work_items"].sort(key=lambda r: r["enqueue"] if r["enqueue"] >= 0 else r["dequeue"])
        for i, row in enumerate(self.rows["work_items"]):
            row["id"] = i
            row["enqueue_known"], row["dequeue_known"] = int(row["enqueue"] >= 0), int(row["dequeue"] >= 0)
            row["end_known"] = COMPLETED if row["end"] >= 0 else 0
        for row in self.rows["timers"]:
            row["tid"] = self.rows["work_items"][row["item"]]["worker_tid"] if row["item"] >= 0 else -1
        for i, row in enumerate(self.rows["cpu_samples"]):
            row["cpu"] = i  # no two samples are equal
        if not self.as_given:
            self._part_states()
        self.rows["thread_states"].sort(key=lambda r: (r["tid"], r["start"]))
        for name, schema in load_schema().tables.items():
            if name in ("item_parts", "request_parts") or (
                not self.kernel and name in ("thread_states", "wakeups", "switches")
            ):
                continue
            if self.tier != "tracepoint" and name in ("wakeups", "switches", "cpu_samples"):
                continue
            if name in ("sockets", "socket_io") and not self.rows["sockets"]:
                continue
            if name == ("socket_io" if self.rows["socket_reports"] else "socket_reports"):
                continue
            if name == "activities" and not self.rows[name]:
                continue
            if name.removeprefix("earlier_") in ("requests", "calls"):
                earlier = self.rows[f"earlier_{name.removeprefix('earlier_')}"]
                if not self.rows[name] and (name.startswith("earlier_") or not earlier):
                    continue
            for column in schema.columns:
                if "rising" in column.must:
                    self.rows[name].sort(key=lambda r: r[column.name])
                    # No two events are equal in all stored columns.
                    self.rows[name] = list({tuple(sorted(r.items())): r for r in self.rows[name]}.values())
            if name in ("requests", "calls", "activities"):
                for number, row in enumerate(self.rows[name]):
                    row["id"] = number
            path = tables / f"{name}.npz"
            if self.rows[name]:
                write_table(path, schema, _frame(name, schema, self.rows[name]))
            else:
                path.write_bytes(_empty(name))
        return open_capture(self.folder)


def _frame(name, schema, rows):
    """Returns the rows as a table: absent values are missing, and times of the clock count from BASE."""
    columns = {}
    for column in schema.columns:
        values = [row.get(column.name) for row in rows]
        if column.type == "string":
            columns[column.name] = pd.Series(values, dtype=object)
            continue
        missing = np.nan if column.type == "float64" else 0 if column.type in ("enum", "flags") else -1
        values = [missing if value is None or value != value else value for value in values]
        if (
            column.unit == "ns"
            and name not in ("item_parts", "request_parts")
            and column.name not in ("resolution", "throttled", "compiling", "queue_wait", "stolen", "interrupts")
        ):
            values = [t if t == -1 else t + BASE for t in values]
        columns[column.name] = values
    return pd.DataFrame(columns)


@cache
def _empty(name):
    """Returns the file of a table without rows."""
    schema = load_schema().tables[name]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "table.npz"
        write_table(path, schema, pd.DataFrame({column.name: [] for column in schema.columns}))
        return path.read_bytes()


def sleepers(folder, *, count, gap, sleep, threads, limits, changes=()):
    """Builds items that sleep on a pool that has `threads(t)` threads: first come, first served, computed exactly."""
    free_at: list[int] = []
    length = count * gap + count * sleep
    rows: list[tuple[int, int, int, int]] = []
    for i in range(count):
        enqueue = i * gap
        while True:
            allowed = threads(enqueue)
            busy = sorted(t for t in free_at if t > enqueue)
            start = enqueue
            if len(busy) >= allowed:
                # The next thread comes from the next free one or from the next change of the goal, whichever is first.
                start = min([busy[len(busy) - allowed], *(t for t, _ in changes if t > enqueue)])
                while sum(t > start for t in free_at) >= threads(start):
                    start = min([t for t in [*free_at, *(c for c, _ in changes)] if t > start])
            break
        start = max(start, rows[-1][1] if rows else 0)
        worker = next(w for w in range(200, 10**6) if all(r[3] != w or r[2] <= start for r in rows))
        free_at.append(start + sleep)
        rows.append((enqueue, start, start + sleep, worker))
    length = rows[-1][2] + MS
    builder = CaptureBuilder(folder, length=length, limits=limits)
    for enqueue, start, end, worker in rows:
        builder.item(enqueue, start, end, worker, [("running", MS // 10), ("blocked", sleep - MS // 10)])
    for time, goal in changes:
        builder.change(time, goal)
    return builder
