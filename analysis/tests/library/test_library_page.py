"""The examples in docs/library.md run in order and print what the page says."""

import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "library.md"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def examples(text):
    """Joins all blocks into one session. Lines keep their place in the page, so that a failure names them."""
    lines = [""] * (text.count("\n") + 1)
    for block in BLOCK.finditer(text):
        first = text.count("\n", 0, block.start(1))
        for offset, line in enumerate(block.group(1).splitlines()):
            lines[first + offset] = line
    return doctest.DocTestParser().get_doctest("\n".join(lines), {}, PAGE.name, str(PAGE), 0)


def failures(text, monkeypatch):
    monkeypatch.chdir(ROOT)
    said: list = []
    result = doctest.DocTestRunner(verbose=False).run(examples(text), out=said.append)
    return result.failed, "".join(said)


def test_every_block_of_code_is_an_example():
    text = PAGE.read_text("utf-8")
    assert len(BLOCK.findall(text)) >= 12
    assert all(block.startswith(">>> ") for block in BLOCK.findall(text))
    assert text.count("```") == 2 * len(BLOCK.findall(text)), "no block that is not run"


def test_the_page_is_true(monkeypatch):
    failed, said = failures(PAGE.read_text("utf-8"), monkeypatch)
    assert failed == 0, said


@pytest.mark.parametrize(
    ("truth", "lie"),
    [
        ("15 of 49 work items started 203 ms", "15 of 49 work items started 204 ms"),
        ("import poolscope\n", "import poolscopf\n"),
    ],
)
def test_a_page_that_lies_fails(truth, lie, monkeypatch):
    text = PAGE.read_text("utf-8")
    start = text[: text.index("## Where did the wait go?")]
    assert truth in start
    assert failures(start, monkeypatch)[0] == 0
    assert failures(start.replace(truth, lie, 1), monkeypatch)[0] > 0


def test_the_page_names_every_public_exception_and_method():
    import poolscope

    text = PAGE.read_text("utf-8")
    for name, value in ((name, getattr(poolscope.Capture, name)) for name in dir(poolscope.Capture)):
        if not name.startswith("_") and name != "analysed":
            assert re.search(rf"\b{name}\b", text), name
    for name in poolscope.__all__:
        value = getattr(poolscope, name)
        if isinstance(value, type) and issubclass(value, Exception):
            assert f"`{name}`" in text
