"""The source of an export: the capture, and its attribution, made on first use."""

from __future__ import annotations

from functools import cached_property

from poolscope.attribution import Attribution, attribute
from poolscope.base.series import Steps
from poolscope.capture import DecodedCapture
from poolscope.incidents import assess, counted_by_blame
from poolscope.measures.activities import Activities, measure_activities
from poolscope.measures.requests import RequestParts, Requests, measure_requests, split_requests


class Source:
    """One capture to be exported. Raises as `attribute` does when a format asks for the attribution."""

    def __init__(self, capture: DecodedCapture) -> None:
        self.capture = capture

    @cached_property
    def attribution(self) -> Attribution:
        """Times in it are ns from `capture.window[0]`; those of the tables are ns of the capture's clock."""
        return attribute(self.capture)

    @cached_property
    def requests(self) -> Requests | None:
        """None if ASP.NET Core reported none."""
        return measure_requests(self.capture, self.attribution)

    @cached_property
    def request_parts(self) -> RequestParts | None:
        """None without requests that are tied and answered."""
        if self.requests is None or not self.requests.whole.any():
            return None
        return split_requests(self.requests, self.attribution)

    @cached_property
    def activities(self) -> Activities | None:
        """None if no activity was recorded."""
        return measure_activities(self.capture, self.attribution)

    @cached_property
    def blamed_moments(self) -> Steps | None:
        """What each moment counts in the report's blame (incidents/assess.py)."""
        return counted_by_blame(self.attribution.items, assess(self.capture, self.attribution))
