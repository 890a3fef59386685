"""The bots of a project: kept, checked, talked to."""
