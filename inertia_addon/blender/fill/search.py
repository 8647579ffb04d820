# SPDX-License-Identifier: GPL-3.0-or-later
"""Searches what fills a gap between two actions, before anything is baked."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Generator, Mapping, Sequence
from typing import Any

import numpy as np

from ...errors import InertiaError
from ...motion.arrays import Flags
from ...motion.fill import search as chains
from ...motion.fill.search import Chain, Gap
from ...motion.matching.database import Database
from ...motion.matching.features import turned
from ...motion.matching.ways import Warp, Way, warped
from ...motion.steps import finish, part
from ...records import record
from ...settings.fill import FillSettings
from ...settings.transition import TransitionSettings
from ..data import clip_store, scene
from ..data.actions import Clip
from ..matching import search, surroundings
from ..matching import stock as stocks
from ..matching.stock import Stock
from . import suddenness


@record(frozen=True, eq=False)
class Found:
    """What fills a gap. way: its first join is the source."""

    stock: Stock
    settings: FillSettings
    gap: Gap
    chain: Chain

    @property
    def way(self) -> Way:
        """Which clip plays when, and where."""
        return self.chain.way

    @property
    def warp(self) -> Warp:
        """How the root is moved meanwhile."""
        return self.chain.warp()


def searching(
    armature: Any, settings: FillSettings, weights: Mapping[str, float]
) -> Generator[float, None, Found]:
    """Search what fills a gap: the one of several unlike fills that is asked for; yields the part that is
    done.

    Raises InertiaError as :func:`choosing` does, and where there are fewer.
    """
    return chosen((yield from choosing(armature, settings, weights, settings.choice)), settings)


def chosen(found: Sequence[Found], settings: FillSettings) -> Found:
    """The fill that is asked for. Raises InertiaError where there are fewer."""
    if len(found) < settings.choice:
        raise InertiaError(
            "There is no choice {asked}: {count} of three unlike fills could be found; choose a lower one.",
            count=len(found),
            asked=settings.choice,
        )
    return found[settings.choice - 1]


def choosing(
    armature: Any, settings: FillSettings, weights: Mapping[str, float], count: int
) -> Generator[float, None, tuple[Found, ...]]:
    """Search so many unlike fills of a gap, the best first, or all that there are; yields the part that is
    done.

    Raises InertiaError for a gap that is too short or too long, actions that can't be analysed, ends that are
    not in them, rigs that can't be moved, and where nothing arrives in time.
    """
    check(settings)
    own = settings.transition
    ends = own.source, own.destination
    given = settings.actions or stocks.fitting(armature)
    # in one order, whichever of them are the ends, so that what is analysed is found again
    asked = settings.of_set(tuple(sorted({*given, *ends})))
    stock = yield from part(stocks.analysing(armature, asked, weights, ends), 0.0, 0.6)
    if not stock.warps:
        raise InertiaError(
            '"{armature}" is moved by constraints, so it can\'t be drawn to where it arrives; fill the gap '
            "on the armature that they follow, or bake its clips to plain keys.",
            armature=stock.rig.name,
        )
    for name in ends:
        if name in stock.travels:
            raise InertiaError(
                '"{action}" walks in place, so it stands nowhere; give it its travel first.', action=name
            )
    assert own.destination_frame is not None
    base, step = stock.database, stock.step
    left, met = flat(stock, own.source, own.cut), flat(stock, own.destination, own.destination_frame)
    angle, place = placed(base, met, settings)
    frames = round(settings.gap_frames / step)
    walls = surroundings.obstacles(settings.obstacles) if settings.obstacles else ()
    allowed, sudden = _allowed(stock, own, given), suddenness.beyond(stock, own)
    gap = Gap(left, met, frames, angle, place, allowed, sudden, walls, settings.keep_away)
    how = search.how_of(asked)
    steps = chains.choices(base, stock.features(asked), how, gap, count)
    found = yield from part(steps, 0.6, 1.0)
    return tuple(
        Found(stock, dataclasses.replace(settings, choice=i), gap, chain) for i, chain in enumerate(found, 1)
    )


def resolved(armature: Any, settings: FillSettings) -> FillSettings:
    """The settings with the destination's first frame as the one that is arrived at, where none is given."""
    own = settings.transition
    if own.destination_frame is not None:
        return settings
    _, destination = finish(clip_store.reading_named(armature, own.ends()))
    own = dataclasses.replace(own, destination_frame=destination.start)
    return dataclasses.replace(settings, transition=own)


def check(settings: FillSettings) -> None:
    """Raise InertiaError for a gap that is too short or too long."""
    seconds = settings.gap_frames / scene.fps()
    if not chains.SHORTEST_SECONDS - 1e-3 <= seconds <= chains.LONGEST_SECONDS + 1e-3:
        raise InertiaError(
            "The gap lasts for {seconds:.3g} s; one of {least:g} to {most:g} s can be filled.",
            seconds=seconds,
            least=chains.SHORTEST_SECONDS,
            most=chains.LONGEST_SECONDS,
        )


def flat(stock: Stock, name: str, frame: float) -> int:
    """The flat frame of an action's own frame. Raises InertiaError for one outside of it."""
    base = stock.database
    for i, source in enumerate(base.sources):
        if (source.name, source.mirrored, source.bend) == (name, False, 0.0):
            index, count = round((frame - source.first) / source.step), base.stops[i] - base.starts[i]
            if name in stock.held:
                index = min(index, int(count) - 1)
            if 0 <= index < count:
                return int(base.starts[i]) + index
    raise no_frame(name, frame)


def no_frame(name: str, frame: float) -> InertiaError:
    """What is said where an action lacks a frame."""
    return InertiaError(
        '"{action}" has no frame {frame:g}, or is too short; choose a frame that it has.',
        action=name,
        frame=frame,
    )


def _allowed(stock: Stock, own: TransitionSettings, given: Collection[str]) -> Flags:
    """Which flat frames may be played: of the given actions, but for poses and what lies between two."""
    base = stock.database
    names = np.array([source.name in given and source.name not in stock.held for source in base.sources])
    allowed = names[base.part]
    assert own.destination_frame is not None
    first, last = own.cut, own.destination_frame
    if own.source == own.destination and _is_unkeyed(stock.clip(own.source), first, last):
        frames = np.concatenate(
            [
                source.first + source.step * np.arange(count)
                for source, count in zip(base.sources, base.stops - base.starts, strict=True)
            ]
        )
        of_both = np.array([source.name == own.source for source in base.sources])[base.part]
        allowed &= ~(of_both & (frames > first) & (frames < last))
    return np.asarray(allowed)


def _is_unkeyed(clip: Clip, first: float, last: float) -> bool:
    """Whether a clip has no key between two frames, so that it only goes from one pose to another there."""
    times = (curve.keys.co[:, 0] for curve in clip.curves.values())
    return first < last and not any(np.any((t > first + 1e-3) & (t < last - 1e-3)) for t in times)


def placed(base: Database, met: int, settings: FillSettings) -> tuple[float, tuple[float, float]]:
    """How the destination's ground is moved: radians, and metres."""
    if settings.place is None:
        return 0.0, (0.0, 0.0)
    x, y, facing = settings.place
    angle = math.radians(facing) - float(base.heading[met])
    shift = np.array((x, y)) - turned(base.ground[met], np.asarray(angle))
    return angle, (float(shift[0]), float(shift[1]))


def figures(found: Found) -> dict[str, Any]:
    """What fills a gap, as JSON values."""
    base, own = found.stock.database, found.settings
    clips = []
    for join in found.way.joins[1:]:
        source, frame = base.place(join.entered)
        clips.append(
            {
                "action": source.name,
                "mirrored": source.mirrored,
                "frame": frame,
                "from": own.transition.cut + join.frame * found.stock.step,
            }
        )
    ground = warped(found.way, found.chain.warp()).ground
    return {
        **({"obstacle_m": surroundings.nearest_obstacle(found.gap.walls, ground)} if found.gap.walls else {}),
        "seconds": own.gap_frames / scene.fps(),
        "arrival": own.arrival,
        "clips": clips,
        "costs": dict(found.chain.costs),
        "drawn_m": float(np.linalg.norm(found.chain.away)),
        "turned_deg": abs(math.degrees(found.chain.aside)),
    }
