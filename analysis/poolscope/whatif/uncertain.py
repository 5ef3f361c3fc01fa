"""The reasons for the uncertainty of a prediction, in words."""

from __future__ import annotations

import numpy as np

from poolscope.attribution import Attribution
from poolscope.base.words import items as items_words
from poolscope.base.words import percent
from poolscope.measures.socket_reads import read_waits
from poolscope.whatif.captured_work import CapturedWork
from poolscope.whatif.setting import Captured, Setting

MOST = 0.5
"""A share of the items of a kind. If more had not ended, those that had are the quick ones, and say little about the
others."""
NOTABLE = 0.1
"""A tenth more items at once than in the capture, or a tenth of the items. Less changes no prediction by more than its
own error."""


def runs_more_at_once(at_once: int, captured: Captured) -> bool:
    """Returns whether an obstacle without a queue in the capture may hold these items up."""
    return at_once > captured.peak_busy * (1 + NOTABLE)


def many_unfinished(attribution: Attribution) -> bool:
    """Returns whether a tenth of the items had not ended when the capture did.

    Their remaining demand is unknown, so threads are held for longer, and more of them are needed, than any prediction
    says.
    """
    items = attribution.items
    return bool(items.running_at_end.sum() + items.queued_at_end.sum() >= NOTABLE * max(items.count, 1))


def why_unfounded(work: CapturedWork) -> str | None:
    """Returns the end of a sentence on why no setting has a figure, whatever the model's error. None if predictions are
    allowed."""
    items = work.attribution.items
    if work.attribution.pool.may_be_full:
        return (
            "the pool did not grow while items were queued: the program may have set a maximum, and no event shows it"
        )
    unfinished = items.queued_at_end | items.running_at_end
    waited = float(items.wait.sum())
    for kind in np.unique(items.kind[unfinished]):
        mine = items.kind == kind
        if items.wait[mine].sum() < NOTABLE * waited:
            continue
        if MOST * mine.sum() < (mine & unfinished).sum():
            return "most items had not ended when the capture did, so their remaining work is unknown"
        # However few they are: the items queued behind them are like them, or like the quick ones that ended.
        took = items.end[mine] - items.dequeue[mine]
        if items.queued_at_end[mine].any() and MOST * took.sum() < took[items.running_at_end[mine]].sum():
            return "the items that held the threads for longest had not ended when the capture did, so their remaining work is unknown"
    reads = read_waits(work.capture)
    if reads is None:
        return None
    counted = 0 if work.requests is None else len(work.requests.missing)
    unread = len(np.unique(reads.socket[~reads.read]))
    if unread > counted and reads.wait[~reads.read].sum() >= NOTABLE * waited:
        connections = "1 connection" if unread == 1 else f"{unread:,} connections"
        return f"{connections} held data that no thread had read when the capture ended, so the amount of work to come is unknown"
    return None


def why_uncertain(setting: Setting, captured: Captured, attribution: Attribution, deadlock: bool) -> list[str]:
    """Returns sentences in addition to `lower_bound`. Empty if only the model's own error (calibration) is known."""
    said = []
    if deadlock:
        said.append("Items wait for items that can never start: the pool would stand still.")
    items = attribution.items
    queued = int(items.queued_at_end.sum())
    if queued >= NOTABLE * items.count:
        said.append(
            f"{items_words(queued)} never started in the capture ({percent(queued / items.count)}): they take part with the "
            "median demand of their kind."
        )
    running = int(items.running_at_end.sum())
    if running and many_unfinished(attribution):
        said.append(f"{items_words(running)} had not ended when the capture did, so their length is unknown.")
    censored = int(items.censored_start.sum())
    if censored >= NOTABLE * items.count:
        said.append(
            f"{percent(censored / items.count)} of the items were queued before the capture, for an unknown time."
        )
    if setting.cores is not None and setting.cores > captured.core_count:
        said.append("Other processes are taken to want no more of the added cores than they used.")
    return said
