# SPDX-License-Identifier: GPL-3.0-or-later
"""Transitions from strips of the NLA, and as strips."""

from __future__ import annotations

from ..room import Room
from . import strips

ROOM = Room(modules=(strips,))
