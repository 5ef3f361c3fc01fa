"""Freed arrays are kept, where the C library can be asked for it."""

import ctypes
import sys

import pytest
from poolscope.cli import allocator


class Library:
    def __init__(self):
        self.asked = []

    def mallopt(self, parameter, value):
        self.asked.append((parameter, value))


def test_glibc_is_asked_to_keep_what_is_freed(monkeypatch):
    library = Library()
    monkeypatch.setattr(allocator.ctypes, "CDLL", lambda _: library)
    monkeypatch.setattr(sys, "platform", "linux")
    allocator.keep_memory()
    assert library.asked == [(-3, 1 << 28), (-1, 1 << 30), (-8, 1)]


@pytest.mark.parametrize("platform", ["linux", "win32", "darwin"])
def test_any_other_library_is_left_alone(platform, monkeypatch):
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(allocator.ctypes, "CDLL", lambda _: object())
    allocator.keep_memory()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="glibc alone has mallopt")
def test_glibc_takes_both_parameters():
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is None:
        pytest.skip("another C library")
    assert mallopt(allocator.M_MMAP_THRESHOLD, 1 << 25) == 1 and mallopt(allocator.M_TRIM_THRESHOLD, 1 << 25) == 1
