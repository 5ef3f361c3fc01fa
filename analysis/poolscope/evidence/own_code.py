"""Advice that names the reader's own code: what computes, and what holds a lock."""

from __future__ import annotations

from poolscope.base.words import percent
from poolscope.evidence.culprit import LOCKS, place_words
from poolscope.evidence.evidence import Evidence

HOT_SHARE = 0.1
"""For the workers' CPU samples: a method with less is not worth a change for the sake of the cores."""


def less_cpu(evidence: Evidence) -> str:
    """Returns what to spend less CPU in: a sentence with the user's hottest method, where samples tell."""
    row = next(iter(evidence.hot_methods), None)
    if evidence.cpu is None or row is None or row.nearest < HOT_SHARE * evidence.cpu.workers:
        return "Spend less CPU per item."
    where = str(row.frame.method)
    if row.place is not None:
        where += f" ({place_words(row.place[0], row.place[1])})"
    return (
        f"Spend less CPU per item: {percent(row.nearest / evidence.cpu.workers)} of the workers' CPU samples are in {where} "
        "and in the framework code that it calls."
    )


def shorten_the_lock(evidence: Evidence) -> str:
    """Returns what to do about the costliest lock: a sentence that names where items wait for it, and what its holder does,
    as far as events and samples tell."""
    rows = [row for row in evidence.blame.rows if row.kind in LOCKS and row.method] if evidence.blame else []
    held = evidence.lock_owners.to_json() if evidence.lock_owners is not None else None
    guarded = str(rows[0].method) if rows else None
    if rows and rows[0].place is not None:
        guarded = f"{guarded} ({place_words(rows[0].place[0], rows[0].place[1])})"
    if rows and rows[0].call is not None and rows[0].call.advice is not None:
        where = f"In {guarded}, for" if rows[0].own else "For"
        return f"{where} {rows[0].call.call}: {rows[0].call.advice}."
    said = f"Shorten the critical section that {guarded} waits for" if guarded else "Shorten the critical section"
    if held is None or held["method"] is None:
        return f"{said}: move waiting and computing out of it, or split what it guards."
    holder = str(held["method"])
    if held["file"] and held["line"]:
        holder += f" ({place_words(held['file'], held['line'])})"
    return f"{said}: its holder spends the time in {holder}. Move that out of the lock, or split what the lock guards."
