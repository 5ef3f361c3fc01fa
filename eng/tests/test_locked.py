"""Every download is pinned: NuGet and npm by lock files, Python by constraints."""

import base64
import json
import os
import re
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from xml.etree import ElementTree

import pytest

import dotnet
import npm
import python_env
import repo
import steps

LOCKED = [project.with_name("packages.lock.json") for project in repo.locked_projects()]
REAL = repo.REAL_ZOO.with_name("packages.lock.json")
"""Each framework has its own versions there, and versions that bind only Poolscope's own programs do not count."""
NPM = sorted(folder.name for folder in npm.LOCKS.iterdir())


def entries(lock):
    for framework in json.loads(lock.read_text("utf-8"))["dependencies"].values():
        for name, entry in framework.items():
            if entry["type"] != "Project":
                yield name, entry


def test_every_project_that_takes_packages_has_a_lock_file_in_the_repository():
    """A file on disk is not enough: a restore writes missing ones."""
    listed = subprocess.run(["git", "ls-files", "*packages.lock.json"], cwd=repo.ROOT, capture_output=True, text=True)
    if listed.returncode != 0:
        pytest.skip("no git to ask")
    assert {repo.ROOT / name for name in listed.stdout.splitlines()} == set(LOCKED)


def test_projects_without_a_lock_file_take_no_package():
    """They are published for several runtimes and platforms, and a lock file would hold only one of them."""
    others = {
        file
        for folder in ("bench", "collector", "workloads", "traces")
        for file in (repo.ROOT / folder).rglob("*.csproj")
    } - set(repo.locked_projects())
    for project in others:
        text = project.read_text("utf-8")
        assert "<RestorePackagesWithLockFile>false<" in text and "PackageReference" not in text, project.name


def test_lock_files_name_one_version_of_a_package_and_its_hash():
    versions: dict[str, set[str]] = {}
    hashes: dict[tuple[str, str], set[str]] = {}
    for lock in LOCKED:
        for name, entry in entries(lock):
            if lock != REAL:
                versions.setdefault(name, set()).add(entry["resolved"])
            hashes.setdefault((name, entry["resolved"]), set()).add(entry["contentHash"])
    assert len(versions) > 10
    assert {name: found for name, found in versions.items() if len(found) > 1} == {}
    assert {name: found for name, found in hashes.items() if len(found) > 1} == {}
    assert {len(base64.b64decode(value)) for found in hashes.values() for value in found} == {64}


def test_lock_files_hold_the_versions_that_are_pinned_in_one_place():
    pinned: dict[str, set[str]] = {}
    resolved: dict[str, set[str]] = {}
    groups = ElementTree.parse(repo.ROOT / "Directory.Packages.props").iter("ItemGroup")
    # Seeds on another runtime are restored only by version (docs/dependencies.md).
    for node in (node for group in groups if "PublishedFor" not in group.get("Condition", "") for node in group):
        pinned.setdefault(node.attrib["Include"], set()).add(node.attrib["Version"])
    for lock in LOCKED:
        for name, entry in entries(lock):
            if lock != REAL or entry["type"] == "Direct":
                resolved.setdefault(name, set()).add(entry["resolved"])
    assert {name: resolved[name] for name in pinned} == pinned


def test_lock_files_name_no_server():
    assert [lock for lock in LOCKED if "://" in lock.read_text("utf-8")] == []


def test_the_build_restores_what_is_locked_and_nothing_else(monkeypatch):
    commands = {}
    monkeypatch.setattr(steps, "run", lambda name, command, **_: commands.update({name: command}))
    dotnet.build()
    assert "--locked-mode" in commands["restore"] and "--no-restore" in commands["build"]


@pytest.mark.built
@pytest.mark.parametrize("altered", [False, True])
def test_a_package_with_other_bytes_than_the_lock_file_says_ends_the_restore(tmp_path, altered):
    for name in ("global.json", "Directory.Build.props", "Directory.Packages.props"):
        shutil.copy(repo.ROOT / name, tmp_path)
    for file in (repo.VERSION, *(repo.ROOT / "traces" / "Poolscope.Tables").glob("*.*")):
        (tmp_path / file.relative_to(repo.ROOT)).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, tmp_path / file.relative_to(repo.ROOT))
    source = repo.ROOT / "workloads" / "Poolscope.Workloads"
    project = tmp_path / source.relative_to(repo.ROOT)
    project.mkdir(parents=True)
    shutil.copy(source / "Poolscope.Workloads.csproj", project)
    lock = (source / "packages.lock.json").read_text("utf-8")
    if altered:
        was = re.search('"contentHash": "(.)', lock)
        lock = lock.replace(was[0], was[0][:-1] + ("B" if was[1] == "A" else "A"))
    (project / "packages.lock.json").write_text(lock, "utf-8")
    restore = ["dotnet", "restore", str(project), "--locked-mode", *dotnet.QUIET]
    done = subprocess.run(
        restore, capture_output=True, text=True, env={**os.environ, **dotnet.environment()}, timeout=300
    )
    assert (done.returncode, "NU1403" in done.stdout) == ((1, True) if altered else (0, False)), done.stdout


@pytest.mark.parametrize("purpose", NPM)
def test_npm_packages_are_exact_and_hashed(purpose):
    asked = json.loads((npm.LOCKS / purpose / "package.json").read_text("utf-8"))["dependencies"]
    found = npm.locked(purpose)
    assert asked and asked.items() <= {name: package.version for name, package in found.items()}.items()
    for package in found.values():
        assert re.fullmatch(r"\d+\.\d+\.\d+", package.version)
        assert len(base64.b64decode(package.integrity.removeprefix("sha512-"), validate=True)) == 64


@pytest.mark.parametrize("purpose", NPM)
def test_npm_lock_files_name_no_server(purpose):
    """The registry of the lock file's author may not suit other people."""
    assert "resolved" not in npm.lock_file(purpose).read_text("utf-8")
    assert "omit-lockfile-registry-resolved=true" in (npm.LOCKS / purpose / ".npmrc").read_text("utf-8")


def test_the_constraints_pin_all_that_pip_would_install():
    pins = python_env.pins()
    named = {re.match(r"[\w.-]+", requirement)[0].lower() for requirement in python_env.requirements()}
    assert named <= set(pins)
    for text in python_env.CONSTRAINTS.read_text("utf-8").splitlines():
        assert text.startswith("#") or re.fullmatch(r'[a-z0-9.-]+==[\w.]+ ; python_version < "3\.12"', text), text
    # The indirect requirements, as far as this machine knows them.
    missing = set()
    for name in pins:
        try:
            needed = metadata.requires(name) or []
        except metadata.PackageNotFoundError:
            continue
        for text in needed:
            if "extra ==" in text or "python_version" in text or "win32" in text or "colorama" in text:
                continue
            other = re.sub(r"[-_.]+", "-", re.match(r"[\w.-]+", text)[0]).lower()
            missing |= {other} - set(pins)
    assert missing == set()


def test_the_constraints_lie_in_the_ranges_that_the_package_asks_for():
    packaging = pytest.importorskip("packaging.requirements")
    pins = python_env.pins()
    for text in python_env.requirements():
        requirement = packaging.Requirement(text)
        assert requirement.specifier.contains(pins[requirement.name.lower()]), text


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="the pins are for Python 3.11")
def test_the_constraints_are_the_versions_that_the_tests_run_with():
    """If the tests run with Debian 12's packages."""
    config = Path(sys.prefix, "pyvenv.cfg")
    if not config.is_file() or "include-system-site-packages = true" not in config.read_text("utf-8"):
        pytest.skip("this environment is not made of the distribution's packages")
    found = {}
    for name in python_env.pins():
        try:
            found[name] = metadata.version(name).split("+")[0]
        except metadata.PackageNotFoundError:
            continue
    different = {name for name, version in found.items() if python_env.pins()[name] != version}
    assert len(found) > 15 and not different
