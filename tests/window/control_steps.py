# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside of a Blender with a window: clicks rows of a Rigify human's costs; see test_controls.py."""

from __future__ import annotations

from typing import Any

import bpy
from characters import remove_objects
from driver import (
    LATER,
    Steps,
    button_under_mouse,
    click,
    find_button,
    frames_around,
    hover,
    inertia,
    inside,
    key,
    only_open,
    open_tab,
    picture,
    push,
    push_through,
    region,
    state,
    until_worked,
)

RIG = "human"
SWINGS = {"torso": 0.1, "head": 0.05, "hand_ik.L": 0.5, "hand_ik.R": 0.2, "foot_ik.L": 0.3, "foot_ik.R": 0.15}


def make_human() -> Any:
    """A generated rig, in Pose Mode, with the actions Walk and Run of its controls."""
    import addon_utils  # Blender's own, which it puts where Python finds it

    remove_objects()
    addon_utils.enable("rigify", default_set=True)
    with inside("WINDOW"):
        bpy.ops.object.armature_basic_human_metarig_add()
        metarig = bpy.context.object
        bpy.ops.pose.rigify_generate()
        rig = bpy.context.object
        bpy.data.objects.remove(metarig)
        rig.name = RIG
        for name, size in (("Walk", 0.3), ("Run", 1.0)):
            animate(rig, name, size)
        bpy.ops.object.mode_set(mode="POSE")
    rig.inertia.source, rig.inertia.destination = bpy.data.actions["Walk"], bpy.data.actions["Run"]
    rig.inertia.cut = 20.0
    bpy.context.scene.frame_set(20)
    return rig


def forget_rigify() -> Steps:
    """Switch Rigify off, with the handlers that it leaves behind in some versions."""
    import addon_utils

    addon_utils.disable("rigify", default_set=True)
    loaded = bpy.app.handlers.load_post
    for left in [function for function in loaded if function.__module__.startswith("rigify")]:
        loaded.remove(left)
    yield LATER


def animate(rig: Any, name: str, size: float) -> None:
    rig.animation_data_create().action = made = bpy.data.actions.new(name)
    made.use_fake_user = True
    for frame in range(1, 42, 5):
        for bone, swing in SWINGS.items():
            rig.pose.bones[bone].location = (0.0, 0.0, size * swing * (frame % 10) / 10.0)
            rig.pose.bones[bone].keyframe_insert("location", frame=frame)


def note(name: str) -> None:
    """Which control is active, which are selected and seen, and which collections are shown."""
    rig = bpy.data.objects[RIG]
    compat = inertia("blender.data.compat")
    state[name] = {
        "active": rig.data.bones.active.name,
        "selected": [bone.name for bone in compat.selected_bones(rig)],
        "shown": [one.name for one in rig.data.collections_all if one.is_visible_effectively],
    }


def click_row(control: str, name: str) -> Steps:
    """Click a row of the ranking, once what stands above it has its height."""
    for _ in range(5):
        yield from find_button(f'bone="{control}"', at=0.3)
        yield LATER
        if control in button_under_mouse():
            break
    yield from click(*state["button"])
    note(name)
    picture(name)


def bake_and_play() -> Steps:
    """Choose the best pair by its button, bake, and play."""
    for button, at, work in (
        ("goal='PAIR'", 0.2, "find_meeting"),
        ("inertia.bake_transition", 0.5, "bake_transition"),
    ):
        yield from push(button, at=at)
        yield from until_worked(work)
    rig = bpy.data.objects[RIG]
    result = rig.animation_data.action
    state["result"] = result.name
    state["cut"], state["entry is chosen"] = rig.inertia.cut, rig.inertia.use_destination_frame
    x, y = region("WINDOW").x + 300, region("WINDOW").y + 300
    hover(x, y)
    yield from key("SPACE", x, y)
    seen = yield from frames_around(rig.inertia.cut)
    state["played"] = [min(seen), max(seen)]
    picture("played")
    yield from key("ESC", x, y)


def steps() -> Steps:
    """What happens."""
    with only_open("_look"):
        yield from click_rows_and_bake()


def click_rows_and_bake() -> Steps:
    """With what costs most in sight, too."""
    rig = make_human()
    with inside("WINDOW"):
        bpy.ops.view3d.view_all()
    yield from open_tab()
    yield from push_through("inertia.evaluate_clips")
    rig.data.collections_all["Arm.L (IK)"].is_visible = False
    yield from click_row("hand_ik.L", "hand")
    bpy.data.objects[RIG].pose.bones["thigh_parent.L"]["IK_FK"] = 1.0
    bpy.data.objects[RIG].update_tag()
    with inside("WINDOW"):
        bpy.ops.inertia.evaluate_clips()
    yield LATER
    yield from click_row("foot_fk.L", "foot")
    yield from click_row("torso", "torso")
    yield from bake_and_play()
    yield from forget_rigify()
