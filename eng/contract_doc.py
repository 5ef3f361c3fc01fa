"""Writes the reference of docs/analysis-json.md from traces/analysis.schema.json: one table per object."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import contract_shapes
import repo
from contract_shapes import ROOT_NAME, Key, Shape

BEGIN = "<!-- begin: written by ./build.sh docs from traces/analysis.schema.json; edit that file instead -->"
END = "<!-- end -->"
PAGE = re.compile(r"\b(docs|traces)/([\w-]+\.md(?:#[\w-]+)?)")
"""A page that the schema names from the root of the repository."""


def render(definitions: dict[str, Any]) -> str:
    """Returns the reference as Markdown, in the order of the keys."""
    paths = dict(_paths(definitions))
    sections = [_section(definitions, name, paths) for name in paths]
    return "\n".join(sections)


def into_page(page: str, reference: str) -> str:
    """Returns the page with its generated part replaced. Raises BuildError where the page has no such part."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise repo.BuildError("docs/analysis-json.md has no generated part")
    return f"{before}{BEGIN}\n\n{reference}\n{END}{after}"


def _paths(definitions: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yields every object with the first place that it has, parents before what they hold."""
    seen = {ROOT_NAME}
    ahead = [(ROOT_NAME, "")]
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
    lines = [f"### {_title(paths[name])}", "", _linked(definitions[name]["description"]), ""]
    lines += ["| key | type | unit | meaning |", "| --- | --- | --- | --- |"]
    for key in contract_shapes.keys_of(definitions, name):
        lines.append(f"| `{key.name}` | {_type(key.shape, paths)} | {key.unit} | {_meaning(key)} |")
    return "\n".join(lines) + "\n"


def _title(path: str) -> str:
    return path or "The whole"


def _anchor(path: str) -> str:
    """Returns what GitHub makes of the heading."""
    return re.sub(r"[^\w\- ]", "", _title(path).lower()).replace(" ", "-")


def _type(shape: Shape, paths: dict[str, str]) -> str:
    if shape.kind == "object":
        text = f"[object](#{_anchor(paths[shape.name])})"
    elif shape.of is not None:
        held = _type(shape.of, paths)
        text = f"array of {held}" if shape.kind == "array" else f"object, by key: {held}"
    else:
        text = f"{shape.kind}{_range(shape.raw or {})}"
    return f"{text} or null" if shape.nullable else text


def _range(raw: dict[str, Any]) -> str:
    """Returns what values a number can have, after a space."""
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
    return _linked("<br>".join(lines).replace("|", "\\|"))


def _linked(text: str) -> str:
    """Returns the text with links to the pages that it names, as seen from docs/."""
    return PAGE.sub(lambda page: f"[{page[0]}]({page[2] if page[1] == 'docs' else '../' + page[0]})", text)


def _listed(names: tuple[str, ...] | list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _wanted(page: Path) -> str:
    return into_page(page.read_text(encoding="utf-8"), render(contract_shapes.load()))


def write(page: Path = repo.ANALYSIS_PAGE) -> None:
    """Writes the generated part of the page."""
    page.write_text(_wanted(page), encoding="utf-8", newline="\n")


def up_to_date(page: Path = repo.ANALYSIS_PAGE) -> bool:
    """Returns whether the page says what the schema says."""
    return page.read_text(encoding="utf-8") == _wanted(page)
