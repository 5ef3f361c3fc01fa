"""The code that held the pool's threads while items waited."""

from __future__ import annotations

from typing import Any

from poolscope.blame.kinds import KIND_WORDS
from poolscope.html.formatting import ABSENT, counted, duration, percent
from poolscope.naming import is_user

NO_STACK = "no stack"
NO_NAME = "code without a name"
SHOWN = 5
"""Methods in sight, the costliest; the others are folded."""


def blame_section(analysis: dict[str, Any]) -> dict[str, Any]:
    blame = analysis.get("blame")
    coverage = analysis["coverage"]
    rows = [_row(row) for row in blame or []]
    return {
        "known": blame is not None,
        "rows": rows,
        "first": rows[:SHOWN],
        "more": rows[SHOWN:],
        "more_words": counted(len(rows[SHOWN:]), "more method"),
        "open": _open(coverage) if blame else [],
    }


def _row(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "method": row["method"] or (NO_NAME if row["stacks"] else NO_STACK),
        "place": source_place(row),
        "kind": KIND_WORDS.get(row["kind"], row["kind"]),
        "call": row.get("call"),
        "thread_time": duration(row["thread_s"] * 1e3),
        "share": percent(row["share"]),
        "interval": _interval(row),
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
    measured = row["thread_s"] - row.get("estimated_s", 0.0)
    share = row["event_s"] / measured if measured else 0.0
    source = "wait events" if share > 0.99 else "snapshots" if share < 0.01 else "both"
    samples = f"; {row['samples']:,} of {counted(row['samples_of'], 'sample')}" if row.get("samples") else ""
    return f"{source}{samples}"


def source_place(row: dict[str, Any]) -> str | None:
    """File and line, without the folders; None: not known. Also whose code it is, where it is not the reader's own."""
    file, line = row.get("file"), row.get("line")
    place = f"{str(file).replace(chr(92), '/').rsplit('/', 1)[-1]}:{line}" if file and line else None
    if row["method"] and row["stacks"] and row.get("own") is False:
        return f"{place}, framework" if place else "framework"
    return place


def _interval(row: dict[str, Any]) -> str | None:
    """The ends of the 95 % interval, where they are apart."""
    low, high = row.get("share_low"), row.get("share_high")
    if low is None or high is None or high - low < 0.005:
        return None
    if high >= 0.995:
        return f"at least {percent(low)}"
    if low < 0.005:
        return f"at most {percent(high)}"
    return f"{percent(low)} to {percent(high)}"


def _held_by(held: dict[str, Any]) -> list[str]:
    """Who held the locks and what they did: all owners together, then the costliest."""
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
            "tells of it, no snapshot fell into it, and the snapshots that met such blocks do not account for it. A "
            "shorter --snapshots names more."
        )
    estimated = coverage.get("estimated_ms")
    if held and estimated:
        said.append(
            f"{duration(estimated)} of {duration(held)} blocked ({percent(estimated / held)}) is estimated: no event tells "
            f"of it and no snapshot fell into it, so it is divided by what {counted(coverage['estimate_snapshots'], 'snapshot')} "
            "saw of other such blocks. The threads of one snapshot count as one observation; intervals are of 95 %."
        )
    frames, unresolved = coverage.get("stack_frames"), coverage.get("unresolved_frames")
    if frames and unresolved:
        said.append(f"{counted(unresolved, 'frame')} of {frames:,} on all stacks without a name.")
    return said
