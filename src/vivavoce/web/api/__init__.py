"""The same for programs, under /api/v1: one module for each noun; every module has a `router`."""
