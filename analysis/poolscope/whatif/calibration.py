"""How far to trust the predictions: the captured settings simulated, compared with the measurements."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.base.finite import finite
from poolscope.base.limits import MODEL_ERROR
from poolscope.base.words import duration, percent
from poolscope.contract.analysis_json import CalibrationJson
from poolscope.coverage.coverage import replay_error
from poolscope.whatif.predict import Predictor
from poolscope.whatif.prediction import STATISTICS, median, medians, statistics
from poolscope.whatif.setting import AS_CAPTURED
from poolscope.whatif.uncertain import why_unfounded

SMALL_MS = 5.0
"""Smaller differences count as none: a wait of milliseconds is wake-ups and time slices, which differ from run to
run."""
GOOD_MEAN, GOOD_P99 = 0.10, 0.25
"""The difference between two real runs of one setting on a busy machine. For a p99 of a few hundred items it is
larger."""
ROUGH_MEAN, ROUGH_P99 = MODEL_ERROR, 0.50
"""Up to here the order of the settings can still be reported. Beyond it nothing is predicted."""

NEVER_END = "its items never end"

GOOD, ROUGH, NOT_TRUSTED = "good", "rough", "not-to-be-trusted"


@dataclass(frozen=True)
class Calibration:
    """Waits in ms, up to the end of the capture if it ended before some items had started."""

    measured: dict[str, float]
    """mean, p50, p99, max of the wait."""
    simulated: dict[str, float]
    """The same: medians over the replications."""
    low: dict[str, float]
    high: dict[str, float]
    """The least and the most over the replications."""
    threads_measured: int
    """The most worker threads that existed at once."""
    threads_simulated: int
    error: dict[str, float]
    """Simulated over measured, minus 1. 0 if they differ by less than 5 ms; inf if an item never starts."""
    confidence: str
    """good, rough or not-to-be-trusted."""
    reasons: list[str]
    """Why the confidence is not good."""
    measured_completion: dict[str, float]
    """mean, p50, p99, max of the measured time from enqueue to end."""
    model_error: float
    """The error of the mean delay of the captured settings: replayed over measured, minus 1.

    It is that of the ladder's replay of the goal as it was, or of the simulation of the pool, whichever is larger. 0 if
    they differ by less than 5 ms.
    """
    unfounded: str | None = None
    """Why nothing may be predicted however well the model fits, as the end of a sentence. None if predictions are
    allowed."""

    @property
    def misfit(self) -> str | None:
        """Why nothing may be predicted, as the end of a sentence. None if the model fits the run."""
        if self.is_usable:
            return None
        if self.unfounded is not None:
            return self.unfounded
        if not np.isfinite([self.model_error, *self.error.values()]).all():
            return f"the model does not fit this run ({NEVER_END})"
        for what, error, most in (
            ("model error", self.model_error, MODEL_ERROR),
            ("model error of the mean wait", self.error["mean"], ROUGH_MEAN),
            ("model error of the p99 wait", self.error["p99"], ROUGH_P99),
        ):
            if abs(error) > most:
                return f"the model does not fit this run ({what} {percent(abs(error))})"
        return "the model does not fit this run"

    @property
    def is_usable(self) -> bool:
        """True if at least the order of the settings can be reported."""
        return self.confidence != NOT_TRUSTED

    def to_json(self) -> CalibrationJson:
        return {
            "wait_ms": {
                name: {
                    "measured": round(self.measured[name], 6),
                    "simulated": finite(self.simulated[name]),
                    "low": finite(self.low[name]),
                    "high": finite(self.high[name]),
                    "error": finite(self.error[name]),
                }
                for name in STATISTICS
            },
            "threads": {"measured": self.threads_measured, "simulated": self.threads_simulated},
            "model_error": finite(self.model_error),
            "confidence": self.confidence,
            "reasons": self.reasons,
        }


def calibrate(predictor: Predictor) -> Calibration:
    """Simulates the capture as it was. If items were still queued at its end, only the recorded part of a wait is
    compared."""
    measured = statistics(predictor.attribution.items.wait.astype(np.float64))
    replications = predictor.runs(AS_CAPTURED)
    cut = predictor.attribution.items.queued_at_end.any()
    runs = [r.seen_wait_ms if cut else r.wait_ms for r in replications]
    simulated = medians(runs)
    low = {name: min(r[name] for r in runs) for name in STATISTICS}
    high = {name: max(r[name] for r in runs) for name in STATISTICS}
    error = {name: relative(simulated[name], measured[name]) for name in STATISTICS}
    confidence, reasons = judge(measured, simulated, low, high)
    off = _model_error(predictor)
    unfounded = why_unfounded(predictor.work)
    if unfounded is not None:
        confidence, reasons = NOT_TRUSTED, [f"{unfounded[0].upper()}{unfounded[1:]}.", *reasons]
    if abs(off) > MODEL_ERROR:
        confidence = NOT_TRUSTED
        said = f"model error {percent(abs(off))}" if np.isfinite(off) else NEVER_END
        reasons = [f"The replay of the run as it was does not fit ({said}).", *reasons]
    items = predictor.attribution.items
    return Calibration(
        measured=measured,
        simulated=simulated,
        low=low,
        high=high,
        threads_measured=predictor.captured.peak_threads,
        threads_simulated=int(median([r.peak_threads for r in replications])),
        error=error,
        confidence=confidence,
        reasons=reasons,
        measured_completion=statistics((items.end - items.enqueue).astype(np.float64)),
        model_error=off,
        unfounded=unfounded,
    )


def _model_error(predictor: Predictor) -> float:
    """Returns the larger of the two errors of the mean delay."""
    simulated = relative(predictor.simulated_delay_ms, predictor.measured_delay_ms)
    # The ladder has no handoffs, so an error of a few milliseconds does not count there either.
    replayed = replay_error(predictor.attribution) or 0.0
    if abs(replayed) * predictor.measured_delay_ms <= SMALL_MS:
        replayed = 0.0
    return max(simulated, replayed, key=abs)


def relative(simulated: float, measured: float) -> float:
    """Returns the error of a duration in ms as a share of the measured one. 0 for differences up to SMALL_MS."""
    if abs(simulated - measured) <= SMALL_MS:
        return 0.0
    return (simulated - measured) / max(measured, SMALL_MS)


def judge(
    measured: dict[str, float], simulated: dict[str, float], low: dict[str, float], high: dict[str, float]
) -> tuple[str, list[str]]:
    """Returns how well the simulation fits: the confidence in a word, and why it is not the best.

    A measured value within the range of the replications counts as matched, because the real run was one draw too.
    """
    worst = GOOD
    said = []
    for name, words, good, rough in (
        ("mean", "mean wait", GOOD_MEAN, ROUGH_MEAN),
        ("p99", "p99 of the wait", GOOD_P99, ROUGH_P99),
    ):
        nearest = min(max(measured[name], low[name]), high[name])
        missed = abs(relative(nearest, measured[name]))
        if missed <= good:
            continue
        worst = NOT_TRUSTED if missed > rough or worst == NOT_TRUSTED else ROUGH
        if not np.isfinite(simulated[name]):
            said.append(f"In the simulation of the capture as it was, items never start: the {words} has no figure.")
            continue
        said.append(
            f"The {words} of the capture as it was is simulated as {duration(simulated[name])}, and was "
            f"{duration(measured[name])}: beyond {percent(good)} of error a prediction is rough, beyond {percent(rough)} "
            "not to be trusted."
        )
    return worst, said
