"""PowerShell, to run build.ps1 on Linux as on Windows: a .NET tool, installed for the tests of that script."""

from __future__ import annotations

import shutil

import repo
import steps

VERSION = "7.6.9"
FOLDER = repo.CACHE / "tools"
INSTALL = f"dotnet tool install PowerShell --version {VERSION} --tool-path {FOLDER.relative_to(repo.ROOT)}"


def find() -> str | None:
    """Returns the path of PowerShell on this machine, if there is one."""
    return shutil.which("pwsh") or shutil.which("pwsh", path=FOLDER)


def install() -> bool:
    """Installs PowerShell unless it is here; returns whether it tried. A failure does not end the build."""
    if find():
        return False
    try:
        steps.run("PowerShell", INSTALL.split())
    except (repo.BuildError, OSError) as error:
        steps.say(f"tests of build.ps1: skipped without PowerShell: {error}")
    return True
