"""Core time lost to others: to a CPU quota, compared with the core time that workers lacked, and to the host of a
virtual machine."""

from __future__ import annotations

import numpy as np

from poolscope.base.arrays import FloatArray
from poolscope.base.series import Steps
from poolscope.capture import DecodedCapture
from poolscope.executions.competitors import any_worker_ready
from poolscope.executions.segments import READY
from poolscope.executions.states import threads_in_state


def throttled_ns(capture: DecodedCapture) -> float:
    """Returns how long the quota stopped runnable threads in the window, ns, summed over CPUs."""
    start, stop = capture.window
    return throttled_between(capture, 0, stop - start)


def throttled_between(capture: DecodedCapture, since: int, until: int) -> float:
    """Returns the same from `since` to `until`, ns from the start of the window; 0 if the process has no quota."""
    if not capture.has("throttles"):
        return 0.0
    start, stop = capture.window[0] + since, capture.window[0] + until
    rows = capture.table("throttles")
    begin, end = rows["start"].to_numpy(), rows["end"].to_numpy()
    inside = np.maximum(np.minimum(end, stop) - np.maximum(begin, start), 0) / np.maximum(end - begin, 1)
    return float((rows["throttled"].to_numpy() * inside).sum())


def throttled_share(capture: DecodedCapture) -> float:
    """Returns throttled time divided by the core time that workers lacked, at most 1; 0 without a kernel stream.

    The kernel counts a throttled CPU once, however many threads it stops there. So ready workers count up to the number
    of CPUs that the process may use.
    """
    if capture.kernel_tier == "none":
        return 0.0
    start, stop = capture.window
    total = float(_wanted(capture).integral(0.0, float(stop - start)))
    return min(1.0, throttled_ns(capture) / total) if total > 0 else 0.0


def throttled_while_ready(capture: DecodedCapture) -> Steps:
    """Returns the share of the lack of cores charged to a quota at each moment, 0 to 1.

    It is 0 while no worker was runnable without a core: workers then had all the cores that they could use, whatever
    the quota did.
    """
    if capture.kernel_tier == "none" or capture.table("throttles").empty:
        return Steps.constant(0.0)
    start = capture.window[0]
    rows = capture.table("throttles").sort_values("start")
    begin, end = rows["start"].to_numpy() - start, rows["end"].to_numpy() - start
    wanted = _wanted(capture).integral(begin, end)
    charged = _booked_back(rows["throttled"].to_numpy().astype(np.float64), wanted)
    share = Steps.count(begin, end, weight=charged / np.maximum(wanted, 1.0))
    return any_worker_ready(capture).combine(share, np.multiply)


def _booked_back(throttled: FloatArray, wanted: FloatArray) -> FloatArray:
    """Charges throttled time to intervals, at most the wanted time of each.

    The kernel records a stop when it ends, at most one enforcement period after it began. So the excess of an interval
    belongs to the one before, and no further back.
    """
    charged = np.zeros(len(throttled))
    later = 0.0
    for k in range(len(throttled) - 1, -1, -1):
        charged[k] = min(throttled[k] + later, wanted[k])
        later = min(throttled[k], throttled[k] + later - charged[k])
    return charged


def _wanted(capture: DecodedCapture) -> Steps:
    """Returns the cores that ready workers could have used: one each, up to the CPUs that the process may use."""
    waiting = threads_in_state(capture, READY, capture.table("workers")["tid"].to_numpy())
    return Steps(waiting.time, np.minimum(waiting.value, float(capture.manifest["target"]["cpus_allowed"])))


def stolen_share(capture: DecodedCapture) -> Steps | None:
    """Returns the share of the machine's processor time that its host gave to others, 0 to 1, over ns from the start of
    the window.

    It is the mean between two readings, a second apart, and 0 outside of them. Returns None without readings.
    """
    if not capture.has("lost_cpu") or capture.table("lost_cpu").empty:
        return None
    rows = capture.table("lost_cpu")
    start, stop = capture.window
    begin, end = rows["start"].to_numpy(), rows["end"].to_numpy()
    inside = (end > start) & (begin < stop) & (end > begin)
    cpus = int(capture.manifest["host"].get("cpus_online") or capture.manifest["target"]["cpus_allowed"])
    share = rows["stolen"].to_numpy()[inside] / ((end - begin)[inside] * float(cpus))
    begin, end = np.maximum(begin[inside], start) - start, np.minimum(end[inside], stop) - start
    return Steps.count(begin, end, weight=np.minimum(share, 1.0))
