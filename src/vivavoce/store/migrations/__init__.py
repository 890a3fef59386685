"""The schema of a workspace, one revision after the other; see `vivavoce.store.migrating`."""
