"""The places of late requests over a fleet."""

import json
import re
from typing import Any

import pytest
from late_captures import in_one_item
from poolscope.__main__ import run as poolscope
from poolscope.fleets.answer import gather
from poolscope.fleets.answer_json import to_json
from poolscope.fleets.extract import extract
from poolscope.fleets.page import render
from poolscope.fleets.row import pack, unpack
from poolscope.fleets.table import captures_frame
from poolscope.redact import redact

PLACE = "Requests were late because their continuations ran one after another in one work item (serial-continuations): "


@pytest.fixture(scope="module")
def captures(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fleet")
    return [in_one_item(folder / f"{i}", i < 2).write().path for i in range(3)]


@pytest.fixture(scope="module")
def answer(captures):
    return gather([unpack(str(path), pack(extract(path, 50.0))) for path in captures], 50.0)


def test_a_row_carries_where_requests_were_late(answer):
    late = [row.run.late for row in answer.rows]
    assert [one and (one.place, one.unit, one.late, one.of) for one in late] == [
        ("serial-continuations", "requests", 20, 20),
        ("serial-continuations", "requests", 20, 20),
        None,
    ]


def test_a_row_with_damaged_lateness_is_refused(captures):
    made: Any = extract(captures[0], 50.0)
    for wrong in ({"late": -1}, {"unit": 3}, {"place": 1}, {"seconds": "many"}):
        run = made["run"] | {"late": made["run"]["late"] | wrong}
        with pytest.raises(ValueError):
            unpack("x", pack(made | {"run": run}))


def test_the_answer_names_the_place_and_the_captures(answer, captures):
    content = to_json(answer)
    assert PLACE + "40 of 40 requests, 38 s in all, in 2 of 3 captures." in content["text"]
    (row,) = content["places"]
    assert (row["place"], row["captures"], row["late"], row["of"]) == ("serial-continuations", 2, 40, 40)
    assert [one["source"] for one in content["late"]] == sorted(map(str, captures[:2]))
    assert [one["seconds"] for one in content["late"]] == [pytest.approx(19.0, abs=0.01)] * 2


def test_page_table_and_terminal_agree(answer, captures, capsys, tmp_path):
    content = to_json(answer)
    page = render(content).replace("\N{NO-BREAK SPACE}", " ")
    assert 'class="verdict cause"' in page
    text = re.sub(r"<script.*?</script>", "", page, flags=re.S)
    assert text.count(PLACE) == 1, "the part about groups says what it has to say, and not the headline again"
    for figure in ("20 of 20 requests", "40 of 40 requests", "38 s", "19 s", "serial-continuations"):
        assert figure in page, figure
    frame = captures_frame(answer)
    assert frame["late"].tolist()[:2] == [20, 20] and frame["place"].tolist() == ["serial-continuations"] * 2 + [""]
    assert frame["late_s"].tolist()[:2] == [pytest.approx(19.0, abs=0.01)] * 2
    words = [
        "fleet",
        *map(str, captures),
        "--workers",
        "1",
        "--no-cache",
        "-o",
        str(tmp_path / "x.html"),
        "--reports",
        "0",
    ]
    poolscope(words)
    out = " ".join(capsys.readouterr().out.split())
    assert PLACE + "40 of 40 requests, 38 s in all, in 2 of 3 captures." in out
    assert out.count("20 of 20 requests") == 2


def test_names_are_redacted(answer):
    content = redact(to_json(answer))
    assert content["late"][0]["place"] == "serial-continuations"
    assert str(answer.rows[0].source) not in json.dumps(content)
