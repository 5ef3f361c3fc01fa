"""The page of faults, and its scenarios."""

from __future__ import annotations

import importlib
import json
from pathlib import Path

import pytest
from faults import __main__ as runner
from faults import captures, page
from faults.outcome import Outcome

SCENARIOS = Path(page.__file__).parent / "scenarios"


def test_every_scenario_has_its_place_on_the_page() -> None:
    files = {path.stem for path in SCENARIOS.glob("*.py")} - {"__init__"}
    assert files == set(runner.SCENARIOS)
    assert all(callable(importlib.import_module(f"faults.scenarios.{name}").run) for name in files)


def test_an_outcome_is_one_row_whatever_it_quotes() -> None:
    rows = page.table([Outcome("a | b", "c", "said `x`\nand y", False)]).splitlines()
    assert rows[2:] == ["| a \\| b | c | said `x` and y | **did not hold** |"]


def test_the_table_takes_the_place_of_the_one_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "faults.md"
    place.write_text(f"# Title\n{page.BEGIN}\nold\n{page.END}\nrest\n")
    monkeypatch.setattr(page, "PAGE", place)
    page.write([Outcome("killed", "goes on", "200 of 200", True)])
    text = place.read_text()
    assert "old" not in text and "| killed | goes on | 200 of 200 | held |" in text and text.endswith("\nrest\n")


@pytest.mark.parametrize(
    ("code", "errors", "plain"),
    [
        (2, ["poolscope-collect: the capture's folder was removed"], True),
        (5, ["poolscope-collect: internal error, please report it: System.Exception"], False),
        (2, ["Unhandled exception. System.IO.IOException", "   at Program.Main()"], False),
        (134, [], False),
    ],
)
def test_only_a_documented_end_in_plain_words_is_plain(code: int, errors: list[str], plain: bool) -> None:
    assert captures.plain_end(code, errors, (1, 2)) is plain


def test_losses_are_those_of_all_streams(tmp_path: Path) -> None:
    assert captures.lost(tmp_path) == 0
    streams = [{"lost": 3}, {"lost": None}, {}, {"lost": 4}]
    (tmp_path / "capture.json").write_text(json.dumps({"streams": streams}))
    assert captures.lost(tmp_path) == 7
