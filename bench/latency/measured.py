"""One run: the difference between Poolscope's latencies and the client's, and the sums of their parts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from poolscope.attribution import attribute
from poolscope.base.units import NS_PER_MS
from poolscope.capture import open_capture
from poolscope.measures.requests import measure_requests, split_requests

from .wire import Passed


def measure(capture: Path, log: Path, passed: Passed) -> dict[str, Any]:
    """Measures one run, durations in ms.

    `tied`: of the requests answered well, the number that Poolscope tied and saw answered. `outside`: the number of
    these that do not lie within the client's time, as a wrong tie would. `error`: the client's latency less
    Poolscope's; it includes the client's own sending and receiving, and its lack of a core. `before` and `after`: its
    two parts. `wire_...`: Poolscope's latency less that between the packets (`passed`), for `wire_of` requests, which
    includes no client's lack of a core. `wire_arrived` and `wire_answered`: its two parts, positive if Poolscope's time
    is later. `parts_ms`: means over the tied requests.
    """
    opened = open_capture(capture)
    attribution = attribute(opened)
    requests = measure_requests(opened, attribution)
    assert requests is not None, "the capture has no requests"
    parts = split_requests(requests, attribution)
    base = opened.window[0]
    number = pd.to_numeric(pd.Series(requests.path).str.rsplit("/", n=1).str[1], errors="coerce").fillna(-1)
    ours = pd.DataFrame({"number": number.astype(int), "arrived": requests.arrived + base})
    ours["answered"], ours["row"] = requests.answered + base, np.arange(requests.count)
    ours = ours[requests.whole & (ours["number"] >= 0)]
    sent = pd.read_csv(log)
    rows = sent[sent["outcome"] == "ok"].merge(ours, on="number", how="left")
    tied = rows[rows["arrived"].notna()]
    before, after = (tied["arrived"] - tied["sent"]) / NS_PER_MS, (tied["ended"] - tied["answered"]) / NS_PER_MS
    client, own = (tied["ended"] - tied["sent"]) / NS_PER_MS, (tied["answered"] - tied["arrived"]) / NS_PER_MS
    error = client - own
    seen = tied.merge(passed.requests, on="number", suffixes=("", "_wire"))
    seen = seen[seen["answered_wire"] >= 0]
    arrived_off = (seen["arrived"] - seen["arrived_wire"]) / NS_PER_MS
    answered_off = (seen["answered"] - seen["answered_wire"]) / NS_PER_MS
    wire_error = (answered_off - arrived_off).abs()
    residual = parts.latency - (requests.answered - requests.arrived)[requests.whole]
    compared = np.isin(parts.row, tied["row"])  # the log lacks the generator's first requests, which warm up
    part_ms = {
        name: float(part[compared].mean()) / NS_PER_MS if compared.any() else 0.0 for name, part in parts.part.items()
    }
    return {
        "requests": len(sent),
        "answered": len(rows),
        "tied": len(tied),
        "outside": int(((before < 0) | (after < 0)).sum()),
        "client_ms": float(client.mean()),
        "own_ms": float(own.mean()),
        "error_median": float(error.abs().median()),
        "error_p99": float(error.abs().quantile(0.99)),
        "before_median": float(before.median()),
        "after_median": float(after.median()),
        "wire_of": len(seen),
        "wire_lost": passed.lost,
        "wire_odd": passed.odd,
        "wire_median": float(wire_error.median()),
        "wire_p99": float(wire_error.quantile(0.99)),
        "wire_worst": float(wire_error.max()),
        "wire_arrived": float(arrived_off.median()),
        "wire_answered": float(answered_off.median()),
        "residual_ns": int(np.abs(residual).max(initial=0)),
        "explained": 1.0 - float(parts.part["other"].sum()) / max(float(parts.latency.sum()), 1.0),
        "parts_ms": part_ms,
        "lost": int(opened.table("losses")["count"].clip(lower=0).sum()),
    }
