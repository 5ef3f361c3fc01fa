"""pytest imports test files by their bare names: two files of one name stop the run of both."""

from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_every_test_file_has_a_name_of_its_own():
    folders = ("analysis/tests", "eng/tests", "bench/tests")
    names = Counter(path.name for folder in folders for path in (ROOT / folder).rglob("test_*.py"))
    assert len(names) > 100
    assert [name for name, times in names.items() if times > 1] == []
