"""What verbs need on this machine, and how it gets there: a verb waits only for what it uses."""

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
import python_env
import wine

Part = Callable[[], bool]
"""Brings one thing up to date; returns whether it did anything."""


class Needs(Flag):
    """Beside the collector, the workloads and the packages of `poolscope`, which every set-up brings."""

    RECORDING = 0
    """Recording a workload and making its page: nothing else."""
    DEVELOPMENT = auto()
    """All C# projects, and the Python packages that tests, formatting and packing take."""
    BROWSERS = auto()
    READERS = auto()
    """Other tools' readers of what Poolscope exports."""
    WINE = auto()
    """What runs the Windows build: 100 MB, for the tests of that alone."""
    EVERYTHING = DEVELOPMENT | BROWSERS | READERS


def chains(needs: Needs, building: bool = True) -> list[Sequence[Part]]:
    """Returns what is done side by side; within a chain, one after the other."""
    development = Needs.DEVELOPMENT in needs
    # Browsers come with npm, which the other two take packages from.
    pages = [browser.set_up] if Needs.BROWSERS in needs else []
    pages += [export_readers.set_up] if Needs.READERS in needs else []
    # Last: nothing else waits for it, and its chain ends before the build.
    windows = [wine.install] if Needs.WINE in needs else []
    return [
        *([[lambda: dotnet.set_up(everything=development)]] if building else []),
        [lambda: python_env.set_up(development=development), native_code.set_up],
        [*pages, plotly_bundle.set_up, *windows],
    ]


def set_up(needs: Needs, building: bool = True) -> bool:
    """Brings what is needed up to date; returns whether there was anything to do. Not `building`: all but what is compiled of C#."""
    # The .NET SDK cannot be installed from here: if it is missing, say so before spending minutes on the rest.
    dotnet.check_sdk()
    work = chains(needs, building)
    with ThreadPoolExecutor(len(work)) as pool:
        did = list(pool.map(lambda chain: [part() for part in chain], work))
    launchers.write()
    return any(any(chain) for chain in did)
