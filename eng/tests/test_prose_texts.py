"""The prose lint reads every text of a file, and knows its readers."""

from pathlib import Path

import pytest
from prose import lint, patterns, texts
from prose.passages import USERS, Kind, Passage


def read(tmp_path, name, source):
    file = tmp_path / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(source, "utf-8")
    return [(passage.kind, passage.line, passage.text.strip()) for passage in texts.in_file(tmp_path, name)]


def test_python_has_docstrings_strings_and_comments(tmp_path):
    source = '"""Says something."""\nX = (\n    f"It waited {x} ms "\n    "for a core."\n)\n# Why it\n# is so.\n'
    assert read(tmp_path, "analysis/poolscope/report/x.py", source) == [
        (Kind.DOCSTRING, 1, "Says something."),
        (Kind.PAGE, 3, "It waited \u2026 ms for a core."),
        (Kind.COMMENT, 6, "Why it is so."),
    ]


def test_the_docstring_of_a_command_is_help(tmp_path):
    source = '@click.command()\ndef x():\n    """Says something."""\n\n\ndef y():\n    """Says something else."""\n'
    assert [kind for kind, _, _ in read(tmp_path, "analysis/poolscope/cli/x.py", source)] == [Kind.HELP, Kind.DOCSTRING]


def test_csharp_joins_strings_and_strips_tags(tmp_path):
    source = (
        '/// <summary>Says <see cref="Some.Thing"/> here.</summary>\n'
        'var x = $"It waited {ms} ms "\n    + "for a core.";  // Why it is so.\n'
        'var path = @"a\\b";\n'
    )
    assert read(tmp_path, "collector/Poolscope.Collect/X.cs", source) == [
        (Kind.DOCSTRING, 1, ""),
        (Kind.DOCSTRING, 1, "Says Some.Thing here."),
        (Kind.DOCSTRING, 1, ""),
        (Kind.COMMENT, 3, "Why it is so."),
        (Kind.HELP, 2, "It waited \u2026 ms for a core."),
    ]


def test_markdown_has_paragraphs_bullets_and_cells_but_no_code_and_nothing_generated(tmp_path):
    source = (
        "# A title\n\nOne `x` [link](y.md)\nline.\n\n- first\n- second\n\n```\nwhere there is code\n```\n\n"
        "    where there is code\n\n| a cell | b |\n\n<!-- measured: begin -->\nmade here\n<!-- measured: end -->\n"
    )
    found = read(tmp_path, "docs/x.md", source)
    assert [text for _, _, text in found if text] == [
        "A title",
        "One \u2026 link\nline.",
        "first",
        "second",
        "a cell",
        "b",
    ]
    assert dict((text, line) for _, line, text in found)["second"] == 7
    assert read(tmp_path, "docs/measured/x.md", source) == []


def test_html_has_text_and_titles_without_the_template_s_code(tmp_path):
    source = (
        '<p title="How long it waited">The <em>pool</em> waited {{ x }} ms.</p>\n{% if y %}\n<p>No core was free.</p>'
    )
    assert read(tmp_path, "analysis/poolscope/report/templates/x.html", source) == [
        (Kind.PAGE, 1, "How long it waited"),
        (Kind.PAGE, 1, "The pool waited \u2026 ms."),
        (Kind.PAGE, 3, "No core was free."),
    ]


def test_schemas_have_descriptions(tmp_path):
    source = '{\n  "a": {"description": "How long it waited.", "type": "how it is stored"}\n}'
    assert read(tmp_path, "traces/schema.json", source) == [(Kind.DOCS, 2, "How long it waited.")]
    assert read(tmp_path, "traces/other.json", source) == []


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("analysis/poolscope/findings/rules/healthy.py", Kind.PAGE),
        ("analysis/poolscope/cli/report.py", Kind.HELP),
        ("collector/Poolscope.Collect/Commands/CommandTree.cs", Kind.HELP),
        ("collector/Poolscope.Collect.Tests/LiveTests.cs", None),
        ("analysis/tests/synthetic.py", None),
        ("eng/testing.py", Kind.TOOLS),
    ],
)
def test_a_place_says_who_reads_its_strings(name, kind):
    assert texts.strings_of(name) == kind


def test_a_help_text_is_read_line_by_line(tmp_path):
    source = 'HELP = """Examples:\n  run this one here    records a running process\n"""\n'
    found = read(tmp_path, "analysis/poolscope/cli/x.py", source)
    assert [text for _, _, text in found] == ["run this one here", "records a running process"]


def test_a_find_names_its_place_and_what_to_write():
    passage = Passage(Path("docs/x.md"), 3, Kind.DOCS, "")
    said = str(lint.Found(passage, patterns.TWELVE[2], "nobody", "It helps nobody."))
    assert said == "docs/x.md:3: nobody: 'It helps nobody.': write name the actor"


def test_what_users_read_is_checked_by_lint(tmp_path, monkeypatch):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "x.md").write_text("It helps nobody.\n", "utf-8")
    monkeypatch.setattr(lint.repo, "ROOT", tmp_path)
    (found,) = lint.failures(["docs/x.md"])
    assert "docs/x.md:1: nobody" in found and Kind.COMMENT not in USERS


def test_comments_and_docstrings_are_checked_for_the_twelve_alone(tmp_path, monkeypatch):
    (tmp_path / "eng").mkdir()
    (tmp_path / "eng" / "x.py").write_text(
        '"""Of which one waits."""\n# It helps nobody. Where nothing waits, it ends.\n', "utf-8"
    )
    monkeypatch.setattr(lint.repo, "ROOT", tmp_path)
    assert [find.split(":")[2].strip() for find in lint.failures(["eng/x.py"])] == ["of which", "nobody"]
