"""A look for a terminal, from what `poolscope look --json` prints, in the words of the collector's LookText.cs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

ROWS = 10


def lines(look: Mapping[str, Any]) -> Iterator[str]:
    """Yields the answer, the tables, what moved, and the verdict."""
    pool, queue, threads, verdict = look["pool"], look["queue"], look["threads"], look["verdict"]
    yield look["text"]
    yield ""
    yield "limits    " + ", ".join(
        f"{words} {_number(pool[key])}"
        for key, words in (
            ("minimum", "minimum"),
            ("maximum", "maximum"),
            ("goal", "goal"),
            ("active", "active"),
            ("idle", "idle"),
        )
    )
    queued = [(item["count"], f"{item['method']} ({item['kind']})") for item in queue["items"]]
    if queue["length"]:
        yield from _table("queued    what", queued, queue["length"])
    if threads["groups"]:
        inside = [(group["count"], _does(group)) for group in threads["groups"]]
        yield from _table("threads   inside", inside, sum(count for count, _ in inside))
    if threads["not_read"] is None or threads["not_read"] > 0:
        unread = "all threads" if threads["not_read"] is None else f"{threads['not_read']:,} threads"
        yield ""
        yield f"Not read: the stacks of {unread}. Threads started or ended meanwhile, or time ran out."
    for held in look["locks"][:ROWS]:
        if held["waiting"]:
            owner = "" if held["owner"] is None else f", thread {held['owner']} holds it"
            place = f" in {held['method']}" if held.get("method") else ""
            yield f"lock      {held['type']}: {held['waiting']:,} wait{owner}{place}"
    for timer in look["timers"][:ROWS]:
        yield f"timer     {timer['method']}: {timer['count']:,} should have fired, {timer['late_ms']:,} ms ago at most"
    if moved := look["moved"]:
        yield ""
        ended = "" if moved["ended"] is None else f"{moved['ended']:,} items ended; "
        yield (
            f"Within {moved['seconds']:.1f} s {ended}the queue went from {moved['queue_before']:,} "
            f"to {moved['queue_after']:,}."
        )
    yield ""
    yield f"verdict: {verdict['id']} (confidence: {verdict['confidence']})"
    yield verdict["why"]
    yield verdict["next"]


def _table(head: str, rows: list[tuple[int, str]], total: int) -> Iterator[str]:
    yield ""
    yield head
    for count, words in rows[:ROWS]:
        yield f"{count:6,}    {words}"
    if (rest := total - sum(count for count, _ in rows[:ROWS])) > 0:
        yield f"{rest:6,}    others"


def _does(group: Mapping[str, Any]) -> str:
    where = (group["method"] or "no method of the program") + (f" ({group['place']})" if group["place"] else "")
    call = f" in {group['call']}" if group["call"] else ""
    entry = f", called by {group['entry']}" if group["entry"] else ""
    return where + (f" waits{call}" if group["waits"] else " runs") + entry


def _number(value: int | None) -> str:
    return "not known" if value is None else f"{value:,}"
