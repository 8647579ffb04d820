# SPDX-License-Identifier: GPL-3.0-or-later
"""What else two actions animate, by slots of their own: it comes along with the character's transition.

What belongs to the character (shape keys of its meshes, what hangs from it) and others in both actions flow
over like the character. Others that only one action has play that one throughout. All are moved by the rigid
motion that the character's destination is given, unless they go where something goes that is moved, so that
two fighters keep their places to each other.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Iterator, Mapping
from typing import Any

from ...errors import InertiaError, Sentence
from ...motion.skeleton.posing import Rig
from ...motion.steps import finish
from ...records import record
from ...settings.transition import OBJECT_ROOT
from ..data import actions, clip_store, compat, recipe, rigs, roots, unkeyed
from ..data.actions import Clip
from ..data.channels import match
from ..data.rig import holder_of, is_holder, not_assignable, split_path
from ..data.roots import Root
from ..evaluation.character import Character, CharacterPoser
from . import alignment as alignments
from . import compose, parts, preflight, repeating
from .alignment import Alignment, RootedRig
from .joining import Joining
from .selecting import Scales, TakingPart
from .slot_plan import SlotPlan
from .switch_crossing import Held

PARENTING = ("ARMATURE", "CHILD_OF", "COPY_LOCATION", "COPY_TRANSFORMS")
"""Constraints by which an object goes where another one goes."""


@record(frozen=True, eq=False)
class Companion:
    """What else actions have a slot for.

    source, destination: its clips, None in an action that has none. owner: what the slot animates, None where
    nothing in the file is. is_own: whether it belongs to the character. body: an object or armature by value,
    and what of it goes over the ground; None of anything else. poser: what poses it in its clips, of an
    armature.
    """

    slot: compat.Slot
    source: Clip | None
    destination: Clip | None
    owner: Any | None
    is_own: bool
    body: tuple[Rig, Root] | None = None
    poser: CharacterPoser = CharacterPoser()

    @property
    def clips(self) -> tuple[Clip, ...]:
        """Its clips, the destination last."""
        return tuple(clip for clip in (self.source, self.destination) if clip is not None)

    @property
    def name(self) -> str:
        """What the animator calls it."""
        return self.slot.name if self.owner is None else str(self.owner.name)

    @property
    def is_posed(self) -> bool:
        """Whether it is an armature."""
        return getattr(self.owner, "pose", None) is not None

    @property
    def is_object(self) -> bool:
        """Whether the slot is an object's."""
        return self.slot.id_type == "OBJECT"

    @property
    def is_placed(self) -> bool:
        """Whether its clips say where it is: bones, or where an object is."""
        paths = (split_path(path) for clip in self.clips for path, _ in clip.curves)
        return self.is_object and any(
            bone is not None or prop.startswith(clip_store.OF_OBJECTS) for bone, prop in paths
        )


@record(frozen=True, eq=False)
class Company:
    """What comes along: the plans of its slots, who that is, and what an animator should know."""

    slots: tuple[SlotPlan, ...] = ()
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def plan(
    character: Character, root: Root, joining: Joining, *, taking_part: TakingPart | None = None
) -> Company:
    """Plan what comes along with a character: the slots besides its own, notes and warnings.

    root: the character's. joining: its clips and how they are joined. taking_part: what blends of what
    belongs to the character, None for all. Blender plays who comes along if it may play the character.
    """
    armature = character.armature
    company = [_read(companion) for companion in _find(armature, joining.clips)]
    tops = {companion.owner: companion.body[1] for companion in company if companion.body is not None}
    carrying = _above(armature) & tops.keys()
    tops = {owner: top for owner, top in tops.items() if owner not in carrying} | {armature: root}
    carriers = filter(is_holder, joining.alignment.carriers)
    tops |= {holder_of(armature, str(carrier)): root for carrier in carriers}
    slots, warnings = [], []
    for companion in company:
        is_carrying = companion.owner in carrying
        stays = is_carrying or not companion.is_placed or _comes_along(companion.owner, tops)
        chosen = taking_part if companion.is_own else None
        slot, reasons = _plan(
            character, companion, None if stays else companion.body, joining, taking_part=chosen
        )
        slots.append(slot)
        warnings += reasons
        moves = companion.body is not None and companion.body[1].moves
        if is_carrying and (moves or joining.alignment.kind != "NONE"):
            warnings.append(
                Sentence(
                    '"{armature}" is a child of "{other}", which its actions animate, too: bake the '
                    'transition of "{other}", and "{armature}" comes along.',
                    armature=armature.name,
                    other=companion.name,
                )
            )
    others = [companion for companion in company if companion.is_object and not companion.is_own]
    return Company(tuple(slots), tuple(_notes(others, joining)), tuple(warnings))


def state(armature: Any, made_of: list[Any]) -> Hashable:
    """Return a value that changes with what decides how others in some actions come along, and may change
    without the actions: owners, places, parents.
    """
    states = []
    for action in made_of:
        slots = compat.slots(action)
        for slot in slots if len(slots) > 1 else ():
            owner = recipe.slot_owner(armature, slot, made_of)
            if owner is not None and slot.id_type == "OBJECT":
                place = tuple(value for row in owner.matrix_basis for value in row)
                above = "" if owner.parent is None else owner.parent.name
                states.append((owner.name, above, place, not_assignable(owner)))
    return tuple(states)


def _find(armature: Any, clips: tuple[Clip, Clip]) -> Iterator[Companion]:
    """Yield what two actions have slots for besides the armature's and its holders', paired by whom they
    animate, as its slot may have been renamed in between.
    """
    main = {clip.slot.identifier for clip in clips}
    main |= {slot.identifier for clip in clips for slot in clip.holders.values() if slot is not None}
    pairs: dict[Any, tuple[Any | None, list[Clip | None]]] = {}
    for side, clip in enumerate(clips):
        for other in actions.other_slots(clip):
            if not other.curves or other.slot.identifier in main:
                continue
            other = other if clip.stretch is None else clip_store.stretched(other, clip.stretch)
            owner = recipe.slot_owner(armature, other.slot, [clip.action for clip in clips])
            if owner in pairs and pairs[owner][1][side] is not None:
                owner = None  # another slot of this action is its own
            pairs.setdefault(owner or other.slot.identifier, (owner, [None, None]))[1][side] = other
    for owner, (source, destination) in pairs.values():
        slot = next(clip.slot for clip in (source, destination) if clip is not None)
        is_own = owner is not None and recipe.follows(owner, armature)
        yield Companion(slot, source, destination, owner, is_own)


def _read(companion: Companion) -> Companion:
    """Return a companion with its body, and with what an armature's clips show that they do not key."""
    owner = companion.owner
    if companion.is_posed:
        source, destination = (
            None if clip is None else unkeyed.completed(owner, clip)
            for clip in (companion.source, companion.destination)
        )
        companion = dataclasses.replace(companion, source=source, destination=destination)
        rig = rigs.read(owner)
        return dataclasses.replace(companion, body=(rig, roots.find_root(rig, companion.clips)))
    if owner is None or not companion.is_placed:
        return companion
    return dataclasses.replace(companion, body=(rigs.of_object(owner), Root(OBJECT_ROOT, moves=True)))


def _above(obj: Any) -> set[Any]:
    """Return the parents of an object."""
    return set() if obj.parent is None else {obj.parent, *_above(obj.parent)}


def _comes_along(obj: Any | None, tops: Mapping[Any, Root]) -> bool:
    """Tell whether an object goes where something that is moved goes, by its parents, constraints or bones.

    tops: the root of each thing that is moved, as only what hangs from that goes with it.
    """
    if obj is None:
        return False

    def moves(owner: Any, *, by_bone: bool) -> bool:
        return owner in tops and (by_bone or tops[owner].is_object)

    constraints = (c for c in obj.constraints if not c.mute and c.influence > 0.0 and c.type in PARENTING)
    if any(moves(to, by_bone=bool(bone)) for c in constraints for to, bone in rigs.targets(c)):
        return True
    # what bones deform stays in their armature's space, wherever the object is
    bending = (m.object for m in obj.modifiers if m.type == "ARMATURE" and m.object in tops)
    if any(not tops[armature].is_object for armature in bending):
        return True
    return moves(obj.parent, by_bone=obj.parent_type == "BONE") or _comes_along(obj.parent, tops)


def _plan(
    character: Character,
    companion: Companion,
    body: tuple[Rig, Root] | None,
    joining: Joining,
    *,
    taking_part: TakingPart | None,
) -> tuple[SlotPlan, list[str]]:
    """Plan the slot of who comes along with a character; return it, and sentences on what there is to know of
    it.

    body: its body, where that is moved by channels of its own, else None. taking_part: what of it blends,
    None for all.
    """
    owner = companion.owner
    other = character.read_other(owner)
    if companion.is_posed:
        companion = dataclasses.replace(companion, poser=other.find_poser(companion.clips))
    companion = _retimed(_repeated(other, companion, body, joining), joining)
    companion = _copy_teleports(companion, joining)
    warnings: list[str] = [*preflight.unplayed(other, companion.poser.why_not)]
    alignment = Alignment("NONE")
    if companion.destination is not None and joining.alignment.moves and companion.is_placed:
        if companion.body is None:
            warnings.append(
                Sentence(
                    'The file has no "{other}", so its part in "{action}" is not moved along; bring it into '
                    "the file to have it keep its place.",
                    other=companion.name,
                    action=companion.destination.action.name,
                )
            )
        elif body is not None:
            alignment, reasons = _along(other, companion, body, joining)
            warnings += reasons
    if body is not None:
        companion, reasons = _warped(other, companion, body, joining)
        warnings += reasons
    scales = joining.blend_scales.of_others() if companion.is_own else Scales({})
    aligned = dataclasses.replace(
        joining, alignment=alignment, held=Held(), blend_scales=scales, bone_metres=joining.metres
    )
    if not companion.is_own and len(companion.clips) == 1:
        return _whole(companion, aligned), warnings
    nothing: dict[str, Any] = {
        "slot": companion.slot,
        "curves": {},
        "muted": (),
        "unkeyed": companion.clips[0].unkeyed,
    }
    source, destination = (
        clip or dataclasses.replace(leading, **nothing)
        for clip, leading in zip((companion.source, companion.destination), joining.clips, strict=True)
    )
    aligned = dataclasses.replace(aligned, source=source, destination=destination)
    if body is not None and not companion.is_own:
        rig, root = body
        warnings += preflight.warn_of_gliding_along(companion.name, rig, root, aligned)
    if owner is not None and companion.body is not None and companion.is_posed:
        # its lengths and blend scales are its own, and what holds its pose where its switches go over
        metres, bone_metres = parts.lengths(companion.body[0], source, aligned.cut)
        scales = Scales({bone.name: recipe.bone_scale(bone) for bone in owner.pose.bones})
        aligned = dataclasses.replace(aligned, metres=metres, bone_metres=bone_metres, blend_scales=scales)
        aligned, matching = parts.matched(owner, aligned, play=companion.poser.is_playing)
        warnings += preflight.warn_of_switching(other, aligned)
    else:
        matching = match(
            owner, source, destination, aligned.cut, aligned.destination_frame, alignment.carriers
        )
    return finish(
        parts.plan_slot_steps(aligned, matching, owner, taking_part, is_own=companion.is_own)
    ), warnings


def _repeated(
    animated: Character, companion: Companion, body: tuple[Rig, Root] | None, joining: Joining
) -> Companion:
    """Return a companion with as many repetitions of its clips as the character's own have, as far as these
    are cycles.

    animated: whom it animates. body: the body of what goes along with a cycle that travels, and by channels
    of its own.
    """
    rig, root = body or (None, Root(OBJECT_ROOT, moves=False))
    sides = []
    for clip, leading in zip((companion.source, companion.destination), joining.clips, strict=True):
        cycle, (start, end) = leading.cycle, leading.span
        if clip is not None and cycle is not None and end > cycle.end:
            if body is None:
                cycle = dataclasses.replace(cycle, heading=0.0, translation=(0.0, 0.0, 0.0))
            clip = dataclasses.replace(clip, cycle=cycle, start=start, end=cycle.end)
            span = (cycle.start - 1.0, end)
            clip = repeating.repeat_to_reach(animated, rig, root, clip, span, play=companion.poser.is_playing)
        sides.append(clip)
    return dataclasses.replace(companion, source=sides[0], destination=sides[1])


def _retimed(companion: Companion, joining: Joining) -> Companion:
    """Return a companion with its destination played at the speed of the character's, itself where that is
    its own.
    """
    clock, clip = joining.destination.clock, companion.destination
    if clock is None or clip is None:
        return companion
    clip = repeating.retimed(clip, clock, joining.cut, companion.owner, whole=companion.source is None)
    return dataclasses.replace(companion, destination=clip)


def _copy_teleports(companion: Companion, joining: Joining) -> Companion:
    """Return a companion whose clips jump where the character's do, as nothing of theirs leads across."""
    source, destination = (
        None if clip is None else dataclasses.replace(clip, teleports=leading.teleports)
        for clip, leading in zip((companion.source, companion.destination), joining.clips, strict=True)
    )
    return dataclasses.replace(companion, source=source, destination=destination)


def _along(
    animated: Character, companion: Companion, body: tuple[Rig, Root], joining: Joining
) -> tuple[Alignment, list[str]]:
    """Return (the character's alignment as one of those who come along carries it, sentences that warn of
    it); Alignment("NONE"), with the reason as the sentence, where it can't be carried.
    """
    leading, frame = joining.alignment, joining.destination_frame
    rig, root = body
    try:
        rooted = RootedRig(animated, rig, root, companion.poser.is_playing)
        alignment = alignments.along(rooted, leading, companion.clips, frame)
    except InertiaError as error:
        text = '"{other}" is not moved along: {reason}'
        return Alignment("NONE"), [Sentence(text, other=companion.name, reason=error.sentence)]
    return alignment, list(alignment.warnings)


def _warped(
    animated: Character, companion: Companion, body: tuple[Rig, Root], joining: Joining
) -> tuple[Companion, list[str]]:
    """Return who comes along with the warp of the character's destination, where that has one.

    Return, too, the reason where it can't be carried.
    """
    if joining.warp is None or companion.destination is None:
        return companion, []
    rig, root = body
    try:
        rooted = RootedRig(animated, rig, root, companion.poser.is_playing)
        destination, _ = joining.warp.warped(rooted, companion.destination)
    except InertiaError as error:
        text = '"{other}" is not moved along: {reason}'
        return companion, [Sentence(text, other=companion.name, reason=error.sentence)]
    return dataclasses.replace(companion, destination=destination), []


def _whole(companion: Companion, joining: Joining) -> SlotPlan:
    """Plan a slot that only one of the actions has: the source's plays with its curves as they are, the
    destination's as it is taken over behind the cut, both without a blend.
    """
    owner, destination = companion.owner, companion.destination
    slot = parts.empty_plan(companion.clips, owner, joining.cut, is_own=False)
    slot.clips = companion.source, destination
    if destination is None:
        slot.copied.update(companion.clips[0].curves)
        return slot
    before = dataclasses.replace(destination, curves={})
    joining = dataclasses.replace(joining, source=before, destination=destination)
    compose.take_over(
        joining,
        match(
            owner, before, destination, joining.cut, joining.destination_frame, joining.alignment.carriers
        ).channels,
        slot,
    )
    return slot


def _notes(companions: list[Companion], joining: Joining) -> Iterator[Sentence]:
    """Yield a sentence on who comes along, and whether they are moved; one for each action that has some of
    them alone; and, if the result is to be assigned, one on whether it is to them, too. Nothing without
    companions.
    """
    if not companions:
        return
    names = preflight.named([companion.name for companion in companions])
    yield Sentence(
        "The result has {others} as well, moved along so that all keep their places to each other."
        if joining.alignment.moves
        else "The result has {others} as well.",
        others=names,
    )
    for clip in joining.clips:
        alone = [
            companion.name
            for companion in companions
            if len(companion.clips) == 1 and companion.clips[0].action == clip.action
        ]
        if alone:
            yield Sentence(
                'Only "{action}" has {others}: that plays throughout, without a blend.',
                action=clip.action.name,
                others=preflight.named(alone),
            )
    if joining.settings.assign:
        yield Sentence(
            "It is assigned to {others}, too."
            if joining.settings.assign_others
            else "It is not assigned to {others}; Assign to Others does that.",
            others=names,
        )
