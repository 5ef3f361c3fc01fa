"""The advice of the sweep of minimum threads, judged by when items end, not by when they start; and the place of a wait
that more threads only move."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from poolscope.base.finite import finite
from poolscope.base.series import Steps
from poolscope.base.words import duration, or_never, predicted
from poolscope.contract.analysis_json import WhatIfAdviceJson
from poolscope.replay.simulate import simulate
from poolscope.replay.workload import Op, Workload
from poolscope.whatif.predict import Predictor
from poolscope.whatif.prediction import MEAN, REQUESTS, Prediction, statistics
from poolscope.whatif.setting import Setting
from poolscope.whatif.sweep import WITHIN, fewest, threads_of

HELP, HURT, MOVE = "min-threads-would-help", "min-threads-would-hurt", "wait-would-move"
"""Ids of the rules that report the same as findings."""
MISSED = "target-missed"
SAID = (HELP, HURT, MOVE, MISSED)
"""Judgements that are reported. The others only say why a minimum is not advised."""
UNKNOWN = "\N{EN DASH}"
TAKEN, LITTLE, SERVES = "taken", "little", "serves"
"""The gain comes only from other processes; the gain is too small; items do not gain, but requests do."""

NOTABLE = 0.10
"""A share of the mean delay. A gain or loss of less than a tenth is within the simulator's own error."""
NOTABLE_MS = 5.0
"""The least gain or loss that matters, a time slice or two."""
UNMOVED = 0.5
"""A share of the fall of the wait. If the delay falls by less than half of it, most of the wait only moved."""


@dataclass(frozen=True)
class Advice:
    """One sentence about the minimum of threads with its figures: means like Prediction.delay_ms, ms."""

    id: str
    """One of SAID, TAKEN, LITTLE or SERVES."""
    text: str
    """Empty if it is not reported."""
    min_threads: int
    """The minimum in question."""
    delay_ms: float
    """The measured mean."""
    delay_after_ms: float
    """The predicted mean: the figure of the fix with this minimum."""
    p99_after_ms: float
    """The p99 of the wait, simulated."""
    end_ms: float
    """When the last item ends, from the start of the capture, simulated."""
    end_after_ms: float
    goes_to: str | None = None
    """lock, cores or item: the place of a wait that would only move. None if unknown, or if it does not move."""

    def to_json(self) -> WhatIfAdviceJson:
        return {
            "id": self.id,
            "text": self.text,
            "min_threads": self.min_threads,
            "delay_ms": finite(self.delay_ms),
            "delay_after_ms": finite(self.delay_after_ms),
            "p99_after_ms": finite(self.p99_after_ms),
            "end_ms": finite(self.end_ms),
            "end_after_ms": finite(self.end_after_ms),
            "goes_to": self.goes_to,
        }


def judge_minimums(
    predictor: Predictor,
    present: Prediction,
    sweep: Sequence[Prediction],
    knee: Prediction | None,
    at: Callable[[int], Prediction],
    target_p99_ms: float | None = None,
) -> list[Advice]:
    """Returns judgements on more threads and on fewer, at most one of each kind.

    There is always one on more threads if the sweep has any. `sweep` is in order of threads; `at` predicts further
    points of it. With a target, the minimum is the fewest threads whose p99 wait meets it; without one, it is the knee.
    """
    now = predictor.captured.min_threads
    made: list[Advice] = []
    chosen = knee
    if target_p99_ms is not None:
        target = target_p99_ms
        chosen = fewest(sweep, lambda p: p.wait_ms["p99"] <= target and not p.deadlock, at)
        if chosen is None:
            best = min(sweep, key=lambda p: p.wait_ms["p99"])
            text = (
                f"No minimum of threads meets a p99 wait of {duration(target)}: the least is "
                f"{or_never(best.wait_ms['p99'])}, with {threads_of(best):,}."
            )
            made.append(_advice(MISSED, text, present, best))
    helps = chosen is not None and threads_of(chosen) > now and gains(present, chosen)
    if chosen is not None and helps and not takes(predictor, chosen):
        made.append(_help(present, chosen, target_p99_ms))
        return made
    more = [p for p in sweep if threads_of(p) > now]
    if more and (present.of == REQUESTS or not predictor.adds_work):  # else a longer delay is no loss
        # The wait calls for more threads: take the fewest that bring it close to its least.
        least = min(p.wait_ms["mean"] for p in more)
        enough = least + max(WITHIN * present.wait_ms["mean"], 1.0)
        eager = chosen if target_p99_ms is not None and chosen in more else None
        eager = eager or next(p for p in more if p.wait_ms["mean"] <= enough)
        if not gains(present, eager) and serves_sooner(present, eager):
            made.append(_advice(SERVES, "", present, eager))
        elif gains(eager, present):
            made.append(_hurt(predictor, present, eager))
        elif moves(present, eager):
            made.append(_move(predictor, present, eager))
        elif chosen is not None and helps:
            made.append(_advice(TAKEN, "", present, chosen))
        else:
            made.append(_advice(LITTLE, "", present, eager))
    if knee is not None and threads_of(knee) < now and gains(present, knee):
        made.append(_lower(present, knee))
    return made


def advise(
    predictor: Predictor,
    present: Prediction,
    sweep: Sequence[Prediction],
    knee: Prediction | None,
    at: Callable[[int], Prediction],
    target_p99_ms: float | None = None,
) -> list[Advice]:
    """Returns the advice of `judge_minimums` that is reported."""
    return [a for a in judge_minimums(predictor, present, sweep, knee, at, target_p99_ms) if a.id in SAID]


def notable(before_ms: float, after_ms: float) -> bool:
    """Returns whether a fall of a mean delay, or of a mean latency, is large enough to notice."""
    return before_ms - after_ms >= max(NOTABLE * before_ms, NOTABLE_MS)


def gains(before: Prediction, after: Prediction) -> bool:
    """Returns whether items end, or requests are answered, notably earlier, beyond the effect of chance on either."""
    if after.deadlock:
        return False
    if before.deadlock:
        return True
    return after.delay_high_ms < before.delay_low_ms and notable(before.delay_ms, after.delay_ms)


def serves_sooner(before: Prediction, after: Prediction) -> bool:
    """Returns whether requests are answered notably sooner in the simulation of both. False if requests are not
    predicted, or if settings are judged by them."""
    if before.of == REQUESTS or before.requests is None or after.requests is None:
        return False
    return notable(before.requests.latency_ms["mean"], after.requests.latency_ms["mean"])


def takes(predictor: Predictor, chosen: Prediction) -> bool:
    """Returns whether the gain comes only from neighbours.

    More runnable threads get a larger share of cores that others also want. With the cores that the items really had,
    nothing notable of such a gain remains.
    """
    before = predictor.on_own_cores(predictor.same_work)
    after = predictor.on_own_cores(chosen.setting)
    return not before.deadlock and not notable(predictor.compared(before), predictor.compared(after))


def moves(before: Prediction, after: Prediction) -> bool:
    """Returns whether the wait falls notably, but items end hardly earlier."""
    fall = before.wait_ms["mean"] - after.wait_ms["mean"]
    gain = before.delay_ms - after.delay_ms
    return fall >= max(NOTABLE * before.delay_ms, NOTABLE_MS) and gain < UNMOVED * fall


def figure_of(prediction: Prediction) -> str:
    """Returns the predicted mean in words, or a dash if requests are not predicted with this setting."""
    p = prediction
    if math.isnan(p.delay_ms):
        return UNKNOWN
    return predicted(p.delay_ms, p.delay_low_ms, p.delay_high_ms, p.lower_bound)


def _help(present: Prediction, chosen: Prediction, target_p99_ms: float | None) -> Advice:
    meets = "" if target_p99_ms is None else f"; the p99 wait then meets the target of {duration(target_p99_ms)}"
    text = (
        f"Set the minimum of threads to {threads_of(chosen):,} (System.Threading.ThreadPool.MinThreads, or "
        f"ThreadPool.SetMinThreads). {_figures(present, chosen)}{meets}."
    )
    if chosen.lower_bound:
        text += (
            " This is a lower bound: the simulation does not know locks and services that no item queued for in this "
            "run, nor the remaining work of items that had not ended."
        )
    return _advice(HELP, text, present, chosen)


def _hurt(predictor: Predictor, present: Prediction, eager: Prediction) -> Advice:
    place = where_it_goes(predictor, eager.setting)
    who = "Items" if present.of == REQUESTS else "They"
    instead = f" {who} start sooner, and then wait {PLACES[place]}." if place else ""
    text = (
        f"Do not raise the minimum of threads: with {threads_of(eager):,} {_later(present)}. "
        f"{_figures(present, eager)}.{instead}"
    )
    return _advice(HURT, text, present, eager, place)


def _lower(present: Prediction, knee: Prediction) -> Advice:
    text = f"The minimum of threads is too high: lower it to {threads_of(knee):,}. {_figures(present, knee)}."
    return _advice(HURT, text, present, knee)


def _move(predictor: Predictor, present: Prediction, eager: Prediction) -> Advice:
    place = where_it_goes(predictor, eager.setting)
    instead = f"then wait {PLACES[place]}" if place else "then lose as much after their start"
    text = (
        f"More threads only move the wait: with a minimum of {threads_of(eager):,} items start sooner, and {instead}. "
        f"{_figures(present, eager)}."
    )
    return _advice(MOVE, text, present, eager, place)


def _later(present: Prediction) -> str:
    return "requests are answered later" if present.of == REQUESTS else "items end later"


def _advice(id: str, text: str, present: Prediction, chosen: Prediction, goes_to: str | None = None) -> Advice:
    return Advice(
        id=id,
        text=text,
        min_threads=threads_of(chosen),
        delay_ms=present.delay_ms,
        delay_after_ms=chosen.delay_ms,
        p99_after_ms=chosen.wait_ms["p99"],
        end_ms=present.end_ms,
        end_after_ms=chosen.end_ms,
        goes_to=goes_to,
    )


def _figures(present: Prediction, chosen: Prediction) -> str:
    return f"Predicted {MEAN[present.of]}: {figure_of(chosen)}, measured {or_never(present.delay_ms)}"


LOCK, CORES, ITEM = "lock", "cores", "item"
PLACES = {
    LOCK: "for a lock that one item at a time can hold",
    CORES: "for a core",
    ITEM: "for another item",
}
"""What items would wait for after their start instead."""
MOST = 0.5
"""A share of what an item loses after its start. An obstacle that accounts for less is not the place of the wait."""


def where_it_goes(predictor: Predictor, setting: Setting) -> str | None:
    """Returns LOCK, CORES or ITEM. None if nothing notable is lost after the start.

    Runs one replication of each world, because only the larger part matters, not its size.
    """
    seed = predictor.seed
    workload = predictor.workload
    lost = _lost(predictor, setting, workload, seed)
    if lost <= 0:
        return None
    spared = {CORES: lost - _lost(predictor, setting, workload, seed, free_cores=True)}
    if workload.locks:
        spared[LOCK] = lost - _lost(predictor, setting, without_locks(workload), seed)
    place = max(spared, key=lambda name: spared[name])
    if spared[place] >= MOST * lost:
        return place
    waits = workload.program.does((Op.WAIT, Op.TASK_WAIT)).any()
    return ITEM if waits else None


def without_locks(workload: Workload) -> Workload:
    """Returns the same workload without its locks."""
    program = workload.program
    locked = program.does((Op.ACQUIRE, Op.RELEASE))
    # Replaced by computing for no time, so that no index changes.
    op = np.where(locked, Op.CPU, program.op).astype(program.op.dtype)
    value = np.where(locked, 0.0, program.value)
    target = np.where(locked, -1, program.target)
    return replace(workload, program=replace(program, op=op, value=value, target=target), locks=0)


def _lost(predictor: Predictor, setting: Setting, workload: Workload, seed: int, free_cores: bool = False) -> float:
    """Returns the mean time from start to end beyond the items' own demand, ms."""
    world = predictor.world(setting, seed)
    if free_cores:
        world = replace(world, cores=Steps.constant(np.inf), competitors=Steps.constant(0.0))
    outcome = simulate(workload, world)
    own = predictor.own & np.isfinite(outcome.end)
    took = outcome.end[own] - outcome.start[own] - predictor.workload.demand[own]
    return statistics(took)["mean"] if len(took) else 0.0
