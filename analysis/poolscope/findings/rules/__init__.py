"""Every rule, in the order in which a page lists those that pass."""

from poolscope.findings.rule import Rule
from poolscope.findings.rules.blocked_at_cap import BlockedAtCap
from poolscope.findings.rules.cgroup_throttled import CgroupThrottled
from poolscope.findings.rules.connection_busy import ConnectionBusy
from poolscope.findings.rules.connection_pool_wait import ConnectionPoolWait
from poolscope.findings.rules.core_contention import CoreContention
from poolscope.findings.rules.coverage_low import CoverageLow
from poolscope.findings.rules.gate_suppressed_by_cpu import GateSuppressedByCpu
from poolscope.findings.rules.gate_suppressed_by_progress import GateSuppressedByProgress
from poolscope.findings.rules.goal_lowered_under_backlog import GoalLoweredUnderBacklog
from poolscope.findings.rules.healthy import Healthy
from poolscope.findings.rules.hidden_waits import HiddenWaits
from poolscope.findings.rules.injection_delay import InjectionDelay
from poolscope.findings.rules.late_timers import LateTimers
from poolscope.findings.rules.lock_convoy import LockConvoy
from poolscope.findings.rules.min_threads_would_help import MinThreadsWouldHelp
from poolscope.findings.rules.min_threads_would_hurt import MinThreadsWouldHurt
from poolscope.findings.rules.noisy_neighbour import NoisyNeighbour
from poolscope.findings.rules.oversubscribed import Oversubscribed
from poolscope.findings.rules.client_side import ClientSide
from poolscope.findings.rules.own_work import OwnWork
from poolscope.findings.rules.process_stopped import ProcessStopped
from poolscope.findings.rules.reader_held import ReaderHeld
from poolscope.findings.rules.runtime_suspended import RuntimeSuspended
from poolscope.findings.rules.serial_continuations import SerialContinuations
from poolscope.findings.rules.slow_service import SlowService
from poolscope.findings.rules.stream_limit import StreamLimit
from poolscope.findings.rules.sync_over_async import SyncOverAsync
from poolscope.findings.rules.wait_would_move import WaitWouldMove

RULES: tuple[Rule, ...] = (
    InjectionDelay(),
    SyncOverAsync(),
    GateSuppressedByProgress(),
    GateSuppressedByCpu(),
    GoalLoweredUnderBacklog(),
    BlockedAtCap(),
    CoreContention(),
    NoisyNeighbour(),
    CgroupThrottled(),
    Oversubscribed(),
    RuntimeSuspended(),
    LockConvoy(),
    SlowService(),
    ProcessStopped(),
    ReaderHeld(),
    StreamLimit(),
    SerialContinuations(),
    ConnectionBusy(),
    OwnWork(),
    ClientSide(),
    LateTimers(),
    HiddenWaits(),
    ConnectionPoolWait(),
    MinThreadsWouldHelp(),
    MinThreadsWouldHurt(),
    WaitWouldMove(),
    CoverageLow(),
    Healthy(),
)

__all__ = ["RULES"]
