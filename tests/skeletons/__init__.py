# SPDX-License-Identifier: GPL-3.0-or-later
"""Skeletons by shape, with the joints that a person takes for right who looks at them."""

from __future__ import annotations

from pathlib import Path

FILE = Path(__file__).parent / "table.json"
"""The table, which table.py writes."""
