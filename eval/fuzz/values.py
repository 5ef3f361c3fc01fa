"""Damage to the values of a table: one value, one row, or the order and number of all rows."""

from __future__ import annotations

import numpy as np

from poolscope.base.arrays import AnyArray
from poolscope.capture.schema import TableSchema

Arrays = dict[str, AnyArray]
Rng = np.random.Generator


def damage_value(arrays: Arrays, schema: TableSchema, rng: Rng) -> tuple[Arrays, str]:
    """Changes one value of one row to a boundary of its type, to its neighbour's value, or by a small or large
    amount."""
    column = schema.columns[int(rng.integers(len(schema.columns)))].name
    values = arrays[column].copy()
    if not len(values):
        return arrays, "nothing"
    row = int(rng.integers(len(values)))
    before = values[row]
    choices = _choices(values, row, rng)
    with np.errstate(all="ignore"):
        values[row : row + 1] = np.array([choices[int(rng.integers(len(choices)))]]).astype(values.dtype)
    return arrays | {column: values}, f"{schema.name}.{column}[{row}]: {before} -> {values[row]}"


def damage_rows(arrays: Arrays, schema: TableSchema, rng: Rng) -> tuple[Arrays, str]:
    """Drops, doubles, swaps or cuts off rows, or drops all; dictionaries of strings stay."""
    count = len(arrays[schema.columns[0].name])
    if not count:
        return arrays, "nothing"
    every = np.arange(count)
    one, other = (int(rng.integers(count)) for _ in range(2))
    kinds: dict[str, AnyArray] = {
        "dropped": np.delete(every, one),
        "doubled": np.insert(every, one, one),
        "all doubled": np.repeat(every, 2),
        "all twice": np.concatenate((every, every)),
        "cut off": every[:one],
        "without its beginning": every[one:],
        "gone": every[:0],
        "backwards": every[::-1],
        "shuffled": rng.permutation(every),
        "swapped": np.where(every == one, other, np.where(every == other, one, every)),
    }
    kind = list(kinds)[int(rng.integers(len(kinds)))]
    taken = {c.name: arrays[c.name][kinds[kind]] for c in schema.columns}
    if rng.random() < 0.5:  # a decoder that loses rows would number the remaining ones
        for column in schema.columns:
            if "row number" in column.must:
                taken[column.name] = np.arange(len(taken[column.name])).astype(taken[column.name].dtype)
    return arrays | taken, f"{schema.name}: {kind}"


def _choices(values: AnyArray, row: int, rng: Rng) -> list[object]:
    if values.dtype.kind == "f":
        return [0.0, -1.0, np.nan, np.inf, -np.inf, 1e308, values[row] * 2, values[row] / 2, -values[row]]
    least, most = int(np.iinfo(values.dtype).min), int(np.iinfo(values.dtype).max)
    value, other = int(values[row]), int(values[int(rng.integers(len(values)))])
    near = [value + step for step in (-1, 1, -1_000_000, 1_000_000, -1_000_000_000, 1_000_000_000)]
    bit = value ^ (1 << int(rng.integers(values.dtype.itemsize * 8 - 1)))
    found = [0, 1, -1, least, most, most - 1, other, bit, (value + other) // 2, value * 2, *near]
    return [number for number in found if least <= number <= most and number != value] or [0]
