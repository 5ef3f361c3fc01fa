"""Answers based on the analysis of a `Capture`: all of it, and tables of blame, requests and their steps, services,
calls and activities."""

from __future__ import annotations

import copy
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from poolscope import capture as decoded
from poolscope.base.arrays import BoolArray, FloatArray, IntArray
from poolscope.base.errors import InsufficientEvidence
from poolscope.executions.items import Items
from poolscope.library import arguments
from poolscope.library.work_items import WorkItemQuestions
from poolscope.measures.activities import ACTIVITY_PARTS, Activities
from poolscope.measures.calls import Calls
from poolscope.measures.requests import RequestParts, Requests
from poolscope.measures.requests.parts import CAUSES, PARTS
from poolscope.measures.requests.routes import routes_of
from poolscope.measures.services import ServiceCalls
from poolscope.product.activities import operations_of
from poolscope.product.requests import KINDS

if TYPE_CHECKING:
    from poolscope.contract.analysis_json import AnalysisJson
    from poolscope.product import Analysis


class AnalysisQuestions(WorkItemQuestions):
    """The part of `Capture` that is based on its analysis."""

    def __init__(self, source: decoded.DecodedCapture, late_ms: float) -> None:
        super().__init__(source)
        self._late_ms = late_ms

    def analysis(self, *, redact: bool = False) -> AnalysisJson:
        """Returns the whole answer: the content of analysis.json (docs/analysis-json.md).

        With `redact`, tokens replace names, paths and arguments (docs/security.md).
        """
        return copy.deepcopy(self._redacted(arguments.boolean("redact", redact)))

    def blame(self) -> pd.DataFrame:
        """Returns the code that held threads while items waited in the queue: one row per method and kind of wait,
        costliest first.

        - `method`: the user's method nearest to the leaf. None if no stack is known; such rows come last.
        - `file`, `line`: the place in it, from its PDB; None if unknown.
        - `kind`: lock, task-wait, sleep, socket ... or unknown (docs/blame.md); `call`: the framework call that
          blocked, in readable form, or None.
        - `thread_s`: thread-seconds; `share`: of all, 0 to 1; `share_low`, `share_high`: its 95 % interval.
        - `event_s`, `estimated_s`: the parts of thread_s shown by an event and estimated from snapshots of other
          blocks.
        - `samples`: snapshots that found a thread blocked there.
        - `frames`: the costliest stack as a list of methods, leaf first; empty if none is known.

        Raises InsufficientEvidence without a kernel stream or without stacks.
        """
        rows = self._content["blame"]
        if rows is None:
            lacks = "kernel stream" if self._source.kernel_tier == "none" else "stacks of waits"
            raise InsufficientEvidence(
                f"{self._source.path}: no {lacks}, so the capture does not show what held its threads; record again"
            )
        columns = (
            *("method", "file", "line", "kind", "call", "thread_s", "share", "share_low", "share_high"),
            *("event_s", "estimated_s", "samples"),
        )
        made = [dict(row) | {"frames": list(row["stacks"][0]["frames"]) if row["stacks"] else []} for row in rows]
        return pd.DataFrame(made, columns=[*columns, "frames"])

    def requests(self) -> pd.DataFrame:
        """Returns the requests of a web service, one row each by `requests.id`. Empty if ASP.NET Core reported none.

        Times are ns from the start of the window, durations ns. NaN for unknown parts (docs/requests.md).

        - `arrived`: the last byte of the request; `answered`: the first byte of its answer; `left`: its exit from the
          application; -1 if unknown;
        - `latency`: from `arrived` to `answered`; if `at_least` is True, it ends with the capture, or it begins when
          the recording found the request's bytes unread in a socket;
        - unread, queued, cpu, blocked, ready, runtime, unseen, services, timer, shared, thread and other: parts that
          add up to the latency exactly, for answered requests;
        - wait_injection, wait_blocking, wait_core, wait_runtime and wait_other: these add up to unread plus queued.
        """
        evidence = self.analysed.evidence
        return requests_frame(evidence.requests, evidence.request_parts)

    def request_steps(self) -> pd.DataFrame:
        """Returns the steps of each answered request, one row per step, by request and time.

        - `what`: unread, queued, executed, service or other.
        - `start`, `end`: ns from the start of the window.
        - `item`: `work_items.id`, -1 if none; `endpoint`: the service's.
        """
        return steps_frame(self.analysed.evidence.requests, self.analysed.attribution.items)

    def services(self) -> pd.DataFrame:
        """Returns the services that the target called over TCP, by `endpoint`, in descending order of total wait for
        their answers.

        `calls` is their number. `mean`, `p50`, `p99` and `max` are ns from the last byte sent to the last byte of the
        answer. Empty if sockets were not recorded.
        """
        from poolscope.measures.services import find_service_calls, load_sockets

        return services_frame(find_service_calls(load_sockets(self._source, self._attribution)))

    def calls(self) -> pd.DataFrame:
        """Returns the calls through HttpClient, one row each by `calls.id`. Empty if HttpClient reported none.

        Times are ns from the start of the window, durations ns.

        - `endpoint`: host and port; `route`: the path with `{id}` in place of numbers and keys, never the query;
        - `latency`: from `begun` to `end` (-1 if not seen); if `at_least` is True, it ends with the capture; NaN if
          another call began inside the call and the call's end is not reported;
        - `making_wait`, `held_wait`, `thread_wait`: waits before the call had a connection of HttpClient's pool, 0 if
          none: while its connection was made (also if the call got none), until another call returned a connection, and
          until a worker of the thread pool continued the call;
        - `status`: HTTP status code, -1 without an answer; `failed`: the call ended with an exception;
        - `connection`: its number in the process, -1 if not reported.
        """
        return calls_frame(self.analysed.evidence.calls)

    def activities(self) -> pd.DataFrame:
        """Returns the activities of the ActivitySources named by `collect --activities`, one row each by
        `activities.id`.

        Empty if none was recorded. Times are ns from the start of the window, durations ns. NaN for unknown parts
        (docs/activities.md).

        - `operation`: the name with `{id}` in place of numbers and keys;
        - `duration`: from `begun` to `end` (-1 if not seen); if `at_least` is True, it ends with the capture; NaN if
          the activity began before the recording, and `begun` is then -1;
        - `item`, `end_item`: `work_items.id` of the items in which it began and ended, -1 if none;
        - `trace_id`, `span_id`, `parent_span_id`: hexadecimal, None if absent;
        - queued, cpu, blocked, ready, runtime, unseen, services, timer, shared, thread and other: parts that add up to
          the duration exactly, for activities recorded from begin to end;
        - wait_injection, wait_blocking, wait_core, wait_runtime and wait_other: with a kernel stream, these add up to
          queued.
        """
        return activities_frame(self.analysed.evidence.activities)

    @cached_property
    def analysed(self) -> Analysis:
        """The analysis behind all answers. Its layout is not public and may change between versions."""
        from poolscope.product import analyse

        return analyse(self._source, self._late_ms, lambda _: self._attribution)

    @cached_property
    def _content(self) -> AnalysisJson:
        return self.analysed.to_json()

    @cached_property
    def _content_redacted(self) -> AnalysisJson:
        from poolscope.redact import redact

        return redact(self._content)

    def _redacted(self, wanted: bool) -> AnalysisJson:
        return self._content_redacted if wanted else self._content


def requests_frame(requests: Requests | None, parts: RequestParts | None) -> pd.DataFrame:
    """Returns the columns that `Capture.requests` describes, in order of `requests.id`; durations ns."""
    if requests is None:
        return pd.DataFrame()
    until = np.where(requests.answered >= 0, requests.answered, requests.stop)
    frame = pd.DataFrame(
        {
            "http_method": requests.method,
            "route": routes_of(requests.path),
            "path": requests.path,
            "begun": requests.begun,
            "arrived": requests.arrived,
            "answered": requests.answered,
            "left": requests.left,
            "latency": np.where(requests.tied, until - requests.arrived, np.nan),
            "at_least": requests.tied & ((requests.answered < 0) | requests.early),
        }
    ).rename_axis("id")
    told = {} if parts is None else parts.part | {f"wait_{name}": parts.cause[name] for name in CAUSES}
    for name in (*PARTS, *(f"wait_{name}" for name in CAUSES)):
        frame[name] = _of_some(requests.count, None if parts is None else parts.row, told.get(name))
    return frame


def services_frame(calls: ServiceCalls) -> pd.DataFrame:
    """Returns the columns that `Capture.services` describes."""
    endpoints = list(calls.services())
    by = pd.DataFrame({"endpoint": calls.endpoint, "took": calls.duration}).groupby("endpoint")["took"]
    frame = by.agg(
        calls="count",
        mean="mean",
        p50=lambda took: took.quantile(0.5, interpolation="lower"),
        p99=lambda took: took.quantile(0.99, interpolation="lower"),
        max="max",
    )
    return frame.reindex(endpoints).rename_axis("endpoint")


def steps_frame(requests: Requests | None, items: Items) -> pd.DataFrame:
    """Returns the columns that `Capture.request_steps` describes, by request and time."""
    if requests is None:
        return pd.DataFrame()
    tiles = requests.tiles
    item = np.where(
        (tiles.item >= 0) & (tiles.item < items.count),
        items.row[np.minimum(np.maximum(tiles.item, 0), items.count - 1)],
        -1,
    )
    frame = pd.DataFrame(
        {
            "request": tiles.request,
            "what": pd.Categorical([KINDS[int(kind)] for kind in tiles.kind], categories=list(KINDS.values())),
            "start": tiles.start,
            "end": tiles.end,
            "item": item,
            "endpoint": [requests.remote[socket] if socket >= 0 else None for socket in tiles.socket],
        }
    )
    return frame.sort_values(["request", "start"], kind="stable").reset_index(drop=True)


def activities_frame(activities: Activities | None) -> pd.DataFrame:
    """Returns the columns that `Capture.activities` describes, in order of `activities.id`; durations ns."""
    if activities is None:
        return pd.DataFrame()
    names, code = operations_of(activities)
    frame = pd.DataFrame(
        {
            "source": activities.source,
            "operation": np.array([operation for _, operation in names], dtype=object)[code],
            "name": activities.name,
            "begun": activities.begun,
            "end": activities.end,
            "duration": np.where(activities.carried, np.nan, activities.duration),
            "at_least": activities.open,
            "item": activities.item,
            "end_item": activities.end_item,
            "trace_id": activities.trace,
            "span_id": activities.span,
            "parent_span_id": activities.parent,
        },
        index=pd.Index(activities.id, name="id"),
    )
    for name in ACTIVITY_PARTS:
        frame[name] = _of_some(activities.count, activities.whole, activities.part[name])
    for name in CAUSES:
        frame[f"wait_{name}"] = _of_some(activities.count, activities.whole, activities.cause.get(name))
    return frame


def _of_some(count: int, rows: IntArray | BoolArray | None, values: IntArray | None) -> FloatArray:
    """Returns a column with values in these rows and NaN in all others. All rows are NaN if `rows` or `values` is
    None."""
    column = np.full(count, np.nan)
    if rows is not None and values is not None:
        column[rows] = values
    return column


def calls_frame(calls: Calls | None) -> pd.DataFrame:
    """Returns the columns that `Capture.calls` describes, in order of `calls.id`; durations ns."""
    if calls is None:
        return pd.DataFrame()
    return pd.DataFrame(
        {
            "endpoint": calls.endpoint,
            "route": routes_of(calls.path),
            "path": calls.path,
            "protocol": calls.protocol,
            "begun": calls.begun,
            "end": calls.end,
            "latency": np.where(calls.untold, np.nan, calls.latency),
            "at_least": calls.open,
            "status": calls.status,
            "failed": calls.failed,
            "connection": calls.connection,
            "making_wait": calls.making,
            "held_wait": calls.held,
            "thread_wait": calls.dispatch,
        }
    ).rename_axis("id")
