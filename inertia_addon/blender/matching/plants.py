# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet that are locked along a path: when they stand, and where they land, is what its clips say, as each is
placed.

That is not what is baked, in which feet skate behind the joins and by the warp.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...motion.arrays import Array, runs
from ...motion.feet import chains, crossing, toes
from ...motion.feet.contacts import Spans
from ...motion.feet.corrections import Hold
from ...motion.feet.crossing import FollowedClips, Locked
from ...motion.feet.legs import Leg
from ...motion.feet.locking import LegMotion, led
from ...motion.skeleton.posing import move_poses
from ...motion.steering.feet import TakenFeet, taken
from ...motion.steps import Steps, part
from ...records import record
from ...settings.feet import Locking
from ..data import clip_store
from ..data.actions import Clip
from ..data.rewriting import Rewritten
from ..evaluation.character import Character
from ..feet import bake, leg_choice
from ..feet.bake import HoldOptions
from ..feet.body import Body
from . import posing, surroundings
from .search import PathPlan


@record(frozen=True, eq=False)
class Placed:
    """What a path plays from a frame on: a clip, and how that is moved.

    entered: the clip's own frame then. motion: (4, 4) of the world, before the warp."""

    frame: float
    clip: Clip
    entered: float
    motion: Array


def lead_feet_steps(character: Character, plan: PathPlan) -> Steps[TakenFeet | None]:
    """Return how the feet of a take are led, as they were while it was steered; yield the part that is done,
    0 to 1.

    The :class:`TakenFeet` has the legs' ``names``; ``away`` (moments, feet, 4), how far each foot is led from
    where the pose has it: x, y, z in the world, in world units, and the heading in radians; ``still``
    (moments, feet), whether it is held and has come to rest; ``floors`` (moments, feet, 2), how high toes and
    heel are at least; and ``knees``, one for each leg.

    Return None where feet are not locked while steering: for a path (``plan.moments`` is None), on a ground
    other than the clips' own, with feet OFF, for a set without contacts, on a control rig, and where the legs
    can't be locked and the settings don't ask for LOCK. With LOCK the last raises InertiaError.
    """
    stock, settings = plan.stock, plan.settings
    if plan.moments is None or plan.rises is not None or not posing.locks_feet(stock, settings):
        return None
    poser = yield from part(posing.read_poser_steps(character, stock, settings), 0.0, 0.2)
    feet = posing.feet(character, stock, settings, poser)
    return None if feet is None else (yield from part(taken(feet, plan.moments), 0.2, 1.0))


def as_shown(
    character: Character,
    draft: Any,
    asked: Locking,
    legs: Sequence[Leg],
    feet: TakenFeet,
    at: Callable[[Array], Array],
) -> tuple[Rewritten, dict[str, Spans]]:
    """Return (the curves of a take's draft with its feet led as they were shown, when each foot stands
    still); nothing is written.

    The second is a dict of Spans by the foot bone's name: spans of the draft's frames, both ends included.

    draft: the action. asked: how feet are locked; the hips are not let down, whatever it says, and toes are
    kept above the floors only if it has ``least_toes``. legs: those to lock. feet: as they were led; a leg
    that can be locked and is not among its names raises ValueError. at: takes frames (n,) of the draft, and
    gives the moments of the take then (n,), which need not be whole: how far a foot is led is interpolated,
    and it stands where it is still at both moments beside.

    Raise InertiaError for legs that can't be locked.
    """
    clip = dataclasses.replace(clip_store.read(character.armature, draft), cycle=None)
    asked = dataclasses.replace(asked, hips_drop=0.0)
    body = leg_choice.find_body(
        character, character.rig, asked, None, (clip,), leg_choice.LegKnowledge(tuple(legs))
    )
    which = [feet.names.index(leg.name) for leg in body.legs.legs]

    def hold(frames: Array, motions: list[LegMotion]) -> Locked:
        moments = at(frames)
        away, still = feet.away_at(moments)[:, which], feet.still_at(moments)[:, which]
        paths = [leg.point_and_heading + away[:, k] for k, leg in enumerate(motions)]
        holds = [
            [Hold(first, last, path[first]) for first, last in runs(still[:, k])]
            for k, path in enumerate(paths)
        ]
        turned = [led(leg, path) for leg, path in zip(motions, paths, strict=True)]
        if asked.least_toes is None:
            return Locked(holds, paths, np.zeros(len(frames)), turned)
        floors = feet.floors_at(moments)[:, which].swapaxes(0, 1)
        kept = [
            toes.keep_above_at_once(leg, turn, path, floor, heels=asked.raises_heels)
            for leg, turn, path, floor in zip(motions, turned, paths, floors, strict=True)
        ]
        turned, raised = [turn for turn, _ in kept], [toe for _, toe in kept]
        return Locked(holds, paths, np.zeros(len(frames)), turned, raised)

    knees = [feet.knees[i] for i in which]
    held = bake.hold_clip(character, clip, body, hold, HoldOptions(knees=knees, frames=_keyed(clip)))
    return held.curves, held.holds


def locked(
    character: Character, plan: PathPlan, draft: Any, plays: Sequence[Placed], warps: Callable[[Array], Array]
) -> tuple[Rewritten, dict[str, Spans]]:
    """Return (the curves of a path's draft with its feet locked, when each foot stands still); nothing is
    written.

    The second is a dict of Spans by the foot bone's name: spans of the draft's frames, both ends included.
    Feet are planted where the set's contacts at the nearest frame of the way say so, and are held where the
    clips alone have them around joins, see :func:`_by_themselves`.

    draft: the action. plays: the clips in order, the first from the beginning on. warps: takes frames (n,) of
    the draft, and gives the motions of the world (n, 4, 4), in its units, by the warp and the ground.

    Raise AssertionError for a set without contacts, and InertiaError for legs that can't be locked and a
    ground that can't be stood on.
    """
    stock, settings = plan.stock, plan.settings
    asked, base = surroundings.choose_locking(settings), stock.database
    # a path is gone along once, even if its ends meet
    clip = dataclasses.replace(clip_store.read(character.armature, draft), cycle=None)
    body = leg_choice.find_body(
        character, character.rig, asked, None, (clip,), leg_choice.LegKnowledge(stock.legs)
    )
    names = [leg.name for leg in stock.legs]
    assert base.contacts is not None
    planted = base.contacts[plan.way.flat][:, [names.index(leg.name) for leg in body.legs.legs]]

    def hold(frames: Array, legs: list[LegMotion]) -> Locked:
        at = (frames - settings.first_frame) / stock.step
        stands = planted[np.clip(np.round(at), 0, len(planted) - 1).astype(np.int64)].T
        rises = np.zeros(len(frames))
        if plan.rises is not None:
            rises = np.interp(at, np.arange(len(plan.rises)), plan.rises)
        begins = [0, *(int(np.searchsorted(frames, each.frame - 1e-6)) for each in plays[1:])]
        window = settings.transition.blend_seconds(character.fps)
        clips = _by_themselves(body, legs, frames, plays, warps, window * character.fps)
        limits = leg_choice.read_limits(asked, settings.transition.step_height)
        followed = FollowedClips(clips, list(stands), begins, window)
        # how high feet stand where the clips have them, and once the character is raised
        metres = character.metres
        heights = [
            [np.median(high[first : last + 1]), np.median((high - rises)[first : last + 1])]
            for leg, stand in zip(legs, stands, strict=True)
            for high in (leg.point[:, 2] * metres,)
            for first, last in runs(stand)
        ]
        risen, flat = np.array(heights).reshape(-1, 2).T
        ground = surroundings.ground_below(character, asked, flat, risen)
        return crossing.follow(frames / character.fps, legs, followed, limits, ground)

    held = bake.hold_clip(character, clip, body, hold, HoldOptions(frames=_keyed(clip)))
    return held.curves, held.holds


def _keyed(clip: Clip) -> Array:
    """Return the frames on which a path is keyed (n,); it may begin between two of the scene's."""
    return np.asarray(clip.start + np.arange(round(clip.end - clip.start) + 1.0))


def _by_themselves(
    body: Body,
    legs: Sequence[LegMotion],
    frames: Array,
    plays: Sequence[Placed],
    warps: Callable[[Array], Array],
    window: float,
) -> list[LegMotion]:
    """Return the legs at all of `frames` as the clips alone have them, without what is blended in, from each
    join but the beginning on, for `window` frames and one more or until the next join; elsewhere as the path
    has them.

    legs: as the path has them at frames (n,), which stay as they are; only ``point`` and ``foot`` are
    replaced. plays: the clips in order, each as it is placed. warps: takes frames (n,), and gives the motions
    of the world (n, 4, 4) by the warp and the ground. Behind its own last frame a clip stands still.
    """
    points, feet = [leg.point.copy() for leg in legs], [leg.foot.copy() for leg in legs]
    ends = [*(each.frame for each in plays[1:]), np.inf]
    for each, end in itertools.islice(zip(plays, ends, strict=True), 1, None):
        until = min(end - 1e-6, each.frame + window + 1.0)
        at = np.flatnonzero((frames >= each.frame - 1e-6) & (frames < until))
        if not len(at):
            continue
        clip_frames = np.clip(frames[at] - each.frame + each.entered, each.clip.start, each.clip.end)
        posed = move_poses(
            body.posed(each.clip, clip_frames, changing=False), warps(frames[at]) @ each.motion
        )
        for k, leg in enumerate(body.legs.legs):
            points[k][at], feet[k][at] = chains.point_of(leg, posed), posed.axes[leg.foot]
    return [
        dataclasses.replace(leg, point=point, foot=foot)
        for leg, point, foot in zip(legs, points, feet, strict=True)
    ]
