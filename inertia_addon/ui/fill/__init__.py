# SPDX-License-Identifier: GPL-3.0-or-later
"""Filled gaps, as the animator sees them: *Update* makes one anew."""

from __future__ import annotations

from ..room import Room
from . import remaking

ROOM = Room(modules=(remaking,))
