# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside of a Blender with a window: shows contacts, and drags them; see test_feet.py."""

from __future__ import annotations

import math
from typing import Any

import bpy
from characters import make_rig, rig
from driver import (
    LATER,
    SOON,
    Steps,
    bands,
    box,
    close_other_editors,
    hover,
    inertia,
    key,
    only_open,
    open_tab,
    picture,
    prepare_view,
    push,
    region_of,
    remember,
    spots,
    state,
    switches,
    view,
    window,
    within,
)
from driver import drag as drag_between

FPS, SECONDS = 24, 2.5
THIGH, SHIN, ANKLE, BALL, HIPS, STRIDE = 0.45, 0.42, 0.08, 0.12, 0.9, 0.6
BONES = (
    ("hips", None, (0.0, 0.0, 0.95), (0.0, 0.0, 1.1)),
    ("chest", "hips", (0.0, 0.0, 1.1), (0.0, 0.0, 1.5)),
    ("head", "chest", (0.0, 0.0, 1.5), (0.0, 0.0, 1.75)),
    *(
        bone
        for side, x in ((".L", 0.1), (".R", -0.1))
        for bone in (
            ("thigh" + side, "hips", (x, 0.0, ANKLE + SHIN + THIGH), (x, 0.0, ANKLE + SHIN)),
            ("shin" + side, "thigh" + side, (x, 0.0, ANKLE + SHIN), (x, 0.0, ANKLE)),
            ("foot" + side, "shin" + side, (x, 0.0, ANKLE), (x, -BALL, 0.02)),
            ("toe" + side, "foot" + side, (x, -BALL, 0.02), (x, -BALL - 0.07, 0.02)),
        )
    ),
)


def ball_at(seconds: float, late: float) -> tuple[float, float]:
    """How far and how high a ball is: planted for half a second from second ``late`` on, each second."""
    turn, part = divmod(seconds - late, 1.0)
    u = max((part - 0.5) / 0.5, 0.0)
    smooth = u * u * u * (u * (6.0 * u - 15.0) + 10.0)
    return STRIDE * (turn + late + smooth), 0.02 + 0.15 * 16.0 * (u * (1.0 - u)) ** 2


def make_character() -> Any:
    """A biped with a walk along -Y, whose feet stand still while they are planted."""
    bpy.context.scene.render.fps = FPS
    rig = make_rig(BONES)
    rig.animation_data.action = bpy.data.actions.new("Walk")
    bones = rig.pose.bones
    for frame in range(1, round(SECONDS * FPS) + 1):
        seconds = (frame - 1) / FPS
        way = STRIDE * seconds - 0.25 * STRIDE - BALL
        axes = rig.data.bones["hips"].matrix_local.to_3x3().inverted()
        bones["hips"].location = axes @ rig.data.bones["hips"].head_local.__class__((0.0, -way, HIPS - 0.95))
        bones["hips"].keyframe_insert("location", frame=frame)
        for side, late in ((".L", 0.0), (".R", 0.5)):
            y, z = ball_at(seconds, late)
            pose(bones, side, y - BALL - way, z + ANKLE - 0.02 - HIPS, frame)
    bpy.context.scene.frame_end = round(SECONDS * FPS)
    bpy.context.scene.frame_set(32)
    remember("Character")
    return rig


def pose(bones: Any, side: str, y: float, z: float, frame: int) -> None:
    """Put an ankle so far ahead of its hip and above it, the foot flat, by a key on each bone of the leg."""
    far = math.hypot(y, z)
    knee = math.acos(min((THIGH**2 + far**2 - SHIN**2) / (2.0 * THIGH * far), 1.0))
    thigh = math.atan2(y, -z) + knee
    shin = math.atan2(y - THIGH * math.sin(thigh), -THIGH * math.cos(thigh) - z)
    for name, angle in (("thigh", thigh), ("shin", shin - thigh), ("foot", -shin)):
        bone = bones[name + side]
        axis = bone.bone.matrix_local.to_3x3().inverted().col[0]
        bone.rotation_mode = "AXIS_ANGLE"
        bone.rotation_axis_angle = (-angle, *axis)
        bone.keyframe_insert("rotation_axis_angle", frame=frame)


def note(name: str) -> None:
    """The contacts of the left foot, and whether they were edited."""
    found = inertia("ui.feet.shown").contacts_of(rig()).contacts
    spans = found.spans[[leg.name for leg in found.legs].index("foot.L")]
    state[name] = [[[span.start, span.end] for span in spans], "foot.L" in found.edited]


def place(area: Any, frame: float, part: str) -> tuple[int, int]:
    """Where on the screen the left foot's row has a part of a bar, at a frame or near it."""
    grab, main = inertia("ui.feet.drag_contact").grab, region_of(area)
    first, last = (main.view2d.view_to_region(frame + by, 0.0, clip=False)[0] for by in (-3.0, 3.0))
    left, right = max(first, 2), min(last, main.width)
    found = []
    with within(area):
        for x, y in spots([(left, low, right - left, high) for _, low, _, high in bands()], (3, 3)):
            at = grab(bpy.context, x, y)
            if at is not None and (at[0].foot, at[0].part) == ("foot.L", part):
                here = main.view2d.region_to_view(x, y)[0]
                found.append((abs(here - frame), -y, x))
    assert found, f"no {part} of a bar can be grabbed"
    # the middle of the row's height
    nearest = min(away for away, _, _ in found)
    rows = sorted((-y, x) for away, y, x in found if away <= nearest + 0.3)
    y, x = rows[len(rows) // 2]
    return main.x + x, main.y + y


def drag(area: Any, frame: float, part: str, frames: float, ending: str = "RELEASE", **held: bool) -> Steps:
    """Drag a part of a bar by so many frames, and let go or press ESC."""
    x, y = place(area, frame, part)
    view2d = region_of(area).view2d
    by = round(
        view2d.view_to_region(frames, 0.0, clip=False)[0] - view2d.view_to_region(0.0, 0.0, clip=False)[0]
    )
    yield from drag_between((x, y), (x + by, y), ending, **held)


def steps() -> Steps:
    """What happens."""
    window().workspace.inertia_mode = "CLEAN"
    yield from close_other_editors()
    make_character()
    switches().foot_contacts = False
    yield from prepare_view()
    state["view"] = box(view())
    picture("off")
    switches().footprints = True
    yield LATER
    picture("footprints")
    note("found")
    yield from lock()
    yield from bars()


def lock() -> Steps:
    """The panel beside it, with what locks the feet of an action; then of a transition."""
    with only_open("_feet", "_lockfeet", mode="CLEAN"):
        yield from open_tab()
        yield from edit()
        skate()
        yield LATER
        note_skate("skating")
        yield from push("inertia.lock_feet")
        yield LATER
        note_skate("locked")
        yield from lock_toes()
    view().spaces.active.show_region_ui = False
    yield LATER
    yield from bake()
    rig().animation_data.action = bpy.data.actions["Walk"]
    bpy.context.scene.frame_set(32)
    remember("Walk")
    yield LATER


def lock_toes() -> Steps:
    """Lock feet on a plane by the panel, with toes left alone and kept above it, of a walk in which one toe
    goes down while its foot stands."""
    own, bone, before = rig().inertia_feet, rig().pose.bones["toe.L"], rig().animation_data.action
    rig().animation_data.action = dips = bpy.data.actions["Walk"].copy()
    axis = bone.bone.matrix_local.to_3x3().inverted().col[0]
    bone.rotation_mode = "AXIS_ANGLE"
    for frame, angle in ((27, 0.0), (31, 0.9), (35, 0.0)):
        bone.rotation_axis_angle = (angle, *axis)
        bone.keyframe_insert("rotation_axis_angle", frame=frame)
    own.ground = "PLANE"
    for kind in ("FREE", "ABOVE"):
        own.toes = kind
        rig().animation_data.action = dips
        remember("Toes")
        yield LATER
        picture(f"toes {kind}")
        yield from push("inertia.lock_feet")
        yield LATER
        result = rig().animation_data.action
        bpy.context.scene.frame_set(31)
        state[f"toes {kind}"] = [result != dips, (rig().matrix_world @ bone.tail).z]
        bpy.data.actions.remove(result)
    own.ground = "CLIP"
    bpy.data.actions.remove(dips)
    rig().animation_data.action = before
    remember("Toes, seen")
    yield LATER


def edit() -> Steps:
    """Remove a contact, and have them found again, by the panel's buttons."""
    bpy.context.scene.frame_set(32)
    remember("Within a contact")
    yield LATER
    for name in ("inertia.remove_contact", "inertia.reset_contacts"):
        yield from push(name, right="remove" in name)
        yield LATER
        state[name.partition(".")[2]] = [
            [leg.name, len(spans)]
            for found in (inertia("ui.feet.shown").contacts_of(rig()).contacts,)
            for leg, spans in zip(found.legs, found.spans, strict=True)
        ]


def skate() -> None:
    """Let the character play the walk with a skate of its feet, 0.2 m a second."""
    made = bpy.data.actions["Walk"].copy()
    made.name = "Skating"
    rig().animation_data.action = made
    for curve in inertia("blender.data.compat").curves(made, slot()):
        if curve.data_path.endswith('"hips"].location'):
            # which of the bone's axes the walk goes along
            along = rig().data.bones["hips"].matrix_local.to_3x3().inverted().col[1][curve.array_index]
            for point in curve.keyframe_points:
                by = -0.2 * along * (point.co[0] - 1.0) / FPS
                for place in (point.co, point.handle_left, point.handle_right):
                    place[1] += by
            curve.update()
    remember("Skate")


def slot() -> str:
    compat = inertia("blender.data.compat")
    return str(compat.slots(rig().animation_data.action)[0].identifier)


def note_skate(name: str) -> None:
    """How far the feet of the assigned action skate, by the panel's figures."""
    found = inertia("ui.feet.shown").contacts_of(rig())
    ways = [figures.skate_m for figures in found.figures]
    state[name] = [found.action, ways, sorted(bpy.data.actions.keys())]


def bake() -> Steps:
    """Bake a transition between two phases of the walk with its feet left alone, and locked."""
    own = rig().inertia
    own.source = own.destination = bpy.data.actions["Walk"]
    for feet in ("OFF", "LOCK"):
        with within(view()):
            bpy.ops.inertia.bake_transition(
                "EXEC_DEFAULT", True, cut=8.0, destination_frame=28.0, blend_frames=10.0, feet=feet
            )
        yield LATER
        toes = []
        for frame in range(8, 16):
            bpy.context.scene.frame_set(frame)
            toes.append(rig().matrix_world @ rig().pose.bones["toe.L"].head)
        state[f"ball {feet}"] = max((toe - toes[0]).length for toe in toes)
        yield LATER
        picture(f"transition {feet}")


def bars() -> Steps:
    """Drag bars in the Dope Sheet: each is one undo step."""
    area = view()
    # a 3D View stays, in which pictures are taken
    next(a for a in window().screen.areas if a.type == "DOPESHEET_EDITOR").type = "VIEW_3D"
    area.type = "DOPESHEET_EDITOR"
    area.spaces.active.mode = "ACTION"
    area.spaces.active.show_region_ui = False
    yield LATER
    with within(area):
        bpy.ops.action.view_all()
    yield LATER
    state["dope sheet"] = box(area)
    picture("bars off")
    switches().foot_contacts = True
    remember("Contacts")
    yield LATER
    picture("bars on")
    yield from drag(area, 13.0, "end", 4.0, "ESC")
    note("stopped")
    yield from drag(area, 13.0, "end", 4.0)
    note("longer")
    yield from drag(area, 31.0, "body", -3.0)
    note("earlier")
    yield from drag(area, 43.0, "new", 3.0)
    note("added")
    x, y = place(area, 31.0, "body")
    for step in (2, 1, 0):
        hover(x, y + step)
        yield SOON
    yield LATER
    for value in ("PRESS", "RELEASE"):
        window().event_simulate(type="LEFTMOUSE", value=value, x=x, y=y, ctrl=True)
        yield SOON
    yield LATER
    note("removed")
    for name in ("removal undone", "adding undone", "moving undone", "all undone"):
        yield from key("Z", area.x + 200, area.y + area.height // 2, ctrl=True)
        note(name)
    # the buttons of the panel, at frame 32, which is within the second contact
    for name in ("remove", "add", "reset"):
        foot = {} if name == "reset" else {"foot": "foot.L"}
        with within(area):
            getattr(bpy.ops.inertia, f"{name}_contact{'s' * (name == 'reset')}")("EXEC_DEFAULT", True, **foot)
        yield LATER
        note(name)
    for name in ("add", "remove", "found"):
        yield from key("Z", area.x + 200, area.y + area.height // 2, ctrl=True)
        note(f"{name} again")
    # a bar of the action whose feet are locked is dragged, and they are locked by it
    rig().animation_data.action = bpy.data.actions["Skating locked"]
    remember("Locked")
    yield LATER
    note("held")
    yield from drag(area, 13.0, "end", -4.0)
    note("shorter")
    with within(area):
        bpy.ops.inertia.rebake("EXEC_DEFAULT", True)
    yield LATER
    note("relocked")
    heights = []
    for frame in (8, 12):
        bpy.context.scene.frame_set(frame)
        heights.append((rig().matrix_world @ rig().pose.bones["toe.L"].head).y)
    state["free again"] = heights[1] - heights[0]
