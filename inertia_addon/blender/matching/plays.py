# SPDX-License-Identifier: GPL-3.0-or-later
"""What a path plays: which clip, from which of its frames on, and where it is placed."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Self

from .search import Found


@dataclasses.dataclass(frozen=True)
class Played:
    """What a path plays from one of its frames on.

    action: the clip's, or that of which it is the mirror image. frame: of the path; entered: the clip's own
    then. angle, place: how the clip's ground is moved, radians and metres. bend: by how much it is bent,
    before it is mirrored, radians a second.
    """

    action: str
    mirrored: bool
    frame: float
    entered: float
    angle: float
    place: tuple[float, float]
    bend: float = 0.0

    @property
    def later(self) -> float:
        """How many frames later than by itself the clip plays."""
        return self.frame - self.entered

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], names: Mapping[str, str]) -> Self:
        """The inverse of ``dataclasses.asdict``. names: the actions' present ones, by those of then."""
        x, y = map(float, values["place"])
        numbers = {name: float(values[name]) for name in ("frame", "entered", "angle")}
        # earlier versions say nothing of bends
        numbers["bend"] = float(values.get("bend", 0.0))
        name = str(values["action"])
        return cls(names.get(name, name), bool(values["mirrored"]), place=(x, y), **numbers)


def of(found: Found) -> tuple[Played, ...]:
    """What a way plays, one after the other."""
    made = []
    for join in found.way.joins:
        source, entered = found.stock.database.place(join.entered)
        frame = float(found.settings.first_frame + join.frame * found.stock.step)
        x, y = map(float, join.place)
        placed = float(entered), float(join.angle), (x, y), source.bend
        made.append(Played(source.name, source.mirrored, frame, *placed))
    return tuple(made)
