# SPDX-License-Identifier: GPL-3.0-or-later
"""What an armature remembers of the gap that is to be filled: how long it is, where it leads, and with which
clips."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import BoolProperty, FloatProperty, FloatVectorProperty, IntProperty, StringProperty

from ...blender.data import scene
from ...blender.matching import surroundings
from ...settings import fields, fill
from ...settings.fill import FillSettings
from ...settings.fill_wishes import Touch
from ...settings.transition import TransitionSettings
from ..shared import made_of
from ..shared.made_of import an_action, list_of, make_property, redraw
from ..transition import outlook, pickers
from ..transition.pickers import OBSTACLES, ClipRows, picker
from ..transition.properties import animates_objects, values_from
from ..translations import OWN_CONTEXT

if TYPE_CHECKING:
    from ...blender.nla.strips import StripMeeting

SETTINGS = made_of.names(FillSettings)
BY_HAND = ("use_place", "place", "facing", "through", "waypoints", "touches")
"""The properties that stand for settings of another form: where the destination is arrived at, and what is
asked for on the way."""


class FillClipProperties(bpy.types.PropertyGroup):
    """An action that may lie in the gap."""

    action: an_action("Action", "An action to fill the gap with", poll=animates_objects, update=redraw)
    action_name: picker("action", "Action", "An action to fill the gap with")
    cyclic: make_property(
        BoolProperty, "Cycle", "It is a cycle: its last frame is the first of the next", update=redraw
    )


@made_of.properties(FillSettings, {"obstacles": OBSTACLES}, update=redraw)
class FillFields:
    """The settings of a gap, by their names in FillSettings, and where it leads."""

    use_place: make_property(
        BoolProperty,
        "At a Place",
        "Arrive at a chosen place with a chosen facing; otherwise as the goal says",
        update=redraw,
    )
    place: make_property(
        FloatVectorProperty,
        "Place",
        "Where on the ground the character arrives",
        size=2,
        subtype="XYZ",
        unit="LENGTH",
        update=redraw,
        translation_context=OWN_CONTEXT,
    )
    facing: make_property(
        FloatProperty,
        "Facing",
        "The angle in which the character faces when it arrives: 0 along X, 90 degrees along Y",
        subtype="ANGLE",
        default=math.radians(-90.0),
        update=redraw,
    )
    through: make_property(
        StringProperty,
        "Through Poses",
        "The poses to show on the way, separated by commas: frames at which the source's own is, as 30, or "
        "poses of other actions, as Reach@12=40 for that of Reach at 12 on frame 40",
        update=redraw,
    )
    waypoints: make_property(
        StringProperty,
        "Waypoints",
        "The places on the ground that the character is at on the way, separated by semicolons: the frame, "
        "x and y in metres and, if you like, the facing in degrees, as 40=1.5,2 or 40=1.5,2,90. Drag the "
        "way in the view to set them",
        update=redraw,
    )
    touches: make_property(
        StringProperty,
        "Touches",
        "The points that bones touch on the way, separated by semicolons: the bone, the frame, and x, y and "
        "z in metres, as hand.R@40=0.3,0.2,1.4. Drag a joint of a ghost in the view to set them",
        update=redraw,
    )


def _arrival(gap: Any) -> float:
    return float(gap.id_data.inertia.cut + gap.gap_frames)


def _put_arrival(gap: Any, frame: float) -> None:
    gap.gap_frames = frame - gap.id_data.inertia.cut


class FillProperties(FillFields, bpy.types.PropertyGroup):
    """The gap between the armature's source and its destination."""

    arrival: FloatProperty(
        name="Arrive at",
        description="The scene frame at which the destination takes over: the cut plus the gap",
        options=made_of.OPTIONS,
        get=_arrival,
        set=_put_arrival,
        **fields.SHOWN_FRAME,
    )
    keep_between: make_property(
        BoolProperty,
        "Keep Poses",
        "Show the poses of other selected keys, between the first and the last, on their frames",
    )
    choose_clips: make_property(
        BoolProperty,
        "Choose the Clips",
        "Fill the gap with the listed actions only; otherwise with all that fit the armature",
        update=redraw,
    )
    clips: list_of(FillClipProperties, "Clips", "The actions to fill the gap with")
    active_clip: make_property(
        IntProperty, "Clip", "The chosen action of the list of clips", translation_context=OWN_CONTEXT
    )
    result: make_property(
        StringProperty, "Result", "The name of the new action; empty to name it after its two ends"
    )


class INERTIA_UL_fill_clips(ClipRows, bpy.types.UIList):
    pass


def names_of(armature: Any) -> tuple[str, ...]:
    """Return the actions that may lie in an armature's gap. Raise InertiaError for an empty list."""
    return pickers.clip_names(armature, armature.inertia_fill)


def stands_on(settings: FillSettings) -> list[Any]:
    """Return what a gap stands on besides its armature: both actions and those between, None for each that is
    gone, then obstacles. Raise InertiaError for a collection that is gone.
    """
    transition, posed = settings.transition, [pose.action for pose in settings.key_poses]
    walls = surroundings.obstacle_objects(settings.obstacles) if settings.obstacles else []
    return [
        *(
            bpy.data.actions.get(name)
            for name in (transition.source, transition.destination, *settings.actions, *posed)
        ),
        *walls,
    ]


def text_to_wishes(text: str) -> tuple[str, ...]:
    """Split a text of waypoints or touches at its semicolons; blanks around them, and empty ones, don't
    count."""
    return tuple(each.strip() for each in text.split(";") if each.strip())


def wishes_to_text(asked: Iterable[object]) -> str:
    """Join waypoints or touches by semicolons: the inverse of :func:`text_to_wishes`."""
    return "; ".join(map(str, asked))


def put_touch(gap: Any, touch: Touch) -> None:
    """Have a gap ask for a touch, in place of an earlier one of the same bone on the same frame."""
    others = [
        each
        for each in map(Touch.of, text_to_wishes(gap.touches))
        if (each.bone, each.frame) != (touch.bone, touch.frame)
    ]
    gap.touches = wishes_to_text([*others, touch])


def settings_from(armature: Any, source: Any = None, met: StripMeeting | None = None) -> FillSettings:
    """Return the settings of a gap that an armature's properties ask for.

    source: an operator whose values stand in place of the armature's for the gap's own settings and place;
    None for the armature. The clips, which of them are cycles, and the result's name are the armature's in
    any case. met: two selected strips that give the actions and their frames; None for the armature's. The
    place becomes the text "x,y,degrees", x and y in metres; "at" is "" without use_place, cycles is () unless
    choose_clips is on, and obstacles is "" without use_library. Raise InertiaError if choose_clips is on and
    no row has an action, and for values that are out of range or don't go together.
    """
    gap = armature.inertia_fill
    holder = gap if source is None else source
    x, y = (round(value * scene.metres_per_unit(), 4) for value in holder.place)
    cycles = [item.action.name for item in gap.clips if item.action is not None and item.cyclic]
    values = made_of.values_of(holder, FillSettings, SETTINGS)
    # without clips nothing leads around, and the field is not shown
    values["obstacles"] = values["obstacles"] if values["use_library"] else ""
    return FillSettings(
        _transition(armature, gap.result, met),
        # where the destination is arrived at, as settings have it
        through=made_of.text_to_names(holder.through),
        waypoints=text_to_wishes(holder.waypoints),
        touches=text_to_wishes(holder.touches),
        at=f"{x},{y},{round(math.degrees(holder.facing), 3)}" if holder.use_place else "",
        actions=names_of(armature),
        cycles=tuple(dict.fromkeys(cycles)) if gap.choose_clips else (),
        **values,
    )


def _transition(armature: Any, result: str, met: StripMeeting | None) -> TransitionSettings:
    """Return the settings of the two actions and of how joins blend; all bones take part.

    result: the name asked for. met: two strips that give actions, slots, cut, destination frame and shift;
    None for the armature's own. Settings in OF_GAPS and `assign` are those of the armature, all others the
    defaults, so that an action's library is not told.

    Without met, a destination frame that is not set becomes the destination's first key frame; it stays None
    without a destination, or where that has no keys that can be read. An action that is not chosen is "".
    Raise InertiaError for values that are out of range or don't go together, and for a malformed text of
    channel scales.
    """
    values = values_from(armature, with_bones=False)
    chosen = {name: values[name] for name in fill.OF_GAPS & {*values}}
    if met is not None:
        chosen |= {
            "source": met.source.name,
            "source_slot": met.source_slot,
            "destination": met.destination.name,
            "destination_slot": met.destination_slot,
            "cut": met.cut,
            "destination_frame": met.entry,
            "shift": met.shift,
        }
    elif chosen["destination_frame"] is None and armature.inertia.destination is not None:
        span = outlook.clip_range(armature, "destination")
        chosen["destination_frame"] = None if span is None else span[0]
    chosen |= {"result": result, "assign": values["assign"]}
    return TransitionSettings(**chosen)


def start_from(operator: Any, gap: Any) -> None:
    """Set an operator's properties that were not given to the values of an armature's gap (inertia_fill),
    with use_place, place, facing, through, waypoints and touches.

    These six count as given each by itself, so that place is set also where use_place was given; any other
    counts as given if it or its switch is. They are set one after the other, these six last. Raise
    InertiaError for a stored number out of range; those before it are set then.
    """
    made_of.start_from(operator, gap, FillSettings, SETTINGS)
    for name in BY_HAND:
        if not operator.properties.is_property_set(name):
            setattr(operator, name, getattr(gap, name))


def keep(operator: Any, gap: Any) -> None:
    """Write an operator's settings into an armature's gap (inertia_fill), with use_place, place, facing and
    through, so that the next fill starts from them.
    """
    for name, value in made_of.values_of(operator, FillSettings, SETTINGS).items():
        made_of.put(gap, FillSettings, name, value)
    for name in BY_HAND:
        setattr(gap, name, getattr(operator, name))


CLASSES = (FillClipProperties, FillProperties, INERTIA_UL_fill_clips)
