"""Pool workers that no event names: in a pool that stands still none of them takes an item, starts or stops.

The kernel knows them by the name that the runtime gives its pool's threads.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

WORKER_NAME = ".NET TP Worker"
"""The kernel's name of a worker of the runtime's pool on Linux, .NET 8 and later."""


def with_named(workers: pd.DataFrame, threads: pd.DataFrame, pid: int) -> pd.DataFrame:
    """Returns `workers` with those threads of process `pid` that have the name of a worker but no event."""
    mine = (threads["pid"].to_numpy() == pid) & (threads["name"] == WORKER_NAME).to_numpy()
    mine &= ~np.isin(threads["tid"].to_numpy(), workers["tid"].to_numpy())
    if not mine.any():
        return workers
    found = threads[mine].drop_duplicates("tid", keep="last")
    more = pd.DataFrame({"tid": found["tid"], "start": found["start"], "stop": found["end"]})
    return pd.concat((workers, more.astype(workers.dtypes.to_dict())), ignore_index=True)
