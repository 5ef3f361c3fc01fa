"""What the verdict says of the requests of a web service."""

from __future__ import annotations

from poolscope.base.units import NS_PER_MS
from poolscope.base.words import duration, percent
from poolscope.evidence.evidence import Evidence

ENOUGH = 0.5
"""Share of the requests that must be tied and answered: less, and the others might be the slow ones."""
GROUPS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "waiting for a thread": ((), ("injection", "blocking")),
    "waiting for a core": (("ready",), ("core",)),
    "suspended by the runtime, or handed to a thread": (("runtime",), ("runtime",)),
    "lying unread before a thread took it": ((), ("other",)),
    "waiting for other services": (("services",), ()),
    "in their own work": (("cpu", "blocked", "unseen"), ()),
    "waiting for a timer": (("timer",), ()),
    "waiting for data on a shared connection": (("shared",), ()),
    "waiting for a thread outside the pool": (("thread",), ()),
    "waiting for something that no event shows": (("other",), ()),
}
"""Parts of the latency and causes of its waits, by what a reader of the first sentence wants to know. Together they are the
latency: `unread` and `queued` are reported by their causes."""


def requests_sentence(evidence: Evidence, with_parts: bool = True, beyond: bool = False) -> str:
    """Returns how long requests took and the largest part of that, as a sentence after a space; empty without requests, or with
    too few that can be measured. Not `with_parts`: only how long. Beside a place that late requests had, "lying unread" is no
    news. `beyond`: the time in question came after the first byte of the answer, up to which requests are measured."""
    requests, parts = evidence.requests, evidence.request_parts
    if requests is None or parts is None or len(parts.row) < ENOUGH * requests.count:
        return ""
    groups = {
        words: sum(float(parts.part[name].sum()) for name in own)
        + sum(float(parts.cause[name].sum()) for name in causes)
        for words, (own, causes) in GROUPS.items()
    }
    total = sum(groups.values())
    if total <= 0:
        return ""
    most = max(groups, key=lambda words: groups[words])
    mean = duration(total / len(parts.row) / NS_PER_MS)
    count = "The request" if len(parts.row) == 1 else f"{len(parts.row):,} answered requests"
    if beyond:
        return f" The first byte of an answer went out {mean} after its request arrived, on average."
    parts_said = f", {percent(groups[most] / total)} of it {most}" if with_parts else ""
    return f" {count} took {mean} on average{parts_said}."
