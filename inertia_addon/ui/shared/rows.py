# SPDX-License-Identifier: GPL-3.0-or-later
"""The rows of Blender's lists."""

from __future__ import annotations

from typing import Any


class Rows:
    """What the lists have in common: each says only what a row shows."""

    def draw_row(self, row: Any, data: Any, item: Any, index: int) -> None:
        """Draw an item of ``data`` into its row."""
        raise NotImplementedError

    def draw_item(
        self,
        _context: Any,
        layout: Any,
        data: Any,
        item: Any,
        _icon: int,
        _active_data: Any,
        _active_name: str,
        index: int = 0,
        _flag: int = 0,
    ) -> None:
        """Blender's call for a row; Blender counts the parameters, so all are named."""
        self.draw_row(layout.row(align=True), data, item, index)
