"""The places where an item blocked, in words."""

from __future__ import annotations

from poolscope.blame.kinds import KIND_WORDS
from poolscope.contract.analysis_json import BlockedInJson
from poolscope.html.formatting import duration

KNOWN_BY = {"event": "a wait event shows", "snapshot": "a snapshot of its stack shows"}


def place_words(places: list[BlockedInJson]) -> str:
    """Returns a sentence with a space before it; nothing if no place is known."""
    if not places:
        return ""
    said = []
    for place in places:
        method = place["method"] or "code without a name"
        kind = KIND_WORDS.get(place["kind"], KIND_WORDS["unknown"])
        said.append(
            f"{duration(place['ms'])} in {method} ({kind}; {KNOWN_BY.get(place['known_by'], 'source unknown')})"
        )
    return f" It blocked {', '.join(said)}."
