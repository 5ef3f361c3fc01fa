"""The things that verbs need on this machine, and how to install them: a verb waits only for those it uses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from enum import Flag, auto

import browser
import dotnet
import export_readers
import launchers
import native_code
import plotly_bundle
import powershell
import python_env
import wine

Part = Callable[[], bool]
"""Brings one thing up to date; returns whether it had to."""


class Needs(Flag):
    """The needs of a verb besides the collector, the workloads and the packages of `poolscope`, which every set-up
    installs."""

    RECORDING = 0
    """Recording a workload and making its page, nothing else."""
    DEVELOPMENT = auto()
    """All C# projects, and the Python packages for tests, formatting and packing."""
    BROWSERS = auto()
    READERS = auto()
    """Third-party readers of Poolscope's exports."""
    WINE = auto()
    """Wine, which runs the Windows build: 100 MB, used only by the tests of that build."""
    POWERSHELL = auto()
    """PowerShell, which runs build.ps1: 200 MB, used only by the tests of that script."""
    EVERYTHING = DEVELOPMENT | BROWSERS | READERS


def chains(needs: Needs, building: bool = True) -> list[Sequence[Part]]:
    """Returns chains of steps: the chains run side by side, the steps of one chain in order."""
    development = Needs.DEVELOPMENT in needs
    # Installing browsers brings npm, from which the other two take packages.
    pages = [browser.set_up] if Needs.BROWSERS in needs else []
    pages += [export_readers.set_up] if Needs.READERS in needs else []
    # Last: no other step waits for them, and their chain ends before the build.
    windows = [wine.install] if Needs.WINE in needs else []
    windows += [powershell.install] if Needs.POWERSHELL in needs else []
    return [
        *([[lambda: dotnet.set_up(everything=development)]] if building else []),
        [lambda: python_env.set_up(development=development), native_code.set_up],
        [*pages, plotly_bundle.set_up, *windows],
    ]


def set_up(needs: Needs, building: bool = True) -> bool:
    """Brings all needs up to date; returns whether there was anything to do. Without `building` it does not compile
    C#."""
    # The .NET SDK cannot be installed from here. If it is missing, say so before the other steps take minutes.
    dotnet.check_sdk()
    work = chains(needs, building)
    with ThreadPoolExecutor(len(work)) as pool:
        did = list(pool.map(lambda chain: [part() for part in chain], work))
    launchers.write()
    return any(any(chain) for chain in did)
