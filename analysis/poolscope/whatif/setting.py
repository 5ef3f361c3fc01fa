"""One changed setting to predict, and the settings of the capture itself: checks for contradictions, and the policy of
each."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from poolscope.attribution import Attribution
from poolscope.base.arrays import FloatArray, IntArray
from poolscope.base.errors import InvalidArgument
from poolscope.base.limits import MOST_LOAD, POLICIES
from poolscope.base.lookup import latest
from poolscope.base.series import Steps
from poolscope.base.stages import once
from poolscope.capture import DecodedCapture
from poolscope.capture.manifest import of_windows
from poolscope.executions.capacity import capacity, cores_while
from poolscope.executions.pool import UNLIMITED_THREADS
from poolscope.executions.segments import READY
from poolscope.executions.states import rows_in_state
from poolscope.replay.policies import Dedicated, Fixed, Instant, Net, Net11, Net35, Net4x, Policy, Rotor
from poolscope.replay.policies.policy import NEW_THREAD_NS
from poolscope.replay.simulate import World

MOST_FASTER = 1000.0
"""The largest factor, and its inverse the smallest."""
Faster = tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class Setting:
    """Changes relative to the capture. None means as captured."""

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
    """True if a blocked item gives its thread back."""
    dedicated: bool = False
    """True if each item has a thread of its own (TaskCreationOptions.LongRunning)."""
    load: float = 1.0
    """A multiple of the captured arrivals, above 0."""
    unrecorded: bool = False
    """True if there is no recorder: neither the collector nor the sender of its events demands a core."""
    faster: Faster = ()
    """Endpoints of services that answer requests, and the factor by which they answer faster, above 0; slower if below
    1."""


UNRECORDED = "without the recorder"
AS_CAPTURED = Setting("as captured")


def is_as_captured(setting: Setting) -> bool:
    """Returns whether nothing is changed, whatever the label."""
    return replace(setting, label="") == replace(AS_CAPTURED, label="")


def words_of(faster: Faster) -> str:
    """Returns words such as `10.0.0.9:5432 2 times as fast`."""
    return ", ".join(f"{endpoint} {times:g} times as fast" for endpoint, times in faster)


def check(setting: Setting, min_threads: int, max_threads: int) -> None:
    """Raises InvalidArgument with one line if the setting is invalid. The limits are those that apply if the setting
    has none of its own."""
    if setting.policy is not None and setting.policy not in POLICIES:
        raise InvalidArgument(f"unknown policy {setting.policy!r}: one of {', '.join(POLICIES)}")
    for name, threads in (("min", setting.min_threads), ("max", setting.max_threads)):
        if threads is not None and not 1 <= threads <= UNLIMITED_THREADS:
            raise InvalidArgument(f"{name} threads {threads:,}: from 1 to {UNLIMITED_THREADS}")
    least = min_threads if setting.min_threads is None else setting.min_threads
    most = max_threads if setting.max_threads is None else setting.max_threads
    # A maximum below the captured minimum lowers the minimum too, as lowering the program's own setting would.
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


FEWEST = 3
"""The fewest new workers for a conclusion."""


@once
def new_thread_ns(capture: DecodedCapture) -> float | None:
    """Returns the median time from a worker's creation to its first event, ns. None if the creation of fewer than
    FEWEST workers was recorded.

    Time in which the worker was ready without a core is left out, because the replay has its own rule for that.
    """
    if not (capture.has("threads") and capture.has("thread_states")):
        return None
    threads, workers = capture.table("threads"), capture.table("workers")
    created, of = (
        threads[name].to_numpy()[threads["start"].to_numpy() > 0].astype(np.int64) for name in ("start", "tid")
    )
    start, tid = (
        workers[name].to_numpy()[workers["start"].to_numpy() > 0].astype(np.int64) for name in ("start", "tid")
    )
    # A thread id may be reused: the last thread created before the worker's first event counts.
    row, seen = latest(of, created, tid, start)
    if np.count_nonzero(seen) < FEWEST:
        return None
    born, tid, start = created[row[seen]], tid[seen], start[seen]
    return float(np.median(start - born - _ready(capture, tid, born, start)))


def _ready(capture: DecodedCapture, tid: IntArray, begin: IntArray, end: IntArray) -> FloatArray:
    """Returns how long each thread was ready between two moments, ns, shape (threads,)."""
    states = capture.table("thread_states")
    ready = rows_in_state(capture, READY, tid)
    of, since, until = (states[name].to_numpy()[ready].astype(np.int64) for name in ("tid", "start", "end"))
    row, known = latest(tid, begin, of, since)
    overlap = np.where(known, np.minimum(until, end[row]) - since, 0)
    total: FloatArray = np.bincount(row, np.maximum(overlap, 0), len(tid)).astype(np.float64)
    return total


STACK_BYTES_WINDOWS = 3 << 19
"""The address space that a thread's stack reserves on Windows: 1.5 MiB, from the header of dotnet.exe."""
STACK_BYTES_LINUX = 8 << 20
"""glibc's default, from the usual `ulimit -s`. Little of either becomes resident: the runtime itself assumes 64 KiB a
thread."""


def stack_bytes(capture: DecodedCapture) -> int:
    """Returns how much address space the stack of one thread reserves."""
    return STACK_BYTES_WINDOWS if of_windows(capture.manifest) else STACK_BYTES_LINUX


_REFERENCE: dict[str, type[Net11] | type[Net35] | type[Rotor]] = {"net11": Net11, "net35": Net35, "rotor": Rotor}
_RUNTIME: dict[str, type[Net] | type[Net4x]] = {"net": Net, "net4x": Net4x}
_BY_RULE_ALONE = ("fixed", "instant")
"""Policies without randomness: no gate with a random phase, no hill climbing."""


def is_random(setting: Setting, captured: Captured) -> bool:
    """Returns whether two seeds can differ: in the pool, or in the repeated arrivals."""
    by_rule = setting.dedicated or (setting.policy or captured.policy) in _BY_RULE_ALONE
    return setting.load != 1.0 or not by_rule


def make_policy(setting: Setting, captured: Captured) -> Policy:
    """Returns the policy of a setting that `check` accepts.

    Anything it leaves open is as captured. A pool other than the captured one keeps its own maximum if that is lower,
    as the reference pools of the workloads do.
    """
    if setting.dedicated:
        return Dedicated()
    name = setting.policy or captured.policy
    holding = not setting.asynchronous
    processors = captured.processors if setting.cores is None else max(int(np.ceil(setting.cores)), 1)
    minimum, maximum = limits(setting, captured)
    if name == "fixed":
        # The captured pool has as many threads as its maximum. Another pool becomes a fixed one of its minimum.
        as_captured = captured.max_threads if captured.policy == "fixed" else captured.min_threads
        return Fixed(setting.min_threads or setting.max_threads or as_captured, holding)
    if name == "instant":
        return Instant(int(maximum.value.max()), holding)
    if name in _RUNTIME:
        return _RUNTIME[name](minimum, maximum, processors, holding, new_thread_ns=captured.new_thread_ns)
    make = _REFERENCE[name]
    most = int(maximum.value.max())
    if name != captured.policy and setting.max_threads is None:
        most = min(most, make.on(processors).max_threads)
    return make(min(int(minimum.value.max()), most), most, processors, holding)


def make_world(setting: Setting, captured: Captured, competitors: Steps, seed: int) -> World:
    """Returns the world of a setting that `check` accepts, with these competitors."""
    cores = captured.cores if setting.cores is None else cores_while(captured.suspension, setting.cores)
    return World(cores=cores, competitors=competitors, policy=make_policy(setting, captured), seed=seed)


def limits(setting: Setting, captured: Captured) -> tuple[Steps, Steps]:
    """Returns minimum and maximum of threads over time. A limit of the setting holds at all times. If the other,
    captured limit contradicts it, the captured one yields."""
    maximum = captured.maximum_over_time
    if setting.max_threads is not None:
        maximum = Steps.constant(float(setting.max_threads))
    if setting.min_threads is not None:
        minimum = Steps.constant(float(setting.min_threads))
        return minimum, maximum.combine(minimum, np.maximum)
    minimum = captured.minimum_over_time
    if setting.cores is not None and captured.min_follows_cores:
        minimum = Steps.constant(float(captured.minimum(setting.cores)))
    return minimum.combine(maximum, np.minimum), maximum


@dataclass(frozen=True)
class Captured:
    """The captured pool, its cores, and their other users."""

    policy: str
    """One of POLICIES."""
    min_threads: int
    max_threads: int
    min_follows_cores: bool
    """True if the minimum is the runtime's default, the number of processors: it then changes with the cores."""
    minimum_over_time: Steps
    maximum_over_time: Steps
    """Both limits with their changes in the capture. The two numbers above are those in force longest."""
    processors: int
    """Environment.ProcessorCount."""
    core_count: float
    cores: Steps
    """CPUs' worth of time: 0 while the runtime was suspended, less while a quota stopped the process."""
    suspension: Steps
    competitors: Steps
    new_thread_ns: float
    """From a worker's creation to its first event. The replay's own figure if too few were created."""
    peak_busy: int
    """The most items that held a thread at once."""
    peak_threads: int
    """The most worker threads that existed at once."""

    def minimum(self, cores: float | None) -> int:
        """Returns the minimum of threads on this many cores (None: as captured) if the program does not set it."""
        if cores is None or not self.min_follows_cores:
            return self.min_threads
        return min(max(int(np.ceil(cores)), 1), self.max_threads)


def captured_settings(capture: DecodedCapture, attribution: Attribution) -> Captured:
    """Reads the settings from the capture. Requires the kernel stream's thread states."""
    assert attribution.split is not None
    target = capture.manifest["target"]
    pool = attribution.pool
    length = float(capture.window[1] - capture.window[0])
    least, most = _longest(pool.minimum, length), _longest(pool.maximum, length)
    processors = int(target["processor_count"])
    told = target.get("min_threads")
    known = "default" if told is None else told["known"]
    return Captured(
        policy=policy_of(capture),
        min_threads=int(least),
        max_threads=int(min(most, UNLIMITED_THREADS)),
        min_follows_cores=known in ("default", "unknown") and int(least) == processors,
        minimum_over_time=pool.minimum,
        maximum_over_time=pool.maximum,
        processors=processors,
        core_count=attribution.cores,
        cores=cores_while(attribution.suspension, capacity(capture)),
        suspension=attribution.suspension,
        competitors=attribution.split.competitors.all,
        new_thread_ns=new_thread_ns(capture) or NEW_THREAD_NS,
        peak_busy=int(pool.busy.value.max(initial=0.0)),
        peak_threads=_peak_threads(capture),
    )


def policy_of(capture: DecodedCapture) -> str:
    """Returns the rule by which the captured pool grows: the runtime's, or that of a reference pool by its name."""
    pool = capture.manifest.get("pool")
    name = "net" if pool is None else pool["name"].split(":")[0]
    return name if name in POLICIES else "net"


def _longest(limit: Steps, length: float) -> float:
    """Returns the value that was in force longest within the capture."""
    time = np.clip(np.append(limit.time, length), 0.0, length)
    values, where = np.unique(limit.value, return_inverse=True)
    return float(values[np.bincount(where, np.diff(time)).argmax()])


def _peak_threads(capture: DecodedCapture) -> int:
    start, stop = capture.window
    workers = capture.table("workers")
    begin = np.clip(workers["start"].to_numpy(), start, stop)
    end = np.where(workers["stop"] < 0, stop, np.clip(workers["stop"].to_numpy(), start, stop))
    return int(Steps.count(begin, end, start=float(start)).value.max(initial=0.0)) if len(begin) else 0
