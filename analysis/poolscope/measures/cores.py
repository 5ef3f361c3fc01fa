"""Who had the cores: the target and everybody else over time, the antagonists that held them while a worker was runnable and
had none, and the crowd of workers that were runnable at once.

The measure of antagonists is core-seconds: a thread's time on a core in those moments in which at least one worker was
ready. The workers' ready time itself is not divided among the holders: with ten workers ready and one core it would count
the same second of that core ten times.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from poolscope.attribution.attribute import Attribution
from poolscope.base.arrays import FloatArray, IntArray
from poolscope.base.lookup import is_among, numbered
from poolscope.base.series import Steps
from poolscope.base.units import NS_PER_MS, NS_PER_S
from poolscope.capture import DecodedCapture
from poolscope.contract.analysis_json import AntagonistJson, AntagonistThreadJson
from poolscope.executions.segments import READY, RUNNING


@dataclass(frozen=True)
class CoreUse:
    """Cores in use, means per bin."""

    target: FloatArray
    """Every thread of the target, not its workers alone."""
    others: FloatArray | None
    """Every other thread, also those without a known process; None if the kernel stream shows the target alone."""


def measure_core_use(capture: DecodedCapture, edges: FloatArray) -> CoreUse | None:
    """Returns the cores in use between neighbouring edges, which are equally far apart; None without a kernel stream."""
    if capture.kernel_tier == "none":
        return None
    states = capture.table("thread_states")
    tid = states["tid"].to_numpy()
    rows = np.flatnonzero((states["state"].to_numpy() == RUNNING) & (tid > 0))  # thread 0: an idle core
    tid = tid[rows]
    begin, end = (capture.within_window(states[name].to_numpy()[rows]).astype(np.float64) for name in ("start", "end"))
    own = is_among(tid, capture.table("workers")["tid"].to_numpy())
    if capture.has("threads"):
        # A number that a second thread was given again names the later one, as for antagonists.
        known = capture.table("threads").drop_duplicates("tid", keep="last")
        mine = known["pid"].to_numpy() == int(capture.manifest["target"]["pid"])
        own |= is_among(tid, known["tid"].to_numpy()[mine])
    return CoreUse(
        target=_mean_open(begin[own], end[own], edges),
        others=_mean_open(begin[~own], end[~own], edges) if capture.sees_other_processes else None,
    )


def _mean_open(begin: FloatArray, end: FloatArray, edges: FloatArray) -> FloatArray:
    """Returns how many intervals are open, on average over each bin: as Steps.count(...).mean(edges), without sorting what may
    be millions of switches."""
    bins, width = len(edges) - 1, float(edges[1] - edges[0])
    first = np.clip(((begin - edges[0]) / width).astype(np.int64), 0, bins - 1)
    last = np.clip(((end - edges[0]) / width).astype(np.int64), 0, bins - 1)
    # Every interval as if it filled its bins from the first to the last, less what it misses at both ends.
    whole = np.cumsum(np.bincount(first, minlength=bins + 1) - np.bincount(last + 1, minlength=bins + 1))[:bins] * width
    before = np.bincount(first, weights=begin - (edges[0] + first * width), minlength=bins)
    after = np.bincount(last, weights=edges[0] + (last + 1) * width - end, minlength=bins)
    return np.asarray(np.maximum(whole - before - after, 0.0) / width)


PREEMPTED = (0, 0x100)
"""prev_state of a thread that was still runnable when it lost its core (traces/schema.json)."""


def preempted_workers(capture: DecodedCapture) -> int | None:
    """Returns how often a worker was taken off a core although it could have gone on. None without sched_switch."""
    if capture.kernel_tier != "tracepoint" or not capture.has("switches"):
        return None
    switches = capture.table("switches")
    workers = capture.table("workers")["tid"].to_numpy()
    preempted = np.isin(switches["prev_state"].to_numpy(), PREEMPTED)
    return int((preempted & np.isin(switches["prev_tid"].to_numpy(), workers)).sum())


OWN_WORKERS, OWN_GC, OWN_OTHER, OTHERS, UNKNOWN = "own-workers", "own-gc", "own-other", "other-process", "unknown"
GROUPS = (OWN_WORKERS, OWN_GC, OWN_OTHER, OTHERS, UNKNOWN)
"""Unknown: the kernel stream never said whose thread it is, so no process is charged with it."""
GC_THREADS = (".NET Server GC", ".NET BGC")
"""The runtime's names for threads that only collect (server and background collections). A blocking workstation
collection runs on the thread that allocated, and counts as that thread's time."""
TOP_PROCESSES = 10
TOP_THREADS = 5


@dataclass(frozen=True)
class Antagonists:
    """Who held the cores, one entry per thread that held one; ns."""

    contended: float
    """Time in which at least one worker was ready."""
    held: FloatArray
    """Shape (threads,): time on a core while at least one worker was ready."""
    tid: IntArray
    pid: IntArray
    """-1: unknown."""
    name: list[str]
    group: IntArray
    """Index into GROUPS."""
    process: dict[int, str]
    """Name of each process: its first thread's. A process whose first thread was never named is absent."""

    def share(self, group: str) -> float:
        """Returns the group's part of all core time held, 0 ... 1; 0 if nothing held any."""
        total = float(self.held.sum())
        return float(self.held[self.group == GROUPS.index(group)].sum()) / total if total else 0.0

    def processes(self) -> list[AntagonistJson]:
        """Returns the entries of `antagonists[]`: the target by group, others by process, most core time first."""
        total = float(self.held.sum())
        frame = pd.DataFrame({"group": self.group, "pid": self.pid, "held": self.held})
        entries: list[AntagonistJson] = []
        for (group, pid), rows in frame.groupby(["group", "pid"]):
            held = float(rows["held"].sum())
            entries.append(
                {
                    "group": GROUPS[int(group)],
                    "pid": int(pid),
                    "process": self.process.get(int(pid)),
                    "core_ms": round(held / NS_PER_MS, 6),
                    "share": round(held / total, 6),
                    "threads": len(rows),
                    "top_threads": self._top(rows.index),
                }
            )
        entries.sort(key=lambda e: (-e["core_ms"], e["group"], e["pid"]))
        own = [e for e in entries if e["group"] != OTHERS]
        others = [e for e in entries if e["group"] == OTHERS]
        kept = own + others[:TOP_PROCESSES]
        return sorted(kept, key=lambda e: (-e["core_ms"], e["group"], e["pid"]))

    def _top(self, rows: Iterable[int]) -> list[AntagonistThreadJson]:
        longest = sorted(rows, key=lambda i: (-self.held[i], self.tid[i]))[:TOP_THREADS]
        return [
            {
                "tid": int(self.tid[i]),
                "name": self.name[i],
                "core_ms": round(float(self.held[i]) / NS_PER_MS, 6),
            }
            for i in longest
        ]


def find_antagonists(capture: DecodedCapture) -> Antagonists | None:
    """Finds the threads that ran while a worker was ready. Returns None unless the kernel stream saw every process:
    tiers `tracepoint` (scope `system`) and `etw`.

    Counted on every core of the machine, also where the workers may not run: the states do not say on which core a
    worker waited. A worker that is ready counts whether it holds an item or was just woken for one; a worker that is
    runnable only to park again counts too, since nothing distinguishes it from the other at that time.
    """
    if not capture.sees_other_processes or not capture.has("threads"):
        return None
    start, stop = capture.window
    states = capture.table("thread_states")
    workers = capture.table("workers")["tid"].to_numpy()
    state, tid = states["state"].to_numpy(), states["tid"].to_numpy()

    def intervals(chosen: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        """Returns thread, begin and end of the chosen rows, cut to the window and from its start."""
        begin, end = (capture.within_window(states[name].to_numpy()[chosen]) for name in ("start", "end"))
        within = end > begin
        return tid[chosen[within]].astype(np.int64), begin[within], end[within]

    # Rows are chosen before anything is computed of them: the table is as long as the capture has states of all threads.
    _, begin, end = intervals(np.flatnonzero((state == READY) & is_among(tid, workers)))
    ready = Steps.count(begin, end)
    any_ready = Steps(ready.time, (ready.value > 0).astype(np.float64)).merged()
    del ready

    thread, begin, end = intervals(np.flatnonzero(state == RUNNING))
    rows, row = numbered(thread)
    held = np.bincount(row, any_ready.integral(begin, end), len(rows))
    chosen = (held > 0) & (rows > 0)  # thread 0 is an idle core
    return _named(
        capture,
        rows[chosen],
        np.asarray(held[chosen], dtype=np.float64),
        workers,
        float(any_ready.integral(0.0, float(stop - start))),
    )


def _named(
    capture: DecodedCapture, tid: IntArray, held: FloatArray, workers: IntArray, contended: float
) -> Antagonists:
    # A number that a second thread was given again names the later one: most of the core time is a long-lived one's.
    known = capture.table("threads").drop_duplicates("tid", keep="last").set_index("tid")
    pid = known["pid"].reindex(tid).fillna(-1).to_numpy().astype(np.int64)
    name = ["" if not isinstance(n, str) else n for n in known["name"].reindex(tid)]
    target = int(capture.manifest["target"]["pid"])
    collects = np.array([n.startswith(GC_THREADS) for n in name], dtype=bool)
    own = pid == target
    group = np.select(
        [np.isin(tid, workers), own & collects, own, pid < 0],
        [GROUPS.index(OWN_WORKERS), GROUPS.index(OWN_GC), GROUPS.index(OWN_OTHER), GROUPS.index(UNKNOWN)],
        GROUPS.index(OTHERS),
    ).astype(np.int64)
    # The workers' own rows must not hang on whether the kernel stream saw their creation.
    pid = np.where(group == GROUPS.index(OWN_WORKERS), target, pid)
    leaders = known.loc[known.index.isin(np.unique(pid)), "name"]
    process = {int(p): n for p, n in leaders.items() if isinstance(n, str)}
    return Antagonists(contended, held, tid, pid, name, group, process)


@dataclass(frozen=True)
class Crowd:
    """Workers with an item that could run, in a process that may use `cores`."""

    runnable: float
    """How many there were at a time, as one of them saw it: the mean over the runnable time of all."""
    cost: float
    """Item-seconds by which the items would have ended sooner with no more threads than cores; below 0: later."""
    ready_seconds: float
    """Time that items were runnable without a core, summed over items."""


def measure_crowd(attribution: Attribution, least: float) -> Crowd:
    """Measures how much sooner items would end on fewer threads. It compares completions: fewer threads make items wait
    before the start instead of after it, which alone is no gain.

    Below `least` runnable workers the cost is not computed, and 0: it takes two replays. Both worlds have the cores
    that the items really had. What other processes take is not made to depend on the number of our threads: between
    cgroups or sessions it does not, and where it does, a crowd only takes from its neighbours.
    """
    split = attribution.split
    assert split is not None
    own = attribution.segments.item < attribution.items.count
    chosen = own & np.isin(attribution.segments.state, (RUNNING, READY))
    number = Steps.count(attribution.segments.start[chosen], attribution.segments.end[chosen])
    length = np.diff(number.time)
    count = number.value[:-1]
    time = float((count * length).sum())
    runnable = float((count * count * length).sum()) / time if time > 0 else 0.0
    ready = float(attribution.execution.ready.sum()) / NS_PER_S
    if runnable < least:
        return Crowd(runnable, 0.0, ready)
    had = split.had
    as_many_as_cores = float(np.ceil(attribution.cores))
    goal = attribution.pool.goal
    worlds = split.ladder.worlds
    limited = worlds.run_alone(Steps(goal.time, np.minimum(goal.value, as_many_as_cores)), had, True)
    sooner = worlds.alone(goal, had, True) - worlds.delay(limited)
    # Items that wait for each other may never end on few threads. Their delay is the measured one then: what the other replay
    # misses of it would pass as a gain.
    ends = ~limited.stuck[: attribution.items.count]
    return Crowd(runnable, float(sooner[ends].sum()) / NS_PER_S, ready)
