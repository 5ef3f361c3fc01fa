"""Rows of the matrix that need no collector and no capture, in this process."""

import pytest
from command_matrix import RECORDERS, helps, options, readers
from poolscope.__main__ import run
from poolscope.cli.command import SECTIONS, VERBS

OWN = [name for names in SECTIONS.values() for name in names if name in VERBS]


@pytest.mark.parametrize(
    "row",
    [*helps(OWN), *options(OWN), *readers([v for v in OWN if v != "record"])],
    ids=lambda row: " ".join(row.words),
)
def test_a_row(row, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    code = run(list(row.words))
    row.judge("poolscope", code, *capsys.readouterr())
    assert not list(tmp_path.iterdir()), "nothing is written"


def test_the_matrix_has_every_verb():
    every = {name for names in SECTIONS.values() for name in names}
    assert every == {*OWN, *RECORDERS}
    assert {row.words[0] for row in readers([v for v in OWN if v != "record"])} - {"reprot"} == set(OWN)


@pytest.mark.parametrize(
    "code, out, error",
    [
        (3, "", "poolscope: x: no such file\n"),
        (2, "", "error: x: no such file\n"),
        (2, "", "poolscope: x: no such file\nanother line\n"),
        (2, "", "poolscope: something else\n"),
    ],
    ids=["exit code", "name", "two lines", "words"],
)
def test_a_row_can_fail(code, out, error):
    from command_matrix import wrong

    row = wrong("report x", 2, "no such file")
    row.judge("poolscope", 2, "", "poolscope: x: no such file\n")
    with pytest.raises(AssertionError):
        row.judge("poolscope", code, out, error)
