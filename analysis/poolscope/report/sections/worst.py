"""The items that waited longest, each with its whole story in order of time."""

from __future__ import annotations

from poolscope.contract.analysis_json import AnalysisJson, BlockedInJson, PoolMomentJson, WorstItemJson
from poolscope.html.chart_style import SHAPES
from poolscope.html.formatting import ABSENT, counted, duration, moment, percent
from poolscope.naming.choice import KIND_WORDS
from poolscope.product.causes import CAUSES, CAUSE_WORDS
from poolscope.report.sections.split import EXECUTION, bar

KNOWN_BY = {"event": "a wait event shows", "snapshot": "a snapshot of its stack shows"}


def place_words(places: list[BlockedInJson]) -> str:
    """Returns a sentence preceded by a space. Empty if no place is known."""
    if not places:
        return ""
    said = []
    for place in places:
        method = place["method"] or "code without a name"
        kind = KIND_WORDS.get(place["kind"], KIND_WORDS["unknown"])
        said.append(
            f"{duration(place['ms'])} in {method} ({kind}; {KNOWN_BY.get(place['known_by'], 'source unknown')})"
        )
    return f" It blocked {', '.join(said)}."


AROUND = 0.06
"""The time that the link to an item shows before and after it, as a share of its time from enqueue to end."""
MINOR = 0.02
"""The share of the wait below which a part is named without the reason."""
SHOWN = 6
"""The number of items shown, longest wait first. The others are folded."""
SPENT = EXECUTION | {"unknown": "in a state that no kernel event shows"}
WHY = {
    "injection": "the pool had not created all the threads that it was allowed, or its goal kept them from taking items",
    "blocking": "blocked items kept the threads, or it waited for another item or a lock behind them",
    "core": "a worker was runnable, but had no core",
    "runtime": "the runtime was suspended, or had not yet woken a worker",
}
"""The meaning of each part for one item, in the words of the method's definitions."""


def worst_section(analysis: AnalysisJson) -> dict[str, object]:
    worst = analysis["worst_items"]
    causes = [cause for cause in CAUSES if any(cause in item["parts_ms"] for item in worst)]
    seconds = analysis["capture"]["seconds"]
    return {
        "causes": [{"words": CAUSE_WORDS[cause], "cause": cause, "shape": SHAPES[cause]} for cause in causes],
        "items": [_item(item, causes, seconds) for item in worst],
        "shown": SHOWN,
        "more": len(worst) > SHOWN,
        "more_words": f"{counted(len(worst) - SHOWN, 'more item')}, and all as a table"
        if len(worst) > SHOWN
        else "The same as a table",
    }


def _item(item: WorstItemJson, causes: list[str], seconds: float) -> dict[str, object]:
    begin, end = window(item, seconds)
    return {
        "id": item["item"],
        "kind": item["kind"],
        "method": item["method"],
        "wait": duration(item["wait_ms"], item["at_least"]),
        "cause": item["cause"],
        "cause_words": CAUSE_WORDS[item["cause"]],
        "shape": SHAPES[item["cause"]],
        "steps": story(item, seconds),
        "from": f"{begin:.6f}",
        "to": f"{end:.6f}",
        "bar": bar(item["parts_ms"]),
        "enqueued": moment(item["enqueued_s"]),
        "started": moment(item["started_s"]),
        "worker": item["worker_tid"] if item["worker_tid"] is not None else ABSENT,
        "queued_before": f"{item['queued_before_it']:,}",
        "parts": [duration(item["parts_ms"].get(cause)) for cause in causes],
        "execution": duration(sum(item["execution_ms"].values())) if item["started_s"] is not None else ABSENT,
    }


def window(item: WorstItemJson, seconds: float) -> tuple[float, float]:
    """Returns the time of the item, with a margin before and after it, within the capture."""
    end = item["ended_s"] if item["ended_s"] is not None else seconds
    margin = AROUND * (end - item["enqueued_s"])
    return max(item["enqueued_s"] - margin, 0.0), min(end + margin, seconds)


def story(item: WorstItemJson, seconds: float) -> list[tuple[str, str]]:
    """Returns pairs of a time and what happened then, in sentences."""
    steps = [
        (moment(item["enqueued_s"]), _enqueued(item)),
        (f"for {duration(item['wait_ms'], item['at_least'])}", _waited(item)),
    ]
    if item["started_s"] is None:
        return [*steps, (moment(seconds), "The capture ended, and it had not started.")]
    steps.append(
        (
            moment(item["started_s"]),
            f"Worker thread {item['worker_tid']} took it{_ran_method(item)}. {_ran(item)}".rstrip(),
        )
    )
    if item["ended_s"] is None:
        return [*steps, (moment(seconds), "The capture ended, and it was still running.")]
    total = (item["ended_s"] - item["enqueued_s"]) * 1000
    bound = "at least " if item["at_least"] else ""
    return [*steps, (moment(item["ended_s"]), f"It ended, {bound}{duration(total)} after it was enqueued.")]


def _enqueued(item: WorstItemJson) -> str:
    task = f" Its task has the id {item['task_id']}." if item["task_id"] is not None else ""
    if not item["enqueue_seen"]:
        return f"The capture began, and it was already in the queue.{task}"
    ahead = item["queued_before_it"]
    before = f"behind {counted(ahead, 'queued item')}" if ahead else "into an empty queue"
    return f"{_by(item)} {before}.{task} {_pool_then(item['pool']['at_enqueue'])}".rstrip()


def _by(item: WorstItemJson) -> str:
    """Returns who queued it, as the beginning of a sentence."""
    tid, name, parent = item["enqueue_tid"], item["enqueue_thread"], item["enqueued_by_item"]
    named = f" \N{LEFT DOUBLE QUOTATION MARK}{name}\N{RIGHT DOUBLE QUOTATION MARK}" if name else ""
    if parent is not None:
        return f"Item {parent} enqueued it, from thread{named} {tid}," if tid >= 0 else f"Item {parent} enqueued it"
    return f"Thread{named} {tid} enqueued it" if tid >= 0 else "It was enqueued"


def _pool_then(pool: PoolMomentJson) -> str:
    """Returns the state of the pool at a moment."""
    busy = counted(pool["busy"], "worker")
    said = f"The goal was {counted(pool['goal'], 'thread')}, and {busy} held an item"
    if pool["busy"] and pool["blocked"] is not None:
        said += f" ({pool['blocked']:,} blocked, {pool['running']:,} on a core, {pool['ready']:,} without a core)"
    return said + "."


def _waited(item: WorstItemJson) -> str:
    """Returns why it waited, part by part, and what the pool did meanwhile."""
    total = item["wait_ms"]
    if total <= 0:
        return "It did not wait."
    known = [(c, item["parts_ms"][c]) for c in CAUSES if c in WHY and item["parts_ms"].get(c, 0) > 0]
    known.sort(key=lambda part: -float(part[1]))
    if not known:
        return f"It waited; without a kernel stream, the capture does not show why. {_meanwhile(item)}".rstrip()
    major = [(c, ms) for c, ms in known if ms >= MINOR * total]
    minor = ", ".join(f"{CAUSE_WORDS[c]} {duration(ms)}" for c, ms in known if ms < MINOR * total)
    said = [f"{CAUSE_WORDS[c].capitalize()}, {duration(ms)} ({percent(ms / total)}): {WHY[c]}." for c, ms in major]
    rest = [f"The rest: {minor}."] if minor else []
    return " ".join(["It waited.", *said, *rest, _meanwhile(item)]).rstrip()


def _meanwhile(item: WorstItemJson) -> str:
    mean, before, after = item["pool"]["meanwhile"], item["pool"]["at_enqueue"], item["pool"]["at_start"]
    if mean is None:
        return ""
    said = f"Meanwhile {mean['busy']:.1f} workers on average held an item"
    did = (("blocked", mean["blocked"]), ("on a core", mean["running"]), ("runnable without a core", mean["ready"]))
    if mean["busy"] > 0:
        parts = ", ".join(f"{number:.1f} {words}" for words, number in did if number is not None and number >= 0.05)
        said += f" ({parts})" if parts else ""
    if before["goal"] != after["goal"]:
        moved = "rose" if after["goal"] > before["goal"] else "fell"
        said += f", and the goal {moved} from {before['goal']:,} to {after['goal']:,}"
    overtaken = item["overtaken_by"]
    if overtaken:
        came = "was" if overtaken == 1 else "were"
        said += f"; {counted(overtaken, 'item')} that came later {came} started before it"
    return said + "."


def _ran_method(item: WorstItemJson) -> str:
    """Returns the method that ran, as the end of a sentence."""
    return f" and ran {item['method']}" if item["method"] else ""


def _ran(item: WorstItemJson) -> str:
    did = [f"{duration(ms)} {SPENT[key]}" for key, ms in item["execution_ms"].items() if ms > 0 and key in SPENT]
    if not did:
        return ""
    return f"Then it spent {', '.join(did)}.{place_words(item['blocked_in'])}"
