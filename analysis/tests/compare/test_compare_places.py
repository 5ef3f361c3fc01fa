"""The places of late requests before and after a change."""

import json

import pytest
from late_captures import in_one_item
from numbered_runs import run as numbered
from poolscope.__main__ import run as poolscope
from poolscope.capture.fitting import open_whole
from poolscope.compare import compare as compare_captures
from poolscope.compare import compare_runs
from poolscope.compare.judge import CANNOT_TELL, Row
from poolscope.compare.of_requests import ANSWERED
from poolscope.compare.page import render
from poolscope.compare.quantity import QUANTITIES, Quantity, Scale
from poolscope.compare.sentence import headline
from poolscope.findings.finding import Lateness
from poolscope.product import analyse

ONE_ITEM = "their continuations ran one after another in one work item (serial-continuations)"


def capture(folder, share):
    return in_one_item(folder, share).write().path


@pytest.fixture(scope="module")
def sides(tmp_path_factory):
    """In A one item continues all twenty requests; in B each request has an item of its own."""
    folder = tmp_path_factory.mktemp("places")
    return [[capture(folder / f"{name}-{i}", share) for i in range(3)] for name, share in (("a", True), ("b", False))]


@pytest.fixture(scope="module")
def found(sides):
    return compare_captures(*sides).to_json()


def test_each_capture_says_where_its_late_requests_were(sides, found):
    verdict = analyse(open_whole(sides[0][0])).verdict
    for run in found["a"]:
        assert run["verdict"] == "serial-continuations"
        assert run["late"] == {
            "place": "serial-continuations",
            "unit": "requests",
            "late": 20,
            "of": 20,
            "seconds": pytest.approx(19.0, abs=0.01),
            "method": None,
            "endpoint": None,
        }
    assert verdict.text.startswith("20 of 20 requests were late")
    assert [run["late"] for run in found["b"]] == [None] * 3


def test_the_answer_begins_with_what_customers_wait_for(found):
    text = found["text"]
    assert text.startswith(
        f"Requests were late because {ONE_ITEM}: 60 of 60 requests, 57 s in all, in 3 of 3 captures of side A; in none of side B."
    )
    assert text.index("how long requests take") < text.index("Items complete")
    (row,) = found["places"]
    assert row["a"] == {"captures": 3, "late": 60, "of": 60, "seconds": pytest.approx(57.0, abs=0.01)}
    assert row["b"] == {"captures": 0, "late": 0, "of": None, "seconds": 0.0}


@pytest.mark.parametrize(
    ("of_requests", "said"),
    [
        ("too few runs", "Cannot tell whether requests take, or items wait, longer or shorter: too few runs."),
        (
            "too few requests",
            "Cannot tell whether requests take longer or shorter: too few requests. "
            "Cannot tell whether items wait longer or shorter: too few runs.",
        ),
    ],
)
def test_what_cannot_be_told_for_one_reason_is_said_once(of_requests, said):
    latency = Quantity("request.mean", "mean latency", "requests", Scale.RATIO, "request.mean", "latency")
    rows = [Row(quantity, CANNOT_TELL, of_requests, "", None, 0.0) for quantity in (latency, ANSWERED)]
    rows += [Row(quantity, CANNOT_TELL, "too few runs", "", None, 0.0) for quantity in QUANTITIES]
    assert headline(rows, single=False, places="Here.") == f"Here. {said}"


def test_page_and_terminal_have_the_same_figures(sides, found, capsys):
    page = render(found).replace("\N{NO-BREAK SPACE}", " ")
    assert poolscope(["compare", *map(str, sides[0]), "--", *map(str, sides[1])]) == 0
    out = " ".join(capsys.readouterr().out.split())
    for figure in (found["text"], "20 of 20 requests", "19 s", "serial-continuations"):
        assert figure in page and figure in out, figure
    assert "healthy" in page and "healthy" in out


def test_a_place_that_only_some_captures_have_is_counted_in_those(tmp_path):
    def late(name, place, many, **where):
        return numbered(
            name=name, verdict=place, late=Lateness("requests", many, 100, place=place, seconds=many, **where)
        )

    a = [
        late("a1", "slow-service", 10, endpoint="db:5432"),
        late("a2", "slow-service", 30, endpoint="db:5432"),
        numbered(),
    ]
    b = [late("b1", "slow-service", 5, endpoint="cache:6379"), numbered(), numbered()]
    content = compare_runs(a, b).to_json()
    assert [(row["endpoint"], row["a"]["captures"], row["b"]["captures"]) for row in content["places"]] == [
        ("db:5432", 2, 0),
        ("cache:6379", 0, 1),
    ]
    assert "40 of 200 requests, 40 s in all, in 2 of 3 captures of side A; in none of side B" in content["text"]
    assert "(slow-service, cache:6379)" in content["text"]


def test_late_requests_without_a_place_are_said_too():
    unknown = [numbered(verdict="cannot-tell", late=Lateness("requests", 3, 100, seconds=6.0)) for _ in range(3)]
    content = compare_runs(unknown, [numbered() for _ in range(3)]).to_json()
    assert content["text"].startswith("Requests were late, and no event shows where: 9 of 300 requests, 18 s in all")
    assert content["places"][0]["place"] is None


def test_without_late_requests_nothing_is_said_of_them():
    content = compare_runs([numbered()], [numbered()]).to_json()
    assert content["places"] == [] and "equests were late" not in content["text"]
    assert "Where late requests were" not in render(content)


def test_names_are_redacted(tmp_path, capsys):
    from poolscope.redact import redact

    late = Lateness("requests", 3, 100, place="reader-held", seconds=6.0, method="Shop.Cart.Load", endpoint="db.shop:1")
    content = redact(compare_runs([numbered(verdict="reader-held", late=late)], [numbered()]).to_json())
    assert "Shop" not in json.dumps(content) and "db.shop" not in json.dumps(content)
    assert content["places"][0]["place"] == "reader-held" and content["a"][0]["late"]["unit"] == "requests"
