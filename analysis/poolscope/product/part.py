"""The analysed part of the recording, and the figures of the whole."""

from __future__ import annotations

from poolscope.base.sketch import ALPHA
from poolscope.base.units import NS_PER_S
from poolscope.capture.part import Part
from poolscope.contract.analysis_json import PartJson


def part_json(part: Part, items: int) -> PartJson:
    """Returns `part` of analysis.json. `items` counts those that were analysed."""
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
            "wait_ms": recorded.waits.summary_ms(),
            "percentile_error": ALPHA,
        },
        "needed_bytes": recorded.needed,
        "allowed_bytes": recorded.allowed,
    }
