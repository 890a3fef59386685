"""Pages for people, one module for each section; every module has a `router`."""
