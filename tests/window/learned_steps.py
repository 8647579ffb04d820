# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside of a Blender with a window: trains a small model in the background, and follows paths with it,
alone and as a crowd, and steers with it. See test_learned."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
from characters import rig
from driver import (
    LATER,
    SOON,
    Steps,
    box,
    find_button,
    hover,
    inertia,
    inside,
    key,
    middle,
    only_open,
    open_tab,
    picture,
    press,
    push,
    push_through,
    region,
    remember,
    state,
    until,
    view,
    window,
)
from path_steps import draw_curve, make_character
from steering_steps import ended, for_seconds, hold, live

OPEN = ("_path", "_learned")
"""The panels that are open, so that all of them fits in."""
CROWD = 6


def steps() -> Steps:
    """What happens, with only the panels on paths and models open."""
    with only_open(*OPEN, mode="TRAVEL"):
        yield from learn()
        yield from steer_with_it()
        yield from import_networks()


def note(name: str) -> None:
    """What there is now, by value."""
    action = rig().animation_data.action
    job = inertia("ui.learned.training").find_running(rig())
    state[name] = {
        "actions": sorted(bpy.data.actions.keys()),
        "assigned": action.name if action else "",
        "done": None if job is None else job.done,
        "plays": bpy.context.screen.is_animation_playing,
        "crowd": sorted(
            thing.animation_data.action.name
            for thing in bpy.data.objects
            if thing.type == "ARMATURE" and thing.animation_data and thing.animation_data.action
        ),
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
    yield from push_through("inertia.train_model")
    note("begun")
    yield LATER
    picture("training")
    # ESC stops the playback first, as it does without a training, and the training only then
    with inside("WINDOW"):
        bpy.ops.screen.animation_play()
    yield LATER
    yield from press("ESC")
    note("played")
    yield from press("ESC")
    note("stopped")
    own.minutes = 2.0
    yield from push_through("inertia.train_model")
    yield from push("inertia.stop_training", right=True)
    yield LATER
    note("stopped again")
    own.minutes = 0.03
    yield from push_through("inertia.train_model")
    training = inertia("ui.learned.training")
    while training.find_running(rig()) is not None:
        yield LATER
    note("trained")
    yield LATER
    picture("trained")
    yield from push_through("inertia.check_model")
    state["checked"] = inertia("ui.learned.models").check_of(rig()) is not None
    yield from train_over_it()
    yield from push_through("inertia.bake_model")
    note("baked")
    picture("baked")
    main = region("WINDOW")
    x, y = main.x + main.width // 3, main.y + main.height // 2
    hover(x, y)
    yield LATER
    yield from key("Z", x, y, ctrl=True)
    note("undone")
    yield from follow_together()


def kept(name: str) -> None:
    """The files of the model, by their names: digests of what they hold."""
    digest = inertia("storage.contents").digest
    folder = Path(bpy.app.tempdir)
    state[name] = {path.name: digest(path) for path in sorted(folder.glob("walker.*"))}


def train_over_it() -> Steps:
    """Begin a training over the finished model, stop it by ESC, and go on with it to its end."""
    own, training = rig().inertia_learned, inertia("ui.learned.training")
    kept("finished")
    own.minutes = 2.0
    yield from push_through("inertia.train_model")
    yield LATER
    state["over it"] = training.find_running(rig()) is not None
    yield from press("ESC")
    yield LATER
    kept("stopped over it")
    own.minutes = 0.03
    # of the two buttons beside each other the left one goes on with what was stopped
    yield from push("inertia.train_model", at=0.25)
    yield LATER
    while training.find_running(rig()) is not None:
        yield LATER
    kept("finished over it")


def steer_with_it() -> Steps:
    """Steer with the model by keys, go back, and keep the take; then undo it."""
    rig().inertia_steer.use_model = True
    remember("Model")
    with inside("WINDOW"):
        bpy.ops.view3d.view_axis(type="TOP")
        bpy.ops.view3d.view_all()
        bpy.ops.view3d.zoom(delta=-3)
    yield LATER
    note("to steer")
    with inside("WINDOW"):
        bpy.ops.inertia.steer("INVOKE_DEFAULT")
    yield from until(lambda: live() is not None)
    hover(*middle())
    yield LATER
    first = live().session.now.ground.tolist()
    yield from hold("S", "PRESS")
    yield from for_seconds(1.5)
    state["steered"] = [b - a for a, b in zip(first, live().session.now.ground.tolist(), strict=True)]
    state["shows"] = live().begun.plays(live().session.now)
    picture("steered")
    yield from hold("S", "RELEASE")
    yield from for_seconds(1.0)
    yield from key("BACK_SPACE", *middle())
    yield from for_seconds(1.2)
    yield from key("RET", *middle())
    yield from ended()
    note("take")
    state["take"]["wishes"] = len(
        inertia("blender.data.recipe_reader").read_recipe(rig().animation_data.action).settings.wishes
    )
    picture("take")
    yield from key("Z", *middle(), ctrl=True)
    note("take undone")


def import_networks() -> Steps:
    """Import a folder of the model's networks as another model."""
    engine_model, engine = inertia("motion.learned.engine_model"), inertia("motion.matching.engine")
    own, folder = rig().inertia_learned, Path(bpy.app.tempdir) / "networks"
    model = inertia("ui.learned.models").trained(rig()).model
    folder.mkdir(exist_ok=True)
    for name in engine_model.PLAYED:
        (folder / f"{name}.bin").write_bytes(engine_model.network_bytes(model.network(name)))
    # the features of frames that the Projector finds
    queries = np.random.default_rng(1).normal(size=(500, model.features)).astype(np.float32)
    values = model.network("projector")(queries)[:, : model.features]
    content = engine.features_bytes(values, model.offsets, model.scales)
    (folder / engine_model.FEATURES).write_bytes(content)
    own.model = str(folder / "imported.npz")
    bpy.context.view_layer.objects.active.select_set(True)
    yield LATER
    yield from find_button("inertia.import_networks")
    with inside("WINDOW"):
        bpy.ops.inertia.import_networks("EXEC_DEFAULT", directory=f"{folder}/")
    yield LATER
    picture("imported")
    found = inertia("ui.learned.models").trained(rig()).model
    state["imported"] = (found.compressor is None, found.frames, [*found.gait.speeds[-1]])
    yield from push_through("inertia.bake_model")
    note("by networks")


def follow_together() -> Steps:
    """Several of the character, each along a curve of its own, by one button."""
    first = rig()
    street = bpy.data.objects["Street"]
    for k in range(1, CROWD):
        one, way = first.copy(), street.copy()
        for thing in (one, way):
            bpy.context.collection.objects.link(thing)
            thing.location.x += 0.4 * k
        one.animation_data_clear()
        one.inertia_path.followed = way
        one.select_set(True)
    first.select_set(True)
    street.scale.y = 0.3
    remember("Crowd")
    yield LATER
    note("alone")
    yield from push_through("inertia.bake_crowd")
    yield LATER
    note("together")
    picture("crowd")
    with bpy.context.temp_override(window=window()):
        bpy.ops.ed.undo()
    yield LATER
    note("apart")
    yield from undo_while_it_bakes()
    note("given up")


def undo_while_it_bakes() -> Steps:
    """Another window lets undo through while this one bakes."""
    long_work = inertia("ui.shared.long_work")
    slices = long_work.AT_ONCE_SECONDS, long_work.SLICE_SECONDS
    long_work.AT_ONCE_SECONDS = long_work.SLICE_SECONDS = 0.0
    remember("Ready")
    yield from push("inertia.bake_crowd")
    while len(bpy.data.actions) < len(state["apart"]["actions"]) + 3:
        yield SOON
    state["under way"] = [running.bl_idname for running in window().modal_operators]
    with bpy.context.temp_override(window=window()):
        bpy.ops.ed.undo()
    yield LATER
    long_work.AT_ONCE_SECONDS, long_work.SLICE_SECONDS = slices
    state["still under way"] = [running.bl_idname for running in window().modal_operators]
