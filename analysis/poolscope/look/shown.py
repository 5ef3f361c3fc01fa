"""Renders a look at a memory dump, the output of `poolscope look --json`, as one HTML page and as text for a
terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from markupsafe import Markup

from poolscope.html.page import ASSETS, content_security_policy, environment
from poolscope.version import __version__

HERE = Path(__file__).parent
ROWS = 20
"""The most rows of a table. The rest becomes one row."""
FRAMES = 40
"""The most frames shown of a stack."""


def render(look: Mapping[str, Any]) -> str:
    """Returns the page. The same input gives the same bytes."""
    queue, threads, verdict = look["queue"], look["threads"], look["verdict"]
    shown = queue["items"][:ROWS]
    page: str = (
        environment(HERE / "templates")
        .get_template("look.html")
        .render(
            version=__version__,
            policy=content_security_policy([]),
            style=Markup("".join((ASSETS / name).read_text("utf-8") for name in ("style.css", "text.css"))),
            scripts=[],
            data={},
            redacted="redacted" in look,
            target=Path(look["target"]).name,
            runtime=look["runtime"],
            text=look["text"],
            verdict=verdict,
            tone={"healthy": "healthy", "cannot-tell": "cannot-tell"}.get(verdict["id"], "cause"),
            limits=_limits(look["pool"]),
            queued=shown,
            unlisted=queue["length"] - sum(item["count"] for item in shown),
            length=queue["length"],
            groups=[_group(group) for group in threads["groups"][:ROWS]],
            more_groups=sum(group["count"] for group in threads["groups"][ROWS:]),
            others=[_other(thread) for thread in threads["others"][:ROWS]],
            not_read=threads["not_read"],
            locks=[_other({"frames": [], **lock}) for lock in look["locks"][:ROWS]],
        )
    )
    return page


def _limits(pool: Mapping[str, Any]) -> list[tuple[str, str]]:
    names = {
        "minimum": "Minimum",
        "maximum": "Maximum",
        "goal": "Threads that the pool wants",
        "active": "Active threads",
        "idle": "Idle threads",
    }
    return [(words, "not known" if pool[key] is None else f"{pool[key]:,}") for key, words in names.items()]


def _group(group: Mapping[str, Any]) -> dict[str, Any]:
    does = (f"waits in {group['call']}" if group["call"] else "waits") if group["waits"] else "runs"
    return {**group, "does": does, "frames": group["frames"][:FRAMES], "cut": len(group["frames"]) - FRAMES}


def _other(thread: Mapping[str, Any]) -> dict[str, Any]:
    """Returns one thread with its stack, or a lock with its holder's stack."""
    frames = thread["frames"] or []
    return {**thread, "frames": frames[:FRAMES], "cut": len(frames) - FRAMES}


LINES = 10


def lines(look: Mapping[str, Any]) -> Iterator[str]:
    """Yields the lines: the answer, the tables, what changed, and the verdict."""
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
    for held in look["locks"][:LINES]:
        if held["waiting"]:
            owner = "" if held["owner"] is None else f", thread {held['owner']} holds it"
            place = f" in {held['method']}" if held.get("method") else ""
            yield f"lock      {held['type']}: {held['waiting']:,} wait{owner}{place}"
    for timer in look["timers"][:LINES]:
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
    for count, words in rows[:LINES]:
        yield f"{count:6,}    {words}"
    if (rest := total - sum(count for count, _ in rows[:LINES])) > 0:
        yield f"{rest:6,}    others"


def _does(group: Mapping[str, Any]) -> str:
    where = (group["method"] or "no method of the program") + (f" ({group['place']})" if group["place"] else "")
    call = f" in {group['call']}" if group["call"] else ""
    entry = f", called by {group['entry']}" if group["entry"] else ""
    return where + (f" waits{call}" if group["waits"] else " runs") + entry


def _number(value: int | None) -> str:
    return "not known" if value is None else f"{value:,}"
