"""Live captures of the bundled workloads, one per session and set of arguments, on a quiet machine."""

import os
import resource
import shutil
import subprocess
import time
from pathlib import Path

import pytest
import recorded
from poolscope.base.runtimes import TESTED
from poolscope.capture import open_capture
from poolscope.product import analyse
from live.patience import Patience

ROOT = Path(__file__).resolve().parents[3]
RELEASE = ROOT / "artifacts" / "bin"
COLLECT = RELEASE / "Poolscope.Collect" / "release" / "poolscope-collect"
WORKLOADS = RELEASE / "Poolscope.Workloads" / "release" / "poolscope-workloads"
SERVICE = RELEASE / "Poolscope.Service" / "release" / "poolscope-service"

RUNTIMES = tuple(f"net{version}.0" for version in TESTED)
"""Every runtime that can be recorded."""

STRANGERS = 0.2
"""Cores that everybody else held during a recording: above it, what was recorded is not what the test is about."""
ATTEMPTS = 3


def others_s():
    """Core time of everybody but the processes that we started and that have ended, s. Time that the host took counts too."""
    user, nice, system, _, _, irq, softirq, steal = map(int, Path("/proc/stat").read_text().split()[1:9])
    busy = (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return busy - sum(usage.ru_utime + usage.ru_stime for usage in (own, children))


DOTNET_TRACE = "10.0.750501"

PATIENCE = pytest.StashKey[Patience]()


def pytest_configure(config):
    config.stash[PATIENCE] = Patience()


def pytest_terminal_summary(terminalreporter, config):
    if said := config.stash[PATIENCE].said():
        terminalreporter.write_line(said)


def published(runtime):
    """The program that is recorded on every runtime. A whole run of the tests published it before any test records."""
    return recorded.program(runtime)


@pytest.fixture(scope="session")
def dotnet_trace(tmp_path_factory):
    """The folder of dotnet-trace, from NuGet."""
    folder = tmp_path_factory.mktemp("dotnet-trace")
    install = ["dotnet", "tool", "install", "--tool-path", str(folder), "dotnet-trace", "--version", DOTNET_TRACE]
    done = subprocess.run(install, capture_output=True, text=True, timeout=300, cwd=folder)
    if done.returncode != 0:
        pytest.skip(f"dotnet-trace {DOTNET_TRACE} cannot be restored here: {done.stdout.strip()[-200:]}")
    return folder


@pytest.fixture(scope="session")
def until_quiet(pytestconfig):
    """until_quiet() waits for the machine, as long as the patience of all live tests together lasts."""
    return pytestconfig.stash[PATIENCE].wait


@pytest.fixture(scope="session")
def captured(tmp_path_factory, until_quiet):
    """captured("trickle-v1", "--count", "100") -> the analysis of a live capture of that workload.

    `program` is the command whose `run` is captured, `kernel` --kernel, `snapshots` --snapshots (s), `options` further ones;
    `user` is a command that the collector, and with it the workload, is started through; quiet=False where other work on
    the machine does not change what is shown.
    """
    done = {}

    def capture(*arguments, program=WORKLOADS, kernel="auto", user=(), snapshots=1, options=(), quiet=True):
        key = (program, arguments, kernel, tuple(user), snapshots, tuple(options), quiet)
        for attempt in range(1, ATTEMPTS + 1):
            if key in done:
                break
            if quiet:
                until_quiet()
            parent = tmp_path_factory.mktemp("live")
            if user:
                for folder in (parent, *parent.parents[:2]):
                    folder.chmod(0o777)
            folder = parent / "capture"
            given = ["--kernel", kernel, "--snapshots", snapshots, *options, "-o", folder]
            command = [*user, COLLECT, "collect", *given, "--", program, "run", *arguments]
            others, begun = others_s(), time.monotonic()
            result = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=400, cwd=parent)
            assert result.returncode == 0, result.stderr
            disturbed = others_s() - others > STRANGERS * (time.monotonic() - begun)
            if not (quiet and disturbed) or attempt == ATTEMPTS:
                done[key] = analyse(open_capture(folder))
        return done[key]

    return capture


@pytest.fixture(scope="session")
def nobody():
    """A command prefix that drops to a user without any privilege."""
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("needs root and setpriv, to become a user without privilege")
    prefix = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all", "--bounding-set=-all"]
    if subprocess.run([*prefix, "test", "-x", str(COLLECT)], check=False).returncode != 0:
        pytest.skip(f"{COLLECT} lies where other users may not read it")
    paranoid = Path("/proc/sys/kernel/perf_event_paranoid")
    if not paranoid.exists() or int(paranoid.read_text()) > 2:
        pytest.skip("this kernel allows users without privilege no perf events")
    return prefix
