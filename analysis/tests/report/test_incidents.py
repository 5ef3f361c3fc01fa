"""Incidents on the page, in Markdown and on the command line: those that matter in full, the others in sentences."""

import copy
import json
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest
from poolscope.__main__ import run
from poolscope.capture import open_capture
from poolscope.naming.choice import KIND_WORDS
from poolscope.product import analyse
from poolscope.redact import redact
from poolscope.report import render
from poolscope.report.rendering import to_markdown
from poolscope.report.sections.incidents import SENTENCES, TOLD, incidents_section, summary
from poolscope.report.strip import HEIGHT, WIDTH
from test_page import Page

GOLDEN = Path(__file__).resolve().parents[3] / "traces" / "golden"


@pytest.fixture(scope="module")
def golden():
    return analyse(open_capture(GOLDEN / "blocked-at-cap.zip")).to_json()


def incident(like, start_s, end_s, **changed):
    return {**copy.deepcopy(like), "start_s": start_s, "end_s": end_s, "costliest": False, **changed}


def minor(
    like, start_s, end_s, why="2 work items of 5 started late, up to 70 ms: too few and too short to matter.", **changed
):
    none = {"matters": False, "verdict": None, "wait_share": None, "blame": [], "why_not": why}
    return incident(
        like, start_s, end_s, **{**none, "late": 2, "items": 5, "longest_ms": 70.0, "item_seconds": 0.14, **changed}
    )


@pytest.fixture
def eventful(golden):
    """Returns three incidents that matter, the second the costliest and the third without its own verdict, and two
    others."""
    analysis = copy.deepcopy(golden)
    (like,) = analysis["incidents"]
    blame = [{"method": "Shop.Cart.Pay<T>", "kind": "task-wait", "thread_s": 31.2, "share": 0.71}]
    verdict = {
        "id": "core-contention",
        "text": "The cores were busy.",
        "confidence": "low",
        "reasons": ["Model error 31 %."],
    }
    shares = {"injection": 0.1, "blocking": 0.0, "core": 0.9, "runtime": 0.0}
    analysis["incidents"] = [
        minor(like, 0.1, 0.2, "12 work items started late while the program started.", at_start_up=True),
        incident(
            like, 0.5, 0.7, late=30, items=60, longest_ms=1400.0, item_seconds=4.5, verdict=verdict, wait_share=shares
        ),
        incident(like, 1.0, 2.1, costliest=True, blame=blame),
        minor(like, 2.2, 2.25),
        incident(
            like,
            2.4,
            2.5,
            late=1,
            items=7,
            item_seconds=1.2,
            longest_ms=1200.0,
            at_least=True,
            verdict=None,
            wait_share=None,
        ),
    ]
    return analysis


def details(html):
    """Returns each incident's part of the page: whether it is open, and its text."""
    parts = re.findall(r'<details class="incident"( open)?>(.*?)</details>', html, re.DOTALL)
    return [(bool(is_open), " ".join(Page(body).text.split())) for is_open, body in parts]


def test_each_incident_that_matters_has_a_part_that_is_opened_on_demand(eventful):
    first, second, third = details(render(eventful))
    assert not (first[0] or second[0] or third[0])
    assert "0.500 s to 0.700 s: 30 of the 60 items queued then started late, longest 1.4 s" in first[1]
    assert "4.5 s in all (item-seconds), 150 ms on average" in first[1]
    assert "core-contention, confidence: low" in first[1] and "Model error 31 %." in first[1]
    assert "The verdict of the capture is this incident" in second[1] and "The verdict of" not in first[1]
    section: Any = incidents_section(eventful)
    held = section["told"][1]["blame"]
    assert held == [
        {"method": "Shop.Cart.Pay<T>", "kind": KIND_WORDS["task-wait"], "thread_time": "31.2 s", "share": "71 %"}
    ]
    assert "Shop.Cart.Pay<T>" in second[1] and "What held the threads" not in first[1]
    assert "no verdict of its own" in third[1] and "longest \N{GREATER-THAN OR EQUAL TO} 1.2 s" in third[1]


def test_the_split_of_an_incident_is_of_its_late_items(eventful):
    section: Any = incidents_section(eventful)
    told = section["told"][0]
    assert [(part["cause"], part["ms"], part["share"]) for part in told["bar"]] == [
        ("injection", "15 ms", "10 %"),
        ("core", "135 ms", "90 %"),
    ]


def test_incidents_that_do_not_matter_are_told_in_a_sentence_each(eventful):
    html = render(eventful)
    text = " ".join(Page(html).text.split())
    assert "0.100 s to 0.200 s: 12 work items started late while the program started." in text
    assert text.count("too few and too short to matter") == 1
    assert "91 items waited longer than 50 ms, in 5 incidents; 3 of them matter." in text


def test_many_that_do_not_matter_are_grouped(eventful):
    (like, *_) = eventful["incidents"]
    starting = [minor(like, n / 100, n / 100 + 0.001, at_start_up=True) for n in range(3)]
    short = [
        minor(like, 1 + n / 100, 1 + n / 100 + 0.001, longest_ms=60.0 + n, at_start_up=False) for n in range(SENTENCES)
    ]
    eventful["incidents"] = [*starting, *short]
    section: Any = incidents_section(eventful)
    assert section["minor"] == [
        "3 incidents from 0.000 s to 0.021 s, while the program started and its code was compiled: 6 items started late, "
        "up to 70 ms.",
        "10 incidents from 1.000 s to 1.091 s, too few and too short to matter: 20 items started late, up to 69 ms.",
    ]
    assert len(section["strip"].bands) < len(eventful["incidents"]), "close together they are drawn as one"


def test_of_very_many_that_matter_the_costliest_are_told_and_all_are_drawn(eventful):
    like = eventful["incidents"][1]
    eventful["incidents"] = [
        incident(like, n / 50, n / 50 + 0.01, late=1, item_seconds=1.0 + n) for n in range(TOLD + 5)
    ]
    section: Any = incidents_section(eventful)
    assert len(section["told"]) == TOLD and section["told"][0]["from_s"] == 5 / 50
    assert (
        "The 50 costliest of 55 incidents are listed. In the others 5 items started late and waited 15 s"
        in section["left_out"]
    )
    assert len(section["strip"].bands) == TOLD + 5
    assert {band.anchor for band in section["strip"].bands[:5]} == {"incidents"}


def test_the_strip_leads_from_each_incident_to_its_part(eventful):
    html = render(eventful)
    page = Page(html)
    bands = [a for tag, a in page.tags if tag == "a" and "band" in (a.get("class") or "").split()]
    ids = {a["id"] for _, a in page.tags if "id" in a}
    assert [a["href"] for a in bands] == [
        "#incidents-minor",
        "#incident-1",
        "#incident-2",
        "#incidents-minor",
        "#incident-3",
    ]
    assert {a["href"][1:] for a in bands} <= ids
    assert all(a["aria-label"] and not a.get("onclick") for a in bands)
    seconds = eventful["capture"]["seconds"]
    left = [float(re.search(r"left:min\(([\d.]+)%", a["style"])[1]) for a in bands]
    assert left == pytest.approx([100 * i["start_s"] / seconds for i in eventful["incidents"]], abs=0.01)


def test_the_strip_and_the_incidents_tell_when_requests_were_late(eventful):
    spells = [{"start_s": 0.5, "end_s": 1.5, "count": 12, "longest_ms": 900.0}]
    requests: dict[str, Any] = {"late": {"count": 12, "spells": spells}}
    section: Any = incidents_section(eventful | {"requests": {**requests, "outside_incidents": None}})
    assert section["spells"] == ["0.500 s to 1.500 s: 12 late requests, longest 900 ms."]
    (band,) = [b for b in section["strip"].bands if b.anchor == "requests"]
    assert band.matters and band.words == f"From {section['spells'][0][:-1]}"


def test_the_strip_draws_queue_and_goal_to_their_peaks(eventful):
    html = render(eventful)
    for name in ("queue", "goal"):
        path = re.search(rf'<path class="{name}" d="([^"]*)"', html)[1]
        heights = [float(y) for y in re.findall(r"V([\d.]+)", path)]
        assert min(heights) == 3 and max(heights) <= HEIGHT and f"H{WIDTH}" in path
    assert f"queue, up to {max(eventful['timeline']['queue']):.0f} items" in Page(html).text


def test_a_capture_in_which_nothing_was_late_says_so(golden):
    calm: Any = {**copy.deepcopy(golden), "incidents": []}
    html = render(calm)
    assert not details(html) and "No item waited longer than 50 ms." in Page(html).text
    idle = copy.deepcopy(calm)
    idle["items"]["count"] = 0
    assert not {"strip", "incidents"} & {a.get("id") for _, a in Page(render(idle)).tags}


@pytest.mark.parametrize(
    "matter, said",
    [
        ([True], "56 items waited longer than 50 ms, in 1 incident."),
        ([False], "56 items waited longer than 50 ms, in 1 incident that does not matter."),
        ([False, False], "112 items waited longer than 50 ms, in 2 incidents that do not matter."),
        ([True, False], "112 items waited longer than 50 ms, in 2 incidents; 1 of them matters."),
    ],
)
def test_the_summary_is_a_sentence(golden, matter, said):
    (like,) = golden["incidents"]
    assert summary(golden | {"incidents": [{**like, "matters": each} for each in matter]}) == said


def test_markdown_lists_the_costliest(eventful):
    text = to_markdown(eventful)
    assert "| 1.000 s to 2.100 s | 56 of 56 | 1.55 s | 46.4 s | blocked-at-cap (high) |" in text
    assert "| 2.400 s to 2.500 s | 1 of 7 |" in text and "0.100 s" not in text


def test_redaction_covers_what_incidents_say(eventful):
    eventful["incidents"][2]["verdict"]["text"] = "Items waited because Shop.Cart.Pay<T> held the threads."
    eventful["incidents"][3]["why_not"] = "Qzxsecret of Shop.Cart.Pay<T> started late."
    redacted = redact(eventful)
    assert "Shop" not in json.dumps(redacted) and "Qzx" not in json.dumps(redacted)
    html = render(redacted)
    assert "Shop" not in html and redacted["incidents"][2]["blame"][0]["method"] in html
    whole = [(i["why_not"], (i["verdict"] or {}).get("id")) for i in redact(eventful)["incidents"]]
    assert whole[1] == (None, "core-contention") and "while the program started" in whole[0][0]


@pytest.fixture
def capture(tmp_path):
    with zipfile.ZipFile(GOLDEN / "injection-delay.zip") as archive:
        archive.extractall(tmp_path / "captured")
    return str(next(p.parent for p in (tmp_path / "captured").rglob("capture.json")))


def test_attribute_prints_them(capture, capsys):
    assert run(["attribute", capture]) == 0
    said = capsys.readouterr().out
    assert "Incidents - 10 items waited longer than 50 ms, in 1 incident." in said
    assert re.search(r"0\.242 s +4\.761 s +10 of 11 +4\.52 s +28\.6 s +injection-delay \(high\)", said)


def test_late_moves_the_limit_of_every_verb(capture, tmp_path, capsys):
    assert run(["attribute", capture, "--late", "4s"]) == 0
    assert "3 items waited longer than 4 s, in 1 incident." in capsys.readouterr().out
    assert run(["report", capture, "--late", "5s", "-o", str(tmp_path / "page.html")]) == 0
    assert "verdict: healthy" in capsys.readouterr().out
    assert "No item waited longer than 5 s." in Page((tmp_path / "page.html").read_text()).text
    gate = ["check", capture, "--fail-on", "incidents>0", "--fail-on", "incident.longest>1s"]
    assert run(gate) == 1 and run([*gate, "--late", "5s"]) == 0


@pytest.mark.parametrize("late", ["50", "0ms", "-1s", "fast", "nan ms"])
def test_a_limit_that_is_no_duration_is_refused(late, capture, capsys):
    assert run(["attribute", capture, "--late", late]) == 2
    assert "--late" in capsys.readouterr().err
