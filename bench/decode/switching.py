"""Makes threads switch: two processes on each core pass a byte back and forth, 200,000 to 300,000 switches a second on
two cores. Usage: python switching.py SECONDS. Prints the number of switches a second."""

from __future__ import annotations

import os
import sys
import time

TURNS = 1000
"""Turns between readings of the clock."""


def _answer(read: int, write: int) -> None:
    while byte := os.read(read, 1):
        os.write(write, byte)


def hand_over(core: int, seconds: float) -> float:
    """Passes a byte to a child on the same core and back, for `seconds`. Returns switches a second: two for each
    turn."""
    (to_child, from_us), (to_us, from_child) = os.pipe(), os.pipe()
    child = os.fork()
    os.sched_setaffinity(0, {core})
    if child == 0:
        os.close(from_us)
        _answer(to_child, from_child)
        os._exit(0)
    os.close(to_child)
    begun = time.monotonic()
    turns = 0
    while time.monotonic() - begun < seconds:
        for _ in range(TURNS):
            os.write(from_us, b"x")
            os.read(to_us, 1)
        turns += TURNS
    took = time.monotonic() - begun
    os.close(from_us)
    os.waitpid(child, 0)
    return 2 * turns / took


def main(seconds: float) -> None:
    """Switches on every core that this process may use, at once."""
    told, tell = os.pipe()
    children = []
    for core in sorted(os.sched_getaffinity(0)):
        child = os.fork()
        if child == 0:
            os.write(tell, f"{hand_over(core, seconds):.0f}\n".encode())
            os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)
    os.close(tell)
    with os.fdopen(told) as rates:
        print(sum(int(rate) for rate in rates))


if __name__ == "__main__":
    main(float(sys.argv[1]))
