"""The activities of ActivitySources: the duration of each, and how that time was spent."""

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
"""The parts of an activity's time. They are those of a request, except that an activity has no unread bytes."""


@dataclass(frozen=True)
class Activities:
    """One row per activity, shape (activities,), in the order of `activities.id`. Times are ns from the start of the
    window.

    The runtime may begin to report some ms before the window, which begins with the last stream. An activity that ended
    before the window has no row.
    """

    id: IntArray
    """`activities.id`."""
    source: AnyArray
    """Name of the ActivitySource."""
    name: AnyArray
    """Operation name."""
    begun: IntArray
    """NEVER if before the recording."""
    end: IntArray
    """NEVER if not seen."""
    trace: AnyArray
    """Trace id, hexadecimal. None if not reported."""
    span: AnyArray
    parent: AnyArray
    """Span id of the enclosing activity. None if there is none."""
    item: IntArray
    """`work_items.id` of the item in which it began. -1 if it began in none, or if unknown."""
    end_item: IntArray
    """The same for its end."""
    whole: IntArray
    """Rows of the activities with both ends in the capture, shape (whole,), like the parts."""
    part: dict[str, IntArray]
    """The parts by ACTIVITY_PARTS, ns. They add up to the duration exactly.

    The time is followed back from the activity's end:

    - `cpu`, `blocked`, `ready`, `runtime`, `unseen`: time in work items, also in others that the activity waited for;
    - `queued`: the next such item was in the queue;
    - `services`: an answer was awaited;
    - `other`: no event shows the reason, as for delays.
    """
    cause: dict[str, IntArray]
    """The causes of `queued`: injection, blocking, core, runtime, other, ns. Empty without a kernel stream."""
    stop: int
    """The end of the window."""

    @property
    def count(self) -> int:
        return len(self.begun)

    @property
    def carried(self) -> BoolArray:
        """True if the activity began before the recording: its duration is unknown."""
        return np.asarray(self.begun < 0)

    @property
    def open(self) -> BoolArray:
        """True if the activity began and no end was seen."""
        return np.asarray((self.begun >= 0) & (self.end < 0))

    @property
    def duration(self) -> IntArray:
        """From begin to end, ns. If `open`, up to the end of the window, a lower bound. -1 if `carried`."""
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
    """Returns where each activity began, and the executions, with new ones appended for the threads of activities that
    began outside of any item.

    An item belongs to the activity until its thread starts on something else. The same holds for a thread outside of
    the pool. If nothing shows that such a thread left the activity, it belongs to it only if the activity also ended
    there.
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
    """Returns the number of each execution in `work_items`. -1 if it has none, or if its item is from before the
    capture."""
    items = attribution.items
    known = (execution >= 0) & (execution < items.count)
    return np.where(known, items.row[np.where(known, execution, 0)] if items.count else NEVER, NEVER)
