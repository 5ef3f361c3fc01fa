"""The row that a fleet keeps of one capture: figures, sketches, incidents and blame. The capture itself is released."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import cast

import numpy as np

from poolscope.base import sketch
from poolscope.base.arrays import IntArray
from poolscope.capture.fitting import open_whole
from poolscope.capture.schema import load_schema
from poolscope.compare.run import summarised
from poolscope.contract.analysis_json import BlockedFlameJson, IncidentJson
from poolscope.fleets.run_json import run_to_json
from poolscope.measures.requests import RequestParts, Requests
from poolscope.measures.requests.routes import route_codes
from poolscope.product import Analysis, analyse
from poolscope.product.causes import wait_by_cause

FORMAT = 2
"""The format of a row. A worker with another version of Poolscope may write another one."""
ROUTES = 50
"""The most routes of a capture, those with the longest total time. The others are summed under an empty name."""
INCIDENTS = 50
"""The most incidents of a capture, costliest first."""
NODES = 400
"""The most nodes of a capture's blame tree, largest first."""
BLAME_KEYS = ("method", "own", "file", "line", "kind", "call", "thread_s", "estimated_s")
MANIFEST_KEYS = {
    "target": ("name", "runtime", "cpus_allowed", "cpu_quota", "processor_count", "launched"),
    "host": ("name", "os", "kernel", "architecture", "cpus_online", "memory_bytes"),
    "tool": ("name", "version"),
}
"""What `--group-by` accepts besides labels, as `target.runtime`."""


def extract(path: Path, late_ms: float) -> dict[str, object]:
    """Analyses a capture and returns its row as plain JSON.

    Raises UnreadableCapture and InsufficientEvidence, as `analyse` does.
    """
    return row_of(analyse(open_whole(path), late_limit_ms=late_ms, simulated=False))


def row_of(analysis: Analysis) -> dict[str, object]:
    """Returns the row of an analysis. The same capture gives the same row, except for `name`."""
    manifest, evidence = analysis.capture.manifest, analysis.evidence
    parts = cast(Mapping[str, Mapping[str, object]], manifest)
    items = analysis.attribution.items
    begun = datetime.fromisoformat(manifest["clock"]["start_utc"])
    incidents = sorted((i.to_json(None) for i in analysis.incidents), key=lambda i: (-i["item_seconds"], i["start_s"]))
    return {
        "format": FORMAT,
        "capture_format": load_schema().format,
        "name": analysis.capture.path.name,
        "start_utc": str(manifest["clock"]["start_utc"]),
        "seconds": (analysis.capture.window[1] - analysis.capture.window[0]) / 1e9,
        "labels": dict(manifest.get("labels") or {}),
        "manifest": {
            f"{part}.{key}": value
            for part, keys in MANIFEST_KEYS.items()
            for key in keys
            if (value := parts[part].get(key)) is not None and isinstance(value, (str, int, float))
        },
        "verdict": {
            "id": analysis.verdict.id,
            "confidence": str(analysis.verdict.confidence),
            "text": analysis.verdict.text,
        },
        "run": run_to_json(summarised(analysis, False)),
        "wait": sketch.to_json(sketch.sketch_of(items.wait, items.censored)),
        "parts": {
            name: sketch.to_json(sketch.sketch_of(part, items.censored))
            for name, part in wait_by_cause(analysis.attribution).items()
        },
        "requests": _requests(evidence.requests, evidence.request_parts),
        "incidents": [_incident(one, begun) for one in incidents[:INCIDENTS]],
        "incidents_left_out": max(len(incidents) - INCIDENTS, 0),
        "blame": _blame(analysis),
        "tree": _tree(None if analysis.blocked is None else analysis.blocked.to_json()),
    }


def _incident(one: IncidentJson, begun: datetime) -> dict[str, object]:
    return {
        "start_utc": (begun + timedelta(seconds=one["start_s"])).isoformat(timespec="milliseconds"),
        "seconds": one["end_s"] - one["start_s"],
        "late": one["late"],
        "item_seconds": one["item_seconds"],
        "longest_ms": one["longest_ms"],
        "at_least": one["at_least"],
        "matters": one["matters"],
        "verdict": one["verdict"]["id"] if one["verdict"] else None,
        "method": one["blame"][0]["method"] if one["blame"] else None,
    }


def _requests(requests: Requests | None, parts: RequestParts | None) -> dict[str, object] | None:
    """Returns the requests of a capture. None if the web server reported none, or if none is tied to its bytes, because
    their latency is then unknown."""
    if requests is None or not requests.tied.any():
        return None
    tied = np.flatnonzero(requests.tied)
    latency = (np.where(requests.answered >= 0, requests.answered, requests.stop) - requests.arrived)[tied]
    bounds = ((requests.answered < 0) | requests.early)[tied]
    names, code = route_codes(requests.method[tied], requests.path[tied])
    cost = np.bincount(code, latency, minlength=len(names))
    rows = []
    kept = np.argsort(-cost, kind="stable")
    for number in kept[:ROUTES].tolist():
        mine = code == number
        rows.append(
            {
                "http_method": names[number][0],
                "route": names[number][1],
                "latency": sketch.to_json(sketch.sketch_of(latency[mine], bounds[mine])),
                **_parts(parts, tied[mine]),
            }
        )
    return {
        "count": requests.count,
        "tied": len(tied),
        "latency": sketch.to_json(sketch.sketch_of(requests.latency, requests.at_least)),
        **_parts(parts, tied),
        "routes": rows,
        "routes_left_out": max(len(names) - ROUTES, 0),
    }


def _parts(parts: RequestParts | None, chosen: IntArray) -> dict[str, object]:
    """Returns sums over the answered requests among the chosen ones, ns: of the parts of their latency, and of the
    causes of waits."""
    if parts is None:
        return {"whole": 0, "parts_ns": {}, "causes_ns": {}}
    mine = np.isin(parts.row, chosen)
    return {
        "whole": int(mine.sum()),
        "parts_ns": {name: int(part[mine].sum()) for name, part in parts.part.items()},
        "causes_ns": {name: int(part[mine].sum()) for name, part in parts.cause.items()},
    }


def _blame(analysis: Analysis) -> list[dict[str, object]]:
    """Returns thread-seconds by method and kind of wait, with those without a known method last. Empty without
    stacks."""
    if analysis.blame is None:
        return []
    return [{key: value for key, value in row.items() if key in BLAME_KEYS} for row in analysis.blame.to_json()]


def _tree(flame: BlockedFlameJson | None) -> dict[str, object] | None:
    """Returns where threads were blocked while items waited, as a prefix tree from the start of the thread. None
    without stacks.

    The tree has the NODES largest nodes; the time of the others stays with their callers.
    """
    if flame is None:
        return None
    nodes = flame["nodes"]
    total = np.array(nodes["total"], dtype=float)
    alone = np.array(nodes["self"], dtype=float)
    keep = np.zeros(len(total), dtype=bool)
    # A caller has at least the time of its callees and comes before them, so no kept node loses its caller.
    keep[np.lexsort((np.arange(len(total)), -total))[:NODES]] = True
    parent = np.array(nodes["parent"], dtype=np.int64)
    for at in np.flatnonzero(~keep)[::-1].tolist():
        if parent[at] >= 0:
            alone[parent[at]] += alone[at]
    place = np.cumsum(keep) - 1
    frames = [_frame(frame) for frame in flame["frames"]]
    chosen = np.flatnonzero(keep).tolist()
    names = sorted({frames[nodes["frame"][at]] for at in chosen})
    index = {name: at for at, name in enumerate(names)}
    return {
        "total_ms": round(flame["total"], 6),
        "frames": names,
        "parent": [int(place[parent[at]]) if parent[at] >= 0 else -1 for at in chosen],
        "frame": [index[frames[nodes["frame"][at]]] for at in chosen],
        "self_ms": [round(float(alone[at]), 6) for at in chosen],
    }


def _frame(frame: Mapping[str, object]) -> str:
    """Returns the name of a node: its method, or how it waited, or its module, or its kind."""
    named = frame.get("method") or frame.get("wait") or frame.get("module") or frame.get("kind")
    return str(named)
