"""Opens a capture so that its analysis fits into memory: all of it, or the part with most of the waiting of late items.

The bytes that the analysis of each stretch takes are estimated from its rows, which one pass over the tables counts in
pieces.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NoReturn

import numpy as np

from poolscope.base.arrays import FloatArray
from poolscope.base.errors import InvalidArgument, UnreadableCapture
from poolscope.base.limits import LATE_LIMIT_MS
from poolscope.base.units import NS_PER_MS, NS_PER_S
from poolscope.base.words import size
from poolscope.capture.capture import DecodedCapture, open_capture
from poolscope.capture.in_pieces import Bins, CutCapture, Waits, survey_waits
from poolscope.capture.part import INTERVALS, MOMENTS, READINGS, Part, Recorded
from poolscope.capture.pieces import TableFile
from poolscope.capture.schema import load_schema

SHARE = 0.8
"""The share of the free memory to use: other programs also need some, and the estimate may be too low."""
CGROUPS = Path("/sys/fs/cgroup")


def free_bytes(proc: Path = Path("/proc"), cgroups: Path = CGROUPS) -> int | None:
    """Returns the bytes that an analysis may take: SHARE of the least of three amounts. These are the free memory of
    the machine, of the control groups of this process (v2 and v1), and under its limit of address space. Returns None
    if the system shows none of them, as on systems other than Linux."""
    if not sys.platform.startswith("linux"):
        return None
    found = [*_of_machine(proc), *_of_cgroups(proc, cgroups), *_of_limit(proc)]
    return int(SHARE * max(min(found), 0)) if found else None


def _of_machine(proc: Path) -> Iterator[int]:
    for line in _text(proc / "meminfo").splitlines():
        if line.startswith("MemAvailable:"):
            yield int(line.split()[1]) * 1024


def _of_cgroups(proc: Path, cgroups: Path) -> Iterator[int]:
    """Yields the free memory of each group from that of this process up to the root. Pages of files count as free,
    because the kernel frees them on demand."""
    for line in _text(proc / "self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if not controllers:
            names, root = ("memory.max", "memory.current", "inactive_file"), cgroups
        elif "memory" in controllers.split(","):
            names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
            root = cgroups / "memory"
        else:
            continue
        group = root / path.lstrip("/")
        while True:
            limit, used = _text(group / names[0]).strip(), _text(group / names[1]).strip()
            if limit.isdigit() and used.isdigit():
                stat = dict(row.split() for row in _text(group / "memory.stat").splitlines())
                yield int(limit) - int(used) + int(stat.get(names[2], 0))
            if group == root or root not in group.parents:
                break
            group = group.parent


def _of_limit(proc: Path) -> Iterator[int]:
    """Yields the address space that `ulimit -v` leaves."""
    import resource

    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    pages = _text(proc / "self/statm").split()
    if limit != resource.RLIM_INFINITY and pages:
        yield limit - int(pages[0]) * resource.getpagesize()


def _text(path: Path) -> str:
    try:
        return path.read_text("ascii", "replace")
    except OSError:
        return ""


BASE_BYTES = 250_000_000
"""The bytes for a capture with hardly any row: the interpreter and its libraries."""
MEASURED = {"work_items": 1_350, "thread_states": 80, "switches": 45, "wakeups": 60}
"""Bytes for each row, at the peak of an analysis. For four captures of very different kinds the estimate is 50 to 100 %
above the peak of a whole analysis, and the analysis of seven parts of them took 60 to 88 % of the allowed bytes."""
COPIES = 4
"""The copies of every other table: as read, sorted, and in derived arrays."""


@cache
def bytes_of_row(table: str) -> int:
    """Estimates the bytes that an analysis takes for each row of a table."""
    schema = load_schema().tables[table]
    return MEASURED.get(table, COPIES * sum(column.dtype.itemsize for column in schema.columns))


def needed_bytes(rows: Mapping[str, int]) -> int:
    """Estimates the bytes that the analysis of a capture with this many rows in each table takes."""
    return BASE_BYTES + sum(bytes_of_row(table) * count for table, count in rows.items())


def rows_of(capture: DecodedCapture) -> dict[str, int]:
    """Returns the number of rows of each table from the manifest or the headers of the files, without reading rows. A
    damaged table counts 0 rows; reading it later raises the error."""
    told = capture.manifest.get("tables")
    if told:
        return {table: int(count) for table, count in told.items() if table in load_schema().tables}
    found = {}
    for name, schema in load_schema().tables.items():
        with suppress(UnreadableCapture), capture.opened(name) as file:
            if file is not None:
                found[name] = TableFile(file, schema).rows
    return found


BEGIN = {"work_items": "dequeue", "tasks": "started", "activities": "start"}
BEGIN |= MOMENTS | {table: start for table, (start, _) in (INTERVALS | READINGS).items()}
"""The column that assigns a row to a stretch. An item counts where it ran, because its switches are there."""


def cost_of_stretches(capture: DecodedCapture, rows: dict[str, int], bins: Bins) -> tuple[float, FloatArray]:
    """Estimates the bytes that every part takes, and the bytes that each stretch adds, shape (bins.count,). `rows` has
    the count of each table. Rows that every part needs count toward the former."""
    always, each = float(BASE_BYTES), np.zeros(bins.count)
    for table, count in rows.items():
        if table not in BEGIN:
            always += count * bytes_of_row(table)
            continue
        with capture.opened(table) as file:
            if file is None:
                continue
            for piece in TableFile(file, load_schema().tables[table]).pieces():
                began = bins.of(piece.column(BEGIN[table]))
                each += np.bincount(began, minlength=bins.count) * float(bytes_of_row(table))
    return always, each


NEARLY = 0.98
"""Parts with at least this share of the best part's waiting are as good as it. Among them, `choose` takes the part at
whose ends the fewest items wait, because the part cuts off the waits of those items."""


def choose(waits: Waits, always: float, each: FloatArray, allowed: int) -> tuple[int, int] | None:
    """Returns the first stretch of the part, and the one after its last; None if not even one stretch fits.

    `always` and `each` (shape (bins.count,)): the bytes that every part takes, and those that each stretch adds;
    `allowed`: the most bytes. The part has as many stretches as fit. If no item is late, all waiting counts. If several
    parts are equal, the one in the middle is chosen, so that it has as much time before the waits as after them.
    """
    count = len(each)
    until = np.append(0.0, np.cumsum(each))
    first = np.arange(count)
    last = np.minimum(np.searchsorted(until, until[:-1] + (allowed - always), side="right") - 1, count)
    fits = last > first
    if not fits.any():
        return None
    first, last = first[fits], last[fits]
    weight = waits.waiting_late if waits.late else waits.waiting
    waited = np.append(0.0, np.cumsum(weight))
    value = waited[last] - waited[first]
    good = np.flatnonzero(value >= NEARLY * value.max())
    at_ends = waits.queued[first[good]] + waits.queued[last[good]]
    best = good[at_ends == at_ends.min()]
    one = best[len(best) // 2]
    return int(first[one]), int(last[one])


@dataclass(frozen=True)
class Limits:
    """The part that a user wants, and the memory that the analysis may take."""

    from_s: float | None = None
    """Seconds from the beginning of the recording; None: from its beginning."""
    until_s: float | None = None
    """Seconds from the beginning of the recording; None: to its end."""
    memory: int | None = None
    """Bytes; None: the free memory."""

    @property
    def names_a_part(self) -> bool:
        return self.from_s is not None or self.until_s is not None


def open_fitting(path: str | Path, limits: Limits = Limits(), late_ms: float = LATE_LIMIT_MS) -> DecodedCapture:
    """Returns the capture, or the part of it that `limits` names, or the part with the longest waits if the whole
    capture does not fit.

    Raises UnreadableCapture as `open_capture` does, and if the named part, or even the shortest one, does not fit.
    Raises InvalidArgument if the named part does not lie in this recording.
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
    """Returns the whole capture, for questions that a part cannot answer.

    Raises UnreadableCapture as `open_capture` does, and if its analysis does not fit into memory.
    """
    capture = open_capture(path)
    needed, allowed = needed_bytes(rows_of(capture)), free_bytes()
    if allowed is not None and needed > allowed:
        raise larger_than_memory(capture, needed, allowed)
    return capture


def larger_than_memory(capture: DecodedCapture, needed: int, allowed: int) -> UnreadableCapture:
    """Returns the error for a question that a part cannot answer."""
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
