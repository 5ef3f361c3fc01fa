"""The table `item_parts` of traces/schema.json: what each item's wait and execution consisted of."""

from __future__ import annotations

import pandas as pd

from poolscope.attribution import Attribution


def item_parts(attribution: Attribution) -> pd.DataFrame:
    """One row per attributed item, with the schema's columns. Empty, without columns, where there is no kernel stream."""
    if attribution.split is None:
        return pd.DataFrame()
    parts, execution = attribution.split.parts, attribution.execution
    return pd.DataFrame(
        {
            "id": attribution.items.row,
            "wait": parts.wait,
            "injection": parts.injection,
            "holding": parts.holding,
            "dependency": parts.dependency,
            "core": parts.core,
            "runtime": parts.runtime,
            "behind_blocked": attribution.split.behind_blocked,
            "exec_cpu": execution.cpu,
            "exec_blocked": execution.blocked,
            "exec_ready": execution.ready,
            "exec_runtime": execution.runtime,
            "exec_unknown": execution.unknown,
        }
    )
