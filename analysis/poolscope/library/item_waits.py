"""The answers of `Capture.attribute`, one row per work item, and of `by_method` and `by_kind`, one row per group of items."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from poolscope.attribution import Attribution
from poolscope.base.arrays import IntArray
from poolscope.base.statistics import quantile
from poolscope.capture import DecodedCapture, load_schema
from poolscope.library.tables import readable
from poolscope.product.causes import CAUSES, main_cause, wait_by_cause
from poolscope.product.item_names import KINDS, item_kinds, item_methods
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


UNKNOWN = "unknown"
"""Stands for the method of items that no stack was seen of."""
QUANTILES = {"wait_p50": 0.50, "wait_p99": 0.99}
GROUP_DURATIONS = ("wait_mean", *QUANTILES, "wait_max", *WAITS)


def by_method(capture: DecodedCapture, attribution: Attribution) -> pd.DataFrame:
    """Returns one row per method, as `worst_items[].method` of analysis.json names it."""
    methods, code = methods_of(capture, attribution)
    # Two frames may have one name: of modules that differ.
    names, same = np.unique(np.array([*methods, UNKNOWN], dtype=object), return_inverse=True)
    return _grouped(attribution, same[code], names.tolist(), "method")


def by_kind(capture: DecodedCapture, attribution: Attribution) -> pd.DataFrame:
    """Returns one row per kind of work, as `worst_items[].kind` of analysis.json names it."""
    items = attribution.items
    kinds = item_kinds(capture, items, attribution.executions)
    return _grouped(attribution, kinds, KINDS, "kind")


def methods_of(capture: DecodedCapture, attribution: Attribution) -> tuple[list[str], IntArray]:
    """Names of methods, and for each item the index of its own, shape (items,); -1: no stack was seen."""
    items = attribution.items
    frames, code = item_methods(capture, attribution.executions)
    return [frame.method or UNKNOWN for frame in frames], code[: items.count]


def _grouped(attribution: Attribution, code: IntArray, names: Sequence[str], index: str) -> pd.DataFrame:
    """Returns one row per group, the one whose items waited longest in all first. `code` is each item's index into
    `names`."""
    items, parts = attribution.items, wait_by_cause(attribution)
    rows = []
    for number in np.unique(code).tolist():
        own = np.flatnonzero(code == number)
        wait, censored = items.wait[own], items.censored[own]
        rows.append(
            {
                index: names[number],
                "items": len(own),
                "wait_mean": float(wait.mean()),
                **{name: quantile(wait, censored, share).value for name, share in QUANTILES.items()},
                "wait_max": float(wait.max()),
                **{part: float(parts[part][own].mean()) if part in parts else np.nan for part in WAITS},
                "at_least": bool(censored.any()),
            }
        )
    rows.sort(key=lambda row: (-row["items"] * row["wait_mean"], row[index]))
    columns = [index, "items", *GROUP_DURATIONS, "at_least"]
    return pd.DataFrame(rows, columns=columns).set_index(index)
