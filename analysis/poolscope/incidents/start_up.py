"""Whether a program was starting: its code was compiled and its types loaded, which ends by itself and comes once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poolscope.attribution.attribute import Attribution
from poolscope.base.arrays import BoolArray, FloatArray, IntArray
from poolscope.base.units import NS_PER_S
from poolscope.capture import DecodedCapture
from poolscope.executions.segments import READY, RUNNING
from poolscope.measures.quota import throttled_between

BEGINS_WITHIN_NS = 5 * NS_PER_S
"""After the process was created. A service that is put under load within this time compiles what the first requests
need."""
ENDS_WITHIN_NS = 10 * NS_PER_S
"""What makes items late for longer than this is no start-up, whatever else was compiled meanwhile."""
RUNTIME_SHARE = 0.25
"""For the process's CPU samples: from a quarter of them in the runtime's own code on (the JIT compiler, the type loader),
starting is a notable part of what the process did. A warm service has less than a tenth there."""
BUSY_SHARE = 0.25
"""For the cores, wanted or had by items: a process that starves with blocked threads leaves them idle, however much of its
little CPU time is start-up."""
SUSPENDED_SHARE = 0.25
"""For the time: where the runtime was suspended for as much, collections are what held items up. They run in the runtime's
code too, and time in the compiler counts on while a thread is suspended there."""
THROTTLED_SHARE = 0.25
"""For the time, summed over CPUs: where a CPU quota stopped the process for as much, the quota is what held items up. Time in
the compiler counts on there as well: code that is compiled again in the background looked like a start-up (measured)."""
COMPILING_SHARE = 0.25
"""For the cores: the same, by the runtime's own measure of the time in its compiler."""
BLOCKED_SHARE = 0.5
"""For the wait: threads that compile wait for each other at times, which was a fifth of it in cold services (measured)."""
RUNTIME_MODULES = ("libclrjit.so", "libcoreclr.so", "clrjit.dll", "coreclr.dll")


@dataclass(frozen=True)
class StartUp:
    """When the process started, and how many of its CPU samples fell into the runtime's code."""

    capture: DecodedCapture
    attribution: Attribution

    @cached_property
    def created_ns(self) -> float | None:
        """Creation of the process, ns from the start of the window (usually negative); None: unknown."""
        target = self.capture.manifest["target"]
        told = target.get("process_start_ns")
        if told is not None:
            return float(told) - self.capture.window[0]
        return 0.0 if target["launched"] else None

    def explains(self, start: int, end: int) -> bool:
        """Returns whether items that were late from `start` to `end` (ns from the start of the window) were late because the
        process was starting. False if nothing shows."""
        created = self.created_ns
        if created is None or start - created > BEGINS_WITHIN_NS or end - created > ENDS_WITHIN_NS:
            return False
        if float(self.attribution.suspension.integral(start, end)) >= SUSPENDED_SHARE * (end - start):
            return False
        if throttled_between(self.capture, start, end) >= THROTTLED_SHARE * (end - start):
            return False
        if self._compiling(start, end) >= COMPILING_SHARE * self.attribution.cores:
            return True
        there = (self._time >= start) & (self._time <= end)
        samples = int(there.sum())
        if samples == 0:
            return False
        in_runtime = int((there & self._in_runtime).sum()) / samples
        segments = self.attribution.segments
        runnable = sum(float(segments.count(state).integral(start, end)) for state in (RUNNING, READY))
        return in_runtime >= RUNTIME_SHARE and runnable >= BUSY_SHARE * self.attribution.cores * (end - start)

    def held_by_blocked(self, late: IntArray) -> bool:
        """Returns whether these items (indexes) waited mostly behind blocked items: whatever was compiled meanwhile, that is not why."""
        split = self.attribution.split
        if split is None:
            return False
        behind = float((split.behind_blocked + split.parts.blocking)[late].sum())
        return behind >= BLOCKED_SHARE * float(self.attribution.items.wait[late].sum())

    def _compiling(self, start: int, end: int) -> float:
        """Returns the cores that compiled methods on average in this time, as the runtime counted; 0 if it did not."""
        if not self.capture.has("pool_counters") or end <= start:
            return 0.0
        rows = self.capture.table("pool_counters")
        rows = rows[(rows["compiling"].to_numpy() >= 0) & (rows["since"].to_numpy() >= 0)]
        begin, stop = (rows[c].to_numpy() - self.capture.window[0] for c in ("since", "time"))
        inside = np.maximum(np.minimum(stop, end) - np.maximum(begin, start), 0) / np.maximum(stop - begin, 1)
        return float((rows["compiling"].to_numpy() * inside).sum()) / (end - start)

    @cached_property
    def _time(self) -> FloatArray:
        """For the target's CPU samples, ns from the start of the window."""
        if not self._has_samples:
            return np.zeros(0)
        samples = self.capture.table("cpu_samples")
        own = samples["pid"].to_numpy() == int(self.capture.manifest["target"]["pid"])
        return np.asarray(samples["time"].to_numpy()[own] - self.capture.window[0], dtype=np.float64)

    @cached_property
    def _in_runtime(self) -> BoolArray:
        """Which of these samples ended in the runtime's own code while it was not suspended: a collection runs there too."""
        samples = self.capture.table("cpu_samples")
        own = samples["pid"].to_numpy() == int(self.capture.manifest["target"]["pid"])
        stack = samples["stack"].to_numpy()[own].astype(np.int64)
        stacks, frames = self.capture.table("stacks"), self.capture.table("frames")
        if stacks.empty:
            return np.zeros(len(stack), dtype=bool)
        runtime_frame = frames["module"].isin(RUNTIME_MODULES).to_numpy()
        leaf = runtime_frame[stacks["frame"].to_numpy()[np.maximum(stack, 0)]] & (stack >= 0)
        return np.asarray(leaf & (self.attribution.suspension.at(self._time) == 0))

    @property
    def _has_samples(self) -> bool:
        return self.capture.has("cpu_samples", "stacks", "frames")
