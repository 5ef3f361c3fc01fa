"""The code that held the pool's threads while items waited."""

from __future__ import annotations

from typing import Any

from poolscope.blame.kinds import KIND_WORDS, is_user
from poolscope.report.formatting import ABSENT, counted, duration, percent

NO_STACK = "no stack"
NO_NAME = "code without a name"


def blame_section(analysis: dict[str, Any]) -> dict[str, Any]:
    blame = analysis.get("blame")
    coverage = analysis["coverage"]
    return {
        "known": blame is not None,
        "rows": [_row(row) for row in blame or []],
        "open": _open(coverage) if blame else [],
    }


def _row(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "method": row["method"] or (NO_NAME if row["stacks"] else NO_STACK),
        "kind": KIND_WORDS.get(row["kind"], row["kind"]),
        "thread_time": duration(row["thread_s"] * 1e3),
        "share": percent(row["share"]),
        "known_by": _known_by(row),
        "stacks": [
            {
                "thread_time": duration(stack["thread_s"] * 1e3),
                "frames": [{"text": f or NO_NAME, "user": is_user(f)} for f in stack["frames"]],
            }
            for stack in row["stacks"]
        ],
    }


def _known_by(row: dict[str, Any]) -> str:
    if not row["stacks"]:
        return ABSENT
    share = row["event_s"] / row["thread_s"] if row["thread_s"] else 0.0
    return "wait events" if share > 0.99 else "snapshots" if share < 0.01 else "both"


def _open(coverage: dict[str, Any]) -> list[str]:
    """What the table cannot tell."""
    said = []
    held, unblamed = coverage.get("held_ms"), coverage.get("unblamed_ms")
    if held and unblamed:
        said.append(
            f"{duration(unblamed)} of {duration(held)} blocked ({percent(unblamed / held)}) has no stack: no event "
            "tells of it and no snapshot fell into it. A shorter --snapshots names more."
        )
    frames, unresolved = coverage.get("stack_frames"), coverage.get("unresolved_frames")
    if frames and unresolved:
        said.append(f"{counted(unresolved, 'frame')} of {frames:,} on all stacks without a name.")
    return said
