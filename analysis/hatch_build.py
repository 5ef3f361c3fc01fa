"""Build hook: takes into wheel and sdist what lives elsewhere in the repository.

Inside an unpacked sdist the same files are in their places already, and nothing is left to do.
"""

from __future__ import annotations

import os
from pathlib import Path
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
MACHINE_CODE = (
    ("POOLSCOPE_WHEEL_LOOP", "poolscope/replay/machine_code"),
    ("POOLSCOPE_WHEEL_SEARCHES", "poolscope/base/machine_code"),
)
"""The replay loop and the searches, in the wheel of their platform: the file, and the folder that it goes into."""


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
            build_data["tag"] = f"py3-none-{os.environ[PLATFORM]}"
            build_data["pure_python"] = False
            for variable, folder in MACHINE_CODE:
                if file := os.environ.get(variable):
                    self._take(build_data, file, f"{folder}/{Path(file).name}")

    def _take(self, build_data: dict[str, Any], source: str, inside: str) -> None:
        file = (Path(self.root) / source).resolve()
        if not file.is_file():
            raise FileNotFoundError(f"{file} is missing: build in a complete copy of the repository, or from the sdist")
        build_data["force_include"][str(file)] = inside
