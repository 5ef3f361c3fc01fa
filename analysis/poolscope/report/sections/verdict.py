"""The top of the page: the verdict, its confidence, what the evidence covers, and the part of the recording that was
analysed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from poolscope.capture.capture import WHOLE_SYSTEM
from poolscope.contract.analysis_json import AnalysisJson, CoverageJson, PartJson
from poolscope.html.formatting import count, counted, duration, moment, percent, size
from poolscope.report.sections.without_items import shown_lines

SHOWN: tuple[Literal["p50", "p99", "max"], ...] = ("p50", "p99", "max")


def part_lines(part: PartJson | None) -> list[str]:
    """Returns one or two sentences that a reader needs before the figures. Empty if all of the recording was
    analysed."""
    if part is None:
        return []
    recording = part["recording"]
    span = f"{moment(part['from_s'])} to {moment(part['to_s'])} of {moment(recording['seconds'])}"
    if part["chosen"] == "named":
        why = "the part that --from and --until name"
    else:
        why = (
            f"the part with the most waiting that fits into {size(part['allowed_bytes'])} of memory; all of it takes about "
            f"{size(part['needed_bytes'])}"
        )
    lines = [
        f"Analysed: {span}, {why}. Unless they say otherwise, figures are of this part, and times count from its beginning."
    ]
    waits = recording["wait_ms"]
    if waits["p99"] is None or part["items_share"] is None:
        return [*lines, "The recording has no work item."]
    median, p99, longest = (duration(waits[key], key in waits["at_least"]) for key in SHOWN)
    late = f"{recording['late']:,} of them late" if recording["late"] else "none of them late"
    lines.append(
        f"The whole recording: {counted(recording['items'], 'work item')}, {late}; wait: median {median}, p99 {p99} (each within "
        f"{part['recording']['percentile_error'] * 100:g} %), longest {longest}."
    )
    of_late = (
        ""
        if part["late_wait_share"] is None
        else f" and {percent(part['late_wait_share'])} of the waiting of late ones"
    )
    return [*lines, f"This part has {percent(part['items_share'])} of these items{of_late}."]


_UNIT = r"(?: (?:%|µs|ms|s|min|h)(?!\w)| late items?| work items?| items?| threads?| tasks?)"
NUMBER = re.compile(rf"(?<![\w.:\-/])(?:\d[\d,.]*\d|\d)(?:(?: of \d[\d,]*)?{_UNIT}|(?= of \d)|(?![\w.:/]))")
"""A number with its unit or noun. Digits inside a name, such as a line of a file, do not match."""
TRUST, CORES, CAPTURED, POOL, WAITS, SPLIT = "whatif-trust", "cores", "captured", "pool", "waits", "split"
SENTENCES = (
    (re.compile(r"(model|replay) error|prediction", re.IGNORECASE), TRUST),
    (re.compile(r"held cores|other process|on the machine", re.IGNORECASE), CORES),
    (re.compile(r"\blost\b|recording|stream|snapshot|kernel|before the capture|at its end", re.IGNORECASE), CAPTURED),
)
"""Patterns for the subject of a sentence that decides which part shows its numbers. The first match counts."""


@dataclass(frozen=True)
class Piece:
    """A part of a text. `anchor` is empty if it is no link."""

    text: str
    anchor: str = ""


def linked(text: str, predicted: bool = True) -> list[Piece]:
    """Splits a text so that each number is a separate piece with an anchor. The pieces add up to the text.

    `predicted`: whether the page says how far predictions can be trusted.
    """
    about = next((anchor for words, anchor in SENTENCES if words.search(text)), "")
    if about == TRUST and not predicted:
        about = SPLIT
    pieces: list[Piece] = []
    at = 0
    for match in NUMBER.finditer(text):
        pieces += [Piece(text[at : match.start()]), Piece(match[0], about or _shown(match, text))]
        at = match.end()
    return [piece for piece in [*pieces, Piece(text[at:])] if piece.text]


def _shown(match: re.Match[str], text: str) -> str:
    """Returns the part that shows a number of the verdict's own sentence."""
    if match[0].endswith(("item", "items")) or re.search(r"p99 wait $", text[: match.start()]):
        return WAITS
    return POOL if match[0].endswith(("thread", "threads", "task", "tasks")) else SPLIT


@dataclass(frozen=True)
class Kind:
    """The appearance of a verdict. A cause, healthy, no work and cannot tell differ in word, mark and colour."""

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
    """One statement of the coverage line. `good` is False if the evidence has a gap."""

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
    """Returns what the capture shows and what it does not, including gaps. The line has the same parts for a complete
    capture as for a damaged one.

    `trust` is the part of the page with the replay error. `of_part`: only a part of the recording was analysed.
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
        # If the replay of the run as it was misses by a quarter, predictions only show a direction.
        line.append(Covered(f"replay error {percent(abs(c['replay_error']))}", abs(c["replay_error"]) <= 0.25, trust))
    return line


def _lost(stream: str, lost: int, events: int, known: bool) -> str:
    if lost == 0 and not known:
        return f"lost {stream} events not counted"
    if lost == 0:
        return f"no {stream} event lost"
    return f"{counted(lost, stream + ' event')} lost ({percent(lost / (events + lost))})"


def _lossy(coverage: CoverageJson) -> str:
    """Returns a sentence on the stream with the worst loss, the items that lived in its gap, and the other streams with
    losses."""
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
