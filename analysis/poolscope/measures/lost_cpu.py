"""Steal time: what the host of a virtual machine took of its processors. Whoever lost it seems to have computed meanwhile."""

from __future__ import annotations

import numpy as np

from poolscope.base.series import Steps
from poolscope.capture import DecodedCapture


def stolen_share(capture: DecodedCapture) -> Steps | None:
    """Returns the share of the machine's processor time that its host gave to others, 0 ... 1, over ns from the start
    of the window. It is the mean between two readings, a second apart, and 0 outside of them. Returns None without
    readings."""
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
