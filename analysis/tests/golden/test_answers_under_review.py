"""The analyses of fifteen small captures match traces/answers to the byte, and these captures name no machine."""

import json
import re
from typing import Any

import pytest
from answers import ANSWERS, SHOWN, answers, captures, difference, flat
from poolscope.capture import load_schema, open_capture

PATHS_OF_A_MACHINE = re.compile(r"/(?:home|root|work|tmp|Users)\b|[A-Z]:\\Users")
ARCHIVES = captures()


@pytest.mark.parametrize("name", ARCHIVES)
def test_the_answer_is_the_one_under_review(name):
    found = [line for file, text in answers(ARCHIVES[name]).items() for line in difference(file, text)]
    if found:
        told = "\n".join(found)
        pytest.fail(f"{told}\n`./build.sh golden --accept` writes the new answers: look at the diff", pytrace=False)


def test_there_are_fifteen_and_each_answer_has_its_capture():
    files = {path.name for path in ANSWERS.iterdir()} - {"README.md"}
    own = {f"{name}.zip" for name in ARCHIVES if ARCHIVES[name].parent == ANSWERS}
    assert len(ARCHIVES) == 15
    assert files == own | {f"{name}{ending}" for name in ARCHIVES for ending in (".analysis.json", ".md")}


def test_the_archives_are_small():
    sizes = [path.stat().st_size for path in ANSWERS.glob("*.zip")]
    assert max(sizes) < 320_000 and sum(sizes) < 2_600_000


@pytest.mark.parametrize("name", ARCHIVES)
def test_no_capture_names_the_machine_that_made_it(name):
    capture = open_capture(ARCHIVES[name])
    assert capture.manifest["host"]["name"] == "golden"
    texts = [json.dumps(capture.manifest)]
    for table in (schema.name for schema in load_schema().tables.values() if capture.has(schema.name)):
        columns = capture.table(table)
        texts += [
            str(text) for column in columns.select_dtypes(["object", "category"]) for text in columns[column].unique()
        ]
    assert [text for text in texts if PATHS_OF_A_MACHINE.search(text)] == []


def test_a_leaf_has_a_line_and_its_path():
    content: Any = {"verdict": {"id": "healthy", "reasons": []}, "findings": [{"id": "a"}], "series": list(range(13))}
    assert json.loads(flat(content)) == {
        "verdict.id": "healthy",
        "verdict.reasons": [],
        "findings[0].id": "a",
        "series[0:12]": list(range(12)),
        "series[12:13]": [12],
    }
    assert flat(content).count("\n") == 7


def test_a_difference_is_told_in_a_few_lines(tmp_path, monkeypatch):
    monkeypatch.setattr("answers.ANSWERS", tmp_path)
    (tmp_path / "a.md").write_text("one\ntwo\nthree\n")
    assert difference("a.md", "one\ntwo\nthree\n") == []
    assert difference("a.md", "one\n2\nthree\n")[2:] == ["-two", "+2"]
    many = difference("none.md", "line\n" * 100)
    assert len(many) == SHOWN + 1 and many[-1] == "and 82 more lines"
