"""Incidents in terms of requests, as analysis.json has them."""

from __future__ import annotations

from poolscope.base.statistics import summarise_ms
from poolscope.contract.analysis_json import IncidentRequestsJson, OutsideIncidentsJson
from poolscope.incidents import Incident
from poolscope.incidents.requests import during, outside
from poolscope.measures.requests import Requests


def incident_requests(requests: Requests | None, incidents: list[Incident]) -> list[IncidentRequestsJson | None]:
    """Returns the requests of each incident, in their order; None if no request is tied to its bytes."""
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
    """Returns the requests outside of incidents; None if no request is tied, or there is no incident, because those
    would be all requests once more."""
    if requests is None or not requests.tied.any() or not incidents:
        return None
    others = outside(requests, incidents)
    return {"count": len(others.latency), "latency_ms": summarise_ms(others.latency, others.at_least)}
