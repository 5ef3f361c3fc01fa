"""Hill climbing as recorded in a capture (events 54 to 56), and the model fed with the same samples."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, fields

import numpy as np
from poolscope.capture.schema import enum
from poolscope.replay import hill_climbing as hc

FIELDS = {
    "duration": "duration",
    "throughput": "throughput",
    "thread_wave": "thread_wave",
    "throughput_wave": "throughput_wave",
    "throughput_error": "throughput_error",
    "average_throughput_error": "noise",
    "throughput_ratio": "throughput_ratio",
    "confidence": "confidence",
    "new_control_setting": "control",
    "new_thread_wave_magnitude": "wave_magnitude",
}
"""Fields of event 56 and their names in the model."""
FORCED = (hc.INITIALIZING, hc.STARVATION, hc.THREAD_TIMED_OUT, hc.COOPERATIVE_BLOCKING)
"""Reasons of changes that are passed to the model, because they come from elsewhere."""
LAG_NS = 20_000
"""The pool counts a thread as blocked from a little before its wait event until a little after the end of the wait.
Seen here: a sample 2 us after the end of a wait still counted the thread."""
LOW_CPU, HIGH_CPU = 0.0, 100.0
CONTROL_COLUMN = list(FIELDS).index("new_control_setting")


@dataclass
class Recording:
    """The inputs and outputs of hill climbing in one capture. Times are ns."""

    time: np.ndarray
    """Shape (samples,): event 54, which comes before hill climbing reads the limits."""
    stats: np.ndarray
    """Shape (samples, fields): event 56, in the order of FIELDS."""
    change_time: np.ndarray
    """Shape (changes,): event 55, by time."""
    change_goal: np.ndarray
    change_reason: np.ndarray
    limit_time: np.ndarray
    """The times from which each minimum and maximum holds."""
    limit_min: np.ndarray
    limit_max: np.ndarray
    blocked_start: np.ndarray
    """Sorted: the times at which workers began to block in synchronous waits for tasks."""
    blocked_end: np.ndarray

    @staticmethod
    def of(capture):
        """Reads the tables of a capture that recorded the pool from its start."""
        climbing, changes, limits = (capture.table(t) for t in ("hill_climbing", "pool_changes", "pool_limits"))
        is_sample = climbing["event"].to_numpy() == enum("hill_climbing", "event", "sample")
        samples, stats = climbing[is_sample], climbing[~is_sample]
        assert (samples["throughput"].to_numpy() == stats["throughput"].to_numpy()).all()
        blocked_start, blocked_end = task_blocking(capture)
        return Recording(
            time=samples["time"].to_numpy(),
            stats=stats[list(FIELDS)].to_numpy(np.float64),
            change_time=changes["time"].to_numpy(),
            change_goal=changes["goal"].to_numpy(),
            change_reason=changes["reason"].to_numpy(),
            limit_time=limits["time"].to_numpy(),
            limit_min=limits["min"].to_numpy(),
            limit_max=limits["max"].to_numpy(),
            blocked_start=blocked_start,
            blocked_end=blocked_end,
        )

    @staticmethod
    def load(path):
        with np.load(path, allow_pickle=False) as arrays:
            return Recording(**{f.name: arrays[f.name] for f in fields(Recording)})

    def save(self, path):
        np.savez_compressed(path, **{f.name: getattr(self, f.name) for f in fields(self)})

    @property
    def completions(self):
        """Returns the items of each sample: whole numbers, because throughput is their quotient by the duration."""
        return np.rint(self.stats[:, 0] * self.stats[:, 1]).astype(np.int64)

    def limits_at(self, time, goal):
        """Returns the (lowest, highest) goal that hill climbing may set. Threads that block in waits for tasks raise
        the pool's minimum, as far as the goal has been raised for them."""
        row = max(np.searchsorted(self.limit_time, time, side="right") - 1, 0)
        blocked = np.searchsorted(self.blocked_start, time + LAG_NS, side="right")
        blocked -= np.searchsorted(self.blocked_end, time - LAG_NS, side="right")
        return min(goal, int(self.limit_min[row]) + int(blocked)), int(self.limit_max[row])


def task_blocking(capture):
    """Returns the starts and ends of the waits that NotifyThreadBlocked counts: for each TaskWaitBegin on a worker that
    blocks, the thread's next wait event before its next TaskWaitBegin. The thread spins first, so most short waits have
    no wait event."""
    begun, waits = capture.table("task_waits"), capture.table("waits")
    begun = begun[begun["behavior"].to_numpy() == enum("task_waits", "behavior", "synchronous")]
    begun = begun[begun["tid"].isin(capture.table("workers")["tid"])]
    waits = waits[waits["kind"].to_numpy() != enum("waits", "kind", "contention")].sort_values("start")
    starts, ends = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for tid, own in begun.groupby("tid"):
        of_thread = waits[waits["tid"] == tid]
        last = np.searchsorted(np.sort(own["start"].to_numpy()), of_thread["start"].to_numpy(), side="right") - 1
        first = (last >= 0) & np.append(True, last[1:] != last[:-1])[: len(last)]
        end = of_thread["end"].to_numpy()[first]
        starts.append(of_thread["start"].to_numpy()[first])
        ends.append(np.where(end < 0, np.iinfo(np.int64).max, end))
    return np.sort(np.concatenate(starts)), np.sort(np.concatenate(ends))


@dataclass
class Agreement:
    """The agreement of the model with the runtime, sample by sample."""

    error: np.ndarray
    """Shape (samples, fields): |model - recorded| / |recorded|, absolute if 0 was recorded."""
    goal: np.ndarray
    """Shape (samples,): whether the model chose the recorded goal and, if the reason is a new one, that reason."""
    early: np.ndarray
    """Shape (samples,): how much earlier than the model allows the next sample came, ms; negative: later. The pool's
    clock steps by a jiffy, 4 ms or 10."""
    busy: np.ndarray
    """Shape (samples,): whether only a CPU reading above 95 %, which no event shows, explains the recorded result."""

    def worst(self, name):
        return self.error[:, list(FIELDS).index(name)].max()


def compare(recording, knobs=hc.HillClimbingKnobs(), make=hc.HillClimbing):
    """Feeds the model with the recorded samples and the changes from elsewhere.

    Updates too short for a sample are not recorded; their completions and their time are in the next sample. After each
    sample the model continues from the recorded state, so that a difference counts once. The gate thread's CPU reading
    is not recorded either: it is taken as low, or as high if only that gives the recorded control setting. Asserts that
    each change by hill climbing itself follows a sample, at most one per sample.
    """
    model = make(knobs)
    error, same, early, busy = [], [], [], []
    change = 0

    def changes_until(time):
        """Returns the goal and reason of hill climbing's own change before `time`; passes changes from elsewhere to the
        model."""
        nonlocal change
        own = None
        while change < len(recording.change_time) and recording.change_time[change] <= time:
            to, reason = int(recording.change_goal[change]), int(recording.change_reason[change])
            change += 1
            if reason not in FORCED:
                assert own is None, "two moves after one sample"
                own = (to, reason)
                model.threads = to
            else:
                model.force_change(to, reason)
        return own

    ends = np.append(recording.time[1:], np.iinfo(np.int64).max)
    changes_until(recording.time[0])
    for i, time in enumerate(recording.time):
        goal, recorded = model.threads, recording.stats[i]
        lowest, highest = recording.limits_at(time, goal)
        told = (goal, float(recorded[0]), int(recording.completions[i]), lowest, highest)
        alternative = deepcopy(model)
        chosen, _ = model.update(*told, LOW_CPU)
        explained_by_cpu = False
        if model.control != recorded[CONTROL_COLUMN]:
            if_busy, _ = alternative.update(*told, HIGH_CPU)
            explained_by_cpu = bool(alternative.control == recorded[CONTROL_COLUMN])
            if explained_by_cpu:
                chosen, model = if_busy, alternative
        assert model.sampled
        fields_of_model = np.array([float(getattr(model, name)) for name in FIELDS.values()])
        error.append(np.abs(fields_of_model - recorded) / np.where(recorded == 0.0, 1.0, np.abs(recorded)))
        busy.append(explained_by_cpu)
        decision = (chosen, model.reason) if chosen != goal else None
        # The length of samples is drawn at random and no event shows it. The shortest length bounds the end of the next
        # sample.
        model.sample_ms = knobs.sample_interval_low
        early.append(model.next_interval(chosen == lowest) - (ends[i] - time) / 1e6)
        model.control = recorded[CONTROL_COLUMN]
        model.threads = goal
        same.append(decision == changes_until(ends[i]))
    return Agreement(np.array(error), np.array(same), np.array(early), np.array(busy))
