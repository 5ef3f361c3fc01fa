"""One fix has one number, in whole analyses, for every reader of analysis.json."""

import html
import re
from pathlib import Path
from typing import Any

import pytest
from poolscope.capture import open_capture
from poolscope.product import analyse
from poolscope.report import render
from poolscope.report.rendering import to_markdown
from synthetic import MS, CaptureBuilder
from test_what_if_rules import captured, computing, convoy, sleeping

GOLDEN = Path(__file__).resolve().parents[3] / "traces" / "golden"
NAMES = sorted(path.stem for path in GOLDEN.glob("*.zip"))
DURATION = re.compile(r"\d[\d.,]*(?:e[+-]?\d+)?\s?(?:µs|ms|s|min)\b")
MODEL_ERROR = 0.25


def misfit(folder):
    """Builds a pool that never grew, against the rules of .NET, which would have started twenty items at a time."""
    builder = CaptureBuilder(folder, length=21_000 * MS)
    for i in range(40):
        begin = (i // 2) * 1000 * MS
        builder.item(0, begin, begin + 1000 * MS, 200 + i % 2, [("blocked", 1000 * MS)])
    return builder.write()


MADE: dict[str, Any] = {
    "sleeping": lambda folder: captured(folder, sleeping(40)),
    "computing": lambda folder: captured(folder, computing(30)),
    "too-many": lambda folder: captured(folder, computing(30), minimum=30),
    "at-its-maximum": lambda folder: captured(folder, sleeping(20, ms=300), minimum=4, maximum=4),
    "convoy": convoy,
    "misfit": misfit,
}


@pytest.fixture(scope="module", params=[*MADE, *NAMES])
def analysis(request, tmp_path_factory):
    name = request.param
    if name in MADE:
        return analyse(MADE[name](tmp_path_factory.mktemp(name))).to_json()
    return analyse(open_capture(GOLDEN / f"{name}.zip")).to_json()


def test_every_place_has_the_figures_of_the_list(analysis):
    fixes = {fix["id"]: fix for fix in analysis["fixes"]}
    for finding in analysis["findings"]:
        for told in finding["predicted"]:
            fix = fixes[told["fix"]]
            assert (told["delay_ms"], told["delay_after_ms"]) == (fix["before_ms"], fix["after_ms"])
            assert (told["low_ms"], told["high_ms"], told["lower_bound"]) == (
                fix["low_ms"],
                fix["high_ms"],
                fix["lower_bound"],
            )
    rows = (analysis["what_if"] or {"rows": []})["rows"]
    for row in rows:
        setting = row["setting"]
        if row["group"] == "min-threads" and (fix := fixes.get(f"threads:{setting['min_threads']}")):
            assert row["delay_ms"]["mean"] == fix["after_ms"]
        if row["group"] == "fix" and setting["async"] and "await" in fixes:
            assert row["delay_ms"]["mean"] == fixes["await"]["after_ms"]


def test_all_have_one_baseline_the_measured_one(analysis):
    assert {fix["before_ms"] for fix in analysis["fixes"]} <= {analysis["attribution"]["delay_ms"]}
    present = [r for r in (analysis["what_if"] or {"rows": []})["rows"] if r["group"] == "present"]
    assert {r["delay_ms"]["mean"] for r in present} <= {analysis["attribution"]["delay_ms"], None}


def test_a_fix_that_is_advised_shortens_and_one_that_is_not_says_why(analysis):
    for fix in analysis["fixes"]:
        if fix["status"] == "not-recommended":
            assert fix["reason"]
        else:
            assert fix["after_ms"] < 0.9 * fix["before_ms"] and fix["reason"] is None
    for finding in analysis["findings"]:
        assert all(told["delay_after_ms"] < told["delay_ms"] for told in finding["predicted"])


def test_rules_do_not_contradict_the_list(analysis):
    raises = any(
        fix["id"].startswith("threads:") and fix["status"] != "not-recommended" and fix["label"].startswith("Set")
        for fix in analysis["fixes"]
    )
    text = " ".join(line for finding in analysis["findings"] for line in finding["advice"])
    if raises:
        for against in ("More threads would not help", "Do not raise", "only hides it", "only move the wait"):
            assert against not in text
    else:
        assert "et the minimum" not in text
    ids = {finding["id"] for finding in analysis["findings"]}
    assert ("min-threads-would-help" in ids) == raises


@pytest.mark.parametrize("analysis", ["misfit"], indirect=True)
def test_without_a_model_that_fits_no_text_has_a_figure_or_prescribes_a_setting(analysis):
    error = analysis["what_if"]["calibration"]["model_error"]
    assert error is None or abs(error) > MODEL_ERROR
    assert analysis["fixes"] and all(fix["after_ms"] is None for fix in analysis["fixes"])
    assert analysis["what_if"]["advice"] == [] and analysis["what_if"]["knee"] is None
    for finding in analysis["findings"]:
        assert finding["predicted"] == []
        for line in finding["advice"]:
            assert not DURATION.search(line), line
            assert "minimum worker threads" not in line
    page, ticket = render(analysis), to_markdown(analysis)
    assert "Not recommended" in page and "Not recommended" in ticket
    for text in (page.split('<script type="application/json"')[0], ticket):
        assert "Predicted mean delay" not in text


def test_ticket_and_page_say_the_figures_of_the_list(analysis):
    from poolscope.report.sections.findings import figure

    page, ticket = render(analysis), to_markdown(analysis)
    for fix in analysis["fixes"]:
        assert fix["label"] in ticket and fix["label"].replace("'", "&#39;") in page
        if fix["after_ms"] is not None:
            assert plain(figure(fix)) in plain(page) and plain(figure(fix)) in plain(ticket)


def plain(text):
    """Returns the text without the escapes and spaces in which the formats differ."""
    return html.unescape(text).replace("\N{NO-BREAK SPACE}", " ").replace("\\", "")
