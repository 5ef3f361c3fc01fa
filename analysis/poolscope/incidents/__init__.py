"""Incidents: stretches of time in which items were late, and whether they matter to users."""

from poolscope.incidents.find import (
    Incident,
    Weighed,
    assess,
    counted_by_blame,
    find_incidents,
    late_and_waiting,
    late_items,
    weigh,
)

__all__ = [
    "Incident",
    "Weighed",
    "assess",
    "counted_by_blame",
    "find_incidents",
    "late_and_waiting",
    "late_items",
    "weigh",
]
