"""The formats of training data: examples with their topics."""

from __future__ import annotations

from vivavoce.files.delimited import read_csv, read_tsv
from vivavoce.files.formats import from_table_reader
from vivavoce.files.jsons import read_json, read_jsonl
from vivavoce.files.platforms import EXPORTS
from vivavoce.files.xlsx import read_xlsx

CSV = from_table_reader("csv", read_csv)
TSV = from_table_reader("tsv", read_tsv, (".tsv", ".tab"))
# What platforms export is told by its content, before it is taken for examples as JSON.
JSON = (*EXPORTS, from_table_reader("json", read_json))
JSONL = from_table_reader("jsonl", read_jsonl, (".jsonl", ".ndjson"))
XLSX = from_table_reader("xlsx", read_xlsx, (".xlsx", ".xlsm"))
