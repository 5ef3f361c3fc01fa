"""Replaces names in an analysis that could identify its owner.

Closed by default: what is not at a key of known meaning (policy.py) is taken for a sentence, and of a sentence only the
tool's own words, numbers and public names stay (lexicon.py, names.py).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import TypeVar, cast

from poolscope.redact import names
from poolscope.redact.lexicon import Lexicon, is_number, lexicon
from poolscope.redact.policy import Rule, rule_of

Content = TypeVar("Content", bound=Mapping[str, object])
"""An analysis.json, a part of one, or a comparison."""
_OPEN, _CLOSE = "\ue000", "\ue001"
"""Around the number of a token while a sentence is worked on: private characters, which no lexicon holds."""
_HELD = re.compile(f"{_OPEN}(\\d+){_CLOSE}")
_WORD = re.compile(r"\S+")
_EDGE = re.compile(r"^([(\[\"',;:]*)(.*?)([)\]\"',;:.!?]*)$", re.DOTALL)


class Tokens:
    """One token for each name, numbered by kind in the order in which they are asked for."""

    def __init__(self) -> None:
        self.of: dict[str, str] = {}
        self.count: Counter[str] = Counter()

    def __call__(self, kind: str, name: str) -> str:
        if not name:
            return name
        if name not in self.of:
            self.count[kind] += 1
            self.of[name] = f"{kind}-{self.count[kind]}"
        return self.of[name]


class _Sentences:
    """Texts of the tool's own with names in them."""

    def __init__(self, shown: dict[str, str], tokens: Tokens, known: Lexicon) -> None:
        self.tokens, self.known = tokens, known
        # The longest first: the name of a process may be the beginning of a method's.
        self.names = sorted((n for n in shown if self._tells(n)), key=lambda n: (-len(n), n))
        self.shown = shown

    def _tells(self, name: str) -> bool:
        """Returns whether a sentence may not hold this name. Numbers and plain words of the tool's own, such as `run`, tell nothing
        there, and without them no sentence could be read."""
        word = name.strip()
        return not is_number(word) and any(map(str.isalnum, word)) and not (word.isalpha() and word in self.known.words)

    def redact(self, text: str) -> str:
        # Also where a capture happens to be named after a rule: what reads the analysis decides by its ids.
        if text in self.known.whole:
            return text
        held: list[str] = []

        def hold(shown: str) -> str:
            held.append(shown)
            return f"{_OPEN}{len(held) - 1}{_CLOSE}"

        text = text.replace(_OPEN, "\ufffd").replace(_CLOSE, "\ufffd")
        for name in self.names:
            if name in text:
                whole = rf"(?<![\w+`])(?<!\w\.){re.escape(name)}(?![\w+`])(?!\.\w)"
                text = re.sub(whole, lambda _, shown=self.shown[name]: hold(shown), text)  # type: ignore[misc]
        text = _WORD.sub(lambda word: self._word(word[0]), text)
        return _HELD.sub(lambda number: held[int(number[1])], text)

    def _word(self, word: str) -> str:
        if self.known.knows(_HELD.sub("", word)):
            return word
        edges = _EDGE.match(word)
        before, bare, after = edges.groups() if edges else ("", word, "")
        return before + self._shown(_HELD.sub("", bare)) + after

    def _shown(self, bare: str) -> str:
        if bare.startswith(names.FRAMEWORK):
            return names.method(bare, self.tokens)
        return self.tokens("word", bare)

    def key(self, key: str) -> str:
        """Redacts keys, which are the tool's own words, unless names of the target were made keys."""
        return key if key in self.known.whole or key.isdecimal() else self.tokens("word", key)


Change = Callable[[str, Rule | None], str]
RuleOf = Callable[[tuple[str, ...], int | None, Mapping[str, object]], Rule | None]


def redact(analysis: Content, rule_of: RuleOf = rule_of, short: Callable[[str], str] | None = None) -> Content:
    """Returns a copy of an analysis.json in which names are tokens; `redacted` says how many of each kind.

    `rule_of` says what stands where in another document than an analysis; `short` how its sentences shorten names.

    The same name is the same token everywhere in it. Tokens are numbered in the order of the analysis, so the same
    capture gives the same bytes, and a token says nothing of the name that it stands for.
    """
    tokens = Tokens()
    # Names first: a sentence may hold one that only a later table tells to be a name.
    shown: dict[str, str] = {}

    def name(text: str, rule: Rule | None) -> str:
        if rule is None:
            return text
        result = rule(text, tokens)
        # A name that stays in one place and not in another goes from every sentence.
        if text not in shown or result != text:
            shown[text] = result
            if short is not None:
                shown[short(text)] = (
                    result if result != text and not result.startswith(names.FRAMEWORK) else short(result)
                )
        return result

    named = _walk(analysis, name, rule_of)
    sentences = _Sentences(shown, tokens, lexicon())
    whole = _walk(named, lambda text, rule: sentences.redact(text) if rule is None else text, rule_of, sentences.key)
    whole["redacted"] = {kind: tokens.count[kind] for kind in sorted(tokens.count)}
    # Values change and keys do not, so it stays what it was.
    return cast(Content, whole)


def redact_sentence(text: str) -> str:
    """Redacts one of the tool's own texts without an analysis that lists the names: only the tool's own words stay."""
    return _Sentences({}, Tokens(), lexicon()).redact(text)


def _walk(
    analysis: Mapping[str, object], change: Change, rule_of: RuleOf, key: Callable[[str], str] = str
) -> dict[str, object]:
    """Changes every string of `analysis` by the rule for its place, and every key by `key`."""

    def walked(value: object, path: tuple[str, ...], index: int | None, beside: Mapping[str, object]) -> object:
        if isinstance(value, dict):
            return {key(k): walked(v, (*path, k), None, value) for k, v in value.items()}
        if isinstance(value, list):
            return [walked(v, path, i, beside) for i, v in enumerate(value)]
        return change(value, rule_of(path, index, beside)) if isinstance(value, str) else value

    return {key(k): walked(v, (k,), None, analysis) for k, v in analysis.items()}
