"""Reads the schemas of analysis.json and of capture.json for the generated types and references.

A schema uses few forms: every object is a definition of its own, or a map whose keys are data.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import repo


@dataclass(frozen=True)
class Shape:
    """The shape of a value."""

    kind: str
    """string, integer, number, boolean, array, map, or object."""
    nullable: bool
    of: Shape | None = None
    """The shape of an array's or a map's values."""
    name: str = ""
    """The definition of an object."""
    keys: tuple[str, ...] = ()
    """The possible keys of a map; empty: any."""
    raw: dict[str, Any] | None = None
    """The schema of a scalar, for its range and values."""


@dataclass(frozen=True)
class Key:
    """One key of an object."""

    name: str
    shape: Shape
    what: str
    unit: str
    null: str
    """The reason for which the value is null; empty: never null."""
    optional: bool


@dataclass(frozen=True)
class Contract:
    """A kind of document and its schema."""

    document: str
    """The name of the document."""
    schema: Path
    part: str
    """The schema's key with the definitions."""
    page: Path
    """The page whose generated part is the reference."""
    types: Path
    """The module with the types."""

    def load(self) -> dict[str, Any]:
        """Returns the definitions by name; the first object is the whole document."""
        definitions: dict[str, Any] = json.loads(self.schema.read_text(encoding="utf-8"))[self.part]
        return definitions


ANALYSIS = Contract("analysis.json", repo.ANALYSIS_SCHEMA, "$defs", repo.ANALYSIS_PAGE, repo.ANALYSIS_TYPES)
MANIFEST = Contract("capture.json", repo.SCHEMA, "manifest", repo.MANIFEST_PAGE, repo.MANIFEST_TYPES)


def keys_of(definitions: dict[str, Any], name: str) -> Iterator[Key]:
    """Yields the keys of an object in the order of the schema. Raises BuildError if the schema has another form."""
    definition = definitions[name]
    if definition["additionalProperties"] is not False:
        raise repo.BuildError(f"{name} allows keys that it does not describe")
    for key, raw in definition["properties"].items():
        shape = shape_of(definitions, raw)
        null = raw.get("null", "")
        if shape.nullable != bool(null):
            raise repo.BuildError(f"{name}.{key}: `null` says when the value is null, if it can be")
        yield Key(key, shape, raw["description"], _unit(raw), null, key not in definition["required"])


def shape_of(definitions: dict[str, Any], raw: dict[str, Any]) -> Shape:
    """Returns the shape of the values that a schema describes."""
    if "anyOf" in raw:
        (inner,) = (option for option in raw["anyOf"] if option != {"type": "null"})
        found = shape_of(definitions, inner)
        return Shape(found.kind, True, found.of, found.name, found.keys, found.raw)
    if "$ref" in raw:
        name = raw["$ref"].removeprefix("#/$defs/")
        target = definitions[name]
        return Shape("object", False, name=name) if "properties" in target else shape_of(definitions, target)
    types = raw["type"] if isinstance(raw["type"], list) else [raw["type"]]
    (kind,) = (each for each in types if each != "null")
    nullable = "null" in types
    if kind == "array":
        return Shape("array", nullable, shape_of(definitions, raw["items"]))
    if kind == "object":
        return Shape("map", nullable, shape_of(definitions, raw["additionalProperties"]), keys=_keys(definitions, raw))
    return Shape(kind, nullable, raw=raw)


def _keys(definitions: dict[str, Any], raw: dict[str, Any]) -> tuple[str, ...]:
    names = raw.get("propertyNames", {})
    if "$ref" in names:
        names = definitions[names["$ref"].removeprefix("#/$defs/")]
    return tuple(names.get("enum", ()))


def _unit(raw: dict[str, Any]) -> str:
    """Returns the unit of a value, or of the values in a list or map."""
    while "unit" not in raw:
        held = raw.get("items") or raw.get("additionalProperties")
        if not isinstance(held, dict):
            return ""
        raw = held
    return str(raw["unit"])
