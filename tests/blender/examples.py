# SPDX-License-Identifier: GPL-3.0-or-later
"""How many examples a test tries that plays each of them in Blender."""

from __future__ import annotations

from hypothesis import settings

FEW = settings(deadline=None, max_examples=max(1, settings.default.max_examples // 3))
"""A third of what a run tries else: an example with bakes takes as long as hundreds of others."""
