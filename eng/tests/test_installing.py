"""Installs the output of `./build.sh pack` like a user who has only those files.

The commands are those that the verb prints. If the Python package index does not answer (the repository's own
environment then uses Debian's packages), pip finds the same packages there and queries no index.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shlex
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import debian
import dotnet
import native_code
import packed
import repo
import zoo_runs
from command_matrix import RECORDERS, answers, helps, of_captures, of_process, options, readers, recorders
from packed import run

pytestmark = [pytest.mark.built, pytest.mark.skipif(sys.platform != "linux", reason="captures are taken on Linux")]

GOLDEN = repo.ROOT / "traces" / "golden" / "healthy.zip"


def fail_or_skip(why):
    say: Any = pytest.fail if os.environ.get("CI", "").lower() in ("true", "1") else pytest.skip
    say(why)


@pytest.fixture(scope="module")
def told():
    """Returns the verb's output as (packages, install commands), both as lines without their indentation."""
    out = list(packed.said())
    at, install = out.index("pack: artifacts/pack/"), out.index("install (docs/installing.md):")
    whole = next((number for number, line in enumerate(out) if line.startswith("or, with the collector")), len(out))
    return [line.strip() for line in out[at + 1 : install]], [line.strip() for line in out[install + 1 : whole]]


@pytest.fixture(scope="module")
def package():
    """package("-any.whl") returns the only package whose name ends or begins with this."""
    files = [file for file in packed.files() if file.name.endswith((".whl", ".gz", ".nupkg"))]

    def find(part):
        (found,) = [file for file in files if file.name.endswith(part) or file.name.startswith(part)]
        return found

    return find


class Person:
    """A user with an empty home and an own environment, in an empty folder."""

    def __init__(self, folder: Path):
        self.home, self.here, self.venv = folder / "home", folder / "here", folder / "venv"
        for new in (self.home, self.here):
            new.mkdir()
        config = (repo.VENV / "pyvenv.cfg").read_text()
        self.from_debian = "include-system-site-packages = true" in config
        if self.from_debian:
            make = [debian.PYTHON, "-m", "venv", "--system-site-packages"]
        else:
            make = [getattr(sys, "_base_executable"), "-m", "venv"]
        done = subprocess.run([*map(str, make), str(self.venv)], capture_output=True, text=True)
        if done.returncode != 0:
            fail_or_skip(f"this Python makes no environment with pip: {done.stdout}{done.stderr}")
        path = [self.venv / "bin", self.home / ".dotnet" / "tools", Path(shutil.which("dotnet")).parent]
        self.env = {
            "PATH": os.pathsep.join(map(str, [*path, "/usr/bin", "/bin"])),
            "HOME": str(self.home),
            **dotnet.environment(),
        }

    def does(self, *command, cwd=None):
        return run(*command, cwd=cwd or self.here, env=self.env)

    def pip(self, *arguments, cwd=None):
        """Runs pip with the machine's own index settings, or without an index if it does not answer."""
        mine = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
        offline = arguments[0] == "install" and self.from_debian
        # Without an index pip cannot fetch hatchling either; Debian's is installed.
        extra = ["--no-index", "--no-build-isolation"] if offline else []
        return run(self.venv / "bin" / "python", "-m", "pip", *arguments, *extra, cwd=cwd or self.here, env=mine)

    def site(self) -> dict[str, str]:
        """Returns every file of the environment except pip's own and compiled ones, with a hash of its bytes."""
        files = [path for path in self.venv.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
        # pip records where a package came from, so these files may differ.
        notes = ("RECORD", "direct_url.json", "INSTALLER", "REQUESTED")
        files = [path for path in files if not (path.parent.name.startswith("poolscope-") and path.name in notes)]
        return {str(p.relative_to(self.venv)): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}

    @contextmanager
    def having(self, *what, cwd=None):
        """Installs the Python package from `what`; afterwards no file of it may remain."""
        before = self.site()
        self.pip("install", *what, cwd=cwd)
        try:
            yield {name: digest for name, digest in self.site().items() if before.get(name) != digest}
        finally:
            self.pip("uninstall", "--yes", "poolscope")
        left = self.site()
        assert {name for name in left if "poolscope" in name} == set()
        if self.from_debian:
            assert left == before


@pytest.fixture(scope="module")
def person(tmp_path_factory):
    return Person(tmp_path_factory.mktemp("person"))


@pytest.fixture(scope="module")
def wheel(told):
    """Returns the wheel's path in the printed `pip install`, from the repository's root."""
    pip, install, name = shlex.split(told[1][0])
    assert (pip, install) == ("pip", "install")
    return name


@pytest.fixture(scope="module")
def wheel_files(wheel, person):
    with person.having(wheel, cwd=repo.ROOT) as files:
        return files


def test_a_page_of_the_installed_package_is_the_repositorys_own(wheel, person, tmp_path):
    with zipfile.ZipFile(GOLDEN) as archive:
        archive.extractall(tmp_path / "capture")
    with person.having(wheel, cwd=repo.ROOT):
        more: list[list[str]] = [[], ["--redact"]]
        for options in more:
            person.does("poolscope", "report", tmp_path / "capture", "-o", tmp_path / "theirs.html", *options)
            report = [repo.venv_python(), "-m", "poolscope", "report", tmp_path / "capture"]
            run(*report, "-o", tmp_path / "ours.html", *options, cwd=repo.PYPROJECT.parent)
            assert (tmp_path / "theirs.html").read_bytes() == (tmp_path / "ours.html").read_bytes()
        assert "100 of 100 items joined" in person.does("poolscope", "verify", tmp_path / "capture")
        assert person.does("python", "-m", "poolscope", "--help") == person.does("poolscope", "--help")


@pytest.mark.parametrize("source", ["analysis", "sdist"])
def test_every_way_to_install_gives_the_same_files(source, wheel_files, package, person):
    """Except for the native extension, which is compiled if possible, and its mention in the metadata."""
    with person.having("./analysis" if source == "analysis" else package(".tar.gz"), cwd=repo.ROOT) as files:
        own = {name for name in files if name.endswith(native_code.NAME)}
        assert len(own) == (native_code.made() is not None)
        differing = {name for name in files if name.endswith(".dist-info/WHEEL")} | own
        left = {name: digest for name, digest in wheel_files.items() if name not in differing}
        assert {name: digest for name, digest in files.items() if name not in differing} == left
    assert len([name for name in files if name.endswith("/schema.json")]) == 1
    assert not (repo.ROOT / "analysis" / "build").exists() and not (repo.ROOT / "analysis" / "dist").exists()


def test_the_notices_name_all_work_of_others(package):
    notices = (repo.ROOT / "THIRD-PARTY-NOTICES.txt").read_text()
    for tool in ("poolscope-collect.", "poolscope-workloads."):
        with zipfile.ZipFile(package(tool)) as archive:
            names = archive.namelist()
            assert archive.read("THIRD-PARTY-NOTICES.txt").decode() == notices
            assert archive.read("LICENSE") == (repo.ROOT / "LICENSE").read_bytes()
        others = {Path(name).stem for name in names if name.endswith((".dll", ".so"))}
        others = {name for name in others if not name.lower().startswith("poolscope")}
        assert others and not [name for name in others if name not in notices]


def test_no_package_tells_where_it_was_made(package):
    place = str(repo.ROOT).encode()
    for part in ("-any.whl", "_x86_64.whl", "poolscope-collect.", "poolscope-workloads."):
        with zipfile.ZipFile(package(part)) as archive:
            telling = [name for name in archive.namelist() if place in archive.read(name)]
        assert telling == []


def test_without_the_sdk_the_unzipped_packages_capture(package, person):
    for name in ("poolscope-collect", "poolscope-workloads"):
        with zipfile.ZipFile(package(f"{name}.")) as archive:
            archive.extractall(person.here / name)
    collect, workloads = (
        ["dotnet", f"{name}/tools/net10.0/any/{name}.dll"] for name in ("poolscope-collect", "poolscope-workloads")
    )
    ticket = [*workloads, "run", "ticket", "--count", "8", "--work-ms", "100"]
    person.does(*collect, "collect", "-o", "unzipped", "--", *ticket)
    captured = json.loads((person.here / "unzipped" / "capture.json").read_text())
    assert captured["status"] == "complete" and captured["target"]["exit_code"] == 0
    assert (person.here / "unzipped" / "truth.npz").is_file()


def test_the_installed_tools_capture_and_the_installed_command_explains(told, wheel, package, person):
    version = package("-any.whl").name.split("-")[1]
    for command in told[1][1:]:
        person.does(*shlex.split(command), cwd=repo.ROOT)
    with person.having(wheel, cwd=repo.ROOT):
        assert person.does("poolscope", "--version").strip() == version
        for tool in ("poolscope-collect", "poolscope-workloads"):
            assert person.does(tool, "--version").strip().split("+")[0] == version
        # The workload starts a slow server: another process of the same program.
        ticket = ["poolscope-workloads", "run", "ticket", "--count", "20", "--work-ms", "200"]
        person.does("poolscope-collect", "collect", "-o", "capture", "--", *ticket)
        assert "20 of 20 items joined" in person.does("poolscope", "verify", "capture")
        person.does("poolscope", "report", "capture")
        assert (person.here / "capture.html").read_text().startswith("<!DOCTYPE html>")
        analysis = json.loads(person.does("poolscope", "attribute", "capture", "--json"))
    assert analysis["items"]["count"] == 20
    # 4 threads take 200 ms for each of 20 items: the last one waits for about a second.
    assert analysis["items"]["wait_ms"]["max"] > 400
    captured = json.loads((person.here / "capture" / "capture.json").read_text())
    assert captured["tool"] == {"name": "poolscope-collect", "version": version, "pid": captured["tool"]["pid"]}
    assert captured["tool"]["pid"] not in (0, captured["target"]["pid"])
    assert captured["target"]["name"] == "poolscope-workloads" and captured["status"] == "complete"
    for tool in ("poolscope-collect", "poolscope-workloads"):
        person.does("dotnet", "tool", "uninstall", "--global", tool)
    assert list((person.home / ".dotnet" / "tools").glob("poolscope*")) == []


def test_the_wheel_of_this_platform_is_everything(package, person):
    """Without a .NET tool: one `pip install` gives record, page and verdict."""
    if platform.machine() != "x86_64":
        pytest.skip("this machine has another processor")
    program = zoo_runs.PUBLISHED / "net10.0" / "zoo"
    zoo_runs.publish(("net10.0",))
    bare = {"PATH": os.pathsep.join([str(person.venv / "bin"), "/usr/bin", "/bin"]), "HOME": str(person.home)}
    assert shutil.which("poolscope-collect", path=bare["PATH"]) is None
    with person.having("--no-deps", package("_x86_64.whl")):
        record = [person.venv / "bin" / "poolscope", "record", "--capture", "whole", "-o", "whole.html"]
        said = run(*record, "--", program, "customer-database", "--seconds", "3", cwd=person.here, env=bare)
        ask = "from poolscope.native import extension; print(extension)"
        told = run(person.venv / "bin" / "python", "-P", "-c", ask, cwd=person.here, env=bare)
        assert (native_code.NAME in told) == (native_code.made() is not None), told
    page = (person.here / "whole.html").read_text()
    assert page.startswith("<!DOCTYPE html>") and "verdict" in said.lower()
    captured = json.loads((person.here / "whole" / "capture.json").read_text())
    assert captured["status"] == "complete" and captured["target"]["name"] == "zoo"


@contextmanager
def running(command):
    """Yields the pid of a program that runs for the length of the block; the processes that it started end with it."""
    started, none = list(map(str, command)), subprocess.DEVNULL
    with subprocess.Popen(started, start_new_session=True, stdout=none, stderr=none) as process:
        try:
            time.sleep(2)
            assert process.poll() is None
            yield process.pid
        finally:
            os.killpg(process.pid, signal.SIGKILL)


def test_every_verb_of_the_wheel_with_help_wrong_input_and_json(package, person):
    """The matrix of both commands, in an empty home and without .NET on PATH."""
    if platform.machine() != "x86_64":
        pytest.skip("this machine has another processor")
    zoo_runs.publish(("net10.0",))
    env = {"PATH": os.pathsep.join([str(person.venv / "bin"), "/usr/bin", "/bin"]), "HOME": str(person.home)}
    for name, golden in (("slow", "injection-delay"), ("well", "healthy")):
        with zipfile.ZipFile(GOLDEN.with_name(f"{golden}.zip")) as archive:
            archive.extractall(person.here / name)
    # The test kills it, which may take minutes on a busy machine.
    program = [zoo_runs.PUBLISHED / "net10.0" / "zoo", "customer-database", "--seconds", "1800"]
    with person.having("--no-deps", package("_x86_64.whl")), running(program) as pid:
        reading = ["report", "attribute", "whatif", "compare", "fleet", "check", "export", "verify"]
        every = ["record", *reading, *RECORDERS]
        record = answers(f"record -p {pid} --duration 2s --capture recorded -o recorded.html --json", 0, 4)
        rows = [*helps(every), *options(every), *readers(reading), *recorders(True), *of_captures("slow", "well")]
        for row in [*rows, *of_process(pid), record]:
            command = [person.venv / "bin" / "poolscope", *row.words]
            done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=person.here, env=env)
            row.judge("poolscope", done.returncode, done.stdout, done.stderr)
