"""Shows whose code held the pool's threads while items waited, and who held the cores: the process's own code, and
others while a worker was runnable without a core."""

from __future__ import annotations

from poolscope.contract.analysis_json import (
    AnalysisJson,
    AntagonistJson,
    BlameRowJson,
    CoverageJson,
    CpuFlameJson,
    CpuMethodJson,
    HeldByJson,
    OwnerJson,
)
from poolscope.html.formatting import ABSENT, count, counted, duration, percent
from poolscope.naming.choice import KIND_WORDS
from poolscope.report.sections.without_items import told_waits

NO_STACK = "no stack"
NO_NAME = "code without a name"
SHOWN = 5
"""The number of methods shown, costliest first. The others are folded."""


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
    """Returns file and line without folders, and a note if it is not the reader's own code. None if unknown."""
    file, line = row["file"], row["line"]
    place = f"{str(file).replace(chr(92), '/').rsplit('/', 1)[-1]}:{line}" if file and line else None
    if row["method"] and row["stacks"] and not row["own"]:
        return f"{place}, not your code" if place else "not your code"
    return place


def _interval(row: BlameRowJson) -> str | None:
    """Returns the ends of the 95 % interval if they differ."""
    low, high = row["share_low"], row["share_high"]
    if high - low < 0.005:
        return None
    if high >= 0.995:
        return f"at least {percent(low)}"
    if low < 0.005:
        return f"at most {percent(high)}"
    return f"{percent(low)} to {percent(high)}"


def _held_by(held: HeldByJson) -> list[str]:
    """Returns sentences on who held the locks and what they did: all owners together, then the costliest."""
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
    """Returns what an owner was doing, as shares of the time that others waited for it."""
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
    """Returns what the table cannot show."""
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


GROUPS = {
    "own-workers": "own workers",
    "own-gc": "own collector threads",
    "own-other": "own other threads",
    "other-process": "other process",
    "unknown": "of an unknown process",
}
"""Groups of analysis.json in words."""


def antagonists_section(analysis: AnalysisJson) -> dict[str, object]:
    entries = analysis["antagonists"]
    return {
        "gist": _antagonists_gist(entries),
        "known": entries is not None,
        "rows": [
            {
                "who": entry["process"] or ABSENT,
                "pid": entry["pid"] if entry["pid"] >= 0 else ABSENT,
                "group": GROUPS.get(entry["group"], entry["group"]),
                "core": duration(entry["core_ms"]),
                "share": percent(entry["share"]),
                "threads": count(entry["threads"]),
                "top": [
                    f"{thread['name'] or 'thread'} ({thread['tid']}) {duration(thread['core_ms'])}"
                    for thread in entry["top_threads"][:3]
                ],
            }
            for entry in entries or []
        ],
    }


def _antagonists_gist(entries: list[AntagonistJson] | None) -> str:
    """Returns the line shown in the folded section."""
    if entries is None:
        return "The capture does not show who held them: that takes a kernel stream of the whole system."
    if not entries:
        return "No worker was ever runnable without a core."
    first = entries[0]
    who = first["process"] or GROUPS.get(first["group"], first["group"])
    return f"While a worker had none, {who} held {percent(first['share'])} of the core time."


SHOWN_OF_CPU = 4
"""The number of methods shown, most own time first. The others are folded."""


def cpu_section(analysis: AnalysisJson) -> dict[str, object]:
    flame = analysis["cpu_flame"]
    rows = [_cpu_row(row) for row in analysis["cpu_methods"] or []]
    more = rows[SHOWN_OF_CPU:]
    return {
        "known": flame is not None,
        "rows": rows,
        "first": rows[:SHOWN_OF_CPU],
        "more": more,
        "more_words": f"{counted(len(more), 'more method')}, and how many samples there are"
        if more
        else "How many samples there are",
        "workers_known": bool(flame and flame["workers"]),
        "notes": _notes(flame) if flame else [],
    }


def _cpu_row(row: CpuMethodJson) -> dict[str, object]:
    return {
        "method": row["method"] or (f"code of {row['module']} without symbols" if row["module"] else NO_NAME),
        "user": row["user"],
        "module": row["module"] or "",
        "source": _source(row),
        "path": row["file"] or "",
        "own": percent(row["self_share"]),
        "total": percent(row["total_share"]),
        "workers": percent(row["workers_share"]),
        "waiting": percent(row["waiting"] / row["total"]) if row["total"] else "",
    }


def _source(row: CpuMethodJson) -> str:
    """Returns a place such as `Spin.cs:22`. If the line that ran is unknown, returns the line at which the method
    starts, and says so."""
    if row["file"] is None:
        return ""
    place = f"{row['file'].replace(chr(92), '/').rsplit('/', 1)[-1]}:{row['line']}"
    return place if row["line_is"] == "executed" else f"starts at {place}"


def _notes(flame: CpuFlameJson) -> list[str]:
    """Returns the basis of the figures, and what they cannot show."""
    samples, known = flame["samples"], flame["with_stack"]
    notes = [f"{counted(samples, 'sample')} of the process, of these {flame['workers']:,} on the pool's workers."]
    if known < samples:
        notes.append(f"{counted(samples - known, 'sample')} without a call chain, not in these shares.")
    if flame["user_mode_only"]:
        notes.append("Time inside the kernel (system calls) is not sampled in the kernel tier switch.")
    return notes
