"""The activities of ActivitySources: how long each took, and where that time went."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from poolscope.attribution.attribute import Attribution
from poolscope.attribution.causes.origins import OUTSIDE, running_item
from poolscope.attribution.causes.socket_io import CONNECTED, without_sockets
from poolscope.base.arrays import AnyArray, BoolArray, IntArray
from poolscope.capture import DecodedCapture
from poolscope.executions.segments import Executions, Segments, cut_executions
from poolscope.measures.requests.parts import PARTS, split_tiles
from poolscope.measures.requests.tiles import TileRows
from poolscope.measures.requests.walk import Begin, find_ground, to_begin
from poolscope.measures.services import load_sockets

NEVER = -1
ACTIVITY_PARTS = tuple(name for name in PARTS if name != "unread")
"""The parts of an activity's time, as of a request's; but an activity has no bytes that lie unread."""


@dataclass(frozen=True)
class Activities:
    """One row per activity, shape (activities,), in the order of `activities.id`. Times are ns from the start of the window.
    The runtime may begin to tell some ms before the window, which begins with the last stream: what had ended by then has no
    row."""

    id: IntArray
    """`activities.id`."""
    source: AnyArray
    """Name of the ActivitySource."""
    name: AnyArray
    """Operation name."""
    begun: IntArray
    """NEVER: before the recording."""
    end: IntArray
    """NEVER: not seen."""
    trace: AnyArray
    """Trace id, hexadecimal; None: not reported."""
    span: AnyArray
    parent: AnyArray
    """Span id of the activity that it began in; None: none."""
    item: IntArray
    """`work_items.id` of the item that it began in; -1: in none, or not known."""
    end_item: IntArray
    """The same of its end."""
    whole: IntArray
    """Rows of those with both ends in the capture: shape (whole,), as the parts."""
    part: dict[str, IntArray]
    """By ACTIVITY_PARTS, ns: they add up to the duration exactly. Followed back from its end, the time of work items is `cpu`,
    `blocked`, `ready`, `runtime` or `unseen`, also of other items than its own that it waited for; `queued`: the next such item
    was in the queue; `services`: an answer was awaited; `other`: what no event shows, such as delays."""
    cause: dict[str, IntArray]
    """What `queued` was due to: injection, blocking, core, runtime, other, ns. Empty without a kernel stream."""
    stop: int
    """End of the window."""

    @property
    def count(self) -> int:
        return len(self.begun)

    @property
    def carried(self) -> BoolArray:
        """It began before the recording: its duration is not known."""
        return np.asarray(self.begun < 0)

    @property
    def open(self) -> BoolArray:
        """It began, and no end was seen."""
        return np.asarray((self.begun >= 0) & (self.end < 0))

    @property
    def duration(self) -> IntArray:
        """From begin to end, ns; up to the end of the window where `open`, a lower bound; -1 where `carried`."""
        until = np.where(self.end < 0, self.stop, self.end)
        return np.where(self.begun < 0, NEVER, np.maximum(until - self.begun, 0))


def measure_activities(capture: DecodedCapture, attribution: Attribution) -> Activities | None:
    """Measures each recorded activity. Returns None if there is none."""
    table = capture.table("activities") if capture.has("activities") else pd.DataFrame()
    if len(table) == 0:
        return None
    start, stop = capture.window
    ended = table["end"].to_numpy()
    table = table[(ended < 0) | (ended >= start)]
    if len(table) == 0:
        return None
    begun, end, left = (_from(table[name], start) for name in ("start", "end", "thread_left"))
    begun[table["start"].to_numpy() < start] = NEVER
    executions = attribution.executions
    tid, end_tid = (table[name].to_numpy().astype(np.int64) for name in ("tid", "end_tid"))
    first = np.where(begun >= 0, running_item(executions, tid, begun), OUTSIDE)
    last = np.where(end >= 0, running_item(executions, end_tid, end), OUTSIDE)
    whole = np.flatnonzero((begun >= 0) & (end >= 0))
    begin, threads = _begin(executions, begun[whole], first[whole], tid[whole], left[whole], end[whole], end_tid[whole])
    ground = find_ground(
        capture, attribution.items, executions, load_sockets(capture, attribution) or without_sockets()
    )
    rows = TileRows(begin.time)
    to_begin(ground, np.asarray(ground.io.role != CONNECTED), begin, end[whole], last[whole], rows)
    segments = _with(attribution.segments, executions.count, cut_executions(capture, threads))
    part, cause = split_tiles(rows.tiles(), np.arange(len(whole)), len(whole), attribution, segments)
    return Activities(
        id=table["id"].to_numpy().astype(np.int64),
        source=_text(table["source"]),
        name=_text(table["name"]),
        begun=begun,
        end=end,
        trace=_text(table["trace_id"]),
        span=_text(table["span_id"]),
        parent=_text(table["parent_span_id"]),
        item=_row(attribution, first),
        end_item=_row(attribution, last),
        whole=whole,
        part={name: part[name] for name in ACTIVITY_PARTS},
        cause=cause,
        stop=stop - start,
    )


def _from(column: pd.Series, start: int) -> IntArray:
    values = column.to_numpy()
    return np.where(values < 0, NEVER, np.maximum(values - start, 0))


def _text(column: pd.Series) -> AnyArray:
    return np.asarray(column.astype(object).where(column.notna(), None).to_numpy(), dtype=object)


def _begin(
    executions: Executions,
    begun: IntArray,
    item: IntArray,
    tid: IntArray,
    left: IntArray,
    end: IntArray,
    end_tid: IntArray,
) -> tuple[Begin, Executions]:
    """Returns where each began, and the executions, numbered behind the others, that stand for the threads of those that began outside
    of any item.

    An item is the activity's until its thread is told to be at something else. So is a thread outside of the pool; where
    nothing says that it left the activity, that is so if it ended there, too.
    """
    apart = np.flatnonzero(item == OUTSIDE)
    own_until = np.where(tid == end_tid, end, begun)
    if executions.count:
        own_until = np.where(item == OUTSIDE, own_until, executions.end[item])
    own_until = np.where(left >= 0, np.where(item == OUTSIDE, left, np.minimum(left, own_until)), own_until)
    first = item.copy()
    first[apart] = executions.count + np.arange(len(apart))
    return Begin(begun, first, own_until), Executions(tid[apart], begun[apart], own_until[apart], items=0)


def _with(segments: Segments, offset: int, more: Segments) -> Segments:
    """Appends `more`, whose executions are numbered from `offset` on."""
    return Segments(
        np.concatenate((segments.item, more.item + offset)),
        np.concatenate((segments.start, more.start)),
        np.concatenate((segments.end, more.end)),
        np.concatenate((segments.state, more.state)),
        np.concatenate((segments.resolution, more.resolution)),
    )


def _row(attribution: Attribution, execution: IntArray) -> IntArray:
    """Returns the number in `work_items` of each execution; -1: none, or of an item from before the capture."""
    items = attribution.items
    known = (execution >= 0) & (execution < items.count)
    return np.where(known, items.row[np.where(known, execution, 0)] if items.count else NEVER, NEVER)
