"""The topics of a project: examples, answers, history, imports and exports."""
