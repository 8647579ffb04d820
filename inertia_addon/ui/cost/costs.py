# SPDX-License-Identifier: GPL-3.0-or-later
"""What the cost panel and the overlays know, computed when asked for and kept until something changes.

Clips of plain rigs are evaluated at once. Those of other rigs take Blender's own evaluation, which
moves the scene: that is left to an operator, whose findings are put here.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

from ...blender.cost import costing, meetings
from ...blender.cost.costing import Compared, Pair, Plants, WeighedSkate
from ...blender.data import actions
from ...blender.evaluation import joint_motion
from ...blender.evaluation.character import Character, CharacterPoser, HasToPlay, read_character
from ...blender.feet import contacts, legs
from ...errors import InertiaError
from ...motion.steps import Steps, finish, part
from ...records import record
from ..shared import cache, character, words
from ..transition import outlook
from ..transition.properties import settings_from
from .joint_list import weights_from

if TYPE_CHECKING:
    from ...blender.data.actions import Clip
    from ...blender.data.roots import Root
    from ...blender.evaluation.joint_motion import JointMotion
    from ...settings.cost import Search
    from ...settings.transition import TransitionSettings

MOTION, MOTIONS = "motion ", 8
"""What evaluated clips are kept under, and how many: they are large."""

READING = 0.3
"""About what part of an evaluation it is to read the clips."""


class NotEvaluated(InertiaError):
    """Evaluating would hold up the panels, so that an operator has to do it."""


@record(frozen=True, eq=False)
class Evaluated:
    """Two clips of an armature, evaluated.

    names: of the actions. spans: first and last key frame of each. poser: what told where the joints are.
    plants: when feet stand in the destination; None where their skate
    counts nothing. Nothing of it refers into the file.
    """

    source: JointMotion
    destination: JointMotion
    alignment: str
    names: tuple[str, str]
    spans: tuple[tuple[float, float], tuple[float, float]]
    poser: CharacterPoser
    plants: Plants | None


@record(frozen=True, eq=False)
class PairCosts:
    """What there is to know about one armature's settings.

    cut, destination_frame: where the settings are. compared: the two clips.
    """

    settings: TransitionSettings
    cut: float
    destination_frame: float
    evaluated: Evaluated
    compared: Compared


def costs_of(armature: Any, *, to_show: bool = True) -> PairCosts:
    """Return the costs of an armature's settings, with both clips evaluated; what was evaluated is kept until
    something changes.

    to_show: they are only drawn: then they may be of settings or a rig a moment ago, are found once for each
    redraw, and InertiaError is raised if the cut or the destination frame lies outside of its clip. Without,
    they are of the settings as they are, as something is done with them, and frames are not checked. A
    destination frame that is None becomes the destination's first.

    Raise NotEvaluated, unless the clips are kept, if Blender would have to play them and either skate counts
    or not both were played before; and, with to_show alone, if an action is so long that it takes a while.
    Raise other InertiaErrors for settings or clips that can't be used.
    """
    if to_show:
        return cache.in_redraw("costs", armature, lambda: _costs_of(armature, to_show=True))
    cache.settle()
    return _costs_of(armature, to_show=False)


def _costs_of(armature: Any, *, to_show: bool) -> PairCosts:
    settings = outlook.entered(armature, settings_from(armature))
    evaluated = _evaluated(armature, settings, at_once=not to_show)
    weights, skate_weight = weights_from(armature), armature.inertia_search.skate_weight
    fps = read_character(armature).fps
    fades = (settings.decay, settings.seconds(fps), settings.extrapolation_half_life)

    def compute() -> Compared:
        motions = evaluated.source, evaluated.destination
        return costing.compare(
            settings,
            evaluated.alignment,
            weights,
            motions,
            fps,
            WeighedSkate(evaluated.plants, skate_weight),
        )

    key = (evaluated, tuple(weights.items()), skate_weight, *fades, settings.velocity)
    compared = cache.answer("compared", armature, key, compute, at_once=not to_show)
    entry = settings.destination_frame
    entry = evaluated.spans[1][0] if entry is None else entry
    costs = PairCosts(settings, settings.cut, entry, evaluated, compared)
    if to_show:
        check_inside(costs, 0)
        check_inside(costs, 1)
    return costs


def check_inside(costs: PairCosts, side: int) -> None:
    """Raise InertiaError if the cut (side 0), or the destination frame (side 1), lies outside of its clip's
    key frames by more than 0.001 frames.

    A source that is a cycle has no last frame; a destination always has.
    """
    frame = (costs.cut, costs.destination_frame)[side]
    first, last = costs.evaluated.spans[side]
    if side == 0 and costs.evaluated.source.cycle is not None:
        last = math.inf
    if words.outside(frame, (first, last)):
        raise InertiaError(
            'The {label} {frame:g} lies outside "{action}", frames {first:g} to {last:g}: choose a frame '
            "inside to see costs.",
            label=("cut", "destination frame")[side],
            frame=frame,
            action=costs.evaluated.names[side],
            first=first,
            last=last,
        )


def clips_key(armature: Any, settings: TransitionSettings, *, at_once: bool) -> Hashable:
    """Return a value that changes with all that the evaluation of the two clips depends on, but for the cut
    and the blend.

    at_once: look at actions and rig now; without, they are looked at again only now and then where that is
    slow, so that the value may be of a moment ago.
    """
    feet: Hashable = tuple(tuple(row.values()) for row in legs.listed(armature))
    destination = armature.inertia.destination
    if armature.inertia_search.skate_weight > 0.0 and destination is not None:
        # when they stand, too, as that is asked for
        feet = feet, contacts.stored_settings(armature), str(destination.get(contacts.STORED, ""))
    return (
        *(settings.source_slot, settings.destination_slot, settings.root),
        *(settings.alignment, settings.align_height, settings.align_bone),
        *(settings.source_cycle, settings.destination_cycle),
        *(settings.source_scale, settings.destination_scale),
        bool(settings.bones) and settings.bones,
        feet,
        cache.scene_state(),
        cache.rig_key(armature, at_once=at_once),
        cache.action_states(armature, at_once=at_once),
    )


def _evaluated(armature: Any, settings: TransitionSettings, *, at_once: bool) -> Evaluated:
    """Return both clips, evaluated, with their contacts if skate counts; they are kept until what
    :func:`clips_key` tells of changes.

    at_once: also very long actions are read, and a change is always looked at. Raise NotEvaluated if an
    action is long, unless at_once; and, even then, if Blender would have to play the clips and either skate
    counts or not both were played before. Raise other InertiaErrors if they can't be read.
    """

    def compute() -> Evaluated:
        for name, library, slot in () if at_once else settings.ends():
            action = actions.find(name, library)
            if not joint_motion.is_quick(armature, action, actions.choose_slot(action, armature, slot)):
                raise NotEvaluated(
                    'Press Evaluate Clips to see costs, as "{action}" is so long that it takes a while.',
                    action=name,
                )
        pair = costing.read_pair(armature, settings)
        try:
            return finish(_evaluation(read_character(armature, may_play=False), pair))
        except HasToPlay as error:
            raise NotEvaluated(
                "Press Evaluate Clips to see costs, as Blender has to play them: {why}.", why=error.reason
            ) from None

    return cache.answer(
        "evaluated", armature, clips_key(armature, settings, at_once=at_once), compute, at_once=at_once
    )


def evaluate_motion_steps(
    character: Character, clip: Clip, root: Root, count: int = MOTIONS
) -> Steps[JointMotion]:
    """Return a clip's motion on its whole frames, in steps that yield the part that is done; what was
    evaluated before is taken if clip, rig, scene and root are as they were.

    root: of the character. count: so many motions are kept then, of all armatures together; those that were
    kept first go. One is kept for each action and slot of an armature. Raise InertiaError if it can't be
    evaluated.
    """
    find = functools.partial(joint_motion.whole, character, clip, root)
    motion = yield from cache.answer_steps(*_motion_key(character.armature, root, clip), find)
    cache.trim(MOTION, count)
    return motion


def _motion_key(armature: Any, root: Root, clip: Clip) -> tuple[str, Any, Hashable]:
    """Return what an evaluated clip is kept under, and what it depends on."""
    name = f"{MOTION}{clip.action.session_uid} {clip.slot.identifier}"
    states = cache.rig_key(armature, at_once=True), cache.action_state(clip.action, at_once=True)
    return name, armature, (root, clip.cycle, clip.scale, cache.scene_state(), *states)


def _evaluation(character: Character, pair: Pair) -> Steps[Evaluated]:
    """Evaluate two clips, and find when feet are planted in the destination if their skate counts; return the
    Evaluated, and yield the part that is done.

    Motions that were evaluated before are taken. Raise InertiaError if they can't be evaluated.
    """
    source, destination = pair.clips
    evaluating = joint_motion.of_all(character, pair.clips, pair.reference, evaluate_motion_steps)
    left, entered = yield from part(evaluating, 0.0, 0.85)
    skate_weight = character.armature.inertia_search.skate_weight
    plants = yield from part(costing.plants_of(character, destination, skate_weight), 0.85, 1.0)
    names = source.action.name, destination.action.name
    spans = (source.start, source.end), (destination.start, destination.end)
    poser = character.find_poser(pair.clips)
    return Evaluated(left, entered, pair.alignment, names, spans, poser, plants)


def evaluate_steps(armature: Any) -> Steps[None]:
    """Evaluate both clips of the armature's settings and keep that for :func:`costs_of`, unless it is done;
    yield the part that is done, 0 to 1.

    Blender may play them, which moves the scene meanwhile. Raise InertiaError for clips that can't be used.
    """
    cache.settle()
    settings = settings_from(armature)
    key = clips_key(armature, settings, at_once=True)
    if cache.recall("evaluated", armature, key) is not None:
        return
    pair = yield from part(costing.read_pair_steps(armature, settings), 0.0, READING)
    evaluated = yield from part(_evaluation(read_character(armature), pair), READING, 1.0)
    cache.put("evaluated", armature, key, evaluated)


def notes(evaluated: Evaluated, search: Search | None = None) -> list[str]:
    """Return sentences on frames of two clips that were left out as they are long, and, with a search, on
    pairs that it has left out; [] for none.
    """
    return meetings.sampled(evaluated.names, (evaluated.source, evaluated.destination), search)


def by_bone(costs: PairCosts, armature: Any) -> list[tuple[str, float]]:
    """Return (bone, cost) pairs of the joints that count, in metre seconds, at the settings' cut and entry,
    the largest cost first.

    The list is kept until the costs, the cut or the entry change; it must not be changed.
    """

    meeting = costs.cut, costs.destination_frame

    def compute() -> list[tuple[str, float]]:
        return sorted(costs.compared.by_bone(*meeting).items(), key=lambda part: -part[1])

    return cache.answer("by bone", armature, (costs.compared, *meeting), compute)


def by_control(costs: PairCosts, armature: Any) -> list[tuple[str, float]]:
    """Return (control, cost) pairs, in metre seconds, the largest first.

    The costs of the joints that count, at the settings' cut and entry, are added up for the control that
    moves each bone as the rig is now; a bone without one stands for itself.
    """
    parts = by_bone(costs, armature)
    controls = character.controls_of(armature, [bone for bone, _ in parts])
    sums: dict[str, float] = {}
    for bone, cost in parts:
        control = controls.get(bone, bone)
        sums[control] = sums.get(control, 0.0) + cost
    return sorted(sums.items(), key=lambda item: -item[1])
