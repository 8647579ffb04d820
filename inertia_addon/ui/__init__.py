# SPDX-License-Identifier: GPL-3.0-or-later
"""What the animator sees: properties, operators, panels. What they work with is read when they need it."""

from __future__ import annotations

from ..lazy_modules import read_lazily

read_lazily(__name__.rpartition(".")[0])
