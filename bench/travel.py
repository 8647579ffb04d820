# SPDX-License-Identifier: GPL-3.0-or-later
"""What Travel is worth on real motion, judged by where Blender itself shows the bones.

    make travel DATA=/path/to/motion

The travel of captured clips is taken out here, by their root's own keys, and made anew by the feet: how far
speed and way are from what they were. Clips that turn have their turning taken out, too, in a second round:
how far the heading is off. How far the capture's own feet skate stands beside, and how far they do now: a way
by feet can't be better than those that it is told by. Constants were chosen on one half of the clips, drawn
by a seed, whose names are in brackets; the other one is judged. Cycles that were made by hand in place are
given travel, and their feet skate over the ground, against what the best constant speed leaves. What is
measured is measured by formulas of this script alone.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import functools
import io
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from measures import foot_skates
from numpy.typing import NDArray

import bench
from inertia_addon.blender.data import compat
from inertia_addon.blender.evaluation import joints
from inertia_addon.blender.travel import bake
from inertia_addon.errors import InertiaError
from inertia_addon.settings.travel import TravelSettings
from tests.blender import clips
from tools import tables

Array = NDArray[np.float64]

CAPTURES = ("cmu02", "cmu127", "cmu131", "pab")
"""Sets of captured clips, all of which travel but for a few."""
WAY = 1.0
"""A clip whose root gets less far than so many metres from where it began has no travel to judge."""
OTHERWISE = ("jump", "dive", "balance", "hop", "atlas")
"""What is in the names of clips in which nobody walks or runs all the way: atlas is another skeleton's, whose
legs hang in the air here."""
SPEED, ASIDE, HEADING = 0.03, 0.02, 3.0
"""How far off speeds (a part), ways (metres a metre) and headings (degrees) may be."""
CHOSEN_ON = {
    *("cmu02_01_walk", "cmu131_02_start_walk_stop_metres", "jog", "walk"),
    *("cmu127_03_run", "cmu127_04_walk_to_run", "cmu127_05_run_to_quick_stop", "cmu127_07_run"),
    *("cmu127_08_run", "cmu127_12_run_left", "cmu127_13_run_sidestep_left", "cmu127_16_run_turn_right"),
    *("cmu127_17_run_stop_run", "cmu127_18_run_stop_run", "cmu127_19_run_quick_stop_run"),
    *("cmu127_31_run_duck_under", "cmu127_34_run_over", "cmu127_35_run_over"),
}
"""The half of the clips, drawn by a seed, on which constants were chosen, and by which nothing is judged."""
TURNS = 20.0
"""A clip that faces two ways so far apart, in degrees, turns."""
LOW = 0.025
"""Feet of captures skate while they are lower than this above their lowest place, in metres."""
CYCLES = {
    "Knight": ("Walking_", "Running_"),
    "RobotExpressive": ("Walking", "Running"),
    "Fox": ("Walk", "Run"),
    "godot_player": ("walk", "run"),
}
"""Of game characters, what is in the names of their cycles."""
HALF = 0.5
"""At most so much of what the best constant speed leaves may feet skate; ..."""
NOTHING = 0.01
"""... or this part of the character's height in a cycle, which nobody sees."""
GIANT = 20.0
"""What is taller, in metres, has centimetres for units."""
CALM_SECONDS = 0.5
"""Speeds are those of the way smoothed over so long."""


def shown(armature: Any, action: Any, frames: Array) -> tuple[Array, Array]:
    """Where Blender shows an armature in an action: the object, the heads of its bones, and the balls of its
    feet, (n, 1 + bones + feet, 3); and the axes of all but the last, (n, 1 + bones, 3, 3)."""
    slot = next((slot.identifier for slot in compat.slots(action) if slot.id_type == "OBJECT"), "")
    compat.assign(armature, action, slot)
    places, axes, soles = [], [], balls(armature)
    for frame in frames.tolist():
        whole = int(np.floor(frame))
        bpy.context.scene.frame_set(whole, subframe=frame - whole)
        own = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
        world = np.array(own.matrix_world, float)
        matrices = [world, *(world @ np.array(bone.matrix, float) for bone in own.pose.bones)]
        heads = [matrix[:3, 3] for matrix in matrices]
        places.append([*heads, *((matrices[bone] @ (*at, 1.0))[:3] for bone, at in soles)])
        axes.append([matrix[:3, :3] for matrix in matrices])
    compat.assign(armature, None)
    return np.array(places), np.array(axes)


def balls(armature: Any) -> list[tuple[int, Array]]:
    """The points by which feet stand: the bone of each, by its place in what is shown, and where in its axes.

    The middle of the lowest tenth of the mesh that a foot and what hangs from it carry; without a mesh, where
    the toes begin, or the foot ends.
    """
    bones, found = armature.data.bones, []
    for joint in joints.default_joints(armature):
        if joint.role != "FOOT":
            continue
        foot = bones[joint.bone]
        family = [foot, *foot.children_recursive]
        low = lowest(armature, {bone.name for bone in family})
        if low is not None:
            name, place = low
            inverse = np.linalg.inv(np.array(bones[name].matrix_local, float))
            found.append((1 + bones.find(name), (inverse @ (*place, 1.0))[:3]))
        else:
            toe = foot.children[0] if len(foot.children) else None
            place = np.zeros(3) if toe else np.array([0.0, foot.length, 0.0])
            found.append((1 + bones.find((toe or foot).name), place))
    return found


def lowest(armature: Any, family: set[str]) -> tuple[str, Array] | None:
    """The middle of the lowest tenth of the vertices that bones carry, in the armature's space, and which
    of them carries most; None where they carry none."""
    world = np.array(armature.matrix_world, float)
    places, carriers = [], []
    for thing in bpy.data.objects:
        if thing.type != "MESH" or thing.find_armature() != armature:
            continue
        names = thing.vertex_groups.keys()
        space = np.array(thing.matrix_world, float)
        for vertex in thing.data.vertices:
            heaviest = max(vertex.groups, key=lambda one: one.weight, default=None)
            if heaviest is not None and names[heaviest.group] in family:
                places.append(space @ (*vertex.co, 1.0))
                carriers.append(names[heaviest.group])
    if not places:
        return None
    points = np.array(places)
    low = points[:, 2] <= np.quantile(points[:, 2], 0.1)
    names = [name for name, is_low in zip(carriers, low, strict=True) if is_low]
    place = (np.linalg.inv(world) @ points[low].mean(axis=0))[:3]
    return max(sorted(set(names)), key=names.count), place


def frames_of(action: Any) -> Array:
    first, last = action.frame_range
    return np.arange(float(np.ceil(first)), float(np.floor(last)) + 1.0)


# --- captures


def taken_out(armature: Any, action: Any, frames: Array) -> tuple[Any, int]:
    """A copy of an action whose root stays over one place, and which it is: 0 for the object, else a bone.

    The root is whose location goes furthest over the ground; its place there is keyed anew on each frame.
    """
    made = action.copy()
    made.name = f"{action.name} taken out"
    world = np.array(armature.matrix_world, float)[:3, :3]
    rests = [np.eye(3), *(world @ np.array(b.matrix_local, float)[:3, :3] for b in armature.data.bones)]
    paths = ["location", *(f'pose.bones["{bone.name}"].location' for bone in armature.data.bones)]
    slot = next((slot.identifier for slot in compat.slots(made) if slot.id_type == "OBJECT"), "")
    curves = {(curve.data_path, curve.array_index): curve for curve in compat.curves(made, slot)}
    best, gone, ways = 0, -1.0, {}
    for i, path in enumerate(paths):
        if not all((path, k) in curves for k in range(3)):
            continue
        local = np.stack([[curves[path, k].evaluate(f) for f in frames.tolist()] for k in range(3)], axis=1)
        ways[i] = local @ rests[i].T
        far = float(np.linalg.norm(ways[i][:, :2] - ways[i][0, :2], axis=1).max())
        if far > gone:
            best, gone = i, far
    way = ways[best]
    way[:, :2] = way[0, :2]
    local = way @ np.linalg.inv(rests[best]).T
    for k in range(3):
        points = curves[paths[best], k].keyframe_points
        while len(points):
            points.remove(points[0], fast=True)
        points.add(len(frames))
        points.foreach_set("co", np.column_stack([frames, local[:, k]]).ravel().astype(np.float32))
        points.foreach_set(
            "interpolation",
            [bpy.types.Keyframe.bl_rna.properties["interpolation"].enum_items["LINEAR"].value] * len(frames),
        )
        curves[paths[best], k].update()
    return made, best


def turned_out(armature: Any, action: Any, frames: Array, places: Array, turns: Array) -> Any:
    """A copy of an action that goes and turns the other way as an object, over places (n, 2) in the world and
    by turns (n,), radians, so that it stays, and faces one way."""
    made = action.copy()
    made.name = f"{action.name} turned out"
    slot = next((slot.identifier for slot in compat.slots(made) if slot.id_type == "OBJECT"), "")
    curves = compat.curves(made, slot)
    for curve in [one for one in curves if one.data_path in ("location", "rotation_euler")]:
        curves.remove(curve)
    stands = np.array(armature.matrix_world.translation)
    armature.rotation_mode = "XYZ"
    tilt = armature.rotation_euler[:]
    c, s = np.cos(-turns), np.sin(-turns)
    away = stands[:2] - places
    ways = {
        ("location", 0): places[0, 0] + c * away[:, 0] - s * away[:, 1],
        ("location", 1): places[0, 1] + s * away[:, 0] + c * away[:, 1],
        ("rotation_euler", 2): tilt[2] - turns,
    }
    for k in range(3):
        ways.setdefault(("rotation_euler", k), np.full(len(frames), tilt[k]))
    ways["location", 2] = np.full(len(frames), stands[2])
    for (path, k), values in ways.items():
        points = curves.new(path, index=k).keyframe_points
        points.add(len(frames))
        points.foreach_set("co", np.column_stack([frames, values]).ravel().astype(np.float32))
    return made


@dataclasses.dataclass(frozen=True)
class Taken:
    """A clip whose travel was taken out and made anew. way: metres. speed: a part, aside: metres a metre,
    None where it was refused. own, skate: how far its feet skated, and do now, centimetres a metre. turns:
    how far it turns, and heading: how far off that is where its turning was taken out, too, degrees; None for
    clips that hardly turn."""

    name: str
    way: float
    speed: float | None = None
    aside: float | None = None
    own: float = 0.0
    skate: float = 0.0
    turns: float = 0.0
    heading: float | None = None
    said: str = ""

    @property
    def judges(self) -> bool:
        return self.name not in CHOSEN_ON

    def cells(self) -> list[str]:
        first = [self.name if self.judges else f"({self.name})", f"{self.way:.2f} m"]
        if self.speed is None or self.aside is None:
            return [*first, self.said[:60], "", "", ""]
        heading = "" if self.heading is None else f"{self.heading:.1f} of {self.turns:.0f}"
        told = f"{self.own:.1f} cm", f"{self.skate:.1f} cm", heading
        return [*first, f"{100.0 * self.speed:+.1f} %", f"{100.0 * self.aside:.1f} cm", *told]


def calm(places: Array, fps: float) -> Array:
    """Places (n, 2), smoothed by a moving mean; as far as that reaches."""
    width = max(1, round(CALM_SECONDS * fps))
    kernel = np.full(width, 1.0 / width)
    return np.stack([np.convolve(column, kernel, mode="valid") for column in places.T], axis=1)


def headings(axes: Array) -> Array:
    """How far (n,) a root has turned about the vertical since the beginning, radians."""
    turn = axes @ np.linalg.inv(axes[0])
    return np.unwrap(np.arctan2(turn[:, 1, 0] - turn[:, 0, 1], turn[:, 0, 0] + turn[:, 1, 1]))


def skate_of(armature: Any, points: Array) -> float:
    """How far feet skate, metres; points: (n, 1 + bones + feet, 3)."""
    feet = points[:, 1 + len(armature.data.bones) :]
    return float(foot_skates(feet, feet[..., 2].min(axis=0), LOW).sum())


def capture(armature: Any, names: list[str], fps: float, metres: float) -> Iterator[Taken]:
    """The clips of a set that travel."""
    for name in sorted(names):
        action = bpy.data.actions[name]
        frames = frames_of(action)
        if len(frames) < 3 or any(word in name for word in OTHERWISE):
            continue
        staying, root = taken_out(armature, action, frames)
        # whoever carries the new travel carries the first bone
        root = max(root, 1)
        points, axes = shown(armature, action, frames)
        was = metres * points[:, root, :2]
        short = name.partition("|")[2].partition("|")[0] or name
        if np.linalg.norm(was - was[0], axis=1).max() < WAY:
            bpy.data.actions.remove(staying)
            continue
        smooth = calm(was, fps)
        # smoothed it lacks what lies at the ends
        way = float(np.linalg.norm(np.diff(smooth, axis=0), axis=1).sum())
        whole = way * (len(was) - 1) / max(len(smooth) - 1, 1)
        try:
            report = bake.travel(armature, TravelSettings(staying.name, assign=False))
        except InertiaError as error:
            yield Taken(short, whole, said=str(error))
            continue
        finally_ = bpy.data.actions[report.result]
        anew, _ = shown(armature, finally_, frames)
        now = metres * anew[:, root, :2]
        made = float(np.linalg.norm(np.diff(calm(now, fps), axis=0), axis=1).sum())
        aside = float(np.linalg.norm((now - now[0]) - (was - was[0]), axis=1).max())
        skates = (100.0 * metres * skate_of(armature, each) / whole for each in (points, anew))
        turning = np.degrees(headings(axes[:, root]))
        heading = None
        if np.ptp(calm(turning[:, None], fps)) > TURNS and not action.name.startswith("Hips"):
            heading = heading_off(armature, action, frames, points[:, root], np.radians(turning), fps)
        turned = float(np.ptp(turning))
        yield Taken(short, whole, made / way - 1.0, aside / whole, *skates, turned, heading)
        for one in (finally_, staying):
            bpy.data.actions.remove(one)


def heading_off(
    armature: Any, action: Any, frames: Array, places: Array, turns: Array, fps: float
) -> float | None:
    """How far, in degrees, a clip whose turning was taken out with its travel faces from where it did at its
    end; None where its feet tell of no way."""
    width = max(3, round(CALM_SECONDS * fps) | 1)
    padded = np.pad(np.column_stack([places[:, :2], turns]), ((width // 2, width // 2), (0, 0)), "edge")
    even = np.stack([np.convolve(c, np.full(width, 1.0 / width), mode="valid") for c in padded.T], axis=1)
    staying = turned_out(armature, action, frames, even[:, :2], even[:, 2] - even[0, 2])
    stands = armature.matrix_world.copy()
    try:
        report = bake.travel(armature, TravelSettings(staying.name, assign=False))
    except InertiaError:
        return None
    finally:
        armature.matrix_world = stands
    finally_ = bpy.data.actions[report.result]
    _, axes = shown(armature, finally_, frames)
    armature.matrix_world = stands
    root = int(np.argmin(np.linalg.norm(shown(armature, action, frames[:1])[0][0] - places[0], axis=1)))
    off = np.degrees(headings(axes[:, max(root, 1)])[-1] - turns[-1])
    for one in (finally_, staying):
        bpy.data.actions.remove(one)
    return float(abs(off))


# --- cycles


@dataclasses.dataclass(frozen=True)
class Cycle:
    """A cycle in place that was given travel. speed: m/s. own, constant, skate: metres that feet skate in a
    cycle as it was, over the best constant speed, and now. height: the character's, metres."""

    name: str
    speed: float | None
    own: float = 0.0
    constant: float = 0.0
    skate: float = 0.0
    height: float = 1.0
    said: str = ""

    @property
    def holds(self) -> bool:
        return self.speed is not None and self.skate <= max(HALF * self.constant, NOTHING * self.height)

    def cells(self) -> list[str]:
        if self.speed is None:
            return [self.name, self.said[:60], "", "", "", "FAIL"]
        told = [f"{100.0 * value:.1f} cm" for value in (self.own, self.constant, self.skate)]
        return [self.name, f"{self.speed:.2f} m/s", *told, "pass" if self.holds else "FAIL"]


def constant_skate(points: Array, ground: Array, height: float, fps: float, start: Array) -> float:
    """The least that feet (n, feet, 3) skate over ground that passes at any constant velocity, by a search
    that halves its step."""
    seconds = np.arange(len(points))[:, None] / fps

    def skate(velocity: Array) -> float:
        moved = points.copy()
        moved[..., :2] -= (seconds * velocity)[:, None]
        return float(foot_skates(moved, ground, height).sum())

    best, least = start, skate(start)
    step = 0.5 * max(float(np.linalg.norm(start)), height * fps)
    angles = np.linspace(0.0, 2.0 * np.pi, 12, endpoint=False)
    while step > 1e-3 * height * fps:
        tried = [best + step * np.array([np.cos(a), np.sin(a)]) for a in angles]
        values = [skate(one) for one in tried]
        i = int(np.argmin(values))
        if values[i] < least:
            best, least = tried[i], values[i]
        else:
            step *= 0.5
    return least


def cycle(armature: Any, names: list[str], wanted: tuple[str, ...], fps: float) -> Iterator[Cycle]:
    """The cycles of a character."""
    bones = slice(1 + len(armature.data.bones), None)
    for name in sorted(names):
        if not any(part in name for part in wanted):
            continue
        action = bpy.data.actions[name]
        frames = np.linspace(
            *action.frame_range, round(action.frame_range[1] - action.frame_range[0]) * 2 + 1
        )
        rate = fps * (len(frames) - 1) / float(frames[-1] - frames[0])
        was, _ = shown(armature, action, frames)
        height = float(np.ptp(was[:, 1 : bones.start, 2], axis=1).mean())
        metres = 0.01 if height > GIANT else 1.0
        points, low = was[:, bones], 0.015 * height
        ground = points[..., 2].min(axis=0)
        own = float(foot_skates(points, ground, low).sum())
        try:
            report = bake.travel(armature, TravelSettings(name, assign=False))
        except InertiaError as error:
            yield Cycle(name, None, said=str(error))
            continue
        made = bpy.data.actions[report.result]
        now = shown(armature, made, frames)[0][:, bones]
        skate = float(foot_skates(now, ground, low).sum())
        gone = now[-1].mean(axis=0) - now[0].mean(axis=0) - (points[-1].mean(axis=0) - points[0].mean(axis=0))
        start = -gone[:2] * rate / (len(frames) - 1)
        constant = constant_skate(points, ground, low, rate, start)
        told = [metres * value for value in (own, constant, skate, height)]
        yield Cycle(name, metres * report.speed, *told)
        bpy.data.actions.remove(made)


def load_wild(name: str, data: Path) -> tuple[Any, list[str]]:
    """A character of one .glb file, and its clips."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.context.scene.render.fps = 30
    bpy.ops.import_scene.gltf(filepath=str(data / "glb" / "wild" / f"{name}.glb"))
    armature = next(thing for thing in bpy.data.objects if thing.type == "ARMATURE")
    for track in list(armature.animation_data.nla_tracks):
        armature.animation_data.nla_tracks.remove(track)
    return armature, [action.name for action in bpy.data.actions]


# --- what holds


def judged(what: str, value: str, *, good: bool) -> str:
    return tables.row([what, value, "pass" if good else "FAIL"])


def verdicts(taken: dict[str, list[Taken]], cycles: list[Cycle]) -> list[str]:
    """What has to hold, and whether it does."""
    lines = tables.heads(("what", "measured", ""))
    for name, rows in taken.items():
        found = [row for row in rows if row.speed is not None]
        judging = [row for row in found if row.judges]
        if not judging:
            continue
        speed, aside = (
            float(np.median([abs(getattr(row, field)) for row in judging])) for field in ("speed", "aside")
        )
        own, skate = (
            float(np.median([getattr(row, field) for row in judging])) for field in ("own", "skate")
        )
        count = f"{len(found)} of {len(rows)}"
        lines += [
            judged(f"{name}: clips whose travel is found", count, good=len(found) == len(rows)),
            judged(f"{name}: speed, median within 3 %", f"{100.0 * speed:.1f} %", good=speed <= SPEED),
            judged(
                f"{name}: way, median within 2 cm a metre", f"{100.0 * aside:.1f} cm", good=aside <= ASIDE
            ),
            tables.row([f"{name}: feet skate a metre, as captured", f"{own:.1f} cm", ""]),
            tables.row([f"{name}: ... and over the way that was made", f"{skate:.1f} cm", ""]),
        ]
        headings = [row.heading for row in judging if row.heading is not None]
        if headings:
            off = float(np.median(headings))
            what = f"{name}: heading at the end, {len(headings)} clips that turn, median within 3 degrees"
            lines.append(judged(what, f"{off:.1f}", good=off <= HEADING))
    if cycles:
        held = sum(row.holds for row in cycles)
        what = "cycles that skate half of what the best constant speed leaves, or 1 % of the height"
        lines.append(judged(what, f"{held} of {len(cycles)}", good=held == len(cycles)))
    return lines


def speed(rounds: int) -> None:
    """How long it takes to give an action travel, against Blender showing all frames once."""
    from tests.blender import stepper

    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    armature = stepper.biped()
    action = stepper.walk(armature, "Walk", frames=bench.LONG.length, skate=-stepper.STRIDE)
    took: list[list[float]] = [[], []]
    for _ in range(rounds):
        began = time.perf_counter()
        report = bake.travel(armature, TravelSettings("Walk", assign=False))
        took[0].append(time.perf_counter() - began)
        bpy.data.actions.remove(bpy.data.actions[report.result])
        began = time.perf_counter()
        shown(armature, action, frames_of(action))
        took[1].append(time.perf_counter() - began)
    making, showing = (float(np.median(part)) for part in took)
    print(
        f"{len(armature.data.bones)} bones, {bench.LONG.length} frames: travel is made in "
        f"{1e3 * making:.0f} ms, {making / showing:.2f} of what Blender takes to show them"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path)
    parser.add_argument("--set", nargs="*", metavar="NAME", help="of these sets alone")
    parser.add_argument(
        "--write", action="store_true", help="write the table into docs/reference/measured.md, too"
    )
    parser.add_argument("--speed", type=int, metavar="ROUNDS", help="say how long it takes, and nothing else")
    arguments = parser.parse_args()
    if arguments.speed:
        speed(arguments.speed)
        return
    if arguments.data is None:
        parser.error("--data is needed")
    wanted = arguments.set or (*CAPTURES, *CYCLES)
    taken: dict[str, list[Taken]] = {}
    cycles: list[Cycle] = []
    for name in wanted:
        with contextlib.redirect_stdout(io.StringIO()):
            load = load_wild if name == "godot_player" else functools.partial(clips.load, keep_meshes=True)
            armature, names = load(name, arguments.data)
        render = bpy.context.scene.render
        fps = render.fps / render.fps_base
        with contextlib.redirect_stdout(io.StringIO()):
            if name in CAPTURES:
                taken[name] = list(capture(armature, names, fps, 1.0))
            else:
                cycles += list(cycle(armature, names, CYCLES[name], fps))
    lines = []
    if taken:
        lines += tables.heads(
            ("clip", "way", "speed", "aside, a metre", "feet skate a metre", "... now", "heading, degrees")
        )
        lines += [tables.row(row.cells()) for rows in taken.values() for row in rows]
    if cycles:
        lines += ["", *tables.heads(("cycle", "speed", "skates in place", "constant speed", "travel", ""))]
        lines += [tables.row(row.cells()) for row in cycles]
    said = verdicts(taken, cycles)
    print("\n".join([*lines, "", *said]))
    if arguments.write:
        tables.write("travel", said)
    sys.exit(any("FAIL" in line for line in said))


if __name__ == "__main__":
    main()
