# SPDX-License-Identifier: GPL-3.0-or-later
"""Searches the way along a path, and says what it is like before anything is baked."""

from __future__ import annotations

import dataclasses
from collections.abc import Generator, Sequence
from typing import Any

import numpy as np

from ...errors import Sentence
from ...motion.matching import coverage, features, greedy, reasons, search, warp
from ...motion.matching.coverage import Coverage
from ...motion.matching.how import Ban, How, Pin
from ...motion.matching.joined import joined
from ...motion.matching.moves import STILL, Moves
from ...motion.matching.reasons import Reason
from ...motion.matching.targets import Target, Timed
from ...motion.matching.warp import Warp
from ...motion.matching.ways import Way
from ...settings.matching import PathSettings
from . import stock as stocks
from .followed import Course, target
from .stock import Stock


@dataclasses.dataclass(frozen=True, eq=False)
class Found:
    """A way along a path.

    moves: what it was found by. warp: how its root is moved, on each of the way's frames. warnings:
    sentences for the animator.
    """

    stock: Stock
    settings: PathSettings
    target: Target
    way: Way
    moves: Moves
    warp: Warp
    coverage: Coverage | None
    warnings: tuple[str, ...]

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """Why each clip was chosen."""
        return reasons.of(self.moves, self.way)

    @property
    def warped(self) -> Way:
        """The way as it is baked."""
        return warp.warped(self.way, self.warp)

    @property
    def displacements(self) -> list[float]:
        """What each join displaces, metre seconds."""
        joins = self.way.joins[1:]
        if not joins:
            return []
        left, entered = (np.array([getattr(join, name) for join in joins]) for name in ("left", "entered"))
        return [float(value) for value in self.moves.displacements(left, entered)]


def searching(
    stock: Stock,
    settings: PathSettings,
    course: Course,
    pins: Sequence[Pin] = (),
    bans: Sequence[Ban] = (),
) -> Generator[float, None, Found]:
    """Search the way along a course; yields the part that is done, 0 to 1.

    Raises InertiaError where there is nothing to follow, or nothing to follow it with.
    """
    aim = target(course, settings, stock.database)
    how = how_of(settings, pins, bans)
    kind = features.POSITION_VELOCITY if settings.greedy else features.DISPLACEMENT
    found = stock.features(settings, kind)
    moves = Moves(stock.database, found, aim, how)
    if settings.greedy:
        assert isinstance(aim, Timed)
        way = greedy.way(stock.database, found, aim, how)
        yield 1.0
    else:
        way = yield from search.steps(stock.database, found, aim, how)
    way = joined(stock.database, way, how.method, how.seconds)
    covered = coverage.of(stock.database, aim) if isinstance(aim, Timed) else None
    amount = 1.0 if settings.warp else 0.0
    moved = warp.along(way, aim, stock.database.fps, amount)
    return Found(stock, settings, aim, way, moves, moved, covered, _warnings(stock, settings, way, covered))


def how_of(settings: PathSettings, pins: Sequence[Pin] = (), bans: Sequence[Ban] = ()) -> How:
    """How settings say that a way is searched."""
    decay, seconds = stocks.blending(settings)
    return How(
        decay,
        seconds,
        settings.cost,
        width=settings.width,
        ahead=settings.ahead_seconds,
        shortest=settings.shortest_seconds,
        pins=tuple(pins),
        bans=tuple(bans),
        start_standing=settings.begins == "STANDING",
    )


def _warnings(stock: Stock, settings: PathSettings, way: Way, covered: Coverage | None) -> tuple[str, ...]:
    """What an animator should know before a way is baked."""
    said = covered.sentences() if covered is not None else []
    if not way.reached:
        said.append(
            Sentence("The clips don't come to the path's end; choose more of them, or a shorter path.")
        )
    speed = stock.database.speeds
    if "STANDING" in (settings.begins, settings.ends) and speed.min() > STILL * stock.database.size:
        said.append(
            Sentence("In no clip the character stands still, so that it begins and ends as it comes.")
        )
    return tuple(said)


def figures(found: Found) -> dict[str, Any]:
    """What a way is like, as JSON values: how near it is to its path, and how smooth its joins are."""
    way, stock = found.warped, found.stock
    places, facing = warp.followed(way, found.target)
    away = np.linalg.norm(way.ground - places, axis=1)
    aside = np.abs((way.heading - facing + np.pi) % (2.0 * np.pi) - np.pi)
    seconds = way.frames / stock.database.fps
    displaced = found.displacements
    return {
        "path_rms_m": float(np.sqrt(np.mean(away**2))),
        "path_max_m": float(away.max()),
        "heading_deg": None if found.target.free else float(np.degrees(aside.mean())),
        "seconds": seconds,
        "cuts": len(displaced),
        "cuts_per_second": len(displaced) / seconds,
        "displacement_m_s_per_second": sum(displaced) / seconds,
        "largest_displacement_m_s": max(displaced, default=0.0),
        "reached": way.reached,
    }


def joins(found: Found) -> list[dict[str, Any]]:
    """The joins of a way as JSON values: what came when, why, and what else could have."""
    displaced, listed = found.displacements, []
    fps = found.stock.database.fps
    for reason, displacement in zip(found.reasons, displaced, strict=True):
        assert reason.left is not None
        listed.append(
            {
                "seconds": reason.frame / fps,
                "frame": found.settings.first_frame + reason.frame * found.stock.step,
                "from": _named(*reason.left),
                "to": _named(reason.chosen.clip, reason.chosen.mirrored, reason.chosen.frame),
                "cost": reason.chosen.cost,
                "why": reason.chosen.parts,
                "displacement_m_s": displacement,
                "worst_joint": reason.worst_joint,
                "going_on": None if reason.going_on is None else reason.going_on.parts,
                "next_best": [
                    {**_named(one.clip, one.mirrored, one.frame), "cost": one.cost, "why": one.parts}
                    for one in reason.others
                ],
            }
        )
    return listed


def _named(clip: str, is_mirrored: bool, frame: float) -> dict[str, Any]:
    return {"action": clip, "mirrored": is_mirrored, "frame": frame}
