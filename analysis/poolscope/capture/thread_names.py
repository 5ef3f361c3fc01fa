"""The names of threads, by their ids."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from poolscope.capture.capture import DecodedCapture


def thread_names(capture: DecodedCapture, tids: Iterable[int]) -> dict[int, str]:
    """Names by thread id, of those that have one: only a kernel stream knows them.

    A thread id belongs to a thread of the target where it can; the kernel gives ids again once a thread has ended.
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
