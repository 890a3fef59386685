"""The workspace kept in a database: tables, migrations and one repository class for each noun."""
