# SPDX-License-Identifier: GPL-3.0-or-later
"""What a path plays: which clip, from which of its frames on, and where it is placed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from ...records import record
from .search import Found


@record(frozen=True)
class Played:
    """What a path plays from one of its frames on.

    action: the clip's, or that of which it is the mirror image. frame: of the path; entered: the clip's own
    then. angle, place: how the clip's ground is moved, radians and metres. bend: by how much it is bent,
    before it is mirrored, radians a second. moved: how all of it is moved where it begins, by who draws it to
    where it is steered: a turn, radians, and a shift, metres.
    """

    action: str
    mirrored: bool
    frame: float
    entered: float
    angle: float
    place: tuple[float, float]
    bend: float = 0.0
    moved: tuple[float, float, float] = (0.0, 0.0, 0.0)

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
        turn, across, along = map(float, values.get("moved", (0.0, 0.0, 0.0)))
        name, moved = str(values["action"]), (turn, across, along)
        return cls(names.get(name, name), bool(values["mirrored"]), place=(x, y), moved=moved, **numbers)


def of(found: Found) -> tuple[Played, ...]:
    """What a way plays, one after the other."""
    made = []
    for join in found.way.joins:
        source, entered = found.stock.database.place(join.entered)
        frame = float(found.settings.first_frame + join.frame * found.stock.step)
        x, y = map(float, join.place)
        placed = float(entered), float(join.angle), (x, y), source.bend
        made.append(Played(source.name, source.mirrored, frame, *placed, _moved(found, join.frame)))
    return tuple(made)


def _moved(found: Found, frame: int) -> tuple[float, float, float]:
    """How a warp moves the world at a frame of a take; that of a path is a matter of centimetres."""
    if not found.settings.wishes:
        return 0.0, 0.0, 0.0
    matrix = found.warp.matrices()[frame]
    return float(found.warp.turn[frame]), float(matrix[0, 3]), float(matrix[1, 3])
