"""The requests of a web service during incidents and outside them, also in the form of analysis.json."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poolscope.base.arrays import BoolArray, IntArray
from poolscope.base.statistics import summarise_ms
from poolscope.contract.analysis_json import IncidentRequestsJson, OutsideIncidentsJson
from poolscope.incidents.find import Incident
from poolscope.measures.requests import Requests

from . import Incident

NEVER_ANSWERED = np.iinfo(np.int64).max


@dataclass(frozen=True)
class During:
    """Requests of one incident, ns.

    They include requests tied to their bytes, data that no request had begun to handle, and requests from before the
    recording.
    """

    in_progress: int
    """The number of requests in progress at any time of the incident, including those that arrived in it."""
    answered: int
    """The number of requests answered in the incident."""
    latency: IntArray
    """The latency of the requests that arrived in the incident, shape (arrived,)."""
    at_least: BoolArray
    """Whether each latency is a lower bound."""

    @property
    def arrived(self) -> int:
        return len(self.latency)


@dataclass(frozen=True)
class Outside:
    """Requests that were in progress in no incident: shape (requests,), ns."""

    latency: IntArray
    at_least: BoolArray


def during(requests: Requests, incidents: list[Incident]) -> list[During]:
    """Returns the requests of each incident, in order. Incidents do not overlap (find.py)."""
    arrived, answered = _times(requests)
    order = np.argsort(arrived, kind="stable")
    by_arrival, by_answer = arrived[order], np.sort(answered)
    latency, at_least = requests.latency[order], requests.at_least[order]
    found = []
    for incident in incidents:
        first = int(np.searchsorted(by_arrival, incident.start, side="left"))
        last = int(np.searchsorted(by_arrival, incident.end, side="right"))
        before = int(np.searchsorted(by_answer, incident.start, side="left"))
        until = int(np.searchsorted(by_answer, incident.end, side="right"))
        found.append(
            During(
                in_progress=last - before,
                answered=until - before,
                latency=latency[first:last],
                at_least=at_least[first:last],
            )
        )
    return found


def outside(requests: Requests, incidents: list[Incident]) -> Outside:
    """Returns the requests outside of incidents, by their whole time and not only by their arrival: a request that
    arrived just before an incident may have waited in it."""
    arrived, answered = _times(requests)
    starts = np.array([i.start for i in incidents], dtype=np.int64)
    ends = np.array([i.end for i in incidents], dtype=np.int64)
    begun, over = np.searchsorted(starts, answered, side="right"), np.searchsorted(ends, arrived, side="left")
    met_none = begun == over
    return Outside(requests.latency[met_none], requests.at_least[met_none])


def _times(requests: Requests) -> tuple[IntArray, IntArray]:
    """Returns the times of arrival and answer, as Requests.latency uses them. NEVER_ANSWERED means not before the end
    of the capture."""
    answered = requests.answers
    return requests.arrived_at, np.where(answered >= 0, answered, NEVER_ANSWERED)


def incident_requests(requests: Requests | None, incidents: list[Incident]) -> list[IncidentRequestsJson | None]:
    """Returns the requests of each incident, in order. An entry is None if no request is tied to its bytes."""
    if requests is None or not requests.tied.any():
        return [None] * len(incidents)
    return [
        {
            "arrived": one.arrived,
            "in_progress": one.in_progress,
            "answered": one.answered,
            "latency_ms": summarise_ms(one.latency, one.at_least),
        }
        for one in during(requests, incidents)
    ]


def outside_incidents(requests: Requests | None, incidents: list[Incident]) -> OutsideIncidentsJson | None:
    """Returns the requests outside of incidents. None if no request is tied, or if there is no incident, because these
    would be all requests again."""
    if requests is None or not requests.tied.any() or not incidents:
        return None
    others = outside(requests, incidents)
    return {"count": len(others.latency), "latency_ms": summarise_ms(others.latency, others.at_least)}
