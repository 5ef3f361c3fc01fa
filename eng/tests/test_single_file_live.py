"""The collector as one file with nothing else: an empty root, and a read-only root.

The roots consist of the program, the libraries and the mounts that docs/containers.md lists.
"""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

import packed
import repo
import sbom
from command_matrix import RECORDERS, helps, of_process, options, recorders

pytestmark = [pytest.mark.built, pytest.mark.skipif(sys.platform != "linux", reason="captures are taken on Linux")]

PROGRAM = "poolscope-collect"
SYSTEM = Path("/usr/lib")
SSL = ("libssl.so.3", "libssl.so.1.1")
TICKET = ["run", "ticket", "--count", "200", "--work-ms", "1000"]
"""Outlives every recording here: a pool that grows by a thread a second."""

STARVED = ("injection-delay", "gate-suppressed-by-progress")

EMPTY = """set -e
mount --bind "$0" "$0"; cd "$0"; mkdir -p proc sys
mount -t proc proc proc; mount --rbind /sys sys
exec env -i "$(command -v chroot)" . "$@"
"""
READ_ONLY = """set -e
out="$1"; shift
mount --bind "$0" "$0"; cd "$0"; mkdir -p proc tmp
mount -t proc proc proc; mount -t tmpfs -o size=16m none tmp
mount -o remount,bind,ro .
! touch written 2>/dev/null
env -i "$(command -v chroot)" . "$@"
ls -A tmp >"$out/left"; cp -r tmp/capture "$out"
"""


@pytest.fixture(scope="module")
def program():
    if platform.machine() != "x86_64":
        pytest.skip("this machine has another processor")
    if os.geteuid() != 0 or subprocess.run(["unshare", "--mount", "true"], check=False).returncode != 0:
        pytest.skip("needs root and mount namespaces")
    name = f"{PROGRAM}-{sbom.version()}-linux-x64"
    (found,) = [file for file in packed.files() if file.name == name]
    return found


@pytest.fixture(scope="module")
def bare(program):
    """Makes a folder with the program and the libraries that it names, and nothing else."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copy(program, folder / PROGRAM)
        bring(folder, program)
        yield folder


@pytest.fixture
def root(bare):
    """Makes the same with OpenSSL, which the program loads while it runs."""
    ssl = next((path for path in sorted(SYSTEM.glob("*/libssl.so*")) if path.name in SSL), None)
    if ssl is None:
        pytest.skip("this machine has no OpenSSL to bring")
    (bare / ssl.relative_to("/")).parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(ssl, bare / ssl.relative_to("/"))
    bring(bare, ssl)
    return bare


def bring(root, file):
    """Copies the libraries that a program or library names to the places where the loader looks."""
    for library in re.findall(r"(/\S+) \(0x", packed.run("ldd", file)):
        (root / library[1:]).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(library, root / library[1:])


@contextmanager
def target():
    """Yields the pid of a starving program outside the root."""
    with subprocess.Popen([str(repo.WORKLOADS), *TICKET], stdout=subprocess.DEVNULL) as process:
        try:
            time.sleep(2)
            assert process.poll() is None
            yield process.pid
        finally:
            process.kill()


def inside(script, *words):
    return packed.run("unshare", "--mount", "sh", "-c", script, *words)


def everything(root):
    """Returns every file below a root, except recordings, with the time of its last change."""
    files = [path for path in root.rglob("*") if path.is_file() and "out" not in path.relative_to(root).parts]
    return {str(path): path.stat().st_mtime_ns for path in files}


def verdict(capture):
    """Returns the analysis and verdict of the repository's own commands, which have .NET and Python."""
    told = packed.run(repo.venv_python(), "-m", "poolscope", "attribute", capture, "--json", cwd=repo.PYPROJECT.parent)
    return json.loads(told)["verdict"]["id"]


def test_without_openssl_only_decoding_is_refused(bare):
    """This is the first test, because the others copy OpenSSL into the folder."""
    with target() as pid:
        record = [f"/{PROGRAM}", "collect", "-p", pid, "--duration", "2", "-o", "/out/raw"]
        with pytest.raises(AssertionError, match="poolscope-collect: OpenSSL .* is not installed here.*--no-decode"):
            inside(EMPTY, bare, *record)
        assert not (bare / "out").exists(), "refused before anything is recorded"
        inside(EMPTY, bare, *record, "--no-decode")
    raw = bare / "out" / "raw"
    assert [r["stream"] for r in json.loads((raw / "capture.json").read_text())["refused"]] == ["counters"]
    with pytest.raises(AssertionError, match="poolscope-collect: OpenSSL .* decode it there"):
        inside(EMPTY, bare, f"/{PROGRAM}", "decode", "/out/raw")
    packed.run(repo.COLLECT, "decode", raw)
    assert (raw / "tables" / "work_items.npz").is_file()


def test_in_an_empty_root_it_records_and_writes_nothing_else(root):
    before = everything(root)
    with target() as pid:
        inside(EMPTY, root, f"/{PROGRAM}", "collect", "-p", pid, "--duration", "3", "-o", "/out/capture")
    assert everything(root) == before
    captured = json.loads((root / "out" / "capture" / "capture.json").read_text())
    assert captured["status"] == "complete" and captured["target"]["pid"] == pid
    assert {s["file"] for s in captured["streams"]} >= {"runtime.nettrace", "sched.perf.data"}
    assert verdict(root / "out" / "capture") in STARVED


def test_on_a_read_only_root_it_needs_only_room_for_the_capture(root, tmp_path):
    out = tmp_path / "brought-back"
    out.mkdir()
    record = [f"/{PROGRAM}", "collect", "--no-decode", "--max-size", "12MB", "--duration", "3", "-o", "/tmp/capture"]
    with target() as pid:
        inside(READ_ONLY, root, out, *record, "-p", pid)
    assert (out / "left").read_text().split() == ["capture"], "beside the capture nothing stays in /tmp"
    assert not (out / "capture" / "tables").exists()
    packed.run(repo.COLLECT, "decode", out / "capture")
    assert (out / "capture" / "tables" / "work_items.npz").is_file()


def test_without_sys_it_says_what_is_missing_and_still_records(root):
    script = EMPTY.replace("mount --rbind /sys sys\n", "\n")
    with target() as pid:
        inside(script, root, f"/{PROGRAM}", "collect", "-p", pid, "--duration", "2", "-o", "/out/without-sys")
    captured = json.loads((root / "out" / "without-sys" / "capture.json").read_text())
    assert [refused["stream"] for refused in captured["refused"]] == ["sched"]
    assert {s["file"] for s in captured["streams"]} >= {"runtime.nettrace", "sched.perf.data"}


def test_every_verb_with_help_wrong_input_and_json(root):
    """The matrix of both commands, as far as it needs no Python, under the file's own name. No program is started,
    because an empty root has no other one."""
    with target() as pid:
        rows = [*helps(RECORDERS), *options(RECORDERS), *recorders(False), *of_process(pid)]
        for row in [row for row in rows if "--" not in row.words]:
            words = ["unshare", "--mount", "sh", "-c", EMPTY, str(root), f"/{PROGRAM}", *row.words]
            done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
            row.judge(PROGRAM, done.returncode, done.stdout, done.stderr)
