"""A fleet's answer in sentences."""

from __future__ import annotations

from poolscope.base.words import duration, percent
from poolscope.fleets.answer import FleetAnswer
from poolscope.fleets.excess import ITEMS, ROUTE, Group
from poolscope.fleets.places import sentence
from poolscope.fleets.ranking import Candidate, Ranked
from poolscope.product.causes import CAUSE_WORDS
from poolscope.product.requests import PART_WORDS

FIRST = 3
"""Rows that the headline names."""


def headline(answer: FleetAnswer) -> str:
    """Returns where the delay is that the others do not have, or that there is none, or too little to tell; and where late requests
    were. These are first if no group of captures stands out."""
    said = [groups_sentence(answer), sentence(answer.rows)]
    return " ".join(one for one in (said if answer.ranking else reversed(said)) if one)


def groups_sentence(answer: FleetAnswer) -> str:
    """Returns where the delay is that the others do not have, or why no group is named."""
    if not answer.rows:
        return "No capture could be analysed."
    named = [f"{named_group(row.candidate.group)} ({cause_words(row.candidate)})" for row in answer.ranking[:FIRST]]
    if named:
        more = f", and {len(answer.ranking) - FIRST} more" if len(answer.ranking) > FIRST else ""
        return f"Delay that the others do not have: {'; '.join(named)}{more}."
    if not any((own.count > 0).any() for own in answer.figures.whole.values()):
        return "Cannot tell where the delay is: no capture has a kernel stream, so no wait is split."
    if len(answer.rows) < 6:
        return "Cannot tell whether a group stands out: that takes three captures of it and three of others."
    return "No group of captures has more delay than chance explains."


def named_group(group: Group) -> str:
    return f"{group.key} {group.value}"


def cause_words(candidate: Candidate) -> str:
    """Returns the cause as people say it, and of what."""
    if candidate.of == ITEMS:
        return CAUSE_WORDS[candidate.cause]
    return f"requests: {PART_WORDS[candidate.cause]}"


def row_text(row: Ranked) -> str:
    """Says one row of the ranking: how much, compared with what, and what cannot be reported."""
    found, group = row.candidate.found, row.candidate.group
    noun = "work item" if row.candidate.of == ITEMS else "request"
    against = "the other routes of the same captures" if group.key == ROUTE else "other captures of the same services"
    low, high = found.interval_ms
    text = (
        f"{_capital(named_group(group))}: {cause_words(row.candidate)} of {_ms(found.group_ms)} per {noun}, "
        f"{_ms(found.rest_ms)} in {against}: {_ms(found.more_ms)} more "
        f"(95 % interval {_ms(low)} to {_ms(high)}, {found.captures} captures against {found.rest}), "
        f"{duration(found.seconds * 1e3)} in all, {percent(row.share)} of all such delay."
    )
    if row.same_as:
        others = ", ".join(named_group(one) for one in row.same_as)
        text += f" The same captures have {others} too, so either may be the cause."
    if row.only_with is not None:
        text += f" Only together with {named_group(row.only_with)}: neither alone has it."
    if found.alone:
        text += f" {found.alone} of its captures have nothing to compare with."
    return text


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _ms(ms: float) -> str:
    return "0" if abs(ms) < 1e-4 else f"-{duration(-ms)}" if ms < 0 else duration(ms)
