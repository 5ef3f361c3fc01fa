"""Answers about a capture's work items: each one's wait, the longest, and groups of them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import pandas as pd

from poolscope import capture as decoded
from poolscope.base.units import NS_PER_S
from poolscope.library import arguments
from poolscope.library.units import Times, Units, check_times, check_units, in_times, in_units

if TYPE_CHECKING:
    from poolscope.attribution import Attribution

DEFAULT_STORIES = 10


class WorkItemQuestions:
    """The part of `Capture` that answers with one row per work item or group of them.

    Each method takes `units`, in which durations are given:

    - `ns` (default): nanoseconds, int64 if they were measured and float64 if they are means or quantiles;
    - `us`, `ms`, `s`: float64;
    - `timedelta`: pandas Timedelta, to the nanosecond; NaT if unknown.

    Methods with points in time also take `times`:

    - `ns` (default): int64 nanoseconds on the clock of `Capture.window`; -1 where the time is not known;
    - `timedelta`: since the start of the capture, as Timedelta; NaT where the time is not known;
    - `timestamp`: in UTC, as Timestamp, good to a millisecond; NaT where the time is not known.

    Another value of either raises InvalidArgument; something other than a str raises TypeError.
    """

    def __init__(self, source: decoded.DecodedCapture) -> None:
        self._source = source

    def attribute(self, *, units: Units = "ns", times: Times = "ns") -> pd.DataFrame:
        """Splits the wait of every work item by cause. One row per item, indexed by `work_items.id`; durations are 0 or more
        and in `units`.

        - `kind`, `worker_tid`: as in the table work_items; `enqueue`, `dequeue`, `end`: the same, as `times` says.
        - `wait`: enqueue to start, as far as the capture saw it; `at_least` is True if it is only a lower bound.
        - `injection`, `blocking`, `core`, `runtime`: parts of the wait, which add up to it exactly (in ns).
        - `cause`: the largest of these; `unknown` without a kernel stream.
        - `holding`, `dependency`: the two parts of blocking; `behind_blocked`: of injection, while the threads that
          the pool had were blocked.
        - `exec_cpu`, `exec_blocked`, `exec_ready`, `exec_runtime`, `exec_unknown`: parts of the execution.

        Items that a waiting thread ran inline never waited and have no row. Without a kernel stream the parts are
        not known: they are float64 and NaN, while `wait` stays exact.
        """
        check_units(units), check_times(times)
        from poolscope.library.item_waits import DURATIONS, TIMES, item_waits

        frame = item_waits(self._source, self._attribution)
        return in_times(in_units(frame, DURATIONS, units), TIMES, times, self._source)

    def by_method(self, *, units: Units = "ns") -> pd.DataFrame:
        """Returns the waits of the work items of each method: one row per method, the one whose items waited longest in all first.

        - `method` (the index): the outermost method of your own code on the first stack that was seen while the item
          ran; `unknown`: no stack was. No event says which code an item runs.
        - `items`: how many; the rows add up to all items.
        - `wait_mean`, `wait_p50`, `wait_p99`, `wait_max`: enqueue to start, float64 in `units`. Quantiles are
          Kaplan-Meier estimates, as in analysis.json.
        - `injection`, `blocking`, `core`, `runtime`: mean per item; they add up to `wait_mean`. NaN without a kernel stream.
        - `at_least`: the capture did not see all of these waits to their end, so the figures are lower bounds.
        """
        check_units(units)
        from poolscope.library.item_waits import GROUP_DURATIONS, by_method

        return in_units(by_method(self._source, self._attribution), GROUP_DURATIONS, units)

    def by_kind(self, *, units: Units = "ns") -> pd.DataFrame:
        """Returns the same for each kind of work, with `kind` as the index: task, timer, socket, continuation (the rest of an async
        method after an await), delegate (QueueUserWorkItem), connection (a web server's own work), or other (no table and
        no stack shows)."""
        check_units(units)
        from poolscope.library.item_waits import GROUP_DURATIONS, by_kind

        return in_units(by_kind(self._source, self._attribution), GROUP_DURATIONS, units)

    def worst_items(self, count: int = DEFAULT_STORIES, *, units: Units = "ns", times: Times = "ns") -> pd.DataFrame:
        """Returns the items that waited longest, longest first: the columns of `attribute`, with these that differ or are added.

        - `kind`, `method`: as in `by_kind` and `by_method`; `method` is None if no stack was seen.
        - `queued_before_it`: items in the queue when it came; `overtaken_by`: items that came later and started before it.
        - `story`: what happened to it, as a list of (when, what) in sentences.

        `count`: how many rows at most, 1 or more. Raises InvalidArgument or TypeError for another count.
        """
        count = arguments.integer("count", count, least=1)
        check_units(units), check_times(times)
        from poolscope.product.worst import worst_items
        from poolscope.report.sections.worst import story

        start, stop = self._source.window
        told = worst_items(self._source, self._attribution, count)
        rows = self.attribute(units=units, times=times).loc[[item["item"] for item in told]]
        rows["kind"] = pd.Series([item["kind"] for item in told], index=rows.index, dtype=object)
        columns: dict[str, list[object]] = {
            "method": [item["method"] for item in told],
            "queued_before_it": [item["queued_before_it"] for item in told],
            "overtaken_by": [item["overtaken_by"] for item in told],
        }
        for name, column in columns.items():
            rows[name] = pd.Series(column, index=rows.index, dtype=_TYPES.get(name, object))
        stories = [story(item, (stop - start) / NS_PER_S) for item in told]
        rows["story"] = pd.Series(stories, index=rows.index, dtype=object)
        return rows

    @cached_property
    def _attribution(self) -> Attribution:
        from poolscope.attribution import attribute

        return attribute(self._source)


_TYPES: dict[str, type] = {"queued_before_it": int, "overtaken_by": int}
