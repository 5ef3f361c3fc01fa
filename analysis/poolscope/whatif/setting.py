"""One changed setting to predict, and which one contradict themselves."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from poolscope.base.errors import InvalidArgument
from poolscope.base.limits import MOST_LOAD, POLICIES
from poolscope.executions.pool import UNLIMITED_THREADS


MOST_FASTER = 1000.0
"""Times as fast, and as slow."""
Faster = tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class Setting:
    """What is changed against the capture; None: as captured."""

    label: str
    policy: str | None = None
    """One of poolscope.base.limits.POLICIES."""
    min_threads: int | None = None
    """1 up to the maximum."""
    max_threads: int | None = None
    """1 up to 32767."""
    cores: float | None = None
    """CPUs' worth of time, above 0; also lifts a CPU quota."""
    asynchronous: bool = False
    """A blocked item gives its thread back."""
    dedicated: bool = False
    """Each item has a thread of its own (TaskCreationOptions.LongRunning)."""
    load: float = 1.0
    """Times the captured arrivals, above 0."""
    unrecorded: bool = False
    """Nobody records: neither the collector nor what sends it events wants a core."""
    faster: Faster = ()
    """Endpoints of services that answer requests, and how many times as fast they do, above 0; below 1: slower."""


UNRECORDED = "without the recorder"
AS_CAPTURED = Setting("as captured")


def is_as_captured(setting: Setting) -> bool:
    """Returns whether nothing is changed, whatever it is called."""
    return replace(setting, label="") == replace(AS_CAPTURED, label="")


def words_of(faster: Faster) -> str:
    """Returns words such as `10.0.0.9:5432 2 times as fast`."""
    return ", ".join(f"{endpoint} {times:g} times as fast" for endpoint, times in faster)


def check(setting: Setting, min_threads: int, max_threads: int) -> None:
    """Raises InvalidArgument with one line where the setting is none; the limits are those that stay in force
    where the setting has none of its own."""
    if setting.policy is not None and setting.policy not in POLICIES:
        raise InvalidArgument(f"unknown policy {setting.policy!r}: one of {', '.join(POLICIES)}")
    for name, threads in (("min", setting.min_threads), ("max", setting.max_threads)):
        if threads is not None and not 1 <= threads <= UNLIMITED_THREADS:
            raise InvalidArgument(f"{name} threads {threads:,}: from 1 to {UNLIMITED_THREADS}")
    least = min_threads if setting.min_threads is None else setting.min_threads
    most = max_threads if setting.max_threads is None else setting.max_threads
    # A maximum below the captured minimum lowers that too, as lowering one's own setting would.
    if least > most and setting.min_threads is not None:
        kept = "" if setting.max_threads is not None else ", as captured"
        raise InvalidArgument(f"min threads {least:,} above max threads {most:,}{kept}")
    if setting.cores is not None and not (setting.cores > 0 and math.isfinite(setting.cores)):
        raise InvalidArgument(f"{setting.cores:g} cores: a number above 0")
    if not (0 < setting.load <= MOST_LOAD):
        raise InvalidArgument(f"load {setting.load:g}: above 0 and at most {MOST_LOAD:g} times the captured one")
    for endpoint, times in setting.faster:
        if not (0 < times <= MOST_FASTER and times >= 1 / MOST_FASTER):
            raise InvalidArgument(
                f"{endpoint} {times:g} times as fast: from {1 / MOST_FASTER:g} to {MOST_FASTER:g} times"
            )
    if setting.asynchronous and setting.dedicated:
        raise InvalidArgument("async and dedicated contradict each other: an awaiting item holds no thread")
