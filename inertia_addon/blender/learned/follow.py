# SPDX-License-Identifier: GPL-3.0-or-later
"""Follows a path with a model, in place of clips, and says how near to it that is."""

from __future__ import annotations

import dataclasses
from collections.abc import Generator
from typing import Any

import numpy as np

from ...errors import InertiaError
from ...motion.learned import follow
from ...motion.learned.follow import Followed
from ...motion.learned.model import Model
from ...motion.matching import targets, warp
from ...motion.matching.engine import FPS
from ...motion.matching.targets import Timed
from ...motion.matching.ways import Way
from ...settings.matching import PathSettings
from ..matching import followed, stock
from ..matching.followed import Course


@dataclasses.dataclass(frozen=True, eq=False)
class Learned:
    """A character along a path, as a model plays it: 60 frames a second.

    own: where it goes, warped as far as it shall be, and how it stands.
    """

    model: Model
    settings: PathSettings
    target: Timed
    own: Followed


def following(model: Model, settings: PathSettings, course: Course) -> Generator[float, None, Learned]:
    """Follow a course; yields the part that is done, 0 to 1.

    Raises InertiaError where there is nothing to follow, for a network that is not trained, and for a ground
    that only clips are put on.
    """
    if settings.ground != "CLIP":
        raise InertiaError(
            "A model's feet stand on the floor of its clips alone; leave the ground as it is, and lock the "
            "feet of the result on another ground."
        )
    aim = target(course, settings, model)
    decay, seconds = stock.blending(settings)
    (own,) = yield from follow.steps(model, [aim], decay, seconds)
    if settings.warp:
        way = Way((), 0.0, np.zeros(len(own.ground), np.int64), own.ground, own.heading)
        moved = warp.along(way, aim, FPS)
        own = dataclasses.replace(own, ground=own.ground + moved.shift, heading=own.heading + moved.turn)
    return Learned(model, settings, aim, own)


def target(course: Course, settings: PathSettings, model: Model) -> Timed:
    """What is followed: of a line without a timing at the speed that the model has most of."""
    free = settings.facing == "FREE"
    speed = settings.speed
    if speed == "AUTO":
        speed = "CLIPS" if course.times is None else "TARGET"
    if speed == "TARGET":
        found = followed.timed(course, settings, FPS, model.size, free)
        assert isinstance(found, Timed)
        return found
    if settings.facing == "TARGET":
        raise InertiaError(
            "A path has no facing of its own but with the target's timing; let it be faced along, or be free."
        )
    line = targets.line(course.points, targets.STEP * model.size)
    pace = settings.constant_speed if speed == "CONSTANT" else model.pace
    return targets.at_speed(line, pace, FPS, model.size, free)


def figures(found: Learned) -> dict[str, Any]:
    """What it is like, as JSON values."""
    own, aim = found.own, found.target
    away = np.linalg.norm(own.ground - aim.ground, axis=1)
    aside = np.abs(targets.wrapped(own.heading - aim.facing))
    seconds = aim.frames / FPS
    return {
        "path_rms_m": float(np.sqrt(np.mean(away**2))),
        "path_max_m": float(away.max()),
        "heading_deg": None if aim.free else float(np.degrees(aside.mean())),
        "seconds": seconds,
        "cuts": len(own.projected),
        "cuts_per_second": len(own.projected) / seconds,
    }
