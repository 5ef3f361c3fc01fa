"""Binary heaps of (key, item), smallest first, ties by item: memory is bounded and known beforehand.

A heap is two stretches of the state's arrays: keys from `keys` on, items from `items` on.
"""

from __future__ import annotations

from poolscope.base.arrays import FloatArray, IntArray


def push(f: FloatArray, i: IntArray, keys: int, items: int, size: int, key: float, item: int) -> None:
    """Adds to a heap of `size` entries; the caller counts."""
    at = size
    while at > 0:
        above = (at - 1) >> 1
        if f[keys + above] < key or (f[keys + above] == key and i[items + above] < item):
            break
        f[keys + at] = f[keys + above]
        i[items + at] = i[items + above]
        at = above
    f[keys + at] = key
    i[items + at] = item


def pop(f: FloatArray, i: IntArray, keys: int, items: int, size: int) -> int:
    """Removes the first of `size` entries, at least one, and returns its item; the caller counts."""
    first = i[items]
    last = size - 1
    key = f[keys + last]
    item = i[items + last]
    at = 0
    while True:
        below = 2 * at + 1
        if below >= last:
            break
        right = below + 1
        if right < last:
            a = f[keys + right]
            b = f[keys + below]
            if a < b or (a == b and i[items + right] < i[items + below]):
                below = right
        if f[keys + below] > key or (f[keys + below] == key and i[items + below] > item):
            break
        f[keys + at] = f[keys + below]
        i[items + at] = i[items + below]
        at = below
    f[keys + at] = key
    i[items + at] = item
    return int(first)
