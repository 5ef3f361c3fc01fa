"""The use of cores: the target and all other threads over time, the antagonists that held cores while a worker was
runnable without one, and the crowd of workers that were runnable at once.

Antagonists are measured in core-seconds: a thread's time on a core while at least one worker was ready. The workers'
ready time itself is not divided among the holders: with ten workers ready and one core, it would count the same second
of that core ten times.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from poolscope.attribution.attribute import Attribution
from poolscope.base.arrays import FloatArray, IntArray
from poolscope.base.series import Steps
from poolscope.base.units import NS_PER_MS, NS_PER_S
from poolscope.capture import DecodedCapture
from poolscope.contract.analysis_json import AntagonistJson, AntagonistThreadJson
from poolscope.executions.competitors import any_worker_ready
from poolscope.executions.segments import BLOCKED, Segments
from poolscope.executions.states import ThreadStates


@dataclass(frozen=True)
class CoreUse:
    """Cores in use, as means per bin."""

    target: FloatArray
    """All threads of the target, not only its workers."""
    others: FloatArray | None
    """All other threads, including those without a known process. None if the kernel stream shows only the target."""


def measure_core_use(capture: DecodedCapture, edges: FloatArray) -> CoreUse | None:
    """Returns the cores in use between neighbouring edges, which must be equally spaced. None without a kernel
    stream."""
    if capture.kernel_tier == "none":
        return None
    states = ThreadStates(capture)
    own = np.isin(states.tid, capture.table("workers")["tid"].to_numpy())
    if capture.has("threads"):
        # If a thread id was reused, it names the later thread, as for antagonists.
        known = capture.table("threads").drop_duplicates("tid", keep="last")
        mine = known["pid"].to_numpy() == int(capture.manifest["target"]["pid"])
        own |= np.isin(states.tid, known["tid"].to_numpy()[mine])
    seen = capture.sees_other_processes
    # Thread 0 is an idle core.
    lane = np.where(states.tid <= 0, -1, np.where(own, 0, 1 if seen else -1))
    mean = states.running_in_bins(lane, 2, edges)
    if mean is None:
        mean = np.zeros((2, len(edges) - 1))
    return CoreUse(target=mean[0], others=mean[1] if seen else None)


PREEMPTED = (0, 0x100)
"""prev_state of a thread that was still runnable when it lost its core (traces/schema.json)."""


def preempted_workers(capture: DecodedCapture) -> int | None:
    """Returns how often a worker lost its core although it could have continued. None without sched_switch."""
    if capture.kernel_tier != "tracepoint" or not capture.has("switches"):
        return None
    switches = capture.table("switches")
    workers = capture.table("workers")["tid"].to_numpy()
    state = switches["prev_state"].to_numpy()
    preempted = (state == PREEMPTED[0]) | (state == PREEMPTED[1])
    return int(np.isin(switches["prev_tid"].to_numpy()[preempted], workers).sum())


OWN_WORKERS, OWN_GC, OWN_OTHER, OTHERS, UNKNOWN = "own-workers", "own-gc", "own-other", "other-process", "unknown"
GROUPS = (OWN_WORKERS, OWN_GC, OWN_OTHER, OTHERS, UNKNOWN)
"""The unknown group has the threads whose process the kernel stream never showed, so no process is charged with
them."""
GC_THREADS = (".NET Server GC", ".NET BGC")
"""The runtime's names for threads that only collect (server and background collections). A blocking workstation
collection runs on the allocating thread, and counts as that thread's time."""
TOP_PROCESSES = 10
TOP_THREADS = 5


@dataclass(frozen=True)
class Antagonists:
    """The holders of the cores, one entry per thread; times are ns."""

    contended: float
    """The time in which at least one worker was ready."""
    held: FloatArray
    """Shape (threads,): time on a core while at least one worker was ready."""
    tid: IntArray
    pid: IntArray
    """-1 if unknown."""
    name: list[str]
    group: IntArray
    """Index into GROUPS."""
    process: dict[int, str]
    """The name of each process, which is its first thread's. Processes whose first thread was never named are
    absent."""

    def share(self, group: str) -> float:
        """Returns the group's part of all core time held, 0 to 1; 0 if no core time was held."""
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


def find_antagonists(capture: DecodedCapture, worker_ready: Steps | None = None) -> Antagonists | None:
    """Finds the threads that ran while a worker was ready.

    Returns None unless the kernel stream covers every process: tiers `tracepoint` (scope `system`) and `etw`. Every
    core of the machine counts, even if the workers may not run there, because the states do not show on which core a
    worker waited. A ready worker counts whether it holds an item or was just woken for one. A worker that is runnable
    only to park again counts too, because nothing distinguishes it at that time. `worker_ready`: that of Handoff, from
    a caller that has it.
    """
    if not capture.sees_other_processes or not capture.has("threads"):
        return None
    start, stop = capture.window
    if worker_ready is None:
        worker_ready = any_worker_ready(capture).merged()
    states = ThreadStates(capture)
    held = states.integral_while_running(worker_ready)
    order = np.argsort(states.tid)
    chosen = order[(held[order] > 0) & (states.tid[order] > 0)]  # thread 0 is an idle core
    return _named(
        capture,
        states.tid[chosen].astype(np.int64),
        held[chosen],
        capture.table("workers")["tid"].to_numpy(),
        float(worker_ready.integral(0.0, float(stop - start))),
    )


def _named(
    capture: DecodedCapture, tid: IntArray, held: FloatArray, workers: IntArray, contended: float
) -> Antagonists:
    # If a thread id was reused, it names the later thread: most of the core time belongs to a long-lived one.
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
    # The workers' own rows must not depend on whether the kernel stream recorded their creation.
    pid = np.where(group == GROUPS.index(OWN_WORKERS), target, pid)
    leaders = known.loc[known.index.isin(np.unique(pid)), "name"]
    process = {int(p): n for p, n in leaders.items() if isinstance(n, str)}
    return Antagonists(contended, held, tid, pid, name, group, process)


@dataclass(frozen=True)
class Crowd:
    """Runnable workers with an item, in a process that may use `cores`."""

    runnable: float
    """The number of runnable workers as one of them sees it: the mean over the runnable time of all."""
    cost: float
    """Item-seconds by which the items would have ended sooner with no more threads than cores. Negative if later."""
    ready_seconds: float
    """The time that items were runnable without a core, summed over items."""


def _runnable(segments: Segments, items: int) -> Steps:
    """Returns the number of these first items that were runnable over time. Counts neighbouring segments of an item as
    one interval: most follow each other at once."""
    item, runnable = segments.item, (segments.item < items) & (segments.state != BLOCKED)
    joined = runnable[1:] & runnable[:-1] & (item[1:] == item[:-1]) & (segments.start[1:] == segments.end[:-1])
    begins, ends = runnable.copy(), runnable
    begins[1:] &= ~joined
    ends[:-1] &= ~joined
    del joined
    return Steps.count(segments.start[begins], segments.end[ends])


def measure_crowd(attribution: Attribution, least: float) -> Crowd:
    """Measures how much sooner items would end on fewer threads.

    It compares completions: fewer threads make items wait before the start instead of after it, which alone is no gain.
    Below `least` runnable workers the cost is 0 and not computed, because it takes two replays. Both worlds have the
    cores that the items really had. The demand of other processes does not depend on the number of the target's
    threads: between cgroups or sessions that is true, and elsewhere a crowd only takes from its neighbours.
    """
    split = attribution.split
    assert split is not None
    number = _runnable(attribution.segments, attribution.items.count)
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
    # Items that wait for each other may never end on few threads. Their delay is then the measured one: otherwise the
    # error of the other replay would pass as a gain.
    ends = ~limited.stuck[: attribution.items.count]
    return Crowd(runnable, float(sooner[ends].sum()) / NS_PER_S, ready)
