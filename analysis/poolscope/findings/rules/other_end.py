"""Requests took long because of the other end: another service answered late, or clients were slow to read the
answer."""

from __future__ import annotations

import numpy as np

from poolscope.base.units import NS_PER_MS, NS_PER_S
from poolscope.base.words import duration, moment, percent, times
from poolscope.evidence.elsewhere import late_calls, silent_service
from poolscope.evidence.evidence import Evidence
from poolscope.evidence.where import Costs, Where
from poolscope.findings.finding import Finding
from poolscope.findings.rule import Rule
from poolscope.measures.requests import Requests
from poolscope.measures.requests.held_up import SlowService as Slow
from poolscope.measures.requests.tiles import SERVICE


class SlowService(Rule):
    """Fires when a service that requests wait for became slow for a while (measures/requests/held_up.py).

    It must cost the requests a second in all, 1 % of the wall time, and a tenth of the time in which they waited for no
    thread (Evidence.slow_service). Otherwise, if items started on time, fires when late requests (measures/late.py)
    spent most of their time beyond the usual in a service's silence (measures/services.py) or awaiting its answers.

    The cost is the time of the slow calls beyond the usual, in request-seconds. It is compared with item-seconds,
    because both count a waiting request of a web service. A call's latency is measured on the wire: from sending the
    request, however late, to the arrival of the answer, whether or not a thread was free.
    """

    id = "slow-service"
    title = "No service that requests wait for became slow"
    failing_title = "Another service became slow"
    needs = ("requests", "socket_io", "thread_states")
    documentation = "slow-service"
    golden = ""
    section = "requests"

    def missing(self, evidence: Evidence) -> list[str]:
        """Returns the missing tables, and also the answers of services if these cannot be distinguished, as on a
        connection that several requests share at once."""
        lacking, requests = super().missing(evidence), evidence.requests
        if requests is not None and not (requests.tiles.kind == SERVICE).any() and not evidence.silences:
            lacking.append("answers of other services")
        return lacking

    def evaluate(self, evidence: Evidence) -> Finding | None:
        slow, requests = _of_judged(evidence), evidence.requests
        if requests is None:
            return None
        if slow is None:
            return self._of_late_requests(evidence, requests) if evidence.is_healthy else None
        factor = slow.slow / max(slow.usual, 1)
        begin, end = (float(at) / NS_PER_S for at in (slow.start.min(), slow.end.max()))
        cost = slow.cost
        share = float(cost.sum()) / max(float(requests.latency.sum()), 1.0)
        took, usual = duration(slow.slow / NS_PER_MS), duration(slow.usual / NS_PER_MS)
        met = len(np.unique(slow.request))
        return self.of_end(
            float(cost.sum()) / NS_PER_S,
            share,
            f"{took} instead of {usual}, {percent(share)} of all request time",
            because=f"{slow.endpoint} answered late",
            said=[
                f"{len(slow.start):,} of {slow.calls:,} answers of {slow.endpoint} took {took} (median), from {moment(begin)} to "
                f"{moment(end)} into the capture; the others took {usual}: {factor:.1f} times as long.",
                "The answer time is measured on the network, from the request sent to the answer received, so a "
                "shortage of threads here does not lengthen it.",
            ],
            advice=[f"Find out why {slow.endpoint} was slow: no change in this process makes it answer sooner."],
            where=_where(evidence, slow),
            sentence=f"{met:,} of {requests.count:,} requests were answered late because {slow.endpoint} answered late: {took} "
            f"instead of {usual}.",
            late=("requests", met, requests.count),
            endpoint=slow.endpoint,
        )

    def _of_late_requests(self, evidence: Evidence, requests: Requests) -> Finding | None:
        """Returns the finding if the service did not become slow for a while: it was silent, or the late requests hit
        its slow answers. The pool was healthy, so it is not the reason."""
        if silent := silent_service(evidence):
            late, (silence, cost) = evidence.held_up_requests, silent
            endpoint, longest = silence.endpoint, duration(float((silence.end - silence.start).max()) / NS_PER_MS)
            said = [
                f"{endpoint} was silent {times(len(silence.start))}, for up to {longest}: the process had sent data, "
                f"and no byte came back. At other times bytes came {duration(silence.usual / NS_PER_MS)} after a question (median of "
                f"{silence.answers:,}).",
                "If requests share a connection, no event shows which request an answer belongs to. The bytes show "
                "that no request got an answer.",
            ]
            because = f"{endpoint} was silent for up to {longest}"
        elif slow := late_calls(evidence):
            late, (endpoint, cost) = evidence.late_requests, slow
            because = f"they awaited answers of {endpoint}"
            said = [
                f"Late requests awaited answers of {endpoint} for {duration(float(cost.max()) / NS_PER_MS)} at most."
            ]
        else:
            return None
        met = int((cost > 0).sum())
        if late is None or cost.sum() < evidence.least_seconds * NS_PER_S:
            return None
        share = float(cost.sum()) / max(float(late.total), 1.0)
        start, stop = evidence.capture.window
        costs = Costs(np.full(len(cost), -1), late.start, late.end, cost)
        return self.of_end(
            float(cost.sum()) / NS_PER_S,
            share,
            f"{percent(share)} of the time of {len(late.row):,} late requests",
            because=because,
            said=[
                f"{len(late.row):,} of {requests.count:,} requests took at least a second and five times as long as their "
                f"route usually takes, the longest {duration(late.longest / NS_PER_MS)}.",
                *said,
            ],
            advice=[f"Find out why {endpoint} was slow: no change in this process makes it answer sooner."],
            where=Where(costs.window(stop - start), section=self.section),
            sentence=f"{met:,} of {requests.count:,} requests were answered late because {because}.",
            late=("requests", met, requests.count),
            endpoint=endpoint,
        )


def _of_judged(evidence: Evidence) -> Slow | None:
    """Returns the slow calls in the time of the judged items."""
    slow, items = evidence.slow_service, evidence.attribution.items
    if slow is None or evidence.chosen is None or not evidence.chosen.any():
        return slow
    first, last = items.enqueue[evidence.chosen].min(), items.end[evidence.chosen].max()
    during = (slow.end >= first) & (slow.start <= last)
    return slow.where(during) if during.any() else None


def _where(evidence: Evidence, slow: Slow) -> Where:
    start, stop = evidence.capture.window
    costs = Costs(np.full(len(slow.start), -1), slow.start, slow.end, slow.cost)
    return Where(costs.window(stop - start), section=SlowService.section)


class ClientSide(Rule):
    """Fires when slow requests spent most of their time on connections that were full of data that the client had not
    read.

    That time must be 1 % of the wall time in all, and work items must have started on time. The requests must be 1 % of
    those that are tied and take a second each (evidence/late_reasons.py). The confidence is medium if the routes of
    these requests always take this long, because the client may not have noticed the delay.
    """

    id = "client-side"
    title = "No client was slow to take an answer"
    failing_title = "Clients were slow to take answers"
    needs = ("requests", "socket_io")
    documentation = "client-side"
    golden = ""
    section = "requests"

    def evaluate(self, evidence: Evidence) -> Finding | None:
        slow = evidence.slow_clients
        if slow is None or not evidence.is_well or slow.waited.sum() < evidence.least_seconds * NS_PER_S:
            return None
        share = float(slow.waited.sum()) / max(float((slow.end - slow.start).sum()), 1.0)
        longest, count = duration(float(slow.waited.max()) / NS_PER_MS), len(slow.row)
        requests = "1 request" if count == 1 else f"{count:,} requests"
        start, stop = evidence.capture.window
        costs = Costs(np.full(count, -1), slow.start, slow.end, slow.waited)
        return self.of_end(
            float(slow.waited.sum()) / NS_PER_S,
            share,
            f"{percent(share)} of the time of {requests}",
            because="clients were slow to take answers",
            said=[
                f"The send buffers of the connections of {requests} were full for {percent(share)} of the time that "
                f"these took, up to {longest}: the service had more to send, and the client had not taken what was sent."
            ],
            advice=[
                "Look at the clients and the network between: no setting of the thread pool makes them quicker. Smaller or "
                "compressed answers, or a proxy that takes the answer at once, free the request sooner."
            ],
            where=Where(costs.window(stop - start), section=self.section),
            sentence=f"{count:,} of {slow.known:,} requests took long because their clients were slow to take the answer, for up to {longest}.",
            doubt="Requests of these routes usually wait for their clients, and their users may not mind."
            if slow.typical
            else "",
            late=("requests", count, slow.known),
        )
