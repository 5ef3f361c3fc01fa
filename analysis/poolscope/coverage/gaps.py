"""The gaps of a capture: losses of the streams, and data that is missing from other tools' files
(docs/other-tools.md)."""

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
from poolscope.contract.manifest_json import ManifestJson
from poolscope.executions.items import Items


@dataclass(frozen=True)
class Loss:
    """All gaps of one kind in one stream. Times are s from the start of the window. The field names are the keys of
    `coverage.losses[]` in analysis.json."""

    stream: str
    what: str
    """eventpipe_lost, perf_lost, cut, throttled, etw_lost or damaged."""
    count: int | None
    """The number of events; None if they were not counted."""
    gaps: int
    first_s: float
    last_s: float
    """The end of the last gap; `first_s` is the start of the first one."""
    length_s: float
    """The length of all gaps together; overlaps count once."""
    items: int
    """The number of items that were queued, waiting or running in a gap."""
    wait_share: float
    """The share of these items in the waiting item-seconds, 0..1."""

    @property
    def when(self) -> str:
        """The time of the gaps in words."""
        if self.gaps == 1:
            return f"from {self.first_s:.3f} s to {self.last_s:.3f} s"
        return f"in {self.gaps:,} gaps from {self.first_s:.3f} s to {self.last_s:.3f} s, {duration(1000 * self.length_s)} in all"


def damaged(losses: list[Loss], *streams: str) -> list[Loss]:
    """Returns the losses that show a damaged stream: one of the given streams or, without any, any stream."""
    return [loss for loss in losses if loss.what == "damaged" and (not streams or loss.stream in streams)]


def find_losses(capture: DecodedCapture, items: Items) -> list[Loss]:
    """Returns one entry per stream and kind of loss, with the streams behind a verdict first."""
    rows = capture.table("losses")
    start, stop = capture.window
    kinds = load_schema().tables["losses"].column("what").values
    found = []
    for (stream, what), group in rows.groupby(["stream", "what"], observed=True, sort=True):
        begin, end = group["start"].to_numpy(dtype=np.int64), group["end"].to_numpy(dtype=np.int64)
        # A gap without a known start or end may extend to that side of the window.
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
    """Returns whether [enqueue, end] of each item meets any gap: a gap that begins before the item ended, and ends
    after it was queued. Counts both ends, because every gap that ends before an item also began before it."""
    began = np.searchsorted(np.sort(begin), items.end, side="right")
    over = np.searchsorted(np.sort(end), items.enqueue, side="left")
    return np.asarray(began > over)


WORK_ITEMS = "work items"
"""The note of the collector for a file whose recording had no work items (ForeignGaps.cs)."""

POOL = "worker threads and the pool's goal"
"""The note of the collector for a file whose recording lacks the runtime's own events of the pool."""

LOSSES = "how many events were lost"
"""The note of the collector for a file whose recorder may have dropped events without a report."""

NOT_JUDGED = ("another process than the recorder", "a known pool", "stable ids")
"""The notes of the collector for gaps that rule out any verdict."""


SWITCHES = "all switches"
"""The note of the collector for a perf recording in which the kernel left threads out of sched_switch."""

KERNEL = "what the kernel did with the threads"
"""The note of the collector for a trace of the runtime alone."""

BOTH = {
    "Linux": "Record again with the line that this prints, which records work items and what the kernel did with the threads: "
    "poolscope recipe perf. It needs root; without root, record the work items alone: poolscope recipe dotnet-trace.",
    "Windows": "Record again with the line that this prints, which records work items and what the kernel did with the threads: "
    "poolscope recipe perfview. It needs an administrator; without one, record the work items alone: poolscope recipe "
    "dotnet-trace.",
}
"""The advice by the system that a trace of the runtime comes from."""

DECODE_AGAIN = "Decode it again; if that does not help, record again."
RECORD_LIKE_THIS = (
    "Decoding it again does not help. Record again with the lines that these commands print: poolscope recipe dotnet-trace, "
    "and poolscope recipe perf."
)


@dataclass(frozen=True)
class Lack:
    """A gap that the other tool left."""

    why: str
    how: str
    """The command that records the missing data."""


def without_work_items(manifest: ManifestJson) -> Lack | None:
    """Returns why a capture has no work items, and the command that records them; None if they were recorded, or
    Poolscope made the recording."""
    return _lack(manifest, WORK_ITEMS)


def losses_untold(manifest: ManifestJson) -> Lack | None:
    """Returns why nothing shows whether events were lost; None if losses are counted."""
    return _lack(manifest, LOSSES)


def not_judged(manifest: ManifestJson) -> Lack | None:
    """Returns why a capture of an old runtime, or of the recorder itself, gets no verdict, and the recording to make
    instead; None if a verdict is allowed. No manifest of Windows names the recorder, so that reason is ignored
    there."""
    return next((lack for wanted in NOT_JUDGED if (lack := _noted(manifest, wanted))), None)


def without_kernel(manifest: ManifestJson) -> Lack | None:
    """Returns the command that records the kernel's events on the trace's system; None: they are there, or Poolscope
    made the recording."""
    return _lack(manifest, KERNEL)


def without_pool(manifest: ManifestJson) -> Lack | None:
    """Returns why a capture lacks the pool's threads and goal; None if it has them, or Poolscope made the recording."""
    return _lack(manifest, POOL)


def both_recipe(manifest: ManifestJson) -> str | None:
    """Returns the one command that records work items and the kernel's events, for the trace's system; None if not both
    are missing, or if no single command records both."""
    recipe = BOTH.get(manifest["host"].get("os") or "")
    return recipe if recipe and without_work_items(manifest) and without_kernel(manifest) else None


def contradiction_remedy(manifest: ManifestJson) -> str:
    """Returns the remedy for a capture that contradicts itself. Decoding other tools' files again gives the same
    result."""
    if lack := _lack(manifest, SWITCHES):
        return f"{lack.why[0].upper()}{lack.why[1:]}. {lack.how}."
    return RECORD_LIKE_THIS if manifest.get("made_from") else DECODE_AGAIN


def _lack(manifest: ManifestJson, wanted: str) -> Lack | None:
    return _noted(manifest, wanted) if manifest.get("made_from") else None


def _noted(manifest: ManifestJson, wanted: str) -> Lack | None:
    refused = manifest.get("refused", [])
    return next((Lack(str(r.get("why")), str(r.get("how"))) for r in refused if r.get("wanted") == wanted), None)
