"""The scenarios. With these sizes, three runs of each change take about 20 minutes in total on 2 cores.

Maximum and minimum are changed together if the pool would otherwise grow by chance: hill climbing and the phase of the
gate thread make two runs of one setting differ, and only a larger error counts.
"""

from __future__ import annotations

from typing import Any

from .scenario import SERVICE, TRUTH, Change, Program, Scenario


def _run(*arguments: object, cpus: int | None = None) -> Program:
    return Program(tuple(str(a) for a in arguments), cpus=cpus)


def _serve(*arguments: object) -> Program:
    return Program(("--fault", *(str(a) for a in arguments)), name=SERVICE)


def _threads(threads: int, *arguments: object) -> Change:
    """Starts with as many threads as the maximum allows."""
    program = _run(*arguments, "--min-threads", threads, "--max-threads", threads)
    return Change(f"exactly {threads} threads", program, {"min_threads": threads, "max_threads": threads})


def _min(threads: int, program: Program) -> Change:
    more = Program((*program.arguments, "--min-threads", str(threads)), program.name, program.cpus)
    return Change(f"min {threads} threads", more, {"min_threads": threads})


def _async(program: Program, **asked: Any) -> Change:
    return Change("async", program, {"asynchronous": True, **asked}, figures=TRUTH)


def _load(factor: float, program: Program, **asked: Any) -> Change:
    return Change(f"load x {factor:g}", program, {"load": factor, **asked})


def _one_core(program: Program) -> Change:
    # The runtime takes its minimum from its CPUs; the minimum is given so that only the cores change.
    pinned = Program((*program.arguments, "--min-threads", "2"), program.name, cpus=1)
    return Change("1 core", pinned, {"cores": 1.0, "min_threads": 2})


_TRICKLE_V1 = ("trickle-v1", "--count", 120)
_TRICKLE_V2 = ("trickle-v2", "--count", 120)
_BATCH_10 = ("batch-block-10", "--count", 80)
_WAIT = ("wait-then-compute", "--count", 16, "--work-ms", 300)
_TICKET = ("ticket", "--count", 50)
_SPIN = ("spin", "--count", 24, "--work-ms", 150)
_HIDDEN = ("hidden-lock", "--count", 24)
_CHAIN = ("ticket", "--client", "http-result", "--count", 40, "--work-ms", 1000)
_SERVICE = ("--duration", 8, "--drain", 4)

SCENARIOS = (
    Scenario(
        "trickle-v1",
        _run(*_TRICKLE_V1),
        (
            _min(10, _run(*_TRICKLE_V1)),
            _threads(20, *_TRICKLE_V1),
            _threads(5, *_TRICKLE_V1),
            _async(_run("trickle-v3", "--count", 120, "--max-threads", 10)),
        ),
    ),
    Scenario(
        "trickle-v2",
        _run(*_TRICKLE_V2),
        (
            _threads(40, *_TRICKLE_V2),
            _threads(10, *_TRICKLE_V2),
            _load(2, _run("trickle-v2", "--count", 240, "--interval-ms", 5)),
        ),
    ),
    Scenario(
        "trickle-v3",
        _run("trickle-v3", "--count", 150),
        (
            _threads(4, "trickle-v3", "--count", 150),
            _load(2, _run("trickle-v3", "--count", 300, "--interval-ms", 5)),
            _load(5, _run("trickle-v3", "--count", 750, "--interval-ms", 2)),
        ),
    ),
    Scenario(
        "batch-block-10",
        _run(*_BATCH_10),
        (
            _min(10, _run(*_BATCH_10)),
            _threads(20, *_BATCH_10),
            _threads(5, *_BATCH_10),
            _async(_run("batch-async", "--count", 80)),
        ),
    ),
    Scenario(
        "batch-block-200",
        _run("batch-block-200"),
        (
            _threads(100, "batch-block-200"),
            _threads(400, "batch-block-200"),
            _load(2, _run("batch-block-200", "--count", 2000)),
        ),
    ),
    Scenario(
        "batch-async",
        _run("batch-async"),
        (
            _threads(2, "batch-async"),
            _threads(40, "batch-async"),
            _load(2, _run("batch-async", "--count", 2000)),
        ),
    ),
    Scenario(
        "barrier-default",
        _run("barrier-default", "--count", 60),
        (
            Change("LongRunning", _run("barrier-long-running", "--count", 60), {"dedicated": True}, figures=TRUTH),
            _min(60, _run("barrier-default", "--count", 60)),
            _min(50, _run("barrier-default", "--count", 60)),
            Change(
                "exactly 59 threads",
                # The workload has no maximum of its own; the runtime reads its knobs as hexadecimal.
                Program(
                    ("barrier-default", "--count", "60"),
                    environment=(
                        ("DOTNET_ThreadPool_ForceMinWorkerThreads", f"{59:X}"),
                        ("DOTNET_ThreadPool_ForceMaxWorkerThreads", f"{59:X}"),
                    ),
                ),
                {"min_threads": 59, "max_threads": 59},
                deadlock=True,
            ),
        ),
    ),
    Scenario(
        "wait-then-compute",
        _run(*_WAIT),
        (
            _threads(4, *_WAIT),
            _threads(200, *_WAIT),
            _async(_run(*_WAIT, "--leg", 3)),
        ),
    ),
    Scenario(
        "ticket",
        _run(*_TICKET),
        (
            _min(10, _run(*_TICKET)),
            _min(20, _run(*_TICKET)),
            _min(50, _run(*_TICKET)),
            _async(_run(*_TICKET, "--client", "async")),
        ),
    ),
    Scenario(
        "spin-2",
        _run(*_SPIN),
        (
            _min(4, _run(*_SPIN)),
            _min(8, _run(*_SPIN)),
            _min(24, _run(*_SPIN)),
            _one_core(_run(*_SPIN)),
        ),
    ),
    Scenario(
        "spin-16",
        _run(*_SPIN, "--min-threads", 16),
        (
            _threads(2, *_SPIN),
            _threads(4, *_SPIN),
            _threads(8, *_SPIN),
        ),
    ),
    Scenario(
        "lock-convoy",
        _run("lock-convoy", "--min-threads", 2),
        (
            _min(10, _run("lock-convoy")),
            _min(50, _run("lock-convoy")),
            _min(200, _run("lock-convoy")),
        ),
    ),
    Scenario(
        "hidden-lock",
        _run(*_HIDDEN),
        (
            _threads(4, *_HIDDEN),
            _threads(8, *_HIDDEN),
            _threads(24, *_HIDDEN),
        ),
    ),
    Scenario(
        "sync-over-async",
        _run(*_CHAIN),
        (
            _min(10, _run(*_CHAIN)),
            _min(20, _run(*_CHAIN)),
            _min(40, _run(*_CHAIN)),
            # The chain's items are the calls and those of the client's sockets, awaited or not.
            Change("async", _run("ticket", "--client", "async", *_CHAIN[3:]), {"asynchronous": True}),
        ),
    ),
    Scenario(
        "service-30",
        _serve("sync", "--rate", 30, *_SERVICE),
        (
            _min(8, _serve("sync", "--rate", 30, *_SERVICE)),
            _min(16, _serve("sync", "--rate", 30, *_SERVICE)),
            Change(
                "load x 2 on min 32 threads",
                _serve("sync", "--rate", 60, *_SERVICE, "--min-threads", 32),
                {"load": 2.0, "min_threads": 32},
            ),
        ),
    ),
    Scenario(
        "service-60",
        _serve("sync", "--rate", 60, *_SERVICE),
        (
            _min(10, _serve("sync", "--rate", 60, *_SERVICE)),
            _min(16, _serve("sync", "--rate", 60, *_SERVICE)),
            _min(32, _serve("sync", "--rate", 60, *_SERVICE)),
        ),
    ),
)
BY_NAME = {scenario.name: scenario for scenario in SCENARIOS}
