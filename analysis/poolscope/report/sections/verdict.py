"""The top of the page: the verdict, how sure it is, and what the evidence covers."""

from __future__ import annotations

from dataclasses import dataclass

from poolscope.capture.capture import WHOLE_SYSTEM
from poolscope.contract.analysis_json import AnalysisJson, CoverageJson
from poolscope.html.formatting import count, counted, percent
from poolscope.report.linked import TRUST, linked
from poolscope.report.sections.part import part_lines
from poolscope.report.sections.without_items import shown_lines


@dataclass(frozen=True)
class Kind:
    """How a verdict looks. Cause, healthy, nothing seen and cannot tell differ in word, mark and colour."""

    name: str
    """The CSS class."""
    word: str
    mark: str


CAUSE = Kind("cause", "Cause found", "!")
KINDS = {
    "healthy": Kind("healthy", "Healthy", "\N{CHECK MARK}"),
    "no-work": Kind("no-work", "No work seen", "\N{EN DASH}"),
    "cannot-tell": Kind("cannot-tell", "Cannot tell", "?"),
}
ENDED = ("cut", "damaged")
"""Losses of the rest of a file, which the coverage line shows as such."""
CONFIDENCE_LEVELS = {"high": 3, "medium": 2, "low": 1}


@dataclass(frozen=True)
class Covered:
    """One statement of the coverage line. `good` is False if the evidence has a hole."""

    text: str
    good: bool
    anchor: str = "captured"
    """The part of the page that shows it."""


def verdict_section(analysis: AnalysisJson) -> dict[str, object]:
    verdict = analysis["verdict"]
    predicted = analysis["what_if"] is not None
    return {
        "kind": KINDS.get(verdict["id"], CAUSE),
        "id": verdict["id"],
        "text": verdict["text"],
        "said": linked(verdict["text"], predicted),
        "confidence": verdict["confidence"],
        "level": CONFIDENCE_LEVELS.get(verdict["confidence"], 1),
        "reasons": [linked(reason, predicted) for reason in dict.fromkeys(verdict["reasons"])],
        "coverage": coverage_line(analysis["coverage"], TRUST if predicted else "captured", "part" in analysis),
        "part": part_lines(analysis.get("part")),
        "shown": shown_lines(analysis),
    }


def coverage_line(coverage: CoverageJson, trust: str = "captured", of_part: bool = False) -> list[Covered]:
    """Returns what was seen and what was not, holes included: it is as long for a whole capture as for a broken one.

    `trust`: the part of the page that shows the replay error. `of_part`: only a part of the recording was analysed.
    """
    c = coverage
    span = "this part" if of_part else "the capture"
    lost, lost_scheduler = c["lost"], c["lost_scheduler"]
    censored = c["censored_start"] + c["queued_at_end"]
    tier = c["tier"]
    seen = "everything" if c["scope"] == "system" else "own threads and who woke them"
    kernel = {"none": "no kernel stream", "tracepoint": f"kernel tier: tracepoint ({seen})"}
    kernel["schedstat"] = (
        f"kernel tier: schedstat (own threads, sums over {c['poll_step_ms']:g} ms)" if tier == "schedstat" else ""
    )
    kernel["etw"] = "kernel tier: etw (everything)"
    kernel["switch"] = "kernel tier: switch (own threads, no wake-ups)"
    line = [
        (
            Covered(f"{count(c['joined'])} of {counted(c['items'], 'item')} fully traced", c["joined"] == c["items"])
            if c["items_recorded"]
            else Covered("work items not recorded", False)
        ),
        Covered(_lost("runtime", lost, c["events"], c["losses_known"]), lost == 0 and c["losses_known"]),
        Covered(kernel.get(tier, f"kernel tier: {tier} (in part)"), tier in WHOLE_SYSTEM and c["scope"] == "system"),
        Covered(
            f"truncated: {', '.join(c['cut'])}"
            if c["cut"]
            else "no stream truncated"
            if c["losses"]
            else "recording complete",
            not c["cut"],
        ),
    ]
    if c["items_recorded"]:
        line.append(Covered(_censored(c, span) if censored else "all waits complete", censored == 0))
    if tier != "none":
        told = _lost("scheduler", lost_scheduler, c["events_scheduler"], c["losses_known"])
        line.insert(2, Covered(told, lost_scheduler == 0 and c["losses_known"]))
    if lost or lost_scheduler or any(loss["what"] not in ENDED for loss in c["losses"]):
        line.append(Covered(_lossy(c), False))
    if c["pool"] != "runtime":
        other = c["other_pool_items"]
        beside = f" ({counted(other, 'item')} of the runtime's own pool left out)" if other else ""
        line.insert(1, Covered(f"reference pool {c['pool']}{beside}", True))
    if c["replay_error"] is not None:
        # Where the replay of the run as it was misses by a quarter, predictions are only a direction.
        line.append(Covered(f"replay error {percent(abs(c['replay_error']))}", abs(c["replay_error"]) <= 0.25, trust))
    return line


def _lost(stream: str, lost: int, events: int, known: bool) -> str:
    if lost == 0 and not known:
        return f"lost {stream} events not counted"
    if lost == 0:
        return f"no {stream} event lost"
    return f"{counted(lost, stream + ' event')} lost ({percent(lost / (events + lost))})"


def _lossy(coverage: CoverageJson) -> str:
    """Returns where the items stand that lived in a gap of any stream, the worst kind of loss first."""
    losses = [loss for loss in coverage["losses"] if loss["what"] not in ENDED]
    if not losses:
        return "the time of lost events is unknown"
    worst = max(losses, key=lambda loss: float(loss["wait_share"]))
    others = len({loss["stream"] for loss in losses} - {worst["stream"]})
    more = f", and {counted(others, 'other stream')} lost something" if others else ""
    return (
        f"{worst['stream']}: gaps from {worst['first_s']:.3f} s to {worst['last_s']:.3f} s, "
        f"{counted(worst['items'], 'item')} with {percent(worst['wait_share'])} of the wait lived then{more}"
    )


def _censored(coverage: CoverageJson, span: str) -> str:
    at_start, at_end = coverage["censored_start"], coverage["queued_at_end"]
    parts = []
    if at_start:
        parts.append(f"{counted(at_start, 'item')} queued before {span}")
    if at_end:
        parts.append(f"{counted(at_end, 'item')} still queued at its end")
    return ", ".join(parts)
