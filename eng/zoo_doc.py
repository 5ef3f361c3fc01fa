"""Writes docs/zoo-programs.md from eval/zoo/expected.json and real.json: one row per program of the zoo."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import repo

HEAD = """\
<!-- Generated from eval/zoo/expected.json and real.json by `./build.sh docs`; edit those files instead. -->

# The programs of the zoo

[The zoo](zoo.md) explains how these programs are used. *Expected* lists the verdicts that are right. Programs with * are held out: no rule was changed for them.
"""


def _row(name: str, program: dict[str, Any]) -> str:
    verdicts = ", ".join(f"`{verdict}`" for verdict in program["verdicts"])
    held_out = " *" if program.get("held_out") else ""
    servers = ", ".join(program.get("servers", []))
    return f"| `{name}`{held_out} | {program['what']} | {verdicts} | {servers} |"


def render(plain: dict[str, Any], real: dict[str, Any]) -> str:
    """Returns the page as Markdown. Raises KeyError for a program without a description."""
    lines = [HEAD]
    for title, content in (("Programs without a server", plain), ("Programs with real parts", real)):
        lines += [f"## {title}", "", "| program | what it does | expected | servers |", "| --- | --- | --- | --- |"]
        lines += [_row(name, program) for name, program in content["programs"].items()]
        lines.append("")
    return "\n".join(lines)


def _wanted() -> str:
    plain, real = (json.loads(file.read_text(encoding="utf-8")) for file in repo.ZOO_EXPECTED)
    return render(plain, real)


def write(page: Path = repo.ZOO_PAGE) -> None:
    """Writes the page."""
    page.write_text(_wanted(), encoding="utf-8", newline="\n")


def up_to_date(page: Path = repo.ZOO_PAGE) -> bool:
    """Returns whether the page exists and matches the two files."""
    return page.is_file() and page.read_text(encoding="utf-8") == _wanted()
