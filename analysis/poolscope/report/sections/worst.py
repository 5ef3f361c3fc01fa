"""The items that waited longest, each with its whole story."""

from __future__ import annotations

from typing import Any

from poolscope.product.causes import CAUSE_WORDS, CAUSES
from poolscope.report.formatting import ABSENT, counted, duration, moment
from poolscope.report.palette import SHAPES
from poolscope.report.sections.split import EXECUTION, bar


def worst_section(analysis: dict[str, Any]) -> dict[str, Any]:
    worst = analysis["worst_items"]
    causes = [cause for cause in CAUSES if any(cause in item["parts_ms"] for item in worst)]
    return {
        "causes": [{"words": CAUSE_WORDS[cause], "cause": cause, "shape": SHAPES[cause]} for cause in causes],
        "items": [_item(item, causes) for item in worst],
    }


def _item(item: dict[str, Any], causes: list[str]) -> dict[str, Any]:
    return {
        "id": item["item"],
        "kind": item["kind"],
        "wait": duration(item["wait_ms"], item["at_least"]),
        "cause": item["cause"],
        "cause_words": CAUSE_WORDS[item["cause"]],
        "shape": SHAPES[item["cause"]],
        "story": story(item),
        "bar": bar(item["parts_ms"]),
        "enqueued": moment(item["enqueued_s"]),
        "started": moment(item["started_s"]),
        "worker": item["worker_tid"] if item["worker_tid"] is not None else ABSENT,
        "queued_before": f"{item['queued_before_it']:,}",
        "parts": [duration(item["parts_ms"].get(cause)) for cause in causes],
        "execution": duration(sum(item["execution_ms"].values())) if item["started_s"] is not None else ABSENT,
    }


def story(item: dict[str, Any]) -> str:
    """The item's way from its enqueue to its end, in sentences."""
    task = f" (task {item['task_id']})" if item["task_id"] is not None else ""
    by = f" by thread {item['enqueue_tid']}" if item["enqueue_tid"] >= 0 else ""
    ahead = item["queued_before_it"]
    before = f" behind {counted(ahead, 'queued item')}" if ahead else " into an empty queue"
    if item["at_least"] and item["started_s"] is not None:
        said = f"Enqueued before the capture began{task}. "
    else:
        said = f"Enqueued{by} at {moment(item['enqueued_s'])}{before}{task}. "
    wait = duration(item["wait_ms"])
    if item["started_s"] is None:
        said += f"When the capture ended it had waited {wait} and had not started."
    else:
        bound = "at least " if item["at_least"] else ""
        said += f"Thread {item['worker_tid']} started it {bound}{wait} later, at {moment(item['started_s'])}."
        did = [
            f"{duration(ms)} {EXECUTION[key]}"
            for key, ms in item["execution_ms"].items()
            if ms > 0 and key in EXECUTION
        ]
        said += f" Then it spent {', '.join(did)}." if did else ""
    parts = [f"{CAUSE_WORDS[c]} {duration(ms)}" for c, ms in item["parts_ms"].items() if ms > 0 and c != "unknown"]
    return said + (f" The wait was {', '.join(parts)}." if parts else "")
