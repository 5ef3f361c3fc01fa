"""If the simulated pool does not grow like the real one, some results for requests remain."""

import importlib
from dataclasses import replace
from typing import Any

import poolscope
import pytest
from poolscope.attribution import attribute
from poolscope.cli.whatif_tables import not_predicted, tables
from poolscope.report.sections.whatif import request_rows, request_words, whatif_section
from poolscope.whatif import prediction
from poolscope.whatif.calibration import NOT_TRUSTED, calibrate
from service import web_service

exploring = importlib.import_module("poolscope.whatif.explore")  # the package has a function with that name


@pytest.fixture
def misfit(monkeypatch):
    monkeypatch.setattr(
        exploring, "calibrate", lambda p: replace(calibrate(p), confidence=NOT_TRUSTED, model_error=0.4)
    )


def explored(folder):
    capture = web_service(folder, [200] * 30).write()
    return exploring.explore(capture, attribute(capture), replications=1)


def titles(result):
    return [table.columns[0].header.split(" ")[0] for table in tables(result, str)]


def test_requests_that_hardly_wait_for_threads_are_told_and_items_are_not(tmp_path, misfit):
    result = explored(tmp_path)
    told = result.to_json()
    assert all(row["delay_ms"]["mean"] is None for row in told["rows"]) and told["knee"] is None
    by_label = {row["label"]: row["request_ms"] for row in told["rows"]}
    assert by_label["min 2"] is not None and by_label["min 2"]["p50"] == pytest.approx(211, abs=8)
    assert len(request_rows(told, told["rows"])) > 1
    assert titles(result) == ["requests"]
    assert not_predicted(result, "it does not fit").startswith(
        "Poolscope predicts no setting for work items: it does not fit. For requests"
    )


def test_where_all_hinges_on_the_growth_of_the_pool_nothing_is_told(tmp_path, misfit, monkeypatch):
    monkeypatch.setattr(prediction, "HARDLY", -1.0)
    result = explored(tmp_path)
    told = result.to_json()
    assert all(row["request_ms"] is None for row in told["rows"])
    assert request_rows(told, told["rows"]) == [] and request_words(told, told["rows"]) is None
    assert titles(result) == [] and not_predicted(result, "x") == "Poolscope predicts no setting: x."


def test_a_model_that_fits_tells_of_both(tmp_path):
    assert titles(explored(tmp_path)) == ["latency", "wait", "completion", "requests"]


def test_the_page_says_what_is_predicted_and_what_is_not(tmp_path, misfit):
    web_service(tmp_path, [200] * 30).write()
    opened = poolscope.open(tmp_path)
    section = whatif_section(opened.analysis())
    assert section["fits"] is False and section["fixes"] == [] and section["requests"]
    page = opened.report()
    assert "Poolscope predicts no setting for work items" in page and "Latency of requests, in numbers" in page


def test_without_a_knee_the_words_take_the_fewest_threads_that_are_as_good_as_the_best(tmp_path):
    told: Any = explored(tmp_path).to_json()
    [present] = [row for row in told["rows"] if row["group"] == "present"]

    def row(threads, mean):
        of_each = dict.fromkeys(("mean", "p50", "p99", "max"), mean)
        setting = {**present["setting"], "min_threads": threads}
        return {**present, "group": "min-threads", "label": f"min {threads}", "setting": setting, "request_ms": of_each}

    rows = [present, row(8, 90.0), row(16, 51.0), row(32, 50.0)]
    words = request_words(told | {"knee": None, "rows": rows}, rows)
    assert words == "Requests with min 16 threads: 51 ms in the mean and 51 ms at p99, instead of 211 ms and 211 ms."
