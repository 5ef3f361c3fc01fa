"""Work items: a slice on the worker's track, an instant at each enqueue, and a flow from the enqueue to the slice."""

from __future__ import annotations

import numpy as np
import pandas as pd

from poolscope.attribution import Attribution
from poolscope.base.arrays import AnyArray, BoolArray, IntArray
from poolscope.capture import DecodedCapture
from poolscope.capture.schema import flag, load_schema
from poolscope.executions.segments import Executions
from poolscope.export.perfetto.stream import BEGINS, ENDS, INSTANTS, Encoder, Events, end
from poolscope.export.perfetto.tracks import Tracks
from poolscope.html.escape import visible
from poolscope.product.causes import wait_by_cause
from poolscope.product.item_names import item_methods

NAMELESS = {"task": "task", "other": "work item"}
"""Names of items without a stack, by `work_items.kind`."""
INLINE_TRACK = "run by a waiter"
"""The track below a worker for items that a waiting thread ran itself, inside its current item."""
CARRIED = "began before the capture"

Part = tuple[str, AnyArray]
"""The name of an annotation and its value for each row of the table; a value of 0 is left out."""


class ItemEvents:
    """The events of `work_items`."""

    def __init__(
        self, capture: DecodedCapture, attribution: Attribution, executions: Executions, encoder: Encoder
    ) -> None:
        self._encoder = encoder
        self._base = capture.window[0]
        self._table = table = capture.table("work_items")
        self._flags = table["flags"].to_numpy()
        self._enqueue, self._dequeue = table["enqueue"].to_numpy(), table["dequeue"].to_numpy()
        self._end = table["end"].to_numpy()
        self.started: IntArray = np.flatnonzero(self._dequeue >= 0)
        self.seen: IntArray = np.flatnonzero(self._enqueue >= 0)
        """Rows with a recorded enqueue."""
        self.flows: BoolArray = (self._enqueue >= 0) & (self._dequeue >= 0)
        self.timeless = int(((self._enqueue < 0) & (self._dequeue < 0)).sum())
        self.inlined: BoolArray = (self._flags & flag("work_items", "inlined")) != 0
        self._parts = _parts(attribution, table)
        names, self._name = _names(capture, attribution, executions, table)
        self._names = encoder.names([visible(name) for name in names])
        self._item_key, self._parent_key, *self._keys = encoder.keys(
            "item", "parent_item", *(name for name, _ in self._parts)
        )
        self._at_least, self._not_started = encoder.keys("wait_is_at_least", "never_started")
        self.carried = executions.count - executions.items
        self._carried_worker = executions.worker[executions.items :]
        self._carried_end = executions.end[executions.items :] + self._base

    @property
    def workers(self) -> list[int]:
        """The threads that ran items, in the order of their first dequeue."""
        taken = self.started[np.argsort(self._dequeue[self.started], kind="stable")]
        tids = self._table["worker_tid"].to_numpy()[taken].tolist()
        return [tid for tid in dict.fromkeys([*self._carried_worker.tolist(), *tids]) if tid >= 0]

    @property
    def enqueuers(self) -> list[int]:
        tids: IntArray = np.unique(self._table["enqueue_tid"].to_numpy()[self.seen])
        return [tid for tid in tids.tolist() if tid >= 0]

    def events(self, tracks: Tracks) -> list[Events]:
        return [*self._slices(tracks), self._instants(tracks), *self._before(tracks)]

    def _slices(self, tracks: Tracks) -> list[Events]:
        rows = self.started
        worker = self._table["worker_tid"].to_numpy()[rows].tolist()
        inside = self.inlined[rows]
        inline = {tid: tracks.of_thread(tid, INLINE_TRACK) for tid in sorted({w for w, i in zip(worker, inside) if i})}
        track = [inline[w] if i else tracks.threads[w] for w, i in zip(worker, inside.tolist())]
        begin, stop = self._dequeue[rows], self._end[rows]
        # If two begin at the same time, the empty one was first. It must also end before the other begins.
        place = np.empty(len(rows), dtype=np.int64)
        place[np.lexsort((np.where(stop < 0, np.iinfo(np.int64).max, stop), begin))] = np.arange(len(rows)) * 2
        category = self._encoder.category("work item")

        def encode(chosen: IntArray) -> list[bytes]:
            arguments = self._arguments(rows[chosen])
            names = self._name[rows[chosen]].tolist()
            flows = np.where(self.flows[rows[chosen]], rows[chosen] + 1, 0).tolist()
            begun = self._encoder.begin
            return [
                begun(track[i], self._names[name], category, given, flow or None)
                for i, name, given, flow in zip(chosen.tolist(), names, arguments, flows)
            ]

        ends = {t: end(t) for t in set(track)}
        sources = [Events(begin, BEGINS, encode, place)]
        for empty in (False, True):
            which = np.flatnonzero((stop >= 0) & ((stop <= begin) == empty))

            def finish(chosen: IntArray, which: IntArray = which) -> list[bytes]:
                return [ends[track[i]] for i in which[chosen].tolist()]

            sources.append(
                Events(begin[which] if empty else stop[which], BEGINS if empty else ENDS, finish, place[which] + 1)
            )
        return sources

    def _instants(self, tracks: Tracks) -> Events:
        rows = self.seen
        tids = self._table["enqueue_tid"].to_numpy()[rows].tolist()
        unknown = tracks.of_process("queued by an unknown thread") if -1 in tids else 0
        track = [tracks.threads[tid] if tid >= 0 else unknown for tid in tids]
        category = self._encoder.category("queue")
        name, waiting = self._encoder.names(["enqueue", "enqueue (never started)"])

        def encode(chosen: IntArray) -> list[bytes]:
            started = self.flows[rows[chosen]].tolist()
            instant, argument = self._encoder.instant, self._encoder.argument
            encoded = []
            for i, row, flows in zip(chosen.tolist(), rows[chosen].tolist(), started):
                if flows:
                    encoded.append(instant(track[i], name, category, [], row + 1))
                else:
                    given = [*self._arguments(rows[i : i + 1])[0], argument(self._not_started, True)]
                    encoded.append(instant(track[i], waiting, category, given))
            return encoded

        return Events(self._enqueue[rows], INSTANTS, encode)

    def _before(self, tracks: Tracks) -> list[Events]:
        """Returns the slices of items without a row: they held a worker when the capture began."""
        if not self.carried:
            return []
        track = [tracks.threads[tid] for tid in self._carried_worker.tolist()]
        (name,) = self._encoder.names([CARRIED])
        category = self._encoder.category("work item")
        begin = np.full(self.carried, self._base)
        return [
            Events(begin, BEGINS, lambda rows: [self._encoder.begin(track[i], name, category, []) for i in rows]),
            Events(self._carried_end, ENDS, lambda rows: [end(track[i]) for i in rows]),
        ]

    def _arguments(self, rows: IntArray) -> list[list[bytes]]:
        """Returns the annotations of each of these rows."""
        argument = self._encoder.argument
        parents = self._table["parent"].to_numpy()[rows].tolist()
        censored = flag("work_items", "censored_start") | flag("work_items", "queued_at_end")
        open_ended = (self._flags[rows] & censored).tolist()
        given = []
        for row, parent, bound in zip(rows.tolist(), parents, open_ended):
            mine = [argument(self._item_key, row)]
            if parent >= 0:
                mine.append(argument(self._parent_key, parent))
            if bound:
                mine.append(argument(self._at_least, True))
            given.append(mine)
        for key, (_, values) in zip(self._keys, self._parts):
            for mine, value in zip(given, values[rows].tolist()):
                if value:
                    mine.append(argument(key, value))
        return given


def _parts(attribution: Attribution, table: pd.DataFrame) -> list[Part]:
    """Returns the wait and execution of each row of the table, ns. All are 0 for items that a waiter ran, which are not
    attributed."""
    execution = attribution.execution
    values = {"wait_ns": attribution.items.wait}
    if attribution.split is not None:
        values |= {f"{cause}_ns": part for cause, part in wait_by_cause(attribution).items()}
        values["behind_blocked_ns"] = attribution.split.behind_blocked
    for name in ("cpu", "blocked", "ready", "runtime", "unknown"):
        values[f"exec_{name}_ns"] = getattr(execution, name)
    parts = []
    for name, part in values.items():
        of_row = np.zeros(len(table), dtype=np.int64)
        of_row[attribution.items.row] = part
        parts.append((name, of_row))
    return parts


def _names(
    capture: DecodedCapture, attribution: Attribution, executions: Executions, table: pd.DataFrame
) -> tuple[list[str], IntArray]:
    """Returns the names, and for each row the index of its name."""
    methods, code = item_names(capture, executions)
    kinds = load_schema().tables["work_items"].column("kind").values
    of_row = len(methods) + table["kind"].to_numpy().astype(np.int64)
    known = code[: executions.items] >= 0
    of_row[attribution.items.row[known]] = code[: executions.items][known]
    return [*methods, *(NAMELESS[kind] for kind in kinds)], of_row


def item_names(capture: DecodedCapture, executions: Executions) -> tuple[list[str], IntArray]:
    """Returns method names, and for each execution the index of its method, -1 if unknown (product/item_names.py)."""
    methods, code = item_methods(capture, executions)
    return [str(method.method) for method in methods], code
