"""Every experiment, section by section, with its published figure."""

from __future__ import annotations

from seeds.outcome import Outcome
from seeds.row import Alternative, Figure, Published, Row


def _latency_s(statistic: str) -> Figure:
    return lambda run: run.latency(statistic) / 1000


def _latency_ms(statistic: str) -> Figure:
    return lambda run: run.latency(statistic)


def _measured(name: str, scale: float = 1) -> Figure:
    return lambda run: run.figure(name) * scale


def _elapsed_s(run: Outcome) -> float:
    return run.elapsed_s


_SYMPTOM = Alternative(
    "injection-delay",
    "a late timer is a symptom and never the verdict; it waited, as the counters did, for a pool that grows too slowly",
)
_CROWD = Alternative(
    "oversubscribed",
    "no item waits for a thread, but ten counters share two cores and end later than two at a time would",
)
_UNSEEN = Alternative(
    "no-work",
    "threads made with new Thread are neither items nor tasks: nothing was queued whose start could be judged",
)
_IN_TURN = Alternative(
    "gate-suppressed-by-progress",
    "where the items happen to end in turn it says why the pool was slow to add threads; the advice is that of injection-delay",
)
_CAP = "--min-threads 10"

LARGE_QUEUE = [
    Row("ticket", Published("8 minutes until an item starts", 480, "s"), _latency_s("max"), expected="client socket"),
    Row("ticket", Published("", None, "s"), _latency_s("max"), "http-send", ("--client", "http-send"), "client http-send or http-result"),
    Row("ticket", Published("", None, "s"), _latency_s("max"), "http-result", ("--client", "http-result"), "client http-send or http-result"),
    Row("ticket", Published("", None, "s"), _latency_s("max"), "async", ("--client", "async"), "client async"),
    Row("batch-block-10", Published("over 2 minutes mean", 120, "s"), _latency_s("mean"), "", tuple(_CAP.split()), _CAP),
    Row("batch-block-200", Published("4 s mean", 4, "s"), _latency_s("mean"), expected="--min-threads 200"),
    Row("batch-async", Published("0.0005 ms mean", 0.0005, "ms"), _latency_ms("mean")),
    Row("batch-async-2", Published("1000 items in about 1 s", 1, "s"), _elapsed_s),
    Row("trickle-v1", Published("about 32 s mean", 32, "s"), _latency_s("mean"), expected="default minimum"),
    Row("trickle-v1", Published("", None, "s"), _latency_s("mean"), "min=max", tuple(_CAP.split()), _CAP),
    Row("trickle-v2", Published("about 5 s mean", 5, "s"), _latency_s("mean")),
    Row("trickle-v3", Published("too small to measure", None, "ms"), _latency_ms("mean")),
    Row("wait-then-compute", Published("about 50 s in all", 50, "s"), _measured("total", 1e-3), "", ("--leg", "1"), "leg 1"),
    Row("wait-then-compute", Published("not published, about 25 s", 25, "s"), _measured("total", 1e-3), "200-threads", ("--leg", "2"), "legs 2 and 3"),
    Row("wait-then-compute", Published("about 25 s in all", 25, "s"), _measured("total", 1e-3), "async", ("--leg", "3"), "legs 2 and 3"),
    Row("cashiers", Published("a lot more overhead", None, "s"), _elapsed_s, expected="a thread for each"),
    Row("cashiers", Published("", None, "s"), _elapsed_s, "few-threads", ("--min-threads", "2", "--max-threads", "2"), "as many threads as cores"),
    Row("long-running", Published("all start at once", None, "s"), _latency_s("max")),
]  # fmt: skip

BEHIND_THE_SCENES = [
    Row("count-single", Published("10,277,633 in 1 s", 10_277_633, "increments/s"), _measured("count")),
    Row("count-thread-each", Published("11 in 1 s", 11, "increments/s"), _measured("count"), "", ("--leg", "1")),
    Row("count-thread-each", Published("670 in 1 s", 670, "increments/s"), _measured("count"), "join", ("--leg", "2")),
    Row("count-threads-10", Published("9,515,345 in 1 s", 9_515_345, "increments/s"), _measured("count")),
    Row("count-pool-10", Published("about 30 s instead of 1 s", 30, "s"), _elapsed_s, expected="--pool runtime"),
    Row("count-pool-10", Published("about 30 s instead of 1 s", 30, "s"), _elapsed_s, "rotor", ("--pool", "rotor"), "--pool rotor", _SYMPTOM),
    Row("count-reference-10", Published("9,647,589 in 1 s", 9_647_589, "increments/s"), _measured("count"), alternative=_CROWD),
    Row("rotor-growth", Published("5.4 s to the 25th thread", 5.4, "s"), _measured("longest gap", 1e-3)),
]  # fmt: skip

WORKER_THREADS = [
    Row(
        "create-threads-100", Published("2.2 ms a thread", 2.2, "ms"), _measured("ms to schedule"), alternative=_UNSEEN
    ),
    Row("schedule-pool-100", Published("0.147 ms an item", 0.147, "ms"), _measured("ms to schedule")),
    Row("schedule-pool-100-min", Published("just over 5 s in all", 5, "s"), _measured("total", 1e-3)),
    Row("injection-interval", Published("951.57 ms a thread", 951.57, "ms"), _measured("mean gap")),
]

OVERSUBSCRIBE = [
    Row("barrier-default", Published("988.011 s for 1000 tasks", 988.011, "s"), _measured("all started by", 1e-3)),
    Row("barrier-long-running", Published("done at 0.316 s", 0.316, "s"), _elapsed_s),
]

BACKOFF = [
    Row("table-net11", Published("the baseline", None, "s"), _measured("total", 1e-3)),
    Row("table-net35", Published("about twice as slow", None, "s"), _measured("total", 1e-3)),
    Row("table-modern", Published("", None, "s"), _measured("total", 1e-3), alternative=_IN_TURN),
]

FAULTS = [
    Row("lock-convoy", Published("", None, "ms"), _latency_ms("mean"), expected="guard lock or monitor"),
] + [
    Row(name, Published("", None, "ms"), _latency_ms("mean"))
    for name in (
        "spin", "noisy-neighbour", "cgroup-throttled", "gc-pauses", "hidden-lock", "steady-progress",
        "spinner-and-short",
    )
]  # fmt: skip

SECTIONS = {
    "A large queue of long-running work items (R. Chen)": LARGE_QUEUE,
    ".NET's ThreadPool class - behind the scenes (M. Clifton, 2003)": BEHIND_THE_SCENES,
    ".NET thread-pool threads and CLR worker threads (C. Fu, 2016)": WORKER_THREADS,
    "Oversubscribe now! (RunTasks)": OVERSUBSCRIBE,
    ".NET 3.5 brings major (undocumented) changes to ThreadPool (M. Kennedy, 2008)": BACKOFF,
    "Faults beyond the published experiments": [*FAULTS, Row("idle", Published("", None, "ms"), _elapsed_s)],
}
"""In the order of the runs and of the page."""

ROWS = [row for rows in SECTIONS.values() for row in rows]
