"""The measurements on each workload, and the goals."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from . import recorders
from .measure import ServiceWorkload, Workload
from .recorders import Recorder

RATE = 10_000

# With fewer pairs a goal is neither met nor missed.
LEAST_PAIRS = 10


@dataclass(frozen=True)
class Experiment:
    """A workload and the recorders that are compared on it. `main`: those with a goal, measured in every round; the
    others only in every second one, because no goal depends on them."""

    workload: Workload
    main: tuple[Recorder, ...]
    others: tuple[Recorder, ...] = ()

    def recorders_of(self, round_number: int) -> list[Recorder]:
        return [*self.main, *(self.others if round_number % 2 == 0 else ())]


FLOOD = Workload("flood", "trivial items, as many as the cores take", ("flood",))
FLOODS = [
    Workload(f"flood-{version}", f"the same items on .NET {version}", ("flood",), framework=f"net{version}.0")
    for version in (8, 10)
]
_NO_SPINNING = (("DOTNET_ThreadPool_UnfairSemaphoreSpinLimit", "0"),)
_PACED = ("paced", "--rate", str(RATE))
# An idle worker spins for up to a tenth of a millisecond before it sleeps. That is ten times an item's time here,
# varies from second to second, and a longer item takes its time from it. So the workload runs without spinning.
PACED = Workload(
    "paced",
    f"trivial items, {RATE:,} a second, workers that do not spin before they sleep",
    _PACED,
    environment=_NO_SPINNING,
)
PACED_SPINNING = Workload("paced-spinning", f"trivial items, {RATE:,} a second, the pool as it is by default", _PACED)
HANDOFF = Workload(
    "handoff", "one item at a time on one CPU, two switches and two wake-ups each", ("handoff",), one_cpu=True
)
TRICKLE = Workload(
    "trickle-v2", "40 items that sleep 500 ms on 20 threads", ("trickle-v2", "--count", "40"), whole=True
)

REQUESTS_RATE = 1000
_CONNECTIONS = 32
_AT_RATE = ("--rate", str(REQUESTS_RATE))
REQUESTS = ServiceWorkload(
    "requests",
    f"the bundled service without a fault, {REQUESTS_RATE:,} requests a second, queries of 1 ms, workers that do not spin",
    _AT_RATE,
    environment=_NO_SPINNING,
    item="request",
    patience=2.5,
)
REQUESTS_SPINNING = ServiceWorkload(
    "requests-spinning",
    f"the same service, {REQUESTS_RATE:,} requests a second, the pool as it is by default",
    _AT_RATE,
    item="request",
    patience=2.5,
)
REQUESTS_CLOSED = ServiceWorkload(
    "requests-closed",
    f"the same service, as many requests as {_CONNECTIONS} connections in a closed loop get answered",
    ("--connections", str(_CONNECTIONS)),
    item="request",
    patience=2.5,
)
SERVICES = [REQUESTS, REQUESTS_SPINNING, REQUESTS_CLOSED]

_EVERY_WAY = (*recorders.TIERS, *recorders.PARTS, recorders.PERF)

EXPERIMENTS = [
    Experiment(FLOOD, (recorders.DEFAULT, recorders.DOTNET_TRACE), _EVERY_WAY),
    *(Experiment(flood, (recorders.DEFAULT,), (recorders.RUNTIME_ONLY,)) for flood in FLOODS),
    Experiment(HANDOFF, (recorders.SCHEDULER, recorders.SCHEDULER_PLAIN, recorders.PERF)),
    Experiment(PACED, (recorders.DEFAULT,), (recorders.DOTNET_TRACE, recorders.PERF)),
    Experiment(
        PACED_SPINNING,
        (recorders.DEFAULT, recorders.TARGET_ONLY, *recorders.TIERS, recorders.SCHEDULER, recorders.SCHEDULER_PLAIN),
        (recorders.DOTNET_TRACE, recorders.PERF),
    ),
    Experiment(REQUESTS, (recorders.DEFAULT,), tuple(recorders.WEB)),
    Experiment(REQUESTS_SPINNING, (), (recorders.DEFAULT,)),
    Experiment(REQUESTS_CLOSED, (recorders.DEFAULT,), tuple(recorders.WEB)),
    Experiment(TRICKLE, (), (recorders.DEFAULT, recorders.DOTNET_TRACE, *_EVERY_WAY)),
]
BY_NAME = {experiment.workload.name: experiment for experiment in EXPERIMENTS}


class Measure(Enum):
    """The quantity that a goal limits. RATIO: multiple of the CPU time that `against` adds to an item. CORES: cores
    that the added time takes at RATE items a second. LOSS: lost share of the throughput."""

    RATIO = "ratio"
    CORES = "cores"
    LOSS = "loss"


@dataclass(frozen=True)
class Goal:
    """The cost of `recorder` on `workload`, by `measure`, is at most `limit`. `against` is set for RATIO."""

    name: str
    text: str
    workload: Workload
    recorder: Recorder
    against: Recorder | None
    limit: float
    measure: Measure = Measure.RATIO


GOALS = [
    Goal(
        "dotnet-trace",
        "the default capture adds at most a third of what dotnet-trace adds with the same providers and its stacks",
        FLOOD,
        recorders.DEFAULT,
        recorders.DOTNET_TRACE,
        1 / 3,
    ),
    Goal(
        "perf",
        "the scheduler stream adds at most 1.1 times what perf record adds",
        HANDOFF,
        recorders.SCHEDULER_PLAIN,
        recorders.PERF,
        1.1,
    ),
    Goal(
        "perf-silent",
        "the same on this machine, with what completes the records of silent tasks if it has any",
        HANDOFF,
        recorders.SCHEDULER,
        recorders.PERF,
        1.1,
    ),
    Goal(
        "rate",
        f"at {RATE:,} items a second the default capture adds at most 3 % of one core",
        PACED,
        recorders.DEFAULT,
        None,
        0.03,
        Measure.CORES,
    ),
    *(
        Goal(
            f"spinning-{recorder.name}",
            f"{name} adds at most 8 us an item, 8 % of a core, where workers spin",
            PACED_SPINNING,
            recorder,
            None,
            0.08,
            Measure.CORES,
        )
        for name, recorder in (
            ("the default capture", recorders.DEFAULT),
            ("a capture of tier `switch`", recorders.TIERS[0]),
            ("a capture of tier `schedstat`", recorders.TIERS[1]),
        )
    ),
    Goal(
        "requests",
        f"of {REQUESTS_RATE:,} requests a second the default capture costs at most 5 %",
        REQUESTS,
        recorders.DEFAULT,
        None,
        0.05,
        Measure.LOSS,
    ),
    Goal(
        "requests-closed",
        "of the most requests that the service can answer the default capture costs at most 5 %",
        REQUESTS_CLOSED,
        recorders.DEFAULT,
        None,
        0.05,
        Measure.LOSS,
    ),
]
