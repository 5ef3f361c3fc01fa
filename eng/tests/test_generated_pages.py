"""The pages of the docs that are written from the schema and from the expectations of the zoo."""

import json

import repo
import tables_doc
import zoo_doc


def test_the_tables_page_follows_the_schema(tmp_path):
    page = tmp_path / "tables.md"
    assert not tables_doc.up_to_date(page)
    tables_doc.write(page)
    assert tables_doc.up_to_date(page)
    text = page.read_text(encoding="utf-8")
    schema = json.loads(repo.SCHEMA.read_text(encoding="utf-8"))
    for name, table in schema["tables"].items():
        section = text.split(f"\n## {name}\n")[1].split("\n## ")[0]
        rows = [line.split(" | ")[0].strip("| `") for line in section.splitlines() if line.startswith("| `")]
        assert rows == [column["name"] for column in table["columns"]]
    page.write_text(text.replace("int64", "int32", 1), encoding="utf-8")
    assert not tables_doc.up_to_date(page)


def test_the_page_of_the_zoo_has_a_row_for_each_program(tmp_path):
    page = tmp_path / "zoo-programs.md"
    assert not zoo_doc.up_to_date(page)
    zoo_doc.write(page)
    text = page.read_text(encoding="utf-8")
    for file in repo.ZOO_EXPECTED:
        programs = json.loads(file.read_text(encoding="utf-8"))["programs"]
        rows = {name: line for name in programs for line in text.splitlines() if line.startswith(f"| `{name}`")}
        assert set(rows) == set(programs)
        for name, program in programs.items():
            assert program["what"] and all(f"`{verdict}`" in rows[name] for verdict in program["verdicts"])
            assert rows[name].startswith(f"| `{name}` * |") == program.get("held_out", False)
    page.write_text(text.replace("healthy", "sick", 1), encoding="utf-8")
    assert not zoo_doc.up_to_date(page)


def test_a_bar_in_the_schema_does_not_break_a_row():
    column = {"name": "c", "type": "enum", "values": ["a", "b"], "what": "this | that"}
    schema = {"format": 1, "conventions": {}, "tables": {"t": {"what": "w", "columns": [column]}}}
    assert "| `c` | enum |  | this \\| that<br>values: 0 `a`, 1 `b` |" in tables_doc.render(schema)
