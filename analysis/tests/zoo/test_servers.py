"""Servers start once, continue after a pause, leave each run its own part of their log, and end with the fixture."""

import signal
import subprocess

import pytest
from zoo import servers as module
from zoo.failed import RunFailed
from zoo.servers import Servers, absent


@pytest.fixture
def stub(monkeypatch):
    """Replaces nginx by a server that does nothing and counts its starts."""
    started = []

    def start(home):
        log = home / "log"
        log.write_text("before\n")
        process = subprocess.Popen(["sleep", "60"], start_new_session=True)
        started.append(process)
        return process, {"ZOO_STUB": str(len(started))}, log

    monkeypatch.setattr(module, "_nginx", start)
    monkeypatch.setattr(module, "_rabbitmq", start)
    return started


def state(process):
    with open(f"/proc/{process.pid}/stat", encoding="utf-8") as file:
        return file.read().rpartition(")")[2].split()[0]


def test_a_server_starts_when_it_is_first_needed_and_ends_with_the_fixture(stub):
    with Servers() as servers:
        assert servers.provide(()) == {} and stub == []
        assert servers.provide(("nginx",)) == servers.provide(("nginx",)) == {"ZOO_STUB": "1"}
        assert stub[0].poll() is None
    assert stub[0].poll() is not None and len(stub) == 1


def test_a_server_that_is_busy_when_idle_ends_before_the_next_program(stub):
    with Servers() as servers:
        servers.provide(("rabbitmq",))
        servers.provide(("nginx",))
        assert stub[0].poll() is not None and stub[1].poll() is None


def test_a_paused_server_goes_on_before_the_next_program(stub):
    with Servers() as servers:
        servers.provide(("nginx",))
        stub[0].send_signal(signal.SIGSTOP)
        while state(stub[0]) != "T":
            pass
        servers.provide(("nginx",))
        assert state(stub[0]) != "T"


def test_a_run_keeps_what_a_server_wrote_meanwhile(stub, tmp_path):
    with Servers() as servers:
        servers.provide(("nginx",))
        sizes = servers.sizes(("nginx",))
        with servers._log("nginx").open("a") as log:
            log.write("meanwhile\n")
        servers.keep_logs(sizes, tmp_path / "run.1")
    assert (tmp_path / "run.1.nginx.log").read_text() == "meanwhile\n"


def test_a_server_that_ends_at_once_is_a_failed_run_with_its_last_words(tmp_path):
    log = tmp_path / "log"
    process = module._start(["sh", "-c", "echo no room left; exit 1"], log)
    with pytest.raises(RunFailed, match="stub did not start: no room left"):
        module._await("stub", process, lambda: False, log)


def test_what_is_not_installed_is_named(monkeypatch):
    monkeypatch.setattr(module, "_found", lambda name, folders: None)
    assert absent(("postgres", "nginx")) == ["postgres", "nginx"] and absent(()) == []
    with pytest.raises(RunFailed, match="apt-get install"):
        module._command("postgres", ())
