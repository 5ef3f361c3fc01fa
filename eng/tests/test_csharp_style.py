"""The two rules of C# style that no build checks."""

from pathlib import Path

import pytest

import csharp_style
import repo


def faults(text):
    return [fault.line for fault in csharp_style.in_text(text, Path("a.cs"))]


@pytest.mark.parametrize("text", [
    "using System;\nusing System.Text;\nusing Alpha;\nusing static Alpha.Beta;\nusing A = System.Text;\n\nnamespace N;\n",
    "global using Xunit;\nusing System;\n",
    "using System.IO;\nusing Poolscope.Decode;\nusing Poolscope.Decode.Events;\n",
    "    public static int Twice(this int value) => 2 * value;\n",
    "    log.Say(\"this.that\"); // this.other\n",
])  # fmt: skip
def test_style_as_it_is_to_be(text):
    assert faults(text) == []


@pytest.mark.parametrize(("text", "lines"), [
    ("using System.Text;\nusing System;\n", [2]),
    ("using Alpha;\nusing System;\n", [2]),
    ("using static Alpha.Beta;\nusing Gamma;\n", [2]),
    ("\ufeffusing Beta;\nusing alpha;\n", [2]),
    ("class C\n{\n    int F() => this.value;\n}\n", [3]),
])  # fmt: skip
def test_faults_are_found(text, lines):
    assert faults(text) == lines


def test_a_fault_says_where_and_what(tmp_path, monkeypatch):
    monkeypatch.setattr(repo, "ROOT", tmp_path)
    (tmp_path / "a.cs").write_text("using B;\nusing A;\n")
    (tmp_path / "a.py").write_text("this.x")
    (fault,) = csharp_style.in_repository(["a.cs", "a.py", "gone.cs"])
    assert str(fault) == "a.cs:2: `using A` belongs before `using B`"
