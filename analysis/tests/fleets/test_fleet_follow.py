"""A followed folder is analysed again if a capture was added, changed or removed, and not otherwise."""

import zipfile
from pathlib import Path

from poolscope.fleets.question import changes, listed

GOLDEN = Path(__file__).resolve().parents[3] / "traces" / "golden"


def capture(folder: Path, name: str) -> Path:
    with zipfile.ZipFile(GOLDEN / "healthy.zip") as archive:
        archive.extractall(folder / name)
    return next((folder / name).rglob("capture.json")).parent


def test_it_asks_at_once_and_again_only_after_a_change(tmp_path):
    first = tmp_path / "first.zip"
    first.write_bytes((GOLDEN / "healthy.zip").read_bytes())
    steps = []

    def sleep(seconds):
        """Changes the folder between two looks."""
        assert seconds == 30
        steps.append(len(asked))
        if len(steps) == 2:
            (tmp_path / "second.zip").write_bytes(first.read_bytes())
        elif len(steps) == 4:
            first.write_bytes(first.read_bytes() + b"\0")
        elif len(steps) == 6:
            first.unlink()
        elif len(steps) == 8:
            raise KeyboardInterrupt

    asked = []
    try:
        for sources in changes(listed([str(tmp_path)]), 30, sleep):
            asked.append([Path(source).name for source in sources])
    except KeyboardInterrupt:
        pass
    both = ["first.zip", "second.zip"]
    assert asked == [["first.zip"], both, both, ["second.zip"]]
    assert steps == [1, 1, 2, 2, 3, 3, 4, 4], "a look without a change asks nothing"


def test_tables_that_are_made_later_are_a_change(tmp_path):
    folder = capture(tmp_path, "a")
    tables = folder / "tables"
    hidden = folder.parent / "later"
    tables.rename(hidden)

    def appear(_):
        if hidden.exists():
            hidden.rename(tables)

    looks = changes(listed([str(folder)]), 0, appear)
    assert next(looks) == [str(folder)] and next(looks) == [str(folder)] and tables.is_dir()
