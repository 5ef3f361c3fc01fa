"""The words that the tool itself says: what redaction may leave in a sentence.

They are read from the tool's own sources and from the capture format, so a new rule or a new sentence needs no list to
be kept. Whatever is not among them came from the captured machine.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from poolscope.capture import load_schema

PACKAGE = Path(__file__).parents[1]
COLLECTOR_WORDS = Path(__file__).parent / "collector-words.txt"
"""Words of the collector's refusals, which reach the report as sentences; test_redact.py holds them against its sources."""
_EDGES = ".,;:!?()[]{}<>\"'`=\N{RIGHTWARDS ARROW}\N{EN DASH}\N{EM DASH}\N{PLUS-MINUS SIGN}"
_NUMBER = re.compile(
    r"[-+\N{PLUS-MINUS SIGN}\N{GREATER-THAN OR EQUAL TO}]?"
    r"(0x[0-9a-f]{1,16}|\d[\d.,:]*(e[-+]?\d+)?(%|ns|\N{MICRO SIGN}s|us|ms|s|min|MB|GB|kB)?)"
)
_ADDRESS = re.compile(r"\d{1,3}(\.\d{1,3}){3}(:\d+)?")
"""IPv4, with or without a port: digits and dots that are no number."""
_SETTING = re.compile(r"(DOTNET_\w+)=[0-9A-F]{1,4}")
"""A setting of the runtime's that the tool advises, with its hexadecimal number."""
_FIX = re.compile(r"(threads|max-threads|cores):[\d.]+")
"""The id of a fix with its number."""


@dataclass(frozen=True)
class Lexicon:
    """`whole`: strings that stay as they are; `words`: words that may stay in a sentence."""

    whole: frozenset[str]
    words: frozenset[str]

    def knows(self, word: str) -> bool:
        """Returns whether `word`, without the punctuation around it, is the tool's own or a number."""
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
    """Reads the tool's own words, once. Raises OSError if the package's sources cannot be read: then nothing may be
    called harmless."""
    strings: set[str] = set()
    for source in sorted(PACKAGE.rglob("*.py")):
        strings |= _strings(ast.parse(source.read_text("utf-8")))
    strings |= _format_words()
    strings |= set(COLLECTOR_WORDS.read_text("utf-8").split())
    words = {word.strip(_EDGES) for text in strings for word in text.split()}
    return Lexicon(frozenset(strings), frozenset(words - {""}))


def _strings(tree: ast.Module) -> set[str]:
    """Returns every string of the program and every name that becomes a key; not its documentation."""
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
    """Names of the tables and columns of a capture, and the values of its enums."""
    tables = load_schema().tables
    columns = [column for table in tables.values() for column in table.columns]
    return {*tables, *(c.name for c in columns), *(v for c in columns for v in c.values)}
