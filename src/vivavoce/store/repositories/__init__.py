"""One class for each noun: what can be asked of the store, and what it keeps."""
