"""A capture that ends at once, or holds only a header: every verb gives a plain answer."""

import pytest
from poolscope.__main__ import run
from synthetic import CaptureBuilder

VERBS = {
    "report": ["report", "CAPTURE", "-o", "OUT/x.html"],
    "attribute": ["attribute", "CAPTURE", "--json"],
    "attribute as text": ["attribute", "CAPTURE"],
    "check": ["check", "CAPTURE"],
    "check a figure": ["check", "CAPTURE", "--fail-on", "wait.p99>1ms"],
    "compare": ["compare", "CAPTURE", "--", "OTHER", "-o", "OUT/x.html"],
    "whatif": ["whatif", "CAPTURE", "--min-threads", "8"],
    **{
        f"export to {form}": ["export", "CAPTURE", "--to", form, "-o", f"OUT/{form}"]
        for form in ("perfetto", "csv", "perfview")
    },
}


def write(folder, items, length, kernel):
    builder = CaptureBuilder(folder, length=length, kernel=kernel)
    if items:
        builder.item(0, 0, 0, 200)
    builder.suspension(0, length)
    builder.write()


@pytest.mark.parametrize("kernel", [True, False], ids=["kernel", "runtime alone"])
@pytest.mark.parametrize("items", [0, 1])
@pytest.mark.parametrize("words", VERBS.values(), ids=VERBS)
def test_every_verb_answers(words, items, kernel, tmp_path, capsys):
    for name in ("a", "b"):
        write(tmp_path / name, items, 0, kernel)
    replaced = {"CAPTURE": str(tmp_path / "a"), "OTHER": str(tmp_path / "b")}
    code = run([replaced.get(word, word.replace("OUT", str(tmp_path))) for word in words])
    said = capsys.readouterr()
    assert code in (0, 4), said.err
    assert "Traceback" not in said.err + said.out
    assert said.err.count("\n") <= 1


def test_without_items_there_is_no_work(tmp_path, capsys):
    write(tmp_path / "a", 0, 0, True)
    assert run(["attribute", str(tmp_path / "a")]) == 0
    assert "verdict: no-work" in capsys.readouterr().out
