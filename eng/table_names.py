"""Writes the names of a capture's tables as a type, analysis/poolscope/contract/tables.py, from traces/schema.json."""

from __future__ import annotations

import json
from pathlib import Path

import repo

HEAD = '''\
"""The tables of a capture, by name.

Generated from traces/schema.json by `./build.sh docs`; edit that file instead.
"""

from __future__ import annotations

from typing import Literal

TableName = Literal[
'''


def _wanted() -> str:
    names = json.loads(repo.SCHEMA.read_text("utf-8"))["tables"]
    return HEAD + "".join(f'    "{name}",\n' for name in names) + "]\n"


def write(module: Path = repo.TABLE_NAMES) -> None:
    """Writes the module."""
    module.write_text(_wanted(), encoding="utf-8", newline="\n")


def up_to_date(module: Path = repo.TABLE_NAMES) -> bool:
    """Returns whether the module exists and matches the schema."""
    return module.is_file() and module.read_text("utf-8") == _wanted()
