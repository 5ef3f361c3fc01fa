"""Freed arrays are kept if the C library supports it, and lie in large pages if the kernel grants them."""

import ctypes
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from poolscope.base import heap

LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="glibc alone has mallopt")
GRANTED = Path("/sys/kernel/mm/transparent_hugepage/enabled")
MEASURE = """
import re, sys
from poolscope.base.heap import keep_memory
keep_memory()
arrays = [bytearray(1 << 20) for _ in range(64)]
def huge():
    with open("/proc/self/smaps_rollup") as told:
        return int(re.search(r"AnonHugePages:\\s+(\\d+) kB", told.read())[1])
first = huge()
del arrays
arrays = [bytearray(1 << 20) for _ in range(64)]
print(first, huge())
"""


class Library:
    def __init__(self):
        self.asked = []

    def mallopt(self, parameter, value):
        self.asked.append((parameter, value))


def test_glibc_is_asked_to_keep_what_is_freed(monkeypatch):
    library, reserved = Library(), []
    monkeypatch.setattr(heap.ctypes, "CDLL", lambda _: library)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(heap, "reserve", lambda: reserved.append(1))
    heap.keep_memory()
    assert library.asked == [(-3, 1 << 28), (-1, -1), (-8, 1)] and reserved


@pytest.mark.parametrize("platform", ["linux", "win32", "darwin"])
def test_any_other_library_is_left_alone(platform, monkeypatch):
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(heap.ctypes, "CDLL", lambda _: object())
    monkeypatch.setattr(heap, "reserve", lambda: pytest.fail("memory was reserved"))
    heap.keep_memory()


@LINUX
def test_glibc_takes_both_parameters():
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is None:
        pytest.skip("another C library")
    assert mallopt(heap.M_MMAP_THRESHOLD, 1 << 25) == 1 and mallopt(heap.M_TRIM_THRESHOLD, 1 << 25) == 1


@LINUX
@pytest.mark.skipif(
    not GRANTED.exists() or "[never]" in GRANTED.read_text("ascii"), reason="this kernel grants no large pages"
)
def test_memory_of_the_command_lies_in_large_pages_and_is_kept():
    ran = subprocess.run([sys.executable, "-c", MEASURE], capture_output=True, text=True, check=True)
    first, again = map(int, ran.stdout.split())
    # The kernel may merge pages meanwhile.
    assert 32_000 < first <= again, ran.stdout


@LINUX
def test_nothing_is_reserved_where_address_space_is_limited(monkeypatch):
    library = heap._library()
    if library is None:
        pytest.skip("another C library")
    monkeypatch.setattr(heap, "_library", lambda: pytest.fail("asked for memory") or library)
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1 << 31, 1 << 31))
    heap.reserve()
