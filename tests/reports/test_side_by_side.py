"""A comparison in words: what is the same is called the same, and what is close is called close."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.reports.conftest import small_dataset
