"""Answers the caller's own questions: given settings, a sweep of given minimums, or the default set if nothing is
given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from poolscope.attribution import Attribution
from poolscope.base.arrays import BoolArray
from poolscope.base.errors import InvalidArgument
from poolscope.base.limits import SEED
from poolscope.capture import DecodedCapture
from poolscope.whatif.explore import ASKED, WhatIf, answer, explore, minimum
from poolscope.whatif.predict import REPLICATIONS, Predictor, Progress
from poolscope.whatif.prediction import Prediction
from poolscope.whatif.setting import UNRECORDED, Setting, words_of
from poolscope.whatif.sweep import budget_for


def predict(
    capture: DecodedCapture,
    attribution: Attribution,
    settings: Sequence[Setting],
    replications: int = REPLICATIONS,
    seed: int = SEED,
) -> list[Prediction]:
    """Returns one prediction for each setting, in order.

    Raises InsufficientEvidence for a capture without items or without a kernel stream, InvalidArgument for a setting
    that contradicts itself or the captured one.
    """
    return Predictor(capture, attribution, replications, seed).predict(settings)


def ask(
    capture: DecodedCapture,
    attribution: Attribution,
    base: Setting = Setting(""),
    minimums: Sequence[int] = (),
    target_p99_ms: float | None = None,
    replications: int | None = None,
    seed: int = SEED,
    progress: Progress | None = None,
    of: BoolArray | None = None,
) -> WhatIf:
    """Returns the captured work under `base`, with each of `minimums` (ascending) as its minimum of threads, if any.

    `base` carries no label and no minimum of its own. If both are empty, returns the default set. `of` is that of
    `explore`. Raises InvalidArgument for a setting that contradicts itself or the captured one, or a target without
    minimums to choose from. Raises InsufficientEvidence for a capture without items or without a kernel stream.
    """
    if base == Setting("") and not minimums:
        return explore(capture, attribution, replications, seed, progress, target_p99_ms, of)
    if target_p99_ms is not None and len(minimums) < 2:
        raise InvalidArgument(
            "a target for the p99 wait needs several min threads to choose from: give more than one, or no other setting"
        )
    if target_p99_ms is not None and base.unrecorded:
        raise InvalidArgument("a target for the p99 wait applies to the run as it was recorded: leave out --unrecorded")
    sweep, others = _asked(base, minimums)
    predictor = Predictor(capture, attribution, REPLICATIONS, seed, of)
    # The same number of runs as the default set, so that one setting has one figure for every caller.
    predictor.replications = budget_for(predictor.workload, replications).replications
    for setting in (*sweep, *(s for _, s in others)):
        predictor.check(setting)
    return answer(predictor, sweep, others, progress=progress, target_p99_ms=target_p99_ms)


def _asked(base: Setting, minimums: Sequence[int]) -> tuple[list[Setting], list[tuple[str, Setting]]]:
    """Returns the sweep, or the single setting that `base` describes."""
    changed = _label(base)
    if not minimums:
        return [], [(ASKED, replace(base, label=changed))]
    sweep = [minimum(n, base) for n in minimums]
    return [replace(s, label=f"{s.label}, {changed}" if changed else s.label) for s in sweep], []


def _label(setting: Setting) -> str:
    said = [
        setting.policy,
        f"max {setting.max_threads:,}" if setting.max_threads is not None else None,
        f"{setting.cores:g} core{'' if setting.cores == 1 else 's'}" if setting.cores is not None else None,
        "async" if setting.asynchronous else None,
        "dedicated threads" if setting.dedicated else None,
        f"{setting.load:g} times the load" if setting.load != 1.0 else None,
        words_of(setting.faster) or None,
        UNRECORDED if setting.unrecorded else None,
    ]
    return ", ".join(s for s in said if s)
