# SPDX-License-Identifier: GPL-3.0-or-later
"""A planned result as strips of the NLA: the two clips' own, and above them what joins them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np

from ...errors import Sentence
from ...records import record
from ...settings.transition import TransitionSettings
from ..data import compat, rewriting, rig
from ..data.actions import Clip
from ..data.channels import ROTATIONS, VECTORS
from ..nla import tracks
from ..nla.tracks import Strip, Track
from . import layering, preflight, writing
from .compose import SlotPlan
from .layering import Spans

TRACKS = (
    ("{name}: in place", (layering.BEFORE, layering.DURING, layering.AFTER)),
    ("{name}: offset", (layering.OFFSET, layering.PLACE)),
    ("{name}: rest", (layering.REST,)),
)
"""What the tracks above the clips are called, from below, and which layers are in them."""
SAID = {
    layering.PLACE: "The offset of {named} goes on to the destination's end, as it keeps the character in "
    "place.",
    layering.BEFORE: "Up to the cut, a separate strip plays {named}, as the source does not.",
    layering.DURING: (
        "From the cut on, a separate strip plays {named}, as no offset on top of the destination can."
    ),
}
"""What is said of the bones and properties in some layers."""
BLENDED = {layering.OFFSET: "COMBINE", layering.PLACE: "COMBINE", layering.REST: "ADD"}
"""How layers are blended that do not replace what is below them."""
EDGE = 1.0 / 1024.0
"""So many frames before the cut the source's strip ends at least: where two touch Blender plays the first."""
PARTS = {
    layering.PLACE: "{name}: place",
    layering.REST: "{name}: rest",
    layering.BEFORE: "{name}: before",
    layering.DURING: "{name}: during",
    layering.AFTER: "{name}: after",
}
"""The actions beside the result's own, which holds the offset."""


@record(frozen=True)
class Layered:
    """A result in layers.

    by_owner: of each thing that it plays on the slot's plan, and what plays above its clips by layer.
    """

    spans: Spans
    by_owner: tuple[tuple[SlotPlan, dict[str, SlotPlan]], ...]

    def of(self, layer: str) -> list[SlotPlan]:
        """What all that it plays on have in a layer."""
        return [made[layer] for _, made in self.by_owner if layer in made]


def layered(
    slots: Sequence[SlotPlan], clips: tuple[Clip, Clip], settings: TransitionSettings, into: Any | None
) -> Layered:
    """The layers of a planned result. into: an earlier result, whose tracks are going to be replaced.

    Raises InertiaError where it can't play on the armature.
    """
    tracks.check(slots[0].owner)
    playing = [
        slot
        for slot in slots
        if slot.owner is not None
        and (slot.is_own or settings.assign_others)
        and not rewriting.not_assignable(slot.owner)
    ]
    assert settings.destination_frame is not None
    at = layering.spans(playing, *clips, settings.cut, settings.destination_frame)
    made = tuple(
        (slot, layering.layers(slot, at, tracks.others_below(slot.owner, into), not settings.bones))
        for slot in playing
    )
    return Layered(at, made)


def write_parts(result: Any, planned: Layered) -> dict[str, Any]:
    """Write what a result needs beside its own action; returns the actions by layer."""
    found = {layering.OFFSET: result}
    for layer in PARTS:
        slots = planned.of(layer)
        if slots:
            part = found[layer] = bpy.data.actions.new(layer)
            part[tracks.PART_OF] = result
            writing.write_slots(part, slots)
    return found


def name_parts(name: str, made: dict[str, Any]) -> None:
    """Name the actions beside a result's own after it."""
    for layer, called in PARTS.items():
        if layer in made:
            made[layer].name = called.format(name=name)


def play(
    settings: TransitionSettings, planned: Layered, made: dict[str, Any], below: dict[Any, Any | None]
) -> None:
    """Make the tracks. made: actions by layer. below: whom it played on before, and above which tracks."""
    name = made[layering.OFFSET].name
    for action in made.values():
        _protect(action)
    for slot, own in planned.by_owner:
        wanted = [Track(name, _clips(slot, planned.spans))]
        for called, layers in TRACKS:
            strips = (_strip(made[one], slot, one, planned.spans) for one in layers if one in own)
            wanted.append(Track(called.format(name=name), tuple(strips)))
        moved = [track.later(settings.shift) for track in wanted if track.strips]
        tracks.put(slot.owner, made[layering.OFFSET], moved, below.get(slot.owner), not settings.assign)


def _clips(slot: SlotPlan, at: Spans) -> tuple[Strip, ...]:
    """The two clips' own strips."""
    found: list[Strip] = []
    for side, clip in enumerate(slot.clips):
        for first, last, entry in at.runs(slot, side):
            assert clip is not None
            last = _before(last) if last == at.cut else last
            holds = "HOLD_FORWARD" if side else "HOLD"
            entry = float(clip.own(entry))
            found.append(
                Strip(clip.action, clip.slot.identifier, first, last, entry, holds, scale=clip.scale)
            )
    return tuple(found)


def _strip(action: Any, slot: SlotPlan, layer: str, at: Spans) -> Strip:
    first, last = at.of(layer)
    if layer == layering.BEFORE:
        last = _before(last)
    lasts = layer in (layering.AFTER, layering.PLACE)
    holds = "HOLD_FORWARD" if lasts else "NOTHING"
    return Strip(action, slot.slot.identifier, first, last, first, holds, BLENDED.get(layer, "REPLACE"))


def _before(cut: float) -> float:
    """The end of a strip up to the cut, which does not play there."""
    return cut - max(EDGE, 4.0 * float(np.spacing(np.float32(abs(cut) + 1.0))))


def _protect(action: Any) -> None:
    """Lock the curves against edits by hand: they are made anew."""
    for slot in compat.slots(action):
        for fcurve in compat.curves(action, slot.identifier):
            fcurve.lock = True


def notes(planned: Layered) -> tuple[str, ...]:
    """What strips can't say by an offset that is over with the blend, a sentence each."""
    said = []
    for layer, text in SAID.items():
        if named := _named(planned, layer):
            said.append(Sentence(text, named=named))
    return tuple(said)


def _named(planned: Layered, layer: str) -> str:
    """The bones, objects and properties in a layer, as far as there is room."""
    names: dict[str, None] = {}
    for slot in planned.of(layer):
        for path, _ in slot.curves:
            bone, prop = rig.split_path(path)
            is_placed = prop in VECTORS or prop in ROTATIONS
            names[bone or (str(getattr(slot.owner, "name", prop)) if is_placed else prop)] = None
    return preflight.named(list(names)) if names else ""
