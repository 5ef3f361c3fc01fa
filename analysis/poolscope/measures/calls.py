"""The calls of other services through HttpClient, and what each waited for before it had a connection."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from poolscope.base.arrays import AnyArray, BoolArray, IntArray
from poolscope.capture import DecodedCapture
from poolscope.capture.schema import enum
from poolscope.executions.items import Items
from poolscope.executions.last_begun import last_begun

NEVER = -1


@dataclass(frozen=True)
class Calls:
    """One row per call, shape (calls,), in the order of `calls.id`. Times are ns from the start of the window.

    A call without a free connection waits in turn for up to three things: that its connection is made (`making`), that another
    call gives it back (`held`), and that a worker takes up the continuation (`dispatch`), which is the thread pool's wait and
    not HttpClient's. They add up to `calls.queue_wait`.
    """

    endpoint: AnyArray
    """Host and port, as text."""
    path: AnyArray
    protocol: AnyArray
    begun: IntArray
    end: IntArray
    """NEVER: not seen."""
    untold: BoolArray
    """Another call began inside it, and it may have ended: which of several such calls did is not reported."""
    failed: BoolArray
    status: IntArray
    """HTTP status code; -1: no answer, or not seen."""
    making: IntArray
    """ns; 0: it did not wait so. For a call that got no connection all of the wait: what it waited for is not known."""
    held: IntArray
    dispatch: IntArray
    waited_since: IntArray
    """When it began to wait for another call's connection; meaningful where `held` is above 0."""
    connection: IntArray
    """Number of the connection that it was sent on; -1: not reported."""
    made: IntArray
    """When that was made; NEVER: before the recording."""
    sent: IntArray
    """NEVER: not seen."""
    stop: int
    """End of the window."""

    @property
    def count(self) -> int:
        return len(self.begun)

    @property
    def open(self) -> BoolArray:
        """No end was seen."""
        return np.asarray((self.end < 0) & ~self.untold)

    @property
    def latency(self) -> IntArray:
        """From begin to end, ns; up to the end of the window where `open`, a lower bound; 0 if `untold`."""
        until = np.where(self.untold, self.begun, np.where(self.open, self.stop, self.end))
        return np.maximum(until - self.begun, 0)

    @property
    def queued(self) -> IntArray:
        """How long each waited for a connection of HttpClient's own pool, ns."""
        return self.making + self.held


def measure_calls(capture: DecodedCapture, items: Items) -> Calls | None:
    """Measures each call of HttpClient. Returns None if none was reported, and no rows if all had begun before the
    recording."""
    if not capture.has("calls"):
        return None
    table = capture.table("calls")
    start, stop = capture.window
    time = {name: _from(table[name], start) for name in ("start", "left_queue", "sent", "connection_made", "end")}
    connection = table["connection"].to_numpy()
    waited = table["queue_wait"].to_numpy() > 0
    until = np.where(waited, time["left_queue"], 0)
    since = np.where(waited, until - table["queue_wait"].to_numpy(), 0)
    given = np.where(waited, _given(items, table["left_queue_tid"].to_numpy().astype(np.int64), since, until), 0)
    # A connection that was not made while we looked had been made before.
    had = np.where(connection >= 0, np.clip(time["connection_made"], since, given), given)
    return Calls(
        _endpoints(table),
        table["path"].astype(object).fillna("").to_numpy(),
        table["protocol"].astype(object).to_numpy(),
        time["start"],
        time["end"],
        table["outcome"].to_numpy() == enum("calls", "outcome", "untold"),
        table["outcome"].to_numpy() == enum("calls", "outcome", "failed"),
        table["status"].to_numpy().astype(np.int64),
        making=had - since,
        held=given - had,
        dispatch=until - given,
        waited_since=had,
        connection=connection,
        made=time["connection_made"],
        sent=time["sent"],
        stop=stop - start,
    )


def _from(column: pd.Series, start: int) -> IntArray:
    values = column.to_numpy()
    return np.where(values < 0, NEVER, np.maximum(values - start, 0))


def _given(items: Items, tid: IntArray, since: IntArray, until: IntArray) -> IntArray:
    """Returns when each call that waited got its connection: when the item was queued in which it went on, or where it went on in an
    item from before the wait, or in none, because its thread had blocked: at once."""
    item, known = last_begun(items, tid, until)
    if items.count == 0:
        return until
    queued = items.enqueue[item]
    own = known & (items.end[item] >= until) & (queued >= since) & (queued <= until) & ~items.censored_start[item]
    return np.where(own, queued, until)


def _endpoints(table: pd.DataFrame) -> AnyArray:
    """Returns host and port of each call; an IPv6 address in brackets."""
    port = table["port"].to_numpy().astype(np.int64)
    host = table["host"].cat.codes.to_numpy().astype(np.int64)
    pairs, code = np.unique(np.stack((host, port)), axis=1, return_inverse=True)
    hosts = [*map(str, table["host"].cat.categories), "unknown"]
    names = [_endpoint(hosts[int(h)], int(p)) for h, p in pairs.T]
    return np.asarray(np.array(names, dtype=object)[code.ravel()])


def _endpoint(host: str, port: int) -> str:
    shown = f"[{host}]" if ":" in host else host
    return f"{shown}:{port}" if port >= 0 else shown
