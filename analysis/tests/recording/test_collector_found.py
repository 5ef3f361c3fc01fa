"""Where `record` looks for the collector, and what it says without one."""

import shutil

from poolscope.__main__ import run
from poolscope.recording import find_collector


def test_the_collector_on_path_is_found(tmp_path, monkeypatch):
    program = tmp_path / "poolscope-collect"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.delenv("POOLSCOPE_COLLECT", raising=False)
    monkeypatch.setattr("poolscope.recording.collector._places", lambda: iter(()))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_collector() == program


def test_without_a_collector_the_command_that_installs_it_is_said(tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("POOLSCOPE_COLLECT", raising=False)
    monkeypatch.setattr("poolscope.recording.collector._places", lambda: iter(()))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    assert run(["record", "-p", "1"]) == 3
    assert "dotnet tool install" in capsys.readouterr().err
    assert shutil.which("poolscope-collect") is None
