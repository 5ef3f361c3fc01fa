"""Work that was in progress when the recording began: calls with an end but no beginning in a stream, and items queued
right before attachment, whose wait no event shows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from poolscope.attribution.causes.socket_io import READ
from poolscope.base.arrays import AnyArray, IntArray
from poolscope.base.lookup import latest
from poolscope.base.units import NS_PER_MS, NS_PER_S
from poolscope.capture import DecodedCapture
from poolscope.capture.capture import RUNTIME_STREAM
from poolscope.capture.schema import enum


@dataclass(frozen=True)
class EarlierCalls:
    """Calls through HttpClient that began before the recording and were answered in it, shape (calls,), in order of
    `answered`."""

    answered: IntArray
    """When the head of the answer had been read, ns from the start of the window. The call took at least this long."""
    status: IntArray
    """HTTP status code. -1 if not reported."""
    endpoint: AnyArray
    """Address and port of the remote end of the connection that the thread last read. None if unknown."""

    @property
    def count(self) -> int:
        return len(self.answered)


def find_earlier_calls(capture: DecodedCapture) -> EarlierCalls:
    """Finds the calls that began before the recording and were answered in it. Calls without an answer leave no
    trace."""
    if not capture.has("earlier_calls"):
        none = np.zeros(0, dtype=np.int64)
        return EarlierCalls(none, none, none.astype(object))
    start = capture.window[0]
    table = capture.table("earlier_calls")
    time = table["time"].to_numpy() - start
    known = time < first_lost(capture)
    tid = table["tid"].to_numpy().astype(np.int64)
    return EarlierCalls(
        np.maximum(time[known], 0),
        table["status"].to_numpy().astype(np.int64)[known],
        _endpoint(capture, tid[known], time[known] + start),
    )


def first_lost(capture: DecodedCapture) -> int:
    """Returns when the runtime's stream first lost an event, ns from the start of the window, or the largest int64.

    From then on, an end without a beginning may belong to work that began in the recording.
    """
    losses = capture.table("losses")
    of_runtime = losses[
        (losses["stream"] == RUNTIME_STREAM) & (losses["what"] == enum("losses", "what", "eventpipe_lost"))
    ]
    if len(of_runtime) == 0:
        return int(np.iinfo(np.int64).max)
    return max(int(of_runtime["start"].min()) - capture.window[0], 0)


def _endpoint(capture: DecodedCapture, tid: IntArray, time: IntArray) -> AnyArray:
    nowhere = np.full(len(tid), None, dtype=object)
    if not capture.has("socket_io"):
        return nowhere
    table = capture.table("socket_io")
    reads = table[table["direction"] == READ]
    at, some = latest(reads["tid"].to_numpy().astype(np.int64), reads["time"].to_numpy(), tid, time)
    if len(reads) == 0:
        return nowhere
    remote = capture.table("sockets")["remote"].astype(object).to_numpy()[reads["socket"].to_numpy()[at]]
    known = some & ~pd.isna(remote)
    nowhere[known] = remote[known]
    return nowhere


NEAR_NS = 1 * NS_PER_S
"""From the look to the first event. The look says nothing about a part of a recording."""


@dataclass(frozen=True)
class QueuedBefore:
    """At least `count` items at both ends of `length` ns. `ended` is the number of items that ended meanwhile or soon
    after, None if unknown."""

    count: int
    length: int
    ended: int | None

    @property
    def item_seconds(self) -> float:
        """The total wait of the items, if the queue was as long in between."""
        return self.count * self.length / NS_PER_S

    def is_late(self, limit_ms: float) -> bool:
        """Returns whether the items that left the queue waited longer than this on average, by Little's law."""
        return self.length * self.count > limit_ms * NS_PER_MS * max(self.ended or 0, self.count)


def queued_before(capture: DecodedCapture) -> QueuedBefore | None:
    """Returns what a counter, and later the look at the process's memory, found in the queue. None unless both
    exist."""
    look, start = capture.manifest.get("look"), capture.window[0]
    if not look or not capture.has("pool_counters") or not 0 <= start - look["time_ns"] <= NEAR_NS:
        return None
    rows = capture.table("pool_counters").sort_values("time")
    before = rows[(rows["time"] < look["time_ns"]) & (rows["queue_length"] >= 0)]
    if before.empty:
        return None
    after = rows[(rows["time"] >= look["time_ns"]) & (rows["completed"] >= 0)]
    last = before.iloc[-1]
    return QueuedBefore(
        min(int(last["queue_length"]), int(look["queue_length"])),
        int(look["time_ns"] - last["time"]),
        None if after.empty else int(after.iloc[0]["completed"]),
    )
