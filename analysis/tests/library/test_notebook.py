"""The notebook output: well-formed HTML without scripts, in which names from the capture are plain text."""

from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import poolscope
import pytest
from poolscope.findings import Findings
from poolscope.html.notebook import bullets, card, paragraph, split_bar, table

GOLDEN = Path(__file__).resolve().parents[3] / "traces" / "golden"
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>\u202e\"'{{ 7 * 7 }}"
ELEMENTS = {"div", "span", "p", "ul", "li", "table", "thead", "tbody", "tr", "th", "td"}


class Page(HTMLParser):
    """Collects the open elements and all text."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open: list = []
        self.attributes: list = []
        self.elements: set = set()
        self.text = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.elements.add(tag)
        self.attributes += attributes
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def parsed(shown):
    page = Page(shown)
    assert page.elements <= ELEMENTS
    assert {name for name, _ in page.attributes} <= {"style", "title"}
    for name, value in page.attributes:
        if name == "style":
            assert "url(" not in value and "background:#" not in value.replace("%;background:#", ""), value
            assert "color:#" not in value or value.startswith("color:#"), "text keeps the notebook's colour"
    return page


@pytest.fixture(scope="module")
def golden():
    return poolscope.open(GOLDEN / "sync-over-async.zip")


def test_a_capture_is_shown_before_it_is_analysed():
    capture = poolscope.open(GOLDEN / "sync-over-async.zip")
    page = parsed(capture._repr_html_())
    assert "sync-over-async.zip" in page.text and "tracepoint" in page.text and "Not analysed yet" in page.text
    assert "analysed" not in vars(capture) and "_attribution" not in vars(capture)


def test_an_analysed_capture_shows_its_verdict_and_the_split(golden):
    verdict = golden.verdict()
    page = parsed(golden._repr_html_())
    assert verdict.text in page.text.replace("\u00a0", " ") and "injection delay 95" in page.text
    widths = [
        float(v.split("width:")[1].split("%")[0])
        for n, v in page.attributes
        if n == "style" and "width:" in v and "%" in v
    ]
    assert sum(widths) == pytest.approx(100, abs=0.1)


def test_verdict_findings_and_predictions_say_what_they_hold(golden):
    verdict, findings = golden.verdict(), golden.findings()
    page = parsed(verdict._repr_html_())
    assert all(reason in page.text.replace("\u00a0", " ") for reason in verdict.reasons)
    page = parsed(findings._repr_html_())
    assert all(f.id in page.text and f.title in page.text for f in findings)
    for finding in findings:
        assert all(text in parsed(finding._repr_html_()).text.replace("\u00a0", " ") for text in finding.advice)
    answer = golden.whatif(min_threads=[4, 8])
    page = parsed(answer._repr_html_())
    assert (
        "as captured" in page.text
        and "min 8" in page.text
        and answer.advice[0].text in page.text.replace("\u00a0", " ")
    )
    assert "min 8" in parsed(answer.sweep[-1]._repr_html_()).text


def test_no_findings_are_shown_as_none():
    assert "None" in parsed(Findings()._repr_html_()).text


def test_names_of_the_capture_are_text(golden):
    verdict = replace(golden.verdict(), id=HOSTILE, text=HOSTILE, reasons=[HOSTILE])
    first = golden.findings()[0]
    finding = replace(first, title=HOSTILE, number=HOSTILE, evidence=[HOSTILE], advice=[HOSTILE], id=HOSTILE)
    prediction = golden.whatif(min_threads=[4]).sweep[0]
    prediction = replace(prediction, why=[HOSTILE], setting=replace(prediction.setting, label=HOSTILE))
    for shown in (verdict, finding, Findings([finding]), prediction):
        text = shown._repr_html_()
        assert "<script" not in text and "<img" not in text and "\u202e" not in text
        assert "<script>alert(1)</script>" in parsed(text).text


def test_a_capture_with_a_hostile_manifest_is_shown_as_text(tmp_path, golden):
    import json
    import zipfile

    with zipfile.ZipFile(GOLDEN / "sync-over-async.zip") as archive:
        archive.extractall(tmp_path / "capture")
    path = tmp_path / "capture" / "capture.json"
    manifest = json.loads(path.read_text("utf-8"))
    manifest["target"]["name"] = manifest["host"]["name"] = manifest["host"]["os"] = HOSTILE
    path.write_text(json.dumps(manifest), "utf-8")
    text = poolscope.open(tmp_path / "capture")._repr_html_()
    assert "<script" not in text and parsed(text).text.count("<script>alert(1)</script>") == 3


@pytest.mark.parametrize(
    "made",
    [
        lambda: card(HOSTILE),
        lambda: card("", paragraph(HOSTILE, faint=True)),
        lambda: card("", bullets([HOSTILE])),
        lambda: card("", table((HOSTILE,), [(HOSTILE,)], (0,))),
        lambda: card("", split_bar({"core": 1.0}, {"core": HOSTILE})),
    ],
)
def test_every_piece_escapes(made):
    assert "<script" not in made() and "<script>alert(1)</script>" in parsed(made()).text
