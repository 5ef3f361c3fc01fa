"""Predictions as a table for pandas."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from poolscope.contract.analysis_json import WhatIfRowJson


def rows_to_frame(rows: Sequence[WhatIfRowJson]) -> pd.DataFrame:
    """One row per setting; columns are the paths of `what_if.rows[]` in analysis.json, such as `wait_ms.p99`."""
    return pd.json_normalize(list(rows), sep=".")
