"""The names of threads by thread id."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from poolscope.capture.capture import DecodedCapture


def thread_names(capture: DecodedCapture, tids: Iterable[int]) -> dict[int, str]:
    """Returns the names of threads by thread id. Only a kernel stream has names, and a thread may have none.

    If a thread id belonged to several threads, a thread of the target comes first: the kernel reuses the id of an ended
    thread.
    """
    if not capture.has("threads"):
        return {}
    threads = capture.table("threads")
    threads = threads[np.isin(threads["tid"].to_numpy(), list(tids))]
    target = int(capture.manifest["target"]["pid"])
    of_target = {int(t.tid): t.name for t in threads.itertuples() if int(t.pid) == target and _named(t.name)}
    others = {int(t.tid): t.name for t in threads.itertuples() if _named(t.name)}
    return {tid: str(name) for tid, name in {**others, **of_target}.items()}


def _named(name: object) -> bool:
    return isinstance(name, str) and name != ""
