"""A capture is evidence: no verb and no library call changes it."""

import zipfile
from pathlib import Path

import poolscope
import pytest
from poolscope.__main__ import run

GOLDEN = Path(__file__).resolve().parents[3] / "traces" / "golden" / "injection-delay.zip"

READING_VERBS = {
    "report": ["report", "CAPTURE"],
    "report to a file": ["report", "CAPTURE", "-o", "OUT/page.html"],
    "attribute": ["attribute", "CAPTURE"],
    "attribute to a file": ["attribute", "CAPTURE", "--json", "-o", "OUT/analysis.json"],
    "whatif": ["whatif", "CAPTURE", "--min-threads", "8", "-o", "OUT/whatif.json"],
    "check": ["check", "CAPTURE", "-o", "OUT/check.xml"],
    "compare": ["compare", "CAPTURE", "--", "OTHER", "-o", "OUT/compare.html"],
    "fleet": ["fleet", "CAPTURE", "OTHER", "--workers", "1", "--no-cache", "-o", "OUT/fleet.html"],
    "verify": ["verify", "CAPTURE", "-o", "OUT/verify.json"],
    **{
        f"export to {form}": ["export", "CAPTURE", "--to", form]
        for form in ("perfetto", "speedscope", "folded", "csv", "perfview")
    },
}
"""Every verb that reads a capture, with its default output and with `-o`."""

WRITING_VERBS = [words for name, words in READING_VERBS.items() if "-o" in words]


@pytest.fixture
def capture(tmp_path):
    """Returns the golden capture as a read-only folder. (Root may write all the same, so the test compares the
    bytes.)"""
    folder = tmp_path / "ticket"
    with zipfile.ZipFile(GOLDEN) as archive:
        archive.extractall(folder)
    (folder,) = (manifest.parent for manifest in folder.rglob("capture.json"))
    for path in [*folder.rglob("*"), folder]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    yield folder
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)


def contents(folder):
    """Returns the bytes, mode and time of change of every file and folder. A file that came and went changes its
    folder."""
    return {
        str(path.relative_to(folder)): (
            path.stat().st_mtime_ns,
            path.stat().st_mode,
            path.read_bytes() if path.is_file() else None,
        )
        for path in [folder, *folder.rglob("*")]
    }


def spoken(words, capture, out):
    other = {"CAPTURE": str(capture), "OTHER": str(GOLDEN)}
    return [other.get(word, word.replace("OUT", str(out))) for word in words]


@pytest.mark.parametrize("words", READING_VERBS.values(), ids=READING_VERBS)
@pytest.mark.parametrize("inside", [False, True], ids=["run elsewhere", "run inside the capture"])
def test_a_verb_changes_nothing_in_the_capture(words, inside, capture, tmp_path, monkeypatch, capsys):
    out = tmp_path / "out"
    out.mkdir()
    monkeypatch.chdir(capture / "tables" if inside else out)
    before = contents(capture)
    code = run(spoken(words, capture, out))
    error = capsys.readouterr().err
    assert code == (1 if words[0] == "check" else 0), error
    assert contents(capture) == before
    if words[0] in ("report", "export") and "-o" not in words:
        assert [*(capture.parent if inside else out).glob(f"{capture.name}*")] != [capture], "the result is beside it"


def test_the_verbs_are_all_here():
    from poolscope.cli.command import VERBS

    # `record` reads the capture that it has just made, like `report`.
    assert {words[0] for words in READING_VERBS.values()} == set(VERBS) - {"record"}


def test_every_answer_of_the_library_changes_nothing(capture, tmp_path):
    before = contents(capture)
    opened = poolscope.open(capture)
    opened.attribute(), opened.blame(), opened.worst_items(), opened.check(), opened.analysis(redact=True)
    opened.report(tmp_path / "page.html")
    opened.whatif(min_threads=8, replications=1)
    assert [len(opened.tables[name]) for name in opened.tables]
    assert contents(capture) == before


@pytest.mark.parametrize("words", WRITING_VERBS, ids=[words[0] for words in WRITING_VERBS])
@pytest.mark.parametrize("place", ["capture.json", "new.json", "tables/new.json"])
def test_an_output_inside_the_capture_is_refused(words, place, capture, capsys):
    before = contents(capture)
    given = [*spoken(words, capture, capture)[:-1], str(capture / place)]
    assert run(given) == 2
    assert "only read" in capsys.readouterr().err
    assert contents(capture) == before


def test_a_zip_is_not_overwritten(tmp_path, capsys):
    archive = tmp_path / "ticket.zip"
    archive.write_bytes(GOLDEN.read_bytes())
    assert run(["report", str(archive), "-o", str(archive)]) == 2
    with pytest.raises(poolscope.base.errors.InvalidArgument, match="only read"):
        poolscope.open(archive).report(archive)
    assert archive.read_bytes() == GOLDEN.read_bytes()


def test_the_parts_of_the_waits_are_an_export(capture, tmp_path):
    assert run(["export", str(capture), "--to", "csv", "-o", str(tmp_path / "tables")]) == 0
    rows = (tmp_path / "tables" / "item_parts.csv").read_text().splitlines()
    items = poolscope.open(capture).attribute()
    assert (len(rows) - 1, rows[0].split(",")[:2]) == (len(items), ["id", "wait"])
