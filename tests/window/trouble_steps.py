# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside of a Blender with a window: what may go wrong in a session; see test_trouble.py.

Each function whose name begins with ``case_`` is a part of its own: with all overlays on it does what users
do, and asserts what must hold.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from typing import Any

import addon_utils
import bpy
import driver
import path_steps
from characters import make_walker, rig
from driver import (
    LATER,
    SOON,
    Steps,
    hover,
    inertia,
    inside,
    key,
    picture,
    region,
    remember,
    state,
    switches,
    until,
    window,
)
from left_behind import Callbacks, left_behind

MODULE = driver.INERTIA.rpartition(".")[0]
OPERATORS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("find_hops", {}),
    ("bake_hop", {}),
    ("rebake", {}),
    ("use_assigned_action", {"side": "DESTINATION"}),
    ("swap_actions", {}),
    ("use_current_frame", {}),
    ("select_bone", {"bone": "head"}),
    ("set_blend_scale", {"target": "ALL", "value": 0.5}),
    ("go_to_fault", {"bone": "head", "frame": 12.5}),
    ("suggest_blend_time", {}),
    ("use_remedy", {"kind": "LENGTH", "blend_frames": 7.5}),
    ("list_bones", {}),
    ("add_joints", {}),
    ("fill_joints", {}),
    ("move_joint", {"direction": "DOWN"}),
    ("remove_joint", {}),
    ("clear_joints", {}),
    ("fill_joints", {}),
    ("find_meeting", {"goal": "CUT"}),
    ("find_meeting", {"goal": "PAIRS"}),
    ("step_pair", {}),
    ("bake_transition", {}),
    ("rebake", {}),
    ("load_recipe", {}),
    ("use_half_life", {}),
    ("reset_ramps", {}),
    ("list_actions", {}),
    ("hop_clips", {}),
    ("save_map", {"as_image": True}),
    ("complete_clips", {"which": "ALL"}),
    ("add_limb", {}),
    ("add_limb", {}),
    ("remove_limb", {}),
    ("clear_limbs", {}),
    ("fill_legs", {}),
    ("add_leg", {}),
    ("remove_leg", {}),
    ("clear_legs", {}),
    ("path_clips", {"change": "ADD"}),
    ("steer", {"wishes": "0,0,0;0.5,0,-1;2,0,0"}),
)
"""The operators that make an undo step, in an order in which each finds what it needs, with their options."""


def names_of_switches() -> tuple[str, ...]:
    return tuple(each.name for each in inertia("ui.rooms").PLOTS)


def switch(*, on: bool) -> Steps:
    """Every overlay of the scene on or off, and drawn so."""
    for name in names_of_switches():
        setattr(switches(), name, on)
    remember("Overlays")
    hover(region("WINDOW").x + 5, region("WINDOW").y + 5)
    yield LATER


def start() -> Steps:
    """A character with all overlays on."""
    make_walker()
    for action in bpy.data.actions:
        action.use_fake_user = True
    yield from switch(on=True)


def counts() -> dict[str, int]:
    """How many data-blocks of each kind the file has."""
    kinds = [
        name for name in dir(bpy.data) if isinstance(getattr(bpy.data, name), bpy.types.bpy_prop_collection)
    ]
    return {name: len(getattr(bpy.data, name)) for name in kinds}


def values(group: Any) -> Any:
    """All values of a property group, and of those in it."""
    found = {}
    for prop in group.bl_rna.properties:
        value = getattr(group, prop.identifier)
        if prop.identifier in ("rna_type", "name"):
            continue
        if prop.type == "COLLECTION":
            found[prop.identifier] = [values(item) for item in value]
        elif prop.type == "POINTER":
            found[prop.identifier] = value.name if value is not None else None
        else:
            found[prop.identifier] = value
    return found


def everything() -> dict[str, Any]:
    """What undo brings back: actions, settings, what is selected."""
    own = rig()
    groups = ("inertia", "inertia_cost", "inertia_limbs", "inertia_search", "inertia_root", "inertia_hops")
    action = own.animation_data.action
    return {
        "counts": counts(),
        "actions": {a.name: tuple(a.curve_frame_range) for a in bpy.data.actions},
        "assigned": action.name if action else "",
        "settings": {name: values(getattr(own, name)) for name in groups},
        "scales": [bone.inertia.blend_scale for bone in own.pose.bones],
        "active": own.data.bones.active.name,
    }


def everything_kept() -> dict[str, Any]:
    """Likewise, without the counts: loading brings Blender's own brushes and workspaces."""
    found = everything()
    del found["counts"]
    return found


def call(name: str, *arguments: Any, **options: Any) -> set[str]:
    """Call an operator as a button does: with an undo step."""
    with inside("WINDOW"):
        return set(getattr(bpy.ops.inertia, name)(*arguments, True, **options))


def undo() -> Steps:
    with bpy.context.temp_override(window=window()):
        bpy.ops.ed.undo()
    yield SOON
    yield SOON


def redo() -> Steps:
    with bpy.context.temp_override(window=window()):
        bpy.ops.ed.redo()
    yield SOON
    yield SOON


def case_undo_and_redo() -> Steps:
    """Every operator can be undone and redone with the overlays on."""
    yield from start()
    for name in ("Walk", "Run"):
        copy = bpy.data.actions[name].copy()
    compat = inertia("blender.data.compat")
    curves = compat.curves(copy, compat.slots(copy)[0].identifier)
    curves.remove(curves[0])  # which a completed clip has again
    rig().inertia.cut, rig().inertia.blend_frames = 10.0, 6.0
    remember("More Actions")
    classes = inertia("ui.rooms").OPERATORS
    undone = {cls.bl_idname.partition(".")[2] for cls in classes if "UNDO" in cls.bl_options}
    assert {name for name, _ in OPERATORS} <= undone
    for name, options in OPERATORS:
        before = everything()
        assert call(name, "EXEC_DEFAULT", **options) == {"FINISHED"}, name
        yield LATER
        after = everything()
        yield from undo()
        assert everything() == before, name
        yield from redo()
        assert everything() == after, name


def case_loading() -> Steps:
    """A file with overlays on, loaded over others, with its editors and without."""
    yield from start()
    path = str(driver.folder / "overlays.blend")
    with bpy.context.temp_override(window=window()):
        bpy.ops.wm.save_as_mainfile(filepath=path)
    saved = everything_kept()
    for load_ui in (True, False):
        with bpy.context.temp_override(window=window()):
            bpy.ops.wm.read_homefile(use_factory_startup=True)
        yield LATER
        # what a new file shows at first, and no more
        assert switches().path
        assert not switches().map
        with bpy.context.temp_override(window=window()):
            bpy.ops.wm.open_mainfile(filepath=path, load_ui=load_ui)
        yield LATER
        assert everything_kept() == saved
        assert inertia("ui.overlay.handlers")._handles
        # one file over the other, both with overlays
        with bpy.context.temp_override(window=window()):
            bpy.ops.wm.revert_mainfile()
        yield LATER
        assert everything_kept() == saved


def case_off_and_on() -> Steps:
    """Disabled, nothing of the extension stays; enabled again, all is there again. Twice."""
    make_walker()
    yield from switch(on=False)
    picture("never on")
    state["view"] = driver.box(driver.view())
    before, blocks = left_behind(MODULE), counts()
    yield from switch(on=True)
    picture("on")
    settings = values(rig().inertia)
    for _ in range(2):
        addon_utils.disable(MODULE)
        yield SOON
        yield SOON
        assert left_behind(MODULE) == {}
        assert counts() == blocks
        picture("off")
        addon_utils.enable(MODULE)
        yield LATER
        assert values(rig().inertia) == settings
        assert switches().map
        assert len(callbacks.held) == len(inertia("ui.overlay.handlers").CALLBACKS)
    picture("on again")
    yield from switch(on=False)
    assert left_behind(MODULE) == before
    assert not callbacks.held


def case_what_the_settings_name_goes() -> Steps:
    """The actions and the armature are renamed, copied and deleted; undo brings them back."""
    yield from start()
    bpy.data.actions["Walk"].name = "Stroll"
    rig().data.name = "Figure"
    rig().name = "Figure"
    remember("Rename")
    yield LATER
    own = bpy.data.objects["Figure"]
    assert own.inertia.source.name == "Stroll"
    own.name = "Rig"
    with inside("WINDOW"):
        bpy.ops.object.mode_set(mode="OBJECT")
        own.select_set(True)
        bpy.ops.object.duplicate()
    remember("Duplicate")
    yield LATER
    twin = bpy.context.view_layer.objects.active
    assert twin != rig()
    # Blender copies the assigned action too, and has the copy name that
    assert [twin.inertia.source.name, twin.inertia.destination.name] == ["Stroll", "Run.001"]
    assert twin.inertia.cut == rig().inertia.cut
    bpy.data.objects.remove(twin)
    bpy.context.view_layer.objects.active = rig()
    remember("Delete")
    yield LATER
    before = everything()
    for name in ("Stroll", "Run"):
        bpy.data.actions.remove(bpy.data.actions[name])
        remember("Delete Action")
        yield LATER
        assert None in (rig().inertia.source, rig().inertia.destination)
        yield from undo()
        assert everything() == before
    bpy.data.objects.remove(rig())
    remember("Delete Armature")
    yield LATER
    yield from undo()
    assert everything() == before


def case_modes_workspaces_scenes() -> Steps:
    """Modes, workspaces, scenes and frame rates are switched."""
    yield from start()
    before = everything()
    for mode in ("EDIT", "OBJECT", "POSE"):
        with inside("WINDOW"):
            bpy.ops.object.mode_set(mode=mode)
        yield LATER
    first = window().workspace
    for name in ("Animation", "UV Editing", first.name):
        window().workspace = bpy.data.workspaces[name]
        yield LATER
        yield LATER
    scene = window().scene
    for fps in (60, 24):
        scene.render.fps = fps
        yield LATER
    assert everything() == before
    other = bpy.data.scenes.new("Other")
    window().scene = other
    yield LATER
    window().scene = scene
    bpy.data.scenes.remove(other)
    yield LATER
    assert everything() == before


def case_two_armatures() -> Steps:
    """Two armatures with settings of their own: the overlays follow the active one."""
    yield from start()
    with inside("WINDOW"):
        bpy.ops.object.mode_set(mode="OBJECT")
    twin = rig().copy()
    bpy.context.scene.collection.objects.link(twin)
    twin.inertia.cut = 12.0
    yield LATER
    before = counts()
    for active, cut in ((twin, 12.0), (rig(), 30.0), (twin, 12.0)):
        bpy.context.view_layer.objects.active = active
        yield LATER
        with inside("WINDOW"):
            overlay = inertia("ui.overlay.build").view3d_overlay(bpy.context)
            assert [curve.current for curve in overlay.parts["curves"] if curve.over == "CUT"] == [cut]
            active.select_set(True)
            bpy.ops.object.mode_set(mode="POSE")
        yield LATER
        with inside("WINDOW"):
            bpy.ops.object.mode_set(mode="OBJECT")
    twin.hide_set(True)
    yield LATER
    assert counts() == before


def case_linked_and_overridden() -> Steps:
    """A linked rig can't hold settings, and says so; its override can, and keeps them."""
    yield from start()
    library = str(driver.folder / "library.blend")
    collection = bpy.data.collections.new("Character")
    bpy.context.scene.collection.children.link(collection)
    collection.objects.link(rig())
    with bpy.context.temp_override(window=window()):
        bpy.ops.wm.save_as_mainfile(filepath=library)
        bpy.ops.wm.read_homefile(use_factory_startup=True)
    yield LATER
    with bpy.data.libraries.load(library, link=True) as (_, wanted):
        wanted.collections, wanted.actions = ["Character"], ["Walk", "Run"]
    (linked,) = wanted.collections
    bpy.context.scene.collection.children.link(linked)
    bpy.context.view_layer.objects.active = rig()
    yield from switch(on=True)
    before = counts()
    with inside("WINDOW"):
        assert not bpy.ops.inertia.find_meeting.poll()
    with bpy.context.temp_override(window=window()):
        linked.override_hierarchy_create(bpy.context.scene, bpy.context.view_layer, do_fully_editable=True)
    own = next(thing for thing in bpy.data.objects if thing.override_library and thing.type == "ARMATURE")
    bpy.context.view_layer.objects.active = own
    yield LATER
    own.inertia.source, own.inertia.destination = wanted.actions
    own.inertia.cut, own.inertia.blend_frames = 20.0, 7.0
    own.inertia_hops.find_cycles = not own.inertia_hops.find_cycles
    own.inertia_root.scope = "ALL"
    yield LATER
    assert call("bake_transition", "EXEC_DEFAULT") == {"FINISHED"}
    yield LATER
    assert counts()["actions"] == before["actions"] + 1
    groups = ("inertia", "inertia_hops", "inertia_root")
    settings = [values(getattr(own, name)) for name in groups]
    with bpy.context.temp_override(window=window()):
        bpy.ops.wm.save_as_mainfile(filepath=str(driver.folder / "overridden.blend"))
        bpy.ops.wm.revert_mainfile()
    yield LATER
    own = next(thing for thing in bpy.data.objects if thing.override_library and thing.type == "ARMATURE")
    assert [values(getattr(own, name)) for name in groups] == settings
    assert own.animation_data.action.name == "Walk to Run"


def case_playing() -> Steps:
    """The overlays follow settings that change while the animation plays."""
    yield from start()
    before = counts()
    with inside("WINDOW"):
        bpy.ops.screen.animation_play()
    seen = set()
    for turn in range(24):
        rig().inertia.cut = 20.0 + turn % 10
        seen.add(bpy.context.scene.frame_current)
        yield SOON
    assert len(seen) > 3
    with inside("WINDOW"):
        bpy.ops.screen.animation_cancel()
    yield LATER
    assert counts() == before


def case_escape() -> Steps:
    """ESC ends long work and leaves all as it was; so does loading a file in the midst of it."""
    yield from start()
    make_long()
    hover(*somewhere())
    yield from switch(on=True)
    before, frame = everything(), bpy.context.scene.frame_current
    long_work = inertia("ui.shared.long_work")
    slices = long_work.AT_ONCE_SECONDS, long_work.SLICE_SECONDS
    for name, options in (
        ("evaluate_clips", {}),
        ("find_meeting", {"goal": "PAIRS"}),
        ("find_hops", {}),
        ("measure_actions", {}),
    ):
        assert call(name, "INVOKE_DEFAULT", **options) == {"RUNNING_MODAL"}, name
        yield LATER
        yield from key("ESC", *somewhere())
        assert everything() == before, name
        assert bpy.context.scene.frame_current == frame
    long_work.AT_ONCE_SECONDS = long_work.SLICE_SECONDS = 0.0
    # of a bake only reading the clips comes in slices, here of a curve each
    assert call("bake_transition", "INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    yield from key("ESC", *somewhere())
    assert everything() == before
    assert call("bake_transition", "INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    while everything() == before:
        yield LATER
    bpy.ops.ed.undo()
    long_work.AT_ONCE_SECONDS, long_work.SLICE_SECONDS = slices
    assert call("evaluate_clips", "INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    yield LATER
    with bpy.context.temp_override(window=window()):
        bpy.ops.wm.read_homefile(use_factory_startup=True)
    yield LATER


def somewhere() -> tuple[int, int]:
    """A place over the 3D View."""
    main = region("WINDOW")
    return main.x + main.width // 3, main.y + 2 * main.height // 3


def make_long() -> None:
    """A rig that only Blender itself can evaluate, and clips that take long."""
    bone = rig().pose.bones["foot.L"]
    bone.constraints.new("COPY_ROTATION").target = rig()
    bone.constraints[0].subtarget = "foot.R"
    rig().inertia_root.scope = "ALL"
    for name in ("Walk", "Run"):
        rig().animation_data.action = bpy.data.actions[name]
        hips = rig().pose.bones["hips"]
        hips.location = (0.0, 0.0, math.pi)
        hips.keyframe_insert("location", frame=100_000)
    bpy.context.scene.frame_set(30)


callbacks = Callbacks()


@contextlib.contextmanager
def watched() -> Iterator[None]:
    """Nothing may stay of the extension when it is disabled, whatever is done inside."""
    with callbacks.counted(MODULE):
        try:
            yield
        finally:
            addon_utils.disable(MODULE)
            after, held = left_behind(MODULE), list(callbacks.held)
            addon_utils.enable(MODULE)
        assert after == {}
        assert held == []


def steps(case: str) -> Steps:
    """A case, watched."""
    before = left_behind(MODULE)
    with watched():
        yield from globals()[f"case_{case}"]()
        with bpy.context.temp_override(window=window()):
            bpy.ops.wm.read_homefile(use_factory_startup=True)
        yield LATER
    yield LATER
    assert left_behind(MODULE) == before
    state["done"] = True


def _another_scene() -> None:
    window().scene = bpy.data.scenes.new("Other")


def _edit_mode() -> None:
    with inside("WINDOW"):
        bpy.ops.object.mode_set(mode="EDIT")


def _another_file() -> None:
    with bpy.context.temp_override(window=window()):
        bpy.ops.wm.read_homefile(use_factory_startup=True)


DISTURBANCES = {
    "nothing active": (lambda: setattr(window().view_layer.objects, "active", None), ""),
    "frame": (lambda: bpy.context.scene.frame_set(40), ""),
    "bone": (lambda: setattr(rig().data.bones["hips"], "name", "pelvis"), 'armature "Rig" was changed'),
    "curve": (lambda: bpy.data.objects.remove(bpy.data.objects["Street"]), 'curve "Street" was removed'),
    "action": (lambda: bpy.data.actions.remove(bpy.data.actions["Walk"]), 'action "Walk" was removed'),
    "rate": (lambda: setattr(bpy.context.scene.render, "fps", 50), "frame rate"),
    "scene": (_another_scene, "another scene"),
    "edit": (_edit_mode, "Edit Mode"),
    "armature": (lambda: bpy.data.objects.remove(rig()), 'armature "Rig" was removed'),
    "file": (_another_file, None),
}
"""What happens to the file of a path that is being baked; and what is said: "" for nothing, as it goes on."""


def case_long_work_is_disturbed() -> Steps:
    """A path is baked in slices while a script changes what it stands on: that is said, and nothing stays."""
    long_work, tool = inertia("ui.shared.long_work"), inertia("ui.shared.tool")
    said: list[str] = []
    refuse = tool.Tool.refuse
    tool.Tool.refuse = lambda own, error: (said.append(str(error)), refuse(own, error))[1]
    held = long_work.AT_ONCE_SECONDS, long_work.SLICE_SECONDS
    long_work.AT_ONCE_SECONDS = long_work.SLICE_SECONDS = 0.0
    try:
        for name, (disturb, sentence) in DISTURBANCES.items():
            said.clear()
            with bpy.context.temp_override(window=window()):
                bpy.ops.wm.read_homefile(use_factory_startup=True)
            yield LATER
            path_steps.make_character()
            path_steps.draw_curve()
            rig().inertia_path.followed, rig().inertia_path.width = bpy.data.objects["Street"], 4
            yield LATER
            before = {action.session_uid for action in bpy.data.actions}
            assert call("bake_path", "INVOKE_DEFAULT") == {"RUNNING_MODAL"}, name
            for _ in range(3):
                yield SOON
            assert long_work._going, name
            disturb()
            yield from until(lambda: not long_work._going)
            yield LATER
            assert not inertia("blender.evaluation.playback").is_running()
            now = {action.session_uid for action in bpy.data.actions}
            if sentence == "":
                assert not said, (name, said)
                assert len(now - before) == 1, name
            else:
                assert not now - before, name
                assert [sentence in each for each in said] == [True] * (sentence is not None), (name, said)
            if name == "edit":
                with inside("WINDOW"):
                    bpy.ops.object.mode_set(mode="OBJECT")
    finally:
        long_work.AT_ONCE_SECONDS, long_work.SLICE_SECONDS = held
        tool.Tool.refuse = refuse
