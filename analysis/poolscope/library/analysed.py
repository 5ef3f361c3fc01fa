"""Answers what rests on the analysis of a `Capture`: all of it, and tables of blame, requests and their steps, services,
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
    """The part of `Capture` that rests on its analysis."""

    def __init__(self, source: decoded.DecodedCapture, late_ms: float) -> None:
        super().__init__(source)
        self._late_ms = late_ms

    def analysis(self, *, redact: bool = False) -> AnalysisJson:
        """Returns the whole answer: the content of analysis.json (docs/analysis-json.md).

        `redact`: names, paths and arguments are replaced by tokens (docs/security.md).
        """
        return copy.deepcopy(self._redacted(arguments.boolean("redact", redact)))

    def blame(self) -> pd.DataFrame:
        """Returns which code held threads while items waited in the queue: one row per method and kind of wait, costliest first.

        - `method`: the user's method nearest to the leaf; None if no stack is known (such rows come last).
        - `file`, `line`: where in it, as its PDB shows; None if unknown.
        - `kind`: lock, task-wait, sleep, socket ... or unknown (docs/blame.md); `call`: the framework's call that blocked,
          as a person writes it, or None.
        - `thread_s`: thread-seconds; `share`: of all, 0 to 1; `share_low`, `share_high`: its 95 % interval.
        - `event_s`, `estimated_s`: of thread_s shown by an event; estimated from snapshots of other blocks.
        - `samples`: snapshots that saw a thread blocked there.
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
        """Returns the requests of a web service, one row each by `requests.id`; empty if ASP.NET Core reported none.

        Times are ns from the start of the window, durations ns. `arrived`: its last byte; `answered`: the first byte of its
        answer; `left`: it left the application; -1: not known. `latency`: between both, up to the end of the capture, or from when
        its bytes were seen to lie unread in a socket as the recording began, where `at_least`. For the answered ones the
        parts unread, queued, cpu, blocked, ready, runtime, unseen, services, timer, shared, thread and other add up to it exactly, and wait_injection,
        wait_blocking, wait_core, wait_runtime and wait_other to unread and queued (docs/requests.md); NaN of the others.
        """
        evidence = self.analysed.evidence
        return requests_frame(evidence.requests, evidence.request_parts)

    def request_steps(self) -> pd.DataFrame:
        """Returns what each answered request went through, one row per step, by request and time: `what` (unread, queued, executed,
        service, other), `start` and `end` in ns from the start of the window, `item` (`work_items.id`, -1: none), `endpoint` of
        a service."""
        return steps_frame(self.analysed.evidence.requests, self.analysed.attribution.items)

    def services(self) -> pd.DataFrame:
        """Returns the services that the target called over TCP, by `endpoint`, the one whose answers it waited for longest first:
        `calls`, and their `mean`, `p50`, `p99` and `max` in ns, from the last byte sent to the last byte of the answer. Empty
        if sockets were not recorded."""
        from poolscope.measures.services import find_service_calls, load_sockets

        return services_frame(find_service_calls(load_sockets(self._source, self._attribution)))

    def calls(self) -> pd.DataFrame:
        """Returns the calls through HttpClient, one row each by `calls.id`; empty if HttpClient reported none.

        Times are ns from the start of the window, durations ns. `endpoint`: host and port; `route`: the path with `{id}` in place
        of numbers and keys, never the query. `latency`: from `begun` to `end` (-1: not seen), up to the end of the capture where
        `at_least`; NaN if another call began inside it and its end is not reported. Before it had a connection of HttpClient's pool a call may have waited: while its connection was made
        (`making_wait`; also where it got none), until another call gave it back (`held_wait`), and then until a worker took
        that up (`thread_wait`, the thread pool's); 0: it did not. `status`: HTTP status code, -1 without an answer; `failed`: it
        ended with an exception; `connection`: its number in the process, -1: not reported.
        """
        return calls_frame(self.analysed.evidence.calls)

    def activities(self) -> pd.DataFrame:
        """Returns the activities of the ActivitySources that `collect --activities` named, one row each by `activities.id`; empty if
        none was recorded.

        Times are ns from the start of the window, durations ns. `operation`: the name with `{id}` in place of numbers and keys.
        `duration`: from `begun` (-1: before the recording, and NaN) to `end` (-1: not seen), up to the end of the capture where
        `at_least`. `item`, `end_item`: `work_items.id` of the items that it began and ended in, -1: none. `trace_id`, `span_id`,
        `parent_span_id`: hexadecimal, None: none. Of those that were seen from begin to end the parts queued, cpu, blocked,
        ready, runtime, unseen, services, timer, shared, thread and other add up to the duration exactly, and with a kernel stream wait_injection,
        wait_blocking, wait_core, wait_runtime and wait_other to queued (docs/activities.md); NaN of the others.
        """
        return activities_frame(self.analysed.evidence.activities)

    @cached_property
    def analysed(self) -> Analysis:
        """The analysis that all answers come from. Its layout is not public and may change between versions."""
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
    """Returns a column with values in these rows, and NaN in all others; `values` None: in every row."""
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
