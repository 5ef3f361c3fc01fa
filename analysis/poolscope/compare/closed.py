"""A comparison without what somebody's command lines say."""

from __future__ import annotations

from typing import Any

from poolscope.redact import redact


def redacted(content: dict[str, Any]) -> dict[str, Any]:
    """A copy of a comparison's JSON in which names are tokens, as `redact` makes them of an analysis.

    A command line goes as a whole: of a sentence redaction leaves the tool's own words, and an argument may be one.
    """
    tokens: dict[str, str] = {}

    def token(command: str) -> str:
        return tokens.setdefault(command, f"command{len(tokens) + 1}")

    def run(found: dict[str, Any]) -> dict[str, Any]:
        return {**found, "conditions": {**found["conditions"], "command": token(str(found["conditions"]["command"]))}}

    def condition(found: dict[str, Any]) -> dict[str, Any]:
        if found["what"] != "command":
            return found
        return {**found, **{side: [token(command) for command in found[side]] for side in ("a", "b")}}

    sides = {side: [run(found) for found in content[side]] for side in ("a", "b")}
    return redact({**content, **sides, "differs": [condition(found) for found in content["differs"]]})
