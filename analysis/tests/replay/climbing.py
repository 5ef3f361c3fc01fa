"""Hill climbing that notes its calls, and the native one fed with the same."""

import numpy as np
from poolscope import native
from poolscope.replay import hill_climbing as hc

UPDATE = -1
CALLS = 10
"""Columns of a call: its reason or UPDATE; threads, seconds, completions, lowest, highest, cpu; what the state had before:
control, threads, length of samples."""
TOLD = (
    ["goal", "interval", "sampled", "duration", "throughput", "thread_wave", "throughput_wave", "throughput_error"]
    + ["noise", "throughput_ratio", "confidence", "control", "wave_magnitude", "reason", "change_throughput"]
    + ["random", "sample_ms", "threads"]
)
"""Columns of what the native form tells of its state after each call; the first two are what `update` returned."""


class Noting(hc.HillClimbing):
    """The plain form."""

    def __init__(self, knobs, seed=0):
        super().__init__(knobs, seed)
        self.calls, self.told = [], []

    def update(self, *told):
        return self._note(UPDATE, told, super().update)

    def force_change(self, threads, reason):
        # `update` calls it, too: that is part of the update.
        if self.inside:
            return super().force_change(threads, reason)
        self._note(reason, (threads, 0, 0, 0, 0, 0), lambda *_: super(Noting, self).force_change(threads, reason))

    inside = False

    def _note(self, reason, told, call):
        self.calls.append([reason, *told, self.control, self.threads, self.sample_ms])
        self.inside = True
        returned = call(*told)
        self.inside = False
        state = [getattr(self, name) for name in TOLD[2:]]
        self.told.append([*(returned or (-1, -1)), *state])
        return returned


def natively(noted, knobs, seed=0):
    """What the native form tells after each of the noted calls."""
    calls = np.array(noted.calls, dtype=np.float64)
    assert calls.shape[1] == CALLS
    told = np.empty((len(calls), len(TOLD)))
    native.extension.climb(knobs, seed, calls, told)
    return told


def plainly(noted):
    return np.array(noted.told, dtype=np.float64)
