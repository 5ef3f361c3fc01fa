"""Every rule, in the order in which a page lists those that pass."""

from poolscope.findings.rule import Rule
from poolscope.findings.rules.blocked_at_cap import BlockedAtCap
from poolscope.findings.rules.cgroup_throttled import CgroupThrottled
from poolscope.findings.rules.core_contention import CoreContention
from poolscope.findings.rules.coverage_low import CoverageLow
from poolscope.findings.rules.healthy import Healthy
from poolscope.findings.rules.hidden_waits import HiddenWaits
from poolscope.findings.rules.injection_delay import InjectionDelay
from poolscope.findings.rules.lock_convoy import LockConvoy
from poolscope.findings.rules.noisy_neighbour import NoisyNeighbour

RULES: tuple[Rule, ...] = (
    InjectionDelay(),
    BlockedAtCap(),
    CoreContention(),
    NoisyNeighbour(),
    CgroupThrottled(),
    LockConvoy(),
    HiddenWaits(),
    CoverageLow(),
    Healthy(),
)

__all__ = ["RULES"]
