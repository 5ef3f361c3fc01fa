"""Writes the references of analysis.json and of capture.json from their schemas: one table per object."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import contract_shapes
import repo
from contract_shapes import Contract, Key, Shape

BEGIN = "<!-- begin: written by ./build.sh docs from {schema}; edit that file instead -->"
END = "<!-- end -->"
PAGE = re.compile(r"\b(?:docs|traces)/[\w-]+\.md(?:#[\w-]+)?")
"""A page that the schema names from the root of the repository."""


def render(definitions: dict[str, Any], folder: str = "docs") -> str:
    """Returns the reference as Markdown, in the order of the keys. `folder` is that of the page, for its links."""
    paths = dict(_paths(definitions))
    sections = [_section(definitions, name, paths) for name in paths]
    return PAGE.sub(lambda page: f"[{page[0]}]({os.path.relpath(page[0], folder)})", "\n".join(sections))


@dataclass(frozen=True)
class Reference:
    """The generated part of a contract's page."""

    contract: Contract

    def into_page(self, page: str) -> str:
        """Returns the page with its generated part replaced. Raises BuildError if the page has no such part."""
        begins = BEGIN.format(schema=self.contract.schema.relative_to(repo.ROOT))
        before, begin, rest = page.partition(begins)
        _, end, after = rest.partition(END)
        if not begin or not end:
            raise repo.BuildError(f"{self.contract.page.name} has no generated part")
        reference = render(self.contract.load(), self.contract.page.parent.name)
        return f"{before}{begin}\n\n{reference}\n{end}{after}"

    def write(self) -> None:
        """Writes the generated part of the page."""
        page = self.contract.page
        page.write_text(self.into_page(page.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")

    def up_to_date(self) -> bool:
        """Returns whether the page matches the schema."""
        page = self.contract.page.read_text(encoding="utf-8")
        return page == self.into_page(page)


def _paths(definitions: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yields every object with its first path, parents before children."""
    whole = next(name for name, definition in definitions.items() if "properties" in definition)
    seen = {whole}
    ahead = [(whole, "")]
    while ahead:
        name, path = ahead.pop(0)
        yield name, path
        inside = []
        for key in contract_shapes.keys_of(definitions, name):
            shape, place = key.shape, f"{path}.{key.name}".lstrip(".")
            while shape.of is not None:
                place += "[]" if shape.kind == "array" else ".*"
                shape = shape.of
            if shape.name and shape.name not in seen:
                seen.add(shape.name)
                inside.append((shape.name, place))
        ahead = inside + ahead


def _section(definitions: dict[str, Any], name: str, paths: dict[str, str]) -> str:
    lines = [f"### {_title(paths[name])}", "", definitions[name]["description"], ""]
    lines += ["| key | type | unit | meaning |", "| --- | --- | --- | --- |"]
    for key in contract_shapes.keys_of(definitions, name):
        lines.append(f"| `{key.name}` | {_type(key.shape, paths)} | {key.unit} | {_meaning(key)} |")
    return "\n".join(lines) + "\n"


def _title(path: str) -> str:
    return path or "The whole"


def _anchor(path: str) -> str:
    """Returns GitHub's anchor of the heading."""
    return re.sub(r"[^\w\- ]", "", _title(path).lower()).replace(" ", "-")


def _type(shape: Shape, paths: dict[str, str]) -> str:
    if shape.kind == "object":
        text = f"[object](#{_anchor(paths[shape.name])})"
    elif shape.of is not None:
        held = _type(shape.of, paths)
        text = f"array of {held}" if shape.kind == "array" else f"object, by key: {held}"
    else:
        raw = shape.raw or {}
        text = raw.get("title", f"{shape.kind}{_range(raw)}").removeprefix("a ")
    return f"{text} or null" if shape.nullable else text


def _range(raw: dict[str, Any]) -> str:
    """Returns the range of a number as text, after a space."""
    low, above, high = (raw.get(limit) for limit in ("minimum", "exclusiveMinimum", "maximum"))
    if "const" in raw:
        return f" {raw['const']}"
    if low is not None and high is not None:
        return f" {low} to {high}"
    return f" \N{GREATER-THAN OR EQUAL TO} {low}" if low is not None else f" > {above}" if above is not None else ""


def _meaning(key: Key) -> str:
    lines = [("Optional. " if key.optional else "") + key.what]
    shape = key.shape
    while shape.of is not None:
        if shape.keys:
            lines.append(f"keys: {_listed(shape.keys)}")
        shape = shape.of
    if values := [value for value in (shape.raw or {}).get("enum", ()) if value]:
        lines.append(f"values: {_listed(values)}")
    if key.null:
        lines.append(f"null: {key.null}")
    return "<br>".join(lines).replace("|", "\\|")


def _listed(names: tuple[str, ...] | list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
