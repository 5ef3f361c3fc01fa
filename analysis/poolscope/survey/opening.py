"""Opening a capture so that its analysis fits into the memory: all of it, or a part."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import numpy as np

from poolscope.base.arrays import FloatArray
from poolscope.base.errors import InvalidArgument, UnreadableCapture
from poolscope.base.limits import LATE_LIMIT_MS
from poolscope.base.units import NS_PER_MS, NS_PER_S
from poolscope.capture import DecodedCapture, open_capture
from poolscope.capture.cut_capture import CutCapture
from poolscope.capture.part import Part, Recorded
from poolscope.html.formatting import size
from poolscope.survey.choose import choose
from poolscope.survey.cost import cost_of_stretches
from poolscope.survey.memory import free_bytes
from poolscope.survey.needs import needed_bytes, rows_of
from poolscope.survey.waits import Bins, survey_waits


@dataclass(frozen=True)
class Limits:
    """Which part a user wants, and how much memory the analysis may take."""

    from_s: float | None = None
    """s from the beginning of the recording; None: from there on."""
    until_s: float | None = None
    """None: up to the end."""
    memory: int | None = None
    """Bytes; None: what is free."""

    @property
    def names_a_part(self) -> bool:
        return self.from_s is not None or self.until_s is not None


def open_fitting(path: str | Path, limits: Limits = Limits(), late_ms: float = LATE_LIMIT_MS) -> DecodedCapture:
    """Returns the capture, or the part of it that `limits` names, or the one with the longest waits if all of it does not fit.

    Raises UnreadableCapture as `open_capture`, and where the named part, or even the shortest one, does not fit;
    InvalidArgument where the named part is none of this recording.
    """
    capture = open_capture(path)
    allowed = free_bytes() if limits.memory is None else limits.memory
    rows = rows_of(capture)
    needed = needed_bytes(rows)
    fits = allowed is None or needed <= allowed
    if fits and not limits.names_a_part:
        return capture
    waits = survey_waits(capture, round(late_ms * NS_PER_MS))
    bins = waits.bins
    if limits.names_a_part:
        start, stop = _named(limits, bins.start, bins.stop)
    if not fits:
        assert allowed is not None
        always, each = cost_of_stretches(capture, rows, bins)
        if limits.names_a_part:
            first, last = (int(number) for number in bins.of(np.array([start, stop - 1])))
            _refuse_long(path, always + float(each[first : last + 1].sum()), allowed)
        else:
            first, last = choose(waits, always, each, allowed) or _refuse_all(path, always, each, bins, allowed)
            start, stop = bins.edge(first), bins.edge(last)
    recorded = Recorded(bins.start, bins.stop, waits.sketch, waits.late, needed, allowed)
    return CutCapture(capture, Part(start, stop, limits.names_a_part, waits.late_share(start, stop), recorded))


def open_whole(path: str | Path) -> DecodedCapture:
    """Returns the capture, for what can only be answered of all of it.

    Raises UnreadableCapture as `open_capture`, and where its analysis does not fit into the memory.
    """
    capture = open_capture(path)
    needed, allowed = needed_bytes(rows_of(capture)), free_bytes()
    if allowed is not None and needed > allowed:
        raise larger_than_memory(capture, needed, allowed)
    return capture


def larger_than_memory(capture: DecodedCapture, needed: int, allowed: int) -> UnreadableCapture:
    """Returns the error of what cannot be answered of a part."""
    return UnreadableCapture(
        f"{capture.path}: all of it takes about {size(needed)} of memory, and {size(allowed)} are free; take a machine with "
        "more, or see the worst part of it: poolscope report CAPTURE"
    )


def _named(limits: Limits, start: int, stop: int) -> tuple[int, int]:
    length = (stop - start) / NS_PER_S
    begin, end = limits.from_s or 0.0, length if limits.until_s is None else limits.until_s
    if begin >= length:
        raise InvalidArgument(f"--from {begin:g}s: the recording is over by then; it is {length:.3f} s long")
    if begin >= end:
        raise InvalidArgument(f"--from {begin:g}s --until {end:g}s: the part has to end after it begins")
    return start + round(begin * NS_PER_S), min(start + round(end * NS_PER_S), stop)


def _refuse_long(path: str | Path, needed: float, allowed: int) -> None:
    if needed > allowed:
        raise UnreadableCapture(
            f"{path}: this part takes about {size(needed)} of memory, and {size(allowed)} are allowed; name a shorter one, "
            "or allow more (--memory)"
        )


def _refuse_all(path: str | Path, always: float, each: FloatArray, bins: Bins, allowed: int) -> NoReturn:
    raise UnreadableCapture(
        f"{path}: even {bins.width / NS_PER_S:.3f} s of it take about {size(always + float(each.min()))} of memory, and "
        f"{size(allowed)} are allowed; take a larger machine, or allow more (--memory)"
    )
