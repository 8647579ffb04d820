# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside of a Blender with a window: sets the scene, takes one picture, quits; see screenshots.py."""

from __future__ import annotations

import colorsys
import itertools
import math
import os
import shutil
import subprocess
import sys
import traceback
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from mathutils import Euler, Matrix, Vector

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from inertia_addon import registration
from inertia_addon.blender.data import compat
from inertia_addon.blender.mannequin import character
from inertia_addon.blender.matching import followed
from inertia_addon.blender.transition import bake as transitions
from inertia_addon.motion.root_motion import half_life
from inertia_addon.settings.transition import TransitionSettings
from inertia_addon.ui import panels
from inertia_addon.ui.fill import drag_wish, finding
from inertia_addon.ui.judging import live
from inertia_addon.ui.learned import training
from inertia_addon.ui.shared import tab
from inertia_addon.ui.steering import live as steered
from inertia_addon.ui.steering import operators as steer_operators
from inertia_addon.ui.travel import way_plot

SHOT, LANGUAGE, THEME, SCALE, PICTURE = sys.argv[sys.argv.index("--") + 1 :]
CUT = 30.0
DATA = Path(os.environ.get("INERTIA_DATA") or ROOT.parent / "shared" / "data")
RUNS = [
    DATA / "bvh" / "cmu127" / f"cmu127_{name}.bvh"
    for name in ("19_run_quick_stop_run", "05_run_to_quick_stop", "17_run_stop_run", "15_run_turn_left")
]
"""Recorded motion, the one that is shown first."""
ALONG = [
    DATA / "bvh" / "cmu127" / f"cmu127_{name}.bvh"
    for name in (
        *("04_walk_to_run", "06_run", "09_run_right", "10_run_right", "11_run_left", "12_run_left"),
        *("15_run_turn_left", "16_run_turn_right", "17_run_stop_run", "25_run_jump_over"),
    )
]
"""What a path is followed with."""
WALK = DATA / "bvh" / "cmu02" / "cmu02_01_walk.bvh"
"""A recorded walk."""
frames: list[tuple[Path, str, int]] = []
"""Those of an animated picture, what is said below each, and how long it stays, in twelfths of a second."""


def inside(area: Any, region: str = "WINDOW") -> Any:
    """A context in which operators find an area of the one window; timers come with none."""
    window = bpy.context.window_manager.windows[0]
    return bpy.context.temp_override(
        window=window, screen=window.screen, area=area, region=region_of(area, region)
    )


def areas() -> list[Any]:
    """The areas of the one window."""
    return list(bpy.context.window_manager.windows[0].screen.areas)


def use_theme() -> None:
    """Blender's own light theme, where it is asked for."""
    if THEME != "light":
        return
    folder = next(Path(p) for p in bpy.utils.preset_paths("interface_theme") if Path(p).is_dir())
    with inside(area_of("VIEW_3D")):
        bpy.ops.script.execute_preset(
            filepath=str(folder / "Blender_Light.xml"), menu_idname="USERPREF_MT_interface_theme_presets"
        )


def set_scene() -> Any:
    """The mannequin with a baked transition from Walk to Run, in mid-transition."""
    scene = bpy.context.scene
    for data in list(bpy.data.objects):
        bpy.data.objects.remove(data)
    scene.render.fps = character.FPS
    rig = character.build_mannequin(scene).rig
    bpy.context.view_layer.objects.active = rig
    rig.select_set(True)
    rig.data.display_type = "STICK"
    own = rig.inertia
    own.source, own.destination = bpy.data.actions["Walk"], bpy.data.actions["Run"]
    # where the steps meet
    own.cut, own.use_destination_frame, own.destination_frame = CUT, True, 3.0
    with inside(area_of("VIEW_3D")):
        bpy.ops.inertia.bake_transition()
        bpy.ops.object.mode_set(mode="POSE")
    scene.frame_end = 100
    scene.frame_set(int(CUT) + 6)
    return rig


def close_others() -> None:
    """Leave only the 3D View: the editors that the factory settings have around it go."""
    for kind in ("OUTLINER", "PROPERTIES", "DOPESHEET_EDITOR"):
        with inside(area_of(kind)):
            bpy.ops.screen.area_close()


def make_dope_sheet() -> None:
    """A Dope Sheet below, in its Action mode."""
    with inside(area_of("VIEW_3D")):
        bpy.ops.screen.area_split(direction="HORIZONTAL", factor=0.26)
    low = min((area for area in areas() if area.type == "VIEW_3D"), key=lambda area: area.y)
    low.type = "DOPESHEET_EDITOR"
    low.spaces.active.mode = "ACTION"
    low.spaces.active.show_region_ui = False


def open_sidebar() -> None:
    """Show the sidebar, which must be drawn once before its tab can be chosen."""
    view = area_of("VIEW_3D")
    view.spaces.active.show_region_ui = True
    view.spaces.active.show_region_toolbar = False
    view.spaces.active.overlay.show_relationship_lines = False
    view.spaces.active.overlay.show_cursor = False
    view.spaces.active.shading.show_cavity = True


def choose_tab() -> None:
    """The Inertia tab."""
    region_of(area_of("VIEW_3D"), "UI").active_panel_category = "Inertia"


def frame_everything() -> None:
    """Look at the mannequin, and at the keys around the cut."""
    frame_view()
    with inside(area_of("DOPESHEET_EDITOR")):
        bpy.ops.action.view_all()


def frame_view() -> None:
    """Look at the mannequin from its front left."""
    view = area_of("VIEW_3D")
    rig = bpy.data.objects["Mannequin"]
    space = view.spaces.active.region_3d
    space.view_perspective = "PERSP"
    space.view_location = rig.matrix_world @ rig.pose.bones["hips"].head
    space.view_location.z -= 0.08
    space.view_distance = 3.7
    space.view_rotation = Euler((1.38, 0.0, 0.95)).to_quaternion()


def give_everything_something_to_say() -> None:
    """A scaled bone, a constraint and a changed source, so that each panel shows all that it can."""
    rig = bpy.data.objects["Mannequin"]
    for i, name in enumerate(("hand.L", "hand.R", "head")):
        rig.pose.bones[name].inertia.blend_scale = 0.5 * (i + 1)
    rig.pose.bones["hand.R"].constraints.new("LIMIT_ROTATION")
    rig.data.bones.active = rig.data.bones["hand.L"]
    rig.inertia.blend_frames = 90.0
    curve = inertia_curves(bpy.data.actions["Walk"])[0]
    curve.keyframe_points[3].co.y += 0.01


def inertia_curves(action: Any) -> Any:
    """The F-curves of an action's first slot."""
    return compat.curves(action, compat.slots(action)[0].identifier)


def find_pairs() -> None:
    """The list of best pairs, and a list of joints."""
    with inside(area_of("VIEW_3D")):
        bpy.ops.inertia.find_meeting(goal="PAIRS")
        bpy.ops.inertia.fill_joints()


def show_costs() -> None:
    """Costs and ghosts, before anything is baked."""
    rig = bpy.data.objects["Mannequin"]
    with inside(area_of("VIEW_3D")):
        bpy.ops.inertia.find_meeting(goal="PAIRS")
    rig.inertia.cut, rig.inertia.destination_frame = CUT, 12.0
    own = bpy.context.scene.inertia_overlay
    own.curves = own.map = own.ghosts = own.tint = own.timelines = True
    bpy.context.scene.frame_set(int(CUT))
    # beside the map and above the curves
    space = area_of("VIEW_3D").spaces.active.region_3d
    space.view_distance = 4.6
    space.view_location += space.view_rotation @ Vector((0.55, -0.35, 0.0))


def show_offsets() -> None:
    """How the foot's offset decays, and what offsets like it cost."""
    rig = bpy.data.objects["Mannequin"]
    rig.data.bones.active = rig.data.bones["foot.L"]
    rig.inertia.use_destination_frame, rig.inertia.destination_frame = True, 12.0
    bpy.context.scene.inertia_overlay.offsets = True


def set_root_motion() -> None:
    """Recorded runs that stop and turn where there are any, else a mannequin that starts and stops."""
    for thing in list(bpy.data.objects):
        bpy.data.objects.remove(thing)
    rig = import_runs() if RUNS[0].is_file() else make_start_and_stop()
    rig.name = "Character"
    rig.data.display_type = "STICK"
    bpy.context.view_layer.objects.active = rig
    rig.select_set(True)
    with inside(area_of("VIEW_3D")):
        bpy.ops.object.mode_set(mode="POSE")
    first, last = rig.animation_data.action.curve_frame_range
    bpy.context.scene.frame_end = int(last)
    bpy.context.scene.frame_set(int(0.64 * first + 0.36 * last))


def import_runs() -> Any:
    """The armature of the first recording, which can play the others too."""
    for path in reversed(RUNS):
        with inside(area_of("VIEW_3D")):
            bpy.ops.import_anim.bvh(filepath=str(path), global_scale=0.01, update_scene_fps=True)
    rig = bpy.context.object
    for other in [thing for thing in bpy.data.objects if thing is not rig]:
        bpy.data.objects.remove(other)
    return rig


def make_start_and_stop() -> Any:
    """The mannequin walks, and its root speeds up, turns and stops like springs."""
    scene = bpy.context.scene
    scene.render.fps = character.FPS
    rig = character.build_mannequin(scene).rig
    action = bpy.data.actions["Walk"].copy()
    action.name = "Start and Stop"
    compat.assign(rig, action, compat.slots(action)[0].identifier)
    root, place = rig.pose.bones["root"], Vector()
    root.rotation_mode = "XYZ"
    for curve in list(inertia_curves(action)):
        if curve.data_path.startswith('pose.bones["root"]'):
            inertia_curves(action).remove(curve)
    for frame in range(1, 5 * character.FPS + 1):
        t = frame / character.FPS
        y = half_life.frequency(0.25)
        speed = 1.5 * (half_life.response(t - 1.0, y) - half_life.response(t - 3.6, y))
        root.rotation_euler = (0.0, 0.0, 1.4 * half_life.response(t - 2.2, y))
        place += Euler(root.rotation_euler).to_matrix() @ Vector((0.0, -float(speed), 0.0)) / character.FPS
        root.location = place
        root.keyframe_insert("location", frame=frame)
        root.keyframe_insert("rotation_euler", frame=frame)
    return rig


def show_root_motion() -> None:
    """The plots of root motion, and how often each speed occurs in all recordings."""
    rig, own = bpy.context.object, bpy.context.scene.inertia_overlay
    rig.inertia_root.scope, rig.inertia_root.action = "ALL", rig.animation_data.action
    own.root_motion = own.root_histogram = own.root_springs = own.root_timelines = True
    with inside(area_of("VIEW_3D")):
        bpy.ops.inertia.measure_actions()
        bpy.ops.view3d.view_axis(type="LEFT")
    space = area_of("VIEW_3D").spaces.active.region_3d
    space.view_perspective = "PERSP"
    middle = sum((bone.head for bone in rig.pose.bones), Vector()) / len(rig.pose.bones)
    space.view_location = rig.matrix_world @ middle
    space.view_distance = 5.9
    space.view_rotation = Euler((1.32, 0.0, 0.7)).to_quaternion()
    # beside the histogram and above the plots
    space.view_location += space.view_rotation @ Vector((-0.75, -0.75, 0.0))
    with inside(area_of("DOPESHEET_EDITOR")):
        bpy.ops.action.view_all()


def set_feet() -> None:
    """A recorded walk where there is one, else a made-up one, looked at from the side of its footprints."""
    from tests.blender import stepper

    for thing in list(bpy.data.objects):
        bpy.data.objects.remove(thing)
    if WALK.is_file():
        with inside(area_of("VIEW_3D")):
            bpy.ops.import_anim.bvh(filepath=str(WALK), global_scale=0.01, update_scene_fps=True)
        rig = bpy.context.object
    else:
        rig = stepper.biped()
        compat.assign(rig, stepper.walk(rig), f"OB{rig.name}")
    rig.name = "Character"
    rig.data.display_type = "STICK"
    bpy.context.view_layer.objects.active = rig
    rig.select_set(True)
    with inside(area_of("VIEW_3D")):
        bpy.ops.object.mode_set(mode="POSE")
    first, last = rig.animation_data.action.curve_frame_range
    bpy.context.scene.frame_end = int(last)
    bpy.context.scene.frame_set(int(0.5 * (first + last)))


def frame_character(rig: Any) -> None:
    """Look at a character from its front left and above, beside the sidebar."""
    space = area_of("VIEW_3D").spaces.active.region_3d
    space.view_perspective = "PERSP"
    middle = sum((bone.head for bone in rig.pose.bones), Vector()) / len(rig.pose.bones)
    space.view_location = rig.matrix_world @ middle
    space.view_distance = 4.2
    space.view_rotation = Euler((1.05, 0.0, 0.7)).to_quaternion()
    space.view_location += space.view_rotation @ Vector((0.45, -0.25, 0.0))


def spoil_take() -> None:
    """The walk as it may come from a phone: a bind pose stands in front, an arm twice flies aside for a
    frame, and the body lags behind its steps, so that feet skate."""
    curves = list(inertia_curves(bpy.context.object.animation_data.action))
    values = {curve: np.array([point.co[1] for point in curve.keyframe_points]) for curve in curves}
    along = max((curve for curve in curves if "location" in curve.data_path), key=lambda c: np.ptp(values[c]))
    for curve, wrong in values.items():
        if "lhumerus" in curve.data_path and curve.array_index == 0:
            wrong[[int(0.4 * len(wrong)), int(0.7 * len(wrong))]] += 0.6
        if curve == along:
            wrong -= 0.2 * (wrong - wrong[0])
        held = len(wrong) // 9
        wrong[:held] = 0.0 if "rotation" in curve.data_path else wrong[held]
        for point, value in zip(curve.keyframe_points, wrong, strict=True):
            point.co.y = value
        curve.update()


def show_finish() -> None:
    """What is found in the take, in a list: one is looked at, and one stays as it is."""
    rig = bpy.context.object
    with inside(area_of("VIEW_3D")):
        bpy.ops.inertia.find_faults("EXEC_DEFAULT")
    take = rig.inertia_finish
    pops = [i for i, item in enumerate(take.found) if item.kind == "POP"]
    take.active = pops[0] if pops else 0
    take.found[-1].chosen = False
    frame_character(rig)


def set_locked() -> None:
    """Two mannequins fall from a run into a walk, the second one with its feet locked."""
    scene = bpy.context.scene
    for thing in list(bpy.data.objects):
        bpy.data.objects.remove(thing)
    scene.render.fps = character.FPS
    for feet, label, more, place in (("OFF", "Off", "", 0.75), ("LOCK", "Lock", ".001", -0.75)):
        rig = character.build_mannequin(scene).rig
        settings = TransitionSettings("Run" + more, "Walk" + more, 18.0, 13.0, feet=feet)
        transitions.bake_transition(rig, settings)
        rig.location.y += place
        rig.hide_set(True)
        draw_leg(rig, range(25, 42))
        scene.frame_set(34)
        say(f"Feet: {label}", rig)


def draw_leg(rig: Any, shown: range) -> None:
    """The right leg of a character on each frame, with a ball where that of its foot is, beside it."""
    material = bpy.data.materials.new("Leg")
    material.diffuse_color = (1.0, 0.35, 0.05, 1.0)
    for frame in shown:
        bpy.context.scene.frame_set(frame)
        bones = [rig.pose.bones[name + ".R"] for name in ("thigh", "shin", "foot", "toe")]
        places = [rig.matrix_world @ bone.head + Vector((-0.6, 0.0, 0.0)) for bone in bones]
        data = bpy.data.curves.new("Leg", "CURVE")
        data.dimensions, data.bevel_depth = "3D", 0.003
        line = data.splines.new("POLY")
        line.points.add(len(places) - 1)
        for point, place in zip(line.points, places, strict=True):
            point.co = (*place, 1.0)
        data.materials.append(material)
        bpy.context.collection.objects.link(bpy.data.objects.new("Leg", data))
        with inside(area_of("VIEW_3D")):
            bpy.ops.mesh.primitive_uv_sphere_add(radius=0.013, location=places[-1])
        bpy.context.object.data.materials.append(material)


def say(text: str, rig: Any) -> None:
    """Words below a character."""
    data = bpy.data.curves.new(text, "FONT")
    data.body, data.size, data.align_x = text, 0.11, "CENTER"
    words = bpy.data.objects.new(text, data)
    bpy.context.collection.objects.link(words)
    words.location = rig.matrix_world @ rig.pose.bones["hips"].head
    words.location.z = -0.2
    words.rotation_euler = (1.5708, 0.0, -1.5708)


def show_locked() -> None:
    """Both from their side."""
    area = area_of("VIEW_3D")
    shown = area.spaces.active
    shown.show_region_toolbar = shown.show_gizmo = False
    for name in ("extras", "outline_selected", "object_origins", "text", "cursor"):
        setattr(shown.overlay, f"show_{name}", False)
    with inside(area):
        bpy.ops.object.select_all(action="DESELECT")
        bpy.ops.view3d.view_axis(type="LEFT")
    words = [thing.location for thing in bpy.data.objects if thing.type == "FONT"]
    space = shown.region_3d
    space.view_location = (0.0, sum(place.y for place in words) / 2.0, 0.68)
    space.view_distance = 3.0


def set_ground() -> None:
    """The mannequin walks up stairs of which its clip knows nothing."""
    set_scene()
    play_source()
    places, faces = [(x, 1.5, 0.0) for x in (-0.7, 0.7)], []
    for step in range(16):
        for up in (step, step + 1):
            places += [(x, -0.4 - 0.4 * step, 0.13 * up) for x in (-0.7, 0.7)]
    for i in range(0, len(places) - 2, 2):
        faces.append((i, i + 1, i + 3, i + 2))
    data = bpy.data.meshes.new("Stairs")
    data.from_pydata(places, [], faces)
    bpy.context.collection.objects.link(bpy.data.objects.new("Stairs", data))
    own = bpy.data.objects["Mannequin"].inertia_feet
    own.ground, own.ground_object = "OBJECT", "Stairs"
    with inside(area_of("VIEW_3D")):
        bpy.ops.inertia.lock_feet(ground=own.ground, ground_object=own.ground_object)
    bpy.context.scene.frame_set(60)


def show_ground() -> None:
    """The character on the stairs, from its front left, with its footprints."""
    frame_view()
    bpy.context.scene.inertia_overlay.footprints = True
    space = area_of("VIEW_3D").spaces.active.region_3d
    space.view_distance = 4.2
    space.view_location += space.view_rotation @ Vector((0.5, -0.3, 0.0))


def show_hops() -> None:
    """Hops from Run to Idle, found, with one baked, in the middle of it."""
    rig = bpy.data.objects["Mannequin"]
    own, hops = rig.inertia, rig.inertia_hops
    own.source, own.destination = bpy.data.actions["Run"], bpy.data.actions["Idle"]
    own.cut = 24.0
    hops.choose_clips = True
    for name in ("Walk", "Turn"):
        item = hops.clips.add()
        item.action, item.cyclic = bpy.data.actions[name], name == "Walk"
    bpy.context.scene.inertia_overlay.hops = True
    with inside(area_of("VIEW_3D")):
        bpy.ops.inertia.find_hops("EXEC_DEFAULT", every=True)
        bpy.ops.inertia.bake_hop()
    bpy.context.scene.frame_set(38)


def set_path() -> None:
    """A character with recorded runs, where there are some, and a curve to follow."""
    for thing in list(bpy.data.objects):
        bpy.data.objects.remove(thing)
    if all(path.is_file() for path in ALONG):
        for path in ALONG:
            with inside(area_of("VIEW_3D")):
                bpy.ops.import_anim.bvh(filepath=str(path), global_scale=0.01, update_scene_fps=True)
            action = bpy.context.object.animation_data.action
            action.name, action.use_fake_user = path.stem.split("_", 2)[2].replace("_", " "), True
        rig, size = bpy.context.object, 2.0
    else:
        from tests.blender import wanderer

        rig, size = wanderer.with_clips(), 0.5
    for other in [thing for thing in bpy.data.objects if thing is not rig]:
        bpy.data.objects.remove(other)
    rig.name = "Character"
    rig.data.display_type = "STICK"
    own = rig.inertia_path
    own.followed, own.mirror, own.faithful = draw_street(size), True, 0.35
    bpy.context.view_layer.objects.active = rig
    rig.select_set(True)
    with inside(area_of("VIEW_3D")):
        bpy.ops.object.mode_set(mode="POSE")


def draw_street(size: float) -> Any:
    """A curve that bends to the left, then to the right; size: metres, of a half of it."""
    shape = bpy.data.curves.new("Street", "CURVE")
    shape.dimensions = "3D"
    spline = shape.splines.new("BEZIER")
    corners = ((0.0, 0.0), (2.0, 1.5), (4.5, -1.0), (7.0, 0.8))
    spline.bezier_points.add(len(corners) - 1)
    for point, (x, y) in zip(spline.bezier_points, corners, strict=True):
        point.co = (x * size, y * size, 0.0)
        point.handle_left_type = point.handle_right_type = "AUTO"
    street = bpy.data.objects.new("Street", shape)
    bpy.context.collection.objects.link(street)
    return street


def show_path() -> None:
    """The path, found and baked, seen from above, with one of its joins."""
    rig = bpy.context.object
    bpy.context.scene.inertia_overlay.path = True
    with inside(area_of("VIEW_3D")):
        bpy.ops.inertia.bake_path("EXEC_DEFAULT")
        bpy.ops.inertia.choose_join(index=2)
    first, last = rig.animation_data.action.frame_range
    bpy.context.scene.frame_set(int(first + 0.55 * (last - first)))
    frame_path(0.95)


def set_goals() -> None:
    """The same, with a place to be at on a frame, and one to wait at."""
    set_path()
    rig, scene = bpy.context.object, bpy.context.scene
    line = followed.find_course_of_curve(rig.inertia_path.followed).points
    with inside(area_of("VIEW_3D")):
        for seconds, part in ((1.6, 0.25), (4.8, 0.65), (6.8, 0.65)):
            scene.frame_set(1 + round(seconds * scene.render.fps / scene.render.fps_base))
            scene.cursor.location = (*line[int(part * len(line))], 0.0)
            bpy.ops.inertia.set_goal()
    goal = rig.inertia_path.goals[1]
    goal.use_facing, goal.facing = True, 0.8


def set_posts() -> None:
    """The same with obstacles on the curve, and the panel's field for them."""
    set_path()
    rig = bpy.context.object
    posts = bpy.data.collections.new("Posts")
    bpy.context.scene.collection.children.link(posts)
    with inside(area_of("VIEW_3D")):
        bpy.ops.object.mode_set(mode="OBJECT")
        line = followed.find_course_of_curve(rig.inertia_path.followed).points
        for part, radius, corners in ((0.3, 0.5, 4), (0.55, 0.8, 24), (0.8, 0.4, 6)):
            x, y = line[int(part * len(line))]
            bpy.ops.mesh.primitive_cylinder_add(
                vertices=corners, radius=radius, depth=0.3, location=(x, y, 0.15)
            )
            post = bpy.context.object
            bpy.context.collection.objects.unlink(post)
            posts.objects.link(post)
            post.select_set(False)
        bpy.context.view_layer.objects.active = rig
        rig.select_set(True)
        bpy.ops.object.mode_set(mode="POSE")
    rig.inertia_path.obstacles = posts.name


def frame_path(distance: float = 1.0) -> None:
    """Look at the whole path from its side, beside the sidebar."""
    street = bpy.data.objects["Street"]
    space = area_of("VIEW_3D").spaces.active.region_3d
    space.view_perspective = "PERSP"
    box = [street.matrix_world @ Vector(corner) for corner in street.bound_box]
    across = (box[0] - box[6]).length
    space.view_location = sum(box, Vector()) / len(box)
    space.view_distance = distance * across
    space.view_rotation = Euler((0.95, 0.0, 0.35)).to_quaternion()
    space.view_location += space.view_rotation @ Vector((0.09 * across, 0.02 * across, 0.0))


def show_gap() -> None:
    """What leads from a run to one to the left, found and not baked."""
    rig = bpy.context.object
    bpy.data.objects.remove(bpy.data.objects["Street"])
    names = [action.name for action in bpy.data.actions]
    first, second = ("run", "run left") if "run left" in names else ("Walk", "Turn")
    source, destination = bpy.data.actions[first], bpy.data.actions[second]
    rig.animation_data.action = source
    own, gap = rig.inertia, rig.inertia_fill
    own.source, own.destination = source, destination
    start, end = source.frame_range
    fps = bpy.context.scene.render.fps
    own.cut, own.use_destination_frame = round(0.5 * (start + end)), True
    own.destination_frame = round(sum(destination.frame_range) / 2.0)
    places = []
    for frame in (own.cut - 5, own.cut):
        bpy.context.scene.frame_set(int(frame))
        places.append(Vector((rig.matrix_world @ rig.pose.bones[0].head)[:2]))
    goes = (places[1] - places[0]) * (1.2 * fps / 5.0)
    # it is arrived at further to the left than the run would come by itself
    goes.rotate(Matrix.Rotation(0.3, 2))
    gap.gap_frames, gap.mirror, gap.use_place = 1.2 * fps, True, True
    gap.place, gap.facing = places[1] + goes, math.atan2(goes.y, goes.x) + 0.3
    bpy.context.scene.inertia_overlay.fill = True
    with inside(area_of("VIEW_3D")):
        bpy.ops.inertia.find_fill("EXEC_DEFAULT")
        seen = finding.recall_fills(rig)
        if isinstance(seen, finding.Refused) and seen.nearest_frames is not None:
            gap.gap_frames = seen.nearest_frames
            bpy.ops.inertia.find_fill("EXEC_DEFAULT")
    fills = finding.recall_fills(rig)
    assert isinstance(fills, tuple)
    way = fills[0].way
    middle, across = way.mean(axis=0), float(np.ptp(way, axis=0).max())
    space = area_of("VIEW_3D").spaces.active.region_3d
    space.view_perspective = "PERSP"
    space.view_rotation = Euler((1.1, 0.0, 0.6)).to_quaternion()
    space.view_distance = 1.9 * max(across, 2.0)
    space.view_location = Vector((*middle[:2], 0.8))
    space.view_location += space.view_rotation @ Vector((0.2 * across, 0.0, 0.0))


def show_wishes() -> None:
    """A gap in a walk that passes a waypoint, and in which a hand touches a point, found and not baked."""
    for thing in list(bpy.data.objects):
        bpy.data.objects.remove(thing)
    rig = character.build_mannequin(bpy.context.scene).rig
    bpy.context.view_layer.objects.active = rig
    rig.select_set(True)
    walk = bpy.data.actions["Walk"]
    rig.animation_data.action = walk
    own, gap = rig.inertia, rig.inertia_fill
    own.source = own.destination = walk
    own.cut, own.use_destination_frame, own.destination_frame, gap.gap_frames = 24, True, 84.0, 60.0
    bpy.context.scene.inertia_overlay.fill = True
    bpy.context.scene.frame_set(24)
    with inside(area_of("VIEW_3D")):
        bpy.ops.inertia.find_fill("EXEC_DEFAULT")
    fills = finding.recall_fills(rig)
    assert isinstance(fills, tuple)
    view = fills[0]
    passed, at = len(view.way) // 3, 2 * len(view.moments) // 3
    hand = next(name for name in view.joints if "hand" in name)
    place = view.way[passed] + np.array((0.25, 0.0, 0.0))
    point = view.points[at, view.joints.index(hand)] + np.array((0.0, 0.0, 0.3))
    drag_wish.put_wish(rig, drag_wish.WishGrip(float(view.frames[passed]), "", (0.0, 0.0, 0.0)), place)
    drag_wish.put_wish(rig, drag_wish.WishGrip(float(view.moments[at]), hand, (0.0, 0.0, 0.0)), point)
    with inside(area_of("VIEW_3D")):
        bpy.ops.inertia.find_fill("EXEC_DEFAULT")
    assert isinstance(finding.recall_fills(rig), tuple)
    space = area_of("VIEW_3D").spaces.active.region_3d
    space.view_perspective, space.view_distance = "PERSP", 5.0
    space.view_rotation = Euler((1.15, 0.0, 0.9)).to_quaternion()
    space.view_location = Vector((*view.way.mean(axis=0)[:2], 0.8))
    space.view_location += space.view_rotation @ Vector((0.7, 0.0, 0.0))


def start_a_take() -> None:
    """Begin to steer a character through the runs, with the view behind it."""
    rig = bpy.context.object
    bpy.data.objects.remove(bpy.data.objects["Street"])
    rig.inertia_steer.walk, rig.inertia_steer.follow = 3.0, True
    space = area_of("VIEW_3D").spaces.active.region_3d
    space.view_perspective = "PERSP"
    space.view_location, space.view_distance = rig.location.to_tuple(), 8.0
    space.view_rotation = Euler((1.0, 0.0, 0.0)).to_quaternion()
    setattr(steer_operators, "time", types.SimpleNamespace(perf_counter=lambda: clock[0]))  # noqa: B010 (the type checker knows it otherwise)
    with inside(area_of("VIEW_3D")):
        bpy.ops.inertia.steer("INVOKE_DEFAULT")


def press(kind: str, value: str = "PRESS") -> Callable[[], None]:
    """A step that presses a key over the 3D View, or lets it go."""

    def step() -> None:
        area = area_of("VIEW_3D")
        x, y = area.x + area.width // 3, area.y + area.height // 2
        window = bpy.context.window_manager.windows[0]
        window.event_simulate(type="MOUSEMOVE", value="NOTHING", x=x, y=y)
        window.event_simulate(type=kind, value=value, x=x, y=y)

    return step


def film(seconds: float, caption: str) -> Callable[[], bool]:
    """A step that takes frames while it is steered, six a second, until it was for so long."""

    def step() -> bool:
        own = steered.find_running()
        if own is None or own.session.seconds >= seconds:
            return False
        show_frame(caption, 2, wait)
        clock[0] += 1.0 / 6.0
        return True

    return step


clock = [0.0]
"""The seconds that the one who steers goes by in a film: taking its frames takes longer than they last."""


def is_steered() -> bool:
    """Whether it is not steered yet."""
    return steered.find_running() is None


def is_kept() -> bool:
    """Whether the take is still on its way into the file."""
    return steered.find_running() is not None or bpy.context.object.animation_data.action is None


def play_take() -> None:
    """The take that was kept, from its beginning to its end."""
    rig = bpy.context.object
    first, last = rig.animation_data.action.frame_range
    caption = "Enter keeps it: an action like any other"
    show_frame(caption, 18, wait)
    space = area_of("VIEW_3D").spaces.active.region_3d
    for frame in range(int(first), int(last) + 1, max(2, round((last - first) / 24))):
        bpy.context.scene.frame_set(frame)
        space.view_location = (rig.matrix_world @ rig.pose.bones[0].head).to_tuple()
        show_frame(caption, 2, wait)


def wait() -> None:
    """Let the window draw once more."""


def start_to_follow() -> None:
    """The character at rest at the path's beginning."""
    rig = bpy.context.object
    bpy.context.scene.inertia_overlay.path = False
    rig.inertia.feet = "AUTO"
    frame_path()
    bpy.context.scene.frame_set(1)
    show_frame("A character with ten recorded runs, and a curve that was drawn", 24, wait)


def find_the_path() -> None:
    """The way that is found."""
    bpy.context.scene.inertia_overlay.path = True
    with inside(area_of("VIEW_3D")):
        bpy.ops.inertia.find_path("EXEC_DEFAULT")


def drag_the_slider() -> None:
    """From the path to the clips, and back."""
    show_frame("1. Find Path: the curve shows how far off the character will be", 26, wait)
    for faithful in (0.6, 0.85, 1.0, 0.7, 0.4):
        bpy.context.object.inertia_path.faithful = faithful
        with inside(area_of("VIEW_3D")):
            bpy.ops.inertia.find_path("EXEC_DEFAULT")
        show_frame(f"2. From the path to the clips: {faithful:g}", 10, wait)


def pin_a_jump() -> None:
    """A jump at a place of the path."""
    rig = bpy.context.object
    jump = next((action for action in bpy.data.actions if "jump" in action.name), bpy.data.actions[0])
    pin = rig.inertia_path.pins.add()
    first, last = jump.frame_range
    pin.action, pin.frame = jump, round(first + 0.4 * (last - first))
    pin.at = 0.45 * bpy.data.objects["Street"].data.splines[0].calc_length()
    with inside(area_of("VIEW_3D")):
        bpy.ops.inertia.find_path("EXEC_DEFAULT")
    show_frame("3. A jump is pinned to a place; the rest is searched around it", 26, wait)
    with inside(area_of("VIEW_3D")):
        bpy.ops.inertia.bake_path("EXEC_DEFAULT")


def play_along() -> None:
    """The result, from its beginning to its end."""
    first, last = bpy.context.object.animation_data.action.frame_range
    show_frame("4. Bake, and play", 12, wait)
    step = max(2, round((last - first) / 28))
    for frame in range(int(first), int(last) + 1, step):
        bpy.context.scene.frame_set(frame)
        show_frame("4. Bake, and play", 2, wait)


def learn() -> None:
    """A model of the character's actions, trained for a minute, unless INERTIA_MODEL names one."""
    bpy.context.object.data.name = bpy.context.object.name
    with inside(area_of("VIEW_3D")):
        bpy.ops.wm.save_as_mainfile(filepath=str(Path(PICTURE).with_name("runner.blend")))
    rig = bpy.context.object
    own, named = rig.inertia_learned, os.environ.get("INERTIA_MODEL", "")
    own.model = "//runner.npz"
    if Path(named).is_file():
        shutil.copy(named, bpy.path.abspath(own.model))
        return
    own.licence, own.minutes, own.hidden = "CMU, free for all uses", 1.0, 128
    with inside(area_of("VIEW_3D")):
        bpy.ops.inertia.train_model("EXEC_DEFAULT")
    job = training.find_running(rig)
    while job is not None and not job.is_over:
        job.go_on(1.0)


def show_model() -> None:
    """How its losses fell, and the character that follows the path with it."""
    rig = bpy.context.object
    bpy.context.scene.inertia_overlay.losses = True
    for action in [action for action in bpy.data.actions if "jump" in action.name and action.users]:
        # what is to be a runner has not learned it
        bpy.data.actions.remove(action)
    with inside(area_of("VIEW_3D")):
        bpy.ops.inertia.bake_model("EXEC_DEFAULT")
        bpy.ops.inertia.check_model("EXEC_DEFAULT")
    first, last = rig.animation_data.action.frame_range
    bpy.context.scene.frame_set(int(first + 0.45 * (last - first)))
    frame_path(0.8)


def set_crowd() -> None:
    """Twenty of the character, each with a curve of its own, on four rings around a place."""
    rig, size = bpy.context.object, 1.0 if ALONG[0].is_file() else 0.25
    bpy.data.objects.remove(bpy.data.objects["Street"])
    with inside(area_of("VIEW_3D")):
        bpy.ops.object.mode_set(mode="OBJECT")
    rig.animation_data_clear()
    body = body_of(rig)
    for k in range(20):
        one = rig if k == 0 else rig.copy()
        if k:
            bpy.context.collection.objects.link(one)
        ring, place = k % 4, k // 4
        turn = 2.0 * math.pi * (place + 0.27 * ring) / 5.0
        one.inertia_path.followed = draw_arc(size * (2.6 + 1.3 * ring), turn, 9.0 * size)
        one.inertia.feet = "OFF"
        clothed = bpy.data.objects.new("Body", body)
        bpy.context.collection.objects.link(clothed)
        clothed.color = (*colorsys.hsv_to_rgb((0.55 + 0.618 * k) % 1.0, 0.55, 0.85), 1.0)
        for bone in rig.data.bones:
            clothed.vertex_groups.new(name=bone.name)
        clothed.modifiers.new("Armature", "ARMATURE").object = one
        one.select_set(True)
    bpy.context.view_layer.objects.active = rig
    bpy.context.view_layer.update()


def draw_arc(radius: float, begin: float, length: float) -> Any:
    """A curve on a circle around the origin; begin: radians."""
    shape = bpy.data.curves.new("Way", "CURVE")
    shape.dimensions = "3D"
    spline = shape.splines.new("POLY")
    spline.points.add(40)
    for i, point in enumerate(spline.points):
        angle = begin + length / radius * i / 40.0
        point.co = (radius * math.cos(angle), radius * math.sin(angle), 0.0, 1.0)
    way = bpy.data.objects.new("Way", shape)
    bpy.context.collection.objects.link(way)
    return way


def body_of(rig: Any) -> Any:
    """A mesh with a box for each bone."""
    places, faces, owners = [], [], []
    heights = [end.z for bone in rig.data.bones for end in (bone.head_local, bone.tail_local)]
    tall = max(heights) - min(heights)
    scale = rig.matrix_world.to_scale().x
    for index, bone in enumerate(rig.data.bones):
        if not 0.02 * tall < bone.length < 0.6 * tall:
            continue
        wide = min(0.2 * bone.length, 0.035 * tall) + 0.008 * tall
        across = bone.matrix_local.to_3x3()
        for part, middle in (
            (0.6, bone.head_local),
            (1.0, bone.head_local.lerp(bone.tail_local, 0.3)),
            (0.5, bone.tail_local),
        ):
            for x, z in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
                places.append((middle + across @ Vector((x * wide * part, 0.0, z * wide * part))) * scale)
                owners.append(index)
        start = len(places) - 12
        for low in (start, start + 4):
            faces += [(low + i, low + (i + 1) % 4, low + 4 + (i + 1) % 4, low + 4 + i) for i in range(4)]
        faces += [(start + 3, start + 2, start + 1, start), (start + 8, start + 9, start + 10, start + 11)]
    data = bpy.data.meshes.new("Body")
    data.from_pydata(places, [], faces)
    thing = bpy.data.objects.new("Groups", data)
    for bone in rig.data.bones:
        thing.vertex_groups.new(name=bone.name)
    for i, owner in enumerate(owners):
        thing.vertex_groups[owner].add([i], 1.0, "REPLACE")
    bpy.data.objects.remove(thing)
    return data


def show_crowd() -> None:
    """All of them on their ways."""
    with inside(area_of("VIEW_3D")):
        bpy.ops.inertia.bake_crowd("EXEC_DEFAULT")
    first, last = bpy.context.object.animation_data.action.frame_range
    bpy.context.scene.frame_set(int(first + 0.5 * (last - first)))
    view = area_of("VIEW_3D").spaces.active
    view.shading.color_type = "OBJECT"
    view.overlay.show_bones = view.overlay.show_outline_selected = view.overlay.show_object_origins = False
    view.show_gizmo = False
    size = 1.0 if ALONG[0].is_file() else 0.25
    view.region_3d.view_perspective = "PERSP"
    view.overlay.show_floor = view.overlay.show_axis_x = view.overlay.show_axis_y = False
    view.region_3d.view_distance = 14.5 * size
    view.region_3d.view_rotation = Euler((1.08, 0.0, 0.5)).to_quaternion()
    view.region_3d.view_location = view.region_3d.view_rotation @ Vector((1.5 * size, 0.2 * size, 0.0))


def show_travel() -> None:
    """The walk in place, which was given travel again, half on its way."""
    rig = bpy.data.objects["Mannequin"]
    with inside(area_of("VIEW_3D")):
        bpy.ops.inertia.in_place("EXEC_DEFAULT")
        bpy.ops.inertia.travel("EXEC_DEFAULT")
    first, last = rig.animation_data.action.frame_range
    bpy.context.scene.frame_set(round(0.5 * (first + last)))


def show_way() -> None:
    """The walk in place, and the way that it would go."""
    with inside(area_of("VIEW_3D")):
        bpy.ops.inertia.in_place("EXEC_DEFAULT")
    bpy.context.scene.inertia_overlay.travel = True
    frame_view()
    space = area_of("VIEW_3D").spaces.active.region_3d
    space.view_location.y -= 1.1
    space.view_distance = 7.0
    space.view_rotation = Euler((1.1, 0.0, 0.95)).to_quaternion()


def show_root() -> None:
    """The walk on its hips, whose travel is put back on the root bone, with the ways of both from above."""
    with inside(area_of("VIEW_3D")):
        rig = bpy.data.objects["Mannequin"]
        rig.inertia_travel.on = "HIPS"
        bpy.ops.inertia.travel("EXEC_DEFAULT")
        rig.inertia_travel.on = "ROOT"
        bpy.ops.inertia.travel("EXEC_DEFAULT")
        first, last = rig.animation_data.action.frame_range
        bpy.ops.object.mode_set(mode="POSE")
        for bone in rig.pose.bones:
            compat.select_bone(bone, state=bone.name in ("root", "hips"))
        rig.pose.animation_visualization.motion_path.frame_start = int(first)
        rig.pose.animation_visualization.motion_path.frame_end = int(last)
        rig.pose.animation_visualization.motion_path.show_frame_numbers = False
        bpy.ops.pose.paths_calculate(range="MANUAL")
        rig.show_in_front = True
    bpy.context.scene.frame_set(round(0.5 * (first + last)))
    frame_view()
    space = area_of("VIEW_3D").spaces.active.region_3d
    space.view_location.z = 0.3
    space.view_rotation = Euler((0.9, 0.0, 0.95)).to_quaternion()
    space.view_distance = 5.0


def set_control_rig() -> None:
    """Rigify's human with two clips of its controls: one reaches by IK, the other shows FK."""
    import addon_utils  # Blender's own, which it puts where Python finds it

    from tests.blender.control_clips import Look, animate

    for thing in list(bpy.data.objects):
        bpy.data.objects.remove(thing)
    addon_utils.enable("rigify", default_set=True)
    with inside(area_of("VIEW_3D")):
        bpy.ops.object.armature_human_metarig_add()
        metarig = bpy.context.object
        bpy.ops.pose.rigify_generate()
        rig = bpy.context.object
        bpy.data.objects.remove(metarig)
        rig.name = "Human"
        destination = animate(rig, "Stroll", Look(fk=True), is_source=False)
        source = animate(rig, "Walk", Look(), is_source=True)
        bpy.ops.object.mode_set(mode="POSE")
    rig.inertia.source, rig.inertia.destination = source, destination
    bpy.context.scene.frame_end = 60


def bake_controls() -> None:
    """The best pair of what Blender has played, baked, in the middle of it; the list of limbs is filled."""
    rig = bpy.data.objects["Human"]
    with inside(area_of("VIEW_3D")):
        bpy.ops.inertia.evaluate_clips()
        bpy.ops.inertia.find_meeting(goal="PAIR")
        bpy.ops.inertia.bake_transition()
        bpy.ops.inertia.find_limbs()
    bpy.context.scene.inertia_overlay.curves = True
    bpy.context.scene.frame_set(int(rig.inertia.cut) + 4)


def frame_control_rig() -> None:
    """Look at the human from its front left, beside the sidebar and above the curves."""
    rig, space = bpy.data.objects["Human"], area_of("VIEW_3D").spaces.active.region_3d
    space.view_perspective = "PERSP"
    space.view_distance = 3.6
    space.view_rotation = Euler((1.38, 0.0, 0.7)).to_quaternion()
    place = rig.matrix_world @ rig.pose.bones["torso"].matrix.to_translation()
    space.view_location = place + space.view_rotation @ Vector((0.3, -0.25, 0.0))


def set_strips() -> None:
    """The transition from Walk to Run once more, of two strips and as strips, in the middle of it."""
    rig = bpy.data.objects["Mannequin"]
    animation = rig.animation_data
    compat.assign(rig, None)
    bpy.data.actions.remove(bpy.data.actions["Walk to Run"])
    for name, start in (("Walk", 1), ("Run", int(CUT))):
        action = bpy.data.actions[name]
        track = animation.nla_tracks.new()
        track.name = "Blocking" if name == "Walk" else "Blocking 2"
        strip = track.strips.new(name, start, action)
        if compat.has_slots():
            strip.action_slot = action.slots[0]
        strip.select = True
    rig.inertia.strips = True
    with inside(area_of("VIEW_3D")):
        bpy.ops.inertia.bake_transition(from_strips=True)
        bpy.ops.object.mode_set(mode="OBJECT")
    bpy.context.scene.frame_set(int(CUT) + 4)


def make_nla_editor() -> None:
    """An NLA Editor below, with its sidebar."""
    with inside(area_of("VIEW_3D")):
        bpy.ops.screen.area_split(direction="HORIZONTAL", factor=0.5)
    low = min((area for area in areas() if area.type == "VIEW_3D"), key=lambda area: area.y)
    low.type = "NLA_EDITOR"
    low.spaces.active.show_region_ui = True


def frame_strips() -> None:
    """Look at the mannequin, and at all strips, beside the Inertia tab."""
    frame_view()
    space = area_of("VIEW_3D").spaces.active.region_3d
    space.view_distance = 6.0
    space.view_location.z -= 0.12
    area = area_of("NLA_EDITOR")
    region_of(area, "UI").active_panel_category = "Inertia"
    with inside(area):
        bpy.ops.nla.view_all()


def play_source() -> None:
    """The walk plays, as before a bake."""
    rig = bpy.data.objects["Mannequin"]
    compat.assign(rig, bpy.data.actions["Walk"], compat.slots(bpy.data.actions["Walk"])[0].identifier)


def open_only(name: str) -> None:
    """Only one panel is open, beside or below the first."""
    for panel in panels.CLASSES:
        is_meant = panel.__name__.endswith(f"_{name}")
        if is_meant or hasattr(panel, "bl_parent_id"):
            start_open(panel, is_open=is_meant)


def start_open(panel: Any, *, is_open: bool) -> None:
    """Whether a panel, which is not registered yet, is open when it is first drawn."""
    if "HIDE_HEADER" not in panel.bl_options:
        panel.bl_options = set() if is_open else {"DEFAULT_CLOSED"}


def close_details() -> None:
    """The panel on cost is open, too, so that it can be seen."""
    for panel in panels.CLASSES:
        if panel.__name__.endswith("_look"):
            start_open(panel, is_open=True)


def start_work() -> None:
    """As a file is opened: a walk is assigned, and nothing of Inertia is chosen."""
    rig = bpy.data.objects["Mannequin"]
    bpy.data.actions.remove(bpy.data.actions[rig.animation_data.action.name])
    play_source()
    for name in ("source", "destination", "cut", "use_destination_frame", "destination_frame"):
        rig.inertia.property_unset(name)
    bpy.context.scene.timeline_markers.clear()
    bpy.context.scene.frame_set(1)
    show_frame("An armature with two actions: the walk plays", 20)


def choose_actions() -> None:
    """Both actions in the panel."""
    own = bpy.data.objects["Mannequin"].inertia
    own.source, own.destination = bpy.data.actions["Walk"], bpy.data.actions["Run"]


def show_curves() -> None:
    """What each cut costs."""
    show_frame("1. Pick the source and the destination", 20)
    bpy.context.scene.inertia_overlay.curves = True


def go_to_best_pair() -> None:
    """The cut and the entry that cost least."""
    show_frame("2. See what each cut costs", 24)
    with inside(area_of("VIEW_3D")):
        bpy.ops.inertia.find_meeting(goal="PAIR")


def bake() -> None:
    """The transition, a few frames before its cut."""
    show_frame("3. Go to the best pair of frames", 24)
    rig = bpy.data.objects["Mannequin"]
    with inside(area_of("VIEW_3D")):
        bpy.ops.inertia.bake_transition()
    bpy.context.scene.frame_set(int(rig.inertia.cut) - 14)


def play() -> None:
    """The result from before the cut to behind the blend, every second frame."""
    show_frame("4. Bake, and play", 20)
    cut = int(bpy.data.objects["Mannequin"].inertia.cut)
    for frame in range(cut - 14, cut + 30, 2):
        bpy.context.scene.frame_set(frame)
        what = "the walk" if frame < cut else "from the walk into the run" if frame < cut + 12 else "the run"
        show_frame(f"Frame {frame}: {what}", 1)


def show_frame(caption: str, twelfths: int, look: Callable[[], None] | None = None) -> None:
    """Take one frame of an animated picture. twelfths: of a second that it stays. look: puts the view where
    it shall be; None for one that follows the mannequin."""
    path = Path(PICTURE).with_name(f"frame{len(frames):03}.png")
    window = bpy.context.window_manager.windows[0]
    (look or follow)()
    with inside(area_of("VIEW_3D")):
        bpy.ops.wm.redraw_timer(type="DRAW_WIN_SWAP", iterations=1)
    # the window is at the screen's lower left
    crop = ["-gravity", "southwest", "-crop", f"{window.width}x{window.height}+0+0"]
    subprocess.run(["import", "-window", "root", *crop, str(path)], check=True)
    frames.append((path, caption, twelfths))


def follow() -> None:
    """Look at the mannequin from its front left, wherever it is, beside the sidebar and above the curves."""
    rig, space = bpy.data.objects["Mannequin"], area_of("VIEW_3D").spaces.active.region_3d
    space.view_distance = 4.4
    space.view_rotation = Euler((1.38, 0.0, 0.95)).to_quaternion()
    place = rig.matrix_world @ rig.pose.bones["hips"].head
    place.z = 0.9
    space.view_location = place + space.view_rotation @ Vector((0.35, -0.3, 0.0))


def join_frames() -> None:
    """All frames as one animated picture, each with its words below it."""
    fonts = Path(bpy.utils.system_resource("DATAFILES", path="fonts"))
    command = ["convert", "-loop", "0", "-font", str(fonts / "Inter.woff2")]
    words = ["-background", "#181818", "-splice", "0x40", "-fill", "white", "-pointsize", "20"]
    for path, caption, twelfths in frames:
        own = ["-delay", f"{twelfths}x12", str(path), "+repage", "-gravity", "south", *words]
        command += ["(", *own, "-annotate", "+0+9", caption, ")"]
    small = ["-resize", "75%", "+dither", "-colors", "48", "-layers", "Optimize"]
    subprocess.run([*command, *small, PICTURE], check=True)


def show_mode(mode: str) -> Callable[[], None]:
    """A step that has the tab show the panels of a mode."""

    def step() -> None:
        for workspace in bpy.data.workspaces:
            workspace.inertia_mode = mode

    return step


def take_sidebar() -> bool:
    """Take the sidebar alone, once all that it shows has been seen."""
    if is_judging():
        return True
    path = Path(PICTURE).with_name(f"sidebar{len(frames)}.png")
    window, region = bpy.context.window_manager.windows[0], region_of(area_of("VIEW_3D"), "UI")
    with inside(area_of("VIEW_3D")):
        bpy.ops.wm.redraw_timer(type="DRAW_WIN_SWAP", iterations=1)
    place = f"{region.width}x{region.height}+{region.x}+{window.height - region.y - region.height}"
    whole = ["-gravity", "southwest", "-crop", f"{window.width}x{window.height}+0+0", "+repage"]
    own = ["-gravity", "northwest", "-crop", place, "+repage"]
    subprocess.run(["import", "-window", "root", *whole, *own, str(path)], check=True)
    frames.append((path, "", 0))
    return False


def join_sidebars() -> None:
    """All sidebars beside each other."""
    between = ["-bordercolor", "#101010", "-border", "4x4"]
    subprocess.run(
        ["convert", *(str(path) for path, _, _ in frames), *between, "+append", PICTURE], check=True
    )


def area_of(kind: str) -> Any:
    """The one area of an editor."""
    return next(area for area in areas() if area.type == kind)


def region_of(area: Any, kind: str) -> Any:
    """The region of a kind in an area."""
    return next(region for region in area.regions if region.type == kind)


def take_picture() -> None:
    """The whole window, by ImageMagick where it is there: Blender's own screenshot may come out black."""
    with inside(area_of("VIEW_3D")):
        bpy.ops.wm.redraw_timer(type="DRAW_WIN_SWAP", iterations=1)
    if shutil.which("import"):
        subprocess.run(["import", "-window", "root", PICTURE], check=True)
    else:
        with inside(area_of("VIEW_3D")):
            bpy.ops.screen.screenshot(filepath=PICTURE)


SHOWS_PATH = (close_others, open_sidebar, choose_tab, show_path, wait, wait, take_picture)
"""What is done for a picture of a path that was set."""
STEPS: dict[str, tuple[Callable[[], Any], ...]] = {
    "workflow": (
        set_scene,
        close_others,
        open_sidebar,
        choose_tab,
        frame_view,
        start_work,
        choose_actions,
        show_curves,
        go_to_best_pair,
        bake,
        play,
        join_frames,
    ),
    "cost": (
        set_scene,
        play_source,
        close_others,
        make_dope_sheet,
        open_sidebar,
        choose_tab,
        frame_everything,
        show_costs,
        take_picture,
    ),
    "offsets": (
        set_scene,
        play_source,
        close_others,
        frame_view,
        show_offsets,
        take_picture,
    ),
    "root_motion": (
        set_root_motion,
        close_others,
        make_dope_sheet,
        open_sidebar,
        choose_tab,
        show_root_motion,
        take_picture,
    ),
    "feet_locked": (
        set_locked,
        close_others,
        show_locked,
        take_picture,
    ),
    "feet_ground": (
        set_ground,
        close_others,
        open_sidebar,
        choose_tab,
        show_ground,
        take_picture,
    ),
    "hops": (
        set_scene,
        close_others,
        open_sidebar,
        choose_tab,
        show_hops,
        frame_view,
        take_picture,
    ),
    "fill": (
        set_path,
        close_others,
        open_sidebar,
        choose_tab,
        show_gap,
        wait,
        wait,
        take_picture,
    ),
    "fill_wishes": (
        close_others,
        open_sidebar,
        choose_tab,
        show_wishes,
        wait,
        wait,
        take_picture,
    ),
    "follow": (
        set_path,
        close_others,
        open_sidebar,
        choose_tab,
        start_to_follow,
        find_the_path,
        drag_the_slider,
        pin_a_jump,
        play_along,
        join_frames,
    ),
    "learned": (
        set_path,
        close_others,
        open_sidebar,
        choose_tab,
        learn,
        show_model,
        wait,
        wait,
        take_picture,
    ),
    "crowd": (
        set_path,
        close_others,
        open_sidebar,
        choose_tab,
        learn,
        set_crowd,
        show_crowd,
        wait,
        wait,
        take_picture,
    ),
    "take": (
        set_path,
        close_others,
        open_sidebar,
        choose_tab,
        start_a_take,
        is_steered,
        press("W"),
        film(2.4, "W: straight on"),
        press("A"),
        press("W", "RELEASE"),
        film(4.4, "A: to the left"),
        press("A", "RELEASE"),
        film(6.2, "No key: the clips know how to stop"),
        press("RET"),
        is_kept,
        wait,
        play_take,
        join_frames,
    ),
    "finish": (
        set_feet,
        spoil_take,
        close_others,
        open_sidebar,
        choose_tab,
        show_finish,
        take_picture,
    ),
    "travel": (
        set_scene,
        play_source,
        close_others,
        open_sidebar,
        choose_tab,
        show_travel,
        frame_view,
        take_picture,
    ),
    "travel_root": (
        set_scene,
        play_source,
        close_others,
        open_sidebar,
        choose_tab,
        show_root,
        wait,
        take_picture,
    ),
    "travel_way": (
        set_scene,
        play_source,
        close_others,
        open_sidebar,
        choose_tab,
        show_way,
        wait,
        take_picture,
    ),
    "controls": (
        set_control_rig,
        close_others,
        open_sidebar,
        choose_tab,
        bake_controls,
        frame_control_rig,
        take_picture,
    ),
    "nla": (
        set_scene,
        set_strips,
        close_others,
        make_nla_editor,
        frame_strips,
        take_picture,
    ),
    "modes": (
        set_scene,
        close_others,
        open_sidebar,
        choose_tab,
        *(step for mode in tab.ITEMS for step in (show_mode(mode[0]), wait, take_sidebar)),
        join_sidebars,
    ),
    "unfolded": (
        set_scene,
        find_pairs,
        close_others,
        open_sidebar,
        choose_tab,
        *(step for mode in tab.ITEMS for step in (show_mode(mode[0]), wait, take_sidebar)),
        join_sidebars,
    ),
    "details": (
        set_scene,
        find_pairs,
        give_everything_something_to_say,
        close_others,
        open_sidebar,
        choose_tab,
        take_picture,
    ),
}


def is_judging() -> bool:
    """Whether the panel still looks at what it shows, which a picture waits for."""
    active = bpy.context.object
    if SHOT == "travel_way":
        return way_plot.job_of(active).slices is not None
    if MODES.get(SHOT, tab.JOIN) != tab.JOIN or active is None or active.type != "ARMATURE":
        return False
    if None in (active.inertia.source, active.inertia.destination):
        return False
    told = live.current(active)
    return not (told.needs_operator or told.fault or (told.is_current and told.helps is not None))


def run(steps: Iterator[Callable[[], Any]]) -> float | None:
    """Do one step and leave Blender time to draw before the next; quit after the last or an error."""
    try:
        step = next(steps)
        if step is take_picture and is_judging():
            again = itertools.chain([step], steps)
            bpy.app.timers.register(lambda: run(again), first_interval=0.5)
            return None
        if step() is True:
            again = itertools.chain([step], steps)
            bpy.app.timers.register(lambda: run(again), first_interval=0.1)
            return None
        return 0.5
    except StopIteration:
        pass
    except BaseException:
        # whatever went wrong, a Blender that stays open would say nothing of it
        traceback.print_exc()
    registration.unregister()
    bpy.ops.wm.quit_blender()
    return None


MODES = {
    **dict.fromkeys(("finish", "feet_ground"), tab.CLEAN),
    **dict.fromkeys(
        (
            "goals",
            "obstacles",
            "follow",
            "take",
            "learned",
            "crowd",
            "travel",
            "travel_root",
            "travel_way",
        ),
        tab.TRAVEL,
    ),
    "root_motion": tab.MEASURE,
}
"""In which mode the tab is where it is not the first."""

bpy.context.preferences.view.show_splash = False
bpy.context.preferences.view.language = LANGUAGE
if SHOT == "cost":
    close_details()
if SHOT == "root_motion":
    close_details()
    for panel in panels.CLASSES:
        closed = panel.__name__.endswith(("_transition", "_ramps"))
        if closed or panel.__name__.endswith("_rootmotion"):
            start_open(panel, is_open=not closed)
if SHOT == "feet_ground":
    for panel in panels.CLASSES:
        start_open(panel, is_open=panel.__name__.endswith(("_feet", "_lockfeet")))
if SHOT == "hops":
    open_only("through")
    bpy.context.preferences.view.ui_scale = 0.75
if SHOT in ("goals", "obstacles", "follow"):
    bpy.context.preferences.view.ui_scale = 0.68
    shown = ("_path", *{"goals": ("_asked",)}.get(SHOT, ()))
    for panel in panels.CLASSES:
        start_open(panel, is_open=panel.__name__.endswith(shown))
if SHOT in ("fill", "fill_wishes"):
    bpy.context.preferences.view.ui_scale = 0.8
    for panel in panels.CLASSES:
        start_open(panel, is_open=panel.__name__.endswith("_through"))
if SHOT == "take":
    bpy.context.preferences.view.ui_scale = 0.75
    open_only("steer")
if SHOT in ("learned", "crowd"):
    bpy.context.preferences.view.ui_scale = 0.6
    for panel in panels.CLASSES:
        start_open(panel, is_open=panel.__name__.endswith(("_learned", "_path")))
if SHOT == "finish":
    for panel in panels.CLASSES:
        start_open(panel, is_open=panel.__name__.endswith("_finish"))
if SHOT in ("travel", "travel_root", "travel_way"):
    for panel in panels.CLASSES:
        start_open(panel, is_open=panel.__name__.endswith("_travel"))
if SHOT == "controls":
    bpy.context.preferences.view.ui_scale = 0.75
    close_details()
if SHOT in ("details", "unfolded"):
    bpy.context.preferences.view.ui_scale = 0.55 if SHOT == "unfolded" else 0.6
    for panel in panels.CLASSES:
        start_open(panel, is_open=True)
if float(SCALE):
    bpy.context.preferences.view.ui_scale = float(SCALE)
if SHOT in ("root_motion", "learned", "crowd"):
    tab.has_pipeline_tools = lambda context: context is not None
registration.register()
for workspace in bpy.data.workspaces:
    workspace.inertia_mode = MODES.get(SHOT, tab.JOIN)
    workspace.inertia_through = tab.CLIP if SHOT == "hops" else tab.GAP
remaining = iter((use_theme, *STEPS[SHOT]))
bpy.app.timers.register(lambda: run(remaining), first_interval=1.0)
