"""Incidents: stretches of time in which items were late, and whether they matter to users."""

from poolscope.incidents.assess import assess, counted_by_blame, late_and_waiting
from poolscope.incidents.find import Incident, find_incidents, late_items
from poolscope.incidents.weight import Weighed, weigh

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
