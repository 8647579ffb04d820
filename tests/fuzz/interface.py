# SPDX-License-Identifier: GPL-3.0-or-later
"""Drives the interface at random: settings, operators, panels, and what else users do to a file meanwhile."""

from __future__ import annotations

import contextlib
import os
import tempfile
import types
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import bpy

from inertia_addon import registration
from inertia_addon.blender.data import compat, recipe
from inertia_addon.blender.evaluation import playback
from inertia_addon.ui import panels, rooms
from inertia_addon.ui.learned import training
from inertia_addon.ui.matching import searching
from inertia_addon.ui.overlay import build, switches
from inertia_addon.ui.shared import file_handlers, long_work
from tests.blender import clips, wanderer
from tests.ui.pressed import ESC, press
from tests.ui.recorder import Recorder, context, drawn
from tests.ui.rigs import keys_of, make_action, make_rig

NUMBERS = (0.0, 1.0, -1.0, 0.5, 7.25, 20.0, 35.0, 60.0, 1e4, -1e6, 1e9, 1e30, 1e-30)
NAMES = ("Walk", "Run", "Idle", "", "hips", "spine", "Rig", "<object>", "\x1b[31m", "\u202e", "x" * 70)
OPERATORS = tuple(cls.bl_idname.partition(".")[2] for cls in rooms.OPERATORS)
WINDOWED = {"pick_meeting", "drag_ramp", "drag_contact"}
"""Operators that follow the mouse."""
EDITING = {"complete_clips"}
"""Operators that give clips keys, as their names say; no other changes one."""
LONG = (
    *("find_path", "bake_path", "bake_path", "rebake", "train_model", "check_model", "bake_model"),
    *(
        "bake_transition",
        "find_hops",
        "find_loop",
        "make_loop",
        "find_pops",
        "find_faults",
        "find_contacts",
        "judge",
    ),
    "suggest_blend_time",
    *("find_meeting", "evaluate_clips", "measure_actions", "bake_library"),
)
"""Operators that go on in slices."""
MODEL = Path(tempfile.gettempdir()) / f"inertia-fuzz-{os.getpid()}.npz"
"""A small model, once one is trained."""
ENDINGS = {"save_map": ".csv", "save_hops": ".json", "save_root_motion": ".csv"}


def drive(seed: str, steps: int, say: Callable[[str], None]) -> None:
    """So many steps in a file of its own. say: is told each of them before it is done.

    Raises whatever gives way: an exception that nobody caught, or a source that an operator has changed.
    """
    chance = Random(seed)
    registration.register()
    try:
        begin(chance)
        for i in range(steps):
            name = chance.choices([*WAYS], weights=[weight for _, weight in WAYS.values()])[0]
            WAYS[name][0](chance, lambda what, i=i, name=name: say(f"step {i}: {name}: {what}"))
    finally:
        registration.unregister()
        bpy.ops.wm.read_factory_settings(use_empty=True)


def begin(chance: Random) -> None:
    """A rig with three actions, in a file of its own."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    rig = make_rig()
    walk, run = make_action(rig, "Walk", 0.4), make_action(rig, "Run", 0.9, (5, 50))
    idle = make_action(rig, "Idle", 0.1)
    for action in (walk, run, idle):
        action.use_fake_user = True
    rig.inertia.source, rig.inertia.destination, rig.inertia.cut = walk, run, 20.0
    if chance.random() < 0.3:  # then only Blender can say where the joints are
        constraint = rig.pose.bones["hand.L"].constraints.new("COPY_ROTATION")
        constraint.target, constraint.subtarget = rig, "spine"
    bpy.ops.ed.undo_push(message="Begun")


def any_rig() -> Any | None:
    active = bpy.context.view_layer.objects.active
    return active if active is not None and active.type == "ARMATURE" else None


def operate_any(chance: Random, say: Callable[[str], None]) -> None:
    """An operator with some of its properties set."""
    name = chance.choice([name for name in OPERATORS if name not in WINDOWED])
    operator = getattr(bpy.ops.inertia, name)
    options: dict[str, Any] = {}
    for prop in operator.get_rna_type().properties:
        if prop.identifier == "filepath":
            options["filepath"] = str(Path.cwd() / chance.choice(("out", "none/out"))) + ENDINGS.get(
                name, ".png"
            )
        elif prop.identifier != "rna_type" and chance.random() < 0.2:
            options.update(value_for(prop, chance))
    operate(say, name, options)


def operate(say: Callable[[str], None], name: str, options: dict[str, Any]) -> None:
    """An operator: it may refuse in a sentence, and changes no source."""
    say(f"{name}({options})")
    operator = getattr(bpy.ops.inertia, name)
    sources = {action.session_uid: keys_of(action) for action in bpy.data.actions if not is_made(action)}
    try:
        if operator.poll():
            operator(**options)
            bpy.ops.ed.undo_push(message=name)
    except (RuntimeError, TypeError) as error:
        # a report of an error, or a value that the property does not take
        if "Traceback" in str(error):
            raise
    for action in bpy.data.actions:
        if name not in EDITING and sources.get(action.session_uid, found := keys_of(action)) != found:
            raise AssertionError(f"{name} has changed {action.name!r}")
    lost = {*sources} - {action.session_uid for action in bpy.data.actions}
    if lost:
        raise AssertionError(f"{name} has removed {len(lost)} sources")


def is_made(action: Any) -> bool:
    """Whether an action is a result, which may be baked anew."""
    return recipe.is_baked(action, recipe.RECIPE) or any(key.startswith("inertia") for key in action.keys())


def begin_walkers() -> Any:
    """A biped whose clips follow a street, with a small model of them, in a file of its own."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    armature = wanderer.with_clips()
    for action in bpy.data.actions:
        action.use_fake_user = True
    own, learned = armature.inertia, armature.inertia_learned
    own.source, own.destination, own.cut = bpy.data.actions["Walk"], bpy.data.actions["Turn"], 20.0
    armature.inertia_loops.action = bpy.data.actions["Walk"]
    armature.inertia_path.followed = wanderer.draw_curve("Street", 0.4)
    armature.inertia_path.width = 2
    clips.play(armature, bpy.data.actions["Walk"])
    learned.model, learned.hidden, learned.latent, learned.minutes = str(MODEL), 4, 2, 0.01
    bpy.ops.inertia.list_actions()
    add_rig(Random(0))
    bpy.context.view_layer.objects.active = armature
    armature.select_set(True)
    bpy.ops.ed.undo_push(message="Begun")
    return armature


def work_long(chance: Random, say: Callable[[str], None]) -> None:
    """Long work in slices, and whatever happens in between: it ends in at most one sentence, with all that it
    began gone."""
    if not MODEL.exists() or chance.random() < 0.5:
        begin_walkers()
    if not MODEL.exists():
        bpy.ops.inertia.train_model()
    name = chance.choice(LONG)
    if any_rig() is None or not getattr(bpy.ops.inertia, name).poll():
        say(f"{name} can't be pressed")
        return
    before = {action.session_uid for action in bpy.data.actions}
    say(f"{name} in slices")
    pressed, count = press(name), 0
    while pressed.goes_on:
        if chance.random() < 0.02:
            disturb(chance, lambda what: say(f"{name} in slices, {what}"))
            count += 1
        elif chance.random() < 0.002:
            pressed.tick(ESC)
            break
        searching._jobs.go_on()
        training._jobs.go_on()
        pressed.tick()
    say(f"{name} ended in {pressed.state} after {count} disturbances: {pressed.said}")
    failed = [text for text in pressed.errors if "failed: " in text]
    if failed or not pressed.window.is_tidy() or long_work._going or playback.is_running():
        raise AssertionError(f"{name} was left: {pressed.said}")
    if pressed.state == {"CANCELLED"} and not count:
        made = {action.session_uid for action in bpy.data.actions} - before
        if made:
            raise AssertionError(f"{name} has left {len(made)} actions")
    for job in [*training._jobs.values()]:
        job.go_on(0.01)


def value_for(prop: Any, chance: Random) -> dict[str, Any]:
    """A value of about the right kind for a property, by its name; nothing for what has none."""
    if prop.type == "ENUM":
        items = prop.enum_items.keys()
        return {prop.identifier: chance.choice(items)} if items else {}
    if prop.type == "BOOLEAN":
        return {prop.identifier: chance.random() < 0.5}
    if prop.type in ("INT", "FLOAT"):
        value = chance.choice(NUMBERS)
        value = max(min(value, prop.hard_max), prop.hard_min)
        one = int(value) if prop.type == "INT" else value
        return {prop.identifier: [one] * prop.array_length if prop.is_array else one}
    if prop.type == "STRING":
        return {prop.identifier: chance.choice(NAMES)}
    return {}


def change_setting(chance: Random, say: Callable[[str], None]) -> None:
    """A property of one of the extension's groups."""
    holders: list[Any] = [bpy.context.scene, *bpy.data.objects]
    holders += [bone for thing in bpy.data.objects if thing.pose for bone in thing.pose.bones]
    holder = chance.choice(holders)
    names = file_handlers.names_of(holder.bl_rna.identifier)
    group = getattr(holder, chance.choice(names))
    prop = chance.choice([prop for prop in group.bl_rna.properties if prop.identifier != "rna_type"])
    if prop.type == "COLLECTION":
        items = getattr(group, prop.identifier)
        say(f"{group!r}.{prop.identifier}: {len(items)}")
        if len(items) and chance.random() < 0.5:
            items.remove(chance.randrange(len(items)))
        else:
            items.add()
        return
    if prop.type == "POINTER":
        value = chance.choice([None, *bpy.data.actions])
        values = {prop.identifier: value}
    else:
        values = value_for(prop, chance)
    say(f"{group!r} {values}")
    for name, value in values.items():
        with contextlib.suppress(TypeError, AttributeError):  # Blender takes no such value
            setattr(group, name, value)
    if chance.random() < 0.2:
        bpy.ops.ed.undo_push(message="Setting")


def prepare(chance: Random, say: Callable[[str], None]) -> None:
    """What somebody does who wants a result: two actions that there are, and a cut within them."""
    rig = any_rig()
    if rig is None or rig.mode == "EDIT" or len(bpy.data.actions) < 2 or chance.random() < 0.1:
        say("a file of its own")
        begin(chance)
        return
    own = rig.inertia
    own.source, own.destination = chance.sample(list(bpy.data.actions), 2)
    own.source_slot = own.destination_slot = own.bone_list = own.root = ""
    own.bones, own.cut, own.use_destination_frame = "ALL", float(chance.randint(5, 30)), False
    say(f"{own.source!r} to {own.destination!r} at {own.cut}")
    if chance.random() < 0.7:
        name = chance.choice(("bake_transition", "bake_transition", "find_hops", "bake_hop", "rebake"))
        operate(say, name, {})


def draw(chance: Random, say: Callable[[str], None]) -> None:
    """Panels, menus and overlays."""
    where = context()
    where.space_data.overlay = types.SimpleNamespace(show_overlays=True)
    chosen = chance.sample(panels.CLASSES, 6)
    if chance.random() < 0.3:
        for name in [each.name for each in rooms.PLOTS]:
            setattr(bpy.context.scene.inertia_overlay, name, chance.random() < 0.7)
    say(f"{[panel.__name__ for panel in chosen]} and overlays")
    for panel in chosen:
        if not hasattr(panel, "poll") or panel.poll(where):
            drawn(panel)
    if where.object is not None:
        for menu in chance.sample(rooms.MENUS, 2):
            menu.draw(types.SimpleNamespace(layout=Recorder()), where)
    build.view3d_overlay(where)
    switches.is_on(bpy.context.scene)


def disturb(chance: Random, say: Callable[[str], None]) -> None:
    """Something that has nothing to do with the extension."""
    name = chance.choice([*DISTURBANCES])
    say(name)
    if any_rig() is not None and any_rig().mode == "EDIT" and name not in ("mode", "undo"):
        bpy.ops.object.mode_set(mode="OBJECT")
    try:
        DISTURBANCES[name](chance)
    except RuntimeError as error:  # an operator of Blender's that does not run here
        if "inertia" in str(error):
            raise
    if name not in ("undo", "redo", "save"):
        bpy.context.view_layer.update()
        bpy.ops.ed.undo_push(message=name)


def remove_action(chance: Random) -> None:
    if len(bpy.data.actions) > 1:
        bpy.data.actions.remove(chance.choice(list(bpy.data.actions)))


def rename(chance: Random) -> None:
    things: list[Any] = [*bpy.data.actions, *bpy.data.objects, *bpy.data.armatures]
    things += [bone for armature in bpy.data.armatures for bone in armature.bones]
    if things:
        chance.choice(things).name = chance.choice(NAMES)


def remove_object(chance: Random) -> None:
    """Remove an object, and make another rig where none is left."""
    if len(bpy.data.objects):
        bpy.data.objects.remove(chance.choice(list(bpy.data.objects)))
    if not len(bpy.data.objects):
        begin(chance)


def add_rig(chance: Random) -> None:
    rig = make_rig("Other")
    if len(bpy.data.actions):
        compat.assign(rig, chance.choice(list(bpy.data.actions)))


def remove_bone(chance: Random) -> None:
    rig = any_rig()
    if rig is not None:
        bpy.ops.object.mode_set(mode="EDIT")
        bones = rig.data.edit_bones
        if len(bones):
            bones.remove(chance.choice(list(bones)))
        bpy.ops.object.mode_set(mode="OBJECT")


def set_mode(chance: Random) -> None:
    if any_rig() is not None:
        bpy.ops.object.mode_set(mode=chance.choice(("OBJECT", "POSE", "EDIT")))


def set_frame(chance: Random) -> None:
    bpy.context.scene.frame_set(int(chance.choice(NUMBERS[:9])), subframe=chance.choice((0.0, 0.5)))


def set_rate(chance: Random) -> None:
    bpy.context.scene.render.fps = chance.choice((1, 24, 30, 120, 1000))
    bpy.context.scene.render.fps_base = chance.choice((1.0, 1.001, 0.5))


def edit_keys(chance: Random) -> None:
    """A user edits an action, or spoils it."""
    if not len(bpy.data.actions):
        return
    action = chance.choice(list(bpy.data.actions))
    for slot in compat.slots(action):
        for curve in list(compat.curves(action, slot.identifier))[:4]:
            if len(curve.keyframe_points):
                point = chance.choice(list(curve.keyframe_points))
                point.co.y = chance.choice((*NUMBERS[:6], 1e6))
                curve.keyframe_points.remove(chance.choice(list(curve.keyframe_points)))


def spoil_recipe(chance: Random) -> None:
    """What results remember is spoiled, as a file may hold anything."""
    kept = [(action, key) for action in bpy.data.actions for key in action.keys() if "inertia" in key]
    if kept:
        action, key = chance.choice(kept)
        action[key] = chance.choice((5, "", "[]", "{}", '{"settings": {}}', "nan", "[" * 5000, [1.0], action))


def transform(chance: Random) -> None:
    rig = any_rig()
    if rig is not None:
        rig.scale = [chance.choice((1.0, 1.0, 0.01, 100.0, 0.0, -1.0))] * 3
        rig.rotation_mode = chance.choice(("XYZ", "QUATERNION", "AXIS_ANGLE"))
        chance.choice(list(rig.pose.bones) or [rig]).rotation_mode = chance.choice(("ZXY", "QUATERNION"))


def deselect(chance: Random) -> None:
    choices = [None, *bpy.context.view_layer.objects]
    bpy.context.view_layer.objects.active = chance.choice(choices)


def save(chance: Random) -> None:
    """Save the file, and now and then open it again."""
    path = str(Path.cwd() / "episode.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    if chance.random() < 0.5:
        bpy.ops.wm.open_mainfile(filepath=path)
        bpy.ops.ed.undo_push(message="Opened")


DISTURBANCES: dict[str, Callable[[Random], None]] = {
    "undo": lambda _: bpy.ops.ed.undo(),
    "undo again": lambda _: bpy.ops.ed.undo(),
    "redo": lambda _: bpy.ops.ed.redo(),
    "remove action": remove_action,
    "rename": rename,
    "remove object": remove_object,
    "add rig": add_rig,
    "remove bone": remove_bone,
    "mode": set_mode,
    "frame": set_frame,
    "rate": set_rate,
    "edit keys": edit_keys,
    "spoil recipe": spoil_recipe,
    "transform": transform,
    "active": deselect,
    "save": save,
}
WAYS: dict[str, tuple[Callable[[Random, Callable[[str], None]], None], int]] = {
    "operator": (operate_any, 5),
    "prepare": (prepare, 2),
    "setting": (change_setting, 3),
    "draw": (draw, 3),
    "work": (work_long, 1),
    "disturb": (disturb, 3),
}
