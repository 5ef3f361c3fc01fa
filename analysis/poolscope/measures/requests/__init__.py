"""Web requests from the wire to the first byte of the answer, and how that time was spent."""

from poolscope.measures.requests.parts import RequestParts, request_parts, split_requests
from poolscope.measures.requests.requests import Requests, measure_requests

__all__ = ["RequestParts", "Requests", "measure_requests", "request_parts", "split_requests"]
