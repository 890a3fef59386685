"""Results of the conversations exam: wording, tables, charts, report files."""
