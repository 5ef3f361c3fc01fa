"""Requests, or items, were late because the whole process stood still."""

from __future__ import annotations

import numpy as np

from poolscope.base.units import NS_PER_MS, NS_PER_S
from poolscope.base.words import duration, items, moment, percent, times
from poolscope.evidence.evidence import Evidence
from poolscope.evidence.where import Costs, Where
from poolscope.findings.finding import Finding
from poolscope.findings.rule import Rule

TOLD = 5
"""Stops whose time is reported."""


class ProcessStopped(Rule):
    """Fires when all threads of the process were stopped at once (measures/stops.py), for a second in all and 1 % of the wall
    time, and a late request or, without any, an item was under way meanwhile. The kernel says so at each thread's last switch, so
    nothing is inferred.

    Its cost is the time in which late requests stood still; without requests, that of the items.
    """

    id = "process-stopped"
    title = "The process was never stopped"
    failing_title = "The whole process was stopped"
    needs = ("switches", "threads")
    documentation = "process-stopped"
    golden = ""

    def evaluate(self, evidence: Evidence) -> Finding | None:
        stops = evidence.stops
        total = stops.total / NS_PER_S
        if total < evidence.least_seconds:
            return None
        late, ran = evidence.held_up_requests, evidence.attribution.items
        start, end = (late.start, late.end) if late is not None else (ran.enqueue, ran.end)
        still = stops.during.integral(start, end)
        met = int((still > 0).sum())
        if met == 0:
            return None
        longest = duration(float((stops.end - stops.start).max()) / NS_PER_MS)
        often = times(len(stops.start))
        stood = f"the whole process was stopped {often}, for up to {longest}"
        if late is not None:
            who = f"{met:,} late requests" if met > 1 else "1 late request"
            sentence = f"{met:,} of {late.count:,} requests were late because {stood}."
        else:
            who = items(met)
            sentence = f"T{stood[1:]}, while {who} {'was' if met == 1 else 'were'} under way."
        moments = ", ".join(moment(float(at) / NS_PER_S) for at in stops.start[:TOLD])
        costs = Costs(np.full(len(stops.start), -1), stops.start, stops.end, stops.end - stops.start)
        begin, stop = evidence.capture.window
        return self.of_end(
            float(still.sum()) / NS_PER_S,
            total / evidence.wall_seconds,
            f"stopped {often}, {duration(total * 1000)} in all, {percent(total / evidence.wall_seconds)} of the time",
            because="the whole process was stopped",
            said=[
                f"All threads of the process were stopped at once {often}, for up to {longest}: at {moments}"
                f"{' and later' if len(stops.start) > TOLD else ''}.",
                f"{who[0].upper()}{who[1:]} {'was' if met == 1 else 'were'} under way meanwhile. The kernel reports these threads as "
                "stopped, not as waiting.",
            ],
            advice=[
                "Find out what stopped the process: docker pause, a freezer of the container's host, SIGSTOP, a debugger, or a "
                "tool that takes a dump. Nothing in its code or its thread pool could have run."
            ],
            where=Where(costs.window(stop - begin)),
            sentence=sentence,
            late=None if late is None else ("requests", met, late.count),
        )
