"""Numbers of the verdict as links to the part of the page that shows them."""

from __future__ import annotations

import re
from dataclasses import dataclass

_UNIT = r"(?: (?:%|µs|ms|s|min|h)(?!\w)| late items?| work items?| items?| threads?| tasks?)"
NUMBER = re.compile(rf"(?<![\w.:\-/])(?:\d[\d,.]*\d|\d)(?:(?: of \d[\d,]*)?{_UNIT}|(?= of \d)|(?![\w.:/]))")
"""A number with its unit or what it counts. Digits inside a name, such as a line of a file, are none."""
TRUST, CORES, CAPTURED, POOL, WAITS, SPLIT = "whatif-trust", "cores", "captured", "pool", "waits", "split"
SENTENCES = (
    (re.compile(r"(model|replay) error|prediction", re.IGNORECASE), TRUST),
    (re.compile(r"held cores|other process|on the machine", re.IGNORECASE), CORES),
    (re.compile(r"\blost\b|recording|stream|snapshot|kernel|before the capture|at its end", re.IGNORECASE), CAPTURED),
)
"""The subject of a sentence, if it decides which part shows its numbers; the first that fits."""


@dataclass(frozen=True)
class Piece:
    """A stretch of a text. `anchor` is empty if it is no link."""

    text: str
    anchor: str = ""


def linked(text: str, predicted: bool = True) -> list[Piece]:
    """Cuts a text so that each number is a piece of its own with an anchor. Together the pieces are the text.

    `predicted`: whether the page says how far predictions can be trusted.
    """
    about = next((anchor for words, anchor in SENTENCES if words.search(text)), "")
    if about == TRUST and not predicted:
        about = SPLIT
    pieces: list[Piece] = []
    at = 0
    for match in NUMBER.finditer(text):
        pieces += [Piece(text[at : match.start()]), Piece(match[0], about or _shown(match, text))]
        at = match.end()
    return [piece for piece in [*pieces, Piece(text[at:])] if piece.text]


def _shown(match: re.Match[str], text: str) -> str:
    """Returns the part that shows a number of the verdict's own sentence."""
    if match[0].endswith(("item", "items")) or re.search(r"p99 wait $", text[: match.start()]):
        return WAITS
    return POOL if match[0].endswith(("thread", "threads", "task", "tasks")) else SPLIT
