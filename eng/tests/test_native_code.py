"""The native extension from setup: the same bytes each time, and no need of a newer system than the collector's."""

import ast
import re
import shutil
import subprocess

import pytest
import standalone
from poolscope import native

import native_code
import repo
import steps

made = pytest.mark.skipif(not native_code.possible(), reason="made with a C++ compiler")
NEWEST = {"GLIBCXX": (3, 4, 24), "CXXABI": (1, 3, 11)}
"""From GCC 7, the compiler of the systems with the oldest glibc (libstdc++ manual, ABI policy)."""


@made
def test_setup_made_it_of_the_sources_as_they_are_and_it_loads():
    key = steps.digest(native_code.sources(), "True")
    assert steps.is_done("native", key, [native_code.FOLDER / native_code.NAME])
    assert native.extension is not None and native.extension.__file__ == str(native_code.made())


@made
def test_it_shows_one_function_and_runs_where_the_collector_does():
    file = native_code.made()
    standalone.hold_to_glibc(file)
    found = re.findall(rb"\0(GLIBCXX|CXXABI)_([0-9.]+)", file.read_bytes())
    for name, version in found:
        assert tuple(map(int, version.split(b"."))) <= NEWEST[name.decode()]
    assert found
    told = subprocess.run(["nm", "-D", str(file)], capture_output=True, text=True, check=True).stdout.splitlines()
    shown = {line.split()[-1] for line in told if " T " in line}
    assert {name for name in shown if "throw_bad_array_new_length" not in name} == {"PyInit_extension"}


@made
def test_its_signatures_name_every_function_and_no_other():
    declared = ast.parse((native_code.FOLDER / "extension.pyi").read_text("utf-8")).body
    names = {node.name for node in declared if isinstance(node, ast.FunctionDef)}
    assert names == {name for name in vars(native.extension) if not name.startswith("_")}


@made
def test_it_asks_for_the_stable_abi_alone():
    """It contains no other Python name that begins with an underscore (Misc/stable_abi.toml of CPython)."""
    told = subprocess.run(["nm", "-D", "-u", str(native_code.made())], capture_output=True, text=True, check=True)
    asked = {line.split()[-1] for line in told.stdout.splitlines()}
    assert {name for name in asked if name.startswith("_Py")} == {"_Py_Dealloc", "_Py_NoneStruct"}


@made
def test_the_same_sources_make_the_same_bytes(tmp_path):
    assert native_code.make(tmp_path) == ""
    assert (tmp_path / native_code.NAME).read_bytes() == native_code.made().read_bytes()


@made
def test_a_compiler_that_fails_says_why(tmp_path, monkeypatch):
    broken = tmp_path / "native"
    shutil.copytree(native_code.SOURCES, broken)
    (broken / "span.hpp").write_text("no C++ at all\n")
    monkeypatch.setattr(native_code, "SOURCES", broken)
    assert "error" in native_code.make(tmp_path)
    assert not (tmp_path / native_code.NAME).exists()


@pytest.mark.parametrize(
    ("why", "line"), [("", "done"), ("no Python.h", "not made (no Python.h); Python and NumPy do")]
)
def test_setup_says_in_one_line_what_became_of_it(why, line, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(repo, "CACHE", tmp_path)
    monkeypatch.setattr(native_code, "FOLDER", tmp_path)
    monkeypatch.setattr(native_code, "make", lambda folder: why)
    monkeypatch.setattr(native_code.steps, "once", lambda name, key, outputs, work: work() or True)
    assert native_code.set_up()
    (said,) = capsys.readouterr().out.splitlines()
    assert said.startswith(f"native extension: {line}")


@pytest.mark.parametrize(("compiler", "said"), [("no-compiler-has-this-name", "no C++ compiler")])
def test_without_a_compiler_it_is_said(compiler, said, tmp_path, monkeypatch):
    monkeypatch.setenv("CXX", compiler)
    assert native_code.make(tmp_path) == said
