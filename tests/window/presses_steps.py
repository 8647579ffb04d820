# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside of a Blender with a window: goes the short ways of single clips and of paths, and counts the
presses of each; see test_presses.py."""

from __future__ import annotations

import bpy
from bpy_extras.view3d_utils import location_3d_to_region_2d
from characters import make_walker, rig
from driver import (
    LATER,
    SOON,
    Steps,
    click,
    close_other_editors,
    find_button,
    hover,
    inertia,
    key,
    only_open,
    open_tab,
    picture,
    prepare_view,
    presses,
    push_through,
    region,
    remember,
    state,
    until,
    view,
    worked,
)
from loops_steps import make_character as make_leaning
from path_steps import draw_curve
from path_steps import make_character as make_turner


def steps(which: str) -> Steps:
    """One of the ways."""
    state["way"] = which
    panel, mode, make, go = {
        "loop": ("_loop", "CLEAN", make_looping, loop),
        "path": ("_path", "TRAVEL", make_street, path),
        "pops": ("_pops", "CLEAN", make_popping, pops),
        "finish": ("_finish", "CLEAN", make_popping, finish),
        "transition": ((), "JOIN", make_two_clips, transition),
        "fill": ("_through", "JOIN", make_two_clips, fill),
    }[which]
    bpy.context.preferences.view.ui_scale = 0.6
    with only_open(*([panel] if panel else []), mode=mode):
        make()
        remember("Character")
        yield from close_other_editors()
        yield from prepare_view()
        yield from open_tab()
        presses.clear()
        yield from go()
        state["presses"] = list(presses)
        picture("after")
        action = rig().animation_data.action
        state["assigned"] = action.name
        state["kinds"] = kinds(action)
        destination = rig().inertia.destination
        state["destination"] = destination and destination.name


def kinds(action: bpy.types.Action) -> list[str]:
    """What an action is, then what it is made of, and so on."""
    recipe = inertia("blender.data.recipe")
    found: list[str] = []
    while action is not None and recipe.kind(action):
        found.append(recipe.kind(action))
        action = recipe.ingredients(action)[0]
    return found


def make_looping() -> None:
    """The walker with its walk assigned."""
    make_leaning()


def loop() -> Steps:
    yield from push_through("inertia.find_loop")
    yield from push_through("inertia.make_loop")
    yield from push_through("inertia.use_assigned_action")


def make_street() -> None:
    """The walker beside a street, of which nothing is chosen yet."""
    make_turner()
    draw_curve()


def path() -> Steps:
    """Take the street by the eyedropper, which E over the field is."""
    yield from find_button("inertia_path.followed")
    yield from key("E", *state["button"])
    main = region("WINDOW")
    at = location_3d_to_region_2d(main, view().spaces.active.region_3d, (0.0, -1.75, 0.0))
    x, y = main.x + round(at.x), main.y + round(at.y)
    hover(x + 2, y + 3)
    yield SOON
    hover(x, y)
    yield LATER
    yield from click(x, y)
    yield from worked()
    yield from push_through("inertia.find_path")
    yield from push_through("inertia.bake_path")


def make_two_clips() -> None:
    """The walker with its walk assigned, of which nothing is chosen yet."""
    make_walker()
    own = rig().inertia
    own.source = own.destination = None
    for name in [each.name for each in bpy.data.actions if each.name not in ("Walk", "Run")]:
        bpy.data.actions.remove(bpy.data.actions[name])
    rig().animation_data.action = bpy.data.actions["Walk"]


def transition() -> Steps:
    """The assigned action and the only other one are chosen already."""
    yield from until(lambda: rig().inertia.destination is not None)
    yield from push_through("goal='PAIR'")
    yield from push_through("inertia.bake_transition")


def fill() -> Steps:
    """Find what fills a second, and fill it; to unfold the panel takes one press more, once."""
    yield from until(lambda: rig().inertia.destination is not None)
    rig().inertia.cut = 20.0
    yield LATER
    yield from push_through("inertia.find_fill")
    yield from push_through("inertia.bake_fill")


def make_popping() -> None:
    """The walker, whose head turns aside for a frame."""
    make_walker()
    walk = rig().animation_data.action = bpy.data.actions["Walk"]
    compat = inertia("blender.data.compat")
    for curve in compat.curves(walk, compat.slots(walk)[0].identifier):
        if "head" in curve.data_path and curve.array_index == 0:
            for frame, aside in ((20, 0.0), (21, 0.8), (22, 0.0)):
                curve.keyframe_points.insert(frame, curve.evaluate(frame) + aside)
            curve.update()


def pops() -> Steps:
    yield from push_through("inertia.find_pops")
    yield from push_through("inertia.smooth_pops")
    yield from push_through("inertia.lock_feet")


def finish() -> Steps:
    yield from push_through("inertia.find_faults")
    yield from push_through("inertia.finish_take")
