# SPDX-License-Identifier: GPL-3.0-or-later
"""What an armature remembers of its path: what it follows, with which clips, and what its animator asks for
on the way."""

from __future__ import annotations

import math
from typing import Any

import bpy
from bpy.props import BoolProperty, FloatProperty, IntProperty, PointerProperty, StringProperty

from ...blender.data import scene
from ...blender.matching import surroundings
from ...errors import InertiaError
from ...settings import matching
from ...settings.fields import SHOWN_FRAME
from ...settings.matching import Ban, Goal, PathSettings, Pin
from ...settings.steering import SteerSettings
from ...settings.transition import TransitionSettings
from ..feet.properties import search_mesh
from ..shared import labels, made_of, words
from ..shared.drawing import ListRows, at_end
from ..shared.made_of import OVERRIDE, a_frame, an_action, list_of, make_property, redraw
from ..transition import fields, pickers
from ..transition.pickers import OBSTACLES, picker
from ..transition.properties import animates_objects
from ..translations import OWN_CONTEXT, translated

FARTHEST = 1e6
"""A place on a path is no further than this, in metres or seconds: the ends of what has none."""


PLACE: dict[str, Any] = {"min": 0.0, "soft_max": 100.0, "max": FARTHEST, "step": 10, "precision": 2}
PLACE |= {"update": redraw, "translation_context": OWN_CONTEXT}
"""How places on a path are shown."""
FRAME: dict[str, Any] = {**SHOWN_FRAME, "default": 1.0, "update": redraw}
"""How frames are, likewise."""


def can_be_followed(path: Any, obj: Any) -> bool:
    """Tell whether an object can be followed: a curve, or anything else that is not the character itself."""
    return bool(obj != path.id_data and obj.parent != path.id_data)


class PathClipProperties(bpy.types.PropertyGroup):
    """An action that may be played along the path."""

    action: an_action("Action", "An action to follow the path with", poll=animates_objects, update=redraw)
    action_name: picker("action", "Action", "An action to follow the path with")
    cyclic: make_property(
        BoolProperty, "Cycle", "It is a cycle: its last frame is the first of the next", update=redraw
    )
    is_move: make_property(
        BoolProperty,
        "Move",
        "It is a move, such as a jump: while the character is steered, it is played only when a number key "
        "asks for it. The first move has the key 1",
        translation_context=OWN_CONTEXT,
    )


class PinProperties(bpy.types.PropertyGroup):
    """A clip that is to be entered at a place of the path."""

    action: an_action(
        "Action", "The action that is entered at this place", poll=animates_objects, update=redraw
    )
    action_name: picker("action", "Action", "The action that is entered at this place")
    frame: a_frame(
        "Frame",
        "The action's own frame that is shown at this place, such as the one where a jump takes off",
        **FRAME,
    )
    mirrored: make_property(BoolProperty, "Mirrored", "Enter the action's mirror image", update=redraw)
    at: make_property(
        FloatProperty,
        "Place",
        "Where on the path it is entered: metres along it, or seconds if the target is timed",
        **PLACE,
    )


class BanProperties(bpy.types.PropertyGroup):
    """A clip that is not to be played on a part of the path."""

    action: an_action("Action", "The action that is not played there", poll=animates_objects, update=redraw)
    action_name: picker("action", "Action", "The action that is not played there")
    first: make_property(
        FloatProperty,
        "From",
        "Where on the path it is forbidden from: metres along it, or seconds if the target is timed",
        **PLACE,
    )
    last: make_property(
        FloatProperty,
        "To",
        "Where on the path it is allowed again: metres along it, or seconds if the target is timed",
        default=1.0,
        **PLACE,
    )


class GoalProperties(bpy.types.PropertyGroup):
    """A place of the path to be at on a frame."""

    at: make_property(
        FloatProperty, "Place", "Where on the path the character is then: metres along it", **PLACE
    )
    frame: a_frame("Frame", "The frame of the scene on which the character is there", **FRAME)
    use_facing: make_property(
        BoolProperty,
        "Choose the Facing",
        "Face a direction of your choice there; otherwise where the path goes",
        update=redraw,
    )
    facing: make_property(
        FloatProperty,
        "Facing",
        "Which way the character faces there, as an angle from the X axis",
        subtype="ANGLE",
        update=redraw,
    )


@made_of.properties(
    PathSettings,
    {
        "ground_object": {"search": search_mesh, "search_options": set()},
        "obstacles": OBSTACLES,
    },
    update=redraw,
)
class PathFields:
    """The settings of a path, by their names in PathSettings."""


SETTINGS = made_of.names(PathSettings)


class PathProperties(PathFields, bpy.types.PropertyGroup):
    """What the armature follows with its actions, and how."""

    followed: PointerProperty(
        name="Follow",
        description="What the character follows: a curve, or an animated object, when and where it moves",
        type=bpy.types.Object,
        poll=can_be_followed,
        override=OVERRIDE,
        update=redraw,
    )
    choose_clips: make_property(
        BoolProperty,
        "Choose the Actions",
        "Follow the path with the listed actions only; otherwise with all that fit the armature",
        update=redraw,
    )
    clips: list_of(PathClipProperties, "Actions", "The actions to follow the path with")
    active_clip: make_property(
        IntProperty, "Action", "The chosen action of the list", translation_context=OWN_CONTEXT
    )
    pins: list_of(PinProperties, "Pins", "Clips that are entered at set places on the path")
    active_pin: make_property(IntProperty, "Pin", "The chosen pin", translation_context=OWN_CONTEXT)
    fixed: list_of(
        PinProperties, "Fixed", "Clips that are fixed from the beginning on, each entered at its time"
    )
    bans: list_of(BanProperties, "Forbidden", "Clips that are not played on some parts of the path")
    active_ban: make_property(IntProperty, "Forbidden Clip", "The chosen forbidden clip")
    goals: list_of(GoalProperties, "Goals", "Places of the path to be at on their frames")
    active_goal: make_property(IntProperty, "Goal", "The chosen goal", translation_context=OWN_CONTEXT)
    joined_at: make_property(
        FloatProperty,
        "Join",
        "The join that is looked at, in seconds from the path's beginning: the nearest one is taken",
        translation_context=OWN_CONTEXT,
        update=redraw,
    )
    result: make_property(
        StringProperty, "Result", "The name of the new action; empty to name it after what it follows"
    )


class INERTIA_UL_path_clips(pickers.ClipRows, bpy.types.UIList):
    pass


class INERTIA_UL_path_pins(ListRows, bpy.types.UIList):
    def draw_row(self, row: Any, data: Any, item: Any, _index: int) -> None:
        row.label(text=_named(data, item), icon="PINNED", translate=False)
        at_end(row, translated("at {0}", f"{item.at:.2f}"), active=False)


class INERTIA_UL_path_bans(ListRows, bpy.types.UIList):
    def draw_row(self, row: Any, data: Any, item: Any, _index: int) -> None:
        row.label(text=_named(data, item), icon="CANCEL", translate=False)
        last = "" if item.last >= FARTHEST else f"{item.last:.2f}"
        at_end(row, translated("{0} to {1}", f"{item.first:.2f}", last), active=False)


class INERTIA_UL_path_goals(ListRows, bpy.types.UIList):
    def draw_row(self, row: Any, _data: Any, item: Any, _index: int) -> None:
        row.label(text=translated("{0} m", f"{item.at:.2f}"), icon="TRACKING", translate=False)
        at_end(row, translated("on frame {0}", words.number(item.frame)), active=False)


def _named(data: Any, item: Any) -> str:
    if item.action is None:
        return translated("None yet")
    name = labels.action(data.id_data, item.action.name)
    return translated("{0} (mirrored)", name) if getattr(item, "mirrored", False) else name


def names_of(armature: Any) -> tuple[str, ...]:
    """Return the actions that an armature follows its path with. Raise InertiaError for an empty list."""
    return pickers.clip_names(armature, armature.inertia_path)


def stands_on(armature: Any) -> list[Any]:
    """Return in a list what a path stands on besides its armature: what is followed, the ground, each
    obstacle, and each action.

    What is followed is None where nothing is, the ground is None unless it is an object that is there, and an
    action that is gone is None. Obstacles are those of the collection, if one is named. Raise InertiaError if
    clips are chosen and none has an action, and for a collection of obstacles that is gone.
    """
    path = armature.inertia_path
    ground = bpy.data.objects.get(path.ground_object) if path.ground == "OBJECT" else None
    walls = surroundings.obstacle_objects(path.obstacles) if path.obstacles else []
    return [path.followed, ground, *walls, *(bpy.data.actions.get(name) for name in names_of(armature))]


def marked(path: Any, mark: str) -> tuple[str, ...]:
    """Return the listed actions that have a mark, "cyclic" or "is_move", in their order."""
    listed = path.clips if path.choose_clips else ()
    names = [item.action.name for item in listed if item.action is not None and getattr(item, mark)]
    return tuple(dict.fromkeys(names))


def pins_of(items: Any) -> tuple[str, ...]:
    """Return the pins of a list, as settings have them."""
    return tuple(
        str(Pin(round(item.at, 4), item.action.name, round(item.frame, 4), item.mirrored))
        for item in items
        if item.action is not None
    )


def bans_of(path: Any) -> tuple[str, ...]:
    """Return the forbidden clips in the rows' order as texts, ACTION=FIRST:LAST with places on the path; rows
    without an action are left out.

    LAST is left out for FARTHEST or more, which means to the end; it is at least FIRST. Places are rounded to
    four decimals.
    """
    bans = []
    for item in path.bans:
        if item.action is not None:
            first, last = round(item.first, 4), round(item.last, 4) if item.last < FARTHEST else math.inf
            bans.append(str(Ban(item.action.name, first, max(last, first))))
    return tuple(bans)


def goals_of(path: Any) -> tuple[str, ...]:
    """Return the goals in the rows' order as texts, PLACE=SECONDS or, where the facing is used,
    PLACE=SECONDS,DEGREES.

    Places are on the path, in metres; frames become seconds from the path's first frame, by the scene's rate.
    Raise InertiaError for a goal before the path's first frame.
    """
    goals = []
    for item in path.goals:
        if item.frame < path.first_frame:
            raise InertiaError(
                "A goal is on frame {frame:g}, and the path begins on frame {first:g}; move one of the two.",
                frame=item.frame,
                first=path.first_frame,
            )
        seconds = round(scene.to_seconds(item.frame - path.first_frame), 6)
        facing = round(math.degrees(item.facing), 4) if item.use_facing else None
        goals.append(str(Goal(round(item.at, 4), seconds, facing)))
    return tuple(goals)


def joins_from(armature: Any) -> TransitionSettings:
    """Return the settings by which each join of an armature's path blends.

    Those in OF_JOINS are the armature's transition settings (armature.inertia): how an offset fades and is
    measured, root, step, feet and toes. result is inertia_path.result, assign is True, source and destination
    are "", and cut is 0.0. All else has its default. Nothing is written. Raise InertiaError for values that
    are out of range or don't go together.
    """
    values = fields.values_of(armature.inertia)
    joins = {name: values[name] for name in matching.OF_JOINS & {*values}}
    joins["result"] = armature.inertia_path.result
    return TransitionSettings(**matching.joined_by({"assign": True, **joins}))


def settings_from(armature: Any, source: Any = None) -> PathSettings:
    """Return the settings of a path that an armature's properties ask for.

    source: an operator whose values stand in place of inertia_path's own for the settings that have a
    property; None for the armature. What is followed (`curve` for a curve, else `target`), the lists of
    clips, pins, fixed clips, bans and goals, how joins blend and the result's name are always the armature's.
    actions are the listed ones, or all that fit; cycles are those marked as cycles; the mark is_move is not
    read.

    Raise InertiaError if nothing is followed, the list of actions is empty, a goal lies before the first
    frame, or values are out of range or don't go together.
    """
    path = armature.inertia_path
    if path.followed is None:
        raise InertiaError("Choose what to follow: draw a curve, or take an object that is animated.")
    return PathSettings(
        joins_from(armature),
        names_of(armature),
        **{"curve" if path.followed.type == "CURVE" else "target": path.followed.name},
        cycles=marked(path, "cyclic"),
        pins=pins_of(path.pins),
        fixed=pins_of(path.fixed),
        bans=bans_of(path),
        goals=goals_of(path),
        **made_of.values_of(path if source is None else source, PathSettings, SETTINGS),
    )


def put_settings(armature: Any, settings: PathSettings) -> None:
    """Write settings of a path into an armature's properties: the inverse of :func:`settings_from`.

    choose_clips is switched on, and the list becomes the settings' actions with their marks, an empty one
    where these name none; pins, fixed clips and bans replace those before. How joins blend goes into the
    armature's transition settings. Of a take, which follows wishes, how these are answered is written, and
    what is followed, goals and how it is followed stay; of a path, what is followed and goals are written.
    Actions and objects that the file lacks become None. Raise InertiaError for a number out of range; what
    came before it is written then.
    """
    path = armature.inertia_path
    names = [name for name in SETTINGS if not (settings.wishes and name in matching.NOT_OF_TAKES)]
    for name in names:
        made_of.put(path, PathSettings, name, getattr(settings, name))
    joins = settings.transition.as_dict()
    fields.put(armature.inertia, joins, [name for name in fields.SHARED if name in matching.HOW_JOINS_BLEND])
    path.choose_clips = True
    path.clips.clear()
    for name in settings.actions:
        marks = {"cyclic": name in settings.cycles, "is_move": name in settings.moves}
        add(path.clips, name, **marks)
    for items, pins in ((path.pins, settings.pinned), (path.fixed, settings.entered)):
        items.clear()
        for pin in pins:
            add(items, pin.clip, frame=pin.frame, mirrored=pin.mirrored, at=pin.at)
    path.bans.clear()
    for ban in settings.banned:
        add(path.bans, ban.clip, first=max(ban.first, 0.0), last=min(ban.last, FARTHEST))
    if settings.wishes:
        for name in made_of.names(SteerSettings):
            made_of.put(armature.inertia_steer, SteerSettings, name, getattr(settings.steer, name))
        return
    path.followed = bpy.data.objects.get(settings.curve or settings.target)
    path.goals.clear()
    for goal in settings.aimed:
        item = path.goals.add()
        item.at, item.frame = goal.at, path.first_frame + scene.to_frames(goal.seconds)
        item.use_facing, item.facing = goal.facing is not None, math.radians(goal.facing or 0.0)


def add(items: Any, action: str, **values: Any) -> None:
    """Add an item with an action to a list of clips, pins or bans. action: its name; if the file has none,
    the item has none. values: further properties.
    """
    item = items.add()
    item.action = bpy.data.actions.get(action)
    for name, value in values.items():
        setattr(item, name, value)


CLASSES = (
    *(PathClipProperties, PinProperties, BanProperties, GoalProperties, PathProperties),
    *(INERTIA_UL_path_clips, INERTIA_UL_path_pins, INERTIA_UL_path_bans, INERTIA_UL_path_goals),
)
