# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures a path that was baked, as the armature plays it, and judges its joins."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ...errors import InertiaError
from ...motion.arrays import Array, smooth
from ...motion.judging.evidence import MARGIN_SECONDS, velocity_changes
from ...motion.matching import clip_sequence, mirror
from ...motion.matching.database import SMOOTH_SECONDS
from ...motion.skeleton import character_space
from ...motion.steps import Steps, part
from ...records import record
from ...settings.matching import PathSettings
from ...settings.transition import TransitionSettings
from ..data import actions, clip_store, recipe, roots
from ..data.actions import Clip
from ..data.recipe_reader import read_recipe
from ..evaluation import joint_motion
from ..evaluation.character import Character, read_character
from ..judging import sides, verdict
from ..judging.played import Footage
from ..judging.sides import ResultView, Side, Window
from ..judging.verdict import Verdict
from . import action_set, recipes, surroundings, variants
from .bake import PathReport
from .search import PathPlan


@record(frozen=True)
class PathQuality:
    """What a baked path is like.

    path_rms_m, path_max_m: how far from the path the root's point on the ground is, smoothed as the search
    has it. apart_rms_m: how far it is from where the search had it. velocity_change: the largest change of
    the joints' velocity at a cut, as a part of the largest within the clips. verdicts: on each join. stop: on
    where the path stops before its end, None where it arrives.
    """

    path_rms_m: float
    path_max_m: float
    apart_rms_m: float
    velocity_change: float
    verdicts: tuple[Verdict, ...]
    stop: Verdict | None = None

    def figures(self) -> dict[str, float]:
        """Return all figures, without the verdicts."""
        return {name: value for name, value in vars(self).items() if name not in ("verdicts", "stop")}

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON values: the figures, and "verdict", the worst of all verdicts, None without
        any.
        """
        stop = () if self.stop is None else (self.stop,)
        return {**self.figures(), "verdict": verdict.as_values((*self.verdicts, *stop))["verdict"]}


def with_verdicts(joins: Iterable[dict[str, Any]], verdicts: Iterable[Verdict]) -> list[dict[str, Any]]:
    """Return joins as JSON values, each with its verdict."""
    return [{**join, "verdict": each.as_dict()} for join, each in zip(joins, verdicts, strict=True)]


def measure_path_steps(armature: Any, plan: PathPlan, report: PathReport) -> Steps[PathQuality]:
    """Return how a baked path plays on the armature; yields the part that is done, 0 to 1. Nothing in the
    file changes.

    ``path_rms_m``, ``path_max_m``: how far the root's smoothed point on the ground is from where the path
    wants it, metres; ``apart_rms_m``: from where the plan has it. ``velocity_change``: the largest change of
    the joints' velocity at a cut, as a part of the largest within the clips. ``verdicts``: one for each join,
    in order. ``stop``: the verdict on a path that ends early, None where it arrives. Raise InertiaError if
    the result is gone, for a ground that is gone, or for a rig that Blender would not play.
    """
    character = read_character(armature)
    stock, fps = plan.stock, character.fps
    clip = clip_store.read(armature, actions.find(report.result), report.slot)
    frames = report.frame_range[0] + np.arange(plan.way.frames, dtype=float) * stock.step
    motion = yield from part(joint_motion.steps(character, clip, frames, stock.root), 0.0, 0.3)
    ground = smooth(motion.root_position[:, :2], SMOOTH_SECONDS * stock.database.fps)
    way = dataclasses.replace(plan.warped, ground=ground)
    away = np.linalg.norm(ground - clip_sequence.wanted(way, plan.target)[0], axis=1)
    apart = np.linalg.norm(ground - plan.warped.ground, axis=1)
    change = yield from part(_change(character, plan, clip, report, fps), 0.3, 0.7)
    verdicts = yield from part(judge_path_steps(character, plan, report), 0.7, 1.0)
    return PathQuality(_rms(away), float(away.max()), _rms(apart), change, verdicts, plan.stop)


def judge_path_steps(character: Character, plan: PathPlan, report: PathReport) -> Steps[tuple[Verdict, ...]]:
    """Judge the joins of a baked path; yields the part that is done, 0 to 1. Of a rig that Blender has to
    play it shows the windows of joins, and of the clips what is around these."""
    stock, clip = plan.stock, clip_store.read(character.armature, actions.find(report.result), report.slot)
    return judge_joins_steps(
        character, plan.settings, stock.clips, stock.root, recipes.plays_along(plan), clip
    )


def _rms(values: Array) -> float:
    return float(np.sqrt(np.mean(values**2)))


def _change(character: Character, plan: PathPlan, clip: Clip, report: PathReport, fps: float) -> Steps[float]:
    """Return the largest change of joint velocity at a cut of a path, divided by the largest in the clips
    that are played; yields the part that is done.

    A change is from frame to frame, rms over all joints; at a cut the five frames from two before it to two
    behind it are looked at. 0.0 if no clip has three frames, if the clips stand still, or for a path without
    cuts.
    """
    stock = plan.stock
    used = {source.name for source, _ in plan.entered}
    highest = 0.0
    for i, name in enumerate(sorted(used)):
        clip_motion = yield from part(
            joint_motion.whole(character, stock.clip(name), stock.root), i / len(used), (i + 1) / len(used)
        )
        if len(clip_motion.frames) > 2:
            highest = max(highest, float(velocity_changes(clip_motion.positions, fps).max()))
    largest = 0.0
    for cut in report.cut_frames:
        around = cut + np.arange(-2.0, 3.0)
        seen = joint_motion.evaluate(character, clip, around, stock.root).positions
        largest = max(largest, float(velocity_changes(seen, fps).max()))
    return largest / highest if highest > 0.0 else 0.0


# --- verdicts: each join is a transition between two clips, where the path has placed them


def end_of_join(character: Character, settings: TransitionSettings, cut: float, nexts: float) -> float:
    """Return the last frame of a join: where its blend ends, or where the next join begins if that is sooner,
    but a frame behind the cut at least.

    nexts: the frame of the next join; inf for none.
    """
    lasts = settings.blend_seconds(character.fps) * character.fps
    return max(cut + 1.0, min(cut + lasts, nexts))


def judge_joins_steps(
    character: Character,
    settings: PathSettings,
    clips: tuple[Clip, ...],
    root: roots.Root,
    plays: Sequence[recipes.PlayedClip],
    path: Clip,
) -> Steps[tuple[Verdict, ...]]:
    """Judge each join of a path against both clips as the path has placed them; return the verdicts, one for
    each of `plays` but the first, in order; yield the part that is done, 0 to 1.

    A join lasts from its frame until its blend ends or the next join begins, whichever comes first, but a
    frame at least. The clip before is seen until then, the one behind a margin longer; both begin the same
    margin before the join.

    clips: those that are played, by their actions' names, with as many repetitions as the path plays. root:
    of the character. plays: what the path plays, the first without a join. path: the result as a clip.

    Raise KeyError for a play of none of the clips, and InertiaError for a rig that Blender would not play,
    and for a ground that is gone.
    """
    verdicts: list[Verdict] = []
    named, rig = {clip.action.name: clip for clip in clips}, character.rig
    shown: dict[tuple[str, float], Clip] = {}
    for name, bend in dict.fromkeys((each.action, each.bend) for each in plays):
        bending = variants.bend_clip_steps(character, rig, root, named[name], bend)
        shown[name, bend] = yield from part(bending, 0.0, 0.0)
    # of each, as several joins may show the same of it
    footage = {key: Footage() for key in shown}
    metres = character.metres

    def side(
        placed: recipes.PlayedClip, first: float, last: float, extra_motion: tuple[float, float, float]
    ) -> Side:
        """Return a clip as the path has placed it, to be seen from frame `first` to frame `last` of the path.

        The :class:`Side` has the clip, bent as `placed` is, how many frames ``later`` than by itself it
        plays, and the ``motion`` (4, 4) in world units: that of `placed` (``angle``, ``place``), then
        `extra_motion`. ``partners`` are there only if it is mirrored; ``footage`` is shared by all sides of
        the same clip and bend.

        placed: what is played. extra_motion: a further turn about the world's vertical, radians, then a shift
        along x and y, metres, of the whole.
        """
        turn, x, y = extra_motion
        whole = character_space.motion_of(turn, (x / metres, y / metres, 0.0))
        x, y = (value / metres for value in placed.place)
        motion = whole @ character_space.motion_of(placed.angle, (x, y, 0.0))
        partners = mirror.partners(rig.bones.names) if placed.mirrored else None
        key = placed.action, placed.bend
        return Side(shown[key], placed.later, first, last, motion, partners, footage[key])

    rises = yield from part(_rises(character, settings, root, path), 0.0, 0.1)
    for i, play in enumerate(plays[1:], 1):
        nexts = plays[i + 1].frame if i + 1 < len(plays) else path.end
        end = end_of_join(character, settings.transition, play.frame, nexts)
        around = MARGIN_SECONDS * character.fps
        both = (
            side(plays[i - 1], play.frame - around, end, play.moved),
            side(play, play.frame - around, end + around, play.moved),
        )
        steps = judge_join_steps(character, settings.transition, both, path, (play.frame, end), rises)
        done = (0.1 + 0.9 * k / (len(plays) - 1) for k in (i - 1, i))
        verdicts.append((yield from part(steps, *done)))
    return tuple(verdicts)


def judge_join_steps(
    character: Character,
    settings: TransitionSettings,
    both: tuple[Side, Side],
    path: Clip,
    window: tuple[float, float],
    rises: Callable[[Array], Array] | None = None,
) -> Steps[Verdict]:
    """Judge one join; yield the part that is done.

    both: what is played before and after it. path: the result. window: its first and last frame. rises: see
    :class:`sides.ResultView`; None where nothing raises the result.
    """
    cut, end = window
    weights = functools.partial(verdict.weights_of, dataclasses.replace(settings, cut=cut), character.fps)
    return sides.judge_sides_steps(character, both, path, Window(cut, end, end), ResultView(weights, rises))


def _rises(
    character: Character, settings: PathSettings, root: roots.Root, path: Clip
) -> Steps[Callable[[Array], Array] | None]:
    """Return a function that gives how much higher than the clips' floor the ground is at frames (n,), in
    metres (n,); None if the settings' ground is CLIP.

    Yields the part that is done. Between samples heights are interpolated. Raise InertiaError for a ground
    object that is gone or no mesh, one that is nowhere near the path, and a rig that Blender would not play.
    """
    if settings.ground == "CLIP":
        return None
    step = action_set.step_of(character.fps)
    samples = np.arange(path.start, path.end + 0.5, step)
    motion = yield from joint_motion.steps(character, path, samples, root)
    ground = smooth(motion.root_position[:, :2], SMOOTH_SECONDS * character.fps / step)
    heights = surroundings.rises(
        character.rig, carries=True, settings=settings, ground_path=ground, fps=character.fps / step
    )
    assert heights is not None
    return lambda frames: np.interp(frames, samples, heights)


def judge_result_steps(character: Character, action: Any, slot: str) -> Steps[tuple[Verdict, ...]]:
    """Judge a baked path's joins as its action shows them now, by its recipe; return the verdicts in order;
    yields the part that is done, 0 to 1.

    Where it stops before the path's end, a verdict on that comes last. slot: its identifier. Raise
    InertiaError if the recipe can't be read, if it was stored by an earlier version that did not note the
    joins, and if something that it names is gone.
    """
    settings = read_recipe(action, recipe.PATH).settings
    plays = recipes.plays_of(action)
    if not plays:
        raise InertiaError(
            '"{action}" was baked by an earlier version, which did not store its joins; bake it again.',
            action=action.name,
        )
    clips, _ = yield from part(action_set.read_clips_steps(character, settings), 0.0, 0.4)
    root = roots.find_root(character.rig, clips, settings.transition.root)
    path = dataclasses.replace(clip_store.read(character.armature, action, slot), cycle=None)
    seen = yield from part(judge_joins_steps(character, settings, clips, root, plays, path), 0.4, 1.0)
    short = recipes.short_of(action)
    return (*seen, verdict.of_stop(short, path.end)) if short > 0.0 else seen
