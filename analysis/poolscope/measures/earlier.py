"""What was under way when the recording began: from what a stream tells of an end without a beginning."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from poolscope.attribution.causes.socket_io import READ
from poolscope.base.arrays import AnyArray, IntArray
from poolscope.base.lookup import latest
from poolscope.capture import DecodedCapture
from poolscope.capture.capture import RUNTIME_STREAM
from poolscope.capture.schema import enum


@dataclass(frozen=True)
class EarlierCalls:
    """Calls through HttpClient that began before the recording and were answered in it, shape (calls,), in order of `answered`."""

    answered: IntArray
    """The head of the answer had been read, ns from the start of the window: this long each took at least."""
    status: IntArray
    """HTTP status code; -1: not reported."""
    endpoint: AnyArray
    """Address and port of the other end of the connection that the thread had last read; None: not known."""

    @property
    def count(self) -> int:
        return len(self.answered)


def find_earlier_calls(capture: DecodedCapture) -> EarlierCalls:
    """Finds the calls that began before the recording and were answered in it. Calls that were not answered leave no
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
    """Returns when the runtime's stream first lost an event, ns from the start of the window, or the end of time. From then on an end
    without a beginning may be that of what began in the recording."""
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
