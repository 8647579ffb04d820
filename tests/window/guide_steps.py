# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside of a Blender with a window: presses what a page of the guide or of the problems says, in its
order; see test_guide.py."""

from __future__ import annotations

import contextlib
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpy
from driver import (
    LATER,
    Steps,
    close_other_editors,
    hover,
    inertia,
    inside,
    key,
    middle,
    only_open,
    open_tab,
    picture,
    prepare_view,
    push,
    remember,
    state,
    until,
    view,
    window,
    within,
    worked,
)
from mathutils import Euler, Vector
from steering_steps import for_seconds, hold, live
from words_drawn import shown_words, words_of_modes

HERE = Path(__file__).parent

PANELS = {
    "loops": ("_loop",),
    "feet": ("_feet", "_lockfeet"),
    "clean": ("_pops",),
    "path": ("_path",),
    "steer": ("_steer",),
    "feet_slide": ("_feet", "_lockfeet"),
    "key_on_every_frame": ("_fewerkeys",),
    "loop_mocap": ("_loop",),
    "pop_between_takes": ("_pops",),
    "root_motion_from_hips": ("_travel",),
}
"""The panels of a page, which it tells to unfold; the others are folded, so that all fits in."""
BUTTONS = {"Best Pair": "goal='PAIR'", "As Destination": "inertia.use_assigned_action"}
"""Buttons that have other words than what they run."""
PLACES = {"Best Pair": 0.25, "Make Travel": 0.25}
"""Where buttons are that share their row, as a part of the sidebar's width."""
SHOWN_BEFORE = {
    **{"judge_it": "Best Pair", "clean": "Smooth Pops", "pop_between_takes": "Smooth Pops"},
    **{"loops": "Make Loop", "loop_mocap": "Make Loop"},
}
"""The press before which the picture of a page is taken; those of others show what the presses lead to."""
BEHIND_CUT = 9
"""How many frames behind the cut a transition is shown."""
WITH_KEYS = ("first_transition", "feet", "clean", "key_on_every_frame")
"""The pages that show keys, or what is drawn below them."""
ASKED = re.compile(r"<!-- guide: (.*) -->")
MADE = re.compile(r"Make the example \*(\w+)\*")
PRESSED = re.compile(r"[Pp]ress \*\*(.+?)\*\*")


def steps(page: str) -> Steps:
    """What a page says."""
    (path,) = (HERE / "docs").glob(f"*/{page}.md")
    text = path.read_text(encoding="utf-8")
    (line,) = ASKED.findall(text)
    asked = dict(word.split("=", 1) for word in shlex.split(line))
    if window().width < 1200:
        bpy.context.preferences.view.ui_scale = 0.6
    panels = PANELS.get(page)
    with only_open(*panels, mode=asked["mode"]) if panels else contextlib.nullcontext():
        if "prepare" in asked:
            rig = PREPARATIONS[asked["prepare"]]()
            window().workspace.inertia_mode = asked["mode"]
        else:
            rig = make(asked.get("example") or MADE.findall(text)[0], asked["mode"])
        yield from close_other_editors()
        yield from prepare_view()
        yield from open_tab()
        if page in WITH_KEYS:
            yield from show_keys()
        for name, value in asked.items():
            take(rig, name, value)
        remember("As the page says")
        yield LATER
        words, state["foretold"] = shown_words(), []
        for label in PRESSED.findall(text):
            if label == SHOWN_BEFORE.get(page):
                yield from take_picture(rig, page, asked)
                state["foretold"] = foretold(rig)
            # what is found is the same however busy the machine is
            with both_cores_busy() if label == "Best Pair" else contextlib.nullcontext():
                yield from press_label(label)
            words |= shown_words()
            if label == "Best Pair":
                state["pair"] = [rig.inertia.cut, rig.inertia.destination_frame]
        if page == "steer":
            yield from steered(rig, asked)
        words |= shown_words()
        action = rig.animation_data.action
        state["wanted"], state["assigned"] = asked["result"], action.name
        # what has new travel alone plays as before, and so has no verdict
        if asked.get("judged") != "no":
            yield from until(lambda: seen_of(rig, action) is not None)
            seen = seen_of(rig, action)
            state["rating"] = seen.rating
            state["said"] = [str(said) for said in inertia("blender.judging.verdict").sentences(seen)]
        if page != "steer" and page not in SHOWN_BEFORE:
            yield from take_picture(rig, page, asked)
        # the verdict has come by now; and a page may lead to another mode
        modes = [mode for mode, label, _ in inertia("ui.shared.tab").ITEMS if f"*{label}*" in text]
        words |= yield from words_of_modes(modes)
        words |= shown_words() | {each.name for each in (*bpy.data.actions, *bpy.data.objects)}
        state["words"], state["page"] = sorted(words), page
        state["pressed"] = PRESSED.findall(text)
        state["tolerance"] = float(asked.get("tolerance", 0.0))
        state["keys"] = keys_in_window(action, rig.inertia.cut)
        state["errors"] = [each.name for each in bpy.data.actions if each.name.endswith(".001")]


@contextlib.contextmanager
def both_cores_busy() -> Iterator[None]:
    """Have two other processes take all that they can get."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def make(example: str, mode: str) -> bpy.types.Object:
    """The figure of an example, which is in hand, in the mode that its page is about."""
    window().workspace.inertia_mode = "MEASURE"
    remember("Before the example")
    with inside("WINDOW"):
        assert bpy.ops.inertia.make_example(example=example.upper()) == {"FINISHED"}
    rig = bpy.context.view_layer.objects.active
    assert bpy.context.selected_objects == [rig]
    assert window().workspace.inertia_mode == mode
    return rig


def take(rig: bpy.types.Object, name: str, value: str) -> None:
    """Set what a page tells to pick."""
    if name in ("source", "destination"):
        setattr(rig.inertia, name, bpy.data.actions[value])
    elif name == "cut":
        bpy.context.scene.frame_set(int(value))
        rig.inertia.cut = float(value)
    elif name == "enter":
        rig.inertia.enter_at = value
    elif name == "action":
        assert rig.animation_data.action.name == value
    elif name == "tolerance":
        rig.inertia_fewer_keys.tolerance_cm = float(value)
    elif name == "curve":
        rig.inertia_path.followed = bpy.data.objects[value]


def make_hips_travel() -> bpy.types.Object:
    """A walk whose hips carry its travel, as libraries have it."""
    rig = make("Transition", "JOIN")
    inertia("api").travel(action="Walk", on="hips", armature=rig.name)
    return rig


def make_dense() -> bpy.types.Object:
    """A walk with a key on each frame."""
    return make("Transition", "JOIN")


def make_pasted() -> bpy.types.Object:
    """An action of two takes, one cut to the other."""
    rig = make("Transition", "JOIN")
    actions = {each.name: each for each in bpy.data.actions}
    inertia("blender.mannequin.recordings").add_pasted(
        inertia("blender.mannequin.character").Mannequin(rig, actions)
    )
    return rig


def import_two_files() -> bpy.types.Object:
    """Two armatures with an action each, as imports of two glTF files leave them; the first is selected.

    Nothing is imported: Blenders of some distributions print errors there, about a library that they lack.
    """
    rig = make("Transition", "JOIN")
    second = rig.copy()
    second.data = rig.data.copy()
    bpy.context.scene.collection.objects.link(second)
    second.select_set(False)
    for child in rig.children:
        own = child.copy()
        own.parent = second
        bpy.context.scene.collection.objects.link(own)
        for modifier in own.modifiers:
            modifier.object = second
        own.select_set(False)
    rig.animation_data.action = bpy.data.actions["Walk"]
    second.animation_data.action = bpy.data.actions["Run"]
    # beside the first one where the picture is taken
    bpy.context.scene.frame_set(24 + BEHIND_CUT)
    hips, own_hips = (each.matrix_world @ each.pose.bones["hips"].head for each in (rig, second))
    second.location += Vector((hips.x - own_hips.x - 0.6, hips.y - own_hips.y - 0.85, 0.0))
    for action in [*bpy.data.actions]:
        if action.name not in ("Walk", "Run"):
            bpy.data.actions.remove(action)
    return rig


PREPARATIONS = {
    "dense": make_dense,
    "hips": make_hips_travel,
    "pasted": make_pasted,
    "imports": import_two_files,
}
"""What a page begins with that is no example."""


def keys_in_window(action: bpy.types.Action, cut: float) -> float:
    """How many keys a curve has on average within the ten frames behind the cut."""
    compat = inertia("blender.data.compat")
    curves = compat.curves(action, compat.slots(action)[0].identifier)
    found = [sum(cut < key.co[0] < cut + 11.0 for key in curve.keyframe_points) for curve in curves]
    return sum(found) / len(found)


def seen_of(rig: bpy.types.Object, action: bpy.types.Action) -> Any:
    """The verdict on a result, None before it is judged."""
    return inertia("ui.transition.results").kind_of(action).verdict(rig, action)


def operators() -> dict[str, str]:
    """What runs which of Inertia's labels, as a script calls it."""
    found: dict[str, str] = {}
    waiting = list(bpy.types.Operator.__subclasses__())
    while waiting:
        each = waiting.pop()
        waiting += each.__subclasses__()
        if str(getattr(each, "bl_idname", "")).startswith("inertia."):
            found[each.bl_label] = each.bl_idname
    return found


def press_label(label: str) -> Steps:
    """Press the button of these words, and wait until all that it sets off is done."""
    yield from push(BUTTONS.get(label) or operators()[label], at=PLACES.get(label, 0.5))
    if label != "Steer":
        yield from worked()


def show_keys() -> Steps:
    """Have a Dope Sheet with the keys of the assigned action in place of the Timeline below the 3D View."""
    with within(next(area for area in window().screen.areas if area.type == "DOPESHEET_EDITOR")):
        bpy.ops.screen.area_close()
    yield LATER
    with inside("WINDOW"):
        bpy.ops.screen.area_split(direction="HORIZONTAL", factor=0.25)
    yield LATER
    low = min((area for area in window().screen.areas if area.type == "VIEW_3D"), key=lambda area: area.y)
    low.type = "DOPESHEET_EDITOR"
    low.spaces.active.mode = "ACTION"
    low.spaces.active.show_region_ui = False
    yield LATER


def take_picture(rig: bpy.types.Object, page: str, asked: dict[str, str]) -> Steps:
    """Take the picture that a page shows, at a frame that is worth a look: that of what was found, one behind
    the cut, or else the middle of the action."""
    first, last = rig.animation_data.action.frame_range
    if SHOWN_BEFORE.get(page) == "Smooth Pops":
        rig.inertia_pops.active = 0  # as a click on its row does
    elif "cut" in asked:
        bpy.context.scene.frame_set(int(asked["cut"]) + BEHIND_CUT)
    elif page != "steer":
        bpy.context.scene.frame_set(round(0.5 * (first + last)))
    look_at(rig, rig.inertia_path.followed if page == "path" else None)
    for area in window().screen.areas:
        if area.type == "DOPESHEET_EDITOR":
            with within(area):
                bpy.ops.action.view_all()
    hover(*middle())
    yield LATER
    yield from until(lambda: not is_judging(rig))
    yield LATER
    picture("page")


def foretold(rig: bpy.types.Object) -> list[str]:
    """What the panel says of the transition that would be baked; nothing in other modes than Join."""
    if window().workspace.inertia_mode != "JOIN":
        return []
    seen = inertia("ui.judging.live").current(rig)
    return [str(said) for said in inertia("blender.judging.verdict").sentences(seen.verdict)]


def is_judging(rig: bpy.types.Object) -> bool:
    """Whether the panel still looks at the transition that it shows."""
    if window().workspace.inertia_mode != "JOIN" or None in (rig.inertia.source, rig.inertia.destination):
        return False
    seen = inertia("ui.judging.live").current(rig)
    return not (seen.fault or (seen.is_current and seen.helps is not None))


def look_at(rig: bpy.types.Object, street: bpy.types.Object | None) -> None:
    """Look at the figure, or at a curve that it follows, from the front left and beside the sidebar."""
    space = view().spaces.active
    space.show_region_toolbar = False
    region_3d = space.region_3d
    region_3d.view_perspective = "PERSP"
    if street is None:
        hips = rig.matrix_world @ rig.pose.bones["hips"].head
        region_3d.view_rotation = Euler((1.3, 0.0, 0.95)).to_quaternion()
        region_3d.view_distance = 4.0
        region_3d.view_location = hips + region_3d.view_rotation @ Vector((0.4, -0.1, 0.0))
        return
    box = [street.matrix_world @ Vector(corner) for corner in street.bound_box]
    across = (box[0] - box[6]).length
    region_3d.view_rotation = Euler((0.95, 0.0, 0.35)).to_quaternion()
    region_3d.view_distance = across
    middle_of_street = sum(box, Vector()) / len(box)
    region_3d.view_location = middle_of_street + region_3d.view_rotation @ Vector((0.1 * across, 0.0, 0.0))


def steered(rig: bpy.types.Object, asked: dict[str, str]) -> Steps:
    """Hold W and let it go, go back, go on, and keep the take, as the page says."""
    while live() is None:
        yield LATER
    yield from hold("W", "PRESS")
    yield from for_seconds(2.5)
    yield from take_picture(rig, "steer", asked)
    yield from hold("W", "RELEASE")
    yield from key("BACK_SPACE", *middle())
    yield from for_seconds(1.0)
    yield from key("RET", *middle())
    while any("steer" in each.bl_idname for each in window().modal_operators):
        yield LATER
