"""The route of a path: what is left of it when the parts that name one thing among many are taken out."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from poolscope.base.arrays import AnyArray

_ANY = re.compile(
    r"\d+|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[0-9a-fA-F]{12,}|(?=[^/]*\d[^/]*\d[^/]*\d)[\w.~%=+-]{20,}"
)
"""A segment that is a number, a GUID, a hexadecimal key, or long with several digits in it, as tokens are."""
ANYTHING = "{id}"


def route_of(path: str) -> str:
    """`/orders/17/lines` becomes `/orders/{id}/lines`. ASP.NET Core's events have the path and not the route, so this is a
    guess: names in a path stay, and each has a row of its own."""
    return "/".join(ANYTHING if _ANY.fullmatch(segment) else segment for segment in path.split("/"))


def routes_of(paths: AnyArray) -> AnyArray:
    """The route of each path, shape (paths,), objects; a path that is there twice is looked at once, and a missing one is empty."""
    code, known = pd.factorize(np.asarray(paths, dtype=object))
    routes = np.array([*(route_of(str(path)) for path in known), ""], dtype=object)
    return np.asarray(routes[code])
