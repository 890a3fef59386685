"""Formats in and out: tables of examples in, results out."""

from vivavoce.files.datasets import read_dataset, read_table
from vivavoce.files.formats import Format, Kind, SourceFile, from_table_reader
from vivavoce.files.predictions import read_predictions
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
    "Format",
    "Kind",
    "ReadOptions",
    "Row",
    "RowFault",
    "SourceFile",
    "Table",
    "TableReader",
    "build_table",
    "from_table_reader",
    "read_dataset",
    "read_predictions",
    "read_table",
    "write_json",
    "write_predictions",
]
