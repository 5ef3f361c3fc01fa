"""From a setting to the policy that the simulator runs."""

from __future__ import annotations

import numpy as np

from poolscope.base.series import Steps
from poolscope.replay.policies import Dedicated, Fixed, Instant, Net, Net4x, Net11, Net35, Policy, Rotor
from poolscope.whatif.captured import Captured
from poolscope.whatif.setting import Setting

_REFERENCE: dict[str, type[Net11] | type[Net35] | type[Rotor]] = {"net11": Net11, "net35": Net35, "rotor": Rotor}
_RUNTIME: dict[str, type[Net] | type[Net4x]] = {"net": Net, "net4x": Net4x}
_BY_RULE_ALONE = ("fixed", "instant")
"""Nothing is drawn in them: no gate whose phase is by chance, no hill climbing."""


def is_random(setting: Setting, captured: Captured) -> bool:
    """Returns whether two seeds can differ: in the pool, or in which arrivals are repeated."""
    by_rule = setting.dedicated or (setting.policy or captured.policy) in _BY_RULE_ALONE
    return setting.load != 1.0 or not by_rule


def make_policy(setting: Setting, captured: Captured) -> Policy:
    """Returns the policy of a setting that `check` lets pass. What it leaves open is as captured; another pool than the captured
    one keeps its own maximum where that is lower, as the reference pools of the workloads do."""
    if setting.dedicated:
        return Dedicated()
    name = setting.policy or captured.policy
    holding = not setting.asynchronous
    processors = captured.processors if setting.cores is None else max(int(np.ceil(setting.cores)), 1)
    minimum, maximum = limits(setting, captured)
    if name == "fixed":
        # The captured pool has as many threads as its maximum; another one is made a fixed one of its minimum.
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


def limits(setting: Setting, captured: Captured) -> tuple[Steps, Steps]:
    """Returns minimum and maximum of threads over time. A limit of the setting holds at all times; where the other,
    captured one contradicts it, the captured one gives way."""
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
