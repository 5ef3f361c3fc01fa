"""Sentence structures to avoid, each with its replacement.

Twelve of them are a dialect: each is correct now and then, but together they read as a translation. A pattern checks
one sentence. Expressions in the text (`{count}`, inline code) count as one word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

AUXILIARY = r"(?:is|are|was|were|be|been|being)"
MOST_WORDS = 40
"""A longer sentence has more than one thought."""


@dataclass(frozen=True)
class Pattern:
    """One structure: its name, its replacement, and a function that returns the words of a sentence that show it."""

    name: str
    instead: str
    find: Callable[[str], Iterator[re.Match[str]]]


def _like(name: str, expression: str, instead: str, exact: bool = False) -> Pattern:
    compiled = re.compile(expression, 0 if exact else re.IGNORECASE)
    return Pattern(name, instead, compiled.finditer)


VERB = (
    r"(?:is|are|was|were|belongs?|counts?|ends?|lasts?|goes|go|comes?|came|means?|made|needs?|runs?|gets?|has|stands?)"
)
HEADLESS = r"(?:what|who|whom|whatever|whichever|whose)"


TWELVE = [
    _like(
        "of which",
        r"\bof (?:which|whom)\b|(?-i:^Of (?!course\b|(?:the (?:other )?)?\d)[^.]*)",
        "two sentences, or a plain 'with' or 'whose'",
    ),
    _like(
        "where there is",
        r"(?<!say )(?<!says )(?<!know )(?<!show )(?<!shows )(?<!see )(?<!sees )(?<!knows )\bwhere (?:there|that|this|it|they|one|none|no|nothing)\b"
        rf"(?: \w+)?? (?:{AUXILIARY}|has|have|had|do|does|did|can|cannot|may|must|will|needs)\b(?! [.,;)])",
        "'if' or 'when', after the statement",
    ),
    _like("nobody", r"\b(?:nobody|somebody|anybody|whoever|whomever)\b|\bwho (?:does|do)\b", "name the actor"),
    _like(
        "tells of",
        r"\btells\b(?! you\b)|\btell of\b|\b(?:do|does|did) not tell\b",
        "'says', 'shows', 'reports' or 'records'",
    ),
    _like("is told", r"\btold\b(?! to\b)", "who says what, or 'not recorded'"),
    _like("so many", r"\bso (?:many|much|few|long|often|large|late|old)\b(?! that\b)", "the number, or 'this many'"),
    _like("for want of", r"\bfor (?:the )?want of\b|\bin want of\b", "'without', or 'because there is no'"),
    _like(
        "what ... is",
        # A heading such as "What it costs" has no second verb, and a question is one.
        rf"^{HEADLESS} (?:[^\s?]+ ){{1,14}}?(?!what)[^\s?]+ {VERB} [^?]*?[.;]$|^{HEADLESS} [^?,]*, {VERB} [^?]*[.;]$"
        rf"|; (?:what|who) (?!(?:is|are) )(?:[^\s;?]+ )+?{VERB} (?=\w)|\bwhat (?:\w+ ){{1,5}}that (?:is|are|was|were)\b",
        "give the relative clause a noun, or start with the actor",
    ),
    _like("as ever", r"\bas ever\b", "leave it out"),
    _like("which of them", r"\bwhich of (?:them|these|those)\b", "name the things"),
    _like("goes before", r"\b(?:goes|go|went|going) before\b", "'wins', 'takes precedence' or 'comes first'"),
    _like(
        "is known from",
        rf"\b{AUXILIARY}(?: \w+)? known (?:from|by|of)\b|\bit {AUXILIARY}(?: \w+)? known\b",
        "who knows it, or 'Poolscope reads it from'",
    ),
]
"""The twelve patterns of the dialect."""

STRUCTURE = [
    _like(
        "no actor",
        rf"\b{AUXILIARY}(?: \w+)? (?:let go|let through|asked (?:for|again|of)|looked (?:at|for|up|into)|said of|"
        r"taken (?:for|from|at)|gone through|thought of)\b",
        "name the actor: the verb in the active voice",
    ),
    _like("condition first", r"^Where [^.?]*,", "the statement first, then 'if' or 'when'", exact=True),
    _like("inverted", r"^(?:To|By|For|From|At|In|With|On) (?:whom|which|each of|all of)\b", "subject, verb, object"),
    _like(
        "headless object",
        r"\b(?:of|by|for|from|with|than|to|on) (?:what|whom) (?:was|were|came|comes|happened|holds|held|stands|lies)\b",
        "give the relative clause a noun",
    ),
    _like("stands in", r"\b(?:stands?|stood) (?:in|under|above|below|there) (?!line\b|for\b)", "'is', 'appears'"),
    _like(
        "archaic",
        r"\b(?:anew|lest|hence|hitherto|henceforth|save for|let alone|had rather|at its word)\b",
        "a word that people use today",
    ),
]
"""Other structures that read as a translation."""


def _long(sentence: str) -> Iterator[re.Match[str]]:
    # Parts between semicolons are the items of a list.
    for part in re.finditer(r"[^;]+", sentence):
        if len(re.findall(r"[\w'`$%-]*\w[\w'`$%-]*", part[0])) > MOST_WORDS:
            yield from re.finditer(r"^(?:\S+\s*){1,6}", part[0])


LENGTH = [Pattern("long", f"one thought per sentence, at most {MOST_WORDS} words", _long)]

ALL = [*TWELVE, *STRUCTURE, *LENGTH]


def in_sentence(sentence: str, patterns: list[Pattern]) -> Iterator[tuple[Pattern, str]]:
    """Yields each pattern found in a sentence, with the words that show it."""
    for pattern in patterns:
        for match in pattern.find(sentence):
            yield pattern, match[0].strip()
