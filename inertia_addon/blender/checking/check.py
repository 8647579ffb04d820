# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures by which any action is judged: its feet, its pops, and the verdict where Inertia has baked it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...errors import InertiaError, Sentence
from ...motion.arrays import Array
from ...motion.feet.contacts import FootFigures
from ...motion.feet.legs import Leg
from ...motion.judging.evidence import velocity_changes
from ...motion.steps import Steps, finish, part
from ...records import record
from ..data import actions, clip_store, recipe, result_kinds, roots
from ..data.actions import Clip
from ..data.recipe_reader import has_changed, read_recipe
from ..data.roots import Root
from ..evaluation import cycles, joint_motion
from ..evaluation.character import Character, read_character
from ..feet import bake as feet_bake
from ..feet import contacts, legs
from ..feet.contacts import Contacts
from ..fill import bake as fill_bake
from ..fill import search as fill_search
from ..hops import bake as hop_bake
from ..judging import locked_feet, rewritten, verdict
from ..judging.verdict import Verdict, Verdicts
from ..learned import bake as learned_bake
from ..loops import bake as loop_bake
from ..loops import judged as loop_judged
from ..matching import quality as path_judged
from ..pops import bake as pop_bake
from ..transition import judged
from ..travel import reading as travel

SLOWEST = 0.1
"""Feet that are low and go no faster than this, in leg lengths a second, stand, on ground that does."""


@record(frozen=True)
class ActionCheck:
    """What an action is like.

    action, slot: which. start, end: its first and last frame, and cycle: whether the last is the first of its
    next repetition. in_place: whether it walks on ground that passes below it, with ground_speed, m/s. feet:
    what each does. pop: the highest change of the joints' velocity from frame to frame, m/s, rms over all
    joints, and pop_frame: where; None in less than three frames. seen: of what Inertia has baked.
    """

    action: str
    slot: str
    start: float
    end: float
    cycle: bool
    in_place: bool
    ground_speed: float
    feet: tuple[FootFigures, ...]
    pop: float | None
    pop_frame: float | None
    seen: CheckedResult

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON values: all fields but ``seen``, with feet as dicts, and of what was seen
        "verdict" (the worst, or None), "verdicts" and "notes".
        """
        values = {name: value for name, value in vars(self).items() if name != "seen"}
        feet = [foot.as_dict() for foot in self.feet]
        return {
            **values,
            "feet": feet,
            **verdict.as_values(self.seen.verdicts),
            "notes": list(self.seen.notes),
        }

    def measured(self) -> dict[str, float | None]:
        """Return what gates judge, a number by name; None for what nothing tells.

        ``pop`` is that of all frames, m/s. ``skate`` (metres), ``skate_speed`` (m/s) and ``penetration``
        (metres) are the worst of all feet. If there are verdicts, ``skate`` is the worst of these instead,
        and their ``lift`` and ``reach`` (metres) come along.
        """

        def worst(name: str) -> float | None:
            values = [value for foot in self.feet if (value := getattr(foot, name)) is not None]
            return max(values, default=None)

        figures = {
            "pop": self.pop,
            "skate": worst("skate_m"),
            "skate_speed": worst("skate_speed"),
            "penetration": worst("penetration_p95_m"),
        }
        if not self.seen.verdicts:
            return figures
        return {**figures, **verdict.measures(self.seen.verdicts), "pop": self.pop}


def steps(armature: Any, clip: Clip) -> Steps[ActionCheck]:
    """Judge a clip of an armature: feet, pops, and what Inertia has baked; yield the part that is done, 0 to
    1, and return the :class:`ActionCheck`.

    It has ``action`` and ``slot``, the names; ``start`` and ``end``, the first and last frame, of a cycle the
    cycle's; ``cycle``, whether it is one; ``in_place``, whether it walks in place, and ``ground_speed``, how
    fast (m/s, else 0.0); ``feet``, what each foot does, a tuple; ``pop``, the highest change of the joints'
    velocity between frames (m/s, rms over the joints), and ``pop_frame``, both None for fewer than three
    frames; and ``seen``, with ``verdicts`` and ``notes``. Without legs ``feet`` is (), which is a note; a
    result that can't be judged is a note, too. A clip that counts as a cycle is looked at across its seam.

    In the end the file is as it was; between, it may hold temporary actions. Raise InertiaError for a clip of
    which not every frame can be looked at, stored contacts or settings that can't be used, keys that are not
    finite, an armature in Edit Mode or at no finite place, and where Blender has to play the rig and would
    not.
    """
    character = read_character(armature)
    joint_motion.check_each(clip)
    all_legs, planted, speed = legs.of_armature(armature), None, 0.0
    if all_legs:
        planted, speed = yield from part(_plant_steps(character, clip, all_legs), 0.0, 0.3)
    seen = yield from part(judge_action_steps(character, clip.action, clip.slot.identifier), 0.3, 0.6)
    if planted is None:
        seen = dataclasses.replace(seen, notes=(*seen.notes, legs.none_note(armature)))
    rig = character.rig
    root = roots.find_root(rig, [clip])
    clip = cycles.with_cycle(rig, root, clip)
    frames = joint_motion.grid(clip, joint_motion.MOST_EACH)
    if clip.cycle is not None:
        # a cycle's seam is where it begins anew
        frames = np.concatenate([frames, frames[-1] + [1.0, 2.0]])
    jumps = yield from part(_velocity_changes(character, clip, frames, root), 0.6, 1.0)
    highest = int(np.argmax(jumps)) if len(jumps) else None
    cycle = clip.cycle
    return ActionCheck(
        clip.action.name,
        clip.slot.identifier,
        *((clip.start, clip.end) if cycle is None else (cycle.start, cycle.end)),
        cycle is not None,
        speed > 0.0,
        speed,
        () if planted is None else contacts.figures_of(character, planted),
        None if highest is None else float(jumps[highest]),
        None if highest is None else float(frames[highest + 1]),
        seen,
    )


def _plant_steps(character: Character, clip: Clip, all_legs: Sequence[Leg]) -> Steps[tuple[Contacts, float]]:
    """Return (when feet are planted, how fast the ground passes below who walks in place, metres a second);
    yield the part that is done, 0 to 1. The speed is 0.0 for who does not walk in place.

    If no low foot moves, contacts are those found by the motion alone. Else they are found anew over ground
    that stands, with the character taken along the way that Travel finds for it, or left where it is if
    Travel finds none: so feet skate here as they do when Travel has given the clip that way. What was edited
    of contacts comes first in either case.
    """
    planted = yield from part(contacts.find_steps(character, clip, all_legs), 0.0, 0.4)
    speed = 0.0
    if _feet_move(character, planted):
        rig = character.rig
        root = roots.find_root(rig, (clip,))
        walked = yield from part(travel.find_walk_steps(character, rig, clip, all_legs, root), 0.4, 1.0)
        motions = np.tile(np.eye(4), (len(planted.frames), 1, 1))
        if walked is not None:
            speed = walked.speed
            motions = walked.way.scaled(character.metres).repeated(planted.frames)
        planted = contacts.carried_along(character, planted, motions)
    edits = contacts.stored(clip.action)
    return contacts.with_edits(planted, contacts.stored_in_clip(clip), edits), speed


def _feet_move(character: Character, planted: Contacts) -> bool:
    """Return whether the ground may pass below the feet: whether contacts were found against a moving ground,
    or any planted foot skates faster than SLOWEST leg lengths (the median leg's) a second. A foot whose skate
    speed is unknown counts as still.
    """
    if planted.ground.any():
        return True
    least = SLOWEST * float(np.median(planted.lengths))
    return any((foot.skate_speed or 0.0) > least for foot in contacts.figures_of(character, planted))


def _velocity_changes(character: Character, clip: Clip, frames: Array, root: Root) -> Steps[Array]:
    """Return the change of the joints' velocity at each inner frame (n - 2,), m/s, rms over all joints; yield
    the part that is done, 0 to 1.

    frames: (n,), one frame apart, as velocities are counted by the scene's frame rate. Empty for fewer than
    three. As many at once are looked at as memory allows.
    """
    jumps, count = [np.zeros(0)], joint_motion.most_frames(character)
    ends = [*range(count, len(frames) - 2, count), len(frames)]
    for i, end in enumerate(ends):
        steps = joint_motion.steps(character, clip, frames[i * count : end + 2], root)
        motion = yield from part(steps, i / len(ends), (i + 1) / len(ends))
        jumps.append(velocity_changes(motion.positions, character.fps))
    return np.concatenate(jumps)


@record(frozen=True)
class CheckedResult:
    """What is seen of a result.

    verdicts: on its transition, on a loop's seam, or on the blends of a hop, the joins of a path or a filled
    gap, one after the other; () where there is none. notes: why, or what to know of them.
    """

    verdicts: tuple[Verdict, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def worst(self) -> Verdict | None:
        """The worst of the verdicts, if there are any."""
        return verdict.worst(self.verdicts) if self.verdicts else None


def judge_action_steps(character: Character, action: Any, slot: str = "") -> Steps[CheckedResult]:
    """Judge an action, if Inertia has baked it; yield the part that is done, and return the verdicts and
    notes; both are () for any other action.

    The verdicts are on its transition, on a loop's seam, on the blends of a hop, the joins of a path or a
    filled gap, in order; ``worst`` is the worst of them, None without any. slot: its identifier, "" for the
    one that Blender would choose. That its sources have changed since is a note. Where its recipe can't be
    read, or what it was made of is gone, there are no verdicts, and the reason is the only note: no
    InertiaError is raised. In the end the file is as it was; between, it may hold temporary actions of a hop.
    """
    judge = KINDS.get(recipe.kind(action))
    if judge is None:
        return CheckedResult()
    notes: tuple[str, ...] = ()
    try:
        if has_changed(action, character.armature):
            changed = Sentence(
                'The sources of "{action}" have changed since it was baked; it is judged by what they are '
                "now.",
                action=action.name,
            )
            notes = (changed,)
        return CheckedResult((yield from judge(character, action, slot)), notes)
    except InertiaError as error:
        return CheckedResult(
            (), (Sentence("Its transitions can't be judged: {reason}", reason=error.sentence),)
        )


def _loop(character: Character, action: Any, slot: str) -> Verdicts:
    settings = read_recipe(action, loop_bake.KIND).settings
    stretch, _ = yield from part(loop_bake.read_stretch_steps(character, settings), 0.0, 0.5)
    loop = clip_store.read(character.armature, action, slot)
    return ((yield from part(loop_judged.of_loop(character, settings, stretch, loop), 0.5, 1.0)),)


def _locked_feet(character: Character, action: Any, slot: str) -> Verdicts:
    settings = read_recipe(action, feet_bake.KIND).settings
    return locked_feet.judge_locked_steps(character, settings, action, slot)


def _smoothed_pops(character: Character, action: Any, slot: str) -> Verdicts:
    settings = read_recipe(action, pop_bake.KIND).settings
    return pop_bake.judge_smoothed_action_steps(character, settings, action, slot)


def _rewritten(character: Character, action: Any, slot: str) -> Verdicts:
    """Judge all of an action that is another one with other values, beside that one: of one that was given
    travel, or lost it, on the ground that its feet stand on.
    """
    stored, armature = read_recipe(action), character.armature
    settings = stored.settings
    clip = clip_store.read(armature, actions.find(settings.action, settings.library), settings.slot)
    result, lock = clip_store.read(armature, action, slot), None
    if stored.kind == result_kinds.TRAVEL and (all_legs := legs.of_armature(armature)):
        planted = finish(contacts.read_contacts_steps(character, result, all_legs))
        lock = rewritten.LockedOn(planted.ground)
    stretches = rewritten.cut_into_stretches(result, character.fps)
    return rewritten.judge_stretches_steps(character, clip, result, stretches, lock)


def _hop(character: Character, action: Any, slot: str) -> Verdicts:
    stored = read_recipe(action, recipe.HOP)
    settings, way = stored.settings, hop_bake.read_way(stored)
    shown = dataclasses.replace(clip_store.read(character.armature, action, slot), cycle=None)
    temporary: list[Any] = []
    try:
        stock = hop_bake.stock_of(character, settings, way)
        plans, _ = hop_bake.planned(character, settings, way, stock, temporary)
        yield 0.5
        return (yield from part(hop_bake.judge_blends_steps(plans, shown), 0.5, 1.0))
    finally:
        # between two blends a result is nothing that anybody asked for
        actions.remove_all(temporary)


def _fill(character: Character, action: Any, slot: str) -> Verdicts:
    stored = read_recipe(action, recipe.FILL)
    settings, weights = stored.settings, stored.weights
    shown = dataclasses.replace(clip_store.read(character.armature, action, slot), cycle=None)
    searched = None
    if settings.use_library:
        searched = yield from part(
            fill_search.search_fill_steps(character.armature, settings, weights), 0.0, 0.5
        )
        if fill_bake.is_without_clips(action):
            searched = searched.without_clips
    return (yield from part(fill_bake.judge_gap_steps(character, settings, searched, shown), 0.5, 1.0))


KINDS: dict[str, Callable[[Character, Any, str], Verdicts]] = {
    recipe.RECIPE: judged.judge_result_steps,
    recipe.HOP: _hop,
    recipe.PATH: path_judged.judge_result_steps,
    recipe.LEARNED: learned_bake.judge_result_steps,
    recipe.FILL: _fill,
    loop_bake.KIND: _loop,
    feet_bake.KIND: _locked_feet,
    pop_bake.KIND: _smoothed_pops,
    result_kinds.TRAVEL: _rewritten,
    result_kinds.FINISH: _rewritten,
    result_kinds.KEYS: _rewritten,
}
"""What judges each kind of results."""
