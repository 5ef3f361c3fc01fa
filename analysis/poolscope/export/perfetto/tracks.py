"""The tracks of an export: one process, its threads, their activity, and the pool as a whole."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heappop, heappush
from typing import Any

import numpy as np

from poolscope.base.arrays import AnyArray, IntArray
from poolscope.capture import DecodedCapture
from poolscope.export.perfetto.messages import ORDER_EXPLICIT, UNIT_COUNT
from poolscope.export.perfetto.stream import PacketStream
from poolscope.html.escape import visible
from poolscope.capture.thread_names import thread_names


def lanes(start: AnyArray, stop: AnyArray) -> IntArray:
    """Returns the first free lane at each interval's start, shape (intervals,). A stop of -1 means that the interval
    does not end."""
    ends: list[tuple[float, int]] = []
    free: list[int] = []
    used = 0
    lane = np.zeros(len(start), dtype=np.int64)
    for i in np.argsort(start, kind="stable").tolist():
        while ends and ends[0][0] <= start[i]:
            heappush(free, heappop(ends)[1])
        if not free:
            heappush(free, used)
            used += 1
        lane[i] = heappop(free)
        heappush(ends, (float(stop[i]) if stop[i] >= 0 else np.inf, int(lane[i])))
    return lane


PROCESS = 1
"""The id of the process track. Other tracks get the following ids in order of creation."""


class Tracks:
    """Creates tracks and their ids. Each track is described to the stream when it is created."""

    def __init__(
        self, stream: PacketStream, capture: DecodedCapture, workers: Iterable[int], others: Iterable[int]
    ) -> None:
        """Creates a track for each thread id in `workers` and in `others`, the threads that queued items."""
        self._stream = stream
        self._last = PROCESS
        target = capture.manifest["target"]
        self._pid = int(target["pid"])
        process = {"pid": self._pid, "process_name": visible(str(target["name"]))}
        stream.describe(uuid=PROCESS, process=process, child_ordering=ORDER_EXPLICIT)
        self._rank = 0
        self.threads: dict[int, int] = {}
        names = thread_names(capture, [*workers, *others])
        for tids, called in ((workers, "worker"), (others, "thread")):
            for tid in tids:
                if tid not in self.threads:
                    self.threads[tid] = self._thread(tid, visible(names.get(tid) or f"{called} {tid}"))

    @property
    def count(self) -> int:
        """The number of tracks described so far, including the process track."""
        return self._last

    def counter(self, name: str) -> int:
        """Returns a new track for a counter of the whole pool."""
        return self.of_process(name, counter={"unit": UNIT_COUNT})

    def of_process(self, name: str, **more: Any) -> int:
        """Returns a new track of the process, drawn below its earlier ones."""
        self._rank += 1
        return self._new(name=name, parent_uuid=PROCESS, sibling_order_rank=self._rank, **more)

    def below(self, parent: int, name: str) -> int:
        """Returns a new track below another track of the process."""
        return self._new(name=name, parent_uuid=parent)

    def of_thread(self, tid: int, name: str) -> int:
        """Returns a new track below the thread's own."""
        return self._new(name=name, parent_uuid=self.threads[tid])

    def _thread(self, tid: int, name: str) -> int:
        return self._new(thread={"pid": self._pid, "tid": tid, "thread_name": name})

    def _new(self, **fields: Any) -> int:
        self._last += 1
        self._stream.describe(uuid=self._last, **fields)
        return self._last
