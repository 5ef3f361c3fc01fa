"""How much of the runtime's suspensions the recording itself may have made: its looks at all stacks suspend the runtime."""

from __future__ import annotations

import numpy as np

from poolscope.capture import DecodedCapture

COLLECTION = 1
"""The runtime's reason for a suspension that is a garbage collection; 6 prepares one."""
PREPARATION = 6
SNAPSHOTS = "snapshots"
"""Their stream."""


def suspended_by_collections(capture: DecodedCapture) -> tuple[float, float]:
    """Returns the time in suspensions for garbage collections, and in all others, ns."""
    _, stop = capture.window
    rows = capture.table("suspensions")
    length = np.where(rows["end"].to_numpy() < 0, stop, rows["end"].to_numpy()) - rows["start"].to_numpy()
    collecting = np.isin(rows["reason"].to_numpy(), (COLLECTION, PREPARATION))
    return float(length[collecting].sum()), float(length[~collecting].sum())


def is_profiled(capture: DecodedCapture) -> bool:
    """Returns whether the runtime's own profiler took samples, as dotnet-trace's default profile has it do: it suspends the runtime for
    each, with the reason "other"."""
    return bool(capture.manifest.get("made_from")) and capture.has("snapshots") and len(capture.table("snapshots")) > 0


def takes_snapshots(capture: DecodedCapture) -> bool:
    """Returns whether the recording walked stacks. Its suspensions have the reason "other", as those of any profiler do, so they
    cannot be determined from another profiler's."""
    return is_profiled(capture) or bool((capture.table("streams")["file"].astype(str) == SNAPSHOTS).any())
