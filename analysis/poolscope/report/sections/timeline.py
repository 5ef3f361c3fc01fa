"""The charts in words, for readers without pictures, and the changes of the pool and the lanes as tables."""

from __future__ import annotations

from statistics import fmean as mean

from poolscope.contract.analysis_json import (
    AnalysisJson,
    DistributionJson,
    LaneWorkerJson,
    LanesJson,
    ProfileJson,
    TimelineJson,
    WaitsJson,
)
from poolscope.html.chart_style import SHAPES
from poolscope.html.formatting import ABSENT, count, counted, duration, moment, percent
from poolscope.product.causes import CAUSE_WORDS
from poolscope.report.charts.pool import LINES, pool_recorded
from poolscope.report.charts.waits import PERCENTILES

NOT_RECORDED = "Work items were not recorded, so their waits and the queue are unknown."

GOAL_NOT_KNOWN = "The goal did not change, and its value is unknown."
POOL_NOT_RECORDED = "The pool\u2019s own events were not recorded, so its threads and its goal are unknown."


def timeline_section(analysis: AnalysisJson) -> dict[str, object]:
    timeline, recorded = analysis["timeline"], analysis["coverage"]["items_recorded"]
    changes = timeline["pool_changes"]
    return {
        "waits": waits_words(timeline["waits"]) if recorded else NOT_RECORDED,
        "cause_words": CAUSE_WORDS,
        "distribution": distribution_words(timeline["distribution"]),
        "percentiles": percentiles(timeline["distribution"]),
        "pool": pool_words(timeline, recorded, pool_recorded(analysis), analysis["coverage"]["goal_known"]),
        "gist": _gist(timeline, "profile" in analysis) if pool_recorded(analysis) else POOL_NOT_RECORDED,
        "pool_recorded": pool_recorded(analysis),
        "limits_gist": _limits_gist(limits_words(timeline)),
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
        "suspended": suspended_words(timeline, analysis.get("profile")),
        "limits": limits_words(timeline),
        "limit_rows": [
            {
                "line": LINES[total["limit"]][0],
                "words": total["words"],
                "time": duration(total["seconds"] * 1000),
                "share": percent(total["share"]),
            }
            for total in timeline["limit_totals"] or []
        ],
        "cores": cores_words(analysis),
    }


def percentiles(distribution: DistributionJson | None) -> list[dict[str, str | None]]:
    """Returns a row for each cause, and one for all items."""
    if distribution is None:
        return []
    all_items = distribution["percentiles"][0]["items"]
    return [
        {
            "cause": row["cause"],
            "words": CAUSE_WORDS[row["cause"]] if row["cause"] else "all items",
            "shape": SHAPES[row["cause"]] if row["cause"] else "",
            "number": count(row["items"]),
            "share": percent(row["items"] / all_items),
            **{name: duration(row["wait_ms"][name], name in row["wait_ms"]["at_least"]) for name in PERCENTILES},
        }
        for row in [*distribution["percentiles"][1:], distribution["percentiles"][0]]
    ]


def waits_words(waits: list[WaitsJson]) -> str:
    """Returns a sentence on the scatter of waits."""
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


def pool_words(timeline: TimelineJson, recorded: bool, pool: bool = True, goal_known: bool = True) -> str:
    """Returns a sentence about the queue and one about the pool.

    `recorded`: work items were recorded. `pool`: the threads and the goal were. `goal_known`: the goal is known before
    its first change.
    """
    queue, goal, busy = timeline["queue"], timeline["goal"], timeline["busy"]
    if not queue:
        return ""
    peak = max(queue)
    said = "The queue stayed empty."
    if peak > 0:
        said = f"The queue reached {counted(round(peak), 'item')} at {moment(timeline['seconds'][queue.index(peak)])}."
    grew = (
        f"The goal was {counted(round(goal[0]), 'thread')} at first, {count(max(goal))} at most and "
        f"{count(goal[-1])} at the end"
    )
    if not pool:
        return f"{said if recorded else NOT_RECORDED} {POOL_NOT_RECORDED}"
    if not recorded and not goal_known:
        changes = timeline["pool_changes"]
        return f"{NOT_RECORDED} {_goal_from(changes[0]['seconds'], timeline) if changes else GOAL_NOT_KNOWN}"
    if not recorded:
        return f"{NOT_RECORDED} {grew}."
    return f"{said} {grew}; at most {counted(round(max(busy)), 'worker')} held an item."


def _goal_from(seconds: float, timeline: TimelineJson) -> str:
    """Returns the sentence about the goal from its first change on."""
    changes = timeline["pool_changes"]
    end = counted(round(timeline["goal"][-1]), "thread")
    said = f"The goal is unknown before its first change at {moment(seconds)}"
    if len(changes) < sum(total["times"] for total in timeline["pool_change_totals"]):  # some are left out
        return f"{said}; at the end it was {end}."
    return (
        f"{said}; from then on it was at most {count(max(change['goal'] for change in changes))}, and {end} at the end."
    )


def states_words(analysis: AnalysisJson) -> str:
    """Returns a sentence on the states of the busy workers."""
    if analysis["coverage"]["tier"] == "none":
        return "Without a kernel stream the states of the workers are unknown."
    timeline = analysis["timeline"]
    sums = sum(timeline["running"]), sum(timeline["ready"]), sum(timeline["blocked"])
    total = sum(sums)
    if total <= 0:
        return "No worker held an item."
    running, ready, blocked = (100 * part / total for part in sums)
    return (
        f"While workers held an item, they were blocked {blocked:.0f} % of the time, running on a core {running:.0f} "
        f"% and runnable without a core {ready:.0f} %."
    )


def _gist(timeline: TimelineJson, profiled: bool) -> str:
    """Returns the line shown in the folded tables of the pool."""
    changes = sum(total["times"] for total in timeline["pool_change_totals"])
    suspended = timeline["suspension_totals"]["times"]
    said = f"The goal changed {counted(changes, 'time')}" if changes else "The goal did not change"
    by = ", also by the sampling profiler" if profiled else ""
    return f"{said}; the runtime was suspended {counted(suspended, 'time')}{by}." if suspended else f"{said}."


def _limits_gist(said: str) -> str:
    """Returns the second of several sentences, which names the limit."""
    sentences = said.split(". ")
    return sentences[1] + "." if len(sentences) > 1 else said


def suspended_words(timeline: TimelineJson, profile: ProfileJson | None = None) -> str:
    """Returns how often and how long the runtime was suspended. `profile` has the samples of the runtime's own
    profiler, which suspends the runtime for each."""
    totals = timeline["suspension_totals"]
    if not totals["times"]:
        return ""
    drawn = len(timeline["suspensions"])
    thinned = f" The longest {drawn:,} of them are drawn." if drawn < totals["times"] else ""
    return (
        f"The runtime was suspended {counted(totals['times'], 'time')}, {duration(totals['ms'])} in all and "
        f"{duration(totals['longest_ms'])} at the longest.{thinned}{_by_profiler(totals['times'], profile)}"
    )


def _by_profiler(times: int, profile: ProfileJson | None) -> str:
    """Returns how many of the suspensions the recording itself caused. Empty if it took no samples."""
    looks = min(times, max((thread["samples"] for thread in profile["threads"]), default=0)) if profile else 0
    if not looks:
        return ""
    if looks >= times:
        return " These are the recording\u2019s own: its sampling profiler suspends the runtime for each look at the stacks."
    return f" About {looks:,} of these are the recording’s own: its sampling profiler suspends the runtime for each look at the stacks."


def distribution_words(distribution: DistributionJson | None) -> str:
    """Returns a sentence on the histogram."""
    if distribution is None:
        return ""
    row = distribution["percentiles"][0]["wait_ms"]
    said = {name: duration(row[name], name in row["at_least"]) for name in PERCENTILES}
    return (
        f"The median wait was {said['p50']} (p50); p90 was {said['p90']}, p99 was {said['p99']} and the longest wait "
        f"{said['max']}."
    )


def limits_words(timeline: TimelineJson) -> str:
    """Returns a sentence on what limited the pool, and for how long."""
    totals = timeline["limit_totals"]
    if totals is None:
        return "Without a kernel stream, the capture does not show when the cores were the limit, so Poolscope names no limit."
    if not totals:
        return "No item was queued, so nothing limited the pool."
    queued = duration(sum(total["seconds"] for total in totals) * 1000)
    longest = max(totals, key=lambda total: float(total["share"]))
    return (
        f"Items were queued for {queued} in all. For {percent(longest['share'])} of that time {longest['words']}. "
        "This names the limit at each moment. The split charges waits to their cause, which may lie earlier: a queue "
        "remembers what limited the pool before."
    )


def cores_words(analysis: AnalysisJson) -> str:
    """Returns a sentence about each user of the cores."""
    timeline = analysis["timeline"]
    target, others = timeline["cpu_target"], timeline["cpu_others"]
    if not target:
        return "Without a kernel stream, the capture does not show who used the cores."
    said = f"This process used {mean(target):.2f} cores on average and {max(target):.2f} at most."
    if others is None:
        return said + " This capture does not show what other processes used: it has the threads of one process alone."
    return said + f" All others together used {mean(others):.2f} on average and {max(others):.2f} at most."


def lanes_section(analysis: AnalysisJson) -> dict[str, object]:
    lanes = analysis["lanes"]
    if lanes is None:
        return {"known": False, "words": _why_not(analysis)}
    return {
        "known": True,
        "words": lanes_words(lanes),
        "merged": None if lanes["bin_s"] is None else duration(lanes["bin_s"] * 1000),
        "rows": [_row(worker) for worker in lanes["workers"]],
    }


def lanes_words(lanes: LanesJson) -> str:
    """Returns the content of the lanes in words, for readers without pictures."""
    workers = lanes["workers"]
    busy = sum(w["busy_s"] for w in workers)
    said = (
        f"{_which(lanes)} ran {counted(sum(w['items'] for w in workers), 'item')} and held them for "
        f"{duration(busy * 1000)} in all"
    )
    if busy > 0:
        blocked, cpu, ready = (
            percent(sum(seconds) / busy)
            for seconds in zip(*((w["blocked_s"], w["cpu_s"], w["ready_s"]) for w in workers))
        )
        said += f": {blocked} of it blocked, {cpu} running on a core and {ready} runnable without a core"
    said += "."
    if lanes["left_out"]:
        said += (
            f" Left out: {counted(lanes['left_out'], 'worker')} with less to do, together busy for "
            f"{duration(lanes['left_out_busy_s'] * 1000)}."
        )
    return said


def _which(lanes: LanesJson) -> str:
    shown = len(lanes["workers"])
    if lanes["left_out"]:
        return f"The {shown} busiest of {counted(shown + lanes['left_out'], 'worker')}"
    return counted(shown, "worker")


def _row(worker: LaneWorkerJson) -> dict[str, object]:
    known = worker["cpu_s"] + worker["blocked_s"] + worker["ready_s"]
    return {
        "tid": worker["tid"],
        "name": worker["name"] or ABSENT,
        "items": f"{worker['items']:,}",
        "times": [
            duration(1000 * seconds)
            for seconds in (worker["busy_s"], worker["cpu_s"], worker["blocked_s"], worker["ready_s"])
        ]
        # Both are rounded to 1 µs, so a difference of that order is zero.
        + [duration(1000 * max(worker["busy_s"] - known, 0.0)) if worker["busy_s"] - known > 5e-6 else "0"],
    }


def _why_not(analysis: AnalysisJson) -> str:
    if analysis["coverage"]["tier"] == "none":
        return "Without a kernel stream, the capture does not show what the workers did while they held an item."
    return "No worker took an item."
