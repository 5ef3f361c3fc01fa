"""Incidents: stretches of time in which items were late, and which of them matter to anybody."""

from poolscope.incidents.find import Incident, find_incidents, late_items
from poolscope.incidents.weight import Weighed, weigh

__all__ = ["Incident", "Weighed", "find_incidents", "late_items", "weigh"]
