"""The list of fixes, made once per capture, and the only source of predicted fixes anywhere.

Each fix has one figure to compare with the measured one. It is the mean latency of the requests if these are predicted
and were late, otherwise the mean delay of the items (enqueue to end, minus the item's own demand). Rules, page,
Markdown, CLI and JSON all read this list, so no two places can differ.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import cast

import numpy as np

from poolscope.base.finite import finite
from poolscope.base.words import duration, predicted
from poolscope.contract.analysis_json import FixJson
from poolscope.whatif.advice import (
    HELP,
    HURT,
    LITTLE,
    MISSED,
    MOVE,
    NOTABLE,
    NOTABLE_MS,
    PLACES,
    SERVES,
    TAKEN,
    Advice,
    gains,
    notable,
    serves_sooner,
)
from poolscope.whatif.prediction import ITEMS, MEAN, REQUESTS, Prediction
from poolscope.whatif.sweep import threads_of

RECOMMENDED, ALTERNATIVE, REJECTED = "recommended", "alternative", "not-recommended"
"""The best fix that needs the least; others that shorten the delay notably; those that do not, with the reason."""
AWAIT, THREADS, MOST_THREADS, DEDICATED, CORES = "await", "threads", "max-threads", "dedicated", "cores"
"""Kinds of fixes: the part of the id before the colon."""
EITHER = 0.9
"""A share of the mean delay. A fix that removes this much is enough. If two fixes do, awaiting comes first, because it
costs no threads."""
BY_CHANCE = "two runs of the same setting differ by as much"
LITTLE_SHARE = "it changes the {mean} by less than a tenth"
MORE_WORK = "requests that had not begun would begin, so that its mean delay cannot be held against the measured one"
LITTLE_MS = f"it changes the {{mean}} by less than {NOTABLE_MS:g} ms"
UNTOLD = "requests are not predicted with it"


@dataclass(frozen=True)
class Fix:
    """One change alone. The field names are the keys of `fixes[]` in analysis.json. Figures are ms, None if nothing is
    predicted."""

    id: str
    """The kind, and after a colon its number: threads:53, max-threads:100, cores:4."""
    label: str
    """The action, in the imperative."""
    status: str
    reason: str | None
    """Why it is not recommended, as a sentence without its end."""
    of: str
    """The figures are means of ITEMS, their delay, or REQUESTS, their latency."""
    before_ms: float
    """The measured mean."""
    after_ms: float | None
    low_ms: float | None
    high_ms: float | None
    """The least and the most over the simulated runs, widened by the error of the model: its error on the run as it
    was, or a tenth of the measured delay, whichever is more."""
    lower_bound: bool
    model_error: float | None
    """The error of the replay of the run as it was (Calibration.model_error, RequestFit.error). None if its items never
    end."""

    @property
    def kind(self) -> str:
        return self.id.partition(":")[0]

    @property
    def shortens(self) -> bool:
        """Whether it may be advised."""
        return self.status != REJECTED

    @property
    def removed(self) -> float:
        """The share of the measured mean that it removes: at most 1, below 0 if it adds to the mean, 0 if nothing is
        predicted."""
        return 0.0 if self.after_ms is None or not self.before_ms else 1.0 - self.after_ms / self.before_ms

    @property
    def is_enough(self) -> bool:
        """Whether it removes nine tenths."""
        return self.shortens and self.removed >= EITHER

    @property
    def figure(self) -> str:
        """The predicted mean in words. Empty if there is none."""
        if self.after_ms is None or self.low_ms is None or self.high_ms is None:
            return ""
        return predicted(self.after_ms, self.low_ms, self.high_ms, self.lower_bound)

    def to_json(self) -> FixJson:
        return cast(FixJson, asdict(self))


@dataclass(frozen=True)
class Option:
    """A simulated change that may be a fix."""

    id: str
    label: str
    prediction: Prediction
    refused: str | None = None
    """The objection of the sweep."""
    only_if_better: bool = False
    """True if the change is listed only if it helps: otherwise no reader would think of it."""


def list_fixes(
    options: Sequence[Option], present: Prediction, misfit: str | None, model_error: float, adds_work: bool = False
) -> list[Fix]:
    """Returns the recommended fix first, then its alternatives and then the rejected ones, each group by the remaining
    mean.

    If the model does not fit the run (`misfit` says why), no fix has a figure, and no setting is prescribed. With
    `adds_work`, the settings have more work than the run had, so a setting without a gain is not known to lose.
    """
    error = finite(model_error)
    if misfit is not None:
        # Awaiting is advice about the code, which the rules give without a number.
        kinds = {o.id.partition(":")[0]: o for o in options if o.id != AWAIT and not o.only_if_better}
        return [_unknown(kind, present, misfit, error) for kind in kinds]
    made = [_fix(o, present, error) for o in options]
    if adds_work and present.of == ITEMS:
        made = [f if f.shortens or f.after_ms is None else _not_comparable(f) for f in made]
    made = [f for f, o in zip(made, options, strict=True) if f.shortens or not o.only_if_better]
    good = sorted((f for f in made if f.shortens), key=lambda f: (not (f.id == AWAIT and f.is_enough), f.after_ms))
    bad = sorted((f for f in made if not f.shortens), key=lambda f: np.inf if f.after_ms is None else f.after_ms)
    return [*(replace(f, status=RECOMMENDED if i == 0 else ALTERNATIVE) for i, f in enumerate(good)), *bad]


def refuse(fixes: Sequence[Fix], reason: str, now: int) -> list[Fix]:
    """Rejects the fixes that would only let more items run at once, for a reason that the simulation does not know.
    They lose their figures, which would be wrong. `now` is the present minimum."""
    refused = [
        replace(f, status=REJECTED, reason=reason, after_ms=None, low_ms=None, high_ms=None)
        if _lets_more_run(f, now)
        else f
        for f in fixes
    ]
    return _ranked(refused)


def _lets_more_run(fix: Fix, now: int) -> bool:
    if fix.kind == THREADS:
        number = fix.id.partition(":")[2]
        return not number or int(number) > now
    return fix.kind in (AWAIT, MOST_THREADS, DEDICATED)


def leave_out(fixes: Sequence[Fix], kind: str) -> list[Fix]:
    """Returns the fixes except those of one kind."""
    return _ranked([f for f in fixes if f.kind != kind])


def _ranked(fixes: Sequence[Fix]) -> list[Fix]:
    good = [f for f in fixes if f.shortens]
    first = [replace(f, status=RECOMMENDED if i == 0 else ALTERNATIVE) for i, f in enumerate(good)]
    return [*first, *(f for f in fixes if not f.shortens)]


def options_of(
    rows: Sequence[tuple[str, Prediction]], judged: Sequence[Advice], sweep: Sequence[Prediction], now: int
) -> list[Option]:
    """Returns the rows that are fixes, `rows` with their ids, and the minimums of threads that the sweep judged. `now`
    is the present minimum."""
    options = [_option(id, row) for id, row in rows]
    for advice in judged:
        row = next((p for p in sweep if threads_of(p) == advice.min_threads), None)
        if row is None or advice.min_threads == now or advice.id == MISSED:
            continue
        verb = "Set" if advice.min_threads > now else "Lower"
        refused = _refused(advice) if advice.min_threads > now else None
        id = f"{THREADS}:{advice.min_threads}"
        options.append(Option(id, f"{verb} the minimum of threads to {advice.min_threads:,}", row, refused))
    return options


def _option(id: str, row: Prediction) -> Option:
    kind, _, number = id.partition(":")
    labels = {
        AWAIT: "Await instead of blocking",
        DEDICATED: "Give each item a thread of its own (LongRunning)",
        CORES: f"Run on {number} cores",
        MOST_THREADS: f"Let at most {number} items run at once",
    }
    if kind == MOST_THREADS and row.setting.min_threads is not None:
        return Option(id, f"Allow {int(number):,} threads (minimum and maximum)", row)
    return Option(id, labels[kind], row, only_if_better=kind == MOST_THREADS)


def _refused(advice: Advice) -> str | None:
    """Returns the sweep's objection to this minimum, or None."""
    place = f": they then wait {PLACES[advice.goes_to]}" if advice.goes_to else ""
    return {
        HELP: None,
        HURT: f"items end later{place}",
        MOVE: f"the wait only moves{place or ' into the execution'}",
        TAKEN: "it would only take CPU time from other processes",
        LITTLE: BY_CHANCE,
        SERVES: "items do not end sooner",
    }[advice.id]


def _fix(option: Option, present: Prediction, error: float | None) -> Fix:
    p = option.prediction
    before = present.delay_ms
    if p.deadlock or not np.isfinite(p.delay_ms):
        return Fix(
            option.id,
            option.label,
            REJECTED,
            UNTOLD if math.isnan(p.delay_ms) else "items would wait for items that can never start",
            p.of,
            before,
            None,
            None,
            None,
            False,
            error,
        )
    later = "requests are answered later" if p.of == REQUESTS else "items end later"
    reason = option.refused
    if p.delay_ms - before >= max(NOTABLE * before, NOTABLE_MS):
        reason = reason or later
    elif not notable(before, p.delay_ms):
        # The sweep's reason, a wait that moves or a gain taken from others, says more than a small change.
        reason = (
            reason if reason and option.refused != BY_CHANCE else _little(before, p.delay_ms).format(mean=MEAN[p.of])
        )
    elif not gains(present, p):
        reason = reason or BY_CHANCE
    if (
        reason
        and p.of == ITEMS
        and p.requests is not None
        and present.requests is not None
        and serves_sooner(present, p)
    ):
        then, now = (duration(requests.latency_ms["mean"]) for requests in (p.requests, present.requests))
        reason = f"items do not end sooner, but requests are answered in {then} on average instead of {now} (simulated)"
        return Fix(option.id, option.label, REJECTED, reason, p.of, before, None, None, None, False, error)
    status = REJECTED if reason else RECOMMENDED
    off = max(NOTABLE, abs(error or 0.0)) * before
    low, high = max(min(p.delay_low_ms, p.delay_ms) - off, 0.0), max(p.delay_high_ms, p.delay_ms) + off
    after, low, high = round(p.delay_ms, 6), round(low, 6), round(high, 6)
    return Fix(option.id, option.label, status, reason, p.of, before, after, low, high, p.lower_bound, error)


def _not_comparable(fix: Fix) -> Fix:
    return replace(fix, reason=MORE_WORK, after_ms=None, low_ms=None, high_ms=None)


def _little(before: float, after: float) -> str:
    return LITTLE_SHARE if abs(before - after) < NOTABLE * before else LITTLE_MS


def _unknown(kind: str, present: Prediction, misfit: str, error: float | None) -> Fix:
    labels = {
        THREADS: "Another minimum of threads",
        MOST_THREADS: "Another maximum of threads",
        DEDICATED: "Give each item a thread of its own (LongRunning)",
        CORES: "Run on more cores",
    }
    return Fix(kind, labels[kind], REJECTED, misfit, present.of, present.delay_ms, None, None, None, False, error)
