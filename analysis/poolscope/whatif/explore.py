"""The whole answer: calibration, the sweep with its knee, the fixes, other loads, and the resulting advice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from poolscope.attribution import Attribution
from poolscope.base.arrays import BoolArray
from poolscope.base.limits import SEED
from poolscope.capture import DecodedCapture
from poolscope.contract.analysis_json import WhatIfJson
from poolscope.executions.pool import UNLIMITED_THREADS
from poolscope.whatif.advice import HELP, SAID, Advice, judge_minimums, notable
from poolscope.whatif.calibration import Calibration, calibrate
from poolscope.whatif.captured_work import TWICE
from poolscope.whatif.fixes import AWAIT, CORES, DEDICATED, MOST_THREADS, Fix, leave_out, list_fixes, options_of, refuse
from poolscope.whatif.predict import REPLICATIONS, Predictor, Progress
from poolscope.whatif.prediction import ITEMS, REQUESTS, Prediction, row_json, rows_to_frame, whatif_html
from poolscope.whatif.request_fit import RequestFit, adds_work
from poolscope.whatif.setting import AS_CAPTURED, UNRECORDED, Captured, Setting, words_of
from poolscope.whatif.sweep import budget_for
from poolscope.whatif.sweep import knee as find_knee
from poolscope.whatif.sweep import sweep_points, threads_of

PRESENT, SWEEP, FIX, LOAD, SERVICE, RECORDER, ASKED = (
    "present",
    "min-threads",
    "fix",
    "load",
    "service",
    "recorder",
    "asked",
)
"""Groups of rows."""
ASYNC = "async"
"""The label of the row in which blocked items hold no thread."""
LOADS = (1.5, 2.0)
RECORDER_SHARE = 0.02
"""A share of the cores' time. From it on, the waits without a recorder are simulated too."""
CROWDED = 2
"""The number of items running at once per core above which a run with no more threads than cores is also simulated."""
INSTANT = Setting("a thread for every item", policy="instant")
NO_MINIMUM = ("instant",)
"""Policies without a minimum to sweep."""


@dataclass(frozen=True)
class WhatIf:
    """The effect of other settings on the captured work."""

    captured: Captured
    calibration: Calibration
    present: Prediction
    """The captured settings, simulated. Every other row is compared with them."""
    sweep: list[Prediction]
    """In order of minimum threads. Empty if no sweep was requested."""
    others: list[tuple[str, Prediction]]
    """Group and row."""
    knee: Prediction | None
    advice: list[Advice]
    requests: RequestFit | None
    """The predictions for requests, and how well they fit. None if too few requests were answered."""
    fixes: list[Fix]
    """Best first; the same as `fixes` of analysis.json, and the only figures of fixes."""
    replications: int
    seed: int
    left_out: str | None
    """The part of the default set that was left out because the capture is large, or None."""

    def _repr_html_(self) -> str:
        """Returns the HTML that a notebook shows."""
        told = [advice.text for advice in self.advice if advice.text]
        return whatif_html([row.cells() for _, row in self.rows], self.calibration.confidence, told)

    def without(self, kind: str) -> WhatIf:
        """Returns the same without the fixes of a kind."""
        return replace(self, fixes=leave_out(self.fixes, kind))

    def refusing(self, reason: str) -> WhatIf:
        """Returns the same without advice to let more items run at once, which would shorten nothing for the `reason`
        given, and without the rows that would show it."""
        advice = [a for a in self.advice if a.id != HELP]
        others = [(group, row) for group, row in self.others if group != FIX]
        return replace(
            self,
            fixes=refuse(self.fixes, reason, self.captured.min_threads),
            advice=advice,
            sweep=[],
            others=others,
            knee=None,
        )

    @property
    def adds_work(self) -> bool:
        """Whether the other settings have notably more work than the capture had."""
        return self.requests is not None and adds_work(self.requests.to_json())

    @property
    def rows(self) -> list[tuple[str, Prediction]]:
        """Every row with its group."""
        return [(PRESENT, self.present), *((SWEEP, p) for p in self.sweep), *self.others]

    def to_frame(self) -> pd.DataFrame:
        """Returns one row per setting, the captured one first.

        Columns are the paths of `what_if.rows[]` in analysis.json, such as `label`, `setting.min_threads`,
        `wait_ms.p99`. Durations are ms, and NaN means never reached.
        """
        return rows_to_frame([row_json(group, p) for group, p in self.rows])

    def row(self, group: str, label: str) -> Prediction | None:
        return next((p for g, p in self.rows if g == group and p.setting.label == label), None)

    def to_json(self) -> WhatIfJson:
        """Returns `what_if` of analysis.json."""
        captured = self.captured
        return {
            "captured": {
                "policy": captured.policy,
                "min_threads": captured.min_threads,
                "max_threads": captured.max_threads,
                "cores": round(captured.core_count, 6),
                "peak_busy": captured.peak_busy,
            },
            "seed": self.seed,
            "replications": self.replications,
            "calibration": self.calibration.to_json(),
            "rows": [row_json(group, p, self.calibration.is_usable) for group, p in self.rows],
            "requests": None if self.requests is None else self.requests.to_json(),
            "knee": None if self.knee is None or not self.calibration.is_usable else threads_of(self.knee),
            "advice": [a.to_json() for a in self.advice],
            "left_out": self.left_out,
        }


def explore(
    capture: DecodedCapture,
    attribution: Attribution,
    replications: int | None = None,
    seed: int = SEED,
    progress: Progress | None = None,
    target_p99_ms: float | None = None,
    of: BoolArray | None = None,
) -> WhatIf:
    """Returns the default set.

    If `replications` is None, runs as many as its time allows, at most REPLICATIONS. `of` is a mask of the items, shape
    (items,), whose mean delay is the figure of each fix; None means all.
    """
    predictor = Predictor(capture, attribution, REPLICATIONS, seed, of)
    budget = budget_for(predictor.workload, replications)
    predictor.replications = budget.replications
    others = default_settings(predictor.captured, attribution) if budget.fixes else []
    service = predictor.work.slowest_service() if budget.fixes else None
    if service is not None:
        faster = ((service, TWICE),)
        others.append((SERVICE, Setting(words_of(faster), faster=faster)))
    if budget.fixes and predictor.recorder_share >= RECORDER_SHARE:
        others.append((RECORDER, Setting(UNRECORDED, unrecorded=True)))
    sweep = sweep_of(predictor, budget.points) if budget.points else []
    return answer(predictor, sweep, others, budget.said, progress, target_p99_ms)


def default_settings(captured: Captured, attribution: Attribution) -> list[tuple[str, Setting]]:
    """Returns each fix alone, half the cores, and more of the same traffic, with their groups."""
    cores = captured.core_count
    fewest = max(int(np.ceil(cores)), 1)
    fixes = [Setting(ASYNC, asynchronous=True), Setting("dedicated threads", dedicated=True)]
    fixes += [Setting(f"{n:g} cores" if n != 1 else "1 core", cores=n) for n in (2 * cores, cores / 2)]
    if captured.peak_busy >= captured.max_threads:
        # At its maximum: as many threads as items were ever queued or running at once.
        pool = attribution.pool
        wanted = int(pool.queued.combine(pool.busy, np.add).value.max(initial=0.0))
        wanted = min(wanted, UNLIMITED_THREADS)
        if wanted > captured.max_threads:
            fixes.append(Setting(f"min and max {wanted:,}", min_threads=wanted, max_threads=wanted))
    elif captured.peak_busy > CROWDED * fewest:
        fixes.append(Setting(f"max {fewest:,}", max_threads=fewest))
    return [(FIX, s) for s in fixes] + [(LOAD, Setting(f"{x:g} times the load", load=x)) for x in LOADS]


def _error(predictor: Predictor, calibration: Calibration, present: Prediction) -> float:
    """Returns the error of the replay of the run as it was, for the figure by which fixes are compared."""
    fit = predictor.request_fit
    return fit.error if present.of == REQUESTS and fit is not None else calibration.model_error


def fix_id(prediction: Prediction, predictor: Predictor) -> str | None:
    """Returns the id of the fix in a row of group FIX. None for fewer cores, which is no fix."""
    s = prediction.setting
    if s.asynchronous:
        return AWAIT
    if s.dedicated:
        return DEDICATED
    if s.max_threads is not None:
        return f"{MOST_THREADS}:{s.max_threads}"
    if s.cores is not None and s.cores > predictor.captured.core_count:
        return f"{CORES}:{s.cores:g}"
    return None


def is_captured(setting: Setting, captured: Captured) -> bool:
    """Returns whether a setting changes nothing: the captured minimum, given as a number."""
    return replace(setting, label="", min_threads=None) == Setting("") and setting.min_threads in (
        None,
        captured.min_threads,
    )


def minimum(threads: int, base: Setting = AS_CAPTURED) -> Setting:
    """Returns a point of the sweep: `base` with this minimum."""
    return replace(base, label=f"min {threads:,}", min_threads=threads)


def sweep_of(predictor: Predictor, points: int) -> list[Setting]:
    """Returns the settings of the sweep: from one thread to as many as items are in progress at once if none ever waits
    for one."""
    if predictor.captured.policy in NO_MINIMUM:
        return []
    most = predictor.runs(INSTANT)[0].at_once
    maximum = predictor.maximum(AS_CAPTURED)
    return [minimum(n) for n in sweep_points(predictor.captured.min_threads, most, maximum, points)]


def _without_growth(prediction: Prediction) -> Prediction:
    """Returns the prediction for a simulated pool that does not grow as the real one did. It keeps the requests only if
    that growth does not affect them."""
    requests = prediction.requests
    return replace(prediction, requests=None) if requests is not None and requests.needs_growth else prediction


def answer(
    predictor: Predictor,
    sweep: Sequence[Setting],
    others: Sequence[tuple[str, Setting]],
    left_out: str | None = None,
    progress: Progress | None = None,
    target_p99_ms: float | None = None,
) -> WhatIf:
    """Simulates all of these settings, two at a time, and draws the conclusions. `sweep` is in order of minimum threads
    and differs in nothing else."""
    settings = [AS_CAPTURED, *sweep, *(s for _, s in others)]
    calibration = calibrate(predictor)

    def predict(settings: Sequence[Setting]) -> list[Prediction]:
        made = predictor.predict(settings, progress)
        return made if calibration.is_usable else [_without_growth(p) for p in made]

    present, *rows = predict(settings)
    swept = {threads_of(p): p for p in rows[: len(sweep)]}

    def at(threads: int) -> Prediction:
        if threads not in swept:
            swept[threads] = predict([minimum(threads, sweep[0])])[0]
        return swept[threads]

    knee, judged = None, []
    # The gain of a change is relative to the run as recorded; otherwise the recorder's part would count as a gain.
    if len(sweep) > 1 and not sweep[0].unrecorded:
        curve = list(swept.values())
        knee = find_knee(curve, at)
        judged = judge_minimums(predictor, present, curve, knee, at, target_p99_ms)
    fixed = [(fix_id(p, predictor), p) for (group, _), p in zip(others, rows[len(sweep) :]) if group == FIX]
    # A service that serves requests does not choose the threads of its items.
    ids = [(id, p) for id, p in fixed if id is not None and (id != DEDICATED or p.of == ITEMS)]
    options = options_of(ids, judged, list(swept.values()), predictor.captured.min_threads)
    return WhatIf(
        captured=predictor.captured,
        calibration=calibration,
        present=present,
        sweep=[swept[n] for n in sorted(swept)],
        others=[
            (group, p)
            for (group, _), p in zip(others, rows[len(sweep) :])
            if group != RECORDER or notable(present.delay_ms, p.delay_ms)
        ],
        knee=knee,
        advice=[a for a in judged if a.id in SAID] if calibration.is_usable else [],
        requests=predictor.request_fit,
        fixes=list_fixes(
            options, present, calibration.misfit, _error(predictor, calibration, present), predictor.adds_work
        ),
        replications=predictor.replications,
        seed=predictor.seed,
        left_out=left_out,
    )
