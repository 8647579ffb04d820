# SPDX-License-Identifier: GPL-3.0-or-later
"""The overlays' switches of the scene, for tests of what one of them shows alone."""

from __future__ import annotations

from typing import Any

from inertia_addon.ui.overlay.switches import plot_switches


def switch_all_off(overlays: Any) -> None:
    """Switch off all that a scene shows at first, too. overlays: the scene's ``inertia_overlay``."""
    for each in plot_switches():
        setattr(overlays, each.name, False)
