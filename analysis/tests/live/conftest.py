"""Live captures of the bundled workloads, one per session and set of arguments, on a quiet machine."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
import recorded
from poolscope.base.runtimes import TESTED
from poolscope.capture import open_capture
from poolscope.product import analyse
from live.disturbed import Captures, Repeats
from live.patience import Patience

ROOT = Path(__file__).resolve().parents[3]
RELEASE = ROOT / "artifacts" / "bin"
COLLECT = RELEASE / "Poolscope.Collect" / "release" / "poolscope-collect"
WORKLOADS = RELEASE / "Poolscope.Workloads" / "release" / "poolscope-workloads"
SERVICE = RELEASE / "Poolscope.Service" / "release" / "poolscope-service"

RUNTIMES = tuple(f"net{version}.0" for version in TESTED)
"""Every runtime that can be recorded."""

DOTNET_TRACE = "10.0.750501"

CAPPED = ("trickle-v1", "--count", "100", "--max-threads", "8")
"""More items than eight threads can run, with the default minimum. Several files test other facts of these
recordings."""
FROM_THE_START = (*CAPPED, "--min-threads", "8")
"""The same with all threads available from the start."""

PATIENCE = pytest.StashKey[Patience]()
REPEATS = pytest.StashKey[Repeats]()
CAPTURES = pytest.StashKey[Captures]()


def pytest_configure(config):
    # A pytest-xdist worker runs beside another one whose recordings disturb its own. It neither waits for quiet nor
    # repeats a recording, unless a test fails.
    given = {"budget_s": 0.0} if hasattr(config, "workerinput") else {}
    config.stash[PATIENCE], config.stash[REPEATS] = Patience(**given), Repeats(**given)
    config.stash[CAPTURES] = Captures(Repeats() if given else config.stash[REPEATS])


def pytest_terminal_summary(terminalreporter, config):
    for part in (PATIENCE, REPEATS):
        if said := config.stash[part].said():
            terminalreporter.write_line(said)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    """Runs a test, and runs it again with a new recording if it failed on a disturbed one."""
    if "captured" not in pyfuncitem.fixturenames:
        return None
    arguments = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
    pyfuncitem.config.stash[CAPTURES].judge(lambda: pyfuncitem.obj(**arguments))
    return True


def published(runtime):
    """Returns the program that is recorded on every runtime. A full test run publishes it before any test records."""
    return recorded.program(runtime)


@pytest.fixture(scope="session")
def dotnet_trace(tmp_path_factory):
    """Returns the folder of dotnet-trace, installed from NuGet."""
    folder = tmp_path_factory.mktemp("dotnet-trace")
    install = ["dotnet", "tool", "install", "--tool-path", str(folder), "dotnet-trace", "--version", DOTNET_TRACE]
    done = subprocess.run(install, capture_output=True, text=True, timeout=300, cwd=folder)
    if done.returncode != 0:
        pytest.skip(f"dotnet-trace {DOTNET_TRACE} cannot be restored here: {done.stdout.strip()[-200:]}")
    return folder


@pytest.fixture(scope="session")
def until_quiet(pytestconfig):
    """Returns a function that waits for a quiet machine within the patience that all live tests share."""
    return pytestconfig.stash[PATIENCE].wait


@pytest.fixture(scope="session")
def undisturbed(pytestconfig, until_quiet):
    """undisturbed(make, own=0.0) returns the result of make() on a quiet machine; it repeats make() if other programs
    computed beside it."""

    def record(make, own=0.0):
        until_quiet()
        return pytestconfig.stash[REPEATS].record(make, own)

    return record


@pytest.fixture(scope="session")
def captured(pytestconfig, tmp_path_factory, until_quiet):
    """captured("trickle-v1", "--count", "100") returns the analysis of a live capture of that workload.

    `program` is the command whose `run` is captured. `kernel` and `snapshots` (s) are the values of these options, and
    `options` are further ones. `user` is a command that starts the collector, and with it the workload. With
    quiet=False other work on the machine may run beside it, because it does not change the result.
    """

    def capture(*arguments, program=WORKLOADS, kernel="auto", user=(), snapshots=1, options=(), quiet=True):
        def record():
            if quiet:
                until_quiet()
            parent = tmp_path_factory.mktemp("live")
            if user:
                for folder in (parent, *parent.parents[:2]):
                    folder.chmod(0o777)
            folder = parent / "capture"
            given = ["--kernel", kernel, "--snapshots", snapshots, *options, "-o", folder]
            command = [*user, COLLECT, "collect", *given, "--", program, "run", *arguments]
            result = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=400, cwd=parent)
            assert result.returncode == 0, result.stderr
            return folder

        key = (program, arguments, kernel, tuple(user), snapshots, tuple(options))
        return pytestconfig.stash[CAPTURES].get(key, record, lambda folder: analyse(open_capture(folder)))

    return capture


@pytest.fixture(scope="session")
def nobody():
    """Returns a command prefix that drops to a user without any privilege."""
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("needs root and setpriv, to become a user without privilege")
    prefix = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all", "--bounding-set=-all"]
    if subprocess.run([*prefix, "test", "-x", str(COLLECT)], check=False).returncode != 0:
        pytest.skip(f"{COLLECT} lies where other users may not read it")
    paranoid = Path("/proc/sys/kernel/perf_event_paranoid")
    if not paranoid.exists() or int(paranoid.read_text()) > 2:
        pytest.skip("this kernel allows users without privilege no perf events")
    return prefix
