# SPDX-License-Identifier: GPL-3.0-or-later
"""What an armature remembers of its hops: where to search, what was found, and which is chosen."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import BoolProperty, FloatProperty, IntProperty, StringProperty

from ...blender.data import clip_store
from ...blender.hops import search
from ...errors import InertiaError
from ...settings import fields
from ...settings.hops import HopSettings
from ..shared import made_of, words
from ..shared.made_of import an_action, limits_of, list_of, make_property, plain
from ..transition.pickers import ClipRows, picker
from ..transition.properties import animates_objects, settings_from
from ..translations import OWN_CONTEXT

if TYPE_CHECKING:
    from ...blender.hops.search import FoundHop


class HopClipProperties(bpy.types.PropertyGroup):
    """An action that may lie between."""

    action: an_action("Action", "An action that hops may lead through", poll=animates_objects)
    action_name: picker("action", "Action", "An action that hops may lead through")
    cyclic: make_property(BoolProperty, "Cycle", "It is a cycle: its last frame is the first of the next")


class WayProperties(bpy.types.PropertyGroup):
    """A hop that was found."""

    way: make_property(StringProperty, "Way", "The hop, as JSON")
    cost: make_property(
        FloatProperty, "Cost", "What the hop costs, the waiting included, in the distance's unit"
    )


@made_of.properties(HopSettings)
class HopsProperties(bpy.types.PropertyGroup):
    """Where the armature's hops are searched, and those that were found."""

    choose_clips: make_property(
        BoolProperty,
        "Choose the Clips",
        "Hop through the listed actions only; otherwise through all that fit the armature",
    )
    clips: list_of(HopClipProperties, "Clips", "The actions that hops may lead through")
    active_clip: make_property(
        IntProperty, "Clip", "The chosen action of the list of clips", translation_context=OWN_CONTEXT
    )
    blends: make_property(
        StringProperty,
        "Blend Times",
        "Frames that a blend may take, such as 8, 12, 20: the best is found for each blend; "
        "empty for the transition's own blend time",
    )
    found_weight: make_property(
        StringProperty, "Found Weight", "The weight that was found, with the settings that it was found for"
    )
    ways: list_of(WayProperties, "Ways", "The hops that were found, the best first")
    active_way: make_property(IntProperty, "Hop", "The hop that is baked")
    show_all: make_property(
        BoolProperty,
        "All Ways",
        "Also show other ways through the same clips, which enter them at other frames and cost more",
    )
    straight: plain(
        BoolProperty, "Going Straight", "Whether the direct transition is as good as any hop at the trigger"
    )
    trigger: plain(
        FloatProperty, "Trigger", "The scene frame that the hops start from", **limits_of(fields.FRAME)
    )
    direct: plain(
        FloatProperty,
        "Direct",
        "The direct transition's cost, in the distance's unit",
        translation_context=OWN_CONTEXT,
    )


class INERTIA_UL_hop_clips(ClipRows, bpy.types.UIList):
    pass


def hop_settings_from(armature: Any) -> HopSettings:
    """Return the settings of hops that an armature's properties ask for, those of its inertia_hops with a
    transition's.

    `transition` is the armature's own, with all settings of a warp at their defaults. `clips` are the names
    of the listed actions, each once, rows without an action left out; `cycles` those of them that are marked
    as cycles. Without choose_clips both are (), and all actions that fit count. `blends` is what
    :func:`blends_from` reads, () for the transition's own. A setting whose switch is off, longest_stay or
    weight, is None.

    Raise InertiaError if choose_clips is on and no row has an action, for blend times that are no whole
    numbers from 1, and for values that are out of range or don't go together.
    """
    hops = armature.inertia_hops
    transition = settings_from(armature).without_warp()
    listed = [item for item in hops.clips if item.action is not None] if hops.choose_clips else []
    if hops.choose_clips and not listed:
        raise InertiaError("The list of clips is empty; add actions to it, or hop through all that fit.")
    cycles = [item.action.name for item in listed if item.cyclic]
    return HopSettings(
        transition,
        clips=tuple(dict.fromkeys(item.action.name for item in listed)),
        cycles=tuple(dict.fromkeys(cycles)),
        blends=blends_from(hops.blends),
        **made_of.values_of(hops, HopSettings, made_of.names(HopSettings)),
    )


def stands_on(armature: Any) -> list[Any]:
    """Return what hops stand on besides their armature: the source, the destination, and the actions that
    they may lead through; None for each that is not chosen.
    """
    hops, ends = armature.inertia_hops, armature.inertia
    listed = [item.action for item in hops.clips] if hops.choose_clips else clip_store.unbaked(armature)
    return [ends.source, ends.destination, *listed]


def blends_from(text: str) -> tuple[int, ...]:
    """Return the blend times in a text, whole frames of 1 or more, separated by commas or spaces: sorted,
    each once; () for an empty text.

    Raise InertiaError for what is no such number.
    """
    written = text.replace(",", " ").split()
    for word in written:
        if not word.isdecimal() or int(word) < 1:
            raise InertiaError(
                '"{word}" is not a blend time; write whole frames, such as 8, 12, 20.', word=word
            )
    return tuple(sorted(set(map(int, written))))


def way_of(item: Any) -> FoundHop:
    """Return a hop that was found. Raise InertiaError for one that can't be read, as files may hold
    anything.
    """
    try:
        return search.FoundHop.from_dict(json.loads(item.way))
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise InertiaError("This hop can't be read; press Find Hops again.") from error


def chosen(armature: Any) -> FoundHop:
    """Return the hop that is chosen in the list.

    Raise InertiaError when none is, what the file holds of it can't be read, or the cut is more than 0.001
    frames from the frame for which hops were found.
    """
    hops = armature.inertia_hops
    if not 0 <= hops.active_way < len(hops.ways):
        raise InertiaError("There is no hop yet; press Find Hops first.")
    way = way_of(hops.ways[hops.active_way])
    if abs(way.trigger - armature.inertia.cut) > 1e-3:
        raise InertiaError(
            "The hops are for frame {trigger}, and the cut is now at {cut}; press Find Hops again.",
            trigger=words.number(way.trigger),
            cut=words.number(armature.inertia.cut),
        )
    return way


def grouped(hops: Sequence[FoundHop]) -> list[list[int]]:
    """Return lists of the indices of ways that lead through the same clips in the same order.

    Groups come in the order of their first ways, and indices rise; so with hops sorted, the best first, both
    begin with the best.
    """
    groups: dict[tuple[str, ...], list[int]] = {}
    for i, way in enumerate(hops):
        groups.setdefault(way.clips, []).append(i)
    return list(groups.values())


def keep(armature: Any, hops: Sequence[FoundHop], direct: float) -> None:
    """List hops in `inertia_hops.ways`, in place of those before, and choose the first; with none, note that
    going straight is as good (`straight` becomes True, else False).

    hops: the best first; each row has the hop as JSON, `way`, and its `cost`. direct: what going straight
    costs, in the unit of the distance, which becomes `direct`. The present cut becomes `trigger`, the frame
    that the list is for. `active_way`, the index of the chosen row, is 0 even where there is none.
    """
    props = armature.inertia_hops
    props.ways.clear()
    props.straight = not hops
    for hop in hops:
        item = props.ways.add()
        item.way, item.cost = json.dumps(dataclasses.asdict(hop)), hop.cost
    props.active_way, props.trigger, props.direct = 0, armature.inertia.cut, direct


CLASSES = (HopClipProperties, WayProperties, HopsProperties, INERTIA_UL_hop_clips)
