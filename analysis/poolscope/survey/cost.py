"""What the analysis of each stretch of a recording would take: its rows, counted while the tables are read once in pieces."""

from __future__ import annotations

import numpy as np

from poolscope.base.arrays import FloatArray
from poolscope.capture.capture import DecodedCapture
from poolscope.capture.part import INTERVALS, MOMENTS, READINGS
from poolscope.capture.pieces import TableFile
from poolscope.capture.schema import load_schema
from poolscope.survey.needs import BASE_BYTES, bytes_of_row
from poolscope.survey.waits import Bins

BEGIN = {"work_items": "dequeue", "tasks": "started", "activities": "start"}
BEGIN |= MOMENTS | {table: start for table, (start, _) in (INTERVALS | READINGS).items()}
"""The column that says to which stretch a row counts. An item counts where it ran: there are its switches."""


def cost_of_stretches(capture: DecodedCapture, rows: dict[str, int], bins: Bins) -> tuple[float, FloatArray]:
    """Estimates the bytes that every part takes, and those that each stretch adds, shape (bins.count,). `rows` has the
    count of each table; rows of which every part needs all count to every part."""
    always, each = float(BASE_BYTES), np.zeros(bins.count)
    for table, count in rows.items():
        if table not in BEGIN:
            always += count * bytes_of_row(table)
            continue
        with capture.opened(table) as file:
            if file is None:
                continue
            for piece in TableFile(file, load_schema().tables[table]).pieces():
                began = bins.of(piece.column(BEGIN[table]))
                each += np.bincount(began, minlength=bins.count) * float(bytes_of_row(table))
    return always, each
