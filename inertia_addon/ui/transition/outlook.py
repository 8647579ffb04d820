# SPDX-License-Identifier: GPL-3.0-or-later
"""What is known of the coming transition, kept while what decides it stays: what the panels say of it, and
what was looked at of its two clips."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

from ...blender.data import actions, clip_store, roots
from ...blender.evaluation import cycles, joint_motion
from ...blender.evaluation.character import read_character
from ...blender.judging.played import Footage
from ...blender.transition import bake, companion_slots, entering
from ...blender.transition.feet_choice import WHEN_BAKED
from ...blender.transition.meeting import PlanOptions
from ...blender.transition.preflight import root_label
from ...errors import InertiaError
from ...motion.steps import Steps, finish
from ...records import record
from .. import translations
from ..shared import cache, labels, words
from ..translations import sentence, translated
from . import results, warp
from .properties import settings_from

if TYPE_CHECKING:
    from ...blender.transition.bake import Plan
    from ...blender.transition.misplaced import Misplaced
    from ...settings.transition import TransitionSettings

OF_CLIPS = (
    *(side + name for side in ("source", "destination") for name in ("", "_library", "_slot")),
    *("source_cycle", "destination_cycle", "source_scale", "destination_scale", "root", "extrapolate"),
)
"""The settings that say which the two clips are."""


@record(frozen=True)
class Preflight:
    """What there is to know before a bake, by value: nothing in it dies with the file.

    facts: (label, value) pairs. lines: who comes along, and warnings; or the one error that stands in the
    way. swings: whether something swings far, which the facts say. misplaced: a cut or an entry that a jump
    parts from the rest of its clip, of which lines speak, too. pair: the cut and the entry. locks_feet:
    whether planted feet are locked; None where that is not known.
    """

    facts: tuple[tuple[str, str], ...] = ()
    lines: tuple[words.PanelLine, ...] = ()
    ready: bool = True
    swings: bool = False
    misplaced: tuple[Misplaced, ...] = ()
    pair: tuple[float, float] = (0.0, 0.0)
    locks_feet: bool | None = None

    @property
    def warnings(self) -> tuple[words.PanelLine, ...]:
        """What stands in the way, or is to be watched out for."""
        return tuple(line for line in self.lines if line.icon != "INFO")

    @property
    def remarks(self) -> tuple[words.PanelLine, ...]:
        """What else there is to know."""
        return tuple(line for line in self.lines if line.icon == "INFO")


def preflight(armature: Any) -> Preflight:
    """Return what the armature's settings would bake, as a Preflight, for the panels; its destination frame
    is the one that was found, if any.

    facts: pairs of translated texts, labelled "Window"; "Matched"; "Root"; and "Blend Shortened" and "Swings
    Far" where there is such. lines: the remarks, then the warnings with the icon "ERROR". swings: whether
    something swings far. misplaced: cuts or entries to change. pair: the cut and the entry. ready: True.

    An InertiaError is not raised: ready is False then, and the only line is its sentence, with the icon
    "CANCEL" and in red. If one of the two actions has too many keys to be read while drawing, nothing is
    planned: ready is True, there are no facts, and the only line says so.

    The answer is kept until the settings, actions, rig, scene, warp or language change. While it is costly,
    the old one is returned a moment longer, and a redraw follows.
    """
    try:
        settings = entered(armature, settings_from(armature))
        ends = (armature.inertia.source, armature.inertia.destination)
        states = (cache.scene_state(), cache.rig_state(armature), cache.action_states(armature))
        others = companion_slots.state(armature, [action for action in ends if action is not None])
        key = (settings, *states, others, warp.state(armature), translations.language())
        return cache.answer("preflight", armature, key, lambda: _preflight(armature, settings))
    except InertiaError as error:
        return Preflight(lines=(words.PanelLine(error.sentence, "CANCEL", alert=True),), ready=False)


def _preflight(armature: Any, settings: TransitionSettings) -> Preflight:
    ends = (armature.inertia.source, armature.inertia.destination)
    long = next((action for action in ends if not is_quick(action)), None)
    if long is not None:
        text = '"{action}" is so long that it is checked only when you bake.'
        return Preflight(lines=(words.line(text, action=long.name),))
    plan = bake.plan_transition(armature, settings, PlanOptions(may_play=False))
    remarks = (*plan.notes, *bake.describe_strips(plan))
    last = max(slot.last_frame for slot in plan.slots)
    cut = plan.settings.cut
    facts = [(translated("Window"), translated("None: nothing differs"))]
    if last > cut:
        facts = [(translated("Window"), words.frames_text(cut, last))]
    curves = sum(len(slot.composed) for slot in plan.slots)
    matched = translated("{0}, {1}", words.count(plan.bones, "bone"), words.count(curves, "channel"))
    facts += [(translated("Matched"), matched), (translated("Root"), _root_text(plan))]
    guarded = [note for slot in plan.slots for note in slot.guarded]
    for label, shortened in (("Blend Shortened", True), ("Swings Far", False)):
        notes = [note for note in guarded if note.shortened == shortened]
        if notes:
            called = functools.partial(labels.bone, plan.armature)
            facts.append((translated(label), results.guard_text(notes, called)))
    baked = [note for slot in plan.slots for note in slot.baked]
    warnings = [*plan.warnings, *([results.describe_baked(baked)] if baked else [])]
    lines = (*map(words.PanelLine, remarks), *(words.PanelLine(text, "ERROR") for text in warnings))
    swings = any(not note.shortened for note in guarded)
    entry = plan.settings.destination_frame
    assert entry is not None
    return Preflight(
        tuple(facts),
        lines,
        swings=swings,
        misplaced=plan.misplaced,
        pair=(cut, entry),
        locks_feet=_locks_feet(plan),
    )


def _locks_feet(plan: Plan) -> bool | None:
    """Tell whether a plan locks any foot; None where that is decided when Blender plays the rig."""
    if any(getattr(note, "template", note) == WHEN_BAKED for note in plan.feet.notes):
        return None
    return bool(plan.feet.holds)


def _root_text(plan: Plan) -> str:
    """Return a text for the panels, in Blender's language: the root's name, and how the destination is
    aligned by it.

    By the alignment's kind it is, with "Hips" as the root: "Hips, not aligned" for NONE; "Hips, height
    aligned" for HEIGHT; "Hips, position aligned" for POSITION and POSITION_HEIGHT; for the others "Hips,
    aligned, turned by 90°", with the destination's turn rounded to whole degrees and signed, and "Hips,
    aligned" if that is 0.

    If it is aligned by another bone (align_bone), "Hips, by Foot" stands in place of "Hips", unless it is not
    aligned. Where the root is the armature object, it is called "the object", translated.
    """
    name = labels.bone(plan.armature, sentence(root_label(plan.root)).strip('"'))
    kind = plan.alignment.kind
    if kind == "NONE":
        return translated("{0}, not aligned", name)
    if plan.settings.align_bone:
        name = translated("{0}, by {1}", name, labels.bone(plan.armature, plan.settings.align_bone))
    if kind == "HEIGHT":
        return translated("{0}, height aligned", name)
    if kind in ("POSITION", "POSITION_HEIGHT"):
        return translated("{0}, position aligned", name)
    turn = round(math.degrees(plan.alignment.heading))
    if turn:
        return translated("{0}, aligned, turned by {1}°", name, turn)
    return translated("{0}, aligned", name)


def clip_range(armature: Any, side: str) -> tuple[float, float] | None:
    """Return the first and the last key frame of a side's action for the armature; the last one scaled about
    the first by the side's scale.

    side: "source" or "destination". None if there is no action, it has no keys for the armature, or it can't
    be read.
    """
    action, slot, scale = (getattr(armature.inertia, side + name) for name in ("", "_slot", "_scale"))
    if action is None:
        return None

    def compute() -> tuple[float, float] | None:
        return actions.span(action, actions.choose_slot(action, armature, slot))

    key = (slot, cache.action_state(action))
    try:
        span = cache.answer(f"range {action.session_uid}", armature, key, compute)
    except InertiaError:
        return None
    return span and (span[0], span[0] + (span[1] - span[0]) * scale)


def is_cycle(armature: Any, side: str) -> bool:
    """Tell whether the action on a side is a cycle, as Blender, a choice or its ends say.

    Long ones are not looked at.
    """
    both = cache.in_redraw("cycles", armature, lambda: _are_cycles(armature))
    return both[side == "destination"]


def _are_cycles(armature: Any) -> tuple[bool, bool]:
    props = armature.inertia
    if props.source is None or props.destination is None:
        return False, False
    choices = (
        *(props.source_cycle, props.destination_cycle, props.source_slot, props.destination_slot, props.root),
        *(props.source_scale, props.destination_scale),
    )
    states = (cache.scene_state(), cache.rig_state(armature), cache.action_states(armature))

    def compute() -> tuple[bool, bool]:
        if not (is_quick(props.source) and is_quick(props.destination)):
            return False, False
        settings = settings_from(armature)
        clips = clip_store.scaled_ends(
            settings, finish(clip_store.read_named_steps(armature, settings.ends()))
        )
        rig = read_character(armature).rig
        root = roots.find_root(rig, clips, settings.root)
        source, destination = cycles.with_cycles(rig, root, settings, clips)
        return source.cycle is not None, destination.cycle is not None

    try:
        return cache.answer("cycles", armature, (*choices, *states), compute)
    except InertiaError:
        return False, False  # the preflight says why


def is_quick(action: Any | None) -> bool:
    """Tell whether all of an action can be read while a panel is drawn."""
    return action is None or actions.key_count(action) <= joint_motion.QUICK


_footages: dict[int, tuple[Hashable, Footage]] = {}
"""By session_uid of the armature: what the footage depends on, and it."""


def footage(armature: Any, settings: TransitionSettings) -> Footage:
    """Return what was looked at so far of the two clips of an armature's settings; a caller fills it further,
    in place.

    One is kept for each armature. It is replaced by a new, empty one if the settings that say which the clips
    are (actions, slots, cycles, scales, root, extrapolate), the lists of legs and limbs, the rig, the
    actions, the scene or the warp's object differ from those that it was made for.
    """
    key = (tuple(getattr(settings, name) for name in OF_CLIPS), read_state(armature))
    kept = _footages.get(armature.session_uid)
    if kept is None or kept[0] != key:
        kept = _footages[armature.session_uid] = (key, Footage())
    return kept[1]


def read_state(armature: Any) -> Hashable:
    """Return what a transition's looks depend on besides its settings."""
    lists = tuple(str(armature.get(group, "")) for group in ("inertia_feet", "inertia_limbs"))
    states = (cache.scene_state(), cache.rig_key(armature), cache.action_states(armature))
    return (lists, *states, warp.state(armature))


_entries: dict[int, tuple[Hashable, float]] = {}
"""By session_uid of the armature: what Automatic has found where, and the destination's frame."""


def entered(armature: Any, settings: TransitionSettings) -> TransitionSettings:
    """Return settings with the destination's frame that was found for them; the same settings where they do
    not leave it open or none is known.

    Settings leave it open where destination_frame is None and enter_at "AUTO", unless they smooth a jump.
    What was found counts only while settings, actions, rig, scene and warp are as they were. Nothing is
    searched here. A plan of settings that still leave it open enters at the first frame.
    """
    kept = _entries.get(armature.session_uid) if entering.is_left_open(settings) else None
    if kept is None or kept[0] != entry_key(armature, settings):
        return settings
    return dataclasses.replace(settings, destination_frame=kept[1])


def lacks_entry(armature: Any, settings: TransitionSettings) -> bool:
    """Return whether settings leave the destination's frame open, and none was found for them yet."""
    return entering.is_left_open(entered(armature, settings))


def find_entry(
    armature: Any, settings: TransitionSettings, *, may_play: bool = True
) -> Steps[TransitionSettings]:
    """Find the destination's frame if the settings leave it open, and return settings with it; yield the part
    that is done.

    What was found before for the same is taken. What is found now is kept for :func:`entered`, and windows
    are redrawn. may_play: whether Blender may play the armature; where it has to and may not, settings are
    returned with the frame still open. Raise InertiaError for actions that can't be read.
    """
    known = entered(armature, settings)
    if not entering.is_left_open(known):
        return known
    found = yield from entering.entered(armature, settings, footage(armature, settings), may_play=may_play)
    if found.destination_frame is not None:
        _entries[armature.session_uid] = (entry_key(armature, settings), found.destination_frame)
        cache.redraw()
    return found


def entry_key(armature: Any, settings: TransitionSettings) -> Hashable:
    """Return what a found entry depends on; a look at it costs next to nothing."""
    return dataclasses.replace(settings, result="", assign=True, assign_others=False), read_state(armature)


def entry_of(armature: Any) -> float | None:
    """Return the destination's frame at which the armature's coming transition enters it; None where none is
    known.

    It is the frame that the settings name or that was found for them, else, unless it is left open, the first
    key frame. None where it is left open and not found yet, the destination has no keys for the armature, or
    the settings or the action can't be used.
    """
    try:
        settings = entered(armature, settings_from(armature))
    except InertiaError:
        return None  # what is wrong with the settings is said where they are
    if settings.destination_frame is not None or entering.is_left_open(settings):
        return settings.destination_frame
    span = clip_range(armature, "destination")
    return None if span is None else span[0]


def forget() -> None:
    """Look at everything anew."""
    _footages.clear()
    _entries.clear()
