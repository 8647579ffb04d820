# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside of a Blender with a window: steers the walker by its keys, keeps a take, goes on with it, and
is disturbed; see test_steering.py."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import bpy
import driver
from characters import make_led, make_stepper, rig
from driver import (
    LATER,
    SOON,
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
    push,
    remember,
    state,
    until,
    until_worked,
    window,
)
from path_steps import make_character


def steps() -> Steps:
    """What happens, with only the panel on steering open, and its options."""
    tool = inertia("ui.shared.tool").Tool
    say = tool.say

    def heard(self: Any, text: str, kind: str = "INFO", /, **values: object) -> None:
        said.append(str(text))
        say(self, text, kind, **values)

    tool.say = heard
    try:
        with only_open("_steer", mode="TRAVEL"):
            yield from steer()
    finally:
        tool.say = say


said: list[str] = []
"""What was reported since it was looked at last."""


def live() -> Any:
    """What is steered now."""
    return inertia("ui.steering.live").find_running()


def hold(kind: str, value: str) -> Steps:
    """Press a key of the 3D View and hold it down, or let it go."""
    driver.presses.append(f"{kind} {value}")
    window().event_simulate(type=kind, value=value, x=middle()[0], y=middle()[1])
    yield SOON


def for_seconds(seconds: float) -> Steps:
    """Wait until it was steered for so long from now on."""
    end = live().session.seconds + seconds
    yield from until(lambda: live() is None or live().session.seconds >= end)


def numbers() -> list[float]:
    """The pose, and where the object stands."""
    shown = rig().evaluated_get(bpy.context.evaluated_depsgraph_get())
    places = [value for bone in shown.pose.bones for row in bone.matrix for value in row]
    return [round(value, 4) for value in (*places, *rig().location)]


def note(name: str) -> None:
    """What there is now, by value."""
    own, action = live(), rig().animation_data.action
    recipe = inertia("blender.data.recipe")
    state[name] = {
        "pose": numbers(),
        "actions": sorted(bpy.data.actions.keys()),
        "assigned": action.name if action else "",
        "frames": list(action.frame_range) if action else [],
        "is path": bool(action) and recipe.is_baked(action, recipe.PATH),
        "noted": [each for each in bpy.context.scene.keys() if each.startswith("inertia_preview")],
        "dirty": bpy.data.is_dirty,
        "seconds": None if own is None else own.session.seconds,
        "ground": None if own is None else own.session.now.ground.tolist(),
        "first": None if own is None else own.session.moments[0].ground.tolist(),
        "wishes": wishes_of(action),
        "said": list(said),
        "running": [each.bl_idname for each in window().modal_operators],
    }


def wishes_of(action: Any) -> list[str]:
    """What was wished of a take, as its recipe has it."""
    recipe = inertia("blender.data.recipe")
    if not recipe.is_baked(action, recipe.PATH):
        return []
    return list(inertia("blender.data.recipe_reader").read_recipe(action).settings.wishes)


def keys_of(action: Any) -> list[float]:
    """All keys of an action."""
    compat = inertia("blender.data.compat")
    curves = compat.curves(action, compat.slots(action)[0].identifier)
    return [value for curve in curves for point in curve.keyframe_points for value in point.co]


def begin() -> Steps:
    """Press the button, and wait until it is steered."""
    yield from push("inertia.steer")
    yield from until(lambda: live() is not None)
    hover(*middle())
    yield LATER


def ended() -> Steps:
    """Wait until nothing of it goes on."""
    yield from until_worked("steer")


def save() -> None:
    with bpy.context.temp_override(window=window()):
        bpy.ops.wm.save_as_mainfile(filepath=str(driver.folder / "steering.blend"))


def steer() -> Steps:
    """Begin, give up; steer and keep; make it anew; go on with it and go back; be disturbed."""
    bpy.context.preferences.view.ui_scale = 0.6
    make_character()
    rig().inertia_path.mirror = True
    yield from close_other_editors()
    with inside("WINDOW"):
        bpy.ops.view3d.view_axis(type="TOP")
        bpy.ops.view3d.view_all()
        bpy.ops.view3d.zoom(delta=-3)
    yield from open_tab()
    rig().animation_data.action = bpy.data.actions["Walk"]
    rig().pose.bones["hips"].rotation_euler = (0.0, 0.0, 0.0)  # as the bend has left it
    bpy.context.scene.frame_set(12)
    remember("Ready")
    save()
    yield LATER
    note("before")
    yield from begin()
    note("begun")
    yield from hold("S", "PRESS")
    yield from for_seconds(1.2)
    note("steered")
    picture("steered")
    yield from hold("S", "RELEASE")
    yield from key("ESC", *middle())
    yield from ended()
    note("given up")
    yield from keep()
    yield from go_on()
    yield from move()
    yield from answer()
    yield from disturbed()


def keep() -> Steps:
    """Steer for a while, save meanwhile, and keep the take; then make it anew by its recipe."""
    yield from begin()
    yield from hold("S", "PRESS")
    yield from for_seconds(1.2)
    yield from hold("D", "PRESS")
    yield from hold("S", "RELEASE")
    saving = bpy.app.handlers.save_pre
    saving.append(note_while_saving)  # behind the extension's own, so that it sees what the file gets
    save()
    saving.remove(note_while_saving)
    yield from for_seconds(0.8)
    yield from hold("D", "RELEASE")
    yield from for_seconds(0.2)
    note("about to keep")
    yield from key("RET", *middle())
    yield from ended()
    note("kept")
    said.clear()
    state["keys"] = keys_of(rig().animation_data.action)
    yield from update()
    state["keys anew"] = keys_of(rig().animation_data.action)


def update() -> Steps:
    """Make the take anew as F3 does; the button is grey, as nothing it is made of has changed."""
    with inside("WINDOW"):
        assert bpy.ops.inertia.rebake("EXEC_DEFAULT", True) == {"FINISHED"}
    yield LATER


def note_while_saving(*_arguments: Any) -> None:
    note("while saving")


def go_on() -> Steps:
    """Continue the take from its middle, go back two seconds, and keep that, too; then undo it."""
    bpy.context.scene.frame_set(42)
    yield LATER
    yield from begin()
    note("continued")
    yield from hold("A", "PRESS")
    yield from for_seconds(2.2)
    watch_going_back(live().session)
    yield from key("BACK_SPACE", *middle())
    yield from for_seconds(0.8)
    yield from key("RET", *middle())
    yield from ended()
    note("kept again")
    yield from key("Z", *middle(), ctrl=True)
    yield LATER
    note("undone")


def move() -> Steps:
    """Mark a clip as a move, play it with its number key, and keep the take."""
    own = rig().inertia_path
    own.choose_clips = True
    for name in ("Walk", "Run", "Bend"):
        own.clips.add().action = bpy.data.actions[name]
    own.clips[2].is_move = True
    rig().animation_data.action = bpy.data.actions["Walk"]
    bpy.context.scene.frame_set(12)
    yield LATER
    picture("moves")
    yield from begin()
    yield from hold("S", "PRESS")
    yield from for_seconds(0.5)
    yield from key("ONE", *middle())
    # a busy machine shows few of its frames
    yield from until(lambda: "Bend" in played())
    yield from for_seconds(0.3)
    picture("move")
    yield from hold("S", "RELEASE")
    yield from key("RET", *middle())
    yield from ended()
    note("moved")
    own = rig().inertia_path
    own.choose_clips = False
    own.clips.clear()


def answer() -> Steps:
    """Steer with a stick that walks and runs by its gait, filtered, and keep the take; then make it anew."""
    own = rig().inertia_steer
    own.wished_as, own.filter_half_life, own.run_forward = "STICK", 0.1, 3.0
    own.use_velocity_half_life, own.velocity_half_life, own.clamp_angle = True, 0.2, 1.0
    rig().animation_data.action = bpy.data.actions["Walk"]
    bpy.context.scene.frame_set(12)
    yield LATER
    picture("options")
    yield from begin()
    yield from hold("S", "PRESS")
    yield from for_seconds(0.5)
    note_gait("walks")
    yield from hold("LEFT_SHIFT", "PRESS")
    driver.presses.append("Shift S")
    window().event_simulate(type="F13", value="PRESS", x=middle()[0], y=middle()[1], shift=True)
    yield from for_seconds(0.7)
    note_gait("runs")
    picture("answer")
    yield from hold("S", "RELEASE")
    yield from for_seconds(0.2)
    yield from key("RET", *middle())
    yield from ended()
    note("answered")
    action = rig().animation_data.action
    asked = inertia("blender.data.recipe_reader").read_recipe(action).settings
    state["answered"]["steer"] = asked.steer.as_dict()
    state["keys answered"] = keys_of(action)
    yield from update()
    state["keys answered anew"] = keys_of(rig().animation_data.action)
    for name in ("wished_as", "filter_half_life", "run_forward", "use_velocity_half_life", "clamp_angle"):
        own.property_unset(name)


def note_gait(name: str) -> None:
    """What is wished, and what the point makes of it."""
    own = live().session
    state[name] = {
        "stick": [own.wished.x, own.wished.y],
        "gait": own.now.point.gait,
        "wished": own.now.point.wished.tolist(),
    }


def played() -> set[str]:
    """The clips that have played."""
    session = live().session
    return {session.led.database.place(moment.flat)[0].name for moment in session.moments}


def watch_going_back(session: Any) -> None:
    """Note how many seconds are taken back, as time goes on at once."""
    back = session.back

    def told(seconds: float) -> Any:
        before = session.seconds
        again = back(seconds)
        state["taken back"] = before - session.seconds
        return again

    session.back = told


def disturbed() -> Steps:
    """Something happens to the file while the character is steered."""
    for name, disturb in (
        ("undo", undo),
        ("render", render),
        ("opened", open_another),
        ("removed", lambda: bpy.data.objects.remove(rig())),
    ):
        yield from begin_and(name, disturb)
    yield from led()


def led() -> Steps:
    """A control rig that can't be moved as a whole is refused; one that can is steered, and its take kept."""
    for root in (False, True):
        for action in list(bpy.data.actions):
            bpy.data.actions.remove(action)
        make_led(root=root)
        yield LATER
        # a script that presses what is refused at once gets an error
        with inside("WINDOW"), contextlib.suppress(RuntimeError):
            bpy.ops.view3d.view_all()
            bpy.ops.inertia.steer("INVOKE_DEFAULT")
        if not root:
            yield from ended()
            state["refused"] = {"said": list(said), "live": live() is not None}
    yield from until(lambda: live() is not None)
    hover(*middle())
    yield from hold("S", "PRESS")
    yield from for_seconds(1.2)
    picture("led")
    note("led")
    yield from hold("S", "RELEASE")
    yield from key("RET", *middle())
    yield from ended()
    note("led kept")
    yield from sets()


def sets() -> Steps:
    """Sets without a turn, in place, and of four legs are steered, and their takes kept."""
    for name, pairs, travels in (
        ("straight", (("", 0.0),), True),
        ("in place", (("", 0.0),), False),
        ("four legs", (("_front", -0.3), ("_hind", 0.4)), True),
    ):
        for action in list(bpy.data.actions):
            bpy.data.actions.remove(action)
        make_stepper(pairs, travels=travels)
        own = rig().inertia_path
        own.choose_clips, own.mirror = False, False
        yield LATER
        with inside("WINDOW"):
            bpy.ops.view3d.view_axis(type="TOP")
            bpy.ops.view3d.view_all()
            bpy.ops.view3d.zoom(delta=-3)
            bpy.ops.inertia.steer("INVOKE_DEFAULT")
        yield from until(lambda: live() is not None)
        hover(*middle())
        note(f"{name} begun")
        yield from hold("S", "PRESS")
        yield from for_seconds(1.2)
        yield from hold("D", "PRESS")
        yield from hold("S", "RELEASE")
        yield from for_seconds(1.5)
        picture(name)
        note(name)
        yield from hold("D", "RELEASE")
        yield from key("RET", *middle())
        yield from ended()
        note(f"{name} kept")
        legs = inertia("blender.feet.legs").of_armature(rig())
        state[f"{name} kept"]["legs"] = len(legs)


def begin_and(name: str, disturb: Callable[[], object]) -> Steps:
    """Steer, and have something happen."""
    with inside("UI"):
        bpy.ops.inertia.steer("INVOKE_DEFAULT")
    yield from until(lambda: live() is not None)
    yield from hold("S", "PRESS")
    yield from for_seconds(0.2)
    disturb()
    yield from ended()
    state[name] = {
        "live": live() is not None,
        "noted": [each for each in bpy.context.scene.keys() if each.startswith("inertia_preview")],
        "actions": sorted(bpy.data.actions.keys()),
        "said": list(said),
    }
    said.clear()
    yield from hold("S", "RELEASE")


def render() -> None:
    """Render a small picture, as a script does while the mouse is busy."""
    shown = bpy.context.scene
    shown.render.engine = "BLENDER_WORKBENCH"
    shown.render.resolution_x = shown.render.resolution_y = 16
    if shown.camera is None:
        shown.camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
        shown.collection.objects.link(shown.camera)
    with bpy.context.temp_override(window=window()):
        bpy.ops.render.render()


def open_another() -> None:
    """Open the file that was saved."""
    with bpy.context.temp_override(window=window()):
        bpy.ops.wm.open_mainfile(filepath=str(driver.folder / "steering.blend"), load_ui=False)


def undo() -> None:
    with bpy.context.temp_override(window=window()):
        bpy.ops.ed.undo()
