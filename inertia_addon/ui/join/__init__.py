# SPDX-License-Identifier: GPL-3.0-or-later
"""The top of the tab and the mode Join, put together from what other rooms draw."""

from __future__ import annotations

from ..room import Room
from . import panels

ROOM = Room(panels=panels.PARTS, classes=panels.CLASSES)
