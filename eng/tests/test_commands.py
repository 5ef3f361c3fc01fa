"""The launchers that setup writes into bin/."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

import launchers
import repo

PROGRAM = """\
#!/bin/sh
printf '<%s>' "$@"
exit 23
"""

pytestmark = pytest.mark.skipif(repo.WINDOWS, reason="the Unix launchers")


@pytest.fixture
def tree(tmp_path):
    """Makes a repository whose collector is a shell script, with a space in its path."""
    root = tmp_path / "my repo"
    program = root / repo.COLLECT.relative_to(repo.ROOT)
    program.parent.mkdir(parents=True)
    program.write_text(PROGRAM)
    program.chmod(0o755)
    launchers.write(root / "bin")
    return root


def test_arguments_and_exit_code_go_through(tree):
    done = subprocess.run([tree / "bin" / "poolscope-collect", "--", "a b", "", "*"], capture_output=True, text=True)
    assert done.stdout == "<--><a b><><*>"
    assert done.returncode == 23


def test_what_was_not_built_has_no_launcher(tree):
    assert [file.name for file in (tree / "bin").iterdir()] == ["poolscope-collect"]


def test_works_through_symbolic_links_from_any_folder(tree, tmp_path):
    (tmp_path / "one").symlink_to(tree / "bin" / "poolscope-collect")
    (tmp_path / "two").symlink_to("one")
    done = subprocess.run(["./two", "x"], cwd=tmp_path, capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("<x>", 23)


def test_signals_reach_the_program_itself(tree):
    program = tree / repo.COLLECT.relative_to(repo.ROOT)
    # The program also ends by itself: a launcher that swallows the signal must fail this test, not hang it.
    program.write_text(
        "#!/bin/sh\ntrap 'echo told; exit 5' TERM\necho ready\nfor _ in $(seq 100); do sleep 0.05; done\n"
    )
    with subprocess.Popen([tree / "bin" / "poolscope-collect"], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGTERM)
        assert process.stdout.read() == "told\n"
    assert process.returncode == 5


def test_a_runtime_in_an_unusual_place_is_named_but_never_overridden(tree, monkeypatch):
    text = launchers.texts(windows=False, dotnet_root=Path("/home/a b/.dotnet"))["poolscope-collect"]
    (tree / "bin" / "poolscope-collect").write_text(text)
    program = tree / repo.COLLECT.relative_to(repo.ROOT)
    program.write_text('#!/bin/sh\necho "$DOTNET_ROOT"\n')

    def named():
        return subprocess.run([tree / "bin" / "poolscope-collect"], capture_output=True, text=True).stdout.strip()

    monkeypatch.delenv("DOTNET_ROOT", raising=False)
    assert named() == "/home/a b/.dotnet"
    monkeypatch.setenv("DOTNET_ROOT", "/mine")
    assert named() == "/mine"


def test_a_file_in_the_current_folder_is_not_imported(tree, tmp_path):
    """`python -m` would put the current folder before the standard library."""
    (tree / ".venv" / "bin").mkdir(parents=True)
    repo.venv_python(tree / ".venv").symlink_to(Path(sys.executable).resolve())
    launchers.write(tree / "bin")
    (tmp_path / "json.py").write_text("raise SystemExit('imported from the current folder')")
    (tmp_path / "poolscope.py").write_text("raise SystemExit('imported from the current folder')")
    done = subprocess.run([tree / "bin" / "poolscope"], cwd=tmp_path, capture_output=True, text=True)
    assert "No module named poolscope" in done.stderr


def test_windows_twins_forward_arguments_and_exit_code():
    twins = launchers.texts(windows=True, dotnet_root=Path(r"C:\dn"))
    assert sorted(twins) == [
        "poolscope-collect.cmd",
        "poolscope-service.cmd",
        "poolscope-workloads.cmd",
        "poolscope.cmd",
    ]
    for text in twins.values():
        lines = text.split("\r\n")
        assert lines[-3].startswith('"%~dp0..\\') and lines[-3].endswith(" %*")
        assert lines[-2:] == ["exit /b %ERRORLEVEL%", ""]
    assert 'if not defined DOTNET_ROOT set "DOTNET_ROOT=C:\\dn"' in twins["poolscope-collect.cmd"]
