"""Passages of the schemas, whose texts become the pages about tables and analysis.json."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from prose.markup_texts import plain_markdown
from prose.passages import Kind, Passage, is_prose

KEYS = ("what", "description", "null")
"""Keys whose strings people read."""


def passages(source: str, file: Path) -> Iterator[Passage]:
    """Yields the descriptions of a JSON schema, each with its line."""
    for text in _texts(json.loads(source)):
        if is_prose(text):
            place = source.find(json.dumps(text, ensure_ascii=False)[1:-1])
            yield Passage(file, source.count("\n", 0, max(place, 0)) + 1, Kind.DOCS, plain_markdown(text))


def _texts(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        for key, value in node.items():
            if key in KEYS and isinstance(value, str):
                yield value
            else:
                yield from _texts(value)
    elif isinstance(node, list):
        for value in node:
            yield from _texts(value)
