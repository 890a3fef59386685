"""The same for programs, under /api/v1: a router for each noun."""
