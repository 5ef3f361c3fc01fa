"""The answer of `Capture.attribute`: one row per work item."""

from __future__ import annotations

import numpy as np
import pandas as pd

from poolscope.attribution import Attribution
from poolscope.capture import DecodedCapture, load_schema
from poolscope.library.tables import readable
from poolscope.product.causes import CAUSES, main_cause
from poolscope.product.parts import EXECUTION, WAIT, item_parts

WAITS = ("injection", "blocking", "core", "runtime")
"""Columns that add up to `wait` in every row."""
DURATIONS = ("wait", *WAITS, "holding", "dependency", "behind_blocked", *EXECUTION)
TIMES = ("enqueue", "dequeue", "end")
SEEN = ("kind", "enqueue", "dequeue", "end", "worker_tid")
"""Columns that come from the table work_items as they are."""


def item_waits(capture: DecodedCapture, attribution: Attribution) -> pd.DataFrame:
    """Returns the columns that `Capture.attribute` describes, in order of `work_items.id`."""
    work_items = readable(capture.table("work_items"), load_schema().tables["work_items"])
    items = attribution.items
    parts = item_parts(attribution)
    if parts.empty:
        parts = pd.DataFrame({name: np.full(items.count, np.nan) for name in (*WAIT, *EXECUTION)})
    columns: dict[str, object] = {
        **{name: work_items[name].iloc[items.row].reset_index(drop=True) for name in SEEN},
        "wait": items.wait,
        "at_least": items.censored,
        "cause": pd.Categorical.from_codes(main_cause(attribution), categories=list(CAUSES)),
        "injection": parts["injection"],
        "blocking": parts["holding"] + parts["dependency"],
        "core": parts["core"],
        "runtime": parts["runtime"],
        **{name: parts[name] for name in ("holding", "dependency", "behind_blocked")},
        **{name: parts[name] for name in EXECUTION},
    }
    return pd.DataFrame(columns).set_index(pd.Index(items.row, name="id"))
