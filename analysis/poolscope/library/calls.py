"""The answer of `Capture.calls`."""

from __future__ import annotations

import numpy as np
import pandas as pd

from poolscope.measures.calls import Calls
from poolscope.measures.requests.routes import routes_of


def calls_frame(calls: Calls | None) -> pd.DataFrame:
    """Returns the columns that `Capture.calls` describes, in order of `calls.id`; durations ns."""
    if calls is None:
        return pd.DataFrame()
    return pd.DataFrame(
        {
            "endpoint": calls.endpoint,
            "route": routes_of(calls.path),
            "path": calls.path,
            "protocol": calls.protocol,
            "begun": calls.begun,
            "end": calls.end,
            "latency": np.where(calls.untold, np.nan, calls.latency),
            "at_least": calls.open,
            "status": calls.status,
            "failed": calls.failed,
            "connection": calls.connection,
            "making_wait": calls.making,
            "held_wait": calls.held,
            "thread_wait": calls.dispatch,
        }
    ).rename_axis("id")
