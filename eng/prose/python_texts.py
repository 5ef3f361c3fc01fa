"""Passages of Python files: docstrings, strings and comments."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

from prose.passages import Kind, Passage, is_prose

PLACE = "\u2026"
"""Replaces an expression in a string."""
LAYOUT = re.compile(r"\n|(?<=\S) {2,}")
"""Separates the lines or columns of a laid-out string, such as the examples and lists of a help text."""


def passages(source: str, file: Path, strings: Kind | None) -> Iterator[Passage]:
    """Yields the passages of a Python file. `strings` is the kind of its string literals; None leaves them out."""
    tree = ast.parse(source)
    docstrings = sorted(_docstrings(tree), key=lambda constant: constant.lineno)
    shown = set(_shown(tree))
    for constant in docstrings:
        kind = strings if constant in shown and strings is not None else Kind.DOCSTRING
        yield Passage(file, constant.lineno, kind, str(constant.value))
    if strings is not None:
        for line, text in _strings(tree, set(docstrings)):
            for part in LAYOUT.split(text):
                if is_prose(part):
                    yield Passage(file, line, strings, part)
    yield from _comments(source, file)


def _docstrings(tree: ast.AST) -> Iterator[ast.Constant]:
    """Yields strings that stand alone: docstrings, and the texts below attributes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.value


def _shown(tree: ast.AST) -> Iterator[ast.Constant]:
    """Yields the docstrings that a command prints as its help."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and any("command" in ast.unparse(one) for one in node.decorator_list):
            yield from (
                one.value for one in node.body[:1] if isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant)
            )


def _strings(node: ast.AST, left_out: set[ast.Constant]) -> Iterator[tuple[int, str]]:
    if isinstance(node, ast.JoinedStr):
        parts = [str(v.value) if isinstance(v, ast.Constant) else PLACE for v in node.values]
        yield node.lineno, "".join(parts)
        for value in node.values:
            if isinstance(value, ast.FormattedValue):
                yield from _strings(value.value, left_out)
        return
    if isinstance(node, ast.Constant):
        if isinstance(node.value, str) and node not in left_out:
            yield node.lineno, node.value
        return
    for child in ast.iter_child_nodes(node):
        yield from _strings(child, left_out)


def _comments(source: str, file: Path) -> Iterator[Passage]:
    """Yields comments; comments on adjacent lines are one passage."""
    block: list[str] = []
    first = last = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT:
            continue
        if block and token.start[0] != last + 1:
            yield Passage(file, first, Kind.COMMENT, " ".join(block))
            block = []
        if not block:
            first = token.start[0]
        last = token.start[0]
        block.append(token.string.lstrip("#: "))
    if block:
        yield Passage(file, first, Kind.COMMENT, " ".join(block))
