"""Replaces the names in a look at a dump with tokens before its page is rendered."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from poolscope.redact import names, redact
from poolscope.redact.names import Rule, Token

_KEPT: Rule = lambda text, token: text
"""A word of the look itself, which comes from no dump."""


def _type(name: str, token: Token) -> str:
    """Redacts the type of a locked object. The framework's own types stay."""
    return names.method(name, token) if name.startswith(names.FRAMEWORK) else token("type", name)


RULES: dict[tuple[str, ...], Rule] = {
    ("target",): names.file,
    ("runtime",): names.version,
    ("queue", "items", "method"): names.method,
    ("queue", "items", "kind"): _KEPT,
    ("threads", "groups", "method"): names.method,
    ("threads", "groups", "place"): names.file,
    ("threads", "groups", "entry"): names.method,
    ("threads", "groups", "call"): names.method,
    ("threads", "groups", "frames"): names.method,
    ("threads", "others", "method"): names.method,
    ("threads", "others", "call"): names.method,
    ("threads", "others", "frames"): names.method,
    ("locks", "type"): _type,
    ("locks", "method"): names.method,
    ("locks", "call"): names.method,
    ("locks", "frames"): names.method,
    ("timers", "method"): names.method,
    ("verdict", "id"): _KEPT,
    ("verdict", "confidence"): _KEPT,
    ("verdict", "next"): _KEPT,
}
"""The rule for each name in `poolscope look --json`; everything else is a sentence. `next` names a process only by its
id."""


def redact_look(look: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a copy with tokens for names, the same tokens that `poolscope.redact.redact` would give for a capture."""
    return dict(redact(look, lambda path, index, beside: RULES.get(path), short))


def short(method: str) -> str:
    """Returns a method as the look's sentences name it: its type and its name, by the rules of the collector's
    ItemWords.Short."""
    plain = _without_type_arguments(method)
    end = plain.find(" (")
    name, suffix = (plain[:end], plain[end:]) if end > 0 else (plain, "")
    parts = name.split(".")
    return ".".join([*parts[-2:-1], parts[-1].removeprefix("get_")]) + suffix


def _without_type_arguments(method: str) -> str:
    # Removes type arguments, innermost first. If brackets are unbalanced, drops the text from the open bracket on, as
    # the collector does.
    before = None
    while before != method:
        before, method = method, re.sub(r"<[^<>]*>", "", method)
    return method.partition("<")[0]
