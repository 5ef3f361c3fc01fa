"""Activities in analysis.json, on the page, in the library, and redacted."""

from typing import Any

import numpy as np
import pandas as pd
import poolscope
import pytest
from poolscope.measures.requests.routes import operation_of
from poolscope.product import analyse
from poolscope.redact.redact import redact
from poolscope.report.rendering import render, to_markdown
from synthetic import MS, CaptureBuilder

WORKER = 200


def worker(folder):
    """Builds orders packed one after another; one is under way at the end, and one at the beginning."""
    made = CaptureBuilder(folder, length=1000 * MS).item(0, 0, 990 * MS, WORKER, [("running", 990 * MS)])
    made.activity(-1, 5 * MS, WORKER, name="pack order 8")
    for n in range(9):
        start = (10 + 100 * n) * MS
        made.activity(start, start + (10 + n) * MS, WORKER, name=f"pack order {n}", source="Contoso.Shop")
    made.activity(970 * MS, -1, WORKER, name="pack order 9", source="Contoso.Shop")
    return made.activity(300 * MS, 301 * MS, WORKER, name="secret-name", source="Contoso.Shop")


@pytest.mark.parametrize(
    "name, operation",
    [
        ("pack", "pack"),
        ("pack order 17", "pack order {id}"),
        ("GET /orders/17", "GET /orders/{id}"),
        ("orders publish", "orders publish"),
        ("order-17", "order-17"),
        ("", ""),
    ],
)
def test_an_operation_is_the_name_without_what_names_one_of_many(name, operation):
    assert operation_of(name) == operation


def test_activities_of_the_product(tmp_path):
    activities: Any = analyse(worker(tmp_path).write()).to_json()["activities"]
    assert [activities[key] for key in ("count", "open", "carried", "kinds_left_out")] == [12, 1, 1, 0]
    pack, secret, carried = activities["kinds"]
    assert (pack["source"], pack["operation"], pack["count"], pack["open"]) == (
        "Contoso.Shop",
        "pack order {id}",
        10,
        1,
    )
    # Nine took 10 to 18 ms, and one at least 30 ms.
    assert pack["duration_ms"]["p50"] == 14 and pack["duration_ms"]["max"] == 30
    assert set(pack["duration_ms"]["at_least"]) == {"mean", "p99", "max"}
    assert pack["parts_ms"]["cpu"] == pytest.approx(14) and sum(pack["parts_ms"].values()) == pytest.approx(14)
    assert (pack["longest"]["start_s"], pack["longest"]["open"]) == (0.97, True)
    assert pack["longest"]["trace_id"] == f"{10:032x}"
    assert secret["operation"] == "secret-name"
    assert carried["carried"] == 1 and carried["duration_ms"]["p50"] is None
    assert carried["parts_ms"] is carried["longest"] is None


def test_operations_beyond_the_longest_are_counted(tmp_path):
    made = CaptureBuilder(tmp_path, length=1000 * MS).item(0, 0, 990 * MS, WORKER, [("running", 990 * MS)])
    for n in range(25):
        made.activity(10 * n * MS, (10 * n + 1 + n % 5) * MS, WORKER, name=f"operation-{chr(97 + n)}")
    activities = analyse(made.write()).to_json()["activities"]
    assert len(activities["kinds"]) == 20 and activities["kinds_left_out"] == 5
    assert activities["kinds"][0]["duration_ms"]["max"] == 5


def test_the_page_has_a_part_of_activities_where_there_are_any(tmp_path):
    page = render(analyse(worker(tmp_path / "some").write()).to_json())
    assert 'id="activities"' in page and "pack order {id}" in page and "&ge;" not in page
    assert "12 activities of 3 operations; 1 had not ended when the capture did and 1 had begun before it." in page
    said = to_markdown(analyse(worker(tmp_path / "ticket").write()).to_json())
    assert "(Contoso.Shop) | 10 | 14 ms | 18 ms | ≥\N{NO-BREAK SPACE}30 ms | ≥\N{NO-BREAK SPACE}30 ms |" in said
    nothing = CaptureBuilder(tmp_path / "none", length=1000 * MS).item(0, 0, MS, WORKER, [("running", MS)])
    content = analyse(nothing.write()).to_json()
    assert content["activities"] is None and 'id="activities"' not in render(content)


def test_names_and_ids_do_not_survive_redaction(tmp_path):
    content = redact(analyse(worker(tmp_path).write()).to_json())
    text = str(content["activities"]) + render(content)
    for secret in ("Contoso", "secret-name", "pack order", f"{10:032x}"):
        assert secret not in text
    assert content["activities"]["kinds"][0]["operation"].startswith("activity-")


def test_the_library_has_a_row_for_each(tmp_path):
    worker(tmp_path).write()
    frame = poolscope.open(tmp_path).activities()
    assert len(frame) == 12 and frame.index.name == "id"
    assert np.isnan(frame["duration"][0]) and frame["duration"][1] == 10 * MS
    assert frame["at_least"].tolist() == [False] * 10 + [True, False]
    told = frame.dropna(subset=["cpu"])
    parts = ["queued", "cpu", "blocked", "ready", "runtime", "unseen", "services", "other"]
    assert len(told) == 10 and (told[parts].sum(axis=1) == told["duration"]).all()
    waits = [f"wait_{name}" for name in ("injection", "blocking", "core", "runtime", "other")]
    assert (told[waits].sum(axis=1) == told["queued"]).all()
    assert frame["operation"][1] == "pack order {id}" and frame["name"][1] == "pack order 0"
    assert frame["parent_span_id"].isna().all() and (frame["item"][1:] == 0).all()


def test_without_activities_the_library_s_answer_is_empty(tmp_path):
    CaptureBuilder(tmp_path, length=1000 * MS).item(0, 0, MS, WORKER, [("running", MS)]).write()
    assert poolscope.open(tmp_path).activities().equals(pd.DataFrame())
