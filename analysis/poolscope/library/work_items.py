"""Questions about work items: the wait of each, the longest ones, and groups of them, in units that the caller
selects."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Literal

import numpy as np
import pandas as pd

from poolscope import capture as decoded
from poolscope.attribution import Attribution
from poolscope.base.arrays import IntArray
from poolscope.base.statistics import quantile
from poolscope.base.units import NS_PER_MS, NS_PER_S, NS_PER_US
from poolscope.capture import DecodedCapture, load_schema
from poolscope.capture.manifest import utc_ns_at_start
from poolscope.library import arguments
from poolscope.library.tables import readable
from poolscope.product.causes import CAUSES, main_cause, wait_by_cause
from poolscope.product.item_names import KINDS, item_kinds, item_methods
from poolscope.product.parts import EXECUTION, WAIT, item_parts

Units = Literal["ns", "us", "ms", "s", "timedelta"]
"""Units of durations: int64 or float64 ns, as measured; float64 of another unit; or pandas Timedelta."""
UNITS: tuple[Units, ...] = ("ns", "us", "ms", "s", "timedelta")
Times = Literal["ns", "timedelta", "timestamp"]
"""Units of points in time: int64 ns of CLOCK_MONOTONIC, -1 if unknown; Timedelta since the start of the capture; or
Timestamp in UTC. The two pandas types have NaT for an unknown time."""
TIMES: tuple[Times, ...] = ("ns", "timedelta", "timestamp")

_NAT = np.iinfo(np.int64).min
"""NaT as NumPy and pandas store it."""
_NS_PER = {"us": NS_PER_US, "ms": NS_PER_MS, "s": NS_PER_S}


def check_units(units: object) -> str:
    """Raises InvalidArgument or TypeError for a value that is not in UNITS."""
    return arguments.choice("units", units, UNITS)


def check_times(times: object) -> str:
    """Raises InvalidArgument or TypeError for a value that is not in TIMES."""
    return arguments.choice("times", times, TIMES)


def in_units(frame: pd.DataFrame, durations: Sequence[str], units: str) -> pd.DataFrame:
    """Returns a copy of `frame` with these columns converted from ns to one of UNITS."""
    if units == "ns":
        return frame
    changed = {name: _duration(frame[name], units) for name in durations}
    return frame.assign(**changed)


def _duration(column: pd.Series, units: str) -> pd.Series:
    if units != "timedelta":
        return column / _NS_PER[units]
    missing = column.isna().to_numpy()
    whole = np.where(missing, 0, np.rint(column.to_numpy())).astype(np.int64)
    return pd.Series(np.where(missing, _NAT, whole).view("timedelta64[ns]"), index=column.index)


def in_times(frame: pd.DataFrame, columns: Sequence[str], times: str, capture: DecodedCapture) -> pd.DataFrame:
    """Returns a copy of `frame` with these columns converted from ns of the capture's clock to one of TIMES."""
    if times == "ns":
        return frame
    convert = _since_start if times == "timedelta" else _in_utc
    return frame.assign(**{name: convert(frame[name], capture) for name in columns})


def _since_start(column: pd.Series, capture: DecodedCapture) -> pd.Series:
    since = _known(column, column.to_numpy() - capture.window[0])
    return pd.Series(since.view("timedelta64[ns]"), index=column.index)


def _in_utc(column: pd.Series, capture: DecodedCapture) -> pd.Series:
    clock = capture.manifest["clock"]
    at = _known(column, column.to_numpy() - int(clock["start_ns"]) + utc_ns_at_start(clock))
    return pd.Series(at.view("datetime64[ns]"), index=column.index).dt.tz_localize("UTC")


def _known(column: pd.Series, value: IntArray) -> IntArray:
    """Returns `value`, int64, with NaT for each unknown time in `column`."""
    return np.where(column.to_numpy() < 0, _NAT, value).astype(np.int64)


WAITS = ("injection", "blocking", "core", "runtime")
"""Columns that add up to `wait` in every row."""
DURATIONS = ("wait", *WAITS, "holding", "dependency", "behind_blocked", *EXECUTION)
POINTS = ("enqueue", "dequeue", "end")
SEEN = ("kind", "enqueue", "dequeue", "end", "worker_tid")
"""Columns taken unchanged from the table work_items."""


def item_waits(capture: DecodedCapture, attribution: Attribution) -> pd.DataFrame:
    """Returns the columns that `Capture.attribute` describes, in order of `work_items.id`."""
    work_items = readable(capture.table("work_items"), load_schema().tables["work_items"])
    items = attribution.items
    parts = item_parts(attribution)
    if parts.empty:
        parts = pd.DataFrame({name: np.full(items.count, np.nan) for name in (*WAIT, *EXECUTION)})
    columns: dict[str, object] = {
        **{name: work_items[name].iloc[items.row].reset_index(drop=True) for name in SEEN},
        "wait": items.wait,
        "at_least": items.censored,
        "cause": pd.Categorical.from_codes(main_cause(attribution), categories=list(CAUSES)),
        "injection": parts["injection"],
        "blocking": parts["holding"] + parts["dependency"],
        "core": parts["core"],
        "runtime": parts["runtime"],
        **{name: parts[name] for name in ("holding", "dependency", "behind_blocked")},
        **{name: parts[name] for name in EXECUTION},
    }
    return pd.DataFrame(columns).set_index(pd.Index(items.row, name="id"))


UNKNOWN = "unknown"
"""The method of items without a recorded stack."""
QUANTILES = {"wait_p50": 0.50, "wait_p99": 0.99}
GROUP_DURATIONS = ("wait_mean", *QUANTILES, "wait_max", *WAITS)


def by_method(capture: DecodedCapture, attribution: Attribution) -> pd.DataFrame:
    """Returns one row per method, named as in `worst_items[].method` of analysis.json."""
    methods, code = methods_of(capture, attribution)
    # Frames of different modules may have the same name.
    names, same = np.unique(np.array([*methods, UNKNOWN], dtype=object), return_inverse=True)
    return _grouped(attribution, same[code], names.tolist(), "method")


def by_kind(capture: DecodedCapture, attribution: Attribution) -> pd.DataFrame:
    """Returns one row per kind of work, named as in `worst_items[].kind` of analysis.json."""
    items = attribution.items
    kinds = item_kinds(capture, items, attribution.executions)
    return _grouped(attribution, kinds, KINDS, "kind")


def methods_of(capture: DecodedCapture, attribution: Attribution) -> tuple[list[str], IntArray]:
    """Returns names of methods, and for each item the index of its method, shape (items,); -1 without a recorded
    stack."""
    items = attribution.items
    frames, code = item_methods(capture, attribution.executions)
    return [frame.method or UNKNOWN for frame in frames], code[: items.count]


def _grouped(attribution: Attribution, code: IntArray, names: Sequence[str], index: str) -> pd.DataFrame:
    """Returns one row per group, longest total wait first. `code` is each item's index into `names`."""
    items, parts = attribution.items, wait_by_cause(attribution)
    rows = []
    for number in np.unique(code).tolist():
        own = np.flatnonzero(code == number)
        wait, censored = items.wait[own], items.censored[own]
        rows.append(
            {
                index: names[number],
                "items": len(own),
                "wait_mean": float(wait.mean()),
                **{name: quantile(wait, censored, share).value for name, share in QUANTILES.items()},
                "wait_max": float(wait.max()),
                **{part: float(parts[part][own].mean()) if part in parts else np.nan for part in WAITS},
                "at_least": bool(censored.any()),
            }
        )
    rows.sort(key=lambda row: (-row["items"] * row["wait_mean"], row[index]))
    columns = [index, "items", *GROUP_DURATIONS, "at_least"]
    return pd.DataFrame(rows, columns=columns).set_index(index)


DEFAULT_STORIES = 10


class WorkItemQuestions:
    """The part of `Capture` that answers with one row per work item or group of work items.

    Each method takes `units`, the unit of durations:

    - `ns` (default): nanoseconds, int64 if they were measured and float64 if they are means or quantiles;
    - `us`, `ms`, `s`: float64;
    - `timedelta`: pandas Timedelta, to the nanosecond; NaT if unknown.

    Methods with points in time also take `times`:

    - `ns` (default): int64 nanoseconds on the clock of `Capture.window`; -1 if the time is unknown;
    - `timedelta`: since the start of the capture, as Timedelta; NaT if the time is unknown;
    - `timestamp`: in UTC, as Timestamp, accurate to a millisecond; NaT if the time is unknown.

    Any other value raises InvalidArgument; a value that is no str raises TypeError.
    """

    def __init__(self, source: decoded.DecodedCapture) -> None:
        self._source = source

    def attribute(self, *, units: Units = "ns", times: Times = "ns") -> pd.DataFrame:
        """Splits the wait of every work item by cause. Returns one row per item, indexed by `work_items.id`.

        Durations are 0 or more and in `units`.

        - `kind`, `worker_tid`: as in the table work_items; `enqueue`, `dequeue`, `end`: the same, in `times`.
        - `wait`: enqueue to start, as far as the capture shows it; `at_least` is True if it is only a lower bound.
        - `injection`, `blocking`, `core`, `runtime`: parts of the wait, which add up to it exactly (in ns).
        - `cause`: the largest of these; `unknown` without a kernel stream.
        - `holding`, `dependency`: the two parts of blocking; `behind_blocked`: the part of injection while the existing
          threads of the pool were blocked.
        - `exec_cpu`, `exec_blocked`, `exec_ready`, `exec_runtime`, `exec_unknown`: parts of the execution.

        Items that a waiting thread ran inline never waited and have no row. Without a kernel stream the parts are
        unknown: they are float64 and NaN, while `wait` stays exact.
        """
        check_units(units), check_times(times)
        frame = item_waits(self._source, self._attribution)
        return in_times(in_units(frame, DURATIONS, units), POINTS, times, self._source)

    def by_method(self, *, units: Units = "ns") -> pd.DataFrame:
        """Returns the waits of the work items of each method: one row per method, longest total wait first.

        - `method` (the index): the outermost method of your own code on the first stack recorded while the item ran;
          `unknown` without such a stack. No event shows which code an item runs.
        - `items`: the number of items; the rows add up to all items.
        - `wait_mean`, `wait_p50`, `wait_p99`, `wait_max`: enqueue to start, float64 in `units`. Quantiles are
          Kaplan-Meier estimates, as in analysis.json.
        - `injection`, `blocking`, `core`, `runtime`: mean per item; they add up to `wait_mean`. NaN without a kernel
          stream.
        - `at_least`: the capture did not record the end of all of these waits, so the figures are lower bounds.
        """
        check_units(units)
        return in_units(by_method(self._source, self._attribution), GROUP_DURATIONS, units)

    def by_kind(self, *, units: Units = "ns") -> pd.DataFrame:
        """Returns the same for each kind of work, with `kind` as the index.

        The kinds are task, timer, socket, continuation (the rest of an async method after an await), delegate
        (QueueUserWorkItem), connection (a web server's own work), and other (no table or stack shows the kind).
        """
        check_units(units)
        return in_units(by_kind(self._source, self._attribution), GROUP_DURATIONS, units)

    def worst_items(self, count: int = DEFAULT_STORIES, *, units: Units = "ns", times: Times = "ns") -> pd.DataFrame:
        """Returns the items that waited longest, longest first. The columns are those of `attribute`, except:

        - `kind`, `method`: as in `by_kind` and `by_method`; `method` is None without a recorded stack.
        - `queued_before_it`: items in the queue when it arrived; `overtaken_by`: items that arrived later and started
          before it.
        - `story`: what happened to it, as a list of (when, what) in sentences.

        `count` is the most rows to return, 1 or more. Raises InvalidArgument or TypeError for any other count.
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
