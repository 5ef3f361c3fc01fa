"""A look at a memory dump as one HTML page: a pure function of what `poolscope look --json` prints."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from markupsafe import Markup

from poolscope.html.page import ASSETS, content_security_policy, environment
from poolscope.version import __version__

HERE = Path(__file__).parent
ROWS = 20
"""Rows of a table; the rest is one row."""
FRAMES = 40
"""Frames of a stack that are shown."""


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
    """Returns one thread with its stack, or a lock with its holder's."""
    frames = thread["frames"] or []
    return {**thread, "frames": frames[:FRAMES], "cut": len(frames) - FRAMES}
