"""Reads capture.json (traces/README.md) and checks the type and the range of every value before any use."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, NoReturn, cast

from poolscope.base.errors import UnreadableCapture
from poolscope.base.units import MS_PER_S, NS_PER_MS
from poolscope.capture.schema import load_schema
from poolscope.contract.manifest_json import ClockJson, ManifestJson

MOST_BYTES = 4 << 20
"""A manifest has some 3 kB; its longest parts are a command line and the list of data that the capture lacks."""
DEFINITIONS = load_schema().manifest
LATEST_NS: int = DEFINITIONS["Time"]["maximum"]
"""146 years: no clock that counts from the start of a machine gets there, and sums of two times still fit into 64
bits."""
LABEL_KEY = re.compile(DEFINITIONS["Labels"]["propertyNames"]["pattern"])
WORDS = {"string": "a text", "boolean": "true or false", "array": "a list", "object": "an object"}

Flaw = tuple[str, Any, str]
"""The place of a value, the value, and a description of the right value."""


def read_manifest(raw: bytes, path: Path) -> ManifestJson:
    """Returns the content of capture.json. Raises UnreadableCapture, naming the key, if it is damaged or of another
    format."""

    def damaged(why: str) -> NoReturn:
        raise UnreadableCapture(f"{path}: capture.json is damaged ({why})")

    if len(raw) > MOST_BYTES:
        damaged(f"it has {len(raw):,} bytes; {MOST_BYTES:,} are allowed")
    try:
        manifest = json.loads(raw, parse_constant=_no_constant)
    except RecursionError:
        damaged("it is nested too deeply")
    except ValueError as error:
        damaged(str(error))
    if not isinstance(manifest, dict) or "format" not in manifest:
        damaged("it names no format")
    known = load_schema().format
    if not _is(manifest["format"], "integer", DEFINITIONS["Rows"]):
        damaged("format is no whole number")
    if manifest["format"] != known:
        raise UnreadableCapture(f"{path}: {_other_format(manifest['format'], known)}")
    for place, value, words in _flaws("", manifest, DEFINITIONS["Manifest"]):
        damaged(f"{place} is {_shown(value)}, not {words}")
    return cast(ManifestJson, manifest)


def _other_format(found: int, known: int) -> str:
    if found > known:
        return f"capture format {found}, made by a newer Poolscope; this one reads format {known}: update it"
    return f"capture format {found}, made by an older Poolscope; this one reads format {known}: use the Poolscope that recorded it"


def _flaws(place: str, value: Any, rule: dict[str, Any]) -> Iterator[Flaw]:
    """Yields the parts of a value that contradict the schema. Skips unknown keys, because a later version has more
    keys."""
    (rule, *null) = rule.get("anyOf", [rule])
    rule = DEFINITIONS[rule["$ref"].removeprefix("#/$defs/")] if "$ref" in rule else rule
    kind, *or_null = rule["type"] if isinstance(rule["type"], list) else [rule["type"]]
    if value is None and (null or or_null):
        return
    if not _is(value, kind, rule):
        yield place, value, rule.get("title", WORDS.get(kind, kind)) + (" or null" if null or or_null else "")
    elif kind == "array":
        for at, entry in enumerate(value):
            yield from _flaws(f"{place}[{at}]", entry, rule["items"])
    else:
        for key, inner in rule.get("properties", {}).items():
            if key in value or key in rule["required"]:
                yield from _flaws(f"{place}.{key}".lstrip("."), value.get(key), inner)


def _is(value: Any, kind: str, rule: dict[str, Any]) -> bool:
    """Returns whether a value has the type and the range of a rule. An object whose keys are data must satisfy all of
    it."""
    if kind == "boolean":
        return isinstance(value, bool)
    if kind == "string":
        moment = rule.get("format") != "date-time" or _is_time(value)
        return isinstance(value, str) and len(value) <= rule.get("maxLength", len(value)) and moment
    if kind == "array":
        return isinstance(value, list)
    if kind == "object":
        names = rule.get("propertyNames", {}).get("pattern", "")
        return isinstance(value, dict) and (
            "properties" in rule
            or len(value) <= rule.get("maxProperties", len(value))
            and all(not names or re.fullmatch(names, name) for name in value)
            and not any(flaw for entry in value.values() for flaw in _flaws("", entry, rule["additionalProperties"]))
        )
    numbers = (int,) if kind == "integer" else (int, float)
    above = rule.get("exclusiveMinimum")
    return (
        isinstance(value, numbers)
        and not isinstance(value, bool)
        and rule.get("minimum", value) <= value <= rule["maximum"]
        and (above is None or value > above)
    )


def _no_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number of JSON")


def _is_time(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    try:
        # A page adds the capture's length to the time, and shows it in UTC.
        return 1970 <= datetime.fromisoformat(value).year <= 9000
    except ValueError:
        return False


def _shown(value: Any) -> str:
    text = repr(value)
    return "missing" if value is None else text if len(text) <= 40 else f"{text[:37]}..."


def of_windows(manifest: ManifestJson) -> bool:
    """Returns whether the manifest's `host.os` names Windows, as in "Microsoft Windows 10.0.19045"."""
    return "Windows" in (manifest["host"].get("os") or "")


def utc_ns_at_start(clock: ClockJson) -> int:
    """Returns the nanoseconds since 1970 in UTC at `clock.start_ns` of a manifest, accurate to a millisecond."""
    seconds = datetime.fromisoformat(clock["start_utc"]).timestamp()
    return round(seconds * MS_PER_S) * int(NS_PER_MS)
