"""The table `item_parts`: what every item's wait and execution consisted of."""

from __future__ import annotations

import pandas as pd

from poolscope.attribution.attribute import Attribution

WAIT = ("injection", "holding", "dependency", "core", "runtime", "behind_blocked")
"""Parts of the wait; `behind_blocked` is one of injection."""
EXECUTION = ("exec_cpu", "exec_blocked", "exec_ready", "exec_runtime", "exec_unknown")


def item_parts(attribution: Attribution) -> pd.DataFrame:
    """Returns `item_parts` of traces/schema.json, ns. Empty without a kernel stream."""
    a = attribution
    if a.split is None:
        return pd.DataFrame()
    p, e = a.split.parts, a.execution
    return pd.DataFrame(
        {
            "id": a.items.row,
            "wait": p.wait,
            "injection": p.injection,
            "holding": p.holding,
            "dependency": p.dependency,
            "core": p.core,
            "runtime": p.runtime,
            "behind_blocked": a.split.behind_blocked,
            "exec_cpu": e.cpu,
            "exec_blocked": e.blocked,
            "exec_ready": e.ready,
            "exec_runtime": e.runtime,
            "exec_unknown": e.unknown,
        }
    )
