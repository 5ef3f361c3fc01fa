"""What the sweep of minimum threads advises, judged by when items end, not by when they start."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from poolscope.words import duration
from poolscope.whatif.moved import PLACES, where_it_goes
from poolscope.whatif.predict import Prediction, Predictor
from poolscope.whatif.setting import AS_CAPTURED
from poolscope.whatif.sweep import WITHIN, fewest, threads_of

HELP, HURT, MOVE = "min-threads-would-help", "min-threads-would-hurt", "wait-would-move"
"""Ids of the rules that say the same as findings."""

NOTABLE = 0.10
"""Of the mean completion: a gain, or a loss, of less than a tenth is within the simulator's own error."""
NOTABLE_MS = 5.0
"""And of less than this nobody is late: a time slice or two."""
UNMOVED = 0.5
"""Of the fall of the wait: where less than half of it is left as a fall of the completion, most of it only moved."""


@dataclass(frozen=True)
class Advice:
    """One sentence of advice with the figures that it rests on: means per item, ms."""

    id: str
    """min-threads-would-help, min-threads-would-hurt, wait-would-move, or target-missed."""
    text: str
    min_threads: int
    """The minimum that it is about."""
    wait_ms: float
    """With the captured settings, simulated."""
    wait_after_ms: float
    p99_after_ms: float
    completion_ms: float
    completion_after_ms: float
    end_ms: float
    """When the last item ends, from the start of the capture."""
    end_after_ms: float
    goes_to: str | None = None
    """lock, cores or item: where a wait goes that would only move; None: not known, or it does not."""

    def to_json(self) -> dict[str, Any]:
        return {key: _number(value) for key, value in asdict(self).items()}


def _number(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 6) if np.isfinite(value) else None
    return value


def advise(
    predictor: Predictor,
    present: Prediction,
    sweep: Sequence[Prediction],
    knee: Prediction | None,
    at: Callable[[int], Prediction],
    target_p99_ms: float | None = None,
) -> list[Advice]:
    """At most one piece of each kind. `sweep` is in order of threads, `at` predicts further points of it; with a target
    the minimum that is looked for is the fewest threads whose p99 wait meets it, else the knee."""
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
                f"{_said(best.wait_ms['p99'])}, with {threads_of(best):,}."
            )
            made.append(_advice("target-missed", text, present, best))
    if chosen is not None and threads_of(chosen) > now and gains(present, chosen) and not takes(predictor, chosen):
        made.append(_help(present, chosen, target_p99_ms))
        return made
    more = [p for p in sweep if threads_of(p) > now]
    if more:
        # More threads are asked for because of the wait: the fewest that bring it to where it can be brought.
        least = min(p.wait_ms["mean"] for p in more)
        enough = least + max(WITHIN * present.wait_ms["mean"], 1.0)
        eager = chosen if target_p99_ms is not None and chosen in more else None
        eager = eager or next(p for p in more if p.wait_ms["mean"] <= enough)
        if gains(eager, present):
            made.append(_hurt(predictor, present, eager))
        elif moves(present, eager):
            made.append(_move(predictor, present, eager))
    if knee is not None and threads_of(knee) < now and gains(present, knee):
        made.append(_lower(present, knee))
    return made


def gains(before: Prediction, after: Prediction) -> bool:
    """Whether items end notably earlier, beyond what chance does to either."""
    if after.deadlock:
        return False
    if before.deadlock:
        return True
    gain = before.completion_ms["mean"] - after.completion_ms["mean"]
    beyond_chance = after.completion_high_ms < before.completion_low_ms
    return beyond_chance and gain >= max(NOTABLE * before.completion_ms["mean"], NOTABLE_MS)


def takes(predictor: Predictor, chosen: Prediction) -> bool:
    """Whether the gain is only taken from neighbours: more runnable threads get more of cores that others want, too. With
    the cores that the items really had nothing notable is left of it."""
    before = predictor.on_own_cores(AS_CAPTURED)
    after = predictor.on_own_cores(chosen.setting)
    if before.deadlock:
        return False
    gain = before.completion_ms["mean"] - after.completion_ms["mean"]
    return gain < max(NOTABLE * before.completion_ms["mean"], NOTABLE_MS)


def moves(before: Prediction, after: Prediction) -> bool:
    """Whether the wait falls notably, and items end hardly earlier for it."""
    fall = before.wait_ms["mean"] - after.wait_ms["mean"]
    gain = before.completion_ms["mean"] - after.completion_ms["mean"]
    return fall >= max(NOTABLE * before.completion_ms["mean"], NOTABLE_MS) and gain < UNMOVED * fall


def _help(present: Prediction, chosen: Prediction, target_p99_ms: float | None) -> Advice:
    meets = "" if target_p99_ms is None else f", which meets the p99 target of {duration(target_p99_ms)}"
    threads = threads_of(chosen)
    text = (
        f"Set the minimum of threads to {threads:,}: the mean wait falls from {_said(present.wait_ms['mean'])} to "
        f"{_said(chosen.wait_ms['mean'])} (p99 {_said(chosen.wait_ms['p99'])}{meets}), and items take "
        f"{_said(chosen.completion_ms['mean'])} from enqueue to end instead of {_said(present.completion_ms['mean'])}."
    )
    if chosen.lower_bound:
        text += " Lower bounds: locks and services that nothing queued for in this run are invisible to the simulation."
    return _advice(HELP, text, present, chosen)


def _hurt(predictor: Predictor, present: Prediction, eager: Prediction) -> Advice:
    place = where_it_goes(predictor, eager.setting)
    instead = f": started items wait {PLACES[place]}" if place else ""
    text = (
        f"Do not raise the minimum of threads: with {threads_of(eager):,} items start after "
        f"{_said(eager.wait_ms['mean'])} instead of {_said(present.wait_ms['mean'])}, but take "
        f"{_said(eager.completion_ms['mean'])} from enqueue to end instead of {_said(present.completion_ms['mean'])}{instead}."
    )
    return _advice(HURT, text, present, eager, place)


def _lower(present: Prediction, knee: Prediction) -> Advice:
    text = (
        f"The minimum of threads is too high: with {threads_of(knee):,} items take {_said(knee.completion_ms['mean'])} from "
        f"enqueue to end instead of {_said(present.completion_ms['mean'])}."
    )
    return _advice(HURT, text, present, knee)


def _move(predictor: Predictor, present: Prediction, eager: Prediction) -> Advice:
    place = where_it_goes(predictor, eager.setting)
    instead = f"then wait {PLACES[place]}" if place else "then lose as much after their start"
    ends = (
        f"still ends {_said(eager.end_ms)} into the capture"
        if _said(eager.end_ms) == _said(present.end_ms)
        else f"ends {_said(eager.end_ms)} into the capture instead of {_said(present.end_ms)}"
    )
    text = (
        f"More threads only move the wait: with a minimum of {threads_of(eager):,} items start after "
        f"{_said(eager.wait_ms['mean'])} instead of {_said(present.wait_ms['mean'])}, and {instead}. They take "
        f"{_said(eager.completion_ms['mean'])} from enqueue to end instead of {_said(present.completion_ms['mean'])}, and "
        f"the last one {ends}."
    )
    return _advice(MOVE, text, present, eager, place)


def _advice(id: str, text: str, present: Prediction, chosen: Prediction, goes_to: str | None = None) -> Advice:
    return Advice(
        id=id,
        text=text,
        min_threads=threads_of(chosen),
        wait_ms=present.wait_ms["mean"],
        wait_after_ms=chosen.wait_ms["mean"],
        p99_after_ms=chosen.wait_ms["p99"],
        completion_ms=present.completion_ms["mean"],
        completion_after_ms=chosen.completion_ms["mean"],
        end_ms=present.end_ms,
        end_after_ms=chosen.end_ms,
        goes_to=goes_to,
    )


def _said(ms: float) -> str:
    """A duration, of which inf is a deadlock and zero has no unit."""
    return "never" if not np.isfinite(ms) else duration(ms) if ms > 0 else "0"
