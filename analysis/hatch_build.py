"""Build hook: takes into wheel and sdist what lives elsewhere in the repository, and compiles the native extension.

Inside an unpacked sdist the files from elsewhere are in their places already.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SCHEMA = ("../traces/schema.json", "poolscope/schema.json")

# What the build fetched from npm. Without it the package takes the bundle inside Python's plotly package.
BUNDLE = (
    ("../.cache/plotly/plotly-basic.min.js", "poolscope/html/plotly/plotly-basic.min.js"),
    ("../.cache/plotly/LICENSE", "poolscope/html/plotly/LICENSE"),
)


# `./build.sh pack` makes wheels of a platform, which bring the collector: the files, joined as PATH is, and the platform.
COLLECTOR_FILES = "POOLSCOPE_WHEEL_COLLECTOR"
PLATFORM = "POOLSCOPE_WHEEL_PLATFORM"
# And the extension's file, or nothing for a wheel without it. Everybody else's wheel is for the machine that makes it.
EXTENSION = "POOLSCOPE_WHEEL_EXTENSION"
STABLE_ABI = "cp311-abi3"


class CustomBuildHook(BuildHookInterface):  # type: ignore[type-arg,unused-ignore]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        # An editable install runs from the source tree, which knows where these are.
        if version == "editable":
            return
        root = Path(self.root)
        if not (root / SCHEMA[1]).is_file():
            self._take(build_data, *SCHEMA)
        # Both or none: the licence asks that its text goes along.
        if all((root / source).is_file() for source, _ in BUNDLE):
            for source, inside in BUNDLE:
                self._take(build_data, source, inside)
        if (files := os.environ.get(COLLECTOR_FILES)) and self.target_name == "wheel":
            for name in files.split(os.pathsep):
                self._take(build_data, name, f"poolscope/collector/{Path(name).name}")
            self._is_of(build_data, "py3-none", os.environ[PLATFORM])
        if self.target_name == "wheel" and (extension := self._extension()):
            self._take(build_data, extension, f"poolscope/native/{Path(extension).name}")
            self._is_of(build_data, STABLE_ABI, os.environ.get(PLATFORM) or _this_platform())

    def _extension(self) -> str:
        """Returns the file of the native extension, compiled here unless it is given; nothing if it cannot be compiled."""
        if (given := os.environ.get(EXTENSION)) is not None:
            return given
        self._compiled = TemporaryDirectory()  # until the wheel is written
        ran = subprocess.run(
            [sys.executable, Path(self.root, "native", "compile.py"), self._compiled.name],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        if ran.returncode:
            self.app.display_warning(f"without the native extension: {ran.stderr.strip()}")
            return ""
        (file,) = Path(self._compiled.name).iterdir()
        return str(file)

    def _is_of(self, build_data: dict[str, Any], python: str, platform: str) -> None:
        build_data["tag"] = f"{python}-{platform}"
        build_data["pure_python"] = False

    def _take(self, build_data: dict[str, Any], source: str, inside: str) -> None:
        file = (Path(self.root) / source).resolve()
        if not file.is_file():
            raise FileNotFoundError(f"{file} is missing: build in a complete copy of the repository, or from the sdist")
        build_data["force_include"][str(file)] = inside


def _this_platform() -> str:
    return sysconfig.get_platform().replace("-", "_").replace(".", "_")
