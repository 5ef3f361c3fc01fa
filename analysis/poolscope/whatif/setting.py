"""One changed setting to predict, and which of them contradict themselves."""

from __future__ import annotations

import math
from dataclasses import dataclass

from poolscope.errors import ExitCode, PoolscopeError
from poolscope.attribution.pool import UNLIMITED_THREADS

POLICIES = ("net", "net4x", "net35", "net11", "rotor", "fixed", "instant")
"""Pools that can be simulated: the keys of poolscope.replay.policies. `fixed` has as many threads as its minimum."""
MOST_LOAD = 1000.0
"""Times the captured traffic. More copies of the same items than that say nothing that these do not."""


@dataclass(frozen=True)
class Setting:
    """What is changed against the capture; None: as captured."""

    label: str
    policy: str | None = None
    """One of POLICIES."""
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


AS_CAPTURED = Setting("as captured")


def check(setting: Setting, min_threads: int, max_threads: int) -> None:
    """Raises PoolscopeError (usage) with one line where the setting is none; the limits are those that stay in force
    where the setting has none of its own."""
    if setting.policy is not None and setting.policy not in POLICIES:
        raise _usage(f"unknown policy {setting.policy!r}: one of {', '.join(POLICIES)}, async, dedicated")
    for name, threads in (("min", setting.min_threads), ("max", setting.max_threads)):
        if threads is not None and not 1 <= threads <= UNLIMITED_THREADS:
            raise _usage(f"{name} threads {threads:,}: from 1 to {UNLIMITED_THREADS}")
    least = min_threads if setting.min_threads is None else setting.min_threads
    most = max_threads if setting.max_threads is None else setting.max_threads
    # A maximum below the captured minimum lowers that too, as lowering one's own setting would.
    if least > most and setting.min_threads is not None:
        kept = "" if setting.max_threads is not None else ", as captured"
        raise _usage(f"min threads {least:,} above max threads {most:,}{kept}")
    if setting.cores is not None and not (setting.cores > 0 and math.isfinite(setting.cores)):
        raise _usage(f"{setting.cores:g} cores: a number above 0")
    if not (0 < setting.load <= MOST_LOAD):
        raise _usage(f"load {setting.load:g}: above 0 and at most {MOST_LOAD:g} times the captured one")
    if setting.asynchronous and setting.dedicated:
        raise _usage("async and dedicated contradict each other: an awaiting item holds no thread")


def _usage(what: str) -> PoolscopeError:
    return PoolscopeError(what, ExitCode.USAGE)
