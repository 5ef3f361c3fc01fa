"""The measurements of one capture that rules use, each computed on first use."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

from poolscope.attribution.attribute import Attribution, Split
from poolscope.base.arrays import AnyArray, BoolArray
from poolscope.base.limits import LATE_LIMIT_MS
from poolscope.base.series import Steps
from poolscope.base.stages import Results, once_property
from poolscope.base.statistics import Bound, quantile
from poolscope.base.units import NS_PER_MS, NS_PER_S
from poolscope.blame import Blame, Owners, owner_search
from poolscope.capture import DecodedCapture
from poolscope.capture.capture import ETW
from poolscope.coverage.coverage import Coverage, pairs_doubt
from poolscope.evidence.culprit import Culprit, methods_shown
from poolscope.executions.competitors import any_worker_ready, unseen_share
from poolscope.flames.cpu import CpuFlame, MethodRow, is_user_row
from poolscope.incidents import Weighed
from poolscope.incidents.find import StartUp
from poolscope.measures.activities import Activities, measure_activities
from poolscope.measures.calls import Calls, ConnectionLimit, find_connection_limits, measure_calls
from poolscope.measures.cores import OTHERS, Antagonists, find_antagonists, preempted_workers
from poolscope.measures.earlier import EarlierCalls, find_earlier_calls
from poolscope.measures.goal import GateHold, Lowered, measure_gate, measure_lowered
from poolscope.measures.locks import LockWaits, costliest_lock
from poolscope.measures.quota import stolen_share, throttled_share, throttled_while_ready
from poolscope.measures.requests import RequestParts, Requests, measure_requests, request_parts
from poolscope.measures.socket_reads import SocketReads, read_waits
from poolscope.measures.tasks import NO_WAIT_EVENTS, TaskWaits, blocked_after_announcement, find_task_waits
from poolscope.naming.calls import FILE_CALLS
from poolscope.whatif import WhatIf, explore
from poolscope.whatif.fixes import AWAIT, CORES

CORES_NOTABLE = 0.1
"""The share of the delay from which a lack of cores is a reason to advise more cores: a tenth, as for causes."""
INITIALISATION = "initialisation"
"""The kind of blame for Lazy.Value, and for the first use of a type with a static constructor."""
ONE_INITIALISATION = "items would then wait for the same initialisation"
MOSTLY = 0.25
"""The share of the blocked time in one initialisation from which more concurrent items would mostly add waiters: a
quarter."""


@dataclass(frozen=True)
class Measured:
    """One capture with all its measurements, without judgement."""

    capture: DecodedCapture
    attribution: Attribution
    coverage: Coverage
    blame: Blame | None = None
    """None without a kernel stream or stacks."""
    cpu: CpuFlame | None = None
    """None without CPU samples."""
    incidents: tuple[Weighed, ...] = ()
    """Every stretch in which items were late, by start."""
    late_limit_ms: float = LATE_LIMIT_MS
    """An item that waited longer is late, ms."""
    start_up: StartUp | None = None
    """The evidence of whether the program was starting; None: not computed."""
    chosen: BoolArray | None = None
    """Shape (items,): the late items that are judged; None: all items."""
    kept: Results = field(default_factory=Results, compare=False, repr=False)
    """The results of `once_property`, shared by all evidence of one capture."""

    @property
    def split(self) -> Split:
        """The split; only for rules that need `thread_states`."""
        assert self.attribution.split is not None
        return self.attribution.split

    @once_property
    def wall_seconds(self) -> float:
        start, stop = self.capture.window
        return (stop - start) / NS_PER_S

    @cached_property
    def waiting_item_seconds(self) -> float:
        """The total wait of the judged items."""
        return self.item_seconds(self.attribution.items.wait)

    @cached_property
    def count(self) -> int:
        """The number of judged items."""
        return self.attribution.items.count if self.chosen is None else int(self.chosen.sum())

    @cached_property
    def mean_wait_ms(self) -> float:
        """The mean wait of the judged items; 0 without any."""
        return self.mean_ms(self.attribution.items.wait)

    @once_property
    def p99_wait(self) -> Bound:
        """Returns the p99 of the wait, ns."""
        items = self.attribution.items
        return quantile(items.wait, items.censored, 0.99)

    @once_property
    def execution_seconds(self) -> float:
        """Returns the time for which items held a worker, summed over items, s."""
        items = self.attribution.items
        return float((items.end - items.dequeue).sum()) / NS_PER_S

    @once_property
    def mean_delay_ms(self) -> float:
        return float(self.split.ladder.actual.mean()) / NS_PER_MS

    def of_judged(self, part: AnyArray) -> AnyArray:
        """Returns the values of `part`, shape (items,), for the judged items."""
        return part if self.chosen is None else part[self.chosen]

    def item_seconds(self, part: AnyArray) -> float:
        """Returns a part of the wait, ns, summed over the judged items, as item-seconds."""
        return float(self.of_judged(part).sum()) / NS_PER_S

    def mean_ms(self, part: AnyArray) -> float:
        """Returns the mean of a part of the wait, ns, over the judged items, in ms."""
        return float(self.of_judged(part).mean()) / NS_PER_MS if self.count else 0.0

    @once_property
    def antagonists(self) -> Antagonists | None:
        """Finds the antagonists. Returns None if the kernel stream did not see every process."""
        return find_antagonists(self.capture, self.attribution.worker_ready)

    @once_property
    def neighbours_share(self) -> float:
        """Returns other processes' part of the core time while workers were ready, 0 ... 1. It is inferred if the
        kernel stream shows only the target."""
        return self.antagonists.share(OTHERS) if self.antagonists else unseen_share(self.capture)

    @once_property
    def throttled_share(self) -> float:
        """Returns the share of the core time that workers lacked because a CPU quota had stopped the process, 0 ... 1.
        Zero if the capture has no quota."""
        if not self.capture.has("throttles"):
            return 0.0
        return throttled_share(self.capture)

    @once_property
    def host_share(self) -> Steps | None:
        """Returns the share of the processors that the host of a virtual machine took over time, 0 ... 1; None if the
        collector did not measure it."""
        return stolen_share(self.capture)

    @once_property
    def worker_ready(self) -> Steps:
        """Returns 1 while at least one worker was runnable without a core, otherwise 0."""
        if self.capture.poll_step_ns is not None:
            return any_worker_ready(self.capture)
        return self.split.worker_ready

    @once_property
    def worker_throttled(self) -> Steps:
        """Returns the share of `worker_ready` that a CPU quota is charged with."""
        if not self.capture.has("throttles"):
            return Steps.constant(0.0)
        return throttled_while_ready(self.capture)

    @once_property
    def suspended_share(self) -> float:
        """Returns the share of the capture in which the runtime was suspended; 0 if the capture ended at once."""
        start, stop = self.capture.window
        length = stop - start
        return float(self.attribution.suspension.integral(0.0, float(length))) / length if length > 0 else 0.0

    @once_property
    def socket_reads(self) -> SocketReads | None:
        """Returns how long data lay in sockets before a thread read it; None if sockets were not recorded."""
        return read_waits(self.capture)

    @once_property
    def requests(self) -> Requests | None:
        """Returns the requests of a web service; None if ASP.NET Core reported none."""
        return measure_requests(self.capture, self.attribution)

    @once_property
    def calls(self) -> Calls | None:
        """Returns the calls through HttpClient; None if it reported none."""
        return measure_calls(self.capture, self.attribution.items)

    @once_property
    def activities(self) -> Activities | None:
        """Returns the activities of ActivitySources; None if none was recorded."""
        return measure_activities(self.capture, self.attribution)

    @once_property
    def earlier_calls(self) -> EarlierCalls:
        """Returns the calls that began before the recording and were answered in it."""
        return find_earlier_calls(self.capture)

    @once_property
    def connection_limits(self) -> list[ConnectionLimit]:
        """Finds the hosts to which calls waited for connections while none was added, costliest first."""
        return [] if self.calls is None else find_connection_limits(self.calls)

    @once_property
    def request_parts(self) -> RequestParts | None:
        """Returns the parts of the requests' time; None without requests that are tied and answered."""
        return request_parts(self.capture, self.attribution)

    @cached_property
    def culprit(self) -> Culprit | None:
        """The code that blocked items' threads for longest."""
        found = Culprit.of(self.blame, self.requests)
        return found and replace(found, awaits=found.call not in self._cannot_be_awaited)

    def methods(self, section: str) -> list[str]:
        """Returns the code that this part of the report (blame or cpu) shows first, costliest first; empty for other
        parts."""
        return methods_shown(section, self.blame, self.hot_methods)

    @cached_property
    def hot_methods(self) -> list[MethodRow]:
        """The user's methods on whose behalf workers computed, most CPU samples first: each sample counts for the
        method nearest to the leaf."""
        users = [] if self.cpu is None else [row for row in self.cpu.methods if is_user_row(row) and row.nearest]
        return sorted(users, key=lambda row: -row.nearest)

    @once_property
    def costliest_lock(self) -> LockWaits | None:
        """Returns the lock that items waited for longest after they had started."""
        return costliest_lock(self.capture, self.attribution.items)

    @once_property
    def lock_owners(self) -> Owners | None:
        """Finds the holders of the costliest lock while items waited for it. Returns None without a kernel stream or
        stacks."""
        if self.blame is None or self.costliest_lock is None:
            return None
        return owner_search(self.capture, self.attribution).of_lock(self.costliest_lock)

    @once_property
    def gate(self) -> GateHold:
        """Returns the reason why the pool did not grow while items waited for threads."""
        return measure_gate(self.capture, self.attribution)

    @once_property
    def lowered(self) -> Lowered:
        """Returns the times at which hill climbing lowered the goal while items waited."""
        return measure_lowered(self.capture, self.attribution)

    @once_property
    def what_if(self) -> WhatIf | None:
        """Returns the work simulated under other settings. None without items or demands, and if the pairs of enqueue
        and dequeue are in doubt."""
        if self.attribution.split is None or self.attribution.items.count == 0 or pairs_doubt(self.coverage):
            return None
        found = explore(self.capture, self.attribution)
        if not self._cores_are_short:
            # More cores also mean a higher default minimum of threads: no reason to buy cores.
            found = found.without(CORES)
        if self._await_would_block:
            found = found.without(AWAIT)
        return found.refusing(ONE_INITIALISATION) if self._wait_for_one_initialisation else found

    @property
    def _cores_are_short(self) -> bool:
        """Whether the lack of a core, before or after the start, is a notable part of the items' delay."""
        lacked = seconds(self.split.parts.core) + seconds(self.attribution.execution.ready)
        return lacked >= CORES_NOTABLE * max(seconds(self.split.ladder.actual), 0.0)

    @property
    def _cannot_be_awaited(self) -> frozenset[str]:
        """Calls whose asynchronous versions block a pool thread on the capture's system."""
        return frozenset() if self.capture.kernel_tier == ETW else FILE_CALLS

    @property
    def _await_would_block(self) -> bool:
        """Whether the threads were mostly blocked in calls whose asynchronous versions block another pool thread
        instead."""
        rows = self.blame.rows if self.blame else []
        there = sum(row.thread_s for row in rows if row.call and row.call.call in self._cannot_be_awaited)
        return there > 0 and there >= MOSTLY * self._blamed_s

    @property
    def _wait_for_one_initialisation(self) -> bool:
        """Whether the threads were mostly blocked in one-time initialisation. Any other item would then wait there,
        too. The replay does not know that, because items that came after the initialisation did not wait."""
        rows = self.blame.rows if self.blame else []
        return bool(rows) and rows[0].kind == INITIALISATION and rows[0].thread_s >= MOSTLY * self._blamed_s

    @property
    def _blamed_s(self) -> float:
        return self.blame.total_s if self.blame else 0.0

    @once_property
    def task_waits(self) -> TaskWaits:
        """Finds the synchronous waits for tasks: by wait events, or by blocked stretches if the runtime has no such
        events."""
        if NO_WAIT_EVENTS in self.capture.manifest["target"].get("limits", []):
            return TaskWaits(*blocked_after_announcement(self.capture, self.attribution))
        return find_task_waits(self.capture, self.attribution.items)

    @once_property
    def worker_switches(self) -> int | None:
        """Counts the preemptions of workers; None if the kernel stream does not show them."""
        return preempted_workers(self.capture)


def seconds(part: AnyArray) -> float:
    """Returns the sum of nanoseconds over all items, judged or not, as item-seconds."""
    return float(part.sum()) / NS_PER_S
