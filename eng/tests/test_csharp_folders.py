"""Folders of a C# project do not use one another in a cycle: each can be read before those that depend on it."""

import pytest
import csharp_folders
import repo

PROJECTS = csharp_folders.projects(repo.ROOT)


def write(folder, **files):
    for name, text in files.items():
        place = folder.joinpath(*name.split("__")).with_suffix(".cs")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return csharp_folders.uses(folder)


def test_every_project_is_looked_at():
    assert {"Poolscope.Collect", "Poolscope.Decode", "Poolscope.PerfEvents", "Poolscope.Workloads"} <= {
        p.name for p in PROJECTS
    }


@pytest.mark.parametrize("project", PROJECTS, ids=lambda path: path.name)
def test_no_folder_uses_another_that_uses_it(project):
    uses = csharp_folders.uses(project)
    why = [
        f"{folder} -> {other} ({', '.join(sorted(reasons)[:3])})"
        for group in csharp_folders.cycles(uses)
        for folder in group
        for other, reasons in sorted(uses[folder].items())
        if other in group
    ]
    assert not why


def test_a_circle_is_found(tmp_path):
    uses = write(
        tmp_path,
        A__One="using P.B;\nnamespace P.A;\ninternal sealed class One(Two two);",
        B__Two="namespace P.B;\npublic record Two(int X);",
        C__Three="namespace P.C;\nstatic class Three { string Name => nameof(B.Two); }",
    )
    assert not csharp_folders.cycles(uses)
    uses = write(tmp_path, B__Four="namespace P.B;\nenum Four { Last = C.Three.Most }")
    assert csharp_folders.cycles(uses) == [["B", "C"]]


def test_a_type_of_the_project_itself_is_seen_without_a_using(tmp_path):
    uses = write(
        tmp_path,
        Top="using P.A;\nnamespace P;\nclass Top { One one; }",
        A__One="namespace P.A;\nclass One { Top top; }",
    )
    assert csharp_folders.cycles(uses) == [[".", "A"]]


@pytest.mark.parametrize(
    "use",
    [
        "using Pair = P.B.Two;\nnamespace P.A;\nclass One { Pair pair; }",
        "using static P.B.Two;\nnamespace P.A;\nclass One { int X => Limit; }",
        "using P.B;\nnamespace P.A;\n[Marked] class One;",
        "using P.B;\nnamespace P.A;\nclass One { int X => 3.Twice(); }",
        # The compiler leaves no trace of these for a check of the assembly.
        "using P.B;\nnamespace P.A;\nclass One { int X => Two.Limit; }",
        "using P.B;\nnamespace P.A;\nclass One { int X => (int)Colour.Red; }",
        "using P.B;\nnamespace P.A;\nclass One { string X => nameof(Two); }",
        "using P.B;\nnamespace P.A;\nclass One { void X() { try { Y(); } catch (Two) { } } }",
    ],
)
def test_a_use_is_seen_however_it_is_written(tmp_path, use):
    two = (
        "namespace P.B;\nclass Two : Exception { const int Limit = 7; }\nenum Colour { Red }\nclass MarkedAttribute;\n"
    )
    two += "static class Whole { public static int Twice(this int of) => of * 2; }"
    assert set(write(tmp_path, A__One=use, B__Two=two)["A"]) == {"B"}


def test_comments_and_texts_and_names_that_cannot_be_seen_count_for_nothing(tmp_path):
    uses = write(
        tmp_path,
        A__One='namespace P.A;\n/// <summary><see cref="Two"/></summary>\nclass One { string text = "Two"; int Two; }',
        B__Two="using P.A;\nnamespace P.B;\nclass Two : One;",
    )
    assert uses == {"A": {}, "B": {"A": {"Two.cs: One"}}}
