"""The page of single runs is made from its data, with no figure lost."""

import json

import measured_doc
import pytest
import repo


def test_the_page_has_every_cell_of_the_data(tmp_path):
    page = tmp_path / "single-runs.md"
    assert not measured_doc.up_to_date(page)
    measured_doc.write(page)
    assert measured_doc.up_to_date(page)
    lines = page.read_text("utf-8").splitlines()
    for table in json.loads(repo.SINGLE_RUNS.read_text("utf-8")):
        assert f"## {table['title']}" in lines and (repo.ROOT / "docs" / table["page"]).is_file()
        for row in [table["columns"], *table["rows"]]:
            assert f"| {' | '.join(row)} |" in lines
    page.write_text(page.read_text("utf-8") + "by hand\n", "utf-8")
    assert not measured_doc.up_to_date(page)


def test_a_row_without_a_cell_for_each_column_is_refused():
    table = {"title": "T", "page": "x.md", "note": "N.", "columns": ["a", "b"], "rows": [["1"]]}
    with pytest.raises(repo.BuildError, match="T: a row needs 2 cells"):
        measured_doc.render([table])
