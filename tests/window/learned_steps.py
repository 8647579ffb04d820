# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside of a Blender with a window: trains a small model in the background, and follows a path with it.
See test_learned."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
from characters import rig
from driver import (
    LATER,
    Steps,
    box,
    click,
    find_button,
    hover,
    inertia,
    key,
    open_tab,
    picture,
    region,
    remember,
    state,
    view,
)
from hops_steps import register_panels
from path_steps import draw_curve, make_character, press_button

OPEN = ("_path", "_learned")
"""The panels that are open, so that all of them fits in."""


def steps() -> Steps:
    """What happens, with only the panels on paths and models open."""
    before = {panel: set(getattr(panel, "bl_options", ())) for panel in inertia("ui.panels").CLASSES}
    closed = {panel: {"DEFAULT_CLOSED"} for panel in before}
    opened: dict[Any, set[str]] = {panel: set() for panel in before if panel.bl_idname.endswith(OPEN)}
    register_panels(before | closed | opened)
    try:
        yield from learn()
    finally:
        register_panels(before)


def note(name: str) -> None:
    """What there is now, by value."""
    action = rig().animation_data.action
    job = inertia("ui.learned.training").going(rig())
    state[name] = {
        "actions": sorted(bpy.data.actions.keys()),
        "assigned": action.name if action else "",
        "done": None if job is None else job.done,
    }


def learn() -> Steps:
    """Train, stop, go on to the end, bake, and take that back."""
    bpy.context.preferences.view.ui_scale = 0.55
    make_character()
    draw_curve()
    rig().inertia_path.followed, rig().inertia_path.mirror = bpy.data.objects["Street"], True
    rig().inertia.feet = "OFF"
    own = rig().inertia_learned
    own.model = str(Path(bpy.app.tempdir) / "walker.npz")
    own.hidden, own.latent, own.minutes, own.licence = 8, 4, 2.0, "CC0"
    bpy.context.scene.inertia_overlay.losses = True
    remember("Followed")
    yield from open_tab()
    state["view"] = box(view())
    picture("before")
    yield from press_button("inertia.train_model")
    note("begun")
    yield LATER
    picture("training")
    yield from find_button("inertia.stop_training", right=True)
    yield from click(*state["button"])
    yield LATER
    note("stopped")
    own.minutes = 0.03
    yield from press_button("inertia.train_model")
    training = inertia("ui.learned.training")
    while training.going(rig()) is not None:
        yield LATER
    note("trained")
    yield LATER
    picture("trained")
    yield from press_button("inertia.bake_model")
    note("baked")
    picture("baked")
    main = region("WINDOW")
    x, y = main.x + main.width // 3, main.y + main.height // 2
    hover(x, y)
    yield LATER
    yield from key("Z", x, y, ctrl=True)
    note("undone")
