"""The outcome of one setting."""

from __future__ import annotations

from dataclasses import dataclass

from poolscope.base.words import predicted
from poolscope.whatif.request_figures import RequestFigures
from poolscope.whatif.setting import Setting
from poolscope.whatif.shown import prediction_html


ITEMS, REQUESTS = "items", "requests"
MEAN = {ITEMS: "mean delay", REQUESTS: "mean latency of requests"}
"""The figure by which fixes are compared, in words."""


@dataclass(frozen=True)
class Prediction:
    """The outcome of one setting. Durations are ms, medians over the replications; inf where items never end."""

    setting: Setting
    wait_ms: dict[str, float]
    """mean, p50, p99, max of enqueue to start."""
    completion_ms: dict[str, float]
    """The same of enqueue to end."""
    delay_ms: float
    """The one figure by which fixes are compared, a mean over what `of` says. For items enqueue to end minus the item's own demand,
    simulated, times Predictor.scale; of requests the latency, NaN if it is not predicted. For the captured settings, the measured one."""
    delay_low_ms: float
    delay_high_ms: float
    """Least and most of it over the replications, simulated also for the captured settings."""
    wait_low_ms: float
    wait_high_ms: float
    """Least and most of the mean wait over the replications."""
    p99_low_ms: float
    p99_high_ms: float
    """The same of the p99 wait."""
    completion_low_ms: float
    completion_high_ms: float
    """The same of the mean completion."""
    requests: RequestFigures | None
    """For all requests that came; None: not predicted."""
    end_ms: float
    """When the last item ended, from the start of the capture."""
    items: int
    peak_threads: int
    at_once: int
    """Most items that had started and not ended."""
    stack_bytes: int
    """Address space of the stacks of `peak_threads`."""
    context_switches: float
    """Estimate."""
    deadlock: bool
    stuck: int
    """Items that never end."""
    lower_bound: bool
    """More runs at once than did in the capture, so what nothing queued for then may hold it up; or a tenth of the items had
    not ended, so what they still needed is not known."""
    why: list[str]
    """What makes it uncertain, in sentences."""
    of: str = ITEMS
    """ITEMS that the predictor counts, or REQUESTS."""

    def cells(self) -> tuple[str, str, str, str, str]:
        """Returns its figures in words, in the order of `shown.COLUMNS`."""
        return (
            self.setting.label,
            predicted(self.wait_ms["mean"], self.wait_low_ms, self.wait_high_ms, self.lower_bound),
            predicted(self.wait_ms["p99"], self.p99_low_ms, self.p99_high_ms, self.lower_bound),
            predicted(self.completion_ms["mean"], self.completion_low_ms, self.completion_high_ms, self.lower_bound),
            f"{self.peak_threads:,}",
        )

    def _repr_html_(self) -> str:
        """Returns what a notebook shows of it."""
        return prediction_html(self.cells(), self.why)
