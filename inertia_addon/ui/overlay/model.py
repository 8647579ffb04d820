# SPDX-License-Identifier: GPL-3.0-or-later
"""What the overlays show, by value."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any


@dataclasses.dataclass(frozen=True, eq=False)
class Overlay:
    """All that is switched on for the active armature.

    parts: what is shown, by the names of the plots that show it; see :mod:`protocol`. note: a sentence where
    something can't be shown, "" when all can.
    """

    parts: Mapping[str, Any]
    note: str = ""
