"""The charts in words: what each one shows, for readers without pictures, and the changes of the pool as tables."""

from __future__ import annotations

from typing import Any

from poolscope.product.causes import CAUSE_WORDS
from poolscope.report.formatting import count, counted, duration, moment
from poolscope.report.palette import SHAPES


def timeline_section(analysis: dict[str, Any]) -> dict[str, Any]:
    timeline = analysis["timeline"]
    changes = timeline["pool_changes"]
    return {
        "waits": waits_words(timeline["waits"]),
        "causes": [
            {
                "words": CAUSE_WORDS[w["cause"]],
                "shape": SHAPES[w["cause"]],
                "cause": w["cause"],
                "number": count(w["items"]),
                "shortest": duration(min(w["wait_ms"])),
                "longest": duration(max(w["wait_ms"]), w["at_least"][w["wait_ms"].index(max(w["wait_ms"]))]),
            }
            for w in timeline["waits"]
        ],
        "pool": pool_words(timeline),
        "reasons": [
            {
                "reason": total["reason"],
                "words": total["words"],
                "times": count(total["times"]),
                "first": moment(total["first_s"]),
                "last": moment(total["last_s"]),
            }
            for total in timeline["pool_change_totals"]
        ],
        "thinned": len(changes) < sum(total["times"] for total in timeline["pool_change_totals"]),
        "changes": [
            {"at": moment(c["seconds"]), "goal": count(c["goal"]), "words": c["words"], "reason": c["reason"]}
            for c in changes
        ],
        "states": states_words(analysis),
    }


def waits_words(waits: list[dict[str, Any]]) -> str:
    """One sentence that says what the scatter of waits shows."""
    if not waits:
        return "No work item waited in this capture."
    longest, item, at, bound = max(
        (wait, item, at, bound)
        for w in waits
        for wait, item, at, bound in zip(w["wait_ms"], w["item"], w["seconds"], w["at_least"])
    )
    shares = ", ".join(f"{CAUSE_WORDS[w['cause']]} for {counted(w['items'], 'item')}" for w in waits)
    return (
        f"The longest wait is {duration(longest, bound)}: item {item}, enqueued at {moment(at)}. "
        f"Most of the wait is {shares}."
    )


def pool_words(timeline: dict[str, Any]) -> str:
    """One sentence on the queue and one on the pool."""
    queue, goal, busy = timeline["queue"], timeline["goal"], timeline["busy"]
    if not queue:
        return ""
    peak = max(queue)
    said = "The queue stayed empty."
    if peak > 0:
        said = f"The queue reached {counted(round(peak), 'item')} at {moment(timeline['seconds'][queue.index(peak)])}."
    return (
        f"{said} The goal was {counted(round(goal[0]), 'thread')} at first, {count(max(goal))} at most and "
        f"{count(goal[-1])} at the end; at most {counted(round(max(busy)), 'worker')} held an item."
    )


def states_words(analysis: dict[str, Any]) -> str:
    """One sentence on what the busy workers did."""
    if analysis["coverage"]["tier"] == "none":
        return "Without a kernel stream the states of the workers are unknown."
    timeline = analysis["timeline"]
    total = sum(sum(timeline[s]) for s in ("running", "ready", "blocked"))
    if total <= 0:
        return "No worker held an item."
    shares = {s: 100 * sum(timeline[s]) / total for s in ("running", "ready", "blocked")}
    said = (
        f"Of the time in which workers held an item they were blocked {shares['blocked']:.0f} %, running on a core "
        f"{shares['running']:.0f} % and runnable without a core {shares['ready']:.0f} %."
    )
    suspended = sum(timeline["suspended"]) * timeline["bin_seconds"] * 1000
    return said + (f" The runtime was suspended for {duration(suspended)} in all." if suspended > 0 else "")
