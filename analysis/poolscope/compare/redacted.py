"""A comparison without what somebody's command lines and hosts say."""

from __future__ import annotations

from copy import deepcopy

from poolscope.compare.comparison_json import ComparisonJson
from poolscope.redact import redact

WHOLE = ("command", "host")
"""Conditions that go as a whole: of a sentence redaction leaves the tool's own words, and an argument may be one."""


def redacted(content: ComparisonJson) -> ComparisonJson:
    """A copy of a comparison's JSON in which names are tokens, as `redact` makes them of an analysis."""
    tokens: dict[tuple[str, str], str] = {}

    def token(kind: str, name: str) -> str:
        return tokens.setdefault((kind, name), f"{kind}{len(tokens) + 1}")

    content = deepcopy(content)
    for run in (*content["a"], *content["b"]):
        for kind in WHOLE:
            run["conditions"][kind] = token(kind, str(run["conditions"][kind]))
    for condition in content["differs"]:
        kind = condition["what"]
        if kind in WHOLE:
            condition["a"] = [token(kind, name) for name in condition["a"]]
            condition["b"] = [token(kind, name) for name in condition["b"]]
    return redact(content)
