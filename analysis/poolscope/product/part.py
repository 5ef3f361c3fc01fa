"""Which part of the recording was analysed, and what is known of all of it."""

from __future__ import annotations

from poolscope.base.sketch import ALPHA, Sketch
from poolscope.base.statistics import Bound
from poolscope.base.units import NS_PER_MS, NS_PER_S
from poolscope.capture.part import Part
from poolscope.contract.analysis_json import PartJson, SummaryJson


def part_json(part: Part, items: int) -> PartJson:
    """`part` of analysis.json. `items`: how many were analysed."""
    recorded = part.recorded
    count = recorded.waits.count
    return {
        "from_s": round((part.start - recorded.start) / NS_PER_S, 6),
        "to_s": round((part.stop - recorded.start) / NS_PER_S, 6),
        "chosen": "named" if part.named else "longest_waits",
        "items_share": round(min(items / count, 1.0), 6) if count else None,
        "late_wait_share": None if part.late_share is None else round(part.late_share, 6),
        "recording": {
            "seconds": round((recorded.stop - recorded.start) / NS_PER_S, 6),
            "items": count,
            "late": recorded.late,
            "wait_ms": _summary(recorded.waits),
            "percentile_error": ALPHA,
        },
        "needed_bytes": recorded.needed,
        "allowed_bytes": recorded.allowed,
    }


def _summary(waits: Sketch) -> SummaryJson:
    if not waits.count:
        return {"mean": None, "p50": None, "p90": None, "p99": None, "max": None, "at_least": []}
    censored = waits.bounds > 0
    figures = {
        "mean": Bound(waits.mean, censored),
        **{f"p{p}": waits.quantile(p / 100) for p in (50, 90, 99)},
        "max": Bound(float(waits.most), censored),
    }
    ms = {name: round(bound.value / NS_PER_MS, 6) for name, bound in figures.items()}
    return {
        "mean": ms["mean"],
        "p50": ms["p50"],
        "p90": ms["p90"],
        "p99": ms["p99"],
        "max": ms["max"],
        "at_least": [name for name, bound in figures.items() if bound.at_least],
    }
