"""The grammar of `--fail-on`: the conditions that make the check fail.

    conditions := condition (" or " condition)*        one that holds is enough
    condition := severity | "finding:" rule id | "verdict:" verdict id | key operator value
    severity  := "low" | "medium" | "high"             a cause of this severity or above
    key       := name ("." name)*                      of analysis.json, or short (SHORT); a summary alone is its max
               | "incidents"                           how many incidents matter
               | "incident." INCIDENT                  the largest of any incident that matters
               | "late-requests"                       how many requests were late
    operator  := ">" | ">=" | "<" | "<=" | "==" | "!="
    value     := number ["%"] | duration               base/typed.py has its forms

`poolscope watch --when` has the same words if it can know them while a process runs (traces/command-line.json). A key's
name shows the meaning of its number, as everywhere in analysis.json. Numbers below or at `..._ms` and `..._s` are
durations, which need a unit. Numbers at or below `..._share` are shares, 0 to 1 or in %. The rest are plain numbers.
"""

from __future__ import annotations

import difflib
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass

from poolscope.base.errors import InvalidArgument
from poolscope.base.typed import NS, duration_ns
from poolscope.base.units import NS_PER_MS, NS_PER_S
from poolscope.findings.rules import RULES

SEVERITIES = ("low", "medium", "high")
NO_RULE = ("cannot-tell", "no-work")
"""Verdicts that no rule gives."""

OPERATORS: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
}

DURATIONS = {"ms": NS_PER_MS, "s": NS_PER_S}
"""Nanoseconds of the units of durations in analysis.json."""

SHORT = {
    "wait": "items.wait_ms",
    "completion": "items.completion_ms",
    "request": "requests.latency_ms",
    "injection": "attribution.parts_ms.injection",
    "blocking": "attribution.parts_ms.blocking",
    "core": "attribution.parts_ms.core",
    "runtime": "attribution.parts_ms.runtime",
    "share": "attribution.wait_share",
    "removable": "attribution.removable_ms",
    "execution": "attribution.execution_ms",
    "goal": "pool.goal_peak",
}
"""First names that abbreviate a path, as in `injection.p99`."""

SUMMARIES = ("wait", "completion", "request", "injection", "blocking", "core", "runtime")
"""For these, the name alone is the largest value: `wait>5s` means the same here as in `watch`."""

WATCHED = {"queue": "queue>1000", "threads": "threads>=100", "ready": "ready>50ms", "starvation": "starvation"}
"""Words that only `watch` knows, with an example of each."""

INCIDENT = {
    "late": "late",
    "longest": "longest_ms",
    "item_seconds": "item_seconds",
    "length": "length_s",
}
"""Names after `incident.`, with the key of each. The value is the largest of any incident that matters."""

UNITS = ("ns", "us", "ms", "s", "m", "h")

LATE_REQUESTS = "late-requests"
COMPARISON = re.compile(r"\s*([A-Za-z_][\w.-]*?)\s*(>=|<=|==|!=|>|<)\s*(\S.*?)\s*")
NUMBER = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(\S*)")


@dataclass(frozen=True)
class Condition:
    """One condition. Exactly one of `severity`, `finding`, `verdict` and `key` is set."""

    text: str
    """The condition as the user wrote it."""
    severity: str | None = None
    finding: str | None = None
    verdict: str | None = None
    key: tuple[str, ...] | None = None
    """The whole path in analysis.json."""
    operator: str = ""
    limit: float = 0.0
    """The limit in the unit of the key: ms, s, a share 0 ... 1, or a plain number."""

    def holds(self, value: float) -> bool:
        """Returns whether a value of the key satisfies the comparison."""
        return OPERATORS[self.operator](value, self.limit)


def parse_any(text: str) -> list[Condition]:
    """Parses conditions joined by `or`. Raises InvalidArgument that says what is wrong with one."""
    terms = f" {text} ".split(" or ")
    return [parse(term.strip()) for term in terms] if len(terms) > 1 else [parse(text)]


def parse(text: str) -> Condition:
    """Parses one condition. Raises InvalidArgument that says what is wrong with it."""
    plain = text.strip()
    if plain in SEVERITIES:
        return Condition(text, severity=plain)
    kind, colon, name = plain.partition(":")
    if colon and kind in ("finding", "verdict"):
        return _named(text, kind, name.strip())
    if (first := re.split(r"[\s<>=!]", plain, maxsplit=1)[0]) in WATCHED:
        raise _wrong(
            text, f"a capture does not show {first}; while a process runs: poolscope watch --when '{WATCHED[first]}'"
        )
    found = COMPARISON.fullmatch(text)
    if found is None:
        near = difflib.get_close_matches(plain, SEVERITIES, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise _wrong(
            text, f"a condition is a severity (high), finding:ID, verdict:ID, or KEY>VALUE as injection.p99>100ms{hint}"
        )
    key, sign, value = found.groups()
    path = _path(text, key)
    return Condition(text, key=path, operator=sign, limit=_limit(text, path, value))


def _path(text: str, key: str) -> tuple[str, ...]:
    """Returns the whole path of a key."""
    first, *rest = key.split(".")
    if first == "incidents" and rest:
        raise _wrong(text, "incidents is the number of those that matter; incident.longest is the longest wait in one")
    if first == LATE_REQUESTS and rest:
        raise _wrong(
            text,
            f"{LATE_REQUESTS} is a number of requests and has no parts: write {LATE_REQUESTS}>0, or request.p99>1s",
        )
    if first == "incident":
        if len(rest) != 1 or rest[0] not in INCIDENT:
            raise _wrong(text, f"incident has: {', '.join(INCIDENT)}")
        return first, INCIDENT[rest[0]]
    if first in SUMMARIES and not rest:
        rest = ["max"]
    return tuple([*SHORT.get(first, first).split("."), *rest])


def unit_of(path: tuple[str, ...]) -> str:
    """Returns the unit that a path's name shows: ms, s, share, or nothing."""
    for name in reversed(path):
        for unit in ("ms", "s", "share"):
            if name.endswith(f"_{unit}"):
                return unit
    return ""


def _named(text: str, kind: str, name: str) -> Condition:
    known = [rule.id for rule in RULES] + (list(NO_RULE) if kind == "verdict" else [])
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(sorted(known))}"
        raise _wrong(text, f"there is no {kind} '{name}'; {hint}")
    return Condition(text, finding=name) if kind == "finding" else Condition(text, verdict=name)


def _limit(text: str, path: tuple[str, ...], value: str) -> float:
    wanted, key = unit_of(path), ".".join(path)
    if " for " in value:
        raise _wrong(text, "`for` is a word of watch; incident.length>10s is how long an incident lasted")
    if wanted in DURATIONS and (ns := duration_ns(value.lstrip("+-"))) is not None:
        return (-ns if value.startswith("-") else ns) / DURATIONS[wanted]
    found = NUMBER.fullmatch(value)
    if found is None:
        raise _wrong(text, f"'{value}' is no number")
    number, unit = float(found.group(1)), found.group(2)
    if wanted in DURATIONS:
        if unit not in NS:
            raise _wrong(text, f"{key} is a duration: its limit needs a unit ({', '.join(UNITS)}), as in 100ms")
        return number * NS[unit] / DURATIONS[wanted]
    if wanted == "share" and unit in ("", "%"):
        return number / 100 if unit else number
    if unit:
        raise _wrong(text, f"{key} takes no unit '{unit}'")
    return number


def _wrong(text: str, why: str) -> InvalidArgument:
    return InvalidArgument(f"condition '{text}': {why}")
