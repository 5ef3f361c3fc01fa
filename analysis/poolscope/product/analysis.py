"""analysis.json: the product of an analysis, built once and rendered by everything else.

Every duration is in ms and a mean per item unless its key says otherwise. Shares are 0 to 1. docs/analysis-json.md
documents the keys.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from poolscope.attribution import Attribution, attribute
from poolscope.base.arrays import IntArray
from poolscope.base.finite import replace_non_finite
from poolscope.base.limits import LATE_LIMIT_MS
from poolscope.base.stages import Results, side_by_side
from poolscope.base.statistics import summarise_ms
from poolscope.base.units import NS_PER_MS
from poolscope.blame import Blame, assign_blame, owner_search
from poolscope.capture import DecodedCapture
from poolscope.contract.analysis_json import AnalysisJson, AttributionJson, PoolJson, WhatIfJson
from poolscope.contract.tables import TableName
from poolscope.coverage.contradictions import Contradiction, find_contradictions
from poolscope.coverage.coverage import Coverage, blocked_ms_by_waker, measure_coverage
from poolscope.findings import Evidence, Finding, JudgedIncident, RuleResult, Verdict, judge_incidents, wait_share
from poolscope.findings.advice import fixes, removable, threads_needed
from poolscope.findings.judged import of_part
from poolscope.findings.ranking import lead
from poolscope.flames import BlockedFlame, ReadyFlame, blocked_flame, ready_flame
from poolscope.flames.cpu import CpuFlame, build_flame
from poolscope.flames.profiled import build_profile
from poolscope.incidents import assess, counted_by_blame
from poolscope.incidents.find import StartUp
from poolscope.incidents.requests import incident_requests
from poolscope.measures.cores import find_antagonists
from poolscope.measures.stops import Stops, find_stops
from poolscope.product.activities import activities_json
from poolscope.product.calls import calls_json
from poolscope.product.causes import wait_by_cause
from poolscope.product.lanes import build_lanes
from poolscope.product.parts import item_parts
from poolscope.product.recorded import capture_card, counters_json, events_json, part_json, thread_waits_json
from poolscope.product.requests import late_json, requests_json
from poolscope.product.timeline import build_timeline, core_use, limits
from poolscope.product.worst import worst_items
from poolscope.version import __version__
from poolscope.whatif.setting import new_thread_ns

FORMAT = 1
OF_THREADS: tuple[TableName, ...] = ("thread_states", "switches", "wakeups")
"""The longest tables. Hardly anything reads them after the blame."""


@dataclass(frozen=True)
class Analysis:
    """One capture, analysed."""

    capture: DecodedCapture
    attribution: Attribution
    blame: Blame | None
    """None without a kernel stream or stacks."""
    cpu: CpuFlame | None
    """None without CPU samples."""
    blocked: BlockedFlame | None
    """None without blame."""
    ready: ReadyFlame | None
    """None without a kernel stream or CPU samples."""
    coverage: Coverage
    findings: list[Finding]
    rules: list[RuleResult]
    verdict: Verdict
    evidence: Evidence
    """The evidence. Its `chosen` are the items that the verdict is about."""
    incidents: list[JudgedIncident]
    """In order of start."""

    def to_json(self) -> AnalysisJson:
        """Returns the content of analysis.json. The same capture gives the same bytes. A time that is never reached is
        null."""
        items, requests = self.attribution.items, self.evidence.requests
        incidents = [judged.weighed.incident for judged in self.incidents]
        of_incidents = incident_requests(requests, incidents)
        with side_by_side(self.capture.rows) as begun:
            begun.submit(limits, self.capture, self.attribution)  # half of the timeline's time, so beside the rest
            lanes = begun.submit(build_lanes, self.capture, self.attribution)
            worst = begun.submit(worst_items, self.capture, self.attribution)
            timeline = begun.submit(build_timeline, self.capture, self.attribution)
            content: AnalysisJson = {
                "format": FORMAT,
                "tool": {"name": "poolscope", "version": __version__},
                "capture": capture_card(self.capture),
                "coverage": self.coverage.to_json(),
                "verdict": self.verdict.to_json(),
                "late_limit_ms": self.evidence.late_limit_ms,
                "incidents": [i.to_json(r) for i, r in zip(self.incidents, of_incidents, strict=True)],
                "findings": [f.to_json() for f in self.findings],
                "rules": [r.to_json() for r in self.rules],
                "fixes": [] if self.verdict.id == "healthy" else [f.to_json() for f in fixes(self.evidence)],
                "items": {
                    "count": items.count,
                    "wait_ms": summarise_ms(items.wait, items.censored),
                    "completion_ms": summarise_ms(items.end - items.enqueue, items.censored | items.running_at_end),
                },
                "requests": requests_json(
                    requests, self.evidence.request_parts, items, incidents, late_json(self.evidence)
                ),
                "calls": calls_json(self.evidence.calls, self.evidence.earlier_calls),
                "activities": activities_json(self.evidence.activities),
                "pool": _pool(self.attribution),
                "attribution": _attribution(self.evidence),
                "blame": None if self.blame is None else self.blame.to_json(),
                "antagonists": self.evidence.antagonists.processes() if self.evidence.antagonists else None,
                "cpu_methods": None if self.cpu is None else self.cpu.rows(),
                "cpu_flame": None if self.cpu is None else self.cpu.to_json(),
                "blocked_flame": None if self.blocked is None else self.blocked.to_json(),
                "ready_flame": None if self.ready is None else self.ready.to_json(),
                "what_if": self._what_if(),
                "lanes": lanes.result(),
                "worst_items": worst.result(),
                "timeline": timeline.result(),
            }
        if (profile := build_profile(self.capture, self.attribution)) is not None:
            content["profile"] = profile.to_json()
        if self.blame is None and (waits := thread_waits_json(self.capture, self.attribution)) is not None:
            content["thread_waits"] = waits
        if (counters := counters_json(self.capture)) is not None:
            content["counters"] = counters
        if (events := events_json(self.capture)) is not None:
            content["events"] = events
        if self.capture.part is not None:
            content["part"] = part_json(self.capture.part, items.count)
        replace_non_finite(content)
        return content

    def _what_if(self) -> WhatIfJson | None:
        """Returns the simulated settings. If nothing waits, none is advised, because `fixes` is then empty."""
        what_if = self.evidence.what_if
        if what_if is None:
            return None
        content = what_if.to_json()
        if self.evidence.is_well:
            content["advice"], content["knee"] = [], None
        return content

    def dumps(self) -> str:
        return dumps(self.to_json())

    def item_parts(self) -> pd.DataFrame:
        """Returns the table `item_parts` of traces/schema.json. Empty without a kernel stream."""
        return item_parts(self.attribution)


def dumps(content: Mapping[str, object]) -> str:
    """Returns the content of an analysis.json, or of another answer, as text."""
    # ASCII: a command line may hold bytes that are no text, and UTF-8 cannot encode these.
    return json.dumps(content, allow_nan=False, indent=1) + "\n"


def analyse(
    capture: DecodedCapture,
    late_limit_ms: float = LATE_LIMIT_MS,
    attributing: Callable[[DecodedCapture], Attribution] = attribute,
    simulated: bool = True,
) -> Analysis:
    """Attributes, finds the incidents, applies every rule and judges.

    An item is late if it waits longer than `late_limit_ms`, above 0. `attributing` is for a caller that keeps the
    attribution. `simulated` is False for a caller that shows no predictions; rules still simulate if they need to.
    Raises InsufficientEvidence without a runtime stream, UnreadableCapture if a table is missing or damaged.
    """
    with side_by_side(capture.rows) as begun:
        # Independent of the attribution, which uses one core for half of its time.
        checking = begun.submit(_checked, capture)
        attributed = attributing(capture)
    contradictions, stops = checking.result()
    start_up = StartUp(capture, attributed)
    incidents = assess(capture, attributed, late_limit_ms, start_up)

    counted = counted_by_blame(attributed.items, incidents)
    with side_by_side(capture.rows) as begun:
        blaming = begun.submit(assign_blame, capture, attributed, counted)
        waking = begun.submit(blocked_ms_by_waker, capture, attributed)
        computing = begun.submit(build_flame, capture, attributed)
        readying = begun.submit(ready_flame, capture, attributed)
        crowding = begun.submit(find_antagonists, capture, attributed.worker_ready)
        begun.submit(core_use, capture)
        if simulated:
            begun.submit(new_thread_ns, capture)
    blame, cpu, ready = blaming.result(), computing.result(), readying.result()
    coverage = measure_coverage(capture, attributed, blame, contradictions, waking.result())
    blocked = blocked_flame(capture, blame)
    capture.forget(*OF_THREADS)
    whole = Evidence(
        capture,
        attributed,
        coverage,
        blame,
        cpu,
        incidents=tuple(incidents),
        late_limit_ms=late_limit_ms,
        start_up=start_up,
        kept=Results({"antagonists": crowding.result(), "stops": stops}),
    )
    with side_by_side(capture.rows) as begun:
        if simulated:  # the last rules need it
            begun.submit(getattr, whole, "what_if")
        judged = judge_incidents(whole)
    # The rest does not need the data of judging.
    attributed.kept.drop(owner_search)
    capture.forget(*OF_THREADS)
    findings = lead(judged.findings, judged.verdict.id)
    return Analysis(
        capture,
        attributed,
        blame,
        cpu,
        blocked,
        ready,
        coverage,
        findings,
        judged.rules,
        of_part(judged.verdict, capture.part),
        judged.evidence,
        judged.incidents,
    )


def _checked(capture: DecodedCapture) -> tuple[list[Contradiction], Stops]:
    """Returns what nearly all readers of `switches` find, and frees that table."""
    contradictions, stops = find_contradictions(capture), find_stops(capture)
    capture.forget("switches")
    return contradictions, stops


def _pool(attribution: Attribution) -> PoolJson:
    """Returns the final limits of threads, the source of these limits, and the range of the goal."""
    pool = attribution.pool
    return {
        "min_threads": int(pool.minimum.value[-1]),
        "max_threads": int(pool.maximum.value[-1]),
        "limits_known": pool.limits_known,
        "goal_first": int(pool.goal.value[0]),
        "goal_peak": int(pool.goal.value.max()),
        "goal_last": int(pool.goal.value[-1]),
    }


def _attribution(evidence: Evidence) -> AttributionJson | None:
    """Returns the split of the mean wait, or None without a kernel stream or without items."""
    a = evidence.attribution
    if a.split is None or a.items.count == 0:
        return None
    parts = a.split.parts
    total = float(parts.wait.sum())
    by_cause = wait_by_cause(a)
    behind = a.split.behind_blocked
    e = a.execution
    return {
        "wait_ms": {name: _mean_ms(part) for name, part in by_cause.items()},
        "wait_share": {name: round(float(part.sum()) / total, 6) if total else 0.0 for name, part in by_cause.items()},
        "parts_ms": {name: summarise_ms(part, a.items.censored) for name, part in by_cause.items()},
        "judged": {
            "items": evidence.count,
            "late_only": evidence.chosen is not None,
            "wait_ms": {name: round(evidence.mean_ms(part), 6) for name, part in by_cause.items()},
            "wait_share": wait_share(evidence) or {},
        },
        "injection_ms": {"behind_blocked": _mean_ms(behind), "behind_cpu": _mean_ms(parts.injection - behind)},
        "blocking_ms": {"holding": _mean_ms(parts.holding), "dependency": _mean_ms(parts.dependency)},
        "delay_ms": round(evidence.mean_delay_ms, 6),
        "removable_ms": removable(evidence),
        "threads_needed": threads_needed(evidence),
        "execution_ms": {
            "cpu": _mean_ms(e.cpu),
            "blocked": _mean_ms(e.blocked),
            "ready": _mean_ms(e.ready),
            "runtime": _mean_ms(e.runtime),
            "unknown": _mean_ms(e.unknown),
        },
        "execution_bounds_ms": _bounds(a),
        "residual_ns": int(np.abs(parts.residual).max()),
    }


def _bounds(attribution: Attribution) -> dict[str, list[float]] | None:
    """Returns the least and the most of each part of the mean execution, or None if the parts are exact."""
    bounds = attribution.bounds
    if bounds is None:
        return None
    parts = {"cpu": bounds.cpu, "blocked": bounds.blocked, "ready": bounds.ready}
    return {name: [_mean_ms(least), _mean_ms(most)] for name, (least, most) in parts.items()}


def _mean_ms(part: IntArray) -> float:
    return round(float(part.mean()) / NS_PER_MS, 6)
