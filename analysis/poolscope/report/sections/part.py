"""The part of the recording that the answer covers, and the figures of the whole."""

from __future__ import annotations

from typing import Literal

from poolscope.contract.analysis_json import PartJson
from poolscope.html.formatting import counted, duration, moment, percent, size

SHOWN: tuple[Literal["p50", "p99", "max"], ...] = ("p50", "p99", "max")


def part_lines(part: PartJson | None) -> list[str]:
    """Returns what a reader has to know before the figures, one sentence or two each; none if all of the recording was analysed."""
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
