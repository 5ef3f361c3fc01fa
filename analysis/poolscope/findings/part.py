"""A verdict that rests on a part of the recording says so, and is not more certain than that allows."""

from __future__ import annotations

from dataclasses import replace

from poolscope.base.units import NS_PER_S
from poolscope.base.words import moment, percent
from poolscope.capture.part import Part
from poolscope.findings.verdict import Verdict


def of_part(verdict: Verdict, part: Part | None) -> Verdict:
    """Returns the verdict with the time that it holds for, and at most medium confidence: what made items late in this time may not
    be what did so at others. The verdict of a whole recording is unchanged."""
    if part is None:
        return verdict
    begin, end, length = (
        moment((at - part.recorded.start) / NS_PER_S) for at in (part.start, part.stop, part.recorded.stop)
    )
    late = "" if part.late_share is None else f", with {percent(part.late_share)} of the waiting of late items"
    why = f"Only the part from {begin} to {end} was analysed{late}. The cause may differ at other times."
    return replace(
        verdict,
        text=f"From {begin} to {end} of {length}: {verdict.text}",
        confidence="medium" if verdict.confidence == "high" else verdict.confidence,
        reasons=[*verdict.reasons, why],
    )
