"""The code that held the pool's threads while items waited."""

from __future__ import annotations

from poolscope.contract.analysis_json import AnalysisJson, BlameRowJson, CoverageJson, HeldByJson, OwnerJson
from poolscope.html.formatting import ABSENT, count, counted, duration, percent
from poolscope.naming.choice import KIND_WORDS
from poolscope.report.sections.without_items import told_waits


NO_STACK = "no stack"
NO_NAME = "code without a name"
SHOWN = 5
"""Methods in sight, the costliest; the others are folded."""


def blame_section(analysis: AnalysisJson) -> dict[str, object]:
    blame = analysis["blame"]
    coverage = analysis["coverage"]
    rows = [_row(row) for row in blame or []]
    return {
        "known": blame is not None,
        "rows": rows,
        "first": rows[:SHOWN],
        "more": rows[SHOWN:],
        "more_words": counted(len(rows[SHOWN:]), "more method"),
        "open": _open(coverage) if blame else [],
        "told": told_waits(analysis),
    }


def _row(row: BlameRowJson) -> dict[str, object]:
    return {
        "method": row["method"] or (NO_NAME if row["stacks"] else NO_STACK),
        "place": source_place(row),
        "kind": KIND_WORDS.get(row["kind"], row["kind"]),
        "call": row["call"],
        "thread_time": duration(row["thread_s"] * 1e3),
        "share": percent(row["share"]),
        "interval": _interval(row),
        "known_by": _known_by(row),
        "held_by": _held_by(row["held_by"]) if row["held_by"] else None,
        "stacks": [
            {
                "thread_time": duration(stack["thread_s"] * 1e3),
                "frames": [{"text": f or NO_NAME, "user": at in stack["own"]} for at, f in enumerate(stack["frames"])],
            }
            for stack in row["stacks"]
        ],
    }


def _known_by(row: BlameRowJson) -> str:
    if not row["stacks"]:
        return ABSENT
    measured = row["thread_s"] - row["estimated_s"]
    share = row["event_s"] / measured if measured else 0.0
    source = "wait events" if share > 0.99 else "snapshots" if share < 0.01 else "both"
    samples = f"; {row['samples']:,} of {counted(row['samples_of'], 'sample')}" if row["samples"] else ""
    return f"{source}{samples}"


def source_place(row: BlameRowJson) -> str | None:
    """Returns file and line, without the folders, and that it is not the reader's own code; None if unknown."""
    file, line = row["file"], row["line"]
    place = f"{str(file).replace(chr(92), '/').rsplit('/', 1)[-1]}:{line}" if file and line else None
    if row["method"] and row["stacks"] and not row["own"]:
        return f"{place}, not your code" if place else "not your code"
    return place


def _interval(row: BlameRowJson) -> str | None:
    """Returns the ends of the 95 % interval, if they are apart."""
    low, high = row["share_low"], row["share_high"]
    if high - low < 0.005:
        return None
    if high >= 0.995:
        return f"at least {percent(low)}"
    if low < 0.005:
        return f"at most {percent(high)}"
    return f"{percent(low)} to {percent(high)}"


def _held_by(held: HeldByJson) -> list[str]:
    """Says who held the locks and what they did: all owners together, then the costliest."""
    said = [f"Held by {counted(held['threads'], 'thread')}: {_was(held)}."]
    if held["threads"] > 1:
        said += [f"{_owner(owner)}, {duration(owner['thread_s'] * 1e3)}: {_was(owner)}." for owner in held["owners"]]
    else:
        said[0] = f"Held by {_owner(held['owners'][0])}: {_was(held)}."
    return said


def _owner(owner: OwnerJson) -> str:
    name = f" ({owner['name']})" if owner["name"] else ""
    return f"thread {owner['tid']}{name}"


def _was(held: HeldByJson | OwnerJson) -> str:
    """Returns what an owner was doing, of the time that others waited for it."""
    was = held["was"]
    did = (("blocked", was["blocked"]), ("running", was["cpu"]), ("waiting for a core", was["ready"]))
    shares = sorted(((words, seconds / (held["thread_s"] or 1.0)) for words, seconds in did), key=lambda part: -part[1])
    states = ", ".join(f"{words} {percent(share)}" for words, share in shares if share >= 0.005)
    if held["method"] is None:
        return f"{states or 'not seen'}; in unknown code"
    kind = held["kind"]
    doing = f"{KIND_WORDS.get(kind, kind)} in " if kind and kind != "unknown" else "in "
    source = {"event": "wait event", "snapshot": "snapshot", "cpu-sample": "CPU sample"}[str(held["known_by"])]
    return f"{states or 'not seen'}; {doing}{held['method']} ({source})"


def _open(coverage: CoverageJson) -> list[str]:
    """Returns what the table cannot tell."""
    said = []
    held, unblamed = coverage["held_ms"], coverage["unblamed_ms"]
    if held and unblamed:
        said.append(
            f"{duration(unblamed)} of {duration(held)} blocked ({percent(unblamed / held)}) has no stack: no event "
            "shows it, no snapshot fell into it, and the snapshots of similar blocks do not account for it. A shorter "
            "--snapshots names more."
        )
    estimated, snapshots = coverage["estimated_ms"], coverage["estimate_snapshots"] or 0
    if held and estimated:
        said.append(
            f"{duration(estimated)} of {duration(held)} blocked ({percent(estimated / held)}) is estimated: no event "
            f"shows it and no snapshot fell into it, so Poolscope divides it by what {counted(snapshots, 'snapshot')} "
            "saw of other such blocks. The threads of one snapshot count as one observation; intervals are of 95 %."
        )
    frames, unresolved = coverage["stack_frames"], coverage["unresolved_frames"]
    if frames and unresolved:
        said.append(f"{counted(unresolved, 'frame')} of {frames:,} on all stacks without a name.")
    return said
