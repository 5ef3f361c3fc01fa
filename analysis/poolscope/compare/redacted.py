"""A comparison without what somebody's command lines and hosts say."""

from __future__ import annotations

from typing import Any

from poolscope.redact import redact

WHOLE = ("command", "host")
"""Conditions that go as a whole: of a sentence redaction leaves the tool's own words, and an argument may be one."""


def redacted(content: dict[str, Any]) -> dict[str, Any]:
    """A copy of a comparison's JSON in which names are tokens, as `redact` makes them of an analysis."""
    tokens: dict[tuple[str, str], str] = {}

    def token(kind: str, name: str) -> str:
        return tokens.setdefault((kind, name), f"{kind}{len(tokens) + 1}")

    def run(found: dict[str, Any]) -> dict[str, Any]:
        whole = {kind: token(kind, str(found["conditions"][kind])) for kind in WHOLE}
        return {**found, "conditions": {**found["conditions"], **whole}}

    def condition(found: dict[str, Any]) -> dict[str, Any]:
        kind = found["what"]
        if kind not in WHOLE:
            return found
        return {**found, **{side: [token(kind, name) for name in found[side]] for side in ("a", "b")}}

    sides = {side: [run(found) for found in content[side]] for side in ("a", "b")}
    return redact({**content, **sides, "differs": [condition(found) for found in content["differs"]]})
