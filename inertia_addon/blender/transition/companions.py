# SPDX-License-Identifier: GPL-3.0-or-later
"""What else two actions animate, by slots of their own: it comes along with the character's transition.

What belongs to the character (shape keys of its meshes, what hangs from it) and others in both actions flow
over like the character. Others that only one action has play that one throughout. All are moved by the rigid
motion that the character's destination is given, unless they go where something goes that is moved, so that
two fighters keep their places to each other.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any

from ...errors import InertiaError, Sentence
from ...motion.skeleton.posing import Rig
from ...records import record
from ...settings.transition import OBJECT_ROOT
from ..data import actions, clip_store, compat, recipe, rewriting, rigs, roots, unkeyed
from ..data.actions import Clip
from ..data.channels import Matching, match
from ..data.rig import split_path
from ..data.roots import Root
from . import alignment as alignments
from . import compose, parts, preflight, repeating
from .alignment import Alignment
from .compose import Joining, SlotPlan
from .holding import Held

PARENTING = ("ARMATURE", "CHILD_OF", "COPY_LOCATION", "COPY_TRANSFORMS")
"""Constraints by which an object goes where another one goes."""


@record(frozen=True, eq=False)
class Companion:
    """What else actions have a slot for.

    source, destination: its clips, None in an action that has none. owner: what the slot animates, None where
    nothing in the file is. is_own: whether it belongs to the character.
    """

    slot: compat.Slot
    source: Clip | None
    destination: Clip | None
    owner: Any | None
    is_own: bool

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
class _Body:
    """An object or armature by value, and what of it goes over the ground."""

    rig: Rig
    root: Root


@record(frozen=True, eq=False)
class Company:
    """What comes along: the plans of its slots, who that is, and what an animator should know."""

    slots: tuple[SlotPlan, ...] = ()
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def plan(armature: Any, root: Root, joining: Joining, play: bool) -> Company:
    """Plan what comes along with a character.

    root: the character's. joining: its clips and how they are joined. play: have Blender show rigs that are
    not plain.
    """
    found = [_completed(one) for one in _find(armature, joining.clips)]
    bodies = {one.owner: _body(one) for one in found if one.is_posed or (one.owner and one.is_placed)}
    carrying = _above(armature) & bodies.keys()
    tops = {owner: body.root for owner, body in bodies.items() if owner not in carrying} | {armature: root}
    slots, warnings = [], []
    for one in found:
        stays = one.owner in carrying or not one.is_placed or _comes_along(one.owner, tops)
        planned, said = _plan(one, bodies.get(one.owner), stays, joining, play)
        slots.append(planned)
        warnings += said
        if one.owner in carrying and joining.alignment.kind != "NONE":
            warnings.append(
                Sentence(
                    '"{armature}" hangs from "{other}", which its actions animate, too: bake the transition '
                    'of "{other}", and "{armature}" comes along.',
                    armature=armature.name,
                    other=one.name,
                )
            )
    others = [one for one in found if one.is_object and not one.is_own]
    return Company(tuple(slots), tuple(_notes(others, joining)), tuple(warnings))


def state(armature: Any, made_of: Iterable[Any]) -> Hashable:
    """What of others in some actions decides how they come along, and may change without the actions."""
    used = list(made_of)
    found = []
    for action in used:
        slots = compat.slots(action)
        for slot in slots if len(slots) > 1 else ():
            owner = recipe.slot_owner(armature, slot, used)
            if owner is not None and slot.id_type == "OBJECT":
                place = tuple(value for row in owner.matrix_basis for value in row)
                above = "" if owner.parent is None else owner.parent.name
                found.append((owner.name, above, place, rewriting.not_assignable(owner)))
    return tuple(found)


def _find(armature: Any, clips: tuple[Clip, Clip]) -> list[Companion]:
    """What two actions have slots for besides the armature's; who has one in each may have been renamed."""
    main = {clip.slot.identifier for clip in clips}
    found: dict[Any, tuple[Any | None, list[Clip | None]]] = {}
    for side, clip in enumerate(clips):
        for one in actions.beside(clip):
            if not one.curves or one.slot.identifier in main:
                continue
            one = one if clip.stretch is None else clip_store.stretched(one, clip.stretch)
            owner = recipe.slot_owner(armature, one.slot, [clip.action for clip in clips])
            if owner in found and found[owner][1][side] is not None:
                owner = None  # another slot of this action is its own
            found.setdefault(owner or one.slot.identifier, (owner, [None, None]))[1][side] = one
    companions = []
    for owner, (source, destination) in found.values():
        slot = next(clip.slot for clip in (source, destination) if clip is not None)
        is_own = owner is not None and recipe.follows(owner, armature)
        companions.append(Companion(slot, source, destination, owner, is_own))
    return companions


def _completed(one: Companion) -> Companion:
    """With what an armature's clips show that they do not key."""
    if not one.is_posed:
        return one
    source, destination = (
        None if clip is None else unkeyed.completed(one.owner, clip) for clip in (one.source, one.destination)
    )
    return dataclasses.replace(one, source=source, destination=destination)


def _retimed(one: Companion, joining: Joining) -> Companion:
    """With the speed of the character's destination."""
    clock = joining.destination.clock
    if clock is None or one.destination is None:
        return one
    made = repeating.retimed(one.destination, clock, joining.cut, one.owner, one.source is None)
    return dataclasses.replace(one, destination=made)


def _body(one: Companion) -> _Body:
    if not one.is_posed:
        return _Body(rigs.of_object(one.owner), Root(OBJECT_ROOT, True))
    own = rigs.read(one.owner)
    return _Body(own, roots.find_root(own, one.clips))


def _above(thing: Any) -> set[Any]:
    """What an object hangs from."""
    return set() if thing.parent is None else {thing.parent, *_above(thing.parent)}


def _comes_along(thing: Any | None, tops: Mapping[Any, Root]) -> bool:
    """Whether an object goes where something goes that is moved, by its parents, constraints or bones.

    tops: of what is moved the root, as only what hangs from that goes with it.
    """
    if thing is None:
        return False

    def moves(other: Any, by_bone: bool) -> bool:
        return other in tops and (by_bone or tops[other].is_object)

    constraints = (c for c in thing.constraints if not c.mute and c.influence > 0.0 and c.type in PARENTING)
    if any(moves(to, bool(bone)) for c in constraints for to, bone in rigs.targets(c)):
        return True
    # what bones deform stays in their armature's space, wherever the object is
    bending = (m.object for m in thing.modifiers if m.type == "ARMATURE" and m.object in tops)
    if any(not tops[armature].is_object for armature in bending):
        return True
    return moves(thing.parent, thing.parent_type == "BONE") or _comes_along(thing.parent, tops)


def _plan(
    one: Companion, body: _Body | None, stays: bool, joining: Joining, play: bool
) -> tuple[SlotPlan, list[str]]:
    """The plan of one slot, and what to say of it.

    body: of an object or armature. stays: whether it has not to be moved by channels of its own.
    """
    play, why_not = parts.played(one.owner, one.clips, play) if one.is_posed else (False, "")
    one = _retimed(_repeated(one, None if stays else body, joining, play), joining)
    said: list[str] = [*preflight.unplayed(one.owner, why_not)]
    own = Alignment("NONE")
    if one.destination is not None and joining.alignment.moves and one.is_placed:
        if body is None:
            said.append(_absent(one, one.destination))
        elif not stays:
            own, reasons = _along(one, body, joining, play)
            said += reasons
    aligned = dataclasses.replace(
        joining, alignment=own, held=Held(), blend_scales={}, bone_metres=joining.metres
    )
    if not one.is_own and len(one.clips) == 1:
        return _whole(one, aligned), said
    here, there = _sides(one, joining)
    aligned = dataclasses.replace(aligned, source=here, destination=there)
    if body is not None and not (stays or one.is_own):
        said += preflight.gliding_along(one.name, body.rig, body.root, aligned)
    if body is not None and one.is_posed:
        aligned, matching = _posed(one.owner, body.rig, aligned, play)
        said += preflight.switching(one.owner, aligned)
    else:
        matching = match(one.owner, here, there, aligned.cut, aligned.destination_frame, own.carriers)
    return parts.joined(aligned, matching, one.owner, is_own=one.is_own), said


def _repeated(one: Companion, body: _Body | None, joining: Joining, play: bool) -> Companion:
    """With as many repetitions of its clips as the character's own have, as far as these are cycles.

    body: of what goes along with a cycle that travels, and by channels of its own.
    """
    sides = []
    for own, leading in zip((one.source, one.destination), joining.clips, strict=True):
        cycle, (start, end) = leading.cycle, leading.span
        if own is None or cycle is None or end <= cycle.end:
            sides.append(own)
            continue
        if body is None:
            cycle = dataclasses.replace(cycle, heading=0.0, translation=(0.0, 0.0, 0.0))
        rig, root = (None, Root(OBJECT_ROOT, False)) if body is None else (body.rig, body.root)
        own = dataclasses.replace(own, cycle=cycle, start=start, end=cycle.end)
        span = (cycle.start - 1.0, end)
        sides.append(repeating.reaching(one.owner, rig, root, own, span, play))
    return dataclasses.replace(one, source=sides[0], destination=sides[1])


def _along(one: Companion, body: _Body, joining: Joining, play: bool) -> tuple[Alignment, list[str]]:
    """The motion as one of those who come along carries it; none, with the reason, where it can't."""
    where = (joining.alignment, one.clips, joining.destination_frame)
    try:
        found = alignments.along(one.owner, body.rig, body.root, *where, play)
    except InertiaError as error:
        reason = Sentence('"{other}" is not moved along: {reason}', other=one.name, reason=error.sentence)
        return Alignment("NONE"), [reason]
    return found, list(found.warnings)


def _absent(one: Companion, destination: Clip) -> Sentence:
    return Sentence(
        'The file has no "{other}", so its part in "{action}" is not moved along; bring it into the file '
        "to have it keep its place.",
        other=one.name,
        action=destination.action.name,
    )


def _sides(one: Companion, joining: Joining) -> tuple[Clip, Clip]:
    """The source and the destination of a slot, empty where there is none."""
    here, there = (
        mine or dataclasses.replace(clip, slot=one.slot, curves={}, muted=(), unkeyed=one.clips[0].unkeyed)
        for mine, clip in zip((one.source, one.destination), joining.clips, strict=True)
    )
    return here, there


def _posed(other: Any, rig: Rig, joining: Joining, play: bool) -> tuple[Joining, Matching]:
    """How the clips of another armature match, with what holds its pose where its switches go over."""
    metres, bone_metres = parts.lengths(rig, joining.source, joining.cut)
    scales = {bone.name: recipe.bone_scale(bone) for bone in other.pose.bones}
    joining = dataclasses.replace(joining, metres=metres, bone_metres=bone_metres, blend_scales=scales)
    return parts.matched(other, joining, play)


def _whole(one: Companion, joining: Joining) -> SlotPlan:
    """The plan of a slot that only one of the actions has: it plays all of that."""
    found = parts.empty_plan(one.clips, one.owner, joining.cut, is_own=False)
    found.clips = one.source, one.destination
    if one.destination is None:
        found.copied.update(one.clips[0].curves)
        return found
    before = dataclasses.replace(one.destination, curves={})
    joining = dataclasses.replace(joining, source=before, destination=one.destination)
    ends = (joining.cut, joining.destination_frame, joining.alignment.carriers)
    compose.take_over(joining, match(one.owner, before, one.destination, *ends).channels, found)
    return found


def _notes(others: list[Companion], joining: Joining) -> Iterator[Sentence]:
    """Who comes along, and how."""
    if not others:
        return
    names = preflight.named([one.name for one in others])
    yield Sentence(
        "The result has {others} as well, moved along so that all keep their places to each other."
        if joining.alignment.moves
        else "The result has {others} as well.",
        others=names,
    )
    for clip in joining.clips:
        alone = [one.name for one in others if len(one.clips) == 1 and one.clips[0].action == clip.action]
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
