"""Hill climbing that records its calls, and the native version fed with the same calls."""

import numpy as np
from poolscope import native
from poolscope.replay import hill_climbing as hc

UPDATE = -1
CALLS = 10
"""Columns of a call: its reason or UPDATE; threads, seconds, completions, lowest, highest, cpu; and the state before
it: control, threads, length of samples."""
TOLD = (
    ["goal", "interval", "sampled", "duration", "throughput", "thread_wave", "throughput_wave", "throughput_error"]
    + ["noise", "throughput_ratio", "confidence", "control", "wave_magnitude", "reason", "change_throughput"]
    + ["random", "sample_ms", "threads"]
)
"""Columns of the native version's state after each call; the first two are the return values of `update`."""


class Noting(hc.HillClimbing):
    """The Python version, which records each call and the state after it."""

    def __init__(self, knobs, seed=0):
        super().__init__(knobs, seed)
        self.calls, self.told = [], []

    def update(self, *told):
        return self._note(UPDATE, told, super().update)

    def force_change(self, threads, reason):
        # `update` calls it too, and then it is part of the update.
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
    """Returns the native version's state after each of the recorded calls."""
    calls = np.array(noted.calls, dtype=np.float64)
    assert calls.shape[1] == CALLS
    told = np.empty((len(calls), len(TOLD)))
    native.extension.climb(knobs, seed, calls, told)
    return told


def plainly(noted):
    return np.array(noted.told, dtype=np.float64)
