"""What the streams lost, when, and which items lived meanwhile."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.base.arrays import BoolArray, FloatArray
from poolscope.base.series import Steps
from poolscope.base.units import NS_PER_S
from poolscope.base.words import duration
from poolscope.capture import DecodedCapture
from poolscope.capture.capture import RUNTIME_STREAM, SCHEDULER_STREAM
from poolscope.capture.schema import load_schema
from poolscope.executions.items import Items


@dataclass(frozen=True)
class Loss:
    """All gaps of one kind in one stream. Times are s from the start of the window. The field names are the keys of
    `coverage.losses[]` in analysis.json."""

    stream: str
    what: str
    """eventpipe_lost, perf_lost, cut, throttled, etw_lost or damaged."""
    count: int | None
    """Events; None if they were not counted."""
    gaps: int
    first_s: float
    last_s: float
    """From the start of the first gap to the end of the last."""
    length_s: float
    """For all gaps together, overlaps counted once."""
    items: int
    """Items that were queued, waiting or running in a gap."""
    wait_share: float
    """Their share of the waiting item-seconds, 0..1."""

    @property
    def when(self) -> str:
        """In words."""
        if self.gaps == 1:
            return f"from {self.first_s:.3f} s to {self.last_s:.3f} s"
        return f"in {self.gaps:,} gaps from {self.first_s:.3f} s to {self.last_s:.3f} s, {duration(1000 * self.length_s)} in all"


def damaged(losses: list[Loss], *streams: str) -> list[Loss]:
    """Returns those that say a stream is damaged, of the given streams or, without any, of all."""
    return [loss for loss in losses if loss.what == "damaged" and (not streams or loss.stream in streams)]


def find_losses(capture: DecodedCapture, items: Items) -> list[Loss]:
    """Returns one entry per stream and kind of loss, the streams that a verdict rests on first."""
    rows = capture.table("losses")
    start, stop = capture.window
    kinds = load_schema().tables["losses"].column("what").values
    found = []
    for (stream, what), group in rows.groupby(["stream", "what"], observed=True, sort=True):
        begin, end = group["start"].to_numpy(dtype=np.int64), group["end"].to_numpy(dtype=np.int64)
        # A gap that nothing bounds may be anywhere.
        begin = np.clip(np.where(begin < 0, start, begin), start, stop) - start
        end = np.maximum(np.clip(np.where(end < 0, stop, end), start, stop) - start, begin)
        counts = group["count"].to_numpy(dtype=np.int64)
        touched = _touched(items, begin.astype(np.float64), end.astype(np.float64))
        total = float(items.wait.sum())
        open_gaps = Steps.count(begin, end)
        length = Steps(open_gaps.time, np.minimum(open_gaps.value, 1.0)).integral(0.0, float(stop - start))
        found.append(
            Loss(
                stream=str(stream),
                what=str(kinds[int(what)]),
                count=None if (counts < 0).any() else int(counts.sum()),
                gaps=len(group),
                first_s=round(float(begin.min()) / NS_PER_S, 6),
                last_s=round(float(end.max()) / NS_PER_S, 6),
                length_s=round(float(length) / NS_PER_S, 6),
                items=int(touched.sum()),
                wait_share=round(float(items.wait[touched].sum()) / total, 6) if total > 0 else 0.0,
            )
        )
    order = {RUNTIME_STREAM: 0, SCHEDULER_STREAM: 1}
    return sorted(found, key=lambda loss: (order.get(loss.stream, 2), loss.stream, loss.what))


def _touched(items: Items, begin: FloatArray, end: FloatArray) -> BoolArray:
    """Returns whether [enqueue, end] of each item meets any gap: one that begins before the item ended, and ends after it was
    queued. Counted by both ends, for all gaps that end before an item also began before it."""
    began = np.searchsorted(np.sort(begin), items.end, side="right")
    over = np.searchsorted(np.sort(end), items.enqueue, side="left")
    return np.asarray(began > over)
