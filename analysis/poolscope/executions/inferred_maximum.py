"""Infers a maximum of threads that no event shows: a program may set it before we attach, and no event repeats it.

The gate adds a thread when items are queued and nothing was taken or finished for 500 ms, unless the pool is at its
maximum. So a pool that stands still for seconds and adds none is at its maximum. While items finish, hill climbing adds the
magnitude of its wave to its control setting in two of four samples, unless the maximum allows no more. Its statistics also
tell by how much it raised the setting; where it rose by less, the maximum cut it off, and so is known.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poolscope.base.series import Steps
from poolscope.base.units import NS_PER_S
from poolscope.capture import DecodedCapture
from poolscope.capture.schema import enum
from poolscope.executions.items import Items
from poolscope.executions.pool import Pool
from poolscope.executions.segments import RUNNING, Segments

WAVE = 3
"""Consecutive statistics of hill climbing of which at least one is on the crest: two of four are, one after the other."""
SAMPLES = 12
"""Samples without statistics, with items queued and the goal unchanged: three waves."""
SAMPLE, STATS = enum("hill_climbing", "event", "sample"), enum("hill_climbing", "event", "stats")
GAIN, MOST_RAISED = 4.0, 20.0
"""Threads per second, and per sample: the runtime's HillClimbing:MaxChangePerSecond and MaxChangePerSample."""
TOLERANCE = 0.01
"""Threads: far above rounding, far below what a cut takes away."""
OF_HILL_CLIMBING = tuple(
    enum("pool_changes", "reason", reason) for reason in ("Warmup", "Initializing", "ClimbingMove", "Stabilizing")
)
STANDSTILL_NS = 3 * NS_PER_S
"""Three times what an injected thread takes at most while the CPU is not busy (1 s)."""
BUSY_CPU = 0.7
"""For the cores: above 80 % the gate waits a second for each thread of the goal; some margin for its own reading."""


def with_inferred_maximum(
    capture: DecodedCapture, pool: Pool, items: Items, segments: Segments, cores: float, window_ns: float
) -> Pool:
    """Returns the pool with its busy threads as its maximum, where it had items queued for long and never tried a thread more.

    Only where the maximum is a default that nothing confirms and the capture began late.
    """
    if pool.goal_known or pool.limits_known in ("event", "look"):
        return pool
    cut_off = _cut_off(capture)
    if cut_off is not None and cut_off >= pool.goal.value.max():
        return replace(pool, maximum=Steps.constant(cut_off), limits_known="inferred")
    moment = _standstill(pool, items, segments, cores, window_ns)
    if moment is None:
        moment = _held_on_the_crest(capture, pool)
    if moment is None:
        moment = _never_varied(capture, pool)
    if moment is None:
        return pool
    held = float(pool.busy.at(moment))
    # With fewer busy threads than the goal allows the pool was not full, whatever it waited for.
    if held < max(1.0, float(pool.goal.at(moment))) or held >= float(pool.maximum.value[-1]):
        return pool
    return replace(pool, maximum=Steps.constant(held), limits_known="inferred")


def _standstill(pool: Pool, items: Items, segments: Segments, cores: float, window_ns: float) -> float | None:
    """Returns a moment, ns, in the longest stretch in which items were queued, none started or ended and no thread was added; None
    if there is no such stretch of STANDSTILL_NS, or the CPU was busy in it."""
    waiting = Steps(pool.queued.time, np.where(pool.queued.value > 0, 1.0, 0.0)).merged()
    moved = np.concatenate((items.dequeue[items.started], items.end[items.started], pool.goal.time[1:], waiting.time))
    moments = np.unique(np.concatenate(([0.0], np.clip(moved, 0, window_ns), [window_ns])))
    # Of a stretch in which nothing is queued the gate has nothing to do, however long it is.
    length = np.diff(moments) * waiting.at(moments[:-1])
    longest = int(np.argmax(length))
    if length[longest] < STANDSTILL_NS:
        return None
    begin, end = float(moments[longest]), float(moments[longest + 1])
    if float(segments.count(RUNNING).integral(begin, end)) / (end - begin) > BUSY_CPU * cores:
        return None
    return (begin + end) / 2


def _cut_off(capture: DecodedCapture) -> float | None:
    """Returns the maximum to which hill climbing's control setting was cut off last; None: to none.

    A sample raises the setting by `GAIN * duration * (ratio * confidence) ** 2`, both at most 1, and at most by MOST_RAISED,
    then limits it to the maximum less the wave's magnitude (.NET 8 to 11). Only a setting that rose shows: above 95 % CPU it
    stays as it is.
    """
    if not capture.has("hill_climbing"):
        return None
    rows = capture.table("hill_climbing")
    rows = rows[rows["event"] == STATS]
    setting, wave = rows["new_control_setting"].to_numpy(), rows["new_thread_wave_magnitude"].to_numpy()
    by = np.minimum(rows["throughput_ratio"].to_numpy(), 1.0) * np.minimum(rows["confidence"].to_numpy(), 1.0)
    raised = np.minimum(GAIN * rows["duration"].to_numpy() * np.maximum(by, 0.0) ** 2, MOST_RAISED)[1:]
    changes = capture.table("pool_changes")
    others = np.sort(changes["time"].to_numpy()[~np.isin(changes["reason"].to_numpy(), OF_HILL_CLIMBING)])
    at = rows["time"].to_numpy()
    between = np.searchsorted(others, at[1:]) > np.searchsorted(others, at[:-1])
    rose = np.diff(setting)
    cut = (rose > TOLERANCE) & (raised - rose > TOLERANCE) & ~between & (setting[1:] == np.rint(setting[1:]))
    return float(setting[1:][cut][-1] + wave[1:][cut][-1]) if cut.any() else None


def _held_on_the_crest(capture: DecodedCapture, pool: Pool) -> float | None:
    """Returns a moment, ns, at which hill climbing wanted more threads than the goal on any crest of its wave, a crest came, and the
    goal never moved; None if there is none."""
    if not capture.has("hill_climbing") or not capture.table("pool_changes").empty:
        return None
    rows = capture.table("hill_climbing")
    rows = rows[rows["event"] == STATS]
    at = (rows["time"].to_numpy() - capture.window[0]).astype(np.float64)
    wave = rows["new_thread_wave_magnitude"].to_numpy()
    crest = np.floor(np.nan_to_num(rows["new_control_setting"].to_numpy()) + wave)
    wanted = (wave > 0) & (crest > pool.goal.at(at)) & (pool.queued.at(at) > 0)
    whole = np.convolve(wanted, np.ones(WAVE), "valid") == WAVE if len(wanted) >= WAVE else np.zeros(0, bool)
    return float(at[int(np.argmax(whole))]) if whole.any() else None


def _never_varied(capture: DecodedCapture, pool: Pool) -> float | None:
    """Returns the median time, ns, of hill climbing's samples if it took them with items queued and the goal never moved; None else.

    For .NET versions and tools that record no statistics."""
    if not capture.has("hill_climbing") or not capture.table("pool_changes").empty:
        return None
    rows = capture.table("hill_climbing")
    at = rows["time"].to_numpy()[rows["event"].to_numpy() == SAMPLE] - capture.window[0]
    under_backlog = at[pool.queued.at(at.astype(np.float64)) > 0]
    if len(under_backlog) < SAMPLES or under_backlog[-1] - under_backlog[0] < STANDSTILL_NS:
        return None
    return float(np.median(under_backlog))
