"""The answer in one or two sentences."""

from __future__ import annotations

from collections.abc import Sequence

from poolscope.base.words import change, duration, percent
from poolscope.compare.judge import CANNOT_TELL, FEWER, LONGER, MORE, NO_CHANGE, SHORTER, Row
from poolscope.compare.of_requests import ANSWERED

SUBSETS = ("holding.mean", "dependency.mean")
"""Parts of a part: naming both would name the same time twice."""


def headline(rows: Sequence[Row], single: bool, places: str = "") -> str:
    """Returns the change of items first, with the part that changed most, then the same for requests. `places`: the
    places of late requests. With it the answer begins with these, because work items started on time."""
    if places and (open_ends := _all_open(rows, single)):
        return f"{places} {open_ends}"
    items, requests = _items(rows, single), _requests(rows)
    return " ".join(said for said in ((places, requests, items) if places else (items, requests)) if said)


def _all_open(rows: Sequence[Row], single: bool) -> str:
    """Returns one sentence if neither requests nor items can be judged, for the same reason; otherwise empty."""
    latency = [row for row in _of(rows, "requests") if row.quantity.key != ANSWERED.key]
    judged = [*latency, *_of(rows, "wait"), *_of(rows, "completion")]
    if not latency or any(row.verdict != CANNOT_TELL or row.reason != judged[0].reason for row in judged):
        return ""
    label = "Single runs: " if single else ""
    return f"{label}Cannot tell whether requests take, or items wait, longer or shorter: {judged[0].reason}."


def _items(rows: Sequence[Row], single: bool) -> str:
    waits, ends = _of(rows, "wait"), _of(rows, "completion")
    label = "Single runs: " if single else ""
    text = _group(waits, "wait") or _group(ends, "complete")
    if text is None:
        judged = [row.verdict for row in (*waits, *ends)]
        if all(verdict == CANNOT_TELL for verdict in judged):
            reason = waits[0].reason
            return f"{label}Cannot tell whether items wait longer or shorter: {reason}."
        open_rows = [row for row in (*waits, *ends) if row.verdict == CANNOT_TELL]
        if open_rows:
            names = ", ".join(row.quantity.words for row in open_rows)
            return f"{label}No change seen in the rows with enough evidence; cannot tell: {names}."
        return f"{label}No change seen in how long items wait or take to complete."
    if not _group(waits, "wait"):
        text += " No change seen in how long they wait."
    return label + text + _parts(rows, "parts", "wait")


def _requests(rows: Sequence[Row]) -> str:
    """Returns the change in the latency of requests, and in their answered share; empty if they are not compared."""
    of_all = _of(rows, "requests")
    if not of_all:
        return ""
    latency = [row for row in of_all if row.quantity.key != ANSWERED.key]
    answered = next(row for row in of_all if row.quantity.key == ANSWERED.key)
    told = _group(latency, "take")
    if told is not None:
        said = told + _parts(rows, "request parts", "latency")
    elif all(row.verdict == CANNOT_TELL for row in latency):
        said = f"Cannot tell whether requests take longer or shorter: {latency[0].reason}."
    elif open_rows := [row for row in latency if row.verdict == CANNOT_TELL]:
        names = ", ".join(row.quantity.words for row in open_rows)
        said = f"No change seen in the request rows with enough evidence; cannot tell: {names}."
    else:
        said = "No change seen in how long requests take."
    if answered.verdict in (MORE, FEWER) and answered.a_ms is not None and answered.b_ms is not None:
        said += f" {answered.verdict.capitalize()} of them are answered: from {percent(answered.a_ms)} to {percent(answered.b_ms)}."
    return said


def _of(rows: Sequence[Row], group: str) -> list[Row]:
    return [row for row in rows if row.quantity.group == group]


def _group(rows: Sequence[Row], verb: str) -> str | None:
    """Returns one sentence about the wait or the completion; None if neither changed."""
    longer = [row for row in rows if row.verdict == LONGER]
    shorter = [row for row in rows if row.verdict == SHORTER]
    if not longer and not shorter:
        return None
    lead = (longer or shorter)[0]
    words = {"wait": ("longer", "shorter"), "complete": ("later", "sooner"), "take": ("longer", "shorter")}[verb]
    who = "Requests" if verb == "take" else "Items"
    if longer and shorter:
        other = shorter[0]
        return f"{who} {verb} differently: {_told(lead)}, but {_told(other)}."
    return f"{who} {verb} {words[0] if longer else words[1]}: {_told(lead)}."


def _told(row: Row) -> str:
    share = row.change_share
    assert share is not None and row.a_ms is not None and row.b_ms is not None
    if row.at_least:
        # A bound has no interval, and the change is no figure, either.
        before, after = (("at least " if side in row.at_least else "") for side in ("a", "b"))
        return f"{row.quantity.words} from {before}{duration(row.a_ms)} to {after}{duration(row.b_ms)}"
    return (
        f"{row.quantity.words} {change(share[0])} ({change(share[1])} to {change(share[2])}), "
        f"from {duration(row.a_ms)} to {duration(row.b_ms)}"
    )


def _parts(rows: Sequence[Row], group: str, whole: str) -> str:
    """Returns the part of the wait or the latency that changed most, with its direction."""
    changed = [
        (abs(row.change_ms[0]), row)
        for row in _of(rows, group)
        if row.verdict in (LONGER, SHORTER) and row.quantity.key not in SUBSETS and row.change_ms is not None
    ]
    if not changed:
        parts = _of(rows, group)
        return (
            ""
            if all(row.verdict == NO_CHANGE for row in parts)
            else f" There is not enough evidence to say which part of the {whole} changed."
        )
    most, row = max(changed, key=lambda pair: pair[0])
    assert row.change_ms is not None
    sign = "+" if row.change_ms[0] > 0 else "-"
    which = "part" if whole == "wait" else f"part of the {whole}"
    return f" The {which} that changed most is {row.quantity.words}: {sign}{duration(most)} on average."
