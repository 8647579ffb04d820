# SPDX-License-Identifier: GPL-3.0-or-later
"""Fields to choose an action in: those of the armature first, then those of a few bones, then all others.
Lists of clips among which a search chooses; and what a way goes around.

Blender lists data-blocks by their names alone. So an animator is shown a text, with a search that keeps its
order, which stands for the pointer that is stored; scripts set that.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import bpy
from bpy.props import EnumProperty, StringProperty

from ...blender.data import actions, clip_store, compat, recipe, rig
from ...blender.matching import action_set
from ...errors import InertiaError
from ...motion.skeleton import twins
from ..shared import cache, labels, row_list, words
from ..shared.drawing import ListRows
from ..shared.made_of import plain
from ..shared.row_list import Button
from ..shared.tool import Tool
from ..translations import OWN_CONTEXT, language, translated
from . import fields

Candidate = tuple[str, str]
"""A name, and what is said of it at the right of a search's row."""
LINE = "──── Of Others ────"
"""What stands between the actions of the armature and all others."""
WHOLE = 0.5
"""What keys this part of the bones that the fullest clip keys, is no clip of a part of the body."""


def picker(pointer: str, name: str, tip: str) -> Any:
    """Return a text property that shows and chooses the action that another property of the same group points
    to; :func:`draw` draws it where it is called as that with "_name" behind it.

    pointer: the other property's name. The text is the action's full name, "" for none; a name that no action
    has sets the pointer to None, and the line (LINE) between the actions offered changes nothing. name, tip:
    label and tooltip. The property can't be overridden: Blender would call it from threads in which it
    compares an override with what that overrides, and to follow a pointer there crashes it.
    """

    def get(props: Any) -> str:
        action = getattr(props, pointer)
        return action.name_full if action is not None else ""

    def put(props: Any, value: str) -> None:
        if value == translated(LINE):
            return
        setattr(props, pointer, next((a for a in bpy.data.actions if a.name_full == value), None))

    return plain(StringProperty, name, tip, get=get, set=put, search=search, search_options=set())


def draw(layout: Any, props: Any, pointer: str, text: str | None = None, *, usual: str = "") -> None:
    """Draw the field of a property group's pointer; of a library override, the pointer itself.

    usual: what counts while it is empty, translated, which the field shows then.
    """
    # an icon would take the room of three letters
    if props.id_data.override_library is not None:
        layout.prop(props, pointer, text=text)
    else:
        layout.prop(props, f"{pointer}_name", text=text, placeholder=usual)


def describe_assigned(armature: Any, action: Any | None) -> str:
    """Return what an empty field shows where it stands for an action that is assigned, such as "Walk,
    assigned", in Blender's language; "" for None.
    """
    return "" if action is None else translated("{0}, assigned", labels.action(armature, action.name))


def search(data: Any, context: Any, text: str) -> list[Candidate]:
    """Return (full name, note) pairs of the actions with a slot for objects whose full names contain a text,
    in any case.

    They are in the order of :func:`ranked`: those of the armature come first, and those of others below a
    line, which is no action: to choose it changes nothing. They are kept until an action,
    their names, the rig or the language change, and may be out of date for a while where a look is slow. []
    without an armature. This is the search function of a property: data is a property group, whose object
    counts, or an operator, for which the active object does.
    """
    armature = fields.armature_of(data, context)
    if armature is None:
        return []
    return [(name, note) for name, note in offered(armature) if text.casefold() in name.casefold()]


def search_names(data: Any, context: Any, text: str) -> list[Candidate]:
    """Return (name, note) pairs of the actions whose names hold a text, in the order of :func:`search`, by
    the names that scripts know, without the line that it draws.

    An operator has the file of a linked action apart.
    """
    names = {action.name_full: action.name for action in bpy.data.actions}
    return [(names[name], note) for name, note in search(data, context, text) if name in names]


def offered(armature: Any) -> list[Candidate]:
    """Return all actions of objects by their full names, in the order in which they are offered.

    Blender asks at each redraw whether the name in a field is among them.
    """
    names = tuple(action.name_full for action in bpy.data.actions)
    return cache.rig_answer("rig:actions", armature, ranked, question=(names, language()))


def ranked(armature: Any) -> list[Candidate]:
    """Return (full name, note) pairs of all actions that have a slot for objects, ranked for an armature; all
    are looked at anew.

    An action fits if clip_store.fits says so: it is assigned to the armature, keys one of its bones, keys the
    object under its name, or the armature has most of its bones by other names. Of those that fit, first come
    those of the whole body (note ""); then those that key fewer than WHOLE, a half, as many of the armature's
    bones as the fullest that fits, with a note such as "12 bones"; then what Inertia has baked, of any kind
    ("baked").

    Last, below a line (LINE) if there are any others, come those that don't fit; their note is the first
    identifier among their slots without its two letters of the type, such as "Cube" of "OBCube", or "not of
    this armature". Each group is in the file's order. Notes are translated, but for names.
    """
    counts = {a: _count_bones(a, armature) for a in bpy.data.actions if fields.object_slots(a)}
    fitting = {action for action in counts if clip_store.fits(action, armature)}
    fullest = max((counts[action] for action in fitting), default=0)
    groups: tuple[list[Candidate], ...] = ([], [], [], [])
    for action, count in counts.items():
        name = action.name_full
        if action not in fitting:
            owner = next((slot.identifier[2:] for slot in compat.slots(action) if slot.identifier), "")
            groups[3].append((name, owner or translated("not of this armature")))
        elif recipe.is_baked(action):
            groups[2].append((name, translated("baked")))
        elif count < WHOLE * fullest:
            groups[1].append((name, words.count(count, "bone")))
        else:
            groups[0].append((name, ""))
    line = [(translated(LINE), "")] if groups[3] and any(groups[:3]) else []
    return [*groups[0], *groups[1], *groups[2], *line, *groups[3]]


def _count_bones(action: Any, armature: Any) -> int:
    """Return how many bones of an armature an action keys, by the slot that the armature would use; 0 if no
    slot fits.

    A keyed name that differs from a bone's only in prefix, case, separators or a copy's suffix counts as that
    bone. Names without a bone do not count.
    """
    try:
        slot = actions.choose_slot(action, armature)
    except InertiaError:
        return 0
    paths = {curve.data_path for curve in compat.curves(action, slot.identifier)}
    keyed = sorted({rig.split_path(path)[0] or "" for path in paths})
    return len(twins.find(armature.data.bones.keys(), keyed))


MARKS = {"cyclic": "FILE_REFRESH", "is_move": "EMPTY_SINGLE_ARROW"}
"""How a clip of a list may be marked, and the icons of that."""


def draw_clip(layout: Any, item: Any) -> None:
    """Draw the marks of the active clip of a list in words."""
    row = layout.row(align=True)
    row.use_property_split = False
    for name, icon in MARKS.items():
        if hasattr(item, name):
            row.prop(item, name, icon=icon, toggle=True)


class ClipRows(ListRows):
    """The rows of a list of clips among which a search chooses: an object's group has it as ``clips``."""

    def draw_row(self, row: Any, _data: Any, item: Any, _index: int) -> None:
        """Draw a row."""
        draw(row, item, "action", "")
        for name, icon in MARKS.items():
            if getattr(item, name, False):
                row.label(text="", icon=icon)


def clip_names(armature: Any, props: Any) -> tuple[str, ...]:
    """Return the names of the actions that a property group asks for, each once, as a tuple: with
    choose_clips the listed ones in the list's order, else all that fit the armature, by name.

    props: with choose_clips and clips. The listed ones go by their plain names, without the library's of a
    linked one; whether they fit is not looked at, and rows without an action are left out. Raise InertiaError
    if choose_clips is on and no row has an action.

    Among all that fit are neither actions that Inertia has baked nor those of which more than half of the
    keyed bones are none of the armature's; there may be none, which gives (). They are looked for again only
    once the names of the file's actions or the number of the armature's bones have changed.
    """
    if not props.choose_clips:
        # they are asked for in every redraw
        key = (tuple(bpy.data.actions.keys()), len(armature.data.bones))
        return cache.answer(
            "fitting actions", armature, key, lambda: action_set.name_fitting(armature), at_once=True
        )
    listed = [item.action.name for item in props.clips if item.action is not None]
    if not listed:
        raise InertiaError("The list of actions is empty; add some to it, or take all that fit.")
    return tuple(dict.fromkeys(listed))


ALL = "Add All That Fit"


class ChangesClips(Tool):
    """An operator that changes such a list. group: which object's group has it."""

    told_by = "change"
    group = ""

    change: plain(
        EnumProperty,
        "Change",
        "What to do",
        translation_context=OWN_CONTEXT,
        items=(
            ("ADD", "Add", "Add an action to the list"),
            ("REMOVE", "Remove", "Remove the chosen action from the list"),
            (
                "ALL",
                ALL,
                "List all actions that fit the armature and were not baked by Inertia",
            ),
        ),
        default="ADD",
    )

    def list_fitting(self, armature: Any) -> Iterable[Any]:
        """Return the actions that may be listed."""
        raise NotImplementedError

    def act(self, context: Any) -> None:
        props = getattr(context.object, self.group)
        if self.change == "ADD":
            props.clips.add()
            props.active_clip = len(props.clips) - 1
        elif self.change == "ALL":
            list_clips(props, self.list_fitting(context.object))
        elif 0 <= props.active_clip < len(props.clips):
            props.clips.remove(props.active_clip)
            props.active_clip = max(0, props.active_clip - 1)
        cache.redraw()


def list_clips(props: Any, actions: Iterable[Any]) -> None:
    """Add a row for each of some actions, in order, to a group's list of clips.

    Linked actions, and those that the list has already, are left out; one that comes twice gets one
    row.
    """
    listed = {item.action for item in props.clips}
    for action in actions:
        if action.library is None and action not in listed:
            props.clips.add().action = action
            listed.add(action)


def draw_clips(layout: Any, props: Any, kind: str, text: str) -> None:
    """Draw the switch choose_clips, the list of clips with its buttons if it is on, and the switch
    find_cycles, all of `props`.

    text: of the first switch. kind: what the rows' class and the operator are named after: "hop" gives the
    list INERTIA_UL_hop_clips of props.clips, with props.active_clip, and the operator inertia.hop_clips. The
    latter has buttons with `change` "ADD" and "REMOVE" beside the list, and with "ALL" below it.
    """
    layout.prop(props, "choose_clips", text=text)
    if props.choose_clips:
        add, remove, add_all = (
            Button(f"{kind}_clips", icon, text, {"change": change})
            for icon, text, change in (("ADD", "", "ADD"), ("REMOVE", "", "REMOVE"), ("NONE", ALL, "ALL"))
        )
        names = (f"INERTIA_UL_{kind}_clips", "clips", "active_clip")
        row_list.draw_rows(layout, props, names, (add, remove), (add_all,), draw_clip)
    layout.prop(props, "find_cycles")


def search_collection(_data: Any, _context: Any, text: str) -> list[str]:
    """Return the collections of the file whose names hold a text."""
    return [name for name in bpy.data.collections.keys() if text.casefold() in name.casefold()]


OBSTACLES: dict[str, Any] = {"search": search_collection, "search_options": set()}
"""What the property ``obstacles`` is made with."""


def draw_obstacles(column: Any, props: Any) -> None:
    """Draw the name of the collection that a way keeps away from, red if the file has none of that name, and,
    unless the name is "", how far it keeps away.
    """
    row = column.row()
    row.alert = bool(props.obstacles) and props.obstacles not in bpy.data.collections
    row.prop(props, "obstacles", icon="OUTLINER_COLLECTION")
    if props.obstacles:
        column.prop(props, "keep_away")
