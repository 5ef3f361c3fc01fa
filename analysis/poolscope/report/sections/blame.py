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
        "held_by": _held_by(row["held_by"]) if row.get("held_by") else None,
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
    estimated = row.get("estimated_s", 0.0)
    measured = row["thread_s"] - estimated
    share = row["event_s"] / measured if measured else 0.0
    source = "wait events" if share > 0.99 else "snapshots" if share < 0.01 else "both"
    if not estimated:
        return source
    error = duration(row["estimated_error_s"] * 1e3)
    return f"{source}; {duration(estimated * 1e3)} ± {error} estimated"


def _held_by(held: dict[str, Any]) -> list[str]:
    """Who held the locks and what they did: all owners together, then the dearest."""
    said = [f"Held by {counted(held['threads'], 'thread')}: {_was(held)}."]
    if held["threads"] > 1:
        said += [f"{_owner(owner)}, {duration(owner['thread_s'] * 1e3)}: {_was(owner)}." for owner in held["owners"]]
    else:
        said[0] = f"Held by {_owner(held['owners'][0])}: {_was(held)}."
    return said


def _owner(owner: dict[str, Any]) -> str:
    name = f" ({owner['name']})" if owner["name"] else ""
    return f"thread {owner['tid']}{name}"


def _was(held: dict[str, Any]) -> str:
    """What an owner was doing, of the time that others waited for it."""
    words = {"blocked": "blocked", "cpu": "running", "ready": "waiting for a core"}
    shares: dict[str, float] = {key: held["was"][key] / held["thread_s"] for key in words}
    order = sorted(words, key=lambda key: float(-shares[key]))
    states = ", ".join(f"{words[key]} {percent(shares[key])}" for key in order if shares[key] >= 0.005)
    if held["method"] is None:
        return f"{states or 'not seen'}; in which code is not known"
    doing = f"{KIND_WORDS.get(held['kind'], held['kind'])} in " if held["kind"] not in (None, "unknown") else "in "
    source = {"event": "wait event", "snapshot": "snapshot", "cpu-sample": "CPU sample"}[held["known_by"]]
    return f"{states or 'not seen'}; {doing}{held['method']} ({source})"


def _open(coverage: dict[str, Any]) -> list[str]:
    """What the table cannot tell."""
    said = []
    held, unblamed = coverage.get("held_ms"), coverage.get("unblamed_ms")
    if held and unblamed:
        said.append(
            f"{duration(unblamed)} of {duration(held)} blocked ({percent(unblamed / held)}) has no stack: no event "
            "tells of it, no snapshot fell into it, and too few snapshots met such blocks to estimate it. A shorter "
            "--snapshots names more."
        )
    estimated = coverage.get("estimated_ms")
    if held and estimated:
        said.append(
            f"{duration(estimated)} of {duration(held)} blocked ({percent(estimated / held)}) is estimated: no event tells "
            f"of it and no snapshot fell into it, so it is divided by what {coverage['estimate_snapshots']:,} snapshots saw of "
            "other such blocks. ± is the 95 % interval."
        )
    frames, unresolved = coverage.get("stack_frames"), coverage.get("unresolved_frames")
    if frames and unresolved:
        said.append(f"{counted(unresolved, 'frame')} of {frames:,} on all stacks without a name.")
    return said
