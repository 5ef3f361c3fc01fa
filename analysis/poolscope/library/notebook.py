"""What a notebook shows of a capture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from poolscope.base.units import NS_PER_MS, NS_PER_S
from poolscope.base.words import duration, items, moment, percent
from poolscope.capture import DecodedCapture
from poolscope.html.notebook import card, paragraph, split_bar, table

if TYPE_CHECKING:
    from poolscope.product import Analysis


def capture_card(capture: DecodedCapture, analysis: Analysis | None) -> str:
    """Returns what was recorded, where and how long; and the verdict with the split of the mean wait, if there is an `analysis`."""
    target, host = capture.manifest["target"], capture.manifest["host"]
    start, stop = capture.window
    rows = [
        ("process", f"{target.get('name')} {target.get('pid')}, {target.get('runtime')}"),
        ("host", f"{host.get('name')}, {host.get('os')}"),
        ("recorded", moment((stop - start) / NS_PER_S)),
        ("kernel tier", capture.kernel_tier),
    ]
    told = _told(analysis) if analysis is not None else [paragraph("Not analysed yet: ask for verdict().", faint=True)]
    return card(f"Capture {capture.path.name}", table(("", ""), rows), *told)


def _told(analysis: Analysis) -> list[Markup]:
    verdict, waits = analysis.verdict, analysis.attribution.items.wait
    told = [paragraph(verdict.text), paragraph(f"Confidence: {verdict.confidence}.", faint=True)]
    if len(waits) == 0 or waits.sum() == 0:
        return told
    from poolscope.product.causes import CAUSE_WORDS, wait_by_cause

    shares = {cause: float(part.sum() / waits.sum()) for cause, part in wait_by_cause(analysis.attribution).items()}
    mean = paragraph(f"{items(len(waits))} waited {duration(float(waits.mean()) / NS_PER_MS)} on average:")
    return [*told, mean, split_bar(shares, {c: f"{CAUSE_WORDS[c]} {percent(share)}" for c, share in shares.items()})]
