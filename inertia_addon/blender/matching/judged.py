# SPDX-License-Identifier: GPL-3.0-or-later
"""The verdicts on a path's joins: each is a transition between two clips, where the path has placed them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any

import numpy as np

from ...errors import InertiaError
from ...motion.arrays import Array
from ...motion.judging.evidence import MARGIN_SECONDS
from ...motion.matching import mirror
from ...motion.matching.database import SMOOTH_SECONDS
from ...motion.skeleton import character
from ...motion.smoothing import smooth
from ...motion.steps import part
from ...settings.matching import PathSettings
from ...settings.transition import TransitionSettings
from ..data import clip_store, rigs, roots, scene
from ..data.actions import Clip
from ..data.roots import Root
from ..evaluation import joint_motion
from ..judging import evidence, sides
from ..judging.played import Footage
from ..judging.sides import Side, Window
from ..judging.verdict import Verdict
from . import bent, recipes, stock, terrain
from .plays import Played


def ending(settings: TransitionSettings, cut: float, nexts: float) -> float:
    """The last frame of a join: where its blend ends, or the next one begins. nexts: that one's frame."""
    lasts = settings.blend_seconds(scene.fps()) * scene.fps()
    return max(cut + 1.0, min(cut + lasts, nexts))


def of_joins(
    armature: Any,
    settings: PathSettings,
    clips: tuple[Clip, ...],
    root: Root,
    plays: Sequence[Played],
    path: Clip,
) -> Generator[float, None, tuple[Verdict, ...]]:
    """The verdict on each join of a path, in which the one before plays what is left of it and no further
    than to the next join; yields the part that is done.

    clips: with as many repetitions as the path plays. path: the result. Raises InertiaError
    for a rig that Blender would not play, and a ground that is gone.
    """
    found: list[Verdict] = []
    named, rig = {clip.action.name: clip for clip in clips}, rigs.read(armature)
    shown: dict[tuple[str, float], Clip] = {}
    for each in plays:
        known = each.action, each.bend
        if known not in shown:
            shown[known] = yield from part(
                bent.steps(armature, rig, root, named[known[0]], known[1]), 0.0, 0.0
            )
    footage = {known: Footage() for known in shown}
    rises = yield from part(_rises(armature, settings, root, path), 0.0, 0.1)
    for i, here in enumerate(plays[1:], 1):
        nexts = plays[i + 1].frame if i + 1 < len(plays) else path.end
        end = ending(settings.transition, here.frame, nexts)
        around = MARGIN_SECONDS * scene.fps()
        before = _side(armature, shown, footage, plays[i - 1], here.frame - around, end, here.moved)
        behind = _side(armature, shown, footage, here, here.frame - around, end + around, here.moved)
        both = before, behind
        steps = of_join(armature, settings.transition, both, path, (here.frame, end), rises)
        done = (0.1 + 0.9 * k / (len(plays) - 1) for k in (i - 1, i))
        found.append((yield from part(steps, *done)))
    return tuple(found)


def of_join(
    armature: Any,
    settings: TransitionSettings,
    both: tuple[Side, Side],
    path: Clip,
    window: tuple[float, float],
    rises: Callable[[Array], Array] | None = None,
) -> Generator[float, None, Verdict]:
    """The verdict on one join; yields the part that is done.

    both: what is played before and behind it. path: the result. window: its first and last frame. rises: see
    :func:`sides.judging`.
    """
    cut, end = window
    own = dataclasses.replace(settings, cut=cut)

    def weights(frames: Array) -> Array:
        return evidence.weights_of(own, scene.fps(), frames)

    return sides.judging(armature, both, path, Window(cut, end, end), weights, rises)


def _side(
    armature: Any,
    clips: Mapping[tuple[str, float], Clip],
    footage: Mapping[tuple[str, float], Footage],
    plays: Played,
    first: float,
    last: float,
    moved: tuple[float, float, float],
) -> Side:
    """A clip as a path has placed it. footage: of each, as several joins may show the same of it. moved: by a
    turn and a shift beside where it is placed."""
    metres = scene.metres_per_unit()
    x, y = (value / metres for value in plays.place)
    turn, *shift = moved
    whole = character.motion_of(turn, (shift[0] / metres, shift[1] / metres, 0.0))
    motion = whole @ character.motion_of(plays.angle, (x, y, 0.0))
    partners = mirror.partners(rigs.read(armature).bones.names) if plays.mirrored else None
    known = plays.action, plays.bend
    return Side(clips[known], plays.later, first, last, motion, partners, footage[known])


def _rises(
    armature: Any, settings: PathSettings, root: Root, path: Clip
) -> Generator[float, None, Callable[[Array], Array] | None]:
    """How much higher than the clips' floor the ground is at frames (n,), metres; None where it is that."""
    if settings.ground == "CLIP":
        return None
    step = stock.step_of(scene.fps())
    known = np.arange(path.start, path.end + 0.5, step)
    motion = yield from joint_motion.steps(armature, path, known, root)
    ground = smooth(motion.root_position[:, :2], SMOOTH_SECONDS * scene.fps() / step)
    heights = terrain.rises(rigs.read(armature), True, settings, ground, scene.fps() / step)
    assert heights is not None
    return lambda frames: np.interp(frames, known, heights)


def of_result(armature: Any, action: Any, slot: str) -> Generator[float, None, tuple[Verdict, ...]]:
    """The verdicts on a baked path's joins as its action shows them now, by its recipe; yields the part that
    is done.

    Raises InertiaError where the recipe can't be read or does not tell the joins, as those of earlier
    versions, and where something that it names is gone.
    """
    settings, _ = recipes.recipe_of(action)
    plays = recipes.plays_of(action)
    if not plays:
        raise InertiaError(
            '"{action}" was baked by an earlier version, which did not store its joins; bake it again.',
            action=action.name,
        )
    clips, _ = yield from part(stock.reading(armature, settings), 0.0, 0.4)
    root = roots.find_root(rigs.read(armature), clips, settings.transition.root)
    path = dataclasses.replace(clip_store.read(armature, action, slot), cycle=None)
    return (yield from part(of_joins(armature, settings, clips, root, plays, path), 0.4, 1.0))
