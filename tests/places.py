"""Where the workspace of a test lies."""

from __future__ import annotations

import pytest

# For tests of a folder whose workspaces lie in files unless they say otherwise.
in_both = pytest.mark.parametrize("workspace_address", ["sqlite", "postgresql"], indirect=True)
