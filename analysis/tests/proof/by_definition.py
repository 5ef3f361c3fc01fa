"""A second attribution that follows the definitions: one item, one interval, one time at a time, in plain Python.

Slow and simple on purpose. It shares no code with the attribution except the result that it is compared with.
"""

import numpy as np
from poolscope.capture.schema import enum

GRACE = 5_000_000
"""An execution may wake others until this long after its end, ns."""
LEAD = 5_000_000
"""A wait that the runtime reports begins at most this long before its thread is blocked, ns."""


def overlap(a, b, c, d):
    """Returns the length of the overlap of two intervals."""
    return max(0, min(b, d) - max(a, c))


class Plain:
    """The tables of one capture as lists, with times from the start of the window."""

    def __init__(self, capture):
        self.base, self.stop = capture.window
        self.length = self.stop - self.base
        names = [enum("thread_states", "state", n) for n in ("running", "ready", "blocked")]
        self.running, self.ready, self.blocked = names
        t = capture.table("thread_states")
        self.states = [
            tuple(int(v) for v in row) for row in zip(t.tid, t.start - self.base, t.end - self.base, t.state)
        ]
        w = capture.table("work_items")
        self.items = []
        for enqueue, dequeue, end, worker in zip(w.enqueue, w.dequeue, w.end, w.worker_tid):
            begin = enqueue - self.base if enqueue >= 0 else 0
            taken = dequeue - self.base if dequeue >= 0 else self.length
            over = end - self.base if end >= 0 else self.length
            self.items.append((int(begin), int(taken), int(over), int(worker)))
        self.enqueue_tid = [int(v) for v in w.enqueue_tid]
        self.told_parent = [int(v) for v in w.parent]
        self.workers = {int(v) for v in capture.table("workers").tid}
        s = capture.table("suspensions")
        self.suspensions = [(int(a), int(b)) for a, b in zip(s.start - self.base, s.end - self.base)]
        k = capture.table("wakeups")
        self.wakeups = [(int(a), int(b), int(c)) for a, b, c in zip(k.time - self.base, k.waker_tid, k.wakee_tid)]
        v = capture.table("waits")
        self.waits = [(int(a), int(b)) for a, b in zip(v.tid, v.start - self.base)]
        threads = capture.table("threads")
        pid = capture.manifest["target"]["pid"]
        self.own_threads = {int(t) for t, p in zip(threads.tid, threads.pid) if p == pid}
        self.changes = [(int(a), int(b)) for a, b in zip(*(capture.table("pool_changes")[c] for c in ("time", "goal")))]
        limits = capture.table("pool_limits").iloc[-1]
        self.minimum, self.maximum = int(limits["min"]), int(limits["max"])

    def segments(self):
        """Returns (item, start, end, state), sorted."""
        found = []
        for item, (_, start, end, worker) in enumerate(self.items):
            for tid, a, b, state in self.states:
                if tid == worker and overlap(a, b, start, end) > 0:
                    found.append((item, max(a, start), min(b, end), state))
        return sorted(found)

    def suspended(self, a, b):
        """Returns the time in suspensions between two times."""
        return sum(overlap(a, b, c, d) for c, d in self.suspensions)

    def by_suspension(self, segment):
        """Returns how much of a segment a suspension caused."""
        item, start, end, state = segment
        worker = self.items[item][3]
        if state == self.running:
            return self.suspended(start, end)
        if state != self.blocked or not any(a <= start < b for a, b in self.suspensions):
            return 0
        inside = self.suspended(start, end)
        woken_by_own = any(t == end and wakee == worker and by in self.own_threads for t, by, wakee in self.wakeups)
        reported = any(tid == worker and max(start - LEAD, 0) <= t <= end for tid, t in self.waits)
        return end - start if end - start > inside and woken_by_own and not reported else inside

    def execution_parts(self):
        """Returns (cpu, blocked, ready, runtime, unknown) of each item."""
        parts = np.zeros((len(self.items), 5), dtype=np.int64)
        for segment in self.segments():
            item, start, end, state = segment
            runtime = self.by_suspension(segment)
            column = {self.running: 0, self.blocked: 1, self.ready: 2}[state]
            parts[item, column] += end - start - runtime
            parts[item, 3] += runtime
        for item, (_, start, end, _) in enumerate(self.items):
            parts[item, 4] = end - start - parts[item, :4].sum()
        return parts

    def goal(self, t):
        """Returns the number of threads that the pool allows at a time: the minimum, or the last reported goal."""
        told = [goal for time, goal in self.changes if time - self.base <= t]
        return told[-1] if told else self.minimum

    def busy(self, t):
        return sum(start <= t < end for _, start, end, _ in self.items)

    def queued(self, t):
        return sum(enqueue <= t < start for enqueue, start, _, _ in self.items)

    def moments(self):
        """Returns every time at which something changes."""
        times = {0, self.length}
        times.update(t for item in self.items for t in item[:3])
        times.update(t for _, a, b, _ in self.states for t in (a, b))
        times.update(t for pair in self.suspensions for t in pair)
        times.update(t - self.base for t, _ in self.changes)
        return sorted(times)

    def while_waiting(self, of_interval):
        """Returns, for each item, the sum of `of_interval(start)` times the length in ns, over the intervals of its
        wait in which nothing changes."""
        times = self.moments()
        value = [of_interval(a) for a in times[:-1]]
        result = []
        for enqueue, start, _, _ in self.items:
            result.append(
                sum(
                    v * overlap(a, b, enqueue, start) for v, a, b in zip(value, times[:-1], times[1:], strict=True) if v
                )
            )
        return result

    def spare_ready(self, t):
        """Returns the number of workers that are runnable without a core and without an item."""
        ready = {tid for tid, a, b, s in self.states if s == self.ready and a <= t < b and tid in self.workers}
        return len([tid for tid in ready if not any(w == tid and a <= t < b for _, a, b, w in self.items)])

    def handoff(self):
        """Returns (core, dispatch) of each item: its wait while fewer items than the goal held a thread."""

        def spare(t):
            return self.busy(t) < self.goal(t)

        total = self.while_waiting(spare)
        core = self.while_waiting(lambda t: spare(t) and self.spare_ready(t) > 0)
        return np.array(core), np.array(total) - np.array(core)

    def stopped(self):
        """Returns, for each wait, its time in suspensions, weighted by the share of the busy threads that these
        stopped."""
        held = [s for s in self.segments() if self.by_suspension(s) > 0]

        def share(t):
            if not any(a <= t < b for a, b in self.suspensions) or not self.busy(t):
                return 0.0
            return min(sum(a <= t < b for _, a, b, _ in held) / self.busy(t), 1.0)

        return np.rint(self.while_waiting(share)).astype(np.int64)

    def blocked_share(self):
        """Returns, for each wait, the mean share of the busy threads that were blocked, while any was busy."""
        segments = self.segments()

        def blocked(t):
            return sum(s == self.blocked and a <= t < b for _, a, b, s in segments)

        share = self.while_waiting(lambda t: blocked(t) / self.busy(t) if self.busy(t) else 0.0)
        busy = self.while_waiting(lambda t: self.busy(t) > 0)
        return np.array([s / b if b else 0.0 for s, b in zip(share, busy, strict=True)])

    def competitors(self, cores, edges):
        """Returns the mean over bins of the runnable threads that are no workers. Each counts by its share of the core
        time due to it under processor sharing, relative to the workers' share of theirs."""
        runnable = [(tid, max(a, 0), min(b, self.length), s) for tid, a, b, s in self.states if s != self.blocked]
        times = sorted({0, self.length, *(t for _, a, b, _ in runnable for t in (a, b))})
        count = [sum(a <= t < b for _, a, b, _ in runnable) for t in times[:-1]]

        def fair(a, b):
            pieces = zip(times[:-1], times[1:], count, strict=True)
            return sum(overlap(a, b, c, d) * min(1.0, cores / max(n, 1)) for c, d, n in pieces)

        due: dict[str | int, float] = {}
        on_core: dict[str | int, float] = {}
        for tid, a, b, s in runnable:
            who: str | int = "workers" if tid in self.workers else tid
            due[who] = due.get(who, 0.0) + fair(a, b)
            on_core[who] = on_core.get(who, 0) + (b - a if s == self.running else 0)
        got = min(1.0, on_core["workers"] / due["workers"])
        total = np.zeros(len(edges) - 1)
        for tid, a, b, _ in runnable:
            if tid not in self.workers:
                weight = on_core[tid] / max(due[tid], 1.0) / got
                shared = np.minimum(edges[1:], b) - np.maximum(edges[:-1], a)
                total += weight * np.maximum(shared, 0) / np.diff(edges)
        return total

    def cores_had(self, cores, edges):
        """Returns the mean over bins of the cores that items used while one of them was ready; at other times all cores
        count."""
        segments = self.segments()
        times = sorted({0, int(edges[-1]), *(t for _, a, b, _ in segments for t in (a, b))})
        total = np.zeros(len(edges) - 1)
        for a, b in zip(times[:-1], times[1:], strict=True):
            states = [s for _, c, d, s in segments if c <= a < d]
            value = states.count(self.running) if self.ready in states else cores
            total += value * np.maximum(np.minimum(edges[1:], b) - np.maximum(edges[:-1], a), 0) / np.diff(edges)
        return total

    def full(self, cores):
        """Returns the tenths of a second in which 95 % of the cores were in use, half of them by items."""
        tenth = 100_000_000
        spans = [(a, a + tenth) for a in range(0, self.length, tenth)]
        on = [(a, b) for _, a, b, state in self.states if state == self.running]
        own = [(a, b) for _, a, b, state in self.segments() if state == self.running]

        def used(threads, span):
            return sum(overlap(*thread, *span) for thread in threads) / tenth

        return [span for span in spans if used(on, span) >= 0.95 * cores and used(own, span) >= 0.5 * cores]

    def without_core(self, item, cores):
        """Returns the time of an item's wait in which a worker was ready or the cores were full."""
        start, end = self.items[item][:2]
        lack = [(a, b) for tid, a, b, state in self.states if tid in self.workers and state == self.ready]
        lack += self.full(cores)
        times = sorted({start, end, *(t for span in lack for t in span if start < t < end)})
        return sum(b - a for a, b in zip(times[:-1], times[1:]) if any(c <= a < d for c, d in lack))

    def running_item(self, tid, t, grace=0):
        """Returns the item that a thread was in; the earlier one if another begins at that very time; -1 if none."""
        for started in (lambda start: start < t, lambda start: start <= t):
            mine = [(s, i) for i, (_, s, _, w) in enumerate(self.items) if w == tid and tid >= 0 and started(s)]
            if mine and t <= self.items[max(mine)[1]][2] + grace:
                return max(mine)[1]
        return -1

    def waker(self, segment):
        """Returns the item that ended a blocked stretch; -1 if another thread did, -2 if nothing shows."""
        item, _, end, _ = segment
        by = [waker for time, waker, wakee in self.wakeups if time == end and wakee == self.items[item][3]]
        if not by:
            return -2
        found = self.running_item(by[-1], end, GRACE)
        return -1 if found == item else found

    def parent(self, item):
        """Returns the item that queued an item; -1 if none did."""
        enqueue = self.items[item][0]
        told = self.told_parent[item]
        if told >= 0 and self.items[told][1] <= enqueue <= self.items[told][2]:
            return told
        return self.running_item(self.enqueue_tid[item], enqueue)


def charged(wait, handoff, delays, never_short, stopped, coreless):
    """Returns (injection, holding, dependency, core, runtime) of one wait. `delays`: in the measured world and the next
    four."""
    core, dispatch = handoff
    suspended = min(stopped, wait - core - dispatch)
    left = wait - core - dispatch - suspended
    rung = max(delays[0] - core - dispatch, 0.0)
    ladder = list(delays[1:])
    if never_short:
        ladder[0] = max(ladder[0], delays[0])
    steps = []
    for number, delay in enumerate(ladder):
        below = min(max(delay, 0.0), rung)
        step = min(round(rung - below), left)
        if number == 2:
            step = min(step, max(coreless - core, 0))
        steps.append(step)
        left -= step
        rung = below
    injection, holding, cores, suspension = steps
    return injection, holding, left, cores + core, suspension + dispatch + suspended
