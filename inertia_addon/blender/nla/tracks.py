# SPDX-License-Identifier: GPL-3.0-or-later
"""A result that plays as NLA strips: how its tracks are made, found again, and taken away.

All that belongs together is known by the actions that strips play: the result's own holds the offset, and its
parts point at it. The clips' own strips are in the track right below these.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from typing import Any

import bpy

from ...errors import InertiaError
from ...records import record
from ..data import actions, compat, recipe, rig
from ..data.actions import Address
from ..data.recipe_reader import is_strips

PART_OF = "inertia_part_of"
"""Under this a part of a result holds it."""
BEFORE = "inertia_before_strips"
"""Under this an object holds what animated it before its first result in strips."""


@record(frozen=True)
class Strip:
    """A strip to be made: an action's slot from ``entry`` on, played as it is over some scene frames.

    holds, blend: Blender's extrapolation and blending. scale: how many times as long it takes. name: what it
    is called; "" for the action's name.
    """

    action: Any
    slot: str
    first: float
    last: float
    entry: float
    holds: str = "NOTHING"
    blend: str = "REPLACE"
    scale: float = 1.0
    name: str = ""


@record(frozen=True)
class TrackPlan:
    """A track to be made, its strips one after the other. locked: whether they are not to be moved."""

    name: str
    strips: tuple[Strip, ...]
    locked: bool = True

    def later(self, frames: float) -> TrackPlan:
        """Return this track, played so many frames later."""
        moved = (
            dataclasses.replace(strip, first=strip.first + frames, last=strip.last + frames)
            for strip in self.strips
        )
        return dataclasses.replace(self, strips=tuple(moved))


def check(owner: Any) -> None:
    """Raise InertiaError unless something can be given strips: it is editable, and has no strip in tweak
    mode.
    """
    if not owner.is_editable:
        raise InertiaError(
            '"{name}" is linked from another file and can have no strips; make a library override of it, or '
            "bake an action.",
            name=owner.name,
        )
    if owner.animation_data is not None and owner.animation_data.use_tweak_mode:
        raise InertiaError(
            '"{name}" has a strip in tweak mode; leave tweak mode in the NLA Editor first.', name=owner.name
        )


def put(owner: Any, result: Any, tracks: Sequence[TrackPlan], above: Any | None, *, mute: bool) -> None:
    """Make a result's tracks, in order, each above the one before, and let them play in place of the assigned
    action.

    above: the present track above which the first one goes; None for the top. The assigned action is
    unassigned, kept with a fake user, and remembered with the owner, and the NLA is switched on. mute: True
    makes the tracks muted, and leaves what plays as it is.
    """
    animation = owner.animation_data or owner.animation_data_create()
    if not mute:
        _step_back(owner, result)
    for track in tracks:
        above = animation.nla_tracks.new(prev=above) if above is not None else animation.nla_tracks.new()
        above.name = track.name
        for strip in track.strips:
            _add(above, strip)
        above.select, above.mute, above.lock = False, mute, track.locked


def _add(track: Any, wanted: Strip) -> None:
    """Add a strip to a track, exactly as wanted: place, part of the action, slot, scale, extrapolation and
    blending; it has the wanted name, else the action's, which Blender may number.

    It plays once, blends in and out over no frames, and is not selected. While its bounds are set Blender
    keeps them in order, so that some are set twice. KeyError for a slot that the action lacks, with the strip
    in the track.
    """
    played = compat.find_played(wanted.action, wanted.slot)
    strip = track.strips.new(wanted.name or wanted.action.name, math.ceil(wanted.first), played)
    if compat.has_slots():
        strip.action_slot = wanted.action.slots[wanted.slot]
    length = (wanted.last - wanted.first) / wanted.scale
    strip.use_sync_length = False
    strip.use_auto_blend = False
    strip.blend_in = strip.blend_out = 0.0
    for _ in range(2):
        strip.action_frame_start, strip.action_frame_end = wanted.entry, wanted.entry + length
    strip.scale, strip.repeat = wanted.scale, 1.0
    strip.frame_start, strip.frame_end = wanted.first, wanted.last
    strip.action_frame_start, strip.action_frame_end = wanted.entry, wanted.entry + length
    strip.scale, strip.repeat = wanted.scale, 1.0
    strip.extrapolation = wanted.holds
    strip.blend_type = wanted.blend
    strip.select = False


def _step_back(owner: Any, result: Any) -> None:
    """Unassign the action that would cover strips, and switch the NLA on; animation data must be there.

    The owner's custom property :data:`BEFORE` remembers {"action", "slot", "use_nla"}, without "action" if
    none was assigned, unless an earlier result has done so; if the owner is a library override, the result
    gets the same with the owner's name as "of", unless it has one. The action gets a fake user.
    """
    animation = owner.animation_data
    action, slot = compat.assigned(owner)
    if BEFORE not in owner:
        held = {} if action is None else {"action": action}
        owner[BEFORE] = {**held, "slot": slot, "use_nla": animation.use_nla}
        if owner.override_library is not None and BEFORE not in result:
            # an override is saved without what it is given so
            result[BEFORE] = {**owner[BEFORE].to_dict(), "of": owner.name}
    recipe.keep(action)
    if action is not None:
        compat.assign(owner, None)
    animation.use_nla = True


def parts(result: Any) -> list[Any]:
    """Return the actions that belong to a result beside its own."""
    return [action for action in bpy.data.actions if action.get(PART_OF) == result]


def hand_over(result: Any, successor: Any) -> None:
    """Give the parts of a result to the one that takes its place, and remove it."""
    for part in parts(result):
        part[PART_OF] = successor
    compat.remove_action(result)


def results(owner: Any) -> list[Any]:
    """Return the results that play as strips on something, the topmost first."""
    strips = (strip for track in reversed(rig.nla_tracks(owner)) for strip in track.strips)
    return [
        action
        for action in dict.fromkeys(strip.action for strip in strips)
        if recipe.is_baked(action, recipe.RECIPE)
        or (recipe.is_baked(action, recipe.PATH, recipe.FILL) and is_strips(action))
    ]


def find_playing(owner: Any) -> list[Any]:
    """Return the results of any kind that play on something: the assigned one, and those that do as
    strips.
    """
    assigned = compat.assigned(owner)[0]
    return list(dict.fromkeys([*([assigned] if recipe.kind(assigned) else []), *results(owner)]))


def is_played(owner: Any, result: Any) -> bool:
    """Tell whether a result's strips are not muted."""
    return any(not track.mute for track in _own_tracks(owner, result))


def _own_tracks(owner: Any, result: Any) -> list[Any]:
    """Return the tracks of a result on something, from below; [] for none.

    They are those with any strip that plays the result's action or a part of it and, of a transition, the
    track right below the lowest of them, if all its strips play the result's source or destination.
    """
    tracks = list(rig.nla_tracks(owner))
    if not tracks:
        return []
    played, clips = (
        _own(result),
        set(recipe.find_source_pair(result) if recipe.is_baked(result, recipe.RECIPE) else ()),
    )
    places = [i for i, track in enumerate(tracks) if any(strip.action in played for strip in track.strips)]
    below = tracks[places[0] - 1].strips if places and places[0] > 0 else ()
    if len(below) and all(strip.action in clips for strip in below):
        places.insert(0, places[0] - 1)
    return [tracks[i] for i in places]


def _own(result: Any) -> set[Any]:
    """Return the actions that a result consists of."""
    whole = {result, *parts(result)}
    return whole | {apart for action in whole for apart in compat.parts_apart(action).values()}


def others_below(owner: Any, result: Any | None) -> set[Address]:
    """Return the channels, by address, that tracks play which are none of a result's; of all tracks for None.

    "Below" is not looked at: tracks count wherever they are, also with the NLA off. Muted tracks, strips and
    curves don't count, nor strips inside a meta strip.
    """
    tracks_of_result = [] if result is None else _own_tracks(owner, result)
    others = (track for track in rig.nla_tracks(owner) if track not in tracks_of_result and not track.mute)
    strips = [strip for track in others for strip in track.strips]
    played = (compat.strip_assigned(strip) for strip in strips if not strip.mute and strip.action is not None)
    return {address for action, slot in played for address in actions.find_acting_curves(action, slot)}


def players(result: Any) -> Iterator[Any]:
    """Yield all objects, then all shape keys, on which a result plays as strips."""
    for holder in (bpy.data.objects, bpy.data.shape_keys):
        yield from (owner for owner in holder if _own_tracks(owner, result))


def take_away(result: Any) -> dict[Any, Any | None]:
    """Remove a result's tracks and its parts from everything it plays on, but not its own action; assign what
    was assigned before, where no other result plays.

    Return each owner that it played on with the track that was right below, None for none. A track into which
    an animator has put strips of other actions than the result's, its parts' and its two sources' is not
    removed: it loses all strips but those, and is itself the owner's value.
    """
    below, used = {}, {*_own(result), *recipe.find_source_pair(result)}
    for owner in list(players(result)):
        animation = owner.animation_data
        tracks = _own_tracks(owner, result)
        place = list(animation.nla_tracks).index(tracks[0])
        below[owner] = animation.nla_tracks[place - 1] if place else None
        for track in tracks:
            others = [strip for strip in track.strips if strip.action not in used]
            if others:
                # what an animator has put in a strip's place stays
                for strip in [strip for strip in track.strips if strip.action in used]:
                    track.strips.remove(strip)
                below[owner] = track
            else:
                animation.nla_tracks.remove(track)
        if not results(owner):
            _come_back(owner, result)
    for part in parts(result):
        compat.remove_action(part)
    return below


def _come_back(owner: Any, result: Any) -> None:
    """Assign what was assigned before strips took over, if nothing is assigned now, and set the NLA switch as
    it was.

    result: may remember it for a library override. An action that is gone is not assigned; a slot that it has
    lost becomes none. What the owner remembered is forgotten. Nothing is done where nothing was remembered.
    """
    kept = result.get(BEFORE, {})
    before = owner.get(BEFORE) or (kept if kept.get("of") == owner.name else None)
    if before is None:
        return
    action = before.get("action")
    if isinstance(action, bpy.types.Action) and compat.assigned(owner)[0] is None:
        slots = {slot.identifier for slot in compat.slots(action)}
        compat.assign(owner, action, before["slot"] if before["slot"] in slots else "")
    owner.animation_data.use_nla = before["use_nla"]
    if BEFORE in owner:
        del owner[BEFORE]


def remove(result: Any) -> None:
    """Take a result's tracks away and everything that it consists of."""
    take_away(result)
    compat.remove_action(result)
