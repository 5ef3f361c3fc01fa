"""Writes the types of analysis.json and of capture.json, analysis/poolscope/contract/*_json.py, from their schemas."""

from __future__ import annotations

import keyword
import textwrap
from dataclasses import dataclass
from typing import Any

import contract_shapes
import repo
from contract_shapes import Contract, Key, Shape

HEAD = '''\
"""The types of {document}: one class for each object.

Generated from {schema} by `./build.sh docs`; edit that file instead.
"""

from __future__ import annotations

from typing import {names}
'''
WIDTH = 116
SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}


def render(definitions: dict[str, Any], document: str = "", schema: str = "") -> str:
    """Returns the module."""
    objects = [name for name, definition in definitions.items() if "properties" in definition]
    keys = {name: list(contract_shapes.keys_of(definitions, name)) for name in objects}
    optional = any(key.optional for found in keys.values() for key in found)
    head = HEAD.format(document=document, schema=schema, names="NotRequired, TypedDict" if optional else "TypedDict")
    return "\n\n".join([head, *(_class(name, definitions[name], keys[name]) for name in objects)])


def python_type(shape: Shape) -> str:
    """Returns the type of a value as an annotation."""
    if shape.kind == "object":
        text = f"{shape.name}Json"
    elif shape.of is not None:
        text = f"list[{python_type(shape.of)}]" if shape.kind == "array" else f"dict[str, {python_type(shape.of)}]"
    else:
        text = SCALARS[shape.kind]
    return f"{text} | None" if shape.nullable else text


def _class(name: str, definition: dict[str, Any], keys: list[Key]) -> str:
    if any(keyword.iskeyword(key.name) for key in keys):
        return _by_call(name, definition, keys)
    lines = [f"class {name}Json(TypedDict):", *_quoted(definition["description"]), ""]
    for key in keys:
        lines += [f"    {key.name}: {_annotation(key)}", *_quoted(_what(key))]
    return "\n".join(lines) + "\n"


def _by_call(name: str, definition: dict[str, Any], keys: list[Key]) -> str:
    """Returns a type with a key that Python's syntax for classes does not allow, such as `async`."""
    lines = [f"{name}Json = TypedDict(", f'    "{name}Json",', "    {"]
    for key in keys:
        lines += [f"        # {line}" for line in textwrap.wrap(_what(key), WIDTH - 6)]
        lines.append(f'        "{key.name}": {_annotation(key)},')
    return (
        "\n".join([*lines, "    },", ")", *(line.removeprefix("    ") for line in _quoted(definition["description"]))])
        + "\n"
    )


def _annotation(key: Key) -> str:
    text = python_type(key.shape)
    return f"NotRequired[{text}]" if key.optional else text


def _what(key: Key) -> str:
    unit = f" In {key.unit}." if key.unit and not key.name.endswith(f"_{key.unit}") else ""
    return key.what + unit + (f" None: {key.null}." if key.null else "")


def _quoted(text: str) -> list[str]:
    wrapped = textwrap.wrap(text, WIDTH - 6)
    end = ' """' if text.endswith('"') else '"""'
    return (
        [f'    """{wrapped[0]}', *(f"    {line}" for line in wrapped[1:-1]), f"    {wrapped[-1]}{end}"]
        if len(wrapped) > 1
        else [f'    """{wrapped[0]}{end}']
    )


@dataclass(frozen=True)
class Types:
    """The module with the types of a contract."""

    contract: Contract

    def _wanted(self) -> str:
        schema = str(self.contract.schema.relative_to(repo.ROOT))
        return render(self.contract.load(), self.contract.document, schema)

    def write(self) -> None:
        """Writes the module."""
        self.contract.types.write_text(self._wanted(), encoding="utf-8", newline="\n")

    def up_to_date(self) -> bool:
        """Returns whether the module exists and matches the schema."""
        module = self.contract.types
        return module.is_file() and module.read_text(encoding="utf-8") == self._wanted()
