"""All rules, in the order in which a page lists those that pass."""

from poolscope.findings.rule import Rule
from poolscope.findings.rules.blocked_threads import BlockedAtCap, LockConvoy, SyncOverAsync
from poolscope.findings.rules.connections import ConnectionBusy, ConnectionPoolWait, StreamLimit
from poolscope.findings.rules.cores import CgroupThrottled, CoreContention, NoisyNeighbour, Oversubscribed
from poolscope.findings.rules.coverage_low import CoverageLow
from poolscope.findings.rules.gate import (
    GateSuppressedByCpu,
    GateSuppressedByProgress,
    GoalLoweredUnderBacklog,
    InjectionDelay,
)
from poolscope.findings.rules.healthy import Healthy
from poolscope.findings.rules.hidden_waits import HiddenWaits
from poolscope.findings.rules.late_timers import LateTimers
from poolscope.findings.rules.min_threads import MinThreadsWouldHelp, MinThreadsWouldHurt, WaitWouldMove
from poolscope.findings.rules.other_end import ClientSide, SlowService
from poolscope.findings.rules.own_code import OwnWork, ReaderHeld, SerialContinuations
from poolscope.findings.rules.standstill import ProcessStopped, RuntimeSuspended

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
