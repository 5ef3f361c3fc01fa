"""The page's text about flame graphs without a script: words, tables, and unknown values."""

from typing import Any

import pytest
from poolscope.product import analyse
from poolscope.report import render
from poolscope.report.sections.flames import flames_section
from synthetic import MS, CaptureBuilder

FRAMES = ("System.Threading.Thread.Sleep", "App.Nap<T>", "App.Work")


@pytest.fixture
def analysis(tmp_path):
    """Builds an item that sleeps for 40 ms and waits 20 ms for a core while another one is queued."""
    builder = CaptureBuilder(tmp_path, length=100 * MS, limits=(1, 1))
    builder.item(0, 0, 70 * MS, 200, [("running", 10 * MS), ("ready", 20 * MS), ("blocked", 40 * MS)])
    builder.item(0, 70 * MS, 71 * MS, 200, [("ready", MS)])
    rows = builder.rows
    rows["frames"] = [{"method": name, "module": "m.dll", "resolved": 1} for name in FRAMES]
    rows["stacks"] = [{"id": i, "parent": i - 1, "frame": 2 - i} for i in range(3)]
    rows["snapshots"] = [{"time": 50 * MS, "tid": 200, "stack": 2}]
    pid = builder.manifest["target"]["pid"]
    rows["cpu_samples"] = [{"time": 9 * MS, "cpu": 0, "pid": pid, "tid": 200, "stack": 1}]
    return analyse(builder.write()).to_json()


def test_tables_name_methods_with_what_they_waited_for_and_count_what_has_no_sample(analysis):
    sections: Any = flames_section(analysis)
    blocked, cpu, ready = sections
    assert [(r["method"], r["own"], r["total"], r["waits"]) for r in blocked["rows"]] == [
        ("App.Work", "0", "40 ms", "sleep 100 %"),
        ("App.Nap<T>", "0", "40 ms", "sleep 100 %"),
        ("System.Threading.Thread.Sleep", "40 ms", "40 ms", "sleep 100 %"),
    ]
    assert [(r["method"], r["own"], r["share"]) for r in ready["rows"]] == [
        ("App.Nap<T>", "20 ms", "95 %"),
        ("App.Work", "0", "95 %"),
        ("no sample", "1 ms", "5 %"),
    ]
    assert any("1 ms (5 %) in 1 stretch is in items that no sample hit" in note for note in ready["notes"])
    assert cpu["absent"] is None and cpu["rows"] == []


def test_a_recursion_counts_once():
    frame = {"method": "App.Again", "module": None, "kind": "managed", "user": True}
    nodes = {"parent": [-1, 0, 1], "frame": [0, 0, 0], "self": [1, 2, 3], "total": [6, 5, 3], "waiting": [0, 0, 0]}
    flame: Any = {
        "total": 6,
        "waiting": 0,
        "before": 6,
        "after": 0,
        "no_sample": 0,
        "stretches": 3,
        "stretches_without": 0,
    }
    flame |= {"distance": 1.0, "least": 0, "frames": [frame], "nodes": nodes}
    sections: Any = flames_section({"blocked_flame": None, "cpu_flame": None, "ready_flame": flame})
    (row,) = sections[2]["rows"]
    assert (row["own"], row["total"], row["share"]) == ("6 ms", "6 ms", "100 %")


def test_the_page_has_a_place_for_each_graph_and_says_where_there_is_none(analysis):
    page = render(analysis)
    assert all(f'data-flame="{name}"' in page for name in ("blocked_flame", "cpu_flame", "ready_flame"))
    assert "App.Nap&lt;T&gt;" in page and "App.Nap<T>" not in page
    analysis |= {"blocked_flame": None, "cpu_flame": None, "ready_flame": None}
    page = render(analysis)
    assert 'data-flame="' not in page and page.count("This capture cannot show it") >= 2
