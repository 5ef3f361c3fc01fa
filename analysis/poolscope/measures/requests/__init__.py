"""Web requests: from the wire to the answer's first byte, and where that time went."""

from poolscope.measures.requests.parts import RequestParts, split_requests
from poolscope.measures.requests.requests import Requests, measure_requests

__all__ = ["RequestParts", "Requests", "measure_requests", "split_requests"]
