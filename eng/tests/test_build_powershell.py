"""build.ps1 in PowerShell itself, on Linux: a dotnet tool that runs like the one of Windows. Skipped if it is
missing."""

import os
import shutil
import subprocess

import pytest

import powershell
import repo


@pytest.fixture(scope="module")
def pwsh():
    found = powershell.find()
    if found is None:
        pytest.skip(f"no PowerShell here ({powershell.INSTALL} brings it)")
    return found


def build(pwsh, *arguments, cwd=repo.ROOT, path=None):
    return subprocess.run(
        [pwsh, "-NoProfile", "-NonInteractive", "-File", repo.ROOT / "build.ps1", *arguments],
        env={**os.environ, "NO_COLOR": "1"} | ({"PATH": path} if path else {}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        cwd=cwd,
        timeout=120,
    )


def test_says_what_the_shell_script_says(pwsh, tmp_path):
    plain = subprocess.run([repo.ROOT / "build.sh", "--help"], capture_output=True, text=True)
    done = build(pwsh, "--help", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, plain.stdout), done.stderr


def test_the_exit_code_is_the_engines(pwsh):
    done = build(pwsh, "no-such-verb")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("build: no verb 'no-such-verb'")


def test_arguments_come_through_as_they_are(pwsh):
    done = build(pwsh, "lock", "--unit", "a b", "$HOME")
    assert done.stderr.strip() == "build: 'lock' takes no arguments, got: --unit a b $HOME"
    assert done.returncode == 2


def test_python_may_be_called_python3(pwsh, tmp_path):
    """For example on Debian, which has no `python`."""
    for name, real in (("python3", repo.venv_python()), ("dotnet", shutil.which("dotnet"))):
        (tmp_path / name).symlink_to(real)
    assert build(pwsh, "--help", path=str(tmp_path)).returncode == 0
    (tmp_path / "python3").unlink()
    done = build(pwsh, "--help", path=str(tmp_path))
    assert done.returncode != 0 and "The term 'python' is not recognized" in done.stderr.replace("\n", " ")
