"""Folded stacks: one line `frame;frame;frame COUNT` per stack, as flamegraph.pl and inferno read them."""

from __future__ import annotations

import re
from pathlib import Path

from poolscope.base.errors import InsufficientEvidence
from poolscope.base.units import NS_PER_US
from poolscope.export.formats import Source, Written
from poolscope.export.stacks import NEEDS, TITLES, StackFrame, WeightedStacks, escaped, weighted_stacks, whole

_NUMBER_AT_END = re.compile(r"\s(?=\d+(\.\d*)?$)")
"""flamegraph.pl reads a number before the count as the count of a second profile."""


def write(source: Source, output: Path, view: str | None) -> Written:
    """Writes one view. Raises InsufficientEvidence if the capture lacks what the view needs."""
    view = view or "blame"
    stacks = weighted_stacks(source, view)
    if stacks is None:
        raise InsufficientEvidence(f"{source.capture.path}: no view {view}: it takes {NEEDS[view]}")
    lines = folded(stacks)
    output.write_text("".join(f"{stack} {count}\n" for stack, count in lines.items()), "utf-8")
    unit = "microseconds" if stacks.unit == "nanoseconds" else stacks.unit
    notes = stacks.notes if lines else [f"\u201c{TITLES[view]}\u201d: there was no such time, so the file is empty."]
    return Written({"stacks": len(lines), unit: sum(lines.values())}, notes)


def folded(stacks: WeightedStacks) -> dict[str, int]:
    """Returns the count of each line, heaviest first.

    Counts are samples or microseconds. Each differs by less than 1 from the measured time, and together they are the
    rounded total. Stacks below half a microsecond may be missing.
    """
    lines: dict[str, int] = {}
    for stack, weight in zip(stacks.stacks, stacks.weights, strict=True):
        line = _line(stack)
        lines[line] = lines.get(line, 0) + weight
    if stacks.unit == "samples":
        return lines
    counts = whole([weight / NS_PER_US for weight in lines.values()])
    return {line: count for line, count in zip(lines, counts, strict=True) if count > 0}


def _line(stack: tuple[StackFrame, ...]) -> str:
    path = ";".join(frame.name.replace(";", escaped(";")) for frame in stack)
    # Some readers treat a line that begins with # as a comment.
    path = escaped("#") + path[1:] if path.startswith("#") else path
    return _NUMBER_AT_END.sub(lambda blank: escaped(blank[0]), path)
