"""Predicts the captured work under other settings."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, partial

import numpy as np

from poolscope.attribution import Attribution
from poolscope.base.arrays import BoolArray
from poolscope.base.errors import InsufficientEvidence
from poolscope.base.limits import MODEL_ERROR, SEED
from poolscope.base.series import Steps
from poolscope.base.stages import Results, together
from poolscope.base.units import NS_PER_MS
from poolscope.capture import DecodedCapture
from poolscope.executions.pool import UNLIMITED_THREADS
from poolscope.replay.policies import Allowed
from poolscope.replay.simulate import World, simulate
from poolscope.replay.workload import Workload
from poolscope.whatif.captured_work import CapturedWork
from poolscope.whatif.prediction import (
    ITEMS,
    REQUESTS,
    Prediction,
    RequestFigures,
    RunFigures,
    has_less,
    median,
    medians,
    request_figures,
    run_figures,
    stands_still,
)
from poolscope.whatif.request_fit import RequestFit, adds_work
from poolscope.whatif.setting import (
    AS_CAPTURED,
    Captured,
    Setting,
    captured_settings,
    check,
    is_as_captured,
    is_random,
    make_world,
    stack_bytes,
)
from poolscope.whatif.uncertain import many_unfinished, runs_more_at_once, why_uncertain

REPLICATIONS = 5
"""The least and the most of five draws enclose the median of all draws in 15 of 16 cases."""

Progress = Callable[[str], None]


class Predictor:
    """The worlds of one capture. Building it is cheap; each prediction replays the whole capture."""

    def __init__(
        self,
        capture: DecodedCapture,
        attribution: Attribution,
        replications: int = REPLICATIONS,
        seed: int = SEED,
        of: BoolArray | None = None,
    ):
        """Averages the delay over `of`, a mask of shape (items,), in each prediction. None, or an empty mask, means all
        items."""
        if attribution.items.count == 0:
            raise InsufficientEvidence(f"{capture.path}: no work items, so there is nothing to replay")
        if attribution.split is None:
            raise InsufficientEvidence(
                f"{capture.path}: no kernel stream, so the capture does not show when its items computed and when "
                "they were blocked; record again (poolscope doctor says which tiers this machine allows)"
            )
        self.capture = capture
        self.attribution = attribution
        self._unrecorded: Steps | None = attribution.split.competitors.unrecorded
        self.captured: Captured = captured_settings(capture, attribution)
        self.work = CapturedWork(capture, attribution, self.captured, seed)
        self.workload: Workload = self.work.workload
        self.own: BoolArray = np.arange(self.workload.count) < attribution.items.count
        counted = np.ones(attribution.items.count, dtype=bool) if of is None or not of.any() else of
        self.counted: BoolArray = np.append(counted, np.zeros(self.workload.count - len(counted), dtype=bool))
        self.replications = replications
        self.seed = seed
        self._kept = Results()

    def check(self, setting: Setting) -> None:
        """Raises InvalidArgument if the setting contradicts itself or the captured one, InsufficientEvidence if the
        capture does not show enough for it."""
        check(setting, self.captured.minimum(setting.cores), self.maximum(setting))
        self.work.of(setting)
        if setting.unrecorded and self._unrecorded is None:
            raise InsufficientEvidence(
                f"{self.capture.path}: the capture does not show which threads are the recorder's: it was recorded by an earlier "
                "Poolscope, by another tool, or without other processes in view (tier tracepoint shows them)"
            )

    def maximum(self, setting: Setting) -> int:
        """Returns the maximum of threads that applies if the setting has none of its own."""
        # A pool that never grows has no maximum apart from its number of threads.
        fixed = (setting.policy or self.captured.policy) == "fixed"
        return UNLIMITED_THREADS if fixed else self.captured.max_threads

    def predict(self, settings: Sequence[Setting], progress: Progress | None = None) -> list[Prediction]:
        """Returns a prediction for each setting, computed two at a time: the native loop releases the interpreter's
        lock."""
        for setting in settings:
            self.check(setting)
        # Every figure needs the captured settings, so simulate them here, not in both threads at once.
        self.runs(AS_CAPTURED)

        def one(setting: Setting) -> Prediction:
            with self.work.turn(setting):
                made = self._predict(setting)
            if progress is not None:
                progress(setting.label)
            return made

        return together(self.capture.rows, *(partial(one, setting) for setting in settings))

    @property
    def request_fit(self) -> RequestFit | None:
        """How well the replay reproduces the requests. None without requests."""
        return self.work.request_fit

    @cached_property
    def adds_work(self) -> bool:
        """Whether other settings have notably more work than the capture had."""
        fit = self.request_fit
        return fit is not None and adds_work(fit.to_json())

    @property
    def same_work(self) -> Setting:
        """The captured settings with the work of the other settings."""
        return Setting("", min_threads=self.captured.min_threads) if self.adds_work else AS_CAPTURED

    @cached_property
    def of(self) -> str:
        """ITEMS or REQUESTS, by which fixes are judged."""
        delayed_ms = self.measured_delay_ms * int(self.counted.sum())
        return REQUESTS if self.request_fit is not None and self.request_fit.decides(delayed_ms) else ITEMS

    @property
    def measured_ms(self) -> float:
        """The measured figure by which fixes are compared."""
        fit = self.request_fit
        return round(fit.measured["mean"], 6) if self.of == REQUESTS and fit is not None else self.measured_delay_ms

    @cached_property
    def measured_delay_ms(self) -> float:
        """The measured mean delay of the counted items. Items still queued at the end count up to there."""
        assert self.attribution.split is not None
        actual = self.attribution.split.ladder.actual[self.counted[: self.attribution.items.count]]
        return round(float(actual.mean()) / NS_PER_MS, 6)

    @cached_property
    def simulated_delay_ms(self) -> float:
        return median([r.delay_ms for r in self.runs(AS_CAPTURED)])

    @cached_property
    def scale(self) -> float:
        """Measured over simulated mean delay of the captured settings.

        The error of the simulation there is assumed to be its error everywhere, so that no fix appears to gain or lose
        by the model's own error. It is bounded, because below SMALL_MS of delay the ratio says nothing.
        """
        simulated = self.simulated_delay_ms
        if not (np.isfinite(simulated) and simulated > 0):
            return 1.0
        return float(np.clip(self.measured_delay_ms / simulated, 1 / (1 + MODEL_ERROR), 1 / (1 - MODEL_ERROR)))

    def _figures(self, setting: Setting, world: World, seed: int) -> RunFigures:
        workload, _ = self.work.of(setting)
        loaded, followed = self.work.at_load(setting, seed)
        # The captured items come first, and so do their copies.
        own = int(np.searchsorted(loaded.origin, self.attribution.items.count))
        outcome = simulate(loaded.workload, world, own)
        more = np.zeros(workload.count - self.workload.count, dtype=bool)
        counted = np.append(self.counted, more)[loaded.origin]
        delay = outcome.delay(loaded.workload)[counted]
        if setting.load == 1.0:
            # An item still queued at the end is compared only up to its measured wait.
            items = self.attribution.items
            seen = np.where(items.queued_at_end, items.wait, np.inf)
            delay = np.minimum(delay, seen[self.counted[: items.count]])
        mean = float(np.maximum(delay, 0.0).mean()) / NS_PER_MS if len(delay) else 0.0
        requests = None if followed is None else followed.latency(outcome)
        return run_figures(outcome, own, self._stop, mean, requests)

    def _request_figures(self, setting: Setting, runs: Sequence[RunFigures]) -> RequestFigures | None:
        """Returns the predicted latencies. None if the service may have become overloaded without the simulation
        showing it."""
        if any(run.request_ms is None for run in runs):
            return None
        tips_over = self.request_fit is not None and self.request_fit.blocks_for_engine
        if tips_over and has_less(setting, self.captured) and not stands_still(runs, self._stop / NS_PER_MS):
            return None

        def where_no_request_waits_for_a_thread() -> dict[str, float] | None:
            world = replace(self.world(setting, self.seed), policy=Allowed(Steps.constant(np.inf)))
            return self._figures(setting, world, self.seed).request_ms

        # The same under any pool.
        same = is_as_captured(setting), setting.faster, setting.load, setting.cores, setting.unrecorded
        enough_ms = self._kept.of(same, where_no_request_waits_for_a_thread)
        return None if enough_ms is None else request_figures(runs, enough_ms)

    def world(self, setting: Setting, seed: int) -> World:
        """Returns the world of a setting that `check` accepts."""
        others = self.captured.competitors
        if setting.unrecorded:
            assert self._unrecorded is not None
            others = self._unrecorded
        return make_world(setting, self.captured, others, seed)

    def on_own_cores(self, setting: Setting) -> RunFigures:
        """Runs one replication on the cores that the items had, without competitors."""
        split = self.attribution.split
        assert split is not None
        world = replace(self.world(setting, self.seed), cores=split.had, competitors=Steps.constant(0.0))
        return self._figures(setting, world, self.seed)

    @cached_property
    def recorder_share(self) -> float:
        """The recorder's demand as a share of the cores' time, 0 if unknown."""
        if self._unrecorded is None:
            return 0.0
        recorded = self.captured.competitors.integral(0.0, self._stop) - self._unrecorded.integral(0.0, self._stop)
        return float(recorded) / max(float(self.captured.cores.integral(0.0, self._stop)), 1.0)

    @property
    def _stop(self) -> float:
        """The end of the capture, ns from its start."""
        return float(self.capture.window[1] - self.capture.window[0])

    def runs(self, setting: Setting) -> list[RunFigures]:
        """Returns the replications. They are cached, so that one setting under two labels is simulated once, and so is
        the captured minimum given as a number if that changes nothing."""
        world, known = self.world(setting, self.seed), replace(setting, label="")
        if known.min_threads == self.captured.min_threads:
            other = replace(known, min_threads=None)
            same_work = self.work.of(known)[0] is self.work.of(other)[0]
            known = other if same_work and world.is_like(self.world(other, self.seed)) else known

        def replicated() -> list[RunFigures]:
            # The first seed comes last: its work is used once more.
            runs = [self._figures(setting, world.drawn_with(s), s) for s in reversed(self.seeds(setting))]
            return runs[::-1]

        return self._kept.of(known, replicated)

    def seeds(self, setting: Setting) -> list[int]:
        """Returns the seed of each replication. A single one if nothing in the setting is random."""
        return [self.seed + k for k in range(self.replications if is_random(setting, self.captured) else 1)]

    def _predict(self, setting: Setting) -> Prediction:
        runs = self.runs(setting)
        wait, p99 = [r.wait_ms["mean"] for r in runs], [r.wait_ms["p99"] for r in runs]
        completion = [r.completion_ms["mean"] for r in runs]
        captured = is_as_captured(setting)
        requests = self._request_figures(setting, runs)
        delay = [math.nan if requests is None and self.of == REQUESTS else self.compared(r) for r in runs]
        peak = int(median([r.peak_threads for r in runs]))
        at_once = int(median([r.at_once for r in runs]))
        more_at_once = not captured and runs_more_at_once(at_once, self.captured)
        least = [self.work.needed_ms] if more_at_once and self.of == REQUESTS else []
        return Prediction(
            setting=setting,
            wait_ms=medians([r.wait_ms for r in runs]),
            completion_ms=medians([r.completion_ms for r in runs]),
            delay_ms=self.measured_ms if captured else median(delay),
            delay_low_ms=min(delay + least),
            delay_high_ms=max(delay),
            wait_low_ms=min(wait),
            wait_high_ms=max(wait),
            p99_low_ms=min(p99),
            p99_high_ms=max(p99),
            completion_low_ms=min(completion),
            completion_high_ms=max(completion),
            requests=requests,
            end_ms=median([r.end_ms for r in runs]),
            items=int(median([r.items for r in runs])),
            peak_threads=peak,
            at_once=at_once,
            stack_bytes=peak * stack_bytes(self.capture),
            context_switches=median([r.context_switches for r in runs]),
            deadlock=any(r.deadlock for r in runs),
            stuck=max(r.stuck for r in runs),
            lower_bound=more_at_once or (not captured and many_unfinished(self.attribution)),
            why=why_uncertain(setting, self.captured, self.attribution, any(r.deadlock for r in runs)),
            of=self.of,
        )

    def compared(self, run: RunFigures) -> float:
        """Returns the figure of one replication by which settings are compared, ms."""
        return run.request_ms["mean"] if self.of == REQUESTS and run.request_ms else run.delay_ms * self.scale
