"""Writes docs/tables.md from traces/schema.json: one section per table, one row per column."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import repo

HEAD = """\
<!-- Generated from traces/schema.json by `./build.sh docs`; edit that file instead. -->

# Tables of a capture

`poolscope decode` turns the raw streams of a capture into the tables below, one uncompressed NumPy archive
`tables/NAME.npz` per table, with one array per column, or four for a large column of integers (*packed*, below; `item_parts` and `request_parts` are computed by the analysis: no capture holds them).
This is format {format}; [the capture format](../traces/README.md) describes the files around them.
"""


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _anchor(table: str) -> str:
    return f"[`{table}`](#{table})"


def _meaning(column: dict[str, Any]) -> str:
    """Returns the meaning of a column, the names of each enum value or flag, and the constraints on its values."""
    lines = [_cell(column["what"])]
    if names := column.get("values"):
        word = "bit" if column["type"] == "flags" else "value"
        lines.append(f"{word}s: " + ", ".join(f"{index} `{name}`" for index, name in enumerate(names)))
    if must := column.get("must"):
        lines.append(f"must: {', '.join(must)}")
    if (older := column.get("older")) is not None:
        lines.append(f"older: {older}")
    return "<br>".join(lines)


def _table(name: str, table: dict[str, Any]) -> str:
    rows = f" Rows must: {', '.join(table['must'])}." if table.get("must") else ""
    lines = [
        f"## {name}",
        "",
        table["what"] + rows,
        "",
        "| column | type | unit | meaning |",
        "| --- | --- | --- | --- |",
    ]
    for column in table["columns"]:
        cells = f"`{column['name']}`", column["type"], column.get("unit", ""), _meaning(column)
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def render(schema: dict[str, Any]) -> str:
    """Returns the page as Markdown."""
    conventions = ["| convention | how |", "| --- | --- |"]
    conventions += [f"| {name} | {_cell(text)} |" for name, text in schema["conventions"].items()]
    contents = ["| table | what |", "| --- | --- |"]
    contents += [f"| {_anchor(name)} | {_cell(table['what'])} |" for name, table in schema["tables"].items()]
    sections = [_table(name, table) for name, table in schema["tables"].items()]
    head = HEAD.format(format=schema["format"])
    return "\n".join([head, *conventions, "", *contents, "", *sections])


def _wanted() -> str:
    return render(json.loads(repo.SCHEMA.read_text(encoding="utf-8")))


def write(page: Path = repo.TABLES_PAGE) -> None:
    """Writes the page."""
    page.parent.mkdir(exist_ok=True)
    page.write_text(_wanted(), encoding="utf-8", newline="\n")


def up_to_date(page: Path = repo.TABLES_PAGE) -> bool:
    """Returns whether the page exists and matches the schema."""
    return page.is_file() and page.read_text(encoding="utf-8") == _wanted()
