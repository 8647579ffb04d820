# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside of a Blender with a window: looks, in Blender's workspace for animation, for what an animator
needs first; see test_sight.py."""

from __future__ import annotations

import bpy
from characters import make_walker
from driver import (
    LATER,
    Steps,
    hover,
    inertia,
    inside,
    middle,
    open_tab,
    picture,
    push_through,
    remember,
    state,
    sweep,
    until,
    window,
)


def steps() -> Steps:
    """What happens."""
    make_walker()
    # a verdict with a fault, and so with a button beside it
    rig = bpy.context.object
    rig.inertia.blend_time, rig.inertia.use_destination_frame = 2.0, True
    remember("Two clips")
    before, window().workspace = window().workspace, bpy.data.workspaces["Animation"]
    yield LATER
    try:
        yield from look()
    finally:
        window().workspace = before
    yield LATER
    yield from bake_with_mesh()


def bake_with_mesh() -> Steps:
    """Select the mesh that the character deforms, find the best pair, which goes on in slices, and bake."""
    rig = bpy.context.object
    body = bpy.data.objects.new("Body", bpy.data.meshes.new("Body"))
    bpy.context.scene.collection.objects.link(body)
    body.modifiers.new("Armature", "ARMATURE").object = rig
    with inside("WINDOW"):
        bpy.ops.object.mode_set(mode="OBJECT")
    rig.select_set(False)
    body.select_set(True)
    bpy.context.view_layer.objects.active = body
    remember("The mesh is selected")
    yield from open_tab()
    state["selected"] = bpy.context.object.name
    yield from push_through("goal='PAIR'")
    state["pair"] = rig.inertia.use_destination_frame
    # what goes on in slices finds the character there
    state["is active"] = bpy.context.view_layer.objects.active == rig
    yield from push_through("inertia.bake_transition", at=0.4)
    state["baked"] = rig.animation_data.action.name
    picture("mesh")


def look() -> Steps:
    """What the mouse meets in the sidebar, without scrolling it."""
    yield from open_tab()
    hover(*middle())
    current = inertia("ui.judging.live").current
    yield from until(lambda: current(bpy.context.object).is_current)
    yield LATER
    hovered: list[str] = []
    yield from sweep("inertia.bake_transition", right=False, at=0.4, hovered=hovered)
    state["hovered"] = hovered
    beside: list[str] = []
    yield from sweep("inertia.go_to_fault", right=True, at=0.5, hovered=beside)
    state["beside"] = beside
    picture("sight")
