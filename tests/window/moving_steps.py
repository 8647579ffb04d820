# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside of a Blender with a window: moves a walk's travel from the hips to the root bone, from there to
the object, and joins it with a clip that calls the bones otherwise. See test_moving.py."""

from __future__ import annotations

from typing import Any

import bpy
from characters import make_walker, rig
from driver import (
    LATER,
    Steps,
    find_button,
    inertia,
    inside,
    only_open,
    open_tab,
    picture,
    push_through,
    remember,
    state,
)

FRAMES = (1, 30, 61)
OTHER = "Run of a download"


def steps() -> Steps:
    """What happens, with the panels on travel open, then those on two actions."""
    make_rooted_walker()
    with only_open("_travel", mode="TRAVEL"):
        yield from move_travel()
    with only_open(mode="JOIN"):
        yield from join_other_names()


def make_rooted_walker() -> None:
    """The walker below a root bone on the ground, with a second run whose bones have a prefix."""
    made = make_walker()
    with inside("WINDOW"):
        bpy.ops.object.mode_set(mode="EDIT")
        root = made.data.edit_bones.new("root")
        root.head, root.tail = (0.0, 0.0, 0.0), (0.0, 0.2, 0.0)
        made.data.edit_bones["hips"].parent = root
        bpy.ops.object.mode_set(mode="POSE")
    other = bpy.data.actions["Run"].copy()
    other.name = OTHER
    for curve in curves(other):
        curve.data_path = curve.data_path.replace('bones["', 'bones["x1:')
    for action in bpy.data.actions:
        action.use_fake_user = True
    made.animation_data.action = bpy.data.actions["Walk"]
    remember("Rooted")


def curves(action: Any) -> list[Any]:
    compat = inertia("blender.data.compat")
    return [*compat.curves(action, compat.slots(action)[0].identifier)]


def note(name: str) -> None:
    """Where the object, its root bone and its hips go while the assigned action plays, in the world."""
    ways: dict[str, list[list[float]]] = {"object": [], "root": [], "hips": [], "foot.L": []}
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        shown = rig().evaluated_get(bpy.context.evaluated_depsgraph_get())
        for part, way in ways.items():
            place = shown.matrix_world
            if part != "object":
                place = place @ shown.pose.bones[part].matrix
            way.append([*place.translation])
    action = rig().animation_data.action
    state[name] = {
        "assigned": action.name,
        "paths": sorted({each.data_path for each in curves(action)}),
        **ways,
    }


def move_travel() -> Steps:
    """Have the root bone go the way that the hips go, and then the object."""
    bpy.context.preferences.view.ui_scale = 0.6
    yield from open_tab()
    note("hips")
    for carrier in ("ROOT", "OBJECT"):
        rig().inertia_travel.on = carrier
        remember("On")
        yield LATER
        yield from push_through("inertia.travel", at=0.25)
        note(carrier.lower())
        picture(carrier.lower())


def join_other_names() -> Steps:
    """Bake a walk into a run that names all bones with a prefix."""
    own = rig().inertia
    own.source, own.destination, own.cut = bpy.data.actions["Walk"], bpy.data.actions[OTHER], 30.0
    own.use_destination_frame, own.destination_frame = True, 11.0
    own.show_result = own.follow_cut = False
    bpy.context.scene.frame_set(30)
    remember("Pair")
    yield LATER
    yield from find_button("inertia.bake_transition")
    picture("pair")
    yield from push_through("inertia.bake_transition")
    note("joined")
    picture("joined")
