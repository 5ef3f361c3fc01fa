"""Whether the verdict would be another one if nobody else had used the machine."""

from __future__ import annotations

from poolscope.base.words import percent
from poolscope.evidence.evidence import Evidence
from poolscope.evidence.measured import seconds
from poolscope.findings.finding import Finding
from poolscope.findings.ranking import ELSEWHERE
from poolscope.measures.antagonists import OTHERS

DISTURBED = 0.25
"""Of the judged items' delay: from a quarter on that would be gone without the competitors, they are part of the answer."""
FLIPPED = 0.5
"""From half of it on, what remains is the smaller part: the verdict names what was not the main cause."""
BUSY_OTHERS = 0.25
"""Of the core time while workers had no core: from a quarter of it on, other processes shape when things happened in ways
that a replay does not tell."""


def disturbance(evidence: Evidence, cause: Finding) -> tuple[str | None, bool]:
    """Why others on the machine limit the confidence, as a sentence (None: they do not), and whether the verdict may be
    another one without them. Never where they are the verdict."""
    if cause.id in ELSEWHERE or evidence.attribution.split is None or evidence.is_healthy:
        return None, False
    ladder = evidence.split.ladder
    part = evidence.of_judged(ladder.as_is)
    total = seconds(part)
    share = seconds(evidence.of_judged(evidence.spared_by_others)) / total if total > 0 else 0.0
    if share >= DISTURBED:
        text = (
            f"Others on the machine held cores: without them {percent(min(share, 1.0))} of the delay would be gone "
            "(replayed)."
        )
        return text, share >= FLIPPED
    others = evidence.antagonists.share(OTHERS) if evidence.antagonists else 0.0
    if (cause.ended_late or evidence.cores_matter()) and others >= BUSY_OTHERS:
        return (
            f"While workers had no core, other processes had {percent(others)} of the core time: part of what was measured is "
            "theirs.",
            False,
        )
    return None, False
