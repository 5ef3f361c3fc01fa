"""The contents of the packages, and that the same sources give the same bytes."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import time
import zipfile
from pathlib import Path

import pytest

import native_code
import nupkg
import pack
import repo

ANALYSIS = repo.PYPROJECT.parent
SCHEMA = "poolscope/schema.json"
BUNDLE = "poolscope/html/plotly/plotly-basic.min.js"
BUNDLE_LICENSE = "poolscope/html/plotly/LICENSE"


@pytest.fixture
def tree(tmp_path):
    """Makes the part of a repository that the Python packages need, with a small fake bundle."""
    leave_out = shutil.ignore_patterns("tests", "seeds", "__pycache__", ".*_cache", ".hypothesis")
    shutil.copytree(ANALYSIS, tmp_path / "analysis", ignore=leave_out)
    (tmp_path / "traces").mkdir()
    shutil.copy(repo.SCHEMA, tmp_path / "traces")
    fetched = tmp_path / ".cache" / "plotly"
    fetched.mkdir(parents=True)
    (fetched / "plotly-basic.min.js").write_text("code")
    (fetched / "LICENSE").write_text("MIT")
    return tmp_path


def built(analysis, *targets, extension=""):
    """Builds the packages of one source folder; only the wheel by default. `extension` is the native extension in the
    wheel; if it is None, the hook compiles one."""
    folder = analysis.parent / f"made-{time.monotonic_ns()}"
    wanted = [part for target in targets or ("wheel",) for part in ("-t", target)]
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", *wanted, "-d", str(folder)],
        cwd=analysis,
        env={
            **os.environ,
            "SOURCE_DATE_EPOCH": "1700000000",
            **({} if extension is None else {pack.EXTENSION: extension}),
        },
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return sorted(folder.iterdir())


def contents(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_the_wheel_has_every_file_of_the_package_and_what_lives_elsewhere(tree):
    found = contents(*built(tree / "analysis"))
    inside = {name for name in found if not re.match(r"poolscope-[\d.]+\.dist-info/", name)}
    sources = {
        path.relative_to(tree / "analysis").as_posix()
        for path in (tree / "analysis" / "poolscope").rglob("*")
        if path.is_file() and path.suffix != ".so"  # compiled by set-up
    }
    assert inside == sources | {SCHEMA, BUNDLE, BUNDLE_LICENSE}
    assert found[SCHEMA] == repo.SCHEMA.read_bytes()
    assert (found[BUNDLE], found[BUNDLE_LICENSE]) == (b"code", b"MIT")
    assert [name for name in found if name.endswith(".dist-info/licenses/LICENSE")]


def test_a_bundle_does_not_go_without_its_licence(tree):
    (tree / ".cache" / "plotly" / "LICENSE").unlink()
    assert not {BUNDLE, BUNDLE_LICENSE} & contents(*built(tree / "analysis")).keys()


def test_without_the_schema_nothing_is_built(tree):
    (tree / "traces" / "schema.json").unlink()
    with pytest.raises(RuntimeError, match=r"schema\.json is missing: build in a complete copy"):
        built(tree / "analysis")


def test_an_sdist_far_from_the_repository_makes_the_same_wheel(tree, tmp_path_factory):
    wheel, sdist = built(tree / "analysis", "wheel", "sdist")
    away = tmp_path_factory.mktemp("away")
    with tarfile.open(sdist) as archive:
        archive.extractall(away)
    unpacked = away / sdist.name.removesuffix(".tar.gz")
    assert not (unpacked / "tests").exists() and not (unpacked / "seeds").exists()
    ours, theirs = contents(wheel), contents(*built(unpacked))
    record = next(name for name in ours if name.endswith("/RECORD"))
    # The order of its lines is that of the files on disk.
    assert sorted(ours.pop(record).splitlines()) == sorted(theirs.pop(record).splitlines())
    assert ours == theirs


@pytest.mark.skipif(not native_code.made(), reason="made with a C++ compiler")
@pytest.mark.parametrize("source", ["tree", "sdist"])
def test_where_a_compiler_is_the_wheel_brings_the_extension_that_set_up_made(source, tree, tmp_path_factory):
    folder = tree / "analysis"
    if source == "sdist":
        (sdist,) = built(folder, "sdist")
        with tarfile.open(sdist) as archive:
            archive.extractall(away := tmp_path_factory.mktemp("away"))
        folder = away / sdist.name.removesuffix(".tar.gz")
    (wheel,) = built(folder, extension=None)
    assert f"-{native_code.TAG}-linux_" in wheel.name
    assert contents(wheel)[f"poolscope/native/{native_code.NAME}"] == native_code.made().read_bytes()


def test_without_a_compiler_the_wheel_is_for_any_platform(tree, monkeypatch):
    monkeypatch.setenv("CXX", "no-compiler-has-this-name")
    (wheel,) = built(tree / "analysis", extension=None)
    assert wheel.name.endswith("-py3-none-any.whl") and not [name for name in contents(wheel) if name.endswith(".so")]


def test_the_same_sources_make_the_same_bytes(tree):
    first = built(tree / "analysis", "wheel", "sdist")
    for file in (tree / "analysis").rglob("*"):
        os.utime(file, (1, 1))
    again = built(tree / "analysis", "wheel", "sdist")
    assert [file.read_bytes() for file in first] == [file.read_bytes() for file in again]
    (tree / "analysis" / "poolscope" / "units.py").write_text("changed = True\n")
    assert built(tree / "analysis")[0].read_bytes() != again[0].read_bytes()


def test_a_nuget_package_carries_the_given_time_only(tmp_path):
    for number, when in enumerate([(2026, 1, 2, 3, 4, 6), (2026, 5, 6, 7, 8, 10)]):
        with zipfile.ZipFile(tmp_path / f"{number}.nupkg", "w") as archive:
            for name in ("b.dll", "a.nuspec"):
                archive.writestr(zipfile.ZipInfo(name, when), name * 100)
        nupkg.settle(tmp_path / f"{number}.nupkg", 1_700_000_000)
    assert (tmp_path / "0.nupkg").read_bytes() == (tmp_path / "1.nupkg").read_bytes()
    with zipfile.ZipFile(tmp_path / "0.nupkg") as archive:
        assert [(e.filename, e.date_time) for e in archive.infolist()] == [
            ("b.dll", (2023, 11, 14, 22, 13, 20)),
            ("a.nuspec", (2023, 11, 14, 22, 13, 20)),
        ]
        assert archive.read("a.nuspec") == b"a.nuspec" * 100
    assert sorted(file.name for file in tmp_path.iterdir()) == ["0.nupkg", "1.nupkg"]


def test_a_time_before_zip_is_the_earliest_that_it_has(tmp_path):
    with zipfile.ZipFile(tmp_path / "p.nupkg", "w") as archive:
        archive.writestr("a", "b")
    nupkg.settle(tmp_path / "p.nupkg", 0)
    with zipfile.ZipFile(tmp_path / "p.nupkg") as archive:
        assert archive.infolist()[0].date_time == (1980, 1, 1, 0, 0, 0)


def test_packages_carry_the_commits_time_or_the_one_that_is_given(monkeypatch):
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    asked = []
    monkeypatch.setattr(pack, "_git", lambda *arguments: asked.append(arguments) or "1234567890")
    assert pack.epoch() == "1234567890" and asked == [("log", "-1", "--format=%ct")]
    monkeypatch.setattr(pack, "_git", lambda *_: "")
    assert pack.epoch() == "315532800"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "42")
    assert pack.epoch() == "42"


def test_the_version_is_one_that_both_package_worlds_read_alike():
    """PEP 440 and SemVer write a pre-release differently, and the .NET build reads digits and dots."""
    text = repo.VERSION.read_text()
    assert re.findall(r'^__version__ = "(\d+\.\d+\.\d+)"$', text, re.MULTILINE)
    elsewhere = [
        file for file in repo.VERSION.parent.rglob("*.py") if re.search("^__version__ = ", file.read_text(), re.M)
    ]
    assert elsewhere == [repo.VERSION]


def test_the_package_has_the_repositorys_licence():
    assert (ANALYSIS / "LICENSE").read_bytes() == (repo.ROOT / "LICENSE").read_bytes()


@pytest.mark.parametrize(("fetched", "changes"), [(True, ""), (False, ""), (True, " M LICENSE")])
def test_what_a_person_is_told(tmp_path, monkeypatch, fetched, changes):
    made = [tmp_path / "poolscope-1.2.3-py3-none-any.whl", tmp_path / "poolscope-collect.1.2.3.nupkg"]
    made[0].write_bytes(b"w" * 1_200_000)
    made[1].write_bytes(b"n" * 340_000)
    bundle = tmp_path / "bundle.js"
    if fetched:
        bundle.touch()
    monkeypatch.setattr(pack.plotly_bundle, "BUNDLE", bundle)
    monkeypatch.setattr(pack, "_git", lambda *_: changes)
    lines = pack.told(made, {"linux-arm64": "nobody has it"})
    assert lines[:3] == [
        "pack: artifacts/pack/",
        "  poolscope-1.2.3-py3-none-any.whl   1.2 MB",
        "  poolscope-collect.1.2.3.nupkg      0.3 MB",
    ]
    assert "  without the collector for linux-arm64: nobody has it" in lines
    assert any("without the small plotly.js" in line for line in lines) != fetched
    assert any("no commit has" in line for line in lines) == bool(changes)
    assert lines[-3:] == [
        "  pip install artifacts/pack/poolscope-1.2.3-py3-none-any.whl",
        "  dotnet tool install --global --source artifacts/pack poolscope-collect",
        "  dotnet tool install --global --source artifacts/pack poolscope-workloads",
    ]


def test_wheels_that_bring_the_collector_are_told_last(tmp_path):
    made = [tmp_path / f"poolscope-1.2.3-py3-none-{tag}.whl" for tag in ("manylinux_2_27_x86_64", "any")]
    for file in made:
        file.touch()
    assert pack.told(made, {})[-2:] == [
        "or, with the collector inside and without .NET:",
        f"  pip install artifacts/pack/{made[0].name}",
    ]


def test_the_sources_that_git_is_asked_about_are_there():
    for path in pack.SOURCES:
        assert path.startswith(":(") or (repo.ROOT / Path(path)).exists()
