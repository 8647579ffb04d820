# SPDX-License-Identifier: GPL-3.0-or-later
"""One slot's part in a transition: how its two clips match, and the curves that join them."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Hashable
from typing import Any

import numpy as np

from ...motion.curves.representation import whole_frames
from ...motion.skeleton.posing import Frame, Rig
from ...motion.steps import Steps
from ..data import rig, roots, scene
from ..data.actions import Clip
from ..data.channels import Matching, match
from ..judging.played import Played
from . import switch_crossing
from .compose import compose_steps
from .joining import Joining
from .selecting import TakingPart
from .slot_plan import SlotPlan
from .switch_crossing import ShownFrames
from .warping import Warping


def lengths(rig: Rig, source: Clip, cut: float) -> tuple[float, float]:
    """Return the metres per unit of an armature object's location, and of its bones', as the source has them
    at the cut.
    """
    unit = scene.metres_per_unit()
    world = roots.object_matrices(rig, source, np.array([cut]))[0]
    return rig.frame.scale * unit or 1.0, Frame(world, world[:3, 3], world[0]).scale * unit or 1.0


def matched(
    armature: Any,
    joining: Joining,
    *,
    play: bool,
    taking_part: TakingPart | None = None,
    cache: switch_crossing.Kept | None = None,
) -> tuple[Joining, Matching]:
    """Match the clips of an armature; return (their joining with what holds the pose where switches go over,
    how they match).

    play: have Blender show the clips for that. taking_part: what does, whose switches count, None for all.
    cache: see :func:`switch_crossing.hold`. Channels that jump there are discrete in the result.
    """
    cut, entry, carriers = joining.cut, joining.destination_frame, joining.alignment.carriers
    matching = _match_once(armature, joining, cache)
    deciding = [ch for ch in matching.channels if taking_part is None or taking_part.takes(ch)]
    window = whole_frames(joining.cut, _find_fk_end(joining)) - joining.later
    crossing = switch_crossing.find_crossing_values(armature, deciding, cut, entry, window)
    if play and crossing.is_any:
        keyed = {ch.bone for ch in matching.channels if ch.bone is not None and ch.kind != "value"}
        window = np.unique([joining.around_entry.before, *window])
        frames = ShownFrames(joining.around_cut.frames, window)
        held = switch_crossing.hold(armature, joining.clips, frames, crossing, keyed, cache)
        joining = dataclasses.replace(joining, held=held)
        destination = held.destination or joining.destination
        matching = match(armature, joining.source, destination, cut, entry, {*carriers, *held.transforms})
    jumping = {*crossing.switching, *joining.held.switches}
    channels = tuple(
        dataclasses.replace(ch, discrete=True) if ch.destination.addresses[0] in jumping else ch
        for ch in matching.channels
    )
    return joining, dataclasses.replace(matching, channels=channels)


def _match_once(armature: Any, joining: Joining, cache: dict[Hashable, Any] | None) -> Matching:
    """Match the clips of an armature; return the same as the last time for the very same clips.

    cache: of clips and an armature that stay as they are, None to match anew.
    """
    clips, carriers = joining.clips, joining.alignment.carriers
    cut, entry = joining.cut, joining.destination_frame
    anew = functools.partial(match, armature, joining.source, joining.destination, cut, entry, carriers)
    if cache is None or any(path.endswith("rotation_mode") for clip in clips for path, _ in clip.curves):
        return anew()
    # without keys of it the rotation mode is the same at all frames
    asked = *clips, *(clip.unkeyed is None for clip in clips), frozenset(carriers)
    if "matching" not in cache or cache["matching"][0] != asked:
        cache["matching"] = asked, anew()
    found: Matching = cache["matching"][1]
    return found


def empty_plan(clips: tuple[Clip, ...], owner: Any | None, cut: float, *, is_own: bool = True) -> SlotPlan:
    """Return the plan of a slot without curves. clips: what it is made of, the first decides the slot."""
    groups = {address: curve.group for clip in reversed(clips) for address, curve in clip.curves.items()}
    # those of the first clip last, which decides
    holders = {
        prefix: slot for clip in reversed(clips) for prefix, slot in clip.holders.items() if slot is not None
    }
    return SlotPlan(clips[0].slot, owner, groups, cut, is_own, holders=holders)


def _find_fk_end(joining: Joining) -> float:
    """Return the frame up to which FK may have to show limbs: the one behind the first whole one at which no
    offset lasts any longer.
    """
    return math.ceil(joining.cut + joining.longest_seconds * joining.fps) + 1.0


def plan_slot_steps(
    joining: Joining,
    matching: Matching,
    owner: Any | None,
    taking_part: TakingPart | None = None,
    *,
    is_own: bool = True,
) -> Steps[SlotPlan]:
    """Plan the curves of a slot that both clips have, in steps; return the plan; yield the part that is done,
    0 to 1.

    owner: the data-block that it animates. taking_part: what does, None for all; all else goes on as in the
    source. is_own: whether it belongs to the character.
    """
    plan = empty_plan(joining.clips, owner, joining.cut, is_own=is_own)
    plan.clips = joining.clips
    if taking_part is not None:
        for address, curve in joining.source.curves.items():
            bone, prop = rig.split_path(address[0])
            dropped = (bone, prop) in matching.ignored or bone in matching.missing
            if not dropped and not taking_part.takes_path(address[0]):
                plan.copied[address] = curve
    if joining.held.destination is not None:
        plan.last_frame = _find_fk_end(joining)
        joining = dataclasses.replace(joining, destination=joining.held.destination)
    if joining.destination.clock is not None:
        plan.last_frame = max(plan.last_frame, joining.destination.clock.end + joining.later)
    channels = [ch for ch in matching.channels if taking_part is None or taking_part.takes(ch)]
    yield from compose_steps(joining, channels, plan)
    return plan


def with_warp(played: Played, warp: Warping | None) -> Played:
    """Return a transition that is judged for how its warp looks, too, as of a plain rig."""
    if warp is None or played.poser.has_to_play:
        return played
    return dataclasses.replace(played, warp=(warp.destination, float(warp.frames[-1]) + played.later))
