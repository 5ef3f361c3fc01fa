"""The words and tables of the flame graphs of blocked, CPU and ready time. assets/flames.js draws the graphs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Union

from poolscope.contract.analysis_json import (
    AnalysisJson,
    BlockedFlameJson,
    CpuFlameJson,
    FlameFrameJson,
    ReadyFlameJson,
)
from poolscope.html.formatting import counted, duration, percent
from poolscope.naming.choice import KIND_WORDS

Flame = Union[BlockedFlameJson, ReadyFlameJson]
ROWS_SHOWN = 12
MOST = 0.5
"""The largest unknown share of a graph that is drawn."""
WAITS_SHOWN = 3
ALL = ("total", "all")
"""A view: the weight that flames.js draws, and its name in the list."""


def flames_section(analysis: AnalysisJson) -> list[dict[str, object]]:
    """Returns the three graphs in the order of the page. `id` is the key of analysis.json that flames.js reads."""
    blocked, cpu, ready = analysis["blocked_flame"], analysis["cpu_flame"], analysis["ready_flame"]
    flames = [_blocked(blocked), _cpu(cpu), _ready(ready)]
    parts: tuple[Flame | CpuFlameJson | None, ...] = blocked, cpu, ready
    for made, flame in zip(flames, parts, strict=True):
        stackless = cpu["samples"] - cpu["with_stack"] if cpu is not None and flame is cpu else 0
        made["absent"] = made["absent"] or (_left_out(str(made["unit"]), flame, stackless) if flame else None)
    # The first graph that is drawn; the others are folded.
    open_one = next((made for made in flames if made["absent"] is None), None)
    return [{**made, "open": made is open_one} for made in flames]


def _left_out(unit: str, flame: Flame | CpuFlameJson, stackless: float) -> str | None:
    """Returns why a graph is left out because it would show little, or None if it is drawn. `stackless` counts samples
    without a box."""
    frames, nodes = flame["frames"], flame["nodes"]
    unknown, total = float(stackless), float(stackless)
    for frame, weight in zip(nodes["frame"], nodes["self"], strict=True):
        nameless = frames[frame]["kind"] != "wait" and not frames[frame]["method"] and not frames[frame]["module"]
        unknown += weight if nameless else 0.0
        total += weight
    if total <= 0 or unknown <= MOST * total:
        return None
    return f"left out, because {percent(unknown / total)} of its {unit} has no stack or no name."


def _blocked(flame: BlockedFlameJson | None) -> dict[str, object]:
    drawn = bool(flame and flame["nodes"]["parent"])
    notes, views = [], []
    if flame and drawn:
        estimated = flame["total"] - flame["measured"]
        views = [ALL]
        if _is_some(flame["no_stack"], flame):
            views.append(("named", "what has a stack"))
            notes.append(
                f"{duration(flame['no_stack'])} of {duration(flame['total'])} ({percent(flame['no_stack'] / flame['total'])}) "
                "has no stack: no event with a stack shows it, and no snapshot fell into it."
            )
        if _is_some(estimated, flame):
            views.append(("measured", "without what is estimated"))
            notes.append(
                f"{duration(estimated)} of {duration(flame['total'])} is estimated from snapshots of other blocks of the "
                "same method; here it is divided among that method's stacks in proportion to their own time."
            )
    return {
        "id": "blocked_flame",
        "title": "Blocked while items waited",
        "what": "Thread time that workers were blocked inside an item while other items waited in the queue. The lowest box "
        "of each stack says how it waited.",
        "absent": "This capture cannot show it: that takes a kernel stream and stacks."
        if flame is None
        else None
        if drawn
        else "No item blocked its worker while another waited.",
        "unit": "thread time",
        "views": views,
        "notes": [*notes, *_least(flame, duration)],
        "rows": _rows(flame, "no stack") if flame and drawn else [],
        "waits": True,
        "caption": "Methods with most blocked thread time while items waited, your own first",
    }


def _cpu(flame: CpuFlameJson | None) -> dict[str, object]:
    drawn = bool(flame and flame["nodes"]["parent"])
    return {
        "id": "cpu_flame",
        "title": "On a core",
        "what": "Code that was on a core, in samples.",
        "table": "#cpu",
        "absent": "Not known: the capture has no CPU samples."
        if flame is None
        else None
        if drawn
        else "No sample of the process has a call chain: it hardly ran.",
        "unit": "samples",
        "views": [ALL, ("workers", "on the pool's workers"), ("waiting", "while items waited")],
        "notes": least_note(flame["least"], len(flame["nodes"]["parent"])) if flame else [],
        "rows": [],
        "waits": False,
        "caption": "",
    }


def _ready(flame: ReadyFlameJson | None) -> dict[str, object]:
    drawn = bool(flame and flame["nodes"]["parent"])
    some = flame is not None and _is_some(flame["no_sample"], flame) and flame["no_sample"] < flame["total"]
    return {
        "id": "ready_flame",
        "title": "Ready, without a core",
        "what": "Thread time that workers held an item and could have run, but no core was free, by the code that was about to run. "
        "An estimate: nothing records the stack of a thread that waits for a core, so the graph uses the nearest CPU "
        "sample of the same thread within the same item: the last one before, otherwise the first one after.",
        "absent": "This capture cannot show it: that takes a kernel stream and CPU samples."
        if flame is None
        else None
        if drawn
        else "No worker that held an item had to wait for a core.",
        "unit": "thread time",
        "views": [ALL, ("waiting", "while items waited"), *([("named", "what has a sample")] if some else [])],
        "notes": _ready_notes(flame) if flame and drawn else [],
        "rows": _rows(flame, "no sample") if flame and drawn else [],
        "waits": False,
        "caption": "Methods with most ready time (estimated), your own first",
    }


def _ready_notes(flame: ReadyFlameJson) -> list[str]:
    total, missing = flame["total"], flame["no_sample"]
    notes = [f"{duration(total)} ready in {counted(flame['stretches'], 'stretch', 'stretches')}."]
    if flame["distance"] is not None:
        notes[0] += f" Half of the time with a sample is at most {duration(flame['distance'])} away from it."
    if flame["after"]:
        notes.append(f"{duration(flame['after'])} has its sample after it.")
    if flame["stretches_without"]:
        notes.append(
            f"{duration(missing)} ({percent(missing / total if total else 1.0)}) in "
            f"{counted(flame['stretches_without'], 'stretch', 'stretches')} is in items that no sample hit: "
            "\u201cno sample\u201d in the graph. Items shorter than the distance between samples are mostly of this kind."
        )
    return [*notes, *_least(flame, duration)]


def _least(flame: Flame | CpuFlameJson | None, text: Callable[[float], str]) -> list[str]:
    if not flame or not flame["least"]:
        return []
    return [f"The graph has the {len(flame['nodes']['parent']):,} largest boxes, from {text(flame['least'])} on."]


def least_note(least: float, boxes: int) -> list[str]:
    """Returns the same for a graph that counts samples."""
    return [f"The graph has the {boxes:,} largest boxes, from {counted(int(least), 'sample')} on."] if least > 1 else []


def _is_some(part: float, flame: Flame) -> bool:
    """Returns whether a part of the total would be visible. Less is a rounding error."""
    return part > 1e-4 * flame["total"]


@dataclass
class _Method:
    index: int
    own: float
    total: float
    waits: dict[str, float]


def _rows(flame: Flame, nameless: str) -> list[dict[str, object]]:
    """Returns the user's methods with the most time, then others, costliest first. A recursion counts once."""
    frames, nodes = flame["frames"], flame["nodes"]
    methods: dict[int, _Method] = {}
    above: list[frozenset[int]] = []
    for parent, frame, own, total in zip(nodes["parent"], nodes["frame"], nodes["self"], nodes["total"], strict=True):
        callers = above[parent] if parent >= 0 else frozenset()
        above.append(callers | {frame})
        if frames[frame]["kind"] == "wait":
            # A wait is no method: it is listed with every method that led to it.
            wait = frames[frame].get("wait", "unknown")
            for caller in callers:
                waits = methods[caller].waits
                waits[wait] = waits.get(wait, 0.0) + total
            if parent >= 0:
                methods[nodes["frame"][parent]].own += own
            continue
        method = methods.setdefault(frame, _Method(frame, 0.0, 0.0, {}))
        method.own += own
        if frame not in callers:
            method.total += total
    order = sorted(
        methods.values(),
        key=lambda m: (frames[m.index]["kind"] == "none", not frames[m.index]["user"], -m.total, -m.own),
    )
    users = [m for m in order if frames[m.index]["user"]][:ROWS_SHOWN]
    leaves = sorted((m for m in order if not frames[m.index]["user"] and m.own > 0), key=lambda m: -m.own)
    return [
        {
            "method": _name(frames[m.index], nameless),
            "module": frames[m.index]["module"] or "",
            "user": frames[m.index]["user"],
            "own": duration(m.own),
            "total": duration(m.total),
            "share": percent(m.total / flame["total"]),
            "waits": _waits(m),
        }
        for m in [*users, *leaves[: max(ROWS_SHOWN - len(users), ROWS_SHOWN // 3)]]
    ]


def _waits(method: _Method) -> str:
    costliest = sorted(method.waits.items(), key=lambda wait: (-wait[1], wait[0]))[:WAITS_SHOWN]
    return ", ".join(
        f"{KIND_WORDS.get(kind, kind)} {percent(ms / method.total)}" for kind, ms in costliest if ms and method.total
    )


def _name(frame: FlameFrameJson, nameless: str) -> str:
    """Names a box as flames.js does. `nameless` is the name without a stack."""
    if frame["kind"] == "none":
        return nameless
    if frame["method"]:
        return frame["method"]
    return f"code of {frame['module']} without symbols" if frame["module"] else "code without a name"
