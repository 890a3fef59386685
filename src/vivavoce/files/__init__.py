"""Formats in and out: tables of examples in, results out."""

from vivavoce.files.datasets import read_dataset, read_table
from vivavoce.files.tables import (
    DEFAULT_MAX_BYTES,
    DEFAULT_MAX_ROWS,
    ReadOptions,
    Row,
    RowFault,
    Table,
    TableReader,
    build_table,
)
from vivavoce.files.writing import write_json, write_predictions

__all__ = [
    "DEFAULT_MAX_BYTES",
    "DEFAULT_MAX_ROWS",
    "ReadOptions",
    "Row",
    "RowFault",
    "Table",
    "TableReader",
    "build_table",
    "read_dataset",
    "read_table",
    "write_json",
    "write_predictions",
]
