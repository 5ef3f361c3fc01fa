"""The route of a path: the path without the parts that identify one thing among many."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from poolscope.base.arrays import AnyArray, IntArray

_KEY = re.compile(
    r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[0-9a-fA-F]{12,}|(?=[^/]*\d[^/]*\d[^/]*\d)[\w.~%=+-]{20,}"
)
"""A segment that is a GUID, a hexadecimal key, or long with several digits in it, as tokens are."""
SHORTEST_KEY = 12
"""The fewest characters of such a segment. Most segments are shorter, and this check is quicker than the search."""
ANYTHING = "{id}"


def route_of(path: str) -> str:
    """Turns a path into a route: `/orders/17/lines` becomes `/orders/{id}/lines`.

    ASP.NET Core's events have the path and not the route, so this is a guess: names in a path stay, and each has a row
    of its own.
    """
    return "/".join(ANYTHING if _is_one_of_many(segment) else segment for segment in path.split("/"))


def _is_one_of_many(segment: str) -> bool:
    return segment.isdecimal() or (len(segment) >= SHORTEST_KEY and _KEY.fullmatch(segment) is not None)


def operation_of(name: str) -> str:
    """Turns an activity's name into an operation, word by word as for a path: `ship order 17` becomes `ship order
    {id}`."""
    return " ".join(route_of(word) for word in name.split(" "))


def route_codes(methods: AnyArray, paths: AnyArray) -> tuple[list[tuple[str, str]], IntArray]:
    """Returns every pair of HTTP method and route once, and for each request, shape (requests,), the index of its
    pair."""
    path_code, path = pd.factorize(np.asarray(paths, dtype=object), use_na_sentinel=False)
    method_code, method = pd.factorize(np.asarray(methods, dtype=object), use_na_sentinel=False)
    # Merge the paths of one route before pairing: there may be as many paths as requests.
    route_code, route = pd.factorize(np.array([route_of(str(one)) for one in path], dtype=object))
    pair = method_code * max(len(route), 1) + (route_code[path_code] if len(path) else path_code)
    code, known = pd.factorize(pair)
    names = [(str(method[k // len(route)]), str(route[k % len(route)])) for k in known.tolist()]
    return names, np.asarray(code, dtype=np.int64)


def routes_of(paths: AnyArray) -> AnyArray:
    """Returns the route of each path, shape (paths,), objects. Each distinct path is examined once; a missing one is
    empty."""
    code, known = pd.factorize(np.asarray(paths, dtype=object))
    routes = np.array([*(route_of(str(path)) for path in known), ""], dtype=object)
    return np.asarray(routes[code])
