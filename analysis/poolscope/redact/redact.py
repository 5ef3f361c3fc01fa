"""Replaces names in an analysis that could identify its owner.

It is closed by default. A string at a key of unknown meaning (names.py) is treated as a sentence, and a sentence keeps
only the tool's own words, numbers and public names. The tool's words are read from its own sources and from the capture
format, so a new rule or sentence needs no list. Every other word came from the captured machine.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar, cast

from poolscope.capture import load_schema
from poolscope.redact.names import Rule, rule_of

from . import names

PACKAGE = Path(__file__).parents[1]
COLLECTOR_WORDS = Path(__file__).parent / "collector-words.txt"
"""Words of the collector's refusals, which reach the report as sentences. test_redact.py compares them with its
sources."""
_EDGES = ".,;:!?()[]{}<>\"'`=\N{RIGHTWARDS ARROW}\N{EN DASH}\N{EM DASH}\N{PLUS-MINUS SIGN}"
_NUMBER = re.compile(
    r"[-+\N{PLUS-MINUS SIGN}\N{GREATER-THAN OR EQUAL TO}]?"
    r"(0x[0-9a-f]{1,16}|\d[\d.,:]*(e[-+]?\d+)?(%|ns|\N{MICRO SIGN}s|us|ms|s|min|MB|GB|kB)?)"
)
_ADDRESS = re.compile(r"\d{1,3}(\.\d{1,3}){3}(:\d+)?")
"""IPv4, with or without a port: digits and dots that are no number."""
_SETTING = re.compile(r"(DOTNET_\w+)=[0-9A-F]{1,4}")
"""A runtime setting that the tool advises, with its hexadecimal number."""
_FIX = re.compile(r"(threads|max-threads|cores):[\d.]+")
"""The id of a fix with its number."""


@dataclass(frozen=True)
class Lexicon:
    """`whole` has strings that stay unchanged; `words` has words that may stay in a sentence."""

    whole: frozenset[str]
    words: frozenset[str]

    def knows(self, word: str) -> bool:
        """Returns whether `word`, without surrounding punctuation, is one of the tool's own words or a number."""
        bare = word.strip(_EDGES)
        if fix := _FIX.fullmatch(bare):
            bare = fix[1]
        if setting := _SETTING.fullmatch(bare):
            bare = setting[1]
        return not bare or bare in self.words or bare.removesuffix("s") in self.words or is_number(bare)


def is_number(word: str) -> bool:
    return _NUMBER.fullmatch(word) is not None and _ADDRESS.fullmatch(word) is None


@cache
def lexicon() -> Lexicon:
    """Reads the tool's own words, once. Raises OSError if the package's sources cannot be read: then no word counts as
    harmless."""
    strings: set[str] = set()
    for source in sorted(PACKAGE.rglob("*.py")):
        strings |= _strings(ast.parse(source.read_text("utf-8")))
    strings |= _format_words()
    strings |= set(COLLECTOR_WORDS.read_text("utf-8").split())
    words = {word.strip(_EDGES) for text in strings for word in text.split()}
    return Lexicon(frozenset(strings), frozenset(words - {""}))


def _strings(tree: ast.Module) -> set[str]:
    """Returns every string of the program and every name that becomes a key, without docstrings."""
    said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said:
            found.add(node.value)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found.add(node.target.id)
        elif isinstance(node, ast.keyword) and node.arg:
            found.add(node.arg)
    return found


def _format_words() -> set[str]:
    """Returns the names of the tables and columns of a capture, and the values of its enums."""
    tables = load_schema().tables
    columns = [column for table in tables.values() for column in table.columns]
    return {*tables, *(c.name for c in columns), *(v for c in columns for v in c.values)}


Content = TypeVar("Content", bound=Mapping[str, object])
"""An analysis.json, a part of one, or a comparison."""
_OPEN, _CLOSE = "\ue000", "\ue001"
"""Around the number of a token while a sentence is processed: private characters, which no lexicon contains."""
_HELD = re.compile(f"{_OPEN}(\\d+){_CLOSE}")
_WORD = re.compile(r"\S+")
_EDGE = re.compile(r"^([(\[\"',;:]*)(.*?)([)\]\"',;:.!?]*)$", re.DOTALL)


class Tokens:
    """One token for each name, numbered by kind in order of first use."""

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
    """Redacts the tool's own texts, which may contain names."""

    def __init__(self, shown: dict[str, str], tokens: Tokens, known: Lexicon) -> None:
        self.tokens, self.known = tokens, known
        # Longest first: the name of a process may be a prefix of a method's name.
        self.names = sorted((n for n in shown if self._tells(n)), key=lambda n: (-len(n), n))
        self.shown = shown

    def _tells(self, name: str) -> bool:
        """Returns whether a sentence may not contain this name. Numbers and the tool's own plain words, such as `run`,
        reveal nothing, and without them no sentence would be readable."""
        word = name.strip()
        return not is_number(word) and any(map(str.isalnum, word)) and not (word.isalpha() and word in self.known.words)

    def redact(self, text: str) -> str:
        # Even if a capture has the same name as a rule: readers of the analysis decide by its ids.
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
        """Redacts keys. They are the tool's own words, except where names of the target became keys."""
        return key if key in self.known.whole or key.isdecimal() else self.tokens("word", key)


Change = Callable[[str, Rule | None], str]
RuleOf = Callable[[tuple[str, ...], int | None, Mapping[str, object]], Rule | None]


def redact(analysis: Content, rule_of: RuleOf = rule_of, short: Callable[[str], str] | None = None) -> Content:
    """Returns a copy of an analysis.json in which names are tokens; `redacted` has the number of each kind.

    `rule_of` has the rules for a document other than an analysis, and `short` shortens names as the document's
    sentences do. The same name has the same token throughout. Tokens are numbered in the order of the analysis, so the
    same capture gives the same bytes, and a token reveals nothing about its name.
    """
    tokens = Tokens()
    # Names first: a sentence may contain a name that only a later table identifies as one.
    shown: dict[str, str] = {}

    def name(text: str, rule: Rule | None) -> str:
        if rule is None:
            return text
        result = rule(text, tokens)
        # A name that stays in one place and not in another is removed from every sentence.
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
    # Values change and keys do not, so the type is unchanged.
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
