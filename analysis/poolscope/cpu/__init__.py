"""CPU time: which code of the target the cores ran, from samples with call chains."""

from poolscope.cpu.flame import CpuFlame, build_flame

__all__ = ["CpuFlame", "build_flame"]
